/* Exact Coulomb friction, cold, by one solver (auto): which problems it solves within a limit of
 * processor time, how long that takes, and how it grows with size. E = 1e-8 and R = 1e-6 are asked.
 *
 * bench_exact_campaign [--quick] [--json] [--seeds N] [--limit S] [--solver NAME] [--only WORD]
 *
 *   families   packings of equal balls with mu 0.1 to 10, top layers and random masses 100 to 1e6
 *              times as heavy, rolling and spinning friction; 1,250 to 100,000 contacts
 *   --quick    sizes up to 5,300 contacts and two seeds
 *   --only     families whose name has this word in it
 *
 * A table: solved of how many, the median and the longest processor time of those solved, the worst
 * R of the others. At the end of a family the exponent p of time ~ contacts^p, a line through the
 * logarithms of the medians. One thread. Limits are of processor time, looked at whenever the
 * solver checks its residual; on a busy machine wall time ends a run at ten times as much. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/packing.h"

enum { MOST_SEEDS = 100, MOST_SIZES = 4 };

typedef struct size {
  int nx, ny, nz;
  double limit; /* s */
} size;

typedef struct family {
  const char *name;
  double mu;
  packing_masses masses;
  double ratio, rolling, spinning;
  int first, sizes; /* of all_sizes */
} family;

static const size all_sizes[MOST_SIZES] = {
    {6, 6, 7, 5.0}, {10, 10, 10, 10.0}, {12, 12, 13, 10.0}, {17, 18, 18, 60.0}};
static const size largest = {26, 26, 26, 120.0};

static const family families[] = {
    {"mu 0.1", 0.1, PACKING_EQUAL, 1.0, 0.0, 0.0, 0, 5},
    {"mu 0.3", 0.3, PACKING_EQUAL, 1.0, 0.0, 0.0, 0, 5},
    {"mu 0.5", 0.5, PACKING_EQUAL, 1.0, 0.0, 0.0, 0, 4},
    {"mu 0.8", 0.8, PACKING_EQUAL, 1.0, 0.0, 0.0, 0, 5},
    {"mu 2", 2.0, PACKING_EQUAL, 1.0, 0.0, 0.0, 0, 2},
    {"mu 10", 10.0, PACKING_EQUAL, 1.0, 0.0, 0.0, 0, 2},
    {"top 1e2 mu 0.3", 0.3, PACKING_TOP_HEAVY, 1e2, 0.0, 0.0, 0, 2},
    {"top 1e6 mu 0.3", 0.3, PACKING_TOP_HEAVY, 1e6, 0.0, 0.0, 0, 2},
    {"random 1e4 mu 0.3", 0.3, PACKING_RANDOM, 1e4, 0.0, 0.0, 0, 2},
    {"top 1e2 mu 0.8", 0.8, PACKING_TOP_HEAVY, 1e2, 0.0, 0.0, 0, 2},
    {"top 1e6 mu 0.8", 0.8, PACKING_TOP_HEAVY, 1e6, 0.0, 0.0, 0, 1},
    {"random 1e4 mu 0.8", 0.8, PACKING_RANDOM, 1e4, 0.0, 0.0, 0, 1},
    {"rolling mu 0.3", 0.3, PACKING_EQUAL, 1.0, 0.01, 0.005, 0, 2},
    {"rolling mu 0.8", 0.8, PACKING_EQUAL, 1.0, 0.01, 0.005, 0, 2},
};

typedef struct options {
  bool quick, json;
  int seeds;
  double limit;
  const char *solver, *only;
} options;

typedef struct cell {
  size_t contacts;
  int solved, tried;
  double median, longest; /* s, of those solved */
  double worst;           /* R of the others */
} cell;

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* `user`: when to stop. */
static bool has_time(void *user, const scree_progress *progress) {
  (void)progress;
  return processor_seconds() < *(const double *)user;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static cell run_cell(scree_context *context, const family *f, const size *s, const options *o) {
  cell c = {.worst = 0.0};
  double seconds[MOST_SEEDS];
  for (int seed = 1; seed <= o->seeds; seed++) {
    packing_def def = packing_def_default();
    def.nx = s->nx;
    def.ny = s->ny;
    def.nz = s->nz;
    def.mu = f->mu;
    def.masses = f->masses;
    def.mass_ratio = f->ratio;
    def.rolling = f->rolling;
    def.spinning = f->spinning;
    def.seed = (uint64_t)seed;
    scree_ccp *problem;
    scree_solver *solver;
    if (packing_create(context, &def, &problem) ||
        scree_solver_create(context, o->solver, &solver)) {
      fprintf(stderr, "%s\n", scree_context_message(context));
      exit(1);
    }
    double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
    scree_solve_settings settings = scree_solve_settings_default();
    scree_solve_info info;
    settings.model = SCREE_MODEL_COULOMB;
    settings.tolerance_error = 1e-8;
    settings.tolerance_residual = 1e-6;
    const double limit = o->limit > 0.0 ? o->limit : s->limit, start = processor_seconds();
    double end = start + limit;
    settings.time_limit = 10.0 * limit;
    settings.progress = has_time;
    settings.progress_user = &end;
    if (!g || scree_solver_solve(solver, problem, &settings, g, &info)) exit(1);
    const double spent = processor_seconds() - start;
    c.contacts = scree_ccp_block_count(problem);
    c.tried++;
    if (info.outcome == SCREE_OUTCOME_SOLVED && spent <= limit)
      seconds[c.solved++] = spent;
    else
      c.worst = fmax(c.worst, info.residual.scaled);
    free(g);
    scree_solver_destroy(solver);
    scree_ccp_destroy(problem);
  }
  if (c.solved > 0) {
    qsort(seconds, (size_t)c.solved, sizeof *seconds, by_size);
    c.median = 0.5 * (seconds[(c.solved - 1) / 2] + seconds[c.solved / 2]);
    c.longest = seconds[c.solved - 1];
  }
  return c;
}

/* p of median ~ contacts^p; NaN where fewer than two sizes were solved. */
static double exponent(const cell *c, int count) {
  double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (int k = 0; k < count; k++) {
    if (!(c[k].median > 0.0)) continue;
    const double a = log((double)c[k].contacts), b = log(c[k].median);
    n += 1.0;
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return n > 1.0 ? (n * xy - x * y) / (n * xx - x * x) : NAN;
}

static void print_cell(const family *f, const cell *c, const options *o, bool first) {
  if (o->json) {
    printf("%s{\"family\":\"%s\",\"contacts\":%zu,\"solved\":%d,\"of\":%d", first ? "" : ",",
           f->name, c->contacts, c->solved, c->tried);
    if (c->solved > 0) printf(",\"median\":%.4g,\"longest\":%.4g", c->median, c->longest);
    if (c->solved < c->tried) printf(",\"worst_residual\":%.3g", c->worst);
    printf("}");
  } else {
    char times[48] = "- | -", worst[16] = "";
    if (c->solved > 0) snprintf(times, sizeof times, "%.3g | %.3g", c->median, c->longest);
    if (c->solved < c->tried) snprintf(worst, sizeof worst, "%.0e", c->worst);
    printf("| %s | %zu | %d of %d | %s | %s |\n", f->name, c->contacts, c->solved, c->tried, times,
           worst);
  }
  fflush(stdout);
}

static void run_family(scree_context *context, const family *f, const options *o, bool *first) {
  cell cells[MOST_SIZES + 1];
  int count = 0;
  const int last = o->quick && f->sizes > 2 ? 2 : f->sizes;
  for (int k = f->first; k < last; k++, *first = false) {
    options here = *o;
    const size *s = k < MOST_SIZES ? &all_sizes[k] : &largest;
    if (k >= MOST_SIZES && here.seeds > 2) here.seeds = 2; /* minutes each */
    cells[count] = run_cell(context, f, s, &here);
    print_cell(f, &cells[count++], o, *first);
  }
  const double p = exponent(cells, count);
  if (!o->json && isfinite(p)) printf("| %s | | | n^%.2f | | |\n", f->name, p);
  if (o->json && isfinite(p)) printf(",{\"family\":\"%s\",\"exponent\":%.3f}", f->name, p);
}

static int usage(void) {
  fprintf(stderr, "usage: bench_exact_campaign [--quick] [--json] [--seeds N] [--limit S] "
                  "[--solver NAME] [--only WORD]\n");
  return 2;
}

int main(int argc, char **argv) {
  options o = {.solver = "auto", .only = ""};
  for (int k = 1; k < argc; k++) {
    const bool more = k + 1 < argc;
    if (strcmp(argv[k], "--quick") == 0)
      o.quick = true;
    else if (strcmp(argv[k], "--json") == 0)
      o.json = true;
    else if (strcmp(argv[k], "--seeds") == 0 && more)
      o.seeds = atoi(argv[++k]);
    else if (strcmp(argv[k], "--limit") == 0 && more)
      o.limit = atof(argv[++k]);
    else if (strcmp(argv[k], "--solver") == 0 && more)
      o.solver = argv[++k];
    else if (strcmp(argv[k], "--only") == 0 && more)
      o.only = argv[++k];
    else
      return usage();
  }
  if (o.seeds <= 0) o.seeds = o.quick ? 2 : 4;
  if (o.seeds > MOST_SEEDS) return usage();
  scree_context *context = scree_context_create(NULL);
  scree_context_set_threads(context, 1);
  bool first = true;
  if (o.json)
    printf("{\"bench\":\"exact_campaign\",\"solver\":\"%s\",\"results\":[", o.solver);
  else
    printf("| family | contacts | solved | median, s | longest, s | worst R |\n"
           "|---|---|---|---|---|---|\n");
  for (size_t k = 0; k < sizeof families / sizeof families[0]; k++)
    if (strstr(families[k].name, o.only)) run_family(context, &families[k], &o, &first);
  if (o.json) printf("]}\n");
  scree_context_destroy(context);
  return 0;
}

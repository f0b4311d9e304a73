/* Every solver on problems where the difficulty is: iterations and seconds to R = 1e-2, 1e-4 and
 * 1e-6, and why the last was not reached; then the settled beds of the shared directory, when they
 * are there, by the rms natural residual in m/s.
 *
 *   bench_solvers [--json] [--solver NAME] [--problem PART] [--time-limit S] [--total S]
 *                 [--memory GB] [--csv FILE]
 *
 * Relaxed model, cold start, one thread; seconds and limits are CPU time, so that a busy machine
 * does not count. The limit of a solve is --time-limit (1 s), twice that beyond 10,000 blocks, five
 * times beyond 100,000. Every solve runs in a process of its own: one that does not look at the
 * clock is ended at twice its limit, and one that asks for more than --memory (3 GB) fails with
 * what the solver says then. After --total (1,200 s) nothing more is tried. The table goes to FILE
 * (bench_solvers.csv) and, without --json, to stdout; with it stdout gets one object with the
 * figures of the beds and the counts. Residuals are checked every 25 iterations at most, so counts
 * are that coarse.
 *
 * Why a level was missed is read off the history of residuals: the rate of the last half of the
 * iterations, and how many more it would take; or that there was no decrease, and how far it went
 * up and down. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/apart.h"
#include "tests/support/bed.h"
#include "tests/support/packing.h"
#include "tests/support/scenes.h"

enum { LEVELS = 3, HISTORY = 256 };
static const double levels[LEVELS] = {1e-2, 1e-4, 1e-6};

typedef struct options {
  bool json;
  const char *solver, *problem, *csv;
  double time_limit, memory;
  time_t deadline;
} options;

typedef struct watch {
  double level[LEVELS];
  bool by_rms;
  long iterations[LEVELS];
  double seconds[LEVELS];
  /* Every `stride`-th check. */
  long at[HISTORY];
  double value[HISTORY];
  size_t count, stride, checks;
  double best, rise; /* the largest factor from a best to a later value */
  double start, limit, spent;
  long last; /* iteration */
  bool late;
} watch;

static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void remember(watch *w, long iteration, double value) {
  if (value < w->best) w->best = value;
  if (w->best > 0.0 && value / w->best > w->rise) w->rise = value / w->best;
  if (w->checks++ % w->stride) return;
  if (w->count == HISTORY) {
    for (size_t k = 0; k < HISTORY / 2; k++) {
      w->at[k] = w->at[2 * k];
      w->value[k] = w->value[2 * k];
    }
    w->count = HISTORY / 2;
    w->stride *= 2;
  }
  w->at[w->count] = iteration;
  w->value[w->count++] = value;
}

static bool observe(void *user, const scree_progress *p) {
  watch *w = user;
  const double value = w->by_rms ? p->residual.rms : p->residual.scaled;
  const double seconds = cpu_now() - w->start;
  remember(w, p->iteration, value);
  w->last = p->iteration;
  for (int k = 0; k < LEVELS; k++)
    if (value <= w->level[k] && w->iterations[k] < 0) {
      w->iterations[k] = p->iteration;
      w->seconds[k] = seconds;
    }
  w->late = seconds > w->limit;
  return w->iterations[LEVELS - 1] < 0 && !w->late;
}

static watch watch_make(const double *level, bool by_rms) {
  watch w = {.by_rms = by_rms, .stride = 1, .best = INFINITY};
  for (int k = 0; k < LEVELS; k++) {
    w.level[k] = level[k];
    w.iterations[k] = -1;
  }
  return w;
}

/* One solve, in memory that its process shares with this one. */
typedef struct trial {
  scree_context *context;
  size_t solver;
  const scree_ccp *problem;
  double limit, memory;
  watch watch;
  scree_solve_info info;
} trial;

static void solve(void *user) {
  trial *t = user;
  watch *w = &t->watch;
  scree_solver *s = NULL;
  double *g = calloc(scree_ccp_row_count(t->problem) + 1, sizeof *g);
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_RELAXED;
  settings.alone = true; /* methods are compared */
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = w->by_rms ? 1e-9 : 0.999 * levels[LEVELS - 1];
  settings.time_limit = 10.0 * t->limit;
  w->limit = t->limit;
  w->start = cpu_now();
  settings.progress = observe;
  settings.progress_user = w;
  const bool ok = g && !scree_solver_create(t->context, scree_solver_name(t->solver), &s) &&
                  !scree_solver_solve(s, t->problem, &settings, g, &t->info);
  w->spent = cpu_now() - w->start;
  const char *message = g ? scree_context_message(t->context) : "no memory";
  const bool starved = strstr(message, "no memory");
  if (!ok || starved) {
    t->info.outcome = SCREE_OUTCOME_STALLED;
    if (starved)
      snprintf(t->info.detail, sizeof t->info.detail, "within %.1f GB %s", t->memory, message);
    else
      snprintf(t->info.detail, sizeof t->info.detail, "failed: %s", message);
  }
  scree_solver_destroy(s);
  free(g);
}

/* True: the solver takes the problem. */
static bool measure(const options *o, trial *t) {
  if (scree_solver_refusal(t->solver, t->problem, SCREE_MODEL_RELAXED)) return false;
  const apart_end end = apart_run(2.0 * t->limit + 0.5, (size_t)(1e9 * o->memory), solve, t);
  if (end == APART_DONE) return true;
  t->info.outcome = SCREE_OUTCOME_STALLED;
  if (end == APART_LATE) {
    t->watch.late = true;
    t->watch.spent = 2.0 * t->limit + 0.5;
    t->info.iterations = t->watch.last;
    t->info.residual.scaled = t->watch.by_rms ? NAN : t->watch.best;
    t->info.residual.rms = t->watch.by_rms ? t->watch.best : NAN;
  } else
    snprintf(t->info.detail, sizeof t->info.detail, "ended by the system within %.1f GB",
             o->memory);
  return true;
}

/* The lowest value in a part of the history. */
static double lowest(const watch *w, size_t begin, size_t end) {
  double low = INFINITY;
  for (size_t k = begin; k < end; k++) low = fmin(low, w->value[k]);
  return low;
}

/* Lowest values of the last two quarters of the iterations tell the rate: single ones may jump. */
static void why(const watch *w, const scree_solve_info *info, char *text, size_t room) {
  text[0] = 0;
  if (w->iterations[LEVELS - 1] >= 0) return;
  const bool late = w->late || info->outcome == SCREE_OUTCOME_TIME_LIMIT;
  const char *end = late ? "out of time" : info->detail;
  const long last = w->count ? w->at[w->count - 1] : 0;
  size_t half = 0, quarter = 0;
  while (half < w->count && w->at[half] < last / 2) half++;
  while (quarter < w->count && w->at[quarter] < last / 4 * 3) quarter++;
  if (half == quarter || quarter == w->count) {
    if (info->iterations)
      snprintf(text, room, "%s after %ld iterations", end, info->iterations);
    else
      snprintf(text, room, "%s", end);
    return;
  }
  const double before = lowest(w, half, quarter), after = lowest(w, quarter, w->count);
  const double steps = 0.25 * (double)last;
  const double goal = w->level[LEVELS - 1];
  char swing[48] = "";
  if (w->rise > 3.0) snprintf(swing, sizeof swing, ", jumps by up to %.1g", w->rise);
  if (after < 0.97 * before)
    snprintf(text, room, "%s: last rate %.6f per iteration, %.1e more expected%s", end,
             pow(after / before, 1.0 / steps), steps * log(after / goal) / log(before / after),
             swing);
  else
    snprintf(text, room, "%s: no decrease in the last half of %ld iterations%s", end, last, swing);
}

static void report(FILE *csv, const options *o, const char *problem, size_t blocks, size_t solver,
                   const watch *w, const scree_solve_info *info) {
  const bool reached = w->iterations[LEVELS - 1] >= 0;
  char reason[512];
  why(w, info, reason, sizeof reason);
  const char *outcome = reached   ? "solved"
                        : w->late ? scree_outcome_text(SCREE_OUTCOME_TIME_LIMIT)
                                  : scree_outcome_text(info->outcome);
  fprintf(csv, "\"%s\",%zu,%s,%s", problem, blocks, scree_solver_name(solver), outcome);
  for (int k = 0; k < LEVELS; k++) {
    if (w->iterations[k] >= 0)
      fprintf(csv, ",%ld,%.4g", w->iterations[k], w->seconds[k]);
    else
      fprintf(csv, ",,");
  }
  fprintf(csv, ",%ld,%.4g,%.3e,%.3e,\"%s\"\n", info->iterations, w->spent, info->residual.scaled,
          info->residual.rms, reason);
  fflush(csv);
  if (o->json) return;
  printf("%-34s %-9s", problem, scree_solver_name(solver));
  for (int k = 0; k < LEVELS; k++) {
    if (w->iterations[k] >= 0)
      printf(" %7ld %8.4f s", w->iterations[k], w->seconds[k]);
    else
      printf(" %7s %10s", "-", "");
  }
  printf("  %s\n", reason);
  fflush(stdout);
}

static bool wanted(const options *o, const char *problem) {
  return !o->problem || strstr(problem, o->problem);
}

static double limit_for(const options *o, const scree_ccp *problem) {
  const size_t blocks = scree_ccp_block_count(problem);
  return o->time_limit * (blocks > 100000 ? 5.0 : blocks > 10000 ? 2.0 : 1.0);
}

/* Runs all solvers; counts those that reach the last level in *solved. */
static void run_all(trial *t, FILE *csv, const options *o, const char *name, const double *level,
                    bool by_rms, int *runs, int *solved) {
  const size_t blocks = scree_ccp_block_count(t->problem);
  t->limit = limit_for(o, t->problem);
  if (!o->json) printf("\n%s: %zu blocks, limit %.1f s\n", name, blocks, t->limit);
  for (t->solver = 0; t->solver < scree_solver_count(); t->solver++) {
    if (o->solver && strcmp(o->solver, scree_solver_name(t->solver)) != 0) continue;
    t->watch = watch_make(level, by_rms);
    t->info = (scree_solve_info){.outcome = SCREE_OUTCOME_STALLED,
                                 .detail = "not tried, the time for all was over"};
    if (time(NULL) < o->deadline && !measure(o, t)) continue;
    report(csv, o, name, blocks, t->solver, &t->watch, &t->info);
    *runs += 1;
    *solved += t->watch.iterations[LEVELS - 1] >= 0;
  }
}

/* ---- problems -------------------------------------------------------------------------------- */

typedef struct packing_case {
  const char *name;
  int size;
  double mu;
  packing_masses masses;
  double ratio, rolling, spinning, compliance;
  bool frictionless;
} packing_case;

static const packing_case packings[] = {
    {.name = "packing 1k mu 0.3", .size = 6, .mu = 0.3},
    {.name = "packing 1k mu 0.8", .size = 6, .mu = 0.8},
    {.name = "packing 1k frictionless", .size = 6, .frictionless = true},
    {.name = "packing 1k rolling", .size = 6, .mu = 0.3, .rolling = 0.02, .spinning = 0.02},
    {.name = "packing 1k compliant", .size = 6, .mu = 0.3, .compliance = 1e-5},
    {.name = "layered mass ratio 1", .size = 3, .mu = 0.3},
    {.name = "layered mass ratio 10",
     .size = 3,
     .mu = 0.3,
     .masses = PACKING_TOP_HEAVY,
     .ratio = 1e1},
    {.name = "layered mass ratio 1e2",
     .size = 3,
     .mu = 0.3,
     .masses = PACKING_TOP_HEAVY,
     .ratio = 1e2},
    {.name = "layered mass ratio 1e3",
     .size = 3,
     .mu = 0.3,
     .masses = PACKING_TOP_HEAVY,
     .ratio = 1e3},
    {.name = "layered mass ratio 1e4",
     .size = 3,
     .mu = 0.3,
     .masses = PACKING_TOP_HEAVY,
     .ratio = 1e4},
    {.name = "random mass ratio 10", .size = 6, .mu = 0.3, .masses = PACKING_RANDOM, .ratio = 1e1},
    {.name = "random mass ratio 1e2", .size = 6, .mu = 0.3, .masses = PACKING_RANDOM, .ratio = 1e2},
    {.name = "random mass ratio 1e3", .size = 6, .mu = 0.3, .masses = PACKING_RANDOM, .ratio = 1e3},
    {.name = "random mass ratio 1e4", .size = 6, .mu = 0.3, .masses = PACKING_RANDOM, .ratio = 1e4},
    {.name = "packing 20k mu 0.3", .size = 16, .mu = 0.3},
    {.name = "packing 20k mu 0.8", .size = 16, .mu = 0.8},
    {.name = "packing 200k mu 0.3", .size = 33, .mu = 0.3},
    {.name = "packing 200k mu 0.8", .size = 33, .mu = 0.8},
};

typedef struct scene_case {
  const char *name;
  scree_status (*create)(scree_context *context, int size, scree_ccp **problem);
  int size;
} scene_case;

static const scene_case others[] = {
    {"box stack 10", scene_box_stack, 10},
    {"box stack 30", scene_box_stack, 30},
    {"redundant joints 20", scene_redundant_joints, 20},
    {"planar 30 wide", scene_planar, 30},
    {"boxes on a prescribed body", scene_conveyor, 5},
};

static scree_status make_packing(scree_context *context, const packing_case *c,
                                 scree_ccp **problem) {
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = c->size;
  def.mu = c->mu;
  def.masses = c->masses;
  def.mass_ratio = c->ratio > 0.0 ? c->ratio : 1.0;
  def.rolling = c->rolling;
  def.spinning = c->spinning;
  def.compliance = c->compliance;
  def.frictionless = c->frictionless;
  return packing_create(context, &def, problem);
}

/* The beds: one figure a solver at the rms that a peer's APGD reaches in 3,000 and 1,000
 * iterations. */
static void run_beds(trial *t, FILE *csv, const options *o, int *runs, int *solved,
                     double *apgd_seconds, long *apgd_iterations) {
  static const int counts[2] = {1000, 4000};
  static const double level[2][LEVELS] = {{2.8e-4, 4e-5, 4.3e-6}, {5.2e-3, 3.2e-3, 2.2e-3}};
  const char *shared = shared_directory(SCREE_SOURCE_DIR);
  for (int k = 0; k < 2; k++) {
    char name[32];
    snprintf(name, sizeof name, "bed settled_%d", counts[k]);
    apgd_seconds[k] = -1.0;
    apgd_iterations[k] = -1;
    scree_ccp *problem = NULL;
    if (!wanted(o, name) || !shared || bed_create(t->context, shared, counts[k], &problem))
      continue;
    t->problem = problem;
    if (!o->json)
      printf("\n%s: rms %.1e, %.1e, %.1e m/s", name, level[k][0], level[k][1], level[k][2]);
    run_all(t, csv, o, name, level[k], true, runs, solved);
    for (int repeat = 0; repeat < 3; repeat++) {
      for (t->solver = 0; strcmp(scree_solver_name(t->solver), "apgd") != 0;) t->solver++;
      t->watch = watch_make(level[k], true);
      t->limit = 20.0;
      if (!measure(o, t) || t->watch.iterations[LEVELS - 1] < 0) break;
      apgd_iterations[k] = t->watch.iterations[LEVELS - 1];
      if (apgd_seconds[k] < 0.0 || t->watch.seconds[LEVELS - 1] < apgd_seconds[k])
        apgd_seconds[k] = t->watch.seconds[LEVELS - 1];
    }
    if (!o->json)
      printf("%s: apgd, best of three: %ld iterations, %.4f s\n", name, apgd_iterations[k],
             apgd_seconds[k]);
    scree_ccp_destroy(problem);
  }
}

static bool parse(int argc, char **argv, options *o) {
  double total = 1200.0;
  *o = (options){.csv = "bench_solvers.csv", .time_limit = 1.0, .memory = 3.0};
  for (int k = 1; k < argc; k++) {
    const bool more = k + 1 < argc;
    if (strcmp(argv[k], "--json") == 0)
      o->json = true;
    else if (more && strcmp(argv[k], "--solver") == 0)
      o->solver = argv[++k];
    else if (more && strcmp(argv[k], "--problem") == 0)
      o->problem = argv[++k];
    else if (more && strcmp(argv[k], "--csv") == 0)
      o->csv = argv[++k];
    else if (more && strcmp(argv[k], "--time-limit") == 0)
      o->time_limit = strtod(argv[++k], NULL);
    else if (more && strcmp(argv[k], "--total") == 0)
      total = strtod(argv[++k], NULL);
    else if (more && strcmp(argv[k], "--memory") == 0)
      o->memory = strtod(argv[++k], NULL);
    else
      return false;
  }
  o->deadline = time(NULL) + (time_t)total;
  return o->time_limit > 0.0 && total > 0.0 && o->memory > 0.0;
}

int main(int argc, char **argv) {
  options o;
  if (!parse(argc, argv, &o)) {
    fprintf(stderr, "usage: bench_solvers [--json] [--solver NAME] [--problem PART] "
                    "[--time-limit S] [--total S] [--memory GB] [--csv FILE]\n");
    return 2;
  }
  FILE *csv = fopen(o.csv, "w");
  scree_context *context = scree_context_create(NULL);
  trial *t = apart_memory(sizeof *t);
  if (!csv || !context || !t) {
    fprintf(stderr, "bench_solvers: cannot write %s\n", o.csv);
    return 1;
  }
  scree_context_set_threads(context, 1);
  t->context = context;
  t->memory = o.memory;
  fprintf(csv, "problem,blocks,solver,outcome,iterations_1,seconds_1,iterations_2,seconds_2,"
               "iterations_3,seconds_3,iterations,seconds,R,rms,why\n");
  if (!o.json)
    printf("%-34s %-9s %18s %18s %18s\n", "problem", "solver", "R 1e-2", "R 1e-4", "R 1e-6");
  int runs = 0, solved = 0;
  for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
    scree_ccp *problem = NULL;
    if (!wanted(&o, others[k].name) || others[k].create(context, others[k].size, &problem))
      continue;
    t->problem = problem;
    run_all(t, csv, &o, others[k].name, levels, false, &runs, &solved);
    scree_ccp_destroy(problem);
  }
  for (size_t k = 0; k < sizeof packings / sizeof packings[0]; k++) {
    scree_ccp *problem = NULL;
    if (!wanted(&o, packings[k].name) || make_packing(context, &packings[k], &problem)) continue;
    t->problem = problem;
    run_all(t, csv, &o, packings[k].name, levels, false, &runs, &solved);
    scree_ccp_destroy(problem);
  }
  double seconds[2];
  long iterations[2];
  run_beds(t, csv, &o, &runs, &solved, seconds, iterations);
  if (o.json)
    printf("{\"runs\": %d, \"reached_the_last_level\": %d, \"bed_1000_apgd_iterations\": %ld, "
           "\"bed_1000_apgd_seconds\": %.4f, \"bed_4000_apgd_iterations\": %ld, "
           "\"bed_4000_apgd_seconds\": %.4f, \"csv\": \"%s\"}\n",
           runs, solved, iterations[0], seconds[0], iterations[1], seconds[1], o.csv);
  fclose(csv);
  apart_memory_free(t, sizeof *t);
  scree_context_destroy(context);
  return 0;
}

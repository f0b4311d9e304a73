/* What accuracy costs: time and memory of ipm, apgd and auto on packings of 64 to 10,648 balls,
 * relaxed model, mu 0.3, to R = 1e-2 … 1e-10, one thread; and how the iterations of ipm grow.
 * Seconds are the processor's own, which other processes on the machine change little.
 *
 * ipm and apgd run once to the last accuracy; the time at which each was first reached counts. auto
 * chooses by the tolerance and is run for each. Memory: the most that the context's allocator had
 * given out, the problem with it. Written: accuracy.csv and .png.
 *
 * bench_accuracy [DIRECTORY] [BODIES] [SECONDS]: at most so many balls (default 4096), at most so
 * long for a solve (default 60); with --json as first argument: one JSON object on stdout, files in
 * the working directory. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "tests/support/packing.h"

enum { LEVELS = 5, SOLVERS = 3 };
static const double level[LEVELS] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-10};
static const char *const solver_name[SOLVERS] = {"apgd", "ipm", "auto"};
static const int edges[] = {4, 8, 12, 16, 22};
static double time_limit = 60.0;

typedef struct outcome {
  double begin;           /* of the solve, processor time */
  double seconds[LEVELS]; /* NAN: not reached */
  long count[LEVELS];     /* iterations until then */
  double bytes;
  long iterations; /* in all */
} outcome;

static double processor_seconds(void) {
  return (double)clock() / (double)CLOCKS_PER_SEC;
}

static bool watch(void *user, const scree_progress *progress) {
  outcome *o = user;
  for (int k = 0; k < LEVELS; k++)
    if (isnan(o->seconds[k]) && progress->residual.scaled <= level[k]) {
      o->seconds[k] = processor_seconds() - o->begin;
      o->count[k] = progress->iteration;
    }
  return true;
}

static int solve_once(int edge, const char *name, double tolerance, bool watched, outcome *out) {
  scree_context_def def = scree_context_def_default();
  def.threads = 1;
  scree_context *context = scree_context_create(&def);
  scree_ccp *problem = NULL;
  scree_solver *solver = NULL;
  packing_def packing = packing_def_default();
  packing.nx = packing.ny = packing.nz = edge;
  scree_status status = packing_create(context, &packing, &problem);
  if (!status) status = scree_solver_create(context, name, &solver);
  double *g = calloc(problem ? scree_ccp_row_count(problem) + 1 : 1, sizeof *g);
  scree_solve_settings settings = scree_solve_settings_default();
  scree_solve_info info = {0};
  settings.model = SCREE_MODEL_RELAXED;
  settings.alone = true; /* methods are compared */
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = tolerance;
  settings.time_limit = time_limit;
  settings.progress = watched ? watch : NULL;
  settings.progress_user = out;
  out->begin = processor_seconds();
  if (!status) status = scree_solver_solve(solver, problem, &settings, g, &info);
  const double seconds = processor_seconds() - out->begin;
  if (status) fprintf(stderr, "bench_accuracy: %s\n", scree_context_message(context));
  out->bytes = (double)scree_context_peak_bytes(context);
  out->iterations = info.iterations;
  for (int k = 0; k < LEVELS && !watched; k++)
    if (level[k] == tolerance && info.outcome == SCREE_OUTCOME_SOLVED) {
      out->seconds[k] = seconds;
      out->count[k] = info.iterations;
    }
  free(g);
  scree_solver_destroy(solver);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
  return status != SCREE_OK;
}

static int solve_levels(int edge, int s, outcome *out) {
  *out = (outcome){.seconds = {NAN, NAN, NAN, NAN, NAN}};
  if (s < 2) return solve_once(edge, solver_name[s], level[LEVELS - 1], true, out);
  int failed = 0;
  double most = 0.0;
  for (int k = 0; k < LEVELS && (k == 0 || !isnan(out->seconds[k - 1])); k++) {
    failed += solve_once(edge, solver_name[s], level[k], false, out);
    most = fmax(most, out->bytes);
  }
  out->bytes = most;
  return failed;
}

/* The least of five where that takes no time: others may use the machine. */
static int solve(int edge, int s, outcome *out) {
  enum { REPEATS = 5 };
  int failed = solve_levels(edge, s, out);
  for (int again = 1; again < REPEATS && out->seconds[LEVELS - 1] < 0.5; again++) {
    outcome other;
    failed += solve_levels(edge, s, &other);
    for (int k = 0; k < LEVELS; k++) out->seconds[k] = fmin(out->seconds[k], other.seconds[k]);
  }
  return failed;
}

/* sizes: "64 512 …", those that were run. Missing values are "nan". */
static void draw(const char *directory, const char *sizes) {
  FILE *gnuplot = popen("gnuplot 2>/dev/null", "w");
  if (!gnuplot) return;
  fprintf(gnuplot,
          "f = '%s/accuracy.csv'\nset term pngcairo size 1900,1000 font ',12'\n"
          "set output '%s/accuracy.png'\nset datafile separator ','\n"
          "set datafile missing NaN\nset multiplot layout 2,4\n"
          "set logscale xy\nset format x '10^{%%T}'\nset format y '10^{%%T}'\nset grid\n"
          "set key below\nset xlabel 'R'\nset ylabel 'processor seconds, one thread'\n"
          "set xrange [1e-1:1e-11]\n"
          "do for [n in '%s'] {\nset title n.' balls'\n"
          "plot for [s in 'apgd ipm auto'] f skip 1 using "
          "((strcol(1) eq s && strcol(2) eq n) ? $4 : NaN):5 with linespoints lw 2 title s\n}\n",
          directory, directory, sizes);
  fprintf(gnuplot, "set title 'memory to R = 10^{-10}'\nset xlabel 'balls'\nset ylabel 'bytes'\n"
                   "set xrange [50:15000]\n"
                   "plot for [s in 'apgd ipm auto'] f skip 1 using "
                   "((strcol(1) eq s && $4 == 1e-2) ? $2 : NaN):6 with linespoints lw 2 title s\n"
                   "set title 'iterations of ipm'\nset ylabel 'iterations'\nunset logscale y\n"
                   "set format y '%%g'\nset yrange [0:60]\n"
                   "plot for [k = 2:10:2] f skip 1 using "
                   "((strcol(1) eq 'ipm' && abs($4 * 10.0**k - 1.0) < 1e-6) ? $2 : NaN):"
                   "($7 > 0 ? $7 : NaN) with linespoints lw 2 title sprintf('R = 1e-%%d', k)\n");
  if (pclose(gnuplot) != 0) fprintf(stderr, "bench_accuracy: no picture: gnuplot failed\n");
}

static int run(const char *directory, long most, bool json) {
  char path[512];
  snprintf(path, sizeof path, "%s/accuracy.csv", directory);
  FILE *file = fopen(path, "w");
  if (!file) {
    fprintf(stderr, "bench_accuracy: %s: %s\n", path, strerror(errno));
    return 1;
  }
  fprintf(file, "solver,balls,iterations,R,seconds,bytes,iterations_to_R\n");
  if (json) printf("{\"bench\":\"accuracy\",\"results\":[");
  int failed = 0;
  bool first = true;
  char sizes[64] = "";
  for (size_t e = 0; e < sizeof edges / sizeof *edges; e++) {
    const long balls = (long)edges[e] * edges[e] * edges[e];
    const size_t used = strlen(sizes);
    if (balls <= most) snprintf(sizes + used, sizeof sizes - used, "%s%ld", used ? " " : "", balls);
    for (int s = 0; s < SOLVERS && balls <= most; s++) {
      outcome o;
      failed += solve(edges[e], s, &o);
      if (!json)
        printf("%6ld balls %-5s %6ld iterations %8.1f MB ", balls, solver_name[s], o.iterations,
               1e-6 * o.bytes);
      for (int k = 0; k < LEVELS; k++) {
        fprintf(file, "%s,%ld,%ld,%g,%.6g,%.0f,%ld\n", solver_name[s], balls, o.iterations,
                level[k], o.seconds[k], o.bytes, o.count[k]);
        if (!json) printf(" %9.4f (%ld)", o.seconds[k], o.count[k]);
        if (json && !isnan(o.seconds[k])) {
          printf("%s{\"solver\":\"%s\",\"balls\":%ld,\"R\":%g,\"seconds\":%.6g,\"bytes\":%.0f,"
                 "\"iterations\":%ld}",
                 first ? "" : ",", solver_name[s], balls, level[k], o.seconds[k], o.bytes,
                 o.count[k]);
          first = false;
        }
      }
      if (!json) printf("\n");
      fflush(stdout);
      fflush(file);
    }
  }
  if (json) printf("]}\n");
  fclose(file);
  draw(directory, sizes);
  return failed > 0;
}

int main(int argc, char **argv) {
  const bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
  const char *directory = json ? "." : argc > 1 ? argv[1] : "out";
  const long most = argc > 2 ? atol(argv[2]) : json ? 512 : 4096;
  if (argc > 3) time_limit = atof(argv[3]);
  if (mkdir(directory, 0777) && errno != EEXIST) {
    fprintf(stderr, "bench_accuracy: %s: %s\n", directory, strerror(errno));
    return 1;
  }
  return run(directory, most, json);
}

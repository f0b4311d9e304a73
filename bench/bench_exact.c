/* Pictures and tables about exact friction, written to a directory (default out):
 *
 *   relaxation   |y_relaxed - y_exact| against the step                  relaxation.csv, .png
 *   bead         the landscape of |F(s) - s|^2 / 2 of a bead in a corner  bead.dat, .png
 *   newton       |F(s) - s| of a packing of 112 contacts, fixed point and Newton
 *                                                                        newton.csv, .png
 *   painleve     Painlevé and Klein's bar over a grid of angles and frictions, for both directions
 * of the conveyor: is there a solution, and its force   painleve.csv, .png
 *
 * bench_exact [DIRECTORY]; with --json: one JSON object on stdout, files in the working directory.
 * Without gnuplot the data is written all the same. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/bead.h"
#include "tests/support/packing.h"
#include "tests/support/relaxation.h"

static const char *directory = "out";
static bool json = false;

/* What the JSON object says. */
static struct {
  double error[2]; /* of the smallest step */
  double order[2];
  long evaluations[2];
  double seconds[2];
  long bars,
      wrong; /* points of the grid; those where existence was answered wrongly or not at all */
  double force_error;
} summary;

static int fail(const char *what) {
  fprintf(stderr, "bench_exact: %s\n", what);
  return 1;
}

static FILE *open_file(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "w");
  if (!file) fprintf(stderr, "bench_exact: %s: %s\n", path, strerror(errno));
  return file;
}

/* The script goes to gnuplot by its stdin, with d the directory. */
static void draw(const char *script) {
  FILE *gnuplot = popen("gnuplot 2>/dev/null", "w");
  if (!gnuplot) {
    fprintf(stderr, "bench_exact: no picture: gnuplot cannot be started\n");
    return;
  }
  fprintf(gnuplot, "d = '%s/'\n%s", directory, script);
  if (pclose(gnuplot) != 0) fprintf(stderr, "bench_exact: no picture: gnuplot failed\n");
}

static int relaxation(scree_context *context) {
  static const double frictions[2] = {0.3, 0.75};
  FILE *file = open_file("relaxation.csv");
  if (!file) return 1;
  fprintf(file, "h,mu_0.3,mu_0.75\n");
  if (!json) printf("%-12s %-14s %-14s  |y_relaxed - y_exact|\n", "h", "mu 0.3", "mu 0.75");
  for (int k = 0; k < 8; k++) {
    double error[2];
    for (int m = 0; m < 2; m++) {
      size_t unsolved;
      if (relaxation_error(context, frictions[m], k, &error[m], &unsolved) || unsolved) {
        fclose(file);
        return fail(unsolved ? "a step was not solved" : scree_context_message(context));
      }
    }
    if (!json) printf("%-12.6g %-14.6e %-14.6e\n", ldexp(0.1, -k), error[0], error[1]);
    for (int m = 0; m < 2; m++) {
      summary.order[m] = k ? log2(summary.error[m] / error[m]) : 0.0;
      summary.error[m] = error[m];
    }
    fprintf(file, "%.17g,%.6e,%.6e\n", ldexp(0.1, -k), error[0], error[1]);
  }
  fclose(file);
  draw("set term pngcairo size 800,600\nset output d.'relaxation.png'\nset datafile separator ','\n"
       "set logscale xy\nset grid\nset key left top\nset xlabel 'step, s'\n"
       "set ylabel '|y relaxed - y exact|'\n"
       "plot d.'relaxation.csv' skip 1 using 1:2 with linespoints lw 2 title 'mu 0.3',"
       " '' skip 1 using 1:3 with linespoints lw 2 title 'mu 0.75', 3*x with lines dt 2 lc 'gray' "
       "title 'order 1'\n");
  return 0;
}

/* F(s), s = |u_T|, by the relaxed problem with q_n + mu s. */
static int map(scree_context *context, scree_solver *solver, const bead *b, const double s[2],
               double f[2]) {
  planar shifted = b->problem;
  scree_ccp *problem = NULL;
  scree_solve_info info;
  scree_solve_settings settings = scree_solve_settings_default();
  double g[4] = {0}, u[4];
  settings.model = SCREE_MODEL_RELAXED;
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = 1e-10;
  for (int i = 0; i < 2; i++) shifted.q[2 * i] += shifted.mu[i] * s[i];
  if (planar_create(context, &shifted, &problem)) return 1;
  const scree_status status = scree_solver_solve(solver, problem, &settings, g, &info);
  scree_ccp_destroy(problem);
  planar_velocity(&b->problem, g, u);
  for (int i = 0; i < 2; i++) f[i] = fabs(u[2 * i + 1]);
  return status || info.outcome != SCREE_OUTCOME_SOLVED;
}

static int landscape(scree_context *context) {
  enum { CELLS = 80 };
  const bead b = bead_in_corner(0.35, 0.6, 0.1, 1.0);
  scree_solver *solver = NULL;
  FILE *file = open_file("bead.dat");
  if (!file) return 1;
  if (scree_solver_create(context, "prox", &solver)) {
    fclose(file);
    return fail(scree_context_message(context));
  }
  int failed = 0;
  fprintf(file, "# s1 s2 |F(s)-s|^2/2\n");
  for (int i = 0; i <= CELLS; i++) {
    for (int j = 0; j <= CELLS; j++) {
      const double s[2] = {1.4 * i / CELLS, 1.4 * j / CELLS};
      double f[2] = {0.0, 0.0};
      failed += map(context, solver, &b, s, f);
      fprintf(file, "%.6g %.6g %.6e\n", s[0], s[1],
              0.5 * ((f[0] - s[0]) * (f[0] - s[0]) + (f[1] - s[1]) * (f[1] - s[1])));
    }
    fprintf(file, "\n");
  }
  scree_solver_destroy(solver);
  fclose(file);
  if (!json)
    printf("bead: %d relaxed problems, %d unsolved; fixed points at s = (0, 0), jammed, and (%.4f, "
           "%.4f), free\n",
           (CELLS + 1) * (CELLS + 1), failed, fabs(b.problem.q[1]), fabs(b.problem.q[3]));
  draw("set term pngcairo size 900,700\nset output d.'bead.png'\nset xlabel 's1, m/s'\n"
       "set ylabel 's2, m/s'\nset zlabel '|F(s)-s|^2/2' rotate\nset hidden3d\nset view 55,35\n"
       "set palette defined (0 'dark-blue', 1 'light-blue', 2 'yellow')\nset pm3d\n"
       "set title 'A bead in a corner, mu 0.6: non-smooth, non-convex, two fixed points'\n"
       "splot d.'bead.dat' with pm3d notitle\n");
  return failed > 0;
}

typedef struct history {
  FILE *file;
  const char *method;
} history;

static void record(void *user, scree_log_level level, const char *message) {
  const history *h = user;
  long evaluation;
  double distance;
  (void)level;
  if (sscanf(message, "fixed-point: evaluation %ld, |F(s) - s| %lf", &evaluation, &distance) != 2)
    return;
  fprintf(h->file, "%s,%ld,%.6e\n", h->method, evaluation, distance);
  if (!json) printf("%-8s %4ld  %.3e\n", h->method, evaluation, distance);
}

static int converge(FILE *file, int which) {
  const char *const method = which ? "newton" : "fixed";
  history h = {file, method};
  scree_context_def def = scree_context_def_default();
  def.log = record;
  def.log_user = &h;
  scree_context *context = scree_context_create(&def);
  scree_ccp *problem = NULL;
  scree_solver *solver = NULL;
  packing_def packing = packing_def_default();
  packing.nx = packing.ny = packing.nz = 3;
  scree_status status = packing_create(context, &packing, &problem);
  if (!status) status = scree_solver_create(context, "fixed-point", &solver);
  if (!status) status = scree_solver_set(solver, "method", method);
  double *g = calloc(problem ? scree_ccp_row_count(problem) + 1 : 1, sizeof *g);
  if (!status && g) {
    scree_solve_settings settings = scree_solve_settings_default();
    scree_solve_info info = {0};
    settings.tolerance_error = 0.0;
    settings.tolerance_residual = 1e-10;
    status = scree_solver_solve(solver, problem, &settings, g, &info);
    summary.evaluations[which] = info.iterations;
    summary.seconds[which] = info.seconds;
    if (!status && !json)
      printf("%s: %zu contacts, %s, R %.1e, %.4f s; %s\n", method, scree_ccp_block_count(problem),
             scree_outcome_text(info.outcome), info.residual.scaled, info.seconds, info.detail);
  }
  if (status) fail(scree_context_message(context));
  free(g);
  scree_solver_destroy(solver);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
  return status != SCREE_OK;
}

static int newton(void) {
  FILE *file = open_file("newton.csv");
  if (!file) return 1;
  fprintf(file, "method,evaluation,distance\n");
  const int failed = converge(file, 0) + converge(file, 1);
  fclose(file);
  draw("set term pngcairo size 800,600\nset output d.'newton.png'\nset datafile separator ','\n"
       "set logscale y\nset format y '10^{%T}'\nset grid\nset xlabel 'evaluations of F'\n"
       "set ylabel '|F(s) - s|, m/s'\n"
       "plot d.'newton.csv' skip 1 using 2:(strcol(1) eq 'fixed' ? $3 : 1/0) with linespoints lw 2 "
       "title 'fixed point', '' skip 1 using 2:(strcol(1) eq 'newton' ? $3 : 1/0) with linespoints "
       "lw 2 title 'Newton'\n");
  return failed;
}

/* v = cos(a) r_x + sin(a) r_y - sin(a),  u_x = cos(a) v + u0,  u_y = sin(a) v: a solution exists
 * iff u0 <= 0 or tan a > mu, with r_y = tan a / (tan a - sign(u0) mu). */
static int bar(scree_context *context, double u0, double a, double mu, FILE *file) {
  const double h[2] = {sin(a), cos(a)};
  const planar p = {.contacts = 1,
                    .w = {h[0] * h[0], h[0] * h[1], h[1] * h[0], h[1] * h[1]},
                    .q = {-h[0] * h[0], u0 - h[1] * h[0]},
                    .mu = {mu}};
  static const char *const verdicts[] = {"exists", "unknown", "none"};
  const bool exists = u0 <= 0.0 || tan(a) > mu;
  const double force = exists ? tan(a) / (tan(a) - (u0 > 0.0 ? mu : -mu)) : NAN;
  double g[2] = {0.0, 0.0}, error = NAN;
  scree_ccp *problem = NULL;
  scree_solver *solver = NULL;
  scree_existence answer = {0};
  scree_solve_info info = {0};
  scree_solve_settings settings = scree_solve_settings_default();
  settings.tolerance_error = 0.0;
  settings.tolerance_residual = 1e-13;
  scree_status status = planar_create(context, &p, &problem);
  if (!status)
    status =
        scree_ccp_check_existence(context, problem, SCREE_MODEL_COULOMB, NULL, NULL, NULL, &answer);
  if (!status && exists) status = scree_solver_create(context, "auto", &solver);
  if (!status && exists) {
    status = scree_solver_solve(solver, problem, &settings, g, &info);
    error = fabs(g[0] - force) / force;
    summary.force_error = fmax(summary.force_error, error);
  }
  summary.bars++;
  summary.wrong += answer.verdict != (exists ? SCREE_EXISTENCE_EXISTS : SCREE_EXISTENCE_NONE);
  fprintf(file, "%g,%.6f,%.6f,%s,%.15g,%.15g,%.3e\n", u0, a, mu, verdicts[answer.verdict],
          exists ? g[0] : NAN, force, error);
  scree_solver_destroy(solver);
  scree_ccp_destroy(problem);
  return status != SCREE_OK;
}

static int painleve(scree_context *context) {
  FILE *file = open_file("painleve.csv");
  if (!file) return 1;
  int failed = 0;
  fprintf(file, "u0,angle,mu,existence,r_y,closed_form,relative_error\n");
  for (int sign = -1; sign <= 1; sign += 2)
    for (int i = 1; i <= 20; i++) {
      for (int k = 1; k <= 30; k++) failed += bar(context, sign, 0.05 * k, 0.1013 * i, file);
      fprintf(file, "\n");
    }
  fclose(file);
  if (!json)
    printf(
        "bar: %ld points, %ld answered wrongly or not at all, worst relative error of r_y %.1e\n",
        summary.bars, summary.wrong, summary.force_error);
  draw("set term pngcairo size 1400,600\nset output d.'painleve.png'\nset datafile separator ','\n"
       "set multiplot layout 1,2\nset xlabel 'angle, rad'\nset ylabel 'mu'\nset xrange [0:1.55]\n"
       "set yrange [0:2.1]\nset title 'u0 > 0: where a solution exists'\nset key outside bottom\n"
       "f = d.'painleve.csv'\n"
       "plot f skip 1 using (($1 > 0 && strcol(4) eq 'exists') ? $2 : NaN):3 with points pt 7 lc "
       "rgb "
       "'#2060c0' title 'exists', '' skip 1 using (($1 > 0 && strcol(4) eq 'none') ? $2 : NaN):3 "
       "with "
       "points pt 6 lc rgb '#c03020' title 'proven to have none', tan(x) lw 2 lc rgb 'black' title "
       "'mu = tan(angle)'\n"
       "set title 'normal force r_y, computed and in closed form'\nset ylabel 'r_y'\n"
       "set yrange [0:6]\nplot for [m in '0.202600 0.506500 1.013000'] f skip 1 using "
       "(strcol(3) eq m && $1 > 0 ? $2 : NaN):5 with points pt 7 title 'u0 > 0, mu '.m, "
       "for [m in '0.202600 0.506500 1.013000'] f skip 1 using (strcol(3) eq m && $1 < 0 ? $2 : "
       "NaN):5 with points pt 6 title 'u0 < 0, mu '.m, "
       "for [m in '0.202600 0.506500 1.013000'] tan(x) > m ? tan(x) / (tan(x) - m) : NaN lc rgb "
       "'gray' "
       "notitle, for [m in '0.202600 0.506500 1.013000'] tan(x) / (tan(x) + m) lc rgb 'gray' "
       "notitle\n");
  return failed > 0;
}

int main(int argc, char **argv) {
  json = argc > 1 && strcmp(argv[1], "--json") == 0;
  if (json)
    directory = ".";
  else if (argc > 1)
    directory = argv[1];
  if (mkdir(directory, 0777) && errno != EEXIST) return fail(strerror(errno));
  scree_context *context = scree_context_create(NULL);
  const int failed = relaxation(context) + landscape(context) + newton() + painleve(context);
  scree_context_destroy(context);
  if (json)
    printf("{\"bench\":\"exact\",\"relaxation_error\":[%.6e,%.6e],\"relaxation_order\":[%.3f,%.3f],"
           "\"fixed_evaluations\":%ld,\"newton_evaluations\":%ld,\"fixed_seconds\":%.6f,"
           "\"newton_seconds\":%.6f,\"bars\":%ld,\"bars_wrong\":%ld,\"bar_error\":%.3e}\n",
           summary.error[0], summary.error[1], summary.order[0], summary.order[1],
           summary.evaluations[0], summary.evaluations[1], summary.seconds[0], summary.seconds[1],
           summary.bars, summary.wrong, summary.force_error);
  return failed > 0;
}

/* See plot.h. */
#include "cli/plot/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/file.h"

extern char **environ;

/* Curves are distinguished by colour and mark, past the twelfth by dashes too; the first eight
 * colours are those that readers who do not see red and green alike can tell apart. */
static const char *const colours[] = {"0072b2", "d55e00", "009e73", "cc79a7", "56b4e9", "e69f00",
                                      "000000", "8c510a", "7b3294", "a6a600", "999999", "e7298a"};
static const int marks[] = {6, 4, 8, 12, 1, 2, 10, 3, 5, 7, 9, 13};
enum { COLOUR_COUNT = 12, STYLE_COUNT = 36, MARKS_PER_CURVE = 8, POINTS_PER_CURVE = 1500 };
/* What an exact zero is drawn as. */
#define SMALLEST_ERROR 1e-17
/* s: what a clock that did not move between two checks is drawn at, on an axis of decades. */
#define SHORTEST_TIME 1e-6

typedef struct format {
  const char *ending, *terminal;
  double scale; /* of the sizes below, which are in pixels */
} format;

static const format formats[] = {
    {".png", "pngcairo font 'Sans,11' background 'white' size", 1.0},
    {".svg", "svg font 'Sans,12' background 'white' size", 1.0},
    {".pdf", "pdfcairo font 'Sans,11' background 'white' size", 0.01}, /* inches */
};

const char *plot_colour(int i) {
  return colours[i % COLOUR_COUNT];
}

static const format *format_of(const char *path) {
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof formats / sizeof formats[0]; i++)
    if (strcmp(dot, formats[i].ending) == 0) return &formats[i];
  return NULL;
}

int plot_check(const cli_args *args, const char *path) {
  if (!format_of(path))
    return cli_fail(CLI_USAGE, "%s: a plot's name ends in .png, .svg or .pdf", path);
  if (!file_program_exists("gnuplot"))
    return cli_fail(CLI_IO, "gnuplot is not there, and plots are drawn by it; install the Debian "
                            "package gnuplot-nox");
  return file_claim(args, path);
}

/* What comes out of a pipe until its other end is closed. 0, or errno of the file. */
static int copy_all(int pipe, FILE *file) {
  char bytes[1 << 14];
  int fault = 0;
  for (ssize_t n; (n = read(pipe, bytes, sizeof bytes)) != 0;) {
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0 && !fault && fwrite(bytes, 1, (size_t)n, file) != (size_t)n) fault = errno;
  }
  if (!fault && fflush(file) != 0) fault = errno;
  return fault;
}

/* Runs gnuplot from `script` to `picture`; its complaints go to `complaints`. 0, errno, or -1: it
 * failed. It does not see that a disk is full, so it writes into a pipe, and the file is ours. */
static int run_gnuplot(FILE *script, FILE *picture, FILE *complaints) {
  posix_spawn_file_actions_t actions;
  int ends[2];
  if (pipe(ends) != 0) return errno;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  int fault = posix_spawn_file_actions_init(&actions) != 0 ? ENOMEM : 0;
  pid_t child = 0;
  if (!fault) {
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(complaints), STDERR_FILENO);
    char name[] = "gnuplot", norc[] = "-d", dash[] = "-";
    char *const argv[] = {name, norc, dash, NULL};
    fault = posix_spawnp(&child, "gnuplot", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
  }
  close(ends[1]);
  const bool started = !fault;
  if (started) fault = copy_all(ends[0], picture);
  close(ends[0]);
  if (!started) return fault;
  int state = 0;
  while (waitpid(child, &state, 0) < 0)
    if (errno != EINTR) return errno;
  return fault ? fault : WIFEXITED(state) && WEXITSTATUS(state) == 0 ? 0 : -1;
}

int plot_end(const char *path, FILE *script) {
  fresh place;
  /* A script that is cut short would draw a part of the curves. */
  const bool whole = fflush(script) == 0 && !ferror(script);
  FILE *complaints = whole ? tmpfile() : NULL;
  FILE *picture = complaints ? file_begin(&place, path) : NULL;
  if (!complaints) {
    const int fault = errno;
    fclose(script);
    return cli_fail(CLI_IO, "no temporary file: %s", strerror(fault));
  }
  int code = CLI_IO;
  if (picture) {
    lseek(fileno(script), 0, SEEK_SET);
    const int fault = run_gnuplot(script, picture, complaints);
    const bool drawn = fault == 0 && lseek(fileno(picture), 0, SEEK_END) > 0;
    code = file_end(&place, picture, drawn);
    if (!drawn && fault > 0) {
      code = cli_fail(CLI_IO, "%s: cannot be drawn: %s", path, strerror(fault));
    } else if (!drawn) {
      char line[256] = "it wrote nothing";
      rewind(complaints);
      while (fgets(line, sizeof line, complaints) && strspn(line, " \t\n^") == strlen(line)) {
      }
      line[strcspn(line, "\n")] = '\0';
      code = cli_fail(CLI_IO, "%s: gnuplot failed: %s", path, line);
    }
  }
  fclose(complaints);
  fclose(script);
  return code;
}

void plot_quote(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\' || *text == '`') fputc('\\', out);
    fputc((unsigned char)*text < 0x20 ? '?' : *text, out);
  }
  fputc('"', out);
}

FILE *plot_begin(const char *path, double width, double height) {
  const format *f = format_of(path);
  FILE *script = tmpfile();
  if (!script) {
    cli_fail(CLI_IO, "no temporary file: %s", strerror(errno));
    return NULL;
  }
  fprintf(script, "set terminal %s %g,%g\nset encoding utf8\n", f->terminal, f->scale * width,
          f->scale * height);
  fputs("set border 3 lc rgb '#404040'\nset tics nomirror\nset grid xtics ytics lt 1 lc rgb "
        "'#d4d4d4' lw 0.6\n",
        script);
  for (int i = 0; i < STYLE_COUNT; i++)
    fprintf(script, "set style line %d lc rgb '#%s' lw 1.6 dt %d pt %d ps 0.7\n", i + 1,
            colours[i % COLOUR_COUNT], 1 + i / COLOUR_COUNT, marks[i % COLOUR_COUNT]);
  return script;
}

static double place_of(const trial_point *p, bool by_time) {
  if (!by_time) return p->iteration;
  return p->iteration > 0.0 ? fmax(p->seconds, SHORTEST_TIME) : p->seconds;
}

/* Columns: x, the error there, the best error so far (what the solver would return), and the same
 * where a mark is due. Curves of thousands of points are thinned; marks are spread evenly over a
 * log axis, about MARKS_PER_CURVE of them, so that they tell curves apart without hiding them. */
static void write_curve(FILE *out, const trial *t, bool by_time, bool scaled, const char *name) {
  fprintf(out, "$%s << EOD\n", name);
  const size_t step = t->history_count / POINTS_PER_CURVE + 1;
  double next = 0.0, ratio = 1.0, best = INFINITY;
  for (size_t i = 0; i < t->history_count; i++) {
    const trial_point *p = &t->history[i];
    const double x = place_of(p, by_time);
    const double e = fmax(scaled ? p->residual : p->error, SMALLEST_ERROR);
    if (!(x > 0.0) || !isfinite(e)) continue;
    if (isinf(best)) {
      const trial_point *last = &t->history[t->history_count - 1];
      next = x;
      ratio = pow(place_of(last, by_time) / x, 1.0 / MARKS_PER_CURVE);
    }
    best = fmin(best, e);
    const bool mark = x >= next || i + 1 == t->history_count;
    if (i % step != 0 && !mark) continue;
    fprintf(out, "%.9g %.9g %.9g ", x, e, best);
    fprintf(out, mark ? "%.9g\n" : "NaN\n", best);
    if (mark) next = x * fmax(ratio, 1.0);
  }
  /* A solver that was refused or failed has no curve but keeps its place in the legend. */
  if (isinf(best)) fputs("NaN NaN NaN NaN\n", out);
  fputs("EOD\n", out);
}

/* The models are reported when not all curves solve the same one. */
static void write_legend(FILE *out, const trial *t, bool mixed) {
  char text[160], time[32];
  snprintf(time, sizeof time, "%.3g s", t->info.seconds);
  snprintf(text, sizeof text, "%s%s%s (%s)", scree_solver_name(t->solver), mixed ? ", " : "",
           mixed ? trial_model_name(t->info.model) : "", trial_solved(t) ? time : trial_outcome(t));
  for (char *at = strchr(text, '_'); at; at = strchr(at, '_')) *at = ' ';
  plot_quote(out, text);
}

static void write_panel(FILE *out, const trial *trials, size_t count, bool by_time, bool scaled,
                        double tolerance) {
  const char *axis = by_time ? "seconds" : "iteration";
  bool mixed = false;
  for (size_t i = 1; i < count; i++) mixed |= trials[i].info.model != trials[0].info.model;
  fprintf(out, "set lmargin at screen %g\nset rmargin at screen %g\n", by_time ? 0.46 : 0.075,
          by_time ? 0.775 : 0.39);
  fprintf(out, "set xlabel '%s'\n", by_time ? "wall time, setup included (s)" : axis);
  fprintf(out, by_time ? "set ylabel ''\n" : "set ylabel '%s: best so far; thin: each iterate'\n",
          scaled ? "residual R" : "error E");
  fputs(by_time ? "set key at screen 0.785,0.88 left top vertical maxrows 24 Left reverse "
                  "noenhanced samplen 2.5 spacing 1.15\n"
                : "unset key\n",
        out);
  for (size_t i = 0; i < count; i++) {
    char name[32];
    snprintf(name, sizeof name, "%s%zu", axis, i);
    write_curve(out, &trials[i], by_time, scaled, name);
  }
  if (tolerance > 0.0)
    fprintf(out,
            "set arrow 1 from graph 0, first %.9g to graph 1, first %.9g nohead dt 2 lw 1 "
            "lc rgb '#808080'\n",
            tolerance, tolerance);
  fputs("plot ", out);
  for (size_t i = 0; i < count; i++) {
    const int style = (int)(i % STYLE_COUNT) + 1;
    fprintf(out,
            "$%s%zu using 1:2 with lines lw 0.5 lc rgb '#a0%s' notitle, "
            "$%s%zu using 1:3 with lines ls %d notitle, "
            "$%s%zu using 1:4 with points ls %d notitle, NaN with linespoints ls %d title ",
            axis, i, colours[(style - 1) % COLOUR_COUNT], axis, i, style, axis, i, style, style);
    write_legend(out, &trials[i], mixed);
    fputs(", ", out);
  }
  if (tolerance > 0.0)
    fputs("NaN with lines dt 2 lw 1 lc rgb '#808080' title 'tolerance'", out);
  else
    fputs("NaN notitle", out);
  fputs("\n", out);
}

/* Both panels share the decades from the worst start to the best end. */
static void write_range(FILE *out, const trial *trials, size_t count, bool scaled,
                        double tolerance) {
  double low = tolerance > 0.0 ? tolerance : INFINITY, high = 0.0;
  for (size_t i = 0; i < count; i++) {
    double best = INFINITY;
    for (size_t k = 0; k < trials[i].history_count; k++) {
      const trial_point *p = &trials[i].history[k];
      const double e = scaled ? p->residual : p->error;
      if (!isfinite(e)) continue;
      if (isinf(best)) high = fmax(high, e);
      best = fmin(best, fmax(e, SMALLEST_ERROR));
    }
    low = fmin(low, best);
  }
  if (isfinite(low) && high > low)
    fprintf(out, "set yrange [%.9g:%.9g]\n", pow(10.0, floor(log10(low * 0.8))),
            pow(10.0, ceil(log10(high * 1.2))));
}

int plot_convergence(const char *path, const char *problem, size_t contacts, const trial *trials,
                     size_t count, const scree_solve_settings *settings) {
  FILE *script = plot_begin(path, 1180, 470);
  if (!script) return CLI_IO;
  const bool scaled = settings->tolerance_error <= 0.0 && settings->tolerance_residual > 0.0;
  const char *slash = strrchr(problem, '/');
  char title[300];
  snprintf(title, sizeof title, "%.200s: %zu contact%s", slash ? slash + 1 : problem, contacts,
           contacts == 1 ? "" : "s");
  fputs("set multiplot\nset logscale xy\nset format '10^{%L}'\nset label 1 noenhanced ", script);
  plot_quote(script, title);
  fputs(
      " at screen 0.075,0.95 font ',13'\nset tmargin at screen 0.88\nset bmargin at screen 0.14\n",
      script);
  const double tolerance = scaled ? settings->tolerance_residual : settings->tolerance_error;
  write_range(script, trials, count, scaled, tolerance);
  for (int by_time = 0; by_time < 2; by_time++) {
    if (by_time) fputs("unset label 1\n", script);
    write_panel(script, trials, count, by_time, scaled, tolerance);
  }
  fputs("unset multiplot\n", script);
  return plot_end(path, script);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorted ratios to the fastest of each problem; the count of problems solved. */
static size_t profile_ratios(size_t problems, size_t solvers, size_t s, const double *seconds,
                             double *ratio) {
  size_t count = 0;
  for (size_t p = 0; p < problems; p++) {
    double best = INFINITY;
    for (size_t k = 0; k < solvers; k++)
      if (seconds[p * solvers + k] >= 0.0) best = fmin(best, seconds[p * solvers + k]);
    const double mine = seconds[p * solvers + s];
    if (mine >= 0.0) ratio[count++] = mine / fmax(best, 1e-9);
  }
  qsort(ratio, count, sizeof *ratio, compare);
  return count;
}

int plot_profile(const char *path, size_t problems, size_t solvers, const size_t *solver,
                 const double *seconds) {
  double *ratio = calloc(problems, sizeof *ratio);
  FILE *script = ratio ? plot_begin(path, 900, 480) : NULL;
  if (!script) {
    free(ratio);
    return CLI_IO;
  }
  double widest = 2.0;
  for (size_t s = 0; s < solvers; s++) {
    const size_t n = profile_ratios(problems, solvers, s, seconds, ratio);
    if (n) widest = fmax(widest, ratio[n - 1]);
  }
  for (size_t s = 0; s < solvers; s++) {
    const size_t n = profile_ratios(problems, solvers, s, seconds, ratio);
    fprintf(script, "$s%zu << EOD\n1 0\n", s);
    for (size_t i = 0; i < n; i++)
      fprintf(script, "%.9g %.9g\n", fmax(ratio[i], 1.0), (double)(i + 1) / (double)problems);
    fprintf(script, "%.9g %.9g\nEOD\n", 1.2 * widest, (double)n / (double)problems);
  }
  fprintf(script,
          "set logscale x\nset xrange [1:%.9g]\nset yrange [0:1.02]\n"
          "set key outside right noenhanced Left reverse samplen 2.5 spacing 1.15\n"
          "set title 'Performance profile over %zu problem%s' noenhanced\n"
          "set xlabel 'time as a multiple of the fastest solver on each problem'\n"
          "set ylabel 'share of the problems solved'\nplot ",
          1.2 * widest, problems, problems == 1 ? "" : "s");
  for (size_t s = 0; s < solvers; s++) {
    fprintf(script, "%s$s%zu using 1:2 with steps ls %zu title ", s ? ", " : "", s,
            s % STYLE_COUNT + 1);
    plot_quote(script, scree_solver_name(solver[s]));
  }
  fputs("\n", script);
  const int code = plot_end(path, script);
  free(ratio);
  return code;
}

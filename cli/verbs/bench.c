/* `scree bench`: every solver on every file. A table to read, a CSV to keep, a convergence plot for
 * each file and the performance profile of Dolan and More. Refusals and failures are rows too. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/file.h"
#include "cli/plot/plot.h"
#include "cli/problem/trial.h"

static const cli_flag flags[] = {
    {"solvers", "NAME[,NAME]...", "solvers to compare; default all of 'scree list solvers'"},
    {"tol", "T", "tolerance on E; default 1e-6"},
    {"tol-residual", "T", "tolerance on R; alone it replaces --tol"},
    {"max-iter", "N", "limit of iterations; 0, the default: none"},
    {"time-limit", "S", "limit of wall time for each solve in seconds; default 10"},
    {"model", "relaxed|coulomb",
     "friction law; default relaxed, which all solvers have, so that they can be compared"},
    {"set", "KEY=VALUE", "set an option of the solvers that have it; may be repeated"},
    {"threads", "N", "threads; default: as many as are idle"},
    {"device", "NAME",
     "work on large problems by OpenCL: a part of a device's name, or any ('scree list devices')"},
    {"device-blocks", "N",
     "the least contacts and joints of a problem for the device; default 1000"},
    {"repeat", "N", "solve N times and keep the fastest; default 1"},
    {"out", "DIR", "where results.csv and the plots go; it is made when it is missing"},
    {"force", NULL, "replace a file of that name; else it is kept and nothing is written"},
    {"json", NULL, "print one JSON object for each solve, one per line, instead of the table"},
    {0},
};

typedef struct bench {
  const cli_args *args;
  scree_context *context;
  trial_settings settings;
  size_t *solver, solver_count, problem_count;
  long repeat;
  double *seconds; /* problem_count x solver_count; negative: not solved */
  FILE *csv;
  char *csv_path;
  fresh csv_place;
  const char *directory;
  size_t faults; /* files that could not be read, solves that failed */
} bench;

static char *join(const char *directory, const char *name, const char *ending) {
  const size_t size = strlen(directory) + strlen(name) + strlen(ending) + 2;
  char *path = malloc(size);
  if (path) snprintf(path, size, "%s/%s%s", directory, name, ending);
  return path;
}

static void csv_text(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"') fputc('"', out);
    fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
  }
  fputc('"', out);
}

static void csv_real(FILE *out, double value) {
  if (isfinite(value)) fprintf(out, "%.9g", value);
}

static void csv_row(FILE *out, const char *path, size_t contacts, const trial *t) {
  const scree_solve_info *info = &t->info;
  csv_text(out, path);
  fprintf(out, ",%zu,%s,%s,%s,", contacts, scree_solver_name(t->solver),
          trial_model_name(info->model), trial_outcome(t));
  if (!t->status) {
    fprintf(out, "%ld,", info->iterations);
    const double values[] = {info->residual.error, info->residual.scaled,
                             info->residual.relaxation_gap, info->seconds, info->setup_seconds};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
      csv_real(out, values[i]);
      fputc(',', out);
    }
  } else {
    fputs(",,,,,,", out);
  }
  csv_text(out, t->status ? t->message : info->detail);
  fputc('\n', out);
}

static void print_row(const trial *t) {
  const scree_solve_info *info = &t->info;
  if (t->status)
    printf("  %-10s %-15s %s\n", scree_solver_name(t->solver), trial_outcome(t), t->message);
  else
    printf("  %-10s %-15s %9.2e %9.2e %10ld %10.3g%s%s\n", scree_solver_name(t->solver),
           trial_outcome(t), info->residual.error, info->residual.scaled, info->iterations,
           info->seconds, *info->detail ? "  " : "", info->detail);
  cli_flush();
}

static void print_json(const char *path, size_t contacts, const trial *t) {
  bool first = true;
  trial_json_begin(path, contacts, t, &first);
  printf("}\n");
  cli_flush();
}

static void run_repeated(bench *b, trial *t, const scree_ccp *problem) {
  trial_run(t, b->context, problem, &b->settings);
  for (long i = 1; i < b->repeat && trial_solved(t); i++) {
    trial again = {.solver = t->solver};
    trial_run(&again, b->context, problem, &b->settings);
    if (trial_solved(&again) && again.info.seconds < t->info.seconds) {
      const trial slower = *t;
      *t = again;
      again = slower;
    }
    trial_clear(&again);
  }
}

/* convergence_<name of the file>.png; a number keeps two files of one name apart. */
static int plot_file(const bench *b, const char *path, size_t p, size_t contacts,
                     const trial *trials) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  const char *dot = strrchr(base, '.');
  const int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
  char name[200];
  snprintf(name, sizeof name, "convergence_%0*zu_%.*s", b->problem_count > 99 ? 3 : 2, p + 1,
           length < 150 ? length : 150, base);
  char *picture = join(b->directory, name, ".png");
  if (!picture) return cli_fail(CLI_INTERNAL, "out of memory");
  const int code =
      plot_convergence(picture, base, contacts, trials, b->solver_count, &b->settings.solve);
  free(picture);
  return code;
}

static int bench_file(bench *b, size_t p) {
  const char *path = b->args->operand[p];
  const bool json = cli_has(b->args, "json");
  double *seconds = b->seconds + p * b->solver_count;
  for (size_t i = 0; i < b->solver_count; i++) seconds[i] = -1.0;
  scree_ccp *problem = NULL;
  const scree_status status = scree_problem_load(b->context, path, &problem, NULL);
  if (status) {
    b->faults++;
    if (b->csv) {
      csv_text(b->csv, path);
      fputs(",,,,unreadable,,,,,,,", b->csv);
      csv_text(b->csv, scree_context_message(b->context));
      fputc('\n', b->csv);
    }
    cli_fail(cli_code(status), "%s", scree_context_message(b->context));
    return cli_code(status);
  }
  trial *trials = calloc(b->solver_count, sizeof *trials);
  if (!trials) {
    scree_ccp_destroy(problem);
    return cli_fail(CLI_INTERNAL, "out of memory");
  }
  const size_t contacts = trial_contact_count(problem);
  if (!json) printf("%s%s: %zu contacts%s\n", cli_bold(stdout), path, contacts, cli_plain(stdout));
  for (size_t i = 0; i < b->solver_count; i++) {
    trial *t = &trials[i];
    t->solver = b->solver[i];
    if (cli_interrupted()) continue;
    run_repeated(b, t, problem);
    if (trial_solved(t)) seconds[i] = t->info.seconds;
    b->faults += t->status && !t->refused;
    if (json) print_json(path, contacts, t);
    if (!json) print_row(t);
    if (b->csv) csv_row(b->csv, path, contacts, t);
  }
  int code = cli_interrupted() ? CLI_INTERRUPTED : CLI_OK;
  if (b->directory && !code) code = plot_file(b, path, p, contacts, trials);
  for (size_t i = 0; i < b->solver_count; i++) trial_clear(&trials[i]);
  free(trials);
  scree_ccp_destroy(problem);
  return code;
}

static void print_score(const bench *b) {
  printf("%ssolved%s\n", cli_bold(stdout), cli_plain(stdout));
  for (size_t i = 0; i < b->solver_count; i++) {
    size_t solved = 0;
    double total = 0.0;
    for (size_t p = 0; p < b->problem_count; p++) {
      const double s = b->seconds[p * b->solver_count + i];
      solved += s >= 0.0;
      total += fmax(s, 0.0);
    }
    printf("  %-10s %zu of %zu, in %.3g s\n", scree_solver_name(b->solver[i]), solved,
           b->problem_count, total);
  }
}

static int open_directory(bench *b) {
  b->directory = cli_text(b->args, "out", NULL);
  if (!b->directory) return CLI_OK;
  struct stat s;
  if (mkdir(b->directory, 0777) != 0 && errno != EEXIST)
    return cli_fail(CLI_IO, "%s: cannot make the directory: %s", b->directory, strerror(errno));
  if (stat(b->directory, &s) != 0 || !S_ISDIR(s.st_mode))
    return cli_fail(CLI_IO, "%s: it is there and is not a directory", b->directory);
  char *profile = join(b->directory, "profile", ".png");
  const int code = profile ? plot_check(b->args, profile) : cli_fail(CLI_INTERNAL, "out of memory");
  free(profile);
  if (code) return code;
  b->csv_path = join(b->directory, "results", ".csv");
  if (!b->csv_path) return cli_fail(CLI_INTERNAL, "out of memory");
  const int csv_code = file_claim(b->args, b->csv_path);
  if (csv_code) return csv_code;
  b->csv = file_begin(&b->csv_place, b->csv_path);
  if (!b->csv) return CLI_IO;
  fputs("problem,contacts,solver,model,outcome,iterations,error,residual,relaxation_gap,seconds,"
        "setup_seconds,detail\n",
        b->csv);
  return CLI_OK;
}

static int close_directory(bench *b, int code) {
  if (b->csv) {
    const int csv_code = file_end(&b->csv_place, b->csv, true);
    bool plotted = false;
    if (!code) code = csv_code;
    if (!csv_code && code != CLI_INTERRUPTED) {
      char *profile = join(b->directory, "profile", ".png");
      const int plot_code =
          profile ? plot_profile(profile, b->problem_count, b->solver_count, b->solver, b->seconds)
                  : CLI_INTERNAL;
      if (!code) code = plot_code;
      plotted = !plot_code && code != CLI_IO;
      free(profile);
    }
    if (!csv_code)
      cli_note(plotted ? "results.csv and plots are in %s" : "results.csv is in %s", b->directory);
  }
  free(b->csv_path);
  return code;
}

static int run_all(bench *b) {
  b->seconds = calloc(b->problem_count * b->solver_count, sizeof *b->seconds);
  if (!b->seconds) return cli_fail(CLI_INTERNAL, "out of memory");
  int code = open_directory(b);
  if (!code) {
    cli_catch_interrupts();
    const bool json = cli_has(b->args, "json");
    if (!json)
      printf("  %-10s %-15s %9s %9s %10s %10s\n", "solver", "outcome", "E", "R", "iterations",
             "seconds");
    for (size_t p = 0; p < b->problem_count && code != CLI_INTERRUPTED; p++) {
      const int file_code = bench_file(b, p);
      if (file_code == CLI_INTERRUPTED || !code) code = file_code;
    }
    if (!json && code != CLI_INTERRUPTED) print_score(b);
    if (code == CLI_INTERRUPTED)
      cli_note("interrupted; what was measured so far is kept, without the profile");
  }
  code = close_directory(b, code);
  if (!code && b->faults) code = CLI_INTERNAL;
  free(b->seconds);
  return code;
}

static int run(cli_args *args) {
  bench b = {.args = args, .repeat = 1, .problem_count = args->operand_count};
  int code = CLI_USAGE;
  if (trial_settings_read(args, &b.settings) && cli_whole(args, "repeat", 1, 1000000, &b.repeat) &&
      trial_solvers_read(cli_text(args, "solvers", "all"), &b.solver, &b.solver_count)) {
    if (!cli_has(args, "time-limit")) b.settings.solve.time_limit = 10.0;
    if (!cli_has(args, "model")) b.settings.solve.model = SCREE_MODEL_RELAXED;
    b.settings.solve.alone = true;
    b.context = cli_context(args, &code);
    if (b.context)
      code = trial_set_check(args, b.context, b.solver, b.solver_count) ? run_all(&b) : CLI_USAGE;
  }
  scree_context_destroy(b.context);
  free(b.solver);
  return code;
}

const cli_verb cli_verb_bench = {
    .name = "bench",
    .operands = "FILE...",
    .operand_min = 1,
    .operand_max = (size_t)-1,
    .summary = "compare solvers on problem files: table, CSV, convergence and performance profile",
    .details =
        "In the profile a solver's curve at x is the share of the files that it solved within\n"
        "x times the time of the fastest on each file. A file that none solved counts too.",
    .flags = flags,
    .run = run,
};

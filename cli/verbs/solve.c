/* `scree solve`: a problem file goes in; impulses and an honest residual come out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/file.h"
#include "cli/plot/plot.h"
#include "cli/problem/existence.h"
#include "cli/problem/trial.h"

static const cli_flag flags[] = {
    {"solver", "NAME[,NAME]...",
     "solvers to use, or all ('scree list solvers'); default auto, which chooses by the problem"},
    {"tol", "T",
     "tolerance on E, the exchange format's error; default 1e-6. R must be below 100 T (from "
     "1e-4 on its square root), as E depends on units"},
    {"tol-residual", "T",
     "tolerance on R, the worst contact's scaled residual; alone it replaces --tol, with --tol "
     "both must be met"},
    {"max-iter", "N", "limit of iterations; 0, the default: none"},
    {"time-limit", "S", "limit of wall time in seconds; default 60, 0: none"},
    {"model", "relaxed|coulomb",
     "friction law; default coulomb where the solver has it, else relaxed (it says so)"},
    {"set", "KEY=VALUE", "set an option of the solver, or SOLVER.KEY=VALUE; may be repeated"},
    {"warm-start", NULL, "begin with the solution that is in the file"},
    {"threads", "N", "threads; results do not depend on it; default: as many as are idle"},
    {"device", "NAME",
     "work on large problems by OpenCL: a part of a device's name, or any ('scree list devices')"},
    {"device-blocks", "N",
     "the least contacts and joints of a problem for the device; default 1000"},
    {"json", NULL, "print one JSON object for each solver, one per line"},
    {"check-existence", NULL,
     "solve nothing: say whether a solution exists, with the witness velocity or the certificate"},
    {"out", "FILE", "write the problem with its solution (v, u, r) as FCLIB HDF5"},
    {"force", NULL, "replace a file of that name; else it is kept and nothing is written"},
    {"plot", "FILE", "draw E against iterations and time by gnuplot: .png, .svg or .pdf"},
    {"strict", NULL, "exit 4 when a solver did not reach the tolerance"},
    {"verbose", NULL, "print each check of the residual to stderr"},
    {0},
};

static void print_json(const char *path, size_t contacts, const trial *t) {
  bool first = true;
  trial_json_begin(path, contacts, t, &first);
  if (t->proof.holds)
    existence_json_certificate(stdout, &first, &t->proof, t->certificate, t->rows);
  printf("}\n");
}

static void print_header(const char *path, const scree_ccp *problem) {
  const size_t contacts = trial_contact_count(problem);
  printf("%s: %zu contact%s, %zu rows\n", path, contacts, contacts == 1 ? "" : "s",
         scree_ccp_row_count(problem));
  printf("%s%-9s %-8s %-15s %9s %9s %9s %9s %10s %9s%s\n", cli_bold(stdout), "solver", "model",
         "outcome", "E", "R", "relax.gap", "approach", "iterations", "time", cli_plain(stdout));
  printf("%-9s %-8s %-15s %9s %9s %9s %9s %10s %9s\n", "", "", "", "", "", "m/s", "m/s", "", "s");
}

static void print_row(const trial *t) {
  const scree_residual *r = &t->info.residual;
  if (t->status) {
    printf("%-9s %-8s %-15s %s\n", scree_solver_name(t->solver), trial_model_name(t->info.model),
           trial_outcome(t), t->message);
    return;
  }
  char gap[16] = "-"; /* it means nothing in the exact model */
  if (t->info.model == SCREE_MODEL_RELAXED) snprintf(gap, sizeof gap, "%.2e", r->relaxation_gap);
  printf("%-9s %-8s %-15s %9.2e %9.2e %9s %9.2e %10ld %9.3g\n", scree_solver_name(t->solver),
         trial_model_name(t->info.model), trial_outcome(t), r->error, r->scaled, gap,
         r->penetration_speed, t->info.iterations, t->info.seconds);
}

/* A plain sentence for what is not solved; solved needs none unless the solver has something to
 * say. */
static void explain(const trial *t, const scree_solve_settings *s) {
  const char *name = scree_solver_name(t->solver), *detail = t->info.detail;
  const char *gap = *detail ? ": " : "";
  if (t->refused) {
    cli_note("%s refuses this problem: %s", name, t->message);
  } else if (t->status) {
    cli_note("%s failed: %s", name, t->message);
  } else if (t->interrupted) {
    cli_note("%s was interrupted after %ld iterations; this is its best iterate", name,
             t->info.iterations);
  } else if (t->info.outcome == SCREE_OUTCOME_INFEASIBLE && t->proof.holds) {
    cli_note("the problem has no solution, as %s found%s%s", name, gap, detail);
  } else if (t->info.outcome == SCREE_OUTCOME_INFEASIBLE) {
    cli_note("%s found the problem infeasible, but its certificate did not pass the check against "
             "the problem's own numbers (push %.1e, gain %.1e): nothing is proven",
             name, t->proof.push, t->proof.gain);
  } else if (t->info.outcome == SCREE_OUTCOME_SOLVED) {
    if (*detail) cli_note("%s: %s", name, detail);
  } else {
    char asked[96], also[48] = "";
    const double e = s->tolerance_error, r = s->tolerance_residual;
    if (e > 0.0) snprintf(also, sizeof also, " and R = %.3g", scree_solve_asked_residual(s));
    snprintf(asked, sizeof asked, "%s = %.3g%s", e > 0.0 ? "E" : "R", e > 0.0 ? e : r, also);
    const char *why = t->info.outcome == SCREE_OUTCOME_TIME_LIMIT        ? "ran out of time"
                      : t->info.outcome == SCREE_OUTCOME_ITERATION_LIMIT ? "ran out of iterations"
                                                                         : "stalled";
    cli_note("%s %s before %s%s%s; what is reported is its best iterate", name, why, asked, gap,
             detail);
  }
}

/* E and R are relative to the fastest row of the problem. Where one row is far faster than all
 * others, an answer that leaves those as they were is solved by that measure: it is reported. */
static void tell_what_is_left(scree_context *context, const scree_ccp *problem, const trial *t) {
  const scree_residual *r = &t->info.residual;
  const size_t rows = scree_ccp_row_count(problem);
  scree_residual start;
  if (t->status || t->info.outcome != SCREE_OUTCOME_SOLVED || !(r->penetration_speed > 0.0)) return;
  double *zero = calloc(rows ? rows : 1, sizeof *zero);
  if (zero && !scree_ccp_residual(context, problem, t->info.model, zero, &start) &&
      r->penetration_speed > 0.1 * start.penetration_speed && start.penetration_speed > 0.0)
    cli_note(
        "%s leaves an approach of %.2g m/s, where it is %.2g m/s without any impulse: E and R are "
        "relative to the fastest row, %.2g m/s; ask for less by --tol",
        scree_solver_name(t->solver), r->penetration_speed, start.penetration_speed,
        r->reference_speed);
  free(zero);
}

static int exit_code(const trial *trials, size_t count, bool strict) {
  bool refused = true, unsolved = false, infeasible = false, stopped = false;
  for (size_t i = 0; i < count; i++) {
    const trial *t = &trials[i];
    if (t->status && !t->refused) return cli_code(t->status);
    refused &= t->refused;
    stopped |= t->interrupted;
    infeasible |= !t->status && t->info.outcome == SCREE_OUTCOME_INFEASIBLE && t->proof.holds;
    unsolved |= !trial_solved(t);
  }
  if (stopped) return CLI_INTERRUPTED;
  if (infeasible) return CLI_INFEASIBLE;
  if (refused) return CLI_INPUT;
  return strict && unsolved ? CLI_UNCONVERGED : CLI_OK;
}

typedef struct job {
  const cli_args *args;
  scree_context *context;
  scree_ccp *problem;
  scree_problem_info info;
  trial_settings settings;
  trial *trials;
  size_t count;
  double *start; /* null: zeros */
} job;

/* The input's texts stay; how the solution came about is added to the mathematical ones. */
static int write_solution(const job *j, const char *path) {
  const trial *t = &j->trials[0];
  const char *old = j->info.math_info;
  const bool blank = old[strspn(old, " \t\n")] == '\0';
  existence_text text = {.room = strlen(old) + 3};
  text.text = malloc(text.room);
  if (text.text)
    text.length =
        (size_t)snprintf(text.text, text.room, "%s%s", blank ? "" : old, blank ? "" : "; ");
  existence_add(&text, "solution by scree %s, solver %s, model %s: %s, E = %.6g, R = %.6g",
                scree_version(), scree_solver_name(t->solver), trial_model_name(t->info.model),
                trial_outcome(t), t->info.residual.error, t->info.residual.scaled);
  if (t->proof.holds) {
    existence_add(&text, "; ");
    existence_add_certificate(&text, &t->proof, t->certificate, t->rows);
  }
  if (!text.text) return cli_fail(CLI_INTERNAL, "out of memory");
  scree_problem_save_def def = scree_problem_save_def_default();
  def.title = j->info.title;
  def.description = j->info.description;
  def.math_info = text.text;
  def.g = t->g;
  const scree_status status = scree_problem_save(j->context, path, j->problem, &def);
  free(text.text);
  return status ? cli_fail(cli_code(status), "%s", scree_context_message(j->context)) : CLI_OK;
}

static int load_start(job *j) {
  const char *path = j->args->operand[0];
  if (!cli_has(j->args, "warm-start")) return CLI_OK;
  if (!j->info.has_solution)
    return cli_fail(CLI_INPUT, "%s: there is no solution in it to start with", path);
  const size_t rows = scree_ccp_row_count(j->problem);
  j->start = calloc(rows ? rows : 1, sizeof *j->start);
  if (!j->start) return cli_fail(CLI_INTERNAL, "out of memory");
  j->settings.start = j->start;
  const scree_status status =
      scree_problem_load_solution(j->context, path, j->problem, 0, NULL, NULL, j->start);
  return status ? cli_fail(cli_code(status), "%s", scree_context_message(j->context)) : CLI_OK;
}

static int solve_all(job *j) {
  const char *path = j->args->operand[0];
  const char *out = cli_text(j->args, "out", NULL), *plot = cli_text(j->args, "plot", NULL);
  const bool json = cli_has(j->args, "json");
  if (!json) print_header(path, j->problem);
  for (size_t i = 0; i < j->count && !cli_interrupted(); i++) {
    trial *t = &j->trials[i];
    if (!j->settings.model_given && !scree_solver_has_coulomb(t->solver) &&
        trial_has_friction(j->problem))
      cli_note("%s has no exact Coulomb model; it solves the relaxed one",
               scree_solver_name(t->solver));
    trial_run(t, j->context, j->problem, &j->settings);
    if (json && (!t->status || j->count > 1)) print_json(path, j->info.contacts, t);
    if (!json) print_row(t);
    cli_flush();
    if (json || j->count == 1 || !t->refused) explain(t, &j->settings.solve);
    tell_what_is_left(j->context, j->problem, t);
  }
  for (size_t i = 0; i < j->count; i++)
    if (!j->trials[i].g && !j->trials[i].status) j->trials[i].interrupted = true;
  int code = exit_code(j->trials, j->count, cli_has(j->args, "strict")), write_code = CLI_OK;
  if (out && !j->trials[0].status && j->trials[0].g) write_code = write_solution(j, out);
  if (plot && !write_code)
    write_code =
        plot_convergence(plot, path, j->info.contacts, j->trials, j->count, &j->settings.solve);
  return write_code ? write_code : code;
}

static int load_and_solve(const cli_args *args, scree_context *context, const size_t *solvers,
                          size_t count) {
  job j = {.args = args, .context = context, .count = count};
  if (!trial_settings_read(args, &j.settings) || !trial_set_check(args, context, solvers, count))
    return CLI_USAGE;
  const scree_status status = scree_problem_load(context, args->operand[0], &j.problem, &j.info);
  if (status) return cli_fail(cli_code(status), "%s", scree_context_message(context));
  if (cli_has(args, "check-existence")) {
    const int found = existence_run(args, context, j.problem, &j.info, j.settings.solve.model);
    scree_problem_info_clear(&j.info);
    scree_ccp_destroy(j.problem);
    return found;
  }
  int code = load_start(&j);
  j.settings.solve.alone = count > 1; /* they are compared */
  j.trials = calloc(count, sizeof *j.trials);
  if (!j.trials) code = cli_fail(CLI_INTERNAL, "out of memory");
  for (size_t i = 0; j.trials && i < count; i++) j.trials[i].solver = solvers[i];
  if (!code) {
    cli_catch_interrupts();
    code = solve_all(&j);
  }
  for (size_t i = 0; j.trials && i < count; i++) trial_clear(&j.trials[i]);
  free(j.trials);
  free(j.start);
  scree_problem_info_clear(&j.info);
  scree_ccp_destroy(j.problem);
  return code;
}

static int check_existence_alone(const cli_args *args) {
  static const char *const others[] = {"solver",   "tol",        "tol-residual",
                                       "max-iter", "time-limit", "warm-start",
                                       "set",      "plot",       "strict"};
  for (size_t i = 0; cli_has(args, "check-existence") && i < sizeof others / sizeof *others; i++)
    if (cli_has(args, others[i]))
      return cli_fail(CLI_USAGE, "--check-existence solves nothing, so --%s has no meaning with it",
                      others[i]);
  return CLI_OK;
}

/* Faults that can be known at once are reported before the work begins. */
static int check_outputs(const cli_args *args, size_t count) {
  const char *out = cli_text(args, "out", NULL), *plot = cli_text(args, "plot", NULL);
  if (out && count > 1)
    return cli_fail(CLI_USAGE, "--out keeps one solution; name one solver, not %zu", count);
  if (out) {
    const int code = file_claim(args, out);
    if (code) return code;
  }
  return plot ? plot_check(args, plot) : CLI_OK;
}

/* If --model coulomb was given, a named solver that has only the relaxed model is refused. */
static int check_model(const cli_args *args, const size_t *solvers, size_t count) {
  const char *model = cli_text(args, "model", "");
  if (strcmp(model, "coulomb") != 0) return CLI_OK;
  for (size_t i = 0; i < count; i++)
    if (scree_solver_has_coulomb(solvers[i])) return CLI_OK;
  char names[256] = "";
  for (size_t i = 0; i < scree_solver_count(); i++) {
    const size_t used = strlen(names);
    if (scree_solver_has_coulomb(i))
      snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", scree_solver_name(i));
  }
  return cli_fail(CLI_USAGE, "%s has only the relaxed model; the coulomb model is in %s",
                  scree_solver_name(solvers[0]), names);
}

static int run(cli_args *args) {
  size_t *solvers = NULL, count = 0;
  int code = CLI_USAGE;
  if (trial_solvers_read(cli_text(args, "solver", trial_default_solver()), &solvers, &count))
    code = check_outputs(args, count);
  if (!code) code = check_model(args, solvers, count);
  if (!code) code = check_existence_alone(args);
  scree_context *context = code ? NULL : cli_context(args, &code);
  if (context) code = load_and_solve(args, context, solvers, count);
  scree_context_destroy(context);
  free(solvers);
  return code;
}

const cli_verb cli_verb_solve = {
    .name = "solve",
    .operands = "FILE",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "solve a contact problem file (FCLIB HDF5)",
    .details =
        "E is the relative error of the exchange format, R the worst contact's residual as a\n"
        "fraction of the reference speed; both are always printed. Not converging is reported\n"
        "in 'outcome' and is no failure unless --strict is given.",
    .flags = flags,
    .run = run,
};

/* `scree solve`: a problem file goes in; impulses and an honest residual come out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/file.h"
#include "cli/plot.h"
#include "cli/trial.h"

static const cli_flag flags[] = {
    {"solver", "NAME[,NAME]...",
     "solvers to use, or all ('scree list solvers'); default auto, which chooses by the problem"},
    {"tol", "T", "tolerance on E, the exchange format's error; default 1e-6"},
    {"tol-residual", "T",
     "tolerance on R, the worst contact's scaled residual; alone it replaces --tol, with --tol "
     "both must be met"},
    {"max-iter", "N", "limit of iterations; 0, the default: none"},
    {"time-limit", "S", "limit of wall time in seconds; default 60, 0: none"},
    {"model", "relaxed|coulomb",
     "friction law; default coulomb where the solver has it, else relaxed (it says so)"},
    {"set", "KEY=VALUE", "set an option of the solver, or SOLVER.KEY=VALUE; may be repeated"},
    {"threads", "N", "threads; results do not depend on it; default: what OpenMP offers"},
    {"json", NULL, "print one JSON object for each solver, one a line"},
    {"out", "FILE", "write the problem with its solution (v, u, r) as FCLIB HDF5"},
    {"plot", "FILE", "draw E against iterations and time by gnuplot: .png, .svg or .pdf"},
    {"strict", NULL, "exit 4 when a solver did not reach the tolerance"},
    {"verbose", NULL, "print each check of the residual to stderr"},
    {0},
};

static void print_json(const char *path, size_t contacts, const trial *t) {
  bool first = true;
  printf("{");
  json_text_member(stdout, &first, "problem", path);
  json_whole_member(stdout, &first, "contacts", (long long)contacts);
  trial_json(stdout, &first, t);
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
  printf("%-9s %-8s %-15s %9.2e %9.2e %9.2e %9.2e %10ld %9.4f\n", scree_solver_name(t->solver),
         trial_model_name(t->info.model), trial_outcome(t), r->error, r->residual,
         r->relaxation_gap, r->penetration_speed, t->info.iterations, t->info.seconds);
}

/* A plain sentence for what is not solved; solved needs none. */
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
  } else if (t->info.outcome == SCREE_OUTCOME_INFEASIBLE) {
    cli_note("the problem has no solution, as %s found%s%s", name, gap, detail);
  } else if (t->info.outcome != SCREE_OUTCOME_SOLVED) {
    char asked[96], also[48] = "";
    const double e = s->tolerance_error, r = s->tolerance_residual;
    if (e > 0.0 && r > 0.0) snprintf(also, sizeof also, " and R = %.3g", r);
    snprintf(asked, sizeof asked, "%s = %.3g%s", e > 0.0 ? "E" : "R", e > 0.0 ? e : r, also);
    const char *why = t->info.outcome == SCREE_OUTCOME_TIME_LIMIT        ? "ran out of time"
                      : t->info.outcome == SCREE_OUTCOME_ITERATION_LIMIT ? "ran out of iterations"
                                                                         : "stalled";
    cli_note("%s %s before %s%s%s; what is reported is its best iterate", name, why, asked, gap,
             detail);
  }
}

static int exit_code(const trial *trials, size_t count, bool strict) {
  bool refused = true, unsolved = false, infeasible = false, stopped = false;
  for (size_t i = 0; i < count; i++) {
    const trial *t = &trials[i];
    if (t->status && !t->refused) return cli_code(t->status);
    refused &= t->refused;
    stopped |= t->interrupted;
    infeasible |= !t->status && t->info.outcome == SCREE_OUTCOME_INFEASIBLE;
    unsolved |= !trial_solved(t);
  }
  if (stopped) return CLI_INTERRUPTED;
  if (infeasible) return CLI_INFEASIBLE;
  if (refused) return CLI_INPUT;
  return strict && unsolved ? CLI_UNCONVERGED : CLI_OK;
}

static int write_results(const cli_args *args, scree_context *context, const scree_ccp *problem,
                         const trial *trials, size_t count, double tolerance) {
  const char *out = cli_text(args, "out", NULL), *plot = cli_text(args, "plot", NULL);
  if (out && !trials[0].status) {
    char description[256];
    const scree_solve_info *info = &trials[0].info;
    snprintf(description, sizeof description,
             "solution by scree %s, solver %s, model %s: %s, E = %.6g, R = %.6g", scree_version(),
             scree_solver_name(trials[0].solver), trial_model_name(info->model),
             trial_outcome(&trials[0]), info->residual.error, info->residual.residual);
    scree_problem_save_def def = scree_problem_save_def_default();
    def.description = description;
    def.g = trials[0].g;
    const scree_status status = scree_problem_save(context, out, problem, &def);
    if (status) return cli_fail(cli_code(status), "%s", scree_context_message(context));
  }
  if (!plot) return CLI_OK;
  return plot_convergence(plot, args->operand[0], trials, count, tolerance);
}

static int solve_all(const cli_args *args, scree_context *context, const scree_ccp *problem,
                     const trial_settings *settings, trial *trials, size_t count) {
  const char *path = args->operand[0];
  const bool json = cli_has(args, "json");
  if (!json) print_header(path, problem);
  for (size_t i = 0; i < count && !cli_interrupted(); i++) {
    trial *t = &trials[i];
    if (!settings->model_given && !scree_solver_has_coulomb(t->solver) &&
        trial_has_friction(problem))
      cli_note("%s has no exact Coulomb model; it solves the relaxed one",
               scree_solver_name(t->solver));
    trial_run(t, context, problem, settings);
    if (json && (!t->status || count > 1)) print_json(path, trial_contact_count(problem), t);
    if (!json) print_row(t);
    fflush(stdout);
    explain(t, &settings->solve);
  }
  const int code = exit_code(trials, count, cli_has(args, "strict"));
  const int write_code =
      write_results(args, context, problem, trials, count, settings->solve.tolerance_error);
  return write_code ? write_code : code;
}

static int load_and_solve(const cli_args *args, scree_context *context, const size_t *solvers,
                          size_t count) {
  trial_settings settings;
  if (!trial_settings_read(args, &settings) || !trial_set_check(args, context, solvers, count))
    return CLI_USAGE;
  scree_ccp *problem = NULL;
  const scree_status status = scree_problem_load(context, args->operand[0], &problem, NULL);
  if (status) return cli_fail(cli_code(status), "%s", scree_context_message(context));
  trial *trials = calloc(count, sizeof *trials);
  int code = CLI_INTERNAL;
  if (!trials) {
    cli_fail(CLI_INTERNAL, "out of memory");
  } else {
    for (size_t i = 0; i < count; i++) trials[i].solver = solvers[i];
    cli_catch_interrupts();
    code = solve_all(args, context, problem, &settings, trials, count);
    for (size_t i = 0; i < count; i++) trial_clear(&trials[i]);
  }
  free(trials);
  scree_ccp_destroy(problem);
  return code;
}

/* What can be known before minutes of work is said before them. */
static int check_outputs(const cli_args *args, size_t count) {
  const char *out = cli_text(args, "out", NULL), *plot = cli_text(args, "plot", NULL);
  if (out && count > 1)
    return cli_fail(CLI_USAGE, "--out keeps one solution; name one solver, not %zu", count);
  if (out) {
    const int code = file_check_writable(out);
    if (code) return code;
  }
  return plot ? plot_check(plot) : CLI_OK;
}

/* Asked for coulomb by name, no solver that was named may answer with the relaxed model. */
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
        "fraction of the reference speed; both are always printed. Not converging is told\n"
        "in 'outcome' and is no failure unless --strict is given.",
    .flags = flags,
    .run = run,
};

/* See trial.h. */
#include "cli/problem/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *trial_default_solver(void) {
  for (size_t i = 0; i < scree_solver_count(); i++)
    if (strcmp(scree_solver_name(i), "auto") == 0) return "auto";
  return "apgd";
}

const char *trial_model_name(scree_model model) {
  return model == SCREE_MODEL_COULOMB ? "coulomb" : "relaxed";
}

size_t trial_contact_count(const scree_ccp *problem) {
  size_t count = 0;
  for (size_t i = 0; i < scree_ccp_block_count(problem); i++)
    count += scree_ccp_block_set(problem, i).kind != SCREE_SET_FREE;
  return count;
}

bool trial_has_friction(const scree_ccp *problem) {
  for (size_t i = 0; i < scree_ccp_block_count(problem); i++) {
    const scree_set set = scree_ccp_block_set(problem, i);
    if (set.dim > 1 && set.kind != SCREE_SET_FREE &&
        (set.mu > 0.0 || set.mu2 > 0.0 || set.rolling > 0.0 || set.spinning > 0.0))
      return true;
  }
  return false;
}

bool trial_settings_read(const cli_args *args, trial_settings *settings) {
  scree_solve_settings s = scree_solve_settings_default();
  int model = SCREE_MODEL_COULOMB;
  s.tolerance_error = cli_has(args, "tol-residual") && !cli_has(args, "tol") ? 0.0 : 1e-6;
  s.tolerance_residual = 0.0;
  s.iteration_limit = 0;
  if (!cli_real(args, "tol", 0.0, 1e12, &s.tolerance_error) ||
      !cli_real(args, "tol-residual", 0.0, 1e12, &s.tolerance_residual) ||
      !cli_whole(args, "max-iter", 0, 1000000000000, &s.iteration_limit) ||
      !cli_real(args, "time-limit", 0.0, INFINITY, &s.time_limit) ||
      !cli_choice(args, "model", "relaxed|coulomb", &model))
    return false;
  if (!isfinite(s.time_limit)) s.time_limit = 0.0;
  if (s.iteration_limit == 0 && s.time_limit == 0.0 && s.tolerance_error == 0.0 &&
      s.tolerance_residual == 0.0) {
    cli_fail(CLI_USAGE, "without a tolerance, --max-iter or --time-limit it would never end");
    return false;
  }
  s.model = (scree_model)model;
  *settings = (trial_settings){.solve = s,
                               .model_given = cli_has(args, "model"),
                               .args = args,
                               .verbose = cli_has(args, "verbose")};
  return true;
}

static bool unknown_solver(const char *name) {
  const char *names[64] = {"all"};
  size_t count = 1;
  for (; count < 64 && count <= scree_solver_count(); count++)
    names[count] = scree_solver_name(count - 1);
  const char *near = cli_suggest(name, names, count);
  cli_fail(CLI_USAGE, "there is no solver '%s'%s 'scree list solvers' lists them", name,
           *near ? near : ";");
  return false;
}

bool trial_solvers_read(const char *names, size_t **list, size_t *count) {
  const size_t all = scree_solver_count();
  *count = 0;
  *list = calloc(all + strlen(names), sizeof **list);
  if (!*list) {
    cli_fail(CLI_INTERNAL, "out of memory");
    return false;
  }
  if (strcmp(names, "all") == 0) {
    for (size_t i = 0; i < all; i++) (*list)[(*count)++] = i;
    return true;
  }
  for (const char *at = names; at;) {
    const size_t n = strcspn(at, ",");
    char name[64];
    snprintf(name, sizeof name, "%.*s", n < 63 ? (int)n : 63, at);
    size_t found = 0;
    while (found < all && strcmp(scree_solver_name(found), name) != 0) found++;
    if (found == all) return unknown_solver(name);
    bool twice = false;
    for (size_t i = 0; i < *count; i++) twice |= (*list)[i] == found;
    if (!twice) (*list)[(*count)++] = found;
    at = at[n] ? at + n + 1 : NULL;
  }
  return true;
}

/* ---- --set ---------------------------------------------------------------------------------- */

/* Splits "key=value" or "solver.key=value"; false when it is neither, or for another solver. */
static bool split_setting(const char *text, const char *solver, char key[64], const char **value) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || equals - text > 63) return false;
  snprintf(key, 64, "%.*s", (int)(equals - text), text);
  *value = equals + 1;
  char *dot = strchr(key, '.');
  if (!dot) return true;
  *dot = '\0';
  if (strcmp(key, solver) != 0) return false;
  memmove(key, dot + 1, strlen(dot + 1) + 1);
  return true;
}

static bool has_key(size_t solver, const char *key) {
  size_t count = 0;
  const scree_option_def *table = scree_solver_options(solver, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(table[i].key, key) == 0) return true;
  return false;
}

/* With several solvers an option goes to those that have it; with one it must have it. */
static scree_status apply_settings(const cli_args *args, scree_solver *solver, size_t index,
                                   bool alone) {
  for (size_t i = 0; args && i < args->given_count; i++) {
    if (strcmp(args->given[i].flag->name, "set") != 0) continue;
    char key[64];
    const char *value = NULL;
    if (!split_setting(args->given[i].value, scree_solver_name(index), key, &value)) continue;
    if (!alone && !has_key(index, key)) continue;
    const scree_status status = scree_solver_set(solver, key, value);
    if (status) return status;
  }
  return SCREE_OK;
}

bool trial_set_check(const cli_args *args, scree_context *context, const size_t *solvers,
                     size_t count) {
  for (size_t i = 0; i < args->given_count; i++) {
    if (strcmp(args->given[i].flag->name, "set") != 0) continue;
    const char *text = args->given[i].value;
    char key[64];
    const char *value = NULL;
    bool taken = false;
    if (!strchr(text, '=') || text[0] == '=') {
      cli_fail(CLI_USAGE, "--set needs key=value, not '%s'", text);
      return false;
    }
    for (size_t k = 0; k < count; k++)
      taken |= split_setting(text, scree_solver_name(solvers[k]), key, &value) &&
               (count == 1 || has_key(solvers[k], key));
    if (!taken) {
      cli_fail(CLI_USAGE,
               "--set %s: none of the solvers has that option; 'scree list solvers' "
               "lists them",
               text);
      return false;
    }
  }
  for (size_t k = 0; k < count; k++) {
    scree_solver *solver = NULL;
    scree_status status = scree_solver_create(context, scree_solver_name(solvers[k]), &solver);
    if (!status) status = apply_settings(args, solver, solvers[k], count == 1);
    scree_solver_destroy(solver);
    if (status) {
      cli_fail(CLI_USAGE, "%s", scree_context_message(context));
      return false;
    }
  }
  return true;
}

/* ---- the run -------------------------------------------------------------------------------- */

static void keep_point(trial *t, const scree_progress *p) {
  if (t->history_count == t->history_room) {
    const size_t room = t->history_room ? 2 * t->history_room : 256;
    trial_point *grown = realloc(t->history, room * sizeof *grown);
    if (!grown) return;
    t->history = grown;
    t->history_room = room;
  }
  t->history[t->history_count++] = (trial_point){.iteration = (double)p->iteration,
                                                 .seconds = p->seconds,
                                                 .error = p->residual.error,
                                                 .residual = p->residual.scaled};
}

/* The line on a terminal appears after half a second and is refreshed five times per second. */
static bool on_progress(void *user, const scree_progress *p) {
  trial *t = user;
  keep_point(t, p);
  if (t->verbose)
    fprintf(stderr, "%-10s iteration %8ld  %9.4f s  E %.3e  R %.3e\n", scree_solver_name(t->solver),
            p->iteration, p->seconds, p->residual.error, p->residual.scaled);
  else if (t->progress_line && p->seconds > t->line_time) {
    fprintf(stderr, "\r%s: iteration %ld, %.1f s, E %.2e, R %.2e   ", scree_solver_name(t->solver),
            p->iteration, p->seconds, p->residual.error, p->residual.scaled);
    fflush(stderr);
    t->line_shown = true;
    t->line_time = p->seconds + 0.2;
  }
  if (cli_interrupted()) t->interrupted = true;
  return !t->interrupted;
}

static void fail(trial *t, scree_status status, const char *message) {
  t->status = status;
  snprintf(t->message, sizeof t->message, "%s", message);
}

/* A solver's certificate is believed after a check that does not depend on it. */
static scree_status keep_certificate(trial *t, scree_context *context, const scree_ccp *problem,
                                     const scree_solver *solver) {
  const double *d = scree_solver_certificate(solver);
  if (!d) return SCREE_OK;
  t->rows = scree_ccp_row_count(problem);
  t->certificate = calloc(t->rows ? t->rows : 1, sizeof *t->certificate);
  if (!t->certificate) return SCREE_ERROR_MEMORY;
  memcpy(t->certificate, d, t->rows * sizeof *d);
  return scree_ccp_check_certificate(context, problem, t->info.model, d, &t->proof);
}

void trial_run(trial *t, scree_context *context, const scree_ccp *problem,
               const trial_settings *settings) {
  scree_solve_settings s = settings->solve;
  if (!scree_solver_has_coulomb(t->solver)) {
    if (settings->model_given && s.model == SCREE_MODEL_COULOMB) {
      t->refused = true;
      fail(t, SCREE_ERROR_UNSUPPORTED, "it has only the relaxed model, not coulomb");
      return;
    }
    s.model = SCREE_MODEL_RELAXED;
  }
  t->info.model = s.model;
  const char *refusal = scree_solver_refusal(t->solver, problem, s.model);
  if (refusal) {
    t->refused = true;
    fail(t, SCREE_ERROR_UNSUPPORTED, refusal);
    return;
  }
  t->verbose = settings->verbose;
  t->progress_line = !t->verbose && isatty(STDERR_FILENO);
  t->line_time = 0.5;
  s.progress = on_progress;
  s.progress_user = t;
  const size_t rows = scree_ccp_row_count(problem);
  t->g = calloc(rows ? rows : 1, sizeof *t->g);
  if (!t->g) {
    fail(t, SCREE_ERROR_MEMORY, "out of memory");
    return;
  }
  if (settings->start) {
    memcpy(t->g, settings->start, rows * sizeof *t->g);
    s.warm_start = true;
  }
  scree_solver *solver = NULL;
  t->status = scree_solver_create(context, scree_solver_name(t->solver), &solver);
  if (!t->status) t->status = apply_settings(settings->args, solver, t->solver, false);
  if (!t->status) t->status = scree_solver_solve(solver, problem, &s, t->g, &t->info);
  if (!t->status) t->status = keep_certificate(t, context, problem, solver);
  if (t->status) fail(t, t->status, scree_context_message(context));
  scree_solver_destroy(solver);
  if (t->line_shown) fprintf(stderr, "\r%78s\r", "");
}

void trial_clear(trial *t) {
  free(t->g);
  free(t->certificate);
  free(t->history);
  *t = (trial){0};
}

const char *trial_outcome(const trial *t) {
  if (t->refused) return "refused";
  if (t->status) return "failed";
  return t->interrupted ? "interrupted" : scree_outcome_text(t->info.outcome);
}

bool trial_solved(const trial *t) {
  return !t->refused && !t->status && !t->interrupted && t->info.outcome == SCREE_OUTCOME_SOLVED;
}

/* The outcome is one of the library's; an interrupted run says so in detail. */
void trial_json_begin(const char *path, size_t contacts, const trial *t, bool *first) {
  FILE *out = stdout;
  fprintf(out, "{");
  json_text_member(out, first, "problem", path);
  json_whole_member(out, first, "contacts", (long long)contacts);
  const scree_solve_info *info = &t->info;
  const scree_residual *r = &info->residual;
  const bool ran = !t->status;
  json_text_member(out, first, "solver", scree_solver_name(t->solver));
  json_text_member(out, first, "model", trial_model_name(info->model));
  json_text_member(out, first, "outcome",
                   ran ? scree_outcome_text(info->outcome) : trial_outcome(t));
  if (ran)
    json_whole_member(out, first, "iterations", info->iterations);
  else
    json_real_member(out, first, "iterations", NAN);
  json_real_member(out, first, "error", ran ? r->error : NAN);
  json_real_member(out, first, "residual", ran ? r->scaled : NAN);
  const bool relaxed = ran && info->model == SCREE_MODEL_RELAXED;
  json_real_member(out, first, "relaxation_gap", relaxed ? r->relaxation_gap : NAN);
  json_real_member(out, first, "seconds", ran ? info->seconds : NAN);
  json_real_member(out, first, "setup_seconds", ran ? info->setup_seconds : NAN);
  if (ran) {
    json_whole_member(out, first, "products", info->products);
    json_real_member(out, first, "penetration_speed", r->penetration_speed);
    json_real_member(out, first, "duality_gap", r->duality_gap);
    json_real_member(out, first, "rms", r->rms);
    json_real_member(out, first, "reference_speed", r->reference_speed);
  }
  json_text_member(out, first, "detail",
                   t->interrupted ? "interrupted"
                   : ran          ? info->detail
                                  : t->message);
}

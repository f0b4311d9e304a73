/* A trial: one solver on one problem with given limits. `solve` and `bench` are made of trials. It
 * keeps the history of residuals for plots, and an answer for every case: solved or not, refused,
 * failed. */
#ifndef SCREE_CLI_PROBLEM_TRIAL_H
#define SCREE_CLI_PROBLEM_TRIAL_H

#include "cli/cli.h"

typedef struct trial_point {
  double iteration, seconds, error, residual;
} trial_point;

typedef struct trial {
  size_t solver; /* index in the library's list */
  scree_status status;
  bool refused;
  char message[512]; /* why it was refused or failed */
  scree_solve_info info;
  double *g;           /* the impulses; null when refused */
  double *certificate; /* infeasible: why, `rows` entries; null otherwise */
  size_t rows;
  scree_certificate proof; /* what the check of the certificate said */
  trial_point *history;
  size_t history_count, history_room;
  bool verbose, progress_line, line_shown, interrupted;
  double line_time;
} trial;

typedef struct trial_settings {
  scree_solve_settings solve;
  bool model_given;
  const cli_args *args; /* --set */
  const double *start;  /* impulses to begin with; null: zeros */
  bool verbose;
} trial_settings;

/* Reads --tol, --tol-residual, --max-iter, --time-limit and --model over the defaults. False after
 * a message. */
bool trial_settings_read(const cli_args *args, trial_settings *settings);
/* Solver names, separated by commas, or "all"; *list is for free(). False after a message. */
bool trial_solvers_read(const char *names, size_t **list, size_t *count);
/* Checks that each --set is known to one of these solvers. False after a message. */
bool trial_set_check(const cli_args *args, scree_context *context, const size_t *solvers,
                     size_t count);
/* The default solver: auto when it is there. */
const char *trial_default_solver(void);
const char *trial_model_name(scree_model model);
/* Blocks that are contacts: all but bilateral rows. */
size_t trial_contact_count(const scree_ccp *problem);
bool trial_has_friction(const scree_ccp *problem);

void trial_run(trial *t, scree_context *context, const scree_ccp *problem,
               const trial_settings *settings);
void trial_clear(trial *t);
/* "solved", "time_limit", …, or "refused" and "failed". */
const char *trial_outcome(const trial *t);
bool trial_solved(const trial *t);

/* Begins the object that `solve --json` and `bench --json` print: "{", file, contacts, and what the
 * solver gave. The caller adds what it has besides and closes it. */
void trial_json_begin(const char *path, size_t contacts, const trial *t, bool *first);

#endif

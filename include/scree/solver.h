/* Scree, solver: one door to every solver of cone complementarity problems.
 *
 *   scree_solver *s;  scree_solver_create(context, "apgd", &s);
 *   scree_solver_set(s, "restart", "on");
 *   scree_solve_settings settings = scree_solve_settings_default();
 *   scree_solve_info info;
 *   double *g = calloc(scree_ccp_row_count(problem), sizeof *g);   // in: warm start, out: impulses
 *   scree_solver_solve(s, problem, &settings, g, &info);
 *
 * Not converging is an outcome in scree_solve_info, never a failed status. The residuals in info
 * come from one function that all solvers share; no solver reports its own. */
#ifndef SCREE_SOLVER_H
#define SCREE_SOLVER_H

#include "scree/ccp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_solver scree_solver;

#define SCREE_OUTCOME_LIST(X)                                                                      \
  X(SOLVED, "solved")                                                                              \
  X(ITERATION_LIMIT, "iteration_limit")                                                            \
  X(TIME_LIMIT, "time_limit")                                                                      \
  X(STALLED, "stalled")                                                                            \
  X(INFEASIBLE, "infeasible")

typedef enum scree_outcome {
#define SCREE_OUTCOME_ENUM(name, text) SCREE_OUTCOME_##name,
  SCREE_OUTCOME_LIST(SCREE_OUTCOME_ENUM)
#undef SCREE_OUTCOME_ENUM
} scree_outcome;

SCREE_API const char *scree_outcome_text(scree_outcome outcome);

/* Called at each check of the residual; return false to stop early with the best iterate. */
typedef struct scree_progress {
  long iteration;
  double seconds; /* since the solve began, setup included */
  scree_residual residual;
} scree_progress;
typedef bool (*scree_progress_function)(void *user, const scree_progress *progress);

typedef struct scree_solve_settings {
  uint32_t cookie; /* set by scree_solve_settings_default */
  scree_model model;
  double tolerance_error;    /* on E; 0: none */
  double tolerance_residual; /* on R; 0: none. Solved means that both are met. With one on E alone
                              * R <= 100 tolerance_error must hold too (its square root above 1e-4):
                              * E is relative to |g| and depends on units, so a huge impulse or
                              * heavy bodies alone can make it small; R does not */
  long iteration_limit;      /* 0: none */
  double work_limit;         /* sweeps over all blocks, or what costs as much; 0: none */
  double time_limit;         /* s, 0: none */
  bool warm_start;           /* g holds a start */
  bool alone;                /* a first-order method that stalls is not helped: else auto goes on
                              * from there, and info says so */
  long check_interval;       /* iterations between residual checks; 0: the solver's choice */
  scree_progress_function progress;
  void *progress_user;
} scree_solve_settings;

typedef struct scree_solve_info {
  scree_outcome outcome;
  scree_model model; /* the one solved: relaxed when the solver has no other */
  long iterations;
  long products;           /* applications of N, or sweeps */
  double work;             /* iterations, with Newton steps of large problems counted as the
                            * sweeps that cost as much */
  scree_residual residual; /* of the returned iterate */
  double setup_seconds;
  double seconds;     /* setup and solve */
  const char *method; /* static: the solver of the list that ended it, "gs" for the sweeps of auto;
                       * "start": the given impulses were good enough */
  char detail[160];   /* why it stalled, what was chosen; "" when there is nothing to say */
} scree_solve_info;

SCREE_API scree_solve_settings scree_solve_settings_default(void);
/* The tolerance on R: its own, or the one that goes with that of E; 0: none. */
SCREE_API double scree_solve_asked_residual(const scree_solve_settings *settings);

SCREE_API scree_status scree_solver_create(scree_context *context, const char *name,
                                           scree_solver **solver);
SCREE_API void scree_solver_destroy(scree_solver *solver);
SCREE_API scree_status scree_solver_set(scree_solver *solver, const char *key, const char *value);
SCREE_API scree_status scree_solver_solve(scree_solver *solver, const scree_ccp *problem,
                                          const scree_solve_settings *settings, double *g,
                                          scree_solve_info *info);

/* u = N g + r, and v = v_free + M^-1 D g where the form has bodies (either may be null). */
SCREE_API scree_status scree_ccp_velocities(scree_context *context, const scree_ccp *problem,
                                            const double *g, double *u, double *v);
SCREE_API scree_status scree_ccp_residual(scree_context *context, const scree_ccp *problem,
                                          scree_model model, const double *g,
                                          scree_residual *residual);

/* ---- existence ------------------------------------------------------------------------------ */

typedef enum scree_existence_verdict {
  SCREE_EXISTENCE_EXISTS,  /* a velocity lies strictly inside all dual cones: there is a solution */
  SCREE_EXISTENCE_UNKNOWN, /* neither a witness nor a certificate was found */
  SCREE_EXISTENCE_NONE,    /* a certificate was found and checked: there is no solution */
} scree_existence_verdict;

typedef struct scree_existence {
  scree_existence_verdict verdict;
  /* The largest u_n - shift(u) that a velocity can have at all contacts, m/s, lies between these:
   * `margin` is that of the velocity found (-INFINITY: none was), `margin_bound` follows from the
   * impulses that forbid more (INFINITY: none were found). A margin beyond the reference speed is
   * not looked for. Positive: a solution exists. */
  double margin, margin_bound;
  double reference_speed; /* m/s */
  double asymmetry;       /* |N - N'|_F / |N|_F; beyond 1e-9 in the local form a witness is one of
                           * the symmetric part alone, and the verdict stays unknown */
  long states;            /* states of the contacts that were enumerated; 0: none */
  bool states_refuted;    /* NONE rests on them: there is no certificate */
  bool witness;           /* v and u have been written */
  const char *reason;     /* one sentence, static */
} scree_existence;

/* Sufficient and necessary conditions, both checked from the problem's own numbers. v (witness,
 * velocity_count), u (its local velocities, row_count) and certificate (row_count) may be null;
 * each is written only with its verdict. Exact Coulomb: certificates are of normals alone; planar
 * problems with few contacts have all their states enumerated. */
SCREE_API scree_status scree_ccp_check_existence(scree_context *context, const scree_ccp *problem,
                                                 scree_model model, double *v, double *u,
                                                 double *certificate, scree_existence *existence);

/* A proof that there is no solution: impulses d in the cones (exact Coulomb: normals alone) with
 * D d = 0 (local form: W'd = 0) and r'd < 0. */
typedef struct scree_certificate {
  bool holds;
  double cone; /* how far d is outside of the cones, relative to its largest entry */
  double push; /* D d, relative to the terms of its sums */
  double gain; /* -r'd, relative to the terms of its sum */
} scree_certificate;

/* Checks d against the numbers of the problem alone, whoever found it. */
SCREE_API scree_status scree_ccp_check_certificate(scree_context *context, const scree_ccp *problem,
                                                   scree_model model, const double *d,
                                                   scree_certificate *check);
/* The certificate with which the last solve ended as infeasible, row_count entries; null when it
 * did not. Valid until the next solve. */
SCREE_API const double *scree_solver_certificate(const scree_solver *solver);

/* The list: i from 0 to scree_solver_count() - 1. */
SCREE_API size_t scree_solver_count(void);
SCREE_API const char *scree_solver_name(size_t i);
SCREE_API const char *scree_solver_summary(size_t i);
SCREE_API bool scree_solver_has_coulomb(size_t i);
/* Does it run on several ranks (scree/distributed.h)? */
SCREE_API bool scree_solver_spreads(size_t i);
SCREE_API const scree_option_def *scree_solver_options(size_t i, size_t *count);
/* Null when the named solver can take the problem with this model, else why it cannot. */
SCREE_API const char *scree_solver_refusal(size_t i, const scree_ccp *problem, scree_model model);

#ifdef __cplusplus
}
#endif
#endif

/* Sweep solvers: Jacobi, Gauss–Seidel, SOR and SSOR, projected block by block.
 *
 *   isotropic   g_i <- lambda P(g_i - omega eta_i u_i) + (1 - lambda) g_i
 *   exact       g_i <- the solution of block i with the others held, over-relaxed by omega
 *
 * Gauss–Seidel uses u as the sweep leaves it, Jacobi u of the last iterate (isotropic only). The
 * exact Coulomb model shifts u_n by mu |u_T|. Iterations grow with the square of the height of a
 * pile in bodies. */
#include "ccp/operator_fused.h"
#include "solve/solver.h"

static const scree_option_def sweep_options[] = {
    {"omega", SCREE_OPTION_REAL, 1.0, 0.01, 1.99, NULL, "", "over-relaxation of the block step"},
    {"lambda", SCREE_OPTION_REAL, 1.0, 0.01, 1.0, NULL, "", "blend of new and old impulses"},
    {"metric", SCREE_OPTION_CHOICE, 1, 0, 1, "isotropic|exact", "",
     "block step: scaled by eta, or the block solved exactly"},
};

static const scree_option_def sor_options[] = {
    {"omega", SCREE_OPTION_REAL, 1.2, 0.01, 1.99, NULL, "", "over-relaxation of the block step"},
    {"lambda", SCREE_OPTION_REAL, 1.0, 0.01, 1.0, NULL, "", "blend of new and old impulses"},
    {"metric", SCREE_OPTION_CHOICE, 1, 0, 1, "isotropic|exact", "",
     "block step: scaled by eta, or the block solved exactly"},
};

static op_sweep_params params_of(const solve_run *run) {
  return (op_sweep_params){
      .metric = run_option(run, "metric") > 0.5 ? OP_METRIC_EXACT : OP_METRIC_ISOTROPIC,
      .model = run->model,
      .omega = run_option(run, "omega"),
      .lambda = run_option(run, "lambda"),
  };
}

static scree_status iterate(solve_run *run, op_sweep_params *params, bool symmetric) {
  bool ended = solve_begin_sweeps(run);
  for (long iteration = 1; !ended; iteration++) {
    params->backward = symmetric && iteration % 2 == 0;
    const double change = op_sweep_inside(run->op, params, run->g);
    run->products++;
    if (solve_due_hint(run, iteration, change)) ended = solve_check_inside(run, iteration);
  }
  solve_end_sweeps(run);
  return SCREE_OK;
}

static scree_status run_gs(solve_run *run) {
  op_sweep_params params = params_of(run);
  return iterate(run, &params, false);
}

scree_status sweeps_run(solve_run *run) {
  op_sweep_params params = {
      .metric = OP_METRIC_EXACT, .model = run->model, .omega = 1.0, .lambda = 1.0};
  return iterate(run, &params, false);
}

static scree_status run_ssor(solve_run *run) {
  op_sweep_params params = params_of(run);
  return iterate(run, &params, true);
}

static const scree_option_def jacobi_options[] = {
    {"omega", SCREE_OPTION_REAL, 0.5, 0.001, 1.99, NULL, "",
     "step of the blocks in units of eta; halved while it is too long"},
    {"lambda", SCREE_OPTION_REAL, 1.0, 0.01, 1.0, NULL, "", "blend of new and old impulses"},
};

/* A step d of length omega descends when omega d'Nd < 2 |d|^2/eta; longer ones are halved for good.
 */
static scree_status run_jacobi(solve_run *run) {
  ccp_operator *op = run->op;
  double *u = run->vector[1], *next = run->vector[2], *nd = run->vector[3];
  const double lambda = run_option(run, "lambda");
  double omega = run_option(run, "omega");
  op_local_velocity(op, run->g, u);
  for (long iteration = 1;; iteration++) {
    op_project_step(op, run->g, omega, u, next);
    op_combine(op, lambda, next, -lambda, run->g, next); /* now the change */
    op_apply(op, next, nd);
    run->products++;
    if (omega * op_dot(op, next, nd) > 1.9 * op_dot_over_eta(op, next, next))
      omega *= 0.5;
    else {
      op_combine(op, 1.0, run->g, 1.0, next, run->g);
      op_combine(op, 1.0, u, 1.0, nd, u);
    }
    if (iteration % 100 == 0) op_local_velocity(op, run->g, u);
    if (solve_due(run, iteration) && solve_check(run, iteration, run->g, u)) return SCREE_OK;
  }
}

/* Sweeps that a run with little time begins with, and those that it gets where that is over. */
enum { SECURE_SWEEPS = 10, LEAST_SWEEPS = 4 };

bool solve_secure(solve_run *run) {
  const op_sweep_params params = {
      .metric = OP_METRIC_EXACT, .model = run->model, .omega = 1.0, .lambda = 1.0};
  if (!solve_has_little_time(run)) return false;
  op_sweep_begin(run->op, run->g);
  long k = 0;
  for (; k < SECURE_SWEEPS && (k < LEAST_SWEEPS || !solve_is_over(run)); k++)
    op_sweep(run->op, &params, run->g);
  run->products += k;
  return solve_adopt(run, k, run->g);
}

#define OPTIONS(table) .options = table, .option_count = sizeof table / sizeof table[0]
/* What all methods by sweeps with exact friction can do. */
#define SWEEPS                                                                                     \
  .coulomb = true, .projects = true, .flows = true, .spreads = true, .judges_start = true,         \
  .vector_count = 1

const solver_class solver_jacobi = {
    .name = "jacobi",
    .summary = "projected Jacobi: all blocks at once; the slowest, a reference",
    OPTIONS(jacobi_options),
    .coulomb = false,
    .projects = true,
    .vector_count = 4,
    .run = run_jacobi,
};

const solver_class solver_gs = {
    .name = "gs",
    .summary = "projected Gauss-Seidel over a colouring of the blocks",
    OPTIONS(sweep_options),
    SWEEPS,
    .run = run_gs,
};

const solver_class solver_sor = {
    .name = "sor",
    .summary = "Gauss-Seidel with over-relaxation omega and blending lambda",
    OPTIONS(sor_options),
    SWEEPS,
    .run = run_gs,
};

const solver_class solver_ssor = {
    .name = "ssor",
    .summary = "SOR with sweeps forward and backward in turn",
    OPTIONS(sor_options),
    SWEEPS,
    .run = run_ssor,
};

static const scree_option_def nsgs_options[] = {
    {"omega", SCREE_OPTION_REAL, 1.0, 0.01, 1.99, NULL, "", "over-relaxation of the block step"},
    {"lambda", SCREE_OPTION_REAL, 1.0, 0.01, 1.0, NULL, "", "blend of new and old impulses"},
    {"symmetric", SCREE_OPTION_BOOL, 0, 0, 1, NULL, "", "sweeps forward and backward in turn"},
};

static scree_status run_nsgs(solve_run *run) {
  op_sweep_params params = {.metric = OP_METRIC_EXACT,
                            .model = run->model,
                            .omega = run_option(run, "omega"),
                            .lambda = run_option(run, "lambda")};
  return iterate(run, &params, run_option(run, "symmetric") > 0.5);
}

const solver_class solver_nsgs = {
    .name = "nsgs",
    .summary = "non-smooth Gauss-Seidel: each block solved exactly, exact Coulomb",
    OPTIONS(nsgs_options),
    SWEEPS,
    .run = run_nsgs,
};

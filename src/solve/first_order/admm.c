/* Proximal ADMM with one factorisation, in the metric D = 1 / eta of each block:
 *
 *   (N + rho D) x = -r - s e_n + rho D (y - w)
 *   y = P(x̂ + w),   x̂ = relax x + (1 - relax) y_old,   w += x̂ - y
 *
 * At the solution x = y = g and u = -rho D w; the De Saxcé shift s = mu |u_T| is taken from that u
 * at every iteration (exact Coulomb). Rho follows the balance of the residuals |x - y| and |y -
 * y_old|. */
#include "solve/first_order/admm.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/forms/matrices.h"
#include "ccp/sets/set.h"
#include "math/block_lu.h"

struct admm_work {
  scree_context *context;
  block_lu *lu;
  uint32_t *size;
  double *value;
};

scree_status admm_work_create(scree_context *context, admm_work **out) {
  admm_work *w = memory_new(context, 1, sizeof *w);
  *out = w;
  if (!w) return SCREE_ERROR_MEMORY;
  w->context = context;
  return block_lu_create(context, &w->lu);
}

void admm_work_destroy(admm_work *w) {
  if (!w) return;
  block_lu_destroy(w->lu);
  memory_free(w->context, w->size);
  memory_free(w->context, w->value);
  memory_free(w->context, w);
}

/* D of row k of block i; 0 for a block without inertia. */
static double metric(const ccp_operator *op, size_t i, int k, int forces) {
  const double eta = k < forces ? op->eta_force[i] : op->eta_moment[i];
  return eta > 0.0 ? 1.0 / eta : 0.0;
}

static scree_status factor(admm_work *w, const ccp_operator *op, const sparse_blocks *n,
                           double rho) {
  const size_t blocks = op->block_count, entries = n->start[blocks];
  if (memory_grow(w->context, &w->size, blocks, sizeof *w->size) ||
      memory_grow(w->context, &w->value, n->offset[entries], sizeof *w->value))
    return SCREE_ERROR_MEMORY;
  memcpy(w->value, n->value, n->offset[entries] * sizeof *w->value);
  for (size_t i = 0; i < blocks; i++) {
    const int dim = ccp_dim(op->problem, i), forces = op_force_rows(op, i);
    w->size[i] = (uint32_t)dim;
    for (size_t k = n->start[i]; k < n->start[i + 1]; k++)
      for (int d = 0; n->column[k] == i && d < dim; d++)
        w->value[n->offset[k] + (size_t)(d * dim + d)] += rho * metric(op, i, d, forces);
  }
  size_t replaced = 0;
  scree_status status = block_lu_analyse(w->lu, blocks, w->size, n->start, n->column);
  if (!status) status = block_lu_factor(w->lu, n->offset, w->value, &replaced);
  return status;
}

/* Right-hand side of x: -r - s e_n + rho D (y - w). */
static void fill_rhs(const ccp_operator *op, scree_model model, double rho, const double *y,
                     const double *w, double *x) {
  for (size_t i = 0; i < op->block_count; i++) {
    const size_t row = op->row_start[i];
    const int dim = ccp_dim(op->problem, i), forces = op_force_rows(op, i);
    double u[SCREE_MAX_DIM];
    for (int k = 0; k < dim; k++) {
      const size_t at = row + (size_t)k;
      const double d = rho * metric(op, i, k, forces);
      u[k] = -d * w[at];
      x[at] = -op->r[at] + d * (y[at] - w[at]);
    }
    if (model == SCREE_MODEL_RELAXED) continue;
    /* The multiplier is what flows; of N x + r = u the tangents follow from it, and what the two
     * differ by is an offset. */
    const scree_set *set = ccp_set(op->problem, i);
    double flow[SCREE_MAX_DIM];
    if (set_has_flow(set)) {
      set_flow_parts parts;
      set_flow_split(set, &parts);
      for (int k = 1; k < dim; k++) u[k] /= parts.along[k];
    }
    scree_set_flow(set, u, flow);
    for (int k = 0; k < dim; k++) x[row + (size_t)k] -= flow[k] - u[k];
  }
}

/* The projection and the dual step; returns the squared residuals in the metric D. */
static void project(const ccp_operator *op, double relax, const double *x, double *y, double *w,
                    double *primal, double *dual) {
  *primal = *dual = 0.0;
  for (size_t i = 0; i < op->block_count; i++) {
    const size_t row = op->row_start[i];
    const int dim = ccp_dim(op->problem, i), forces = op_force_rows(op, i);
    const double eta = op->eta_force[i], eta_m = op->eta_moment ? op->eta_moment[i] : 0.0;
    double z[SCREE_MAX_DIM], p[SCREE_MAX_DIM];
    for (int k = 0; k < dim; k++) {
      const size_t at = row + (size_t)k;
      z[k] = p[k] = relax * x[at] + (1.0 - relax) * y[at] + w[at];
    }
    scree_set_project(ccp_set(op->problem, i), dim > forces && eta_m > 0.0 ? eta / eta_m : 1.0, p);
    for (int k = 0; k < dim; k++) {
      const size_t at = row + (size_t)k;
      const double d = metric(op, i, k, forces), a = x[at] - p[k], b = p[k] - y[at];
      *primal += d * a * a;
      *dual += d * b * b;
      w[at] = z[k] - p[k];
      y[at] = p[k];
    }
  }
}

scree_status admm_iterate(admm_work *work, solve_run *run, const sparse_blocks *n,
                          const admm_params *params, double *const vector[3], long *iteration) {
  ccp_operator *op = run->op;
  double *x = vector[0], *y = vector[1], *w = vector[2];
  double rho = params->rho;
  scree_status status = factor(work, op, n, rho);
  if (status) return status;
  /* Start at y = g with w from the velocity there. */
  op_copy(op, run->g, y);
  op_local_velocity(op, y, x);
  for (size_t i = 0; i < op->block_count; i++) {
    const int forces = op_force_rows(op, i);
    for (int k = 0; k < ccp_dim(op->problem, i); k++) {
      const size_t at = op->row_start[i] + (size_t)k;
      const double d = rho * metric(op, i, k, forces);
      w[at] = d > 0.0 ? -x[at] / d : 0.0;
    }
  }
  long next_balance = 10;
  for (long step = 1; params->limit == 0 || step <= params->limit; step++) {
    double primal, dual;
    fill_rhs(op, run->model, rho, y, w, x);
    block_lu_solve(work->lu, x);
    project(op, params->relax, x, y, w, &primal, &dual);
    run->products++;
    ++*iteration;
    if (solve_due(run, *iteration) && solve_check(run, *iteration, y, NULL)) break;
    if (!params->balance || step < next_balance) continue;
    next_balance = 2 * step;
    /* Squared residuals: |x - y| against rho-scaled steps of y. */
    double change = 1.0;
    if (primal > 100.0 * dual * rho * rho)
      change = 3.0;
    else if (dual * rho * rho > 100.0 * primal)
      change = 1.0 / 3.0;
    if (change == 1.0) continue;
    rho *= change;
    for (size_t k = 0; k < op->row_count; k++) w[k] /= change;
    status = factor(work, op, n, rho);
    if (status) return status;
  }
  op_copy(op, y, run->g);
  return SCREE_OK;
}

/* ---- as a solver ---------------------------------------------------------------------------- */

static const scree_option_def admm_options[] = {
    {"rho", SCREE_OPTION_REAL, 0.1, 1e-9, 1e9, NULL, "", "penalty, in units of the block diagonal"},
    {"relax", SCREE_OPTION_REAL, 1.6, 1.0, 1.95, NULL, "", "over-relaxation"},
    {"balance", SCREE_OPTION_BOOL, 1, 0, 1, NULL, "", "adapt rho to the two residuals"},
};

static scree_status run_admm(solve_run *run) {
  formed_matrix n = {.start = NULL};
  scree_status status = form_delassus(run->op, &n);
  if (!status && !*run->state) status = admm_work_create(run->context, (admm_work **)run->state);
  const admm_params params = {.rho = run_option(run, "rho"),
                              .relax = run_option(run, "relax"),
                              .balance = run_option(run, "balance") > 0.5,
                              .limit = 0};
  long iteration = 0;
  if (!status)
    status = admm_iterate(*run->state, run, &n.blocks, &params, run->vector + 1, &iteration);
  formed_matrix_clear(run->context, &n);
  return status;
}

static void release(scree_context *context, void *state) {
  (void)context;
  admm_work_destroy(state);
}

/* Offsets that follow the iterate a step behind do not settle where the direction of sliding is
 * turned: E stays at 1e-7 and above in one of some tens of blocks. */
static const char *refuse(const scree_ccp *problem, scree_model model) {
  for (size_t s = 0; model == SCREE_MODEL_COULOMB && s < problem->set_count; s++) {
    set_flow_parts parts;
    set_flow_split(&problem->set[s], &parts);
    for (int k = 1; k < problem->set[s].dim; k++)
      if (parts.along[k] != 1.0)
        return "it does not take a flow that turns the direction of sliding; take auto, gs, nsgs, "
               "fpp or prox";
  }
  return NULL;
}

const solver_class solver_admm = {
    .name = "admm",
    .summary = "alternating directions with one factorisation; joints with contacts",
    .options = admm_options,
    .option_count = sizeof admm_options / sizeof admm_options[0],
    .coulomb = true,
    .projects = true,
    .flows = true,
    .refuse = refuse,
    .vector_count = 4,
    .run = run_admm,
    .release = release,
};

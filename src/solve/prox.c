/* Proximal point loop around an active-set Newton method (METHODS 5.3b), after a short warm-up by
 * Gauss–Seidel sweeps with exact block solves.
 *
 *   outer: find g of  N g + r + a D (g - g_k)  with the sets, roughly; g_{k+1} = g; a decreases
 *   inner: full Newton steps on the active set (active_set.h), no line search
 *
 * Exact Coulomb problems have no potential: steps are judged by the residual of the proximal
 * problem against the true one. A failed inner loop restores the centre and raises a. */
#include <math.h>

#include "base/memory.h"
#include "solve/active_set.h"
#include "solve/admm.h"
#include "solve/solver.h"

static const scree_option_def prox_options[] = {
    {"warmup", SCREE_OPTION_INT, 20, 0, 1e6, NULL, "", "sweeps before the first Newton step"},
    {"prox", SCREE_OPTION_REAL, 1e-3, 1e-12, 1e3, NULL, "", "first proximal weight a"},
    {"decrease", SCREE_OPTION_REAL, 0.1, 1e-3, 0.9, NULL, "", "factor on a after a success"},
    {"floor", SCREE_OPTION_REAL, 1e-8, 0.0, 1.0, NULL, "", "smallest a"},
    {"inner", SCREE_OPTION_INT, 10, 1, 1000, NULL, "", "Newton steps for one a"},
};

/* Kept from one solve to the next. */
typedef struct prox_state {
  active_set *set;
  admm_work *admm;
} prox_state;

typedef struct prox {
  solve_run *run;
  ccp_operator *op;
  prox_state *state;
  active_set *set;
  active_matrix n;
  double *u, *next, *centre, *prox_u, *scratch;
  double a, decrease, next_decrease;
  long iteration, most_steps, most_without;
  int failures, failure_limit;
} prox;

/* Sweeps while they pay: go on only while E falls by more than 6.7 in ten sweeps. True: ended. */
static bool warm_up(prox *p) {
  const long most = (long)run_option(p->run, "warmup");
  if (most == 0) return false;
  const op_sweep_params params = {
      .metric = OP_METRIC_EXACT, .model = p->run->model, .omega = 1.0, .lambda = 1.0};
  double reference = INFINITY;
  op_sweep_begin(p->op, p->run->g);
  for (long sweep = 1;; sweep++) {
    op_sweep(p->op, &params, p->run->g);
    p->run->products++;
    p->iteration++;
    const bool early = sweep <= 10 && sweep % 2 == 0;
    if (!early && sweep % 10 != 0) continue;
    if (solve_check(p->run, p->iteration, p->run->g, NULL)) return true;
    if (sweep % 10 != 0) continue;
    const double error = p->run->best_residual.error;
    if (sweep >= most && !(error < reference / 6.7)) return false;
    reference = error;
  }
}

/* u_prox = u + a D (g - centre) */
static void prox_velocity(const prox *p, const double *g, const double *u, double *out) {
  const ccp_operator *op = p->op;
  for (size_t i = 0; i < op->block_count; i++) {
    const int forces = op_force_rows(op, i);
    const size_t row = op->row_start[i];
    for (int k = 0; k < ccp_dim(op->problem, i); k++) {
      const double eta = k < forces ? op->eta_force[i] : op->eta_moment[i];
      const size_t at = row + (size_t)k;
      out[at] = u[at] + (eta > 0.0 ? p->a / eta * (g[at] - p->centre[at]) : 0.0);
    }
  }
}

typedef enum inner_result { INNER_SUCCESS, INNER_FAILURE, INNER_ENDED } inner_result;

/* Newton steps at the present a, from the centre in run->g. */
static scree_status inner(prox *p, inner_result *result, long *steps) {
  ccp_operator *op = p->op;
  solve_run *run = p->run;
  double best = INFINITY;
  long without = 0;
  op_local_velocity(op, run->g, p->u);
  op_copy(op, p->u, p->prox_u);
  *result = INNER_FAILURE;
  for (*steps = 1; *steps <= p->most_steps; ++*steps) {
    size_t unknowns = 0;
    const scree_status status = active_set_step(p->set, op, &p->n, run->model, p->a, p->centre,
                                                run->g, p->prox_u, p->next, &unknowns);
    if (status) return status;
    op_copy(op, p->next, run->g);
    op_local_velocity(op, run->g, p->u);
    run->products++;
    p->iteration++;
    if (solve_check(run, p->iteration, run->g, p->u)) {
      *result = INNER_ENDED;
      return SCREE_OK;
    }
    scree_residual truth, proximal;
    prox_velocity(p, run->g, p->u, p->prox_u);
    op_residual(op, run->model, run->g, p->u, p->scratch, &truth);
    op_residual(op, run->model, run->g, p->prox_u, p->scratch, &proximal);
    if (proximal.residual <= 0.5 * truth.residual || proximal.error <= 0.1 * truth.error) {
      *result = INNER_SUCCESS;
      return SCREE_OK;
    }
    if (proximal.residual < best) {
      best = proximal.residual;
      without = 0;
    } else if (++without >= p->most_without) {
      return SCREE_OK;
    }
  }
  return SCREE_OK;
}

static scree_status outer(prox *p) {
  solve_run *run = p->run;
  const double floor_a = run_option(run, "floor");
  for (;;) {
    inner_result result;
    long steps = 0;
    op_copy(p->op, run->g, p->centre);
    const scree_status status = inner(p, &result, &steps);
    if (status || result == INNER_ENDED) return status;
    if (result == INNER_SUCCESS) {
      if (steps <= 5) {
        p->a = fmax(p->a * p->next_decrease, floor_a);
        p->next_decrease = p->decrease;
      }
      continue;
    }
    op_copy(p->op, p->centre, run->g);
    p->a *= 3.0;
    p->next_decrease = sqrt(p->decrease);
    if (++p->failures > p->failure_limit) return SCREE_OK;
    if (p->a > 1e6) {
      solve_finish(run, SCREE_OUTCOME_STALLED, "the proximal weight grew without a success");
      return SCREE_OK;
    }
  }
}

/* When the active set churns from the warm-up's point: start again from ADMM iterates, with a
 * slower schedule. */
static scree_status restart_from_admm(prox *p) {
  solve_run *run = p->run;
  const admm_params params = {.rho = 0.1, .relax = 1.6, .balance = true, .limit = 100};
  double *const vectors[3] = {p->u, p->next, p->centre};
  scree_status status = SCREE_OK;
  if (!p->state->admm) status = admm_work_create(run->context, &p->state->admm);
  if (status) return status;
  for (size_t k = 0; k < p->op->row_count; k++) run->g[k] = 0.0;
  op_project(p->op, run->g);
  status = admm_iterate(p->state->admm, run, &p->n, &params, vectors, &p->iteration);
  if (status || run->ended) return status;
  p->a = run_option(run, "prox");
  p->decrease = p->next_decrease = 0.3;
  p->most_steps = 8;
  p->most_without = 2;
  p->failure_limit = 1000000;
  return outer(p);
}

static scree_status prepare(prox *p) {
  solve_run *run = p->run;
  if (!*run->state) *run->state = memory_new(run->context, 1, sizeof(prox_state));
  p->state = *run->state;
  if (!p->state) return SCREE_ERROR_MEMORY;
  scree_status status = SCREE_OK;
  if (!p->state->set) status = active_set_create(run->context, &p->state->set);
  if (status) return status;
  p->set = p->state->set;
  status = active_matrix_of(run->op, &p->n);
  return status ? status : active_set_prepare(p->set, run->op, &p->n);
}

static scree_status run_prox(solve_run *run) {
  prox p = {.run = run,
            .op = run->op,
            .u = run->vector[1],
            .next = run->vector[2],
            .centre = run->vector[3],
            .prox_u = run->vector[4],
            .scratch = run->vector[5],
            .a = run_option(run, "prox"),
            .decrease = run_option(run, "decrease"),
            .next_decrease = run_option(run, "decrease"),
            .most_steps = (long)run_option(run, "inner"),
            .most_without = 3,
            .failure_limit = 4};
  if (warm_up(&p)) return SCREE_OK;
  scree_status status = prepare(&p);
  if (!status) status = outer(&p);
  if (!status && !run->ended) status = restart_from_admm(&p);
  return status;
}

static void release(scree_context *context, void *state) {
  prox_state *s = state;
  active_set_destroy(s->set);
  admm_work_destroy(s->admm);
  memory_free(context, s);
}

const solver_class solver_prox = {
    .name = "prox",
    .summary = "active-set Newton inside a proximal point loop; exact Coulomb, tight tolerances",
    .options = prox_options,
    .option_count = sizeof prox_options / sizeof prox_options[0],
    .coulomb = true,
    .vector_count = 6,
    .refuse = active_matrix_refusal,
    .run = run_prox,
    .release = release,
};

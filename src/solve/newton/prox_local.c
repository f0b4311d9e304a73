/* See prox_local.h.
 *
 *   wanted_i    the residual of block i and its surroundings at the centre: what the region is like
 *   step i is solved when the residual of its proximal problem is below 0.3 max(wanted_i, R_i)
 *   a_i         5 times as large in a region that failed, 0.3 times elsewhere; the weight that
 *               failed is remembered, so that a_i settles just above it
 *
 * Where kept and withdrawn steps meet, residuals may appear that neither had: blocks left with more
 * than their region had are withdrawn too. Without that, regions kick each other for ever. */
#include "solve/newton/prox_local.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_STEPS = 3, MOST_WITHOUT = 2, RINGS = 2, SEEN_RINGS = 3, PASSES = 4 };
static const double solved_share = 0.3, fade = 0.7, raise = 5.0, raise_near = 0.5, decrease = 0.3;
static const double largest_weight = 1e-2, smallest_weight = 1e-5, forget = 0.7;
static const double beyond_wanted = 3.0, share_of_worst = 0.1;
/* Sweeps after a failure, in turn, in units of those that cost as much as a Newton step: regions
 * that cannot be solved where they are must move on, and sweeps are the cheapest way; no fixed
 * number, as they may run in cycles. */
static const double sweeps[] = {0.0, 0.3, 1.0, 3.0, 10.0};
enum { SWEEP_TURNS = sizeof sweeps / sizeof sweeps[0] };

struct prox_local {
  scree_context *context;
  double *weight, *failed, *wanted, *truth, *proximal, *mark, *raised, *scratch; /* blocks */
};

scree_status prox_local_create(scree_context *context, prox_local **work) {
  *work = memory_new(context, 1, sizeof **work);
  if (!*work) return SCREE_ERROR_MEMORY;
  (*work)->context = context;
  return SCREE_OK;
}

void prox_local_destroy(prox_local *w) {
  if (!w) return;
  double *const all[] = {w->weight,   w->failed, w->wanted, w->truth,
                         w->proximal, w->mark,   w->raised, w->scratch};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) memory_free(w->context, all[k]);
  memory_free(w->context, w);
}

static scree_status prepare(prox_local *w, size_t blocks, double weight, bool resumes) {
  double **const all[] = {&w->weight,   &w->failed, &w->wanted, &w->truth,
                          &w->proximal, &w->mark,   &w->raised, &w->scratch};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
    if (memory_grow(w->context, all[k], blocks, sizeof(double))) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < blocks && !resumes; i++) {
    w->weight[i] = weight;
    w->failed[i] = 0.0;
  }
  return SCREE_OK;
}

typedef struct local_run {
  prox_local *w;
  solve_run *run;
  ccp_operator *op;
  active_set *set;
  const sparse_blocks *n;
  double *u, *next, *centre, *prox_u;
  long *iteration;
} local_run;

/* x_i becomes at least `share` of its neighbours', `rings` times over. */
static void spread(const local_run *p, double share, int rings, double *x) {
  const sparse_blocks *n = p->n;
  for (int ring = 0; ring < rings; ring++) {
    memcpy(p->w->scratch, x, n->count * sizeof *x);
    for (size_t i = 0; i < n->count; i++) {
      const double from = share * p->w->scratch[i];
      if (!(from > 0.0)) continue;
      for (size_t k = n->start[i]; k < n->start[i + 1]; k++)
        if (from > x[n->column[k]]) x[n->column[k]] = from;
    }
  }
}

static void withdraw(const local_run *p, size_t i) {
  const size_t first = p->op->row_start[i], last = p->op->row_start[i + 1];
  memcpy(p->run->g + first, p->centre + first, (last - first) * sizeof(double));
}

static void prox_velocity(const local_run *p) {
  const ccp_operator *op = p->op;
  for (size_t i = 0; i < op->block_count; i++) {
    const int forces = op_force_rows(op, i);
    for (size_t at = op->row_start[i]; at < op->row_start[i + 1]; at++) {
      const double eta =
          (int)(at - op->row_start[i]) < forces ? op->eta_force[i] : op->eta_moment[i];
      p->prox_u[at] =
          p->u[at] + (eta > 0.0 ? p->w->weight[i] / eta * (p->run->g[at] - p->centre[at]) : 0.0);
    }
  }
}

/* Marks the blocks whose proximal problem is not solved; how many. */
static size_t mark_unsolved(const local_run *p) {
  prox_local *w = p->w;
  size_t count = 0;
  for (size_t i = 0; i < p->op->block_count; i++) {
    const bool solved = w->proximal[i] <= solved_share * fmax(w->wanted[i], w->truth[i]);
    w->mark[i] = solved && isfinite(w->truth[i]) ? 0.0 : 1.0;
    count += !solved;
  }
  return count;
}

/* Newton steps from the centre in run->g. *ended: the run has ended. */
static scree_status newton_steps(local_run *p, bool *ended) {
  prox_local *w = p->w;
  double *g = p->run->g;
  size_t fewest = SIZE_MAX;
  int without = 0;
  *ended = false;
  op_copy(p->op, p->u, p->prox_u);
  for (int step = 0; step < MOST_STEPS; step++) {
    scree_residual truth, proximal;
    const scree_status status = active_set_step(p->set, p->op, p->n, p->run->model, w->weight,
                                                p->centre, g, p->prox_u, p->next);
    if (status) return status;
    ++*p->iteration;
    p->run->products++;
    if (!isfinite(op_max_abs(p->op, p->next))) { /* the whole step failed */
      for (size_t i = 0; i < p->op->block_count; i++) w->mark[i] = 1.0;
      return SCREE_OK;
    }
    op_copy(p->op, p->next, g);
    op_local_velocity(p->op, g, p->u);
    op_residual_each(p->op, p->run->model, g, p->u, &truth, w->truth);
    if (isfinite(truth.scaled) && (*ended = solve_check_judged(p->run, *p->iteration, g, &truth)))
      return SCREE_OK;
    prox_velocity(p);
    op_residual_each(p->op, p->run->model, g, p->prox_u, &proximal, w->proximal);
    const size_t unsolved = mark_unsolved(p);
    if (unsolved == 0) return SCREE_OK;
    if (unsolved < fewest) {
      fewest = unsolved;
      without = 0;
    } else if (++without >= MOST_WITHOUT) {
      return SCREE_OK;
    }
  }
  return SCREE_OK;
}

/* Weights after the steps; withdraws failed regions. True: there are some. */
static bool settle_weights(const local_run *p) {
  prox_local *w = p->w;
  const size_t blocks = p->op->block_count;
  bool some = false;
  for (size_t i = 0; i < blocks; i++) {
    w->raised[i] = w->mark[i] > 0.0 ? raise * w->weight[i] : 0.0;
    if (w->mark[i] > 0.0) w->failed[i] = w->weight[i];
  }
  spread(p, 1.0, RINGS, w->mark);
  spread(p, raise_near, RINGS, w->raised);
  for (size_t i = 0; i < blocks; i++) {
    double *a = &w->weight[i];
    if (w->mark[i] > 0.0) {
      some = true;
      withdraw(p, i);
      *a = fmin(fmax(*a, w->raised[i]), largest_weight);
      continue;
    }
    const double above_failed = sqrt(*a * w->failed[i]);
    double lower = decrease * *a;
    if (above_failed < *a) lower = fmax(lower, above_failed);
    *a = fmax(lower, smallest_weight);
    w->failed[i] *= forget;
  }
  return some;
}

/* Withdraws further blocks until none has more than its region had at the centre. */
static void withdraw_rest(const local_run *p, double worst) {
  prox_local *w = p->w;
  const size_t blocks = p->op->block_count;
  for (int pass = 0; pass < PASSES; pass++) {
    scree_residual truth;
    size_t beyond = 0;
    op_local_velocity(p->op, p->run->g, p->u);
    op_residual_each(p->op, p->run->model, p->run->g, p->u, &truth, w->truth);
    for (size_t i = 0; i < blocks; i++) {
      const bool more =
          !(w->truth[i] <= beyond_wanted * fmax(w->wanted[i], share_of_worst * worst));
      w->raised[i] = more || pass == PASSES - 1 ? 1.0 : 0.0;
      beyond += more;
    }
    if (beyond == 0) return;
    spread(p, 1.0, RINGS, w->raised);
    for (size_t i = 0; i < blocks; i++) {
      if (w->raised[i] <= 0.0 || w->mark[i] > 0.0) continue;
      w->mark[i] = 1.0;
      w->weight[i] = fmin(2.0 * w->weight[i], largest_weight);
      withdraw(p, i);
    }
  }
}

static void sweep_on(const local_run *p, long count) {
  const op_sweep_params params = {
      .metric = OP_METRIC_EXACT, .model = p->run->model, .omega = 1.0, .lambda = 1.0};
  if (count == 0) return;
  op_sweep_begin(p->op, p->run->g);
  for (long k = 0; k < count; k++) op_sweep_inside(p->op, &params, p->run->g);
  op_sweep_store(p->op, p->run->g);
  p->run->products += count;
}

static double least_residual(const solve_run *run, double worst) {
  const double tolerance = run->settings->tolerance_residual;
  return tolerance > 0.0 ? 0.1 * tolerance : 1e-3 * worst;
}

scree_status prox_local_iterate(prox_local *w, solve_run *run, active_set *set,
                                const sparse_blocks *n, const prox_local_params *params,
                                double *const vector[4], long *iteration) {
  local_run p = {.w = w,
                 .run = run,
                 .op = run->op,
                 .set = set,
                 .n = n,
                 .u = vector[0],
                 .next = vector[1],
                 .centre = vector[2],
                 .prox_u = vector[3],
                 .iteration = iteration};
  const size_t blocks = run->op->block_count;
  const long last = *iteration + params->limit;
  size_t turn = 0;
  scree_status status = prepare(w, blocks, params->weight, params->resumes);
  while (!status && *iteration < last && !(run->best_residual.scaled < params->pause)) {
    scree_residual start;
    bool ended;
    op_copy(run->op, run->g, p.centre);
    op_local_velocity(run->op, run->g, p.u);
    op_residual_each(run->op, run->model, run->g, p.u, &start, w->wanted);
    const double least = least_residual(run, start.scaled);
    for (size_t i = 0; i < blocks; i++) w->wanted[i] = fmax(w->wanted[i], least);
    spread(&p, fade, SEEN_RINGS, w->wanted);
    status = newton_steps(&p, &ended);
    if (status || ended) return status;
    if (!settle_weights(&p)) continue;
    withdraw_rest(&p, start.scaled);
    sweep_on(&p, (long)(params->sweeps * sweeps[turn++ % SWEEP_TURNS]));
  }
  return status;
}

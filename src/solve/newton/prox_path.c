/* See prox_path.h.
 *
 *   jump      all weights fall by e^-fall, Newton steps; where they fail the weights stay, until
 *             the rest succeeds
 *   regions   each connected set of blocks where they failed: smaller falls of its own weights, by
 *             Newton steps, then by walk_follow; where that fails too the region is left out
 *   centre    when no weight can fall any more, sweeps move what was left out, and all begins again
 *             from there */
#include "solve/newton/prox_path.h"
#include "ccp/sets/set.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solve/newton/prox_walk.h"

static const double first_weight = 0.1, smallest_weight = 1e-7;
static const double first_fall = 1.5, largest_fall = 2.3;
static const double failed_share = 0.1; /* of the largest residual: where a jump failed */
static const double follow_fall = 0.5, newton_accuracy = 1e-3;
enum { ROWS = 15, BLOCKS = 6, PARTS = 2 };
enum { RINGS = 2, JUMP_STEPS = 6, REGION_STEPS = 5, CENTRE_STEPS = 15, TRIES = 5 };
enum { SWEEPS = 100 };

struct prox_path {
  scree_context *context;
  double *row[ROWS], *block[BLOCKS];
  uint32_t *part[PARTS];
};

scree_status prox_path_create(scree_context *context, prox_path **work) {
  *work = memory_new(context, 1, sizeof **work);
  if (!*work) return SCREE_ERROR_MEMORY;
  (*work)->context = context;
  return SCREE_OK;
}

void prox_path_destroy(prox_path *work) {
  if (!work) return;
  for (int k = 0; k < ROWS; k++) memory_free(work->context, work->row[k]);
  for (int k = 0; k < BLOCKS; k++) memory_free(work->context, work->block[k]);
  for (int k = 0; k < PARTS; k++) memory_free(work->context, work->part[k]);
  memory_free(work->context, work);
}

scree_status prox_path_prepare(prox_path *p, size_t rows, size_t blocks, prox_walk *w) {
  for (int k = 0; k < ROWS; k++)
    if (memory_grow(p->context, &p->row[k], rows, sizeof(double))) return SCREE_ERROR_MEMORY;
  for (int k = 0; k < BLOCKS; k++)
    if (memory_grow(p->context, &p->block[k], blocks, sizeof(double))) return SCREE_ERROR_MEMORY;
  for (int k = 0; k < PARTS; k++)
    if (memory_grow(p->context, &p->part[k], blocks, sizeof(uint32_t))) return SCREE_ERROR_MEMORY;
  double **const row[ROWS] = {&w->z,       &w->u,       &w->velocity, &w->centre,     &w->push,
                              &w->change,  &w->applied, &w->left,     &w->correction, &w->tangent,
                              &w->heading, &w->kept,    &w->foretold, &w->start,      &w->safe};
  double **const block[BLOCKS] = {&w->weight, &w->base, &w->falls, &w->mark, &w->held, &w->scratch};
  for (int k = 0; k < ROWS; k++) *row[k] = p->row[k];
  for (int k = 0; k < BLOCKS; k++) *block[k] = p->block[k];
  w->part = p->part[0];
  w->stack = p->part[1];
  return SCREE_OK;
}

bool prox_path_takes(const ccp_operator *op, scree_model model) {
  if (model != SCREE_MODEL_COULOMB) return false;
  for (size_t i = 0; i < op->block_count; i++) {
    const scree_set *set = ccp_set(op->problem, i);
    if (!set_is_plain_cone(set) || !(op->eta_force[i] > 0.0)) return false;
  }
  return true;
}

/* ---- where steps fail ----------------------------------------------------------------------- */

static void mark_failed(prox_walk *w, double residual) {
  const size_t blocks = w->op->block_count;
  const double least = fmax(10.0 * w->allowed, failed_share * residual);
  for (size_t k = 0; k < w->op->row_count; k++)
    if (!(fabs(w->left[k]) <= least)) w->mark[k / 3] = 1.0;
  for (int ring = 0; ring < RINGS; ring++) {
    memcpy(w->scratch, w->mark, blocks * sizeof *w->mark);
    for (size_t i = 0; i < blocks; i++)
      for (size_t k = w->n->start[i]; w->scratch[i] > 0.0 && k < w->n->start[i + 1]; k++)
        w->mark[w->n->column[k]] = 1.0;
  }
}

/* Numbers the connected sets of marked blocks from 1 on, in order of their first; how many. */
static uint32_t find_regions(prox_walk *w) {
  const sparse_blocks *n = w->n;
  uint32_t count = 0;
  memset(w->part, 0, n->count * sizeof *w->part);
  for (size_t i = 0; i < n->count; i++) {
    if (!(w->mark[i] > 0.0) || w->part[i]) continue;
    size_t top = 0;
    w->part[i] = ++count;
    w->stack[top++] = (uint32_t)i;
    while (top) {
      const uint32_t at = w->stack[--top];
      for (size_t k = n->start[at]; k < n->start[at + 1]; k++) {
        const uint32_t j = n->column[k];
        if (!(w->mark[j] > 0.0) || w->part[j]) continue;
        w->part[j] = count;
        w->stack[top++] = j;
      }
    }
  }
  return count;
}

/* ---- falling weights ------------------------------------------------------------------------ */

typedef struct jump {
  size_t moving; /* blocks whose weights fell */
  bool done, marked;
} jump;

static scree_status try_jump(prox_walk *w, double fall, jump *j) {
  const size_t blocks = w->op->block_count;
  *j = (jump){.done = false};
  memset(w->mark, 0, blocks * sizeof *w->mark);
  memcpy(w->start, w->z, w->op->row_count * sizeof *w->z);
  w->accuracy = newton_accuracy;
  for (int k = 0; k < TRIES && !j->done; k++) {
    double residual;
    j->moving = 0;
    for (size_t i = 0; i < blocks; i++) {
      const bool moves = !(w->mark[i] > 0.0) && !(w->held[i] > 0.0) && w->base[i] > smallest_weight;
      w->weight[i] = moves ? fmax(smallest_weight, exp(-fall) * w->base[i]) : w->base[i];
      j->moving += moves;
    }
    if (!j->moving) break;
    if (k > 0) walk_return(w, w->start);
    const scree_status status = walk_newton(w, JUMP_STEPS, &j->done, &residual);
    if (status) return status;
    if (j->done) break;
    mark_failed(w, residual);
    j->marked = true;
  }
  if (j->done)
    memcpy(w->base, w->weight, blocks * sizeof *w->base);
  else
    walk_return(w, w->start);
  return SCREE_OK;
}

/* Lowers the weights of one region alone, by less than was tried for all. */
static scree_status try_region(prox_walk *w, uint32_t region) {
  const size_t blocks = w->op->block_count;
  double depth = 0.0, residual;
  bool there = false;
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < blocks; i++)
    w->falls[i] = w->part[i] == region && w->base[i] > smallest_weight ? 1.0 : 0.0;
  memcpy(w->safe, w->z, w->op->row_count * sizeof *w->z);
  w->accuracy = newton_accuracy;
  for (double fall = 0.8; fall > 0.15 && !there && !status; fall *= 0.45) {
    walk_return(w, w->safe);
    walk_weigh(w, fall);
    depth = fall;
    status = walk_newton(w, REGION_STEPS, &there, &residual);
  }
  if (!status && !there) {
    walk_return(w, w->safe);
    status = walk_follow(w, follow_fall, w->follow_most, &depth, &there);
    if (w->ended) return status;
  }
  if (status) return status;
  if (there) {
    walk_weigh(w, depth);
    memcpy(w->base, w->weight, blocks * sizeof *w->base);
  } else {
    walk_return(w, w->safe);
    for (size_t i = 0; i < blocks; i++)
      if (w->part[i] == region) w->held[i] = 1.0;
  }
  return SCREE_OK;
}

static bool can_fall(const prox_walk *w) {
  for (size_t i = 0; i < w->op->block_count; i++)
    if (!(w->held[i] > 0.0) && w->base[i] > smallest_weight) return true;
  return false;
}

/* Follows the path from a centre to ever smaller weights. */
static scree_status descend(prox_walk *w) {
  double fall = first_fall, residual;
  while (can_fall(w)) {
    jump j;
    scree_status status = try_jump(w, fall, &j);
    if (status || walk_judge(w, &residual)) return status;
    if (j.done && !j.marked) {
      fall = fmin(largest_fall, 1.3 * fall);
      continue;
    }
    const uint32_t regions = j.marked ? find_regions(w) : 0;
    for (uint32_t c = 1; c <= regions && !w->ended; c++) {
      status = try_region(w, c);
      if (status || w->ended || walk_judge(w, &residual)) return status;
    }
    if (!j.moving && !regions) return SCREE_OK;
  }
  return SCREE_OK;
}

static scree_status begin_centre(prox_walk *w, bool *met) {
  const ccp_operator *op = w->op;
  double residual;
  op_local_velocity(w->op, w->run->g, w->velocity);
  for (size_t i = 0; i < op->block_count; i++) {
    for (size_t k = 3 * i; k < 3 * i + 3; k++)
      w->z[k] = w->run->g[k] - op->eta_force[i] * w->velocity[k];
    w->base[i] = w->weight[i] = first_weight;
    w->held[i] = 0.0;
  }
  walk_split(w);
  memcpy(w->centre, w->run->g, op->row_count * sizeof *w->centre);
  w->accuracy = newton_accuracy;
  const scree_status status = walk_newton(w, CENTRE_STEPS, met, &residual);
  if (!status && !*met) memcpy(w->run->g, w->centre, op->row_count * sizeof *w->centre);
  return status;
}

static void sweep_on(prox_walk *w, long count) {
  const op_sweep_params params = {
      .metric = OP_METRIC_EXACT, .model = SCREE_MODEL_COULOMB, .omega = 1.0, .lambda = 1.0};
  op_sweep_begin(w->op, w->run->g);
  for (long k = 0; k < count; k++) op_sweep_inside(w->op, &params, w->run->g);
  op_sweep_store(w->op, w->run->g);
  w->run->products += count;
}

scree_status prox_path_iterate(prox_path *work, solve_run *run, active_set *set,
                               const sparse_blocks *n, long patience, long *iteration) {
  prox_walk w = {.run = run,
                 .op = run->op,
                 .set = set,
                 .n = n,
                 .iteration = iteration,
                 .patience = patience,
                 .follow_most = patience,
                 .mark_merit = run->best_merit,
                 .last = *iteration + patience};
  scree_status status = prox_path_prepare(work, run->op->row_count, run->op->block_count, &w);
  while (!status && !w.ended) {
    bool met;
    double residual;
    status = begin_centre(&w, &met);
    if (status || walk_judge(&w, &residual)) break;
    if (met) status = descend(&w);
    bool some = !met;
    for (size_t i = 0; i < run->op->block_count; i++) some = some || w.held[i] > 0.0;
    if (!status && !w.ended && some) sweep_on(&w, SWEEPS);
  }
  return status;
}

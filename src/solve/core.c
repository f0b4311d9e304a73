/* A machine on light bodies, as a vehicle of 300 kg on stones of 0.3 kg, in a step with little
 * time. A stone between a wheel M and the ground takes on m/(M + m) of what is missing in a sweep,
 * so that a few sweeps over all let the wheel sink in; and nearly all other blocks do not need
 * them. So
 *
 *   one sweep over all,
 *   the core as a problem of its own, the impulses of all others held:  r_c = (N g_others + r)_c
 *   one sweep over all, which hands on what the core gives its neighbours
 *
 * The core: joints and what bears them (ccp/bearing.h). It is swept with extrapolation (ags), which
 * needs the root of the sweeps that the masses ask for.
 *
 * The vehicle on 2,000 stones at 5 ms per step, overlap over 620 steps, median / 99 % / worst: five
 * sweeps over all 4.5 / 35 / 39 %; 40 iterations of a core of 200 blocks, about the price of ten
 * sweeps, 0.6 / 3.8 / 7.2 %; the same where the search goes on from every body, 0.6 / 13.7 / 19 %.
 */
#include "solve/core.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"

/* Blocks of a core; iterations that it gets where time is up. */
enum { MOST_BLOCKS = 200, LEAST_ITERATIONS = 16 };
/* Of the time that is left; the rest is for the last sweep. */
static const double core_part = 0.8;
static const double bears = 3.0;
static const double open = 10.0; /* reference speeds */

static scree_status make_room(const solve_run *run, core *w) {
  const size_t rows = run->op->row_count;
  return memory_grow(run->context, &w->g, rows, sizeof *w->g) ||
                 memory_grow(run->context, &w->r, rows, sizeof *w->r)
             ? SCREE_ERROR_MEMORY
             : SCREE_OK;
}

/* to_whole: g of the core into x; else the other way round. */
static void copy_rows(const ccp_operator *op, const core *w, bool to_whole, double *x) {
  size_t row = 0;
  for (size_t k = w->parts.start[0]; k < w->parts.start[1]; k++) {
    const size_t first = op->row_start[w->parts.block[k]];
    const size_t dim = op->row_start[w->parts.block[k] + 1] - first;
    if (to_whole)
      memcpy(x + first, w->g + row, dim * sizeof *x);
    else
      memcpy(w->g + row, x + first, dim * sizeof *x);
    row += dim;
  }
}

/* The core's velocities without its own impulses, into w->r. */
static void hold_others(ccp_operator *op, core *w, const double *g) {
  memcpy(w->g, g, op->row_count * sizeof *w->g);
  for (size_t i = 0; i < op->block_count; i++)
    if (w->bearing.inside[i])
      memset(w->g + op->row_start[i], 0, (op->row_start[i + 1] - op->row_start[i]) * sizeof *w->g);
  op_local_velocity(op, w->g, w->r);
}

static scree_solve_settings settings_of(const solve_run *run, const core *w) {
  scree_solve_settings s = *run->settings;
  const double left = core_part * (s.time_limit - (timer_now() - run->start_time));
  s.model = run->model;
  s.warm_start = true;
  s.progress = NULL;
  const bool late = left <= LEAST_ITERATIONS * w->pace;
  s.time_limit = late ? 0.0 : left;
  if (late) s.iteration_limit = LEAST_ITERATIONS;
  return s;
}

static scree_status solve_inside(solve_run *run, core *w) {
  ccp_operator *op = run->op;
  scree_solve_info info;
  scree_ccp *problem;
  scree_status status = SCREE_OK;
  if (!w->solver) status = scree_solver_create(run->context, "ags", &w->solver);
  if (!status) status = op_islands_choose(op, &w->parts, w->bearing.inside);
  if (status) return status;
  hold_others(op, w, run->g);
  op_islands_begin(op, &w->parts);
  w->parts.r = w->r;
  status = op_islands_build(op, &w->parts, 0, &problem);
  if (status) return status;
  const scree_solve_settings settings = settings_of(run, w);
  scree_ccp_set_reference_speed(problem, op->reference_speed);
  copy_rows(op, w, false, run->g);
  status = solver_solve(w->solver, problem, &settings, w->g, &info);
  if (status) return status;
  copy_rows(op, w, true, run->g);
  run->products += info.products;
  if (info.iterations > 0) w->pace += 0.1 * (info.seconds / (double)info.iterations - w->pace);
  return SCREE_OK;
}

static void sweep_once(solve_run *run) {
  const op_sweep_params params = {
      .metric = OP_METRIC_EXACT, .model = run->model, .omega = 1.0, .lambda = 1.0};
  op_sweep_begin(run->op, run->g);
  op_sweep(run->op, &params, run->g);
  run->products++;
}

scree_status core_secure(solve_run *run, core *w, bool *made) {
  ccp_operator *op = run->op;
  *made = false;
  const size_t joints = op->block_count - ccp_contact_count(op->problem);
  if (op->form != SCREE_FORM_BODIES || joints == 0 || 2 * joints > MOST_BLOCKS ||
      op->block_count <= MOST_BLOCKS)
    return SCREE_OK;
  scree_status status = make_room(run, w);
  if (status) return status;
  *made = true;
  sweep_once(run);
  op_local_velocity(op, run->g, w->r);
  bool found = false;
  w->bearing.bears = bears;
  w->bearing.open = open;
  status = op_bearing_find(op, &w->bearing, run->g, w->r, MOST_BLOCKS, &found);
  if (!status && found) status = solve_inside(run, w);
  if (status) return status;
  sweep_once(run);
  solve_adopt(run, 2, run->g);
  return SCREE_OK;
}

void core_clear(scree_context *context, core *w) {
  scree_solver_destroy(w->solver);
  op_islands_clear(context, &w->parts);
  op_bearing_clear(context, &w->bearing);
  memory_free(context, w->g);
  memory_free(context, w->r);
  *w = (core){0};
}

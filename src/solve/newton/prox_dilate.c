/* See prox_dilate.h. The path is that of prox_walk.h with one weight that stays, about the relaxed
 * solution, and a dilatancy that falls from 1. The heavier the weight the less often the path
 * turns, and the farther from the problem itself it ends.
 *
 *   jump      it falls by a share that grows while Newton steps find the path again
 *   follow    where they fail even for a small one, the path is followed around its turning points
 *             (walk_follow); where that does not get through in follow_most steps this is the end
 */
#include "solve/newton/prox_dilate.h"

#include <math.h>
#include <string.h>

#include "solve/newton/prox_walk.h"

static const double first_fall = 0.1, largest_fall = 0.25, least_fall = 0.01, followed_fall = 0.02;
static const double fall_growth = 1.5, fall_cut = 0.4;
/* The error allowed in the equations, as a part of the weights' pull, and at least as a part of the
 * reference speed. */
static const double accuracy = 1e-3, least_allowed = 1e-7;
enum { BEGIN_STEPS = 15, JUMP_STEPS = 8, FOLLOW_MOST = 60 };

/* At the relaxed solution in run->g, where u_n = mu |u_T|. */
static scree_status begin(prox_walk *w, double weight, bool *met) {
  const ccp_operator *op = w->op;
  double residual;
  op_local_velocity(w->op, w->run->g, w->velocity);
  for (size_t i = 0; i < op->block_count; i++) {
    const double *u = w->velocity + 3 * i;
    const double lift = walk_mu(w, i) * sqrt(u[1] * u[1] + u[2] * u[2]);
    for (size_t k = 0; k < 3; k++)
      w->z[3 * i + k] = w->run->g[3 * i + k] - op->eta_force[i] * (u[k] - (k ? 0.0 : lift));
    w->base[i] = w->weight[i] = weight;
    w->held[i] = w->falls[i] = 0.0;
  }
  walk_split(w);
  memcpy(w->centre, w->run->g, op->row_count * sizeof *w->centre);
  return walk_newton(w, BEGIN_STEPS, met, &residual);
}

/* One fall. *met: the path was found again there; else all is as before. */
static scree_status jump(prox_walk *w, double fall, bool *met) {
  const double before = w->dilatancy;
  double residual;
  memcpy(w->start, w->z, w->op->row_count * sizeof *w->z);
  w->accuracy = accuracy;
  w->dilatancy = fmax(0.0, before - fall);
  const scree_status status = walk_newton(w, JUMP_STEPS, met, &residual);
  if (status || *met) return status;
  walk_return(w, w->start);
  w->dilatancy = before;
  return SCREE_OK;
}

static scree_status follow(prox_walk *w, bool *there) {
  double depth;
  w->dilatancy_base = w->dilatancy;
  return walk_follow(w, walk_dilatancy_depth * fmin(w->dilatancy, followed_fall), FOLLOW_MOST,
                     &depth, there);
}

scree_status prox_dilate_iterate(prox_path *work, solve_run *run, active_set *set,
                                 const sparse_blocks *n, double weight, long most,
                                 long *iteration) {
  prox_walk w = {.run = run,
                 .op = run->op,
                 .set = set,
                 .n = n,
                 .iteration = iteration,
                 .dilates = true,
                 .dilatancy = 1.0,
                 .least_allowed = least_allowed,
                 .accuracy = accuracy,
                 .patience = most,
                 .mark_merit = run->best_merit,
                 .last = *iteration + most};
  double fall = first_fall, residual;
  bool met = false;
  scree_status status = prox_path_prepare(work, run->op->row_count, run->op->block_count, &w);
  if (!status) status = begin(&w, weight, &met);
  while (!status && met && w.dilatancy > 0.0 && *iteration < w.last && !w.ended) {
    status = jump(&w, fall, &met);
    if (status) break;
    if (met) {
      fall = fmin(largest_fall, fall_growth * fall);
      if (walk_due(&w)) walk_judge(&w, &residual);
    } else if (fall * fall_cut > least_fall) {
      fall *= fall_cut;
      met = true;
    } else {
      fall = followed_fall;
      status = follow(&w, &met);
    }
  }
  return status;
}

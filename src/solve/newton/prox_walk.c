/* See prox_walk.h. */
#include "solve/newton/prox_walk.h"

#include <math.h>
#include <string.h>

void walk_split(prox_walk *w) {
  double *g = w->run->g;
  for (size_t i = 0; i < w->op->block_count; i++) {
    const double *z = w->z + 3 * i, inverse = 1.0 / w->op->eta_force[i];
    const double normal = z[0] > 0.0 ? z[0] : 0.0, radius = walk_mu(w, i) * normal;
    const double across = sqrt(z[1] * z[1] + z[2] * z[2]);
    const double share = across <= radius ? 1.0 : radius / across;
    const double part[3] = {normal, share * z[1], share * z[2]};
    for (size_t k = 0; k < 3; k++) {
      g[3 * i + k] = part[k];
      w->u[3 * i + k] = (part[k] - z[k]) * inverse;
    }
  }
}

void walk_return(prox_walk *w, const double *z) {
  memcpy(w->z, z, w->op->row_count * sizeof *z);
  walk_split(w);
}

double walk_slip(const prox_walk *w, size_t block) {
  const double *u = w->u + 3 * block;
  return walk_mu(w, block) * sqrt(u[1] * u[1] + u[2] * u[2]);
}

double walk_residual(prox_walk *w) {
  const ccp_operator *op = w->op;
  const double *g = w->run->g;
  double worst = 0.0, most = 0.0;
  op_local_velocity(w->op, g, w->velocity);
  for (size_t i = 0; i < op->block_count; i++) {
    const double stiffness = w->weight[i] / op->eta_force[i];
    for (size_t k = 3 * i; k < 3 * i + 3; k++) {
      const double pull = stiffness * (g[k] - w->centre[k]);
      w->left[k] = w->u[k] - w->velocity[k] - pull;
      if (k == 3 * i && w->dilatancy != 0.0) w->left[k] += w->dilatancy * walk_slip(w, i);
      worst = fmax(worst, fabs(w->left[k]));
      most = fmax(most, fabs(pull));
    }
  }
  w->allowed = fmax(w->accuracy * most, fmax(1e-13, w->least_allowed) * op->reference_speed);
  return worst;
}

scree_status walk_linearise(prox_walk *w) {
  ++*w->iteration;
  w->run->products++;
  active_set_dilate(w->set, w->dilatancy);
  const scree_status status =
      active_set_linearise(w->set, w->op, w->n, SCREE_MODEL_COULOMB, w->weight, w->run->g, w->u);
  active_set_dilate(w->set, 0.0);
  return status;
}

void walk_change(prox_walk *w, const double *push, double *dz) {
  const ccp_operator *op = w->op;
  active_set_direction(w->set, op, push, w->change);
  op_apply(w->op, w->change, w->applied);
  w->run->products++;
  for (size_t i = 0; i < op->block_count; i++) {
    const double eta = op->eta_force[i];
    for (size_t k = 3 * i; k < 3 * i + 3; k++)
      w->applied[k] += w->weight[i] / eta * w->change[k] - push[k];
    if (w->dilatancy != 0.0) {
      const double *u = w->u + 3 * i, *du = w->applied + 3 * i,
                   size = sqrt(u[1] * u[1] + u[2] * u[2]);
      if (size > 0.0)
        w->applied[3 * i] -= w->dilatancy * walk_mu(w, i) * (u[1] * du[1] + u[2] * du[2]) / size;
    }
    for (size_t k = 3 * i; k < 3 * i + 3; k++) dz[k] = w->change[k] - eta * w->applied[k];
  }
}

void walk_weigh(prox_walk *w, double depth) {
  if (w->dilates) {
    w->dilatancy = w->dilatancy_base - depth / walk_dilatancy_depth;
    return;
  }
  const double share = exp(-depth);
  for (size_t i = 0; i < w->op->block_count; i++)
    w->weight[i] = w->falls[i] > 0.0 ? share * w->base[i] : w->base[i];
}

scree_status walk_newton(prox_walk *w, int most, bool *met, double *residual) {
  enum { MOST_WITHOUT = 2 };
  double best = INFINITY;
  int without = 0;
  *met = false;
  for (int step = 0;; step++) {
    *residual = walk_residual(w);
    *met = *residual <= w->allowed;
    if (*residual < best) {
      best = *residual;
      without = 0;
    } else if (++without >= MOST_WITHOUT) {
      return SCREE_OK;
    }
    if (*met || step == most) return SCREE_OK;
    const scree_status status = walk_linearise(w);
    if (status) return status;
    walk_change(w, w->left, w->correction);
    if (!isfinite(op_max_abs(w->op, w->correction))) return SCREE_OK;
    op_combine(w->op, 1.0, w->z, 1.0, w->correction, w->z);
    walk_split(w);
  }
}

bool walk_judge(prox_walk *w, double *residual) {
  scree_residual truth;
  op_local_velocity(w->op, w->run->g, w->velocity);
  op_residual_contacts(w->op, SCREE_MODEL_COULOMB, w->run->g, w->velocity, w->change, &truth);
  *residual = truth.scaled;
  w->ended = isfinite(truth.scaled) && solve_check_judged(w->run, *w->iteration, w->run->g, &truth);
  if (w->run->best_merit < 0.5 * w->mark_merit) {
    w->mark_merit = w->run->best_merit;
    w->last = *w->iteration + w->patience;
  }
  if (*w->iteration >= w->last) w->ended = true;
  return w->ended;
}

/* Following the path of prox_walk.h around its turning points.
 *
 * As weights fall a branch of solutions may end: it turns back, and goes on with weights that rise.
 * Newton steps at given weights cannot pass there, for ahead is nothing near. So the path is
 * followed by its own length: from a point on it along the tangent to the next event, where a
 * contact opens, closes, sticks or slips, and a little beyond; there the equations are linearised
 * anew. Forward is where the determinant says: it changes its sign where the weights turn. Where it
 * changes its sign while tangents keep their direction, there is no turn: the system was singular
 * at one weight, in a part that the change of weights hardly pushes, and the path goes on.
 *
 * Corrections keep the last event as it is, or stay across the tangent; a step whose correction is
 * no small part of it, or whose tangent turned without an event, is taken back and shortened. */
#include <math.h>
#include <string.h>

#include "solve/newton/prox_walk.h"

static const double longest = 0.5, first_length = 0.1, shortest = 1e-9, shorten = 0.3;
static const double most_turn = 0.3; /* of a slip direction in one step, rad */
static const double far_share = 0.3, most_rise = 3.0;
enum { NONE = -1, ATTEMPTS = 3, CORRECTIONS = 8 };

typedef struct event {
  long block; /* NONE: no event */
  bool opens; /* the block opens or closes; false: it begins to stick or to slip */
} event;

typedef struct trail {
  prox_walk *w;
  double depth, kept_depth; /* -log of the share of the weights that is left */
  double length, step;      /* longest step allowed, the last one taken */
  int sign,
      forward; /* sign of the determinant where weights fall; 1: weights fall, -1: they rise */
  event last, kept;
  bool begun;
} trail;

/* x'Dy */
static double product(const prox_walk *w, const double *x, const double *y) {
  double sum = 0.0;
  for (size_t i = 0; i < w->op->block_count; i++)
    sum += (x[3 * i] * y[3 * i] + x[3 * i + 1] * y[3 * i + 1] + x[3 * i + 2] * y[3 * i + 2]) /
           w->op->eta_force[i];
  return sum;
}

static scree_status linearise(trail *t) {
  prox_walk *w = t->w;
  walk_weigh(w, t->depth);
  const scree_status status = walk_linearise(w);
  if (status) return status;
  for (size_t i = 0; i < w->op->block_count; i++) {
    if (w->dilates) {
      w->push[3 * i] = -walk_slip(w, i) / walk_dilatancy_depth;
      w->push[3 * i + 1] = w->push[3 * i + 2] = 0.0;
      continue;
    }
    const double pull = w->falls[i] * w->weight[i] / w->op->eta_force[i];
    for (size_t k = 3 * i; k < 3 * i + 3; k++) w->push[k] = pull * (w->run->g[k] - w->centre[k]);
  }
  walk_change(w, w->push, w->tangent);
  return SCREE_OK;
}

/* How far to go along the tangent with a correction, to keep the event or to stay across. */
static double along(const trail *t) {
  const prox_walk *w = t->w;
  double by = 0.0, of = 1.0;
  if (t->last.block != NONE) {
    const size_t at = 3 * (size_t)t->last.block;
    const double *z = w->z + at, mu = walk_mu(w, (size_t)t->last.block);
    const double slope[3] = {t->last.opens ? 1.0 : -mu * mu * z[0], t->last.opens ? 0.0 : z[1],
                             t->last.opens ? 0.0 : z[2]};
    of = 0.0;
    for (size_t k = 0; k < 3; k++) {
      by += slope[k] * w->correction[at + k];
      of += slope[k] * w->tangent[at + k];
    }
  } else if (t->begun) {
    by = product(w, w->tangent, w->correction);
    of = product(w, w->tangent, w->tangent);
  }
  const double step = -by / of;
  if (!isfinite(step)) return 0.0;
  return fmax(-longest, fmin(longest, step));
}

/* Brings z back on the path. *met: that succeeded. */
static scree_status correct(trail *t, bool *met) {
  prox_walk *w = t->w;
  *met = false;
  for (int attempt = 0; attempt < ATTEMPTS && !*met; attempt++) {
    const scree_status status = linearise(t);
    if (status) return status;
    double before = INFINITY;
    for (int k = 0; k < CORRECTIONS; k++) {
      walk_weigh(w, t->depth);
      const double residual = walk_residual(w);
      *met = residual <= w->allowed;
      if (*met || !(residual < 0.7 * before)) break;
      before = residual;
      walk_change(w, w->left, w->correction);
      const double step = along(t);
      op_combine(w->op, 1.0, w->z, 1.0, w->correction, w->z);
      op_combine(w->op, 1.0, w->z, step, w->tangent, w->z);
      t->depth += step;
      walk_split(w);
    }
  }
  return SCREE_OK;
}

static bool same_states(const prox_walk *w) {
  for (size_t i = 0; i < w->op->block_count; i++) {
    const double mu = walk_mu(w, i);
    if (walk_state(w->z + 3 * i, mu) != walk_state(w->kept + 3 * i, mu)) return false;
  }
  return true;
}

/* Is the point that the correction found the next one of this path? */
static bool is_next(trail *t) {
  prox_walk *w = t->w;
  if (!t->begun) return true;
  op_combine(w->op, 1.0, w->z, -1.0, w->foretold, w->change);
  op_combine(w->op, 1.0, w->foretold, -1.0, w->kept, w->applied);
  const double moved = product(w, w->applied, w->applied);
  if (product(w, w->change, w->change) > far_share * far_share * moved &&
      moved > 1e-20 * product(w, w->z, w->z))
    return false;
  if (t->last.block != NONE) return true;
  const double size =
      product(w, w->tangent, w->tangent) * product(w, w->heading, w->heading) + 1e-300;
  const double turn =
      t->sign * active_set_sign(w->set) * product(w, w->tangent, w->heading) / sqrt(size);
  const bool same = same_states(w);
  if (turn < -0.9 && same) {
    t->sign = -t->sign;
    return true;
  }
  if (turn > 0.97) t->length = fmin(longest, 2.0 * t->length);
  return turn >= 0.7 || (!same && t->step <= 1e-5);
}

static void keep(trail *t) {
  prox_walk *w = t->w;
  if (!t->begun) t->sign = active_set_sign(w->set);
  t->forward = t->sign * active_set_sign(w->set);
  memcpy(w->kept, w->z, w->op->row_count * sizeof *w->kept);
  t->kept_depth = t->depth;
  t->kept = t->last;
  t->length = fmin(longest, 1.3 * t->length);
}

static scree_status take_back(trail *t) {
  t->length = shorten * t->step;
  t->depth = t->kept_depth;
  t->last = t->kept;
  walk_return(t->w, t->w->kept);
  return linearise(t);
}

static inline void sooner(double step, double least, double *first) {
  if (step > least && step < *first) *first = step;
}

/* The step along d at which a block's state changes first, above `least`. */
static double next_change(const double *z, const double *d, double mu, double least) {
  const int state = walk_state(z, mu);
  double first = INFINITY;
  if ((state == WALK_OPEN) == (d[0] > 0.0) && d[0] != 0.0) sooner(-z[0] / d[0], least, &first);
  if (state == WALK_OPEN) return first;
  const double a = d[1] * d[1] + d[2] * d[2] - mu * mu * d[0] * d[0];
  const double b = z[1] * d[1] + z[2] * d[2] - mu * mu * z[0] * d[0];
  const double c = z[1] * z[1] + z[2] * z[2] - mu * mu * z[0] * z[0];
  const double under = b * b - a * c;
  if (!(under >= 0.0)) return first;
  const double q = -(b + copysign(sqrt(under), b));
  if (a != 0.0) sooner(q / a, least, &first);
  if (q != 0.0) sooner(c / q, least, &first);
  return first;
}

/* Along the tangent to the next event, or as far as is allowed. */
static void step_on(trail *t) {
  prox_walk *w = t->w;
  for (size_t k = 0; k < w->op->row_count; k++) w->heading[k] = t->forward * w->tangent[k];
  double step = t->length;
  long block = NONE;
  for (size_t i = 0; i < w->op->block_count; i++) {
    const double least = (long)i == t->last.block ? 1e-11 : 0.0;
    const double at = next_change(w->z + 3 * i, w->heading + 3 * i, walk_mu(w, i), least);
    if (!(at <= step)) continue;
    step = at;
    block = (long)i;
  }
  for (size_t i = 0; i < w->op->block_count; i++) {
    const double *z = w->z + 3 * i, *d = w->heading + 3 * i;
    if (walk_state(z, walk_mu(w, i)) != WALK_SLIPS) continue;
    const double turn = fabs(z[1] * d[2] - z[2] * d[1]) / (z[1] * z[1] + z[2] * z[2]);
    if (!(turn * step > most_turn)) continue;
    step = most_turn / turn;
    block = NONE;
  }
  const double mu = block != NONE ? walk_mu(w, (size_t)block) : 0.0;
  const int before = block != NONE ? walk_state(w->z + 3 * block, mu) : 0;
  t->step = block != NONE ? step * (1.0 + 1e-8) + 1e-14 : step;
  op_combine(w->op, 1.0, w->z, t->step, w->heading, w->z);
  t->depth += t->forward * t->step;
  walk_split(w);
  memcpy(w->foretold, w->z, w->op->row_count * sizeof *w->z);
  t->last.block = block;
  if (block != NONE)
    t->last.opens = before == WALK_OPEN || walk_state(w->z + 3 * block, mu) == WALK_OPEN;
  t->begun = true;
}

scree_status walk_follow(prox_walk *w, double goal, long most, double *depth, bool *there) {
  trail t = {.w = w, .length = first_length, .forward = 1, .last = {.block = NONE}};
  const long end = *w->iteration + most;
  w->accuracy = 1e-6;
  *there = false;
  *depth = 0.0;
  while (*w->iteration < end) {
    bool met;
    double residual;
    scree_status status = correct(&t, &met);
    if (status) return status;
    if (met && is_next(&t)) {
      keep(&t);
      /* On the way from the relaxed problem R, of the exact law, is no measure of progress. */
      if ((!w->dilates || walk_due(w)) && walk_judge(w, &residual)) return SCREE_OK;
      *depth = t.depth;
      *there = t.depth >= goal && t.forward > 0;
      if (*there || t.depth < -most_rise) return SCREE_OK;
    } else {
      if (!t.begun || t.step <= shortest) return SCREE_OK;
      status = take_back(&t);
      if (status) return status;
    }
    step_on(&t);
  }
  return SCREE_OK;
}

/* Prescribed motions: a pose as a function of the time since the body was driven.
 *
 *   x(t) = x0 + velocity t + amplitude (sin(2 pi f t + phase) - sin(phase)),
 *   q(t) = exp(swing (sin(2 pi f t + phase) - sin(phase))) exp(angular t) q0
 *
 * The stepper asks for the pose at both ends of a step and drives the body by the difference, so
 * that it arrives where it should whatever the step. */
#include "base/argument.h"
#include "base/definition.h"
#include "model/world.h"

#include <string.h>

scree_motion_def scree_motion_def_default(void) {
  return (scree_motion_def){.cookie = DEFINITION_COOKIE, .kind = SCREE_MOTION_CONSTANT};
}

static bool finite_all(const double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

static scree_status check_table(scree_context *context, const scree_motion_def *d) {
  if (d->count < 2 || !d->times || !d->displacements)
    return context_fail(context, SCREE_ERROR_INPUT,
                        "motion: a table needs at least two times, each with a displacement");
  if (!finite_all(d->times, d->count) || !finite_all(d->displacements, 3 * d->count) ||
      (d->rotations && !finite_all(d->rotations, 4 * d->count)))
    return context_fail(context, SCREE_ERROR_INPUT, "motion: the table must be finite");
  for (size_t i = 0; i + 1 < d->count; i++)
    if (!(d->times[i] < d->times[i + 1]))
      return context_fail(context, SCREE_ERROR_INPUT, "motion: the times do not ascend at row %zu",
                          i + 1);
  for (size_t i = 0; d->rotations && i < d->count; i++) {
    const double *q = d->rotations + 4 * i;
    if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 1e-12))
      return context_fail(context, SCREE_ERROR_INPUT, "motion: row %zu: a quaternion of length 0",
                          i);
  }
  return SCREE_OK;
}

static scree_status check(scree_context *context, const scree_motion_def *d) {
  if ((int)d->kind < 0 || d->kind > SCREE_MOTION_FUNCTION)
    return context_fail(context, SCREE_ERROR_INPUT, "motion: there is no kind %d", (int)d->kind);
  if (d->kind == SCREE_MOTION_FUNCTION && !d->function)
    return context_fail(context, SCREE_ERROR_INPUT, "motion: the function is null");
  if (!finite_all(d->velocity, 3) || !finite_all(d->angular, 3) || !finite_all(d->amplitude, 3) ||
      !finite_all(d->swing, 3) || !isfinite(d->frequency) || !isfinite(d->phase))
    return context_fail(context, SCREE_ERROR_INPUT, "motion: all its numbers must be finite");
  return d->kind == SCREE_MOTION_TABLE ? check_table(context, d) : SCREE_OK;
}

void world_free_motion(scree_world *w, world_motion *m) {
  memory_free(w->context, m->times);
  memory_free(w->context, m->displacements);
  memory_free(w->context, m->rotations);
}

static scree_status copy_table(scree_world *w, const scree_motion_def *def, world_motion *m) {
  const size_t n = def->count;
  m->times = memory_new(w->context, n, sizeof(double));
  m->displacements = memory_new(w->context, 3 * n, sizeof(double));
  m->rotations = def->rotations ? memory_new(w->context, 4 * n, sizeof(double)) : NULL;
  if (!m->times || !m->displacements || (def->rotations && !m->rotations)) {
    world_free_motion(w, m);
    return SCREE_ERROR_MEMORY;
  }
  memcpy(m->times, def->times, n * sizeof(double));
  memcpy(m->displacements, def->displacements, 3 * n * sizeof(double));
  if (def->rotations) memcpy(m->rotations, def->rotations, 4 * n * sizeof(double));
  return SCREE_OK;
}

scree_status scree_world_add_motion(scree_world *w, const scree_motion_def *def,
                                    scree_motion_id *id) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && def && id);
  DEFINITION_CHECK(w->context, def, motion_def);
  scree_status status = check(w->context, def);
  if (status) return status;
  if (memory_grow(w->context, &w->motion, w->motion_count + 1, sizeof *w->motion))
    return SCREE_ERROR_MEMORY;
  world_motion m = {.def = *def};
  if (def->kind == SCREE_MOTION_TABLE) status = copy_table(w, def, &m);
  if (status) return status;
  m.def.times = m.times;
  m.def.displacements = m.displacements;
  m.def.rotations = m.rotations;
  w->motion[w->motion_count++] = m;
  id->index = (uint32_t)w->motion_count;
  return SCREE_OK;
}

v3 world_rotation_vector(quat q) {
  if (q.w < 0.0) q = (quat){-q.w, -q.x, -q.y, -q.z};
  const double s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
  const double factor = s < 1e-9 ? 2.0 / q.w : 2.0 * atan2(s, q.w) / s;
  return v3_make(factor * q.x, factor * q.y, factor * q.z);
}

static pose table_pose(const scree_motion_def *d, double t) {
  const double first = d->times[0], last = d->times[d->count - 1];
  if (d->repeat && t > last) t = first + fmod(t - first, last - first);
  size_t lo = 0, hi = d->count - 1;
  while (hi - lo > 1) {
    const size_t mid = (lo + hi) / 2;
    if (d->times[mid] <= t)
      lo = mid;
    else
      hi = mid;
  }
  const double s = fmin(fmax((t - d->times[lo]) / (d->times[hi] - d->times[lo]), 0.0), 1.0);
  const v3 a = v3_load(d->displacements + 3 * lo), b = v3_load(d->displacements + 3 * hi);
  pose p = {v3_add_scaled(a, s, v3_sub(b, a)), quat_identity()};
  if (d->rotations) {
    const double *qa = d->rotations + 4 * lo, *qb = d->rotations + 4 * hi;
    const quat from = quat_normalize((quat){qa[0], qa[1], qa[2], qa[3]});
    const quat to = quat_normalize((quat){qb[0], qb[1], qb[2], qb[3]});
    const v3 turn = world_rotation_vector(quat_mul(to, quat_conj(from)));
    p.rotation = quat_mul(quat_exp(v3_scale(s, turn)), from);
  }
  return p;
}

/* Relative to t = 0: x(t) - x(0), exp(w(t)) exp(-w(0)). */
static pose function_pose(const scree_motion_def *d, double t) {
  double x[2][3] = {{0}}, w[2][3] = {{0}};
  d->function(d->function_user, 0.0, x[0], w[0]);
  d->function(d->function_user, t, x[1], w[1]);
  return (pose){v3_sub(v3_load(x[1]), v3_load(x[0])),
                quat_mul(quat_exp(v3_load(w[1])), quat_conj(quat_exp(v3_load(w[0]))))};
}

pose world_driven_pose(const scree_world *w, size_t body, double time) {
  const body_drive *drive = &w->bodies.drive[body];
  const scree_motion_def *d = &w->motion[drive->motion - 1].def;
  const double t = time - drive->since;
  pose p;
  if (d->kind == SCREE_MOTION_TABLE) {
    p = table_pose(d, t);
  } else if (d->kind == SCREE_MOTION_FUNCTION) {
    p = function_pose(d, t);
  } else {
    p.position = v3_scale(t, v3_load(d->velocity));
    p.rotation = quat_exp(v3_scale(t, v3_load(d->angular)));
    if (d->kind == SCREE_MOTION_SINE) {
      const double s = sin(6.283185307179586 * d->frequency * t + d->phase) - sin(d->phase);
      p.position = v3_add_scaled(p.position, s, v3_load(d->amplitude));
      p.rotation = quat_mul(quat_exp(v3_scale(s, v3_load(d->swing))), p.rotation);
    }
  }
  return (pose){v3_add(drive->start.position, p.position),
                quat_normalize(quat_mul(p.rotation, drive->start.rotation))};
}

/* Equilibrium: f(q) + D lambda = 0, psi(q) + C lambda = 0, at rest, by Newton's method with a mass
 * that fades:
 *
 *   (M/t^2 + K) x - D l = f + D lambda,      t grows as what is left falls
 *
 * It falls again where a correction had to be cut. Small t goes down the slope of the energy, t
 * without end is Newton's method. A correction is cut where bodies would turn by more than 0.3 rad,
 * or go farther than that part of the whole.
 *
 * First plain Newton's method, for what bends little from where it is: as long as corrections are
 * small and fall fast and the matrix is symmetric and positive definite, so that it ends in an
 * equilibrium that is stable. */
#include <string.h>

#include "base/argument.h"
#include "base/definition.h"
#include "step/smooth/smooth.h"

enum { PLAIN = 12, QUICK = 60, STEP_ITERATIONS = 25 };
static const double most_turn = 0.3, first_time = 0.05;
static const double rounding = 1e-11, long_time = 1e3, shortest = 1e-4, endless = 1e8, small = 0.05;

typedef struct statics {
  smooth_system system;
  linear_solver linear;
  double *zero;
  double size;  /* m, of the whole */
  double scale; /* N, of the forces that are to balance */
} statics;

scree_equilibrium_def scree_equilibrium_def_default(void) {
  return (scree_equilibrium_def){
      .cookie = DEFINITION_COOKIE, .iterations = 5000, .tolerance = 1e-10};
}

static void measure(statics *t) {
  const smooth_system *s = &t->system;
  const world_bodies *b = &s->world->bodies;
  t->size = 0.0;
  for (size_t r = 0; r < s->bodies; r++) {
    t->size = fmax(t->size, v3_norm(v3_sub(b->position[s->body[r]], b->position[s->body[0]])));
    t->size = fmax(t->size, b->radius[s->body[r]]);
  }
  if (!(t->size > 0.0) || isinf(t->size)) t->size = 1.0;
}

/* Negative residual into x; returns its size: forces, and moments over the size, over the scale. */
static double residual(statics *t) {
  smooth_system *s = &t->system;
  const size_t n = 6 * s->bodies;
  double worst = 0.0, gap = 0.0;
  system_forces(s, s->x);
  system_rows(s);
  for (size_t i = 0; i < n; i++)
    t->scale = fmax(t->scale, fabs(s->x[i]) / (i % 6 < 3 ? 1.0 : t->size));
  memcpy(s->f, s->x, n * sizeof *s->f);
  system_add_loads(s, s->lambda, s->x);
  for (size_t i = 0; i < n; i++) {
    const double size = fabs(s->x[i]) / (i % 6 < 3 ? 1.0 : t->size);
    if (!(size <= worst)) worst = size;
  }
  for (size_t k = 0; k < s->rows; k++) {
    const smooth_row *row = &s->row[k];
    double error = row->kind == HOLD_HARD ? row->error : 0.0;
    if (row->kind == HOLD_SOFT && row->stiffness > 0.0)
      error = row->error + s->lambda[k] / row->stiffness;
    s->x[n + k] = -error;
    gap = fmax(gap, fabs(error) / (row->angular ? 1.0 : t->size));
  }
  return fmax(t->scale > 0.0 ? worst / t->scale : 0.0, gap);
}

static linear_sign sign_of(const statics *t) {
  const linear_class *class = t->linear.class;
  return class->sign ? class->sign(t->linear.self) : LINEAR_UNKNOWN;
}

/* Into x; *size: of the whole and in rad. */
static scree_status find_correction(statics *t, double time, double *size) {
  smooth_system *s = &t->system;
  const smooth_weights weights = {.mass = 1.0 / (time * time), .place = 1.0, .geometric = true};
  double unused;
  system_matrix(s, &weights);
  scree_status status = t->linear.class->prepare(t->linear.self, &s->matrix);
  if (!status) status = t->linear.class->solve(t->linear.self, &s->matrix, s->x, &unused);
  if (status) return status;
  *size = 0.0;
  for (size_t r = 0; r < s->bodies; r++) {
    *size = fmax(*size, v3_norm(v3_load(s->x + 6 * r)) / t->size);
    *size = fmax(*size, v3_norm(v3_load(s->x + 6 * r + 3)));
  }
  return SCREE_OK;
}

static void take_correction(statics *t, double size) {
  smooth_system *s = &t->system;
  world_bodies *b = &s->world->bodies;
  const double cut = size > most_turn ? most_turn / size : 1.0;
  for (size_t r = 0; r < s->bodies; r++) {
    const uint32_t i = s->body[r];
    b->position[i] = v3_add_scaled(b->position[i], cut, v3_load(s->x + 6 * r));
    b->rotation[i] = quat_normalize(
        quat_mul(quat_exp(v3_scale(cut, v3_load(s->x + 6 * r + 3))), b->rotation[i]));
  }
  for (size_t k = 0; k < s->rows; k++) s->lambda[k] -= cut * s->x[6 * s->bodies + k];
}

/* Is this an equilibrium? In stiff parts rounding of places alone leaves forces: there the size of
 * the correction decides. */
static bool balanced(const scree_equilibrium_info *info, double tolerance, double size) {
  return info->residual <= tolerance || (size <= rounding && info->residual <= 1e-6);
}

static scree_status stopped(const statics *t) {
  if (!context_stopped(t->system.context)) return SCREE_OK;
  return context_fail(t->system.context, SCREE_ERROR_STOPPED, "equilibrium: stopped by the caller");
}

/* Plain Newton's method; it gives up where it is not sure. Judged by corrections: a stiff part that
 * has turned a little has forces far beyond its loads after the first. */
static scree_status plain(statics *t, long most, double tolerance, scree_equilibrium_info *info) {
  double before = INFINITY, size = INFINITY;
  for (long k = 0; k < PLAIN && k < most; k++) {
    info->residual = residual(t);
    /* A matrix from hardly elsewhere has shown that it is stable. */
    info->converged = size < 1e-6 && balanced(info, tolerance, size);
    if (info->converged || !isfinite(info->residual)) return SCREE_OK;
    info->iterations++;
    scree_status status = stopped(t);
    if (!status) status = find_correction(t, endless, &size);
    if (status) return status;
    if (!(size < small && size < 0.2 * before) || sign_of(t) != LINEAR_POSITIVE) return SCREE_OK;
    take_correction(t, size);
    before = size;
  }
  return SCREE_OK;
}

/* From the world's places and lambda as they are, starting at `time`. */
static scree_status iterate(statics *t, double time, long most, double tolerance,
                            scree_equilibrium_info *info) {
  double before = INFINITY, size = INFINITY;
  info->converged = false;
  for (long k = 0;; k++) {
    info->residual = residual(t);
    info->converged = balanced(info, tolerance, time >= long_time ? size : INFINITY);
    if (info->converged || !isfinite(info->residual) || k == most) return SCREE_OK;
    const double fall = before / info->residual;
    if (k) time *= size > most_turn ? 0.5 : fmin(fmax(fall, 1.5), 10.0);
    time = fmin(fmax(time, shortest), endless);
    before = info->residual;
    info->iterations++;
    scree_status status = stopped(t);
    if (!status) status = find_correction(t, time, &size);
    if (status) return status;
    /* Where the energy bends down this would lead to an equilibrium that is not stable. */
    if (sign_of(t) == LINEAR_INDEFINITE && time > shortest) {
      time *= 0.25;
      before = size = INFINITY;
      continue;
    }
    take_correction(t, size);
  }
}

static void keep(statics *t) {
  smooth_system *s = &t->system;
  for (size_t i = 0; i < s->world->bodies.limit; i++) s->pose0[i] = world_pose(s->world, i);
  memcpy(s->lambda0, s->lambda, s->rows * sizeof *s->lambda);
}

static void back(statics *t) {
  smooth_system *s = &t->system;
  world_bodies *b = &s->world->bodies;
  for (size_t i = 0; i < b->limit; i++) {
    b->position[i] = s->pose0[i].position;
    b->rotation[i] = s->pose0[i].rotation;
  }
  memcpy(s->lambda, s->lambda0, s->rows * sizeof *s->lambda);
}

/* Loads laid on step by step, each from the equilibrium before: for what is held but bends far. */
static scree_status lay_on(statics *t, long most, double tolerance, scree_equilibrium_info *info) {
  smooth_system *s = &t->system;
  double done = 0.0, step = 0.1;
  while (done < 1.0 && step > 1e-4 && info->iterations < most) {
    s->part = fmin(done + step, 1.0);
    const scree_status status =
        iterate(t, long_time, STEP_ITERATIONS, s->part == 1.0 ? tolerance : 1e-6, info);
    if (status) return status;
    if (info->converged) {
      done = s->part;
      step *= 1.5;
      keep(t);
    } else {
      back(t);
      step *= 0.4;
    }
  }
  s->part = 1.0;
  info->converged = done == 1.0;
  return SCREE_OK;
}

static scree_status search(statics *t, const scree_equilibrium_def *def,
                           scree_equilibrium_info *info) {
  smooth_system *s = &t->system;
  memset(s->a, 0, 6 * s->bodies * sizeof *s->a);
  memset(s->lambda, 0, s->rows * sizeof *s->lambda);
  keep(t);
  pose *start = memory_new(s->context, s->world->bodies.limit, sizeof *start);
  if (!start) return SCREE_ERROR_MEMORY;
  memcpy(start, s->pose0, s->world->bodies.limit * sizeof *start);
  scree_status status = SCREE_OK;
  /* Plain, quick, by steps, long. */
  for (int way = 0; way < 4 && !status && !info->converged; way++) {
    const long rest = def->iterations - info->iterations;
    if (rest <= 0) break;
    memcpy(s->pose0, start, s->world->bodies.limit * sizeof *start);
    memset(s->lambda0, 0, s->rows * sizeof *s->lambda0);
    back(t);
    if (way == 0)
      status = plain(t, rest, def->tolerance, info);
    else if (way == 2)
      status = lay_on(t, def->iterations, def->tolerance, info);
    else
      status =
          iterate(t, first_time, way == 1 && QUICK < rest ? QUICK : rest, def->tolerance, info);
  }
  memory_free(s->context, start);
  return status;
}

static void rest(const smooth_system *s) {
  world_bodies *b = &s->world->bodies;
  for (size_t r = 0; r < s->bodies; r++) {
    const uint32_t i = s->body[r];
    b->linear[i] = b->angular[i] = b->linear_rate[i] = b->angular_rate[i] = v3_make(0, 0, 0);
  }
}

scree_status scree_world_find_equilibrium(scree_world *w, const scree_equilibrium_def *def,
                                          scree_equilibrium_info *info) {
  ARGUMENT_CHECK(w ? w->context : NULL, w);
  const scree_equilibrium_def fallback = scree_equilibrium_def_default();
  scree_equilibrium_info local;
  statics t;
  bool again;
  if (!def) def = &fallback;
  DEFINITION_CHECK(w->context, def, equilibrium_def);
  if (!info) info = &local;
  memset(&t, 0, sizeof t);
  memset(info, 0, sizeof *info);
  context_begin(w->context);
  system_init(&t.system, w);
  scree_status status = linear_create(w->context, 0, &t.linear);
  if (!status) status = system_begin(&t.system, &again);
  if (!status) {
    rest(&t.system);
    measure(&t);
    status = search(&t, def, info);
    if (!status && !isfinite(info->residual))
      status = context_fail(w->context, SCREE_ERROR_NUMERIC,
                            "equilibrium: bodies fly off; is something not held?");
    if (status) system_back(&t.system);
    for (size_t k = 0; k < t.system.joints && !status; k++)
      hold_keep(w, &w->joint[t.system.joint[k]], t.system.lambda + t.system.joint_row[k], 1.0);
  }
  linear_destroy(&t.linear);
  system_clear(&t.system);
  return status;
}

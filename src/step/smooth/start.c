/* Where a smooth motion starts: places and velocities that keep to the joints, then accelerations
 * and multipliers. All are solves with the mass alone,
 *
 *   [ M  D ] [ x ]   [ loads ]
 *   [ D' 0 ] [-l ] = [ rows  ]
 *
 * places: D'x = -psi; velocities: D'x = -dpsi/dt; accelerations: D'a = -d(dpsi/dt)/dt at constant
 * v, which is found by central differences of fourth order along the motion: exact rows, any joint.
 * Soft rows hold nothing: their multiplier is given by the state. */
#include <string.h>

#include "step/smooth/system.h"

enum { MOST_ROUNDS = 20 };
static const double joint_tolerance = 1e-13; /* m, rad */

static bool is_soft(const smooth_row *row) {
  return row->kind == HOLD_SOFT;
}

/* The matrix with M alone; soft rows are out. */
static void mass_matrix(smooth_system *s) {
  const smooth_weights weights = {.mass = 1.0};
  system_matrix(s, &weights);
}

static scree_status solve(smooth_system *s, linear_solver *linear) {
  double residual;
  scree_status status = linear->class->prepare(linear->self, &s->matrix);
  if (!status) status = linear->class->solve(linear->self, &s->matrix, s->x, &residual);
  return status;
}

/* Bodies move and the joints hold again. */
static scree_status close_joints(smooth_system *s, linear_solver *linear) {
  const size_t n = 6 * s->bodies;
  memset(s->step, 0, n * sizeof *s->step);
  double before = INFINITY;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    double worst = 0.0;
    system_put(s, 0.0, s->step, s->v0);
    system_rows(s);
    for (size_t k = 0; k < s->rows; k++)
      if (s->row[k].kind == HOLD_HARD) worst = fmax(worst, fabs(s->row[k].error));
    if (worst <= joint_tolerance || !(worst < 0.5 * before)) break;
    before = worst;
    mass_matrix(s);
    memset(s->x, 0, n * sizeof *s->x);
    for (size_t k = 0; k < s->rows; k++)
      s->x[n + k] = s->row[k].kind == HOLD_HARD ? -s->row[k].error : 0.0;
    const scree_status status = solve(s, linear);
    if (status) return status;
    for (size_t r = 0; r < s->bodies; r++) {
      const uint32_t i = s->body[r];
      s->pose0[i].position = v3_add(s->pose0[i].position, v3_load(s->x + 6 * r));
      s->pose0[i].rotation =
          quat_normalize(quat_mul(quat_exp(v3_load(s->x + 6 * r + 3)), s->pose0[i].rotation));
    }
  }
  return SCREE_OK;
}

static double kinetic(smooth_system *s) {
  double sum = 0.0;
  system_mass(s, s->v0, s->f);
  for (size_t i = 0; i < 6 * s->bodies; i++) sum += 0.5 * s->f[i] * s->v0[i];
  return sum;
}

/* *prepared: the solver has the matrix of these places. */
static scree_status project_velocities(smooth_system *s, linear_solver *linear, double *loss,
                                       bool *prepared) {
  const size_t n = 6 * s->bodies;
  double worst = 0.0, fastest = 1.0;
  *loss = 0.0;
  for (size_t i = 0; i < n; i++) fastest = fmax(fastest, fabs(s->v0[i]));
  memset(s->x, 0, n * sizeof *s->x);
  for (size_t k = 0; k < s->rows; k++) {
    s->x[n + k] = is_soft(&s->row[k]) ? 0.0 : -system_rate(s, k, s->v0);
    worst = fmax(worst, fabs(s->x[n + k]));
  }
  if (worst <= 1e-14 * fastest) return SCREE_OK;
  mass_matrix(s);
  const scree_status status = solve(s, linear);
  if (status) return status;
  *prepared = true;
  *loss = kinetic(s);
  for (size_t i = 0; i < n; i++) s->v0[i] += s->x[i];
  *loss -= kinetic(s);
  system_put(s, 0.0, s->step, s->v0);
  return SCREE_OK;
}

/* The rates of all rows when bodies have gone on for `ahead` with v, their velocities kept. */
static void rates_ahead(smooth_system *s, double dt, const double *step, const double *v,
                        double ahead, double weight, double *sum) {
  world_bodies *b = &s->world->bodies;
  system_put(s, dt + ahead, step, v);
  for (size_t r = 0; r < s->bodies; r++) {
    const uint32_t i = s->body[r];
    b->position[i] = v3_add_scaled(b->position[i], ahead, v3_load(v + 6 * r));
    b->rotation[i] = quat_mul(quat_exp(v3_scale(ahead, v3_load(v + 6 * r + 3))), b->rotation[i]);
  }
  system_rows(s);
  for (size_t k = 0; k < s->rows; k++) sum[k] += weight * system_rate(s, k, v);
}

/* M^-1 f, where there are no joints and no inertia of links. */
static void free_accelerations(const smooth_system *s, const double *f, double *a) {
  const world_bodies *b = &s->world->bodies;
  for (size_t r = 0; r < s->bodies; r++) {
    const uint32_t i = s->body[r];
    const v3 in = b->inertia[i], t = quat_rotate_inverse(b->rotation[i], v3_load(f + 6 * r + 3));
    v3_store(a + 6 * r, v3_scale(1.0 / b->mass[i], v3_load(f + 6 * r)));
    v3_store(a + 6 * r + 3,
             quat_rotate(b->rotation[i], v3_make(t.x / in.x, t.y / in.y, t.z / in.z)));
  }
}

/* `prepared`: the solver has the matrix with M alone of the places at dt. */
static scree_status accelerate(smooth_system *s, linear_solver *linear, double dt,
                               const double *step, const double *v, double pull, bool prepared,
                               double *a, double *lambda) {
  const size_t n = 6 * s->bodies;
  double fastest = 1.0;
  for (size_t r = 0; r < s->bodies; r++) fastest = fmax(fastest, v3_norm(v3_load(v + 6 * r + 3)));
  const double by = 2e-3 / fastest; /* s */
  memset(s->rates, 0, s->rows * sizeof *s->rates);
  if (s->rows) {
    rates_ahead(s, dt, step, v, by, 8.0, s->rates);
    rates_ahead(s, dt, step, v, -by, -8.0, s->rates);
    rates_ahead(s, dt, step, v, 2.0 * by, -1.0, s->rates);
    rates_ahead(s, dt, step, v, -2.0 * by, 1.0, s->rates);
  }
  system_put(s, dt, step, v);
  system_rows(s);
  system_forces(s, s->x);
  scree_status status = s->more_forces ? s->more_forces(s->more_user, s->x) : SCREE_OK;
  if (status) return status;
  if (!s->rows && !s->heavy) {
    free_accelerations(s, s->x, a);
    return SCREE_OK;
  }
  for (size_t k = 0; k < s->rows; k++) {
    const smooth_row *row = &s->row[k];
    lambda[k] = is_soft(row) ? -row_stress(row, system_rate(s, k, v)) : 0.0;
    s->x[n + k] = -s->rates[k] / (12.0 * by) - 2.0 * pull * system_rate(s, k, v) -
                  (row->kind == HOLD_SPEED ? 0.0 : pull * pull * row->error);
    if (is_soft(row)) s->x[n + k] = 0.0;
  }
  system_add_loads(s, lambda, s->x);
  double residual;
  if (!prepared) {
    mass_matrix(s);
    status = linear->class->prepare(linear->self, &s->matrix);
  }
  if (!status) status = linear->class->solve(linear->self, &s->matrix, s->x, &residual);
  if (status) return status;
  memcpy(a, s->x, n * sizeof *a);
  for (size_t k = 0; k < s->rows; k++)
    if (!is_soft(&s->row[k])) lambda[k] = -s->x[n + k];
  return SCREE_OK;
}

scree_status system_accelerations(smooth_system *s, linear_solver *linear, double dt,
                                  const double *step, const double *v, double pull, double *a,
                                  double *lambda) {
  return accelerate(s, linear, dt, step, v, pull, false, a, lambda);
}

scree_status system_start(smooth_system *s, linear_solver *linear, double *loss) {
  bool prepared = false;
  scree_status status = close_joints(s, linear);
  if (!status) status = project_velocities(s, linear, loss, &prepared);
  if (!status)
    status = accelerate(s, linear, 0.0, s->step, s->v0, 0.0, prepared, s->a0, s->lambda0);
  if (!status) memcpy(s->b0, s->a0, 6 * s->bodies * sizeof *s->b0);
  return status;
}

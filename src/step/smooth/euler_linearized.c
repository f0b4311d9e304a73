/* The stepper `euler-linearized`: one linear solve per step, the smooth part of what `nonsmooth`
 * does.
 *
 *   (M + h R + h^2 K)(v+ - v) = h (f - h K v) + D l,      D'v+ = -psi/h (less what is given)
 *   q+ = q exp(h v+)                                      l: impulses; all at the start of the step
 *
 * Order 1; joints are held by velocities, so that their errors stay of the size of h^2. */
#include <string.h>

#include "step/smooth/linear_list.h"
#include "step/smooth/smooth.h"

static const scree_option_def options[] = {SMOOTH_OPTION_LINEAR, SMOOTH_OPTION_CONTACT};

/* Right side in terms of a = (v+ - v)/h and forces: (M + h R + h^2 K) a - D lambda = f - h K v. */
static scree_status right_side(scree_stepper *st, double h) {
  smooth *m = st->data;
  smooth_system *s = &m->system;
  const size_t n = 6 * s->bodies;
  /* h K v by the matrix with K alone. */
  const smooth_weights stiff = {.place = h};
  double *kv = m->more;
  memset(s->f, 0, n * sizeof *s->f);
  m->penalty.end = 1.0;
  m->penalty.once = true;
  const scree_status status = smooth_push(st, h, s->f);
  if (status) return status;
  system_matrix(s, &stiff);
  memcpy(s->x, s->v0, n * sizeof *s->x);
  memset(s->x + n, 0, s->rows * sizeof *s->x);
  kkt_multiply(&s->matrix, s->x, kv);
  system_forces(s, s->x);
  for (size_t i = 0; i < n; i++) s->x[i] += s->f[i] - kv[i];
  for (size_t k = 0; k < s->rows; k++) {
    const smooth_row *row = &s->row[k];
    const double rate = system_rate(s, k, s->v0);
    if (row->kind == HOLD_SOFT) /* lambda = -k (psi + h (rate + h D'a)) - c (rate + h D'a) */
      s->x[n + k] = -(row_stress(row, rate) + h * row->stiffness * rate) /
                    (row->stiffness * h * h + row->damping * h);
    else
      s->x[n + k] = row->kind == HOLD_SPEED ? -rate / h : -(row->error / h + rate) / h;
  }
  return SCREE_OK;
}

static scree_status step(scree_stepper *st, double h, scree_step_info *info) {
  smooth *m = st->data;
  smooth_system *s = &m->system;
  smooth_power power;
  double residual;
  scree_status status = smooth_begin(st, h, info, &power);
  if (!status)
    status = memory_grow(st->context, &m->more, 12 * s->bodies + s->rows, sizeof *m->more);
  if (status) return status;
  const size_t n = 6 * s->bodies;
  const scree_energy before = scree_world_get_energy(st->world);
  const smooth_weights weights = {.mass = 1.0, .rate = h, .place = h * h};
  status = right_side(st, h);
  if (status) return status;
  system_matrix(s, &weights);
  status = m->linear.class->prepare(m->linear.self, &s->matrix);
  if (!status) status = m->linear.class->solve(m->linear.self, &s->matrix, s->x, &residual);
  for (size_t i = 0; i < n && !status; i++)
    if (!isfinite(s->x[i]))
      status =
          context_fail(st->context, SCREE_ERROR_NUMERIC,
                       "stepper euler-linearized: the motion is not finite at t = %g s", s->time0);
  if (status) return status;
  for (size_t i = 0; i < n; i++) {
    s->a[i] = s->x[i];
    m->v[i] = s->v0[i] + h * s->a[i];
    s->step[i] = h * m->v[i];
  }
  for (size_t k = 0; k < s->rows; k++) s->lambda[k] = -s->x[n + k];
  system_put(s, h, s->step, m->v);
  info->iterations = 1;
  return smooth_end_explicit(st, h, 1, &before, &power, info);
}

const stepper_class stepper_euler_linearized = SMOOTH_CLASS_AT(
    "euler-linearized", "smooth motion, one linear solve per step, order 1", options, step, true);

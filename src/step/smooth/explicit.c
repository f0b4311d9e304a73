/* The stepper `explicit`: accelerations from forces and joints as they are, no equations of the
 * next state.
 *
 *   symplectic   v+ = v + h a(q, v),  q+ = q exp(h v+)            order 1; the way of discrete
 * elements rk4          the classical method of Runge and Kutta on v and on the turn x since the
 * start of the step, dx/dt = T^-1(x) w                      order 4
 *
 * Joints are held by their accelerations alone (index 1): their errors grow, and are reported;
 * `pull` makes psi obey psi'' + 2 w psi' + w^2 psi = 0. Contacts may be springs (contact.h), with
 * `symplectic` only. The step must be short against the fastest swing. */
#include <string.h>

#include "math/tangent.h"
#include "step/smooth/contact.h"
#include "step/smooth/linear_list.h"
#include "step/smooth/smooth.h"

static const scree_option_def options[] = {
    {.key = "method",
     .type = SCREE_OPTION_CHOICE,
     .choices = "symplectic|rk4",
     .unit = "",
     .help = "order 1 without drift of energy, or order 4"},
    {.key = "pull",
     .type = SCREE_OPTION_REAL,
     .fallback = 0,
     .minimum = 0,
     .maximum = 1e9,
     .unit = "1/s",
     .help = "rate at which errors of joints are taken back; 0: they drift"},
    SMOOTH_OPTION_CONTACT,
    SMOOTH_OPTION_LINEAR,
};

static void weigh(const smooth_system *s, const double *step, const double *v, double *rate) {
  for (size_t r = 0; r < s->bodies; r++) {
    const m33 back = tangent_inverse(v3_load(step + 6 * r + 3));
    v3_store(rate + 6 * r, v3_load(v + 6 * r));
    v3_store(rate + 6 * r + 3, m33_mul_v3(&back, v3_load(v + 6 * r + 3)));
  }
}

static scree_status accelerations(scree_stepper *st, double dt, const double *step,
                                  const double *v) {
  smooth *m = st->data;
  return system_accelerations(&m->system, &m->linear, dt, step, v, smooth_option(st, "pull"),
                              m->system.a, m->system.lambda);
}

static scree_status symplectic(scree_stepper *st, double h) {
  smooth *m = st->data;
  smooth_system *s = &m->system;
  const size_t n = 6 * s->bodies;
  memset(s->step, 0, n * sizeof *s->step);
  const scree_status status = accelerations(st, 0.0, s->step, s->v0);
  if (status) return status;
  for (size_t i = 0; i < n; i++) {
    m->v[i] = s->v0[i] + h * s->a[i];
    s->step[i] = h * m->v[i];
  }
  return SCREE_OK;
}

/* more: the sums of rates of places and velocities. */
static scree_status rk4(scree_stepper *st, double h) {
  static const double at[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
  smooth *m = st->data;
  smooth_system *s = &m->system;
  const size_t n = 6 * s->bodies;
  double *place = m->more, *speed = m->more + n, *rate = s->b0;
  memset(m->more, 0, 2 * n * sizeof *m->more);
  memset(s->step, 0, n * sizeof *s->step);
  memcpy(m->v, s->v0, n * sizeof *m->v);
  for (int k = 0; k < 4; k++) {
    const scree_status status = accelerations(st, at[k] * h, s->step, m->v);
    if (status) return status;
    weigh(s, s->step, m->v, rate);
    const double next = k < 3 ? at[k + 1] * h : 0.0;
    for (size_t i = 0; i < n; i++) {
      place[i] += weight[k] * rate[i];
      speed[i] += weight[k] * s->a[i];
      s->step[i] = next * rate[i];
      m->v[i] = s->v0[i] + next * s->a[i];
    }
  }
  for (size_t i = 0; i < n; i++) {
    s->step[i] = h / 6.0 * place[i];
    m->v[i] = s->v0[i] + h / 6.0 * speed[i];
  }
  return SCREE_OK;
}

static scree_status step(scree_stepper *st, double h, scree_step_info *info) {
  smooth *m = st->data;
  smooth_system *s = &m->system;
  const bool fourth = smooth_option(st, "method") == 1.0;
  const bool springs = (int)smooth_option(st, "contact") == SMOOTH_CONTACT_PENALTY;
  if (springs && fourth)
    return context_fail(st->context, SCREE_ERROR_UNSUPPORTED,
                        "stepper explicit: springs of contacts are not smooth enough for rk4; "
                        "take method: symplectic");
  smooth_power power;
  scree_status status = smooth_begin(st, h, info, &power);
  if (status) return status;
  m->penalty_step = h;
  m->penalty.end = 1.0;
  const scree_energy before = scree_world_get_energy(st->world);
  status = fourth ? rk4(st, h) : symplectic(st, h);
  if (!status) {
    system_put(s, h, s->step, m->v);
    for (size_t i = 0; i < 6 * s->bodies && !status; i++)
      if (!isfinite(s->step[i]) || !isfinite(m->v[i]))
        status = context_fail(st->context, SCREE_ERROR_NUMERIC,
                              "stepper explicit: the motion is not finite at t = %g s; the step is "
                              "too long for what swings there",
                              s->time0);
  }
  if (status) {
    system_back(s);
    smooth_contacts_drop(&m->contacts);
    return status;
  }
  return smooth_end_explicit(st, h, fourth ? 4 : 1, &before, &power, info);
}

const stepper_class stepper_explicit = SMOOTH_CLASS_AT(
    "explicit", "smooth motion, explicit: symplectic Euler or Runge-Kutta 4; drifts", options, step,
    true);

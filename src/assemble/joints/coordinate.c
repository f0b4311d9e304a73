/* What the free coordinates of joints have: springs, motors, dry friction, limits.
 *
 * A spring of stiffness k and damping d with the error e = q - rest: v lives at half steps, so that
 *
 *   force = -(k (e + h (alpha e'+ - beta e'-)) + d (gamma e'+ + (1 - gamma) e'-))
 *
 * with e'- of the step before and e'+ of this one, unknown. alpha = beta = 1/4, gamma = 1/2 is the
 * trapezoidal rule: of order 2, stable for any k and d, and it damps nothing. A spring that the
 * step cannot follow would ring for ever with it; so it goes over to the rule of the step's end,
 * alpha = gamma = 1, beta = 0, as x = h kick k W grows beyond 4 (and y = kick d W beyond 2):
 *
 *   s = x^2 / (x^2 + 16),  alpha = (1 + 3 s) / 4,  beta = (1 - s) / 4
 *   gamma = (1 + y / (y + 2)) / 2
 *
 * W is the row's mobility with both bodies taken as free. Stable is any s from 0 to 1: with
 * w = h e' a free body has w+ (1 + alpha x) = w- (1 + beta x) - x e, e+ = e + w+, whose roots are
 * in the unit circle as beta <= alpha and alpha + beta >= 1/2. What it damps of a mode of frequency
 * omega is omega h s / 2 of the critical, of fifth order in the step: 3e-7 at omega h = 0.1 where
 * W is that of the mode.
 *
 * With K = k h alpha + d gamma and F the rest of the bracket the impulse is g = -kick (K e'+ + F):
 *
 *   e'+ + F / K + g / (kick K) = 0     b = F / K - rest',   C = 1 / (kick K)
 *
 * A rotor of inertia J that turns with q takes the impulse -J (e'+ - e'-) beside: J / kick more in
 * K, and - J e'- / kick in F.
 *
 * A limit of the force is the interval of g. Any gain is stable: K goes to 0 or to infinity. */
#include <math.h>

#include "assemble/joints/joints.h"

bool joint_solve_spring(const joint_spring *s, double h, double kick, double *offset,
                        double *compliance) {
  const double x = h * kick * s->stiffness * s->mobility, y = kick * s->damping * s->mobility;
  const double stiff = isfinite(x * x) ? x * x / (x * x + 16.0) : 1.0;
  const double alpha = 0.25 * (1.0 + 3.0 * stiff);
  const double beta = 0.25 * (1.0 - stiff), gamma = 0.5 * (1.0 + y / (y + 2.0));
  const double rotor = s->armature / kick;
  const double k = s->stiffness * h * alpha + s->damping * gamma + rotor;
  const double rest = s->stiffness * (s->error - h * beta * s->before) +
                      s->damping * (1.0 - gamma) * s->before - rotor * s->before;
  if (!(k > 0.0)) return false;
  *offset = rest / k - s->drift;
  *compliance = 1.0 / (kick * k);
  return isfinite(*offset) && isfinite(*compliance);
}

double joint_mobility(const scree_world *w, const joint *j, const joint_row *row) {
  const world_bodies *b = &w->bodies;
  double sum = 0.0;
  for (int s = 0; s < JOINT_SIDES; s++) {
    const uint32_t i = j->body[s];
    if (i == WORLD_NO_BODY || !world_is_dynamic(w, i)) continue;
    const v3 l = quat_rotate_inverse(b->rotation[i], row->angular[s]), m = b->inertia[i];
    sum +=
        v3_norm2(row->linear[s]) / b->mass[i] + l.x * l.x / m.x + l.y * l.y / m.y + l.z * l.z / m.z;
  }
  return sum;
}

typedef struct coordinate_look {
  assembler *a;
  const assembler_params *params;
  size_t index;
  const joint *j;
  const joint_view *view;
  const joint_coordinate *c;
  int k;
  joint_row row;
  double before, free; /* its speed in the step before, and with forces alone */
  double warmth;
} coordinate_look;

static scree_status add(const coordinate_look *l, joint_role role, double offset, double compliance,
                        const scree_set *set, double impulse) {
  const double g = l->warmth * impulse;
  return joint_add_part(l->a, l->index, role, l->k, &l->row, 1, &offset, &compliance, set, &g);
}

static scree_set within(double limit, double kick) {
  const double most = limit * kick;
  return isinf(most) ? scree_set_free(1) : scree_set_interval(-most, most);
}

static scree_status add_spring(const coordinate_look *l) {
  const joint_spring s = {.stiffness = l->c->stiffness,
                          .damping = l->c->damping,
                          .armature = l->c->armature,
                          .error = l->row.value - l->c->rest,
                          .before = l->before,
                          .mobility = joint_mobility(l->a->world, l->j, &l->row)};
  const scree_set set = scree_set_free(1);
  double offset, compliance;
  if (!joint_solve_spring(&s, l->params->h, l->a->kick, &offset, &compliance)) return SCREE_OK;
  return add(l, JOINT_PART_SPRING, offset, compliance, &set, l->c->spring_impulse);
}

static scree_status add_motor(const coordinate_look *l) {
  const joint_coordinate *c = l->c;
  const double h = l->params->h, kick = l->a->kick, now = l->a->world->time;
  const scree_set set = within(c->motor_limit, kick);
  double offset = 0.0, compliance = 0.0;
  if (c->motor_stiffness == 0.0 && c->motor_damping == 0.0) {
    offset = c->motor == SCREE_MOTOR_SPEED ? -joint_motor_value(c, now + 0.5 * h)
                                           : (l->row.value - joint_motor_value(c, now + h)) / h;
  } else {
    joint_spring s = {.damping = c->motor_damping,
                      .mobility = joint_mobility(l->a->world, l->j, &l->row)};
    if (c->motor == SCREE_MOTOR_SPEED) {
      s.drift = joint_motor_value(c, now + 0.5 * h);
    } else {
      s.stiffness = c->motor_stiffness;
      s.error = l->row.value - joint_motor_value(c, now);
      s.drift = c->motor_rate;
    }
    s.before = l->before - s.drift;
    if (!joint_solve_spring(&s, h, kick, &offset, &compliance)) return SCREE_OK;
  }
  return add(l, JOINT_PART_MOTOR, offset, compliance, &set, c->motor_impulse);
}

/* Dry friction, by the reaction of the step before. */
static scree_status add_friction(const coordinate_look *l) {
  const joint_coordinate *c = l->c;
  const double reaction = l->j->step > 0.0 ? v3_norm(l->j->impulse) / l->j->step : 0.0;
  const double most = c->friction + c->friction_coefficient * reaction;
  if (!(most > 0.0)) return SCREE_OK;
  const scree_set set = scree_set_interval(-most * l->a->kick, most * l->a->kick);
  return add(l, JOINT_PART_FRICTION, 0.0, 0.0, &set, c->friction_impulse);
}

/* Limits are looked at from this far, in lengths of the joint or rad, and in steps at its speed. */
static const double limit_margin = 0.1;
enum { LIMIT_STEPS = 3 };

/* s = 1: the lower one, -1: the upper one; u = s q' is the speed away from it. A joint that comes
 * with u < 0 and reaches it in the step goes back with -e u, if it is faster than what forces give
 * it in two steps. */
static scree_status add_limit(coordinate_look *l, double s, double at) {
  const joint_coordinate *c = l->c;
  const double h = l->params->h, gap = s * (l->row.value - at);
  const double fastest = fmax(fabs(l->before), fabs(l->free));
  double size = 1.0;
  if (!l->row.turn) {
    size = fabs(l->row.value);
    for (int m = 0; m < 2; m++)
      size = fmax(size, v3_norm(v3_sub(l->view->frame[m].position, l->view->center[m])));
  }
  if (!(gap < limit_margin * size + LIMIT_STEPS * h * fastest)) return SCREE_OK;
  const joint_recovery most = joint_find_recovery(l->a, l->params, l->j, l->view);
  const double recovery = l->row.turn ? most.turn : most.slide;
  const double u = s * l->before, forces = fabs(l->free - l->before);
  double offset = gap / h, compliance = 0.0;
  if (c->limit_compliance > 0.0)
    compliance = c->limit_compliance / (h * l->a->kick);
  else if (gap < 0.0)
    offset = fmax(l->params->stabilisation * offset, -recovery);
  if (c->limit_restitution > 0.0 && u < -2.0 * forces && gap + h * u < 0.0)
    offset = fmin(offset, c->limit_restitution * u);
  const scree_set set = scree_set_ray();
  const joint_row whole = l->row;
  joint_row row = {.turn = whole.turn};
  joint_row_add(&row, s, &whole);
  l->row = row;
  const joint_role role = s > 0.0 ? JOINT_PART_LOW : JOINT_PART_HIGH;
  const scree_status status =
      add(l, role, offset, compliance, &set, fmax(0.0, s * c->limit_impulse));
  l->row = whole;
  return status;
}

scree_status joint_add_coordinate(assembler *a, const assembler_params *params, size_t index,
                                  const joint_view *view, int k) {
  const scree_world *w = a->world;
  const joint *j = view->data;
  const joint_coordinate *c = &j->coordinate[k];
  const bool limited = c->limits[0] > -INFINITY || c->limits[1] < INFINITY;
  const bool spring = c->stiffness > 0.0 || c->damping > 0.0 || c->armature > 0.0;
  const bool friction = c->friction > 0.0 || c->friction_coefficient > 0.0;
  const bool motor = c->motor == SCREE_MOTOR_SPEED || c->motor == SCREE_MOTOR_POSITION;
  if (!limited && !spring && !friction && !motor) return SCREE_OK;
  coordinate_look l = {.a = a,
                       .params = params,
                       .index = index,
                       .j = j,
                       .view = view,
                       .c = c,
                       .k = k,
                       .row = joint_coordinate_row(view, k),
                       .warmth = joint_warmth(a, params, j)};
  l.before = joint_row_speed(j, &l.row, w->bodies.linear, w->bodies.angular);
  l.free = joint_row_speed(j, &l.row, a->linear, a->angular);
  scree_status status = spring ? add_spring(&l) : SCREE_OK;
  if (!status && motor) status = add_motor(&l);
  if (!status && friction) status = add_friction(&l);
  if (!status && c->limits[0] > -INFINITY) status = add_limit(&l, 1.0, c->limits[0]);
  if (!status && c->limits[1] < INFINITY) status = add_limit(&l, -1.0, c->limits[1]);
  return status;
}

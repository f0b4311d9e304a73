/* Curvature: offsets of contacts from the motion that is expected.
 *
 * A step takes forces and constraints along the rows G = D'(q_k) of its start, so that N stays
 * symmetric. For a body that rolls this keeps the arm of a contact that has moved on, and it gains
 * energy by that: an ellipsoid that rocks by 0.2 rad has five times as much after 120 s at 5 ms.
 * What is missing is of second order in the motion and follows from the motion that is expected,
 * v_p = v_k + kick a with the acceleration of the last two steps carried on:
 *
 *   normal      (gap(q_k + h v_p) - gap(q_k)) / h - G_n v_p       the gap closes at the step's end
 *   tangents    G_t(q_k + h/2 v_p) v_p(h/2) - G_t(q_k) v_p        no slip at its middle
 *
 * is added to b; q + h v is the turn that bodies really make (world_pose_after). In the leapfrog
 * reading of the step (v at half steps) this is of second order, and the energy does not drift.
 *
 *            o          One query of the narrow phase at the middle gives both: with the gap there
 *        ___/|___       gap(h) = gap + h u + 4 (gap(h/2) - gap - h/2 u), and the arms of the
 * middle: r_k  r_m        a wheel with its weight off the centre, an ellipsoid, a disk.
 *
 * Only for pairs that pressed in the step before (`lasting`), as new ones have no history; the
 * normal only of points that did. A contact is not made to part, or allowed to come nearer, by more
 * than curvature can give, h |w| (2 |w| arm + slip) of each body, nor to part so fast that it gives
 * energy (least_offset); what is negligible beside gravity is not looked for. Spheres on planes
 * that do not turn have none. On meshes several points at once take the tangents alone. After a
 * jolt, and with turns of more than a tenth of a radian a step, nothing is estimated.
 *
 * Joints have none of it on purpose. Their error psi is of either sign and is taken back whole by
 * b = psi / h: it stays at h^2/2 of the curvature, which is just what gives the velocity at the
 * middle of the step its part across the arc. Offsets for the expected curvature would make psi
 * smaller (1e-8 m instead of 1e-5 for a pendulum), but in chains of light links it feeds fast modes
 * back into the pull of a heavy load, and they grow. */
#include <math.h>

#include "assemble/assembler.h"
#include "assemble/contacts/part.h"
#include "base/asking.h"
#include "ccp/problem.h"

static const double fade_from = 0.1, fade_to = 0.2; /* rad per step */
/* Speeds below this part of what gravity gives in a step are left out. */
static const double negligible = 1e-5;
/* Error of the estimated motion that is allowed for, as a part of what gravity gives in a step. */
static const double foreseen_part = 0.1;
enum { FEW_CONTACTS = 512 }; /* up to so many contacts one thread is faster */

typedef struct expected {
  v3 linear, angular; /* v_p; the angular one at the old rotation */
  v3 angular_mid;     /* at the one of the middle */
  pose mid;           /* of the body */
} expected;

static expected expect(const assembler *a, size_t body, double h) {
  const scree_world *w = a->world;
  expected e = {.linear = a->linear[body], .angular = a->angular[body]};
  if (world_is_dynamic(w, body)) {
    const double kick = w->bodies.pulse[body] >= PULSE_SHARED ? world_kick(w, body, h) : 0.0;
    const world_bodies *b = &w->bodies;
    const body_growth *g = &b->growth[body];
    e.linear = v3_add_scaled(b->linear[body], kick, v3_add(b->linear_rate[body], g->linear));
    e.angular = v3_add_scaled(b->angular[body], kick, v3_add(b->angular_rate[body], g->angular));
  }
  e.angular_mid = e.angular;
  e.mid = world_pose_after(w, body, 0.5 * h, e.linear, &e.angular_mid);
  return e;
}

static double fade(double turn) {
  return fmin(fmax((fade_to - turn) / (fade_to - fade_from), 0.0), 1.0);
}

static v3 velocity_of(const expected *e, v3 arm) {
  return v3_add(e->linear, v3_cross(e->angular, arm));
}

static bool is_round(const world_bodies *b, uint32_t i) {
  return b->shape[i]->kind == SCREE_SHAPE_SPHERE &&
         (!b->place || v3_norm2(b->place[i].position) == 0.0);
}

/* Surfaces without curvature for a ball: its contact stays below its centre. */
static bool is_flat(const world_bodies *b, uint32_t i) {
  const scree_shape_kind kind = b->shape[i]->kind;
  return kind == SCREE_SHAPE_HALF_SPACE || kind == SCREE_SHAPE_BOX_CONTAINER;
}

/* How fast the centre of body m goes over the other one, m/s. */
static double travel_of(const world_bodies *b, const uint32_t *body, const expected *e, int m) {
  const expected *on = &e[1 - m];
  const v3 arm = v3_sub(b->position[body[m]], b->position[body[1 - m]]);
  return v3_norm(v3_sub(e[m].linear, v3_add(on->linear, v3_cross(on->angular, arm))));
}

/* The most that curvature gives, m/s. */
typedef struct bounds {
  double normal, tangent;
} bounds;

/* At the end of an arm a body's surface turns its velocity by |w| h, and the place where it is
 * touched moves along it with |w| arm and the slip. Of a ball it moves by no more than its centre
 * goes over a surface that is not flat, and with that surface; only tangents feel the spin. */
static bounds most_of(const world_bodies *b, const uint32_t *body, const expected *e,
                      const ccp_contact *c, v3 slip, double h) {
  const double arm[2] = {v3_norm(v3_load(c->arm_a)), v3_norm(v3_load(c->arm_b))};
  bounds most = {0.0, 0.0};
  double round = 0.0;
  for (int m = 0; m < 2; m++) {
    const double w = v3_norm(e[m].angular), on = v3_norm(e[1 - m].angular);
    if (w == 0.0) continue;
    if (!is_round(b, body[m]))
      most.normal += h * w * (2.0 * w * arm[m] + v3_norm(slip));
    else if (!is_flat(b, body[1 - m]))
      round += h * w * (travel_of(b, body, e, m) + on * arm[m]);
  }
  most.tangent = most.normal + round;
  return most;
}

/* How fast surfaces turn, rad/s; that of a ball is the same however it turns. */
static double turning_of(const world_bodies *b, const uint32_t *body, const expected *e) {
  double sum = 0.0;
  for (int m = 0; m < 2; m++)
    if (!is_round(b, body[m])) sum += v3_norm(e[m].angular);
  return sum;
}

/* Which triangles of a mesh touch changes from look to look. */
static bool is_mesh(const world_bodies *b, uint32_t i) {
  return b->shape[i]->kind == SCREE_SHAPE_MESH;
}

static bool jolted(const scree_world *w, uint32_t i) {
  return world_is_dynamic(w, i) && (w->bodies.fresh[i] || w->bodies.pulse[i] == PULSE_JOLT);
}

typedef struct curved_pair {
  uint32_t body[2];
  expected e[2];
  double h;
  bool many; /* points on triangles */
  int found;
  contact_point mid[CONTACT_POINT_MAX];
} curved_pair;

static v3 slip_of(const curved_pair *p, v3 arm_a, v3 arm_b) {
  return v3_sub(velocity_of(&p->e[1], arm_b), velocity_of(&p->e[0], arm_a));
}

/* A direction across `from`, turned along with it to `to`. */
static v3 carry(v3 t, v3 from, v3 to) {
  const double f = v3_dot(t, to) / (1.0 + v3_dot(from, to));
  return v3_sub(t, v3_scale(f, v3_add(from, to)));
}

static bool has_feature(const cache_key *key, size_t count, uint32_t feature) {
  for (size_t k = 0; k < count; k++)
    if (key[k].feature == feature) return true;
  return false;
}

/* On meshes names of points change with the triangles: contact k of the pair's has the point of its
 * name or, of those with new names, the one nearest to where the material points will be. A rim
 * that lies nearly flat is touched far from there, but no farther than what is estimated turns. */
static const contact_point *find_near(const assembler *a, const curved_pair *p, size_t k,
                                      const cache_key *key, size_t count, const ccp_contact *c) {
  const world_bodies *b = &a->world->bodies;
  const v3 arm[2] = {v3_load(c->arm_a), v3_load(c->arm_b)};
  v3 at[2];
  for (int m = 0; m < 2; m++)
    at[m] = pose_apply(p->e[m].mid, quat_rotate_inverse(b->rotation[p->body[m]], arm[m]));
  const v3 middle = v3_scale(0.5, v3_add(at[0], at[1]));
  const contact_point *best = NULL;
  const double turn = p->h * v3_norm(v3_sub(p->e[1].angular, p->e[0].angular));
  double least = fmin(fade_to, 5.0 * turn) * fmin(v3_norm(arm[0]), v3_norm(arm[1]));
  for (int m = 0; m < p->found; m++) {
    const contact_point *q = &p->mid[m];
    if (v3_dot(q->normal, v3_load(c->normal)) < 0.5) continue;
    const double away = v3_norm(v3_sub(v3_scale(0.5, v3_add(q->point_a, q->point_b)), middle));
    if (away > least) continue;
    if (q->feature == key[k].feature) return q;
    if (has_feature(key, count, q->feature)) continue;
    least = away;
    best = q;
  }
  return best;
}

static const contact_point *find_mid(const curved_pair *p, uint32_t feature, size_t count) {
  for (int m = 0; m < p->found; m++)
    if (p->mid[m].feature == feature) return &p->mid[m];
  return count == 1 && p->found == 1 ? &p->mid[0] : NULL;
}

static double clamp(double x, double most) {
  return fmin(fmax(x, -most), most);
}

/* The least offset of a normal row that has the curvature in it, m/s. A contact that presses with p
 * gives p (u + u+) / 2 to its bodies, u before the step and u+ = -b after it: no more than it took
 * while u < 0, and what the estimated motion may be wrong by. */
static double least_offset(const assembler *a, const curved_pair *p, const ccp_contact *c, v3 n) {
  const world_bodies *b = &a->world->bodies;
  const uint32_t i = p->body[0], k = p->body[1];
  const v3 va = v3_add(b->linear[i], v3_cross(b->angular[i], v3_load(c->arm_a)));
  const v3 vb = v3_add(b->linear[k], v3_cross(b->angular[k], v3_load(c->arm_b)));
  const v3 image = world_image(a->world, i, k).velocity;
  return v3_dot(n, v3_add(v3_sub(vb, va), image)) - foreseen_part * p->h * a->gravity;
}

/* The relative velocity that is expected at the middle of the step, where the bodies touch then:
 * at `mid`; below the centre of a ball; else (null: meshes, whose triangles change from look to
 * look, and faces whose corners have other names then) where the two material points are that touch
 * now. What rolls touches elsewhere by then, d along the surface, but w x d is along the normal,
 * and tangents do not feel it but for the spin about the normal. */
static v3 slip_at_middle(const assembler *a, const curved_pair *p, const ccp_contact *c,
                         const contact_point *mid) {
  const world_bodies *b = &a->world->bodies;
  const v3 now[2] = {v3_load(c->arm_a), v3_load(c->arm_b)};
  v3 v[2], arm[2];
  for (int m = 0; m < 2; m++)
    arm[m] =
        quat_rotate(p->e[m].mid.rotation, quat_rotate_inverse(b->rotation[p->body[m]], now[m]));
  for (int m = 0; m < 2; m++) {
    if (!is_round(b, p->body[m])) continue;
    arm[m] = now[m];
    arm[1 - m] = v3_add(v3_sub(p->e[m].mid.position, p->e[1 - m].mid.position), now[m]);
  }
  for (int m = 0; m < 2; m++) {
    if (mid) {
      const v3 at = v3_scale(0.5, v3_add(mid->point_a, mid->point_b));
      arm[m] = v3_sub(at, p->e[m].mid.position);
    }
    v[m] = v3_add(p->e[m].linear, v3_cross(p->e[m].angular_mid, arm[m]));
  }
  return v3_sub(v[1], v[0]);
}

/* The offset of the normal row, from the gap at the middle of the step. */
static void curve_normal(assembler *a, const curved_pair *p, size_t k, const contact_point *mid,
                         double part, double most) {
  const ccp_contact *c = &a->problem->bodies.contact[k];
  const v3 n = v3_load(c->normal), u = slip_of(p, v3_load(c->arm_a), v3_load(c->arm_b));
  double *b = a->problem->offset + a->problem->row_start[k];
  const double bend = (mid->gap - (double)a->memory.gap[k]) / p->h - 0.5 * v3_dot(n, u);
  const double plain = b[0];
  b[0] += part * clamp(4.0 * bend, most);
  b[0] = fmax(b[0], fmin(plain, least_offset(a, p, c, n)));
}

static void curve_contact(assembler *a, const curved_pair *p, size_t k, const contact_point *mid) {
  const ccp_contact *c = &a->problem->bodies.contact[k];
  const contact_frame f = contact_frame_of(c);
  const v3 n = f.n, t[2] = {f.t1, f.t2};
  const v3 u = slip_of(p, v3_load(c->arm_a), v3_load(c->arm_b));
  const world_bodies *bodies = &a->world->bodies;
  double turn = p->h * turning_of(bodies, p->body, p->e);
  if (mid && (is_round(bodies, p->body[0]) || is_round(bodies, p->body[1])))
    turn += 2.0 * v3_norm(v3_sub(mid->normal, n));
  const double part = fade(turn);
  const bounds most = most_of(bodies, p->body, p->e, c, u, p->h);
  if (mid && v3_dot(n, mid->normal) < 0.5) return;
  const bool goes_on = a->curve.lasting[k] || (p->many && v3_dot(n, u) > -most.normal);
  if (mid && goes_on) curve_normal(a, p, k, mid, part, most.normal);
  if (ccp_dim(a->problem, k) < 3) return;
  /* One that is new to the pair is no impact: that would change the motion that is expected. */
  if (!a->curve.lasting[k] && v3_dot(n, u) < -p->h * a->gravity) return;
  double *b = a->problem->offset + a->problem->row_start[k];
  const v3 u_mid = slip_at_middle(a, p, c, mid), to = mid ? mid->normal : n;
  for (int r = 0; r < 2; r++)
    b[1 + r] += part * clamp(v3_dot(carry(t[r], n, to), u_mid) - v3_dot(t[r], u), most.tangent);
}

/* In closed form, with n turned by dn = (h/2) V_t / l in half a step (V: of the centres, l: their
 * distance). Slip is V - S x n with S = r_a w_a + r_b w_b, and in a frame that is turned along only
 * its second part changes, where S spins about the normal: by (S n) (n x t) dn in direction t. */
void contacts_curve_balls(const assembler *a, const collide_contact *c, const contact_frame *f,
                          v3 image_velocity, double h, double *b) {
  const world_bodies *w = &a->world->bodies;
  if (!is_round(w, c->a) || !is_round(w, c->b)) return;
  const mean_twist *ta = &a->mean[c->a], *tb = &a->mean[c->b];
  const double ra = w->radius[c->a], rb = w->radius[c->b], l = ra + rb + c->point.gap;
  const double spin = ra * v3_dot(f->n, ta->angular) + rb * v3_dot(f->n, tb->angular);
  const v3 v = v3_add(v3_sub(tb->linear, ta->linear), image_velocity);
  const double d1 = 0.5 * h * v3_dot(v, f->t1) / l, d2 = 0.5 * h * v3_dot(v, f->t2) / l;
  const double part = fade(2.0 * sqrt(d1 * d1 + d2 * d2));
  b[1] += part * spin * d2;
  b[2] -= part * spin * d1;
}

static pose shape_mid(const world_bodies *b, uint32_t i, pose mid) {
  return b->place ? pose_mul(mid, b->place[i]) : mid;
}

/* Contacts first … first + count - 1 of one pair. */
static void curve_pair(assembler *a, double h, size_t first, size_t count) {
  const cache_key *key = &collide_cache(a->collide)->now.key[first];
  const world_bodies *b = &a->world->bodies;
  curved_pair p = {.body = {key->a, key->b}, .h = h};
  bool lasting = false;
  for (size_t k = first; k < first + count; k++) lasting = lasting || a->curve.lasting[k];
  if (!lasting || (is_round(b, key->a) && is_round(b, key->b))) return;
  if (jolted(a->world, key->a) || jolted(a->world, key->b)) return;
  double least = INFINITY, margin = 0.0, most = 0.0;
  for (int m = 0; m < 2; m++) p.e[m] = a->curve.expected[p.body[m]];
  const periodic_image image = world_image(a->world, key->a, key->b);
  p.e[1].linear = v3_add(p.e[1].linear, image.velocity);
  p.e[1].mid.position =
      v3_add(p.e[1].mid.position, v3_add_scaled(image.shift, 0.5 * h, image.velocity));
  for (size_t k = first; k < first + count; k++) {
    const ccp_contact *c = &a->problem->bodies.contact[k];
    const v3 u = slip_of(&p, v3_load(c->arm_a), v3_load(c->arm_b));
    most = fmax(most, most_of(b, p.body, p.e, c, u, h).tangent);
    margin = fmax(margin, (double)a->memory.gap[k] + h * fabs(v3_dot(v3_load(c->normal), u)));
    least = fmin(least, (double)a->memory.gap[k]);
  }
  if (!(most > negligible * h * a->gravity)) return;
  p.many = count > 1 && (is_mesh(b, key->a) || is_mesh(b, key->b));
  p.found =
      narrow_collide_whole(b->shape[p.body[0]], shape_mid(b, p.body[0], p.e[0].mid),
                           b->shape[p.body[1]], shape_mid(b, p.body[1], p.e[1].mid),
                           fmax(margin, 0.0) + h * most, a->laws.whole, p.mid, CONTACT_POINT_MAX);
  for (size_t k = first; k < first + count; k++) {
    const contact_point *mid =
        p.many ? find_near(a, &p, k - first, key, count, &a->problem->bodies.contact[k])
               : find_mid(&p, key[k - first].feature, count);
    curve_contact(a, &p, k, mid);
  }
}

/* Computed once for each body, as a body in a bed has some six contacts. */
static scree_status expect_bodies(assembler *a, double h) {
  const world_bodies *b = &a->world->bodies;
  const size_t n = b->limit;
  if (memory_grow(a->context, &a->curve.expected, n, sizeof *a->curve.expected))
    return SCREE_ERROR_MEMORY;
#pragma omp parallel for schedule(static) num_threads(context_team(a->context, n > FEW_CONTACTS))
  for (size_t i = 0; i < n; i++)
    if (b->alive[i] && b->shape[i]) a->curve.expected[i] = expect(a, i, h);
  return SCREE_OK;
}

scree_status assembler_curve_contacts(assembler *a, double h) {
  const cache_key *key = collide_cache(a->collide)->now.key;
  const size_t n = a->memory.contact_count;
  if (!a->curve.needed || n == 0) return SCREE_OK;
  const scree_status status = expect_bodies(a, h);
  if (status) return status;
  asking ask;
  asking_begin(&ask, a->context);
#pragma omp parallel for schedule(dynamic, 64)                                                     \
    num_threads(context_team(a->context, n > FEW_CONTACTS))
  for (size_t k = 0; k < n; k++) {
    if (asking_ended(&ask, k % 64 == 0 && asking_is_mine())) continue;
    if (k && key[k].a == key[k - 1].a && key[k].b == key[k - 1].b) continue;
    size_t next = k + 1;
    while (next < n && key[next].a == key[k].a && key[next].b == key[k].b) next++;
    curve_pair(a, h, k, next - k);
  }
  return asking_status(&ask, "curvature");
}

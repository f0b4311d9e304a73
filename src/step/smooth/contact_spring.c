/* The springs of one contact and their derivatives, see contact.h.
 *
 * F = F_n n + F_t depends on the overlap d and the velocity u at the contact. With k_n, k_t ~
 * d^(1/2) and c ~ d^(1/4),
 *
 *   dF_n/dd = k_n - c_n u_n / (4 d)                      dF_n/du = -c_n n'
 *   w = k_t x + c_t u_t,  x = x0 + h ((1 - e) u0 + e u_t)     (e: `end` of the law)
 *   sticks:  F_t = -w,          dw/dd = (k_t x / 2 + c_t u_t / 4) / d,  dw/du = (k_t e h + c_t) P
 *   slides:  F_t = -mu F_n s,   s = w/|w|,   ds = (I - s s') dw / |w|
 *
 * P = I - n n'. Where F_n would pull it is 0, and so is all the rest. */
#include "step/smooth/contact.h"

static double radius_of(const world_bodies *b, uint32_t i) {
  return isfinite(b->diameter[i]) ? 0.5 * b->diameter[i] : INFINITY;
}

static double inverse(double x) {
  return isinf(x) || x == 0.0 ? 0.0 : 1.0 / x;
}

static v3 speed_at(const world_bodies *b, uint32_t i, v3 arm) {
  return v3_add(b->linear[i], v3_cross(b->angular[i], arm));
}

typedef struct spring {
  double kn, kt, cn, ct, hertz; /* F_n = hertz d^(3/2) - … */
} spring;

static spring spring_of(const scree_world *w, const collide_contact *k, const penalty_law *law,
                        double restitution) {
  const world_bodies *b = &w->bodies;
  const double curve = inverse(radius_of(b, k->a)) + inverse(radius_of(b, k->b));
  const double reach = curve > 0.0 ? 1.0 / curve : 1.0, depth = -k->point.gap;
  const double light = (world_is_dynamic(w, k->a) ? inverse(b->mass[k->a]) : 0.0) +
                       (world_is_dynamic(w, k->b) ? inverse(b->mass[k->b]) : 0.0);
  const double nu = law->poisson, soft = law->young / (2.0 * (1.0 - nu * nu));
  const double shear = law->young / (4.0 * (2.0 - nu) * (1.0 + nu)), root = sqrt(reach * depth);
  const double log_e = log(fmax(restitution, 1e-6));
  const double damp = 2.0 * 0.91287092917527690 * -log_e / sqrt(log_e * log_e + 9.8696044010893586);
  spring s = {.kn = 2.0 * soft * root, .kt = 8.0 * shear * root};
  s.hertz = 4.0 / 3.0 * soft * sqrt(reach);
  s.cn = damp * sqrt(s.kn / light);
  s.ct = damp * sqrt(s.kt / light);
  return s;
}

/* The slip lies in the plane of the contact as it is now. */
static v3 flatten(v3 x, v3 n) {
  const double length = v3_norm(x);
  const v3 flat = v3_add_scaled(x, -v3_dot(x, n), n);
  const double size = v3_norm(flat);
  return size > 0.0 ? v3_scale(length / size, flat) : flat;
}

static void add_outer(m33 *m, double f, v3 a, v3 b) {
  const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
  for (int i = 0; i < 9; i++) m->m[i / 3][i % 3] += f * x[i / 3] * y[i % 3];
}

typedef struct tangential {
  v3 w, by_depth; /* w and dw/dd */
  double by_rate; /* dw/du = by_rate P */
  double most;    /* mu F_n */
} tangential;

/* Adds F_t and its derivatives to those of F_n. */
static void add_tangential(const tangential *t, double friction, double normal_by_depth, double cn,
                           penalty_touch *out) {
  const v3 n = out->normal;
  const double size = v3_norm(t->w);
  if (size <= t->most) {
    out->force = v3_add_scaled(out->force, -1.0, t->w);
    out->by_depth = v3_add_scaled(out->by_depth, -1.0, t->by_depth);
    for (int i = 0; i < 3; i++) out->by_rate.m[i][i] += t->by_rate;
    add_outer(&out->by_rate, -t->by_rate, n, n);
    return;
  }
  const v3 s = v3_scale(1.0 / size, t->w);
  const double f = t->most / size;
  const v3 turned = v3_add_scaled(t->by_depth, -v3_dot(t->by_depth, s), s);
  out->force = v3_add_scaled(out->force, -t->most, s);
  out->by_depth = v3_add_scaled(out->by_depth, -friction * normal_by_depth, s);
  out->by_depth = v3_add_scaled(out->by_depth, -f, turned);
  add_outer(&out->by_rate, -friction * cn, s, n);
  for (int i = 0; i < 3; i++) out->by_rate.m[i][i] += f * t->by_rate;
  add_outer(&out->by_rate, -f * t->by_rate, n, n);
  add_outer(&out->by_rate, -f * t->by_rate, s, s);
}

static void sum_up(const scree_world *w, const collide_contact *k, const spring *s, v3 ut,
                   const penalty_touch *out, v3 slip, penalty_sums *sums) {
  const world_bodies *b = &w->bodies;
  const double depth = -k->point.gap, hertz = s->hertz * depth * sqrt(depth);
  const double damper = v3_dot(out->force, out->normal) - hertz;
  const v3 speed_b = speed_at(b, k->b, out->arm_b), speed_a = speed_at(b, k->a, out->arm_a);
  sums->normal_energy += 0.4 * hertz * depth;
  sums->tangent_energy += 0.5 * s->kt * v3_norm2(slip);
  sums->normal_loss -= damper * v3_dot(v3_sub(speed_b, speed_a), out->normal);
  sums->tangent_power += v3_dot(out->force, ut);
  if (!world_is_dynamic(w, k->b)) sums->given_power += v3_dot(out->force, speed_b);
  if (!world_is_dynamic(w, k->a)) sums->given_power -= v3_dot(out->force, speed_a);
  sums->penetration = fmax(sums->penetration, depth);
  sums->percent = fmax(sums->percent, 100.0 * depth / fmin(b->diameter[k->a], b->diameter[k->b]));
  sums->touching += 1.0;
}

void penalty_evaluate(const scree_world *w, const collide_contact *k, const penalty_law *law,
                      double h, penalty_memory *memory, penalty_touch *out, penalty_sums *sums) {
  const world_bodies *b = &w->bodies;
  const scree_material_def *pair = world_pair(w, b->material[k->a], b->material[k->b]);
  const v3 point = v3_scale(0.5, v3_add(k->point.point_a, k->point.point_b)), n = k->point.normal;
  *out = (penalty_touch){.a = k->a,
                         .b = k->b,
                         .normal = n,
                         .arm_a = v3_sub(point, b->position[k->a]),
                         .arm_b = v3_sub(point, b->position[k->b])};
  const v3 u = v3_sub(speed_at(b, k->b, out->arm_b), speed_at(b, k->a, out->arm_a));
  const double un = v3_dot(u, n), depth = -k->point.gap;
  const v3 ut = v3_add_scaled(u, -un, n);
  const spring s = spring_of(w, k, law, pair->restitution);
  const double bend = law->once ? 0.0 : 0.25;
  const double normal = fmax(s.hertz * depth * sqrt(depth) - s.cn * un, 0.0);
  v3 x = v3_add_scaled(flatten(memory->slip, n), h * (1.0 - law->end), flatten(memory->rate, n));
  x = v3_add_scaled(x, h * law->end, ut);
  const tangential t = {.w = v3_add_scaled(v3_scale(s.kt, x), s.ct, ut),
                        .by_depth =
                            v3_add_scaled(v3_scale(0.5 * s.kt / depth, x), bend * s.ct / depth, ut),
                        .by_rate = s.kt * law->end * h + s.ct,
                        .most = pair->friction * normal};
  if (v3_norm(t.w) > t.most) {
    const v3 force = v3_scale(-t.most / v3_norm(t.w), t.w);
    x = v3_scale(-1.0 / s.kt, v3_add_scaled(force, s.ct, ut));
  }
  if (normal > 0.0) {
    const double by_depth = s.kn - bend * s.cn * un / depth;
    out->force = v3_scale(normal, n);
    out->by_depth = v3_scale(by_depth, n);
    add_outer(&out->by_rate, s.cn, n, n);
    add_tangential(&t, pair->friction, by_depth, s.cn, out);
  }
  *memory = (penalty_memory){x, ut};
  sum_up(w, k, &s, ut, out, x, sums);
}

/* The distance of two convex cores by the method of Gilbert, Johnson and Keerthi: a simplex of
 * corners of b - a walks towards the origin. The nearest point v of the simplex gives the upper
 * bound |v| and its support corner w the lower bound v.w/|v|; they meet at the solution. */
#include "collide/gjk/gjk.h"

static v3 core_point(const gjk_solid *c, v3 d) {
  (void)c, (void)d;
  return (v3){0, 0, 0};
}
static v3 core_segment(const gjk_solid *c, v3 d) {
  return (v3){0, 0, copysign(c->shape->capsule.half, d.z)};
}
static v3 core_box(const gjk_solid *c, v3 d) {
  const v3 h = c->shape->box.half;
  return (v3){copysign(h.x, d.x), copysign(h.y, d.y), copysign(h.z, d.z)};
}
static v3 core_shape(const gjk_solid *c, v3 d) {
  return shape_support(c->shape, d);
}
static v3 core_points(const gjk_solid *c, v3 d) {
  v3 best = c->point[0];
  for (uint32_t i = 1; i < c->point_count; i++)
    if (v3_dot(d, c->point[i]) > v3_dot(d, best)) best = c->point[i];
  return best;
}

gjk_solid gjk_solid_shape(const shape *s, v3 at, quat rotation) {
  gjk_solid c = {
      .support = core_shape, .shape = s, .r = quat_to_m33(rotation), .at = at, .size = s->size};
  c.smooth = s->kind == SCREE_SHAPE_ELLIPSOID || s->kind == SCREE_SHAPE_CYLINDER ||
             s->kind == SCREE_SHAPE_CONE;
  if (s->kind == SCREE_SHAPE_BOX) c.support = core_box;
  if (s->kind == SCREE_SHAPE_SPHERE) {
    c.support = core_point;
    c.round = s->sphere.radius;
    c.size = 0;
  }
  if (s->kind == SCREE_SHAPE_CAPSULE) {
    c.support = core_segment;
    c.round = s->capsule.radius;
    c.size = s->capsule.half;
  }
  return c;
}

gjk_solid gjk_solid_points(const v3 *points, uint32_t count) {
  gjk_solid c = {.support = core_points,
                 .point = points,
                 .point_count = count,
                 .r = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
  for (uint32_t i = 0; i < count; i++) c.size = fmax(c.size, v3_norm(points[i]));
  return c;
}

static gjk_corner gjk_corner_at(const gjk_solid *a, const gjk_solid *b, v3 n) {
  const v3 pa = gjk_support(a, n), pb = gjk_support(b, v3_neg(n));
  return (gjk_corner){v3_sub(pb, pa), pa, pb};
}

static gjk_weights nearest_on_segment(v3 p, v3 q) {
  const v3 e = v3_sub(q, p);
  const double e2 = v3_norm2(e);
  const double t = e2 > 0 ? fmax(0, fmin(1, -v3_dot(p, e) / e2)) : 0;
  return (gjk_weights){{1 - t, t}, v3_norm2(v3_add_scaled(p, t, e))};
}

gjk_weights gjk_nearest_on_triangle(v3 p, v3 q, v3 r) {
  const v3 n = v3_cross(v3_sub(q, p), v3_sub(r, p));
  const double u = v3_dot(n, v3_cross(q, r)), v = v3_dot(n, v3_cross(r, p)),
               w = v3_dot(n, v3_cross(p, q)), n2 = v3_norm2(n);
  if (n2 > 0 && u > 0 && v > 0 && w > 0) {
    const double s = u + v + w, d = v3_dot(n, p);
    return (gjk_weights){{u / s, v / s, w / s}, d * d / n2};
  }
  const gjk_weights pq = nearest_on_segment(p, q), qr = nearest_on_segment(q, r),
                    rp = nearest_on_segment(r, p);
  if (pq.d2 <= qr.d2 && pq.d2 <= rp.d2) return pq;
  if (qr.d2 <= rp.d2) return (gjk_weights){{0, qr.l[0], qr.l[1]}, qr.d2};
  return (gjk_weights){{rp.l[1], 0, rp.l[0]}, rp.d2};
}

static gjk_weights nearest_on_tetrahedron(const gjk_corner *c) {
  static const int face[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
  gjk_weights best = {{0}, INFINITY};
  bool inside = true;
  for (int f = 0; f < 4; f++) {
    const v3 p = c[face[f][0]].w, q = c[face[f][1]].w, r = c[face[f][2]].w;
    const v3 n = v3_cross(v3_sub(q, p), v3_sub(r, p));
    const double origin = -v3_dot(n, p), other = v3_dot(n, v3_sub(c[face[f][3]].w, p));
    if (origin * other > 0) continue;
    inside = false;
    const gjk_weights t = gjk_nearest_on_triangle(p, q, r);
    if (t.d2 < best.d2) {
      best = (gjk_weights){{0}, t.d2};
      for (int k = 0; k < 3; k++) best.l[face[f][k]] = t.l[k];
    }
  }
  if (inside) best = (gjk_weights){{0.25, 0.25, 0.25, 0.25}, 0};
  return best;
}

static gjk_weights gjk_nearest(const gjk_corner *c, int count) {
  if (count == 1) return (gjk_weights){{1}, v3_norm2(c[0].w)};
  if (count == 2) return nearest_on_segment(c[0].w, c[1].w);
  if (count == 3) return gjk_nearest_on_triangle(c[0].w, c[1].w, c[2].w);
  return nearest_on_tetrahedron(c);
}

void gjk_distance(const gjk_solid *a, const gjk_solid *b, double limit, bool rough,
                  gjk_result *result) {
  const double size = a->size + b->size + 1e-300;
  gjk_result *g = result;
  v3 v = v3_sub(b->at, a->at);
  if (!(v3_norm2(v) > 0)) v = (v3){0, 0, 1};
  g->count = 0;
  g->apart = true;
  g->far = false;
  g->sure = true;
  /* On curved surfaces the last digits are left to gjk_refine, which is faster from here on. */
  const bool smooth = a->smooth || b->smooth;
  const double absolute = (rough    ? 1e-3
                           : smooth ? 1e-9
                                    : 1e-14) *
                          size,
               relative = rough    ? 1e-2
                          : smooth ? 1e-6
                                   : 0;
  double doubt = INFINITY;
  double d2 = INFINITY;
  for (int iteration = 0; iteration < 128; iteration++) {
    const gjk_corner c = gjk_corner_at(a, b, v);
    const double norm = v3_norm(v), reach = v3_dot(v, c.w) / norm;
    if (reach > limit) { /* the plane across v parts the cores by more than the limit */
      g->normal = v3_scale(1 / norm, v);
      g->gap = reach;
      g->far = true;
      return;
    }
    doubt = norm - reach;
    if (g->count && doubt <= absolute + relative * norm) break;
    bool known = false;
    for (int k = 0; k < g->count; k++) known |= v3_norm2(v3_sub(c.w, g->simplex[k].w)) == 0;
    if (known) break;
    gjk_corner next[4];
    for (int k = 0; k < g->count; k++) next[k] = g->simplex[k];
    next[g->count] = c;
    const gjk_weights l = gjk_nearest(next, g->count + 1);
    if (!(l.d2 < d2)) break;
    d2 = l.d2;
    const int all = g->count + 1;
    v3 pa = {0, 0, 0}, pb = {0, 0, 0}, nearest = {0, 0, 0};
    g->count = 0;
    for (int k = 0; k < all; k++)
      if (l.l[k] > 0) {
        pa = v3_add_scaled(pa, l.l[k], next[k].a);
        pb = v3_add_scaled(pb, l.l[k], next[k].b);
        nearest = v3_add_scaled(nearest, l.l[k], next[k].w);
        g->simplex[g->count++] = next[k];
      }
    g->a = pa;
    g->b = pb;
    if (g->count == 4 || d2 <= 1e-24 * size * size) {
      g->apart = false;
      return;
    }
    v = nearest;
  }
  g->normal = v3_normalize(v);
  g->gap = v3_norm(v);
  /* Stuck at a touch with the bounds apart: gjk_penetration copes better. */
  if (!rough && g->gap < 1e-6 * size && doubt > 1e-7 * size) g->apart = false;
}

/* Points that show a gap of next to nothing show that the solids are no farther apart than that,
 * and the normal that they are no deeper: no direction is better by more than this. */
static bool just_touch(const gjk_solid *a, const gjk_solid *b, const gjk_result *g) {
  return fabs(g->gap) < 1e-10 * (a->size + b->size);
}

/* Curved solids that are apart or a little in each other begin with a rough normal, and end with it
 * only when it is shown to lead to the right one. */
bool gjk_signed_distance(const gjk_solid *a, const gjk_solid *b, double limit, gjk_result *result) {
  const bool curved = a->smooth || b->smooth;
  gjk_distance(a, b, limit, curved, result);
  if (curved && result->apart && !result->far) {
    gjk_refine(a, b, result);
    if (result->shown && (result->gap > 0 || gjk_confirm(a, b, result)))
      return result->gap <= limit;
    gjk_distance(a, b, limit, false, result);
  }
  if (result->far) return false;
  if (result->apart)
    gjk_refine(a, b, result);
  else
    gjk_penetration(a, b, result);
  if (!result->shown || (!result->sure && !just_touch(a, b, result))) gjk_search(a, b, result);
  return result->gap <= limit;
}

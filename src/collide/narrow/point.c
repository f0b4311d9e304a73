/* A point and a convex solid: nearest surface point and signed distance, in closed form but for the
 * ellipsoid (one root of a convex function). Solids of revolution are solved in the half-plane
 * (r, z), r >= 0. Near a face the normal is the face's own, never a difference of two near points.
 */
#include "collide/narrow/narrow.h"

static narrow_near near_box(const shape *s, v3 x) {
  const double h[3] = {s->box.half.x, s->box.half.y, s->box.half.z}, p[3] = {x.x, x.y, x.z};
  double q[3], d2 = 0;
  int outside = 0, side = 0;
  for (int i = 0; i < 3; i++) {
    q[i] = fmax(-h[i], fmin(h[i], p[i]));
    if (q[i] != p[i]) outside++, side = i;
    d2 += (p[i] - q[i]) * (p[i] - q[i]);
  }
  double n[3] = {0, 0, 0};
  if (outside > 1) {
    const double d = sqrt(d2);
    if (d > 0) return (narrow_near){v3_load(q), v3_scale(1 / d, v3_sub(x, v3_load(q))), d};
  }
  if (outside == 0)
    for (int i = 1; i < 3; i++)
      if (h[i] - fabs(p[i]) < h[side] - fabs(p[side])) side = i;
  n[side] = copysign(1.0, p[side]);
  q[side] = copysign(h[side], p[side]);
  return (narrow_near){v3_load(q), v3_load(n), fabs(p[side]) - h[side]};
}

static narrow_near near_capsule(const shape *s, v3 x) {
  const v3 c = {0, 0, fmax(-s->capsule.half, fmin(s->capsule.half, x.z))};
  const v3 d = v3_sub(x, c);
  const double r = v3_norm(d);
  const v3 n = r > 0 ? v3_scale(1 / r, d) : (v3){1, 0, 0};
  return (narrow_near){v3_add_scaled(c, s->capsule.radius, n), n, r - s->capsule.radius};
}

/* Puts a result of the half-plane back around the axis; on the axis the direction is x. */
static narrow_near near_turn(v3 x, double r, double pr, double pz, double nr, double nz,
                             double distance) {
  const double c = r > 0 ? x.x / r : 1, s = r > 0 ? x.y / r : 0;
  return (narrow_near){{pr * c, pr * s, pz}, {nr * c, nr * s, nz}, distance};
}

static narrow_near near_cylinder(const shape *s, v3 x) {
  const double radius = s->cylinder.radius, half = s->cylinder.half;
  const double r = sqrt(x.x * x.x + x.y * x.y), dr = r - radius, dz = fabs(x.z) - half;
  const double up = copysign(1.0, x.z);
  if (dr > 0 && dz > 0) {
    const double d = sqrt(dr * dr + dz * dz);
    return near_turn(x, r, radius, up * half, dr / d, up * dz / d, d);
  }
  if (dr > dz) return near_turn(x, r, radius, x.z, 1, 0, dr);
  return near_turn(x, r, r, up * half, 0, up, dz);
}

/* The half-plane section is a triangle: base z = bottom, slant from rim to tip. */
static narrow_near near_cone(const shape *s, v3 x) {
  const double radius = s->cone.radius, bottom = s->cone.bottom, top = s->cone.top;
  const double r = sqrt(x.x * x.x + x.y * x.y), height = top - bottom;
  const double slant = sqrt(radius * radius + height * height);
  const double nr = height / slant, nz = radius / slant; /* normal of the slant */
  const double along = ((radius - r) * radius + (x.z - bottom) * height) / slant; /* from the rim */
  const double above = (r - radius) * nr + (x.z - bottom) * nz, below = bottom - x.z;
  if (along >= 0 && along <= slant && above >= below)
    return near_turn(x, r, r - above * nr, x.z - above * nz, nr, nz, above);
  if (below >= 0 && r <= radius) return near_turn(x, r, r, bottom, 0, -1, below);
  if (along > slant && below < 0) { /* beyond the tip */
    const double dz = x.z - top, d = sqrt(r * r + dz * dz);
    if (d > 0) return near_turn(x, r, 0, top, r / d, dz / d, d);
    return near_turn(x, r, 0, top, 0, 1, 0);
  }
  if (above < 0 && below < 0) return near_turn(x, r, r, bottom, 0, -1, below);
  const double dr = r - radius, dz = x.z - bottom, d = sqrt(dr * dr + dz * dz);
  if (d > 0) return near_turn(x, r, radius, bottom, dr / d, dz / d, d);
  return near_turn(x, r, radius, bottom, nr, nz, 0);
}

/* Nearest point of (p_i/e_i)^2 = 1: p_i = e_i^2 x_i/(e_i^2 + t), t the largest root. With e the
 * least radius, w = t/e^2 + 1, k_i = (e_i/e)^2 - 1 >= 0 and y_i = (k_i + 1) x_i/e_i:
 * g(w) = sum (y_i/(w + k_i))^2 - 1 = 0 is convex and falling: Newton from the left is safe. */
static narrow_near near_ellipsoid(const shape *s, v3 x) {
  const double e[3] = {s->ellipsoid.radii.x, s->ellipsoid.radii.y, s->ellipsoid.radii.z};
  const double p[3] = {x.x, x.y, x.z};
  const double least = fmin(e[0], fmin(e[1], e[2]));
  double k[3], y[3], w = 0;
  for (int i = 0; i < 3; i++) {
    const double q = e[i] / least;
    k[i] = q * q - 1;
    y[i] = q * q * fabs(p[i]) / e[i];
    w = fmax(w, y[i] - k[i]);
  }
  for (int iteration = 0; iteration < 100; iteration++) {
    double g = -1, slope = 0;
    for (int i = 0; i < 3; i++) {
      if (y[i] == 0) continue;
      const double f = y[i] / (w + k[i]);
      g += f * f;
      slope += 2 * f * f / (w + k[i]);
    }
    if (!(g > 0) || !(slope > 0)) break;
    const double next = w + g / slope;
    if (!(next > w)) break;
    w = next;
  }
  /* Inside, on the plane across the least axis (w -> 0): that coordinate is what is left of 1. */
  double q[3], n[3], rest = 1;
  int last = -1;
  for (int i = 0; i < 3; i++) {
    const double share = w + k[i] > 0 ? y[i] / (w + k[i]) : 0;
    if (k[i] == 0 && (last < 0 || p[i] != 0)) last = i;
    q[i] = share;
    rest -= share * share;
  }
  if (w <= 1e-8 && rest > 0) q[last] = sqrt(q[last] * q[last] + rest);
  v3 normal;
  for (int i = 0; i < 3; i++) {
    n[i] = copysign(q[i] / e[i], p[i]);
    q[i] = copysign(q[i] * e[i], p[i]);
  }
  normal = v3_normalize(v3_load(n));
  return (narrow_near){v3_load(q), normal, v3_dot(normal, v3_sub(x, v3_load(q)))};
}

/* Nearest point of a convex polygon's boundary to x, when x lies beyond it. */
static double near_face(const polyhedron *h, uint32_t f, v3 x, v3 *nearest) {
  const uint32_t *v = h->face_vertex + h->face_start[f];
  const uint32_t n = h->face_start[f + 1] - h->face_start[f];
  const v3 normal = h->face_normal[f];
  double best = INFINITY;
  bool inside = true;
  for (uint32_t i = 0; i < n; i++) {
    const v3 a = h->vertex[v[i]], edge = v3_sub(h->vertex[v[i + 1 < n ? i + 1 : 0]], a);
    const v3 d = v3_sub(x, a);
    if (v3_dot(v3_cross(normal, edge), d) >= 0) continue;
    inside = false;
    const double t = fmax(0, fmin(1, v3_dot(d, edge) / v3_norm2(edge)));
    const v3 q = v3_add_scaled(a, t, edge);
    const double d2 = v3_norm2(v3_sub(x, q));
    if (d2 < best) best = d2, *nearest = q;
  }
  if (inside) {
    const double d = v3_dot(normal, x) - h->face_offset[f];
    *nearest = v3_add_scaled(x, -d, normal);
    return -d; /* a marker: the face itself is nearest */
  }
  return best;
}

static narrow_near near_hull(const shape *s, v3 x) {
  const polyhedron *h = &s->hull;
  uint32_t face = 0;
  double most = -INFINITY;
  for (uint32_t f = 0; f < h->face_count; f++) {
    const double d = v3_dot(h->face_normal[f], x) - h->face_offset[f];
    if (d > most) most = d, face = f;
  }
  if (most <= 0)
    return (narrow_near){v3_add_scaled(x, -most, h->face_normal[face]), h->face_normal[face], most};
  double best = INFINITY;
  v3 nearest = x;
  for (uint32_t f = 0; f < h->face_count; f++) {
    const double d = v3_dot(h->face_normal[f], x) - h->face_offset[f];
    if (d <= 0 || d * d >= best) continue;
    v3 q;
    const double d2 = near_face(h, f, x, &q);
    if (d2 < 0) return (narrow_near){q, h->face_normal[f], d};
    if (d2 < best) best = d2, nearest = q;
  }
  const double d = sqrt(best);
  const v3 n = d > 0 ? v3_scale(1 / d, v3_sub(x, nearest)) : h->face_normal[face];
  return (narrow_near){nearest, n, d};
}

static narrow_near near_sphere(const shape *s, v3 x) {
  const double r = v3_norm(x);
  const v3 n = r > 0 ? v3_scale(1 / r, x) : (v3){0, 0, 1};
  return (narrow_near){v3_scale(s->sphere.radius, n), n, r - s->sphere.radius};
}

narrow_near narrow_near_point(const shape *s, v3 x) {
  static narrow_near (*const table[])(const shape *, v3) = {
      [SCREE_SHAPE_SPHERE] = near_sphere,     [SCREE_SHAPE_ELLIPSOID] = near_ellipsoid,
      [SCREE_SHAPE_BOX] = near_box,           [SCREE_SHAPE_CAPSULE] = near_capsule,
      [SCREE_SHAPE_CYLINDER] = near_cylinder, [SCREE_SHAPE_CONE] = near_cone,
      [SCREE_SHAPE_HULL] = near_hull,
  };
  return table[s->kind](s, x);
}

/* Rays and convex shapes: closed forms in double precision. See span.h. */
#include "shape/span.h"

#include <math.h>
#include <stdlib.h>

static void span_begin(shape_span *span) {
  span->in.t = INFINITY;
  span->out.t = -INFINITY;
}

/* A point of the surface that the ray meets: the first and the last of them bound the span. */
static void span_add(shape_span *span, double t, v3 normal, int end) {
  if (t < span->in.t) span->in = (span_surface){t, normal, end};
  if (t > span->out.t) span->out = (span_surface){t, normal, end};
}

static bool span_end(const shape_span *span) {
  return span->in.t < span->out.t;
}

/* Roots of a t^2 + 2 b t + c without cancellation; false: none, or a vanishes. */
static bool quadratic(double a, double b, double c, double *t0, double *t1) {
  const double disc = b * b - a * c;
  if (!(disc > 0.0) || a == 0.0) return false;
  const double q = -(b + copysign(sqrt(disc), b));
  const double u = q / a, v = c / q;
  *t0 = fmin(u, v);
  *t1 = fmax(u, v);
  return true;
}

static bool ball_roots(double radius, v3 o, v3 d, double *t0, double *t1) {
  /* About the point nearest to the centre, so that a small ball far away keeps its digits. */
  const double a = v3_norm2(d), shift = -v3_dot(o, d) / a;
  const v3 p = v3_add_scaled(o, shift, d);
  const double rest = radius * radius - v3_norm2(p);
  if (!(rest > 0.0)) return false;
  const double half = sqrt(rest / a);
  *t0 = shift - half;
  *t1 = shift + half;
  return true;
}

static bool sphere_span(const shape *s, v3 o, v3 d, shape_span *span) {
  double t0, t1;
  if (!ball_roots(s->sphere.radius, o, d, &t0, &t1)) return false;
  span->in = (span_surface){t0, v3_normalize(v3_add_scaled(o, t0, d)), 0};
  span->out = (span_surface){t1, v3_normalize(v3_add_scaled(o, t1, d)), 0};
  return true;
}

static v3 over(v3 a, v3 b) {
  return (v3){a.x / b.x, a.y / b.y, a.z / b.z};
}

static bool ellipsoid_span(const shape *s, v3 o, v3 d, shape_span *span) {
  const v3 r = s->ellipsoid.radii, so = over(o, r), sd = over(d, r);
  double t0, t1;
  if (!ball_roots(1.0, so, sd, &t0, &t1)) return false;
  span->in = (span_surface){t0, v3_normalize(over(v3_add_scaled(so, t0, sd), r)), 0};
  span->out = (span_surface){t1, v3_normalize(over(v3_add_scaled(so, t1, sd), r)), 0};
  return true;
}

/* The span's part within n . x <= offset; false: nothing is left. */
static bool clip(shape_span *span, v3 n, double offset, int end, v3 o, v3 d) {
  const double speed = v3_dot(n, d), rest = offset - v3_dot(n, o);
  if (speed == 0.0) return rest >= 0.0;
  const double t = rest / speed;
  if (speed > 0.0 && t < span->out.t) span->out = (span_surface){t, n, end};
  if (speed < 0.0 && t > span->in.t) span->in = (span_surface){t, n, end};
  return span->in.t < span->out.t;
}

/* One pair of faces; t: the later entry and the earlier exit so far. */
static bool clip_slab(double half, double o, double d, int axis, double t[2], int face[2]) {
  if (d == 0.0) return fabs(o) <= half;
  const double a = (-half - o) / d, b = (half - o) / d;
  const int sign = d > 0.0 ? 1 : -1;
  const double near = d > 0.0 ? a : b, far = d > 0.0 ? b : a;
  if (near > t[0]) t[0] = near, face[0] = -sign * axis;
  if (far < t[1]) t[1] = far, face[1] = sign * axis;
  return t[0] < t[1];
}

/* Face 1 to 3, with the sign of its normal. */
static span_surface box_surface(double t, int face) {
  const double sign = face < 0 ? -1.0 : 1.0;
  const int axis = abs(face);
  return (span_surface){t,
                        {axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0, axis == 3 ? sign : 0.0},
                        axis == 3 ? (int)sign : 0};
}

bool shape_box_span(v3 half, v3 o, v3 d, shape_span *span) {
  double t[2] = {-INFINITY, INFINITY};
  int face[2] = {0, 0};
  if (!clip_slab(half.x, o.x, d.x, 1, t, face) || !clip_slab(half.y, o.y, d.y, 2, t, face) ||
      !clip_slab(half.z, o.z, d.z, 3, t, face))
    return false;
  span->in = box_surface(t[0], face[0]);
  span->out = box_surface(t[1], face[1]);
  return true;
}

static bool box_span(const shape *s, v3 o, v3 d, shape_span *span) {
  return shape_box_span(s->box.half, o, d, span);
}

static bool box_container_span(const shape *s, v3 o, v3 d, shape_span *span) {
  return shape_box_span(s->box_container.half, o, d, span);
}

static bool hull_span(const shape *s, v3 o, v3 d, shape_span *span) {
  span->in.t = -INFINITY;
  span->out.t = INFINITY;
  for (uint32_t f = 0; f < s->hull.face_count; f++)
    if (!clip(span, s->hull.face_normal[f], s->hull.face_offset[f], 0, o, d)) return false;
  return true;
}

/* Flat ends, then the mantle r(z) = bottom + slope (z - low): x^2 + y^2 = r(z)^2. */
bool shape_frustum_span(double bottom, double top, double low, double high, v3 o, v3 d,
                        shape_span *span) {
  const double slope = (top - bottom) / (high - low);
  span_begin(span);
  for (int side = -1; side <= 1 && d.z != 0.0; side += 2) {
    const double z = side < 0 ? low : high, r = side < 0 ? bottom : top, t = (z - o.z) / d.z;
    const double x = o.x + t * d.x, y = o.y + t * d.y;
    if (x * x + y * y <= r * r) span_add(span, t, (v3){0, 0, (double)side}, side);
  }
  const double r0 = bottom + slope * (o.z - low), k = slope * d.z;
  const double a = d.x * d.x + d.y * d.y - k * k, b = o.x * d.x + o.y * d.y - k * r0,
               c = o.x * o.x + o.y * o.y - r0 * r0;
  double t[2] = {NAN, NAN};
  if (!quadratic(a, b, c, &t[0], &t[1]) && a == 0.0 && b != 0.0) t[0] = -0.5 * c / b;
  for (int i = 0; i < 2; i++) {
    const v3 p = v3_add_scaled(o, t[i], d);
    const double r = bottom + slope * (p.z - low);
    if (p.z >= low && p.z <= high && r > 0.0)
      span_add(span, t[i], v3_normalize((v3){p.x, p.y, -slope * r}), 0);
  }
  return span_end(span);
}

static bool cylinder_span(const shape *s, v3 o, v3 d, shape_span *span) {
  return shape_frustum_span(s->cylinder.radius, s->cylinder.radius, -s->cylinder.half,
                            s->cylinder.half, o, d, span);
}

static bool cone_span(const shape *s, v3 o, v3 d, shape_span *span) {
  return shape_frustum_span(s->cone.radius, 0.0, s->cone.bottom, s->cone.top, o, d, span);
}

static bool round_container_span(const shape *s, v3 o, v3 d, shape_span *span) {
  return shape_frustum_span(s->round_container.bottom, s->round_container.top,
                            -s->round_container.half, s->round_container.half, o, d, span);
}

bool shape_capsule_span(double radius, double half, v3 o, v3 d, shape_span *span) {
  span_begin(span);
  double t[2];
  for (int side = -1; side <= 1; side += 2) {
    const v3 c = {0, 0, side * half}, p = v3_sub(o, c);
    if (!ball_roots(radius, p, d, &t[0], &t[1])) continue;
    for (int i = 0; i < 2; i++) {
      const v3 q = v3_add_scaled(p, t[i], d);
      if (q.z * side >= 0.0) span_add(span, t[i], v3_scale(1.0 / radius, q), 0);
    }
  }
  const double a = d.x * d.x + d.y * d.y, b = o.x * d.x + o.y * d.y,
               c = o.x * o.x + o.y * o.y - radius * radius;
  if (quadratic(a, b, c, &t[0], &t[1]))
    for (int i = 0; i < 2; i++) {
      const v3 q = v3_add_scaled(o, t[i], d);
      if (fabs(q.z) <= half) span_add(span, t[i], v3_normalize((v3){q.x, q.y, 0}), 0);
    }
  return span_end(span);
}

static bool capsule_span(const shape *s, v3 o, v3 d, shape_span *span) {
  return shape_capsule_span(s->capsule.radius, s->capsule.half, o, d, span);
}

static bool (*const spans[SCREE_SHAPE_KIND_COUNT])(const shape *, v3, v3, shape_span *) = {
    [SCREE_SHAPE_SPHERE] = sphere_span,
    [SCREE_SHAPE_ELLIPSOID] = ellipsoid_span,
    [SCREE_SHAPE_BOX] = box_span,
    [SCREE_SHAPE_CAPSULE] = capsule_span,
    [SCREE_SHAPE_CYLINDER] = cylinder_span,
    [SCREE_SHAPE_CONE] = cone_span,
    [SCREE_SHAPE_HULL] = hull_span,
    [SCREE_SHAPE_BOX_CONTAINER] = box_container_span,
    [SCREE_SHAPE_ROUND_CONTAINER] = round_container_span,
};

bool shape_find_span(const shape *s, v3 o, v3 d, shape_span *span) {
  return spans[s->kind] && spans[s->kind](s, o, d, span);
}

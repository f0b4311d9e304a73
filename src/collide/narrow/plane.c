/* Convex solids on a plane: corners of the lowest face for a box, of the faces that look down for a
 * hull, end spheres of a capsule, and for round ends the lowest point together with seven or eight
 * fixed points of the rim, so that a cylinder can stand. */
#include "collide/narrow/manifold.h"

typedef struct plane_target {
  v3 n;
  double offset; /* n . x = offset, x relative to the solid's position */
  uint32_t feature;
  contact_point c[NARROW_CANDIDATES];
  int count;
  double margin;
  bool whole; /* the same points from step to step */
} plane_target;

static void plane_add(plane_target *t, v3 x, double radius, uint32_t id) {
  const double gap = v3_dot(t->n, x) - t->offset - radius;
  if (!(gap <= t->margin)) return;
  int at = t->count;
  if (at < NARROW_CANDIDATES) {
    t->count++;
  } else {
    at = 0;
    for (int i = 1; i < t->count; i++)
      if (t->c[i].gap > t->c[at].gap) at = i;
    if (t->c[at].gap <= gap) return;
  }
  t->c[at] = (contact_point){.point_a = v3_add_scaled(x, -radius, t->n),
                             .normal = v3_neg(t->n),
                             .gap = gap,
                             .feature = t->feature << 16 | id};
}

static void plane_box(plane_target *t, const gjk_solid *s) {
  manifold_face f;
  manifold_face_along(s, v3_neg(t->n), &f);
  for (int i = 0; i < f.count; i++) plane_add(t, f.point[i], 0, f.vertex[i]);
}

/* Corners of faces that look down by 60 degrees or less from the vertical, and the lowest corner in
 * any case. */
static void plane_hull(plane_target *t, const gjk_solid *s) {
  const polyhedron *h = &s->shape->hull;
  const v3 down = v3_neg(m33_tmul_v3(&s->r, t->n));
  const double reach = -t->offset - t->margin;
  uint32_t lowest = 0;
  for (uint32_t i = 1; i < h->vertex_count; i++)
    if (v3_dot(down, h->vertex[i]) > v3_dot(down, h->vertex[lowest])) lowest = i;
  if (v3_dot(down, h->vertex[lowest]) < reach) return;
  plane_add(t, v3_add(s->at, m33_mul_v3(&s->r, h->vertex[lowest])), 0, lowest);
  for (uint32_t f = 0; f < h->face_count; f++) {
    if (v3_dot(down, h->face_normal[f]) < 0.5) continue;
    for (uint32_t k = h->face_start[f]; k < h->face_start[f + 1]; k++) {
      const uint32_t v = h->face_vertex[k];
      if (v3_dot(down, h->vertex[v]) < reach) continue;
      bool known = false;
      for (int i = 0; i < t->count && !known; i++)
        known = (t->c[i].feature & 0xffff) == (v & 0xffff);
      if (!known) plane_add(t, v3_add(s->at, m33_mul_v3(&s->r, h->vertex[v])), 0, v & 0xffff);
    }
  }
}

/* A rim of radius r around center + z axis: its lowest point, and the fixed points but the nearest.
 */
static void plane_rim(plane_target *t, const gjk_solid *s, double radius, double z, bool face,
                      uint32_t id) {
  static const double c = 0.70710678118654752440;
  static const double x[MANIFOLD_ROUND] = {1, c, 0, -c, -1, -c, 0, c},
                      y[MANIFOLD_ROUND] = {0, c, 1, c, 0, -c, -1, -c};
  const v3 down = v3_neg(m33_tmul_v3(&s->r, t->n));
  const double across = sqrt(down.x * down.x + down.y * down.y);
  int skip = -1;
  /* For a rim parallel to the plane rounding alone would decide which point is the lowest. */
  if (across > (t->whole ? 1e-4 : 1e-9)) {
    const v3 low = {radius * down.x / across, radius * down.y / across, z};
    plane_add(t, v3_add(s->at, m33_mul_v3(&s->r, low)), 0, id + MANIFOLD_ROUND);
    double most = -2;
    for (int i = 0; i < MANIFOLD_ROUND; i++) {
      const double f = x[i] * down.x + y[i] * down.y;
      if (f > most) most = f, skip = i;
    }
  }
  if (face)
    for (int i = 0; i < MANIFOLD_ROUND; i++)
      if (i != skip)
        plane_add(t, v3_add(s->at, m33_mul_v3(&s->r, (v3){radius * x[i], radius * y[i], z})), 0,
                  id + (uint32_t)i);
}

static void plane_cylinder(plane_target *t, const gjk_solid *s) {
  const double r = s->shape->cylinder.radius, half = s->shape->cylinder.half;
  const double tilt = -m33_tmul_v3(&s->r, t->n).z;
  const bool stands = fabs(tilt) > 0.7;
  plane_rim(t, s, r, copysign(half, tilt), stands, tilt < 0 ? 0 : 32);
  if (!stands) plane_rim(t, s, r, -copysign(half, tilt), false, tilt < 0 ? 32 : 0);
}

static void plane_cone(plane_target *t, const gjk_solid *s) {
  const double tilt = -m33_tmul_v3(&s->r, t->n).z;
  const bool stands = tilt < -0.7;
  plane_rim(t, s, s->shape->cone.radius, s->shape->cone.bottom, stands, 0);
  if (!stands)
    plane_add(t, v3_add(s->at, m33_mul_v3(&s->r, (v3){0, 0, s->shape->cone.top})), 0, 32);
}

static void plane_capsule(plane_target *t, const gjk_solid *s) {
  for (uint32_t i = 0; i < 2; i++) {
    const v3 end = {0, 0, i ? s->shape->capsule.half : -s->shape->capsule.half};
    plane_add(t, v3_add(s->at, m33_mul_v3(&s->r, end)), s->round, i);
  }
}

static void plane_support(plane_target *t, const gjk_solid *s) {
  plane_add(t, gjk_support(s, v3_neg(t->n)), s->round, 0);
}

void narrow_convex_plane(const shape *a, const pose *pa, v3 n, double offset, uint32_t feature,
                         narrow_sink *sink) {
  static void (*const table[])(plane_target *, const gjk_solid *) = {
      [SCREE_SHAPE_SPHERE] = plane_support,    [SCREE_SHAPE_ELLIPSOID] = plane_support,
      [SCREE_SHAPE_BOX] = plane_box,           [SCREE_SHAPE_CAPSULE] = plane_capsule,
      [SCREE_SHAPE_CYLINDER] = plane_cylinder, [SCREE_SHAPE_CONE] = plane_cone,
      [SCREE_SHAPE_HULL] = plane_hull,
  };
  const double height = v3_dot(n, pa->position) - offset;
  if (height - a->size > sink->margin) return;
  if (a->kind == SCREE_SHAPE_MESH) {
    narrow_mesh_plane(a, pa, n, offset, feature, sink);
    return;
  }
  const gjk_solid s = gjk_solid_shape(a, (v3){0, 0, 0}, pa->rotation);
  plane_target t;
  t.n = n;
  t.offset = -height;
  t.feature = feature;
  t.count = 0;
  t.margin = sink->margin;
  t.whole = sink->whole;
  table[a->kind](&t, &s);
  const bool round = a->kind == SCREE_SHAPE_CYLINDER || a->kind == SCREE_SHAPE_CONE;
  manifold_deliver(t.c, t.count, round ? MANIFOLD_ROUND : 4, pa->position, sink);
}

void narrow_convex_half_space(const shape *a, const pose *pa, const shape *b, const pose *pb,
                              narrow_sink *sink) {
  (void)b;
  const v3 n = quat_rotate(pb->rotation, (v3){0, 0, 1});
  narrow_convex_plane(a, pa, n, v3_dot(n, pb->position), 0, sink);
}

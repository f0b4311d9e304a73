/* The pair table: which function answers for which two kinds of shapes. Only a <= b is filled in;
 * the other half is the same with the contacts turned round. A pair without a row cannot
 * touch; bodies that would need one are refused (hole.h). */
#include "collide/narrow/narrow.h"
#include "collide/narrow/sphere.h"

#define PAIR(a, b, f) [SCREE_SHAPE_##a][SCREE_SHAPE_##b] = f
#define CONVEX(a)                                                                                  \
  PAIR(a, HALF_SPACE, narrow_convex_half_space),                                                   \
      PAIR(a, BOX_CONTAINER, narrow_convex_box_container),                                         \
      PAIR(a, ROUND_CONTAINER, narrow_convex_round_container), PAIR(a, MESH, narrow_convex_mesh)

static narrow_function *const narrow_table[SCREE_SHAPE_KIND_COUNT][SCREE_SHAPE_KIND_COUNT] = {
    PAIR(SPHERE, SPHERE, narrow_sphere_sphere),
    PAIR(SPHERE, ELLIPSOID, narrow_sphere_convex),
    PAIR(SPHERE, BOX, narrow_sphere_convex),
    PAIR(SPHERE, CAPSULE, narrow_sphere_convex),
    PAIR(SPHERE, CYLINDER, narrow_sphere_convex),
    PAIR(SPHERE, CONE, narrow_sphere_convex),
    PAIR(SPHERE, HULL, narrow_sphere_convex),
    PAIR(SPHERE, HALF_SPACE, narrow_sphere_half_space),
    PAIR(SPHERE, BOX_CONTAINER, narrow_sphere_box_container),
    PAIR(SPHERE, ROUND_CONTAINER, narrow_sphere_round_container),
    PAIR(SPHERE, MESH, narrow_sphere_mesh),
    PAIR(ELLIPSOID, ELLIPSOID, narrow_ellipsoid_ellipsoid),
    PAIR(ELLIPSOID, BOX, narrow_convex_convex),
    PAIR(ELLIPSOID, CAPSULE, narrow_convex_convex),
    PAIR(ELLIPSOID, CYLINDER, narrow_convex_convex),
    PAIR(ELLIPSOID, CONE, narrow_convex_convex),
    PAIR(ELLIPSOID, HULL, narrow_convex_convex),
    CONVEX(ELLIPSOID),
    PAIR(BOX, BOX, narrow_box_box),
    PAIR(BOX, CAPSULE, narrow_convex_convex),
    PAIR(BOX, CYLINDER, narrow_convex_convex),
    PAIR(BOX, CONE, narrow_convex_convex),
    PAIR(BOX, HULL, narrow_convex_convex),
    CONVEX(BOX),
    PAIR(CAPSULE, CAPSULE, narrow_capsule_capsule),
    PAIR(CAPSULE, CYLINDER, narrow_convex_convex),
    PAIR(CAPSULE, CONE, narrow_convex_convex),
    PAIR(CAPSULE, HULL, narrow_convex_convex),
    CONVEX(CAPSULE),
    PAIR(CYLINDER, CYLINDER, narrow_convex_convex),
    PAIR(CYLINDER, CONE, narrow_convex_convex),
    PAIR(CYLINDER, HULL, narrow_convex_convex),
    CONVEX(CYLINDER),
    PAIR(CONE, CONE, narrow_convex_convex),
    PAIR(CONE, HULL, narrow_convex_convex),
    CONVEX(CONE),
    PAIR(HULL, HULL, narrow_convex_convex),
    CONVEX(HULL),
    PAIR(MESH, HALF_SPACE, narrow_convex_half_space),
    PAIR(MESH, BOX_CONTAINER, narrow_convex_box_container),
    PAIR(MESH, ROUND_CONTAINER, narrow_convex_round_container),
    PAIR(MESH, MESH, narrow_mesh_mesh),
};

uint32_t narrow_kinds(const shape *s) {
  if (s->kind != SCREE_SHAPE_COMPOUND) return 1u << s->kind;
  uint32_t kinds = 0;
  for (uint32_t i = 0; i < s->compound.count; i++) kinds |= 1u << s->compound.part[i].shape->kind;
  return kinds;
}

uint32_t narrow_untouchable(uint32_t kind) {
  uint32_t kinds = 0;
  for (uint32_t k = 0; k < SCREE_SHAPE_COMPOUND; k++)
    if (!narrow_table[kind][k] && !narrow_table[k][kind]) kinds |= 1u << k;
  return kinds;
}

/* Parts against all of b; each part's contacts are distinguished by its number. */
static void narrow_parts(const shape *a, const pose *pa, const shape *b, const pose *pb,
                         narrow_sink *sink) {
  const aabb reach = aabb_grow(shape_bounds(b, pose_mul(pose_inverse(*pa), *pb)), sink->margin);
  for (uint32_t i = 0; i < a->compound.count; i++) {
    if (!aabb_overlap(a->compound.bounds[i], reach)) continue;
    contact_point c[CONTACT_POINT_MAX];
    const pose place = pose_mul(*pa, a->compound.part[i].place);
    const int n = narrow_collide_whole(a->compound.part[i].shape, place, b, *pb, sink->margin,
                                       sink->whole, c, CONTACT_POINT_MAX);
    for (int k = 0; k < n; k++)
      narrow_add(sink, c[k].point_a, c[k].normal, c[k].gap, narrow_mix(i + 1, c[k].feature));
  }
}

static void narrow_turn(narrow_sink *sink, int from) {
  for (int i = from; i < sink->count; i++) {
    contact_point *c = sink->out + i;
    const v3 t = c->point_a;
    c->point_a = c->point_b;
    c->point_b = t;
    c->normal = v3_neg(c->normal);
  }
}

int narrow_collide(const shape *a, pose pa, const shape *b, pose pb, double margin,
                   contact_point *out, int capacity) {
  return narrow_collide_whole(a, pa, b, pb, margin, false, out, capacity);
}

int narrow_collide_whole(const shape *a, pose pa, const shape *b, pose pb, double margin,
                         bool whole, contact_point *out, int capacity) {
  if (a->kind == SCREE_SHAPE_SPHERE && b->kind == SCREE_SHAPE_SPHERE) {
    contact_point c;
    if (capacity < 1 || !narrow_touch_spheres(pa.position, a->sphere.radius, pb.position,
                                              b->sphere.radius, margin, &c))
      return 0;
    out[0] = c;
    return 1;
  }
  narrow_sink sink = {.out = out, .capacity = capacity, .margin = margin, .whole = whole};
  if (a->kind == SCREE_SHAPE_COMPOUND) {
    narrow_parts(a, &pa, b, &pb, &sink);
    return sink.count;
  }
  if (b->kind == SCREE_SHAPE_COMPOUND) {
    narrow_parts(b, &pb, a, &pa, &sink);
    narrow_turn(&sink, 0);
    return sink.count;
  }
  narrow_function *f = narrow_table[a->kind][b->kind];
  if (f) {
    f(a, &pa, b, &pb, &sink);
    return sink.count;
  }
  f = narrow_table[b->kind][a->kind];
  if (f) {
    f(b, &pb, a, &pa, &sink);
    narrow_turn(&sink, 0);
  }
  return sink.count;
}

/* Solids on a triangle mesh: triangle by triangle, with one rule against bumps on smooth floors. A
 * contact at an edge or a corner of a triangle counts only when no triangle beside it is nearer,
 * that is when the direction d from the surface to the solid leans away from all of them:
 *
 *              d                         d
 *          \   |                    _____|_____       a seam in a flat floor: one of the two
 *           \__|__  a true ridge      m1 . m2         has d.m >= 0, so the edge is not reported
 *
 * (m: from the edge into a face). Faces themselves always count, so a flat floor gives one normal.
 */
#include "collide/manifold.h"
#include "collide/narrow_convex.h"
#include "shape/mesh_tree.h"

enum { AT_FACE = -1 }; /* else 0, 1, 2: edge k; 3, 4, 5: corner k - 3 */

/* The nearest point of a triangle to x, and what it lies on. */
static v3 triangle_near(const v3 p[3], v3 normal, v3 x, int *where) {
  double best = INFINITY;
  v3 nearest = x;
  bool inside = true;
  for (int k = 0; k < 3; k++) {
    const v3 a = p[k], e = v3_sub(p[(k + 1) % 3], a), d = v3_sub(x, a);
    if (v3_dot(v3_cross(normal, e), d) > 0) continue;
    inside = false;
    const double t = v3_dot(d, e) / v3_norm2(e);
    const v3 q = t <= 0 ? a : t >= 1 ? p[(k + 1) % 3] : v3_add_scaled(a, t, e);
    const double d2 = v3_norm2(v3_sub(x, q));
    if (d2 < best) {
      best = d2;
      nearest = q;
      *where = t <= 0 ? 3 + k : t >= 1 ? 3 + (k + 1) % 3 : k;
    }
  }
  if (!inside) return nearest;
  *where = AT_FACE;
  return v3_add_scaled(x, -v3_dot(normal, v3_sub(x, p[0])), normal);
}

/* Whether the contact at this feature of triangle t, towards the unit vector d (mesh's frame), is
 * one that no neighbour takes over; of triangles that share it only the lowest reports it. */
static bool feature_counts(const shape_mesh *m, uint32_t t, int where, v3 d, bool once) {
  const double lean = 1e-9;
  if (where == AT_FACE) return true;
  if (where < 3) {
    const uint32_t e = m->triangle_edge[t][where];
    if (once && m->edge_face[e][0] != t) return false;
    return v3_dot(d, m->edge_inward[e][0]) <= lean &&
           (m->edge_face[e][1] == UINT32_MAX || v3_dot(d, m->edge_inward[e][1]) <= lean);
  }
  const uint32_t v = m->triangle[t][where - 3];
  if (once && m->vertex_face[v] != t) return false;
  for (uint32_t i = m->vertex_start[v]; i < m->vertex_start[v + 1]; i++) {
    const v3 along = v3_sub(m->vertex[m->vertex_neighbour[i]], m->vertex[v]);
    if (v3_dot(d, along) > lean * v3_norm(along)) return false;
  }
  return true;
}

static uint32_t feature_name(const shape_mesh *m, uint32_t t, int where) {
  if (where == AT_FACE) return 3 * t;
  if (where < 3) return 3 * m->triangle_edge[t][where] + 1;
  return 3 * m->triangle[t][where - 3] + 2;
}

/* On a seam both faces may claim the point, by rounding; one is enough. */
static bool contact_known(const narrow_sink *sink, int from, v3 point, v3 normal, double size) {
  for (int i = from; i < sink->count; i++)
    if (v3_dot(sink->out[i].normal, normal) > 1 - 1e-9 &&
        v3_norm2(v3_sub(sink->out[i].point_a, point)) < 1e-12 * size * size)
      return true;
  return false;
}

void narrow_sphere_mesh(const shape *a, const pose *pa, const shape *b, const pose *pb,
                        narrow_sink *sink) {
  const shape_mesh *m = &b->mesh;
  const double radius = a->sphere.radius, reach = radius + sink->margin;
  const v3 x = pose_apply_inverse(*pb, pa->position);
  const aabb box = aabb_grow((aabb){x, x}, reach);
  const int from = sink->count;
  mesh_walk walk = mesh_walk_begin();
  uint32_t t;
  while (mesh_walk_next(m, box, &walk, &t)) {
    const uint32_t *v = m->triangle[t];
    const v3 p[3] = {m->vertex[v[0]], m->vertex[v[1]], m->vertex[v[2]]};
    const double height = v3_dot(m->normal[t], v3_sub(x, p[0]));
    if (fabs(height) > reach) continue;
    int where = AT_FACE;
    const v3 d = v3_sub(x, triangle_near(p, m->normal[t], x, &where));
    const double distance = where == AT_FACE ? fabs(height) : v3_norm(d);
    if (distance > reach) continue;
    v3 n = height >= 0 ? m->normal[t] : v3_neg(m->normal[t]);
    if (where != AT_FACE && distance > 0) n = v3_scale(1 / distance, d);
    if (!feature_counts(m, t, where, n, true)) continue;
    const v3 out = v3_neg(quat_rotate(pb->rotation, n));
    const v3 point = v3_add_scaled(pa->position, radius, out);
    if (!contact_known(sink, from, point, out, radius))
      narrow_add(sink, point, out, distance - radius,
                 where == AT_FACE ? 3 * m->patch[t] : feature_name(m, t, where));
  }
}

/* What a point of the triangle lies on, to a tolerance. */
static int triangle_feature(const v3 p[3], v3 normal, v3 x, double tolerance) {
  int edge = AT_FACE, edges = 0, first = AT_FACE;
  for (int k = 0; k < 3; k++) {
    const v3 e = v3_sub(p[(k + 1) % 3], p[k]);
    if (v3_dot(v3_cross(normal, e), v3_sub(x, p[k])) > tolerance * v3_norm(e)) continue;
    if (edges++ == 0) first = k;
    edge = k;
  }
  if (edges < 2) return edge;
  return 3 + (first == 0 && edge == 2 ? 0 : edge);
}

/* A solid that is through the surface: out along the face's normal, on the side of its centre. */
static contact_point face_contact(const gjk_solid *a, const v3 p[3], v3 normal, v3 center) {
  const v3 n = v3_dot(normal, v3_sub(center, p[0])) >= 0 ? v3_neg(normal) : normal;
  const v3 x = gjk_support(a, n);
  return (contact_point){.point_a = v3_add_scaled(x, a->round, n),
                         .normal = n,
                         .gap = v3_dot(n, v3_sub(p[0], x)) - a->round,
                         .feature = 0};
}

/* Contacts with nearly the same normal are one manifold, whichever triangles they came from. */
static void mesh_deliver(contact_point *c, int count, v3 origin, narrow_sink *sink) {
  while (count > 0) {
    contact_point group[NARROW_CANDIDATES];
    int size = 0, rest = 0;
    const v3 n = c[0].normal;
    for (int i = 0; i < count; i++) {
      bool known = false;
      if (v3_dot(n, c[i].normal) < 1 - 1e-6) {
        c[rest++] = c[i];
        continue;
      }
      for (int k = 0; k < size && !known; k++)
        known = v3_norm2(v3_sub(group[k].point_a, c[i].point_a)) <
                1e-24 + 1e-18 * v3_norm2(c[i].point_a);
      if (!known) group[size++] = c[i];
    }
    count = rest;
    manifold_deliver(group, size, 4, origin, sink);
  }
}

void narrow_convex_mesh(const shape *a, const pose *pa, const shape *b, const pose *pb,
                        narrow_sink *sink) {
  const shape_mesh *m = &b->mesh;
  const pose place = pose_mul(pose_inverse(*pb), *pa);
  const aabb box = aabb_grow(shape_bounds(a, place), sink->margin);
  /* All in the mesh's axes, about the solid's position; turned into the world's at the end. */
  const gjk_solid solid = gjk_solid_shape(a, (v3){0, 0, 0}, place.rotation);
  contact_point found[NARROW_CANDIDATES];
  narrow_sink all = {.out = found, .capacity = NARROW_CANDIDATES, .margin = sink->margin};
  mesh_walk walk = mesh_walk_begin();
  uint32_t t;
  while (mesh_walk_next(m, box, &walk, &t)) {
    v3 p[3];
    for (int k = 0; k < 3; k++) p[k] = v3_sub(m->vertex[m->triangle[t][k]], place.position);
    const gjk_solid triangle = gjk_solid_points(p, 3);
    contact_point c[CONTACT_POINT_MAX];
    narrow_sink one = {.out = c, .capacity = CONTACT_POINT_MAX, .margin = sink->margin};
    narrow_convex_solids(&solid, &triangle, (v3){0, 0, 0}, 0, &one);
    for (int i = 0; i < one.count; i++) {
      contact_point k = c[i];
      int where = AT_FACE;
      if (fabs(v3_dot(k.normal, m->normal[t])) < 1 - 1e-9) {
        where = triangle_feature(p, m->normal[t], k.point_b, 1e-7 * a->size);
        if (where == AT_FACE)
          k = face_contact(&solid, p, m->normal[t], (v3){0, 0, 0});
        else if (!feature_counts(m, t, where, v3_neg(k.normal), false))
          continue;
      }
      narrow_add(&all, k.point_a, k.normal, k.gap,
                 narrow_mix(feature_name(m, t, where) + 1, k.feature));
    }
  }
  for (int i = 0; i < all.count; i++) {
    found[i].point_a = quat_rotate(pb->rotation, found[i].point_a);
    found[i].normal = quat_rotate(pb->rotation, found[i].normal);
  }
  mesh_deliver(found, all.count, pa->position, sink);
}

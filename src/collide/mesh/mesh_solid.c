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
#include "collide/mesh/mesh_group.h"
#include "collide/narrow/convex.h"
#include "collide/narrow/manifold.h"
#include "shape/mesh_near.h"

/* Whether the contact at this feature of triangle t, towards the unit vector d (mesh's frame), is
 * one that no neighbour takes over; of triangles that share it only the lowest reports it. */
static bool feature_counts(const shape_mesh *m, uint32_t t, int where, v3 d, bool once) {
  const double lean = 1e-9;
  if (where == MESH_AT_FACE) return true;
  if (where < 3) {
    const uint32_t e = m->triangle_edge[t][where];
    if (once && m->edge_face[e][0] != t) return false;
    const v3 along = v3_sub(m->vertex[m->edge[e][1]], m->vertex[m->edge[e][0]]);
    if (fabs(v3_dot(d, along)) > 0.2 * v3_norm(along)) return false;
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
  if (where == MESH_AT_FACE) return 3 * t;
  if (where < 3) return 3 * m->triangle_edge[t][where] + 1;
  return 3 * m->triangle[t][where - 3] + 2;
}

/* On a seam both faces may claim the point, by rounding; one is enough. Faces that lie behind one
 * another claim the same point of the ball too, as the floor and the bottom of a slab do for one
 * that sees both: the nearer one counts. Null: nobody claimed it yet. */
static contact_point *contact_known(const narrow_sink *sink, int from, v3 point, v3 normal,
                                    double size) {
  for (int i = from; i < sink->count; i++)
    if (v3_dot(sink->out[i].normal, normal) > 1 - 1e-9 &&
        v3_norm2(v3_sub(sink->out[i].point_a, point)) < 1e-12 * size * size)
      return &sink->out[i];
  return NULL;
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
    int where = MESH_AT_FACE;
    const v3 d = v3_sub(x, mesh_triangle_near(p, m->normal[t], x, &where));
    const double distance = where == MESH_AT_FACE ? fabs(height) : v3_norm(d);
    if (distance > reach) continue;
    v3 n = height >= 0 ? m->normal[t] : v3_neg(m->normal[t]);
    if (where != MESH_AT_FACE && distance > 0) n = v3_scale(1 / distance, d);
    if (!feature_counts(m, t, where, n, true)) continue;
    const v3 out = v3_neg(quat_rotate(pb->rotation, n));
    const v3 point = v3_add_scaled(pa->position, radius, out);
    const uint32_t feature = where == MESH_AT_FACE ? 3 * m->patch[t] : feature_name(m, t, where);
    contact_point *known = contact_known(sink, from, point, out, radius);
    if (!known)
      narrow_add(sink, point, out, distance - radius, feature);
    else if (distance - radius < known->gap - 1e-9 * radius) {
      known->gap = distance - radius;
      known->point_b = v3_add_scaled(point, known->gap, out);
      known->feature = feature;
    }
  }
}

/* What a point of the triangle lies on, to a tolerance. */
static int triangle_feature(const v3 p[3], v3 normal, v3 x, double tolerance) {
  int edge = MESH_AT_FACE, edges = 0, first = MESH_AT_FACE;
  for (int k = 0; k < 3; k++) {
    const v3 e = v3_sub(p[(k + 1) % 3], p[k]);
    if (v3_dot(v3_cross(normal, e), v3_sub(x, p[k])) > tolerance * v3_norm(e)) continue;
    if (edges++ == 0) first = k;
    edge = k;
  }
  if (edges < 2) return edge;
  return 3 + (first == 0 && edge == 2 ? 0 : edge);
}

/* Is the middle of a solid inside a closed mesh? */
typedef enum mesh_inside { INSIDE_UNKNOWN, INSIDE_NO, INSIDE_YES } mesh_inside;

/* What of a solid looks along a normal: triangles of a flat floor ask for the same. */
typedef struct mesh_view {
  v3 inner;  /* a point inside the solid, which its origin need not be */
  v3 middle; /* the same from the mesh's origin */
  mesh_inside inside;
  v3 n, lowest;
  manifold_face face;
  bool known, has_face;
  bool whole;   /* of the sink */
  bool crosses; /* the plane of a triangle */
} mesh_view;

/* Where corners must be the same from step to step, is the deepest point no more than one of them
 * but for rounding? On a rim that stands it may be anywhere, and would take the place of others. */
static bool corners_tell(const mesh_view *view, const contact_point *c, int count, double gap,
                         double size) {
  bool tell = false;
  for (int i = 0; view->whole && i < count; i++) tell = tell || c[i].gap < gap + 1e-6 * size;
  return tell;
}

static void look_along(mesh_view *view, const gjk_solid *a, v3 n) {
  if (view->known && v3_norm2(v3_sub(view->n, n)) == 0) return;
  view->n = n;
  view->lowest = gjk_support(a, n);
  view->known = true;
  view->has_face = false;
}

static v3 inner_point(const shape *s) {
  return s->kind == SCREE_SHAPE_HULL ? s->hull.inner : v3_make(0.0, 0.0, 0.0);
}

/* The solid's lowest point over the plane of a triangle, on the side of its inner point:
 * also the way out for one that is through the surface. */
static contact_point face_contact(const gjk_solid *a, const v3 p[3], v3 normal, mesh_view *view) {
  const v3 n = v3_dot(normal, v3_sub(p[0], view->inner)) <= 0 ? v3_neg(normal) : normal;
  look_along(view, a, n);
  return (contact_point){.point_a = v3_add_scaled(view->lowest, a->round, n),
                         .normal = n,
                         .gap = v3_dot(n, v3_sub(p[0], view->lowest)) - a->round,
                         .feature = 0};
}

static bool is_over_by(const v3 p[3], v3 normal, v3 x, double beyond) {
  for (int i = 0; i < 3; i++) {
    const v3 e = v3_sub(p[(i + 1) % 3], p[i]);
    if (v3_dot(v3_cross(normal, e), v3_sub(x, p[i])) < -beyond * v3_norm(e)) return false;
  }
  return true;
}

static bool is_over(const v3 p[3], v3 normal, v3 x, double size) {
  return is_over_by(p, normal, x, 1e-9 * size);
}

/* What a contact of triangle t lies on, when it is one of the mesh and not for another triangle to
 * tell. */
static bool triangle_takes(const shape_mesh *m, uint32_t t, const v3 p[3], const contact_point *k,
                           double size, int *where) {
  *where = MESH_AT_FACE;
  if (fabs(v3_dot(k->normal, m->normal[t])) >= 1 - 1e-9) return true;
  *where = triangle_feature(p, m->normal[t], k->point_b, 1e-7 * size);
  return *where != MESH_AT_FACE && feature_counts(m, t, *where, v3_neg(k->normal), false);
}

/* A corner that is a little below the bottom of a valley is below both faces and over none:
 *
 *     \  /      o lies beyond the edge of either face, by its depth times the tangent of the slope.
 *      \/       Nothing else reports it, so both faces do.
 *      o   */
static const double steepest = 4.0; /* tangent */

static bool is_valley(const shape_mesh *m, uint32_t t, int where, v3 towards) {
  if (where >= 3) return true; /* corners: by `steepest` alone */
  const uint32_t e = m->triangle_edge[t][where];
  const int mine = m->edge_face[e][0] == t ? 0 : 1;
  const uint32_t other = m->edge_face[e][1 - mine];
  if (other == UINT32_MAX) return false;
  const double side = v3_dot(towards, m->normal[t]) < 0.0 ? 1.0 : -1.0;
  return side * v3_dot(m->edge_inward[e][mine], m->normal[other]) > 0.0;
}

/* A contact along the face's normal may be deeper than the solid is in the triangle by this: where
 * the triangle beside it goes on nearly as this one does, and corners over it are to be kept, a
 * part of the size. Beyond a ridge it would be a wall that the solid stands on top of. */
static double deeper_allowed(const shape_mesh *m, uint32_t t, int where, double size) {
  if (where >= 3) return 0.02 * size;
  const uint32_t e = m->triangle_edge[t][where];
  const bool goes_on = m->edge_face[e][1] != UINT32_MAX &&
                       v3_dot(m->edge_inward[e][0], m->edge_inward[e][1]) < -0.95;
  return goes_on ? 0.02 * size : 1e-9 * size;
}

/* Of the size: what is through less deep is rounding. */
static const double through_least = 1e-3;

static bool is_flat_about(const shape_mesh *m, const uint32_t v[3]) {
  return m->vertex_flat[v[0]] && m->vertex_flat[v[1]] && m->vertex_flat[v[2]];
}

/* A triangle with nothing but flat floor round about: corners of the solid's face that are over it,
 * and its lowest point. Their names are those of the floor, as they move over its seams. */
static void flat_contacts(const shape_mesh *m, uint32_t t, const gjk_solid *solid, const v3 p[3],
                          const contact_point *along, double margin, double size, mesh_view *view,
                          mesh_groups *all) {
  const uint32_t name = 3 * m->patch[t] + 1;
  const v3 up = m->normal[t], n = along->normal;
  if (!view->has_face) manifold_face_along(solid, n, &view->face);
  view->has_face = true;
  const manifold_face *f = &view->face;
  bool told = false;
  for (int i = 0; i < f->count; i++) {
    const contact_point c = {.point_a = v3_add_scaled(f->point[i], solid->round, n),
                             .normal = n,
                             .gap = v3_dot(n, v3_sub(p[0], f->point[i])) - solid->round,
                             .feature = narrow_mix(name, f->vertex[i] + 1)};
    if (c.gap <= margin && is_over(p, up, c.point_a, size)) mesh_group_add(all, &c);
    told = told || corners_tell(view, &c, 1, along->gap, size);
  }
  if (told || !is_over(p, up, along->point_a, size)) return;
  contact_point exact = *along;
  exact.feature = narrow_mix(name, 0);
  mesh_group_add(all, &exact);
}

/* What the exact contact of a triangle is good for. */
typedef enum exact_use {
  EXACT_GUIDES, /* tells only where to look for others */
  EXACT_ALONE,  /* counts where no corners over the triangle are found */
  EXACT_COUNTS
} exact_use;

/* The lowest point of a solid that is much larger than the triangle may be anywhere: that of a
 * plate of 60 m under a part of 10 mm that lies on it is the plate's far corner, deep by the
 * plate's length times a tilt of rounding. It tells how deep the solid is in the triangle only when
 * it is not farther beyond it than that depth and the steepest slope explain. */
static bool is_elsewhere(const shape_mesh *m, uint32_t t, const v3 p[3], const contact_point *c) {
  return c->gap < 0.0 && !is_over_by(p, m->normal[t], c->point_a, -steepest * c->gap);
}

/* The exact contact of one triangle, if there is one; false: too far. Along the face's normal it is
 * exact when apart and over the face. Else the nearest points do when they are on the face or on a
 * true ridge; a solid through the surface, or at a seam of a flat floor, is looked at along the
 * face's normal. */
static bool triangle_exact(const shape_mesh *m, uint32_t t, const gjk_solid *solid,
                           const gjk_solid *triangle, const contact_point *along, double margin,
                           double size, contact_point *exact, exact_use *use) {
  const v3 *p = triangle->point;
  const bool over = is_over(p, m->normal[t], along->point_a, size);
  *exact = *along;
  *use = EXACT_COUNTS;
  if (over && along->gap > 0) return true;
  gjk_result g;
  if (!gjk_signed_distance(solid, triangle, margin + solid->round, &g)) return false;
  *exact = (contact_point){.point_a = v3_add_scaled(g.a, solid->round, g.normal),
                           .point_b = g.b,
                           .normal = g.normal,
                           .gap = g.gap - solid->round,
                           .feature = 0};
  int where;
  const bool taken = triangle_takes(m, t, p, exact, size, &where);
  if (!taken || (where == MESH_AT_FACE && !g.shown)) {
    const bool low = where != MESH_AT_FACE && along->gap < 0.0 &&
                     along->gap >= fmax(2.0 * exact->gap, -(where < 3 ? 0.25 : 0.02) * size) &&
                     is_valley(m, t, where, along->normal) &&
                     is_over_by(p, m->normal[t], along->point_a, -steepest * along->gap);
    /* Deep in a floor at a seam: the way out of one triangle leads sideways, onto the next, where
     * it is as deep. The lowest point tells the depth, whichever of them it is over. */
    const bool deep = where != MESH_AT_FACE && exact->gap < 0.0 && is_flat_about(m, m->triangle[t]);
    if (where != MESH_AT_FACE && !low && !deep &&
        along->gap < fmin(exact->gap, 0.0) - deeper_allowed(m, t, where, size))
      return false;
    *exact = *along;
    if (!taken && where == MESH_AT_FACE && !over)
      *use = is_elsewhere(m, t, p, along) ? EXACT_ALONE : EXACT_COUNTS;
    else if (!over && !low && !deep)
      *use = EXACT_GUIDES;
  }
  return true;
}

/* A closed mesh is solid: a triangle that the solid is behind pushes it farther in, and counts only
 * for what is inside already, as in a room of triangles. Without that the side of a table would
 * hold a box that slides over its edge:
 *
 *          ________
 *         |      | |      the box is through the plane of the side by a hair, and over the side's
 *      ___|______|_|      upper edge: pushed back by that much it would be out of it
 *                |
 */
static bool is_behind(const shape_mesh *m, uint32_t t, v3 towards, mesh_view *view) {
  if (!m->closed || v3_dot(towards, m->normal[t]) < 0.0) return false;
  if (view->inside == INSIDE_UNKNOWN) {
    const aabb all = m->node[0].box;
    const bool near = aabb_overlap(all, (aabb){view->middle, view->middle});
    const double reach = v3_norm(v3_sub(all.hi, all.lo));
    view->inside = near && mesh_holds(m, view->middle, reach, 0.0) ? INSIDE_YES : INSIDE_NO;
  }
  return view->inside == INSIDE_NO;
}

static void triangle_contacts(const shape_mesh *m, uint32_t t, const gjk_solid *solid,
                              const v3 p[3], double margin, double size, mesh_view *view,
                              mesh_groups *all) {
  const contact_point along = face_contact(solid, p, m->normal[t], view);
  view->crosses = view->crosses || along.gap < -through_least * size;
  if (along.gap > margin || is_behind(m, t, along.normal, view)) return;
  if (along.gap > -0.1 * size && is_flat_about(m, m->triangle[t])) {
    flat_contacts(m, t, solid, p, &along, margin, size, view, all);
    return;
  }
  const gjk_solid triangle = gjk_solid_points(p, 3);
  contact_point c[NARROW_CANDIDATES + 1], exact;
  bool round;
  exact_use use;
  if (!triangle_exact(m, t, solid, &triangle, &along, margin, size, &exact, &use)) return;
  int count = narrow_convex_candidates(solid, &triangle, exact, margin, c, &round);
  for (int i = 0; i < count; i++) c[i].point_b = v3_add_scaled(c[i].point_a, c[i].gap, c[i].normal);
  const bool counts = use == EXACT_COUNTS || (use == EXACT_ALONE && count == 0);
  if (counts && !corners_tell(view, c, count, exact.gap, size)) c[count++] = exact;
  for (int i = 0; i < count; i++) {
    int where;
    if (c[i].gap <= margin && triangle_takes(m, t, p, c + i, size, &where)) {
      c[i].feature = narrow_mix(feature_name(m, t, where) + 1, c[i].feature);
      mesh_group_add(all, c + i);
    }
  }
}

/* A solid that cuts deep through edges has no contact that any triangle takes as its own: the way
 * out leads along none of the faces. How far it must go at least, to be free of each triangle for
 * itself, counts where nothing else does: else it would seem not to touch at all. */
static void find_through(const shape_mesh *m, aabb box, const gjk_solid *solid, pose place,
                         double size, mesh_groups *all) {
  contact_point deepest = {.gap = -through_least * size};
  bool found = false;
  mesh_walk walk = mesh_walk_begin();
  uint32_t t;
  while (mesh_walk_next(m, box, &walk, &t)) {
    v3 p[3];
    gjk_result g;
    for (int k = 0; k < 3; k++) p[k] = v3_sub(m->vertex[m->triangle[t][k]], place.position);
    const gjk_solid triangle = gjk_solid_points(p, 3);
    if (!gjk_signed_distance(solid, &triangle, solid->round, &g)) continue;
    if (g.gap - solid->round >= deepest.gap) continue;
    deepest = (contact_point){.point_a = v3_add_scaled(g.a, solid->round, g.normal),
                              .point_b = g.b,
                              .normal = g.normal,
                              .gap = g.gap - solid->round,
                              .feature = narrow_mix(3 * t, 0)};
    found = true;
  }
  if (found) mesh_group_add(all, &deepest);
}

void narrow_convex_mesh(const shape *a, const pose *pa, const shape *b, const pose *pb,
                        narrow_sink *sink) {
  const shape_mesh *m = &b->mesh;
  const pose place = pose_mul(pose_inverse(*pb), *pa);
  const aabb box = aabb_grow(shape_bounds(a, place), sink->margin);
  /* All in the mesh's axes, about the solid's position; turned into the world's at the end. */
  const gjk_solid solid = gjk_solid_shape(a, (v3){0, 0, 0}, place.rotation);
  const double size = fmin(a->size, b->size);
  mesh_groups all;
  mesh_view view;
  mesh_groups_begin(&all, 1 - 1e-6, size, sink->margin);
  view.inner = quat_rotate(place.rotation, inner_point(a));
  view.middle = v3_add(place.position, view.inner);
  view.inside = INSIDE_UNKNOWN;
  view.known = false;
  view.whole = sink->whole;
  view.crosses = false;
  mesh_walk walk = mesh_walk_begin();
  uint32_t t;
  while (mesh_walk_next(m, box, &walk, &t)) {
    v3 p[3];
    for (int k = 0; k < 3; k++) p[k] = v3_sub(m->vertex[m->triangle[t][k]], place.position);
    triangle_contacts(m, t, &solid, p, sink->margin, size, &view, &all);
  }
  if (view.crosses && !mesh_groups_touch(&all)) find_through(m, box, &solid, place, size, &all);
  mesh_groups_deliver(&all, pb->rotation, pa->position, size, sink);
}

/* Two triangle meshes. What may touch first on two polyhedra, convex or not, is a vertex of one and
 * a face of the other, or an edge of each: those pairs whose directions fit, that is for which a
 * small piece of one about its feature and a small piece of the other lie on either side of a plane
 * across the contact's normal n (from a to b):
 *
 *     vertex x of a, face of b with outward normal m:    n = -m,  gap = m . (x - face),
 *         every neighbour y of x has  m . (y - x) >= 0:        x is a's lowest point over the face
 *     edge of each, directions u and w:                  n = +-u x w,  gap = n . (point_b -
 * point_a) faces beside a's edge go away from n, those beside b's from -n
 *
 * (for convex solids these are the faces of their Minkowski difference, so the least depth among
 * them is the exact one). A face lying on a face is held by its corners and by crossings of
 * outlines: there the direction is the face's, not that of nearly parallel edges. While they are
 * apart a vertex may also be nearest to an edge or a vertex.
 *
 * The conditions are local. That a feature is really inside the other mesh is checked by
 * mesh_holds; and of overlaps that differ in direction one is left out when moving the meshes apart
 * along a shallower one takes its point out of the other mesh as well:
 *
 *         ____ a                 x is inside b by d1 under the top and by d2 from the side: both
 *        |   x|____              fit the corner of a; up by d1 it is out, so the side is no contact
 *        |____|    |b
 *
 * A mesh that is not closed has no inside: its faces have two sides, and a mesh overlaps it only
 * where triangles of the two run through each other. What is through it by less than a part of the
 * smaller mesh is pushed back to the side that the mesh about it is on, what is deeper to the side
 * that the middle of its mesh is on. */
#include "collide/mesh/mesh_pair.h"

enum { STACK = 4 * MESH_TREE_DEPTH };

static const double lean_face = 0.1; /* sine of the angle up to which faces lie on each other */
static const double lean_apart =
    0.5; /* the same for corners that are still apart and may touch in this step */
static const double lean_edge = 0.02;
static const double same_face = 0.995; /* cosine, as for convex solids */
static const double hair = 1e-3; /* part of that size: contacts with such gaps tell of crossings */

/* Does the mesh take the point x of the other one, whose way out is to y on its own surface, or,
 * where that rises, on the plane of it, `risen` farther on? Where outlines cross x lies on the
 * surface itself. From deep inside the way must not lead through another part of the mesh. */
static bool side_takes(const side *s, v3 x, v3 y, double risen, double size) {
  if (!s->m->closed) return true;
  const double depth = v3_norm(v3_sub(y, x));
  if (!side_holds(s, x, (depth + risen) * (1 + 1e-6) + 1e-9 * size, 1e-9 * size)) return false;
  return depth < 1e-3 * size || !mesh_blocks(s->m, m33_tmul_v3(&s->r, v3_sub(x, s->at)),
                                             m33_tmul_v3(&s->r, v3_sub(y, s->at)));
}

/* A contact, n from a to b, with a mesh that is not closed: is the middle of the other one where it
 * is pushed to, if it is through by much? */
static bool from_its_side(const pair *p, v3 point, v3 n, double gap) {
  if (gap >= -shallow * p->size) return true;
  return (p->b.m->closed || v3_dot(n, v3_sub(p->a.middle, point)) < 0) &&
         (p->a.m->closed || v3_dot(n, v3_sub(p->b.middle, point)) > 0);
}

/* The place that a contact takes in a full table; -1: none. What overlaps by its plane only is
 * worth less than all others, and the less the deeper it is; of others the farthest goes. */
static int place_for(const pair *p, double gap, bool weak) {
  int at = -1;
  for (int i = 0; i < p->count; i++)
    if (p->found[i].dropped && (at < 0 || p->found[i].c.gap < p->found[at].c.gap)) at = i;
  if (at >= 0) return weak && p->found[at].c.gap >= gap ? -1 : at;
  if (weak) return -1;
  at = 0;
  for (int i = 1; i < p->count; i++)
    if (p->found[i].c.gap > p->found[at].c.gap) at = i;
  return p->found[at].c.gap > gap ? at : -1;
}

void mesh_pair_add(pair *p, v3 point_a, v3 normal, double gap, uint32_t feature, bool weak) {
  int at = p->count;
  const bool open = !(p->a.m->closed && p->b.m->closed) && gap < -crossed * p->size;
  if (gap > p->near) {
    if (gap > p->wanted) return;
    const contact_point c = {.point_a = point_a, .normal = normal, .gap = gap, .feature = feature};
    mesh_group_add(&p->far, &c);
    return;
  }
  for (int i = 0; i < p->count; i++)
    if (p->found[i].c.feature == feature &&
        v3_norm2(v3_sub(p->found[i].c.point_a, point_a)) <= 1e-16 * p->size * p->size) {
      p->found[i].dropped = p->found[i].dropped && weak;
      return;
    }
  if (at < CANDIDATES)
    p->count++;
  else if ((at = place_for(p, gap, weak)) < 0)
    return;
  p->found[at] = (candidate){.c = {.point_a = point_a,
                                   .point_b = v3_add_scaled(point_a, gap, normal),
                                   .normal = normal,
                                   .gap = gap,
                                   .feature = feature},
                             .dropped = weak,
                             .open = open};
}

/* ---- a vertex of one mesh, a triangle of the other ------------------------------------------ */

/* A triangle in the common frame. */
typedef struct placed {
  const side *s;
  uint32_t t;
  v3 p[3], n;
} placed;

/* Whether the mesh about a vertex lies in the direction `up` from it, to an angle. */
static bool vertex_is_lowest(const side *s, uint32_t v, v3 up, double lean) {
  const shape_mesh *m = s->m;
  const v3 d = m33_tmul_v3(&s->r, up);
  for (uint32_t i = m->vertex_start[v]; i < m->vertex_start[v + 1]; i++) {
    const v3 along = v3_sub(m->vertex[m->vertex_neighbour[i]], m->vertex[v]);
    if (v3_dot(d, along) < -lean * v3_norm(along)) return false;
  }
  return true;
}

/* Does the surface rise beyond edge k of the triangle, and is x behind that face too? */
static bool is_behind_rise(const placed *f, int k, v3 x) {
  const shape_mesh *m = f->s->m;
  const uint32_t e = m->triangle_edge[f->t][k], *face = m->edge_face[e];
  const int other = face[0] == f->t;
  return face[other] != UINT32_MAX &&
         v3_dot(f->n, side_turn(f->s, m->edge_inward[e][other])) > lean_edge &&
         v3_dot(side_turn(f->s, m->normal[face[other]]), v3_sub(x, f->p[k])) < 0;
}

/* How far x is beside the triangle; not counting edges where the surface rises: there both faces
 * hold, by how much x is behind each of them. `risen` is how far it is beyond those, `deep` the
 * most of that. */
static double beside(const placed *f, v3 x, double rising, double deep, double *risen) {
  const shape_mesh *m = f->s->m;
  double most = 0;
  for (int k = 0; k < 3; k++) {
    const v3 e = v3_sub(f->p[(k + 1) % 3], f->p[k]);
    const double out = -v3_dot(v3_cross(f->n, e), v3_sub(x, f->p[k]));
    if (out <= 0) continue;
    const double far = out / v3_norm(e);
    const bool sharp = m->edge_sharp[m->triangle_edge[f->t][k]];
    if (!sharp && (far <= rising || (far <= deep && is_behind_rise(f, k, x))))
      *risen = fmax(*risen, far);
    else
      most = fmax(most, far);
  }
  return most;
}

void mesh_pair_add_vertex(pair *p, bool of_a, v3 x, v3 up, double gap, uint32_t vertex,
                          uint32_t other, bool weak) {
  const uint32_t feature = narrow_mix(2 * vertex + of_a, other);
  if (of_a)
    mesh_pair_add(p, x, v3_neg(up), gap, feature, weak);
  else /* b's vertex is x, a's point below it */
    mesh_pair_add(p, v3_add_scaled(x, -gap, up), up, gap, feature, weak);
}

/* Apart, and nearest to an edge or a corner of the triangle. */
static void vertex_rim(pair *p, const side *s, uint32_t v, v3 x, const placed *f) {
  const shape_mesh *m = f->s->m;
  int where = MESH_AT_FACE;
  const v3 d = v3_sub(x, mesh_triangle_near(f->p, f->n, x, &where));
  const double distance = v3_norm(d);
  if (where == MESH_AT_FACE || distance > p->margin || distance < 1e-9 * p->size) return;
  const v3 up = v3_scale(1 / distance, d), local = m33_tmul_v3(&f->s->r, up);
  uint32_t name;
  if (where < 3) {
    const uint32_t e = m->triangle_edge[f->t][where];
    if (!m->edge_sharp[e] || m->edge_face[e][0] != f->t) return;
    for (int k = 0; k < 2; k++)
      if (m->edge_face[e][k] != UINT32_MAX && v3_dot(local, m->edge_inward[e][k]) > 1e-9) return;
    name = 3 * e + 1;
  } else {
    const uint32_t w = m->triangle[f->t][where - 3];
    if (m->vertex_face[w] != f->t) return;
    for (uint32_t i = m->vertex_start[w]; i < m->vertex_start[w + 1]; i++) {
      const v3 along = v3_sub(m->vertex[m->vertex_neighbour[i]], m->vertex[w]);
      if (v3_dot(local, along) > 1e-9 * v3_norm(along)) return;
    }
    name = 3 * w + 2;
  }
  if (side_holds(f->s, x, distance * 1.001, 0)) return;
  if (vertex_is_lowest(s, v, up, lean_edge))
    mesh_pair_add_vertex(p, s == &p->a, x, up, distance, v, name, false);
}

static void vertex_face(pair *p, const side *s, uint32_t v, v3 x, const placed *f) {
  const shape_mesh *m = f->s->m;
  const double height = v3_dot(f->n, v3_sub(x, f->p[0]));
  if (fabs(height) > p->reach) return;
  double risen = 0;
  const double rounding = 1e-9 * p->size;
  const double aside = beside(f, x, -height, height < 0 ? p->depth : 0, &risen);
  if (aside > rounding) {
    vertex_rim(p, s, v, x, f);
    if (!(m->closed && height < -rounding && aside <= -height)) return;
  }
  if (m->closed && height < -p->depth) return;
  for (int back = 0; back < (m->closed ? 1 : 2); back++) {
    const v3 up = back ? v3_neg(f->n) : f->n;
    const double gap = back ? -height : height;
    if (gap > p->margin) continue;
    if (!vertex_is_lowest(s, v, up, gap > 0 ? lean_apart : lean_face)) continue;
    const v3 n = s == &p->a ? v3_neg(up) : up;
    if (!m->closed && !from_its_side(p, f->p[0], n, gap)) continue;
    const bool weak =
        aside > rounding ||
        (gap < -rounding && !side_takes(f->s, x, v3_add_scaled(x, -gap, up), risen, p->size));
    mesh_pair_add_vertex(p, s == &p->a, x, up, gap, v,
                         3 * m->patch[f->t] + (back ? 0x80000000u : 0), weak);
    return;
  }
}

static void vertices_face(pair *p, const placed *t, const placed *f) {
  const shape_mesh *m = t->s->m;
  for (int k = 0; k < 3; k++) {
    const uint32_t v = m->triangle[t->t][k];
    if (m->vertex_face[v] == t->t && !m->vertex_flat[v]) vertex_face(p, t->s, v, t->p[k], f);
  }
}

/* ---- an edge of each ------------------------------------------------------------------------ */

typedef struct edge {
  const side *s;
  uint32_t end[2]; /* vertices */
  v3 p, u;         /* start, direction with its length */
  double length;
  uint32_t name;
  v3 in[2], normal[2]; /* into the faces, and their normals */
  int faces;
} edge;

static bool edge_of(const placed *t, int k, edge *e) {
  const shape_mesh *m = t->s->m;
  const uint32_t name = m->triangle_edge[t->t][k];
  if (!m->edge_sharp[name] || m->edge_face[name][0] != t->t) return false;
  e->s = t->s;
  e->end[0] = m->triangle[t->t][k];
  e->end[1] = m->triangle[t->t][(k + 1) % 3];
  e->p = t->p[k];
  e->u = v3_sub(t->p[(k + 1) % 3], e->p);
  e->length = v3_norm(e->u);
  e->name = name;
  e->faces = m->edge_face[name][1] == UINT32_MAX ? 1 : 2;
  for (int i = 0; i < e->faces; i++) {
    e->in[i] = side_turn(t->s, m->edge_inward[name][i]);
    e->normal[i] = side_turn(t->s, m->normal[m->edge_face[name][i]]);
  }
  return true;
}

static bool edge_fits(const edge *e, v3 out, double lean) {
  for (int i = 0; i < e->faces; i++)
    if (v3_dot(out, e->in[i]) > lean) return false;
  return true;
}

/* How far a point is beyond the ends of an edge; `at` of its length. */
static double beyond_ends(double at, double length) {
  return length * fmax(-at, at - 1);
}

/* Does the vertex at an end of an edge, the one nearer to `at` of its length, tell what is there?
 * Not of a saddle, whose vertex is not lowest along n where the lines cross beyond its end, and not
 * where it leans against the other edge, over none of its faces. */
static bool end_tells(const edge *e, double at, double over, double end, const edge *other, v3 n) {
  if (over <= -end) return false;
  const uint32_t v = e->end[at > 0.5];
  if (over > end && vertex_is_lowest(e->s, v, v3_neg(n), lean_face)) return true;
  for (int i = 0; i < other->faces; i++)
    if (vertex_is_lowest(e->s, v, other->normal[i], lean_face)) return true;
  return false;
}

/* n from a to b; true when this is a contact. Edges that cross at an end of one are for its vertex
 * to tell where it can, unless faces lie on each other. Overlapping ones may be beyond an end by
 * about as much as they overlap; where that is no saddle it is one to fall back on. */
static bool try_edges(pair *p, const edge *a, const edge *b, v3 n, double lean) {
  if (!edge_fits(a, n, lean) || !edge_fits(b, v3_neg(n), lean)) return false;
  const v3 d = v3_sub(b->p, a->p);
  const double area = v3_dot(n, v3_cross(a->u, b->u)), gap_lines = v3_dot(n, d);
  if (fabs(area) < 1e-6 * a->length * b->length) return false;
  const double s = v3_dot(n, v3_cross(d, b->u)) / area, t = v3_dot(n, v3_cross(d, a->u)) / area;
  const v3 on_a = v3_add_scaled(a->p, s, a->u), on_b = v3_add_scaled(b->p, t, b->u);
  const double gap = lean == lean_face ? v3_dot(n, v3_sub(on_b, on_a)) : gap_lines;
  if (gap > p->margin || gap < -p->depth) return false;
  const double over_a = beyond_ends(s, a->length), over_b = beyond_ends(t, b->length);
  const double over = fmax(over_a, over_b), end = 1e-9 * fmin(a->length, b->length);
  bool weak = over > (lean == lean_face ? end : -end);
  if (weak && over > fmax(end, -2 * gap)) return false;
  if (weak && lean != lean_face && gap < 1e-9 * p->size)
    weak = end_tells(a, s, over_a, end, b, n) || end_tells(b, t, over_b, end, a, v3_neg(n));
  if (weak && gap >= -1e-9 * p->size) return false;
  if (gap < -1e-9 * p->size) {
    if (!(p->a.m->closed && p->b.m->closed) && (weak || !from_its_side(p, on_a, n, gap)))
      return false;
    weak = weak || !side_takes(&p->b, on_a, on_b, 0, p->size) ||
           !side_takes(&p->a, on_b, on_a, 0, p->size);
  }
  mesh_pair_add(p, on_a, n, gap, narrow_mix(0x40000000u + a->name, b->name), weak);
  return !weak;
}

static void edge_edge(pair *p, const edge *a, const edge *b) {
  bool found = false;
  v3 flat = {0, 0, 0};
  for (int i = 0; i < a->faces && !found; i++)
    for (int k = 0; k < b->faces && !found; k++) {
      const double cosine = v3_dot(a->normal[i], b->normal[k]);
      const bool solid = p->a.m->closed && p->b.m->closed;
      if (!(solid ? -cosine > same_face : fabs(cosine) > same_face)) continue;
      const v3 n = p->b.m->closed   ? v3_neg(b->normal[k])
                   : p->a.m->closed ? a->normal[i]
                                    : b->normal[k];
      flat = n;
      if (try_edges(p, a, b, n, lean_face)) found = true;
      if (!found && !solid && try_edges(p, a, b, v3_neg(n), lean_face)) found = true;
    }
  const v3 c = v3_cross(a->u, b->u);
  const double sine = v3_norm(c);
  if (sine < parallel * a->length * b->length) return;
  const v3 n = v3_scale(1 / sine, c);
  if (found && fabs(v3_dot(flat, n)) > 1 - 1e-9) return;
  const bool first = v3_dot(n, v3_sub(b->p, a->p)) >= 0;
  if (try_edges(p, a, b, first ? n : v3_neg(n), lean_edge)) return;
  try_edges(p, a, b, first ? v3_neg(n) : n, lean_edge);
}

/* ---- triangles ------------------------------------------------------------------------------ */

static placed place(const side *s, uint32_t t) {
  placed f = {.s = s, .t = t, .n = s->m->normal[t]};
  if (s->still) {
    for (int k = 0; k < 3; k++) f.p[k] = s->m->vertex[s->m->triangle[t][k]];
    return f;
  }
  f.n = side_turn(s, f.n);
  for (int k = 0; k < 3; k++) f.p[k] = side_point(s, s->m->triangle[t][k]);
  return f;
}

/* Least and largest height of a triangle over the plane of another. */
static void heights(const placed *t, const placed *f, double *low, double *high) {
  *low = INFINITY, *high = -INFINITY;
  for (int k = 0; k < 3; k++) {
    const double h = v3_dot(f->n, v3_sub(t->p[k], f->p[0]));
    *low = fmin(*low, h);
    *high = fmax(*high, h);
  }
}

/* Notes where edges of t run through f. */
static void note_crossings(pair *p, const placed *t, const placed *f) {
  for (int k = 0; k < 3 && p->crossings < CROSSINGS; k++) {
    const v3 a = t->p[k], b = t->p[(k + 1) % 3];
    const double ha = v3_dot(f->n, v3_sub(a, f->p[0])), hb = v3_dot(f->n, v3_sub(b, f->p[0]));
    if ((ha > 0) == (hb > 0)) continue;
    const v3 x = v3_add_scaled(a, ha / (ha - hb), v3_sub(b, a));
    bool over = true;
    for (int i = 0; i < 3 && over; i++) {
      const v3 e = v3_sub(f->p[(i + 1) % 3], f->p[i]);
      over = v3_dot(v3_cross(f->n, e), v3_sub(x, f->p[i])) > -1e-9 * p->size * v3_norm(e);
    }
    for (int i = 0; i < p->crossings && over; i++)
      over = v3_norm2(v3_sub(p->crossing[i], x)) > 1e-4 * p->size * p->size;
    if (!over) continue;
    const bool below = f->s->m->closed || v3_dot(f->n, v3_sub(t->s->middle, f->p[0])) > 0;
    const v3 in = v3_sub((ha < 0) == below ? a : b, x);
    const double way = v3_norm(in), most = shallow * p->size;
    p->inside[p->crossings] = v3_add_scaled(x, way > most ? most / way : 1, in);
    p->of_a[p->crossings] = t->s == &p->a;
    p->crossing[p->crossings++] = x;
  }
}

static void triangle_triangle(pair *p, const placed *ta, const placed *tb) {
  double low_a, high_a, low_b, high_b;
  heights(ta, tb, &low_a, &high_a);
  if (low_a > p->reach || high_a < -p->reach) return;
  heights(tb, ta, &low_b, &high_b);
  if (low_b > p->reach || high_b < -p->reach) return;
  const double deep = 0.5 * crossed * p->size;
  if (low_a < -deep && high_a > deep && low_b < -deep && high_b > deep) {
    note_crossings(p, ta, tb);
    note_crossings(p, tb, ta);
  }
  vertices_face(p, ta, tb);
  vertices_face(p, tb, ta);
  edge a, b;
  for (int i = 0; i < 3; i++)
    if (edge_of(ta, i, &a))
      for (int k = 0; k < 3; k++)
        if (edge_of(tb, k, &b)) edge_edge(p, &a, &b);
}

static aabb turned_box(const side *s, const m33 *size, aabb box) {
  const v3 c = v3_scale(0.5, v3_add(box.lo, box.hi)), e = v3_scale(0.5, v3_sub(box.hi, box.lo));
  const v3 at = v3_add(s->at, m33_mul_v3(&s->r, c)), h = m33_mul_v3(size, e);
  return (aabb){v3_sub(at, h), v3_add(at, h)};
}

static v3 middle_of(aabb b) {
  return v3_scale(0.5, v3_add(b.lo, b.hi));
}

static aabb placed_box(const placed *t) {
  return (aabb){v3_min(t->p[0], v3_min(t->p[1], t->p[2])),
                v3_max(t->p[0], v3_max(t->p[1], t->p[2]))};
}

/* All triangles of two leaves; `box` holds that of a, grown by the reach. */
static void leaf_leaf(pair *p, const shape_mesh_node *na, const shape_mesh_node *nb, aabb box) {
  placed tb[MESH_LEAF];
  aabb box_b[MESH_LEAF];
  uint32_t count = 0;
  for (uint32_t k = nb->first; k < nb->first + nb->count; k++) {
    tb[count] = place(&p->b, p->b.m->order[k]);
    box_b[count] = placed_box(tb + count);
    count += aabb_overlap(box, box_b[count]);
  }
  for (uint32_t i = na->first; count && i < na->first + na->count; i++) {
    const placed ta = place(&p->a, p->a.m->order[i]);
    const aabb box_a = aabb_grow(placed_box(&ta), p->reach);
    for (uint32_t k = 0; k < count; k++)
      if (aabb_overlap(box_a, box_b[k])) triangle_triangle(p, &ta, tb + k);
  }
}

/* Walks down both trees together; of two boxes the larger one is opened first. */
static void search(pair *p) {
  m33 size;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) size.m[i][k] = fabs(p->a.r.m[i][k]);
  uint32_t stack[STACK][2];
  int depth = 0;
  stack[depth][0] = stack[depth][1] = 0;
  depth++;
  p->count = 0;
  p->crossings = 0;
  mesh_groups_begin(&p->far, 0.8, p->size, p->margin);
  while (depth > 0) {
    depth--;
    const uint32_t i = stack[depth][0], k = stack[depth][1];
    const shape_mesh_node *na = p->a.m->node + i, *nb = p->b.m->node + k;
    const aabb box = aabb_grow(turned_box(&p->a, &size, na->box), p->reach);
    if (!aabb_overlap(box, nb->box)) continue;
    if (na->count && nb->count) {
      leaf_leaf(p, na, nb, box);
      continue;
    }
    const bool open_a = nb->count || (!na->count && extent(na->box) >= extent(nb->box));
    const uint32_t next[2] = {open_a ? na->first : nb->first, (open_a ? i : k) + 1};
    for (int c = 0; c < 2; c++, depth++) {
      stack[depth][0] = open_a ? next[c] : i;
      stack[depth][1] = open_a ? k : next[c];
    }
  }
}

void narrow_mesh_mesh(const shape *a, const pose *pa, const shape *b, const pose *pb,
                      narrow_sink *sink) {
  const pose place_a = pose_mul(pose_inverse(*pb), *pa);
  pair p;
  p.a = (side){.m = &a->mesh, .r = quat_to_m33(place_a.rotation), .at = place_a.position};
  p.b = (side){.m = &b->mesh, .r = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, .still = true};
  p.a.middle = pose_apply(place_a, middle_of(a->mesh.node[0].box));
  p.b.middle = middle_of(b->mesh.node[0].box);
  const double least = fmin(extent(a->mesh.node[0].box), extent(b->mesh.node[0].box));
  p.size = least;
  p.wanted = sink->margin;
  p.margin = fmax(p.wanted, hair * least);
  p.near = fmax(0.1 * p.margin, 1e-6 * least);
  p.depth = fmin(fmax(p.margin, 0.005 * least), 0.25 * least);
  for (;;) {
    p.reach = fmax(p.margin, p.depth);
    search(&p);
    mesh_pair_drop_beyond(&p);
    const bool told = mesh_pair_take_weak(&p);
    if (p.depth >= least || (mesh_pair_deepest(&p) < 0.5 * p.depth && told)) break;
    p.depth = fmin(4 * p.depth, least);
  }
  if (p.count == 0 && p.far.count == 0 && p.crossings == 0) mesh_pair_find_swallowed(&p);
  mesh_pair_drop_needless(&p);
  mesh_groups all;
  mesh_groups_begin(&all, 0.999, least, sink->margin);
  for (int i = 0; i < p.count; i++)
    if (!p.found[i].dropped && p.found[i].c.gap <= p.wanted) mesh_group_add(&all, &p.found[i].c);
  mesh_groups_deliver(&all, pb->rotation, pb->position, least, sink);
  mesh_groups_share(&p.far, pb->rotation, pb->position, least, sink);
}

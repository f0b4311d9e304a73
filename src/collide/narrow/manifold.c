/* Faces, clipping and thinning. Every clipped corner is known by what made it: a corner of one of
 * the solids, or the crossing of an edge of each; that is its feature, the same whichever of the
 * two faces was the base. */
#include "collide/narrow/manifold.h"

static void face_add(manifold_face *f, const gjk_solid *s, v3 local, uint32_t vertex) {
  f->point[f->count] = v3_add(s->at, m33_mul_v3(&s->r, local));
  f->vertex[f->count++] = vertex;
}

static void face_box(const gjk_solid *s, v3 d, manifold_face *f) {
  const double h[3] = {s->shape->box.half.x, s->shape->box.half.y, s->shape->box.half.z};
  const v3 m = v3_abs(d);
  const int k = m.x >= m.y && m.x >= m.z ? 0 : m.y >= m.z ? 1 : 2, i = (k + 1) % 3, j = (k + 2) % 3;
  const bool up = (&d.x)[k] >= 0;
  static const int corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  for (int c = 0; c < 4; c++) {
    const int *sign = corner[up ? c : 3 - c];
    double p[3];
    p[k] = up ? h[k] : -h[k];
    p[i] = sign[0] * h[i];
    p[j] = sign[1] * h[j];
    face_add(f, s, v3_load(p), (p[0] > 0 ? 1u : 0u) | (p[1] > 0 ? 2u : 0u) | (p[2] > 0 ? 4u : 0u));
  }
  const v3 n = {s->r.m[0][k], s->r.m[1][k], s->r.m[2][k]};
  f->normal = up ? n : v3_neg(n);
}

/* A face with very many corners is thinned evenly. */
static void face_hull(const gjk_solid *s, v3 d, manifold_face *f) {
  const polyhedron *h = &s->shape->hull;
  uint32_t best = 0;
  double most = -2;
  for (uint32_t i = 0; i < h->face_count; i++) {
    const double cosine = v3_dot(d, h->face_normal[i]);
    if (cosine > most) most = cosine, best = i;
  }
  const uint32_t begin = h->face_start[best], n = h->face_start[best + 1] - begin;
  const uint32_t kept = n < MANIFOLD_CORNERS ? n : MANIFOLD_CORNERS;
  for (uint32_t i = 0; i < kept; i++) {
    const uint32_t v = h->face_vertex[begin + (uint32_t)((uint64_t)i * n / kept)];
    face_add(f, s, h->vertex[v], v);
  }
  f->normal = m33_mul_v3(&s->r, h->face_normal[best]);
}

static void face_points(const gjk_solid *s, v3 d, manifold_face *f) {
  const uint32_t n = s->point_count;
  v3 normal = {0, 0, 0};
  if (n == 3)
    normal =
        v3_normalize(v3_cross(v3_sub(s->point[1], s->point[0]), v3_sub(s->point[2], s->point[0])));
  const bool back = v3_dot(normal, d) < 0;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t k = back ? n - 1 - i : i;
    face_add(f, s, s->point[k], k);
  }
  f->normal = back ? v3_neg(normal) : normal;
}

/* Eight fixed corners on a circle, the first one on the x axis. */
static void face_circle(const gjk_solid *s, double radius, double z, v3 normal, manifold_face *f) {
  static const double c = 0.70710678118654752440;
  const double x[MANIFOLD_ROUND] = {1, c, 0, -c, -1, -c, 0, c},
               y[MANIFOLD_ROUND] = {0, c, 1, c, 0, -c, -1, -c};
  for (uint32_t i = 0; i < MANIFOLD_ROUND; i++) {
    const uint32_t k = normal.z > 0 ? i : MANIFOLD_ROUND - 1 - i;
    face_add(f, s, (v3){radius * x[k], radius * y[k], z}, normal.z > 0 ? k : k + MANIFOLD_ROUND);
  }
  f->normal = m33_mul_v3(&s->r, normal);
  f->round = true;
}

static void face_cylinder(const gjk_solid *s, v3 d, manifold_face *f) {
  const double radius = s->shape->cylinder.radius, half = s->shape->cylinder.half;
  const double across = sqrt(d.x * d.x + d.y * d.y);
  if (fabs(d.z) > across) {
    const double up = copysign(1, d.z);
    face_circle(s, radius, up * half, (v3){0, 0, up}, f);
    return;
  }
  const v3 side = {radius * d.x / across, radius * d.y / across, 0};
  face_add(f, s, (v3){side.x, side.y, -half}, 16);
  face_add(f, s, (v3){side.x, side.y, half}, 17);
}

static void face_cone(const gjk_solid *s, v3 d, manifold_face *f) {
  const double radius = s->shape->cone.radius, bottom = s->shape->cone.bottom,
               top = s->shape->cone.top;
  const double across = sqrt(d.x * d.x + d.y * d.y);
  if (-d.z > across) {
    face_circle(s, radius, bottom, (v3){0, 0, -1}, f);
    return;
  }
  face_add(f, s, (v3){0, 0, top}, 16);
  if (across > 0) face_add(f, s, (v3){radius * d.x / across, radius * d.y / across, bottom}, 17);
}

void manifold_face_along(const gjk_solid *s, v3 direction, manifold_face *f) {
  const v3 d = m33_tmul_v3(&s->r, direction);
  f->count = 0;
  f->normal = (v3){0, 0, 0};
  f->round = false;
  if (!s->shape) {
    face_points(s, d, f);
    return;
  }
  switch (s->shape->kind) {
  case SCREE_SHAPE_BOX:
    face_box(s, d, f);
    return;
  case SCREE_SHAPE_HULL:
    face_hull(s, d, f);
    return;
  case SCREE_SHAPE_CYLINDER:
    face_cylinder(s, d, f);
    return;
  case SCREE_SHAPE_CONE:
    face_cone(s, d, f);
    return;
  case SCREE_SHAPE_CAPSULE:
    face_add(f, s, (v3){0, 0, -s->shape->capsule.half}, 0);
    face_add(f, s, (v3){0, 0, s->shape->capsule.half}, 1);
    return;
  default:
    face_add(f, s, s->support(s, d), 0);
  }
}

typedef struct edge_list {
  const gjk_solid *s;
  v3 n; /* own frame */
  double angle, top;
  manifold_edge *edge;
  int count;
} edge_list;

static void edge_add(edge_list *l, v3 p, v3 q, uint32_t name) {
  const v3 e = v3_sub(q, p);
  const double length = v3_norm(e), rise = fabs(v3_dot(l->n, e));
  if (l->count == MANIFOLD_EDGES || rise > l->angle * length ||
      fmax(v3_dot(l->n, p), v3_dot(l->n, q)) < l->top - l->angle * length)
    return;
  const gjk_solid *s = l->s;
  l->edge[l->count++] = (manifold_edge){v3_add(s->at, m33_mul_v3(&s->r, p)),
                                        v3_add(s->at, m33_mul_v3(&s->r, q)), name};
}

static void edges_box(edge_list *l) {
  const double n[3] = {l->n.x, l->n.y, l->n.z};
  const v3 half = l->s->shape->box.half;
  const v3 corner = {copysign(half.x, n[0]), copysign(half.y, n[1]), copysign(half.z, n[2])};
  for (int k = 0; k < 3; k++) {
    v3 p = corner, q = corner;
    (&p.x)[k] = -(&half.x)[k];
    (&q.x)[k] = (&half.x)[k];
    edge_add(l, p, q, 1u + (uint32_t)k);
  }
}

static void edges_hull(edge_list *l) {
  const polyhedron *h = &l->s->shape->hull;
  for (uint32_t i = 0; i < h->edge_count; i++)
    edge_add(l, h->vertex[h->edge[2 * i]], h->vertex[h->edge[2 * i + 1]], i + 1);
}

int manifold_edges_along(const gjk_solid *s, v3 n, double angle, manifold_edge *edge) {
  edge_list l = {.s = s, .n = m33_tmul_v3(&s->r, n), .angle = angle, .edge = edge};
  l.top = v3_dot(l.n, s->support(s, l.n));
  if (!s->shape) {
    for (uint32_t i = 0; i < s->point_count; i++)
      edge_add(&l, s->point[i], s->point[i + 1 < s->point_count ? i + 1 : 0], i + 1);
    return l.count;
  }
  if (s->shape->kind == SCREE_SHAPE_BOX) {
    edges_box(&l);
  } else if (s->shape->kind == SCREE_SHAPE_HULL) {
    edges_hull(&l);
  } else {
    manifold_face f;
    manifold_face_along(s, n, &f);
    if (f.count == 2) edge[l.count++] = (manifold_edge){f.point[0], f.point[1], f.vertex[0] + 1};
  }
  return l.count;
}

/* A corner of the polygon being clipped. `edge` is the edge that leaves it: an edge of the clipped
 * face by its number, or CUT plus the number of the base's side it runs along. */
enum { CUT = 256, CLIP_CORNERS = 2 * MANIFOLD_CORNERS };
typedef struct clip_corner {
  v3 point;
  double height;
  uint32_t base_id, other_id; /* numbers of the features that meet here; 0: the face itself */
  uint32_t edge;
} clip_corner;

/* An edge by its two end corners, whichever way round; corner i alone is i + 1. */
static uint32_t edge_id(const manifold_face *f, uint32_t i) {
  const uint32_t p = f->vertex[i], q = f->vertex[(int)i + 1 < f->count ? i + 1 : 0];
  return 0x80000000u | (p < q ? p << 15 | q : q << 15 | p);
}

static clip_corner clip_cross(const manifold_face *base, const manifold_face *other, clip_corner p,
                              clip_corner q, double t, uint32_t side) {
  clip_corner c = {.point = v3_add_scaled(p.point, t, v3_sub(q.point, p.point)),
                   .height = p.height + t * (q.height - p.height),
                   .edge = p.edge};
  if (p.edge < CUT) {
    c.base_id = edge_id(base, side);
    c.other_id = edge_id(other, p.edge);
  } else { /* two sides of the base meet: one of its corners */
    const uint32_t first = p.edge - CUT;
    const uint32_t corner = (int)first + 1 == base->count && side == 0   ? 0
                            : (int)side + 1 == base->count && first == 0 ? 0
                            : first > side                               ? first
                                                                         : side;
    c.base_id = base->vertex[corner] + 1;
  }
  return c;
}

/* One side of the base, Sutherland and Hodgman. An edge (two corners) is a path, not a loop. What
 * lies on the side but for rounding is inside: edges that coincide must not vanish. */
static int clip_side(const manifold_face *base, const manifold_face *other, uint32_t side,
                     v3 origin, v3 inward, const clip_corner *in, int n, clip_corner *out) {
  int m = 0;
  const bool loop = other->count > 2;
  const double on = -1e-12 * v3_norm2(inward);
  for (int i = 0; i < n && m + 2 <= CLIP_CORNERS; i++) {
    const clip_corner p = in[i];
    const double dp = v3_dot(inward, v3_sub(p.point, origin));
    if (!loop && i + 1 == n) {
      if (dp >= on) out[m++] = p;
      break;
    }
    const clip_corner q = in[i + 1 < n ? i + 1 : 0];
    const double dq = v3_dot(inward, v3_sub(q.point, origin));
    if (dp >= on) out[m++] = p;
    if ((dp >= on) != (dq >= on)) {
      clip_corner c = clip_cross(base, other, p, q, fmax(0, fmin(1, dp / (dp - dq))), side);
      if (dp >= on) c.edge = CUT + side; /* from here the border follows the base's side */
      out[m++] = c;
    }
  }
  return m;
}

int manifold_clip(const manifold_face *base, const manifold_face *other, bool swapped,
                  double radius_a, double radius_b, contact_point *out) {
  clip_corner buffer[2][CLIP_CORNERS];
  clip_corner *from = buffer[0], *to = buffer[1];
  int n = other->count;
  for (int i = 0; i < n; i++)
    from[i] = (clip_corner){.point = other->point[i],
                            .height = v3_dot(base->normal, v3_sub(other->point[i], base->point[0])),
                            .other_id = other->vertex[i] + 1,
                            .edge = (uint32_t)i};
  for (int i = 0; i < base->count && n > 0; i++) {
    const v3 p = base->point[i], q = base->point[i + 1 < base->count ? i + 1 : 0];
    n = clip_side(base, other, (uint32_t)i, p, v3_cross(base->normal, v3_sub(q, p)), from, n, to);
    clip_corner *t = from;
    from = to;
    to = t;
  }
  const double radii = radius_a + radius_b;
  for (int i = 0; i < n; i++) {
    const clip_corner c = from[i];
    const v3 foot = v3_add_scaled(c.point, -c.height, base->normal);
    contact_point *o = out + i;
    o->normal = swapped ? v3_neg(base->normal) : base->normal;
    o->gap = c.height - radii;
    o->point_a = v3_add_scaled(swapped ? c.point : foot, radius_a, o->normal);
    o->point_b = v3_add_scaled(o->point_a, o->gap, o->normal);
    o->feature = swapped ? narrow_mix(c.other_id, c.base_id) : narrow_mix(c.base_id, c.other_id);
  }
  return n;
}

/* As a part of the width of a manifold. */
static const double slow_part = 0.1;

static void contact_swap(contact_point *c, int i, int j) {
  const contact_point t = c[i];
  c[i] = c[j];
  c[j] = t;
}

/* Keeps at most four of the contacts: the deepest and those that span the widest. */
static int thin(contact_point *c, int count) {
  if (count <= 4) return count;
  const v3 n = c[0].normal;
  int best = 0;
  for (int i = 1; i < count; i++)
    if (c[i].gap < c[best].gap) best = i;
  contact_swap(c, 0, best);
  double most = -1;
  for (int i = 1; i < count; i++) {
    const double d = v3_norm2(v3_sub(c[i].point_a, c[0].point_a));
    if (d > most) most = d, best = i;
  }
  contact_swap(c, 1, best);
  /* The widest triangle on either side of the line through the first two. */
  const v3 line = v3_sub(c[1].point_a, c[0].point_a);
  double left = 0, right = 0;
  int at_left = -1, at_right = -1;
  for (int i = 2; i < count; i++) {
    const double area = v3_dot(n, v3_cross(line, v3_sub(c[i].point_a, c[0].point_a)));
    if (area > left) left = area, at_left = i;
    if (area < right) right = area, at_right = i;
  }
  int kept = 2;
  if (at_left >= 0) {
    if (at_right == kept) at_right = at_left;
    contact_swap(c, kept++, at_left);
  }
  if (at_right >= 0) contact_swap(c, kept++, at_right);
  return kept;
}

/* Four points hold a body at rest. One that tumbles may turn about two of them and run a corner
 * that was left out deep into the other: where the margin, which grows with the speed, is no longer
 * small against the manifold, all points stay. */
bool manifold_is_slow(const contact_point *c, int count, double margin) {
  double spread = 0.0;
  for (int i = 1; i < count; i++)
    spread = fmax(spread, v3_norm2(v3_sub(c[i].point_a, c[0].point_a)));
  return margin * margin < slow_part * slow_part * spread;
}

void manifold_deliver(contact_point *c, int count, int most, v3 origin, narrow_sink *sink) {
  int n = 0;
  for (int i = 0; i < count; i++)
    if (c[i].gap <= sink->margin) c[n++] = c[i];
  if (most <= 4 && n > 4 && !sink->whole && manifold_is_slow(c, n, sink->margin)) n = thin(c, n);
  for (int i = 0; i < n; i++)
    narrow_add(sink, v3_add(c[i].point_a, origin), c[i].normal, c[i].gap, c[i].feature);
}

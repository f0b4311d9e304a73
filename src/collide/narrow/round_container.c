/* Solids in a round cavity (see shape/round_container.c). In the half-plane (r, z) the wall is a
 * straight line; d is the distance from it (> 0 in the cavity) and s the way along it from the
 * bottom. The solid of a half-plane is the strip beyond the line, cut off at open ends. The nearest
 * point of a solid around a cavity lies in the half-plane of the point itself.
 *
 * A cavity of this kind is convex, so a solid is inside when its outermost points are: corners of a
 * polyhedron, end spheres of a capsule, and for curved solids the points where the support along
 * the wall's outward normal has that very normal's azimuth, found by fixed-point iteration. */
#include "collide/narrow/manifold.h"
#include "collide/narrow/rim.h"

enum { WALL_FACE = 0, WALL_END = 4, WALL_RIM = 8, WALL_TOP = 16 };

typedef struct wall {
  double nr, nz;       /* inward normal of the line */
  double tr, tz;       /* unit along it, upwards */
  double bottom, half; /* radius at the bottom, half height */
  double length, top;
  bool open_bottom, open_top;
} wall;

static wall wall_of(const shape *b) {
  const double rb = b->round_container.bottom, rt = b->round_container.top,
               half = b->round_container.half,
               length = sqrt((rt - rb) * (rt - rb) + 4 * half * half);
  return (wall){-2 * half / length,
                (rt - rb) / length,
                (rt - rb) / length,
                2 * half / length,
                rb,
                half,
                length,
                rt,
                b->round_container.open & SCREE_OPEN_BOTTOM,
                b->round_container.open & SCREE_OPEN_TOP};
}

/* Nearest point of the solid at (r, z): distance, normal towards the cavity; false when a closed
 * end is nearer, which is looked at apart. */
static bool wall_near(const wall *w, double r, double z, double *d, double *nr, double *nz,
                      uint32_t *feature) {
  const double dr = r - w->bottom, dz = z + w->half;
  const double off = w->nr * dr + w->nz * dz, s = w->tr * dr + w->tz * dz;
  const double over = w->open_top ? z - w->half : -INFINITY,
               under = w->open_bottom ? -w->half - z : -INFINITY;
  if (off <= 0 && over <= 0 && under <= 0) { /* inside the material: out by the shortest way */
    *d = off, *nr = w->nr, *nz = w->nz, *feature = WALL_FACE;
    if (over > *d) *d = over, *nr = 0, *nz = 1, *feature = WALL_TOP;
    if (under > *d) *d = under, *nr = 0, *nz = -1, *feature = WALL_TOP + 1;
    return true;
  }
  if (off > 0 && s >= 0 && s <= w->length) {
    *d = off, *nr = w->nr, *nz = w->nz, *feature = WALL_FACE;
    return true;
  }
  if (over > 0 && r >= w->top) {
    *d = over, *nr = 0, *nz = 1, *feature = WALL_TOP;
    return true;
  }
  if (under > 0 && r >= w->bottom) {
    *d = under, *nr = 0, *nz = -1, *feature = WALL_TOP + 1;
    return true;
  }
  const bool upper = s > 0.5 * w->length;
  if (!(upper ? w->open_top : w->open_bottom)) {
    /* Beyond a closed end: only material that lies deeper than that end remains. */
    if (off > 0) return false;
    *d = off, *nr = w->nr, *nz = w->nz, *feature = WALL_FACE;
    return true;
  }
  const double er = r - (upper ? w->top : w->bottom), ez = z - (upper ? w->half : -w->half);
  *d = sqrt(er * er + ez * ez);
  if (!(*d > 0)) return false;
  *nr = er / *d, *nz = ez / *d;
  *feature = WALL_RIM + (upper ? 4u : 0u);
  return true;
}

/* A ball against wall and rims; with `around` also at 120 degrees to either side, so that a ball
 * that fills a funnel's throat is held from all sides. */
static void wall_ball(const wall *w, const pose *pb, v3 x, double radius, bool around, uint32_t id,
                      narrow_sink *sink) {
  const double r = sqrt(x.x * x.x + x.y * x.y);
  double d, nr, nz;
  uint32_t feature;
  if (!wall_near(w, r, x.z, &d, &nr, &nz, &feature)) return;
  if (d - radius > sink->margin) return;
  const double c = r > 0 ? x.x / r : 1, s = r > 0 ? x.y / r : 0;
  v3 out = v3_neg(quat_rotate(pb->rotation, (v3){nr * c, nr * s, nz}));
  narrow_add(sink, v3_add_scaled(pose_apply(*pb, x), radius, out), out, d - radius,
             id << 8 | feature);
  if (!around || feature >= WALL_TOP) return;
  for (int side = 1; side <= 2; side++) {
    const double ct = -0.5, st = side == 1 ? 0.86602540378443864676 : -0.86602540378443864676;
    const double cs = c * ct - s * st, sn = s * ct + c * st;
    v3 n;
    double far;
    if (feature < WALL_RIM) { /* the plane that touches the wall at that azimuth */
      far = w->nr * (r * ct - w->bottom) + w->nz * (x.z + w->half);
      n = (v3){w->nr * cs, w->nr * sn, w->nz};
    } else {
      const double rim = feature >= WALL_RIM + 4 ? w->top : w->bottom;
      const v3 e = {x.x - rim * cs, x.y - rim * sn,
                    x.z - (feature >= WALL_RIM + 4 ? w->half : -w->half)};
      far = v3_norm(e);
      if (!(far > 0)) continue;
      n = v3_scale(1 / far, e);
    }
    if (far - radius > sink->margin) continue;
    out = v3_neg(quat_rotate(pb->rotation, n));
    narrow_add(sink, v3_add_scaled(pose_apply(*pb, x), radius, out), out, far - radius,
               id << 8 | (feature + (uint32_t)side));
  }
}

static void wall_ends(const shape *a, const pose *pa, const wall *w, const pose *pb,
                      narrow_sink *sink) {
  for (int i = 0; i < 2; i++) {
    if (i ? w->open_top : w->open_bottom) continue;
    const v3 n = quat_rotate(pb->rotation, (v3){0, 0, i ? -1 : 1});
    narrow_convex_plane(a, pa, n, v3_dot(n, pb->position) - w->half, WALL_END + (uint32_t)i, sink);
  }
}

void narrow_sphere_round_container(const shape *a, const pose *pa, const shape *b, const pose *pb,
                                   narrow_sink *sink) {
  const wall w = wall_of(b);
  wall_ball(&w, pb, pose_apply_inverse(*pb, pa->position), a->sphere.radius, true, 0, sink);
  wall_ends(a, pa, &w, pb, sink);
}

/* A curved piece of a solid in the container's frame: its point farthest along a direction. */
typedef struct piece {
  gjk_solid solid;
  int end; /* cylinder: rim at -1 or +1; cone: rim; ellipsoid: all of it */
} piece;

static v3 piece_support(const piece *p, v3 direction) {
  const shape *s = p->solid.shape;
  if (s->kind == SCREE_SHAPE_ELLIPSOID) return gjk_support(&p->solid, direction);
  const v3 d = m33_tmul_v3(&p->solid.r, direction);
  const double across = sqrt(d.x * d.x + d.y * d.y);
  const double radius = s->kind == SCREE_SHAPE_CONE ? s->cone.radius : s->cylinder.radius;
  const double z = s->kind == SCREE_SHAPE_CONE ? s->cone.bottom : p->end * s->cylinder.half;
  const double k = across > 0 ? radius / across : 0;
  return v3_add(p->solid.at, m33_mul_v3(&p->solid.r, (v3){k * d.x, k * d.y, z}));
}

/* Local maxima of the way out, from starts all around; those found before are not added again. */
static void wall_piece(const wall *w, const pose *pb, const piece *p, uint32_t id,
                       narrow_sink *sink) {
  enum { STARTS = 6 };
  v3 found[STARTS];
  int count = 0;
  for (uint32_t start = 0; start < STARTS; start++) {
    const double phi = 6.283185307179586 / STARTS * start;
    double c = cos(phi), s = sin(phi);
    v3 x = p->solid.at;
    for (int iteration = 0; iteration < 300; iteration++) {
      x = piece_support(p, (v3){-w->nr * c, -w->nr * s, -w->nz});
      const double r = sqrt(x.x * x.x + x.y * x.y);
      if (!(r > 0)) break;
      const double dc = x.x / r - c, ds = x.y / r - s;
      c = x.x / r, s = x.y / r;
      if (dc * dc + ds * ds < 1e-20) break;
    }
    bool known = false;
    for (int k = 0; k < count; k++)
      known |= v3_norm2(v3_sub(found[k], x)) < 1e-6 * p->solid.size * p->solid.size;
    if (known) continue;
    found[count++] = x;
    wall_ball(w, pb, x, 0, false, id + start, sink);
  }
}

static void wall_corners(const wall *w, const pose *pb, const gjk_solid *s, narrow_sink *sink) {
  if (s->shape->kind == SCREE_SHAPE_MESH) {
    const shape_mesh *m = &s->shape->mesh;
    for (uint32_t i = 0; i < m->vertex_count; i++)
      if (m->vertex_face[i] != UINT32_MAX && !m->vertex_flat[i])
        wall_ball(w, pb, v3_add(s->at, m33_mul_v3(&s->r, m->vertex[i])), 0, false, i + 1, sink);
    return;
  }
  if (s->shape->kind == SCREE_SHAPE_HULL) {
    const polyhedron *h = &s->shape->hull;
    for (uint32_t i = 0; i < h->vertex_count; i++)
      wall_ball(w, pb, v3_add(s->at, m33_mul_v3(&s->r, h->vertex[i])), 0, false, i + 1, sink);
    return;
  }
  const v3 h = s->shape->box.half;
  for (uint32_t i = 0; i < 8; i++) {
    const v3 x = {i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z};
    wall_ball(w, pb, v3_add(s->at, m33_mul_v3(&s->r, x)), 0, false, i + 1, sink);
  }
}

static void wall_capsule(const wall *w, const pose *pb, const gjk_solid *s, narrow_sink *sink) {
  for (uint32_t i = 0; i < 2; i++) {
    const v3 end = {0, 0, i ? s->shape->capsule.half : -s->shape->capsule.half};
    wall_ball(w, pb, v3_add(s->at, m33_mul_v3(&s->r, end)), s->round, true, i + 1, sink);
  }
}

void narrow_convex_round_container(const shape *a, const pose *pa, const shape *b, const pose *pb,
                                   narrow_sink *sink) {
  const wall w = wall_of(b);
  const v3 at = pose_apply_inverse(*pb, pa->position);
  const double r = sqrt(at.x * at.x + at.y * at.y);
  wall_ends(a, pa, &w, pb, sink);
  if (w.nr * (r - w.bottom) + w.nz * (at.z + w.half) > a->size + sink->margin) return;
  const piece p = {gjk_solid_shape(a, at, quat_mul(quat_conj(pb->rotation), pa->rotation)), 1};
  piece q = p;
  switch (a->kind) {
  case SCREE_SHAPE_CAPSULE:
    wall_capsule(&w, pb, &p.solid, sink);
    break;
  case SCREE_SHAPE_CYLINDER:
    q.end = -1;
    wall_piece(&w, pb, &q, 17, sink);
    wall_piece(&w, pb, &p, 1, sink);
    break;
  case SCREE_SHAPE_CONE:
    wall_ball(&w, pb, v3_add(at, m33_mul_v3(&p.solid.r, (v3){0, 0, a->cone.top})), 0, false, 17,
              sink);
    wall_piece(&w, pb, &p, 1, sink);
    break;
  case SCREE_SHAPE_ELLIPSOID:
    wall_piece(&w, pb, &p, 1, sink);
    break;
  default:
    wall_corners(&w, pb, &p.solid, sink);
  }
  if (w.open_top) narrow_convex_rim(a, pa, b, pb, true, sink);
  if (w.open_bottom) narrow_convex_rim(a, pa, b, pb, false, sink);
}

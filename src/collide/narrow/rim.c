/* Where a round cavity opens, its material has an edge that a long solid can lie over without any
 * corner of it touching. The material beyond the plane that touches the wall at azimuth phi is a
 * convex wedge, and part of the material:
 *
 *        seen from above            in the half-plane (r, z)
 *          ____|____ wedge           rim ________ far
 *         (  phi                        /        |
 *                                      /_________|
 *
 * Its contact with the solid has an azimuth of its own; where that agrees with phi the contact is
 * one with the round rim itself. Fixed-point iteration, from a few starts. */
#include "collide/narrow/rim.h"

static const uint32_t wedge_start[7] = {0, 4, 8, 12, 16, 20, 24};
static const uint32_t wedge_vertex[24] = {0, 1, 2, 3, 7, 6, 5, 4, 0, 4, 5, 1,
                                          1, 5, 6, 2, 2, 6, 7, 3, 3, 7, 4, 0};
static const uint32_t wedge_edge[24] = {0, 1, 1, 2, 2, 3, 3, 0, 4, 5, 5, 6,
                                        6, 7, 7, 4, 0, 4, 1, 5, 2, 6, 3, 7};
static const uint32_t wedge_edge_face[24] = {0, 2, 0, 3, 0, 4, 0, 5, 1, 2, 1, 3,
                                             1, 4, 1, 5, 2, 5, 2, 3, 3, 4, 4, 5};

typedef struct wedge {
  shape shape;
  v3 vertex[8], normal[6];
  double offset[6];
} wedge;

/* In a frame turned to the azimuth: x outwards, y along the wall, z up. Reaches `far` and `wide`.
 */
static void wedge_init(wedge *w, const shape *b, double far, double wide) {
  const double rb = b->round_container.bottom, rt = b->round_container.top,
               half = b->round_container.half;
  const double r[4] = {rb, far, far, rt}, z[4] = {-half, -half, half, half};
  for (int i = 0; i < 8; i++) w->vertex[i] = (v3){r[i % 4], i < 4 ? -wide : wide, z[i % 4]};
  for (int f = 0; f < 6; f++) {
    const uint32_t *v = wedge_vertex + 4 * f;
    w->normal[f] = v3_normalize(v3_cross(v3_sub(w->vertex[v[1]], w->vertex[v[0]]),
                                         v3_sub(w->vertex[v[2]], w->vertex[v[0]])));
    w->offset[f] = v3_dot(w->normal[f], w->vertex[v[0]]);
  }
  w->shape = (shape){.kind = SCREE_SHAPE_HULL};
  w->shape.hull = (polyhedron){.vertex = w->vertex,
                               .face_start = wedge_start,
                               .face_vertex = wedge_vertex,
                               .face_normal = w->normal,
                               .face_offset = w->offset,
                               .edge = wedge_edge,
                               .edge_face = wedge_edge_face,
                               .vertex_count = 8,
                               .face_count = 6,
                               .edge_count = 12};
  for (int i = 0; i < 8; i++) w->shape.size = fmax(w->shape.size, v3_norm(w->vertex[i]));
}

static bool rim_known(const narrow_sink *sink, const contact_point *c, double size) {
  for (int i = 0; i < sink->count; i++)
    if (v3_dot(sink->out[i].normal, c->normal) > 1 - 1e-6 &&
        v3_norm2(v3_sub(sink->out[i].point_b, c->point_b)) < 1e-8 * size * size)
      return true;
  return false;
}

/* Azimuth of the deepest contact with the wedge at phi; the contacts are left in c. */
static int rim_collide(const shape *a, const pose *pa, const wedge *w, const pose *pb, double phi,
                       double margin, contact_point *c, double *azimuth) {
  const pose turn = {{0, 0, 0}, {cos(0.5 * phi), 0, 0, sin(0.5 * phi)}};
  const int n =
      narrow_collide(a, *pa, &w->shape, pose_mul(*pb, turn), margin, c, CONTACT_POINT_MAX);
  int best = 0;
  for (int i = 1; i < n; i++)
    if (c[i].gap < c[best].gap) best = i;
  if (n > 0) {
    const v3 x = pose_apply_inverse(*pb, c[best].point_b);
    *azimuth = atan2(x.y, x.x);
  }
  return n;
}

void narrow_convex_rim(const shape *a, const pose *pa, const shape *b, const pose *pb, bool top,
                       narrow_sink *sink) {
  const v3 x = pose_apply_inverse(*pb, pa->position);
  const double rim = top ? b->round_container.top : b->round_container.bottom,
               z = top ? b->round_container.half : -b->round_container.half,
               r = sqrt(x.x * x.x + x.y * x.y), reach = a->size + sink->margin;
  if (hypot(r - rim, x.z - z) > reach) return;
  const double middle = atan2(x.y, x.x), side = rim > reach ? 0.7 * asin(reach / rim) : 2.0;
  const double start[4] = {middle, middle + side, middle - side, middle + 3.141592653589793};
  const int starts = rim > 2 * reach ? 3 : 4;
  const double far = fmax(b->round_container.bottom, b->round_container.top) + 4 * reach;
  wedge w;
  wedge_init(&w, b, far, 4 * reach + rim);
  const v3 up = quat_rotate(pb->rotation, (v3){0, 0, 1});
  for (int k = 0; k < starts; k++) {
    contact_point c[CONTACT_POINT_MAX];
    double phi = start[k];
    int n = 0;
    for (int iteration = 0; iteration < 40; iteration++) {
      double next = phi;
      n = rim_collide(a, pa, &w, pb, phi, sink->margin + 2 * a->size, c, &next);
      const double step = remainder(next - phi, 6.283185307179586);
      if (n == 0 || fabs(step) < 1e-8) break;
      phi += step;
    }
    /* The wall itself and corners over the end's plane are found without the rim. */
    const double steep = fabs(w.normal[5].z);
    for (int i = 0; i < n; i++) {
      const bool wall = fabs(fabs(v3_dot(c[i].normal, up)) - steep) < 1e-9;
      if (!wall && c[i].gap <= sink->margin && !rim_known(sink, c + i, a->size))
        narrow_add(sink, c[i].point_a, c[i].normal, c[i].gap,
                   narrow_mix(0x40000000u + (uint32_t)(4 * k + top), c[i].feature));
    }
  }
}

/* Solids in a box-shaped cavity (see shape/box_container.c). A closed end is a half-space. Each of
 * the four sides is a block without end that stops at the open ends:
 *
 *       cavity   | block          u: distance from the side, > 0 in the cavity
 *      u > 0     | u < 0          w: height over an open end, > 0 beyond it
 *      __________|                the nearest point lies on the side, on the top of the block,
 *                                 or on the rim between them                                 */
#include "collide/narrow/narrow.h"

enum { SIDE_FACE = 1, SIDE_RIM = 8, SIDE_TOP = 16, END_FACE = 32 };

static double open_height(const shape *b, double z, double *up) {
  const double half = b->box_container.half.z;
  double w = -INFINITY;
  *up = 1;
  if (b->box_container.open & SCREE_OPEN_TOP) w = z - half;
  if ((b->box_container.open & SCREE_OPEN_BOTTOM) && -half - z > w) w = -half - z, *up = -1;
  return w;
}

void narrow_sphere_box_container(const shape *a, const pose *pa, const shape *b, const pose *pb,
                                 narrow_sink *sink) {
  const v3 h = b->box_container.half, x = pose_apply_inverse(*pb, pa->position);
  const double half[2] = {h.x, h.y}, p[2] = {x.x, x.y}, radius = a->sphere.radius;
  double up;
  const double w = open_height(b, x.z, &up);
  bool top = false;
  for (int i = 0; i < 4; i++) {
    const int k = i / 2;
    const double sign = i & 1 ? 1 : -1, u = half[k] - sign * p[k];
    const bool beside = fabs(p[1 - k]) <= half[1 - k];
    double n[3] = {0, 0, 0}, d; /* from the block to the sphere */
    uint32_t feature = (uint32_t)i;
    if (u > 0 && w > 0) {
      if (!beside) continue; /* this rim is buried in the next block */
      d = sqrt(u * u + w * w);
      n[k] = -sign * u / d;
      n[2] = up * w / d;
      feature += SIDE_RIM;
    } else if (w > u) {
      if (top) continue;
      top = true;
      d = w;
      n[2] = up;
      feature = SIDE_TOP;
    } else {
      d = u;
      n[k] = -sign;
      feature += SIDE_FACE;
    }
    const v3 out = v3_neg(quat_rotate(pb->rotation, v3_load(n)));
    narrow_add(sink, v3_add_scaled(pa->position, radius, out), out, d - radius, feature);
  }
  for (int i = 0; i < 2; i++) {
    if (b->box_container.open & (i ? SCREE_OPEN_TOP : SCREE_OPEN_BOTTOM)) continue;
    const double sign = i ? 1 : -1;
    const v3 out = quat_rotate(pb->rotation, (v3){0, 0, sign});
    narrow_add(sink, v3_add_scaled(pa->position, radius, out), out, h.z - sign * x.z - radius,
               END_FACE + (uint32_t)i);
  }
}

/* The part of a side block that a solid of this size can reach, as a box. Sides along x have the
 * corners; those along y fit between them. */
static void side_block(const shape *b, int i, v3 x, double reach, shape *block, v3 *at) {
  const v3 h = b->box_container.half;
  const int k = i / 2;
  const double sign = i & 1 ? 1 : -1, thick = 2 * reach + fabs((&x.x)[k]);
  const double low = b->box_container.open & SCREE_OPEN_BOTTOM ? -h.z : fmin(-h.z, x.z) - 2 * reach;
  const double high = b->box_container.open & SCREE_OPEN_TOP ? h.z : fmax(h.z, x.z) + 2 * reach;
  double half[3], p[3];
  half[k] = 0.5 * thick;
  p[k] = sign * ((&h.x)[k] + 0.5 * thick);
  half[1 - k] = k == 0 ? fmax(h.y, fabs(x.y)) + 2 * reach : h.x;
  p[1 - k] = 0;
  half[2] = 0.5 * (high - low);
  p[2] = 0.5 * (high + low);
  *block = (shape){.kind = SCREE_SHAPE_BOX};
  block->box.half = v3_load(half);
  block->size = v3_norm(block->box.half);
  *at = v3_load(p);
}

void narrow_convex_box_container(const shape *a, const pose *pa, const shape *b, const pose *pb,
                                 narrow_sink *sink) {
  const v3 h = b->box_container.half, x = pose_apply_inverse(*pb, pa->position);
  const double reach = a->size + sink->margin;
  double up;
  const bool at_rim = open_height(b, x.z, &up) + reach > 0;
  for (int i = 0; i < 4; i++) {
    const double sign = i & 1 ? 1 : -1;
    const v3 in = i / 2 ? (v3){0, -sign, 0} : (v3){-sign, 0, 0};
    if (!at_rim) {
      const v3 n = quat_rotate(pb->rotation, in);
      narrow_convex_plane(a, pa, n, v3_dot(n, pb->position) - (i / 2 ? h.y : h.x),
                          SIDE_FACE + (uint32_t)i, sink);
      continue;
    }
    shape block;
    v3 at;
    side_block(b, i, x, reach, &block, &at);
    contact_point c[CONTACT_POINT_MAX];
    const int n = narrow_collide_whole(a, *pa, &block, (pose){pose_apply(*pb, at), pb->rotation},
                                       sink->margin, sink->whole, c, CONTACT_POINT_MAX);
    for (int k = 0; k < n; k++)
      narrow_add(sink, c[k].point_a, c[k].normal, c[k].gap,
                 narrow_mix((uint32_t)i + 1, c[k].feature));
  }
  for (int i = 0; i < 2; i++) {
    if (b->box_container.open & (i ? SCREE_OPEN_TOP : SCREE_OPEN_BOTTOM)) continue;
    const v3 n = quat_rotate(pb->rotation, (v3){0, 0, i ? -1 : 1});
    narrow_convex_plane(a, pa, n, v3_dot(n, pb->position) - h.z, END_FACE + (uint32_t)i, sink);
  }
}

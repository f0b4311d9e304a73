/* Sphere against what has a closed form for a point: the gap is the point's signed distance less
 * the radius. */
#include "collide/narrow/sphere.h"
#include "collide/narrow/narrow.h"

void narrow_sphere_sphere(const shape *a, const pose *pa, const shape *b, const pose *pb,
                          narrow_sink *sink) {
  contact_point c;
  if (narrow_touch_spheres(pa->position, a->sphere.radius, pb->position, b->sphere.radius,
                           sink->margin, &c))
    narrow_add(sink, c.point_a, c.normal, c.gap, 0);
}

void narrow_sphere_half_space(const shape *a, const pose *pa, const shape *b, const pose *pb,
                              narrow_sink *sink) {
  (void)b;
  contact_point c;
  if (narrow_touch_plane(pa->position, a->sphere.radius, pb->position,
                         quat_rotate(pb->rotation, (v3){0, 0, 1}), sink->margin, &c))
    narrow_add(sink, c.point_a, c.normal, c.gap, 0);
}

void narrow_sphere_convex(const shape *a, const pose *pa, const shape *b, const pose *pb,
                          narrow_sink *sink) {
  const v3 d = v3_sub(pa->position, pb->position);
  const double reach = a->sphere.radius + b->size + sink->margin;
  if (v3_norm2(d) > reach * reach) return;
  const narrow_near near = narrow_near_point(b, quat_rotate_inverse(pb->rotation, d));
  const v3 n = v3_neg(quat_rotate(pb->rotation, near.normal));
  narrow_add(sink, v3_add_scaled(pa->position, a->sphere.radius, n), n,
             near.distance - a->sphere.radius, 0);
}

/* Box: |x| <= half.x, |y| <= half.y, |z| <= half.z. */
#include "base/argument.h"
#include "shape/shape.h"

scree_status scree_shape_create_box(scree_context *context, const double half_sizes[3],
                                    scree_shape **out) {
  ARGUMENT_CHECK(context, half_sizes && out);
  *out = NULL;
  for (int i = 0; i < 3; i++)
    if (shape_check_size(context, "box", "half size", half_sizes[i])) return SCREE_ERROR_ARGUMENT;
  shape *s = shape_new(context, SCREE_SHAPE_BOX);
  if (!s) return SCREE_ERROR_MEMORY;
  s->box.half = v3_load(half_sizes);
  s->size = v3_norm(s->box.half);
  *out = s;
  return SCREE_OK;
}

static v3 box_support(const shape *s, v3 d) {
  const v3 h = s->box.half;
  return (v3){copysign(h.x, d.x), copysign(h.y, d.y), copysign(h.z, d.z)};
}

static aabb box_bounds(const shape *s, pose p) {
  const m33 r = quat_to_m33(p.rotation);
  const v3 e = s->box.half;
  double h[3];
  for (int i = 0; i < 3; i++)
    h[i] = fabs(r.m[i][0]) * e.x + fabs(r.m[i][1]) * e.y + fabs(r.m[i][2]) * e.z;
  return (aabb){v3_sub(p.position, v3_load(h)), v3_add(p.position, v3_load(h))};
}

static bool box_moments(const shape *s, double *volume, v3 *first, double second[6]) {
  const v3 h = s->box.half;
  (void)first;
  *volume = 8.0 * h.x * h.y * h.z;
  second[0] = *volume * h.x * h.x / 3.0;
  second[3] = *volume * h.y * h.y / 3.0;
  second[5] = *volume * h.z * h.z / 3.0;
  return true;
}

const shape_ops shape_box_ops = {
    .name = "box", .bounds = box_bounds, .support = box_support, .moments = box_moments};

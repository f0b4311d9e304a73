/* Half-space: z <= 0 is solid. */
#include "base/argument.h"
#include "shape/shape.h"

scree_status scree_shape_create_half_space(scree_context *context, scree_shape **out) {
  ARGUMENT_CHECK(context, context && out);
  *out = NULL;
  shape *s = shape_new(context, SCREE_SHAPE_HALF_SPACE);
  if (!s) return SCREE_ERROR_MEMORY;
  s->size = INFINITY;
  *out = s;
  return SCREE_OK;
}

/* Infinite, but for a side that faces along an axis: there the surface itself is the bound. */
static aabb half_space_bounds(const shape *s, pose p) {
  (void)s;
  const v3 n = quat_rotate(p.rotation, (v3){0, 0, 1});
  aabb b = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
  if (n.y == 0 && n.z == 0) *(n.x > 0 ? &b.hi.x : &b.lo.x) = p.position.x;
  if (n.x == 0 && n.z == 0) *(n.y > 0 ? &b.hi.y : &b.lo.y) = p.position.y;
  if (n.x == 0 && n.y == 0) *(n.z > 0 ? &b.hi.z : &b.lo.z) = p.position.z;
  return b;
}

const shape_ops shape_half_space_ops = {.name = "half_space", .bounds = half_space_bounds};

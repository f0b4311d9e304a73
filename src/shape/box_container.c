/* The inside of a box: a cavity |x| < half.x, |y| < half.y, |z| < half.z in a block without end. At
 * an open end the block stops with the plane z = ±half.z and the cavity goes on without end. */
#include "base/argument.h"
#include "shape/shape.h"

scree_status scree_shape_create_box_container(scree_context *context, const double half_sizes[3],
                                              unsigned open_ends, scree_shape **out) {
  ARGUMENT_CHECK(context, half_sizes && out);
  *out = NULL;
  for (int i = 0; i < 3; i++)
    if (shape_check_size(context, "box container", "half size", half_sizes[i]))
      return SCREE_ERROR_ARGUMENT;
  if (open_ends > (SCREE_OPEN_BOTTOM | SCREE_OPEN_TOP))
    return context_fail(context, SCREE_ERROR_ARGUMENT,
                        "open ends of a box container are %u; allowed is a sum of "
                        "SCREE_OPEN_BOTTOM and SCREE_OPEN_TOP",
                        open_ends);
  shape *s = shape_new(context, SCREE_SHAPE_BOX_CONTAINER);
  if (!s) return SCREE_ERROR_MEMORY;
  s->box_container.half = v3_load(half_sizes);
  s->box_container.open = open_ends;
  s->size = INFINITY;
  *out = s;
  return SCREE_OK;
}

static aabb box_container_bounds(const shape *s, pose p) {
  (void)s, (void)p;
  return (aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
}

const shape_ops shape_box_container_ops = {.name = "box_container", .bounds = box_container_bounds};

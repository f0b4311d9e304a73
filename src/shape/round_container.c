/* The inside of a cylinder, a cone or a funnel: a cavity around the z axis, |z| < half, whose
 * radius goes linearly from `bottom` to `top`, in a block without end. At an open end the block
 * stops with the plane z = ±half and the cavity goes on without end. */
#include "base/argument.h"
#include "shape/shape.h"

static scree_status round_container_create(scree_context *context, const char *owner, double bottom,
                                           double top, double half_length, unsigned open_ends,
                                           scree_shape **out) {
  if (shape_check_size(context, owner, "half length", half_length)) return SCREE_ERROR_ARGUMENT;
  if (open_ends > (SCREE_OPEN_BOTTOM | SCREE_OPEN_TOP))
    return context_fail(context, SCREE_ERROR_ARGUMENT,
                        "open ends of a %s are %u; allowed is a sum of SCREE_OPEN_BOTTOM and "
                        "SCREE_OPEN_TOP",
                        owner, open_ends);
  if ((bottom == 0 && (open_ends & SCREE_OPEN_BOTTOM)) ||
      (top == 0 && (open_ends & SCREE_OPEN_TOP)))
    return context_fail(context, SCREE_ERROR_ARGUMENT,
                        "an open end of a %s has radius 0; close it or give it a radius", owner);
  shape *s = shape_new(context, SCREE_SHAPE_ROUND_CONTAINER);
  if (!s) return SCREE_ERROR_MEMORY;
  s->round_container.bottom = bottom;
  s->round_container.top = top;
  s->round_container.half = half_length;
  s->round_container.open = open_ends;
  s->size = INFINITY;
  *out = s;
  return SCREE_OK;
}

scree_status scree_shape_create_cylinder_container(scree_context *context, double radius,
                                                   double half_length, unsigned open_ends,
                                                   scree_shape **out) {
  ARGUMENT_CHECK(context, context && out);
  *out = NULL;
  if (shape_check_size(context, "cylinder container", "radius", radius))
    return SCREE_ERROR_ARGUMENT;
  return round_container_create(context, "cylinder container", radius, radius, half_length,
                                open_ends, out);
}

scree_status scree_shape_create_cone_container(scree_context *context, double bottom_radius,
                                               double top_radius, double half_length,
                                               unsigned open_ends, scree_shape **out) {
  ARGUMENT_CHECK(context, context && out);
  *out = NULL;
  if (!(bottom_radius >= 0) || !(top_radius >= 0) || !isfinite(bottom_radius + top_radius) ||
      bottom_radius + top_radius == 0)
    return context_fail(context, SCREE_ERROR_ARGUMENT,
                        "radii of a cone container are %g and %g; they must be finite and not "
                        "negative, and at most one may be 0",
                        bottom_radius, top_radius);
  return round_container_create(context, "cone container", bottom_radius, top_radius, half_length,
                                open_ends, out);
}

static aabb round_container_bounds(const shape *s, pose p) {
  (void)s, (void)p;
  return (aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
}

const shape_ops shape_round_container_ops = {.name = "round_container",
                                             .bounds = round_container_bounds};

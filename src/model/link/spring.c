/* Spring and damper between two points: e = |d| - rest, d = b - a. At d = 0 it has no direction and
 * pushes nowhere. */
#include "model/link/link.h"

static void measure(const world_link *l, const pose *at, link_strain *out) {
  const v3 a = pose_apply(at[0], l->frame[0].position), b = pose_apply(at[1], l->frame[1].position);
  const v3 d = v3_sub(b, a);
  const double length = v3_norm(d);
  const v3 n = length > 0.0 ? v3_scale(1.0 / length, d) : v3_make(0, 0, 0);
  out->strain[0] = length - l->rest;
  v3_store(out->gradient[0], v3_neg(n));
  v3_store(out->gradient[0] + 3, v3_cross(n, v3_sub(a, at[0].position)));
  v3_store(out->gradient[0] + 6, n);
  v3_store(out->gradient[0] + 9, v3_cross(v3_sub(b, at[1].position), n));
}

const link_class link_spring = {.name = "spring", .bodies = 2, .rows = 1, .measure = measure};

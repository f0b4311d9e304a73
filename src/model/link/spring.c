/* Spring and damper between two points: e = |d| - rest, d = b - a. At d = 0 it has no direction and
 * pushes nowhere. */
#include "model/link/link.h"

static void measure(const world_link *l, const pose *at, link_rows *out) {
  const v3 a = pose_apply(at[0], l->frame[0].position), b = pose_apply(at[1], l->frame[1].position);
  const v3 d = v3_sub(b, a);
  const double length = v3_norm(d), e = length - l->rest;
  const v3 n = length > 0.0 ? v3_scale(1.0 / length, d) : v3_make(0, 0, 0);
  link_row *row = &out->row[out->count++];
  row->stress = l->stiffness[0] * e;
  row->stiffness = l->stiffness[0];
  row->damping = l->damping[0];
  out->strain[0] = e;
  out->energy = 0.5 * l->stiffness[0] * e * e;
  v3_store(row->gradient, v3_neg(n));
  v3_store(row->gradient + 3, v3_cross(n, v3_sub(a, at[0].position)));
  v3_store(row->gradient + 6, n);
  v3_store(row->gradient + 9, v3_cross(v3_sub(b, at[1].position), n));
}

static scree_status make(scree_world *w, const scree_link_def *d, world_link *l) {
  const v3 a = v3_load(d->point[0]), b = v3_load(d->point[1]);
  if (!link_not_negative(d->stiffness) || !link_not_negative(d->damping) || !isfinite(d->rest))
    return link_refuse(w, "stiffness and damping must be finite and not negative");
  if (d->stiffness == 0.0 && d->damping == 0.0)
    return link_refuse(w, "a spring needs stiffness or damping above 0");
  l->rest = d->rest < 0.0 ? v3_norm(v3_sub(b, a)) : d->rest;
  l->stiffness[0] = d->stiffness;
  l->damping[0] = d->damping;
  l->frame[0] = link_frame_in(w, l->body[0], (pose){a, quat_identity()});
  l->frame[1] = link_frame_in(w, l->body[1], (pose){b, quat_identity()});
  return SCREE_OK;
}

const link_class link_spring = {
    .name = "spring", .bodies = 2, .rows = 1, .make = make, .measure = measure};

/* Drag on one body, of its mass: a force -c v and a torque -(c/m) I w, against the world. With
 * c = m a it is the part of Rayleigh's damping that goes with mass: a swing of frequency w is
 * damped by the share a/(2 w) of the critical damping, and free motion dies as exp(-a t). Rows
 * without stiffness, three for a body that nothing turns, or six, turns about its principal axes.
 */
#include <string.h>

#include "model/link/link.h"

static void measure(const world_link *l, const pose *at, link_rows *out) {
  memset(out->strain, 0, sizeof out->strain);
  for (int i = 0; i < LINK_STIFF && l->damping[i] > 0.0; i++) {
    link_row *row = &out->row[out->count++];
    const v3 unit = v3_make(i % 3 == 0, i % 3 == 1, i % 3 == 2);
    row->stress = row->stiffness = 0.0;
    row->damping = l->damping[i];
    memset(row->gradient, 0, 6 * sizeof *row->gradient);
    v3_store(row->gradient + (i < 3 ? 0 : 3), i < 3 ? unit : quat_rotate(at[0].rotation, unit));
  }
}

static scree_status make(scree_world *w, const scree_link_def *d, world_link *l) {
  const world_bodies *b = &w->bodies;
  const uint32_t i = l->body[0];
  if (!link_positive(d->damping)) return link_refuse(w, "a drag needs damping above 0");
  if (b->kind[i] != SCREE_BODY_DYNAMIC)
    return link_refuse(w, "a drag acts on a dynamic body; fixed and prescribed ones feel nothing");
  const double rate = d->damping / b->mass[i];
  const double turn[3] = {b->inertia[i].x, b->inertia[i].y, b->inertia[i].z};
  for (int k = 0; k < 3; k++) l->damping[k] = d->damping;
  for (int k = 0; k < 3 && !(b->point && b->point[i]); k++) l->damping[3 + k] = rate * turn[k];
  return SCREE_OK;
}

const link_class link_drag = {
    .name = "drag", .bodies = 1, .rows = 6, .make = make, .measure = measure};

/* Where frames come from: a recording, or a world as it is now. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/argument.h"
#include "model/world.h"
#include "picture/picture.h"

size_t scree_picture_frame_count(const scree_picture *p) {
  if (!p) return 0;
  return p->source.recording ? scree_recording_frame_count(p->source.recording) : 1;
}

scree_status scree_picture_frame_time(const scree_picture *p, size_t frame, double *time) {
  ARGUMENT_CHECK(p ? p->context : NULL, p);
  if (p->source.recording) return scree_recording_get_times(p->source.recording, frame, 1, time);
  *time = scree_world_time(p->source.world);
  return SCREE_OK;
}

scree_status scree_picture_find_time(const scree_picture *p, double time, size_t *frame) {
  ARGUMENT_CHECK(p ? p->context : NULL, p && frame);
  size_t low = 0, high = scree_picture_frame_count(p) - 1;
  double t, u;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    const scree_status status = scree_picture_frame_time(p, middle, &t);
    if (status) return status;
    if (t <= time)
      low = middle;
    else
      high = middle;
  }
  scree_status status = scree_picture_frame_time(p, low, &t);
  if (!status) status = scree_picture_frame_time(p, high, &u);
  if (!status) *frame = fabs(u - time) < fabs(t - time) ? high : low;
  return status;
}

const scree_shape *picture_shape(const scree_picture *p, uint32_t shape) {
  if (p->source.recording) return scree_recording_shape(p->source.recording, shape);
  return shape && shape <= p->source.world->shape_count ? p->source.world->shape[shape - 1] : NULL;
}

scree_status picture_get_body(scree_picture *p, scree_body_id id, scree_recorded_body *body) {
  if (p->source.recording) return scree_recording_get_body(p->source.recording, id, body);
  scree_body_info info;
  const scree_status status = scree_body_get_info(p->source.world, id, &info);
  if (status) return status;
  *body = (scree_recorded_body){.id = id,
                                .shape = p->source.world->bodies.shape_index[id.index],
                                .kind = info.kind,
                                .material = info.material,
                                .mass = info.mass,
                                .diameter = info.diameter};
  return SCREE_OK;
}

static scree_status take_contacts(scree_picture *p, scree_frame *frame) {
  picture_source *s = &p->source;
  const size_t n = s->stepper ? scree_stepper_get_contacts(s->stepper, 0, NULL) : 0;
  const double h = s->world->step;
  if (memory_grow(p->context, &s->contact_bodies, 2 * n + 1, sizeof *s->contact_bodies) ||
      memory_grow(p->context, &s->contacts, 10 * n + 1, sizeof *s->contacts))
    return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++) {
    const scree_contact c = scree_stepper_get_contact(s->stepper, i);
    s->contact_bodies[2 * i] = c.body_a;
    s->contact_bodies[2 * i + 1] = c.body_b;
    for (int k = 0; k < 3; k++) {
      s->contacts[10 * i + (size_t)k] = (float)c.position[k];
      s->contacts[10 * i + 3 + (size_t)k] = (float)c.normal[k];
      s->contacts[10 * i + 6 + (size_t)k] = h > 0.0 ? (float)(c.impulse[k] / h) : 0.0f;
    }
    s->contacts[10 * i + 9] = (float)c.gap;
  }
  frame->contact_count = n;
  frame->contact_bodies = s->contact_bodies;
  frame->contacts = s->contacts;
  return SCREE_OK;
}

scree_status picture_get_frame(scree_picture *p, size_t i, scree_frame *frame) {
  picture_source *s = &p->source;
  if (s->recording) return scree_recording_get_frame(s->recording, i, frame);
  const scree_world *w = s->world;
  const size_t limit = scree_world_body_limit(w);
  *frame = (scree_frame){.time = scree_world_time(w)};
  if (memory_grow(p->context, &s->ids, 3 * limit + 1, sizeof *s->ids) ||
      memory_grow(p->context, &s->poses, 7 * limit + 1, sizeof *s->poses) ||
      memory_grow(p->context, &s->velocities, 6 * limit + 1, sizeof *s->velocities))
    return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < limit; k++) {
    const scree_body_id id = scree_world_body_at(w, k);
    scree_body_state state;
    if (!id.generation || scree_body_get_shown_state(w, id, &state)) continue;
    const size_t n = frame->body_count++;
    s->ids[3 * n] = id.index;
    s->ids[3 * n + 1] = id.generation;
    s->ids[3 * n + 2] = w->bodies.shape_index[k];
    memcpy(s->poses + 7 * n, state.position, sizeof state.position);
    memcpy(s->poses + 7 * n + 3, state.rotation, sizeof state.rotation);
    for (size_t a = 0; a < 3; a++) {
      s->velocities[6 * n + a] = (float)state.velocity[a];
      s->velocities[6 * n + 3 + a] = (float)state.angular[a];
    }
  }
  frame->ids = s->ids;
  frame->poses = s->poses;
  frame->velocities = s->velocities;
  return take_contacts(p, frame);
}

void picture_clear_source(scree_picture *p) {
  memory_free(p->context, p->source.ids);
  memory_free(p->context, p->source.poses);
  memory_free(p->context, p->source.velocities);
  memory_free(p->context, p->source.contact_bodies);
  memory_free(p->context, p->source.contacts);
}

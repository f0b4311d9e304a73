/* See reader.h. */
#include "view/reader.h"

#include <string.h>

#ifdef SCREE_WITH_HDF5

scree_status view_reader_open(view_reader *r, scree_recording *recording, size_t bodies) {
  scree_scene *scene;
  scree_world *world;
  const scree_status status = scree_recording_get_scene(recording, &scene, &world);
  if (status) return status;
  *r = (view_reader){.context = scree_scene_context(scene),
                     .recording = recording,
                     .scene = scene,
                     .world = world,
                     .most = bodies};
  r->cast.context = r->context;
  r->moving = scree_world_dynamic_count(world);
  return view_cast_world(&r->cast, world);
}

void view_reader_close(view_reader *r) {
  if (!r->context) return;
  view_cast_clear(&r->cast);
  memory_free(r->context, r->numbers);
  memory_free(r->context, r->pairs);
  memory_free(r->context, r->number_of);
  memory_free(r->context, r->poses);
  memory_free(r->context, r->velocities);
  *r = (view_reader){0};
}

static scree_status number_body(view_reader *r, const uint32_t *id, uint32_t *number) {
  const scree_body_id body = {id[0], id[1]};
  *number = view_cast_find(&r->cast, body);
  if (*number != UINT32_MAX) return SCREE_OK;
  scree_recorded_body b;
  const scree_status status = scree_recording_get_body(r->recording, body, &b);
  if (status) return status;
  const scree_shape *shape = scree_recording_shape(r->recording, b.shape);
  return view_cast_add(&r->cast,
                       &(view_body){body, b.shape, b.kind, b.material.index, b.mass, b.diameter,
                                    shape && scree_shape_get_kind(shape) == SCREE_SHAPE_SPHERE},
                       number);
}

/* With more than `most` moving bodies only every n-th is shown, chosen by number so that it is the
 * same ones in all frames. */
static bool is_chosen(const view_reader *r, uint32_t number) {
  if (!r->most || r->moving <= r->most || r->cast.body[number].kind != SCREE_BODY_DYNAMIC)
    return true;
  return (uint64_t)number * r->most / r->moving != (uint64_t)(number + 1) * r->most / r->moving;
}

static scree_status make_room(view_reader *r, const scree_frame *f) {
  const size_t n = f->body_count + 1;
  size_t places = 1;
  for (size_t i = 0; i < f->body_count; i++)
    if (f->ids[3 * i] >= places) places = (size_t)f->ids[3 * i] + 1;
  scree_status status = memory_grow(r->context, &r->numbers, n, sizeof *r->numbers);
  if (!status) status = memory_grow(r->context, &r->poses, 7 * n, sizeof *r->poses);
  if (!status) status = memory_grow(r->context, &r->velocities, 6 * n, sizeof *r->velocities);
  if (!status) status = memory_grow(r->context, &r->number_of, places, sizeof *r->number_of);
  if (!status)
    status = memory_grow(r->context, &r->pairs, 2 * f->contact_count + 2, sizeof *r->pairs);
  if (!status) memset(r->number_of, 0, memory_room(r->number_of) * sizeof *r->number_of);
  return status;
}

scree_status view_reader_frame(view_reader *r, size_t i, bool contacts, view_frame *frame) {
  scree_frame f;
  scree_status status = scree_recording_get_frame(r->recording, i, &f);
  if (!status) status = make_room(r, &f);
  if (status) return status;
  size_t count = 0;
  for (size_t k = 0; k < f.body_count; k++) {
    uint32_t number;
    status = number_body(r, &f.ids[3 * k], &number);
    if (status) return status;
    if (!is_chosen(r, number)) continue;
    r->numbers[count] = number;
    r->number_of[f.ids[3 * k]] = number + 1;
    memcpy(&r->poses[7 * count], &f.poses[7 * k], 7 * sizeof *r->poses);
    memcpy(&r->velocities[6 * count], &f.velocities[6 * k], 6 * sizeof *r->velocities);
    count++;
  }
  for (size_t k = 0; k < 2 * f.contact_count; k++) {
    const uint32_t place = f.contact_bodies[k];
    r->pairs[k] = place < memory_room(r->number_of) ? r->number_of[place] - 1U : UINT32_MAX;
  }
  *frame = (view_frame){.index = (uint32_t)i,
                        .time = f.time,
                        .step = (double)f.step,
                        .count = count,
                        .numbers = r->numbers,
                        .poses = r->poses,
                        .velocities = r->velocities,
                        .contact_count = contacts ? f.contact_count : 0,
                        .pairs = r->pairs,
                        .contacts = f.contacts};
  return SCREE_OK;
}

scree_status view_reader_steps(view_reader *r, double **values, size_t *rows) {
  enum { BATCH = 512 };
  *rows = scree_recording_step_count(r->recording);
  *values = memory_new(r->context, *rows * VIEW_STEP_COLUMNS, sizeof **values);
  double *batch = memory_new(r->context, (size_t)BATCH * SCREE_STEP_COLUMNS, sizeof *batch);
  scree_status status = *values && batch ? SCREE_OK : SCREE_ERROR_MEMORY;
  for (size_t first = 0; first < *rows && !status; first += BATCH) {
    const size_t n = *rows - first < BATCH ? *rows - first : BATCH;
    status = scree_recording_get_steps(r->recording, first, n, batch);
    for (size_t i = 0; i < n && !status; i++)
      view_step_row(&batch[i * SCREE_STEP_COLUMNS], &(*values)[(first + i) * VIEW_STEP_COLUMNS]);
  }
  memory_free(r->context, batch);
  if (status) {
    memory_free(r->context, *values);
    *values = NULL;
  }
  return status;
}
#endif

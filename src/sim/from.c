/* Beginning from a recording: dynamic bodies take the states of those of the same name in one of
 * its frames. What is taken becomes a file of the scene (a table of names and states), so that the
 * new recording holds all that its run depends on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "scene/build/build.h"
#include "sim/sim.h"

enum { NUMBERS = 13, NAME = 256 };
static const char header[] = "name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";

/* ---- the table ------------------------------------------------------------------------------ */

static scree_status open_source(const scree_scene *scene, const char *path,
                                scree_recording **recording) {
  char beside[8300];
  scree_status status = scree_recording_open(scene->context, path, recording);
  /* The path is tried as given, then beside the scene. */
  if (status != SCREE_ERROR_IO || !scene_place_from(scene, path, beside, sizeof beside))
    return status;
  return scree_recording_open(scene->context, beside, recording) == SCREE_OK ? SCREE_OK : status;
}

static scree_status find_frame(scree_context *context, scree_recording *recording, const char *path,
                               double time, size_t *frame) {
  const size_t count = scree_recording_frame_count(recording);
  if (!count) return context_fail(context, SCREE_ERROR_INPUT, "%s: it has no frames", path);
  double *times = memory_new(context, count, sizeof *times);
  if (!times) return SCREE_ERROR_MEMORY;
  scree_status status = scree_recording_get_times(recording, 0, count, times);
  *frame = count - 1;
  for (size_t i = 0; i < count && !status && isfinite(time); i++)
    if (fabs(times[i] - time) < fabs(times[*frame] - time)) *frame = i;
  const double slack = 1e-9 + 1e-6 * fabs(times[count - 1]);
  if (!status && isfinite(time) && (time < times[0] - slack || time > times[count - 1] + slack))
    status = context_fail(context, SCREE_ERROR_INPUT, "%s@%g: the recording is from %g to %g s",
                          path, time, times[0], times[count - 1]);
  memory_free(context, times);
  return status;
}

/* Rows of all named bodies that are in the frame and move. */
static scree_status write_table(scree_recording *recording, size_t index, FILE *out) {
  scree_scene *scene;
  scree_world *world;
  scree_frame frame;
  scree_status status = scree_recording_get_scene(recording, &scene, &world);
  if (!status) status = scree_recording_get_frame(recording, index, &frame);
  if (status) return status;
  uint32_t most = 0;
  for (size_t i = 0; i < frame.body_count; i++)
    if (frame.ids[3 * i] > most) most = frame.ids[3 * i];
  uint32_t *row_of = memory_new(scene->context, (size_t)most + 1, sizeof *row_of);
  if (!row_of) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < frame.body_count; i++) row_of[frame.ids[3 * i]] = (uint32_t)i + 1;
  fputs(header, out);
  for (size_t e = 0; e < scene->entry_count; e++) {
    const scene_entry *entry = &scene->entries[e];
    if (!*entry->name || strpbrk(entry->name, ",\n")) continue;
    for (size_t k = 0; k < entry->count; k++) {
      const scree_body_id id = scene->bodies[entry->first + k];
      const uint32_t row = id.index <= most ? row_of[id.index] : 0;
      scree_recorded_body body;
      if (!row || frame.ids[3 * (row - 1) + 1] != id.generation) continue;
      if (scree_recording_get_body(recording, id, &body) || body.kind != SCREE_BODY_DYNAMIC)
        continue;
      char text[40];
      fprintf(out, "%s[%zu]", entry->name, k);
      for (int n = 0; n < NUMBERS; n++) {
        const double x = n < 7 ? frame.poses[7 * (row - 1) + (size_t)n]
                               : (double)frame.velocities[6 * (row - 1) + (size_t)n - 7];
        number_format(text, sizeof text, "%.17g", x);
        fprintf(out, ",%s", text);
      }
      fputc('\n', out);
    }
  }
  memory_free(scene->context, row_of);
  return SCREE_OK;
}

static scree_status make_table(scree_scene *scene, const char *from, const char *name,
                               uint32_t *file) {
  char path[4096], *text = NULL;
  size_t size = 0, frame = 0;
  double time;
  scree_recording *recording = NULL;
  scene_split_from(from, path, sizeof path, &time);
  if (scene->doc.confined)
    return context_fail(scene->context, SCREE_ERROR_INPUT,
                        "from: %s: a scene that is not trusted does not name recordings", from);
  scree_status status = open_source(scene, path, &recording);
  if (!status) status = find_frame(scene->context, recording, path, time, &frame);
  FILE *out = status ? NULL : open_memstream(&text, &size);
  if (!status && !out) status = SCREE_ERROR_MEMORY;
  if (!status) status = write_table(recording, frame, out);
  if (out && fclose(out) != 0 && !status) status = SCREE_ERROR_MEMORY;
  scree_recording_close(recording);
  if (!status) status = scene_add_file(&scene->doc, name, text, size, file);
  free(text);
  return status;
}

/* ---- taking it ------------------------------------------------------------------------------ */

typedef struct taker {
  scree_scene *scene;
  scree_world *world;
  size_t taken, unknown;
  size_t entry; /* of the last row, where the next one mostly belongs */
} taker;

static const scene_entry *find_entry(taker *t, const char *name, size_t length) {
  const scree_scene *s = t->scene;
  for (size_t i = 0; i < s->entry_count; i++) {
    const size_t at = (t->entry + i) % s->entry_count;
    const scene_entry *e = &s->entries[at];
    if (strlen(e->name) != length || strncmp(e->name, name, length) != 0) continue;
    t->entry = at;
    return e;
  }
  return NULL;
}

static scree_status take_row(taker *t, const char *line, const char *end, const char *file) {
  const char *comma = memchr(line, ',', (size_t)(end - line)), *bracket = comma;
  while (bracket && bracket > line && *bracket != '[') bracket--;
  double x[NUMBERS] = {0};
  bool good = bracket && bracket > line;
  const char *at = comma;
  for (int n = 0; n < NUMBERS && good; n++) {
    char *after;
    x[n] = number_read(at + 1, &after);
    good = after > at + 1 && after <= end && (n + 1 < NUMBERS ? *after == ',' : after == end) &&
           isfinite(x[n]);
    at = after;
  }
  if (!good)
    return context_fail(t->scene->context, SCREE_ERROR_INPUT, "%s: a row is damaged: '%.*s'", file,
                        (int)(end - line < 60 ? end - line : 60), line);
  const size_t i = strtoul(bracket + 1, NULL, 10);
  const scene_entry *e = find_entry(t, line, (size_t)(bracket - line));
  scree_body_info info;
  if (!e || i >= e->count) {
    t->unknown++;
    return SCREE_OK;
  }
  const scree_body_id id = t->scene->bodies[e->first + i];
  scree_status status = scree_body_get_info(t->world, id, &info);
  if (status || info.kind != SCREE_BODY_DYNAMIC) return status;
  scree_body_state s;
  memcpy(s.position, x, sizeof s.position);
  memcpy(s.rotation, x + 3, sizeof s.rotation);
  memcpy(s.velocity, x + 7, sizeof s.velocity);
  memcpy(s.angular, x + 10, sizeof s.angular);
  t->taken++;
  return scree_body_set_state(t->world, id, &s);
}

scree_status sim_take_from(scree_scene *scene, scree_world *world, char *remark, size_t size) {
  const char *from = scree_scene_get_settings(scene)->from;
  if (!*from) return SCREE_OK;
  char name[4200];
  snprintf(name, sizeof name, "%s.states", from);
  uint32_t file = UINT32_MAX;
  for (size_t i = 0; i < scene->doc.file_count; i++)
    if (strcmp(scene->doc.files[i].path, name) == 0) file = (uint32_t)i;
  scree_status status = SCREE_OK;
  if (file == UINT32_MAX) status = make_table(scene, from, name, &file);
  if (status) return status;
  taker t = {.scene = scene, .world = world};
  const char *at = scene->doc.files[file].bytes, *end = at + scene->doc.files[file].size;
  for (bool first = true; at < end && !status; first = false) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) stop = end;
    if (!first) status = take_row(&t, at, stop, name);
    at = stop < end ? stop + 1 : end;
  }
  if (status) return status;
  if (!t.taken)
    return context_fail(scene->context, SCREE_ERROR_INPUT,
                        "from: %s: no dynamic body of the scene has the name of one in it (bodies "
                        "need names, and those of emitters have none)",
                        from);
  if (remark)
    snprintf(remark, size,
             "%zu of %zu dynamic bodies begin where they are in %s; %zu of its bodies are not in "
             "the scene",
             t.taken, scree_world_dynamic_count(world), from, t.unknown);
  return SCREE_OK;
}

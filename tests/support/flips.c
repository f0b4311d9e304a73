/* See flips.h. */
#include "tests/support/flips.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc.h"
#include "scree/scree.h"

static const char scene_text[] =
    "step: 5 ms\nduration: 0.4 s\nrecording: {every: 10 ms, checkpoint: 1000 s}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {half_space: {}}}\n"
    "  - {name: ball, lattice: {count: [3, 3, 3], pitch: [0.21, 0.21, 0.21], origin: [0, 0, 0.11]},"
    " shape: {sphere: {radius: 0.1}}}\n"
    "probes: [{name: energy, kind: energy}, {name: gate, kind: plane, point: [0, 0, 0.2]}]\n";

static const char *const ends[] = {".h5", ".h5.checkpoint", ".h5.checkpoint.old", "_energy.csv",
                                   "_gate.csv"};
enum { FILES = 5 };

/* One number for all that a reader gets. */
static uint32_t content(scree_context *context, const char *path) {
  scree_recording *r;
  uint32_t sum = 0;
  if (scree_recording_open(context, path, &r)) return 0;
  scree_scene *scene;
  if (!scree_recording_get_scene(r, &scene, NULL))
    for (size_t i = 0; i < scree_scene_file_count(scene); i++) {
      size_t size;
      const char *bytes = scree_scene_file_bytes(scene, i, &size);
      sum = crc32c(sum, bytes, size);
    }
  for (size_t i = 0; i < scree_recording_frame_count(r); i++) {
    scree_frame f;
    if (scree_recording_get_frame(r, i, &f)) continue;
    sum = crc32c(sum, &f.time, sizeof f.time);
    sum = crc32c(sum, f.ids, 12 * f.body_count);
    sum = crc32c(sum, f.poses, 56 * f.body_count);
    sum = crc32c(sum, f.velocities, 24 * f.body_count);
    sum = crc32c(sum, f.contact_bodies, 8 * f.contact_count);
    sum = crc32c(sum, f.contacts, 40 * f.contact_count);
    for (size_t k = 0; k < f.body_count; k++) {
      scree_recorded_body b;
      if (!scree_recording_get_body(r, (scree_body_id){f.ids[3 * k], f.ids[3 * k + 1]}, &b))
        sum = crc32c(sum, &b.mass, sizeof b.mass);
    }
  }
  for (size_t i = 0; i < scree_recording_step_count(r); i++) {
    double row[SCREE_STEP_COLUMNS];
    if (!scree_recording_get_steps(r, i, 1, row)) sum = crc32c(sum, row, sizeof row);
  }
  scree_recording_close(r);
  return sum;
}

static int make(scree_context *context, const char *path) {
  scree_scene *scene;
  scree_sim *sim = NULL;
  scree_sim_def def = scree_sim_def_default();
  def.out = path;
  def.replace = true;
  if (scree_scene_load_text(context, "scene.yaml", scene_text, strlen(scene_text), NULL, &scene))
    return 0;
  scree_status status = scree_sim_create(scene, &def, &sim);
  while (!status && !scree_sim_done(sim)) status = scree_sim_step(sim, NULL);
  if (!status) status = scree_sim_finish(sim);
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  return !status;
}

static int flip(int file, off_t at, int bit) {
  unsigned char byte;
  if (pread(file, &byte, 1, at) != 1) return 0;
  byte ^= (unsigned char)(1 << bit);
  return pwrite(file, &byte, 1, at) == 1;
}

static uint64_t next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* Most of a small recording is space that is not used yet: every other place is one that holds
 * something. */
static off_t place(int file, off_t size, uint64_t *dice, int used) {
  off_t at = 0;
  for (int i = 0; i < 10000; i++) {
    unsigned char byte = 0;
    at = (off_t)(next(dice) % (uint64_t)size);
    if (!used || (pread(file, &byte, 1, at) == 1 && byte)) break;
  }
  return at;
}

int flips_run(const char *stem, size_t count, flips_result *result) {
  char path[256], name[FILES][300];
  scree_context *context = scree_context_create(NULL);
  *result = (flips_result){0};
  snprintf(path, sizeof path, "%s.h5", stem);
  int ok = make(context, path);
  const uint32_t whole = content(context, path);
  uint64_t dice = 15;
  for (int i = 0; i < FILES; i++) snprintf(name[i], sizeof name[i], "%s%s", stem, ends[i]);
  for (size_t i = 0; i < count && ok; i++) {
    const int which = i % 8 < 4 ? 0 : (int)(i % 8) - 3;
    const int file = open(name[which], O_RDWR);
    struct stat info;
    ok = file >= 0 && fstat(file, &info) == 0;
    if (!ok) break;
    const off_t at = place(file, info.st_size, &dice, i % 2 == 0);
    const int bit = (int)(next(&dice) % 8);
    ok = flip(file, at, bit);
    scree_recording_faults faults;
    if (scree_recording_verify(context, path, NULL, NULL, &faults))
      result->found++;
    else if (which == 0 && content(context, path) == whole)
      result->unused++;
    else
      result->silent++;
    ok = flip(file, at, bit) && ok;
    close(file);
  }
  ok = ok && content(context, path) == whole;
  for (int i = 0; i < FILES; i++) unlink(name[i]);
  scree_context_destroy(context);
  return ok;
}

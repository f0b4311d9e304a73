/* Damaged recordings: a message or sound frames, never a crash, a leak or a hang.
 *
 * Metadata have checksums that random bytes never meet. So an input is a list of changes to a good
 * recording, which is made at the start; after them the checksums of the blocks that were touched
 * are put right. An input that begins with 0 is a file as it is instead. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/hdf5_walk.h"
#include "io/recording.h"
#include "scree/sim.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_BLOCKS = 200, MAX_CHANGES = 64, LONGEST = 4096 };

static unsigned char *image, *work;
static size_t image_size;
static struct block { size_t at, size; /* with the checksum */ } blocks[MAX_BLOCKS];
static size_t block_count, *places, place_count; /* places: bytes of the blocks */

static const char scene_text[] =
    "step: 5 ms\nduration: 0.2 s\nrecording: {every: 50 ms, checkpoint: 1000 s}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {half_space: {}}}\n"
    "  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}\n"
    "emitters:\n"
    "  - {rate: 20, number: 3, region: {box: {lower: [1, 1, 1], upper: [2, 2, 2]}}, body: {shape: "
    "{sphere: {radius: 0.04}}}}\n";

static void check(bool ok) {
  if (!ok) abort();
}

static void make_recording(const char *path) {
  scree_context *context = scree_context_create(NULL);
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  scree_sim_def def = scree_sim_def_default();
  def.out = path;
  check(scree_scene_load_text(context, "scene.yaml", scene_text, strlen(scene_text), NULL,
                              &scene) == SCREE_OK);
  check(scree_sim_create(scene, &def, &sim) == SCREE_OK);
  while (!scree_sim_done(sim)) check(scree_sim_step(sim, NULL) == SCREE_OK);
  check(scree_sim_finish(sim) == SCREE_OK);
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  scree_context_destroy(context);
}

/* The block that begins here is as long as its checksum says. */
static void find_block(size_t at) {
  for (size_t n = 8; n <= LONGEST && at + n + 4 <= image_size; n++) {
    if (walk_checksum(image + at, n) != check_number(image + at + n, 4)) continue;
    check(block_count < MAX_BLOCKS);
    blocks[block_count++] = (struct block){at, n + 4};
    return;
  }
}

static void find_blocks(void) {
  static const char *const signatures[] = {"\211HDF", "OHDR", "OCHK", "EAHD",
                                           "EAIB",    "EASB", "EADB"};
  for (size_t at = 0; at + 4 < image_size; at++)
    for (int k = 0; k < 7; k++)
      if (memcmp(image + at, signatures[k], 4) == 0) find_block(at);
  check(block_count > 20);
  for (size_t k = 0; k < block_count; k++) place_count += blocks[k].size;
  places = calloc(place_count, sizeof *places);
  size_t n = 0;
  for (size_t k = 0; k < block_count; k++)
    for (size_t i = 0; i < blocks[k].size; i++) places[n++] = blocks[k].at + i;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  char directory[] = "/tmp/fuzz_recording_XXXXXX", path[64], side[96];
  check(mkdtemp(directory) != NULL);
  snprintf(path, sizeof path, "%s/r.h5", directory);
  snprintf(side, sizeof side, "%s.checkpoint", path);
  make_recording(path);
  FILE *file = fopen(path, "rb");
  check(file != NULL && fseek(file, 0, SEEK_END) == 0);
  image_size = (size_t)ftell(file);
  rewind(file);
  image = malloc(image_size);
  work = malloc(image_size);
  check(image && work && fread(image, 1, image_size, file) == image_size);
  fclose(file);
  unlink(path);
  unlink(side);
  rmdir(directory);
  memcpy(work, image, image_size);
  find_blocks();
  return 0;
}

/* Whatever the file says, what is handed out can be used. */
static void use(scree_recording *r) {
  scree_frame frame;
  double sum = 0.0;
  for (size_t i = 0; i < scree_recording_frame_count(r) && i < 20; i++) {
    if (scree_recording_get_frame(r, i, &frame)) continue;
    for (size_t k = 0; k < frame.body_count; k++) {
      scree_recorded_body body;
      const scree_body_id id = {frame.ids[3 * k], frame.ids[3 * k + 1]};
      if (scree_recording_get_body(r, id, &body) == SCREE_OK) check(body.mass >= 0.0);
      for (size_t n = 0; n < 7; n++) sum += frame.poses[7 * k + n];
      for (size_t n = 0; n < 6; n++) sum += (double)frame.velocities[6 * k + n];
    }
    for (size_t k = 0; k < frame.contact_count; k++)
      sum += (double)frame.contacts[10 * k + 9] + frame.contact_bodies[2 * k];
  }
  check(sum - sum == 0.0);
  double row[SCREE_STEP_COLUMNS];
  const size_t steps = scree_recording_step_count(r);
  if (steps) scree_recording_get_steps(r, steps - 1, 1, row);
  scree_scene *scene = NULL;
  recording_read_scene(r, &scene);
  scree_scene_destroy(scene);
}

static void read_bytes(const unsigned char *bytes, size_t size) {
  char path[64];
  const int file = memfd_create("recording", MFD_CLOEXEC);
  check(file >= 0 && (!size || write(file, bytes, size) == (ssize_t)size));
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  scree_context *context = scree_context_create(NULL);
  scree_recording *r = NULL;
  if (scree_recording_open(context, path, &r) == SCREE_OK)
    use(r);
  else
    check(!r && *scree_context_message(context));
  scree_recording_close(r);
  check(scree_context_bytes(context) == 0);
  scree_context_destroy(context);
  close(file);
}

/* Four bytes a change: place 2, value, how (1: or-exclusive; 2: eight bytes are set alike; 0x40:
 * cut here; 0x80: anywhere in the file; 0x20: the checksum stays wrong). */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size || data[0] == 0) {
    read_bytes(data + (size != 0), size - (size != 0));
    return 0;
  }
  size_t touched[8 * MAX_CHANGES], touched_count = 0, length = image_size;
  bool stale = false;
  for (size_t k = 1; k + 4 <= size && k < 4 * MAX_CHANGES; k += 4) {
    const size_t number = data[k] | (size_t)data[k + 1] << 8;
    const unsigned how = data[k + 3];
    size_t at = how & 0x80 ? number * image_size >> 16 : places[number % place_count];
    if (how & 0x40) length = number * image_size >> 16;
    for (int n = 0; n < (how & 2 ? 8 : 1) && at < image_size; n++, at++) {
      work[at] = how & 1 ? (unsigned char)(work[at] ^ data[k + 2]) : data[k + 2];
      touched[touched_count++] = at;
    }
    stale |= (how & 0x20) != 0;
  }
  for (size_t k = 0; k < block_count && !stale; k++) {
    const size_t at = blocks[k].at, n = blocks[k].size - 4;
    const uint32_t sum = walk_checksum(work + at, n);
    for (size_t i = 0; i < 4; i++) work[at + n + i] = (unsigned char)(sum >> 8 * i);
  }
  read_bytes(work, length);
  for (size_t k = 0; k < touched_count; k++) work[touched[k]] = image[touched[k]];
  for (size_t k = 0; k < block_count; k++)
    memcpy(work + blocks[k].at + blocks[k].size - 4, image + blocks[k].at + blocks[k].size - 4, 4);
  return 0;
}

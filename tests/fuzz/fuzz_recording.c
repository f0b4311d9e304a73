/* Damaged recordings: a message or sound frames, never a crash, a leak or a hang.
 *
 * Metadata have checksums that random bytes never meet. So an input is a list of changes to a good
 * recording, which is made at the start; after them the checksums of the blocks that were touched
 * are put right. An input that begins with 0 is a file as it is instead, one that begins with 0xE0
 * to 0xE2 changes a recording that h5repack wrote anew, whose structure has no checksums. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/hdf5/walk.h"
#include "recording/recording.h"
#include "tests/fuzz/fuzz.h"

enum { MAX_BLOCKS = 200, MAX_CHANGES = 64, LONGEST = 4096 };

static unsigned char *image, *work;
static size_t image_size;
static struct block { size_t at, size; /* with the checksum */ } blocks[MAX_BLOCKS];
static size_t block_count, *places, place_count; /* places: bytes of the blocks */

/* Written anew by h5repack, where that is there: as by default, packed, without chunks. */
enum { ANEW = 0xE0, LAYOUTS = 3 };
static struct layout {
  unsigned char *bytes;
  size_t size, *places, place_count;
} anew[LAYOUTS];

static char export_stem[64];

static void remove_exports(void) {
  char command[160];
  snprintf(command, sizeof command, "rm -f %s*", export_stem);
  if (*export_stem) (void)!system(command);
}

static const char scene_text[] =
    "step: 5 ms\nduration: 0.2 s\nrecording: {every: 50 ms, checkpoint: 1000 s}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {half_space: {}}}\n"
    "  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}\n"
    "emitters:\n"
    "  - {rate: 20, number: 3, region: {box: {lower: [1, 1, 1], upper: [2, 2, 2]}}, body: {shape: "
    "{sphere: {radius: 0.04}}}}\n";

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

static unsigned char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  check(file != NULL && fseek(file, 0, SEEK_END) == 0);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*size);
  check(bytes && fread(bytes, 1, *size, file) == *size);
  fclose(file);
  return bytes;
}

/* What is changed are the bytes that are not 0: structure and data, and no room between them. */
static void write_anew(const char *path, int k) {
  static const char *const options[LAYOUTS] = {"", "-f SHUF -f GZIP=6 -f FLET", "-l CONTI"};
  struct layout *l = &anew[k];
  char other[80], command[300];
  snprintf(other, sizeof other, "%s.anew", path);
  snprintf(command, sizeof command, "h5repack %s %s %s 2>/dev/null", options[k], path, other);
  if (system(command) == 0) {
    l->bytes = read_file(other, &l->size);
    l->places = calloc(l->size, sizeof *l->places);
    for (size_t i = 0; i < l->size; i++)
      if (l->bytes[i]) l->places[l->place_count++] = i;
    check(l->place_count > 1000);
  }
  unlink(other);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  char directory[] = "/tmp/fuzz_recording_XXXXXX", path[64], side[96];
  check(mkdtemp(directory) != NULL);
  snprintf(path, sizeof path, "%s/r.h5", directory);
  snprintf(side, sizeof side, "%s.checkpoint", path);
  make_recording(path);
  image = read_file(path, &image_size);
  work = malloc(image_size);
  check(work != NULL);
  for (int k = 0; k < LAYOUTS; k++) write_anew(path, k);
  unlink(path);
  unlink(side);
  rmdir(directory);
  memcpy(work, image, image_size);
  find_blocks();
  snprintf(export_stem, sizeof export_stem, "%s/scree_fuzz_export_%d",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (int)getpid());
  atexit(remove_exports);
  return 0;
}

/* A small picture of a frame: bodies as they are said to be, wherever. */
static void draw(scree_context *context, scree_recording *r, const scree_frame *frame) {
  enum { MOST = 32 };
  scree_render_item items[MOST] = {0};
  size_t count = 0;
  for (size_t k = 0; k < frame->body_count && count < MOST; k++) {
    const scree_shape *shape = scree_recording_shape(r, frame->ids[3 * k + 2]);
    if (!shape) continue;
    scree_render_item *item = &items[count++];
    item->shape = shape;
    memcpy(item->position, frame->poses + 7 * k, sizeof item->position);
    memcpy(item->rotation, frame->poses + 7 * k + 3, sizeof item->rotation);
    item->colour = scree_palette(k);
  }
  scree_render_scene scene = {
      .item_count = count, .items = items, .ground = true, .ground_level = NAN};
  scree_framing framing;
  scree_camera camera;
  scree_image picture = {0};
  scree_render *render = NULL;
  if (!scree_render_focus(count, items, &scene.focus)) return;
  scree_framing_begin(&framing, 0.6, 0.4, 0.5, 4.0 / 3.0, 0.05);
  scree_framing_add_scene(&framing, &scene);
  if (!scree_framing_end(&framing, &camera)) return;
  scree_render_settings settings = scree_render_settings_default(&camera);
  settings.samples = 1;
  scree_status status = scree_render_create(context, &render);
  if (!status) status = scree_image_create(context, 12, 9, &picture);
  if (!status) status = scree_render_set_scene(render, &scene);
  if (!status) (void)scree_render_draw(render, &camera, &settings, &picture);
  scree_image_clear(&picture);
  scree_render_destroy(render);
}

/* Exports and pictures take thousands of times as long as the rest: for some inputs only. */
static void use_more(scree_context *context, scree_recording *r, unsigned which) {
  scree_scene *scene = NULL;
  scree_world *world = NULL;
  if (which % 64 > 2 || scree_recording_get_scene(r, &scene, &world)) return;
  scree_frame frame;
  if (which % 64 == 0) {
    if (scree_recording_frame_count(r) && scree_recording_get_frame(r, 0, &frame) == SCREE_OK)
      draw(context, r, &frame);
    return;
  }
  scree_export_def def = scree_export_def_default();
  def.format = which % 64 == 1 ? SCREE_EXPORT_CSV : SCREE_EXPORT_VTKHDF;
  def.out = export_stem;
  (void)scree_export(r, &def, NULL);
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

static void read_bytes(const unsigned char *bytes, size_t size, unsigned which) {
  char path[64];
  const int file = memfd_create("recording", MFD_CLOEXEC);
  check(file >= 0 && (!size || write(file, bytes, size) == (ssize_t)size));
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  scree_context *context = fuzz_context();
  scree_recording *r = NULL;
  if (scree_recording_open(context, path, &r) == SCREE_OK) {
    use(r);
    use_more(context, r, which);
  } else {
    check(!r && *scree_context_message(context));
  }
  scree_recording_close(r);
  fuzz_end(context);
  close(file);
}

/* Four bytes a change, as below; a place is among the bytes that are not 0, or anywhere. */
static void read_anew(const struct layout *l, const uint8_t *data, size_t size) {
  size_t length = l->size;
  if (!length) return;
  unsigned char *bytes = malloc(length);
  check(bytes != NULL);
  memcpy(bytes, l->bytes, length);
  for (size_t k = 1; k + 4 <= size && k < 4 * MAX_CHANGES; k += 4) {
    const size_t number = data[k] | (size_t)data[k + 1] << 8;
    const unsigned how = data[k + 3];
    size_t at = how & 0x80 ? number * l->size >> 16 : l->places[number * l->place_count >> 16];
    if (how & 0x40) length = number * l->size >> 16;
    for (int n = 0; n < (how & 2 ? 8 : 1) && at < l->size; n++, at++)
      bytes[at] = how & 1 ? (unsigned char)(bytes[at] ^ data[k + 2]) : data[k + 2];
  }
  read_bytes(bytes, length, size > 3 ? data[size - 2] : 3);
  free(bytes);
}

/* Four bytes a change: place 2, value, how (1: or-exclusive; 2: eight bytes are set alike; 0x40:
 * cut here; 0x80: anywhere in the file; 0x20: the checksum stays wrong). */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size || data[0] == 0) {
    read_bytes(data + (size != 0), size - (size != 0), 3);
    return 0;
  }
  if (data[0] >= ANEW && data[0] < ANEW + LAYOUTS) {
    read_anew(&anew[data[0] - ANEW], data, size);
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
  read_bytes(work, length, size > 3 ? data[size - 2] : 3);
  for (size_t k = 0; k < touched_count; k++) work[touched[k]] = image[touched[k]];
  for (size_t k = 0; k < block_count; k++)
    memcpy(work + blocks[k].at + blocks[k].size - 4, image + blocks[k].at + blocks[k].size - 4, 4);
  return 0;
}

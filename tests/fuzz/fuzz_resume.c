/* `resume` on damaged files: refused, or a run that makes two steps and ends. An input is a list of
 * changes (edit.h) to a good recording, its checkpoint and the table of its probe, which are made
 * at the start; the first bytes cut one of them and say whether the checksums of the checkpoint are
 * made right again, as else hardly any change would get past them. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/crc.h"
#include "recording/checkpoint_file.h"
#include "tests/fuzz/edit.h"
#include "tests/fuzz/fuzz.h"

static const char scene_text[] =
    "step: 5 ms\nduration: 0.1 s\nrecording: {every: 10 ms, checkpoint: 1000 s}\n"
    "solver: {iteration_limit: 20, on_nonconverged: continue}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {half_space: {}}}\n"
    "  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}\n"
    "probes: [{name: p, kind: body, body: ball}]\n"
    "emitters:\n"
    "  - {rate: 20, number: 3, region: {box: {lower: [1, 1, 1], upper: [2, 2, 2]}}, body: {shape: "
    "{sphere: {radius: 0.04}}}}\n";

enum { FILES = 3 };
static char directory[32], path[FILES][64];
static unsigned char *good[FILES], *work;
static size_t good_size[FILES];

static void remove_files(void) {
  char command[128];
  if (!*directory) return;
  for (int k = 0; k < FILES; k++) unlink(path[k]);
  snprintf(command, sizeof command, "rm -rf %s", directory);
  (void)!system(command);
}

static void make_run(void) {
  scree_context *context = scree_context_create(NULL);
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  scree_sim_def def = scree_sim_def_default();
  def.out = path[0];
  check(scree_scene_load_text(context, "a", scene_text, strlen(scene_text), NULL, &scene) ==
        SCREE_OK);
  check(scree_sim_create(scene, &def, &sim) == SCREE_OK);
  for (int i = 0; i < 10; i++) check(scree_sim_step(sim, NULL) == SCREE_OK);
  check(scree_sim_checkpoint(sim, NULL) == SCREE_OK);
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  scree_context_destroy(context);
}

/* The head of a checkpoint: magic, run, sizes and checksums of the parts, its own (see
 * recording/checkpoint_file.c). */
enum {
  HEAD_SIZES = 16,
  HEAD_SUMS = HEAD_SIZES + 8 * CHECKPOINT_PARTS,
  HEAD_OWN = HEAD_SUMS + 4 * CHECKPOINT_PARTS,
  HEAD_END = HEAD_OWN + 4
};

/* Checksums that fit what is there. */
static void mend(unsigned char *bytes, size_t size) {
  size_t at = HEAD_END;
  if (size < HEAD_END) return;
  for (int k = 0; k < CHECKPOINT_PARTS; k++) {
    uint64_t part;
    memcpy(&part, bytes + HEAD_SIZES + 8 * k, sizeof part);
    if (part > size - at) return;
    const uint32_t sum = crc32c(0, bytes + at, (size_t)part);
    memcpy(bytes + HEAD_SUMS + 4 * k, &sum, sizeof sum);
    at += (size_t)part;
  }
  const uint32_t own = crc32c(0, bytes, HEAD_OWN);
  memcpy(bytes + HEAD_OWN, &own, sizeof own);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  strcpy(directory, "/dev/shm/scree_fuzz_XXXXXX");
  if (!mkdtemp(directory)) strcpy(directory, "/tmp/scree_fuzz_XXXXXX"), check(mkdtemp(directory));
  atexit(remove_files);
  snprintf(path[0], sizeof path[0], "%s/r.h5", directory);
  snprintf(path[1], sizeof path[1], "%s/r.h5.checkpoint", directory);
  snprintf(path[2], sizeof path[2], "%s/r_p.csv", directory);
  make_run();
  size_t most = 0;
  for (int k = 0; k < FILES; k++) {
    FILE *file = fopen(path[k], "rb");
    check(file != NULL && fseek(file, 0, SEEK_END) == 0);
    good_size[k] = (size_t)ftell(file);
    rewind(file);
    check((good[k] = malloc(good_size[k] + 1)) != NULL);
    check(fread(good[k], 1, good_size[k], file) == good_size[k]);
    fclose(file);
    if (good_size[k] > most) most = good_size[k];
  }
  check((work = malloc(most + 1)) != NULL);
  /* The layout above is the one of the files. */
  memcpy(work, good[1], good_size[1]);
  mend(work, good_size[1]);
  check(memcmp(work, good[1], good_size[1]) == 0);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 4) return 0;
  const int cut = data[0] % (FILES + 1);
  for (int k = 0; k < FILES; k++) {
    size_t n = good_size[k];
    memcpy(work, good[k], n);
    for (size_t at = 4; at + EDIT_SIZE <= size; at += EDIT_SIZE)
      if (data[at] % FILES == k) edit_apply(data + at, work, n);
    if (k == 1 && data[3] & 1) mend(work, n);
    if (cut == k) n = (data[1] | (size_t)data[2] << 8) * n >> 16;
    FILE *file = fopen(path[k], "wb");
    check(file && fwrite(work, 1, n, file) == n && fclose(file) == 0);
  }
  scree_context *context = fuzz_context();
  scree_sim *sim = NULL;
  scree_status status = scree_sim_resume(context, path[0], 0.0, &sim);
  check(status ? *scree_context_message(context) != 0 : sim != NULL);
  for (int i = 0; i < 2 && !status && !scree_sim_done(sim); i++) {
    if (scree_world_body_count(scree_sim_world(sim)) > 50) break;
    status = scree_sim_step(sim, NULL);
  }
  if (!status && sim) status = scree_sim_finish(sim);
  scree_sim_destroy(sim);
  fuzz_end(context);
  return 0;
}

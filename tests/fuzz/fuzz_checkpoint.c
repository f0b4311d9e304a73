/* Damaged states of a run: refused, or a world that makes two steps. A checkpoint's checksum would
 * refuse nearly all of them, so its parts are given to their readers without it.
 *
 * An input is a list of changes to the parts of a good checkpoint, which is made at the start; see
 * edit.h. The first byte says which part is cut or made longer. */
#include <string.h>

#include "step/stepper.h"
#include "tests/fuzz/edit.h"
#include "tests/fuzz/fuzz.h"

static const char scene_text[] =
    "step: 5 ms\nduration: 1 s\nsolver: {iteration_limit: 20, on_nonconverged: continue}\n"
    "materials: {rough: {friction: 0.7, rolling: 0.01, restitution: 0.3}}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {half_space: {}}}\n"
    "  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.099], material: rough}\n"
    "  - {name: box, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [1, 0, 0.0999]}\n"
    "  - {name: rod, shape: {capsule: {radius: 0.05, length: 0.3}}, position: [1, 0, 0.3]}\n"
    "  - {kind: prescribed, shape: {box: {size: [1, 1, 0.1]}}, position: [3, 0, 1], motion: {sine: "
    "{amplitude: [0.1, 0, 0], frequency: 2}}}\n"
    "joints: [{kind: hinge, bodies: [box, rod], anchor: [1, 0, 0.2], axis: [0, 1, 0]}]\n"
    "emitters:\n"
    "  - {rate: 400, number: 3, region: {box: {lower: [1, 1, 1], upper: [2, 2, 2]}}, body: {shape: "
    "{sphere: {radius: 0.04}}}}\n";

enum { WORLD, ASSEMBLY, SCENE, PARTS };
static unsigned char *good[PARTS];
static size_t good_size[PARTS];

static scree_sim *new_sim(scree_context *context, scree_scene **scene) {
  scree_sim *sim = NULL;
  check(scree_scene_load_text(context, "a", scene_text, strlen(scene_text), NULL, scene) ==
        SCREE_OK);
  check(scree_sim_create(*scene, NULL, &sim) == SCREE_OK);
  return sim;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  scree_context *context = scree_context_create(NULL);
  scree_scene *scene = NULL;
  scree_sim *sim = new_sim(context, &scene);
  for (int i = 0; i < 5; i++) check(scree_sim_step(sim, NULL) == SCREE_OK);
  const scree_stepper *s = scree_sim_stepper(sim);
  good_size[WORLD] = world_save(s->world, NULL);
  good_size[ASSEMBLY] = assembler_save(s->assembler, NULL);
  good_size[SCENE] = scree_scene_save_size(scene);
  for (int k = 0; k < PARTS; k++) check((good[k] = calloc(1, good_size[k] + 1)) != NULL);
  world_save(s->world, (char *)good[WORLD]);
  assembler_save(s->assembler, (char *)good[ASSEMBLY]);
  check(scree_scene_save(scene, good[SCENE], good_size[SCENE]) == SCREE_OK);
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  scree_context_destroy(context);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2) return 0;
  scree_context *context = fuzz_context();
  scree_scene *scene = NULL;
  scree_sim *sim = new_sim(context, &scene);
  scree_stepper *s = scree_sim_stepper(sim);
  char *bytes[PARTS];
  size_t sizes[PARTS];
  for (int k = 0; k < PARTS; k++) {
    sizes[k] = good_size[k];
    if (data[0] % (2 * PARTS) == k) sizes[k] = data[1] < sizes[k] ? sizes[k] - data[1] : 0;
    if (data[0] % (2 * PARTS) == PARTS + k) sizes[k] += data[1];
    check((bytes[k] = calloc(1, sizes[k] + 1)) != NULL);
    memcpy(bytes[k], good[k], sizes[k] < good_size[k] ? sizes[k] : good_size[k]);
  }
  for (size_t at = 2; at + EDIT_SIZE <= size; at += EDIT_SIZE)
    edit_apply(data + at, (unsigned char *)bytes[data[at] % PARTS], sizes[data[at] % PARTS]);
  scree_status status = assembler_check(s->assembler, bytes[ASSEMBLY], sizes[ASSEMBLY]);
  if (!status) status = world_restore(s->world, bytes[WORLD], sizes[WORLD]);
  if (!status) status = assembler_restore(s->assembler, bytes[ASSEMBLY]);
  if (!status) status = scree_scene_restore(scene, bytes[SCENE], sizes[SCENE]);
  for (int i = 0; i < 2 && !status && scree_world_body_count(s->world) < 50; i++)
    status = scree_sim_step(sim, NULL);
  for (int k = 0; k < PARTS; k++) free(bytes[k]);
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  fuzz_end(context);
  return 0;
}

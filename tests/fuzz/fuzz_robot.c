/* Any bytes as a robot, URDF or MJCF: a message, or a scene that is built and makes two steps;
 * never a crash, a leak or a hang. It can reach the files below and no others. The first byte
 * chooses what is allowed. Models of many bodies are read but not built. */
#include <string.h>

#include "scene/build/build.h"
#include "scene/import/robot.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

FUZZ_MUTATE_TEXT(1)

static const char *const paths[] = {"scene.yaml", "robot.xml", "other.xml", "solid.obj"};
static const char *const texts[] = {
    NULL, NULL,
    "<mujocoinclude><default><geom density=\"900\"/><default class=\"c\"><joint damping=\"1\"/>"
    "</default></default></mujocoinclude>",
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"};
enum { FILES = sizeof paths / sizeof *paths, BODIES = 40 };

static void run(scree_scene *scene) {
  scree_sim *sim = NULL;
  scree_sim_def def = scree_sim_def_default();
  def.check_overlap = false;
  if (scree_sim_create(scene, &def, &sim)) return;
  for (int i = 0; i < 2 && !scree_sim_done(sim); i++)
    if (scree_sim_step(sim, NULL)) break;
  scree_sim_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size) return 0;
  scree_context *context = fuzz_context();
  static const char *const sets[] = {"duration=1", "solver.iteration_limit=20",
                                     "solver.on_nonconverged=continue"};
  const scree_scene_def def = {.set_count = sizeof sets / sizeof sets[0], .sets = sets};
  static const char *const scenes[] = {
      "include: robot.xml\n", "assemblies: [{file: robot.xml, name: a, position: [0, 0, 1], "
                              "allow_unsupported: true, density: 500}]\n"};
  const char *bytes[FILES] = {scenes[data[0] & 1], (const char *)data + 1};
  size_t sizes[FILES] = {strlen(scenes[data[0] & 1]), size - 1};
  for (int i = 2; i < FILES; i++) {
    bytes[i] = texts[i];
    sizes[i] = strlen(texts[i]);
  }
  scree_scene *scene = NULL;
  const scree_status status =
      scree_scene_load_files(context, FILES, paths, bytes, sizes, &def, &scene);
  check(status ? !scene && *scree_context_message(context) : scene != NULL);
  if (!status) {
    const scene_node *bodies = scene_find(scene->root, "bodies");
    if (!bodies || bodies->count < BODIES) run(scene);
  }
  scree_scene_destroy(scene);
  fuzz_end(context);
  return 0;
}

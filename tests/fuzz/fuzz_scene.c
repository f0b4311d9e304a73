/* Any bytes as a scene: a message, or a world that makes three steps; never a crash, a leak or a
 * hang. A scene may well ask for a hundred million bodies or iterations: those that ask for more
 * than a few are read but not built. It can reach the files below and no others. */
#include <ctype.h>
#include <string.h>

#include "scene/build/build.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

FUZZ_MUTATE_TEXT(0)

static const char *const paths[] = {"scene.yaml", "other.yaml", "table.csv", "solid.obj",
                                    "part.msh"};
static const char *const texts[] = {
    NULL, "materials: {other: {friction: 0.3}}\n", "x,y,z,radius\n0,0,3,0.5\n2,0,3,0.5\n",
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n",
    "$MeshFormat\n2.2 0 8\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$Elements\n4\n"
    "1 2 0 1 2 3\n2 2 0 2 5 3\n3 4 0 1 2 3 4\n4 4 0 2 5 3 4\n"};
enum { FILES = sizeof paths / sizeof *paths, DEPTH = 60 };

/* The product of a number, or of a list or map of them; infinite when they cannot be known. Options
 * of steppers may be names. */
static double amount(scree_scene *scene, const scene_node *node, bool names) {
  double product = 1.0, value;
  const size_t count = node->kind == SCENE_SCALAR ? 1 : node->count;
  for (size_t i = 0; i < count; i++) {
    const scene_node *one = node->kind == SCENE_SCALAR ? node : node->items[i];
    if (names && one->kind == SCENE_SCALAR && islower((unsigned char)*one->text)) continue;
    if (one->kind != SCENE_SCALAR ||
        scene_number(&scene->doc, &scene->scope, one, "", SCENE_ANY_UNIT, &value))
      return 1e300;
    product *= value < 1.0 ? 1.0 : value;
  }
  return product;
}

static bool is_small(scree_scene *scene, const scene_node *node, int depth) {
  static const struct {
    const char *key;
    double limit;
  } limits[] = {{"number", 30},  {"count", 30},         {"for", 30},      {"attempts", 1000},
                {"rate", 1e3},   {"iterations", 30},    {"parts", 20},    {"retry_iterations", 30},
                {"options", 50}, {"retry_halvings", 3}, {"elements", 20}, {"cells", 20}};
  if (depth > DEPTH) return false;
  for (size_t i = 0; i < node->count; i++) {
    for (size_t k = 0; node->keys && k < sizeof limits / sizeof *limits; k++)
      if (strcmp(node->keys[i]->text, limits[k].key) == 0 && strcmp(limits[k].key, "parts") != 0 &&
          amount(scene, node->items[i], strcmp(limits[k].key, "options") == 0) > limits[k].limit)
        return false;
    if (!is_small(scene, node->items[i], depth + 1)) return false;
  }
  return true;
}

static void run(scree_scene *scene) {
  scree_sim *sim = NULL;
  scree_sim_def def = scree_sim_def_default();
  def.check_overlap = false;
  if (scree_sim_create(scene, &def, &sim)) return;
  for (int i = 0; i < 3 && !scree_sim_done(sim); i++)
    if (scree_world_body_count(scree_sim_world(sim)) > 100 || scree_sim_step(sim, NULL)) break;
  scree_sim_summary summary;
  scree_sim_get_summary(sim, &summary);
  scree_sim_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  scree_context *context = fuzz_context();
  static const char *const sets[] = {"duration=${1 + 1}", "solver.iteration_limit=20",
                                     "solver.on_nonconverged=continue"};
  scree_scene_def def = scree_scene_def_default();
  def.set_count = sizeof sets / sizeof sets[0];
  def.sets = sets;
  const char *bytes[FILES] = {(const char *)data};
  size_t sizes[FILES] = {size};
  for (int i = 1; i < FILES; i++) {
    bytes[i] = texts[i];
    sizes[i] = strlen(texts[i]);
  }
  scree_scene *scene = NULL;
  const scree_status status =
      scree_scene_load_files(context, FILES, paths, bytes, sizes, &def, &scene);
  check(status ? !scene && *scree_context_message(context)
               : scree_scene_get_settings(scene)->duration == 2.0);
  if (!status && is_small(scene, scene->root, 0)) run(scene);
  scree_scene_destroy(scene);
  fuzz_end(context);
  return 0;
}

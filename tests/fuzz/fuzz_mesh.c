/* Any bytes as a mesh file; the first one tells the format. What is read makes a shape whose mass
 * can be asked for; of gmsh's files it makes a flexible part of tetrahedra or triangles. */
#include <math.h>

#include "io/mesh/import.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

FUZZ_MUTATE_TEXT(1)

/* A world of one part of a file of gmsh; small ones make a step. */
static void read_msh(bool shell, const char *bytes, size_t size) {
  static const char *const scenes[] = {
      "step: 1 ms\nduration: 1 ms\nstepper: hht\nflexible:\n"
      "  - {name: p, kind: mesh, file: a.msh, young: 1e6, density: 1e3, held: [x-]}\n",
      "step: 1 ms\nduration: 1 ms\nstepper: hht\nflexible:\n"
      "  - {name: p, kind: shell, file: a.msh, thickness: 0.1, young: 1e6, density: 1e3}\n"};
  static const char *const paths[] = {"scene.yaml", "a.msh"};
  const char *texts[] = {scenes[shell], bytes};
  const size_t sizes[] = {strlen(texts[0]), size};
  scree_context *context = fuzz_context();
  scree_scene *scene = NULL;
  scree_world *world = NULL;
  scree_sim *sim = NULL;
  const scree_sim_def def = scree_sim_def_default();
  scree_status status = scree_scene_load_files(context, 2, paths, texts, sizes, NULL, &scene);
  if (!status) status = scree_scene_build(scene, &world);
  check(status == SCREE_OK || *scree_context_message(context));
  const bool small = !status && scree_world_body_count(world) <= 20;
  scree_world_destroy(world);
  if (small && scree_sim_create(scene, &def, &sim) == SCREE_OK) (void)scree_sim_step(sim, NULL);
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  fuzz_end(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const paths[] = {"a.stl", "a.obj", "a.ply", "a.dae"};
  if (!size) return 0;
  if (data[0] & 4) {
    read_msh(data[0] & 1, (const char *)data + 1, size - 1);
    return 0;
  }
  scree_context *context = fuzz_context();
  char why[256] = "";
  mesh_import m;
  const scree_status status = mesh_import_load(context, paths[data[0] & 3], (const char *)data + 1,
                                               size - 1, false, &m, why, sizeof why);
  if (status) {
    check(!m.vertices && !m.triangles && (*why || status == SCREE_ERROR_MEMORY));
  } else {
    check(m.triangle_count > 0);
    for (size_t i = 0; i < 3 * m.triangle_count; i++) check(m.triangles[i] < m.vertex_count);
    for (size_t i = 0; i < 3 * m.vertex_count; i++) check(isfinite(m.vertices[i]));
    scree_shape *shape = NULL;
    if (scree_shape_create_mesh(context, m.vertex_count, m.vertices, m.triangle_count, m.triangles,
                                &shape) == SCREE_OK) {
      scree_mass mass;
      (void)scree_shape_get_mass(shape, 1000.0, &mass);
    }
    scree_shape_destroy(shape);
    mesh_import_clear(context, &m);
  }
  fuzz_end(context);
  return 0;
}

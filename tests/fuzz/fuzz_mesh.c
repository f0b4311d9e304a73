/* Any bytes as a mesh file; the first one tells the format. What is read makes a shape whose mass
 * can be asked for. */
#include <math.h>

#include "io/mesh/import.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

FUZZ_MUTATE_TEXT(1)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const paths[] = {"a.stl", "a.obj", "a.ply", "a.dae"};
  if (!size) return 0;
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

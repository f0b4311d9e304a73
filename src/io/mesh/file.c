/* The mesh doctor on a file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/argument.h"
#include "io/mesh/import.h"
#include "scree/io.h"

static scree_status read_all(scree_context *context, const char *path, char **bytes, size_t *size) {
  FILE *file = fopen(path, "rb");
  *bytes = NULL;
  *size = 0;
  if (!file)
    return context_fail(context, SCREE_ERROR_IO, "%s: cannot be opened: %s", path, strerror(errno));
  scree_status status = SCREE_OK;
  for (size_t got = 1; got && !status;) {
    status = memory_grow(context, bytes, *size + (1u << 16), 1);
    if (status) break;
    got = fread(*bytes + *size, 1, 1u << 16, file);
    *size += got;
  }
  if (!status && ferror(file))
    status = context_fail(context, SCREE_ERROR_IO, "%s: cannot be read", path);
  fclose(file);
  return status;
}

scree_status scree_mesh_examine_file(scree_context *context, const char *path,
                                     scree_mesh_report *report) {
  ARGUMENT_CHECK(context, context && report);
  char *bytes, why[256];
  size_t size;
  mesh_import mesh = {0};
  *report = (scree_mesh_report){0};
  scree_status status = read_all(context, path, &bytes, &size);
  if (!status) {
    status = mesh_import_load(context, path, bytes, size, true, &mesh, why, sizeof why);
    if (status && status != SCREE_ERROR_MEMORY)
      status = context_fail(context, status, "%s: is no mesh: %s", path, why);
  }
  memory_free(context, bytes);
  if (!status)
    status = scree_mesh_examine(context, mesh.vertex_count, mesh.vertices, mesh.triangle_count,
                                mesh.triangles, report);
  mesh_import_clear(context, &mesh);
  return status;
}

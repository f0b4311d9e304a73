/* Mesh files: STL, OBJ and PLY by readers of our own; others by assimp where the build has it, and
 * never from inside a recording. */
#include "io/mesh/import.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/mesh/read.h"

void mesh_import_clear(scree_context *context, mesh_import *mesh) {
  memory_free(context, mesh->vertices);
  memory_free(context, mesh->triangles);
  *mesh = (mesh_import){0};
}

static uint64_t vertex_hash(const double *x) {
  uint64_t h = 1469598103934665603u;
  for (int k = 0; k < 3; k++) {
    double value = x[k] + 0.0; /* -0 and 0 are one place */
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    h = (h ^ bits) * 1099511628211u;
    h ^= h >> 29;
  }
  return h;
}

/* Joins equal vertices by an open hash table, in the order of the file. */
static scree_status weld(scree_context *context, mesh_import *mesh) {
  size_t room = 16;
  while (room < 2 * mesh->vertex_count) room *= 2;
  uint32_t *table = memory_new(context, room, sizeof *table);
  uint32_t *name = memory_new(context, mesh->vertex_count, sizeof *name);
  size_t kept = 0;
  for (size_t i = 0; table && name && i < mesh->vertex_count; i++) {
    const double *x = &mesh->vertices[3 * i];
    size_t slot = vertex_hash(x) & (room - 1);
    for (;; slot = (slot + 1) & (room - 1)) {
      if (!table[slot]) {
        memmove(&mesh->vertices[3 * kept], x, 3 * sizeof *x);
        table[slot] = (uint32_t)++kept;
        break;
      }
      const double *y = &mesh->vertices[3 * (table[slot] - 1)];
      if (x[0] == y[0] && x[1] == y[1] && x[2] == y[2]) break;
    }
    name[i] = table[slot] - 1;
  }
  if (table && name) {
    mesh->vertex_count = kept;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++)
      mesh->triangles[i] = name[mesh->triangles[i]];
  }
  scree_status status = table && name ? SCREE_OK : SCREE_ERROR_MEMORY;
  memory_free(context, table);
  memory_free(context, name);
  return status;
}

static void drop_flat(mesh_import *mesh) {
  size_t kept = 0;
  for (size_t i = 0; i < mesh->triangle_count; i++) {
    const uint32_t *t = &mesh->triangles[3 * i];
    double e[2][3], cross[3];
    for (int k = 0; k < 3; k++) {
      e[0][k] = mesh->vertices[3 * t[1] + (size_t)k] - mesh->vertices[3 * t[0] + (size_t)k];
      e[1][k] = mesh->vertices[3 * t[2] + (size_t)k] - mesh->vertices[3 * t[0] + (size_t)k];
    }
    double scale = 0.0;
    for (int k = 0; k < 3; k++) {
      int a = (k + 1) % 3, b = (k + 2) % 3;
      cross[k] = e[0][a] * e[1][b] - e[0][b] * e[1][a];
      scale += e[0][k] * e[0][k] + e[1][k] * e[1][k];
    }
    double area = sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0] || !(area > 1e-12 * scale)) continue;
    memmove(&mesh->triangles[3 * kept++], t, 3 * sizeof *t);
  }
  mesh->triangle_count = kept;
}

static bool ends_with(const char *path, const char *end) {
  const size_t n = strlen(path), k = strlen(end);
  if (n < k) return false;
  for (size_t i = 0; i < k; i++) {
    const char c = path[n - k + i];
    if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != end[i]) return false;
  }
  return true;
}

static scree_status read_other(mesh_reader *r, const char *path, bool trusted) {
#ifdef SCREE_WITH_ASSIMP
  if (trusted) return mesh_read_assimp(r, path);
  snprintf(r->why, r->why_size,
           "STL, OBJ and PLY are read from inside a recording, and nothing else");
  return SCREE_ERROR_INPUT;
#else
  (void)path;
  (void)trusted;
  snprintf(r->why, r->why_size,
           "STL, OBJ and PLY are read, told by the end of the name; a build with "
           "SCREE_WITH_ASSIMP=ON reads others");
  return SCREE_ERROR_UNSUPPORTED;
#endif
}

scree_status mesh_import_load(scree_context *context, const char *path, const char *bytes,
                              size_t size, bool trusted, mesh_import *mesh, char *why,
                              size_t why_size) {
  *mesh = (mesh_import){0};
  mesh_reader r = {.context = context,
                   .bytes = (const unsigned char *)bytes,
                   .size = size,
                   .line = 1,
                   .mesh = mesh,
                   .why = why,
                   .why_size = why_size};
  scree_status status = SCREE_OK;
  if (size == 0) {
    snprintf(why, why_size, "it is empty");
    status = SCREE_ERROR_INPUT;
  } else if (ends_with(path, ".stl")) {
    status = mesh_read_stl(&r);
  } else if (ends_with(path, ".obj")) {
    status = mesh_read_obj(&r);
  } else if (ends_with(path, ".ply")) {
    status = mesh_read_ply(&r);
  } else {
    status = read_other(&r, path, trusted);
  }
  if (!status && mesh->triangle_count) status = weld(context, mesh);
  if (!status) drop_flat(mesh);
  if (!status && !mesh->triangle_count) {
    snprintf(why, why_size, "it has no triangles");
    status = SCREE_ERROR_INPUT;
  }
  if (status) mesh_import_clear(context, mesh);
  return status;
}

/* Mesh files through assimp's C interface. Coordinates are float32 there, so vertices that are
 * equal in it are joined exactly. */
#include "io/mesh_import.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void mesh_import_clear(scree_context *context, mesh_import *mesh) {
  memory_free(context, mesh->vertices);
  memory_free(context, mesh->triangles);
  *mesh = (mesh_import){0};
}

#ifdef SCREE_WITH_ASSIMP
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

static scree_status copy_mesh(scree_context *context, const struct aiScene *scene,
                              mesh_import *mesh) {
  size_t vertices = 0, triangles = 0;
  for (unsigned m = 0; m < scene->mNumMeshes; m++) {
    vertices += scene->mMeshes[m]->mNumVertices;
    triangles += scene->mMeshes[m]->mNumFaces;
  }
  mesh->vertices = memory_new(context, 3 * vertices, sizeof *mesh->vertices);
  mesh->triangles = memory_new(context, 3 * triangles, sizeof *mesh->triangles);
  if (!mesh->vertices || !mesh->triangles) return SCREE_ERROR_MEMORY;
  for (unsigned m = 0; m < scene->mNumMeshes; m++) {
    const struct aiMesh *part = scene->mMeshes[m];
    uint32_t base = (uint32_t)mesh->vertex_count;
    for (unsigned i = 0; i < part->mNumVertices; i++) {
      double *x = &mesh->vertices[3 * mesh->vertex_count++];
      x[0] = (double)part->mVertices[i].x;
      x[1] = (double)part->mVertices[i].y;
      x[2] = (double)part->mVertices[i].z;
    }
    for (unsigned i = 0; i < part->mNumFaces; i++) {
      if (part->mFaces[i].mNumIndices != 3) continue;
      for (int k = 0; k < 3; k++)
        mesh->triangles[3 * mesh->triangle_count + (size_t)k] = base + part->mFaces[i].mIndices[k];
      mesh->triangle_count++;
    }
  }
  return SCREE_OK;
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

scree_status mesh_import_load(scree_context *context, const char *path, const char *bytes,
                              size_t size, mesh_import *mesh, char *why, size_t why_size) {
  *mesh = (mesh_import){0};
  if (size == 0) { /* the library aborts */
    snprintf(why, why_size, "it is empty");
    return SCREE_ERROR_INPUT;
  }
  const char *dot = strrchr(path, '.');
  struct aiPropertyStore *settings = aiCreatePropertyStore();
  aiSetImportPropertyInteger(settings, AI_CONFIG_PP_SBP_REMOVE,
                             aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  const struct aiScene *scene = aiImportFileFromMemoryWithProperties(
      bytes, (unsigned)size,
      aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_PreTransformVertices,
      dot ? dot + 1 : "", settings);
  aiReleasePropertyStore(settings);
  scree_status status = SCREE_OK;
  if (!scene) {
    snprintf(why, why_size, "%s", aiGetErrorString());
    return SCREE_ERROR_INPUT;
  }
  status = copy_mesh(context, scene, mesh);
  aiReleaseImport(scene);
  for (size_t i = 0; !status && i < 3 * mesh->vertex_count; i++) {
    if (isfinite(mesh->vertices[i])) continue;
    snprintf(why, why_size, "a vertex is not finite");
    status = SCREE_ERROR_INPUT;
  }
  if (!status) status = weld(context, mesh);
  if (!status) drop_flat(mesh);
  if (!status && !mesh->triangle_count) {
    snprintf(why, why_size, "it has no triangles");
    status = SCREE_ERROR_INPUT;
  }
  if (status) mesh_import_clear(context, mesh);
  return status;
}

#else

scree_status mesh_import_load(scree_context *context, const char *path, const char *bytes,
                              size_t size, mesh_import *mesh, char *why, size_t why_size) {
  (void)context;
  (void)path;
  (void)bytes;
  (void)size;
  *mesh = (mesh_import){0};
  snprintf(why, why_size, "this build reads no meshes; configure with SCREE_WITH_ASSIMP=ON");
  return SCREE_ERROR_UNSUPPORTED;
}

#endif

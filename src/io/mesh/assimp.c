/* Other mesh files through assimp's C interface, for builds that include it. Coordinates are
 * float32 there. It sees the one file, in memory, and cannot open any other. */
#ifdef SCREE_WITH_ASSIMP
#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/mesh/read.h"

/* The file that assimp may open: `name` stands for the bytes, which are read from `at` on. */
typedef struct one_file {
  const mesh_reader *r;
  const char *name;
  size_t at;
} one_file;

static size_t read_some(struct aiFile *file, char *out, size_t size, size_t count) {
  one_file *f = (one_file *)(void *)file->UserData;
  const size_t left = f->r->size - f->at, whole = size ? left / size : 0;
  if (count > whole) count = whole;
  memcpy(out, f->r->bytes + f->at, size * count);
  f->at += size * count;
  return count;
}

static size_t write_none(struct aiFile *file, const char *in, size_t size, size_t count) {
  (void)file, (void)in, (void)size, (void)count;
  return 0;
}

static size_t tell(struct aiFile *file) {
  return ((one_file *)(void *)file->UserData)->at;
}

static size_t length_of(struct aiFile *file) {
  return ((one_file *)(void *)file->UserData)->r->size;
}

static enum aiReturn seek(struct aiFile *file, size_t by, enum aiOrigin from) {
  one_file *f = (one_file *)(void *)file->UserData;
  const size_t start = from == aiOrigin_SET ? 0 : from == aiOrigin_CUR ? f->at : f->r->size;
  const size_t to = start + by;
  if (to > f->r->size) return aiReturn_FAILURE;
  f->at = to;
  return aiReturn_SUCCESS;
}

static void flush_none(struct aiFile *file) {
  (void)file;
}

static struct aiFile *open_one(struct aiFileIO *io, const char *name, const char *mode) {
  one_file *f = (one_file *)(void *)io->UserData;
  if (strcmp(name, f->name) != 0 || strchr(mode, 'w')) return NULL;
  one_file *own = memory_new(f->r->context, 1, sizeof *own);
  struct aiFile *file = memory_new(f->r->context, 1, sizeof *file);
  if (!own || !file) {
    memory_free(f->r->context, own);
    memory_free(f->r->context, file);
    return NULL;
  }
  *own = (one_file){f->r, f->name, 0};
  *file = (struct aiFile){read_some,  write_none,         tell, length_of, seek,
                          flush_none, (char *)(void *)own};
  return file;
}

static void close_one(struct aiFileIO *io, struct aiFile *file) {
  (void)io;
  one_file *own = (one_file *)(void *)file->UserData;
  scree_context *context = own->r->context;
  memory_free(context, own);
  memory_free(context, file);
}

static scree_status copy_mesh(mesh_reader *r, const struct aiScene *scene) {
  mesh_import *mesh = r->mesh;
  size_t vertices = 0, triangles = 0;
  for (unsigned m = 0; m < scene->mNumMeshes; m++) {
    vertices += scene->mMeshes[m]->mNumVertices;
    triangles += scene->mMeshes[m]->mNumFaces;
  }
  mesh->vertices = memory_new(r->context, 3 * vertices, sizeof *mesh->vertices);
  mesh->triangles = memory_new(r->context, 3 * triangles, sizeof *mesh->triangles);
  if (!mesh->vertices || !mesh->triangles) return SCREE_ERROR_MEMORY;
  for (unsigned m = 0; m < scene->mNumMeshes; m++) {
    const struct aiMesh *part = scene->mMeshes[m];
    uint32_t base = (uint32_t)mesh->vertex_count;
    for (unsigned i = 0; i < part->mNumVertices; i++) {
      double *x = &mesh->vertices[3 * mesh->vertex_count++];
      x[0] = (double)part->mVertices[i].x;
      x[1] = (double)part->mVertices[i].y;
      x[2] = (double)part->mVertices[i].z;
      if (isfinite(x[0] + x[1] + x[2])) continue;
      snprintf(r->why, r->why_size, "a vertex is not finite");
      return SCREE_ERROR_INPUT;
    }
    for (unsigned i = 0; i < part->mNumFaces; i++) {
      const unsigned *index = part->mFaces[i].mIndices;
      if (part->mFaces[i].mNumIndices != 3) continue;
      for (int k = 0; k < 3; k++)
        mesh->triangles[3 * mesh->triangle_count + (size_t)k] = base + index[k];
      mesh->triangle_count++;
    }
  }
  return SCREE_OK;
}

scree_status mesh_read_assimp(mesh_reader *r, const char *path) {
  const char *dot = strrchr(path, '.');
  char name[64];
  snprintf(name, sizeof name, "mesh%.40s", dot ? dot : "");
  one_file file = {r, name, 0};
  struct aiFileIO io = {open_one, close_one, (char *)(void *)&file};
  struct aiPropertyStore *settings = aiCreatePropertyStore();
  aiSetImportPropertyInteger(settings, AI_CONFIG_PP_SBP_REMOVE,
                             aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  const struct aiScene *scene = aiImportFileExWithProperties(
      name, aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_PreTransformVertices, &io,
      settings);
  aiReleasePropertyStore(settings);
  if (!scene) {
    snprintf(r->why, r->why_size, "%s", aiGetErrorString());
    return SCREE_ERROR_INPUT;
  }
  const scree_status status = copy_mesh(r, scene);
  aiReleaseImport(scene);
  return status;
}

#else
typedef int mesh_assimp_is_left_out; /* a translation unit is never empty */
#endif

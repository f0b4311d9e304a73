/* Triangles from STL, OBJ and PLY files. */
#ifndef SCREE_IO_MESH_IMPORT_H
#define SCREE_IO_MESH_IMPORT_H

#include "base/memory.h"

typedef struct mesh_import {
  size_t vertex_count, triangle_count;
  double *vertices;    /* 3 each */
  uint32_t *triangles; /* 3 each */
} mesh_import;

/* From a file's bytes; the kind is recognised by the end of `path`. Equal vertices are joined,
 * triangles without area are left out. Only what is `trusted` (not from inside a recording) reaches
 * a library of others. On failure `why` says what is wrong, with line and column or byte. */
scree_status mesh_import_load(scree_context *context, const char *path, const char *bytes,
                              size_t size, bool trusted, mesh_import *mesh, char *why,
                              size_t why_size);
void mesh_import_clear(scree_context *context, mesh_import *mesh);

#endif

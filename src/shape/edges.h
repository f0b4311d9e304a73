/* Which faces meet at which edge: the half-edges of a set of face loops, sorted, so that the two
 * sides of an edge stand next to each other. */
#ifndef SCREE_SHAPE_EDGES_H
#define SCREE_SHAPE_EDGES_H

#include "shape/shape.h"

typedef struct half_edge {
  uint32_t low, high;  /* vertices, low < high */
  uint32_t face, slot; /* from vertex `slot` of the loop to the next one */
  bool forward;        /* runs from low to high */
} half_edge;

/* One half-edge for each entry of face_vertex; the caller frees it. Null: no memory. */
half_edge *half_edges_create(scree_context *context, uint32_t face_count,
                             const uint32_t *face_start, const uint32_t *face_vertex);

/* The same of triangles. */
half_edge *mesh_half_edges(scree_context *context, uint32_t count, uint32_t (*triangle)[3]);

#endif

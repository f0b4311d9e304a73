/* Triangles as they come from files, made fit for contacts: welded, without doubled triangles and
 * slivers, without vertices in the middle of edges, and with one outside. */
#ifndef SCREE_SHAPE_MESH_REPAIR_H
#define SCREE_SHAPE_MESH_REPAIR_H

#include "shape/shape.h"

typedef struct mesh_soup {
  scree_context *context;
  v3 *vertex;
  uint32_t (*triangle)[3];
  uint32_t vertex_count, triangle_count;
  scree_mesh_report report;
} mesh_soup;

/* `report` is filled but for closed, volume and crossings. */
scree_status mesh_repair(scree_context *context, size_t vertex_count, const double *vertices,
                         size_t triangle_count, const uint32_t *triangles, mesh_soup *soup);
void mesh_soup_clear(mesh_soup *soup);

/* mesh_seam.c: splits triangles at vertices that lie on their open edges. */
scree_status mesh_split_seams(mesh_soup *soup);
/* mesh_orient.c: turns triangles so that neighbours agree, the fewest of each connected piece; all
 * of them where the volume of a closed mesh would be negative. */
scree_status mesh_orient(mesh_soup *soup);

#endif

/* What the files that build flexible parts share. */
#ifndef SCREE_SCENE_BUILD_FLEXIBLE_H
#define SCREE_SCENE_BUILD_FLEXIBLE_H

#include "scene/build/build.h"

typedef struct flexible {
  scree_scene *scene;
  scree_world *world;
  const scene_node *node;
  scene_flexible_keys k;
  scree_material_id material;
} flexible;

typedef struct beam_end {
  bool clamped;
  scree_body_id body; /* null: the world */
} beam_end;

typedef struct solid_element {
  uint32_t node[SCREE_LINK_BODIES];
  uint32_t line; /* of the file that it is from; 0: none */
} solid_element;

/* Tetrahedra, or triangles of a shell, before they are bodies and links. */
typedef struct solid {
  double (*at)[3];
  solid_element *element;
  size_t node_count, element_count;
  uint32_t corners; /* nodes of an element: 4 or 10; 3: a shell */
  uint32_t file;    /* of the lines */
} solid;

typedef struct beam_section {
  double area, inertia_y, inertia_z, torsion, shear_area;
} beam_section;

/* A fault of the library becomes one of the scene, at the part. */
scree_status flexible_told(flexible *f, scree_status status);
/* The bodies that follow bear the part's name. */
scree_status flexible_begin(flexible *f);
bool flexible_given(const flexible *f, const char *key);
beam_section flexible_section(const flexible *f);
/* Velocities at the start of a node at def->position. */
void flexible_set_motion(const flexible *f, scree_body_def *def);
/* A node: a rigid piece of a beam about `middle`. axes: x along the beam, z up in the section. */
scree_status flexible_add_segment(flexible *f, const v3 axes[3], const beam_section *section,
                                  v3 middle, double length);
/* An element but for its bodies, points and `up`. */
scree_link_def flexible_beam_link(const flexible *f, const beam_section *section);
/* Faces or edges x- x+ y- y+ z- z+. */
scree_status flexible_read_held(flexible *f, bool held[6]);

/* Unit vector and length from `start` to `end`; and what `ends` says. */
scree_status flexible_read_line(flexible *f, v3 *along, double *length);
scree_status flexible_read_ends(flexible *f, beam_end ends[2]);

/* flexible_solid.c: nodes and elements into the world; nodes of no element are left out. */
scree_status flexible_build_solid(flexible *f, const solid *s);
scree_status flexible_build_block(flexible *f);
/* flexible_shell.c */
scree_status flexible_build_shell(flexible *f);
/* flexible_cable.c */
scree_status flexible_build_cable(flexible *f);
/* flexible_net.c */
scree_status flexible_build_ring(flexible *f);
scree_status flexible_build_net(flexible *f);
/* flexible_msh.c */
scree_status flexible_build_mesh(flexible *f);

#endif

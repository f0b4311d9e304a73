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

/* flexible_net.c */
scree_status flexible_build_ring(flexible *f);
scree_status flexible_build_net(flexible *f);

#endif

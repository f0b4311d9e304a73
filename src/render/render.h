/* Inside the renderer: the scene as rays meet it. Everything is relative to `origin`, the middle of
 * the focus, so that single precision serves also far from the world's origin.
 *
 *   balls   solid spheres, in Embree's own geometry: the fast case of a million grains
 *   prims   all else that is bounded, by the closed forms of shape/span.h, or a mesh in a tree of
 * its own planes  half-spaces, met by formula */
#ifndef SCREE_RENDER_RENDER_H
#define SCREE_RENDER_RENDER_H

#include "render/colour.h"
#include "scree/render.h"
#include "shape/span.h"

enum { RENDER_APPEARANCE_CONTAINER = SCREE_APPEARANCE_HIDDEN + 1 };

typedef struct render_prim {
  const shape *shape; /* null: a link, a capsule of radius a and half length b */
  float axes[9];      /* rows: the prim's axes in the world */
  f3 position;
  float a, b; /* container: z of the lower and upper end that are drawn */
  uint32_t item, mesh;
  uint8_t appearance, open; /* container: ends that are not there */
} render_prim;

typedef struct render_plane {
  f3 normal;
  float offset; /* normal . x <= offset is solid */
  uint32_t item;
  bool ground;
} render_plane;

typedef struct render_cut {
  int count;
  f3 normal[SCREE_CUT_PLANES];
  float offset[SCREE_CUT_PLANES];
} render_cut;

/* What a ray meets first. */
typedef enum render_what {
  RENDER_NOTHING,
  RENDER_BODY,
  RENDER_GLASS,  /* goes on behind it */
  RENDER_INSIDE, /* a container's wall, from inside */
  RENDER_PLANE,
} render_what;

typedef struct render_hit {
  render_what what;
  float t;
  f3 normal; /* unit, towards the eye */
  uint32_t item;
  float edge; /* container: distance from the nearest edge, m */
  bool section, ground, ghost;
} render_hit;

struct scree_render {
  scree_context *context;
  v3 origin;
  float size;    /* of the focus: half its diagonal */
  f3 focus_half; /* half its sides */
  f3 *colours;   /* of items, then links: linear */
  float *balls;  /* x y z r */
  uint32_t *ball_items;
  size_t ball_count;
  render_prim *prims;
  size_t prim_count;
  render_plane *planes;
  size_t plane_count;
  render_cut cuts[SCREE_CUT_LIMIT];
  size_t cut_count;
  size_t item_count;
  const shape **mesh_shapes;
  size_t mesh_count;
  struct render_tree *tree;    /* Embree's side of it */
  struct render_pixel *pixels; /* room of the picture, kept for the next one */
};

/* Rays are traced in packets: what neighbours meet is nearly the same. */
enum { RENDER_LANES = 8 };

/* scene.c: balls, prims and planes from items. */
scree_status render_collect(scree_render *r, const scree_render_scene *scene);

/* tree.c: Embree. Nothing of it is seen elsewhere. */
scree_status render_tree_create(scree_render *r);
void render_tree_destroy(scree_render *r);
/* Lets go of everything that was built, before the balls and prims change. */
void render_tree_clear(scree_render *r);
scree_status render_tree_build(scree_render *r);
bool render_tree_ready(const scree_render *r);
/* The first hit with t in (t_min, t_max); d is a unit vector. */
render_hit render_trace(const scree_render *r, f3 o, f3 d, float t_min, float t_max);
/* The same for those of eight rays from one place whose bit in `lanes` is set. */
void render_trace_lanes(const scree_render *r, f3 o, const f3 *d, const float *t_min, float t_max,
                        unsigned lanes, render_hit *hits);
/* Which of them, from places of their own, have a solid body in the way? */
unsigned render_occluded_lanes(const scree_render *r, const f3 *o, const f3 *d, float t_max,
                               unsigned lanes);

#endif

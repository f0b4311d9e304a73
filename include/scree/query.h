/* Scree, query: questions about where the bodies of a world are, without a step.
 *
 *   scree_ray_def ray = scree_ray_def_default();   // down from 10 m above the origin
 *   ray.origin[2] = 10.0;
 *   scree_ray_hit hit;
 *   if (!scree_world_cast_ray(world, &ray, &hit) && hit.found) printf("%g m\n", hit.distance);
 *
 * All take bodies as they lie and change nothing. Bodies without a shape are not seen. Rays and
 * regions are refused (SCREE_ERROR_UNSUPPORTED) in a periodic box; the others meet nearest images.
 */
#ifndef SCREE_QUERY_H
#define SCREE_QUERY_H

#include "scree/contact.h"
#include "scree/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_ray_def {
  uint32_t cookie;        /* set by scree_ray_def_default */
  double origin[3];       /* m; default 0 0 0 */
  double direction[3];    /* any length but 0; default 0 0 -1 */
  double reach;           /* m: how far it goes; default infinite */
  uint32_t categories;    /* bodies of any of these are seen; default all */
  scree_body_id left_out; /* one that is not seen, such as who looks; default null: none */
} scree_ray_def;

typedef struct scree_ray_hit {
  bool found; /* false: nothing is hit, and all else is 0 */
  scree_body_id body;
  double position[3]; /* m */
  double normal[3];   /* unit, of the surface, against the ray */
  double distance;    /* m, from the origin */
} scree_ray_hit;

SCREE_API scree_ray_def scree_ray_def_default(void);
/* What a ray meets first; of two at the same distance the body with the lower index. Solids are met
 * from outside: a ray that starts in one does not see it. Meshes and containers are surfaces with
 * two sides. */
SCREE_API scree_status scree_world_cast_ray(const scree_world *world, const scree_ray_def *def,
                                            scree_ray_hit *hit);

typedef struct scree_closest {
  bool found;                    /* false: farther apart than `within`, and all else is 0 */
  double point_a[3], point_b[3]; /* on the surfaces, m */
  double normal[3];              /* unit, from a to b */
  double distance;               /* m; < 0: they overlap, and this is how deep */
} scree_closest;

/* The points of two bodies that are nearest to each other, or deepest in each other; up to `within`
 * metres apart, INFINITY: however far. SCREE_ERROR_UNSUPPORTED: two shapes that cannot touch, such
 * as two containers. */
SCREE_API scree_status scree_world_find_closest(const scree_world *world, scree_body_id a,
                                                scree_body_id b, double within,
                                                scree_closest *closest);

/* Contacts with a gap of at most `margin` (m, >= 0) of all pairs that a step would look at: not of
 * two that nothing can push, nor of those that joints or categories keep apart. 0: overlaps. Writes
 * the first `capacity` of them, impulses zero, in the order of the bodies; *count is of all. */
SCREE_API scree_status scree_world_find_contacts(const scree_world *world, double margin,
                                                 size_t capacity, scree_contact *contacts,
                                                 size_t *count);

/* Bodies whose shapes reach into the box from `low` to `high`, by ascending index; touching it
 * counts. Writes the first `capacity`; *count is of all. */
SCREE_API scree_status scree_world_find_bodies(const scree_world *world, const double low[3],
                                               const double high[3], size_t capacity,
                                               scree_body_id *bodies, size_t *count);

#ifdef __cplusplus
}
#endif
#endif

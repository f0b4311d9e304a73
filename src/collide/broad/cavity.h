/* Containers in the broad phase. Walls have no end, so a container would make a pair with every
 * body, though most touch no wall. While it keeps its place those that are clear of its walls are
 * left out. */
#ifndef SCREE_COLLIDE_BROAD_CAVITY_H
#define SCREE_COLLIDE_BROAD_CAVITY_H

#include "collide/broad/grid.h"

typedef struct broad_cavity {
  bool still;    /* a container at rest, with its place when pairs were found */
  pose place;    /* of the shape */
  double growth; /* how far the walls were seen to move against the mean velocity, m */
} broad_cavity;

/* Walls are seen `skin` (m) nearer than they are. */
broad_cavity broad_cavity_of(const collide_view *view, uint32_t container, v3 mean_velocity,
                             double skin);
/* Is the container still at rest where it was, seen from this mean velocity? */
bool broad_cavity_holds(const broad_cavity *c, const collide_view *view, uint32_t container,
                        v3 mean_velocity);
/* Does a body's box stay away from the walls, the margin included? */
bool broad_cavity_clears(const broad_cavity *c, const broad_boxes *b, uint32_t container,
                         uint32_t body);

#endif

/* The state of the broad phase, shared by broad.c, which finds all pairs, and kept.c, which keeps
 * the list for as long as it can. */
#ifndef SCREE_COLLIDE_BROAD_STATE_H
#define SCREE_COLLIDE_BROAD_STATE_H

#include <stdatomic.h>

#include "collide/broad/cavity.h"
#include "collide/broad/images.h"
#include "collide/broad/rest.h"
#include "collide/broad/stray.h"

/* Updates that wide boxes are kept for. */
enum { BROAD_WIDE_AGE = 20 };

struct broad {
  scree_context *context;
  aabb *box;   /* with slack: what the pairs were found with */
  aabb *shown; /* the same, moved into the periodic box */
  aabb all;    /* of those that have an end */
  v3 image[IMAGES];
  int images;           /* 0: no periodic box */
  uint32_t *large_list; /* ascending */
  size_t large_count;
  broad_cavity *cavity; /* of the large ones */
  broad_grid grid;
  struct piece *piece;
  size_t piece_count;
  uint32_t *length; /* of rows as pieces found them */
  /* Pairs in rows by their lower index. */
  uint32_t *row;
  uint32_t *partner;
  size_t count;
  broad_stray stray;
  broad_rest rest;
  double most_slack;
  double common; /* slack of the bodies that can be pushed, m */
  double side;   /* of the largest box in the grid, its margin included; 0: strays are not mended */
  double most_side;    /* beyond that all is found anew */
  atomic_bool crowded; /* the search was given up */
  bool valid;
  bool wide;  /* boxes of bodies that move much: not worth it once they do not */
  size_t age; /* updates that the pairs have served */
  size_t rebuilds;
  uint32_t *generation; /* of the bodies in the list, where the view has them */
  bool changed;
  uint8_t *left; /* of each body: it has left its box */
};

/* boxes.c: the tight box of a body, grown by how far it may move in the step against v0. */
aabb broad_swept_box(const collide_view *view, size_t i, v3 v0);
/* The same, and ahead along its motion for some steps. */
aabb broad_box_ahead(const collide_view *view, size_t i, v3 v0);

static inline bool broad_inside(aabb a, aabb b) {
  return a.lo.x >= b.lo.x && a.lo.y >= b.lo.y && a.lo.z >= b.lo.z && a.hi.x <= b.hi.x &&
         a.hi.y <= b.hi.y && a.hi.z <= b.hi.z;
}

/* May the large body number k and body i meet? */
static inline bool broad_meets_large(const broad *b, const broad_boxes *boxes, size_t k,
                                     uint32_t i) {
  const uint32_t l = b->large_list[k];
  if (boxes->view->box)
    return broad_may_touch(boxes->view, l, i) && images_near(boxes->view, b->box, l, i);
  return broad_may_touch(boxes->view, l, i) && broad_near(boxes, l, i) &&
         !broad_cavity_clears(&b->cavity[k], boxes, l, i);
}

/* kept.c. After pairs were found anew. */
scree_status broad_prepare_strays(broad *b, size_t n);
/* Bodies came or went: false where the list must be made anew. */
bool broad_adopt(broad *b, const collide_view *view);
/* Are the pairs still valid, after those of a few bodies that left their boxes are found again? */
bool broad_still_valid(broad *b, const collide_view *view);

#endif

/* The grids of the broad phase: levels by size, each an array of cells.
 *
 * A level's array covers where most of its members are; coordinates beyond it wrap round, so that a
 * few far bodies cost nothing:      cell of x = floor((x - origin) / size) mod n, n >= 3
 *
 * Members lie in the order of their cells, x first: the cells x - 1, x, x + 1 of a row are one run,
 * nine runs are a neighbourhood, and a run is tested four members at a time, in floats that are
 * rounded to the safe side. */
#ifndef SCREE_COLLIDE_BROAD_GRID_H
#define SCREE_COLLIDE_BROAD_GRID_H

#include "base/memory.h"
#include "collide/broad/broad.h"

enum { BROAD_LEVELS = 64, BROAD_NO_LEVEL = 255, BROAD_LANES = 5 };

typedef struct broad_level {
  double size; /* of a cell, m */
  v3 origin;
  int64_t cells[3];
  size_t members, first_member;
  size_t first_cell; /* in `start`; each level has one more than it has cells */
} broad_level;

/* Boxes as the search sees them. */
typedef struct broad_boxes {
  const collide_view *view;
  const aabb *box;
  double most_slack; /* of those that are finite */
  v3 mean_velocity;  /* that boxes have grown against */
  double skin;       /* what boxes of walls have grown by beyond that, m */
} broad_boxes;

typedef struct broad_grid {
  scree_context *context;
  uint8_t *level;                   /* of each body, BROAD_NO_LEVEL: none */
  broad_level levels[BROAD_LEVELS]; /* ascending cell size */
  uint32_t *start;                  /* of each cell: its first member; the end of the last */
  uint32_t *slot;                   /* of each body: its cell within its level */
  uint32_t *member;                 /* bodies by level and cell */
  size_t member_count;
  float *lane[BROAD_LANES]; /* by member: x, y, z from its level's origin, half side, ball */
} broad_grid;

void broad_grid_clear(broad_grid *g);
/* The first frees all that a sort makes anew, the second only the lanes for searching partners. */
void broad_grid_give_back(broad_grid *g);
void broad_grid_give_back_lanes(broad_grid *g);
/* Gives each body a level and puts it into its cell. Levels with fewer than `least` members that
 * are not the finest, and boxes without end, get none. */
scree_status broad_grid_sort(broad_grid *g, const broad_boxes *boxes, size_t least);

/* A list that partners are written to. */
typedef struct broad_list {
  uint32_t *entry;
  size_t count, room;
  bool short_of_room; /* `count` says more than there is room for */
} broad_list;

static inline void broad_list_add(broad_list *list, uint32_t x) {
  if (list->count < list->room)
    list->entry[list->count] = x;
  else
    list->short_of_room = true;
  list->count++;
}

/* Where a periodic box lets a body look for partners: as if it were moved by `shift`. */
typedef struct broad_moved {
  const periodic *box; /* null: none */
  v3 shift;
} broad_moved;

/* Partners of the member at a place among members of its own level and coarser ones. Those with a
 * higher index go to `higher`; lower ones of coarser levels, which do not see the member, to
 * `lower`, followed by the member. Each pair is found once; in a periodic box over all its images,
 * by the nearest one. */
void broad_grid_partners(const broad_grid *g, const broad_boxes *boxes, size_t place,
                         const broad_moved *moved, broad_list *higher, broad_list *lower);

/* mean.c: of the bodies that can be pushed. */
v3 broad_mean_velocity(scree_context *context, const collide_view *view);
bool broad_is_excluded(const collide_view *view, uint32_t low, uint32_t high);

/* Spheres that stay within their boxes, about c with half sides s: each centre moves by at most
 * |s - r| from c, so those farther apart cannot meet. Of a cube's neighbours these are a third. The
 * radius about c that holds such a sphere; others have none. */
static inline double broad_ball(const broad_boxes *b, size_t i) {
  if (b->view->place || b->view->shape[i]->kind != SCREE_SHAPE_SPHERE) return INFINITY;
  const double r = b->view->radius[i];
  const v3 half = v3_scale(0.5, v3_sub(b->box[i].hi, b->box[i].lo));
  return r + v3_norm(v3_sub(half, v3_make(r, r, r))) * (1.0 + 1e-9);
}

/* May two bodies touch at all? */
static inline bool broad_may_touch(const collide_view *view, uint32_t i, uint32_t k) {
  if (view->kind[i] && view->kind[k]) return false;
  if (!(view->category[i] & view->collides_with[k]) ||
      !(view->category[k] & view->collides_with[i]))
    return false;
  return !view->excluded_count || !broad_is_excluded(view, i < k ? i : k, i < k ? k : i);
}

/* The margin that a body brings, m; of a wall infinite, as its partner's counts. */
static inline double broad_slack(const collide_view *view, size_t i) {
  if (!isfinite(view->diameter[i])) return INFINITY;
  const double held = view->held + view->held_part * view->diameter[i];
  const double margin = view->margin * view->diameter[i];
  return margin < held ? held : margin;
}

/* Do their boxes come closer than the margin? */
static inline bool broad_near(const broad_boxes *b, uint32_t i, uint32_t k) {
  const double between = view_less(broad_slack(b->view, i), broad_slack(b->view, k));
  return aabb_overlap(aabb_grow(b->box[i], between), b->box[k]);
}

/* Partners of a body in ascending order. */
void broad_sort_row(uint32_t *x, size_t n);

#endif

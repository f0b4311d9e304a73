/* The grids of the broad phase: levels by size, each a hash of the cells in use. */
#ifndef SCREE_COLLIDE_BROAD_GRID_H
#define SCREE_COLLIDE_BROAD_GRID_H

#include "base/memory.h"
#include "collide/broad.h"

enum { BROAD_LEVELS = 64, BROAD_NO_LEVEL = 255 };

/* Pairs as they are found: a body, marked, and its partners after it. */
#define BROAD_OWNER 0x80000000u

typedef struct broad_pairs {
  uint32_t *entry;
  size_t entry_count, capacity;
  size_t count;   /* pairs */
  uint32_t owner; /* of the last entries */
} broad_pairs;

typedef struct broad_cell {
  uint64_t key;          /* 1 + three coordinates of 21 bits; 0: empty */
  uint32_t first, count; /* members */
} broad_cell;

typedef struct broad_level {
  double size; /* of a cell, m */
  size_t members, first_member;
  size_t table, mask; /* its part of the hash table */
} broad_level;

typedef struct broad_grid {
  scree_context *context;
  uint8_t *level; /* of each body, BROAD_NO_LEVEL: none */
  size_t level_capacity;
  broad_level levels[BROAD_LEVELS]; /* ascending cell size */
  broad_cell *cell;
  size_t cell_capacity;
  uint32_t *slot; /* of each body: its cell */
  size_t slot_capacity;
  uint32_t *member; /* bodies by level and cell */
  size_t member_capacity;
  size_t member_count;
} broad_grid;

void broad_grid_clear(broad_grid *g);
/* Frees what is made anew by a sort. */
void broad_grid_give_back(broad_grid *g);
/* Gives each body a level and puts it into its cell. Levels with fewer than `least` members that
 * are not the finest, and boxes without end, get none. */
scree_status broad_grid_sort(broad_grid *g, const collide_view *view, const aabb *box,
                             const double *slack, size_t least);
scree_status broad_grid_pairs(broad_grid *g, const collide_view *view, const aabb *box,
                              const double *slack, broad_pairs *out);

bool broad_is_excluded(const collide_view *view, uint32_t low, uint32_t high);

/* Spheres that stay within their boxes, cubes of side s about c: each centre moves by at most
 * sqrt(3) (s/2 - r) from c, so those farther apart cannot meet. Of a cube's neighbours these are a
 * third. */
static inline bool broad_spheres_apart(const collide_view *view, const aabb *box, double slack,
                                       uint32_t i, uint32_t k) {
  const double room = 0.5 * (box[i].hi.x - box[i].lo.x + box[k].hi.x - box[k].lo.x);
  const double radii = view->radius[i] + view->radius[k];
  const double reach = radii + 1.7320508075688774 * (room - radii) * (1.0 + 1e-9) + slack;
  const v3 d = v3_scale(0.5, v3_sub(v3_add(box[i].lo, box[i].hi), v3_add(box[k].lo, box[k].hi)));
  return v3_norm2(d) > reach * reach;
}

/* Do two bodies make a pair? */
static inline bool broad_meet(const collide_view *view, const aabb *box, const double *slack,
                              uint32_t i, uint32_t k) {
  if (view->kind[i] && view->kind[k]) return false;
  if (!(view->category[i] & view->collides_with[k]) ||
      !(view->category[k] & view->collides_with[i]))
    return false;
  const double between = view_less(slack[i], slack[k]);
  if (!aabb_overlap(aabb_grow(box[i], between), box[k])) return false;
  if (!view->place && view->shape[i]->kind == SCREE_SHAPE_SPHERE &&
      view->shape[k]->kind == SCREE_SHAPE_SPHERE && broad_spheres_apart(view, box, between, i, k))
    return false;
  return !view->excluded_count || !broad_is_excluded(view, i < k ? i : k, i < k ? k : i);
}

static inline scree_status broad_add_pair(scree_context *context, broad_pairs *out, uint32_t i,
                                          uint32_t k) {
  if (out->entry_count + 2 > out->capacity &&
      memory_grow(context, &out->entry, &out->capacity, out->entry_count + 2, sizeof *out->entry))
    return SCREE_ERROR_MEMORY;
  if (!out->entry_count || out->owner != i) out->entry[out->entry_count++] = i | BROAD_OWNER;
  out->owner = i;
  out->entry[out->entry_count++] = k;
  out->count++;
  return SCREE_OK;
}

#endif

/* Bodies that have left the boxes that the pairs were found with. In a bed at rest a few grains
 * roll: some every step where grains are many, and to find all pairs anew for them would cost more
 * than the rest of the search. They get new boxes, and what these meet is added to the pairs.
 *
 * The strays are put into a table by the cells that their boxes reach, and one pass over all bodies
 * looks there. What does not fit the room set aside is left to a search from the start. */
#ifndef SCREE_COLLIDE_BROAD_STRAY_H
#define SCREE_COLLIDE_BROAD_STRAY_H

#include "collide/broad/grid.h"

typedef struct stray_entry {
  uint32_t stray, next; /* 1 + index of the next one of its slot; 0: none */
} stray_entry;

typedef struct broad_stray {
  scree_context *context;
  uint32_t *body; /* ascending */
  size_t count, most;
  uint32_t *slot; /* 1 + index of the first entry */
  size_t slots;   /* a power of two */
  stray_entry *entry;
  size_t entry_count;
  uint64_t *pair; /* lower index << 32 | higher; found, not yet in the rows */
  size_t pair_count;
  size_t room; /* pairs that the rows still have room for */
} broad_stray;

/* Makes room for the strays among `count` bodies. */
scree_status broad_stray_reserve(broad_stray *s, size_t count);
void broad_stray_clear(broad_stray *s);
/* How many pairs may be added until all are found anew. */
size_t broad_stray_room(size_t count);
/* False: there are too many. Bodies come in ascending order. */
static inline bool broad_stray_add(broad_stray *s, size_t i) {
  if (s->count == s->most) return false;
  s->body[s->count++] = (uint32_t)i;
  return true;
}
/* Finds the pairs of the strays with bodies of the grid (those with a level) that are not in the
 * rows. No such body's box has sides longer than `side`, its margin included. False: no room. */
bool broad_stray_search(broad_stray *s, const broad_boxes *boxes, const uint8_t *level, double side,
                        const uint32_t *row, const uint32_t *partner);
/* One pair more, if it is not in the rows. */
bool broad_stray_note(broad_stray *s, uint32_t i, uint32_t k, const uint32_t *row,
                      const uint32_t *partner);
/* Puts the pairs into the rows of `count` bodies, each of which stays ascending. */
void broad_stray_insert(broad_stray *s, size_t count, uint32_t *row, uint32_t *partner);

#endif

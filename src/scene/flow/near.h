/* Balls around bodies, to find room for new ones: those near a place are found by a table of cells,
 * as an emitter may make a million bodies in a step. */
#ifndef SCREE_SCENE_FLOW_NEAR_H
#define SCREE_SCENE_FLOW_NEAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

typedef struct near_ball {
  double x[3], r;
} near_ball;

typedef struct near_list {
  near_ball *balls;
  size_t count;
  uint32_t *first, *next; /* of a cell, of a ball: 1 + the ball; 0: none */
  size_t cells;           /* a power of two; 0: the table is not made */
  double side;            /* of a cell: no two balls that touch are farther apart than one cell */
} near_list;

scree_status near_add(scree_context *context, near_list *list, const double x[3], double r);
/* Once, before the first question: no ball is larger than `largest` from here on. */
scree_status near_sort(scree_context *context, near_list *list, double largest);
/* Would a ball touch none of them? */
bool near_has_room(const near_list *list, const double x[3], double r);
void near_clear(scree_context *context, near_list *list);

#endif

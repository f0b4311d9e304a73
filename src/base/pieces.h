/* Sums over many things, with the same bits for any number of threads: many are cut into a fixed
 * number of pieces, whoever sums a piece, and the pieces are summed in their order. Few are one
 * piece, so that small scenes have the bits of a plain loop. */
#ifndef SCREE_BASE_PIECES_H
#define SCREE_BASE_PIECES_H

#include <stddef.h>

enum { PIECES_MOST = 64, PIECES_MANY = 2048 };

static inline size_t pieces_of(size_t things) {
  return things > PIECES_MANY ? PIECES_MOST : 1;
}

/* Where piece k begins, and the one before it ends. */
static inline size_t pieces_begin(size_t things, size_t k) {
  return things / pieces_of(things) * k + things % pieces_of(things) * k / pieces_of(things);
}

#endif

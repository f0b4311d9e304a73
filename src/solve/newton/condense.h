/* Joints eliminated before Newton's method on contacts begins.
 *
 * Rows of joints are always active, so that their part of the system is the same in all of its
 * steps. With f the rows of free sets and c all others, N_ff = L L':
 *
 *   S = N_cc - X X',   r' = r_c - X w      X = N_cf L^-T,  w = L^-1 r_f
 *   g_f = -L^-T (w + X' g_c)
 *
 * Joints of different machines do not meet in N_ff: it falls into one part for each machine, with
 * L, X and w of its own, and S couples contacts that touch the same machine alone.
 *
 * Nothing is approximated: N_ff is regular where no joint is redundant, else there is no condensed
 * form. Rows of joints have no proximal weight in it. */
#ifndef SCREE_SOLVE_NEWTON_CONDENSE_H
#define SCREE_SOLVE_NEWTON_CONDENSE_H

#include "ccp/operator.h"
#include "math/sparse.h"

/* Joints that hang together. Offsets are into the arrays below. */
typedef struct condense_machine {
  size_t free, coupled; /* rows: of its joints, of all others that meet them */
  size_t l, x, square, w;
  size_t members; /* the blocks that meet them, among all touches by machines */
  size_t member_count;
} condense_machine;

/* A block that is coupled to a machine, and its first row among the coupled rows of that machine.
 */
typedef struct condense_touch {
  uint32_t block, machine, row;
} condense_touch;

typedef struct condense {
  scree_context *context;
  sparse_blocks s; /* S by the blocks of the problem; those of joints have none */
  double *r, *u;   /* r'; S g + r' during sweeps; row_count */
  uint8_t *kind;   /* of each block */
  uint32_t *group; /* of a joint's block: its machine */
  uint32_t *at;    /* its first row there */
  condense_machine *machine;
  size_t machine_count;
  condense_touch *touch;             /* by blocks, from touch_start[block] on */
  condense_touch *member;            /* the same by machines */
  size_t *touch_start;               /* block_count + 1 */
  uint32_t *list[2];                 /* of blocks, while a row is put together */
  double *l, *x, *square, *w, *push; /* by columns; see above */
  size_t *start, *offset;
  uint32_t *column;
  double *value;
} condense;

void condense_clear(condense *c);
/* *on: whether there is a condensed form that is worth having. */
scree_status condense_build(condense *c, const ccp_operator *op, const sparse_blocks *n, bool *on);
bool condense_drops(const condense *c, size_t block);
/* out = S x, the rows of joints left alone. */
void condense_apply(const condense *c, const ccp_operator *op, const double *x, double *out);
/* Gauss–Seidel sweeps over S, until a sweep changes no velocity by more than `enough` (m/s), at
 * most `most`: they see what a push does through the joints, and cost a few hundred products. */
void condense_sweep(condense *c, const ccp_operator *op, scree_model model, int most, double enough,
                    double *g);
/* Computes the rows of joints in g from the other rows. */
void condense_recover(condense *c, const ccp_operator *op, double *g);

#endif

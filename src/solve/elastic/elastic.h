/* Elastic rows of a problem of bodies, condensed into the mass.
 *
 *   M w = D_E g_E + D_K g_K,   w = v - v_free,   u = D'w + r + C g
 *
 * Elastic are free blocks whose rows all have a compliance: u_E = 0 gives g_E = -C^-1 (D_E'w + r_E)
 * and with it
 *
 *   A w = D_K g_K - D_E C^-1 r_E,   A = M + D_E C^-1 D_E' = M + h R + h^2 K     (K without the part
 *                                                                                of the stresses)
 *   u_K = W g_K + q,   W = D_K' A^-1 D_K + C_K,   q = r_K - D_K' A^-1 D_E C^-1 r_E
 *
 * for the kept blocks K, contacts and joints. All this in scaled velocities y = G^-1 w with
 * M^-1 = G G' (ccp/forms/matrices.h): M becomes I, D becomes B, and bodies that cannot move in some
 * direction do no harm.
 *
 * A is block diagonal over components: moving bodies that elastic blocks tie together; all others
 * are components of one body, where A is I. A body is a node with 6 rows in the matrix of its
 * component, with 3 where no elastic row turns it, as in tetrahedra: its turn is then free (I). */
#ifndef SCREE_SOLVE_ELASTIC_ELASTIC_H
#define SCREE_SOLVE_ELASTIC_ELASTIC_H

#include "ccp/forms/matrices.h"
#include "solve/solver.h"

enum { ELASTIC_NONE = UINT32_MAX };

typedef struct elastic_body {
  uint32_t component; /* ELASTIC_NONE: it does not move */
  uint32_t node;      /* among all nodes; ELASTIC_NONE: it is none */
  uint32_t row;       /* its first in y, over all components */
  uint32_t size;      /* rows: 0, 3 or 6 */
} elastic_body;

typedef struct elastic_component {
  size_t node, nodes; /* its first, and how many; 0: a body of its own */
  size_t row, rows;
  size_t entry;          /* of the matrix, its first block */
  uint32_t factor;       /* which; of those with nodes */
  size_t touch, touches; /* kept blocks, into `touch` */
} elastic_component;

typedef struct elastic {
  formed_jacobian b;
  uint8_t *is_elastic; /* of each block */
  elastic_body *body;
  elastic_component *component;
  size_t component_count, node_count, row_count;
  uint32_t *parent, *mark, *node_body;
  /* The matrix: block row of a node; places counted within its component, so that start and
   * row_start have one entry more for each. */
  size_t *start, *offset;
  uint32_t *column, *row_start;
  double *value;
  /* The matrix that the factors belong to. */
  double *old_value;
  size_t *old_start;
  uint32_t *old_column, *old_row_start;
  size_t *back_start; /* elastic blocks of each node */
  uint32_t *back;
  sparse_factor **factor; /* of each component with nodes, in their order */
  size_t factor_count, blocks, entries, old_nodes, old_components;
  bool valid; /* the factors are there */
  /* The kept problem. */
  uint32_t *kept, *kept_row, *kept_set, *touch;
  size_t kept_count, kept_rows;
  ccp_block_rows w;
  double *q, *y, *x, *g; /* y0, room, impulses */
  scree_solver *solver;
} elastic;

/* Is the block elastic? */
bool elastic_is(const scree_ccp *problem, size_t block);

/* matrix.c: components, A and its factors. SCREE_OK with e->valid false: A has no factors. */
scree_status elastic_prepare(elastic *e, const ccp_operator *op);
/* x (rows of one component, from its first) <- A^-1 x, for `count` columns: entry (i, j) in
 * x[count * i + j]. */
void elastic_solve(elastic *e, size_t component, size_t count, double *x);

/* reduce.c: W, q and y0 of the kept blocks. */
scree_status elastic_reduce(elastic *e, const ccp_operator *op);
/* The impulses of all blocks from those of the kept ones. */
void elastic_expand(elastic *e, const ccp_operator *op, const double *kept, double *g);
/* Removes the rounding error u = N g + r from the elastic rows. */
void elastic_refine(elastic *e, const ccp_operator *op, const double *u, double *g);
/* q such that W g_K + q is the u of the kept rows that the problem itself has at g. */
void elastic_correct(elastic *e, const ccp_operator *op, const double *u, const double *kept);
void elastic_clear(scree_context *context, elastic *e);

static inline double *elastic_touch(const elastic *e, size_t k) {
  return e->b.value + e->b.offset[k];
}

#endif

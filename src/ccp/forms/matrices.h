/* Sparse matrices of a problem, for direct methods.
 *
 * The Delassus matrix N in block rows, whatever the form; and for problems of bodies the scaled
 * Jacobian B with N = B'B + C: M^-1 = G G' for each body, B_i = G' D_i. The scaled velocity
 * y = G^-1 (v - v_free) makes all bodies equally heavy, and bodies that cannot move in some
 * direction do no harm. */
#ifndef SCREE_CCP_FORMS_MATRICES_H
#define SCREE_CCP_FORMS_MATRICES_H

#include "ccp/operator.h"
#include "math/sparse.h"

typedef struct formed_matrix {
  sparse_blocks blocks;
  /* What `blocks` points to, when it is not the operator's own. */
  size_t *start, *offset;
  uint32_t *column;
  double *value;
} formed_matrix;

/* N, compliance included. It stays valid as long as the operator. */
scree_status form_delassus(ccp_operator *op, formed_matrix *n);
void formed_matrix_clear(scree_context *context, formed_matrix *n);

/* Block i touches the bodies body[start[i]] …, each moving body once; touch k holds B_i' for it:
 * d_i rows of 6, from value[offset[k]]. */
typedef struct formed_jacobian {
  size_t body_count, block_count;
  size_t *start;
  uint32_t *body;
  size_t *offset;
  double *value;
} formed_jacobian;

/* Bodies that cannot move are in no touch. */
static inline bool formed_body_moves(const ccp_operator *op, uint32_t body) {
  return ccp_body_moves(&op->problem->bodies, body);
}
/* Only for problems of bodies. */
scree_status formed_jacobian_build(const ccp_operator *op, formed_jacobian *b);
void formed_jacobian_clear(scree_context *context, formed_jacobian *b);

/* I + B X B' over bodies: the pattern, with 6 rows per body. The blocks of row i lie in ascending
 * order of bodies; `place` says for touches k, l of one block where the block (body k, body l)
 * begins in `value`. */
typedef struct formed_bodies {
  sparse_blocks blocks;
  size_t *start, *offset;
  uint32_t *column, *row_start;
  double *value;
  size_t *place;       /* for each block, touches x touches entries */
  size_t *place_start; /* of each block */
} formed_bodies;

scree_status formed_bodies_build(scree_context *context, const formed_jacobian *b,
                                 formed_bodies *s);
/* Fills the values: x holds a dense d_i x d_i block by rows for every block of the problem. */
void formed_bodies_fill(const formed_jacobian *b, const uint32_t *row_start, const double *x,
                        formed_bodies *s);
void formed_bodies_clear(scree_context *context, formed_bodies *s);

#endif

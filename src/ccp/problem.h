/* The stored problem. Blocks are common to all forms; the rest depends on the form. */
#ifndef SCREE_CCP_PROBLEM_H
#define SCREE_CCP_PROBLEM_H

#include "base/context.h"
#include "ccp/ranks.h"
#include "scree/ccp.h"

/* Geometry of a compact contact. Rows follow the order stated in scree/ccp.h; the second tangent is
 * normal x tangent. u = velocity of b minus velocity of a, in the frame (n, t1, t2). */
typedef struct ccp_contact {
  uint32_t body_a, body_b;
  double normal[3], tangent[3], arm_a[3], arm_b[3];
} ccp_contact;

typedef struct ccp_bodies {
  scree_ccp_body_def *body;
  size_t body_count;
  ccp_contact *contact; /* block i < contact_count */
  size_t contact_count;
  /* Generic rows: row k (counted from the first generic row) has the terms
   * term_start[k] … term_start[k + 1] - 1. */
  scree_ccp_term *term;
  size_t term_count;
  size_t *term_start;
  size_t generic_row_count;
} ccp_bodies;

/* A matrix of the problem's own, compressed columns. */
typedef struct ccp_matrix {
  size_t rows, columns;
  size_t *start;
  uint32_t *index;
  double *value;
} ccp_matrix;

/* Block row i holds blocks start[i] … start[i + 1] - 1; block k stands in block column column[k],
 * its entries (row-major, d_i x d_column) begin at value[offset[k]]. See block_rows.h. */
typedef struct ccp_block_rows {
  size_t *start;
  uint32_t *column;
  size_t *offset;
  double *value;
  size_t *diagonal; /* index k of the diagonal block of each row */
  double asymmetry; /* |N - N'|_F / |N|_F */
} ccp_block_rows;

/* What cohesion.c took out of a problem: residuals are those of the problem as it was given. */
typedef struct ccp_taken {
  const double *pull; /* of each row, N s: impulses are g + pull */
  double r_norm;      /* |r| */
  double reference;   /* m/s, that R is measured in */
} ccp_taken;

struct scree_ccp {
  scree_context *context;
  scree_form form;
  size_t block_count, row_count;
  uint32_t *row_start; /* block_count + 1 */
  uint32_t *set_index; /* block_count, into set */
  scree_set *set;      /* distinct sets, in order of first use */
  size_t set_count;
  double *offset;         /* row_count: b, q or w */
  double *compliance;     /* row_count; null: all zero */
  double reference_speed; /* given, m/s; 0: from the problem */
  double least_speed;     /* m/s, below which a speed is rounding of positions; 0: not known */
  /* Where free rows contradict each other, that is to be reported, with what is left of them, and
   * not proven that there is no solution (solve/direct/direct.c). */
  bool asks_contradictions;
  ccp_bodies bodies;
  ccp_matrix w;        /* local */
  ccp_block_rows rows; /* local: W with the compliance */
  ccp_matrix m, h;
  double *f;              /* global: m.rows */
  const ccp_ranks *ranks; /* null: all of it is here */
  const ccp_taken *taken; /* null: nothing */
};

/* scree_ccp_add_body for many that are made in any order: their places come into being, and are
 * then filled; false: one is not as it must be, and is to be refused. */
scree_status ccp_extend_bodies(scree_ccp *problem, size_t count);
bool ccp_set_body(scree_ccp *problem, size_t body, const scree_ccp_body_def *def);
scree_status ccp_refuse_body(scree_ccp *problem, size_t body);
/* Room for so many more contacts. */
scree_status ccp_reserve_contacts(scree_ccp *problem, size_t more);
/* scree_ccp_add_contact for an assembler that makes contacts by the hundred thousand: there is
 * room, bodies exist, normal and tangent are unit and across each other. Only what may come from a
 * broken state is looked at: numbers that are not finite. */
scree_status ccp_put_contact(scree_ccp *problem, const scree_ccp_contact_def *def);
/* Another set of the same kind and dimension, offset and compliance of a contact's normal row. */
scree_status ccp_change_contact(scree_ccp *problem, size_t contact, const scree_set *set,
                                double offset, double compliance);

/* The same where `count` contacts of one dimension are made in any order: their places come into
 * being, and are then filled one by one. `set` is what set_index is to hold; false: a number is not
 * finite. */
void ccp_extend_contacts(scree_ccp *problem, size_t count, size_t dim);
bool ccp_set_contact(scree_ccp *problem, size_t contact, size_t row,
                     const scree_ccp_contact_def *def, uint32_t set);
/* The place of such a contact, to be filled by the caller, offsets included. */
static inline ccp_contact *ccp_open_contact(scree_ccp *problem, size_t contact, size_t row,
                                            size_t dim, uint32_t set) {
  problem->set_index[contact] = set;
  problem->row_start[contact + 1] = (uint32_t)(row + dim);
  return &problem->bodies.contact[contact];
}
/* The index of a set, which is kept if it is new. */
scree_status ccp_find_set(scree_ccp *problem, const scree_set *set, uint32_t *index);
/* Back to the first `count` contacts, where all blocks are contacts. */
void ccp_drop_contacts(scree_ccp *problem, size_t count);

/* The least reference speed that is not rounding: see speed.c. */
double ccp_least_speed(const scree_ccp *problem);
/* The same where r is a sum of such terms, m/s. */
double ccp_least_of_terms(double terms);
void ccp_set_least_speed(scree_ccp *problem, double speed);

static inline const scree_set *ccp_set(const scree_ccp *problem, size_t block) {
  return &problem->set[problem->set_index[block]];
}

static inline int ccp_dim(const scree_ccp *problem, size_t block) {
  return (int)(problem->row_start[block + 1] - problem->row_start[block]);
}

/* Blocks that are contacts of bodies, which come first; 0 in the other forms. */
static inline size_t ccp_contact_count(const scree_ccp *problem) {
  return problem->bodies.contact_count;
}

static inline bool ccp_body_moves(const ccp_bodies *bodies, uint32_t body) {
  return body != SCREE_CCP_WORLD &&
         (bodies->body[body].inverse_mass > 0.0 || bodies->body[body].inverse_inertia[0] > 0.0 ||
          bodies->body[body].inverse_inertia[3] > 0.0 ||
          bodies->body[body].inverse_inertia[5] > 0.0);
}

#endif

/* The bodies form behind the operator: what its files share.
 *
 * A contact's impulse g gives body b the force f = sum g_k d_k and the moment m = sum g_l d_l over
 * its moment rows, at the lever arm: twist_b += (f / m_b, I_b^-1 (arm_b x f + m)), and the opposite
 * to a. The local velocity is d_k . (v_b + w_b x arm_b - v_a - w_a x arm_a), moments d_l . (w_b -
 * w_a). */
#ifndef SCREE_CCP_BODIES_OPERATOR_H
#define SCREE_CCP_BODIES_OPERATOR_H

#include "ccp/bodies/diagonal.h"
#include "ccp/bodies/glide.h"
#include "ccp/bodies/gradient.h"
#include "ccp/bodies/pack.h"
#include "ccp/bodies/rigid.h"
#include "ccp/bodies/whole.h"
#include "ccp/colouring.h"
#include "ccp/contact_frame.h"
#include "ccp/operator.h"
#include "math/vec3.h"

enum { BODIES_PARALLEL = 4096 };

typedef struct op_bodies {
  /* One line per body and a last one for the world, which stays zero. */
  body_line *state; /* v = v_free + M^-1 D g of the sweep in progress */
  body_line *push;  /* D x, then M^-1 D x */
  const body_kernels *kernels;
  bodies_pack pack, rolled; /* contacts without moments, and with */
  bodies_gradient gradient;
  bodies_glide glide;
  /* Blocks that are not packed, and their moving bodies. */
  uint32_t *rest;
  size_t *rest_start;
  uint32_t *rest_body;
  colouring colours;
  bodies_rigid rigid;
  bodies_diagonal diagonal;
  bodies_whole whole;
  op_judged *judged; /* a unit of each pack, then a chunk of the blocks that are not packed */
} op_bodies;

/* The packs: k = 0 and 1, BODIES_PACKS in all. */
static inline bodies_pack *bodies_pack_at(const op_bodies *impl, int k) {
  return (bodies_pack *)(k ? &impl->rolled : &impl->pack);
}

/* The first row of a block that is no contact, counted from the first of these. */
static inline size_t bodies_generic_row(const ccp_operator *op, size_t block) {
  return op->row_start[block] - op->row_start[op->problem->bodies.contact_count];
}

/* Copies of a body on several ranks get one twist, or momentum: see ccp/ranks.h. */
static inline void bodies_average(const ccp_operator *op, body_line *lines) {
  if (op->ranks)
    op->ranks->average(op->ranks->user, lines->linear, sizeof *lines / sizeof *lines->linear);
}

/* ---- one contact ---------------------------------------------------------------------------- */

typedef struct wrench {
  v3 force, moment;
} wrench;

static inline wrench contact_wrench(const ccp_contact *c, int dim, const double *x) {
  const contact_frame f = contact_frame_of(c);
  if (dim == 3) return (wrench){contact_frame_force(&f, 3, x), {0, 0, 0}};
  return (wrench){contact_frame_force(&f, dim, x), contact_frame_moment(&f, dim, x)};
}

/* Point velocity and angular velocity of one side; zero for the world. */
static inline void side_velocity(const body_line *lines, uint32_t body, const double *arm,
                                 v3 *linear, v3 *angular) {
  *linear = *angular = v3_make(0, 0, 0);
  if (body == SCREE_CCP_WORLD) return;
  *angular = v3_load(lines[body].angular);
  *linear = v3_add(v3_load(lines[body].linear), v3_cross(*angular, v3_load(arm)));
}

static inline void contact_velocity(const ccp_contact *c, int dim, const body_line *lines,
                                    double *u) {
  v3 la, wa, lb, wb;
  side_velocity(lines, c->body_a, c->arm_a, &la, &wa);
  side_velocity(lines, c->body_b, c->arm_b, &lb, &wb);
  const v3 linear = v3_sub(lb, la), angular = v3_sub(wb, wa);
  const contact_frame f = contact_frame_of(c);
  if (dim == 3) {
    contact_frame_force_rows(&f, 3, linear, u);
    return;
  }
  contact_frame_force_rows(&f, dim, linear, u);
  contact_frame_moment_rows(&f, dim, angular, u);
}

/* Adds sign * (f, arm x f + m) to a line that gathers momentum. */
static inline void line_add_wrench(body_line *line, double sign, wrench w, const double *arm) {
  const v3 moment = v3_add(v3_cross(v3_load(arm), w.force), w.moment);
  line->linear[0] += sign * w.force.x;
  line->linear[1] += sign * w.force.y;
  line->linear[2] += sign * w.force.z;
  line->angular[0] += sign * moment.x;
  line->angular[1] += sign * moment.y;
  line->angular[2] += sign * moment.z;
}

/* M^-1 times the momentum in a line. */
static inline void line_to_twist(const scree_ccp_body_def *body, const body_line *momentum,
                                 double *twist) {
  const v3 turn = sym3_mul_v3(body->inverse_inertia, v3_load(momentum->angular));
  for (int k = 0; k < 3; k++) twist[k] = body->inverse_mass * momentum->linear[k];
  twist[3] = turn.x;
  twist[4] = turn.y;
  twist[5] = turn.z;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* u = D_i'v of the twists in the lines. */
void bodies_read_block(const ccp_operator *op, size_t block, const body_line *lines, double *u);
/* lines += D_i x, momentum, at the moving bodies. */
void bodies_push_block(const ccp_operator *op, size_t block, const double *x, body_line *lines);
/* The same for all blocks, from zero; every thread of a team calls it. A null x stands for the
 * impulses that the groups hold; `rest` holds those of the blocks that are not packed. */
void bodies_push_share(const ccp_operator *op, const double *x, const double *rest);
/* v_free + M^-1 of the momentum in impl->push. */
static inline void bodies_velocity_of(const ccp_operator *op, size_t k, double *v) {
  const op_bodies *impl = op->impl;
  const scree_ccp_body_def *body = &op->problem->bodies.body[k];
  line_to_twist(body, &impl->push[k], v);
  for (int l = 0; l < 6; l++) v[l] += body->v_free[l];
}
/* The sweep over the blocks that are not packed. Returns as op_sweep does. */
double bodies_sweep_rest(ccp_operator *op, const op_sweep_params *params, double *g);
/* push = D x, momentum per body. */
void bodies_sum_pushes(const ccp_operator *op, const double *x);

/* A sweep over a pack's groups, with omega and lambda 1. */
sphere_sweep bodies_pack_sweep(const op_bodies *impl, const bodies_pack *pack, scree_model model);

#endif

/* See bodies/turning.h. A contact fits when its cone has no cohesion and no flow, and a body that
 * it can move. */
#include "ccp/bodies/turning.h"

#include <math.h>
#include <string.h>

#include "ccp/bodies/diagonal.h"
#include "ccp/bodies/operator.h"
#include "ccp/sets/set.h"

enum { ROWS = 6, GROUPS = 3 };

static bool is_usual(double coefficient) {
  return coefficient == 0.0 || (coefficient > 1e-9 && coefficient < 1e6);
}

bool bodies_turning_fits(const ccp_operator *op, size_t i) {
  const scree_ccp *p = op->problem;
  const scree_set *set = ccp_set(p, i);
  if (i >= p->bodies.contact_count || !set_has_moments(set)) return false;
  const ccp_contact *c = &p->bodies.contact[i];
  const bool moves =
      (ccp_body_moves(&p->bodies, c->body_a) && p->bodies.body[c->body_a].inverse_mass > 0.0) ||
      (ccp_body_moves(&p->bodies, c->body_b) && p->bodies.body[c->body_b].inverse_mass > 0.0);
  return moves && set_fits_lanes(set) && is_usual(set->mu) && is_usual(set_rolling_of(set)) &&
         is_usual(set_spinning_of(set));
}

/* The place of row k of a block among the six rows of a group. */
static int slot_of(int dim, int k) {
  return rows_is_moment(k) && rows_axis(dim, k) == 0 ? rows_spinning(ROWS) : k;
}

/* The group of one of the six: 0 is the normal. */
static int group_of(int slot) {
  return (slot + 1) / 2;
}

/* Fills the scales of a block and the block in scaled rows, as in sets/local_rolling.c. */
static void fill_block(turning_group *g, size_t k, const scree_set *set, const double *nii) {
  const double coefficient[GROUPS] = {set->mu, set_rolling_of(set), set_spinning_of(set)};
  double n[ROWS][ROWS] = {{0.0}}, trace[GROUPS + 1] = {0.0};
  for (int j = 0; j < GROUPS; j++) {
    g->scale[j][k] = coefficient[j];
    g->inverse_scale[j][k] = coefficient[j] > 0.0 ? 1.0 / coefficient[j] : 0.0;
  }
  for (int i = 0; i < set->dim; i++)
    for (int j = 0; j < set->dim; j++) {
      const int a = slot_of(set->dim, i), b = slot_of(set->dim, j);
      const double by =
          (a ? coefficient[group_of(a) - 1] : 1.0) * (b ? coefficient[group_of(b) - 1] : 1.0);
      n[a][b] = by * 0.5 * (nii[i * set->dim + j] + nii[j * set->dim + i]);
    }
  for (int i = 0; i < ROWS; i++) {
    const bool absent = i > 0 && coefficient[group_of(i) - 1] == 0.0;
    if (!(n[i][i] > 0.0)) n[i][i] = absent ? nii[0] : 1e-15 * nii[0];
    trace[group_of(i)] += n[i][i];
  }
  for (int j = 0; j <= GROUPS; j++) g->r[j][k] = (j == 1 || j == 2 ? 2.0 : 1.0) / trace[j];
  for (int i = 0, at = 0; i < ROWS; i++)
    for (int j = i; j < ROWS; j++, at++) g->n[at][k] = n[i][j];
}

static void fill_inertia(const ccp_bodies *bodies, uint32_t body, size_t k,
                         double (*inertia)[PACK_LANES]) {
  if (!ccp_body_moves(bodies, body)) return;
  for (size_t f = 0; f < 6; f++) inertia[f][k] = bodies->body[body].inverse_inertia[f];
}

static void fill_lane(const ccp_operator *op, turning_group *g, size_t k, size_t i) {
  const scree_ccp *p = op->problem;
  const ccp_contact *c = &p->bodies.contact[i];
  const scree_set *set = ccp_set(p, i);
  const size_t row = op->row_start[i];
  const double *nii = bodies_diagonal_kept(op, i);
  double trace = 0.0;
  g->a[k] = bodies_rigid_side(&p->bodies, c->body_a);
  g->b[k] = bodies_rigid_side(&p->bodies, c->body_b);
  g->row[k] = (uint32_t)row;
  g->dim[k] = (uint32_t)set->dim;
  for (size_t f = 0; f < 3; f++) {
    g->normal[f][k] = c->normal[f];
    g->tangent[f][k] = c->tangent[f];
    g->arm_a[f][k] = c->body_a == SCREE_CCP_WORLD ? 0.0 : c->arm_a[f];
    g->arm_b[f][k] = c->body_b == SCREE_CCP_WORLD ? 0.0 : c->arm_b[f];
    trace += nii[f * ((size_t)set->dim + 1)];
  }
  for (int f = 0; f < set->dim; f++) {
    const int slot = slot_of(set->dim, f);
    g->offset[slot][k] = p->offset[row + (size_t)f];
    g->compliance[slot][k] = p->compliance ? p->compliance[row + (size_t)f] : 0.0;
  }
  fill_inertia(&p->bodies, c->body_a, k, g->inertia_a);
  fill_inertia(&p->bodies, c->body_b, k, g->inertia_b);
  fill_block(g, k, set, nii);
  g->weight[k] = trace / 3.0;
  g->top[k] = set->cap;
  g->capped = g->capped || set->cap < INFINITY;
}

void bodies_turning_fill(const ccp_operator *op, turning_group *g, const uint32_t *block,
                         size_t count) {
  const scree_set none = scree_set_rolling(ROWS, 0.0, 0.0, 0.0);
  double unit[ROWS * ROWS] = {0.0};
  for (int i = 0; i < ROWS; i++) unit[i * (ROWS + 1)] = 1.0;
  memset(g, 0, sizeof *g);
  g->count = (uint32_t)count;
  for (size_t k = 0; k < count; k++) fill_lane(op, g, k, block[k]);
  for (size_t k = count; k < PACK_LANES; k++) {
    g->a[k] = g->b[k] = (uint32_t)op->problem->bodies.body_count | PACK_FIXED;
    fill_block(g, k, &none, unit);
    g->weight[k] = 1.0;
    g->top[k] = INFINITY;
  }
}

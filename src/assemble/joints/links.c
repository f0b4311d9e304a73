/* Links into the problem: each row of an elastic link (model/link/link.h) is a free row, implicit
 * in the step.
 *
 *   force  f = -(s + h k u) - c u,  u = g'v at the end of the step;  impulse = kick f
 *   so     u + s/(k h + c) + impulse/(kick (k h + c)) = 0:
 *          b = s/(k h + c),   C = 1/(kick (k h + c))
 *
 * Any stiffness is stable; what swings faster than the step is damped. k must be above 0 here.
 * Where stresses make it less, a row without stress is left out (the stress then acts as it is at
 * the start of the step), and one with stress is taken with |k|.
 *
 * Inertia of a link, sum of c c' (model/link/inertia.c), is rows too: a mass of 1 kg that moves
 * with u = sum of c_i v_i, by impulse = -(u - u' - kick c g), u' before the step and c g what
 * gravity gives it: b = -(u' + kick c g), C = 1.
 *
 * The user's own forces are part of the free velocities. */
#include "assemble/assembler.h"
#include "ccp/problem.h"
#include "model/link/link.h"

static const double softest = 1e-9; /* of the stiffest row of a link */

/* Rows gathered to blocks. */
typedef struct row_block {
  assembler *a;
  const world_link *link;
  scree_ccp_term terms[SCREE_MAX_DIM][LINK_BODIES];
  scree_ccp_row_def def[SCREE_MAX_DIM];
  double g[SCREE_MAX_DIM]; /* start of the iteration */
  uint32_t rows;
} row_block;

static bool takes_part(const scree_world *w, const world_link *l) {
  bool any = false;
  for (uint32_t k = 0; l->alive && l->rows && k < l->body_count; k++)
    any |= l->body[k] != WORLD_NO_BODY && world_is_dynamic(w, l->body[k]);
  return any;
}

static scree_status flush(row_block *b) {
  assembler *a = b->a;
  const size_t first = a->problem->row_count;
  if (!b->rows) return SCREE_OK;
  if (assembler_reserve_g(a, first + b->rows)) return SCREE_ERROR_MEMORY;
  for (uint32_t r = 0; r < b->rows; r++) a->g[first + r] = b->g[r];
  const scree_set set = scree_set_free((int)b->rows);
  b->rows = 0;
  return scree_ccp_add_block(a->problem, &set, b->def);
}

/* A row with its terms, 6 numbers per body; *rate: its u' before the step. */
static void begin_row(row_block *b, const double *gradient, double *rate) {
  const scree_world *w = b->a->world;
  *rate = 0.0;
  for (uint32_t k = 0; k < b->link->body_count; k++) {
    const uint32_t i = b->link->body[k];
    const double *g = gradient + 6 * k;
    b->terms[b->rows][k] =
        (scree_ccp_term){.body = i == WORLD_NO_BODY ? SCREE_CCP_WORLD : b->a->order.rank[i]};
    memcpy(b->terms[b->rows][k].coefficient, g, 6 * sizeof *g);
    if (i != WORLD_NO_BODY)
      *rate +=
          v3_dot(v3_load(g), w->bodies.linear[i]) + v3_dot(v3_load(g + 3), w->bodies.angular[i]);
  }
}

static scree_status end_row(row_block *b, double offset, double compliance, double start) {
  b->def[b->rows] = (scree_ccp_row_def){.terms = b->terms[b->rows],
                                        .term_count = b->link->body_count,
                                        .offset = offset,
                                        .compliance = compliance};
  b->g[b->rows++] = start;
  return b->rows == SCREE_MAX_DIM ? flush(b) : SCREE_OK;
}

static scree_status add_rows(row_block *b, double h) {
  assembler *a = b->a;
  link_rows seen;
  double stiffest = 0.0;
  scree_status status = SCREE_OK;
  link_measure(a->world, b->link, &seen);
  for (uint32_t r = 0; r < seen.count; r++) stiffest = fmax(stiffest, fabs(seen.row[r].stiffness));
  const double least = softest * stiffest;
  for (uint32_t r = 0; r < seen.count && !status; r++) {
    const link_row *row = &seen.row[r];
    double k = row->stiffness, rate;
    if (!(k > least)) {
      /* A damper, a spring of no stiffness, or a direction that gives way. */
      const bool stressed = row->stress != 0.0 && stiffest > 0.0;
      if (!stressed && !(row->damping > 0.0)) continue;
      k = stressed ? fmax(fabs(k), least) : 0.0;
    }
    const double hard = k * h + row->damping;
    begin_row(b, row->gradient, &rate);
    /* It starts with the impulse for stress and rate as they are now. */
    status = end_row(b, row->stress / hard, 1.0 / (a->kick * hard),
                     -a->kick * (row->stress + row->damping * rate));
  }
  return status ? status : flush(b);
}

static scree_status add_inertia(row_block *b) {
  const assembler *a = b->a;
  double c[LINK_BODIES][LINK_BODIES];
  const uint32_t count = link_inertia_rows(b->link, c);
  scree_status status = SCREE_OK;
  for (uint32_t k = 0; k < 3 * count && !status; k++) {
    double gradient[LINK_DIM] = {0.0}, whole = 0.0, rate;
    const uint32_t axis = k % 3;
    for (uint32_t i = 0; i < b->link->body_count; i++) {
      gradient[6 * i + axis] = c[k / 3][i];
      whole += c[k / 3][i];
    }
    begin_row(b, gradient, &rate);
    status = end_row(b, -(rate + a->kick * whole * a->world->def.gravity[axis]), 1.0, 0.0);
  }
  return status ? status : flush(b);
}

scree_status assembler_add_links(assembler *a, const assembler_params *params) {
  const scree_world *w = a->world;
  joint_rows *j = &a->joints;
  if (memory_grow(a->context, &j->link_block, w->link_limit + 1, sizeof *j->link_block) ||
      memory_grow(a->context, &j->link_inertia, w->link_limit + 1, sizeof *j->link_inertia))
    return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < w->link_limit; k++) {
    const world_link *l = &w->link[k];
    row_block block = {.a = a, .link = l};
    const bool any = takes_part(w, l);
    j->link_block[k] = (uint32_t)a->problem->block_count;
    scree_status status = any ? add_rows(&block, params->h) : SCREE_OK;
    j->link_inertia[k] = (uint32_t)a->problem->block_count;
    if (!status && any && l->heavy) status = add_inertia(&block);
    if (status) return status;
  }
  j->link_block[w->link_limit] = (uint32_t)a->problem->block_count;
  return SCREE_OK;
}

void assembler_push_links(assembler *a) {
  const joint_rows *j = &a->joints;
  if (!a->world->link_limit) return;
  for (uint32_t b = j->link_block[0]; b < j->link_block[a->world->link_limit]; b++)
    assembler_push_block(a, b);
}

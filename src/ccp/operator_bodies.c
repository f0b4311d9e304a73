/* The bodies form: contacts and generic rows over rigid bodies, matrix-free.
 *
 * A contact's impulse g gives body b the force f = sum g_k d_k and the moment m = sum g_l d_l over
 * its moment rows, at the lever arm: twist_b += (f / m_b, I_b^-1 (arm_b x f + m)), and the opposite
 * to a. The local velocity is d_k . (v_b + w_b x arm_b - v_a - w_a x arm_a), moments d_l . (w_b -
 * w_a).
 *
 * N x is made in two passes: pushes are summed a body at a time in ascending block order (so the
 * same bits for any number of threads), then read back by the blocks. */
#include "ccp/operator_bodies.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/colouring.h"

enum { PARALLEL_BLOCKS = 4096 };

/* ---- one contact, one generic block --------------------------------------------------------- */

typedef struct wrench {
  v3 force, moment;
} wrench;

static wrench contact_wrench(const ccp_contact *c, int dim, const double *x) {
  const contact_rows rows = contact_rows_of(c, dim);
  wrench w = {{0, 0, 0}, {0, 0, 0}};
  for (int k = 0; k < rows.forces; k++) w.force = v3_add_scaled(w.force, x[k], rows.direction[k]);
  for (int k = rows.forces; k < dim; k++)
    w.moment = v3_add_scaled(w.moment, x[k], rows.direction[k]);
  return w;
}

static void add_wrench(body_line *line, const scree_ccp_body_def *body, double sign, wrench w,
                       const double *arm) {
  const v3 moment = v3_add(v3_cross(v3_load(arm), w.force), w.moment);
  const v3 turn = sym3_mul_v3(body->inverse_inertia, moment);
  const double s = sign * body->inverse_mass;
  line->linear[0] += s * w.force.x;
  line->linear[1] += s * w.force.y;
  line->linear[2] += s * w.force.z;
  line->angular[0] += sign * turn.x;
  line->angular[1] += sign * turn.y;
  line->angular[2] += sign * turn.z;
}

/* Point velocity and angular velocity of one side; zero for the world. */
static void side_velocity(const body_line *lines, uint32_t body, const double *arm, v3 *linear,
                          v3 *angular) {
  *linear = *angular = v3_make(0, 0, 0);
  if (body == SCREE_CCP_WORLD) return;
  *angular = v3_load(lines[body].angular);
  *linear = v3_add(v3_load(lines[body].linear), v3_cross(*angular, v3_load(arm)));
}

static void contact_velocity(const ccp_contact *c, int dim, const body_line *lines, double *u) {
  v3 la, wa, lb, wb;
  side_velocity(lines, c->body_a, c->arm_a, &la, &wa);
  side_velocity(lines, c->body_b, c->arm_b, &lb, &wb);
  const v3 linear = v3_sub(lb, la), angular = v3_sub(wb, wa);
  const contact_rows rows = contact_rows_of(c, dim);
  for (int k = 0; k < dim; k++)
    u[k] = v3_dot(rows.direction[k], k < rows.forces ? linear : angular);
}

static size_t generic_row(const ccp_operator *op, size_t block) {
  const size_t contacts = op->problem->bodies.contact_count;
  return op->row_start[block] - op->row_start[contacts];
}

static void generic_velocity(const ccp_operator *op, size_t block, const body_line *lines,
                             double *u) {
  const ccp_bodies *bodies = &op->problem->bodies;
  const size_t row = generic_row(op, block), dim = (size_t)ccp_dim(op->problem, block);
  for (size_t k = 0; k < dim; k++) {
    u[k] = 0.0;
    for (size_t t = bodies->term_start[row + k]; t < bodies->term_start[row + k + 1]; t++) {
      const double *c = bodies->term[t].coefficient;
      const body_line *line = &lines[bodies->term[t].body];
      for (int j = 0; j < 3; j++) u[k] += c[j] * line->linear[j] + c[3 + j] * line->angular[j];
    }
  }
}

static void add_term(body_line *line, const scree_ccp_body_def *body, const double *c, double x) {
  const v3 turn = sym3_mul_v3(body->inverse_inertia, v3_load(c + 3));
  for (int j = 0; j < 3; j++) line->linear[j] += body->inverse_mass * c[j] * x;
  line->angular[0] += turn.x * x;
  line->angular[1] += turn.y * x;
  line->angular[2] += turn.z * x;
}

/* Adds the push of one block to the lines of its moving bodies. */
static void push_block(const ccp_operator *op, size_t block, const double *x, body_line *lines) {
  const ccp_bodies *bodies = &op->problem->bodies;
  const int dim = ccp_dim(op->problem, block);
  if (block < bodies->contact_count) {
    const ccp_contact *c = &bodies->contact[block];
    const wrench w = contact_wrench(c, dim, x);
    if (ccp_body_moves(bodies, c->body_a))
      add_wrench(&lines[c->body_a], &bodies->body[c->body_a], -1.0, w, c->arm_a);
    if (ccp_body_moves(bodies, c->body_b))
      add_wrench(&lines[c->body_b], &bodies->body[c->body_b], 1.0, w, c->arm_b);
    return;
  }
  const size_t row = generic_row(op, block);
  for (size_t k = 0; k < (size_t)dim; k++)
    for (size_t t = bodies->term_start[row + k]; t < bodies->term_start[row + k + 1]; t++) {
      const scree_ccp_term *term = &bodies->term[t];
      if (ccp_body_moves(bodies, term->body))
        add_term(&lines[term->body], &bodies->body[term->body], term->coefficient, x[k]);
    }
}

/* The part of one block's push that goes to one body: the gather side of apply. */
static void push_block_to(const ccp_operator *op, size_t block, uint32_t target, const double *x,
                          body_line *line) {
  const ccp_bodies *bodies = &op->problem->bodies;
  const int dim = ccp_dim(op->problem, block);
  const scree_ccp_body_def *body = &bodies->body[target];
  if (block < bodies->contact_count) {
    const ccp_contact *c = &bodies->contact[block];
    const wrench w = contact_wrench(c, dim, x);
    if (c->body_a == target)
      add_wrench(line, body, -1.0, w, c->arm_a);
    else
      add_wrench(line, body, 1.0, w, c->arm_b);
    return;
  }
  const size_t row = generic_row(op, block);
  for (size_t k = 0; k < (size_t)dim; k++)
    for (size_t t = bodies->term_start[row + k]; t < bodies->term_start[row + k + 1]; t++)
      if (bodies->term[t].body == target) add_term(line, body, bodies->term[t].coefficient, x[k]);
}

static void read_block(const ccp_operator *op, size_t block, const body_line *lines, double *u) {
  const ccp_bodies *bodies = &op->problem->bodies;
  if (block < bodies->contact_count)
    contact_velocity(&bodies->contact[block], ccp_dim(op->problem, block), lines, u);
  else
    generic_velocity(op, block, lines, u);
}

/* ---- verbs ---------------------------------------------------------------------------------- */

static void sum_pushes(ccp_operator *op, const double *x, body_line *lines) {
  const op_bodies *impl = op->impl;
  const size_t n = op->problem->bodies.body_count;
  if (op->context->threads == 1 || op->block_count < PARALLEL_BLOCKS) {
    for (size_t i = 0; i < op->block_count; i++) push_block(op, i, x + op->row_start[i], lines);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(op->context->threads)
  for (size_t k = 0; k < n; k++)
    for (size_t t = impl->touch_start[k]; t < impl->touch_start[k + 1]; t++) {
      const size_t block = impl->touch_block[t];
      push_block_to(op, block, (uint32_t)k, x + op->row_start[block], &lines[k]);
    }
}

static void apply(ccp_operator *op, const double *x, double *y) {
  op_bodies *impl = op->impl;
  const double *compliance = op->problem->compliance;
  memset(impl->push, 0, op->problem->bodies.body_count * sizeof *impl->push);
  sum_pushes(op, x, impl->push);
#pragma omp parallel for schedule(static)                                                          \
    num_threads(op->context->threads) if (op->block_count > PARALLEL_BLOCKS)
  for (size_t i = 0; i < op->block_count; i++) {
    const size_t row = op->row_start[i], dim = op->row_start[i + 1] - row;
    read_block(op, i, impl->push, y + row);
    for (size_t k = 0; compliance && k < dim; k++) y[row + k] += compliance[row + k] * x[row + k];
  }
}

static void set_to_free(const ccp_operator *op, body_line *lines) {
  const ccp_bodies *bodies = &op->problem->bodies;
  for (size_t k = 0; k < bodies->body_count; k++) {
    memcpy(lines[k].linear, bodies->body[k].v_free, sizeof lines[k].linear);
    memcpy(lines[k].angular, bodies->body[k].v_free + 3, sizeof lines[k].angular);
  }
}

static void sweep_begin(ccp_operator *op, const double *g) {
  op_bodies *impl = op->impl;
  set_to_free(op, impl->state);
  sum_pushes(op, g, impl->state);
}

static void block_velocity(const ccp_operator *op, const double *g, size_t i, double *u) {
  const op_bodies *impl = op->impl;
  const scree_ccp *p = op->problem;
  const size_t row = op->row_start[i], dim = op->row_start[i + 1] - row;
  read_block(op, i, impl->state, u);
  for (size_t k = 0; k < dim; k++) {
    u[k] += p->offset[row + k];
    if (p->compliance) u[k] += p->compliance[row + k] * g[row + k];
  }
}

static void block_push(ccp_operator *op, size_t i, const double *change) {
  const op_bodies *impl = op->impl;
  push_block(op, i, change, impl->state);
}

static void velocity(ccp_operator *op, const double *g, double *v) {
  const op_bodies *impl = op->impl;
  set_to_free(op, impl->push);
  sum_pushes(op, g, impl->push);
  for (size_t k = 0; k < op->problem->bodies.body_count; k++) {
    memcpy(v + 6 * k, impl->push[k].linear, sizeof impl->push[k].linear);
    memcpy(v + 6 * k + 3, impl->push[k].angular, sizeof impl->push[k].angular);
  }
}

/* N_ii column by column: push a unit impulse into scratch lines and read it back. A generic block
 * touches few bodies, so its lines are gathered into a small table. */
static void diagonal_block(const ccp_operator *op, size_t i, double *nii) {
  const ccp_bodies *bodies = &op->problem->bodies;
  const int dim = ccp_dim(op->problem, i);
  const size_t n = (size_t)dim, row = op->row_start[i];
  if (i < bodies->contact_count) {
    const ccp_contact *c = &bodies->contact[i];
    const uint32_t side[2] = {c->body_a, c->body_b};
    ccp_contact local = *c;
    local.body_a = 0;
    local.body_b = 1;
    for (size_t k = 0; k < n; k++) {
      double unit[SCREE_MAX_DIM] = {0.0}, column[SCREE_MAX_DIM];
      unit[k] = 1.0;
      body_line lines[2] = {{.inverse_mass = 0.0}, {.inverse_mass = 0.0}};
      const wrench w = contact_wrench(c, dim, unit);
      for (int s = 0; s < 2; s++)
        if (ccp_body_moves(bodies, side[s]))
          add_wrench(&lines[s], &bodies->body[side[s]], s ? 1.0 : -1.0, w, s ? c->arm_b : c->arm_a);
      contact_velocity(&local, dim, lines, column);
      for (size_t l = 0; l < n; l++) nii[l * n + k] = column[l];
    }
  } else {
    const size_t first = generic_row(op, i);
    for (size_t k = 0; k < n; k++)
      for (size_t l = 0; l < n; l++) {
        double sum = 0.0;
        for (size_t t = bodies->term_start[first + k]; t < bodies->term_start[first + k + 1]; t++)
          for (size_t s = bodies->term_start[first + l]; s < bodies->term_start[first + l + 1];
               s++) {
            const scree_ccp_term *a = &bodies->term[t], *b = &bodies->term[s];
            if (a->body != b->body || !ccp_body_moves(bodies, a->body)) continue;
            body_line line = {.inverse_mass = 0.0};
            add_term(&line, &bodies->body[a->body], b->coefficient, 1.0);
            for (int j = 0; j < 3; j++)
              sum += a->coefficient[j] * line.linear[j] + a->coefficient[3 + j] * line.angular[j];
          }
        nii[k * n + l] = sum;
      }
  }
  for (size_t k = 0; op->problem->compliance && k < n; k++)
    nii[k * n + k] += op->problem->compliance[row + k];
}

static void destroy(ccp_operator *op) {
  op_bodies *impl = op->impl;
  if (!impl) return;
  memory_free(op->context, impl->state);
  memory_free(op->context, impl->push);
  memory_free(op->context, impl->touch_start);
  memory_free(op->context, impl->touch_block);
  memory_free(op->context, impl);
}

static const op_class bodies_class = {
    .name = "bodies",
    .destroy = destroy,
    .apply = apply,
    .diagonal_block = diagonal_block,
    .sweep_begin = sweep_begin,
    .block_velocity = block_velocity,
    .block_push = block_push,
    .sweep = NULL,
    .velocity = velocity,
};

/* ---- setup ---------------------------------------------------------------------------------- */

/* Moving bodies of a block, each once; returns how many. */
static size_t block_bodies(const ccp_operator *op, size_t block, uint32_t *list, size_t capacity) {
  const ccp_bodies *bodies = &op->problem->bodies;
  size_t n = 0;
  if (block < bodies->contact_count) {
    const ccp_contact *c = &bodies->contact[block];
    if (ccp_body_moves(bodies, c->body_a)) list[n++] = c->body_a;
    if (ccp_body_moves(bodies, c->body_b)) list[n++] = c->body_b;
    return n;
  }
  const size_t row = generic_row(op, block), dim = (size_t)ccp_dim(op->problem, block);
  for (size_t t = bodies->term_start[row]; t < bodies->term_start[row + dim]; t++) {
    const uint32_t body = bodies->term[t].body;
    size_t k = 0;
    while (k < n && list[k] != body) k++;
    if (k == n && n < capacity && ccp_body_moves(bodies, body)) list[n++] = body;
  }
  return n;
}

/* Resources of blocks (for the colouring) and, transposed, the blocks of each body. */
static scree_status build_touches(ccp_operator *op, op_bodies *impl, size_t **start,
                                  uint32_t **body) {
  scree_context *context = op->context;
  const ccp_bodies *bodies = &op->problem->bodies;
  const size_t blocks = op->block_count, most = 2 * bodies->contact_count + bodies->term_count;
  *start = memory_new(context, blocks + 1, sizeof **start);
  *body = memory_new(context, most, sizeof **body);
  impl->touch_start = memory_new(context, bodies->body_count + 2, sizeof *impl->touch_start);
  if (!*start || !*body || !impl->touch_start) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < blocks; i++)
    (*start)[i + 1] = (*start)[i] + block_bodies(op, i, *body + (*start)[i], most - (*start)[i]);
  impl->touch_block = memory_new(context, (*start)[blocks], sizeof *impl->touch_block);
  if (!impl->touch_block) return SCREE_ERROR_MEMORY;
  size_t *touch = impl->touch_start;
  for (size_t k = 0; k < (*start)[blocks]; k++) touch[(*body)[k] + 2]++;
  for (size_t k = 2; k < bodies->body_count + 2; k++) touch[k] += touch[k - 1];
  for (size_t i = 0; i < blocks; i++)
    for (size_t k = (*start)[i]; k < (*start)[i + 1]; k++)
      impl->touch_block[touch[(*body)[k] + 1]++] = (uint32_t)i;
  return SCREE_OK;
}

scree_status op_bodies_init(ccp_operator *op) {
  scree_context *context = op->context;
  const ccp_bodies *bodies = &op->problem->bodies;
  op_bodies *impl = op->impl = memory_new(context, 1, sizeof *impl);
  if (!impl) return SCREE_ERROR_MEMORY;
  op->class = &bodies_class;
  impl->state = memory_new(context, bodies->body_count, sizeof *impl->state);
  impl->push = memory_new(context, bodies->body_count, sizeof *impl->push);
  if (!impl->state || !impl->push) return SCREE_ERROR_MEMORY;
  size_t *start = NULL;
  uint32_t *body = NULL;
  scree_status status = build_touches(op, impl, &start, &body);
  if (!status) status = colouring_by_resource(op, bodies->body_count, start, body);
  memory_free(context, start);
  memory_free(context, body);
  if (status) return status;
  set_to_free(op, impl->state);
  for (size_t i = 0; i < op->block_count; i++) {
    const size_t row = op->row_start[i], dim = op->row_start[i + 1] - row;
    read_block(op, i, impl->state, op->r + row);
    for (size_t k = 0; k < dim; k++) op->r[row + k] += op->problem->offset[row + k];
  }
  return SCREE_OK;
}

/* See bodies/setup.h: body lines, packing, the colours of what is not packed, and r. */
#include "ccp/bodies/setup.h"

#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/memory.h"
#include "ccp/bodies/classify.h"
#include "ccp/bodies/judge.h"

void bodies_share(size_t begin, size_t end, size_t *mine_begin, size_t *mine_end) {
#ifdef _OPENMP
  const size_t team = (size_t)omp_get_num_threads(), me = (size_t)omp_get_thread_num();
#else
  const size_t team = 1, me = 0;
#endif
  *mine_begin = begin + (end - begin) * me / team;
  *mine_end = begin + (end - begin) * (me + 1) / team;
}

void bodies_wait(void) {
#ifdef _OPENMP
  if (omp_get_num_threads() == 1) return;
#pragma omp barrier
#endif
}

/* Moving bodies of a block, each once, appended to the list from *n on. */
static scree_status add_bodies(ccp_operator *op, op_bodies *impl, size_t block, size_t *n) {
  const ccp_bodies *bodies = &op->problem->bodies;
  const size_t first = *n;
  if (block < bodies->contact_count) {
    const ccp_contact *c = &bodies->contact[block];
    if (memory_grow(op->context, &impl->rest_body, first + 2, sizeof *impl->rest_body))
      return SCREE_ERROR_MEMORY;
    if (ccp_body_moves(bodies, c->body_a)) impl->rest_body[(*n)++] = c->body_a;
    if (ccp_body_moves(bodies, c->body_b)) impl->rest_body[(*n)++] = c->body_b;
    return SCREE_OK;
  }
  const size_t row = op->row_start[block] - op->row_start[bodies->contact_count];
  const size_t begin = bodies->term_start[row],
               end = bodies->term_start[row + (size_t)ccp_dim(op->problem, block)];
  if (memory_grow(op->context, &impl->rest_body, first + (end - begin), sizeof *impl->rest_body))
    return SCREE_ERROR_MEMORY;
  for (size_t t = begin; t < end; t++) {
    const uint32_t body = bodies->term[t].body;
    size_t k = first;
    while (k < *n && impl->rest_body[k] != body) k++;
    if (k == *n && ccp_body_moves(bodies, body)) impl->rest_body[(*n)++] = body;
  }
  return SCREE_OK;
}

static scree_status colour_rest(ccp_operator *op, op_bodies *impl) {
  const size_t count = op->block_count - op->head_count;
  if (memory_grow(op->context, &impl->rest, count, sizeof *impl->rest) ||
      memory_grow(op->context, &impl->rest_start, count + 1, sizeof *impl->rest_start))
    return SCREE_ERROR_MEMORY;
  size_t n = 0, touched = 0;
  for (size_t i = 0; count && i < op->block_count; i++) {
    if (impl->pack.scratch.colour[i] != PACK_REST) continue;
    impl->rest[n] = (uint32_t)i;
    impl->rest_start[n++] = touched;
    if (add_bodies(op, impl, i, &touched)) return SCREE_ERROR_MEMORY;
  }
  impl->rest_start[n] = touched;
  return colouring_by_resource(&impl->colours, op, count ? op->problem->bodies.body_count : 0, n,
                               impl->rest, impl->rest_start, impl->rest_body);
}

enum { PARALLEL_LINES = 4096 };

static void fill_line(const ccp_bodies *bodies, const op_bodies *impl, size_t k) {
  const scree_ccp_body_def *body = &bodies->body[k];
  body_line *line = &impl->state[k];
  memcpy(line->linear, body->v_free, sizeof line->linear);
  memcpy(line->angular, body->v_free + 3, sizeof line->angular);
  line->inverse_mass = body->inverse_mass;
  line->inverse_inertia = body->inverse_inertia[0];
}

static void fill_lines(const ccp_operator *op, const op_bodies *impl) {
  const ccp_bodies *bodies = &op->problem->bodies;
  if (bodies->body_count < PARALLEL_LINES) {
    for (size_t k = 0; k < bodies->body_count; k++) fill_line(bodies, impl, k);
  } else {
#pragma omp parallel for schedule(static) num_threads(context_team(op->context, true))
    for (size_t k = 0; k < bodies->body_count; k++) fill_line(bodies, impl, k);
  }
  impl->state[bodies->body_count] = (body_line){.inverse_mass = 0.0};
  impl->push[bodies->body_count] = (body_line){.inverse_mass = 0.0};
}

/* The blocks of lanes in their order. */
static size_t list_lanes(const bodies_pack *pack, uint32_t *order) {
  size_t n = 0;
  for (size_t j = 0; j < pack->lanes.count; j++) {
    const uint32_t *block = pack->lanes.block + j * PACK_LANES;
    if (block[PACK_LANES - 1] != PACK_NO_BLOCK) {
      memcpy(order + n, block, PACK_LANES * sizeof *order);
      n += PACK_LANES;
    } else
      for (size_t k = 0; block[k] != PACK_NO_BLOCK; k++) order[n++] = block[k];
  }
  return n;
}

/* Contacts with moments for which no colour was left are not packed. */
static scree_status schedule_rolled(ccp_operator *op, op_bodies *impl) {
  const size_t before = impl->rolled.contact_count;
  const scree_status status = bodies_pack_schedule(&impl->rolled, op);
  if (status || impl->rolled.contact_count == before) return status;
  for (size_t i = 0; i < op->problem->bodies.contact_count; i++)
    if (impl->pack.scratch.colour[i] == PACK_ROLLED && impl->rolled.scratch.colour[i] == PACK_REST)
      impl->pack.scratch.colour[i] = PACK_REST;
  return SCREE_OK;
}

scree_status bodies_setup(ccp_operator *op) {
  scree_context *context = op->context;
  const size_t lines = op->problem->bodies.body_count + 1;
  if (lines > PACK_FIXED)
    return context_fail(context, SCREE_ERROR_INPUT, "more than %u bodies", PACK_FIXED - 1);
  if (!op->impl) op->impl = memory_new(context, 1, sizeof(op_bodies));
  op_bodies *impl = op->impl;
  if (!impl || memory_grow(context, &impl->state, lines, sizeof *impl->state) ||
      memory_grow(context, &impl->push, lines, sizeof *impl->push))
    return SCREE_ERROR_MEMORY;
  impl->kernels = bodies_kernels(0);
  fill_lines(op, impl);
  scree_status status = bodies_classify(op);
  if (!status) status = bodies_pack_schedule(&impl->pack, op);
  if (!status) status = schedule_rolled(op, impl);
  if (status) return status;
  op->head_count = 0;
  for (int k = 0; k < BODIES_PACKS; k++) {
    bodies_pack_fill(bodies_pack_at(impl, k), op, impl->state);
    op->head_count += list_lanes(bodies_pack_at(impl, k), op->order + op->head_count);
  }
  status = colour_rest(op, impl);
  for (size_t j = op->head_count; !status && j < op->block_count; j++)
    op->eta_force[op->order[j]] = 0.0;
  if (!status) status = bodies_rigid_lay_out(&impl->rigid, op);
  if (!status) status = bodies_diagonal_fill(&impl->diagonal, op);
  if (!status) bodies_rigid_fill(&impl->rigid, op);
  if (!status) status = bodies_whole_fill(op);
  return status ? status : bodies_judge_reserve(op);
}

bool bodies_renew(ccp_operator *op) {
  const op_bodies *impl = op->impl;
  if (op->problem->bodies.contact_count || op->ranks) return false;
  fill_lines(op, impl); /* sweeps have led them along */
  for (size_t i = 0; i < op->block_count; i++) bodies_read_r(op, i);
  return true;
}

void bodies_setup_free(ccp_operator *op) {
  scree_context *context = op->context;
  op_bodies *impl = op->impl;
  if (!impl) return;
  memory_free(context, impl->state);
  memory_free(context, impl->push);
  for (int k = 0; k < BODIES_PACKS; k++) bodies_pack_free(context, bodies_pack_at(impl, k));
  bodies_gradient_free(context, &impl->gradient);
  bodies_glide_free(context, &impl->glide);
  memory_free(context, impl->rest);
  memory_free(context, impl->rest_start);
  memory_free(context, impl->rest_body);
  colouring_free(context, &impl->colours);
  bodies_rigid_free(context, &impl->rigid);
  bodies_diagonal_free(context, &impl->diagonal);
  bodies_whole_free(context, &impl->whole);
  memory_free(context, impl->judged);
  memory_free(context, impl);
}

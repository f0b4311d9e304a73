/* A problem of bodies brought to a device: its arrays as they are, for each body the places that
 * push it, in the order of the blocks, and colours over moving bodies. */

#include "ccp/device/operator.h"

#ifdef SCREE_WITH_OPENCL
#include <string.h>

#include "base/memory.h"
#include "ccp/sets/set.h"

enum { SET_DOUBLES = 15 };

_Static_assert(sizeof(ccp_contact) == 8 + 12 * sizeof(double), "kernels read contacts as they are");
_Static_assert(sizeof(scree_ccp_body_def) == 13 * sizeof(double),
               "kernels read bodies as they are");
_Static_assert(sizeof(scree_ccp_term) == 7 * sizeof(double), "kernels read terms as they are");
_Static_assert(sizeof(size_t) == 8, "kernels read starts as they are");

static void pack_set(const scree_set *set, double *out) {
  const double value[] = {(double)set->kind, (double)set->dim, set->mu, set->mu2,      set->rolling,
                          set->spinning,     set->lo,          set->hi, set->cohesion, set->cap};
  enum { PLAIN = sizeof value / sizeof *value };
  memcpy(out, value, sizeof value);
  memcpy(out + PLAIN, set->flow, sizeof set->flow);
  _Static_assert(PLAIN + SCREE_MAX_DIM - 1 == SET_DOUBLES, "kernels read sets of this size");
}

static scree_status write_sets(ccp_operator *op, op_device *impl) {
  const scree_ccp *p = op->problem;
  size_t most = 1;
  if (memory_grow(op->context, &impl->set_room, p->set_count * SET_DOUBLES + 1,
                  sizeof *impl->set_room))
    return SCREE_ERROR_MEMORY;
  for (size_t s = 0; s < p->set_count; s++) {
    pack_set(&p->set[s], impl->set_room + s * SET_DOUBLES);
    if ((size_t)p->set[s].dim > most) most = (size_t)p->set[s].dim;
  }
  impl->stride = (uint32_t)(most * most);
  device_write(impl->device, &impl->sets, impl->set_room, p->set_count * SET_DOUBLES * 8);
  return SCREE_OK;
}

/* What pushes a body: sides of contacts, then terms. With `fill` null they are only counted. */
static void visit(const scree_ccp *p, uint32_t *count, uint32_t *fill) {
  const ccp_bodies *b = &p->bodies;
  for (size_t i = 0; i < b->contact_count; i++)
    for (uint32_t side = 0; side < 2; side++) {
      const uint32_t body = side ? b->contact[i].body_b : b->contact[i].body_a;
      if (!ccp_body_moves(b, body)) continue;
      if (fill) fill[count[body]] = (uint32_t)(2 * i) + side;
      count[body]++;
    }
  for (size_t t = 0; t < b->term_count; t++) {
    const uint32_t body = b->term[t].body;
    if (!ccp_body_moves(b, body)) continue;
    if (fill) fill[count[body]] = (uint32_t)(2 * b->contact_count + t);
    count[body]++;
  }
}

static scree_status write_entries(ccp_operator *op, op_device *impl) {
  const ccp_bodies *b = &op->problem->bodies;
  const size_t n = b->body_count;
  scree_context *c = op->context;
  if (memory_grow(c, &impl->starts, 2 * n + 2, sizeof *impl->starts) ||
      memory_grow(c, &impl->entries, 2 * b->contact_count + b->term_count + 1,
                  sizeof *impl->entries) ||
      memory_grow(c, &impl->rows_of_terms, b->term_count + 1, sizeof *impl->rows_of_terms))
    return SCREE_ERROR_MEMORY;
  uint32_t *start = impl->starts, *at = impl->starts + n + 1;
  memset(at, 0, (n + 1) * sizeof *at);
  visit(op->problem, at, NULL);
  start[0] = 0;
  for (size_t k = 0; k < n; k++) {
    start[k + 1] = start[k] + at[k];
    at[k] = start[k];
  }
  visit(op->problem, at, impl->entries);
  for (size_t row = 0; row < b->generic_row_count; row++)
    for (size_t t = b->term_start[row]; t < b->term_start[row + 1]; t++)
      impl->rows_of_terms[t] = (uint32_t)row;
  device_write(impl->device, &impl->entry_start, start, (n + 1) * sizeof *start);
  device_write(impl->device, &impl->entry, impl->entries, start[n] * sizeof *impl->entries);
  device_write(impl->device, &impl->term_row, impl->rows_of_terms,
               b->term_count * sizeof *impl->rows_of_terms);
  return SCREE_OK;
}

/* Moving bodies of a block, each once, from `first` on. */
static size_t list_bodies(const ccp_operator *op, size_t block, uint32_t *list, size_t first) {
  const ccp_bodies *b = &op->problem->bodies;
  size_t n = first;
  if (block < b->contact_count) {
    const ccp_contact *c = &b->contact[block];
    if (ccp_body_moves(b, c->body_a)) list[n++] = c->body_a;
    if (ccp_body_moves(b, c->body_b)) list[n++] = c->body_b;
    return n;
  }
  const size_t row = op->row_start[block] - op->row_start[b->contact_count],
               dim = (size_t)ccp_dim(op->problem, block);
  for (size_t t = b->term_start[row]; t < b->term_start[row + dim]; t++) {
    size_t k = first;
    while (k < n && list[k] != b->term[t].body) k++;
    if (k == n && ccp_body_moves(b, b->term[t].body)) list[n++] = b->term[t].body;
  }
  return n;
}

/* The device sweeps all blocks by itself, so for other code all of them count as the head of the
 * order. */
static scree_status colour(ccp_operator *op, op_device *impl) {
  const ccp_bodies *b = &op->problem->bodies;
  const size_t n = op->block_count;
  scree_context *c = op->context;
  if (memory_grow(c, &impl->block, n + 1, sizeof *impl->block) ||
      memory_grow(c, &impl->resource_start, n + 1, sizeof *impl->resource_start) ||
      memory_grow(c, &impl->resource, 2 * b->contact_count + b->term_count + 1,
                  sizeof *impl->resource))
    return SCREE_ERROR_MEMORY;
  size_t touched = 0;
  for (size_t i = 0; i < n; i++) {
    impl->block[i] = (uint32_t)i;
    impl->resource_start[i] = touched;
    touched = list_bodies(op, i, impl->resource, touched);
  }
  impl->resource_start[n] = touched;
  op->head_count = 0;
  if (colouring_by_resource(&impl->colours, op, b->body_count, n, impl->block, impl->resource_start,
                            impl->resource) ||
      memory_grow(c, &impl->colour_start, op->colour_count + 1, sizeof *impl->colour_start))
    return SCREE_ERROR_MEMORY;
  memcpy(impl->colour_start, op->colour_start, (op->colour_count + 1) * sizeof *op->colour_start);
  impl->colour_count = op->colour_count;
  op->head_count = n;
  op->colour_count = 0;
  op->colour_start[0] = (uint32_t)n;
  device_write(impl->device, &impl->order, op->order, n * sizeof *op->order);
  return SCREE_OK;
}

static void write_problem(const ccp_operator *op, op_device *impl) {
  const scree_ccp *p = op->problem;
  const ccp_bodies *b = &p->bodies;
  static const size_t none = 0;
  device *d = impl->device;
  impl->contacts = (uint32_t)b->contact_count;
  impl->blocks = (uint32_t)p->block_count;
  impl->rows = (uint32_t)p->row_count;
  impl->bodies = (uint32_t)b->body_count;
  impl->has_compliance = p->compliance ? 1 : 0;
  device_write(d, &impl->geometry, b->contact, b->contact_count * sizeof *b->contact);
  device_write(d, &impl->body, b->body, b->body_count * sizeof *b->body);
  device_write(d, &impl->term, b->term, b->term_count * sizeof *b->term);
  device_write(d, &impl->term_start, b->generic_row_count ? b->term_start : &none,
               (b->generic_row_count + 1) * sizeof *b->term_start);
  device_write(d, &impl->row_start, p->row_start, (p->block_count + 1) * sizeof *p->row_start);
  device_write(d, &impl->set_index, p->set_index, p->block_count * sizeof *p->set_index);
  device_write(d, &impl->offset, p->offset, p->row_count * sizeof(double));
  device_write(d, &impl->compliance, p->compliance,
               p->compliance ? p->row_count * sizeof(double) : 0);
}

static void reserve_state(op_device *impl) {
  device *d = impl->device;
  const size_t rows = impl->rows * sizeof(double), blocks = impl->blocks * sizeof(double),
               twists = 6 * impl->bodies * sizeof(double);
  device_buffer *const by_rows[] = {&impl->r,      &impl->g,    &impl->u,    &impl->given,
                                    &impl->before, &impl->from, &impl->shift};
  for (size_t k = 0; k < sizeof by_rows / sizeof *by_rows; k++) device_reserve(d, by_rows[k], rows);
  device_reserve(d, &impl->diagonal, blocks * impl->stride);
  device_reserve(d, &impl->eta_force, blocks);
  device_reserve(d, &impl->eta_moment, blocks);
  device_reserve(d, &impl->worst, blocks);
  device_reserve(d, &impl->twist, twists);
  device_reserve(d, &impl->fresh, twists);
  device_reserve(d, &impl->part, (device_chunks(impl->rows) + 1) * DEVICE_JUDGED * sizeof(double));
}

scree_status device_setup(ccp_operator *op) {
  op_device *impl = op->impl;
  write_problem(op, impl);
  scree_status status = write_sets(op, impl);
  if (!status) status = write_entries(op, impl);
  if (!status) status = colour(op, impl);
  if (!status)
    status = memory_grow(op->context, &impl->parts,
                         (device_chunks(op->row_count) + 1) * DEVICE_JUDGED, sizeof *impl->parts);
  if (status) return status;
  reserve_state(impl);
  const device_argument problem[DEVICE_PROBLEM] = {
      DEVICE_VALUE(impl->contacts),    DEVICE_BUFFER(impl->geometry),
      DEVICE_BUFFER(impl->body),       DEVICE_BUFFER(impl->term),
      DEVICE_BUFFER(impl->term_start), DEVICE_BUFFER(impl->row_start),
      DEVICE_BUFFER(impl->set_index),  DEVICE_BUFFER(impl->sets),
      DEVICE_BUFFER(impl->compliance)};
  memcpy(impl->problem, problem, sizeof problem);
  return SCREE_OK;
}

void device_setup_free(ccp_operator *op) {
  op_device *impl = op->impl;
  scree_context *c = op->context;
  if (!impl) return;
  device_buffer *const buffers[] = {
      &impl->geometry,   &impl->body,     &impl->term,       &impl->term_start, &impl->row_start,
      &impl->set_index,  &impl->sets,     &impl->compliance, &impl->offset,     &impl->entry_start,
      &impl->entry,      &impl->term_row, &impl->order,      &impl->diagonal,   &impl->eta_force,
      &impl->eta_moment, &impl->r,        &impl->root,       &impl->g,          &impl->twist,
      &impl->fresh,      &impl->u,        &impl->given,      &impl->worst,      &impl->part,
      &impl->before,     &impl->from,     &impl->shift};
  for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) device_release(buffers[k]);
  for (size_t k = 0; k < STEP_VECTORS; k++) device_release(&impl->vector[k]);
  colouring_free(c, &impl->colours);
  memory_free(c, impl->block);
  memory_free(c, impl->resource);
  memory_free(c, impl->entries);
  memory_free(c, impl->starts);
  memory_free(c, impl->colour_start);
  memory_free(c, impl->rows_of_terms);
  memory_free(c, impl->resource_start);
  memory_free(c, impl->set_room);
  memory_free(c, impl->parts);
  memory_free(c, impl);
  op->impl = NULL;
}
#endif

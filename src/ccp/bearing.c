/* See bearing.h. */
#include "ccp/bearing.h"

#include <string.h>

#include "base/memory.h"

static void list_contacts(const scree_ccp *p, op_bearing *w) {
  const ccp_bodies *b = &p->bodies;
  memset(w->start, 0, (b->body_count + 2) * sizeof *w->start);
  for (size_t i = 0; i < b->contact_count; i++) {
    const uint32_t side[2] = {b->contact[i].body_a, b->contact[i].body_b};
    for (int k = 0; k < 2; k++)
      if (ccp_body_moves(b, side[k])) w->start[side[k] + 2]++;
  }
  for (size_t k = 0; k < b->body_count; k++) w->start[k + 2] += w->start[k + 1];
  for (size_t i = 0; i < b->contact_count; i++) {
    const uint32_t side[2] = {b->contact[i].body_a, b->contact[i].body_b};
    for (int k = 0; k < 2; k++)
      if (ccp_body_moves(b, side[k])) w->contact[w->start[side[k] + 1]++] = (uint32_t)i;
  }
}

static void meet(const ccp_bodies *b, op_bearing *w, uint32_t body, size_t *count) {
  if (!ccp_body_moves(b, body) || w->met[body]) return;
  w->met[body] = true;
  w->body[(*count)++] = body;
}

/* To the bodies of contact i that bear more than themselves. */
static void go_on(const ccp_operator *op, op_bearing *w, size_t i, double impulse, size_t *count) {
  const ccp_bodies *b = &op->problem->bodies;
  const uint32_t side[2] = {b->contact[i].body_a, b->contact[i].body_b};
  for (int k = 0; k < 2; k++)
    if (ccp_body_moves(b, side[k]) &&
        impulse * b->body[side[k]].inverse_mass > w->bears * op->reference_speed)
      meet(b, w, side[k], count);
}

/* The contacts of a body; returns how many are new. */
static size_t take_contacts(const ccp_operator *op, op_bearing *w, const double *g, const double *u,
                            uint32_t body, size_t *count) {
  size_t taken = 0;
  for (size_t c = w->start[body]; c < w->start[body + 1]; c++) {
    const uint32_t i = w->contact[c];
    const size_t row = op->row_start[i];
    if (w->inside[i] || (g[row] <= 0.0 && u[row] > w->open * op->reference_speed)) continue;
    w->inside[i] = true;
    taken++;
    go_on(op, w, i, g[row], count);
  }
  return taken;
}

static scree_status make_room(const ccp_operator *op, op_bearing *w) {
  scree_context *context = op->context;
  const size_t bodies = op->problem->bodies.body_count, contacts = ccp_contact_count(op->problem);
  if (memory_grow(context, &w->start, bodies + 2, sizeof *w->start) ||
      memory_grow(context, &w->contact, 2 * contacts + 1, sizeof *w->contact) ||
      memory_grow(context, &w->body, bodies + 1, sizeof *w->body) ||
      memory_grow(context, &w->met, bodies + 1, sizeof *w->met) ||
      memory_grow(context, &w->inside, op->block_count, sizeof *w->inside))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

scree_status op_bearing_find(const ccp_operator *op, op_bearing *w, const double *g,
                             const double *u, size_t most, bool *found) {
  const scree_ccp *p = op->problem;
  const ccp_bodies *b = &p->bodies;
  const size_t first = b->contact_count;
  size_t blocks = op->block_count - first, count = 0;
  *found = false;
  const scree_status status = make_room(op, w);
  if (status) return status;
  list_contacts(p, w);
  memset(w->met, 0, (b->body_count + 1) * sizeof *w->met);
  memset(w->inside, 0, op->block_count * sizeof *w->inside);
  for (size_t i = first; i < op->block_count; i++) w->inside[i] = true;
  const size_t terms = b->term_start[p->row_start[op->block_count] - p->row_start[first]];
  for (size_t t = 0; t < terms; t++) meet(b, w, b->term[t].body, &count);
  for (size_t k = 0; k < count && blocks < most; k++)
    blocks += take_contacts(op, w, g, u, w->body[k], &count);
  *found = blocks > op->block_count - first;
  return SCREE_OK;
}

void op_bearing_clear(scree_context *context, op_bearing *w) {
  void *all[] = {w->start, w->contact, w->body, w->met, w->inside};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) memory_free(context, all[k]);
  *w = (op_bearing){0};
}

/* Bodies and their numbers. */
#include "view/view.h"

#include <math.h>

#include "model/world.h"

void view_cast_clear(view_cast *c) {
  if (!c->context) return;
  memory_free(c->context, c->body);
  memory_free(c->context, c->before);
  memory_free(c->context, c->last);
  *c = (view_cast){.context = c->context};
}

uint32_t view_cast_find(const view_cast *c, scree_body_id id) {
  uint32_t number = id.index < memory_room(c->last) ? c->last[id.index] : 0;
  while (number && c->body[number - 1].id.generation != id.generation)
    number = c->before[number - 1];
  return number - 1U;
}

scree_status view_cast_add(view_cast *c, const view_body *body, uint32_t *number) {
  const size_t place = body->id.index;
  scree_status status = memory_grow(c->context, &c->body, c->count + 1, sizeof *c->body);
  if (!status) status = memory_grow(c->context, &c->before, c->count + 1, sizeof *c->before);
  if (!status) status = memory_grow(c->context, &c->last, place + 1, sizeof *c->last);
  if (status) return status;
  c->body[c->count] = *body;
  c->before[c->count] = c->last[place];
  *number = (uint32_t)c->count++;
  c->last[place] = *number + 1;
  return SCREE_OK;
}

scree_status view_cast_world(view_cast *c, const scree_world *world) {
  const world_bodies *b = &world->bodies;
  for (size_t i = 0; i < b->limit; i++) {
    const scree_body_id id = {(uint32_t)i, b->generation[i]};
    if (!b->alive[i] || view_cast_find(c, id) != UINT32_MAX) continue;
    uint32_t number;
    const scree_status status = view_cast_add(
        c,
        &(view_body){id, b->shape_index[i], (scree_body_kind)b->kind[i], b->material[i], b->mass[i],
                     b->diameter[i],
                     b->shape[i] && scree_shape_get_kind(b->shape[i]) == SCREE_SHAPE_SPHERE},
        &number);
    if (status) return status;
  }
  return SCREE_OK;
}

void view_put_bodies(view_buffer *b, const view_cast *c, size_t first) {
  view_put_u8(b, VIEW_BODIES);
  view_put_u32(b, (uint32_t)first);
  view_put_u32(b, (uint32_t)(c->count - first));
  for (size_t i = first; i < c->count; i++) view_put_u32(b, c->body[i].id.index);
  for (size_t i = first; i < c->count; i++) view_put_u32(b, c->body[i].id.generation);
  for (size_t i = first; i < c->count; i++) view_put_u32(b, c->body[i].shape);
  for (size_t i = first; i < c->count; i++) view_put_u8(b, (unsigned)c->body[i].kind);
  for (size_t i = first; i < c->count; i++) view_put_u16(b, c->body[i].material & 0xffff);
  for (size_t i = first; i < c->count; i++) view_put_f32(b, c->body[i].mass);
  for (size_t i = first; i < c->count; i++) view_put_f32(b, c->body[i].diameter);
}

double view_quantum(const scree_world *world) {
  const world_bodies *b = &world->bodies;
  double least = INFINITY, extent = 0.0;
  for (size_t i = 0; i < b->limit; i++) {
    if (!b->alive[i]) continue;
    if (b->mass[i] > 0.0 && b->diameter[i] > 0.0) least = fmin(least, b->diameter[i]);
    extent = fmax(extent, v3_norm(b->position[i]));
  }
  if (!isfinite(least)) least = extent > 0.0 ? extent : 1.0;
  return 1e-3 * least;
}

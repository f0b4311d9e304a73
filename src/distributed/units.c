/* What hangs together by joints, springs and beams is a unit, and has one owner: its rows are
 * blocks of one rank, and no body of another rank is in them. So no machine is cut, and where
 * sweeps do not do, a direct method sees it whole.
 *
 * Units are the trees of a union by the lower number: all ranks find the same ones. Bodies that are
 * driven or fixed tie nothing together. */
#include <string.h>

#include "distributed/distributed.h"

bool units_are_there(const scree_world *w) {
  return w->joint_count || w->link_count;
}

static uint32_t root_of(uint32_t *of, uint32_t i) {
  while (of[i] != i) i = of[i] = of[of[i]];
  return i;
}

static void tie(units *u, const scree_world *w, const uint32_t *body, size_t count) {
  uint32_t first = WORLD_NO_BODY;
  for (size_t k = 0; k < count; k++) {
    if (body[k] == WORLD_NO_BODY || !world_is_dynamic(w, body[k])) continue;
    const uint32_t root = root_of(u->of, body[k]);
    if (first == WORLD_NO_BODY || root == first) {
      first = root;
      continue;
    }
    const uint32_t low = root < first ? root : first;
    u->of[root < first ? first : root] = low;
    first = low;
  }
}

static scree_status reserve(scree_context *context, units *u, size_t n) {
  return memory_grow(context, &u->of, n, sizeof *u->of) ||
                 memory_grow(context, &u->weight, n, sizeof *u->weight) ||
                 memory_grow(context, &u->centre, n, sizeof *u->centre) ||
                 memory_grow(context, &u->list, n, sizeof *u->list)
             ? SCREE_ERROR_MEMORY
             : SCREE_OK;
}

scree_status units_find(scree_context *context, units *u, const scree_world *w) {
  const size_t n = w->bodies.limit;
  if (reserve(context, u, n)) return SCREE_ERROR_MEMORY;
  u->limit = n;
  u->count = 0;
  for (size_t i = 0; i < n; i++) u->of[i] = (uint32_t)i;
  for (size_t k = 0; k < w->joint_limit; k++)
    if (w->joint[k].alive && !w->joint[k].broken) tie(u, w, w->joint[k].body, JOINT_SIDES);
  for (size_t k = 0; k < w->link_limit; k++)
    if (w->link[k].alive) tie(u, w, w->link[k].body, w->link[k].body_count);
  for (size_t i = 0; i < n; i++) u->of[i] = root_of(u->of, (uint32_t)i);
  for (size_t i = 0; i < n; i++)
    if (w->bodies.alive[i] && world_is_dynamic(w, i) && u->of[i] == i)
      u->list[u->count++] = (uint32_t)i;
  units_find_centres(u, w);
  return SCREE_OK;
}

void units_find_centres(units *u, const scree_world *w) {
  const world_bodies *b = &w->bodies;
  for (size_t i = 0; i < u->limit; i++) {
    u->weight[i] = 0;
    u->centre[i] = v3_make(0, 0, 0);
  }
  for (size_t i = 0; i < u->limit; i++) {
    if (!b->alive[i] || !world_is_dynamic(w, i)) continue;
    u->weight[u->of[i]]++;
    u->centre[u->of[i]] = v3_add(u->centre[u->of[i]], b->position[i]);
  }
  for (size_t k = 0; k < u->count; k++) {
    const uint32_t i = u->list[k];
    u->centre[i] = v3_scale(1.0 / (double)u->weight[i], u->centre[i]);
  }
}

void units_free(scree_context *context, units *u) {
  memory_free(context, u->of);
  memory_free(context, u->weight);
  memory_free(context, u->centre);
  memory_free(context, u->list);
}

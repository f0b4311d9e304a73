/* See distributed.h: the division of a world, step by step, and what cannot be divided. */
#include <math.h>
#include <string.h>

#include "distributed/distributed.h"

/* Every BISECT_STEPS steps bodies are divided again if more than left_part of them have left their
 * domain, or a rank has more than its share by surplus_part. */
enum { BISECT_STEPS = 50 };
static const double left_part = 0.02, surplus_part = 0.05;
/* Both times the mean radius. Bodies with a larger radius than large_part are known to all ranks;
 * ghosts are found again when a body has moved by slack_part. */
static const double large_part = 4.0, slack_part = 0.5;

static scree_status reserve(distributed *d, size_t n) {
  scree_context *c = d->context;
  const size_t before = d->limit;
  if (memory_grow(c, &d->owner, n, sizeof *d->owner) ||
      memory_grow(c, &d->large, n, sizeof *d->large) ||
      memory_grow(c, &d->near, n, sizeof *d->near) ||
      memory_grow(c, &d->seen, n, sizeof *d->seen) || memory_grow(c, &d->way, n, sizeof *d->way) ||
      memory_grow(c, &d->more, n, sizeof *d->more) ||
      memory_grow(c, &d->free_linear, n, sizeof *d->free_linear) ||
      memory_grow(c, &d->free_angular, n, sizeof *d->free_angular) ||
      memory_grow(c, &d->generation, n, sizeof *d->generation) ||
      memory_grow(c, &d->home, n, sizeof *d->home) ||
      memory_grow(c, &d->reach, n, sizeof *d->reach) ||
      memory_grow(c, &d->list, n, sizeof *d->list) ||
      memory_grow(c, &d->first, (size_t)d->ranks->count + 1, sizeof *d->first))
    return SCREE_ERROR_MEMORY;
  for (size_t i = before; i < n; i++) {
    d->generation[i] = UINT32_MAX;
    d->way[i] = d->more[i] = 0.0;
  }
  d->limit = n;
  d->hooks.seen = d->seen;
  d->hooks.near = d->near;
  d->hooks.way = d->way;
  d->hooks.free_linear = d->free_linear;
  d->hooks.free_angular = d->free_angular;
  d->hooks.part.owner = d->owner;
  d->hooks.part.large = d->large;
  return SCREE_OK;
}

static bool is_there(const assembler *a, size_t i) {
  return a->world->bodies.alive[i] && world_is_dynamic(a->world, i);
}

static size_t list_dynamic(const assembler *a, uint32_t *list) {
  size_t n = 0;
  for (size_t i = 0; i < a->world->bodies.limit; i++)
    if (is_there(a, i)) list[n++] = (uint32_t)i;
  return n;
}

/* The dynamic bodies by rank. */
static void sort_by_rank(distributed *d, const assembler *a) {
  const size_t all = (size_t)d->ranks->count;
  memset(d->first, 0, (all + 1) * sizeof *d->first);
  for (size_t i = 0; i < d->limit; i++)
    if (is_there(a, i)) d->first[d->owner[i] + 1]++;
  for (size_t r = 0; r < all; r++) d->first[r + 1] += d->first[r];
  for (size_t i = 0; i < d->limit; i++)
    if (is_there(a, i)) d->list[d->first[d->owner[i]]++] = (uint32_t)i;
  for (size_t r = all; r > 0; r--) d->first[r] = d->first[r - 1];
  d->first[0] = 0;
}

static void measure(distributed *d, const assembler *a) {
  const world_bodies *b = &a->world->bodies;
  double sum = 0.0, count = 0.0;
  for (size_t i = 0; i < d->limit; i++)
    if (is_there(a, i) && b->shape[i] && isfinite(b->radius[i])) {
      sum += b->radius[i];
      count += 1.0;
    }
  d->mean_radius = count > 0.0 ? sum / count : 0.0;
  d->slack = slack_part * d->mean_radius;
}

static void mark_large(distributed *d, const assembler *a, size_t i) {
  d->large[i] = !(a->world->bodies.radius[i] <= large_part * d->mean_radius);
}

/* The place that decides whose body it is. */
static v3 place_of(const distributed *d, const assembler *a, uint32_t i) {
  return d->units.of ? d->units.centre[d->units.of[i]] : a->world->bodies.position[i];
}

/* New bodies go to the rank whose domain they lie in, or that has the unit they belong to. */
static void place_new(distributed *d, const assembler *a) {
  const world_bodies *b = &a->world->bodies;
  for (size_t i = 0; i < d->limit; i++) {
    if (!is_there(a, i) || d->generation[i] == b->generation[i]) continue;
    const uint32_t first = d->units.of ? d->units.of[i] : (uint32_t)i;
    d->owner[i] = first == i ? (uint16_t)domains_find(&d->domains, d->ranks->count,
                                                      place_of(d, a, (uint32_t)i))
                             : d->owner[first];
    d->generation[i] = b->generation[i];
    mark_large(d, a, i);
  }
}

/* A joint was made between bodies of two ranks. */
static bool is_cut(const distributed *d, const assembler *a) {
  for (size_t i = 0; d->units.of && i < d->limit; i++)
    if (is_there(a, i) && d->owner[i] != d->owner[d->units.of[i]]) return true;
  return false;
}

static size_t most_of(const distributed *d) {
  size_t most = 0;
  for (int r = 0; r < d->ranks->count; r++) {
    const size_t count = d->first[r + 1] - d->first[r];
    most = count > most ? count : most;
  }
  return most;
}

/* What one unit has too much of, no bisection changes. */
static bool is_uneven(distributed *d, const assembler *a) {
  const size_t parts = (size_t)d->ranks->count, all = d->first[parts], most = most_of(d);
  size_t left = 0;
  if (d->units.of) units_find_centres(&d->units, a->world);
  for (size_t k = 0; k < all; k++)
    left += domains_find(&d->domains, d->ranks->count, place_of(d, a, d->list[k])) !=
            d->owner[d->list[k]];
  const double share = (1.0 + surplus_part) * (double)all + (double)parts;
  return (double)left > left_part * (double)all ||
         ((double)(most * parts) > share &&
          (double)most > (1.0 + surplus_part) * (double)d->most + 1.0);
}

/* A bed is cut across its height only where it is twice as high as wide. */
static v3 weight_of(const scree_world *w) {
  const v3 g = v3_load(w->def.gravity);
  const double size = v3_norm(g), part = size > 0.0 ? 0.5 / size : 0.0;
  return v3_make(1.0 - part * fabs(g.x), 1.0 - part * fabs(g.y), 1.0 - part * fabs(g.z));
}

static scree_status bisect(distributed *d, assembler *a) {
  const world_bodies *b = &a->world->bodies;
  d->domains.weight = weight_of(a->world);
  measure(d, a);
  const units *u = &d->units;
  const size_t count = u->of ? u->count : list_dynamic(a, d->list);
  const scree_status status =
      domains_bisect(d->context, &d->domains, d->ranks->count, count, u->of ? u->list : d->list,
                     u->of ? u->weight : NULL, u->of ? u->centre : b->position, d->owner);
  for (size_t i = 0; i < d->limit; i++) {
    if (!is_there(a, i)) continue;
    if (u->of) d->owner[i] = d->owner[u->of[i]];
    d->generation[i] = b->generation[i];
    mark_large(d, a, i);
  }
  d->steps = 0;
  d->bisections++;
  d->placed = false;
  return status;
}

static scree_status find_owners(distributed *d, assembler *a) {
  const scree_world *w = a->world;
  const bool changed = d->revision != w->revision || d->limit != w->bodies.limit;
  if (reserve(d, w->bodies.limit)) return SCREE_ERROR_MEMORY;
  if (changed && (d->units.of || units_are_there(w)) && units_find(d->context, &d->units, w))
    return SCREE_ERROR_MEMORY;
  if (d->divided && changed) place_new(d, a);
  if (d->divided && changed) sort_by_rank(d, a);
  if (changed) d->placed = false;
  d->revision = w->revision;
  const bool cut = changed && d->divided && is_cut(d, a);
  if (d->divided && !cut && (++d->steps < BISECT_STEPS || !is_uneven(d, a))) {
    if (d->steps >= BISECT_STEPS) d->steps = 0;
    return SCREE_OK;
  }
  if (d->units.of && !changed) units_find_centres(&d->units, w);
  scree_status status = d->divided ? distributed_merge(d, a) : SCREE_OK;
  if (!status) status = bisect(d, a);
  sort_by_rank(d, a);
  d->most = most_of(d);
  d->divided = true;
  return status;
}

static scree_status divide(assembler_ranks *r, assembler *a, const assembler_params *params) {
  distributed *d = (distributed *)r;
  if (!params->again) {
    const scree_status status = find_owners(d, a);
    if (status) return status;
    if (d->limit) memset(d->more, 0, d->limit * sizeof *d->more);
  }
  if (d->placed && !ghosts_are_stale(d, a, params, false)) return SCREE_OK;
  ghosts_find(d, a, params, false, false);
  d->placed = true;
  a->order.steps = SIZE_MAX / 2; /* the order is to be made anew */
  collide_invalidate(a->collide);
  return SCREE_OK;
}

static scree_status widen(assembler_ranks *r, assembler *a, const assembler_params *params) {
  distributed *d = (distributed *)r;
  if (!ghosts_are_stale(d, a, params, true)) return SCREE_OK;
  ghosts_find(d, a, params, true, true);
  d->placed = false;
  collide_invalidate(a->collide);
  return SCREE_OK;
}

static void destroy(assembler_ranks *r) {
  distributed *d = (distributed *)r;
  scree_context *c = d->context;
  domains_free(c, &d->domains);
  units_free(c, &d->units);
  sharing_free(c, &d->sharing);
  memory_free(c, d->owner);
  memory_free(c, d->large);
  memory_free(c, d->near);
  memory_free(c, (void *)d->seen);
  memory_free(c, d->way);
  memory_free(c, d->more);
  memory_free(c, d->free_linear);
  memory_free(c, d->free_angular);
  memory_free(c, d->generation);
  memory_free(c, d->home);
  memory_free(c, d->reach);
  memory_free(c, d->list);
  memory_free(c, d->first);
  memory_free(c, d->bytes);
  memory_free(c, d->blob);
  memory_free(c, d->kept);
  memory_free(c, d->place);
  memory_free(c, d->g);
  memory_free(c, d->term);
  scree_ccp_destroy(d->problem);
  memory_free(c, d);
}

/* Why this world cannot be divided, or null. */
static const char *refusal_of(const scree_world *w) {
  for (size_t k = 0; k < w->material_count * w->material_count; k++) {
    const scree_material_def *m = &w->pair[k];
    if (law_bounces(m)) return "restitution is not divided yet";
    if (m->cohesion > 0.0 || m->cohesion_energy > 0.0) return "cohesion is not divided yet";
    if (law_remembers(m)) return "contact laws with a memory are not divided yet";
  }
  return NULL;
}

scree_status distributed_attach(assembler *a) {
  scree_context *context = a->context;
  if (!ranks_are_many(context->ranks)) return SCREE_OK;
  if (context->ranks->count > DISTRIBUTED_MOST)
    return context_fail(context, SCREE_ERROR_UNSUPPORTED, "more than %d ranks", DISTRIBUTED_MOST);
  const char *refusal = refusal_of(a->world);
  if (refusal)
    return context_fail(context, SCREE_ERROR_UNSUPPORTED,
                        "on several ranks: %s; run it on one (without mpirun)", refusal);
  distributed *d = memory_new(context, 1, sizeof *d);
  if (!d) return SCREE_ERROR_MEMORY;
  *d = (distributed){
      .hooks = {.part.me = context->ranks->me,
                .solve = {.ranks = context->ranks, .user = d, .average = distributed_average},
                .divide = divide,
                .share = distributed_share,
                .gather = distributed_gather,
                .widen = widen,
                .whole = distributed_whole,
                .take = distributed_take,
                .pick = distributed_pick,
                .has = distributed_has,
                .tell = distributed_tell,
                .destroy = destroy},
      .context = context,
      .ranks = context->ranks,
      .whole = true,
  };
  a->ranks = &d->hooks;
  return SCREE_OK;
}

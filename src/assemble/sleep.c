/* Sleep: islands at rest are left out of the step, and wake exactly.
 *
 * A body is still while its surface is slower than a given speed. An island, bodies that press on
 * each other, falls asleep when all of them have been still for a given time. From then on its
 * bodies are as fixed ones: no pairs among each other, no rows, no motion; the forces of its
 * contacts are kept for queries. It wakes as a whole, and the step is made again with it
 * awake,
 *
 *   - when a solve finds that a moving body presses on one of its bodies: nobody is stopped by what
 *     could have given way;
 *   - when a driven body that moves comes near one of them;
 *   - when the user changes something (model/sleep.c): a force, gravity, a state, a material, a
 * body that is taken away.
 *
 * So what sleeps is what would have stayed where it is, but for creep below the given speed. Bodies
 * in joints or links do not sleep, nor does any where laws have a memory, surfaces move or bodies
 * attract each other. */
#include <string.h>

#include "assemble/joints/joints.h"
#include "base/pieces.h"
#include "ccp/problem.h"

/* The speed below which a body counts as still where none is given, as a part of sqrt(g d). */
static const double still_part = 2e-3;

static bool may_sleep(const assembler *a) {
  return !a->memory.has_state_now && !a->laws.has_surfaces && !world_has_pairwise(a->world);
}

/* ---- to sleep ------------------------------------------------------------------------------- */

static scree_status reserve(assembler *a, bool singly) {
  world_bodies *b = &a->world->bodies;
  if (singly && (world_need(a->world, &b->hold, sizeof *b->hold, NULL) ||
                 world_need(a->world, &b->pressed, sizeof *b->pressed, NULL) ||
                 memory_grow(a->context, &a->sleep.change, b->limit, sizeof *a->sleep.change)))
    return SCREE_ERROR_MEMORY;
  if (world_need(a->world, &b->asleep, sizeof *b->asleep, NULL) ||
      world_need(a->world, &b->still, sizeof *b->still, NULL) ||
      memory_grow(a->context, &a->sleep.island, b->limit, sizeof *a->sleep.island))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

static void keep_awake(assembler *a, uint32_t i) {
  if (i != WORLD_NO_BODY) a->world->bodies.still[i] = 0.0f;
}

/* How long each body has been still; true: some long enough. */
static bool note_still(assembler *a, const assembler_sleep *def) {
  const scree_world *w = a->world;
  const world_bodies *b = &w->bodies;
  bool any = false;
#pragma omp parallel for schedule(static) reduction(||                                             \
                                                    : any)                                         \
    num_threads(context_team(a->context, b->limit > PIECES_MANY))
  for (size_t i = 0; i < b->limit; i++) {
    if (!world_is_dynamic(w, i)) continue;
    double speed = v3_norm(b->linear[i]), most = def->speed;
    if (b->shape[i] && isfinite(b->radius[i])) speed += b->radius[i] * v3_norm(b->angular[i]);
    if (!(most > 0.0)) most = still_part * sqrt(a->gravity * b->diameter[i]);
    b->still[i] = speed <= most ? b->still[i] + (float)def->h : 0.0f;
    any = any || b->still[i] >= (float)def->after;
  }
  return any;
}

static uint32_t root_of(uint32_t *parent, uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* The lowest body of an island is its root. */
static void join(uint32_t *parent, uint32_t i, uint32_t k) {
  i = root_of(parent, i);
  k = root_of(parent, k);
  parent[i > k ? i : k] = i > k ? k : i;
}

bool assembler_presses(const assembler *a, size_t k) {
  return a->g[a->problem->row_start[k]] != 0.0 ||
         (a->impacts.count && v3_norm2(a->impacts.impulse[k]) > 0.0);
}

static bool is_driven(const assembler *a, uint32_t i) {
  return a->world->bodies.kind[i] == SCREE_BODY_PRESCRIBED &&
         v3_norm2(a->linear[i]) + v3_norm2(a->angular[i]) > 0.0;
}

/* Joined: bodies that press on each other are one island. */
static void find_islands(assembler *a, bool joined) {
  const scree_world *w = a->world;
  const cache_key *key = collide_cache(a->collide)->now.key;
  for (size_t i = 0; i < w->bodies.limit; i++) a->sleep.island[i] = (uint32_t)i;
  for (size_t k = 0; k < a->memory.contact_count; k++) {
    if (!assembler_presses(a, k)) continue;
    const uint32_t i = key[k].a, j = key[k].b;
    const bool at_i = world_is_dynamic(w, i), at_j = world_is_dynamic(w, j);
    if (joined && at_i && at_j) join(a->sleep.island, i, j);
    if (at_i && is_driven(a, j)) keep_awake(a, i);
    if (at_j && is_driven(a, i)) keep_awake(a, j);
  }
  for (size_t k = 0; k < w->joint_limit; k++)
    for (int s = 0; w->joint[k].alive && !w->joint[k].broken && s < JOINT_SIDES; s++)
      keep_awake(a, w->joint[k].body[s]);
  for (size_t k = 0; k < w->link_limit; k++)
    for (uint32_t s = 0; w->link[k].alive && s < w->link[k].body_count; s++)
      keep_awake(a, w->link[k].body[s]);
}

scree_status assembler_keep_asleep(assembler *a, size_t k) {
  const scree_world *w = a->world;
  const cache_key key = collide_cache(a->collide)->now.key[k];
  if (memory_grow(a->context, &a->sleep.contact, a->sleep.contact_count + 1,
                  sizeof *a->sleep.contact))
    return SCREE_ERROR_MEMORY;
  a->sleep.contact[a->sleep.contact_count++] = (contact_asleep){
      .body_a = key.a,
      .body_b = key.b,
      .feature = key.feature,
      .generations = assembler_pair_generations(a, key.a, key.b),
      .gap = (double)a->memory.gap[k],
      .position = v3_add(w->bodies.position[key.a], v3_load(a->problem->bodies.contact[k].arm_a)),
      .normal = v3_load(a->problem->bodies.contact[k].normal),
      .force = v3_scale(1.0 / a->kick, assembler_impulse(a, k)),
      .torque = v3_scale(1.0 / a->kick, assembler_moment(a, k)),
      .arm_b = v3_load(a->problem->bodies.contact[k].arm_b),
  };
  return SCREE_OK;
}

/* Keeps the contacts of bodies that have just fallen asleep, with their forces. */
static scree_status keep_contacts(assembler *a, bool singly) {
  const scree_world *w = a->world;
  const cache_key *key = collide_cache(a->collide)->now.key;
  for (size_t k = 0; k < a->memory.contact_count; k++) {
    if (!assembler_presses(a, k) || !(world_sleeps(w, key[k].a) || world_sleeps(w, key[k].b)))
      continue;
    const scree_status status = singly ? assembler_hold_contact(a, k) : assembler_keep_asleep(a, k);
    if (status) return status;
  }
  return SCREE_OK;
}

/* Whole islands. */
static void put_islands(assembler *a, const assembler_sleep *def) {
  scree_world *w = a->world;
  world_bodies *b = &w->bodies;
  find_islands(a, true);
  /* A root has been still for as long as all of its island. */
  for (size_t i = 0; i < b->limit; i++) {
    if (!world_is_dynamic(w, i)) continue;
    const uint32_t root = root_of(a->sleep.island, (uint32_t)i);
    b->still[root] = fminf(b->still[root], b->still[i]);
  }
  for (size_t i = 0; i < b->limit; i++) {
    if (!world_is_dynamic(w, i)) continue;
    const uint32_t root = root_of(a->sleep.island, (uint32_t)i);
    if (b->still[root] >= (float)def->after) world_put_to_sleep(w, i, 1 + root);
  }
}

/* One by one (hold.c). */
static void put_singly(assembler *a, const assembler_sleep *def) {
  scree_world *w = a->world;
  world_bodies *b = &w->bodies;
  find_islands(a, false);
  for (size_t i = 0; i < b->limit; i++) {
    const bool now = world_is_dynamic(w, i) && b->still[i] >= (float)def->after;
    a->sleep.island[i] = now;
    if (!now) continue;
    b->hold[i] = (body_load){{0, 0, 0}, {0, 0, 0}};
    b->pressed[i] = (float)-a->sleep.change[i].lost; /* as assembler_note_steady found it */
    world_put_to_sleep(w, i, (uint32_t)(1 + i));
  }
}

scree_status assembler_put_to_sleep(assembler *a, const assembler_sleep *def) {
  scree_world *w = a->world;
  if (a->sleep.contact_count) assembler_release_contacts(a);
  if (!(def->after > 0.0) || !may_sleep(a)) return SCREE_OK;
  const bool singly = def->load > 0.0;
  if (reserve(a, singly)) return SCREE_ERROR_MEMORY;
  if (singly) assembler_note_steady(a, def->load);
  if (!note_still(a, def)) return SCREE_OK;
  const size_t before = w->asleep_count;
  (singly ? put_singly : put_islands)(a, def);
  return w->asleep_count > before ? keep_contacts(a, singly) : SCREE_OK;
}

/* ---- awake ---------------------------------------------------------------------------------- */

bool assembler_wake_pressed(assembler *a) {
  scree_world *w = a->world;
  const cache_key *key = collide_cache(a->collide)->now.key;
  const size_t before = w->asleep_count;
  for (size_t k = 0; w->asleep_count && k < a->memory.contact_count; k++) {
    if (!assembler_presses(a, k)) continue;
    world_wake(w, key[k].a);
    world_wake(w, key[k].b);
  }
  return w->asleep_count < before;
}

/* With the driven bodies' velocities of the step in `linear` and `angular`. */
static void wake_near(assembler *a, const assembler_params *params, uint32_t driven) {
  scree_world *w = a->world;
  const world_bodies *b = &w->bodies;
  if (!b->shape[driven]) return;
  double reach = params->h * v3_norm(a->linear[driven]);
  if (isfinite(b->radius[driven]))
    reach += params->h * b->radius[driven] * v3_norm(a->angular[driven]);
  const aabb box = aabb_grow(shape_bounds(b->shape[driven], world_shape_pose(w, driven)), reach);
  for (size_t i = 0; i < b->limit; i++) {
    if (!world_sleeps(w, i)) continue;
    const double r = b->radius[i] + params->margin * b->diameter[i];
    const v3 half = {r, r, r};
    const v3 x = v3_add(b->position[i], world_image(w, driven, i).shift);
    if (aabb_overlap(box, (aabb){v3_sub(x, half), v3_add(x, half)})) world_wake(w, i);
  }
}

scree_status assembler_wake_driven(assembler *a, const assembler_params *params) {
  const world_bodies *b = &a->world->bodies;
  bool any = false;
  for (size_t i = 0; a->world->asleep_count && i < b->limit && !any; i++)
    any = b->alive[i] && b->kind[i] == SCREE_BODY_PRESCRIBED;
  if (!any) return SCREE_OK;
  const scree_status status = world_free_velocities(a->world, params->h, a->linear, a->angular);
  for (size_t i = 0; !status && i < b->limit; i++)
    if (b->alive[i] && is_driven(a, (uint32_t)i)) wake_near(a, params, (uint32_t)i);
  return status;
}

void assembler_note_sleepers(assembler *a) {
  const scree_world *w = a->world;
  a->sleep.before_count = 0;
  if (!w->asleep_count ||
      memory_grow(a->context, &a->sleep.before, w->bodies.limit, sizeof *a->sleep.before))
    return;
  a->sleep.before_count = w->bodies.limit;
  a->sleep.before_revision = w->sleep_revision;
  memcpy(a->sleep.before, w->bodies.asleep, w->bodies.limit * sizeof *a->sleep.before);
}

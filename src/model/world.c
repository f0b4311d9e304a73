/* The world as a whole: creation, arrays, the table of shapes, energy and the state hash. */
#include "model/world.h"
#include "base/pieces.h"

#include <string.h>

#include "base/argument.h"
#include "base/definition.h"
#include "math/tree_code.h"
#include "model/link/link.h"

scree_world_def scree_world_def_default(void) {
  return (scree_world_def){
      .cookie = DEFINITION_COOKIE, .gravity = {0.0, 0.0, -9.81}, .pairwise_theta = 0.3};
}

static bool finite3(const double *x) {
  return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static scree_status check_def(scree_context *context, const scree_world_def *def) {
  if (!finite3(def->gravity) || !isfinite(def->gravitational_constant) ||
      !isfinite(def->coulomb_constant))
    return context_fail(context, SCREE_ERROR_INPUT,
                        "world: gravity and the constants of pairwise forces must be finite");
  if (!(def->pairwise_theta >= 0.0 && def->pairwise_theta <= 0.9))
    return context_fail(context, SCREE_ERROR_INPUT, "world: pairwise_theta must be in 0 … 0.9");
  const char *why;
  periodic box;
  if (!world_make_box(&def->periodic, &box, &why))
    return context_fail(context, SCREE_ERROR_INPUT, "world: periodic box: %s", why);
  if (periodic_is_on(&box) && (def->gravitational_constant != 0.0 || def->coulomb_constant != 0.0))
    return context_fail(context, SCREE_ERROR_INPUT,
                        "world: forces between all pairs are not summed over the images of a "
                        "periodic box; leave out one of the two");
  return SCREE_OK;
}

scree_status scree_world_create(scree_context *context, const scree_world_def *def,
                                scree_world **out) {
  ARGUMENT_CHECK(context, context && out);
  const scree_world_def fallback = scree_world_def_default();
  *out = NULL;
  if (!def) def = &fallback;
  DEFINITION_CHECK(context, def, world_def);
  scree_status status = check_def(context, def);
  if (status) return status;
  scree_world *w = memory_new(context, 1, sizeof *w);
  if (!w) return SCREE_ERROR_MEMORY;
  w->context = context;
  w->def = *def;
  const char *why;
  world_make_box(&def->periodic, &w->box, &why);
  w->tree = memory_new(context, 1, sizeof *w->tree);
  if (!w->tree) {
    scree_world_destroy(w);
    return SCREE_ERROR_MEMORY;
  }
  w->tree->context = context;
  const scree_material_def material = scree_material_def_default();
  scree_material_id id;
  status = scree_world_add_material(w, &material, &id);
  if (status) {
    scree_world_destroy(w);
    return status;
  }
  *out = w;
  return SCREE_OK;
}

void scree_world_destroy(scree_world *w) {
  if (!w) return;
  scree_context *context = w->context;
#define WORLD_FREE(type, name) memory_free(context, w->bodies.name);
  WORLD_BODY_LIST(WORLD_FREE)
  WORLD_OPTIONAL_LIST(WORLD_FREE)
#undef WORLD_FREE
  if (w->tree) tree_code_clear(w->tree);
  memory_free(context, w->tree);
  memory_free(context, w->bodies.shape);
  memory_free(context, w->bodies.free_list);
  for (size_t i = 0; i < w->shape_count; i++) scree_shape_destroy(w->shape[i]);
  memory_free(context, w->shape);
  memory_free(context, w->shape_slot);
  memory_free(context, w->material);
  memory_free(context, w->pair);
  memory_free(context, w->pair_set);
  for (size_t i = 0; i < w->motion_count; i++) world_free_motion(w, &w->motion[i]);
  for (size_t i = 0; i < w->curve_count; i++) world_free_curve(w, &w->curve[i]);
  memory_free(context, w->curve);
  memory_free(context, w->motion);
  memory_free(context, w->joint);
  memory_free(context, w->link);
  memory_free(context, w->link_function);
  memory_free(context, w->excluded);
  world_free_views(w);
  memory_free(context, w->apart);
  memory_free(context, w);
}

scree_context *scree_world_context(const scree_world *w) {
  if (!w) return NULL;
  return w->context;
}

double scree_world_time(const scree_world *w) {
  if (!w) return 0.0;
  return w->time;
}

void scree_world_get_gravity(const scree_world *w, double gravity[3]) {
  if (!w || !gravity) return;
  memcpy(gravity, w->def.gravity, sizeof w->def.gravity);
}

scree_status scree_world_set_gravity(scree_world *w, const double gravity[3]) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && gravity);
  if (!finite3(gravity))
    return context_fail(w->context, SCREE_ERROR_INPUT, "world: gravity must be finite");
  const v3 change = v3_sub(v3_load(gravity), v3_load(w->def.gravity));
  if (v3_norm2(change) > 0.0) world_wake_all(w);
  w->late_gravity = v3_add_scaled(w->late_gravity, 0.5 * w->step, change);
  memcpy(w->def.gravity, gravity, sizeof w->def.gravity);
  return SCREE_OK;
}

void scree_world_set_force_function(scree_world *w, scree_force_function function, void *user) {
  if (!w) return;
  w->force_function = function;
  w->force_user = user;
}

void scree_world_set_law_function(scree_world *w, scree_law_function begin, scree_law_function end,
                                  void *user) {
  if (!w) return;
  w->law_begin = begin;
  w->law_end = begin ? end : NULL;
  w->law_user = user;
}

/* ---- arrays --------------------------------------------------------------------------------- */

scree_status world_need(scree_world *w, void *array, size_t size, const void *fill) {
  char **block = array;
  if (*block) return SCREE_OK;
  char *made = memory_new(w->context, w->bodies.capacity, size);
  if (!made) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; fill && i < w->bodies.capacity; i++) memcpy(made + i * size, fill, size);
  *block = made;
  return SCREE_OK;
}

scree_status world_reserve_bodies(scree_world *w, size_t count) {
  world_bodies *b = &w->bodies;
  if (count <= b->capacity) return SCREE_OK;
  if (w->viewed && world_retire_views(w)) return SCREE_ERROR_MEMORY;
  size_t room = SIZE_MAX;
#define WORLD_GROW(type, name)                                                                     \
  if (memory_grow(w->context, &b->name, count, sizeof(type))) return SCREE_ERROR_MEMORY;           \
  if (memory_room(b->name) < room) room = memory_room(b->name);
#define WORLD_GROW_OPTIONAL(type, name)                                                            \
  if (b->name) {                                                                                   \
    WORLD_GROW(type, name)                                                                         \
  }
  WORLD_BODY_LIST(WORLD_GROW)
  WORLD_OPTIONAL_LIST(WORLD_GROW_OPTIONAL)
  WORLD_GROW(const scree_shape *, shape)
  WORLD_GROW(uint32_t, free_list)
#undef WORLD_GROW_OPTIONAL
#undef WORLD_GROW
  for (size_t i = b->capacity; b->place && i < room; i++) b->place[i] = pose_identity();
  b->capacity = room;
  return SCREE_OK;
}

/* ---- shapes --------------------------------------------------------------------------------- */

static size_t shape_home(const scree_world *w, const scree_shape *shape) {
  const uint64_t key = (uint64_t)(uintptr_t)shape >> 4;
  return (size_t)((key * 0x9E3779B97F4A7C15u) >> 20) & (w->shape_slots - 1);
}

/* Where the shape is in the hash table, or the empty slot where it belongs. */
static size_t shape_find(const scree_world *w, const scree_shape *shape) {
  size_t slot = shape_home(w, shape);
  while (w->shape_slot[slot] && w->shape[w->shape_slot[slot] - 1] != shape)
    slot = (slot + 1) & (w->shape_slots - 1);
  return slot;
}

static scree_status shape_rehash(scree_world *w) {
  if (w->shape_slots >= 2 * (w->shape_count + 1)) return SCREE_OK;
  const size_t slots = w->shape_slots ? 2 * w->shape_slots : 64;
  uint32_t *table = memory_new(w->context, slots, sizeof *table);
  if (!table) return SCREE_ERROR_MEMORY;
  memory_free(w->context, w->shape_slot);
  w->shape_slot = table;
  w->shape_slots = slots;
  for (size_t i = 0; i < w->shape_count; i++)
    w->shape_slot[shape_find(w, w->shape[i])] = (uint32_t)i + 1;
  return SCREE_OK;
}

scree_status world_intern_shape(scree_world *w, scree_shape *shape, uint32_t *index) {
  if (shape_rehash(w)) return SCREE_ERROR_MEMORY;
  const size_t slot = shape_find(w, shape);
  if (!w->shape_slot[slot]) {
    if (memory_grow(w->context, &w->shape, w->shape_count + 1, sizeof *w->shape))
      return SCREE_ERROR_MEMORY;
    w->shape[w->shape_count++] = scree_shape_retain(shape);
    w->shape_slot[slot] = (uint32_t)w->shape_count;
  }
  if (index) *index = w->shape_slot[slot];
  return SCREE_OK;
}

scree_status scree_world_add_shape(scree_world *w, scree_shape *shape) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && shape);
  if (!shape) return context_fail(w->context, SCREE_ERROR_ARGUMENT, "world: no shape to add");
  return world_intern_shape(w, shape, NULL);
}

/* ---- energy and hash ------------------------------------------------------------------------ */

/* Where a body was when it had the velocity that is shown: half a step ago, where that is not
 * known for now. So its two energies belong together. */
static v3 place_of_velocity(const scree_world *w, size_t i) {
  const world_bodies *b = &w->bodies;
  if (b->fresh[i] || b->pulse[i] == PULSE_STEADY) return b->position[i];
  const v3 x = v3_add_scaled(b->position[i], -0.5 * w->step, b->linear[i]);
  return v3_add_scaled(x, -0.125 * w->step * w->step, b->linear_rate[i]);
}

static void add_energy(const scree_world *w, size_t begin, size_t end, scree_energy *e) {
  const world_bodies *b = &w->bodies;
  const v3 gravity = v3_load(w->def.gravity);
  for (size_t i = begin; i < end; i++) {
    if (!b->alive[i] || !(b->mass[i] > 0.0)) continue;
    if (world_sleeps(w, i)) {
      e->potential -= b->mass[i] * v3_dot(gravity, b->position[i]);
      continue;
    }
    const v3 spin = quat_rotate_inverse(b->rotation[i], world_angular(w, i));
    e->linear += 0.5 * b->mass[i] * v3_norm2(world_linear(w, i));
    e->angular += 0.5 * (b->inertia[i].x * spin.x * spin.x + b->inertia[i].y * spin.y * spin.y +
                         b->inertia[i].z * spin.z * spin.z);
    e->potential -= b->mass[i] * v3_dot(gravity, place_of_velocity(w, i));
  }
}

scree_energy scree_world_get_energy(const scree_world *w) {
  if (!w) return (scree_energy){0};
  const size_t n = w->bodies.limit, pieces = pieces_of(n);
  scree_energy e = {.linear = 0.0};
  if (pieces == 1) {
    add_energy(w, 0, n, &e);
  } else {
    scree_energy piece[PIECES_MOST] = {{.linear = 0.0}};
#pragma omp parallel for schedule(static) num_threads(context_team(w->context, true))
    for (size_t k = 0; k < pieces; k++)
      add_energy(w, pieces_begin(n, k), pieces_begin(n, k + 1), &piece[k]);
    for (size_t k = 0; k < pieces; k++) {
      e.linear += piece[k].linear;
      e.angular += piece[k].angular;
      e.potential += piece[k].potential;
    }
  }
  e.pairwise = world_pairwise_energy(w);
  e.elastic = link_energy(w);
  link_inertia_energy(w, &e.linear, &e.potential);
  return e;
}

/* Multiply and rotate, a word at a time. */
static uint64_t hash_doubles(uint64_t hash, const double *x, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint64_t word;
    memcpy(&word, &x[i], sizeof word);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

uint64_t scree_world_hash(const scree_world *w) {
  if (!w) return 0;
  const world_bodies *b = &w->bodies;
  uint64_t hash = hash_doubles(0xCBF29CE484222325u, &w->time, 1);
  for (size_t i = 0; i < b->limit; i++) {
    if (!b->alive[i]) continue;
    const double state[13] = {
        b->position[i].x, b->position[i].y, b->position[i].z, b->rotation[i].w, b->rotation[i].x,
        b->rotation[i].y, b->rotation[i].z, b->linear[i].x,   b->linear[i].y,   b->linear[i].z,
        b->angular[i].x,  b->angular[i].y,  b->angular[i].z};
    hash = hash_doubles(hash ^ i, state, 13);
  }
  return hash;
}

/* Entries of `bodies`: one body, or many by a loop, a lattice, at random, from a table or as a
 * belt.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/spare.h"
#include "scene/build/build.h"

#define BODY_LIMIT 100000000.0
#define TURN_LIMIT 20000000.0
/* That a ball takes at least, in the world and in the tables of the scene. */
#define BODY_BYTES 380.0

scree_status scene_look(scree_scene *scene) {
  if (!context_stopped(scene->context)) return SCREE_OK;
  return context_fail(scene->context, SCREE_ERROR_STOPPED,
                      "the scene is not built: stopped by the caller");
}

scree_status scene_expect(scree_scene *scene, const scene_node *at, const char *what,
                          double bodies) {
  if (bodies < 1e6) return SCREE_OK;
  const double bytes = BODY_BYTES * bodies, spare = spare_memory();
  if (bytes <= spare) return SCREE_OK;
  return scene_fault(&scene->doc, at,
                     "%s: %.0f bodies take %.3g GB of memory at least, and there are %.3g GB", what,
                     bodies, 1e-9 * bytes, 1e-9 * spare);
}

scree_status scene_add_body(scree_scene *scene, scree_world *world, const scree_body_def *def,
                            const scene_node *at) {
  scree_body_id id;
  scree_body_def placed = *def;
  /* Looks for signals now and then: a hundred million bodies take minutes. */
  scree_status status = scene->body_count % 4096 == 4095 ? scene_look(scene) : SCREE_OK;
  if (status) return status;
  scene_move_point(scene, placed.position);
  scene_turn_rotation(scene, placed.rotation);
  scene_turn_vector(scene, placed.velocity);
  scene_turn_vector(scene, placed.angular);
  status =
      memory_grow(scene->context, &scene->bodies, scene->body_count + 1, sizeof *scene->bodies);
  if (!status) status = scree_world_add_body(world, &placed, &id);
  if (status && status != SCREE_ERROR_MEMORY) {
    char why[CONTEXT_MESSAGE_SIZE];
    snprintf(why, sizeof why, "%s", scree_context_message(scene->context));
    return scene_fault(&scene->doc, at, "%s", why);
  }
  if (status) return status;
  scene->bodies[scene->body_count++] = id;
  scene->entries[scene->entry_count - 1].count++;
  return SCREE_OK;
}

/* Turns of a loop that share a name are one entry: many bodies of that name. */
static scree_status begin_entry(scree_scene *scene, const scene_template *t) {
  const scene_entry *last = scene->entry_count ? &scene->entries[scene->entry_count - 1] : NULL;
  if (last && last->node == t->keys.head.node && strcmp(last->name, t->keys.name) == 0)
    return SCREE_OK;
  scree_status status =
      memory_grow(scene->context, &scene->entries, scene->entry_count + 1, sizeof *scene->entries);
  if (status) return status;
  scene->entries[scene->entry_count++] =
      (scene_entry){.name = t->keys.name, .node = t->keys.head.node, .first = scene->body_count};
  return SCREE_OK;
}

static scree_status build_one(scree_scene *scene, scree_world *world, const scene_scope *scope,
                              scene_template *t) {
  bool owned;
  scree_body_def def = t->def;
  scree_status status = scene_template_shape(scene, scope, t, 1.0, &def.shape, &owned);
  if (status) return status;
  if (t->keys.sizes)
    return scene_fault(&scene->doc, t->keys.sizes,
                       "sizes: for many bodies only (lattice, random, emitters)");
  if (t->random_rotation)
    return scene_fault(&scene->doc, t->keys.rotation,
                       "rotation: random is for many bodies only (lattice, random, emitters)");
  status = scene_add_body(scene, world, &def, t->keys.head.node);
  if (owned) scree_shape_destroy(def.shape);
  return status;
}

/* x runs first, then y, then z; draws of a place: x, y, z, size, then the rotation. */
static scree_status build_lattice(scree_scene *scene, scree_world *world, const scene_scope *scope,
                                  scene_template *t) {
  scene_generator_keys k = {.number = -1, .seed = 1};
  scree_status status = scene_read(&scene->doc, scope, t->keys.lattice, &scene_section_lattice, &k);
  if (status) return status;
  double places = k.count[0] * k.count[1] * k.count[2];
  for (int i = 0; i < 3; i++)
    if (k.count[i] != floor(k.count[i]))
      return scene_fault(&scene->doc, scene_place(&k.head, "count"),
                         "count: whole numbers are expected");
  if (k.number > places)
    return scene_fault(&scene->doc, scene_place(&k.head, "number"),
                       "number: %ld bodies for %.0f places; raise the count", k.number, places);
  if (k.number >= 0) places = (double)k.number;
  if (places > BODY_LIMIT)
    return scene_fault(&scene->doc, t->keys.lattice, "lattice: %.0f bodies are too many", places);
  status = scene_expect(scene, t->keys.lattice, "lattice", places);
  scene_random random = {(uint64_t)k.seed};
  size_t nx = (size_t)fmin(k.count[0], BODY_LIMIT), ny = (size_t)fmin(k.count[1], BODY_LIMIT);
  size_t total = (size_t)places;
  for (size_t n = 0; n < total && !status; n++) {
    const size_t row = n / nx, layer = row / ny;
    const double cell[3] = {(double)(n % nx), (double)(row % ny), (double)layer};
    scree_body_def def = t->def;
    for (int i = 0; i < 3; i++) {
      def.position[i] = t->def.position[i] + k.origin[i] + cell[i] * k.pitch[i];
      if (k.jitter[i] > 0.0) def.position[i] += (2.0 * scene_uniform(&random) - 1.0) * k.jitter[i];
    }
    double scale = t->spread.kind ? scene_spread_draw(&t->spread, scene_uniform(&random)) : 1.0;
    if (t->random_rotation) scene_random_rotation(&random, def.rotation);
    bool owned;
    status = scene_template_shape(scene, scope, t, scale, &def.shape, &owned);
    if (!status) status = scene_add_body(scene, world, &def, t->keys.head.node);
    if (owned) scree_shape_destroy(def.shape);
  }
  return status;
}

static scree_status build_turn(scree_scene *scene, scree_world *world, const scene_node *node) {
  const scene_scope *scope = &scene->scope;
  scene_template t;
  scree_status status = scene_read_template(scene, scope, world, node, &t);
  if (!status) status = begin_entry(scene, &t);
  if (status) return status;
  int makers = (t.keys.lattice != NULL) + (t.keys.random != NULL) + (t.keys.csv != NULL) +
               (t.keys.belt != NULL);
  if (makers > 1)
    status =
        scene_fault(&scene->doc, node, "body: one of lattice, random, csv and belt is expected");
  else if (!t.keys.shape && !t.keys.csv && t.keys.kind == SCREE_BODY_DYNAMIC &&
           !scene_given(&t.keys.head, &scene_section_body, "inertia"))
    status = scene_fault(&scene->doc, node, "body: key 'shape' is missing");
  else if (t.keys.lattice)
    status = build_lattice(scene, world, scope, &t);
  else if (t.keys.random)
    status = scene_build_random(scene, world, scope, &t);
  else if (t.keys.belt)
    status = scene_build_belt(scene, world, scope, &t);
  else if (t.keys.csv)
    status = scene_build_csv(scene, world, scope, &t);
  else
    status = build_one(scene, world, scope, &t);
  scene_clear_template(&t);
  return status;
}

static scree_status build_loop(scree_scene *scene, scree_world *world, const scene_node *node,
                               const scene_node *loop, size_t level, scene_build_function *build) {
  scene_scope *scope = &scene->scope;
  if (level == loop->count) return build(scene, world, node);
  const scene_node *key = loop->keys[level];
  double count;
  scree_status status = scene_number(&scene->doc, scope, loop->items[level], key->text, "", &count);
  if (status) return status;
  if (count != floor(count) || count < 0.0 || count > BODY_LIMIT)
    return scene_fault(&scene->doc, loop->items[level],
                       "%s: %g turns; a whole number from 0 on is expected", key->text, count);
  size_t outer = scope->count;
  const size_t before = scene->turns;
  for (double i = 0.0; i < count && !status; i += 1.0) {
    scope->count = outer;
    status = scene_scope_add(&scene->doc, key, scope, key->text, i);
    scene->turns++;
    /* Loops in loops: each may be small. Where the first turn leaves no doubt they are refused
     * early, before the memory is full. */
    const double expected = i == 1.0 ? (double)(scene->turns - before - 1) * count : 0.0;
    if (scene->turns > (size_t)TURN_LIMIT || count > TURN_LIMIT || expected > 10.0 * TURN_LIMIT)
      status = scene_fault(&scene->doc, loop, "for: more than %g turns in all", TURN_LIMIT);
    if (!status && scene->turns % 1024 == 1023) status = scene_look(scene);
    if (!status) status = build_loop(scene, world, node, loop, level + 1, build);
  }
  scope->count = outer;
  return status;
}

scree_status scene_build_loop(scree_scene *scene, scree_world *world, const scene_node *node,
                              scene_build_function *build) {
  const scene_node *loop = scene_find(node, "for");
  scene_enter(scene, node->part);
  if (!loop) return build(scene, world, node);
  if (loop->kind != SCENE_MAP || loop->count == 0)
    return scene_fault(&scene->doc, loop, "for: a map of loop variables is expected, as {i: 4}");
  return build_loop(scene, world, node, loop, 0, build);
}

scree_status scene_build_entry(scree_scene *scene, scree_world *world, const scene_node *node) {
  return scene_build_loop(scene, world, node, build_turn);
}

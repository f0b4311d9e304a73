/* Fields: forces that depend on where bodies are, how they move, their mass and charge.
 *
 *   force            given as it is, N
 *   acceleration     mass times it
 *   electric         charge times it, V/m
 *   magnetic         charge times v x B, B in T
 *
 * Expressions may have x, y, z, vx, vy, vz, t, mass, charge and diameter of the body, at the start
 * of the step. A magnetic field turns the velocity and gives no energy: the step turns v, the
 * velocity of the middle of the step before, by the angle of Boris, tan(a/2) = q B t / (2 m) with t
 * the time that forces last,
 *
 *   w = q B t / (2 m),   v' = v + v x w,   v+ = v + 2/(1 + w^2) v' x w,   force m (v+ - v)/t
 *
 * so that |v+| = |v| whatever the step. */
#include <math.h>

#include "model/world.h"
#include "scene/build/build.h"

enum { NAMES = 10 };
static const char *const names[NAMES] = {"x",  "y", "z",    "vx",     "vy",
                                         "vz", "t", "mass", "charge", "diameter"};

static void add_names(const scree_world *world, uint32_t i, scene_scope *scope) {
  const world_bodies *b = &world->bodies;
  v3 x = b->position[i], v = world_linear(world, i);
  if (world_is_periodic(world)) {
    const periodic_image at = periodic_nearest(&world->box, v3_load(world->box.center), x);
    x = v3_add(x, at.shift);
    v = v3_add(v, at.velocity);
  }
  const double values[NAMES] = {x.x,           x.y,        x.z,
                                v.x,           v.y,        v.z,
                                world->time,   b->mass[i], b->charge ? b->charge[i] : 0.0,
                                b->diameter[i]};
  for (int k = 0; k < NAMES && scope->count < SCENE_VARIABLE_LIMIT; k++)
    scope->variables[scope->count++] = (scene_variable){names[k], values[k]};
}

static scree_status read_vector(scree_scene *scene, const scene_scope *scope,
                                const scene_field_def *f, const char *key, const char *unit,
                                const scene_node *node, v3 *out) {
  (void)f;
  double x[3] = {0, 0, 0};
  scree_status status = SCREE_OK;
  if (node) status = scene_vector(&scene->doc, scope, node, key, unit, 3, x);
  *out = v3_load(x);
  return status;
}

static v3 turned(v3 v, v3 w) {
  const v3 half = v3_add(v, v3_cross(v, w));
  return v3_add_scaled(v, 2.0 / (1.0 + v3_norm2(w)), v3_cross(half, w));
}

/* The force of a field on a body at its place now; h 0: only whether it can be read. */
static scree_status force_of(scree_scene *scene, const scree_world *world, const scene_field_def *f,
                             uint32_t i, double h, v3 *force) {
  const world_bodies *b = &world->bodies;
  scene_scope scope = f->scope;
  v3 push, pull, electric, magnetic;
  add_names(world, i, &scope);
  scree_status status = read_vector(scene, &scope, f, "force", "N", f->keys.force, &push);
  if (!status)
    status = read_vector(scene, &scope, f, "acceleration", "m/s^2", f->keys.acceleration, &pull);
  if (!status)
    status = read_vector(scene, &scope, f, "electric", "V/m", f->keys.electric, &electric);
  if (!status) status = read_vector(scene, &scope, f, "magnetic", "T", f->keys.magnetic, &magnetic);
  if (status) return status;
  const double q = b->charge ? b->charge[i] : 0.0, m = b->mass[i];
  *force = v3_add(push, v3_add(v3_scale(m, pull), v3_scale(q, electric)));
  if (h > 0.0 && f->keys.magnetic && q != 0.0) {
    const double t = world_kick(world, i, h);
    const v3 v = b->linear[i], w = v3_scale(0.5 * q * t / m, magnetic);
    *force = v3_add_scaled(*force, m / t, v3_sub(turned(v, w), v));
  }
  return SCREE_OK;
}

typedef scree_status visit_function(scree_scene *scene, scree_world *world,
                                    const scene_field_def *f, scree_body_id id, double h);

static scree_status for_bodies(scree_scene *scene, scree_world *world, const scene_field_def *f,
                               double h, visit_function *visit) {
  const size_t count = f->count ? f->count : scree_world_body_limit(world);
  for (size_t n = 0; n < count; n++) {
    const scree_body_id id = f->count ? scene->bodies[f->first + n] : scree_world_body_at(world, n);
    if (!id.generation || !scree_body_is_valid(world, id) || !world_is_dynamic(world, id.index))
      continue;
    const scree_status status = visit(scene, world, f, id, h);
    if (status) return status;
  }
  return SCREE_OK;
}

static scree_status push_body(scree_scene *scene, scree_world *world, const scene_field_def *f,
                              scree_body_id id, double h) {
  const double none[3] = {0, 0, 0};
  double force[3];
  v3 sum;
  const scree_status status = force_of(scene, world, f, id.index, h, &sum);
  if (status) return status;
  v3_store(force, sum);
  return scree_body_add_force(world, id, force, NULL, none);
}

scree_status scene_push_fields(scree_scene *scene, scree_world *world, double h) {
  const double time = scree_world_time(world);
  for (size_t i = 0; i < scene->field_count; i++) {
    const scene_field_def *f = &scene->fields[i];
    if (time < f->keys.start || time >= f->keys.stop) continue;
    const scree_status status = for_bodies(scene, world, f, h, push_body);
    if (status) return status;
  }
  return SCREE_OK;
}

static scree_status try_body(scree_scene *scene, scree_world *world, const scene_field_def *f,
                             scree_body_id id, double h) {
  v3 force;
  (void)h;
  return force_of(scene, world, f, id.index, 0.0, &force);
}

scree_status scene_read_field(scree_scene *scene, scree_world *world, const scene_node *node,
                              size_t i) {
  scene_field_def *f = &scene->fields[i];
  f->keys = (scene_field_keys){.body_name = "", .stop = INFINITY};
  scree_status status =
      scene_read(&scene->doc, &scene->scope, node, &scene_section_field, &f->keys);
  if (status) return status;
  f->scope = scene->scope;
  if (!f->keys.force && !f->keys.acceleration && !f->keys.electric && !f->keys.magnetic)
    return scene_fault(&scene->doc, node,
                       "field: one of force, acceleration, electric and magnetic is expected");
  if (f->keys.stop < f->keys.start)
    return scene_fault(&scene->doc, scene_place(&f->keys.head, "stop"),
                       "stop: %g s is before the start at %g s", f->keys.stop, f->keys.start);
  if (*f->keys.body_name) {
    status = scene_find_bodies(scene, scene_place(&f->keys.head, "body"), f->keys.body_name, false,
                               &f->first, &f->count);
    if (status) return status;
  }
  /* What cannot be read, or is not finite where bodies begin, is reported before the run. */
  return for_bodies(scene, world, f, 0.0, try_body);
}

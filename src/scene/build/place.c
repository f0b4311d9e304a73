/* Bodies at random places without overlap: random sequential addition of the balls around them,
 * the largest first, with a grid whose cells are as wide as the largest ball. The balls of bodies
 * that were placed so before, by other entries or turns of a loop, are kept clear of as well. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/build/build.h"
#include "shape/shape.h"

bool scene_region_draw(const scene_region *region, scene_random *random, double r, double out[3]) {
  double u[3] = {scene_uniform(random), scene_uniform(random), scene_uniform(random)};
  for (int i = 0; i < 3; i++) {
    double lower = region->lower[i] + r, width = region->upper[i] - r - lower;
    if (width < 0.0) return false;
    out[i] = lower + u[i] * width;
  }
  if (region->round) {
    double reach = region->radius - r, far = reach * sqrt(u[0]), angle = 6.28318530717958648 * u[1];
    out[0] = region->center[0] + far * cos(angle);
    out[1] = region->center[1] + far * sin(angle);
  }
  return true;
}

typedef struct ball {
  double x[3], r, scale, rotation[4];
  size_t number; /* order of drawing */
  size_t next;   /* in its cell; SIZE_MAX: last */
} ball;

typedef struct packer {
  ball *balls;
  size_t placed;
  size_t *cells; /* first ball of a cell, by a hash; SIZE_MAX: none */
  size_t mask;
  double width, gap;
  size_t tries; /* since the caller was asked whether to go on */
  scree_scene *scene;
  const scree_body_def *def; /* the places are added to its own */
} packer;

static size_t cell_slot(const packer *p, const long c[3]) {
  uint64_t h = (uint64_t)c[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)c[1] * 0xc2b2ae3d27d4eb4fu ^
               (uint64_t)c[2] * 0x165667b19e3779f9u;
  return (size_t)(h ^ h >> 32) & p->mask;
}

static void cell_of(const packer *p, const double x[3], long c[3]) {
  for (int i = 0; i < 3; i++) c[i] = (long)fmax(-1e15, fmin(1e15, floor(x[i] / p->width)));
}

static bool is_free(const packer *p, const double x[3], double r) {
  long c[3], d[3];
  cell_of(p, x, c);
  for (int n = 0; n < 27; n++) {
    d[0] = c[0] + n % 3 - 1, d[1] = c[1] + n / 3 % 3 - 1, d[2] = c[2] + n / 9 - 1;
    for (size_t i = p->cells[cell_slot(p, d)]; i != SIZE_MAX; i = p->balls[i].next) {
      const ball *b = &p->balls[i];
      double far = r + b->r + p->gap, dx = x[0] - b->x[0], dy = x[1] - b->x[1], dz = x[2] - b->x[2];
      if (dx * dx + dy * dy + dz * dz < far * far) return false;
    }
  }
  return true;
}

static void place_in_world(const packer *p, const double x[3], double world[3]) {
  for (int k = 0; k < 3; k++) world[k] = p->def->position[k] + x[k];
  scene_move_point(p->scene, world);
}

/* Does nothing that was placed before, and that it may touch, stand there? */
static bool is_clear(const packer *p, const double x[3], double r) {
  double world[3];
  if (p->scene->scattered_count) place_in_world(p, x, world);
  for (size_t i = 0; i < p->scene->scattered_count; i++) {
    const scene_scattered *s = &p->scene->scattered[i];
    if (!(s->category & p->def->collides_with) || !(s->collides_with & p->def->category)) continue;
    if (!near_has_room(&s->list, world, r + p->gap)) return false;
  }
  return true;
}

/* From here on no ball is larger than this. */
static scree_status sort_scattered(scree_scene *scene, double largest) {
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < scene->scattered_count && !status; i++)
    status = near_sort(scene->context, &scene->scattered[i].list, largest);
  return status;
}

static scree_status keep_scattered(const packer *p) {
  scree_scene *scene = p->scene;
  size_t n = 0;
  while (n < scene->scattered_count && (scene->scattered[n].category != p->def->category ||
                                        scene->scattered[n].collides_with != p->def->collides_with))
    n++;
  scree_status status = SCREE_OK;
  if (n == scene->scattered_count) {
    status = memory_grow(scene->context, &scene->scattered, n + 1, sizeof *scene->scattered);
    if (status) return status;
    scene->scattered[scene->scattered_count++] =
        (scene_scattered){.category = p->def->category, .collides_with = p->def->collides_with};
  }
  for (size_t i = 0; i < p->placed && !status; i++) {
    double world[3];
    place_in_world(p, p->balls[i].x, world);
    status = near_add(scene->context, &scene->scattered[n].list, world, p->balls[i].r);
  }
  return status;
}

static int larger_first(const void *a, const void *b) {
  const ball *p = a, *q = b;
  if (p->r != q->r) return p->r > q->r ? -1 : 1;
  return p->number < q->number ? -1 : p->number > q->number;
}

/* Draws sizes and turns first, so that the order of placing does not matter to them. */
static scree_status draw_balls(scree_scene *scene, const scene_scope *scope, scene_template *t,
                               size_t count, scene_random *random, ball *balls) {
  bool owned;
  scree_shape *one;
  scree_status status = scene_template_shape(scene, scope, t, 1.0, &one, &owned);
  if (status) return status;
  double radius = one ? one->size : 0.0;
  if (owned) scree_shape_destroy(one);
  if (!isfinite(radius) || radius <= 0.0)
    return scene_fault(&scene->doc, t->keys.random, "random: the shape has no end");
  for (size_t i = 0; i < count; i++) {
    ball *b = &balls[i];
    b->number = i;
    b->scale = t->spread.kind ? scene_spread_draw(&t->spread, scene_uniform(random)) : 1.0;
    b->r = radius * b->scale;
    memcpy(b->rotation, t->def.rotation, sizeof b->rotation);
    if (t->random_rotation) scene_random_rotation(random, b->rotation);
  }
  qsort(balls, count, sizeof *balls, larger_first);
  return SCREE_OK;
}

static bool place_ball(packer *p, const scene_region *region, scene_random *random, long attempts) {
  ball *b = &p->balls[p->placed];
  for (long n = 0; n < attempts; n++, p->tries++) {
    if (!scene_region_draw(region, random, b->r, b->x)) return false;
    if (!is_free(p, b->x, b->r) || !is_clear(p, b->x, b->r)) continue;
    long c[3];
    cell_of(p, b->x, c);
    size_t slot = cell_slot(p, c);
    b->next = p->cells[slot];
    p->cells[slot] = p->placed++;
    return true;
  }
  return false;
}

/* Ends with fewer than `count` where there is no room, or when it is stopped. */
static scree_status place_balls(scree_scene *scene, const scene_region *region,
                                scene_random *random, size_t count, long attempts, packer *p) {
  enum { STOP_CHECK = 10000 };
  scree_status status = SCREE_OK;
  while (!status && p->placed < count && place_ball(p, region, random, attempts)) {
    if (++p->tries < STOP_CHECK) continue;
    p->tries = 0;
    status = scene_look(scene);
  }
  return status;
}

static scree_status add_balls(scree_scene *scene, scree_world *world, const scene_scope *scope,
                              scene_template *t, const packer *p) {
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < p->placed && !status; i++) {
    scree_body_def def = t->def;
    bool owned;
    for (int k = 0; k < 3; k++) def.position[k] += p->balls[i].x[k];
    memcpy(def.rotation, p->balls[i].rotation, sizeof def.rotation);
    status = scene_template_shape(scene, scope, t, p->balls[i].scale, &def.shape, &owned);
    if (!status) status = scene_add_body(scene, world, &def, t->keys.head.node);
    if (owned) scree_shape_destroy(def.shape);
  }
  return status;
}

scree_status scene_build_random(scree_scene *scene, scree_world *world, const scene_scope *scope,
                                scene_template *t) {
  scene_generator_keys k = {.seed = 1, .attempts = 1000};
  scree_status status = scene_read(&scene->doc, scope, t->keys.random, &scene_section_random, &k);
  scene_region region;
  if (!status) status = scene_read_region(scene, scope, k.region, &region);
  if (!status) status = scene_expect(scene, t->keys.random, "random", (double)k.number);
  if (status || k.number == 0) return status;
  size_t count = (size_t)k.number, slots = 64;
  while (slots < 2 * count) slots *= 2;
  packer p = {.mask = slots - 1, .gap = k.gap, .scene = scene, .def = &t->def};
  p.balls = memory_new(scene->context, count, sizeof *p.balls);
  p.cells = memory_new(scene->context, slots, sizeof *p.cells);
  scene_random random = {(uint64_t)k.seed};
  if (!p.balls || !p.cells) status = SCREE_ERROR_MEMORY;
  if (!status) status = draw_balls(scene, scope, t, count, &random, p.balls);
  if (!status) {
    memset(p.cells, 0xff, slots * sizeof *p.cells);
    p.width = 2.0 * p.balls[0].r + p.gap;
    status = sort_scattered(scene, p.balls[0].r + p.gap);
  }
  if (!status) {
    status = place_balls(scene, &region, &random, count, k.attempts, &p);
    if (!status && p.placed < count)
      status = scene_fault(&scene->doc, t->keys.random,
                           "random: only %zu of %zu bodies found a place; take a larger region or "
                           "fewer bodies",
                           p.placed, count);
  }
  if (!status) status = add_balls(scene, world, scope, t, &p);
  if (!status) status = keep_scattered(&p);
  memory_free(scene->context, p.balls);
  memory_free(scene->context, p.cells);
  return status;
}

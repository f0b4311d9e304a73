/* Contacts in periodic boxes against all pairs of all images: open, sheared and small ones, with
 * bodies of many sizes that have gone far, each contact once and as its own image. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collide/pairs.h"

enum { MOST = 600, REACH = 4 };

static scree_context *context;
static uint64_t seed = 7;
static double random_unit(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}

typedef struct crowd {
  collide_view view;
  const shape *shape[MOST];
  v3 position[MOST], linear[MOST], angular[MOST];
  quat rotation[MOST];
  double radius[MOST], diameter[MOST];
  uint32_t category[MOST], collides[MOST], generation[MOST];
  uint8_t kind[MOST];
} crowd;

static void add(crowd *c, scree_shape *s, double radius, v3 at, v3 velocity) {
  const size_t i = c->view.count++;
  c->shape[i] = s;
  c->position[i] = at;
  c->linear[i] = velocity;
  c->angular[i] = v3_make(0, 0, 0);
  c->rotation[i] = quat_identity();
  c->radius[i] = radius;
  c->diameter[i] = 2.0 * radius;
  c->category[i] = 1;
  c->collides[i] = UINT32_MAX;
  c->generation[i] = 1;
  c->kind[i] = 0;
}

static void begin(crowd *c, const periodic *box) {
  c->view = (collide_view){.shape = c->shape,
                           .position = c->position,
                           .rotation = c->rotation,
                           .linear = c->linear,
                           .angular = c->angular,
                           .radius = c->radius,
                           .diameter = c->diameter,
                           .category = c->category,
                           .collides_with = c->collides,
                           .kind = c->kind,
                           .box = box,
                           .h = 1e-3,
                           .margin = 0.1,
                           .most = INFINITY};
}

/* All images of k about i, one by one: the nearest surface, and where that image is. */
static double nearest(const crowd *c, const periodic *p, size_t i, size_t k, v3 *at) {
  double least = INFINITY;
  int n[3], most[3];
  for (int m = 0; m < 3; m++) most[m] = p->size[m] > 0.0 ? REACH : 0;
  for (n[0] = -most[0]; n[0] <= most[0]; n[0]++)
    for (n[1] = -most[1]; n[1] <= most[1]; n[1]++)
      for (n[2] = -most[2]; n[2] <= most[2]; n[2]++) {
        double s[3];
        for (int m = 0; m < 3; m++) s[m] = n[m] * p->size[m];
        if (p->flow >= 0) s[p->flow] += n[p->gradient] * p->offset;
        const v3 x = v3_add(c->position[k], v3_load(s));
        const double gap = v3_norm(v3_sub(x, c->position[i])) - c->radius[i] - c->radius[k];
        if (gap >= least) continue;
        least = gap;
        *at = x;
      }
  return least;
}

static void compare(const crowd *c, const periodic *p, const collide_contact *found, size_t count) {
  size_t wanted = 0;
  for (size_t i = 0; i < c->view.count; i++)
    for (size_t k = i + 1; k < c->view.count; k++) {
      v3 at = {0, 0, 0};
      const double gap = nearest(c, p, i, k, &at);
      size_t times = 0;
      for (size_t m = 0; m < count; m++) {
        if (found[m].a != i || found[m].b != k) continue;
        times++;
        assert_true(fabs(found[m].point.gap - gap) < 1e-9);
        const v3 on_b = v3_sub(found[m].point.point_b, at);
        assert_true(fabs(v3_norm(on_b) - c->radius[k]) < 1e-9);
      }
      assert_true(times <= 1);
      if (gap > 0.0) continue; /* those ahead of touch depend on velocities */
      assert_int_equal(times, 1);
      wanted++;
    }
  assert_true(wanted > 0);
}

static size_t find(collide *c, const crowd *all, collide_contact *out, size_t room) {
  size_t total = 0;
  assert_int_equal(collide_begin(c, &all->view, all->generation, NULL, 0), SCREE_OK);
  for (;;) {
    const collide_contact *batch;
    size_t count;
    assert_int_equal(collide_next(c, &batch, &count), SCREE_OK);
    if (!count) return total;
    for (size_t k = 0; k < count; k++) {
      assert_true(total < room);
      out[total++] = batch[k];
    }
  }
}

static void run(periodic box, double least, double most, size_t count) {
  static crowd c;
  static collide_contact found[20000];
  scree_shape *shapes[MOST];
  collide *search;
  assert_int_equal(collide_create(context, &search), SCREE_OK);
  begin(&c, &box);
  for (size_t i = 0; i < count; i++) {
    /* Mostly small ones, some large. */
    const double u = random_unit(), r = least + (most - least) * u * u * u * u;
    double x[3];
    for (int m = 0; m < 3; m++) {
      const double size = box.size[m] > 0.0 ? box.size[m] : 1.0;
      x[m] = box.center[m] + size * (random_unit() - 0.5);
      /* Some have gone round some times. */
      if (box.size[m] > 0.0) x[m] += box.size[m] * floor(3.0 * random_unit() - 1.0);
    }
    assert_int_equal(scree_shape_create_sphere(context, r, &shapes[i]), SCREE_OK);
    const v3 at = v3_load(x);
    add(&c, shapes[i], r, at, periodic_flow_at(&box, at));
  }
  /* The same list once more after a little motion, and after much. */
  for (int round = 0; round < 3; round++) {
    compare(&c, &box, found, find(search, &c, found, 20000));
    for (size_t i = 0; i < count; i++)
      c.position[i] = v3_add(c.position[i], v3_make(1e-3 * random_unit(), 1e-3, -0.05 * round));
    periodic_advance(&box, 1e-3);
  }
  for (size_t i = 0; i < count; i++) scree_shape_destroy(shapes[i]);
  collide_destroy(search);
}

static void finds_all_images(void **state) {
  (void)state;
  run((periodic){.size = {1, 1, 1}, .flow = -1, .gradient = -1}, 0.02, 0.03, 400);
  run((periodic){.size = {1, 1.3, 0}, .center = {5, 0, 0}, .flow = -1, .gradient = -1}, 0.01, 0.15,
      400);
  run((periodic){.size = {0, 0, 0.9}, .flow = -1, .gradient = -1}, 0.01, 0.15, 300);
}

static void finds_sheared_images(void **state) {
  (void)state;
  for (int k = 0; k < 6; k++) {
    periodic box = {
        .size = {1.0, 0.8, 1.2}, .rate = 3.0, .flow = k % 3, .gradient = (k + 1 + k / 3) % 3};
    box.offset = box.size[box.flow] * random_unit();
    run(box, 0.01, 0.12, 200);
  }
  run((periodic){.size = {1, 1, 1}, .stretch = {-1, -1, -1}, .flow = -1, .gradient = -1}, 0.02,
      0.05, 200);
}

static void refuses_what_is_too_large(void **state) {
  (void)state;
  static crowd c;
  collide *search;
  scree_shape *ball;
  const periodic box = {.size = {1, 1, 1}, .flow = -1, .gradient = -1};
  assert_int_equal(collide_create(context, &search), SCREE_OK);
  assert_int_equal(scree_shape_create_sphere(context, 0.26, &ball), SCREE_OK);
  begin(&c, &box);
  add(&c, ball, 0.26, v3_make(0, 0, 0), v3_make(0, 0, 0));
  add(&c, ball, 0.26, v3_make(0.5, 0, 0), v3_make(0, 0, 0));
  assert_int_equal(collide_begin(search, &c.view, c.generation, NULL, 0), SCREE_ERROR_INPUT);
  scree_shape_destroy(ball);
  collide_destroy(search);
}

/* Image and body move alike: the nearest image keeps its vector and its velocity. */
static void images_move_with_the_flow(void **state) {
  (void)state;
  periodic p = {
      .size = {1, 2, 3}, .rate = 0.7, .flow = 0, .gradient = 2, .stretch = {0.1, 0, -0.2}};
  const v3 a = {0.1, 0.2, 1.4}, b = {0.3, 0.1, -1.3};
  const periodic_image before = periodic_nearest(&p, a, b);
  const double h = 1e-6;
  periodic q = p;
  periodic_advance(&q, h);
  const periodic_image after = periodic_nearest(&q, a, b);
  const v3 rate = v3_scale(1.0 / h, v3_sub(after.shift, before.shift));
  assert_true(v3_norm(v3_sub(rate, before.velocity)) < 1e-8);
  assert_true(fabs(before.velocity.x - (0.7 * 3.0 + 0.1 * before.shift.x)) < 1e-12);
}

static int setup(void **state) {
  (void)state;
  context = scree_context_create(NULL);
  return context == NULL;
}

static int teardown(void **state) {
  (void)state;
  scree_context_destroy(context);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_all_images),
      cmocka_unit_test(finds_sheared_images),
      cmocka_unit_test(refuses_what_is_too_large),
      cmocka_unit_test(images_move_with_the_flow),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

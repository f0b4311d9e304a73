/* The camera that frames a scene: nothing crosses the margin, and something touches it on both
 * sides; seen by the angles of tangents to balls, which the framing does not use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "scree/render.h"
#include "tests/unit/shape/shape_random.h"

#define assert_near(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))

/* The tangents of the angles that a ball spans across one axis of the picture: -1 … 1 is the
 * picture. */
static void extent(const scree_camera *c, double half, v3 axis, v3 center, double radius,
                   double *low, double *high) {
  const v3 eye = v3_load(c->eye), forward = v3_normalize(v3_sub(v3_load(c->target), eye));
  const v3 p = v3_sub(center, eye);
  const double x = v3_dot(p, axis), z = v3_dot(p, forward);
  const double middle = atan2(x, z), spread = asin(radius / sqrt(x * x + z * z));
  *low = tan(middle - spread) / half;
  *high = tan(middle + spread) / half;
}

static void test_everything_is_seen(void **state) {
  (void)state;
  uint64_t seed = 11;
  for (int round = 0; round < 300; round++) {
    enum { COUNT = 40 };
    v3 center[COUNT];
    double radius[COUNT], sides[2][2] = {{1, -1}, {1, -1}};
    const double aspect = random_real(&seed, 0.4, 2.5), margin = random_real(&seed, 0, 0.2);
    const double azimuth = random_real(&seed, -7, 7), elevation = random_real(&seed, -1.5, 1.5);
    const double field = random_real(&seed, 0.1, 1.5), size = exp(random_real(&seed, -7, 7));
    const v3 shift = v3_scale(10 * size, random_unit(&seed));
    scree_framing f;
    scree_camera c;
    scree_framing_begin(&f, azimuth, elevation, field, aspect, margin);
    assert_false(scree_framing_end(&f, &c));
    for (int i = 0; i < COUNT; i++) {
      center[i] = v3_add(shift, v3_scale(size * random_real(&seed, 0, 1), random_unit(&seed)));
      radius[i] = size * random_real(&seed, 0.01, 0.3);
      double p[3];
      v3_store(p, center[i]);
      scree_framing_add_ball(&f, p, radius[i]);
    }
    assert_true(scree_framing_end(&f, &c));
    const v3 forward = v3_normalize(v3_sub(v3_load(c.target), v3_load(c.eye)));
    assert_near(v3_dot(forward, (v3){0, 0, 1}), -sin(elevation), 1e-9);
    const v3 right = v3_normalize(v3_cross(forward, v3_load(c.up))), up = v3_cross(right, forward);
    const double half = tan(0.5 * field), free = 1 - 2 * margin;
    for (int i = 0; i < COUNT; i++)
      for (int axis = 0; axis < 2; axis++) {
        double low, high;
        extent(&c, axis ? half : half * aspect, axis ? up : right, center[i], radius[i], &low,
               &high);
        assert_true(low >= -free - 1e-6 && high <= free + 1e-6);
        sides[axis][0] = fmin(sides[axis][0], low + free);
        sides[axis][1] = fmax(sides[axis][1], high - free);
      }
    const double wide = fmax(sides[0][0], -sides[0][1]), tall = fmax(sides[1][0], -sides[1][1]);
    assert_true(fmin(wide, tall) < 1e-6);
  }
}

/* One ball: its distance is r / sin of half the angle that is left for it. */
static void test_one_ball(void **state) {
  (void)state;
  scree_framing f;
  scree_camera c;
  const double center[3] = {3, -2, 5}, margin = 0.1, field = 0.6;
  scree_framing_begin(&f, 0.3, 0.2, field, 2.0, margin);
  scree_framing_add_ball(&f, center, 0.25);
  assert_true(scree_framing_end(&f, &c));
  const double distance = v3_norm(v3_sub(v3_load(c.eye), v3_load(center)));
  assert_near(distance, 0.25 / sin(atan(tan(0.5 * field) * 0.8)), 1e-12);
  assert_near(v3_norm(v3_sub(v3_load(c.target), v3_load(center))), 0.0, 1e-12);
}

/* A point is looked at from somewhere, not from itself. */
static void test_a_point(void **state) {
  (void)state;
  scree_framing f;
  scree_camera c;
  const double center[3] = {1, 1, 1};
  scree_framing_begin(&f, 0, 0, 0.5, 1.5, 0.05);
  scree_framing_add_ball(&f, center, 0.0);
  assert_true(scree_framing_end(&f, &c));
  assert_true(v3_norm(v3_sub(v3_load(c.eye), v3_load(c.target))) > 0.5);
}

static scree_render_item item_at(const scree_shape *s, double x, double y, double z) {
  return (scree_render_item){.shape = s, .position = {x, y, z}, .rotation = {1, 0, 0, 0}};
}

/* The focus leaves out what flew away and what has no end, but nothing when there are few. */
static void test_focus(void **state) {
  (void)state;
  enum { COUNT = 400 };
  scree_context *context = scree_context_create(NULL);
  scree_shape *ball = NULL, *floor = NULL, *bin = NULL;
  scree_shape_create_sphere(context, 0.1, &ball);
  scree_shape_create_half_space(context, &floor);
  scree_shape_create_box_container(context, (double[3]){1, 1, 50}, SCREE_OPEN_TOP, &bin);
  scree_render_item items[COUNT + 2];
  uint64_t seed = 3;
  for (int i = 0; i < COUNT; i++)
    items[i] = item_at(ball, random_real(&seed, -1, 1), random_real(&seed, -1, 1),
                       random_real(&seed, 0, 1));
  items[17].position[0] = 1000;
  items[COUNT] = item_at(floor, 0, 0, 0);
  items[COUNT + 1] = item_at(bin, 0, 0, 50);
  scree_box focus, box;
  assert_true(scree_render_focus(COUNT + 2, items, &focus));
  assert_true(focus.upper[0] < 1.2 && focus.upper[0] > 1.0 && focus.lower[2] > -0.11);
  assert_true(scree_render_focus(20, items, &focus));
  assert_true(focus.upper[0] > 1000);
  assert_false(scree_render_focus(1, items + COUNT, &focus));
  /* A bin of 100 m around a bed of 1 m: its walls are shown to a little above the bed. */
  scree_render_focus(COUNT + 2, items, &focus);
  assert_false(scree_render_wall_box(&items[COUNT], &focus, &box));
  assert_true(scree_render_wall_box(&items[COUNT + 1], &focus, &box));
  assert_near(box.lower[2], 0.0, 1e-12);
  assert_true(box.upper[2] > 1.1 && box.upper[2] < 1.5);
  assert_near(box.upper[0], 1.0, 1e-12);
  scree_shape_destroy(ball);
  scree_shape_destroy(floor);
  scree_shape_destroy(bin);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_everything_is_seen),
      cmocka_unit_test(test_one_ball),
      cmocka_unit_test(test_a_point),
      cmocka_unit_test(test_focus),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

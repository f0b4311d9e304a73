/* Rays and shapes. Oracles that know nothing of quadrics: a line meets a convex body iff no
 * direction across the line separates them, n . o <= h(n) with the support function h; and a point
 * with the normal n is on the surface iff n . x = h(n). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "shape/span.h"
#include "tests/unit/shape/shape_random.h"

#define assert_near(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))

static double reach(const shape *s, v3 n) {
  return v3_dot(n, shape_support(s, n));
}

/* The largest gap between the line and the body over directions across the line. */
static double separation(const shape *s, v3 o, v3 d) {
  const v3 a = v3_across(d), b = v3_cross(d, a);
  double most = -INFINITY, at = 0;
  for (int i = 0; i < 360; i++) {
    const double angle = i * 6.283185307179586 / 360;
    const v3 n = v3_add(v3_scale(cos(angle), a), v3_scale(sin(angle), b));
    const double gap = v3_dot(n, o) - reach(s, n);
    if (gap > most) most = gap, at = angle;
  }
  for (double step = 0.01; step > 1e-9; step *= 0.5)
    for (int side = -1; side <= 1; side += 2) {
      const double angle = at + side * step;
      const v3 n = v3_add(v3_scale(cos(angle), a), v3_scale(sin(angle), b));
      const double gap = v3_dot(n, o) - reach(s, n);
      if (gap > most) most = gap, at = angle;
    }
  return most;
}

static void test_against_supports(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  uint64_t seed = 7;
  for (int kind = SCREE_SHAPE_SPHERE; kind <= SCREE_SHAPE_HULL; kind++) {
    int met = 0, missed = 0;
    for (int round = 0; round < 12; round++) {
      shape *s = random_shape(context, &seed, (scree_shape_kind)kind, 1.0);
      for (int i = 0; i < 60; i++) {
        const v3 d = random_unit(&seed);
        const v3 aim = v3_scale(random_real(&seed, 0, 1.3), random_unit(&seed));
        const v3 o = v3_add_scaled(aim, -5.0, d);
        shape_span span;
        const bool hit = shape_find_span(s, o, d, &span);
        const double gap = separation(s, o, d);
        if (fabs(gap) > 1e-6) assert_int_equal(hit, gap < 0);
        met += hit;
        missed += !hit;
        if (!hit) continue;
        const v3 in = v3_add_scaled(o, span.in.t, d), out = v3_add_scaled(o, span.out.t, d);
        assert_true(span.in.t < span.out.t);
        assert_true(v3_dot(span.in.normal, d) <= 1e-12 && v3_dot(span.out.normal, d) >= -1e-12);
        assert_near(v3_norm(span.in.normal), 1.0, 1e-12);
        assert_near(v3_dot(span.in.normal, in), reach(s, span.in.normal), 1e-9);
        assert_near(v3_dot(span.out.normal, out), reach(s, span.out.normal), 1e-9);
      }
      scree_shape_destroy(s);
    }
    assert_true(met > 100 && missed > 100);
  }
  scree_context_destroy(context);
}

static void test_closed_forms(void **state) {
  (void)state;
  shape_span span;
  /* A box from the side, from a corner's direction, and past it. */
  assert_true(shape_box_span((v3){1, 2, 3}, (v3){-5, 0.5, 1}, (v3){1, 0, 0}, &span));
  assert_near(span.in.t, 4.0, 1e-15);
  assert_near(span.out.t, 6.0, 1e-15);
  assert_near(span.in.normal.x, -1.0, 0.0);
  assert_false(shape_box_span((v3){1, 2, 3}, (v3){-5, 2.5, 0}, (v3){1, 0, 0}, &span));
  assert_true(shape_box_span((v3){1, 1, 1}, (v3){0, 0, 9}, (v3){0, 0, -2}, &span));
  assert_near(span.in.t, 4.0, 1e-15);
  assert_int_equal(span.in.end, 1);
  assert_int_equal(span.out.end, -1);
  /* A capsule: on the mantle, and on the cap at half a radius off the axis. */
  assert_true(shape_capsule_span(1.0, 2.0, (v3){-9, 0, 1}, (v3){1, 0, 0}, &span));
  assert_near(span.in.t, 8.0, 1e-14);
  assert_true(shape_capsule_span(1.0, 2.0, (v3){0.5, 0, 9}, (v3){0, 0, -1}, &span));
  assert_near(span.in.t, 9.0 - 2.0 - sqrt(0.75), 1e-14);
  assert_near(span.in.normal.x, 0.5, 1e-14);
  /* A cone of radius 1 and height 2 with its base at z = 0: at z = 1 the radius is 0.5, and the
   * mantle's normal is (2, 0, 1) / sqrt 5. */
  assert_true(shape_frustum_span(1.0, 0.0, 0.0, 2.0, (v3){7, 0, 1}, (v3){-1, 0, 0}, &span));
  assert_near(span.in.t, 6.5, 1e-14);
  assert_near(span.out.t, 7.5, 1e-14);
  assert_near(span.in.normal.x, 2.0 / sqrt(5.0), 1e-14);
  assert_near(span.in.normal.z, 1.0 / sqrt(5.0), 1e-14);
  /* Along the axis of a funnel: in by the upper end, out by the lower. */
  assert_true(shape_frustum_span(0.2, 1.0, -1.0, 1.0, (v3){0.1, 0, 3}, (v3){0, 0, -1}, &span));
  assert_near(span.in.t, 2.0, 1e-15);
  assert_near(span.out.t, 4.0, 1e-15);
  assert_int_equal(span.in.end, 1);
  assert_int_equal(span.out.end, -1);
  /* Parallel to the mantle of a cone, where the quadratic loses its first term. */
  assert_true(shape_frustum_span(1.0, 0.0, 0.0, 1.0, (v3){-2, 0, 2.5}, (v3){1, 0, -1}, &span));
  const double x = -2 + span.in.t, z = 2.5 - span.in.t;
  assert_near(fabs(x) + z, 1.0, 1e-12);
}

static void test_small_and_far(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  shape *s = NULL;
  shape_span span;
  scree_shape_create_sphere(context, 1e-4, &s);
  assert_true(shape_find_span(s, (v3){-1e4, 0, 0.6e-4}, (v3){1, 0, 0}, &span));
  assert_near(span.out.t - span.in.t, 1.6e-4, 1e-11);
  assert_near(span.in.normal.z, 0.6, 1e-7);
  assert_false(shape_find_span(s, (v3){-1e4, 0, 1.0001e-4}, (v3){1, 0, 0}, &span));
  scree_shape_destroy(s);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_supports),
      cmocka_unit_test(test_closed_forms),
      cmocka_unit_test(test_small_and_far),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

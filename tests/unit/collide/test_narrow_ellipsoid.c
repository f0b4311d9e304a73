/* Two ellipsoids by their own way against the way of all convex solids: the same contacts, near and
 * far, in touch and deep in each other. */
#include "collide/narrow/narrow.h"
#include "tests/unit/shape/shape_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static shape random_ellipsoid(double thin, uint64_t *seed) {
  shape s = {.kind = SCREE_SHAPE_ELLIPSOID};
  s.ellipsoid.radii = (v3){1, 1 - (1 - thin) * random_unit(seed).x * 0.5, thin};
  s.size = fmax(s.ellipsoid.radii.x, s.ellipsoid.radii.y);
  return s;
}

static void compare(const shape *a, pose pa, const shape *b, pose pb, double margin, int *found) {
  contact_point own[4], all[4];
  narrow_sink fast = {.out = own, .capacity = 4, .margin = margin};
  narrow_sink slow = {.out = all, .capacity = 4, .margin = margin};
  narrow_ellipsoid_ellipsoid(a, &pa, b, &pb, &fast);
  narrow_convex_convex(a, &pa, b, &pb, &slow);
  assert_int_equal(fast.count, slow.count);
  if (fast.count == 0) return;
  ++*found;
  assert_true(fabs(own[0].gap - all[0].gap) < 1e-11);
  assert_int_equal(own[0].feature, all[0].feature);
  /* Deep ones may have two normals that are as good. */
  if (own[0].gap < -0.05) return;
  assert_true(v3_norm(v3_sub(own[0].normal, all[0].normal)) < 1e-7);
  assert_true(v3_norm(v3_sub(own[0].point_a, all[0].point_a)) < 1e-6);
}

static void test_same_contacts(void **unused) {
  (void)unused;
  uint64_t seed = 7;
  static const double thin[] = {1.0, 0.6, 0.3, 0.05};
  int found = 0;
  for (int k = 0; k < 8000; k++) {
    const shape a = random_ellipsoid(thin[k % 4], &seed),
                b = random_ellipsoid(thin[k / 4 % 4], &seed);
    const v3 u = random_unit(&seed), far = {5, -3, 100};
    const pose pa = {far, random_pose(&seed, 1).rotation},
               pb = {v3_add_scaled(far, 0.2 + 1.8 * fabs(random_unit(&seed).z), u),
                     random_pose(&seed, 1).rotation};
    compare(&a, pa, &b, pb, k % 3 ? 0.05 : 2.0, &found);
  }
  assert_true(found > 3000);
}

/* One centre on the other: no direction is better than another. */
static void test_same_place(void **unused) {
  (void)unused;
  uint64_t seed = 11;
  int found = 0;
  const shape a = random_ellipsoid(0.5, &seed), b = random_ellipsoid(0.7, &seed);
  const pose p = {{0, 0, 0}, random_pose(&seed, 1).rotation};
  compare(&a, p, &b, p, 0.0, &found);
  assert_int_equal(found, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_contacts),
                                     cmocka_unit_test(test_same_place)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Room for new bodies: the table of cells answers as a look at every ball does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scene/flow/near.h"
#include "scree/scree.h"

static uint64_t seed = 1;

static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-53;
}

static bool slow_has_room(const near_list *list, const double x[3], double r) {
  for (size_t i = 0; i < list->count; i++) {
    const near_ball *b = &list->balls[i];
    double d2 = 0.0;
    for (int k = 0; k < 3; k++) d2 += (x[k] - b->x[k]) * (x[k] - b->x[k]);
    const double far = 1.001 * (r + b->r);
    if (d2 < far * far) return false;
  }
  return true;
}

/* Balls are put where there is room, from a thin to a full box; half of the places are on both
 * sides of the planes through the origin. */
static void compare(double side, double small, double large) {
  scree_context *context = scree_context_create(NULL);
  near_list list = {0};
  size_t full = 0;
  for (int i = 0; i < 50; i++) {
    const double x[3] = {side * uniform(), side * uniform(), side * uniform()};
    assert_int_equal(near_add(context, &list, x, small), SCREE_OK);
  }
  assert_int_equal(near_sort(context, &list, large), SCREE_OK);
  for (int i = 0; i < 3000; i++) {
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = side * (uniform() - (i % 2 ? 0.5 : 0.0));
    const double r = small + (large - small) * uniform();
    const bool room = near_has_room(&list, x, r);
    assert_int_equal(room, slow_has_room(&list, x, r));
    full += !room;
    if (room) assert_int_equal(near_add(context, &list, x, r), SCREE_OK);
  }
  assert_true(full > 100 && list.count > 200);
  near_clear(context, &list);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

static void test_same_answers(void **state) {
  (void)state;
  compare(1.0, 0.02, 0.02);
  compare(1.0, 0.001, 0.1);
  compare(1e-6, 1e-8, 5e-8);
  compare(1e9, 1e7, 5e7);
}

/* No size at all, and places far beyond the numbers of cells. */
static void test_odd_balls(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  near_list list = {0};
  const double far[3] = {1e300, -1e300, 1e18}, origin[3] = {0};
  assert_int_equal(near_sort(context, &list, 0.0), SCREE_OK);
  assert_true(near_has_room(&list, origin, 0.0));
  assert_int_equal(near_add(context, &list, far, 0.0), SCREE_OK);
  assert_true(near_has_room(&list, origin, 0.0));
  assert_true(near_has_room(&list, far, 0.0)); /* points do not touch */
  near_clear(context, &list);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_answers),
                                     cmocka_unit_test(test_odd_balls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

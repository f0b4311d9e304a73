/* The tree code against the sum over all pairs: below its bound for points at random, in clusters
 * and in a plane, of one sign and of both; equal to it for theta 0; and fewer terms than pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "math/tree_code.h"

enum { POINTS = 1500 };

static scree_context *context;
static uint64_t seed = 3;
static double random_unit(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}

static v3 draw(int kind) {
  v3 x = {random_unit(), random_unit(), random_unit()};
  if (kind == 1) /* clusters within clusters */
    for (int k = 0; k < 4; k++)
      if (random_unit() < 0.6) x = v3_add(v3_scale(0.05, x), v3_make(0.3, 0.6, 0.1 * k));
  if (kind == 2) x.z = 0.0;
  if (kind == 3) x = v3_make(floor(4.0 * x.x), floor(4.0 * x.y), 0.0); /* many in one place */
  return x;
}

static void fill(tree_code *t, int kind, bool signs) {
  assert_int_equal(tree_code_reserve(t, POINTS), SCREE_OK);
  for (uint32_t k = 0; k < POINTS; k++)
    t->point[k] = (tree_point){.at = draw(kind),
                               .strength = {random_unit(), signs ? 2.0 * random_unit() - 1.0 : 0.5},
                               .index = k};
  assert_int_equal(tree_code_build(t, POINTS), SCREE_OK);
}

static tree_field direct(const tree_code *t, v3 place, size_t without) {
  tree_field out = {.potential = {0}};
  for (size_t k = 0; k < POINTS; k++) {
    const v3 r = v3_sub(place, t->point[k].at);
    const double d = v3_norm(r);
    if (t->point[k].index == without || d == 0.0) continue;
    for (int m = 0; m < TREE_CODE_KINDS; m++) {
      out.potential[m] += t->point[k].strength[m] / d;
      out.field[m] = v3_add_scaled(out.field[m], t->point[k].strength[m] / (d * d * d), r);
    }
  }
  return out;
}

static void compare(int kind, bool signs, double theta, double most) {
  tree_code t = {.context = context};
  fill(&t, kind, signs);
  double wrong = 0.0, size = 0.0;
  for (size_t k = 0; k < POINTS; k += 7) {
    const tree_point *p = &t.point[k];
    const tree_field a = tree_code_at(&t, p->at, p->index, theta, true);
    const tree_field b = direct(&t, p->at, p->index);
    for (int m = 0; m < TREE_CODE_KINDS; m++) {
      const double error = v3_norm(v3_sub(a.field[m], b.field[m]));
      assert_true(error <= a.error[m] + 1e-10 * (1.0 + v3_norm(b.field[m])));
      if (theta > 0.0 && kind < 3) assert_true(a.error[m] > 0.0);
      if (m == 0) wrong += error;
    }
    size += v3_norm(b.field[0]);
  }
  /* A lattice of sixteen places has nothing far away. */
  if (kind < 3 && !(wrong <= most * size))
    fail_msg("kind %d, theta %g: mean error %g", kind, theta, wrong / size);
  tree_code_clear(&t);
}

static void errors_are_below_the_bound(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++)
    for (int signs = 0; signs < 2; signs++) {
      compare(kind, signs, 0.9, INFINITY);
      compare(kind, signs, 0.5, 0.01);
      compare(kind, signs, 0.3, 2e-3);
    }
}

static void theta_0_is_the_sum(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) compare(kind, true, 0.0, 1e-12);
}

/* The orders that are left out fall as theta^3: a third of the angle, some twentieth of the error.
 */
static void errors_fall_with_the_angle(void **state) {
  (void)state;
  tree_code t = {.context = context};
  fill(&t, 0, false);
  double sum[2] = {0, 0};
  for (size_t k = 0; k < POINTS; k += 5) {
    const tree_field b = direct(&t, t.point[k].at, t.point[k].index);
    for (int m = 0; m < 2; m++) {
      const tree_field a = tree_code_at(&t, t.point[k].at, t.point[k].index, m ? 0.2 : 0.6, false);
      sum[m] += v3_norm(v3_sub(a.field[0], b.field[0]));
    }
  }
  assert_true(sum[1] < sum[0] / 15.0);
  tree_code_clear(&t);
}

/* Four times the points add as many terms again each time, where all pairs would be four times as
 * many. */
static void terms_grow_with_the_logarithm(void **state) {
  (void)state;
  double mean[4];
  for (int size = 0; size < 4; size++) {
    const size_t count = (size_t)4000 << (2 * size);
    tree_code t = {.context = context};
    size_t terms = 0;
    assert_int_equal(tree_code_reserve(&t, count), SCREE_OK);
    for (uint32_t k = 0; k < count; k++)
      t.point[k] = (tree_point){.at = draw(0), .strength = {1.0, 1.0}, .index = k};
    assert_int_equal(tree_code_build(&t, count), SCREE_OK);
    for (size_t k = 0; k < count; k += count / 500)
      terms += tree_code_at(&t, t.point[k].at, t.point[k].index, 0.5, false).terms;
    mean[size] = (double)terms / 500.0;
    tree_code_clear(&t);
  }
  for (int k = 1; k < 3; k++) assert_true(mean[k + 1] - mean[k] < 1.25 * (mean[k] - mean[k - 1]));
  assert_true(mean[3] < 0.01 * 256000.0);
}

static void handles_few_points(void **state) {
  (void)state;
  tree_code t = {.context = context};
  assert_int_equal(tree_code_build(&t, 0), SCREE_OK);
  assert_true(tree_code_at(&t, v3_make(1, 2, 3), SIZE_MAX, 0.5, false).potential[0] == 0.0);
  assert_int_equal(tree_code_reserve(&t, 1), SCREE_OK);
  t.point[0] = (tree_point){.at = {1, 0, 0}, .strength = {2.0, -1.0}};
  assert_int_equal(tree_code_build(&t, 1), SCREE_OK);
  const tree_field f = tree_code_at(&t, v3_make(3, 0, 0), SIZE_MAX, 0.5, false);
  assert_true(f.potential[0] == 1.0 && f.field[0].x == 0.5 && f.field[1].x == -0.25);
  assert_true(tree_code_at(&t, v3_make(3, 0, 0), 0, 0.5, false).potential[0] == 0.0);
  tree_code_clear(&t);
}

static int setup(void **state) {
  (void)state;
  context = scree_context_create(NULL);
  return context == NULL;
}

static int teardown(void **state) {
  (void)state;
  const int left = scree_context_bytes(context) != 0;
  scree_context_destroy(context);
  return left;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_are_below_the_bound), cmocka_unit_test(theta_0_is_the_sum),
      cmocka_unit_test(errors_fall_with_the_angle), cmocka_unit_test(terms_grow_with_the_logarithm),
      cmocka_unit_test(handles_few_points),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

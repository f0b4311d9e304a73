/* Lemke's method against enumeration of all complementary bases of small random problems: positive
 * definite ones have one solution, copositive ones may have several, infeasible ones none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "math/dense.h"
#include "math/lemke.h"

enum { MOST = 7 };

static uint64_t seed = 12345;

static double draw(double lo, double hi) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return lo + (hi - lo) * (double)(seed >> 11) / 9007199254740992.0;
}

/* Every complementary basis: the number of solutions found, the distance of z to the nearest. */
static int enumerate(size_t n, const double *m, const double *q, const double *z, double *nearest) {
  int found = 0;
  *nearest = INFINITY;
  for (unsigned set = 0; set < 1u << n; set++) {
    size_t index[MOST], count = 0;
    for (size_t i = 0; i < n; i++)
      if (set >> i & 1u) index[count++] = i;
    double a[MOST * MOST], x[MOST], full[MOST] = {0};
    int pivot[MOST];
    for (size_t j = 0; j < count; j++)
      for (size_t i = 0; i < count; i++) a[i + j * count] = m[index[i] * n + index[j]];
    for (size_t i = 0; i < count; i++) x[i] = -q[index[i]];
    if (count && dense_lu(count, a, count, 1e-12, pivot) < count) continue;
    if (count) dense_lu_solve(count, a, count, pivot, 1, x, count);
    double worst = 0.0, distance = 0.0;
    for (size_t i = 0; i < count; i++) full[index[i]] = x[i];
    for (size_t i = 0; i < n; i++) {
      double w = q[i];
      for (size_t j = 0; j < n; j++) w += m[i * n + j] * full[j];
      worst = fmax(worst, fabs(fmin(w, full[i])));
      distance = fmax(distance, fabs(full[i] - z[i]));
    }
    if (worst > 1e-9) continue;
    found++;
    *nearest = fmin(*nearest, distance);
  }
  return found;
}

static lemke_result solve(scree_context *context, lemke_work *work, size_t n, const double *m,
                          const double *q, double *z) {
  const lemke_problem p = {.n = n, .m = m, .q = q};
  lemke_result result;
  assert_int_equal(lemke_solve(context, work, &p, z, &result), SCREE_OK);
  return result;
}

static void test_definite(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  lemke_work work = {0};
  for (int trial = 0; trial < 300; trial++) {
    const size_t n = 1 + (size_t)trial % MOST;
    double b[MOST * MOST], m[MOST * MOST], q[MOST], z[MOST], nearest;
    for (size_t k = 0; k < n * n; k++) b[k] = draw(-1.0, 1.0);
    for (size_t i = 0; i < n; i++) {
      q[i] = draw(-1.0, 0.6);
      for (size_t j = 0; j < n; j++) {
        m[i * n + j] = (i == j ? 0.05 : 0.0) + 0.2 * (b[i * n + j] - b[j * n + i]);
        for (size_t k = 0; k < n; k++) m[i * n + j] += b[i * n + k] * b[j * n + k];
      }
    }
    const lemke_result r = solve(context, &work, n, m, q, z);
    assert_int_equal(r.end, LEMKE_SOLVED);
    assert_true(r.residual < 1e-12);
    assert_int_equal(enumerate(n, m, q, z, &nearest), 1);
    assert_true(nearest < 1e-9);
  }
  lemke_clear(context, &work);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

/* Strictly copositive matrices (positive here) always have solutions, often several. */
static void test_copositive(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  lemke_work work = {0};
  int several = 0;
  for (int trial = 0; trial < 300; trial++) {
    const size_t n = 2 + (size_t)trial % (MOST - 1);
    double m[MOST * MOST], q[MOST], z[MOST], nearest;
    for (size_t k = 0; k < n * n; k++) m[k] = draw(0.1, 2.0);
    for (size_t i = 0; i < n; i++) q[i] = draw(-1.0, 0.3);
    const lemke_result r = solve(context, &work, n, m, q, z);
    assert_int_equal(r.end, LEMKE_SOLVED);
    several += enumerate(n, m, q, z, &nearest) > 1;
    assert_true(nearest < 1e-9);
  }
  assert_true(several > 20);
  lemke_clear(context, &work);
  scree_context_destroy(context);
}

/* Quadratic programs min x'x/2 with A x >= b: solved, or a ray whose multipliers y >= 0 have A'y =
 * 0 and b'y > 0, which proves that the constraints contradict each other. Integers make many ties.
 */
static void test_quadratic_programs(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  lemke_work work = {0};
  int rays = 0, solutions = 0;
  for (int trial = 0; trial < 400; trial++) {
    enum { ROWS = 6, DIM = 2 };
    double a[ROWS][DIM], b[ROWS], m[ROWS * ROWS], q[ROWS], z[ROWS];
    for (int i = 0; i < ROWS; i++) {
      for (int k = 0; k < DIM; k++) a[i][k] = round(draw(-1.4, 1.4));
      b[i] = round(draw(-2.4, 1.4));
    }
    for (int i = 0; i < ROWS; i++) {
      q[i] = -b[i];
      for (int j = 0; j < ROWS; j++) m[i * ROWS + j] = a[i][0] * a[j][0] + a[i][1] * a[j][1];
    }
    const lemke_result r = solve(context, &work, ROWS, m, q, z);
    if (r.end == LEMKE_SOLVED) {
      solutions++;
      assert_true(r.residual < 1e-12);
      continue;
    }
    assert_int_equal(r.end, LEMKE_RAY);
    rays++;
    double push[DIM] = {0}, gain = 0.0;
    for (int i = 0; i < ROWS; i++) {
      assert_true(z[i] >= 0.0);
      for (int k = 0; k < DIM; k++) push[k] += a[i][k] * z[i];
      gain += b[i] * z[i];
    }
    assert_true(hypot(push[0], push[1]) < 1e-12 && gain > 1e-6);
  }
  assert_true(rays > 50 && solutions > 50);
  lemke_clear(context, &work);
  scree_context_destroy(context);
}

static bool stop_at_two(void *user, long pivots) {
  (void)user;
  return pivots < 2;
}

static void test_limits(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  lemke_work work = {0};
  const double m[9] = {2, 1, 0, 1, 2, 1, 0, 1, 2}, q[3] = {-1, -1, -1}, none[3] = {1, 0, 2};
  double z[3];
  lemke_result r;
  const lemke_problem p = {.n = 3, .m = m, .q = q, .go_on = stop_at_two};
  assert_int_equal(lemke_solve(context, &work, &p, z, &r), SCREE_OK);
  assert_int_equal(r.end, LEMKE_STOPPED);
  assert_int_equal(r.pivots, 2);
  r = solve(context, &work, 3, m, none, z);
  assert_int_equal(r.end, LEMKE_SOLVED);
  assert_int_equal(r.pivots, 0);
  assert_true(z[0] == 0.0 && z[1] == 0.0 && z[2] == 0.0);
  lemke_clear(context, &work);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_definite),
      cmocka_unit_test(test_copositive),
      cmocka_unit_test(test_quadratic_programs),
      cmocka_unit_test(test_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

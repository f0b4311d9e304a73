/* The bisection: equal shares, cuts that part the bodies, and the same answer by sorting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "distributed/distributed.h"

enum { BODIES = 1000 };

static scree_context *context;
static v3 position[BODIES];
static uint32_t body[BODIES];
static uint16_t owner[BODIES];

static double next(void) {
  static uint64_t x = 88172645463325252u;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return (double)(x >> 11) * 0x1p-53;
}

static void place(bool lattice) {
  for (uint32_t i = 0; i < BODIES; i++) {
    body[i] = i;
    position[i] = lattice ? v3_make(i % 10, i / 10 % 10, i / 100)
                          : v3_make(3.0 * next(), next(), 2.0 * next());
  }
}

static void shares_are_equal(void **state) {
  (void)state;
  for (int lattice = 0; lattice < 2; lattice++)
    for (int ranks = 1; ranks <= 37; ranks++) {
      domains d = {.weight = {1, 1, 1}};
      size_t count[37] = {0};
      place(lattice);
      assert_int_equal(domains_bisect(context, &d, ranks, BODIES, body, NULL, position, owner),
                       SCREE_OK);
      for (size_t i = 0; i < BODIES; i++) count[owner[i]]++;
      for (int r = 0; r < ranks; r++) {
        /* Each cut rounds down once. */
        assert_in_range(count[r], BODIES / (size_t)ranks - 1, BODIES / (size_t)ranks + 6);
      }
      /* Where coordinates differ a place tells the rank. */
      for (size_t i = 0; !lattice && i < BODIES; i++)
        assert_int_equal(domains_find(&d, ranks, position[i]), owner[i]);
      domains_free(context, &d);
    }
}

static int compare(const void *x, const void *y) {
  const uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
  if (position[i].x != position[k].x) return position[i].x < position[k].x ? -1 : 1;
  return i < k ? -1 : 1;
}

static void two_are_the_halves_of_the_sorted(void **state) {
  (void)state;
  uint32_t sorted[BODIES];
  domains d = {.weight = {1, 1, 1}};
  place(false);
  for (uint32_t i = 0; i < BODIES; i++) sorted[i] = i;
  qsort(sorted, BODIES, sizeof *sorted, compare);
  assert_int_equal(domains_bisect(context, &d, 2, BODIES, body, NULL, position, owner), SCREE_OK);
  for (size_t k = 0; k < BODIES; k++) assert_int_equal(owner[sorted[k]], k >= BODIES / 2);
  domains_free(context, &d);
}

/* One body weighs as much as a quarter of all: the shares of weight are as even as it allows. */
static void weights_are_shared(void **state) {
  (void)state;
  uint32_t weight[BODIES];
  place(false);
  for (size_t i = 0; i < BODIES; i++) weight[i] = i == 7 ? 333 : 1;
  for (int ranks = 2; ranks <= 4; ranks++) {
    domains d = {.weight = {1, 1, 1}};
    size_t share[4] = {0};
    assert_int_equal(domains_bisect(context, &d, ranks, BODIES, body, weight, position, owner),
                     SCREE_OK);
    for (size_t i = 0; i < BODIES; i++) share[owner[i]] += weight[i];
    for (int r = 0; r < ranks; r++) {
      assert_in_range(share[r], ranks == 4 ? 160 : 1332 / (size_t)ranks - 170,
                      1332 / (size_t)ranks + 170);
    }
    for (size_t i = 0; i < BODIES; i++)
      assert_int_equal(domains_find(&d, ranks, position[i]), owner[i]);
    domains_free(context, &d);
  }
}

static void fewer_bodies_than_ranks(void **state) {
  (void)state;
  domains d = {.weight = {1, 1, 1}};
  place(false);
  assert_int_equal(domains_bisect(context, &d, 8, 3, body, NULL, position, owner), SCREE_OK);
  for (size_t i = 0; i < 3; i++) assert_in_range(owner[i], 0, 7);
  assert_int_equal(domains_bisect(context, &d, 8, 0, body, NULL, position, owner), SCREE_OK);
  domains_free(context, &d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_are_equal),
      cmocka_unit_test(two_are_the_halves_of_the_sorted),
      cmocka_unit_test(weights_are_shared),
      cmocka_unit_test(fewer_bodies_than_ranks),
  };
  context = scree_context_create(NULL);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  scree_context_destroy(context);
  return failed;
}

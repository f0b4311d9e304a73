/* No flipped bit of a recording, its checkpoints or its tables changes what is read without a word:
 * 10000 of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/flips.h"

static void test_flips(void **state) {
  (void)state;
  char stem[64];
  flips_result r;
  snprintf(stem, sizeof stem, "test_flips_%ld", (long)getpid());
  assert_true(flips_run(stem, 10000, &r));
  printf("%d flips: %zu found, %zu in unused space, %zu silent\n", 10000, r.found, r.unused,
         r.silent);
  assert_int_equal(r.silent, 0);
  assert_true(r.found > 10000 / 2);
}

int main(void) {
#if !defined(SCREE_WITH_YAML) || !defined(SCREE_WITH_HDF5)
  return 0;
#endif
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_flips)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

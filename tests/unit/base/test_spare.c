/* The memory that there is for a process: no more than the machine has, and than its limits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/spare.h"

static void test_spare(void **state) {
  (void)state;
  const double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  const double first = spare_memory();
  assert_true(first > 1e6);
#ifdef __linux__
  assert_true(isfinite(first));
  /* Swap space counts, too; no machine has a hundred times its memory of it. */
  assert_true(first < 100.0 * machine);
#endif
  static const int resources[] = {RLIMIT_DATA, RLIMIT_AS};
  for (int i = 0; i < 2; i++) {
    struct rlimit old, now;
    assert_int_equal(getrlimit(resources[i], &old), 0);
    now = old;
    now.rlim_cur = (rlim_t)123456789 * 8;
    if (now.rlim_cur > old.rlim_cur) continue;
    assert_int_equal(setrlimit(resources[i], &now), 0);
    const double spare = spare_memory();
    assert_int_equal(setrlimit(resources[i], &old), 0);
    assert_true(spare <= 123456789.0 * 8.0 && spare > 1e6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_spare)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

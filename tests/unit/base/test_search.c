/* Where a number belongs in an ascending array, against a look at all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/search.h"

enum { MOST = 9 };

static void test_places(void **state) {
  (void)state;
  static const uint64_t many[MOST] = {0, 1, 1, 4, 4, 4, 9, UINT64_C(1) << 40, UINT64_MAX};
  static const uint64_t asked[] = {0,         1, 2, 4, 5, 9, 10, UINT64_C(1) << 40, UINT64_MAX - 1,
                                   UINT64_MAX};
  for (size_t count = 0; count <= MOST; count++)
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
      size_t place = 0;
      while (place < count && many[place] < asked[k]) place++;
      const bool there = place < count && many[place] == asked[k];
      assert_int_equal(search_u64(many, count, asked[k]), place);
      assert_int_equal(search_u64_finds(many, count, asked[k]), there);
      uint32_t low[MOST];
      size_t small = 0;
      while (small < count && many[small] <= UINT32_MAX) {
        low[small] = (uint32_t)many[small];
        small++;
      }
      if (asked[k] > UINT32_MAX) continue;
      place = 0;
      while (place < small && low[place] < asked[k]) place++;
      assert_int_equal(search_u32(low, small, (uint32_t)asked[k]), place);
      assert_int_equal(search_u32_finds(low, small, (uint32_t)asked[k]),
                       place < small && low[place] == asked[k]);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_places)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

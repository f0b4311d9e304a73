/* Bytes of messages: halves, varints, text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the above first. */
#include <cmocka.h>
#include <string.h>

#include "view/buffer.h"

static double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
  return bits & 0x8000 ? -size : size;
}

/* Every half is itself, and what lies between two goes to the nearer. */
static void test_halves(void **state) {
  (void)state;
  for (unsigned bits = 0; bits < 0x7c00; bits++) {
    assert_int_equal(view_half(half_value((uint16_t)bits)), bits);
    if (bits) assert_int_equal(view_half(-half_value((uint16_t)bits)), bits | 0x8000);
    if (bits == 0x7bff) break;
    const double a = half_value((uint16_t)bits), b = half_value((uint16_t)(bits + 1));
    assert_int_equal(view_half(a + 0.49 * (b - a)), bits);
    assert_int_equal(view_half(a + 0.51 * (b - a)), bits + 1);
  }
  assert_int_equal(view_half(1e300), 0x7bff);
  assert_int_equal(view_half(-INFINITY), 0xfbff);
  assert_int_equal(view_half(NAN), 0);
}

static void test_whole_numbers(void **state) {
  (void)state;
  static const int32_t values[] = {0,    1,     -1,      63,        -64,      64,
                                   8191, -8192, 1 << 30, INT32_MAX, INT32_MIN};
  static const size_t sizes[] = {1, 1, 1, 1, 1, 2, 2, 2, 5, 5, 5};
  scree_context *context = scree_context_create(NULL);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    view_buffer b = {.context = context};
    view_put_signed(&b, values[i]);
    assert_int_equal(b.status, SCREE_OK);
    assert_int_equal(b.size, sizes[i]);
    uint32_t bits = 0;
    for (size_t k = 0; k < b.size; k++) {
      bits |= (uint32_t)(b.data[k] & 127) << (7 * k);
      assert_int_equal(b.data[k] >> 7, k + 1 < b.size);
    }
    assert_int_equal((int32_t)(bits >> 1 ^ (bits & 1 ? UINT32_MAX : 0)), values[i]);
    view_buffer_clear(&b);
  }
  scree_context_destroy(context);
}

static void test_text(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  view_buffer b = {.context = context};
  view_put_text(&b, "a\"b\\c\n\x1b\xc3\xa4");
  view_put_numbers(&b, 3, (const double[]){0.1, NAN, -INFINITY});
  view_put_u8(&b, 0);
  assert_string_equal((const char *)b.data, "\"a\\\"b\\\\c\\u000a\\u001b\xc3\xa4\"[0.1,null,null]");
  view_buffer_clear(&b);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_halves),
      cmocka_unit_test(test_whole_numbers),
      cmocka_unit_test(test_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

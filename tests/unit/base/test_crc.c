/* CRC-32C against published values, and the two ways to compute it against each other. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <string.h>

#include "base/crc.h"

/* RFC 3720, B.4. */
static void test_published(void **state) {
  (void)state;
  unsigned char block[32] = {0};
  assert_int_equal(crc32c(0, "123456789", 9), 0xE3069283u);
  assert_int_equal(crc32c(0, block, 32), 0x8A9136AAu);
  memset(block, 0xff, 32);
  assert_int_equal(crc32c(0, block, 32), 0x62A8AB43u);
  for (int i = 0; i < 32; i++) block[i] = (unsigned char)i;
  assert_int_equal(crc32c(0, block, 32), 0x46DD794Eu);
  assert_int_equal(crc32c(0, block, 0), 0);
}

static void test_pieces(void **state) {
  (void)state;
  unsigned char bytes[300];
  for (int i = 0; i < 300; i++) bytes[i] = (unsigned char)(i * i * 7 + i);
  for (size_t size = 0; size < 300; size += 7) {
    const uint32_t whole = crc32c(0, bytes, size);
    assert_int_equal(crc32c_plain(0, bytes, size), whole);
    for (size_t cut = 0; cut <= size; cut += 5)
      assert_int_equal(crc32c(crc32c(0, bytes, cut), bytes + cut, size - cut), whole);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_published),
                                     cmocka_unit_test(test_pieces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

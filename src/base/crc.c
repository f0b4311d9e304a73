/* See crc.h. The tables are constants and few: threads may come here at the same time, and nearly
 * every processor has an instruction for it. */
#include "base/crc.h"

#include <string.h>

uint32_t crc32c_plain(uint32_t crc, const void *bytes, size_t size) {
  /* What four steps of the shift register make of each nibble. */
  static const uint32_t table[16] = {0x00000000u, 0x105EC76Fu, 0x20BD8EDEu, 0x30E349B1u,
                                     0x417B1DBCu, 0x5125DAD3u, 0x61C69362u, 0x7198540Du,
                                     0x82F63B78u, 0x92A8FC17u, 0xA24BB5A6u, 0xB21572C9u,
                                     0xC38D26C4u, 0xD3D3E1ABu, 0xE330A81Au, 0xF36E6F75u};
  const unsigned char *p = bytes;
  crc = ~crc;
  for (size_t i = 0; i < size; i++) {
    crc ^= p[i];
    crc = crc >> 4 ^ table[crc & 15u];
    crc = crc >> 4 ^ table[crc & 15u];
  }
  return ~crc;
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("sse4.2"))) static uint32_t crc32c_fast(uint32_t crc, const void *bytes,
                                                              size_t size) {
  const unsigned char *p = bytes;
  uint64_t x = (uint32_t)~crc;
  for (; size >= 8; p += 8, size -= 8) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
    x = __builtin_ia32_crc32di(x, word);
  }
  uint32_t y = (uint32_t)x;
  for (; size; p++, size--) y = __builtin_ia32_crc32qi(y, *p);
  return ~y;
}

uint32_t crc32c(uint32_t crc, const void *bytes, size_t size) {
  return __builtin_cpu_supports("sse4.2") ? crc32c_fast(crc, bytes, size)
                                          : crc32c_plain(crc, bytes, size);
}
#else
uint32_t crc32c(uint32_t crc, const void *bytes, size_t size) {
  return crc32c_plain(crc, bytes, size);
}
#endif

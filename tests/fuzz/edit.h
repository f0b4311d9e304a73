/* Changes to a good file, as an input of a fuzz target lists them, twelve bytes each: which file,
 * how, where (2 bytes), and a value of 8. Random bytes hardly ever make a good file; small changes
 * of one that is reach its readers' depths. */
#ifndef SCREE_FUZZ_EDIT_H
#define SCREE_FUZZ_EDIT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { EDIT_SIZE = 12 };

static inline void edit_apply(const uint8_t *edit, unsigned char *bytes, size_t size) {
  const unsigned how = edit[1];
  size_t at = edit[2] | (size_t)edit[3] << 8;
  if (!size) return;
  at = how & 8 ? at * size >> 16 : at % size; /* anywhere, or near the start */
  if (how & 16) at &= ~(size_t)7;
  const size_t width = (size_t)1 << (how & 3);
  uint64_t value;
  memcpy(&value, edit + 4, sizeof value);
  for (size_t i = 0; i < width && at + i < size; i++) {
    const unsigned char byte = (unsigned char)(value >> 8 * i);
    bytes[at + i] = how & 4 ? (unsigned char)(bytes[at + i] ^ byte) : byte;
  }
}

#endif

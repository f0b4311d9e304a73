/* See zip.h. The layout is that of the public note APPNOTE 6.3: local headers with the bytes, then
 * the directory, then its end; sizes and offsets of 32 bits, the date 1980-01-01, so that the same
 * contents give the same bytes. */
#include "cli/zip.h"

#include <stdlib.h>
#include <string.h>

struct zip_member {
  char name[256];
  uint32_t crc, size, offset;
};

static uint32_t crc32_of(const unsigned char *bytes, size_t size) {
  uint32_t crc = 0xFFFFFFFFu;
  for (size_t i = 0; i < size; i++) {
    crc ^= bytes[i];
    for (int k = 0; k < 8; k++) crc = crc & 1u ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
  }
  return ~crc;
}

static void put(zip_writer *z, const void *bytes, size_t size) {
  if (size && fwrite(bytes, 1, size, z->file) != size) z->bad = true;
  z->at += size;
}

/* Little-endian, `bytes` of them. */
static void number(zip_writer *z, uint32_t value, int bytes) {
  unsigned char all[4];
  for (int k = 0; k < bytes; k++) all[k] = (unsigned char)(value >> 8 * k);
  put(z, all, (size_t)bytes);
}

void zip_begin(zip_writer *z, FILE *file) {
  memset(z, 0, sizeof *z);
  z->file = file;
}

/* What a local header and an entry of the directory have in common. */
static void facts(zip_writer *z, const struct zip_member *m) {
  number(z, 20, 2); /* version that reads it: 2.0 */
  number(z, 0, 2);
  number(z, 0, 2); /* stored */
  number(z, 0, 2);
  number(z, 0x21, 2); /* 1980-01-01 */
  number(z, m->crc, 4);
  number(z, m->size, 4);
  number(z, m->size, 4);
  number(z, (uint32_t)strlen(m->name), 2);
  number(z, 0, 2);
}

void zip_add(zip_writer *z, const char *name, const void *bytes, size_t size) {
  if (z->count == z->room) {
    const size_t room = 2 * z->room + 8;
    struct zip_member *more = realloc(z->member, room * sizeof *more);
    if (!more) {
      z->bad = true;
      return;
    }
    z->member = more;
    z->room = room;
  }
  if (size > 0xFFFFFFF0u || z->at + size > 0xFFFFFFF0u || strlen(name) >= sizeof z->member->name ||
      z->count >= 65535) {
    z->bad = true;
    return;
  }
  struct zip_member *m = &z->member[z->count++];
  memcpy(m->name, name, strlen(name) + 1);
  m->crc = crc32_of(bytes, size);
  m->size = (uint32_t)size;
  m->offset = (uint32_t)z->at;
  number(z, 0x04034b50u, 4);
  facts(z, m);
  put(z, name, strlen(name));
  put(z, bytes, size);
}

bool zip_end(zip_writer *z) {
  const uint64_t begin = z->at;
  for (size_t i = 0; i < z->count; i++) {
    const struct zip_member *m = &z->member[i];
    number(z, 0x02014b50u, 4);
    number(z, 0x031e, 2); /* made on Unix */
    facts(z, m);
    number(z, 0, 2);
    number(z, 0, 2);
    number(z, 0, 2);
    number(z, 0644u << 16, 4);
    number(z, m->offset, 4);
    put(z, m->name, strlen(m->name));
  }
  const uint64_t end = z->at;
  if (end > 0xFFFFFFF0u) z->bad = true;
  number(z, 0x06054b50u, 4);
  number(z, 0, 4);
  number(z, (uint32_t)z->count, 2);
  number(z, (uint32_t)z->count, 2);
  number(z, (uint32_t)(end - begin), 4);
  number(z, (uint32_t)begin, 4);
  number(z, 0, 2);
  free(z->member);
  z->member = NULL;
  return !z->bad;
}

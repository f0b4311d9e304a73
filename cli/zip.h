/* Zip archives whose members are stored as they are. */
#ifndef SCREE_CLI_ZIP_H
#define SCREE_CLI_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct zip_writer {
  FILE *file;
  struct zip_member *member;
  size_t count, room;
  uint64_t at;
  bool bad; /* something was not written, or is larger than the format's 4 GB */
} zip_writer;

void zip_begin(zip_writer *zip, FILE *file);
void zip_add(zip_writer *zip, const char *name, const void *bytes, size_t size);
/* Writes the directory and frees; false: the archive is not whole. */
bool zip_end(zip_writer *zip);

#endif

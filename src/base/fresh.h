/* A file that is whole or not there. It has no name while it is written (O_TMPFILE), so that a kill
 * at any moment leaves nothing behind; it gets its name when it is whole. Where a file system has
 * no such files it is written as PATH.part, which the next writer of PATH takes away.
 *
 *   fresh f;
 *   int fault = fresh_open(&f, path);
 *   …write to f.file, or to fresh_stream(&f), and close that…
 *   fault = fresh_place(&f, true);    it is on the disk and has its name
 *   fresh_drop(&f);                   after a success too
 *
 * A plain file that has the name already is replaced at once: a reader sees the one or the other.
 * What is no plain file stays (ELOOP: a link, which may be the system's own; else EEXIST). claim.h
 * decides who may write a name at all. */
#ifndef SCREE_BASE_FRESH_H
#define SCREE_BASE_FRESH_H

#include <stdbool.h>
#include <stdio.h>

#include "base/claim.h"

typedef struct fresh {
  int file;   /* open to read and write, -1: none */
  bool named; /* it is PATH.part */
  char path[CLAIM_PATH], part[CLAIM_PATH + 8];
} fresh;

/* 0, or errno. */
int fresh_open(fresh *f, const char *path);
/* A stream of its own to write by, for fclose before the file is placed; null: errno. */
FILE *fresh_stream(const fresh *f);
/* Gives it its name; `sync`: when it is on the disk, and brings the name there too. 0, or errno. */
int fresh_place(fresh *f, bool sync);
void fresh_drop(fresh *f);

#endif

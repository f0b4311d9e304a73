/* One writer for one output. A file is written as PATH.new and renamed to PATH when it is whole;
 * PATH.new is locked before a byte goes into it, and the lock stays with the file when it gets its
 * name: nobody else can begin to write the same output until it is given back, or the process ends.
 * The lock is one of the open file description: opening and closing the file elsewhere in the
 * process does not drop it, as it does with the locks of POSIX.
 *
 *   claim c;
 *   if (claim_take(&c, path, replace) != CLAIM_TAKEN) …claim_explain(&c, …);
 *   …write to c.file, or to c.part by name…
 *   claim_publish(&c);        it is on the disk and has its name
 *   claim_drop(&c);           gives it back; removes PATH.new when it was not published */
#ifndef SCREE_BASE_CLAIM_H
#define SCREE_BASE_CLAIM_H

#include <stdbool.h>
#include <stddef.h>

enum { CLAIM_PATH = 4096 };

typedef enum claim_answer {
  CLAIM_TAKEN,
  CLAIM_HELD,   /* by another writer, `holder` */
  CLAIM_THERE,  /* a file of that name, and it is not to be replaced */
  CLAIM_ODD,    /* something is in its place that is not a plain file */
  CLAIM_LINK,   /* a symbolic link: replaced, it would no longer lead to what it was made for */
  CLAIM_BESIDE, /* a name that belongs to the files beside another output, which writes it too */
  CLAIM_FAILED, /* errno in `reason` */
} claim_answer;

typedef struct claim {
  claim_answer answer;
  int file;    /* open to read and write, -1: none */
  long holder; /* process, 0: not known */
  int reason;
  bool published;
  char path[CLAIM_PATH], part[CLAIM_PATH + 8];
} claim;

claim_answer claim_take(claim *c, const char *path, bool replace);
/* The lock of a file that is there, to write into it. */
claim_answer claim_existing(claim *c, const char *path);
/* The answer as a message: "PATH: what is wrong; what to do". */
void claim_explain(const claim *c, char *text, size_t size);
/* Brings the file to the disk, gives it its name, and brings that to the disk. 0, or errno. */
int claim_publish(claim *c);
/* The same for one of many files, whose names are brought to the disk by claim_sync_directory. */
int claim_name(claim *c);
/* Removes a file that this claim has already given its name. */
void claim_withdraw(claim *c);
void claim_drop(claim *c);

/* A new file to write and read, in the place of whatever has that name: a link there is not
 * followed. Descriptor, or -1 with errno. */
int claim_fresh(const char *path);

/* Has a writer locked it? *holder is its process, 0 when it is not known; may be null. */
bool claim_is_held(const char *path, long *holder);
/* Names in the directory of `path` are on the disk: 0, or errno. */
int claim_sync_directory(const char *path);
/* What lies beside a file lies beside the file itself: where PATH is a symbolic link, the path that
 * it leads to, in `real`; else PATH. */
const char *claim_real(const char *path, char real[CLAIM_PATH]);
/* Do two paths lead to the same file that is there? */
bool claim_is_same(const char *a, const char *b);

#endif

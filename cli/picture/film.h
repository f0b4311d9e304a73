/* A film by a pipe to ffmpeg: raw pictures go in, H.264 in MP4, VP9 in
 * WebM or a GIF comes out, whole or not at all. */
#ifndef SCREE_CLI_PICTURE_FILM_H
#define SCREE_CLI_PICTURE_FILM_H

#include <sys/types.h>

#include "base/fresh.h"
#include "cli/cli.h"

typedef struct film {
  const char *path;
  fresh place;
  pid_t child;
  int pipe;
} film;

/* Is it the name of a film, by its ending? */
bool film_is(const char *path);
/* Exit codes, after a message. */
int film_begin(film *f, const char *path, int width, int height, double fps, bool quick);
int film_add(film *f, const scree_image *image);
/* Ends it and puts it in its place, or removes what there is when not ok. */
int film_end(film *f, bool ok);

#endif

/* Scree, view: a recording as one web page, which any browser shows without a server.
 *
 *   scree_view_def def = scree_view_def_default();   def.out = "run.html";
 *   scree_view_info info;                            scree_view_export(recording, &def, &info);
 *
 * docs/viewer.md describes the page and the format of what is inside. */
#ifndef SCREE_VIEW_H
#define SCREE_VIEW_H

#include "scree/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Is the page a part of this library? Without it the calls below are SCREE_ERROR_UNSUPPORTED. */
SCREE_API bool scree_view_is_there(void);

/* Numbers against time that are plotted beside the run, as those of a probe. */
typedef struct scree_view_table {
  const char *name;
  size_t columns, rows; /* the first column is the time, s */
  const char *const *names, *const *units;
  const double *values; /* rows of `columns` numbers */
} scree_view_table;

typedef struct scree_view_def {
  uint32_t cookie;  /* set by scree_view_def_default */
  const char *out;  /* the page; it is whole or not there */
  bool replace;     /* a file of that name; default false: SCREE_ERROR_IO */
  double from, to;  /* s: frames within; default all */
  size_t every;     /* every n-th frame; default 1 */
  size_t frames;    /* so many at most, evenly chosen; default 0: all */
  size_t bodies;    /* at most so many moving bodies, evenly chosen; default 0: all */
  bool contacts;    /* with contact forces; default true */
  double precision; /* m: places are rounded to it; default 0: a thousandth of the smallest body */
  size_t table_count;
  const scree_view_table *tables;
  /* After each frame; false stops, and nothing is written. May be null. */
  bool (*progress)(void *user, size_t done, size_t total);
  void *user;
} scree_view_def;

typedef struct scree_view_info {
  size_t frames, bodies;              /* in the page */
  size_t size;                        /* bytes of the file */
  size_t page, poses, contacts, rest; /* compressed bytes of its parts, about */
  double precision;                   /* m */
  bool stopped;                       /* by progress */
} scree_view_info;

SCREE_API scree_view_def scree_view_def_default(void);
SCREE_API scree_status scree_view_export(scree_recording *recording, const scree_view_def *def,
                                         scree_view_info *info);

#ifdef __cplusplus
}
#endif
#endif

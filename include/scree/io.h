/* Scree, io: problem files. HDF5 in the community's FCLIB layout, and beside it the group
 * /scree_ccp for what that layout cannot say (intervals, compliance, cohesion, caps, elliptic and
 * spinning friction, mixed dimensions, bodies).
 *
 *   local     u = W r + V l + q,  V'r + R l + s = 0
 *   global    M v = f + H r + G l,  u = H'v + w,  G'v + b = 0
 *   rolling   the same with 5-D contacts (n, t1, t2, wt1, wt2) and mu_r
 *
 * FCLIB's r is our g. Equality rows (l) become free blocks of dimension 1 after the contacts.
 * A file is an untrusted thing: every size, index and value is verified before it is used; a fault
 * gives "FILE: /path/of/dataset: what; what is allowed" and nothing is returned. HDF5 as Debian
 * builds it is not thread-safe: calls of this header must not run at the same time. */
#ifndef SCREE_IO_H
#define SCREE_IO_H

#include "scree/ccp.h"
#include "scree/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SCREE_PROBLEM_KIND_LIST(X)                                                                 \
  X(LOCAL, "local")                                                                                \
  X(GLOBAL, "global")                                                                              \
  X(LOCAL_ROLLING, "local_rolling")                                                                \
  X(GLOBAL_ROLLING, "global_rolling")                                                              \
  X(NATIVE, "native")

/* How a problem is written in FCLIB; native: FCLIB cannot express it. */
typedef enum scree_problem_kind {
#define SCREE_PROBLEM_KIND_ENUM(name, text) SCREE_PROBLEM_##name,
  SCREE_PROBLEM_KIND_LIST(SCREE_PROBLEM_KIND_ENUM)
#undef SCREE_PROBLEM_KIND_ENUM
} scree_problem_kind;

typedef struct scree_problem_info {
  scree_form form;
  scree_problem_kind kind;
  int dimension;     /* of every contact: 2, 3 or 5; 0 when they differ */
  size_t contacts;   /* blocks that are not free */
  size_t equalities; /* rows of free blocks */
  size_t guesses;
  bool has_solution;
  bool native; /* read from /scree_ccp */
  /* Never null after a successful load; owned by this structure. */
  char *title, *description, *math_info;
  scree_context *context;
} scree_problem_info;

/* What to save beside the problem; zeros: nothing. */
typedef struct scree_problem_save_def {
  uint32_t cookie;                             /* set by scree_problem_save_def_default */
  const char *title, *description, *math_info; /* null: "" */
  /* A solution: g starts it, row_count entries; u and v are computed from g when null (v is stored
   * where the form has one). */
  const double *g, *u, *v;
} scree_problem_save_def;

SCREE_API const char *scree_problem_kind_text(scree_problem_kind kind);

/* `info` may be null. SCREE_ERROR_IO: the file cannot be opened or read; SCREE_ERROR_INPUT: it is
 * not a problem file or is wrong somewhere. */
SCREE_API scree_status scree_problem_load(scree_context *context, const char *path,
                                          scree_ccp **problem, scree_problem_info *info);
/* The same from a file's bytes in memory; `name` is for messages. */
SCREE_API scree_status scree_problem_load_image(scree_context *context, const char *name,
                                                const void *bytes, size_t size, scree_ccp **problem,
                                                scree_problem_info *info);
SCREE_API void scree_problem_info_clear(scree_problem_info *info);

SCREE_API scree_problem_save_def scree_problem_save_def_default(void);
/* Written to a temporary file beside `path` that then takes its place: on failure the old file is
 * as it was. `def` may be null. Two saves of the same problem give the same bytes. */
SCREE_API scree_status scree_problem_save(scree_context *context, const char *path,
                                          const scree_ccp *problem,
                                          const scree_problem_save_def *def);

/* The solution (guess = 0) or the guess-th guess of a file, in the order of the blocks of
 * `problem`, which was loaded from it. Arrays may be null; v has velocity_count entries, u and g
 * row_count. Free rows have u = 0 in FCLIB. */
SCREE_API scree_status scree_problem_load_solution(scree_context *context, const char *path,
                                                   const scree_ccp *problem, size_t guess,
                                                   double *v, double *u, double *g);

/* The mesh doctor: what is in a file of triangles (STL, OBJ, PLY) and what is wrong with it;
 * numbers of the file count as metres. */
SCREE_API scree_status scree_mesh_examine_file(scree_context *context, const char *path,
                                               scree_mesh_report *report);

#ifdef __cplusplus
}
#endif
#endif

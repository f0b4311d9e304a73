/* Problem files: the public calls. /scree_ccp has preference when it is there; otherwise the FCLIB
 * group holds the problem. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/argument.h"
#include "base/definition.h"
#include "base/memory.h"
#include "io/hdf5/walk.h"
#include "io/place.h"
#include "io/problem/store.h"
#include "scree/io.h"
#include "scree/solver.h"

const char *scree_problem_kind_text(scree_problem_kind kind) {
  switch (kind) {
#define KIND_TEXT(name, text)                                                                      \
  case SCREE_PROBLEM_##name:                                                                       \
    return text;
    SCREE_PROBLEM_KIND_LIST(KIND_TEXT)
#undef KIND_TEXT
  }
  return "unknown";
}

scree_problem_save_def scree_problem_save_def_default(void) {
  return (scree_problem_save_def){.cookie = DEFINITION_COOKIE};
}

void scree_problem_info_clear(scree_problem_info *info) {
  if (!info) return;
  if (info->context) {
    memory_free(info->context, info->title);
    memory_free(info->context, info->description);
    memory_free(info->context, info->math_info);
  }
  *info = (scree_problem_info){0};
}

#ifdef SCREE_WITH_HDF5

static scree_status read_problem(const hdf5_file *file, scree_ccp **problem,
                                 scree_problem_kind *kind, bool *native) {
  hdf5_object object;
  scree_status status = hdf5_look(file, "/scree_ccp", &object);
  if (!status) status = fclib_find(file, kind);
  if (status) return status;
  *native = object != HDF5_ABSENT;
  if (*native) return native_read(file, problem);
  if (*kind == SCREE_PROBLEM_NATIVE) {
    if (hdf5_has_name(file, "/frames") && hdf5_has_name(file, "/bodies"))
      return hdf5_fail(file, "/", "is a recording of a run, not a problem: see `scree info`");
  }
  if (*kind == SCREE_PROBLEM_NATIVE)
    return hdf5_fail(file, "/",
                     "holds no problem; one of /fclib_local, /fclib_global, /fclib_local_rolling, "
                     "/fclib_global_rolling or /scree_ccp is needed");
  return fclib_read(file, *kind, problem);
}

static scree_status read_info(const hdf5_file *file, const scree_ccp *problem,
                              scree_problem_kind kind, bool native, scree_problem_info *info) {
  hdf5_object solution = HDF5_ABSENT;
  problem_view view;
  scree_status status = view_init(file->context, problem, &view);
  if (status) return status;
  *info = (scree_problem_info){.form = problem->form,
                               .kind = kind,
                               .dimension = view.dimension,
                               .contacts = view.contacts,
                               .equalities = view.equalities,
                               .native = native,
                               .context = file->context};
  view_clear(file->context, &view);
  status = guess_count(file, &info->guesses);
  if (!status) status = hdf5_look(file, "/solution", &solution);
  if (!status && solution == HDF5_ABSENT)
    status = hdf5_look(file, "/scree_ccp/solution", &solution);
  info->has_solution = solution == HDF5_GROUP;
  if (!status) status = problem_info_read(file, native ? "/scree_ccp" : fclib_group(kind), info);
  if (status) scree_problem_info_clear(info);
  return status;
}

/* Takes over the opened file. */
static scree_status load(hdf5_file *file, scree_ccp **problem, scree_problem_info *info) {
  scree_problem_kind kind;
  bool native = false;
  scree_ccp *p = NULL;
  scree_status status = read_problem(file, &p, &kind, &native);
  if (!status && info) status = read_info(file, p, kind, native, info);
  hdf5_close(file);
  if (status) {
    scree_ccp_destroy(p);
    return status;
  }
  *problem = p;
  return SCREE_OK;
}

scree_status scree_problem_load(scree_context *context, const char *path, scree_ccp **problem,
                                scree_problem_info *info) {
  ARGUMENT_CHECK(context, context && path && problem);
  hdf5_file file;
  *problem = NULL;
  if (info) *info = (scree_problem_info){0};
  const scree_status status = hdf5_open(context, path, &file);
  return status ? status : load(&file, problem, info);
}

scree_status scree_problem_load_image(scree_context *context, const char *name, const void *bytes,
                                      size_t size, scree_ccp **problem, scree_problem_info *info) {
  ARGUMENT_CHECK(context, context && name && bytes && problem);
  hdf5_file file;
  *problem = NULL;
  if (info) *info = (scree_problem_info){0};
  const scree_status status = hdf5_open_image(context, name, bytes, size, &file);
  return status ? status : load(&file, problem, info);
}

scree_status scree_problem_load_solution(scree_context *context, const char *path,
                                         const scree_ccp *problem, size_t guess, double *v,
                                         double *u, double *g) {
  ARGUMENT_CHECK(context, context && path && problem);
  hdf5_file file;
  problem_view view;
  scree_status status = view_init(context, problem, &view);
  if (status) return status;
  status = hdf5_open(context, path, &file);
  if (!status) {
    status = solution_read(&file, problem, &view, guess, v, u, g);
    hdf5_close(&file);
  }
  view_clear(context, &view);
  return status;
}

/* ---- saving -----------------------------------------------------------------------------------
 */

/* v, u and g to write: the caller's, or computed from g into memory of our own. */
typedef struct full_solution {
  const double *v, *u, *g;
  double *own_v, *own_u;
} full_solution;

static scree_status complete_solution(scree_context *context, const scree_ccp *p,
                                      const scree_problem_save_def *def, full_solution *out) {
  const size_t n = scree_ccp_velocity_count(p);
  *out = (full_solution){.v = def->v, .u = def->u, .g = def->g};
  if (!def->g) return SCREE_OK;
  for (size_t i = 0; i < p->row_count; i++)
    if (!isfinite(def->g[i]) || (def->u && !isfinite(def->u[i])))
      return context_fail(context, SCREE_ERROR_ARGUMENT,
                          "the solution is not finite in row %zu and was not saved", i);
  const bool need_v = n && !def->v, need_u = !def->u;
  if (need_v) out->v = out->own_v = memory_new(context, n, sizeof *out->own_v);
  if (need_u) out->u = out->own_u = memory_new(context, p->row_count, sizeof *out->own_u);
  if ((need_v && !out->own_v) || (need_u && !out->own_u)) return SCREE_ERROR_MEMORY;
  if (!need_v && !need_u) return SCREE_OK;
  return scree_ccp_velocities(context, p, def->g, out->own_u, out->own_v);
}

static scree_status write_all(const hdf5_file *file, const scree_ccp *p, const problem_view *view,
                              const scree_problem_save_def *def, const full_solution *solution) {
  const bool fclib = view->kind != SCREE_PROBLEM_NATIVE, native = !view->exact;
  scree_status status = SCREE_OK;
  if (fclib) status = fclib_write(file, p, view);
  if (!status && fclib) status = problem_info_write(file, fclib_group(view->kind), def);
  if (!status && native) status = native_write(file, p);
  if (!status && native) status = problem_info_write(file, "/scree_ccp", def);
  if (!status && solution->g)
    status = solution_write(file, p, view, native, solution->v, solution->u, solution->g);
  return status;
}

static scree_status write_file(scree_context *context, const char *path, const scree_ccp *p,
                               const scree_problem_save_def *def, const full_solution *solution) {
  hdf5_file file;
  problem_view view;
  scree_status status = view_init(context, p, &view);
  if (status) return status;
  status = hdf5_create(context, path, &file);
  if (!status) {
    status = write_all(&file, p, &view, def, solution);
    if (!status) status = hdf5_save(&file, path, true);
    hdf5_close(&file);
  }
  view_clear(context, &view);
  return status;
}

scree_status scree_problem_save(scree_context *context, const char *path, const scree_ccp *problem,
                                const scree_problem_save_def *def) {
  ARGUMENT_CHECK(context, context && path && problem);
  full_solution solution;
  const scree_problem_save_def nothing = scree_problem_save_def_default();
  if (!def) def = &nothing;
  DEFINITION_CHECK(context, def, problem_save_def);
  if (!place_is_free(path))
    return context_fail(context, SCREE_ERROR_IO,
                        "%s: is there already and not a plain file; give another name", path);
  scree_status status = complete_solution(context, problem, def, &solution);
  if (!status) status = write_file(context, path, problem, def, &solution);
  memory_free(context, solution.own_v);
  memory_free(context, solution.own_u);
  return status;
}

#else

static scree_status unsupported(scree_context *context) {
  return context_fail(context, SCREE_ERROR_UNSUPPORTED,
                      "problem files need HDF5; configure with -DSCREE_WITH_HDF5=ON");
}

scree_status scree_problem_load(scree_context *context, const char *path, scree_ccp **problem,
                                scree_problem_info *info) {
  (void)path;
  *problem = NULL;
  if (info) *info = (scree_problem_info){0};
  return unsupported(context);
}

scree_status scree_problem_load_image(scree_context *context, const char *name, const void *bytes,
                                      size_t size, scree_ccp **problem, scree_problem_info *info) {
  (void)bytes;
  (void)size;
  return scree_problem_load(context, name, problem, info);
}

scree_status scree_problem_load_solution(scree_context *context, const char *path,
                                         const scree_ccp *problem, size_t guess, double *v,
                                         double *u, double *g) {
  (void)path, (void)problem, (void)guess, (void)v, (void)u, (void)g;
  return unsupported(context);
}

scree_status scree_problem_save(scree_context *context, const char *path, const scree_ccp *problem,
                                const scree_problem_save_def *def) {
  (void)path, (void)problem, (void)def;
  return unsupported(context);
}
#endif

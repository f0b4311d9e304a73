/* The parts of a problem file: the FCLIB group, /scree_ccp, information and solutions. */
#ifndef SCREE_IO_PROBLEM_STORE_H
#define SCREE_IO_PROBLEM_STORE_H

#include "io/hdf5/file.h"
#include "io/problem/view.h"

#ifdef SCREE_WITH_HDF5

/* "/fclib_local", "/fclib_global_rolling"…; null for native. */
const char *fclib_group(scree_problem_kind kind);
/* The kind of the FCLIB group in the file; native: there is none. Two of them are a fault. */
scree_status fclib_find(const hdf5_file *file, scree_problem_kind *kind);
scree_status fclib_read(const hdf5_file *file, scree_problem_kind kind, scree_ccp **problem);
scree_status fclib_write(const hdf5_file *file, const scree_ccp *problem, const problem_view *view);
/* title, description and math_info below `group`/info. */
scree_status problem_info_read(const hdf5_file *file, const char *group, scree_problem_info *info);
scree_status problem_info_write(const hdf5_file *file, const char *group,
                                const scree_problem_save_def *def);

scree_status native_read(const hdf5_file *file, scree_ccp **problem);
scree_status native_write(const hdf5_file *file, const scree_ccp *problem);

/* Solutions: guess 0 is the solution. FCLIB's in the group /solution or /guesses/<guess>, ours,
 * complete, in /scree_ccp/solution. Arrays to read into may be null. */
scree_status solution_read(const hdf5_file *file, const scree_ccp *problem,
                           const problem_view *view, size_t guess, double *v, double *u, double *g);
scree_status solution_write(const hdf5_file *file, const scree_ccp *problem,
                            const problem_view *view, bool native, const double *v, const double *u,
                            const double *g);
scree_status guess_count(const hdf5_file *file, size_t *count);

/* Puts file and path before the context's message, for faults that the problem's own checks found.
 */
scree_status problem_blame(const hdf5_file *file, const char *path, scree_status status);

#endif
#endif

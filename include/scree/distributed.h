/* Scree, distributed: one run on several processes, started by mpirun.
 *
 *   scree_status status;  int rank, count;
 *   status = scree_distributed_begin(context, &rank, &count);   // first of all
 *   // scree_sim_create and so on, the same on every rank; rank 0 alone gets def.out
 *   scree_distributed_end(context);                             // last of all
 *
 * Every rank has all bodies and a part of the contacts; states are the same on all ranks. */
#ifndef SCREE_DISTRIBUTED_H
#define SCREE_DISTRIBUTED_H

#include "scree/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many processes the environment says there are: 1 without mpirun. Starts nothing. */
SCREE_API int scree_distributed_count(void);
/* Joins the other ranks, if there are any: rank 0 of 1 where there are none. UNSUPPORTED: there
 * are, and this library was built without MPI. */
SCREE_API scree_status scree_distributed_begin(scree_context *context, int *rank, int *count);
/* Leaves them. The context is alone from then on. */
SCREE_API void scree_distributed_end(scree_context *context);
/* Ends all ranks at once, with this exit code: one of them cannot go on. */
SCREE_API void scree_distributed_abort(scree_context *context, int code);

/* Messages between the ranks, and their work, since they began to count. */
typedef struct scree_distributed_counts {
  int ranks;
  double reductions; /* over all ranks, of each rank */
  double messages;   /* to single ranks, all */
  double bytes;      /* in these */
  double gathers;    /* from all ranks to all, of each rank */
  double gathered;   /* bytes received in these, of each rank */
  double waited;     /* s of wall time in calls, the most of a rank */
  double work_most;  /* s of CPU time outside of calls: of the rank with most, and of all */
  double work_all;
} scree_distributed_counts;

/* Counts from zero, and work from now on. */
SCREE_API void scree_distributed_start_counts(scree_context *context);
/* All ranks call it and get the same. Alone: the CPU time of this process, of all its threads. */
SCREE_API void scree_distributed_get_counts(scree_context *context,
                                            scree_distributed_counts *counts);
/* The same words of rank 0 for all; and whether any says yes. Without other ranks they do nothing.
 */
SCREE_API void scree_distributed_share(scree_context *context, void *data, size_t size);
SCREE_API bool scree_distributed_any(scree_context *context, bool mine);

#ifdef __cplusplus
}
#endif
#endif

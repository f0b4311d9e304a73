/* Many runs side by side: a run per thread, as small scenes have too little for several threads. */
#include "base/argument.h"
#include "sim/sim.h"

#ifdef _OPENMP
#include <omp.h>
#endif

static scree_status step_one(scree_sim *sim, long steps, scree_step_info *info) {
  scree_step_info local = {0};
  if (!info) info = &local;
  for (long k = 0; k < steps; k++) {
    const scree_status status = scree_sim_step(sim, info);
    if (status) return status;
    if (!info->advanced) break;
  }
  return SCREE_OK;
}

static bool share_context(size_t count, scree_sim *const *sims) {
  for (size_t i = 1; i < count; i++)
    for (size_t k = 0; k < i; k++)
      if (sims[i]->context == sims[k]->context) return true;
  return false;
}

scree_status scree_sim_step_many(size_t count, scree_sim *const *sims, long steps, int threads,
                                 scree_step_info *infos, scree_status *statuses) {
  if (!count) return SCREE_OK;
  ARGUMENT_CHECK(sims && sims[0] ? sims[0]->context : NULL, sims && sims[0]);
  for (size_t i = 0; i < count; i++) ARGUMENT_CHECK(sims[0]->context, sims[i]);
  if (share_context(count, sims))
    return context_fail(sims[0]->context, SCREE_ERROR_ARGUMENT,
                        "scree_sim_step_many: two runs have the same context; give each its own");
  size_t failed = count;
  scree_status first = SCREE_OK;
#ifdef _OPENMP
  if (threads <= 0) threads = omp_get_max_threads();
#else
  (void)threads;
#endif
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (size_t i = 0; i < count; i++) {
    const scree_status status = step_one(sims[i], steps, infos ? &infos[i] : NULL);
    if (statuses) statuses[i] = status;
    if (status) {
#pragma omp critical
      if (i < failed) {
        failed = i;
        first = status;
      }
    }
  }
  return first;
}

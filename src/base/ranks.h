/* Ranks: processes that compute one run together, and how they talk.
 *
 * A context of such a run has one of these; without it a process is alone, and every function below
 * does nothing and costs the test of a pointer. What carries the messages (MPI, or threads in
 * tests) is hidden behind these functions. All ranks call the same collective functions in the same
 * order; sums are added in the order of ranks, so that every rank gets the same bits and decides
 * the same.
 *
 * A transport that fails does not return: it ends all ranks. */
#ifndef SCREE_BASE_RANKS_H
#define SCREE_BASE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts of this rank's communication, for models of its cost. */
typedef struct ranks_counts {
  uint64_t reductions, messages, bytes; /* point to point: sent by this rank */
  uint64_t gathers, gathered;           /* collective gathers, bytes received */
  double waited, spent;                 /* s of wall time and of CPU time in calls */
} ranks_counts;

typedef struct rank_team rank_team;

struct rank_team {
  int me, count;
  void *user;
  ranks_counts counts;
  /* Of all ranks: sums[k] is the sum, most[k] the largest. */
  void (*reduce)(rank_team *r, double *sums, int sum_count, double *most, int most_count);
  /* all[k] begins at offset[k] and has size[k] bytes; mine goes to where it belongs. */
  void (*gather)(rank_team *r, const void *mine, void *all, const size_t *offset,
                 const size_t *size);
  /* Sends what rank `from` has to all others. */
  void (*broadcast)(rank_team *r, int from, void *data, size_t size);
  /* Messages with peers, in both directions at once; of the same sizes on both sides. */
  void (*exchange)(rank_team *r, int peers, const int *peer, const double *const *out,
                   double *const *in, const size_t *doubles);
};

static inline bool ranks_are_many(const rank_team *r) {
  return r && r->count > 1;
}

static inline void ranks_reduce(rank_team *r, double *sums, int sum_count, double *most,
                                int most_count) {
  if (ranks_are_many(r)) r->reduce(r, sums, sum_count, most, most_count);
}

/* Does any rank say yes? */
static inline bool ranks_any(rank_team *r, bool mine) {
  double most = mine ? 1.0 : 0.0;
  ranks_reduce(r, NULL, 0, &most, 1);
  return most > 0.0;
}

static inline double ranks_sum(rank_team *r, double mine) {
  ranks_reduce(r, &mine, 1, NULL, 0);
  return mine;
}

#endif

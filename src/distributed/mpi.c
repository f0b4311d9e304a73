/* The transport: MPI. Only this file knows it. Calls come from one thread at a time, not always the
 * same one. A call that fails ends all ranks: the default of MPI, and right here. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/argument.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "base/timer.h"
#include "scree/distributed.h"

int scree_distributed_count(void) {
  static const char *const name[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
  for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
    const char *text = getenv(name[k]);
    if (text && *text) {
      const long count = strtol(text, NULL, 10);
      return count > 1 && count < 1000000 ? (int)count : 1;
    }
  }
  return 1;
}

/* CPU time of the process, s. */
static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void scree_distributed_start_counts(scree_context *context) {
  if (!context) return;
  context->cpu_start = cpu_now();
  if (context->ranks) context->ranks->counts = (ranks_counts){0};
}

void scree_distributed_get_counts(scree_context *context, scree_distributed_counts *out) {
  if (out) *out = (scree_distributed_counts){0};
  if (!context || !out) return;
  rank_team *r = context->ranks;
  *out = (scree_distributed_counts){.ranks = 1, .work_most = cpu_now() - context->cpu_start};
  out->work_all = out->work_most;
  if (!ranks_are_many(r)) return;
  const ranks_counts c = r->counts;
  const double work = cpu_now() - context->cpu_start - c.spent;
  double sums[3] = {(double)c.messages, (double)c.bytes, work};
  double most[5] = {(double)c.reductions, (double)c.gathers, (double)c.gathered, c.waited, work};
  r->reduce(r, sums, 3, most, 5);
  *out = (scree_distributed_counts){.ranks = r->count,
                                    .messages = sums[0],
                                    .bytes = sums[1],
                                    .work_all = sums[2],
                                    .reductions = most[0],
                                    .gathers = most[1],
                                    .gathered = most[2],
                                    .waited = most[3],
                                    .work_most = most[4]};
}

void scree_distributed_share(scree_context *context, void *data, size_t size) {
  rank_team *r = context ? context->ranks : NULL;
  if (ranks_are_many(r) && data) r->broadcast(r, 0, data, size);
}

bool scree_distributed_any(scree_context *context, bool mine) {
  return context ? ranks_any(context->ranks, mine) : mine;
}

#ifdef SCREE_WITH_MPI
#include <mpi.h>

/* Up to so many ranks sums are gathered and added in order; beyond, MPI adds. */
enum { ORDERED = 64, VALUES = 16, MOST_PEERS = 4096 };

/* Ranks that wait spin or yield: their CPU time in calls is no work. */
typedef struct call_start {
  double wall, cpu;
} call_start;

static call_start begin_call(void) {
  return (call_start){timer_now(), cpu_now()};
}

static void end_call(rank_team *r, call_start begun) {
  r->counts.waited += timer_now() - begun.wall;
  r->counts.spent += cpu_now() - begun.cpu;
}

static void too_much(void) {
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void reduce(rank_team *r, double *sums, int sum_count, double *most, int most_count) {
  const call_start begun = begin_call();
  double mine[VALUES], all[ORDERED * VALUES];
  const int n = sum_count + most_count;
  r->counts.reductions++;
  if (n > VALUES) too_much();
  for (int k = 0; k < sum_count; k++) mine[k] = sums[k];
  for (int k = 0; k < most_count; k++) mine[sum_count + k] = most[k];
  if (r->count > ORDERED) {
    if (sum_count) MPI_Allreduce(mine, sums, sum_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (most_count)
      MPI_Allreduce(mine + sum_count, most, most_count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    end_call(r, begun);
    return;
  }
  MPI_Allgather(mine, n, MPI_DOUBLE, all, n, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int k = 0; k < sum_count; k++) sums[k] = 0.0;
  for (int i = 0; i < r->count; i++) {
    for (int k = 0; k < sum_count; k++) sums[k] += all[i * n + k];
    for (int k = 0; k < most_count; k++) {
      const double x = all[i * n + sum_count + k];
      if (x > most[k]) most[k] = x;
    }
  }
  end_call(r, begun);
}

static void gather(rank_team *r, const void *mine, void *all, const size_t *offset,
                   const size_t *size) {
  const call_start begun = begin_call();
  int *count = r->user, *place = count + r->count;
  for (int k = 0; k < r->count; k++) {
    if (size[k] > INT32_MAX || offset[k] > INT32_MAX) too_much();
    count[k] = (int)size[k];
    place[k] = (int)offset[k];
    if (k != r->me) r->counts.gathered += size[k];
  }
  r->counts.gathers++;
  MPI_Allgatherv(mine, count[r->me], MPI_BYTE, all, count, place, MPI_BYTE, MPI_COMM_WORLD);
  end_call(r, begun);
}

static void broadcast(rank_team *r, int from, void *data, size_t size) {
  const call_start begun = begin_call();
  const size_t step = (size_t)1 << 30;
  for (size_t at = 0; at < size; at += step)
    MPI_Bcast((char *)data + at, (int)(size - at < step ? size - at : step), MPI_BYTE, from,
              MPI_COMM_WORLD);
  end_call(r, begun);
}

static void exchange(rank_team *r, int peers, const int *peer, const double *const *out,
                     double *const *in, const size_t *doubles) {
  const call_start begun = begin_call();
  MPI_Request request[2 * MOST_PEERS];
  for (int k = 0; k < peers; k++) {
    if (doubles[k] > INT32_MAX) too_much();
    MPI_Irecv(in[k], (int)doubles[k], MPI_DOUBLE, peer[k], 0, MPI_COMM_WORLD, &request[k]);
  }
  for (int k = 0; k < peers; k++) {
    MPI_Isend(out[k], (int)doubles[k], MPI_DOUBLE, peer[k], 0, MPI_COMM_WORLD, &request[peers + k]);
    r->counts.messages++;
    r->counts.bytes += doubles[k] * sizeof(double);
  }
  MPI_Waitall(2 * peers, request, MPI_STATUSES_IGNORE);
  end_call(r, begun);
}

scree_status scree_distributed_begin(scree_context *context, int *rank, int *count) {
  ARGUMENT_CHECK(context, context && rank && count);
  int level, begun;
  *rank = 0;
  *count = 1;
  if (scree_distributed_count() == 1 || context->ranks) return SCREE_OK;
  MPI_Initialized(&begun);
  if (!begun) MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, count);
  rank_team *r = memory_new(context, 1, sizeof *r);
  int *room = memory_new(context, 2 * (size_t)*count, sizeof *room);
  if (!r || !room) return SCREE_ERROR_MEMORY;
  *r = (rank_team){.me = *rank,
                   .count = *count,
                   .user = room,
                   .reduce = reduce,
                   .gather = gather,
                   .broadcast = broadcast,
                   .exchange = exchange};
  context->ranks = r;
  return SCREE_OK;
}

void scree_distributed_end(scree_context *context) {
  rank_team *r = context ? context->ranks : NULL;
  if (!r) return;
  MPI_Finalize();
  memory_free(context, r->user);
  memory_free(context, r);
  context->ranks = NULL;
}

void scree_distributed_abort(scree_context *context, int code) {
  if (context && context->ranks) MPI_Abort(MPI_COMM_WORLD, code);
}

#else

scree_status scree_distributed_begin(scree_context *context, int *rank, int *count) {
  ARGUMENT_CHECK(context, context && rank && count);
  *rank = 0;
  *count = 1;
  if (scree_distributed_count() == 1) return SCREE_OK;
  return context_fail(context, SCREE_ERROR_UNSUPPORTED,
                      "this Scree was built without MPI (libopenmpi-dev): it runs on one process; "
                      "start it without mpirun");
}

void scree_distributed_end(scree_context *context) {
  (void)context;
}

void scree_distributed_abort(scree_context *context, int code) {
  (void)context;
  (void)code;
}
#endif

/* How many threads the next parallel region gets.
 *
 * Threads of OpenMP that wait for each other spin, for about 10 ms before they sleep, and a library
 * cannot ask them not to: the setting is read when the process starts. Where the machine has no
 * idle core a thread of the team is put aside for a few ms now and then, all others spin for it,
 * and two threads cost many times the CPU time of one. So the team of a context whose number of
 * threads was not given takes no more than what is idle:
 *
 *   - While a team works, all of its threads run or spin. CPU time of the process below n times the
 *     wall time, in a window of a few ms, says that n threads did not get n cores. Then the next
 *     regions get as many threads as there were cores, for REST times as long as the window took:
 *     what a look costs stays below n / REST of the time. After that all n are tried again, unless
 *   - the system says that more threads want to run than there are cores (/proc/loadavg).
 *
 * The results do not depend on it: the same bits for any number of threads. A number of threads
 * that the caller gave is kept as it is; so is the default where the environment says that waiting
 * threads sleep (OMP_WAIT_POLICY=passive, GOMP_SPINCOUNT).
 *
 * CPU time is the process's: other busy threads of the caller look like work of the team, and then
 * it stays larger than it need be. */
#ifndef SCREE_BASE_TEAM_H
#define SCREE_BASE_TEAM_H

#include <stdbool.h>

typedef struct team_state {
  bool fixed;        /* the number is never adapted: the caller gave it, or waiting threads
                        sleep and cost nothing */
  bool gap;          /* long between two regions of the window: a stalled team, or the caller */
  int now;           /* threads of the next region */
  double begin, cpu; /* of the window: wall and CPU time at its start, s */
  double doubt;      /* s that the window before took, where its judgement awaits this one */
  double last;       /* time of the last region's start */
  double until;      /* while fewer than all work: when to try all again */
} team_state;

struct scree_context;

/* Before the first region, and whenever the number of threads is set; `given`: by the caller. */
void team_reset(team_state *team, int threads, bool given);

/* The judgement of a window: how many of n threads had a core each. */
int team_fitting(int n, double wall, double cpu);

/* What a region of `context` is given as num_threads; 1 where it is not `worth` a team. Called by
 * the thread that owns the context, outside of regions, right before each. */
int context_team(struct scree_context *context, bool worth);

/* May a team of one do without a region of its own, which would make every barrier a system call?
 * Not inside a region of the caller's (many runs side by side, or a user's own): barriers and
 * shared loops would then be those of the caller's team, whose other threads never come. */
bool team_is_alone(int team);

#endif

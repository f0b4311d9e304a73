/* Tables and performance profiles of a comparison. */
#ifndef BENCH_PEERS_REPORT_H
#define BENCH_PEERS_REPORT_H

#include <stdbool.h>
#include <stddef.h>

enum { REPORT_MAX_ENTRANTS = 64 };

/* One problem at one tolerance. Seconds are INFINITY where a solver did not get there. */
typedef struct outcome {
  char problem[128], kind[24], best[40], note[160];
  int contacts, peers, peers_there;
  double tolerance, ours, our_error, peer; /* peer: the fastest of all that got there */
  int names;
  char name[REPORT_MAX_ENTRANTS][40];
  double seconds[REPORT_MAX_ENTRANTS];
} outcome;

void report_line(const outcome *o);
void report_means(const outcome *list, int count, double tolerance);
/* Fraction of problems solved within a factor of the best of all, for each solver: a table and a
 * picture, profile-<tolerance>.png, in `directory`. */
void report_profile(const outcome *list, int count, double tolerance, const char *directory);

#endif

/* Who takes part: the solvers of the peer library, and Scree's automatic choice. An entrant is run
 * in a process of its own; what it needs is prepared before its clock starts. */
#ifndef BENCH_PEERS_ENTRANTS_H
#define BENCH_PEERS_ENTRANTS_H

#include "problem.h"

typedef struct entrant {
  char name[40];
  int id;       /* of the peer's solver */
  int local;    /* its local or inner solver, 0: its default */
  bool sparse;  /* wants W as compressed columns, else as blocks */
  int index[3]; /* integer parameters set apart from the defaults, -1: none */
  int value[3];
  int inner_index, inner_value; /* one of the inner solver's, -1: none */
} entrant;

/* All that can take the problem; returns how many. */
int peer_list(const problem *p, entrant *list, int room);
/* Solves from zero; r and v (global) are filled. Returns the seconds of the solver alone. */
double peer_run(const problem *p, const entrant *e, double tolerance, double *r, double *v);
/* The same with Scree, from the file; `note` says what was chosen. */
double scree_run(const char *path, const problem *p, double tolerance, double *r, double *v,
                 char *note, int room);

/* Wall time, or the process's CPU time (whose clock may tick by milliseconds) from 0.1 s on. */
typedef struct stopwatch {
  double wall, cpu;
} stopwatch;
stopwatch stopwatch_start(void);
double stopwatch_read(const stopwatch *start);

#endif

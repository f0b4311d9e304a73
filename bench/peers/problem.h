/* A problem as the exchange format has it, read and judged by code that neither side of the
 * comparison shares: M v = f + H r, u = H'v + w (global) or u = W r + q (local); contacts of 3 rows
 * (Coulomb) or 5 (with rolling), normal first; exact Coulomb friction. */
#ifndef BENCH_PEERS_PROBLEM_H
#define BENCH_PEERS_PROBLEM_H

#include <stdbool.h>

/* Compressed columns. */
typedef struct matrix {
  int rows, columns, *start, *row;
  double *value;
} matrix;

typedef struct problem {
  char name[128];
  bool global, rolling;
  int dim, contacts, rows, freedoms; /* freedoms: of v, 0 when local */
  matrix w_or_m, h;
  double *q_or_f, *w, *mu, *mu_rolling;
} problem;

/* False: not a problem this program knows, with a line on stderr. */
bool problem_read(const char *path, problem *p);
void problem_clear(problem *p);
/* E of r, and of v when global: recomputed from the data alone. */
double problem_error(const problem *p, const double *r, const double *v);

#endif

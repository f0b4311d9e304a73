/* Problems of bounds only, as gpminres and mprgp solve them; see bounds.c. */
#ifndef SCREE_SOLVE_EXISTENCE_BOUNDS_H
#define SCREE_SOLVE_EXISTENCE_BOUNDS_H

#include "solve/solver.h"

/* Row vectors that bounds_begin takes: the first five after vector[0]. */
enum { BOUNDS_VECTORS = 6 };

typedef struct bounds {
  solve_run *run;
  size_t n;
  double *scale;   /* sqrt(eta); 0 where a block has no inertia: its impulse stays 0 */
  double *lo, *hi; /* in z */
  double *x;       /* scratch: scale z */
  double *q;       /* scale r: the gradient at z = 0 */
} bounds;

/* The reason why it cannot be solved with bounds, or null. */
const char *bounds_refuse(const scree_ccp *problem, scree_model model);
void bounds_begin(solve_run *run, bounds *b, double *z);
/* out = S N S z */
void bounds_apply(bounds *b, const double *z, double *out);
/* gradient = S N S z + S r */
void bounds_gradient(bounds *b, const double *z, double *gradient);
/* Judges z: solve_check. */
bool bounds_check(bounds *b, long iteration, const double *z);
double bounds_clamp(const bounds *b, size_t i, double z);
bool bounds_is_free(const bounds *b, size_t i, double z);
/* The projected gradient of row i: the gradient where z is free or it points inward, else 0. */
double bounds_projected(const bounds *b, size_t i, double z, double gradient);
/* Estimate of the largest eigenvalue of S N S from below, by power iterations; `v`, `w`: scratch.
 */
double bounds_largest(bounds *b, double *v, double *w);

#endif

/* Random sets and points for the tests of the sets, and membership written apart from the library.
 */
#ifndef SCREE_TEST_SET_COMMON_H
#define SCREE_TEST_SET_COMMON_H

#include "scree/ccp.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t random_state = 1;

static inline uint64_t random_bits(void) {
  uint64_t z = (random_state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline double uniform(double lo, double hi) {
  return lo + (hi - lo) * ((double)(random_bits() >> 11) * 0x1p-53);
}

static inline int pick(int count) {
  return (int)(random_bits() % (uint64_t)count);
}

/* Of either sign, magnitude over six decades, at times exactly zero. */
static inline double wild(void) {
  if (pick(12) == 0) return 0.0;
  const double a = pow(10.0, uniform(-3.0, 3.0));
  return pick(2) ? a : -a;
}

static inline double coefficient(void) {
  const double table[] = {0.0, 1e-6, 1.0, 1e3};
  return pick(3) == 0 ? table[pick(4)] : uniform(0.01, 1.5);
}

/* Form f: 0 free, 1 ray, 2 interval, 3-4 Coulomb, 5 elliptic, 6-8 rolling with 4, 5, 6 rows. */
enum { FORM_COUNT = 9 };

static inline scree_set random_set(int form, int modified) {
  scree_set set;
  if (form == 0) return scree_set_free(1 + pick(6));
  if (form == 2) {
    const double a = wild(), b = wild();
    set = scree_set_interval(fmin(a, b), fmax(a, b));
    if (pick(4) == 0) set.lo = -INFINITY;
    if (pick(4) == 0) set.hi = INFINITY;
    return set;
  }
  if (form == 1)
    set = scree_set_ray();
  else if (form <= 4)
    set = scree_set_coulomb(form - 1, coefficient());
  else if (form == 5)
    set = scree_set_elliptic(coefficient(), coefficient());
  else
    set = scree_set_rolling(form - 2, coefficient(), coefficient(), coefficient());
  if (modified) {
    if (pick(3)) set.cohesion = fabs(wild());
    if (pick(3)) set.cap = pick(8) ? -set.cohesion + fabs(wild()) : -set.cohesion;
  }
  return set;
}

static inline double metric(const scree_set *set, int row, double weight) {
  return set->kind == SCREE_SET_ROLLING && row >= 3 ? weight : 1.0;
}

static inline double inner(const scree_set *set, double weight, const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < set->dim; i++) sum += metric(set, i, weight) * a[i] * b[i];
  return sum;
}

static inline double distance(const scree_set *set, double weight, const double *a,
                              const double *b) {
  double d[SCREE_MAX_DIM];
  for (int i = 0; i < set->dim; i++) d[i] = a[i] - b[i];
  return sqrt(inner(set, weight, d, d));
}

/* By how much x leaves the set, in the unit of x. */
static inline double outside(const scree_set *set, const double *x) {
  const double s = x[0] + set->cohesion;
  double worst = 0.0;
  if (set->kind == SCREE_SET_FREE) return 0.0;
  if (set->kind == SCREE_SET_INTERVAL) return fmax(0.0, fmax(set->lo - x[0], x[0] - set->hi));
  worst = fmax(-s, x[0] - set->cap);
  if (set->kind == SCREE_SET_ELLIPTIC) {
    const double t = hypot(x[1] * set->mu2, x[2] * set->mu), k = fmax(set->mu, set->mu2);
    if (set->mu == 0.0) worst = fmax(worst, fmax(fabs(x[1]), fabs(x[2]) - set->mu2 * s));
    if (set->mu2 == 0.0) worst = fmax(worst, fmax(fabs(x[2]), fabs(x[1]) - set->mu * s));
    if (set->mu > 0.0 && set->mu2 > 0.0) worst = fmax(worst, (t - set->mu * set->mu2 * s) / k);
  } else if (set->dim == 2) {
    worst = fmax(worst, fabs(x[1]) - set->mu * s);
  } else if (set->dim > 2) {
    worst = fmax(worst, hypot(x[1], x[2]) - set->mu * s);
  }
  if (set->dim >= 5) worst = fmax(worst, hypot(x[3], x[4]) - set->rolling * s);
  if (set->dim == 4 || set->dim == 6)
    worst = fmax(worst, fabs(x[set->dim - 1]) - set->spinning * s);
  return fmax(worst, 0.0);
}

/* A member, often on the boundary, about as large as `size`; it uses no projection. */
static inline void random_member(const scree_set *set, double size, double *z) {
  if (set->kind == SCREE_SET_FREE) {
    for (int i = 0; i < set->dim; i++) z[i] = uniform(-size, size);
    return;
  }
  if (set->kind == SCREE_SET_INTERVAL) {
    const double lo = fmax(set->lo, fmin(-size, set->hi)), hi = fmin(set->hi, fmax(size, lo));
    z[0] = pick(2) ? uniform(lo, hi) : pick(2) ? lo : hi;
    return;
  }
  const double top = fmin(set->cap + set->cohesion, 2.0 * size);
  const double s = pick(6) == 0 ? 0.0 : pick(4) == 0 ? top : uniform(0.0, top);
  z[0] = s - set->cohesion;
  if (z[0] > set->cap) z[0] = set->cap;
  const double angle = uniform(0.0, 6.283185307179586), turn = uniform(0.0, 6.283185307179586);
  const double r = s * (pick(3) ? 1.0 : uniform(0.0, 1.0)), q = s * (pick(3) ? 1.0 : 0.3);
  const double mu2 = set->kind == SCREE_SET_ELLIPTIC ? set->mu2 : set->mu;
  if (set->dim == 2) z[1] = (pick(2) ? r : -r) * set->mu;
  if (set->dim >= 3) {
    z[1] = r * set->mu * cos(angle);
    z[2] = r * mu2 * sin(angle);
  }
  if (set->dim >= 5) {
    z[3] = q * set->rolling * cos(turn);
    z[4] = q * set->rolling * sin(turn);
  }
  if (set->dim == 4 || set->dim == 6)
    z[set->dim - 1] = (pick(2) ? 1.0 : -1.0) * set->spinning * (pick(2) ? r : q);
}

static inline double size_of(const scree_set *set, const double *x) {
  double size = set->cohesion + 1e-300;
  for (int i = 0; i < set->dim; i++) size = fmax(size, fabs(x[i]));
  return size;
}

#endif

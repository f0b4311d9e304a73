/* The kernels of kernels/kernel.h in plain C, a lane at a time. */
#include "ccp/kernels/kernel.h"
#include "ccp/sets/cone.h"
#include "ccp/sets/local.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LANES        1
#define KERNEL_TABLE bodies_kernels_plain
#define KERNEL_NAME  "plain"

typedef double vd;

static inline vd vd_load(const double *p) {
  return *p;
}
static inline void vd_store(double *p, vd a) {
  *p = a;
}
static inline vd vd_load_any(const double *p) {
  return *p;
}
static inline void vd_store_any(double *p, vd a) {
  *p = a;
}
static inline vd vd_set(double a) {
  return a;
}
/* The second argument when either is no number, as the vector instructions do. */
static inline vd vd_max(vd a, vd b) {
  return a > b ? a : b;
}
static inline vd vd_min(vd a, vd b) {
  return a < b ? a : b;
}
static inline vd vd_sqrt(vd a) {
  return sqrt(a);
}
typedef bool vm;
static inline vm vd_less(vd a, vd b) {
  return a < b;
}
static inline vm vd_most_equal(vd a, vd b) {
  return a <= b;
}
static inline vm vm_and(vm a, vm b) {
  return a && b;
}
static inline vm vm_or(vm a, vm b) {
  return a || b;
}
/* a without b */
static inline vm vm_less(vm a, vm b) {
  return a && !b;
}
static inline unsigned vm_bits(vm a) {
  return a;
}
/* a where m, else b */
static inline vd vd_select(vm m, vd a, vd b) {
  return m ? a : b;
}
static inline vd vd_abs(vd a) {
  return fabs(a);
}
/* b where a > 0, else 0 */
static inline vd vd_if_positive(vd a, vd b) {
  return a > 0.0 ? b : 0.0;
}
static inline double vd_most(vd a) {
  return a;
}

static inline vd vd_fma(vd a, vd b, vd c) {
  return a * b + c;
}
static inline vd vd_fnma(vd a, vd b, vd c) {
  return c - a * b;
}

static inline void addresses(const body_line *lines, const uint32_t *id, uintptr_t *address) {
  for (size_t k = 0; k < PACK_LANES; k++) address[k] = (uintptr_t)&lines[id[k] & ~PACK_FIXED];
}

static inline void addresses_or(const body_line *lines, const uint32_t *id, const body_line *trash,
                                uintptr_t *address) {
  for (size_t k = 0; k < PACK_LANES; k++)
    address[k] = (uintptr_t)(id[k] & PACK_FIXED ? trash + k : &lines[id[k]]);
}

static inline void lines_load(const uintptr_t *address, vd *out) {
  const double *line = (const double *)address[0];
  for (size_t k = 0; k < 8; k++) out[k] = line[k];
}

static inline void lines_store(const uintptr_t *address, const vd *in) {
  body_line *line = (body_line *)address[0];
  for (size_t k = 0; k < 3; k++) {
    line->linear[k] = in[k];
    line->angular[k] = in[3 + k];
  }
}

/* Momentum to both sides: a gets -(force, reach_a moment), b the opposite. */
static inline void lines_push(const uintptr_t *to_a, const uintptr_t *to_b, const double *reach_a,
                              const double *reach_b, const vd *in) {
  body_line *a = (body_line *)to_a[0], *b = (body_line *)to_b[0];
  for (size_t k = 0; k < 3; k++) {
    a->linear[k] -= in[k];
    a->angular[k] -= reach_a[0] * in[3 + k];
  }
  for (size_t k = 0; k < 3; k++) {
    b->linear[k] += in[k];
    b->angular[k] += reach_b[0] * in[3 + k];
  }
}

/* The same to lines of twists: by the inverse mass, and inertia, that they have. */
static inline void lines_turn(const uintptr_t *to_a, const uintptr_t *to_b, const double *reach_a,
                              const double *reach_b, const vd *in) {
  body_line *a = (body_line *)to_a[0], *b = (body_line *)to_b[0];
  const double turn_a = reach_a[0] * a->inverse_inertia, turn_b = reach_b[0] * b->inverse_inertia;
  for (size_t k = 0; k < 3; k++) {
    a->linear[k] -= a->inverse_mass * in[k];
    a->angular[k] -= turn_a * in[3 + k];
  }
  for (size_t k = 0; k < 3; k++) {
    b->linear[k] += b->inverse_mass * in[k];
    b->angular[k] += turn_b * in[3 + k];
  }
}

/* Fields that are a twist, zero in the others; and the others of b. */
static inline vd vd_line(vd a, vd b, size_t k) {
  return k < 6 ? a : b;
}
static inline vd vd_twist(vd a, size_t k) {
  return vd_line(a, 0.0, k);
}
/* Inverse mass and inertia, or mass and inertia, of a line: the one that field k belongs to. */
static inline vd line_spread(const double *line, size_t k) {
  return line[k < 3 ? 6 : 7];
}

#include "ccp/kernels/body.inc"

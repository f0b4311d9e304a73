/* The kernels of kernels/kernel.h, four lanes at a time. */
#include "ccp/kernels/kernel.h"
#include "ccp/sets/cone.h"
#include "ccp/sets/local.h"

#include <float.h>
#include <math.h>
#include <string.h>

#if defined(__x86_64__) && !defined(SCREE_PORTABLE)
#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif

#define LANES        4
#define KERNEL_TABLE bodies_kernels_avx2
#define KERNEL_NAME  "avx2"

typedef __m256d vd;

static inline vd vd_load(const double *p) {
  return _mm256_load_pd(p);
}
static inline void vd_store(double *p, vd a) {
  _mm256_store_pd(p, a);
}
static inline vd vd_load_any(const double *p) {
  return _mm256_loadu_pd(p);
}
static inline void vd_store_any(double *p, vd a) {
  _mm256_storeu_pd(p, a);
}
static inline vd vd_set(double a) {
  return _mm256_set1_pd(a);
}
static inline vd vd_max(vd a, vd b) {
  return _mm256_max_pd(a, b);
}
static inline vd vd_min(vd a, vd b) {
  return _mm256_min_pd(a, b);
}
static inline vd vd_sqrt(vd a) {
  return _mm256_sqrt_pd(a);
}
static inline vd vd_fma(vd a, vd b, vd c) {
  return _mm256_fmadd_pd(a, b, c);
}
static inline vd vd_fnma(vd a, vd b, vd c) {
  return _mm256_fnmadd_pd(a, b, c);
}
typedef __m256d vm;
static inline vm vd_less(vd a, vd b) {
  return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}
static inline vm vd_most_equal(vd a, vd b) {
  return _mm256_cmp_pd(a, b, _CMP_LE_OQ);
}
static inline vm vm_and(vm a, vm b) {
  return _mm256_and_pd(a, b);
}
static inline vm vm_or(vm a, vm b) {
  return _mm256_or_pd(a, b);
}
/* a without b */
static inline vm vm_less(vm a, vm b) {
  return _mm256_andnot_pd(b, a);
}
static inline unsigned vm_bits(vm a) {
  return (unsigned)_mm256_movemask_pd(a);
}
/* a where m, else b */
static inline vd vd_select(vm m, vd a, vd b) {
  return _mm256_blendv_pd(b, a, m);
}
static inline vd vd_abs(vd a) {
  return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}
/* b where a > 0, else 0 */
static inline vd vd_if_positive(vd a, vd b) {
  return _mm256_and_pd(_mm256_cmp_pd(a, _mm256_setzero_pd(), _CMP_GT_OQ), b);
}
static inline double vd_most(vd a) {
  double lane[LANES], most = 0.0;
  vd_store_any(lane, a);
  for (size_t k = 0; k < LANES; k++) most = lane[k] > most ? lane[k] : most;
  return most;
}

static inline void transpose(const vd *in, vd *out) {
  const vd t0 = _mm256_unpacklo_pd(in[0], in[1]), t1 = _mm256_unpackhi_pd(in[0], in[1]);
  const vd t2 = _mm256_unpacklo_pd(in[2], in[3]), t3 = _mm256_unpackhi_pd(in[2], in[3]);
  out[0] = _mm256_permute2f128_pd(t0, t2, 0x20);
  out[1] = _mm256_permute2f128_pd(t1, t3, 0x20);
  out[2] = _mm256_permute2f128_pd(t0, t2, 0x31);
  out[3] = _mm256_permute2f128_pd(t1, t3, 0x31);
}

static inline void addresses(const body_line *lines, const uint32_t *id, uintptr_t *address) {
  for (size_t k = 0; k < PACK_LANES; k++) address[k] = (uintptr_t)&lines[id[k] & ~PACK_FIXED];
}

/* Lanes that must not be written go to the trash, without a branch to guess. */
static inline void addresses_or(const body_line *lines, const uint32_t *id, const body_line *trash,
                                uintptr_t *address) {
  for (size_t k = 0; k < PACK_LANES; k++) {
    const uintptr_t line = (uintptr_t)&lines[id[k] & ~PACK_FIXED];
    const uintptr_t fixed = (uintptr_t)0 - (id[k] >> 31);
    address[k] = line ^ ((line ^ (uintptr_t)(trash + k)) & fixed);
  }
}

static inline void lines_load(const uintptr_t *address, vd *out) {
  vd low[4], high[4];
  for (size_t k = 0; k < LANES; k++) {
    const double *line = (const double *)address[k];
    low[k] = _mm256_loadu_pd(line);
    high[k] = _mm256_loadu_pd(line + 4);
  }
  transpose(low, out);
  transpose(high, out + 4);
}

static inline void lines_store(const uintptr_t *address, const vd *in) {
  vd low[4], high[4];
  transpose(in, low);
  transpose(in + 4, high);
  for (size_t k = 0; k < LANES; k++) {
    double *line = (double *)address[k];
    _mm256_store_pd(line, low[k]);
    _mm256_store_pd(line + 4, high[k]);
  }
}

/* Momentum to both sides from one transpose: a gets -(force, reach_a moment), b the opposite. */
static inline void lines_push(const uintptr_t *to_a, const uintptr_t *to_b, const double *reach_a,
                              const double *reach_b, const vd *in) {
  const vd one = _mm256_set1_pd(1.0);
  vd low[4], high[4];
  transpose(in, low);
  transpose(in + 4, high);
  for (size_t k = 0; k < LANES; k++) {
    const vd arm_a = _mm256_set1_pd(reach_a[k]), arm_b = _mm256_set1_pd(reach_b[k]);
    double *a = (double *)to_a[k], *b = (double *)to_b[k];
    const vd low_a = _mm256_blend_pd(one, arm_a, 8), low_b = _mm256_blend_pd(one, arm_b, 8);
    _mm256_store_pd(a, _mm256_fnmadd_pd(low[k], low_a, _mm256_load_pd(a)));
    _mm256_store_pd(a + 4, _mm256_fnmadd_pd(high[k], arm_a, _mm256_load_pd(a + 4)));
    _mm256_store_pd(b, _mm256_fmadd_pd(low[k], low_b, _mm256_load_pd(b)));
    _mm256_store_pd(b + 4, _mm256_fmadd_pd(high[k], arm_b, _mm256_load_pd(b + 4)));
  }
}

/* Fields that are a twist, zero in the others; and the others of b. */
static inline vd vd_line(vd a, vd b, size_t k) {
  return k ? _mm256_blend_pd(a, b, 0xc) : a;
}
static inline vd vd_twist(vd a, size_t k) {
  return vd_line(a, _mm256_setzero_pd(), k);
}
/* Inverse mass and inertia, or mass and inertia, of a line spread over the fields they belong to.
 */
static inline vd line_spread(const double *line, size_t k) {
  const vd high = _mm256_load_pd(line + 4);
  return k ? _mm256_permute4x64_pd(high, 0xef) : _mm256_permute4x64_pd(high, 0xea);
}

/* Forces and moments to lines of twists on both sides, by the inverse mass and inertia that they
 * have: a gets -(force, reach_a moment), b the opposite. */
static inline void lines_turn(const uintptr_t *to_a, const uintptr_t *to_b, const double *reach_a,
                              const double *reach_b, const vd *in) {
  const vd one = _mm256_set1_pd(1.0);
  vd low[4], high[4];
  transpose(in, low);
  transpose(in + 4, high);
  for (size_t k = 0; k < LANES; k++) {
    const vd arm_a = _mm256_set1_pd(reach_a[k]), arm_b = _mm256_set1_pd(reach_b[k]);
    double *a = (double *)to_a[k], *b = (double *)to_b[k];
    const vd low_a = line_spread(a, 0) * _mm256_blend_pd(one, arm_a, 8),
             low_b = line_spread(b, 0) * _mm256_blend_pd(one, arm_b, 8);
    const vd high_a = line_spread(a, 1) * arm_a, high_b = line_spread(b, 1) * arm_b;
    _mm256_store_pd(a, _mm256_fnmadd_pd(low[k], low_a, _mm256_load_pd(a)));
    _mm256_store_pd(a + 4, _mm256_fnmadd_pd(high[k], high_a, _mm256_load_pd(a + 4)));
    _mm256_store_pd(b, _mm256_fmadd_pd(low[k], low_b, _mm256_load_pd(b)));
    _mm256_store_pd(b + 4, _mm256_fmadd_pd(high[k], high_b, _mm256_load_pd(b + 4)));
  }
}

#include "ccp/kernels/body.inc"

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif

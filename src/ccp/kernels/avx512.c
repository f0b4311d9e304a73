/* The kernels of kernels/kernel.h, eight lanes at a time. A set of eight body lines is transposed
 * by joining halves of lines four apart on load and by two rounds of shuffles. */
#include "ccp/kernels/kernel.h"
#include "ccp/sets/cone.h"
#include "ccp/sets/local.h"

#include <float.h>
#include <math.h>
#include <string.h>

#if defined(__x86_64__) && !defined(SCREE_PORTABLE)
#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq")
#endif

#define LANES        8
#define KERNEL_TABLE bodies_kernels_avx512
#define KERNEL_NAME  "avx512"

typedef __m512d vd;

static inline vd vd_load(const double *p) {
  return _mm512_load_pd(p);
}
static inline void vd_store(double *p, vd a) {
  _mm512_store_pd(p, a);
}
static inline vd vd_load_any(const double *p) {
  return _mm512_loadu_pd(p);
}
static inline void vd_store_any(double *p, vd a) {
  _mm512_storeu_pd(p, a);
}
static inline vd vd_set(double a) {
  return _mm512_set1_pd(a);
}
static inline vd vd_max(vd a, vd b) {
  return _mm512_max_pd(a, b);
}
static inline vd vd_min(vd a, vd b) {
  return _mm512_min_pd(a, b);
}
static inline vd vd_sqrt(vd a) {
  return _mm512_sqrt_pd(a);
}
static inline vd vd_fma(vd a, vd b, vd c) {
  return _mm512_fmadd_pd(a, b, c);
}
static inline vd vd_fnma(vd a, vd b, vd c) {
  return _mm512_fnmadd_pd(a, b, c);
}
typedef __mmask8 vm;
static inline vm vd_less(vd a, vd b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
static inline vm vd_most_equal(vd a, vd b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}
static inline vm vm_and(vm a, vm b) {
  return a & b;
}
static inline vm vm_or(vm a, vm b) {
  return a | b;
}
/* a without b */
static inline vm vm_less(vm a, vm b) {
  return (vm)(a & ~b);
}
static inline unsigned vm_bits(vm a) {
  return a;
}
/* a where m, else b */
static inline vd vd_select(vm m, vd a, vd b) {
  return _mm512_mask_mov_pd(b, m, a);
}
static inline vd vd_abs(vd a) {
  return _mm512_abs_pd(a);
}
/* b where a > 0, else 0 */
static inline vd vd_if_positive(vd a, vd b) {
  return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(a, _mm512_setzero_pd(), _CMP_GT_OQ), b);
}
static inline double vd_most(vd a) {
  double lane[LANES], most = 0.0;
  vd_store_any(lane, a);
  for (size_t k = 0; k < LANES; k++) most = lane[k] > most ? lane[k] : most;
  return most;
}

/* Transposes 4 x 4 in each half: rows in[0..3] hold (lanes 0-3 | lanes 4-7). */
static inline __attribute__((always_inline)) void transpose(const vd *in, vd *out) {
  const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
  const __m512i odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  const vd t0 = _mm512_unpacklo_pd(in[0], in[1]), t1 = _mm512_unpackhi_pd(in[0], in[1]);
  const vd t2 = _mm512_unpacklo_pd(in[2], in[3]), t3 = _mm512_unpackhi_pd(in[2], in[3]);
  out[0] = _mm512_permutex2var_pd(t0, even, t2);
  out[1] = _mm512_permutex2var_pd(t1, even, t3);
  out[2] = _mm512_permutex2var_pd(t0, odd, t2);
  out[3] = _mm512_permutex2var_pd(t1, odd, t3);
}

static inline __m512i line_addresses(const body_line *lines, __m512i id) {
  const __m512i index = _mm512_and_si512(id, _mm512_set1_epi64(0x7fffffff));
  return _mm512_add_epi64(_mm512_set1_epi64((long long)(uintptr_t)lines),
                          _mm512_slli_epi64(index, 6));
}

static inline void addresses(const body_line *lines, const uint32_t *id, uintptr_t *address) {
  const __m512i wide = _mm512_cvtepu32_epi64(_mm256_load_si256((const __m256i *)id));
  _mm512_store_si512(address, line_addresses(lines, wide));
}

/* Lanes that must not be written go to the trash, a line each so that none waits for another,
 * without a branch to guess. */
static inline void addresses_or(const body_line *lines, const uint32_t *id, const body_line *trash,
                                uintptr_t *address) {
  const __m512i wide = _mm512_cvtepu32_epi64(_mm256_load_si256((const __m256i *)id));
  const __mmask8 fixed = _mm512_test_epi64_mask(wide, _mm512_set1_epi64((long long)PACK_FIXED));
  const __m512i lane = _mm512_setr_epi64(0, 64, 128, 192, 256, 320, 384, 448);
  const __m512i away = _mm512_add_epi64(_mm512_set1_epi64((long long)(uintptr_t)trash), lane);
  _mm512_store_si512(address, _mm512_mask_mov_epi64(line_addresses(lines, wide), fixed, away));
}

static inline __attribute__((always_inline)) void lines_load(const uintptr_t *address, vd *out) {
  vd low[4], high[4];
  for (size_t k = 0; k < 4; k++) {
    const double *p = (const double *)address[k], *q = (const double *)address[k + 4];
    low[k] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(p)), _mm256_loadu_pd(q), 1);
    high[k] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(p + 4)),
                                 _mm256_loadu_pd(q + 4), 1);
  }
  transpose(low, out);
  transpose(high, out + 4);
}

/* Fields 0-3 and 4-7 of eight lines, as whole lines. */
static inline __attribute__((always_inline)) void join(const vd *in, vd *line) {
  vd low[4], high[4];
  transpose(in, low);
  transpose(in + 4, high);
  for (size_t k = 0; k < 4; k++) {
    line[k] = _mm512_insertf64x4(low[k], _mm512_castpd512_pd256(high[k]), 1);
    line[k + 4] = _mm512_shuffle_f64x2(low[k], high[k], 0xee);
  }
}

static inline __attribute__((always_inline)) void lines_store(const uintptr_t *address,
                                                              const vd *in) {
  vd line[8];
  join(in, line);
  for (size_t k = 0; k < LANES; k++) _mm512_store_pd((void *)address[k], line[k]);
}

/* Six fields of eight lanes as lines, zeros behind them. */
static inline __attribute__((always_inline)) void join_six(const vd *in, vd *line) {
  vd low[4];
  transpose(in, low);
  const vd even = _mm512_unpacklo_pd(in[4], in[5]), odd = _mm512_unpackhi_pd(in[4], in[5]);
  for (size_t k = 0; k < 4; k++) {
    const vd pair = k % 2 ? odd : even;
    const long long at = 8 + 2 * (long long)(k / 2);
    line[k] = _mm512_maskz_permutex2var_pd(0x3f, low[k],
                                           _mm512_setr_epi64(0, 1, 2, 3, at, at + 1, 0, 0), pair);
    line[k + 4] = _mm512_maskz_permutex2var_pd(
        0x3f, low[k], _mm512_setr_epi64(4, 5, 6, 7, at + 4, at + 5, 0, 0), pair);
  }
}

/* Momentum to both sides from one transpose of six fields: a gets -(force, reach_a moment), b the
 * opposite. */
static inline __attribute__((always_inline)) void lines_push(const uintptr_t *to_a,
                                                             const uintptr_t *to_b,
                                                             const double *reach_a,
                                                             const double *reach_b, const vd *in) {
  const vd one = _mm512_set1_pd(1.0);
  vd line[8];
  join_six(in, line);
  for (size_t k = 0; k < LANES; k++) {
    const vd arm_a = _mm512_mask_broadcastsd_pd(one, 0x38, _mm_load_sd(reach_a + k));
    const vd arm_b = _mm512_mask_broadcastsd_pd(one, 0x38, _mm_load_sd(reach_b + k));
    void *a = (void *)to_a[k], *b = (void *)to_b[k];
    _mm512_store_pd(a, _mm512_fnmadd_pd(line[k], arm_a, _mm512_load_pd(a)));
    _mm512_store_pd(b, _mm512_fmadd_pd(line[k], arm_b, _mm512_load_pd(b)));
  }
}

/* The same to lines of twists: by the inverse mass, and inertia, that they have. */
static inline __attribute__((always_inline)) void lines_turn(const uintptr_t *to_a,
                                                             const uintptr_t *to_b,
                                                             const double *reach_a,
                                                             const double *reach_b, const vd *in) {
  const vd one = _mm512_set1_pd(1.0);
  const __m512i spread = _mm512_setr_epi64(6, 6, 6, 7, 7, 7, 6, 7);
  vd line[8];
  join_six(in, line);
  for (size_t k = 0; k < LANES; k++) {
    const vd arm_a = _mm512_mask_broadcastsd_pd(one, 0x38, _mm_load_sd(reach_a + k));
    const vd arm_b = _mm512_mask_broadcastsd_pd(one, 0x38, _mm_load_sd(reach_b + k));
    void *a = (void *)to_a[k], *b = (void *)to_b[k];
    const vd twist_a = _mm512_load_pd(a), twist_b = _mm512_load_pd(b);
    const vd by_a = _mm512_permutexvar_pd(spread, twist_a) * arm_a,
             by_b = _mm512_permutexvar_pd(spread, twist_b) * arm_b;
    _mm512_store_pd(a, _mm512_fnmadd_pd(line[k], by_a, twist_a));
    _mm512_store_pd(b, _mm512_fmadd_pd(line[k], by_b, twist_b));
  }
}

/* Fields that are a twist, zero in the others; and the others of b. */
static inline vd vd_twist(vd a, size_t k) {
  (void)k;
  return _mm512_maskz_mov_pd(0x3f, a);
}
static inline vd vd_line(vd a, vd b, size_t k) {
  (void)k;
  return _mm512_mask_mov_pd(b, 0x3f, a);
}
/* Inverse mass and inertia, or mass and inertia, of a line spread over the fields they belong to.
 */
static inline vd line_spread(const double *line, size_t k) {
  (void)k;
  return _mm512_permutexvar_pd(_mm512_setr_epi64(6, 6, 6, 7, 7, 7, 6, 7), _mm512_load_pd(line));
}

#include "ccp/kernels/body.inc"

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif

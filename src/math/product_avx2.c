/* See product.h: four lanes, a tile of 4 x 12 in 12 of the 16 registers. */
#include "math/product.h"

#if defined(__x86_64__) && !defined(SCREE_PORTABLE)
#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif

enum { LANES = 4, MOST_ROWS = 4, MOST_VECTORS = 3 };
#define PRODUCT_NAME product_avx2
typedef __m256d vd;
#define vd_load(p)      _mm256_loadu_pd(p)
#define vd_store(p, x)  _mm256_storeu_pd(p, x)
#define vd_set(x)       _mm256_set1_pd(x)
#define vd_sub(x, y)    _mm256_sub_pd(x, y)
#define vd_fma(x, y, z) _mm256_fmadd_pd(x, y, z)

#include "math/product.inc"

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif

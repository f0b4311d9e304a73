/* See product.h: eight lanes, a tile of 8 x 24 in 24 of the 32 registers. */
#include "math/product.h"

#if defined(__x86_64__) && !defined(SCREE_PORTABLE)
#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC target("avx512f")
#endif

enum { LANES = 8, MOST_ROWS = 8, MOST_VECTORS = 3 };
#define PRODUCT_NAME product_avx512
typedef __m512d vd;
#define vd_load(p)      _mm512_loadu_pd(p)
#define vd_store(p, x)  _mm512_storeu_pd(p, x)
#define vd_set(x)       _mm512_set1_pd(x)
#define vd_sub(x, y)    _mm512_sub_pd(x, y)
#define vd_fma(x, y, z) _mm512_fmadd_pd(x, y, z)

#include "math/product.inc"

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif

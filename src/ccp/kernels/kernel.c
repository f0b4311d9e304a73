/* See kernels/kernel.h: the choice. */
#include "ccp/kernels/kernel.h"

const body_kernels *bodies_kernels(size_t i) {
  const body_kernels *found[3];
  size_t n = 0;
#if defined(__x86_64__) && !defined(SCREE_PORTABLE)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    found[n++] = &bodies_kernels_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    found[n++] = &bodies_kernels_avx2;
#endif
  found[n++] = &bodies_kernels_plain;
  return i < n ? found[i] : NULL;
}

/* Where a number belongs in an ascending array: the index of the first that is not below it, the
 * count where all are. */
#ifndef SCREE_BASE_SEARCH_H
#define SCREE_BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEARCH(name, type)                                                                         \
  static inline size_t name(const type *ascending, size_t count, type number) {                    \
    size_t low = 0, high = count;                                                                  \
    while (low < high) {                                                                           \
      const size_t middle = low + (high - low) / 2;                                                \
      if (ascending[middle] < number)                                                              \
        low = middle + 1;                                                                          \
      else                                                                                         \
        high = middle;                                                                             \
    }                                                                                              \
    return low;                                                                                    \
  }                                                                                                \
  static inline bool name##_finds(const type *ascending, size_t count, type number) {              \
    const size_t at = name(ascending, count, number);                                              \
    return at < count && ascending[at] == number;                                                  \
  }
SEARCH(search_u32, uint32_t)
SEARCH(search_u64, uint64_t)
#undef SEARCH

#endif

/* Disjoint groups of things, by their numbers: parent[i] == i at first. The root of a group is its
 * least member. */
#ifndef SCREE_BASE_GROUPS_H
#define SCREE_BASE_GROUPS_H

#include <stdint.h>

static inline uint32_t groups_root(uint32_t *parent, uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static inline void groups_unite(uint32_t *parent, uint32_t a, uint32_t b) {
  a = groups_root(parent, a);
  b = groups_root(parent, b);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

#endif

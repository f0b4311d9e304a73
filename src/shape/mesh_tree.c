/* Built top-down: halves by the middle centroid along the longest extent, so the depth is log2 of
 * the number of triangles whatever the mesh looks like. */
#include "shape/mesh_tree.h"
#include <stdlib.h>

typedef struct tree_key {
  double key;
  uint32_t triangle;
} tree_key;

static bool tree_key_before(const tree_key *a, const tree_key *b) {
  return a->key != b->key ? a->key < b->key : a->triangle < b->triangle;
}

static int tree_key_order(const void *a, const void *b) {
  return tree_key_before(b, a) - tree_key_before(a, b);
}

/* Puts the `low` least keys of `count` before the others, in any order: Hoare's selection, with the
 * middle one of three as pivot. What takes many more rounds than halving would is sorted. */
static void tree_select(tree_key *key, uint32_t count, uint32_t low) {
  int64_t first = 0, last = (int64_t)count - 1;
  for (int rounds = 0; first < last; rounds++) {
    if (rounds == 100) {
      qsort(key + first, (size_t)(last - first + 1), sizeof *key, tree_key_order);
      return;
    }
    const tree_key *a = key + first, *b = key + (first + last) / 2, *c = key + last;
    const bool ab = tree_key_before(a, b), bc = tree_key_before(b, c), ac = tree_key_before(a, c);
    const tree_key pivot = ab == bc ? *b : ab == ac ? *c : *a;
    int64_t i = first, k = last;
    do {
      while (tree_key_before(key + i, &pivot)) i++;
      while (tree_key_before(&pivot, key + k)) k--;
      if (i > k) break;
      const tree_key swap = key[i];
      key[i++] = key[k];
      key[k--] = swap;
    } while (i <= k);
    /* Those up to k are at most the pivot, those from i on at least. */
    if (k < low) first = i;
    if (low < i) last = k;
  }
}

static v3 tree_center(const shape_mesh *m, uint32_t t) {
  const uint32_t *v = m->triangle[t];
  return v3_scale(1.0 / 3.0, v3_add(m->vertex[v[0]], v3_add(m->vertex[v[1]], m->vertex[v[2]])));
}

static void tree_split(shape_mesh *m, tree_key *keys, uint32_t first, uint32_t count) {
  shape_mesh_node *node = m->node + m->node_count++;
  aabb box = aabb_empty(), centers = aabb_empty();
  for (uint32_t i = first; i < first + count; i++) {
    const uint32_t t = keys[i].triangle;
    const v3 c = tree_center(m, t);
    centers = aabb_union(centers, (aabb){c, c});
    for (int k = 0; k < 3; k++) {
      const v3 p = m->vertex[m->triangle[t][k]];
      box = aabb_union(box, (aabb){p, p});
    }
  }
  node->box = box;
  if (count <= MESH_LEAF) {
    node->first = first;
    node->count = count;
    return;
  }
  const v3 e = v3_sub(centers.hi, centers.lo);
  for (uint32_t i = first; i < first + count; i++) {
    const v3 c = tree_center(m, keys[i].triangle);
    keys[i].key = e.x >= e.y && e.x >= e.z ? c.x : e.y >= e.z ? c.y : c.z;
  }
  const uint32_t low = count / 2, high = count - low;
  /* The triangles of a leaf stand in the order of these keys. */
  if (high <= MESH_LEAF)
    qsort(keys + first, count, sizeof *keys, tree_key_order);
  else
    tree_select(keys + first, count, low);
  if (low <= MESH_LEAF && high > MESH_LEAF) qsort(keys + first, low, sizeof *keys, tree_key_order);
  tree_split(m, keys, first, low);
  node->first = m->node_count;
  tree_split(m, keys, first + low, high);
}

scree_status mesh_tree_build(scree_context *context, shape_mesh *m) {
  const uint32_t n = m->triangle_count;
  m->node = memory_new(context, 2 * (size_t)n, sizeof *m->node);
  m->order = memory_new(context, n, sizeof *m->order);
  tree_key *keys = memory_new(context, n, sizeof *keys);
  if (!m->node || !m->order || !keys) {
    memory_free(context, keys);
    return SCREE_ERROR_MEMORY;
  }
  for (uint32_t i = 0; i < n; i++) keys[i].triangle = i;
  m->node_count = 0;
  tree_split(m, keys, 0, n);
  for (uint32_t i = 0; i < n; i++) m->order[i] = keys[i].triangle;
  memory_free(context, keys);
  return SCREE_OK;
}

/* See ordering.h. The quotient graph: a variable i lists the elements it touches, then the
 * variables it is still joined to directly; an element e (an eliminated pivot) lists its boundary
 * variables L_e. Eliminating p forms L_p = (A_p ∪ L_e over the elements e of p) \ p and absorbs
 * those elements.
 *
 * The degree of i in L_p is bounded by |A_i| + |L_p \ i| + sum over its other elements |L_e \ L_p|.
 */
#include "math/ordering.h"

#include <string.h>

enum { NONE = -1 };

typedef struct quotient {
  arena *scratch;
  size_t n;
  uint32_t *list; /* lists of variables and elements, one after the other */
  size_t list_end, list_capacity;
  size_t *at;           /* n: where a node's list begins */
  uint32_t *elements;   /* n: of a variable, how many elements its list begins with */
  uint32_t *length;     /* n: length of the list */
  int64_t *weight;      /* n: > 0 a live variable or element; 0: merged or absorbed */
  int64_t *degree;      /* n: bound on the external degree; of an element: weight of its boundary */
  int64_t *stamp;       /* n: scratch for |L_e \ L_p|, and marks */
  uint8_t *is_element;  /* n */
  int32_t *next, *last; /* degree buckets */
  int32_t *head;        /* by degree */
  int32_t *member, *tail; /* nodes merged into a variable, linked */
  uint32_t *hash_next, *boundary;
  int64_t most; /* sum of weights: the largest degree */
} quotient;

static void bucket_remove(quotient *q, int32_t i) {
  if (q->last[i] != NONE)
    q->next[q->last[i]] = q->next[i];
  else
    q->head[q->degree[i]] = q->next[i];
  if (q->next[i] != NONE) q->last[q->next[i]] = q->last[i];
}

static void bucket_insert(quotient *q, int32_t i) {
  const int32_t first = q->head[q->degree[i]];
  q->next[i] = first;
  q->last[i] = NONE;
  if (first != NONE) q->last[first] = i;
  q->head[q->degree[i]] = i;
}

/* b joins a: b's members are appended, b disappears. */
static void merge(quotient *q, int32_t a, int32_t b) {
  q->member[q->tail[a]] = b;
  q->tail[a] = q->tail[b];
  q->weight[b] = 0;
}

static scree_status quotient_init(quotient *q, const uint32_t *weight, const size_t *start,
                                  const uint32_t *neighbour) {
  arena *a = q->scratch;
  const size_t n = q->n;
  for (size_t i = 0; i < n; i++) q->most += weight[i];
  q->list_capacity = 2 * start[n] + n + 1;
  q->list = arena_take(a, q->list_capacity, sizeof *q->list);
  q->at = arena_take(a, n + 1, sizeof *q->at);
  q->elements = arena_take(a, n, sizeof *q->elements);
  q->length = arena_take(a, n, sizeof *q->length);
  q->weight = arena_take(a, n, sizeof *q->weight);
  q->degree = arena_take(a, n, sizeof *q->degree);
  q->stamp = arena_take(a, n, sizeof *q->stamp);
  q->is_element = arena_take(a, n, sizeof *q->is_element);
  q->next = arena_take(a, n, sizeof *q->next);
  q->last = arena_take(a, n, sizeof *q->last);
  q->head = arena_take(a, (size_t)q->most + 1, sizeof *q->head);
  q->member = arena_take(a, n, sizeof *q->member);
  q->tail = arena_take(a, n, sizeof *q->tail);
  q->hash_next = arena_take(a, n, sizeof *q->hash_next);
  q->boundary = arena_take(a, n, sizeof *q->boundary);
  if (!q->list || !q->at || !q->elements || !q->length || !q->weight || !q->degree || !q->stamp ||
      !q->is_element || !q->next || !q->last || !q->head || !q->member || !q->tail ||
      !q->hash_next || !q->boundary)
    return SCREE_ERROR_MEMORY;
  for (int64_t d = 0; d <= q->most; d++) q->head[d] = NONE;
  for (size_t i = 0; i < n; i++) {
    q->at[i] = q->list_end;
    q->weight[i] = weight[i];
    for (size_t k = start[i]; k < start[i + 1]; k++)
      if (neighbour[k] != i) {
        q->list[q->list_end++] = neighbour[k];
        q->degree[i] += weight[neighbour[k]];
      }
    q->length[i] = (uint32_t)(q->list_end - q->at[i]);
    q->member[i] = NONE;
    q->tail[i] = (int32_t)i;
  }
  for (size_t i = n; i-- > 0;) bucket_insert(q, (int32_t)i);
  return SCREE_OK;
}

/* Forms L_p in q->boundary; returns its length. Marks its variables with stamp = -1 - p. */
static size_t form_boundary(quotient *q, int32_t p) {
  const int64_t mark = -1 - (int64_t)p;
  size_t count = 0;
  q->stamp[p] = mark;
  for (uint32_t k = 0; k < q->length[p]; k++) {
    const uint32_t e = q->list[q->at[p] + k];
    const bool element = k < q->elements[p];
    if (element && q->weight[e] == 0) continue;
    const uint32_t *inner = element ? q->list + q->at[e] : &e;
    const uint32_t inner_count = element ? q->length[e] : 1;
    for (uint32_t m = 0; m < inner_count; m++) {
      const uint32_t i = inner[m];
      if (q->weight[i] == 0 || q->is_element[i] || q->stamp[i] == mark) continue;
      q->stamp[i] = mark;
      q->boundary[count++] = i;
    }
    if (element) q->weight[e] = 0; /* absorbed */
  }
  return count;
}

/* Cleans i's list and bounds its degree; returns false when i has nothing but p left. */
static bool update_variable(quotient *q, int32_t p, uint32_t i, int64_t boundary_weight,
                            int64_t mark, uint64_t *hash) {
  uint32_t *list = q->list + q->at[i];
  int64_t degree = 0;
  *hash = (uint64_t)(uint32_t)p;
  const uint32_t element_count = q->elements[i], length = q->length[i];
  uint32_t kept = 0;
  for (uint32_t k = 0; k < element_count; k++) {
    const uint32_t e = list[k];
    if (q->weight[e] == 0) continue;
    const int64_t outside = q->stamp[e];
    if (outside == 0) {
      q->weight[e] = 0; /* inside L_p altogether: absorbed */
      continue;
    }
    degree += outside;
    list[kept++] = e;
    *hash += e;
  }
  uint32_t variables = 0;
  for (uint32_t k = element_count; k < length; k++) {
    const uint32_t j = list[k];
    if (q->weight[j] == 0 || q->is_element[j] || q->stamp[j] == mark) continue;
    degree += q->weight[j];
    list[kept + variables++] = j;
    *hash += j;
  }
  if (kept + variables == 0) return false;
  /* p goes behind the elements; its place is that of whatever joined i to it, now dropped. */
  if (variables) list[kept + variables] = list[kept];
  list[kept] = (uint32_t)p;
  q->elements[i] = kept + 1;
  q->length[i] = kept + 1 + variables;
  const int64_t others = boundary_weight - q->weight[i];
  const int64_t grown = q->degree[i] + others;
  degree += others;
  q->degree[i] = degree < grown ? degree : grown;
  if (q->degree[i] > q->most) q->degree[i] = q->most;
  return true;
}

static bool same_lists(quotient *q, uint32_t a, uint32_t b, int64_t tag) {
  if (q->length[a] != q->length[b] || q->elements[a] != q->elements[b]) return false;
  for (uint32_t k = 0; k < q->length[a]; k++) q->stamp[q->list[q->at[a] + k]] = tag;
  for (uint32_t k = 0; k < q->length[b]; k++)
    if (q->stamp[q->list[q->at[b] + k]] != tag) return false;
  return true;
}

/* Variables of the boundary with equal lists are one from now on. `hash` is per boundary entry. */
static void merge_equal(quotient *q, size_t count, const uint64_t *hash, uint32_t *bucket,
                        size_t bucket_count, int64_t *tag) {
  for (size_t k = 0; k < count; k++) bucket[hash[k] % bucket_count] = UINT32_MAX;
  for (size_t k = 0; k < count; k++) {
    const uint32_t i = q->boundary[k];
    if (q->weight[i] == 0) continue;
    const size_t slot = hash[k] % bucket_count;
    bool merged = false;
    for (uint32_t other = bucket[slot]; other != UINT32_MAX; other = q->hash_next[other]) {
      const uint32_t j = q->boundary[other];
      if (hash[other] != hash[k] || !same_lists(q, j, i, ++*tag)) continue;
      q->weight[j] += q->weight[i];
      q->degree[j] -= q->weight[i];
      if (q->degree[j] < 0) q->degree[j] = 0;
      merge(q, (int32_t)j, (int32_t)i);
      merged = true;
      break;
    }
    if (merged) continue;
    q->hash_next[k] = bucket[slot];
    bucket[slot] = (uint32_t)k;
  }
}

/* Weight of L_e outside L_p, in stamp[e], for every element that touches L_p. */
static int64_t measure_elements(quotient *q, size_t count) {
  int64_t weight = 0;
  for (size_t k = 0; k < count; k++) {
    const uint32_t i = q->boundary[k];
    weight += q->weight[i];
    for (uint32_t m = 0; m < q->elements[i]; m++) q->stamp[q->list[q->at[i] + m]] = INT64_MAX;
  }
  for (size_t k = 0; k < count; k++) {
    const uint32_t i = q->boundary[k];
    for (uint32_t m = 0; m < q->elements[i]; m++) {
      const uint32_t e = q->list[q->at[i] + m];
      if (q->weight[e] == 0) continue;
      if (q->stamp[e] == INT64_MAX) q->stamp[e] = q->degree[e];
      q->stamp[e] -= q->weight[i];
      if (q->stamp[e] < 0) q->stamp[e] = 0;
    }
  }
  return weight;
}

/* Room for a boundary at the end of the lists. */
static bool make_list_room(quotient *q, size_t count) {
  if (q->list_end + count <= q->list_capacity) return true;
  const size_t capacity = 2 * q->list_capacity + count;
  uint32_t *grown = arena_take(q->scratch, capacity, sizeof *grown);
  if (!grown) return false;
  memcpy(grown, q->list, q->list_end * sizeof *grown);
  q->list = grown;
  q->list_capacity = capacity;
  return true;
}

typedef struct merge_work {
  uint64_t *hash;
  uint32_t *bucket;
  int64_t tag;
} merge_work;

/* One elimination; returns the weight of what was eliminated (p and what it takes along). */
static scree_status eliminate(quotient *q, int32_t p, merge_work *s, int64_t *eliminated) {
  const size_t n = q->n, count = form_boundary(q, p);
  const int64_t mark = -1 - (int64_t)p;
  const int64_t weight = measure_elements(q, count);
  for (size_t k = 0; k < count; k++) bucket_remove(q, (int32_t)q->boundary[k]);
  q->is_element[p] = 1;
  for (size_t k = 0; k < count; k++) {
    const uint32_t i = q->boundary[k];
    if (update_variable(q, p, i, weight, mark, &s->hash[k])) continue;
    q->weight[p] += q->weight[i];
    merge(q, p, (int32_t)i);
  }
  merge_equal(q, count, s->hash, s->bucket, n, &s->tag);
  if (!make_list_room(q, count)) return SCREE_ERROR_MEMORY;
  *eliminated = q->weight[p];
  q->at[p] = q->list_end;
  int64_t left = 0;
  for (size_t k = 0; k < count; k++) {
    const uint32_t i = q->boundary[k];
    if (q->weight[i] == 0) continue;
    q->list[q->list_end++] = i;
    left += q->weight[i];
    bucket_insert(q, (int32_t)i);
  }
  q->length[p] = (uint32_t)(q->list_end - q->at[p]);
  q->degree[p] = left;
  q->weight[p] = 1;
  return SCREE_OK;
}

scree_status ordering_minimum_degree(arena *scratch, size_t n, const uint32_t *weight,
                                     const size_t *start, const uint32_t *neighbour,
                                     uint32_t *order, uint32_t *group, size_t *group_count) {
  quotient q = {.scratch = scratch, .n = n};
  merge_work s = {.hash = arena_take(scratch, n, sizeof *s.hash),
                  .bucket = arena_take(scratch, n, sizeof *s.bucket)};
  scree_status status = s.hash && s.bucket ? SCREE_OK : SCREE_ERROR_MEMORY;
  if (!status) status = quotient_init(&q, weight, start, neighbour);
  s.tag = q.most + 1;
  size_t placed = 0, groups = 0;
  while (!status && placed < n) {
    int64_t lowest = 0;
    while (q.head[lowest] == NONE) lowest++;
    const int32_t p = q.head[lowest];
    int64_t eliminated = 0;
    bucket_remove(&q, p);
    status = eliminate(&q, p, &s, &eliminated);
    group[groups++] = (uint32_t)placed;
    for (int32_t i = p; i != NONE; i = q.member[i]) order[placed++] = (uint32_t)i;
    if (!status && groups % 256 == 0) status = context_go_on(scratch->context, "ordering");
  }
  group[groups] = (uint32_t)placed;
  *group_count = groups;
  return status;
}

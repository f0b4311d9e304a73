/* Approximate minimum degree on the quotient graph (Amestoy, Davis and Duff): eliminated nodes
 * become elements, whose node lists stand for the fill; degrees are bounded from above; nodes that
 * cannot be told apart are merged and eliminated together. Ties go to the node that entered its
 * degree list last, so the order depends on the graph alone.
 *
 * The list of a live node holds its elements, then its plain neighbours; it never outgrows the
 * space of its first neighbours, as a new element replaces at least one entry. */
#include "math/sparse_order.h"

#include <string.h>

#include "base/memory.h"

static const uint32_t none = UINT32_MAX;

typedef struct quotient {
  scree_context *context;
  size_t n;
  size_t *start;      /* list of node i, in `list` */
  uint32_t *elements; /* how many of the list are elements */
  uint32_t *length;
  uint32_t *list;
  uint32_t *size;   /* weight of a live node with those merged into it; 0: merged or eliminated */
  uint32_t *degree; /* bound on the weight of its neighbours */
  uint32_t *next_member, *last_member; /* nodes merged into i */
  uint32_t *head, *next, *previous;    /* lists by degree */
  size_t least;                        /* no node has a smaller degree */
  size_t weight_left;
  bool *element;          /* is a live element */
  size_t *element_start;  /* its nodes, in `pool` */
  uint32_t *element_end;  /* how many */
  uint32_t *element_size; /* their weight */
  uint32_t *pool;
  size_t pool_count, pool_room;
  uint32_t *outside, *outside_stamp; /* weight of an element outside the newest one */
  uint32_t *mark;                    /* stamp of the newest element's nodes */
  uint32_t *hash_head, *hash_next, *hash;
  uint32_t *parent; /* element absorbed by */
} quotient;

static void bucket_remove(quotient *q, uint32_t i) {
  if (q->next[i] != none) q->previous[q->next[i]] = q->previous[i];
  if (q->previous[i] != none)
    q->next[q->previous[i]] = q->next[i];
  else
    q->head[q->degree[i]] = q->next[i];
}

static void bucket_insert(quotient *q, uint32_t i) {
  const uint32_t d = q->degree[i];
  q->next[i] = q->head[d];
  q->previous[i] = none;
  if (q->head[d] != none) q->previous[q->head[d]] = i;
  q->head[d] = i;
  if (d < q->least) q->least = d;
}

static void merge_into(quotient *q, uint32_t into, uint32_t from) {
  q->size[into] += q->size[from];
  q->size[from] = 0;
  q->next_member[q->last_member[into]] = from;
  q->last_member[into] = q->last_member[from];
}

/* The nodes of the new element p: neighbours of p and the nodes of the elements it absorbs. */
static scree_status form_element(quotient *q, uint32_t p) {
  const size_t first = q->pool_count;
  const uint32_t *list = q->list + q->start[p];
  q->mark[p] = p;
  for (uint32_t k = 0; k < q->length[p]; k++) {
    const uint32_t at = list[k];
    const bool is_element = k < q->elements[p];
    const size_t count = is_element ? q->element_end[at] : 1;
    if (is_element && !q->element[at]) continue;
    if (memory_grow(q->context, &q->pool, &q->pool_room, q->pool_count + count, sizeof *q->pool))
      return SCREE_ERROR_MEMORY;
    const uint32_t *nodes = is_element ? q->pool + q->element_start[at] : &at;
    for (size_t l = 0; l < count; l++) {
      const uint32_t i = nodes[l];
      if (q->size[i] == 0 || q->mark[i] == p) continue;
      q->mark[i] = p;
      q->pool[q->pool_count++] = i;
    }
    if (is_element) {
      q->element[at] = false;
      q->parent[at] = p;
    }
  }
  q->element_start[p] = first;
  q->element_end[p] = (uint32_t)(q->pool_count - first);
  q->element[p] = true;
  return SCREE_OK;
}

/* outside[e] = weight of e's nodes that are not in p, for every element that touches p. */
static void measure_outside(quotient *q, uint32_t p) {
  for (size_t k = q->element_start[p]; k < q->pool_count; k++) {
    const uint32_t i = q->pool[k];
    for (uint32_t l = 0; l < q->elements[i]; l++) {
      const uint32_t e = q->list[q->start[i] + l];
      if (!q->element[e]) continue;
      if (q->outside_stamp[e] != p) {
        q->outside_stamp[e] = p;
        q->outside[e] = q->element_size[e];
      }
      q->outside[e] -= q->size[i];
    }
  }
}

/* Rewrites the list of i (in the new element p) and bounds its degree outside p. */
static size_t update_node(quotient *q, uint32_t p, uint32_t i) {
  uint32_t *list = q->list + q->start[i];
  uint32_t kept = 0, hash = p;
  size_t degree = 0;
  const uint32_t old_elements = q->elements[i], old_length = q->length[i];
  for (uint32_t l = 0; l < old_elements; l++) {
    const uint32_t e = list[l];
    if (!q->element[e]) continue;
    if (q->outside[e] == 0) {
      q->element[e] = false;
      q->parent[e] = p;
      continue;
    }
    degree += q->outside[e];
    hash += e;
    list[kept++] = e;
  }
  uint32_t elements = kept, first_plain = none;
  for (uint32_t l = old_elements; l < old_length; l++) {
    const uint32_t j = list[l];
    if (q->size[j] == 0 || q->mark[j] == p) continue;
    degree += q->size[j];
    hash += j;
    if (first_plain == none) {
      first_plain = j;
      continue;
    }
    list[++kept] = j;
  }
  list[elements++] = p;
  /* The first plain neighbour was held back to make room for p. */
  if (first_plain != none) list[++kept] = first_plain;
  q->elements[i] = elements;
  q->length[i] = first_plain != none ? kept + 1 : elements;
  q->hash[i] = hash % (uint32_t)q->n;
  return degree;
}

static bool same_lists(quotient *q, uint32_t i, uint32_t j, uint32_t *stamp, uint32_t tag) {
  if (q->length[i] != q->length[j] || q->elements[i] != q->elements[j]) return false;
  const uint32_t *a = q->list + q->start[i], *b = q->list + q->start[j];
  for (uint32_t k = 0; k < q->length[i]; k++) stamp[a[k]] = tag;
  for (uint32_t k = 0; k < q->length[j]; k++)
    if (stamp[b[k]] != tag) return false;
  return true;
}

/* Merges nodes of the new element with equal lists. */
static void merge_equals(quotient *q, uint32_t p, uint32_t *stamp, uint32_t *tag) {
  for (size_t k = q->element_start[p]; k < q->pool_count; k++) {
    const uint32_t i = q->pool[k];
    if (q->size[i] == 0) continue;
    uint32_t h = q->hash_head[q->hash[i]];
    for (; h != none; h = q->hash_next[h])
      if (same_lists(q, h, i, stamp, ++*tag)) break;
    if (h != none) {
      q->degree[h] -= q->size[i] < q->degree[h] ? q->size[i] : q->degree[h];
      merge_into(q, h, i);
    } else {
      q->hash_next[i] = q->hash_head[q->hash[i]];
      q->hash_head[q->hash[i]] = i;
    }
  }
  for (size_t k = q->element_start[p]; k < q->pool_count; k++)
    q->hash_head[q->hash[q->pool[k]]] = none;
}

static scree_status eliminate(quotient *q, uint32_t p, uint32_t *stamp, uint32_t *tag) {
  bucket_remove(q, p);
  const scree_status status = form_element(q, p);
  if (status) return status;
  measure_outside(q, p);
  size_t weight = 0;
  for (size_t k = q->element_start[p]; k < q->pool_count; k++) weight += q->size[q->pool[k]];
  for (size_t k = q->element_start[p]; k < q->pool_count; k++) {
    const uint32_t i = q->pool[k];
    const size_t old = q->degree[i];
    bucket_remove(q, i);
    const size_t outside = update_node(q, p, i);
    if (outside == 0) {
      /* Nothing but the new element: i goes with p. */
      weight -= q->size[i];
      merge_into(q, p, i);
      continue;
    }
    q->degree[i] = (uint32_t)(outside < old ? outside : old);
  }
  const uint32_t p_size = q->size[p];
  q->weight_left -= p_size;
  q->size[p] = 0;
  for (size_t k = q->element_start[p]; k < q->pool_count; k++) {
    const uint32_t i = q->pool[k];
    if (q->size[i] == 0) continue;
    size_t bound = q->degree[i] + (weight - q->size[i]);
    if (bound > q->weight_left - q->size[i]) bound = q->weight_left - q->size[i];
    q->degree[i] = (uint32_t)bound;
  }
  merge_equals(q, p, stamp, tag);
  size_t kept = q->element_start[p];
  for (size_t k = kept; k < q->pool_count; k++) {
    const uint32_t i = q->pool[k];
    if (q->size[i] == 0) continue;
    bucket_insert(q, i);
    q->pool[kept++] = i;
  }
  q->pool_count = kept;
  q->element_end[p] = (uint32_t)(kept - q->element_start[p]);
  q->element_size[p] = (uint32_t)weight;
  return SCREE_OK;
}

/* ---- fronts --------------------------------------------------------------------------------- */

typedef struct front_list {
  size_t count;
  uint32_t *front_of; /* element p to front */
  uint32_t *element;
  size_t pivots, rests, rest_room;
} front_list;

/* Writes down the front of p while the members of its nodes are those of now. */
static scree_status record(quotient *q, uint32_t p, front_list *l, sparse_fronts *f) {
  const size_t k = l->count++;
  l->front_of[p] = (uint32_t)k;
  l->element[k] = p;
  for (uint32_t i = p; i != none; i = q->next_member[i]) f->pivot[l->pivots++] = i;
  f->pivot_start[k + 1] = l->pivots;
  for (uint32_t e = 0; e < q->element_end[p]; e++)
    for (uint32_t i = q->pool[q->element_start[p] + e]; i != none; i = q->next_member[i]) {
      if (memory_grow(q->context, &f->rest, &l->rest_room, l->rests + 1, sizeof *f->rest))
        return SCREE_ERROR_MEMORY;
      f->rest[l->rests++] = i;
    }
  f->rest_start[k + 1] = l->rests;
  return SCREE_OK;
}

static bool quotient_init(quotient *q, const uint32_t *weight, const size_t *start,
                          const uint32_t *neighbour, size_t total) {
  scree_context *c = q->context;
  const size_t n = q->n;
  uint32_t **const vectors[] = {&q->elements,     &q->length,       &q->size,    &q->degree,
                                &q->next_member,  &q->last_member,  &q->next,    &q->previous,
                                &q->element_end,  &q->element_size, &q->outside, &q->mark,
                                &q->hash_head,    &q->hash_next,    &q->hash,    &q->parent,
                                &q->outside_stamp};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    if (!(*vectors[k] = memory_new(c, n, sizeof(uint32_t)))) return false;
  q->start = memory_new(c, n + 1, sizeof *q->start);
  q->element_start = memory_new(c, n, sizeof *q->element_start);
  q->list = memory_new(c, start[n], sizeof *q->list);
  q->head = memory_new(c, total + 1, sizeof *q->head);
  q->element = memory_new(c, n, sizeof *q->element);
  if (!q->start || !q->element_start || !q->list || !q->head || !q->element) return false;
  memset(q->head, 0xff, (total + 1) * sizeof *q->head);
  memset(q->mark, 0xff, n * sizeof *q->mark);
  memset(q->outside_stamp, 0xff, n * sizeof *q->mark);
  memset(q->hash_head, 0xff, n * sizeof *q->hash_head);
  memset(q->parent, 0xff, n * sizeof *q->parent);
  memset(q->next_member, 0xff, n * sizeof *q->next_member);
  q->weight_left = total;
  q->least = total;
  size_t at = 0;
  for (size_t i = 0; i < n; i++) {
    q->start[i] = at;
    q->size[i] = weight[i];
    q->last_member[i] = (uint32_t)i;
    for (size_t k = start[i]; k < start[i + 1]; k++) {
      if (neighbour[k] == i) continue;
      q->list[at++] = neighbour[k];
      q->degree[i] += weight[neighbour[k]];
    }
    q->length[i] = (uint32_t)(at - q->start[i]);
  }
  for (size_t i = n; i-- > 0;) bucket_insert(q, (uint32_t)i);
  return true;
}

static void quotient_clear(quotient *q) {
  void *const blocks[] = {
      q->start,         q->elements,    q->length,       q->list, q->size,     q->degree,
      q->next_member,   q->last_member, q->head,         q->next, q->previous, q->element,
      q->element_start, q->element_end, q->element_size, q->pool, q->outside,  q->outside_stamp,
      q->mark,          q->hash_head,   q->hash_next,    q->hash, q->parent};
  for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) memory_free(q->context, blocks[k]);
}

static scree_status run(quotient *q, front_list *l, sparse_fronts *f) {
  uint32_t *stamp = memory_new(q->context, q->n, sizeof *stamp), tag = 0;
  scree_status status = stamp ? SCREE_OK : SCREE_ERROR_MEMORY;
  while (!status && q->weight_left > 0) {
    while (q->head[q->least] == none) q->least++;
    const uint32_t p = q->head[q->least];
    status = eliminate(q, p, stamp, &tag);
    if (!status) status = record(q, p, l, f);
  }
  memory_free(q->context, stamp);
  return status;
}

scree_status sparse_order(scree_context *context, size_t n, const uint32_t *weight,
                          const size_t *start, const uint32_t *neighbour, sparse_fronts *f) {
  size_t total = 0;
  for (size_t i = 0; i < n; i++) total += weight[i];
  memset(f, 0, sizeof *f);
  quotient q = {.context = context, .n = n};
  front_list l = {.front_of = memory_new(context, n, sizeof(uint32_t)),
                  .element = memory_new(context, n, sizeof(uint32_t))};
  f->parent = memory_new(context, n, sizeof *f->parent);
  f->pivot_start = memory_new(context, n + 1, sizeof *f->pivot_start);
  f->pivot = memory_new(context, n, sizeof *f->pivot);
  f->rest_start = memory_new(context, n + 1, sizeof *f->rest_start);
  const bool room = l.front_of && l.element && f->parent && f->pivot_start && f->pivot &&
                    f->rest_start && quotient_init(&q, weight, start, neighbour, total);
  const scree_status status = room ? run(&q, &l, f) : SCREE_ERROR_MEMORY;
  if (!status) {
    f->count = l.count;
    for (size_t k = 0; k < f->count; k++) {
      const uint32_t parent = q.parent[l.element[k]];
      f->parent[k] = parent == none ? none : l.front_of[parent];
    }
  }
  quotient_clear(&q);
  memory_free(context, l.front_of);
  memory_free(context, l.element);
  if (status) sparse_fronts_clear(context, f);
  return status;
}

void sparse_fronts_clear(scree_context *context, sparse_fronts *f) {
  memory_free(context, f->parent);
  memory_free(context, f->pivot_start);
  memory_free(context, f->pivot);
  memory_free(context, f->rest_start);
  memory_free(context, f->rest);
  memset(f, 0, sizeof *f);
}

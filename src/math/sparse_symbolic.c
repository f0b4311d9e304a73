/* From the ordering's fronts to the tree that is worked through: small fronts are merged with their
 * parent where that adds few zeros (dense kernels like larger fronts), the tree is put in postorder
 * so that updates can wait on a stack, and storage is laid out. */
#include "math/sparse_symbolic.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/sparse_order.h"

static const uint32_t none = UINT32_MAX;

void sparse_tree_clear(scree_context *context, sparse_tree *t) {
  void *const blocks[] = {t->dim,    t->row_start, t->position, t->row,  t->square_start, t->start,
                          t->column, t->mirror,    t->front,    t->node, t->rest,         t->child};
  for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) memory_free(context, blocks[k]);
  memset(t, 0, sizeof *t);
}

bool sparse_tree_matches(const sparse_tree *t, const sparse_blocks *a) {
  return t->count == a->count &&
         memcmp(t->row_start, a->row_start, (t->count + 1) * sizeof *t->row_start) == 0 &&
         memcmp(t->start, a->start, (t->count + 1) * sizeof *t->start) == 0 &&
         memcmp(t->column, a->column, t->start[t->count] * sizeof *t->column) == 0;
}

static scree_status copy_pattern(scree_context *context, const sparse_blocks *a, sparse_tree *t) {
  const size_t n = t->count = a->count, blocks = a->start[n];
  t->rows = a->row_start[n];
  t->dim = memory_new(context, n, sizeof *t->dim);
  t->row_start = memory_new(context, n + 1, sizeof *t->row_start);
  t->position = memory_new(context, n, sizeof *t->position);
  t->row = memory_new(context, n, sizeof *t->row);
  t->square_start = memory_new(context, n + 1, sizeof *t->square_start);
  t->start = memory_new(context, n + 1, sizeof *t->start);
  t->column = memory_new(context, blocks, sizeof *t->column);
  t->mirror = memory_new(context, blocks, sizeof *t->mirror);
  t->node = memory_new(context, n, sizeof *t->node);
  size_t *cursor = memory_new(context, n, sizeof *cursor);
  if (!t->dim || !t->row_start || !t->position || !t->row || !t->square_start || !t->start ||
      !t->column || !t->mirror || !t->node || !cursor) {
    memory_free(context, cursor);
    return SCREE_ERROR_MEMORY;
  }
  memcpy(t->row_start, a->row_start, (n + 1) * sizeof *t->row_start);
  memcpy(t->start, a->start, (n + 1) * sizeof *t->start);
  if (blocks) memcpy(t->column, a->column, blocks * sizeof *t->column);
  bool symmetric = true;
  for (size_t i = 0; i < n; i++) {
    const size_t dim = a->row_start[i + 1] - a->row_start[i];
    t->dim[i] = (uint32_t)dim;
    t->square_start[i + 1] = t->square_start[i] + dim * dim;
    for (size_t k = a->start[i]; k < a->start[i + 1]; k++) {
      const size_t j = a->column[k], at = a->start[j] + cursor[j]++;
      t->mirror[k] = at;
      symmetric = symmetric && at < a->start[j + 1] && a->column[at] == i;
    }
  }
  memory_free(context, cursor);
  if (!symmetric)
    return context_fail(context, SCREE_ERROR_INTERNAL,
                        "a sparse matrix of %zu block rows has no symmetric pattern", n);
  return SCREE_OK;
}

/* ---- merging -------------------------------------------------------------------------------- */

typedef struct merge {
  size_t *pivots, *rest; /* rows of each front, as merged so far */
  double *zeros;
  uint32_t *into; /* none: stands for itself */
} merge;

static size_t rows_of(const sparse_tree *t, const uint32_t *nodes, size_t begin, size_t end) {
  size_t rows = 0;
  for (size_t k = begin; k < end; k++) rows += t->dim[nodes[k]];
  return rows;
}

static bool worth_merging(double pivots, double share) {
  return share <= 0.05 || (pivots <= 48.0 && share <= 0.15) || (pivots <= 18.0 && share <= 0.5);
}

static uint32_t final_front(const merge *m, uint32_t k) {
  while (m->into[k] != none) k = m->into[k];
  return k;
}

/* Children come before parents, so a front has taken its own children before it is looked at. */
static void merge_fronts(const sparse_tree *t, const sparse_fronts *f, merge *m) {
  for (size_t k = 0; k < f->count; k++) {
    m->pivots[k] = rows_of(t, f->pivot, f->pivot_start[k], f->pivot_start[k + 1]);
    m->rest[k] = rows_of(t, f->rest, f->rest_start[k], f->rest_start[k + 1]);
    m->zeros[k] = 0.0;
    m->into[k] = none;
  }
  for (size_t k = 0; k < f->count; k++) {
    const uint32_t parent = f->parent[k];
    if (parent == none) continue;
    const double pc = (double)m->pivots[k], pp = (double)m->pivots[parent],
                 rp = (double)m->rest[parent];
    const double zeros = m->zeros[k] + m->zeros[parent] + pc * (pp + rp - (double)m->rest[k]);
    const double panel = (pc + pp) * (0.5 * (pc + pp) + rp);
    if (!worth_merging(pc + pp, zeros / panel)) continue;
    m->into[k] = parent;
    m->pivots[parent] += m->pivots[k];
    m->zeros[parent] = zeros;
  }
}

/* ---- postorder ------------------------------------------------------------------------------ */

typedef struct walk {
  uint32_t *first_child, *next_sibling; /* by old front */
  uint32_t *order;                      /* old fronts that remain, in postorder */
  uint32_t *rank;                       /* the inverse */
  uint32_t *path;
} walk;

static size_t postorder(const sparse_fronts *f, const merge *m, walk *w) {
  uint32_t roots = none;
  for (size_t k = 0; k < f->count; k++) w->first_child[k] = w->next_sibling[k] = none;
  for (size_t k = f->count; k-- > 0;) {
    if (m->into[k] != none) continue;
    uint32_t *list = &roots;
    if (f->parent[k] != none) list = &w->first_child[final_front(m, f->parent[k])];
    w->next_sibling[k] = *list;
    *list = (uint32_t)k;
  }
  size_t count = 0, depth = 0;
  for (uint32_t root = roots; root != none; root = w->next_sibling[root]) {
    w->path[depth++] = root;
    while (depth > 0) {
      const uint32_t k = w->path[depth - 1], child = w->first_child[k];
      if (child != none) {
        w->first_child[k] = w->next_sibling[child];
        w->path[depth++] = child;
      } else {
        w->rank[k] = (uint32_t)count;
        w->order[count++] = k;
        depth--;
      }
    }
  }
  return count;
}

/* Numbers the nodes: fronts in postorder; within a front the pivots of its merged parts in the
 * order in which they were eliminated. */
static void number_nodes(sparse_tree *t, const sparse_fronts *f, const merge *m, const walk *w,
                         size_t *slot) {
  size_t row = 0, at = 0;
  for (size_t k = 0; k < f->count; k++)
    slot[w->rank[final_front(m, (uint32_t)k)]] += f->pivot_start[k + 1] - f->pivot_start[k];
  for (size_t k = 0; k < t->front_count; k++) {
    const size_t count = slot[k];
    t->front[k].node_begin = slot[k] = at;
    t->front[k].node_end = at += count;
  }
  for (size_t k = 0; k < f->count; k++) {
    const size_t front = w->rank[final_front(m, (uint32_t)k)];
    for (size_t l = f->pivot_start[k]; l < f->pivot_start[k + 1]; l++)
      t->node[slot[front]++] = f->pivot[l];
  }
  for (size_t k = 0; k < t->count; k++) {
    const uint32_t node = t->node[k];
    t->position[node] = (uint32_t)k;
    t->row[node] = row;
    row += t->dim[node];
  }
}

static int compare_positions(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static void lay_out(sparse_tree *t, const sparse_fronts *f, const merge *m, const walk *w) {
  size_t rest = 0, children = 0, top = 0;
  for (size_t k = 0; k < t->front_count; k++) {
    sparse_front *front = &t->front[k];
    const uint32_t old = w->order[k];
    front->row = t->row[t->node[front->node_begin]];
    front->pivots = m->pivots[old];
    front->rest = m->rest[old];
    front->rest_begin = rest;
    for (size_t l = f->rest_start[old]; l < f->rest_start[old + 1]; l++)
      t->rest[rest++] = t->position[f->rest[l]];
    front->rest_end = rest;
    qsort(t->rest + front->rest_begin, rest - front->rest_begin, sizeof *t->rest,
          compare_positions);
    for (size_t l = front->rest_begin; l < rest; l++) t->rest[l] = t->node[t->rest[l]];
    const size_t size = front->pivots + front->rest;
    const double p = (double)front->pivots, r = (double)front->rest;
    t->work += p * p * p / 6.0 + p * p * r / 2.0 + p * r * r / 2.0;
    front->lower = t->lower_total;
    front->upper = t->upper_total;
    t->lower_total += size * front->pivots;
    t->upper_total += front->pivots * front->rest;
    if (size > t->front_most) t->front_most = size;
  }
  /* Children in ascending order; every child lies just below its parent's turn on the stack. */
  for (size_t k = 0; k < t->front_count; k++) {
    const uint32_t parent = f->parent[w->order[k]];
    if (parent != none) t->front[w->rank[final_front(m, parent)]].child_count++;
  }
  for (size_t k = 0; k < t->front_count; k++) {
    t->front[k].child_begin = children;
    children += t->front[k].child_count;
    t->front[k].child_count = 0;
  }
  for (size_t k = 0; k < t->front_count; k++) {
    const uint32_t parent = f->parent[w->order[k]];
    if (parent == none) continue;
    sparse_front *front = &t->front[w->rank[final_front(m, parent)]];
    t->child[front->child_begin + front->child_count++] = (uint32_t)k;
  }
  for (size_t k = 0; k < t->front_count; k++) {
    const sparse_front *front = &t->front[k];
    for (size_t c = 0; c < front->child_count; c++) {
      const size_t r = t->front[t->child[front->child_begin + c]].rest;
      top -= r * r;
    }
    top += front->rest * front->rest;
    if (top > t->stack_most) t->stack_most = top;
  }
}

static scree_status build_tree(scree_context *context, sparse_tree *t, const sparse_fronts *f) {
  const size_t n = f->count;
  merge m = {.pivots = memory_new(context, n, sizeof(size_t)),
             .rest = memory_new(context, n, sizeof(size_t)),
             .zeros = memory_new(context, n, sizeof(double)),
             .into = memory_new(context, n, sizeof(uint32_t))};
  walk w = {.first_child = memory_new(context, n, sizeof(uint32_t)),
            .next_sibling = memory_new(context, n, sizeof(uint32_t)),
            .order = memory_new(context, n, sizeof(uint32_t)),
            .rank = memory_new(context, n, sizeof(uint32_t)),
            .path = memory_new(context, n, sizeof(uint32_t))};
  size_t *slot = memory_new(context, n, sizeof *slot);
  t->front = memory_new(context, n, sizeof *t->front);
  t->rest = memory_new(context, f->rest_start[n], sizeof *t->rest);
  t->child = memory_new(context, n, sizeof *t->child);
  const bool room = m.pivots && m.rest && m.zeros && m.into && w.first_child && w.next_sibling &&
                    w.order && w.rank && w.path && slot && t->front && t->rest && t->child;
  if (room) {
    merge_fronts(t, f, &m);
    t->front_count = postorder(f, &m, &w);
    number_nodes(t, f, &m, &w, slot);
    lay_out(t, f, &m, &w);
  }
  void *const blocks[] = {m.pivots, m.rest, m.zeros, m.into, w.first_child,
                          w.order,  w.rank, w.path,  slot,   w.next_sibling};
  for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) memory_free(context, blocks[k]);
  return room ? SCREE_OK : SCREE_ERROR_MEMORY;
}

scree_status sparse_tree_build(scree_context *context, const sparse_blocks *a, sparse_tree *t) {
  memset(t, 0, sizeof *t);
  sparse_fronts fronts;
  scree_status status = copy_pattern(context, a, t);
  if (!status) status = sparse_order(context, t->count, t->dim, t->start, t->column, &fronts);
  if (!status) {
    status = build_tree(context, t, &fronts);
    sparse_fronts_clear(context, &fronts);
  }
  if (status) sparse_tree_clear(context, t);
  return status;
}

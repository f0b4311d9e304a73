/* See block_lu.h.
 *
 *   front of group s:     [ A11 A12 ]  k pivot rows        A11 = P L11 U11
 *                         [ A21 A22 ]  boundary rows       S = A22 - (A21 U11^-1) (L11^-1 P'A12)
 *
 * S is added into the front of the parent, the group that holds the first boundary node. Groups are
 * visited in postorder, so the pending S lie on a stack. Fronts are row-major. */
#include "math/block_lu.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "math/front.h"
#include "math/ordering.h"

typedef struct front {
  uint32_t first, last; /* nodes order[first] … order[last - 1] are its pivots */
  size_t boundary;      /* its boundary nodes: boundary[boundary] … */
  uint32_t boundary_count;
  uint32_t pivots, rows; /* scalar: k and k + boundary */
  uint32_t parent;       /* UINT32_MAX: a root */
  uint32_t children;
  size_t factor; /* where its k rows and its L21 begin */
  size_t swap;   /* where its row exchanges begin */
} front;

struct block_lu {
  scree_context *context;
  arena scratch; /* of the analysis */
  size_t n, rows;
  uint32_t *size;
  size_t *start;
  uint32_t *neighbour;
  size_t size_capacity, start_capacity, neighbour_capacity;

  uint32_t *order, *group;
  size_t order_capacity, group_capacity, front_count;
  front *fronts; /* in postorder */
  size_t front_capacity;
  uint32_t *position;  /* node -> place in the order */
  uint32_t *front_of;  /* node -> front */
  uint32_t *first_row; /* node -> its first row in x */
  uint32_t *local;     /* node -> its row in the front at hand */
  size_t position_capacity, front_of_capacity, first_row_capacity, local_capacity;
  uint32_t *boundary;
  size_t boundary_count, boundary_capacity;

  double *factor;
  size_t factor_count, factor_capacity;
  uint32_t *swap;
  size_t swap_capacity;
  double *stack, *work; /* pending S; the front being eliminated */
  size_t stack_capacity, work_capacity, largest, stack_peak;
  double *gather;
  size_t gather_capacity;
};

scree_status block_lu_create(scree_context *context, block_lu **out) {
  block_lu *lu = memory_new(context, 1, sizeof *lu);
  *out = lu;
  if (!lu) return SCREE_ERROR_MEMORY;
  lu->context = context;
  arena_init(&lu->scratch, context);
  return SCREE_OK;
}

void block_lu_destroy(block_lu *lu) {
  if (!lu) return;
  void *all[] = {lu->size,     lu->start,    lu->neighbour, lu->order, lu->group,    lu->fronts,
                 lu->position, lu->front_of, lu->first_row, lu->local, lu->boundary, lu->factor,
                 lu->swap,     lu->stack,    lu->work,      lu->gather};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) memory_free(lu->context, all[k]);
  arena_clear(&lu->scratch);
  memory_free(lu->context, lu);
}

size_t block_lu_entries(const block_lu *lu) {
  return lu->factor_count;
}

/* ---- analysis ------------------------------------------------------------------------------- */

static bool same_pattern(const block_lu *lu, size_t n, const uint32_t *size, const size_t *start,
                         const uint32_t *neighbour) {
  return lu->n == n && lu->front_count && memcmp(lu->size, size, n * sizeof *size) == 0 &&
         memcmp(lu->start, start, (n + 1) * sizeof *start) == 0 &&
         memcmp(lu->neighbour, neighbour, start[n] * sizeof *neighbour) == 0;
}

static scree_status make_room(block_lu *lu, size_t n, size_t entries) {
  scree_context *c = lu->context;
  if (memory_grow(c, &lu->size, &lu->size_capacity, n, sizeof *lu->size) ||
      memory_grow(c, &lu->start, &lu->start_capacity, n + 1, sizeof *lu->start) ||
      memory_grow(c, &lu->neighbour, &lu->neighbour_capacity, entries, sizeof *lu->neighbour) ||
      memory_grow(c, &lu->order, &lu->order_capacity, n, sizeof *lu->order) ||
      memory_grow(c, &lu->group, &lu->group_capacity, n + 1, sizeof *lu->group) ||
      memory_grow(c, &lu->fronts, &lu->front_capacity, n, sizeof *lu->fronts) ||
      memory_grow(c, &lu->position, &lu->position_capacity, n, sizeof *lu->position) ||
      memory_grow(c, &lu->front_of, &lu->front_of_capacity, n, sizeof *lu->front_of) ||
      memory_grow(c, &lu->first_row, &lu->first_row_capacity, n, sizeof *lu->first_row) ||
      memory_grow(c, &lu->local, &lu->local_capacity, n, sizeof *lu->local))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

/* Boundary of front s: neighbours of its pivots and boundaries of its children, later in the order.
 * `mark` holds the last front that saw a node; children come as a linked list. */
static scree_status find_boundary(block_lu *lu, uint32_t s, uint32_t *mark, const uint32_t *child,
                                  const uint32_t *sibling) {
  front *f = &lu->fronts[s];
  f->boundary = lu->boundary_count;
  for (uint32_t p = f->first; p < f->last; p++) mark[lu->order[p]] = s;
  for (uint32_t p = f->first; p < f->last; p++) {
    const uint32_t i = lu->order[p];
    for (size_t k = lu->start[i]; k < lu->start[i + 1]; k++) {
      const uint32_t j = lu->neighbour[k];
      if (mark[j] == s || lu->position[j] < f->last) continue;
      mark[j] = s;
      if (memory_grow(lu->context, &lu->boundary, &lu->boundary_capacity, lu->boundary_count + 1,
                      sizeof *lu->boundary))
        return SCREE_ERROR_MEMORY;
      lu->boundary[lu->boundary_count++] = j;
    }
  }
  for (uint32_t c = child[s]; c != UINT32_MAX; c = sibling[c])
    for (uint32_t k = 0; k < lu->fronts[c].boundary_count; k++) {
      const uint32_t j = lu->boundary[lu->fronts[c].boundary + k];
      if (mark[j] == s || lu->position[j] < f->last) continue;
      mark[j] = s;
      if (memory_grow(lu->context, &lu->boundary, &lu->boundary_capacity, lu->boundary_count + 1,
                      sizeof *lu->boundary))
        return SCREE_ERROR_MEMORY;
      lu->boundary[lu->boundary_count++] = j;
    }
  f->boundary_count = (uint32_t)(lu->boundary_count - f->boundary);
  /* In elimination order, so that a child's S is a monotone map into its parent. */
  uint32_t *b = lu->boundary + f->boundary;
  for (uint32_t k = 1; k < f->boundary_count; k++) {
    const uint32_t node = b[k];
    uint32_t at = k;
    for (; at > 0 && lu->position[b[at - 1]] > lu->position[node]; at--) b[at] = b[at - 1];
    b[at] = node;
  }
  f->rows = f->pivots = 0;
  for (uint32_t p = f->first; p < f->last; p++) f->pivots += lu->size[lu->order[p]];
  f->rows = f->pivots;
  for (uint32_t k = 0; k < f->boundary_count; k++) f->rows += lu->size[b[k]];
  f->parent = f->boundary_count ? lu->front_of[b[0]] : UINT32_MAX;
  return SCREE_OK;
}

/* Renumbers the fronts in postorder (children before parents, each subtree together). */
static scree_status postorder(block_lu *lu, uint32_t *child, uint32_t *sibling, uint32_t *place) {
  const size_t count = lu->front_count;
  front *sorted = arena_take(&lu->scratch, count, sizeof *sorted);
  uint32_t *stack = arena_take(&lu->scratch, count, sizeof *stack);
  if (!sorted || !stack) return SCREE_ERROR_MEMORY;
  size_t next = 0;
  for (size_t root = 0; root < count; root++) {
    if (lu->fronts[root].parent != UINT32_MAX) continue;
    size_t depth = 0;
    stack[depth++] = (uint32_t)root;
    while (depth) {
      const uint32_t s = stack[depth - 1];
      if (child[s] != UINT32_MAX) {
        const uint32_t c = child[s];
        child[s] = sibling[c];
        stack[depth++] = c;
        continue;
      }
      place[s] = (uint32_t)next;
      sorted[next++] = lu->fronts[s];
      depth--;
    }
  }
  for (size_t s = 0; s < count; s++) {
    if (sorted[s].parent == UINT32_MAX) continue;
    sorted[s].parent = place[sorted[s].parent];
    sorted[sorted[s].parent].children++;
  }
  memcpy(lu->fronts, sorted, count * sizeof *sorted);
  return SCREE_OK;
}

static scree_status build_fronts(block_lu *lu) {
  const size_t count = lu->front_count;
  arena *c = &lu->scratch;
  uint32_t *mark = arena_take(c, lu->n, sizeof *mark);
  uint32_t *child = arena_take(c, count, sizeof *child);
  uint32_t *sibling = arena_take(c, count, sizeof *sibling);
  uint32_t *place = arena_take(c, count, sizeof *place);
  scree_status status = mark && child && sibling && place ? SCREE_OK : SCREE_ERROR_MEMORY;
  lu->boundary_count = 0;
  for (size_t i = 0; !status && i < lu->n; i++) mark[i] = UINT32_MAX;
  for (size_t s = 0; !status && s < count; s++) child[s] = sibling[s] = UINT32_MAX;
  for (size_t s = 0; !status && s < count; s++) {
    lu->fronts[s] = (front){.first = lu->group[s], .last = lu->group[s + 1]};
    status = find_boundary(lu, (uint32_t)s, mark, child, sibling);
    const uint32_t parent = lu->fronts[s].parent;
    if (parent == UINT32_MAX) continue;
    sibling[s] = child[parent];
    child[parent] = (uint32_t)s;
  }
  if (!status) status = postorder(lu, child, sibling, place);
  return status;
}

/* Places of the factors, the size of the stack and of the largest front. */
static scree_status measure(block_lu *lu) {
  size_t factor = 0, swap = 0, stack = 0, peak = 0, largest = 0;
  uint32_t row = 0;
  for (size_t i = 0; i < lu->n; i++) {
    lu->first_row[i] = row;
    row += lu->size[i];
  }
  lu->rows = row;
  size_t *pending_size = arena_take(&lu->scratch, lu->front_count, sizeof *pending_size);
  scree_status status = pending_size ? SCREE_OK : SCREE_ERROR_MEMORY;
  size_t depth = 0;
  for (size_t s = 0; !status && s < lu->front_count; s++) {
    front *f = &lu->fronts[s];
    const size_t k = f->pivots, n = f->rows, b = n - k;
    f->factor = factor;
    f->swap = swap;
    factor += k * n + b * k;
    swap += k;
    if (n * n > largest) largest = n * n;
    for (uint32_t c = 0; c < f->children; c++) stack -= pending_size[--depth];
    pending_size[depth++] = b * b;
    stack += b * b;
    if (stack > peak) peak = stack;
    if (f->parent == UINT32_MAX) stack -= pending_size[--depth];
  }
  lu->factor_count = factor;
  if (status ||
      memory_grow(lu->context, &lu->factor, &lu->factor_capacity, factor, sizeof *lu->factor) ||
      memory_grow(lu->context, &lu->swap, &lu->swap_capacity, swap, sizeof *lu->swap) ||
      memory_grow(lu->context, &lu->stack, &lu->stack_capacity, peak, sizeof *lu->stack) ||
      memory_grow(lu->context, &lu->work, &lu->work_capacity, largest, sizeof *lu->work) ||
      memory_grow(lu->context, &lu->gather, &lu->gather_capacity, lu->rows, sizeof *lu->gather))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

scree_status block_lu_analyse(block_lu *lu, size_t n, const uint32_t *size, const size_t *start,
                              const uint32_t *neighbour) {
  if (n == 0) {
    lu->n = lu->rows = lu->front_count = lu->factor_count = 0;
    return SCREE_OK;
  }
  if (same_pattern(lu, n, size, start, neighbour)) return SCREE_OK;
  lu->front_count = 0;
  scree_status status = make_room(lu, n, start[n]);
  if (status) return status;
  lu->n = n;
  memcpy(lu->size, size, n * sizeof *size);
  memcpy(lu->start, start, (n + 1) * sizeof *start);
  memcpy(lu->neighbour, neighbour, start[n] * sizeof *neighbour);
  size_t groups = 0;
  arena_reset(&lu->scratch);
  status = ordering_minimum_degree(&lu->scratch, n, size, start, neighbour, lu->order, lu->group,
                                   &groups);
  if (status) return status;
  for (size_t s = 0; s < groups; s++)
    for (uint32_t p = lu->group[s]; p < lu->group[s + 1]; p++) {
      lu->position[lu->order[p]] = p;
      lu->front_of[lu->order[p]] = (uint32_t)s;
    }
  lu->front_count = groups;
  status = build_fronts(lu);
  if (!status) status = measure(lu);
  if (status) lu->front_count = 0;
  return status;
}

/* ---- factorisation -------------------------------------------------------------------------- */

/* Puts the matrix entries of the front's pivots (rows and columns) into the work array. */
static void assemble_front(block_lu *lu, const front *f, const size_t *offset,
                           const double *value) {
  const size_t n = f->rows;
  uint32_t row = 0;
  memset(lu->work, 0, n * n * sizeof *lu->work);
  for (uint32_t p = f->first; p < f->last; p++) {
    lu->local[lu->order[p]] = row;
    row += lu->size[lu->order[p]];
  }
  for (uint32_t k = 0; k < f->boundary_count; k++) {
    const uint32_t node = lu->boundary[f->boundary + k];
    lu->local[node] = row;
    row += lu->size[node];
  }
  for (uint32_t p = f->first; p < f->last; p++) {
    const uint32_t i = lu->order[p];
    const size_t rows = lu->size[i];
    for (size_t k = lu->start[i]; k < lu->start[i + 1]; k++) {
      const uint32_t j = lu->neighbour[k];
      if (lu->position[j] < f->first) continue;
      const size_t columns = lu->size[j];
      const double *a = value + offset[k];
      double *to = lu->work + lu->local[i] * n + lu->local[j];
      for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) to[r * n + c] = a[r * columns + c];
      if (lu->position[j] < f->last) continue;
      /* The mirrored block (j, i) is found in j's list by bisection. */
      size_t lo = lu->start[j], hi = lu->start[j + 1];
      while (lo + 1 < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (lu->neighbour[mid] <= i)
          lo = mid;
        else
          hi = mid;
      }
      const double *b = value + offset[lo];
      double *under = lu->work + lu->local[j] * n + lu->local[i];
      for (size_t r = 0; r < columns; r++)
        for (size_t c = 0; c < rows; c++) under[r * n + c] = b[r * rows + c];
    }
  }
}

/* Adds a child's S. Runs of rows are contiguous in the parent node by node. */
static void add_child(block_lu *lu, const front *child, const double *s, size_t n) {
  const size_t width = child->rows - child->pivots;
  const uint32_t *nodes = lu->boundary + child->boundary;
  size_t row = 0;
  for (uint32_t a = 0; a < child->boundary_count; a++) {
    const size_t rows = lu->size[nodes[a]];
    for (size_t r = 0; r < rows; r++, row++) {
      double *to = lu->work + (lu->local[nodes[a]] + r) * n;
      const double *from = s + row * width;
      for (uint32_t b = 0; b < child->boundary_count; b++) {
        const size_t columns = lu->size[nodes[b]];
        double *at = to + lu->local[nodes[b]];
        for (size_t c = 0; c < columns; c++) at[c] += from[c];
        from += columns;
      }
    }
  }
}

/* Keeps the k pivot rows and L21, pushes S. */
static void store_front(block_lu *lu, const front *f, double *stack) {
  const size_t k = f->pivots, n = f->rows, b = n - k;
  double *to = lu->factor + f->factor;
  memcpy(to, lu->work, k * n * sizeof *to);
  to += k * n;
  for (size_t r = 0; r < b; r++) {
    memcpy(to + r * k, lu->work + (k + r) * n, k * sizeof *to);
    memcpy(stack + r * b, lu->work + (k + r) * n + k, b * sizeof *stack);
  }
}

scree_status block_lu_factor(block_lu *lu, const size_t *offset, const double *value,
                             size_t *replaced) {
  *replaced = 0;
  size_t top = 0;
  for (size_t s = 0; s < lu->front_count; s++) {
    const front *f = &lu->fronts[s];
    assemble_front(lu, f, offset, value);
    /* The children's S lie on top of the stack, the youngest last; a subtree of postorder ends
     * right before its parent. */
    size_t c = s;
    for (uint32_t done = 0; done < f->children;) {
      c--;
      if (lu->fronts[c].parent != s) continue;
      const size_t b = lu->fronts[c].rows - lu->fronts[c].pivots;
      top -= b * b;
      add_child(lu, &lu->fronts[c], lu->stack + top, f->rows);
      done++;
    }
    *replaced += front_eliminate(lu->work, f->rows, f->pivots, lu->swap + f->swap);
    const size_t b = f->rows - f->pivots;
    store_front(lu, f, lu->stack + top);
    if (f->parent != UINT32_MAX) top += b * b;
  }
  return SCREE_OK;
}

/* ---- solution ------------------------------------------------------------------------------- */

static void gather_rows(const block_lu *lu, const front *f, const double *x, double *to) {
  for (uint32_t p = f->first; p < f->last; p++) {
    const uint32_t i = lu->order[p];
    for (uint32_t r = 0; r < lu->size[i]; r++) *to++ = x[lu->first_row[i] + r];
  }
  for (uint32_t k = 0; k < f->boundary_count; k++) {
    const uint32_t i = lu->boundary[f->boundary + k];
    for (uint32_t r = 0; r < lu->size[i]; r++) *to++ = x[lu->first_row[i] + r];
  }
}

static void scatter_rows(const block_lu *lu, const front *f, double *x, const double *from,
                         bool boundary) {
  for (uint32_t p = f->first; p < f->last; p++) {
    const uint32_t i = lu->order[p];
    for (uint32_t r = 0; r < lu->size[i]; r++) x[lu->first_row[i] + r] = *from++;
  }
  for (uint32_t k = 0; boundary && k < f->boundary_count; k++) {
    const uint32_t i = lu->boundary[f->boundary + k];
    for (uint32_t r = 0; r < lu->size[i]; r++) x[lu->first_row[i] + r] = *from++;
  }
}

void block_lu_solve(const block_lu *lu, double *x) {
  double *y = lu->gather;
  for (size_t s = 0; s < lu->front_count; s++) {
    const front *f = &lu->fronts[s];
    gather_rows(lu, f, x, y);
    front_forward(lu->factor + f->factor, f->rows, f->pivots, lu->swap + f->swap, y);
    scatter_rows(lu, f, x, y, true);
  }
  for (size_t s = lu->front_count; s-- > 0;) {
    const front *f = &lu->fronts[s];
    gather_rows(lu, f, x, y);
    front_backward(lu->factor + f->factor, f->rows, f->pivots, y);
    scatter_rows(lu, f, x, y, false);
  }
}

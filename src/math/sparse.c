/* See sparse.h. A front gathers the entries of A that belong to its pivots and the updates of its
 * children, eliminates its pivots where its part of the factors stays, and leaves the update of its
 * boundary on a stack for its parent. With Cholesky the upper triangle by rows is all there is. */
#include "math/sparse.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/front.h"
#include "math/front_tree.h"

struct sparse_factor {
  scree_context *context;
  front_tree tree;
  sparse_kind kind;
  uint32_t *size;  /* of the nodes of the pattern being analysed */
  double *upper;   /* k rows of each front */
  double *lower;   /* LU: k columns below them */
  uint32_t *swap;  /* LU: row exchanges; SIGNED: is a pivot below 0? */
  double *stack;   /* updates that wait for their parent, and that of the front at work */
  uint32_t *local; /* of a node: its first row in the front at work */
  uint32_t *run;   /* pieces of a child's update that stay together in its parent: from, to, rows */
  double *part;    /* solve: rows of a front */
  double work;     /* since the caller was asked whether to go on */
  bool ended;      /* the caller wanted the factorisation to end */
};

scree_status sparse_create(scree_context *context, sparse_factor **out) {
  sparse_factor *f = *out = memory_new(context, 1, sizeof *f);
  if (!f) return SCREE_ERROR_MEMORY;
  f->context = context;
  front_tree_init(&f->tree, context);
  return SCREE_OK;
}

void sparse_destroy(sparse_factor *f) {
  if (!f) return;
  void *const all[] = {f->size, f->upper, f->lower, f->swap, f->stack, f->local, f->run, f->part};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) memory_free(f->context, all[k]);
  front_tree_clear(&f->tree);
  memory_free(f->context, f);
}

double sparse_work(const sparse_factor *f) {
  return f->tree.rows ? f->tree.work / (double)f->tree.rows : 0.0;
}

double sparse_fill(const sparse_factor *f) {
  return (double)f->tree.upper_entries;
}

void sparse_sort_columns(uint32_t *x, size_t n) {
  for (size_t gap = n / 2; gap > 0; gap /= 2)
    for (size_t i = gap; i < n; i++) {
      const uint32_t v = x[i];
      size_t j = i;
      for (; j >= gap && x[j - gap] > v; j -= gap) x[j] = x[j - gap];
      x[j] = v;
    }
}

/* Room whose contents need not be kept: never both the old and the new at once. Small ones get some
 * to spare, for the next pattern. */
static bool make_room(sparse_factor *f, double **array, size_t need) {
  if (*array && memory_room(*array) >= need) return true;
  if (need < 1 << 20) need += need / 2;
  memory_free(f->context, *array);
  *array = memory_new(f->context, need, sizeof **array);
  return *array != NULL;
}

scree_status sparse_analyse_graph(sparse_factor *f, size_t n, const uint32_t *size,
                                  const size_t *start, const uint32_t *neighbour,
                                  const uint32_t *glue, double uses) {
  front_tree *t = &f->tree;
  const scree_status status = front_tree_analyse(t, n, size, start, neighbour, glue, uses);
  if (status) return status;
  if (memory_grow(f->context, &f->local, t->n, sizeof *f->local) ||
      memory_grow(f->context, &f->run, 3 * t->largest, sizeof *f->run) ||
      memory_grow(f->context, &f->part, FRONT_SIDE * t->largest, sizeof *f->part))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

scree_status sparse_analyse(sparse_factor *f, const sparse_blocks *a) {
  if (memory_grow(f->context, &f->size, a->count, sizeof *f->size)) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < a->count; i++) f->size[i] = a->row_start[i + 1] - a->row_start[i];
  return sparse_analyse_graph(f, a->count, f->size, a->start, a->column, NULL, 24.0);
}

/* ---- factorisation -------------------------------------------------------------------------- */

/* Tenths of a second of it are between two questions. */
static const double much_work = 3e8;

static bool is_ended(void *user, double work) {
  sparse_factor *f = user;
  f->work += work;
  if (f->work < much_work || f->ended) return f->ended;
  f->work = 0.0;
  return f->ended = context_stopped_alone(f->context);
}

static front pieces(const sparse_factor *f, const tree_front *t) {
  return (front){.n = t->rows,
                 .k = t->pivots,
                 .u = f->upper + t->upper,
                 .l = f->kind == SPARSE_LU ? f->lower + t->lower : NULL,
                 .negative = f->kind == SPARSE_SIGNED ? f->swap + t->row : NULL};
}

/* Zeros where the front will be summed up, and where its nodes are in it. */
static void begin_front(sparse_factor *f, const tree_front *t, const front *to) {
  const front_tree *tree = &f->tree;
  const size_t b = to->n - to->k;
  memset(to->u, 0, to->k * to->n * sizeof *to->u);
  if (to->l) memset(to->l, 0, b * to->k * sizeof *to->l);
  for (size_t r = 0; r < b; r++) {
    const size_t from = to->l ? 0 : r;
    memset(to->s + r * b + from, 0, (b - from) * sizeof *to->s);
  }
  uint32_t row = 0;
  for (uint32_t p = t->first; p < t->last; p++) {
    f->local[tree->order[p]] = row;
    row += tree->size[tree->order[p]];
  }
  for (uint32_t k = 0; k < t->boundary_count; k++) {
    const uint32_t node = tree->boundary[t->boundary + k];
    f->local[node] = row;
    row += tree->size[node];
  }
}

static void copy_block(double *to, size_t ld, size_t rows, size_t columns, const double *from) {
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < columns; c++) to[r * ld + c] = from[r * columns + c];
}

/* The entries of A in the rows and columns of the front's pivots. */
static void take_entries(sparse_factor *f, const tree_front *t, const front *to,
                         const size_t *offset, const double *value) {
  const front_tree *tree = &f->tree;
  for (uint32_t p = t->first; p < t->last; p++) {
    const uint32_t i = tree->order[p];
    const size_t at = f->local[i], rows = tree->size[i];
    for (size_t k = tree->start[i]; k < tree->start[i + 1]; k++) {
      const uint32_t j = tree->neighbour[k], place = tree->position[j];
      if (place < (to->l ? t->first : p)) continue;
      copy_block(to->u + at * to->n + f->local[j], to->n, rows, tree->size[j], value + offset[k]);
      if (to->l && place >= t->last)
        copy_block(to->l + (f->local[j] - to->k) * to->k + at, to->k, tree->size[j], rows,
                   value + offset[tree->mirror[k]]);
    }
  }
}

/* Pieces of a child's rows that are neighbours in its parent too; returns how many. The pivots of
 * the parent end a piece. */
static size_t find_runs(sparse_factor *f, const tree_front *child, size_t pivots) {
  const front_tree *tree = &f->tree;
  uint32_t *run = f->run, from = 0;
  size_t count = 0;
  for (uint32_t k = 0; k < child->boundary_count; k++) {
    const uint32_t node = tree->boundary[child->boundary + k], to = f->local[node];
    if (count && run[3 * count - 2] + run[3 * count - 1] == to && to != pivots) {
      run[3 * count - 1] += tree->size[node];
    } else {
      run[3 * count] = from;
      run[3 * count + 1] = to;
      run[3 * count + 2] = tree->size[node];
      count++;
    }
    from += tree->size[node];
  }
  return count;
}

static void add_row(double *restrict to, const double *restrict from, size_t count) {
  for (size_t c = 0; c < count; c++) to[c] += from[c];
}

/* Adds a child's update to the front. */
static void add_child(sparse_factor *f, const tree_front *child, const double *update,
                      const front *to) {
  const size_t width = child->rows - child->pivots, k = to->k, b = to->n - k;
  const size_t count = find_runs(f, child, k);
  for (size_t x = 0; x < count; x++) {
    const uint32_t *a = f->run + 3 * x;
    for (size_t r = 0; r < a[2]; r++) {
      const double *from = update + (a[0] + r) * width;
      const size_t row = a[1] + r;
      for (size_t y = to->l ? 0 : x; y < count; y++) {
        const uint32_t *c = f->run + 3 * y;
        const size_t skip = !to->l && y == x ? r : 0;
        double *at;
        if (row < k)
          at = to->u + row * to->n + c[1];
        else if (c[1] < k)
          at = to->l + (row - k) * k + c[1];
        else
          at = to->s + (row - k) * b + (c[1] - k);
        add_row(at + skip, from + c[0] + skip, c[2] - skip);
      }
    }
  }
}

/* The children's updates lie on top of the stack, the last child's last; returns where the first
 * of them begins. */
static size_t add_children(sparse_factor *f, size_t s, const front *to, size_t top) {
  const front_tree *tree = &f->tree;
  size_t c = s;
  for (uint32_t done = 0; done < tree->front[s].children;) {
    const tree_front *child = &tree->front[--c];
    if (child->parent != s) continue;
    const size_t b = child->rows - child->pivots;
    top -= b * b;
    add_child(f, child, f->stack + top, to);
    done++;
  }
  return top;
}

static void move_update(const front *from, double *to) {
  const size_t b = from->n - from->k;
  if (from->s == to) return;
  for (size_t r = 0; r < b; r++) {
    const size_t first = from->l ? 0 : r;
    memmove(to + r * b + first, from->s + r * b + first, (b - first) * sizeof *to);
  }
}

/* False: no memory, the caller wants it to end, or Cholesky met a pivot that is not positive. */
static bool factorise(sparse_factor *f, const size_t *offset, const double *value, double tiny,
                      size_t *replaced) {
  const front_tree *tree = &f->tree;
  *replaced = 0;
  if (!make_room(f, &f->upper, tree->upper_entries) ||
      !make_room(f, &f->stack, tree->stack_entries))
    return false;
  if (f->kind == SPARSE_LU && !make_room(f, &f->lower, tree->lower_entries)) return false;
  if (f->kind != SPARSE_CHOLESKY && memory_grow(f->context, &f->swap, tree->rows, sizeof *f->swap))
    return false;
  size_t top = 0;
  f->work = 0.0;
  f->ended = false;
  for (size_t s = 0; s < tree->front_count; s++) {
    const tree_front *t = &tree->front[s];
    front to = pieces(f, t);
    to.ended = is_ended;
    to.user = f;
    const size_t b = to.n - to.k;
    to.s = f->stack + top;
    begin_front(f, t, &to);
    take_entries(f, t, &to, offset, value);
    top = add_children(f, s, &to, top);
    if (f->kind == SPARSE_LU)
      *replaced += front_lu(&to, tiny, f->swap + t->row);
    else if (!front_cholesky(&to))
      return false;
    move_update(&to, f->stack + top);
    top += b * b;
    if (is_ended(f, (double)(to.n * to.n))) return false;
  }
  return true;
}

bool sparse_factorise(sparse_factor *f, const sparse_blocks *a, sparse_kind kind) {
  size_t replaced = 0;
  f->kind = kind;
  return factorise(f, a->offset, a->value, 0.0, &replaced) && replaced == 0;
}

scree_status sparse_factorise_lu(sparse_factor *f, const size_t *offset, const double *value,
                                 double tiny, size_t *replaced) {
  f->kind = SPARSE_LU;
  if (factorise(f, offset, value, tiny, replaced)) return SCREE_OK;
  return f->ended ? context_fail(f->context, SCREE_ERROR_STOPPED, "sparse: stopped by the caller")
                  : SCREE_ERROR_MEMORY;
}

int sparse_sign(const sparse_factor *f) {
  const front_tree *tree = &f->tree;
  bool negative = false;
  for (size_t s = 0; s < tree->front_count; s++) {
    const front own = pieces(f, &tree->front[s]);
    const uint32_t *swap = f->swap + tree->front[s].row;
    for (size_t p = 0; p < own.k; p++)
      negative ^= f->kind == SPARSE_SIGNED
                      ? swap[p] != 0
                      : (own.u[p * own.n + p] < 0.0) != (f->kind == SPARSE_LU && swap[p] != p);
  }
  return negative ? -1 : 1;
}

/* ---- solution ------------------------------------------------------------------------------- */

static void gather(const front_tree *tree, const tree_front *t, const double *x, double *to) {
  for (uint32_t p = t->first; p < t->last; p++) {
    const uint32_t i = tree->order[p];
    for (uint32_t r = 0; r < tree->size[i]; r++) *to++ = x[tree->first_row[i] + r];
  }
  for (uint32_t k = 0; k < t->boundary_count; k++) {
    const uint32_t i = tree->boundary[t->boundary + k];
    for (uint32_t r = 0; r < tree->size[i]; r++) *to++ = x[tree->first_row[i] + r];
  }
}

static void scatter(const front_tree *tree, const tree_front *t, double *x, const double *from,
                    bool boundary) {
  for (uint32_t p = t->first; p < t->last; p++) {
    const uint32_t i = tree->order[p];
    for (uint32_t r = 0; r < tree->size[i]; r++) x[tree->first_row[i] + r] = *from++;
  }
  for (uint32_t k = 0; boundary && k < t->boundary_count; k++) {
    const uint32_t i = tree->boundary[t->boundary + k];
    for (uint32_t r = 0; r < tree->size[i]; r++) x[tree->first_row[i] + r] = *from++;
  }
}

void sparse_solve(sparse_factor *f, double *x) {
  const front_tree *tree = &f->tree;
  for (size_t s = 0; s < tree->front_count; s++) {
    const tree_front *t = &tree->front[s];
    const front own = pieces(f, t);
    gather(tree, t, x, f->part);
    if (f->kind == SPARSE_LU)
      front_lu_forward(&own, f->swap + t->row, f->part);
    else
      front_cholesky_forward(&own, f->part);
    scatter(tree, t, x, f->part, true);
  }
  for (size_t s = tree->front_count; s-- > 0;) {
    const tree_front *t = &tree->front[s];
    const front own = pieces(f, t);
    gather(tree, t, x, f->part);
    front_backward(&own, f->part);
    scatter(tree, t, x, f->part, false);
  }
}

/* ---- several columns ------------------------------------------------------------------------ */

enum { SIDE = FRONT_SIDE };

static void gather_side(const front_tree *tree, const tree_front *t, size_t count, size_t side,
                        const double *x, double *to) {
  const uint32_t nodes = t->last - t->first + t->boundary_count;
  for (uint32_t k = 0; k < nodes; k++) {
    const bool own = k < t->last - t->first;
    const uint32_t i =
        own ? tree->order[t->first + k] : tree->boundary[t->boundary + k - (t->last - t->first)];
    for (uint32_t r = 0; r < tree->size[i]; r++, to += SIDE) {
      const double *from = x + count * (tree->first_row[i] + r);
      for (size_t j = 0; j < side; j++) to[j] = from[j];
      for (size_t j = side; j < SIDE; j++) to[j] = 0.0;
    }
  }
}

static void scatter_side(const front_tree *tree, const tree_front *t, size_t count, size_t side,
                         const double *from, bool boundary, double *x) {
  const uint32_t own = t->last - t->first, nodes = own + (boundary ? t->boundary_count : 0);
  for (uint32_t k = 0; k < nodes; k++) {
    const uint32_t i = k < own ? tree->order[t->first + k] : tree->boundary[t->boundary + k - own];
    for (uint32_t r = 0; r < tree->size[i]; r++, from += SIDE) {
      double *to = x + count * (tree->first_row[i] + r);
      for (size_t j = 0; j < side; j++) to[j] = from[j];
    }
  }
}

static bool is_zero(const double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (x[i] != 0.0) return false;
  return true;
}

static void solve_side(sparse_factor *f, size_t count, size_t side, double *x) {
  const front_tree *tree = &f->tree;
  for (size_t s = 0; s < tree->front_count; s++) {
    const tree_front *t = &tree->front[s];
    const front own = pieces(f, t);
    gather_side(tree, t, count, side, x, f->part);
    if (is_zero(f->part, SIDE * own.k)) continue;
    front_cholesky_forward_side(&own, f->part);
    scatter_side(tree, t, count, side, f->part, true, x);
  }
  for (size_t s = tree->front_count; s-- > 0;) {
    const tree_front *t = &tree->front[s];
    const front own = pieces(f, t);
    gather_side(tree, t, count, side, x, f->part);
    front_backward_side(&own, f->part);
    scatter_side(tree, t, count, side, f->part, false, x);
  }
}

void sparse_solve_many(sparse_factor *f, size_t count, double *x) {
  for (size_t j = 0; j < count; j += FRONT_SIDE)
    solve_side(f, count, count - j < FRONT_SIDE ? count - j : FRONT_SIDE, x + j);
}

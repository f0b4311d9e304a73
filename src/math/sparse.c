/* Multifrontal factorisation: see sparse.h.
 *
 * A front is a dense matrix over its pivots and its rest. It gathers the entries of A that belong
 * to its pivots and the updates of its children, eliminates its pivots, keeps that panel as factor
 * and leaves the update of the rest on a stack for its parent. */
#include "math/sparse.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/dense.h"
#include "math/sparse_symbolic.h"

struct sparse_factor {
  scree_context *context;
  sparse_tree tree;
  sparse_kind kind;
  double *lower;    /* panels: (pivots + rest) x pivots */
  double *upper;    /* LU only: pivots x rest */
  int *exchange;    /* LU only */
  double *front;    /* the front at work */
  double *stack;    /* updates that wait for their parent */
  size_t *local;    /* of each node: its first row in the front at work */
  double *x, *part; /* solve: permuted vector, rest of a front */
};

void sparse_destroy(sparse_factor *f) {
  if (!f) return;
  sparse_tree_clear(f->context, &f->tree);
  memory_free(f->context, f->lower);
  memory_free(f->context, f->upper);
  memory_free(f->context, f->exchange);
  memory_free(f->context, f->front);
  memory_free(f->context, f->stack);
  memory_free(f->context, f->local);
  memory_free(f->context, f->x);
  memory_free(f->context, f->part);
  memory_free(f->context, f);
}

scree_status sparse_analyse(scree_context *context, const sparse_blocks *pattern,
                            sparse_factor **out) {
  *out = NULL;
  sparse_factor *f = memory_new(context, 1, sizeof *f);
  if (!f) return SCREE_ERROR_MEMORY;
  f->context = context;
  scree_status status = sparse_tree_build(context, pattern, &f->tree);
  if (!status) {
    const sparse_tree *t = &f->tree;
    f->lower = memory_new(context, t->lower_total, sizeof *f->lower);
    f->front = memory_new(context, t->front_most * t->front_most, sizeof *f->front);
    f->stack = memory_new(context, t->stack_most, sizeof *f->stack);
    f->local = memory_new(context, t->count, sizeof *f->local);
    f->x = memory_new(context, t->rows, sizeof *f->x);
    f->part = memory_new(context, t->front_most, sizeof *f->part);
    if (!f->lower || !f->front || !f->stack || !f->local || !f->x || !f->part)
      status = SCREE_ERROR_MEMORY;
  }
  if (status) {
    sparse_destroy(f);
    return status;
  }
  *out = f;
  return SCREE_OK;
}

bool sparse_same_pattern(const sparse_factor *f, const sparse_blocks *a) {
  return sparse_tree_matches(&f->tree, a);
}

double sparse_fill(const sparse_factor *f) {
  return (double)f->tree.lower_total;
}

double sparse_work(const sparse_factor *f) {
  return f->tree.work;
}

/* ---- factorisation -------------------------------------------------------------------------- */

static void place_nodes(sparse_factor *f, const sparse_front *front) {
  const sparse_tree *t = &f->tree;
  size_t at = 0;
  for (size_t k = front->node_begin; k < front->node_end; k++) {
    f->local[t->node[k]] = at;
    at += t->dim[t->node[k]];
  }
  for (size_t k = front->rest_begin; k < front->rest_end; k++) {
    f->local[t->rest[k]] = at;
    at += t->dim[t->rest[k]];
  }
}

/* target (by columns) += block (by rows), or its transpose. */
static void add_block(double *target, size_t ld, size_t rows, size_t columns, const double *block) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++) target[i + j * ld] += block[i * columns + j];
}

static void add_block_transposed(double *target, size_t ld, size_t rows, size_t columns,
                                 const double *block) {
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < rows; i++) target[i + j * ld] += block[j * rows + i];
}

static void gather_entries(sparse_factor *f, const sparse_front *front, const sparse_blocks *a,
                           const double *add, size_t ld) {
  const sparse_tree *t = &f->tree;
  for (size_t n = front->node_begin; n < front->node_end; n++) {
    const size_t i = t->node[n], at = f->local[i], dim = t->dim[i];
    for (size_t k = a->start[i]; k < a->start[i + 1]; k++) {
      const size_t j = a->column[k], other = f->local[j];
      if (t->position[j] < t->position[i]) continue;
      const double *block = a->value + a->offset[k];
      if (j == i) {
        add_block(f->front + at + at * ld, ld, dim, dim, block);
      } else if (f->kind == SPARSE_CHOLESKY) {
        add_block_transposed(f->front + other + at * ld, ld, t->dim[j], dim, block);
      } else {
        add_block(f->front + at + other * ld, ld, dim, t->dim[j], block);
        add_block(f->front + other + at * ld, ld, t->dim[j], dim,
                  a->value + a->offset[t->mirror[k]]);
      }
    }
    if (add) add_block(f->front + at + at * ld, ld, dim, dim, add + t->square_start[i]);
  }
}

/* Adds a child's update, whose rows are the child's rest, to the front at work. */
static void gather_update(sparse_factor *f, const sparse_front *child, const double *update,
                          size_t ld) {
  const sparse_tree *t = &f->tree;
  const size_t n = child->rest;
  size_t column = 0;
  for (size_t k = child->rest_begin; k < child->rest_end; k++) {
    const size_t j = t->rest[k], width = t->dim[j];
    for (size_t c = 0; c < width; c++, column++) {
      double *target = f->front + (f->local[j] + c) * ld;
      const double *source = update + column * n;
      size_t row = 0;
      for (size_t l = child->rest_begin; l < child->rest_end; l++) {
        const size_t i = t->rest[l], height = t->dim[i];
        if (f->kind == SPARSE_LU || l >= k) {
          double *to = target + f->local[i];
          for (size_t r = 0; r < height; r++) to[r] += source[row + r];
        }
        row += height;
      }
    }
  }
}

static bool eliminate(sparse_factor *f, const sparse_front *front, size_t ld, double *update) {
  const size_t p = front->pivots, r = front->rest;
  double *a = f->front, *lower = f->lower + front->lower;
  if (f->kind == SPARSE_CHOLESKY) {
    if (dense_cholesky(p, a, ld) < p) return false;
    dense_right_lower_transposed(r, p, a, ld, a + p, ld);
    dense_subtract_square(r, p, a + p, ld, a + p + p * ld, ld);
  } else {
    if (dense_lu(p, a, ld, 0.0, f->exchange + front->row) < p) return false;
    dense_left_lower_pivoted(p, r, a, ld, f->exchange + front->row, a + p * ld, ld);
    dense_right_upper(r, p, a, ld, a + p, ld);
    dense_subtract(r, r, p, a + p, ld, a + p * ld, ld, a + p + p * ld, ld);
    for (size_t j = 0; j < r; j++)
      memcpy(f->upper + front->upper + j * p, a + (p + j) * ld, p * sizeof *a);
  }
  for (size_t j = 0; j < p; j++) memcpy(lower + j * ld, a + j * ld, ld * sizeof *a);
  for (size_t j = 0; j < r; j++) memcpy(update + j * r, a + p + (p + j) * ld, r * sizeof *a);
  return true;
}

bool sparse_factorise(sparse_factor *f, const sparse_blocks *a, const double *add,
                      sparse_kind kind) {
  const sparse_tree *t = &f->tree;
  f->kind = kind;
  if (kind == SPARSE_LU && !f->upper) {
    f->upper = memory_new(f->context, t->upper_total, sizeof *f->upper);
    f->exchange = memory_new(f->context, t->rows, sizeof *f->exchange);
    if (!f->upper || !f->exchange) return false;
  }
  size_t top = 0;
  for (size_t k = 0; k < t->front_count; k++) {
    const sparse_front *front = &t->front[k];
    const size_t ld = front->pivots + front->rest;
    memset(f->front, 0, ld * ld * sizeof *f->front);
    place_nodes(f, front);
    gather_entries(f, front, a, add, ld);
    /* Children are the last on the stack, in order. */
    size_t below = top;
    for (size_t c = 0; c < front->child_count; c++) {
      const sparse_front *child = &t->front[t->child[front->child_begin + c]];
      below -= child->rest * child->rest;
    }
    size_t at = below;
    for (size_t c = 0; c < front->child_count; c++) {
      const sparse_front *child = &t->front[t->child[front->child_begin + c]];
      gather_update(f, child, f->stack + at, ld);
      at += child->rest * child->rest;
    }
    top = below;
    if (!eliminate(f, front, ld, f->stack + top)) return false;
    top += front->rest * front->rest;
  }
  return true;
}

/* ---- solution ------------------------------------------------------------------------------- */

static void load_rest(sparse_factor *f, const sparse_front *front) {
  const sparse_tree *t = &f->tree;
  size_t at = 0;
  for (size_t k = front->rest_begin; k < front->rest_end; k++) {
    const size_t i = t->rest[k];
    for (size_t c = 0; c < t->dim[i]; c++) f->part[at++] = f->x[t->row[i] + c];
  }
}

static void store_rest(sparse_factor *f, const sparse_front *front) {
  const sparse_tree *t = &f->tree;
  size_t at = 0;
  for (size_t k = front->rest_begin; k < front->rest_end; k++) {
    const size_t i = t->rest[k];
    for (size_t c = 0; c < t->dim[i]; c++) f->x[t->row[i] + c] = f->part[at++];
  }
}

static void solve_forward(sparse_factor *f, const sparse_front *front) {
  const size_t p = front->pivots, r = front->rest, ld = p + r;
  const double *lower = f->lower + front->lower;
  double *x = f->x + front->row;
  if (f->kind == SPARSE_LU) {
    for (size_t k = 0; k < p; k++) {
      const size_t other = (size_t)f->exchange[front->row + k];
      const double swap = x[k];
      x[k] = x[other];
      x[other] = swap;
    }
  }
  load_rest(f, front);
  for (size_t j = 0; j < p; j++) {
    const double *column = lower + j * ld;
    if (f->kind == SPARSE_CHOLESKY) x[j] /= column[j];
    const double xj = x[j];
    for (size_t i = j + 1; i < p; i++) x[i] -= column[i] * xj;
    for (size_t i = 0; i < r; i++) f->part[i] -= column[p + i] * xj;
  }
  store_rest(f, front);
}

static void solve_backward(sparse_factor *f, const sparse_front *front) {
  const size_t p = front->pivots, r = front->rest, ld = p + r;
  const double *lower = f->lower + front->lower;
  double *x = f->x + front->row;
  load_rest(f, front);
  if (f->kind == SPARSE_CHOLESKY) {
    for (size_t j = p; j-- > 0;) {
      const double *column = lower + j * ld;
      double sum = 0.0;
      for (size_t i = j + 1; i < p; i++) sum += column[i] * x[i];
      for (size_t i = 0; i < r; i++) sum += column[p + i] * f->part[i];
      x[j] = (x[j] - sum) / column[j];
    }
    return;
  }
  const double *upper = f->upper + front->upper;
  for (size_t j = 0; j < r; j++)
    for (size_t i = 0; i < p; i++) x[i] -= upper[i + j * p] * f->part[j];
  for (size_t j = p; j-- > 0;) {
    const double *column = lower + j * ld;
    x[j] /= column[j];
    for (size_t i = 0; i < j; i++) x[i] -= column[i] * x[j];
  }
}

void sparse_solve(sparse_factor *f, double *b) {
  const sparse_tree *t = &f->tree;
  for (size_t i = 0; i < t->count; i++)
    memcpy(f->x + t->row[i], b + t->row_start[i], t->dim[i] * sizeof *b);
  for (size_t k = 0; k < t->front_count; k++) solve_forward(f, &t->front[k]);
  for (size_t k = t->front_count; k-- > 0;) solve_backward(f, &t->front[k]);
  for (size_t i = 0; i < t->count; i++)
    memcpy(b + t->row_start[i], f->x + t->row[i], t->dim[i] * sizeof *b);
}

/* See block_lu.h: sparse.h's LU, with pivots below a tiny fraction replaced. */
#include "math/block_lu.h"

#include "base/memory.h"
#include "math/sparse.h"

static const double tiny = 1e-14;

struct block_lu {
  scree_context *context;
  sparse_factor *factor;
};

scree_status block_lu_create(scree_context *context, block_lu **out) {
  block_lu *lu = *out = memory_new(context, 1, sizeof *lu);
  if (!lu) return SCREE_ERROR_MEMORY;
  lu->context = context;
  const scree_status status = sparse_create(context, &lu->factor);
  if (!status) return SCREE_OK;
  memory_free(context, lu);
  *out = NULL;
  return status;
}

void block_lu_destroy(block_lu *lu) {
  if (!lu) return;
  sparse_destroy(lu->factor);
  memory_free(lu->context, lu);
}

size_t block_lu_entries(const block_lu *lu) {
  return (size_t)sparse_fill(lu->factor);
}

scree_status block_lu_analyse(block_lu *lu, size_t n, const uint32_t *size, const size_t *start,
                              const uint32_t *neighbour) {
  return sparse_analyse_graph(lu->factor, n, size, start, neighbour, NULL, 1.0);
}

scree_status block_lu_factor(block_lu *lu, const size_t *offset, const double *value,
                             size_t *replaced) {
  return sparse_factorise_lu(lu->factor, offset, value, tiny, replaced);
}

void block_lu_solve(const block_lu *lu, double *x) {
  sparse_solve(lu->factor, x);
}

int block_lu_sign(const block_lu *lu) {
  return sparse_sign(lu->factor);
}

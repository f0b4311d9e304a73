/* See operator_glide.h: blocks whose impulses are in rows, of any form. */
#include "ccp/operator_glide.h"

#include <string.h>

#include "base/memory.h"

enum { CHUNK = 256, GROUP = 64, PARALLEL_CHUNKS = 16 };

typedef struct op_glide {
  double *before, *from; /* rows; `from` is y */
  double *shift;         /* s_i at the first row of each block */
} op_glide;

scree_status op_glide_begin(ccp_operator *op, const double *g) {
  const size_t rows = op->head_count < op->block_count ? op->row_count : 0;
  if (!op->glide) op->glide = memory_new(op->context, 1, sizeof *op->glide);
  op_glide *glide = op->glide;
  if (!glide || memory_grow(op->context, &glide->before, rows, sizeof(double)) ||
      memory_grow(op->context, &glide->from, rows, sizeof(double)) ||
      memory_grow(op->context, &glide->shift, rows, sizeof(double)))
    return SCREE_ERROR_MEMORY;
  if (rows) memset(glide->shift, 0, rows * sizeof(double));
  if (rows) op_copy(op, g, glide->before);
  return op->class->glide ? op->class->glide->begin(op) : SCREE_OK;
}

/* The rows of the blocks order[begin] … order[end - 1]: g becomes y. */
static void extrapolate_chunk(const ccp_operator *op, size_t begin, size_t end, double beta,
                              double *g) {
  const op_glide *glide = op->glide;
  for (size_t j = begin; j < end; j++) {
    const size_t i = op->order[j];
    for (size_t k = op->row_start[i]; k < op->row_start[i + 1]; k++) {
      const double current = g[k];
      g[k] = glide->from[k] = current + beta * (current - glide->before[k]);
      glide->before[k] = current;
    }
  }
}

static void sum_chunk(const ccp_operator *op, size_t begin, size_t end, const double *g,
                      op_glide_sums *sums) {
  const op_glide *glide = op->glide;
  for (size_t j = begin; j < end; j++) {
    const size_t i = op->order[j], row = op->row_start[i], rows = op->row_start[i + 1] - row;
    const size_t forces = (size_t)op_force_rows(op, i);
    for (size_t k = 0; k < rows; k++) {
      const double eta = k < forces ? op->eta_force[i] : op->eta_moment[i];
      const double back = glide->from[row + k] - g[row + k];
      if (!(eta > 0.0)) continue;
      sums->uphill += back * (g[row + k] - glide->before[row + k]) / eta;
      sums->distance2 += back * back / eta;
    }
  }
}

/* Either of these over all blocks behind head_count, chunk by chunk; groups of chunks are added in
 * order. Without sums g is extrapolated. */
static void pass(ccp_operator *op, double beta, double *g, op_glide_sums *sums) {
  op_glide_sums part[GROUP];
  for (size_t begin = op->head_count; begin < op->block_count; begin += (size_t)CHUNK * GROUP) {
    const size_t left = op->block_count - begin,
                 count = left < (size_t)CHUNK * GROUP ? left : (size_t)CHUNK * GROUP,
                 chunks = (count + CHUNK - 1) / CHUNK;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(context_team(op->context, chunks > PARALLEL_CHUNKS))
    for (size_t c = 0; c < chunks; c++) {
      const size_t first = begin + c * CHUNK,
                   last = (c + 1) * CHUNK < count ? first + CHUNK : begin + count;
      part[c] = (op_glide_sums){0.0, 0.0, 0.0};
      if (sums)
        sum_chunk(op, first, last, g, &part[c]);
      else
        extrapolate_chunk(op, first, last, beta, g);
    }
    for (size_t c = 0; sums && c < chunks; c++) {
      sums->uphill += part[c].uphill;
      sums->distance2 += part[c].distance2;
    }
  }
}

op_glide_sums op_glide_sweep(ccp_operator *op, const op_glide_params *params, double *g) {
  const op_sweep_params sweep = {.metric = OP_METRIC_EXACT,
                                 .model = params->model,
                                 .omega = 1.0,
                                 .lambda = 1.0,
                                 .shift = params->follow > 0.0 ? op->glide->shift : NULL,
                                 .follow = params->follow};
  op_glide_sums sums = {0.0, 0.0, 0.0};
  pass(op, params->beta, g, NULL);
  if (op->class->glide)
    sums = op->class->glide->sweep(op, params, &sweep, g);
  else {
    if (params->beta != 0.0) op_sweep_begin(op, g);
    sums.change = op_sweep_inside(op, &sweep, g);
  }
  pass(op, 0.0, g, &sums);
  if (op->ranks) {
    double total[2] = {sums.uphill, sums.distance2};
    op_reduce(op, total, 2, &sums.change, 1);
    sums.uphill = total[0];
    sums.distance2 = total[1];
  }
  return sums;
}

void op_glide_free(ccp_operator *op) {
  if (!op->glide) return;
  memory_free(op->context, op->glide->before);
  memory_free(op->context, op->glide->from);
  memory_free(op->context, op->glide->shift);
  memory_free(op->context, op->glide);
}

/* See operator_fused.h. Chunks of blocks are summed each by one thread; groups of chunks are then
 * added in order, so that no scratch memory is needed. */
#include "ccp/operator_fused.h"

#include "ccp/operator_metric.h"

enum { CHUNK = 512, GROUP = 64, PARALLEL_CHUNKS = 8 };

static op_step_sums step_block(const ccp_operator *op, size_t i, const double *y, double step,
                               const double *ny, const double *g, double *next) {
  const size_t row = op->row_start[i];
  const int dim = ccp_dim(op->problem, i);
  const double *root = op->root + row;
  double u[SCREE_MAX_DIM], *x = next + row;
  for (int k = 0; k < dim; k++) u[k] = ny[row + (size_t)k] + op->r[row + (size_t)k];
  y += row;
  g += row;
  op_metric_step_block(op, i, step, y, u, x);
  op_step_sums sums = {0.0, 0.0};
  for (int k = 0; k < dim; k++) {
    const double w = root[k] > 0.0 ? 1.0 / (root[k] * root[k]) : 0.0;
    sums.distance2 += (x[k] - y[k]) * (x[k] - y[k]) * w;
    sums.uphill += (y[k] - x[k]) * (x[k] - g[k]) * w;
  }
  return sums;
}

op_step_sums op_step(ccp_operator *op, const double *y, double step, const double *ny,
                     const double *g, double *next) {
  op_step_sums total = {0.0, 0.0}, part[GROUP];
  const size_t n = op->block_count;
  for (size_t begin = 0; begin < n; begin += (size_t)CHUNK * GROUP) {
    const size_t stop = begin + (size_t)CHUNK * GROUP < n ? begin + (size_t)CHUNK * GROUP : n;
    const size_t chunks = (stop - begin + CHUNK - 1) / CHUNK;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(context_team(op->context, chunks > PARALLEL_CHUNKS))
    for (size_t c = 0; c < chunks; c++) {
      const size_t first = begin + c * CHUNK, last = first + CHUNK < stop ? first + CHUNK : stop;
      op_step_sums sum = {0.0, 0.0};
      for (size_t i = first; i < last; i++) {
        const op_step_sums one = step_block(op, i, y, step, ny, g, next);
        sum.distance2 += one.distance2;
        sum.uphill += one.uphill;
      }
      part[c] = sum;
    }
    for (size_t c = 0; c < chunks; c++) {
      total.distance2 += part[c].distance2;
      total.uphill += part[c].uphill;
    }
  }
  return total;
}

op_step_quality op_judge_step(ccp_operator *op, const double *next, const double *n_next,
                              const double *y, const double *ny) {
  enum { ROWS = 4 * CHUNK };
  const double *r = op->r;
  op_step_quality total = {0.0, 0.0}, part[GROUP];
  const size_t n = op->row_count;
  for (size_t begin = 0; begin < n; begin += (size_t)ROWS * GROUP) {
    const size_t stop = begin + (size_t)ROWS * GROUP < n ? begin + (size_t)ROWS * GROUP : n;
    const size_t chunks = (stop - begin + ROWS - 1) / ROWS;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(context_team(op->context, chunks > PARALLEL_CHUNKS))
    for (size_t c = 0; c < chunks; c++) {
      const size_t first = begin + c * ROWS, last = first + ROWS < stop ? first + ROWS : stop;
      double curvature[4] = {0.0}, objective[4] = {0.0};
      size_t i = first;
      for (; i + 4 <= last; i += 4)
        for (size_t k = 0; k < 4; k++) {
          curvature[k] += (next[i + k] - y[i + k]) * (n_next[i + k] - ny[i + k]);
          objective[k] += next[i + k] * (0.5 * n_next[i + k] + r[i + k]);
        }
      for (; i < last; i++) {
        curvature[0] += (next[i] - y[i]) * (n_next[i] - ny[i]);
        objective[0] += next[i] * (0.5 * n_next[i] + r[i]);
      }
      part[c].curvature = (curvature[0] + curvature[1]) + (curvature[2] + curvature[3]);
      part[c].objective = (objective[0] + objective[1]) + (objective[2] + objective[3]);
    }
    for (size_t c = 0; c < chunks; c++) {
      total.curvature += part[c].curvature;
      total.objective += part[c].objective;
    }
  }
  return total;
}

void op_extrapolate(ccp_operator *op, double beta, const double *next, const double *n_next,
                    const double *g, const double *ng, double *y, double *ny) {
  const size_t n = op->row_count;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(context_team(op->context, n > 4 * CHUNK * PARALLEL_CHUNKS))
  for (size_t i = 0; i < n; i++) {
    y[i] = next[i] + beta * (next[i] - g[i]);
    ny[i] = n_next[i] + beta * (n_next[i] - ng[i]);
  }
}

/* One block of x'y, weighted by eta or by its inverse. */
static double weighted_dot(const ccp_operator *op, size_t i, bool inverse, const double *x,
                           const double *y) {
  const size_t row = op->row_start[i];
  const int dim = ccp_dim(op->problem, i), forces = op_force_rows(op, i);
  double part[2] = {0.0, 0.0};
  for (int k = 0; k < dim; k++) part[k >= forces] += x[row + (size_t)k] * y[row + (size_t)k];
  const double eta[2] = {op->eta_force[i], op->eta_moment ? op->eta_moment[i] : 0.0};
  double sum = 0.0;
  for (int k = 0; k < 2; k++)
    if (eta[k] > 0.0) sum += inverse ? part[k] / eta[k] : part[k] * eta[k];
  return sum;
}

static double dot_weighted(ccp_operator *op, bool inverse, const double *x, const double *y) {
  double total = 0.0;
  for (size_t begin = 0; begin < op->block_count; begin += CHUNK) {
    const size_t end = begin + CHUNK < op->block_count ? begin + CHUNK : op->block_count;
    double sum = 0.0;
    for (size_t i = begin; i < end; i++) sum += weighted_dot(op, i, inverse, x, y);
    total += sum;
  }
  op_reduce(op, &total, 1, NULL, 0);
  return total;
}

double op_dot_over_eta(ccp_operator *op, const double *x, const double *y) {
  return dot_weighted(op, true, x, y);
}

double op_dot_by_eta(ccp_operator *op, const double *x, const double *y) {
  return dot_weighted(op, false, x, y);
}

/* See operator_fused.h. Chunks of blocks are summed each by one thread; groups of chunks are then
 * added in order, so that no scratch memory is needed. */
#include "ccp/operator_fused.h"

#include <string.h>

#include "ccp/set.h"
#include "ccp/set_coulomb.h"

enum { CHUNK = 512, GROUP = 64, PARALLEL_CHUNKS = 8 };

static bool is_plain_cone(const scree_set *set) {
  return set->kind == SCREE_SET_COULOMB && set->dim == 3 && !set_is_modified(set);
}

static op_step_sums step_cone(const ccp_operator *op, size_t i, const double *y, double step,
                              const double *ny, const double *g, double *next) {
  const size_t row = op->row_start[i];
  const double *r = op->r + row, eta = op->eta_force[i], s = step * eta;
  double x[3], distance = 0.0, uphill = 0.0;
  y += row;
  ny += row;
  g += row;
  for (int k = 0; k < 3; k++) x[k] = y[k] - s * (ny[k] + r[k]);
  coulomb3_project(ccp_set(op->problem, i)->mu, x);
  for (int k = 0; k < 3; k++) {
    distance += (x[k] - y[k]) * (x[k] - y[k]);
    uphill += (y[k] - x[k]) * (x[k] - g[k]);
    next[row + (size_t)k] = x[k];
  }
  const double w = eta > 0.0 ? 1.0 / eta : 0.0;
  return (op_step_sums){distance * w, uphill * w};
}

static op_step_sums step_block(const ccp_operator *op, size_t i, const double *y, double step,
                               const double *ny, const double *g, double *next) {
  const scree_set *set = ccp_set(op->problem, i);
  if (is_plain_cone(set)) return step_cone(op, i, y, step, ny, g, next);
  const size_t row = op->row_start[i];
  const int dim = ccp_dim(op->problem, i), forces = op_force_rows(op, i);
  const double eta = op->eta_force[i], eta_m = op->eta_moment ? op->eta_moment[i] : 0.0;
  double x[SCREE_MAX_DIM];
  for (int k = 0; k < dim; k++) {
    const size_t at = row + (size_t)k;
    x[k] = y[at] - step * (k < forces ? eta : eta_m) * (ny[at] + op->r[at]);
  }
  scree_set_project(set, dim > forces && eta_m > 0.0 ? eta / eta_m : 1.0, x);
  op_step_sums sums = {0.0, 0.0};
  for (int k = 0; k < dim; k++) {
    const size_t at = row + (size_t)k;
    const double e = k < forces ? eta : eta_m;
    if (e > 0.0) {
      sums.distance2 += (x[k] - y[at]) * (x[k] - y[at]) / e;
      sums.uphill += (y[at] - x[k]) * (x[k] - g[at]) / e;
    }
    next[at] = x[k];
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
    num_threads(op->context->threads) if (chunks > PARALLEL_CHUNKS)
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
    num_threads(op->context->threads) if (chunks > PARALLEL_CHUNKS)
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
    num_threads(op->context->threads) if (n > 4 * CHUNK * PARALLEL_CHUNKS)
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
  return total;
}

double op_dot_over_eta(ccp_operator *op, const double *x, const double *y) {
  return dot_weighted(op, true, x, y);
}

double op_dot_by_eta(ccp_operator *op, const double *x, const double *y) {
  return dot_weighted(op, false, x, y);
}

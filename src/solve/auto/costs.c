/* See auto/costs.h. */
#include "solve/auto/costs.h"

#include <math.h>
#include <string.h>

#include "ccp/forms/local.h"
#include "ccp/sets/set.h"
#include "solve/auto/constants.h"

double auto_moment_part(const ccp_operator *op, size_t first) {
  size_t count = 0;
  if (!op->eta_moment) return 0.0;
  for (size_t j = first; j < op->block_count; j++) {
    const size_t i = op->order[j];
    count += op->row_start[i + 1] - op->row_start[i] > 3;
  }
  return op->block_count ? (double)count / (double)op->block_count : 0.0;
}

auto_costs auto_estimate(const ccp_operator *op) {
  const double n = (double)op->block_count;
  const double lanes = n > 0.0 ? (double)op->head_count / n : 0.0;
  double coupled = auto_coupled_bodies,
         entry = lanes * auto_sweep_entry_lanes + (1.0 - lanes) * auto_sweep_entry_bodies,
         block = lanes * auto_sweep_block_lanes + (1.0 - lanes) * auto_sweep_block_bodies;
  if (op->problem->form != SCREE_FORM_BODIES) {
    const ccp_block_rows *local = op_local_rows(op);
    coupled = n > 0.0 ? (double)local->start[op->block_count] / n : 1.0;
    entry = auto_sweep_entry_matrix;
    block = auto_sweep_block_matrix;
  }
  const double sparse = auto_newton_sparse * n * sqrt(n),
               dense = auto_newton_dense * n * coupled * coupled;
  const double moments = auto_moment_part(op, 0), single = auto_moment_part(op, op->head_count);
  const double more =
      auto_sweep_moment_single * single + auto_sweep_moment_lanes * (moments - single);
  return (auto_costs){.sweep = auto_sweep_call + n * (block + entry * coupled + more),
                      .newton = auto_newton_call +
                                (1.0 + auto_newton_moments * moments) * set_larger(sparse, dense)};
}

/* log2 to 0.01, of a positive number: the exponent, and a parabola for the rest. The library's is
 * a call into pages that nothing else touches: the first costs as much as a small problem. */
static double log2_near(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const double rest = (double)(bits & 0xfffffffffffff) * 0x1p-52;
  return (double)((int)(bits >> 52) - 1023) + rest * (4.0 - rest) / 3.0;
}

double auto_log10(double x) {
  return 0.30103 * log2_near(x);
}

double auto_sweeps_left(double merit, double before, double sweeps) {
  const double gain = log2_near(before / merit) / sweeps;
  return gain > 0.0 ? log2_near(merit) / gain : INFINITY;
}

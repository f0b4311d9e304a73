/* See auto/costs.h. */
#include "solve/auto/costs.h"

#include <math.h>
#include <string.h>

#include "ccp/forms/local.h"
#include "ccp/sets/set.h"

double auto_moment_part(const ccp_operator *op, size_t first) {
  size_t count = 0;
  if (!op->eta_moment) return 0.0;
  for (size_t j = first; j < op->block_count; j++) {
    const size_t i = op->order[j];
    count += op->row_start[i + 1] - op->row_start[i] > 3;
  }
  return op->block_count ? (double)count / (double)op->block_count : 0.0;
}

auto_costs auto_foresee(const ccp_operator *op) {
  const double n = (double)op->block_count;
  double coupled = 15.0, entry = 1.0e-9, block = 20e-9;
  if (op->problem->form != SCREE_FORM_BODIES) {
    const ccp_block_rows *local = op_local_rows(op);
    coupled = n > 0.0 ? (double)local->start[op->block_count] / n : 1.0;
    entry = 5e-9;
    block = 80e-9;
  }
  const double sparse = 4.8e-8 * n * sqrt(n), dense = 10e-9 * n * coupled * coupled;
  /* Blocks with moments have twice the rows; those that are not packed are solved by Newton's
   * method each. */
  const double moments = auto_moment_part(op, 0), single = auto_moment_part(op, op->head_count);
  const double more = 2e-6 * single + 30e-9 * (moments - single);
  return (auto_costs){.sweep = 0.3e-6 + n * (block + entry * coupled + more),
                      .newton = 3e-6 + (1.0 + 3.0 * moments) * set_larger(sparse, dense)};
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

bool auto_is_stacked(const scree_ccp *p) {
  const ccp_contact *c = p->bodies.contact;
  size_t shared = 0;
  for (size_t k = 1; k < p->bodies.contact_count; k++)
    shared += c[k].body_a == c[k - 1].body_a && c[k].body_b == c[k - 1].body_b;
  return 4 * shared > p->bodies.contact_count;
}

bool auto_has_joints(const scree_ccp *p) {
  return p->bodies.contact_count < p->block_count;
}

bool auto_has_grains_alone(const scree_ccp *p) {
  return p->bodies.contact_count == p->block_count && !auto_is_stacked(p);
}

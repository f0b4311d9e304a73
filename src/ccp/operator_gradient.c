/* See operator_gradient.h: for forms without steps of their own, one product per step. N y follows
 * from N current and N previous by linearity; N next is computed afresh, so rounding does not
 * gather. */
#include "ccp/operator_gradient.h"

#include "base/memory.h"
#include "ccp/operator_fused.h"
#include "ccp/operator_metric.h"

typedef struct op_gradient {
  double *y, *ny;
  double *current, *n_current;
  double *other, *n_other; /* previous until y is made of it, then next */
  bool y_is_made;
} op_gradient;

static scree_status reserve(ccp_operator *op) {
  if (!op->gradient) op->gradient = memory_new(op->context, 1, sizeof *op->gradient);
  op_gradient *m = op->gradient;
  if (!m) return SCREE_ERROR_MEMORY;
  double **const vector[6] = {&m->y, &m->ny, &m->current, &m->n_current, &m->other, &m->n_other};
  /* Vectors change places: all have one size. */
  for (size_t k = 0; k < 6; k++)
    if (memory_grow(op->context, vector[k], op->row_count, sizeof(double)))
      return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

static scree_status begin(ccp_operator *op, const double *g) {
  scree_status status = reserve(op);
  if (!status) status = op_metric_prepare(op, NULL, 0);
  if (status) return status;
  op_gradient *m = op->gradient;
  op_copy(op, g, m->current);
  op_apply(op, g, m->n_current);
  op_copy(op, g, m->other);
  op_copy(op, m->n_current, m->n_other);
  m->y_is_made = false;
  return SCREE_OK;
}

static op_gradient_sums step(ccp_operator *op, double beta, double length) {
  op_gradient *m = op->gradient;
  if (!m->y_is_made)
    op_extrapolate(op, beta, m->current, m->n_current, m->other, m->n_other, m->y, m->ny);
  m->y_is_made = true;
  const op_step_sums sums = op_step(op, m->y, length, m->ny, m->current, m->other);
  op_apply(op, m->other, m->n_other);
  const op_step_quality quality = op_judge_step(op, m->other, m->n_other, m->y, m->ny);
  return (op_gradient_sums){.distance2 = sums.distance2,
                            .uphill = sums.uphill,
                            .curvature = quality.curvature,
                            .objective = quality.objective};
}

static void accept(ccp_operator *op) {
  op_gradient *m = op->gradient;
  double *const g = m->current, *const ng = m->n_current;
  m->current = m->other;
  m->n_current = m->n_other;
  m->other = g;
  m->n_other = ng;
  m->y_is_made = false;
}

static void get(ccp_operator *op, double *g, double *u) {
  const op_gradient *m = op->gradient;
  if (g) op_copy(op, m->current, g);
  if (u) op_combine(op, 1.0, m->n_current, 1.0, op->r, u);
}

static const op_gradient_class by_products = {
    .begin = begin, .step = step, .accept = accept, .get = get};

static const op_gradient_class *class_of(const ccp_operator *op) {
  return op->class->gradient ? op->class->gradient : &by_products;
}

scree_status op_gradient_begin(ccp_operator *op, const double *g) {
  return class_of(op)->begin(op, g);
}

op_gradient_sums op_gradient_step(ccp_operator *op, double beta, double length) {
  return class_of(op)->step(op, beta, length);
}

void op_gradient_accept(ccp_operator *op) {
  class_of(op)->accept(op);
}

void op_gradient_get(ccp_operator *op, double *g, double *u) {
  class_of(op)->get(op, g, u);
}

void op_gradient_residual(ccp_operator *op, scree_model model, double *g, double *u,
                          scree_residual *out) {
  if (!class_of(op)->judge) {
    op_gradient_get(op, g, u);
    op_residual_contacts(op, model, g, u, u, out);
    return;
  }
  op_judged sum = {0};
  op_gradient_get(op, g, NULL);
  class_of(op)->judge(op, model, &sum);
  op_judged_finish(op, &sum, out);
}

void op_gradient_free(ccp_operator *op) {
  op_gradient *m = op->gradient;
  if (!m) return;
  memory_free(op->context, m->y);
  memory_free(op->context, m->ny);
  memory_free(op->context, m->current);
  memory_free(op->context, m->n_current);
  memory_free(op->context, m->other);
  memory_free(op->context, m->n_other);
  memory_free(op->context, m);
  op->gradient = NULL;
}

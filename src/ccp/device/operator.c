/* See device/operator.h: the verbs of an operator as passes of kernels. */

#include "ccp/device/operator.h"

#ifdef SCREE_WITH_OPENCL
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/bodies/diagonal.h"
#include "ccp/sets/set.h"

void device_pass(const op_device *impl, device_kernel kernel, size_t items,
                 const device_argument *more, size_t count) {
  device_run(impl->device, kernel, items, impl->problem, DEVICE_PROBLEM, more, count);
}

void device_twist(const op_device *impl, const device_buffer *x, double with_free,
                  const device_buffer *v) {
  DEVICE_PASS(impl, DEVICE_TWIST, impl->bodies, DEVICE_VALUE(impl->bodies),
              DEVICE_BUFFER(impl->entry_start), DEVICE_BUFFER(impl->entry),
              DEVICE_BUFFER(impl->term_row), DEVICE_BUFFER(*x), DEVICE_VALUE(with_free),
              DEVICE_BUFFER(*v));
}

static void read_back(const op_device *impl, uint32_t with_offset, const device_buffer *x,
                      const device_buffer *y) {
  DEVICE_PASS(impl, DEVICE_READ, impl->blocks, DEVICE_VALUE(impl->blocks),
              DEVICE_VALUE(impl->has_compliance), DEVICE_VALUE(with_offset),
              DEVICE_BUFFER(impl->offset), DEVICE_BUFFER(impl->fresh), DEVICE_BUFFER(*x),
              DEVICE_BUFFER(*y));
}

void device_product(const op_device *impl, const device_buffer *x, const device_buffer *y) {
  device_twist(impl, x, 0.0, &impl->fresh);
  read_back(impl, 0, x, y);
}

void device_sums(const op_device *impl, size_t items, size_t width, double *sum) {
  const size_t chunks = device_chunks(items);
  device_read(impl->device, &impl->part, impl->parts, chunks * width * sizeof *impl->parts);
  for (size_t k = 0; k < width; k++) sum[k] = device_failed(impl->device) ? NAN : 0.0;
  for (size_t c = 0; c < chunks; c++)
    for (size_t k = 0; k < width; k++) sum[k] += impl->parts[c * width + k];
}

/* u = N g + r is made anew from g. */
void device_judge(const op_device *impl, scree_model model, const device_buffer *g,
                  op_judged *sum) {
  const int exact = model == SCREE_MODEL_COULOMB;
  device_twist(impl, g, 1.0, &impl->fresh);
  read_back(impl, 1, g, &impl->u);
  DEVICE_PASS(impl, DEVICE_JUDGE, device_chunks(impl->blocks), DEVICE_VALUE(impl->blocks),
              DEVICE_BUFFER(impl->eta_force), DEVICE_BUFFER(impl->eta_moment), DEVICE_VALUE(exact),
              DEVICE_BUFFER(*g), DEVICE_BUFFER(impl->u), DEVICE_BUFFER(impl->part));
  const size_t chunks = device_chunks(impl->blocks);
  device_read(impl->device, &impl->part, impl->parts, chunks * DEVICE_JUDGED * sizeof *impl->parts);
  for (size_t c = 0; c < chunks; c++) {
    const double *p = impl->parts + c * DEVICE_JUDGED;
    const op_judged one = {.natural2 = p[0],
                           .square = p[1],
                           .worst = p[2],
                           .penetration = p[3],
                           .gap = p[4],
                           .impulse2 = p[5],
                           .velocity2 = p[6],
                           .product = p[7]};
    op_judged_add(sum, &one);
  }
  if (device_failed(impl->device)) sum->natural2 = NAN;
}

static void apply(ccp_operator *op, const double *x, double *y) {
  op_device *impl = op->impl;
  device_write(impl->device, &impl->given, x, impl->rows * sizeof *x);
  device_product(impl, &impl->given, &impl->u);
  device_read(impl->device, &impl->u, y, impl->rows * sizeof *y);
  if (device_failed(impl->device))
    for (size_t k = 0; k < op->row_count; k++) y[k] = NAN;
}

static void velocity(ccp_operator *op, const double *g, double *v) {
  op_device *impl = op->impl;
  device_write(impl->device, &impl->given, g, impl->rows * sizeof *g);
  device_twist(impl, &impl->given, 1.0, &impl->fresh);
  device_read(impl->device, &impl->fresh, v, 6 * impl->bodies * sizeof *v);
}

static void judge(ccp_operator *op, scree_model model, const double *g, const double *rest,
                  op_judged *sum) {
  op_device *impl = op->impl;
  (void)rest;
  if (g) device_write(impl->device, &impl->given, g, impl->rows * sizeof *g);
  device_judge(impl, model, g ? &impl->given : &impl->g, sum);
}

static void sweep_begin(ccp_operator *op, const double *g) {
  op_device *impl = op->impl;
  device_write(impl->device, &impl->g, g, impl->rows * sizeof *g);
  device_twist(impl, &impl->g, 1.0, &impl->twist);
}

/* Blocks first … first + count - 1 of the order; `each` of them a work item. */
static void sweep_span(const op_device *impl, const op_sweep_params *params, uint32_t first,
                       uint32_t count, uint32_t each) {
  const int isotropic = params->metric == OP_METRIC_ISOTROPIC,
            exact = params->model == SCREE_MODEL_COULOMB;
  const uint32_t backward = params->backward;
  DEVICE_PASS(
      impl, DEVICE_SWEEP, (count + each - 1) / (each ? each : 1), DEVICE_BUFFER(impl->offset),
      DEVICE_VALUE(impl->has_compliance), DEVICE_VALUE(impl->stride), DEVICE_BUFFER(impl->diagonal),
      DEVICE_BUFFER(impl->eta_force), DEVICE_BUFFER(impl->eta_moment), DEVICE_BUFFER(impl->shift),
      DEVICE_VALUE(isotropic), DEVICE_VALUE(exact), DEVICE_VALUE(params->omega),
      DEVICE_VALUE(params->lambda), DEVICE_VALUE(params->follow), DEVICE_BUFFER(impl->order),
      DEVICE_VALUE(first), DEVICE_VALUE(count), DEVICE_VALUE(each), DEVICE_VALUE(backward),
      DEVICE_BUFFER(impl->twist), DEVICE_BUFFER(impl->g), DEVICE_BUFFER(impl->worst));
}

static double sweep(ccp_operator *op, const op_sweep_params *params, double *g) {
  op_device *impl = op->impl;
  const size_t colours = impl->colour_count;
  const uint32_t tail = impl->colour_start[colours], rest = impl->blocks - tail;
  (void)g;
  if (params->backward && rest) sweep_span(impl, params, tail, rest, rest);
  for (size_t k = 0; k < colours; k++) {
    const size_t c = params->backward ? colours - 1 - k : k;
    sweep_span(impl, params, impl->colour_start[c],
               impl->colour_start[c + 1] - impl->colour_start[c], 1);
  }
  if (!params->backward && rest) sweep_span(impl, params, tail, rest, rest);
  const size_t chunks = device_chunks(impl->blocks);
  double worst = 0.0;
  device_run(impl->device, DEVICE_LARGEST, chunks, NULL, 0,
             (const device_argument[]){DEVICE_VALUE(impl->blocks), DEVICE_BUFFER(impl->worst),
                                       DEVICE_BUFFER(impl->part)},
             3);
  device_read(impl->device, &impl->part, impl->parts, chunks * sizeof *impl->parts);
  for (size_t k = 0; k < chunks; k++) worst = fmax(worst, impl->parts[k]);
  return device_failed(impl->device) ? INFINITY : worst;
}

static void sweep_store(const ccp_operator *op, double *g) {
  const op_device *impl = op->impl;
  device_read(impl->device, &impl->g, g, impl->rows * sizeof *g);
}

static const op_class device_class = {
    .name = "bodies on a device",
    .destroy = device_setup_free,
    .apply = apply,
    .diagonal_block = bodies_diagonal_block,
    .sweep_begin = sweep_begin,
    .sweep = sweep,
    .sweep_store = sweep_store,
    .judge = judge,
    .gradient = &device_gradient_class,
    .glide = &device_glide_class,
    .velocity = velocity,
};

bool op_device_takes(const scree_context *context, const scree_ccp *problem) {
  if (!context->device || problem->form != SCREE_FORM_BODIES || problem->ranks ||
      !problem->block_count || problem->block_count < device_least_blocks(context->device) ||
      problem->block_count > UINT32_MAX / 8)
    return false;
  for (size_t s = 0; s < problem->set_count; s++)
    if (set_role_of(&problem->set[s]) == SET_OPAQUE) return false;
  return true;
}

bool op_device_fits(const ccp_operator *op, bool on_device) {
  const bool made_there = op->class == &device_class;
  return made_there == on_device &&
         (!made_there || ((const op_device *)op->impl)->round == op->context->device_round);
}

scree_status op_device_init(ccp_operator *op) {
  scree_context *context = op->context;
  op->class = &device_class;
  if (!op->impl) op->impl = memory_new(context, 1, sizeof(op_device));
  op_device *impl = op->impl;
  if (!impl) return SCREE_ERROR_MEMORY;
  impl->device = context->device;
  impl->round = context->device_round;
  const scree_status status = device_setup(op);
  if (status) return status;
  DEVICE_PASS(impl, DEVICE_PREPARE, impl->blocks, DEVICE_VALUE(impl->blocks),
              DEVICE_VALUE(impl->has_compliance), DEVICE_VALUE(impl->stride),
              DEVICE_BUFFER(impl->diagonal), DEVICE_BUFFER(impl->eta_force),
              DEVICE_BUFFER(impl->eta_moment));
  device_read(impl->device, &impl->eta_force, op->eta_force, impl->blocks * sizeof(double));
  if (op->eta_moment)
    device_read(impl->device, &impl->eta_moment, op->eta_moment, impl->blocks * sizeof(double));
  device_zero(impl->device, &impl->g, impl->rows * sizeof(double));
  device_twist(impl, &impl->g, 1.0, &impl->fresh);
  read_back(impl, 1, &impl->g, &impl->r);
  device_read(impl->device, &impl->r, op->r, impl->rows * sizeof(double));
  return device_failed(impl->device) ? SCREE_ERROR_INTERNAL : SCREE_OK;
}
#endif

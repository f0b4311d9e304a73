/* Gradient steps and sweeps with extrapolation on a device: operator_gradient.h, operator_glide.h.
 */
#include "ccp/device/operator.h"

#ifdef SCREE_WITH_OPENCL
#include <math.h>

#include "ccp/operator_metric.h"

static scree_status begin(ccp_operator *op, const double *g) {
  op_device *impl = op->impl;
  device *d = impl->device;
  device_buffer *v = impl->vector;
  const size_t bytes = impl->rows * sizeof(double);
  const scree_status status = op_metric_prepare(op, NULL, 0);
  if (status) return status;
  device_write(d, &impl->root, op->root, bytes);
  for (int k = 0; k < STEP_VECTORS; k++) device_reserve(d, &v[k], bytes);
  device_write(d, &v[STEP_CURRENT], g, bytes);
  device_product(impl, &v[STEP_CURRENT], &v[STEP_N_CURRENT]);
  device_copy(d, &v[STEP_CURRENT], &v[STEP_OTHER], bytes);
  device_copy(d, &v[STEP_N_CURRENT], &v[STEP_N_OTHER], bytes);
  impl->y_is_made = false;
  return device_failed(d) ? SCREE_ERROR_INTERNAL : SCREE_OK;
}

static op_gradient_sums step(ccp_operator *op, double beta, double length) {
  op_device *impl = op->impl;
  device *d = impl->device;
  device_buffer *v = impl->vector;
  double moved[2], quality[2];
  if (!impl->y_is_made)
    device_run(
        d, DEVICE_EXTRAPOLATE, impl->rows, NULL, 0,
        (const device_argument[]){DEVICE_VALUE(impl->rows), DEVICE_VALUE(beta),
                                  DEVICE_BUFFER(v[STEP_CURRENT]), DEVICE_BUFFER(v[STEP_N_CURRENT]),
                                  DEVICE_BUFFER(v[STEP_OTHER]), DEVICE_BUFFER(v[STEP_N_OTHER]),
                                  DEVICE_BUFFER(v[STEP_Y]), DEVICE_BUFFER(v[STEP_NY])},
        8);
  impl->y_is_made = true;
  DEVICE_PASS(impl, DEVICE_STEP, device_chunks(impl->blocks), DEVICE_VALUE(impl->blocks),
              DEVICE_BUFFER(impl->root), DEVICE_BUFFER(impl->r), DEVICE_VALUE(length),
              DEVICE_BUFFER(v[STEP_Y]), DEVICE_BUFFER(v[STEP_NY]), DEVICE_BUFFER(v[STEP_CURRENT]),
              DEVICE_BUFFER(v[STEP_OTHER]), DEVICE_BUFFER(impl->part));
  device_sums(impl, impl->blocks, 2, moved);
  device_product(impl, &v[STEP_OTHER], &v[STEP_N_OTHER]);
  device_run(d, DEVICE_QUALITY, device_chunks(impl->rows), NULL, 0,
             (const device_argument[]){DEVICE_VALUE(impl->rows), DEVICE_BUFFER(impl->r),
                                       DEVICE_BUFFER(v[STEP_Y]), DEVICE_BUFFER(v[STEP_NY]),
                                       DEVICE_BUFFER(v[STEP_OTHER]), DEVICE_BUFFER(v[STEP_N_OTHER]),
                                       DEVICE_BUFFER(impl->part)},
             7);
  device_sums(impl, impl->rows, 2, quality);
  return (op_gradient_sums){
      .distance2 = moved[0], .uphill = moved[1], .curvature = quality[0], .objective = quality[1]};
}

static void accept(ccp_operator *op) {
  op_device *impl = op->impl;
  device_buffer *v = impl->vector;
  for (int k = 0; k < 2; k++) {
    const device_buffer swap = v[STEP_CURRENT + k];
    v[STEP_CURRENT + k] = v[STEP_OTHER + k];
    v[STEP_OTHER + k] = swap;
  }
  impl->y_is_made = false;
}

static void get(ccp_operator *op, double *g, double *u) {
  op_device *impl = op->impl;
  const size_t bytes = impl->rows * sizeof(double);
  if (g) device_read(impl->device, &impl->vector[STEP_CURRENT], g, bytes);
  if (!u) return;
  device_read(impl->device, &impl->vector[STEP_N_CURRENT], u, bytes);
  for (size_t k = 0; k < op->row_count; k++)
    u[k] = device_failed(impl->device) ? NAN : u[k] + op->r[k];
}

static void judge(ccp_operator *op, scree_model model, op_judged *sum) {
  const op_device *impl = op->impl;
  device_judge(impl, model, &impl->vector[STEP_CURRENT], sum);
}

const op_gradient_class device_gradient_class = {
    .begin = begin, .step = step, .accept = accept, .get = get, .judge = judge};

/* ---- sweeps with extrapolation -------------------------------------------------------------- */

static scree_status glide_begin(ccp_operator *op) {
  op_device *impl = op->impl;
  const size_t bytes = impl->rows * sizeof(double);
  device_copy(impl->device, &impl->g, &impl->before, bytes);
  device_zero(impl->device, &impl->shift, bytes);
  return device_failed(impl->device) ? SCREE_ERROR_INTERNAL : SCREE_OK;
}

static op_glide_sums glide_sweep(ccp_operator *op, const op_glide_params *glide,
                                 const op_sweep_params *rest, double *g) {
  op_device *impl = op->impl;
  double sum[2];
  device_run(impl->device, DEVICE_GLIDE_BEGIN, impl->rows, NULL, 0,
             (const device_argument[]){DEVICE_VALUE(impl->rows), DEVICE_VALUE(glide->beta),
                                       DEVICE_BUFFER(impl->g), DEVICE_BUFFER(impl->before),
                                       DEVICE_BUFFER(impl->from)},
             5);
  if (glide->beta != 0.0) device_twist(impl, &impl->g, 1.0, &impl->twist);
  op_glide_sums sums = {.change = op->class->sweep(op, rest, g)};
  DEVICE_PASS(impl, DEVICE_GLIDE_SUMS, device_chunks(impl->blocks), DEVICE_VALUE(impl->blocks),
              DEVICE_BUFFER(impl->eta_force), DEVICE_BUFFER(impl->eta_moment),
              DEVICE_BUFFER(impl->g), DEVICE_BUFFER(impl->before), DEVICE_BUFFER(impl->from),
              DEVICE_BUFFER(impl->part));
  device_sums(impl, impl->blocks, 2, sum);
  sums.uphill = sum[0];
  sums.distance2 = sum[1];
  return sums;
}

const op_glide_class device_glide_class = {.begin = glide_begin, .sweep = glide_sweep};
#endif

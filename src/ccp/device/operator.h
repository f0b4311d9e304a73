/* The bodies form on a device: what its files share. Impulses of sweeps and of gradient steps stay
 * on the device; a verb that gives or takes rows of the host moves them. */
#ifndef SCREE_CCP_DEVICE_OPERATOR_H
#define SCREE_CCP_DEVICE_OPERATOR_H

#include "ccp/colouring.h"
#include "ccp/device/device.h"
#include "ccp/operator.h"
#include "ccp/operator_glide.h"
#include "ccp/operator_gradient.h"

enum { DEVICE_CHUNK = 32, DEVICE_JUDGED = 8, DEVICE_PROBLEM = 9 };

/* Vectors of gradient steps; they change places. */
enum { STEP_Y, STEP_NY, STEP_CURRENT, STEP_N_CURRENT, STEP_OTHER, STEP_N_OTHER, STEP_VECTORS };

typedef struct op_device {
  device *device;
  unsigned round; /* the context's, of the device that this was made for */
  uint32_t contacts, blocks, rows, bodies, stride, has_compliance;
  /* The problem, as the kernels take it. */
  device_buffer geometry, body, term, term_start, row_start, set_index, sets, compliance, offset;
  device_buffer entry_start, entry, term_row, order;
  device_buffer diagonal, eta_force, eta_moment, r, root;
  /* State of sweeps: impulses, twists; `fresh` are twists made anew, u velocities of them. */
  device_buffer g, twist, fresh, u, given, worst, part;
  device_buffer before, from, shift;
  device_buffer vector[STEP_VECTORS];
  bool y_is_made;
  device_argument problem[DEVICE_PROBLEM];
  /* On the host. */
  colouring colours;
  uint32_t *block, *resource, *entries, *starts, *colour_start, *rows_of_terms;
  size_t *resource_start;
  double *set_room, *parts;
  size_t colour_count;
} op_device;

#ifdef SCREE_WITH_OPENCL
/* May the device of the context work on this problem? */
bool op_device_takes(const scree_context *context, const scree_ccp *problem);
/* As op_bodies_init; colours, r and both etas are made here. */
scree_status op_device_init(ccp_operator *op);
/* Can the operator's form serve a problem on the context's device, or one on the host? */
bool op_device_fits(const ccp_operator *op, bool on_device);
#else
static inline bool op_device_takes(const scree_context *context, const scree_ccp *problem) {
  (void)context;
  (void)problem;
  return false;
}
static inline scree_status op_device_init(ccp_operator *op) {
  (void)op;
  return SCREE_ERROR_UNSUPPORTED;
}
static inline bool op_device_fits(const ccp_operator *op, bool on_device) {
  (void)op;
  (void)on_device;
  return true;
}
#endif

/* Uploads, entries of bodies and colours (setup.c). */
scree_status device_setup(ccp_operator *op);
void device_setup_free(ccp_operator *op);

/* A kernel that begins with the problem. */
void device_pass(const op_device *impl, device_kernel kernel, size_t items,
                 const device_argument *more, size_t count);
#define DEVICE_PASS(impl, kernel, items, ...)                                                      \
  device_pass(impl, kernel, items, (const device_argument[]){__VA_ARGS__},                         \
              sizeof((const device_argument[]){__VA_ARGS__}) / sizeof(device_argument))
/* v = M^-1 D x, with v_free or without. */
void device_twist(const op_device *impl, const device_buffer *x, double with_free,
                  const device_buffer *v);
/* y = N x: by `fresh`. */
void device_product(const op_device *impl, const device_buffer *x, const device_buffer *y);
/* Judges impulses on the device. */
void device_judge(const op_device *impl, scree_model model, const device_buffer *g, op_judged *sum);
/* Sums of `width` numbers per chunk over `items`, in order, from impl->part. */
void device_sums(const op_device *impl, size_t items, size_t width, double *sum);

extern const op_gradient_class device_gradient_class;
extern const op_glide_class device_glide_class;

static inline size_t device_chunks(size_t n) {
  return (n + DEVICE_CHUNK - 1) / DEVICE_CHUNK;
}

#endif

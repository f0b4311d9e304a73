/* A device that runs kernels: opened by name, memory, passes. What fails is remembered: the verbs
 * of an operator have no status, so a device that has failed makes every residual infinite (no
 * answer is better than a wrong one), and its message is the context's. */
#ifndef SCREE_CCP_DEVICE_DEVICE_H
#define SCREE_CCP_DEVICE_DEVICE_H

#include "base/context.h"
#include "scree/device.h"

typedef enum device_kernel {
  DEVICE_TWIST,
  DEVICE_READ,
  DEVICE_PREPARE,
  DEVICE_SWEEP,
  DEVICE_LARGEST,
  DEVICE_GLIDE_BEGIN,
  DEVICE_GLIDE_SUMS,
  DEVICE_EXTRAPOLATE,
  DEVICE_STEP,
  DEVICE_QUALITY,
  DEVICE_JUDGE,
  DEVICE_KERNEL_COUNT
} device_kernel;

typedef struct device device;

/* Memory of a device; zeros: none. */
typedef struct device_buffer {
  void *memory;
  size_t capacity; /* bytes */
} device_buffer;

/* An argument of a kernel: where it lies and its size. */
typedef struct device_argument {
  const void *value;
  size_t size;
} device_argument;
#define DEVICE_BUFFER(b) ((device_argument){&(b).memory, sizeof(void *)})
#define DEVICE_VALUE(v)  ((device_argument){&(v), sizeof(v)})

/* All of these but the first do nothing once one of them has failed. */
scree_status device_open(scree_context *context, const char *name, size_t least_blocks,
                         device **out);
void device_close(device *d);
size_t device_least_blocks(const device *d);
const char *device_name(const device *d);
bool device_failed(const device *d);
/* Room for so many bytes; what was in it is lost when it grows. */
void device_reserve(device *d, device_buffer *b, size_t bytes);
void device_release(device_buffer *b);
void device_write(device *d, device_buffer *b, const void *from, size_t bytes);
void device_zero(device *d, device_buffer *b, size_t bytes);
void device_copy(device *d, const device_buffer *from, device_buffer *to, size_t bytes);
/* Waits for all passes that were started before. */
void device_read(device *d, const device_buffer *b, void *to, size_t bytes);
void device_run(device *d, device_kernel kernel, size_t items, const device_argument *first,
                size_t first_count, const device_argument *more, size_t more_count);

#endif

/* See device.h: OpenCL 1.2, one queue in order. Without OpenCL in the build there is no device. */
#include "ccp/device/device.h"

#include <string.h>

#include "base/memory.h"

#ifdef SCREE_WITH_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <device_source.h>

enum { MOST_PLATFORMS = 16, MOST_DEVICES = 32, BUILD_LOG = 700, WORK_GROUP = 32 };

static const char *const kernel_name[DEVICE_KERNEL_COUNT] = {
    [DEVICE_TWIST] = "twist",           [DEVICE_READ] = "read",
    [DEVICE_PREPARE] = "prepare",       [DEVICE_SWEEP] = "sweep",
    [DEVICE_LARGEST] = "largest",       [DEVICE_GLIDE_BEGIN] = "glide_begin",
    [DEVICE_GLIDE_SUMS] = "glide_sums", [DEVICE_EXTRAPOLATE] = "extrapolate",
    [DEVICE_STEP] = "step_blocks",      [DEVICE_QUALITY] = "quality",
    [DEVICE_JUDGE] = "judge",
};

struct device {
  scree_context *context;
  cl_context cl;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel[DEVICE_KERNEL_COUNT];
  size_t least_blocks;
  size_t group; /* work items of a group */
  bool failed;
  char name[sizeof((scree_device_info *)0)->name];
};

/* Remembers the first failure. */
static bool worked(device *d, cl_int code, const char *what) {
  if (code == CL_SUCCESS) return true;
  if (!d->failed)
    context_fail(d->context, SCREE_ERROR_INTERNAL, "the device %s failed (%s, OpenCL code %d)",
                 d->name, what, (int)code);
  d->failed = true;
  return false;
}

static void describe(cl_platform_id platform, cl_device_id id, scree_device_info *info) {
  cl_device_fp_config doubles = 0;
  cl_ulong memory = 0;
  cl_uint units = 0;
  memset(info, 0, sizeof *info);
  clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof info->name - 1, info->name, NULL);
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof info->platform - 1, info->platform, NULL);
  clGetDeviceInfo(id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL);
  clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
  clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  info->memory = (size_t)memory;
  info->compute_units = (int)units;
  info->doubles = doubles != 0;
}

/* All devices, in the order of their platforms. */
static size_t find_all(cl_device_id *ids, scree_device_info *info) {
  cl_platform_id platforms[MOST_PLATFORMS];
  cl_uint platform_count = 0;
  size_t count = 0;
  if (clGetPlatformIDs(MOST_PLATFORMS, platforms, &platform_count)) return 0;
  for (cl_uint p = 0; p < platform_count && p < MOST_PLATFORMS; p++) {
    cl_uint found = 0;
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, (cl_uint)(MOST_DEVICES - count),
                       ids + count, &found))
      continue;
    for (cl_uint k = 0; k < found && count < MOST_DEVICES; k++, count++)
      describe(platforms[p], ids[count], &info[count]);
    if (count == MOST_DEVICES) break;
  }
  return count;
}

scree_status scree_device_list(scree_context *context, size_t capacity, scree_device_info *info,
                               size_t *count) {
  if (!context) return SCREE_ERROR_ARGUMENT;
  if (!count || (capacity && !info))
    return context_fail(context, SCREE_ERROR_ARGUMENT, "the list of devices has no place to go");
  cl_device_id ids[MOST_DEVICES];
  scree_device_info all[MOST_DEVICES];
  *count = find_all(ids, all);
  for (size_t k = 0; k < capacity && k < *count; k++) info[k] = all[k];
  return SCREE_OK;
}

static scree_status build(device *d, cl_device_id id) {
  cl_int code = CL_SUCCESS;
  d->cl = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
  if (worked(d, code, "context")) d->queue = clCreateCommandQueue(d->cl, id, 0, &code);
  if (!d->failed && worked(d, code, "queue"))
    d->program = clCreateProgramWithSource(d->cl, sizeof device_source / sizeof *device_source,
                                           (const char **)device_source, NULL, &code);
  if (d->failed || !worked(d, code, "program")) return SCREE_ERROR_INTERNAL;
  /* Without options that would fuse products and sums: the host does not fuse them either. */
  code = clBuildProgram(d->program, 1, &id, "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt",
                        NULL, NULL);
  if (code == CL_INVALID_BUILD_OPTIONS)
    code = clBuildProgram(d->program, 1, &id, "-cl-std=CL1.2", NULL, NULL);
  if (code) {
    char log[BUILD_LOG + 1] = "";
    clGetProgramBuildInfo(d->program, id, CL_PROGRAM_BUILD_LOG, BUILD_LOG, log, NULL);
    return context_fail(d->context, SCREE_ERROR_INTERNAL,
                        "the device %s does not take the kernels (OpenCL code %d): %s", d->name,
                        (int)code, log);
  }
  for (int k = 0; k < DEVICE_KERNEL_COUNT; k++) {
    d->kernel[k] = clCreateKernel(d->program, kernel_name[k], &code);
    if (!worked(d, code, kernel_name[k])) return SCREE_ERROR_INTERNAL;
  }
  d->group = WORK_GROUP;
  for (int k = 0; k < DEVICE_KERNEL_COUNT; k++) {
    size_t most = 1;
    if (!clGetKernelWorkGroupInfo(d->kernel[k], id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                                  NULL) &&
        most < d->group)
      d->group = most > 0 ? most : 1;
  }
  return SCREE_OK;
}

scree_status device_open(scree_context *context, const char *name, size_t least_blocks,
                         device **out) {
  cl_device_id ids[MOST_DEVICES];
  scree_device_info info[MOST_DEVICES];
  const size_t count = find_all(ids, info);
  *out = NULL;
  for (size_t k = 0; k < count; k++) {
    if (strcmp(name, "any") != 0 && !strstr(info[k].name, name) && !strstr(info[k].platform, name))
      continue;
    if (!info[k].doubles) {
      if (strcmp(name, "any") != 0)
        return context_fail(context, SCREE_ERROR_UNSUPPORTED, "the device %s has no doubles",
                            info[k].name);
      continue;
    }
    device *d = memory_new(context, 1, sizeof *d);
    if (!d) return SCREE_ERROR_MEMORY;
    d->context = context;
    d->least_blocks = least_blocks;
    memcpy(d->name, info[k].name, sizeof d->name);
    const scree_status status = build(d, ids[k]);
    if (status)
      device_close(d);
    else
      *out = d;
    return status;
  }
  return context_fail(context, SCREE_ERROR_INPUT,
                      "no device is named '%s'; %zu are there, see `scree list devices`", name,
                      count);
}

void device_close(device *d) {
  if (!d) return;
  for (int k = 0; k < DEVICE_KERNEL_COUNT; k++)
    if (d->kernel[k]) clReleaseKernel(d->kernel[k]);
  if (d->program) clReleaseProgram(d->program);
  if (d->queue) clReleaseCommandQueue(d->queue);
  if (d->cl) clReleaseContext(d->cl);
  memory_free(d->context, d);
}

size_t device_least_blocks(const device *d) {
  return d->least_blocks;
}

const char *device_name(const device *d) {
  return d->name;
}

bool device_failed(const device *d) {
  return d->failed;
}

void device_reserve(device *d, device_buffer *b, size_t bytes) {
  cl_int code = CL_SUCCESS;
  if (d->failed || (b->memory && b->capacity >= bytes)) return;
  device_release(b);
  const size_t room = bytes + bytes / 4 + 64;
  b->memory = clCreateBuffer(d->cl, CL_MEM_READ_WRITE, room, NULL, &code);
  if (!worked(d, code, "memory"))
    b->memory = NULL;
  else
    b->capacity = room;
}

void device_release(device_buffer *b) {
  if (b->memory) clReleaseMemObject(b->memory);
  *b = (device_buffer){NULL, 0};
}

void device_write(device *d, device_buffer *b, const void *from, size_t bytes) {
  device_reserve(d, b, bytes);
  if (d->failed || !bytes) return;
  worked(d, clEnqueueWriteBuffer(d->queue, b->memory, CL_TRUE, 0, bytes, from, 0, NULL, NULL),
         "write");
}

void device_zero(device *d, device_buffer *b, size_t bytes) {
  const double zero = 0.0;
  device_reserve(d, b, bytes);
  if (d->failed || !bytes) return;
  worked(d, clEnqueueFillBuffer(d->queue, b->memory, &zero, sizeof zero, 0, bytes, 0, NULL, NULL),
         "fill");
}

void device_copy(device *d, const device_buffer *from, device_buffer *to, size_t bytes) {
  device_reserve(d, to, bytes);
  if (d->failed || !bytes) return;
  worked(d, clEnqueueCopyBuffer(d->queue, from->memory, to->memory, 0, 0, bytes, 0, NULL, NULL),
         "copy");
}

void device_read(device *d, const device_buffer *b, void *to, size_t bytes) {
  if (d->failed || !bytes) return;
  worked(d, clEnqueueReadBuffer(d->queue, b->memory, CL_TRUE, 0, bytes, to, 0, NULL, NULL), "read");
}

/* Groups of one size, whatever the count: a runtime that makes code for each size of a group (PoCL)
 * would make it anew for the colours of each step. Kernels leave out items beyond the count. */
void device_run(device *d, device_kernel kernel, size_t items, const device_argument *first,
                size_t first_count, const device_argument *more, size_t more_count) {
  if (d->failed || !items) return;
  const size_t groups = (items + d->group - 1) / d->group, all = groups * d->group;
  cl_uint at = 0;
  cl_int code = CL_SUCCESS;
  for (size_t k = 0; k < first_count && !code; k++)
    code = clSetKernelArg(d->kernel[kernel], at++, first[k].size, first[k].value);
  for (size_t k = 0; k < more_count && !code; k++)
    code = clSetKernelArg(d->kernel[kernel], at++, more[k].size, more[k].value);
  if (!code)
    code = clEnqueueNDRangeKernel(d->queue, d->kernel[kernel], 1, NULL, &all, &d->group, 0, NULL,
                                  NULL);
  worked(d, code, kernel_name[kernel]);
}

#else

static scree_status without(scree_context *context) {
  return context_fail(context, SCREE_ERROR_UNSUPPORTED,
                      "this build has no devices: build with SCREE_WITH_OPENCL=ON");
}

scree_status scree_device_list(scree_context *context, size_t capacity, scree_device_info *info,
                               size_t *count) {
  (void)capacity;
  (void)info;
  if (!context) return SCREE_ERROR_ARGUMENT;
  if (count) *count = 0;
  return without(context);
}

scree_status device_open(scree_context *context, const char *name, size_t least_blocks,
                         device **out) {
  (void)name;
  (void)least_blocks;
  *out = NULL;
  return without(context);
}

void device_close(device *d) {
  (void)d;
}

size_t device_least_blocks(const device *d) {
  (void)d;
  return SIZE_MAX;
}

const char *device_name(const device *d) {
  (void)d;
  return NULL;
}

#endif

static void close_any(void *d) {
  device_close(d);
}

scree_status scree_context_set_device(scree_context *context, const char *name,
                                      size_t least_blocks) {
  if (!context) return SCREE_ERROR_ARGUMENT;
  device *d = NULL;
  if (name && !*name)
    return context_fail(context, SCREE_ERROR_ARGUMENT, "a device needs a name, or 'any'");
  const scree_status status = name ? device_open(context, name, least_blocks, &d) : SCREE_OK;
  if (status) return status;
  device_close(context->device);
  context->device = d;
  context->device_round++;
  context->device_close = d ? close_any : NULL;
  return SCREE_OK;
}

const char *scree_context_device(const scree_context *context) {
  return context && context->device ? device_name(context->device) : NULL;
}

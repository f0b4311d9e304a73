/* Scree, device: sweeps, gradient steps and residuals on a device by OpenCL.
 *
 * A context is given a device with scree_context_set_device, by a part of its name or "any".
 * Problems of bodies are then worked on the device by all first-order solvers, with the same sets,
 * projections and block solves as on the host, compiled for it; what needs a factorisation (`prox`,
 * `ipm`, `direct`) stays on the host, and so do problems of other forms, with sets of a user, or
 * divided among ranks. Answers agree to the tolerance, not to the bit. The device must have
 * doubles. Arrays stay on it from step to step; the contacts of a step and impulses move. */
#ifndef SCREE_DEVICE_H
#define SCREE_DEVICE_H

#include "scree/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_device_info {
  char name[128];
  char platform[128];
  size_t memory;     /* bytes */
  int compute_units; /* as the device counts them */
  bool doubles;      /* without them it cannot be used */
} scree_device_info;

/* The devices of this machine; the first `capacity` of them are described. `count` is how many
 * there are. Without OpenCL in the library: SCREE_ERROR_UNSUPPORTED. */
SCREE_API scree_status scree_device_list(scree_context *context, size_t capacity,
                                         scree_device_info *info, size_t *count);
/* The first device whose name or platform holds `name` ("any": the first with doubles) works on
 * problems of at least `least_blocks` blocks: smaller ones are done on the host before a device has
 * begun. Null: none, as at the start. Solvers keep what they have prepared until they are given
 * their next problem. */
SCREE_API scree_status scree_context_set_device(scree_context *context, const char *name,
                                                size_t least_blocks);
/* The name of the device in use; null: none. */
SCREE_API const char *scree_context_device(const scree_context *context);

#ifdef __cplusplus
}
#endif
#endif

/* A rigid placement: x_world = position + rotation x_local. */
#ifndef SCREE_MATH_POSE_H
#define SCREE_MATH_POSE_H

#include "math/rotation.h"

typedef struct pose {
  v3 position;   /* m */
  quat rotation; /* unit */
} pose;

static inline pose pose_identity(void) {
  return (pose){{0, 0, 0}, {1, 0, 0, 0}};
}
static inline v3 pose_apply(pose p, v3 x) {
  return v3_add(p.position, quat_rotate(p.rotation, x));
}
static inline v3 pose_apply_inverse(pose p, v3 x) {
  return quat_rotate_inverse(p.rotation, v3_sub(x, p.position));
}
/* First b, then a. */
static inline pose pose_mul(pose a, pose b) {
  return (pose){pose_apply(a, b.position), quat_mul(a.rotation, b.rotation)};
}
static inline pose pose_inverse(pose p) {
  const quat q = quat_conj(p.rotation);
  return (pose){v3_neg(quat_rotate(q, p.position)), q};
}

#endif

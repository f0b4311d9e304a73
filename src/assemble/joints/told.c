/* Several ranks: a joint is with the rank that has its bodies, and what a solve found about it is
 * told to all. So all start the next step alike, write down the same reactions, and see the same
 * joints break. */
#include <string.h>

#include "assemble/joints/joints.h"

/* What a solve found about a joint, for other ranks. */
typedef struct joint_found {
  uint64_t joint;
  double held[6], of[SCREE_JOINT_COORDINATES][4];
  v3 impulse, moment;
} joint_found;

static joint_found found_of(const assembler *a, uint32_t index) {
  const joint *j = &a->world->joint[index];
  joint_found f = {.joint = index, .impulse = j->impulse, .moment = j->moment};
  memcpy(f.held, j->held, sizeof f.held);
  for (int c = 0; c < SCREE_JOINT_COORDINATES; c++) {
    const joint_coordinate *q = &j->coordinate[c];
    f.of[c][0] = q->motor_impulse;
    f.of[c][1] = q->friction_impulse;
    f.of[c][2] = q->spring_impulse;
    f.of[c][3] = q->limit_impulse;
  }
  return f;
}

static void take_found(assembler *a, const joint_found *f) {
  joint *j = &a->world->joint[f->joint];
  memcpy(j->held, f->held, sizeof f->held);
  j->impulse = f->impulse;
  j->moment = f->moment;
  for (int c = 0; c < SCREE_JOINT_COORDINATES; c++) {
    joint_coordinate *q = &j->coordinate[c];
    q->motor_impulse = f->of[c][0];
    q->friction_impulse = f->of[c][1];
    q->spring_impulse = f->of[c][2];
    q->limit_impulse = f->of[c][3];
  }
}

/* Parts of a joint stand one after the other. */
scree_status joint_tell_found(assembler *a) {
  joint_found *mine = memory_new(a->context, a->joints.count + 1, sizeof *mine), one;
  const void *all;
  size_t n = 0, size;
  if (!mine) return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < a->joints.count; k++)
    if (!k || a->joints.part[k].joint != a->joints.part[k - 1].joint)
      mine[n++] = found_of(a, a->joints.part[k].joint);
  const scree_status status = a->ranks->tell(a->ranks, mine, n * sizeof *mine, &all, &size);
  memory_free(a->context, mine);
  for (size_t k = 0; !status && k < size / sizeof one; k++) {
    memcpy(&one, (const char *)all + k * sizeof one, sizeof one);
    take_found(a, &one);
  }
  return status;
}

/* Bushing: six springs and dampers along and about the axes of a's frame; what is held of them, and
 * how much, is in the springs' compliance (assemble/joints/blocks.c). The turns are the rotation
 * vector phi of b seen from a, the shorter way round, so that a spring about one axis is linear in
 * its angle. With T = |phi| and omega in the frame of a
 *
 *   phi' = omega - phi x omega / 2 + c phi x (phi x omega),   c = (1 - T/2 cot(T/2)) / T^2 */
#include <math.h>

#include "model/joints/joints.h"

static void turn_rows(const joint_view *v, joint_row *out) {
  const quat a = v->frame[FRAME_A].rotation;
  const v3 phi = world_rotation_vector(quat_mul(quat_conj(a), v->frame[FRAME_B].rotation));
  const double turn = v3_norm(phi), half = 0.5 * turn, value[3] = {phi.x, phi.y, phi.z};
  const double c = turn > 1e-3 ? (1.0 - half / tan(half)) / (turn * turn) : 1.0 / 12.0;
  for (int k = 0; k < 3; k++) {
    const v3 e = {k == 0, k == 1, k == 2}, across = v3_cross(phi, e);
    const v3 d = v3_add_scaled(v3_add_scaled(e, 0.5, across), c, v3_cross(phi, across));
    out[k] = joint_turn_row(FRAME_A, FRAME_B, quat_rotate(a, d), value[k]);
  }
}

static void rows(const joint_view *view, joint_row *out) {
  joint_hold_point(view, 0, 3, out);
  turn_rows(view, out + 3);
}

const joint_class joint_bushing = {
    .name = "bushing", .held = 6, .uses = JOINT_USES_AXIS | JOINT_USES_STIFFNESS, .rows = rows};

/* Motors that give a torque or a force act like applied ones: along the row of their coordinate, on
 * b as given, on a (and c) the opposite, at the centres of mass. */
#include "model/joints/joints.h"

static bool pushes(const scree_world *w, uint32_t i) {
  return i != WORLD_NO_BODY && world_is_dynamic(w, i);
}

scree_status world_change_motor(scree_world *w, const joint *j, int k, double change) {
  const joint_view view = joint_view_of(w, j);
  const joint_row row = joint_coordinate_row(&view, k);
  scree_status status = SCREE_OK;
  for (int s = 0; s < JOINT_SIDES && !status; s++)
    if (pushes(w, j->body[s]))
      status = world_change_load(w, j->body[s], LATE_MOTORS, v3_scale(change, row.linear[s]),
                                 v3_scale(change, row.angular[s]));
  return status;
}

static void add_motor(const scree_world *w, const joint *j, int k, double h, v3 *linear,
                      v3 *angular) {
  const joint_view view = joint_view_of(w, j);
  const joint_row row = joint_coordinate_row(&view, k);
  const joint_coordinate *c = &j->coordinate[k];
  const double value = joint_motor_value(c, w->time);
  for (int s = 0; s < JOINT_SIDES; s++) {
    const uint32_t i = j->body[s];
    if (!pushes(w, i)) continue;
    const double kick = world_kick(w, i, h) * value;
    linear[i] = v3_add_scaled(linear[i], kick / w->bodies.mass[i], row.linear[s]);
    world_add_turn(w, i, kick, row.angular[s], &angular[i]);
  }
}

void world_add_motors(const scree_world *w, double h, v3 *linear, v3 *angular) {
  for (size_t i = 0; i < w->joint_limit; i++) {
    const joint *j = &w->joint[i];
    if (!j->alive || j->broken) continue;
    for (int k = 0; k < joint_class_of(j)->coordinates; k++)
      if (j->coordinate[k].motor == SCREE_MOTOR_TORQUE) add_motor(w, j, k, h, linear, angular);
  }
}

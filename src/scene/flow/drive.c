/* Motors as time goes by: the schedule, and what functions and tables give them. At the start of a
 * step from t to t + h a motor gets f(t) and the rate (f(t + h) - f(t)) / h, so that its
 * target is exact at both ends. Which entry of the schedule holds depends on the time alone: a run
 * that goes on from a checkpoint needs nothing else. */
#include <math.h>

#include "scene/build/build.h"

static double table_at(const scene_drive *d, double time) {
  const double *row = d->table;
  if (time <= row[0]) return row[1];
  for (size_t i = 1; i < d->count; i++, row += 2)
    if (time < row[2]) return row[1] + (row[3] - row[1]) * (time - row[0]) / (row[2] - row[0]);
  return row[1];
}

scree_status scene_drive_value(scree_scene *scene, const scene_drive *d, double time,
                               double *value) {
  if (d->table) {
    *value = table_at(d, time);
    return SCREE_OK;
  }
  d->scope->variables[d->scope->count - 1].value = time;
  return scene_number(&scene->doc, d->scope, d->function, "value", d->unit, value);
}

static scree_status drive_one(scree_scene *scene, scree_world *world, const scene_drive *d,
                              double time, double h) {
  const bool begins = d->at > 0.0 && d->at >= time - 0.5 * h;
  const bool follows = d->function || d->table;
  scree_coordinate_def motor = d->motor;
  double end = 0.0;
  scree_status status = SCREE_OK;
  if (!scree_joint_is_valid(world, d->joint) || (!begins && !follows)) return SCREE_OK;
  if (follows) {
    status = scene_drive_value(scene, d, time, &motor.motor_value);
    if (!status) status = scene_drive_value(scene, d, time + h, &end);
    motor.motor_rate = h > 0.0 ? (end - motor.motor_value) / h : 0.0;
  }
  return status ? status : scree_joint_set_coordinate_motor(world, d->joint, d->coordinate, &motor);
}

scree_status scene_drive_motors(scree_scene *scene, scree_world *world, double h) {
  const double time = scree_world_time(world);
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < scene->drive_count && !status; i++) {
    const scene_drive *d = &scene->drives[i];
    if (d->hidden || d->at >= time + 0.5 * h || d->until < time + 0.5 * h) continue;
    status = drive_one(scene, world, d, time, h);
  }
  return status;
}

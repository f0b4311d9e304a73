/* See relaxation.h. */
#include "tests/support/relaxation.h"

#include <math.h>
#include <string.h>

static const double slope = 1.2566370614359172; /* 72 degrees */

static scree_status add(scree_world *world, scree_shape *shape, scree_body_def def,
                        scree_body_id *id) {
  def.shape = shape;
  const scree_status status = scree_world_add_body(world, &def, id);
  scree_shape_destroy(shape);
  return status;
}

static scree_status add_bodies(scree_context *context, scree_world *world, scree_body_id id[2]) {
  const double lean = 1.0471975511965976, radius = 0.05, half = 0.45, ball = 0.2;
  scree_shape *shape;
  scree_body_id floor;
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_FIXED;
  scree_status status = scree_shape_create_half_space(context, &shape);
  if (!status) status = add(world, shape, d, &floor);
  if (status) return status;

  d = scree_body_def_default();
  d.position[2] = radius + half * sin(lean);
  const double tilt = 1.5707963267948966 - lean; /* from the z axis towards x */
  d.rotation[0] = cos(0.5 * tilt);
  d.rotation[2] = sin(0.5 * tilt);
  status = scree_shape_create_capsule(context, radius, half, &shape);
  if (!status) status = add(world, shape, d, &id[0]);
  if (status) return status;

  d = scree_body_def_default();
  d.position[1] = 3.0;
  d.position[2] = ball;
  status = scree_shape_create_sphere(context, ball, &shape);
  return status ? status : add(world, shape, d, &id[1]);
}

static scree_status step_all(scree_world *world, const scree_body_id id[2], scree_model model,
                             int halvings, double *y, size_t *unsolved) {
  scree_stepper *stepper = NULL;
  scree_stepper_def def = scree_stepper_def_default();
  def.solver = "prox";
  def.model = model;
  def.tolerance_residual = 1e-9;
  def.iteration_limit = 1000;
  scree_status status = scree_stepper_create(world, &def, &stepper);
  const double h = ldexp(0.1, -halvings);
  for (int k = 0; !status && k < 4 << halvings; k++) {
    scree_step_info info;
    status = scree_stepper_step(stepper, h, &info);
    if (!status && !info.converged) ++*unsolved;
  }
  scree_stepper_destroy(stepper);
  for (int b = 0; !status && b < 2; b++) {
    scree_body_state state;
    status = scree_body_get_state(world, id[b], &state);
    memcpy(y + 7 * b, state.position, 3 * sizeof *y);
    memcpy(y + 7 * b + 3, state.rotation, 4 * sizeof *y);
  }
  return status;
}

scree_status relaxation_run(scree_context *context, scree_model model, double mu, int halvings,
                            double y[RELAXATION_STATE], size_t *unsolved) {
  scree_world *world = NULL;
  scree_world_def def = scree_world_def_default();
  scree_material_def law = scree_material_def_default();
  const scree_material_id all = {0};
  scree_body_id id[2];
  law.friction = mu;
  def.gravity[0] = 9.81 * sin(slope);
  def.gravity[2] = -9.81 * cos(slope);
  scree_status status = scree_world_create(context, &def, &world);
  if (!status) status = scree_world_set_material(world, all, &law);
  if (!status) status = add_bodies(context, world, id);
  if (!status) status = step_all(world, id, model, halvings, y, unsolved);
  scree_world_destroy(world);
  return status;
}

scree_status relaxation_error(scree_context *context, double mu, int halvings, double *error,
                              size_t *unsolved) {
  double y[2][RELAXATION_STATE], sum = 0.0;
  *unsolved = 0;
  for (int model = 0; model < 2; model++) {
    const scree_status status =
        relaxation_run(context, (scree_model)model, mu, halvings, y[model], unsolved);
    if (status) return status;
  }
  for (int k = 0; k < RELAXATION_STATE; k++) sum += (y[0][k] - y[1][k]) * (y[0][k] - y[1][k]);
  *error = sqrt(sum);
  return SCREE_OK;
}

scree_status relaxation_launch(scree_context *context, double mu, double speed, double h,
                               double *lift) {
  const double radius = 0.2;
  scree_world *world = NULL;
  scree_stepper *stepper = NULL;
  scree_shape *shape;
  scree_body_id id;
  scree_world_def world_def = scree_world_def_default();
  scree_stepper_def def = scree_stepper_def_default();
  scree_material_def law = scree_material_def_default();
  scree_body_def floor = scree_body_def_default(), ball = floor;
  const scree_material_id all = {0};
  law.friction = mu;
  floor.kind = SCREE_BODY_FIXED;
  ball.position[2] = radius;
  ball.velocity[0] = speed;
  def.solver = "prox";
  def.model = SCREE_MODEL_RELAXED;
  def.tolerance_residual = 1e-9;
  def.iteration_limit = 1000;
  *lift = 0.0;
  scree_status status = scree_world_create(context, &world_def, &world);
  if (!status) status = scree_world_set_material(world, all, &law);
  if (!status) status = scree_shape_create_half_space(context, &shape);
  if (!status) status = add(world, shape, floor, &id);
  if (!status) status = scree_shape_create_sphere(context, radius, &shape);
  if (!status) status = add(world, shape, ball, &id);
  if (!status) status = scree_stepper_create(world, &def, &stepper);
  for (double t = 0.0; !status && t < 0.1; t += h) {
    scree_body_state state;
    status = scree_stepper_step(stepper, h, NULL);
    if (!status) status = scree_body_get_state(world, id, &state);
    if (!status) *lift = fmax(*lift, state.position[2] - radius);
  }
  scree_stepper_destroy(stepper);
  scree_world_destroy(world);
  return status;
}

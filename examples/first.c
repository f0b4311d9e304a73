/* The first program of the README: a ball that slides becomes one that rolls, at 5/7 of its speed.
 */
#include <scree/scree.h>
#include <stdio.h>

int main(void) {
  scree_context *context = scree_context_create(NULL);
  scree_world *world;
  scree_shape *ball, *ground;
  scree_stepper *stepper;
  scree_body_id id;
  scree_body_state state;
  scree_world_create(context, NULL, &world);
  scree_shape_create_sphere(context, 0.1, &ball), scree_shape_create_half_space(context, &ground);
  scree_body_def floor = scree_body_def_default(), body = floor;
  floor.kind = SCREE_BODY_FIXED, floor.shape = ground;
  body.shape = ball, body.density = 1000, body.position[2] = 0.1, body.velocity[0] = 1.4;
  scree_world_add_body(world, &floor, NULL), scree_world_add_body(world, &body, &id);
  scree_stepper_create(world, NULL, &stepper);
  for (int k = 0; k < 200; k++)
    if (scree_stepper_step(stepper, 0.005, NULL)) return puts(scree_context_message(context)), 1;
  scree_body_get_state(world, id, &state);
  printf("after 1 s it rolls at %.3f m/s\n", state.velocity[0]);
  scree_stepper_destroy(stepper), scree_world_destroy(world);
  scree_shape_destroy(ball), scree_shape_destroy(ground), scree_context_destroy(context);
}

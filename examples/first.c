/* A ball is thrown along the floor at 1.4 m/s: it slides, then rolls at 5/7 of its speed. */
#include <scree/scree.h>
#include <stdio.h>
#include <stdlib.h>

/* The context keeps what went wrong in words. */
static void must(scree_context *context, scree_status status) {
  if (status == SCREE_OK) return;
  fprintf(stderr, "%s\n", scree_context_message(context));
  exit(1);
}

int main(void) {
  scree_context *context = scree_context_create(NULL);
  if (!context) return 1;
  scree_world *world;
  scree_shape *ball, *ground;
  must(context, scree_world_create(context, NULL, &world));
  must(context, scree_shape_create_sphere(context, 0.1, &ball));
  must(context, scree_shape_create_half_space(context, &ground));

  scree_body_def floor_def = scree_body_def_default();
  floor_def.kind = SCREE_BODY_FIXED;
  floor_def.shape = ground;
  must(context, scree_world_add_body(world, &floor_def, NULL));

  scree_body_id id;
  scree_body_def ball_def = scree_body_def_default();
  ball_def.shape = ball;
  ball_def.density = 1000;    /* kg/m^3 */
  ball_def.position[2] = 0.1; /* m: it touches the floor */
  ball_def.velocity[0] = 1.4; /* m/s */
  must(context, scree_world_add_body(world, &ball_def, &id));

  scree_stepper *stepper;
  must(context, scree_stepper_create(world, NULL, &stepper));
  for (int k = 0; k < 200; k++) must(context, scree_stepper_step(stepper, 0.005, NULL));

  scree_body_state state;
  must(context, scree_body_get_state(world, id, &state));
  printf("after 1 s it rolls at %.3f m/s\n", state.velocity[0]);

  scree_stepper_destroy(stepper);
  scree_world_destroy(world);
  scree_shape_destroy(ball);
  scree_shape_destroy(ground);
  scree_context_destroy(context);
  return 0;
}

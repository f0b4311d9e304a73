/* Positions and rotations from twists. */
#include "step/stepper.h"

void step_integrate(scree_world *world, double h, const v3 *linear, const v3 *angular) {
  world_bodies *b = &world->bodies;
#pragma omp parallel for schedule(static) num_threads(context_team(world->context, b->limit > 2048))
  for (size_t i = 0; i < b->limit; i++) {
    if (!b->alive[i] || b->kind[i] == SCREE_BODY_FIXED) continue;
    b->linear[i] = linear[i];
    b->angular[i] = angular[i];
    const pose end = world_pose_after(world, i, h, linear[i], &b->angular[i]);
    b->position[i] = end.position;
    b->rotation[i] = end.rotation;
  }
  world->time += h;
}

/* Positions and rotations from twists. */
#include "step/stepper.h"

/* Of a change of velocity that is taken over as slow in a step
 * (assemble/joints/stiffness.c). */
static const double slow_part = 0.6;

void step_integrate(scree_world *world, double h, const v3 *linear, const v3 *angular,
                    const uint8_t *shared) {
  world_bodies *b = &world->bodies;
#pragma omp parallel for schedule(static) num_threads(context_team(world->context, b->limit > 2048))
  for (size_t i = 0; i < b->limit; i++) {
    if (!b->alive[i] || b->kind[i] == SCREE_BODY_FIXED || world_sleeps(world, i)) continue;
    if (world_is_dynamic(world, i))
      world_keep_rates(world, i, world_kick(world, i, h), linear[i], angular[i], shared[i]);
    b->linear[i] = linear[i];
    b->angular[i] = angular[i];
    const pose end = world_pose_after(world, i, h, linear[i], &b->angular[i]);
    if (b->slow_turn)
      b->slow_turn[i] =
          v3_add_scaled(b->slow_turn[i], slow_part, v3_sub(b->angular[i], b->slow_turn[i]));
    if (b->slow_way)
      b->slow_way[i] =
          v3_add_scaled(b->slow_way[i], slow_part, v3_sub(b->linear[i], b->slow_way[i]));
    b->position[i] = end.position;
    b->rotation[i] = end.rotation;
  }
  world_forget_late(world);
  periodic_advance(&world->box, h);
  world->time += h;
  world->step = h;
}

/* Fluids: drag and buoyancy on bodies, each as a ball of its volume, diameter d = 2 r.
 *
 *   drag      -s k w,  k = 3 pi viscosity d + 1/8 pi d^2 density C |w|,  w = v - velocity
 *   torque    -s pi viscosity d^3 (angular velocity)
 *   buoyancy  -s density V g
 *
 * s is the part of the ball below the level: a cap of height t has t^2 (3 r - t) / (4 r^3) of its
 * volume.
 *
 * The drag is that of the speed before the step: then a ball sinks with just the speed at which it
 * bears its weight, and one that lies on a floor is not dragged at all. That needs k t < m, with t
 * the time that the force lasts, or w would change its sign. Where speed makes it larger, drag
 * stops w in a step, no more; where viscosity alone does, every speed would be wrong, and the step
 * is refused. */
#include <math.h>

#include "model/world.h"
#include "scene/build/build.h"

static const double pi = 3.14159265358979323846;

/* The part of a ball that is below the level. */
static double part_below(double level, double z, double r) {
  const double t = level - (z - r);
  if (!(t > 0.0)) return 0.0;
  return t >= 2.0 * r ? 1.0 : t * t * (3.0 * r - t) / (4.0 * r * r * r);
}

static double least_inertia(const scree_body_info *info) {
  const double *i = info->principal_inertia;
  return fmin(i[0], fmin(i[1], i[2]));
}

static scree_status push_body(const scene_fluid_keys *k, scree_world *world, scree_body_id id,
                              const double *gravity, double h) {
  scree_body_info info;
  scree_body_state s;
  if (scree_body_get_info(world, id, &info) || info.kind != SCREE_BODY_DYNAMIC ||
      !isfinite(info.diameter) || scree_body_get_shown_state(world, id, &s))
    return SCREE_OK;
  const double d = info.diameter, part = part_below(k->level, info.center[2], 0.5 * d);
  if (part == 0.0) return SCREE_OK;
  const double volume = part * pi / 6.0 * d * d * d, t = world_kick(world, id.index, h);
  double w[3], force[3], torque[3], speed = 0.0;
  for (int i = 0; i < 3; i++) {
    w[i] = s.velocity[i] - k->velocity[i];
    speed += w[i] * w[i];
  }
  const double slow = 3.0 * pi * k->viscosity * d;
  const double fast = pi / 8.0 * d * d * k->density * k->drag_coefficient * sqrt(speed);
  if (slow * t > info.mass)
    return context_fail(scree_world_context(world), SCREE_ERROR_INPUT,
                        "fluid: its viscosity stops body %u within a step; take one below %.2g s",
                        id.index, info.mass / slow);
  const double drag = fmin(part * (slow + fast), info.mass / t);
  for (int i = 0; i < 3; i++) {
    const double turn = part * pi * k->viscosity * d * d * d;
    force[i] = -k->density * volume * gravity[i] - drag * w[i];
    torque[i] = -fmin(turn, least_inertia(&info) / t) * s.angular[i];
  }
  return scree_body_add_force(world, id, force, NULL, torque);
}

scree_status scene_push_fluids(scree_scene *scene, scree_world *world, double h) {
  double gravity[3];
  scree_world_get_gravity(world, gravity);
  const double time = scree_world_time(world);
  for (size_t i = 0; i < scene->fluid_count; i++) {
    const scene_fluid *f = &scene->fluids[i];
    if (time < f->keys.start || time >= f->keys.stop) continue;
    const size_t count = f->count ? f->count : scree_world_body_limit(world);
    for (size_t n = 0; n < count; n++) {
      const scree_body_id id =
          f->count ? scene->bodies[f->first + n] : scree_world_body_at(world, n);
      if (!id.generation || !scree_body_is_valid(world, id)) continue;
      const scree_status status = push_body(&f->keys, world, id, gravity, h);
      if (status) return status;
    }
  }
  return SCREE_OK;
}

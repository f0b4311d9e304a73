/* How much of a box of volume V is solid:
 *
 *   solid fraction   sum of the bodies' volumes within / V; void fraction 1 - that
 *   bulk density     sum of their masses within / V
 *
 * A body counts as the ball of its volume about its centre of mass; of a ball that a side cuts the
 * part within is exact, of one that several sides cut the product of the parts. */
#include <math.h>

#include "sim/sim.h"

/* The part of a unit ball's volume below the plane at x (in radii). */
static double below(double x) {
  if (x <= -1.0) return 0.0;
  if (x >= 1.0) return 1.0;
  return 0.25 * (1.0 + x) * (1.0 + x) * (2.0 - x);
}

double probe_part_within(const double center[3], double radius, const double lower[3],
                         const double upper[3]) {
  double part = 1.0;
  for (int k = 0; k < 3; k++)
    part *= below((upper[k] - center[k]) / radius) - below((lower[k] - center[k]) / radius);
  return part;
}

void probe_region(const scree_world *world, const scree_probe_def *d,
                  double row[PROBE_REGION_COLUMNS]) {
  double solid = 0.0, mass = 0.0, volume = 1.0;
  for (int k = 0; k < 3; k++) volume *= d->upper[k] - d->lower[k];
  for (size_t i = 0; i < scree_world_body_limit(world); i++) {
    scree_body_info info;
    const scree_body_id id = scree_world_body_at(world, i);
    if (!id.generation || scree_body_get_info(world, id, &info)) continue;
    if (info.kind != SCREE_BODY_DYNAMIC || !isfinite(info.diameter)) continue;
    const double r = 0.5 * info.diameter;
    const double part = probe_part_within(info.center, r, d->lower, d->upper);
    solid += part * 4.1887902047863905 * r * r * r;
    mass += part * info.mass;
  }
  row[0] = solid / volume;
  row[1] = 1.0 - row[0];
  row[2] = mass / volume;
  row[3] = mass;
}

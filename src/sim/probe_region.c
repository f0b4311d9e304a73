/* What a bed is like in a box of volume V: how much of it is solid, and the stress.
 *
 *   solid fraction   sum of the bodies' volumes within / V; void fraction 1 - that
 *   bulk density     sum of their masses within / V
 *   coordination     contacts with a force of a body whose centre is within, mean
 *   stress           s_ij = 1/V sum f_i l_j over contacts within (Love, Weber), f on b, l from the
 *                    centre of a to that of b; from or to the contact itself where the other side
 *                    does not move. Pressure is above 0. The mean over the last step.
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

static bool is_within(const double x[3], const scree_probe_def *d) {
  for (int k = 0; k < 3; k++)
    if (!(x[k] >= d->lower[k] && x[k] <= d->upper[k])) return false;
  return true;
}

/* Centre of a moving body; false: it does not move, or is gone. */
static bool moving_center(const scree_world *world, uint32_t index, double center[3]) {
  scree_body_info info;
  const scree_body_id id = scree_world_body_at(world, index);
  if (!id.generation || scree_body_get_info(world, id, &info)) return false;
  for (int k = 0; k < 3; k++) center[k] = info.center[k];
  return info.kind == SCREE_BODY_DYNAMIC;
}

static void add_contacts(const scree_sim *sim, const scree_probe_def *d, double h, double stress[6],
                         double *touches) {
  static const int axis[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  const size_t count = scree_stepper_get_contacts(sim->stepper, 0, NULL);
  for (size_t i = 0; i < count; i++) {
    const scree_contact c = scree_stepper_get_contact(sim->stepper, i);
    double a[3] = {0.0}, b[3] = {0.0};
    if (c.impulse[0] == 0.0 && c.impulse[1] == 0.0 && c.impulse[2] == 0.0) continue;
    const bool a_moves = moving_center(sim->world, c.body_a, a),
               b_moves = moving_center(sim->world, c.body_b, b);
    *touches += (a_moves && is_within(a, d)) + (b_moves && is_within(b, d));
    if (!is_within(c.position, d)) continue;
    for (int k = 0; k < 3; k++) {
      if (!a_moves) a[k] = c.position[k];
      if (!b_moves) b[k] = c.position[k];
    }
    /* Symmetric part: what is left is due to moments. */
    for (int k = 0; k < 6; k++) {
      const int m = axis[k][0], n = axis[k][1];
      stress[k] += 0.5 * (c.impulse[m] * (b[n] - a[n]) + c.impulse[n] * (b[m] - a[m])) / h;
    }
  }
}

scree_status probe_region(const scree_sim *sim, const scree_probe_def *d,
                          double row[PROBE_REGION_COLUMNS]) {
  double solid = 0.0, mass = 0.0, centers = 0.0, touches = 0.0, stress[6] = {0.0}, volume = 1.0;
  for (int k = 0; k < 3; k++) volume *= d->upper[k] - d->lower[k];
  for (size_t i = 0; i < scree_world_body_limit(sim->world); i++) {
    scree_body_info info;
    const scree_body_id id = scree_world_body_at(sim->world, i);
    if (!id.generation || scree_body_get_info(sim->world, id, &info)) continue;
    if (info.kind != SCREE_BODY_DYNAMIC || !isfinite(info.diameter)) continue;
    const double r = 0.5 * info.diameter;
    const double part = probe_part_within(info.center, r, d->lower, d->upper);
    solid += part * 4.1887902047863905 * r * r * r;
    mass += part * info.mass;
    centers += is_within(info.center, d);
  }
  if (sim->totals.steps) add_contacts(sim, d, sim->settings->step, stress, &touches);
  row[0] = solid / volume;
  row[1] = 1.0 - row[0];
  row[2] = mass / volume;
  row[3] = centers > 0.0 ? touches / centers : NAN;
  row[4] = (stress[0] + stress[1] + stress[2]) / (3.0 * volume);
  for (int k = 0; k < 6; k++) row[5 + k] = stress[k] / volume;
  return SCREE_OK;
}

/* A probe of the mean stress and fabric of many bodies in a box of volume V:
 *
 *   stress   s_ij = 1/V ( sum over contacts f_i l_j  +  sum over bodies m w_i w_j )
 *   fabric   F_ij = mean over contacts of n_i n_j
 *
 * f is the force on body b of a contact, l the branch from the centre of mass of a to that of b by
 * way of the point of touch, as far as it lies in the box; a body that does not move has no branch.
 * w is a body's velocity against the mean, or against the mean flow of a periodic box. Along its
 * directions the box of the probe is the whole periodic one: what leaves it comes in again.
 * Pressure counts positive; the stress is made symmetric. Contacts without force are none. */
#include <math.h>
#include <string.h>

#include "model/world.h"
#include "sim/sim.h"
#include "step/stepper.h"

/* The part of the segment from x to y that lies in the box. */
static double part_inside(const scree_probe_def *def, const periodic *box, const double *x,
                          const double *y) {
  double from = 0.0, to = 1.0;
  for (int k = 0; k < 3; k++) {
    if (box->size[k] > 0.0) continue;
    const double d = y[k] - x[k];
    if (d == 0.0) {
      if (x[k] < def->lower[k] || x[k] > def->upper[k]) return 0.0;
      continue;
    }
    const double a = (def->lower[k] - x[k]) / d, b = (def->upper[k] - x[k]) / d;
    from = fmax(from, fmin(a, b));
    to = fmin(to, fmax(a, b));
  }
  return to > from ? to - from : 0.0;
}

static bool is_inside(const scree_probe_def *def, const periodic *box, const double *x) {
  for (int k = 0; k < 3; k++)
    if (box->size[k] > 0.0)
      continue;
    else if (x[k] < def->lower[k] || x[k] > def->upper[k])
      return false;
  return true;
}

typedef struct tensor {
  double at[3][3];
} tensor;

static void add(tensor *t, double weight, const double *a, const double *b) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) t->at[i][j] += weight * a[i] * b[j];
}

static void add_branch(const scree_probe_def *def, const periodic *box, tensor *t,
                       const double *force, const double *x, const double *y) {
  double l[3];
  for (int k = 0; k < 3; k++) l[k] = y[k] - x[k];
  add(t, part_inside(def, box, x, y), force, l);
}

/* Whether the probe looks at a contact's body, and where that, as the image there, is. */
static bool center_of(const scree_world *world, uint32_t index, const double *contact,
                      double *center) {
  scree_body_info info;
  if (scree_body_get_info(world, scree_world_body_at(world, index), &info)) return false;
  v3 at = v3_load(info.center);
  if (world_is_periodic(world))
    at = v3_add(at, periodic_nearest(&world->box, v3_load(contact), at).shift);
  v3_store(center, at);
  return info.kind == SCREE_BODY_DYNAMIC;
}

static double add_contacts(const scree_sim *sim, const scree_probe_def *def, tensor *stress,
                           tensor *fabric) {
  const size_t n = scree_stepper_get_contacts(sim->stepper, 0, NULL);
  const double kick = sim->stepper->assembler->kick;
  double count = 0.0;
  for (size_t k = 0; k < n && kick > 0.0; k++) {
    const scree_contact c = scree_stepper_get_contact(sim->stepper, k);
    const double *p = c.impulse;
    double force[3], a[3], b[3];
    if (p[0] == 0.0 && p[1] == 0.0 && p[2] == 0.0) continue;
    for (int i = 0; i < 3; i++) force[i] = p[i] / kick;
    const periodic *box = &sim->world->box;
    if (center_of(sim->world, c.body_a, c.position, a))
      add_branch(def, box, stress, force, a, c.position);
    if (center_of(sim->world, c.body_b, c.position, b))
      add_branch(def, box, stress, force, c.position, b);
    if (!is_inside(def, box, c.position)) continue;
    add(fabric, 1.0, c.normal, c.normal);
    count += 1.0;
  }
  return count;
}

typedef struct body_sums {
  double count, mass, solid, momentum[3];
} body_sums;

/* Called twice: first for the mean velocity, then for the motion relative to it. */
static void add_bodies(const scree_world *world, const scree_probe_def *def, const double *mean,
                       body_sums *sums, tensor *stress) {
  static const double sixth_pi = 0.52359877559829887;
  const size_t limit = scree_world_body_limit(world);
  for (size_t i = 0; i < limit; i++) {
    const scree_body_id id = scree_world_body_at(world, i);
    scree_body_info info;
    scree_body_state s;
    if (!id.generation || scree_body_get_info(world, id, &info) ||
        scree_body_get_state(world, id, &s) || info.kind != SCREE_BODY_DYNAMIC ||
        !is_inside(def, &world->box, info.center))
      continue;
    if (periodic_moves(&world->box))
      v3_store(s.velocity,
               v3_sub(v3_load(s.velocity), periodic_flow_at(&world->box, v3_load(info.center))));
    if (sums) {
      sums->count += 1.0;
      sums->mass += info.mass;
      if (isfinite(info.diameter)) sums->solid += sixth_pi * pow(info.diameter, 3);
      for (int k = 0; k < 3; k++) sums->momentum[k] += info.mass * s.velocity[k];
    } else {
      double w[3];
      for (int k = 0; k < 3; k++) w[k] = s.velocity[k] - mean[k];
      add(stress, info.mass, w, w);
    }
  }
}

static void put_symmetric(const tensor *t, double scale, double *out) {
  static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 6; k++)
    out[k] = 0.5 * scale * (t->at[at[k][0]][at[k][1]] + t->at[at[k][1]][at[k][0]]);
}

void probe_stress(const scree_sim *sim, const scree_probe_def *def,
                  double row[PROBE_STRESS_COLUMNS]) {
  tensor stress = {{{0}}}, fabric = {{{0}}};
  body_sums sums = {0};
  double volume = 1.0, mean[3] = {0};
  for (int k = 0; k < 3; k++) {
    const double size = sim->world->box.size[k];
    volume *= size > 0.0 ? size : def->upper[k] - def->lower[k];
  }
  add_bodies(sim->world, def, NULL, &sums, NULL);
  for (int k = 0; k < 3 && sums.mass > 0.0; k++) mean[k] = sums.momentum[k] / sums.mass;
  add_bodies(sim->world, def, mean, NULL, &stress);
  const double contacts = add_contacts(sim, def, &stress, &fabric);
  row[0] = sums.count;
  row[1] = contacts;
  row[2] = sums.count > 0.0 ? 2.0 * contacts / sums.count : NAN;
  row[3] = sums.solid / volume;
  put_symmetric(&stress, 1.0 / volume, row + 4);
  put_symmetric(&fabric, contacts > 0.0 ? 1.0 / contacts : NAN, row + 10);
}

/* Random impacts, for the quick test and the long one. */
#ifndef SCREE_TESTS_IMPACTS_H
#define SCREE_TESTS_IMPACTS_H

#include "model/world.h"
#include "tests/physics/physics.h"

static uint64_t random_state = 1;

static inline double even(double least, double most) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return least + (most - least) * (double)(random_state >> 11) * 0x1p-53;
}

static inline lab open_lab(double e, double mu, bool heavy) {
  lab l = lab_open(0.0, 0.0);
  const double none[3] = {0, 0, 0};
  l.def.solver = NULL;
  l.def.tolerance_residual = 1e-10; /* what a solve leaves over must not show in the energy */
  l.law.restitution = e;
  l.law.friction = mu;
  if (!heavy) ok(&l, scree_world_set_gravity(l.world, none));
  return l;
}

static inline double kinetic(lab *l) {
  const scree_energy e = scree_world_get_energy(l->world);
  return e.linear + e.angular;
}

/* By the velocities that bodies have in the middle of a step, without a reading between. */
static inline double kinetic_inside(lab *l) {
  const world_bodies *b = &l->world->bodies;
  double sum = 0.0;
  for (size_t i = 0; i < b->limit; i++) {
    if (!world_is_dynamic(l->world, i)) continue;
    const v3 w = quat_rotate_inverse(b->rotation[i], b->angular[i]), j = b->inertia[i];
    sum += 0.5 * b->mass[i] * v3_norm2(b->linear[i]) +
           0.5 * (j.x * w.x * w.x + j.y * w.y * w.y + j.z * w.z * w.z);
  }
  return sum;
}

static inline scree_shape *any_solid(lab *l, bool even_inertia) {
  scree_shape *s;
  const double size[3] = {even(0.01, 0.1), even(0.01, 0.1), even(0.01, 0.1)};
  const double cube[3] = {size[0], size[0], size[0]};
  switch ((int)even(0.0, even_inertia ? 2.0 : 6.0)) {
  case 0:
    ok(l, scree_shape_create_sphere(l->context, size[0], &s));
    break;
  case 1:
    ok(l, even_inertia ? scree_shape_create_box(l->context, cube, &s)
                       : scree_shape_create_ellipsoid(l->context, size, &s));
    break;
  case 2:
    ok(l, scree_shape_create_capsule(l->context, size[0], size[1], &s));
    break;
  case 3:
    ok(l, scree_shape_create_cylinder(l->context, size[0], size[1], &s));
    break;
  default:
    ok(l, scree_shape_create_box(l->context, size, &s));
  }
  return s;
}

/* Some solids in a row that run into each other and, half of the time, into a floor, with spin and
 * without gravity. Kinetic energy must not grow in any step, but for what is no impact: the free
 * turn of uneven bodies (1e-4 of it in a step), and overlaps that are pushed out, of the start of
 * the step or, after a look, of its end (a hundredth). */
static inline void throw_some(double e, double mu, int count, bool even_inertia) {
  lab l = open_lab(e, mu, false);
  if (even(0.0, 1.0) < 0.5) lab_add_floor(&l);
  for (int k = 0; k < count; k++) {
    scree_body_def d = scree_body_def_default();
    for (int m = 0; m < 3; m++) d.position[m] = even(-0.02, 0.02);
    for (int m = 0; m < 3; m++) d.velocity[m] = even(-1.0, 1.0);
    for (int m = 0; m < 3; m++) d.angular[m] = even(-10.0, 10.0);
    for (int m = 0; m < 4; m++) d.rotation[m] = even(-1.0, 1.0);
    d.position[2] = 0.25 + 0.4 * k;
    d.velocity[2] = -3.0 * k - 1.0;
    lab_add(&l, d, any_solid(&l, even_inertia));
  }
  const scree_material_id all = {0};
  ok(&l, scree_world_set_material(l.world, all, &l.law));
  ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
  double before = kinetic_inside(&l);
  for (int i = 0; i < 60; i++) {
    scree_step_info info;
    ok(&l, scree_stepper_step(l.stepper, 0.005, &info));
    const double after = kinetic_inside(&l);
    const bool pushed = info.penetration > 0.0 || info.looks > 0;
    const double allowed = pushed ? 1e-2 : even_inertia ? 1e-9 : 1e-4;
    if (!(after <= before * (1.0 + allowed)))
      fail_msg("e = %g, mu = %g, %d bodies: energy %g becomes %g in step %d, overlap %g m", e, mu,
               count, before, after, i, info.penetration);
    before = after;
  }
  lab_close(&l);
}

/* e = 1, e = 0 and anything between, one to five bodies. */
static inline void throw_many(int scenes) {
  random_state = 3;
  for (int k = 0; k < scenes; k++)
    throw_some(k % 4 == 0   ? 1.0
               : k % 4 == 1 ? 0.0
                            : even(0.0, 1.0),
               even(0.0, 1.0), 1 + k % 5, k % 3 == 0);
}

#endif

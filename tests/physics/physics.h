/* What physics tests share: a small world on a plane, stepped with the exact model. */
#ifndef SCREE_TESTS_PHYSICS_H
#define SCREE_TESTS_PHYSICS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"
#include "tests/support/sanitized.h"

static const double pi = 3.141592653589793, earth = 9.81;

typedef struct lab {
  scree_context *context;
  scree_world *world;
  scree_stepper *stepper;
  scree_stepper_def def;
  scree_material_def law; /* of all surfaces */
} lab;

static inline void assert_near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

static inline void ok(lab *l, scree_status status) {
  if (status) fail_msg("%s", scree_context_message(l->context));
}

/* Gravity of the usual size, tilted by `angle` towards the horizontal direction `azimuth`. */
static inline lab lab_open(double angle, double azimuth) {
  lab l = {.def = scree_stepper_def_default(), .law = scree_material_def_default()};
  scree_world_def w = scree_world_def_default();
  w.gravity[0] = earth * sin(angle) * cos(azimuth);
  w.gravity[1] = earth * sin(angle) * sin(azimuth);
  w.gravity[2] = -earth * cos(angle);
  scree_context_def c = scree_context_def_default();
  c.threads = 1;
  l.context = scree_context_create(&c);
  ok(&l, scree_world_create(l.context, &w, &l.world));
  l.def.solver = "gs";
  l.def.model = SCREE_MODEL_COULOMB;
  l.def.tolerance_residual = 1e-10;
  l.def.iteration_limit = 5000;
  return l;
}

static inline void lab_close(lab *l) {
  scree_stepper_destroy(l->stepper);
  scree_world_destroy(l->world);
  assert_int_equal(scree_context_bytes(l->context), 0);
  scree_context_destroy(l->context);
}

static inline scree_body_id lab_add(lab *l, scree_body_def d, scree_shape *shape) {
  scree_body_id id;
  d.shape = shape;
  ok(l, scree_world_add_body(l->world, &d, &id));
  scree_shape_destroy(shape);
  return id;
}

static inline scree_body_id lab_add_floor(lab *l) {
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_FIXED;
  ok(l, scree_shape_create_half_space(l->context, &s));
  return lab_add(l, d, s);
}

static inline scree_body_id lab_add_ball(lab *l, double radius, double z, double vx) {
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  d.position[2] = z;
  d.velocity[0] = vx;
  ok(l, scree_shape_create_sphere(l->context, radius, &s));
  return lab_add(l, d, s);
}

static inline scree_body_id lab_add_box(lab *l, double x, double y, double z, double at) {
  scree_shape *s;
  const double half[3] = {0.5 * x, 0.5 * y, 0.5 * z};
  scree_body_def d = scree_body_def_default();
  d.position[2] = at;
  ok(l, scree_shape_create_box(l->context, half, &s));
  return lab_add(l, d, s);
}

/* Steps to a time; the first call makes the stepper. Every step must converge. */
static inline scree_step_info lab_run(lab *l, double h, double seconds) {
  scree_step_info info = {0};
  const scree_material_id all = {0};
  if (!l->stepper) {
    ok(l, scree_world_set_material(l->world, all, &l->law));
    ok(l, scree_stepper_create(l->world, &l->def, &l->stepper));
  }
  const size_t steps = (size_t)(seconds / h + 0.5);
  for (size_t i = 0; i < steps; i++) {
    ok(l, scree_stepper_step(l->stepper, h, &info));
    if (!info.converged)
      fail_msg("step %zu: %s, R = %g", i, scree_outcome_text(info.outcome), info.residual);
  }
  return info;
}

static inline scree_body_state lab_state(lab *l, scree_body_id id) {
  scree_body_state s;
  ok(l, scree_body_get_state(l->world, id, &s));
  return s;
}

#endif

/* Steps of a machine as problems: every solver that takes them agrees with the direct one, to 1e-8
 * of the fastest body; auto takes the direct one; a long chain takes it one factorisation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/timer.h"
#include "ccp/operator.h"
#include "scree/scree.h"

static scree_context *context;

static void ok(scree_status status) {
  if (status) fail_msg("%s", scree_context_message(context));
}

static scree_body_id link_at(scree_world *w, double x) {
  scree_body_def d = scree_body_def_default();
  scree_body_id id;
  const double half[3] = {0.05, 0.02, 0.02};
  ok(scree_shape_create_box(context, half, &d.shape));
  d.position[0] = x;
  d.collides_with = 0;
  ok(scree_world_add_body(w, &d, &id));
  scree_shape_destroy(d.shape);
  return id;
}

/* An arm of `links` with motors, brakes and stops, whose end is tied back by a rope and a bar: a
 * closed loop with redundant rows. */
static scree_world *build(int links, bool plain) {
  scree_world *w;
  scree_body_id before = {0};
  ok(scree_world_create(context, NULL, &w));
  for (int k = 0; k < links; k++) {
    const scree_body_id id = link_at(w, 0.1 * k + 0.05);
    scree_joint_def j = scree_joint_def_default();
    j.kind = plain ? SCREE_JOINT_BALL : SCREE_JOINT_HINGE;
    j.body_a = before;
    j.body_b = id;
    j.anchor[0] = 0.1 * k;
    j.axis[1] = 1.0;
    j.axis[2] = 0.0;
    if (!plain) {
      scree_coordinate_def *c = &j.coordinate[0];
      if (k % 3 == 0) c->motor = SCREE_MOTOR_POSITION, c->motor_value = -0.1, c->motor_limit = 0.3;
      if (k % 3 == 0) c->motor_stiffness = 500.0, c->motor_damping = 1.0;
      if (k % 3 == 1) c->friction = 0.05;
      if (k % 3 == 2) c->limits[1] = 0.002;
      if (k % 3 == 2) c->stiffness = 20.0;
    }
    ok(scree_world_add_joint(w, &j, NULL));
    before = id;
  }
  if (plain) return w;
  scree_joint_def slot = scree_joint_def_default();
  slot.kind = SCREE_JOINT_PLANAR; /* the hinges hold all of it already */
  slot.body_b = before;
  slot.anchor[0] = 0.1 * links;
  slot.axis[1] = 1.0;
  slot.axis[2] = 0.0;
  ok(scree_world_add_joint(w, &slot, NULL));
  scree_joint_def rope = scree_joint_def_default();
  rope.kind = SCREE_JOINT_ROPE;
  rope.body_b = before;
  rope.anchor[2] = 0.5;
  rope.anchor_b[0] = 0.1 * links;
  rope.anchor_b[1] = rope.anchor_b[2] = 0.0;
  ok(scree_world_add_joint(w, &rope, NULL));
  return w;
}

static scree_stepper *run(scree_world *w, const char *solver, int steps, scree_step_info *info) {
  scree_stepper_def d = scree_stepper_def_default();
  scree_stepper *s;
  d.solver = solver;
  d.tolerance_residual = 1e-9;
  ok(scree_stepper_create(w, &d, &s));
  for (int k = 0; k < steps; k++) ok(scree_stepper_step(s, 5e-3, info));
  return s;
}

static bool solve(const char *name, const scree_ccp *p, double tolerance, double *g,
                  scree_solve_info *info) {
  scree_solver *solver;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_RELAXED;
  settings.tolerance_residual = tolerance;
  settings.tolerance_error = 0.0;
  settings.iteration_limit = 400000;
  settings.time_limit = 3.0;
  ok(scree_solver_create(context, name, &solver));
  memset(g, 0, scree_ccp_row_count(p) * sizeof *g);
  const scree_status status = scree_solver_solve(solver, p, &settings, g, info);
  scree_solver_destroy(solver);
  return status == SCREE_OK && info->outcome == SCREE_OUTCOME_SOLVED;
}

static void test_agreement(void **state) {
  (void)state;
  scree_world *w = build(9, false);
  scree_step_info info;
  scree_stepper *s = run(w, "direct", 40, &info);
  assert_true(info.converged);
  assert_string_equal(info.method, "direct");
  const scree_ccp *p = scree_stepper_problem(s);
  const size_t rows = scree_ccp_row_count(p), n = scree_ccp_velocity_count(p);
  double *g = malloc(rows * sizeof *g), *v = malloc(n * sizeof *v), *u = malloc(n * sizeof *u);
  ccp_operator *op;
  scree_solve_info solved;
  size_t agreed = 0;
  ok(op_create(context, p, &op));
  assert_true(solve("direct", p, 1e-10, g, &solved));
  op->class->velocity(op, g, v);
  double fastest = 0.0;
  for (size_t k = 0; k < n; k++) fastest = fmax(fastest, fabs(v[k]));
  assert_true(fastest > 0.0);
  for (size_t i = 0; i < scree_solver_count(); i++) {
    const char *name = scree_solver_name(i);
    /* First-order methods that need minutes for these digits are left out by the time limit. */
    if (!solve(name, p, 1e-10, g, &solved)) continue;
    op->class->velocity(op, g, u);
    for (size_t k = 0; k < n; k++)
      if (!(fabs(u[k] - v[k]) < 1e-8 * fastest))
        fail_msg("%s: %.12g is not %.12g", name, u[k], v[k]);
    agreed++;
  }
  assert_true(agreed >= 5);
  static const char *const sure[] = {"auto", "prox", "ipm", "direct"};
  for (size_t k = 0; k < 4; k++) assert_true(solve(sure[k], p, 1e-10, g, &solved));
  op_destroy(op);
  free(g);
  free(v);
  free(u);
  scree_stepper_destroy(s);
  scree_world_destroy(w);
}

static void test_chains(void **state) {
  (void)state;
  static const int links[] = {10, 100, 1000};
  for (int k = 0; k < 3; k++) {
    scree_world *w = build(links[k], true);
    scree_step_info info;
    scree_stepper *s = run(w, "auto", 2, &info);
    assert_true(info.converged && info.residual < 1e-9);
    assert_string_equal(info.method, "direct");
    assert_true(info.iterations <= 3); /* a factorisation a solve */
    scree_stepper_destroy(s);
    scree_world_destroy(w);
  }
}

int main(void) {
  timer_use(TIMER_CPU); /* limits of time are the same on a busy machine */
  context = scree_context_create(NULL);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_agreement),
                                     cmocka_unit_test(test_chains)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  scree_context_destroy(context);
  return failed;
}

/* Rows of joints that depend on each other, in smooth motion: every linear solver has the same
 * motion and the same reactions, those of least norm, wherever the mechanism has gone meanwhile;
 * and the joints concerned are named. `mumps` finds the least norm by null vectors, the others by
 * how they go to their solution: they judge each other. */
#include <stdio.h>

#include "base/context.h"
#include "tests/physics/physics.h"

enum { BARS = 3, JOINTS = BARS + 1 };

typedef struct result {
  double place[BARS][3], force[JOINTS][6];
} result;

/* A four-bar linkage of hinges about y; gravity is askew, so that loads along y go through the rows
 * of which three are too many. */
static void build(lab *l) {
  const double corner[JOINTS][3] = {{0, 0, 0}, {0.1, 0, 0.3}, {0.6, 0, 0.45}, {0.5, 0, 0}};
  const double askew[3] = {0.5, 3.0, -9.81};
  scree_body_id before = {0};
  ok(l, scree_world_set_gravity(l->world, askew));
  for (int k = 0; k <= BARS; k++) {
    scree_body_id id = {0};
    if (k < BARS) {
      scree_body_def d = scree_body_def_default();
      scree_shape *s;
      const double half[3] = {0.1 + 0.05 * k, 0.02, 0.03};
      ok(l, scree_shape_create_box(l->context, half, &s));
      for (int i = 0; i < 3; i++) d.position[i] = 0.5 * (corner[k][i] + corner[k + 1][i]);
      d.collides_with = 0;
      id = lab_add(l, d, s);
    }
    scree_joint_def j = scree_joint_def_default();
    j.kind = SCREE_JOINT_HINGE;
    j.body_a = before, j.body_b = id;
    if (k == BARS) j.body_b = before, j.body_a = id; /* the world is side a */
    memcpy(j.anchor, corner[k], sizeof j.anchor);
    j.axis[1] = 1.0, j.axis[2] = 0.0;
    ok(l, scree_world_add_joint(l->world, &j, NULL));
    before = id;
  }
}

static void measure(lab *l, result *out) {
  for (size_t k = 0; k < BARS; k++) {
    scree_body_state s;
    ok(l, scree_body_get_state(l->world, scree_world_body_at(l->world, k), &s));
    memcpy(out->place[k], s.position, sizeof s.position);
  }
  for (size_t k = 0; k < JOINTS; k++) {
    scree_joint_state s;
    ok(l, scree_joint_get_state(l->world, scree_world_joint_at(l->world, k), &s));
    memcpy(out->force[k], s.force, sizeof s.force);
    memcpy(out->force[k] + 3, s.torque, sizeof s.torque);
  }
}

/* False: this build has not got the solver. */
static bool swing(const char *stepper, const char *newton, const char *linear, result *out) {
  lab l = lab_open(0.0, 0.0);
  build(&l);
  l.def.stepper = stepper;
  ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
  ok(&l, scree_stepper_set(l.stepper, "linear_solver", linear));
  if (newton) ok(&l, scree_stepper_set(l.stepper, "newton", newton));
  for (int n = 0; n < 150; n++) {
    scree_step_info info;
    const scree_status status = scree_stepper_step(l.stepper, 0.004, &info);
    if (status == SCREE_ERROR_UNSUPPORTED) {
      lab_close(&l);
      return false;
    }
    ok(&l, status);
    assert_true(info.converged);
  }
  measure(&l, out);
  lab_close(&l);
  return true;
}

static void compare(const result *a, const result *b) {
  for (int k = 0; k < BARS; k++)
    for (int i = 0; i < 3; i++) assert_near(a->place[k][i], b->place[k][i], 1e-9);
  for (int k = 0; k < JOINTS; k++)
    for (int i = 0; i < 6; i++) assert_near(a->force[k][i], b->force[k][i], 2e-5);
}

static void test_same(void **state) {
  (void)state;
  static const char *const steppers[] = {"hht",         "generalized-alpha", "newmark",
                                         "trapezoidal", "euler-implicit",    "euler-linearized"};
  for (size_t i = 0; i < sizeof steppers / sizeof *steppers; i++) {
    result first, other;
    const bool newton = strcmp(steppers[i], "euler-linearized") != 0;
    assert_true(swing(steppers[i], newton ? "full" : NULL, "direct", &first));
    for (size_t k = 1; k < scree_linear_solver_count(); k++)
      if (swing(steppers[i], newton ? "full" : NULL, scree_linear_solver_name(k), &other))
        compare(&first, &other);
    if (newton && swing(steppers[i], "modified", "direct", &other)) compare(&first, &other);
  }
}

/* The sum of reactions that the bars feel along y holds them all; of least norm are those that do
 * not pull bars apart for nothing: without a load along y all rows along y rest. */
static void test_idle(void **state) {
  (void)state;
  lab l = lab_open(0.0, 0.0);
  const double down[3] = {0.0, 0.0, -9.81};
  result r;
  build(&l);
  ok(&l, scree_world_set_gravity(l.world, down));
  l.def.stepper = "hht";
  ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
  for (int n = 0; n < 100; n++) ok(&l, scree_stepper_step(l.stepper, 0.004, NULL));
  measure(&l, &r);
  for (int k = 0; k < JOINTS; k++) {
    assert_near(r.force[k][1], 0.0, 1e-7);
    assert_near(r.force[k][3], 0.0, 1e-7);
    assert_near(r.force[k][5], 0.0, 1e-7);
  }
  lab_close(&l);
}

static void take(void *user, scree_log_level level, const char *message) {
  char *text = user;
  (void)level;
  const size_t used = strlen(text);
  snprintf(text + used, 2000 - used, "%s\n", message);
}

static void test_named(void **state) {
  (void)state;
  char text[2000] = "";
  lab l = lab_open(0.0, 0.0);
  l.context->log = take;
  l.context->log_user = text;
  build(&l);
  l.def.stepper = "hht";
  ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
  for (int n = 0; n < 3; n++) ok(&l, scree_stepper_step(l.stepper, 0.004, NULL));
  const char *line = "stepper hht: joint 3 (hinge): 3 of its 5 rows are redundant";
  char *found = strstr(text, line);
  assert_non_null(found);
  assert_null(strstr(found + 1, line)); /* said once */
  lab_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same), cmocka_unit_test(test_idle),
                                     cmocka_unit_test(test_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

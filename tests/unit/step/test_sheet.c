/* The sheet of steppers and solvers: every pair is tried on a ball that slides on the ground, a
 * four-bar linkage with rows too many, and an elastic rod. What the sheet says works comes to where
 * the default solver comes to; what it says does not is refused with a reason. */
#include <stdio.h>
#include <string.h>

#include "tests/physics/physics.h"

static const scree_body_id ground = {0};

static scree_body_id ball(lab *l, double x, double z, double vx) {
  scree_body_def d = scree_body_def_default();
  scree_shape *shape;
  ok(l, scree_shape_create_sphere(l->context, 0.1, &shape));
  d.position[0] = x, d.position[2] = z;
  d.velocity[0] = vx;
  return lab_add(l, d, shape);
}

static scree_body_id sliding(lab *l) {
  scree_body_def d = scree_body_def_default();
  scree_shape *shape;
  ok(l, scree_shape_create_half_space(l->context, &shape));
  d.kind = SCREE_BODY_FIXED;
  lab_add(l, d, shape);
  return ball(l, 0.0, 0.1, 1.0);
}

static void hinge(lab *l, scree_body_id a, scree_body_id b, double x, double z) {
  scree_joint_def j = scree_joint_def_default();
  j.kind = SCREE_JOINT_HINGE;
  j.body_a = a, j.body_b = b;
  j.anchor[0] = x, j.anchor[2] = z;
  j.axis[1] = 1.0, j.axis[2] = 0.0;
  ok(l, scree_world_add_joint(l->world, &j, NULL));
}

/* Two cranks and a coupler, three rows too many. */
static scree_body_id linkage(lab *l) {
  const scree_body_id left = ball(l, 0.3, 0.5, 0.0), right = ball(l, 1.3, 0.5, 0.0),
                      top = ball(l, 1.1, 1.0, 0.0);
  hinge(l, ground, left, 0.0, 0.0);
  hinge(l, left, top, 0.6, 1.0);
  hinge(l, top, right, 1.6, 1.0);
  hinge(l, right, ground, 1.0, 0.0);
  return top;
}

static scree_body_id rod(lab *l) {
  scree_body_id before = ground, id = ground;
  for (int k = 0; k < 3; k++) {
    id = ball(l, 0.5 * (k + 1), 1.0, 0.0);
    scree_link_def d = scree_link_def_default();
    d.kind = SCREE_LINK_BEAM;
    d.body[0] = before, d.body[1] = id;
    d.point[0][0] = 0.5 * k, d.point[1][0] = 0.5 * (k + 1);
    d.point[0][2] = d.point[1][2] = 1.0;
    d.young = 1e9, d.shear = 4e8, d.area = 1e-4, d.rayleigh = 1e-3;
    d.inertia_y = d.inertia_z = 1e-8, d.torsion = 2e-8;
    ok(l, scree_world_add_link(l->world, &d, NULL));
    before = id;
  }
  return id;
}

typedef scree_body_id builder(lab *l);

/* Where the body is after ten steps; false: refused, and not with the reason. */
static bool try(builder *build, const scree_pair *p, bool exact, double *place) {
  lab l = lab_open(0.0, 0.0);
  const scree_body_id id = build(&l);
  l.def.stepper = p->stepper;
  l.def.solver = p->linear || !p->works ? NULL : p->solver;
  l.def.model = exact ? SCREE_MODEL_COULOMB : SCREE_MODEL_RELAXED;
  l.def.retry_halvings = 0;
  l.def.iteration_limit = 20000;
  l.def.tolerance_residual = 1e-4;
  scree_status status = scree_stepper_create(l.world, &l.def, &l.stepper);
  if (!status && p->linear) status = scree_stepper_set(l.stepper, "linear_solver", p->solver);
  scree_step_info info = {.converged = true};
  for (int n = 0; n < 10 && !status && info.converged; n++)
    status = scree_stepper_step(l.stepper, 1e-3, &info);
  scree_body_state s;
  if (!status) ok(&l, scree_body_get_state(l.world, id, &s));
  const bool done = !status && info.converged;
  if (done) memcpy(place, s.position, 3 * sizeof *place);
  if (!done && getenv("SHOW"))
    printf("%s with %s: %s\n", p->stepper, p->solver, scree_context_message(l.context));
  if (status == SCREE_ERROR_UNSUPPORTED && p->linear && p->works) /* a build without it */
    assert_non_null(strstr(scree_context_message(l.context), "take 'direct'"));
  lab_close(&l);
  return done;
}

static void check(builder *build, const scree_pair *p, bool wanted, bool exact) {
  const scree_pair usual = {.stepper = p->stepper, .solver = "auto", .works = true};
  double at[3], there[3];
  const bool done = try(build, p, exact, at);
  if (p->linear && strcmp(p->solver, "mumps") == 0 && !done) return;
  if (done != wanted) fail_msg("%s with %s: the sheet is wrong", p->stepper, p->solver);
  if (!done) return;
  assert_true(try(build, &usual, exact, there));
  for (int i = 0; i < 3; i++) assert_near(at[i], there[i], 2e-5);
}

static void test_pairs(void **state) {
  (void)state;
  size_t working = 0;
  for (size_t i = 0; i < scree_pair_count(); i++) {
    const scree_pair p = scree_pair_at(i);
    if (!p.works) {
      assert_non_null(strstr(p.reason, p.linear ? "auto" : "direct"));
      continue;
    }
    working++;
    assert_string_equal(p.reason, "");
    if (!p.linear) check(sliding, &p, p.contacts && !p.elements_alone, p.exact);
    if (!p.elements_alone) check(linkage, &p, p.joints && p.redundant, p.exact);
    check(rod, &p, p.elements, p.exact);
  }
  assert_int_equal(working, scree_solver_count() +
                                (scree_stepper_count() - 1) * scree_linear_solver_count());
  assert_string_equal(scree_pair_at(scree_pair_count()).reason, "there is no such pair");
}

static void test_refused(void **state) {
  (void)state;
  lab l = lab_open(0.0, 0.0);
  sliding(&l);
  ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
  assert_int_equal(scree_stepper_set(l.stepper, "linear_solver", "minres"),
                   SCREE_ERROR_UNSUPPORTED);
  assert_non_null(strstr(scree_context_message(l.context), "cone problems"));
  lab_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

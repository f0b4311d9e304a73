/* Loads that begin on the way act from that moment, and the velocities that joints and contacts see
 * are those that these allow: a shaft that drives a heavy rack, boxes at rest, a free body. */
#include "physics.h"

static const double h = 5e-3;
static const scree_body_id ground = {0};

typedef struct drive {
  scree_body_id shaft, rack;
  scree_joint_id hinge;
} drive;

/* A light shaft (4e-5 kg m^2) with a damper moves a rack of 0.4 kg by 2 cm/rad: 2e-4 kg m^2 in all.
 */
static drive add_drive(lab *l, double damping) {
  drive d;
  scree_shape *s;
  scree_body_def b = scree_body_def_default();
  b.mass = 0.2;
  ok(l, scree_shape_create_cylinder(l->context, 0.02, 0.015, &s));
  d.shaft = lab_add(l, b, s);
  b.mass = 0.4;
  b.position[0] = 1.0;
  ok(l, scree_shape_create_sphere(l->context, 0.05, &s));
  d.rack = lab_add(l, b, s);
  scree_joint_def j = scree_joint_def_default();
  j.kind = SCREE_JOINT_HINGE;
  j.body_a = ground;
  j.body_b = d.shaft;
  j.coordinate[0].damping = damping;
  j.coordinate[0].motor = SCREE_MOTOR_TORQUE;
  ok(l, scree_world_add_joint(l->world, &j, &d.hinge));
  j = scree_joint_def_default();
  j.kind = SCREE_JOINT_SLIDER;
  j.body_a = ground;
  j.body_b = d.rack;
  j.anchor[0] = 1.0;
  j.axis[0] = 1.0;
  j.axis[2] = 0.0;
  ok(l, scree_world_add_joint(l->world, &j, NULL));
  j = scree_joint_def_default();
  j.kind = SCREE_JOINT_RACK_PINION;
  j.body_a = d.shaft;
  j.body_b = d.rack;
  j.body_c = ground;
  j.axis_b[0] = 1.0;
  j.ratio = 0.02;
  ok(l, scree_world_add_joint(l->world, &j, NULL));
  return d;
}

static lab open_lab(void) {
  lab l = lab_open(0.0, 0.0);
  const double none[3] = {0, 0, 0};
  l.def.solver = "auto";
  ok(&l, scree_world_set_gravity(l.world, none));
  return l;
}

static double angle_of(lab *l, const drive *d) {
  scree_coordinate_state s;
  ok(l, scree_joint_get_coordinate(l->world, d->hinge, 0, &s));
  return s.position;
}

/* Without a damper x = T t^2 / (2 I) to rounding, whatever the torque. */
static void a_torque_drives_what_is_geared(void **state) {
  (void)state;
  for (int k = 0; k < 5; k++) {
    const double torque = pow(10.0, k - 4);
    lab l = open_lab();
    const drive d = add_drive(&l, 0.0);
    lab_run(&l, h, 0.05);
    ok(&l, scree_joint_set_motor(l.world, d.hinge, SCREE_MOTOR_TORQUE, torque, INFINITY));
    lab_run(&l, h, 0.05);
    const double angle = 0.5 * torque / 2e-4 * 0.05 * 0.05;
    assert_near(angle_of(&l, &d), angle, 1e-9 * angle);
    lab_close(&l);
  }
}

/* With a stiff one (c h / I = 1.25) the motion is in proportion to the torque, never goes beyond
 * the final speed T / c by more than the rule of the middle does, and the motor gives what kinetic
 * energy and damper take, from the first step on. */
static void a_damper_sees_no_speed_that_was_not_there(void **state) {
  (void)state;
  double first = 0.0;
  for (int k = 0; k < 4; k++) {
    const double torque = 0.01 * pow(10.0, k), damping = 0.05;
    lab l = open_lab();
    const drive d = add_drive(&l, damping);
    lab_run(&l, h, 0.05);
    ok(&l, scree_joint_set_motor(l.world, d.hinge, SCREE_MOTOR_TORQUE, torque, INFINITY));
    double last = 0.0;
    for (int n = 0; n < 6; n++) {
      const scree_step_info info = lab_run(&l, h, h);
      const double angle = angle_of(&l, &d);
      assert_true(angle > last);
      assert_true(angle - last < 1.1 * h * torque / damping);
      assert_true(info.ledger.motors > 0.0 && info.ledger.joints > 0.0);
      assert_near(info.ledger.error, 0.0, 1e-9 * info.ledger.motors);
      assert_int_equal(info.damped_bodies, 0);
      last = angle;
    }
    if (!k) first = last / torque;
    assert_near(last / torque, first, 1e-9 * first);
    lab_close(&l);
  }
}

/* Gravity that doubles, or a push from above, is no impact on a floor that gives back 0.8. */
static void what_rests_does_not_bounce(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    lab l = lab_open(0.0, 0.0);
    l.def.solver = "auto";
    l.law.restitution = 0.8;
    l.law.restitution_threshold = 1e-3;
    lab_add_floor(&l);
    const scree_body_id box = lab_add_box(&l, 0.1, 0.1, 0.1, 0.05);
    lab_run(&l, h, 0.1);
    const double more[3] = {0, 0, -100.0}, push[3] = {0, 0, -1e3}, none[3] = {0, 0, 0};
    if (k)
      ok(&l, scree_body_set_force(l.world, box, push, none));
    else
      ok(&l, scree_world_set_gravity(l.world, more));
    for (int n = 0; n < 20; n++) {
      const scree_step_info info = lab_run(&l, h, h);
      assert_int_equal(info.impacts, 0);
      assert_near(lab_state(&l, box).velocity[2], 0.0, 1e-9);
      assert_near(lab_state(&l, box).position[2], 0.05, 1e-9);
    }
    lab_close(&l);
  }
}

/* A free body keeps the velocity that is shown when a load begins or ends, and goes on as x = v t +
 * a t^2 / 2; its ledger closes. Steps that follow may have another length. */
static void a_free_body_is_exact(void **state) {
  (void)state;
  static const double lengths[] = {5e-3, 2e-3, 7e-3};
  for (int k = 0; k < 3; k++) {
    lab l = lab_open(0.0, 0.0);
    const double push[3] = {30.0, 0, 0}, none[3] = {0, 0, 0};
    scree_body_def def = scree_body_def_default();
    scree_shape *s;
    def.mass = 2.0;
    ok(&l, scree_shape_create_sphere(l.context, 0.1, &s));
    const scree_body_id ball = lab_add(&l, def, s);
    lab_run(&l, h, 0.05);
    ok(&l, scree_body_set_force(l.world, ball, push, none));
    assert_near(lab_state(&l, ball).velocity[2], -earth * 0.05, 1e-12);
    assert_near(lab_state(&l, ball).velocity[0], 0.0, 1e-15);
    for (int n = 0; n < 10; n++) {
      const scree_step_info info = lab_run(&l, lengths[k], lengths[k]);
      assert_near(info.ledger.error, 0.0, 1e-12);
    }
    const double t = 10 * lengths[k];
    assert_near(lab_state(&l, ball).velocity[0], 15.0 * t, 1e-12);
    assert_near(lab_state(&l, ball).position[0], 0.5 * 15.0 * t * t, 1e-12);
    ok(&l, scree_body_set_force(l.world, ball, none, none));
    lab_run(&l, lengths[k], lengths[k]);
    assert_near(lab_state(&l, ball).velocity[0], 15.0 * t, 1e-12);
    assert_near(lab_state(&l, ball).position[2], -0.5 * earth * pow(0.05 + t + lengths[k], 2),
                1e-12);
    lab_close(&l);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_torque_drives_what_is_geared),
                                     cmocka_unit_test(a_damper_sees_no_speed_that_was_not_there),
                                     cmocka_unit_test(what_rests_does_not_bounce),
                                     cmocka_unit_test(a_free_body_is_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

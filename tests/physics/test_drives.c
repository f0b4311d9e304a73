/* Belts, brakes, clutches and impacts of one ball, against closed forms. */
#include "physics.h"

/* A block on a slope is carried by the surface of a turned, fixed body: it slides with
 * a = mu g cos - g sin until it has the belt's speed, and rides along from then on. The part of the
 * surface's velocity across the surface does not count. */
static void a_belt_carries_a_block(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    const double angle = 0.1 * k, mu = 0.6, speed = 1.0, h = 1e-3, turn = 0.7 * k;
    lab l = lab_open(angle, 0.0); /* down the slope is +x */
    scree_material_id belt;
    l.law.friction = mu;
    scree_material_def m = l.law;
    /* Up the slope, in the frame of a body that is turned about the normal. */
    m.surface_velocity[0] = -speed * cos(turn);
    m.surface_velocity[1] = speed * sin(turn);
    m.surface_velocity[2] = 0.5;
    ok(&l, scree_world_add_material(l.world, &m, &belt));
    scree_shape *s;
    scree_body_def d = scree_body_def_default();
    d.kind = SCREE_BODY_FIXED;
    d.material = belt;
    d.rotation[0] = cos(0.5 * turn);
    d.rotation[3] = sin(0.5 * turn);
    ok(&l, scree_shape_create_half_space(l.context, &s));
    lab_add(&l, d, s);
    l.def.solver = "auto";
    const scree_body_id block = lab_add_box(&l, 0.4, 0.4, 0.02, 0.01);
    const double a = earth * (mu * cos(angle) - sin(angle)), arrives = speed / a;
    lab_run(&l, h, 0.15);
    assert_true(arrives > 0.15);
    assert_near(lab_state(&l, block).velocity[0], -a * 0.15, 1e-6);
    assert_near(lab_state(&l, block).position[0], -0.5 * a * 0.15 * 0.15, 1e-6);
    lab_run(&l, h, 0.35);
    const scree_body_state end = lab_state(&l, block);
    assert_near(end.velocity[0], -speed, 1e-6);
    assert_near(end.velocity[1], 0.0, 1e-6);
    assert_near(end.position[2], 0.01, 1e-6);
    assert_near(end.position[0], -speed * (0.5 - 0.5 * arrives), speed * h);
    lab_close(&l);
  }
}

static scree_joint_id hinge(lab *l, scree_body_id a, scree_body_id b, double limit) {
  scree_joint_def j = scree_joint_def_default();
  scree_joint_id id;
  j.kind = SCREE_JOINT_HINGE;
  j.body_a = a;
  j.body_b = b;
  j.coordinate[0].motor = limit > 0.0 ? SCREE_MOTOR_SPEED : SCREE_MOTOR_NONE;
  j.coordinate[0].motor_limit = limit;
  ok(l, scree_world_add_joint(l->world, &j, &id));
  return id;
}

static scree_body_id wheel(lab *l, double speed) { /* 0.5 kg m^2 about z */
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  d.mass = 1.0;
  d.angular[2] = speed;
  ok(l, scree_shape_create_cylinder(l->context, 1.0, 0.05, &s));
  return lab_add(l, d, s);
}

static void turn_it(void *user, scree_world *world, double time, double h) {
  (void)h;
  const double torque[3] = {0, 0, 0.5 * time}, none[3] = {0, 0, 0};
  scree_body_add_force(world, *(scree_body_id *)user, none, NULL, torque);
}

/* A brake of torque T: a wheel of inertia J that turns with w stands after J w / T; what is turned
 * by a torque that grows as k t stands until k t = T, with exactly this torque in the brake. */
static void a_brake_holds_up_to_its_torque(void **state) {
  (void)state;
  const double h = 1e-3, limit = 2.0, j = 0.5;
  lab l = lab_open(0.0, 0.0);
  const double none[3] = {0, 0, 0};
  scree_joint_state brake;
  ok(&l, scree_world_set_gravity(l.world, none));
  scree_body_id w = wheel(&l, 4.0);
  const scree_joint_id id = hinge(&l, (scree_body_id){0}, w, limit);
  lab_run(&l, h, 0.5); /* it stands after 1 s */
  assert_near(lab_state(&l, w).angular[2], 4.0 - limit * 0.5 / j, 1e-6);
  ok(&l, scree_joint_get_state(l.world, id, &brake));
  assert_near(brake.motor, -limit, 1e-9);
  lab_run(&l, h, 0.6);
  assert_near(lab_state(&l, w).angular[2], 0.0, 1e-9);
  ok(&l, scree_joint_get_state(l.world, id, &brake));
  assert_near(brake.motor, 0.0, 1e-9);
  assert_near(brake.position, 0.5 * 4.0 * 4.0 * j / limit, 4.0 * h);
  /* From now on 0.5 N m/s: it slips from 4 s on, at 5 s with 0.5 (5 - 4)^2 / 2 / J. */
  scree_world_set_force_function(l.world, turn_it, &w);
  lab_run(&l, h, 1.9);
  assert_near(lab_state(&l, w).angular[2], 0.0, 1e-9);
  ok(&l, scree_joint_get_state(l.world, id, &brake));
  assert_near(brake.motor, -0.5 * (3.0 - h), 1e-9); /* of the torque at the start of the step */
  lab_run(&l, h, 2.0);
  assert_near(lab_state(&l, w).angular[2], 0.5, 2.0 * h);
  lab_close(&l);
}

/* A clutch brings two wheels to one speed, J w / (2 T) after they met, and then bears no torque. */
static void a_clutch_brings_wheels_together(void **state) {
  (void)state;
  const double h = 1e-3, limit = 1.0, j = 0.5, w = 10.0;
  lab l = lab_open(0.0, 0.0);
  const double none[3] = {0, 0, 0};
  scree_joint_state clutch;
  ok(&l, scree_world_set_gravity(l.world, none));
  const scree_body_id first = wheel(&l, w), second = wheel(&l, 0.0);
  hinge(&l, (scree_body_id){0}, first, 0.0);
  const scree_joint_id id = hinge(&l, first, second, limit);
  lab_run(&l, h, 1.0); /* together after 2.5 s */
  assert_near(lab_state(&l, first).angular[2], w - limit / j, 1e-6);
  assert_near(lab_state(&l, second).angular[2], limit / j, 1e-6);
  lab_run(&l, h, 2.0);
  assert_near(lab_state(&l, first).angular[2], 0.5 * w, 1e-6);
  assert_near(lab_state(&l, second).angular[2], 0.5 * w, 1e-6);
  ok(&l, scree_joint_get_state(l.world, id, &clutch));
  assert_near(clutch.motor, 0.0, 1e-9);
  lab_close(&l);
}

/* A ball flies against the floor with speed v across it and s along it: v comes back as e v. While
 * it slides all through the impact it loses mu (1 + e) v of s and gains 5/2 mu (1 + e) v / r of
 * turning; where friction is enough it rolls after it, with 5/7 s. */
static void a_ball_bounces_aslant(void **state) {
  (void)state;
  const double r = 0.05, v = 1.0, s = 0.8, h = 1e-3, gap = 4e-4;
  for (int k = 0; k < 24; k++) {
    const double e = 0.5 * (k % 3), mu = 0.05 * (k / 6 + 1) * (k / 6 + 1);
    lab l = lab_open(0.0, 0.0);
    const double none[3] = {0, 0, 0};
    ok(&l, scree_world_set_gravity(l.world, none));
    l.law.restitution = e;
    l.law.friction = mu;
    l.law.restitution_law = k / 3 % 2 ? SCREE_RESTITUTION_NEWTON : SCREE_RESTITUTION_POISSON;
    lab_add_floor(&l);
    const scree_body_id ball = lab_add_ball(&l, r, r + 0.01 * v + gap, s);
    scree_body_state b = lab_state(&l, ball);
    b.velocity[2] = -v;
    ok(&l, scree_body_set_state(l.world, ball, &b));
    l.def.solver = "auto";
    lab_run(&l, h, 0.02);
    b = lab_state(&l, ball);
    const double lost = fmin(mu * (1.0 + e) * v, 2.0 / 7.0 * s);
    assert_near(b.velocity[2], e * v, 1e-8);
    /* The step begins at a gap, and the arm of the force is that of a point in it: what hangs on
     * the arm is right to gap / r. */
    const bool rolls = lost < mu * (1.0 + e) * v;
    assert_near(b.velocity[0], s - lost, rolls ? lost * gap / r : 1e-8);
    assert_near(b.angular[1], 2.5 * lost / r, 2.5 * lost / r * gap / r);
    lab_close(&l);
  }
}

/* Newton's law for a row of five balls that touch, all at once: the first gets (1 - 4 e)/5 of the
 * speed it came with, the others (1 + e)/5 each. */
static void newton_hits_a_row_at_once(void **state) {
  (void)state;
  for (int k = 0; k < 5; k++) {
    const double e = 0.25 * k, none[3] = {0, 0, 0};
    lab l = lab_open(0.0, 0.0);
    scree_body_id ball[5];
    ok(&l, scree_world_set_gravity(l.world, none));
    l.law.restitution = e;
    l.law.restitution_law = SCREE_RESTITUTION_NEWTON;
    l.law.friction = 0.0;
    for (int i = 0; i < 5; i++) {
      ball[i] = lab_add_ball(&l, 0.05, 0.0, i == 0);
      scree_body_state b = lab_state(&l, ball[i]);
      b.position[0] = 0.1 * i;
      ok(&l, scree_body_set_state(l.world, ball[i], &b));
    }
    lab_run(&l, 1e-3, 0.01);
    for (int i = 0; i < 5; i++)
      assert_near(lab_state(&l, ball[i]).velocity[0], i ? 0.2 * (1.0 + e) : 0.2 * (1.0 - 4.0 * e),
                  1e-8);
    lab_close(&l);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_belt_carries_a_block), cmocka_unit_test(a_brake_holds_up_to_its_torque),
      cmocka_unit_test(a_clutch_brings_wheels_together), cmocka_unit_test(a_ball_bounces_aslant),
      cmocka_unit_test(newton_hits_a_row_at_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

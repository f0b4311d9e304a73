/* A load on a chain of light links, with the default solver: it swings, and gains no energy,
 * whatever the ratio of masses. The period is a pendulum's. */
#include "physics.h"

enum { LINKS = 8 };
static const double link = 0.1, load_arm = 0.1, speed = 0.5, step = 5e-3;

static scree_body_id hang(lab *l, scree_body_id above, scree_shape *shape, double mass, double z,
                          double anchor, double vx) {
  scree_body_def body = scree_body_def_default();
  scree_joint_def joint = scree_joint_def_default();
  body.mass = mass;
  body.position[2] = z;
  body.velocity[0] = vx;
  const scree_body_id id = lab_add(l, body, shape);
  joint.kind = SCREE_JOINT_BALL;
  joint.body_a = above;
  joint.body_b = id;
  joint.anchor[2] = anchor;
  ok(l, scree_world_add_joint(l->world, &joint, NULL));
  return id;
}

static scree_body_id build(lab *l, double link_mass, double load) {
  scree_body_id above = {0};
  scree_shape *s;
  for (int k = 0; k < LINKS; k++) {
    ok(l, scree_shape_create_capsule(l->context, 0.01, 0.5 * link - 0.01, &s));
    above = hang(l, above, s, link_mass, -link * (k + 0.5), -link * k, 0.0);
  }
  ok(l, scree_shape_create_sphere(l->context, load_arm, &s));
  return hang(l, above, s, load, -LINKS * link - load_arm, -LINKS * link, speed);
}

static double total(const lab *l) {
  const scree_energy e = scree_world_get_energy(l->world);
  return e.linear + e.angular + e.potential;
}

static void test_load(void **state) {
  (void)state;
  static const double ratios[] = {10.0, 1e3, 1e4, 1e6};
  for (size_t r = 0; r < sizeof ratios / sizeof ratios[0]; r++) {
    lab l = lab_open(0.0, 0.0);
    l.def = scree_stepper_def_default();
    const double load = ratios[r] * 0.01;
    const scree_body_id bob = build(&l, 0.01, load);
    const double start = total(&l), swing = 0.5 * load * speed * speed;
    double last = 0.0, crossed[2] = {0.0, 0.0};
    int count = 0;
    for (int k = 1; k <= 1000; k++) {
      lab_run(&l, step, step);
      const scree_body_state s = lab_state(&l, bob);
      assert_true(total(&l) < start + 0.01 * swing);
      assert_true(s.position[2] < -LINKS * link - load_arm + 0.02);
      if (last > 0.0 && s.position[0] <= 0.0) crossed[count++ > 0] = k * step;
      last = s.position[0];
    }
    /* Slow swings keep what they have where fast modes must be damped; lighter loads lose some of
     * it to the jolt at the start, when the links are still at rest. */
    if (ratios[r] >= 1e3) assert_true(total(&l) > start - 0.01 * swing);
    assert_true(count >= 2);
    /* A chain of links without mass, a ball at its end. */
    const double period = (crossed[1] - crossed[0]) / (count - 1), arm = LINKS * link + load_arm;
    if (ratios[r] > 100.0) assert_near(period, 2.0 * pi * sqrt(arm / earth), 0.03);
    lab_close(&l);
  }
}

/* Ten beads on bars or ropes, and a load: beads swing across the lines far faster than the step
 * follows. They begin `aside` of the vertical, to one side and the other, in which the first step
 * must not throw them about. Returns the period. */
static double beads(scree_joint_kind kind, double ratio, double length, double aside, double v) {
  enum { BEADS = 10 };
  lab l = lab_open(0.0, 0.0);
  scree_body_id above = {0};
  double last = 0.0, crossed[2] = {0.0, 0.0};
  int count = 0;
  l.def = scree_stepper_def_default();
  for (int k = 0; k <= BEADS; k++) {
    scree_body_def body = scree_body_def_default();
    scree_joint_def joint = scree_joint_def_default();
    body.mass = k < BEADS ? 0.001 : 0.001 * ratio;
    body.inertia[0] = body.inertia[3] = body.inertia[5] = 1e-4 * body.mass;
    body.position[0] = k < BEADS ? k % 2 ? -aside : aside : 0.0;
    body.position[2] = -length * (k + 1);
    body.velocity[0] = v * (k + 1) / (BEADS + 1);
    joint.kind = kind;
    joint.body_a = above;
    ok(&l, scree_world_add_body(l.world, &body, &joint.body_b));
    above = joint.body_b;
    joint.anchor[0] = k ? k % 2 ? aside : -aside : 0.0; /* of the bead before */
    joint.anchor[2] = -length * k;
    joint.anchor_b[0] = body.position[0];
    joint.anchor_b[1] = 0.0;
    joint.anchor_b[2] = body.position[2];
    ok(&l, scree_world_add_joint(l.world, &joint, NULL));
  }
  for (int k = 1; k <= 1000; k++) {
    lab_run(&l, step, step);
    const scree_body_state s = lab_state(&l, above);
    assert_near(hypot(s.position[0], s.position[2]), (BEADS + 1) * length, 1e-4);
    if (last > 0.0 && s.position[0] <= 0.0 && count < 2) crossed[count++] = k * step;
    last = s.position[0];
  }
  lab_close(&l);
  return crossed[1] - crossed[0];
}

static void test_beads(void **state) {
  (void)state;
  static const scree_joint_kind kinds[] = {SCREE_JOINT_DISTANCE, SCREE_JOINT_ROPE};
  const double period = 2.0 * pi * sqrt(1.1 / earth);
  for (int k = 0; k < 2; k++) {
    assert_near(beads(kinds[k], 1e2, 0.1, 0.0, speed), period, 0.05);
    assert_near(beads(kinds[k], 1e4, 0.1, 0.0, speed), period, 0.05);
    assert_near(beads(kinds[k], 1e6, 0.1, 0.0, speed), period, 0.05);
    beads(kinds[k], 1e4, 0.02, 1e-5, 0.0);
  }
}

/* Twenty links, a load of `ratio` links, let go from the horizontal: it swings to the other side,
 * grows slack there, and is pulled taut with jolts of the load that throw the links about. */
static void drop(double ratio, double *gain, double *turned) {
  enum { MANY = 20 };
  lab l = lab_open(0.0, 0.0);
  l.def = scree_stepper_def_default();
  scree_body_id above = {0};
  for (int k = 0; k <= MANY; k++) {
    scree_body_def body = scree_body_def_default();
    scree_joint_def joint = scree_joint_def_default();
    body.mass = k < MANY ? 0.1 : 0.1 * ratio;
    body.inertia[0] = body.inertia[3] = body.inertia[5] = k < MANY ? 1e-4 : 4e-4 * ratio;
    body.position[0] = k < MANY ? link * (k + 0.5) : link * (MANY + 1);
    joint.kind = SCREE_JOINT_BALL;
    joint.body_a = above;
    joint.anchor[0] = link * k;
    above = joint.body_b = lab_add(&l, body, NULL);
    ok(&l, scree_world_add_joint(l.world, &joint, NULL));
  }
  const double start = total(&l);
  *gain = *turned = 0.0;
  for (int k = 0; k < 2000; k++) {
    lab_run(&l, step, step);
    const scree_energy e = scree_world_get_energy(l.world);
    *gain = fmax(*gain, total(&l) - start);
    *turned = fmax(*turned, e.linear + e.angular);
  }
  lab_close(&l);
}

static void test_jolts(void **state) {
  (void)state;
  static const double ratios[] = {10.0, 100.0, 1000.0};
  for (size_t r = 0; r < sizeof ratios / sizeof ratios[0]; r++) {
    double gain, turned;
    drop(ratios[r], &gain, &turned);
    assert_true(gain < 0.02 * turned);
    /* All that the fall to the lowest point gives. */
    assert_true(turned < 1.02 * earth * link * 0.1 * (21.0 * ratios[r] + 10.0 * 20.0));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_load), cmocka_unit_test(test_beads),
                                     cmocka_unit_test(test_jolts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Contacts as springs in the stepper `explicit`: overlap at rest, bounce, friction; the same world
 * with hard contact beside it. */
#include <stdio.h>

#include "tests/physics/physics.h"

static const double radius = 0.05, density = 2000.0, young = 1e7, poisson = 0.3;

static void prepare(lab *l) {
  scree_material_id id = {0};
  ok(l, scree_world_set_material(l->world, id, &l->law));
  l->def.stepper = "explicit";
  ok(l, scree_stepper_create(l->world, &l->def, &l->stepper));
  ok(l, scree_stepper_set(l->stepper, "contact", "penalty"));
  ok(l, scree_stepper_set(l->stepper, "young", "1e7"));
}

static scree_body_id ball(lab *l, double z, double vx, double vz) {
  scree_body_def d = scree_body_def_default();
  scree_shape *s;
  ok(l, scree_shape_create_sphere(l->context, radius, &s));
  d.density = density;
  d.position[2] = z;
  d.velocity[0] = vx;
  d.velocity[2] = vz;
  return lab_add(l, d, s);
}

static scree_body_state run(lab *l, scree_body_id id, double h, double time) {
  scree_body_state s;
  for (int k = 0; k < (int)lround(time / h); k++) {
    scree_step_info info;
    ok(l, scree_stepper_step(l->stepper, h, &info));
  }
  ok(l, scree_body_get_state(l->world, id, &s));
  return s;
}

/* m g = 4/3 E* sqrt(R) d^(3/2) */
static void test_rest(void **state) {
  (void)state;
  lab l = lab_open(0.0, 0.0);
  l.law.restitution = 0.1;
  lab_add_floor(&l);
  const scree_body_id id = ball(&l, radius, 0.0, 0.0);
  prepare(&l);
  const scree_body_state s = run(&l, id, 2e-5, 0.3);
  const double mass = density * 4.0 / 3.0 * pi * pow(radius, 3);
  const double soft = young / (2.0 * (1.0 - poisson * poisson));
  const double depth = pow(0.75 * mass * earth / (soft * sqrt(radius)), 2.0 / 3.0);
  assert_near(radius - s.position[2], depth, 1e-3 * depth);
  lab_close(&l);
}

/* The damping is made for the coefficient of restitution to be the one told. */
static void test_bounce(void **state) {
  (void)state;
  for (int k = 1; k <= 4; k++) {
    lab l = lab_open(0.0, 0.0);
    l.law.restitution = 0.2 * k + 0.1;
    lab_add_floor(&l);
    const scree_body_id id = ball(&l, radius + 1e-4, 0.0, -2.0);
    prepare(&l);
    const scree_body_state s = run(&l, id, 1e-5, 0.02);
    assert_near(s.velocity[2] / 2.0, l.law.restitution, 0.06);
    lab_close(&l);
  }
}

/* A ball that slides comes to roll with 5/7 of its speed; the ledger has what friction takes. */
static void test_roll(void **state) {
  (void)state;
  lab l = lab_open(0.0, 0.0);
  l.law.friction = 0.4;
  l.law.restitution = 0.1;
  lab_add_floor(&l);
  const scree_body_id id = ball(&l, radius, 1.0, 0.0);
  prepare(&l);
  const double energy = 0.5 * density * 4.0 / 3.0 * pi * pow(radius, 3);
  double friction = 0.0, error = 0.0;
  for (int k = 0; k < 15000; k++) {
    scree_step_info info;
    ok(&l, scree_stepper_step(l.stepper, 2e-5, &info));
    friction += info.ledger.friction;
    error += info.ledger.error;
  }
  assert_near(friction, 2.0 / 7.0 * energy, 0.01 * energy);
  assert_near(error, 0.0, 1e-3 * energy);
  scree_body_state s;
  ok(&l, scree_body_get_state(l.world, id, &s));
  assert_near(s.velocity[0], 5.0 / 7.0, 5e-3);
  assert_near(s.angular[1] * radius, s.velocity[0], 5e-3);
  lab_close(&l);
}

/* The elastic slip is part of a checkpoint. */
static void test_same_bits_after_restore(void **state) {
  (void)state;
  uint64_t hash[2];
  for (int cut = 0; cut < 2; cut++) {
    lab l = lab_open(0.3, 0.0);
    lab_add_floor(&l);
    ball(&l, radius - 1e-5, 0.2, 0.0);
    prepare(&l);
    for (int n = 0; n < 400; n++) {
      if (n == 200 && cut) {
        const size_t size = scree_stepper_save_size(l.stepper);
        void *bytes = malloc(size);
        ok(&l, scree_stepper_save(l.stepper, bytes, size));
        lab_close(&l);
        l = lab_open(0.3, 0.0);
        lab_add_floor(&l);
        ball(&l, radius - 1e-5, 0.2, 0.0);
        prepare(&l);
        ok(&l, scree_stepper_restore(l.stepper, bytes, size));
        free(bytes);
      }
      ok(&l, scree_stepper_step(l.stepper, 2e-5, NULL));
    }
    hash[cut] = scree_world_hash(l.world);
    lab_close(&l);
  }
  assert_true(hash[0] == hash[1]);
}

/* Springs know friction and restitution: what else a material has is not left out in silence. */
static void test_other_laws_are_refused(void **state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    static const char *const word[8] = {
        "have cohesion",  "have law",        "have friction_kinetic", "have rolling",
        "have dilatancy", "have compliance", "have surface_velocity", NULL};
    lab l = lab_open(0.5, 0.0);
    scree_step_info info;
    l.law.cohesion = k == 0 ? 10.0 : 0.0;
    if (k == 1) l.law.law = SCREE_LAW_BRIDGE, l.law.bridge_volume = l.law.surface_tension = 1e-3;
    l.law.friction_kinetic = k == 2 ? 0.2 : 0.0;
    l.law.rolling = k == 3 ? 1e-3 : 0.0;
    l.law.dilatancy = k == 4 ? 0.1 : 0.0;
    l.law.compliance = k == 5 ? 1e-6 : 0.0;
    l.law.surface_velocity[0] = k == 6 ? 1.0 : 0.0;
    l.law.restitution = k == 7 ? 0.5 : 0.0;
    lab_add_floor(&l);
    ball(&l, radius - 1e-6, 0.0, 0.0);
    prepare(&l);
    if (!word[k]) {
      ok(&l, scree_stepper_step(l.stepper, 1e-5, &info));
    } else {
      if (scree_stepper_step(l.stepper, 1e-5, &info) != SCREE_ERROR_UNSUPPORTED)
        fail_msg("case %d", k);
      assert_non_null(strstr(scree_context_message(l.context), word[k]));
    }
    lab_close(&l);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest),
      cmocka_unit_test(test_bounce),
      cmocka_unit_test(test_roll),
      cmocka_unit_test(test_other_laws_are_refused),
      cmocka_unit_test(test_same_bits_after_restore),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

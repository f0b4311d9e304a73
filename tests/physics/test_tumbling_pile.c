/* Boxes of several contacts a pair that fall on each other: some hundred contacts, hit and turned
 * in every step. With default settings the steps reach their tolerance, in both models (all but
 * two, as which ones are hard is chance), and no box runs deep into another. */
#include "tests/physics/physics.h"

static double noise(uint64_t *state) {
  *state += 0x9e3779b97f4a7c15u;
  uint64_t z = *state;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return 2.0 * (double)((z ^ z >> 31) >> 11) / 9007199254740992.0 - 1.0;
}

static void pour(scree_model model) {
  lab l = lab_open(0.0, 0.0);
  l.def = scree_stepper_def_default();
  l.def.model = model;
  scree_shape *s;
  const double half[3] = {0.05, 0.05, 0.05};
  scree_body_def d;
  lab_add_floor(&l);
  uint64_t seed = 1;
  for (int k = 0; k < 128; k++) {
    d = scree_body_def_default();
    d.position[0] = 0.19 * (k % 4) - 0.3;
    d.position[1] = 0.19 * (k / 4 % 4) - 0.3;
    d.position[2] = 0.19 * (k / 16) + 0.1;
    for (int i = 0; i < 4; i++) d.rotation[i] = noise(&seed);
    ok(&l, scree_shape_create_box(l.context, half, &s));
    lab_add(&l, d, s);
  }
  ok(&l, scree_world_set_material(l.world, (scree_material_id){0}, &l.law));
  ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
  double worst = 0.0;
  int missed = 0;
  for (int i = 0; i < 130; i++) {
    scree_step_info info;
    ok(&l, scree_stepper_step(l.stepper, 0.003, &info));
    worst = fmax(worst, info.penetration_percent);
    missed += !info.converged;
  }
  assert_true(worst < 1.0);
  if (missed > 2) fail_msg("%d of 130 steps missed their tolerance", missed);
  lab_close(&l);
}

static void relaxed(void **state) {
  (void)state;
  pour(SCREE_MODEL_RELAXED);
}

static void exact(void **state) {
  (void)state;
  pour(SCREE_MODEL_COULOMB);
}

static void add_ball(lab *l, double radius, double x, double y, double z) {
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  d.position[0] = x;
  d.position[1] = y;
  d.position[2] = z;
  ok(l, scree_shape_create_sphere(l->context, radius, &s));
  lab_add(l, d, s);
}

/* A ball of 113 kg falls on scattered grains of 0.1 g: the few under it are a hard problem, which
 * must not cost all others, islands of their own, as many iterations. */
static void heavy_ball_among_islands(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    lab l = lab_open(0.0, 0.0);
    l.def = scree_stepper_def_default();
    l.def.model = k ? SCREE_MODEL_COULOMB : SCREE_MODEL_RELAXED;
    lab_add_floor(&l);
    for (int i = 0; i < 576; i++)
      add_ball(&l, 0.003, 0.016 * (i % 24) - 0.184, 0.016 * (i / 24) - 0.184, 0.0031);
    for (int i = 0; i < 9; i++)
      add_ball(&l, 0.03, 0.15 * (i % 3) - 0.15, 0.15 * (i / 3) - 0.15, 0.045);
    add_ball(&l, 0.3, 0.0, 0.0, 0.42);
    long iterations = 0;
    for (int i = 0; i < 150; i++) {
      const scree_step_info info = lab_run(&l, 0.001, 0.001);
      iterations += info.iterations;
      assert_true(info.penetration_percent < 0.1);
    }
    if (iterations > 6000) fail_msg("%ld iterations", iterations);
    lab_close(&l);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(relaxed),
      cmocka_unit_test(exact),
      cmocka_unit_test(heavy_ball_among_islands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Periodic boxes: what happens across a boundary is what happens without one. The same bodies, each
 * moved by vectors of the lattice of its own, go the same ways; and images that slide or come
 * nearer are as bodies that do. */
#include "physics.h"

enum { BODIES = 8 };
static const double side[3] = {1.0, 0.8, 0.9};

/* Boxes, balls and capsules that fall on a floor and on each other. */
static scree_body_id add(lab *l, int i, const double *shift, const double *velocity) {
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  const double half[3] = {0.05, 0.04, 0.03};
  if (i % 3 == 0)
    ok(l, scree_shape_create_box(l->context, half, &s));
  else if (i % 3 == 1)
    ok(l, scree_shape_create_sphere(l->context, 0.045, &s));
  else
    ok(l, scree_shape_create_capsule(l->context, 0.03, 0.04, &s));
  const double at[3] = {0.03 * i - 0.1, 0.02 * (i % 4) - 0.03, 0.08 + 0.085 * i};
  for (int k = 0; k < 3; k++) {
    d.position[k] = at[k] + (shift ? shift[k] : 0.0);
    d.velocity[k] = velocity ? velocity[k] : 0.0;
  }
  d.velocity[0] += 0.3;
  d.angular[1] = 0.5 * i;
  d.rotation[0] = cos(0.2 * i);
  d.rotation[1] = sin(0.2 * i);
  return lab_add(l, d, s);
}

static lab open_box(const scree_periodic_def *periodic, bool gravity) {
  lab l = {.def = scree_stepper_def_default(), .law = scree_material_def_default()};
  scree_world_def w = scree_world_def_default();
  if (periodic) w.periodic = *periodic;
  if (!gravity) w.gravity[2] = 0.0;
  scree_context_def c = scree_context_def_default();
  c.threads = 1;
  l.context = scree_context_create(&c);
  ok(&l, scree_world_create(l.context, &w, &l.world));
  l.def.tolerance_residual = 1e-10;
  l.def.iteration_limit = 20000;
  return l;
}

static void same_ways(const scree_material_def *law, double seconds) {
  const scree_periodic_def box = {.size = {side[0], side[1], 0.0}};
  lab plain = open_box(NULL, true), wrapped = open_box(&box, true);
  plain.law = wrapped.law = *law;
  scree_body_id a[BODIES], b[BODIES];
  double shift[BODIES][3];
  lab_add_floor(&plain);
  lab_add_floor(&wrapped);
  for (int i = 0; i < BODIES; i++) {
    shift[i][0] = side[0] * ((i * 5) % 7 - 3);
    shift[i][1] = side[1] * ((i * 3) % 5 - 2);
    shift[i][2] = 0.0;
    a[i] = add(&plain, i, NULL, NULL);
    b[i] = add(&wrapped, i, shift[i], NULL);
  }
  lab_run(&plain, 2e-3, seconds);
  lab_run(&wrapped, 2e-3, seconds);
  for (int i = 0; i < BODIES; i++) {
    const scree_body_state x = lab_state(&plain, a[i]), y = lab_state(&wrapped, b[i]);
    scree_body_state shown;
    ok(&wrapped, scree_body_get_shown_state(wrapped.world, b[i], &shown));
    for (int k = 0; k < 3; k++) {
      assert_near(y.position[k] - shift[i][k], x.position[k], 1e-7);
      assert_near(y.velocity[k], x.velocity[k], 1e-5);
      if (k < 2) assert_true(fabs(shown.position[k]) <= 0.5 * side[k] + 0.05);
    }
  }
  lab_close(&plain);
  lab_close(&wrapped);
}

static void a_boundary_is_not_felt(void **state) {
  (void)state;
  scree_material_def law = scree_material_def_default();
  same_ways(&law, 0.3);
  law.rolling = 1e-3;
  law.compliance = 1e-5;
  law.compliance_tangent = 1e-5;
  same_ways(&law, 0.3);
}

static void a_boundary_is_not_felt_in_impacts(void **state) {
  (void)state;
  scree_material_def law = scree_material_def_default();
  law.restitution = 0.5;
  same_ways(&law, 0.14); /* later ones follow each other so closely that rounding sorts them */
}

/* Bodies meet images that slide along x with rate * L_z: as bodies without a box that do. */
static void sliding_images_are_sliding_bodies(void **state) {
  (void)state;
  const scree_periodic_def p = {
      .size = {side[0], side[1], side[2]}, .shear_rate = 2.0, .flow = 0, .gradient = 2};
  const double slide = p.shear_rate * side[2], behind = 0.02 - 0.05 * slide;
  for (int kind = 0; kind < 3; kind++) {
    lab plain = open_box(NULL, false), wrapped = open_box(&p, false);
    /* The second body is one box below: its image above is what the first one meets. */
    const double first[3] = {0.0, 0.0, side[2] - 0.15}, none[3] = {0, 0, 0};
    const double image[3] = {behind, 0.0, side[2] - 0.02}, second[3] = {behind, 0.0, -0.02};
    const double toward[3] = {0.0, 0.0, -1.0}, moving[3] = {slide, 0.0, -1.0};
    const scree_body_id a[2] = {add(&plain, kind, first, none), add(&plain, kind, image, moving)};
    const scree_body_id b[2] = {add(&wrapped, kind, first, none),
                                add(&wrapped, kind, second, toward)};
    lab_run(&plain, 1e-3, 0.08);
    lab_run(&wrapped, 1e-3, 0.08);
    for (int i = 0; i < 2; i++) {
      const scree_body_state x = lab_state(&plain, a[i]), y = lab_state(&wrapped, b[i]);
      for (int m = 0; m < 3; m++) {
        assert_near(y.velocity[m] + (i && m == 0 ? slide : 0.0), x.velocity[m], 1e-8);
        assert_near(y.angular[m], x.angular[m], 1e-6);
      }
    }
    assert_true(fabs(lab_state(&plain, a[0]).velocity[2]) > 1e-2);
    lab_close(&plain);
    lab_close(&wrapped);
  }
}

/* A box that shrinks brings two balls at rest together with rate * L: they share it half and half,
 * and move on with what they have. */
static void a_box_that_shrinks_pushes(void **state) {
  (void)state;
  const scree_periodic_def p = {.size = {0, 0, 1}, .stretch_rate = {0, 0, -0.5}};
  lab l = open_box(&p, false);
  const scree_body_id low = lab_add_ball(&l, 0.045, 0.5 * 0.0901, 0.0);
  const scree_body_id high = lab_add_ball(&l, 0.045, 1.0 - 0.5 * 0.0901, 0.0);
  lab_run(&l, 1e-3, 1e-3);
  const double v = lab_state(&l, low).velocity[2];
  assert_near(lab_state(&l, high).velocity[2], -v, 1e-12);
  /* -0.5 + 2 v = -gap/h */
  assert_near(2.0 * v, 0.5 - 0.1, 1e-9);
  lab_close(&l);
}

/* A new rate leaves alone what is shown. */
static void rates_may_change(void **state) {
  (void)state;
  const scree_periodic_def p = {.size = {1, 1, 1}, .shear_rate = 1.0, .flow = 0, .gradient = 2};
  lab l = open_box(&p, false);
  const double far[3] = {0.0, 0.0, 3.0}, flow[3] = {3.0, 0, 0};
  const scree_body_id body = add(&l, 1, far, flow);
  scree_body_state before, after;
  ok(&l, scree_body_get_shown_state(l.world, body, &before));
  const double stretch[3] = {0, 0.1, -0.1};
  ok(&l, scree_world_set_periodic_rates(l.world, 0.2, stretch));
  ok(&l, scree_body_get_shown_state(l.world, body, &after));
  for (int k = 0; k < 3; k++) assert_near(after.velocity[k], before.velocity[k], 1e-12);
  scree_periodic_def now;
  double offset;
  scree_world_get_periodic(l.world, &now, &offset);
  assert_near(now.shear_rate, 0.2, 0.0);
  lab_run(&l, 1e-2, 1.0);
  scree_world_get_periodic(l.world, &now, &offset);
  assert_near(offset, 0.2 * (1.0 - pow(1.0 - 1e-3, 100)) / 0.1, 1e-9);
  assert_near(now.size[1], pow(1.0 + 1e-3, 100), 1e-12);
  lab_close(&l);
}

/* A body as large as half of the box would meet two images of another. */
static void large_bodies_are_refused(void **state) {
  (void)state;
  const scree_periodic_def box = {.size = {side[0], side[1], 0.0}};
  lab l = open_box(&box, true);
  scree_shape *s;
  add(&l, 1, NULL, NULL);
  assert_int_equal(scree_world_check_periodic(l.world), SCREE_OK);
  ok(&l, scree_shape_create_sphere(l.context, 0.25 * side[1], &s));
  scree_body_def d = scree_body_def_default();
  d.position[2] = 2.0;
  lab_add(&l, d, s);
  assert_int_equal(scree_world_check_periodic(l.world), SCREE_ERROR_INPUT);
  assert_non_null(strstr(scree_context_message(l.context), "no body may be as large as half"));
  lab_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_boundary_is_not_felt),
      cmocka_unit_test(a_boundary_is_not_felt_in_impacts),
      cmocka_unit_test(sliding_images_are_sliding_bodies),
      cmocka_unit_test(a_box_that_shrinks_pushes),
      cmocka_unit_test(rates_may_change),
      cmocka_unit_test(large_bodies_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

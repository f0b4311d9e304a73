/* The assembler: contact laws as numbers, the frame of the warm start, and memory that stays. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "assemble/assembler.h"
#include "assemble/laws/law.h"
#include "ccp/problem.h"

static void assert_near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

static law_input input(const scree_material_def *m) {
  return (law_input){.material = m,
                     .h = 0.01,
                     .kick = 0.01,
                     .sharing = 1,
                     .diameter = 0.1,
                     .stabilisation = 0.5,
                     .recovery_speed = 0.3,
                     .bounce_speed = 0.2};
}

static void rigid_offsets(void **state) {
  (void)state;
  scree_material_def m = scree_material_def_default();
  law_input in = input(&m);
  in.gap = 0.002;
  assert_near(law_rigid_offset(&in), 0.2, 1e-15);
  in.gap = -0.002;
  assert_near(law_rigid_offset(&in), -0.1, 1e-15);
  in.gap = -0.02;
  assert_near(law_rigid_offset(&in), -0.3, 1e-15);
  /* A bounce: fast enough, and within the step. */
  m.restitution = 0.6;
  in.newton = true;
  in.gap = 0.002;
  in.approach = -1.0;
  assert_near(law_rigid_offset(&in), -0.6, 1e-15);
  in.approach = -0.19;
  assert_near(law_rigid_offset(&in), 0.2, 1e-15);
  in.approach = -1.0;
  in.gap = 0.02;
  assert_near(law_rigid_offset(&in), 2.0, 1e-15);
}

/* Near touch and at rest a part of the gap is closed that falls with it, without a jump where that
 * begins; what moves has all of the gap ahead of it. The diameter is 0.1 m. */
static void rest_is_gentle(void **state) {
  (void)state;
  scree_material_def m = scree_material_def_default();
  law_input in = input(&m);
  for (int side = -1; side <= 1; side += 2) {
    const double full = side < 0 ? in.stabilisation : 1.0;
    in.gap = side * 1e-8;
    assert_near(law_rigid_offset(&in), 1e-4 * full * in.gap / in.h, 1e-18);
    in.gap = side * 5e-5;
    assert_near(law_rigid_offset(&in), 0.5 * full * in.gap / in.h, 1e-15);
    in.gap = side * 1e-4;
    assert_near(law_rigid_offset(&in), full * in.gap / in.h, 1e-15);
    in.gap = side * 2e-4;
    assert_near(law_rigid_offset(&in), full * in.gap / in.h, 1e-15);
  }
  in.round = true;
  for (int side = -1; side <= 1; side += 2) {
    const double full = side < 0 ? in.stabilisation : 1.0;
    in.gap = side * 1e-9;
    assert_near(law_rigid_offset(&in) / (in.gap / in.h), 0.05, 1e-4);
    in.gap = side * 0.5e-4;
    assert_near(law_rigid_offset(&in), 0.5 * (0.05 + full) * in.gap / in.h, 1e-15);
  }
  in.gap = 1e-5;
  in.speed = 0.0021;
  assert_near(law_rigid_offset(&in), in.gap / in.h, 1e-15);
}

static void sets_have_only_the_rows_they_need(void **state) {
  (void)state;
  law_state memory = {.value = {0}};
  scree_material_def m = scree_material_def_default();
  law_input in = input(&m);
  assert_int_equal(law_set(&in, &memory).dim, 3);
  m.friction = 0.0;
  assert_int_equal(law_set(&in, &memory).kind, SCREE_SET_RAY);
  m.rolling = 0.01;
  assert_int_equal(law_set(&in, &memory).dim, 5);
  m.spinning = 0.01;
  assert_int_equal(law_set(&in, &memory).dim, 6);
  m.rolling = 0.0;
  assert_int_equal(law_set(&in, &memory).dim, 4);
  m.cohesion = 5.0;
  assert_near(law_set(&in, &memory).cohesion, 0.05, 1e-17);
  in.gap = 0.001;
  assert_near(law_set(&in, &memory).cohesion, 0.0, 0.0);
}

static void compliance_is_an_implicit_spring(void **state) {
  (void)state;
  scree_material_def m = scree_material_def_default();
  m.compliance = 1e-5;
  m.compliance_tangent = 2e-5;
  m.damping = 0.03;
  law_input in = input(&m);
  scree_ccp_contact_def def = scree_ccp_contact_def_default();
  def.body_a = 0;
  in.gap = -0.001;
  law_state memory = {.slip = {0.0004, 0.0}};
  assert_ptr_equal(law_for(&m), &law_compliant);
  def.set = law_set(&in, &memory);
  law_for(&m)->rows(&in, &memory, &def);
  assert_near(def.offset[0], -0.001 / 0.04, 1e-15);
  assert_near(def.compliance[0], 1e-5 / (0.01 * 0.04), 1e-15);
  assert_near(def.offset[1], 0.0004 / 0.04, 1e-15);
  /* Sticking: u_t = v + b + C g = 0 gives the slip s + h v. */
  const double v[2] = {0.02, 0.0};
  const double g[3] = {1.0, -(v[0] + def.offset[1]) / def.compliance[1], 0.0};
  const law_result result = {.material = &m,
                             .set = &def.set,
                             .h = in.h,
                             .kick = in.h,
                             .gap = in.gap,
                             .velocity = {0.0, v[0], v[1]},
                             .g = g};
  law_keep(&result, &memory);
  assert_near(memory.slip[0], 0.0004 + 0.01 * 0.02, 1e-15);
  /* Ahead of touch the damper does not act. */
  in.gap = 0.001;
  law_for(&m)->rows(&in, &memory, &def);
  assert_near(def.offset[0], 0.1, 1e-15);
}

typedef struct pile {
  scree_context *context;
  scree_world *world;
  assembler *assembler;
} pile;

static pile make(void) {
  pile p;
  scree_shape *ball, *plane;
  p.context = scree_context_create(NULL);
  assert_int_equal(scree_world_create(p.context, NULL, &p.world), SCREE_OK);
  scree_shape_create_sphere(p.context, 0.05, &ball);
  scree_shape_create_half_space(p.context, &plane);
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_FIXED;
  d.shape = plane;
  assert_int_equal(scree_world_add_body(p.world, &d, NULL), SCREE_OK);
  for (int i = 0; i < 300; i++) {
    d = scree_body_def_default();
    d.shape = ball;
    d.position[0] = 0.101 * (i % 10);
    d.position[1] = 0.101 * (i / 10 % 10);
    d.position[2] = 0.0499 + 0.0995 * (i / 100);
    assert_int_equal(scree_world_add_body(p.world, &d, NULL), SCREE_OK);
  }
  scree_shape_destroy(ball);
  scree_shape_destroy(plane);
  assert_int_equal(assembler_create(p.world, &p.assembler), SCREE_OK);
  return p;
}

static void drop(pile *p) {
  assembler_destroy(p->assembler);
  scree_world_destroy(p->world);
  assert_int_equal(scree_context_bytes(p->context), 0);
  scree_context_destroy(p->context);
}

static const assembler_params params = {
    .h = 0.005, .stabilisation = 1.0, .margin = 0.1, .warm_start = true, .warm_start_scale = 1.0};

/* Impulses come back in the next step's frames, scaled by the ratio of the steps. */
static void impulses_are_carried(void **state) {
  (void)state;
  pile p = make();
  assembler *a = p.assembler;
  assembler_report report;
  assert_int_equal(assembler_build(a, &params, &report), SCREE_OK);
  assert_true(report.contacts >= 300);
  assert_near(report.penetration, 0.0005, 1e-12);
  assert_near(report.penetration_percent, 0.5, 1e-9);
  const size_t rows = scree_ccp_row_count(a->problem);
  double *g = malloc(rows * sizeof *g);
  for (size_t k = 0; k < rows; k++) g[k] = a->g[k] = 0.1 + 0.01 * (double)(k % 17);
  assert_int_equal(assembler_finish(a, &report), SCREE_OK);
  assembler_accept(a);
  assert_int_equal(report.touching, report.contacts);
  assembler_params half = params;
  half.h = 0.0025;
  assert_int_equal(assembler_build(a, &half, &report), SCREE_OK);
  assert_int_equal(scree_ccp_row_count(a->problem), rows);
  for (size_t k = 0; k < rows; k++) assert_near(a->g[k], 0.5 * g[k], 1e-15);
  free(g);
  drop(&p);
}

/* Contacts of plain spheres are made without a definition each (contacts/bare.c). A material that
 * no body has, whose friction varies from contact to contact, sends all through add_contact. */
static void bare_contacts_are_those_of_all_others(void **state) {
  (void)state;
  pile p[2] = {make(), make()};
  assembler_report report[2];
  scree_material_def other = scree_material_def_default();
  scree_material_id id;
  other.friction_viscous = 0.1;
  assert_int_equal(scree_world_add_material(p[1].world, &other, &id), SCREE_OK);
  for (int m = 0; m < 2; m++) {
    world_bodies *b = &p[m].world->bodies;
    for (size_t i = 1; i < b->limit; i++) {
      b->linear[i] = v3_make(0.1 * sin((double)i), 0.2 * cos((double)i), -0.3);
      b->angular[i] = v3_make(0.3, sin(2.0 * (double)i), 0.1 * cos((double)i));
    }
  }
  for (int step = 0; step < 2; step++) {
    for (int m = 0; m < 2; m++)
      assert_int_equal(assembler_build(p[m].assembler, &params, &report[m]), SCREE_OK);
    const assembler *a = p[0].assembler, *b = p[1].assembler;
    const size_t contacts = report[0].contacts, rows = scree_ccp_row_count(a->problem);
    assert_true(contacts > 500);
    assert_int_equal(contacts, report[1].contacts);
    assert_int_equal(rows, 3 * contacts);
    assert_int_equal(rows, scree_ccp_row_count(b->problem));
    assert_memory_equal(a->problem->bodies.contact, b->problem->bodies.contact,
                        contacts * sizeof *a->problem->bodies.contact);
    assert_memory_equal(a->problem->offset, b->problem->offset, rows * sizeof(double));
    assert_memory_equal(a->memory.gap, b->memory.gap, contacts * sizeof *a->memory.gap);
    assert_memory_equal(a->g, b->g, rows * sizeof(double));
    assert_true(report[0].penetration > 0.0 && report[0].penetration == report[1].penetration);
    assert_true(report[0].penetration_percent == report[1].penetration_percent);
    for (int m = 0; m < 2; m++) {
      for (size_t k = 0; k < rows; k++) p[m].assembler->g[k] = 1e-4 * (double)(1 + k % 17);
      assert_int_equal(assembler_finish(p[m].assembler, &report[m]), SCREE_OK);
      assembler_accept(p[m].assembler);
    }
  }
  drop(&p[0]);
  drop(&p[1]);
}

static void building_again_allocates_nothing(void **state) {
  (void)state;
  pile p = make();
  assembler_report report;
  size_t before = 0;
  for (int k = 0; k < 6; k++) {
    if (k == 3) before = scree_context_allocations(p.context);
    assert_int_equal(assembler_build(p.assembler, &params, &report), SCREE_OK);
    assert_int_equal(assembler_finish(p.assembler, &report), SCREE_OK);
    assembler_accept(p.assembler);
  }
  assert_int_equal(scree_context_allocations(p.context), before);
  drop(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rigid_offsets),
      cmocka_unit_test(rest_is_gentle),
      cmocka_unit_test(sets_have_only_the_rows_they_need),
      cmocka_unit_test(compliance_is_an_implicit_spring),
      cmocka_unit_test(impulses_are_carried),
      cmocka_unit_test(bare_contacts_are_those_of_all_others),
      cmocka_unit_test(building_again_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

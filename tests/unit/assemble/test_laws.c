/* Contact laws as rows of one block, against their closed forms (docs/laws.md). What rows of rigid
 * and compliant contacts are is in test_assembler.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "assemble/laws/law.h"

static const double pi = 3.14159265358979323846;
static const double h = 0.004;

static void assert_near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

static law_input input(const scree_material_def *m) {
  return (law_input){.material = m,
                     .h = h,
                     .kick = h,
                     .sharing = 1,
                     .diameter = 0.1,
                     .radius = 0.025,
                     .stabilisation = 1.0,
                     .recovery_speed = 0.3,
                     .bounce_speed = 0.2};
}

static scree_ccp_contact_def block(const law_input *in, law_state *memory) {
  const law_class *law = law_for(in->material);
  scree_ccp_contact_def def = scree_ccp_contact_def_default();
  def.set = law->set ? law->set(in, memory) : law_set(in, memory);
  law->rows(in, memory, &def);
  return def;
}

/* A body that lies on a Hertzian contact, with and without a pull: its weight is borne at the
 * compression (m g / k)^(1/p), where its velocity stays 0. */
static void a_power_law_rests_at_its_compression(void **state) {
  (void)state;
  static const double exponents[] = {1.0, 1.5, 2.5}, pulls[] = {0.0, 3.0};
  const double mass = 0.7, gravity = 9.81;
  for (int p = 0; p < 3; p++)
    for (int c = 0; c < 2; c++) {
      scree_material_def m = scree_material_def_default();
      m.law = SCREE_LAW_POWER;
      m.stiffness = 2e6;
      m.exponent = exponents[p];
      m.cohesion = pulls[c];
      law_input in = input(&m);
      const double depth = pow((mass * gravity + pulls[c]) / m.stiffness, 1.0 / exponents[p]);
      in.gap = -depth;
      in.inverse_mass = 1.0 / mass;
      in.pushed = h * mass * gravity;
      law_state memory = {.value = {0}};
      const scree_ccp_contact_def def = block(&in, &memory);
      assert_near(def.set.cohesion, h * pulls[c], 1e-15);
      assert_near((def.offset[0] + def.compliance[0] * in.pushed) * h / depth, 0.0, 1e-12);
    }
}

/* A liquid bridge forms by touch alone, pulls as Willett's formula says, and tears at its length.
 */
static void a_bridge_pulls_until_it_tears(void **state) {
  (void)state;
  scree_material_def m = scree_material_def_default();
  m.law = SCREE_LAW_BRIDGE;
  m.surface_tension = 0.072;
  m.bridge_volume = 1e-9;
  m.contact_angle = 0.3;
  law_input in = input(&m);
  law_state memory = {.value = {0}};
  const double r = 2.0 * in.radius, length = (1.0 + 0.5 * m.contact_angle) * 1e-3;
  in.gap = 0.5 * length;
  assert_near(block(&in, &memory).set.cohesion, 0.0, 0.0);
  const double gaps[] = {0.0, 1e-5, 0.3 * length, 0.99 * length};
  for (int k = 0; k < 4; k++) {
    in.gap = gaps[k];
    const double s = gaps[k] * sqrt(r / m.bridge_volume);
    const double pull =
        2.0 * pi * r * m.surface_tension * cos(m.contact_angle) / (1.0 + 1.05 * s + 2.5 * s * s);
    assert_near(block(&in, &memory).set.cohesion / (h * pull), 1.0, 1e-12);
  }
  in.gap = 1.01 * length;
  assert_near(block(&in, &memory).set.cohesion, 0.0, 0.0);
  in.gap = 0.5 * length;
  assert_near(block(&in, &memory).set.cohesion, 0.0, 0.0);
}

/* What two surfaces bear is shared by the points at which they touch, and is a force: the impulse
 * goes with the time that it lasts. */
static void cohesion_is_shared(void **state) {
  (void)state;
  scree_material_def m = scree_material_def_default();
  m.cohesion = 6.0;
  m.cohesion_energy = 0.05;
  law_input in = input(&m);
  in.sharing = 4;
  in.kick = 0.5 * h;
  law_state memory = {.value = {0}};
  const double whole = 6.0 + 1.5 * pi * 0.05 * in.radius;
  assert_near(block(&in, &memory).set.cohesion, 0.5 * h * whole / 4.0, 1e-15);
  in.gap = 2.0 * law_touch_part * in.diameter;
  assert_near(block(&in, &memory).set.cohesion, 0.0, 0.0);
}

/* Stribeck's curve and what goes with the speed; without a speed of transition the contact is
 * kinetic while it slides and static while it sticks. */
static void friction_follows_the_motion(void **state) {
  (void)state;
  scree_material_def m = scree_material_def_default();
  m.friction = 0.6;
  m.friction_kinetic = 0.4;
  m.stribeck_speed = 0.05;
  m.friction_viscous = 0.1;
  law_input in = input(&m);
  law_state memory = {.value = {0}};
  for (int k = 0; k < 5; k++) {
    in.slide = 0.03 * k;
    const double x = in.slide / 0.05;
    assert_near(block(&in, &memory).set.mu, 0.4 + 0.2 * exp(-x * x) + 0.1 * in.slide, 1e-15);
  }
  m.stribeck_speed = m.friction_viscous = in.slide = 0.0;
  memory.value[LAW_FRICTION] = LAW_STICKS;
  assert_near(block(&in, &memory).set.mu, 0.6, 0.0);
  memory.value[LAW_FRICTION] = LAW_SLIDES;
  assert_near(block(&in, &memory).set.mu, 0.4, 0.0);

  /* On its cone a contact slides if it moves along, else it sticks; open ones forget. */
  scree_set set = scree_set_coulomb(3, 0.4);
  law_result r = {.material = &m, .set = &set, .h = h, .kick = h, .rest = 0.01};
  const double on[3] = {2.0, 0.8, 0.0}, in_cone[3] = {2.0, 0.7, 0.0}, open[3] = {0.0, 0.0, 0.0};
  r.g = on;
  r.velocity[1] = -0.02;
  law_keep(&r, &memory);
  assert_near(memory.value[LAW_FRICTION], LAW_SLIDES, 0.0);
  r.velocity[1] = -0.005;
  law_keep(&r, &memory);
  assert_near(memory.value[LAW_FRICTION], LAW_STICKS, 0.0);
  r.g = in_cone;
  r.velocity[1] = -0.02;
  law_keep(&r, &memory);
  assert_near(memory.value[LAW_FRICTION], LAW_STICKS, 0.0);
  r.g = open;
  law_keep(&r, &memory);
  assert_near(memory.value[LAW_FRICTION], LAW_NEW, 0.0);
}

/* Crushed by x beyond its yield force Y, a spring c with hardening H bears (Y + H x) / (1 + c H)
 * where x is counted from the free end, keeps the dent, and yields later by what it has hardened.
 */
static void a_crushed_spring_keeps_its_dent(void **state) {
  (void)state;
  scree_material_def m = scree_material_def_default();
  m.law = SCREE_LAW_ELASTOPLASTIC;
  m.compliance = 1e-5;
  m.yield_force = 20.0;
  m.hardening = 3e4;
  law_input in = input(&m);
  in.gap = -1e-3;
  law_state memory = {.value = {0}};
  const scree_ccp_contact_def first = block(&in, &memory);
  const double force = (20.0 + 3e4 * 1e-3) / (1.0 + 1e-5 * 3e4);
  assert_near(first.set.cap, h * force, 1e-12 * force);
  /* The step ends where it began, at the cap. */
  const double g[3] = {first.set.cap, 0.0, 0.0};
  const law_result r = {
      .material = &m, .set = &first.set, .h = h, .kick = h, .gap = in.gap, .g = g};
  law_for(&m)->update(&r, &memory);
  const double dent = 1e-3 - 1e-5 * force;
  const scree_ccp_contact_def next = block(&in, &memory);
  assert_near(next.offset[0] * h, -(1e-3 - dent), 1e-15);
  assert_near(next.offset[0] + next.compliance[0] * g[0], 0.0, 1e-12);
  /* Just at its yield force again, which has hardened to what it bears. */
  assert_near(next.set.cap, h * (20.0 + 3e4 * dent), 1e-12 * force);
  assert_near(20.0 + 3e4 * dent, force, 1e-11);
}

/* A bond is made where both bodies are new, has its strengths as a cone with the apex at -T, and
 * is gone for good when it gives way on a bound. */
static void a_bond_breaks_at_its_bounds(void **state) {
  (void)state;
  scree_material_def m = scree_material_def_default();
  m.law = SCREE_LAW_BOND;
  m.friction = 0.5;
  m.cohesion = 100.0;
  m.bond_shear = 30.0;
  m.bond_bending = 2.0;
  m.bond_twisting = 1.0;
  law_input in = input(&m);
  for (int round = 0; round < 4; round++) {
    const bool reached = round & 1, moves = round & 2, breaks = reached && moves;
    law_state memory = {.value = {0}};
    in.first = true;
    const scree_ccp_contact_def glued = block(&in, &memory);
    assert_int_equal(glued.set.dim, 6);
    assert_near(glued.set.cohesion, h * 100.0, 1e-15);
    assert_near(glued.set.mu, 0.3, 1e-15);
    assert_near(glued.set.rolling, 0.02, 1e-15);
    assert_near(glued.set.spinning, 0.01, 1e-15);
    /* Half of the tension leaves half of the shear. */
    const double share = reached ? 1.0 : 0.99;
    const double g[6] = {-h * 50.0, h * 15.0 * share, 0.0, 0.0, 0.0, 0.0};
    const law_result r = {.material = &m,
                          .set = &glued.set,
                          .h = h,
                          .kick = h,
                          .rest = 0.01,
                          .velocity = {0.0, moves ? -0.1 : -0.001, 0.0},
                          .g = g};
    law_for(&m)->update(&r, &memory);
    in.first = false;
    const scree_ccp_contact_def after = block(&in, &memory);
    assert_int_equal(after.set.dim, breaks ? 3 : 6);
    assert_near(after.set.cohesion, breaks ? 0.0 : h * 100.0, 1e-15);
  }
  /* Bodies that meet later are not glued. */
  law_state memory = {.value = {0}};
  in.first = false;
  assert_int_equal(block(&in, &memory).set.dim, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_power_law_rests_at_its_compression),
                                     cmocka_unit_test(a_bridge_pulls_until_it_tears),
                                     cmocka_unit_test(cohesion_is_shared),
                                     cmocka_unit_test(friction_follows_the_motion),
                                     cmocka_unit_test(a_crushed_spring_keeps_its_dent),
                                     cmocka_unit_test(a_bond_breaks_at_its_bounds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

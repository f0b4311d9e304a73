/* Contact laws against their force-displacement diagrams: a ball is driven against a floor by a
 * slider with a speed motor, so that the gap is given and the force is what the law says. */
#include "physics.h"

static const double radius = 0.05;

typedef struct press {
  lab l;
  scree_body_id floor, ball;
  scree_joint_id slider;
  double h;
} press;

static void grip(press *p, const double *axis) {
  scree_joint_def j = scree_joint_def_default();
  const scree_body_state s = lab_state(&p->l, p->ball);
  j.kind = SCREE_JOINT_SLIDER;
  j.body_b = p->ball;
  j.coordinate[0].motor = SCREE_MOTOR_SPEED;
  memcpy(j.axis, axis, sizeof j.axis);
  memcpy(j.anchor, s.position, sizeof j.anchor);
  ok(&p->l, scree_world_add_joint(p->l.world, &j, &p->slider));
}

static press press_open(double gap, double h) {
  press p = {.l = lab_open(0.0, 0.0), .h = h};
  const double none[3] = {0, 0, 0}, up[3] = {0, 0, 1};
  ok(&p.l, scree_world_set_gravity(p.l.world, none));
  p.floor = lab_add_floor(&p.l);
  p.ball = lab_add_ball(&p.l, radius, radius + gap, 0.0);
  grip(&p, up);
  return p;
}

/* Drives the ball by `way`, m, along the slider. */
static void drive(press *p, double way, int steps) {
  const double speed = way / (steps * p->h);
  ok(&p->l, scree_joint_set_motor(p->l.world, p->slider, SCREE_MOTOR_SPEED, speed, INFINITY));
  lab_run(&p->l, p->h, steps * p->h);
}

static double gap_of(press *p) {
  return lab_state(&p->l, p->ball).position[2] - radius;
}

/* On the ball: > 0 presses. */
static double force_of(press *p, int axis) {
  double force[3], torque[3];
  ok(&p->l, scree_stepper_get_contact_force(p->l.stepper, p->ball, force, torque));
  return force[axis];
}

/* Springs of the two materials are in series: each law below is of the pair. */
static void set_law(press *p, const scree_material_def *law) {
  const scree_material_id all = {0};
  ok(&p->l, scree_world_set_pair(p->l.world, all, all, law));
  p->l.law = scree_material_def_default();
}

static scree_material_def law_of(scree_law kind) {
  scree_material_def m = scree_material_def_default();
  m.law = kind;
  return m;
}

/* ---- compliant ------------------------------------------------------------------------------ */

static void a_spring_is_linear(void **state) {
  (void)state;
  const double c = 1e-6;
  scree_material_def m = law_of(SCREE_LAW_COMPLIANT);
  m.compliance = c;
  press p = press_open(1e-5, 1e-3);
  set_law(&p, &m);
  for (int k = 0; k < 12; k++) {
    drive(&p, k < 6 ? -1e-5 : 1e-5, 4);
    assert_near(force_of(&p, 2), fmax(-gap_of(&p) / c, 0.0), 1e-6);
  }
  assert_near(gap_of(&p), 1e-5, 1e-12);
  lab_close(&p.l);
}

/* Shear: a spring c_t up to mu n, then constant, and back by the same slope. */
static void a_sheared_spring_slides_at_its_cone(void **state) {
  (void)state;
  const double c = 1e-6, ct = 2e-6, mu = 0.4, n = 50.0, x[3] = {1, 0, 0};
  scree_material_def m = law_of(SCREE_LAW_COMPLIANT);
  m.compliance = c;
  m.compliance_tangent = ct;
  m.friction = mu;
  press p = press_open(0.0, 1e-3);
  set_law(&p, &m);
  drive(&p, -n * c, 5);
  ok(&p.l, scree_world_remove_joint(p.l.world, p.slider));
  grip(&p, x);
  double pulled = 0.0, rest = 0.0;
  for (int k = 0; k < 16; k++) {
    const double way = k < 8 ? 1e-5 : -1e-5;
    drive(&p, way, 2);
    pulled += way;
    double t = -(pulled - rest) / ct;
    const double most = mu * n;
    if (fabs(t) > most) {
      t = t > 0.0 ? most : -most;
      rest = pulled + ct * t;
    }
    assert_near(force_of(&p, 2), n, 1e-5);
    assert_near(force_of(&p, 0), t, 1e-5);
  }
  lab_close(&p.l);
}

/* ---- power ---------------------------------------------------------------------------------- */

static void hertz_with_a_pull(void **state) {
  (void)state;
  const double k = 1e9, pull = 3.0;
  scree_material_def m = law_of(SCREE_LAW_POWER);
  m.stiffness = k;
  m.cohesion = pull;
  press p = press_open(0.0, 1e-3);
  set_law(&p, &m);
  for (int i = 0; i < 20; i++) {
    drive(&p, i < 10 ? -2e-6 : 2e-6, 200);
    const double d = fmax(-gap_of(&p), 0.0);
    assert_near(force_of(&p, 2), k * d * sqrt(d) - pull, 2e-5 * k * d * sqrt(d) + 1e-4);
  }
  /* Beyond touch the pull holds up to its range, a thousandth of the diameter. */
  drive(&p, 5e-5, 100);
  assert_near(force_of(&p, 2), -pull, 1e-6);
  drive(&p, 6e-5, 100);
  assert_near(force_of(&p, 2), 0.0, 1e-9);
  lab_close(&p.l);
}

/* A ball that bounces on Hertz's spring: largest compression (5 m v^2 / (4 k))^(2/5). */
static void hertz_impact(void **state) {
  (void)state;
  const double k = 1e8, v = 1.0;
  lab l = lab_open(0.0, 0.0);
  scree_body_info info;
  const double none[3] = {0, 0, 0};
  ok(&l, scree_world_set_gravity(l.world, none));
  scree_material_def m = law_of(SCREE_LAW_POWER);
  const scree_material_id all = {0};
  m.stiffness = k;
  lab_add_floor(&l);
  const scree_body_id ball = lab_add_ball(&l, radius, radius, 0.0);
  ok(&l, scree_body_get_info(l.world, ball, &info));
  scree_body_state s = lab_state(&l, ball);
  s.velocity[2] = -v;
  ok(&l, scree_body_set_state(l.world, ball, &s));
  const double most = pow(1.25 * info.mass * v * v / k, 0.4), h = 1e-3 * most / v;
  double deepest = 0.0;
  ok(&l, scree_world_set_pair(l.world, all, all, &m));
  for (int i = 0; i < 4000; i++) {
    lab_run(&l, h, h);
    s = lab_state(&l, ball);
    deepest = fmax(deepest, radius - s.position[2]);
    if (s.position[2] > radius) break;
  }
  assert_near(deepest / most, 1.0, 2e-3);
  assert_near(s.velocity[2], v, 5e-3 * v); /* implicit: it loses a part of order h */
  lab_close(&l);
}

/* ---- plastic cohesion ----------------------------------------------------------------------- */

/* The pull holds to its range, is gone beyond, and is back after a touch, not before. */
static void rigid_cohesion_heals_on_touch(void **state) {
  (void)state;
  const double pull = 5.0, range = 1e-3;
  scree_material_def m = law_of(SCREE_LAW_RIGID_COHESIVE);
  m.cohesion = pull;
  m.cohesion_range = range;
  press p = press_open(0.0, 1e-3);
  set_law(&p, &m);
  drive(&p, 0.9 * range, 20);
  assert_near(force_of(&p, 2), -pull, 1e-9);
  drive(&p, 0.3 * range, 20);
  assert_near(force_of(&p, 2), 0.0, 1e-9);
  drive(&p, -0.8 * range, 20); /* near again, without touch */
  assert_near(force_of(&p, 2), 0.0, 1e-9);
  drive(&p, -0.4 * range, 20);
  drive(&p, 0.5 * range, 20);
  assert_near(force_of(&p, 2), -pull, 1e-9);
  lab_close(&p.l);
}

static void jkr_pull_off(void **state) {
  (void)state;
  const double w = 0.5;
  scree_material_def m = law_of(SCREE_LAW_RIGID_COHESIVE);
  m.cohesion_energy = w;
  press p = press_open(0.0, 1e-3);
  set_law(&p, &m);
  drive(&p, 2e-5, 5);
  assert_near(force_of(&p, 2), -1.5 * pi * w * radius, 1e-9);
  lab_close(&p.l);
}

/* A ball and a plane: R is twice its radius, so 4 pi r gamma cos(theta) at touch; it falls with the
 * gap, ruptures at (1 + theta/2) V^(1/3), and comes back on the next touch only. */
static void a_liquid_bridge_pulls_and_ruptures(void **state) {
  (void)state;
  const double volume = 1e-9, tension = 0.072, angle = 0.3;
  scree_material_def m = law_of(SCREE_LAW_BRIDGE);
  m.bridge_volume = volume;
  m.surface_tension = tension;
  m.contact_angle = angle;
  press p = press_open(0.0, 1e-3);
  set_law(&p, &m);
  const double most = 4.0 * pi * radius * tension * cos(angle);
  const double end = (1.0 + 0.5 * angle) * cbrt(volume);
  bool torn = false;
  for (int k = 0; k < 130; k++) {
    const double gap = gap_of(&p), s = gap * sqrt(2.0 * radius / volume);
    drive(&p, 1e-5, 1);
    const double wanted = gap > end ? 0.0 : -most / (1.0 + 1.05 * s + 2.5 * s * s);
    assert_near(force_of(&p, 2), wanted, 1e-6 * most);
    torn = torn || gap > end;
  }
  assert_true(torn);
  drive(&p, -5e-4, 20); /* back within its reach: nothing pulls until the two have touched */
  assert_near(force_of(&p, 2), 0.0, 1e-9);
  drive(&p, 1e-6 - gap_of(&p), 20); /* near enough */
  drive(&p, 1e-6, 1);
  assert_near(force_of(&p, 2), -most, 0.02 * most);
  lab_close(&p.l);
}

/* Compliance 1e-6 m/N, cohesion 50 N, a net pull of 21.9 N: it stretches by 21.9 um, and stays
 * there for as long as one looks. */
static void a_cohesive_spring_holds_what_it_promises(void **state) {
  (void)state;
  const double c = 1e-6, pull = 21.9;
  lab l = lab_open(0.0, 0.0);
  const double none[3] = {0, 0, 0}, up[3] = {0, 0, pull};
  ok(&l, scree_world_set_gravity(l.world, none));
  scree_material_def m = scree_material_def_default();
  m.compliance = c;
  m.damping = 1e-3;
  m.cohesion = 50.0;
  lab_add_floor(&l);
  const scree_body_id ball = lab_add_ball(&l, radius, radius, 0.0);
  const scree_material_id all = {0};
  ok(&l, scree_world_set_pair(l.world, all, all, &m));
  ok(&l, scree_body_set_force(l.world, ball, up, none));
  lab_run(&l, 1e-3, 1.0);
  assert_near(lab_state(&l, ball).position[2] - radius, c * pull, 1e-4 * c * pull);
  lab_close(&l);
}

/* Elastic to the pull, then a neck at constant force; unloading is elastic; a neck beyond the range
 * tears. */
static void compliant_cohesion_yields_in_tension(void **state) {
  (void)state;
  const double c = 1e-6, pull = 20.0, range = 1e-4;
  scree_material_def m = law_of(SCREE_LAW_COMPLIANT_COHESIVE);
  m.compliance = c;
  m.cohesion = pull;
  m.cohesion_range = range;
  press p = press_open(0.0, 1e-3);
  set_law(&p, &m);
  drive(&p, -1e-5, 10);
  assert_near(force_of(&p, 2), 10.0, 1e-6);
  drive(&p, 2e-5, 10);
  assert_near(force_of(&p, 2), -10.0, 1e-6);
  drive(&p, 5e-5, 50); /* gap 60 um: 20 of them elastic, 40 plastic */
  assert_near(force_of(&p, 2), -pull, 1e-6);
  drive(&p, -1e-5, 10);
  assert_near(force_of(&p, 2), -pull + 10.0, 1e-6);
  drive(&p, -2e-5, 10);
  assert_near(force_of(&p, 2), 10.0, 1e-6);
  drive(&p, 2e-4, 100);
  assert_near(force_of(&p, 2), 0.0, 1e-9);
  drive(&p, -2.4e-4, 100); /* touch: a new neck, from the surface */
  assert_near(force_of(&p, 2), 10.0, 1e-6);
  drive(&p, 2e-5, 10);
  assert_near(force_of(&p, 2), -10.0, 1e-6);
  lab_close(&p.l);
}

/* ---- plastic compression -------------------------------------------------------------------- */

/* Bilinear loading, elastic unloading from the crushed rest, and the higher yield when loaded
 * again: F = (Fy + H d) / (1 + c H) above Fy. */
static void crushing_hardens(void **state) {
  (void)state;
  const double c = 1e-6, yield = 30.0, hard = 5e5;
  scree_material_def m = law_of(SCREE_LAW_ELASTOPLASTIC);
  m.compliance = c;
  m.yield_force = yield;
  m.hardening = hard;
  m.cohesion = 8.0;
  press p = press_open(0.0, 1e-3);
  set_law(&p, &m);
  drive(&p, -2e-5, 20);
  assert_near(force_of(&p, 2), 20.0, 1e-6);
  drive(&p, -8e-5, 4000);
  const double top = (yield + hard * 1e-4) / (1.0 + c * hard);
  assert_near(force_of(&p, 2), top, 1e-5);
  drive(&p, 3e-5, 30);
  assert_near(force_of(&p, 2), top - 30.0, 1e-5);
  drive(&p, -2e-5, 20);
  assert_near(force_of(&p, 2), top - 10.0, 1e-5);
  drive(&p, 6e-5, 60); /* the pull bears less than the spring would: a neck */
  assert_near(force_of(&p, 2), -8.0, 1e-6);
  lab_close(&p.l);
}

/* The damper is beside the spring, and what yields or slides is behind both: while crushed at a
 * speed v, e + a de/dt = c n with n = F_y + H (d - e), which leaves, when it stands,
 * n = (F_y + H d) / (1 + c H) - a H v / (1 + c H)^2. */
static void a_damper_is_not_crushed(void **state) {
  (void)state;
  const double c = 1e-6, yield = 30.0, hard = 5e5, a = 0.02, v = 1e-3, way = 1e-4;
  scree_material_def m = law_of(SCREE_LAW_ELASTOPLASTIC);
  m.compliance = c;
  m.yield_force = yield;
  m.hardening = hard;
  m.damping = a;
  press p = press_open(0.0, 1e-4);
  set_law(&p, &m);
  drive(&p, -way, 1000);
  drive(&p, 0.0, 1);
  const double stiff = 1.0 + c * hard;
  const double stands = (yield + hard * way) / stiff - a * hard * v / (stiff * stiff);
  assert_near(force_of(&p, 2), stands, 0.01 * stands);
  lab_close(&p.l);
}

/* What slides at its cone does not stretch the spring: it holds mu n when it stands. */
static void a_damper_does_not_slide(void **state) {
  (void)state;
  const double n = 50.0, mu = 0.4, x[3] = {1, 0, 0};
  scree_material_def m = law_of(SCREE_LAW_COMPLIANT);
  m.compliance = 1e-6;
  m.compliance_tangent = 2e-6;
  m.friction = mu;
  m.damping = 0.02;
  press p = press_open(0.0, 1e-3);
  set_law(&p, &m);
  drive(&p, -n * m.compliance, 50);
  drive(&p, 0.0, 1);
  ok(&p.l, scree_world_remove_joint(p.l.world, p.slider));
  grip(&p, x);
  drive(&p, 4e-4, 400);
  assert_near(force_of(&p, 0), -mu * force_of(&p, 2), 1e-6);
  drive(&p, 0.0, 1);
  assert_near(force_of(&p, 0), -mu * force_of(&p, 2), 1e-3 * mu * n);
  lab_close(&p.l);
}

/* ---- bonds ---------------------------------------------------------------------------------- */

enum { BEAM = 6 };

typedef struct beam {
  lab l;
  scree_body_id ball[BEAM];
} beam;

/* A row of touching balls along x, the first one fixed; no gravity. */
static beam beam_open(const scree_material_def *law) {
  beam b = {.l = lab_open(0.0, 0.0)};
  const double none[3] = {0, 0, 0};
  const scree_material_id all = {0};
  ok(&b.l, scree_world_set_gravity(b.l.world, none));
  for (int i = 0; i < BEAM; i++) {
    scree_shape *s;
    scree_body_def d = scree_body_def_default();
    d.kind = i ? SCREE_BODY_DYNAMIC : SCREE_BODY_FIXED;
    d.position[0] = 2.0 * radius * i;
    ok(&b.l, scree_shape_create_sphere(b.l.context, radius, &s));
    b.ball[i] = lab_add(&b.l, d, s);
  }
  ok(&b.l, scree_world_set_pair(b.l.world, all, all, law));
  b.l.def.tolerance_residual = 1e-8;
  b.l.def.solver = "auto";
  return b;
}

/* The load at the end, along `force` and `torque`, that first moves it: found by raising it 0.5 %
 * at a time. */
static double breaking_load(beam *b, const double *force, const double *torque, double from) {
  for (double load = from; load < 4.0 * from; load *= 1.005) {
    double f[3], t[3];
    for (int k = 0; k < 3; k++) {
      f[k] = load * force[k];
      t[k] = load * torque[k];
    }
    ok(&b->l, scree_body_set_force(b->l.world, b->ball[BEAM - 1], f, t));
    lab_run(&b->l, 1e-3, 4e-3);
    const scree_body_state s = lab_state(&b->l, b->ball[BEAM - 1]);
    const double speed = hypot(s.velocity[0], hypot(s.velocity[1], s.velocity[2]));
    if (speed + radius * fabs(s.angular[0]) > 1e-6) return load;
  }
  return 0.0;
}

static scree_material_def glue(void) {
  scree_material_def m = law_of(SCREE_LAW_BOND);
  m.cohesion = 40.0;
  m.bond_shear = 30.0;
  m.bond_bending = 1.0;
  m.bond_twisting = 0.7;
  return m;
}

static void a_bonded_beam_breaks_where_it_should(void **state) {
  (void)state;
  const double x[3] = {1, 0, 0}, down[3] = {0, 0, -1}, none[3] = {0, 0, 0};
  const double length = (2 * BEAM - 3) * radius; /* from the last centre to the first bond */
  const scree_material_def m = glue();
  const struct {
    const double *force, *torque;
    double strength;
  } cases[] = {
      {x, none, m.cohesion}, {down, none, m.bond_bending / length}, {none, x, m.bond_twisting}};
  for (int k = 0; k < 3; k++) {
    beam b = beam_open(&m);
    const double load = breaking_load(&b, cases[k].force, cases[k].torque, 0.9 * cases[k].strength);
    assert_near(load / cases[k].strength, 1.0, 0.01);
    lab_close(&b.l);
  }
}

/* Under its own weight, m g r (1 + 3 + 5 + ...) at the first bond, however strong the bonds are in
 * pull and shear and however long the steps: it comes off, and does not bend on. */
static void a_beam_that_is_strong_in_pull_breaks_by_bending(void **state) {
  (void)state;
  const double steps[] = {5e-4, 5e-3, 2e-2};
  for (int k = 0; k < 6; k++) {
    scree_material_def m = glue();
    const scree_material_id all = {0};
    beam b = beam_open(&m);
    scree_body_info info;
    ok(&b.l, scree_body_get_info(b.l.world, b.ball[1], &info));
    ok(&b.l, scree_world_set_gravity(b.l.world, (double[3]){0, 0, -earth}));
    const double weight = info.mass * earth;
    m.cohesion = m.bond_shear = 1e4 * weight;
    m.bond_bending = (k % 2 ? 0.99 : 1.01) * (BEAM - 1) * (BEAM - 1) * weight * radius;
    m.bond_twisting = m.bond_bending;
    ok(&b.l, scree_world_set_pair(b.l.world, all, all, &m));
    b.l.def.tolerance_residual = 1e-6;
    lab_run(&b.l, steps[k / 2], 0.3);
    const double fallen = -lab_state(&b.l, b.ball[1]).position[2] / (0.5 * earth * 0.09);
    if (k % 2 ? !(fallen > 0.1) : !(fabs(fallen) < 1e-6))
      fail_msg("step %g s, %s: it falls %g of a free fall", steps[k / 2], k % 2 ? "0.99" : "1.01",
               fallen);
    lab_close(&b.l);
  }
}

/* Pull and bending together: n/T + M/B = 1. */
static void pull_weakens_a_bond(void **state) {
  (void)state;
  const scree_material_def m = glue();
  const double length = (2 * BEAM - 3) * radius;
  const double both[3] = {0.5 * m.cohesion, 0.0, -0.5 * m.bond_bending / length};
  const double none[3] = {0, 0, 0};
  beam b = beam_open(&m);
  assert_near(breaking_load(&b, both, none, 0.9), 1.0, 0.01);
  lab_close(&b.l);
}

/* Faces touch at four points, which share the strength. */
static void boxes_are_glued_by_their_faces(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    const scree_material_def m = glue();
    const scree_material_id all = {0};
    const double none[3] = {0, 0, 0}, pull[3] = {(k ? 1.01 : 0.99) * m.cohesion, 0, 0};
    lab l = lab_open(0.0, 0.0);
    scree_body_id box[3];
    ok(&l, scree_world_set_gravity(l.world, none));
    for (int i = 0; i < 3; i++) {
      scree_shape *s;
      scree_body_def d = scree_body_def_default();
      d.kind = i ? SCREE_BODY_DYNAMIC : SCREE_BODY_FIXED;
      d.position[0] = 0.1 * i;
      ok(&l, scree_shape_create_box(l.context, (double[3]){0.05, 0.05, 0.05}, &s));
      box[i] = lab_add(&l, d, s);
    }
    ok(&l, scree_world_set_pair(l.world, all, all, &m));
    ok(&l, scree_body_set_force(l.world, box[2], pull, none));
    l.def.solver = "auto";
    l.def.tolerance_residual = 1e-6;
    lab_run(&l, 1e-3, 0.05);
    const double moved = lab_state(&l, box[2]).position[0] - 0.2;
    assert_true(k ? moved > 0.01 : fabs(moved) < 1e-6);
    lab_close(&l);
  }
}

/* A broken bond is dry: pushed together again it bears no pull. One that was never touched at the
 * start is none. */
static void a_broken_bond_stays_broken(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    scree_material_def m = glue();
    press p = press_open(k ? 2e-3 : 0.0, 1e-3);
    set_law(&p, &m);
    p.l.def.solver = "auto";
    p.l.def.tolerance_residual = 1e-8;
    if (k) {
      drive(&p, -1.9999e-3, 20); /* to touch, but not beyond: slider and floor are rigid */
    } else {
      drive(&p, 1e-6, 2); /* rigid: any way breaks it */
      drive(&p, -0.9e-6, 2);
    }
    drive(&p, 1e-5, 5);
    assert_near(force_of(&p, 2), 0.0, 1e-9);
    lab_close(&p.l);
  }
}

/* A free beam that turns and flies stays as it is: bonds turn with it. */
static void a_bonded_beam_turns_as_one(void **state) {
  (void)state;
  scree_material_def m = glue();
  m.cohesion *= 1e3;
  m.bond_shear *= 1e3;
  m.bond_bending *= 1e3;
  m.bond_twisting *= 1e3;
  beam b = beam_open(&m);
  const double w = 3.0, middle = radius * BEAM;
  ok(&b.l, scree_world_remove_body(b.l.world, b.ball[0]));
  for (int i = 1; i < BEAM; i++) {
    scree_body_state s = lab_state(&b.l, b.ball[i]);
    s.velocity[1] = w * (s.position[0] - middle);
    s.angular[2] = w;
    s.angular[0] = 0.0;
    ok(&b.l, scree_body_set_state(b.l.world, b.ball[i], &s));
  }
  lab_run(&b.l, 1e-3, 2.0);
  const scree_body_state first = lab_state(&b.l, b.ball[1]), last = lab_state(&b.l, b.ball[5]);
  double d2 = 0.0;
  for (int k = 0; k < 3; k++) d2 += pow(first.position[k] - last.position[k], 2);
  /* A step along the tangent opens it by h^2 w^2 L / 2, of which a fifth is taken back. */
  assert_near(sqrt(d2), 8.0 * radius, 5.0 * 0.51e-6 * w * w * 8.0 * radius);
  assert_near(first.angular[2], w, 1e-3 * w);
  const double along =
      atan2(last.position[1] - first.position[1], last.position[0] - first.position[0]);
  assert_near(cos(along - w * 2.0), 1.0, 1e-5);
  lab_close(&b.l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spring_is_linear),
      cmocka_unit_test(a_sheared_spring_slides_at_its_cone),
      cmocka_unit_test(hertz_with_a_pull),
      cmocka_unit_test(hertz_impact),
      cmocka_unit_test(rigid_cohesion_heals_on_touch),
      cmocka_unit_test(jkr_pull_off),
      cmocka_unit_test(a_liquid_bridge_pulls_and_ruptures),
      cmocka_unit_test(a_cohesive_spring_holds_what_it_promises),
      cmocka_unit_test(compliant_cohesion_yields_in_tension),
      cmocka_unit_test(crushing_hardens),
      cmocka_unit_test(a_damper_is_not_crushed),
      cmocka_unit_test(a_damper_does_not_slide),
      cmocka_unit_test(a_bonded_beam_breaks_where_it_should),
      cmocka_unit_test(a_beam_that_is_strong_in_pull_breaks_by_bending),
      cmocka_unit_test(pull_weakens_a_bond),
      cmocka_unit_test(boxes_are_glued_by_their_faces),
      cmocka_unit_test(a_broken_bond_stays_broken),
      cmocka_unit_test(a_bonded_beam_turns_as_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

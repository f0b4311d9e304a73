/* Meshes as bodies: they rest on planes and on each other, stay in containers, hang in each other,
 * and lie in a pile without lying in each other. */
#include "tests/physics/physics.h"

/* An outline in the plane, extruded from z = 0 to `height`; every fan from corner 0 must be inside.
 */
static scree_shape *extrude(lab *l, uint32_t n, const double (*xy)[2], double height) {
  double p[3 * 64];
  uint32_t t[3 * 128], count = 0;
  for (uint32_t i = 0; i < 2 * n; i++) {
    p[3 * i] = xy[i % n][0];
    p[3 * i + 1] = xy[i % n][1];
    p[3 * i + 2] = i < n ? 0 : height;
  }
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t k = (i + 1) % n, side[6] = {i, k, k + n, i, k + n, i + n};
    memcpy(t + count, side, sizeof side), count += 6;
  }
  for (uint32_t i = 1; i + 1 < n; i++) {
    const uint32_t ends[6] = {0, i + 1, i, n, i + n, i + n + 1};
    memcpy(t + count, ends, sizeof ends), count += 6;
  }
  scree_shape *s;
  ok(l, scree_shape_create_mesh(l->context, 2 * n, p, count / 3, t, &s));
  return s;
}

static scree_shape *ell(lab *l) {
  static const double xy[6][2] = {{0, 0},       {0.1, 0},    {0.1, 0.04},
                                  {0.04, 0.04}, {0.04, 0.1}, {0, 0.1}};
  return extrude(l, 6, xy, 0.04);
}

static scree_shape *cube(lab *l) {
  static const double xy[4][2] = {{-0.05, -0.05}, {0.05, -0.05}, {0.05, 0.05}, {-0.05, 0.05}};
  return extrude(l, 4, xy, 0.1);
}

static scree_shape *ring(lab *l) {
  enum { AROUND = 16, ACROSS = 8 };
  double p[3 * AROUND * ACROSS];
  uint32_t t[6 * AROUND * ACROSS], n = 0;
  for (uint32_t i = 0; i < AROUND; i++)
    for (uint32_t k = 0; k < ACROSS; k++) {
      const double a = 2 * pi * i / AROUND, b = 2 * pi * k / ACROSS, r = 0.1 + 0.02 * cos(b);
      double *x = p + 3 * (ACROSS * i + k);
      x[0] = r * cos(a), x[1] = r * sin(a), x[2] = 0.02 * sin(b);
      const uint32_t i1 = ACROSS * ((i + 1) % AROUND), k1 = (k + 1) % ACROSS;
      const uint32_t two[6] = {ACROSS * i + k, i1 + k,  i1 + k1,
                               ACROSS * i + k, i1 + k1, ACROSS * i + k1};
      memcpy(t + n, two, sizeof two), n += 6;
    }
  scree_shape *s;
  ok(l, scree_shape_create_mesh(l->context, AROUND * ACROSS, p, n / 3, t, &s));
  return s;
}

static scree_body_def at(double x, double y, double z) {
  scree_body_def d = scree_body_def_default();
  d.position[0] = x, d.position[1] = y, d.position[2] = z;
  return d;
}

static scree_body_def turned(scree_body_def d, double x, double y, double z, double angle) {
  const double s = sin(0.5 * angle) / sqrt(x * x + y * y + z * z);
  d.rotation[0] = cos(0.5 * angle), d.rotation[1] = s * x, d.rotation[2] = s * y;
  d.rotation[3] = s * z;
  return d;
}

static double speed(lab *l, scree_body_id id) {
  const scree_body_state s = lab_state(l, id);
  return sqrt(s.velocity[0] * s.velocity[0] + s.velocity[1] * s.velocity[1] +
              s.velocity[2] * s.velocity[2]);
}

/* A mesh cube behaves as a box does: it slides with friction to the same place. */
static void cube_slides_as_a_box(void **state) {
  (void)state;
  double end[2];
  for (int mesh = 0; mesh < 2; mesh++) {
    lab l = lab_open(0, 0);
    l.law.friction = 0.3;
    lab_add_floor(&l);
    scree_shape *s;
    const double half[3] = {0.05, 0.05, 0.05};
    scree_body_def d = at(0, 0, mesh ? 0 : 0.05);
    d.velocity[0] = 1.5;
    if (mesh)
      s = cube(&l);
    else
      ok(&l, scree_shape_create_box(l.context, half, &s));
    const scree_body_id id = lab_add(&l, d, s);
    lab_run(&l, 0.005, 0.8);
    end[mesh] = lab_state(&l, id).position[0];
    assert_true(speed(&l, id) < 1e-9);
    lab_close(&l);
  }
  assert_near(end[1], end[0], 1e-9);
}

/* Cubes of triangles and boxes of the same size on each other, flush or nearly so, without
 * friction: no side of the lower one holds what slides over its edge. */
static void nothing_catches_at_edges(void **state) {
  (void)state;
  static const double aside[] = {0.0, 1e-6, 1e-4, 0.03}, half[3] = {0.05, 0.05, 0.05};
  for (int k = 0; k < 4 * 4 * 2; k++) {
    const int way = k % 4, upper = k / 4 % 2; /* is the upper one the mesh? */
    const double shift = aside[k / 8], v[2] = {way == 0   ? 0.2
                                               : way == 1 ? -0.2
                                                          : 0.0,
                                               way == 2   ? 0.2
                                               : way == 3 ? -0.2
                                                          : 0.0};
    lab l = lab_open(0, 0);
    l.law.friction = 0.0;
    scree_shape *box, *mesh = cube(&l);
    ok(&l, scree_shape_create_box(l.context, half, &box));
    scree_body_def floor = at(0, 0, upper ? -0.05 : -0.1);
    floor.kind = SCREE_BODY_FIXED;
    lab_add(&l, floor, upper ? box : mesh);
    scree_body_def d = at(shift, -0.5 * shift, upper ? 0.0 : 0.05);
    memcpy(d.velocity, v, sizeof v);
    const scree_body_id id = lab_add(&l, d, upper ? mesh : box);
    lab_run(&l, 1e-3, 0.08);
    const scree_body_state s = lab_state(&l, id);
    assert_near(s.velocity[0], v[0], 1e-9);
    assert_near(s.velocity[1], v[1], 1e-9);
    for (int j = 0; j < 3; j++) assert_near(s.angular[j], 0.0, 1e-8);
    lab_close(&l);
  }
}

/* A hull may have its origin anywhere: below the surface that carries it, or far above. */
static void hulls_far_from_their_origin_are_carried(void **state) {
  (void)state;
  static const double away[] = {0.5, 0.05, -0.05, -0.5};
  for (int k = 0; k < 4; k++) {
    lab l = lab_open(0, 0);
    scree_shape *hull;
    double p[24];
    for (int i = 0; i < 8; i++) {
      p[3 * i] = i % 2 ? 0.04 : -0.04;
      p[3 * i + 1] = i / 2 % 2 ? 0.04 : -0.04;
      p[3 * i + 2] = away[k] + (i / 4 ? 0.04 : -0.04);
    }
    ok(&l, scree_shape_create_hull(l.context, 8, p, &hull));
    scree_body_def floor = at(0, 0, -0.1);
    floor.kind = SCREE_BODY_FIXED;
    lab_add(&l, floor, cube(&l));
    const scree_body_id id = lab_add(&l, at(0, 0, 0.045 - away[k]), hull);
    lab_run(&l, 2e-3, 0.3);
    assert_near(lab_state(&l, id).position[2], 0.04 - away[k], 1e-6);
    lab_close(&l);
  }
}

/* On a plane, a box and a mesh; each floor carries three of them. */
static void stacks_of_ells_stand_still(void **state) {
  (void)state;
  for (int floor = 0; floor < 3; floor++) {
    lab l = lab_open(0, 0);
    l.def.tolerance_residual = 1e-8;
    scree_body_id id[3];
    if (floor == 0) {
      lab_add_floor(&l);
    } else {
      static const double xy[4][2] = {{-2, -2}, {2, -2}, {2, 2}, {-2, 2}};
      const double half[3] = {2, 2, 0.1};
      scree_body_def d = at(0, 0, floor == 1 ? -0.1 : -0.2);
      d.kind = SCREE_BODY_FIXED;
      scree_shape *s;
      if (floor == 1)
        ok(&l, scree_shape_create_box(l.context, half, &s));
      else
        s = extrude(&l, 4, xy, 0.2);
      lab_add(&l, d, s);
    }
    for (int i = 0; i < 3; i++) id[i] = lab_add(&l, at(0.001 * i, 0.002 * i, 0.04 * i), ell(&l));
    const scree_step_info info = lab_run(&l, 0.005, 1);
    for (int i = 0; i < 3; i++) {
      const scree_body_state s = lab_state(&l, id[i]);
      assert_near(s.position[0], 0.001 * i, 1e-7);
      assert_near(s.position[1], 0.002 * i, 1e-7);
      assert_near(s.position[2], 0.04 * i, 1e-7);
      assert_true(speed(&l, id[i]) < 1e-7);
    }
    assert_true(info.penetration < 1e-7);
    lab_close(&l);
  }
}

/* Four rings, each through the one above: they hang. */
static void rings_hang_in_each_other(void **state) {
  (void)state;
  lab l = lab_open(0, 0);
  l.def.tolerance_residual = 1e-6;
  l.def.solver = "nncg";
  scree_body_id id[4];
  for (int i = 0; i < 4; i++) {
    scree_body_def d = turned(at(0.001 * i, 0, -0.15 * i), i % 2 == 0, i % 2, 0, 0.5 * pi);
    if (i == 0) d.kind = SCREE_BODY_FIXED;
    id[i] = lab_add(&l, d, ring(&l));
  }
  const scree_step_info info = lab_run(&l, 0.005, 1.5);
  for (int i = 1; i < 4; i++) {
    const double z = lab_state(&l, id[i]).position[2];
    assert_true(z < -0.155 * i && z > -0.165 * i);
  }
  assert_true(info.penetration < 1e-5);
  lab_close(&l);
}

static int run_pile(lab *l, scree_body_id *id, int count, double seconds, double *deepest) {
  scree_step_info info = {0};
  ok(l, scree_stepper_create(l->world, &l->def, &l->stepper));
  *deepest = 0;
  for (double t = 0; t < seconds; t += 0.005) {
    ok(l, scree_stepper_step(l->stepper, 0.005, &info));
    *deepest = fmax(*deepest, info.penetration);
  }
  int inside = 0;
  for (int i = 0; i < count; i++) {
    const scree_body_state s = lab_state(l, id[i]);
    inside += fabs(s.position[0]) < 0.45 && fabs(s.position[1]) < 0.45 && s.position[2] > -0.02 &&
              s.position[2] < 1;
  }
  return inside;
}

/* Thirty of them dropped in a box and twelve in a drum lie on each other, not in each other. */
static void piles_of_ells_do_not_overlap(void **state) {
  (void)state;
  for (int drum = 0; drum < 2; drum++) {
    lab l = lab_open(0, 0);
    l.def.solver = NULL;
    l.def.tolerance_residual = 1e-4;
    l.law.friction = 0.5;
    const scree_material_id all = {0};
    ok(&l, scree_world_set_material(l.world, all, &l.law));
    const double half[3] = {0.3, 0.3, 1};
    scree_shape *s, *part = ell(&l);
    scree_body_def d = at(0, 0, 1);
    d.kind = SCREE_BODY_FIXED;
    if (drum)
      ok(&l, scree_shape_create_cylinder_container(l.context, 0.35, 1, SCREE_OPEN_TOP, &s));
    else
      ok(&l, scree_shape_create_box_container(l.context, half, SCREE_OPEN_TOP, &s));
    lab_add(&l, d, s);
    scree_body_id id[30];
    const int count = drum ? 12 : 30;
    for (int i = 0; i < count; i++) {
      scree_body_def b =
          turned(at(0.28 * (i % 2) - 0.14, 0.24 * (i / 2 % 2) - 0.12, 0.15 + 0.25 * (i / 4)),
                 sin(i), cos(3.0 * i), 1, 2.0 * i + 0.02);
      b.shape = part;
      ok(&l, scree_world_add_body(l.world, &b, &id[i]));
    }
    scree_shape_destroy(part);
    double deepest;
    assert_int_equal(run_pile(&l, id, count, 1.5, &deepest), count);
    assert_true(deepest < 1.5e-3);
    lab_close(&l);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cube_slides_as_a_box),
      cmocka_unit_test(nothing_catches_at_edges),
      cmocka_unit_test(hulls_far_from_their_origin_are_carried),
      cmocka_unit_test(stacks_of_ells_stand_still),
      cmocka_unit_test(rings_hang_in_each_other),
      cmocka_unit_test(piles_of_ells_do_not_overlap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Laws that remember, on faces: the pull of a pair is that of its material however many points the
 * faces touch by and however far apart they are drawn, and what is glued or held does not come off
 * because two points of a face are equally deep. */
#include "physics.h"

static const double size = 0.1, density = 1000.0;

typedef enum solid { BOX, PRISM, CYLINDER, SOLIDS } solid;

static scree_shape *shape_of(lab *l, solid kind) {
  scree_shape *s;
  const double a = 0.5 * size;
  double point[12][3];
  for (int k = 0; k < 12; k++) {
    const double phi = pi / 3.0 * (k % 6);
    point[k][0] = a * cos(phi);
    point[k][1] = 0.9 * a * sin(phi);
    point[k][2] = k < 6 ? -a : a;
  }
  if (kind == BOX)
    ok(l, scree_shape_create_box(l->context, (double[3]){a, a, a}, &s));
  else if (kind == PRISM)
    ok(l, scree_shape_create_hull(l->context, 12, &point[0][0], &s));
  else
    ok(l, scree_shape_create_cylinder(l->context, a, a, &s));
  return s;
}

/* The lower side of what hangs above: z = size/2. */
static scree_shape *ceiling(lab *l, bool mesh) {
  scree_shape *s;
  const double a = 3.0 * size;
  static const uint32_t side[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                       {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                       {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
  const double corner[8][3] = {{-a, -a, -a}, {a, -a, -a}, {a, a, -a}, {-a, a, -a},
                               {-a, -a, a},  {a, -a, a},  {a, a, a},  {-a, a, a}};
  if (mesh)
    ok(l, scree_shape_create_mesh(l->context, 8, &corner[0][0], 12, &side[0][0], &s));
  else
    ok(l, scree_shape_create_box(l->context, (double[3]){a, a, a}, &s));
  return s;
}

/* A solid under a ceiling, whose pull is `part` of its weight. */
static lab hang(solid kind, bool mesh, scree_material_def m, double part, scree_body_id *body) {
  lab l = lab_open(0.0, 0.0);
  const scree_material_id all = {0};
  scree_body_info info;
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_FIXED;
  d.position[2] = 3.5 * size;
  lab_add(&l, d, ceiling(&l, mesh));
  d = scree_body_def_default();
  d.density = density;
  *body = lab_add(&l, d, shape_of(&l, kind));
  ok(&l, scree_body_get_info(l.world, *body, &info));
  m.cohesion = part * info.mass * earth;
  ok(&l, scree_world_set_pair(l.world, all, all, &m));
  l.def.solver = "auto";
  l.def.tolerance_residual = 1e-6;
  return l;
}

/* 0.7 of the weight are borne up to the range and nothing beyond: what hangs falls by 0.3 g first.
 */
static void a_face_pulls_as_its_material_says(void **state) {
  (void)state;
  const double range = 0.02 * size, h = 1e-4;
  for (int kind = 0; kind < SOLIDS; kind++)
    for (int mesh = 0; mesh < 2; mesh++) {
      scree_material_def m = scree_material_def_default();
      scree_body_id body;
      m.law = SCREE_LAW_RIGID_COHESIVE;
      m.cohesion_range = range;
      lab l = hang((solid)kind, mesh, m, 0.7, &body);
      const double t = 0.9 * sqrt(2.0 * range / (0.3 * earth));
      const double steps = floor(t / h);
      lab_run(&l, h, steps * h);
      assert_near(lab_state(&l, body).velocity[2] / (-0.3 * earth * steps * h), 1.0, 0.01);
      lab_run(&l, h, 3.0 * t);
      assert_true(lab_state(&l, body).position[2] < -5.0 * range);
      lab_close(&l);
    }
}

static void what_is_held_does_not_come_off(void **state) {
  (void)state;
  const scree_law laws[] = {SCREE_LAW_BOND, SCREE_LAW_COMPLIANT_COHESIVE, SCREE_LAW_RIGID_COHESIVE};
  for (int kind = 0; kind < SOLIDS; kind++)
    for (int mesh = 0; mesh < 2; mesh++)
      for (int k = 0; k < 3; k++) {
        scree_material_def m = scree_material_def_default();
        scree_body_id body;
        m.law = laws[k];
        if (k == 1) {
          m.compliance = 1e-7;
          m.damping = 2e-3;
        }
        lab l = hang((solid)kind, mesh, m, 1.2, &body);
        lab_run(&l, 1e-3, 0.5);
        assert_near(lab_state(&l, body).position[2], 0.0, 1e-4 * size);
        lab_close(&l);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_face_pulls_as_its_material_says),
      cmocka_unit_test(what_is_held_does_not_come_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A flat floor of triangles as files have them: strips that do not fit each other (vertices in the
 * middle of edges), doubled and turned triangles, vertices that differ by rounding. What slides
 * over it must feel a plane. */
#include "tests/physics/physics.h"

typedef struct soup {
  double p[9 * 400];
  uint32_t t[3 * 400];
  uint32_t count, seed;
} soup;

static double noise(soup *s) {
  s->seed = s->seed * 1664525u + 1013904223u;
  return 4e-8 * ((double)(s->seed >> 8) / 16777216.0 - 0.5);
}

static void add(soup *s, const double (*xy)[2], int a, int b, int c) {
  const int v[3] = {a, b, c};
  for (uint32_t k = 0; k < 3; k++) {
    double *p = s->p + 9 * s->count + 3 * k;
    p[0] = xy[v[k]][0] + noise(s);
    p[1] = xy[v[k]][1] + noise(s);
    p[2] = 0.1 * noise(s);
    s->t[3 * s->count + k] = 3 * s->count + k;
  }
  s->count++;
}

static scree_shape *rough_floor(lab *l) {
  static soup s;
  s.count = 0;
  s.seed = 1;
  double x = -1;
  for (int k = 0; x < 5; k++) {
    const double w = 0.23 + 0.11 * (k % 3);
    const int n = 1 + k * 7 % 5;
    for (int i = 0; i < n; i++) {
      const double y = -1 + 2.0 * i / n, y1 = -1 + 2.0 * (i + 1) / n;
      const double xy[4][2] = {{x, y}, {x + w, y}, {x + w, y1}, {x, y1}};
      if ((i + k) % 3)
        add(&s, xy, 0, 1, 2);
      else
        add(&s, xy, 0, 2, 1);
      add(&s, xy, 0, 2, 3);
      if ((i + k) % 4 == 0) add(&s, xy, 2, 0, 1);
    }
    x += w;
  }
  scree_shape *shape;
  ok(l, scree_shape_create_mesh(l->context, 3 * s.count, s.p, s.count, s.t, &shape));
  scree_mesh_report r;
  assert_true(scree_shape_get_mesh_report(shape, false, &r));
  assert_true(r.seams > 20 && r.doubled > 5 && r.flipped > 5 && r.welded > 50);
  assert_int_equal(r.holes, 1);
  return shape;
}

static scree_shape *smooth_floor(lab *l) {
  static const double p[12] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
  static const uint32_t t[6] = {0, 1, 2, 0, 2, 3};
  scree_shape *shape;
  ok(l, scree_shape_create_mesh(l->context, 4, p, 2, t, &shape));
  return shape;
}

enum { BOX, CYLINDER, ELLIPSOID, MESH, SOLIDS };

static scree_shape *solid(lab *l, int kind) {
  const double half[3] = {0.1, 0.1, 0.05}, radii[3] = {0.2, 0.2, 0.05};
  double corner[24];
  for (int i = 0; i < 8; i++) {
    corner[3 * i] = i & 1 ? 0.1 : -0.1;
    corner[3 * i + 1] = i & 2 ? 0.1 : -0.1;
    corner[3 * i + 2] = i & 4 ? 0.05 : -0.05;
  }
  static const uint32_t t[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                 2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
  scree_shape *s;
  if (kind == BOX) ok(l, scree_shape_create_box(l->context, half, &s));
  if (kind == CYLINDER) ok(l, scree_shape_create_cylinder(l->context, 0.1, 0.05, &s));
  if (kind == ELLIPSOID) ok(l, scree_shape_create_ellipsoid(l->context, radii, &s));
  if (kind == MESH) ok(l, scree_shape_create_mesh(l->context, 8, corner, 12, t, &s));
  return s;
}

/* The way and the largest speed up or down of a solid that slides for a second at 3 m/s. */
static double slide(int kind, bool rough, double friction, double *vertical) {
  lab l = lab_open(0, 0);
  l.law.friction = friction;
  l.def.solver = NULL;
  l.def.tolerance_residual = 1e-7;
  scree_body_def floor = scree_body_def_default();
  floor.kind = SCREE_BODY_FIXED;
  lab_add(&l, floor, rough ? rough_floor(&l) : smooth_floor(&l));
  scree_body_def d = scree_body_def_default();
  d.position[2] = 0.05;
  d.velocity[0] = 3;
  d.velocity[1] = 0.2;
  const scree_body_id id = lab_add(&l, d, solid(&l, kind));
  *vertical = 0;
  for (int i = 0; i < 250; i++) {
    lab_run(&l, 0.004, 0.004);
    *vertical = fmax(*vertical, fabs(lab_state(&l, id).velocity[2]));
  }
  const double x = lab_state(&l, id).position[0];
  lab_close(&l);
  return x;
}

static void seams_are_not_felt(void **state) {
  (void)state;
  const double mu = 0.2;
  for (int kind = 0; kind < SOLIDS; kind++) {
    double smooth, vertical;
    const double want = slide(kind, false, mu, &smooth), x = slide(kind, true, mu, &vertical);
    assert_near(x, want, 1e-4);
    /* An ellipsoid is tilted by friction and goes up and down on a smooth floor as well. */
    assert_near(vertical, smooth, kind == ELLIPSOID ? 1e-4 : 1e-6);
    if (kind != ELLIPSOID) assert_true(vertical < 1e-3);
    if (kind != ELLIPSOID) assert_near(x, 3 - 0.5 * mu * earth, 0.02);
    slide(kind, true, 0, &vertical);
    assert_true(vertical < 1e-5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(seams_are_not_felt)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

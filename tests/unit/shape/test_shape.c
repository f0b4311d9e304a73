/* Shapes: refusals, mass against slices summed numerically, bounds and support against points of
 * the surface, references. */
#include "shape/shape.h"
#include "tests/unit/shape/shape_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/one_context.h"

static void assert_near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

/* Half axes of the elliptic slice of a simple shape at height z. */
static void slice(const shape *s, double z, double *a, double *b) {
  switch (s->kind) {
  case SCREE_SHAPE_SPHERE:
    *a = *b = sqrt(fmax(0, s->size * s->size - z * z));
    break;
  case SCREE_SHAPE_ELLIPSOID: {
    const v3 r = s->ellipsoid.radii;
    const double k = sqrt(fmax(0, 1 - z * z / (r.z * r.z)));
    *a = k * r.x, *b = k * r.y;
    break;
  }
  case SCREE_SHAPE_CAPSULE: {
    const double t = fmax(0, fabs(z) - s->capsule.half);
    *a = *b = sqrt(fmax(0, s->capsule.radius * s->capsule.radius - t * t));
    break;
  }
  case SCREE_SHAPE_CYLINDER:
    *a = *b = s->cylinder.radius;
    break;
  default:
    *a = *b = s->cone.radius * (s->cone.top - z) / (s->cone.top - s->cone.bottom);
  }
}

static void mass_equals_sum_of_slices(void **state) {
  (void)state;
  const double radii[3] = {0.3, 0.5, 0.2};
  shape *s[5];
  assert_int_equal(scree_shape_create_sphere(context, 0.3, s), 0);
  assert_int_equal(scree_shape_create_ellipsoid(context, radii, s + 1), 0);
  assert_int_equal(scree_shape_create_capsule(context, 0.2, 0.4, s + 2), 0);
  assert_int_equal(scree_shape_create_cylinder(context, 0.3, 0.25, s + 3), 0);
  assert_int_equal(scree_shape_create_cone(context, 0.3, 0.9, s + 4), 0);
  for (int i = 0; i < 5; i++) {
    const double lo = shape_support(s[i], (v3){0, 0, -1}).z,
                 hi = shape_support(s[i], (v3){0, 0, 1}).z;
    const int n = 400000;
    double m0 = 0, m1 = 0, xx = 0, yy = 0, zz = 0;
    for (int k = 0; k < n; k++) {
      const double h = (hi - lo) / n, z = lo + (k + 0.5) * h;
      double a, b;
      slice(s[i], z, &a, &b);
      const double area = acos(-1.0) * a * b * h;
      m0 += area, m1 += area * z, zz += area * z * z;
      xx += area * a * a / 4, yy += area * b * b / 4;
    }
    scree_mass m;
    assert_int_equal(scree_shape_get_mass(s[i], 2500, &m), 0);
    assert_near(m.mass, 2500 * m0, 1e-7 * m.mass);
    assert_near(m.volume, m0, 1e-7 * m0);
    assert_near(m1 / m0, 0, 1e-7);
    assert_near(m.center[2], 0, 1e-15);
    assert_near(m.inertia[0], 2500 * (yy + zz), 1e-7 * m.inertia[0]);
    assert_near(m.inertia[3], 2500 * (xx + zz), 1e-7 * m.inertia[3]);
    assert_near(m.inertia[5], 2500 * (xx + yy), 1e-7 * m.inertia[5]);
    for (int k = 0; k < 3; k++)
      assert_near(m.principal[k], m.inertia[k == 0 ? 0 : k + 2 + (k == 2)], 0);
    assert_near(m.rotation[0], 1, 0);
    scree_shape_destroy(s[i]);
  }
}

/* A turned and moved box three ways: as a hull, a mesh, and a compound of two halves. */
static void box_hull_mesh_and_compound_agree(void **state) {
  (void)state;
  const v3 h = {0.3, 0.7, 0.2};
  const pose p = {{3, -2, 1}, quat_exp((v3){0.3, -1.1, 0.6})};
  double points[24];
  for (int i = 0; i < 8; i++)
    v3_store(points + 3 * i,
             pose_apply(p, (v3){i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z}));
  const uint32_t triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                  2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  shape *s[3], *half;
  assert_int_equal(scree_shape_create_hull(context, 8, points, s), 0);
  assert_int_equal(s[0]->hull.face_count, 6);
  assert_int_equal(s[0]->hull.edge_count, 12);
  assert_int_equal(scree_shape_create_mesh(context, 8, points, 12, triangles, s + 1), 0);
  assert_true(s[1]->mesh.closed);
  const double half_sizes[3] = {h.x / 2, h.y, h.z};
  assert_int_equal(scree_shape_create_box(context, half_sizes, &half), 0);
  scree_shape_part part[2];
  for (int i = 0; i < 2; i++) {
    part[i] = (scree_shape_part){
        .shape = half,
        .rotation = {2 * p.rotation.w, 2 * p.rotation.x, 2 * p.rotation.y, 2 * p.rotation.z}};
    v3_store(part[i].position, pose_apply(p, (v3){(i - 0.5) * h.x, 0, 0}));
  }
  assert_int_equal(scree_shape_create_compound(context, 2, part, s + 2), 0);
  scree_shape_destroy(half);
  const double mass = 8 * h.x * h.y * h.z * 1000;
  const double expect[3] = {mass / 3 * (h.y * h.y + h.z * h.z), mass / 3 * (h.x * h.x + h.z * h.z),
                            mass / 3 * (h.x * h.x + h.y * h.y)};
  for (int i = 0; i < 3; i++) {
    scree_mass m;
    assert_int_equal(scree_shape_get_mass(s[i], 1000, &m), 0);
    assert_near(m.mass, mass, 1e-11 * mass);
    for (int k = 0; k < 3; k++) assert_near(m.center[k], (&p.position.x)[k], 1e-12);
    /* Principal values in any order; the turned diagonal gives back the tensor. */
    for (int k = 0; k < 3; k++) {
      double nearest = INFINITY;
      for (int l = 0; l < 3; l++) nearest = fmin(nearest, fabs(m.principal[l] - expect[k]));
      assert_near(nearest, 0, 1e-9 * mass);
    }
    const m33 r = quat_to_m33((quat){m.rotation[0], m.rotation[1], m.rotation[2], m.rotation[3]});
    double again[6];
    m33_rotate_diagonal(&r, v3_load(m.principal), again);
    for (int k = 0; k < 6; k++) assert_near(again[k], m.inertia[k], 1e-9 * mass);
    /* And the tensor is that of the box turned by p. */
    const m33 rp = quat_to_m33(p.rotation);
    m33_rotate_diagonal(&rp, v3_load(expect), again);
    for (int k = 0; k < 6; k++) assert_near(again[k], m.inertia[k], 1e-9 * mass);
    scree_shape_destroy(s[i]);
  }
}

/* Support is the largest over many surface points, found from other directions' supports; bounds
 * are what supports along the axes say. */
static void support_and_bounds_are_extremal(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int kind = 0; kind <= SCREE_SHAPE_HULL; kind++)
    for (int trial = 0; trial < 20; trial++) {
      shape *s = random_shape(context, &seed, (scree_shape_kind)kind, 1.0);
      const pose p = random_pose(&seed, 2.0);
      const v3 d = random_unit(&seed);
      const double most = v3_dot(d, shape_support(s, d));
      const aabb b = shape_bounds(s, p);
      aabb seen = aabb_empty();
      for (int i = 0; i < 2000; i++) {
        const v3 x =
            shape_support(s, i & 1 ? random_unit(&seed)
                                   : v3_normalize(v3_add_scaled(d, 0.01, random_unit(&seed))));
        const v3 w = pose_apply(p, x);
        assert_true(v3_dot(d, x) <= most + 1e-14 && v3_norm(x) <= s->size + 1e-14);
        seen = aabb_union(seen, (aabb){w, w});
      }
      const m33 r = quat_to_m33(p.rotation);
      for (int i = 0; i < 3; i++) {
        const v3 axis = {r.m[i][0], r.m[i][1], r.m[i][2]};
        const double at = (&p.position.x)[i];
        assert_near((&b.hi.x)[i], at + v3_dot(axis, shape_support(s, axis)), 1e-13);
        assert_near((&b.lo.x)[i], at + v3_dot(axis, shape_support(s, v3_neg(axis))), 1e-13);
        assert_true((&seen.lo.x)[i] >= (&b.lo.x)[i] - 1e-13);
        assert_true((&seen.hi.x)[i] <= (&b.hi.x)[i] + 1e-13);
      }
      scree_shape_destroy(s);
    }
}

/* Every vertex below every face plane; each given point as well; Euler's formula. */
static void hull_is_convex_and_holds_its_points(void **state) {
  (void)state;
  uint64_t seed = 7;
  for (int trial = 0; trial < 50; trial++) {
    double points[3 * 60];
    const int n = 4 + trial % 57;
    for (int i = 0; i < n; i++) v3_store(points + 3 * i, v3_scale(1e-3, random_unit(&seed)));
    shape *s;
    assert_int_equal(scree_shape_create_hull(context, (size_t)n, points, &s), 0);
    const polyhedron *h = &s->hull;
    assert_int_equal(h->vertex_count + h->face_count, h->edge_count + 2);
    for (uint32_t f = 0; f < h->face_count; f++)
      for (int i = 0; i < n; i++)
        assert_true(v3_dot(h->face_normal[f], v3_load(points + 3 * i)) <=
                    h->face_offset[f] + 1e-17);
    scree_shape_destroy(s);
  }
}

static void bad_sizes_are_refused(void **state) {
  (void)state;
  shape *s;
  const double bad[] = {0, -1, NAN, INFINITY};
  for (int i = 0; i < 4; i++) {
    const double sizes[3] = {1, 1, bad[i]};
    assert_int_equal(scree_shape_create_sphere(context, bad[i], &s), SCREE_ERROR_ARGUMENT);
    assert_null(s);
    assert_non_null(strstr(scree_context_message(context), "radius of a sphere"));
    assert_int_equal(scree_shape_create_box(context, sizes, &s), SCREE_ERROR_ARGUMENT);
    assert_int_equal(scree_shape_create_ellipsoid(context, sizes, &s), SCREE_ERROR_ARGUMENT);
    assert_int_equal(scree_shape_create_capsule(context, 1, bad[i], &s), SCREE_ERROR_ARGUMENT);
    assert_int_equal(scree_shape_create_cylinder(context, bad[i], 1, &s), SCREE_ERROR_ARGUMENT);
    assert_int_equal(scree_shape_create_cone(context, 1, bad[i], &s), SCREE_ERROR_ARGUMENT);
    assert_int_equal(scree_shape_create_box_container(context, sizes, 0, &s), SCREE_ERROR_ARGUMENT);
    assert_int_equal(scree_shape_create_cylinder_container(context, bad[i], 1, 0, &s),
                     SCREE_ERROR_ARGUMENT);
    assert_int_equal(scree_shape_create_cone_container(context, 1, 1, bad[i], 0, &s),
                     SCREE_ERROR_ARGUMENT);
  }
  assert_int_equal(scree_shape_create_cone_container(context, 0, 0, 1, 0, &s),
                   SCREE_ERROR_ARGUMENT);
  assert_int_equal(scree_shape_create_cone_container(context, 0, 1, 1, SCREE_OPEN_BOTTOM, &s),
                   SCREE_ERROR_ARGUMENT);
  assert_int_equal(scree_shape_create_cylinder_container(context, 1, 1, 4, &s),
                   SCREE_ERROR_ARGUMENT);
  const double flat[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0.5, 0.2, 0};
  assert_int_equal(scree_shape_create_hull(context, 5, flat, &s), SCREE_ERROR_ARGUMENT);
  assert_int_equal(scree_shape_create_hull(context, 3, flat, &s), SCREE_ERROR_ARGUMENT);
  const uint32_t outside[3] = {0, 1, 5}, thin[3] = {0, 1, 1};
  assert_int_equal(scree_shape_create_mesh(context, 5, flat, 1, outside, &s), SCREE_ERROR_INPUT);
  assert_int_equal(scree_shape_create_mesh(context, 5, flat, 1, thin, &s), SCREE_ERROR_INPUT);
  assert_int_equal(scree_shape_create_mesh(context, 5, flat, 0, thin, &s), SCREE_ERROR_ARGUMENT);
  assert_int_equal(scree_shape_create_compound(context, 0, NULL, &s), SCREE_ERROR_ARGUMENT);
}

static void what_has_no_end_has_no_mass(void **state) {
  (void)state;
  shape *s, *ball;
  scree_mass m;
  assert_int_equal(scree_shape_create_half_space(context, &s), 0);
  assert_int_equal(scree_shape_get_mass(s, 1000, &m), SCREE_ERROR_UNSUPPORTED);
  scree_shape_part part = {.shape = s, .rotation = {1, 0, 0, 0}};
  shape *c;
  assert_int_equal(scree_shape_create_compound(context, 1, &part, &c), 0);
  assert_int_equal(scree_shape_get_mass(c, 1000, &m), SCREE_ERROR_UNSUPPORTED);
  scree_shape_part again = {.shape = c, .rotation = {1, 0, 0, 0}};
  shape *cc;
  assert_int_equal(scree_shape_create_compound(context, 1, &again, &cc), SCREE_ERROR_ARGUMENT);
  scree_shape_destroy(c);
  const double points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const uint32_t t[3] = {0, 1, 2};
  assert_int_equal(scree_shape_create_mesh(context, 3, points, 1, t, &c), 0);
  assert_int_equal(scree_shape_get_mass(c, 1000, &m), SCREE_ERROR_UNSUPPORTED);
  scree_shape_destroy(c);
  assert_int_equal(scree_shape_create_sphere(context, 1, &ball), 0);
  assert_int_equal(scree_shape_get_mass(ball, 0, &m), SCREE_ERROR_ARGUMENT);
  assert_int_equal(scree_shape_get_mass(ball, NAN, &m), SCREE_ERROR_ARGUMENT);
  scree_shape_destroy(ball);
  scree_shape_destroy(s);
  assert_string_equal(scree_shape_kind_name(SCREE_SHAPE_HALF_SPACE), "half_space");
  assert_string_equal(scree_shape_kind_name(SCREE_SHAPE_KIND_COUNT), "");
}

/* Triangles that share no vertices by number still share edges; turned inside out they are turned
 * back. */
static void mesh_welds_and_knows_its_inside(void **state) {
  (void)state;
  const double p[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  double points[36];
  uint32_t t[12], back[12];
  for (int f = 0; f < 4; f++)
    for (int k = 0; k < 3; k++) {
      memcpy(points + 9 * f + 3 * k, p[faces[f][k]], sizeof p[0]);
      t[3 * f + k] = (uint32_t)(3 * f + k);
      back[3 * f + k] = (uint32_t)(3 * f + 2 - k);
    }
  shape *s;
  scree_mass m;
  assert_int_equal(scree_shape_create_mesh(context, 12, points, 4, t, &s), 0);
  assert_int_equal(s->mesh.edge_count, 6);
  assert_true(s->mesh.closed);
  assert_int_equal(scree_shape_get_mass(s, 6, &m), 0);
  assert_near(m.mass, 1, 1e-15);
  assert_near(m.center[0], 0.25, 1e-15);
  scree_shape_destroy(s);
  assert_int_equal(scree_shape_create_mesh(context, 12, points, 4, back, &s), 0);
  assert_true(s->mesh.report.inside_out);
  assert_int_equal(scree_shape_get_mass(s, 6, &m), 0);
  assert_near(m.mass, 1, 1e-15);
  scree_shape_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_equals_sum_of_slices),
      cmocka_unit_test(box_hull_mesh_and_compound_agree),
      cmocka_unit_test(support_and_bounds_are_extremal),
      cmocka_unit_test(hull_is_convex_and_holds_its_points),
      cmocka_unit_test(bad_sizes_are_refused),
      cmocka_unit_test(what_has_no_end_has_no_mass),
      cmocka_unit_test(mesh_welds_and_knows_its_inside),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

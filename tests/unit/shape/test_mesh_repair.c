/* Meshes with planted faults: each is found, counted and repaired, at any scale. */
#include "shape/mesh_near.h"
#include "tests/unit/shape/shape_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/one_context.h"

/* Triangles that share no vertices, as in an STL file. */
typedef struct soup {
  double p[3 * 3 * 256];
  uint32_t t[3 * 256];
  uint32_t count;
} soup;

static void add(soup *s, v3 a, v3 b, v3 c) {
  const v3 v[3] = {a, b, c};
  for (uint32_t k = 0; k < 3; k++) {
    v3_store(s->p + 9 * s->count + 3 * k, v[k]);
    s->t[3 * s->count + k] = 3 * s->count + k;
  }
  s->count++;
}

static void add_square(soup *s, v3 a, v3 b, v3 c, v3 d) {
  add(s, a, b, c);
  add(s, a, c, d);
}

/* The faces of a box but those in `without`, bits of -x +x -y +y -z +z. */
static void add_box(soup *s, v3 lo, v3 hi, unsigned without) {
  v3 p[8];
  for (int i = 0; i < 8; i++)
    p[i] = (v3){i & 1 ? hi.x : lo.x, i & 2 ? hi.y : lo.y, i & 4 ? hi.z : lo.z};
  static const int face[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                 {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (int f = 0; f < 6; f++)
    if (!(without >> f & 1))
      add_square(s, p[face[f][0]], p[face[f][1]], p[face[f][2]], p[face[f][3]]);
}

static scree_mesh_report examine(const soup *s) {
  scree_mesh_report r;
  assert_int_equal(scree_mesh_examine(context, 3 * s->count, s->p, s->count, s->t, &r), 0);
  return r;
}

static const v3 zero = {0, 0, 0}, one = {1, 1, 1};

static void assert_near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g", a, b);
}

static void sound_mesh_is_left_alone(void **state) {
  (void)state;
  soup s = {.count = 0};
  add_box(&s, zero, one, 0);
  const scree_mesh_report r = examine(&s);
  assert_true(r.closed);
  assert_int_equal(r.triangles, 12);
  assert_int_equal(r.kept, 12);
  assert_int_equal(r.parts, 1);
  assert_int_equal(r.welded + r.slivers + r.doubled + r.seams + r.flipped + r.inside_out, 0);
  assert_int_equal(r.open_edges + r.holes + r.crowded_edges + r.crossings, 0);
  assert_near(r.volume, 1, 1e-14);
  assert_near(r.area, 6, 1e-14);
}

/* All faults at once, in metres, millimetres and kilometres. */
static void faults_are_repaired(void **state) {
  (void)state;
  const double scales[3] = {1, 1e-3, 1e3};
  for (int k = 0; k < 3; k++) {
    soup s = {.count = 0};
    add_box(&s, zero, one, 1u << 5); /* no lid */
    /* The lid in two halves on one side, and one triangle between them turned over. */
    const v3 a = {0, 0, 1}, b = {1, 0, 1}, c = {1, 1, 1}, d = {0, 1, 1}, m = {0.3, 0, 1},
             q = {0.3, 1e-9, 1};
    add(&s, a, m, d);
    add(&s, m, d, b); /* turned over; the edge a b of the wall has m in its middle */
    add(&s, b, c, d);
    add(&s, b, c, d); /* doubled */
    add(&s, c, d, b); /* again */
    add(&s, a, b, q); /* a sliver */
    uint64_t seed = 7;
    for (uint32_t i = 0; i < 9 * s.count; i++)
      s.p[i] = scales[k] * (s.p[i] + random_real(&seed, -1e-7, 1e-7));
    const scree_mesh_report r = examine(&s);
    assert_true(r.closed);
    assert_int_equal(r.doubled, 2);
    assert_int_equal(r.slivers, 1);
    assert_int_equal(r.flipped, 1);
    assert_int_equal(r.seams, 1);
    assert_true(r.welded > 20);
    assert_int_equal(r.open_edges, 0);
    assert_near(r.volume / pow(scales[k], 3), 1, 1e-5);
    assert_near(r.tolerance, 1e-6 * scales[k], 1e-12 * scales[k]);
  }
}

static void parts_and_walls(void **state) {
  (void)state;
  soup s = {.count = 0};
  add_box(&s, zero, one, 0);
  add_box(&s, (v3){1, 0, 0}, (v3){2, 1, 1}, 0); /* with a wall between them */
  scree_mesh_report r = examine(&s);
  assert_true(r.closed);
  assert_int_equal(r.doubled, 4);
  assert_int_equal(r.parts, 1);
  assert_near(r.volume, 2, 1e-14);

  s.count = 0;
  add_box(&s, zero, one, 0);
  add_box(&s, (v3){1, 1, 0}, (v3){2, 2, 1}, 0); /* they share one edge */
  r = examine(&s);
  assert_true(r.closed);
  assert_int_equal(r.crowded_edges, 1);
  assert_near(r.volume, 2, 1e-14);

  s.count = 0;
  add_box(&s, zero, one, 0);
  add_box(&s, (v3){0.5, 0.5, 0.5}, (v3){1.5, 1.5, 1.5}, 0); /* they run through each other */
  r = examine(&s);
  assert_true(r.closed);
  assert_int_equal(r.parts, 2);
  assert_true(r.crossings >= 6);

  s.count = 0;
  add_box(&s, zero, one, 1u << 5);
  r = examine(&s);
  assert_false(r.closed);
  assert_int_equal(r.open_edges, 4);
  assert_int_equal(r.holes, 1);
  s.count = 0;
  add_box(&s, zero, one, 3u << 4);
  r = examine(&s);
  assert_int_equal(r.holes, 2);
  assert_true(r.volume == 0);
}

/* A cube whose faces are cut into grids of different numbers of cells: all seams have vertices in
 * the middle of edges, on both sides. */
static void mismatched_grids_are_joined(void **state) {
  (void)state;
  soup s = {.count = 0};
  const int cells[6] = {1, 2, 3, 2, 4, 5};
  static const double frame[6][3][3] = {
      {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
      {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}},
      {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}}, {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
  for (int f = 0; f < 6; f++) {
    const v3 o = v3_load(frame[f][0]), u = v3_load(frame[f][1]), w = v3_load(frame[f][2]);
    const double n = cells[f];
    for (int i = 0; i < cells[f]; i++)
      for (int k = 0; k < cells[f]; k++) {
        v3 p[4];
        for (int c = 0; c < 4; c++)
          p[c] = v3_add_scaled(v3_add_scaled(o, (i + (c == 1 || c == 2)) / n, u),
                               (k + (c >= 2)) / n, w);
        add_square(&s, p[0], p[1], p[2], p[3]);
      }
  }
  const scree_mesh_report r = examine(&s);
  assert_true(r.closed);
  assert_true(r.seams > 20);
  assert_near(r.volume, 1, 1e-12);
  assert_near(r.area, 6, 1e-12);
}

/* The sign of the distance to a mesh that is not convex, by rays' parity. */
static bool is_inside(const shape_mesh *m, v3 x) {
  const v3 far = v3_add(x, (v3){31.7, 17.3, 11.9});
  int crossings = 0;
  for (uint32_t t = 0; t < m->triangle_count; t++) {
    const v3 *v = m->vertex, a = v[m->triangle[t][0]];
    const double hx = v3_dot(m->normal[t], v3_sub(x, a)), hf = v3_dot(m->normal[t], v3_sub(far, a));
    if ((hx > 0) == (hf > 0)) continue;
    const v3 y = v3_add_scaled(x, hx / (hx - hf), v3_sub(far, x));
    bool over = true;
    for (int k = 0; k < 3; k++) {
      const v3 p = v[m->triangle[t][k]], e = v3_sub(v[m->triangle[t][(k + 1) % 3]], p);
      over = over && v3_dot(v3_cross(m->normal[t], e), v3_sub(y, p)) > 0;
    }
    crossings += over;
  }
  return crossings % 2;
}

static void sign_of_distance_is_right(void **state) {
  (void)state;
  soup s = {.count = 0};
  add_box(&s, zero, one, 0);
  add_box(&s, (v3){1.01, 0.3, 0.2}, (v3){2, 0.7, 0.6}, 0);
  add_box(&s, (v3){0.1, 0.1, 0.2}, (v3){0.9, 0.8, 0.7}, 0);
  /* The last one is a hole in the first. */
  for (uint32_t i = 24; i < 36; i++) {
    const uint32_t t = s.t[3 * i + 1];
    s.t[3 * i + 1] = s.t[3 * i + 2];
    s.t[3 * i + 2] = t;
  }
  shape *mesh;
  assert_int_equal(scree_shape_create_mesh(context, 3 * s.count, s.p, s.count, s.t, &mesh), 0);
  assert_true(mesh->mesh.closed);
  uint64_t seed = 3;
  int inside = 0;
  for (int i = 0; i < 3000; i++) {
    const v3 x = {random_real(&seed, -0.5, 2.5), random_real(&seed, -0.5, 1.5),
                  random_real(&seed, -0.5, 1.5)};
    mesh_near near;
    assert_true(mesh_find_near(&mesh->mesh, x, 10, &near));
    const bool want = is_inside(&mesh->mesh, x);
    inside += want;
    assert_true(mesh_signed_distance(&mesh->mesh, x, &near) < 0 ? want : !want);
    double least = INFINITY;
    for (uint32_t t = 0; t < mesh->mesh.triangle_count; t++) {
      const uint32_t *v = mesh->mesh.triangle[t];
      const v3 p[3] = {mesh->mesh.vertex[v[0]], mesh->mesh.vertex[v[1]], mesh->mesh.vertex[v[2]]};
      int where;
      least =
          fmin(least, v3_norm(v3_sub(x, mesh_triangle_near(p, mesh->mesh.normal[t], x, &where))));
    }
    assert_near(near.distance, least, 1e-14);
  }
  assert_true(inside > 200 && inside < 2800);
  scree_shape_destroy(mesh);
}

/* Volume and centre of ground over a plane and over a paraboloid of revolution. */
static void height_field_is_solid(void **state) {
  (void)state;
  enum { NX = 41, NY = 31 };
  const double spacing[2] = {0.05, 0.1};
  double plane[NX * NY], bowl[NX * NY];
  for (int j = 0; j < NY; j++)
    for (int i = 0; i < NX; i++) {
      const double x = 0.05 * (i - 20), y = 0.1 * (j - 15);
      plane[j * NX + i] = 3 + 0.2 * x - 0.1 * y;
      bowl[j * NX + i] = 0.3 * (x * x + y * y);
    }
  shape *s;
  scree_mass m;
  assert_int_equal(scree_shape_create_height_field(context, NX, NY, plane, spacing, 1, &s), 0);
  assert_true(s->mesh.closed);
  assert_int_equal(s->mesh.report.welded + s->mesh.report.seams + s->mesh.report.flipped, 0);
  assert_int_equal(scree_shape_get_mass(s, 1, &m), 0);
  const double least = 3 - 0.2 - 0.15;
  assert_near(m.volume, 2 * 3 * (3 - least + 1), 1e-12);
  assert_near(m.center[0], 0.2 / 3 / (3 - least + 1), 1e-12); /* int x h / volume */
  scree_shape_destroy(s);
  assert_int_equal(scree_shape_create_height_field(context, NX, NY, bowl, spacing, 0, &s), 0);
  assert_int_equal(scree_shape_get_mass(s, 1, &m), 0);
  /* 0.3 (4/12 + 9/12) over 6 m^2, 0.3 m thick (a tenth of 3 m); the triangles are above the bowl.
   */
  assert_near(m.volume, 6 * (0.3 + 0.3 * 13 / 12), 6 * 0.3 * 0.01);
  assert_near(m.center[0], 0, 1e-12);
  scree_shape_destroy(s);
  assert_int_equal(scree_shape_create_height_field(context, 1, NY, bowl, spacing, 0, &s),
                   SCREE_ERROR_ARGUMENT);
  bowl[5] = NAN;
  assert_int_equal(scree_shape_create_height_field(context, NX, NY, bowl, spacing, 0, &s),
                   SCREE_ERROR_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sound_mesh_is_left_alone),  cmocka_unit_test(faults_are_repaired),
      cmocka_unit_test(parts_and_walls),           cmocka_unit_test(mismatched_grids_are_joined),
      cmocka_unit_test(sign_of_distance_is_right), cmocka_unit_test(height_field_is_solid),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

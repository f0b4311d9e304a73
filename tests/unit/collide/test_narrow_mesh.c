/* Solids on meshes: brute force over all triangles, and floors cut into triangles that must feel as
 * one plane. */
#include "collide/narrow/narrow.h"
#include "tests/unit/shape/shape_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/one_context.h"

enum { GRID = 12 };

/* A square of side 2 about the origin, height(x, y) = bump * something wavy. */
static shape *grid(double bump) {
  double p[3 * (GRID + 1) * (GRID + 1)];
  uint32_t t[6 * GRID * GRID], n = 0;
  for (int i = 0; i <= GRID; i++)
    for (int j = 0; j <= GRID; j++) {
      const double x = 2.0 * i / GRID - 1, y = 2.0 * j / GRID - 1;
      v3_store(p + 3 * (i * (GRID + 1) + j), (v3){x, y, bump * sin(5 * x) * cos(4 * y)});
    }
  for (uint32_t i = 0; i < GRID; i++)
    for (uint32_t j = 0; j < GRID; j++) {
      const uint32_t a = i * (GRID + 1) + j, b = a + GRID + 1;
      const uint32_t two[6] = {a, b, a + 1, b, b + 1, a + 1},
                     other[6] = {a, b, b + 1, a, b + 1, a + 1};
      for (int k = 0; k < 6; k++) t[n++] = (i + j) % 2 ? two[k] : other[k];
    }
  shape *s;
  assert_int_equal(scree_shape_create_mesh(context, (GRID + 1) * (GRID + 1), p, n / 3, t, &s), 0);
  return s;
}

/* Distance of a point to a triangle by a fine search on barycentric coordinates. */
static double search_triangle(const v3 p[3], v3 x) {
  double best = INFINITY, bu = 0, bv = 0, step = 0.25;
  for (int level = 0; level < 60; level++, step *= 0.6) {
    const double cu = bu, cv = bv;
    for (int i = -3; i <= 3; i++)
      for (int j = -3; j <= 3; j++) {
        const double u = fmin(1, fmax(0, cu + i * step)), v = fmin(1 - u, fmax(0, cv + j * step));
        const v3 q =
            v3_add_scaled(v3_add_scaled(p[0], u, v3_sub(p[1], p[0])), v, v3_sub(p[2], p[0]));
        const double d = v3_norm(v3_sub(x, q));
        if (d < best) best = d, bu = u, bv = v;
      }
  }
  return best;
}

static void balls_on_a_wavy_floor(void **state) {
  (void)state;
  shape *floor = grid(0.3), *ball;
  uint64_t seed = 2;
  assert_int_equal(scree_shape_create_sphere(context, 0.1, &ball), 0);
  const shape_mesh *m = &floor->mesh;
  assert_int_equal(m->edge_count, 3 * GRID * GRID + 2 * GRID);
  int touched = 0;
  for (int trial = 0; trial < 150; trial++) {
    const pose pb = random_pose(&seed, 1);
    const v3 x = {random_real(&seed, -1.1, 1.1), random_real(&seed, -1.1, 1.1),
                  random_real(&seed, -0.4, 0.4)};
    double reference = INFINITY;
    for (uint32_t t = 0; t < m->triangle_count; t++) {
      const v3 p[3] = {m->vertex[m->triangle[t][0]], m->vertex[m->triangle[t][1]],
                       m->vertex[m->triangle[t][2]]};
      aabb b = aabb_empty();
      for (int k = 0; k < 3; k++) b = aabb_union(b, (aabb){p[k], p[k]});
      if (aabb_overlap(aabb_grow(b, 0.2), (aabb){x, x}))
        reference = fmin(reference, search_triangle(p, x));
    }
    contact_point c[32];
    const int n =
        narrow_collide(ball, (pose){pose_apply(pb, x), quat_identity()}, floor, pb, 0.05, c, 32);
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
      least = fmin(least, c[i].gap);
      for (int k = 0; k < i; k++) assert_true(c[k].feature != c[i].feature);
    }
    if (n) {
      touched++;
      assert_true(fabs(least - (reference - 0.1)) < 1e-9);
    } else
      assert_true(reference > 0.15 - 1e-9);
  }
  assert_true(touched > 30);
  scree_shape_destroy(ball);
  scree_shape_destroy(floor);
}

/* A ball at any place of a flat floor, over seams and corners too, has one contact straight up. */
static void flat_floor_has_no_bumps_for_balls(void **state) {
  (void)state;
  shape *floor = grid(0), *ball;
  uint64_t seed = 8;
  assert_int_equal(scree_shape_create_sphere(context, 0.1, &ball), 0);
  for (int trial = 0; trial < 3000; trial++) {
    pose pa = {{random_real(&seed, -0.8, 0.8), random_real(&seed, -0.8, 0.8),
                0.1 + random_real(&seed, -1e-3, 1e-3)},
               quat_identity()};
    if (trial % 3 == 0) pa.position.x = 2.0 * (trial % 9) / GRID - 0.5; /* on a seam */
    if (trial % 6 == 0) pa.position.y = 2.0 * (trial % 7) / GRID - 0.5; /* on a corner */
    contact_point c[32];
    assert_int_equal(narrow_collide(ball, pa, floor, pose_identity(), 0.05, c, 32), 1);
    assert_true(c[0].normal.z < -1 + 1e-15);
    assert_true(c[0].feature == 0 || c[0].feature % 3); /* one name all over the floor */
    assert_true(fabs(c[0].gap - (pa.position.z - 0.1)) < 1e-15);
  }
  scree_shape_destroy(ball);
  scree_shape_destroy(floor);
}

/* The same for solids with faces: all normals straight, the gap that of the plane, held by what
 * holds on a plane. */
static void flat_floor_has_no_bumps_for_solids(void **state) {
  (void)state;
  shape *floor = grid(0), *plane;
  uint64_t seed = 10;
  assert_int_equal(scree_shape_create_half_space(context, &plane), 0);
  for (int kind = SCREE_SHAPE_ELLIPSOID; kind <= SCREE_SHAPE_HULL; kind++)
    for (int trial = 0; trial < 120; trial++) {
      shape *s = random_shape(context, &seed, (scree_shape_kind)kind, 0.2);
      pose pa = {{random_real(&seed, -0.5, 0.5), random_real(&seed, -0.5, 0.5), 0},
                 quat_identity()};
      if (trial % 2) pa.rotation = random_pose(&seed, 1).rotation;
      if (trial % 4 == 0) pa.rotation = quat_exp((v3){0, 0, random_real(&seed, -3, 3)});
      pa.position.z = -shape_bounds(s, pa).lo.z + random_real(&seed, -1e-4, 1e-4);
      contact_point c[32], d[32];
      const int n = narrow_collide(s, pa, floor, pose_identity(), 1e-3, c, 32);
      const int m = narrow_collide(s, pa, plane, pose_identity(), 1e-3, d, 32);
      double least = INFINITY, expect = INFINITY;
      for (int i = 0; i < n; i++) {
        if (c[i].normal.z > -1 + 1e-9)
          fail_msg("%s, trial %d: normal %g %g %g", scree_shape_kind_name(s->kind), trial,
                   c[i].normal.x, c[i].normal.y, c[i].normal.z);
        least = fmin(least, c[i].gap);
      }
      for (int i = 0; i < m; i++) expect = fmin(expect, d[i].gap);
      assert_true(fabs(least - expect) < 1e-9);
      if (m >= 3) assert_true(n >= 3);
      scree_shape_destroy(s);
    }
  scree_shape_destroy(floor);
  scree_shape_destroy(plane);
}

/* As deep as they can be while their middle is on their own side, and on any seam: the depth is
 * that in the plane. Solids are smaller than the triangles, and larger. */
static void flat_floor_is_one_at_any_depth(void **state) {
  (void)state;
  shape *floor = grid(0);
  uint64_t seed = 12;
  for (int kind = SCREE_SHAPE_ELLIPSOID; kind <= SCREE_SHAPE_HULL; kind++)
    for (int trial = 0; trial < 600; trial++) {
      const double size = trial % 3 == 0 ? 0.2 : trial % 3 == 1 ? 0.06 : 0.02;
      shape *s = random_shape(context, &seed, (scree_shape_kind)kind, size);
      pose pa = random_pose(&seed, 0.5);
      if (trial % 2) /* near a seam, or a corner */
        pa.position = (v3){random_real(&seed, -0.3, 0.3) * size, random_real(&seed, -0.5, 0.5), 0};
      if (trial % 4 == 1) pa.position.y = random_real(&seed, -0.3, 0.3) * size;
      pa.position.z = 0;
      const double below = -shape_bounds(s, pa).lo.z, depth = random_real(&seed, 0, 0.9) * below;
      pa.position.z = below - depth;
      contact_point c[32];
      const int n = narrow_collide(s, pa, floor, pose_identity(), 1e-3, c, 32);
      double least = INFINITY;
      for (int i = 0; i < n; i++) least = fmin(least, c[i].gap);
      if (!(fabs(least + depth) < 0.02 * size))
        fail_msg("%s of %g, trial %d: gap %g, depth %g", scree_shape_kind_name(s->kind), size,
                 trial, least, depth);
      scree_shape_destroy(s);
    }
  scree_shape_destroy(floor);
}

/* Solids beside the floor's border or on a ridge see the true edge. */
static void ridge_is_felt(void **state) {
  (void)state;
  const double p[12] = {-1, 0, 0, 1, 0, 0, 0, -1, -1, 0, 1, -1};
  const uint32_t t[6] = {0, 2, 1, 0, 1, 3};
  shape *roof, *ball, *bar;
  assert_int_equal(scree_shape_create_mesh(context, 4, p, 2, t, &roof), 0);
  assert_int_equal(scree_shape_create_sphere(context, 0.1, &ball), 0);
  assert_int_equal(scree_shape_create_capsule(context, 0.1, 0.3, &bar), 0);
  contact_point c[32];
  const pose pa = {{0.1, 0, 0.1001}, quat_identity()};
  assert_int_equal(narrow_collide(ball, pa, roof, pose_identity(), 0.01, c, 32), 1);
  assert_true(c[0].normal.z < -1 + 1e-12 && fabs(c[0].gap - 1e-4) < 1e-12);
  /* A bar across the ridge. */
  const pose across = {{0.1, 0, 0.1001}, quat_exp((v3){0.5 * acos(-1.0), 0, 0})};
  const int n = narrow_collide(bar, across, roof, pose_identity(), 0.01, c, 32);
  assert_true(n >= 1);
  for (int i = 0; i < n; i++)
    assert_true(c[i].normal.z < -1 + 1e-9 && fabs(c[i].gap - 1e-4) < 1e-9);
  scree_shape_destroy(roof);
  scree_shape_destroy(ball);
  scree_shape_destroy(bar);
}

/* Solids over, on and slightly in the edges and corners of a block: no triangle may say that one is
 * deeper than it is in the block. A side of the block is no wall for what stands on its top. */
static void nothing_is_deeper_than_it_is(void **state) {
  (void)state;
  const double half[3] = {0.5, 0.5, 0.5}, small[3] = {0.1, 0.07, 0.05};
  double p[24];
  for (int k = 0; k < 8; k++)
    for (int i = 0; i < 3; i++) p[3 * k + i] = k >> i & 1 ? half[i] : -half[i];
  const uint32_t t[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  shape *mesh, *block, *solid[3];
  assert_int_equal(scree_shape_create_mesh(context, 8, p, 12, t, &mesh), 0);
  assert_int_equal(scree_shape_create_box(context, half, &block), 0);
  assert_int_equal(scree_shape_create_box(context, small, &solid[0]), 0);
  assert_int_equal(scree_shape_create_cylinder(context, 0.08, 0.06, &solid[1]), 0);
  const double rock[18] = {0.12, 0,     0,    -0.1, 0.04, 0,    0,    0.11, 0,
                           0,    -0.12, 0.03, 0,    0,    0.12, 0.03, 0,    -0.11};
  assert_int_equal(scree_shape_create_hull(context, 6, rock, &solid[2]), 0);
  uint64_t seed = 7;
  int touching = 0;
  for (int n = 0; n < 3000; n++) {
    const shape *s = solid[n % 3];
    pose at = random_pose(&seed, 0.6);
    if (n % 2) at.rotation = quat_exp(v3_scale(0.01, random_unit(&seed)));
    if (n % 5 == 0) at.position.x = random_real(&seed, 0.45, 0.55);
    const pose origin = pose_identity();
    contact_point c[CONTACT_POINT_MAX];
    /* Down until it is as deep as is wanted, by bisection. */
    const double deep = n % 4 == 0 ? 0.005 : n % 4 == 1 ? -1e-7 : n % 4 == 2 ? -1e-4 : -2e-3;
    double lo = 0.45, hi = 1.2;
    for (int k = 0; k < 50; k++) {
      at.position.z = 0.5 * (lo + hi);
      const int m = narrow_collide(s, at, block, origin, 0.1, c, CONTACT_POINT_MAX);
      double gap = INFINITY;
      for (int i = 0; i < m; i++) gap = fmin(gap, c[i].gap);
      *(gap > deep ? &hi : &lo) = at.position.z;
    }
    const int m = narrow_collide(s, at, mesh, origin, 0.01, c, CONTACT_POINT_MAX);
    for (int i = 0; i < m; i++) {
      if (c[i].gap < deep - 0.003)
        fail_msg("case %d: gap %g, but it is %g deep; normal %g %g %g", n, c[i].gap, deep,
                 c[i].normal.x, c[i].normal.y, c[i].normal.z);
      touching += c[i].gap < deep + 1e-6;
    }
  }
  assert_true(touching > 2000);
  for (int k = 0; k < 3; k++) scree_shape_destroy(solid[k]);
  scree_shape_destroy(mesh);
  scree_shape_destroy(block);
}

/* A plate that lies on ground smaller than itself, a little in it: the ground's sides, cut by
 * seams, are no walls for it. */
static void a_wide_plate_lies_on_top(void **state) {
  (void)state;
  double height[21 * 21];
  for (int k = 0; k < 21 * 21; k++) height[k] = 0.001 * ((k / 21 * 7 + k % 21 * 3) % 3);
  const double half[3] = {0.15, 0.15, 0.005}, spacing[2] = {0.01, 0.01};
  shape *ground, *plate;
  assert_int_equal(scree_shape_create_height_field(context, 21, 21, height, spacing, 0.01, &ground),
                   0);
  assert_int_equal(scree_shape_create_box(context, half, &plate), 0);
  uint64_t seed = 3;
  for (int trial = 0; trial < 2000; trial++) {
    const double depth = random_real(&seed, 0, 4e-4);
    const quat turn = quat_exp(v3_scale(trial % 2 ? 0.001 : 0.02, random_unit(&seed)));
    const v3 at = {random_real(&seed, -0.04, 0.04), random_real(&seed, -0.04, 0.04), 0.007 - depth};
    contact_point c[32];
    const int n = narrow_collide(plate, (pose){at, turn}, ground, pose_identity(), 0.01, c, 32);
    for (int i = 0; i < n; i++)
      if (c[i].gap < -depth - 0.006)
        fail_msg("trial %d: %g in place of %g", trial, c[i].gap, depth);
  }
  scree_shape_destroy(ground);
  scree_shape_destroy(plate);
}

/* A small part on a plate that is thousands of times larger, tilted by next to nothing: its far
 * corners, which are deep below the plane of the part's bottom, say nothing of the part. */
static void a_small_part_lies_on_a_vast_plate(void **state) {
  (void)state;
  const double half[3] = {30.05, 30.05, 0.0005};
  static const double corner[6][2] = {{0, 0}, {10, 0}, {10, 3}, {3, 3}, {3, 8}, {0, 8}};
  static const uint32_t cap[12] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5};
  double p[36];
  uint32_t t[60];
  for (int k = 0; k < 12; k++) /* an L of 10 mm, its corners about its centre */
    v3_store(p + 3 * k, (v3){0.001 * (corner[k % 6][0] - 4), 0.001 * (corner[k % 6][1] - 3),
                             k < 6 ? -0.002 : 0.002});
  for (int k = 0; k < 12; k++) t[k] = cap[k / 3 * 3 + 2 - k % 3], t[12 + k] = cap[k] + 6;
  for (uint32_t k = 0; k < 6; k++) {
    const uint32_t b = (k + 1) % 6, side[6] = {k, b, b + 6, k, b + 6, k + 6};
    for (int m = 0; m < 6; m++) t[24 + 6 * (int)k + m] = side[m];
  }
  shape *part, *plate;
  assert_int_equal(scree_shape_create_mesh(context, 12, p, 20, t, &part), 0);
  assert_int_equal(scree_shape_create_box(context, half, &plate), 0);
  uint64_t seed = 11;
  for (int trial = 0; trial < 4000; trial++) {
    /* Bottom up, as one was thrown; then by a little other. */
    const quat thrown = {-1.9282182093910611e-05, -0.82045848600776616, -0.57170610648254994,
                         1.32893095761211e-05};
    const double tilt = trial ? random_real(&seed, -12, -6) : -20,
                 depth = 4.3852849e-7 * (trial % 2 ? random_real(&seed, 0.5, 1.5) : 1.0);
    const quat turn = quat_mul(quat_exp(v3_scale(pow(10, tilt), random_unit(&seed))), thrown);
    double lowest = INFINITY;
    for (int k = 0; k < 12; k++) lowest = fmin(lowest, quat_rotate(turn, v3_load(p + 3 * k)).z);
    const pose at = {{-0.00084974632218683512, 0.00057899811493081351, -lowest - depth}, turn},
               below = {{0, 0, -half[2]}, {1, 0, 0, 0}};
    contact_point c[32];
    const int n = narrow_collide(plate, below, part, at, 1e-4, c, 32);
    double least = INFINITY;
    for (int i = 0; i < n; i++) least = fmin(least, c[i].gap);
    if (!(least > -1.1 * depth - 1e-9) || !(least < -0.9 * depth + 1e-9))
      fail_msg("trial %d: gap %g, but it is %g deep, tilt 1e%.1f", trial, least, depth, tilt);
  }
  scree_shape_destroy(part);
  scree_shape_destroy(plate);
}

/* A slab that a ball sees both sides of: the side that is nearer stands for it, whichever of the
 * triangles comes first. */
static void nearer_side_of_a_slab_counts(void **state) {
  (void)state;
  for (int flip = 0; flip < 2; flip++) {
    const double top = flip ? 0.2 : 0.0, low = flip ? 0.0 : -0.2;
    const double p[] = {-1, -1, top, 1, -1, top, 0, 1, top, -1, -1, low, 1, -1, low, 0, 1, low};
    const uint32_t t[2][24] = {
        {0, 1, 2, 3, 5, 4, 0, 3, 1, 1, 3, 4, 1, 4, 2, 2, 4, 5, 2, 5, 0, 0, 5, 3},
        {3, 5, 4, 0, 1, 2, 0, 3, 1, 1, 3, 4, 1, 4, 2, 2, 4, 5, 2, 5, 0, 0, 5, 3}};
    for (int first = 0; first < 2; first++) {
      shape *slab, *ball;
      contact_point c[CONTACT_POINT_MAX];
      double least = INFINITY;
      assert_int_equal(scree_shape_create_mesh(context, 6, p, 8, t[first], &slab), 0);
      assert_int_equal(scree_shape_create_sphere(context, 0.05, &ball), 0);
      const pose at = {{0, -0.3, top + 0.1}, {1, 0, 0, 0}}, none = {{0, 0, 0}, {1, 0, 0, 0}};
      const int n = narrow_collide(ball, at, slab, none, 0.5, c, CONTACT_POINT_MAX);
      for (int k = 0; k < n; k++)
        if (fabs(c[k].normal.z) > 0.999) {
          least = fmin(least, c[k].gap);
          assert_true(fabs(c[k].point_b.z - (c[k].point_a.z + c[k].gap * c[k].normal.z)) < 1e-12);
        }
      assert_true(fabs(least - 0.05) < 1e-12);
      scree_shape_destroy(slab);
      scree_shape_destroy(ball);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(balls_on_a_wavy_floor),
      cmocka_unit_test(flat_floor_has_no_bumps_for_balls),
      cmocka_unit_test(flat_floor_has_no_bumps_for_solids),
      cmocka_unit_test(flat_floor_is_one_at_any_depth),
      cmocka_unit_test(a_wide_plate_lies_on_top),
      cmocka_unit_test(a_small_part_lies_on_a_vast_plate),
      cmocka_unit_test(ridge_is_felt),
      cmocka_unit_test(nearer_side_of_a_slab_counts),
      cmocka_unit_test(nothing_is_deeper_than_it_is),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

/* Convex solids that are deep in a mesh, at random: never told as apart. The truth is what two
 * boxes say that make up the same L. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collide/contact_point.h"
#include "scree/scree.h"
#include "shape/shape.h"
#include "tests/support/sanitized.h"

enum { SOLIDS = 6, POINTS = 40 };

static uint64_t seed = 7;

static double even(double least, double most) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return least + (most - least) * (double)(seed >> 11) * 0x1p-53;
}

static quat any_rotation(void) {
  double q[4], sum = 2.0;
  while (sum > 1.0 || sum < 0.01) {
    sum = 0.0;
    for (int k = 0; k < 4; k++) q[k] = even(-1.0, 1.0);
    for (int k = 0; k < 4; k++) sum += q[k] * q[k];
  }
  const double s = 1.0 / sqrt(sum);
  return (quat){s * q[0], s * q[1], s * q[2], s * q[3]};
}

/* An L of 10 x 8 x 4: [0, 10] x [0, 3] and [0, 3] x [0, 8], its origin at (4, 3, 2). */
static scree_shape *make_l(scree_context *context) {
  static const double corner[6][2] = {{0, 0}, {10, 0}, {10, 3}, {3, 3}, {3, 8}, {0, 8}};
  static const uint32_t cap[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
  double vertex[36];
  uint32_t triangle[60], *next = triangle;
  for (int k = 0; k < 12; k++) {
    vertex[3 * k] = corner[k % 6][0] - 4.0;
    vertex[3 * k + 1] = corner[k % 6][1] - 3.0;
    vertex[3 * k + 2] = k < 6 ? -2.0 : 2.0;
  }
  for (int k = 0; k < 4; k++)
    for (int m = 0; m < 3; m++) *next++ = cap[k][2 - m];
  for (int k = 0; k < 4; k++)
    for (int m = 0; m < 3; m++) *next++ = cap[k][m] + 6;
  for (uint32_t k = 0; k < 6; k++) {
    const uint32_t a = k, b = (k + 1) % 6, side[6] = {a, b, b + 6, a, b + 6, a + 6};
    for (int m = 0; m < 6; m++) *next++ = side[m];
  }
  scree_shape *s;
  assert_int_equal(scree_shape_create_mesh(context, 12, vertex, 20, triangle, &s), 0);
  return s;
}

static scree_shape *make_solid(scree_context *context, int kind) {
  const double half[3] = {2.5, 2.0, 5.0}, radii[3] = {2.5, 2.0, 5.0};
  scree_shape *s = NULL;
  scree_status status = SCREE_OK;
  double p[3 * POINTS];
  switch (kind) {
  case 0:
    status = scree_shape_create_box(context, half, &s);
    break;
  case 1:
    status = scree_shape_create_capsule(context, 2.0, 4.0, &s);
    break;
  case 2:
    status = scree_shape_create_cylinder(context, 2.0, 5.0, &s);
    break;
  case 3:
    status = scree_shape_create_cone(context, 3.0, 8.0, &s);
    break;
  case 4:
    status = scree_shape_create_ellipsoid(context, radii, &s);
    break;
  default:
    for (int k = 0; k < POINTS; k++) {
      const double z = even(-1.0, 1.0), phi = even(0.0, 6.2831853), r = sqrt(1.0 - z * z);
      p[3 * k] = 2.5 * r * cos(phi);
      p[3 * k + 1] = 2.0 * r * sin(phi);
      p[3 * k + 2] = 5.0 * z;
    }
    status = scree_shape_create_hull(context, POINTS, p, &s);
  }
  assert_int_equal(status, 0);
  return s;
}

static double least_gap(const shape *a, pose pa, const shape *b, pose pb) {
  contact_point c[CONTACT_POINT_MAX];
  const int n = narrow_collide(a, pa, b, pb, 0.1, c, CONTACT_POINT_MAX);
  double least = INFINITY;
  for (int k = 0; k < n; k++) least = fmin(least, c[k].gap);
  return least;
}

static void overlap_is_told(void **state) {
  (void)state;
  const int count = SANITIZED ? 1000 : 20000;
  scree_context_def d = scree_context_def_default();
  scree_context *context = scree_context_create(&d);
  const double half[2][3] = {{5.0, 1.5, 2.0}, {1.5, 4.0, 2.0}};
  const v3 at[2] = {{1.0, -1.5, 0.0}, {-2.5, 1.0, 0.0}};
  scree_shape *mesh = make_l(context), *part[2];
  for (int k = 0; k < 2; k++)
    assert_int_equal(scree_shape_create_box(context, half[k], &part[k]), 0);
  int silent = 0, deep = 0;
  for (int kind = 0; kind < SOLIDS; kind++) {
    scree_shape *solid = make_solid(context, kind);
    for (int k = 0; k < count; k++) {
      const pose pm = {{even(-1, 1), even(-1, 1), even(-1, 1)}, any_rotation()};
      const pose ps = {{even(-7, 7), even(-7, 7), even(-7, 7)}, any_rotation()};
      double truth = INFINITY;
      for (int m = 0; m < 2; m++)
        truth = fmin(truth, least_gap(solid, ps, part[m],
                                      pose_mul(pm, (pose){at[m], {1.0, 0.0, 0.0, 0.0}})));
      if (truth > -0.2) continue;
      deep++;
      silent += !(least_gap(solid, ps, mesh, pm) < 0.0);
    }
    scree_shape_destroy(solid);
  }
  scree_shape_destroy(mesh);
  for (int k = 0; k < 2; k++) scree_shape_destroy(part[k]);
  scree_context_destroy(context);
  assert_true(deep > count);
  if (silent) fail_msg("%d of %d overlaps are not told", silent, deep);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(overlap_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

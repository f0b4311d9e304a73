/* Solids in cavities and on planes, against slow references: the nearest boundary point by
 * searching along each boundary line, and the least clearance over all planes that touch the wall.
 */
#include "collide/narrow/narrow.h"
#include "tests/unit/shape/shape_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/one_context.h"

static double least(const contact_point *c, int n) {
  double gap = INFINITY;
  for (int i = 0; i < n; i++) gap = fmin(gap, c[i].gap);
  return gap;
}

static void check_sound(const contact_point *c, int n, double margin) {
  for (int i = 0; i < n; i++) {
    assert_true(fabs(v3_norm(c[i].normal) - 1) < 1e-12 && c[i].gap <= margin);
    assert_true(v3_norm(v3_sub(c[i].point_b, v3_add_scaled(c[i].point_a, c[i].gap, c[i].normal))) <
                1e-12);
    for (int k = 0; k < i; k++) assert_true(c[k].feature != c[i].feature);
  }
}

/* Distance from (x, z) to the segment p-q in a plane, by golden section. */
static double search_segment(double x, double z, const double p[2], const double q[2]) {
  double lo = 0, hi = 1;
  for (int i = 0; i < 80; i++) {
    const double a = lo + 0.382 * (hi - lo), b = lo + 0.618 * (hi - lo);
    const double fa = hypot(p[0] + a * (q[0] - p[0]) - x, p[1] + a * (q[1] - p[1]) - z),
                 fb = hypot(p[0] + b * (q[0] - p[0]) - x, p[1] + b * (q[1] - p[1]) - z);
    if (fa < fb)
      hi = b;
    else
      lo = a;
  }
  const double t = 0.5 * (lo + hi);
  return hypot(p[0] + t * (q[0] - p[0]) - x, p[1] + t * (q[1] - p[1]) - z);
}

/* Signed distance of (r, z) to the material around a round cavity. */
static double search_round(const shape *b, double r, double z) {
  const double far = 50, half = b->round_container.half, rb = b->round_container.bottom,
               rt = b->round_container.top;
  const bool ob = b->round_container.open & SCREE_OPEN_BOTTOM,
             ot = b->round_container.open & SCREE_OPEN_TOP;
  const double wall[2][2] = {{rb, -half}, {rt, half}};
  const double bottom[2][2] = {{rb, -half}, {ob ? far : -rb, -half}};
  const double top[2][2] = {{rt, half}, {ot ? far : -rt, half}};
  double d = search_segment(r, z, wall[0], wall[1]);
  if (ob || rb > 0) d = fmin(d, search_segment(r, z, bottom[0], bottom[1]));
  if (ot || rt > 0) d = fmin(d, search_segment(r, z, top[0], top[1]));
  const double edge = rb + (rt - rb) * (z + half) / (2 * half);
  const bool material = z > half ? !ot : z < -half ? !ob : r > edge;
  return material ? -d : d;
}

static void balls_in_round_cavities(void **state) {
  (void)state;
  uint64_t seed = 3;
  int touched = 0;
  for (int trial = 0; trial < 4000; trial++) {
    shape *b, *a;
    const unsigned open = (unsigned)trial % 4;
    const double rb = open & 1 || trial % 5 ? random_real(&seed, 0.3, 1) : 0,
                 rt = trial % 3 ? random_real(&seed, 0.3, 1) : rb + 0.3,
                 half = random_real(&seed, 0.3, 1);
    assert_int_equal(scree_shape_create_cone_container(context, rb, rt, half, open, &b), 0);
    assert_int_equal(scree_shape_create_sphere(context, random_real(&seed, 0.02, 0.2), &a), 0);
    const pose pb = random_pose(&seed, 1);
    const v3 x = {random_real(&seed, -1.2, 1.2), random_real(&seed, -1.2, 1.2),
                  random_real(&seed, -1.2, 1.2)};
    const double r = hypot(x.x, x.y), reference = search_round(b, r, x.z) - a->sphere.radius;
    contact_point c[CONTACT_POINT_MAX];
    const pose pa = {pose_apply(pb, x), quat_identity()};
    const int n = narrow_collide(a, pa, b, pb, 0.3, c, CONTACT_POINT_MAX);
    check_sound(c, n, 0.3);
    /* Beyond two walls at once each is reported by itself; the way out is longer than any. */
    const bool deep = reference + a->sphere.radius < 0;
    if (n == 0)
      assert_true(reference > 0.3 - 1e-9);
    else if (!deep) {
      touched++;
      if (fabs(least(c, n) - reference) > 1e-9)
        fail_msg("trial %d: gap %.12g reference %.12g", trial, least(c, n), reference);
    } else {
      assert_true(least(c, n) >= reference - 1e-9 && least(c, n) <= 1e-9 - a->sphere.radius);
    }
    scree_shape_destroy(a);
    scree_shape_destroy(b);
  }
  assert_true(touched > 500);
}

/* Signed distance to the material around a box cavity, from its boundary rectangles. */
static double search_box(const shape *b, v3 x) {
  const v3 h = b->box_container.half;
  const unsigned open = b->box_container.open;
  double d2 = INFINITY;
  for (int i = 0; i < 4; i++) {
    const double half[2] = {h.x, h.y}, p[2] = {x.x, x.y};
    const int k = i / 2;
    const double off = p[k] - (i & 1 ? half[k] : -half[k]),
                 slip = fmax(0, fabs(p[1 - k]) - half[1 - k]), dz = fmax(0, fabs(x.z) - h.z);
    d2 = fmin(d2, off * off + slip * slip + dz * dz);
  }
  const double ox = fabs(x.x) - h.x, oy = fabs(x.y) - h.y;
  for (int i = 0; i < 2; i++) {
    const double off = x.z - (i ? h.z : -h.z);
    /* A lid covers the cavity, a top everything else. */
    const double lid = hypot(fmax(0, ox), fmax(0, oy)), away = fmax(0, fmin(-ox, -oy));
    const double slip = open & (i ? SCREE_OPEN_TOP : SCREE_OPEN_BOTTOM) ? away : lid;
    d2 = fmin(d2, off * off + slip * slip);
  }
  const bool material = x.z > h.z    ? !(open & SCREE_OPEN_TOP)
                        : x.z < -h.z ? !(open & SCREE_OPEN_BOTTOM)
                                     : ox > 0 || oy > 0;
  return material ? -sqrt(d2) : sqrt(d2);
}

static void balls_in_box_cavities(void **state) {
  (void)state;
  uint64_t seed = 4;
  int touched = 0;
  for (int trial = 0; trial < 4000; trial++) {
    shape *b, *a;
    const double sizes[3] = {random_real(&seed, 0.3, 1), random_real(&seed, 0.3, 1),
                             random_real(&seed, 0.3, 1)};
    assert_int_equal(scree_shape_create_box_container(context, sizes, (unsigned)trial % 4, &b), 0);
    assert_int_equal(scree_shape_create_sphere(context, random_real(&seed, 0.02, 0.2), &a), 0);
    const pose pb = random_pose(&seed, 1);
    const v3 x = {random_real(&seed, -1.2, 1.2), random_real(&seed, -1.2, 1.2),
                  random_real(&seed, -1.2, 1.2)};
    const double reference = search_box(b, x) - a->sphere.radius;
    contact_point c[CONTACT_POINT_MAX];
    const pose pa = {pose_apply(pb, x), quat_identity()};
    const int n = narrow_collide(a, pa, b, pb, 0.3, c, CONTACT_POINT_MAX);
    check_sound(c, n, 0.3);
    if (n == 0)
      assert_true(reference > 0.3 - 1e-9);
    else if (reference + a->sphere.radius >= 0) {
      touched++;
      if (fabs(least(c, n) - reference) > 1e-9)
        fail_msg("trial %d: gap %.12g reference %.12g", trial, least(c, n), reference);
    } else {
      assert_true(least(c, n) >= reference - 1e-9 && least(c, n) <= 1e-9 - a->sphere.radius);
    }
    scree_shape_destroy(a);
    scree_shape_destroy(b);
  }
  assert_true(touched > 500);
}

/* Clearance of a convex solid in a closed cavity: the least over all planes that touch its wall. */
static double clearance(const shape *a, pose pa, v3 n, v3 on) {
  const v3 x = pose_apply(pa, shape_support(a, quat_rotate_inverse(pa.rotation, n)));
  return v3_dot(n, v3_sub(on, x));
}

static double clearance_round(const shape *a, pose pa, const shape *b, double phi) {
  const double rb = b->round_container.bottom, rt = b->round_container.top,
               half = b->round_container.half, length = hypot(rt - rb, 2 * half);
  const v3 n = {2 * half / length * cos(phi), 2 * half / length * sin(phi), -(rt - rb) / length};
  return clearance(a, pa, n, (v3){rb * cos(phi), rb * sin(phi), -half});
}

static double search_clearance(const shape *a, pose pa, const shape *b) {
  const double half = b->round_container.half;
  double best = fmin(clearance(a, pa, (v3){0, 0, 1}, (v3){0, 0, half}),
                     clearance(a, pa, (v3){0, 0, -1}, (v3){0, 0, -half}));
  double at = 0, least_yet = INFINITY;
  for (int i = 0; i < 3000; i++) {
    const double phi = 6.283185307179586 * i / 3000, g = clearance_round(a, pa, b, phi);
    if (g < least_yet) least_yet = g, at = phi;
  }
  double lo = at - 0.0022, hi = at + 0.0022;
  for (int i = 0; i < 100; i++) {
    const double p = lo + 0.382 * (hi - lo), q = lo + 0.618 * (hi - lo);
    if (clearance_round(a, pa, b, p) < clearance_round(a, pa, b, q))
      hi = q;
    else
      lo = p;
  }
  return fmin(best, clearance_round(a, pa, b, 0.5 * (lo + hi)));
}

static void convex_solids_in_round_cavities(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int kind = SCREE_SHAPE_SPHERE; kind <= SCREE_SHAPE_HULL; kind++) {
    int touched = 0;
    for (int trial = 0; trial < 300; trial++) {
      shape *b, *a = random_shape(context, &seed, (scree_shape_kind)kind, 0.3);
      const double rb = random_real(&seed, 0.6, 1.2),
                   rt = trial % 3 ? random_real(&seed, 0.6, 1.2) : rb;
      assert_int_equal(
          scree_shape_create_cone_container(context, rb, rt, random_real(&seed, 0.5, 1), 0, &b), 0);
      const pose pa = random_pose(&seed, 0.8), pb = random_pose(&seed, 1);
      const double reference = search_clearance(a, pa, b);
      contact_point c[CONTACT_POINT_MAX];
      const int n = narrow_collide(a, pose_mul(pb, pa), b, pb, 0.2, c, CONTACT_POINT_MAX);
      check_sound(c, n, 0.2);
      if (n == 0)
        assert_true(reference > 0.2 - 1e-9);
      else {
        touched++;
        if (fabs(least(c, n) - reference) > 1e-9)
          fail_msg("%s, trial %d: gap %.12g reference %.12g", scree_shape_kind_name(a->kind), trial,
                   least(c, n), reference);
      }
      scree_shape_destroy(a);
      scree_shape_destroy(b);
    }
    assert_true(touched > 50);
  }
}

/* Boxes and all other solids in closed box cavities and on planes: support along the wall. */
static void convex_solids_on_planes_and_in_boxes(void **state) {
  (void)state;
  uint64_t seed = 6;
  for (int kind = SCREE_SHAPE_SPHERE; kind <= SCREE_SHAPE_HULL; kind++)
    for (int trial = 0; trial < 300; trial++) {
      shape *a = random_shape(context, &seed, (scree_shape_kind)kind, 0.3), *b, *plane;
      const double sizes[3] = {random_real(&seed, 0.5, 1), random_real(&seed, 0.5, 1),
                               random_real(&seed, 0.5, 1)};
      assert_int_equal(scree_shape_create_box_container(context, sizes, 0, &b), 0);
      assert_int_equal(scree_shape_create_half_space(context, &plane), 0);
      const pose pa = random_pose(&seed, 0.8), pb = random_pose(&seed, 1);
      double reference = INFINITY;
      for (int i = 0; i < 6; i++) {
        double n[3] = {0, 0, 0}, on[3] = {0, 0, 0};
        n[i / 2] = i & 1 ? 1 : -1;
        on[i / 2] = n[i / 2] * sizes[i / 2];
        reference = fmin(reference, clearance(a, pa, v3_load(n), v3_load(on)));
      }
      contact_point c[CONTACT_POINT_MAX];
      int n = narrow_collide(a, pose_mul(pb, pa), b, pb, 10, c, CONTACT_POINT_MAX);
      check_sound(c, n, 10);
      assert_true(n > 0 && fabs(least(c, n) - reference) < 1e-12);
      n = narrow_collide(a, pose_mul(pb, pa), plane, pb, 10, c, CONTACT_POINT_MAX);
      check_sound(c, n, 10);
      assert_true(n > 0 &&
                  fabs(least(c, n) - clearance(a, pa, (v3){0, 0, -1}, (v3){0, 0, 0})) < 1e-12);
      for (int i = 0; i < n; i++)
        assert_true(
            narrow_near_point(a, pose_apply_inverse(pose_mul(pb, pa), c[i].point_a)).distance <
            1e-12);
      scree_shape_destroy(a);
      scree_shape_destroy(b);
      scree_shape_destroy(plane);
    }
}

/* A box lying over the rim of a pit touches the rim and the ground beside it. */
static void box_over_the_rim_of_a_pit(void **state) {
  (void)state;
  const double pit[3] = {1, 1, 1}, sizes[3] = {0.5, 0.2, 0.1};
  shape *a, *b;
  assert_int_equal(scree_shape_create_box_container(context, pit, SCREE_OPEN_TOP, &b), 0);
  assert_int_equal(scree_shape_create_box(context, sizes, &a), 0);
  const pose pa = {{1, 0, 1.1 + 1e-4}, quat_identity()};
  contact_point c[CONTACT_POINT_MAX];
  const int n = narrow_collide(a, pa, b, pose_identity(), 0.01, c, CONTACT_POINT_MAX);
  assert_int_equal(n, 4);
  for (int i = 0; i < n; i++) {
    assert_true(fabs(c[i].gap - 1e-4) < 1e-12 && c[i].normal.z < -1 + 1e-12);
    assert_true(c[i].point_a.x >= 1 - 1e-12);
  }
  scree_shape_destroy(a);
  scree_shape_destroy(b);
}

/* A capsule is all balls along its axis: the nearest of them to the material around the cavity. */
static double search_capsule(const shape *a, pose pa, const shape *b) {
  double best = INFINITY, at = 0, step = 0.01;
  for (double t = -1; t <= 1; t += step) {
    const v3 x = pose_apply(pa, (v3){0, 0, t * a->capsule.half});
    const double d = search_round(b, hypot(x.x, x.y), x.z);
    if (d < best) best = d, at = t;
  }
  for (; step > 1e-9; step *= 0.6)
    for (int k = -2; k <= 2; k++) {
      const double t = fmax(-1, fmin(1, at + k * step));
      const v3 x = pose_apply(pa, (v3){0, 0, t * a->capsule.half});
      const double d = search_round(b, hypot(x.x, x.y), x.z);
      if (d < best) best = d, at = t;
    }
  return best - a->capsule.radius;
}

static void capsules_lean_on_round_rims(void **state) {
  (void)state;
  uint64_t seed = 12;
  int touched = 0;
  for (int trial = 0; trial < 500; trial++) {
    shape *a, *b;
    assert_int_equal(scree_shape_create_capsule(context, random_real(&seed, 0.02, 0.1),
                                                random_real(&seed, 0.1, 0.5), &a),
                     0);
    assert_int_equal(scree_shape_create_cone_container(context, random_real(&seed, 0.3, 1),
                                                       random_real(&seed, 0.3, 1),
                                                       random_real(&seed, 0.4, 1), 3, &b),
                     0);
    const pose pa = random_pose(&seed, 0.9), pb = random_pose(&seed, 1);
    const double reference = search_capsule(a, pa, b);
    contact_point c[CONTACT_POINT_MAX];
    const int n = narrow_collide(a, pose_mul(pb, pa), b, pb, 0.3, c, CONTACT_POINT_MAX);
    check_sound(c, n, 0.3);
    if (reference > 0) {
      if (n == 0)
        assert_true(reference > 0.3 - 1e-7);
      else if (fabs(least(c, n) - reference) > 1e-7)
        fail_msg("trial %d: gap %.12g reference %.12g", trial, least(c, n), reference);
      touched += n > 0;
    }
    scree_shape_destroy(a);
    scree_shape_destroy(b);
  }
  assert_true(touched > 50);
}

/* A ball in a funnel's throat is held from three sides. */
static void ball_in_a_throat(void **state) {
  (void)state;
  shape *a, *b;
  assert_int_equal(scree_shape_create_cone_container(context, 0.1, 1, 0.5, 3, &b), 0);
  assert_int_equal(scree_shape_create_sphere(context, 0.3, &a), 0);
  const double s = hypot(0.9, 1.0), z = -0.5 + (0.3 * s - 0.1 * 1.0) / 0.9;
  const pose pa = {{0, 0, z}, quat_identity()};
  contact_point c[CONTACT_POINT_MAX];
  const int n = narrow_collide(a, pa, b, pose_identity(), 1e-6, c, CONTACT_POINT_MAX);
  assert_int_equal(n, 3);
  v3 sum = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    assert_true(fabs(c[i].gap) < 1e-12);
    sum = v3_add(sum, c[i].normal);
  }
  assert_true(hypot(sum.x, sum.y) < 1e-12 && sum.z < 0);
  scree_shape_destroy(a);
  scree_shape_destroy(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(balls_in_round_cavities),
      cmocka_unit_test(balls_in_box_cavities),
      cmocka_unit_test(convex_solids_in_round_cavities),
      cmocka_unit_test(convex_solids_on_planes_and_in_boxes),
      cmocka_unit_test(box_over_the_rim_of_a_pit),
      cmocka_unit_test(capsules_lean_on_round_rims),
      cmocka_unit_test(ball_in_a_throat),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

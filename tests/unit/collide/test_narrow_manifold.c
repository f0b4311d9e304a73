/* Manifolds and degenerate poses: bodies that lie flat get the points that hold them, features keep
 * their names while bodies move, and nothing ever gives a normal that is not unit and finite. */
#include "collide/narrow/narrow.h"
#include "tests/unit/shape/shape_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/one_context.h"

static shape *box(double x, double y, double z) {
  const double sizes[3] = {x, y, z};
  shape *s;
  assert_int_equal(scree_shape_create_box(context, sizes, &s), 0);
  return s;
}

static shape *cube_hull(double h) {
  double p[24];
  for (int i = 0; i < 8; i++)
    v3_store(p + 3 * i, (v3){i & 1 ? h : -h, i & 2 ? h : -h, i & 4 ? h : -h});
  shape *s;
  assert_int_equal(scree_shape_create_hull(context, 8, p, &s), 0);
  return s;
}

/* Area of the contact points' shadow is a matter of extent: check the extent itself. */
static void check_flat(const contact_point *c, int n, int expect, double gap, double width,
                       double depth) {
  assert_int_equal(n, expect);
  aabb b = aabb_empty();
  for (int i = 0; i < n; i++) {
    assert_true(fabs(c[i].gap - gap) < 1e-9);
    assert_true(fabs(fabs(c[i].normal.z) - 1) < 1e-9);
    b = aabb_union(b, (aabb){c[i].point_a, c[i].point_a});
  }
  assert_true(fabs(b.hi.x - b.lo.x - width) < 1e-9 && fabs(b.hi.y - b.lo.y - depth) < 1e-9);
}

static void boxes_lie_flat_on_four_points(void **state) {
  (void)state;
  shape *a = box(1, 1, 0.5), *b = box(0.4, 0.3, 0.5), *h = cube_hull(0.5), *p;
  assert_int_equal(scree_shape_create_half_space(context, &p), 0);
  contact_point c[CONTACT_POINT_MAX];
  for (int apart = -1; apart <= 1; apart++) {
    const double gap = 1e-3 * apart;
    pose pb = {{0.1, -0.2, 1 + gap}, quat_identity()};
    check_flat(c, narrow_collide(a, pose_identity(), b, pb, 0.01, c, 32), 4, gap, 0.8, 0.6);
    check_flat(c, narrow_collide(b, pb, a, pose_identity(), 0.01, c, 32), 4, gap, 0.8, 0.6);
    check_flat(c, narrow_collide(a, pose_identity(), h, pb, 0.01, c, 32), 4, gap, 1, 1);
    check_flat(c, narrow_collide(h, pose_identity(), b, pb, 0.01, c, 32), 4, gap, 0.8, 0.6);
    /* Half over the edge. */
    pb.position.x = 1;
    check_flat(c, narrow_collide(a, pose_identity(), b, pb, 0.01, c, 32), 4, gap, 0.4, 0.6);
    /* Turned by 45 degrees over an edge: an octagon thinned to four, still wide. */
    pb.position = (v3){0, 0, 0.5 + gap};
    check_flat(c, narrow_collide(b, pb, p, pose_identity(), 0.01, c, 32), 4, gap, 0.8, 0.6);
    check_flat(c, narrow_collide(h, pb, p, pose_identity(), 0.01, c, 32), 4, gap, 1, 1);
  }
  scree_shape_destroy(a);
  scree_shape_destroy(b);
  scree_shape_destroy(h);
  scree_shape_destroy(p);
}

static void round_ends_stand_and_lie(void **state) {
  (void)state;
  shape *floor = box(2, 2, 0.5), *p, *s[3];
  assert_int_equal(scree_shape_create_half_space(context, &p), 0);
  assert_int_equal(scree_shape_create_cylinder(context, 0.3, 0.5, s), 0);
  assert_int_equal(scree_shape_create_cone(context, 0.3, 2, s + 1), 0);
  assert_int_equal(scree_shape_create_capsule(context, 0.3, 0.5, s + 2), 0);
  const pose low = {{0, 0, -0.5}, quat_identity()};
  contact_point c[CONTACT_POINT_MAX];
  for (int i = 0; i < 2; i++) {
    const pose up = {{0, 0, 0.5 + 1e-4}, quat_identity()};
    check_flat(c, narrow_collide(s[i], up, p, pose_identity(), 0.01, c, 32), 8, 1e-4, 0.6, 0.6);
    check_flat(c, narrow_collide(s[i], up, floor, low, 0.01, c, 32), 8, 1e-4, 0.6, 0.6);
  }
  const quat lie = quat_exp((v3){0, 0.5 * acos(-1.0), 0});
  for (int i = 0; i < 3; i += 2) {
    const pose down = {{0, 0, 0.3 + 1e-4}, lie};
    check_flat(c, narrow_collide(s[i], down, p, pose_identity(), 0.01, c, 32), 2, 1e-4, 1, 0);
    check_flat(c, narrow_collide(s[i], down, floor, low, 0.01, c, 32), 2, 1e-4, 1, 0);
    /* Side by side along each other. */
    const pose on = {{0.2, 0, 0.9 + 2e-4}, lie};
    check_flat(c, narrow_collide(s[i], down, s[2], on, 0.01, c, 32), 2, 1e-4, 0.8, 0);
  }
  for (int i = 0; i < 3; i++) scree_shape_destroy(s[i]);
  scree_shape_destroy(floor);
  scree_shape_destroy(p);
}

/* A box that slides and turns a little on another keeps the names of its four points. */
static void features_persist(void **state) {
  (void)state;
  shape *a = box(1, 1, 0.5), *b = box(0.4, 0.3, 0.5);
  contact_point old[32], c[32];
  int kept = 0, n = 0;
  for (int step = 0; step < 50; step++) {
    const double wobble = 1e-6 * (step % 3 - 1);
    const pose pb = {{0.8 + 1e-3 * step, 0.1, 1 + 1e-5},
                     quat_exp((v3){wobble, -wobble, 1e-3 * step})};
    const int m = narrow_collide(a, pose_identity(), b, pb, 0.01, c, 32);
    assert_int_equal(m, 4);
    for (int i = 0; i < m && step; i++)
      for (int k = 0; k < n; k++) kept += c[i].feature == old[k].feature;
    n = m;
    for (int i = 0; i < m; i++) old[i] = c[i];
  }
  assert_true(kept >= 4 * 49 - 12);
  scree_shape_destroy(a);
  scree_shape_destroy(b);
}

static void sound(const contact_point *c, int n) {
  for (int i = 0; i < n; i++) {
    assert_true(fabs(v3_norm(c[i].normal) - 1) < 1e-9 && isfinite(c[i].gap));
    assert_true(isfinite(v3_norm(c[i].point_a)) && isfinite(v3_norm(c[i].point_b)));
  }
}

/* Concentric, aligned, edge on edge, touching exactly, nearly so, and one in the other. */
static void degenerate_poses_are_sound(void **state) {
  (void)state;
  uint64_t seed = 9;
  const double h = 0.5 * acos(-1.0);
  const quat turn[4] = {quat_identity(), quat_exp((v3){h, 0, 0}), quat_exp((v3){0, 0.5 * h, 0}),
                        quat_exp((v3){1e-9, 2e-9, -1e-9})};
  for (int i = 0; i <= SCREE_SHAPE_HULL; i++)
    for (int j = 0; j <= SCREE_SHAPE_HULL; j++) {
      shape *a = i == SCREE_SHAPE_HULL ? cube_hull(0.5)
                                       : random_shape(context, &seed, (scree_shape_kind)i, 1),
            *b = j == SCREE_SHAPE_HULL ? cube_hull(0.3)
                                       : random_shape(context, &seed, (scree_shape_kind)j, 1);
      for (int k = 0; k < 4; k++)
        for (int axis = 0; axis < 4; axis++)
          for (int where = 0; where < 5; where++) {
            static const double off[5] = {0, 1e-15, 1e-9, -1e-9, 1e-3};
            double p[3] = {0, 0, 0};
            if (axis < 3) {
              const v3 d = {axis == 0, axis == 1, axis == 2};
              p[axis] =
                  v3_dot(d, shape_support(a, d)) -
                  v3_dot(d, quat_rotate(turn[k],
                                        shape_support(b, quat_rotate_inverse(turn[k], v3_neg(d)))));
              p[axis] += off[where];
            } else
              p[where % 3] = off[where];
            const pose pb = {v3_load(p), turn[k]};
            contact_point c[CONTACT_POINT_MAX];
            const int n = narrow_collide(a, pose_identity(), b, pb, 0.01, c, CONTACT_POINT_MAX);
            assert_true(n > 0 || axis < 3);
            sound(c, n);
            double least = INFINITY;
            for (int q = 0; q < n; q++) least = fmin(least, c[q].gap);
            if (axis < 3) {
              /* Parted by this much along an axis, so the gap is no less. */
              if (least < off[where] - 1e-12)
                fail_msg("%d-%d turn %d axis %d off %g: gap %g", i, j, k, axis, off[where], least);
            } else
              assert_true(least < 0);
          }
      scree_shape_destroy(a);
      scree_shape_destroy(b);
    }
}

/* Fast bodies, told by a wide margin, keep all corners, and those of a face that is about to slap
 * down; slow ones four, or the edge alone. */
static void fast_bodies_keep_all_corners(void **state) {
  (void)state;
  shape *a = box(0.5, 0.5, 0.5), *b = box(0.5, 0.5, 0.5);
  contact_point c[CONTACT_POINT_MAX];
  const pose turned = {{0, 0, 1.01}, quat_exp((v3){0, 0, 0.7853981633974483})};
  assert_int_equal(narrow_collide(a, pose_identity(), b, turned, 0.02, c, 32), 4);
  assert_int_equal(narrow_collide(a, pose_identity(), b, turned, 0.3, c, 32), 8);
  /* Two edges cross at the corner of b; its other corners hang 0.15 and 0.3 over a's face. */
  const pose tilted = {{0.2, 0.1, 1.15}, quat_exp((v3){0.15, 0.15, 0.02})};
  const int slow = narrow_collide(a, pose_identity(), b, tilted, 0.05, c, 32);
  const int fast = narrow_collide(a, pose_identity(), b, tilted, 0.5, c, 32);
  assert_true(slow < fast && fast >= 4);
  for (int i = 0; i < fast; i++) assert_true(c[i].gap >= -1e-12);
  scree_shape_destroy(a);
  scree_shape_destroy(b);
}

static void few_places_keep_the_deepest(void **state) {
  (void)state;
  shape *a = box(1, 1, 0.5), *b = box(0.4, 0.3, 0.5);
  const pose pb = {{0, 0, 0.99}, quat_exp((v3){0.01, 0.02, 0})};
  contact_point all[32], one[1];
  const int n = narrow_collide(a, pose_identity(), b, pb, 0.1, all, 32);
  assert_int_equal(narrow_collide(a, pose_identity(), b, pb, 0.1, one, 1), 1);
  assert_int_equal(narrow_collide(a, pose_identity(), b, pb, 0.1, one, 0), 0);
  for (int i = 0; i < n; i++) assert_true(one[0].gap <= all[i].gap);
  scree_shape_destroy(a);
  scree_shape_destroy(b);
}

/* A dumbbell on a plane and on another: a contact for each part that touches, each with its name.
 */
static void compounds_touch_by_parts(void **state) {
  (void)state;
  shape *ball, *bell, *plane;
  assert_int_equal(scree_shape_create_sphere(context, 0.1, &ball), 0);
  assert_int_equal(scree_shape_create_half_space(context, &plane), 0);
  const scree_shape_part part[2] = {
      {.shape = ball, .position = {0.3, 0, 0}, .rotation = {1, 0, 0, 0}},
      {.shape = ball, .position = {-0.3, 0, 0}, .rotation = {1, 0, 0, 0}}};
  assert_int_equal(scree_shape_create_compound(context, 2, part, &bell), 0);
  contact_point c[32];
  const pose up = {{0, 0, 0.1}, quat_identity()}, on = {{0.6, 0, 0.3}, quat_identity()};
  int n = narrow_collide(bell, up, plane, pose_identity(), 0.01, c, 32);
  assert_int_equal(n, 2);
  assert_true(c[0].feature != c[1].feature && c[0].normal.z == -1 && fabs(c[0].gap) < 1e-15);
  n = narrow_collide(plane, pose_identity(), bell, up, 0.01, c, 32);
  assert_int_equal(n, 2);
  assert_true(c[0].normal.z == 1);
  n = narrow_collide(bell, up, bell, on, 0.01, c, 32);
  assert_int_equal(n, 1);
  assert_true(fabs(c[0].normal.z - 1) < 1e-12 && fabs(c[0].gap) < 1e-12);
  scree_shape_destroy(ball);
  scree_shape_destroy(bell);
  scree_shape_destroy(plane);
}

static void nothing_is_allocated(void **state) {
  (void)state;
  uint64_t seed = 11;
  shape *s[SCREE_SHAPE_HULL + 1];
  for (int i = 0; i <= SCREE_SHAPE_HULL; i++)
    s[i] = random_shape(context, &seed, (scree_shape_kind)i, 1);
  const size_t before = scree_context_allocations(context);
  contact_point c[32];
  for (int i = 0; i <= SCREE_SHAPE_HULL; i++)
    for (int j = 0; j <= SCREE_SHAPE_HULL; j++)
      narrow_collide(s[i], random_pose(&seed, 1), s[j], random_pose(&seed, 1), 0.1, c, 32);
  assert_int_equal(scree_context_allocations(context), before);
  for (int i = 0; i <= SCREE_SHAPE_HULL; i++) scree_shape_destroy(s[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_lie_flat_on_four_points),
      cmocka_unit_test(round_ends_stand_and_lie),
      cmocka_unit_test(features_persist),
      cmocka_unit_test(degenerate_poses_are_sound),
      cmocka_unit_test(fast_bodies_keep_all_corners),
      cmocka_unit_test(few_places_keep_the_deepest),
      cmocka_unit_test(compounds_touch_by_parts),
      cmocka_unit_test(nothing_is_allocated),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

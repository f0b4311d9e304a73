/* Bodies that lie flat, on every kind of floor, at tilts from none to a milliradian: the points
 * that hold them must reach to the rim of what they stand on and never go from one step to the
 * next, each with the height of its place over the floor as gap.
 *
 * SCREE_TRIALS asks for more poses of each body and floor, SCREE_SEED for others. */
#include "collide/narrow/narrow.h"
#include "tests/unit/shape/shape_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/one_context.h"

static const double TURN = 6.283185307179586;

static shape *box(double x, double y, double z) {
  const double sizes[3] = {x, y, z};
  shape *s;
  assert_int_equal(scree_shape_create_box(context, sizes, &s), 0);
  return s;
}

static shape *brick(double x, double y, double z) {
  double p[24];
  for (int i = 0; i < 8; i++)
    v3_store(p + 3 * i, (v3){i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z});
  shape *s;
  assert_int_equal(scree_shape_create_hull(context, 8, p, &s), 0);
  return s;
}

static shape *prism(int sides, double radius, double half) {
  double p[3 * 2 * 20];
  for (int i = 0; i < 2 * sides; i++) {
    const double phi = TURN * (i / 2) / sides;
    v3_store(p + 3 * i, (v3){radius * cos(phi), radius * sin(phi), i & 1 ? half : -half});
  }
  shape *s;
  assert_int_equal(scree_shape_create_hull(context, (size_t)(2 * sides), p, &s), 0);
  return s;
}

/* A flat square of triangles, side 6. */
static shape *mesh(int cells) {
  enum { MOST = 12 };
  double p[3 * (MOST + 1) * (MOST + 1)];
  uint32_t t[6 * MOST * MOST], n = 0;
  const int row = cells + 1;
  for (int i = 0; i < row; i++)
    for (int j = 0; j < row; j++)
      v3_store(p + 3 * (i * row + j), (v3){6.0 * i / cells - 3, 6.0 * j / cells - 3, 0});
  for (int i = 0; i < cells; i++)
    for (int j = 0; j < cells; j++) {
      const int a = i * row + j, b = a + row;
      const int two[6] = {a, b, a + 1, b, b + 1, a + 1};
      for (int k = 0; k < 6; k++) t[n++] = (uint32_t)two[k];
    }
  shape *s;
  assert_int_equal(scree_shape_create_mesh(context, (size_t)(row * row), p, n / 3, t, &s), 0);
  return s;
}

typedef struct body {
  const char *name;
  shape *shape;
  v3 turn;      /* rotation vector that lays it down */
  int points;   /* at least */
  double reach; /* least part of the way from the centre to the rim that points reach to */
} body;

typedef struct ground {
  const char *name;
  shape *shape;
  double depth; /* of its origin under the surface */
  int most;     /* points that it may give to bodies without round ends */
} ground;

enum { BODIES = 12, GROUNDS = 9 };

static void make_bodies(body *b) {
  shape *s[5];
  assert_int_equal(scree_shape_create_cylinder(context, 0.3, 0.5, s), 0);
  assert_int_equal(scree_shape_create_cylinder(context, 0.5, 0.02, s + 1), 0);
  assert_int_equal(scree_shape_create_cone(context, 0.4, 0.8, s + 2), 0);
  assert_int_equal(scree_shape_create_capsule(context, 0.2, 0.4, s + 3), 0);
  const v3 up = {0, 0, 0}, side = {0, TURN / 4, 0};
  const body all[BODIES] = {
      {"box", box(0.5, 0.3, 0.2), up, 4, 0.99},
      {"plate", box(0.5, 0.4, 0.01), up, 4, 0.99},
      {"post", box(0.02, 0.03, 0.5), up, 4, 0.95},
      {"brick", brick(0.5, 0.3, 0.2), up, 4, 0.99},
      {"prism", prism(7, 0.4, 0.3), up, 4, 0.6},
      {"column", prism(20, 0.4, 0.3), up, 4, 0.65},
      {"cylinder", s[0], up, 8, 0.82},
      {"disc", s[1], up, 8, 0.82},
      {"cone", s[2], up, 8, 0.82},
      {"log", scree_shape_retain(s[0]), side, 2, 0.99},
      {"capsule", s[3], side, 2, 0.99},
      {"tilted cone", scree_shape_retain(s[2]), {0, TURN / 4 + atan2(0.4, 0.8), 0}, 2, 0.97},
  };
  for (int i = 0; i < BODIES; i++) b[i] = all[i];
}

static void make_grounds(ground *g) {
  const double sizes[3] = {3, 3, 3};
  shape *s[5], *slab = box(3, 3, 1);
  assert_int_equal(scree_shape_create_half_space(context, s), 0);
  assert_int_equal(scree_shape_create_box_container(context, sizes, SCREE_OPEN_TOP, s + 1), 0);
  assert_int_equal(scree_shape_create_cylinder_container(context, 3, 3, SCREE_OPEN_TOP, s + 2), 0);
  assert_int_equal(scree_shape_create_cylinder(context, 3, 1, s + 3), 0);
  const scree_shape_part part = {slab, {0, 0, -1}, {1, 0, 0, 0}};
  assert_int_equal(scree_shape_create_compound(context, 1, &part, s + 4), 0);
  const ground all[GROUNDS] = {
      {"half-space", s[0], 0, 4},
      {"box", slab, 1, 4},
      {"hull", brick(3, 3, 1), 1, 4},
      {"box container", s[1], -3, 4},
      {"cylinder container", s[2], -3, 4},
      {"cylinder", s[3], 1, 20},
      {"compound", s[4], 0, 4},
      {"fine mesh", mesh(12), 0, 5},
      {"coarse mesh", mesh(1), 0, 5},
  };
  for (int i = 0; i < GROUNDS; i++) g[i] = all[i];
}

/* The least part, over all horizontal directions, of the way from the centre to the rim. */
static double reach_of(const shape *s, pose level, const contact_point *c, int n) {
  double least = INFINITY;
  for (int j = 0; j < 64; j++) {
    const v3 d = {cos(TURN * j / 64), sin(TURN * j / 64), 0};
    const v3 low = {1e-9 * d.x, 1e-9 * d.y, -1};
    const v3 rim = pose_apply(level, shape_support(s, quat_rotate_inverse(level.rotation, low)));
    const double foot = v3_dot(d, v3_sub(rim, level.position));
    double most = -INFINITY;
    for (int i = 0; i < n; i++) most = fmax(most, v3_dot(d, v3_sub(c[i].point_a, level.position)));
    if (foot > 0.05 * s->size) least = fmin(least, most / foot);
  }
  return least;
}

/* One body at one tilt, gap and place; in half of the trials the world is turned as well and the
 * ground comes first. */
static void check_rest(const body *b, const ground *g, int trial, uint64_t *seed) {
  const shape *s = b->shape;
  const double tilt = trial % 8 ? pow(10, -random_real(seed, 3, 16)) : 0,
               phi = random_real(seed, 0, TURN),
               yaw = trial % 3 ? random_real(seed, -3, 3) : TURN / 4 * (trial % 4);
  const v3 axis = {tilt * cos(phi), tilt * sin(phi), 0};
  const quat lie = quat_mul(quat_exp((v3){0, 0, yaw}), quat_exp(b->turn));
  pose p = {{random_real(seed, -0.8, 0.8), random_real(seed, -0.8, 0.8), 0},
            quat_mul(quat_exp(axis), lie)};
  const double part = pow(10, -random_real(seed, 3.5, 12)),
               gap = s->size * (trial % 3 == 0   ? 0
                                : trial % 3 == 1 ? part
                                                 : -part);
  p.position.z = gap - shape_bounds(s, p).lo.z;
  const pose world = trial % 2 ? random_pose(seed, 1) : pose_identity(),
             pg = {{0, 0, -g->depth}, quat_identity()};
  contact_point c[CONTACT_POINT_MAX];
  const bool first = trial % 4 < 2;
  const double margin = 0.01 * s->size;
  const int n = first ? narrow_collide(s, pose_mul(world, p), g->shape, pose_mul(world, pg), margin,
                                       c, CONTACT_POINT_MAX)
                      : narrow_collide(g->shape, pose_mul(world, pg), s, pose_mul(world, p), margin,
                                       c, CONTACT_POINT_MAX);
  double least = INFINITY;
  for (int i = 0; i < n; i++) {
    const v3 x = pose_apply_inverse(world, first ? c[i].point_a : c[i].point_b),
             m = quat_rotate_inverse(world.rotation, c[i].normal);
    least = fmin(least, c[i].gap);
    if (fabs(x.z - c[i].gap) > 1e-9 * s->size || hypot(m.x, m.y) > 1e-4 ||
        fabs(narrow_near_point(s, pose_apply_inverse(p, x)).distance) > 1e-6 * s->size)
      fail_msg("%s on %s, trial %d, tilt %.1e: point at height %.3e has gap %.3e, normal %g %g %g",
               b->name, g->name, trial, tilt, x.z, c[i].gap, m.x, m.y, m.z);
    c[i].point_a = x;
  }
  pose level = p;
  level.rotation = lie;
  const double reach = reach_of(s, level, c, n);
  const bool round = b->points == 8, triangles = g->shape->kind == SCREE_SHAPE_MESH;
  const int fewest = round && triangles ? 4 : b->points, most = round && !triangles ? 9 : g->most;
  if (n < fewest || n > most || reach < (round && triangles ? 0.5 : b->reach) ||
      fabs(least - gap) > 1e-9 * s->size)
    fail_msg("%s on %s, trial %d, tilt %.1e: %d points reach to %.3f of the rim, gap %.3e for %.3e",
             b->name, g->name, trial, tilt, n, reach, least, gap);
}

static void bodies_at_rest_are_held(void **state) {
  (void)state;
  const char *more = getenv("SCREE_TRIALS");
  const int trials = more ? atoi(more) : 120;
  const char *other = getenv("SCREE_SEED");
  uint64_t seed = other ? strtoull(other, NULL, 10) : 31;
  body b[BODIES];
  ground g[GROUNDS];
  make_bodies(b);
  make_grounds(g);
  for (int i = 0; i < GROUNDS; i++)
    for (int j = 0; j < BODIES; j++)
      for (int trial = 0; trial < trials; trial++) check_rest(b + j, g + i, trial, &seed);
  for (int j = 0; j < BODIES; j++) scree_shape_destroy(b[j].shape);
  for (int i = GROUNDS - 1; i >= 0; i--) scree_shape_destroy(g[i].shape);
}

/* Edges of boxes and hulls, on edge, along the top line of a lying cylinder or capsule, or along
 * each other (apart: else faces part them): two points hold them, at the ends of what is shared. */
static void edges_lie_along_lines(void **state) {
  (void)state;
  enum { UPPER = 2, LOWER = 4 };
  const double eighth = TURN / 8, half = 0.5, root = sqrt(2);
  uint64_t seed = 47;
  shape *upper[UPPER] = {box(0.4, 0.1, 0.1), brick(0.4, 0.1, 0.1)},
        *lower[LOWER] = {NULL, NULL, box(half, 0.2, 0.2), brick(half, 0.2, 0.2)};
  assert_int_equal(scree_shape_create_cylinder(context, 0.2, half, lower), 0);
  assert_int_equal(scree_shape_create_capsule(context, 0.2, half, lower + 1), 0);
  for (int trial = 0; trial < 400; trial++) {
    const int i = trial % UPPER, j = trial / UPPER % LOWER;
    const double top = j < 2 ? 0.2 : 0.2 * root, tilt = trial % 5 ? pow(10, -10 - trial % 7) : 0,
                 gap = (j < 2 ? trial % 3 - 1 : 1) * pow(10, -random_real(&seed, 4, 10)),
                 shift = random_real(&seed, -0.7, 0.7);
    const pose a = {{shift, 0, top + 0.1 * root + gap},
                    quat_mul(quat_exp((v3){0, tilt, tilt}), quat_exp((v3){eighth, 0, 0}))},
               b = {{0, 0, 0},
                    j < 2 ? quat_exp((v3){0, TURN / 4, 0}) : quat_exp((v3){eighth, 0, 0})},
               world = random_pose(&seed, 1);
    contact_point c[CONTACT_POINT_MAX];
    const int n = narrow_collide(upper[i], pose_mul(world, a), lower[j], pose_mul(world, b), 2e-3,
                                 c, CONTACT_POINT_MAX);
    const double left = fmax(-half, shift - 0.4), right = fmin(half, shift + 0.4);
    bool at_left = false, at_right = false;
    for (int k = 0; k < n; k++) {
      const v3 x = pose_apply_inverse(world, c[k].point_a);
      if (fabs(c[k].gap - gap) > 1e-9 || fabs(x.z - top - gap) > 1e-9 || fabs(x.y) > 1e-9)
        fail_msg("trial %d: gap %.3e for %.3e at %g %g %g", trial, c[k].gap, gap, x.x, x.y, x.z);
      at_left |= fabs(x.x - left) < 1e-9;
      at_right |= fabs(x.x - right) < 1e-9;
    }
    if (n != 2 || !at_left || !at_right)
      fail_msg("trial %d: shapes %d on %d, gap %.3e: %d points", trial, i, j, gap, n);
  }
  for (int i = 0; i < UPPER; i++) scree_shape_destroy(upper[i]);
  for (int j = 0; j < LOWER; j++) scree_shape_destroy(lower[j]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_at_rest_are_held),
      cmocka_unit_test(edges_lie_along_lines),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

/* Queries against brute force: rays against marching along distance functions, nearest points
 * against alternating projections, contacts against all pairs, regions against points thrown in. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collide/narrow/narrow.h"
#include "model/world.h"
#include "scree/scree.h"
#include "shape/mesh_near.h"
#include "tests/unit/shape/shape_random.h"

#include "tests/support/one_context.h"

enum { BODIES = 40, MOST = 4000 };

static scree_world *world;
static scree_body_id ids[BODIES + 2];
static uint64_t seed;

/* A tetrahedron as a mesh, closed. */
static shape *mesh_shape(void) {
  const double vertices[] = {-0.5, -0.4, -0.3, 0.6, -0.4, -0.3, 0.0, 0.6, -0.3, 0.0, 0.0, 0.7};
  const uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  shape *s;
  assert_int_equal(scree_shape_create_mesh(context, 4, vertices, 4, triangles, &s), SCREE_OK);
  return s;
}

static shape *dumbbell(void) {
  shape *ball, *bar, *s;
  const double half[3] = {0.6, 0.1, 0.15};
  assert_int_equal(scree_shape_create_sphere(context, 0.25, &ball), SCREE_OK);
  assert_int_equal(scree_shape_create_box(context, half, &bar), SCREE_OK);
  const scree_shape_part parts[] = {{ball, {-0.6, 0, 0.1}, {1, 0, 0, 0}},
                                    {ball, {0.6, 0, 0}, {1, 0, 0, 0}},
                                    {bar, {0, 0, 0}, {0.9, 0.1, 0.2, 0}}};
  assert_int_equal(scree_shape_create_compound(context, 3, parts, &s), SCREE_OK);
  scree_shape_destroy(ball);
  scree_shape_destroy(bar);
  return s;
}

static int begin(void **state) {
  if (setup(state) || scree_world_create(context, NULL, &world)) return -1;
  seed = 11;
  for (int i = 0; i < BODIES; i++) {
    const scree_shape_kind kind = (scree_shape_kind)(SCREE_SHAPE_SPHERE + i % 7);
    shape *s = i % 10 == 8   ? mesh_shape()
               : i % 10 == 9 ? dumbbell()
                             : random_shape(context, &seed, kind, 0.5);
    scree_body_def def = scree_body_def_default();
    const v3 at = {random_real(&seed, -2, 2), random_real(&seed, -2, 2),
                   random_real(&seed, 0.2, 4)};
    const quat q = random_pose(&seed, 0.0).rotation;
    def.shape = s;
    def.mass = 1.0;
    v3_store(def.position, at);
    def.rotation[0] = q.w, def.rotation[1] = q.x, def.rotation[2] = q.y, def.rotation[3] = q.z;
    assert_int_equal(scree_world_add_body(world, &def, &ids[i]), SCREE_OK);
    scree_shape_destroy(s);
  }
  shape *floor;
  assert_int_equal(scree_shape_create_half_space(context, &floor), SCREE_OK);
  scree_body_def def = scree_body_def_default();
  def.shape = floor;
  def.kind = SCREE_BODY_FIXED;
  assert_int_equal(scree_world_add_body(world, &def, &ids[BODIES]), SCREE_OK);
  scree_shape_destroy(floor);
  return 0;
}

static int end(void **state) {
  scree_world_destroy(world);
  return teardown(state);
}

static pose pose_of(size_t i) {
  const world_bodies *b = &world->bodies;
  const pose p = {b->position[i], b->rotation[i]};
  return b->place ? pose_mul(p, b->place[i]) : p;
}

/* Signed distance of a point from a shape. */
static double distance_of(const shape *s, pose p, v3 x) {
  const v3 in = pose_apply_inverse(p, x);
  double least = INFINITY;
  if (s->kind == SCREE_SHAPE_HALF_SPACE) return in.z;
  if (s->kind == SCREE_SHAPE_COMPOUND) {
    for (uint32_t i = 0; i < s->compound.count; i++)
      least = fmin(
          least, distance_of(s->compound.part[i].shape, pose_mul(p, s->compound.part[i].place), x));
    return least;
  }
  if (s->kind == SCREE_SHAPE_MESH) {
    mesh_near near;
    assert_true(mesh_find_near(&s->mesh, in, INFINITY, &near));
    return mesh_signed_distance(&s->mesh, in, &near) < 0 ? -near.distance : near.distance;
  }
  return narrow_near_point(s, in).distance;
}

/* t of the first entry by steps that are no longer than the distance; negative: there is none. */
static double march(size_t i, v3 o, v3 d, double reach) {
  const shape *s = world->bodies.shape[i];
  const pose p = pose_of(i);
  if (distance_of(s, p, o) <= 0) return -1;
  for (double t = 0; t < reach;) {
    const double gap = distance_of(s, p, v3_add_scaled(o, t, d));
    if (gap < 1e-10) return t;
    t += fmax(gap, 1e-9);
  }
  return -1;
}

static void test_rays(void **state) {
  (void)state;
  int met = 0, missed = 0;
  for (int round = 0; round < 300; round++) {
    const v3 o = v3_add(v3_scale(6, random_unit(&seed)), v3_make(0, 0, 2));
    const v3 aim = {random_real(&seed, -2, 2), random_real(&seed, -2, 2), random_real(&seed, 0, 4)};
    const v3 d = round % 10 ? v3_normalize(v3_sub(aim, o)) : random_unit(&seed);
    scree_ray_def ray = scree_ray_def_default();
    scree_ray_hit hit;
    v3_store(ray.origin, o);
    v3_store(ray.direction, v3_scale(random_real(&seed, 0.1, 9), d));
    ray.reach = 9;
    assert_int_equal(scree_world_cast_ray(world, &ray, &hit), SCREE_OK);
    double first = INFINITY, second = INFINITY;
    size_t body = 0;
    for (size_t i = 0; i <= BODIES; i++) {
      const double t = march(i, o, d, ray.reach);
      if (t >= 0 && t < first)
        second = first, first = t, body = i;
      else if (t >= 0)
        second = fmin(second, t);
    }
    if (!isfinite(first)) {
      /* A ray that grazes may count as either. */
      if (hit.found)
        assert_true(distance_of(world->bodies.shape[hit.body.index], pose_of(hit.body.index),
                                v3_load(hit.position)) < 1e-6);
      missed++;
      continue;
    }
    met++;
    assert_true(hit.found);
    assert_true(fabs(hit.distance - first) < 1e-5);
    if (second - first > 1e-4) assert_int_equal(hit.body.index, body);
    assert_true(v3_dot(v3_load(hit.normal), d) <= 1e-12);
    assert_true(fabs(v3_norm(v3_load(hit.normal)) - 1) < 1e-9);
    const v3 outside = v3_add_scaled(v3_load(hit.position), 1e-4, v3_load(hit.normal));
    assert_true(distance_of(world->bodies.shape[hit.body.index], pose_of(hit.body.index), outside) >
                0);
    /* Without the one that was hit it is the next one. */
    ray.left_out = hit.body;
    assert_int_equal(scree_world_cast_ray(world, &ray, &hit), SCREE_OK);
    assert_true(hit.found == isfinite(second) || !hit.found);
    if (hit.found && isfinite(second)) assert_true(fabs(hit.distance - second) < 1e-5);
  }
  assert_true(met > 150 && missed > 5);
}

static void test_ray_inside_and_refused(void **state) {
  (void)state;
  scree_ray_def ray = scree_ray_def_default();
  scree_ray_hit hit;
  ray.origin[2] = -1.0; /* in the floor */
  assert_int_equal(scree_world_cast_ray(world, &ray, &hit), SCREE_OK);
  assert_false(hit.found);
  ray.origin[0] = 100.0;
  ray.origin[2] = 5.0;
  assert_int_equal(scree_world_cast_ray(world, &ray, &hit), SCREE_OK);
  assert_true(hit.found && hit.body.index == ids[BODIES].index);
  assert_true(fabs(hit.distance - 5.0) < 1e-12 && hit.normal[2] == 1.0);
  ray.categories = 0;
  assert_int_equal(scree_world_cast_ray(world, &ray, &hit), SCREE_OK);
  assert_false(hit.found);
  ray.direction[2] = 0.0;
  assert_int_equal(scree_world_cast_ray(world, &ray, &hit), SCREE_ERROR_ARGUMENT);
}

/* A box open at the top: seen from inside and outside, but not through its lid. */
static void test_ray_in_container(void **state) {
  (void)state;
  scree_world *w;
  shape *s;
  const double half[3] = {1, 2, 3};
  assert_int_equal(scree_world_create(context, NULL, &w), SCREE_OK);
  assert_int_equal(scree_shape_create_box_container(context, half, SCREE_OPEN_TOP, &s), SCREE_OK);
  scree_body_def def = scree_body_def_default();
  scree_body_id id;
  def.shape = s;
  def.kind = SCREE_BODY_FIXED;
  assert_int_equal(scree_world_add_body(w, &def, &id), SCREE_OK);
  scree_ray_def ray = scree_ray_def_default();
  scree_ray_hit hit;
  assert_int_equal(scree_world_cast_ray(w, &ray, &hit), SCREE_OK);
  assert_true(hit.found && fabs(hit.distance - 3.0) < 1e-12 && hit.normal[2] == 1.0);
  ray.direction[2] = 1.0;
  assert_int_equal(scree_world_cast_ray(w, &ray, &hit), SCREE_OK);
  assert_false(hit.found);
  ray.origin[2] = 9.0;
  ray.direction[2] = -1.0;
  assert_int_equal(scree_world_cast_ray(w, &ray, &hit), SCREE_OK);
  assert_true(hit.found && fabs(hit.distance - 12.0) < 1e-12);
  const scree_body_id other = ids[0];
  assert_int_equal(scree_world_find_closest(w, id, other, 1.0, &(scree_closest){0}),
                   SCREE_ERROR_ARGUMENT); /* of another world, or itself */
  scree_shape_destroy(s);
  scree_world_destroy(w);
}

/* The point of a solid nearest to x. */
static v3 project(const shape *s, pose p, v3 x) {
  const narrow_near near = narrow_near_point(s, pose_apply_inverse(p, x));
  return near.distance <= 0 ? x : pose_apply(p, near.point);
}

static void test_closest(void **state) {
  (void)state;
  int apart = 0, deep = 0;
  for (size_t i = 0; i < BODIES; i++)
    for (size_t k = i + 1; k < BODIES; k++) {
      const shape *a = world->bodies.shape[i], *b = world->bodies.shape[k];
      const pose pa = pose_of(i), pb = pose_of(k);
      scree_closest c, back;
      assert_int_equal(scree_world_find_closest(world, ids[i], ids[k], INFINITY, &c), SCREE_OK);
      assert_int_equal(scree_world_find_closest(world, ids[k], ids[i], INFINITY, &back), SCREE_OK);
      assert_true(c.found && back.found && fabs(c.distance - back.distance) < 1e-7);
      const v3 on_a = v3_load(c.point_a), on_b = v3_load(c.point_b), n = v3_load(c.normal);
      assert_true(v3_norm(v3_sub(v3_add_scaled(on_a, c.distance, n), on_b)) < 1e-9);
      assert_true(fabs(distance_of(a, pa, on_a)) < 1e-6 || c.distance < 0);
      assert_true(fabs(distance_of(b, pb, on_b)) < 1e-6 || c.distance < 0);
      if (!shape_is_convex(a) || !shape_is_convex(b)) continue;
      v3 x = pa.position, y = pb.position;
      for (int turn = 0; turn < 4000; turn++) x = project(a, pa, y), y = project(b, pb, x);
      const double gap = v3_norm(v3_sub(y, x));
      if (gap > 1e-3) {
        apart++;
        assert_true(c.distance <= gap + 1e-9);
        assert_true(fabs(c.distance - gap) < 1e-4);
        assert_int_equal(scree_world_find_closest(world, ids[i], ids[k], 0.5 * gap, &c), SCREE_OK);
        assert_false(c.found);
      } else if (gap < 1e-12) {
        deep++;
        assert_true(c.distance <= 1e-9);
      }
    }
  assert_true(apart > 300 && deep > 5);
}

static int by_pair(const void *a, const void *b) {
  const scree_contact *x = a, *y = b;
  if (x->body_a != y->body_a) return x->body_a < y->body_a ? -1 : 1;
  if (x->body_b != y->body_b) return x->body_b < y->body_b ? -1 : 1;
  return x->gap < y->gap ? -1 : x->gap > y->gap;
}

static void test_contacts(void **state) {
  (void)state;
  static scree_contact got[MOST], wanted[MOST];
  static const double margins[] = {0.0, 0.05, 0.4};
  for (int m = 0; m < 3; m++) {
    size_t count, expected = 0, again;
    assert_int_equal(scree_world_find_contacts(world, margins[m], MOST, got, &count), SCREE_OK);
    assert_int_equal(scree_world_find_contacts(world, margins[m], 0, NULL, &again), SCREE_OK);
    assert_int_equal(count, again);
    for (uint32_t i = 0; i <= BODIES; i++)
      for (uint32_t k = i + 1; k <= BODIES; k++) {
        contact_point point[64];
        const int n = narrow_collide(world->bodies.shape[i], pose_of(i), world->bodies.shape[k],
                                     pose_of(k), margins[m], point, 64);
        for (int j = 0; j < n; j++) {
          assert_true(expected < MOST);
          wanted[expected++] = (scree_contact){.body_a = i, .body_b = k, .gap = point[j].gap};
        }
      }
    assert_int_equal(count, expected);
    assert_true(expected > 20);
    qsort(got, count, sizeof *got, by_pair);
    qsort(wanted, count, sizeof *wanted, by_pair);
    for (size_t j = 0; j < count; j++) {
      assert_int_equal(got[j].body_a, wanted[j].body_a);
      assert_int_equal(got[j].body_b, wanted[j].body_b);
      assert_true(fabs(got[j].gap - wanted[j].gap) < 1e-12);
      assert_true(got[j].gap <= margins[m] && got[j].impulse[0] == 0.0);
    }
  }
  size_t count;
  assert_int_equal(scree_world_find_contacts(world, -1.0, 0, NULL, &count), SCREE_ERROR_ARGUMENT);
}

static void test_regions(void **state) {
  (void)state;
  scree_body_id got[BODIES + 2];
  size_t inside = 0, outside = 0;
  for (int round = 0; round < 40; round++) {
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
      low[k] = random_real(&seed, -2.5, 2);
      high[k] = low[k] + random_real(&seed, 0.1, 2);
    }
    size_t count;
    assert_int_equal(scree_world_find_bodies(world, low, high, BODIES + 2, got, &count), SCREE_OK);
    bool found[BODIES + 1] = {false};
    for (size_t k = 0; k < count; k++) {
      assert_true(k == 0 || got[k].index > got[k - 1].index);
      found[got[k].index] = true;
    }
    for (size_t i = 0; i <= BODIES; i++) {
      const shape *s = world->bodies.shape[i];
      const pose p = pose_of(i);
      double least = INFINITY;
      for (int n = 0; n < 400; n++) {
        const v3 x = {random_real(&seed, low[0], high[0]), random_real(&seed, low[1], high[1]),
                      random_real(&seed, low[2], high[2])};
        least = fmin(least, distance_of(s, p, x));
      }
      const double cell = 0.5 * v3_norm(v3_sub(v3_load(high), v3_load(low)));
      if (least < 0) {
        inside++;
        assert_true(found[i]);
      } else if (least > cell) {
        outside++;
        assert_false(found[i]);
      }
      if (s->kind == SCREE_SHAPE_SPHERE) {
        const v3 c = p.position;
        const v3 q = v3_max(v3_load(low), v3_min(v3_load(high), c));
        const double gap = v3_norm(v3_sub(c, q)) - s->sphere.radius;
        if (fabs(gap) > 1e-9) assert_int_equal(found[i], gap < 0);
      }
    }
  }
  assert_true(inside > 50 && outside > 300);
}

static void test_periodic_is_refused(void **state) {
  (void)state;
  scree_world_def def = scree_world_def_default();
  scree_world *w;
  size_t count;
  scree_ray_hit hit;
  const scree_ray_def ray = scree_ray_def_default();
  for (int k = 0; k < 3; k++) def.periodic.size[k] = 5.0;
  assert_int_equal(scree_world_create(context, &def, &w), SCREE_OK);
  assert_int_equal(scree_world_cast_ray(w, &ray, &hit), SCREE_ERROR_UNSUPPORTED);
  assert_int_equal(
      scree_world_find_bodies(w, (double[]){0, 0, 0}, (double[]){1, 1, 1}, 0, NULL, &count),
      SCREE_ERROR_UNSUPPORTED);
  assert_int_equal(scree_world_find_contacts(w, 0.0, 0, NULL, &count), SCREE_OK);
  scree_world_destroy(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rays),
      cmocka_unit_test(test_ray_inside_and_refused),
      cmocka_unit_test(test_ray_in_container),
      cmocka_unit_test(test_closest),
      cmocka_unit_test(test_contacts),
      cmocka_unit_test(test_regions),
      cmocka_unit_test(test_periodic_is_refused),
  };
  return cmocka_run_group_tests(tests, begin, end);
}

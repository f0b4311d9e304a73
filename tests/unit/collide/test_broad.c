/* The broad phase against all pairs: every pair that must be seen is there, each once, whatever the
 * sizes, and a list that is kept stays right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collide/broad.h"

typedef struct scene {
  collide_view view;
  const shape **shape;
  shape *owned[64];
  size_t owned_count;
  v3 *position, *linear, *angular;
  quat *rotation;
  double *radius, *diameter;
  uint32_t *category, *collides;
  uint8_t *kind;
} scene;

static uint64_t seed = 1;
static double random_unit(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}

static scree_context *context;

static scene make(size_t n) {
  scene s = {.owned_count = 0};
  s.shape = calloc(n, sizeof *s.shape);
  s.position = calloc(n, sizeof(v3));
  s.linear = calloc(n, sizeof(v3));
  s.angular = calloc(n, sizeof(v3));
  s.rotation = calloc(n, sizeof(quat));
  s.radius = calloc(n, sizeof(double));
  s.diameter = calloc(n, sizeof(double));
  s.category = calloc(n, sizeof(uint32_t));
  s.collides = calloc(n, sizeof(uint32_t));
  s.kind = calloc(n, 1);
  for (size_t i = 0; i < n; i++) {
    s.rotation[i] = quat_identity();
    s.category[i] = 1;
    s.collides[i] = UINT32_MAX;
  }
  s.view = (collide_view){.count = n,
                          .shape = s.shape,
                          .position = s.position,
                          .rotation = s.rotation,
                          .linear = s.linear,
                          .angular = s.angular,
                          .radius = s.radius,
                          .diameter = s.diameter,
                          .category = s.category,
                          .collides_with = s.collides,
                          .kind = s.kind,
                          .h = 0.01,
                          .margin = 0.1,
                          .most = INFINITY};
  return s;
}

static void drop(scene *s) {
  for (size_t i = 0; i < s->owned_count; i++) scree_shape_destroy(s->owned[i]);
  free(s->shape);
  free(s->position);
  free(s->linear);
  free(s->angular);
  free(s->rotation);
  free(s->radius);
  free(s->diameter);
  free(s->category);
  free(s->collides);
  free(s->kind);
}

static bool listed(const broad *b, size_t i, size_t k) {
  size_t n;
  const uint32_t *p = broad_partners(b, i, &n);
  for (size_t m = 0; m < n; m++)
    if (p[m] == k) return true;
  return false;
}

/* What must be there: spheres whose gap is within the pair's margin. */
static void check_all(const scene *s, const broad *b) {
  const collide_view *v = &s->view;
  for (size_t i = 0; i < v->count; i++) {
    size_t n;
    const uint32_t *p = broad_partners(b, i, &n);
    for (size_t m = 0; m < n; m++) {
      assert_true(p[m] > i && p[m] < v->count);
      if (m) assert_true(p[m] > p[m - 1]);
      assert_false(v->kind[i] && v->kind[p[m]]);
    }
    for (size_t k = i + 1; k < v->count; k++) {
      if (!v->shape[i] || !v->shape[k] || (v->kind[i] && v->kind[k])) continue;
      if (!(v->category[i] & v->collides_with[k]) || !(v->category[k] & v->collides_with[i])) {
        assert_false(listed(b, i, k));
        continue;
      }
      const double gap = v3_norm(v3_sub(v->position[i], v->position[k])) -
                         v->shape[i]->sphere.radius - v->shape[k]->sphere.radius;
      if (gap <= view_pair_margin(v, i, k)) assert_true(listed(b, i, k));
    }
  }
}

static void fill(scene *s, double ratio, double side) {
  for (size_t k = 0; k < 8; k++) {
    const double r = 0.05 * pow(ratio, (double)k / 7.0);
    assert_int_equal(scree_shape_create_sphere(context, r, &s->owned[s->owned_count++]), SCREE_OK);
  }
  for (size_t i = 0; i < s->view.count; i++) {
    /* Few large ones, many small. */
    const size_t k = (size_t)(8.0 * pow(random_unit(), 4.0));
    s->shape[i] = i % 97 == 5 ? NULL : s->owned[k];
    s->radius[i] = s->shape[i] ? s->shape[i]->sphere.radius : 0.0;
    s->diameter[i] = 2.0 * s->radius[i];
    s->position[i] = v3_make(side * random_unit(), side * random_unit(), side * random_unit());
    s->linear[i] = v3_make(5 + 4 * random_unit(), 4 * random_unit() - 2, 8 * random_unit() - 4);
    s->kind[i] = i % 11 == 3;
    s->category[i] = 1u << (i % 3);
    s->collides[i] = i % 5 == 0 ? 3 : UINT32_MAX;
  }
}

static void finds_all_pairs(double ratio, double side) {
  scene s = make(1200);
  broad *b;
  fill(&s, ratio, side);
  assert_int_equal(broad_create(context, &b), SCREE_OK);
  assert_int_equal(broad_update(b, &s.view), SCREE_OK);
  check_all(&s, b);
  /* Small moves keep the list, large ones make it anew; it must hold all the time. */
  for (int step = 0; step < 12; step++) {
    const double move = step < 6 ? 0.001 : 0.05;
    for (size_t i = 0; i < s.view.count; i++)
      s.position[i] = v3_add(
          s.position[i], v3_make(move * (random_unit() - 0.5), move * (random_unit() - 0.5), 0));
    assert_int_equal(broad_update(b, &s.view), SCREE_OK);
    check_all(&s, b);
    if (step == 0) assert_int_equal(broad_rebuild_count(b), 1);
  }
  assert_true(broad_rebuild_count(b) > 2);
  broad_destroy(b);
  drop(&s);
}

static void equal_sizes(void **state) {
  (void)state;
  finds_all_pairs(1.3, 1.5);
}

static void sizes_of_one_to_a_hundred(void **state) {
  (void)state;
  finds_all_pairs(100.0, 20.0);
}

/* A floor without end, placed first, meets every moving body; far bodies do not clump. */
static void floor_meets_all(void **state) {
  (void)state;
  scene s = make(500);
  broad *b;
  assert_int_equal(scree_shape_create_half_space(context, &s.owned[0]), SCREE_OK);
  assert_int_equal(scree_shape_create_sphere(context, 0.05, &s.owned[1]), SCREE_OK);
  s.owned_count = 2;
  for (size_t i = 0; i < 500; i++) {
    s.shape[i] = s.owned[i == 250 ? 0 : 1];
    s.kind[i] = i == 250;
    s.radius[i] = i == 250 ? INFINITY : 0.05;
    s.diameter[i] = i == 250 ? INFINITY : 0.1;
    s.position[i] = v3_make(i % 2 ? 0.3 * (double)i : 1e9 * (double)i, 0, 0);
  }
  assert_int_equal(broad_create(context, &b), SCREE_OK);
  assert_int_equal(broad_update(b, &s.view), SCREE_OK);
  size_t pairs = 0;
  for (size_t i = 0; i < 500; i++) {
    size_t n;
    const uint32_t *p = broad_partners(b, i, &n);
    for (size_t k = 0; k < n; k++) assert_true(i == 250 || p[k] == 250);
    pairs += n;
  }
  assert_int_equal(pairs, 499);
  broad_destroy(b);
  drop(&s);
}

static void joined_pairs_are_left_out(void **state) {
  (void)state;
  scene s = make(3);
  broad *b;
  const uint64_t excluded[1] = {(uint64_t)0 << 32 | 2};
  assert_int_equal(scree_shape_create_sphere(context, 0.5, &s.owned[0]), SCREE_OK);
  s.owned_count = 1;
  for (size_t i = 0; i < 3; i++) {
    s.shape[i] = s.owned[0];
    s.radius[i] = 0.5;
    s.diameter[i] = 1.0;
    s.position[i].x = 0.1 * (double)i;
  }
  s.view.excluded = excluded;
  s.view.excluded_count = 1;
  assert_int_equal(broad_create(context, &b), SCREE_OK);
  assert_int_equal(broad_update(b, &s.view), SCREE_OK);
  assert_true(listed(b, 0, 1) && listed(b, 1, 2));
  assert_false(listed(b, 0, 2));
  broad_destroy(b);
  drop(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_sizes),
      cmocka_unit_test(sizes_of_one_to_a_hundred),
      cmocka_unit_test(floor_meets_all),
      cmocka_unit_test(joined_pairs_are_left_out),
  };
  context = scree_context_create(NULL);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (scree_context_bytes(context)) return 1;
  scree_context_destroy(context);
  return failed;
}

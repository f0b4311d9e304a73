/* The broad phase against all pairs: every pair that must be seen is there, each once, whatever the
 * sizes, and a list that is kept stays right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collide/broad/broad.h"
#include "collide/contact_point.h"

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

static bool stands(const collide_view *v, size_t i) {
  return v->kind[i] || (v->asleep && v->asleep[i]);
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
      assert_false(stands(v, i) && stands(v, p[m]));
    }
    for (size_t k = i + 1; k < v->count; k++) {
      if (!v->shape[i] || !v->shape[k] || (stands(v, i) && stands(v, k))) continue;
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

/* A few bodies cross a bed at rest: the pairs are mended, not found anew, and each of them stands
 * once in its row, in order. */
static void strays(double ratio, double side, size_t most) {
  enum { COUNT = 1200, MOVERS = 6 };
  scene s = make(COUNT);
  broad *b;
  fill(&s, ratio, side);
  assert_int_equal(broad_create(context, &b), SCREE_OK);
  for (size_t i = 0; i < COUNT; i++) s.linear[i] = v3_make(0, 0, 0);
  assert_int_equal(broad_update(b, &s.view), SCREE_OK);
  for (int step = 0; step < 60; step++) {
    for (size_t m = 0; m < MOVERS; m++) {
      const size_t i = 191 * m + (size_t)(step / 40);
      s.position[i] = v3_add(s.position[i], v3_make(0.02 * random_unit(), 0.01, 0.005 * (double)m));
      s.linear[i] = v3_make(0.1 * random_unit(), 0, 0);
    }
    assert_int_equal(broad_update(b, &s.view), SCREE_OK);
    check_all(&s, b);
  }
  assert_true(broad_rebuild_count(b) <= most);
  broad_destroy(b);
  drop(&s);
}

static void strays_are_mended(void **state) {
  (void)state;
  strays(1.3, 1.5, 1);
  strays(4.0, 3.0, 1);
  strays(100.0, 30.0, 61);
}

/* Bodies fall asleep and wake, many in a step, while those awake move: the list is kept, who sleeps
 * meets nobody that stands, and who wakes meets all again. */
static void sleepers_keep_the_list(void **state) {
  (void)state;
  enum { COUNT = 1200, STEPS = 60 };
  scene s = make(COUNT);
  uint32_t *asleep = calloc(COUNT, sizeof *asleep);
  broad *b;
  fill(&s, 1.3, 1.5);
  for (size_t i = 0; i < COUNT; i++) s.linear[i] = v3_make(0, 0, 0);
  assert_int_equal(broad_create(context, &b), SCREE_OK);
  assert_int_equal(broad_update(b, &s.view), SCREE_OK);
  for (int step = 0; step < STEPS; step++) {
    /* All awake, then about half asleep with some that change, then all but a few, then none. */
    const double part = step < 5 ? 0.0 : step < 25 ? 0.5 : step < 55 ? 0.99 : 0.0;
    for (size_t i = 0; i < COUNT; i++)
      if (step % 20 == 5 || step == 55 || random_unit() < 0.05)
        asleep[i] = random_unit() < part ? 7 : 0;
    s.view.asleep = part > 0.0 ? asleep : NULL;
    s.view.sleep_revision++;
    for (size_t i = 3; i < COUNT; i += 200) {
      s.linear[i] = v3_make(0, 0, 0);
      if (s.view.asleep && asleep[i]) continue;
      s.linear[i] = v3_make(0.2 * random_unit(), 0.1, 0);
      s.position[i] = v3_add_scaled(s.position[i], s.view.h, s.linear[i]);
    }
    assert_int_equal(broad_update(b, &s.view), SCREE_OK);
    check_all(&s, b);
    assert_true(broad_covers(b, &s.view, s.linear, s.angular));
  }
  assert_int_equal(broad_rebuild_count(b), 1);
  broad_destroy(b);
  free(asleep);
  drop(&s);
}

/* One body so large that it is in no grid crosses a bed at rest: it gets new boxes, and all that
 * these meet are partners. */
static void a_large_body_is_mended(void **state) {
  (void)state;
  enum { COUNT = 1200, STEPS = 100 };
  scene s = make(COUNT);
  broad *b;
  fill(&s, 1.3, 1.5);
  assert_int_equal(scree_shape_create_sphere(context, 0.6, &s.owned[s.owned_count++]), SCREE_OK);
  for (size_t i = 0; i < COUNT; i++) s.linear[i] = v3_make(0, 0, 0);
  for (size_t k = 0; k < 2; k++) {
    const size_t i = k ? 700 : 2;
    s.shape[i] = s.owned[s.owned_count - 1];
    s.radius[i] = 0.6;
    s.diameter[i] = 1.2;
    s.kind[i] = 0;
    s.category[i] = 1;
    s.collides[i] = UINT32_MAX;
    s.position[i] = v3_make(k ? 2.8 : -1.0, 0.5, 0.7);
    s.linear[i] = v3_make(k ? -2.0 : 1.0, 0, 0);
  }
  assert_int_equal(broad_create(context, &b), SCREE_OK);
  for (int step = 0; step < STEPS; step++) {
    assert_int_equal(broad_update(b, &s.view), SCREE_OK);
    check_all(&s, b);
    for (size_t i = 2; i < COUNT; i += 698)
      s.position[i] = v3_add_scaled(s.position[i], s.view.h, s.linear[i]);
  }
  assert_true(broad_rebuild_count(b) <= 3);
  broad_destroy(b);
  drop(&s);
}

/* Bodies come, go, and take the places of others while the rest moves: no pair is missed, none is
 * of a body that went, and few lists are made anew. */
static void bodies_come_and_go(void **state) {
  (void)state;
  enum { COUNT = 1200, STEPS = 80 };
  scene s = make(COUNT);
  uint32_t *generation = calloc(COUNT, sizeof *generation);
  broad *b;
  fill(&s, 1.3, 1.5);
  for (size_t i = 0; i < COUNT; i++) {
    s.kind[i] = 0;
    s.linear[i] = v3_make(0.2 * random_unit(), 0, -0.2 * random_unit());
  }
  s.view.generation = generation;
  s.view.count = COUNT / 2;
  assert_int_equal(broad_create(context, &b), SCREE_OK);
  assert_int_equal(broad_update(b, &s.view), SCREE_OK);
  for (int step = 0; step < STEPS; step++) {
    for (size_t i = 0; i < s.view.count; i++)
      s.position[i] = v3_add_scaled(s.position[i], s.view.h, s.linear[i]);
    const size_t gone = (size_t)(random_unit() * (double)s.view.count);
    const size_t taken = (size_t)(random_unit() * (double)s.view.count);
    if (step % 2) {
      s.shape[gone] = NULL;
      s.shape[taken] = s.owned[3];
      s.radius[taken] = s.shape[taken]->sphere.radius;
      s.diameter[taken] = 2.0 * s.radius[taken];
      s.position[taken] = s.position[(taken + 7) % COUNT];
      s.collides[taken] = s.collides[taken] == 3 ? UINT32_MAX : 3;
      generation[taken]++;
    }
    if (step % 3 == 0) s.view.count += 4;
    broad_note_change(b);
    assert_int_equal(broad_update(b, &s.view), SCREE_OK);
    check_all(&s, b);
    for (size_t i = 0; i < s.view.count; i++) {
      size_t n;
      const uint32_t *p = broad_partners(b, i, &n);
      if (!s.shape[i]) assert_int_equal(n, 0);
      for (size_t m = 0; m < n; m++) assert_non_null(s.shape[p[m]]);
    }
  }
  assert_true(broad_rebuild_count(b) <= STEPS / 5);
  broad_destroy(b);
  free(generation);
  drop(&s);
}

/* A bed that falls: boxes reach ahead, so its pairs are found again only after some steps. */
static void falling_bodies_keep_their_pairs(void **state) {
  (void)state;
  enum { COUNT = 1200, STEPS = 40 };
  scene s = make(COUNT);
  broad *b;
  fill(&s, 1.3, 1.5);
  for (size_t i = 0; i < COUNT; i++) s.linear[i] = v3_make(0.05 * random_unit(), 0, -1.0);
  assert_int_equal(broad_create(context, &b), SCREE_OK);
  for (int step = 0; step < STEPS; step++) {
    assert_int_equal(broad_update(b, &s.view), SCREE_OK);
    check_all(&s, b);
    for (size_t i = 0; i < COUNT; i++)
      s.position[i] = v3_add_scaled(s.position[i], s.view.h, s.linear[i]);
  }
  assert_true(broad_rebuild_count(b) <= STEPS / 5);
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

/* Sizes whose ratio is no number: the large ones are beyond all levels of cells. */
static void sizes_beyond_measure(void **state) {
  (void)state;
  static const double small[] = {1e-300, 1e-310, 5e-324};
  for (size_t k = 0; k < 3; k++) {
    scene s = make(12);
    broad *b;
    assert_int_equal(scree_shape_create_sphere(context, small[k], &s.owned[0]), SCREE_OK);
    assert_int_equal(scree_shape_create_sphere(context, 3e9, &s.owned[1]), SCREE_OK);
    s.owned_count = 2;
    for (size_t i = 0; i < 12; i++) {
      s.shape[i] = s.owned[i % 4 == 0];
      s.radius[i] = s.shape[i]->sphere.radius;
      s.diameter[i] = 2.0 * s.radius[i];
      s.position[i] = v3_make(1e9 * (double)i, 0, 0);
    }
    assert_int_equal(broad_create(context, &b), SCREE_OK);
    assert_int_equal(broad_update(b, &s.view), SCREE_OK);
    check_all(&s, b);
    broad_destroy(b);
    drop(&s);
  }
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

/* Every sphere that a wall is near to is listed, also after small moves and when the container
 * moves; those in the middle are not. */
static void check_walls(const scene *s, const broad *b, size_t *listed_count) {
  const collide_view *v = &s->view;
  contact_point c[CONTACT_POINT_MAX];
  *listed_count = 0;
  for (size_t i = 1; i < v->count; i++) {
    const bool there = listed(b, 0, i);
    *listed_count += there;
    if (!there)
      assert_int_equal(narrow_collide(v->shape[0], view_shape_pose(v, 0), v->shape[i],
                                      view_shape_pose(v, i), view_pair_margin(v, 0, i), c,
                                      CONTACT_POINT_MAX),
                       0);
  }
}

static void walls_of_containers(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    scene s = make(3000);
    broad *b;
    const double size[3] = {2, 1.6, 1.2};
    const unsigned open = kind % 2 ? SCREE_OPEN_TOP : 0u;
    if (kind < 2)
      assert_int_equal(scree_shape_create_box_container(context, size, open, &s.owned[0]),
                       SCREE_OK);
    else
      assert_int_equal(scree_shape_create_cone_container(context, 0.6, 1.0, 1.4, open, &s.owned[0]),
                       SCREE_OK);
    assert_int_equal(scree_shape_create_sphere(context, 0.03, &s.owned[1]), SCREE_OK);
    s.owned_count = 2;
    for (size_t i = 0; i < s.view.count; i++) {
      s.shape[i] = s.owned[i > 0];
      s.kind[i] = i == 0;
      s.radius[i] = i ? 0.03 : 3.0;
      s.diameter[i] = i ? 0.06 : INFINITY;
      s.position[i] =
          v3_make(2.4 * random_unit() - 1.2, 2.4 * random_unit() - 1.2, 2.0 * random_unit() - 1.0);
      s.linear[i] = v3_make(random_unit() - 0.5, random_unit() - 0.5, random_unit() - 0.5);
    }
    s.position[0] = v3_make(0.1, 0, 0);
    s.rotation[0] = quat_exp(v3_make(0.2, 0.1, 0.3));
    s.linear[0] = v3_make(0, 0, 0);
    assert_int_equal(broad_create(context, &b), SCREE_OK);
    for (int step = 0; step < 8; step++) {
      size_t count;
      assert_int_equal(broad_update(b, &s.view), SCREE_OK);
      check_walls(&s, b, &count);
      assert_true(step >= 6 || count < 2600);
      for (size_t i = 1; i < s.view.count; i++)
        s.position[i] = v3_add_scaled(s.position[i], 0.1 * s.view.h, s.linear[i]);
      if (step == 3) s.rotation[0] = quat_exp(v3_make(0.2, 0.1, 0.31));
      s.angular[0].x = step == 5 ? 0.1 : 0.0;
    }
    broad_destroy(b);
    drop(&s);
  }
}

/* Rows do not depend on threads. */
static void threads_give_the_same_rows(void **state) {
  (void)state;
  scene s = make(9000);
  broad *one, *more;
  scree_context *team = scree_context_create(NULL);
  fill(&s, 20.0, 8.0);
  scree_context_set_threads(team, 3);
  scree_context_set_threads(context, 1);
  assert_int_equal(broad_create(context, &one), SCREE_OK);
  assert_int_equal(broad_create(team, &more), SCREE_OK);
  assert_int_equal(broad_update(one, &s.view), SCREE_OK);
  assert_int_equal(broad_update(more, &s.view), SCREE_OK);
  size_t pairs = 0;
  for (size_t i = 0; i < s.view.count; i++) {
    size_t n, m;
    const uint32_t *p = broad_partners(one, i, &n), *q = broad_partners(more, i, &m);
    assert_int_equal(n, m);
    if (n) assert_memory_equal(p, q, n * sizeof *p);
    pairs += n;
  }
  assert_true(pairs > 9000);
  broad_destroy(one);
  broad_destroy(more);
  scree_context_destroy(team);
  drop(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strays_are_mended),
      cmocka_unit_test(sleepers_keep_the_list),
      cmocka_unit_test(a_large_body_is_mended),
      cmocka_unit_test(equal_sizes),
      cmocka_unit_test(sizes_of_one_to_a_hundred),
      cmocka_unit_test(sizes_beyond_measure),
      cmocka_unit_test(floor_meets_all),
      cmocka_unit_test(joined_pairs_are_left_out),
      cmocka_unit_test(walls_of_containers),
      cmocka_unit_test(threads_give_the_same_rows),
      cmocka_unit_test(bodies_come_and_go),
      cmocka_unit_test(falling_bodies_keep_their_pairs),
  };
  context = scree_context_create(NULL);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (scree_context_bytes(context)) return 1;
  scree_context_destroy(context);
  return failed;
}

/* The cache: contacts are found again, in any number, and not those of a body that went. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collide/cache.h"

static scree_context *context;

/* Each contact with a walk of its own, as if it were in another part of the list. */
static uint32_t add(cache *c, uint32_t a, uint32_t b, uint32_t feature) {
  const cache_key key = {a, b, feature};
  cache_match match;
  size_t place;
  assert_int_equal(cache_extend(c, 1, &place), SCREE_OK);
  cache_walk walk = cache_walk_from(c, key, place == 0 || c->now.key[place - 1].a != a);
  cache_put(c, &walk, key, place, &match);
  return match.previous;
}

static void finds_last_steps_contacts(void **state) {
  (void)state;
  cache c = {.context = context};
  const uint32_t generation[4] = {1, 1, 1, 1}, renewed[4] = {1, 1, 2, 1};
  assert_int_equal(cache_begin(&c, 4, generation), SCREE_OK);
  assert_int_equal(add(&c, 0, 1, 7), CACHE_NONE);
  assert_int_equal(add(&c, 0, 3, 1), CACHE_NONE);
  assert_int_equal(add(&c, 0, 3, 2), CACHE_NONE);
  assert_int_equal(add(&c, 1, 2, 0), CACHE_NONE);
  /* Another order of groups and of features; some gone, some new. */
  assert_int_equal(cache_begin(&c, 4, generation), SCREE_OK);
  assert_int_equal(add(&c, 1, 2, 0), 3);
  assert_int_equal(add(&c, 1, 3, 0), CACHE_NONE);
  assert_int_equal(add(&c, 0, 2, 0), CACHE_NONE);
  assert_int_equal(add(&c, 0, 3, 2), 2);
  assert_int_equal(add(&c, 0, 3, 1), 1);
  /* Body 2 is another one now. */
  assert_int_equal(cache_begin(&c, 4, renewed), SCREE_OK);
  assert_int_equal(add(&c, 1, 2, 0), CACHE_NONE);
  assert_int_equal(add(&c, 1, 3, 0), 1);
  assert_int_equal(add(&c, 0, 2, 0), CACHE_NONE);
  assert_int_equal(add(&c, 0, 3, 1), 4);
  cache_clear(&c);
}

static void many_at_random(void **state) {
  (void)state;
  enum { BODIES = 60 };
  cache c = {.context = context};
  uint32_t generation[BODIES] = {0};
  size_t where[BODIES][BODIES];
  for (size_t i = 0; i < BODIES * BODIES; i++) (&where[0][0])[i] = CACHE_NONE;
  srand(3);
  for (int step = 0; step < 20; step++) {
    assert_int_equal(cache_begin(&c, BODIES, generation), SCREE_OK);
    size_t now[BODIES][BODIES], count = 0;
    for (uint32_t a = 0; a < BODIES; a++)
      for (uint32_t b = 0; b < BODIES; b++) {
        now[a][b] = CACHE_NONE;
        if (b <= a || rand() % 4 == 0) continue;
        assert_int_equal(add(&c, a, b, 5), where[a][b]);
        now[a][b] = count++;
      }
    for (size_t i = 0; i < BODIES * BODIES; i++) (&where[0][0])[i] = (&now[0][0])[i];
  }
  cache_clear(&c);
}

/* A floor under many: parts of its group, with what was forgotten among them, in one walk and in
 * many. */
static void parts_of_a_group(void **state) {
  (void)state;
  enum { BODIES = 3000 };
  cache c = {.context = context};
  static uint32_t generation[BODIES];
  for (int step = 0; step < 6; step++) {
    uint32_t previous[BODIES];
    for (uint32_t b = 1; step % 2 && b < BODIES; b++)
      generation[b] += (uint32_t)(b * 7919 % 5 == 0);
    assert_int_equal(cache_begin(&c, BODIES, generation), SCREE_OK);
    for (int twice = 0; twice < 2; twice++) {
      cache_walk walk = {.group = CACHE_NONE};
      size_t first = 0;
      if (!twice) assert_int_equal(cache_extend(&c, BODIES - 1, &first), SCREE_OK);
      for (uint32_t b = 1; b < BODIES; b++) {
        const cache_key key = {0, b, 0};
        cache_match match;
        if (twice && b % 37 == 0) walk = cache_walk_from(&c, key, false);
        cache_put(&c, &walk, key, b - 1, &match);
        if (!twice) previous[b] = match.previous;
        assert_int_equal(match.previous, previous[b]);
        const bool forgotten = step % 2 && b * 7919 % 5 == 0;
        assert_int_equal(match.previous, step == 0 || forgotten ? CACHE_NONE : b - 1);
      }
    }
  }
  cache_clear(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_last_steps_contacts),
      cmocka_unit_test(many_at_random),
      cmocka_unit_test(parts_of_a_group),
  };
  context = scree_context_create(NULL);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (scree_context_bytes(context)) return 1;
  scree_context_destroy(context);
  return failed;
}

/* Pairs of bodies whose shapes have no contacts are found; those that never meet are not. */
#include "collide/hole.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/one_context.h"

enum { BODIES = 6 };
static const shape *shapes[BODIES];
static uint8_t kinds[BODIES];
static uint32_t category[BODIES], with[BODIES];

static collide_view view_of(size_t count) {
  for (size_t i = 0; i < BODIES; i++) category[i] = 1, with[i] = UINT32_MAX, kinds[i] = 0;
  return (collide_view){
      .count = count, .shape = shapes, .kind = kinds, .category = category, .collides_with = with};
}

static void holes_are_found(void **state) {
  (void)state;
  shape *plane, *ball, *drum;
  assert_int_equal(scree_shape_create_half_space(context, &plane), 0);
  assert_int_equal(scree_shape_create_sphere(context, 1, &ball), 0);
  assert_int_equal(scree_shape_create_cylinder_container(context, 1, 1, 0, &drum), 0);
  const scree_shape_part parts[2] = {{.shape = ball, .rotation = {1}},
                                     {.shape = drum, .rotation = {1}}};
  shape *both;
  assert_int_equal(scree_shape_create_compound(context, 2, parts, &both), 0);
  uint32_t pair[2] = {9, 9};

  collide_view view = view_of(4);
  shapes[0] = ball, shapes[1] = NULL, shapes[2] = plane, shapes[3] = ball;
  kinds[2] = 1;
  assert_false(collide_find_hole(&view, pair));

  view = view_of(5);
  shapes[4] = both; /* free to move, and its drum cannot touch the plane */
  kinds[2] = 1;
  assert_true(collide_find_hole(&view, pair));
  assert_int_equal(pair[0], 2);
  assert_int_equal(pair[1], 4);
  kinds[4] = 1; /* two that stand */
  assert_false(collide_find_hole(&view, pair));
  kinds[4] = 0;
  with[2] = 2; /* kept apart */
  assert_false(collide_find_hole(&view, pair));
  with[2] = UINT32_MAX;
  const uint64_t joined[1] = {(uint64_t)2 << 32 | 4};
  view.excluded = joined;
  view.excluded_count = 1;
  assert_false(collide_find_hole(&view, pair));

  scree_shape_destroy(both);
  scree_shape_destroy(plane);
  scree_shape_destroy(ball);
  scree_shape_destroy(drum);
}

/* What is left of the table: only two shapes without end cannot touch each other. */
static void every_solid_touches_every_shape(void **state) {
  (void)state;
  for (uint32_t k = 0; k < SCREE_SHAPE_COMPOUND; k++) {
    const uint32_t none = narrow_untouchable(k);
    const uint32_t endless = 1u << SCREE_SHAPE_HALF_SPACE | 1u << SCREE_SHAPE_BOX_CONTAINER |
                             1u << SCREE_SHAPE_ROUND_CONTAINER;
    assert_int_equal(none, endless >> k & 1 ? endless : 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(holes_are_found),
      cmocka_unit_test(every_solid_touches_every_shape),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

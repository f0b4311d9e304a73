/* The first few dozen scenes of the campaign; test_campaign_long.c has the others. */
#include "tests/campaign/rounds.h"

static void nothing_breaks(void **state) {
  (void)state;
  campaign_rounds(0, 48);
}

/* Seeds that broke a rule once. */
static void what_was_mended_stays_so(void **state) {
  (void)state;
  static const unsigned seed[] = {396,  1820, 2231, 2530, 2770, 4785,
                                  5876, 7178, 8663, 9244, 9516, 9896};
  for (size_t k = 0; k < sizeof seed / sizeof *seed; k++) campaign_rounds(seed[k], 1);
}

/* A rule that is broken is found, and the scene becomes small. */
static void what_breaks_is_made_small(void **state) {
  (void)state;
  campaign_scene s;
  unsigned seed = 0;
  do campaign_make(seed++, &s);
  while (s.room != CAMPAIGN_BOX_ROOM || s.body_count < 4 || s.joint_count);
  s.body[2].position[0] = 0.0;
  s.body[2].velocity[0] = 1e200;
  const campaign_result found = campaign_run(&s, false);
  assert_int_not_equal(found.broken, CAMPAIGN_GOOD);
  campaign_shrink(&s, found.broken);
  assert_true(s.body_count <= 2);
  assert_int_equal(campaign_run(&s, false).broken, found.broken);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_breaks),
                                     cmocka_unit_test(what_was_mended_stays_so),
                                     cmocka_unit_test(what_breaks_is_made_small)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

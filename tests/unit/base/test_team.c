/* How many threads a region gets: the caller's number as it is, otherwise what is idle. */
#include "base/team.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/context.h"

static void a_given_number_is_kept(void **state) {
  (void)state;
  scree_context_def def = scree_context_def_default();
  def.threads = 3;
  scree_context *context = scree_context_create(&def);
  assert_true(context->team.fixed);
  for (int k = 0; k < 100; k++) assert_int_equal(context_team(context, true), 3);
  assert_int_equal(context_team(context, false), 1);
  scree_context_set_threads(context, 0);
  assert_true(!context->team.fixed || context->threads == 1 || getenv("GOMP_SPINCOUNT") ||
              getenv("OMP_WAIT_POLICY"));
  for (int k = 0; k < 100; k++) assert_in_range(context_team(context, true), 1, context->threads);
  scree_context_destroy(context);
}

static void a_team_fits_into_the_cores_it_had(void **state) {
  (void)state;
  assert_int_equal(team_fitting(2, 0.002, 0.0039), 2);
  assert_int_equal(team_fitting(2, 0.002, 0.0030), 1); /* one and a half core: the second waits */
  assert_int_equal(team_fitting(2, 0.020, 0.0010), 1); /* never less than one */
  assert_int_equal(team_fitting(8, 0.002, 0.0142), 7);
  assert_int_equal(team_fitting(8, 0.002, 0.0240), 8); /* other threads of the caller run, too */
}

/* A team that did not get its cores is smaller in the next regions; one window with a gap in it may
 * have been the caller's own work and counts only together with the next. */
static void a_starved_team_shrinks(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  context->threads = 4;
  const team_state starved = {.now = 4, .begin = -1.0, .cpu = 1e9, .last = -1.0, .until = 0.0};
  context->team = starved; /* long ago, and no CPU time since: a gap */
  assert_int_equal(context_team(context, true), 4);
  assert_true(context->team.doubt > 0.0);
  context->team.begin = -1.0;
  context->team.cpu = 1e9;
  assert_int_equal(context_team(context, true), 1);
  assert_int_equal(context_team(context, true), 1);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_given_number_is_kept),
      cmocka_unit_test(a_team_fits_into_the_cores_it_had),
      cmocka_unit_test(a_starved_team_shrinks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

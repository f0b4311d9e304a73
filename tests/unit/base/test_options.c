/* Option tables: what is taken, what is refused, and that a refusal says what would be right. */
#include "base/options.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STEP, SWEEPS, METRIC, RESTART, COUNT };
static const scree_option_def table[COUNT] = {
    {"step", SCREE_OPTION_REAL, 0.5, 0.0, 2.0, NULL, "s", "length of a step"},
    {"sweeps", SCREE_OPTION_INT, 10, 1, 1000, NULL, "", "sweeps between checks"},
    {"metric", SCREE_OPTION_CHOICE, 1, 0, 0, "isotropic|exact|none", "", "local metric"},
    {"restart", SCREE_OPTION_BOOL, 1, 0, 1, NULL, "", "start again"},
};

typedef struct fixture {
  scree_context *context;
  double values[COUNT];
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  f->context = scree_context_create(NULL);
  options_reset(table, COUNT, f->values);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  scree_context_destroy(f->context);
  free(f);
  return 0;
}

static scree_status set(fixture *f, const char *key, const char *text) {
  return options_set(f->context, "solver x", table, COUNT, f->values, key, text);
}

static void reset_gives_the_defaults(void **state) {
  fixture *f = *state;
  for (size_t i = 0; i < COUNT; i++) {
    assert_float_equal(f->values[i], table[i].fallback, 0);
    assert_float_equal(options_get(table, COUNT, f->values, table[i].key), table[i].fallback, 0);
  }
  assert_true(isnan(options_get(table, COUNT, f->values, "nothing")));
}

static void good_values_are_taken(void **state) {
  fixture *f = *state;
  const struct {
    int option;
    const char *text;
    double value;
  } good[] = {
      {STEP, "0.25", 0.25},  {STEP, "0", 0},           {STEP, "2", 2},       {STEP, "1e-3", 1e-3},
      {SWEEPS, "1", 1},      {SWEEPS, "1000", 1000},   {SWEEPS, "1e2", 100}, {METRIC, "exact", 1},
      {METRIC, "none", 2},   {METRIC, "isotropic", 0}, {RESTART, "off", 0},  {RESTART, "on", 1},
      {RESTART, "false", 0}, {RESTART, "true", 1},     {RESTART, "no", 0},   {RESTART, "yes", 1},
      {RESTART, "0", 0},     {RESTART, "1", 1},
  };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    assert_int_equal(set(f, table[good[i].option].key, good[i].text), SCREE_OK);
    assert_float_equal(f->values[good[i].option], good[i].value, 0);
  }
}

static void bad_values_are_refused_and_nothing_changes(void **state) {
  fixture *f = *state;
  const struct {
    const char *key, *text, *message;
  } bad[] = {
      {"step", "2.1", "solver x: step = 2.1 is outside [0, 2] s"},
      {"step", "-0.1", "solver x: step = -0.1 is outside [0, 2] s"},
      {"step", "inf", "solver x: step = inf is outside [0, 2] s"},
      {"step", "nan", "solver x: step needs a number, not 'nan'"},
      {"step", "", "solver x: step needs a number, not ''"},
      {"step", "0.5x", "solver x: step needs a number, not '0.5x'"},
      {"sweeps", "1.5", "solver x: sweeps needs a whole number, not '1.5'"},
      {"sweeps", "0", "solver x: sweeps = 0 is outside [1, 1000]"},
      {"metric", "exac", "solver x: metric needs one of isotropic|exact|none, not 'exac'"},
      {"metric", "", "solver x: metric needs one of isotropic|exact|none, not ''"},
      {"metric", "exact|none",
       "solver x: metric needs one of isotropic|exact|none, not 'exact|none'"},
      {"restart", "maybe", "solver x: restart needs on or off, not 'maybe'"},
      {"restrat", "on", "solver x has no option 'restrat'; did you mean 'restart'?"},
      {"swep", "5", "solver x has no option 'swep'; did you mean 'step'?"},
      {"step_size", "5", "solver x has no option 'step_size'; did you mean 'step'?"},
      {"tolerance", "5", "solver x has no option 'tolerance'"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(set(f, bad[i].key, bad[i].text), SCREE_ERROR_ARGUMENT);
    assert_string_equal(scree_context_message(f->context), bad[i].message);
    for (size_t k = 0; k < COUNT; k++) assert_float_equal(f->values[k], table[k].fallback, 0);
  }
}

static void nearest_is_near_or_nothing(void **state) {
  (void)state;
  const char *names[] = {"gs", "apgd", "jacobi", "minres"};
  assert_string_equal(options_nearest("apgd", names, 4), "apgd");
  assert_string_equal(options_nearest("agpd", names, 4), "apgd");
  assert_string_equal(options_nearest("jacoby", names, 4), "jacobi");
  assert_string_equal(options_nearest("mires", names, 4), "minres");
  assert_null(options_nearest("quadratic", names, 4));
  assert_null(options_nearest("", names, 4));
  assert_null(options_nearest("gs", names, 0));
  char longest[200];
  memset(longest, 'a', sizeof longest - 1);
  longest[sizeof longest - 1] = 0;
  assert_null(options_nearest(longest, names, 4));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(reset_gives_the_defaults, setup, teardown),
      cmocka_unit_test_setup_teardown(good_values_are_taken, setup, teardown),
      cmocka_unit_test_setup_teardown(bad_values_are_refused_and_nothing_changes, setup, teardown),
      cmocka_unit_test(nearest_is_near_or_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

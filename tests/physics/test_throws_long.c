/* The table shape x shape and shape x target: some thousand random throws each, at 1 to 500 m/s
 * with spins up to 1,000 rad/s, one in a world. SCREE_THROWS=n makes n of a row instead of 1,000,
 * and SCREE_THROWS_FIRST=k begins with the k-th. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/throws.h"

static unsigned number(const char *name, unsigned otherwise) {
  const char *given = getenv(name);
  return given ? (unsigned)strtoul(given, NULL, 10) : otherwise;
}

static void add(throw_result *sum, const throw_result *r) {
  sum->through += r->through;
  sum->penetration_percent = fmax(sum->penetration_percent, r->penetration_percent);
  sum->steps += r->steps;
  sum->parts += r->parts;
  sum->unresolved += r->unresolved;
  sum->nonconverged += r->nonconverged;
}

/* A row of the table: many worlds. Says whether nothing is wrong with it, so that the rows after a
 * bad one are seen too. */
static bool row(throw_def def, const char *on) {
  throw_result sum = {0};
  const unsigned n = number("SCREE_THROWS", 1000), first = number("SCREE_THROWS_FIRST", 1);
  for (def.seed = first; def.seed < first + n; def.seed++) {
    def.h = def.seed % 3 == 0 ? 0.001 : 0.005;
    def.restitution = def.seed % 4 == 0 ? 0.5 : 0.0;
    const throw_result r = throw_run(&def);
    if (r.through || r.unresolved || r.penetration_percent > 12.5)
      print_message("  seed %u: %d through, overlap %.1f%%, %ld unresolved\n", def.seed, r.through,
                    r.penetration_percent, r.unresolved);
    add(&sum, &r);
  }
  print_message("%-10s at %-10s %6u throws, %d through, overlap %.2f%%, %ld of %ld steps not "
                "converged, %ld parts, %ld unresolved\n",
                throw_shape_name(def.shape), on, n * (unsigned)def.count, sum.through,
                sum.penetration_percent, sum.nonconverged, sum.steps, sum.parts, sum.unresolved);
  return !sum.through && !sum.unresolved && sum.penetration_percent <= 12.5;
}

static throw_def any_throw(void) {
  return (throw_def){.count = 1,
                     .least_speed = 1.0,
                     .most_speed = 500.0,
                     .most_spin = 1000.0,
                     .friction = 0.5,
                     .seconds = 0.02};
}

static void targets(void **state) {
  (void)state;
  int bad = 0;
  for (int shape = 0; shape < THROW_SHAPES; shape++)
    for (int target = 0; target < THROW_AT_EACH_OTHER; target++) {
      throw_def def = any_throw();
      def.shape = shape;
      def.target = target;
      bad += !row(def, throw_target_name(target));
    }
  assert_int_equal(bad, 0);
}

static void each_other(void **state) {
  (void)state;
  int bad = 0;
  for (int shape = 0; shape < THROW_SHAPES; shape++)
    for (int partner = 0; partner < THROW_SHAPES; partner++) {
      throw_def def = any_throw();
      def.shape = shape;
      def.partner = partner;
      def.target = THROW_AT_EACH_OTHER;
      bad += !row(def, throw_shape_name(partner));
    }
  assert_int_equal(bad, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(targets), cmocka_unit_test(each_other)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

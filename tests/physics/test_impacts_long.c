/* 10,000 scenes of random impacts with friction: none makes energy. */
#include "tests/physics/impacts.h"

static void no_impact_makes_energy(void **state) {
  (void)state;
  throw_many(10000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_impact_makes_energy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

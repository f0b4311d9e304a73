/* Random scenes: SCREE_CAMPAIGN of them (default 10,000) from SCREE_CAMPAIGN_FIRST on. Every fourth
 * one runs with two threads too. A scene that breaks a rule is printed, made small. */
#include "tests/campaign/rounds.h"

static void nothing_breaks(void **state) {
  (void)state;
  const char *count = getenv("SCREE_CAMPAIGN"), *first = getenv("SCREE_CAMPAIGN_FIRST");
  campaign_rounds(first ? (unsigned)strtoul(first, NULL, 10) : 0u,
                  count ? (unsigned)strtoul(count, NULL, 10) : 10000u);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_breaks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

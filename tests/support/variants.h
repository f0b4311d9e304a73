/* The same problem in other clothes: units, masses, order and friction changed. */
#ifndef SCREE_TESTS_VARIANTS_H
#define SCREE_TESTS_VARIANTS_H

#include "scree/scree.h"

/* N becomes `scale` N with r as it is: impulses, and bounds on them, shrink by it. */
void variant_scale_matrix(scree_ccp *problem, double scale);
/* r becomes `scale` r with N as it is: speeds in another unit. */
void variant_scale_speed(scree_ccp *problem, double scale);
void variant_scale_friction(scree_ccp *problem, double scale);
/* Blocks in an order of chance. Forms without bodies only. */
scree_status variant_permute(scree_context *context, const scree_ccp *problem, uint64_t seed,
                             scree_ccp **permuted);

/* Makes the problem afresh for each variant. */
typedef scree_status (*variant_source)(scree_context *context, const void *what,
                                       scree_ccp **problem);
/* Solves the problem and all its variants by auto in the given model, to E = 1e-8 and R = 1e-6.
 * Returns how many were not solved, and says which on stderr; -1: something failed. */
int variants_solve(scree_context *context, const char *name, variant_source make, const void *what,
                   scree_model model);

/* The program that calls `run` as two tests, in the relaxed and in the exact model. */
#define VARIANTS_MAIN(run)                                                                         \
  static void relaxed(void **state) {                                                              \
    (void)state;                                                                                   \
    run(SCREE_MODEL_RELAXED);                                                                      \
  }                                                                                                \
  static void coulomb(void **state) {                                                              \
    (void)state;                                                                                   \
    run(SCREE_MODEL_COULOMB);                                                                      \
  }                                                                                                \
  int main(void) {                                                                                 \
    const struct CMUnitTest tests[] = {cmocka_unit_test(relaxed), cmocka_unit_test(coulomb)};      \
    return cmocka_run_group_tests(tests, NULL, NULL);                                              \
  }

#endif

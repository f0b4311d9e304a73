/* Packings of spheres and a solver with options, for tests that look at outcomes. */
#ifndef SCREE_TESTS_SOLVE_PACKING_H
#define SCREE_TESTS_SOLVE_PACKING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scree/scree.h"
#include "tests/support/packing.h"

typedef const char *solver_option[2]; /* key, value */

static inline scree_ccp *packing_make(scree_context *context, const packing_def *def) {
  scree_ccp *problem = NULL;
  assert_int_equal(packing_create(context, def, &problem), SCREE_OK);
  return problem;
}

static inline scree_solve_info packing_solve(scree_context *context, const scree_ccp *problem,
                                             const char *name, const solver_option *options,
                                             size_t option_count,
                                             const scree_solve_settings *settings, double *g) {
  scree_solver *solver = NULL;
  scree_solve_info info;
  assert_int_equal(scree_solver_create(context, name, &solver), SCREE_OK);
  for (size_t k = 0; k < option_count; k++)
    assert_int_equal(scree_solver_set(solver, options[k][0], options[k][1]), SCREE_OK);
  assert_int_equal(scree_solver_solve(solver, problem, settings, g, &info), SCREE_OK);
  scree_solver_destroy(solver);
  return info;
}

#endif

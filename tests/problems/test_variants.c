/* Problems in other units, with other masses and friction, in another order: auto solves what it
 * solves as it is, in both models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/scenes.h"
#include "tests/support/variants.h"

static scree_status make(scree_context *context, const void *what, scree_ccp **problem) {
  const scene *one = what;
  return one->create(context, one->size, problem);
}

static void run(scree_model model) {
  int missed = 0;
  scree_context *context = scree_context_create(NULL);
  for (size_t k = 0; k < scene_count; k++) {
    if (!scenes[k].feasible) continue;
    const int count = variants_solve(context, scenes[k].name, make, &scenes[k], model);
    assert_true(count >= 0);
    missed += count;
  }
  assert_int_equal(missed, 0);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

VARIANTS_MAIN(run)

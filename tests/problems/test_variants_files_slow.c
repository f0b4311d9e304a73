/* The real problems of the shared directory, when they are there, in other units, with other masses
 * and friction, in another order: auto solves them all, in both models. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scree/io.h"
#include "tests/support/bed.h"
#include "tests/support/variants.h"

static scree_status make(scree_context *context, const void *what, scree_ccp **problem) {
  return scree_problem_load(context, what, problem, NULL);
}

static int each_file(scree_context *context, const char *shared, const char *kind,
                     scree_model model) {
  char directory[1000], path[1500];
  int missed = 0;
  snprintf(directory, sizeof directory, "%s/problems/%s", shared, kind);
  DIR *d = opendir(directory);
  if (!d) return 0;
  for (const struct dirent *entry = readdir(d); entry; entry = readdir(d)) {
    if (!strstr(entry->d_name, ".hdf5")) continue;
    snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
    const int count = variants_solve(context, entry->d_name, make, path, model);
    assert_true(count >= 0);
    missed += count;
  }
  closedir(d);
  return missed;
}

static void run(scree_model model) {
  static const char *const kinds[] = {"2d", "global", "local", "rolling"};
  const char *shared = shared_directory(SCREE_SOURCE_DIR);
  if (!shared) skip();
  scree_context *context = scree_context_create(NULL);
  int missed = 0;
  for (int k = 0; k < 4; k++) missed += each_file(context, shared, kinds[k], model);
  assert_int_equal(missed, 0);
  scree_context_destroy(context);
}

VARIANTS_MAIN(run)

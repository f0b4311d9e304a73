/* Real problems of ../shared/problems, when they are there: all load with the number of contacts
 * that the reference states, and come back from a saved copy with the same bits. */
#include "problem_common.h"

#include <dirent.h>

static long contacts_of_reference(const char *root, const char *problem) {
  char path[1200], line[512];
  long contacts = -1;
  snprintf(path, sizeof path, "%s/REFERENCE.csv", root);
  FILE *file = fopen(path, "r");
  if (!file) return -1;
  while (contacts < 0 && fgets(line, sizeof line, file)) {
    char *kind = strtok(line, ","), *name = strtok(NULL, ","), *count = strtok(NULL, ",");
    if (kind && name && count && strcmp(name, problem) == 0) contacts = strtol(count, NULL, 10);
  }
  fclose(file);
  return contacts;
}

static void check_solution(scree_context *context, const char *path, const scree_ccp *p,
                           const scree_problem_info *info, const char *copy) {
  const size_t n = scree_ccp_velocity_count(p), rows = scree_ccp_row_count(p);
  double *v = calloc(2 * n + 1, sizeof *v), *u = calloc(2 * rows + 1, sizeof *u);
  double *g = calloc(2 * rows + 1, sizeof *g);
  for (size_t k = 0; k <= info->guesses; k++)
    assert_int_equal(scree_problem_load_solution(context, path, p, k, v, u, g), SCREE_OK);
  assert_int_equal(scree_problem_load_solution(context, path, p, 0, v, u, g), SCREE_OK);
  assert_int_equal(scree_problem_load_solution(context, path, p, info->guesses + 1, v, u, g),
                   SCREE_ERROR_INPUT);
  scree_problem_save_def def = scree_problem_save_def_default();
  def.title = "copy";
  def.g = g;
  def.u = u;
  def.v = n ? v : NULL;
  assert_int_equal(scree_problem_save(context, copy, p, &def), SCREE_OK);
  assert_int_equal(scree_problem_load_solution(context, copy, p, 0, v + n, u + rows, g + rows),
                   SCREE_OK);
  assert_true(same_bytes(v, v + n, n * sizeof *v));
  assert_true(same_bytes(u, u + rows, rows * sizeof *u));
  assert_true(same_bytes(g, g + rows, rows * sizeof *g));
  free(v);
  free(u);
  free(g);
}

static void check_file(scree_context *context, const char *root, const char *kind,
                       const char *name) {
  char path[1500], problem[256], copy[64];
  snprintf(path, sizeof path, "%s/%s/%s", root, kind, name);
  snprintf(problem, sizeof problem, "%.*s", (int)(strlen(name) - strlen(".hdf5")), name);
  snprintf(copy, sizeof copy, "shared-copy-%ld.hdf5", (long)getpid());
  scree_ccp *p = NULL, *again = NULL;
  scree_problem_info info, info_again;
  if (scree_problem_load(context, path, &p, &info)) fail_msg("%s", scree_context_message(context));
  const long contacts = contacts_of_reference(root, problem);
  if (contacts >= 0) assert_int_equal(info.contacts, contacts);
  assert_int_equal(info.contacts, scree_ccp_block_count(p));
  assert_false(info.native);
  assert_true(strlen(info.description) > 0);
  const int dimension = strcmp(kind, "2d") == 0 ? 2 : strcmp(kind, "rolling") == 0 ? 5 : 3;
  assert_int_equal(info.dimension, dimension);
  scree_problem_save_def def = scree_problem_save_def_default();
  def.title = info.title;
  def.description = info.description;
  def.math_info = info.math_info;
  if (scree_problem_save(context, copy, p, &def)) fail_msg("%s", scree_context_message(context));
  if (scree_problem_load(context, copy, &again, &info_again))
    fail_msg("%s", scree_context_message(context));
  assert_same_problem(p, again);
  assert_false(info_again.native);
  assert_int_equal(info.kind, info_again.kind);
  assert_string_equal(info.title, info_again.title);
  assert_string_equal(info.description, info_again.description);
  if (info.has_solution) check_solution(context, path, p, &info, copy);
  unlink(copy);
  scree_problem_info_clear(&info);
  scree_problem_info_clear(&info_again);
  scree_ccp_destroy(p);
  scree_ccp_destroy(again);
}

static void test_all(void **state) {
  (void)state;
  const char *root = shared_problems();
  if (!root) skip();
  scree_context *context = scree_context_create(NULL);
  const char *const kinds[] = {"local", "global", "rolling", "2d"};
  size_t files = 0;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", root, kinds[k]);
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
      if (!strstr(entry->d_name, ".hdf5")) continue;
      check_file(context, root, kinds[k], entry->d_name);
      files++;
    }
    if (directory) closedir(directory);
  }
  print_message("%zu files\n", files);
  assert_true(files > 0);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

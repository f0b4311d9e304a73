/* Every kind of the C interface has its name in scene files, and its section in the pages: a joint,
 * law, shape or probe that was added in some places only is named here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene/read/keys.h"
#include "scree/joint.h"
#include "scree/scene.h"
#include "scree/shape.h"

/* The place of a name among the choices of a key; -1: it is none of them. */
static int choice_of(const scene_section *section, const char *key, const char *name) {
  const scene_field *field = scene_section_find(section, key);
  assert_non_null(field);
  char choice[64];
  for (int i = 0; *scene_choice_name(field->choices, i, choice, sizeof choice); i++)
    if (strcmp(choice, name) == 0) return i;
  return -1;
}

static bool page_has(const char *page, const char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s/docs/%s", SCREE_SOURCE_DIR, page);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  static char bytes[1 << 20];
  const size_t size = fread(bytes, 1, sizeof bytes - 1, file);
  fclose(file);
  assert_true(size > 0 && size < sizeof bytes - 1);
  bytes[size] = '\0';
  return strstr(bytes, text) != NULL;
}

static void test_joints(void **state) {
  (void)state;
  for (int k = 0; k < SCREE_JOINT_KIND_COUNT; k++) {
    const char *name = scree_joint_kind_name((scree_joint_kind)k);
    if (choice_of(&scene_section_joint, "kind", name) < 0)
      fail_msg("joint %s: no choice in src/scene/read/keys_joint.c", name);
    char heading[80];
    snprintf(heading, sizeof heading, "\n### %s\n", name);
    if (!page_has("joints.md", heading)) fail_msg("joint %s: no section in docs/joints.md", name);
  }
}

/* The choice is taken for the law itself. */
static void test_laws(void **state) {
  (void)state;
  for (int k = 0; k < SCREE_LAW_COUNT; k++) {
    const char *name = scree_law_name((scree_law)k);
    if (choice_of(&scene_section_material, "law", name) != k)
      fail_msg("law %s: not choice %d in src/scene/read/keys_matter.c", name, k);
    char word[80];
    snprintf(word, sizeof word, "`%s`", name);
    if (!page_has("laws.md", word)) fail_msg("law %s: not in docs/laws.md", name);
  }
}

/* Round containers have a key for each of their forms. */
static void test_shapes(void **state) {
  (void)state;
  for (int k = 0; k < SCREE_SHAPE_KIND_COUNT; k++) {
    const char *name = scree_shape_kind_name((scree_shape_kind)k);
    if (k == SCREE_SHAPE_ROUND_CONTAINER) name = "cylinder_container";
    if (!scene_section_find(&scene_section_shape, name))
      fail_msg("shape %s: no key in src/scene/read/keys.c", name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_joints), cmocka_unit_test(test_laws),
                                     cmocka_unit_test(test_shapes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

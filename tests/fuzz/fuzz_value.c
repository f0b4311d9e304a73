/* Any bytes as a value of a scene: a number, one with a unit, an expression, a text with
 * expressions in it. A number is what strtod of the locale C reads, and all of them are finite. The
 * first byte chooses the unit that is wanted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "scene/read/value.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

FUZZ_MUTATE_TEXT(1)

enum { LONGEST = 256 };
static scree_context *context;
static scene_document document;
static scene_scope scope;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  context = fuzz_context();
  scene_document_init(&document, context);
  check(scene_scope_add(&document, NULL, &scope, "r", 0.25) == SCREE_OK &&
        scene_scope_add(&document, NULL, &scope, "n", 12.0) == SCREE_OK);
  return 0;
}

static void check_number(const char *text) {
  char *end, *expected;
  const double value = number_read(text, &end), plain = strtod(text, &expected);
  check(end == expected && (value == plain || (isnan(value) && isnan(plain))));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const units[] = {"", "m", "s", "kg", "N m", "rad/s", "Pa", SCENE_ANY_UNIT};
  char text[LONGEST + 1];
  if (!size || size > LONGEST) return 0;
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\0';
  check_number(text);
  const scene_node node = {.kind = SCENE_SCALAR, .line = 1, .column = 1, .text = text};
  double value = 0.0;
  document.fault_count = 0;
  const scree_status status =
      scene_number(&document, &scope, &node, "x", units[data[0] & 7], &value);
  check(status ? status == SCREE_ERROR_INPUT && document.fault_count > 0 : isfinite(value));
  if (!status) {
    char again[64];
    char *end;
    number_format(again, sizeof again, "%.17g", value);
    check(number_read(again, &end) == value && !*end);
  }
  if (data[0] & 8) {
    const char *out = NULL;
    document.fault_count = 0;
    check(scene_text(&document, &scope, &node, "x", &out) == SCREE_OK ? out != NULL
                                                                      : document.fault_count > 0);
    scene_document_clear(&document);
    scene_document_init(&document, context);
  }
  return 0;
}

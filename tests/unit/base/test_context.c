/* The context: defaults, messages, log, status texts, and that it never leaks or crashes without
 * memory. */
#include "base/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void defaults_are_silent_and_threaded(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  assert_non_null(context);
  assert_string_equal(scree_context_message(context), "");
  assert_true(scree_context_threads(context) >= 1);
  assert_int_equal(scree_context_bytes(context), 0);
  assert_int_equal(scree_context_allocations(context), 0);
  context_log(context, SCREE_LOG_WARNING, "nobody listens");
  scree_context_destroy(context);
  scree_context_destroy(NULL);
}

static void threads_follow_the_definition(void **state) {
  (void)state;
  scree_context_def def = scree_context_def_default();
  def.threads = 3;
  scree_context *context = scree_context_create(&def);
  assert_int_equal(scree_context_threads(context), 3);
  scree_context_set_threads(context, 1);
  assert_int_equal(scree_context_threads(context), 1);
  scree_context_set_threads(context, -5);
  assert_true(scree_context_threads(context) >= 1);
  scree_context_destroy(context);
}

static void failure_keeps_the_last_message(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  assert_int_equal(context_fail(context, SCREE_ERROR_INPUT, "row %d of %s", 7, "W"),
                   SCREE_ERROR_INPUT);
  assert_string_equal(scree_context_message(context), "row 7 of W");
  assert_int_equal(context_fail(context, SCREE_ERROR_IO, "disk full"), SCREE_ERROR_IO);
  assert_string_equal(scree_context_message(context), "disk full");
  scree_context_destroy(context);
}

static void long_message_is_cut_not_overrun(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  char text[3 * CONTEXT_MESSAGE_SIZE];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = 0;
  context_fail(context, SCREE_ERROR_INPUT, "%s", text);
  assert_int_equal(strlen(scree_context_message(context)), CONTEXT_MESSAGE_SIZE - 1);
  scree_context_destroy(context);
}

static void failure_without_context_is_harmless(void **state) {
  (void)state;
  assert_int_equal(context_fail(NULL, SCREE_ERROR_MEMORY, "x"), SCREE_ERROR_MEMORY);
  assert_string_not_equal(scree_context_message(NULL), "");
}

static void *refuse(void *user, size_t size) {
  (void)size;
  ++*(int *)user;
  return NULL;
}

static void refuse_release(void *user, void *block, size_t size) {
  (void)user;
  (void)size;
  free(block);
}

static void no_memory_gives_no_context(void **state) {
  (void)state;
  int calls = 0;
  scree_context_def def = scree_context_def_default();
  def.allocator = (scree_allocator){.allocate = refuse, .release = refuse_release, .user = &calls};
  assert_null(scree_context_create(&def));
  assert_int_equal(calls, 1);
}

typedef struct heard {
  int count;
  scree_log_level level;
  char text[64];
} heard;

static void listen(void *user, scree_log_level level, const char *message) {
  heard *h = user;
  h->count++;
  h->level = level;
  strncpy(h->text, message, sizeof h->text - 1);
}

static void log_reaches_the_listener(void **state) {
  (void)state;
  heard h = {0};
  scree_context_def def = scree_context_def_default();
  def.log = listen;
  def.log_user = &h;
  scree_context *context = scree_context_create(&def);
  context_log(context, SCREE_LOG_INFO, "%d contacts", 12);
  assert_int_equal(h.count, 1);
  assert_int_equal(h.level, SCREE_LOG_INFO);
  assert_string_equal(h.text, "12 contacts");
  scree_context_destroy(context);
}

static void every_status_has_its_own_text(void **state) {
  (void)state;
  const scree_status all[] = {
#define STATUS(name, value, text) SCREE_##name,
      SCREE_STATUS_LIST(STATUS)
#undef STATUS
  };
  const size_t count = sizeof all / sizeof *all;
  for (size_t i = 0; i < count; i++) {
    assert_string_not_equal(scree_status_text(all[i]), "unknown status");
    assert_true(i == 0 ? all[i] == SCREE_OK : all[i] < 0);
    for (size_t j = 0; j < i; j++)
      assert_string_not_equal(scree_status_text(all[i]), scree_status_text(all[j]));
  }
  assert_string_equal(scree_status_text((scree_status)-1000), "unknown status");
}

static void version_is_three_numbers(void **state) {
  (void)state;
  int part = 0;
  for (const char *at = scree_version(); *at; part++) {
    char *end;
    assert_true(*at >= '0' && *at <= '9');
    strtol(at, &end, 10);
    at = *end == '.' ? end + 1 : end;
  }
  assert_int_equal(part, 3);
  assert_string_not_equal(scree_version(), "0.0.0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_silent_and_threaded),
      cmocka_unit_test(threads_follow_the_definition),
      cmocka_unit_test(failure_keeps_the_last_message),
      cmocka_unit_test(long_message_is_cut_not_overrun),
      cmocka_unit_test(failure_without_context_is_harmless),
      cmocka_unit_test(no_memory_gives_no_context),
      cmocka_unit_test(log_reaches_the_listener),
      cmocka_unit_test(every_status_has_its_own_text),
      cmocka_unit_test(version_is_three_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

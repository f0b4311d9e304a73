/* See options.h. */
#include "base/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

void options_reset(const scree_option_def *table, size_t count, double *values) {
  for (size_t i = 0; i < count; i++) values[i] = table[i].fallback;
}

double options_get(const scree_option_def *table, size_t count, const double *values,
                   const char *key) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(table[i].key, key) == 0) return values[i];
  return NAN;
}

/* Edit distance in which two swapped letters count once. Words longer than the table are near no
 * other word. */
static size_t distance(const char *a, const char *b) {
  enum { LONGEST = 63 };
  const size_t na = strlen(a), nb = strlen(b);
  if (na > LONGEST || nb > LONGEST) return SIZE_MAX;
  size_t rows[3][LONGEST + 1];
  for (size_t j = 0; j <= nb; j++) rows[0][j] = j;
  for (size_t i = 1; i <= na; i++) {
    size_t *row = rows[i % 3];
    const size_t *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= nb; j++) {
      size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
      if (above[j] + 1 < best) best = above[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && second[j - 2] + 1 < best) best = second[j - 2] + 1;
      row[j] = best;
    }
  }
  return rows[na % 3][nb];
}

const char *options_nearest(const char *word, const char *const *names, size_t count) {
  const char *best = NULL;
  size_t best_distance = 1 + strlen(word) / 2;
  for (size_t i = 0; i < count; i++) {
    const size_t d = distance(word, names[i]);
    if (d < best_distance) {
      best_distance = d;
      best = names[i];
    }
  }
  if (best_distance <= 1) return best;
  /* "angular_velocity" is nearer to "angular" than to "velocity", whatever letters they share. */
  const size_t first = strcspn(word, "_-");
  for (size_t i = 0; i < count && word[first]; i++)
    if (strlen(names[i]) == first && strncmp(names[i], word, first) == 0) return names[i];
  return best;
}

static int choice_index(const char *choices, const char *text) {
  const size_t length = strlen(text);
  int index = 0;
  for (const char *at = choices; at; index++) {
    const char *end = strchr(at, '|');
    const size_t n = end ? (size_t)(end - at) : strlen(at);
    if (n == length && strncmp(at, text, n) == 0) return index;
    at = end ? end + 1 : NULL;
  }
  return -1;
}

static scree_status parse_number(scree_context *context, const char *owner,
                                 const scree_option_def *option, const char *text, double *value) {
  char *end = NULL;
  errno = 0;
  const double x = number_read(text, &end);
  if (end == text || *end || isnan(x))
    return context_fail(context, SCREE_ERROR_ARGUMENT, "%s: %s needs a number, not '%s'", owner,
                        option->key, text);
  if (option->type == SCREE_OPTION_INT && x != floor(x))
    return context_fail(context, SCREE_ERROR_ARGUMENT, "%s: %s needs a whole number, not '%s'",
                        owner, option->key, text);
  if (x < option->minimum || x > option->maximum)
    return context_fail(context, SCREE_ERROR_ARGUMENT, "%s: %s = %s is outside [%g, %g]%s%s", owner,
                        option->key, text, option->minimum, option->maximum,
                        option->unit[0] ? " " : "", option->unit);
  *value = x;
  return SCREE_OK;
}

scree_status options_set(scree_context *context, const char *owner, const scree_option_def *table,
                         size_t count, double *values, const char *key, const char *text) {
  const char *names[64];
  for (size_t i = 0; i < count; i++) {
    if (i < 64) names[i] = table[i].key;
    if (strcmp(table[i].key, key) != 0) continue;
    if (table[i].type == SCREE_OPTION_BOOL) {
      const int on = choice_index("off|on|false|true|no|yes|0|1", text);
      if (on < 0)
        return context_fail(context, SCREE_ERROR_ARGUMENT, "%s: %s needs on or off, not '%s'",
                            owner, key, text);
      values[i] = on % 2;
      return SCREE_OK;
    }
    if (table[i].type == SCREE_OPTION_CHOICE) {
      const int index = choice_index(table[i].choices, text);
      if (index < 0)
        return context_fail(context, SCREE_ERROR_ARGUMENT, "%s: %s needs one of %s, not '%s'",
                            owner, key, table[i].choices, text);
      values[i] = index;
      return SCREE_OK;
    }
    return parse_number(context, owner, &table[i], text, &values[i]);
  }
  const char *near = options_nearest(key, names, count < 64 ? count : 64);
  return context_fail(context, SCREE_ERROR_ARGUMENT, "%s has no option '%s'%s%s%s", owner, key,
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

scree_status options_find(scree_context *context, const char *what, const char *name,
                          const char *const *names, size_t count, size_t *place) {
  for (*place = 0; *place < count; ++*place)
    if (strcmp(names[*place], name) == 0) return SCREE_OK;
  const char *near = options_nearest(name, names, count);
  return context_fail(context, SCREE_ERROR_ARGUMENT, "there is no %s '%s'%s%s%s", what, name,
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

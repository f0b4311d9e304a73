/* Values of an option table: parse, check the range, suggest the nearest key. */
#ifndef SCREE_BASE_OPTIONS_H
#define SCREE_BASE_OPTIONS_H

#include "base/context.h"

/* Fills `values` (one double per option; a choice is its index, a bool 0 or 1) with the defaults.
 */
void options_reset(const scree_option_def *table, size_t count, double *values);
/* Sets one value from text; `owner` names the table in messages ("solver apgd"). */
scree_status options_set(scree_context *context, const char *owner, const scree_option_def *table,
                         size_t count, double *values, const char *key, const char *text);
/* The value of a key that is in the table (programming error otherwise: NaN). */
double options_get(const scree_option_def *table, size_t count, const double *values,
                   const char *key);
/* The name in `names` nearest to `word`, or null when none is near. */
const char *options_nearest(const char *word, const char *const *names, size_t count);
/* The place of `name` among `names`; SCREE_ERROR_ARGUMENT "there is no <what> '<name>'", with what
 * is near, when it is none of them. */
scree_status options_find(scree_context *context, const char *what, const char *name,
                          const char *const *names, size_t count, size_t *place);

#endif

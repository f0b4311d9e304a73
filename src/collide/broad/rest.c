/* See rest.h. */
#include "collide/broad/rest.h"

#include <string.h>

#include "base/memory.h"

void broad_rest_clear(broad_rest *r) {
  memory_free(r->context, r->settled);
  memory_free(r->context, r->row);
  memory_free(r->context, r->partner);
}

scree_status broad_rest_see(broad_rest *r, const collide_view *view) {
  if (!view->asleep) {
    r->some = false;
    r->count = 0;
    return SCREE_OK;
  }
  const size_t n = view->count;
  if (r->some && r->seen == view->sleep_revision && r->count == n) return SCREE_OK;
  if (memory_grow(r->context, &r->settled, n, sizeof *r->settled)) return SCREE_ERROR_MEMORY;
  if (n > r->count) memset(r->settled + r->count, 0, n - r->count);
  for (size_t i = 0; i < n; i++)
    if (!view->asleep[i]) r->settled[i] = 0;
  r->count = n;
  r->seen = view->sleep_revision;
  r->some = r->due = true;
  return SCREE_OK;
}

void broad_rest_forget(broad_rest *r) {
  if (r->count) memset(r->settled, 0, r->count);
  r->due = true;
}

static bool rests(const collide_view *view, uint32_t i) {
  return view->kind[i] || view->asleep[i];
}

scree_status broad_rest_rows(broad_rest *r, const collide_view *view, const uint32_t *row,
                             const uint32_t *partner) {
  const size_t n = view->count;
  if (!r->some || !r->due) return SCREE_OK;
  if (memory_grow(r->context, &r->row, n + 1, sizeof *r->row) ||
      memory_grow(r->context, &r->partner, row[n] + (size_t)1, sizeof *r->partner))
    return SCREE_ERROR_MEMORY;
  uint32_t to = 0;
  for (uint32_t i = 0; i < n; i++) {
    const bool still = rests(view, i);
    r->row[i] = to;
    for (uint32_t e = row[i]; e < row[i + 1]; e++) {
      r->partner[to] = partner[e];
      to += !still || !rests(view, partner[e]);
    }
  }
  r->row[n] = to;
  r->due = false;
  return SCREE_OK;
}

/* A list of pairs that is kept: whether it still holds, and what is added where a few bodies have
 * left their boxes, or came or went. See state.h. */
#include <string.h>

#include "base/memory.h"
#include "base/pieces.h"
#include "collide/broad/images.h"
#include "collide/broad/state.h"

enum { FEW_LEVELS = 3 };

bool broad_covers(const broad *b, const collide_view *view, const v3 *linear, const v3 *angular) {
  if (images_part(view)) return false;
  const v3 v0 = broad_mean_velocity(b->context, view);
  collide_view still = *view;
  bool covers = true;
  still.h = 0.0;
  still.extra = NULL;
#pragma omp parallel for schedule(static) reduction(&& : covers)                                   \
    num_threads(context_team(b->context, view->count > PIECES_MANY))
  for (size_t i = 0; i < view->count; i++) {
    if (!covers || !view->shape[i] || broad_rest_holds(&b->rest, view, i)) continue;
    aabb box = broad_swept_box(&still, i, v0);
    if (view->shape[i]->kind != SCREE_SHAPE_SPHERE && isfinite(view->radius[i]))
      box = aabb_grow(box, view->h * view->radius[i] * v3_norm(angular[i]));
    const v3 way = v3_scale(view->h, v3_sub(linear[i], v0));
    covers = broad_inside(box, b->box[i]) &&
             broad_inside((aabb){v3_add(box.lo, way), v3_add(box.hi, way)}, b->box[i]);
  }
  return covers;
}

/* ---- the same pairs once more --------------------------------------------------------------- */

/* Prepares the search by strays, for bodies of like size: cells that fit the largest are small
 * enough for all. */
scree_status broad_prepare_strays(broad *b, size_t n) {
  int finest = BROAD_LEVELS, coarsest = 0;
  for (int l = 0; l < BROAD_LEVELS; l++) {
    if (!b->grid.levels[l].members) continue;
    if (l < finest) finest = l;
    coarsest = l;
  }
  const bool few = coarsest - finest < FEW_LEVELS;
  b->side = few && !b->images ? b->grid.levels[coarsest].size : 0.0;
  b->most_side = 2.0 * b->side;
  return broad_stray_reserve(&b->stray, n);
}

/* A box for one that moves: wide. */
static bool give_box(broad *b, const collide_view *view, uint32_t i, v3 v0) {
  const double slack = broad_slack(view, i);
  const aabb box = aabb_grow(broad_box_ahead(view, i, v0), 1.5 * view_less(slack, b->common));
  const v3 d = v3_sub(box.hi, box.lo);
  const double side = fmax(d.x, fmax(d.y, d.z)) + (isfinite(slack) ? slack : b->most_slack);
  if (!(side <= b->most_side) || !isfinite(v3_norm2(box.lo))) return false;
  if (side > b->side) b->side = side;
  b->box[i] = box;
  return true;
}

/* Large bodies that have left their boxes, `large` of them: each against all others, as when pairs
 * were found. Walls without end, and containers that pairs are clear of, are not mended. */
static bool mend_large(broad *b, const broad_boxes *boxes, size_t large) {
  const collide_view *view = boxes->view;
  for (size_t l = 0; large && l < b->large_count; l++) {
    const uint32_t k = b->large_list[l];
    if (!b->left[k]) continue;
    const double slack = view_less(broad_slack(view, k), b->common);
    if (b->cavity[l].still || !isfinite(view->diameter[k])) return false;
    b->box[k] = aabb_grow(broad_box_ahead(view, k, boxes->mean_velocity), 1.5 * slack);
    if (!isfinite(v3_norm2(b->box[k].lo)) || !isfinite(v3_norm2(b->box[k].hi))) return false;
  }
  for (size_t l = 0; large && l < b->large_count; l++) {
    if (!b->left[b->large_list[l]]) continue;
    for (uint32_t i = 0; i < view->count; i++) {
      const bool other =
          view->shape[i] && i != b->large_list[l] &&
          !(b->left[i] && b->grid.level[i] == BROAD_NO_LEVEL && i < b->large_list[l]);
      if (other && broad_meets_large(b, boxes, l, i) &&
          !broad_stray_note(&b->stray, i, b->large_list[l], b->row, b->partner))
        return false;
    }
  }
  return true;
}

static bool mend(broad *b, const collide_view *view, v3 v0, size_t large) {
  broad_stray *s = &b->stray;
  const broad_boxes boxes = {.view = view, .box = b->box, .mean_velocity = v0};
  for (size_t k = 0; k < s->count; k++)
    if (!give_box(b, view, s->body[k], v0)) return false;
  if (!mend_large(b, &boxes, large)) return false;
  if (s->count && !broad_stray_search(s, &boxes, b->grid.level, b->side, b->row, b->partner))
    return false;
  for (size_t k = 0; k < s->count; k++)
    for (size_t l = 0; l < b->large_count; l++)
      if (!(large && b->left[b->large_list[l]]) && broad_meets_large(b, &boxes, l, s->body[k]) &&
          !broad_stray_note(s, s->body[k], b->large_list[l], b->row, b->partner))
        return false;
  broad_stray_insert(s, view->count, b->row, b->partner);
  return true;
}

/* ---- bodies that came or went --------------------------------------------------------------- */

/* A body that went keeps its generation until its place is taken. */
static bool is_other(const broad *b, const collide_view *view, size_t i) {
  return i >= b->count || !view->shape[i] || b->generation[i] != view->generation[i];
}

/* Removes all pairs with bodies whose place another body has taken. */
static void purge(broad *b, const collide_view *view) {
  size_t to = 0, from = 0;
  for (size_t i = 0; i < b->count; i++) {
    const size_t end = b->row[i + 1];
    const bool gone = is_other(b, view, i);
    for (; from < end; from++)
      if (!gone && !is_other(b, view, b->partner[from])) b->partner[to++] = b->partner[from];
    b->row[i + 1] = (uint32_t)to;
  }
  b->stray.room += from - to;
}

/* New ones are strays without a box. False: the list is made anew. */
bool broad_adopt(broad *b, const collide_view *view) {
  bool any_other = false;
  if (!b->valid || !view->generation || view->count < b->count || b->side == 0.0) return false;
  for (size_t k = 0; k < b->large_count; k++)
    if (is_other(b, view, b->large_list[k])) return false;
  if (memory_grow(b->context, &b->box, view->count, sizeof *b->box) ||
      memory_grow(b->context, &b->row, view->count + 1, sizeof *b->row) ||
      memory_grow(b->context, &b->generation, view->count, sizeof *b->generation) ||
      memory_grow(b->context, &b->grid.level, view->count, sizeof *b->grid.level))
    return false;
  for (size_t i = 0; i < view->count; i++) {
    if (!is_other(b, view, i)) continue;
    any_other = any_other || i < b->count;
    if (!view->shape[i]) continue;
    if (view->kind[i] || !isfinite(view->diameter[i])) return false;
    b->box[i].lo = v3_make(INFINITY, INFINITY, INFINITY);
    b->grid.level[i] = 0;
  }
  if (any_other) purge(b, view);
  for (size_t i = b->count; i < view->count; i++) b->row[i + 1] = b->row[b->count];
  b->count = view->count;
  memcpy(b->generation, view->generation, view->count * sizeof *b->generation);
  return true;
}

static void find_some_left(broad *b, const collide_view *view, v3 v0, size_t begin, size_t end) {
  for (size_t i = begin; i < end; i++) {
    b->left[i] = 0;
    if (!view->shape[i] || broad_rest_holds(&b->rest, view, i)) continue;
    b->left[i] = !broad_inside(broad_swept_box(view, i, v0), b->box[i]);
    if (view->asleep) b->rest.settled[i] = view->asleep[i] && !b->left[i];
  }
}

static void find_left(broad *b, const collide_view *view, v3 v0) {
  const size_t n = view->count, pieces = pieces_of(n);
  if (pieces == 1) {
    find_some_left(b, view, v0, 0, n);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(context_team(b->context, true))
  for (size_t k = 0; k < pieces; k++)
    find_some_left(b, view, v0, pieces_begin(n, k), pieces_begin(n, k + 1));
}

/* Are the pairs still valid, after those of a few bodies that left their boxes are found again? */
bool broad_still_valid(broad *b, const collide_view *view) {
  if (!b->valid || b->count != view->count || (b->wide && b->age > BROAD_WIDE_AGE)) return false;
  if (images_part(view)) return false;
  const v3 v0 = broad_mean_velocity(b->context, view);
  for (size_t k = 0; k < b->large_count; k++)
    if (!broad_cavity_holds(&b->cavity[k], view, b->large_list[k], v0)) return false;
  b->stray.count = b->stray.pair_count = 0;
  if (memory_grow(b->context, &b->left, view->count, sizeof *b->left)) return false;
  find_left(b, view, v0);
  size_t large = 0;
  for (size_t i = 0; i < view->count; i++) {
    if (!b->left[i]) continue;
    const bool alone = b->grid.level[i] == BROAD_NO_LEVEL;
    large += alone;
    if (b->side == 0.0 || (!alone && !broad_stray_add(&b->stray, i))) return false;
  }
  if (!b->stray.count && !large) return true;
  b->rest.due = true;
  return mend(b, view, v0, large);
}

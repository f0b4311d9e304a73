/* The broad phase; see broad.h. A body's box is its tight box, grown by how far it may move in the
 * step against the mean velocity v0 (two bodies' growths cover their relative motion for any v0).
 * Two boxes make a pair when they come closer than the margin by the smaller diameter. */
#include "collide/broad.h"

#include <string.h>

#include "base/memory.h"
#include "collide/broad_grid.h"

enum { LARGE_LEVEL = 12 }; /* a level with fewer members is tested directly */
enum { KEPT_BYTES = 1 << 20 };

struct broad {
  scree_context *context;
  aabb *box; /* with slack: what the pairs were found with */
  size_t box_capacity;
  double *slack; /* by diameter, m */
  size_t slack_capacity;
  uint8_t *large;
  size_t large_capacity;
  uint32_t *large_list;
  size_t large_count, large_list_capacity;
  broad_grid grid;
  /* Pairs as found, then in rows by their lower index. */
  broad_pairs found;
  size_t *row;
  size_t row_capacity;
  uint32_t *partner;
  size_t partner_capacity;
  size_t count;
  bool valid;
  size_t rebuilds;
};

scree_status broad_create(scree_context *context, broad **out) {
  *out = memory_new(context, 1, sizeof **out);
  if (!*out) return SCREE_ERROR_MEMORY;
  (*out)->context = context;
  (*out)->grid.context = context;
  return SCREE_OK;
}

void broad_destroy(broad *b) {
  if (!b) return;
  scree_context *context = b->context;
  memory_free(context, b->box);
  memory_free(context, b->slack);
  memory_free(context, b->large);
  memory_free(context, b->large_list);
  broad_grid_clear(&b->grid);
  memory_free(context, b->found.entry);
  memory_free(context, b->row);
  memory_free(context, b->partner);
  memory_free(context, b);
}

void broad_invalidate(broad *b) {
  b->valid = false;
}

size_t broad_rebuild_count(const broad *b) {
  return b->rebuilds;
}

const uint32_t *broad_partners(const broad *b, size_t i, size_t *count) {
  *count = b->row[i + 1] - b->row[i];
  return b->partner + b->row[i];
}

/* ---- boxes ---------------------------------------------------------------------------------- */

static v3 mean_velocity(const collide_view *view) {
  v3 sum = {0, 0, 0};
  size_t n = 0;
  for (size_t i = 0; i < view->count; i++)
    if (view->shape[i] && view->kind[i] == 0) {
      sum = v3_add(sum, view->linear[i]);
      n++;
    }
  return n ? v3_scale(1.0 / (double)n, sum) : sum;
}

static aabb swept_box(const collide_view *view, size_t i, v3 v0) {
  const shape *s = view->shape[i];
  double reach = view->h * v3_norm(v3_sub(view->linear[i], v0));
  if (view->extra) reach += view->extra[i];
  if (s->kind == SCREE_SHAPE_SPHERE && !view->place) {
    const double r = s->sphere.radius + reach;
    const v3 half = {r, r, r};
    return (aabb){v3_sub(view->position[i], half), v3_add(view->position[i], half)};
  }
  if (isfinite(view->radius[i]) && s->kind != SCREE_SHAPE_SPHERE)
    reach += view->h * view->radius[i] * v3_norm(view->angular[i]);
  return aabb_grow(shape_bounds(s, view_shape_pose(view, i)), reach);
}

static bool inside(aabb a, aabb b) {
  return a.lo.x >= b.lo.x && a.lo.y >= b.lo.y && a.lo.z >= b.lo.z && a.hi.x <= b.hi.x &&
         a.hi.y <= b.hi.y && a.hi.z <= b.hi.z;
}

static bool still_valid(const broad *b, const collide_view *view) {
  if (!b->valid || b->count != view->count) return false;
  const v3 v0 = mean_velocity(view);
  for (size_t i = 0; i < view->count; i++)
    if (view->shape[i] && !inside(swept_box(view, i, v0), b->box[i])) return false;
  return true;
}

bool broad_covers(const broad *b, const collide_view *view, const v3 *linear, const v3 *angular) {
  const v3 v0 = mean_velocity(view);
  collide_view still = *view;
  still.h = 0.0;
  still.extra = NULL;
  for (size_t i = 0; i < view->count; i++) {
    if (!view->shape[i]) continue;
    aabb box = swept_box(&still, i, v0);
    if (view->shape[i]->kind != SCREE_SHAPE_SPHERE && isfinite(view->radius[i]))
      box = aabb_grow(box, view->h * view->radius[i] * v3_norm(angular[i]));
    const v3 way = v3_scale(view->h, v3_sub(linear[i], v0));
    if (!inside(box, b->box[i]) ||
        !inside((aabb){v3_add(box.lo, way), v3_add(box.hi, way)}, b->box[i]))
      return false;
  }
  return true;
}

static double slack_of(const collide_view *view, size_t i) {
  const double d = view->diameter[i];
  return isfinite(d) ? view->margin * d : INFINITY;
}

/* The room that walls get is the one of the bodies that can be pushed: their own size says nothing.
 */
static double common_slack(const collide_view *view) {
  double sum = 0.0;
  size_t n = 0;
  for (size_t i = 0; i < view->count; i++)
    if (view->shape[i] && view->kind[i] == 0 && isfinite(view->diameter[i])) {
      sum += slack_of(view, i);
      n++;
    }
  return n ? sum / (double)n : 0.0;
}

static scree_status make_boxes(broad *b, const collide_view *view) {
  const size_t n = view->count;
  if (memory_grow(b->context, &b->box, &b->box_capacity, n, sizeof *b->box) ||
      memory_grow(b->context, &b->slack, &b->slack_capacity, n, sizeof *b->slack) ||
      memory_grow(b->context, &b->large, &b->large_capacity, n, sizeof *b->large) ||
      memory_grow(b->context, &b->row, &b->row_capacity, n + 2, sizeof *b->row))
    return SCREE_ERROR_MEMORY;
  const v3 v0 = mean_velocity(view);
  const double common = common_slack(view);
  for (size_t i = 0; i < n; i++) {
    if (!view->shape[i]) continue;
    const aabb box = swept_box(view, i, v0);
    b->slack[i] = slack_of(view, i);
    b->box[i] = aabb_grow(box, 0.5 * fmin(b->slack[i], common));
  }
  return SCREE_OK;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* A large body against everyone; two large ones meet once. */
static scree_status find_large(broad *b, const collide_view *view) {
  for (size_t k = 0; k < b->large_count; k++) {
    const uint32_t l = b->large_list[k];
    for (size_t i = 0; i < view->count; i++) {
      if (!view->shape[i] || i == l || (b->large[i] && i < l)) continue;
      if (broad_meet(view, b->box, b->slack, l, (uint32_t)i) &&
          broad_add_pair(b->context, &b->found, l, (uint32_t)i))
        return SCREE_ERROR_MEMORY;
    }
  }
  return SCREE_OK;
}

static scree_status sort_bodies(broad *b, const collide_view *view) {
  b->large_count = 0;
  const scree_status status = broad_grid_sort(&b->grid, view, b->box, b->slack, LARGE_LEVEL);
  if (status) return status;
  for (size_t i = 0; i < view->count; i++) {
    b->large[i] = view->shape[i] && b->grid.level[i] == BROAD_NO_LEVEL;
    if (!b->large[i]) continue;
    if (memory_grow(b->context, &b->large_list, &b->large_list_capacity, b->large_count + 1,
                    sizeof *b->large_list))
      return SCREE_ERROR_MEMORY;
    b->large_list[b->large_count++] = (uint32_t)i;
  }
  return SCREE_OK;
}

static void sort_row(uint32_t *x, size_t n) {
  for (size_t i = 1; i < n; i++) {
    const uint32_t key = x[i];
    size_t k = i;
    for (; k > 0 && x[k - 1] > key; k--) x[k] = x[k - 1];
    x[k] = key;
  }
}

/* Long rows (a wall that comes first) are sorted by counting: partners are distinct and small. */
static scree_status sort_long_row(broad *b, uint32_t *x, size_t n, size_t count) {
  memset(b->large, 0, count);
  for (size_t i = 0; i < n; i++) b->large[x[i]] = 1;
  size_t at = 0;
  for (size_t i = 0; i < count; i++)
    if (b->large[i]) x[at++] = (uint32_t)i;
  return SCREE_OK;
}

static scree_status make_rows(broad *b, size_t n) {
  memset(b->row, 0, (n + 2) * sizeof *b->row);
  if (memory_grow(b->context, &b->partner, &b->partner_capacity, b->found.count,
                  sizeof *b->partner))
    return SCREE_ERROR_MEMORY;
  uint32_t owner = 0;
  for (size_t k = 0; k < b->found.entry_count; k++) {
    const uint32_t e = b->found.entry[k];
    if (e & BROAD_OWNER)
      owner = e & ~BROAD_OWNER;
    else
      b->row[(owner < e ? owner : e) + 2]++;
  }
  for (size_t i = 2; i < n + 2; i++) b->row[i] += b->row[i - 1];
  for (size_t k = 0; k < b->found.entry_count; k++) {
    const uint32_t e = b->found.entry[k];
    if (e & BROAD_OWNER)
      owner = e & ~BROAD_OWNER;
    else
      b->partner[b->row[(owner < e ? owner : e) + 1]++] = owner < e ? e : owner;
  }
  for (size_t i = 0; i < n; i++) {
    const size_t length = b->row[i + 1] - b->row[i];
    if (length <= 64)
      sort_row(b->partner + b->row[i], length);
    else
      sort_long_row(b, b->partner + b->row[i], length, n);
  }
  return SCREE_OK;
}

/* What only the search needs is given back where it is large: pairs are made anew now and then, and
 * memory is short when the solver runs. */
static void give_back(broad *b) {
  if (b->found.capacity * sizeof *b->found.entry < KEPT_BYTES) return;
  memory_free(b->context, b->found.entry);
  b->found.entry = NULL;
  b->found.capacity = 0;
  broad_grid_give_back(&b->grid);
}

scree_status broad_update(broad *b, const collide_view *view) {
  if (still_valid(b, view)) return SCREE_OK;
  b->valid = false;
  if (view->count >= BROAD_OWNER)
    return context_fail(b->context, SCREE_ERROR_INPUT, "more than %u bodies", BROAD_OWNER - 1);
  scree_status status = memory_grow(b->context, &b->found.entry, &b->found.capacity,
                                    b->found.entry_count, sizeof *b->found.entry);
  b->found.count = b->found.entry_count = 0;
  if (!status) status = make_boxes(b, view);
  if (!status) status = sort_bodies(b, view);
  if (!status) status = find_large(b, view);
  if (!status) status = broad_grid_pairs(&b->grid, view, b->box, b->slack, &b->found);
  if (!status) status = make_rows(b, view->count);
  if (status) return status;
  give_back(b);
  b->count = view->count;
  b->valid = true;
  b->rebuilds++;
  return SCREE_OK;
}

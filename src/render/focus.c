/* See focus.h. */
#include "render/focus.h"

#include <math.h>
#include <stdlib.h>

#include "render/f3.h"

enum { SAMPLE_LIMIT = 4096, FEW = 50 };

static pose item_place(const scree_render_item *item) {
  const double *q = item->rotation;
  return (pose){v3_load(item->position), quat_normalize((quat){q[0], q[1], q[2], q[3]})};
}

/* Bounds of an item; false: it has no end somewhere. */
static bool item_bounds(const scree_render_item *item, aabb *box) {
  if (!item->shape || !isfinite(item->shape->size)) return false;
  *box = shape_bounds(item->shape, item_place(item));
  return true;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* Places of the middle along one axis that hold all but the outermost hundredth on each side. */
static void quantiles(size_t count, const scree_render_item *items, int axis, double *low,
                      double *high) {
  double sample[SAMPLE_LIMIT];
  size_t n = 0, stride = 1 + (count - 1) / SAMPLE_LIMIT;
  for (size_t i = 0; i < count; i += stride)
    if (items[i].appearance != SCREE_APPEARANCE_WALL && items[i].shape &&
        isfinite(items[i].shape->size))
      sample[n++] = items[i].position[axis];
  if (n == 0) return;
  qsort(sample, n, sizeof *sample, compare);
  *low = sample[n / 100];
  *high = sample[n - 1 - n / 100];
}

/* What lies farther out than two widths of the bulk has flown away. */
static aabb bulk_range(size_t count, const scree_render_item *items) {
  double low[3] = {0}, high[3] = {0}, width = 0.0;
  for (int k = 0; k < 3; k++) {
    quantiles(count, items, k, &low[k], &high[k]);
    width = fmax(width, high[k] - low[k]);
  }
  const aabb core = {v3_load(low), v3_load(high)};
  return aabb_grow(core, 2.0 * width);
}

static bool is_in(aabb range, const double *p) {
  return p[0] >= range.lo.x && p[0] <= range.hi.x && p[1] >= range.lo.y && p[1] <= range.hi.y &&
         p[2] >= range.lo.z && p[2] <= range.hi.z;
}

bool scree_render_focus(size_t count, const scree_render_item *items, scree_box *focus) {
  if ((items == NULL && count)) return false;
  size_t few = 0;
  for (size_t i = 0; i < count && few < FEW; i++)
    few += items[i].appearance != SCREE_APPEARANCE_WALL && items[i].shape &&
           isfinite(items[i].shape->size);
  if (few == 0) return false;
  const aabb all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
  const aabb range = few < FEW ? all : bulk_range(count, items);
  aabb sum = aabb_empty();
  for (size_t i = 0; i < count; i++) {
    aabb box;
    if (items[i].appearance == SCREE_APPEARANCE_WALL || !item_bounds(&items[i], &box)) continue;
    if (is_in(range, items[i].position)) sum = aabb_union(sum, box);
  }
  v3_store(focus->lower, sum.lo);
  v3_store(focus->upper, sum.hi);
  return sum.lo.x <= sum.hi.x;
}

/* ---- walls ---------------------------------------------------------------------------------- */

unsigned render_container_open(const shape *s) {
  return s->kind == SCREE_SHAPE_BOX_CONTAINER ? s->box_container.open : s->round_container.open;
}

static v3 corner(const scree_box *box, int i) {
  return (v3){i & 1 ? box->upper[0] : box->lower[0], i & 2 ? box->upper[1] : box->lower[1],
              i & 4 ? box->upper[2] : box->lower[2]};
}

void render_container_window(const shape *s, pose place, const scree_box *focus, double *low,
                             double *high) {
  const double half =
      s->kind == SCREE_SHAPE_BOX_CONTAINER ? s->box_container.half.z : s->round_container.half;
  const unsigned open = render_container_open(s);
  const double size = 0.5 * v3_norm(v3_sub(v3_load(focus->upper), v3_load(focus->lower)));
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < 8; i++) {
    const double z = pose_apply_inverse(place, corner(focus, i)).z;
    least = fmin(least, z);
    most = fmax(most, z);
  }
  *low = -half;
  *high = half;
  if ((open & SCREE_OPEN_TOP) && half > most + 0.4 * size) *high = most + 0.1 * size;
  if ((open & SCREE_OPEN_BOTTOM) && -half < least - 0.4 * size) *low = least - 0.1 * size;
  /* A container that lies away from the focus is drawn whole. */
  if (!(*low < *high)) *low = -half, *high = half;
}

static bool wall_box(const shape *s, pose place, const scree_box *focus, aabb *sum) {
  bool any = false;
  if (s->kind == SCREE_SHAPE_COMPOUND) {
    for (uint32_t i = 0; i < s->compound.count; i++)
      any |= wall_box(s->compound.part[i].shape, pose_mul(place, s->compound.part[i].place), focus,
                      sum);
    return any;
  }
  if (s->kind == SCREE_SHAPE_BOX_CONTAINER || s->kind == SCREE_SHAPE_ROUND_CONTAINER) {
    scree_box local = {{0}, {0}};
    v3 half = s->box_container.half;
    if (s->kind == SCREE_SHAPE_ROUND_CONTAINER)
      half.x = half.y = fmax(s->round_container.bottom, s->round_container.top);
    v3_store(local.lower, v3_neg(half));
    v3_store(local.upper, half);
    render_container_window(s, place, focus, &local.lower[2], &local.upper[2]);
    for (int i = 0; i < 8; i++) {
      const v3 p = pose_apply(place, corner(&local, i));
      *sum = aabb_union(*sum, (aabb){p, p});
    }
    return true;
  }
  if (!isfinite(s->size)) return false;
  *sum = aabb_union(*sum, shape_bounds(s, place));
  return true;
}

bool scree_render_wall_box(const scree_render_item *item, const scree_box *focus, scree_box *box) {
  if (!item) return false;
  const bool endless = item->shape && !isfinite(item->shape->size);
  if (!item->shape || (item->appearance != SCREE_APPEARANCE_WALL && !endless)) return false;
  aabb sum = aabb_empty();
  if (!wall_box(item->shape, item_place(item), focus, &sum)) return false;
  v3_store(box->lower, sum.lo);
  v3_store(box->upper, sum.hi);
  /* A wall much larger than what it holds is no part of the picture. */
  const double size = v3_norm(v3_sub(v3_load(focus->upper), v3_load(focus->lower)));
  return v3_norm(v3_sub(sum.hi, sum.lo)) < 4.0 * size;
}

/* What a cut by one plane leaves of a box; one by more planes takes away what lies within it
 * wholly, and the rest is seen from here to there as before. False: nothing is left. Planes across
 * two axes are left alone. */
static bool clip(const scree_render_cut *cut, scree_box *box) {
  size_t inside = 0;
  for (size_t k = 0; k < cut->count; k++) {
    double least = 0.0;
    for (int m = 0; m < 3; m++)
      least += cut->normal[k][m] * (cut->normal[k][m] > 0.0 ? box->lower[m] : box->upper[m]);
    inside += least >= cut->offset[k];
  }
  if (inside == cut->count) return false;
  for (int m = 0; m < 3 && cut->count == 1; m++) {
    const double n = cut->normal[0][m], at = cut->offset[0] / n;
    if (cut->normal[0][(m + 1) % 3] != 0.0 || cut->normal[0][(m + 2) % 3] != 0.0) continue;
    if (n > 0.0) box->upper[m] = fmin(box->upper[m], at);
    if (n < 0.0) box->lower[m] = fmax(box->lower[m], at);
  }
  return true;
}

static void add_clipped(scree_framing *framing, const scree_render_scene *scene, scree_box box) {
  for (size_t k = 0; k < scene->cut_count; k++)
    if (!clip(&scene->cuts[k], &box)) return;
  scree_framing_add_box(framing, &box);
}

void scree_framing_add_scene(scree_framing *framing, const scree_render_scene *scene) {
  if (!scene) return;
  const scree_box *focus = &scene->focus;
  const aabb range = {v3_load(focus->lower), v3_load(focus->upper)};
  for (size_t i = 0; i < scene->item_count; i++) {
    const scree_render_item *item = &scene->items[i];
    scree_box box;
    if (scree_render_wall_box(item, focus, &box)) add_clipped(framing, scene, box);
    if (!item->shape || item->appearance == SCREE_APPEARANCE_WALL || !isfinite(item->shape->size))
      continue;
    if (!is_in(range, item->position)) continue;
    if (item->shape->kind == SCREE_SHAPE_SPHERE && !scene->cut_count) {
      scree_framing_add_ball(framing, item->position, item->shape->sphere.radius);
    } else {
      const aabb b = shape_bounds(item->shape, item_place(item));
      v3_store(box.lower, b.lo);
      v3_store(box.upper, b.hi);
      add_clipped(framing, scene, box);
    }
  }
}

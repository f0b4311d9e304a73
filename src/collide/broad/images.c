/* See images.h. */
#include "collide/broad/images.h"

#include "base/context.h"
#include "collide/broad/grid.h"

double images_reach(const collide_view *view, size_t i) {
  if (!images_part(view) || !isfinite(view->radius[i])) return 0.0;
  double most = fabs(view->box->rate);
  for (int k = 0; k < 3; k++) most = fmax(most, fabs(view->box->stretch[k]));
  return 4.0 * view->h * most * view->radius[i];
}

static aabb moved(aabb box, v3 by) {
  return (aabb){v3_add(box.lo, by), v3_add(box.hi, by)};
}

static bool has_end(aabb box) {
  return isfinite(v3_norm2(box.lo)) && isfinite(v3_norm2(box.hi));
}

scree_status images_show(scree_context *context, const collide_view *view, const aabb *box,
                         aabb *shown, aabb *all) {
  const periodic *p = view->box;
  double first[3] = {0, 0, 0}, second[3] = {0, 0, 0};
  *all = (aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (size_t i = 0; i < view->count; i++) {
    if (!view->shape[i]) continue;
    shown[i] = box[i];
    if (!has_end(box[i])) continue;
    const v3 centre = v3_scale(0.5, v3_add(box[i].lo, box[i].hi));
    shown[i] = moved(box[i], periodic_nearest(p, v3_load(p->center), centre).shift);
    *all = (aabb){v3_min(all->lo, shown[i].lo), v3_max(all->hi, shown[i].hi)};
    const v3 side = v3_sub(box[i].hi, box[i].lo);
    const double e[3] = {side.x, side.y, side.z};
    for (int k = 0; k < 3; k++) {
      if (!(p->size[k] > 0.0) || (view->kind[i] != 0 && e[k] > p->size[k])) continue;
      const double slack = broad_slack(view, i), extent = e[k] + (isfinite(slack) ? slack : 0.0);
      second[k] = fmax(second[k], fmin(first[k], extent));
      first[k] = fmax(first[k], extent);
    }
  }
  for (int k = 0; k < 3; k++)
    if (p->size[k] > 0.0 && !(first[k] + second[k] < p->size[k]))
      return context_fail(context, SCREE_ERROR_INPUT,
                          "the periodic box has %g m along %c: bodies are too large for it, or too "
                          "fast for the step: two of them, with what they cover in a step, have %g "
                          "m there; take a larger box or a shorter step",
                          p->size[k], "xyz"[k], first[k] + second[k]);
  return SCREE_OK;
}

int images_list(const periodic *p, v3 shift[IMAGES]) {
  const int flow = p->flow >= 0 ? p->flow : 0;
  const int other[2] = {(flow + 1) % 3, (flow + 2) % 3};
  int count = 0;
  for (int k = 0; k < IMAGES; k++) {
    int n[3];
    n[flow] = k % 5 - 2;
    n[other[0]] = k / 5 % 3 - 1;
    n[other[1]] = k / 15 - 1;
    if (p->flow < 0 && (n[flow] < -1 || n[flow] > 1)) continue;
    double s[3];
    bool real = true;
    for (int m = 0; m < 3; m++) {
      real = real && (n[m] == 0 || p->size[m] > 0.0);
      s[m] = n[m] * p->size[m];
    }
    if (p->flow >= 0) s[p->flow] += n[p->gradient] * p->offset;
    if (real) shift[count++] = v3_load(s);
  }
  return count;
}

bool images_meet(aabb own, v3 shift, aabb all) {
  return aabb_overlap(moved(own, shift), all);
}

bool images_near(const collide_view *view, const aabb *box, uint32_t l, uint32_t i) {
  const v3 shift = periodic_nearest(view->box, view->position[l], view->position[i]).shift;
  const double between = view_less(broad_slack(view, l), broad_slack(view, i));
  return aabb_overlap(aabb_grow(moved(box[i], shift), between), box[l]);
}

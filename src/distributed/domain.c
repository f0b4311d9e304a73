/* Whose bodies are whose: recursive coordinate bisection. The bodies are cut in two across the axis
 * along which they reach farthest, in the ratio of the ranks on both sides, and so on until each
 * part has one rank. All ranks know all places, so each computes all cuts, with the same bits; no
 * partitioner of a library and no message is needed. Bodies with equal coordinates go by their
 * numbers. Weight goes down through a bed, and a cut across its way may cost sweeps (not shown
 * yet): lengths along gravity count less. What joints tie together (units.c) is cut as one body of
 * the weight of all. */
#include <math.h>

#include "distributed/distributed.h"

static double coordinate(v3 p, int axis) {
  return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static int widest(const domains *d, const uint32_t *list, size_t count, const v3 *position) {
  v3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t k = 0; k < count; k++) {
    low = v3_min(low, position[list[k]]);
    high = v3_max(high, position[list[k]]);
  }
  v3 side = v3_sub(high, low);
  side = v3_make(side.x * d->weight.x, side.y * d->weight.y, side.z * d->weight.z);
  if (side.x >= side.y && side.x >= side.z) return 0;
  return side.y >= side.z ? 1 : 2;
}

typedef struct selection {
  uint32_t *list;
  const v3 *position;
  const uint32_t *weight; /* of bodies; null: 1 */
  int axis;
} selection;

static size_t weight_of(const uint32_t *weight, const uint32_t *list, size_t low, size_t high) {
  size_t sum = weight ? 0 : high - low;
  for (size_t k = low; weight && k < high; k++) sum += weight[list[k]];
  return sum;
}

static bool is_less(const selection *s, uint32_t i, uint32_t k) {
  const double x = coordinate(s->position[i], s->axis), y = coordinate(s->position[k], s->axis);
  return x != y ? x < y : i < k;
}

static void swap(uint32_t *x, uint32_t *y) {
  const uint32_t kept = *x;
  *x = *y;
  *y = kept;
}

/* The smallest of the list come first, as many as weigh `target`, or as nearly as one of them
 * allows; returns how many. No two are equal, as numbers differ: the pivot finds its place, and
 * what it parts is ordered against it. */
static size_t select_smallest(const selection *s, size_t high, size_t target) {
  uint32_t *l = s->list;
  size_t low = 0, before = 0; /* what the first `low` weigh */
  while (high > low) {
    const size_t half = low + (high - low) / 2, last = high - 1;
    if (is_less(s, l[half], l[low])) swap(&l[half], &l[low]);
    if (is_less(s, l[last], l[low])) swap(&l[last], &l[low]);
    if (is_less(s, l[half], l[last])) swap(&l[half], &l[last]);
    /* The median of three is last. */
    size_t place = low;
    for (size_t k = low; k < last; k++)
      if (is_less(s, l[k], l[last])) swap(&l[k], &l[place++]);
    swap(&l[place], &l[last]);
    const size_t below = before + weight_of(s->weight, l, low, place);
    const size_t with = below + weight_of(s->weight, l, place, place + 1);
    if (target == below) return place;
    if (below < target && target < with)
      return 2 * (target - below) > with - below ? place + 1 : place;
    if (target < below) {
      high = place;
    } else {
      low = place + 1;
      before = with;
    }
  }
  return low;
}

static void bisect(domains *d, uint32_t *list, size_t count, const uint32_t *weight,
                   const v3 *position, int low, int high, uint16_t *owner) {
  if (high - low == 1) {
    for (size_t k = 0; k < count; k++) owner[list[k]] = (uint16_t)low;
    return;
  }
  const int middle = low + (high - low) / 2;
  const size_t target =
      weight_of(weight, list, 0, count) * (size_t)(middle - low) / (size_t)(high - low);
  const selection s = {list, position, weight, count ? widest(d, list, count, position) : 0};
  domain_cut *cut = &d->cut[middle - 1];
  *cut = (domain_cut){s.axis, 0.0};
  const size_t left = select_smallest(&s, count, target);
  if (left < count) {
    double at = INFINITY;
    for (size_t k = left; k < count; k++) at = fmin(at, coordinate(position[list[k]], s.axis));
    cut->at = at;
  }
  bisect(d, list, left, weight, position, low, middle, owner);
  bisect(d, list + left, count - left, weight, position, middle, high, owner);
}

scree_status domains_bisect(scree_context *context, domains *d, int parts, size_t count,
                            const uint32_t *body, const uint32_t *weight, const v3 *position,
                            uint16_t *owner) {
  if (memory_grow(context, &d->cut, (size_t)parts, sizeof *d->cut) ||
      memory_grow(context, &d->list, count, sizeof *d->list))
    return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < count; k++) d->list[k] = body[k];
  bisect(d, d->list, count, weight, position, 0, parts, owner);
  return SCREE_OK;
}

int domains_find(const domains *d, int parts, v3 position) {
  int low = 0, high = parts;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    const domain_cut *cut = &d->cut[middle - 1];
    if (coordinate(position, cut->axis) < cut->at)
      high = middle;
    else
      low = middle;
  }
  return low;
}

void domains_free(scree_context *context, domains *d) {
  memory_free(context, d->cut);
  memory_free(context, d->list);
}

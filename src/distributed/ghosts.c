/* Which bodies of other ranks come near mine. A pair has contacts when it is nearer than its
 * margin, what the two move in the step, and what looks have added; so each body reaches
 *
 *   r + margin + h (|v| + r |w|) + extra        about its centre
 *
 * and two bodies meet only where their balls do. All that a rank owns lies in a box, large bodies
 * left out; a ball of another rank's body that meets the box may meet something in it. The list
 * holds until a body has moved out of what it reached then and the slack around it. */
#include <math.h>

#include "distributed/distributed.h"

static bool is_mine(const distributed *d, size_t i) {
  return d->owner[i] == d->ranks->me;
}

/* About its centre. `solved`: with the twists of the last solve too. */
static double reach_of(const distributed *d, const assembler *a, const assembler_params *params,
                       size_t i, bool solved) {
  const world_bodies *b = &a->world->bodies;
  const double radius = b->radius[i], diameter = b->diameter[i];
  const v3 linear = solved ? d->free_linear[i] : a->linear[i];
  const v3 angular = solved ? d->free_angular[i] : a->angular[i];
  double speed = v3_norm(linear) + radius * v3_norm(angular);
  if (solved) speed = fmax(speed, v3_norm(a->linear[i]) + radius * v3_norm(a->angular[i]));
  const double margin =
      fmax(params->margin * diameter, a->laws.held + a->laws.held_part * diameter);
  return radius + margin + params->h * speed + d->more[i];
}

static bool is_alive(const assembler *a, size_t i) {
  return a->world->bodies.alive[i] && a->world->bodies.shape[i] && world_is_dynamic(a->world, i);
}

bool ghosts_are_stale(const distributed *d, const assembler *a, const assembler_params *params,
                      bool solved) {
  const world_bodies *b = &a->world->bodies;
  for (size_t i = 0; i < b->limit; i++) {
    if (!is_alive(a, i) || d->large[i]) continue;
    const double way = v3_norm(v3_sub(b->position[i], d->home[i]));
    if (way + reach_of(d, a, params, i, solved) > d->reach[i] + d->slack) return true;
  }
  return false;
}

static void find_box(const distributed *d, const assembler *a, v3 *low, v3 *high) {
  const world_bodies *b = &a->world->bodies;
  *low = v3_make(INFINITY, INFINITY, INFINITY);
  *high = v3_make(-INFINITY, -INFINITY, -INFINITY);
  for (size_t i = 0; i < b->limit; i++) {
    if (!is_alive(a, i) || d->large[i] || !is_mine(d, i)) continue;
    const double r = d->reach[i] + d->slack;
    const v3 p = b->position[i];
    *low = v3_min(*low, v3_make(p.x - r, p.y - r, p.z - r));
    *high = v3_max(*high, v3_make(p.x + r, p.y + r, p.z + r));
  }
}

static double outside(double x, double low, double high) {
  return x < low ? low - x : x > high ? x - high : 0.0;
}

static bool comes_near(const distributed *d, v3 p, size_t i, v3 low, v3 high) {
  const double x = outside(p.x, low.x, high.x), y = outside(p.y, low.y, high.y),
               z = outside(p.z, low.z, high.z), r = d->reach[i] + d->slack;
  return x * x + y * y + z * z <= r * r;
}

void ghosts_find(distributed *d, const assembler *a, const assembler_params *params, bool solved,
                 bool add) {
  const world_bodies *b = &a->world->bodies;
  v3 low, high;
  for (size_t i = 0; i < b->limit; i++) {
    if (!is_alive(a, i)) continue;
    d->reach[i] = reach_of(d, a, params, i, solved);
    d->home[i] = b->position[i];
  }
  find_box(d, a, &low, &high);
  for (size_t i = 0; i < b->limit; i++) {
    const bool dynamic = b->alive[i] && world_is_dynamic(a->world, i);
    bool near = b->alive[i];
    if (dynamic)
      near = is_mine(d, i) ||
             (b->shape[i] && (d->large[i] || comes_near(d, b->position[i], i, low, high)));
    if (!add) d->near[i] = near;
    d->seen[i] = near || (add && d->near[i]) ? b->shape[i] : NULL;
  }
  d->found++;
}

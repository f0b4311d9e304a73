/* The second look (see collide/look.h): which bodies the solve has given a velocity that leads them
 * farther from the expected one than half of the margin. The two bodies of a pair without a contact
 * are farther apart than their margin and what they were expected to approach; when neither is such
 * a body, they cannot meet. In beds at rest or in slow flow there are none, and the look is a pass
 * over the bodies. */
#include "collide/look.h"

#include <string.h>

#include "assemble/assembler.h"
#include "base/pieces.h"
#include "ccp/problem.h"

/* Overlap that is put up with, as a fraction of the smaller diameter. */
static const double tolerance = 0.005;

/* What all searches for contacts see of the world. */
collide_view assembler_view(const assembler *a, const assembler_params *params) {
  const scree_world *w = a->world;
  const world_bodies *b = &w->bodies;
  return (collide_view){
      .count = b->limit,
      .shape = a->ranks ? a->ranks->seen : b->shape,
      .position = b->position,
      .rotation = b->rotation,
      .place = b->place,
      .linear = a->linear,
      .angular = a->angular,
      .radius = b->radius,
      .diameter = b->diameter,
      .category = b->category,
      .collides_with = b->collides_with,
      .kind = b->kind,
      .asleep = w->asleep_count ? b->asleep : NULL,
      .sleep_revision = w->sleep_revision,
      .box = world_is_periodic(w) ? &w->box : NULL,
      .generation = b->generation,
      .excluded = w->excluded,
      .excluded_count = w->excluded_count,
      .h = params->h,
      .margin = params->margin,
      .most = a->look.farthest,
      .held = a->laws.held,
      .held_part = a->laws.held_part,
      .whole = a->laws.whole,
      .extra = params->again ? a->look.extra_used : NULL,
      .given = a->late.contact,
      .given_count = params->again ? a->late.count : 0,
      .part = a->ranks ? &a->ranks->part : NULL,
  };
}

/* What the contacts were searched with: before impacts. */
static void expect(const assembler *a, size_t rank, v3 *linear, v3 *angular) {
  const double *v = a->problem->bodies.body[rank].v_free;
  const bool hit = a->impacts.count && a->impacts.body[rank].hit;
  *linear = hit ? a->impacts.body[rank].free_linear : v3_load(v);
  *angular = hit ? a->impacts.body[rank].free_angular : v3_load(v + 3);
}

static double led_away(const assembler *a, size_t rank, double h) {
  const uint32_t i = a->order.body[rank];
  v3 linear, angular;
  expect(a, rank, &linear, &angular);
  const world_bodies *b = &a->world->bodies;
  double speed = v3_norm(v3_sub(a->linear[i], linear));
  if (b->shape[i]->kind != SCREE_SHAPE_SPHERE && isfinite(b->radius[i]))
    speed += b->radius[i] * v3_norm(v3_sub(a->angular[i], angular));
  return h * speed;
}

static scree_status reserve(assembler *a) {
  const size_t n = a->world->bodies.limit;
  if (memory_grow(a->context, &a->look.free_linear, n, sizeof *a->look.free_linear) ||
      memory_grow(a->context, &a->look.free_angular, n, sizeof *a->look.free_angular) ||
      memory_grow(a->context, &a->look.extra, n, sizeof *a->look.extra) ||
      memory_grow(a->context, &a->look.extra_used, n, sizeof *a->look.extra_used))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

scree_status assembler_see_no_farther(assembler *a) {
  if (reserve(a)) return SCREE_ERROR_MEMORY;
  memset(a->look.extra_used, 0, a->world->bodies.limit * sizeof *a->look.extra_used);
  return SCREE_OK;
}

static void note_expected(assembler *a) {
  const size_t n = a->world->bodies.limit;
  memcpy(a->look.free_linear, a->linear, n * sizeof *a->linear);
  memcpy(a->look.free_angular, a->angular, n * sizeof *a->angular);
  for (size_t k = 0; k < a->order.moving; k++) {
    const uint32_t i = a->order.body[k];
    expect(a, k, &a->look.free_linear[i], &a->look.free_angular[i]);
  }
}

static scree_status look_at(assembler *a, const assembler_params *params, bool *again) {
  if (params->again)
    for (size_t i = 0; i < a->world->bodies.limit; i++)
      a->look.extra[i] = fmax(a->look.extra[i], a->look.extra_used[i]);
  collide_view view = assembler_view(a, params);
  view.linear = a->look.free_linear;
  view.angular = a->look.free_angular;
  const look_def look = {.context = a->context,
                         .view = &view,
                         .linear = a->linear,
                         .angular = a->angular,
                         .extra = a->look.extra,
                         .tolerance = tolerance};
  const scree_status status = look_for_missed(collide_broad(a->collide), &look, again);
  double *used = a->look.extra;
  a->look.extra = a->look.extra_used;
  a->look.extra_used = used;
  return status;
}

/* The velocities of all bodies are known, and how far they lead from what was expected. All ranks
 * look, or none: what one of them misses all build again. */
static scree_status look_on_ranks(assembler *a, const assembler_params *params, double half,
                                  bool *again) {
  const world_bodies *b = &a->world->bodies;
  bool any = false;
  if (reserve(a)) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < b->limit; i++) {
    const bool away = b->alive[i] && b->shape[i] && a->ranks->way[i] > half;
    a->look.extra[i] = away ? a->ranks->way[i] : 0.0;
    any = any || away;
  }
  if (!any) return params->again ? SCREE_OK : assembler_see_no_farther(a);
  memcpy(a->look.free_linear, a->ranks->free_linear, b->limit * sizeof *a->look.free_linear);
  memcpy(a->look.free_angular, a->ranks->free_angular, b->limit * sizeof *a->look.free_angular);
  scree_status status = a->ranks->widen(a->ranks, a, params);
  if (!status) status = look_at(a, params, again);
  *again = ranks_any(a->context->ranks, *again);
  return status;
}

static size_t first_of(const assembler *a, double h, double half, size_t begin, size_t end) {
  for (size_t k = begin; k < end; k++)
    if (a->world->bodies.shape[a->order.body[k]] && led_away(a, k, h) > half) return k;
  return a->order.moving;
}

/* The first body that was led farther than half; none: `moving`. */
static size_t first_led(const assembler *a, double h, double half) {
  const size_t n = a->order.moving, pieces = pieces_of(n);
  size_t first = n;
  if (pieces == 1) return first_of(a, h, half, 0, n);
#pragma omp parallel for schedule(static) reduction(min                                            \
                                                    : first)                                       \
    num_threads(context_team(a->context, true))
  for (size_t k = 0; k < pieces; k++) {
    const size_t one = first_of(a, h, half, pieces_begin(n, k), pieces_begin(n, k + 1));
    if (one < first) first = one;
  }
  return first;
}

scree_status assembler_look(assembler *a, const assembler_params *params, bool *again) {
  const double margin = view_less(params->margin * a->look.least_diameter, a->look.farthest);
  const double half = 0.5 * (margin + tolerance * a->look.least_diameter);
  *again = false;
  if (a->ranks) return look_on_ranks(a, params, half, again);
  const size_t first = first_led(a, params->h, half);
  if (first == a->order.moving) return SCREE_OK;
  if (reserve(a)) return SCREE_ERROR_MEMORY;
  note_expected(a);
  memset(a->look.extra, 0, a->world->bodies.limit * sizeof *a->look.extra);
  for (size_t k = first; k < a->order.moving; k++) {
    if (!a->world->bodies.shape[a->order.body[k]]) continue;
    const double way = led_away(a, k, params->h);
    if (way > half) a->look.extra[a->order.body[k]] = way;
  }
  return look_at(a, params, again);
}

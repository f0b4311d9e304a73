/* See assembler.h. */
#include "assemble/assembler.h"

#include <math.h>
#include <string.h>

#include "base/pieces.h"
#include "ccp/problem.h"

scree_status assembler_create(scree_world *world, assembler **out) {
  scree_context *context = world->context;
  assembler *a = memory_new(context, 1, sizeof *a);
  *out = NULL;
  if (!a) return SCREE_ERROR_MEMORY;
  a->context = context;
  a->world = world;
  a->revision = world->revision - 1;
  if (scree_ccp_create_bodies(context, &a->problem) || collide_create(context, &a->collide)) {
    assembler_destroy(a);
    return SCREE_ERROR_MEMORY;
  }
  *out = a;
  return SCREE_OK;
}

void assembler_destroy(assembler *a) {
  if (!a) return;
  scree_context *context = a->context;
  collide_destroy(a->collide);
  scree_ccp_destroy(a->problem);
  memory_free(context, a->order.body);
  memory_free(context, a->order.old_body);
  memory_free(context, a->order.rank);
  memory_free(context, a->linear);
  memory_free(context, a->angular);
  memory_free(context, a->memory.gap);
  memory_free(context, a->look.free_linear);
  memory_free(context, a->look.free_angular);
  memory_free(context, a->look.extra);
  memory_free(context, a->look.extra_used);
  memory_free(context, a->late.contact);
  memory_free(context, a->late.suspect);
  memory_free(context, a->impacts.joined);
  memory_free(context, a->impacts.given);
  memory_free(context, a->impacts.body);
  memory_free(context, a->impacts.impulse);
  memory_free(context, a->impacts.pair);
  memory_free(context, a->impacts.row);
  memory_free(context, a->impacts.list);
  memory_free(context, a->impacts.live);
  memory_free(context, a->impacts.apart);
  memory_free(context, a->sweep.width);
  memory_free(context, a->sweep.turn);
  memory_free(context, a->sweep.generation);
  memory_free(context, a->sweep.pair);
  memory_free(context, a->memory.before);
  memory_free(context, a->memory.kept);
  memory_free(context, a->memory.place);
  memory_free(context, a->memory.moment_now);
  memory_free(context, a->memory.moment_before);
  memory_free(context, a->memory.state_now);
  memory_free(context, a->memory.state_before);
  memory_free(context, a->memory.taken);
  memory_free(context, a->user.contact);
  memory_free(context, a->user.place);
  memory_free(context, a->g);
  memory_free(context, a->joints.end);
  memory_free(context, a->joints.end_twist);
  memory_free(context, a->joints.part);
  memory_free(context, a->joints.first);
  memory_free(context, a->joints.next);
  memory_free(context, a->joints.link_block);
  memory_free(context, a->joints.link_inertia);
  memory_free(context, a->joints.link_damping);
  memory_free(context, a->joints.stiffness);
  memory_free(context, a->joints.drag);
  memory_free(context, a->joints.first_pull);
  memory_free(context, a->curve.lasting);
  memory_free(context, a->curve.expected);
  memory_free(context, a->shared);
  memory_free(context, a->span);
  memory_free(context, a->sleep.island);
  memory_free(context, a->sleep.contact);
  memory_free(context, a->sleep.change);
  memory_free(context, a->sleep.woken);
  memory_free(context, a->sleep.woken_next);
  memory_free(context, a->sleep.before);
  memory_free(context, a->mean);
  if (a->ranks) a->ranks->destroy(a->ranks);
  memory_free(context, a);
}

scree_status assembler_reserve_g(assembler *a, size_t rows) {
  return memory_grow(a->context, &a->g, rows, sizeof *a->g);
}

static scree_status reserve_bodies(assembler *a) {
  const size_t n = a->world->bodies.limit;
  if (memory_grow(a->context, &a->linear, n, sizeof *a->linear) ||
      memory_grow(a->context, &a->angular, n, sizeof *a->angular) ||
      memory_grow(a->context, &a->order.rank, n, sizeof *a->order.rank) ||
      memory_grow(a->context, &a->shared, n, sizeof *a->shared) ||
      memory_grow(a->context, &a->mean, n, sizeof *a->mean) ||
      memory_grow(a->context, &a->order.body, n, sizeof *a->order.body) ||
      memory_grow(a->context, &a->order.old_body, n, sizeof *a->order.old_body))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

static void world_inverse_inertia(quat rotation, v3 inertia, double *s) {
  const v3 inverse = {1.0 / inertia.x, 1.0 / inertia.y, 1.0 / inertia.z};
  memset(s, 0, 6 * sizeof *s);
  s[0] = s[3] = s[5] = inverse.x;
  if (inertia.x == inertia.y && inertia.y == inertia.z) return;
  const m33 r = quat_to_m33(rotation);
  m33_rotate_diagonal(&r, inverse, s);
}

void assembler_fill_body(const assembler *a, uint32_t i, scree_ccp_body_def *def) {
  const world_bodies *b = &a->world->bodies;
  *def = (scree_ccp_body_def){.inverse_mass = 0.0};
  if (!world_is_dynamic(a->world, i)) return;
  def->inverse_mass = 1.0 / b->mass[i];
  world_inverse_inertia(b->rotation[i], b->inertia[i], def->inverse_inertia);
}

/* Prefetches body k of the problem: their order is not that of the world's arrays. */
static void ask_for_body(const assembler *a, size_t k) {
  const world_bodies *b = &a->world->bodies;
  if (k >= a->order.moving) return;
  const uint32_t i = a->order.body[k];
  __builtin_prefetch(&a->linear[i]);
  __builtin_prefetch(&a->angular[i]);
  __builtin_prefetch(&b->mass[i]);
  __builtin_prefetch(&b->inertia[i]);
}

/* Adds bodies begin … end - 1 to the problem. Returns the first one that is not finite, SIZE_MAX:
 * none. */
static size_t add_some(assembler *a, double h, size_t begin, size_t end, size_t *stiff) {
  enum { AHEAD = 8 };
  const world_bodies *b = &a->world->bodies;
  size_t broken = SIZE_MAX;
  for (size_t k = begin; k < end; k++) {
    const uint32_t i = a->order.body[k];
    ask_for_body(a, k + AHEAD);
    scree_ccp_body_def def;
    assembler_fill_body(a, i, &def);
    if (world_is_dynamic(a->world, i)) *stiff += assembler_stiffen(a, i, h, &def);
    if (b->point && b->point[i]) memset(def.inverse_inertia, 0, sizeof def.inverse_inertia);
    v3_store(def.v_free, a->linear[i]);
    v3_store(def.v_free + 3, a->angular[i]);
    if (!ccp_set_body(a->problem, k, &def) && k < broken) broken = k;
  }
  return broken;
}

/* On several ranks all know the free velocities of all bodies, also of those that are not in the
 * problem; and all say how many are stiff, as each has others. */
static size_t stiffen_far(assembler *a, double h) {
  size_t far = 0;
  for (uint32_t i = 0; a->joints.stiff && i < a->world->bodies.limit; i++) {
    scree_ccp_body_def def;
    if (!a->world->bodies.alive[i] || !world_is_dynamic(a->world, i) || a->ranks->near[i]) continue;
    assembler_fill_body(a, i, &def);
    far += assembler_stiffen(a, i, h, &def);
  }
  return far;
}

static scree_status add_bodies(assembler *a, double h, assembler_report *report) {
  const size_t n = a->order.moving, pieces = pieces_of(n);
  size_t stiff = 0, broken = SIZE_MAX;
  if (ccp_extend_bodies(a->problem, n)) return SCREE_ERROR_MEMORY;
  if (pieces == 1) {
    broken = add_some(a, h, 0, n, &stiff);
  } else {
#pragma omp parallel for schedule(static) reduction(+ : stiff) reduction(min : broken)             \
    num_threads(context_team(a->context, true))
    for (size_t k = 0; k < pieces; k++) {
      const size_t first = add_some(a, h, pieces_begin(n, k), pieces_begin(n, k + 1), &stiff);
      if (first < broken) broken = first;
    }
  }
  if (a->ranks) stiff += stiffen_far(a, h);
  report->stiff_bodies += stiff;
  return broken == SIZE_MAX ? SCREE_OK : ccp_refuse_body(a->problem, broken);
}

/* Offsets are differences of positions over h. Where neither gravity nor motion gives R a scale it
 * is a billionth of the scene's size a step, far above the rounding of positions. */
static double least_speed(const scree_world *w, double h) {
  double size = 0.0;
  for (size_t i = 0; i < w->bodies.limit; i++)
    if (world_is_dynamic(w, (uint32_t)i)) {
      const v3 p = w->bodies.position[i];
      size = fmax(size, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
      if (isfinite(w->bodies.diameter[i])) size = fmax(size, w->bodies.diameter[i]);
    }
  return 1e-9 * size / h;
}

/* Several ranks: bodies that more than one of them pushes get copies; counts are summed over all.
 */
static scree_status share(assembler *a, assembler_report *report) {
  scree_status status = a->ranks->share(a->ranks, a);
  /* A rank without contacts takes part in the solve all the same. */
  if (!status) status = assembler_reserve_g(a, scree_ccp_row_count(a->problem) + 1);
  if (status) return status;
  double sums[3] = {(double)report->contacts, (double)scree_ccp_row_count(a->problem),
                    (double)a->joints.count};
  double most[4] = {report->penetration, report->penetration_percent, report->joint_error,
                    report->joint_error_percent};
  ranks_reduce(a->context->ranks, sums, 3, most, 4);
  report->contacts = (size_t)sums[0];
  report->rows = (size_t)sums[1];
  a->joints.all = (size_t)sums[2];
  report->penetration = most[0];
  report->penetration_percent = most[1];
  report->joint_error = most[2];
  report->joint_error_percent = most[3];
  return SCREE_OK;
}

scree_status assembler_build(assembler *a, const assembler_params *params,
                             assembler_report *report) {
  scree_world *w = a->world;
  *report = (assembler_report){.contacts = 0};
  if (reserve_bodies(a)) return SCREE_ERROR_MEMORY;
  scree_status status = assembler_wake_driven(a, params);
  if (!status) status = assembler_note_woken(a);
  if (status) return status;
  if (a->revision != w->revision) {
    const bool excluded = a->has_excluded;
    if (assembler_check_holes(w) || scree_world_check_periodic(w)) return SCREE_ERROR_INPUT;
    a->has_excluded = w->joint_limit || w->excluded_count;
    (excluded || a->has_excluded ? collide_invalidate : collide_note_change)(a->collide);
  }
  if (a->ranks) {
    /* Ranks are divided by where bodies will be. Sorting uses the arrays of velocities as room, so
     * these are computed again later. */
    status = world_free_velocities(w, params->h, a->linear, a->angular);
    if (!status) {
      assembler_note_extremes(a, params->h);
      assembler_note_laws(a); /* from how far laws hold: ghosts */
    }
    if (!status) status = a->ranks->divide(a->ranks, a, params);
    if (status) return status;
  }
  if (assembler_order_bodies(a) || !a->ranks)
    status = world_free_velocities(w, params->h, a->linear, a->angular);
  if (status) return status;
  status = assembler_remember(a);
  if (status) return status;
  a->revision = w->revision;
  a->memory.begun = false;
  a->h = params->h;
  scree_ccp_clear(a->problem);
  /* R is measured in the speed that gravity gives in a step; without gravity the problem's own. */
  a->gravity = v3_norm(v3_load(w->def.gravity));
  scree_ccp_set_reference_speed(a->problem, assembler_whole(params) * a->gravity);
  ccp_set_least_speed(a->problem, a->gravity > 0.0 ? 0.0 : least_speed(w, assembler_whole(params)));
  status = assembler_find_stiffness(a, params);
  if (!status) status = add_bodies(a, params->h, report);
  if (status) return status;
  status = assembler_find_bounces(a, params->again);
  if (!status) status = assembler_add_contacts(a, params, report);
  if (report->swarm) {
    assembler_undo(a);
    return SCREE_OK;
  }
  if (!status) assembler_find_jolt(a);
  if (!status) status = assembler_find_impacts(a, params);
  if (!status) status = assembler_add_joints(a, params, report);
  if (!status) status = assembler_add_links(a, params);
  report->rows = scree_ccp_row_count(a->problem);
  if (!status && a->ranks) status = share(a, report);
  if (status) assembler_undo(a);
  return status;
}

scree_status assembler_finish(assembler *a, assembler_report *report) {
  const scree_status status = assembler_keep_contacts(a, report);
  if (status) return status;
  assembler_push_joints(a);
  assembler_push_links(a);
  if (a->ranks) {
    const scree_status gathered = a->ranks->gather(a->ranks, a);
    if (gathered) return gathered;
    report->touching = (size_t)ranks_sum(a->context->ranks, (double)report->touching);
  }
  if (a->memory.has_state_now) assembler_update_states(a);
  const scree_status told = assembler_tell_user(a);
  if (told) {
    assembler_undo(a);
    return told;
  }
  assembler_add_shifts(a);
  const size_t broken = world_first_broken(a->world, a->linear, a->angular);
  if (broken == SIZE_MAX) return SCREE_OK;
  assembler_undo(a);
  return context_fail(a->context, SCREE_ERROR_NUMERIC,
                      "body %zu: its velocity is not finite after the solve at t = %g s", broken,
                      a->world->time);
}

scree_status assembler_accept(assembler *a) {
  const scree_status status = assembler_keep_joints(a);
  a->memory.solved = true;
  a->memory.begun = false;
  return status;
}

void assembler_swap_memory(assembler *a) {
  contact_moment *moment = a->memory.moment_now;
  a->memory.moment_now = a->memory.moment_before;
  a->memory.moment_before = moment;
  const bool used = a->memory.has_moment_now;
  a->memory.has_moment_now = a->memory.has_moment_before;
  a->memory.has_moment_before = used;
  contact_state *state = a->memory.state_now;
  a->memory.state_now = a->memory.state_before;
  a->memory.state_before = state;
  const bool remembered = a->memory.has_state_now;
  a->memory.has_state_now = a->memory.has_state_before;
  a->memory.has_state_before = remembered;
}

void assembler_undo(assembler *a) {
  if (!a->memory.begun) return;
  a->memory.begun = a->memory.solved = a->memory.has_kept = false;
  assembler_swap_memory(a);
  cache_undo(collide_cache(a->collide));
  a->memory.contact_count = collide_cache(a->collide)->now.count;
  a->kick = a->memory.kick_before;
}

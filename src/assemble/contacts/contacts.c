/* Contacts into the problem, with what they remember, and out of it again. */
#include "assemble/contacts/impulse.h"
#include "assemble/contacts/part.h"

#include <string.h>

#include "base/pieces.h"
#include "base/timer.h"
#include "ccp/problem.h"

/* How far a contact may have moved and still be found by its place, in diameters. */
static const double match_range = 0.1;
enum { PARALLEL_PARTS = 4 };

static bool needs_extra(const scree_world *w) {
  for (size_t k = 0; k < w->material_count * w->material_count; k++) {
    const scree_material_def *m = &w->pair[k];
    if (m->rolling > 0.0 || m->spinning > 0.0 || m->bond_bending > 0.0 || m->bond_twisting > 0.0)
      return true;
  }
  return false;
}

static bool needs_state(const scree_world *w) {
  for (size_t k = 0; k < w->material_count * w->material_count; k++)
    if (law_remembers(&w->pair[k])) return true;
  return false;
}

static bool any_cohesion(const scree_world *w) {
  for (size_t k = 0; k < w->material_count * w->material_count; k++)
    if (law_pulls(&w->pair[k])) return true;
  return false;
}

/* ---- in ------------------------------------------------------------------------------------- */

/* Twists at the start of the step; of driven bodies during the step. They lie where the ledger puts
 * its means later. */
static void find_some_starts(assembler *a, size_t begin, size_t end) {
  const scree_world *w = a->world;
  for (size_t i = begin; i < end; i++)
    a->mean[i] = world_is_dynamic(w, i) ? (mean_twist){world_linear(w, i), world_angular(w, i)}
                                        : (mean_twist){a->linear[i], a->angular[i]};
}

static void find_starts(assembler *a) {
  const size_t n = a->world->bodies.limit, pieces = pieces_of(n);
  if (pieces == 1) {
    find_some_starts(a, 0, n);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(context_team(a->context, true))
  for (size_t k = 0; k < pieces; k++)
    find_some_starts(a, pieces_begin(n, k), pieces_begin(n, k + 1));
}

/* How fast two bodies' surfaces move where they touch, whichever way. */
static double surface_speed(const assembler *a, uint32_t i, v3 arm_i, uint32_t j, v3 arm_j) {
  const world_bodies *b = &a->world->bodies;
  const v3 image = world_image(a->world, i, j).velocity;
  return v3_norm(v3_sub(v3_sub(b->linear[i], b->linear[j]), image)) +
         v3_norm(b->angular[i]) * v3_norm(arm_i) + v3_norm(b->angular[j]) * v3_norm(arm_j);
}

void contacts_warm_start(const assembler *a, const assembler_params *params,
                         const collide_contact *c, uint32_t previous, int dim,
                         const contact_frame *frame, double *g) {
  for (int k = 0; k < dim; k++) g[k] = 0.0;
  if (!params->warm_start) return;
  if (previous == CACHE_NONE) { /* of bodies that have woken: the force that they slept with */
    v3 force;
    if (!assembler_recall_woken(a, c, c->point.point_a, &force)) return;
    contact_frame_force_rows(frame, dim, v3_scale(params->warm_start_scale * a->kick, force), g);
    return;
  }
  if (!(a->memory.kick_before > 0.0)) return;
  const double scale = params->warm_start_scale * a->kick / a->memory.kick_before;
  const v3 p = v3_scale(scale, assembler_get_before(a, previous));
  contact_frame_force_rows(frame, dim, p, g);
  if (dim <= 3 || !a->memory.has_moment_before) return;
  const v3 m = v3_scale(scale, a->memory.moment_before[previous].moment);
  contact_frame_moment_rows(frame, dim, m, g);
}

/* A contact's index in the step before. Features of a manifold may change their names while the
 * point stays (two faces that are parallel to rounding take turns as the one that is cut to); then
 * it is the nearest of its pair, within reach, that no other contact has taken. One that pressed is
 * not far from touch now. */
static uint32_t find_previous(assembler *a, const collide_contact *c, v3 arm, double diameter) {
  const cache_match *m = &c->match;
  uint32_t best = m->previous;
  if (!a->memory.has_place) return best;
  if (best == CACHE_NONE) {
    double least = match_range * match_range * diameter * diameter;
    const bool parted = c->point.gap > match_range * match_range * diameter;
    for (uint32_t k = m->pair_first; k < m->pair_first + m->pair_count; k++) {
      const float *p = a->memory.place[k].at;
      const v3 apart = {arm.x - (double)p[0], arm.y - (double)p[1], arm.z - (double)p[2]};
      if (a->memory.taken[k] || !(v3_norm2(apart) < least)) continue;
      if (parted && v3_norm2(impulse_before(a, k)) > 0.0) continue;
      least = v3_norm2(apart);
      best = k;
    }
  }
  if (best != CACHE_NONE) a->memory.taken[best] = 1;
  return best;
}

/* 1/R = 1/r1 + 1/r2: of a sphere its own radius, of others that of the ball of equal volume; what
 * has no end is flat. */
static double touching_radius(const world_bodies *b, uint32_t i, uint32_t k) {
  double curvature = 0.0;
  const uint32_t body[2] = {i, k};
  for (int m = 0; m < 2; m++)
    if (isfinite(b->diameter[body[m]]))
      curvature +=
          contacts_is_sphere(b, body[m]) ? 1.0 / b->radius[body[m]] : 2.0 / b->diameter[body[m]];
  return curvature > 0.0 ? 1.0 / curvature : 0.0;
}

static double inverse_mass(const world_bodies *b, uint32_t i) {
  return b->mass[i] > 0.0 ? 1.0 / b->mass[i] : 0.0;
}

/* Is the body in its first step? One that does not move is as new as its partner, so it counts as
 * new. */
static bool is_new(const world_bodies *b, uint32_t i) {
  return b->fresh[i] || !(b->mass[i] > 0.0);
}

/* Of a body that turns on another one: its point of touch may be at rest. */
static double rolling_speed(const assembler *a, const collide_contact *c) {
  const world_bodies *b = &a->world->bodies;
  const v3 w = v3_sub(a->angular[c->b], a->angular[c->a]);
  return view_less(b->radius[c->a], b->radius[c->b]) * v3_norm(w);
}

static void take_form(const assembler *a, contact_form *form, const scree_material_def *material) {
  if (material == form->material && !form->varies) return;
  form->fresh = true;
  memset(form->def.offset, 0, sizeof form->def.offset);
  memset(form->def.compliance, 0, sizeof form->def.compliance);
  if (material == form->material) return;
  form->material = material;
  form->law = law_for(material);
  form->varies = a->laws.has_surfaces || periodic_moves(&a->world->box) || law_varies(material);
}

/* The set of a pair whose contacts differ in their normal row only is made once. */
static void fill(contact_form *form, const law_input *in, law_state *state) {
  if (form->fresh) form->def.set = (form->law->set ? form->law->set : law_set)(in, state);
  form->fresh = false;
  form->law->rows(in, state, &form->def);
}

static void note_use(contact_part *part, uint8_t pair) {
  for (size_t k = 0; k < part->used_count; k++)
    if (part->used[k] == pair) return;
  part->used[part->used_count++] = pair;
}

void contacts_take_material(const assembler *a, const plain_sets *plain, contact_part *part,
                            const scree_material_def *material) {
  if (plain->on && material != part->form.material)
    note_use(part, (uint8_t)(material - a->world->pair));
  take_form(a, &part->form, material);
}

/* Was this contact held in the step before? */
static bool was_held(const assembler *a, const collide_contact *c) {
  return c->match.previous != CACHE_NONE && a->memory.has_state_before &&
         a->memory.state_before[c->match.previous].value[LAW_ATTACHED] != 0.0;
}

/* How many of the contacts from c on, of the same pair, touch or are still held from a touch; 1 at
 * least. Contacts of a pair follow each other in a batch. */
static int count_sharing(const assembler *a, const collide_contact *c, const collide_contact *end) {
  const world_bodies *b = &a->world->bodies;
  const double diameter = view_less(b->diameter[c->a], b->diameter[c->b]);
  const uint32_t i = c->a, k = c->b;
  int count = 0;
  for (; c < end && c->a == i && c->b == k; c++)
    count += law_touches(c->point.gap, diameter) || was_held(a, c);
  return count > 1 ? count : 1;
}

static bool begins_pair(const collide_contact *batch, size_t k) {
  return k == 0 || batch[k].a != batch[k - 1].a || batch[k].b != batch[k - 1].b;
}

/* Did the contact press in the step before, and does not bounce? Then its motion goes on as it was.
 */
static bool lasts(const assembler *a, const collide_contact *c, uint32_t previous,
                  const law_input *in) {
  if (previous == CACHE_NONE || c->given) return false;
  if (in->material->restitution > 0.0 && in->approach < -in->bounce_speed) return false;
  return v3_dot(c->point.normal, assembler_get_before(a, previous)) > 0.0;
}

/* offset: of its rows, null where there are fewer than three. The problem cannot be asked where the
 * rows begin: that is written with the contact before, which may be another thread's. */
static void note_lasting(assembler *a, const collide_contact *c, size_t k, bool lasting,
                         const contact_frame *frame, v3 image_velocity, const law_input *in,
                         double *offset) {
  if (a->curve.needed) a->curve.lasting[k] = lasting;
  if (lasting && offset) contacts_curve_balls(a, c, frame, image_velocity, in->h, offset);
}

/* m/s^2 that two bodies are driven together with by what acts on them. */
static double pull_of(const assembler *a, const collide_contact *c, v3 n, double h) {
  v3 sum = {0, 0, 0};
  if (world_is_dynamic(a->world, c->a)) sum = world_force_rate(a->world, c->a, h, a->linear[c->a]);
  if (world_is_dynamic(a->world, c->b))
    sum = v3_sub(sum, world_force_rate(a->world, c->b, h, a->linear[c->b]));
  return v3_dot(n, sum);
}

/* What a law needs only where contacts of one pair of materials differ: sliding speed, radius,
 * mass, whether it is new, how hard it was pushed. */
static void note_pair(const assembler *a, const collide_contact *c, uint32_t previous, v3 relative,
                      law_input *in) {
  const world_bodies *b = &a->world->bodies;
  in->slide = v3_norm(v3_sub(relative, v3_scale(in->approach, c->point.normal)));
  in->radius = touching_radius(b, c->a, c->b);
  in->inverse_mass = inverse_mass(b, c->a) + inverse_mass(b, c->b);
  in->first = is_new(b, c->a) && is_new(b, c->b);
  if (previous != CACHE_NONE && a->memory.kick_before > 0.0)
    in->pushed = a->kick / a->memory.kick_before *
                 v3_dot(c->point.normal, assembler_get_before(a, previous));
}

/* Notes whether a contact may bounce, and by which law. */
static void note_bounce(const assembler *a, const collide_contact *c, double h, law_input *in) {
  in->newton = a->impacts.joined[c->a] || a->impacts.joined[c->b] ||
               in->material->restitution_law == SCREE_RESTITUTION_NEWTON;
  in->newton_less = 1.0 - a->impacts.newton_part;
  if (in->newton) in->pull = pull_of(a, c, c->point.normal, h);
}

/* A contact that the user's law function decides about when all are there. */
static scree_status note_user(assembler *a, const collide_contact *c, uint32_t previous,
                              v3 relative, const law_input *in, const law_state *state, size_t k) {
  const v3 force = previous != CACHE_NONE && a->memory.kick_before > 0.0
                       ? v3_scale(1.0 / a->memory.kick_before, assembler_get_before(a, previous))
                       : v3_make(0, 0, 0);
  const v3 slide = v3_sub(relative, v3_scale(in->approach, c->point.normal));
  return assembler_note_user(a, k, c, in, state, slide, force);
}

/* Of surfaces that run, and of images: along the normal, and all of it. */
static void add_motion(scree_ccp_contact_def *def, double normal, v3 motion) {
  const contact_frame f = contact_frame_make(v3_load(def->normal), v3_load(def->tangent));
  def->offset[0] += normal;
  if (def->set.dim < 3) return;
  def->offset[1] += v3_dot(f.t1, motion);
  def->offset[2] += v3_dot(f.t2, motion);
}

/* Contact k of the step, whose rows begin at `row`. */
static scree_status add_contact(assembler *a, const assembler_params *params,
                                const plain_sets *plain, const collide_contact *c, int sharing,
                                size_t k, size_t row, contact_part *part) {
  contact_form *form = &part->form;
  scree_ccp_contact_def *def = &form->def;
  const bool moves = periodic_moves(&a->world->box);
  const world_bodies *b = &a->world->bodies;
  const v3 n = c->point.normal;
  const v3 point = v3_scale(0.5, v3_add(c->point.point_a, c->point.point_b));
  const periodic_image image = world_image(a->world, c->a, c->b);
  const v3 arm_a = v3_sub(point, b->position[c->a]);
  const v3 arm_b = v3_sub(point, v3_add(b->position[c->b], image.shift));
  v3 t1 = v3_across(n), surface = {0, 0, 0};
  const bool aligned = a->laws.has_surfaces && assembler_direction(a, c->a, c->b, n, &t1);
  if (a->laws.has_surfaces) surface = assembler_belt(a, k, n);
  const contact_frame frame = contact_frame_make(n, t1);
  surface = v3_add(surface, image.velocity);
  const v3 relative = v3_add(
      v3_sub(contacts_start_velocity(a, c->b, arm_b), contacts_start_velocity(a, c->a, arm_a)),
      surface);
  const double diameter = view_less(b->diameter[c->a], b->diameter[c->b]);
  const uint32_t previous =
      find_previous(a, c, place_on_second(b, c->a, c->b) ? arm_b : arm_a, diameter);
  const bool round = contacts_is_sphere(b, c->a) || contacts_is_sphere(b, c->b);
  const scree_material_def *material = world_pair(a->world, b->material[c->a], b->material[c->b]);
  const size_t pair = (size_t)(material - a->world->pair);
  contacts_take_material(a, plain, part, material);
  law_input in = {
      .material = form->material,
      .h = params->h,
      .kick = a->kick,
      .gap = c->point.gap,
      .approach = v3_dot(n, relative),
      .speed = v3_norm(relative) + (round ? 0.0 : rolling_speed(a, c)),
      .diameter = diameter,
      .round = round,
      .stabilisation = params->stabilisation,
      .recovery_speed =
          c->point.gap < 0.0
              ? contacts_recovery_speed(
                    a, params, diameter,
                    a->gravity > 0.0 ? 0.0 : surface_speed(a, c->a, arm_a, c->b, arm_b))
              : 0.0,
      .bounce_speed = 2.0 * assembler_whole(params) * a->gravity,
      .sharing = sharing,
  };
  if (a->impacts.bounces) note_bounce(a, c, params->h, &in);
  a->impacts.given[k] = c->given;
  if (c->given) {
    in.stabilisation = 1.0;
    in.recovery_speed = INFINITY;
  }
  def->body_a = a->order.rank[c->a];
  def->body_b = a->order.rank[c->b];
  v3_store(def->normal, n);
  v3_store(def->tangent, t1);
  v3_store(def->arm_a, arm_a);
  v3_store(def->arm_b, arm_b);
  law_state state = {.value = {0}};
  in.aligned = aligned;
  if (form->varies) note_pair(a, c, previous, relative, &in);
  if (a->memory.has_state_now) state = assembler_recall(a, previous, &frame);
  fill(form, &in, &state);
  if (a->laws.has_surfaces || moves)
    add_motion(def, moves ? v3_dot(n, image.velocity) : 0.0, surface);
  if (plain->on) {
    if (!ccp_set_contact(a->problem, k, row, def, (uint32_t)pair)) part->broken = true;
  } else {
    const scree_status status = ccp_put_contact(a->problem, def);
    if (status) return status;
  }
  a->memory.gap[k] = (float)c->point.gap;
  if (a->memory.has_state_now) assembler_note_state(a, k, c->point.gap, &state);
  if (form->law == &law_user && note_user(a, c, previous, relative, &in, &state, k))
    return SCREE_ERROR_MEMORY;
  note_lasting(a, c, k, lasts(a, c, previous, &in), &frame, image.velocity, &in,
               def->set.dim >= 3 ? a->problem->offset + row : NULL);
  contacts_warm_start(a, params, c, previous, def->set.dim, &frame, a->g + row);
  if (c->point.gap < 0.0 && !c->given) contacts_note_depth(part, -c->point.gap, diameter);
  return SCREE_OK;
}

static scree_status reserve_contacts(assembler *a, size_t more) {
  const size_t n = a->problem->bodies.contact_count + more;
  const scree_status status = ccp_reserve_contacts(a->problem, more);
  if (status) return status;
  if (memory_grow(a->context, &a->memory.gap, n, sizeof *a->memory.gap) ||
      (a->curve.needed &&
       memory_grow(a->context, &a->curve.lasting, n, sizeof *a->curve.lasting)) ||
      memory_grow(a->context, &a->impacts.given, n, sizeof *a->impacts.given) ||
      (a->memory.has_state_now &&
       memory_grow(a->context, &a->memory.state_now, n, sizeof *a->memory.state_now)) ||
      (a->memory.has_moment_now &&
       memory_grow(a->context, &a->memory.moment_now, n, sizeof *a->memory.moment_now)))
    return SCREE_ERROR_MEMORY;
  return assembler_reserve_g(a, a->problem->row_count + more * SCREE_MAX_DIM);
}

/* How long impulses last: as forces do on what is not new; a world's first step is all new. */
static double kick_of(const scree_world *w, double h) {
  const world_bodies *b = &w->bodies;
  for (size_t i = 0; i < b->limit; i++)
    if (world_is_dynamic(w, i) && !b->fresh[i]) return world_kick(w, i, h);
  return 0.5 * h;
}

/* ---- batches -------------------------------------------------------------------------------- */

static void find_plain_sets(const assembler *a, plain_sets *plain) {
  const scree_world *w = a->world;
  const size_t pairs = w->material_count * w->material_count;
  *plain = (plain_sets){.same = true};
  if (a->laws.has_surfaces || a->memory.has_state_now || a->laws.has_cohesion ||
      a->problem->compliance || pairs > PLAIN_PAIRS)
    return;
  for (size_t k = 0; k < pairs; k++) {
    const law_class *law = law_for(&w->pair[k]);
    const law_input in = {.material = &w->pair[k], .kick = a->kick, .h = a->h, .sharing = 1};
    law_state state = {.value = {0}};
    if (law != &law_rigid || law_varies(&w->pair[k])) return;
    plain->set[k] = law_set(&in, &state);
    plain->index[k] = CACHE_NONE;
    if (plain->set[k].dim != plain->set[0].dim) return;
  }
  plain->dim = plain->set[0].dim;
  plain->on = pairs > 0;
}

static void note_penetration(assembler_report *report, const contact_part *part) {
  report->penetration = fmax(report->penetration, part->penetration);
  report->penetration_percent = fmax(report->penetration_percent, part->penetration_percent);
}

static scree_status add_one_by_one(assembler *a, const assembler_params *params,
                                   const plain_sets *plain, size_t parts, contact_part *part,
                                   assembler_report *report) {
  int sharing = 1;
  for (size_t p = 0; p < parts; p++) {
    const collide_contact *batch;
    size_t count, first;
    collide_take(a->collide, p, &batch, &count, &first);
    for (size_t k = 0; k < count; k++) {
      if (a->laws.has_cohesion && begins_pair(batch, k))
        sharing = count_sharing(a, &batch[k], batch + count);
      const scree_status status =
          add_contact(a, params, plain, &batch[k], sharing, first + k, a->problem->row_count, part);
      if (status) return status;
    }
  }
  note_penetration(report, part);
  return SCREE_OK;
}

/* Sets in the order of their first use, whichever thread was first. */
static scree_status intern_sets(assembler *a, plain_sets *plain, const contact_part *part) {
  for (size_t k = 0; k < part->used_count; k++) {
    const uint8_t pair = part->used[k];
    if (plain->index[pair] != CACHE_NONE) continue;
    const scree_status status = ccp_find_set(a->problem, &plain->set[pair], &plain->index[pair]);
    if (status) return status;
    plain->same = plain->same && plain->index[pair] == pair;
  }
  return SCREE_OK;
}

static void make_part(assembler *a, const assembler_params *params, const plain_sets *plain,
                      size_t which, contact_part *part) {
  const collide_contact *batch;
  size_t count, first;
  *part = (contact_part){.form.def = scree_ccp_contact_def_default()};
  collide_take(a->collide, which, &batch, &count, &first);
  if (plain->bare) {
    contacts_add_bare(a, params, plain, batch, count, first, part);
    return;
  }
  for (size_t k = 0; k < count; k++)
    add_contact(a, params, plain, &batch[k], 1, first + k, (first + k) * (size_t)plain->dim, part);
}

/* A number that is not finite was found: the contacts are formed again one by one, so that the
 * message can name the bodies. */
static scree_status blame(assembler *a, const assembler_params *params, size_t parts,
                          size_t contacts, assembler_report *report) {
  contact_part part = {.form.def = scree_ccp_contact_def_default()};
  const plain_sets none = {.on = false};
  ccp_drop_contacts(a->problem, contacts);
  const scree_status status = add_one_by_one(a, params, &none, parts, &part, report);
  return status ? status : context_fail(a->context, SCREE_ERROR_NUMERIC, "a contact is not finite");
}

static scree_status add_parts(assembler *a, const assembler_params *params, plain_sets *plain,
                              size_t parts, size_t count, assembler_report *report) {
  contact_part part[COLLIDE_PARTS];
  const size_t before = a->problem->bodies.contact_count;
  ccp_extend_contacts(a->problem, count, (size_t)plain->dim);
  if (parts > PARALLEL_PARTS && a->context->threads > 1) {
#pragma omp parallel for schedule(dynamic) num_threads(context_team(a->context, true))
    for (size_t p = 0; p < parts; p++) make_part(a, params, plain, p, &part[p]);
  } else {
    for (size_t p = 0; p < parts; p++) make_part(a, params, plain, p, &part[p]);
  }
  for (size_t p = 0; p < parts; p++) {
    if (part[p].broken) return blame(a, params, parts, before, report);
    const scree_status status = intern_sets(a, plain, &part[p]);
    if (status) return status;
    note_penetration(report, &part[p]);
  }
  uint32_t *set = a->problem->set_index;
  for (size_t k = before; !plain->same && k < before + count; k++) set[k] = plain->index[set[k]];
  return SCREE_OK;
}

scree_status assembler_refuse_crowd(const scree_world *world) {
  const size_t bodies = scree_world_body_count(world);
  return context_fail(world->context, SCREE_ERROR_INPUT,
                      "%zu bodies have more than %zu contacts; many lie in one place: move them "
                      "apart, or leave some out",
                      bodies, assembler_contact_limit(bodies));
}

/* May `more` contacts be added? */
static scree_status check_crowd(const assembler *a, const assembler_params *params, size_t more,
                                assembler_report *report) {
  const size_t n = a->problem->bodies.contact_count + more;
  report->swarm = params->again && params->most && n > params->most && !a->ranks;
  return n > assembler_contact_limit(scree_world_body_count(a->world)) && !report->swarm
             ? assembler_refuse_crowd(a->world)
             : SCREE_OK;
}

scree_status assembler_add_contacts(assembler *a, const assembler_params *params,
                                    assembler_report *report) {
  const scree_status ready = assembler_check_user(a);
  if (ready) return ready;
  assembler_note_extremes(a, params->h);
  assembler_note_laws(a);
  const collide_view view = assembler_view(a, params);
  double start = timer_now();
  scree_status status =
      collide_begin(a->collide, &view, a->world->bodies.generation, a->order.body, a->order.count);
  /* The cache moves on only when the search began well; what goes with it must do the same. */
  if (status) return status;
  a->memory.begun = true;
  assembler_swap_memory(a);
  a->memory.kick_before = a->kick;
  a->kick = kick_of(a->world, params->h);
  a->memory.contact_count = 0;
  a->memory.has_kept = false;
  a->memory.generation_count = view.count;
  const size_t before = collide_cache(a->collide)->before.count;
  if (a->memory.has_place) {
    if (memory_grow(a->context, &a->memory.taken, before, sizeof *a->memory.taken))
      return SCREE_ERROR_MEMORY;
    if (before) memset(a->memory.taken, 0, before * sizeof *a->memory.taken);
  }
  a->curve.needed = assembler_needs_places(a);
  if (a->curve.needed && world_need(a->world, &a->world->bodies.growth, sizeof(body_growth), NULL))
    return SCREE_ERROR_MEMORY;
  a->memory.has_moment_now = needs_extra(a->world);
  a->memory.has_state_now = needs_state(a->world);
  a->laws.has_cohesion = any_cohesion(a->world);
  a->laws.has_surfaces = assembler_has_surfaces(a->world);
  plain_sets plain;
  find_plain_sets(a, &plain);
  plain.bare = contacts_are_bare(a, params, &plain) && !view.given_count;
  find_starts(a);
  contact_part part = {.form.def = scree_ccp_contact_def_default()};
  for (;;) {
    size_t parts, count;
    status = collide_find(a->collide, &parts, &count);
    report->seconds_collide += timer_now() - start;
    if (status || !parts) break;
    status = check_crowd(a, params, count, report);
    if (status || report->swarm) break;
    status = reserve_contacts(a, count);
    if (!status)
      status = plain.on ? add_parts(a, params, &plain, parts, count, report)
                        : add_one_by_one(a, params, &plain, parts, &part, report);
    if (status) break;
    start = timer_now();
  }
  a->memory.contact_count = a->problem->bodies.contact_count;
  if (!status && !report->swarm) status = assembler_ask_user(a);
  if (!status && !report->swarm && !params->hurried)
    status = assembler_curve_contacts(a, params->h);
  report->contacts = a->memory.contact_count;
  return status;
}

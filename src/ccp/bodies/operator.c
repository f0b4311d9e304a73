/* The bodies form: contacts and generic rows over rigid bodies, matrix-free.
 *
 * N x is made in three passes: blocks push their momentum D x into body lines, in the order of the
 * sweep, so that each body's sum has a fixed order whatever the number of threads; bodies turn it
 * into twists; blocks read them back. */
#include "ccp/bodies/operator.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/bodies/diagonal.h"
#include "ccp/bodies/judge.h"
#include "ccp/bodies/setup.h"

/* ---- generic blocks -------------------------------------------------------------------------- */

static void generic_velocity(const ccp_operator *op, size_t block, const body_line *lines,
                             double *u) {
  const ccp_bodies *bodies = &op->problem->bodies;
  const size_t row = bodies_generic_row(op, block), dim = (size_t)ccp_dim(op->problem, block);
  for (size_t k = 0; k < dim; k++) {
    u[k] = 0.0;
    for (size_t t = bodies->term_start[row + k]; t < bodies->term_start[row + k + 1]; t++) {
      const double *c = bodies->term[t].coefficient;
      const body_line *line = &lines[bodies->term[t].body];
      for (int j = 0; j < 3; j++) u[k] += c[j] * line->linear[j] + c[3 + j] * line->angular[j];
    }
  }
}

static void generic_push(const ccp_operator *op, size_t block, const double *x, body_line *lines) {
  const ccp_bodies *bodies = &op->problem->bodies;
  const size_t row = bodies_generic_row(op, block), dim = (size_t)ccp_dim(op->problem, block);
  for (size_t k = 0; k < dim; k++)
    for (size_t t = bodies->term_start[row + k]; t < bodies->term_start[row + k + 1]; t++) {
      const scree_ccp_term *term = &bodies->term[t];
      if (!ccp_body_moves(bodies, term->body)) continue;
      for (int j = 0; j < 3; j++) {
        lines[term->body].linear[j] += term->coefficient[j] * x[k];
        lines[term->body].angular[j] += term->coefficient[3 + j] * x[k];
      }
    }
}

void bodies_read_block(const ccp_operator *op, size_t block, const body_line *lines, double *u) {
  const ccp_bodies *bodies = &op->problem->bodies;
  if (block < bodies->contact_count)
    contact_velocity(&bodies->contact[block], ccp_dim(op->problem, block), lines, u);
  else
    generic_velocity(op, block, lines, u);
}

void bodies_push_block(const ccp_operator *op, size_t block, const double *x, body_line *lines) {
  const ccp_bodies *bodies = &op->problem->bodies;
  if (block >= bodies->contact_count) {
    generic_push(op, block, x, lines);
    return;
  }
  const ccp_contact *c = &bodies->contact[block];
  const wrench w = contact_wrench(c, ccp_dim(op->problem, block), x);
  if (ccp_body_moves(bodies, c->body_a)) line_add_wrench(&lines[c->body_a], -1.0, w, c->arm_a);
  if (ccp_body_moves(bodies, c->body_b)) line_add_wrench(&lines[c->body_b], 1.0, w, c->arm_b);
}

/* ---- products -------------------------------------------------------------------------------- */

/* Groups of packed contacts: lines += D x, from rows by way of the stack. */
static void push_part(const ccp_operator *op, const bodies_pack *pack, const double *x,
                      size_t begin, size_t end) {
  const op_bodies *impl = op->impl;
  _Alignas(64) double lanes[PACK_BATCH * ROLL_IMPULSES];
  for (size_t j = begin; j < end; j += PACK_BATCH) {
    const size_t stop = bodies_pack_batch(j, end);
    const sphere_product work = {.group = pack->lanes.group,
                                 .lanes = lanes,
                                 .first = j,
                                 .lines = impl->push,
                                 .reach = bodies_pack_reach(pack)};
    bodies_pack_load_some(pack, op, x, j, stop, lanes);
    bodies_pack_kernels(pack, impl->kernels)->push(&work, j, stop);
  }
}

/* One thread's part of the same product, for impulses kept in the groups of a phase. Units asleep
 * have none. */
static void push_inside(const op_bodies *impl, const bodies_pack *pack, size_t phase) {
  const sphere_kernels *kernels = bodies_pack_kernels(pack, impl->kernels);
  const sphere_product work = {.group = pack->lanes.group,
                               .lanes = pack->lanes.impulse,
                               .lines = impl->push,
                               .reach = bodies_pack_reach(pack)};
  size_t begin, end;
  bodies_share(0, bodies_pack_parts(pack, phase), &begin, &end);
  begin = bodies_pack_part(pack, phase, begin);
  end = bodies_pack_part(pack, phase, end);
  if (phase < pack->open.phase) {
    kernels->push(&work, pack->plan.unit_start[begin], pack->plan.unit_start[end]);
    return;
  }
  for (size_t unit = begin; unit < end; unit++)
    if (!pack->open.asleep[unit])
      kernels->push(&work, pack->plan.unit_start[unit], pack->plan.unit_start[unit + 1]);
}

/* All of a pack; every thread of a team calls it. */
static void push_pack(const ccp_operator *op, const bodies_pack *pack, const double *x) {
  for (size_t phase = 0; x && phase < pack->plan.phase_count; phase++) {
#pragma omp for schedule(static)
    for (size_t part = 0; part < bodies_pack_parts(pack, phase); part++)
      push_part(op, pack, x, pack->plan.unit_start[bodies_pack_part(pack, phase, part)],
                pack->plan.unit_start[bodies_pack_part(pack, phase, part + 1)]);
  }
  for (size_t phase = 0; !x && phase < pack->plan.phase_count; phase++) {
    push_inside(op->impl, pack, phase);
    bodies_wait();
  }
}

void bodies_push_share(const ccp_operator *op, const double *x, const double *rest) {
  const op_bodies *impl = op->impl;
  body_line *lines = impl->push;
#pragma omp for schedule(static)
  for (size_t k = 0; k < op->problem->bodies.body_count; k++)
    lines[k] = (body_line){.inverse_mass = 0.0};
  for (int k = 0; k < BODIES_PACKS; k++) push_pack(op, bodies_pack_at(impl, k), x);
  for (size_t c = 0; c < op->colour_count; c++) {
#pragma omp for schedule(static)
    for (size_t j = op->colour_start[c]; j < op->colour_start[c + 1]; j++)
      bodies_push_block(op, op->order[j], rest + op->row_start[op->order[j]], lines);
  }
#pragma omp single
  {
    for (size_t j = op->colour_start[op->colour_count]; j < op->block_count; j++)
      bodies_push_block(op, op->order[j], rest + op->row_start[op->order[j]], lines);
    bodies_average(op, lines);
  }
}

static int team_of(const ccp_operator *op) {
  return context_team(op->context, op->block_count > BODIES_PARALLEL);
}

void bodies_sum_pushes(const ccp_operator *op, const double *x) {
  const int team = team_of(op);
  if (team_is_alone(team)) {
    bodies_push_share(op, x, x);
    return;
  }
#pragma omp parallel num_threads(team)
  bodies_push_share(op, x, x);
}

/* Packed contacts: y = D'(twists in push) + C x. */
static void read_batch(const ccp_operator *op, const bodies_pack *pack, const double *x,
                       size_t begin, size_t end, double *y) {
  const op_bodies *impl = op->impl;
  _Alignas(64) double lanes[PACK_BATCH * ROLL_IMPULSES], out[PACK_BATCH * ROLL_IMPULSES];
  const sphere_product work = {
      .group = pack->lanes.group,
      .extra = op->problem->compliance && pack->lanes.has_extra ? pack->lanes.extra : NULL,
      .lanes = lanes,
      .out = out,
      .first = begin,
      .lines = impl->push,
      .reach = bodies_pack_reach(pack)};
  if (work.extra) bodies_pack_load_some(pack, op, x, begin, end, lanes);
  bodies_pack_kernels(pack, impl->kernels)->read(&work, begin, end);
  bodies_pack_store_some(pack, op, out, begin, end, y);
}

/* Every thread of a team calls it. */
static void apply_share(const ccp_operator *op, const double *x, double *y) {
  const op_bodies *impl = op->impl;
  const ccp_bodies *bodies = &op->problem->bodies;
  const double *compliance = op->problem->compliance;
  bodies_push_share(op, x, x);
#pragma omp for schedule(static)
  for (size_t k = 0; k < bodies->body_count; k++) {
    double twist[6];
    line_to_twist(&bodies->body[k], &impl->push[k], twist);
    memcpy(impl->push[k].linear, twist, 3 * sizeof *twist);
    memcpy(impl->push[k].angular, twist + 3, 3 * sizeof *twist);
  }
  for (int k = 0; k < BODIES_PACKS; k++) {
    const bodies_pack *pack = bodies_pack_at(impl, k);
#pragma omp for schedule(static) nowait
    for (size_t j = 0; j < pack->lanes.count; j += PACK_BATCH)
      read_batch(op, pack, x, j, bodies_pack_batch(j, pack->lanes.count), y);
  }
#pragma omp for schedule(static)
  for (size_t j = op->head_count; j < op->block_count; j++) {
    const size_t i = op->order[j], row = op->row_start[i], dim = op->row_start[i + 1] - row;
    double u[SCREE_MAX_DIM];
    bodies_read_block(op, i, impl->push, u);
    for (size_t k = 0; k < dim; k++)
      y[row + k] = compliance ? u[k] + compliance[row + k] * x[row + k] : u[k];
  }
}

static void apply(ccp_operator *op, const double *x, double *y) {
  const int team = team_of(op);
  if (team_is_alone(team)) {
    apply_share(op, x, y);
    return;
  }
#pragma omp parallel num_threads(team)
  apply_share(op, x, y);
}

static void velocity(ccp_operator *op, const double *g, double *v) {
#pragma omp parallel num_threads(context_team(op->context, op->block_count > BODIES_PARALLEL))
  {
    bodies_push_share(op, g, g);
#pragma omp for schedule(static)
    for (size_t k = 0; k < op->problem->bodies.body_count; k++)
      bodies_velocity_of(op, k, v + 6 * k);
  }
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

static void sweep_begin(ccp_operator *op, const double *g) {
  op_bodies *impl = op->impl;
  for (int k = 0; k < BODIES_PACKS; k++) {
    bodies_pack *pack = bodies_pack_at(impl, k);
    bodies_pack_load(pack, op, g, pack->lanes.impulse);
    bodies_pack_lull(pack, pack->lanes.impulse);
  }
#pragma omp parallel num_threads(context_team(op->context, op->block_count > BODIES_PARALLEL))
  {
    bodies_push_share(op, NULL, g);
#pragma omp for schedule(static)
    for (size_t k = 0; k < op->problem->bodies.body_count; k++) {
      double v[6];
      bodies_velocity_of(op, k, v);
      memcpy(impl->state[k].linear, v, sizeof impl->state[k].linear);
      memcpy(impl->state[k].angular, v + 3, sizeof impl->state[k].angular);
    }
  }
}

static void judge_begun(ccp_operator *op, scree_model model, const double *g, op_judged *sum) {
  const op_bodies *impl = op->impl;
  const double *const lanes[BODIES_PACKS] = {impl->pack.lanes.impulse, impl->rolled.lanes.impulse};
  bodies_judge_velocities(op, model, impl->state, lanes, g, sum);
}

static void sweep_store(const ccp_operator *op, double *g) {
  const op_bodies *impl = op->impl;
  for (int k = 0; k < BODIES_PACKS; k++)
    bodies_pack_store(bodies_pack_at(impl, k), op, bodies_pack_at(impl, k)->lanes.impulse, g);
}

static size_t sweep_room(const ccp_operator *op) {
  const op_bodies *impl = op->impl;
  return op->head_count == op->block_count
             ? bodies_pack_doubles(&impl->pack) + bodies_pack_doubles(&impl->rolled)
             : 0;
}

static void sweep_keep(const ccp_operator *op, double *kept) {
  const op_bodies *impl = op->impl;
  for (int k = 0; k < BODIES_PACKS; k++) {
    const bodies_pack *pack = bodies_pack_at(impl, k);
    const size_t count = bodies_pack_doubles(pack);
    if (count) memcpy(kept, pack->lanes.impulse, count * sizeof *kept);
    kept += count;
  }
}

static void sweep_take(const ccp_operator *op, const double *kept, double *g) {
  const op_bodies *impl = op->impl;
  for (int k = 0; k < BODIES_PACKS; k++) {
    bodies_pack_store(bodies_pack_at(impl, k), op, kept, g);
    kept += bodies_pack_doubles(bodies_pack_at(impl, k));
  }
}

/* Sweeps all units begin … end - 1 of an open phase, also those asleep: one that gets an impulse
 * wakes. */
static double sweep_round(const bodies_pack *pack, const sphere_kernels *kernels,
                          const sphere_sweep *work, size_t begin, size_t end) {
  double worst = 0.0;
  for (size_t unit = begin; unit < end; unit++) {
    const double change =
        kernels->sweep(work, pack->plan.unit_start[unit], pack->plan.unit_start[unit + 1]);
    if (change != 0.0) pack->open.asleep[unit] = false;
    worst = fmax(worst, change);
  }
  return worst;
}

/* Those awake, in runs. The units of an open phase share no moving body: any order will do. */
static double sweep_awake(const bodies_pack *pack, const sphere_kernels *kernels,
                          const sphere_sweep *work, size_t begin, size_t end) {
  double worst = 0.0;
  for (size_t unit = begin; unit < end;) {
    size_t stop = unit;
    while (stop < end && !pack->open.asleep[stop]) stop++;
    if (stop > unit)
      worst = fmax(worst,
                   kernels->sweep(work, pack->plan.unit_start[unit], pack->plan.unit_start[stop]));
    unit = stop + 1;
  }
  return worst;
}

sphere_sweep bodies_pack_sweep(const op_bodies *impl, const bodies_pack *pack, scree_model model) {
  return (sphere_sweep){
      .group = pack->lanes.group,
      .scale = bodies_pack_scale(pack),
      .roll = pack->lanes.roll,
      .mu = bodies_pack_mu(pack),
      .mu_stride = bodies_pack_mu_stride(pack),
      .impulse = pack->lanes.impulse,
      .across = bodies_pack_across(pack),
      .extra = pack->lanes.has_extra ? pack->lanes.extra : NULL,
      .lines = impl->state,
      .relaxed = model == SCREE_MODEL_RELAXED ? 1.0 : 0.0,
      .omega = 1.0,
      .lambda = 1.0,
      .reach = bodies_pack_reach(pack),
  };
}

static double sweep_packed(const ccp_operator *op, bodies_pack *pack,
                           const op_sweep_params *params) {
  op_bodies *impl = op->impl;
  const sphere_kernels *kernels = bodies_pack_kernels(pack, impl->kernels);
  if (!pack->lanes.count) return 0.0;
  const bool round = pack->open.sweeps++ % PACK_ROUND_SWEEPS == 0;
  const size_t phases = round || pack->open.stirring ? pack->plan.phase_count : pack->open.phase;
  sphere_sweep work = bodies_pack_sweep(impl, pack, params->model);
  work.omega = params->omega;
  work.lambda = params->lambda;
  work.isotropic = params->metric == OP_METRIC_ISOTROPIC;
  work.backward = params->backward;
  double worst = 0.0;
#pragma omp parallel num_threads(context_team(op->context, pack->contact_count > BODIES_PARALLEL))
  {
    double mine = 0.0;
    for (size_t k = 0; k < phases; k++) {
      const size_t phase = params->backward ? phases - 1 - k : k;
      const bool open = phase >= pack->open.phase;
      size_t begin = pack->plan.phase_start[phase], end = pack->plan.phase_start[phase + 1];
      if (open)
        bodies_share(begin, end, &begin, &end);
      else if (pack->plan.tiled) {
        bodies_share(0, bodies_pack_parts(pack, phase), &begin, &end);
        begin = pack->plan.unit_start[bodies_pack_part(pack, phase, begin)];
        end = pack->plan.unit_start[bodies_pack_part(pack, phase, end)];
      } else
        bodies_share(pack->plan.unit_start[begin], pack->plan.unit_start[end], &begin, &end);
      const double change = open && round ? sweep_round(pack, kernels, &work, begin, end)
                            : open        ? sweep_awake(pack, kernels, &work, begin, end)
                                          : kernels->sweep(&work, begin, end);
      if (change > mine) mine = change;
      bodies_wait();
    }
#pragma omp critical
    if (mine > worst) worst = mine;
  }
  for (size_t unit = bodies_pack_open_unit(pack); round && unit < pack->plan.unit_count; unit++)
    pack->open.stirring = pack->open.stirring || !pack->open.asleep[unit];
  return sqrt(worst);
}

double bodies_sweep_rest(ccp_operator *op, const op_sweep_params *params, double *g) {
  const op_bodies *impl = op->impl;
  if (op->head_count == op->block_count) return 0.0;
  return bodies_rigid_serves(&impl->rigid, params) ? bodies_rigid_sweep(op, params, g)
                                                   : op_sweep_colours(op, params, g);
}

static double sweep(ccp_operator *op, const op_sweep_params *params, double *g) {
  op_bodies *impl = op->impl;
  double worst = params->backward ? bodies_sweep_rest(op, params, g) : 0.0;
  for (int k = 0; k < BODIES_PACKS; k++) {
    const int at = params->backward ? BODIES_PACKS - 1 - k : k;
    worst = fmax(worst, sweep_packed(op, bodies_pack_at(impl, at), params));
  }
  if (!params->backward) worst = fmax(worst, bodies_sweep_rest(op, params, g));
  bodies_average(op, impl->state);
  return worst;
}

static void block_velocity(const ccp_operator *op, const double *g, size_t i, double *u) {
  const op_bodies *impl = op->impl;
  const scree_ccp *p = op->problem;
  const size_t row = op->row_start[i], dim = op->row_start[i + 1] - row;
  bodies_read_block(op, i, impl->state, u);
  for (size_t k = 0; k < dim; k++) {
    u[k] += p->offset[row + k];
    if (p->compliance) u[k] += p->compliance[row + k] * g[row + k];
  }
}

static void add_twist(const ccp_operator *op, uint32_t body, const body_line *momentum) {
  const op_bodies *impl = op->impl;
  double twist[6];
  line_to_twist(&op->problem->bodies.body[body], momentum, twist);
  for (int k = 0; k < 3; k++) {
    impl->state[body].linear[k] += twist[k];
    impl->state[body].angular[k] += twist[3 + k];
  }
}

static void block_push(ccp_operator *op, size_t i, const double *change) {
  const ccp_bodies *bodies = &op->problem->bodies;
  const size_t dim = (size_t)ccp_dim(op->problem, i);
  if (i < bodies->contact_count) {
    const ccp_contact *c = &bodies->contact[i];
    const wrench w = contact_wrench(c, (int)dim, change);
    body_line a = {.inverse_mass = 0.0}, b = {.inverse_mass = 0.0};
    line_add_wrench(&a, -1.0, w, c->arm_a);
    line_add_wrench(&b, 1.0, w, c->arm_b);
    if (ccp_body_moves(bodies, c->body_a)) add_twist(op, c->body_a, &a);
    if (ccp_body_moves(bodies, c->body_b)) add_twist(op, c->body_b, &b);
    return;
  }
  const size_t row = bodies_generic_row(op, i);
  for (size_t k = 0; k < dim; k++)
    for (size_t t = bodies->term_start[row + k]; t < bodies->term_start[row + k + 1]; t++) {
      const scree_ccp_term *term = &bodies->term[t];
      if (!ccp_body_moves(bodies, term->body)) continue;
      body_line line = {.inverse_mass = 0.0};
      for (int j = 0; j < 3; j++) {
        line.linear[j] = term->coefficient[j] * change[k];
        line.angular[j] = term->coefficient[3 + j] * change[k];
      }
      add_twist(op, term->body, &line);
    }
}

static void destroy(ccp_operator *op) {
  bodies_setup_free(op);
}

static const op_class bodies_class = {
    .name = "bodies",
    .destroy = destroy,
    .apply = apply,
    .diagonal_block = bodies_diagonal_block,
    .sweep_begin = sweep_begin,
    .block_velocity = block_velocity,
    .block_diagonal = bodies_diagonal_kept,
    .block_push = block_push,
    .sweep = sweep,
    .sweep_store = sweep_store,
    .sweep_room = sweep_room,
    .sweep_keep = sweep_keep,
    .sweep_take = sweep_take,
    .judge = bodies_judge,
    .judge_begun = judge_begun,
    .gradient = &bodies_gradient_class,
    .glide = &bodies_glide_class,
    .renew = bodies_renew,
    .velocity = velocity,
};

scree_status op_bodies_init(ccp_operator *op) {
  op->class = &bodies_class;
  return bodies_setup(op);
}

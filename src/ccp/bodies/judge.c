/* See bodies/judge.h. Momenta D g are summed afresh, so a sweep's drift shows; bodies turn them
 * into v = v_free + M^-1 D g; a last pass over the blocks reads u = D'v + b + C g and sums. Sums
 * are a unit of packed contacts, or a chunk of other blocks, apart, and then added in order. */
#include "ccp/bodies/judge.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/bodies/operator.h"

enum { CHUNK = 64, RIGID_CHUNK = 16 };

static size_t chunks_of(const ccp_operator *op) {
  return (op->block_count - op->head_count + CHUNK - 1) / CHUNK;
}

static size_t rigid_chunks_of(const op_bodies *impl) {
  return (impl->rigid.group_count + RIGID_CHUNK - 1) / RIGID_CHUNK;
}

static size_t parts_of(const ccp_operator *op) {
  const op_bodies *impl = op->impl;
  return impl->pack.plan.unit_count + impl->rolled.plan.unit_count + chunks_of(op) +
         rigid_chunks_of(impl);
}

scree_status bodies_judge_reserve(ccp_operator *op) {
  op_bodies *impl = op->impl;
  return memory_grow(op->context, &impl->judged, parts_of(op), sizeof *impl->judged);
}

static double sum_of(const double *x) {
  return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

static double most_of(const double *x) {
  double most = 0.0;
  for (size_t k = 0; k < PACK_LANES; k++) most = x[k] > most ? x[k] : most;
  return most;
}

static op_judged total_lanes(const sphere_judged *s) {
  return (op_judged){.natural2 = sum_of(s->natural2),
                     .square = sum_of(s->scaled2),
                     .worst = sqrt(most_of(s->worst2)),
                     .penetration = most_of(s->penetration),
                     .gap = most_of(s->gap),
                     .impulse2 = sum_of(s->impulse2),
                     .velocity2 = sum_of(s->velocity2),
                     .product = sum_of(s->product)};
}

static op_judged judge_groups(const op_bodies *impl, const bodies_pack *pack,
                              const sphere_judge *work, size_t begin, size_t end) {
  sphere_judged s;
  bodies_pack_kernels(pack, impl->kernels)->judge(work, begin, end, &s);
  return total_lanes(&s);
}

/* Blocks that are not packed but in rigid groups. */
static op_judged judge_rigid(const op_bodies *impl, scree_model model, const body_line *lines,
                             const double *g, size_t begin, size_t end) {
  const rigid_judge work = {.group = impl->rigid.group,
                            .lines = lines,
                            .impulse = g,
                            .shifted = model == SCREE_MODEL_COULOMB ? 1.0 : 0.0};
  sphere_judged s;
  impl->kernels->judge_rigid(&work, begin, end, &s);
  return total_lanes(&s);
}
/* Judges a unit whose impulses are in rows: they are put into lanes on the stack. */
static op_judged judge_rows(const ccp_operator *op, const bodies_pack *pack,
                            const sphere_judge *base, const double *g, size_t begin, size_t end) {
  const op_bodies *impl = op->impl;
  _Alignas(64) double lanes[PACK_BATCH * ROLL_IMPULSES];
  op_judged total = {0};
  for (size_t j = begin; j < end; j += PACK_BATCH) {
    const size_t stop = bodies_pack_batch(j, end);
    sphere_judge work = *base;
    work.lanes = lanes;
    work.first = j;
    bodies_pack_load_some(pack, op, g, j, stop, lanes);
    const op_judged part = judge_groups(impl, pack, &work, j, stop);
    op_judged_add(&total, &part);
  }
  return total;
}

static op_judged judge_rest(const ccp_operator *op, scree_model model, const body_line *lines,
                            const double *g, size_t begin, size_t end) {
  const op_bodies *impl = op->impl;
  const scree_ccp *p = op->problem;
  op_judged sum = {0};
  for (size_t j = begin; j < end; j++) {
    const size_t i = op->order[j], row = op->row_start[i], dim = op->row_start[i + 1] - row;
    double u[SCREE_MAX_DIM];
    if (impl->pack.scratch.colour[i] == PACK_RIGID) continue;
    bodies_read_block(op, i, lines, u);
    for (size_t k = 0; k < dim; k++) {
      u[k] += p->offset[row + k];
      if (p->compliance) u[k] += p->compliance[row + k] * g[row + k];
    }
    op_judge_block(op, model, i, g + row, u, &sum);
  }
  return sum;
}

static sphere_judge work_of(const bodies_pack *pack, scree_model model, const body_line *lines,
                            const double *lanes) {
  return (sphere_judge){
      .group = pack->lanes.group,
      .scale = bodies_pack_scale(pack),
      .mu = pack->lanes.mu,
      .roll = pack->lanes.roll,
      .across = bodies_pack_across(pack),
      .extra = pack->lanes.has_extra ? pack->lanes.extra : NULL,
      .rough = pack->lanes.has_rays ? (const double(*)[PACK_LANES])pack->lanes.rough : NULL,
      .pull = pack->lanes.has_pull ? (const double(*)[PACK_LANES])pack->lanes.pull : NULL,
      .lines = lines,
      .lanes = lanes,
      .shifted = model == SCREE_MODEL_COULOMB ? 1.0 : 0.0,
      .reach = bodies_pack_reach(pack),
  };
}

/* One thread's part, with twists in `lines`. g: rows, or null when the impulses of the packs are in
 * lanes. */
static void judge_share(const ccp_operator *op, scree_model model, const body_line *lines,
                        const double *const *lanes, const double *g, const double *rest) {
  const op_bodies *impl = op->impl;
  op_judged *parts = impl->judged;
  for (int k = 0; k < BODIES_PACKS; k++) {
    const bodies_pack *pack = bodies_pack_at(impl, k);
    sphere_judge work = work_of(pack, model, lines, lanes ? lanes[k] : pack->lanes.impulse);
    if (op->ranks) {
      work.scale = impl->whole.scale[k];
      work.roll = impl->whole.roll[k];
    }
#pragma omp for schedule(static) nowait
    for (size_t unit = 0; unit < pack->plan.unit_count; unit++) {
      const size_t begin = pack->plan.unit_start[unit], end = pack->plan.unit_start[unit + 1];
      parts[unit] = g ? judge_rows(op, pack, &work, g, begin, end)
                      : judge_groups(impl, pack, &work, begin, end);
    }
    parts += pack->plan.unit_count;
  }
  op_judged *const rigid = parts + chunks_of(op);
#pragma omp for schedule(static) nowait
  for (size_t c = 0; c < rigid_chunks_of(impl); c++) {
    const size_t begin = c * RIGID_CHUNK, groups = impl->rigid.group_count;
    rigid[c] = judge_rigid(impl, model, lines, rest, begin,
                           begin + RIGID_CHUNK < groups ? begin + RIGID_CHUNK : groups);
  }
#pragma omp for schedule(static)
  for (size_t c = 0; c < chunks_of(op); c++) {
    const size_t begin = op->head_count + c * CHUNK,
                 end = begin + CHUNK < op->block_count ? begin + CHUNK : op->block_count;
    parts[c] = judge_rest(op, model, lines, rest, begin, end);
  }
}

static void total_of(const ccp_operator *op, op_judged *sum) {
  const op_bodies *impl = op->impl;
  for (size_t k = 0; k < parts_of(op); k++) op_judged_add(sum, &impl->judged[k]);
}

/* Momenta in impl->push into velocities; all threads of a team call it. */
static void velocities_share(const ccp_operator *op) {
  const op_bodies *impl = op->impl;
#pragma omp for schedule(static)
  for (size_t k = 0; k < op->problem->bodies.body_count; k++) {
    double v[6];
    bodies_velocity_of(op, k, v);
    memcpy(impl->push[k].linear, v, sizeof impl->push[k].linear);
    memcpy(impl->push[k].angular, v + 3, sizeof impl->push[k].angular);
    impl->push[k].inverse_mass = impl->state[k].inverse_mass;
    impl->push[k].inverse_inertia = impl->state[k].inverse_inertia;
  }
}

static void judge_all(const ccp_operator *op, scree_model model, const double *g,
                      const double *rest) {
  const op_bodies *impl = op->impl;
  bodies_push_share(op, g, rest);
  velocities_share(op);
  judge_share(op, model, impl->push, NULL, g, rest);
}

void bodies_judge(ccp_operator *op, scree_model model, const double *g, const double *rest,
                  op_judged *sum) {
  const int team = context_team(op->context, op->block_count > BODIES_PARALLEL);
  if (g) rest = g;
  if (team_is_alone(team)) {
    judge_all(op, model, g, rest);
  } else {
#pragma omp parallel num_threads(team)
    judge_all(op, model, g, rest);
  }
  total_of(op, sum);
}

void bodies_judge_velocities(ccp_operator *op, scree_model model, const body_line *lines,
                             const double *const *lanes, const double *rest, op_judged *sum) {
#pragma omp parallel num_threads(context_team(op->context, op->block_count > BODIES_PARALLEL))
  judge_share(op, model, lines, lanes, NULL, rest);
  total_of(op, sum);
}

/* See bodies/gradient.h. */
#include "ccp/bodies/gradient.h"

#include <string.h>

#include "base/memory.h"
#include "ccp/bodies/judge.h"
#include "ccp/bodies/setup.h"
#include "ccp/operator_metric.h"

enum { CURRENT, PREVIOUS, NEXT, BODY_CHUNK = 256 };

static bool is_full(const scree_ccp_body_def *body) {
  const double *s = body->inverse_inertia;
  return s[1] != 0.0 || s[2] != 0.0 || s[4] != 0.0 || s[3] != s[0] || s[5] != s[0];
}

static bool any_full(const ccp_bodies *bodies) {
  for (size_t k = 0; k < bodies->body_count; k++)
    if (is_full(&bodies->body[k])) return true;
  return false;
}

static size_t units_of(const op_bodies *impl) {
  return impl->pack.plan.unit_count + impl->rolled.plan.unit_count;
}

/* The sums of a pack's units. */
static sphere_sums *sums_of(const op_bodies *impl, int pack) {
  return impl->gradient.sums + (pack ? impl->pack.plan.unit_count : 0);
}

static scree_status reserve(ccp_operator *op, op_bodies *impl) {
  bodies_gradient *m = &impl->gradient;
  scree_context *context = op->context;
  const size_t bodies = op->problem->bodies.body_count, rest = op->block_count - op->head_count;
  const size_t full = any_full(&op->problem->bodies) ? bodies : 0;
  for (int k = 0; k < 3; k++) {
    bodies_iterate *it = &m->iterate[k];
    for (int p = 0; p < BODIES_PACKS; p++)
      if (memory_grow(context, &it->lanes[p], bodies_pack_doubles(bodies_pack_at(impl, p)),
                      sizeof(double)))
        return SCREE_ERROR_MEMORY;
    if (memory_grow(context, &it->rows, rest ? op->row_count : 0, sizeof(double)) ||
        memory_grow(context, &it->twist, bodies + 1, sizeof(body_line)) ||
        memory_grow(context, &it->momentum, full, sizeof(body_line)))
      return SCREE_ERROR_MEMORY;
    it->twist[bodies] = (body_line){.inverse_mass = 0.0};
  }
  if (memory_grow(context, &m->base, bodies, sizeof *m->base) ||
      memory_grow(context, &m->full, bodies / BODY_CHUNK + 1, sizeof *m->full) ||
      memory_grow(context, &m->sums, units_of(impl) + rest, sizeof *m->sums) ||
      memory_grow(context, &m->energy, bodies / BODY_CHUNK + 1, sizeof *m->energy))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

/* V of momentum in a line; the line keeps its last two fields. */
static void line_to_velocity(const scree_ccp_body_def *body, const body_line *momentum,
                             body_line *line) {
  double twist[6];
  line_to_twist(body, momentum, twist);
  for (int l = 0; l < 3; l++) {
    line->linear[l] = body->v_free[l] + twist[l];
    line->angular[l] = body->v_free[3 + l] + twist[3 + l];
  }
}

/* Twists of the momenta in impl->push, and what stays the same in all steps. */
static void fill_lines(const ccp_operator *op, const bodies_gradient *m) {
  const op_bodies *impl = op->impl;
  const ccp_bodies *bodies = &op->problem->bodies;
  memset(m->full, 0, (bodies->body_count / BODY_CHUNK + 1) * sizeof *m->full);
  for (size_t k = 0; k < bodies->body_count; k++) {
    const scree_ccp_body_def *body = &bodies->body[k];
    const double im = body->inverse_mass, ii = body->inverse_inertia[0];
    const bool full = is_full(body);
    body_line line = {.inverse_mass = full ? 0.0 : im, .inverse_inertia = full ? 0.0 : ii};
    m->full[k / BODY_CHUNK] = m->full[k / BODY_CHUNK] || full;
    memcpy(line.linear, body->v_free, sizeof line.linear);
    memcpy(line.angular, body->v_free + 3, sizeof line.angular);
    m->base[k] = line;
    line.inverse_mass = !full && im > 0.0 ? 1.0 / im : 0.0;
    line.inverse_inertia = !full && ii > 0.0 ? 1.0 / ii : 0.0;
    line_to_velocity(body, &impl->push[k], &line);
    for (int i = CURRENT; i <= PREVIOUS; i++) {
      m->iterate[i].twist[k] = line;
      if (full) m->iterate[i].momentum[k] = impl->push[k];
    }
  }
}

/* The parts of a step's results that units asleep would have written. */
static void still_units(const bodies_pack *pack, double *lanes, sphere_sums *sums) {
  const size_t stride = bodies_pack_stride(pack);
  for (size_t unit = bodies_pack_open_unit(pack); unit < pack->plan.unit_count; unit++) {
    const size_t first = pack->plan.unit_start[unit],
                 count = pack->plan.unit_start[unit + 1] - first;
    if (!pack->open.asleep[unit]) continue;
    memset(lanes + first * stride, 0, count * stride * sizeof(double));
    sums[unit] = (sphere_sums){.distance2 = {0.0}};
  }
}

/* Units whose residual is not zero are to take part. */
static void wake_units(bodies_pack *pack, const op_judged *judged) {
  for (size_t unit = bodies_pack_open_unit(pack); unit < pack->plan.unit_count; unit++) {
    if (judged[unit].worst != 0.0) pack->open.asleep[unit] = false;
    pack->open.stirring = pack->open.stirring || !pack->open.asleep[unit];
  }
}

static scree_status begin(ccp_operator *op, const double *g) {
  op_bodies *impl = op->impl;
  bodies_gradient *m = &impl->gradient;
  scree_status status = reserve(op, impl);
  if (!status && op->head_count < op->block_count)
    status = op_metric_prepare(op, op->order + op->head_count, op->block_count - op->head_count);
  for (int k = 0; !status && k < BODIES_PACKS; k++)
    status = bodies_pack_make_scale(bodies_pack_at(impl, k), op, impl->state);
  if (status) return status;
  bodies_sum_pushes(op, g);
  fill_lines(op, m);
  for (int k = 0; k < BODIES_PACKS; k++) {
    bodies_pack *pack = bodies_pack_at(impl, k);
    bodies_pack_load(pack, op, g, m->iterate[CURRENT].lanes[k]);
    bodies_pack_lull(pack, m->iterate[CURRENT].lanes[k]);
    still_units(pack, m->iterate[NEXT].lanes[k], sums_of(impl, k));
    if (pack->lanes.count)
      memcpy(m->iterate[PREVIOUS].lanes[k], m->iterate[CURRENT].lanes[k],
             bodies_pack_doubles(pack) * sizeof(double));
  }
  for (int k = CURRENT; op->head_count < op->block_count && k <= PREVIOUS; k++)
    op_copy(op, g, m->iterate[k].rows);
  m->y_is_made = m->has_moved = false;
  return SCREE_OK;
}

/* ---- a step ---------------------------------------------------------------------------------- */

static body_line momentum_at_y(const bodies_gradient *m, size_t k, double beta) {
  const body_line *c = &m->iterate[CURRENT].momentum[k], *p = &m->iterate[PREVIOUS].momentum[k];
  body_line y = {.inverse_mass = 0.0};
  for (int l = 0; l < 3; l++) {
    y.linear[l] = c->linear[l] + beta * (c->linear[l] - p->linear[l]);
    y.angular[l] = c->angular[l] + beta * (c->angular[l] - p->angular[l]);
  }
  return y;
}

/* What the kernels leave out of a body with a full inertia: its twist, d'Nd, and the part of the
 * objective that is quadratic in the momentum. */
static void judge_full(const ccp_operator *op, size_t k, double beta, body_sums *sums) {
  const bodies_gradient *m = &((op_bodies *)op->impl)->gradient;
  const body_line y = momentum_at_y(m, k, beta), *n = &m->iterate[NEXT].momentum[k];
  body_line q;
  double q_twist[6], n_twist[6];
  for (int l = 0; l < 3; l++) {
    q.linear[l] = n->linear[l] - y.linear[l];
    q.angular[l] = n->angular[l] - y.angular[l];
  }
  line_to_twist(&op->problem->bodies.body[k], &q, q_twist);
  line_to_twist(&op->problem->bodies.body[k], n, n_twist);
  line_to_velocity(&op->problem->bodies.body[k], n, &m->iterate[NEXT].twist[k]);
  for (int l = 0; l < 3; l++) {
    sums->curvature[l] += q.linear[l] * q_twist[l];
    sums->curvature[3 + l] += q.angular[l] * q_twist[3 + l];
    sums->objective[l] += 0.5 * n->linear[l] * n_twist[l];
    sums->objective[3 + l] += 0.5 * n->angular[l] * n_twist[3 + l];
  }
}

/* Without extrapolation y is the current iterate. */
static const body_line *lines_at_y(const op_bodies *impl) {
  return impl->gradient.beta == 0.0 ? impl->gradient.iterate[CURRENT].twist : impl->push;
}

/* A block that is not packed. */
static void step_block(const ccp_operator *op, size_t i, double beta, double length,
                       sphere_sums *sums) {
  const op_bodies *impl = op->impl;
  const bodies_gradient *m = &impl->gradient;
  const scree_ccp *problem = op->problem;
  const size_t row = op->row_start[i];
  const int dim = ccp_dim(problem, i);
  const double *root = op->root + row;
  const double *current = m->iterate[CURRENT].rows + row,
               *previous = m->iterate[PREVIOUS].rows + row;
  double *next = m->iterate[NEXT].rows + row;
  double u[SCREE_MAX_DIM], x[SCREE_MAX_DIM], y[SCREE_MAX_DIM], c[SCREE_MAX_DIM];
  bodies_read_block(op, i, lines_at_y(impl), u);
  for (int k = 0; k < dim; k++) {
    y[k] = current[k] + beta * (current[k] - previous[k]);
    c[k] = problem->compliance ? problem->compliance[row + (size_t)k] : 0.0;
    u[k] += problem->offset[row + (size_t)k] + c[k] * y[k];
  }
  op_metric_step_block(op, i, length, y, u, x);
  *sums = (sphere_sums){.distance2 = {0.0}};
  for (int k = 0; k < dim; k++) {
    const double e = root[k] * root[k], d = x[k] - y[k];
    if (e > 0.0) {
      sums->distance2[0] += d * d / e;
      sums->uphill[0] -= d * (x[k] - current[k]) / e;
    }
    sums->value[0] += x[k] * u[k] + c[k] * x[k] * (0.5 * x[k] - y[k]);
    sums->compliant[0] += c[k] * d * d;
    next[k] = x[k];
  }
  bodies_push_block(op, i, x, m->iterate[NEXT].twist);
}

/* One thread's part of the blocks that are not packed; all threads of a team call it. */
static void step_rest(const ccp_operator *op, double beta, double length, sphere_sums *sums) {
  for (size_t c = 0; c < op->colour_count; c++) {
#pragma omp for schedule(static)
    for (size_t j = op->colour_start[c]; j < op->colour_start[c + 1]; j++)
      step_block(op, op->order[j], beta, length, &sums[j - op->head_count]);
  }
#pragma omp single
  for (size_t j = op->colour_start[op->colour_count]; j < op->block_count; j++)
    step_block(op, op->order[j], beta, length, &sums[j - op->head_count]);
}

static size_t chunk_end(size_t chunk, size_t count) {
  const size_t end = (chunk + 1) * BODY_CHUNK;
  return end < count ? end : count;
}

/* The passes over the bodies, in chunks of fixed size. All threads of a team call them. */
static void start_bodies(const ccp_operator *op, const body_step *work) {
  const op_bodies *impl = op->impl;
  const size_t count = op->problem->bodies.body_count;
#pragma omp for schedule(static)
  for (size_t chunk = 0; chunk <= count / BODY_CHUNK; chunk++) {
    const size_t first = chunk * BODY_CHUNK, last = chunk_end(chunk, count);
    impl->kernels->start_bodies(work, first, last);
  }
}

static void judge_bodies(const ccp_operator *op, const body_step *work) {
  const op_bodies *impl = op->impl;
  const size_t count = op->problem->bodies.body_count;
#pragma omp for schedule(static)
  for (size_t chunk = 0; chunk <= count / BODY_CHUNK; chunk++) {
    const size_t first = chunk * BODY_CHUNK, last = chunk_end(chunk, count);
    const bool full = impl->gradient.full[chunk];
    for (size_t k = first; full && k < last; k++)
      if (is_full(&op->problem->bodies.body[k]))
        impl->gradient.iterate[NEXT].momentum[k] = work->next[k];
    impl->kernels->judge_bodies(work, first, last, &impl->gradient.energy[chunk]);
    for (size_t k = first; full && k < last; k++)
      if (is_full(&op->problem->bodies.body[k]))
        judge_full(op, k, work->beta, &impl->gradient.energy[chunk]);
  }
}

static double sum_of(const double *x) {
  return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

static op_gradient_sums total_of(const bodies_gradient *m, size_t units, size_t chunks) {
  sphere_sums s = {.distance2 = {0.0}};
  body_sums e = {.curvature = {0.0}};
  for (size_t k = 0; k < units; k++)
    for (size_t l = 0; l < PACK_LANES; l++) {
      s.distance2[l] += m->sums[k].distance2[l];
      s.uphill[l] += m->sums[k].uphill[l];
      s.value[l] += m->sums[k].value[l];
      s.compliant[l] += m->sums[k].compliant[l];
    }
  for (size_t k = 0; k < chunks; k++)
    for (size_t l = 0; l < PACK_LANES; l++) {
      e.curvature[l] += m->energy[k].curvature[l];
      e.objective[l] += m->energy[k].objective[l];
    }
  return (op_gradient_sums){.distance2 = sum_of(s.distance2),
                            .uphill = sum_of(s.uphill),
                            .curvature = sum_of(s.compliant) + sum_of(e.curvature),
                            .objective = sum_of(s.value) + sum_of(e.objective)};
}

/* One thread's part of a pack; all threads of a team call it. */
static void step_pack(const op_bodies *impl, int k, double beta, double length) {
  const bodies_gradient *m = &impl->gradient;
  const bodies_pack *pack = bodies_pack_at(impl, k);
  const sphere_kernels *kernels = bodies_pack_kernels(pack, impl->kernels);
  const size_t phases = pack->open.stirring ? pack->plan.phase_count : pack->open.phase;
  sphere_sums *sums = sums_of(impl, k);
  const sphere_step work = {
      .group = pack->lanes.group,
      .scale = pack->lanes.scale,
      .roll = pack->lanes.roll,
      .across = bodies_pack_across(pack),
      .extra = pack->lanes.has_extra ? pack->lanes.extra : NULL,
      .lines = lines_at_y(impl),
      .push = m->iterate[NEXT].twist,
      .current = m->iterate[CURRENT].lanes[k],
      .previous = m->iterate[PREVIOUS].lanes[k],
      .next = m->iterate[NEXT].lanes[k],
      .beta = beta,
      .step = length,
      .reach = bodies_pack_reach(pack),
  };
  for (size_t phase = 0; phase < phases; phase++) {
#pragma omp for schedule(static)
    for (size_t part = 0; part < bodies_pack_parts(pack, phase); part++)
      for (size_t unit = bodies_pack_part(pack, phase, part);
           unit < bodies_pack_part(pack, phase, part + 1); unit++)
        if (phase < pack->open.phase || !pack->open.asleep[unit])
          kernels->step(&work, pack->plan.unit_start[unit], pack->plan.unit_start[unit + 1],
                        &sums[unit]);
  }
}

static op_gradient_sums step(ccp_operator *op, double beta, double length) {
  op_bodies *impl = op->impl;
  bodies_gradient *m = &impl->gradient;
  const size_t rest = op->block_count - op->head_count;
  const bool make_y = beta != 0.0 && !(m->y_is_made && m->beta == beta);
  m->beta = beta;
  m->y_is_made = beta != 0.0;
  const body_step bodies = {
      .current = m->iterate[CURRENT].twist,
      .previous = m->iterate[PREVIOUS].twist,
      .next = m->iterate[NEXT].twist,
      .twist = make_y ? impl->push : NULL,
      .at_y = lines_at_y(impl),
      .base = m->base,
      .beta = beta,
  };
#pragma omp parallel num_threads(context_team(op->context, op->block_count > BODIES_PARALLEL))
  {
    start_bodies(op, &bodies);
    for (int k = 0; k < BODIES_PACKS; k++) step_pack(impl, k, beta, length);
    if (rest) step_rest(op, beta, length, m->sums + units_of(impl));
#pragma omp single
    bodies_average(op, m->iterate[NEXT].twist);
    judge_bodies(op, &bodies);
  }
  op_gradient_sums sums =
      total_of(m, units_of(impl) + rest, op->problem->bodies.body_count / BODY_CHUNK + 1);
  if (op->ranks) {
    double all[4] = {sums.distance2, sums.uphill, sums.curvature, sums.objective};
    op_reduce(op, all, 4, NULL, 0);
    sums = (op_gradient_sums){
        .distance2 = all[0], .uphill = all[1], .curvature = all[2], .objective = all[3]};
  }
  return sums;
}

static void accept(ccp_operator *op) {
  op_bodies *impl = op->impl;
  bodies_iterate *it = impl->gradient.iterate;
  const bodies_iterate previous = it[PREVIOUS];
  it[PREVIOUS] = it[CURRENT];
  it[CURRENT] = it[NEXT];
  it[NEXT] = previous;
  impl->gradient.y_is_made = false;
  impl->gradient.has_moved = true;
}

static void get(ccp_operator *op, double *g, double *u) {
  const op_bodies *impl = op->impl;
  const bodies_iterate *it = &impl->gradient.iterate[CURRENT];
  double *to = g ? g : u;
  if (!to) return;
  if (op->head_count < op->block_count) op_copy(op, it->rows, to);
  for (int k = 0; k < BODIES_PACKS; k++)
    bodies_pack_store(bodies_pack_at(impl, k), op, it->lanes[k], to);
  if (!u) return;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(context_team(op->context, op->block_count > BODIES_PARALLEL))
  for (size_t i = 0; i < op->block_count; i++) {
    const size_t row = op->row_start[i], dim = op->row_start[i + 1] - row;
    double velocity[SCREE_MAX_DIM];
    bodies_read_block(op, i, it->twist, velocity);
    for (size_t k = 0; k < dim; k++) {
      velocity[k] += op->problem->offset[row + k];
      if (op->problem->compliance) velocity[k] += op->problem->compliance[row + k] * to[row + k];
    }
    memcpy(u + row, velocity, dim * sizeof *u);
  }
}

static void judge(ccp_operator *op, scree_model model, op_judged *sum) {
  op_bodies *impl = op->impl;
  const bodies_iterate *it = &impl->gradient.iterate[CURRENT];
  bodies_judge_velocities(op, model, it->twist, (const double *const *)it->lanes, it->rows, sum);
  if (!impl->gradient.has_moved) return;
  wake_units(&impl->pack, impl->judged);
  wake_units(&impl->rolled, impl->judged + impl->pack.plan.unit_count);
}

const op_gradient_class bodies_gradient_class = {
    .begin = begin, .step = step, .accept = accept, .get = get, .judge = judge};

void bodies_gradient_free(scree_context *context, bodies_gradient *m) {
  for (int k = 0; k < 3; k++) {
    for (int p = 0; p < BODIES_PACKS; p++) memory_free(context, m->iterate[k].lanes[p]);
    memory_free(context, m->iterate[k].rows);
    memory_free(context, m->iterate[k].twist);
    memory_free(context, m->iterate[k].momentum);
  }
  memory_free(context, m->base);
  memory_free(context, m->full);
  memory_free(context, m->sums);
  memory_free(context, m->energy);
}

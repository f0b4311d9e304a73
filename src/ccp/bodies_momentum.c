/* See bodies_momentum.h. */
#include "ccp/bodies_momentum.h"

#include <string.h>

#include "base/memory.h"
#include "ccp/bodies_judge.h"
#include "ccp/bodies_setup.h"
#include "ccp/operator_metric.h"

enum { CURRENT, PREVIOUS, NEXT, BODY_CHUNK = 256 };

static scree_status reserve(ccp_operator *op, op_bodies *impl) {
  bodies_momentum *m = &impl->momentum;
  scree_context *context = op->context;
  const size_t bodies = op->problem->bodies.body_count, rest = op->block_count - op->head_count;
  for (int k = 0; k < 3; k++) {
    bodies_iterate *it = &m->iterate[k];
    if (memory_grow(context, &it->lanes, &it->lanes_capacity,
                    impl->pack.group_count * 3 * PACK_LANES, sizeof(double)) ||
        memory_grow(context, &it->rows, &it->rows_capacity, rest ? op->row_count : 0,
                    sizeof(double)) ||
        memory_grow(context, &it->push, &it->push_capacity, bodies + 1, sizeof(body_line)))
      return SCREE_ERROR_MEMORY;
    it->push[bodies] = (body_line){.inverse_mass = 0.0};
  }
  if (memory_grow(context, &m->inverse, &m->inverse_capacity, bodies, sizeof *m->inverse) ||
      memory_grow(context, &m->v_free, &m->v_free_capacity, bodies, sizeof *m->v_free) ||
      memory_grow(context, &m->full, &m->full_capacity, bodies / BODY_CHUNK + 1, sizeof *m->full) ||
      memory_grow(context, &m->sums, &m->sums_capacity, impl->pack.unit_count + rest,
                  sizeof *m->sums) ||
      memory_grow(context, &m->energy, &m->energy_capacity, bodies / BODY_CHUNK + 1,
                  sizeof *m->energy))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

static bool is_diagonal(const scree_ccp_body_def *body) {
  const double *s = body->inverse_inertia;
  return s[1] == 0.0 && s[2] == 0.0 && s[4] == 0.0;
}

static void fill_lines(const ccp_operator *op, const bodies_momentum *m) {
  const ccp_bodies *bodies = &op->problem->bodies;
  memset(m->full, 0, (bodies->body_count / BODY_CHUNK + 1) * sizeof *m->full);
  for (size_t k = 0; k < bodies->body_count; k++) {
    const scree_ccp_body_def *body = &bodies->body[k];
    const double *s = body->inverse_inertia, im = body->inverse_mass;
    const bool full = !is_diagonal(body);
    m->full[k / BODY_CHUNK] = m->full[k / BODY_CHUNK] || full;
    m->inverse[k] = full ? (body_line){.inverse_mass = 0.0}
                         : (body_line){.linear = {im, im, im}, .angular = {s[0], s[3], s[5]}};
    m->v_free[k] = (body_line){.inverse_mass = 0.0};
    memcpy(m->v_free[k].linear, body->v_free, sizeof m->v_free[k].linear);
    memcpy(m->v_free[k].angular, body->v_free + 3, sizeof m->v_free[k].angular);
  }
}

static scree_status begin(ccp_operator *op, const double *g) {
  op_bodies *impl = op->impl;
  bodies_momentum *m = &impl->momentum;
  scree_status status = reserve(op, impl);
  if (!status && op->head_count < op->block_count)
    status = op_metric_prepare(op, op->order + op->head_count, op->block_count - op->head_count);
  if (status) return status;
  fill_lines(op, m);
  bodies_sum_pushes(op, g);
  for (int k = CURRENT; k <= PREVIOUS; k++) {
    bodies_pack_load(&impl->pack, op, g, m->iterate[k].lanes, 3 * PACK_LANES);
    if (op->head_count < op->block_count) op_copy(op, g, m->iterate[k].rows);
    memcpy(m->iterate[k].push, impl->push, op->problem->bodies.body_count * sizeof *impl->push);
  }
  return SCREE_OK;
}

/* ---- a step ---------------------------------------------------------------------------------- */

static body_line momentum_at_y(const bodies_momentum *m, size_t k, double beta) {
  const body_line *c = &m->iterate[CURRENT].push[k], *p = &m->iterate[PREVIOUS].push[k];
  body_line y = {.inverse_mass = 0.0};
  for (int l = 0; l < 3; l++) {
    y.linear[l] = c->linear[l] + beta * (c->linear[l] - p->linear[l]);
    y.angular[l] = c->angular[l] + beta * (c->angular[l] - p->angular[l]);
  }
  return y;
}

/* What the kernels leave out: bodies with a full inertia. */
static void start_full(const ccp_operator *op, size_t k, double beta) {
  const op_bodies *impl = op->impl;
  const scree_ccp_body_def *body = &op->problem->bodies.body[k];
  const body_line y = momentum_at_y(&impl->momentum, k, beta);
  double twist[6];
  line_to_twist(body, &y, twist);
  for (int l = 0; l < 3; l++) {
    impl->push[k].linear[l] = body->v_free[l] + twist[l];
    impl->push[k].angular[l] = body->v_free[3 + l] + twist[3 + l];
  }
}

static void judge_full(const ccp_operator *op, size_t k, double beta, body_sums *sums) {
  const op_bodies *impl = op->impl;
  const body_line y = momentum_at_y(&impl->momentum, k, beta),
                  *n = &impl->momentum.iterate[NEXT].push[k];
  body_line q, h;
  double q_twist[6], h_twist[6];
  for (int l = 0; l < 3; l++) {
    q.linear[l] = n->linear[l] - y.linear[l];
    q.angular[l] = n->angular[l] - y.angular[l];
    h.linear[l] = 0.5 * n->linear[l] - y.linear[l];
    h.angular[l] = 0.5 * n->angular[l] - y.angular[l];
  }
  line_to_twist(&op->problem->bodies.body[k], &q, q_twist);
  line_to_twist(&op->problem->bodies.body[k], &h, h_twist);
  for (int l = 0; l < 3; l++) {
    sums->curvature[l] += q.linear[l] * q_twist[l];
    sums->curvature[3 + l] += q.angular[l] * q_twist[3 + l];
    sums->objective[l] += n->linear[l] * h_twist[l];
    sums->objective[3 + l] += n->angular[l] * h_twist[3 + l];
  }
}

/* A block that is not packed. */
static void step_block(const ccp_operator *op, size_t i, double beta, double length,
                       sphere_sums *sums) {
  const op_bodies *impl = op->impl;
  const bodies_momentum *m = &impl->momentum;
  const scree_ccp *problem = op->problem;
  const size_t row = op->row_start[i];
  const int dim = ccp_dim(problem, i);
  const double *root = op->root + row;
  const double *current = m->iterate[CURRENT].rows + row,
               *previous = m->iterate[PREVIOUS].rows + row;
  double *next = m->iterate[NEXT].rows + row;
  double u[SCREE_MAX_DIM], x[SCREE_MAX_DIM], y[SCREE_MAX_DIM], c[SCREE_MAX_DIM];
  bodies_read_block(op, i, impl->push, u);
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
  bodies_push_block(op, i, x, m->iterate[NEXT].push);
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

/* The passes over the bodies, in chunks of fixed size. All threads of a team call them. */
static void start_bodies(const ccp_operator *op, const body_step *work) {
  const op_bodies *impl = op->impl;
  const size_t count = op->problem->bodies.body_count;
#pragma omp for schedule(static)
  for (size_t chunk = 0; chunk <= count / BODY_CHUNK; chunk++) {
    const size_t first = chunk * BODY_CHUNK,
                 last = first + BODY_CHUNK < count ? first + BODY_CHUNK : count;
    impl->kernels->start_bodies(work, first, last);
    for (size_t k = first; impl->momentum.full[chunk] && k < last; k++)
      if (!is_diagonal(&op->problem->bodies.body[k])) start_full(op, k, work->beta);
  }
}

static void judge_bodies(const ccp_operator *op, const body_step *work) {
  const op_bodies *impl = op->impl;
  const size_t count = op->problem->bodies.body_count;
#pragma omp for schedule(static)
  for (size_t chunk = 0; chunk <= count / BODY_CHUNK; chunk++) {
    const size_t first = chunk * BODY_CHUNK,
                 last = first + BODY_CHUNK < count ? first + BODY_CHUNK : count;
    impl->kernels->judge_bodies(work, first, last, &impl->momentum.energy[chunk]);
    for (size_t k = first; impl->momentum.full[chunk] && k < last; k++)
      if (!is_diagonal(&op->problem->bodies.body[k]))
        judge_full(op, k, work->beta, &impl->momentum.energy[chunk]);
  }
}

static double sum_of(const double *x) {
  return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

static op_momentum_sums total_of(const bodies_momentum *m, size_t units, size_t chunks) {
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
  return (op_momentum_sums){.distance2 = sum_of(s.distance2),
                            .uphill = sum_of(s.uphill),
                            .curvature = sum_of(s.compliant) + sum_of(e.curvature),
                            .objective = sum_of(s.value) + sum_of(e.objective)};
}

static op_momentum_sums step(ccp_operator *op, double beta, double length) {
  const op_bodies *impl = op->impl;
  const bodies_momentum *m = &impl->momentum;
  const bodies_pack *pack = &impl->pack;
  const size_t rest = op->block_count - op->head_count;
  const sphere_step work = {
      .group = pack->group,
      .extra = pack->has_extra ? pack->extra : NULL,
      .lines = impl->push,
      .push = m->iterate[NEXT].push,
      .current = m->iterate[CURRENT].lanes,
      .previous = m->iterate[PREVIOUS].lanes,
      .next = m->iterate[NEXT].lanes,
      .beta = beta,
      .step = length,
      .far = pack->contact_count > PACK_FAR,
  };
  const body_step bodies = {
      .current = m->iterate[CURRENT].push,
      .previous = m->iterate[PREVIOUS].push,
      .next = m->iterate[NEXT].push,
      .twist = impl->push,
      .inverse = m->inverse,
      .v_free = m->v_free,
      .beta = beta,
  };
#pragma omp parallel num_threads(op->context->threads) if (op->block_count > BODIES_PARALLEL)
  {
    start_bodies(op, &bodies);
    for (size_t phase = 0; phase < pack->phase_count; phase++) {
#pragma omp for schedule(static)
      for (size_t unit = pack->phase_start[phase]; unit < pack->phase_start[phase + 1]; unit++)
        impl->kernels->step(&work, pack->unit_start[unit], pack->unit_start[unit + 1],
                            &m->sums[unit]);
    }
    if (rest) step_rest(op, beta, length, m->sums + pack->unit_count);
    judge_bodies(op, &bodies);
  }
  return total_of(m, pack->unit_count + rest, op->problem->bodies.body_count / BODY_CHUNK + 1);
}

static void accept(ccp_operator *op) {
  op_bodies *impl = op->impl;
  bodies_iterate *it = impl->momentum.iterate;
  const bodies_iterate previous = it[PREVIOUS];
  it[PREVIOUS] = it[CURRENT];
  it[CURRENT] = it[NEXT];
  it[NEXT] = previous;
}

static void get(ccp_operator *op, double *g, double *u) {
  const op_bodies *impl = op->impl;
  const bodies_iterate *it = &impl->momentum.iterate[CURRENT];
  const ccp_bodies *bodies = &op->problem->bodies;
  double *to = g ? g : u;
  if (!to) return;
  if (op->head_count < op->block_count) op_copy(op, it->rows, to);
  bodies_pack_store(&impl->pack, op, it->lanes, 3 * PACK_LANES, to);
  if (!u) return;
#pragma omp parallel num_threads(op->context->threads) if (op->block_count > BODIES_PARALLEL)
  {
#pragma omp for schedule(static)
    for (size_t k = 0; k < bodies->body_count; k++) {
      double twist[6];
      line_to_twist(&bodies->body[k], &it->push[k], twist);
      for (int l = 0; l < 3; l++) {
        impl->push[k].linear[l] = bodies->body[k].v_free[l] + twist[l];
        impl->push[k].angular[l] = bodies->body[k].v_free[3 + l] + twist[3 + l];
      }
    }
#pragma omp for schedule(static)
    for (size_t i = 0; i < op->block_count; i++) {
      const size_t row = op->row_start[i], dim = op->row_start[i + 1] - row;
      double velocity[SCREE_MAX_DIM];
      bodies_read_block(op, i, impl->push, velocity);
      for (size_t k = 0; k < dim; k++) {
        velocity[k] += op->problem->offset[row + k];
        if (op->problem->compliance) velocity[k] += op->problem->compliance[row + k] * to[row + k];
      }
      memcpy(u + row, velocity, dim * sizeof *u);
    }
  }
}

static void judge(ccp_operator *op, scree_model model, op_judged *sum) {
  const op_bodies *impl = op->impl;
  const bodies_iterate *it = &impl->momentum.iterate[CURRENT];
  bodies_judge_momenta(op, model, it->push, it->lanes, it->rows, sum);
}

const op_momentum_class bodies_momentum_class = {
    .begin = begin, .step = step, .accept = accept, .get = get, .judge = judge};

void bodies_momentum_free(scree_context *context, bodies_momentum *m) {
  for (int k = 0; k < 3; k++) {
    memory_free(context, m->iterate[k].lanes);
    memory_free(context, m->iterate[k].rows);
    memory_free(context, m->iterate[k].push);
  }
  memory_free(context, m->inverse);
  memory_free(context, m->v_free);
  memory_free(context, m->full);
  memory_free(context, m->sums);
  memory_free(context, m->energy);
}

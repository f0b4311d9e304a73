/* See bodies/glide.h. */
#include "ccp/bodies/glide.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/bodies/setup.h"

static scree_status begin_pack(ccp_operator *op, const bodies_pack *pack, glide_pack *glide) {
  const size_t lanes = bodies_pack_doubles(pack);
  const size_t shifts = pack->lanes.count * PACK_LANES;
  if (memory_grow(op->context, &glide->before, lanes, sizeof(double)) ||
      memory_grow(op->context, &glide->shift, shifts, sizeof(double)) ||
      memory_grow(op->context, &glide->sums, pack->plan.unit_count, sizeof *glide->sums))
    return SCREE_ERROR_MEMORY;
  if (lanes) memcpy(glide->before, pack->lanes.impulse, lanes * sizeof(double));
  if (shifts) memset(glide->shift, 0, shifts * sizeof(double));
  if (pack->plan.unit_count) memset(glide->sums, 0, pack->plan.unit_count * sizeof *glide->sums);
  return SCREE_OK;
}

static scree_status begin(ccp_operator *op) {
  op_bodies *impl = op->impl;
  bodies_glide *glide = &impl->glide;
  const size_t lines = op->problem->bodies.body_count + 1;
  if (memory_grow(op->context, &glide->state_before, lines, sizeof *glide->state_before))
    return SCREE_ERROR_MEMORY;
  for (int k = 0; k < BODIES_PACKS; k++)
    if (begin_pack(op, bodies_pack_at(impl, k), &glide->of[k])) return SCREE_ERROR_MEMORY;
  memcpy(glide->state_before, impl->state, lines * sizeof *impl->state);
  return SCREE_OK;
}

/* One thread's part: twists at y. Masses, in the same lines, are the same in both. */
static void extrapolate_share(const ccp_operator *op, double beta) {
  const op_bodies *impl = op->impl;
  size_t first, last;
  bodies_share(0, op->problem->bodies.body_count, &first, &last);
  impl->kernels->extrapolate(impl->state + first, impl->glide.state_before + first, beta,
                             last - first);
  bodies_wait();
}

/* A sweep over a pack. */
typedef struct glide_work {
  const bodies_pack *pack;
  const sphere_kernels *kernels;
  sphere_sweep sweep;
  sphere_glide *sums;
  bool round;
} glide_work;

/* Units begin … end - 1 of an open phase: all of them in a round, where an impulse wakes, else
 * those awake. */
static double sweep_open(const glide_work *w, size_t begin, size_t end) {
  const bodies_pack *pack = w->pack;
  double worst = 0.0;
  for (size_t unit = begin; unit < end; unit++) {
    if (pack->open.asleep[unit] && !w->round) continue;
    const double change =
        w->kernels->sweep_glide(&w->sweep, pack->plan.unit_start, unit, unit + 1, w->sums);
    if (change != 0.0) pack->open.asleep[unit] = false;
    worst = fmax(worst, change);
  }
  return worst;
}

static double sweep_share(const glide_work *w) {
  const bodies_pack *pack = w->pack;
  const size_t phases = w->round || pack->open.stirring ? pack->plan.phase_count : pack->open.phase;
  double worst = 0.0;
  for (size_t phase = 0; phase < phases; phase++) {
    size_t begin, end;
    bodies_share(0, bodies_pack_parts(pack, phase), &begin, &end);
    begin = bodies_pack_part(pack, phase, begin);
    end = bodies_pack_part(pack, phase, end);
    const double change = phase >= pack->open.phase ? sweep_open(w, begin, end)
                          : begin < end ? w->kernels->sweep_glide(&w->sweep, pack->plan.unit_start,
                                                                  begin, end, w->sums)
                                        : 0.0;
    worst = fmax(worst, change);
    bodies_wait();
  }
  return worst;
}

static double sum_of(const double *x) {
  return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

static void add_sums(const bodies_pack *pack, const sphere_glide *sums, op_glide_sums *total) {
  sphere_glide all = {.uphill = {0.0}};
  for (size_t unit = 0; unit < pack->plan.unit_count; unit++)
    for (size_t k = 0; k < PACK_LANES; k++) {
      all.uphill[k] += sums[unit].uphill[k];
      all.distance2[k] += sums[unit].distance2[k];
    }
  total->uphill += sum_of(all.uphill);
  total->distance2 += sum_of(all.distance2);
}

/* Exchanges the buffers: the impulses that the sweep wrote become the current ones. */
static void exchange(bodies_pack *pack, glide_pack *glide) {
  double *const impulse = glide->before;
  glide->before = pack->lanes.impulse;
  pack->lanes.impulse = impulse;
}

static glide_work work_of(const op_bodies *impl, int k, const op_glide_params *params) {
  bodies_pack *pack = bodies_pack_at(impl, k);
  glide_work work = {.pack = pack,
                     .kernels = bodies_pack_kernels(pack, impl->kernels),
                     .sweep = bodies_pack_sweep(impl, pack, params->model),
                     .sums = impl->glide.of[k].sums,
                     .round = pack->open.sweeps++ % PACK_ROUND_SWEEPS == 0};
  work.sweep.before = impl->glide.of[k].before;
  work.sweep.beta = params->beta;
  work.sweep.shift = params->follow > 0.0 ? impl->glide.of[k].shift : NULL;
  work.sweep.follow = params->follow;
  work.sweep.joins = pack->plan.tiled ? pack->plan.joins : NULL;
  return work;
}

static op_glide_sums sweep(ccp_operator *op, const op_glide_params *params,
                           const op_sweep_params *rest, double *g) {
  op_bodies *impl = op->impl;
  glide_work work[BODIES_PACKS];
  double worst = 0.0;
  for (int k = 0; k < BODIES_PACKS; k++) work[k] = work_of(impl, k, params);
#pragma omp parallel num_threads(context_team(op->context, op->head_count > BODIES_PARALLEL))
  {
    double mine = 0.0;
    extrapolate_share(op, params->beta);
    for (int k = 0; k < BODIES_PACKS; k++) mine = fmax(mine, sweep_share(&work[k]));
#pragma omp critical
    if (mine > worst) worst = mine;
  }
  op_glide_sums sums = {0.0, 0.0, 0.0};
  for (int k = 0; k < BODIES_PACKS; k++) {
    bodies_pack *pack = bodies_pack_at(impl, k);
    exchange(pack, &impl->glide.of[k]);
    for (size_t unit = bodies_pack_open_unit(pack); work[k].round && unit < pack->plan.unit_count;
         unit++)
      pack->open.stirring = pack->open.stirring || !pack->open.asleep[unit];
    add_sums(pack, impl->glide.of[k].sums, &sums);
  }
  sums.change = fmax(sqrt(worst), bodies_sweep_rest(op, rest, g));
  bodies_average(op, impl->state);
  return sums;
}

const op_glide_class bodies_glide_class = {.begin = begin, .sweep = sweep};

void bodies_glide_free(scree_context *context, bodies_glide *glide) {
  for (int k = 0; k < BODIES_PACKS; k++) {
    memory_free(context, glide->of[k].before);
    memory_free(context, glide->of[k].shift);
    memory_free(context, glide->of[k].sums);
  }
  memory_free(context, glide->state_before);
}

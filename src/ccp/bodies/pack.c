/* See bodies/pack.h: filling lanes, and impulses in and out. What fits is described in
 * bodies/classify.c, the order of the lanes made in bodies/schedule.c. */
#include "ccp/bodies/pack.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/bodies/operator.h"
#include "ccp/sets/set.h"

/* WINDOW: contacts that stay in a core's cache. */
enum { PARALLEL_GROUPS = 512, WINDOW = 1024 };

/* ---- filling --------------------------------------------------------------------------------- */

static void fill_extra(const bodies_pack *pack, const scree_ccp *p, size_t slot) {
  const size_t i = pack->lanes.block[slot], row = p->row_start[i], k = slot % PACK_LANES;
  const bool ray = ccp_dim(p, i) == 1;
  const double *compliance = p->compliance ? p->compliance + row : NULL;
  sphere_extra *e = &pack->lanes.extra[slot / PACK_LANES];
  e->compliance_n[k] = compliance ? compliance[0] : 0.0;
  e->compliance_t[k] = compliance && !ray ? compliance[1] : 0.0;
  e->top[k] = ccp_set(p, i)->cap;
}

/* mm: the sum of the inverse inertias. */
static void fill_roll(const bodies_pack *pack, const ccp_operator *op, size_t slot, double mm) {
  const size_t i = pack->lanes.block[slot], k = slot % PACK_LANES;
  const scree_set *set = ccp_set(op->problem, i);
  sphere_roll *r = &pack->lanes.roll[slot / PACK_LANES];
  r->rolls[k] = rows_roll(set->dim) ? 1.0 : 0.0;
  r->spins[k] = rows_spin(set->dim) ? 1.0 : 0.0;
  r->rolling[k] = set_rolling_of(set);
  r->spinning[k] = set_spinning_of(set);
  r->inverse_mm[k] = op->eta_moment[i] = 1.0 / mm;
}

/* offset: of the two tangents; null: a ray. */
static void fill_across(sphere_across *to, size_t k, const ccp_contact *c, const double *offset) {
  const contact_frame f = contact_frame_of(c);
  v3 across = {0.0, 0.0, 0.0};
  if (offset) across = v3_add_scaled(v3_scale(offset[0], f.t1), offset[1], f.t2);
  to->offset[0][k] = across.x;
  to->offset[1][k] = across.y;
  to->offset[2][k] = across.z;
}

static void fill_lane(const bodies_pack *pack, const ccp_operator *op, const body_line *lines,
                      size_t slot, sphere_scale *scale) {
  const scree_ccp *p = op->problem;
  const size_t i = pack->lanes.block[slot], row = p->row_start[i], k = slot % PACK_LANES;
  const ccp_contact *c = &p->bodies.contact[i];
  sphere_group *g = &pack->lanes.group[slot / PACK_LANES];
  const bool ray = ccp_dim(p, i) == 1;
  const double *compliance = p->compliance ? p->compliance + row : NULL;
  const bool world_a = c->body_a == SCREE_CCP_WORLD, world_b = c->body_b == SCREE_CCP_WORLD;
  const contact_pair pair = pack->pair[i];
  const uint32_t a = pair.a & ~PACK_FIXED, b = pair.b & ~PACK_FIXED;
  const v3 n = v3_load(c->normal);
  const double ra = world_a ? 0.0 : v3_dot(v3_load(c->arm_a), n);
  const double rb = world_b ? 0.0 : v3_dot(v3_load(c->arm_b), n);
  const double mass = lines[a].inverse_mass + lines[b].inverse_mass;
  const double turn = lines[a].inverse_inertia * (ra * ra) + lines[b].inverse_inertia * (rb * rb);
  const double nn = mass + (compliance ? compliance[0] : 0.0);
  const double tt = ray ? nn : mass + turn + (compliance ? compliance[1] : 0.0);
  g->a[k] = pair.a;
  g->b[k] = pair.b;
  for (int l = 0; l < 3; l++) g->normal[l][k] = c->normal[l];
  g->reach_a[k] = ra;
  g->reach_b[k] = rb;
  g->offset[k] = p->offset[row];
  if (pack->lanes.has_across)
    fill_across(&pack->lanes.across[slot / PACK_LANES], k, c, ray ? NULL : p->offset + row + 1);
  scale->mu[k] = ray ? 0.0 : ccp_set(p, i)->mu;
  /* Turned into their inverses for all lanes at once, by finish_lanes. */
  scale->inverse_nn[k] = nn;
  scale->inverse_tt[k] = tt;
  if (pack->lanes.has_rays) pack->lanes.rough[slot / PACK_LANES][k] = ray ? 0.0 : 1.0;
  if (pack->lanes.has_extra) fill_extra(pack, p, slot);
  if (pack->lanes.rolling)
    fill_roll(pack, op, slot, lines[a].inverse_inertia + lines[b].inverse_inertia);
}

/* Lanes of a group from N_nn and N_tt on; eta of the contacts. */
static void finish_lanes(sphere_scale *scale, const uint32_t *block, double *eta) {
  double inverse_weight[PACK_LANES];
  for (size_t k = 0; k < PACK_LANES; k++) {
    const double nn = scale->inverse_nn[k], tt = scale->inverse_tt[k], mu = scale->mu[k];
    scale->weight[k] = (nn + 2.0 * tt) / 3.0;
    inverse_weight[k] = 1.0 / scale->weight[k];
    scale->beta[k] = mu * tt / (nn + mu * mu * tt);
    scale->inverse_nn[k] = 1.0 / nn;
    scale->inverse_tt[k] = 1.0 / tt;
  }
  for (size_t k = 0; k < PACK_LANES; k++)
    if (block[k] != PACK_NO_BLOCK) eta[block[k]] = inverse_weight[k];
}

static bool is_whole(const uint32_t *block) {
  return block[PACK_LANES - 1] != PACK_NO_BLOCK;
}

static void fill_group(bodies_pack *pack, ccp_operator *op, const body_line *lines, size_t j) {
  const uint32_t world = (uint32_t)op->problem->bodies.body_count | PACK_FIXED;
  const uint32_t *block = pack->lanes.block + j * PACK_LANES;
  sphere_scale unused, *scale = pack->lanes.has_scale ? &pack->lanes.scale[j] : &unused;
  if (!is_whole(block)) {
    sphere_group *g = &pack->lanes.group[j];
    memset(g, 0, sizeof *g);
    memset(scale, 0, sizeof *scale);
    if (pack->lanes.has_across) memset(&pack->lanes.across[j], 0, sizeof pack->lanes.across[j]);
    if (pack->lanes.has_extra) memset(&pack->lanes.extra[j], 0, sizeof pack->lanes.extra[j]);
    if (pack->lanes.has_rays) memset(&pack->lanes.rough[j], 0, sizeof pack->lanes.rough[j]);
    if (pack->lanes.rolling) memset(&pack->lanes.roll[j], 0, sizeof pack->lanes.roll[j]);
    for (size_t k = 0; k < PACK_LANES; k++) {
      g->a[k] = g->b[k] = world;
      scale->inverse_nn[k] = scale->inverse_tt[k] = 1.0;
      if (pack->lanes.rolling) pack->lanes.roll[j].inverse_mm[k] = 1.0;
    }
  }
  for (size_t k = 0; k < PACK_LANES; k++)
    if (block[k] != PACK_NO_BLOCK) fill_lane(pack, op, lines, j * PACK_LANES + k, scale);
  finish_lanes(scale, block, op->eta_force);
}

typedef struct fill_work {
  bodies_pack *pack;
  ccp_operator *op;
  const body_kernels *kernels;
  contact_fill lanes;
  bool plain; /* whole groups go through the kernel */
} fill_work;

static void fill_pull(const bodies_pack *pack, const ccp_operator *op, size_t j) {
  const uint32_t *block = pack->lanes.block + j * PACK_LANES;
  for (size_t k = 0; k < PACK_LANES; k++)
    pack->lanes.pull[j][k] = block[k] != PACK_NO_BLOCK ? op->pull[op->row_start[block[k]]] : 0.0;
}

static void fill_groups(const fill_work *w, size_t begin, size_t end) {
  const bodies_pack *pack = w->pack;
  for (size_t j = begin; j < end; j++) {
    const uint32_t *block = pack->lanes.block + j * PACK_LANES;
    if (pack->lanes.has_pull) fill_pull(pack, w->op, j);
    if (w->plain && is_whole(block))
      w->kernels->fill(&w->lanes, block, &pack->lanes.group[j],
                       pack->lanes.has_scale ? &pack->lanes.scale[j] : NULL,
                       pack->lanes.has_across ? &pack->lanes.across[j] : NULL);
    else
      fill_group(w->pack, w->op, w->lanes.lines, j);
  }
}

/* The first of the groups begin … end - 1, whose contacts ascend, that begins at `contact` or
 * beyond. */
static size_t first_from(const bodies_pack *pack, size_t begin, size_t end, size_t contact) {
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if (pack->lanes.block[middle * PACK_LANES] < contact)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* The groups of all phases that begin with contacts from … to - 1: what they read stays in cache
 * from one colour to the next. */
static void fill_window(const fill_work *w, size_t from, size_t to) {
  const bodies_pack *pack = w->pack;
  for (size_t phase = 0; phase < pack->plan.phase_count; phase++) {
    const size_t begin = pack->plan.unit_start[pack->plan.phase_start[phase]],
                 end = pack->plan.unit_start[pack->plan.phase_start[phase + 1]];
    const size_t first = first_from(pack, begin, end, from);
    fill_groups(w, first, first_from(pack, first, end, to));
  }
}

void bodies_pack_fill(bodies_pack *pack, ccp_operator *op, const body_line *lines) {
  const scree_ccp *p = op->problem;
  const fill_work work = {.pack = pack,
                          .op = op,
                          .kernels = ((const op_bodies *)op->impl)->kernels,
                          .lanes = {.contact = p->bodies.contact,
                                    .pair = pack->pair,
                                    .lines = lines,
                                    .world = lines + p->bodies.body_count,
                                    .row_start = p->row_start,
                                    .set_index = p->set_index,
                                    .set = p->set,
                                    .offset = p->offset,
                                    .eta = op->eta_force},
                          .plain = pack->uniform && !pack->lanes.has_extra && !pack->lanes.rolling};
  for (size_t k = 0; pack->lanes.same_mu && k < PACK_LANES; k++) pack->lanes.mu[k] = p->set[0].mu;
  /* Groups are filled window by window, so that they share the cache; a tile is a window already.
   */
  const size_t count =
      pack->plan.tiled ? pack->plan.unit_count : p->bodies.contact_count / WINDOW + 1;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(context_team(op->context, pack->lanes.count > PARALLEL_GROUPS))
  for (size_t k = 0; k < count; k++) {
    if (pack->plan.tiled)
      fill_groups(&work, pack->plan.unit_start[k], pack->plan.unit_start[k + 1]);
    else
      fill_window(&work, k * WINDOW, (k + 1) * WINDOW);
  }
}

scree_status bodies_pack_make_scale(bodies_pack *pack, const ccp_operator *op, body_line *lines) {
  const op_bodies *impl = op->impl;
  if (pack->lanes.has_scale) return SCREE_OK;
  if (memory_grow(op->context, &pack->lanes.scale, pack->lanes.count, sizeof *pack->lanes.scale))
    return SCREE_ERROR_MEMORY;
  const sphere_sweep work = {.group = pack->lanes.group, .mu = pack->lanes.mu, .lines = lines};
#pragma omp parallel for schedule(static)                                                          \
    num_threads(context_team(op->context, pack->lanes.count > PARALLEL_GROUPS))
  for (size_t j = 0; j < pack->lanes.count; j += PACK_BATCH)
    impl->kernels->scale(&work, j, bodies_pack_batch(j, pack->lanes.count), pack->lanes.scale);
  pack->lanes.has_scale = true;
  return SCREE_OK;
}

void bodies_pack_free(scree_context *context, bodies_pack *pack) {
  memory_free(context, pack->lanes.group);
  memory_free(context, pack->lanes.scale);
  memory_free(context, pack->lanes.impulse);
  memory_free(context, pack->lanes.across);
  memory_free(context, pack->lanes.extra);
  memory_free(context, pack->lanes.rough);
  memory_free(context, pack->lanes.pull);
  memory_free(context, pack->lanes.roll);
  memory_free(context, pack->lanes.block);
  memory_free(context, pack->plan.unit_start);
  memory_free(context, pack->plan.chain_start);
  memory_free(context, pack->plan.phase_start);
  memory_free(context, pack->plan.joins);
  memory_free(context, pack->open.asleep);
  memory_free(context, pack->pair);
  memory_free(context, pack->scratch.trait);
  memory_free(context, pack->scratch.colour);
  memory_free(context, pack->scratch.used);
  memory_free(context, pack->scratch.tile);
  memory_free(context, pack->scratch.home_start);
  memory_free(context, pack->scratch.tile_colours);
  memory_free(context, pack->scratch.stamp);
}

void bodies_pack_lull(bodies_pack *pack, const double *lanes) {
  pack->open.sweeps = 0;
  pack->open.stirring = false;
  for (size_t unit = bodies_pack_open_unit(pack); unit < pack->plan.unit_count; unit++) {
    bool still = true;
    for (size_t k = pack->plan.unit_start[unit] * bodies_pack_stride(pack);
         still && k < pack->plan.unit_start[unit + 1] * bodies_pack_stride(pack); k++)
      still = lanes[k] == 0.0;
    pack->open.asleep[unit] = still;
    pack->open.stirring = pack->open.stirring || !still;
  }
}

/* ---- impulses in and out --------------------------------------------------------------------- */

/* Packed contacts have one row of force or three. */
static int force_rows(const ccp_operator *op, uint32_t i) {
  return op->row_start[i + 1] - op->row_start[i] >= 3 ? 3 : 1;
}

static void load_lane(const ccp_operator *op, uint32_t i, const double *g, double *to) {
  v3 world = {0.0, 0.0, 0.0};
  if (i != PACK_NO_BLOCK) {
    const ccp_contact *c = &op->problem->bodies.contact[i];
    const double *x = g + op->row_start[i];
    const contact_frame f = contact_frame_of(c);
    world = contact_frame_force(&f, force_rows(op, i), x);
  }
  to[0] = world.x;
  to[PACK_LANES] = world.y;
  to[2 * PACK_LANES] = world.z;
}

static void store_lane(const ccp_operator *op, uint32_t i, const double *from, double *g) {
  const ccp_contact *c = &op->problem->bodies.contact[i];
  double *x = g + op->row_start[i];
  const contact_frame f = contact_frame_of(c);
  const v3 world = {from[0], from[PACK_LANES], from[2 * PACK_LANES]};
  contact_frame_force_rows(&f, force_rows(op, i), world, x);
}

/* Moments, as forces above. The normal's part is added first, as kernels->load does it. */
static void load_moment(const ccp_operator *op, uint32_t i, const double *g, double *to) {
  v3 world = {0.0, 0.0, 0.0};
  if (i != PACK_NO_BLOCK) {
    const ccp_contact *c = &op->problem->bodies.contact[i];
    const double *x = g + op->row_start[i];
    const int dim = ccp_dim(op->problem, i);
    const contact_frame f = contact_frame_of(c);
    if (rows_spin(dim)) world = v3_scale(x[rows_spinning(dim)], f.n);
    if (rows_roll(dim))
      world = v3_add_scaled(v3_add_scaled(world, x[ROWS_ROLLING], f.t1), x[ROWS_ROLLING + 1], f.t2);
  }
  to[0] = world.x;
  to[PACK_LANES] = world.y;
  to[2 * PACK_LANES] = world.z;
}

static void store_moment(const ccp_operator *op, uint32_t i, const double *from, double *g) {
  const ccp_contact *c = &op->problem->bodies.contact[i];
  double *x = g + op->row_start[i];
  const int dim = ccp_dim(op->problem, i);
  const contact_frame f = contact_frame_of(c);
  const v3 world = {from[0], from[PACK_LANES], from[2 * PACK_LANES]};
  contact_frame_moment_rows(&f, dim, world, x);
}

void bodies_pack_load_some(const bodies_pack *pack, const ccp_operator *op, const double *g,
                           size_t begin, size_t end, double *lanes) {
  const body_kernels *kernels = ((const op_bodies *)op->impl)->kernels;
  const contact_rows_at work = {op->problem->bodies.contact, op->row_start};
  for (size_t j = begin; j < end; j++) {
    const uint32_t *block = pack->lanes.block + j * PACK_LANES;
    double *to = lanes + (j - begin) * bodies_pack_stride(pack);
    if ((pack->uniform || pack->lanes.rolling) && is_whole(block))
      kernels->load(&work, block, g, (double(*)[PACK_LANES])to);
    else
      for (size_t k = 0; k < PACK_LANES; k++) load_lane(op, block[k], g, to + k);
    for (size_t k = 0; pack->lanes.rolling && k < PACK_LANES; k++)
      load_moment(op, block[k], g, to + PACK_IMPULSES + k);
  }
}

void bodies_pack_store_some(const bodies_pack *pack, const ccp_operator *op, const double *lanes,
                            size_t begin, size_t end, double *g) {
  const body_kernels *kernels = ((const op_bodies *)op->impl)->kernels;
  const contact_rows_at work = {op->problem->bodies.contact, op->row_start};
  for (size_t j = begin; j < end; j++) {
    const uint32_t *block = pack->lanes.block + j * PACK_LANES;
    const double *from = lanes + (j - begin) * bodies_pack_stride(pack);
    if ((pack->uniform || pack->lanes.rolling) && is_whole(block))
      kernels->store(&work, block, (const double(*)[PACK_LANES])from, g);
    else
      for (size_t k = 0; k < PACK_LANES && block[k] != PACK_NO_BLOCK; k++)
        store_lane(op, block[k], from + k, g);
    for (size_t k = 0; pack->lanes.rolling && k < PACK_LANES && block[k] != PACK_NO_BLOCK; k++)
      store_moment(op, block[k], from + PACK_IMPULSES + k, g);
  }
}

void bodies_pack_load(const bodies_pack *pack, const ccp_operator *op, const double *g,
                      double *lanes) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(context_team(op->context, pack->lanes.count > PARALLEL_GROUPS))
  for (size_t j = 0; j < pack->lanes.count; j += PACK_BATCH)
    bodies_pack_load_some(pack, op, g, j, bodies_pack_batch(j, pack->lanes.count),
                          lanes + j * bodies_pack_stride(pack));
}

void bodies_pack_store(const bodies_pack *pack, const ccp_operator *op, const double *lanes,
                       double *g) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(context_team(op->context, pack->lanes.count > PARALLEL_GROUPS))
  for (size_t j = 0; j < pack->lanes.count; j += PACK_BATCH)
    bodies_pack_store_some(pack, op, lanes + j * bodies_pack_stride(pack), j,
                           bodies_pack_batch(j, pack->lanes.count), g);
}

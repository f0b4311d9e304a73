/* The order of packed contacts.
 *
 * Contacts in ascending order take the lowest colour that is free at both of their moving bodies; a
 * colour keeps its contacts in ascending order, so that contacts near in the caller's order, and
 * with them their bodies, stay near in memory. A contact for which no colour is left (a large
 * moving body with hundreds of contacts) is left to the generic path.
 *
 * Small problems: a phase is a colour, cut into units of a few groups. All bodies are in cache, and
 * a sweep passes over them once a colour.
 *
 * Large problems: a sweep would fetch every body line once a colour from far away. So contacts are
 * cut, in the caller's order, into tiles whose bodies stay in cache; a unit is a tile, with colours
 * inside; tiles that share no moving body make a phase. If the caller's order is so scattered that
 * most tiles share bodies, the colours of small problems serve better, and they are taken. */
#include <string.h>

#include "base/memory.h"
#include "ccp/bodies_pack.h"

enum { UNIT_GROUPS = 16, TILE_CONTACTS = 4096, TILES_FROM = 32, PARALLEL_BLOCKS = 4096 };

typedef struct pack_tile {
  uint32_t first, end; /* contacts: first … end - 1, those that fit */
  uint32_t groups;
  uint32_t colour;
} pack_tile;

typedef struct colour_counts {
  size_t count[PACK_COLOURS];
} colour_counts;

static size_t groups_of(size_t contacts) {
  return (contacts + PACK_LANES - 1) / PACK_LANES;
}

static scree_status reserve(bodies_pack *pack, scree_context *context, size_t groups, size_t units,
                            size_t phases) {
  if (memory_grow(context, &pack->group, &pack->group_capacity, groups, sizeof *pack->group) ||
      memory_grow(context, &pack->block, &pack->block_capacity, groups * PACK_LANES,
                  sizeof *pack->block) ||
      memory_grow(context, &pack->unit_start, &pack->unit_capacity, units + 1,
                  sizeof *pack->unit_start) ||
      memory_grow(context, &pack->phase_start, &pack->phase_capacity, phases + 1,
                  sizeof *pack->phase_start))
    return SCREE_ERROR_MEMORY;
  if (memory_grow(context, &pack->impulse, &pack->impulse_capacity, groups * PACK_IMPULSES,
                  sizeof *pack->impulse))
    return SCREE_ERROR_MEMORY;
  if (pack->has_extra &&
      memory_grow(context, &pack->extra, &pack->extra_capacity, groups, sizeof *pack->extra))
    return SCREE_ERROR_MEMORY;
  if (pack->has_rays &&
      memory_grow(context, &pack->rough, &pack->rough_capacity, groups, sizeof *pack->rough))
    return SCREE_ERROR_MEMORY;
  pack->group_count = groups;
  pack->unit_count = units;
  pack->phase_count = phases;
  if (groups) memset(pack->block, 0xff, groups * PACK_LANES * sizeof *pack->block);
  pack->phase_start[phases] = (uint32_t)units;
  pack->unit_start[units] = (uint32_t)groups;
  return SCREE_OK;
}

static bool pack_moves(const bodies_pack *pack, uint32_t body) {
  return body != SCREE_CCP_WORLD && (pack->trait[body] & PACK_MOVES);
}

/* Colours contact i at bodies whose masks are pack->used. False: no colour is left. */
static bool take_colour(bodies_pack *pack, const ccp_bodies *bodies, size_t i,
                        colour_counts *counts) {
  const ccp_contact *c = &bodies->contact[i];
  const bool moves_a = pack_moves(pack, c->body_a), moves_b = pack_moves(pack, c->body_b);
  const uint64_t used =
      (moves_a ? pack->used[c->body_a] : 0) | (moves_b ? pack->used[c->body_b] : 0);
  if (!~used) return false;
  const unsigned colour = (unsigned)__builtin_ctzll(~used);
  if (moves_a) pack->used[c->body_a] |= (uint64_t)1 << colour;
  if (moves_b) pack->used[c->body_b] |= (uint64_t)1 << colour;
  pack->colour[i] = (uint8_t)colour;
  counts->count[colour]++;
  return true;
}

static size_t groups_of_all(const colour_counts *counts) {
  size_t groups = 0;
  for (size_t c = 0; c < PACK_COLOURS; c++) groups += groups_of(counts->count[c]);
  return groups;
}

/* Lanes of contacts first … end - 1, colour by colour from a group on. */
static void place(bodies_pack *pack, const colour_counts *counts, size_t first, size_t end,
                  size_t group) {
  size_t next[PACK_COLOURS];
  for (size_t c = 0; c < PACK_COLOURS; c++) {
    next[c] = group * PACK_LANES;
    group += groups_of(counts->count[c]);
  }
  for (size_t i = first; i < end; i++)
    if (pack->colour[i] != PACK_REST) pack->block[next[pack->colour[i]]++] = (uint32_t)i;
}

/* ---- a phase a colour ------------------------------------------------------------------------ */

static scree_status schedule_colours(bodies_pack *pack, const ccp_operator *op) {
  const ccp_bodies *bodies = &op->problem->bodies;
  colour_counts counts = {{0}};
  size_t units = 0, phases = 0;
  if (bodies->body_count) memset(pack->used, 0, bodies->body_count * sizeof *pack->used);
  for (size_t i = 0; i < bodies->contact_count; i++)
    if (pack->colour[i] != PACK_REST && !take_colour(pack, bodies, i, &counts)) {
      pack->colour[i] = PACK_REST;
      pack->contact_count--;
    }
  for (; phases < PACK_COLOURS && counts.count[phases]; phases++)
    units += (groups_of(counts.count[phases]) + UNIT_GROUPS - 1) / UNIT_GROUPS;
  if (reserve(pack, op->context, groups_of_all(&counts), units, phases)) return SCREE_ERROR_MEMORY;
  size_t group = 0, unit = 0;
  for (size_t c = 0; c < phases; c++) {
    const size_t end = group + groups_of(counts.count[c]);
    pack->phase_start[c] = (uint32_t)unit;
    for (; group < end; group = group + UNIT_GROUPS < end ? group + UNIT_GROUPS : end)
      pack->unit_start[unit++] = (uint32_t)group;
  }
  place(pack, &counts, 0, bodies->contact_count, 0);
  return SCREE_OK;
}

/* ---- a unit a tile --------------------------------------------------------------------------- */

static void forget_colours(bodies_pack *pack, uint32_t body, uint32_t stamp, uint64_t *taken) {
  if (!pack_moves(pack, body)) return;
  *taken |= pack->tile_colours[body];
  if (pack->stamp[body] == stamp) return;
  pack->stamp[body] = stamp;
  pack->used[body] = 0;
}

/* Colours the contacts of a tile, and the tile among tiles. Returns its counts of groups. */
static void colour_tile(bodies_pack *pack, const ccp_bodies *bodies, uint32_t stamp,
                        pack_tile *tile) {
  colour_counts counts = {{0}};
  uint64_t taken = 0;
  for (size_t i = tile->first; i < tile->end; i++) {
    if (pack->colour[i] == PACK_REST) continue;
    forget_colours(pack, bodies->contact[i].body_a, stamp, &taken);
    forget_colours(pack, bodies->contact[i].body_b, stamp, &taken);
    if (take_colour(pack, bodies, i, &counts)) continue;
    pack->colour[i] = PACK_REST;
    pack->contact_count--;
  }
  tile->groups = (uint32_t)groups_of_all(&counts);
  tile->colour = ~taken ? (uint32_t)__builtin_ctzll(~taken) : PACK_COLOURS;
  if (tile->colour == PACK_COLOURS) return;
  for (size_t i = tile->first; i < tile->end; i++) {
    if (pack->colour[i] == PACK_REST) continue;
    const uint32_t side[2] = {bodies->contact[i].body_a, bodies->contact[i].body_b};
    for (int s = 0; s < 2; s++)
      if (pack_moves(pack, side[s])) pack->tile_colours[side[s]] |= (uint64_t)1 << tile->colour;
  }
}

static size_t cut_tiles(bodies_pack *pack, size_t contact_count) {
  size_t tiles = 0, inside = 0;
  pack->tile[0].first = 0;
  for (size_t i = 0; i < contact_count; i++) {
    if (pack->colour[i] == PACK_REST || inside++ < TILE_CONTACTS) continue;
    pack->tile[tiles++].end = (uint32_t)i;
    pack->tile[tiles].first = (uint32_t)i;
    inside = 1;
  }
  pack->tile[tiles++].end = (uint32_t)contact_count;
  return tiles;
}

/* Tiles of one colour make a phase. */
static scree_status place_tiles(bodies_pack *pack, const ccp_operator *op, size_t tiles,
                                size_t colours) {
  size_t groups = 0, unit = 0, group = 0;
  for (size_t t = 0; t < tiles; t++) groups += pack->tile[t].groups;
  if (reserve(pack, op->context, groups, tiles, colours)) return SCREE_ERROR_MEMORY;
  for (size_t c = 0; c < colours; c++) {
    pack->phase_start[c] = (uint32_t)unit;
    for (size_t t = 0; t < tiles; t++) {
      const pack_tile *tile = &pack->tile[t];
      if (tile->colour != c) continue;
      colour_counts counts = {{0}};
      for (size_t i = tile->first; i < tile->end; i++)
        if (pack->colour[i] != PACK_REST) counts.count[pack->colour[i]]++;
      place(pack, &counts, tile->first, tile->end, group);
      pack->unit_start[unit++] = (uint32_t)group;
      group += tile->groups;
    }
  }
  return SCREE_OK;
}

/* False in *good: the tiles hang together too much. The colours are then to be taken again. */
static scree_status schedule_tiles(bodies_pack *pack, const ccp_operator *op, bool *good) {
  const ccp_bodies *bodies = &op->problem->bodies;
  const size_t n = bodies->body_count, most = bodies->contact_count / TILE_CONTACTS + 1;
  if (memory_grow(op->context, &pack->tile, &pack->tile_capacity, most, sizeof *pack->tile) ||
      memory_grow(op->context, &pack->tile_colours, &pack->tile_colours_capacity, n,
                  sizeof *pack->tile_colours) ||
      memory_grow(op->context, &pack->stamp, &pack->stamp_capacity, n, sizeof *pack->stamp))
    return SCREE_ERROR_MEMORY;
  memset(pack->tile_colours, 0, n * sizeof *pack->tile_colours);
  memset(pack->stamp, 0, n * sizeof *pack->stamp);
  const size_t tiles = cut_tiles(pack, bodies->contact_count);
  size_t colours = 0;
  *good = true;
  for (size_t t = 0; *good && t < tiles; t++) {
    colour_tile(pack, bodies, (uint32_t)t + 1, &pack->tile[t]);
    if (pack->tile[t].colour + 1 > colours) colours = pack->tile[t].colour + 1;
    *good = colours <= PACK_COLOURS && 4 * colours <= tiles + TILES_FROM;
  }
  return *good ? place_tiles(pack, op, tiles, colours) : SCREE_OK;
}

/* ---- the choice ------------------------------------------------------------------------------ */

static bool wants_extra(const scree_ccp *p, size_t i) {
  const size_t row = p->row_start[i], dim = p->row_start[i + 1] - row;
  bool wants = false;
  for (size_t k = 0; k < dim; k++)
    wants = wants || (k && p->offset[row + k] != 0.0) ||
            (p->compliance && p->compliance[row + k] != 0.0);
  return wants;
}

static void find_fitting(bodies_pack *pack, const ccp_operator *op) {
  const scree_ccp *p = op->problem;
  size_t count = 0;
  bool extra = false, rays = false;
#pragma omp parallel for schedule(static) num_threads(op->context->threads)                        \
    reduction(+ : count) reduction(|| : extra, rays) if (op->block_count > PARALLEL_BLOCKS)
  for (size_t i = 0; i < op->block_count; i++) {
    const bool fits = i < p->bodies.contact_count && bodies_pack_fits(pack, p, i);
    pack->colour[i] = fits ? 0 : PACK_REST;
    count += fits;
    extra = extra || (fits && wants_extra(p, i));
    rays = rays || (fits && ccp_dim(p, i) == 1);
  }
  pack->contact_count = count;
  pack->has_extra = extra;
  pack->has_rays = rays;
}

scree_status bodies_pack_schedule(bodies_pack *pack, const ccp_operator *op) {
  if (memory_grow(op->context, &pack->colour, &pack->colour_capacity, op->block_count,
                  sizeof *pack->colour) ||
      memory_grow(op->context, &pack->used, &pack->used_capacity, op->problem->bodies.body_count,
                  sizeof *pack->used) ||
      memory_grow(op->context, &pack->trait, &pack->trait_capacity,
                  op->problem->bodies.body_count + 1, sizeof *pack->trait))
    return SCREE_ERROR_MEMORY;
  bodies_pack_traits(pack, &op->problem->bodies);
  find_fitting(pack, op);
  pack->tiled = false;
  if (pack->contact_count >= (size_t)TILES_FROM * TILE_CONTACTS) {
    bool good = false;
    const scree_status status = schedule_tiles(pack, op, &good);
    pack->tiled = good;
    if (status || good) return status;
    find_fitting(pack, op);
  }
  return schedule_colours(pack, op);
}

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
 * Large problems: a sweep would fetch every body line once a colour from far away. So bodies are
 * cut, in the caller's order, into blocks, and the contacts within a block, in the caller's order,
 * into tiles whose bodies stay in cache; a unit is a tile, with colours inside. The tiles of a
 * block follow each other, so that one finds in cache what it shares with those before it, and make
 * a chain; blocks share no moving body and run at once. Contacts between blocks come last, in tiles
 * of which those that share no moving body make a phase. If the caller's order is so scattered that
 * most tiles share bodies, the colours of small problems serve better, and they are taken.
 *
 * In a simulation, contacts that would stay wide open without impulses, r_n - mu |r_t| beyond
 * open_speed times the reference speed, are put in phases of their own after all others: see
 * bodies_pack.h. In a bed these are a third of the contacts. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/bodies_pack.h"

/* Contacts to be placed, by what they expect; and the base of their colours. */
typedef enum pack_kind { KIND_CLOSED, KIND_OPEN } pack_kind;
enum { MARK_CLOSED = 252, MARK_OPEN = 253 };
static const double open_speed = 2.0;

enum {
  UNIT_GROUPS = 16,
  OPEN_UNIT_GROUPS = 2,
  TILED_FROM = 131072, /* contacts */
  TILE_CONTACTS = 1024,
  BLOCK_CONTACTS = 65536, /* of a block of bodies, about */
  BLOCKS_LEAST = 4,
  PARALLEL_BLOCKS = 4096
};

typedef struct pack_tile {
  uint32_t first, end; /* contacts: those listed at first … end - 1 */
  uint32_t groups;
  uint32_t block;  /* of bodies; that of contacts between blocks comes last */
  uint32_t colour; /* among tiles between blocks */
} pack_tile;

typedef struct colour_counts {
  size_t count[PACK_COLOURS];
} colour_counts;

static size_t groups_of(size_t contacts) {
  return (contacts + PACK_LANES - 1) / PACK_LANES;
}

static bool is_of(const bodies_pack *pack, size_t i, pack_kind kind) {
  return pack->colour[i] / PACK_COLOURS == kind;
}

static bool is_to_place(const bodies_pack *pack, size_t i, pack_kind kind) {
  return pack->colour[i] == (kind == KIND_OPEN ? MARK_OPEN : MARK_CLOSED);
}

/* Room for so many more. */
static scree_status reserve(bodies_pack *pack, scree_context *context, size_t groups, size_t units,
                            size_t phases) {
  const size_t before = pack->group_count;
  groups += before;
  units += pack->unit_count;
  phases += pack->phase_count;
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
  if (groups > before)
    memset(pack->block + before * PACK_LANES, 0xff,
           (groups - before) * PACK_LANES * sizeof *pack->block);
  pack->phase_start[phases] = (uint32_t)units;
  pack->unit_start[units] = (uint32_t)groups;
  return SCREE_OK;
}

static bool pack_moves(const bodies_pack *pack, uint32_t body) {
  return body != SCREE_CCP_WORLD && (pack->trait[body] & PACK_MOVES);
}

/* Colours contact i at bodies whose masks are pack->used. False: no colour is left. */
static bool take_colour(bodies_pack *pack, const ccp_bodies *bodies, size_t i, pack_kind kind,
                        colour_counts *counts) {
  const ccp_contact *c = &bodies->contact[i];
  const bool moves_a = pack_moves(pack, c->body_a), moves_b = pack_moves(pack, c->body_b);
  const uint64_t used =
      (moves_a ? pack->used[c->body_a] : 0) | (moves_b ? pack->used[c->body_b] : 0);
  if (!~used) return false;
  const unsigned colour = (unsigned)__builtin_ctzll(~used);
  if (moves_a) pack->used[c->body_a] |= (uint64_t)1 << colour;
  if (moves_b) pack->used[c->body_b] |= (uint64_t)1 << colour;
  pack->colour[i] = (uint8_t)(kind * PACK_COLOURS + colour);
  counts->count[colour]++;
  return true;
}

static size_t groups_of_all(const colour_counts *counts) {
  size_t groups = 0;
  for (size_t c = 0; c < PACK_COLOURS; c++) groups += groups_of(counts->count[c]);
  return groups;
}

/* Lanes of contacts first … end - 1 of a list, or of all, colour by colour from a group on. */
static void place(bodies_pack *pack, pack_kind kind, const colour_counts *counts,
                  const uint32_t *list, size_t first, size_t end, size_t group) {
  size_t next[PACK_COLOURS];
  for (size_t c = 0; c < PACK_COLOURS; c++) {
    next[c] = group * PACK_LANES;
    group += groups_of(counts->count[c]);
  }
  for (size_t j = first; j < end; j++) {
    const size_t i = list ? list[j] : j;
    if (is_of(pack, i, kind)) pack->block[next[pack->colour[i] % PACK_COLOURS]++] = (uint32_t)i;
  }
}

/* ---- a phase a colour ------------------------------------------------------------------------ */

static scree_status schedule_colours(bodies_pack *pack, const ccp_operator *op, pack_kind kind) {
  const ccp_bodies *bodies = &op->problem->bodies;
  colour_counts counts = {{0}};
  size_t group = pack->group_count, unit = pack->unit_count, units = 0, phases = 0;
  const size_t first_group = group, first_phase = pack->phase_count;
  const size_t most = kind == KIND_OPEN ? OPEN_UNIT_GROUPS : UNIT_GROUPS;
  if (bodies->body_count) memset(pack->used, 0, bodies->body_count * sizeof *pack->used);
  for (size_t i = 0; i < bodies->contact_count; i++)
    if (is_to_place(pack, i, kind) && !take_colour(pack, bodies, i, kind, &counts)) {
      pack->colour[i] = PACK_REST;
      pack->contact_count--;
    }
  for (; phases < PACK_COLOURS && counts.count[phases]; phases++)
    units += (groups_of(counts.count[phases]) + most - 1) / most;
  if (reserve(pack, op->context, groups_of_all(&counts), units, phases)) return SCREE_ERROR_MEMORY;
  for (size_t c = 0; c < phases; c++) {
    const size_t end = group + groups_of(counts.count[c]);
    pack->phase_start[first_phase + c] = (uint32_t)unit;
    for (; group < end; group = group + most < end ? group + most : end)
      pack->unit_start[unit++] = (uint32_t)group;
  }
  place(pack, kind, &counts, NULL, 0, bodies->contact_count, first_group);
  return SCREE_OK;
}

/* ---- a unit a tile --------------------------------------------------------------------------- */

/* The block of a body, of `count` blocks. */
static size_t block_of(const ccp_bodies *bodies, uint32_t body, size_t count) {
  return (size_t)body * count / bodies->body_count;
}

/* The block that has all moving bodies of a contact, or `count`. */
static size_t home_of(const bodies_pack *pack, const ccp_bodies *bodies, size_t i, size_t count) {
  const ccp_contact *c = &bodies->contact[i];
  if (!pack_moves(pack, c->body_a)) return block_of(bodies, c->body_b, count);
  const size_t home = block_of(bodies, c->body_a, count);
  if (!pack_moves(pack, c->body_b) || block_of(bodies, c->body_b, count) == home) return home;
  return count;
}

/* Lists the contacts to place block by block, each in the caller's order; those of block k begin at
 * start[k]. */
static void list_homes(const bodies_pack *pack, const ccp_bodies *bodies, pack_kind kind,
                       size_t count, size_t *start, uint32_t *list) {
  memset(start, 0, (count + 2) * sizeof *start);
  for (size_t i = 0; i < bodies->contact_count; i++)
    if (is_to_place(pack, i, kind)) start[home_of(pack, bodies, i, count) + 1]++;
  for (size_t k = 0; k <= count; k++) start[k + 1] += start[k];
  for (size_t i = 0; i < bodies->contact_count; i++)
    if (is_to_place(pack, i, kind)) list[start[home_of(pack, bodies, i, count)]++] = (uint32_t)i;
  for (size_t k = count + 1; k > 0; k--) start[k] = start[k - 1];
  start[0] = 0;
}

static size_t cut_tiles(bodies_pack *pack, size_t count, const size_t *start) {
  size_t tiles = 0;
  for (size_t k = 0; k <= count; k++) {
    const size_t size = start[k + 1] - start[k], parts = (size + TILE_CONTACTS - 1) / TILE_CONTACTS;
    for (size_t part = 0; part < parts; part++)
      pack->tile[tiles++] = (pack_tile){.first = (uint32_t)(start[k] + size * part / parts),
                                        .end = (uint32_t)(start[k] + size * (part + 1) / parts),
                                        .block = (uint32_t)k};
  }
  return tiles;
}

static void forget_colours(bodies_pack *pack, const ccp_contact *c, uint32_t stamp) {
  const uint32_t side[2] = {c->body_a, c->body_b};
  for (int s = 0; s < 2; s++) {
    if (!pack_moves(pack, side[s]) || pack->stamp[side[s]] == stamp) continue;
    pack->stamp[side[s]] = stamp;
    pack->used[side[s]] = 0;
  }
}

static uint64_t colours_of_tiles(const bodies_pack *pack, const ccp_contact *c) {
  return (pack_moves(pack, c->body_a) ? pack->tile_colours[c->body_a] : 0) |
         (pack_moves(pack, c->body_b) ? pack->tile_colours[c->body_b] : 0);
}

static void leave(bodies_pack *pack, size_t i) {
  pack->colour[i] = PACK_REST;
  pack->contact_count--;
}

/* What the colours of a tile leave over after whole groups is coloured anew, beyond these colours:
 * a tile is small, and a group that is not full a colour would be a good part of it. */
static void gather_tails(bodies_pack *pack, const ccp_bodies *bodies, pack_kind kind,
                         const uint32_t *list, uint32_t stamp, const pack_tile *tile,
                         colour_counts *counts) {
  colour_counts seen = {{0}}, tails = {{0}};
  size_t colours = 0;
  while (colours < PACK_COLOURS && counts->count[colours]) colours++;
  for (size_t c = 0; c < colours; c++) counts->count[c] -= counts->count[c] % PACK_LANES;
  for (size_t j = tile->first; j < tile->end; j++) {
    const size_t i = list[j];
    if (!is_of(pack, i, kind)) continue;
    const size_t before = pack->colour[i] % PACK_COLOURS;
    if (seen.count[before]++ < counts->count[before]) continue;
    forget_colours(pack, &bodies->contact[i], stamp);
    if (!take_colour(pack, bodies, i, kind, &tails) ||
        colours + pack->colour[i] % PACK_COLOURS >= PACK_COLOURS)
      leave(pack, i);
    else
      pack->colour[i] = (uint8_t)(colours + pack->colour[i]);
  }
  for (size_t c = colours; c < PACK_COLOURS; c++) counts->count[c] = tails.count[c - colours];
}

/* Colours the contacts of a tile, and counts its groups. Returns the colours that other tiles have
 * at its bodies. */
static uint64_t colour_tile(bodies_pack *pack, const ccp_bodies *bodies, pack_kind kind,
                            const uint32_t *list, uint32_t stamp, pack_tile *tile) {
  colour_counts counts = {{0}};
  uint64_t taken = 0;
  for (size_t j = tile->first; j < tile->end; j++) {
    const ccp_contact *c = &bodies->contact[list[j]];
    forget_colours(pack, c, stamp);
    taken |= colours_of_tiles(pack, c);
    if (!take_colour(pack, bodies, list[j], kind, &counts)) leave(pack, list[j]);
  }
  gather_tails(pack, bodies, kind, list, stamp + 1, tile, &counts);
  tile->groups = (uint32_t)groups_of_all(&counts);
  return taken;
}

/* The colour of a tile among those between blocks. */
static void join_tiles(bodies_pack *pack, const ccp_bodies *bodies, pack_kind kind,
                       const uint32_t *list, uint64_t taken, pack_tile *tile) {
  tile->colour = ~taken ? (uint32_t)__builtin_ctzll(~taken) : PACK_COLOURS;
  if (tile->colour == PACK_COLOURS) return;
  for (size_t j = tile->first; j < tile->end; j++) {
    const size_t i = list[j];
    if (!is_of(pack, i, kind)) continue;
    const uint32_t side[2] = {bodies->contact[i].body_a, bodies->contact[i].body_b};
    for (int s = 0; s < 2; s++)
      if (pack_moves(pack, side[s])) pack->tile_colours[side[s]] |= (uint64_t)1 << tile->colour;
  }
}

/* A tile is the next unit, its lanes from *group on. */
static void place_tile(bodies_pack *pack, pack_kind kind, const pack_tile *tile,
                       const uint32_t *list, size_t unit, size_t *group) {
  colour_counts counts = {{0}};
  for (size_t j = tile->first; j < tile->end; j++)
    if (is_of(pack, list[j], kind)) counts.count[pack->colour[list[j]] % PACK_COLOURS]++;
  place(pack, kind, &counts, list, tile->first, tile->end, *group);
  pack->unit_start[unit] = (uint32_t)*group;
  *group += tile->groups;
}

/* A phase of blocks, then tiles of one colour make a phase. These are the first phases. */
static scree_status place_tiles(bodies_pack *pack, const ccp_operator *op, pack_kind kind,
                                size_t tiles, size_t blocks, size_t colours) {
  size_t groups = 0, inside = 0, unit = 0, group = 0;
  for (size_t t = 0; t < tiles; t++) groups += pack->tile[t].groups;
  while (inside < tiles && pack->tile[inside].block < blocks) inside++;
  if (reserve(pack, op->context, groups, tiles, colours + 1) ||
      memory_grow(op->context, &pack->chain_start, &pack->chain_capacity, blocks + 1,
                  sizeof *pack->chain_start))
    return SCREE_ERROR_MEMORY;
  pack->phase_start[0] = 0;
  pack->chain_count = 0;
  for (; unit < inside; unit++) {
    if (unit == 0 || pack->tile[unit].block != pack->tile[unit - 1].block)
      pack->chain_start[pack->chain_count++] = (uint32_t)unit;
    place_tile(pack, kind, &pack->tile[unit], op->order, unit, &group);
  }
  pack->chain_start[pack->chain_count] = (uint32_t)unit;
  for (size_t c = 0; c < colours; c++) {
    pack->phase_start[c + 1] = (uint32_t)unit;
    for (size_t t = inside; t < tiles; t++)
      if (pack->tile[t].colour == c)
        place_tile(pack, kind, &pack->tile[t], op->order, unit++, &group);
  }
  return SCREE_OK;
}

/* False in *good: the tiles hang together too much. The colours are then to be taken again. The
 * order of the blocks, which is made last, holds the list of contacts until then. */
static scree_status schedule_tiles(bodies_pack *pack, const ccp_operator *op, pack_kind kind,
                                   size_t count, bool *good) {
  const ccp_bodies *bodies = &op->problem->bodies;
  const size_t n = bodies->body_count, even = count / BLOCK_CONTACTS;
  const size_t blocks = even > BLOCKS_LEAST ? even : BLOCKS_LEAST;
  const size_t most = bodies->contact_count / TILE_CONTACTS + blocks + 1;
  if (memory_grow(op->context, &pack->tile, &pack->tile_capacity, most, sizeof *pack->tile) ||
      memory_grow(op->context, &pack->home_start, &pack->home_capacity, blocks + 2,
                  sizeof *pack->home_start) ||
      memory_grow(op->context, &pack->tile_colours, &pack->tile_colours_capacity, n,
                  sizeof *pack->tile_colours) ||
      memory_grow(op->context, &pack->stamp, &pack->stamp_capacity, n, sizeof *pack->stamp))
    return SCREE_ERROR_MEMORY;
  memset(pack->tile_colours, 0, n * sizeof *pack->tile_colours);
  memset(pack->stamp, 0, n * sizeof *pack->stamp);
  list_homes(pack, bodies, kind, blocks, pack->home_start, op->order);
  const size_t tiles = cut_tiles(pack, blocks, pack->home_start);
  size_t colours = 0;
  *good = true;
  for (size_t t = 0; *good && t < tiles; t++) {
    pack_tile *tile = &pack->tile[t];
    const uint64_t taken = colour_tile(pack, bodies, kind, op->order, 2 * (uint32_t)t + 1, tile);
    if (tile->block < blocks) continue;
    join_tiles(pack, bodies, kind, op->order, taken, tile);
    if (tile->colour + 1 > colours) colours = tile->colour + 1;
    *good = colours <= PACK_COLOURS && 8 * colours <= tiles;
  }
  return *good ? place_tiles(pack, op, kind, tiles, blocks, colours) : SCREE_OK;
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

/* Would the contact stay wide open without impulses? Only a simulation names the speed to ask by.
 */
static bool is_open(const ccp_operator *op, size_t i) {
  const scree_ccp *p = op->problem;
  const double *r = op->r + p->row_start[i];
  const double across =
      ccp_dim(p, i) == 3 ? ccp_set(p, i)->mu * sqrt(r[1] * r[1] + r[2] * r[2]) : 0.0;
  return p->reference_speed > 0.0 && r[0] - across > open_speed * p->reference_speed;
}

/* Marks what fits. Returns the number of closed ones. */
static size_t find_fitting(bodies_pack *pack, const ccp_operator *op) {
  const scree_ccp *p = op->problem;
  size_t count = 0, closed = 0;
  bool extra = false, rays = false;
#pragma omp parallel for schedule(static) num_threads(op->context->threads)                        \
    reduction(+ : count, closed)                                                                   \
    reduction(|| : extra, rays) if (op->block_count > PARALLEL_BLOCKS)
  for (size_t i = 0; i < op->block_count; i++) {
    const bool fits = i < p->bodies.contact_count && bodies_pack_fits(pack, p, i);
    const bool open = fits && is_open(op, i);
    pack->colour[i] = !fits ? PACK_REST : open ? MARK_OPEN : MARK_CLOSED;
    count += fits;
    closed += fits && !open;
    extra = extra || (fits && wants_extra(p, i));
    rays = rays || (fits && ccp_dim(p, i) == 1);
  }
  pack->contact_count = count;
  pack->has_extra = extra;
  pack->has_rays = rays;
  return closed;
}

static scree_status schedule_kind(bodies_pack *pack, const ccp_operator *op, pack_kind kind,
                                  size_t count, bool *tiled) {
  *tiled = false;
  if (kind == KIND_CLOSED && count >= TILED_FROM) {
    const scree_status status = schedule_tiles(pack, op, kind, count, tiled);
    if (status || *tiled) return status;
    for (size_t i = 0; i < op->problem->bodies.contact_count; i++)
      if (is_of(pack, i, kind)) pack->colour[i] = kind == KIND_OPEN ? MARK_OPEN : MARK_CLOSED;
  }
  return schedule_colours(pack, op, kind);
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
  const size_t closed = find_fitting(pack, op), open = pack->contact_count - closed;
  pack->group_count = pack->unit_count = pack->phase_count = 0;
  bool open_tiled;
  scree_status status = schedule_kind(pack, op, KIND_CLOSED, closed, &pack->tiled);
  pack->open_phase = pack->phase_count;
  if (!status && open) status = schedule_kind(pack, op, KIND_OPEN, open, &open_tiled);
  if (status) return status;
  return memory_grow(op->context, &pack->asleep, &pack->asleep_capacity, pack->unit_count,
                     sizeof *pack->asleep);
}

/* The order of packed contacts.
 *
 * Contacts in ascending order take the lowest colour that is free at both of their moving bodies; a
 * colour keeps its contacts in ascending order, so that contacts near in the caller's order, and
 * with them their bodies, stay near in memory. A contact for which no colour is left (a large
 * moving body with hundreds of contacts) is left to the generic path.
 *
 * Small problems: a phase is a colour, cut into units of a few groups. All bodies are in cache, and
 * a sweep passes over them once per colour.
 *
 * Large problems: a sweep would fetch every body line once per colour from far away. So bodies are
 * cut, in the caller's order, into blocks, and the contacts within a block, in the caller's order,
 * into tiles whose bodies stay in cache; a unit is a tile, with colours inside. The tiles of a
 * block follow each other, so that one finds in cache what it shares with those before it, and make
 * a chain; blocks share no moving body and run at once. Contacts between blocks come last, in tiles
 * of which those that share no moving body make a phase. If the caller's order is so scattered that
 * most tiles share bodies, the colours of small problems serve better, and they are taken.
 *
 * In a simulation, contacts that would stay wide open without impulses, r_n - mu |r_t| beyond
 * open_speed times the reference speed, are put in phases of their own after all others: see
 * bodies/pack.h. In a bed these are a third of the contacts. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/bodies/pack.h"

/* Contacts by what they expect: those of a kind have its colours, PACK_COLOURS from
 * kind * PACK_COLOURS on. Tiles are made of closed ones alone. */
typedef enum pack_kind { KIND_CLOSED, KIND_OPEN, KINDS } pack_kind;

enum {
  UNIT_GROUPS = 16,
  OPEN_UNIT_GROUPS = 2,
  TILED_FROM = 32768, /* contacts */
  TILE_CONTACTS = 1024,
  BLOCK_CONTACTS = 65536, /* of a block of bodies, about */
  BLOCKS_LEAST = 4
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

static bool is_placed_closed(const bodies_pack *pack, size_t i) {
  return pack->scratch.colour[i] < PACK_COLOURS;
}

/* Room for so many more. */
static scree_status reserve(bodies_pack *pack, scree_context *context, size_t groups, size_t units,
                            size_t phases) {
  const size_t before = pack->lanes.count;
  groups += before;
  units += pack->plan.unit_count;
  phases += pack->plan.phase_count;
  if (memory_grow(context, &pack->lanes.group, groups, sizeof *pack->lanes.group) ||
      memory_grow(context, &pack->lanes.block, groups * PACK_LANES, sizeof *pack->lanes.block) ||
      memory_grow(context, &pack->plan.unit_start, units + 1, sizeof *pack->plan.unit_start) ||
      memory_grow(context, &pack->plan.phase_start, phases + 1, sizeof *pack->plan.phase_start))
    return SCREE_ERROR_MEMORY;
  if (memory_grow(context, &pack->lanes.impulse, groups * bodies_pack_stride(pack),
                  sizeof *pack->lanes.impulse))
    return SCREE_ERROR_MEMORY;
  if (pack->lanes.has_scale &&
      memory_grow(context, &pack->lanes.scale, groups, sizeof *pack->lanes.scale))
    return SCREE_ERROR_MEMORY;
  if (pack->lanes.rolling &&
      memory_grow(context, &pack->lanes.roll, groups, sizeof *pack->lanes.roll))
    return SCREE_ERROR_MEMORY;
  if (pack->lanes.has_pull &&
      memory_grow(context, &pack->lanes.pull, groups, sizeof *pack->lanes.pull))
    return SCREE_ERROR_MEMORY;
  if (pack->lanes.has_across &&
      memory_grow(context, &pack->lanes.across, groups, sizeof *pack->lanes.across))
    return SCREE_ERROR_MEMORY;
  if (pack->lanes.has_extra &&
      memory_grow(context, &pack->lanes.extra, groups, sizeof *pack->lanes.extra))
    return SCREE_ERROR_MEMORY;
  if (pack->lanes.has_rays &&
      memory_grow(context, &pack->lanes.rough, groups, sizeof *pack->lanes.rough))
    return SCREE_ERROR_MEMORY;
  if (pack->plan.tiled) {
    if (memory_grow(context, &pack->plan.joins, groups, sizeof *pack->plan.joins))
      return SCREE_ERROR_MEMORY;
    memset(pack->plan.joins + before, 0, groups - before);
  }
  pack->lanes.count = groups;
  pack->plan.unit_count = units;
  pack->plan.phase_count = phases;
  if (groups > before)
    memset(pack->lanes.block + before * PACK_LANES, 0xff,
           (groups - before) * PACK_LANES * sizeof *pack->lanes.block);
  pack->plan.phase_start[phases] = (uint32_t)units;
  pack->plan.unit_start[units] = (uint32_t)groups;
  return SCREE_OK;
}

static bool moves(uint32_t side) {
  return !(side & PACK_FIXED);
}

static size_t line_of(uint32_t side) {
  return side & ~PACK_FIXED;
}

/* The lowest colour that is free at both sides, or PACK_COLOURS; it is then taken. `used` of what
 * does not move stays zero. */
static unsigned take_colour(uint64_t *used, contact_pair pair) {
  uint64_t *const a = used + line_of(pair.a), *const b = used + line_of(pair.b);
  const uint64_t free = ~(*a | *b);
  if (!free) return PACK_COLOURS;
  const uint64_t lowest = free & (0 - free);
  *a |= lowest & (uint64_t)((int64_t)(pair.a >> 31) - 1);
  *b |= lowest & (uint64_t)((int64_t)(pair.b >> 31) - 1);
  return (unsigned)__builtin_ctzll(free);
}

static size_t groups_of_all(const colour_counts *counts) {
  size_t groups = 0;
  for (size_t c = 0; c < PACK_COLOURS; c++) groups += groups_of(counts->count[c]);
  return groups;
}

/* ---- a phase a colour ------------------------------------------------------------------------ */

/* Colours what is marked, each kind with colours of its own. */
static void colour_marked(bodies_pack *pack, const ccp_bodies *bodies, colour_counts *counts) {
  uint64_t *const used[KINDS] = {pack->scratch.used, pack->scratch.used + bodies->body_count + 1};
  memset(pack->scratch.used, 0, KINDS * (bodies->body_count + 1) * sizeof *pack->scratch.used);
  for (size_t i = 0; i < bodies->contact_count; i++) {
    const unsigned kind = (unsigned)pack->scratch.colour[i] - PACK_CLOSED;
    if (kind >= KINDS) continue;
    const unsigned colour = take_colour(used[kind], pack->pair[i]);
    if (colour == PACK_COLOURS) {
      pack->scratch.colour[i] = PACK_REST;
      pack->contact_count--;
      continue;
    }
    pack->scratch.colour[i] = (uint8_t)(kind * PACK_COLOURS + colour);
    counts[kind].count[colour]++;
  }
}

/* Phases and units of a kind's colours, from a group and a unit on. */
static void lay_out(bodies_pack *pack, pack_kind kind, const colour_counts *counts, size_t phase,
                    size_t *unit, size_t *group) {
  const size_t most = kind == KIND_OPEN ? OPEN_UNIT_GROUPS : UNIT_GROUPS;
  for (size_t c = 0; c < PACK_COLOURS && counts->count[c]; c++) {
    const size_t end = *group + groups_of(counts->count[c]);
    pack->plan.phase_start[phase + c] = (uint32_t)*unit;
    for (; *group < end; *group = *group + most < end ? *group + most : end)
      pack->plan.unit_start[(*unit)++] = (uint32_t)*group;
  }
}

static size_t phases_of(const colour_counts *counts) {
  size_t phases = 0;
  while (phases < PACK_COLOURS && counts->count[phases]) phases++;
  return phases;
}

static size_t units_of(pack_kind kind, const colour_counts *counts) {
  const size_t most = kind == KIND_OPEN ? OPEN_UNIT_GROUPS : UNIT_GROUPS;
  size_t units = 0;
  for (size_t c = 0; c < PACK_COLOURS; c++)
    units += (groups_of(counts->count[c]) + most - 1) / most;
  return units;
}

/* Colours the contacts that are still marked and puts them behind those that have a place. */
static scree_status schedule_colours(bodies_pack *pack, const ccp_operator *op) {
  const ccp_bodies *bodies = &op->problem->bodies;
  const unsigned first = pack->plan.tiled ? PACK_COLOURS : 0;
  colour_counts counts[KINDS] = {{{0}}};
  size_t next[KINDS * PACK_COLOURS], group = pack->lanes.count, unit = pack->plan.unit_count;
  size_t at = group * PACK_LANES, phase = pack->plan.phase_count;
  colour_marked(pack, bodies, counts);
  pack->open.phase = phase + phases_of(&counts[KIND_CLOSED]);
  for (size_t c = 0; c < KINDS * PACK_COLOURS; c++) {
    next[c] = at;
    at += PACK_LANES * groups_of(counts[c / PACK_COLOURS].count[c % PACK_COLOURS]);
  }
  if (reserve(pack, op->context, at / PACK_LANES - group,
              units_of(KIND_CLOSED, &counts[KIND_CLOSED]) + units_of(KIND_OPEN, &counts[KIND_OPEN]),
              phases_of(&counts[KIND_CLOSED]) + phases_of(&counts[KIND_OPEN])))
    return SCREE_ERROR_MEMORY;
  lay_out(pack, KIND_CLOSED, &counts[KIND_CLOSED], phase, &unit, &group);
  lay_out(pack, KIND_OPEN, &counts[KIND_OPEN], pack->open.phase, &unit, &group);
  for (size_t i = 0; i < bodies->contact_count; i++) {
    const unsigned colour = pack->scratch.colour[i];
    if (colour >= first && colour < KINDS * PACK_COLOURS)
      pack->lanes.block[next[colour]++] = (uint32_t)i;
  }
  return SCREE_OK;
}

/* ---- a unit a tile --------------------------------------------------------------------------- */

/* The block that has all moving bodies of a contact, or `count`. */
static size_t home_of(const uint32_t *home, contact_pair pair, size_t count) {
  if (!moves(pair.a)) return home[line_of(pair.b)];
  const size_t mine = home[line_of(pair.a)];
  return !moves(pair.b) || home[line_of(pair.b)] == mine ? mine : count;
}

/* Lists the closed contacts block by block, each in the caller's order; those of block k begin at
 * start[k]. home: scratch, a body. */
static void list_homes(const bodies_pack *pack, const ccp_bodies *bodies, size_t count,
                       uint32_t *home, size_t *start, uint32_t *list) {
  const size_t contacts = bodies->contact_count;
  for (size_t k = 0; k < bodies->body_count; k++)
    home[k] = (uint32_t)(k * count / bodies->body_count);
  memset(start, 0, (count + 2) * sizeof *start);
  for (size_t i = 0; i < contacts; i++)
    if (pack->scratch.colour[i] == PACK_CLOSED) start[home_of(home, pack->pair[i], count) + 1]++;
  for (size_t k = 0; k <= count; k++) start[k + 1] += start[k];
  for (size_t i = 0; i < contacts; i++)
    if (pack->scratch.colour[i] == PACK_CLOSED)
      list[start[home_of(home, pack->pair[i], count)]++] = (uint32_t)i;
  for (size_t k = count + 1; k > 0; k--) start[k] = start[k - 1];
  start[0] = 0;
}

static size_t cut_tiles(bodies_pack *pack, size_t count, const size_t *start) {
  size_t tiles = 0;
  for (size_t k = 0; k <= count; k++) {
    const size_t size = start[k + 1] - start[k], parts = (size + TILE_CONTACTS - 1) / TILE_CONTACTS;
    for (size_t part = 0; part < parts; part++)
      pack->scratch.tile[tiles++] =
          (pack_tile){.first = (uint32_t)(start[k] + size * part / parts),
                      .end = (uint32_t)(start[k] + size * (part + 1) / parts),
                      .block = (uint32_t)k};
  }
  return tiles;
}

/* `used` of a line is of the last tile that looked at it. */
static void forget_colours(bodies_pack *pack, contact_pair pair, uint32_t stamp) {
  const uint32_t side[2] = {pair.a, pair.b};
  for (int s = 0; s < 2; s++) {
    const size_t line = line_of(side[s]);
    if (pack->scratch.stamp[line] == stamp) continue;
    pack->scratch.stamp[line] = stamp;
    pack->scratch.used[line] = 0;
  }
}

static void leave(bodies_pack *pack, size_t i) {
  pack->scratch.colour[i] = PACK_REST;
  pack->contact_count--;
}

/* What the colours of a tile leave over after whole groups is coloured anew, beyond these colours:
 * a tile is small, and a group that is not full a colour would be a good part of it. */
static void gather_tails(bodies_pack *pack, const uint32_t *list, uint32_t stamp,
                         const pack_tile *tile, colour_counts *counts) {
  colour_counts seen = {{0}}, tails = {{0}};
  const size_t colours = phases_of(counts);
  for (size_t c = 0; c < colours; c++) counts->count[c] -= counts->count[c] % PACK_LANES;
  for (size_t j = tile->first; j < tile->end; j++) {
    const size_t i = list[j];
    if (!is_placed_closed(pack, i)) continue;
    const size_t before = pack->scratch.colour[i];
    if (seen.count[before]++ < counts->count[before]) continue;
    forget_colours(pack, pack->pair[i], stamp);
    const size_t colour = take_colour(pack->scratch.used, pack->pair[i]);
    if (colour < PACK_COLOURS) tails.count[colour]++;
    if (colours + colour >= PACK_COLOURS)
      leave(pack, i);
    else
      pack->scratch.colour[i] = (uint8_t)(colours + colour);
  }
  for (size_t c = colours; c < PACK_COLOURS; c++) counts->count[c] = tails.count[c - colours];
}

/* Colours the contacts of a tile, and counts its groups. Returns the colours that other tiles have
 * at its bodies. */
static uint64_t colour_tile(bodies_pack *pack, const uint32_t *list, uint32_t stamp,
                            pack_tile *tile) {
  colour_counts counts = {{0}};
  uint64_t taken = 0;
  for (size_t j = tile->first; j < tile->end; j++) {
    const contact_pair pair = pack->pair[list[j]];
    forget_colours(pack, pair, stamp);
    taken |=
        pack->scratch.tile_colours[line_of(pair.a)] | pack->scratch.tile_colours[line_of(pair.b)];
    const unsigned colour = take_colour(pack->scratch.used, pair);
    if (colour == PACK_COLOURS) {
      leave(pack, list[j]);
      continue;
    }
    pack->scratch.colour[list[j]] = (uint8_t)colour;
    counts.count[colour]++;
  }
  gather_tails(pack, list, stamp + 1, tile, &counts);
  tile->groups = (uint32_t)groups_of_all(&counts);
  return taken;
}

/* The colour of a tile among those between blocks. */
static void join_tiles(bodies_pack *pack, const uint32_t *list, uint64_t taken, pack_tile *tile) {
  tile->colour = ~taken ? (uint32_t)__builtin_ctzll(~taken) : PACK_COLOURS;
  if (tile->colour == PACK_COLOURS) return;
  for (size_t j = tile->first; j < tile->end; j++) {
    const size_t i = list[j];
    if (!is_placed_closed(pack, i)) continue;
    const uint32_t side[2] = {pack->pair[i].a, pack->pair[i].b};
    for (int s = 0; s < 2; s++)
      if (moves(side[s])) pack->scratch.tile_colours[side[s]] |= (uint64_t)1 << tile->colour;
  }
}

/* A tile is the next unit, its lanes from *group on, colour by colour. */
static void place_tile(bodies_pack *pack, const pack_tile *tile, const uint32_t *list, size_t unit,
                       size_t *group) {
  colour_counts counts = {{0}};
  size_t next[PACK_COLOURS], at = *group * PACK_LANES;
  for (size_t j = tile->first; j < tile->end; j++)
    if (is_placed_closed(pack, list[j])) counts.count[pack->scratch.colour[list[j]]]++;
  for (size_t c = 0; c < PACK_COLOURS; c++) {
    next[c] = at;
    if (counts.count[c]) pack->plan.joins[at / PACK_LANES] = 1;
    at += PACK_LANES * groups_of(counts.count[c]);
  }
  for (size_t j = tile->first; j < tile->end; j++)
    if (is_placed_closed(pack, list[j]))
      pack->lanes.block[next[pack->scratch.colour[list[j]]]++] = list[j];
  pack->plan.unit_start[unit] = (uint32_t)*group;
  *group += tile->groups;
}

/* A phase of blocks, then tiles of one colour make a phase. These are the first phases. */
static scree_status place_tiles(bodies_pack *pack, const ccp_operator *op, size_t tiles,
                                size_t blocks, size_t colours) {
  size_t groups = 0, inside = 0, unit = 0, group = 0;
  for (size_t t = 0; t < tiles; t++) groups += pack->scratch.tile[t].groups;
  while (inside < tiles && pack->scratch.tile[inside].block < blocks) inside++;
  if (reserve(pack, op->context, groups, tiles, colours + 1) ||
      memory_grow(op->context, &pack->plan.chain_start, blocks + 1, sizeof *pack->plan.chain_start))
    return SCREE_ERROR_MEMORY;
  pack->plan.phase_start[0] = 0;
  pack->plan.chain_count = 0;
  for (; unit < inside; unit++) {
    if (unit == 0 || pack->scratch.tile[unit].block != pack->scratch.tile[unit - 1].block)
      pack->plan.chain_start[pack->plan.chain_count++] = (uint32_t)unit;
    place_tile(pack, &pack->scratch.tile[unit], op->order, unit, &group);
  }
  pack->plan.chain_start[pack->plan.chain_count] = (uint32_t)unit;
  for (size_t c = 0; c < colours; c++) {
    pack->plan.phase_start[c + 1] = (uint32_t)unit;
    for (size_t t = inside; t < tiles; t++)
      if (pack->scratch.tile[t].colour == c)
        place_tile(pack, &pack->scratch.tile[t], op->order, unit++, &group);
  }
  return SCREE_OK;
}

/* False in *good: the tiles hang together too much. The colours are then to be taken again. The
 * order of the blocks, which is made last, holds the list of contacts until then. */
static scree_status schedule_tiles(bodies_pack *pack, const ccp_operator *op, bool *good) {
  const ccp_bodies *bodies = &op->problem->bodies;
  const size_t n = bodies->body_count + 1, even = pack->closed_count / BLOCK_CONTACTS;
  const size_t blocks = even > BLOCKS_LEAST ? even : BLOCKS_LEAST;
  const size_t most = bodies->contact_count / TILE_CONTACTS + blocks + 1;
  if (memory_grow(op->context, &pack->scratch.tile, most, sizeof *pack->scratch.tile) ||
      memory_grow(op->context, &pack->scratch.home_start, blocks + 2,
                  sizeof *pack->scratch.home_start) ||
      memory_grow(op->context, &pack->scratch.tile_colours, n,
                  sizeof *pack->scratch.tile_colours) ||
      memory_grow(op->context, &pack->scratch.stamp, n, sizeof *pack->scratch.stamp))
    return SCREE_ERROR_MEMORY;
  memset(pack->scratch.tile_colours, 0, n * sizeof *pack->scratch.tile_colours);
  list_homes(pack, bodies, blocks, pack->scratch.stamp, pack->scratch.home_start, op->order);
  memset(pack->scratch.stamp, 0, n * sizeof *pack->scratch.stamp);
  const size_t tiles = cut_tiles(pack, blocks, pack->scratch.home_start);
  size_t colours = 0;
  *good = true;
  for (size_t t = 0; *good && t < tiles; t++) {
    pack_tile *tile = &pack->scratch.tile[t];
    const uint64_t taken = colour_tile(pack, op->order, 2 * (uint32_t)t + 1, tile);
    if (tile->block < blocks) continue;
    join_tiles(pack, op->order, taken, tile);
    if (tile->colour + 1 > colours) colours = tile->colour + 1;
    *good = colours <= PACK_COLOURS && 8 * colours <= tiles;
  }
  return *good ? place_tiles(pack, op, tiles, blocks, colours) : SCREE_OK;
}

/* ---- the choice ------------------------------------------------------------------------------ */

scree_status bodies_pack_schedule(bodies_pack *pack, const ccp_operator *op) {
  pack->lanes.count = pack->plan.unit_count = pack->plan.phase_count = pack->open.phase = 0;
  pack->plan.tiled = false;
  if (!pack->contact_count) return reserve(pack, op->context, 0, 0, 0);
  if (memory_grow(op->context, &pack->scratch.used, KINDS * (op->problem->bodies.body_count + 1),
                  sizeof *pack->scratch.used))
    return SCREE_ERROR_MEMORY;
  if (pack->closed_count >= TILED_FROM) {
    const scree_status status = schedule_tiles(pack, op, &pack->plan.tiled);
    if (status) return status;
    for (size_t i = 0; !pack->plan.tiled && i < op->problem->bodies.contact_count; i++)
      if (is_placed_closed(pack, i)) pack->scratch.colour[i] = PACK_CLOSED;
  }
  if (schedule_colours(pack, op)) return SCREE_ERROR_MEMORY;
  return memory_grow(op->context, &pack->open.asleep, pack->plan.unit_count,
                     sizeof *pack->open.asleep);
}

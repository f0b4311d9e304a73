/* Sizes into levels, members into cells, and the search of neighbouring cells. */
#include "collide/broad_grid.h"

#include <string.h>

enum { PHASES = 8, COORDINATE_BITS = 21 };

void broad_grid_clear(broad_grid *g) {
  memory_free(g->context, g->level);
  memory_free(g->context, g->cell);
  memory_free(g->context, g->slot);
  memory_free(g->context, g->member);
}

void broad_grid_give_back(broad_grid *g) {
  memory_free(g->context, g->cell);
  memory_free(g->context, g->slot);
  memory_free(g->context, g->member);
  g->cell = NULL;
  g->slot = g->member = NULL;
  g->cell_capacity = g->slot_capacity = g->member_capacity = 0;
}

bool broad_is_excluded(const collide_view *view, uint32_t low, uint32_t high) {
  const uint64_t key = (uint64_t)low << 32 | high;
  size_t lo = 0, hi = view->excluded_count;
  while (lo < hi) {
    const size_t mid = (lo + hi) / 2;
    if (view->excluded[mid] < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < view->excluded_count && view->excluded[lo] == key;
}

/* ---- levels --------------------------------------------------------------------------------- */

/* The side that a cell must have for this body: its box and the reach of its margin. */
static double extent_of(const aabb *box, double slack) {
  const v3 d = v3_sub(box->hi, box->lo);
  return fmax(d.x, fmax(d.y, d.z)) + (isfinite(slack) ? slack : 0.0);
}

/* Cells double from level to level; where between two powers of two they start is chosen so that
 * the cells are least too wide for their members. */
static double choose_base(const collide_view *view, const aabb *box, const double *slack) {
  size_t histogram[PHASES] = {0};
  double least = INFINITY;
  for (size_t i = 0; i < view->count; i++) {
    if (!view->shape[i]) continue;
    const double e = extent_of(&box[i], slack[i]);
    if (!(e > 0.0) || isinf(e)) continue;
    const double x = log2(e) * PHASES;
    const int phase = (int)(ceil(x) - PHASES * floor(ceil(x) / PHASES));
    histogram[phase % PHASES]++;
    least = fmin(least, e);
  }
  if (isinf(least)) return 1.0;
  int best = 0;
  double best_cost = INFINITY;
  for (int p = 0; p < PHASES; p++) {
    double cost = 0.0;
    for (int q = 0; q < PHASES; q++)
      cost += (double)histogram[q] * exp2(3.0 * (double)((p - q + PHASES) % PHASES) / PHASES);
    if (cost < best_cost) {
      best_cost = cost;
      best = p;
    }
  }
  double base = exp2(floor(log2(least)) - 1.0 + (double)best / PHASES);
  while (base < least) base *= 2.0;
  return base;
}

static scree_status assign_levels(broad_grid *g, const collide_view *view, const aabb *box,
                                  const double *slack, size_t least) {
  if (memory_grow(g->context, &g->level, &g->level_capacity, view->count, sizeof *g->level))
    return SCREE_ERROR_MEMORY;
  const double base = choose_base(view, box, slack);
  for (int l = 0; l < BROAD_LEVELS; l++)
    g->levels[l] = (broad_level){.size = base * exp2((double)l) * (1.0 + 1e-9)};
  for (size_t i = 0; i < view->count; i++) {
    g->level[i] = BROAD_NO_LEVEL;
    if (!view->shape[i]) continue;
    const double e = extent_of(&box[i], slack[i]);
    if (isinf(e) || isnan(e)) continue;
    int l = e > base ? (int)ceil(log2(e / base)) : 0;
    while (l < BROAD_LEVELS && g->levels[l].size < e) l++;
    if (l >= BROAD_LEVELS) continue;
    g->level[i] = (uint8_t)l;
    g->levels[l].members++;
  }
  bool finest = true;
  for (int l = 0; l < BROAD_LEVELS; l++) {
    if (!g->levels[l].members) continue;
    if (!finest && g->levels[l].members < least) {
      g->levels[l].members = 0;
      for (size_t i = 0; i < view->count; i++)
        if (g->level[i] == l) g->level[i] = BROAD_NO_LEVEL;
    }
    finest = false;
  }
  return SCREE_OK;
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* Coordinates wrap every 2^21 cells: bodies that far apart share a cell and fail the box test. */
static uint64_t key_of(int64_t x, int64_t y, int64_t z) {
  const uint64_t mask = ((uint64_t)1 << COORDINATE_BITS) - 1;
  return 1 + (((uint64_t)x & mask) | ((uint64_t)y & mask) << COORDINATE_BITS |
              ((uint64_t)z & mask) << (2 * COORDINATE_BITS));
}

static int64_t coordinate(double x, double size) {
  const double c = x / size;
  if (!(c > -4e18 && c < 4e18)) return c < 0.0 ? -4000000000000000000 : 4000000000000000000;
  const int64_t i = (int64_t)c;
  return i - (c < (double)i);
}

static size_t find_cell(const broad_grid *g, const broad_level *level, uint64_t key) {
  size_t at = (size_t)((key * 0x9E3779B97F4A7C15u) >> 32) & level->mask;
  while (g->cell[level->table + at].key && g->cell[level->table + at].key != key)
    at = (at + 1) & level->mask;
  return level->table + at;
}

static scree_status lay_out(broad_grid *g, size_t count) {
  size_t cells = 0, members = 0;
  for (int l = 0; l < BROAD_LEVELS; l++) {
    broad_level *level = &g->levels[l];
    if (!level->members) continue;
    size_t size = 16;
    while (size < 2 * level->members) size *= 2;
    level->table = cells;
    level->mask = size - 1;
    level->first_member = members;
    cells += size;
    members += level->members;
  }
  g->member_count = members;
  if (memory_grow(g->context, &g->cell, &g->cell_capacity, cells, sizeof *g->cell) ||
      memory_grow(g->context, &g->slot, &g->slot_capacity, count, sizeof *g->slot) ||
      memory_grow(g->context, &g->member, &g->member_capacity, members, sizeof *g->member))
    return SCREE_ERROR_MEMORY;
  if (cells) memset(g->cell, 0, cells * sizeof *g->cell);
  return SCREE_OK;
}

scree_status broad_grid_sort(broad_grid *g, const collide_view *view, const aabb *box,
                             const double *slack, size_t least) {
  scree_status status = assign_levels(g, view, box, slack, least);
  if (!status) status = lay_out(g, view->count);
  if (status) return status;
  for (size_t i = 0; i < view->count; i++) {
    if (g->level[i] == BROAD_NO_LEVEL) continue;
    const broad_level *level = &g->levels[g->level[i]];
    const v3 c = v3_scale(0.5, v3_add(box[i].lo, box[i].hi));
    const uint64_t key = key_of(coordinate(c.x, level->size), coordinate(c.y, level->size),
                                coordinate(c.z, level->size));
    const size_t cell = find_cell(g, level, key);
    g->cell[cell].key = key;
    g->cell[cell].count++;
    g->slot[i] = (uint32_t)cell;
  }
  /* Cells get their members in the order in which bodies first meet them. */
  size_t next[BROAD_LEVELS];
  for (int l = 0; l < BROAD_LEVELS; l++) next[l] = g->levels[l].first_member;
  for (size_t i = 0; i < view->count; i++) {
    if (g->level[i] == BROAD_NO_LEVEL) continue;
    broad_cell *cell = &g->cell[g->slot[i]];
    if (cell->count & 0x80000000u) continue;
    cell->first = (uint32_t)next[g->level[i]];
    next[g->level[i]] += cell->count;
    cell->count = 0x80000000u;
  }
  for (size_t i = 0; i < view->count; i++) {
    if (g->level[i] == BROAD_NO_LEVEL) continue;
    broad_cell *cell = &g->cell[g->slot[i]];
    g->member[cell->first + (cell->count & 0x7FFFFFFFu)] = (uint32_t)i;
    cell->count++;
  }
  for (size_t k = 0; k < g->member_count; k++) g->cell[g->slot[g->member[k]]].count &= 0x7FFFFFFFu;
  return SCREE_OK;
}

/* ---- search --------------------------------------------------------------------------------- */

typedef struct search {
  const broad_grid *grid;
  const collide_view *view;
  const aabb *box;
  const double *slack;
  broad_pairs *out;
} search;

static scree_status meet_cell(const search *s, uint32_t i, const broad_cell *cell) {
  for (uint32_t m = 0; m < cell->count; m++) {
    const uint32_t k = s->grid->member[cell->first + m];
    if (broad_meet(s->view, s->box, s->slack, i, k) &&
        broad_add_pair(s->grid->context, s->out, i, k))
      return SCREE_ERROR_MEMORY;
  }
  return SCREE_OK;
}

/* A body against its own level: later members of its cell, and the half of the neighbouring cells
 * that comes after it, so that each pair is met once. */
static scree_status search_own(const search *s, uint32_t i) {
  const broad_level *level = &s->grid->levels[s->grid->level[i]];
  const broad_cell *own = &s->grid->cell[s->grid->slot[i]];
  for (uint32_t m = own->count; m-- > 0;) {
    const uint32_t k = s->grid->member[own->first + m];
    if (k == i) break;
    if (broad_meet(s->view, s->box, s->slack, i, k) &&
        broad_add_pair(s->grid->context, s->out, i, k))
      return SCREE_ERROR_MEMORY;
  }
  const v3 c = v3_scale(0.5, v3_add(s->box[i].lo, s->box[i].hi));
  const int64_t x = coordinate(c.x, level->size), y = coordinate(c.y, level->size),
                z = coordinate(c.z, level->size);
  for (int n = 14; n < 27; n++) {
    const uint64_t key = key_of(x + n % 3 - 1, y + n / 3 % 3 - 1, z + n / 9 - 1);
    const broad_cell *cell = &s->grid->cell[find_cell(s->grid, level, key)];
    if (cell->key && meet_cell(s, i, cell)) return SCREE_ERROR_MEMORY;
  }
  return SCREE_OK;
}

/* A body against a coarser level: the cells whose members' boxes may reach its own. */
static scree_status search_coarser(const search *s, uint32_t i, const broad_level *level) {
  const double half = 0.5 * level->size;
  const aabb box = aabb_grow(s->box[i], half + (isfinite(s->slack[i]) ? s->slack[i] : 0.0));
  const int64_t hx = coordinate(box.hi.x, level->size), hy = coordinate(box.hi.y, level->size),
                hz = coordinate(box.hi.z, level->size);
  for (int64_t z = coordinate(box.lo.z, level->size); z <= hz; z++)
    for (int64_t y = coordinate(box.lo.y, level->size); y <= hy; y++)
      for (int64_t x = coordinate(box.lo.x, level->size); x <= hx; x++) {
        const broad_cell *cell = &s->grid->cell[find_cell(s->grid, level, key_of(x, y, z))];
        if (cell->key && meet_cell(s, i, cell)) return SCREE_ERROR_MEMORY;
      }
  return SCREE_OK;
}

scree_status broad_grid_pairs(broad_grid *g, const collide_view *view, const aabb *box,
                              const double *slack, broad_pairs *out) {
  const search s = {g, view, box, slack, out};
  for (size_t k = 0; k < g->member_count; k++) {
    const uint32_t i = g->member[k];
    if (search_own(&s, i)) return SCREE_ERROR_MEMORY;
    for (int l = g->level[i] + 1; l < BROAD_LEVELS; l++)
      if (g->levels[l].members && search_coarser(&s, i, &g->levels[l])) return SCREE_ERROR_MEMORY;
  }
  return SCREE_OK;
}

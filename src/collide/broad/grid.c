/* Sizes into levels, members into cells, and the search of neighbouring cells. */
#include "collide/broad/grid.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { PHASES = 8, LEAST_CELLS = 3, SAMPLE = 64, WIDTH = 4, PARALLEL_BODIES = 4096 };
static const double CELLS_PER_MEMBER = 3.0;
/* A box is about a cube when its sides exceed those of the cube of its least side by less than this
 * part of that side, in sum. */
static const double about_a_cube = 0.1;
/* Sizes within this ratio make one level. */
static const double one_level = 1.5;

void broad_grid_give_back_lanes(broad_grid *g) {
  memory_free(g->context, g->start);
  memory_free(g->context, g->slot);
  g->start = g->slot = NULL;
  for (int k = 0; k < BROAD_LANES; k++) {
    memory_free(g->context, g->lane[k]);
    g->lane[k] = NULL;
  }
}

void broad_grid_give_back(broad_grid *g) {
  broad_grid_give_back_lanes(g);
  memory_free(g->context, g->member);
  g->member = NULL;
}

void broad_grid_clear(broad_grid *g) {
  memory_free(g->context, g->level);
  broad_grid_give_back(g);
}

bool broad_is_excluded(const collide_view *view, uint32_t low, uint32_t high) {
  const uint64_t key = (uint64_t)low << 32 | high;
  return search_u64_finds(view->excluded, view->excluded_count, key);
}

/* ---- levels --------------------------------------------------------------------------------- */

/* Slacks of two bodies are at least the smaller of both together; that of a wall, which has none of
 * its own, is its partner's. */
static double slack_of(const broad_boxes *b, size_t i) {
  const double slack = broad_slack(b->view, i);
  return isfinite(slack) ? slack : b->most_slack;
}

/* The side that a cell must have for this body: its box and the reach of its margin. */
static double extent_of(const broad_boxes *b, size_t i) {
  const v3 d = v3_sub(b->box[i].hi, b->box[i].lo);
  return fmax(d.x, fmax(d.y, d.z)) + slack_of(b, i);
}

/* Cells double from level to level; where between two powers of two they start is chosen so that
 * the cells are least too wide for their members. */
static double choose_base(const broad_boxes *b) {
  size_t histogram[PHASES] = {0};
  double least = INFINITY, most = 0.0;
  for (size_t i = 0; i < b->view->count; i++) {
    if (!b->view->shape[i]) continue;
    const double e = extent_of(b, i);
    if (!(e > 0.0) || isinf(e)) continue;
    least = view_less(least, e);
    if (e > most) most = e;
  }
  if (isinf(least)) return 1.0;
  if (most <= one_level * least) return most;
  for (size_t i = 0; i < b->view->count; i++) {
    if (!b->view->shape[i]) continue;
    const double e = extent_of(b, i);
    if (!(e > 0.0) || isinf(e)) continue;
    const double x = log2(e) * PHASES;
    const int phase = (int)(ceil(x) - PHASES * floor(ceil(x) / PHASES));
    histogram[phase % PHASES]++;
  }
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
  double base = fmax(DBL_MIN, exp2(floor(log2(least)) - 1.0 + (double)best / PHASES));
  while (base < least) base *= 2.0;
  return base;
}

static scree_status assign_levels(broad_grid *g, const broad_boxes *b, size_t least) {
  const size_t count = b->view->count;
  if (memory_grow(g->context, &g->level, count, sizeof *g->level)) return SCREE_ERROR_MEMORY;
  const double base = choose_base(b);
  for (int l = 0; l < BROAD_LEVELS; l++)
    g->levels[l] = (broad_level){.size = base * exp2((double)l) * (1.0 + 1e-6)};
  for (size_t i = 0; i < count; i++) {
    g->level[i] = BROAD_NO_LEVEL;
    if (!b->view->shape[i]) continue;
    const double e = extent_of(b, i);
    if (isinf(e) || isnan(e) || isinf(e / base)) continue;
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
      for (size_t i = 0; i < count; i++)
        if (g->level[i] == l) g->level[i] = BROAD_NO_LEVEL;
    }
    finest = false;
  }
  return SCREE_OK;
}

/* ---- cells ---------------------------------------------------------------------------------- */

static int64_t wrap(double c, int64_t n) {
  if (c >= 0.0 && c < (double)n) return (int64_t)c;
  if (!(fabs(c) < 4e18)) return 0;
  const int64_t i = (int64_t)floor(c) % n;
  return i < 0 ? i + n : i;
}

static void cell_of(const broad_level *level, v3 c, int64_t at[3]) {
  at[0] = wrap((c.x - level->origin.x) / level->size, level->cells[0]);
  at[1] = wrap((c.y - level->origin.y) / level->size, level->cells[1]);
  at[2] = wrap((c.z - level->origin.z) / level->size, level->cells[2]);
}

static v3 centre_of(const broad_boxes *b, size_t i) {
  return v3_scale(0.5, v3_add(b->box[i].lo, b->box[i].hi));
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* From a sample of centres along an axis: where most are, with room for the few at the ends. */
static void note_range(double *sample, size_t n, double size, double *origin, int64_t *cells) {
  qsort(sample, n, sizeof *sample, ascending);
  const double lo = sample[n / 16], hi = sample[n - 1 - n / 16];
  const double room = 0.1 * (hi - lo) + size;
  *origin = lo - room;
  *cells = (int64_t)fmin((hi - lo + 2.0 * room) / size + 1.0, 1e6);
  if (*cells < LEAST_CELLS) *cells = LEAST_CELLS;
}

/* The grid has at most a few cells per member. */
static void limit_cells(broad_level *level) {
  const double most = CELLS_PER_MEMBER * (double)level->members + 27.0;
  for (;;) {
    int64_t *n = level->cells;
    if ((double)n[0] * (double)n[1] * (double)n[2] <= most) return;
    int64_t *largest = n[0] >= n[1] && n[0] >= n[2] ? &n[0] : n[1] >= n[2] ? &n[1] : &n[2];
    *largest = *largest / 2 + 1;
    if (*largest < LEAST_CELLS) *largest = LEAST_CELLS;
  }
}

static void place_level(const broad_grid *g, const broad_boxes *b, int l, broad_level *level) {
  double sample[3][SAMPLE];
  const size_t stride = (level->members + SAMPLE - 1) / SAMPLE;
  size_t met = 0, n = 0;
  for (size_t i = 0; i < b->view->count && n < SAMPLE; i++) {
    if (g->level[i] != l || met++ % stride) continue;
    const v3 c = centre_of(b, i);
    sample[0][n] = c.x;
    sample[1][n] = c.y;
    sample[2][n++] = c.z;
  }
  note_range(sample[0], n, level->size, &level->origin.x, &level->cells[0]);
  note_range(sample[1], n, level->size, &level->origin.y, &level->cells[1]);
  note_range(sample[2], n, level->size, &level->origin.z, &level->cells[2]);
  limit_cells(level);
}

static scree_status lay_out(broad_grid *g, const broad_boxes *b) {
  size_t cells = 0, members = 0;
  for (int l = 0; l < BROAD_LEVELS; l++) {
    broad_level *level = &g->levels[l];
    if (!level->members) continue;
    place_level(g, b, l, level);
    level->first_cell = cells;
    level->first_member = members;
    cells += (size_t)(level->cells[0] * level->cells[1] * level->cells[2]) + 2;
    members += level->members;
  }
  g->member_count = members;
  if (memory_grow(g->context, &g->start, cells, sizeof *g->start) ||
      memory_grow(g->context, &g->slot, b->view->count, sizeof *g->slot) ||
      memory_grow(g->context, &g->member, members, sizeof *g->member))
    return SCREE_ERROR_MEMORY;
  for (int k = 0; k < BROAD_LANES; k++)
    if (memory_grow(g->context, &g->lane[k], members + WIDTH, sizeof *g->lane[k]))
      return SCREE_ERROR_MEMORY;
  if (cells) memset(g->start, 0, cells * sizeof *g->start);
  return SCREE_OK;
}

/* A body as a level's search compares it. The rounding of a position to float is added to the
 * sizes. Returns whether the body is a ball, in a box that does not reach far ahead, and the
 * rounding is small. */
static bool see(const broad_boxes *b, size_t i, v3 centre, const broad_level *level,
                float at[BROAD_LANES]) {
  const v3 x = v3_sub(centre, level->origin);
  const double rounding = 2e-7 * (fabs(x.x) + fabs(x.y) + fabs(x.z)), up = 1.0 + 1e-6;
  at[0] = (float)x.x;
  at[1] = (float)x.y;
  at[2] = (float)x.z;
  at[3] = (float)(up * 0.5 * extent_of(b, i) + rounding);
  at[4] = (float)(up * (broad_ball(b, i) + 0.5 * slack_of(b, i)) + rounding);
  const v3 d = v3_sub(b->box[i].hi, b->box[i].lo);
  const double least = view_less(d.x, view_less(d.y, d.z));
  const bool cube = d.x + d.y + d.z < (3.0 + about_a_cube) * least;
  return isfinite(at[4]) && cube && rounding < 1e-3 * level->size;
}

static void fill_lanes(const broad_grid *g, const broad_boxes *b, size_t m) {
  const uint32_t i = g->member[m];
  float at[BROAD_LANES];
  see(b, i, centre_of(b, i), &g->levels[g->level[i]], at);
  for (int k = 0; k < BROAD_LANES; k++) g->lane[k][m] = at[k];
}

/* Counts lie two cells on, so that after the sums each cell's first member is one cell on, and
 * where it belongs when all members have been put. */
static void sum_counts(const broad_grid *g) {
  for (int l = 0; l < BROAD_LEVELS; l++) {
    const broad_level *level = &g->levels[l];
    if (!level->members) continue;
    uint32_t *start = g->start + level->first_cell;
    const size_t cells = (size_t)(level->cells[0] * level->cells[1] * level->cells[2]);
    start[0] = start[1] = (uint32_t)level->first_member;
    for (size_t k = 2; k < cells + 2; k++) start[k] += start[k - 1];
  }
}

scree_status broad_grid_sort(broad_grid *g, const broad_boxes *b, size_t least) {
  scree_status status = assign_levels(g, b, least);
  if (!status) status = lay_out(g, b);
  if (status) return status;
  const size_t count = b->view->count;
  for (size_t i = 0; i < count; i++) {
    if (g->level[i] == BROAD_NO_LEVEL) continue;
    const broad_level *level = &g->levels[g->level[i]];
    int64_t at[3];
    cell_of(level, centre_of(b, i), at);
    g->slot[i] = (uint32_t)((at[2] * level->cells[1] + at[1]) * level->cells[0] + at[0]);
    g->start[level->first_cell + g->slot[i] + 2]++;
  }
  sum_counts(g);
  for (size_t i = 0; i < count; i++) {
    if (g->level[i] == BROAD_NO_LEVEL) continue;
    const size_t cell = g->levels[g->level[i]].first_cell + g->slot[i];
    g->member[g->start[cell + 1]++] = (uint32_t)i;
  }
#pragma omp parallel for schedule(static)                                                          \
    num_threads(context_team(g->context, g->member_count > PARALLEL_BODIES))
  for (size_t m = 0; m < g->member_count; m++) fill_lanes(g, b, m);
  return SCREE_OK;
}

/* ---- search --------------------------------------------------------------------------------- */

typedef struct search {
  const broad_grid *grid;
  const broad_boxes *boxes;
  uint32_t body;
  float at[BROAD_LANES];
  bool own;            /* level: each pair is met from both sides */
  bool ball;           /* floats decide nearly as well as its box */
  const periodic *box; /* null: none */
  v3 shift;
  broad_list *higher, *lower;
} search;

/* Bit k: member k of the four may meet the body. Comparisons that fail with NaN say yes. */
static unsigned may_meet(const search *s, size_t first) {
#ifdef __SSE2__
  const float *const *lane = (const float *const *)s->grid->lane;
  const __m128 sign = _mm_set1_ps(-0.0f);
  const __m128 x = _mm_sub_ps(_mm_loadu_ps(lane[0] + first), _mm_set1_ps(s->at[0]));
  const __m128 y = _mm_sub_ps(_mm_loadu_ps(lane[1] + first), _mm_set1_ps(s->at[1]));
  const __m128 z = _mm_sub_ps(_mm_loadu_ps(lane[2] + first), _mm_set1_ps(s->at[2]));
  const __m128 half = _mm_add_ps(_mm_loadu_ps(lane[3] + first), _mm_set1_ps(s->at[3]));
  const __m128 ball = _mm_add_ps(_mm_loadu_ps(lane[4] + first), _mm_set1_ps(s->at[4]));
  const __m128 far = _mm_max_ps(_mm_max_ps(_mm_andnot_ps(sign, x), _mm_andnot_ps(sign, y)),
                                _mm_andnot_ps(sign, z));
  const __m128 apart = _mm_add_ps(_mm_add_ps(_mm_mul_ps(x, x), _mm_mul_ps(y, y)), _mm_mul_ps(z, z));
  return (unsigned)_mm_movemask_ps(
      _mm_and_ps(_mm_cmpngt_ps(far, half), _mm_cmpngt_ps(apart, _mm_mul_ps(ball, ball))));
#else
  unsigned mask = 0;
  for (unsigned k = 0; k < WIDTH; k++) {
    float *const *lane = s->grid->lane;
    const float x = lane[0][first + k] - s->at[0], y = lane[1][first + k] - s->at[1],
                z = lane[2][first + k] - s->at[2];
    const float half = lane[3][first + k] + s->at[3], ball = lane[4][first + k] + s->at[4];
    const bool apart = fabsf(x) > half || fabsf(y) > half || fabsf(z) > half ||
                       x * x + y * y + z * z > ball * ball;
    mask |= (unsigned)!apart << k;
  }
  return mask;
#endif
}

static unsigned lowest(unsigned mask) {
  return mask & 1u ? 0u : mask & 2u ? 1u : mask & 4u ? 2u : 3u;
}

/* Is the body, moved as it is, the image nearest to k? And do the two boxes come near? */
static bool near_image(const search *s, uint32_t k) {
  const broad_boxes *b = s->boxes;
  const periodic *box = s->box;
  const v3 nearest = periodic_nearest(box, centre_of(b, k), centre_of(b, s->body)).shift;
  const v3 off = v3_abs(v3_sub(nearest, s->shift));
  for (int m = 0; m < 3; m++)
    if ((m == 0 ? off.x : m == 1 ? off.y : off.z) > 1e-6 * box->size[m]) return false;
  const double between = view_less(broad_slack(b->view, s->body), broad_slack(b->view, k));
  const v3 shift = s->shift;
  const aabb own = {v3_add(b->box[s->body].lo, shift), v3_add(b->box[s->body].hi, shift)};
  return aabb_overlap(aabb_grow(own, between), b->box[k]);
}

static void meet_run(const search *s, size_t begin, size_t end) {
  for (size_t first = begin; first < end; first += WIDTH) {
    unsigned mask = may_meet(s, first);
    if (end - first < WIDTH) mask &= (1u << (end - first)) - 1u;
    for (; mask; mask &= mask - 1u) {
      const uint32_t k = s->grid->member[first + lowest(mask)];
      if (k <= s->body && (s->own || k == s->body)) continue;
      if (!broad_may_touch(s->boxes->view, s->body, k)) continue;
      if (s->box ? !near_image(s, k) : !s->ball && !broad_near(s->boxes, s->body, k)) continue;
      broad_list_add(k > s->body ? s->higher : s->lower, k);
      if (k < s->body) broad_list_add(s->lower, s->body);
    }
  }
}

/* A row of cells about x: one run, or two where it wraps. */
static void meet_row(const search *s, const uint32_t *start, int64_t x, int64_t cells) {
  if (x > 0 && x < cells - 1) {
    meet_run(s, start[x - 1], start[x + 2]);
  } else if (x == 0) {
    meet_run(s, start[0], start[2]);
    meet_run(s, start[cells - 1], start[cells]);
  } else {
    meet_run(s, start[cells - 2], start[cells]);
    meet_run(s, start[0], start[1]);
  }
}

static void meet_level(search *s, const broad_level *level, const int64_t at[3]) {
  for (int64_t dz = -1; dz <= 1; dz++) {
    const int64_t z = (at[2] + dz + level->cells[2]) % level->cells[2];
    for (int64_t dy = -1; dy <= 1; dy++) {
      const int64_t y = (at[1] + dy + level->cells[1]) % level->cells[1];
      const int64_t row = (z * level->cells[1] + y) * level->cells[0];
      meet_row(s, s->grid->start + level->first_cell + row, at[0], level->cells[0]);
    }
  }
}

void broad_grid_partners(const broad_grid *g, const broad_boxes *b, size_t place,
                         const broad_moved *moved, broad_list *higher, broad_list *lower) {
  search s = {.grid = g,
              .boxes = b,
              .body = g->member[place],
              .own = true,
              .box = moved->box,
              .shift = moved->shift,
              .higher = higher,
              .lower = lower};
  int64_t at[3];
  const int own = g->level[s.body];
  const v3 c = v3_add(centre_of(b, s.body), moved->shift);
  for (int l = own; l < BROAD_LEVELS; l++) {
    const broad_level *level = &g->levels[l];
    if (!level->members) continue;
    cell_of(level, c, at);
    s.ball = see(b, s.body, c, level, s.at);
    s.own = l == own;
    meet_level(&s, level, at);
  }
}

static int by_index(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

void broad_sort_row(uint32_t *x, size_t n) {
  enum { FEW = 64 }; /* by insertion: most are in order */
  if (n > FEW) {
    qsort(x, n, sizeof *x, by_index);
    return;
  }
  for (size_t i = 1; i < n; i++) {
    const uint32_t key = x[i];
    size_t k = i;
    for (; k > 0 && x[k - 1] > key; k--) x[k] = x[k - 1];
    x[k] = key;
  }
}

/* See pairs.h. A batch is cut into pieces of some pairs each; a piece belongs to one thread and has
 * its own output. A piece whose output is too small is done again with more room. */
#include "collide/pairs.h"

#include <string.h>

#include "base/asking.h"
#include "base/memory.h"
#include "collide/narrow/sphere.h"

enum { PIECES = COLLIDE_PARTS, PIECE_PAIRS = 256, SEGMENT_PAIRS = 128, PIECE_ROOM = 64 };
/* One thread hands contacts on while they are in its cache. */
enum { PIECES_ALONE = 8 };
/* Bodies ahead whose rows are asked for, and segments ahead whose bodies are: the order of bodies
 * is not that of their arrays, which no longer fit in cache from FAR_BODIES on. */
enum { ROWS_AHEAD = 16, LISTS_AHEAD = 8, BODIES_AHEAD = 4, FAR_BODIES = 4096 };

/* Some partners of one body. */
typedef struct segment {
  uint32_t body, first, count;
} segment;

typedef struct piece {
  segment segments[PIECE_PAIRS];
  size_t segment_count;
  collide_contact *out;
  size_t count, room; /* of `out` */
  size_t first;       /* place of its first contact */
  bool begins;        /* its first contact is the first of its body */
  bool short_of_room;
} piece;

struct collide {
  scree_context *context;
  broad *broad;
  cache cache;
  collide_view view;
  const uint32_t *order;
  size_t order_count;
  bool far;
  size_t body, partner; /* where the next batch starts: place in the order, partner */
  piece *piece;
  size_t piece_count, part_count, piece_next; /* the next one to be handed out */
  uint32_t last; /* the first body of the contact that was found last */
  asking ask;
};

scree_status collide_create(scree_context *context, collide **out) {
  collide *c = memory_new(context, 1, sizeof *c);
  *out = NULL;
  if (!c) return SCREE_ERROR_MEMORY;
  c->context = c->cache.context = context;
  c->piece = memory_new(context, PIECES, sizeof *c->piece);
  if (!c->piece || broad_create(context, &c->broad)) {
    collide_destroy(c);
    return SCREE_ERROR_MEMORY;
  }
  *out = c;
  return SCREE_OK;
}

void collide_destroy(collide *c) {
  if (!c) return;
  scree_context *context = c->context;
  for (size_t k = 0; c->piece && k < PIECES; k++) memory_free(context, c->piece[k].out);
  memory_free(context, c->piece);
  cache_clear(&c->cache);
  broad_destroy(c->broad);
  memory_free(context, c);
}

void collide_invalidate(collide *c) {
  broad_invalidate(c->broad);
}

void collide_note_change(collide *c) {
  broad_note_change(c->broad);
}

cache *collide_cache(collide *c) {
  return &c->cache;
}

broad *collide_broad(collide *c) {
  return c->broad;
}

scree_status collide_begin(collide *c, const collide_view *view, const uint32_t *generation,
                           const uint32_t *order, size_t order_count) {
  c->view = *view;
  c->order = order;
  c->order_count = order ? order_count : view->count;
  c->far = view->count > FAR_BODIES;
  c->body = c->partner = 0;
  c->piece_count = c->part_count = c->piece_next = 0;
  c->last = CACHE_NONE;
  asking_begin(&c->ask, c->context);
  const scree_status status = broad_update(c->broad, view);
  return status ? status : cache_begin(&c->cache, view->count, generation);
}

/* Fills pieces with the next pairs in order. */
static void cut(collide *c) {
  const size_t most = c->context->threads > 1 ? PIECES : PIECES_ALONE;
  c->piece_count = 0;
  while (c->body < c->order_count && c->piece_count < most) {
    piece *p = &c->piece[c->piece_count++];
    size_t pairs = 0;
    p->segment_count = p->count = 0;
    while (c->body < c->order_count && pairs < PIECE_PAIRS) {
      const uint32_t i = c->order ? c->order[c->body] : (uint32_t)c->body;
      size_t partners;
      if (c->far && c->order && c->body + ROWS_AHEAD < c->order_count)
        broad_ask_for_row(c->broad, c->order[c->body + ROWS_AHEAD]);
      broad_partners(c->broad, i, &partners);
      size_t take = partners - c->partner;
      if (take > SEGMENT_PAIRS) take = SEGMENT_PAIRS;
      if (take > PIECE_PAIRS - pairs) take = PIECE_PAIRS - pairs;
      if (take)
        p->segments[p->segment_count++] = (segment){i, (uint32_t)c->partner, (uint32_t)take};
      pairs += take;
      c->partner += take;
      if (c->partner < partners) continue;
      c->partner = 0;
      c->body++;
    }
  }
}

static bool is_plain_sphere(const collide_view *view, uint32_t i) {
  return !view->place && view->shape[i]->kind == SCREE_SHAPE_SPHERE;
}

/* Most pairs are two spheres: no pose, no table, and one reading of both bodies for all that is
 * asked: whether they are surely farther apart than the margin (sums of components instead of the
 * root for a speed), view_passes and view_pair_margin, in their numbers. */
static bool touch_spheres(const collide_view *view, uint32_t i, uint32_t k, piece *p) {
  const v3 at = view->position[i], other = view->position[k], x = v3_sub(other, at);
  const v3 v = v3_sub(view->linear[i], view->linear[k]), size = v3_abs(v);
  const double radius = view->radius[i], radius_k = view->radius[k], sum = radius + radius_k;
  const double scale = view_less(view->diameter[i], view->diameter[k]);
  const double part = view_margin(view, scale), h = view->h, apart2 = v3_norm2(x);
  const double extra = view->extra ? view->extra[i] + view->extra[k] : 0.0;
  const double reach = sum + part + h * (size.x + size.y + size.z) * (1.0 + 1e-12) + extra;
  if (apart2 > reach * reach * (1.0 + 1e-12)) return true;
  if (p->count == p->room) return false;
  if (view_leads_past(view, x, v3_neg(v), scale, sum, extra)) return true;
  double margin = part + h * v3_norm(v);
  if (view->extra) margin = margin + view->extra[i] + view->extra[k];
  collide_contact *c = &p->out[p->count];
  if (!narrow_touch_spheres(at, radius, other, radius_k, margin, &c->point)) return true;
  c->a = i;
  c->b = k;
  c->given = false;
  p->count++;
  return true;
}

/* The first given contact of the pair, or of one after it. */
static size_t find_given(const collide_view *view, uint32_t i, uint32_t k) {
  size_t lo = 0, hi = view->given_count;
  while (lo < hi) {
    const size_t mid = (lo + hi) / 2;
    const collide_given *g = &view->given[mid];
    if (g->a < i || (g->a == i && g->b < k))
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static bool add_given(const collide_view *view, uint32_t i, uint32_t k, piece *p) {
  for (size_t m = find_given(view, i, k); m < view->given_count; m++) {
    const collide_given *g = &view->given[m];
    if (g->a != i || g->b != k) break;
    if (p->count == p->room) return false;
    p->out[p->count++] = (collide_contact){.a = i, .b = k, .given = true, .point = g->point};
  }
  return true;
}

/* Contacts of one pair; false: no room. */
static bool touch(const collide_view *view, uint32_t i, uint32_t k, piece *p) {
  const double margin = view_pair_margin(view, i, k);
  const double reach = view->radius[i] + view->radius[k] + margin;
  if (v3_norm2(v3_sub(view->position[i], view->position[k])) > reach * reach ||
      view_passes(view, i, k))
    return add_given(view, i, k, p);
  contact_point found[CONTACT_POINT_MAX];
  const int n =
      narrow_collide_whole(view->shape[i], view_shape_pose(view, i), view->shape[k],
                           view_shape_pose(view, k), margin, view->whole, found, CONTACT_POINT_MAX);
  if (p->count + (size_t)n > p->room) return false;
  for (int m = 0; m < n; m++)
    p->out[p->count++] = (collide_contact){.a = i, .b = k, .point = found[m]};
  return add_given(view, i, k, p);
}

static bool touch_image(const collide_view *view, uint32_t i, uint32_t k, piece *p) {
  view_pair pair;
  const size_t first = p->count;
  view_take_pair(view, i, k, &pair);
  const bool balls = is_plain_sphere(view, i) && is_plain_sphere(view, k);
  if (!(balls ? touch_spheres : touch)(&pair.view, 0, 1, p)) return false;
  for (size_t m = first; m < p->count; m++) {
    p->out[m].a = i;
    p->out[m].b = k;
  }
  return add_given(view, i, k, p);
}

static void ask_for_body(const collide_view *view, uint32_t i) {
  __builtin_prefetch(&view->position[i]);
  __builtin_prefetch(&view->linear[i]);
  __builtin_prefetch(&view->radius[i]);
  __builtin_prefetch(&view->diameter[i]);
  __builtin_prefetch(&view->shape[i]);
}

/* Prefetches what segment s and those after it will read. */
static void ask_ahead(const collide *c, const piece *p, size_t s) {
  size_t partners;
  if (s + LISTS_AHEAD < p->segment_count)
    __builtin_prefetch(broad_partners(c->broad, p->segments[s + LISTS_AHEAD].body, &partners));
  if (s + BODIES_AHEAD >= p->segment_count) return;
  const segment *seg = &p->segments[s + BODIES_AHEAD];
  const uint32_t *partner = broad_partners(c->broad, seg->body, &partners) + seg->first;
  ask_for_body(&c->view, seg->body);
  for (uint32_t k = 0; k < seg->count; k++) ask_for_body(&c->view, partner[k]);
}

/* A pair of meshes may take milliseconds: the caller is asked before each segment whether to go on,
 * with balls before each piece. `mine`: on its own thread. */
static void run_piece(collide *c, piece *p, bool mine) {
  p->count = 0;
  p->short_of_room = false;
  for (size_t s = 0; s < p->segment_count; s++) {
    if (c->far) ask_ahead(c, p, s);
    const segment *seg = &p->segments[s];
    size_t partners;
    const uint32_t *partner = broad_partners(c->broad, seg->body, &partners) + seg->first;
    const bool ball = is_plain_sphere(&c->view, seg->body);
    if (asking_ended(&c->ask, mine && (s == 0 || !ball))) return;
    for (uint32_t k = 0; k < seg->count; k++) {
      if (!view_is_mine(&c->view, seg->body, partner[k])) continue;
      if (!(c->view.box ? touch_image
            : ball && is_plain_sphere(&c->view, partner[k])
                ? touch_spheres
                : touch)(&c->view, seg->body, partner[k], p)) {
        p->short_of_room = true;
        return;
      }
    }
  }
}

/* Finds the next pieces' contacts. */
static scree_status run_pieces(collide *c) {
  if (c->piece_count > 4 && c->context->threads > 1) {
#pragma omp parallel for schedule(dynamic) num_threads(context_team(c->context, true))
    for (size_t k = 0; k < c->piece_count; k++) run_piece(c, &c->piece[k], asking_is_mine());
  } else {
    for (size_t k = 0; k < c->piece_count; k++) run_piece(c, &c->piece[k], true);
  }
  for (size_t k = 0; k < c->piece_count; k++) {
    piece *p = &c->piece[k];
    while (p->short_of_room) {
      if (memory_grow(c->context, &p->out, 2 * p->room + PIECE_ROOM, sizeof *p->out))
        return SCREE_ERROR_MEMORY;
      p->room = memory_room(p->out);
      run_piece(c, p, true);
    }
  }
  return asking_status(&c->ask, "contacts");
}

/* Finds where the contacts of each piece begin among all. */
static scree_status place_pieces(collide *c, size_t *count) {
  size_t total = 0, first;
  for (size_t k = 0; k < c->piece_count; k++) total += c->piece[k].count;
  if (cache_extend(&c->cache, total, &first)) return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < c->piece_count; k++) {
    piece *p = &c->piece[k];
    p->first = first;
    first += p->count;
    if (!p->count) continue;
    p->begins = p->out[0].a != c->last;
    c->last = p->out[p->count - 1].a;
  }
  *count = total;
  return SCREE_OK;
}

scree_status collide_find(collide *c, size_t *parts, size_t *count) {
  *parts = *count = 0;
  while (c->body < c->order_count && *count == 0) {
    cut(c);
    scree_status status = run_pieces(c);
    if (!status) status = place_pieces(c, count);
    if (status) return status;
  }
  c->piece_next = 0;
  *parts = *count ? c->piece_count : 0;
  return SCREE_OK;
}

void collide_take(collide *c, size_t part, const collide_contact **batch, size_t *count,
                  size_t *first) {
  piece *p = &c->piece[part];
  *batch = p->out;
  *count = p->count;
  *first = p->first;
  cache_walk walk = {.group = CACHE_NONE};
  for (size_t m = 0; m < p->count; m++) {
    collide_contact *contact = &p->out[m];
    const cache_key key = {contact->a, contact->b, contact->point.feature};
    if (m == 0) walk = cache_walk_from(&c->cache, key, p->begins);
    cache_put(&c->cache, &walk, key, p->first + m, &contact->match);
  }
}

scree_status collide_next(collide *c, const collide_contact **batch, size_t *count) {
  *count = 0;
  *batch = NULL;
  while (*count == 0) {
    if (c->piece_next == c->part_count) {
      size_t total, parts;
      const scree_status status = collide_find(c, &parts, &total);
      if (status) return status;
      c->part_count = parts;
      if (!parts) return SCREE_OK;
    }
    size_t first;
    collide_take(c, c->piece_next++, batch, count, &first);
  }
  return SCREE_OK;
}

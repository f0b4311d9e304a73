/* The broad phase; see broad.h. A body's box is its tight box, grown by how far it may move in the
 * step against the mean velocity v0 (two bodies' growths cover their relative motion for any v0).
 * Two boxes make a pair when they come closer than the margin by the smaller diameter. */
#include "collide/broad/broad.h"

#include <string.h>

#include "base/memory.h"
#include "base/pieces.h"
#include "collide/broad/state.h"

enum { LARGE_LEVEL = 12 }; /* a level with fewer members is tested directly */
enum { KEPT_BYTES = 1 << 20, PIECE_MEMBERS = 512, PIECE_ROOM = 4096, PARALLEL_BODIES = 2048 };
enum { STRETCH = 128 }; /* pieces that are searched without a look at the caller */
enum { SHORT_AGE = 3, MANY_MEMBERS = 16384 };

/* Some members of the grid, or one large body: what one thread searches at a time. */
typedef struct piece {
  size_t begin, end;
  broad_list higher; /* rows one after the other, of the lengths in `length` */
  broad_list lower;  /* pairs, the lower index first, that belong to other rows */
} piece;

scree_status broad_create(scree_context *context, broad **out) {
  *out = memory_new(context, 1, sizeof **out);
  if (!*out) return SCREE_ERROR_MEMORY;
  (*out)->context = context;
  (*out)->grid.context = (*out)->stray.context = (*out)->rest.context = context;
  (*out)->age = BROAD_WIDE_AGE;
  return SCREE_OK;
}

static void free_pieces(broad *b) {
  for (size_t k = 0; k < memory_room(b->piece); k++) {
    memory_free(b->context, b->piece[k].higher.entry);
    memory_free(b->context, b->piece[k].lower.entry);
  }
  memory_free(b->context, b->piece);
  memory_free(b->context, b->length);
  b->piece = NULL;
  b->length = NULL;
}

void broad_destroy(broad *b) {
  if (!b) return;
  scree_context *context = b->context;
  memory_free(context, b->box);
  memory_free(context, b->shown);
  memory_free(context, b->large_list);
  memory_free(context, b->cavity);
  broad_grid_clear(&b->grid);
  broad_stray_clear(&b->stray);
  broad_rest_clear(&b->rest);
  free_pieces(b);
  memory_free(context, b->row);
  memory_free(context, b->partner);
  memory_free(context, b->generation);
  memory_free(context, b->left);
  memory_free(context, b);
}

void broad_invalidate(broad *b) {
  b->valid = false;
}

void broad_note_change(broad *b) {
  b->changed = true;
}

size_t broad_rebuild_count(const broad *b) {
  return b->rebuilds;
}

const uint32_t *broad_partners(const broad *b, size_t i, size_t *count) {
  const uint32_t *row = b->rest.some ? b->rest.row : b->row;
  *count = row[i + 1] - row[i];
  return (b->rest.some ? b->rest.partner : b->partner) + row[i];
}

void broad_ask_for_row(const broad *b, size_t i) {
  __builtin_prefetch(b->rest.some ? &b->rest.row[i] : &b->row[i]);
}

/* ---- boxes ---------------------------------------------------------------------------------- */

/* The slack of walls is that of the bodies that can be pushed, as the size of a wall says nothing
 * about it. */
static double common_slack(const collide_view *view) {
  double sum = 0.0;
  size_t n = 0;
  for (size_t i = 0; i < view->count; i++)
    if (view->shape[i] && view->kind[i] == 0 && isfinite(view->diameter[i])) {
      sum += broad_slack(view, i);
      n++;
    }
  return n ? sum / (double)n : 0.0;
}

static scree_status make_boxes(broad *b, const collide_view *view, broad_boxes *out) {
  const size_t n = view->count;
  if (memory_grow(b->context, &b->box, n, sizeof *b->box) ||
      memory_grow(b->context, &b->length, n, sizeof *b->length) ||
      memory_grow(b->context, &b->row, n + 1, sizeof *b->row))
    return SCREE_ERROR_MEMORY;
  const v3 v0 = broad_mean_velocity(b->context, view);
  const double common = b->common = common_slack(view);
  /* Wider boxes hold for longer, but make more pairs. */
  b->wide = b->age < SHORT_AGE;
  const double skin = images_part(view) ? 0.0 : b->wide ? 1.5 : 0.5;
  *out = (broad_boxes){.view = view, .box = b->box, .mean_velocity = v0, .skin = skin * common};
  double most = 0.0;
#pragma omp parallel for schedule(static) reduction(max                                            \
                                                    : most)                                        \
    num_threads(context_team(b->context, n > PIECES_MANY))
  for (size_t i = 0; i < n; i++) {
    if (!view->shape[i]) continue;
    const aabb box = broad_box_ahead(view, i, v0);
    const double slack = broad_slack(view, i);
    b->box[i] = aabb_grow(box, skin * view_less(slack, common));
    if (isfinite(slack) && slack > most) most = slack;
  }
  b->most_slack = out->most_slack = most;
  b->images = view->box ? images_list(view->box, b->image) : 0;
  if (!view->box) return SCREE_OK;
  if (memory_grow(b->context, &b->shown, n, sizeof *b->shown)) return SCREE_ERROR_MEMORY;
  out->box = b->shown;
  const scree_status status = images_show(b->context, view, b->box, b->shown, &b->all);
  b->all = aabb_grow(b->all, b->most_slack);
  return status;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static scree_status sort_bodies(broad *b, const broad_boxes *boxes) {
  b->large_count = 0;
  const scree_status status = broad_grid_sort(&b->grid, boxes, LARGE_LEVEL);
  if (status) return status;
  for (size_t i = 0; i < boxes->view->count; i++) {
    if (!boxes->view->shape[i] || b->grid.level[i] != BROAD_NO_LEVEL) continue;
    const size_t k = b->large_count;
    if (memory_grow(b->context, &b->large_list, k + 1, sizeof *b->large_list) ||
        memory_grow(b->context, &b->cavity, k + 1, sizeof *b->cavity))
      return SCREE_ERROR_MEMORY;
    b->large_list[k] = (uint32_t)i;
    b->cavity[k] = (broad_cavity){.still = false};
    if (!boxes->view->box)
      b->cavity[k] = broad_cavity_of(boxes->view, (uint32_t)i, boxes->mean_velocity, boxes->skin);
    b->large_count++;
  }
  return SCREE_OK;
}

/* A body of the grid: partners there, and large ones that come after it. */
static void search_member(const broad *b, const broad_boxes *boxes, size_t place, piece *p) {
  const uint32_t i = b->grid.member[place];
  broad_list *out = &p->higher;
  const size_t first = out->count;
  broad_moved moved = {.box = boxes->view->box};
  if (!moved.box) broad_grid_partners(&b->grid, boxes, place, &moved, out, &p->lower);
  for (int m = 0; m < b->images; m++) {
    moved.shift = b->image[m];
    if (images_meet(b->shown[i], moved.shift, b->all))
      broad_grid_partners(&b->grid, boxes, place, &moved, out, &p->lower);
  }
  for (size_t k = b->large_count; k-- > 0 && b->large_list[k] > i;)
    if (broad_meets_large(b, boxes, k, i)) broad_list_add(out, b->large_list[k]);
  b->length[i] = (uint32_t)(out->count - first);
  if (!out->short_of_room) broad_sort_row(out->entry + first, out->count - first);
}

/* A large body against all that come after it. */
static void search_large(const broad *b, const broad_boxes *boxes, size_t k, piece *p) {
  const uint32_t l = b->large_list[k];
  for (uint32_t i = l + 1; i < boxes->view->count; i++)
    if (boxes->view->shape[i] && broad_meets_large(b, boxes, k, i)) broad_list_add(&p->higher, i);
  b->length[l] = (uint32_t)p->higher.count;
}

static size_t member_pieces(const broad *b) {
  return (b->grid.member_count + PIECE_MEMBERS - 1) / PIECE_MEMBERS;
}

/* Bodies that lie in one place by the thousand make pairs by the square of their number: that is
 * refused, before memory and time run out. Solids side by side have some tens each. */
static const size_t pair_limit = 100000000, pair_limit_each = 500, piece_limit = (size_t)1 << 24;

static size_t pairs_of(const piece *p) {
  return p->higher.count + p->lower.count / 2;
}

static scree_status check_crowd(broad *b, size_t bodies) {
  size_t total = 0;
  for (size_t k = 0; k < b->piece_count; k++) total += pairs_of(&b->piece[k]);
  if (context_stopped_alone(b->context))
    return context_fail(b->context, SCREE_ERROR_STOPPED, "near pairs: stopped by the caller");
  if (!atomic_load(&b->crowded) && total <= pair_limit + pair_limit_each * bodies) return SCREE_OK;
  return context_fail(
      b->context, SCREE_ERROR_INPUT,
      "%zu bodies have more than %zu pairs that are near each other; many lie in one "
      "place",
      bodies, total);
}

static void search_piece(broad *b, const broad_boxes *boxes, size_t k) {
  piece *p = &b->piece[k];
  p->higher.count = p->lower.count = 0;
  p->higher.short_of_room = p->lower.short_of_room = false;
  if (k >= member_pieces(b)) {
    search_large(b, boxes, k - member_pieces(b), p);
    return;
  }
  for (size_t m = p->begin; m < p->end && !atomic_load(&b->crowded); m++) {
    search_member(b, boxes, m, p);
    if (pairs_of(p) > piece_limit) atomic_store(&b->crowded, true);
  }
}

static scree_status give_room(broad *b, broad_list *list, size_t least) {
  const size_t need = list->count > least ? list->count : least;
  if (memory_grow(b->context, &list->entry, need, sizeof *list->entry)) return SCREE_ERROR_MEMORY;
  list->room = memory_room(list->entry);
  return SCREE_OK;
}

/* Pieces that had no room for what they found are searched again. Between stretches of them the
 * caller is asked whether to go on. */
static scree_status search_all(broad *b, const broad_boxes *boxes) {
  const size_t members = member_pieces(b);
  atomic_store(&b->crowded, false);
  b->piece_count = members + b->large_count;
  if (memory_grow(b->context, &b->piece, b->piece_count, sizeof *b->piece))
    return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < b->piece_count; k++) {
    piece *p = &b->piece[k];
    p->begin = k * PIECE_MEMBERS;
    p->end = p->begin + PIECE_MEMBERS;
    if (p->end > b->grid.member_count) p->end = b->grid.member_count;
    p->higher.count = p->lower.count = 0;
    if (give_room(b, &p->higher, PIECE_ROOM)) return SCREE_ERROR_MEMORY;
  }
  for (size_t first = 0; first < b->piece_count; first += STRETCH) {
    const size_t end = first + STRETCH < b->piece_count ? first + STRETCH : b->piece_count;
#pragma omp parallel for schedule(dynamic)                                                         \
    num_threads(context_team(b->context, boxes->view->count > PARALLEL_BODIES))
    for (size_t k = first; k < end; k++) search_piece(b, boxes, k);
    const scree_status status = check_crowd(b, boxes->view->count);
    if (status) return status;
  }
  for (size_t k = 0; k < b->piece_count; k++) {
    piece *p = &b->piece[k];
    if (!p->higher.short_of_room && !p->lower.short_of_room) continue;
    const scree_status status = check_crowd(b, boxes->view->count);
    if (status) return status;
    if (give_room(b, &p->higher, 0) || give_room(b, &p->lower, 0)) return SCREE_ERROR_MEMORY;
    search_piece(b, boxes, k);
  }
  return SCREE_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Where rows begin; `row` has the number of pairs from `lower` lists before, one place on. */
static scree_status lay_out_rows(broad *b, size_t n) {
  size_t total = 0;
  for (size_t i = 0; i < n; i++) {
    total += b->row[i + 1] + b->length[i];
    b->row[i + 1] = (uint32_t)total;
  }
  if (total > UINT32_MAX)
    return context_fail(b->context, SCREE_ERROR_MEMORY, "%zu pairs of near bodies are too many",
                        total);
  return memory_grow(b->context, &b->partner, total + broad_stray_room(n), sizeof *b->partner);
}

static void copy_rows(broad *b, size_t k) {
  const piece *p = &b->piece[k];
  if (k >= member_pieces(b)) {
    const uint32_t l = b->large_list[k - member_pieces(b)];
    if (b->length[l])
      memcpy(b->partner + b->row[l], p->higher.entry, b->length[l] * sizeof *b->partner);
    return;
  }
  const uint32_t *from = p->higher.entry;
  for (size_t m = p->begin; m < p->end; m++) {
    const uint32_t i = b->grid.member[m];
    for (uint32_t e = 0; e < b->length[i]; e++) b->partner[b->row[i] + e] = from[e];
    from += b->length[i];
  }
}

static void add_lower(broad *b, size_t n) {
  for (size_t k = 0; k < b->piece_count; k++)
    for (size_t e = 0; e < b->piece[k].lower.count; e += 2) {
      const uint32_t i = b->piece[k].lower.entry[e];
      b->partner[b->row[i] + b->length[i]++] = b->piece[k].lower.entry[e + 1];
    }
  for (size_t i = 0; i < n; i++) {
    uint32_t *x = b->partner + b->row[i];
    const size_t length = b->row[i + 1] - b->row[i];
    size_t sorted = 1;
    while (sorted < length && x[sorted] > x[sorted - 1]) sorted++;
    if (sorted < length) broad_sort_row(x, length);
  }
}

/* Large lists are not held twice: old pairs are freed before the search, and the memory of the
 * search before new pairs are made. */
static void give_way(broad *b) {
  if (memory_room(b->partner) * sizeof *b->partner < KEPT_BYTES) return;
  memory_free(b->context, b->partner);
  b->partner = NULL;
}

static scree_status make_rows(broad *b, size_t n) {
  bool any_lower = false;
  memset(b->row, 0, (n + 1) * sizeof *b->row);
  for (size_t k = 0; k < b->piece_count; k++)
    for (size_t e = 0; e < b->piece[k].lower.count; e += 2) {
      b->row[b->piece[k].lower.entry[e] + 1]++;
      any_lower = true;
    }
  const scree_status status = lay_out_rows(b, n);
  if (status) return status;
#pragma omp parallel for schedule(dynamic)                                                         \
    num_threads(context_team(b->context, n > PARALLEL_BODIES))
  for (size_t k = 0; k < b->piece_count; k++) copy_rows(b, k);
  if (any_lower) add_lower(b, n);
  return SCREE_OK;
}

/* What only the search needs is given back where it is large: pairs are made anew now and then, and
 * memory is short when the solver runs. */
static void give_back(broad *b, size_t n) {
  if (b->row[n] * sizeof *b->partner < KEPT_BYTES) return;
  free_pieces(b);
  broad_grid_give_back(&b->grid);
}

static scree_status find_anew(broad *b, const collide_view *view) {
  b->valid = false;
  broad_rest_forget(&b->rest);
  if (view->count >= UINT32_MAX)
    return context_fail(b->context, SCREE_ERROR_INPUT, "more than %u bodies", UINT32_MAX - 1);
  broad_boxes boxes;
  scree_status status = make_boxes(b, view, &boxes);
  if (!status && view->count) memset(b->length, 0, view->count * sizeof *b->length);
  if (!status) status = sort_bodies(b, &boxes);
  if (!status) status = broad_prepare_strays(b, view->count);
  give_way(b);
  if (!status) status = search_all(b, &boxes);
  if (b->grid.member_count > MANY_MEMBERS) broad_grid_give_back_lanes(&b->grid);
  if (!status) status = make_rows(b, view->count);
  if (status) return status;
  give_back(b, view->count);
  if (view->generation) {
    if (memory_grow(b->context, &b->generation, view->count, sizeof *b->generation))
      return SCREE_ERROR_MEMORY;
    if (view->count) memcpy(b->generation, view->generation, view->count * sizeof *b->generation);
  }
  b->count = view->count;
  b->valid = true;
  b->age = 0;
  b->rebuilds++;
  return SCREE_OK;
}

scree_status broad_update(broad *b, const collide_view *view) {
  b->age++;
  if (b->changed) b->rest.due = true;
  if (b->changed && !broad_adopt(b, view)) b->valid = false;
  b->changed = false;
  scree_status status = broad_rest_see(&b->rest, view);
  if (!status && !broad_still_valid(b, view)) status = find_anew(b, view);
  if (!status) status = broad_rest_rows(&b->rest, view, b->row, b->partner);
  if (status) b->valid = false;
  return status;
}

/* The picture: samples of all pixels, the smoothing of their light, and bytes.
 *
 * Every pixel takes a sixth of the samples, in pairs (sample.c). Where all of it and its neighbours
 * met one smooth surface, all in the sun or all in its shadow, there is no edge to smooth, and it
 * takes no more: in most pictures these are most of the pixels. The others take half of the
 * samples; only where these differ they take all. Sums run over samples in their order, pixels are
 * independent: any number of threads gives the same bytes. */
#include "base/argument.h"
#include "base/definition.h"
#include "render/frame.h"

#ifdef SCREE_WITH_RENDER
#include <string.h>

enum { TILE = 16 };

/* Pairs that wait until eight of them go as one packet. */
typedef struct pair_queue {
  render_frame *frame;
  render_place place[RENDER_LANES];
  int count;
} pair_queue;

static void flush(pair_queue *q) {
  if (q->count) render_add_pairs(q->frame, q->count, q->place);
  q->count = 0;
}

static void push(pair_queue *q, int x, int y, int pair) {
  q->place[q->count++] = (render_place){x, y, pair};
  if (q->count == RENDER_LANES) flush(q);
}

typedef struct tile_box {
  int x0, y0, x1, y1;
} tile_box;

/* Rays of a packet begin in a block of 4 x 2 pixels. */
static void draw_first(render_frame *f, tile_box t) {
  pair_queue q = {.frame = f};
  for (int y = t.y0; y < t.y1; y += 2)
    for (int x = t.x0; x < t.x1; x += 4)
      for (int i = 0; i < 8; i++) {
        const int px = x + i % 4, py = y + i / 4;
        for (int pair = 0; pair < f->first && px < t.x1 && py < t.y1; pair++)
          push(&q, px, py, pair);
      }
  flush(&q);
}

/* Do two pixels with equal numbers of samples differ? */
static bool differ(const render_pixel *p, const render_pixel *q) {
  if (p->item != q->item || p->kind != q->kind) return true;
  const float n2 = (float)(p->count * p->count);
  const f3 bend = f3_sub(p->normal, q->normal), veil = f3_sub(p->plain, q->plain);
  const f3 hue = f3_sub(p->surface, q->surface);
  /* The sun gives up to 0.8, the sky alone less than half: what differs by more has the border of a
   * shadow in it. */
  return f3_dot(bend, bend) > 0.05f * n2 || f3_dot(veil, veil) > 4e-4f * n2 ||
         f3_dot(hue, hue) > 4e-4f * n2 ||
         fmaxf(p->lightest, q->lightest) - fminf(p->darkest, q->darkest) > 0.5f;
}

static bool settled(const render_pixel *p) {
  return !p->mixed && p->spread < 0.05f && p->lightest - p->darkest < 0.5f;
}

static bool has_edge(const render_frame *f, const render_pixel *first, int x, int y) {
  const render_pixel *p = &first[(size_t)y * (size_t)f->width + (size_t)x];
  if (!settled(p)) return true;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      const int px = x + dx, py = y + dy;
      if ((dx || dy) && px >= 0 && px < f->width && py >= 0 && py < f->height &&
          differ(p, p + dy * f->width + dx))
        return true;
    }
  return false;
}

/* Pixels with an edge, found by the first pairs of all of them. */
static void find_edges(const render_frame *f, tile_box t, uint8_t *edge) {
  for (int y = t.y0; y < t.y1; y++)
    for (int x = t.x0; x < t.x1; x++)
      edge[(size_t)y * (size_t)f->width + (size_t)x] = has_edge(f, f->pixels, x, y);
}

static void draw_rest(render_frame *f, tile_box t, const uint8_t *edge) {
  for (int round = 0; round < 2; round++) {
    pair_queue q = {.frame = f};
    const int from = round ? f->enough : f->first, to = round ? f->pairs : f->enough;
    for (int y = t.y0; y < t.y1; y++)
      for (int x = t.x0; x < t.x1; x++) {
        const size_t i = (size_t)y * (size_t)f->width + (size_t)x;
        if (!edge[i] || (round && settled(&f->pixels[i]))) continue;
        for (int pair = from; pair < to; pair++) push(&q, x, y, pair);
      }
    flush(&q);
  }
}

static void take_means(render_frame *f, tile_box t) {
  for (int y = t.y0; y < t.y1; y++)
    for (int x = t.x0; x < t.x1; x++) {
      render_pixel *p = &f->pixels[(size_t)y * (size_t)f->width + (size_t)x];
      const float scale = 1.0f / (float)p->count;
      p->plain = f3_scale(scale, p->plain);
      p->surface = f3_scale(scale, p->surface);
      p->lit = f3_scale(scale, p->lit);
      p->normal = f3_scale(scale, p->normal);
      p->depth *= scale;
      p->sun *= scale;
      p->open *= scale;
      p->through *= scale;
      p->gone *= scale;
    }
}

/* Tile by tile: all at once the pages of a large picture alone take seconds. */
static void clear(render_frame *f, tile_box t) {
  const size_t width = (size_t)(t.x1 - t.x0);
  for (int y = t.y0; y < t.y1; y++)
    memset(&f->pixels[(size_t)y * (size_t)f->width + (size_t)t.x0], 0, width * sizeof *f->pixels);
}

static scree_status draw_pixels(render_frame *f, int threads) {
  const int columns = (f->width + TILE - 1) / TILE, rows = (f->height + TILE - 1) / TILE;
  const bool again = f->pairs > f->first;
  uint8_t *edge = NULL;
  if (again) {
    edge = memory_new(f->render->context, (size_t)f->width * (size_t)f->height, 1);
    if (!edge) return SCREE_ERROR_MEMORY;
  }
  for (int pass = 0; pass < 3; pass++) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int tile = 0; tile < columns * rows; tile++) {
      const int x = tile % columns * TILE, y = tile / columns * TILE;
      const tile_box t = {x, y, x + TILE < f->width ? x + TILE : f->width,
                          y + TILE < f->height ? y + TILE : f->height};
      if (render_stopped(f)) continue;
      if (pass == 0) {
        clear(f, t);
        draw_first(f, t);
      }
      if (pass == 1 && again) find_edges(f, t, edge);
      if (pass == 2 && again) draw_rest(f, t, edge);
      if (pass == 2) take_means(f, t);
    }
  }
  memory_free(f->render->context, edge);
  return SCREE_OK;
}

/* The byte of a linear tone: the largest whose least tone is not above it. A table says where it
 * lies to a byte or two, which is a tenth of the time of a power. */
enum { TONE_STEPS = 4096 };
typedef struct tone_table {
  float least[257];
  uint8_t start[TONE_STEPS + 1];
} tone_table;

static void fill_tones(tone_table *t) {
  t->least[0] = -INFINITY;
  t->least[256] = INFINITY;
  for (int b = 1; b < 256; b++) t->least[b] = render_decode(((float)b - 0.5f) / 255.0f);
  for (int i = 0, b = 0; i <= TONE_STEPS; i++) {
    while (b < 255 && (float)i / TONE_STEPS >= t->least[b + 1]) b++;
    t->start[i] = (uint8_t)b;
  }
}

static uint8_t byte_of(const tone_table *t, float x) {
  if (!(x > 0.0f)) return 0;
  if (x >= 1.0f) return 255;
  unsigned b = t->start[(int)(x * TONE_STEPS)];
  while (x >= t->least[b + 1]) b++;
  return (uint8_t)b;
}

static void write_bytes(const render_frame *f, int threads, scree_image *image) {
  tone_table tones;
  fill_tones(&tones);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int y = 0; y < f->height; y++)
    for (int x = 0; x < f->width; x++) {
      const size_t i = (size_t)y * (size_t)f->width + (size_t)x;
      const f3 c = f3_add(f->pixels[i].plain, f->pixels[i].lit);
      const float rgb[3] = {c.x, c.y, c.z};
      for (size_t k = 0; k < 3; k++) image->pixels[3 * i + k] = byte_of(&tones, rgb[k]);
    }
}

/* The round number (1, 2 or 5 times a power of ten) next to a tenth of the focus. */
static float round_pitch(float size) {
  const double tenth = log10((double)size * 0.28);
  const double power = pow(10.0, floor(tenth)), rest = pow(10.0, tenth - floor(tenth));
  return (float)(power * (rest < 1.5 ? 1.0 : rest < 3.5 ? 2.0 : rest < 7.5 ? 5.0 : 10.0));
}

static scree_status aim(render_frame *f, const scree_camera *camera) {
  scree_context *context = f->render->context;
  const v3 eye = v3_load(camera->eye), forward = v3_sub(v3_load(camera->target), eye);
  const v3 right = v3_cross(forward, v3_load(camera->up));
  const double distance = v3_norm(forward), across = v3_norm(right);
  if (!isfinite(v3_norm(eye)) || !isfinite(distance) ||
      !(across > 1e-9 * distance * v3_norm(v3_load(camera->up))) || !(camera->field > 1e-3) ||
      !(camera->field < 3.1) || !isfinite(camera->shift[0] + camera->shift[1]))
    return context_fail(context, SCREE_ERROR_ARGUMENT,
                        "render: the camera looks nowhere: eye and target are one place, up is "
                        "along the view, or the field is not within 0.001 and 3.1 rad");
  const v3 w = v3_scale(1.0 / distance, forward), u = v3_scale(1.0 / across, right);
  const double tangent = tan(0.5 * camera->field);
  f->eye = f3_from(v3_sub(eye, f->render->origin));
  f->forward = f3_from(w);
  f->up = f3_from(v3_scale(tangent, v3_cross(u, w)));
  f->right = f3_from(v3_scale(tangent * f->width / f->height, u));
  f->across[0] = 2.0f / (float)f->width, f->across[1] = 2.0f / (float)f->height;
  for (int k = 0; k < 2; k++) f->shift[k] = (float)(2.0 * camera->shift[k]);
  f->pixel = (float)(2.0 * tangent / f->height);
  return SCREE_OK;
}

static scree_status check(const scree_render *r, const scree_render_settings *s) {
  if (s->samples >= 1 && s->samples <= 4096 && s->background >= 0 &&
      s->background < SCREE_BACKGROUND_COUNT && isfinite(s->light_azimuth) &&
      isfinite(s->light_elevation) && s->light_size >= 0.0 && s->light_size < 1.0)
    return SCREE_OK;
  return context_fail(r->context, SCREE_ERROR_ARGUMENT,
                      "render: samples (1 to 4096), background, light (size below 1 rad): one of "
                      "the settings is out of range");
}

scree_status scree_render_draw(scree_render *r, const scree_camera *camera,
                               const scree_render_settings *settings, scree_image *image) {
  ARGUMENT_CHECK(r ? r->context : NULL, r && settings && image);
  const int pairs = (settings->samples + 1) / 2;
  const size_t count = (size_t)image->width * (size_t)image->height;
  render_frame f = {.render = r,
                    .settings = *settings,
                    .width = image->width,
                    .height = image->height,
                    .pairs = pairs,
                    .first = (pairs + 5) / 6,
                    .enough = (pairs + 1) / 2,
                    .grid_pitch = round_pitch(r->size)};
  DEFINITION_CHECK(r->context, settings, render_settings);
  if (!render_tree_ready(r))
    return context_fail(r->context, SCREE_ERROR_ARGUMENT, "render: there is no scene yet");
  scree_status status = check(r, settings);
  if (!status) status = aim(&f, camera);
  if (!status) status = memory_grow(r->context, &r->pixels, count, sizeof *r->pixels);
  if (status) return status;
  const double a = settings->light_azimuth, e = settings->light_elevation;
  const int threads = r->context->threads;
  f.sun = f3_make(cos(e) * cos(a), cos(e) * sin(a), sin(e));
  f3_frame(f.sun, &f.sun_t, &f.sun_b);
  f.pixels = r->pixels;
  render_fill_tables(&f);
  status = draw_pixels(&f, threads);
  const bool noisy = settings->shadows || settings->occlusion;
  if (!status && noisy && !render_stopped(&f)) status = render_smooth(&f);
  if (!status && !render_stopped(&f)) write_bytes(&f, threads, image);
  return status;
}

scree_status scree_render_pick(scree_render *r, const scree_camera *camera, int width, int height,
                               double x, double y, size_t *item, double *distance) {
  ARGUMENT_CHECK(r ? r->context : NULL, r && camera && item && distance);
  render_frame f = {.render = r, .width = width, .height = height};
  *item = SIZE_MAX;
  *distance = INFINITY;
  if (width < 1 || height < 1 || !render_tree_ready(r))
    return context_fail(r->context, SCREE_ERROR_ARGUMENT, "render: there is no scene or no pixel");
  scree_status status = aim(&f, camera);
  if (status) return status;
  const float far = 1e4f * r->size;
  const render_hit hit =
      render_trace(r, f.eye, render_direction(&f, (float)x, (float)y), 0.0f, far);
  if (hit.what == RENDER_NOTHING) return SCREE_OK;
  if (hit.item != UINT32_MAX) *item = hit.item;
  *distance = (double)hit.t;
  return SCREE_OK;
}

#endif

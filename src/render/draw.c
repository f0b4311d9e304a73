/* The picture: samples of all pixels, the smoothing of their light, and bytes.
 *
 * Sample i of a pixel uses point i of one sequence that fills the unit square evenly (steps by the
 * powers of the inverse plastic number), turned by a hash of the pixel. Sums run over samples in
 * their order, pixels are independent: any number of threads gives the same bytes.
 *
 * A pixel whose first half of samples met one smooth surface, all in the sun or all in its shadow,
 * has no edge to smooth: it takes no more of them. In most pictures that are nine of ten pixels. */
#include "base/argument.h"
#include "render/frame.h"

#ifdef SCREE_WITH_RENDER
#include <string.h>

enum { TILE = 16 };

static uint32_t hash(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

static float unit(uint32_t x) {
  return (float)(x >> 8) * 0x1p-24f;
}

static float wrap(float x) {
  return x >= 1.0f ? x - 1.0f : x;
}

/* The three pairs of a sample are taken at different places of the sequence, or the light would
 * follow the place in the pixel. */
static void fill_jitter(float *jitter, int samples) {
  static const double step[2] = {0.7548776662466927, 0.5698402909980532};
  for (int pair = 0; pair < 3; pair++) {
    uint32_t seed = 0x9e3779b9u * (uint32_t)(pair + 1);
    for (int i = 0; i < samples; i++) {
      for (int k = 0; k < 2; k++) {
        const double x = 0.5 + (i + 1) * step[k];
        jitter[6 * i + 2 * pair + k] = (float)(x - floor(x));
      }
    }
    for (int i = samples - 1; i > 0 && pair > 0; i--) {
      seed = hash(seed);
      const int j = (int)(seed % (uint32_t)(i + 1));
      float *a = jitter + 6 * i + 2 * pair, *b = jitter + 6 * j + 2 * pair, swap[2];
      memcpy(swap, a, sizeof swap);
      memcpy(a, b, sizeof swap);
      memcpy(b, swap, sizeof swap);
    }
  }
}

/* Weight of the triangle filter, by warping an even number to a place: in [-1, 1]. */
static float tent(float u) {
  return u < 0.5f ? sqrtf(2.0f * u) - 1.0f : 1.0f - sqrtf(2.0f - 2.0f * u);
}

/* Two neighbours on one smooth surface share their light: one looks for the sun, one for the sky.
 */
static bool may_share(const render_sample *a, const render_sample *b) {
  const f3 bend = f3_sub(a->normal, b->normal);
  return a->kind == b->kind && a->item == b->item && f3_dot(bend, bend) < 0.1f;
}

static void light_alone(const render_frame *f, render_sample *s, const float *jitter) {
  if (s->kind == RENDER_NOTHING) return;
  render_light l = render_sun_ray(f, s, jitter + 2);
  render_sky_ray(f, s, jitter + 4, &l);
  render_finish(f, s, &l);
}

static void light_pair(const render_frame *f, render_sample s[2], float jitter[2][6]) {
  if (!may_share(&s[0], &s[1])) {
    light_alone(f, &s[0], jitter[0]);
    light_alone(f, &s[1], jitter[1]);
  } else if (s[0].kind != RENDER_NOTHING) {
    render_light l = render_sun_ray(f, &s[0], jitter[0] + 2);
    render_sky_ray(f, &s[1], jitter[1] + 4, &l);
    render_finish(f, &s[0], &l);
    render_finish(f, &s[1], &l);
  }
}

typedef struct pixel_sum {
  render_pixel pixel;
  render_sample first;
  int count;
  float darkest, lightest; /* light of the samples */
  bool mixed;              /* they met different things, or glass in between changed */
} pixel_sum;

static void add_sample(pixel_sum *sum, const render_sample *s) {
  render_pixel *p = &sum->pixel;
  if (sum->count++ == 0) sum->first = *s;
  const f3 bend = f3_sub(s->normal, sum->first.normal);
  p->plain = f3_add(p->plain, s->plain);
  p->surface = f3_add(p->surface, s->surface);
  p->lit = f3_add(p->lit, f3_mul(s->surface, s->light));
  p->normal = f3_add(p->normal, s->normal);
  p->depth += s->depth;
  p->spread = fmaxf(p->spread, s->item == sum->first.item ? f3_dot(bend, bend) : 4.0f);
  sum->darkest = fminf(sum->darkest, s->light.y);
  sum->lightest = fmaxf(sum->lightest, s->light.y);
  const f3 veil = f3_sub(s->plain, sum->first.plain), tone = f3_sub(s->surface, sum->first.surface);
  sum->mixed |= s->kind != sum->first.kind || s->wall != sum->first.wall ||
                f3_dot(veil, veil) > 4e-4f || f3_dot(tone, tone) > 4e-4f;
}

/* The sun gives up to 0.8, the sky alone less than half: what differs by more has the border of a
 * shadow in it. */
static bool settled(const pixel_sum *sum) {
  return !sum->mixed && sum->pixel.spread < 0.05f && sum->lightest - sum->darkest < 0.5f;
}

static void draw_pixel(render_frame *f, int px, int py) {
  const int samples = f->settings.samples;
  const uint32_t seed = hash((uint32_t)px + hash((uint32_t)py + 0x51ed270bu));
  float turn[6];
  for (uint32_t k = 0; k < 6; k++) turn[k] = unit(hash(seed + 0x9e3779b9u * (k + 1)));
  pixel_sum sum = {.darkest = INFINITY, .lightest = -INFINITY};
  const int enough = f->enough;
  const f3 back = render_back(f, (float)px + 0.5f, (float)py + 0.5f);
  for (int i = 0; i < samples && !(i == enough && settled(&sum)); i += 2) {
    render_sample s[2];
    float u[2][6];
    const int pair = i + 1 < samples ? 2 : 1;
    for (int n = 0; n < pair; n++) {
      if (samples == 1) {
        s[0] = render_look(f, (float)px + 0.5f, (float)py + 0.5f, back);
        memset(u, 0, sizeof u);
        break;
      }
      for (int k = 0; k < 6; k++) u[n][k] = wrap(f->jitter[6 * (i + n) + k] + turn[k]);
      s[n] = render_look(f, (float)px + 0.5f + 0.8f * tent(u[n][0]),
                         (float)py + 0.5f + 0.8f * tent(u[n][1]), back);
    }
    if (pair == 2)
      light_pair(f, s, u);
    else
      light_alone(f, &s[0], u[0]);
    for (int n = 0; n < pair; n++) add_sample(&sum, &s[n]);
  }
  const float scale = 1.0f / (float)sum.count;
  const render_pixel *p = &sum.pixel;
  f->pixels[(size_t)py * (size_t)f->width + (size_t)px] =
      (render_pixel){f3_scale(scale, p->plain), f3_scale(scale, p->surface),
                     f3_scale(scale, p->lit),   f3_scale(scale, p->normal),
                     scale * p->depth,          p->spread};
}

static void draw_pixels(render_frame *f, int threads) {
  const int columns = (f->width + TILE - 1) / TILE, rows = (f->height + TILE - 1) / TILE;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (int tile = 0; tile < columns * rows; tile++) {
    const int x0 = tile % columns * TILE, y0 = tile / columns * TILE;
    if (render_stopped(f)) continue;
    for (int y = y0; y < y0 + TILE && y < f->height; y++)
      for (int x = x0; x < x0 + TILE && x < f->width; x++) draw_pixel(f, x, y);
  }
}

/* The byte of a linear tone: the largest whose least tone is not above it, found by halving, which
 * is a tenth of the time of a power. */
static uint8_t byte_of(const float *least, float x) {
  int at = 0;
  for (int step = 128; step; step /= 2)
    if (x >= least[at + step]) at += step;
  return (uint8_t)at;
}

static void write_bytes(const render_frame *f, int threads, scree_image *image) {
  float least[256] = {0};
  for (int b = 1; b < 256; b++) least[b] = render_decode(((float)b - 0.5f) / 255.0f);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int y = 0; y < f->height; y++)
    for (int x = 0; x < f->width; x++) {
      const size_t i = (size_t)y * (size_t)f->width + (size_t)x;
      const f3 c = f3_add(f->pixels[i].plain, f->pixels[i].lit);
      const float rgb[3] = {c.x, c.y, c.z};
      for (size_t k = 0; k < 3; k++) image->pixels[3 * i + k] = byte_of(least, rgb[k]);
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
  render_frame f = {.render = r,
                    .settings = *settings,
                    .width = image->width,
                    .height = image->height,
                    .enough = (settings->samples + 3) / 4 * 2,
                    .grid_pitch = round_pitch(r->size)};
  if (!render_tree_ready(r))
    return context_fail(r->context, SCREE_ERROR_ARGUMENT, "render: there is no scene yet");
  scree_status status = check(r, settings);
  if (!status) status = aim(&f, camera);
  if (status) return status;
  const double a = settings->light_azimuth, e = settings->light_elevation;
  f.sun = f3_make(cos(e) * cos(a), cos(e) * sin(a), sin(e));
  f3_frame(f.sun, &f.sun_t, &f.sun_b);
  f.jitter = memory_new(r->context, 6 * (size_t)settings->samples, sizeof *f.jitter);
  f.pixels = memory_new(r->context, (size_t)f.width * (size_t)f.height, sizeof *f.pixels);
  if (f.jitter && f.pixels) {
    const int threads = r->context->threads;
    fill_jitter(f.jitter, settings->samples);
    draw_pixels(&f, threads);
    const bool noisy = settings->shadows || settings->occlusion;
    if (noisy && !render_stopped(&f)) status = render_smooth(&f);
    if (!status && !render_stopped(&f)) write_bytes(&f, threads, image);
  } else {
    status = SCREE_ERROR_MEMORY;
  }
  memory_free(r->context, f.jitter);
  memory_free(r->context, f.pixels);
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

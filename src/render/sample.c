/* Samples of a pixel come in pairs: two places in the pixel, and of the light on them one place of
 * the sun and one of the sky, which both share where they lie on one smooth surface.
 *
 * Places in the pixel are a sequence that fills the unit square evenly (steps by the powers of the
 * inverse plastic number), turned by a hash of the pixel. Places of the light are spread over
 * pixels: pixel (x, y) takes point k of a (0,2)-sequence, k the bits of x mod 8 and y mod 8 in
 * turns, so that the pixels of any square of 2, 4 or 8 have points that fill the unit square
 * evenly. The filter of smooth.c takes out just what has a period of 8, 4 or 2 pixels: a smooth
 * surface gets the light of 64 points for the price of one. Further pairs of a pixel move the
 * point on by the even sequence. */
#include "render/frame.h"

#ifdef SCREE_WITH_RENDER

static const float step_x = 0.7548776662466927f, step_y = 0.5698402909980532f;

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

/* The fractional part of a number that is not negative. */
static float part(float x) {
  return x - (float)(int)x;
}

/* Weight of the triangle filter, by warping an even number to a place: in [-1, 1]. */
static float tent(float u) {
  return u < 0.5f ? sqrtf(2.0f * u) - 1.0f : 1.0f - sqrtf(2.0f - 2.0f * u);
}

/* Bits of x and y in turns, three of each. */
static uint32_t interleave(uint32_t x, uint32_t y) {
  uint32_t k = 0;
  for (uint32_t b = 0; b < 3; b++) k |= (x >> b & 1u) << (2 * b) | (y >> b & 1u) << (2 * b + 1);
  return k;
}

/* Point k of the first two dimensions of Sobol's sequence. */
static void spread_point(uint32_t k, float out[2]) {
  uint32_t a = 0, b = 0, v = 1u << 31;
  for (uint32_t bit = 1u << 31; k; k >>= 1, bit >>= 1, v ^= v >> 1)
    if (k & 1u) a |= bit, b ^= v;
  out[0] = unit(a);
  out[1] = unit(b);
}

typedef struct sample_points {
  float x[2][RENDER_LANES], y[2][RENDER_LANES]; /* in the picture */
  float sun[RENDER_LANES][2], sky[RENDER_LANES][2];
} sample_points;

static void set_points(const render_frame *f, const render_place *p, unsigned lane,
                       sample_points *out) {
  const float middle[2] = {(float)p->x + 0.5f, (float)p->y + 0.5f};
  float light[2];
  if (f->settings.samples == 1) {
    out->x[0][lane] = middle[0], out->y[0][lane] = middle[1];
    for (int k = 0; k < 2; k++) out->sun[lane][k] = out->sky[lane][k] = 0.0f;
    return;
  }
  const uint32_t seed = hash((uint32_t)p->x + hash((uint32_t)p->y + 0x51ed270bu));
  const float turn[2] = {unit(hash(seed + 0x9e3779b9u)), unit(hash(seed + 0x3c6ef372u))};
  for (int n = 0; n < 2; n++) {
    const float i = (float)(2 * p->pair + n + 1);
    out->x[n][lane] = middle[0] + 0.8f * tent(part(turn[0] + i * step_x));
    out->y[n][lane] = middle[1] + 0.8f * tent(part(turn[1] + i * step_y));
  }
  spread_point(interleave((uint32_t)p->x & 7u, (uint32_t)p->y & 7u), light);
  const float i = (float)p->pair;
  out->sun[lane][0] = part(light[0] + 1e-3f + i * step_x);
  out->sun[lane][1] = part(light[1] + 1e-3f + i * step_y);
  out->sky[lane][0] = part(light[0] + 0.37f + i * step_x);
  out->sky[lane][1] = part(light[1] + 0.61f + i * step_y);
}

/* Two neighbours on one smooth surface share their light. */
static bool may_share(const render_sample *a, const render_sample *b) {
  const f3 bend = f3_sub(a->normal, b->normal);
  return a->kind == b->kind && a->item == b->item && f3_dot(bend, bend) < 0.1f;
}

static void add_sample(const render_frame *f, render_pixel *p, const render_sample *s) {
  float tone = 1.0f;
  const f3 lit = s->kind == RENDER_NOTHING ? s->surface : render_light(f, s, &tone);
  if (p->count++ == 0) {
    p->item = s->item;
    p->kind = (uint8_t)(2 * s->kind + s->wall);
    p->darkest = p->lightest = tone;
  } else {
    /* Compared with the mean of the samples before. */
    const float mean = 1.0f / (float)(p->count - 1);
    const f3 bend = f3_sub(s->normal, f3_scale(mean, p->normal));
    const f3 veil = f3_sub(s->plain, f3_scale(mean, p->plain));
    const f3 hue = f3_sub(s->surface, f3_scale(mean, p->surface));
    p->spread = fmaxf(p->spread, s->item == p->item ? f3_dot(bend, bend) : 4.0f);
    p->mixed |= (uint8_t)(2 * s->kind + s->wall) != p->kind || f3_dot(veil, veil) > 4e-4f ||
                f3_dot(hue, hue) > 4e-4f;
    p->darkest = fminf(p->darkest, tone);
    p->lightest = fmaxf(p->lightest, tone);
  }
  p->plain = f3_add(p->plain, s->plain);
  p->surface = f3_add(p->surface, s->surface);
  p->lit = f3_add(p->lit, lit);
  p->normal = f3_add(p->normal, s->normal);
  p->depth += s->depth;
  p->sun += s->sun;
  p->open += s->open;
  p->through += s->through;
  p->gone += s->gone;
}

void render_add_pairs(render_frame *f, int count, const render_place *places) {
  const int each = f->settings.samples == 1 ? 1 : 2;
  const unsigned lanes = (1u << count) - 1u;
  sample_points points = {.x = {{0}}};
  render_sample s[2][RENDER_LANES];
  unsigned lit[2] = {0, 0}, shared = 0;
  for (unsigned i = 0; i < (unsigned)count; i++) set_points(f, &places[i], i, &points);
  for (int n = 0; n < each; n++) render_look(f, points.x[n], points.y[n], lanes, s[n]);
  for (unsigned i = 0; i < (unsigned)count; i++) {
    for (int n = 0; n < each; n++)
      if (s[n][i].kind != RENDER_NOTHING) lit[n] |= 1u << i;
    if (each == 2 && may_share(&s[0][i], &s[1][i])) shared |= 1u << i;
  }
  render_sun_rays(f, points.sun, lit[0], s[0]);
  render_sky_rays(f, points.sky, lit[0] & ~shared, s[0]);
  render_sky_rays(f, points.sky, lit[1], s[1]);
  render_sun_rays(f, points.sun, lit[1] & ~shared, s[1]);
  for (unsigned i = 0; i < (unsigned)count; i++) {
    render_pixel *p = &f->pixels[(size_t)places[i].y * (size_t)f->width + (size_t)places[i].x];
    if (shared >> i & 1u) {
      s[0][i].open = s[1][i].open;
      s[1][i].sun = s[0][i].sun;
    }
    for (int n = 0; n < each; n++) add_sample(f, p, &s[n][i]);
  }
}

#endif

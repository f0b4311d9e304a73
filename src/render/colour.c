/* See colour.h. Maps are drawn in OKLab, where equal steps look equal; each is a few places joined
 * by straight lines in lightness and smooth ones in colour. */
#include "render/colour.h"

#include <stddef.h>

float render_encode(float x) {
  if (!(x > 0.0f)) return 0.0f;
  if (x >= 1.0f) return 1.0f;
  return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1.0f / 2.4f) - 0.055f;
}

float render_decode(float x) {
  return x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f);
}

f3 render_linear(scree_colour c) {
  return (f3){render_decode(c.r), render_decode(c.g), render_decode(c.b)};
}

f3 render_from_lab(f3 c) {
  const float l = c.x + 0.3963377774f * c.y + 0.2158037573f * c.z;
  const float m = c.x - 0.1055613458f * c.y - 0.0638541728f * c.z;
  const float s = c.x - 0.0894841775f * c.y - 1.2914855480f * c.z;
  const float l3 = l * l * l, m3 = m * m * m, s3 = s * s * s;
  return (f3){4.0767416621f * l3 - 3.3077115913f * m3 + 0.2309699292f * s3,
              -1.2684380046f * l3 + 2.6097574011f * m3 - 0.3413193965f * s3,
              -0.0041960863f * l3 - 0.7034186147f * m3 + 1.7076147010f * s3};
}

/* Distinguished with any of the common kinds of colour blindness, in this order of preference. */
static const scree_colour palette[] = {
    {0.878f, 0.620f, 0.220f}, /* amber */
    {0.165f, 0.471f, 0.710f}, /* blue */
    {0.757f, 0.282f, 0.161f}, /* brick */
    {0.078f, 0.612f, 0.482f}, /* sea green */
    {0.443f, 0.737f, 0.898f}, /* sky */
    {0.765f, 0.478f, 0.667f}, /* mauve */
    {0.925f, 0.867f, 0.376f}, /* straw */
    {0.337f, 0.353f, 0.400f}, /* slate */
};

size_t scree_palette_count(void) {
  return sizeof palette / sizeof *palette;
}

scree_colour scree_palette(size_t i) {
  return palette[i % (sizeof palette / sizeof *palette)];
}

/* Lightness, chroma and hue (degrees) at even places. */
typedef struct stop {
  float lightness, chroma, hue;
} stop;
enum { STOPS = 5 };
static const stop maps[SCREE_MAP_COUNT][STOPS] = {
    [SCREE_MAP_DEEP] = {{0.28f, 0.12f, 295},
                        {0.44f, 0.10f, 250},
                        {0.60f, 0.10f, 195},
                        {0.76f, 0.15f, 145},
                        {0.92f, 0.16f, 105}},
    [SCREE_MAP_HEAT] = {{0.22f, 0.10f, 300},
                        {0.39f, 0.16f, 345},
                        {0.57f, 0.19f, 25},
                        {0.75f, 0.16f, 62},
                        {0.93f, 0.12f, 100}},
    [SCREE_MAP_BALANCE] = {{0.45f, 0.14f, 258},
                           {0.68f, 0.09f, 248},
                           {0.93f, 0.0f, 250},
                           {0.70f, 0.12f, 38},
                           {0.46f, 0.16f, 27}},
};

static f3 stop_lab(const stop *s) {
  const float hue = s->hue * 0.017453293f;
  return (f3){s->lightness, s->chroma * cosf(hue), s->chroma * sinf(hue)};
}

/* A smooth curve through four even places, between b and c. */
static float curve(float a, float b, float c, float d, float s) {
  return b + 0.5f * s *
                 (c - a + s * (2.0f * a - 5.0f * b + 4.0f * c - d + s * (3.0f * (b - c) + d - a)));
}

scree_colour scree_map_colour(scree_map map, double x) {
  const float at = f_clamp(x == x ? (float)x : 0.0f, 0.0f, 1.0f) * (float)(STOPS - 1);
  int i = (int)at;
  if (i > STOPS - 2) i = STOPS - 2;
  const float s = at - (float)i;
  const stop *stops = maps[map < SCREE_MAP_COUNT ? map : SCREE_MAP_DEEP];
  const f3 b = stop_lab(&stops[i]), c = stop_lab(&stops[i + 1]);
  const f3 a = i > 0 ? stop_lab(&stops[i - 1]) : f3_sub(f3_scale(2.0f, b), c);
  const f3 d = i + 2 < STOPS ? stop_lab(&stops[i + 2]) : f3_sub(f3_scale(2.0f, c), b);
  f3 lab = {b.x + s * (c.x - b.x), curve(a.y, b.y, c.y, d.y, s), curve(a.z, b.z, c.z, d.z, s)};
  f3 rgb = render_from_lab(lab);
  /* Out of the screen's range: less colour at the same lightness. */
  for (int turn = 0; turn < 20 && (fminf(rgb.x, fminf(rgb.y, rgb.z)) < 0.0f ||
                                   fmaxf(rgb.x, fmaxf(rgb.y, rgb.z)) > 1.0f);
       turn++) {
    lab.y *= 0.95f;
    lab.z *= 0.95f;
    rgb = render_from_lab(lab);
  }
  return (scree_colour){render_encode(rgb.x), render_encode(rgb.y), render_encode(rgb.z)};
}

/* Words in pictures: strokes with round ends, drawn by their distance, so that any size is smooth.
 */
#include <string.h>

#include "render/colour.h"
#include "render/glyphs.h"

enum { SEGMENTS = 256, CURVE_STEPS = 8, POINTS = 24, GAP = 5 };

typedef struct segment {
  float x0, y0, x1, y1;
} segment;

typedef struct outline {
  segment part[SEGMENTS];
  int count;
} outline;

static const render_glyph *find_glyph(uint32_t code) {
  const size_t count = sizeof render_glyphs / sizeof *render_glyphs;
  for (size_t i = 0; i < count; i++)
    if (render_glyphs[i].code == code) return &render_glyphs[i];
  return &render_glyphs[count - 1];
}

/* The next code point of UTF-8; bytes that are none stand for what the font lacks. */
static uint32_t next_code(const char **at) {
  const unsigned char *p = (const unsigned char *)*at;
  const int length = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc0 ? 2 : 0;
  uint32_t code = length == 1 ? p[0] : length ? p[0] & (0xffu >> (length + 1)) : 0xfffdu;
  int used = 1;
  while (used < length && (p[used] & 0xc0) == 0x80) code = code << 6 | (p[used++] & 0x3fu);
  *at += used;
  return used < length ? 0xfffdu : code;
}

static float digit(char c) {
  return (float)(c >= 'a' ? c - 'a' + 10 : c - '0');
}

static void add_segment(outline *o, float x0, float y0, float x1, float y1) {
  if (o->count < SEGMENTS) o->part[o->count++] = (segment){x0, y0, x1, y1};
}

/* A smooth curve (Catmull-Rom) from point b to c. */
static void add_curve(outline *o, const float *a, const float *b, const float *c, const float *d) {
  float last[2] = {b[0], b[1]};
  for (int i = 1; i <= CURVE_STEPS; i++) {
    const float s = (float)i / (float)CURVE_STEPS;
    float p[2];
    for (int k = 0; k < 2; k++)
      p[k] = b[k] + 0.5f * s *
                        (c[k] - a[k] +
                         s * (2.0f * a[k] - 5.0f * b[k] + 4.0f * c[k] - d[k] +
                              s * (3.0f * (b[k] - c[k]) + d[k] - a[k])));
    add_segment(o, last[0], last[1], p[0], p[1]);
    last[0] = p[0], last[1] = p[1];
  }
}

static void add_stroke(outline *o, const char *text, size_t length) {
  const bool closed = text[0] == '@', smooth = closed || text[0] == '~';
  float point[POINTS][2];
  int n = 0;
  for (size_t i = smooth ? 1 : 0; i + 1 < length && n < POINTS; i += 2, n++)
    point[n][0] = digit(text[i]), point[n][1] = digit(text[i + 1]);
  if (!smooth) {
    for (int i = 0; i + 1 < n; i++)
      add_segment(o, point[i][0], point[i][1], point[i + 1][0], point[i + 1][1]);
    return;
  }
  for (int i = 0; i < (closed ? n : n - 1); i++) {
    const int before = closed ? (i + n - 1) % n : i > 0 ? i - 1 : i;
    const int next = (i + 1) % n;
    const int after = closed ? (i + 2) % n : i + 2 < n ? i + 2 : next;
    add_curve(o, point[before], point[i], point[next], point[after]);
  }
}

static void make_outline(const render_glyph *g, outline *o) {
  o->count = 0;
  for (const char *at = g->strokes; *at;) {
    const size_t length = strcspn(at, " ");
    if (length) add_stroke(o, at, length);
    at += length;
    at += strspn(at, " ");
  }
}

static float distance2(const segment *s, float x, float y) {
  const float dx = s->x1 - s->x0, dy = s->y1 - s->y0, px = x - s->x0, py = y - s->y0;
  const float length2 = dx * dx + dy * dy;
  const float t = length2 > 0.0f ? f_clamp((px * dx + py * dy) / length2, 0.0f, 1.0f) : 0.0f;
  const float ex = px - t * dx, ey = py - t * dy;
  return ex * ex + ey * ey;
}

static void blend(scree_image *image, int x, int y, const float rgb[3], float cover) {
  uint8_t *p = image->pixels + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
  for (int k = 0; k < 3; k++) {
    const float v = (float)p[k] + cover * (255.0f * rgb[k] - (float)p[k]);
    p[k] = (uint8_t)f_clamp(v + 0.5f, 0.0f, 255.0f);
  }
}

/* A glyph whose grid point (0, 6) is at (x, y), `unit` pixels a grid step. */
static void draw_glyph(scree_image *image, const render_glyph *g, double x, double y, double unit,
                       double weight, scree_colour colour) {
  outline o;
  make_outline(g, &o);
  if (!o.count) return;
  const float rgb[3] = {colour.r, colour.g, colour.b}, half = (float)(0.5 * weight);
  const int x0 = (int)floor(x - weight) - 1, x1 = (int)ceil(x + g->width * unit + weight) + 1;
  const int y0 = (int)floor(y - 21.0 * unit - weight) - 1,
            y1 = (int)ceil(y + 6.0 * unit + weight) + 1;
  for (int py = y0 < 0 ? 0 : y0; py < y1 && py < image->height; py++)
    for (int px = x0 < 0 ? 0 : x0; px < x1 && px < image->width; px++) {
      const float gx = (float)((px + 0.5 - x) / unit), gy = (float)(6.0 - (py + 0.5 - y) / unit);
      float best = INFINITY;
      for (int i = 0; i < o.count; i++) best = fminf(best, distance2(&o.part[i], gx, gy));
      const float cover = half - sqrtf(best) * (float)unit + 0.5f;
      if (cover > 0.0f) blend(image, px, py, rgb, fminf(cover, 1.0f));
    }
}

static double walk(scree_image *image, double x, double y, double size, scree_colour colour,
                   const char *text) {
  const double unit = size * 0.7 / 18.0, weight = fmax(1.1, 0.085 * size), start = x;
  while (*text) {
    const render_glyph *g = find_glyph(next_code(&text));
    if (image) draw_glyph(image, g, x + 0.5 * weight, y, unit, weight, colour);
    x += (g->width + GAP) * unit;
  }
  return x > start ? x - start - GAP * unit + weight : 0.0;
}

double scree_image_text(scree_image *image, double x, double y, double size, scree_colour colour,
                        const char *text) {
  if (!text) return 0.0;
  return walk(image, x, y, size, colour, text);
}

double scree_text_width(double size, const char *text) {
  if (!text) return 0.0;
  return walk(NULL, 0.0, 0.0, size, (scree_colour){0, 0, 0}, text);
}

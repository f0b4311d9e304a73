/* Legends: a scale with round ticks, or names beside their colours; and captions. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "render/colour.h"

enum { TICK_LIMIT = 12 };

typedef struct ink {
  scree_colour text, faint;
} ink;

static ink ink_of(scree_background b) {
  if (b == SCREE_BACKGROUND_DARK) return (ink){{0.90f, 0.91f, 0.93f}, {0.55f, 0.58f, 0.62f}};
  return (ink){{0.13f, 0.15f, 0.18f}, {0.42f, 0.45f, 0.50f}};
}

/* Text has the same height relative to the picture at every size. */
static double font_size(int width, int height) {
  const double side = fmin((double)width, 1.6 * (double)height);
  return fmax(9.0, 0.0205 * side);
}

static void title_text(const scree_legend *l, char *text, size_t size) {
  const char *title = l->title ? l->title : "";
  if (l->unit && *l->unit)
    snprintf(text, size, "%s [%s]", title, l->unit);
  else
    snprintf(text, size, "%s", title);
}

/* Round numbers (steps of 1, 2 or 5) within the range; their number. */
static int find_ticks(double least, double most, double *ticks, double *step) {
  const double span = most - least;
  if (!(span > 0.0) || !isfinite(span)) {
    ticks[0] = least;
    *step = fabs(least) > 0.0 ? fabs(least) : 1.0;
    return 1;
  }
  const double raw = span / 4.5, power = pow(10.0, floor(log10(raw))), rest = raw / power;
  *step = power * (rest < 1.5 ? 1.0 : rest < 3.5 ? 2.0 : rest < 7.5 ? 5.0 : 10.0);
  int n = 0;
  for (double i = ceil(least / *step - 1e-9); i * *step <= most + 1e-9 * span && n < TICK_LIMIT;
       i++)
    ticks[n++] = i * *step == 0.0 ? 0.0 : i * *step;
  return n;
}

/* As many decimals as the step needs. */
static void tick_text(double value, double step, char *text, size_t size) {
  const double largest = fmax(fabs(value), step);
  if (largest >= 1e5 || largest < 1e-3) {
    number_format(text, size, "%.3g", value);
    return;
  }
  const int digits = (int)fmax(0.0, -floor(log10(step) + 1e-9));
  number_format(text, size, "%.*f", digits, value);
}

static double content_width(const scree_legend *l, double font) {
  char text[128];
  title_text(l, text, sizeof text);
  double width = scree_text_width(font, text);
  for (size_t i = 0; i < l->count; i++)
    width = fmax(width, 1.6 * font + scree_text_width(font, l->names[i]));
  if (l->count == 0) {
    double ticks[TICK_LIMIT], step;
    const int n = find_ticks(l->least, l->most, ticks, &step);
    for (int i = 0; i < n; i++) {
      tick_text(ticks[i], step, text, sizeof text);
      width = fmax(width, 1.9 * font + scree_text_width(font, text));
    }
  }
  return width;
}

double scree_legend_width(const scree_legend *l, int width, int height) {
  if (!l) return 0.0;
  const double font = font_size(width, height);
  return fmin(0.4, (content_width(l, font) + 2.6 * font) / width);
}

static void fill_rect(scree_image *image, double x0, double y0, double x1, double y1,
                      scree_colour c) {
  const uint8_t rgb[3] = {(uint8_t)(255.0f * f_clamp(c.r, 0, 1) + 0.5f),
                          (uint8_t)(255.0f * f_clamp(c.g, 0, 1) + 0.5f),
                          (uint8_t)(255.0f * f_clamp(c.b, 0, 1) + 0.5f)};
  for (int y = (int)fmax(0.0, y0 + 0.5); y < (int)(y1 + 0.5) && y < image->height; y++)
    for (int x = (int)fmax(0.0, x0 + 0.5); x < (int)(x1 + 0.5) && x < image->width; x++)
      memcpy(image->pixels + 3 * ((size_t)y * (size_t)image->width + (size_t)x), rgb, 3);
}

static void draw_scale(scree_image *image, const scree_legend *l, double x, double top,
                       double height, double font, const ink *k) {
  const double width = 0.9 * font;
  for (int i = 0; i < (int)height; i++)
    fill_rect(image, x, top + i, x + width, top + i + 1,
              scree_map_colour(l->map, 1.0 - (i + 0.5) / height));
  double ticks[TICK_LIMIT], step;
  const int n = find_ticks(l->least, l->most, ticks, &step);
  for (int i = 0; i < n; i++) {
    char text[64];
    const double span = l->most - l->least;
    const double share = span > 0.0 ? (ticks[i] - l->least) / span : 0.5;
    const double y = top + (1.0 - share) * height;
    tick_text(ticks[i], step, text, sizeof text);
    fill_rect(image, x + width, y - 0.5, x + 1.4 * width, y + 0.5, k->faint);
    scree_image_text(image, x + 1.9 * font, y + 0.25 * font, font, k->text, text);
  }
}

static void draw_names(scree_image *image, const scree_legend *l, double x, double top, double font,
                       const ink *k) {
  for (size_t i = 0; i < l->count; i++) {
    const double y = top + 1.6 * font * (double)i;
    fill_rect(image, x, y, x + font, y + font, l->colours[i]);
    scree_image_text(image, x + 1.6 * font, y + 0.85 * font, font, k->text, l->names[i]);
  }
}

void scree_image_legend(scree_image *image, const scree_legend *l, scree_background background) {
  if (!image || !l) return;
  const ink k = ink_of(background);
  const double font = font_size(image->width, image->height);
  const double x = image->width - content_width(l, font) - 1.3 * font;
  const double height = l->count ? 1.6 * font * (double)l->count : 0.5 * image->height;
  const double top = fmax(2.4 * font, 0.5 * (image->height - height));
  char text[128];
  title_text(l, text, sizeof text);
  scree_image_text(image, x, top - 1.0 * font, font, k.text, text);
  if (l->count)
    draw_names(image, l, x, top, font, &k);
  else
    draw_scale(image, l, x, top, height, font, &k);
}

void scree_image_caption(scree_image *image, int corner, const char *text,
                         scree_background background) {
  if (!image || !text) return;
  const ink k = ink_of(background);
  const double font = font_size(image->width, image->height);
  const double width = scree_text_width(font, text);
  const double x = corner & 1 ? image->width - width - 1.3 * font : 1.3 * font;
  const double y = corner & 2 ? image->height - 1.3 * font : 2.0 * font;
  scree_image_text(image, x, y, font, k.text, text);
}

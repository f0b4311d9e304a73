/* Smooths the noise of light. Light (lit / surface) is averaged over nearby pixels that lie on the
 * same smooth surface, in rounds of 5 x 5 pixels with gaps that double; pixels through which an
 * edge goes take no part. Shadows must not blur: pixels are averaged only when their
 * neighbourhoods (5 x 5, which have less noise than a pixel) are about as light. What is averaged
 * is light alone: colours and outlines stay sharp. */
#include "render/frame.h"

#ifdef SCREE_WITH_RENDER
#include <stdlib.h>

enum { ROUNDS = 3 };

static const float kernel[3] = {0.375f, 0.25f, 0.0625f};

static bool takes_part(const render_pixel *p) {
  return p->spread < 0.3f && p->surface.x + p->surface.y + p->surface.z > 1e-4f;
}

/* What tells whether two pixels are on the same smooth surface: 16 bytes, as each is read a hundred
 * times. */
typedef struct surface_point {
  f3 normal;
  float depth; /* m; below 0: takes no part */
} surface_point;

/* One round: what is averaged, what tells whether pixels are alike (guide null: not asked), how
 * far.
 */
typedef struct round_def {
  const surface_point *points;
  const f3 *light, *guide;
  int gap;
  float clear; /* 1 / square of the difference in light from which on pixels are not alike */
} round_def;

static float likeness(const round_def *r, size_t at, size_t i, float steep) {
  const surface_point *p = &r->points[at], *q = &r->points[i];
  const f3 bend = f3_sub(q->normal, p->normal);
  const float off = (q->depth - p->depth) * steep;
  const float step = r->guide ? r->guide[i].y - r->guide[at].y : 0.0f;
  const float distance = r->clear * step * step + 12.0f * f3_dot(bend, bend) + 0.02f * off * off;
  return distance < 1.0f ? (1.0f - distance) * (1.0f - distance) : 0.0f;
}

static f3 smooth_one(const render_frame *f, const round_def *r, int px, int py) {
  const size_t at = (size_t)py * (size_t)f->width + (size_t)px;
  const float steep = 1.0f / (3.0f * f->pixel * r->points[at].depth * (float)r->gap);
  f3 sum = {0, 0, 0};
  float weight = 0.0f;
  for (int dy = -2; dy <= 2; dy++) {
    const int y = py + dy * r->gap;
    if (y < 0 || y >= f->height) continue;
    for (int dx = -2; dx <= 2; dx++) {
      const int x = px + dx * r->gap;
      const size_t i = (size_t)y * (size_t)f->width + (size_t)x;
      if (x < 0 || x >= f->width || r->points[i].depth < 0.0f) continue;
      const float w = likeness(r, at, i, steep) * kernel[abs(dx)] * kernel[abs(dy)];
      sum = f3_add_scaled(sum, w, r->light[i]);
      weight += w;
    }
  }
  return weight > 0.0f ? f3_scale(1.0f / weight, sum) : r->light[at];
}

static void smooth_round(const render_frame *f, const round_def *r, f3 *to, int threads) {
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
  for (int y = 0; y < f->height; y++)
    for (int x = 0; x < f->width && !(x == 0 && render_stopped(f)); x++) {
      const size_t i = (size_t)y * (size_t)f->width + (size_t)x;
      to[i] = r->points[i].depth >= 0.0f ? smooth_one(f, r, x, y) : r->light[i];
    }
}

static void take_light(const render_frame *f, f3 *light, surface_point *points) {
  for (size_t i = 0; i < (size_t)f->width * (size_t)f->height; i++) {
    const render_pixel *p = &f->pixels[i];
    points[i] = (surface_point){p->normal, takes_part(p) ? p->depth : -1.0f};
    if (takes_part(p))
      light[i] = (f3){p->surface.x > 1e-6f ? p->lit.x / p->surface.x : 0.0f,
                      p->surface.y > 1e-6f ? p->lit.y / p->surface.y : 0.0f,
                      p->surface.z > 1e-6f ? p->lit.z / p->surface.z : 0.0f};
  }
}

scree_status render_smooth(render_frame *f) {
  scree_context *context = f->render->context;
  const size_t count = (size_t)f->width * (size_t)f->height;
  const int threads = context->threads;
  f3 *a = memory_new(context, count, sizeof *a), *b = memory_new(context, count, sizeof *b);
  f3 *guide = memory_new(context, count, sizeof *guide);
  surface_point *points = memory_new(context, count, sizeof *points);
  const bool ok = a && b && guide && points;
  if (ok) {
    take_light(f, a, points);
    smooth_round(f, &(round_def){points, a, NULL, 1, 0.0f}, guide, threads);
    /* The light of a pixel is off by about 0.35 / sqrt(pairs of samples), the guide by a third. */
    const float clear = 0.5f * (float)f->enough / (0.6f * 0.6f);
    for (int round = 0; round < ROUNDS; round++) {
      smooth_round(f, &(round_def){points, a, guide, 1 << round, clear}, b, threads);
      f3 *swap = a;
      a = b, b = swap;
    }
    for (size_t i = 0; i < count; i++)
      if (takes_part(&f->pixels[i])) f->pixels[i].lit = f3_mul(f->pixels[i].surface, a[i]);
  }
  memory_free(context, a);
  memory_free(context, b);
  memory_free(context, guide);
  memory_free(context, points);
  return ok ? SCREE_OK : SCREE_ERROR_MEMORY;
}

#endif

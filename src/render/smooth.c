/* Smooths the noise of light. Light (lit / surface) is averaged over nearby pixels that lie on the
 * same smooth surface, in rounds of 5 x 5 pixels with gaps that double; pixels through which an
 * edge goes take no part. What is averaged is light alone: colours and outlines stay sharp. */
#include "render/frame.h"

#ifdef SCREE_WITH_RENDER
#include <omp.h>

enum { ROUNDS = 3 };

static const float kernel[3] = {0.375f, 0.25f, 0.0625f};

static bool takes_part(const render_pixel *p) {
  return p->spread < 0.3f && p->surface.x + p->surface.y + p->surface.z > 1e-4f;
}

static f3 smooth_one(const render_frame *f, const f3 *light, int px, int py, int gap) {
  const size_t at = (size_t)py * (size_t)f->width + (size_t)px;
  const render_pixel *p = &f->pixels[at];
  const float steep = 1.0f / (3.0f * f->pixel * p->depth * (float)gap);
  f3 sum = {0, 0, 0};
  float weight = 0.0f;
  for (int dy = -2; dy <= 2; dy++) {
    const int y = py + dy * gap;
    if (y < 0 || y >= f->height) continue;
    for (int dx = -2; dx <= 2; dx++) {
      const int x = px + dx * gap;
      if (x < 0 || x >= f->width) continue;
      const size_t i = (size_t)y * (size_t)f->width + (size_t)x;
      const render_pixel *q = &f->pixels[i];
      if (!takes_part(q)) continue;
      const f3 bend = f3_sub(q->normal, p->normal);
      const float off = (q->depth - p->depth) * steep;
      const float distance = 12.0f * f3_dot(bend, bend) + 0.02f * off * off;
      if (distance >= 1.0f) continue;
      const float near = 1.0f - distance;
      const float w = near * near * kernel[dx < 0 ? -dx : dx] * kernel[dy < 0 ? -dy : dy];
      sum = f3_add_scaled(sum, w, light[i]);
      weight += w;
    }
  }
  return weight > 0.0f ? f3_scale(1.0f / weight, sum) : light[at];
}

static void smooth_round(const render_frame *f, const f3 *from, f3 *to, int gap, int threads) {
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
  for (int y = 0; y < f->height; y++)
    for (int x = 0; x < f->width; x++) {
      const size_t i = (size_t)y * (size_t)f->width + (size_t)x;
      to[i] = takes_part(&f->pixels[i]) ? smooth_one(f, from, x, y, gap) : from[i];
    }
}

scree_status render_smooth(render_frame *f) {
  scree_context *context = f->render->context;
  const size_t count = (size_t)f->width * (size_t)f->height;
  const int threads = context->threads > 0 ? context->threads : omp_get_max_threads();
  f3 *a = memory_new(context, count, sizeof *a), *b = memory_new(context, count, sizeof *b);
  const bool ok = a && b;
  if (ok) {
    for (size_t i = 0; i < count; i++) {
      const render_pixel *p = &f->pixels[i];
      if (takes_part(p))
        a[i] = (f3){p->surface.x > 1e-6f ? p->lit.x / p->surface.x : 0.0f,
                    p->surface.y > 1e-6f ? p->lit.y / p->surface.y : 0.0f,
                    p->surface.z > 1e-6f ? p->lit.z / p->surface.z : 0.0f};
    }
    for (int round = 0; round < ROUNDS; round++) {
      smooth_round(f, a, b, 1 << round, threads);
      f3 *swap = a;
      a = b, b = swap;
    }
    for (size_t i = 0; i < count; i++)
      if (takes_part(&f->pixels[i])) f->pixels[i].lit = f3_mul(f->pixels[i].surface, a[i]);
  }
  memory_free(context, a);
  memory_free(context, b);
  return ok ? SCREE_OK : SCREE_ERROR_MEMORY;
}

#endif

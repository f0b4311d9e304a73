/* Smooths the noise of light: whether the sun and the sky are seen is averaged over nearby pixels
 * that lie on the same smooth surface, in rounds of 3 x 3 pixels with weights 1 2 1 and gaps of 1,
 * 2 and
 * 4. The three together take out whatever repeats after 2, 4 or 8 pixels, which is how sample.c
 * spreads the places of the light. Pixels through which an edge goes take no part. Shadows must
 * not blur: pixels are averaged only when their neighbourhoods (5 x 5, which have less noise than a
 * pixel) see about as much. Colours, outlines and the shading by the normal stay as they are: the
 * light is made anew from what is averaged. */
#include "render/frame.h"

#ifdef SCREE_WITH_RENDER
#include <stdlib.h>

enum { ROUNDS = 3 };

static bool takes_part(const render_pixel *p) {
  return p->spread < 0.3f && p->kind >= 2 && p->surface.x + p->surface.y + p->surface.z > 1e-4f;
}

/* What tells whether two pixels are on the same smooth surface: 16 bytes, as each is read a hundred
 * times. */
typedef struct surface_point {
  f3 normal;
  float depth; /* m; below 0: takes no part */
} surface_point;

/* What is averaged: parts of the sun and of the sky that are seen. */
typedef struct seen_light {
  float sun, open;
} seen_light;

/* One round: what is averaged, what tells whether pixels are alike (guide null: not asked), how
 * far. */
typedef struct round_def {
  const surface_point *points;
  const seen_light *light;
  const float *guide;
  int gap, reach; /* pixels, places to each side */
} round_def;

static const float kernels[3][3] = {{1, 0, 0}, {0.5f, 0.25f, 0}, {0.375f, 0.25f, 0.0625f}};
/* Pixels are alike whose neighbourhoods differ by less than this. */
static const float unlike = 0.4f;

static float brightness(seen_light l) {
  return 0.65f * l.sun + 0.35f * l.open;
}

static float likeness(const round_def *r, size_t at, size_t i, float steep) {
  const surface_point *p = &r->points[at], *q = &r->points[i];
  const f3 bend = f3_sub(q->normal, p->normal);
  const float off = (q->depth - p->depth) * steep;
  const float step = r->guide ? (r->guide[i] - r->guide[at]) * (1.0f / unlike) : 0.0f;
  const float distance = step * step + 2.0f * f3_dot(bend, bend) + 0.02f * off * off;
  return distance < 1.0f ? (1.0f - distance) * (1.0f - distance) : 0.0f;
}

static seen_light smooth_one(const render_frame *f, const round_def *r, int px, int py) {
  const size_t at = (size_t)py * (size_t)f->width + (size_t)px;
  const float steep = 1.0f / (3.0f * f->pixel * r->points[at].depth * (float)r->gap);
  const float *kernel = kernels[r->reach];
  const int span = r->gap * r->reach;
  const float middle = kernel[0] * kernel[0];
  seen_light sum = {middle * r->light[at].sun, middle * r->light[at].open};
  float weight = middle;
  for (int dy = -span; dy <= span; dy += r->gap) {
    const int y = py + dy;
    if (y < 0 || y >= f->height) continue;
    for (int dx = -span; dx <= span; dx += r->gap) {
      const int x = px + dx;
      const size_t i = (size_t)y * (size_t)f->width + (size_t)x;
      if (x < 0 || x >= f->width || i == at || r->points[i].depth < 0.0f) continue;
      const float w =
          likeness(r, at, i, steep) * kernel[abs(dx) / r->gap] * kernel[abs(dy) / r->gap];
      sum.sun += w * r->light[i].sun;
      sum.open += w * r->light[i].open;
      weight += w;
    }
  }
  return (seen_light){sum.sun / weight, sum.open / weight};
}

static void smooth_round(const render_frame *f, const round_def *r, seen_light *to, int threads) {
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
  for (int y = 0; y < f->height; y++)
    for (int x = 0; x < f->width && !(x == 0 && render_stopped(f)); x++) {
      const size_t i = (size_t)y * (size_t)f->width + (size_t)x;
      to[i] = r->points[i].depth >= 0.0f ? smooth_one(f, r, x, y) : r->light[i];
    }
}

static void take_light(const render_frame *f, seen_light *light, surface_point *points) {
  for (size_t i = 0; i < (size_t)f->width * (size_t)f->height; i++) {
    const render_pixel *p = &f->pixels[i];
    points[i] = (surface_point){p->normal, takes_part(p) ? p->depth : -1.0f};
    light[i] = (seen_light){p->sun, p->open};
  }
}

static void give_light(render_frame *f, const seen_light *light, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int y = 0; y < f->height; y++)
    for (int x = 0; x < f->width; x++) {
      const size_t i = (size_t)y * (size_t)f->width + (size_t)x;
      render_pixel *p = &f->pixels[i];
      float tone;
      if (!takes_part(p)) continue;
      const render_sample s = {.surface = p->surface,
                               .normal = f3_normalize(p->normal),
                               .view = render_direction(f, (float)x + 0.5f, (float)y + 0.5f),
                               .through = p->through,
                               .gone = p->gone,
                               .sun = light[i].sun,
                               .open = light[i].open,
                               .item = p->item,
                               .kind = (render_what)(p->kind / 2),
                               .wall = p->kind & 1};
      p->lit = render_light(f, &s, &tone);
    }
}

scree_status render_smooth(render_frame *f) {
  scree_context *context = f->render->context;
  const size_t count = (size_t)f->width * (size_t)f->height;
  const int threads = context->threads;
  seen_light *a = memory_new(context, count, sizeof *a), *b = memory_new(context, count, sizeof *b);
  float *guide = memory_new(context, count, sizeof *guide);
  surface_point *points = memory_new(context, count, sizeof *points);
  const bool ok = a && b && guide && points;
  if (ok) {
    take_light(f, a, points);
    smooth_round(f, &(round_def){points, a, NULL, 1, 2}, b, threads);
    for (size_t i = 0; i < count; i++) guide[i] = brightness(b[i]);
    for (int round = 0; round < ROUNDS; round++) {
      smooth_round(f, &(round_def){points, a, guide, 1 << round, 1}, b, threads);
      seen_light *swap = a;
      a = b, b = swap;
    }
    give_light(f, a, threads);
  }
  memory_free(context, a);
  memory_free(context, b);
  memory_free(context, guide);
  memory_free(context, points);
  return ok ? SCREE_OK : SCREE_ERROR_MEMORY;
}

#endif

/* One picture: camera, light, background, and the sums of its pixels. */
#ifndef SCREE_RENDER_FRAME_H
#define SCREE_RENDER_FRAME_H

#include "render/render.h"

/* A pixel as a sum over its samples: colour = plain + surface * light. Light is kept apart from the
 * surface it falls on, so that its noise can be smoothed without blurring colours. */
typedef struct render_pixel {
  f3 plain;   /* background, glass, highlights */
  f3 surface; /* colour of the first surface that is not glass */
  f3 lit;     /* surface * light */
  f3 normal;
  float depth;  /* m */
  float spread; /* 0: all samples met the same plane, larger: an edge goes through the pixel */
} render_pixel;

typedef struct render_frame {
  const scree_render *render;
  scree_render_settings settings;
  int width, height;
  int enough;                 /* samples, even: pixels without an edge take no more */
  f3 eye, right, up, forward; /* right and up reach to the picture's border at distance 1 */
  float shift[2];             /* of the target, in halves of the picture */
  float pixel;                /* size of a pixel at distance 1 */
  f3 sun, sun_t, sun_b;       /* to the light, and across */
  float grid_pitch;           /* m */
  float *jitter;              /* 6 a sample: pixel, light, sky; each pair fills the unit square */
  render_pixel *pixels;
} render_frame;

static inline bool render_stopped(const render_frame *f) {
  return f->settings.stop && f->settings.stop();
}

/* One ray of the camera, before and after it is lit: colour = plain + surface * light. */
typedef struct render_sample {
  f3 plain, surface, light, normal;
  f3 above, view; /* where rays to the light begin; the ray's direction */
  float depth, through, gone;
  uint32_t item;    /* UINT32_MAX: nothing, one less: the ground */
  render_what kind; /* RENDER_NOTHING: no light falls on it */
  bool wall;
} render_sample;
typedef struct render_light {
  f3 to_sun, sky;
  float sun, open; /* is the sun seen, is the sky? */
} render_light;
/* `back`: the background there. */
render_sample render_look(const render_frame *f, float x, float y, f3 back);
render_light render_sun_ray(const render_frame *f, const render_sample *s, const float jitter[2]);
void render_sky_ray(const render_frame *f, const render_sample *s, const float jitter[2],
                    render_light *light);
void render_finish(const render_frame *f, render_sample *s, const render_light *light);
f3 render_back(const render_frame *f, float x, float y);
f3 render_direction(const render_frame *f, float x, float y);

/* Smooths the light of pixels without crossing edges. */
scree_status render_smooth(render_frame *f);

#endif

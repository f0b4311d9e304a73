/* One picture: camera, light, background, and the sums of its pixels. */
#ifndef SCREE_RENDER_FRAME_H
#define SCREE_RENDER_FRAME_H

#include "render/render.h"

/* A pixel as a sum over its samples, and then their mean: colour = plain + lit. What is random of
 * the light, whether the sun and the sky are seen, is kept apart from colours and directions: on a
 * smooth surface its noise is smoothed, and the light then made anew. */
typedef struct render_pixel {
  f3 plain;   /* background, glass */
  f3 surface; /* colour of the first surface that is not glass */
  f3 lit;     /* surface * light, highlights */
  f3 normal;
  float depth;             /* m */
  float sun, open;         /* parts of the samples that see the sun and the sky */
  float through, gone;     /* as in a sample */
  float spread;            /* 0: all samples met the same plane, larger: an edge goes through it */
  float darkest, lightest; /* light of the samples */
  uint32_t item;           /* of the first sample */
  uint16_t count;          /* samples */
  uint8_t kind;            /* of the first one, with `wall` */
  bool mixed;              /* they met different things, or glass in between changed */
} render_pixel;

enum { RENDER_BACK_STEPS = 1024, RENDER_SKY_STEPS = 64 };

typedef struct render_frame {
  const scree_render *render;
  scree_render_settings settings;
  int width, height;
  int first, enough, pairs;       /* of samples: all pixels, those near an edge, those with one */
  f3 eye, right, up, forward;     /* right and up reach to the picture's border at distance 1 */
  float across[2];                /* 2 / width, 2 / height */
  float shift[2];                 /* of the target, in halves of the picture */
  float pixel;                    /* size of a pixel at distance 1 */
  f3 sun, sun_t, sun_b;           /* to the light, and across */
  float grid_pitch;               /* m */
  f3 back[RENDER_BACK_STEPS + 1]; /* the background, from its middle to its corners */
  f3 sky[RENDER_SKY_STEPS + 1];   /* light of the open sky, by the z of the normal from -1 to 1 */
  render_pixel *pixels;
} render_frame;

static inline bool render_stopped(const render_frame *f) {
  return f->settings.stop && f->settings.stop();
}

/* One ray of the camera; its colour is plain plus the light of render_light. */
typedef struct render_sample {
  f3 plain, surface, normal;
  f3 above, view; /* where rays to the light begin; the ray's direction */
  float depth, through, gone;
  float sun, open;  /* is the sun seen, is the sky? */
  uint32_t item;    /* UINT32_MAX: nothing, one less: the ground */
  render_what kind; /* RENDER_NOTHING: no light falls on it */
  bool wall;
} render_sample;
/* Eight rays of the camera through places of the picture, those with a bit in `lanes`. */
void render_look(const render_frame *f, const float *x, const float *y, unsigned lanes,
                 render_sample *s);
/* Whether samples see a place of the sun, and of the sky. */
void render_sun_rays(const render_frame *f, float (*jitter)[2], unsigned lanes, render_sample *s);
void render_sky_rays(const render_frame *f, float (*jitter)[2], unsigned lanes, render_sample *s);
/* Surface times light, and highlights; *tone: the light. */
f3 render_light(const render_frame *f, const render_sample *s, float *tone);
void render_fill_tables(render_frame *f);
f3 render_direction(const render_frame *f, float x, float y);

/* sample.c: pairs of samples. Pixel of the picture and number of the pair, up to eight of them,
 * added to the sums of their pixels. */
typedef struct render_place {
  int x, y, pair;
} render_place;
void render_add_pairs(render_frame *f, int count, const render_place *places);

/* Smooths the light of pixels without crossing edges. */
scree_status render_smooth(render_frame *f);

#endif

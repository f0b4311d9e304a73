/* What a ray of the camera sees: a sun with soft shadows, a sky that crevices see little of, glass
 * in front of it, and a ground that is the background where nothing darkens it, so that it recedes
 * without a horizon. */
#include "render/frame.h"

#ifdef SCREE_WITH_RENDER

enum { LAYERS = 32 };
static const float PI_F = 3.14159265f;

/* Light of the sun and the sky, for a surface that faces them; what is hidden from the sky still
 * gets some light from its neighbours. */
static const f3 SUN = {0.80f, 0.765f, 0.70f};
static const f3 ZENITH = {0.50f, 0.54f, 0.60f};
static const f3 HORIZON = {0.40f, 0.42f, 0.45f};
static const f3 BOUNCE = {0.25f, 0.235f, 0.22f};
static const f3 CREVICE = {0.085f, 0.08f, 0.075f};

f3 render_direction(const render_frame *f, float x, float y) {
  const float u = 2.0f * x / (float)f->width - 1.0f, v = 1.0f - 2.0f * y / (float)f->height;
  return f3_normalize(f3_add_scaled(f3_add_scaled(f->forward, u, f->right), v, f->up));
}

f3 render_back(const render_frame *f, float x, float y) {
  static const float tones[SCREE_BACKGROUND_COUNT][2][3] = {
      [SCREE_BACKGROUND_STUDIO] = {{0.955f, 0.957f, 0.960f}, {0.790f, 0.808f, 0.830f}},
      [SCREE_BACKGROUND_WHITE] = {{1, 1, 1}, {1, 1, 1}},
      [SCREE_BACKGROUND_DARK] = {{0.205f, 0.220f, 0.245f}, {0.060f, 0.067f, 0.080f}},
  };
  const float(*tone)[3] = tones[f->settings.background];
  const float u = x / (float)f->width - 0.5f, v = y / (float)f->height - 0.58f;
  const float s = f_clamp(1.35f * (u * u + 1.25f * v * v), 0.0f, 1.0f);
  float c[3];
  for (int k = 0; k < 3; k++) c[k] = render_decode(tone[0][k] + s * (tone[1][k] - tone[0][k]));
  return (f3){c[0], c[1], c[2]};
}

static f3 sky(f3 d) {
  return d.z >= 0.0f ? f3_mix(HORIZON, ZENITH, d.z)
                     : f3_mix(HORIZON, BOUNCE, f_clamp(-4.0f * d.z, 0.0f, 1.0f));
}

/* Bright light fades into the colour instead of cutting it off. */
static float soften(float e) {
  return e < 0.85f ? e : 0.85f + 0.3f * (1.0f - expf((0.85f - e) / 0.3f));
}

typedef struct lighting {
  f3 diffuse;
  float sun; /* seen or not */
  float sky;
} lighting;

static lighting light_at(const render_frame *f, f3 at, f3 normal, const float jitter[4]) {
  const scree_render *r = f->render;
  lighting out = {{0, 0, 0}, 1.0f, 1.0f};
  const float far = 1e4f * r->size;
  const float reach = (float)f->settings.light_size * sqrtf(jitter[0]);
  const float turn = 2.0f * PI_F * jitter[1];
  const f3 to_sun = f3_normalize(f3_add_scaled(f3_add_scaled(f->sun, reach * cosf(turn), f->sun_t),
                                               reach * sinf(turn), f->sun_b));
  const float facing = f3_dot(normal, to_sun);
  if (facing > 0.0f && f->settings.shadows && render_occluded(r, at, to_sun, far)) out.sun = 0.0f;
  if (facing > 0.0f) out.diffuse = f3_scale(out.sun * facing, SUN);
  /* Cosine-weighted: the mean of what is seen is the light. */
  const float rho = sqrtf(jitter[2]), phi = 2.0f * PI_F * jitter[3];
  f3 t, b;
  f3_frame(normal, &t, &b);
  const f3 d = f3_add_scaled(f3_add_scaled(f3_scale(rho * cosf(phi), t), rho * sinf(phi), b),
                             sqrtf(fmaxf(0.0f, 1.0f - jitter[2])), normal);
  if (f->settings.occlusion && render_occluded(r, at, d, far)) out.sky = 0.0f;
  out.diffuse = f3_add(out.diffuse, out.sky > 0.0f ? sky(d) : CREVICE);
  return out;
}

static f3 soften3(f3 e) {
  return (f3){soften(e.x), soften(e.y), soften(e.z)};
}

/* A little gloss: the sun's highlight, and the sky at grazing angles. */
static f3 gloss(const render_frame *f, f3 d, f3 normal, const lighting *l) {
  const f3 half = f3_normalize(f3_sub(f->sun, d));
  const float h = fmaxf(0.0f, f3_dot(normal, half)), away = 1.0f + f3_dot(normal, d);
  const float h2 = h * h, h4 = h2 * h2, h8 = h4 * h4, h16 = h8 * h8, h32 = h16 * h16;
  const float a2 = away * away;
  const float fresnel = 0.03f + 0.55f * a2 * a2 * away;
  const f3 mirror = f3_add_scaled(d, -2.0f * f3_dot(d, normal), normal);
  return f3_add(f3_scale(0.16f * l->sun * h32 * h8, SUN),
                f3_scale(0.55f * fresnel * l->sky, sky(mirror)));
}

/* Lines of a square grid, as wide as a pixel: 0 none, 1 on a line. */
static float grid_line(const render_frame *f, f3 at, float t) {
  const v3 p = f3_wide(at);
  const double x = p.x + f->render->origin.x, y = p.y + f->render->origin.y;
  const double pitch = (double)f->grid_pitch;
  const float width = 0.8f * f->pixel * t + 0.0012f * f->grid_pitch;
  const float dx = (float)(fabs(x / pitch - floor(x / pitch + 0.5)) * pitch);
  const float dy = (float)(fabs(y / pitch - floor(y / pitch + 0.5)) * pitch);
  return fmaxf(1.0f - f_step(0.5f * width, 1.5f * width, dx),
               1.0f - f_step(0.5f * width, 1.5f * width, dy));
}

/* How far something has faded away from the focus: 0 near, 1 gone. */
static float fade(const scree_render *r, f3 at, float near, float far) {
  const f3 beyond = {fmaxf(0.0f, fabsf(at.x) - r->focus_half.x),
                     fmaxf(0.0f, fabsf(at.y) - r->focus_half.y),
                     fmaxf(0.0f, fabsf(at.z) - r->focus_half.z)};
  return f_step(near * r->size, far * r->size, sqrtf(f3_dot(beyond, beyond)));
}

static void shade_ground(const render_frame *f, f3 at, f3 above, const render_hit *hit, f3 back,
                         const float jitter[4], render_sample *s) {
  const float gone = fade(f->render, at, 1.2f, 4.5f);
  s->surface = back;
  s->light = (f3){1, 1, 1};
  if (gone >= 1.0f) return;
  const lighting l = light_at(f, above, hit->normal, jitter);
  const float facing = fmaxf(0.0f, f3_dot(hit->normal, f->sun));
  const f3 full = f3_add(f3_scale(facing, SUN), f3_mix(HORIZON, ZENITH, 0.667f));
  const f3 share = {l.diffuse.x / full.x, l.diffuse.y / full.y, l.diffuse.z / full.z};
  s->light = f3_mix(share, (f3){1, 1, 1}, gone);
  if (f->settings.grid && hit->ground) {
    const float line = grid_line(f, at, hit->t) * (1.0f - fade(f->render, at, 0.3f, 2.6f));
    s->surface = f3_scale(1.0f - 0.10f * line, s->surface);
    if (f->settings.background == SCREE_BACKGROUND_DARK)
      s->surface = f3_add_scaled(s->surface, 0.035f * line, (f3){1, 1, 1});
  }
}

static void shade_body(const render_frame *f, f3 d, f3 above, const render_hit *hit, f3 colour,
                       const float jitter[4], render_sample *s, f3 *shine) {
  const lighting l = light_at(f, above, hit->normal, jitter);
  s->surface = colour;
  s->light = soften3(l.diffuse);
  if (hit->what == RENDER_BODY && !hit->section) *shine = gloss(f, d, hit->normal, &l);
}

/* Colour and opacity of a layer of glass. */
static float glass(const render_frame *f, f3 d, const render_hit *hit, f3 *colour) {
  const bool dark = f->settings.background == SCREE_BACKGROUND_DARK;
  const float away = 1.0f + f3_dot(hit->normal, d);
  if (hit->ghost) {
    *colour = f3_mix(f->render->colours[hit->item], (f3){0.7f, 0.72f, 0.75f}, 0.35f);
    return 0.06f + 0.5f * away * away * away;
  }
  const float line = f->pixel * hit->t;
  if (hit->edge > 0.0f && hit->edge < 1.1f * line) {
    *colour = dark ? (f3){0.55f, 0.6f, 0.66f} : (f3){0.13f, 0.16f, 0.20f};
    return 0.75f;
  }
  *colour = dark ? (f3){0.40f, 0.45f, 0.52f} : (f3){0.62f, 0.68f, 0.74f};
  return 0.03f + 0.25f * away * away * away * away;
}

render_sample render_shade(const render_frame *f, float x, float y, const float jitter[4]) {
  const scree_render *r = f->render;
  const f3 d = render_direction(f, x, y), back = render_back(f, x, y);
  const float far = 1e4f * r->size;
  render_sample s = {.depth = far, .item = UINT32_MAX};
  float through = 1.0f, t_min = 0.0f;
  for (int layer = 0; layer < LAYERS; layer++) {
    render_hit hit = render_trace(r, f->eye, d, t_min, far);
    const f3 at = f3_add_scaled(f->eye, hit.t, d);
    const float lift = 2e-5f * r->size + 1e-6f * hit.t;
    const f3 above = f3_add_scaled(at, lift, hit.normal);
    f3 shine = {0, 0, 0}, colour;
    if (hit.what == RENDER_NOTHING) break;
    if (hit.what == RENDER_GLASS) {
      const float share = through * glass(f, d, &hit, &colour);
      s.plain = f3_add_scaled(s.plain, share, colour);
      through -= share;
      t_min = hit.t * 1.000001f + 1e-6f * r->size;
      continue;
    }
    const f3 own = hit.item == UINT32_MAX ? back : r->colours[hit.item];
    if (hit.what == RENDER_PLANE && !hit.ground) {
      /* A wall without end is a surface near the focus and nothing far from it. */
      const float share = through * fade(r, at, 0.25f, 0.6f);
      shade_body(f, d, above, &hit, f3_scale(through - share, own), jitter, &s, &shine);
      s.plain = f3_add_scaled(s.plain, share, back);
    } else if (hit.what == RENDER_PLANE) {
      shade_ground(f, at, above, &hit, back, jitter, &s);
      s.surface = f3_scale(through, s.surface);
    } else {
      const bool edge = hit.edge > 0.0f && hit.edge < 1.1f * f->pixel * hit.t;
      shade_body(f, d, above, &hit, f3_scale(edge ? 0.35f * through : through, own), jitter, &s,
                 &shine);
      s.plain = f3_add_scaled(s.plain, through, shine);
    }
    s.normal = hit.normal;
    s.depth = hit.t;
    s.item = hit.what == RENDER_PLANE ? UINT32_MAX - 1 : hit.item;
    return s;
  }
  s.plain = f3_add_scaled(s.plain, through, back);
  return s;
}

#endif

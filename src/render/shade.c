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
  const float u = f->across[0] * x - 1.0f - f->shift[0];
  const float v = 1.0f - f->across[1] * y - f->shift[1];
  return f3_normalize(f3_add_scaled(f3_add_scaled(f->forward, u, f->right), v, f->up));
}

/* By a table over the square of the distance from the middle: powers are slow. */
static void fill_back(render_frame *f) {
  static const float tones[SCREE_BACKGROUND_COUNT][2][3] = {
      [SCREE_BACKGROUND_STUDIO] = {{0.955f, 0.957f, 0.960f}, {0.790f, 0.808f, 0.830f}},
      [SCREE_BACKGROUND_WHITE] = {{1, 1, 1}, {1, 1, 1}},
      [SCREE_BACKGROUND_DARK] = {{0.205f, 0.220f, 0.245f}, {0.060f, 0.067f, 0.080f}},
  };
  const float(*tone)[3] = tones[f->settings.background];
  for (int i = 0; i <= RENDER_BACK_STEPS; i++) {
    const float s = (float)i / RENDER_BACK_STEPS;
    float c[3];
    for (int k = 0; k < 3; k++) c[k] = render_decode(tone[0][k] + s * (tone[1][k] - tone[0][k]));
    f->back[i] = (f3){c[0], c[1], c[2]};
  }
}

static f3 back_at(const render_frame *f, float x, float y) {
  const float u = x / (float)f->width - 0.5f, v = y / (float)f->height - 0.58f;
  const float s = RENDER_BACK_STEPS * f_clamp(1.35f * (u * u + 1.25f * v * v), 0.0f, 1.0f);
  const int i = s < RENDER_BACK_STEPS ? (int)s : RENDER_BACK_STEPS - 1;
  return f3_mix(f->back[i], f->back[i + 1], s - (float)i);
}

static f3 sky(f3 d) {
  return d.z >= 0.0f ? f3_mix(HORIZON, ZENITH, d.z)
                     : f3_mix(HORIZON, BOUNCE, f_clamp(-4.0f * d.z, 0.0f, 1.0f));
}

/* The mean of the sky over the half space that a surface faces, by the cosine: rings of directions
 * about the normal, and places on each. */
static void fill_sky(render_frame *f) {
  enum { RINGS = 16, PLACES = 32 };
  for (int i = 0; i <= RENDER_SKY_STEPS; i++) {
    const float z = 2.0f * (float)i / RENDER_SKY_STEPS - 1.0f, x = sqrtf(fmaxf(0.0f, 1.0f - z * z));
    f3 sum = {0, 0, 0};
    for (int ring = 0; ring < RINGS; ring++)
      for (int k = 0; k < PLACES; k++) {
        const float u = ((float)ring + 0.5f) / RINGS;
        const float phi = 2.0f * PI_F * ((float)k + 0.5f) / PLACES;
        sum = f3_add(sum, sky((f3){0, 0, sqrtf(u) * cosf(phi) * x + sqrtf(1.0f - u) * z}));
      }
    f->sky[i] = f3_scale(1.0f / (RINGS * PLACES), sum);
  }
}

static f3 open_sky(const render_frame *f, f3 normal) {
  const float s = 0.5f * RENDER_SKY_STEPS * (1.0f + f_clamp(normal.z, -1.0f, 1.0f));
  const int i = s < RENDER_SKY_STEPS ? (int)s : RENDER_SKY_STEPS - 1;
  return f3_mix(f->sky[i], f->sky[i + 1], s - (float)i);
}

void render_fill_tables(render_frame *f) {
  fill_back(f);
  fill_sky(f);
}

/* Bright light fades into the colour instead of cutting it off. */
static float soften(float e) {
  return e < 0.85f ? e : 0.85f + 0.3f * (1.0f - expf((0.85f - e) / 0.3f));
}

void render_sun_rays(const render_frame *f, float (*jitter)[2], unsigned lanes, render_sample *s) {
  f3 from[RENDER_LANES], to[RENDER_LANES];
  unsigned asked = 0;
  for (unsigned i = 0; i < RENDER_LANES; i++) {
    if (!(lanes >> i & 1u)) continue;
    s[i].sun = 1.0f;
    if (!f->settings.shadows || !(f3_dot(s[i].normal, f->sun) > 0.0f)) continue;
    const float reach = (float)f->settings.light_size * sqrtf(jitter[i][0]);
    const float turn = 2.0f * PI_F * jitter[i][1];
    from[i] = s[i].above;
    to[i] = f3_normalize(f3_add_scaled(f3_add_scaled(f->sun, reach * cosf(turn), f->sun_t),
                                       reach * sinf(turn), f->sun_b));
    asked |= 1u << i;
  }
  if (!asked) return;
  const unsigned met = render_occluded_lanes(f->render, from, to, 1e4f * f->render->size, asked);
  for (unsigned i = 0; i < RENDER_LANES; i++)
    if (met >> i & 1u) s[i].sun = 0.0f;
}

/* Directions are distributed by the cosine, so that the light is the mean over the rays. */
void render_sky_rays(const render_frame *f, float (*jitter)[2], unsigned lanes, render_sample *s) {
  f3 from[RENDER_LANES], to[RENDER_LANES];
  for (unsigned i = 0; i < RENDER_LANES; i++) {
    if (!(lanes >> i & 1u)) continue;
    s[i].open = 1.0f;
    if (!f->settings.occlusion) continue;
    const float rho = sqrtf(jitter[i][0]), phi = 2.0f * PI_F * jitter[i][1];
    f3 t, b;
    f3_frame(s[i].normal, &t, &b);
    from[i] = s[i].above;
    to[i] = f3_add_scaled(f3_add_scaled(f3_scale(rho * cosf(phi), t), rho * sinf(phi), b),
                          sqrtf(fmaxf(0.0f, 1.0f - jitter[i][0])), s[i].normal);
  }
  if (!f->settings.occlusion || !lanes) return;
  const unsigned met = render_occluded_lanes(f->render, from, to, 1e4f * f->render->size, lanes);
  for (unsigned i = 0; i < RENDER_LANES; i++)
    if (met >> i & 1u) s[i].open = 0.0f;
}

/* Rays that reach the sky get the mean light of an open sky; only whether they reach it is sampled.
 */
static f3 diffuse(const render_frame *f, const render_sample *s) {
  const f3 sky_light = f3_mix(CREVICE, open_sky(f, s->normal), s->open);
  return f3_add_scaled(sky_light, s->sun * fmaxf(0.0f, f3_dot(s->normal, f->sun)), SUN);
}

static f3 soften3(f3 e) {
  return (f3){soften(e.x), soften(e.y), soften(e.z)};
}

/* A little gloss: the sun's highlight, and the sky at grazing angles. */
static f3 gloss(const render_frame *f, const render_sample *s) {
  const f3 half = f3_normalize(f3_sub(f->sun, s->view));
  const float h = fmaxf(0.0f, f3_dot(s->normal, half)), away = 1.0f + f3_dot(s->normal, s->view);
  const float h2 = h * h, h4 = h2 * h2, h8 = h4 * h4, h16 = h8 * h8, h32 = h16 * h16;
  const float a2 = away * away;
  const float fresnel = 0.03f + 0.55f * a2 * a2 * away;
  const f3 mirror = f3_add_scaled(s->view, -2.0f * f3_dot(s->view, s->normal), s->normal);
  return f3_add(f3_scale(0.09f * s->sun * h32 * h8, SUN),
                f3_scale(0.55f * fresnel * s->open, sky(mirror)));
}

f3 render_light(const render_frame *f, const render_sample *s, float *tone) {
  f3 light = diffuse(f, s);
  if (s->kind == RENDER_PLANE && s->item == UINT32_MAX - 1) {
    /* The ground shows the background, darkened by what hides the light. */
    const float facing = fmaxf(0.0f, f3_dot(s->normal, f->sun));
    const f3 full = f3_add(f3_scale(facing, SUN), open_sky(f, s->normal));
    light = (f3){light.x / full.x, light.y / full.y, light.z / full.z};
    light = f3_mix(light, (f3){1, 1, 1}, s->gone);
    *tone = light.y;
    return f3_mul(s->surface, light);
  }
  light = soften3(light);
  /* Walls are lit more evenly than bodies, which are what the picture is of. */
  if (s->wall) light = f3_mix(light, (f3){0.95f, 0.95f, 0.95f}, 0.4f);
  *tone = light.y;
  const f3 lit = f3_mul(s->surface, light);
  return s->kind == RENDER_BODY ? f3_add_scaled(lit, s->through, gloss(f, s)) : lit;
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
  const float away2 = f3_dot(beyond, beyond), low = near * r->size, high = far * r->size;
  if (away2 <= low * low) return 0.0f;
  return away2 >= high * high ? 1.0f : f_step(low, high, sqrtf(away2));
}

static void meet_ground(const render_frame *f, f3 at, const render_hit *hit, f3 back,
                        render_sample *s) {
  s->surface = back;
  s->item = UINT32_MAX - 1;
  if (!f->settings.grid) return;
  const float line = grid_line(f, at, hit->t) * (1.0f - fade(f->render, at, 0.3f, 2.6f));
  s->surface = f3_scale(1.0f - 0.10f * line, s->surface);
  if (f->settings.background == SCREE_BACKGROUND_DARK)
    s->surface = f3_add_scaled(s->surface, 0.035f * line, (f3){1, 1, 1});
}

/* Colour and opacity of a layer of glass. */
static float glass(const render_frame *f, f3 d, const render_hit *hit, f3 *colour) {
  const bool dark = f->settings.background == SCREE_BACKGROUND_DARK;
  const float away = 1.0f + f3_dot(hit->normal, d);
  if (hit->ghost) {
    *colour = f3_mix(f->render->colours[hit->item], (f3){0.55f, 0.58f, 0.62f}, 0.6f);
    return 0.02f + 0.4f * away * away * away;
  }
  const float line = f->pixel * hit->t;
  if (hit->edge > 0.0f && hit->edge < 1.1f * line) {
    *colour = dark ? (f3){0.55f, 0.6f, 0.66f} : (f3){0.13f, 0.16f, 0.20f};
    return 0.75f;
  }
  *colour = dark ? (f3){0.40f, 0.45f, 0.52f} : (f3){0.62f, 0.68f, 0.74f};
  return 0.03f + 0.25f * away * away * away * away;
}

/* A ray on its way through layers of glass. */
typedef struct look_ray {
  f3 back;
  float through, t_min;
} look_ray;

/* What one hit adds to a sample; true: the ray goes on behind it. */
static bool meet(const render_frame *f, f3 d, const render_hit *hit, look_ray *ray,
                 render_sample *s) {
  const scree_render *r = f->render;
  const f3 at = f3_add_scaled(f->eye, hit->t, d);
  if (hit->what == RENDER_NOTHING || (hit->ground && (s->gone = fade(r, at, 1.2f, 4.5f)) >= 1.0f)) {
    s->plain = f3_add_scaled(s->plain, ray->through, ray->back);
    return false;
  }
  if (hit->what == RENDER_GLASS) {
    f3 colour;
    const float share = ray->through * glass(f, d, hit, &colour);
    s->plain = f3_add_scaled(s->plain, share, colour);
    ray->through -= share;
    ray->t_min = hit->t * 1.000001f + 1e-6f * r->size;
    return true;
  }
  s->kind = hit->what == RENDER_BODY && hit->section ? RENDER_INSIDE : hit->what;
  s->wall = hit->what == RENDER_INSIDE || (hit->what == RENDER_PLANE && !hit->ground);
  s->normal = hit->normal;
  s->depth = hit->t;
  s->item = hit->item;
  s->above = f3_add_scaled(at, 2e-5f * r->size + 1e-6f * hit->t, hit->normal);
  s->surface = hit->item == UINT32_MAX ? ray->back : r->colours[hit->item];
  if (s->wall && f->settings.background == SCREE_BACKGROUND_DARK)
    s->surface = f3_scale(0.16f, s->surface);
  if (hit->what == RENDER_PLANE && hit->ground) {
    meet_ground(f, at, hit, ray->back, s);
  } else if (hit->what == RENDER_PLANE) {
    /* A wall without end is a surface near the focus and nothing far from it. */
    const float share = ray->through * fade(r, at, 0.25f, 0.6f);
    s->plain = f3_add_scaled(s->plain, share, ray->back);
    ray->through -= share;
  } else if (hit->edge > 0.0f && hit->edge < 1.1f * f->pixel * hit->t) {
    s->surface = f3_scale(0.35f, s->surface);
  }
  s->surface = f3_scale(ray->through, s->surface);
  s->through = ray->through;
  return false;
}

void render_look(const render_frame *f, const float *x, const float *y, unsigned lanes,
                 render_sample *s) {
  const scree_render *r = f->render;
  const float far = 1e4f * r->size;
  f3 d[RENDER_LANES];
  look_ray ray[RENDER_LANES];
  float t_min[RENDER_LANES] = {0};
  render_hit hit[RENDER_LANES];
  for (unsigned i = 0; i < RENDER_LANES; i++) {
    if (!(lanes >> i & 1u)) continue;
    d[i] = render_direction(f, x[i], y[i]);
    ray[i] = (look_ray){back_at(f, x[i], y[i]), 1.0f, 0.0f};
    s[i] = (render_sample){.depth = far, .item = UINT32_MAX, .view = d[i]};
  }
  for (int layer = 0; layer < LAYERS && lanes; layer++) {
    render_trace_lanes(r, f->eye, d, t_min, far, lanes, hit);
    for (unsigned i = 0; i < RENDER_LANES; i++) {
      if (!(lanes >> i & 1u)) continue;
      if (meet(f, d[i], &hit[i], &ray[i], &s[i]))
        t_min[i] = ray[i].t_min;
      else
        lanes &= ~(1u << i);
    }
  }
  /* Behind too many layers there is the background. */
  for (unsigned i = 0; i < RENDER_LANES; i++)
    if (lanes >> i & 1u) s[i].plain = f3_add_scaled(s[i].plain, ray[i].through, ray[i].back);
}

#endif

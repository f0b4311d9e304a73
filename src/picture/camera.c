/* The camera of a picture, and drawing it. */
#include <math.h>
#include <string.h>

#include "base/argument.h"
#include "picture/picture.h"

/* A cut is looked into; long rows are seen from their broad side, flat layers from higher up. */
static void choose_direction(const scree_picture *p, double *azimuth, double *elevation) {
  const scree_box *f = &p->focus;
  const double x = f->upper[0] - f->lower[0], y = f->upper[1] - f->lower[1],
               z = f->upper[2] - f->lower[2];
  *azimuth = p->def.azimuth;
  *elevation = p->def.elevation;
  const scree_picture_side *cut = p->def.section_count ? p->sections[0].side : NULL;
  if (isnan(*azimuth) && cut && p->sections[0].count == 1 && cut->axis < 2)
    *azimuth = cut->axis == 0 ? (cut->sign < 0 ? 3.6 : -0.45) : (cut->sign > 0 ? 1.12 : -1.12);
  if (isnan(*elevation) && cut && cut->axis == 2) *elevation = 0.7;
  if (isnan(*azimuth)) *azimuth = x > 2.0 * y ? -1.2 : y > 2.0 * x ? -0.37 : -1.0;
  if (isnan(*elevation)) *elevation = z < 0.25 * fmax(x, y) ? 0.52 : 0.38;
}

/* Sections that cut away the camera's side need the direction to the eye. */
static void place_cuts(scree_picture *p, const double out[3]) {
  for (size_t i = 0; i < p->def.section_count; i++) {
    const scree_picture_section *section = &p->sections[i];
    scree_render_cut *cut = &p->cuts[i];
    *cut = (scree_render_cut){.count = section->count};
    for (size_t k = 0; k < section->count; k++) {
      const scree_picture_side *side = &section->side[k];
      const double sign = side->sign ? side->sign : out[side->axis] >= 0.0 ? 1.0 : -1.0;
      cut->normal[k][side->axis] = sign;
      cut->offset[k] = sign * side->value;
    }
  }
}

static scree_status frame_all(scree_picture *p, size_t count, const size_t *frames, int width,
                              int height) {
  double azimuth, elevation;
  scree_framing framing;
  choose_direction(p, &azimuth, &elevation);
  const double out[3] = {cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth),
                         sin(elevation)};
  place_cuts(p, out);
  scree_framing_begin(&framing, azimuth, elevation, p->def.field,
                      (1.0 - p->strip) * (double)width / (double)height, 0.06);
  for (size_t i = 0; i < count; i++) {
    const scree_status status = scree_picture_load(p, frames[i], 0.0);
    if (status) return status;
    scree_render_scene scene = scree_picture_get_scene(p);
    scene.ground = true;
    scree_framing_add_scene(&framing, &scene);
    /* Ropes and arrows reach beyond the bodies. */
    for (size_t k = 0; k < scene.link_count && (p->def.joints || p->def.arrows); k++) {
      const scree_render_link *link = &scene.links[k];
      scree_box box;
      for (int n = 0; n < 3; n++) {
        box.lower[n] = fmin(link->from[n], link->to[n]);
        box.upper[n] = fmax(link->from[n], link->to[n]);
      }
      scree_framing_add_box(&framing, &box);
    }
  }
  if (!scree_framing_end(&framing, &p->camera)) {
    scree_framing_add_box(&framing, &p->focus);
    scree_framing_end(&framing, &p->camera);
  }
  p->camera.shift[0] = -0.5 * p->strip;
  return SCREE_OK;
}

static void place_eye(scree_picture *p) {
  const scree_picture_def *d = &p->def;
  double length = 0.0;
  for (int k = 0; k < 3; k++) {
    p->offset[k] = p->camera.eye[k] - p->camera.target[k];
    length += p->offset[k] * p->offset[k];
  }
  length = sqrt(length);
  double distance = d->distance > 0.0 ? d->distance : length;
  size_t item;
  if (*p->follow && picture_find_body(p, p->follow, &item) && !(d->distance > 0.0) &&
      isfinite(p->bodies[item].diameter))
    distance = fmin(distance, 14.0 * p->bodies[item].diameter);
  for (int k = 0; k < 3; k++) {
    p->offset[k] *= distance / (d->zoom * length);
    if (!isnan(d->target[k])) p->camera.target[k] = d->target[k];
    p->camera.eye[k] = p->camera.target[k] + p->offset[k];
  }
  if (!isnan(d->target[0]) || *p->follow) p->camera.shift[0] = -0.5 * p->strip;
}

scree_status scree_picture_aim(scree_picture *p, size_t count, const size_t *frames, int width,
                               int height, bool strip) {
  ARGUMENT_CHECK(p ? p->context : NULL, p && (frames || !count));
  scree_legend legend;
  p->strip = strip && scree_picture_get_legend(p, &legend)
                 ? scree_legend_width(&legend, width, height)
                 : 0.0;
  const scree_status status = frame_all(p, count, frames, width, height);
  if (!status) place_eye(p);
  return status;
}

scree_camera scree_picture_get_camera(const scree_picture *p, double film_time) {
  if (!p) return (scree_camera){0};
  scree_camera c = p->camera;
  size_t item;
  if (*p->follow && picture_find_body(p, p->follow, &item))
    memcpy(c.target, p->items[item].position, sizeof c.target);
  const double a = p->def.turn * film_time;
  const double x = p->offset[0] * cos(a) - p->offset[1] * sin(a),
               y = p->offset[0] * sin(a) + p->offset[1] * cos(a);
  c.eye[0] = c.target[0] + x;
  c.eye[1] = c.target[1] + y;
  c.eye[2] = c.target[2] + p->offset[2];
  c.up[0] = c.up[1] = 0.0;
  c.up[2] = 1.0;
  /* A slope is one: down is where things fall. */
  double up[3];
  if (picture_is_tilted(p, up)) memcpy(c.up, up, sizeof c.up);
  return c;
}

scree_status scree_picture_draw(scree_picture *p, double film_time,
                                const scree_render_settings *settings, scree_image *image) {
  ARGUMENT_CHECK(p ? p->context : NULL, p && image);
  const scree_render_scene scene = scree_picture_get_scene(p);
  const scree_camera camera = scree_picture_get_camera(p, film_time);
  const scree_render_settings fallback = scree_render_settings_default(&p->camera);
  scree_status status = p->render ? SCREE_OK : scree_render_create(p->context, &p->render);
  if (!status) status = scree_render_set_scene(p->render, &scene);
  if (!status)
    status = scree_render_draw(p->render, &camera, settings ? settings : &fallback, image);
  return status;
}

void scree_picture_put_legend(scree_picture *p, scree_background background, scree_image *image) {
  if (!p) return;
  scree_legend legend;
  if (scree_picture_get_legend(p, &legend)) scree_image_legend(image, &legend, background);
}

scree_status scree_picture_draw_frame(scree_picture *p, size_t frame, int samples, bool shadows,
                                      scree_background background, scree_image *image) {
  ARGUMENT_CHECK(p ? p->context : NULL, p && image);
  scree_status status = scree_picture_survey(p, 1, &frame);
  if (!status) status = scree_picture_aim(p, 1, &frame, image->width, image->height, true);
  if (!status) status = scree_picture_load(p, frame, 0.0);
  if (status) return status;
  scree_render_settings settings = scree_render_settings_default(&p->camera);
  if (samples > 0) settings.samples = samples;
  settings.shadows = settings.occlusion = shadows;
  settings.background = background;
  status = scree_picture_draw(p, 0.0, &settings, image);
  if (!status) scree_picture_put_legend(p, background, image);
  return status;
}

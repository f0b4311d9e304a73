/* The renderer as others see it. */
#include "render/render.h"
#include "base/argument.h"

scree_render_settings scree_render_settings_default(const scree_camera *camera) {
  if (!camera) return (scree_render_settings){0};
  scree_render_settings s = {.samples = 12,
                             .background = SCREE_BACKGROUND_STUDIO,
                             .light_elevation = 0.87,
                             .light_size = 0.07,
                             .shadows = true,
                             .occlusion = true,
                             .grid = true};
  const double x = camera->eye[0] - camera->target[0], y = camera->eye[1] - camera->target[1];
  s.light_azimuth = atan2(y, x) - 0.95;
  return s;
}

#ifdef SCREE_WITH_RENDER

scree_status scree_render_create(scree_context *context, scree_render **out) {
  ARGUMENT_CHECK(context, context && out);
  scree_render *r = *out = memory_new(context, 1, sizeof *r);
  if (!r) return SCREE_ERROR_MEMORY;
  r->context = context;
  scree_status status = render_tree_create(r);
  if (status) {
    scree_render_destroy(r);
    *out = NULL;
  }
  return status;
}

void scree_render_destroy(scree_render *r) {
  if (!r) return;
  render_tree_destroy(r);
  void *blocks[] = {r->colours, r->balls, r->ball_items, r->prims, r->planes, r->mesh_shapes};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_free(r->context, blocks[i]);
  memory_free(r->context, r);
}

scree_status scree_render_set_scene(scree_render *r, const scree_render_scene *scene) {
  ARGUMENT_CHECK(r ? r->context : NULL, r && scene);
  render_tree_clear(r);
  scree_status status = render_collect(r, scene);
  return status ? status : render_tree_build(r);
}

#else

static scree_status refuse(scree_context *context) {
  return context_fail(context, SCREE_ERROR_UNSUPPORTED,
                      "this build cannot render: configure with -DSCREE_WITH_RENDER=ON "
                      "(Debian package libembree-dev)");
}

scree_status scree_render_create(scree_context *context, scree_render **out) {
  ARGUMENT_CHECK(context, context && out);
  *out = NULL;
  return refuse(context);
}

void scree_render_destroy(scree_render *r) {
  (void)r;
}

scree_status scree_render_set_scene(scree_render *r, const scree_render_scene *scene) {
  ARGUMENT_CHECK(r ? r->context : NULL, r && scene);
  (void)r, (void)scene;
  return SCREE_ERROR_UNSUPPORTED;
}

scree_status scree_render_draw(scree_render *r, const scree_camera *camera,
                               const scree_render_settings *settings, scree_image *image) {
  ARGUMENT_CHECK(r ? r->context : NULL, r && settings && image);
  (void)r, (void)camera, (void)settings, (void)image;
  return SCREE_ERROR_UNSUPPORTED;
}

scree_status scree_render_pick(scree_render *r, const scree_camera *camera, int width, int height,
                               double x, double y, size_t *item, double *distance) {
  ARGUMENT_CHECK(r ? r->context : NULL, r && camera && item && distance);
  (void)r, (void)camera, (void)width, (void)height, (void)x, (void)y;
  *item = SIZE_MAX;
  *distance = 0.0;
  return SCREE_ERROR_UNSUPPORTED;
}

#endif

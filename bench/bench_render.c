/* A picture of many spheres: seconds for the tree and for the pixels of 1280 x 720 with soft
 * shadows, occlusion and the settings that `scree render` has by default. The spheres lie in a heap
 * (a cone with the slope of sand) on a ground, jittered, about as dense as a loose bed.
 *
 *   bench_render [--json] [--count N] [--samples N] [--threads N] [--out picture.png] */
#include "base/timer.h"
#include "scree/render.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double even(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}

/* Layers of a hexagonal lattice in a cone whose slope is 0.5. */
static size_t fill_heap(size_t count, const scree_shape *shape, scree_render_item *items) {
  const double r = 0.01, pitch = 2.06 * r;
  const double base = cbrt((double)count * 6.0 / 3.14159 * pitch * pitch * pitch * 0.72);
  uint64_t seed = 1;
  size_t n = 0;
  for (int layer = 0; n < count; layer++) {
    const double z = r + layer * 0.83 * pitch, edge = base - 2.0 * z;
    if (edge < pitch) break;
    for (double y = -edge; y <= edge && n < count; y += 0.866 * pitch)
      for (double x = -edge; x <= edge && n < count; x += pitch) {
        if (x * x + y * y > edge * edge) continue;
        const double s = 0.3 * r, tone = 0.85 + 0.15 * even(&seed);
        items[n] = (scree_render_item){
            .shape = shape,
            .position = {x + s * even(&seed), y + s * even(&seed), z + s * even(&seed)},
            .rotation = {1, 0, 0, 0},
            .colour = {(float)(0.878 * tone), (float)(0.62 * tone), (float)(0.22 * tone)}};
        n++;
      }
  }
  return n;
}

typedef struct times {
  double build, draw;
} times;

static scree_status measure(scree_context *context, const scree_render_scene *scene, int samples,
                            scree_image *image, times *t) {
  scree_render *render = NULL;
  scree_framing framing;
  scree_camera camera;
  scree_framing_begin(&framing, -1.0, 0.38, 0.5, (double)image->width / image->height, 0.06);
  scree_framing_add_scene(&framing, scene);
  scree_framing_end(&framing, &camera);
  scree_render_settings settings = scree_render_settings_default(&camera);
  if (samples > 0) settings.samples = samples;
  const double start = timer_now();
  scree_status status = scree_render_create(context, &render);
  if (!status) status = scree_render_set_scene(render, scene);
  const double built = timer_now();
  if (!status) status = scree_render_draw(render, &camera, &settings, image);
  t->build = built - start;
  t->draw = timer_now() - built;
  scree_render_destroy(render);
  return status;
}

static const char *value(int argc, char **argv, const char *name, const char *fallback) {
  for (int i = 1; i + 1 < argc; i++)
    if (strcmp(argv[i], name) == 0) return argv[i + 1];
  return fallback;
}

int main(int argc, char **argv) {
  bool json = false;
  for (int i = 1; i < argc; i++) json = json || strcmp(argv[i], "--json") == 0;
  scree_context_def def = scree_context_def_default();
  def.threads = atoi(value(argc, argv, "--threads", "0"));
  scree_context *context = scree_context_create(&def);
  const size_t count = (size_t)atol(value(argc, argv, "--count", "1000000"));
  const char *out = value(argc, argv, "--out", NULL);
  scree_shape *ball = NULL, *floor = NULL;
  scree_render_item *items = calloc(count + 1, sizeof *items);
  scree_image image = {0};
  times best = {INFINITY, INFINITY};
  if (!context || !items || scree_shape_create_sphere(context, 0.01, &ball) ||
      scree_shape_create_half_space(context, &floor) ||
      scree_image_create(context, 1280, 720, &image))
    return 1;
  const size_t n = fill_heap(count, ball, items);
  items[n] =
      (scree_render_item){.shape = floor, .rotation = {1, 0, 0, 0}, .colour = {0.9f, 0.9f, 0.9f}};
  scree_render_scene scene = {.item_count = n + 1, .items = items, .ground = true};
  scree_render_focus(n + 1, items, &scene.focus);
  scree_status status = SCREE_OK;
  for (int round = 0; round < 2 && !status; round++) {
    times t = {0};
    status = measure(context, &scene, atoi(value(argc, argv, "--samples", "0")), &image, &t);
    if (t.build + t.draw < best.build + best.draw) best = t;
  }
  if (!status && out) status = scree_image_save(&image, out);
  if (status)
    fprintf(stderr, "bench_render: %s\n", scree_context_message(context));
  else if (json)
    printf("{\"bench\":\"render\",\"unit\":\"s\",\"spheres\":%zu,\"pixels\":\"1280x720\","
           "\"build\":%.3f,\"draw\":%.3f,\"total\":%.3f}\n",
           n, best.build, best.draw, best.build + best.draw);
  else
    printf("%zu spheres, 1280x720: tree %.2f s, pixels %.2f s, together %.2f s\n", n, best.build,
           best.draw, best.build + best.draw);
  scree_image_clear(&image);
  free(items);
  scree_shape_destroy(ball);
  scree_shape_destroy(floor);
  scree_context_destroy(context);
  return status ? 1 : 0;
}

/* Pictures: rays against closed forms, the same bytes for any number of threads, what is seen of
 * glass, cuts and shadows, and requests that make no sense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scree/render.h"
#include "shape/span.h"
#include "tests/unit/shape/shape_random.h"

#define assert_near(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))

#ifdef SCREE_WITH_RENDER

static scree_render_item item_of(const scree_shape *s, pose p, float r, float g, float b) {
  scree_render_item item = {.shape = s, .colour = {r, g, b}};
  v3_store(item.position, p.position);
  item.rotation[0] = p.rotation.w, item.rotation[1] = p.rotation.x;
  item.rotation[2] = p.rotation.y, item.rotation[3] = p.rotation.z;
  return item;
}

static scree_camera look_at(v3 eye, v3 target) {
  scree_camera c = {.up = {0, 0, 1}, .field = 0.6};
  v3_store(c.eye, eye);
  v3_store(c.target, target);
  return c;
}

/* Where the middle of a pixel looks, found again from the camera. */
static v3 pixel_direction(const scree_camera *c, int width, int height, double x, double y) {
  const v3 w = v3_normalize(v3_sub(v3_load(c->target), v3_load(c->eye)));
  const v3 u = v3_normalize(v3_cross(w, v3_load(c->up))), v = v3_cross(u, w);
  const double t = tan(0.5 * c->field);
  const double a = t * width / height * (2 * x / width - 1), b = t * (1 - 2 * y / height);
  return v3_normalize(v3_add(w, v3_add(v3_scale(a, u), v3_scale(b, v))));
}

static shape *cube_mesh(scree_context *context, double h) {
  const double v[8][3] = {{-h, -h, -h}, {h, -h, -h}, {h, h, -h}, {-h, h, -h},
                          {-h, -h, h},  {h, -h, h},  {h, h, h},  {-h, h, h}};
  const uint32_t t[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                             {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
  shape *s = NULL;
  scree_shape_create_mesh(context, 8, v[0], 12, t[0], &s);
  return s;
}

/* Far from the world's origin, so that single precision alone would fail. */
static const v3 AWAY = {1e5, -2e5, 3e4};

static void test_rays_meet_shapes(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_render *render = NULL;
  assert_int_equal(scree_render_create(context, &render), SCREE_OK);
  uint64_t seed = 5;
  for (int kind = SCREE_SHAPE_SPHERE; kind <= SCREE_SHAPE_HALF_SPACE; kind++) {
    /* The last round: a mesh of a cube against the box. */
    const bool mesh = kind == SCREE_SHAPE_HALF_SPACE;
    shape *s = NULL, *drawn = NULL;
    if (mesh) {
      scree_shape_create_box(context, (double[3]){0.5, 0.5, 0.5}, &s);
      drawn = cube_mesh(context, 0.5);
    } else {
      s = random_shape(context, &seed, (scree_shape_kind)kind, 1.0);
      drawn = scree_shape_retain(s);
    }
    pose p = random_pose(&seed, 0.3);
    p.position = v3_add(p.position, AWAY);
    const scree_render_item item = item_of(drawn, p, 1, 0, 0);
    scree_render_scene scene = {.item_count = 1, .items = &item};
    assert_true(scree_render_focus(1, &item, &scene.focus));
    assert_int_equal(scree_render_set_scene(render, &scene), SCREE_OK);
    const scree_camera c = look_at(v3_add(AWAY, (v3){4, -3, 2}), AWAY);
    int met = 0, missed = 0;
    for (int y = 0; y < 40; y++)
      for (int x = 0; x < 60; x++) {
        const v3 d = pixel_direction(&c, 60, 40, x + 0.5, y + 0.5);
        shape_span span;
        const bool hit = shape_find_span(s, pose_apply_inverse(p, v3_load(c.eye)),
                                         quat_rotate_inverse(p.rotation, d), &span);
        size_t found;
        double t;
        assert_int_equal(scree_render_pick(render, &c, 60, 40, x + 0.5, y + 0.5, &found, &t),
                         SCREE_OK);
        /* At the very edge single precision may differ. */
        if (hit && span.out.t - span.in.t < 1e-2) continue;
        if (!hit && found == 0) continue;
        met += hit;
        missed += !hit;
        assert_int_equal(found == 0, hit);
        if (hit) assert_near(t, span.in.t, 2e-4);
      }
    assert_true(met > 25 && missed > 50);
    scree_shape_destroy(s);
    scree_shape_destroy(drawn);
  }
  scree_render_destroy(render);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

enum { WIDTH = 120, HEIGHT = 80, ITEMS = 10 };

typedef struct stage {
  scree_context *context;
  scree_render *render;
  scree_shape *shapes[ITEMS];
  scree_render_item items[ITEMS];
  scree_render_scene scene;
  scree_camera camera;
} stage;

/* One of everything on a floor, in a bin. */
static void set_stage(stage *g, int threads) {
  scree_context_def def = scree_context_def_default();
  def.threads = threads;
  *g = (stage){.context = scree_context_create(&def)};
  scree_context *c = g->context;
  uint64_t seed = 9;
  for (int i = 0; i <= SCREE_SHAPE_HULL; i++)
    g->shapes[i] = random_shape(c, &seed, (scree_shape_kind)i, 0.4);
  scree_shape_create_half_space(c, &g->shapes[7]);
  scree_shape_create_cylinder_container(c, 1.6, 0.6, SCREE_OPEN_TOP, &g->shapes[8]);
  g->shapes[9] = cube_mesh(c, 0.2);
  for (int i = 0; i < ITEMS; i++) {
    pose p = random_pose(&seed, 0.8);
    p.position.z = 0.5 + 0.2 * p.position.z;
    if (i == 7) p = (pose){{0, 0, -0.1}, {1, 0, 0, 0}};
    if (i == 8) p = (pose){{0, 0, 0.5}, {1, 0, 0, 0}};
    g->items[i] = item_of(g->shapes[i], p, 0.9f, 0.5f, 0.1f);
  }
  g->items[2].appearance = SCREE_APPEARANCE_GHOST;
  g->items[8].appearance = SCREE_APPEARANCE_WALL;
  g->scene = (scree_render_scene){.item_count = ITEMS, .items = g->items, .ground = true};
  scree_render_focus(ITEMS, g->items, &g->scene.focus);
  scree_framing f;
  scree_framing_begin(&f, -1.0, 0.4, 0.5, (double)WIDTH / HEIGHT, 0.06);
  scree_framing_add_scene(&f, &g->scene);
  scree_framing_end(&f, &g->camera);
  assert_int_equal(scree_render_create(c, &g->render), SCREE_OK);
}

static void clear_stage(stage *g) {
  scree_render_destroy(g->render);
  for (int i = 0; i < ITEMS; i++) scree_shape_destroy(g->shapes[i]);
  assert_int_equal(scree_context_bytes(g->context), 0);
  scree_context_destroy(g->context);
}

static scree_image draw(stage *g, const scree_render_settings *settings) {
  scree_image image;
  assert_int_equal(scree_image_create(g->context, WIDTH, HEIGHT, &image), SCREE_OK);
  assert_int_equal(scree_render_set_scene(g->render, &g->scene), SCREE_OK);
  assert_int_equal(scree_render_draw(g->render, &g->camera, settings, &image), SCREE_OK);
  return image;
}

static void test_threads_give_the_same_bytes(void **state) {
  (void)state;
  const scree_render_link link = {{-0.5, 0, 0.3}, {0.6, 0.2, 0.9}, 0.05, {0.2f, 0.9f, 0.3f}};
  const scree_render_cut cut = {1, {{1, 0.2, 0}}, {0.3}};
  scree_image first = {0};
  stage keep = {0};
  for (int threads = 1; threads <= 4; threads++) {
    stage g;
    set_stage(&g, threads);
    scree_render_settings s = scree_render_settings_default(&g.camera);
    s.samples = 5;
    g.scene.link_count = g.scene.cut_count = 1;
    g.scene.links = &link;
    g.scene.cuts = &cut;
    scree_image image = draw(&g, &s);
    if (threads == 1) {
      first = image;
      keep = g;
      continue;
    }
    assert_memory_equal(first.pixels, image.pixels, 3 * WIDTH * HEIGHT);
    scree_image_clear(&image);
    clear_stage(&g);
  }
  scree_image_clear(&first);
  clear_stage(&keep);
}

/* Embree's threads and kernels must not change how the caller's numbers round: tiny numbers are
 * still numbers, and rounding is to the nearest. */
static void test_arithmetic_is_untouched(void **state) {
  (void)state;
  stage g;
  set_stage(&g, 2);
  scree_render_settings s = scree_render_settings_default(&g.camera);
  s.samples = 2;
  const int rounding = fegetround();
  scree_image image = draw(&g, &s);
  volatile double tiny = 1e-310, third = 1.0;
  double sums[64];
  assert_int_equal(fegetround(), rounding);
  assert_true(tiny * 0.5 > 0.0);
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 64; i++) sums[i] = tiny * 0.5;
  for (int i = 0; i < 64; i++) assert_true(sums[i] > 0.0);
  assert_true(third / 3.0 == 0x1.5555555555555p-2);
  scree_image_clear(&image);
  clear_stage(&g);
}

static int colourfulness(const scree_image *image, int x, int y) {
  const uint8_t *p = image->pixels + 3 * (y * image->width + x);
  const int most = p[0] > p[1] ? (p[0] > p[2] ? p[0] : p[2]) : (p[1] > p[2] ? p[1] : p[2]);
  const int least = p[0] < p[1] ? (p[0] < p[2] ? p[0] : p[2]) : (p[1] < p[2] ? p[1] : p[2]);
  return most - least;
}

static void test_the_scene_is_seen_whole(void **state) {
  (void)state;
  stage g;
  set_stage(&g, 0);
  for (int back = 0; back < SCREE_BACKGROUND_COUNT; back++) {
    scree_render_settings s = scree_render_settings_default(&g.camera);
    s.background = (scree_background)back;
    s.samples = 4;
    scree_image image = draw(&g, &s);
    int bodies = 0, dark = 0;
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++) {
        const bool body = colourfulness(&image, x, y) > 60;
        const uint8_t *p = image.pixels + 3 * (y * WIDTH + x);
        bodies += body;
        dark += p[0] < 8 && p[1] < 8 && p[2] < 8;
        if (x < 2 || y < 2 || x >= WIDTH - 2 || y >= HEIGHT - 2) assert_false(body);
      }
    assert_true(bodies > WIDTH * HEIGHT / 40 && bodies < WIDTH * HEIGHT / 2);
    assert_true(dark < WIDTH * HEIGHT / 20);
    scree_image_clear(&image);
  }
  clear_stage(&g);
}

static int tone(const scree_image *image, int x, int y) {
  const uint8_t *p = image->pixels + 3 * (y * image->width + x);
  return p[0] + p[1] + p[2];
}

/* A ball above the ground, light from straight above: its shadow is below it and soft. */
/* The distance from which all of a row of balls is seen, with these cuts. */
static double distance_to_row(const scree_render_cut *cuts, size_t count, double *target) {
  scree_context *c = scree_context_create(NULL);
  scree_shape *ball;
  scree_shape_create_sphere(c, 0.1, &ball);
  scree_render_item items[10];
  for (int i = 0; i < 10; i++)
    items[i] = item_of(ball, (pose){{0.2 * i, 0, 0.1}, {1, 0, 0, 0}}, 0.9f, 0.5f, 0.1f);
  scree_render_scene scene = {.item_count = 10, .items = items, .cut_count = count, .cuts = cuts};
  scree_render_focus(10, items, &scene.focus);
  scree_framing f;
  scree_camera camera;
  scree_framing_begin(&f, -1.5, 0.4, 0.5, 1.6, 0.06);
  scree_framing_add_scene(&f, &scene);
  assert_true(scree_framing_end(&f, &camera));
  *target = camera.target[0];
  scree_shape_destroy(ball);
  scree_context_destroy(c);
  return v3_norm(v3_sub(v3_load(camera.eye), v3_load(camera.target)));
}

static void test_the_camera_frames_what_cuts_leave(void **state) {
  (void)state;
  const scree_render_cut half = {1, {{1, 0, 0}}, {0.5}},
                         corner = {2, {{1, 0, 0}, {0, 1, 0}}, {0.5, 0}},
                         far = {2, {{1, 0, 0}, {0, 1, 0}}, {0.5, -1}};
  double whole_at, half_at, corner_at, far_at;
  const double whole = distance_to_row(NULL, 0, &whole_at),
               near = distance_to_row(&half, 1, &half_at);
  assert_true(fabs(whole_at - 0.9) < 0.1);
  assert_true(fabs(half_at - 0.2) < 0.1);
  assert_true(near < 0.5 * whole);
  /* Half of each ball is left, or none of those that lie beyond. */
  assert_true(distance_to_row(&corner, 1, &corner_at) > 0.9 * whole);
  assert_true(distance_to_row(&far, 1, &far_at) < 0.6 * whole);
}

static void test_shadow(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_render *render = NULL;
  scree_shape *ball = NULL, *floor = NULL;
  scree_shape_create_sphere(context, 0.3, &ball);
  scree_shape_create_half_space(context, &floor);
  const pose high = {{0, 0, 2}, {1, 0, 0, 0}};
  const scree_render_item items[2] = {item_of(ball, high, 1, 0, 0),
                                      item_of(floor, pose_identity(), 1, 1, 1)};
  const scree_render_scene scene = {
      .item_count = 2, .items = items, .focus = {{-1, -1, 0}, {1, 1, 2}}};
  /* Level with the ball, so that it is not in the way. */
  const scree_camera c = look_at((v3){0, -4, 1.2}, (v3){0, 0, 0});
  scree_render_settings s = scree_render_settings_default(&c);
  s.light_elevation = 1.5707;
  s.samples = 32;
  s.grid = false;
  assert_int_equal(scree_render_create(context, &render), SCREE_OK);
  assert_int_equal(scree_render_set_scene(render, &scene), SCREE_OK);
  scree_image with, without;
  scree_image_create(context, 90, 60, &with);
  scree_image_create(context, 90, 60, &without);
  assert_int_equal(scree_render_draw(render, &c, &s, &with), SCREE_OK);
  s.shadows = s.occlusion = false;
  assert_int_equal(scree_render_draw(render, &c, &s, &without), SCREE_OK);
  assert_true(tone(&with, 45, 30) < tone(&without, 45, 30) - 120);
  assert_true(abs(tone(&with, 4, 30) - tone(&without, 4, 30)) < 40);
  /* Without anything in the way the ground is the background. */
  assert_true(abs(tone(&without, 45, 30) - tone(&without, 45, 33)) < 12);
  scree_image_clear(&with);
  scree_image_clear(&without);
  scree_render_destroy(render);
  scree_shape_destroy(ball);
  scree_shape_destroy(floor);
  scree_context_destroy(context);
}

static void pick(scree_render *render, double *t, size_t *item) {
  const scree_camera c = look_at((v3){5, 0, 0}, (v3){0, 0, 0});
  assert_int_equal(scree_render_pick(render, &c, 31, 31, 15.5, 15.5, item, t), SCREE_OK);
}

/* From x = 5 along -x through a ball of radius 1 in the middle. */
static void test_cuts(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_render *render = NULL;
  scree_shape *ball = NULL;
  scree_shape_create_sphere(context, 1.0, &ball);
  scree_render_item item = item_of(ball, pose_identity(), 1, 0, 0);
  const struct {
    size_t count;
    scree_render_cut cuts[2];
    double distance; /* infinite: nothing is left there */
  } cases[] = {
      {0, {{0}}, 4.0},
      {1, {{1, {{1, 0, 0}}, {0.25}}}, 4.75},
      {1, {{1, {{-1, 0, 0}}, {0.25}}}, 4.0},
      {1, {{1, {{2, 0, 0}}, {-4.0}}}, INFINITY},
      {1, {{2, {{1, 0, 0}, {0, 0, 1}}, {0.5, -0.1}}}, 4.5},
      {1, {{2, {{1, 0, 0}, {0, 0, 1}}, {0.5, 0.1}}}, 4.0},
      {2, {{1, {{1, 0, 0}}, {0.5}}, {2, {{1, 0, 0}, {0, 1, 0}}, {-0.5, -9}}}, 5.5},
      {2, {{1, {{1, 0, 0}}, {0.5}}, {1, {{-1, 0, 0}}, {-0.5}}}, INFINITY},
  };
  assert_int_equal(scree_render_create(context, &render), SCREE_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const scree_render_scene scene = {.item_count = 1,
                                      .items = &item,
                                      .cut_count = cases[i].count,
                                      .cuts = cases[i].cuts,
                                      .focus = {{-1, -1, -1}, {1, 1, 1}}};
    double t;
    size_t found;
    assert_int_equal(scree_render_set_scene(render, &scene), SCREE_OK);
    pick(render, &t, &found);
    assert_int_equal(found == 0, isfinite(cases[i].distance));
    if (isfinite(cases[i].distance)) assert_near(t, cases[i].distance, 1e-4);
  }
  scree_render_destroy(render);
  scree_shape_destroy(ball);
  scree_context_destroy(context);
}

/* Glass is met first, and what is behind it is still seen; from inside the wall is solid. */
static void test_glass(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_render *render = NULL;
  scree_shape *ball = NULL, *bin = NULL;
  scree_shape_create_sphere(context, 0.5, &ball);
  scree_shape_create_box_container(context, (double[3]){1, 1, 1}, SCREE_OPEN_TOP, &bin);
  const scree_render_item items[2] = {item_of(ball, pose_identity(), 0.9f, 0.1f, 0.1f),
                                      item_of(bin, pose_identity(), 0.8f, 0.8f, 0.8f)};
  const scree_render_scene scene = {
      .item_count = 2, .items = items, .focus = {{-1, -1, -1}, {1, 1, 1}}};
  assert_int_equal(scree_render_create(context, &render), SCREE_OK);
  assert_int_equal(scree_render_set_scene(render, &scene), SCREE_OK);
  double t;
  size_t found;
  pick(render, &t, &found);
  assert_int_equal(found, 1);
  assert_near(t, 4.0, 1e-4);
  const scree_camera c = look_at((v3){5, 0, 0}, (v3){0, 0, 0});
  scree_render_settings s = scree_render_settings_default(&c);
  scree_image image;
  scree_image_create(context, 31, 31, &image);
  assert_int_equal(scree_render_draw(render, &c, &s, &image), SCREE_OK);
  const uint8_t *p = image.pixels + 3 * (15 * 31 + 15);
  assert_true(p[0] > 2 * p[1] && p[0] > 2 * p[2]);
  scree_image_clear(&image);
  scree_render_destroy(render);
  scree_shape_destroy(ball);
  scree_shape_destroy(bin);
  scree_context_destroy(context);
}

static void test_refusals(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_render *render = NULL;
  scree_shape *ball = NULL;
  scree_image image;
  scree_shape_create_sphere(context, 0.5, &ball);
  scree_image_create(context, 8, 8, &image);
  assert_int_equal(scree_render_create(context, &render), SCREE_OK);
  scree_camera c = look_at((v3){5, 0, 0}, (v3){0, 0, 0});
  scree_render_settings s = scree_render_settings_default(&c);
  assert_int_equal(scree_render_draw(render, &c, &s, &image), SCREE_ERROR_ARGUMENT);
  scree_render_item item = item_of(ball, pose_identity(), 1, 1, 1);
  scree_render_scene scene = {.item_count = 1, .items = &item};
  assert_int_equal(scree_render_set_scene(render, &scene), SCREE_ERROR_ARGUMENT);
  scene.focus = (scree_box){{-1, -1, -1}, {1, 1, 1}};
  item.position[1] = NAN;
  assert_int_equal(scree_render_set_scene(render, &scene), SCREE_ERROR_ARGUMENT);
  item.position[1] = 0;
  const scree_render_link link = {{0, 0, 0}, {NAN, 0, 0}, 0.1, {1, 1, 1}};
  scene.links = &link;
  scene.link_count = 1;
  assert_int_equal(scree_render_set_scene(render, &scene), SCREE_ERROR_ARGUMENT);
  scene.link_count = 0;
  const scree_render_cut cut = {1, {{0, 0, 0}}, {0}};
  scene.cuts = &cut;
  scene.cut_count = 1;
  assert_int_equal(scree_render_set_scene(render, &scene), SCREE_ERROR_ARGUMENT);
  scene.cut_count = 0;
  assert_int_equal(scree_render_set_scene(render, &scene), SCREE_OK);
  s.samples = 0;
  assert_int_equal(scree_render_draw(render, &c, &s, &image), SCREE_ERROR_ARGUMENT);
  s.samples = 1;
  c.up[0] = 1, c.up[2] = 0;
  assert_int_equal(scree_render_draw(render, &c, &s, &image), SCREE_ERROR_ARGUMENT);
  assert_true(strlen(scree_context_message(context)) > 20);
  scree_image_clear(&image);
  assert_int_equal(scree_image_create(context, 0, 5, &image), SCREE_ERROR_ARGUMENT);
  assert_int_equal(scree_image_create(context, 5, 1 << 20, &image), SCREE_ERROR_ARGUMENT);
  scree_render_destroy(render);
  scree_shape_destroy(ball);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rays_meet_shapes),
      cmocka_unit_test(test_threads_give_the_same_bytes),
      cmocka_unit_test(test_arithmetic_is_untouched),
      cmocka_unit_test(test_the_scene_is_seen_whole),
      cmocka_unit_test(test_the_camera_frames_what_cuts_leave),
      cmocka_unit_test(test_shadow),
      cmocka_unit_test(test_cuts),
      cmocka_unit_test(test_glass),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
  return 0;
}

#endif

/* `scree render`: pictures, sheets of pictures and films of a recording. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/timer.h"
#include "cli/file.h"
#include "cli/film.h"
#include "cli/picture.h"
#include "cli/render_options.h"

enum { SURVEY_LIMIT = 40 };

typedef struct studio {
  scree_context *context;
  const render_options *options;
  picture picture;
  scree_render *render;
  scree_camera camera; /* at the start of a film */
  double offset[3];    /* from the target to the eye */
  scree_render_settings settings;
  scree_render_cut cuts[SCREE_CUT_LIMIT];
  double strip; /* share of the width that the legend takes */
  double first_time, last_time;
  size_t pictures;
} studio;

static int fail(const studio *s, scree_status status) {
  return cli_fail(cli_code(status), "%s", scree_context_message(s->context));
}

/* ---- which moments -------------------------------------------------------------------------- */

static int find_span(studio *s, double *start, double *stop) {
  const render_options *o = s->options;
  int code = picture_frame_time(&s->picture, 0, &s->first_time);
  if (!code)
    code = picture_frame_time(&s->picture, picture_frame_count(&s->picture) - 1, &s->last_time);
  if (code) return code;
  *start = fmax(o->start, s->first_time);
  *stop = fmin(o->stop, s->last_time);
  if (*start > *stop)
    return cli_fail(CLI_USAGE, "--start and --stop leave nothing: the recording is from %g to %g s",
                    s->first_time, s->last_time);
  return CLI_OK;
}

static int find_still(studio *s, size_t *frame) {
  const render_options *o = s->options;
  const size_t count = picture_frame_count(&s->picture);
  double start, stop;
  if (o->frame >= 0 && (size_t)o->frame >= count)
    return cli_fail(CLI_USAGE, "--frame %ld: the recording has frames 0 to %zu", o->frame,
                    count - 1);
  *frame = o->frame < 0 ? count - 1 : (size_t)o->frame;
  int code = find_span(s, &start, &stop);
  if (code || !o->has_time) return code;
  const double slack = 1e-9 + 1e-6 * fabs(s->last_time);
  if (o->time < s->first_time - slack || o->time > s->last_time + slack)
    return cli_fail(CLI_USAGE, "--time %g: the recording is from %g to %g s", o->time,
                    s->first_time, s->last_time);
  return picture_find_time(&s->picture, o->time, frame);
}

/* Frames nearest to `count` even times. */
static int find_even(studio *s, double start, double stop, size_t count, size_t *frames) {
  int code = CLI_OK;
  for (size_t i = 0; i < count && !code; i++) {
    const double share = count > 1 ? (double)i / (double)(count - 1) : 1.0;
    code = picture_find_time(&s->picture, start + share * (stop - start), &frames[i]);
  }
  return code;
}

/* ---- camera --------------------------------------------------------------------------------- */

/* A cut is looked into; long rows are seen from their broad side, flat layers from higher up. */
static void choose_direction(const studio *s, double *azimuth, double *elevation) {
  const scree_box *f = &s->picture.focus;
  const double x = f->upper[0] - f->lower[0], y = f->upper[1] - f->lower[1],
               z = f->upper[2] - f->lower[2];
  *azimuth = s->options->view.azimuth;
  *elevation = s->options->view.elevation;
  const render_side *cut = s->options->section_count ? s->options->sections[0].side : NULL;
  if (isnan(*azimuth) && cut && s->options->sections[0].count == 1 && cut->axis < 2)
    *azimuth = cut->axis == 0 ? (cut->sign < 0 ? 3.6 : -0.45) : (cut->sign > 0 ? 1.12 : -1.12);
  if (isnan(*elevation) && cut && cut->axis == 2) *elevation = 0.7;
  if (isnan(*azimuth)) *azimuth = x > 2.0 * y ? -1.2 : y > 2.0 * x ? -0.37 : -1.0;
  if (isnan(*elevation)) *elevation = z < 0.25 * fmax(x, y) ? 0.52 : 0.38;
}

/* Those that take away the side of the camera know it by the direction to the eye. */
static void place_cuts(studio *s, const double out[3]) {
  for (size_t i = 0; i < s->options->section_count; i++) {
    const render_section *section = &s->options->sections[i];
    scree_render_cut *cut = &s->cuts[i];
    *cut = (scree_render_cut){.count = section->count};
    for (size_t k = 0; k < section->count; k++) {
      const render_side *side = &section->side[k];
      const double sign = side->sign ? side->sign : out[side->axis] >= 0.0 ? 1.0 : -1.0;
      cut->normal[k][side->axis] = sign;
      cut->offset[k] = sign * side->value;
    }
  }
}

static scree_render_scene cut_scene(const studio *s) {
  scree_render_scene scene = picture_scene(&s->picture);
  scene.cut_count = s->options->section_count;
  scene.cuts = s->cuts;
  return scene;
}

static int frame_all(studio *s, size_t count, const size_t *frames, int width, int height) {
  const render_view *v = &s->options->view;
  double azimuth, elevation;
  scree_framing framing;
  choose_direction(s, &azimuth, &elevation);
  const double out[3] = {cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth),
                         sin(elevation)};
  place_cuts(s, out);
  scree_framing_begin(&framing, azimuth, elevation, v->field,
                      (1.0 - s->strip) * (double)width / (double)height, 0.06);
  for (size_t i = 0; i < count; i++) {
    const int code = picture_load(&s->picture, frames[i], 0.0);
    if (code) return code;
    const scree_render_scene scene = cut_scene(s);
    scree_framing_add_scene(&framing, &scene);
  }
  if (!scree_framing_end(&framing, &s->camera)) {
    scree_framing_add_box(&framing, &s->picture.focus);
    scree_framing_end(&framing, &s->camera);
  }
  s->camera.shift[0] = -0.5 * s->strip;
  return CLI_OK;
}

static int aim(studio *s) {
  const render_view *v = &s->options->view;
  double length = 0.0;
  for (int k = 0; k < 3; k++) {
    s->offset[k] = s->camera.eye[k] - s->camera.target[k];
    length += s->offset[k] * s->offset[k];
  }
  length = sqrt(length);
  double distance = v->distance > 0.0 ? v->distance : length;
  size_t item;
  if (*v->follow) {
    if (!scree_scene_find_body(s->picture.scene, v->follow).generation)
      return cli_fail(CLI_USAGE, "--camera follow=%s: the scene has no body of that name",
                      v->follow);
    if (picture_find_body(&s->picture, v->follow, &item) && !(v->distance > 0.0) &&
        isfinite(s->picture.bodies[item].diameter))
      distance = fmin(distance, 14.0 * s->picture.bodies[item].diameter);
  }
  for (int k = 0; k < 3; k++) {
    s->offset[k] *= distance / (v->zoom * length);
    if (!isnan(v->target[k])) s->camera.target[k] = v->target[k];
    s->camera.eye[k] = s->camera.target[k] + s->offset[k];
  }
  if (!isnan(v->target[0]) || *v->follow) s->camera.shift[0] = -0.5 * s->strip;
  return CLI_OK;
}

/* The camera of a moment: turned by the film's time, after the body it follows. */
static scree_camera camera_at(const studio *s, double film_time) {
  scree_camera c = s->camera;
  size_t item;
  if (*s->options->view.follow && picture_find_body(&s->picture, s->options->view.follow, &item))
    memcpy(c.target, s->picture.items[item].position, sizeof c.target);
  const double a = s->options->view.turn * film_time;
  const double x = s->offset[0] * cos(a) - s->offset[1] * sin(a),
               y = s->offset[0] * sin(a) + s->offset[1] * cos(a);
  c.eye[0] = c.target[0] + x;
  c.eye[1] = c.target[1] + y;
  c.eye[2] = c.target[2] + s->offset[2];
  c.up[0] = c.up[1] = 0.0;
  c.up[2] = 1.0;
  return c;
}

/* What holds for all pictures, after the survey: legend, camera, light. */
static int prepare(studio *s, size_t count, const size_t *frames, int width, int height) {
  const render_options *o = s->options;
  scree_legend legend;
  s->strip = o->legend && picture_legend(&s->picture, &legend)
                 ? scree_legend_width(&legend, o->width, o->height)
                 : 0.0;
  if (o->mode == RENDER_SHEET) s->strip = 0.0;
  int code = frame_all(s, count, frames, width, height);
  if (!code) code = aim(s);
  if (code) return code;
  s->settings = scree_render_settings_default(&s->camera);
  s->settings.samples = (int)o->samples;
  s->settings.background = (scree_background)o->background;
  s->settings.grid = o->grid;
  s->settings.stop = cli_interrupted;
  s->settings.shadows = s->settings.occlusion = o->shadows;
  const scree_status status = scree_render_create(s->context, &s->render);
  return status ? fail(s, status) : CLI_OK;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static int draw(studio *s, double film_time, scree_image *image) {
  scree_render_scene scene = cut_scene(s);
  scene.ground = s->options->ground;
  const scree_camera camera = camera_at(s, film_time);
  scree_status status = scree_render_set_scene(s->render, &scene);
  if (!status) status = scree_render_draw(s->render, &camera, &s->settings, image);
  if (status) return fail(s, status);
  if (cli_interrupted()) {
    if (s->options->mode != RENDER_FILM) cli_note("interrupted; no picture was written");
    return CLI_INTERRUPTED;
  }
  const char *caption = s->options->caption;
  char text[64];
  if (strcmp(caption, "time") == 0) {
    snprintf(text, sizeof text, "t = %.3f s", s->picture.time);
    caption = text;
  }
  if (strcmp(caption, "none") != 0) scree_image_caption(image, 2, caption, s->settings.background);
  s->pictures++;
  return CLI_OK;
}

static void put_legend(studio *s, scree_image *image) {
  scree_legend legend;
  if (s->options->legend && picture_legend(&s->picture, &legend))
    scree_image_legend(image, &legend, s->settings.background);
}

static int save(studio *s, const scree_image *image) {
  const scree_status status = scree_image_save(image, s->options->out);
  return status ? fail(s, status) : CLI_OK;
}

static int draw_still(studio *s, scree_image *image) {
  size_t frame = 0;
  int code = find_still(s, &frame);
  if (!code) code = picture_survey(&s->picture, 1, &frame);
  if (!code) code = prepare(s, 1, &frame, s->options->width, s->options->height);
  if (!code) code = picture_load(&s->picture, frame, 0.0);
  if (!code) code = draw(s, 0.0, image);
  if (code) return code;
  put_legend(s, image);
  return save(s, image);
}

/* ---- sheet ---------------------------------------------------------------------------------- */

static int draw_cells(studio *s, const size_t *frames, size_t count, size_t columns, int width,
                      int height, scree_image *image) {
  scree_image cell = {0};
  const scree_status status = scree_image_create(s->context, width, height, &cell);
  int code = status ? fail(s, status) : CLI_OK;
  for (size_t i = 0; i < count && !code; i++) {
    code = picture_load(&s->picture, frames[i], 0.0);
    if (!code) code = draw(s, 0.0, &cell);
    if (!code)
      scree_image_paste(image, &cell, (int)(i % columns) * (width + 2),
                        (int)(i / columns) * (height + 2));
    if (!code && cli_interrupted()) code = CLI_INTERRUPTED;
  }
  scree_image_clear(&cell);
  return code;
}

static int draw_sheet(studio *s, scree_image *image) {
  const render_options *o = s->options;
  const size_t count = (size_t)o->sheet;
  const size_t columns = (size_t)ceil(sqrt((double)count)), rows = (count + columns - 1) / columns;
  size_t *frames = calloc(count, sizeof *frames);
  double start = 0.0, stop = 0.0;
  int code = frames ? find_span(s, &start, &stop) : cli_fail(CLI_INTERNAL, "out of memory");
  if (!code) code = find_even(s, start, stop, count, frames);
  if (!code) code = picture_survey(&s->picture, count, frames);
  if (!code) {
    /* The legend stands beside the cells. */
    static const scree_colour paper[] = {
        {0.955f, 0.957f, 0.96f}, {1, 1, 1}, {0.06f, 0.067f, 0.08f}};
    scree_legend legend;
    double strip = 0.0;
    if (o->legend && picture_legend(&s->picture, &legend))
      strip = scree_legend_width(&legend, o->width, o->height);
    const int width = (int)((1.0 - strip) * o->width - 2.0 * (double)(columns - 1)) / (int)columns;
    const int height = (o->height - 2 * (int)(rows - 1)) / (int)rows;
    if (width < 16 || height < 16)
      code = cli_fail(CLI_USAGE, "--size %dx%d is too small for %zu pictures", o->width, o->height,
                      count);
    scree_image_fill(image, paper[o->background]);
    if (!code) code = prepare(s, count, frames, width, height);
    if (!code) code = draw_cells(s, frames, count, columns, width, height, image);
    if (!code) put_legend(s, image);
  }
  if (!code) code = save(s, image);
  free(frames);
  return code;
}

/* ---- film ----------------------------------------------------------------------------------- */

typedef struct progress {
  bool terminal, shown;
  double start, last;
} progress;

static void show_progress(progress *p, size_t done, size_t total) {
  enum { WIDTH = 40 };
  const double now = timer_now();
  if (now - p->last < (p->terminal ? 0.1 : 10.0)) return;
  p->last = now;
  const double left = (now - p->start) * (double)(total - done) / (double)done;
  if (p->terminal) {
    char bar[WIDTH + 1];
    const size_t full = done * WIDTH / total;
    for (size_t i = 0; i < WIDTH; i++) bar[i] = i < full ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %3zu %%  picture %zu of %zu  ETA %.0f s   ", bar, 100 * done / total,
            done, total, left);
    fflush(stderr);
    p->shown = true;
  } else {
    cli_note("picture %zu of %zu, ETA %.0f s", done, total, left);
  }
}

static int draw_film(studio *s, scree_image *image) {
  const render_options *o = s->options;
  double start, stop, before = 0.0, after = 0.0;
  size_t frames[SURVEY_LIMIT], at = 0;
  const size_t last = picture_frame_count(&s->picture) - 1;
  int code = find_span(s, &start, &stop);
  const size_t survey = last + 1 < SURVEY_LIMIT ? last + 1 : SURVEY_LIMIT;
  if (!code) code = find_even(s, start, stop, survey, frames);
  if (code) return code;
  const size_t total = 1 + (size_t)floor((stop - start) / o->speed * o->fps + 1e-6);
  film f;
  progress p = {.terminal = isatty(fileno(stderr)), .start = timer_now()};
  p.last = p.start;
  code = film_begin(&f, o->out, o->width, o->height, o->fps);
  if (code) return code;
  code = picture_survey(&s->picture, survey, frames);
  if (!code) code = prepare(s, survey, frames, o->width, o->height);
  if (!code) code = picture_frame_time(&s->picture, 0, &before);
  if (!code && last > 0) code = picture_frame_time(&s->picture, 1, &after);
  for (size_t i = 0; i < total && !code; i++) {
    const double time = fmin(stop, start + (double)i * o->speed / o->fps);
    while (!code && at < last && after <= time) {
      at++;
      before = after;
      if (at < last) code = picture_frame_time(&s->picture, at + 1, &after);
    }
    const double share = at < last && after > before
                             ? fmin(1.0, fmax(0.0, (time - before) / (after - before)))
                             : 0.0;
    if (!code) code = picture_load(&s->picture, at, share);
    if (!code) code = draw(s, (double)i / o->fps, image);
    if (!code) put_legend(s, image);
    if (!code) code = film_add(&f, image);
    if (!code) show_progress(&p, i + 1, total);
    if (code == CLI_INTERRUPTED || (!code && cli_interrupted())) {
      code = CLI_INTERRUPTED;
      if (p.shown) fprintf(stderr, "\r%-100s\r", "");
      p.shown = false;
      cli_note("interrupted; no film was written");
    }
  }
  if (p.shown) fprintf(stderr, "\r%-100s\r", "");
  const int ended = film_end(&f, code == CLI_OK);
  return code ? code : ended;
}

/* ---- the verb ------------------------------------------------------------------------------- */

static void report(const studio *s, const char *in, double seconds) {
  const render_options *o = s->options;
  if (!o->json) {
    printf("%s: %dx%d, ", o->out, o->width, o->height);
    if (s->pictures == 1)
      printf("t = %.4g s of %s", s->picture.time, in);
    else
      printf("%zu pictures of %s", s->pictures, in);
    printf(", %.3g s\n", seconds);
    return;
  }
  bool first = true;
  printf("{");
  json_text_member(stdout, &first, "recording", in);
  json_text_member(stdout, &first, "out", o->out);
  json_whole_member(stdout, &first, "width", o->width);
  json_whole_member(stdout, &first, "height", o->height);
  json_whole_member(stdout, &first, "pictures", (long long)s->pictures);
  json_real_member(stdout, &first, "time", s->picture.time);
  if (picture_has_range(&s->picture)) {
    json_real_member(stdout, &first, "least", s->picture.least);
    json_real_member(stdout, &first, "most", s->picture.most);
  }
  json_real_member(stdout, &first, "seconds", seconds);
  printf("}\n");
}

static int run(cli_args *args) {
  static const scree_look looks[] = {SCREE_LOOK_SOLID, SCREE_LOOK_GHOST, SCREE_LOOK_HIDDEN};
  static int (*const draws[])(studio *, scree_image *) = {
      [RENDER_STILL] = draw_still, [RENDER_SHEET] = draw_sheet, [RENDER_FILM] = draw_film};
  render_options o;
  int code = CLI_OK;
  if (!render_options_read(args, &o)) return CLI_USAGE;
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  const double start = timer_now();
  studio s = {.context = context,
              .options = &o,
              .picture = {.colour = o.colour,
                          .look = looks[o.bodies],
                          .chains = o.chains,
                          .ranged = o.ranged,
                          .least = o.least,
                          .most = o.most,
                          .map = o.map}};
  scree_image image = {0};
  cli_catch_interrupts();
  code = file_claim(args, o.out);
  if (!code) code = picture_open(&s.picture, context, args->operand[0]);
  if (!code) {
    const scree_status status = scree_image_create(context, o.width, o.height, &image);
    code = status ? fail(&s, status) : draws[o.mode](&s, &image);
  }
  if (!code) report(&s, args->operand[0], timer_now() - start);
  scree_image_clear(&image);
  scree_render_destroy(s.render);
  picture_close(&s.picture);
  scree_context_destroy(context);
  return code;
}

const cli_verb cli_verb_render = {
    .name = "render",
    .operands = "RECORDING",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "draw pictures and films of a recording",
    .details = "The camera sees all that moves; containers are glass in front. The same recording\n"
               "gives the same bytes for any number of threads. docs/rendering.md shows examples.",
    .flags = render_flags,
    .run = run,
};

/* `scree render`: pictures, sheets of pictures and films of a recording. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/timer.h"
#include "cli/file.h"
#include "cli/picture/film.h"
#include "cli/picture/render_options.h"

enum { SURVEY_LIMIT = 40 };

typedef struct studio {
  scree_context *context;
  const render_options *options;
  scree_recording *recording;
  scree_picture *picture;
  scree_render_settings settings;
  double first_time, last_time;
  size_t pictures;
} studio;

static int fail(const studio *s, scree_status status) {
  return cli_fail(cli_code(status), "%s", scree_context_message(s->context));
}

/* Calls on the picture, as exit codes. */
static int frame_time(studio *s, size_t frame, double *time) {
  const scree_status status = scree_picture_frame_time(s->picture, frame, time);
  return status ? fail(s, status) : CLI_OK;
}

static int find_time(studio *s, double time, size_t *frame) {
  const scree_status status = scree_picture_find_time(s->picture, time, frame);
  return status ? fail(s, status) : CLI_OK;
}

static int survey_frames(studio *s, size_t count, const size_t *frames) {
  const scree_status status = scree_picture_survey(s->picture, count, frames);
  return status ? fail(s, status) : CLI_OK;
}

static int load(studio *s, size_t frame, double share) {
  const scree_status status = scree_picture_load(s->picture, frame, share);
  return status ? fail(s, status) : CLI_OK;
}

/* ---- which moments -------------------------------------------------------------------------- */

static int find_span(studio *s, double *start, double *stop) {
  const render_options *o = s->options;
  int code = frame_time(s, 0, &s->first_time);
  if (!code) code = frame_time(s, scree_picture_frame_count(s->picture) - 1, &s->last_time);
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
  const size_t count = scree_picture_frame_count(s->picture);
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
  return find_time(s, o->time, frame);
}

/* Frames nearest to `count` even times. */
static int find_even(studio *s, double start, double stop, size_t count, size_t *frames) {
  int code = CLI_OK;
  for (size_t i = 0; i < count && !code; i++) {
    const double share = count > 1 ? (double)i / (double)(count - 1) : 1.0;
    code = find_time(s, start + share * (stop - start), &frames[i]);
  }
  return code;
}

/* What holds for all pictures, after the survey: legend, camera, light. */
static int prepare(studio *s, size_t count, const size_t *frames, int width, int height) {
  const render_options *o = s->options;
  const scree_status status =
      scree_picture_aim(s->picture, count, frames, width, height, o->mode != RENDER_SHEET);
  if (status) return fail(s, status);
  const scree_camera camera = scree_picture_get_camera(s->picture, 0.0);
  s->settings = scree_render_settings_default(&camera);
  s->settings.samples = (int)o->samples;
  s->settings.background = (scree_background)o->background;
  s->settings.grid = o->grid;
  s->settings.stop = cli_interrupted;
  s->settings.shadows = s->settings.occlusion = o->shadows;
  return CLI_OK;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static int draw(studio *s, double film_time, scree_image *image) {
  const scree_status status = scree_picture_draw(s->picture, film_time, &s->settings, image);
  if (status) return fail(s, status);
  if (cli_interrupted()) {
    if (s->options->mode != RENDER_FILM) cli_note("interrupted; no picture was written");
    return CLI_INTERRUPTED;
  }
  const char *caption = s->options->caption;
  char text[64];
  if (strcmp(caption, "time") == 0) {
    snprintf(text, sizeof text, "t = %.3f s", scree_picture_time(s->picture));
    caption = text;
  }
  if (strcmp(caption, "none") != 0) scree_image_caption(image, 2, caption, s->settings.background);
  s->pictures++;
  return CLI_OK;
}

static void put_legend(studio *s, scree_image *image) {
  scree_picture_put_legend(s->picture, s->settings.background, image);
}

static int save(studio *s, const scree_image *image) {
  const scree_status status = scree_image_save(image, s->options->out);
  return status ? fail(s, status) : CLI_OK;
}

static int draw_still(studio *s, scree_image *image) {
  size_t frame = 0, frames[SURVEY_LIMIT], count = 1;
  int code = find_still(s, &frame);
  /* The camera sees earlier poses and trails too, where they are drawn. */
  const bool past = s->options->ghosts || s->options->view.trails;
  if (past) count = frame + 1 < SURVEY_LIMIT ? frame + 1 : SURVEY_LIMIT;
  for (size_t i = 0; i < count; i++) frames[i] = count > 1 ? frame * i / (count - 1) : frame;
  if (!code) code = survey_frames(s, count, frames);
  if (!code) code = prepare(s, count, frames, s->options->width, s->options->height);
  if (!code) code = load(s, frame, 0.0);
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
    code = load(s, frames[i], 0.0);
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
  if (!code) code = survey_frames(s, count, frames);
  if (!code) {
    /* The legend stands beside the cells. */
    static const scree_colour paper[] = {
        {0.955f, 0.957f, 0.96f}, {1, 1, 1}, {0.06f, 0.067f, 0.08f}};
    scree_legend legend;
    double strip = 0.0;
    if (scree_picture_get_legend(s->picture, &legend))
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
  const size_t last = scree_picture_frame_count(s->picture) - 1;
  int code = find_span(s, &start, &stop);
  const size_t survey = last + 1 < SURVEY_LIMIT ? last + 1 : SURVEY_LIMIT;
  if (!code) code = find_even(s, start, stop, survey, frames);
  if (code) return code;
  const size_t total = 1 + (size_t)floor((stop - start) / o->speed * o->fps + 1e-6);
  film f;
  progress p = {.terminal = isatty(fileno(stderr)), .start = timer_now()};
  p.last = p.start;
  code = film_begin(&f, o->out, o->width, o->height, o->fps, o->samples == 1);
  if (code) return code;
  code = survey_frames(s, survey, frames);
  if (!code) code = prepare(s, survey, frames, o->width, o->height);
  if (!code) code = frame_time(s, 0, &before);
  if (!code && last > 0) code = frame_time(s, 1, &after);
  for (size_t i = 0; i < total && !code; i++) {
    const double time = fmin(stop, start + (double)i * o->speed / o->fps);
    while (!code && at < last && after <= time) {
      at++;
      before = after;
      if (at < last) code = frame_time(s, at + 1, &after);
    }
    const double share = at < last && after > before
                             ? fmin(1.0, fmax(0.0, (time - before) / (after - before)))
                             : 0.0;
    if (!code) code = load(s, at, share);
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
      printf("t = %.4g s of %s", scree_picture_time(s->picture), in);
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
  json_real_member(stdout, &first, "time", scree_picture_time(s->picture));
  double least, most;
  if (scree_picture_get_range(s->picture, &least, &most)) {
    json_real_member(stdout, &first, "least", least);
    json_real_member(stdout, &first, "most", most);
  }
  json_real_member(stdout, &first, "seconds", seconds);
  printf("}\n");
}

static int open_picture(studio *s, const char *path) {
  static const scree_appearance appearances[] = {SCREE_APPEARANCE_SOLID, SCREE_APPEARANCE_GHOST,
                                                 SCREE_APPEARANCE_HIDDEN};
  const render_options *o = s->options;
  scree_picture_def def = o->view;
  def.ghosts = (int)o->ghosts;
  def.colour = o->colour;
  def.appearance = appearances[o->bodies];
  def.chains = o->chains;
  def.ranged = o->ranged;
  def.least = o->least;
  def.most = o->most;
  def.map = o->map;
  def.legend = o->legend;
  def.ground = o->ground;
  def.follow = o->follow;
  def.section_count = o->section_count;
  def.sections = o->sections;
  scree_status status = scree_recording_open(s->context, path, &s->recording);
  if (!status) cli_remark(s->recording, path);
  if (!status) status = scree_picture_create(s->recording, path, &def, &s->picture);
  return status ? fail(s, status) : CLI_OK;
}

static int run(cli_args *args) {
  static int (*const draws[])(studio *, scree_image *) = {
      [RENDER_STILL] = draw_still, [RENDER_SHEET] = draw_sheet, [RENDER_FILM] = draw_film};
  render_options o;
  int code = CLI_OK;
  if (!render_options_read(args, &o)) return CLI_USAGE;
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  const double start = timer_now();
  studio s = {.context = context, .options = &o};
  scree_image image = {0};
  cli_catch_interrupts();
  code = file_claim(args, o.out);
  if (!code) code = open_picture(&s, args->operand[0]);
  if (!code) {
    const scree_status status = scree_image_create(context, o.width, o.height, &image);
    code = status ? fail(&s, status) : draws[o.mode](&s, &image);
  }
  if (!code) report(&s, args->operand[0], timer_now() - start);
  scree_image_clear(&image);
  scree_picture_destroy(s.picture);
  scree_recording_close(s.recording);
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

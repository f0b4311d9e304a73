/* `scree render`: pictures of a recording. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/file.h"
#include "cli/picture.h"

static const cli_flag flags[] = {
    {"out", "FILE", "the picture, .png; default: the recording's name with .png"},
    {"frame", "N|last", "which frame, from 0; default last"},
    {"size", "WxH", "pixels; default 1280x720"},
    {"samples", "N", "samples a pixel; default 12"},
    {"background", "studio|white|dark", "for the screen, for paper, for talks; default studio"},
    {"threads", "N", "threads; pictures do not depend on it"},
    {0},
};

typedef struct request {
  char out[4096];
  int width, height;
  long samples, frame; /* -1: last */
  int background;
} request;

static bool read_request(const cli_args *args, request *q) {
  *q = (request){.width = 1280, .height = 720, .samples = 12, .frame = -1};
  const char *in = args->operand[0], *size = cli_text(args, "size", "1280x720");
  const char *base = strrchr(in, '/'), *dot = strrchr(base ? base : in, '.');
  const char *out = cli_text(args, "out", NULL);
  int used = 0;
  if (sscanf(size, "%5dx%5d%n", &q->width, &q->height, &used) != 2 || size[used] || q->width < 16 ||
      q->height < 16 || q->width > 16384 || q->height > 16384) {
    cli_fail(CLI_USAGE, "--size wants WIDTHxHEIGHT, 16 to 16384 each, not '%s'", size);
    return false;
  }
  if (!cli_whole(args, "samples", 1, 4096, &q->samples)) return false;
  if (strcmp(cli_text(args, "frame", "last"), "last") != 0 &&
      !cli_whole(args, "frame", 0, 2000000000, &q->frame))
    return false;
  if (!cli_choice(args, "background", "studio|white|dark", &q->background)) return false;
  if (out)
    snprintf(q->out, sizeof q->out, "%s", out);
  else
    snprintf(q->out, sizeof q->out, "%.*s.png", (int)(dot ? dot - in : (long)strlen(in)), in);
  return true;
}

static scree_status draw(scree_context *context, const picture *p, const request *q) {
  scree_render_scene scene = {
      .item_count = p->item_count, .items = p->items, .ground = true, .ground_level = NAN};
  scree_render *render = NULL;
  scree_image image = {0};
  scree_framing framing;
  scree_camera camera;
  if (!scree_render_focus(p->item_count, p->items, &scene.focus))
    scene.focus = (scree_box){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
  scree_framing_begin(&framing, -1.0, 0.38, 0.5, (double)q->width / q->height, 0.06);
  scree_framing_add_items(&framing, p->item_count, p->items, &scene.focus);
  if (!scree_framing_end(&framing, &camera)) {
    scree_framing_add_box(&framing, &scene.focus);
    scree_framing_end(&framing, &camera);
  }
  scree_render_settings settings = scree_render_settings_default(&camera);
  settings.samples = (int)q->samples;
  settings.background = (scree_background)q->background;
  scree_status status = scree_render_create(context, &render);
  if (!status) status = scree_image_create(context, q->width, q->height, &image);
  if (!status) status = scree_render_set_scene(render, &scene);
  if (!status) status = scree_render_draw(render, &camera, &settings, &image);
  if (!status) status = scree_image_save(&image, q->out);
  scree_image_clear(&image);
  scree_render_destroy(render);
  return status;
}

static int run(cli_args *args) {
  request q;
  int code;
  if (!read_request(args, &q)) return CLI_USAGE;
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  picture p = {0};
  code = file_check_writable(q.out);
  if (!code) code = picture_open(&p, context, args->operand[0]);
  if (!code) {
    const size_t count = scree_recording_frame_count(p.recording);
    if (q.frame >= (long)count)
      code =
          cli_fail(CLI_USAGE, "--frame %ld: the recording has frames 0 to %zu", q.frame, count - 1);
    else
      code = picture_load(&p, q.frame < 0 ? count - 1 : (size_t)q.frame);
  }
  if (!code) {
    const scree_status status = draw(context, &p, &q);
    if (status)
      code = cli_fail(cli_code(status), "%s", scree_context_message(context));
    else
      printf("%s: %dx%d, %.4g s of %s\n", q.out, q.width, q.height, p.time, args->operand[0]);
  }
  picture_close(&p);
  scree_context_destroy(context);
  return code;
}

const cli_verb cli_verb_render = {
    .name = "render",
    .operands = "RECORDING",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "draw a picture of a recording",
    .flags = flags,
    .run = run,
};

/* See render_options.h. */
#include "cli/picture/render_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/picture/film.h"

static const double PI = 3.14159265358979323846;

const cli_flag render_flags[] = {
    {"out", "FILE",
     "a picture (.png) or a film (.mp4, .webm, .gif); default: the recording's name with .png"},
    {"frame", "N|last", "which frame, from 0; default last"},
    {"time", "S", "the frame nearest to this time instead"},
    {"sheet", "N", "N frames, evenly apart in time, in one picture"},
    {"start", "S", "where a sheet or film begins; default the first frame"},
    {"stop", "S", "where it ends; default the last frame"},
    {"fps", "N", "pictures per second of film; default 30"},
    {"speed", "X", "simulated seconds per second of film; default 1"},
    {"size", "WxH", "pixels; default 1280x720"},
    {"samples", "N", "samples per pixel; default 12"},
    {"color", "FIELD",
     "auto, material, kind, body, plain, speed, spin, vx, vy, vz, force, contacts, height, size, "
     "mass, energy or PROBE.COLUMN; default auto"},
    {"range", "A:B", "values of the colours' ends; default: what is found"},
    {"map", "deep|heat|balance", "colours of values; default: the field's own"},
    {"chains", NULL, "draw contact forces as rods, as thick as the force"},
    {"bodies", "solid|ghost|hidden", "moving bodies; default solid, with --chains ghost"},
    {"cut", "PLANES", "take a side away: x=0 (that of the camera), z>0.5, or x>0&y>0; repeatable"},
    {"camera", "KEYS",
     "with commas between: azimuth=, elevation=, field= (degrees), zoom=, distance= (m), "
     "target=X:Y:Z, follow=BODY, turn= (degrees per second of film)"},
    {"background", "studio|white|dark", "for the screen, for paper, for talks; default studio"},
    {"caption", "TEXT", "text in the corner; 'time' shows the time, 'none' nothing"},
    {"ghosts", "N", "draw the poses of N earlier moments too, the older the paler"},
    {"joints", NULL, "draw joints, ropes and springs as rods, soft parts by their edges"},
    {"trails", NULL, "draw the paths of the bodies so far"},
    {"arrows", NULL, "draw velocities as arrows"},
    {"ground", NULL, "lay a ground where the scene has none"},
    {"no-grid", NULL, "no lines on the ground"},
    {"no-legend", NULL, "no legend"},
    {"no-shadows", NULL, "neither shadows nor dark crevices"},
    {"draft", NULL, "a quick look: one sample, no shadows, 640x360 unless --size is given"},
    {"force", NULL, "replace a file of that name; else it is kept and nothing is written"},
    {"threads", "N", "threads; pictures do not depend on it"},
    {"json", NULL, "say what was drawn as one JSON object"},
    {0},
};

/* A finite number that ends at one of `ends` (or the text's end); false: something else. */
static bool number(const char **at, const char *ends, double *value) {
  char *end = NULL;
  *value = strtod(*at, &end);
  if (end == *at || !isfinite(*value) || (*end && !strchr(ends, *end))) return false;
  *at = end;
  return true;
}

/* ---- camera --------------------------------------------------------------------------------- */

static bool read_target(const char *text, double target[3]) {
  for (int k = 0; k < 3; k++) {
    if (!number(&text, k < 2 ? ":" : "", &target[k])) return false;
    if (k < 2 && *text++ != ':') return false;
  }
  return true;
}

static bool bad_camera(const char *word, const char *what) {
  cli_fail(CLI_USAGE, "--camera %s: %s", word, what);
  return false;
}

static bool read_camera_key(render_options *o, const char *word) {
  scree_picture_def *v = &o->view;
  static const char *const names[] = {"azimuth", "elevation", "zoom",   "distance",
                                      "field",   "turn",      "target", "follow"};
  enum { NAMES = sizeof names / sizeof *names, NUMBERS = 6 };
  static const double least[NUMBERS] = {-3600, -89, 0.01, 1e-9, 1, -3600};
  static const double most[NUMBERS] = {3600, 89, 1000, 1e12, 120, 3600};
  const char *value = strchr(word, '=');
  char name[64], text[160];
  snprintf(name, sizeof name, "%.*s", (int)(value ? value - word : (long)strlen(word)), word);
  int which = 0;
  while (which < NAMES && strcmp(names[which], name) != 0) which++;
  if (which == NAMES) {
    snprintf(text, sizeof text,
             "there is no key '%s'%s; keys are azimuth, elevation, zoom, "
             "distance, field, turn, target, follow",
             name, cli_suggest(name, names, NAMES));
    return bad_camera(word, text);
  }
  if (!value || !value[1]) return bad_camera(word, "a value is expected after '='");
  value++;
  if (which == NAMES - 1) {
    snprintf(o->follow, sizeof o->follow, "%s", value);
    return true;
  }
  if (which == NAMES - 2)
    return read_target(value, v->target) || bad_camera(word, "a target is X:Y:Z, in metres");
  double x;
  if (!number(&value, "", &x)) return bad_camera(word, "a number is expected");
  if (x < least[which] || x > most[which]) {
    snprintf(text, sizeof text, "out of range: %g to %g", least[which], most[which]);
    return bad_camera(word, text);
  }
  double *const places[NUMBERS] = {&v->azimuth,  &v->elevation, &v->zoom,
                                   &v->distance, &v->field,     &v->turn};
  const bool angle = which < 2 || which > 3;
  *places[which] = angle ? x * PI / 180.0 : x;
  return true;
}

static bool read_camera(const char *text, render_options *o) {
  while (*text) {
    const size_t length = strcspn(text, ",");
    char word[256];
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    if (!read_camera_key(o, word)) return false;
    text += length;
    if (*text) text++;
  }
  return true;
}

/* ---- cuts ----------------------------------------------------------------------------------- */

static bool read_cut(const char *text, scree_picture_section *section) {
  const char *at = text;
  section->count = 0;
  for (;;) {
    scree_picture_side *side = &section->side[section->count];
    const char *axis = *at ? strchr("xyz", *at) : NULL;
    if (!axis || section->count == SCREE_CUT_PLANES) break;
    side->axis = *at - 'x';
    at++;
    if (!*at || !strchr("<>=", *at)) break;
    side->sign = *at == '>' ? 1 : *at == '<' ? -1 : 0;
    at++;
    if (!number(&at, "&", &side->value)) break;
    section->count++;
    if (!*at) return true;
    at++;
  }
  cli_fail(CLI_USAGE, "--cut needs sides of planes as x=0, z>0.5 or x>0&y<0.1 (up to %d), not '%s'",
           (int)SCREE_CUT_PLANES, text);
  return false;
}

static bool read_cuts(const cli_args *args, render_options *o) {
  for (size_t i = 0; i < args->given_count; i++) {
    if (strcmp(args->given[i].flag->name, "cut") != 0) continue;
    if (o->section_count == SCREE_CUT_LIMIT) {
      cli_fail(CLI_USAGE, "--cut: at most %d", (int)SCREE_CUT_LIMIT);
      return false;
    }
    if (!read_cut(args->given[i].value, &o->sections[o->section_count++])) return false;
  }
  return true;
}

/* ---- the rest ------------------------------------------------------------------------------- */

static bool read_size(const cli_args *args, render_options *o) {
  const char *size = cli_text(args, "size", cli_has(args, "draft") ? "640x360" : "1280x720");
  int used = 0;
  if (sscanf(size, "%5dx%5d%n", &o->width, &o->height, &used) == 2 && !size[used] &&
      o->width >= 16 && o->height >= 16 && o->width <= 16384 && o->height <= 16384)
    return true;
  cli_fail(CLI_USAGE, "--size needs WIDTHxHEIGHT, 16 to 16384 each, not '%s'", size);
  return false;
}

static bool ends_with(const char *text, const char *end) {
  const size_t n = strlen(text), m = strlen(end);
  return n > m && strcmp(text + n - m, end) == 0;
}

static bool read_out(const cli_args *args, render_options *o) {
  const char *in = args->operand[0], *out = cli_text(args, "out", NULL);
  const char *base = strrchr(in, '/'), *dot = strrchr(base ? base : in, '.');
  const int stem = (int)(dot && dot > in ? dot - in : (long)strlen(in));
  if (out)
    snprintf(o->out, sizeof o->out, "%s", out);
  else
    snprintf(o->out, sizeof o->out, "%.*s.png", stem, in);
  if (film_is(o->out)) {
    o->mode = RENDER_FILM;
  } else if (!ends_with(o->out, ".png")) {
    cli_fail(CLI_USAGE, "--out %s: the name must end in .png, .mp4, .webm or .gif", o->out);
    return false;
  }
  if (o->sheet > 0 && o->mode == RENDER_FILM) {
    cli_fail(CLI_USAGE, "--sheet makes a picture: --out FILE.png");
    return false;
  }
  if (o->sheet > 0) o->mode = RENDER_SHEET;
  if (o->mode == RENDER_FILM && (o->width % 2 || o->height % 2)) {
    cli_fail(CLI_USAGE, "--size %dx%d: a film needs even numbers", o->width, o->height);
    return false;
  }
  return true;
}

/* Options that would have no effect are reported, not ignored. */
static bool check_mode(const cli_args *args, const render_options *o) {
  static const char *const moment[] = {"frame", "time"}, *const span[] = {"start", "stop"},
                           *const for_films[] = {"fps", "speed"};
  const char *bad = NULL, *why = "";
  for (int i = 0; i < 2; i++) {
    if (o->mode != RENDER_STILL && cli_has(args, moment[i]))
      bad = moment[i], why = "it is for one picture; a sheet or film has --start and --stop";
    if (o->mode == RENDER_STILL && cli_has(args, span[i]))
      bad = span[i], why = "it is for a film (--out FILE.mp4) or a --sheet";
    if (o->mode != RENDER_FILM && cli_has(args, for_films[i]))
      bad = for_films[i], why = "it is for a film: --out FILE.mp4";
  }
  if (o->mode == RENDER_STILL && o->has_time && cli_has(args, "frame"))
    bad = "time", why = "--frame is given as well";
  if (bad) cli_fail(CLI_USAGE, "--%s: %s", bad, why);
  return !bad;
}

static bool read_range(const cli_args *args, render_options *o) {
  const char *text = cli_text(args, "range", NULL), *at = text;
  if (!text) return true;
  o->ranged = true;
  if (number(&at, ":", &o->least) && *at++ == ':' && number(&at, "", &o->most) &&
      o->least < o->most)
    return true;
  cli_fail(CLI_USAGE, "--range needs A:B with A below B, not '%s'", text);
  return false;
}

bool render_options_read(const cli_args *args, render_options *o) {
  *o = (render_options){.samples = cli_has(args, "draft") ? 1 : 12,
                        .frame = -1,
                        .map = -1,
                        .start = -INFINITY,
                        .stop = INFINITY,
                        .fps = 30.0,
                        .speed = 1.0,
                        .least = NAN,
                        .most = NAN,
                        .view = scree_picture_def_default()};
  o->json = cli_has(args, "json");
  o->ground = cli_has(args, "ground");
  o->view.trails = cli_has(args, "trails");
  o->view.arrows = cli_has(args, "arrows");
  o->view.joints = cli_has(args, "joints");
  o->grid = !cli_has(args, "no-grid");
  o->legend = !cli_has(args, "no-legend");
  o->shadows = !cli_has(args, "no-shadows") && !cli_has(args, "draft");
  o->chains = cli_has(args, "chains");
  o->has_time = cli_has(args, "time");
  o->colour = cli_text(args, "color", "auto");
  o->bodies = o->chains ? 1 : 0;
  if (!read_size(args, o) || !cli_whole(args, "samples", 1, 4096, &o->samples) ||
      !cli_whole(args, "sheet", 1, 400, &o->sheet) ||
      !cli_whole(args, "ghosts", 1, 1000, &o->ghosts) ||
      !cli_real(args, "time", -1e300, 1e300, &o->time) ||
      !cli_real(args, "start", -1e300, 1e300, &o->start) ||
      !cli_real(args, "stop", -1e300, 1e300, &o->stop) ||
      !cli_real(args, "fps", 1.0, 240.0, &o->fps) ||
      !cli_real(args, "speed", 1e-6, 1e6, &o->speed) ||
      !cli_choice(args, "background", "studio|white|dark", &o->background) ||
      !cli_choice(args, "map", "deep|heat|balance", &o->map) ||
      !cli_choice(args, "bodies", "solid|ghost|hidden", &o->bodies) || !read_range(args, o) ||
      !read_camera(cli_text(args, "camera", ""), o) || !read_cuts(args, o) || !read_out(args, o) ||
      !check_mode(args, o))
    return false;
  if (strcmp(cli_text(args, "frame", "last"), "last") != 0 &&
      !cli_whole(args, "frame", 0, 2000000000, &o->frame))
    return false;
  o->caption = cli_text(args, "caption", o->mode == RENDER_STILL ? "none" : "time");
  return true;
}

/* `scree info`: what is in a recording, a problem file, a scene or a mesh, on one screen. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/info/info.h"

static const cli_flag flags[] = {
    {"json", NULL, "one JSON object; the member content is recording, problem, scene or mesh"},
    {"threads", "N", "threads"},
    {0},
};

void info_line(const char *label, const char *text) {
  if (!*text) return;
  char start[401];
  snprintf(start, sizeof start, "%s", text);
  for (char *c = start; *c; c++)
    if (*c == '\n' || *c == '\t') *c = ' ';
  printf("%-13s ", label);
  cli_put_clean(stdout, start);
  printf("%s\n", strlen(text) > 400 ? "…" : "");
}

/* ---- bodies --------------------------------------------------------------------------------- */

static const char *const kind_names[] = {"dynamic", "fixed", "prescribed"};

info_census info_census_new(void) {
  return (info_census){.least = INFINITY, .most = -INFINITY};
}

void info_count(info_census *c, scree_body_kind kind, const scree_shape *shape, double mass,
                double diameter) {
  c->bodies++;
  c->kind[kind]++;
  c->shape[shape ? scree_shape_get_kind(shape) : SCREE_SHAPE_KIND_COUNT]++;
  if (kind != SCREE_BODY_DYNAMIC) return;
  c->mass += mass;
  if (!(diameter > 0.0) || !isfinite(diameter)) return;
  c->least = fmin(c->least, diameter);
  c->most = fmax(c->most, diameter);
}

static const char *shape_name(int i) {
  return i < SCREE_SHAPE_KIND_COUNT ? scree_shape_kind_name((scree_shape_kind)i) : "none";
}

void info_print_census(const info_census *c) {
  printf("bodies        %zu:", c->bodies);
  for (int i = 0; i < 3; i++)
    if (c->kind[i]) printf(" %zu %s", c->kind[i], kind_names[i]);
  if (c->kind[0]) printf("; %.6g kg", c->mass);
  if (c->least < c->most) printf(", diameters %.4g to %.4g m", c->least, c->most);
  if (c->least == c->most) printf(", diameter %.4g m", c->least);
  printf("\nshapes       ");
  for (int i = 0; i <= SCREE_SHAPE_KIND_COUNT; i++)
    if (c->shape[i]) printf(" %zu %s", c->shape[i], shape_name(i));
  printf("\n");
}

void info_json_census(bool *first, const info_census *c) {
  bool inner = true;
  json_whole_member(stdout, first, "bodies", (long long)c->bodies);
  json_key(stdout, first, "kinds");
  printf("{");
  for (int i = 0; i < 3; i++)
    json_whole_member(stdout, &inner, kind_names[i], (long long)c->kind[i]);
  printf("}");
  json_key(stdout, first, "shapes");
  printf("{");
  inner = true;
  for (int i = 0; i <= SCREE_SHAPE_KIND_COUNT; i++)
    if (c->shape[i]) json_whole_member(stdout, &inner, shape_name(i), (long long)c->shape[i]);
  printf("}");
  json_real_member(stdout, first, "mass", c->mass);
}

/* ---- settings ------------------------------------------------------------------------------- */

void info_print_settings(const scree_scene_settings *s) {
  const scree_stepper_def *d = &s->solver;
  printf("run           %.6g s in steps of %.6g s; a frame every %.6g s%s\n", s->duration, s->step,
         s->recording.every, s->recording.contacts ? "" : ", without contacts");
  printf("solver        %s, %s model, tolerance R %.3g", d->solver ? d->solver : "default",
         d->model == SCREE_MODEL_COULOMB ? "coulomb" : "relaxed", d->tolerance_residual);
  if (d->iteration_limit) printf(", at most %ld iterations", d->iteration_limit);
  printf("\n");
}

/* A section of the settings as an object, with the keys that scene files have. */
static void json_section(bool *first, const scree_scene *scene, const char *section) {
  char text[4096];
  if (scree_scene_settings_json(scene, section, text, sizeof text) >= sizeof text) return;
  json_key(stdout, first, section);
  fputs(text, stdout);
}

void info_json_settings(bool *first, const scree_scene *scene) {
  const scree_scene_settings *s = scree_scene_get_settings(scene);
  json_text_member(stdout, first, "title", s->title);
  json_text_member(stdout, first, "description", s->description);
  json_real_member(stdout, first, "step", s->step);
  json_real_member(stdout, first, "duration", s->duration);
  json_section(first, scene, "solver");
  json_section(first, scene, "recording");
}

/* ---- the verb ------------------------------------------------------------------------------- */

static bool is_mesh(const char *name) {
  static const char *const ends[] = {".stl", ".obj", ".ply"};
  const char *dot = strrchr(name, '.');
  for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
    if (strcasecmp(dot, ends[i]) == 0) return true;
  return false;
}

/* A recording says what it is near its beginning, also where another program wrote it anew. */
static bool is_recording(const unsigned char *head, size_t size) {
  static const char mark[] = "scree recording";
  if (head[8] >= 2) return true;
  for (size_t i = 9; i + sizeof mark <= size; i++)
    if (memcmp(head + i, mark, sizeof mark) == 0) return true;
  return false;
}

/* Meshes by the end of the name, others by the first bytes: recordings and problem files are HDF5,
 * scenes are text. */
static int inform(scree_context *context, const char *name, bool json) {
  char path[4096];
  unsigned char head[65536];
  struct stat s;
  const int file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0 && errno == ENOENT && !strchr(name, '/') &&
      scree_scene_find(context, name, path, sizeof path) == SCREE_OK)
    return info_scene(context, path, json);
  if (file < 0 && errno == ENOENT)
    return cli_fail(CLI_IO,
                    "%s: cannot be opened: %s; no scene of the gallery has that name either", name,
                    strerror(ENOENT));
  if (file < 0) return cli_fail(CLI_IO, "%s: cannot be opened: %s", name, strerror(errno));
  const bool plain = fstat(file, &s) == 0 && S_ISREG(s.st_mode);
  const ssize_t size = plain ? read(file, head, sizeof head) : -1;
  const int reason = errno;
  close(file);
  if (!plain) return cli_fail(CLI_IO, "%s: is not a plain file", name);
  if (size < 0) return cli_fail(CLI_IO, "%s: cannot be read: %s", name, strerror(reason));
  if (size == 0) return cli_fail(CLI_INPUT, "%s: the file is empty", name);
  if (size >= 9 && memcmp(head, "\211HDF\r\n\032\n", 8) == 0)
    return is_recording(head, (size_t)size) ? info_recording(context, name, json)
                                            : info_problem(context, name, json);
  if (is_mesh(name)) return info_mesh(context, name, json);
  const char *dot = strrchr(name, '.');
  if (dot && (strcmp(dot, ".h5") == 0 || strncmp(dot, ".hdf", 4) == 0))
    return cli_fail(CLI_INPUT, "%s: is not an HDF5 file, as recordings and problems are", name);
  if (memchr(head, 0, (size_t)size) || (head[0] >= 0x80 && head[0] < 0xc0))
    return cli_fail(CLI_INPUT,
                    "%s: is neither a recording nor a problem (HDF5) nor a scene (YAML or JSON)",
                    name);
  return info_scene(context, name, json);
}

static int run(cli_args *args) {
  int code = CLI_OK;
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  code = inform(context, args->operand[0], cli_has(args, "json"));
  scree_context_destroy(context);
  return code;
}

const cli_verb cli_verb_info = {
    .name = "info",
    .operands = "FILE|SCENE",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "say what is in a recording, a problem file, a scene or a mesh",
    .flags = flags,
    .run = run,
};

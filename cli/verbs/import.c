/* `scree import`: a robot in URDF or MJCF as a scene. What was written is read back and built, so
 * that a file that came out is one that runs. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/file.h"
#include "cli/run/safe.h"

static const cli_flag flags[] = {
    {"out", "FILE", "the scene to write; default: standard output"},
    {"allow-unsupported", NULL, "leave out what Scree does not have, though the motion changes"},
    {"fixed-base", NULL, "URDF: fix the root link in the world"},
    {"self-collide", NULL, "URDF: let links of the robot touch each other"},
    {"density", "D", "URDF: kg/m^3 for links without mass, by their shapes"},
    {"meshes", "KIND", "hulls or exact; default: exact in URDF, hulls in MJCF"},
    {"keyframe", "NAME", "MJCF: begin with this keyframe, by its name or number from 0"},
    {"json", NULL, "say what was imported as one JSON object"},
    SAFE_FLAG,
    {"force", NULL, "replace a file of that name; else it is kept and nothing is written"},
    {0},
};

typedef struct text {
  char *bytes;
  size_t size;
} text;

static scree_status keep(void *user, const void *bytes, size_t size) {
  text *t = user;
  t->bytes = malloc(size + 1);
  if (!t->bytes) return SCREE_ERROR_MEMORY;
  memcpy(t->bytes, bytes, size);
  t->bytes[size] = 0;
  t->size = size;
  return SCREE_OK;
}

static void report(void *user, const char *message) {
  ++*(size_t *)user;
  cli_note("%s", message);
}

/* ---- where meshes are, seen from the scene -------------------------------------------------- */

static bool folder_of(const char *path, char out[PATH_MAX]) {
  char folder[PATH_MAX];
  const char *slash = path ? strrchr(path, '/') : NULL;
  const int n = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1,
                         slash ? path : ".");
  return n > 0 && n < (int)sizeof folder && realpath(folder, out);
}

/* The way from one folder to the other: "" for the same, "../a" for neighbours. */
static bool way(const char *from, const char *to, char *out, size_t size) {
  size_t same = 0, last = 0;
  while (from[same] && from[same] == to[same]) {
    if (to[same] == '/') last = same;
    same++;
  }
  const bool ends = (!from[same] || from[same] == '/') && (!to[same] || to[same] == '/');
  if (ends) last = same;
  size_t used = 0;
  out[0] = 0;
  for (const char *x = from + last; *x; x++) {
    if (*x != '/' || !x[1]) continue;
    used += (size_t)snprintf(out + used, used < size ? size - used : 0, "%s..", used ? "/" : "");
    if (used >= size) return false;
  }
  const char *rest = to + last + (to[last] == '/');
  if (*rest)
    used +=
        (size_t)snprintf(out + used, used < size ? size - used : 0, "%s%s", used ? "/" : "", rest);
  return used < size;
}

/* ---- the verb ------------------------------------------------------------------------------- */

static int read_def(const cli_args *args, scree_import_def *def) {
  int meshes = -1;
  *def = scree_import_def_default();
  def->allow_unsupported = cli_has(args, "allow-unsupported");
  def->fixed_base = cli_has(args, "fixed-base");
  def->self_collide = cli_has(args, "self-collide");
  def->keyframe = cli_text(args, "keyframe", NULL);
  def->confined = cli_has(args, "safe");
  def->report = report;
  if (!cli_real(args, "density", 1e-9, 1e9, &def->density)) return CLI_USAGE;
  if (!cli_choice(args, "meshes", "hulls|exact", &meshes)) return CLI_USAGE;
  if (meshes >= 0) def->meshes = meshes == 0 ? SCREE_IMPORT_HULLS : SCREE_IMPORT_EXACT;
  return CLI_OK;
}

/* Builds what was written; as a scene beside `out`. */
static int prove(scree_context *context, const char *out, const char *input, const text *t,
                 const scree_scene_def *def) {
  scree_scene *scene = NULL;
  scree_world *world = NULL;
  char name[PATH_MAX];
  snprintf(name, sizeof name, "%s%s", out ? out : input, out ? "" : ".yaml");
  scree_status status = scree_scene_load_text(context, name, t->bytes, t->size, def, &scene);
  if (!status) status = scree_scene_build(scene, &world);
  scree_world_destroy(world);
  size_t overlaps = 0;
  if (!status && scree_sim_check(scene, report, &overlaps) && overlaps)
    cli_note("bodies overlap at the start: `overlap:` in the scene says how much is allowed");
  scree_scene_destroy(scene);
  return status ? cli_fail(cli_code(status), "the scene of '%s' cannot be built: %s", input,
                           scree_context_message(context))
                : CLI_OK;
}

static int write_text(const char *out, const text *t) {
  if (!out) {
    fwrite(t->bytes, 1, t->size, stdout);
    return CLI_OK;
  }
  fresh place;
  FILE *file = file_begin(&place, out);
  if (!file) return CLI_IO;
  const bool ok = fwrite(t->bytes, 1, t->size, file) == t->size;
  return file_end(&place, file, ok);
}

static void print_summary(const cli_args *args, const char *out, const scree_import_summary *s) {
  if (!cli_has(args, "json")) {
    if (!out) return;
    printf("%s: %zu bodies, %zu joints, %zu degrees of freedom, %g kg\n", out, s->bodies, s->joints,
           s->degrees_of_freedom, s->mass);
    return;
  }
  bool first = true;
  printf("{");
  json_text_member(stdout, &first, "robot", args->operand[0]);
  if (out) json_text_member(stdout, &first, "out", out);
  json_whole_member(stdout, &first, "bodies", (long long)s->bodies);
  json_whole_member(stdout, &first, "joints", (long long)s->joints);
  json_whole_member(stdout, &first, "parts", (long long)s->parts);
  json_whole_member(stdout, &first, "degrees_of_freedom", (long long)s->degrees_of_freedom);
  json_real_member(stdout, &first, "mass", s->mass);
  json_whole_member(stdout, &first, "notes", (long long)s->notes);
  json_whole_member(stdout, &first, "losses", (long long)s->losses);
  printf("}\n");
}

static int import(scree_context *context, const cli_args *args, const char *out) {
  scree_import_def def;
  size_t told = 0;
  int code = read_def(args, &def);
  if (code) return code;
  def.report_user = &told;
  char from[PATH_MAX], to[PATH_MAX], folder[PATH_MAX] = "";
  if (out && (!folder_of(out, from) || !folder_of(args->operand[0], to) ||
              !way(from, to, folder, sizeof folder)))
    return cli_fail(CLI_IO, "'%s': %s", args->operand[0], strerror(errno));
  text t = {0};
  scree_import_summary summary;
  const scree_status status =
      scree_scene_import(context, args->operand[0], &def, folder, keep, &t, &summary);
  if (status && told) code = cli_code(status);
  if (status && !told) code = cli_fail(cli_code(status), "%s", scree_context_message(context));
  if (!code && !t.bytes) code = cli_fail(CLI_INTERNAL, "out of memory");
  scree_scene_def scene = scree_scene_def_default();
  scene.confined = def.confined;
  if (!code && summary.parts)
    code = prove(context, out, args->operand[0], &t, &scene);
  else if (!code)
    cli_note("'%s': nothing in it moves or can be touched", args->operand[0]);
  if (!code && (out || !cli_has(args, "json"))) code = write_text(out, &t);
  if (!code) print_summary(args, out, &summary);
  free(t.bytes);
  return code;
}

static int run(cli_args *args) {
  const char *out = cli_text(args, "out", NULL);
  int code = safe_begin(args);
  if (!code && out) code = file_claim(args, out);
  if (code) return code;
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  code = import(context, args, out);
  scree_context_destroy(context);
  return code;
}

const cli_verb cli_verb_import = {
    .name = "import",
    .operands = "ROBOT",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "make a scene of a robot in URDF or MJCF",
    .details =
        "What is left out is reported with file, line and column, and stands at the head of the\n"
        "scene. What Scree does not have and what changes the motion ends the import with exit\n"
        "3, unless --allow-unsupported is given. docs/robots.md lists what is read.",
    .flags = flags,
    .run = run,
};

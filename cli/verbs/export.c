/* `scree export`: a recording for ParaView (VTKHDF), for anything that reads CSV, or as a page. */
#include <math.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/claim.h"
#include "cli/cli.h"
#include "cli/file.h"
#include "cli/picture/export_html.h"
#include "cli/plot/probe_table.h"

static const cli_flag flags[] = {
    {"format", "vtkhdf|csv", "what to write; default: by the ending of --out, else vtkhdf"},
    {"out", "STEM", "stem of the names, as out/run; default: the recording's without .h5"},
    {"what", "LIST",
     "bodies, contacts, surfaces (vtkhdf) or steps (csv), by commas; default: all but surfaces"},
    {"surface", NULL, "the bodies' surfaces as triangles, in addition (vtkhdf)"},
    {"html", "FILE", "one page with the run inside, which a browser opens by double click"},
    {"frames", "N", "at most N frames, evenly chosen (html)"},
    {"bodies", "N", "at most N moving bodies, evenly chosen (html)"},
    {"precision", "M", "round places to it; default: a thousandth of the smallest body (html)"},
    {"no-contacts", NULL, "leave out contact forces, which may be half of a page (html)"},
    {"from", "S", "frames from this simulated time on"},
    {"to", "S", "frames up to this simulated time"},
    {"every", "N", "each N-th frame; default 1"},
    {"force", NULL, "replace a file of that name; else it is kept and nothing is written"},
    {"threads", "N", "threads"},
    {"json", NULL, "say what was written as one JSON object"},
    {0},
};

static const char *const endings[] = {".hdf.series", ".hdf", ".vtkhdf", ".csv"};

/* The stem without an ending that names a format; *format is changed by one. */
static void cut_ending(char *stem, int *format) {
  const size_t length = strlen(stem);
  for (int i = 0; i < 4; i++) {
    const size_t n = strlen(endings[i]);
    if (length <= n || strcmp(stem + length - n, endings[i]) != 0) continue;
    stem[length - n] = '\0';
    *format = i == 3 ? SCREE_EXPORT_CSV : SCREE_EXPORT_VTKHDF;
    return;
  }
}

static bool parse_parts(const char *list, unsigned *parts) {
  static const char *const names[] = {"bodies", "contacts", "steps", "surfaces"};
  for (const char *at = list; at;) {
    const size_t n = strcspn(at, ",");
    int found = -1;
    for (int i = 0; i < 4; i++)
      if (strlen(names[i]) == n && strncmp(names[i], at, n) == 0) found = i;
    if (found < 0) {
      char word[64];
      snprintf(word, sizeof word, "%.*s", (int)(n < 60 ? n : 60), at);
      cli_fail(CLI_USAGE,
               "--what: there is no '%s'%s allowed are bodies, contacts, steps, surfaces", word,
               *cli_suggest(word, names, 4) ? cli_suggest(word, names, 4) : ";");
      return false;
    }
    *parts |= 1U << found;
    at = at[n] ? at + n + 1 : NULL;
  }
  return true;
}

/* All that can be said before the recording is opened. */
static int read_options(const cli_args *args, char *stem, size_t size, scree_export_def *def) {
  const char *path = args->operand[0];
  int format = SCREE_EXPORT_VTKHDF, asked = -1;
  long every = 1;
  const char *given = cli_text(args, "out", path);
  if ((size_t)snprintf(stem, size, "%s", given) >= size)
    return cli_fail(CLI_USAGE, "the path is too long");
  const size_t length = strlen(stem);
  if (given == path && length > 3 && strcmp(stem + length - 3, ".h5") == 0) stem[length - 3] = '\0';
  if (given != path) cut_ending(stem, &format);
  if (!cli_choice(args, "format", "vtkhdf|csv", &asked) ||
      !cli_real(args, "from", -INFINITY, INFINITY, &def->from) ||
      !cli_real(args, "to", -INFINITY, INFINITY, &def->to) ||
      !cli_whole(args, "every", 1, 1000000000, &every))
    return CLI_USAGE;
  if (asked >= 0) format = asked;
  def->format = (scree_export_format)format;
  def->every = (size_t)every;
  def->out = stem;
  const char *what = cli_text(args, "what", NULL);
  if (what && !parse_parts(what, &def->parts)) return CLI_USAGE;
  if (cli_has(args, "surface")) {
    if (!def->parts) def->parts = SCREE_EXPORT_BODIES | SCREE_EXPORT_CONTACTS;
    def->parts |= SCREE_EXPORT_SURFACES;
  }
  const size_t end = strlen(stem);
  if (end && stem[end - 1] == '/')
    return cli_fail(CLI_USAGE, "--out %s names a directory; a stem is expected: %srun", given,
                    stem);
  return CLI_OK;
}

static unsigned parts_of(const scree_export_def *def) {
  if (def->parts) return def->parts;
  return SCREE_EXPORT_BODIES | SCREE_EXPORT_CONTACTS |
         (def->format == SCREE_EXPORT_CSV ? (unsigned)SCREE_EXPORT_STEPS : 0u);
}

static const char *const part_names[] = {"bodies", "contacts", "steps", "surfaces"};

/* Tables of the export may have the names of probe files, which are never overwritten, even with
 * --force. */
static int refuse_probes(const scree_scene *scene, const char *recording, const char *path) {
  for (size_t i = 0; i < scree_scene_probe_count(scene); i++) {
    scree_probe_def p;
    char table[4200];
    if (scree_scene_get_probe(scene, i, &p) ||
        !probe_path(recording, p.name, strlen(p.name), table, sizeof table) ||
        !claim_is_same(table, path))
      continue;
    return cli_fail(CLI_USAGE, "%s: it is the table of the probe '%s'; give another stem by --out",
                    path, p.name);
  }
  return CLI_OK;
}

/* One claim for each part: the frames of a series belong to it. */
static int claim_all(const cli_args *args, const scree_export_def *def, const scree_scene *scene) {
  const bool grid = def->format == SCREE_EXPORT_VTKHDF;
  int code = CLI_OK;
  for (int i = 0; i < 4 && !code; i++) {
    char name[4200];
    if (!(parts_of(def) >> i & 1U)) continue;
    snprintf(name, sizeof name, "%s_%s%s", def->out, part_names[i], grid ? ".hdf.series" : ".csv");
    code = refuse_probes(scene, args->operand[0], name);
    if (!code) code = file_claim(args, name);
  }
  return code;
}

static void size_text(double bytes, char *text, size_t size) {
  static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
  int k = 0;
  for (; bytes >= 1000.0 && k < 4; k++) bytes /= 1000.0;
  snprintf(text, size, "%.3g %s", bytes, units[k]);
}

/* Says how much is to come where that is much, and refuses what has no room. */
static int announce(const scree_export_def *def, const scree_export_info *guess) {
  char text[32], room[32], folder[4096];
  size_text(guess->bytes, text, sizeof text);
  snprintf(folder, sizeof folder, "%s", def->out);
  char *slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder] = '\0';
  else
    snprintf(folder, sizeof folder, ".");
  struct statvfs disk;
  if (statvfs(folder, &disk) == 0) {
    const double there = (double)disk.f_bavail * (double)disk.f_frsize;
    size_text(there, room, sizeof room);
    if (guess->bytes > there)
      return cli_fail(CLI_IO,
                      "about %s in %zu files are to be written, and there is room for %s; write "
                      "fewer frames (--every, --from, --to) or parts (--what)",
                      text, guess->files, room);
  }
  if (guess->bytes >= 50e6)
    cli_note("writing %zu frames, about %s in %zu files", guess->frames, text, guess->files);
  return CLI_OK;
}

static void report(const cli_args *args, const scree_export_def *def,
                   const scree_export_info *info) {
  const bool grid = def->format == SCREE_EXPORT_VTKHDF;
  const unsigned parts = parts_of(def);
  const char *const *names = part_names;
  if (cli_has(args, "json")) {
    bool first = true, first_name = true;
    printf("{");
    json_text_member(stdout, &first, "recording", args->operand[0]);
    json_text_member(stdout, &first, "format", grid ? "vtkhdf" : "csv");
    json_whole_member(stdout, &first, "frames", (long long)info->frames);
    json_whole_member(stdout, &first, "files", (long long)info->files);
    json_real_member(stdout, &first, "bytes", info->bytes);
    json_key(stdout, &first, "open");
    printf("[");
    for (int i = 0; i < 4; i++) {
      char name[4200];
      if (!(parts >> i & 1U)) continue;
      snprintf(name, sizeof name, "%s_%s%s", def->out, names[i], grid ? ".hdf.series" : ".csv");
      printf("%s", first_name ? "" : ", ");
      json_string(stdout, name);
      first_name = false;
    }
    printf("]}\n");
    return;
  }
  char size[32];
  size_text(info->bytes, size, sizeof size);
  printf("%zu frames in %zu files, %s; open", info->frames, info->files, size);
  for (int i = 0; i < 4; i++)
    if (parts >> i & 1U) printf(" %s_%s%s", def->out, names[i], grid ? ".hdf.series" : ".csv");
  printf("\n");
}

static int run(cli_args *args) {
  int code = CLI_OK;
  char stem[4096];
  if (cli_has(args, "html")) return export_html(args);
  if (cli_has(args, "frames") || cli_has(args, "bodies") || cli_has(args, "precision") ||
      cli_has(args, "no-contacts"))
    return cli_fail(CLI_USAGE, "--frames, --bodies, --precision and --no-contacts are for --html");
  scree_export_def def = scree_export_def_default();
  code = read_options(args, stem, sizeof stem, &def);
  if (code) return code;
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  bool terminal = isatty(fileno(stderr));
  def.progress = cli_show_frames;
  def.user = &terminal;
  cli_catch_interrupts();
  scree_recording *recording = NULL;
  scree_export_info info = {0};
  scree_status status = scree_recording_open(context, args->operand[0], &recording);
  scree_scene *scene = NULL;
  scree_world *world = NULL; /* probes are known when it is built */
  if (!status) status = scree_recording_get_scene(recording, &scene, &world);
  if (!status) {
    cli_remark(recording, args->operand[0]);
    code = claim_all(args, &def, scene);
  }
  scree_export_info guess;
  if (!status && !code) status = scree_export_estimate(recording, &def, &guess);
  if (!status && !code) code = announce(&def, &guess);
  if (!status && !code) status = scree_export(recording, &def, &info);
  if (terminal && info.frames) fprintf(stderr, "\r%40s\r", "");
  if (status)
    code = cli_fail(cli_code(status), "%s", scree_context_message(context));
  else if (!code)
    report(args, &def, &info);
  scree_recording_close(recording);
  scree_context_destroy(context);
  if (!code && cli_interrupted()) {
    cli_note("interrupted; the frames so far are whole");
    code = CLI_INTERRUPTED;
  }
  return code;
}

const cli_verb cli_verb_export = {
    .name = "export",
    .operands = "RUN",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "write a recording for ParaView (VTKHDF), as CSV, or as one web page",
    .details = "--html: a page with the run inside, for any browser, without server or network.\n"
               "VTKHDF: open STEM_bodies.hdf.series and STEM_contacts.hdf.series in ParaView 5.11\n"
               "or later. CSV: names and units are in the first line.",
    .flags = flags,
    .run = run,
};

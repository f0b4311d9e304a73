/* See export_html.h. */
#include "cli/picture/export_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/file.h"
#include "cli/plot/probe_table.h"

struct export_probe {
  probe_table table;
  char name[128];
  const char *names[PROBE_COLUMNS], *units[PROBE_COLUMNS];
};

int export_probes_read(export_probes *p, const scree_scene *scene, const char *recording) {
  const size_t count = scree_scene_probe_count(scene);
  *p = (export_probes){0};
  p->tables = calloc(count + 1, sizeof *p->tables);
  p->store = calloc(count + 1, sizeof *p->store);
  if (!p->tables || !p->store) {
    export_probes_clear(p);
    return cli_fail(CLI_INTERNAL, "out of memory");
  }
  for (size_t i = 0; i < count; i++) {
    scree_probe_def def;
    char path[4200];
    struct export_probe *s = &p->store[p->count];
    if (scree_scene_get_probe(scene, i, &def) ||
        !probe_path(recording, def.name, strlen(def.name), path, sizeof path))
      continue;
    if (access(path, R_OK) != 0) {
      cli_note("%s: the table of the probe '%s' is not there; it is left out", path, def.name);
      continue;
    }
    const int code = probe_read(path, &s->table);
    if (code) {
      export_probes_clear(p);
      return code;
    }
    snprintf(s->name, sizeof s->name, "%s", def.name);
    for (size_t k = 0; k < s->table.columns; k++)
      s->names[k] = s->table.name[k], s->units[k] = s->table.unit[k];
    p->tables[p->count++] = (scree_view_table){s->name,  s->table.columns, s->table.rows,
                                               s->names, s->units,         s->table.values};
  }
  return CLI_OK;
}

void export_probes_clear(export_probes *p) {
  for (size_t i = 0; i < p->count; i++) probe_clear(&p->store[i].table);
  free(p->tables);
  free(p->store);
  *p = (export_probes){0};
}

static int read_options(const cli_args *args, scree_view_def *def) {
  static const char *const others[] = {"format", "out", "what", "surface"};
  long every = 1, frames = 0, bodies = 0;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (cli_has(args, others[i]))
      return cli_fail(CLI_USAGE, "--%s is not for --html; --html FILE names the page", others[i]);
  if (!cli_real(args, "from", -INFINITY, INFINITY, &def->from) ||
      !cli_real(args, "to", -INFINITY, INFINITY, &def->to) ||
      !cli_real(args, "precision", 1e-12, 1e12, &def->precision) ||
      !cli_whole(args, "every", 1, 1000000000, &every) ||
      !cli_whole(args, "frames", 1, 1000000000, &frames) ||
      !cli_whole(args, "bodies", 1, 1000000000, &bodies))
    return CLI_USAGE;
  def->every = (size_t)every;
  def->frames = (size_t)frames;
  def->bodies = (size_t)bodies;
  def->contacts = !cli_has(args, "no-contacts");
  def->replace = cli_has(args, "force");
  def->out = cli_text(args, "html", NULL);
  return file_refuse_input(def->out, args->operand[0]);
}

static double megabytes(size_t bytes) {
  return 1e-6 * (double)bytes;
}

static void report(const cli_args *args, const scree_view_def *def, const scree_view_info *info) {
  if (cli_has(args, "json")) {
    bool first = true;
    printf("{");
    json_text_member(stdout, &first, "recording", args->operand[0]);
    json_text_member(stdout, &first, "format", "html");
    json_text_member(stdout, &first, "open", def->out);
    json_whole_member(stdout, &first, "frames", (long long)info->frames);
    json_whole_member(stdout, &first, "bodies", (long long)info->bodies);
    json_whole_member(stdout, &first, "bytes", (long long)info->size);
    json_whole_member(stdout, &first, "bytes_page", (long long)info->page);
    json_whole_member(stdout, &first, "bytes_poses", (long long)info->poses);
    json_whole_member(stdout, &first, "bytes_contacts", (long long)info->contacts);
    json_real_member(stdout, &first, "precision", info->precision);
    printf("}\n");
    return;
  }
  printf("%s: %.2f MB, %zu frames of %zu bodies (the viewer %.2f, poses %.2f, contacts %.2f, the "
         "rest %.2f MB); open it in a browser\n",
         def->out, megabytes(info->size), info->frames, info->bodies, megabytes(info->page),
         megabytes(info->poses), megabytes(info->contacts), megabytes(info->rest));
  if (info->size > 50000000)
    cli_note("the page is large; --every, --frames, --bodies, --no-contacts and --precision make "
             "it smaller");
}

int export_html(const cli_args *args) {
  scree_view_def def = scree_view_def_default();
  int code = read_options(args, &def);
  if (code) return code;
  if (!scree_view_is_there())
    return cli_fail(CLI_INTERNAL, "this scree was built without the page that shows runs: it needs "
                                  "node, npm and zlib when it is built (docs/viewer.md)");
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  bool terminal = isatty(fileno(stderr));
  def.progress = cli_show_frames;
  def.user = &terminal;
  cli_catch_interrupts();
  scree_recording *recording = NULL;
  scree_scene *scene = NULL;
  scree_world *world = NULL; /* probes are known when it is built */
  scree_view_info info = {0};
  export_probes probes = {0};
  scree_status status = scree_recording_open(context, args->operand[0], &recording);
  if (!status) status = scree_recording_get_scene(recording, &scene, &world);
  if (!status) {
    cli_remark(recording, args->operand[0]);
    code = export_probes_read(&probes, scene, args->operand[0]);
  }
  if (!status && !code) {
    def.tables = probes.tables;
    def.table_count = probes.count;
    status = scree_view_export(recording, &def, &info);
  }
  if (terminal && info.frames) fprintf(stderr, "\r%40s\r", "");
  if (status)
    code = cli_fail(cli_code(status), "%s", scree_context_message(context));
  else if (!code && info.stopped)
    cli_note("interrupted; nothing was written");
  else if (!code)
    report(args, &def, &info);
  export_probes_clear(&probes);
  scree_recording_close(recording);
  scree_context_destroy(context);
  return !code && info.stopped ? CLI_INTERRUPTED : code;
}

/* `scree check`: everything that is wrong with a scene, before it is run. */
#include <stdlib.h>
#include <string.h>

#include "cli/info/info.h"
#include "cli/run/safe.h"
#include "cli/run/simulate.h"

static const cli_flag flags[] = {
    {"set", "KEY=VALUE",
     "change a value of the scene, or a parameter by its name; may be repeated"},
    {"threads", "N", "threads; default: as many as are idle"},
    {"json", NULL, "one JSON object: the scene, its bodies, and the messages"},
    SAFE_FLAG,
    {"schema", NULL, "print the JSON Schema of scene files, and no more"},
    {"reference", NULL, "print the reference of scene keys in Markdown, and no more"},
    {0},
};

typedef struct found {
  bool json, first;
  int count;
} found;

static void report(void *user, const char *message) {
  found *f = user;
  f->count++;
  if (!f->json) {
    cli_fail(CLI_INPUT, "%s", message);
    return;
  }
  printf("%s", f->first ? "" : ", ");
  json_string(stdout, message);
  f->first = false;
}

static int print_document(size_t (*write)(char *, size_t)) {
  size_t size = write(NULL, 0) + 1;
  char *text = malloc(size);
  if (!text) return cli_fail(CLI_INTERNAL, "out of memory");
  write(text, size);
  fputs(text, stdout);
  free(text);
  return CLI_OK;
}

/* Notes of the mesh doctor, of each mesh once. */
typedef struct mesh_notes {
  char where[512];
  char *text; /* lines */
  size_t size;
  FILE *out;
} mesh_notes;

static void note(void *user, const char *text) {
  mesh_notes *n = user;
  fprintf(n->out, "%s: mesh: %s\n", n->where, text);
}

static void note_meshes(const scree_scene *scene, const scree_world *world, mesh_notes *n) {
  const scree_shape *seen[64];
  size_t count = 0;
  const size_t limit = scree_world_body_limit(world);
  for (size_t i = 0; i < limit && count < 64; i++) {
    const scree_body_id id = scree_world_body_at(world, i);
    scree_body_info info;
    scree_mesh_report r;
    if (!id.generation || scree_body_get_info(world, id, &info) || !info.shape) continue;
    bool known = scree_shape_get_kind(info.shape) != SCREE_SHAPE_MESH;
    for (size_t k = 0; k < count && !known; k++) known = seen[k] == info.shape;
    if (known || !scree_shape_get_mesh_report(info.shape, true, &r)) continue;
    seen[count++] = info.shape;
    scree_scene_describe_body(scene, id, n->where, sizeof n->where);
    info_mesh_notes(&r, note, n);
  }
}

/* Reports joints with redundant rows: rows that follow from those of other joints. */
typedef struct redundant_notes {
  const scree_scene *scene;
  FILE *out;
} redundant_notes;

static void note_redundant(void *user, scree_joint_id joint, int rows, int held) {
  const redundant_notes *n = user;
  char where[512];
  if (!n->out) return;
  scree_scene_describe_joint(n->scene, joint, where, sizeof where);
  fprintf(n->out, "%s: %d of its %d rows are redundant: joints before it imply them\n", where, rows,
          held);
}

static scree_status check(scree_context *context, const char *path, const scree_scene_def *def,
                          size_t *bodies, scree_freedom *freedom, char *title, size_t title_size,
                          mesh_notes *notes) {
  scree_scene *scene = NULL;
  scree_world *world = NULL;
  scree_status status = scree_scene_load(context, path, def, &scene);
  if (!status) status = scree_scene_build(scene, &world);
  if (!status) {
    *bodies = scree_world_body_count(world);
    snprintf(title, title_size, "%s", scree_scene_get_settings(scene)->title);
    if (notes->out) note_meshes(scene, world, notes);
    scree_fit fit;
    if (notes->out && scree_scene_get_fit(scene, &fit))
      fprintf(notes->out,
              "joints: %.3g m apart as given; closed to %.1e m, bodies moved by up to %.3g m and "
              "%.3g rad\n",
              fit.misfit_before, fit.misfit, fit.moved, fit.turned);
    redundant_notes redundant = {scene, notes->out};
    status = scree_world_count_freedom(world, note_redundant, &redundant, freedom);
    scree_world_destroy(world);
    if (!status) status = scree_sim_check(scene, def->report, def->report_user);
  }
  scree_scene_destroy(scene);
  return status;
}

static int check_scene(scree_context *context, const cli_args *args, const char **sets) {
  size_t set_count = 0, bodies = 0;
  for (size_t i = 0; i < args->given_count; i++)
    if (strcmp(args->given[i].flag->name, "set") == 0) sets[set_count++] = args->given[i].value;
  char path[4096], title[256] = "";
  int code = simulate_find(context, args->operand[0], path, sizeof path);
  if (code) return code;
  found f = {.json = cli_has(args, "json"), .first = true};
  scree_scene_def def = scree_scene_def_default();
  def.set_count = set_count;
  def.sets = sets;
  def.report = report;
  def.report_user = &f;
  def.confined = cli_has(args, "safe");
  def.note = cli_note_line;
  bool first = true;
  if (f.json) {
    printf("{");
    json_text_member(stdout, &first, "scene", path);
    json_key(stdout, &first, "messages");
    printf("[");
  }
  mesh_notes notes = {0};
  scree_freedom freedom = {0};
  notes.out = open_memstream(&notes.text, &notes.size);
  scree_status status = check(context, path, &def, &bodies, &freedom, title, sizeof title, &notes);
  if (notes.out) fclose(notes.out);
  if (status && !f.count) report(&f, scree_context_message(context));
  if (f.json) {
    printf("]");
    json_whole_member(stdout, &first, "bodies", (long long)bodies);
    json_whole_member(stdout, &first, "joints", (long long)freedom.joints);
    if (!status && !freedom.uncounted_joints) {
      json_whole_member(stdout, &first, "degrees_of_freedom", (long long)freedom.freedom);
      json_whole_member(stdout, &first, "redundant_rows", (long long)freedom.redundant);
    }
    json_key(stdout, &first, "ok");
    printf("%s", status ? "false" : "true");
    if (notes.text && *notes.text) {
      json_key(stdout, &first, "notes");
      printf("[");
      for (char *line = strtok(notes.text, "\n"); line; line = strtok(NULL, "\n")) {
        printf("%s", line == notes.text ? "" : ", ");
        json_string(stdout, line);
      }
      printf("]");
    }
    printf("}\n");
  } else if (!status) {
    for (char *line = notes.text ? strtok(notes.text, "\n") : NULL; line;
         line = strtok(NULL, "\n")) {
      cli_put_clean(stdout, line);
      putchar('\n');
    }
    printf("%s: fine; %zu %s", path, bodies, bodies == 1 ? "body" : "bodies");
    if (freedom.joints && freedom.uncounted_joints)
      printf(", %zu joints, %zu of them in machines too large to count", freedom.joints,
             freedom.uncounted_joints);
    else if (freedom.joints)
      printf(", %zu joints, %zu degrees of freedom, %zu redundant rows", freedom.joints,
             freedom.freedom, freedom.redundant);
    printf("%s", *title ? ": " : "");
    cli_put_clean(stdout, title);
    putchar('\n');
  }
  free(notes.text);
  return cli_code(status);
}

static int run(cli_args *args) {
  if (cli_has(args, "schema")) return print_document(scree_scene_schema);
  if (cli_has(args, "reference")) return print_document(scree_scene_reference);
  if (!args->operand_count) return cli_fail(CLI_USAGE, "SCENE is missing");
  int code = safe_begin(args);
  if (code) return code;
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  const char **sets = calloc(args->given_count + 1, sizeof *sets);
  code = sets ? check_scene(context, args, sets) : cli_fail(CLI_INTERNAL, "out of memory");
  free(sets);
  scree_context_destroy(context);
  return code;
}

const cli_verb cli_verb_check = {
    .name = "check",
    .operands = "SCENE|NAME",
    .operand_min = 0,
    .operand_max = 1,
    .summary = "find what is wrong with a scene, with file, line and column",
    .flags = flags,
    .run = run,
};

/* `scree salvage`: what is intact in a damaged recording. */
#include "cli/file.h"
#include "cli/run/simulate.h"

static const cli_flag flags[] = {
    {"out", "FILE", "the new recording"},
    {"scene", "SCENE", "the scene that was run, where the one inside is damaged"},
    {"force", NULL, "replace a file of that name; else it is kept and nothing is written"},
    {"json", NULL, "say what was saved as one JSON object"},
    {0},
};

static void report(void *user, const char *message) {
  (void)user;
  cli_note("lost: %s", message);
}

static void print_saved(const cli_args *args, const char *out, const scree_salvage_info *i) {
  if (!cli_has(args, "json")) {
    printf("%s: %zu frames of %zu, %zu steps of %zu, %zu of %zu bodies in the list\n", out,
           i->frames, i->frames + i->lost_frames, i->steps, i->steps + i->lost_steps, i->bodies,
           i->bodies + i->lost_bodies);
    return;
  }
  bool first = true;
  printf("{");
  json_text_member(stdout, &first, "recording", args->operand[0]);
  json_text_member(stdout, &first, "out", out);
  json_whole_member(stdout, &first, "frames", (long long)i->frames);
  json_whole_member(stdout, &first, "lost_frames", (long long)i->lost_frames);
  json_whole_member(stdout, &first, "steps", (long long)i->steps);
  json_whole_member(stdout, &first, "lost_steps", (long long)i->lost_steps);
  json_whole_member(stdout, &first, "bodies", (long long)i->bodies);
  json_whole_member(stdout, &first, "lost_bodies", (long long)i->lost_bodies);
  printf("}\n");
}

static scree_status load_scene(scree_context *context, const char *name, scree_scene **scene,
                               int *code) {
  char path[4096];
  *code = simulate_find(context, name, path, sizeof path);
  return *code ? SCREE_OK : scree_scene_load(context, path, NULL, scene);
}

static int run(cli_args *args) {
  const char *out = cli_text(args, "out", NULL), *name = cli_text(args, "scene", NULL);
  if (!out) return cli_fail(CLI_USAGE, "--out FILE is required: the new recording");
  int code = CLI_OK;
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  scree_recording *recording = NULL;
  scree_scene *scene = NULL;
  scree_salvage_info info = {0};
  scree_status status = scree_recording_open_damaged(context, args->operand[0], &recording);
  if (!status) cli_remark(recording, args->operand[0]);
  if (!status && name) status = load_scene(context, name, &scene, &code);
  if (!status && !code) {
    const scree_salvage_def def = {
        .out = out, .replace = cli_has(args, "force"), .scene = scene, .report = report};
    status = scree_recording_salvage(recording, &def, &info);
  }
  if (status)
    code = cli_fail(cli_code(status), "%s", scree_context_message(context));
  else if (!code)
    print_saved(args, out, &info);
  scree_recording_close(recording);
  scree_scene_destroy(scene);
  scree_context_destroy(context);
  return code;
}

const cli_verb cli_verb_salvage = {
    .name = "salvage",
    .operands = "RUN",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "save all that is intact in a damaged recording to a new one",
    .details =
        "Damaged frames are left out, damaged rows of the log of steps become NaN; each loss is\n"
        "reported. Exit 0: the new recording is whole, whatever was lost. The old one is not "
        "touched.",
    .flags = flags,
    .run = run,
};

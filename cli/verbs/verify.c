/* `scree verify`: is a recording, with its checkpoints and probes, as the run wrote it? */
#include "cli/cli.h"

static const cli_flag flags[] = {
    {"json", NULL, "say what was found as one JSON object"},
    {0},
};

static void report(void *user, const char *message) {
  ++*(size_t *)user;
  cli_fail(CLI_INPUT, "%s", message);
}

static void print_json(const char *path, const scree_recording_faults *f) {
  bool first = true;
  printf("{");
  json_text_member(stdout, &first, "recording", path);
  json_key(stdout, &first, "checksums");
  printf(f->checksums ? "true" : "false");
  json_whole_member(stdout, &first, "frames", (long long)f->frames);
  json_whole_member(stdout, &first, "bad_frames", (long long)f->bad_frames);
  json_whole_member(stdout, &first, "unfinished_frames", (long long)f->unfinished);
  json_whole_member(stdout, &first, "steps", (long long)f->steps);
  json_whole_member(stdout, &first, "probes", (long long)f->probes);
  json_whole_member(stdout, &first, "checkpoints", (long long)f->checkpoints);
  json_whole_member(stdout, &first, "faults", (long long)f->faults);
  json_whole_member(stdout, &first, "loose_bytes", (long long)f->loose);
  json_whole_member(stdout, &first, "foreign_checkpoints", (long long)f->foreign);
  printf("}\n");
}

static int run(cli_args *args) {
  const char *path = args->operand[0];
  int code = CLI_OK;
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  scree_recording_faults f;
  size_t reported = 0;
  const scree_status status = scree_recording_verify(context, path, report, &reported, &f);
  code = cli_code(status);
  if (status && !f.faults) cli_fail(code, "%s", scree_context_message(context));
  if (!status || f.faults) {
    if (cli_has(args, "json"))
      print_json(path, &f);
    else
      printf("%s: %zu frames, %zu steps, %zu probes, %zu checkpoints: %s\n", path, f.frames,
             f.steps, f.probes, f.checkpoints,
             f.faults      ? "damaged"
             : f.checksums ? "intact"
                           : "of sound form; it carries no checksums");
    if (!cli_has(args, "json") && f.faults)
      printf("%zu faults, %zu frames damaged; `scree salvage` saves what is intact\n", f.faults,
             f.bad_frames);
    if (!cli_has(args, "json") && f.unfinished)
      printf("%zu frames at the end were not finished by a run that was killed; they do not "
             "count\n",
             f.unfinished);
    if (!cli_has(args, "json") && f.foreign)
      printf(
          "%zu checkpoints are of another version of Scree: they are whole, but tables of probes "
          "were not compared with them\n",
          f.foreign);
    if (!cli_has(args, "json") && f.loose)
      printf("%zu bytes of tables lie behind the last checkpoint: no checksum covers them\n",
             f.loose);
  }
  scree_context_destroy(context);
  return code;
}

const cli_verb cli_verb_verify = {
    .name = "verify",
    .operands = "RUN",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "compare a recording, its checkpoints and probes with their checksums",
    .details =
        "Exit 0: all is as the run wrote it; 3: something is not, and each fault was reported\n"
        "with its place. A recording of format 2 has no checksums: only its form is looked\n"
        "at.",
    .flags = flags,
    .run = run,
};

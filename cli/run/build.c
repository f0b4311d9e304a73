/* See build.h. */
#include "cli/run/build.h"

#include <stdlib.h>
#include <string.h>

#include "cli/run/safe.h"
#include "cli/run/simulate.h"

static void report(void *user, const char *message) {
  int *count = user;
  (*count)++;
  cli_fail(CLI_INPUT, "%s", message);
}

static int load(const cli_args *args, built *b, const char **sets) {
  char path[4096];
  size_t set_count = 0;
  int faults = 0;
  for (size_t i = 0; i < args->given_count; i++)
    if (strcmp(args->given[i].flag->name, "set") == 0) sets[set_count++] = args->given[i].value;
  const int code = simulate_find(b->context, args->operand[0], path, sizeof path);
  if (code) return code;
  scree_scene_def def = scree_scene_def_default();
  def.set_count = set_count;
  def.sets = sets;
  def.report = report;
  def.report_user = &faults;
  def.confined = cli_has(args, "safe");
  scree_status status = scree_scene_load(b->context, path, &def, &b->scene);
  if (!status) status = scree_scene_build(b->scene, &b->world);
  if (!status) status = scree_scene_before_step(b->scene, b->world, 0.0);
  if (status && !faults) cli_fail(cli_code(status), "%s", scree_context_message(b->context));
  return cli_code(status);
}

int build_open(const cli_args *args, built *b) {
  memset(b, 0, sizeof *b);
  int code = safe_begin(args);
  if (code) return code;
  b->context = cli_context(args, &code);
  if (!b->context) return code;
  const char **sets = calloc(args->given_count + 1, sizeof *sets);
  code = sets ? load(args, b, sets) : cli_fail(CLI_INTERNAL, "out of memory");
  free(sets);
  return code;
}

void build_close(built *b) {
  scree_world_destroy(b->world);
  scree_scene_destroy(b->scene);
  scree_context_destroy(b->context);
}

void build_name(const built *b, scree_body_id id, char *text, size_t size) {
  char all[512];
  scree_scene_describe_body(b->scene, id, all, sizeof all);
  const char *open = strchr(all, '\''), *close = open ? strrchr(all, '\'') : NULL;
  if (close > open + 1)
    snprintf(text, size, "%.*s", (int)(close - open - 1), open + 1);
  else
    snprintf(text, size, "%u", id.index);
}

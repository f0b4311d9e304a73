/* `scree run`: a scene through time. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/file.h"
#include "cli/run/live.h"
#include "cli/run/safe.h"
#include "cli/run/simulate.h"
#include "cli/run/spread.h"

static const cli_flag flags[] = {
    {"out", "FILE", "record to this HDF5 file, with probes and the checkpoint beside it"},
    {"force", NULL, "replace results of the same names; else they are kept and the run is refused"},
    {"duration", "S", "simulated seconds, in place of the scene's"},
    {"from", "FILE[@TIME]",
     "begin with the states of bodies of the same names in a recording, at its end or at a time"},
    {"threads", "N", "threads; results do not depend on it; default: as many as are idle"},
    {"device", "NAME",
     "work on large problems by OpenCL: a part of a device's name, or any ('scree list devices')"},
    {"device-blocks", "N",
     "the least contacts and joints of a problem for the device; default 1000"},
    {"solver", "NAME", "solver, in place of the scene's ('scree list solvers')"},
    {"model", "relaxed|coulomb", "friction law, in place of the scene's"},
    {"set", "KEY=VALUE",
     "change a value of the scene, or a parameter by its name; may be repeated"},
    {"json", NULL, "the last line of stdout is one JSON object"},
    {"export-problem", "STEP", "save the cone problem of this step (from 1) as FCLIB HDF5"},
    {"export-to", "FILE", "where to; default NAME-STEP.hdf5"},
    {"view", NULL,
     "show it in a browser while it goes on; without --out it can be changed by hand"},
    {"port", "N", "port of --view at 127.0.0.1; default: any that is free"},
    SAFE_FLAG,
    {"strict", NULL, "exit 4 when a step did not reach its tolerance"},
    {0},
};

typedef struct changes {
  const char **sets;
  char (*texts)[4352];
  size_t count;
} changes;

static bool sets_section(const struct cli_given *given) {
  return strcmp(given->flag->name, "set") == 0 && strncmp(given->value, "solver=", 7) == 0;
}

/* --solver, --model and --duration are changes of the scene like any other, and so are recorded.
 * The last one of a key holds; but `--set solver={…}`, a whole section, comes first: it must not
 * undo the solver or the model that was named. */
static int collect_changes(const cli_args *args, changes *c) {
  static const struct {
    const char *flag, *key;
  } words[] = {{"duration", "duration"},
               {"solver", "solver.name"},
               {"model", "solver.model"},
               {"from", "from"}};
  c->sets = calloc(args->given_count + 1, sizeof *c->sets);
  c->texts = calloc(args->given_count + 1, sizeof *c->texts);
  if (!c->sets || !c->texts) return cli_fail(CLI_INTERNAL, "out of memory");
  for (size_t i = 0; i < args->given_count; i++)
    if (sets_section(&args->given[i])) c->sets[c->count++] = args->given[i].value;
  for (size_t i = 0; i < args->given_count; i++) {
    const char *name = args->given[i].flag->name, *value = args->given[i].value;
    if (strcmp(name, "set") == 0 && !sets_section(&args->given[i])) c->sets[c->count++] = value;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
      if (strcmp(name, words[k].flag) != 0) continue;
      snprintf(c->texts[c->count], sizeof *c->texts, "%s=%s", words[k].key, value);
      c->sets[c->count] = c->texts[c->count];
      c->count++;
    }
  }
  return CLI_OK;
}

static void report(void *user, const char *message) {
  ++*(int *)user;
  cli_fail(CLI_INPUT, "%s", message);
}

static int fail(scree_context *context, scree_status status, int reported) {
  if (reported) return cli_code(status);
  return cli_fail(cli_code(status), "%s", scree_context_message(context));
}

/* The exact model with a solver that lacks it: where both were given they exclude each other on
 * the command line, else the solver gives way; where the model was not, the run is relaxed. */
static int check_model(const scree_scene *scene, const cli_args *args) {
  const scree_scene_settings *s = scree_scene_get_settings(scene);
  const char *solver = s->solver.solver;
  if (!solver) return CLI_OK;
  if (!s->model_given && s->solver.model == SCREE_MODEL_RELAXED)
    cli_note("%s has only the relaxed model: this run is relaxed; leave out the solver for exact "
             "friction",
             solver);
  if (s->solver.model != SCREE_MODEL_COULOMB) return CLI_OK;
  for (size_t i = 0; i < scree_solver_count(); i++) {
    if (strcmp(scree_solver_name(i), solver) != 0 || scree_solver_has_coulomb(i)) continue;
    if (cli_has(args, "solver"))
      return cli_fail(CLI_USAGE, "%s has only the relaxed model; leave out --solver or choose auto",
                      solver);
    cli_note("%s has only the relaxed model; auto solves the exact one in its place", solver);
  }
  return CLI_OK;
}

/* Whether the problem of a step would replace what the scene is read from. Meshes and tables are
 * known when it has been built; before that there would be a recording already. */
static int spare_inputs(scree_context *context, scree_scene *scene, const simulate_def *def,
                        int *reported) {
  if (!def->export_step || access(def->export_path, F_OK) != 0) return CLI_OK;
  scree_world *world = NULL;
  const scree_status status = scree_scene_build(scene, &world);
  scree_world_destroy(world);
  return status ? fail(context, status, *reported) : file_refuse_scene(scene);
}

/* `reported` counts the faults that were printed: the scene's own, which are found when it is read
 * or built, and those of the run. */
static int run_scene(scree_context *context, scree_scene *scene, const cli_args *args,
                     simulate_def *def, int *reported) {
  const int fault = check_model(scene, args);
  if (fault) return fault;
  char path[4096];
  int code = simulate_export_path(args, def, path, sizeof path);
  if (!code) code = spare_inputs(context, scene, def, reported);
  if (code) return code;
  scree_sim_def sim_def = scree_sim_def_default();
  sim_def.out = def->out;
  sim_def.replace = cli_has(args, "force");
  sim_def.report = report;
  sim_def.report_user = reported;
  if (spread_count() > 1 && (cli_has(args, "view") || def->export_step))
    return cli_fail(CLI_USAGE, "on several ranks there is no --view and no --export-problem yet");
  if (cli_has(args, "view")) return live_run(context, scene, args, &sim_def, def);
  scree_sim *sim = NULL;
  scree_status status = scree_sim_create(scene, &sim_def, &sim);
  if (!status && *scree_sim_remark(sim)) cli_note("%s", scree_sim_remark(sim));
  code = status ? fail(context, status, *reported) : simulate(context, sim, def);
  scree_sim_destroy(sim);
  return code;
}

static int load_scene(scree_context *context, const char *path, const cli_args *args,
                      const changes *c, int *reported, scree_scene **scene) {
  scree_scene_def def = scree_scene_def_default();
  def.set_count = c->count;
  def.sets = c->sets;
  def.report = report;
  def.report_user = reported;
  def.confined = cli_has(args, "safe");
  def.note = cli_note_line;
  const scree_status status = scree_scene_load(context, path, &def, scene);
  return status ? fail(context, status, *reported) : CLI_OK;
}

static int run(cli_args *args) {
  simulate_def def = {.scene = args->operand[0],
                      .out = cli_text(args, "out", NULL),
                      .json = cli_has(args, "json"),
                      .strict = cli_has(args, "strict")};
  if (cli_has(args, "view") && cli_has(args, "export-problem"))
    return cli_fail(CLI_USAGE, "--view and --export-problem exclude each other");
  if (cli_has(args, "view") && cli_has(args, "safe"))
    return cli_fail(CLI_USAGE, "--safe allows no network, so there is no --view with it");
  if (cli_has(args, "port") && !cli_has(args, "view"))
    return cli_fail(CLI_USAGE, "--port is for --view");
  if (!cli_whole(args, "export-problem", 1, 2000000000, &def.export_step)) return CLI_USAGE;
  int code = safe_begin(args);
  if (code) return code;
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  code = spread_begin(context, args);
  if (code) return code;
  if (!spread_is_first()) def.out = NULL;
  cli_begin_early();
  cli_catch_interrupts();
  char path[4096];
  changes c = {0};
  code = simulate_find(context, def.scene, path, sizeof path);
  if (!code) code = collect_changes(args, &c);
  int reported = 0;
  scree_scene *scene = NULL;
  if (!code) code = load_scene(context, path, args, &c, &reported, &scene);
  /* A file may be missing on one machine alone: no rank waits for one that has ended. */
  if (spread_any(context, code != CLI_OK) && !code)
    code = cli_fail(CLI_INPUT, "another rank could not read the scene");
  if (!code) code = run_scene(context, scene, args, &def, &reported);
  scree_scene_destroy(scene);
  free(c.sets);
  free(c.texts);
  spread_end(context, code);
  scree_context_destroy(context);
  return code;
}

const cli_verb cli_verb_run = {
    .name = "run",
    .operands = "SCENE|NAME",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "run a scene: a file, or one of the gallery ('scree list scenes')",
    .details = "Ctrl-C writes a checkpoint and exits 7; 'scree resume FILE' goes on. A recording\n"
               "survives being killed at any moment.",
    .flags = flags,
    .run = run,
};

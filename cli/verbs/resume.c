/* `scree resume`: goes on with a run that was stopped or killed. */
#include "cli/file.h"
#include "cli/run/simulate.h"
#include "cli/run/spread.h"

static const cli_flag flags[] = {
    {"duration", "S", "simulated seconds of the whole run, in place of the scene's"},
    {"threads", "N", "threads; results do not depend on it; default: as many as are idle"},
    {"device", "NAME",
     "work on large problems by OpenCL: a part of a device's name, or any ('scree list devices')"},
    {"device-blocks", "N",
     "the least contacts and joints of a problem for the device; default 1000"},
    {"export-problem", "STEP", "save the cone problem of this step (from 1) as FCLIB HDF5"},
    {"export-to", "FILE", "where to; default NAME-STEP.hdf5"},
    {"force", NULL, "replace a problem of that name; else it is kept and nothing is done"},
    {"json", NULL, "the last line of stdout is one JSON object"},
    {"strict", NULL, "exit 4 when a step did not reach its tolerance"},
    {0},
};

static int run(cli_args *args) {
  double duration = 0.0;
  long export_step = 0;
  if (!cli_real(args, "duration", 0.0, 1e12, &duration) ||
      !cli_whole(args, "export-problem", 1, 2000000000, &export_step))
    return CLI_USAGE;
  int code;
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  code = spread_begin(context, args);
  if (code) return code;
  if (spread_count() > 1 && export_step)
    return cli_fail(CLI_USAGE, "on several ranks there is no --export-problem yet");
  cli_begin_early();
  cli_catch_interrupts();
  scree_sim *sim = NULL;
  scree_status status = scree_sim_resume(context, args->operand[0], duration, &sim);
  if (status) {
    code = cli_fail(cli_code(status), "%s", scree_context_message(context));
  } else {
    if (*scree_sim_remark(sim)) cli_note("%s: %s", args->operand[0], scree_sim_remark(sim));
    if (scree_sim_done(sim) && !cli_has(args, "json"))
      cli_note("%s: this run has ended; --duration with more seconds makes it go on",
               args->operand[0]);
    simulate_def def = {.scene = scree_scene_file_path(scree_sim_scene(sim), 0),
                        .out = args->operand[0],
                        .json = cli_has(args, "json"),
                        .strict = cli_has(args, "strict"),
                        .export_step = export_step};
    char path[4096];
    code = simulate_export_path(args, &def, path, sizeof path);
    if (!code) code = file_refuse_scene(scree_sim_scene(sim));
    if (!code) code = simulate(context, sim, &def);
  }
  scree_sim_destroy(sim);
  spread_end(context, code);
  scree_context_destroy(context);
  return code;
}

const cli_verb cli_verb_resume = {
    .name = "resume",
    .operands = "FILE",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "go on with a recorded run from its checkpoint; it ends with the same bits",
    .flags = flags,
    .run = run,
};

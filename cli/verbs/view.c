/* `scree view`: a recording in a browser. */
#include <time.h>

#include "cli/picture/export_html.h"
#include "cli/run/live.h"

static const cli_flag flags[] = {
    {"port", "N", "listen at this port of 127.0.0.1; default: any that is free"},
    {"threads", "N", "threads"},
    {0},
};

static int show(scree_context *context, scree_recording *recording, const cli_args *args) {
  scree_scene *scene;
  scree_world *world; /* probes are known when it is built */
  export_probes probes = {0};
  int code = CLI_OK;
  scree_status status = scree_recording_get_scene(recording, &scene, &world);
  if (status) return cli_fail(cli_code(status), "%s", scree_context_message(context));
  cli_remark(recording, args->operand[0]);
  code = export_probes_read(&probes, scene, args->operand[0]);
  if (code) return code;
  scree_server *server = live_server(context, args, &code);
  if (server) {
    status = scree_server_show(server, recording, probes.count, probes.tables);
    if (status) {
      code = cli_fail(cli_code(status), "%s", scree_context_message(context));
    } else {
      cli_note("open %s in a browser; Ctrl-C ends", scree_server_address(server));
      while (!cli_interrupted()) nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
  }
  scree_server_destroy(server);
  export_probes_clear(&probes);
  return code;
}

static int run(cli_args *args) {
  int code = CLI_OK;
  scree_context *context = cli_context(args, &code);
  if (!context) return code;
  cli_catch_interrupts();
  scree_recording *recording = NULL;
  const scree_status status = scree_recording_open(context, args->operand[0], &recording);
  if (status)
    code = cli_fail(cli_code(status), "%s", scree_context_message(context));
  else if (!scree_recording_frame_count(recording))
    code = cli_fail(CLI_INPUT, "%s: it has no frame yet", args->operand[0]);
  else
    code = show(context, recording, args);
  scree_recording_close(recording);
  scree_context_destroy(context);
  return code;
}

const cli_verb cli_verb_view = {
    .name = "view",
    .operands = "RUN",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "show a recording in a browser on this machine",
    .details = "The address that is reported holds a secret: it is for you alone. Nothing is "
               "reached from\n"
               "other machines. 'scree run SCENE --view' shows a run while it goes on, and\n"
               "'scree export RUN --html FILE' makes a page that needs no server.",
    .flags = flags,
    .run = run,
};

/* See live.h. */
#include "cli/run/live.h"

#include <string.h>
#include <time.h>

/* Called by the server's thread: one line at a time. */
static void told(void *user, const char *message) {
  (void)user;
  cli_note("%s", message);
}

scree_server *live_server(scree_context *context, const cli_args *args, int *code) {
  scree_server *server = NULL;
  scree_server_def def = scree_server_def_default();
  long port = 0;
  *code = CLI_OK;
  if (!cli_whole(args, "port", 1, 65535, &port)) {
    *code = CLI_USAGE;
    return NULL;
  }
  def.port = (int)port;
  def.report = told;
  const scree_status status = scree_server_create(context, &def, &server);
  if (status) *code = cli_fail(cli_code(status), "%s", scree_context_message(context));
  return server;
}

typedef struct live {
  scree_context *context;
  scree_scene *scene;
  scree_sim_def sim_def;
  const simulate_def *def;
  scree_server *server;
  scree_server_run run;
  scree_sim *sim;
  bool ended, changed, seen;
  int code; /* of the last run that ended */
} live;

static int fail(const live *l, scree_status status) {
  return cli_fail(cli_code(status), "%s", scree_context_message(l->context));
}

static scree_status begin(live *l) {
  scree_sim_destroy(l->sim);
  l->sim = NULL;
  l->ended = false;
  scree_status status = scree_sim_create(l->scene, &l->sim_def, &l->sim);
  if (!status) status = scree_server_begin_run(l->server, l->sim, &l->run);
  return status;
}

static void end(live *l) {
  l->ended = true;
  if (l->changed) cli_note("the run was changed by hand: its numbers are not those of its scene");
  l->code = simulate_end(l->context, l->sim, l->def);
  cli_flush();
  cli_note("the run has ended; Ctrl-C closes the view");
}

/* Of this thread, s. */
static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void tell_cost(const live *l, double spent) {
  const scree_server_cost cost = scree_server_get_cost(l->server);
  if (cost.states && spent > 0.0)
    cli_note("view: %llu states were copied for readers, %.2g %% of the run's %.3g s of CPU time",
             (unsigned long long)cost.states, 100.0 * cost.seconds / spent, spent);
}

static scree_status loop(live *l) {
  scree_status status = SCREE_OK;
  while (!cli_interrupted() && !status) {
    scree_server_wish wish;
    scree_step_info info;
    status = scree_server_obey(l->server, l->sim, 0.1, &wish);
    l->changed = wish.changed;
    if (!status && wish.restart) {
      status = begin(l);
      continue;
    }
    if (!l->ended && scree_sim_done(l->sim)) end(l);
    /* A run that is not recorded begins when the first reader is there. */
    l->seen = l->seen || l->def->out || scree_server_reader_count(l->server);
    if (!l->seen) nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    if (status || wish.paused || wish.waited || !l->seen) continue;
    status = scree_sim_step(l->sim, &info);
    /* Interrupted within a step: the run stays at the end of the one before. */
    if (status == SCREE_ERROR_STOPPED) return SCREE_OK;
    if (!status) status = scree_server_after_step(l->server, l->sim, &info);
  }
  return status;
}

int live_run(scree_context *context, scree_scene *scene, const cli_args *args,
             const scree_sim_def *sim_def, const simulate_def *def) {
  live l = {.context = context,
            .scene = scene,
            .sim_def = *sim_def,
            .def = def,
            .run = scree_server_run_default()};
  if (def->out) {
    l.run.changeable = false;
    l.run.pace = 0.0;
    l.run.remark = "This run is recorded: it can be paused and stepped, not changed.";
  }
  cli_catch_interrupts();
  scree_status status = scree_sim_create(scene, &l.sim_def, &l.sim);
  cli_begin_work();
  if (status) return fail(&l, status);
  l.sim_def.check_overlap = false;
  l.server = live_server(context, args, &l.code);
  if (l.server) {
    status = scree_server_begin_run(l.server, l.sim, &l.run);
    if (!status) {
      cli_note("open %s in a browser; Ctrl-C ends", scree_server_address(l.server));
      const double began = cpu_seconds();
      status = loop(&l);
      tell_cost(&l, cpu_seconds() - began);
    }
    if (status)
      l.code = fail(&l, status);
    else if (!l.ended && def->out)
      l.code = simulate_end(context, l.sim, def);
    else if (!l.ended) {
      cli_note("the view was closed before the end of the run; nothing was recorded");
      l.code = CLI_INTERRUPTED;
    }
  }
  scree_server_destroy(l.server);
  scree_sim_destroy(l.sim);
  return l.code;
}

/* Scree, serve: a recording or a live run in a browser on this machine.
 *
 *   scree_server *server;  scree_server_create(context, NULL, &server);
 *   puts(scree_server_address(server));
 *   scree_server_begin_run(server, sim, NULL);
 *   while (!scree_sim_done(sim)) {
 *     scree_server_wish wish;
 *     scree_server_obey(server, sim, 0.0, &wish);   // what the reader asks for
 *     scree_step_info info;
 *     scree_sim_step(sim, &info);
 *     scree_server_after_step(server, sim, &info);
 *   }
 *
 * It listens at 127.0.0.1 alone, and answers only to addresses that hold its token, by the names
 * 127.0.0.1 and localhost, and to pages that it served itself. It has a thread of its own; a run
 * copies its state for it when a reader waits for one, and never waits for a reader. docs/viewer.md
 * describes the page, docs/security.md what is promised. */
#ifndef SCREE_SERVE_H
#define SCREE_SERVE_H

#include "scree/sim.h"
#include "scree/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_server scree_server;

typedef struct scree_server_def {
  uint32_t cookie; /* set by scree_server_def_default */
  int port;        /* default 0: any that is free */
  /* What was refused, a line each, called by the server's thread; may be null. Of each kind three
   * are reported, then the 10th, the 100th and so on. */
  scree_report_function report;
  void *report_user;
} scree_server_def;

/* Is it a part of this library? Else create is SCREE_ERROR_UNSUPPORTED. */
SCREE_API bool scree_server_is_there(void);
SCREE_API scree_server_def scree_server_def_default(void);
/* def null: the default. */
SCREE_API scree_status scree_server_create(scree_context *context, const scree_server_def *def,
                                           scree_server **server);
/* Null is allowed. */
SCREE_API void scree_server_destroy(scree_server *server);
/* "http://127.0.0.1:PORT/TOKEN/". */
SCREE_API const char *scree_server_address(const scree_server *server);
/* Readers that are connected now. */
SCREE_API size_t scree_server_reader_count(const scree_server *server);
/* What readers have cost the run's own thread: states that were copied for them, and the CPU time
 * of that, s. */
typedef struct scree_server_cost {
  uint64_t states;
  double seconds;
} scree_server_cost;
SCREE_API scree_server_cost scree_server_get_cost(const scree_server *server);

/* Shows a recording, which with its context is the server's own until it is destroyed. Tables are
 * copied. */
SCREE_API scree_status scree_server_show(scree_server *server, scree_recording *recording,
                                         size_t table_count, const scree_view_table *tables);

typedef struct scree_server_run {
  uint32_t cookie;    /* set by scree_server_run_default */
  bool changeable;    /* by hand: gravity, motors, materials, pulling, starting again */
  const char *remark; /* shown to the reader; "" for none */
  double pace;        /* simulated seconds in a second at most, 0: no limit; default 1 */
} scree_server_run;
SCREE_API scree_server_run scree_server_run_default(void);
/* A run that begins, or begins anew. */
SCREE_API scree_status scree_server_begin_run(scree_server *server, scree_sim *sim,
                                              const scree_server_run *run);
/* Cheap where no reader waits. */
SCREE_API scree_status scree_server_after_step(scree_server *server, scree_sim *sim,
                                               const scree_step_info *info);
/* What the caller has to do. The rest is done to the world: gravity, motors, materials, and the
 * force of a spring on a body that is pulled, for the next step. */
typedef struct scree_server_wish {
  bool paused;  /* do not step, but ask again */
  bool restart; /* destroy the run, make it anew, begin_run */
  bool waited;  /* the run is ahead of its pace: do not step yet */
  bool changed; /* by hand, since it began */
} scree_server_wish;
/* Waits up to so many seconds while there is nothing to do (paused, ahead of its pace, or over). */
SCREE_API scree_status scree_server_obey(scree_server *server, scree_sim *sim, double seconds,
                                         scree_server_wish *wish);

#ifdef __cplusplus
}
#endif
#endif

/* Scree, sim: a run of a scene. World, stepper, recording, probes, emitters and checkpoints as one.
 *
 *   scree_sim_def def = scree_sim_def_default();   def.out = "run.h5";
 *   scree_sim *sim;             scree_sim_create(scene, &def, &sim);
 *   while (!scree_sim_done(sim)) scree_sim_step(sim, NULL);
 *   scree_sim_finish(sim);
 *   scree_sim_summary summary;  scree_sim_get_summary(sim, &summary);
 *
 * A run that was stopped or killed goes on with scree_sim_resume, and ends with the same bits. */
#ifndef SCREE_SIM_H
#define SCREE_SIM_H

#include "scree/recording.h"
#include "scree/scene.h"
#include "scree/stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_sim scree_sim;

typedef struct scree_sim_def {
  uint32_t cookie;    /* set by scree_sim_def_default */
  const char *out;    /* the recording; null: none. Probes and the checkpoint lie beside it */
  bool replace;       /* results of the same names are replaced; default false: they are kept, and
                         the run is refused */
  bool check_overlap; /* fail when bodies overlap at the start; default true */
  scree_report_function report; /* of every overlap found, may be null */
  void *report_user;
} scree_sim_def;

SCREE_API scree_sim_def scree_sim_def_default(void);
/* The scene must outlive the run. Nothing is written when something is wrong with it. */
SCREE_API scree_status scree_sim_create(scree_scene *scene, const scree_sim_def *def,
                                        scree_sim **sim);
/* Goes on with a recording where its last good checkpoint is, or from the start when there is none.
 * The run owns its scene. A duration (s) may lengthen the run and is remembered; 0: the one given
 * before, else the scene's. */
SCREE_API scree_status scree_sim_resume(scree_context *context, const char *path, double duration,
                                        scree_sim **sim);
/* What one should know about how the run goes on, "" when all is well: there was no checkpoint, or
 * the last one was no good and the one before is used. */
SCREE_API const char *scree_sim_remark(const scree_sim *sim);
/* Closes files without a checkpoint: call finish first. Null is allowed. */
SCREE_API void scree_sim_destroy(scree_sim *sim);

SCREE_API bool scree_sim_done(const scree_sim *sim);
/* One step. SCREE_ERROR_STOPPED: the context's `stop` said so; the state is that of the last step
 * that was completed, and the run can be gone on with. SCREE_OK with info->advanced false: the
 * scene says stop at a step that does not converge, and the run is done. */
SCREE_API scree_status scree_sim_step(scree_sim *sim, scree_step_info *info);
/* Writes a checkpoint now. A run without a recording gets one first, at `path` (null: an error). */
SCREE_API scree_status scree_sim_checkpoint(scree_sim *sim, const char *path);
/* Brings everything to the files, with a last checkpoint. */
SCREE_API scree_status scree_sim_finish(scree_sim *sim);

enum { SCREE_SOLVERS_MOST = 31 };

typedef struct scree_sim_summary {
  const char *title;
  size_t bodies;            /* now */
  uint64_t steps;           /* done */
  uint64_t total_steps;     /* of the whole run */
  double simulated_seconds; /* s */
  double seconds;           /* wall time of the steps and the recording, all parts of the run */
  double seconds_collide, seconds_assemble, seconds_solve, seconds_integrate, seconds_record;
  size_t contacts;     /* of the last step */
  const char *stepper; /* its name */
  const char *solver;  /* its name; of a smooth stepper: that of its linear solver */
  scree_model model;   /* the one solved */
  uint64_t iterations; /* all */
  uint64_t nonconverged_steps;
  uint64_t retried_steps; /* did not converge at once and were solved again, with success or not */
  uint64_t hurried_steps; /* that the time budget cut short (scree_step_info) */
  uint64_t over_budget_steps; /* that took longer than it all the same */
  double slowest_step;        /* s, of the steps from solver.budget_from on */
  double time_budget;         /* of a step, s; 0: none */
  /* Steps whose last solve was ended by the solver i of the list, and by the start (impulses of the
   * step before) alone. Steps without contacts and joints are in none. */
  uint64_t method_steps[SCREE_SOLVERS_MOST], start_steps;
  uint64_t looks; /* searches for contacts made again within a step (scree_step_info), all */
  uint64_t divided_steps;    /* made in parts (scree_step_info) */
  uint64_t unresolved_parts; /* in which a pair may be through each other */
  uint64_t crowded_steps;    /* with more bounces than a step has rounds for (impacts_left) */
  size_t asleep;             /* bodies at the end (solver.sleep_after) */
  bool stopped;              /* at a step that did not converge */
  bool infeasible;           /* a step was proven to have no solution */
  double worst_residual, worst_penetration, worst_penetration_percent, relaxation_gap;
  /* Relaxed model: how far a contact that slides is pushed apart in a step, worst, of the smaller
   * diameter, and the part of all bearing contacts that are by more than 0.1 %. The run is to be
   * doubted when `relaxation_matters`. */
  double worst_lift_percent, lifted_part;
  bool relaxation_matters;
  double worst_penetration_time; /* when it was worst in percent, s */
  double infeasible_time;        /* start of the first such step, s */
  double worst_joint_error;
  /* In percent of the joint's size (scree_step_info), and the time of it, s. The run is to be
   * doubted when `joints_matter`: above 10 %. */
  double worst_joint_error_percent, worst_joint_error_time;
  bool joints_matter;
  /* Redundant rows of joints that contradict each other (scree_step_info), and when most, s. */
  double joint_contradiction, joint_contradiction_time;
  scree_joint_id contradicted_joint;
  /* rad, of smooth steppers (scree_step_info). The run is to be doubted when `turning_matters`:
   * beyond what the order of the stepper follows. */
  double worst_turning, worst_turning_time, turning_allowed;
  bool turning_matters;
  scree_energy energy;
  /* Sums over the run. `energy_error`: the error, and what contacts and joints gave where they
   * should take, as a part of the energy exchanged: the highest kinetic energy, what was dissipated
   * and the work from outside. The run is to be doubted when `energy_matters`: above 1 %. */
  scree_ledger ledger;
  double energy_error;
  double numerical_part; /* of the same: what implicit steps took from swings of links */
  bool energy_matters;
  uint64_t damped_steps; /* with numerical damping of joints */
  scree_scene_flow flow;
  uint64_t state_hash;
} scree_sim_summary;

SCREE_API void scree_sim_get_summary(const scree_sim *sim, scree_sim_summary *summary);
SCREE_API scree_scene *scree_sim_scene(const scree_sim *sim);
SCREE_API scree_world *scree_sim_world(const scree_sim *sim);
SCREE_API scree_stepper *scree_sim_stepper(const scree_sim *sim);

/* What a probe of the scene measures now: its columns (scree_probe_column_name), at most `capacity`
 * of them; returns how many there are, 0 where it has nothing to measure: its body is gone, or
 * there was no step and so no contact force yet. Sums of a plane run from the start of the run. */
SCREE_API scree_status scree_sim_get_probe(const scree_sim *sim, size_t probe, size_t capacity,
                                           double *values, size_t *count);
/* "time [s]", "x [m]", …: the columns of the tables of probes of a kind; null behind the last. */
SCREE_API const char *scree_probe_column_name(scree_probe_kind kind, size_t column);

/* The state of a run as bytes: restored into a run of the same scene, that goes on with the same
 * bits. Totals of the summary, sums of probes, emitters and events are part of it; files are not:
 * restore is refused for a run that records, where scree_sim_resume is the way. */
SCREE_API size_t scree_sim_save_size(const scree_sim *sim);
SCREE_API scree_status scree_sim_save(const scree_sim *sim, void *blob, size_t size);
SCREE_API scree_status scree_sim_restore(scree_sim *sim, const void *blob, size_t size);

/* Many runs at once, `steps` steps each, on `threads` threads (0: as many as OpenMP offers). Each
 * run must have a context of its own, best with one thread. A run that fails or stops makes no more
 * steps and does not stop the others. infos (of the last step) and statuses have an entry per run
 * and may be null. Returns the first failed status in the order of runs; each context has its
 * message. The bits of a run do not depend on the others or on the threads. */
SCREE_API scree_status scree_sim_step_many(size_t count, scree_sim *const *sims, long steps,
                                           int threads, scree_step_info *infos,
                                           scree_status *statuses);

/* Overlaps at the start, deeper than the scene allows: each is reported as
 * "file:line:column: 'name' overlaps … by …". SCREE_ERROR_INPUT when there are any. */
SCREE_API scree_status scree_sim_check(scree_scene *scene, scree_report_function report,
                                       void *user);

#ifdef __cplusplus
}
#endif
#endif

/* Inside a run. */
#ifndef SCREE_SIM_SIM_H
#define SCREE_SIM_SIM_H

#include <stdio.h>

#include "base/memory.h"
#include "recording/checkpoint_file.h"
#include "recording/recording.h"
#include "scree/sim.h"

/* What adds up over a run; a checkpoint keeps it as bytes, so it holds no pointers. */
typedef struct sim_totals {
  uint64_t steps, iterations, nonconverged;
  double seconds, collide, assemble, solve, integrate, record;
  double residual, penetration, percent, gap, joint_error, joint_percent;
  double percent_time, joint_percent_time, infeasible_time;
  double contradiction, contradiction_time;
  scree_joint_id contradicted;
  uint64_t contacts;
  scree_energy energy;
  scree_ledger ledger; /* all steps */
  double peak_kinetic; /* J */
  uint64_t damped;     /* steps */
  int32_t model, stopped, infeasible, looks, divided, unresolved;
  int32_t crowded; /* steps with more bounces than there are rounds for */
  /* What comes before the next step: 0 all of it, 1 nothing, as the step was stopped, 2 + i what
   * emitter i has left to do, as that was */
  int32_t begun;
  uint64_t retried, touching, lifted; /* steps; contacts of all steps */
  uint64_t hurried, over_budget;      /* steps */
  double slowest;                     /* step, s of wall time */
  double lift_percent;
  double turning, turning_allowed, turning_time;
  uint64_t
      method[1 + SCREE_SOLVERS_MOST]; /* steps that the start, or a solver of the list, ended */
} sim_totals;

/* A probe and its file. The side of the plane that bodies are on follows from the world, so only
 * sums are kept in a checkpoint. */
typedef struct sim_probe {
  scree_probe_def def;
  claim claim; /* of its table */
  FILE *text;  /* rows on their way to the table, in memory; null: no table */
  char *rows;
  size_t size;
  uint32_t crc; /* of the table's sums.bytes bytes */
  struct {
    double mass, up_mass, down_mass;
    uint64_t up, down;
    uint64_t bytes; /* of the table */
  } sums;
  struct side {
    uint32_t generation;
    bool above;
  } * sides;
} sim_probe;

struct scree_sim {
  scree_context *context;
  scree_scene *scene;
  bool owns_scene;
  scree_world *world;
  scree_stepper *stepper;
  const scree_scene_settings *settings;
  uint64_t total_steps;
  double duration; /* given on resuming, s; 0: the scene's */
  sim_totals totals;
  char *out; /* null: no recording */
  uint64_t run;
  recorder *recorder;
  double last_flush, last_checkpoint; /* wall time */
  bool recorded;                      /* the start is in the recording */
  bool starting;                      /* files are being made, which the caller may stop */
  bool keep_older; /* the newest checkpoint is no good: the next takes its place */
  char remark[512];
  sim_probe *probes;
  size_t probe_count;
};

/* sim.c: the totals of a state that is restored, after its scene. */
void sim_take_totals(scree_sim *sim, const sim_totals *totals);

/* probe.c */
/* Tables beside the recording: new ones, which have their names from sim_probes_publish on, or
 * those of a run that goes on, cut back to where its checkpoint was. */
scree_status sim_probes_open(scree_sim *sim, bool resumed, bool replace);
scree_status sim_probes_publish(scree_sim *sim);
/* Tables that were published for a recording that did not begin. */
void sim_probes_withdraw(scree_sim *sim);
scree_status sim_probes_write(scree_sim *sim, uint64_t step);
/* Rows of tables that have `least` bytes waiting go out; all of them, and to the disk. */
scree_status sim_probes_flush(scree_sim *sim, size_t least);
scree_status sim_probes_sync(scree_sim *sim);
void sim_probes_close(scree_sim *sim);
/* To be called after the world was set back: notes on which side of its plane each body is now. */
scree_status sim_probe_restart(scree_sim *sim, sim_probe *probe);
/* "STEM_NAME.csv" in CLAIM_PATH bytes; false: too long. */
bool sim_probe_path(const scree_sim *sim, const sim_probe *p, char *path);

/* probe_bulk.c: what many bodies do together; NaN where there are too few of them. */
enum {
  PROBE_GROUP_COLUMNS = 15,
  PROBE_SURFACE_COLUMNS = 5,
  PROBE_STRESS_COLUMNS = 16,
  PROBE_REGION_COLUMNS = 4,
  PROBE_COLUMNS = 16 /* most */
};
/* probe_stress.c */
void probe_stress(const scree_sim *sim, const scree_probe_def *def,
                  double row[PROBE_STRESS_COLUMNS]);
scree_status probe_group(const scree_world *world, const scree_probe_def *def,
                         double row[PROBE_GROUP_COLUMNS]);
scree_status probe_surface(const scree_world *world, const scree_probe_def *def,
                           double row[PROBE_SURFACE_COLUMNS]);

/* probe_region.c */
void probe_region(const scree_world *world, const scree_probe_def *def,
                  double row[PROBE_REGION_COLUMNS]);
/* The part of a ball's volume that is in a box. */
double probe_part_within(const double center[3], double radius, const double lower[3],
                         const double upper[3]);

/* spread.c: on several ranks. What cannot be divided is refused; around a checkpoint the memory of
 * contacts is put together; what rank 0 says holds; all go on from the state of rank 0. Either all
 * begin or none: a rank that goes on alone waits for the others for ever. */
scree_status sim_begin_together(scree_context *context, scree_status status);
bool sim_is_spread(const scree_sim *sim);
scree_status sim_spread(scree_sim *sim);
scree_status sim_gather_contacts(scree_sim *sim, uint64_t step);
scree_status sim_collect(scree_sim *sim);
scree_status sim_return(scree_sim *sim);
bool sim_agrees(const scree_sim *sim, bool mine);
scree_status sim_follow(scree_sim *sim, scree_status status);

/* from.c: states from the recording that the scene names, if any; what was taken is described in
 * `remark`, which may be null. */
scree_status sim_take_from(scree_scene *scene, scree_world *world, char *remark, size_t size);

/* redundant.c: adds to `remark` which joints of a smooth run have rows that others imply. */
scree_status sim_remark_redundant(scree_sim *sim);
/* Is the stepper of that name a smooth one? Null: the default, which is not. */
bool sim_is_smooth(const char *stepper);

/* checkpoint.c: side files beside the recording. */
scree_status sim_checkpoint_write(scree_sim *sim);
/* Takes up the newest that is whole and fits the recording; in->state is CHECKPOINT_ABSENT when
 * there is none at all. The caller clears `in`. */
scree_status sim_checkpoint_read(scree_sim *sim, checkpoint_in *in, recording_counts *counts);

/* Is something that happens every `every` seconds due at the end of this step? 0: always. */
bool sim_is_due(const scree_sim *sim, double every, uint64_t step);

/* What a solver or stepper said that refuses a step, with the place in the scene that names it. */
scree_status sim_place_refusal(const scree_sim *sim, scree_status status);
/* Refuses a start whose energy is no number: the ledger would be none either. */
/* Says where bodies fit between the nodes of a shell or a block. */
scree_status sim_look_for_openings(scree_scene *scene, const scree_world *w);
scree_status sim_check_energy(scree_context *context, const scree_energy *energy);
/* The stepper of a scene; `contacts_only`: for a check. */
scree_status sim_create_stepper(scree_scene *scene, scree_world *world, bool contacts_only,
                                scree_stepper **stepper);
/* How many steps a run takes; refused where they are more than can be counted. */
scree_status sim_count_steps(scree_context *context, double duration, double step, uint64_t *count);

#endif

/* Scree, coupling: a run as one half of a co-simulation. The other program gives forces, the run
 * takes its steps, motions are read back; a macro step may be repeated from a saved state.
 *
 *   scree_coupling *c;  size_t lift, z;  double force = 10.0, height = 0.0;
 *   scree_coupling_create(sim, &c);                 // sim: without a recording
 *   scree_coupling_find(c, "box.force.z", &lift);
 *   scree_coupling_find(c, "box.position.z", &z);
 *   size_t size = scree_coupling_save_size(c);      void *blob = malloc(size);
 *   scree_coupling_save(c, blob, size);
 *   do {                                            // until both halves agree
 *     scree_coupling_restore(c, blob, size);
 *     scree_coupling_set(c, 1, &lift, &force);
 *     scree_coupling_advance(c, 0.01);              // whole steps of the scene
 *     scree_coupling_get(c, 1, &z, &height);
 *   } while (height < 1.0);
 *
 * Variables, all real, by number from 0:
 *   inputs    BODY.force.x y z [N], BODY.torque.x y z [N m]: on dynamic bodies with a name, at the
 *             centre of mass, world frame, constant until set again; beside what the scene does
 *   outputs   BODY.position.x y z [m], BODY.rotation.w x y z, BODY.velocity.x y z [m/s],
 *             BODY.angular.x y z [rad/s] of the same bodies; PROBE.COLUMN of the scene's probes
 *
 * FMI 2.0 for co-simulation is written on top of it: `scree fmu`, docs/coupling.md. */
#ifndef SCREE_COUPLING_H
#define SCREE_COUPLING_H

#include "scree/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_coupling scree_coupling;

typedef struct scree_coupling_variable {
  const char *name; /* the coupling's memory */
  const char *unit; /* "" when there is none */
  bool input;
} scree_coupling_variable;

/* The run must outlive it, and is stepped by it alone. Bodies that an emitter adds later have no
 * variables. */
SCREE_API scree_status scree_coupling_create(scree_sim *sim, scree_coupling **coupling);
SCREE_API void scree_coupling_destroy(scree_coupling *coupling);

SCREE_API size_t scree_coupling_count(const scree_coupling *coupling);
SCREE_API scree_status scree_coupling_get_variable(const scree_coupling *coupling, size_t variable,
                                                   scree_coupling_variable *out);
/* SCREE_ERROR_ARGUMENT when there is none of that name, with the nearest one in the message. */
SCREE_API scree_status scree_coupling_find(const scree_coupling *coupling, const char *name,
                                           size_t *variable);

/* Inputs alone can be set; both can be read. Of a probe that has nothing to measure: 0. */
SCREE_API scree_status scree_coupling_set(scree_coupling *coupling, size_t count,
                                          const size_t *variables, const double *values);
SCREE_API scree_status scree_coupling_get(const scree_coupling *coupling, size_t count,
                                          const size_t *variables, double *values);

SCREE_API double scree_coupling_time(const scree_coupling *coupling);
/* A whole number of the scene's steps; anything else is refused. The scene's duration does not end
 * it. */
SCREE_API scree_status scree_coupling_advance(scree_coupling *coupling, double time_step);

/* The state of the run and the inputs as bytes: from there it goes on with the same bits. What it
 * takes changes from step to step; there may be more room than that. */
SCREE_API size_t scree_coupling_save_size(const scree_coupling *coupling);
SCREE_API scree_status scree_coupling_save(const scree_coupling *coupling, void *blob, size_t size);
SCREE_API scree_status scree_coupling_restore(scree_coupling *coupling, const void *blob,
                                              size_t size);

#ifdef __cplusplus
}
#endif
#endif

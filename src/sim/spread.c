/* A run on several ranks. Every rank makes all steps with the same bodies; rank 0 alone has files.
 * What depends on the clock or on a signal is decided by one and reported to all. */
#include <string.h>

#include "distributed/distributed.h"
#include "sim/sim.h"
#include "step/stepper.h"

bool sim_is_spread(const scree_sim *sim) {
  return ranks_are_many(sim->context->ranks);
}

static bool spreads(const char *name) {
  for (size_t i = 0; name && i < scree_solver_count(); i++)
    if (strcmp(scree_solver_name(i), name) == 0) return scree_solver_spreads(i);
  return true;
}

/* With the isotropic metric steps have the length eta, computed from whole masses; that is too long
 * for bodies whose mass is split among ranks. */
static bool is_isotropic(const scree_scene_settings *s) {
  for (size_t i = 0; i < s->options.count; i++)
    if (strcmp(s->options.keys[i], "metric") == 0 && strcmp(s->options.values[i], "isotropic") == 0)
      return true;
  return false;
}

scree_status sim_spread(scree_sim *sim) {
  if (!sim_is_spread(sim)) return SCREE_OK;
  const scree_scene_settings *s = sim->settings;
  const char *refusal = NULL;
  if (strcmp(scree_stepper_get_name(sim->stepper), "nonsmooth") != 0)
    refusal = "only the stepper nonsmooth is divided";
  else if (s->solver.time_budget > 0.0)
    refusal = "a time budget is not divided, as clocks of ranks differ";
  else if (world_is_periodic(sim->world))
    refusal = "a periodic box is not divided";
  else if (s->solver.sleep_after > 0.0)
    refusal = "sleep is not divided; leave out solver.sleep_after";
  else if (!spreads(scree_stepper_solver_name(sim->stepper)) || !spreads(s->solver.retry_solver))
    refusal = "the solver is not divided; take ags (or leave it out), gs, sor, ssor, nsgs or apgd";
  else if (is_isotropic(s))
    refusal = "sweeps with the isotropic metric are not divided";
  if (refusal)
    return context_fail(sim->context, SCREE_ERROR_UNSUPPORTED,
                        "on several ranks: %s; run it on one (without mpirun)", refusal);
  return distributed_attach(sim->stepper->assembler);
}

/* Does anything that is written in this step need contacts? */
static bool asks_for_contacts(const scree_sim *sim, uint64_t step) {
  const scree_scene_settings *s = sim->settings;
  if (sim->recorder && s->recording.contacts && sim_is_due(sim, s->recording.every, step))
    return true;
  for (size_t i = 0; i < sim->probe_count; i++) {
    const scree_probe_def *def = &sim->probes[i].def;
    if ((def->kind == SCREE_PROBE_FORCE || def->kind == SCREE_PROBE_STRESS) &&
        sim_is_due(sim, def->every, step))
      return true;
  }
  return false;
}

scree_status sim_gather_contacts(scree_sim *sim, uint64_t step) {
  if (!sim_is_spread(sim)) return SCREE_OK;
  return sim_agrees(sim, asks_for_contacts(sim, step)) ? stepper_gather_contacts(sim->stepper)
                                                       : SCREE_OK;
}

scree_status sim_collect(scree_sim *sim) {
  return sim_is_spread(sim) ? distributed_collect(sim->stepper->assembler) : SCREE_OK;
}

scree_status sim_return(scree_sim *sim) {
  return sim_is_spread(sim) ? distributed_return(sim->stepper->assembler) : SCREE_OK;
}

bool sim_agrees(const scree_sim *sim, bool mine) {
  rank_team *r = sim->context->ranks;
  if (ranks_are_many(r)) r->broadcast(r, 0, &mine, sizeof mine);
  return mine;
}

scree_status sim_begin_together(scree_context *context, scree_status status) {
  rank_team *r = context->ranks;
  int first = status;
  if (!ranks_are_many(r)) return status;
  r->broadcast(r, 0, &first, sizeof first);
  if (first && !status)
    status = context_fail(context, (scree_status)first, "rank 0 cannot begin the run");
  if (ranks_any(r, status != SCREE_OK) && !status)
    status = context_fail(context, SCREE_ERROR_INTERNAL, "another rank cannot begin the run");
  return status;
}

/* The state of rank 0, which has read the checkpoint. */
scree_status sim_follow(scree_sim *sim, scree_status status) {
  rank_team *r = sim->context->ranks;
  struct {
    int status;
    uint64_t size, steps;
    double duration;
  } head = {.status = status};
  char *bytes = NULL;
  if (r->me == 0 && !status)
    head.size = scree_sim_save_size(sim), head.steps = sim->total_steps,
    head.duration = sim->duration;
  r->broadcast(r, 0, &head, sizeof head);
  if (head.status)
    return r->me == 0 ? status
                      : context_fail(sim->context, (scree_status)head.status,
                                     "rank 0 cannot go on with the recording");
  if (!status) bytes = memory_new(sim->context, head.size, 1);
  if (!bytes) status = status ? status : SCREE_ERROR_MEMORY;
  if (ranks_any(r, status != SCREE_OK)) {
    memory_free(sim->context, bytes);
    return status ? status
                  : context_fail(sim->context, SCREE_ERROR_INPUT,
                                 "another rank cannot go on with the recording");
  }
  if (r->me == 0) status = scree_sim_save(sim, bytes, head.size);
  r->broadcast(r, 0, bytes, head.size);
  sim->total_steps = head.steps;
  sim->duration = head.duration;
  if (r->me != 0) status = scree_sim_restore(sim, bytes, head.size);
  memory_free(sim->context, bytes);
  return status;
}

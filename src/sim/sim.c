/* The run: emitters and forces, a step, drains, probes, frames, and now and then a checkpoint. */
#include "sim/sim.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "assemble/assembler.h"
#include "base/argument.h"
#include "base/definition.h"
#include "base/number.h"
#include "base/timer.h"
#include "scene/build/build.h"

static const double flush_seconds = 1.0; /* readers of a live recording lag by this at most */

scree_sim_def scree_sim_def_default(void) {
  return (scree_sim_def){.cookie = DEFINITION_COOKIE, .check_overlap = true};
}

bool sim_is_due(const scree_sim *sim, double every, uint64_t step) {
  if (every <= sim->settings->step || step == 0) return true; /* also where the ratio has no end */
  double ratio = sim->settings->step / every;
  return floor((double)step * ratio + 1e-9) > floor((double)(step - 1) * ratio + 1e-9);
}

/* ---- creation ------------------------------------------------------------------------------- */

/* Does the named solver have the requested model? */
static bool has_model(const scree_stepper_def *d) {
  for (size_t i = 0; i < scree_solver_count(); i++)
    if (strcmp(scree_solver_name(i), d->solver) == 0)
      return d->model == SCREE_MODEL_RELAXED || scree_solver_has_coulomb(i);
  return true;
}

/* `contacts_only`: to find contacts, not to step. */
scree_status sim_create_stepper(scree_scene *scene, scree_world *world, bool contacts_only,
                                scree_stepper **stepper) {
  const scree_scene_settings *s = scree_scene_get_settings(scene);
  const scree_stepper_def standard = scree_stepper_def_default();
  scree_stepper_def d = s->solver;
  if (d.solver && strcmp(d.solver, "auto") != 0 && sim_is_smooth(d.stepper))
    return context_fail(world->context, SCREE_ERROR_UNSUPPORTED,
                        "solver %s is for hard contacts, stepper %s has linear systems; leave it "
                        "out, or set linear_solver of the stepper (`scree list sheet`)",
                        d.solver, d.stepper);
  const bool replaced = d.solver && !has_model(&d);
  if (replaced) d.solver = NULL; /* auto */
  if (contacts_only) {
    d.stepper = standard.stepper;
    d.iteration_limit = 1;
    d.on_nonconverged = standard.on_nonconverged;
  }
  scree_status status = scree_stepper_create(world, &d, stepper);
  for (size_t i = 0; i < s->options.count && !status && !replaced; i++)
    status = scree_stepper_set_solver(*stepper, s->options.keys[i], s->options.values[i]);
  for (size_t i = 0; i < s->stepper_options.count && !status && !contacts_only; i++)
    status = scree_stepper_set(*stepper, s->stepper_options.keys[i], s->stepper_options.values[i]);
  return status;
}

scree_status sim_count_steps(scree_context *context, double duration, double step,
                             uint64_t *count) {
  const double steps = ceil(duration / step - 1e-9);
  if (!(steps < 9e15))
    return context_fail(context, SCREE_ERROR_INPUT, "the run would take %g steps", steps);
  *count = (uint64_t)steps;
  return SCREE_OK;
}

static scree_status set_duration(scree_sim *sim) {
  const double duration = sim->duration > 0.0 ? sim->duration : sim->settings->duration;
  return sim_count_steps(sim->context, duration, sim->settings->step, &sim->total_steps);
}

/* Settings, world, stepper and probes; no files yet. */
static scree_status prepare(scree_sim *sim) {
  sim->settings = scree_scene_get_settings(sim->scene);
  scree_status status = set_duration(sim);
  if (!status) status = scree_scene_build(sim->scene, &sim->world);
  if (!status) status = sim_take_from(sim->scene, sim->world, sim->remark, sizeof sim->remark);
  if (!status) status = sim_create_stepper(sim->scene, sim->world, false, &sim->stepper);
  if (!status) status = sim_remark_redundant(sim);
  if (!status) status = sim_spread(sim);
  if (status) return status;
  sim->totals.energy = scree_world_get_energy(sim->world);
  status = sim_check_energy(sim->context, &sim->totals.energy);
  if (status) return status;
  sim->totals.model = (int32_t)sim->settings->solver.model;
  sim->probe_count = scree_scene_probe_count(sim->scene);
  sim->probes = memory_new(sim->context, sim->probe_count, sizeof *sim->probes);
  if (!sim->probes) {
    sim->probe_count = 0;
    return SCREE_ERROR_MEMORY;
  }
  for (size_t i = 0; i < sim->probe_count; i++) sim->probes[i].claim.file = -1;
  for (size_t i = 0; i < sim->probe_count && !status; i++)
    status = scree_scene_get_probe(sim->scene, i, &sim->probes[i].def);
  return status;
}

static scree_status set_out(scree_sim *sim, const char *path) {
  sim->out = memory_new(sim->context, strlen(path) + 1, 1);
  if (!sim->out) return SCREE_ERROR_MEMORY;
  strcpy(sim->out, path);
  return SCREE_OK;
}

/* A number that no other run has: it ties a checkpoint to its recording. */
static uint64_t new_run(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  uint64_t z = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec + ((uint64_t)getpid() << 48);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static scree_contact contact_at(const void *stepper, size_t k) {
  return scree_stepper_get_contact(stepper, k);
}

static scree_status record_frame(scree_sim *sim) {
  recorder_contacts contacts = {.count = 0, .source = sim->stepper, .at = contact_at};
  if (sim->settings->recording.contacts && sim->totals.steps)
    contacts.count = scree_stepper_get_contacts(sim->stepper, 0, NULL);
  return recorder_add_frame(sim->recorder, sim->world, sim->totals.steps, &contacts,
                            sim->settings->step);
}

/* Files that the scene was read from are never written to, whatever is requested. */
static scree_status refuse_inputs(scree_sim *sim) {
  static const char *const ends[] = {"", ".new", ".checkpoint", ".checkpoint.old",
                                     ".checkpoint.new"};
  enum { ENDS = sizeof ends / sizeof *ends };
  char path[CLAIM_PATH];
  for (size_t k = 0; k < ENDS + sim->probe_count; k++) {
    const bool named =
        k < ENDS ? (size_t)snprintf(path, sizeof path, "%s%s", sim->out, ends[k]) < sizeof path
                 : sim_probe_path(sim, &sim->probes[k - ENDS], path);
    if (named && scree_scene_reads(sim->scene, path))
      return context_fail(sim->context, SCREE_ERROR_ARGUMENT,
                          "%s: the scene is read from it, so it is not written; give the "
                          "recording another name",
                          path);
  }
  return SCREE_OK;
}

/* The recording and the tables are made under other names; they get theirs when the start and a
 * first checkpoint are on the disk, so that there never is a recording that cannot be gone on with.
 */
static scree_status begin_recording(scree_sim *sim, bool replace) {
  sim->run = new_run();
  scree_status status = refuse_inputs(sim);
  if (!status)
    status = recorder_create(sim->context, sim->out, sim->scene, sim->run, replace, &sim->recorder);
  if (!status) status = sim_probes_open(sim, false, replace);
  if (!status) status = record_frame(sim);
  sim->last_flush = sim->last_checkpoint = timer_now();
  return status;
}

static scree_status publish_recording(scree_sim *sim) {
  checkpoint_forget(sim->context, sim->out);
  scree_status status = sim_checkpoint_write(sim);
  if (!status) status = sim_probes_publish(sim);
  if (status) { /* nothing is left of what was not begun */
    sim_probes_withdraw(sim);
    checkpoint_forget(sim->context, sim->out);
    return status;
  }
  status = recorder_publish(sim->recorder);
  sim->recorded = true;
  return status;
}

static scree_status finish_create(scree_status status, scree_sim **sim) {
  if (status) {
    scree_sim_destroy(*sim);
    *sim = NULL;
  }
  return status;
}

static scree_status create(scree_context *context, scree_scene *scene, const scree_sim_def *def,
                           scree_sim **out) {
  if (def->check_overlap) {
    const scree_status status = scree_sim_check(scene, def->report, def->report_user);
    if (status) return status;
  }
  scree_sim *sim = *out = memory_new(context, 1, sizeof *sim);
  if (!sim) return SCREE_ERROR_MEMORY;
  sim->context = context;
  sim->scene = scene;
  scree_status status = prepare(sim);
  if (!status && def->out) status = set_out(sim, def->out);
  sim->starting = true;
  if (!status)
    status = sim->out ? begin_recording(sim, def->replace) : sim_probes_open(sim, false, false);
  if (!status && sim->out) status = sim_probes_write(sim, 0);
  if (!status && sim->out) status = publish_recording(sim);
  sim->starting = false;
  return status;
}

scree_status scree_sim_create(scree_scene *scene, const scree_sim_def *def, scree_sim **out) {
  ARGUMENT_CHECK(scene ? scree_scene_context(scene) : NULL, scene && out);
  scree_sim_def fallback = scree_sim_def_default();
  *out = NULL;
  if (!def) def = &fallback;
  DEFINITION_CHECK(scree_scene_context(scene), def, sim_def);
  scree_context *context = scree_scene_context(scene);
  return finish_create(sim_begin_together(context, create(context, scene, def, out)), out);
}

/* The scene from inside the recording. */
static scree_status read_recording(scree_sim *sim) {
  scree_recording *recording = NULL;
  scree_status status =
      recording_open(sim->context, sim->out, &(recording_open_def){.mine = true}, &recording);
  if (!status && !scree_recording_has_checksums(recording))
    status = context_fail(sim->context, SCREE_ERROR_INPUT,
                          "%s: it is of an older Scree and carries no checksums: it can be read, "
                          "but not gone on with; run the scene again",
                          sim->out);
  if (!status) {
    sim->run = recording_run(recording);
    status = recording_read_scene(recording, &sim->scene);
    sim->owns_scene = sim->scene != NULL;
  }
  scree_recording_close(recording);
  return status;
}

static scree_status lock_recording(scree_sim *sim, claim *lock) {
  char text[CLAIM_PATH + 128];
  const claim_answer answer = claim_existing(lock, sim->out);
  if (answer == CLAIM_TAKEN) return SCREE_OK;
  if (answer == CLAIM_FAILED || answer == CLAIM_ODD)
    return context_fail(sim->context, SCREE_ERROR_IO, "%s: cannot be opened: %s", sim->out,
                        answer == CLAIM_ODD ? "is not a plain file" : strerror(lock->reason));
  claim_explain(lock, text, sizeof text);
  return context_fail(sim->context, SCREE_ERROR_IO, "%s", text);
}

static scree_status go_on(scree_sim *sim, claim *lock) {
  checkpoint_in in = {0};
  recording_counts counts;
  const bool lengthened = sim->duration > 0.0;
  scree_status status = sim_checkpoint_read(sim, &in, &counts);
  const bool found = in.state == CHECKPOINT_GOOD;
  if (!status) status = set_duration(sim);
  if (!status)
    status = recorder_reopen(sim->context, lock, &counts, in.part[CHECKPOINT_STRUCTURE],
                             in.part_size[CHECKPOINT_STRUCTURE], &sim->recorder);
  checkpoint_clear(sim->context, &in);
  if (!status) status = sim_probes_open(sim, true, false);
  sim->last_flush = sim->last_checkpoint = timer_now();
  if (!status && !found) status = record_frame(sim);
  if (!status && !found) status = sim_probes_write(sim, 0);
  if (!status) status = sim_probes_publish(sim);
  /* The checkpoint keeps the new duration, for the next resume. */
  if (!status && (lengthened || !found)) status = sim_checkpoint_write(sim);
  sim->recorded = true;
  return status;
}

/* Ranks other than the first read the scene, while nobody writes to the file, and get the state. */
static scree_status resume_at(scree_sim *sim, claim *lock) {
  const bool spread = sim_is_spread(sim), first = !spread || sim->context->ranks->me == 0;
  scree_status status = SCREE_OK;
  if (!first) status = read_recording(sim);
  if (spread) ranks_any(sim->context->ranks, false);
  if (first) status = lock_recording(sim, lock);
  if (first && !status) status = read_recording(sim);
  if (!status) status = prepare(sim);
  sim->remark[0] = '\0';
  if (first && !status) status = go_on(sim, lock);
  return spread ? sim_follow(sim, status) : status;
}

scree_status scree_sim_resume(scree_context *context, const char *path, double duration,
                              scree_sim **out) {
  ARGUMENT_CHECK(context, context && path && out);
  scree_sim *sim = *out = memory_new(context, 1, sizeof *sim);
  if (!sim) return SCREE_ERROR_MEMORY;
  claim *lock = memory_new(context, 1, sizeof *lock);
  if (!lock) {
    memory_free(context, sim);
    *out = NULL;
    return SCREE_ERROR_MEMORY;
  }
  lock->file = -1;
  sim->context = context;
  sim->duration = duration;
  char real[CLAIM_PATH];
  scree_status status = set_out(sim, claim_real(path, real));
  if (!status) status = resume_at(sim, lock);
  claim_drop(lock);
  memory_free(context, lock);
  return finish_create(status, out);
}

const char *scree_sim_remark(const scree_sim *sim) {
  return sim ? sim->remark : "";
}

void scree_sim_destroy(scree_sim *sim) {
  if (!sim) return;
  recorder_close(sim->recorder);
  sim_probes_close(sim);
  scree_stepper_destroy(sim->stepper);
  scree_world_destroy(sim->world);
  if (sim->owns_scene) scree_scene_destroy(sim->scene);
  memory_free(sim->context, sim->out);
  memory_free(sim->context, sim);
}

/* ---- the loop ------------------------------------------------------------------------------- */

bool scree_sim_done(const scree_sim *sim) {
  if (!sim) return false;
  return sim->totals.steps >= sim->total_steps || sim->totals.stopped ||
         scree_scene_has_ended(sim->scene);
}

/* 1 + the solver's place in the list; 0: the start, or none. */
static size_t method_index(const char *method) {
  for (size_t i = 0; i < scree_solver_count() && i < SCREE_SOLVERS_MOST; i++)
    if (strcmp(scree_solver_name(i), method) == 0) return i + 1;
  return 0;
}

static void add_ledger(sim_totals *t, const scree_step_info *info) {
  const scree_ledger *l = &info->ledger;
  scree_ledger *sum = &t->ledger;
  sum->kinetic += l->kinetic;
  sum->potential += l->potential;
  sum->motors += l->motors;
  sum->motions += l->motions;
  sum->forces += l->forces;
  sum->friction += l->friction;
  sum->impacts += l->impacts;
  sum->joints += l->joints;
  sum->numerical += l->numerical;
  sum->error += l->error;
  t->peak_kinetic = fmax(t->peak_kinetic, info->energy.linear + info->energy.angular);
  t->damped += info->damped_bodies > 0;
}

void sim_take_totals(scree_sim *sim, const sim_totals *totals) {
  sim->totals = *totals;
  sim->scene->emitting = totals->begun > 1 ? (size_t)totals->begun - 1 : 0;
}

/* `time` is that of the start of the step, s. */
static void add_up(scree_sim *sim, double time, const scree_step_info *info) {
  sim_totals *t = &sim->totals;
  t->iterations += (uint64_t)info->iterations;
  t->nonconverged += !info->converged;
  t->retried += info->retries > 0;
  t->hurried += info->hurried;
  const scree_stepper_def *def = &sim->settings->solver;
  if (time >= def->budget_from) {
    t->over_budget += def->time_budget > 0.0 && info->seconds > def->time_budget;
    t->slowest = fmax(t->slowest, info->seconds);
  }
  if (info->method[0]) t->method[method_index(info->method)]++;
  t->touching += info->touching;
  t->lifted += info->lifted;
  t->lift_percent = fmax(t->lift_percent, info->lift_percent);
  t->looks += info->looks;
  t->divided += info->parts > 1;
  t->unresolved += info->unresolved;
  t->crowded += info->impacts_left;
  t->collide += info->seconds_collide;
  t->assemble += info->seconds_assemble;
  t->solve += info->seconds_solve;
  t->integrate += info->seconds_integrate;
  t->residual = fmax(t->residual, info->residual);
  t->penetration = fmax(t->penetration, info->penetration);
  if (info->penetration_percent > t->percent) {
    t->percent = info->penetration_percent;
    t->percent_time = time;
  }
  t->gap = fmax(t->gap, info->relaxation_gap);
  t->joint_error = fmax(t->joint_error, info->joint_error);
  if (info->joint_error_percent > t->joint_percent) {
    t->joint_percent = info->joint_error_percent;
    t->joint_percent_time = time;
  }
  if (info->joint_contradiction > t->contradiction) {
    t->contradiction = info->joint_contradiction;
    t->contradiction_time = time;
    t->contradicted = info->contradicted_joint;
  }
  if (info->turning > t->turning) {
    t->turning = info->turning;
    t->turning_time = time;
  }
  t->turning_allowed = info->turning_allowed;
  t->contacts = info->contacts;
  t->energy = info->energy;
  add_ledger(t, info);
  t->model = (int32_t)info->model;
  if (info->outcome == SCREE_OUTCOME_INFEASIBLE && !t->infeasible) {
    t->infeasible = 1;
    t->infeasible_time = time;
  }
}

static scree_status log_step(scree_sim *sim, const scree_step_info *info) {
  const scree_ledger *l = &sim->totals.ledger;
  double row[SCREE_STEP_COLUMNS] = {
      [SCREE_STEP_time] = scree_world_time(sim->world),
      [SCREE_STEP_bodies] = (double)scree_world_body_count(sim->world),
      [SCREE_STEP_contacts] = (double)info->contacts,
      [SCREE_STEP_touching] = (double)info->touching,
      [SCREE_STEP_rows] = (double)info->rows,
      [SCREE_STEP_iterations] = (double)info->iterations,
      [SCREE_STEP_solves] = info->solves,
      [SCREE_STEP_converged] = info->converged,
      [SCREE_STEP_outcome] = (double)info->outcome,
      [SCREE_STEP_residual] = info->residual,
      [SCREE_STEP_error] = info->error,
      [SCREE_STEP_penetration] = info->penetration,
      [SCREE_STEP_penetration_percent] = info->penetration_percent,
      [SCREE_STEP_penetration_speed] = info->penetration_speed,
      [SCREE_STEP_relaxation_gap] = info->relaxation_gap,
      [SCREE_STEP_joint_error] = info->joint_error,
      [SCREE_STEP_kinetic_linear] = info->energy.linear,
      [SCREE_STEP_kinetic_angular] = info->energy.angular,
      [SCREE_STEP_potential] = info->energy.potential,
      [SCREE_STEP_pairwise] = info->energy.pairwise,
      [SCREE_STEP_seconds_collide] = info->seconds_collide,
      [SCREE_STEP_seconds_assemble] = info->seconds_assemble,
      [SCREE_STEP_seconds_solve] = info->seconds_solve,
      [SCREE_STEP_seconds_integrate] = info->seconds_integrate,
      [SCREE_STEP_retries] = info->retries,
      [SCREE_STEP_method] = (double)method_index(info->method),
      [SCREE_STEP_motors] = l->motors,
      [SCREE_STEP_motions] = l->motions,
      [SCREE_STEP_forces] = l->forces,
      [SCREE_STEP_friction] = l->friction,
      [SCREE_STEP_impacts] = l->impacts,
      [SCREE_STEP_joints] = l->joints,
      [SCREE_STEP_energy_error] = l->error,
      [SCREE_STEP_damped] = (double)info->damped_bodies,
      [SCREE_STEP_numerical] = l->numerical,
      [SCREE_STEP_asleep] = (double)info->asleep,
  };
  return recorder_add_step(sim->recorder, row);
}

static scree_status record_step(scree_sim *sim, const scree_step_info *info) {
  uint64_t step = sim->totals.steps;
  scree_status status = sim_gather_contacts(sim, step);
  if (!status) status = sim_probes_write(sim, step);
  if (status || !sim->recorder) return status;
  status = log_step(sim, info);
  if (!status && sim_is_due(sim, sim->settings->recording.every, step)) status = record_frame(sim);
  double now = timer_now();
  if (!status && now - sim->last_flush > flush_seconds) {
    status = recorder_flush(sim->recorder);
    if (!status) status = sim_probes_flush(sim, 1);
    sim->last_flush = now;
  }
  return status;
}

scree_status scree_sim_step(scree_sim *sim, scree_step_info *info) {
  ARGUMENT_CHECK(sim ? sim->context : NULL, sim);
  scree_step_info local;
  double start = timer_now(), time = scree_world_time(sim->world);
  if (!info) info = &local;
  scree_status status = SCREE_OK;
  if (sim->totals.begun != 1)
    status = scree_scene_before_step(sim->scene, sim->world, sim->settings->step);
  if (status == SCREE_ERROR_STOPPED) sim->totals.begun = 1 + (int32_t)sim->scene->emitting;
  if (status) return status;
  sim->totals.begun = 1;
  status = scree_stepper_step(sim->stepper, sim->settings->step, info);
  if (status) return sim_place_refusal(sim, status);
  sim->totals.begun = 0;
  add_up(sim, time, info);
  if (!info->advanced) {
    sim->totals.stopped = 1;
    sim->totals.seconds += timer_now() - start;
    return SCREE_OK;
  }
  sim->totals.steps++;
  status = scree_scene_after_step(sim->scene, sim->world);
  double record = timer_now();
  if (!status) status = record_step(sim, info);
  double end = timer_now();
  sim->totals.record += end - record;
  sim->totals.seconds += end - start;
  const bool due =
      sim->recorder && end - sim->last_checkpoint > sim->settings->recording.checkpoint;
  if (!status && sim_agrees(sim, due)) {
    status = sim_checkpoint_write(sim);
    double more = timer_now() - end;
    sim->totals.record += more;
    sim->totals.seconds += more;
  }
  return status;
}

scree_status scree_sim_checkpoint(scree_sim *sim, const char *path) {
  ARGUMENT_CHECK(sim ? sim->context : NULL, sim);
  if (!sim->recorder) {
    if (!path)
      return context_fail(sim->context, SCREE_ERROR_ARGUMENT,
                          "scree_sim_checkpoint: a run without a recording needs a path");
    scree_status status = set_out(sim, path);
    if (!status) status = begin_recording(sim, false);
    if (!status) status = publish_recording(sim);
    return status;
  }
  return sim_checkpoint_write(sim);
}

scree_status scree_sim_finish(scree_sim *sim) {
  ARGUMENT_CHECK(sim ? sim->context : NULL, sim);
  double start = timer_now();
  scree_status status = sim_checkpoint_write(sim);
  scree_status closed = recorder_close(sim->recorder);
  sim->recorder = NULL;
  sim->totals.record += timer_now() - start;
  sim->totals.seconds += timer_now() - start;
  return status ? status : closed;
}

scree_scene *scree_sim_scene(const scree_sim *sim) {
  if (!sim) return NULL;
  return sim->scene;
}

scree_world *scree_sim_world(const scree_sim *sim) {
  if (!sim) return NULL;
  return sim->world;
}

scree_stepper *scree_sim_stepper(const scree_sim *sim) {
  if (!sim) return NULL;
  return sim->stepper;
}

/* The checkpoint: everything that the rest of the run depends on. What it refers to is on the disk
 * before it is written: the rows of the recording, the tables of the probes. With it go a copy of
 * the recording's structure and the checksums of the tables, so that both can be brought back to
 * where they were. Two are kept; see recording/checkpoint_file.h. */
#include <string.h>

#include "base/timer.h"
#include "scene/build/build.h"
#include "sim/sim.h"

_Static_assert(sizeof((checkpoint_probe *)0)->name > SCENE_PROBE_NAME, "names are kept whole");

/* The begin of the state: plain numbers. Behind it sums of the probes, scene and stepper. */
typedef struct state_head {
  uint64_t probes, scene_size, stepper_size;
  double duration; /* that was given, s; 0: the scene's */
  recording_counts counts;
  sim_totals totals;
} state_head;

/* ---- writing -------------------------------------------------------------------------------- */

static scree_status put_probes(const scree_sim *sim, checkpoint_out *out) {
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < sim->probe_count && !status; i++) {
    const sim_probe *p = &sim->probes[i];
    checkpoint_probe entry = {.bytes = p->sums.bytes, .crc = p->crc};
    snprintf(entry.name, sizeof entry.name, "%s", p->def.name);
    status = checkpoint_put(out, &entry, sizeof entry);
  }
  return status;
}

static scree_status put_scene(const scree_sim *sim, uint64_t size, checkpoint_out *out) {
  char *bytes = memory_new(sim->context, size, 1);
  scree_status status = bytes ? scree_scene_save(sim->scene, bytes, size) : SCREE_ERROR_MEMORY;
  if (!status) status = checkpoint_put(out, bytes, size);
  memory_free(sim->context, bytes);
  return status;
}

static scree_status put_state(const scree_sim *sim, checkpoint_out *out) {
  const state_head head = {.probes = sim->probe_count,
                           .scene_size = scree_scene_save_size(sim->scene),
                           .stepper_size = scree_stepper_save_size(sim->stepper),
                           .duration = sim->duration,
                           .counts = recorder_counts(sim->recorder),
                           .totals = sim->totals};
  scree_status status = checkpoint_put(out, &head, sizeof head);
  for (size_t i = 0; i < sim->probe_count && !status; i++)
    status = checkpoint_put(out, &sim->probes[i].sums, sizeof sim->probes->sums);
  if (!status) status = put_scene(sim, head.scene_size, out);
  if (!status) status = scree_stepper_write(sim->stepper, checkpoint_put, out);
  return status;
}

static scree_status write(scree_sim *sim) {
  if (!sim->recorder) return SCREE_OK;
  scree_status status = recorder_sync(sim->recorder);
  if (!status) status = sim_probes_sync(sim);
  checkpoint_out *out = NULL;
  if (!status) status = checkpoint_begin(sim->context, sim->out, sim->run, &out);
  if (status) return status;
  checkpoint_begin_part(out, CHECKPOINT_STRUCTURE);
  status = recorder_structure(sim->recorder, checkpoint_put, out);
  checkpoint_begin_part(out, CHECKPOINT_PROBES);
  if (!status) status = put_probes(sim, out);
  checkpoint_begin_part(out, CHECKPOINT_STATE);
  if (!status) status = put_state(sim, out);
  status = checkpoint_end(out, status, !sim->keep_older);
  if (!status) sim->keep_older = false;
  sim->last_checkpoint = timer_now();
  return status;
}

scree_status sim_checkpoint_write(scree_sim *sim) {
  scree_status status = sim_collect(sim);
  if (!status) status = write(sim);
  const scree_status returned = sim_return(sim);
  return status ? status : returned;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Why a checkpoint is not used. */
typedef enum verdict { USED, ABSENT, DAMAGED, OTHER_VERSION, OTHER_RUN, AHEAD } verdict;

static const char *const reasons[] = {
    [ABSENT] = "is missing",
    [DAMAGED] = "is damaged",
    [OTHER_VERSION] = "is of another version of Scree",
    [OTHER_RUN] = "is of another run than the recording",
    [AHEAD] = "is newer than the recording, which lacks frames or steps that it speaks of",
};

static scree_status apply(scree_sim *sim, const state_head *head, const char *at) {
  for (size_t i = 0; i < sim->probe_count; i++, at += sizeof sim->probes->sums)
    memcpy(&sim->probes[i].sums, at, sizeof sim->probes->sums);
  scree_status status = scree_scene_restore(sim->scene, at, head->scene_size);
  if (!status)
    status = scree_stepper_restore(sim->stepper, at + head->scene_size, head->stepper_size);
  if (status) return status;
  sim_take_totals(sim, &head->totals);
  if (sim->duration <= 0.0) sim->duration = head->duration;
  return SCREE_OK;
}

/* Does the recording have all that the checkpoint speaks of? */
static scree_status compare(scree_sim *sim, const checkpoint_in *in, const recording_counts *counts,
                            verdict *found) {
  const recording_open_def def = {.structure = in->part[CHECKPOINT_STRUCTURE],
                                  .structure_size = in->part_size[CHECKPOINT_STRUCTURE],
                                  .mine = true};
  scree_recording *recording = NULL;
  const scree_status status = recording_open(sim->context, sim->out, &def, &recording);
  if (status && status != SCREE_ERROR_INPUT) return status;
  if (status || !recording_reaches(recording, counts)) *found = AHEAD;
  scree_recording_close(recording);
  return SCREE_OK;
}

static scree_status consider(scree_sim *sim, const checkpoint_in *in, recording_counts *counts,
                             verdict *found) {
  static const verdict states[] = {[CHECKPOINT_ABSENT] = ABSENT,
                                   [CHECKPOINT_GOOD] = USED,
                                   [CHECKPOINT_DAMAGED] = DAMAGED,
                                   [CHECKPOINT_OTHER] = OTHER_VERSION};
  *found = states[in->state];
  if (*found == USED && in->run != sim->run) *found = OTHER_RUN;
  if (*found != USED) return SCREE_OK;
  state_head head = {0};
  const char *at = in->part[CHECKPOINT_STATE];
  const size_t size = in->part_size[CHECKPOINT_STATE];
  const size_t probes = sim->probe_count * sizeof sim->probes->sums;
  const size_t entries = sim->probe_count * sizeof(checkpoint_probe);
  if (size >= sizeof head) memcpy(&head, at, sizeof head);
  if (size < sizeof head + probes || head.probes != sim->probe_count ||
      in->part_size[CHECKPOINT_PROBES] != entries ||
      head.scene_size > size - sizeof head - probes ||
      head.stepper_size != size - sizeof head - probes - head.scene_size) {
    *found = DAMAGED;
    return SCREE_OK;
  }
  scree_status status = compare(sim, in, &head.counts, found);
  if (status || *found != USED) return status;
  for (size_t i = 0; i < sim->probe_count; i++) {
    checkpoint_probe entry;
    memcpy(&entry, in->part[CHECKPOINT_PROBES] + i * sizeof entry, sizeof entry);
    sim->probes[i].crc = entry.crc;
  }
  *counts = head.counts;
  return apply(sim, &head, at + sizeof head);
}

/* Refuses to resume when there are checkpoints but none can be used; the message says what to do.
 */
static scree_status refuse(scree_sim *sim, const verdict found[2]) {
  const int age = found[0] != ABSENT ? 0 : 1;
  const char *remedy =
      found[age] == AHEAD || found[age] == OTHER_RUN
          ? "put the recording back that belongs to it, or remove the checkpoint: then the run "
            "starts from 0 and writes equal frames once more"
          : "remove it, and the run starts from 0 and writes equal frames once more";
  return context_fail(sim->context, SCREE_ERROR_INPUT, "%s.checkpoint%s: it %s%s%s; %s", sim->out,
                      age ? ".old" : "", reasons[found[age]],
                      !age && found[1] != ABSENT ? ", and the one before " : "",
                      !age && found[1] != ABSENT ? reasons[found[1]] : "", remedy);
}

scree_status sim_checkpoint_read(scree_sim *sim, checkpoint_in *in, recording_counts *counts) {
  verdict found[2] = {ABSENT, ABSENT};
  *counts = (recording_counts){0};
  for (int age = 0; age < 2; age++) {
    scree_status status = checkpoint_load(sim->context, sim->out, age, in);
    if (!status) status = consider(sim, in, counts, &found[age]);
    if (status) {
      checkpoint_clear(sim->context, in);
      return status;
    }
    if (found[age] == USED) {
      sim->keep_older = age == 1;
      if (age == 1)
        snprintf(sim->remark, sizeof sim->remark,
                 "the last checkpoint %s; the one before is used, at %.6g s", reasons[found[0]],
                 scree_world_time(sim->world));
      return SCREE_OK;
    }
    checkpoint_clear(sim->context, in);
  }
  if (found[0] != ABSENT || found[1] != ABSENT) return refuse(sim, found);
  snprintf(sim->remark, sizeof sim->remark, "there is no checkpoint; the run starts from 0");
  return SCREE_OK;
}

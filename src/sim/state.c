/* The state of a run as bytes in memory: what a checkpoint file holds, without its files. */
#include <string.h>

#include "base/argument.h"
#include "base/crc.h"
#include "sim/sim.h"

typedef struct state_head {
  uint64_t magic, probes, scene_size, stepper_size;
  sim_totals totals;
  uint32_t crc, unused; /* of all that follows the head */
} state_head;

static const uint64_t state_magic = 0x314D495345455243u; /* "CREESIM1" */

size_t scree_sim_save_size(const scree_sim *sim) {
  if (!sim) return 0;
  return sizeof(state_head) + sim->probe_count * sizeof sim->probes->sums +
         scree_scene_save_size(sim->scene) + scree_stepper_save_size(sim->stepper);
}

scree_status scree_sim_save(const scree_sim *sim, void *blob, size_t size) {
  ARGUMENT_CHECK(sim ? sim->context : NULL, sim && blob);
  if (size < scree_sim_save_size(sim))
    return context_fail(sim->context, SCREE_ERROR_ARGUMENT,
                        "scree_sim_save: %zu bytes are too few, %zu are needed", size,
                        scree_sim_save_size(sim));
  state_head head = {.magic = state_magic,
                     .probes = sim->probe_count,
                     .scene_size = scree_scene_save_size(sim->scene),
                     .stepper_size = scree_stepper_save_size(sim->stepper),
                     .totals = sim->totals};
  char *body = (char *)blob + sizeof head, *at = body;
  for (size_t i = 0; i < sim->probe_count; i++, at += sizeof sim->probes->sums)
    memcpy(at, &sim->probes[i].sums, sizeof sim->probes->sums);
  scree_status status = scree_scene_save(sim->scene, at, head.scene_size);
  at += head.scene_size;
  if (!status) status = scree_stepper_save(sim->stepper, at, head.stepper_size);
  if (status) return status;
  at += head.stepper_size;
  head.crc = crc32c(0, body, (size_t)(at - body));
  memcpy(blob, &head, sizeof head);
  return SCREE_OK;
}

scree_status scree_sim_restore(scree_sim *sim, const void *blob, size_t size) {
  ARGUMENT_CHECK(sim ? sim->context : NULL, sim && blob);
  state_head head = {0};
  if (sim->recorder)
    return context_fail(sim->context, SCREE_ERROR_UNSUPPORTED,
                        "the run records: its files cannot be taken back; use scree_sim_resume, or "
                        "a run without a recording");
  const size_t probes = sim->probe_count * sizeof sim->probes->sums;
  if (size >= sizeof head) memcpy(&head, blob, sizeof head);
  const char *body = (const char *)blob + sizeof head, *at = body;
  if (size < sizeof head || head.magic != state_magic)
    return context_fail(sim->context, SCREE_ERROR_INPUT,
                        "these bytes are not the state of a run of this version of Scree");
  if (head.probes != sim->probe_count || size - sizeof head < probes ||
      head.scene_size > size - sizeof head - probes ||
      head.stepper_size != size - sizeof head - probes - head.scene_size ||
      head.crc != crc32c(0, body, size - sizeof head))
    return context_fail(sim->context, SCREE_ERROR_INPUT,
                        "the state is damaged, or of a run of another scene");
  scree_status status =
      scree_stepper_restore(sim->stepper, at + probes + head.scene_size, head.stepper_size);
  if (!status) status = scree_scene_restore(sim->scene, at + probes, head.scene_size);
  for (size_t i = 0; i < sim->probe_count && !status; i++, at += sizeof sim->probes->sums) {
    memcpy(&sim->probes[i].sums, at, sizeof sim->probes->sums);
    status = sim_probe_restart(sim, &sim->probes[i]);
  }
  if (!status) sim_take_totals(sim, &head.totals);
  return status;
}

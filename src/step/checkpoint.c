/* Checkpoints: the parts of world and assembly behind a header with a checksum. */
#include <string.h>

#include "step/stepper.h"

typedef struct checkpoint_header {
  uint64_t magic, world_size, assembly_size, step_count, checksum;
} checkpoint_header;

static const uint64_t checkpoint_magic = 0x3150454B45524353u; /* "SCREKEP1" */

static uint64_t checksum(const char *bytes, size_t size) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (size_t i = 0; i < size; i += 8) {
    uint64_t word = 0;
    memcpy(&word, bytes + i, size - i < 8 ? size - i : 8);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 31;
  }
  return hash;
}

size_t scree_stepper_save_size(const scree_stepper *s) {
  return sizeof(checkpoint_header) + world_save(s->world, NULL) + assembly_save(s->assembly, NULL);
}

scree_status scree_stepper_save(const scree_stepper *s, void *blob, size_t size) {
  checkpoint_header head = {.magic = checkpoint_magic, .step_count = s->step_count};
  char *bytes = blob;
  if (size != scree_stepper_save_size(s))
    return context_fail(s->context, SCREE_ERROR_ARGUMENT,
                        "checkpoint: room for %zu bytes was given, it needs %zu", size,
                        scree_stepper_save_size(s));
  head.world_size = world_save(s->world, bytes + sizeof head);
  head.assembly_size = assembly_save(s->assembly, bytes + sizeof head + head.world_size);
  head.checksum = checksum(bytes + sizeof head, size - sizeof head);
  memcpy(blob, &head, sizeof head);
  return SCREE_OK;
}

scree_status scree_stepper_restore(scree_stepper *s, const void *blob, size_t size) {
  checkpoint_header head;
  const char *bytes = blob;
  if (size >= sizeof head) memcpy(&head, blob, sizeof head);
  if (size < sizeof head || head.magic != checkpoint_magic ||
      head.world_size > size - sizeof head ||
      head.assembly_size != size - sizeof head - head.world_size ||
      head.checksum != checksum(bytes + sizeof head, size - sizeof head))
    return context_fail(s->context, SCREE_ERROR_INPUT,
                        "checkpoint: it is damaged or not one of Scree's");
  const char *world = bytes + sizeof head, *rest = world + head.world_size;
  scree_status status = assembly_check(s->assembly, rest, head.assembly_size);
  if (!status) status = world_restore(s->world, world, head.world_size);
  if (!status) status = assembly_restore(s->assembly, rest);
  if (!status) s->step_count = head.step_count;
  return status;
}

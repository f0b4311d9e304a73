/* Checkpoints: the parts of world, assembler and stepper behind a header with a checksum. */
#include <string.h>

#include "base/argument.h"
#include "step/stepper.h"

typedef struct checkpoint_header {
  uint64_t magic, world_size, assembler_size, own_size;
  uint64_t count[3]; /* steps, work of first solves and of retries */
  uint64_t checksum;
} checkpoint_header;

static const uint64_t checkpoint_magic = 0x3450454B45524353u; /* "SCREKEP4" */

/* Of bytes that come piece by piece, a word at a time; the last one is filled up with zeros. */
typedef struct sum {
  uint64_t hash;
  char word[8];
  size_t used;
} sum;

static const sum sum_start = {.hash = 0xCBF29CE484222325u};

static uint64_t mix(uint64_t hash, const char *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 31;
}

static scree_status sum_add(void *user, const void *data, size_t size) {
  sum *s = user;
  const char *bytes = data;
  while (size) {
    if (!s->used && size >= 8) {
      s->hash = mix(s->hash, bytes);
      bytes += 8;
      size -= 8;
      continue;
    }
    s->word[s->used++] = *bytes++;
    size--;
    if (s->used == 8) {
      s->hash = mix(s->hash, s->word);
      s->used = 0;
    }
  }
  return SCREE_OK;
}

static uint64_t sum_end(sum *s) {
  while (s->used) sum_add(s, "", 1);
  return s->hash;
}

static uint64_t checksum(const uint64_t *count, size_t count_size, const char *bytes, size_t size) {
  sum s = sum_start;
  sum_add(&s, count, count_size);
  sum_add(&s, bytes, size);
  return sum_end(&s);
}

static size_t own_size(const scree_stepper *s) {
  return s->class->save ? s->class->save(s, NULL) : 0;
}

size_t scree_stepper_save_size(const scree_stepper *s) {
  if (!s) return 0;
  return sizeof(checkpoint_header) + world_save(s->world, NULL) +
         assembler_save(s->assembler, NULL) + own_size(s);
}

/* Goes over the state twice, first for the checksum. */
static scree_status put(const scree_stepper *s, blob_out *out) {
  char *own = NULL;
  const size_t size = own_size(s);
  if (size) {
    own = memory_new(s->context, size, 1);
    if (!own) return SCREE_ERROR_MEMORY;
    s->class->save(s, own);
  }
  sum state = sum_start;
  blob_out seen = {.write = sum_add, .user = &state};
  checkpoint_header head = {.magic = checkpoint_magic,
                            .count = {s->step_count, s->first_work, s->retry_work}};
  sum_add(&state, head.count, sizeof head.count);
  world_put(s->world, &seen);
  head.world_size = seen.at;
  assembler_put(s->assembler, &seen);
  head.assembler_size = seen.at - head.world_size;
  head.own_size = size;
  if (size) blob_put(&seen, own, size);
  head.checksum = sum_end(&state);
  blob_put(out, &head, sizeof head);
  world_put(s->world, out);
  assembler_put(s->assembler, out);
  if (size) blob_put(out, own, size);
  memory_free(s->context, own);
  return out->status;
}

scree_status scree_stepper_save(const scree_stepper *s, void *bytes, size_t size) {
  ARGUMENT_CHECK(s ? s->context : NULL, s);
  if (size != scree_stepper_save_size(s))
    return context_fail(s->context, SCREE_ERROR_ARGUMENT,
                        "checkpoint: room for %zu bytes was given, it needs %zu", size,
                        scree_stepper_save_size(s));
  blob_out out = {.bytes = bytes};
  return put(s, &out);
}

scree_status scree_stepper_write(const scree_stepper *s, scree_write_function write, void *user) {
  ARGUMENT_CHECK(s ? s->context : NULL, s);
  blob_out out = {.write = write, .user = user};
  return put(s, &out);
}

scree_status scree_stepper_restore(scree_stepper *s, const void *blob, size_t size) {
  ARGUMENT_CHECK(s ? s->context : NULL, s);
  checkpoint_header head;
  const char *bytes = blob;
  if (size >= sizeof head) memcpy(&head, blob, sizeof head);
  if (size < sizeof head || head.magic != checkpoint_magic ||
      head.world_size > size - sizeof head ||
      head.assembler_size > size - sizeof head - head.world_size ||
      head.own_size != size - sizeof head - head.world_size - head.assembler_size ||
      head.checksum !=
          checksum(head.count, sizeof head.count, bytes + sizeof head, size - sizeof head))
    return context_fail(s->context, SCREE_ERROR_INPUT,
                        "checkpoint: it is damaged or not one of Scree's");
  const char *world = bytes + sizeof head, *rest = world + head.world_size;
  scree_status status = assembler_check(s->assembler, rest, head.assembler_size);
  if (!status && !s->class->save != !head.own_size)
    status = context_fail(s->context, SCREE_ERROR_INPUT,
                          "checkpoint: it is of another kind of stepper than '%s'", s->class->name);
  if (!status) status = world_restore(s->world, world, head.world_size);
  if (!status) status = assembler_restore(s->assembler, rest);
  if (!status && head.own_size)
    status = s->class->restore(s, rest + head.assembler_size, head.own_size);
  if (status) return status;
  s->step_count = head.count[0];
  s->first_work = head.count[1];
  s->retry_work = head.count[2];
  return SCREE_OK;
}

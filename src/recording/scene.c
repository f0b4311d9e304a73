/* The scene inside a recording, and the list of its bodies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/argument.h"
#include "base/crc.h"
#include "base/memory.h"
#include "io/hdf5/check.h"
#include "model/world.h"
#include "recording/store.h"

#ifdef SCREE_WITH_HDF5

enum { ITEM_LIMIT = 10000 };

recording_item *recording_item_of(scree_recording *r, const char *name) {
  /* Items come one after the other, first their path and then their data. */
  for (size_t i = r->item_count; i-- > 0;)
    if (strcmp(r->items[i].name, name) == 0) return &r->items[i];
  if (r->item_count >= 2 * ITEM_LIMIT) {
    recording_fault(r, "its scene has too many files");
    return NULL;
  }
  if (memory_grow(r->context, &r->items, r->item_count + 1, sizeof *r->items)) return NULL;
  recording_item *item = &r->items[r->item_count++];
  *item = (recording_item){.address = CHECK_UNDEFINED};
  snprintf(item->name, sizeof item->name, "%s", name);
  return item;
}

/* The bytes of /scene/NAME, zero-ended; its path too when `path` is not null. */
static scree_status read_item(scree_recording *r, const char *name, char **bytes, size_t *size,
                              char **path) {
  const recording_item *item = NULL;
  for (size_t i = 0; i < r->item_count && !item; i++)
    if (strcmp(r->items[i].name, name) == 0) item = &r->items[i];
  if (!item) return recording_fault(r, "a file of the scene is missing");
  *size = (size_t)item->size;
  if (*size && item->address == CHECK_UNDEFINED)
    return context_fail(
        r->context, SCREE_ERROR_INPUT,
        "%s: its scene is not whole: '%s' is not in the file; `scree salvage` saves "
        "the frames with a scene that you give",
        r->path, item->path ? item->path : name);
  *bytes = memory_new(r->context, *size + 1, 1);
  if (!*bytes) return SCREE_ERROR_MEMORY;
  if (path) {
    const char *text = item->path ? item->path : "";
    *path = memory_new(r->context, strlen(text) + 1, 1);
    if (!*path) return SCREE_ERROR_MEMORY;
    strcpy(*path, text);
  }
  const scree_status status = *size ? recording_bytes(r, item->address, *size, *bytes) : SCREE_OK;
  if (status || !r->checked) return status;
  if (!item->has_crc || item->crc != crc32c(0, *bytes, *size))
    return context_fail(r->context, SCREE_ERROR_INPUT,
                        "%s: its scene is damaged: the checksum of '%s' is wrong; `scree salvage` "
                        "saves the frames with a scene that you give",
                        r->path, item->path ? item->path : name);
  return SCREE_OK;
}

typedef struct scene_items {
  uint64_t files, sets;
  char **paths, **bytes, **texts;
  size_t *sizes;
} scene_items;

static scree_status read_items(scree_recording *r, scene_items *items) {
  if (!r->files || r->files > ITEM_LIMIT || r->sets > ITEM_LIMIT)
    return recording_fault(r, "the scene is missing");
  items->files = r->files;
  items->sets = r->sets;
  items->paths = memory_new(r->context, items->files, sizeof *items->paths);
  items->bytes = memory_new(r->context, items->files, sizeof *items->bytes);
  items->sizes = memory_new(r->context, items->files, sizeof *items->sizes);
  items->texts = memory_new(r->context, items->sets, sizeof *items->texts);
  if (!items->paths || !items->bytes || !items->sizes || !items->texts) return SCREE_ERROR_MEMORY;
  scree_status status = SCREE_OK;
  char name[48];
  for (size_t i = 0; i < items->files && !status; i++) {
    snprintf(name, sizeof name, "file%zu", i);
    status = read_item(r, name, &items->bytes[i], &items->sizes[i], &items->paths[i]);
  }
  for (size_t i = 0; i < items->sets && !status; i++) {
    size_t size;
    snprintf(name, sizeof name, "set%zu", i);
    status = read_item(r, name, &items->texts[i], &size, NULL);
  }
  return status;
}

static void clear_items(scree_context *context, scene_items *items) {
  for (size_t i = 0; items->paths && i < items->files; i++) memory_free(context, items->paths[i]);
  for (size_t i = 0; items->bytes && i < items->files; i++) memory_free(context, items->bytes[i]);
  for (size_t i = 0; items->texts && i < items->sets; i++) memory_free(context, items->texts[i]);
  memory_free(context, items->paths);
  memory_free(context, items->bytes);
  memory_free(context, items->sizes);
  memory_free(context, items->texts);
}

scree_status recording_read_scene(scree_recording *r, scree_scene **scene) {
  scene_items items = {0};
  *scene = NULL;
  scree_status status = read_items(r, &items);
  if (!status) {
    scree_scene_def def = scree_scene_def_default();
    def.set_count = items.sets;
    def.sets = (const char *const *)items.texts;
    status = scree_scene_load_files(r->context, items.files, (const char *const *)items.paths,
                                    (const char *const *)items.bytes, items.sizes, &def, scene);
  }
  clear_items(r->context, &items);
  return status;
}

uint64_t recording_run(const scree_recording *r) {
  return r->run;
}

scree_status scree_recording_get_scene(scree_recording *r, scree_scene **scene,
                                       scree_world **world) {
  ARGUMENT_CHECK(r ? r->context : NULL, r && scene);
  scree_status status = SCREE_OK;
  if (!r->scene) status = recording_read_scene(r, &r->scene);
  if (!status && world && !r->world) status = scree_scene_build(r->scene, &r->world);
  *scene = r->scene;
  if (world) *world = r->world;
  return status;
}

const scree_shape *scree_recording_shape(const scree_recording *r, uint32_t shape) {
  if (!r) return NULL;
  if (!r->world || shape == 0 || shape > r->world->shape_count) return NULL;
  return r->world->shape[shape - 1];
}

/* ---- bodies --------------------------------------------------------------------------------- */

enum { LIST_COLUMNS = 5 };

static scree_status index_list(scree_recording *r, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const uint32_t *row = &r->list[LIST_COLUMNS * i];
    const double mass = r->mass[2 * i];
    if (row[0] >= RECORDING_PLACES || !row[1] || row[3] > SCREE_BODY_PRESCRIBED || !(mass >= 0.0) ||
        isinf(mass) || !(r->mass[2 * i + 1] >= 0.0))
      return recording_fault(r, "its list of bodies is damaged");
    const scree_status status =
        memory_grow(r->context, &r->last, (size_t)row[0] + 1, sizeof *r->last);
    if (status) return status;
    r->before[i] = r->last[row[0]];
    r->last[row[0]] = (uint32_t)i + 1;
  }
  return SCREE_OK;
}

void recording_forget_list(scree_recording *r) {
  memory_free(r->context, r->list);
  memory_free(r->context, r->mass);
  memory_free(r->context, r->last);
  memory_free(r->context, r->before);
  r->list = r->last = r->before = NULL;
  r->mass = NULL;
}

/* Rows before the first that is damaged; `count` when all are whole. */
static scree_status count_whole(scree_recording *r, size_t count, size_t *whole) {
  *whole = count;
  if (!r->checked) return SCREE_OK;
  uint32_t *checks = memory_new(r->context, count, sizeof *checks);
  if (!checks) return SCREE_ERROR_MEMORY;
  const scree_status status = recording_rows(r, STREAM_CHECK_LIST, 0, count, checks);
  for (*whole = 0; *whole < count && !status; ++*whole)
    if (!recording_is_listed_whole(&r->list[LIST_COLUMNS * *whole], &r->mass[2 * *whole],
                                   checks[*whole]))
      break;
  memory_free(r->context, checks);
  return status;
}

static scree_status load_list(scree_recording *r) {
  const uint64_t a = r->rows[STREAM_BODY_LIST], b = r->rows[STREAM_BODY_MASS];
  size_t count = (size_t)(a < b ? a : b), whole = 0;
  if (r->checked && r->rows[STREAM_CHECK_LIST] < count) count = (size_t)r->rows[STREAM_CHECK_LIST];
  if (count >= UINT32_MAX) return recording_fault(r, "its list of bodies is damaged");
  r->list = memory_new(r->context, count, LIST_COLUMNS * sizeof *r->list);
  r->mass = memory_new(r->context, count, 2 * sizeof *r->mass);
  r->before = memory_new(r->context, count, sizeof *r->before);
  if (!r->list || !r->mass || !r->before) return SCREE_ERROR_MEMORY;
  scree_status status = recording_rows(r, STREAM_BODY_LIST, 0, count, r->list);
  if (!status) status = recording_rows(r, STREAM_BODY_MASS, 0, count, r->mass);
  if (!status) status = count_whole(r, count, &whole);
  if (status) return status;
  /* The last ones of a killed run may not have reached the disk; no whole frame has them. */
  if (whole < count && !r->marked)
    return context_fail(r->context, SCREE_ERROR_INPUT,
                        "%s: row %zu of its list of bodies is damaged: the checksum is wrong; "
                        "`scree verify` looks through all, `scree salvage` saves what is intact",
                        r->path, whole);
  return index_list(r, whole);
}

scree_status scree_recording_get_body(scree_recording *r, scree_body_id id,
                                      scree_recorded_body *body) {
  ARGUMENT_CHECK(r ? r->context : NULL, r && body);
  *body = (scree_recorded_body){.id = id};
  if (!r->before) {
    const scree_status status = load_list(r);
    if (status) recording_forget_list(r);
    if (status) return status;
  }
  uint32_t at = id.index < memory_room(r->last) ? r->last[id.index] : 0;
  while (at && r->list[LIST_COLUMNS * (at - 1) + 1] != id.generation) at = r->before[at - 1];
  if (!at)
    return context_fail(r->context, SCREE_ERROR_INPUT, "%s: body %u (%u) is not in its list",
                        r->path, id.index, id.generation);
  const uint32_t *row = &r->list[LIST_COLUMNS * (at - 1)];
  body->shape = row[2];
  body->kind = (scree_body_kind)row[3];
  body->material.index = row[4];
  body->mass = r->mass[2 * (at - 1)];
  body->diameter = r->mass[2 * (at - 1) + 1];
  return SCREE_OK;
}

#endif

/* The world's part of a checkpoint: arrays as they lie in memory, after a header that tells whether
 * they fit. Shapes, materials and motions are not in it: the world that takes the blob has been
 * built with the same ones. */
#include "model/world.h"

#include <string.h>

#include "model/link/link.h"

enum { BLOB_VERSION = 7 };

typedef struct blob_header {
  uint64_t magic;
  uint32_t version, word;
  uint64_t limit, free_count, shape_count, material_count, motion_count, curve_count, joint_limit,
      link_limit;
  uint64_t optional; /* bit k: the k-th optional array is there */
  uint64_t called;   /* the loads of the step are there: it was stopped, and is to be made again */
  scree_world_def def;
  periodic box;
  double time, step;
  v3 late_gravity;
} blob_header;

static const uint64_t blob_magic = 0x444C524F57524353u; /* "SCRWORLD" */

void world_put(const scree_world *w, blob_out *out) {
  const world_bodies *b = &w->bodies;
  blob_header head;
  memset(&head, 0, sizeof head);
  head.magic = blob_magic;
  head.version = BLOB_VERSION;
  head.word = (uint32_t)sizeof(joint);
  head.limit = b->limit;
  head.free_count = b->free_count;
  head.shape_count = w->shape_count;
  head.material_count = w->material_count;
  head.motion_count = w->motion_count;
  head.curve_count = w->curve_count;
  head.joint_limit = w->joint_limit;
  head.link_limit = w->link_limit;
  head.def = w->def;
  head.box = w->box;
  head.called = w->called;
  head.time = w->time;
  head.step = w->step;
  head.late_gravity = w->late_gravity;
  uint64_t bit = 1;
#define BLOB_BIT(type, name)                                                                       \
  if (b->name) head.optional |= bit;                                                               \
  bit <<= 1;
  WORLD_OPTIONAL_LIST(BLOB_BIT)
#undef BLOB_BIT
  blob_put(out, &head, sizeof head);
#define BLOB_PUT(type, name)                                                                       \
  if (b->name) blob_put(out, b->name, b->limit * sizeof(type));
  WORLD_BODY_LIST(BLOB_PUT)
  WORLD_OPTIONAL_LIST(BLOB_PUT)
#undef BLOB_PUT
  blob_put(out, b->free_list, b->free_count * sizeof *b->free_list);
  blob_put(out, w->joint, w->joint_limit * sizeof *w->joint);
  blob_put(out, w->link, w->link_limit * sizeof *w->link);
}

size_t world_save(const scree_world *w, void *bytes) {
  blob_out out = {.bytes = bytes};
  world_put(w, &out);
  return out.at;
}

static size_t expected_size(const blob_header *head) {
  size_t body = 0;
  uint64_t bit = 1;
#define BLOB_SIZE(type, name) body += sizeof(type);
#define BLOB_SIZE_OPTIONAL(type, name)                                                             \
  if (head->optional & bit) body += sizeof(type);                                                  \
  bit <<= 1;
  WORLD_BODY_LIST(BLOB_SIZE)
  WORLD_OPTIONAL_LIST(BLOB_SIZE_OPTIONAL)
#undef BLOB_SIZE_OPTIONAL
#undef BLOB_SIZE
  return sizeof *head + head->limit * body + head->free_count * sizeof(uint32_t) +
         head->joint_limit * sizeof(joint) + head->link_limit * sizeof(world_link);
}

static scree_status check_header(scree_world *w, const blob_header *head, size_t size) {
  scree_context *context = w->context;
  if (head->magic != blob_magic || head->version != BLOB_VERSION || head->word != sizeof(joint))
    return context_fail(context, SCREE_ERROR_INPUT,
                        "checkpoint: not one of this version of Scree, or of another machine");
  if (!world_box_fits(&head->box))
    return context_fail(context, SCREE_ERROR_INPUT, "checkpoint: its periodic box is none");
  if (head->limit > UINT32_MAX || head->free_count > head->limit ||
      head->joint_limit > UINT32_MAX || head->link_limit > UINT32_MAX ||
      size != expected_size(head))
    return context_fail(context, SCREE_ERROR_INPUT, "checkpoint: its size does not fit its header");
  if (head->shape_count > w->shape_count || head->material_count != w->material_count ||
      head->motion_count > w->motion_count || head->curve_count > w->curve_count)
    return context_fail(context, SCREE_ERROR_INPUT,
                        "checkpoint: it is of a world with %zu shapes, %zu materials and %zu "
                        "motions; this one has %zu, %zu and %zu; build it in the same way",
                        (size_t)head->shape_count, (size_t)head->material_count,
                        (size_t)head->motion_count, w->shape_count, w->material_count,
                        w->motion_count);
  return SCREE_OK;
}

/* Where each array lies in the blob, in the order of the lists. */
typedef struct blob_map {
#define BLOB_FIELD(type, name) const char *name;
  WORLD_BODY_LIST(BLOB_FIELD)
  WORLD_OPTIONAL_LIST(BLOB_FIELD)
#undef BLOB_FIELD
  const char *free_list, *joints, *links;
} blob_map;

static blob_map map_blob(const blob_header *head, const char *bytes) {
  blob_map map = {0};
  const char *at = bytes + sizeof *head;
  uint64_t bit = 1;
#define BLOB_AT(type, name)                                                                        \
  map.name = at;                                                                                   \
  at += head->limit * sizeof(type);
#define BLOB_AT_OPTIONAL(type, name)                                                               \
  if (head->optional & bit) {                                                                      \
    BLOB_AT(type, name)                                                                            \
  }                                                                                                \
  bit <<= 1;
  WORLD_BODY_LIST(BLOB_AT)
  WORLD_OPTIONAL_LIST(BLOB_AT_OPTIONAL)
#undef BLOB_AT_OPTIONAL
#undef BLOB_AT
  map.free_list = at;
  map.joints = at + head->free_count * sizeof(uint32_t);
  map.links = map.joints + head->joint_limit * sizeof(joint);
  return map;
}

static bool links_fit(const scree_world *w, const blob_header *head, const blob_map *map) {
  for (size_t i = 0; i < head->link_limit; i++) {
    world_link l;
    memcpy(&l, map->links + i * sizeof l, sizeof l);
    if (!l.alive) continue;
    if ((int)l.kind < 0 || l.kind >= SCREE_LINK_KIND_COUNT || l.body_count > LINK_BODIES ||
        l.rows != link_classes[l.kind]->rows || l.elastic >= SCREE_ELASTIC_COUNT ||
        l.function > w->link_function_count || (l.kind == SCREE_LINK_USER) != (l.function > 0))
      return false;
    for (size_t k = 0; k < l.body_count; k++)
      if (l.body[k] >= head->limit && l.body[k] != WORLD_NO_BODY) return false;
  }
  return true;
}

/* Indices inside the arrays must not lead outside. */
static bool indices_fit(const scree_world *w, const blob_header *head, const blob_map *map) {
  for (size_t i = 0; i < head->limit; i++) {
    uint32_t shape, material;
    memcpy(&shape, map->shape_index + i * sizeof shape, sizeof shape);
    memcpy(&material, map->material + i * sizeof material, sizeof material);
    if (shape > w->shape_count || material >= w->material_count) return false;
    if (map->drive) {
      body_drive drive;
      memcpy(&drive, map->drive + i * sizeof drive, sizeof drive);
      if (drive.motion > w->motion_count) return false;
    }
  }
  for (size_t i = 0; i < head->free_count; i++) {
    uint32_t place;
    memcpy(&place, map->free_list + i * sizeof place, sizeof place);
    if (place >= head->limit || map->alive[place]) return false;
  }
  for (size_t i = 0; i < head->joint_limit; i++) {
    joint j;
    memcpy(&j, map->joints + i * sizeof j, sizeof j);
    if (!j.alive) continue;
    if (!world_joint_fits(w, &j, head->limit)) return false;
  }
  return links_fit(w, head, map);
}

scree_status world_restore(scree_world *w, const void *bytes, size_t size) {
  world_bodies *b = &w->bodies;
  blob_header head;
  if (size < sizeof head)
    return context_fail(w->context, SCREE_ERROR_INPUT, "checkpoint: it is cut short");
  memcpy(&head, bytes, sizeof head);
  const scree_status status = check_header(w, &head, size);
  if (status) return status;
  const blob_map map = map_blob(&head, bytes);
  if (!indices_fit(w, &head, &map))
    return context_fail(w->context, SCREE_ERROR_INPUT, "checkpoint: its indices are out of range");
  if (world_reserve_bodies(w, head.limit) ||
      memory_grow(w->context, &w->joint, head.joint_limit, sizeof *w->joint) ||
      memory_grow(w->context, &w->link, head.link_limit, sizeof *w->link))
    return SCREE_ERROR_MEMORY;
#define BLOB_NEED(type, name)                                                                      \
  if (map.name && world_need(w, &b->name, sizeof(type), NULL)) return SCREE_ERROR_MEMORY;
  WORLD_OPTIONAL_LIST(BLOB_NEED)
#undef BLOB_NEED
#define BLOB_GET(type, name)                                                                       \
  if (map.name && head.limit) memcpy(b->name, map.name, head.limit * sizeof(type));
#define BLOB_GET_OPTIONAL(type, name)                                                              \
  if (b->name) memset(b->name, 0, b->capacity * sizeof(type));                                     \
  BLOB_GET(type, name)
  WORLD_BODY_LIST(BLOB_GET)
  WORLD_OPTIONAL_LIST(BLOB_GET_OPTIONAL)
#undef BLOB_GET_OPTIONAL
#undef BLOB_GET
  for (size_t i = 0; b->place && i < b->capacity; i++)
    if (!map.place || i >= head.limit) b->place[i] = pose_identity();
  if (head.free_count) memcpy(b->free_list, map.free_list, head.free_count * sizeof(uint32_t));
  if (head.joint_limit) memcpy(w->joint, map.joints, head.joint_limit * sizeof *w->joint);
  if (head.link_limit) memcpy(w->link, map.links, head.link_limit * sizeof *w->link);
  b->limit = head.limit;
  b->free_count = head.free_count;
  w->joint_limit = head.joint_limit;
  w->link_limit = head.link_limit;
  w->def = head.def;
  w->box = head.box;
  w->called = head.called != 0;
  w->time = head.time;
  w->step = head.step;
  w->late_gravity = head.late_gravity;
  w->joint_count = w->link_count = b->count = b->dynamic_count = w->asleep_count = 0;
  for (size_t i = 0; i < b->limit; i++) {
    b->shape[i] = b->shape_index[i] ? w->shape[b->shape_index[i] - 1] : NULL;
    b->count += b->alive[i];
    b->dynamic_count += b->alive[i] && b->mass[i] > 0.0;
    if (b->asleep && (!b->alive[i] || !(b->mass[i] > 0.0))) b->asleep[i] = 0;
    w->asleep_count += b->asleep && b->asleep[i];
  }
  for (size_t i = 0; i < w->joint_limit; i++) w->joint_count += w->joint[i].alive;
  for (size_t i = 0; i < w->link_limit; i++) w->link_count += w->link[i].alive;
  if (w->asleep_count && world_need(w, &b->still, sizeof *b->still, NULL))
    return SCREE_ERROR_MEMORY;
  w->revision++;
  w->sleep_revision++;
  return world_list_excluded(w);
}

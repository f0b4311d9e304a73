/* Links' data: made, checked, removed. What they do is in evaluate.c and in the file of each kind.
 */
#include "model/link/link.h"

#include <string.h>

#include "base/argument.h"
#include "base/definition.h"

scree_link_def scree_link_def_default(void) {
  return (scree_link_def){
      .cookie = DEFINITION_COOKIE, .kind = SCREE_LINK_SPRING, .stiffness = 1000.0, .rest = -1.0};
}

scree_status link_refuse(const scree_world *w, const char *what) {
  return context_fail(w->context, SCREE_ERROR_INPUT, "link: %s", what);
}

pose link_frame_in(const scree_world *w, uint32_t body, pose frame) {
  return body == WORLD_NO_BODY ? frame : pose_mul(pose_inverse(world_pose(w, body)), frame);
}

void link_places(const scree_world *w, const world_link *l, double (*at)[3]) {
  for (uint32_t k = 0; k < l->body_count; k++) v3_store(at[k], w->bodies.position[l->body[k]]);
}

uint32_t link_body_count(const scree_link_def *d) {
  const uint32_t own = link_classes[d->kind]->bodies;
  return own ? own : d->body_count ? (uint32_t)d->body_count : 4;
}

static scree_status find_bodies(const scree_world *w, const scree_link_def *d, world_link *l) {
  bool any = false;
  for (uint32_t k = 0; k < l->body_count; k++) {
    l->body[k] = WORLD_NO_BODY;
    if (d->body[k].index == 0 && d->body[k].generation == 0) continue;
    l->body[k] = world_find_body(w, d->body[k]);
    if (l->body[k] == WORLD_NO_BODY) return SCREE_ERROR_ARGUMENT;
    any = true;
    for (uint32_t m = 0; m < k; m++)
      if (l->body[m] == l->body[k]) return link_refuse(w, "its bodies must differ");
  }
  return any ? SCREE_OK : link_refuse(w, "it needs a body");
}

scree_status scree_world_add_link(scree_world *w, const scree_link_def *d, scree_link_id *id) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && d);
  DEFINITION_CHECK(w->context, d, link_def);
  if ((int)d->kind < 0 || d->kind >= SCREE_LINK_KIND_COUNT)
    return context_fail(w->context, SCREE_ERROR_INPUT, "link: there is no kind %d", (int)d->kind);
  const link_class *class = link_classes[d->kind];
  if (d->body_count > LINK_BODIES || (d->kind == SCREE_LINK_USER && d->body_count < 1))
    return link_refuse(w, "one to ten bodies are expected");
  for (int k = 0; k < 2; k++)
    if (!world_finite(v3_load(d->point[k])) || !world_finite(v3_load(d->up)))
      return link_refuse(w, "its points must be finite");
  world_link l;
  memset(&l, 0, sizeof l);
  l.kind = d->kind;
  l.body_count = link_body_count(d);
  l.rows = class->rows;
  l.alive = 1;
  l.frame[0] = l.frame[1] = pose_identity();
  scree_status status = find_bodies(w, d, &l);
  if (status) return status;
  status = class->make(w, d, &l);
  if (!status) status = link_make_inertia(w, d, &l);
  if (status) return status;
  size_t i = w->link_limit;
  if (w->link_count < w->link_limit)
    for (i = 0; w->link[i].alive; i++) continue;
  if (memory_grow(w->context, &w->link, i + 1, sizeof *w->link)) return SCREE_ERROR_MEMORY;
  l.generation = w->link[i].generation + 1;
  w->link[i] = l;
  if (i == w->link_limit) w->link_limit++;
  w->link_count++;
  w->revision++;
  world_wake_all(w);
  if (id) *id = (scree_link_id){(uint32_t)i, l.generation};
  for (uint32_t k = 0; class->apart && k < l.body_count; k++)
    for (uint32_t m = 0; m < k && !status; m++)
      status = world_exclude_also(w, l.body[k], l.body[m]);
  return status;
}

bool scree_link_is_valid(const scree_world *w, scree_link_id id) {
  if (!w) return false;
  return id.index < w->link_limit && w->link[id.index].alive &&
         w->link[id.index].generation == id.generation;
}

static void remove_at(scree_world *w, size_t i) {
  w->link[i].alive = 0;
  w->link_count--;
  w->revision++;
  world_wake_all(w);
}

scree_status scree_world_remove_link(scree_world *w, scree_link_id id) {
  ARGUMENT_CHECK(w ? w->context : NULL, w);
  if (!scree_link_is_valid(w, id))
    return context_fail(w->context, SCREE_ERROR_ARGUMENT,
                        "world: there is no link %u (generation %u)", id.index, id.generation);
  remove_at(w, id.index);
  return world_list_excluded(w);
}

void world_remove_links_of(scree_world *w, uint32_t body) {
  for (size_t i = 0; i < w->link_limit; i++) {
    const world_link *l = &w->link[i];
    bool touches = false;
    for (uint32_t k = 0; l->alive && k < l->body_count; k++) touches |= l->body[k] == body;
    if (touches) remove_at(w, i);
  }
}

size_t scree_world_link_count(const scree_world *w) {
  if (!w) return 0;
  return w->link_count;
}

size_t scree_world_link_limit(const scree_world *w) {
  if (!w) return 0;
  return w->link_limit;
}

scree_link_id scree_world_link_at(const scree_world *w, size_t i) {
  if (!w) return (scree_link_id){0};
  if (i >= w->link_limit || !w->link[i].alive) return (scree_link_id){0, 0};
  return (scree_link_id){(uint32_t)i, w->link[i].generation};
}

/* The lists of a robot, and what is reported about what was left out. */
#include "scene/import/robot.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

enum { REMARK_LIMIT = 2000 };

void robot_clear(robot *r) {
  scree_context *context = r->doc->context;
  memory_free(context, r->bodies);
  memory_free(context, r->geoms);
  memory_free(context, r->geom_body);
  memory_free(context, r->joints);
  memory_free(context, r->surfaces);
  memory_free(context, r->ties);
  memory_free(context, r->links);
  memory_free(context, r->probes);
  memory_free(context, r->apart);
  memory_free(context, r->remarks);
}

static void *grow(robot *r, void *array, size_t *count, size_t size) {
  if (memory_grow(r->doc->context, array, *count + 1, size)) {
    r->doc->out_of_memory = true;
    return NULL;
  }
  char *base;
  memcpy(&base, array, sizeof base);
  char *place = base + size * (*count)++;
  memset(place, 0, size);
  return place;
}

robot_body *robot_add_body(robot *r, const xml_element *at, const char *name, int parent) {
  robot_body *b = grow(r, &r->bodies, &r->body_count, sizeof *b);
  if (!b) return NULL;
  b->at = at;
  b->name = name;
  b->parent = parent;
  b->local = b->world = b->in_root = pose_identity();
  b->joint = r->joint_count;
  return b;
}

robot_geom *robot_add_geom(robot *r, const xml_element *at, const char *name, int body) {
  size_t *owner = grow(r, &r->geom_body, &r->geom_count, sizeof *owner);
  if (!owner) return NULL;
  r->geom_count--;
  *owner = body == ROBOT_WORLD ? SIZE_MAX : (size_t)body;
  robot_geom *g = grow(r, &r->geoms, &r->geom_count, sizeof *g);
  if (!g) return NULL;
  g->at = at;
  g->name = name;
  g->place = g->shift = pose_identity();
  g->stretch = v3_make(1, 1, 1);
  g->mass = -1.0;
  g->density = 1000.0;
  g->meets_as = g->meets = 1;
  g->solid = g->weighed = true;
  g->surface = SIZE_MAX;
  return g;
}

robot_joint *robot_add_joint(robot *r, const xml_element *at, const char *name, size_t body) {
  robot_joint *j = grow(r, &r->joints, &r->joint_count, sizeof *j);
  if (!j) return NULL;
  j->at = at;
  j->name = name;
  j->body = body;
  j->axis = v3_make(0, 0, 1);
  j->turn = quat_identity();
  if (!r->bodies[body].joints++) r->bodies[body].joint = r->joint_count - 1;
  return j;
}

robot_tie *robot_add_tie(robot *r, const xml_element *at, robot_tie_kind kind) {
  robot_tie *t = grow(r, &r->ties, &r->tie_count, sizeof *t);
  if (!t) return NULL;
  t->at = at;
  t->kind = kind;
  return t;
}

robot_link *robot_add_link(robot *r, const xml_element *at) {
  robot_link *l = grow(r, &r->links, &r->link_count, sizeof *l);
  if (l) l->at = at;
  return l;
}

robot_probe *robot_add_probe(robot *r, const xml_element *at, const char *name) {
  robot_probe *p = grow(r, &r->probes, &r->probe_count, sizeof *p);
  if (!p) return NULL;
  p->at = at;
  p->name = name;
  return p;
}

scree_status robot_add_apart(robot *r, int a, int b) {
  int(*pair)[2] = grow(r, &r->apart, &r->apart_count, sizeof *pair);
  if (!pair) return SCREE_ERROR_MEMORY;
  (*pair)[0] = a;
  (*pair)[1] = b;
  return SCREE_OK;
}

scree_status robot_find_surface(robot *r, const robot_surface *s, size_t *index) {
  for (*index = 0; *index < r->surface_count; (*index)++) {
    const robot_surface *o = &r->surfaces[*index];
    if (o->condim == s->condim && o->priority == s->priority && o->friction == s->friction &&
        o->spinning == s->spinning && o->rolling == s->rolling && o->restitution == s->restitution)
      return SCREE_OK;
  }
  robot_surface *made = grow(r, &r->surfaces, &r->surface_count, sizeof *made);
  if (!made) return SCREE_ERROR_MEMORY;
  *made = *s;
  return SCREE_OK;
}

/* ---- remarks -------------------------------------------------------------------------------- */

const char *robot_text(robot *r, const char *format, ...) {
  char text[1024];
  va_list list;
  va_start(list, format);
  number_format_list(text, sizeof text, format, list);
  va_end(list);
  return scene_copy_text(r->doc, text, strlen(text));
}

static void remark(robot *r, bool loss, const xml_element *at, const char *attribute,
                   const char *text) {
  if (r->remark_count > REMARK_LIMIT) return;
  const scene_node node = xml_place(at, attribute);
  const char *path = node.file < r->doc->file_count ? r->doc->files[node.file].path : "?";
  const char *full = robot_text(r, "%s:%u:%u: %s", path, node.line, node.column, text);
  if (!full) return;
  for (size_t i = 0; i < r->remark_count; i++) /* a default is met by many elements */
    if (strcmp(r->remarks[i].text, full) == 0) return;
  const bool last = r->remark_count == REMARK_LIMIT;
  robot_remark *m = grow(r, &r->remarks, &r->remark_count, sizeof *m);
  if (m)
    *m = (robot_remark){last ? "more was left out than is reported here: too much to list" : full,
                        loss || last};
}

void robot_note(robot *r, const xml_element *at, const char *attribute, const char *format, ...) {
  char text[512];
  va_list list;
  va_start(list, format);
  number_format_list(text, sizeof text, format, list);
  va_end(list);
  remark(r, false, at, attribute, text);
}

void robot_lose(robot *r, const xml_element *at, const char *attribute, const char *format, ...) {
  char text[512];
  va_list list;
  va_start(list, format);
  number_format_list(text, sizeof text, format, list);
  va_end(list);
  remark(r, true, at, attribute, text);
}

scree_status robot_fault(robot *r, const xml_element *at, const char *attribute, const char *format,
                         ...) {
  char text[512];
  va_list list;
  va_start(list, format);
  number_format_list(text, sizeof text, format, list);
  va_end(list);
  const scene_node node = xml_place(at, attribute);
  return scene_fault(r->doc, &node, "%s", text);
}

scree_status robot_judge(robot *r) {
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < r->remark_count; i++) {
    const robot_remark *m = &r->remarks[i];
    r->summary.losses += m->loss;
    r->summary.notes += !m->loss;
    if (m->loss && !r->def->allow_unsupported) status = scene_fault(r->doc, NULL, "%s", m->text);
  }
  if (status)
    scene_fault(r->doc, NULL,
                "%zu of the faults above are things that Scree does not have: they are left out "
                "if that is allowed (--allow-unsupported, allow_unsupported: true)",
                r->summary.losses);
  return r->doc->out_of_memory ? SCREE_ERROR_MEMORY : status;
}

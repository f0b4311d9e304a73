/* What can be found in a scene without running it: bodies that overlap at the start, pairs that
 * would pass through each other, and bonds that are none. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "assemble/assembler.h"
#include "assemble/laws/law.h"
#include "base/argument.h"
#include "base/number.h"
#include "scene/build/build.h"
#include "sim/sim.h"

/* So many are reported one by one, and so many are counted. */
enum { OVERLAP_TOLD = 20, OVERLAP_LIMIT = 1000000 };

typedef struct overlaps {
  scree_scene *scene;
  const scree_world *world;
  scree_report_function report;
  void *user;
  size_t found, contacts, most;
} overlaps;

static bool visit_overlap(void *user, const collide_contact *c) {
  overlaps *o = user;
  if (++o->contacts > o->most) return false;
  const double gap = c->point.gap;
  const scree_body_id id[2] = {scree_world_body_at(o->world, c->a),
                               scree_world_body_at(o->world, c->b)};
  scree_body_info info[2];
  for (int k = 0; k < 2; k++)
    if (scree_body_get_info(o->world, id[k], &info[k])) return true;
  const double diameter = fmin(info[0].diameter, info[1].diameter);
  if (-gap <= scree_scene_get_settings(o->scene)->overlap * diameter) return true;
  if (o->found < OVERLAP_TOLD) {
    char name[2][512], text[CONTEXT_MESSAGE_SIZE + 256];
    for (int k = 0; k < 2; k++) scree_scene_describe_body(o->scene, id[k], name[k], sizeof name[k]);
    number_format(text, sizeof text,
                  "%s overlaps %s at the start by %.3g m, %.3g %% of the smaller diameter; move "
                  "them apart, or allow it by `overlap`",
                  name[0], name[1], -gap, -100.0 * gap / diameter);
    if (!o->found) context_fail(scree_scene_context(o->scene), SCREE_ERROR_INPUT, "%s", text);
    if (o->report) o->report(o->user, text);
  }
  return ++o->found < OVERLAP_LIMIT;
}

static scree_status report_overlaps(scree_scene *scene, const scree_world *world,
                                    scree_report_function report, void *user) {
  overlaps o = {.scene = scene,
                .world = world,
                .report = report,
                .user = user,
                .most = assembler_contact_limit(scree_world_body_count(world))};
  const scree_status status = assembler_visit_contacts(world, 0.0, visit_overlap, &o);
  if (!status && !o.found && o.contacts > o.most) return assembler_refuse_crowd(world);
  if (status || !o.found) return status;
  char text[128];
  snprintf(text, sizeof text, "%s%zu overlaps in all; the first %d are reported",
           o.found == OVERLAP_LIMIT ? "at least " : "", o.found, OVERLAP_TOLD);
  if (report && o.found > OVERLAP_TOLD) report(user, text);
  return SCREE_ERROR_INPUT;
}

/* Two bodies that may meet and cannot touch, by their names. */
static scree_status report_hole(scree_scene *scene, const scree_world *world,
                                scree_report_function report, void *user) {
  uint32_t pair[2];
  if (!assembler_find_hole(world, pair)) return SCREE_OK;
  char name[2][512], text[CONTEXT_MESSAGE_SIZE + 256];
  const char *kind[2];
  for (int k = 0; k < 2; k++) {
    const scree_body_id id = scree_world_body_at(world, pair[k]);
    scree_body_info info;
    scree_scene_describe_body(scene, id, name[k], sizeof name[k]);
    kind[k] = scree_body_get_info(world, id, &info)
                  ? ""
                  : scree_shape_kind_name(scree_shape_get_kind(info.shape));
  }
  snprintf(text, sizeof text,
           "%s (%s) and %s (%s) cannot touch: there are no contacts between these shapes, so they "
           "would pass through each other; change a shape, or keep them apart by `category` and "
           "`collides_with`",
           name[0], kind[0], name[1], kind[1]);
  if (report) report(user, text);
  return context_fail(scree_world_context(world), SCREE_ERROR_INPUT, "%s", text);
}

typedef struct glue {
  const scree_world *world;
  size_t bonds;
  double nearest; /* m, gap of what is not glued; part of the smaller diameter */
  double part;
  size_t rows;         /* of pairs that are glued without a compliance: at most 6 of each */
  uint32_t a, b;       /* the last of them */
  size_t rows_of_pair; /* its own */
} glue;

/* What a point adds to the rows that hold two bodies together. */
static void count_rows(glue *g, const collide_contact *c, const scree_material_def *m) {
  const bool turns = m->bond_bending > 0.0, twists = m->bond_twisting > 0.0;
  const size_t point = 3 + 2 * (size_t)turns + (size_t)twists;
  if (m->compliance > 0.0) return;
  if (!g->rows || c->a != g->a || c->b != g->b) g->rows_of_pair = 0;
  const size_t now = g->rows_of_pair + point < 6 ? g->rows_of_pair + point : 6;
  g->rows += now - g->rows_of_pair;
  g->rows_of_pair = now;
  g->a = c->a;
  g->b = c->b;
}

static bool visit_glue(void *user, const collide_contact *c) {
  glue *g = user;
  const world_bodies *b = &g->world->bodies;
  const scree_material_def *m = world_pair(g->world, b->material[c->a], b->material[c->b]);
  if (m->law != SCREE_LAW_BOND || !(m->cohesion > 0.0)) return true;
  const double diameter = fmin(b->diameter[c->a], b->diameter[c->b]);
  if (law_touches(c->point.gap, diameter)) {
    g->bonds++;
    count_rows(g, c, m);
  } else if (c->point.gap < g->nearest) {
    g->nearest = c->point.gap;
    g->part = c->point.gap / diameter;
  }
  return true;
}

/* Where rigid bonds hold bodies by more than they need, which of them bears what is not determined,
 * and one may come to its bound while others bear little. */
static void note_glue(scree_scene *scene, const glue *g, size_t bodies) {
  char text[384], near[96] = "";
  if (g->bonds && g->rows <= 6 * bodies) return;
  if (g->bonds) {
    snprintf(text, sizeof text,
             "warning: law bond without compliance holds %zu bodies by %zu rows, more than 6 each: "
             "what a bond bears is then not determined, and some may break below their strength; "
             "give it a compliance",
             bodies, g->rows);
  } else {
    if (isfinite(g->nearest))
      snprintf(near, sizeof near,
               "; the nearest two are %.3g m apart, %.2g %% of the smaller diameter", g->nearest,
               100.0 * g->part);
    snprintf(text, sizeof text,
             "warning: law bond: nothing is glued, as no two bodies with it touch at the start, to "
             "a thousandth of the smaller diameter%s",
             near);
  }
  scene->doc.note(scene->doc.note_user, text);
}

/* Bonds are made where bodies touch in the first step. Where none do there are none, whatever the
 * material says. What emitters bring is not known yet, nor what bodies of a recording were. */
static scree_status look_for_bonds(scree_scene *scene, const scree_world *world) {
  const world_bodies *b = &world->bodies;
  double most = 0.0;
  size_t bodies = 0;
  bool wanted = false;
  if (!scene->doc.note || scene->emitter_count || *scene->top.from) return SCREE_OK;
  for (size_t i = 0; i < world->material_count * world->material_count; i++)
    wanted = wanted || world->pair[i].law == SCREE_LAW_BOND;
  if (!wanted) return SCREE_OK;
  for (size_t i = 0; i < b->limit; i++) {
    if (!b->alive[i] || !b->shape[i] || !world_is_dynamic(world, i)) continue;
    most = fmax(most, b->diameter[i]);
    bodies += world->pair[b->material[i] * (world->material_count + 1)].law == SCREE_LAW_BOND;
  }
  glue g = {.world = world, .nearest = INFINITY};
  const scree_status status = assembler_visit_contacts(world, 0.05 * most, visit_glue, &g);
  if (!status) note_glue(scene, &g, bodies);
  return status;
}

static const char *material_name(const scree_scene *scene, size_t index) {
  for (size_t i = 0; i < scene->material_count; i++)
    if (scene->materials[i].id.index == index) return scene->materials[i].name;
  return "default";
}

/* Materials of bodies that may meet whose keys are not all those of the law that they meet by. */
static scree_status look_for_lost_keys(scree_scene *scene, const scree_world *world) {
  const size_t n = world->material_count;
  const world_bodies *b = &world->bodies;
  if (!scene->doc.note) return SCREE_OK;
  enum { SOME = 1, DYNAMIC = 2 };
  uint8_t *used = memory_new(scene->context, n, sizeof *used);
  if (!used) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < b->limit; i++)
    if (b->alive[i] && b->shape[i])
      used[b->material[i]] |= world_is_dynamic(world, i) ? DYNAMIC : SOME;
  for (size_t i = 0; i < n; i++)
    for (size_t k = i + 1; k < n; k++) {
      const bool meet = used[i] && used[k] && ((used[i] | used[k]) & DYNAMIC);
      const char *key = meet ? material_lost_key(world, i, k) : NULL;
      if (!key) continue;
      char text[1024];
      snprintf(text, sizeof text,
               "warning: where materials '%s' and '%s' meet their law is %s, the later one, which "
               "has no %s: it is left out; `pairs` can say what holds there",
               material_name(scene, i), material_name(scene, k),
               scree_law_name(world_pair(world, (uint32_t)i, (uint32_t)k)->law), key);
      scene->doc.note(scene->doc.note_user, text);
    }
  memory_free(scene->context, used);
  return SCREE_OK;
}

scree_status sim_place_refusal(const scree_sim *sim, scree_status status) {
  const scene_document *doc = &sim->scene->doc;
  const scene_top *top = &sim->scene->top;
  char place[CONTEXT_MESSAGE_SIZE / 2], text[CONTEXT_MESSAGE_SIZE];
  if (status != SCREE_ERROR_UNSUPPORTED) return status;
  snprintf(text, sizeof text, "%s", scree_context_message(sim->context));
  const scene_node *at = NULL;
  if (strncmp(text, "solver ", 7) == 0) {
    at = scene_find(top->solver, "name");
  } else if (strstr(text, "stepper '")) {
    at = top->stepper ? scene_find(top->stepper, "name") : scene_find(top->solver, "stepper");
    if (!at) at = top->stepper;
  }
  scene_put_place(doc, at, place, sizeof place);
  return context_fail(sim->context, status, "%s%s", place, text);
}

scree_status sim_check_energy(scree_context *context, const scree_energy *e) {
  const double sum = e->linear + e->angular + e->potential + e->elastic + e->pairwise;
  if (isfinite(sum)) return SCREE_OK;
  return context_fail(context, SCREE_ERROR_INPUT,
                      "the energy of the start is not finite; look for a place, mass, velocity or "
                      "gravity that is too large");
}

/* Builds a world for the check alone, and destroys it. */
scree_status scree_sim_check(scree_scene *scene, scree_report_function report, void *user) {
  ARGUMENT_CHECK(scene ? scree_scene_context(scene) : NULL, scene);
  scree_world *world;
  scree_stepper *stepper = NULL;
  const scree_scene_settings *s = scree_scene_get_settings(scene);
  uint64_t steps;
  scree_status status = sim_count_steps(scree_scene_context(scene), s->duration, s->step, &steps);
  if (!status) status = scree_scene_build(scene, &world);
  if (status) return status;
  status = sim_take_from(scene, world, NULL, 0);
  const scree_energy energy = scree_world_get_energy(world);
  if (!status) status = sim_check_energy(scree_scene_context(scene), &energy);
  if (!status) status = report_hole(scene, world, report, user);
  if (!status) status = sim_create_stepper(scene, world, true, &stepper);
  if (!status) status = report_overlaps(scene, world, report, user);
  if (!status) status = look_for_bonds(scene, world);
  if (!status) status = sim_look_for_openings(scene, world);
  if (!status) status = look_for_lost_keys(scene, world);
  scree_stepper_destroy(stepper);
  scree_world_destroy(world);
  return status;
}

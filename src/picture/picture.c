/* Frames as items for the renderer: see scree/picture.h. */
#include "picture/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/argument.h"
#include "base/claim.h"
#include "base/definition.h"

scree_picture_def scree_picture_def_default(void) {
  return (scree_picture_def){.cookie = DEFINITION_COOKIE,
                             .colour = "auto",
                             .appearance = SCREE_APPEARANCE_SOLID,
                             .least = NAN,
                             .most = NAN,
                             .map = -1,
                             .legend = true,
                             .azimuth = NAN,
                             .elevation = NAN,
                             .field = 28.0 * 3.14159265358979323846 / 180.0,
                             .zoom = 1.0,
                             .target = {NAN, NAN, NAN}};
}

static scree_status take_def(scree_picture *p, const scree_picture_def *def) {
  const scree_picture_def fallback = scree_picture_def_default();
  if (def) DEFINITION_CHECK(p->context, def, picture_def);
  p->def = def ? *def : fallback;
  snprintf(p->colour, sizeof p->colour, "%s", p->def.colour ? p->def.colour : "auto");
  snprintf(p->follow, sizeof p->follow, "%s", p->def.follow ? p->def.follow : "");
  p->def.colour = p->colour;
  p->def.follow = p->follow;
  p->least = p->def.ranged ? p->def.least : NAN;
  p->most = p->def.ranged ? p->def.most : NAN;
  p->first_material = UINT32_MAX;
  if (p->def.section_count > SCREE_CUT_LIMIT)
    return context_fail(p->context, SCREE_ERROR_ARGUMENT, "a picture has at most %d cuts",
                        (int)SCREE_CUT_LIMIT);
  if (p->def.section_count)
    memcpy(p->sections, p->def.sections, p->def.section_count * sizeof *p->sections);
  p->def.sections = p->sections;
  if (*p->follow && p->scene && !scree_scene_find_body(p->scene, p->follow).generation)
    return context_fail(p->context, SCREE_ERROR_ARGUMENT,
                        "follow=%s: the scene has no body of that name", p->follow);
  return picture_choose_field(p);
}

static scree_status finish_create(scree_status status, scree_picture **out) {
  if (status) {
    scree_picture_destroy(*out);
    *out = NULL;
  }
  return status;
}

scree_status scree_picture_create(scree_recording *recording, const char *path,
                                  const scree_picture_def *def, scree_picture **out) {
  if (!recording || !path || !out) return SCREE_ERROR_ARGUMENT;
  scree_scene *scene = NULL;
  scree_world *world = NULL;
  *out = NULL;
  scree_status status = scree_recording_get_scene(recording, &scene, &world);
  if (status) return status;
  scree_context *context = scree_scene_context(scene);
  scree_picture *p = *out = memory_new(context, 1, sizeof *p);
  if (!p) return SCREE_ERROR_MEMORY;
  p->context = context;
  p->source.recording = recording;
  p->scene = scene;
  char real[CLAIM_PATH];
  snprintf(p->path, sizeof p->path, "%s", claim_real(path, real));
  if (scree_recording_frame_count(recording) == 0)
    status = context_fail(context, SCREE_ERROR_INPUT, "%s: it has no frames yet", path);
  if (!status) status = take_def(p, def);
  return finish_create(status, out);
}

scree_status scree_picture_create_world(const scree_world *world, const scree_stepper *stepper,
                                        scree_scene *scene, const scree_picture_def *def,
                                        scree_picture **out) {
  ARGUMENT_CHECK(world ? scree_world_context(world) : NULL, world && out);
  scree_context *context = scree_world_context(world);
  scree_picture *p = *out = memory_new(context, 1, sizeof *p);
  if (!p) return SCREE_ERROR_MEMORY;
  p->context = context;
  p->source.world = world;
  p->source.stepper = stepper;
  p->scene = scene;
  return finish_create(take_def(p, def), out);
}

void scree_picture_destroy(scree_picture *p) {
  if (!p) return;
  memory_free(p->context, p->items);
  memory_free(p->context, p->bodies);
  memory_free(p->context, p->contacts);
  memory_free(p->context, p->links);
  memory_free(p->context, p->drawn);
  memory_free(p->context, p->ghosts);
  scree_shape_destroy(p->arrow_head);
  scree_shape_destroy(p->slope);
  memory_free(p->context, p->item_of);
  memory_free(p->context, p->bare);
  memory_free(p->context, p->values);
  memory_free(p->context, p->probe.time);
  memory_free(p->context, p->probe.value);
  picture_clear_source(p);
  scree_render_destroy(p->render);
  memory_free(p->context, p);
}

double scree_picture_time(const scree_picture *p) {
  if (!p) return 0.0;
  return p->time;
}

/* ---- loading -------------------------------------------------------------------------------- */

static scree_status make_room(scree_picture *p, const scree_frame *frame) {
  size_t most = 0;
  for (size_t i = 0; i < frame->body_count; i++)
    if (frame->ids[3 * i] >= most) most = (size_t)frame->ids[3 * i] + 1;
  scree_context *c = p->context;
  const size_t n = frame->body_count + 1;
  if (memory_grow(c, &p->bodies, n, sizeof *p->bodies) ||
      memory_grow(c, &p->items, n, sizeof *p->items) ||
      memory_grow(c, &p->contacts, frame->contact_count + 1, sizeof *p->contacts) ||
      memory_grow(c, &p->values, n, sizeof *p->values) ||
      memory_grow(c, &p->item_of, most + 1, sizeof *p->item_of) ||
      memory_grow(c, &p->bare, most + 1, sizeof *p->bare))
    return SCREE_ERROR_MEMORY;
  memset(p->bare, 0, memory_room(p->bare) * sizeof *p->bare);
  memset(p->item_of, 0, memory_room(p->item_of) * sizeof *p->item_of);
  return SCREE_OK;
}

static void take_contacts(scree_picture *p, const scree_frame *frame) {
  p->contact_count = frame->contact_count;
  for (size_t i = 0; i < frame->contact_count; i++) {
    picture_contact *c = &p->contacts[i];
    memcpy(c->place, frame->contact_bodies + 2 * i, sizeof c->place);
    memcpy(c->value, frame->contacts + 10 * i, sizeof c->value);
    const double f =
        sqrt((double)c->value[6] * (double)c->value[6] + (double)c->value[7] * (double)c->value[7] +
             (double)c->value[8] * (double)c->value[8]);
    for (int k = 0; k < 2; k++) {
      const uint32_t at = c->place[k] < memory_room(p->item_of) ? p->item_of[c->place[k]] : 0;
      if (!at || !isfinite(f)) continue;
      p->bodies[at - 1].force += f;
      p->bodies[at - 1].contacts++;
    }
  }
}

static scree_status take_bodies(scree_picture *p, const scree_frame *frame) {
  p->item_count = 0;
  for (size_t i = 0; i < frame->body_count; i++) {
    const uint32_t *id = frame->ids + 3 * i;
    const scree_shape *shape = picture_shape(p, id[2]);
    if (!shape) {
      picture_bare *bare = &p->bare[id[0]];
      bare->there = true;
      bare->generation = id[1];
      memcpy(bare->position, frame->poses + 7 * i, sizeof bare->position);
      memcpy(bare->rotation, frame->poses + 7 * i + 3, sizeof bare->rotation);
      continue;
    }
    scree_recorded_body known;
    scree_status status = picture_get_body(p, (scree_body_id){id[0], id[1]}, &known);
    if (status) return status;
    scree_render_item *item = &p->items[p->item_count];
    picture_body *b = &p->bodies[p->item_count++];
    *item = (scree_render_item){.shape = shape};
    memcpy(item->position, frame->poses + 7 * i, sizeof item->position);
    memcpy(item->rotation, frame->poses + 7 * i + 3, sizeof item->rotation);
    *b = (picture_body){.id = known.id,
                        .kind = known.kind,
                        .material = known.material.index,
                        .mass = known.mass,
                        .diameter = known.diameter};
    memcpy(b->velocity, frame->velocities + 6 * i, sizeof b->velocity);
    p->item_of[id[0]] = (uint32_t)p->item_count;
  }
  return SCREE_OK;
}

static void blend_pose(const double *pose, double share, double position[3], double rotation[4]) {
  const double *q = pose + 3;
  double dot = 0.0;
  for (int k = 0; k < 3; k++) position[k] += share * (pose[k] - position[k]);
  for (int k = 0; k < 4; k++) dot += rotation[k] * q[k];
  for (int k = 0; k < 4; k++)
    rotation[k] = (1.0 - share) * rotation[k] + (dot < 0.0 ? -share : share) * q[k];
}

/* Moves every body that is in both frames towards the next one. */
static void blend_bodies(scree_picture *p, const scree_frame *next, double share) {
  for (size_t i = 0; i < next->body_count; i++) {
    const uint32_t *id = next->ids + 3 * i;
    const double *pose = next->poses + 7 * i;
    picture_bare *bare = id[0] < memory_room(p->bare) ? &p->bare[id[0]] : NULL;
    if (bare && bare->there && bare->generation == id[1])
      blend_pose(pose, share, bare->position, bare->rotation);
    const uint32_t at = id[0] < memory_room(p->item_of) ? p->item_of[id[0]] : 0;
    if (!at || p->bodies[at - 1].id.generation != id[1]) continue;
    scree_render_item *item = &p->items[at - 1];
    blend_pose(pose, share, item->position, item->rotation);
    float *v = p->bodies[at - 1].velocity;
    for (int k = 0; k < 6; k++) v[k] += (float)share * (next->velocities[6 * i + (size_t)k] - v[k]);
  }
}

/* ---- looks ---------------------------------------------------------------------------------- */

static bool is_moving(const picture_body *b) {
  return b->kind == SCREE_BODY_DYNAMIC;
}

/* Things that do not move are walls when they are around the rest: meshes, plates beside it, what
 * is much larger than it. Others, as pillars and paddles, are solid. */
static scree_appearance appearance_of_fixed(const scree_render_item *item, const scree_box *focus) {
  const scree_shape_kind kind = scree_shape_get_kind(item->shape);
  double lower[3], upper[3], side[3], size = 0.0, reach = 0.0;
  const double still[3] = {0, 0, 0}, turn[4] = {1, 0, 0, 0};
  bool beside = false;
  if (kind == SCREE_SHAPE_MESH || kind == SCREE_SHAPE_COMPOUND) return SCREE_APPEARANCE_WALL;
  scree_shape_get_bounds(item->shape, still, turn, lower, upper);
  for (int k = 0; k < 3; k++) {
    const double middle = 0.5 * (focus->lower[k] + focus->upper[k]);
    side[k] = upper[k] - lower[k];
    size = fmax(size, focus->upper[k] - focus->lower[k]);
    reach = fmax(reach, side[k]);
    beside |= fabs(item->position[k] - middle) > 0.45 * (focus->upper[k] - focus->lower[k]);
  }
  const double least = fmin(side[0], fmin(side[1], side[2]));
  const double second = side[0] + side[1] + side[2] - reach - least;
  const bool plate = beside && least < 0.25 * second && reach > 0.7 * size;
  return plate || reach > 3.0 * size ? SCREE_APPEARANCE_WALL : SCREE_APPEARANCE_SOLID;
}

/* The box of what moves, or of everything when nothing does. */
static bool find_focus(scree_picture *p, scree_box *focus) {
  size_t moving = 0;
  for (size_t i = 0; i < p->item_count; i++) {
    p->items[i].appearance =
        is_moving(&p->bodies[i]) ? SCREE_APPEARANCE_SOLID : SCREE_APPEARANCE_WALL;
    moving += is_moving(&p->bodies[i]);
  }
  for (size_t i = 0; i < p->item_count && !moving; i++)
    p->items[i].appearance = SCREE_APPEARANCE_SOLID;
  return scree_render_focus(p->item_count, p->items, focus);
}

/* Walls are known once the focus is; solid things that do not move become part of it. */
static void set_looks(scree_picture *p) {
  for (size_t i = 0; i < p->item_count; i++)
    p->items[i].appearance =
        is_moving(&p->bodies[i]) ? p->def.appearance : appearance_of_fixed(&p->items[i], &p->focus);
}

static void join(scree_box *sum, const scree_box *box) {
  for (int k = 0; k < 3; k++) {
    sum->lower[k] = fmin(sum->lower[k], box->lower[k]);
    sum->upper[k] = fmax(sum->upper[k], box->upper[k]);
  }
}

/* ---- chains --------------------------------------------------------------------------------- */

static double contact_force(const picture_contact *c) {
  const float *f = c->value + 6;
  return sqrt((double)f[0] * (double)f[0] + (double)f[1] * (double)f[1] +
              (double)f[2] * (double)f[2]);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* The force that all but one contact in fifty are below: the thickest chain. */
static scree_status find_reference(scree_picture *p) {
  double *f = memory_new(p->context, p->contact_count + 1, sizeof *f);
  if (!f) return SCREE_ERROR_MEMORY;
  size_t n = 0;
  for (size_t i = 0; i < p->contact_count; i++) {
    const double force = contact_force(&p->contacts[i]);
    if (isfinite(force) && force > 0.0) f[n++] = force;
  }
  qsort(f, n, sizeof *f, compare);
  if (n) p->force_reference = fmax(p->force_reference, f[n - 1 - n / 50]);
  memory_free(p->context, f);
  double least = INFINITY;
  for (size_t i = 0; i < p->item_count; i++)
    if (is_moving(&p->bodies[i])) least = fmin(least, p->bodies[i].diameter);
  if (isfinite(least)) p->link_radius = 0.2 * least;
  return SCREE_OK;
}

/* From each moving body to its contacts, as thick as the force. */
static scree_status make_links(scree_picture *p) {
  p->link_count = 0;
  if (!p->def.chains || !(p->force_reference > 0.0)) return SCREE_OK;
  if (memory_grow(p->context, &p->links, 2 * p->contact_count + 1, sizeof *p->links))
    return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < p->contact_count; i++) {
    const picture_contact *c = &p->contacts[i];
    const double share = fmin(1.0, contact_force(c) / p->force_reference);
    if (!(share > 0.02)) continue;
    for (int k = 0; k < 2; k++) {
      const uint32_t at = c->place[k] < memory_room(p->item_of) ? p->item_of[c->place[k]] : 0;
      if (!at || !is_moving(&p->bodies[at - 1])) continue;
      scree_render_link *link = &p->links[p->link_count++];
      link->radius = share * p->link_radius;
      link->colour = scree_map_colour(SCREE_MAP_HEAT, share);
      for (int n = 0; n < 3; n++) {
        link->from[n] = p->items[at - 1].position[n];
        link->to[n] = (double)c->value[n];
      }
    }
  }
  return SCREE_OK;
}

/* ---- moments -------------------------------------------------------------------------------- */

static scree_status load_frame(scree_picture *p, size_t index, double share) {
  scree_frame frame;
  scree_status status = picture_get_frame(p, index, &frame);
  if (!status) status = make_room(p, &frame);
  if (status) return status;
  p->time = frame.time;
  status = take_bodies(p, &frame);
  if (status) return status;
  take_contacts(p, &frame);
  if (!(share > 0.0)) return SCREE_OK;
  status = picture_get_frame(p, index + 1, &frame);
  if (status) return status;
  p->time += share * (frame.time - p->time);
  blend_bodies(p, &frame, share);
  return SCREE_OK;
}

scree_status scree_picture_survey(scree_picture *p, size_t count, const size_t *frames) {
  ARGUMENT_CHECK(p ? p->context : NULL, p && (frames || !count));
  for (size_t i = 0; i < count; i++) {
    scree_status status = load_frame(p, frames[i], 0.0);
    if (status) return status;
    scree_box box;
    if (find_focus(p, &box)) {
      if (!p->has_focus) p->focus = box;
      join(&p->focus, &box);
      p->has_focus = true;
    }
    picture_note_speeds(p);
    picture_add_groups(p);
    picture_add_range(p);
    if (p->def.chains) status = find_reference(p);
    if (status) return status;
  }
  if (p->first_material == UINT32_MAX) p->first_material = 0;
  if (!p->has_focus) p->focus = (scree_box){{-0.5, -0.5, 0.0}, {0.5, 0.5, 1.0}};
  /* Then what stands among the moving bodies and does not move. */
  set_looks(p);
  for (size_t i = 0; i < p->item_count; i++) {
    scree_box box;
    if (is_moving(&p->bodies[i]) || p->items[i].appearance != SCREE_APPEARANCE_SOLID) continue;
    scree_shape_get_bounds(p->items[i].shape, p->items[i].position, p->items[i].rotation, box.lower,
                           box.upper);
    if (isfinite(box.lower[0] + box.lower[1] + box.lower[2] + box.upper[0] + box.upper[1] +
                 box.upper[2]))
      join(&p->focus, &box);
  }
  picture_end_range(p);
  return SCREE_OK;
}

scree_status picture_load_plain(scree_picture *p, size_t frame) {
  const scree_status status = load_frame(p, frame, 0.0);
  if (status) return status;
  set_looks(p);
  picture_paint(p);
  return SCREE_OK;
}

scree_status scree_picture_load(scree_picture *p, size_t frame, double share) {
  ARGUMENT_CHECK(p ? p->context : NULL, p);
  scree_status status = p->def.ghosts > 0 ? picture_note_ghosts(p, frame) : SCREE_OK;
  if (!status) status = load_frame(p, frame, share);
  if (status) return status;
  set_looks(p);
  picture_paint(p);
  status = make_links(p);
  if (!status) status = picture_add_ties(p);
  return status ? status : picture_add_past(p, frame);
}

scree_render_scene scree_picture_get_scene(const scree_picture *p) {
  if (!p) return (scree_render_scene){0};
  return (scree_render_scene){.item_count = p->drawn_count ? p->drawn_count : p->item_count,
                              .items = p->drawn_count ? p->drawn : p->items,
                              .link_count = p->link_count,
                              .links = p->links,
                              .cut_count = p->def.section_count,
                              .cuts = p->cuts,
                              .focus = p->focus,
                              .ground = p->def.ground,
                              .ground_level = NAN};
}

bool picture_find_body(const scree_picture *p, const char *name, size_t *item) {
  if (!p->scene) return false;
  const scree_body_id id = scree_scene_find_body(p->scene, name);
  if (!id.generation || id.index >= memory_room(p->item_of) || !p->item_of[id.index]) return false;
  *item = p->item_of[id.index] - 1;
  return p->bodies[*item].id.generation == id.generation;
}

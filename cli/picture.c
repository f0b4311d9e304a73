/* Frames of a recording as items for the renderer: see picture.h. */
#include "cli/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int fail(const picture *p, scree_status status) {
  return cli_fail(cli_code(status), "%s", scree_context_message(p->context));
}

int picture_open(picture *p, scree_context *context, const char *path) {
  p->context = context;
  p->path = path;
  p->first_material = UINT32_MAX;
  scree_status status = scree_recording_open(context, path, &p->recording);
  if (!status) cli_remark(p->recording, path);
  if (!status) status = scree_recording_get_scene(p->recording, &p->scene, &p->world);
  if (status) return fail(p, status);
  if (scree_recording_frame_count(p->recording) == 0)
    return cli_fail(CLI_INPUT, "%s: it has no frames yet", path);
  return picture_choose_field(p);
}

void picture_close(picture *p) {
  free(p->items);
  free(p->bodies);
  free(p->contacts);
  free(p->links);
  free(p->item_of);
  free(p->values);
  free(p->probe.time);
  free(p->probe.value);
  scree_recording_close(p->recording);
}

size_t picture_frame_count(const picture *p) {
  return scree_recording_frame_count(p->recording);
}

int picture_frame_time(picture *p, size_t frame, double *time) {
  scree_status status = scree_recording_get_times(p->recording, frame, 1, time);
  return status ? fail(p, status) : CLI_OK;
}

int picture_find_time(picture *p, double time, size_t *frame) {
  size_t low = 0, high = picture_frame_count(p) - 1;
  double t, u;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    const int code = picture_frame_time(p, middle, &t);
    if (code) return code;
    if (t <= time)
      low = middle;
    else
      high = middle;
  }
  int code = picture_frame_time(p, low, &t);
  if (!code) code = picture_frame_time(p, high, &u);
  *frame = fabs(u - time) < fabs(t - time) ? high : low;
  return code;
}

/* ---- loading -------------------------------------------------------------------------------- */

/* Room for `need` elements; what was there is kept. */
static bool reserve(void *array, size_t *room, size_t need, size_t size) {
  void **at = array;
  if (need <= *room && *at) return true;
  const size_t wanted = need + need / 2 + 16;
  void *grown = realloc(*at, wanted * size);
  if (!grown) return false;
  *at = grown;
  *room = wanted;
  return true;
}

static bool make_room(picture *p, const scree_frame *frame) {
  size_t most = 0, body_room = p->item_room;
  for (size_t i = 0; i < frame->body_count; i++)
    if (frame->ids[3 * i] >= most) most = (size_t)frame->ids[3 * i] + 1;
  const bool ok =
      reserve(&p->bodies, &body_room, frame->body_count, sizeof *p->bodies) &&
      reserve(&p->items, &p->item_room, frame->body_count, sizeof *p->items) &&
      reserve(&p->contacts, &p->contact_room, frame->contact_count, sizeof *p->contacts) &&
      reserve(&p->values, &p->value_room, frame->body_count, sizeof *p->values) &&
      reserve(&p->item_of, &p->item_of_room, most, sizeof *p->item_of);
  if (ok) memset(p->item_of, 0, p->item_of_room * sizeof *p->item_of);
  return ok;
}

static void take_contacts(picture *p, const scree_frame *frame) {
  p->contact_count = frame->contact_count;
  for (size_t i = 0; i < frame->contact_count; i++) {
    picture_contact *c = &p->contacts[i];
    memcpy(c->place, frame->contact_bodies + 2 * i, sizeof c->place);
    memcpy(c->value, frame->contacts + 10 * i, sizeof c->value);
    const double f =
        sqrt((double)c->value[6] * (double)c->value[6] + (double)c->value[7] * (double)c->value[7] +
             (double)c->value[8] * (double)c->value[8]);
    for (int k = 0; k < 2; k++) {
      const uint32_t at = c->place[k] < p->item_of_room ? p->item_of[c->place[k]] : 0;
      if (!at || !isfinite(f)) continue;
      p->bodies[at - 1].force += f;
      p->bodies[at - 1].contacts++;
    }
  }
}

static int take_bodies(picture *p, const scree_frame *frame) {
  p->item_count = 0;
  for (size_t i = 0; i < frame->body_count; i++) {
    const uint32_t *id = frame->ids + 3 * i;
    const scree_shape *shape = scree_recording_shape(p->recording, id[2]);
    if (!shape) continue;
    scree_recorded_body known;
    scree_status status =
        scree_recording_get_body(p->recording, (scree_body_id){id[0], id[1]}, &known);
    if (status) return fail(p, status);
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
  return CLI_OK;
}

/* Moves every body that is in both frames towards the next one. */
static void blend_bodies(picture *p, const scree_frame *next, double share) {
  for (size_t i = 0; i < next->body_count; i++) {
    const uint32_t *id = next->ids + 3 * i;
    const uint32_t at = id[0] < p->item_of_room ? p->item_of[id[0]] : 0;
    if (!at || p->bodies[at - 1].id.generation != id[1]) continue;
    scree_render_item *item = &p->items[at - 1];
    const double *pose = next->poses + 7 * i, *q = pose + 3;
    double dot = 0.0;
    for (int k = 0; k < 3; k++) item->position[k] += share * (pose[k] - item->position[k]);
    for (int k = 0; k < 4; k++) dot += item->rotation[k] * q[k];
    for (int k = 0; k < 4; k++)
      item->rotation[k] = (1.0 - share) * item->rotation[k] + (dot < 0.0 ? -share : share) * q[k];
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
static scree_look look_of_fixed(const scree_render_item *item, const scree_box *focus) {
  const scree_shape_kind kind = scree_shape_get_kind(item->shape);
  double lower[3], upper[3], side[3], size = 0.0, reach = 0.0;
  const double still[3] = {0, 0, 0}, turn[4] = {1, 0, 0, 0};
  bool beside = false;
  if (kind == SCREE_SHAPE_MESH || kind == SCREE_SHAPE_COMPOUND) return SCREE_LOOK_WALL;
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
  return plate || reach > 3.0 * size ? SCREE_LOOK_WALL : SCREE_LOOK_SOLID;
}

/* The box of what moves, or of everything when nothing does. */
static bool find_focus(picture *p, scree_box *focus) {
  size_t moving = 0;
  for (size_t i = 0; i < p->item_count; i++) {
    p->items[i].look = is_moving(&p->bodies[i]) ? SCREE_LOOK_SOLID : SCREE_LOOK_WALL;
    moving += is_moving(&p->bodies[i]);
  }
  for (size_t i = 0; i < p->item_count && !moving; i++) p->items[i].look = SCREE_LOOK_SOLID;
  return scree_render_focus(p->item_count, p->items, focus);
}

/* Walls are known once the focus is; solid things that do not move become part of it. */
static void set_looks(picture *p) {
  for (size_t i = 0; i < p->item_count; i++)
    p->items[i].look = is_moving(&p->bodies[i]) ? p->look : look_of_fixed(&p->items[i], &p->focus);
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
static int find_reference(picture *p) {
  double *f = calloc(p->contact_count + 1, sizeof *f);
  if (!f) return cli_fail(CLI_INTERNAL, "out of memory");
  size_t n = 0;
  for (size_t i = 0; i < p->contact_count; i++) {
    const double force = contact_force(&p->contacts[i]);
    if (isfinite(force) && force > 0.0) f[n++] = force;
  }
  qsort(f, n, sizeof *f, compare);
  if (n) p->force_reference = fmax(p->force_reference, f[n - 1 - n / 50]);
  free(f);
  double least = INFINITY;
  for (size_t i = 0; i < p->item_count; i++)
    if (is_moving(&p->bodies[i])) least = fmin(least, p->bodies[i].diameter);
  if (isfinite(least)) p->link_radius = 0.2 * least;
  return CLI_OK;
}

/* From each moving body to its contacts, as thick as the force. */
static int make_links(picture *p) {
  p->link_count = 0;
  if (!p->chains || !(p->force_reference > 0.0)) return CLI_OK;
  if (!reserve(&p->links, &p->link_room, 2 * p->contact_count, sizeof *p->links))
    return cli_fail(CLI_INTERNAL, "out of memory");
  for (size_t i = 0; i < p->contact_count; i++) {
    const picture_contact *c = &p->contacts[i];
    const double share = fmin(1.0, contact_force(c) / p->force_reference);
    if (!(share > 0.02)) continue;
    for (int k = 0; k < 2; k++) {
      const uint32_t at = c->place[k] < p->item_of_room ? p->item_of[c->place[k]] : 0;
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
  return CLI_OK;
}

/* ---- moments -------------------------------------------------------------------------------- */

static int load_frame(picture *p, size_t index, double share) {
  scree_frame frame;
  scree_status status = scree_recording_get_frame(p->recording, index, &frame);
  if (status) return fail(p, status);
  if (!make_room(p, &frame)) return cli_fail(CLI_INTERNAL, "out of memory");
  p->time = frame.time;
  const int code = take_bodies(p, &frame);
  if (code) return code;
  take_contacts(p, &frame);
  if (!(share > 0.0)) return CLI_OK;
  status = scree_recording_get_frame(p->recording, index + 1, &frame);
  if (status) return fail(p, status);
  p->time += share * (frame.time - p->time);
  blend_bodies(p, &frame, share);
  return CLI_OK;
}

int picture_survey(picture *p, size_t count, const size_t *frames) {
  for (size_t i = 0; i < count; i++) {
    int code = load_frame(p, frames[i], 0.0);
    if (code) return code;
    scree_box box;
    if (find_focus(p, &box)) {
      if (!p->has_focus) p->focus = box;
      join(&p->focus, &box);
      p->has_focus = true;
    }
    picture_add_groups(p);
    picture_add_range(p);
    if (p->chains) code = find_reference(p);
    if (code) return code;
  }
  if (p->first_material == UINT32_MAX) p->first_material = 0;
  if (!p->has_focus) p->focus = (scree_box){{-0.5, -0.5, 0.0}, {0.5, 0.5, 1.0}};
  /* Then what stands among the moving bodies and does not move. */
  set_looks(p);
  for (size_t i = 0; i < p->item_count; i++) {
    scree_box box;
    if (is_moving(&p->bodies[i]) || p->items[i].look != SCREE_LOOK_SOLID) continue;
    scree_shape_get_bounds(p->items[i].shape, p->items[i].position, p->items[i].rotation, box.lower,
                           box.upper);
    if (isfinite(box.lower[0] + box.lower[1] + box.lower[2] + box.upper[0] + box.upper[1] +
                 box.upper[2]))
      join(&p->focus, &box);
  }
  picture_end_range(p);
  return CLI_OK;
}

int picture_load(picture *p, size_t frame, double share) {
  int code = load_frame(p, frame, share);
  if (code) return code;
  set_looks(p);
  picture_paint(p);
  return make_links(p);
}

scree_render_scene picture_scene(const picture *p) {
  return (scree_render_scene){.item_count = p->item_count,
                              .items = p->items,
                              .link_count = p->link_count,
                              .links = p->links,
                              .focus = p->focus,
                              .ground = true,
                              .ground_level = NAN};
}

bool picture_find_body(const picture *p, const char *name, size_t *item) {
  const scree_body_id id = scree_scene_find_body(p->scene, name);
  if (!id.generation || id.index >= p->item_of_room || !p->item_of[id.index]) return false;
  *item = p->item_of[id.index] - 1;
  return p->bodies[*item].id.generation == id.generation;
}

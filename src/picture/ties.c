/* What is between bodies, as rods: ropes over their sheaves, distances that are held, a rod
 * from an anchor to the middle of a body that does not reach it, springs, beams and the edges of
 * tetrahedra. */
#include <math.h>
#include <string.h>

#include "model/joints/joints.h"
#include "model/world.h"
#include "picture/picture.h"

typedef struct ties {
  scree_picture *p;
  const scree_world *world;
  double reach; /* m, of all bodies that are seen */
  scree_status status;
} ties;

/* The item of a body of the world; SIZE_MAX: it is not there now. */
static size_t item_of(const ties *t, uint32_t body) {
  const scree_picture *p = t->p;
  const uint32_t at = body < memory_room(p->item_of) ? p->item_of[body] : 0;
  const bool same = at && p->bodies[at - 1].id.generation == t->world->bodies.generation[body];
  return same ? at - 1 : SIZE_MAX;
}

/* A place on a body at the moment that is loaded; false: the body is not there. */
static bool place_on(const ties *t, uint32_t body, pose frame, v3 *place) {
  *place = frame.position;
  if (body == WORLD_NO_BODY) return true;
  const size_t i = item_of(t, body);
  const picture_bare *bare = body < memory_room(t->p->bare) ? &t->p->bare[body] : NULL;
  const bool there = bare && bare->there && bare->generation == t->world->bodies.generation[body];
  if (i == SIZE_MAX && !there) return false;
  const double *x = i == SIZE_MAX ? bare->position : t->p->items[i].position;
  const double *q = i == SIZE_MAX ? bare->rotation : t->p->items[i].rotation;
  const pose at = {v3_load(x), {q[0], q[1], q[2], q[3]}};
  *place = pose_mul(at, world_shown_frame(t->world, body, frame)).position;
  return true;
}

static void add_rod(ties *t, v3 from, v3 to, double share) {
  scree_picture *p = t->p;
  if (t->status || !(v3_norm(v3_sub(to, from)) > 1e-3 * t->reach)) return;
  t->status = memory_grow(p->context, &p->links, p->link_count + 1, sizeof *p->links);
  if (t->status) return;
  scree_render_link *link = &p->links[p->link_count++];
  *link = (scree_render_link){.radius = share, .colour = {0.30f, 0.33f, 0.37f}};
  v3_store(link->from, from);
  v3_store(link->to, to);
}

/* Something reaches from one anchor to the other; others slide there, or touch. */
static bool spans(scree_joint_kind kind) {
  return kind == SCREE_JOINT_DISTANCE || kind == SCREE_JOINT_ROPE || kind == SCREE_JOINT_STRUT;
}

/* The anchor is a place of the body, which a rod must reach. */
static bool holds_place(scree_joint_kind kind) {
  return spans(kind) || kind == SCREE_JOINT_FIXED || kind == SCREE_JOINT_BALL ||
         kind == SCREE_JOINT_HINGE || kind == SCREE_JOINT_UNIVERSAL || kind == SCREE_JOINT_PULLEY;
}

static void add_joint(ties *t, const joint *j) {
  v3 end[2], over[2];
  for (int k = 0; k < 2; k++)
    if (!place_on(t, j->body[k], j->frame[k], &end[k])) return;
  if (j->kind == SCREE_JOINT_PULLEY) {
    for (int k = 0; k < 2; k++)
      if (!place_on(t, j->body[SIDE_C], j->frame[FRAME_CA + k], &over[k])) return;
    add_rod(t, end[0], over[0], 1.0);
    add_rod(t, over[0], over[1], 1.0);
    add_rod(t, over[1], end[1], 1.0);
  }
  if (spans(j->kind)) add_rod(t, end[0], end[1], 1.0);
  for (int k = 0; k < 2 && holds_place(j->kind); k++) {
    const size_t i = j->body[k] == WORLD_NO_BODY ? SIZE_MAX : item_of(t, j->body[k]);
    if (i == SIZE_MAX) continue;
    const v3 middle = v3_load(t->p->items[i].position);
    double lower[3], upper[3];
    scree_shape_get_bounds(t->p->items[i].shape, t->p->items[i].position, t->p->items[i].rotation,
                           lower, upper);
    const double half = 0.5 * v3_norm(v3_sub(v3_load(upper), v3_load(lower)));
    if (v3_norm(v3_sub(end[k], middle)) > 1.02 * half) add_rod(t, end[k], middle, 1.0);
  }
}

/* Edges, of a quadratic one by their nodes. */
static void add_tetrahedron(ties *t, const world_link *l) {
  static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}};
  v3 node[LINK_BODIES];
  for (uint32_t k = 0; k < l->body_count; k++)
    if (!place_on(t, l->body[k], pose_identity(), &node[k])) return;
  for (int k = 0; k < 6; k++) {
    const v3 a = node[edge[k][0]], b = node[edge[k][1]];
    if (l->body_count == 4) {
      add_rod(t, a, b, 0.4);
    } else {
      add_rod(t, a, node[4 + k], 0.4);
      add_rod(t, node[4 + k], b, 0.4);
    }
  }
}

static void add_triangle(ties *t, const world_link *l) {
  v3 node[3];
  for (int k = 0; k < 3; k++)
    if (!place_on(t, l->body[k], pose_identity(), &node[k])) return;
  for (int k = 0; k < 3; k++) add_rod(t, node[k], node[(k + 1) % 3], 0.4);
}

/* The curve of a cable, between its ends with their slopes (model/link/cable.c). */
static void add_cable(ties *t, const world_link *l) {
  enum { PIECES = 8 };
  v3 at[4], before;
  for (int k = 0; k < 4; k++)
    if (!place_on(t, l->body[k], pose_identity(), &at[k])) return;
  before = at[0];
  for (int n = 1; n <= PIECES; n++) {
    const double y = (double)n / PIECES, x = 1.0 - y;
    const v3 first = v3_scale(l->rest / l->handle[0], v3_sub(at[1], at[0]));
    const v3 last = v3_scale(l->rest / l->handle[1], v3_sub(at[3], at[2]));
    v3 place = v3_add_scaled(v3_scale(x * x * (1.0 + 2.0 * y), at[0]), y * x * x, first);
    place = v3_add_scaled(v3_add_scaled(place, y * y * (3.0 - 2.0 * y), at[2]), -y * y * x, last);
    add_rod(t, before, place, 0.6);
    before = place;
  }
}

/* The radius of rods is a fraction of the size of all that the picture shows, rods included. */
static void set_radii(scree_picture *p, size_t first) {
  scree_box all = p->focus;
  for (size_t i = first; i < p->link_count; i++)
    for (int k = 0; k < 3; k++) {
      const double a = p->links[i].from[k], b = p->links[i].to[k];
      all.lower[k] = fmin(all.lower[k], fmin(a, b));
      all.upper[k] = fmax(all.upper[k], fmax(a, b));
    }
  const double radius = 0.004 * v3_norm(v3_sub(v3_load(all.upper), v3_load(all.lower)));
  for (size_t i = first; i < p->link_count; i++) p->links[i].radius *= radius;
}

scree_status picture_add_ties(scree_picture *p) {
  if (!p->def.joints) return SCREE_OK;
  scree_scene *scene = NULL;
  scree_world *world = NULL;
  scree_status status = SCREE_OK;
  if (!p->source.world) status = scree_recording_get_scene(p->source.recording, &scene, &world);
  if (status) return status;
  const v3 size = v3_sub(v3_load(p->focus.upper), v3_load(p->focus.lower));
  ties t = {.p = p, .world = p->source.world ? p->source.world : world, .reach = v3_norm(size)};
  const size_t first = p->link_count;
  for (size_t i = 0; i < t.world->joint_limit; i++)
    if (t.world->joint[i].alive) add_joint(&t, &t.world->joint[i]);
  for (size_t i = 0; i < t.world->link_limit; i++) {
    const world_link *l = &t.world->link[i];
    v3 end[2];
    if (!l->alive || l->kind == SCREE_LINK_USER || l->kind == SCREE_LINK_DRAG) continue;
    if (l->kind == SCREE_LINK_SHELL)
      add_triangle(&t, l);
    else if (l->kind == SCREE_LINK_TETRAHEDRON)
      add_tetrahedron(&t, l);
    else if (l->kind == SCREE_LINK_CABLE)
      add_cable(&t, l);
    else if (place_on(&t, l->body[0], l->frame[0], &end[0]) &&
             place_on(&t, l->body[1], l->frame[1], &end[1]))
      add_rod(&t, end[0], end[1], 0.6);
  }
  set_radii(p, first);
  return t.status;
}

/* What a still picture shows of a motion: earlier poses of moving bodies, paler the older they are,
 * the ways of their middles as rods, and arrows along their velocities. And a slope: where gravity
 * is not along the normal of a half-space, that is drawn as a plate, and down is down. */
#include <math.h>
#include <string.h>

#include "picture/picture.h"

/* Bodies that have trails and arrows, and points of a trail. */
enum { PAST_BODIES = 400, PAST_POINTS = 160 };

static const double pi = 3.14159265358979323846;

static scree_status add_item(scree_picture *p, const scree_render_item *item) {
  if (memory_grow(p->context, &p->drawn, p->drawn_count + 1, sizeof *p->drawn))
    return SCREE_ERROR_MEMORY;
  p->drawn[p->drawn_count++] = *item;
  return SCREE_OK;
}

static scree_status add_link(scree_picture *p, const double from[3], const double to[3],
                             double radius, scree_colour colour) {
  if (memory_grow(p->context, &p->links, p->link_count + 1, sizeof *p->links))
    return SCREE_ERROR_MEMORY;
  scree_render_link *link = &p->links[p->link_count++];
  *link = (scree_render_link){.radius = radius, .colour = colour};
  memcpy(link->from, from, sizeof link->from);
  memcpy(link->to, to, sizeof link->to);
  return SCREE_OK;
}

static scree_colour paler(scree_colour c, double share) {
  const float s = (float)share, t = 1.0f - s;
  return (scree_colour){t * c.r + s * 0.93f, t * c.g + s * 0.94f, t * c.b + s * 0.95f};
}

/* The item that a recorded body is now; SIZE_MAX: none, or it does not move. */
static size_t moving_item(const scree_picture *p, const uint32_t *id) {
  const uint32_t at = id[0] < memory_room(p->item_of) ? p->item_of[id[0]] : 0;
  if (!at || p->bodies[at - 1].id.generation != id[1] ||
      p->bodies[at - 1].kind != SCREE_BODY_DYNAMIC)
    return SIZE_MAX;
  return at - 1;
}

static double distance(const double a[3], const double b[3]) {
  return sqrt(pow(a[0] - b[0], 2.0) + pow(a[1] - b[1], 2.0) + pow(a[2] - b[2], 2.0));
}

/* Earlier poses of moving bodies with the colours that they had: the moments are loaded one after
 * the other. */
scree_status picture_note_ghosts(scree_picture *p, size_t now) {
  const size_t count = (size_t)p->def.ghosts;
  p->ghost_count = 0;
  for (size_t g = 0; g < count && now; g++) {
    const scree_status status = picture_load_plain(p, now * g / count);
    if (status) return status;
    if (memory_grow(p->context, &p->ghosts, p->ghost_count + p->item_count, sizeof *p->ghosts))
      return SCREE_ERROR_MEMORY;
    for (size_t i = 0; i < p->item_count; i++)
      if (p->bodies[i].kind == SCREE_BODY_DYNAMIC) {
        picture_ghost *ghost = &p->ghosts[p->ghost_count++];
        *ghost = (picture_ghost){.item = p->items[i], .body = p->bodies[i].id};
        ghost->item.colour = paler(ghost->item.colour, 0.55 - 0.25 * (double)g / (double)count);
      }
  }
  return SCREE_OK;
}

/* Ghosts that would overlap others are left out, older ones first. */
static scree_status add_ghosts(scree_picture *p) {
  for (size_t k = p->ghost_count; k-- > 0;) {
    const picture_ghost *ghost = &p->ghosts[k];
    const uint32_t id[2] = {ghost->body.index, ghost->body.generation};
    const size_t at = moving_item(p, id);
    if (at == SIZE_MAX) continue;
    const double apart = 1.05 * p->bodies[at].diameter;
    bool free = distance(ghost->item.position, p->items[at].position) > apart;
    for (size_t i = k + 1; i < p->ghost_count && free; i++)
      free = p->ghosts[i].body.index != id[0] || p->ghosts[i].hidden ||
             distance(ghost->item.position, p->ghosts[i].item.position) > apart;
    p->ghosts[k].hidden = !free;
    if (free && add_item(p, &ghost->item)) return SCREE_ERROR_MEMORY;
  }
  return SCREE_OK;
}

static scree_status add_trails(scree_picture *p, size_t now) {
  double(*last)[3] = memory_new(p->context, p->item_count + 1, sizeof *last);
  uint8_t *seen = memory_new(p->context, p->item_count + 1, 1);
  scree_status status = last && seen ? SCREE_OK : SCREE_ERROR_MEMORY;
  const size_t points = now + 1 < PAST_POINTS ? now + 1 : PAST_POINTS;
  for (size_t n = 0; n < points && !status; n++) {
    scree_frame frame;
    status = picture_get_frame(p, points > 1 ? now * n / (points - 1) : now, &frame);
    size_t bodies = 0;
    for (size_t i = 0; i < frame.body_count && !status && bodies < PAST_BODIES; i++) {
      const size_t at = moving_item(p, frame.ids + 3 * i);
      if (at == SIZE_MAX) continue;
      bodies++;
      const double *x = frame.poses + 7 * i;
      if (seen[at])
        status = add_link(p, last[at], x, 0.03 * p->bodies[at].diameter,
                          (scree_colour){0.25f, 0.29f, 0.34f});
      memcpy(last[at], x, sizeof *last);
      seen[at] = 1;
    }
  }
  memory_free(p->context, last);
  memory_free(p->context, seen);
  return status;
}

/* ---- arrows --------------------------------------------------------------------------------- */

/* A cone along z that is turned along a unit vector. */
static void turn_to(const double along[3], double q[4]) {
  const double turn[4] = {1.0 + along[2], -along[1], along[0], 0.0};
  const double about_x[4] = {0, 1, 0, 0};
  memcpy(q, along[2] > -0.999999 ? turn : about_x, 4 * sizeof *q);
}

/* The fastest arrow reaches 1.3 diameters beyond the middle of its body. */
static scree_status add_arrow(scree_picture *p, size_t i, double scale, scree_shape *head,
                              double size) {
  const picture_body *b = &p->bodies[i];
  const scree_colour dark = {0.80f, 0.16f, 0.14f};
  double along[3], speed = 0.0, tip[3], q[4];
  for (int k = 0; k < 3; k++) speed += (double)b->velocity[k] * (double)b->velocity[k];
  speed = sqrt(speed);
  if (!(scale * speed > 0.05 * b->diameter)) return SCREE_OK;
  for (int k = 0; k < 3; k++) {
    along[k] = (double)b->velocity[k] / speed;
    tip[k] = p->items[i].position[k] + (scale * speed + 0.45 * b->diameter) * along[k];
  }
  scree_status status = add_link(p, p->items[i].position, tip, 0.25 * size, dark);
  turn_to(along, q);
  scree_render_item item = {.shape = head, .appearance = SCREE_APPEARANCE_SOLID, .colour = dark};
  memcpy(item.position, tip, sizeof tip);
  memcpy(item.rotation, q, sizeof q);
  return status ? status : add_item(p, &item);
}

/* The fastest of all moments that are drawn. */
void picture_note_speeds(scree_picture *p) {
  for (size_t i = 0; i < p->item_count; i++) {
    const float *v = p->bodies[i].velocity;
    if (p->bodies[i].kind == SCREE_BODY_DYNAMIC)
      p->fastest = fmax(p->fastest, sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])));
  }
}

static scree_status add_arrows(scree_picture *p) {
  double size = INFINITY, largest = 0.0;
  size_t bodies = 0;
  for (size_t i = 0; i < p->item_count; i++) {
    const picture_body *b = &p->bodies[i];
    if (b->kind != SCREE_BODY_DYNAMIC || !isfinite(b->diameter)) continue;
    size = fmin(size, 0.18 * b->diameter);
    largest = fmax(largest, b->diameter);
  }
  if (!(p->fastest > 0.0) || !(largest > 0.0)) return SCREE_OK;
  scree_status status = SCREE_OK;
  if (!p->arrow_head)
    status = scree_shape_create_cone(p->context, 0.6 * size, 1.6 * size, &p->arrow_head);
  for (size_t i = 0; i < p->item_count && !status && bodies < PAST_BODIES; i++)
    if (p->bodies[i].kind == SCREE_BODY_DYNAMIC) {
      status = add_arrow(p, i, 1.3 * largest / p->fastest, p->arrow_head, size);
      bodies++;
    }
  return status;
}

/* ---- slopes --------------------------------------------------------------------------------- */

/* Gravity of the scene as a unit vector; false: none, or nearly along z. */
bool picture_is_tilted(const scree_picture *p, double up[3]) {
  double g[3], length = 0.0;
  if (p->source.world) {
    scree_world_get_gravity(p->source.world, g);
  } else {
    scree_scene *scene;
    scree_world *world;
    if (scree_recording_get_scene(p->source.recording, &scene, &world)) return false;
    scree_world_get_gravity(world, g);
  }
  for (int k = 0; k < 3; k++) length += g[k] * g[k];
  length = sqrt(length);
  if (!(length > 0.0)) return false;
  for (int k = 0; k < 3; k++) up[k] = -g[k] / length;
  return up[2] < cos(1.5 * pi / 180.0) && up[2] > 0.1;
}

/* A plate under what moves, in the place of a half-space that lies as the world does. */
static scree_status make_slope(scree_picture *p, scree_render_item *item) {
  const scree_box *f = &p->focus;
  const double *q = item->rotation;
  double half[3];
  if (fabs(q[0]) < 0.999 * sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]))
    return SCREE_OK;
  const double x = 0.5 * (f->upper[0] - f->lower[0]), y = 0.5 * (f->upper[1] - f->lower[1]);
  half[0] = 1.08 * x + 0.15 * fmax(x, y);
  half[1] = 1.08 * y + 0.15 * fmax(x, y);
  half[2] = 0.05 * fmax(x, y);
  if (!p->slope) {
    const scree_status status = scree_shape_create_box(p->context, half, &p->slope);
    if (status) return status;
  }
  item->shape = p->slope;
  item->appearance = SCREE_APPEARANCE_SOLID;
  item->colour = (scree_colour){0.62f, 0.65f, 0.69f};
  item->position[0] = 0.5 * (f->lower[0] + f->upper[0]);
  item->position[1] = 0.5 * (f->lower[1] + f->upper[1]);
  item->position[2] -= half[2];
  return SCREE_OK;
}

/* ---- all ------------------------------------------------------------------------------------ */

scree_status picture_add_past(scree_picture *p, size_t now) {
  double up[3];
  const bool tilted = picture_is_tilted(p, up);
  scree_status status = SCREE_OK;
  p->drawn_count = 0;
  if (!tilted && !p->def.ghosts && !p->def.trails && !p->def.arrows) return SCREE_OK;
  for (size_t i = 0; i < p->item_count && !status; i++) {
    scree_render_item item = p->items[i];
    if (tilted && scree_shape_get_kind(item.shape) == SCREE_SHAPE_HALF_SPACE)
      status = make_slope(p, &item);
    if (!status) status = add_item(p, &item);
  }
  if (!status && p->def.ghosts > 0) status = add_ghosts(p);
  if (!status && p->def.trails) status = add_trails(p, now);
  if (!status && p->def.arrows) status = add_arrows(p);
  return status;
}

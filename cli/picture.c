/* See picture.h. */
#include "cli/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int fail(const picture *p, scree_status status) {
  return cli_fail(cli_code(status), "%s", scree_context_message(p->context));
}

int picture_open(picture *p, scree_context *context, const char *path) {
  *p = (picture){.context = context};
  scree_status status = scree_recording_open(context, path, &p->recording);
  if (!status) status = scree_recording_get_scene(p->recording, &p->scene, &p->world);
  if (status) return fail(p, status);
  if (scree_recording_frame_count(p->recording) == 0)
    return cli_fail(CLI_INPUT, "%s: it has no frames yet", path);
  return CLI_OK;
}

void picture_close(picture *p) {
  free(p->items);
  scree_recording_close(p->recording);
}

/* Flat things that stand at the border of what moves are walls; a floor plate is one too. */
static scree_look look_of(const picture *p, scree_body_kind kind, const scree_shape *shape) {
  if (kind == SCREE_BODY_DYNAMIC) return p->style.bodies;
  const scree_shape_kind k = scree_shape_get_kind(shape);
  return k == SCREE_SHAPE_MESH ? SCREE_LOOK_WALL : SCREE_LOOK_SOLID;
}

/* Bodies of one colour are told apart by a little light or shade. */
static scree_colour vary(scree_colour c, const uint32_t *id) {
  uint32_t x = id[0] * 0x9e3779b1u ^ id[1] * 0x85ebca77u;
  x ^= x >> 15;
  x *= 0x2c1b3c6du;
  x ^= x >> 13;
  const float s = 1.0f + 0.16f * ((float)(x >> 8) * 0x1p-24f - 0.5f);
  return (scree_colour){fminf(1.0f, s * c.r), fminf(1.0f, s * c.g), fminf(1.0f, s * c.b)};
}

int picture_load(picture *p, size_t index) {
  static const scree_colour wall = {0.90f, 0.92f, 0.94f};
  scree_frame frame;
  scree_status status = scree_recording_get_frame(p->recording, index, &frame);
  if (status) return fail(p, status);
  p->time = frame.time;
  if (frame.body_count > p->item_room) {
    free(p->items);
    p->items = calloc(frame.body_count, sizeof *p->items);
    p->item_room = p->items ? frame.body_count : 0;
    if (!p->items) return cli_fail(CLI_INTERNAL, "out of memory");
  }
  p->item_count = 0;
  for (size_t i = 0; i < frame.body_count; i++) {
    const uint32_t *id = frame.ids + 3 * i;
    const scree_shape *shape = scree_recording_shape(p->recording, id[2]);
    if (!shape) continue;
    scree_body_info info;
    const bool known =
        scree_body_is_valid(p->world, (scree_body_id){id[0], id[1]}) &&
        scree_body_get_info(p->world, (scree_body_id){id[0], id[1]}, &info) == SCREE_OK;
    const scree_body_kind kind = known ? info.kind : SCREE_BODY_DYNAMIC;
    const bool moves = kind == SCREE_BODY_DYNAMIC;
    if (moves && p->style.hidden) continue;
    scree_render_item *item = &p->items[p->item_count++];
    item->shape = shape;
    memcpy(item->position, frame.poses + 7 * i, sizeof item->position);
    memcpy(item->rotation, frame.poses + 7 * i + 3, sizeof item->rotation);
    item->look = look_of(p, kind, shape);
    item->colour = moves ? vary(scree_palette(known ? info.material.index : 0), id) : wall;
  }
  return CLI_OK;
}

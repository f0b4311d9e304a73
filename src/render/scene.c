/* From items to what rays meet: balls, prims and planes. */
#include "render/render.h"

#include <string.h>

#include "render/focus.h"

static f3 relative(const scree_render *r, v3 x) {
  return f3_from(v3_sub(x, r->origin));
}

static scree_status add_prim(scree_render *r, render_prim prim, pose place) {
  scree_status status = memory_grow(r->context, &r->prims, r->prim_count + 1, sizeof *r->prims);
  if (status) return status;
  const m33 m = quat_to_m33(place.rotation);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) prim.axes[3 * i + k] = (float)m.m[k][i];
  prim.position = relative(r, place.position);
  r->prims[r->prim_count++] = prim;
  return SCREE_OK;
}

static scree_status add_ball(scree_render *r, v3 center, double radius, uint32_t item) {
  scree_status status =
      memory_grow(r->context, &r->balls, 4 * (r->ball_count + 1), sizeof *r->balls);
  if (!status)
    status = memory_grow(r->context, &r->ball_items, r->ball_count + 1, sizeof *r->ball_items);
  if (status) return status;
  float *ball = r->balls + 4 * r->ball_count;
  const f3 c = relative(r, center);
  ball[0] = c.x, ball[1] = c.y, ball[2] = c.z, ball[3] = (float)radius;
  r->ball_items[r->ball_count++] = item;
  return SCREE_OK;
}

static scree_status add_plane(scree_render *r, v3 normal, v3 point, uint32_t item) {
  scree_status status = memory_grow(r->context, &r->planes, r->plane_count + 1, sizeof *r->planes);
  if (status) return status;
  r->planes[r->plane_count++] =
      (render_plane){.normal = f3_from(normal),
                     .offset = (float)v3_dot(normal, v3_sub(point, r->origin)),
                     .item = item,
                     .ground = normal.z > 0.5};
  return SCREE_OK;
}

/* The place of a mesh among the meshes that have a tree. */
static scree_status find_mesh(scree_render *r, const shape *s, uint32_t *mesh) {
  for (size_t i = 0; i < r->mesh_count; i++) {
    *mesh = (uint32_t)i;
    if (r->mesh_shapes[i] == s) return SCREE_OK;
  }
  scree_status status =
      memory_grow(r->context, &r->mesh_shapes, r->mesh_count + 1, sizeof *r->mesh_shapes);
  if (status) return status;
  *mesh = (uint32_t)r->mesh_count;
  r->mesh_shapes[r->mesh_count++] = s;
  return SCREE_OK;
}

static scree_status add_shape(scree_render *r, const shape *s, pose place, uint32_t item,
                              scree_appearance appearance, const scree_box *focus) {
  scree_status status = SCREE_OK;
  render_prim prim = {.shape = s, .item = item, .appearance = (uint8_t)appearance};
  switch (s->kind) {
  case SCREE_SHAPE_COMPOUND:
    for (uint32_t i = 0; i < s->compound.count && !status; i++)
      status = add_shape(r, s->compound.part[i].shape, pose_mul(place, s->compound.part[i].place),
                         item, appearance, focus);
    return status;
  case SCREE_SHAPE_HALF_SPACE:
    return add_plane(r, quat_rotate(place.rotation, (v3){0, 0, 1}), place.position, item);
  case SCREE_SHAPE_BOX_CONTAINER:
  case SCREE_SHAPE_ROUND_CONTAINER: {
    double low, high;
    render_container_window(s, place, focus, &low, &high);
    prim.a = (float)low;
    prim.b = (float)high;
    prim.appearance = RENDER_APPEARANCE_CONTAINER;
    prim.open = (uint8_t)render_container_open(s);
    return add_prim(r, prim, place);
  }
  case SCREE_SHAPE_MESH:
    status = find_mesh(r, s, &prim.mesh);
    return status ? status : add_prim(r, prim, place);
  case SCREE_SHAPE_SPHERE:
    if (appearance == SCREE_APPEARANCE_SOLID && r->cut_count == 0)
      return add_ball(r, place.position, s->sphere.radius, item);
    return add_prim(r, prim, place);
  default:
    return add_prim(r, prim, place);
  }
}

static scree_status add_link(scree_render *r, const scree_render_link *link, uint32_t item) {
  const v3 from = v3_load(link->from), to = v3_load(link->to), along = v3_sub(to, from);
  const double length = v3_norm(along);
  if (!isfinite(length) || !(link->radius > 0.0) || !isfinite(link->radius))
    return context_fail(r->context, SCREE_ERROR_ARGUMENT,
                        "render: link %u has ends or a radius that no rod has",
                        item - (uint32_t)r->item_count);
  const v3 z = length > 0.0 ? v3_scale(1.0 / length, along) : (v3){0, 0, 1};
  /* The turn that takes the z axis to z: half way between them, or about x when opposite. */
  quat q = z.z > -0.999999 ? (quat){1.0 + z.z, -z.y, z.x, 0.0} : (quat){0, 1, 0, 0};
  const pose place = {v3_scale(0.5, v3_add(from, to)), quat_normalize(q)};
  const render_prim prim = {.item = item,
                            .appearance = SCREE_APPEARANCE_SOLID,
                            .a = (float)link->radius,
                            .b = (float)(0.5 * length)};
  return add_prim(r, prim, place);
}

static scree_status add_cuts(scree_render *r, const scree_render_scene *scene) {
  if (scene->cut_count > SCREE_CUT_LIMIT)
    return context_fail(r->context, SCREE_ERROR_ARGUMENT, "render: %zu cuts; at most %d",
                        scene->cut_count, (int)SCREE_CUT_LIMIT);
  r->cut_count = scene->cut_count;
  for (size_t i = 0; i < scene->cut_count; i++) {
    const scree_render_cut *cut = &scene->cuts[i];
    if (cut->count < 1 || cut->count > SCREE_CUT_PLANES)
      return context_fail(r->context, SCREE_ERROR_ARGUMENT,
                          "render: a cut has %zu planes; 1 to %d are allowed", cut->count,
                          (int)SCREE_CUT_PLANES);
    r->cuts[i].count = (int)cut->count;
    for (size_t k = 0; k < cut->count; k++) {
      const v3 n = v3_load(cut->normal[k]);
      const double length = v3_norm(n);
      if (!(length > 0.0) || !isfinite(length + cut->offset[k]))
        return context_fail(r->context, SCREE_ERROR_ARGUMENT, "render: a cut has no direction");
      r->cuts[i].normal[k] = f3_from(v3_scale(1.0 / length, n));
      r->cuts[i].offset[k] = (float)((cut->offset[k] - v3_dot(n, r->origin)) / length);
    }
  }
  return SCREE_OK;
}

static scree_status add_ground(scree_render *r, const scree_render_scene *scene) {
  for (size_t i = 0; i < r->plane_count; i++)
    if (r->planes[i].ground) return SCREE_OK;
  if (!scene->ground) return SCREE_OK;
  double level = scene->ground_level;
  if (isnan(level)) {
    level = scene->focus.lower[2];
    for (size_t i = 0; i < scene->item_count; i++) {
      scree_box box;
      if (scree_render_wall_box(&scene->items[i], &scene->focus, &box))
        level = fmin(level, box.lower[2]);
    }
    level -= 1e-4 * (double)r->size;
  }
  return add_plane(r, (v3){0, 0, 1}, (v3){0, 0, level}, UINT32_MAX);
}

static scree_status check_item(scree_render *r, const scree_render_item *item, size_t i) {
  double sum = 0.0, norm2 = 0.0;
  for (int k = 0; k < 3; k++) sum += item->position[k];
  for (int k = 0; k < 4; k++) norm2 += item->rotation[k] * item->rotation[k];
  if (item->shape && isfinite(sum) && isfinite(norm2) && norm2 > 1e-100) return SCREE_OK;
  return context_fail(r->context, SCREE_ERROR_ARGUMENT,
                      "render: item %zu has no shape, or a place that is not finite", i);
}

scree_status render_collect(scree_render *r, const scree_render_scene *scene) {
  const scree_box *f = &scene->focus;
  r->ball_count = r->prim_count = r->plane_count = 0;
  r->item_count = scene->item_count;
  const v3 lower = v3_load(f->lower), upper = v3_load(f->upper);
  const v3 half = v3_scale(0.5, v3_sub(upper, lower));
  if (!(half.x >= 0.0 && half.y >= 0.0 && half.z >= 0.0 && isfinite(v3_norm(half)) &&
        v3_norm(half) > 0.0 && isfinite(v3_norm(lower))))
    return context_fail(r->context, SCREE_ERROR_ARGUMENT, "render: the focus is no box");
  if (scene->item_count + scene->link_count >= UINT32_MAX)
    return context_fail(r->context, SCREE_ERROR_UNSUPPORTED, "render: too many items");
  r->origin = v3_add(lower, half);
  r->focus_half = f3_from(half);
  r->size = (float)v3_norm(half);
  scree_status status = add_cuts(r, scene);
  if (!status)
    status = memory_grow(r->context, &r->colours, scene->item_count + scene->link_count + 1,
                         sizeof *r->colours);
  for (size_t i = 0; i < scene->item_count && !status; i++) {
    const scree_render_item *item = &scene->items[i];
    r->colours[i] = render_linear(item->colour);
    status = check_item(r, item, i);
    const double *q = item->rotation;
    const pose place = {v3_load(item->position), quat_normalize((quat){q[0], q[1], q[2], q[3]})};
    if (!status && item->appearance != SCREE_APPEARANCE_HIDDEN)
      status = add_shape(r, item->shape, place, (uint32_t)i, item->appearance, f);
  }
  for (size_t i = 0; i < scene->link_count && !status; i++) {
    r->colours[scene->item_count + i] = render_linear(scene->links[i].colour);
    status = add_link(r, &scene->links[i], (uint32_t)(scene->item_count + i));
  }
  return status ? status : add_ground(r, scene);
}

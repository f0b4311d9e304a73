/* Flexible parts: their nodes become bodies, so that joints, probes, forces, contacts and
 * recordings know them, and their elements become links.
 *
 *   beam    n elements of length L/n between n + 1 nodes. A node is a rigid piece of the beam from
 *           the middle of one element to that of the next; at a free end half as long. An end that
 *           is clamped has no node: its element begins at the world or at the body.
 *   block   boxes of six tetrahedra (Kuhn); a node is a point mass, a quarter of each tetrahedron.
 *   ring, net   flexible_net.c */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"
#include "scene/build/flexible.h"

scree_status flexible_told(flexible *f, scree_status status) {
  if (!status || status == SCREE_ERROR_MEMORY) return status;
  char why[CONTEXT_MESSAGE_SIZE];
  snprintf(why, sizeof why, "%s", scree_context_message(f->scene->context));
  return scene_fault(&f->scene->doc, f->node, "%s", why);
}

static scree_status find_material(flexible *f) {
  const char *names[64];
  size_t count = 0;
  for (size_t i = 0; i < f->scene->material_count; i++) {
    if (count < 64) names[count++] = f->scene->materials[i].name;
    if (strcmp(f->scene->materials[i].name, f->k.material) != 0) continue;
    f->material = f->scene->materials[i].id;
    return SCREE_OK;
  }
  char buffer[256];
  return scene_fault(&f->scene->doc, scene_place(&f->k.head, "material"),
                     "there is no material '%s' in `materials`%s", f->k.material,
                     scene_suggest(f->k.material, names, count, buffer, sizeof buffer));
}

scree_status flexible_begin(flexible *f) {
  scree_scene *s = f->scene;
  const scree_status status =
      memory_grow(s->context, &s->entries, s->entry_count + 1, sizeof *s->entries);
  if (status) return status;
  s->entries[s->entry_count++] =
      (scene_entry){.name = f->k.name, .node = f->node, .first = s->body_count};
  return SCREE_OK;
}

bool flexible_given(const flexible *f, const char *key) {
  return scene_given(&f->k.head, &scene_section_flexible, key);
}

/* ---- beams ---------------------------------------------------------------------------------- */

typedef struct beam_end {
  bool clamped;
  scree_body_id body; /* null: the world */
} beam_end;

beam_section flexible_section(const flexible *f) {
  const double pi = 3.141592653589793;
  if (flexible_given(f, "radius")) {
    const double r2 = f->k.radius * f->k.radius;
    return (beam_section){pi * r2, 0.25 * pi * r2 * r2, 0.25 * pi * r2 * r2, 0.5 * pi * r2 * r2,
                          0.9 * pi * r2};
  }
  const double w = f->k.section[0], h = f->k.section[1], a = fmax(w, h), b = fmin(w, h), q = b / a;
  return (beam_section){w * h, w * h * h * h / 12.0, h * w * w * w / 12.0,
                        a * b * b * b * (1.0 / 3.0 - 0.21 * q * (1.0 - q * q * q * q / 12.0)),
                        5.0 / 6.0 * w * h};
}

static scree_status read_ends(flexible *f, beam_end ends[2]) {
  const scene_node *list = f->k.ends;
  memset(ends, 0, 2 * sizeof *ends);
  if (!list) return SCREE_OK;
  if (list->kind != SCENE_LIST || list->count != 2)
    return scene_fault(&f->scene->doc, list, "ends: a list of two is wanted, as [world, free]");
  for (int i = 0; i < 2; i++) {
    const char *name;
    size_t first, count;
    scree_status status =
        scene_text(&f->scene->doc, &f->scene->scope, list->items[i], "ends", &name);
    if (status) return status;
    ends[i].clamped = strcmp(name, "free") != 0;
    if (!ends[i].clamped || strcmp(name, "world") == 0) continue;
    status = scene_find_bodies(f->scene, list->items[i], name, true, &first, &count);
    if (status) return status;
    ends[i].body = f->scene->bodies[first];
  }
  return SCREE_OK;
}

/* x: along the beam, z: up in the section, y = z cross x. */
static scree_status beam_axes(flexible *f, v3 axes[3], double *length) {
  const v3 d = v3_sub(v3_load(f->k.end), v3_load(f->k.start)), up = v3_load(f->k.up);
  *length = v3_norm(d);
  if (!(*length > 0.0))
    return scene_fault(&f->scene->doc, f->node, "beam: start and end must lie apart");
  axes[0] = v3_scale(1.0 / *length, d);
  const v3 z = v3_add_scaled(up, -v3_dot(up, axes[0]), axes[0]);
  if (v3_norm(up) > 0.0 && !(v3_norm(z) > 1e-6 * v3_norm(up)))
    return scene_fault(&f->scene->doc, scene_place(&f->k.head, "up"),
                       "up: it must not lie along the beam");
  axes[2] = v3_norm(up) > 0.0 ? v3_normalize(z) : v3_across(axes[0]);
  axes[1] = v3_cross(axes[2], axes[0]);
  return SCREE_OK;
}

static scree_status check_beam(flexible *f, double length) {
  if (flexible_given(f, "radius") == flexible_given(f, "section"))
    return scene_fault(&f->scene->doc, f->node, "beam: either radius or section is wanted");
  if (!flexible_given(f, "end"))
    return scene_fault(&f->scene->doc, f->node, "beam: key 'end' is missing");
  if (f->k.collide && flexible_given(f, "radius") &&
      length < 2.2 * f->k.radius * (double)f->k.elements)
    return scene_fault(&f->scene->doc, f->node,
                       "beam: elements are shorter than 2.2 radii, so that nodes would touch the "
                       "next but one; take at most %.0f, or collide: false",
                       fmax(floor(length / (2.2 * f->k.radius)), 1.0));
  return SCREE_OK;
}

void flexible_set_motion(const flexible *f, scree_body_def *d) {
  const v3 turn = v3_load(f->k.angular), arm = v3_sub(v3_load(d->position), v3_load(f->k.center));
  v3_store(d->velocity, v3_add(v3_load(f->k.velocity), v3_cross(turn, arm)));
  if (!d->point) v3_store(d->angular, turn);
}

static scree_status segment_shape(flexible *f, double length, scree_shape **shape) {
  *shape = NULL;
  if (!f->k.collide) return SCREE_OK;
  if (flexible_given(f, "radius"))
    return scree_shape_create_capsule(f->scene->context, f->k.radius, 0.5 * length, shape);
  const double half[3] = {0.5 * f->k.section[0], 0.5 * f->k.section[1], 0.5 * length};
  return scree_shape_create_box(f->scene->context, half, shape);
}

scree_status flexible_add_segment(flexible *f, const v3 axes[3], const beam_section *s, v3 middle,
                                  double length) {
  const double mass = f->k.density * s->area * length;
  scree_body_def d = scree_body_def_default();
  const m33 r = {{{axes[1].x, axes[2].x, axes[0].x},
                  {axes[1].y, axes[2].y, axes[0].y},
                  {axes[1].z, axes[2].z, axes[0].z}}};
  const quat q = quat_of_m33(&r);
  const double rotation[4] = {q.w, q.x, q.y, q.z};
  memcpy(d.rotation, rotation, sizeof rotation);
  v3_store(d.position, middle);
  d.mass = mass;
  d.inertia[0] = mass * length * length / 12.0 + f->k.density * s->inertia_y * length;
  d.inertia[3] = mass * length * length / 12.0 + f->k.density * s->inertia_z * length;
  d.inertia[5] = f->k.density * (s->inertia_y + s->inertia_z) * length;
  d.material = f->material;
  flexible_set_motion(f, &d);
  scree_status status = flexible_told(f, segment_shape(f, length, &d.shape));
  if (!status) status = scene_add_body(f->scene, f->world, &d, f->node);
  scree_shape_destroy(d.shape);
  return status;
}

scree_link_def flexible_beam_link(const flexible *f, const beam_section *s) {
  scree_link_def d = scree_link_def_default();
  d.kind = SCREE_LINK_BEAM;
  d.young = f->k.young;
  d.shear = f->k.young / (2.0 * (1.0 + f->k.poisson));
  d.area = s->area;
  d.inertia_y = s->inertia_y;
  d.inertia_z = s->inertia_z;
  d.torsion = s->torsion;
  d.shear_area = f->k.shear ? s->shear_area : 0.0;
  d.rayleigh = f->k.rayleigh;
  return d;
}

static scree_status add_elements(flexible *f, const v3 axes[3], const beam_section *s,
                                 const beam_end *ends, size_t first, double piece) {
  scree_link_def d = flexible_beam_link(f, s);
  v3_store(d.up, axes[2]);
  scree_status status = SCREE_OK;
  for (long e = 0; e < f->k.elements && !status; e++) {
    const size_t at = first + (size_t)e - (ends[0].clamped ? 1 : 0);
    d.body[0] = e == 0 && ends[0].clamped ? ends[0].body : f->scene->bodies[at];
    d.body[1] = e + 1 == f->k.elements && ends[1].clamped ? ends[1].body : f->scene->bodies[at + 1];
    for (int i = 0; i < 2; i++)
      v3_store(d.point[i], v3_add_scaled(v3_load(f->k.start), piece * (double)(e + i), axes[0]));
    status = flexible_told(f, scree_world_add_link(f->world, &d, NULL));
  }
  return status;
}

static scree_status build_beam(flexible *f) {
  beam_end ends[2];
  v3 axes[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  double length = 0.0;
  scree_status status = beam_axes(f, axes, &length);
  if (!status) status = check_beam(f, length);
  if (!status) status = read_ends(f, ends);
  if (!status && f->k.elements == 1 && ends[0].clamped && ends[1].clamped)
    status = scene_fault(&f->scene->doc, f->node,
                         "beam: one element that is clamped at both ends has no node; take more");
  if (!status) status = flexible_begin(f);
  if (status) return status;
  const beam_section section = flexible_section(f);
  const size_t first = f->scene->body_count;
  const double n = (double)f->k.elements, piece = length / n;
  for (long i = ends[0].clamped ? 1 : 0; i <= f->k.elements - (ends[1].clamped ? 1 : 0) && !status;
       i++) {
    const double from = fmax((double)i - 0.5, 0.0), to = fmin((double)i + 0.5, n);
    status = flexible_add_segment(
        f, axes, &section, v3_add_scaled(v3_load(f->k.start), 0.5 * (from + to) * piece, axes[0]),
        (to - from) * piece);
  }
  return status ? status : add_elements(f, axes, &section, ends, first, piece);
}

/* ---- blocks --------------------------------------------------------------------------------- */

typedef struct block {
  size_t cells[3], nodes[3];
  double size[3]; /* of a cell */
  bool held[6];   /* x- x+ y- y+ z- z+ */
} block;

static size_t node_at(const block *b, size_t x, size_t y, size_t z) {
  return x + b->nodes[0] * (y + b->nodes[1] * z);
}

scree_status flexible_read_held(flexible *f, bool held[6]) {
  static const char *const names[] = {"x-", "x+", "y-", "y+", "z-", "z+"};
  const scene_node *list = f->k.held;
  if (!list) return SCREE_OK;
  if (list->kind != SCENE_LIST)
    return scene_fault(&f->scene->doc, list, "held: a list of faces is wanted, as [x-, x+]");
  for (size_t i = 0; i < list->count; i++) {
    const char *name;
    const scree_status status =
        scene_text(&f->scene->doc, &f->scene->scope, list->items[i], "held", &name);
    if (status) return status;
    int face = 0;
    while (face < 6 && strcmp(names[face], name) != 0) face++;
    if (face == 6)
      return scene_fault(&f->scene->doc, list->items[i],
                         "held: there is no face '%s'; allowed: x-, x+, y-, y+, z-, z+", name);
    held[face] = true;
  }
  return SCREE_OK;
}

static scree_status read_block(flexible *f, block *b) {
  memset(b, 0, sizeof *b);
  if (!flexible_given(f, "lower") || !flexible_given(f, "upper") || !flexible_given(f, "cells"))
    return scene_fault(&f->scene->doc, f->node, "block: keys lower, upper and cells are wanted");
  double all = 1.0;
  for (int i = 0; i < 3; i++) {
    if (f->k.cells[i] != floor(f->k.cells[i]) || f->k.cells[i] > 1e6)
      return scene_fault(&f->scene->doc, scene_place(&f->k.head, "cells"),
                         "cells: whole numbers are wanted");
    b->cells[i] = (size_t)f->k.cells[i];
    b->nodes[i] = b->cells[i] + 1;
    b->size[i] = (f->k.upper[i] - f->k.lower[i]) / f->k.cells[i];
    all *= f->k.cells[i] + 1.0;
    if (!(b->size[i] > 0.0))
      return scene_fault(&f->scene->doc, f->node, "block: upper must lie above lower");
  }
  if (all > 1e7) return scene_fault(&f->scene->doc, f->node, "block: %.0f nodes are too many", all);
  return flexible_read_held(f, b->held);
}

/* The corners of tetrahedron t of a cell: along the axes one after the other, in the order of t. */
static void corners(const block *b, size_t x, size_t y, size_t z, int t, size_t out[4]) {
  static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  size_t at[3] = {x, y, z};
  out[0] = node_at(b, x, y, z);
  for (int i = 0; i < 3; i++) {
    at[order[t][i]]++;
    out[i + 1] = node_at(b, at[0], at[1], at[2]);
  }
}

static bool is_held(const block *b, const size_t at[3]) {
  bool any = false;
  for (int i = 0; i < 3; i++)
    any |= (b->held[2 * i] && at[i] == 0) || (b->held[2 * i + 1] && at[i] == b->cells[i]);
  return any;
}

static scree_status add_nodes(flexible *f, const block *b, const double *mass) {
  const double least = fmin(b->size[0], fmin(b->size[1], b->size[2]));
  const double reach = f->k.node_radius > 0.0 ? f->k.node_radius : 0.1 * least;
  scree_shape *ball = NULL;
  scree_status status =
      f->k.node_radius > 0.0
          ? flexible_told(f, scree_shape_create_sphere(f->scene->context, f->k.node_radius, &ball))
          : SCREE_OK;
  for (size_t z = 0; z < b->nodes[2] && !status; z++)
    for (size_t y = 0; y < b->nodes[1] && !status; y++)
      for (size_t x = 0; x < b->nodes[0] && !status; x++) {
        const size_t at[3] = {x, y, z};
        scree_body_def d = scree_body_def_default();
        for (int i = 0; i < 3; i++) d.position[i] = f->k.lower[i] + (double)at[i] * b->size[i];
        const bool fixed = is_held(b, at) && !f->k.held_by;
        d.kind = fixed ? SCREE_BODY_FIXED : SCREE_BODY_DYNAMIC;
        d.mass = mass[node_at(b, x, y, z)];
        d.point = true;
        d.inertia[0] = d.inertia[3] = d.inertia[5] = 0.4 * d.mass * reach * reach;
        d.shape = ball;
        flexible_set_motion(f, &d);
        d.material = f->material;
        status = scene_add_body(f->scene, f->world, &d, f->node);
      }
  scree_shape_destroy(ball);
  return status;
}

/* Held nodes are points of a body: a ball joint each, as turns of a node mean nothing. */
static scree_status join_nodes(flexible *f, const block *b, size_t first) {
  const char *name;
  size_t from, count;
  scree_status status =
      scene_text(&f->scene->doc, &f->scene->scope, f->k.held_by, "held_by", &name);
  if (!status) status = scene_find_bodies(f->scene, f->k.held_by, name, true, &from, &count);
  if (!status && !f->k.held)
    return scene_fault(&f->scene->doc, f->k.held_by, "held_by: no faces are `held`");
  if (status) return status;
  scree_joint_def d = scree_joint_def_default();
  d.kind = SCREE_JOINT_BALL;
  d.body_a = f->scene->bodies[from];
  for (size_t z = 0; z < b->nodes[2] && !status; z++)
    for (size_t y = 0; y < b->nodes[1] && !status; y++)
      for (size_t x = 0; x < b->nodes[0] && !status; x++) {
        const size_t at[3] = {x, y, z};
        if (!is_held(b, at)) continue;
        d.body_b = f->scene->bodies[first + node_at(b, x, y, z)];
        for (int i = 0; i < 3; i++) d.anchor[i] = f->k.lower[i] + (double)at[i] * b->size[i];
        status = flexible_told(f, scree_world_add_joint(f->world, &d, NULL));
      }
  return status;
}

static scree_status add_tetrahedra(flexible *f, const block *b, size_t first) {
  scree_link_def d = scree_link_def_default();
  d.kind = SCREE_LINK_TETRAHEDRON;
  d.young = f->k.young;
  d.poisson = f->k.poisson;
  d.rayleigh = f->k.rayleigh;
  scree_status status = SCREE_OK;
  for (size_t z = 0; z < b->cells[2] && !status; z++)
    for (size_t y = 0; y < b->cells[1] && !status; y++)
      for (size_t x = 0; x < b->cells[0] && !status; x++)
        for (int t = 0; t < 6 && !status; t++) {
          size_t node[4];
          corners(b, x, y, z, t, node);
          for (int i = 0; i < 4; i++) d.body[i] = f->scene->bodies[first + node[i]];
          status = flexible_told(f, scree_world_add_link(f->world, &d, NULL));
        }
  return status;
}

static scree_status build_block(flexible *f) {
  block b;
  scree_status status = read_block(f, &b);
  if (!status) status = flexible_begin(f);
  if (status) return status;
  const size_t first = f->scene->body_count;
  double *mass = memory_new(f->scene->context, b.nodes[0] * b.nodes[1] * b.nodes[2], sizeof *mass);
  if (!mass) return SCREE_ERROR_MEMORY;
  const double quarter = f->k.density * b.size[0] * b.size[1] * b.size[2] / 24.0;
  for (size_t z = 0; z < b.cells[2]; z++)
    for (size_t y = 0; y < b.cells[1]; y++)
      for (size_t x = 0; x < b.cells[0]; x++)
        for (int t = 0; t < 6; t++) {
          size_t node[4];
          corners(&b, x, y, z, t, node);
          for (int i = 0; i < 4; i++) mass[node[i]] += quarter;
        }
  status = add_nodes(f, &b, mass);
  memory_free(f->scene->context, mass);
  if (!status && f->k.held_by) status = join_nodes(f, &b, first);
  return status ? status : add_tetrahedra(f, &b, first);
}

scree_status scene_build_flexible(scree_scene *scene, scree_world *world, const scene_node *node) {
  flexible f = {.scene = scene, .world = world, .node = node};
  f.k = (scene_flexible_keys){.name = "",
                              .material = "",
                              .poisson = 0.3,
                              .elements = 10,
                              .collide = true,
                              .axis = {0, 0, 1},
                              .file = "",
                              .scale = 1.0};
  scree_status status = scene_read(&scene->doc, &scene->scope, node, &scene_section_flexible, &f.k);
  if (!status && *f.k.material) status = find_material(&f);
  if (status) return status;
  static scree_status (*const build[])(flexible *) = {build_beam, build_block, flexible_build_ring,
                                                      flexible_build_net, flexible_build_mesh};
  return build[f.k.kind](&f);
}

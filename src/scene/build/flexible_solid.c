/* Solids of tetrahedra: nodes become point masses, elements links. Shells of triangles are built
 * here too: their nodes turn.
 *
 *   block   boxes of six tetrahedra (Kuhn). With order 2 nodes lie at half cells too: the middles
 *           of all edges of these tetrahedra are just that grid.
 *   mesh    flexible_msh.c */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/build/flexible.h"

enum { SHELL = 3 }; /* corners */

typedef struct builder {
  flexible *f;
  const solid *s;
  scree_link_def link;
  double *mass;
  uint32_t *body; /* of each node: its place among the scene's bodies */
  bool held[6];   /* x- x+ y- y+ z- z+ */
  double lower[3], upper[3];
} builder;

/* A fault of an element is reported at its line, where it has one. */
static scree_status told(const builder *b, size_t element, scree_status status) {
  const uint32_t line = b->s->element[element].line;
  if (!status || status == SCREE_ERROR_MEMORY || !line) return flexible_told(b->f, status);
  char why[CONTEXT_MESSAGE_SIZE];
  const scene_node place = {.file = b->s->file, .line = line, .column = 1};
  snprintf(why, sizeof why, "%s", scree_context_message(b->f->scene->context));
  return scene_fault(&b->f->scene->doc, &place, "msh: %s", why);
}

/* Nodes without a mass are left out, so those of elements must have one. */
static scree_status check_masses(const builder *b) {
  for (size_t e = 0; e < b->s->element_count; e++)
    for (uint32_t k = 0; k < b->s->corners; k++) {
      const double mass = b->mass[b->s->element[e].node[k]];
      if (!(mass > 0.0 && isfinite(mass)))
        return scene_fault(&b->f->scene->doc, b->f->node,
                           "density times volume is too small or too large a number");
    }
  return SCREE_OK;
}

static scree_status weigh(builder *b) {
  const solid *s = b->s;
  for (int i = 0; i < 3; i++) b->lower[i] = INFINITY, b->upper[i] = -INFINITY;
  for (size_t e = 0; e < s->element_count; e++) {
    double at[SCREE_LINK_BODIES][3], mass[SCREE_LINK_BODIES];
    for (uint32_t k = 0; k < s->corners; k++) {
      memcpy(at[k], s->at[s->element[e].node[k]], sizeof at[k]);
      for (int i = 0; i < 3; i++) {
        b->lower[i] = fmin(b->lower[i], at[k][i]);
        b->upper[i] = fmax(b->upper[i], at[k][i]);
      }
    }
    const scree_status status =
        told(b, e, scree_world_get_link_masses(b->f->world, &b->link, at[0], mass));
    if (status) return status;
    for (uint32_t k = 0; k < s->corners; k++) b->mass[s->element[e].node[k]] += mass[k];
  }
  return check_masses(b);
}

static bool is_held(const builder *b, const double *at) {
  bool any = false;
  for (int i = 0; i < 3; i++) {
    const double near = 1e-6 * (b->upper[i] - b->lower[i]);
    any |= (b->held[2 * i] && at[i] <= b->lower[i] + near) ||
           (b->held[2 * i + 1] && at[i] >= b->upper[i] - near);
  }
  return any;
}

static scree_status add_nodes(builder *b) {
  flexible *f = b->f;
  scree_shape *ball = NULL;
  scree_status status = SCREE_OK;
  if (f->k.node_radius > 0.0)
    status =
        flexible_told(f, scree_shape_create_sphere(f->scene->context, f->k.node_radius, &ball));
  for (size_t k = 0; k < b->s->node_count && !status; k++) {
    if (!(b->mass[k] > 0.0)) continue;
    scree_body_def d = scree_body_def_default();
    memcpy(d.position, b->s->at[k], sizeof d.position);
    const bool fixed = is_held(b, d.position) && !f->k.held_by;
    d.kind = fixed ? SCREE_BODY_FIXED : SCREE_BODY_DYNAMIC;
    d.mass = b->mass[k];
    d.point = b->s->corners != SHELL;
    const double reach =
        f->k.node_radius > 0.0 ? f->k.node_radius : 0.1 * cbrt(d.mass / f->k.density);
    const double arm2 = d.point ? 0.4 * reach * reach : f->k.thickness * f->k.thickness / 12.0;
    d.inertia[0] = d.inertia[3] = d.inertia[5] = arm2 * d.mass;
    d.shape = ball;
    d.material = f->material;
    flexible_set_motion(f, &d);
    b->body[k] = (uint32_t)f->scene->body_count;
    status = scene_add_body(f->scene, f->world, &d, f->node);
  }
  scree_shape_destroy(ball);
  return status;
}

/* Held nodes are points of a body: a ball joint each, as turns of a node mean nothing; those of a
 * shell are fixed to it. */
static scree_status join_nodes(const builder *b) {
  flexible *f = b->f;
  const char *name;
  size_t from, count;
  scree_status status =
      scene_text(&f->scene->doc, &f->scene->scope, f->k.held_by, "held_by", &name);
  if (!status) status = scene_find_bodies(f->scene, f->k.held_by, name, true, &from, &count);
  if (!status && !f->k.held)
    return scene_fault(&f->scene->doc, f->k.held_by, "held_by: no faces are `held`");
  if (status) return status;
  scree_joint_def d = scree_joint_def_default();
  d.kind = b->s->corners == SHELL ? SCREE_JOINT_FIXED : SCREE_JOINT_BALL;
  d.body_a = f->scene->bodies[from];
  for (size_t k = 0; k < b->s->node_count && !status; k++) {
    if (!(b->mass[k] > 0.0) || !is_held(b, b->s->at[k])) continue;
    d.body_b = f->scene->bodies[b->body[k]];
    memcpy(d.anchor, b->s->at[k], sizeof d.anchor);
    status = flexible_told(f, scree_world_add_joint(f->world, &d, NULL));
  }
  return status;
}

static scree_status add_elements(builder *b) {
  scree_status status = SCREE_OK;
  for (size_t e = 0; e < b->s->element_count && !status; e++) {
    for (uint32_t k = 0; k < b->s->corners; k++)
      b->link.body[k] = b->f->scene->bodies[b->body[b->s->element[e].node[k]]];
    status = told(b, e, scree_world_add_link(b->f->world, &b->link, NULL));
  }
  return status;
}

scree_status flexible_build_solid(flexible *f, const solid *s) {
  scree_context *context = f->scene->context;
  builder b = {.f = f, .s = s, .link = scree_link_def_default()};
  b.link.kind = s->corners == SHELL ? SCREE_LINK_SHELL : SCREE_LINK_TETRAHEDRON;
  b.link.body_count = s->corners;
  b.link.thickness = f->k.thickness;
  b.link.young = f->k.young;
  b.link.poisson = f->k.poisson;
  b.link.rayleigh = f->k.rayleigh;
  b.link.drag = f->k.rayleigh_mass;
  b.link.density = f->k.density;
  b.link.elastic = f->k.law ? SCREE_ELASTIC_NEO_HOOKEAN : SCREE_ELASTIC_LINEAR;
  b.link.consistent = f->k.mass == SCENE_MASS_CONSISTENT;
  b.mass = memory_new(context, s->node_count, sizeof *b.mass);
  b.body = memory_new(context, s->node_count, sizeof *b.body);
  scree_status status = b.mass && b.body ? flexible_read_held(f, b.held) : SCREE_ERROR_MEMORY;
  if (!status) status = weigh(&b);
  if (!status) status = flexible_begin(f);
  if (!status) status = add_nodes(&b);
  if (!status && f->k.held_by) status = join_nodes(&b);
  if (!status) status = add_elements(&b);
  memory_free(context, b.mass);
  memory_free(context, b.body);
  return status;
}

/* ---- blocks --------------------------------------------------------------------------------- */

typedef struct block {
  size_t cells[3], nodes[3], order;
} block;

static uint32_t node_at(const block *b, const size_t at[3]) {
  return (uint32_t)(at[0] + b->nodes[0] * (at[1] + b->nodes[1] * at[2]));
}

static scree_status read_block(flexible *f, block *b) {
  memset(b, 0, sizeof *b);
  if (!flexible_given(f, "lower") || !flexible_given(f, "upper") || !flexible_given(f, "cells"))
    return scene_fault(&f->scene->doc, f->node, "block: keys lower, upper and cells are expected");
  double all = 1.0;
  b->order = (size_t)f->k.order;
  for (int i = 0; i < 3; i++) {
    if (f->k.cells[i] != floor(f->k.cells[i]) || f->k.cells[i] > 1e6)
      return scene_fault(&f->scene->doc, scene_place(&f->k.head, "cells"),
                         "cells: whole numbers are expected");
    b->cells[i] = (size_t)f->k.cells[i];
    b->nodes[i] = b->order * b->cells[i] + 1;
    all *= (double)b->nodes[i];
    if (!(f->k.upper[i] > f->k.lower[i]))
      return scene_fault(&f->scene->doc, f->node, "block: upper must lie above lower");
  }
  if (all > 1e7) return scene_fault(&f->scene->doc, f->node, "block: %.0f nodes are too many", all);
  return SCREE_OK;
}

/* Tetrahedron t of a cell: along the axes one after the other, in the order of t; then, of order 2,
 * the middles of its edges in the order of links. */
static void put_element(const block *b, const size_t cell[3], int t, solid_element *out) {
  static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}};
  size_t corner[4][3];
  for (int i = 0; i < 3; i++) corner[0][i] = b->order * cell[i];
  for (int k = 0; k < 3; k++) {
    memcpy(corner[k + 1], corner[k], sizeof corner[k]);
    corner[k + 1][order[t][k]] += b->order;
  }
  for (int k = 0; k < 4; k++) out->node[k] = node_at(b, corner[k]);
  for (int k = 0; k < 6 && b->order == 2; k++) {
    size_t at[3];
    for (int i = 0; i < 3; i++) at[i] = (corner[edge[k][0]][i] + corner[edge[k][1]][i]) / 2;
    out->node[4 + k] = node_at(b, at);
  }
}

scree_status flexible_build_block(flexible *f) {
  block b;
  scree_status status = read_block(f, &b);
  if (status) return status;
  scree_context *context = f->scene->context;
  const size_t cells = b.cells[0] * b.cells[1] * b.cells[2];
  solid s = {.node_count = b.nodes[0] * b.nodes[1] * b.nodes[2],
             .element_count = 6 * cells,
             .corners = b.order == 2 ? 10 : 4};
  s.at = memory_new(context, s.node_count, sizeof *s.at);
  s.element = memory_new(context, s.element_count, sizeof *s.element);
  if (!s.at || !s.element) status = SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < s.node_count && !status; k++) {
    const size_t at[3] = {k % b.nodes[0], k / b.nodes[0] % b.nodes[1], k / b.nodes[0] / b.nodes[1]};
    for (int i = 0; i < 3; i++)
      s.at[k][i] = f->k.lower[i] +
                   (double)at[i] * ((f->k.upper[i] - f->k.lower[i]) / (double)(b.nodes[i] - 1));
  }
  for (size_t e = 0; e < s.element_count && !status; e++) {
    const size_t c = e / 6;
    const size_t cell[3] = {c % b.cells[0], c / b.cells[0] % b.cells[1],
                            c / b.cells[0] / b.cells[1]};
    put_element(&b, cell, (int)(e % 6), &s.element[e]);
  }
  if (!status) status = flexible_build_solid(f, &s);
  memory_free(context, s.at);
  memory_free(context, s.element);
  return status;
}

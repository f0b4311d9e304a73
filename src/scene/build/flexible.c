/* Flexible parts: their nodes become bodies, so that joints, probes, forces, contacts and
 * recordings know them, and their elements become links.
 *
 *   beam    n elements of length L/n between n + 1 nodes. A node is a rigid piece of the beam from
 *           the middle of one element to that of the next; at a free end half as long. An end that
 *           is clamped has no node: its element begins at the world or at the body.
 *   block, mesh   flexible_solid.c, flexible_msh.c
 *   ring, net     flexible_net.c
 *   cable         flexible_cable.c
 *   shell         flexible_shell.c */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"
#include "model/world.h"
#include "scene/build/flexible.h"

scree_status flexible_told(flexible *f, scree_status status) {
  if (!status || status == SCREE_ERROR_MEMORY) return status;
  char why[CONTEXT_MESSAGE_SIZE];
  snprintf(why, sizeof why, "%s", scree_context_message(f->scene->context));
  return scene_fault(&f->scene->doc, f->node, "%s", why);
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

scree_status flexible_read_ends(flexible *f, beam_end ends[2]) {
  const scene_node *list = f->k.ends;
  memset(ends, 0, 2 * sizeof *ends);
  if (!list) return SCREE_OK;
  if (list->kind != SCENE_LIST || list->count != 2)
    return scene_fault(&f->scene->doc, list, "ends: a list of two is expected, as [world, free]");
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

scree_status flexible_read_line(flexible *f, v3 *along, double *length) {
  const v3 d = v3_sub(v3_load(f->k.end), v3_load(f->k.start));
  *length = v3_norm(d);
  if (!flexible_given(f, "end"))
    return scene_fault(&f->scene->doc, f->node, "key 'end' is missing");
  if (!(*length > 0.0)) return scene_fault(&f->scene->doc, f->node, "start and end must lie apart");
  *along = v3_scale(1.0 / *length, d);
  return SCREE_OK;
}

/* x: along the beam, z: up in the section, y = z cross x. */
static scree_status beam_axes(flexible *f, v3 axes[3], double *length) {
  const v3 up = v3_load(f->k.up);
  const scree_status status = flexible_read_line(f, &axes[0], length);
  if (status) return status;
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
    return scene_fault(&f->scene->doc, f->node, "beam: either radius or section is expected");
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

/* across: the inertia of its mass along the beam, about an axis across it. */
static scree_status add_piece(flexible *f, const v3 axes[3], const beam_section *s, v3 middle,
                              double length, double mass, double across) {
  scree_body_def d = scree_body_def_default();
  const m33 r = {{{axes[1].x, axes[2].x, axes[0].x},
                  {axes[1].y, axes[2].y, axes[0].y},
                  {axes[1].z, axes[2].z, axes[0].z}}};
  const quat q = quat_of_m33(&r);
  const double rotation[4] = {q.w, q.x, q.y, q.z};
  memcpy(d.rotation, rotation, sizeof rotation);
  v3_store(d.position, middle);
  d.mass = mass;
  d.inertia[0] = across + f->k.density * s->inertia_y * length;
  d.inertia[3] = across + f->k.density * s->inertia_z * length;
  d.inertia[5] = f->k.density * (s->inertia_y + s->inertia_z) * length;
  d.material = f->material;
  flexible_set_motion(f, &d);
  scree_status status = flexible_told(f, segment_shape(f, length, &d.shape));
  if (!status) status = scene_add_body(f->scene, f->world, &d, f->node);
  scree_shape_destroy(d.shape);
  return status;
}

scree_status flexible_add_segment(flexible *f, const v3 axes[3], const beam_section *s, v3 middle,
                                  double length) {
  const double mass = f->k.density * s->area * length;
  return add_piece(f, axes, s, middle, length, mass, mass * length * length / 12.0);
}

/* Masses of high order: points at the nodes, as a rule for the integral of the square of the
 * deflection v along the beam. Rigid pieces have the inertia m h^2/12 about axes across it, which
 * lowers frequencies by (k h)^2/24; points with the stiffness of cubic elements by (k h)^4/1440
 * alone. At a free end, where the second and third derivatives of v are 0, the rule wants by Euler
 * and Maclaurin
 *
 *   M v^2 + 2 M d v v' + J v'^2,   M = (1/2 + a) h,  M d = (1/12 + a) h^2,  J = a h^3,
 *
 * and 1 - a of the next node: a body of its own mass, centre and inertia. With a = 1/18 its centre
 * is that of the piece, d = h/4, and J - M d^2 = h^3/48. The rule is exact for squares of straight
 * motions, so that mass, centre and inertia of the whole are those of a rigid rod. At a clamp v and
 * v' are 0, and no mass is needed. */
static scree_status add_node(flexible *f, const v3 axes[3], const beam_section *s,
                             const beam_end *ends, long i, double piece) {
  const long n = f->k.elements;
  const double from = fmax((double)i - 0.5, 0.0), to = fmin((double)i + 0.5, (double)n);
  const v3 middle = v3_add_scaled(v3_load(f->k.start), 0.5 * (from + to) * piece, axes[0]);
  const double length = (to - from) * piece, share = 1.0 / 18.0;
  if (f->k.mass != SCENE_MASS_HIGH_ORDER || (n == 1 && !ends[0].clamped && !ends[1].clamped))
    return flexible_add_segment(f, axes, s, middle, length);
  const bool end = i == 0 || i == n;
  double part = to - from + (end ? share : 0.0);
  if (!ends[0].clamped && i == 1) part -= share;
  if (!ends[1].clamped && i == n - 1) part -= share;
  const double line = f->k.density * s->area, cube = piece * piece * piece;
  return add_piece(f, axes, s, middle, length, part * line * piece, end ? line * cube / 48.0 : 0.0);
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
  if (!status) status = flexible_read_ends(f, ends);
  if (!status && f->k.elements == 1 && ends[0].clamped && ends[1].clamped)
    status = scene_fault(&f->scene->doc, f->node,
                         "beam: one element that is clamped at both ends has no node; take more");
  if (!status) status = flexible_begin(f);
  if (status) return status;
  const beam_section section = flexible_section(f);
  const size_t first = f->scene->body_count;
  const double piece = length / (double)f->k.elements;
  for (long i = ends[0].clamped ? 1 : 0; i <= f->k.elements - (ends[1].clamped ? 1 : 0) && !status;
       i++)
    status = add_node(f, axes, &section, ends, i, piece);
  return status ? status : add_elements(f, axes, &section, ends, first, piece);
}

scree_status flexible_read_held(flexible *f, bool held[6]) {
  static const char *const names[] = {"x-", "x+", "y-", "y+", "z-", "z+"};
  const scene_node *list = f->k.held;
  if (!list) return SCREE_OK;
  if (list->kind != SCENE_LIST)
    return scene_fault(&f->scene->doc, list, "held: a list of faces is expected, as [x-, x+]");
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

/* Refuses keys that this kind of part does not use: they would have no effect. */
static scree_status check_keys(const flexible *f) {
  enum { BEAM = 1, BLOCK = 2, RING = 4, NET = 8, MESH = 16, CABLE = 32, SHELL = 64 };
  static const struct {
    const char *key;
    int kinds;
  } own[] = {{"order", BLOCK},
             {"law", BLOCK | MESH},
             {"mass", BEAM | BLOCK | MESH},
             {"node_radius", BLOCK | MESH | SHELL},
             {"held_by", BLOCK | MESH | SHELL},
             {"held", BLOCK | MESH | NET | SHELL},
             {"cells", BLOCK | NET | SHELL},
             {"section", BEAM | RING | NET},
             {"shear", BEAM | RING | NET},
             {"ends", BEAM | CABLE},
             {"elements", BEAM | RING | CABLE},
             {"ring_radius", RING},
             {"file", MESH | SHELL},
             {"thickness", SHELL}};
  static const char *const names[] = {"beam", "block", "ring", "net", "mesh", "cable", "shell"};
  for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
    if (own[k].kinds >> f->k.kind & 1 || !flexible_given(f, own[k].key)) continue;
    char kinds[64] = "";
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
      if (own[k].kinds >> n & 1)
        snprintf(kinds + strlen(kinds), sizeof kinds - strlen(kinds), "%s%s", *kinds ? ", " : "",
                 names[n]);
    return scene_fault(&f->scene->doc, scene_place(&f->k.head, own[k].key),
                       "%s: a %s has none; kinds that do: %s", own[k].key, names[f->k.kind], kinds);
  }
  const bool beam = BEAM >> f->k.kind & 1;
  if (f->k.mass == (beam ? SCENE_MASS_CONSISTENT : SCENE_MASS_HIGH_ORDER))
    return scene_fault(&f->scene->doc, scene_place(&f->k.head, "mass"),
                       beam ? "mass: of a beam it is lumped or high-order"
                            : "mass: of tetrahedra it is lumped or consistent");
  return SCREE_OK;
}

/* Of the bodies; elements damp what inertia they have of their own. */
static scree_status add_drag(flexible *f, size_t first_body) {
  const double rate = f->k.rayleigh_mass;
  scree_status status = SCREE_OK;
  for (size_t k = first_body; k < f->scene->body_count && rate > 0.0 && !status; k++) {
    const uint32_t i = f->scene->bodies[k].index;
    scree_link_def d = scree_link_def_default();
    if (!world_is_dynamic(f->world, i)) continue;
    d.kind = SCREE_LINK_DRAG;
    d.body[0] = f->scene->bodies[k];
    d.damping = rate * f->world->bodies.mass[i];
    status = flexible_told(f, scree_world_add_link(f->world, &d, NULL));
  }
  return status;
}

scree_status scene_build_flexible(scree_scene *scene, scree_world *world, const scene_node *node) {
  flexible f = {.scene = scene, .world = world, .node = node};
  f.k = (scene_flexible_keys){.name = "",
                              .material = "",
                              .poisson = 0.3,
                              .elements = 10,
                              .order = 1,
                              .collide = true,
                              .axis = {0, 0, 1},
                              .file = "",
                              .scale = 1.0};
  scree_status status = scene_read(&scene->doc, &scene->scope, node, &scene_section_flexible, &f.k);
  if (!status) status = check_keys(&f);
  if (!status && *f.k.material)
    status =
        scene_find_material(scene, scene_place(&f.k.head, "material"), f.k.material, &f.material);
  if (status) return status;
  static scree_status (*const build[])(flexible *) = {
      build_beam,          flexible_build_block, flexible_build_ring, flexible_build_net,
      flexible_build_mesh, flexible_build_cable, flexible_build_shell};
  const size_t bodies = scene->body_count;
  status = build[f.k.kind](&f);
  return status ? status : add_drag(&f, bodies);
}

/* What a page must know of a scene: texts, materials, shapes, joints, names, tables. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/joints/joints.h"
#include "model/world.h"
#include "scene/build/build.h"
#include "shape/shape.h"
#include "view/view.h"

static void put_member(view_buffer *b, const char *name) {
  if (b->size && b->data && b->data[b->size - 1] != '{') view_put_u8(b, ',');
  view_put_text(b, name);
  view_put_u8(b, ':');
}

static void put_number_member(view_buffer *b, const char *name, double value) {
  put_member(b, name);
  view_put_number(b, value);
}

static void put_text_member(view_buffer *b, const char *name, const char *text) {
  put_member(b, name);
  view_put_text(b, text);
}

static void put_v3_member(view_buffer *b, const char *name, v3 x) {
  put_member(b, name);
  view_put_numbers(b, 3, (const double[]){x.x, x.y, x.z});
}

/* ---- shapes --------------------------------------------------------------------------------- */

static void put_vertices(view_buffer *b, const v3 *vertex, uint32_t count) {
  put_member(b, "vertices");
  view_put_u8(b, '[');
  for (uint32_t i = 0; i < count; i++) {
    if (i) view_put_u8(b, ',');
    view_put_number(b, vertex[i].x);
    view_put_u8(b, ',');
    view_put_number(b, vertex[i].y);
    view_put_u8(b, ',');
    view_put_number(b, vertex[i].z);
  }
  view_put_u8(b, ']');
}

static void put_index(view_buffer *b, bool first, uint32_t index) {
  char text[16];
  snprintf(text, sizeof text, "%s%u", first ? "" : ",", index);
  view_put_json(b, text);
}

static void put_hull(view_buffer *b, const polyhedron *h) {
  put_vertices(b, h->vertex, h->vertex_count);
  put_member(b, "triangles");
  view_put_u8(b, '[');
  bool first = true;
  for (uint32_t f = 0; f < h->face_count; f++)
    for (uint32_t k = h->face_start[f] + 2; k < h->face_start[f + 1]; k++) {
      put_index(b, first, h->face_vertex[h->face_start[f]]);
      put_index(b, false, h->face_vertex[k - 1]);
      put_index(b, false, h->face_vertex[k]);
      first = false;
    }
  view_put_u8(b, ']');
}

static void put_mesh(view_buffer *b, const shape_mesh *m) {
  put_vertices(b, m->vertex, m->vertex_count);
  put_member(b, "triangles");
  view_put_u8(b, '[');
  for (uint32_t i = 0; i < 3 * m->triangle_count; i++)
    put_index(b, i == 0, m->triangle[i / 3][i % 3]);
  view_put_u8(b, ']');
}

static void put_shape(view_buffer *b, const shape *s);

static void put_parts(view_buffer *b, const shape *s) {
  put_member(b, "parts");
  view_put_u8(b, '[');
  for (uint32_t i = 0; i < s->compound.count; i++) {
    const pose p = s->compound.part[i].place;
    if (i) view_put_u8(b, ',');
    view_put_json(b, "{");
    put_v3_member(b, "position", p.position);
    put_member(b, "rotation");
    view_put_numbers(b, 4,
                     (const double[]){p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z});
    put_member(b, "shape");
    put_shape(b, s->compound.part[i].shape);
    view_put_u8(b, '}');
  }
  view_put_u8(b, ']');
}

static void put_shape(view_buffer *b, const shape *s) {
  view_put_json(b, "{");
  put_text_member(b, "kind", scree_shape_kind_name(s->kind));
  switch (s->kind) {
  case SCREE_SHAPE_SPHERE:
    put_number_member(b, "radius", s->sphere.radius);
    break;
  case SCREE_SHAPE_ELLIPSOID:
    put_v3_member(b, "half", s->ellipsoid.radii);
    break;
  case SCREE_SHAPE_BOX:
    put_v3_member(b, "half", s->box.half);
    break;
  case SCREE_SHAPE_CAPSULE:
    put_v3_member(b, "half", (v3){s->capsule.radius, s->capsule.radius, s->capsule.half});
    break;
  case SCREE_SHAPE_CYLINDER:
    put_v3_member(b, "half", (v3){s->cylinder.radius, s->cylinder.radius, s->cylinder.half});
    break;
  case SCREE_SHAPE_CONE:
    put_number_member(b, "radius", s->cone.radius);
    put_number_member(b, "low", s->cone.bottom);
    put_number_member(b, "high", s->cone.top);
    break;
  case SCREE_SHAPE_HULL:
    put_hull(b, &s->hull);
    break;
  case SCREE_SHAPE_BOX_CONTAINER:
    put_v3_member(b, "half", s->box_container.half);
    put_number_member(b, "open", s->box_container.open);
    break;
  case SCREE_SHAPE_ROUND_CONTAINER:
    put_number_member(b, "bottom", s->round_container.bottom);
    put_number_member(b, "top", s->round_container.top);
    put_number_member(b, "length", s->round_container.half);
    put_number_member(b, "open", s->round_container.open);
    break;
  case SCREE_SHAPE_MESH:
    put_mesh(b, &s->mesh);
    break;
  case SCREE_SHAPE_COMPOUND:
    put_parts(b, s);
    break;
  default: /* a half-space has no sizes */
    break;
  }
  view_put_u8(b, '}');
}

size_t view_shape_count(const scree_world *world) {
  return world->shape_count;
}

void view_put_shapes(view_buffer *b, const scree_world *world, size_t first) {
  view_put_u8(b, VIEW_SHAPES);
  view_put_json(b, "{");
  put_number_member(b, "first", (double)first);
  put_member(b, "shapes");
  view_put_u8(b, '[');
  for (size_t i = first; i < world->shape_count; i++) {
    if (i > first) view_put_u8(b, ',');
    put_shape(b, world->shape[i]);
  }
  view_put_json(b, "]}");
}

/* ---- joints, names, materials --------------------------------------------------------------- */

/* As [[coordinate, kind of motor, value], unit]. */
static void put_motors(view_buffer *b, const joint *j) {
  static const char *const units[][2] = {{"m/s", "rad/s"}, {"N", "N m"}, {"m", "rad"}};
  bool first = true;
  put_member(b, "motors");
  view_put_u8(b, '[');
  for (int k = 0; k < scree_joint_kind_coordinates(j->kind) && k < SCREE_JOINT_COORDINATES; k++) {
    const joint_coordinate *c = &j->coordinate[k];
    if (c->motor < SCREE_MOTOR_SPEED || c->motor > SCREE_MOTOR_POSITION) continue;
    view_put_json(b, first ? "[" : ",[");
    first = false;
    view_put_numbers(b, 3, (const double[]){k, c->motor, c->motor_value});
    view_put_u8(b, ',');
    view_put_text(b, units[c->motor - SCREE_MOTOR_SPEED][scree_joint_kind_turns(j->kind, k)]);
    view_put_u8(b, ']');
  }
  view_put_u8(b, ']');
}

/* A place on a body as it is shown: a frame seen from the body, its principal axes, becomes one
 * seen from what frames of the run tell. The number of the body; VIEW_NONE: the world. */
static double shown_end(const scree_world *world, const view_cast *cast, uint32_t body,
                        pose *frame) {
  if (body == WORLD_NO_BODY) return VIEW_NONE;
  const scree_body_id id = {body, world->bodies.generation[body]};
  *frame = world_shown_frame(world, body, *frame);
  return (double)(int32_t)view_cast_find(cast, id);
}

static void put_joint(view_buffer *b, const scree_world *world, const view_cast *cast,
                      const joint *j, size_t index) {
  view_put_json(b, "{");
  put_number_member(b, "index", (double)index);
  put_text_member(b, "kind", scree_joint_kind_name(j->kind));
  put_motors(b, j);
  for (int k = 0; k < 2; k++) {
    pose place = j->frame[k];
    put_number_member(b, k ? "b" : "a", shown_end(world, cast, j->body[k], &place));
    put_v3_member(b, k ? "anchor_b" : "anchor_a", place.position);
    put_v3_member(b, k ? "axis_b" : "axis_a", quat_rotate(place.rotation, (v3){0, 0, 1}));
  }
  if (j->kind == SCREE_JOINT_PULLEY) {
    pose over[2] = {j->frame[FRAME_CA], j->frame[FRAME_CB]};
    put_number_member(b, "c", shown_end(world, cast, j->body[SIDE_C], &over[0]));
    shown_end(world, cast, j->body[SIDE_C], &over[1]);
    put_v3_member(b, "sheave_a", over[0].position);
    put_v3_member(b, "sheave_b", over[1].position);
  }
  view_put_u8(b, '}');
}

static void put_joints(view_buffer *b, const scree_world *world, const view_cast *cast) {
  bool first = true;
  put_member(b, "joints");
  view_put_u8(b, '[');
  for (size_t i = 0; i < world->joint_limit; i++) {
    if (!world->joint[i].alive) continue;
    if (!first) view_put_u8(b, ',');
    put_joint(b, world, cast, &world->joint[i], i);
    first = false;
  }
  view_put_u8(b, ']');
}

/* The linear tetrahedra that are shown of one link: of a quadratic one the four at its corners and
 * four about the line from its node 4 to node 8. */
static void put_solid(view_buffer *b, const scree_world *world, const view_cast *cast,
                      const world_link *l) {
  static const uint8_t parts[8][4] = {{0, 4, 6, 7}, {1, 5, 4, 9}, {2, 6, 5, 8}, {3, 7, 8, 9},
                                      {4, 8, 5, 6}, {4, 8, 6, 7}, {4, 8, 7, 9}, {4, 8, 9, 5}};
  const bool whole = l->body_count == 4;
  for (uint32_t k = 0; k < (whole ? 4u : 32u); k++) {
    pose place = pose_identity();
    if (k) view_put_u8(b, ',');
    view_put_number(b, shown_end(world, cast, l->body[whole ? k : parts[k / 4][k % 4]], &place));
  }
}

/* Springs, beams, cables and sides of shells as [body, x, y, z, body, x, y, z], the ends seen from
 * the bodies; tetrahedra as four bodies each, all in one list. */
static void put_links(view_buffer *b, const scree_world *world, const view_cast *cast) {
  for (int solid = 0; solid < 2; solid++) {
    bool first = true;
    put_member(b, solid ? "solids" : "links");
    view_put_u8(b, '[');
    for (size_t i = 0; i < world->link_limit; i++) {
      const world_link *l = &world->link[i];
      if (!l->alive || l->kind == SCREE_LINK_USER || l->kind == SCREE_LINK_DRAG ||
          (l->kind == SCREE_LINK_TETRAHEDRON) != solid)
        continue;
      if (!first) view_put_u8(b, ',');
      first = false;
      if (solid) {
        put_solid(b, world, cast, l);
        continue;
      }
      const int sides = l->kind == SCREE_LINK_SHELL ? 3 : 1;
      for (int side = 0; side < sides; side++) {
        double end[8];
        for (int k = 0; k < 2; k++) {
          const int at = (side + k) % 3;
          pose place = l->frame[at];
          const uint32_t body = l->body[l->kind == SCREE_LINK_CABLE ? 2 * k : at];
          end[4 * k] = shown_end(world, cast, body, &place);
          v3_store(end + 4 * k + 1, place.position);
        }
        if (side) view_put_u8(b, ',');
        view_put_numbers(b, 8, end);
      }
    }
    view_put_u8(b, ']');
  }
}

/* Entries of the scene as [name, place of the first body, how many]: places of one entry follow
 * each other where the world was built at once; where they do not, each has a row. */
static void put_names(view_buffer *b, const scree_scene *scene) {
  bool first = true;
  put_member(b, "names");
  view_put_u8(b, '[');
  for (size_t i = 0; i < scene->entry_count; i++) {
    const scene_entry *e = &scene->entries[i];
    for (size_t n = 0, run; n < e->count; n += run) {
      const scree_body_id *id = &scene->bodies[e->first + n];
      char numbers[96];
      for (run = 1; n + run < e->count && id[run].index == id->index + run; run++) continue;
      if (!first) view_put_u8(b, ',');
      first = false;
      view_put_u8(b, '[');
      view_put_text(b, *e->name ? e->name : "body");
      snprintf(numbers, sizeof numbers, ",%u,%zu,%zu,%zu]", id->index, run, n, e->count);
      view_put_json(b, numbers);
    }
  }
  view_put_u8(b, ']');
}

static void put_materials(view_buffer *b, const scree_scene *scene, const scree_world *world) {
  put_member(b, "materials");
  view_put_u8(b, '[');
  for (size_t i = 0; i < world->material_count; i++) {
    if (i) view_put_u8(b, ',');
    view_put_json(b, "{");
    put_text_member(b, "name", scree_scene_material_name(scene, (scree_material_id){(uint32_t)i}));
    put_number_member(b, "friction", world->material[i].friction);
    put_number_member(b, "restitution", world->material[i].restitution);
    view_put_u8(b, '}');
  }
  view_put_u8(b, ']');
}

/* Probes, and the bodies that they watch. */
static void put_probes(view_buffer *b, const scree_scene *scene, const view_cast *cast) {
  put_member(b, "probes");
  view_put_u8(b, '[');
  for (size_t i = 0; i < scree_scene_probe_count(scene); i++) {
    scree_probe_def probe;
    if (scree_scene_get_probe(scene, i, &probe)) probe = (scree_probe_def){.name = ""};
    if (i) view_put_u8(b, ',');
    view_put_json(b, "{");
    put_text_member(b, "name", probe.name);
    long number = VIEW_NONE;
    if (probe.body.generation) number = (long)(int32_t)view_cast_find(cast, probe.body);
    put_number_member(b, "body", (double)number);
    view_put_u8(b, '}');
  }
  view_put_u8(b, ']');
}

void view_put_header(view_buffer *b, const scree_scene *scene, const scree_world *world,
                     const view_cast *cast, const view_header *header) {
  const scree_scene_settings *s = scree_scene_get_settings(scene);
  view_put_u8(b, VIEW_HEADER);
  view_put_json(b, "{");
  put_number_member(b, "format", VIEW_FORMAT);
  put_text_member(b, "scree", scree_version());
  put_text_member(b, "mode", header->mode);
  put_text_member(b, "title", s->title);
  put_text_member(b, "description", s->description);
  put_text_member(b, "remark", header->remark ? header->remark : "");
  put_member(b, "changeable");
  view_put_json(b, header->changeable ? "true" : "false");
  put_number_member(b, "quantum", header->quantum);
  put_number_member(b, "step", s->step);
  put_number_member(b, "duration", s->duration);
  put_number_member(b, "tolerance", s->solver.tolerance_residual);
  double gravity[3];
  scree_world_get_gravity(world, gravity);
  put_v3_member(b, "gravity", v3_load(gravity));
  put_materials(b, scene, world);
  put_joints(b, world, cast);
  put_links(b, world, cast);
  put_names(b, scene);
  put_probes(b, scene, cast);
  view_put_u8(b, '}');
}

/* ---- tables --------------------------------------------------------------------------------- */

void view_put_table(view_buffer *b, const scree_view_table *t, size_t rows, unsigned largest) {
  const size_t kept = t->rows < rows ? t->rows : rows;
  view_put_u8(b, VIEW_TABLE);
  view_buffer names = {.context = b->context};
  view_put_json(&names, "{");
  put_text_member(&names, "name", t->name);
  put_number_member(&names, "rows", (double)kept);
  put_member(&names, "columns");
  view_put_u8(&names, '[');
  for (size_t k = 0; k < t->columns; k++) {
    view_put_json(&names, k ? ",[" : "[");
    view_put_text(&names, t->names[k]);
    view_put_u8(&names, ',');
    view_put_text(&names, t->units[k]);
    view_put_u8(&names, ']');
  }
  view_put_json(&names, "]}");
  if (names.status) b->status = names.status;
  view_put_u32(b, (uint32_t)names.size);
  view_put(b, names.data, names.size);
  view_buffer_clear(&names);
  for (size_t k = 0; k < t->columns; k++)
    for (size_t i = 0; i < kept; i++) {
      const size_t from = i * t->rows / kept, to = (i + 1) * t->rows / kept;
      double value = t->values[(to - 1) * t->columns + k];
      for (size_t n = from; k < 32 && largest >> k & 1U && n < to; n++)
        value = fmax(value, t->values[n * t->columns + k]);
      view_put_f32(b, value);
    }
}

static const char *const step_names[VIEW_STEP_COLUMNS] = {
    "time",    "contacts",  "iterations",   "residual", "penetration", "penetration_percent",
    "kinetic", "potential", "energy_error", "friction", "impacts",     "work"};
static const char *const step_units[VIEW_STEP_COLUMNS] = {"s", "",  "",  "",  "m", "%",
                                                          "J", "J", "J", "J", "J", "J"};

void view_step_row(const double s[SCREE_STEP_COLUMNS], double row[VIEW_STEP_COLUMNS]) {
  const double values[VIEW_STEP_COLUMNS] = {
      s[SCREE_STEP_time],
      s[SCREE_STEP_contacts],
      s[SCREE_STEP_iterations],
      s[SCREE_STEP_residual],
      s[SCREE_STEP_penetration],
      s[SCREE_STEP_penetration_percent],
      s[SCREE_STEP_kinetic_linear] + s[SCREE_STEP_kinetic_angular],
      s[SCREE_STEP_potential] + s[SCREE_STEP_pairwise],
      s[SCREE_STEP_energy_error],
      s[SCREE_STEP_friction],
      s[SCREE_STEP_impacts],
      s[SCREE_STEP_motors] + s[SCREE_STEP_motions] + s[SCREE_STEP_forces],
  };
  memcpy(row, values, sizeof values);
}

scree_view_table view_step_table(const double *values, size_t rows) {
  return (scree_view_table){"steps", VIEW_STEP_COLUMNS, rows, step_names, step_units, values};
}

/* Joints of a scene, and the schedule of their motors. Units of a coordinate's keys depend on
 * whether it is a turn or a slide, so that they are read here. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/build/build.h"

typedef struct coordinate_units {
  const char *q, *speed, *effort, *stiffness, *damping, *compliance, *coefficient;
} coordinate_units;

static const coordinate_units of_turn = {"rad",       "rad/s",     "N m", "N m/rad",
                                         "N m s/rad", "rad/(N m)", "m"};
static const coordinate_units of_slide = {"m", "m/s", "N", "N/m", "N s/m", "m/N", ""};

/* Stiffness and damping of a turn may be written without the radian. */
static scree_status read_one(scree_scene *scene, const scene_node *node, const char *what,
                             const char *unit, double *value) {
  if (!node) return SCREE_OK;
  const bool plain = node->kind == SCENE_SCALAR && !strstr(node->text, "rad");
  if (plain && strcmp(unit, of_turn.stiffness) == 0) unit = "N m";
  if (plain && strcmp(unit, of_turn.damping) == 0) unit = "N m s";
  if (strcmp(unit, of_turn.compliance) == 0) unit = plain ? "1/N m" : "rad/N m";
  return scene_number(&scene->doc, &scene->scope, node, what, unit, value);
}

static scree_status read_least(scree_scene *scene, const scene_node *node, const char *what,
                               const char *unit, double *value) {
  const scree_status status = read_one(scene, node, what, unit, value);
  if (status || !node || *value >= 0.0) return status;
  return scene_fault(&scene->doc, node, "%s: %g is out of range; it must be at least 0", what,
                     *value);
}

/* What the world refused becomes a fault of the scene, with its place. */
static scree_status refused(scree_scene *scene, const scene_node *at, scree_status status) {
  if (!status || status == SCREE_ERROR_MEMORY) return status;
  char why[CONTEXT_MESSAGE_SIZE];
  snprintf(why, sizeof why, "%s", scree_context_message(scene->context));
  return scene_fault(&scene->doc, at, "%s", why);
}

/* ---- motors --------------------------------------------------------------------------------- */

/* Is t a name in an expression? A parameter of that name hides the time. */
static bool depends_on_time(const scree_scene *scene, const scene_node *node) {
  if (node->kind != SCENE_SCALAR || !strstr(node->text, "${")) return false;
  for (size_t i = 0; i < scene->scope.count; i++)
    if (strcmp(scene->scope.variables[i].name, "t") == 0) return false;
  for (const char *c = node->text; *c; c++) {
    const bool before = c > node->text && (isalnum((unsigned char)c[-1]) || c[-1] == '_');
    const bool after = isalnum((unsigned char)c[1]) || c[1] == '_';
    if (*c == 't' && !before && !after) return true;
  }
  return false;
}

static scree_status read_table(scree_scene *scene, const scene_node *node, scene_drive *drive) {
  scree_status status =
      scene_read_rows(scene, &scene->scope, node, "table", "", 2, &drive->table, &drive->count);
  if (status) return status;
  if (drive->count < 2)
    return scene_fault(&scene->doc, node, "table: at least two rows [time, value] are expected");
  for (size_t i = 1; i < drive->count; i++)
    if (!(drive->table[2 * i - 2] < drive->table[2 * i]))
      return scene_fault(&scene->doc, node, "table: the times do not ascend at row %zu", i + 1);
  return SCREE_OK;
}

static scree_status read_told(scree_scene *scene, const scene_motor_keys *k, const char *unit,
                              scene_drive *drive) {
  const scene_node *value = k->value ? k->value : k->target;
  const int given = (k->value != NULL) + (k->target != NULL) + (k->table != NULL);
  drive->unit = unit;
  if (k->kind == 0) return SCREE_OK;
  if (given != 1)
    return scene_fault(&scene->doc, k->head.node,
                       "motor: one of value, target and table is expected");
  if (k->table) {
    const scree_status status = read_table(scene, k->table, drive);
    return status ? status : scene_drive_value(scene, drive, drive->at, &drive->motor.motor_value);
  }
  if (!depends_on_time(scene, value))
    return read_one(scene, value, "value", unit, &drive->motor.motor_value);
  drive->scope = scene_alloc(&scene->doc, sizeof *drive->scope);
  if (!drive->scope) return SCREE_ERROR_MEMORY;
  *drive->scope = scene->scope;
  drive->function = value;
  const scree_status status = scene_scope_add(&scene->doc, value, drive->scope, "t", 0.0);
  return status ? status : scene_drive_value(scene, drive, drive->at, &drive->motor.motor_value);
}

static scree_status read_motor(scree_scene *scene, const scene_node *node,
                               const coordinate_units *units, scene_drive *drive) {
  static const scree_motor_kind kinds[] = {SCREE_MOTOR_NONE, SCREE_MOTOR_SPEED, SCREE_MOTOR_TORQUE,
                                           SCREE_MOTOR_TORQUE, SCREE_MOTOR_POSITION};
  scene_motor_keys k = {0};
  scree_coordinate_def *m = &drive->motor;
  scree_status status = scene_read(&scene->doc, &scene->scope, node, &scene_section_motor, &k);
  if (status) return status;
  m->motor = kinds[k.kind];
  m->motor_limit = INFINITY;
  const char *unit = m->motor == SCREE_MOTOR_SPEED      ? units->speed
                     : m->motor == SCREE_MOTOR_POSITION ? units->q
                                                        : units->effort;
  status = read_told(scene, &k, unit, drive);
  if (!status) status = read_least(scene, k.limit, "limit", units->effort, &m->motor_limit);
  if (!status)
    status = read_least(scene, k.stiffness, "stiffness", units->stiffness, &m->motor_stiffness);
  if (!status) status = read_least(scene, k.damping, "damping", units->damping, &m->motor_damping);
  if (!status && k.limit && m->motor == SCREE_MOTOR_TORQUE)
    status = scene_fault(&scene->doc, k.limit, "limit: a torque or force motor needs none");
  if (!status && k.stiffness && m->motor != SCREE_MOTOR_POSITION)
    status = scene_fault(&scene->doc, k.stiffness, "stiffness: of a position motor alone");
  return status;
}

static scree_status add_drive(scree_scene *scene, const scene_drive *drive) {
  const scree_status status =
      memory_grow(scene->context, &scene->drives, scene->drive_count + 1, sizeof *scene->drives);
  if (!status) scene->drives[scene->drive_count++] = *drive;
  return status;
}

/* ---- coordinates ---------------------------------------------------------------------------- */

static scree_status read_limits(scree_scene *scene, const scene_node *list, const char *unit,
                                double *limits) {
  if (!list) return SCREE_OK;
  if (list->kind != SCENE_LIST || list->count != 2)
    return scene_fault(&scene->doc, list, "limits: a list [low, high] is expected");
  for (int k = 0; k < 2; k++) {
    const scene_node *one = list->items[k];
    const char *text = one->kind == SCENE_SCALAR ? one->text : "";
    const char *ends[2][2] = {{"-.inf", "-inf"}, {".inf", "inf"}};
    if (strcmp(text, ends[k][0]) == 0 || strcmp(text, ends[k][1]) == 0) continue;
    const scree_status status = read_one(scene, one, "limits", unit, &limits[k]);
    if (status) return status;
  }
  if (limits[0] <= limits[1]) return SCREE_OK;
  return scene_fault(&scene->doc, list, "limits: %g is above %g; [low, high] is expected",
                     limits[0], limits[1]);
}

static scree_status read_spring(scree_scene *scene, const scene_node *node,
                                const coordinate_units *units, scree_coordinate_def *c) {
  if (!node) return SCREE_OK;
  scene_spring_keys k = {0};
  scree_status status = scene_read(&scene->doc, &scene->scope, node, &scene_section_spring, &k);
  if (!status)
    status = read_least(scene, k.stiffness, "stiffness", units->stiffness, &c->stiffness);
  return status ? status : read_one(scene, k.rest, "rest", units->q, &c->rest);
}

static scree_status read_coordinate(scree_scene *scene, const scene_coordinate_keys *k,
                                    scree_joint_kind kind, int index, scree_coordinate_def *c,
                                    scene_drive *drive) {
  const bool turn = scree_joint_kind_turns(kind, index);
  const coordinate_units *units = turn ? &of_turn : &of_slide;
  scree_status status = read_limits(scene, k->limits, units->q, c->limits);
  c->limit_restitution = k->limit_restitution;
  if (!status)
    status = read_least(scene, k->limit_compliance, "limit_compliance", units->compliance,
                        &c->limit_compliance);
  if (!status) status = read_one(scene, k->start, "start", units->q, &c->start);
  if (!status) status = read_least(scene, k->friction, "friction", units->effort, &c->friction);
  if (!status)
    status = read_least(scene, k->friction_coefficient, "friction_coefficient", units->coefficient,
                        &c->friction_coefficient);
  if (!status)
    status = read_least(scene, k->armature, "armature", turn ? "kg m^2" : "kg", &c->armature);
  if (!status && kind != SCREE_JOINT_BUSHING)
    status = read_least(scene, k->damping, "damping", units->damping, &c->damping);
  if (!status) status = read_spring(scene, k->spring, units, c);
  if (status || !k->motor) return status;
  if (index >= scree_joint_kind_coordinates(kind) || (index == 0 && kind == SCREE_JOINT_BALL))
    return scene_fault(&scene->doc, k->motor, "motor: a %s has nothing there that it could drive",
                       scree_joint_kind_name(kind));
  drive->coordinate = index;
  status = read_motor(scene, k->motor, units, drive);
  c->motor = drive->motor.motor;
  c->motor_value = drive->motor.motor_value;
  c->motor_limit = drive->motor.motor_limit;
  c->motor_stiffness = drive->motor.motor_stiffness;
  c->motor_damping = drive->motor.motor_damping;
  return status;
}

enum { FRAME_WORLD, FRAME_BODIES };

/* ---- joints --------------------------------------------------------------------------------- */

static scree_status joint_bodies(scree_scene *scene, const scene_node *list, scree_joint_def *def) {
  scree_body_id *const side[3] = {&def->body_a, &def->body_b, &def->body_c};
  if (list->kind != SCENE_LIST || list->count < 2 || list->count > 3)
    return scene_fault(&scene->doc, list, "bodies: a list of two names is expected");
  for (size_t i = 0; i < list->count; i++) {
    const char *name;
    scree_status status = scene_text(&scene->doc, &scene->scope, list->items[i], "bodies", &name);
    if (status) return status;
    if (strcmp(name, "world") == 0) continue;
    size_t first, count;
    status = scene_find_bodies(scene, list->items[i], name, true, &first, &count);
    if (status) return status;
    *side[i] = scene->bodies[first];
  }
  return SCREE_OK;
}

static scree_status read_six(scree_scene *scene, const scene_node *list, const char *what,
                             double *out) {
  if (!list) return SCREE_OK;
  const scree_status status = scene_vector(&scene->doc, &scene->scope, list, what, "", 6, out);
  for (int k = 0; k < 6 && !status; k++)
    if (!(out[k] >= 0.0))
      return scene_fault(&scene->doc, list, "%s: %g is out of range; it must be at least 0", what,
                         out[k]);
  return status;
}

static scree_status read_points(scree_scene *scene, scree_world *world, const scene_joint_keys *k,
                                scree_joint_def *def) {
  scree_curve_def curve = {.dimension = def->kind == SCREE_JOINT_CAM ? 2 : 3, .closed = k->closed};
  double *rows;
  scree_status status = scene_read_rows(scene, &scene->scope, k->points, "points", "",
                                        curve.dimension, &rows, &curve.count);
  if (status) return status;
  for (size_t i = 0; i < curve.count && curve.dimension == 3; i++)
    scene_move_point(scene, rows + 3 * i);
  curve.points = rows;
  return refused(scene, k->points, scree_world_add_curve(world, &curve, &def->curve));
}

static scree_status read_sheaves(scree_scene *scene, const scene_node *node, scree_joint_def *def) {
  double *rows;
  size_t count;
  const scree_status status =
      scene_read_rows(scene, &scene->scope, node, "sheaves", "m", 3, &rows, &count);
  if (status) return status;
  if (count != 2) return scene_fault(&scene->doc, node, "sheaves: two points are expected");
  scene_move_point(scene, rows);
  scene_move_point(scene, rows + 3);
  memcpy(def->sheave, rows, sizeof def->sheave);
  memcpy(def->sheave_b, rows + 3, sizeof def->sheave_b);
  return SCREE_OK;
}

/* Keys that the kind has no use for are faults: they would be dropped in silence. */
static scree_status check_keys(scree_scene *scene, const scene_joint_keys *k,
                               scree_joint_kind kind) {
  const bool paired = kind == SCREE_JOINT_GEAR || kind == SCREE_JOINT_DIFFERENTIAL;
  const bool curve = kind == SCREE_JOINT_CAM || kind == SCREE_JOINT_POINT_ON_CURVE;
  const struct {
    const char *key;
    bool used, needed;
  } rules[] = {
      {"anchor", true, !paired && !curve && kind != SCREE_JOINT_RACK_PINION},
      {"sheaves", kind == SCREE_JOINT_PULLEY, true},
      {"pitch", kind == SCREE_JOINT_SCREW, true},
      {"points", curve, true},
      {"closed", curve, false},
      {"stiffness", kind == SCREE_JOINT_BUSHING, true},
      {"ratio",
       kind == SCREE_JOINT_GEAR || kind == SCREE_JOINT_RACK_PINION || kind == SCREE_JOINT_PULLEY ||
           kind == SCREE_JOINT_LEVER,
       kind == SCREE_JOINT_RACK_PINION || kind == SCREE_JOINT_GEAR || kind == SCREE_JOINT_LEVER},
      {"length",
       kind == SCREE_JOINT_DISTANCE || kind == SCREE_JOINT_ROPE || kind == SCREE_JOINT_PULLEY,
       false},
      {"anchor_b",
       kind == SCREE_JOINT_DISTANCE || kind == SCREE_JOINT_ROPE || kind == SCREE_JOINT_STRUT ||
           kind == SCREE_JOINT_PULLEY || kind == SCREE_JOINT_POINT_ON_CURVE ||
           kind == SCREE_JOINT_RACK_PINION || kind == SCREE_JOINT_CAM ||
           kind == SCREE_JOINT_LEVER || k->frame == FRAME_BODIES,
       kind == SCREE_JOINT_POINT_ON_CURVE},
  };
  const char *name = scree_joint_kind_name(kind);
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    const bool given = scene_given(&k->head, &scene_section_joint, rules[i].key);
    if (given && !rules[i].used)
      return scene_fault(&scene->doc, scene_place(&k->head, rules[i].key),
                         "%s: a %s has no use for it", rules[i].key, name);
    if (!given && rules[i].used && rules[i].needed)
      return scene_fault(&scene->doc, k->head.node, "joint: key '%s' of a %s is missing",
                         rules[i].key, name);
  }
  return SCREE_OK;
}

static bool is_given(const scene_joint_keys *k, const char *key) {
  return scene_given(&k->head, &scene_section_joint, key);
}

/* A point and a direction in the frame of a body, as the scene gives it, to the world. */
static void to_world(const scree_scene *scene, const scree_world *world, scree_body_id body,
                     double *point, double *direction) {
  scree_body_state s;
  if (body.generation == 0 || scree_body_get_state(world, body, &s)) {
    scene_move_point(scene, point);
    scene_turn_vector(scene, direction);
    return;
  }
  const pose p = {v3_load(s.position),
                  {s.rotation[0], s.rotation[1], s.rotation[2], s.rotation[3]}};
  v3_store(point, pose_apply(p, v3_load(point)));
  v3_store(direction, quat_rotate(p.rotation, v3_load(direction)));
}

static void place_in_bodies(const scree_scene *scene, const scree_world *world,
                            const scene_joint_keys *k, scree_joint_def *def) {
  def->apart = true;
  memcpy(def->anchor, k->anchor, sizeof def->anchor);
  memcpy(def->axis, k->axis, sizeof def->axis);
  memcpy(def->anchor_b, k->anchor_b, sizeof def->anchor_b);
  memcpy(def->axis_b, is_given(k, "axis_b") ? k->axis_b : k->axis, sizeof def->axis_b);
  to_world(scene, world, def->body_a, def->anchor, def->axis);
  to_world(scene, world, def->body_b, def->anchor_b, def->axis_b);
}

static void place_in_world(const scree_scene *scene, const scene_joint_keys *k,
                           scree_joint_def *def) {
  memcpy(def->anchor, k->anchor, sizeof def->anchor);
  memcpy(def->axis, k->axis, sizeof def->axis);
  memcpy(def->axis_b, k->axis_b, sizeof def->axis_b);
  scene_move_point(scene, def->anchor);
  scene_turn_vector(scene, def->axis);
  scene_turn_vector(scene, def->axis_b);
  if (!is_given(k, "anchor_b")) return;
  memcpy(def->anchor_b, k->anchor_b, sizeof def->anchor_b);
  scene_move_point(scene, def->anchor_b);
}

/* `frame: bodies` is for kinds that have one frame on each of two bodies. */
static scree_status check_frame(scree_scene *scene, const scene_joint_keys *k,
                                scree_joint_kind kind) {
  if (k->frame != FRAME_BODIES) return SCREE_OK;
  static const scree_joint_kind others[] = {SCREE_JOINT_GEAR,         SCREE_JOINT_RACK_PINION,
                                            SCREE_JOINT_DIFFERENTIAL, SCREE_JOINT_PULLEY,
                                            SCREE_JOINT_CAM,          SCREE_JOINT_LEVER,
                                            SCREE_JOINT_BUSHING,      SCREE_JOINT_POINT_ON_CURVE};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (kind == others[i])
      return scene_fault(&scene->doc, scene_place(&k->head, "frame"),
                         "frame: a %s is given in the world", scree_joint_kind_name(kind));
  if (!is_given(k, "anchor_b"))
    return scene_fault(&scene->doc, k->head.node,
                       "joint: key 'anchor_b' is missing: where it is on the second body");
  return SCREE_OK;
}

static scree_status read_joint(scree_scene *scene, scree_world *world, const scene_joint_keys *k,
                               scree_joint_def *def, scene_drive *drives) {
  def->ratio = k->ratio;
  def->pitch = k->pitch;
  def->length = k->length;
  def->compliance = k->compliance;
  def->break_force = k->break_force;
  def->break_torque = k->break_torque;
  def->collide = k->collide;
  scree_status status = joint_bodies(scene, k->bodies, def);
  if (status) return status;
  if (k->frame == FRAME_BODIES)
    place_in_bodies(scene, world, k, def);
  else
    place_in_world(scene, k, def);
  if (def->kind == SCREE_JOINT_DISTANCE && is_given(k, "length")) def->apart = true;
  if (!status)
    status = read_coordinate(scene, &k->first, def->kind, 0, &def->coordinate[0], drives);
  const scene_node *more[2] = {k->second, k->third};
  for (int i = 0; i < 2 && !status; i++) {
    scene_coordinate_keys keys = {0};
    if (!more[i]) continue;
    status = scene_read(&scene->doc, &scene->scope, more[i], &scene_section_coordinate, &keys);
    if (!status)
      status =
          read_coordinate(scene, &keys, def->kind, i + 1, &def->coordinate[i + 1], drives + i + 1);
  }
  if (!status && k->sheaves) status = read_sheaves(scene, k->sheaves, def);
  if (!status && k->points) status = read_points(scene, world, k, def);
  if (!status) status = read_six(scene, k->stiffness, "stiffness", def->stiffness);
  if (!status && def->kind == SCREE_JOINT_BUSHING)
    status = read_six(scene, k->first.damping, "damping", def->damping);
  return status;
}

/* By the name of a kind, in the order of the choices. */
static scree_joint_kind kind_of(int choice) {
  const scene_field *field = scene_section_find(&scene_section_joint, "kind");
  char name[64];
  scene_choice_name(field->choices, choice, name, sizeof name);
  for (int k = 0; k < SCREE_JOINT_KIND_COUNT; k++)
    if (strcmp(scree_joint_kind_name((scree_joint_kind)k), name) == 0) return (scree_joint_kind)k;
  return SCREE_JOINT_KIND_COUNT;
}

scree_status scene_build_joint(scree_scene *scene, scree_world *world, const scene_node *node) {
  scene_joint_keys k = {.name = "",
                        .axis = {0, 0, 1},
                        .ratio = 1.0,
                        .length = NAN,
                        .break_force = INFINITY,
                        .break_torque = INFINITY};
  scree_status status = scene_read(&scene->doc, &scene->scope, node, &scene_section_joint, &k);
  if (status) return status;
  scree_joint_def def = scree_joint_def_default();
  scene_drive drives[SCREE_JOINT_COORDINATES];
  memset(drives, 0, sizeof drives);
  def.kind = kind_of(k.kind);
  status = check_keys(scene, &k, def.kind);
  if (!status) status = check_frame(scene, &k, def.kind);
  if (!status) status = read_joint(scene, world, &k, &def, drives);
  if (status) return status;
  if (memory_grow(scene->context, &scene->joints, scene->joint_count + 1, sizeof *scene->joints))
    return SCREE_ERROR_MEMORY;
  scree_joint_id id;
  status = refused(scene, node, scree_world_add_joint(world, &def, &id));
  if (status) return status;
  scene->apart = scene->apart || def.apart;
  scene->joints[scene->joint_count++] =
      (scene_joint){scene_own_name(scene, k.name), node, def.kind, id};
  for (int i = 0; i < SCREE_JOINT_COORDINATES && !status; i++) {
    if (drives[i].motor.motor == SCREE_MOTOR_NONE) continue;
    drives[i].joint = id;
    drives[i].until = INFINITY;
    status = add_drive(scene, &drives[i]);
  }
  return status;
}

/* Bodies are moved to where joints hold that were not given in one place of the world. */
scree_status scene_fit_joints(scree_scene *scene, scree_world *world) {
  scree_fit fit;
  if (!scene->apart) return SCREE_OK;
  const scree_status status = scree_world_assemble(world, &fit);
  const scene_node *at = NULL;
  for (size_t i = 0; i < scene->joint_count; i++)
    if (scene->joints[i].id.index == fit.worst.index) at = scene->joints[i].node;
  if (!at) return status;
  if (status) return refused(scene, at, status);
  if (!fit.closed)
    return scene_fault(&scene->doc, at,
                       "joint: the loop does not close: %.3g m are left at this joint, however the "
                       "bodies are moved from where the scene has them; check lengths and anchors, "
                       "or begin nearer",
                       fit.misfit);
  scene->fit = fit;
  return SCREE_OK;
}

/* ---- names and the schedule ----------------------------------------------------------------- */

/* NAME, or NAME[i]. */
static bool has_joint(const scree_scene *scene, const char *name) {
  const char *bracket = strrchr(name, '[');
  const size_t length = bracket && bracket != name ? (size_t)(bracket - name) : strlen(name);
  for (size_t i = 0; i < scene->joint_count; i++)
    if (strlen(scene->joints[i].name) == length && length &&
        strncmp(scene->joints[i].name, name, length) == 0)
      return true;
  return false;
}

const scene_joint *scene_find_joint(scree_scene *scene, const scene_node *at, const char *name) {
  const scene_joint *found = NULL;
  name = scene_meant_name(scene, name, has_joint);
  size_t count = 0, length = strlen(name), index = SIZE_MAX;
  const char *bracket = strrchr(name, '[');
  char *end;
  if (bracket && bracket != name) {
    index = strtoul(bracket + 1, &end, 10);
    if (end != bracket + 1 && strcmp(end, "]") == 0)
      length = (size_t)(bracket - name);
    else
      index = SIZE_MAX;
  }
  const char *names[64];
  size_t known = 0;
  for (size_t i = 0; i < scene->joint_count; i++) {
    const scene_joint *j = &scene->joints[i];
    if (*j->name && known < 64 && (!known || strcmp(names[known - 1], j->name) != 0))
      names[known++] = j->name;
    if (!*j->name || strlen(j->name) != length || strncmp(j->name, name, length) != 0) continue;
    if (index == SIZE_MAX || count == index) found = j;
    count++;
  }
  if (found && index == SIZE_MAX && count > 1) {
    scene_fault(&scene->doc, at, "%zu joints have the name '%s'; name one, from %s[0] to %s[%zu]",
                count, name, name, name, count - 1);
    return NULL;
  }
  char buffer[256];
  if (!found)
    scene_fault(&scene->doc, at, "there is no joint '%s'%s", name,
                scene_suggest(name, names, known, buffer, sizeof buffer));
  return found;
}

static scree_status read_schedule(scree_scene *scene, scree_world *world, const scene_node *node) {
  scene_schedule_keys k = {.coordinate = 1};
  scree_status status = scene_read(&scene->doc, &scene->scope, node, &scene_section_schedule, &k);
  if (status) return status;
  const scene_joint *joint = scene_find_joint(scene, scene_place(&k.head, "joint"), k.joint);
  if (!joint) return SCREE_ERROR_INPUT;
  const int c = (int)k.coordinate - 1;
  if (c >= scree_joint_kind_coordinates(joint->kind))
    return scene_fault(&scene->doc, scene_place(&k.head, "coordinate"), "coordinate: a %s has %d",
                       scree_joint_kind_name(joint->kind),
                       scree_joint_kind_coordinates(joint->kind));
  scene_drive drive = {.joint = joint->id, .coordinate = c, .at = k.at, .until = INFINITY};
  const bool turn = scree_joint_kind_turns(joint->kind, c);
  status = read_motor(scene, k.motor, turn ? &of_turn : &of_slide, &drive);
  /* What the joint would refuse is refused now; its own motor is put back, unless this one holds
   * from the start. */
  scree_coordinate_def before = {.motor_limit = INFINITY};
  for (size_t i = 0; i < scene->drive_count; i++) {
    scene_drive *d = &scene->drives[i];
    if (d->joint.index != drive.joint.index || d->coordinate != c) continue;
    if (d->at == 0.0) before = d->motor;
    if (d->at < drive.at)
      d->until = fmin(d->until, drive.at);
    else if (d->at == drive.at)
      d->until = d->at;
    else
      drive.until = fmin(drive.until, d->at);
  }
  if (status) return status;
  status =
      refused(scene, node, scree_joint_set_coordinate_motor(world, drive.joint, c, &drive.motor));
  if (status) return status;
  if (drive.at > 0.0) status = scree_joint_set_coordinate_motor(world, drive.joint, c, &before);
  return status ? status : add_drive(scene, &drive);
}

scree_status scene_read_started(scree_scene *scene, const scene_node *at, const char *name,
                                long coordinate, const scene_node *motor, scene_drive *drive) {
  const scene_joint *joint = scene_find_joint(scene, at, name);
  if (!joint) return SCREE_ERROR_INPUT;
  const int c = (int)coordinate - 1;
  if (c >= scree_joint_kind_coordinates(joint->kind))
    return scene_fault(&scene->doc, at, "coordinate: a %s has %d",
                       scree_joint_kind_name(joint->kind),
                       scree_joint_kind_coordinates(joint->kind));
  *drive = (scene_drive){.joint = joint->id, .coordinate = c, .until = INFINITY};
  const scree_status status = read_motor(
      scene, motor, scree_joint_kind_turns(joint->kind, c) ? &of_turn : &of_slide, drive);
  if (!status && (drive->function || drive->table))
    return scene_fault(&scene->doc, motor,
                       "motor: an event starts one with a constant value; functions of time and "
                       "tables are for `joints` and `schedule`");
  return status;
}

scree_status scene_build_schedule(scree_scene *scene, scree_world *world) {
  const scene_node *list = scene->top.schedule;
  scree_status status = SCREE_OK;
  for (size_t i = 0; list && i < list->count; i++) {
    scene_enter(scene, list->items[i]->part);
    const scree_status one = read_schedule(scene, world, list->items[i]);
    if (one) status = one;
  }
  return status;
}

void scene_clear_joints(scree_scene *scene) {
  memory_free(scene->context, scene->joints);
  memory_free(scene->context, scene->drives);
  scene->joints = NULL;
  scene->drives = NULL;
  scene->apart = false;
  scene->joint_count = scene->drive_count = 0;
}

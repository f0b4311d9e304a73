/* The keys of scene files: one table a section serves reading, checking, messages, the reference
 * page and the JSON Schema. Values land in the structures below; a section inside a section lands
 * as its node and is read when its turn comes. */
#ifndef SCREE_SCENE_READ_KEYS_H
#define SCREE_SCENE_READ_KEYS_H

#include "scene/read/value.h"
#include "scree/model.h"

typedef enum scene_type {
  SCENE_REAL,
  SCENE_WHOLE,
  SCENE_BOOL,
  SCENE_TEXT,
  SCENE_CHOICE,   /* int: index in `choices` */
  SCENE_VECTOR,   /* double[length] */
  SCENE_ROTATION, /* node: [w,x,y,z], {axis, angle} or random */
  SCENE_SECTION,  /* node: a map by `section` */
  SCENE_SECTIONS, /* node: a list of them */
  SCENE_NAMED,    /* node: a map from names to them */
  SCENE_ANY       /* node: read by code */
} scene_type;

typedef struct scene_section scene_section;

typedef struct scene_field {
  const char *key;
  const char *former; /* the key's name before 0.2, which is still read; null: none */
  scene_type type;
  bool required;
  size_t offset;
  const char *unit;
  double minimum, maximum;
  bool open; /* the minimum itself is not allowed */
  int length;
  const char *choices; /* "one|two" */
  const scene_section *section;
  const char *help;
} scene_field;

struct scene_section {
  const char *name;
  const char *help;
  const scene_field *fields;
  size_t count;
  bool one_of; /* exactly one of the keys is given */
};

/* Every structure that is read begins with this. */
typedef struct scene_head {
  const scene_node *node;
  uint64_t given; /* bit i: field i of the table was given */
} scene_head;

extern const scene_section scene_section_scene, scene_section_periodic, scene_section_solver,
    scene_section_stepper, scene_section_flexible, scene_section_material, scene_section_pair,
    scene_section_shape, scene_section_sphere, scene_section_ellipsoid, scene_section_box,
    scene_section_capsule, scene_section_cylinder, scene_section_cone, scene_section_hull,
    scene_section_half_space, scene_section_box_container, scene_section_cylinder_container,
    scene_section_cone_container, scene_section_mesh, scene_section_height_field,
    scene_section_compound, scene_section_part, scene_section_body, scene_section_lattice,
    scene_section_belt, scene_section_random, scene_section_csv, scene_section_sizes,
    scene_section_class, scene_section_region, scene_section_region_box,
    scene_section_region_cylinder, scene_section_motion, scene_section_constant, scene_section_sine,
    scene_section_table, scene_section_path, scene_section_event, scene_section_assembly,
    scene_section_exclude, scene_section_joint, scene_section_coordinate, scene_section_spring,
    scene_section_motor, scene_section_schedule, scene_section_force, scene_section_field,
    scene_section_fluid, scene_section_emitter, scene_section_drain, scene_section_probe,
    scene_section_recording, scene_section_turn;
/* All of them, in the order of the reference page. */
extern const scene_section *const scene_section_list[];
extern const size_t scene_section_list_count;

/* The field of a key, by its present name. */
const scene_field *scene_section_find(const scene_section *section, const char *key);
/* The present name of a key that may be a former one; `key` itself otherwise. section may be null:
 * unknown. */
const char *scene_present_key(const scene_section *section, const char *key);
/* Former keys of a scene's tree, in the sections that are maps of the scene itself, get their
 * present names, so that what follows knows only these. */
scree_status scene_rename_former(scene_document *doc, scene_node *root,
                                 const scene_section *section);
/* The name of option `index` of "one|two", in `buffer`. */
const char *scene_choice_name(const char *choices, int index, char *buffer, size_t size);

typedef struct scene_top {
  scene_head head;
  const char *title, *description;
  const scene_node *include, *parameters;
  double gravity[3], gravitational_constant, coulomb_constant, pairwise_theta, step, duration,
      overlap;
  const scene_node *periodic, *solver, *stepper, *flexible, *materials, *pairs, *shapes, *bodies,
      *exclude, *assemblies, *joints, *schedule, *forces, *fields, *fluids, *emitters, *drains,
      *events, *probes, *recording;
  const char *from;
} scene_top;

typedef struct scene_periodic_keys {
  scene_head head;
  scree_periodic_def def;
} scene_periodic_keys;

typedef struct scene_solver_keys {
  scene_head head;
  const scene_node *options;
  scree_stepper_def def;
} scene_solver_keys;

typedef struct scene_stepper_keys {
  scene_head head;
  const char *name;
  const scene_node *options;
} scene_stepper_keys;

enum { SCENE_MASS_LUMPED, SCENE_MASS_CONSISTENT, SCENE_MASS_HIGH_ORDER };
typedef struct scene_flexible_keys {
  scene_head head;
  const char *name, *material, *file;
  int kind;
  const scene_node *ends, *held, *held_by, *loop;
  double start[3], end[3], up[3], section[2];
  double lower[3], upper[3], cells[3], center[3], axis[3], velocity[3], angular[3];
  double young, poisson, density, radius, rayleigh, rayleigh_mass, node_radius, ring_radius, scale;
  double thickness;
  long elements, order;
  int law, mass;
  bool shear, collide;
} scene_flexible_keys;

typedef struct scene_material_keys {
  scene_head head;
  const scene_node *between; /* pairs only */
  scree_material_def def;
} scene_material_keys;

typedef struct scene_shape_keys { /* of all kinds of shapes */
  scene_head head;
  double radius, half_length, height, bottom_radius, top_radius;
  double vector[3];
  const scene_node *points, *parts, *shape, *rotation;
  const char *file;
  double scale, stretch[3], position[3];
  bool convex;
  int open_ends;
  const scene_node *heights;
  double spacing[2], thickness;
} scene_shape_keys;

typedef struct scene_body_keys {
  scene_head head;
  const char *name, *material;
  int kind;
  const scene_node *shape, *rotation, *motion, *loop, *lattice, *random, *csv, *belt, *sizes;
  double position[3], velocity[3], angular[3], density, mass, inertia[6], center[3], charge;
  long category, collides_with;
} scene_body_keys;

typedef struct scene_generator_keys { /* lattice, random, csv, sizes, regions */
  scene_head head;
  long number, seed, attempts, frame;
  double origin[3], pitch[3], count[3], gap;
  double jitter[3], lower[3], upper[3], center[3], radius, height;
  const char *file;
  const scene_node *region, *classes, *box, *cylinder;
  double uniform[2], lognormal[2], truncate[2];
} scene_generator_keys;

typedef struct scene_belt_keys {
  scene_head head;
  long number;
  const scene_node *wheels;
  double height, friction, damping;
  const char *pin;
} scene_belt_keys;

typedef struct scene_class_keys {
  scene_head head;
  double scale, weight;
  long number;
  const char *material;
} scene_class_keys;

typedef struct scene_motion_keys {
  scene_head head;
  double velocity[3], angular[3], amplitude[3], swing[3], frequency, phase;
  const scene_node *times, *displacements, *rotations;
  bool repeat;
} scene_motion_keys;

typedef struct scene_assembly_keys {
  scene_head head;
  const char *file, *name, *keyframe;
  const scene_node *rotation, *set, *loop;
  double position[3], density;
  bool allow_unsupported, fixed_base, self_collide;
  int meshes;
} scene_assembly_keys;

typedef struct scene_exclude_keys {
  scene_head head;
  const scene_node *bodies, *loop;
} scene_exclude_keys;

typedef struct scene_coordinate_keys { /* units depend on the joint */
  scene_head head;
  const scene_node *limits, *limit_compliance, *start, *friction, *friction_coefficient, *armature,
      *damping, *spring, *motor;
  double limit_restitution;
} scene_coordinate_keys;

typedef struct scene_joint_keys {
  scene_head head;
  const char *name;
  int kind, frame;
  const scene_node *bodies, *loop, *sheaves, *points, *second, *third, *stiffness;
  double anchor[3], anchor_b[3], axis[3], axis_b[3], ratio, pitch, length, compliance, break_force,
      break_torque;
  scene_coordinate_keys first;
  bool closed, collide;
} scene_joint_keys;

typedef struct scene_spring_keys {
  scene_head head;
  const scene_node *stiffness, *rest;
} scene_spring_keys;

typedef struct scene_motor_keys {
  scene_head head;
  int kind;
  const scene_node *value, *target, *table, *limit, *stiffness, *damping;
} scene_motor_keys;

typedef struct scene_schedule_keys {
  scene_head head;
  double at;
  const char *joint;
  long coordinate;
  const scene_node *motor;
} scene_schedule_keys;

typedef struct scene_event_keys { /* forces, emitters, drains */
  scene_head head;
  const char *name, *body_name;
  double force[3], torque[3], start, stop, rate;
  const scene_node *body, *region;
  long number, seed;
  double lower[3], upper[3];
} scene_event_keys;

typedef struct scene_field_keys {
  scene_head head;
  const char *body_name;
  const scene_node *force, *acceleration, *electric, *magnetic;
  double start, stop;
} scene_field_keys;

typedef struct scene_fluid_keys {
  scene_head head;
  const char *body_name;
  double density, viscosity, drag_coefficient, velocity[3], level, start, stop;
} scene_fluid_keys;

typedef struct scene_action_keys { /* events */
  scene_head head;
  const char *name, *body, *joint;
  double at, after, gravity[3], shear_rate, stretch_rate[3];
  const scene_node *when, *remove, *motor;
  long coordinate;
  bool end;
} scene_action_keys;

/* Bytes of the name of a probe, which checkpoints keep. */
enum { SCENE_PROBE_NAME = 95 };

typedef struct scene_probe_keys {
  scene_head head;
  const char *name, *body_name, *joint;
  int kind, form;
  double every, point[3], normal[3], lower[3], upper[3], cell;
} scene_probe_keys;

typedef struct scene_recording_keys {
  scene_head head;
  scree_recording_settings def;
} scene_recording_keys;

typedef struct scene_turn_keys {
  scene_head head;
  double axis[3], angle;
} scene_turn_keys;

/* Reads a map by its table into `out` (a structure above, holding the defaults). Goes on after a
 * fault to find further ones; then SCREE_ERROR_INPUT. */
scree_status scene_read(scene_document *doc, const scene_scope *scope, const scene_node *node,
                        const scene_section *section, void *out);
static inline bool scene_given(const scene_head *head, const scene_section *section,
                               const char *key) {
  const scene_field *field = scene_section_find(section, key);
  return field && (head->given >> (field - section->fields) & 1);
}
/* The node of a given key, for messages; the section's own when it was not given. */
const scene_node *scene_place(const scene_head *head, const char *key);
/* The values of `keys`, a structure above, as a JSON object by its table: numbers, texts, choices
 * and flags; what is not given and has no default is null. Fills at most `size` bytes, with an
 * ending zero, and returns the length. */
size_t scene_section_json(const scene_section *section, const void *keys, char *buffer,
                          size_t size);
/* A list of exactly `length` numbers. */
scree_status scene_vector(scene_document *doc, const scene_scope *scope, const scene_node *node,
                          const char *what, const char *unit, int length, double *out);
/* A quaternion of unit length; `random` is set for the word random (null: not allowed). */
scree_status scene_rotation(scene_document *doc, const scene_scope *scope, const scene_node *node,
                            double out[4], bool *random);

#endif

/* Inside the scene: what was read, and what was built from it. */
#ifndef SCREE_SCENE_BUILD_BUILD_H
#define SCREE_SCENE_BUILD_BUILD_H

#include "math/pose.h"
#include "scene/build/random.h"
#include "scene/flow/near.h"
#include "scene/read/keys.h"

/* Bodies of one name that came from one entry of `bodies`, for names and messages. */
typedef struct scene_entry {
  const char *name; /* "" when none */
  const scene_node *node;
  size_t first, count; /* in the table of ids */
} scene_entry;

typedef struct scene_named_shape {
  const char *name;
  const scene_node *node;
  scree_shape *shape;
} scene_named_shape;

typedef struct scene_named_material {
  const char *name;
  scree_material_id id;
} scene_named_material;

/* Sizes of many bodies: nothing, an even or a lognormal spread, or classes. */
typedef struct scene_spread {
  enum { SPREAD_NONE, SPREAD_UNIFORM, SPREAD_LOGNORMAL, SPREAD_CLASSES } kind;
  double a, b;
  size_t count;
  double *scale, *upto; /* of classes; upto: shares summed, the last is 1 */
} scene_spread;

enum { TEMPLATE_CACHE = 16 };

/* A body as an entry describes it, before its place and size. */
typedef struct scene_template {
  scene_body_keys keys;
  scree_body_def def;
  bool random_rotation;
  scene_spread spread;
  struct {
    double scale;
    scree_shape *shape;
  } cache[TEMPLATE_CACHE];
  size_t cached;
} scene_template;

typedef struct scene_region {
  bool round;
  double lower[3], upper[3]; /* of the box, or of the box around the cylinder */
  double center[2], radius;  /* of the cylinder */
} scene_region;

enum { EMITTER_PALETTE = 64 };

typedef struct scene_emitter {
  scene_event_keys keys;
  scene_template body;
  scene_region region;
  scree_shape *palette[EMITTER_PALETTE]; /* equally likely; all shapes that it will use */
  /* What a checkpoint keeps: */
  scene_random random;
  uint64_t emitted;
  double carry; /* bodies that are due */
} scene_emitter;

typedef struct scene_force {
  scene_event_keys keys;
  size_t first, count;                    /* of the bodies */
  const scene_node *timed, *timed_torque; /* functions of time; null: none */
  size_t part;                            /* the assembly that it came with */
} scene_force;

/* A joint of the scene, for names; several of one name are those of a loop, NAME[i]. */
typedef struct scene_joint {
  const char *name; /* "" when none */
  const scene_node *node;
  scree_joint_kind kind;
  scree_joint_id id;
} scene_joint;

/* A motor of a joint from a time on. Its value may be a function of time: an expression
 * with t among the variables of its place in the scene, or a table. */
typedef struct scene_drive {
  scree_joint_id joint;
  int coordinate;
  double at, until; /* s */
  scree_coordinate_def motor;
  const scene_node *function; /* null: none */
  const char *unit;           /* of its values */
  scene_scope *scope;
  double *table; /* times and values; null: none */
  size_t count;
  bool hidden; /* an event has given the joint another motor */
} scene_drive;

typedef struct scene_field_def {
  scene_field_keys keys;
  scene_scope scope;   /* of its place in the scene */
  size_t first, count; /* of the bodies; count 0: all */
} scene_field_def;

typedef struct scene_fluid {
  scene_fluid_keys keys;
  size_t first, count; /* of the bodies; count 0: all */
} scene_fluid;

/* Something that happens once; see flow/action.c. */
typedef struct scene_action {
  scene_action_keys keys;
  scree_body_id body;  /* of the condition */
  scene_drive drive;   /* the motor that it starts */
  bool has_body, done; /* done is kept in a checkpoint */
} scene_action;

typedef struct scene_probe {
  scene_probe_keys keys;
  scree_joint_id joint;
  scree_body_id body;
  const scree_body_id *bodies; /* null: all */
  size_t body_count;
} scene_probe;

/* An assembly in the scene: where it stands, what its names begin with, its own parameters. */
typedef struct scene_part {
  const char *prefix; /* "" or "left.wheel." */
  pose place;
  scene_scope scope;
  uint32_t file;
} scene_part;

/* The balls around all bodies of one filter that `random` has placed, in the world's coordinates.
 */
typedef struct scene_scattered {
  uint32_t category, collides_with;
  near_list list;
} scene_scattered;

struct scree_scene {
  scree_context *context;
  scene_document doc;
  scene_node *root;
  scene_top top;
  scene_scope scope;
  scree_scene_settings settings;
  scene_part **parts; /* [0]: the scene itself; in the document's memory */
  size_t part_count, part_room;
  size_t part;   /* that is being built: `scope` is its */
  bool apart;    /* some joint is to be put together first */
  scree_fit fit; /* how that went */

  scene_named_shape *shapes;
  size_t shape_count;
  int shape_depth;
  size_t turns; /* of all loops */
  scene_named_material *materials;
  size_t material_count;
  const scene_node *user_law; /* where the first law of the user's own is named; null: none */
  scene_entry *entries;
  size_t entry_count;
  scene_scattered *scattered; /* while it is built */
  size_t scattered_count;
  scree_periodic_def periodic;
  scree_body_id *bodies;
  size_t body_count;
  scene_joint *joints;
  size_t joint_count;
  scene_drive *drives;
  size_t drive_count;
  scene_force *forces;
  size_t force_count;
  scene_fluid *fluids;
  size_t fluid_count;
  scene_emitter *emitters;
  size_t emitter_count;
  size_t emitting; /* 1 + the emitter that was stopped before the step; 0: none. sim keeps it */
  scene_event_keys *drains;
  size_t drain_count;
  scene_field_def *fields;
  size_t field_count;
  scene_action *actions;
  size_t action_count;
  scene_probe *probes;
  size_t probe_count;
  scree_scene_flow flow;
};

/* assembly.c: puts the entries of all assemblies into the lists of the scene. */
scree_status scene_expand(scree_scene *scene);
/* build/material.c */
scree_status scene_build_materials(scree_scene *scene, scree_world *world);
scree_status scene_build_pairs(scree_scene *scene, scree_world *world);
/* settings.c: fills scene->settings from scene->top and its sections. */
scree_status scene_read_settings(scree_scene *scene);
/* scene.c: the tree of a file with all that it includes. */
scree_status scene_read_root(scree_scene *scene, uint32_t file, int depth,
                             const scree_import_def *def, scene_node **root);
/* What follows belongs to the assembly of this entry: its parameters, place and names. */
void scene_enter(scree_scene *scene, size_t part);
/* A name that the assembly gives, with its prefix. "" stays. */
const char *scene_own_name(scree_scene *scene, const char *name);
/* The name that is meant: that of the assembly, else of the one around it, … */
typedef bool scene_name_test(const scree_scene *scene, const char *name);
const char *scene_meant_name(scree_scene *scene, const char *name, scene_name_test *exists);
/* The material of that name, else a fault at `place`. */
scree_status scene_find_material(scree_scene *scene, const scene_node *place, const char *name,
                                 scree_material_id *id);
/* Transform from the frame of the assembly to that of the world. */
void scene_move_point(const scree_scene *scene, double x[3]);
void scene_turn_vector(const scree_scene *scene, double x[3]);
void scene_turn_rotation(const scree_scene *scene, double q[4]);     /* of a body */
void scene_turn_displacement(const scree_scene *scene, double q[4]); /* of a motion */

/* build/shape.c: a new shape, all its lengths times `scale`; destroy it after use. */
scree_status scene_make_shape(scree_scene *scene, const scene_scope *scope, const scene_node *node,
                              double scale, scree_shape **shape);
/* A list of `count` rows of `length` numbers each; *rows is in the document's memory. */
scree_status scene_read_rows(scree_scene *scene, const scene_scope *scope, const scene_node *node,
                             const char *what, const char *unit, int length, double **rows,
                             size_t *count);

/* read/template.c */
scree_status scene_read_template(scree_scene *scene, const scene_scope *scope, scree_world *world,
                                 const scene_node *node, scene_template *t);
void scene_clear_template(scene_template *t);
/* The shape at a size, kept by the template while it has room for it: *owned says that the caller
 * must destroy it. */
scree_status scene_template_shape(scree_scene *scene, const scene_scope *scope, scene_template *t,
                                  double scale, scree_shape **shape, bool *owned);
double scene_spread_draw(const scene_spread *spread, double u);
scree_status scene_read_region(scree_scene *scene, const scene_scope *scope, const scene_node *node,
                               scene_region *region);
/* Adds a body to the world and to the current entry. */
scree_status scene_add_body(scree_scene *scene, scree_world *world, const scree_body_def *def,
                            const scene_node *at);

/* Asks the caller whether the building is to end: SCREE_ERROR_STOPPED. */
scree_status scene_look(scree_scene *scene);
/* A fault at `at` when so many bodies cannot fit into the memory that there is. */
scree_status scene_expect(scree_scene *scene, const scene_node *at, const char *what,
                          double bodies);

/* build/body.c: calls `build` once, or once per turn of the entry's `for`, with its variables. */
typedef scree_status scene_build_function(scree_scene *scene, scree_world *world,
                                          const scene_node *node);
scree_status scene_build_loop(scree_scene *scene, scree_world *world, const scene_node *node,
                              scene_build_function *build);
/* One entry of `bodies`, which may be many bodies. */
scree_status scene_build_entry(scree_scene *scene, scree_world *world, const scene_node *node);
/* build/flexible.c: one entry of `flexible`. */
scree_status scene_build_flexible(scree_scene *scene, scree_world *world, const scene_node *node);
/* build/periodic.c: the box into the world's definition; and, when all bodies are there, whether
 * they go with it, and the mean flow. */
scree_status scene_read_periodic(scree_scene *scene, scree_world_def *def);
scree_status scene_start_periodic(scree_scene *scene, scree_world *world);
/* build/exclude.c: bodies that do not touch each other */
scree_status scene_build_excludes(scree_scene *scene, scree_world *world);
/* build/csv.c */
scree_status scene_build_csv(scree_scene *scene, scree_world *world, const scene_scope *scope,
                             scene_template *t);
/* build/belt.c: shoes around wheels, and their hinges. */
scree_status scene_build_belt(scree_scene *scene, scree_world *world, const scene_scope *scope,
                              scene_template *t);
/* build/place.c: bodies at random places without overlap. */
scree_status scene_build_random(scree_scene *scene, scree_world *world, const scene_scope *scope,
                                scene_template *t);
/* A place in the region for a ball of radius r; false: the region is too small for it. */
bool scene_region_draw(const scene_region *region, scene_random *random, double r, double out[3]);
/* build/joint.c: an entry of `joints`, then what the schedule says of them. */
scree_status scene_build_joint(scree_scene *scene, scree_world *world, const scene_node *node);
scree_status scene_fit_joints(scree_scene *scene, scree_world *world);
scree_status scene_build_schedule(scree_scene *scene, scree_world *world);
/* The one joint of a name, or NAME[i]; a fault at `at` when there is none or are several. */
const scene_joint *scene_find_joint(scree_scene *scene, const scene_node *at, const char *name);
/* A motor that an event gives to a joint; constant values only. */
scree_status scene_read_started(scree_scene *scene, const scene_node *at, const char *joint,
                                long coordinate, const scene_node *motor, scene_drive *drive);
void scene_clear_joints(scree_scene *scene);
/* flow/drive.c: motors that change as time goes by. What a function or table says at a time. */
scree_status scene_drive_value(scree_scene *scene, const scene_drive *drive, double time,
                               double *value);
scree_status scene_drive_motors(scree_scene *scene, scree_world *world, double h);
/* flow/event.c: forces, emitters, drains, probes */
scree_status scene_build_events(scree_scene *scene, scree_world *world);
void scene_clear_events(scree_scene *scene);
/* query.c: `from` is FILE or FILE@TIME; time NaN: the last frame. */
void scene_split_from(const char *from, char *path, size_t size, double *time);
/* The same file beside the scene, where it is sought next; false: there is no such place. */
bool scene_place_from(const scree_scene *scene, const char *path, char *beside, size_t size);

/* flow/timed.c: the scope with the time t as its last variable; where a parameter has that name the
 * scope as it is, and expressions do not depend on time. */
void scene_timed_scope(const scene_scope *scope, double t, scene_scope *out);
bool scene_is_timed(const scene_scope *scope, const scene_node *node);
/* The motion of a path; its memory is the document's. */
scree_status scene_read_path(scree_scene *scene, const scene_scope *scope,
                             const scene_motion_keys *keys, scree_motion_def *def);
/* flow/action.c: events. `check` asks the conditions once, for faults. */
scree_status scene_read_action(scree_scene *scene, scree_world *world, const scene_node *node,
                               size_t i);
scree_status scene_check_actions(scree_scene *scene, const scree_world *world);
scree_status scene_act(scree_scene *scene, scree_world *world);
/* Finds which motors of the scene are replaced, from the actions that were carried out. */
void scene_hide_drives(scree_scene *scene);
/* The bodies of a name, or NAME[i], one of them; a fault at `at` when there are none, when two
 * entries have that name, or with `one` when they are several. */
scree_status scene_find_bodies(scree_scene *scene, const scene_node *at, const char *name, bool one,
                               size_t *first, size_t *count);
/* The same without a message: how many bodies have the name; in *entries how many entries. */
size_t scene_match_bodies(const scree_scene *scene, const char *name, size_t *entries,
                          size_t *first);

/* flow/fluid.c */
/* flow/field.c */
scree_status scene_read_field(scree_scene *scene, scree_world *world, const scene_node *node,
                              size_t i);
scree_status scene_push_fields(scree_scene *scene, scree_world *world, double h);
scree_status scene_push_fluids(scree_scene *scene, scree_world *world, double h);

#endif

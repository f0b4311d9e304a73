/* Inside the scene: what was read, and what was built from it. */
#ifndef SCREE_SCENE_BUILD_BUILD_H
#define SCREE_SCENE_BUILD_BUILD_H

#include "scene/build/random.h"
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
  size_t first, count; /* of the bodies */
} scene_force;

/* A joint of the scene, for names; several of one name are those of a loop, NAME[i]. */
typedef struct scene_joint {
  const char *name; /* "" when none */
  scree_joint_kind kind;
  scree_joint_id id;
} scene_joint;

/* A motor of a joint from a time on. What it is told may be a function of time: an expression with
 * t among the variables of its place in the scene, or a table. */
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
} scene_drive;

typedef struct scene_fluid {
  scene_fluid_keys keys;
  size_t first, count; /* of the bodies; count 0: all */
} scene_fluid;

typedef struct scene_probe {
  scene_probe_keys keys;
  scree_joint_id joint;
  scree_body_id body;
  const scree_body_id *bodies; /* null: all */
  size_t body_count;
} scene_probe;

struct scree_scene {
  scree_context *context;
  scene_document doc;
  scene_node *root;
  scene_top top;
  scene_scope scope;
  scree_scene_settings settings;

  scene_named_shape *shapes;
  size_t shape_count;
  int shape_depth;
  size_t turns; /* of all loops */
  scene_named_material *materials;
  size_t material_count;
  scene_entry *entries;
  size_t entry_count, entry_room;
  scree_body_id *bodies;
  size_t body_count, body_room;
  scene_joint *joints;
  size_t joint_count, joint_room;
  scene_drive *drives;
  size_t drive_count, drive_room;
  scene_force *forces;
  size_t force_count;
  scene_fluid *fluids;
  size_t fluid_count;
  scene_emitter *emitters;
  size_t emitter_count;
  scene_event_keys *drains;
  size_t drain_count;
  scene_probe *probes;
  size_t probe_count;
  scree_scene_flow flow;
};

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

/* build/body.c: calls `build` once, or once a turn of the entry's `for`, with its variables. */
typedef scree_status scene_build_function(scree_scene *scene, scree_world *world,
                                          const scene_node *node);
scree_status scene_build_loop(scree_scene *scene, scree_world *world, const scene_node *node,
                              scene_build_function *build);
/* One entry of `bodies`, which may be many bodies. */
scree_status scene_build_entry(scree_scene *scene, scree_world *world, const scene_node *node);
/* build/exclude.c: bodies that do not touch each other */
scree_status scene_build_excludes(scree_scene *scene, scree_world *world);
/* build/csv.c */
scree_status scene_build_csv(scree_scene *scene, scree_world *world, const scene_scope *scope,
                             scene_template *t);
/* build/place.c: bodies at random places without overlap. */
scree_status scene_build_random(scree_scene *scene, scree_world *world, const scene_scope *scope,
                                scene_template *t);
/* A place in the region for a ball of radius r; false: the region is too small for it. */
bool scene_region_draw(const scene_region *region, scene_random *random, double r, double out[3]);
/* build/joint.c: an entry of `joints`, then what the schedule says of them. */
scree_status scene_build_joint(scree_scene *scene, scree_world *world, const scene_node *node);
scree_status scene_build_schedule(scree_scene *scene, scree_world *world);
/* The one joint of a name, or NAME[i]; a fault at `at` when there is none or are several. */
const scene_joint *scene_find_joint(scree_scene *scene, const scene_node *at, const char *name);
void scene_clear_joints(scree_scene *scene);
/* flow/drive.c: motors that change as time goes by. What a function or table says at a time. */
scree_status scene_drive_value(scree_scene *scene, const scene_drive *drive, double time,
                               double *value);
scree_status scene_drive_motors(scree_scene *scene, scree_world *world, double h);
/* flow/event.c: forces, emitters, drains, probes */
scree_status scene_build_events(scree_scene *scene, scree_world *world);
void scene_clear_events(scree_scene *scene);
/* The bodies of a name, or NAME[i], one of them; a fault at `at` when there are none, when two
 * entries have that name, or with `one` when they are several. */
scree_status scene_find_bodies(scree_scene *scene, const scene_node *at, const char *name, bool one,
                               size_t *first, size_t *count);
/* The same without a message: how many bodies have the name; in *entries how many entries. */
size_t scene_match_bodies(const scree_scene *scene, const char *name, size_t *entries,
                          size_t *first);

/* flow/fluid.c */
scree_status scene_push_fluids(scree_scene *scene, scree_world *world, double h);

#endif

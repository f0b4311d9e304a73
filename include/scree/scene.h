/* Scree, scene: a world and how to run it, from a file in YAML or JSON.
 *
 *   scree_scene *scene;   scree_scene_load(context, "drum.yaml", NULL, &scene);
 *   scree_world *world;   scree_scene_build(scene, &world);
 *
 * docs/scenes.md describes the keys, docs/scene.schema.json is their JSON Schema. A fault in a
 * scene is reported as "file:line:column: what is wrong; what is allowed". */
#ifndef SCREE_SCENE_H
#define SCREE_SCENE_H

#include "scree/joint.h"
#include "scree/stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_scene scree_scene;

/* Called for every fault found, up to a limit; the first one is also the context's message. */
typedef void (*scree_report_function)(void *user, const char *message);

typedef struct scree_scene_def {
  uint32_t cookie; /* set by scree_scene_def_default */
  /* Changes before the scene is read, each "a.b.0.c=value"; the words walk through maps and lists.
   * A parameter may be given by its name alone. */
  size_t set_count;
  const char *const *sets;
  scree_report_function report;
  void *report_user;
  /* Only files in the folder of the scene, or below it, may be named by it: no other path, and none
   * that leads out by .. or a symbolic link; 64 MiB each at most. For scenes from strangers. */
  bool confined;
  /* Called for remarks that are no faults: what of a robot's file was left out. */
  scree_report_function note;
  void *note_user;
} scree_scene_def;

SCREE_API scree_scene_def scree_scene_def_default(void);
/* def null: the default. SCREE_ERROR_INPUT: faults in the scene; SCREE_ERROR_IO: no such file. */
SCREE_API scree_status scree_scene_load(scree_context *context, const char *path,
                                        const scree_scene_def *def, scree_scene **scene);
/* The same from text; `name` stands in messages, and other files are sought beside it. */
SCREE_API scree_status scree_scene_load_text(scree_context *context, const char *name,
                                             const char *text, size_t size,
                                             const scree_scene_def *def, scree_scene **scene);
SCREE_API void scree_scene_destroy(scree_scene *scene);
SCREE_API scree_context *scree_scene_context(const scree_scene *scene);

/* The files that the scene was read from so far (the scene itself first; meshes and CSV files after
 * build) and the changes, so that a recording can hold everything that the run depends on. */
SCREE_API size_t scree_scene_file_count(const scree_scene *scene);
SCREE_API const char *scree_scene_file_path(const scree_scene *scene, size_t i);
SCREE_API const char *scree_scene_file_bytes(const scree_scene *scene, size_t i, size_t *size);
/* Is `path` one of these files, by whatever name, or the recording that the scene begins from
 * (`from`)? What says true must not be written to. */
SCREE_API bool scree_scene_reads(const scree_scene *scene, const char *path);
SCREE_API size_t scree_scene_set_count(const scree_scene *scene);
SCREE_API const char *scree_scene_set_text(const scree_scene *scene, size_t i);
/* A scene from such files: the disk is not read, now or when it is built. */
SCREE_API scree_status scree_scene_load_files(scree_context *context, size_t file_count,
                                              const char *const *paths, const char *const *bytes,
                                              const size_t *sizes, const scree_scene_def *def,
                                              scree_scene **scene);

/* Builds the world anew: materials, bodies, joints, motions. The scene must outlive the world, and
 * has one world at a time. */
SCREE_API scree_status scree_scene_build(scree_scene *scene, scree_world **world);

/* ---- what a scene says -------------------------------------------------------------------- */

/* What a recording keeps; the keys of the section `recording`. */
typedef struct scree_recording_settings {
  double every;      /* simulated s between frames; default 1/60 */
  bool contacts;     /* contact forces in the frames; default true */
  double checkpoint; /* s of wall time between checkpoints; default 10 */
} scree_recording_settings;

typedef struct scree_option_list {
  size_t count;
  const char *const *keys, *const *values;
} scree_option_list;

/* How a scene is run. Every member has the name of its key in the scene file and in what
 * `scree info --json` prints. */
typedef struct scree_scene_settings {
  const char *title;       /* "" when none */
  const char *description; /* "" */
  double step;             /* s */
  double duration;         /* s */
  const char *from;        /* a recording to begin from, FILE or FILE@TIME; "" when none */
  double overlap;          /* overlap allowed at the start, as a fraction of the smaller diameter */
  /* The section `solver`, ready for scree_stepper_create: its keys have the names of the members,
   * but for `name`, which is the member `solver`. */
  scree_stepper_def solver;
  bool model_given;          /* false: coulomb, or relaxed where the named solver has no other */
  scree_option_list options; /* of the solver, for scree_stepper_set_solver */
  scree_option_list stepper_options;  /* of the stepper, for scree_stepper_set */
  scree_recording_settings recording; /* the section `recording` */
} scree_scene_settings;

SCREE_API const scree_scene_settings *scree_scene_get_settings(const scree_scene *scene);
/* A section of these settings ("solver" or "recording") as a JSON object, by the table of keys that
 * the reader uses. Returns the length; fills at most `size` bytes, with an ending zero. 0: there is
 * no such section. */
SCREE_API size_t scree_scene_settings_json(const scree_scene *scene, const char *section,
                                           char *buffer, size_t size);

typedef enum scree_probe_kind {
  SCREE_PROBE_BODY,    /* a body's state */
  SCREE_PROBE_FORCE,   /* force and torque of the contacts on a body, as on a wall */
  SCREE_PROBE_PLANE,   /* mass and bodies through a plane */
  SCREE_PROBE_ENERGY,  /* energies */
  SCREE_PROBE_GROUP,   /* mass, centre of mass, mean velocity and extent of many bodies */
  SCREE_PROBE_SURFACE, /* height and slope of the surface of many bodies */
  SCREE_PROBE_JOINT,   /* coordinate, motor, force and error of a joint */
  SCREE_PROBE_STRESS,  /* mean stress and fabric of the bodies in a box */
  SCREE_PROBE_REGION,  /* how much of a box is solid, and its bulk density */
  SCREE_PROBE_KIND_COUNT
} scree_probe_kind;

typedef enum scree_probe_form { SCREE_PROBE_FORM_PLANE, SCREE_PROBE_FORM_CONE } scree_probe_form;

typedef struct scree_probe_def {
  const char *name;
  scree_probe_kind kind;
  scree_body_id body;
  scree_joint_id joint;        /* joint */
  const scree_body_id *bodies; /* group, surface: of these, in the scene's memory; null: of all */
  size_t body_count;
  double lower[3], upper[3];  /* group, surface: of those in this box only; stress */
  scree_probe_form form;      /* surface: what is fitted; the point is the cone's axis and base */
  double cell;                /* surface: m; 0: twice the mean diameter */
  double every;               /* s; 0: every step */
  double point[3], normal[3]; /* plane: what crosses along the normal counts positive */
} scree_probe_def;

SCREE_API size_t scree_scene_probe_count(const scree_scene *scene);
/* After build. */
SCREE_API scree_status scree_scene_get_probe(const scree_scene *scene, size_t i,
                                             scree_probe_def *probe);
/* The name of a material in the scene's `materials`; "default" for the one that has none. After
 * build. */
SCREE_API const char *scree_scene_material_name(const scree_scene *scene,
                                                scree_material_id material);
/* A body by its name, the first of several, or NAME[i], one of them; the null id when there is
 * none. After build. */
SCREE_API scree_body_id scree_scene_find_body(const scree_scene *scene, const char *name);
/* A joint by its name, the first of several; the null id when there is none. After build. */
SCREE_API scree_joint_id scree_scene_find_joint(const scree_scene *scene, const char *name);
/* "file:line:column: 'name'" of a body that was built, for messages. */
SCREE_API void scree_scene_describe_body(const scree_scene *scene, scree_body_id body, char *buffer,
                                         size_t size);

/* How the bodies of joints with `frame: bodies` were put together; false: there are none. */
SCREE_API bool scree_scene_get_fit(const scree_scene *scene, scree_fit *fit);
/* As describe_body, of a joint. */
SCREE_API void scree_scene_describe_joint(const scree_scene *scene, scree_joint_id joint,
                                          char *buffer, size_t size);

/* Forces, emitters and drains act as time goes by. `before` is called before each step, `after`
 * after it; both are deterministic. The state of emitters is a part of a checkpoint. Where `before`
 * was stopped (SCREE_ERROR_STOPPED) some bodies are there already: call it once more, and it goes
 * on as if it had not been; save the scene after that. With h = 0 it gives the forces as they are
 * now, for an equilibrium or for modes. */
SCREE_API scree_status scree_scene_before_step(scree_scene *scene, scree_world *world, double h);
SCREE_API scree_status scree_scene_after_step(scree_scene *scene, scree_world *world);
SCREE_API size_t scree_scene_save_size(const scree_scene *scene);
SCREE_API scree_status scree_scene_save(const scree_scene *scene, void *blob, size_t size);
SCREE_API scree_status scree_scene_restore(scree_scene *scene, const void *blob, size_t size);
/* Has an event of the scene ended the run? */
SCREE_API bool scree_scene_has_ended(const scree_scene *scene);
typedef struct scree_scene_flow {
  size_t emitted, drained;           /* bodies so far */
  double emitted_mass, drained_mass; /* kg */
} scree_scene_flow;
SCREE_API scree_scene_flow scree_scene_get_flow(const scree_scene *scene);

/* The JSON Schema of scene files, and their reference page in Markdown, written from the tables
 * that the reader uses. Returns the length; fills at most `size` bytes, with an ending zero. */
SCREE_API size_t scree_scene_schema(char *buffer, size_t size);
SCREE_API size_t scree_scene_reference(char *buffer, size_t size);

/* ---- robots --------------------------------------------------------------------------------- */

typedef enum scree_import_meshes {
  SCREE_IMPORT_MESHES_BY_FORMAT, /* URDF: their triangles; MJCF: their hulls, as its engine does */
  SCREE_IMPORT_HULLS,
  SCREE_IMPORT_EXACT
} scree_import_meshes;

/* How a robot in URDF or MJCF becomes a scene (docs/robots.md). */
typedef struct scree_import_def {
  uint32_t cookie; /* set by scree_import_def_default */
  /* What Scree does not have and what changes the motion is a fault; true: it is left out. */
  bool allow_unsupported;
  bool fixed_base;   /* URDF: the root link is fixed in the world */
  bool self_collide; /* URDF: links of the robot touch each other; MJCF: they always do */
  double density;    /* kg/m^3 of links without mass in URDF; 0: that is a fault where they move */
  scree_import_meshes meshes;
  const char *keyframe; /* MJCF: name or number of the one to begin with; null: none */
  bool confined;        /* as of scree_scene_def */
  /* Called for every fault, or for every remark on what was left out: "file:line:column: …". */
  scree_report_function report;
  void *report_user;
} scree_import_def;

typedef struct scree_import_summary {
  size_t bodies, joints;     /* of the robot; what is fixed to another body is one with it */
  size_t parts;              /* bodies of the scene: with those between joints, and fixed ones */
  size_t degrees_of_freedom; /* of the tree, without loops */
  double mass;               /* kg, of what moves */
  size_t notes, losses;      /* what was left out; losses change the motion */
} scree_import_summary;

SCREE_API scree_import_def scree_import_def_default(void);
/* The text of a scene from a robot's file, handed to `write`. Paths of meshes are seen from the
 * robot's folder; `folder` is put before them (null: nothing). def and summary may be null. */
SCREE_API scree_status scree_scene_import(scree_context *context, const char *path,
                                          const scree_import_def *def, const char *folder,
                                          scree_write_function write, void *user,
                                          scree_import_summary *summary);

/* The units that a number of a scene may have: the name of the index-th, its value in SI and the
 * unit of that, as "kg m s^-2" for N. Null after the last. */
enum { SCREE_UNIT_TEXT = 40 };
SCREE_API const char *scree_scene_unit(size_t index, double *factor, char si[SCREE_UNIT_TEXT]);

/* The gallery of scenes, sought in the directory SCREE_SCENES (environment), beside the program and
 * where systems install. find gives the path of NAME.yaml, list calls for each of them. */
SCREE_API scree_status scree_scene_find(scree_context *context, const char *name, char *path,
                                        size_t size);
typedef void (*scree_scene_visit)(void *user, const char *name, const char *title);
SCREE_API scree_status scree_scene_list(scree_context *context, scree_scene_visit visit,
                                        void *user);

#ifdef __cplusplus
}
#endif
#endif

/* A robot between its file (URDF, MJCF) and the scene that it becomes.
 *
 * Readers fill the lists below: a tree of bodies, each with its place in its parent, its joints in
 * their order and its geoms. Then robot_scene makes of it the tree of a scene file (scene_node),
 * whose nodes carry the places of the elements that they come from: a fault that is found while the
 * scene is built still points into the robot's file.
 *
 * What is not taken over is reported by robot_lose (it changes how the robot moves: an error unless
 * the user allows it) or robot_note (it does not, or only tunes another engine's numerics). */
#ifndef SCREE_SCENE_IMPORT_ROBOT_H
#define SCREE_SCENE_IMPORT_ROBOT_H

#include "math/pose.h"
#include "scene/import/xml.h"
#include "scree/scene.h"

typedef enum robot_geom_kind {
  ROBOT_SPHERE,    /* size: radius */
  ROBOT_ELLIPSOID, /* radii */
  ROBOT_BOX,       /* half edges */
  ROBOT_CAPSULE,   /* radius, half length between the centres */
  ROBOT_CYLINDER,  /* radius, half length */
  ROBOT_PLANE,     /* z <= 0 */
  ROBOT_HULL,      /* of `points` */
  ROBOT_MESH,      /* of the file `path` */
  ROBOT_FIELD      /* heights */
} robot_geom_kind;

typedef struct robot_geom {
  const char *name;
  const xml_element *at;
  robot_geom_kind kind;
  double size[3];
  pose place;       /* in its body */
  const char *path; /* mesh, seen from the folder of the file that names it */
  uint32_t path_file;
  v3 stretch;  /* of the mesh's coordinates */
  pose shift;  /* of the stretched mesh */
  bool convex; /* mesh: its hull */
  bool weighs_as_hull;
  bool counts;    /* its program counts volumes otherwise (mass.c) */
  double counted; /* m3, of all pyramids of a mesh */
  double *points;
  size_t point_count, columns, rows; /* of a field: its heights are `points` */
  double spacing[2], thickness;
  bool solid;           /* it can be touched */
  bool weighed;         /* it counts for a mass that comes from geoms */
  double mass, density; /* mass below 0: by density */
  size_t surface;
  uint32_t meets_as, meets; /* MJCF's contype and conaffinity */
} robot_geom;

typedef enum robot_joint_kind {
  ROBOT_HINGE,
  ROBOT_SLIDE,
  ROBOT_BALL,
  ROBOT_PLANAR,
  ROBOT_UNIVERSAL,  /* made of two hinges */
  ROBOT_CYLINDRICAL /* made of a hinge and a slide */
} robot_joint_kind;

/* What a drive adds: force = constant - stiffness q - damping q', within limit. */
typedef struct robot_drive {
  bool given;
  double constant, stiffness, damping, lower, upper;
  const xml_element *at;
} robot_drive;

typedef struct robot_joint {
  const char *name;
  const xml_element *at;
  robot_joint_kind kind;
  size_t body;
  v3 anchor, axis, axis_b; /* in the body's frame */
  double zero;             /* the coordinate in the pose that the file gives */
  double start;            /* the one to begin with */
  quat turn;               /* of a ball joint, at the start */
  bool limited;
  double lower, upper, damping, friction, stiffness, rest, armature;
  robot_drive drive;
  v3 world_anchor, world_axis, world_axis_b;
} robot_joint;

enum { ROBOT_WORLD = -1 };

typedef struct robot_body {
  const char *name;
  const xml_element *at;
  int parent;
  pose local;      /* in the parent, in the pose that the file gives */
  size_t joint;    /* its first one; they lie one after the other */
  size_t joints;   /* none and not free: one with its parent */
  bool free, held; /* held: stays where it is though it has no joint (mocap) */
  bool has_mass;   /* else from its geoms */
  double mass;
  v3 center;         /* in the body's frame */
  double inertia[6]; /* about the centre, body's axes: xx xy xz yy yz zz */
  double lift;       /* part of its weight that a force bears (gravcomp) */
  pose world;        /* at the start */
  int root;          /* the body that it is one with; ROBOT_WORLD: with the world */
  pose in_root;
} robot_body;

typedef struct robot_surface {
  const xml_element *at;
  int condim, priority; /* 0: a plain material, mixed as others */
  double friction, spinning, rolling, restitution;
} robot_surface;

typedef enum robot_tie_kind {
  ROBOT_TIE_BALL,
  ROBOT_TIE_FIXED,
  ROBOT_TIE_ROPE,
  ROBOT_TIE_STRUT
} robot_tie_kind;

/* A joint beside the tree: it closes a loop. Points in the frames of the two bodies. */
typedef struct robot_tie {
  const char *name;
  const xml_element *at;
  robot_tie_kind kind;
  int body[2];
  v3 point[2];
  double length, stiffness, damping; /* rope, strut */
} robot_tie;

/* q = offset + ratio q_other */
typedef struct robot_link {
  const char *name;
  const xml_element *at;
  size_t joint, other;
  double offset, ratio;
} robot_link;

typedef struct robot_probe {
  const char *name, *kind;
  const xml_element *at;
  int body;
  size_t joint; /* of the kind joint */
} robot_probe;

typedef struct robot_remark {
  const char *text;
  bool loss;
} robot_remark;

typedef struct robot {
  scene_document *doc;
  const scree_import_def *def;
  const char *name;
  const xml_element *root;
  double gravity[3], step;
  bool has_gravity, has_step, self_collides, mixes; /* mixes: friction by the larger of two */
  double overlap;
  robot_body *bodies;
  robot_geom *geoms;
  size_t *geom_body; /* by geom; SIZE_MAX: the world */
  robot_joint *joints;
  robot_surface *surfaces;
  robot_tie *ties;
  robot_link *links;
  robot_probe *probes;
  int (*apart)[2]; /* pairs of bodies that never touch */
  robot_remark *remarks;
  size_t body_count, geom_count, joint_count, surface_count, tie_count, link_count, probe_count,
      apart_count, remark_count;
  scree_import_summary summary;
} robot;

/* ---- robot.c -------------------------------------------------------------------------------- */

void robot_clear(robot *r);
/* New entries, zeroed but for their defaults; null: no memory. */
robot_body *robot_add_body(robot *r, const xml_element *at, const char *name, int parent);
robot_geom *robot_add_geom(robot *r, const xml_element *at, const char *name, int body);
robot_joint *robot_add_joint(robot *r, const xml_element *at, const char *name, size_t body);
robot_tie *robot_add_tie(robot *r, const xml_element *at, robot_tie_kind kind);
robot_link *robot_add_link(robot *r, const xml_element *at);
robot_probe *robot_add_probe(robot *r, const xml_element *at, const char *name);
scree_status robot_add_apart(robot *r, int a, int b);
/* The number of an equal surface, made when there is none. */
scree_status robot_find_surface(robot *r, const robot_surface *surface, size_t *index);
/* "a_b" in the document's memory; null: none left. */
const char *robot_text(robot *r, const char *format, ...) SCREE_PRINTF(2, 3);
/* Remarks on an element, or on one of its attributes (null: on the element). */
void robot_note(robot *r, const xml_element *at, const char *attribute, const char *format, ...)
    SCREE_PRINTF(4, 5);
void robot_lose(robot *r, const xml_element *at, const char *attribute, const char *format, ...)
    SCREE_PRINTF(4, 5);
scree_status robot_fault(robot *r, const xml_element *at, const char *attribute, const char *format,
                         ...) SCREE_PRINTF(4, 5);
/* Losses become faults unless the user allows them. */
scree_status robot_judge(robot *r);

/* ---- number.c: attributes as numbers -------------------------------------------------------- */

/* Numbers of an attribute: between `least` and `most` of them, in *count how many (may be null).
 * Untouched when the attribute is not given. */
scree_status robot_numbers(robot *r, const xml_element *e, const char *attribute, size_t least,
                           size_t most, double *out, size_t *count);
scree_status robot_number(robot *r, const xml_element *e, const char *attribute, double *out);
scree_status robot_vector(robot *r, const xml_element *e, const char *attribute, v3 *out);
/* Reads all numbers of an attribute, into the document's memory. */
scree_status robot_list(robot *r, const xml_element *e, const char *attribute, double **out,
                        size_t *count);
/* A whole text as one number. */
bool robot_text_number(const char *text, double *value);
/* The shortest turn that takes z to a direction. */
quat robot_turn_z(v3 direction);
/* Gives a geom the mesh of a file; one that is not there or of an unknown format is a loss. */
scree_status robot_use_mesh(robot *r, const xml_element *e, const char *attribute,
                            const char *folder, const char *name, robot_geom *g);
/* The path of a file that a robot names: package://, model:// and file:// are taken off and the
 * rest sought beside the file and above it. *path is relative to the folder of e's file. Null: it
 * is not there. */
scree_status robot_find_file(robot *r, const xml_element *e, const char *folder, const char *name,
                             const char **path);

/* ---- mass.c --------------------------------------------------------------------------------- */

/* R I R' */
void robot_turn_inertia(const double in[6], quat turn, double out[6]);
/* Adds a mass with its centre and inertia, all in one frame. */
typedef struct robot_mass {
  double mass;
  v3 center;
  double inertia[6];
} robot_mass;
void robot_add_mass(robot_mass *sum, const robot_mass *part, pose place);
/* Moments that break the triangle rule become their mean, about all axes. */
void robot_balance_inertia(double inertia[6]);
void robot_principal_inertia(const double inertia[6], double out[3]); /* ascending */
/* The mass of one geom, in its body's frame. */
scree_status robot_weigh_geom(robot *r, robot_geom *g, robot_mass *mass);
/* Gives a mass to all bodies that have none given, from their geoms. */
scree_status robot_weigh(robot *r);

/* ---- place.c: poses at the start, bodies that are one ---------------------------------------- */

scree_status robot_place(robot *r);

/* ---- scene.c -------------------------------------------------------------------------------- */

scree_status robot_scene(robot *r, scene_node **root);

/* ---- the readers ---------------------------------------------------------------------------- */

scree_status urdf_read(robot *r, const xml_element *root);
scree_status mjcf_read(robot *r, xml_element *root);

/* ---- import.c ------------------------------------------------------------------------------- */

/* Does the name of a file end as those of robots do? */
bool robot_is_file(const char *path);
/* The tree of a scene from the robot that is file number `file`. Remarks go to def->report. */
scree_status robot_import(scene_document *doc, uint32_t file, const scree_import_def *def,
                          scene_node **root, scree_import_summary *summary, robot_remark **remarks,
                          size_t *remark_count);

#endif

/* MJCF, the format of MuJoCo: what its readers share.
 *
 * An attribute that an element lacks comes from the defaults of its class: the one it names, else
 * the childclass around it, else the main one; a class has what its outer classes have. All reading
 * goes through mjcf_find, which says which element holds the attribute, so that messages point to
 * the default where the value stands. */
#ifndef SCREE_SCENE_IMPORT_MJCF_H
#define SCREE_SCENE_IMPORT_MJCF_H

#include "scene/import/robot.h"

typedef struct mjcf_class {
  const char *name;
  int outer; /* -1: none */
  const xml_element *at;
} mjcf_class;

typedef struct mjcf_site {
  const char *name;
  int body;
  pose place;
} mjcf_site;

typedef struct mjcf {
  robot *r;
  xml_element *root;
  mjcf_class *classes; /* one per element: a class may be given in several */
  size_t class_count;
  mjcf_site *sites;
  size_t site_count;
  double angle;        /* rad in the file's unit of angle */
  char sequence[4];    /* of Euler angles */
  const char *meshdir; /* "" */
  bool autolimits, strippath, balance, from_geoms, from_inertial; /* where inertias come from */
  bool no_contact, global; /* global: places of old files are in the world's frame */
  int groups[2];           /* of geoms that count for inertia */
  double total_mass, least_mass, least_inertia;
  double fluid; /* density and viscosity around: over 0: there is some */
  int depth;
  size_t unnamed;
  const double *controls;
  size_t control_count, copies;
} mjcf;

/* ---- mjcf_defaults.c ------------------------------------------------------------------------ */

scree_status mjcf_read_defaults(mjcf *m, const xml_element *e, int outer, int depth);
/* The number of a class; -1 after a fault. Null or "": the main one. */
int mjcf_find_class(mjcf *m, const xml_element *e, const char *attribute, int around);
bool mjcf_is_actuator(const xml_element *e);
/* The element that has an attribute of e: itself, or a default for elements called `kind`. */
const xml_element *mjcf_find(const mjcf *m, const xml_element *e, int class, const char *kind,
                             const char *attribute);
const char *mjcf_text(const mjcf *m, const xml_element *e, int class, const char *kind,
                      const char *attribute);
scree_status mjcf_numbers(mjcf *m, const xml_element *e, int class, const char *kind,
                          const char *attribute, size_t least, size_t most, double *out,
                          size_t *count);
scree_status mjcf_number(mjcf *m, const xml_element *e, int class, const char *kind,
                         const char *attribute, double *out);
/* Angles in the unit and the order of <compiler>. */
quat mjcf_from_euler(const mjcf *m, const double angles[3]);
/* pos and one of quat, axisangle, euler, xyaxes, zaxis. */
scree_status mjcf_pose(mjcf *m, const xml_element *e, int class, const char *kind, pose *out);

/* ---- mjcf_body.c ---------------------------------------------------------------------------- */

scree_status mjcf_read_world(mjcf *m, const xml_element *e);
/* ---- mjcf_geom.c ---------------------------------------------------------------------------- */

scree_status mjcf_read_geom(mjcf *m, const xml_element *e, int class, int body, pose frame,
                            const char *suffix);
/* ---- mjcf_drive.c: actuators ---------------------------------------------------------------- */

scree_status mjcf_read_actuators(mjcf *m, const xml_element *section, size_t *number);
/* ---- mjcf_more.c: contact, equality, tendon, sensor, keyframe -------------------------------- */

scree_status mjcf_read_contact(mjcf *m, const xml_element *section);
scree_status mjcf_read_equality(mjcf *m, const xml_element *section);
scree_status mjcf_read_tendons(mjcf *m, const xml_element *section);
scree_status mjcf_read_sensors(mjcf *m, const xml_element *section);
scree_status mjcf_read_keyframes(mjcf *m);
int mjcf_find_body(const mjcf *m, const char *name); /* ROBOT_WORLD - 1: none */
robot_joint *mjcf_find_joint(const mjcf *m, const char *name);
/* ---- mjcf_audit.c --------------------------------------------------------------------------- */

/* Reports all elements and attributes that no reader takes. */
void mjcf_audit(mjcf *m, const xml_element *root);

#endif

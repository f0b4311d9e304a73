/* What of MJCF no reader takes: reported by a table of all elements and attributes that are known.
 *
 * taken: read, or its reader reports it; seen: only for the eye, or names of no concern (not
 * reported singly); soft: tunes the numerics of another engine; lost: it changes the motion. What
 * is in no column is not known, and lost if it is an element. */
#include <string.h>

#include "scene/import/mjcf.h"

#define TURNS "quat axisangle euler xyaxes zaxis"
#define SOFT  "solref solimp solmix"
#define DRIVE                                                                                      \
  "name class joint jointinparent tendon gear ctrlrange ctrllimited forcerange forcelimited kp "   \
  "kv dampratio timeconst inheritrange gainprm biasprm gaintype biastype dyntype body site "       \
  "refsite cranksite "                                                                             \
  "slidersite cranklength area diameter bias"
#define DRIVE_SEEN "group user"
#define DRIVE_SOFT                                                                                 \
  "actrange actlimited dynprm lengthrange actdim actearly delay nsample "                          \
  "interp tausmooth range force scale lmin lmax vmax fpmax fvmax"

typedef struct row {
  const char *element, *taken, *seen, *soft, *lost;
} row;

/* The children an element may have are those whose row in the table names it. */
static const row rows[] = {
    {"mujoco", "model", "", "", ""},
    {"mujocoinclude", "", "", "", ""},
    {"compiler",
     "angle coordinate eulerseq inertiafromgeom autolimits strippath balanceinertia assetdir "
     "meshdir inertiagrouprange settotalmass boundmass boundinertia",
     "texturedir discardvisual usethread fusestatic convexhull saveinertial alignfree", "fitaabb",
     ""},
    {"lengthrange", "", "", "*", ""},
    {"option", "timestep gravity density viscosity wind collision", "",
     "integrator solver iterations tolerance ls_iterations ls_tolerance noslip_iterations "
     "noslip_tolerance ccd_iterations ccd_tolerance mpr_iterations mpr_tolerance sdf_iterations "
     "sdf_initpoints cone jacobian impratio o_margin o_solref o_solimp o_friction apirate "
     "actuatorgroupdisable magnetic sleep_tolerance",
     ""},
    {"flag", "*", "", "", ""},
    {"default", "class", "", "", ""},
    {"worldbody", "childclass", "", "", ""},
    {"body", "name childclass pos mocap gravcomp " TURNS, "user", "sleep", ""},
    {"frame", "name childclass pos " TURNS, "", "", ""},
    {"replicate", "count offset euler sep childclass", "", "", ""},
    {"inertial", "pos mass diaginertia fullinertia " TURNS, "", "", ""},
    {"joint",
     "name class type pos axis range limited stiffness springref damping frictionloss ref armature "
     "actuatorfrcrange actuatorfrclimited springdamper joint1 joint2 polycoef active",
     "group user joint coef " SOFT,
     "solreflimit solimplimit solreffriction solimpfriction margin actuatorgravcomp", ""},
    {"freejoint", "name", "group align", "", ""},
    {"geom",
     "name class type pos fromto size mass density friction condim contype conaffinity priority "
     "mesh hfield group shellinertia geom sidesite " TURNS,
     "rgba material user", SOFT " margin gap fluidshape fluidcoef fitscale", ""},
    {"site", "*", "", "", ""},
    {"camera", "", "*", "", ""},
    {"light", "", "*", "", ""},
    {"asset", "", "", "", ""},
    {"mesh", "name class file vertex scale refpos refquat face inertia",
     "normal texcoord smoothnormal maxhullvert content_type material", "", "builtin params"},
    {"hfield", "name file size nrow ncol elevation", "content_type", "", ""},
    {"texture", "", "*", "", ""},
    {"material", "", "*", "", ""},
    {"layer", "", "*", "", ""},
    {"contact", "", "", "", ""},
    {"exclude", "body1 body2", "name class", "", ""},
    {"pair", "*", "", "", ""},
    {"equality", "", "", SOFT " active", ""},
    {"connect", "name body1 body2 anchor active site1 site2", "class", SOFT, ""},
    {"weld", "name body1 body2 anchor active site1 site2 relpose torquescale", "class", SOFT, ""},
    {"tendon", "range limited stiffness damping frictionloss springlength",
     "width rgba material group", "solreflimit solimplimit margin", ""},
    {"fixed", "name class range limited stiffness damping frictionloss springlength", "group user",
     "solreflimit solimplimit solreffriction solimpfriction margin", "armature"},
    {"spatial", "name class range limited stiffness damping frictionloss springlength",
     "group user width rgba material",
     "solreflimit solimplimit solreffriction solimpfriction margin", "armature"},
    {"pulley", "divisor", "", "", ""},
    {"actuator", "", "", "", ""},
    {"general", DRIVE, DRIVE_SEEN, DRIVE_SOFT, ""},
    {"motor", DRIVE, DRIVE_SEEN, DRIVE_SOFT, ""},
    {"position", DRIVE, DRIVE_SEEN, DRIVE_SOFT, ""},
    {"velocity", DRIVE, DRIVE_SEEN, DRIVE_SOFT, ""},
    {"intvelocity", DRIVE, DRIVE_SEEN, DRIVE_SOFT, ""},
    {"damper", DRIVE, DRIVE_SEEN, DRIVE_SOFT, ""},
    {"cylinder", DRIVE, DRIVE_SEEN, DRIVE_SOFT, ""},
    {"muscle", DRIVE, DRIVE_SEEN, DRIVE_SOFT, ""},
    {"adhesion", DRIVE, DRIVE_SEEN, DRIVE_SOFT " gain", ""},
    {"sensor", "*", "", "", ""},
    {"keyframe", "*", "", "", ""},
    {"size", "", "*", "", ""},
    {"visual", "", "*", "", ""},
    {"statistic", "", "*", "", ""},
    {"custom", "", "*", "", ""},
};

static bool is_in(const char *word, const char *list) {
  const size_t n = strlen(word);
  if (strcmp(list, "*") == 0) return true;
  for (const char *x = strstr(list, word); x; x = strstr(x + 1, word))
    if ((x == list || x[-1] == ' ') && (x[n] == ' ' || !x[n])) return true;
  return false;
}

static const row *find_row(const char *name) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i].element, name) == 0) return &rows[i];
  return NULL;
}

static void audit_attributes(mjcf *m, const xml_element *e, const row *known) {
  for (size_t i = 0; i < e->attribute_count; i++) {
    const char *name = e->attributes[i].name;
    if (is_in(name, known->taken) || is_in(name, known->seen) || strchr(name, ':')) continue;
    if (is_in(name, known->lost))
      robot_lose(m->r, e, name, "'%s' of <%s>", name, e->name);
    else if (is_in(name, known->soft))
      robot_note(m->r, e, name, "'%s' of <%s> tunes another engine: not used", name, e->name);
    else
      robot_note(m->r, e, name, "'%s' of <%s> is not known: not used", name, e->name);
  }
}

void mjcf_audit(mjcf *m, const xml_element *e) {
  const row *known = find_row(e->name);
  if (!known) {
    robot_lose(m->r, e, NULL, "<%s>%s%s%s", e->name, e->parent ? " in <" : "",
               e->parent ? e->parent->name : "", e->parent ? ">" : "");
    return;
  }
  audit_attributes(m, e, known);
  /* Elements for display only, and those that their reader reports as a whole, are not searched. */
  if (strcmp(known->seen, "*") == 0 || strcmp(known->taken, "*") == 0) return;
  for (const xml_element *c = e->first; c; c = c->next) mjcf_audit(m, c);
}

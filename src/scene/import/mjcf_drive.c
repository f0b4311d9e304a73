/* Actuators of MJCF.
 *
 * An actuator with transmission length l = g q (g: gear) gives the force
 *   F = gain u + b0 + b1 l + b2 l',  and g F acts on the joint:
 *   g (gain u + b0) + g^2 b1 q + g^2 b2 q'.
 * motor: gain 1. position: gain kp, b = (0, -kp, -kv). velocity: gain kv, b = (0, 0, -kv).
 * The control u is that of the keyframe, else 0, within its range, which a servo may have from its
 * joint (inheritrange); it stays as it is. Several
 * actuators at a joint add up. A gain that depends on the length, and all that is not at a hinge or
 * slide, matters only when the control is not 0 or there is a bias. */
#include <math.h>
#include <string.h>

#include "scene/import/mjcf.h"

typedef struct drive {
  const xml_element *e;
  int class;
  double control, gain[10], bias[10];
  const char *gain_type, *bias_type, *dynamics;
  const xml_element *ratio; /* says a dampratio; null: none does */
  bool gain_varies, by_muscle;
  const char *why; /* it cannot be taken over; null: it can */
} drive;

static bool flag(const mjcf *m, const drive *d, const char *name, const char *range) {
  const char *text = mjcf_text(m, d->e, d->class, "actuator", name);
  if (text && strcmp(text, "true") == 0) return true;
  if (text && strcmp(text, "false") == 0) return false;
  return m->autolimits && mjcf_find(m, d->e, d->class, "actuator", range);
}

/* The element e of a class or the actuator itself, as one of kind `general`: what it does not say
 * stays as it was. */
static scree_status read_general(mjcf *m, const xml_element *e, drive *d) {
  scree_status status = robot_numbers(m->r, e, "gainprm", 0, 10, d->gain, NULL);
  if (!status) status = robot_numbers(m->r, e, "biasprm", 0, 10, d->bias, NULL);
  const char *gain = xml_get(e, "gaintype"), *bias = xml_get(e, "biastype"),
             *dyn = xml_get(e, "dyntype");
  if (gain) d->gain_type = gain;
  if (bias) d->bias_type = bias;
  if (dyn) d->dynamics = dyn;
  return status;
}

/* position: gain kp, bias (b0, -kp, -kv), where the class may have said kp and kv. velocity: gain
 * kv, bias (0, 0, -kv). */
static scree_status read_servo(mjcf *m, const xml_element *e, drive *d, bool position) {
  double *gain = &d->gain[0], damping = position ? -d->bias[2] : 0.0, ratio = 0.0;
  scree_status status = robot_number(m->r, e, position ? "kp" : "kv", gain);
  if (!status && position) status = robot_number(m->r, e, "kv", &damping);
  if (!status) status = robot_number(m->r, e, "dampratio", &ratio);
  if (xml_get(e, "dampratio")) d->ratio = ratio > 0.0 ? e : NULL;
  if (!position) memset(d->bias, 0, sizeof d->bias);
  d->bias[1] = position ? -*gain : 0.0;
  d->bias[2] = position ? -damping : -*gain;
  d->gain_type = "fixed";
  d->bias_type = "affine";
  return status;
}

static scree_status read_cylinder(mjcf *m, const xml_element *e, drive *d) {
  double diameter = 0.0;
  scree_status status = robot_numbers(m->r, e, "bias", 3, 3, d->bias, NULL);
  if (!status) status = robot_number(m->r, e, "area", &d->gain[0]);
  if (!status) status = robot_number(m->r, e, "diameter", &diameter);
  if (diameter > 0.0) d->gain[0] = 0.25 * 3.14159265358979324 * diameter * diameter;
  d->gain_type = "fixed";
  d->bias_type = "affine";
  return status;
}

static scree_status read_kind(mjcf *m, const xml_element *e, drive *d) {
  d->by_muscle = xml_is(e, "muscle");
  if (xml_is(e, "general")) return read_general(m, e, d);
  if (xml_is(e, "position") || xml_is(e, "intvelocity")) return read_servo(m, e, d, true);
  if (xml_is(e, "velocity")) return read_servo(m, e, d, false);
  if (xml_is(e, "cylinder")) return read_cylinder(m, e, d);
  memset(d->gain, 0, sizeof d->gain);
  if (xml_is(e, "motor")) d->gain[0] = 1.0;
  d->gain_type = "fixed";
  d->bias_type = d->dynamics = "none";
  d->gain_varies = xml_is(e, "damper") || xml_is(e, "adhesion") || xml_is(e, "muscle");
  return SCREE_OK;
}

/* All kinds of actuators share what a class says of one of them, from the outermost class on. */
static scree_status read_class(mjcf *m, int class, drive *d, int depth) {
  if (class < 0 || depth > 60) return SCREE_OK;
  scree_status status = read_class(m, m->classes[class].outer, d, depth + 1);
  for (size_t i = 0; i < m->class_count && !status; i++) {
    if (strcmp(m->classes[i].name, m->classes[class].name) != 0) continue;
    for (const xml_element *e = m->classes[i].at->first; e && !status; e = e->next)
      if (mjcf_is_actuator(e)) status = read_kind(m, e, d);
  }
  return status;
}

static bool is_affine(const char *type) {
  return strcmp(type, "affine") == 0;
}

/* By a muscle or a function of the user. */
static bool is_foreign(const char *type) {
  return strcmp(type, "muscle") == 0 || strcmp(type, "user") == 0;
}

static scree_status read_law(mjcf *m, drive *d) {
  scree_status status =
      m->class_count ? read_class(m, d->class < 0 ? 0 : d->class, d, 0) : SCREE_OK;
  d->gain_varies = false;
  if (!status) status = read_kind(m, d->e, d);
  if (status) return status;
  if (d->by_muscle)
    d->why = "muscles";
  else if (is_foreign(d->gain_type) || is_foreign(d->bias_type) || is_foreign(d->dynamics))
    d->why = "muscles and forces by a program";
  if (is_affine(d->gain_type) && (d->gain[1] != 0.0 || d->gain[2] != 0.0)) d->gain_varies = true;
  if (!is_affine(d->bias_type)) memset(d->bias, 0, sizeof d->bias);
  if (d->ratio)
    robot_lose(m->r, d->ratio, "dampratio",
               "damping of an actuator by its ratio to the critical one");
  const xml_element *late = mjcf_find(m, d->e, d->class, "actuator", "timeconst");
  if (late && !xml_is(d->e, "general") && !d->why)
    robot_note(m->r, late, "timeconst", "<%s> with a time constant: it has its final force at once",
               d->e->name);
  if (xml_is(d->e, "general") && strcmp(d->dynamics, "none") != 0 &&
      strcmp(d->dynamics, "integrator") != 0 && !d->why)
    robot_note(m->r, d->e, NULL, "dynamics '%s' of an actuator: it has its final force at once",
               d->dynamics);
  return SCREE_OK;
}

/* inheritrange of a servo: its control is held within so much of the range of its joint. */
static scree_status inherit_range(mjcf *m, drive *d, const robot_joint *j) {
  double part = 0.0;
  const xml_element *said = mjcf_find(m, d->e, d->class, "actuator", "inheritrange");
  scree_status status = said ? robot_number(m->r, said, "inheritrange", &part) : SCREE_OK;
  if (status || !(part > 0.0)) return status;
  if (!j || !j->limited) {
    robot_lose(m->r, said, "inheritrange", "a range from a joint that has none");
    return SCREE_OK;
  }
  const double middle = 0.5 * (j->lower + j->upper), half = 0.5 * part * (j->upper - j->lower);
  d->control = fmin(fmax(d->control, middle - half), middle + half);
  return SCREE_OK;
}

static scree_status read_control(mjcf *m, drive *d, const robot_joint *j, size_t number_of_it) {
  double range[2] = {-INFINITY, INFINITY};
  d->control = number_of_it < m->control_count ? m->controls[number_of_it] : 0.0;
  const scree_status status =
      mjcf_numbers(m, d->e, d->class, "actuator", "ctrlrange", 2, 2, range, NULL);
  if (status) return status;
  if (flag(m, d, "ctrllimited", "ctrlrange"))
    d->control = fmin(fmax(d->control, range[0]), range[1]);
  return xml_is(d->e, "position") ? inherit_range(m, d, j) : SCREE_OK;
}

static scree_status apply(mjcf *m, const drive *d, robot_joint *j) {
  double gear[6] = {1, 0, 0, 0, 0, 0}, range[2] = {-INFINITY, INFINITY};
  scree_status status = mjcf_numbers(m, d->e, d->class, "actuator", "gear", 1, 6, gear, NULL);
  if (!status)
    status = mjcf_numbers(m, d->e, d->class, "actuator", "forcerange", 2, 2, range, NULL);
  if (status) return status;
  const bool limited = flag(m, d, "forcelimited", "forcerange");
  const double g = gear[0], a = limited ? g * range[0] : -INFINITY,
               b = limited ? g * range[1] : INFINITY;
  robot_drive *out = &j->drive;
  if (!out->given) {
    out->lower = fmax(out->lower, fmin(a, b));
    out->upper = fmin(out->upper, fmax(a, b));
  } else if (limited) {
    robot_note(m->r, d->e, "forcerange", "limits of several actuators at joint '%s' are added",
               j->name);
    out->lower += fmin(a, b);
    out->upper += fmax(a, b);
  }
  out->given = true;
  out->at = d->e;
  out->constant += g * (d->gain[0] * d->control + d->bias[0]);
  out->stiffness -= g * g * d->bias[1];
  out->damping -= g * g * d->bias[2];
  if (out->stiffness < 0.0 || out->damping < 0.0) {
    robot_lose(m->r, d->e, NULL, "an actuator that pushes away from its target");
    out->stiffness = fmax(out->stiffness, 0.0);
    out->damping = fmax(out->damping, 0.0);
  }
  return SCREE_OK;
}

static scree_status read_one(mjcf *m, const xml_element *e, size_t number_of_it) {
  drive d = {.e = e,
             .class = mjcf_find_class(m, e, "class", 0),
             .gain = {1.0},
             .gain_type = "fixed",
             .bias_type = "none",
             .dynamics = "none"};
  if (m->r->doc->fault_count) return SCREE_ERROR_INPUT;
  const char *name = mjcf_text(m, e, d.class, "actuator", "joint");
  if (!name) name = mjcf_text(m, e, d.class, "actuator", "jointinparent");
  robot_joint *j = name ? mjcf_find_joint(m, name) : NULL;
  scree_status status = read_law(m, &d);
  if (!status) status = read_control(m, &d, j, number_of_it);
  if (status) return status;
  if (d.control != 0.0 && (xml_is(e, "intvelocity") || strcmp(d.dynamics, "integrator") == 0)) {
    robot_lose(m->r, e, NULL, "<%s>: a control that is summed up over time", e->name);
    d.control = 0.0;
  }
  const bool idle =
      d.control == 0.0 && d.bias[0] == 0.0 && d.bias[1] == 0.0 && d.bias[2] == 0.0 && !d.why;
  const bool simple = j && (j->kind == ROBOT_HINGE || j->kind == ROBOT_SLIDE);
  if (d.why)
    robot_lose(m->r, e, NULL, "<%s>: %s", e->name, d.why);
  else if (d.gain_varies && d.control != 0.0)
    robot_lose(m->r, e, NULL, "<%s>: a gain that changes as it moves", e->name);
  else if (simple && !d.gain_varies)
    return apply(m, &d, j);
  else if (name && !simple && !j && !idle)
    robot_lose(m->r, e, NULL, "<%s> at joint '%s', which is free or not there", e->name, name);
  else if (idle)
    robot_note(m->r, e, NULL, "<%s> %s: its control is 0, it does nothing", e->name,
               simple ? "with such a gain" : "that is not at a hinge or slide");
  else
    robot_lose(m->r, e, NULL, "<%s> that is not at a hinge or slide", e->name);
  return SCREE_OK;
}

scree_status mjcf_read_actuators(mjcf *m, const xml_element *section, size_t *number_of_it) {
  scree_status status = SCREE_OK;
  for (const xml_element *e = section->first; e && !status; e = e->next)
    status = read_one(m, e, (*number_of_it)++);
  return status;
}

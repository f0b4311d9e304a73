/* Actuators of MJCF.
 *
 * An actuator with transmission length l = g q (g: gear) gives the force
 *   F = gain u + b0 + b1 l + b2 l',  and g F acts on the joint:
 *   g (gain u + b0) + g^2 b1 q + g^2 b2 q'.
 * motor: gain 1. position: gain kp, b = (0, -kp, -kv). velocity: gain kv, b = (0, 0, -kv).
 * The control u is that of the keyframe, else 0, within its range; it stays as it is. Several
 * actuators at a joint add up. A gain that depends on the length, and all that is not at a hinge or
 * slide, matters only when the control is not 0 or there is a bias. */
#include <math.h>
#include <string.h>

#include "scene/import/mjcf.h"

typedef struct drive {
  const xml_element *e;
  int class;
  double control, gain, bias[3];
  bool gain_varies;
  const char *why; /* it cannot be taken over; null: it can */
} drive;

static bool flag(const mjcf *m, const drive *d, const char *name, const char *range) {
  const char *text = mjcf_text(m, d->e, d->class, "actuator", name);
  if (text && strcmp(text, "true") == 0) return true;
  if (text && strcmp(text, "false") == 0) return false;
  return m->autolimits && mjcf_find(m, d->e, d->class, "actuator", range);
}

static scree_status number(mjcf *m, const drive *d, const char *name, double *out) {
  return mjcf_number(m, d->e, d->class, "actuator", name, out);
}

static scree_status read_general(mjcf *m, drive *d) {
  double gain[10] = {1.0}, bias[10] = {0};
  scree_status status = mjcf_numbers(m, d->e, d->class, "actuator", "gainprm", 0, 10, gain, NULL);
  if (!status) status = mjcf_numbers(m, d->e, d->class, "actuator", "biasprm", 0, 10, bias, NULL);
  if (status) return status;
  const char *gaintype = mjcf_text(m, d->e, d->class, "actuator", "gaintype");
  const char *biastype = mjcf_text(m, d->e, d->class, "actuator", "biastype");
  const char *dyntype = mjcf_text(m, d->e, d->class, "actuator", "dyntype");
  if ((gaintype && (strcmp(gaintype, "muscle") == 0 || strcmp(gaintype, "user") == 0)) ||
      (biastype && (strcmp(biastype, "muscle") == 0 || strcmp(biastype, "user") == 0)) ||
      (dyntype && (strcmp(dyntype, "muscle") == 0 || strcmp(dyntype, "user") == 0)))
    d->why = "muscles and forces by a program";
  d->gain = gain[0];
  d->gain_varies = gaintype && strcmp(gaintype, "affine") == 0 && (gain[1] != 0 || gain[2] != 0);
  if (biastype && strcmp(biastype, "affine") == 0) memcpy(d->bias, bias, sizeof d->bias);
  if (dyntype && strcmp(dyntype, "none") != 0)
    robot_note(m->r, d->e, NULL, "dynamics '%s' of an actuator: it has its final force at once",
               dyntype);
  return SCREE_OK;
}

static scree_status read_servo(mjcf *m, drive *d, bool position) {
  double kp = 1.0, kv = position ? 0.0 : 1.0, ratio = 0.0;
  scree_status status = position ? number(m, d, "kp", &kp) : SCREE_OK;
  if (!status) status = number(m, d, "kv", &kv);
  if (!status) status = number(m, d, "dampratio", &ratio);
  if (ratio > 0.0)
    robot_lose(m->r, d->e, "dampratio", "damping of an actuator by its ratio to the critical one");
  d->gain = position ? kp : kv;
  d->bias[1] = position ? -kp : 0.0;
  d->bias[2] = -kv;
  return status;
}

static scree_status read_kind(mjcf *m, drive *d) {
  const xml_element *e = d->e;
  d->gain = 1.0;
  if (xml_is(e, "motor")) return SCREE_OK;
  if (xml_is(e, "general")) return read_general(m, d);
  if (xml_is(e, "position") || xml_is(e, "intvelocity")) return read_servo(m, d, true);
  if (xml_is(e, "velocity")) return read_servo(m, d, false);
  if (xml_is(e, "damper")) {
    d->gain_varies = true;
    d->gain = 0.0;
    return SCREE_OK;
  }
  if (xml_is(e, "cylinder")) {
    const scree_status status =
        mjcf_numbers(m, e, d->class, "actuator", "bias", 3, 3, d->bias, NULL);
    double diameter = 0.0;
    d->gain = 1.0;
    if (!status) (void)number(m, d, "area", &d->gain);
    if (!status) (void)number(m, d, "diameter", &diameter);
    if (diameter > 0.0) d->gain = 0.25 * 3.14159265358979324 * diameter * diameter;
    return status;
  }
  d->gain_varies = true;
  d->why = xml_is(e, "muscle") ? "muscles" : xml_is(e, "adhesion") ? NULL : "this kind";
  if (xml_is(e, "adhesion")) d->gain = 0.0;
  return SCREE_OK;
}

static scree_status read_control(mjcf *m, drive *d, size_t number_of_it) {
  double range[2] = {-INFINITY, INFINITY};
  d->control = number_of_it < m->control_count ? m->controls[number_of_it] : 0.0;
  const scree_status status =
      mjcf_numbers(m, d->e, d->class, "actuator", "ctrlrange", 2, 2, range, NULL);
  if (!status && flag(m, d, "ctrllimited", "ctrlrange"))
    d->control = fmin(fmax(d->control, range[0]), range[1]);
  return status;
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
  out->constant += g * (d->gain * d->control + d->bias[0]);
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
  drive d = {.e = e, .class = mjcf_find_class(m, e, "class", 0)};
  if (m->r->doc->fault_count) return SCREE_ERROR_INPUT;
  scree_status status = read_kind(m, &d);
  if (!status) status = read_control(m, &d, number_of_it);
  if (status) return status;
  const char *name = mjcf_text(m, e, d.class, "actuator", "joint");
  if (!name) name = mjcf_text(m, e, d.class, "actuator", "jointinparent");
  robot_joint *j = name ? mjcf_find_joint(m, name) : NULL;
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

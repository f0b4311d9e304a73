/* Reads sections by their tables. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/rotation.h"
#include "scene/read/keys.h"

const scene_field *scene_section_find(const scene_section *section, const char *key) {
  for (size_t i = 0; i < section->count; i++)
    if (strcmp(section->fields[i].key, key) == 0) return &section->fields[i];
  return NULL;
}

const char *scene_present_key(const scene_section *section, const char *key) {
  for (size_t i = 0; section && i < section->count; i++) {
    const scene_field *f = &section->fields[i];
    if (f->former && strcmp(f->former, key) == 0) return f->key;
  }
  return key;
}

scree_status scene_rename_former(scene_document *doc, scene_node *root,
                                 const scene_section *section) {
  scree_status status = SCREE_OK;
  for (size_t i = 0; root->kind == SCENE_MAP && i < root->count; i++) {
    scene_node *key = root->keys[i];
    const char *present = scene_present_key(section, key->text);
    if (present != key->text && scene_find(root, present))
      status = scene_fault(doc, key, "%s: it is a former name of %s, which is given too", key->text,
                           present);
    key->text = present;
    const scene_field *f = scene_section_find(section, present);
    if (f && f->type == SCENE_SECTION && root->items[i]->kind == SCENE_MAP) {
      const scree_status one = scene_rename_former(doc, root->items[i], f->section);
      if (one) status = one;
    }
  }
  return status;
}

const scene_node *scene_place(const scene_head *head, const char *key) {
  const scene_node *node = scene_find(head->node, key);
  return node ? node : head->node;
}

const char *scene_choice_name(const char *choices, int index, char *buffer, size_t size) {
  const char *at = choices;
  for (int i = 0; i < index && at; i++) {
    at = strchr(at, '|');
    if (at) at++;
  }
  if (!at) return "";
  snprintf(buffer, size, "%.*s", (int)strcspn(at, "|"), at);
  return buffer;
}

scree_status scene_vector(scene_document *doc, const scene_scope *scope, const scene_node *node,
                          const char *what, const char *unit, int length, double *out) {
  if (node->kind != SCENE_LIST || node->count != (size_t)length) {
    char have[48];
    snprintf(have, sizeof have,
             node->kind == SCENE_LIST  ? "a list of %zu"
             : node->kind == SCENE_MAP ? "a map"
                                       : "a single value",
             node->count);
    return scene_fault(doc, node, "%s: a list of %d numbers is expected, not %s", what, length,
                       have);
  }
  scree_status status = SCREE_OK;
  for (int i = 0; i < length; i++) {
    scree_status one = scene_number(doc, scope, node->items[i], what, unit, &out[i]);
    if (one) status = one;
  }
  return status;
}

scree_status scene_rotation(scene_document *doc, const scene_scope *scope, const scene_node *node,
                            double out[4], bool *random) {
  if (random && node->kind == SCENE_SCALAR && strcmp(node->text, "random") == 0) {
    *random = true;
    return SCREE_OK;
  }
  if (node->kind == SCENE_MAP) {
    scene_turn_keys turn = {0};
    scree_status status = scene_read(doc, scope, node, &scene_section_turn, &turn);
    if (status) return status;
    v3 axis = v3_load(turn.axis);
    if (!(v3_norm(axis) > 0))
      return scene_fault(doc, scene_place(&turn.head, "axis"), "axis: its length is zero");
    quat q = quat_exp(v3_scale(turn.angle, v3_normalize(axis)));
    out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z;
    return SCREE_OK;
  }
  if (node->kind != SCENE_LIST || node->count != 4)
    return scene_fault(doc, node,
                       "rotation: a quaternion [w, x, y, z] or {axis: [x, y, z], angle: 30 deg}%s "
                       "is expected",
                       random ? " or random" : "");
  scree_status status = scene_vector(doc, scope, node, "rotation", "", 4, out);
  if (status) return status;
  double norm = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
  if (!(norm > 1e-100)) return scene_fault(doc, node, "rotation: its length is zero");
  for (int i = 0; i < 4; i++) out[i] /= norm;
  return SCREE_OK;
}

static scree_status check_range(scene_document *doc, const scene_field *f, const scene_node *node,
                                double value) {
  bool low = f->open ? !(value > f->minimum) : !(value >= f->minimum);
  if (!low && value <= f->maximum) return SCREE_OK;
  const char *space = *f->unit ? " " : "";
  if (f->maximum == INFINITY)
    return scene_fault(doc, node, "%s: %g%s%s is out of range; it must be %s %g", f->key, value,
                       space, f->unit, f->open ? "more than" : "at least", f->minimum);
  return scene_fault(doc, node, "%s: %g%s%s is out of range; it must be %s %g and at most %g",
                     f->key, value, space, f->unit, f->open ? "more than" : "at least", f->minimum,
                     f->maximum);
}

static scree_status read_bool(scene_document *doc, const scene_field *f, const scene_node *node,
                              bool *out) {
  static const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off",
                                                                              "0"};
  for (int i = 0; i < 4 && node->kind == SCENE_SCALAR; i++) {
    if (strcmp(node->text, yes[i]) == 0)
      *out = true;
    else if (strcmp(node->text, no[i]) == 0)
      *out = false;
    else
      continue;
    return SCREE_OK;
  }
  return scene_fault(doc, node, "%s: true or false is expected", f->key);
}

enum { MOST_CHOICES = 32 };

static scree_status read_choice(scene_document *doc, const scene_scope *scope, const scene_field *f,
                                const scene_node *node, int *out) {
  const char *text;
  scree_status status = scene_text(doc, scope, node, f->key, &text);
  if (status) return status;
  char names[MOST_CHOICES][32];
  const char *list[MOST_CHOICES];
  size_t count = 0;
  for (; count < MOST_CHOICES; count++) {
    list[count] = scene_choice_name(f->choices, (int)count, names[count], sizeof names[count]);
    if (!*list[count]) break;
    if (strcmp(list[count], text) == 0) {
      *out = (int)count;
      return SCREE_OK;
    }
  }
  char buffer[512];
  return scene_fault(doc, node, "%s: '%s' is not known%s", f->key, text,
                     scene_suggest(text, list, count, buffer, sizeof buffer));
}

static scree_status check_kind(scene_document *doc, const scene_field *f, const scene_node *node) {
  static const char *const wanted[] = {
      [SCENE_SECTION] = "a map", [SCENE_SECTIONS] = "a list", [SCENE_NAMED] = "a map of names"};
  scene_kind kind = f->type == SCENE_SECTIONS ? SCENE_LIST : SCENE_MAP;
  if (f->type == SCENE_ROTATION || f->type == SCENE_ANY || node->kind == kind) return SCREE_OK;
  /* A shape may be the name of one. */
  if (f->section == &scene_section_shape && f->type == SCENE_SECTION && node->kind == SCENE_SCALAR)
    return SCREE_OK;
  return scene_fault(doc, node, "%s: %s is expected", f->key, wanted[f->type]);
}

static scree_status read_field(scene_document *doc, const scene_scope *scope, const scene_field *f,
                               const scene_node *node, void *out) {
  char *place = (char *)out + f->offset;
  double value;
  scree_status status;
  switch (f->type) {
  case SCENE_REAL:
  case SCENE_WHOLE:
    status = scene_number(doc, scope, node, f->key, f->unit, &value);
    if (!status) status = check_range(doc, f, node, value);
    if (status) return status;
    if (f->type == SCENE_REAL) {
      *(double *)place = value;
      return SCREE_OK;
    }
    if (value != floor(value) || fabs(value) > 9e15)
      return scene_fault(doc, node, "%s: a whole number is expected, not %g", f->key, value);
    *(long *)place = (long)value;
    return SCREE_OK;
  case SCENE_BOOL:
    return read_bool(doc, f, node, (bool *)place);
  case SCENE_TEXT:
    return scene_text(doc, scope, node, f->key, (const char **)place);
  case SCENE_CHOICE:
    return read_choice(doc, scope, f, node, (int *)place);
  case SCENE_VECTOR:
    status = scene_vector(doc, scope, node, f->key, f->unit, f->length, (double *)place);
    for (int i = 0; i < f->length && !status; i++)
      status = check_range(doc, f, node->items[i], ((double *)place)[i]);
    return status;
  default:
    *(const scene_node **)place = node;
    return check_kind(doc, f, node);
  }
}

static scree_status unknown_key(scene_document *doc, const scene_section *section,
                                const scene_node *key) {
  const char *names[64];
  size_t count = 0;
  for (; count < section->count && count < 64; count++) names[count] = section->fields[count].key;
  char buffer[512];
  return scene_fault(doc, key, "unknown key '%s'%s", key->text,
                     scene_suggest(key->text, names, count, buffer, sizeof buffer));
}

scree_status scene_read(scene_document *doc, const scene_scope *scope, const scene_node *node,
                        const scene_section *section, void *out) {
  scene_head *head = out;
  head->node = node;
  head->given = 0;
  if (node->kind != SCENE_MAP)
    return scene_fault(doc, node, "%s: a map of keys is expected", section->name);
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < node->count; i++) {
    const scene_field *f = scene_section_find(section, node->keys[i]->text);
    scree_status one = f ? read_field(doc, scope, f, node->items[i], out)
                         : unknown_key(doc, section, node->keys[i]);
    if (f) head->given |= (uint64_t)1 << (f - section->fields);
    if (one) status = one;
  }
  if (status) return status;
  for (size_t i = 0; i < section->count; i++)
    if (section->fields[i].required && !(head->given >> i & 1))
      status =
          scene_fault(doc, node, "%s: key '%s' is missing", section->name, section->fields[i].key);
  if (section->one_of && node->count != 1) {
    char names[256] = "";
    for (size_t i = 0, used = 0; i < section->count && used < sizeof names; i++)
      used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                               section->fields[i].key);
    status =
        scene_fault(doc, node, "%s: exactly one key is expected, of: %s", section->name, names);
  }
  return status;
}

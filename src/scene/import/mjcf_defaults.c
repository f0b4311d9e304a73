/* Classes of defaults, and attributes through them. See mjcf.h. */
#include <math.h>
#include <string.h>

#include "scene/import/mjcf.h"

enum { CLASS_LIMIT = 2000, CLASS_DEPTH = 50 };

scree_status mjcf_read_defaults(mjcf *m, const xml_element *e, int outer, int depth) {
  robot *r = m->r;
  const char *name = xml_get(e, "class");
  if (depth > CLASS_DEPTH || m->class_count >= CLASS_LIMIT)
    return robot_fault(r, e, NULL, "too many classes of defaults");
  if (!name && outer >= 0) return robot_fault(r, e, NULL, "<default>: an inner one needs a class");
  if (memory_grow(r->doc->context, &m->classes, m->class_count + 1, sizeof *m->classes))
    return SCREE_ERROR_MEMORY;
  const int own = (int)m->class_count;
  m->classes[m->class_count++] = (mjcf_class){outer < 0 ? "main" : name, outer, e};
  for (const xml_element *c = xml_child(e, "default"); c; c = xml_next(c, "default")) {
    const scree_status status = mjcf_read_defaults(m, c, own, depth + 1);
    if (status) return status;
  }
  return SCREE_OK;
}

static int class_of_name(const mjcf *m, const char *name) {
  for (size_t i = 0; i < m->class_count; i++)
    if (strcmp(m->classes[i].name, name) == 0) return (int)i;
  return -1;
}

int mjcf_find_class(mjcf *m, const xml_element *e, const char *attribute, int around) {
  const char *name = xml_get(e, attribute);
  if (!name) return around;
  const int found = class_of_name(m, name);
  if (found < 0 && (strcmp(name, "main") != 0 || m->class_count)) {
    const char *names[64];
    size_t count = 0;
    for (; count < m->class_count && count < 64; count++) names[count] = m->classes[count].name;
    char buffer[256];
    robot_fault(m->r, e, attribute, "there is no class '%s'%s", name,
                scene_suggest(name, names, count, buffer, sizeof buffer));
  }
  return found;
}

/* All kinds of actuators share their defaults, as do the two kinds of tendons. */
bool mjcf_is_actuator(const xml_element *e) {
  static const char *const drives[] = {"general", "motor",    "position", "velocity", "intvelocity",
                                       "damper",  "cylinder", "muscle",   "adhesion"};
  for (size_t i = 0; i < sizeof drives / sizeof *drives; i++)
    if (xml_is(e, drives[i])) return true;
  return false;
}

static bool is_kind(const xml_element *e, const char *kind) {
  return strcmp(kind, "actuator") == 0 ? mjcf_is_actuator(e) : xml_is(e, kind);
}

static const xml_element *in_default(const xml_element *d, const char *kind,
                                     const char *attribute) {
  const xml_element *found = NULL;
  for (const xml_element *c = d->first; c; c = c->next)
    if (is_kind(c, kind) && xml_get(c, attribute)) found = c;
  return found;
}

const xml_element *mjcf_find(const mjcf *m, const xml_element *e, int class, const char *kind,
                             const char *attribute) {
  if (xml_get(e, attribute)) return e;
  if (!m->class_count) return NULL;
  for (int c = class < 0 ? 0 : class, n = 0; c >= 0 && n < CLASS_DEPTH + 2;
       c = m->classes[c].outer, n++)
    for (size_t i = m->class_count; i-- > 0;) { /* given several times: the last one wins */
      if (strcmp(m->classes[i].name, m->classes[c].name) != 0) continue;
      const xml_element *found = in_default(m->classes[i].at, kind, attribute);
      if (found) return found;
    }
  return NULL;
}

const char *mjcf_text(const mjcf *m, const xml_element *e, int class, const char *kind,
                      const char *attribute) {
  const xml_element *holder = mjcf_find(m, e, class, kind, attribute);
  return holder ? xml_get(holder, attribute) : NULL;
}

scree_status mjcf_numbers(mjcf *m, const xml_element *e, int class, const char *kind,
                          const char *attribute, size_t least, size_t most, double *out,
                          size_t *count) {
  const xml_element *holder = mjcf_find(m, e, class, kind, attribute);
  return holder ? robot_numbers(m->r, holder, attribute, least, most, out, count) : SCREE_OK;
}

scree_status mjcf_number(mjcf *m, const xml_element *e, int class, const char *kind,
                         const char *attribute, double *out) {
  return mjcf_numbers(m, e, class, kind, attribute, 1, 1, out, NULL);
}

/* ---- orientations --------------------------------------------------------------------------- */

static quat from_axes(v3 x, v3 y) {
  x = v3_normalize(x);
  y = v3_normalize(v3_sub(y, v3_scale(v3_dot(x, y), x)));
  const v3 z = v3_cross(x, y);
  const double t = x.x + y.y + z.z;
  if (t > 0.0) return quat_normalize((quat){1.0 + t, y.z - z.y, z.x - x.z, x.y - y.x});
  if (x.x >= y.y && x.x >= z.z)
    return quat_normalize((quat){y.z - z.y, 1.0 + x.x - y.y - z.z, x.y + y.x, z.x + x.z});
  if (y.y >= z.z)
    return quat_normalize((quat){z.x - x.z, x.y + y.x, 1.0 + y.y - x.x - z.z, y.z + z.y});
  return quat_normalize((quat){x.y - y.x, z.x + x.z, y.z + z.y, 1.0 + z.z - x.x - y.y});
}

/* Small letters turn about the axes as they have become, capitals about the fixed ones. */
quat mjcf_from_euler(const mjcf *m, const double angles[3]) {
  quat q = quat_identity();
  for (int i = 0; i < 3; i++) {
    const char c = m->sequence[i];
    const double a = m->angle * angles[i];
    const quat one =
        quat_exp(v3_make(c == 'x' || c == 'X' ? a : 0.0, c == 'y' || c == 'Y' ? a : 0.0,
                         c == 'z' || c == 'Z' ? a : 0.0));
    q = c >= 'a' ? quat_mul(q, one) : quat_mul(one, q);
  }
  return q;
}

static scree_status read_turn(mjcf *m, const xml_element *e, int class, const char *kind, quat *out,
                              bool *given) {
  robot *r = m->r;
  static const struct {
    const char *name;
    size_t count;
  } forms[] = {{"quat", 4}, {"axisangle", 4}, {"euler", 3}, {"xyaxes", 6}, {"zaxis", 3}};
  double x[6];
  *given = false;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const char *name = forms[i].name;
    const xml_element *holder = mjcf_find(m, e, class, kind, name);
    /* An element's own orientation comes before any of its class. */
    if (!holder || (holder != e && *given)) continue;
    const scree_status status =
        robot_numbers(r, holder, name, forms[i].count, forms[i].count, x, NULL);
    if (status) return status;
    const v3 a = v3_load(x), b = {x[3], x[4], x[5]};
    bool fine = true;
    if (i == 0) {
      fine = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] > 0.0;
      if (fine) *out = quat_normalize((quat){x[0], x[1], x[2], x[3]});
    } else if (i == 1) {
      fine = v3_norm(a) > 0.0;
      if (fine) *out = quat_exp(v3_scale(m->angle * x[3], v3_normalize(a)));
    } else if (i == 2) {
      *out = mjcf_from_euler(m, x);
    } else if (i == 3) {
      fine = v3_norm(v3_cross(a, b)) > 1e-12 * v3_norm(a) * v3_norm(b) && v3_norm(a) > 0.0;
      if (fine) *out = from_axes(a, b);
    } else {
      fine = v3_norm(a) > 0.0;
      if (fine) *out = robot_turn_z(a);
    }
    if (!fine) return robot_fault(r, holder, name, "%s: it has no direction", name);
    if (holder == e) {
      *given = true;
      return SCREE_OK;
    }
    *given = true;
  }
  return SCREE_OK;
}

scree_status mjcf_pose(mjcf *m, const xml_element *e, int class, const char *kind, pose *out) {
  double x[3] = {0, 0, 0};
  bool given;
  *out = pose_identity();
  scree_status status = mjcf_numbers(m, e, class, kind, "pos", 3, 3, x, NULL);
  out->position = v3_load(x);
  if (!status) status = read_turn(m, e, class, kind, &out->rotation, &given);
  return status;
}

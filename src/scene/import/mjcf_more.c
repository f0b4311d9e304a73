/* Contacts, loops, tendons, sensors and keyframes of MJCF. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/import/mjcf.h"

int mjcf_find_body(const mjcf *m, const char *name) {
  if (!name) return ROBOT_WORLD - 1;
  if (strcmp(name, "world") == 0) return ROBOT_WORLD;
  for (size_t i = 0; i < m->r->body_count; i++)
    if (strcmp(m->r->bodies[i].name, name) == 0) return (int)i;
  return ROBOT_WORLD - 1;
}

robot_joint *mjcf_find_joint(const mjcf *m, const char *name) {
  for (size_t i = 0; name && i < m->r->joint_count; i++)
    if (strcmp(m->r->joints[i].name, name) == 0) return &m->r->joints[i];
  return NULL;
}

static const mjcf_site *find_site(const mjcf *m, const char *name) {
  for (size_t i = 0; name && i < m->site_count; i++)
    if (strcmp(m->sites[i].name, name) == 0) return &m->sites[i];
  return NULL;
}

static scree_status need_body(mjcf *m, const xml_element *e, const char *attribute, int *body) {
  const char *name = xml_get(e, attribute);
  *body = mjcf_find_body(m, name);
  if (*body >= ROBOT_WORLD) return SCREE_OK;
  return robot_fault(m->r, e, attribute, "<%s>: there is no body '%s'", e->name, name ? name : "");
}

scree_status mjcf_read_contact(mjcf *m, const xml_element *section) {
  for (const xml_element *e = section->first; e; e = e->next) {
    int body[2];
    if (xml_is(e, "pair")) {
      robot_lose(m->r, e, NULL, "<pair>: contacts of two geoms by a law of their own");
      continue;
    }
    if (!xml_is(e, "exclude")) continue;
    scree_status status = need_body(m, e, "body1", &body[0]);
    if (!status) status = need_body(m, e, "body2", &body[1]);
    if (!status) status = robot_add_apart(m->r, body[0], body[1]);
    if (status) return status;
  }
  return SCREE_OK;
}

/* ---- loops ---------------------------------------------------------------------------------- */

/* A body's pose where all joints are at their reference: the product of the places. */
static pose reference(const mjcf *m, int body) {
  pose p = pose_identity();
  for (int b = body, n = 0; b != ROBOT_WORLD && n < 100000; b = m->r->bodies[b].parent, n++)
    p = pose_mul(m->r->bodies[b].local, p);
  return p;
}

static scree_status tie_sites(mjcf *m, const xml_element *e, robot_tie *t) {
  for (int i = 0; i < 2; i++) {
    const char *key = i ? "site2" : "site1", *name = xml_get(e, key);
    const mjcf_site *s = find_site(m, name);
    if (!s) return robot_fault(m->r, e, key, "there is no site '%s'", name ? name : "");
    t->body[i] = s->body;
    t->point[i] = s->place.position;
  }
  return SCREE_OK;
}

static scree_status read_tie(mjcf *m, const xml_element *e, bool weld) {
  robot *r = m->r;
  robot_tie *t = robot_add_tie(r, e, weld ? ROBOT_TIE_FIXED : ROBOT_TIE_BALL);
  const char *name = xml_get(e, "name");
  if (!t) return SCREE_ERROR_MEMORY;
  t->name = name && *name ? name : robot_text(r, "%s.loop%zu", r->name, r->tie_count);
  if (!t->name) return SCREE_ERROR_MEMORY;
  if (xml_get(e, "site1")) return tie_sites(m, e, t);
  v3 anchor = {0, 0, 0};
  scree_status status = need_body(m, e, "body1", &t->body[0]);
  t->body[1] = ROBOT_WORLD;
  if (!status && xml_get(e, "body2")) status = need_body(m, e, "body2", &t->body[1]);
  if (!status && !weld) status = robot_vector(r, e, "anchor", &anchor);
  if (status) return status;
  const pose a = reference(m, t->body[0]), b = reference(m, t->body[1]);
  t->point[0] = anchor;
  t->point[1] = pose_apply_inverse(b, pose_apply(a, anchor));
  double relative[7] = {0, 1, 0, 0, 0, 0, 0};
  status = robot_numbers(r, e, "relpose", 7, 7, relative, NULL);
  const bool posed = relative[3] != 0 || relative[4] != 0 || relative[5] != 0 || relative[6] != 0;
  if (!status && weld && posed)
    t->point[1] = pose_apply_inverse(b, pose_apply(a, v3_load(relative)));
  if (!status && weld && posed)
    robot_note(r, e, "relpose", "the turn of two welded bodies is the one that they begin with");
  return status;
}

static scree_status read_joint_tie(mjcf *m, const xml_element *e) {
  robot *r = m->r;
  const char *a = xml_get(e, "joint1"), *b = xml_get(e, "joint2");
  robot_joint *j = mjcf_find_joint(m, a), *other = mjcf_find_joint(m, b);
  double c[5] = {0, 1, 0, 0, 0};
  const scree_status status = robot_numbers(r, e, "polycoef", 1, 5, c, NULL);
  if (status) return status;
  if (!j || (b && !other))
    return robot_fault(r, e, NULL, "<joint>: there is no joint '%s'", !j ? (a ? a : "") : b);
  if (c[2] != 0.0 || c[3] != 0.0 || c[4] != 0.0) {
    robot_lose(r, e, "polycoef", "joints tied by a curve");
    return SCREE_OK;
  }
  if (!b) { /* held where it is */
    j->limited = true;
    j->lower = j->upper = j->zero + c[0];
    return SCREE_OK;
  }
  robot_link *l = robot_add_link(r, e);
  if (!l) return SCREE_ERROR_MEMORY;
  l->name = j->name;
  l->joint = (size_t)(j - r->joints);
  l->other = (size_t)(other - r->joints);
  l->ratio = c[1];
  l->offset = j->zero + c[0] - c[1] * other->zero;
  return SCREE_OK;
}

scree_status mjcf_read_equality(mjcf *m, const xml_element *section) {
  scree_status status = SCREE_OK;
  for (const xml_element *e = section->first; e && !status; e = e->next) {
    const char *active = xml_get(e, "active");
    if (active && strcmp(active, "false") == 0)
      robot_note(m->r, e, NULL, "<%s>: not active", e->name);
    else if (xml_is(e, "connect") || xml_is(e, "weld"))
      status = read_tie(m, e, xml_is(e, "weld"));
    else if (xml_is(e, "joint"))
      status = read_joint_tie(m, e);
    else
      robot_lose(m->r, e, NULL, "<%s> in <equality>", e->name);
  }
  return status;
}

/* ---- tendons -------------------------------------------------------------------------------- */

static scree_status read_rope(mjcf *m, const xml_element *e, const mjcf_site *a, const mjcf_site *b,
                              const robot_tie *as, const char *suffix) {
  robot *r = m->r;
  const char *name = xml_get(e, "name");
  robot_tie *t = robot_add_tie(r, e, as->kind);
  if (!t) return SCREE_ERROR_MEMORY;
  t->name = name && *name ? robot_text(r, "%s%s", name, suffix)
                          : robot_text(r, "%s.rope%zu", r->name, r->tie_count);
  if (!t->name) return SCREE_ERROR_MEMORY;
  t->body[0] = a->body;
  t->body[1] = b->body;
  t->point[0] = a->place.position;
  t->point[1] = b->place.position;
  t->length = as->length;
  t->stiffness = as->stiffness;
  t->damping = as->damping;
  if (as->kind == ROBOT_TIE_STRUT && as->length < 0.0)
    t->length = v3_norm(v3_sub(pose_apply(reference(m, a->body), a->place.position),
                               pose_apply(reference(m, b->body), b->place.position)));
  return SCREE_OK;
}

/* A tendon between two sites, around nothing, that is limited from above is a rope. Sites of a
 * <replicate> have names with numbers: then there is a rope for each copy. */
static scree_status read_ropes(mjcf *m, const xml_element *e, const robot_tie *as, bool *done) {
  const xml_element *one = xml_child(e, "site"), *two = one ? xml_next(one, "site") : NULL;
  const char *a = one ? xml_get(one, "site") : NULL, *b = two ? xml_get(two, "site") : NULL;
  *done = false;
  if (!a || !b || e->first != one || one->next != two || two->next) return SCREE_OK;
  for (size_t i = 0; i < m->site_count; i++) {
    const size_t n = strlen(a);
    if (strncmp(m->sites[i].name, a, n) != 0) continue;
    const char *suffix = m->sites[i].name + n;
    if (*suffix && strspn(suffix, "0123456789") != strlen(suffix)) continue;
    const char *partner = robot_text(m->r, "%s%s", b, suffix);
    const mjcf_site *other = find_site(m, partner);
    if (!other) other = find_site(m, b);
    if (!other) continue;
    *done = true;
    const scree_status status = read_rope(m, e, &m->sites[i], other, as, suffix);
    if (status) return status;
  }
  return SCREE_OK;
}

scree_status mjcf_read_tendons(mjcf *m, const xml_element *section) {
  for (const xml_element *e = section->first; e; e = e->next) {
    const int class = mjcf_find_class(m, e, "class", 0);
    double range[2] = {0, 0}, stiffness[3] = {0}, damping[3] = {0}, friction = 0.0;
    scree_status status = mjcf_numbers(m, e, class, "tendon", "range", 2, 2, range, NULL);
    if (!status) status = mjcf_numbers(m, e, class, "tendon", "stiffness", 1, 3, stiffness, NULL);
    if (!status) status = mjcf_numbers(m, e, class, "tendon", "damping", 1, 3, damping, NULL);
    if (!status) status = mjcf_number(m, e, class, "tendon", "frictionloss", &friction);
    if (status) return status;
    const char *text = mjcf_text(m, e, class, "tendon", "limited");
    const bool limited = text && strcmp(text, "auto") != 0
                             ? strcmp(text, "true") == 0
                             : m->autolimits && mjcf_find(m, e, class, "tendon", "range");
    const bool acts = stiffness[0] != 0.0 || damping[0] != 0.0 || friction != 0.0;
    bool done = false;
    double rest[2] = {-1.0, 0.0};
    if (!status) status = mjcf_numbers(m, e, class, "tendon", "springlength", 1, 2, rest, NULL);
    const robot_tie rope = {.kind = ROBOT_TIE_ROPE, .length = range[1]};
    const robot_tie strut = {.kind = ROBOT_TIE_STRUT,
                             .length = rest[0],
                             .stiffness = stiffness[0],
                             .damping = damping[0]};
    const bool linear = friction == 0.0 && stiffness[1] == 0.0 && stiffness[2] == 0.0 &&
                        damping[1] == 0.0 && damping[2] == 0.0;
    if (!status && limited && !acts && xml_is(e, "spatial") && range[0] <= 0.0 && range[1] > 0.0)
      status = read_ropes(m, e, &rope, &done);
    if (!status && !limited && acts && linear && xml_is(e, "spatial"))
      status = read_ropes(m, e, &strut, &done);
    if (status) return status;
    if (done) continue;
    if (limited || acts)
      robot_lose(m->r, e, NULL, "<%s> tendon that %s%s%s", e->name, limited ? "is limited" : "",
                 limited && acts ? " and " : "", acts ? "pulls" : "");
    else
      robot_note(m->r, e, NULL, "<%s> tendon: it neither limits nor pulls", e->name);
  }
  return SCREE_OK;
}

/* ---- sensors -------------------------------------------------------------------------------- */

scree_status mjcf_read_sensors(mjcf *m, const xml_element *section) {
  static const char *const states[] = {
      "framepos",    "framequat",   "framexaxis",  "frameyaxis",  "framezaxis", "framelinvel",
      "frameangvel", "framelinacc", "frameangacc", "velocimeter", "gyro",       "accelerometer"};
  static const char *const forces[] = {"touch", "contact"};
  for (const xml_element *e = section->first; e; e = e->next) {
    const char *kind = NULL, *name = xml_get(e, "name"), *site = xml_get(e, "site");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
      if (xml_is(e, states[i])) kind = "body";
    for (size_t i = 0; i < sizeof forces / sizeof *forces; i++)
      if (xml_is(e, forces[i])) kind = "force";
    const char *type = xml_get(e, "objtype"), *object = xml_get(e, "objname");
    const robot_joint *j = mjcf_find_joint(m, xml_get(e, "joint"));
    int body = ROBOT_WORLD - 1;
    if (j && (strncmp(e->name, "joint", 5) == 0)) kind = "joint";
    if (type && object && strstr(type, "body")) body = mjcf_find_body(m, object);
    if (type && strcmp(type, "site") == 0) site = object;
    const mjcf_site *s = find_site(m, site);
    if (s) body = s->body;
    if (!kind || (body < 0 && strcmp(kind, "joint") != 0)) {
      robot_note(m->r, e, NULL, "<%s>: no probe for it", e->name);
      continue;
    }
    if (body >= 0)
      robot_note(m->r, e, NULL, "<%s>: a probe of the whole body, in the world's frame", e->name);
    robot_probe *p = robot_add_probe(m->r, e, NULL);
    if (!p) return SCREE_ERROR_MEMORY;
    p->name = name && *name ? name : robot_text(m->r, "%s%zu", e->name, m->r->probe_count);
    p->kind = kind;
    p->body = body;
    if (j) p->joint = (size_t)(j - m->r->joints);
    if (!p->name) return SCREE_ERROR_MEMORY;
  }
  return SCREE_OK;
}

/* ---- keyframes ------------------------------------------------------------------------------ */

/* qpos: bodies and joints in their order; 7 numbers of a free body, 4 of a ball joint, else 1. */
static scree_status set_positions(mjcf *m, const xml_element *e, const double *q, size_t count) {
  robot *r = m->r;
  size_t need = 0;
  for (size_t i = 0; i < r->body_count; i++) need += r->bodies[i].free ? 7 : 0;
  for (size_t i = 0; i < r->joint_count; i++) need += r->joints[i].kind == ROBOT_BALL ? 4 : 1;
  if (count != need)
    return robot_fault(r, e, "qpos", "qpos: %zu numbers; the model has %zu", count, need);
  for (size_t i = 0; i < r->body_count; i++) {
    robot_body *b = &r->bodies[i];
    const double size = b->free ? fabs(q[3]) + fabs(q[4]) + fabs(q[5]) + fabs(q[6]) : 1.0;
    if (!(size > 0.0)) return robot_fault(r, e, "qpos", "qpos: a quaternion of zeros");
    if (b->free) {
      b->local = (pose){v3_load(q), quat_normalize((quat){q[3], q[4], q[5], q[6]})};
      q += 7;
    }
    for (size_t k = 0; k < b->joints; k++) {
      robot_joint *j = &r->joints[b->joint + k];
      if (j->kind != ROBOT_BALL) {
        j->start = *q++;
        continue;
      }
      if (!(fabs(q[0]) + fabs(q[1]) + fabs(q[2]) + fabs(q[3]) > 0.0))
        return robot_fault(r, e, "qpos", "qpos: a quaternion of zeros");
      j->turn = quat_normalize((quat){q[0], q[1], q[2], q[3]});
      q += 4;
    }
  }
  return SCREE_OK;
}

static scree_status use_keyframe(mjcf *m, const xml_element *e) {
  double *q, *v, *u;
  size_t count, speeds;
  scree_status status = robot_list(m->r, e, "qpos", &q, &count);
  if (!status && count) status = set_positions(m, e, q, count);
  if (!status) status = robot_list(m->r, e, "qvel", &v, &speeds);
  for (size_t i = 0; !status && i < speeds; i++)
    if (v[i] != 0.0) {
      robot_lose(m->r, e, "qvel", "velocities of a keyframe: it begins at rest");
      break;
    }
  if (!status) status = robot_list(m->r, e, "ctrl", &u, &count);
  if (!status) {
    m->controls = u;
    m->control_count = count;
  }
  return status;
}

scree_status mjcf_read_keyframes(mjcf *m) {
  const char *wanted = m->r->def->keyframe;
  char *end = NULL;
  const long index = wanted ? strtol(wanted, &end, 10) : -1;
  long n = 0;
  const xml_element *any = NULL;
  for (const xml_element *s = xml_child(m->root, "keyframe"); s; s = xml_next(s, "keyframe"))
    for (const xml_element *e = xml_child(s, "key"); e; e = xml_next(e, "key"), n++) {
      const char *name = xml_get(e, "name");
      any = e;
      if (!wanted) {
        robot_note(m->r, e, NULL, "keyframe %ld%s%s: not used; --keyframe begins with it", n,
                   name ? " " : "", name ? name : "");
      } else if ((name && strcmp(name, wanted) == 0) || (*wanted && !*end && index == n)) {
        return use_keyframe(m, e);
      }
    }
  if (!wanted) return SCREE_OK;
  return robot_fault(m->r, any ? any : m->root, NULL, "there is no keyframe '%s'; there are %ld",
                     wanted, n);
}

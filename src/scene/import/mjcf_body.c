/* Bodies of MJCF with their joints: <worldbody> and what is nested in it.
 *
 * A <frame> is a placement of what it contains, a <replicate> a placement for each copy, whose
 * names end with the number of the copy. The contents of a body are read in three turns (joints and
 * inertia, geoms and sites, bodies), so that its joints lie together and parents come before their
 * children. */
#include <math.h>
#include <string.h>

#include "scene/import/mjcf.h"

enum { BODY_DEPTH = 180, COPY_LIMIT = 20000, JOINTS = 0, GEOMS = 1, BODIES = 2 };

typedef struct place {
  int body, class;
  pose frame; /* in the body */
  const char *suffix;
  int depth;
} place;

static scree_status read_body(mjcf *m, const xml_element *e, const place *around);

/* ---- joints --------------------------------------------------------------------------------- */

/* "true", "false", or auto: limited where there is a range. */
static bool is_limited(const mjcf *m, const xml_element *e, int class, const char *kind,
                       const char *flag, const char *range) {
  const char *text = mjcf_text(m, e, class, kind, flag);
  if (text && strcmp(text, "true") == 0) return true;
  if (text && strcmp(text, "false") == 0) return false;
  return m->autolimits && mjcf_find(m, e, class, kind, range);
}

static scree_status read_springs(mjcf *m, const xml_element *e, int class, robot_joint *j) {
  const double unit = j->kind == ROBOT_HINGE ? m->angle : 1.0;
  double ref = 0.0, rest = 0.0, range[2] = {0.0, 0.0}, force[2] = {-INFINITY, INFINITY};
  double stiffness[3] = {0}, damping[3] = {0};
  scree_status status = mjcf_number(m, e, class, "joint", "ref", &ref);
  if (!status) status = mjcf_number(m, e, class, "joint", "springref", &rest);
  if (!status) status = mjcf_numbers(m, e, class, "joint", "range", 2, 2, range, NULL);
  if (!status) status = mjcf_numbers(m, e, class, "joint", "stiffness", 1, 3, stiffness, NULL);
  if (!status) status = mjcf_numbers(m, e, class, "joint", "damping", 1, 3, damping, NULL);
  if (!status) status = mjcf_number(m, e, class, "joint", "frictionloss", &j->friction);
  if (!status) status = mjcf_number(m, e, class, "joint", "armature", &j->armature);
  if (!status) status = mjcf_numbers(m, e, class, "joint", "actuatorfrcrange", 2, 2, force, NULL);
  if (status) return status;
  if (stiffness[1] != 0.0 || stiffness[2] != 0.0 || damping[1] != 0.0 || damping[2] != 0.0)
    robot_lose(m->r, e, NULL, "joint '%s': springs and dampers that are not linear", j->name);
  j->stiffness = stiffness[0];
  j->damping = damping[0];
  if (j->stiffness < 0.0 || j->damping < 0.0 || j->friction < 0.0 || j->armature < 0.0)
    return robot_fault(m->r, e, NULL,
                       "joint '%s': stiffness, damping, frictionloss and armature "
                       "are at least 0",
                       j->name);
  j->zero = j->start = unit * ref;
  j->rest = unit * rest;
  j->limited = is_limited(m, e, class, "joint", "limited", "range");
  j->lower = unit * range[0];
  j->upper = unit * range[1];
  if (j->limited && j->kind != ROBOT_BALL && !(j->lower < j->upper))
    return robot_fault(
        m->r,
        mjcf_find(m, e, class, "joint", "range") ? mjcf_find(m, e, class, "joint", "range") : e,
        "range", "joint '%s': it is limited, but its range is %g … %g", j->name, range[0],
        range[1]);
  const bool clipped = is_limited(m, e, class, "joint", "actuatorfrclimited", "actuatorfrcrange");
  j->drive.lower = clipped ? force[0] : -INFINITY;
  j->drive.upper = clipped ? force[1] : INFINITY;
  return SCREE_OK;
}

static void drop_ball_features(mjcf *m, robot_joint *j) {
  if (j->limited) robot_lose(m->r, j->at, NULL, "joint '%s': a limit of a ball joint", j->name);
  if (j->friction > 0.0 || j->armature > 0.0)
    robot_lose(m->r, j->at, NULL, "joint '%s': frictionloss and armature of a ball joint", j->name);
  j->limited = false;
  j->friction = j->armature = 0.0;
}

static scree_status read_joint(mjcf *m, const xml_element *e, const place *p) {
  robot *r = m->r;
  const bool short_form = xml_is(e, "freejoint");
  const int class = mjcf_find_class(m, e, "class", p->class);
  const char *type = short_form ? "free" : mjcf_text(m, e, class, "joint", "type");
  if (r->doc->fault_count) return SCREE_ERROR_INPUT;
  if (p->body == ROBOT_WORLD) return robot_fault(r, e, NULL, "the world has no joints");
  robot_body *b = &r->bodies[p->body];
  if (type && strcmp(type, "free") == 0) {
    if (b->parent != ROBOT_WORLD)
      return robot_fault(r, e, NULL, "a free joint is for children of the world only");
    if (b->joints || b->free) return robot_fault(r, e, NULL, "a free joint has no other beside it");
    b->free = true;
    return SCREE_OK;
  }
  static const char *const kinds[] = {"hinge", "slide", "ball"};
  int kind = 0;
  while (type && kind < 3 && strcmp(kinds[kind], type) != 0) kind++;
  if (kind == 3)
    return robot_fault(r, mjcf_find(m, e, class, "joint", "type"), "type",
                       "joint: type '%s'; allowed: free, ball, slide, hinge", type);
  if (b->free) return robot_fault(r, e, NULL, "a free joint has no other beside it");
  const char *name = xml_get(e, "name");
  name = name && *name ? robot_text(r, "%s%s", name, p->suffix)
                       : robot_text(r, "%s.joint%zu", r->name, ++m->unnamed);
  robot_joint *j = robot_add_joint(r, e, name, (size_t)p->body);
  if (!j || !name) return SCREE_ERROR_MEMORY;
  j->kind = (robot_joint_kind)kind;
  double x[3] = {0, 0, 0}, axis[3] = {0, 0, 1};
  scree_status status = mjcf_numbers(m, e, class, "joint", "pos", 3, 3, x, NULL);
  if (!status) status = mjcf_numbers(m, e, class, "joint", "axis", 3, 3, axis, NULL);
  if (!status) status = read_springs(m, e, class, j);
  if (status) return status;
  const double length = v3_norm(v3_load(axis));
  if (kind < 2 && !(length > 0.0)) {
    const xml_element *holder = mjcf_find(m, e, class, "joint", "axis");
    return robot_fault(r, holder ? holder : e, "axis", "joint '%s': its axis has no direction",
                       name);
  }
  j->anchor = pose_apply(p->frame, v3_load(x));
  if (length > 0.0) j->axis = quat_rotate(p->frame.rotation, v3_scale(1.0 / length, v3_load(axis)));
  if (kind == 2) drop_ball_features(m, j);
  if (mjcf_find(m, e, class, "joint", "springdamper"))
    robot_lose(r, e, "springdamper", "joint '%s': a spring by time constant", name);
  return SCREE_OK;
}

static scree_status read_inertial(mjcf *m, const xml_element *e, const place *p) {
  robot *r = m->r;
  if (p->body == ROBOT_WORLD || !m->from_inertial) return SCREE_OK;
  robot_body *b = &r->bodies[p->body];
  double diagonal[3] = {0}, full[6] = {0};
  size_t d = 0, f = 0;
  pose at;
  scree_status status = mjcf_pose(m, e, 0, "inertial", &at);
  if (!status) status = robot_number(r, e, "mass", &b->mass);
  if (!status) status = robot_numbers(r, e, "diaginertia", 3, 3, diagonal, &d);
  if (!status) status = robot_numbers(r, e, "fullinertia", 6, 6, full, &f);
  if (status) return status;
  if (b->mass < 0.0) return robot_fault(r, e, "mass", "mass: %g is below 0", b->mass);
  if (!d && !f) {
    robot_note(r, e, NULL, "<inertial> without inertia: mass and inertia of the geoms are taken");
    b->mass = 0.0;
    return SCREE_OK;
  }
  /* fullinertia is xx yy zz xy xz yz */
  const double tensor[6] = {f ? full[0] : diagonal[0], f ? full[3] : 0.0,
                            f ? full[4] : 0.0,         f ? full[1] : diagonal[1],
                            f ? full[5] : 0.0,         f ? full[2] : diagonal[2]};
  b->has_mass = true;
  b->center = pose_apply(p->frame, at.position);
  robot_turn_inertia(tensor, quat_mul(p->frame.rotation, at.rotation), b->inertia);
  return SCREE_OK;
}

/* ---- contents ------------------------------------------------------------------------------- */

static scree_status read_site(mjcf *m, const xml_element *e, const place *p) {
  robot *r = m->r;
  const char *name = xml_get(e, "name");
  const int class = mjcf_find_class(m, e, "class", p->class);
  if (!name) return SCREE_OK;
  if (memory_grow(r->doc->context, &m->sites, m->site_count + 1, sizeof *m->sites))
    return SCREE_ERROR_MEMORY;
  mjcf_site *s = &m->sites[m->site_count++];
  *s = (mjcf_site){robot_text(r, "%s%s", name, p->suffix), p->body, pose_identity()};
  if (!s->name) return SCREE_ERROR_MEMORY;
  double ends[6];
  size_t count = 0;
  scree_status status = mjcf_pose(m, e, class, "site", &s->place);
  if (!status) status = mjcf_numbers(m, e, class, "site", "fromto", 6, 6, ends, &count);
  if (count) s->place.position = v3_scale(0.5, v3_add(v3_load(ends), v3_load(ends + 3)));
  s->place = pose_mul(p->frame, s->place);
  return status;
}

static scree_status read_contents(mjcf *m, const xml_element *e, const place *p, int turn);

static scree_status read_copies(mjcf *m, const xml_element *e, const place *p, int turn) {
  robot *r = m->r;
  double count = 1.0, offset[3] = {0, 0, 0}, euler[3] = {0, 0, 0};
  scree_status status = robot_number(r, e, "count", &count);
  if (!status) status = robot_numbers(r, e, "offset", 3, 3, offset, NULL);
  if (!status) status = robot_numbers(r, e, "euler", 3, 3, euler, NULL);
  if (status) return status;
  if (count != floor(count) || count < 1.0 || count > 10000.0)
    return robot_fault(r, e, "count", "replicate: count is a whole number from 1 to 10000");
  const char *sep = xml_get(e, "sep");
  int digits = 1;
  for (double x = count - 1.0; x >= 10.0; x /= 10.0) digits++;
  v3 position = v3_make(0, 0, 0);
  place inner = *p;
  inner.class = mjcf_find_class(m, e, "childclass", p->class);
  inner.depth++;
  /* A copy is turned by so many times the angles; the way to the next one turns with it. */
  for (int i = 0; i < (int)count && !status; i++) {
    const double angles[3] = {i * euler[0], i * euler[1], i * euler[2]};
    const pose at = {position, mjcf_from_euler(m, angles)};
    if (++m->copies > COPY_LIMIT)
      return robot_fault(r, e, "count", "replicate: more than %d copies in all", COPY_LIMIT);
    inner.frame = pose_mul(p->frame, at);
    inner.suffix = robot_text(r, "%s%s%0*d", p->suffix, sep ? sep : "", digits, i);
    if (!inner.suffix) return SCREE_ERROR_MEMORY;
    status = read_contents(m, e, &inner, turn);
    position = pose_apply(at, v3_load(offset));
  }
  return status;
}

static scree_status read_frame(mjcf *m, const xml_element *e, const place *p, int turn) {
  place inner = *p;
  pose at;
  inner.class = mjcf_find_class(m, e, "childclass", p->class);
  const scree_status status = mjcf_pose(m, e, 0, "frame", &at);
  if (status) return status;
  inner.frame = pose_mul(p->frame, at);
  inner.depth++;
  return read_contents(m, e, &inner, turn);
}

static scree_status read_contents(mjcf *m, const xml_element *e, const place *p, int turn) {
  scree_status status = SCREE_OK;
  if (p->depth > BODY_DEPTH)
    return robot_fault(m->r, e, NULL, "bodies nested more than %d deep", BODY_DEPTH);
  for (const xml_element *c = e->first; c && !status; c = c->next) {
    if (xml_is(c, "frame"))
      status = read_frame(m, c, p, turn);
    else if (xml_is(c, "replicate"))
      status = read_copies(m, c, p, turn);
    else if (turn == JOINTS && (xml_is(c, "joint") || xml_is(c, "freejoint")))
      status = read_joint(m, c, p);
    else if (turn == JOINTS && xml_is(c, "inertial"))
      status = read_inertial(m, c, p);
    else if (turn == GEOMS && xml_is(c, "geom"))
      status = mjcf_read_geom(m, c, p->class, p->body, p->frame, p->suffix);
    else if (turn == GEOMS && xml_is(c, "site"))
      status = read_site(m, c, p);
    else if (turn == BODIES && xml_is(c, "body"))
      status = read_body(m, c, p);
  }
  return status;
}

static scree_status read_body(mjcf *m, const xml_element *e, const place *around) {
  robot *r = m->r;
  const char *name = xml_get(e, "name"), *mocap = xml_get(e, "mocap");
  name = name && *name ? robot_text(r, "%s%s", name, around->suffix)
                       : robot_text(r, "%s.body%zu", r->name, ++m->unnamed);
  if (!name) return SCREE_ERROR_MEMORY;
  if (mjcf_find_body(m, name) >= 0)
    return robot_fault(r, e, "name", "body '%s' is given twice", name);
  if (r->body_count >= 100000) return robot_fault(r, e, NULL, "more than 100000 bodies");
  place p = {.class = mjcf_find_class(m, e, "childclass", around->class),
             .frame = pose_identity(),
             .suffix = around->suffix,
             .depth = around->depth + 1};
  if (r->doc->fault_count) return SCREE_ERROR_INPUT;
  pose at;
  scree_status status = mjcf_pose(m, e, 0, "body", &at);
  if (status) return status;
  robot_body *b = robot_add_body(r, e, name, around->body);
  if (!b) return SCREE_ERROR_MEMORY;
  p.body = (int)r->body_count - 1;
  b->local = pose_mul(around->frame, at);
  if (m->global) p.frame = pose_inverse(at); /* what is in it is given in the world too */
  b->held = mocap && strcmp(mocap, "true") == 0;
  status = robot_number(r, e, "gravcomp", &b->lift);
  for (int turn = JOINTS; turn <= BODIES && !status; turn++) status = read_contents(m, e, &p, turn);
  return status;
}

scree_status mjcf_read_world(mjcf *m, const xml_element *e) {
  const place p = {.body = ROBOT_WORLD,
                   .class = mjcf_find_class(m, e, "childclass", 0),
                   .frame = pose_identity(),
                   .suffix = ""};
  scree_status status = SCREE_OK;
  for (int turn = JOINTS; turn <= BODIES && !status; turn++) status = read_contents(m, e, &p, turn);
  return status;
}

/* MJCF, the format of MuJoCo, as far as docs/robots.md says: includes, compiler, options, and the
 * order in which the rest is read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/import/mjcf.h"

enum { INCLUDE_LIMIT = 200 };

static scree_status expand(mjcf *m, xml_element *parent);

/* The children of the included file take the place of the element. */
static scree_status include_file(mjcf *m, xml_element *parent, xml_element *before,
                                 xml_element *e) {
  robot *r = m->r;
  const char *name = xml_get(e, "file"), *path;
  if (!name) return robot_fault(r, e, NULL, "<include>: it needs a file");
  if (++m->depth > INCLUDE_LIMIT)
    return robot_fault(r, e, NULL, "more than %d includes; does a file include itself?",
                       INCLUDE_LIMIT);
  xml_element seen = *e;
  seen.file = m->root->file;
  scree_status status = robot_find_file(r, &seen, "", name, &path);
  if (!status && !path) status = robot_find_file(r, e, "", name, &path);
  if (status) return status;
  xml_element *first = NULL, *last = NULL;
  if (!path) {
    robot_lose(r, e, "file", "include '%s' is not there; it is left out", name);
  } else {
    const scene_node at = xml_place(e, "file");
    uint32_t file;
    xml_element *root = NULL;
    status = scene_open_file(r->doc, &at, m->root->file, path, &file);
    if (!status) status = xml_parse(r->doc, file, &root);
    if (status) return status;
    first = root->first;
    last = root->last;
  }
  xml_element *after = e->next;
  if (first) last->next = after;
  *(before ? &before->next : &parent->first) = first ? first : after;
  for (xml_element *c = first; c && c != after; c = c->next) c->parent = parent;
  if (!after) parent->last = last ? last : before;
  return SCREE_OK;
}

static scree_status expand(mjcf *m, xml_element *parent) {
  scree_status status = SCREE_OK;
  xml_element *before = NULL;
  for (xml_element *e = parent->first; e && !status;) {
    if (xml_is(e, "include")) {
      status = include_file(m, parent, before, e);
      e = before ? before->next : parent->first; /* what came in may include more */
      continue;
    }
    status = expand(m, e);
    before = e;
    e = e->next;
  }
  return status;
}

/* ---- compiler and option -------------------------------------------------------------------- */

static bool is_true(const char *text) {
  return text && strcmp(text, "true") == 0;
}

static scree_status read_compiler(mjcf *m, const xml_element *e) {
  robot *r = m->r;
  const char *text = xml_get(e, "angle");
  if (text) m->angle = strcmp(text, "radian") == 0 ? 1.0 : 3.14159265358979324 / 180.0;
  text = xml_get(e, "coordinate");
  if (text) m->global = strcmp(text, "global") == 0;
  text = xml_get(e, "eulerseq");
  if (text && strlen(text) == 3 && strspn(text, "xyzXYZ") == 3)
    memcpy(m->sequence, text, 3);
  else if (text)
    return robot_fault(r, e, "eulerseq", "eulerseq: three letters of xyzXYZ, not '%s'", text);
  text = xml_get(e, "inertiafromgeom");
  if (text) {
    m->from_inertial = strcmp(text, "true") != 0;
    m->from_geoms = strcmp(text, "false") != 0;
  }
  if (xml_get(e, "autolimits")) m->autolimits = is_true(xml_get(e, "autolimits"));
  if (xml_get(e, "strippath")) m->strippath = is_true(xml_get(e, "strippath"));
  if (xml_get(e, "balanceinertia")) m->balance = is_true(xml_get(e, "balanceinertia"));
  if (xml_get(e, "assetdir")) m->meshdir = xml_get(e, "assetdir");
  if (xml_get(e, "meshdir")) m->meshdir = xml_get(e, "meshdir");
  double groups[2] = {m->groups[0], m->groups[1]};
  scree_status status = robot_numbers(r, e, "inertiagrouprange", 2, 2, groups, NULL);
  for (int i = 0; i < 2; i++) m->groups[i] = (int)fmax(-100.0, fmin(100.0, groups[i]));
  if (!status) status = robot_number(r, e, "settotalmass", &m->total_mass);
  if (!status) status = robot_number(r, e, "boundmass", &m->least_mass);
  if (!status) status = robot_number(r, e, "boundinertia", &m->least_inertia);
  return status;
}

static void read_flags(mjcf *m, const xml_element *e) {
  static const char *const losses[] = {"constraint", "equality", "frictionloss",
                                       "limit",      "passive",  "actuation"};
  for (size_t i = 0; i < e->attribute_count; i++) {
    const char *name = e->attributes[i].name, *value = e->attributes[i].value;
    const bool off = strcmp(value, "disable") == 0;
    if (off && strcmp(name, "gravity") == 0) {
      m->r->has_gravity = true;
      memset(m->r->gravity, 0, sizeof m->r->gravity);
    } else if (off && strcmp(name, "contact") == 0) {
      m->no_contact = true;
    } else if (off) {
      for (size_t k = 0; k < sizeof losses / sizeof *losses; k++)
        if (strcmp(name, losses[k]) == 0)
          robot_lose(m->r, e, name, "%s is turned off in the file; here it acts", name);
    }
  }
}

static scree_status read_option(mjcf *m, const xml_element *e) {
  robot *r = m->r;
  double density = 0.0, viscosity = 0.0;
  v3 wind = {0, 0, 0}, gravity = v3_load(r->gravity);
  scree_status status = robot_number(r, e, "timestep", &r->step);
  if (!status) status = robot_vector(r, e, "gravity", &gravity);
  if (!status) status = robot_number(r, e, "density", &density);
  if (!status) status = robot_number(r, e, "viscosity", &viscosity);
  if (!status) status = robot_vector(r, e, "wind", &wind);
  if (status) return status;
  r->has_step = r->has_step || xml_get(e, "timestep");
  if (r->has_step && !(r->step > 0.0 && r->step <= 10.0))
    return robot_fault(r, e, "timestep", "timestep: %g; it is above 0 and at most 10 s", r->step);
  r->has_gravity = r->has_gravity || xml_get(e, "gravity");
  v3_store(r->gravity, gravity);
  if (density > 0.0 || viscosity > 0.0)
    robot_lose(r, e, density > 0.0 ? "density" : "viscosity",
               "the air or water around: nothing resists the motion in it");
  const char *collision = xml_get(e, "collision");
  if (collision && strcmp(collision, "predefined") == 0) m->no_contact = true;
  if (xml_child(e, "flag")) read_flags(m, xml_child(e, "flag"));
  return SCREE_OK;
}

/* ---- masses --------------------------------------------------------------------------------- */

static scree_status weigh(mjcf *m) {
  robot *r = m->r;
  for (size_t i = 0; i < r->body_count; i++)
    if (!m->from_geoms && !r->bodies[i].has_mass) r->bodies[i].has_mass = true; /* none: 0 */
  const scree_status status = robot_weigh(r);
  if (status) return status;
  double total = 0.0;
  for (size_t i = 0; i < r->body_count; i++) {
    robot_body *b = &r->bodies[i];
    if (m->least_mass > 0.0) b->mass = fmax(b->mass, m->least_mass);
    for (int k = 0; k < 6 && m->least_inertia > 0.0; k++)
      if (k == 0 || k == 3 || k == 5) b->inertia[k] = fmax(b->inertia[k], m->least_inertia);
    if (m->balance && b->mass > 0.0) robot_balance_inertia(b->inertia);
    total += b->mass;
  }
  if (!(m->total_mass > 0.0) || !(total > 0.0)) return SCREE_OK;
  for (size_t i = 0; i < r->body_count; i++) {
    r->bodies[i].mass *= m->total_mass / total;
    for (int k = 0; k < 6; k++) r->bodies[i].inertia[k] *= m->total_mass / total;
  }
  return SCREE_OK;
}

/* ---- all ------------------------------------------------------------------------------------ */

typedef scree_status section_reader(mjcf *m, const xml_element *e);

static scree_status each(mjcf *m, const char *name, section_reader *reader) {
  scree_status status = SCREE_OK;
  for (const xml_element *e = xml_child(m->root, name); e && !status; e = xml_next(e, name))
    status = reader(m, e);
  return status;
}

static scree_status read_default(mjcf *m, const xml_element *e) {
  return mjcf_read_defaults(m, e, -1, 0);
}

static scree_status read_all(mjcf *m) {
  scree_status status = expand(m, m->root);
  if (!status) status = each(m, "compiler", read_compiler);
  if (!status) status = each(m, "option", read_option);
  if (!status) status = each(m, "default", read_default);
  if (!status) status = each(m, "worldbody", mjcf_read_world);
  if (!status) status = each(m, "contact", mjcf_read_contact);
  if (!status) status = each(m, "equality", mjcf_read_equality);
  if (!status) status = each(m, "tendon", mjcf_read_tendons);
  if (!status) status = mjcf_read_keyframes(m);
  size_t number = 0;
  for (const xml_element *e = xml_child(m->root, "actuator"); e && !status;
       e = xml_next(e, "actuator"))
    status = mjcf_read_actuators(m, e, &number);
  if (!status) status = each(m, "sensor", mjcf_read_sensors);
  if (!status) mjcf_audit(m, m->root);
  if (!status) status = weigh(m);
  return status;
}

scree_status mjcf_read(robot *r, xml_element *root) {
  const char *name = xml_get(root, "model");
  mjcf m = {.r = r,
            .root = root,
            .angle = 3.14159265358979324 / 180.0,
            .sequence = "xyz",
            .meshdir = "",
            .autolimits = true,
            .from_geoms = true,
            .from_inertial = true,
            .groups = {0, 5}};
  r->name = name && *name ? name : "model";
  r->self_collides = r->mixes = true;
  const scree_status status = read_all(&m);
  memory_free(r->doc->context, m.classes);
  memory_free(r->doc->context, m.sites);
  return status;
}

/* URDF, the format of ROS: links joined by joints to a tree.
 *
 * Angles in rad, lengths in m. An origin is xyz and rpy: R = Rz(yaw) Ry(pitch) Rx(roll). A joint's
 * frame is its child's; its axis is given in it, default x. The coordinate of every joint is 0 in
 * the pose that the file gives. Collision geometry makes the shapes; what is only seen is left out.
 *
 * The root link is fixed in the world when it is called `world`, when it has no mass (with what is
 * fixed to it) or when the user says so; else it is free. */
#include <math.h>
#include <string.h>

#include "scene/import/robot.h"

typedef struct urdf_link {
  const char *name;
  const xml_element *at, *joint; /* joint: that it is the child of; null: a root */
  int body;                      /* in the robot; -2: not yet */
  size_t surface;
} urdf_link;

typedef struct urdf {
  robot *r;
  const xml_element *root;
  urdf_link *links;
  size_t link_count;
} urdf;

enum { NOT_YET = -2, LINK_LIMIT = 20000 };

static urdf_link *find_link(urdf *u, const char *name) {
  for (size_t i = 0; name && i < u->link_count; i++)
    if (strcmp(u->links[i].name, name) == 0) return &u->links[i];
  return NULL;
}

/* ---- what is left out ----------------------------------------------------------------------- */

static bool is_one_of(const char *word, const char *list) {
  const size_t n = strlen(word);
  for (const char *x = strstr(list, word); x; x = strstr(x + 1, word))
    if ((x == list || x[-1] == ' ') && (x[n] == ' ' || !x[n])) return true;
  return false;
}

static void audit(robot *r, const xml_element *e, const char *elements, const char *attributes) {
  for (size_t i = 0; i < e->attribute_count; i++)
    if (!is_one_of(e->attributes[i].name, attributes) && !strchr(e->attributes[i].name, ':') &&
        strcmp(e->attributes[i].name, "xmlns") != 0)
      robot_note(r, e, e->attributes[i].name, "attribute '%s' of <%s>: not imported",
                 e->attributes[i].name, e->name);
  for (const xml_element *c = e->first; c; c = c->next)
    if (!is_one_of(c->name, elements))
      robot_note(r, c, NULL, "<%s> in <%s>: not imported", c->name, e->name);
}

/* Of Gazebo's own elements some change the motion when they are not what they are by default. */
static void audit_gazebo(robot *r, const xml_element *e) {
  static const char acts[] = "springStiffness springReference dampingFactor turnGravityOff static";
  for (const xml_element *c = e->first; c; c = c->next) {
    const bool on = strstr(c->text, "true") || strpbrk(c->text, "123456789");
    if ((is_one_of(c->name, acts) && on) ||
        (xml_is(c, "gravity") && (strstr(c->text, "false") || !on)))
      robot_lose(r, c, NULL, "<%s> in <gazebo>: it acts there and not here", c->name);
  }
  audit(r, e,
        "mu1 mu2 mu material springStiffness springReference dampingFactor turnGravityOff static "
        "gravity",
        "reference");
}

static scree_status refuse_macros(robot *r, const xml_element *e) {
  if (strncmp(e->name, "xacro:", 6) == 0)
    return robot_fault(r, e, NULL,
                       "<%s>: this is a template of xacro; run `xacro FILE > robot.urdf` first",
                       e->name);
  for (const xml_element *c = e->first; c; c = c->next) {
    const scree_status status = refuse_macros(r, c);
    if (status) return status;
  }
  return SCREE_OK;
}

/* ---- parts ---------------------------------------------------------------------------------- */

static scree_status read_origin(robot *r, const xml_element *parent, pose *out) {
  const xml_element *e = xml_child(parent, "origin");
  *out = pose_identity();
  if (!e) return SCREE_OK;
  v3 rpy = {0, 0, 0};
  scree_status status = robot_vector(r, e, "xyz", &out->position);
  if (!status) status = robot_vector(r, e, "rpy", &rpy);
  const quat roll = quat_exp(v3_make(rpy.x, 0, 0)), pitch = quat_exp(v3_make(0, rpy.y, 0)),
             yaw = quat_exp(v3_make(0, 0, rpy.z));
  out->rotation = quat_mul(yaw, quat_mul(pitch, roll));
  audit(r, e, "", "xyz rpy");
  return status;
}

static scree_status read_inertial(robot *r, const xml_element *link, robot_body *b) {
  static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  const xml_element *e = xml_child(link, "inertial");
  if (!e) return SCREE_OK;
  pose place;
  scree_status status = read_origin(r, e, &place);
  const xml_element *mass = xml_child(e, "mass"), *inertia = xml_child(e, "inertia");
  if (status) return status;
  if (!mass || !xml_get(mass, "value"))
    return robot_fault(r, e, NULL, "<inertial>: it needs <mass value=\"…\"/>");
  status = robot_number(r, mass, "value", &b->mass);
  if (!status && b->mass < 0.0)
    status = robot_fault(r, mass, "value", "mass: %g is below 0", b->mass);
  double tensor[6] = {0};
  for (int k = 0; k < 6 && inertia && !status; k++)
    status = robot_number(r, inertia, names[k], &tensor[k]);
  b->has_mass = true;
  b->center = place.position;
  robot_turn_inertia(tensor, place.rotation, b->inertia);
  audit(r, e, "origin mass inertia", "");
  audit(r, mass, "", "value");
  if (inertia) audit(r, inertia, "", "ixx ixy ixz iyy iyz izz");
  return status;
}

static scree_status read_mesh(robot *r, const xml_element *e, robot_geom *g) {
  const char *name = xml_get(e, "filename");
  if (!name) return robot_fault(r, e, NULL, "<mesh>: it needs a filename");
  double scale[3];
  size_t count = 0;
  scree_status status = robot_numbers(r, e, "scale", 1, 3, scale, &count);
  if (!status && count == 2) status = robot_fault(r, e, "scale", "scale: 1 or 3 numbers");
  if (count == 1) scale[1] = scale[2] = scale[0];
  if (count) g->stretch = v3_load(scale);
  if (!status && g->stretch.x * g->stretch.y * g->stretch.z == 0.0)
    status = robot_fault(r, e, "scale", "scale: 0 leaves nothing");
  g->kind = ROBOT_MESH;
  g->convex = r->def->meshes == SCREE_IMPORT_HULLS;
  return status ? status : robot_use_mesh(r, e, "filename", "", name, g);
}

static scree_status read_lengths(robot *r, const xml_element *e, const char *a, const char *b,
                                 robot_geom *g) {
  scree_status status = robot_number(r, e, a, &g->size[0]);
  if (!status && b) status = robot_number(r, e, b, &g->size[1]);
  if (!status && !(g->size[0] > 0.0 && (!b || g->size[1] > 0.0)))
    status = robot_fault(r, e, NULL, "<%s>: it needs %s%s%s above 0", e->name, a, b ? " and " : "",
                         b ? b : "");
  g->size[1] *= 0.5;
  return status;
}

static const char *attributes_of(const xml_element *shape) {
  return xml_is(shape, "box")      ? "size"
         : xml_is(shape, "sphere") ? "radius"
         : xml_is(shape, "mesh")   ? "filename scale"
         : xml_is(shape, "plane")  ? "normal"
                                   : "radius length";
}

static scree_status read_geometry(robot *r, const xml_element *owner, robot_geom *g) {
  const xml_element *geometry = xml_child(owner, "geometry");
  const xml_element *e = geometry ? geometry->first : NULL;
  if (!e) return robot_fault(r, owner, NULL, "<%s>: it needs a <geometry>", owner->name);
  for (const xml_element *more = e->next; more; more = more->next)
    robot_lose(r, more, NULL, "a second shape in a <geometry>, <%s>", more->name);
  audit(r, e, "", attributes_of(e));
  if (xml_is(e, "box")) {
    v3 size = {0, 0, 0};
    const scree_status status = robot_vector(r, e, "size", &size);
    g->kind = ROBOT_BOX;
    v3_store(g->size, v3_scale(0.5, size));
    if (!status && !(size.x > 0.0 && size.y > 0.0 && size.z > 0.0))
      return robot_fault(r, e, "size", "<box>: it needs a size of three numbers above 0");
    return status;
  }
  g->kind = xml_is(e, "sphere")     ? ROBOT_SPHERE
            : xml_is(e, "cylinder") ? ROBOT_CYLINDER
            : xml_is(e, "capsule")  ? ROBOT_CAPSULE
                                    : ROBOT_PLANE;
  if (g->kind == ROBOT_SPHERE) return read_lengths(r, e, "radius", NULL, g);
  if (g->kind != ROBOT_PLANE) return read_lengths(r, e, "radius", "length", g);
  if (xml_is(e, "mesh")) return read_mesh(r, e, g);
  if (!xml_is(e, "plane")) {
    robot_lose(r, e, NULL, "geometry <%s>: not known", e->name);
    g->solid = g->weighed = false;
    return SCREE_OK;
  }
  v3 normal = {0, 0, 1};
  const scree_status status = robot_vector(r, e, "normal", &normal);
  if (status) return status;
  if (!(v3_norm(normal) > 0.0)) return robot_fault(r, e, "normal", "normal: it has no direction");
  g->shift.rotation = robot_turn_z(normal);
  return SCREE_OK;
}

/* What a material cannot have is reported, not bent in silence. */
static scree_status bound(robot *r, const xml_element *e, const char *attribute, double *value) {
  const bool turns = xml_is(e, "rolling_friction") || xml_is(e, "spinning_friction");
  const double most = xml_is(e, "restitution") ? 1.0 : turns ? 1e6 : 100.0;
  if (*value < 0.0) return robot_fault(r, e, attribute, "<%s>: %g is below 0", e->name, *value);
  if (*value > most) {
    robot_note(r, e, attribute, "<%s>: %g is taken as %g, the most that a material has", e->name,
               *value, most);
    *value = most;
  }
  return SCREE_OK;
}

/* Bullet's <contact> in a link and Gazebo's mu1 say how it rubs. */
static scree_status read_surface(urdf *u, urdf_link *l) {
  robot *r = u->r;
  robot_surface s = {.at = l->at, .friction = -1.0};
  const xml_element *c = xml_child(l->at, "contact");
  scree_status status = SCREE_OK;
  for (const xml_element *e = c ? c->first : NULL; e && !status; e = e->next) {
    double *to = xml_is(e, "lateral_friction")    ? &s.friction
                 : xml_is(e, "rolling_friction")  ? &s.rolling
                 : xml_is(e, "spinning_friction") ? &s.spinning
                 : xml_is(e, "restitution")       ? &s.restitution
                                                  : NULL;
    if (to) {
      status = robot_number(r, e, "value", to);
      if (!status && xml_get(e, "value")) status = bound(r, e, "value", to);
    } else {
      robot_note(r, e, NULL, "<%s>: not imported; contacts are hard", e->name);
    }
  }
  for (const xml_element *e = xml_child(u->root, "gazebo"); e && !status;
       e = xml_next(e, "gazebo")) {
    const char *name = xml_get(e, "reference");
    if (!name || strcmp(name, l->name) != 0) continue;
    const xml_element *mu = xml_child(e, "mu1");
    double value;
    if (!mu) mu = xml_child(e, "mu");
    if (!mu) continue;
    if (!robot_text_number(mu->text, &value))
      return robot_fault(r, mu, NULL, "<%s>: '%.40s' is no number", mu->name, mu->text);
    status = bound(r, mu, NULL, &value);
    s.friction = value;
    s.at = e;
  }
  if (status) return status;
  const bool any = s.friction >= 0.0 || s.rolling > 0.0 || s.spinning > 0.0 || s.restitution > 0.0;
  l->surface = SIZE_MAX;
  if (!any) return SCREE_OK;
  if (s.friction < 0.0) s.friction = 0.5;
  return robot_find_surface(r, &s, &l->surface);
}

static scree_status read_shapes(robot *r, urdf_link *l, const char *what, bool solid) {
  scree_status status = SCREE_OK;
  for (const xml_element *e = xml_child(l->at, what); e && !status; e = xml_next(e, what)) {
    const char *given = xml_get(e, "name");
    robot_geom *g = robot_add_geom(r, e, NULL, l->body);
    if (!g) return SCREE_ERROR_MEMORY;
    g->name = given && *given ? given : robot_text(r, "%s.%s%zu", l->name, what, r->geom_count);
    g->surface = l->surface;
    g->solid = solid;
    if (r->def->density > 0.0) g->density = r->def->density;
    status = read_origin(r, e, &g->place);
    if (!status) status = read_geometry(r, e, g);
    if (!solid) g->solid = false;
    audit(r, e, "origin geometry material contact_coefficients", "name group concave");
  }
  return status;
}

/* ---- links and joints ----------------------------------------------------------------------- */

static scree_status read_link(urdf *u, urdf_link *l, int parent) {
  robot *r = u->r;
  robot_body *b = robot_add_body(r, l->at, l->name, parent);
  if (!b) return SCREE_ERROR_MEMORY;
  l->body = (int)r->body_count - 1;
  scree_status status = read_inertial(r, l->at, b);
  if (!status) status = read_surface(u, l);
  if (!status) status = read_shapes(r, l, "collision", true);
  b = &r->bodies[l->body];
  if (!b->has_mass && !(r->def->density > 0.0)) b->has_mass = true; /* none: 0 */
  if (!status && !b->has_mass && !xml_child(l->at, "collision"))
    status = read_shapes(r, l, "visual", false);
  audit(r, l->at, "inertial visual collision contact self_collision_checking", "name type");
  return status;
}

static scree_status read_limits(robot *r, const xml_element *e, const char *type, robot_joint *j) {
  const xml_element *l = xml_child(e, "limit");
  const bool wanted = strcmp(type, "revolute") == 0 || strcmp(type, "prismatic") == 0;
  if (!l && wanted)
    return robot_fault(r, e, NULL, "joint '%s': a %s joint needs a <limit>", j->name, type);
  if (!l) return SCREE_OK;
  scree_status status = robot_number(r, l, "lower", &j->lower);
  if (!status) status = robot_number(r, l, "upper", &j->upper);
  if (!status && wanted && j->lower > j->upper)
    status = robot_fault(r, l, NULL, "joint '%s': its lower limit %g is above the upper one, %g",
                         j->name, j->lower, j->upper);
  const bool given = xml_get(l, "lower") || xml_get(l, "upper");
  if (!wanted && given)
    robot_note(r, l, NULL, "joint '%s': lower and upper limit nothing at a %s joint", j->name,
               type);
  if (!status && wanted && j->lower == j->upper)
    robot_note(r, l, NULL,
               given ? "joint '%s': lower and upper are the same: it does not move"
                     : "joint '%s': lower and upper are 0 where they are not given: it "
                       "does not move",
               j->name);
  j->limited = wanted;
  j->drive.lower = -INFINITY;
  j->drive.upper = INFINITY;
  if (xml_get(l, "effort") || xml_get(l, "velocity"))
    robot_note(r, l, NULL,
               "joint '%s': limits of effort and velocity are those of a drive; there is none",
               j->name);
  audit(r, l, "", "lower upper effort velocity");
  return status;
}

static scree_status read_dynamics(robot *r, const xml_element *e, robot_joint *j) {
  const xml_element *d = xml_child(e, "dynamics");
  if (!d) return SCREE_OK;
  scree_status status = robot_number(r, d, "damping", &j->damping);
  if (!status) status = robot_number(r, d, "friction", &j->friction);
  if (!status && (j->damping < 0.0 || j->friction < 0.0))
    status = robot_fault(r, d, NULL, "joint '%s': damping and friction are at least 0", j->name);
  audit(r, d, "", "damping friction");
  return status;
}

static scree_status read_joint(urdf *u, const xml_element *e, size_t body) {
  robot *r = u->r;
  const char *type = xml_get(e, "type"), *name = xml_get(e, "name");
  pose place;
  scree_status status = read_origin(r, e, &place);
  r->bodies[body].local = place;
  audit(r, e, "origin parent child axis limit dynamics mimic safety_controller calibration",
        "name type");
  if (status || strcmp(type, "fixed") == 0) return status;
  if (strcmp(type, "floating") == 0) {
    r->bodies[body].free = true;
    if (xml_child(e, "limit") || xml_child(e, "dynamics") || xml_child(e, "mimic"))
      robot_note(r, e, NULL, "joint '%s': a floating joint has no limit, dynamics or mimic", name);
    return SCREE_OK;
  }
  robot_joint *j = robot_add_joint(r, e, name, body);
  if (!j) return SCREE_ERROR_MEMORY;
  j->kind = strcmp(type, "prismatic") == 0 ? ROBOT_SLIDE
            : strcmp(type, "planar") == 0  ? ROBOT_PLANAR
                                           : ROBOT_HINGE;
  const xml_element *axis = xml_child(e, "axis");
  j->axis = v3_make(1, 0, 0);
  if (axis) audit(r, axis, "", "xyz");
  if (axis) status = robot_vector(r, axis, "xyz", &j->axis);
  if (!status && !(v3_norm(j->axis) > 0.0))
    return robot_fault(r, axis, "xyz", "joint '%s': its axis has no direction", name);
  j->axis = v3_normalize(j->axis);
  if (!status) status = read_limits(r, e, type, j);
  if (!status) status = read_dynamics(r, e, j);
  if (!status && j->kind == ROBOT_PLANAR && (j->damping > 0.0 || j->friction > 0.0)) {
    robot_lose(r, e, NULL, "joint '%s': damping and friction of a planar joint", name);
    j->damping = j->friction = 0.0;
  }
  for (const char *const *x = (const char *const[]){"safety_controller", "calibration", NULL}; *x;
       x++)
    if (xml_child(e, *x))
      robot_note(r, xml_child(e, *x), NULL, "<%s>: of a controller; not imported", *x);
  return status;
}

static scree_status read_mimic(urdf *u, const xml_element *e) {
  robot *r = u->r;
  const xml_element *m = xml_child(e, "mimic");
  const char *name = xml_get(e, "name"), *other = m ? xml_get(m, "joint") : NULL;
  if (!m) return SCREE_OK;
  audit(r, m, "", "joint multiplier offset");
  if (other && name && strcmp(other, name) == 0)
    return robot_fault(r, m, "joint", "mimic: joint '%s' follows itself", name);
  robot_link *l = robot_add_link(r, m);
  if (!l) return SCREE_ERROR_MEMORY;
  l->name = name;
  l->ratio = 1.0;
  scree_status status = robot_number(r, m, "multiplier", &l->ratio);
  if (!status) status = robot_number(r, m, "offset", &l->offset);
  size_t found = 0;
  for (size_t i = 0; i < r->joint_count; i++) {
    if (strcmp(r->joints[i].name, name) == 0) l->joint = i, found |= 1;
    if (other && strcmp(r->joints[i].name, other) == 0) l->other = i, found |= 2;
  }
  if (!status && found != 3)
    status =
        robot_fault(r, m, "joint", "mimic: there is no joint '%s' that moves", other ? other : "");
  return status;
}

/* ---- the tree ------------------------------------------------------------------------------- */

static scree_status collect_links(urdf *u) {
  robot *r = u->r;
  size_t count = 0;
  for (const xml_element *e = xml_child(u->root, "link"); e; e = xml_next(e, "link")) count++;
  if (!count) return robot_fault(r, u->root, NULL, "<robot>: there is no <link>");
  if (count > LINK_LIMIT) return robot_fault(r, u->root, NULL, "more than %d links", LINK_LIMIT);
  u->links = scene_alloc(r->doc, count * sizeof *u->links);
  if (!u->links) return SCREE_ERROR_MEMORY;
  for (const xml_element *e = xml_child(u->root, "link"); e; e = xml_next(e, "link")) {
    const char *name = xml_get(e, "name");
    if (!name || !*name) return robot_fault(r, e, NULL, "<link>: it needs a name");
    if (find_link(u, name)) return robot_fault(r, e, "name", "link '%s' is given twice", name);
    u->links[u->link_count++] =
        (urdf_link){.name = name, .at = e, .body = NOT_YET, .surface = SIZE_MAX};
  }
  return SCREE_OK;
}

static scree_status collect_joint(urdf *u, const xml_element *e) {
  robot *r = u->r;
  const char *type = xml_get(e, "type"), *name = xml_get(e, "name");
  if (!name || !*name) return robot_fault(r, e, NULL, "<joint>: it needs a name");
  if (!type || !is_one_of(type, "fixed revolute continuous prismatic planar floating"))
    return robot_fault(r, e, "type",
                       "joint '%s': type '%s'; allowed: fixed, revolute, continuous, prismatic, "
                       "planar, floating",
                       name, type ? type : "");
  for (const xml_element *o = xml_child(u->root, "joint"); o && o != e; o = xml_next(o, "joint"))
    if (xml_get(o, "name") && strcmp(xml_get(o, "name"), name) == 0)
      return robot_fault(r, e, "name", "joint '%s' is given twice", name);
  const xml_element *p = xml_child(e, "parent"), *c = xml_child(e, "child");
  const char *pn = p ? xml_get(p, "link") : NULL, *cn = c ? xml_get(c, "link") : NULL;
  urdf_link *parent = find_link(u, pn), *child = find_link(u, cn);
  if (!parent)
    return robot_fault(r, p ? p : e, "link", "joint '%s': there is no link '%s'", name,
                       pn ? pn : "");
  if (!child)
    return robot_fault(r, c ? c : e, "link", "joint '%s': there is no link '%s'", name,
                       cn ? cn : "");
  if (child->joint)
    return robot_fault(r, c, "link", "link '%s' is the child of two joints, '%s' and '%s'", cn,
                       xml_get(child->joint, "name"), name);
  if (parent == child)
    return robot_fault(r, e, NULL, "joint '%s' joins link '%s' with itself", name, cn);
  child->joint = e;
  return SCREE_OK;
}

/* All links whose parent is already there, until there is none left: parents come first. */
static scree_status read_tree(urdf *u) {
  robot *r = u->r;
  scree_status status = SCREE_OK;
  for (size_t done = 0, before = SIZE_MAX; done < u->link_count && !status;) {
    if (done == before) {
      for (size_t i = 0; i < u->link_count; i++)
        if (u->links[i].body == NOT_YET)
          return robot_fault(r, u->links[i].joint, NULL,
                             "link '%s' is in a loop of joints: URDF is a tree", u->links[i].name);
    }
    before = done;
    for (size_t i = 0; i < u->link_count && !status; i++) {
      urdf_link *l = &u->links[i];
      if (l->body != NOT_YET) continue;
      const urdf_link *parent =
          l->joint ? find_link(u, xml_get(xml_child(l->joint, "parent"), "link")) : NULL;
      if (parent && parent->body == NOT_YET) continue;
      status = read_link(u, l, parent ? parent->body : ROBOT_WORLD);
      if (!status && l->joint) status = read_joint(u, l->joint, (size_t)l->body);
      done++;
    }
  }
  return status;
}

/* A root that nothing holds is free; without mass it is taken for a stand. */
static void free_roots(urdf *u) {
  robot *r = u->r;
  for (size_t i = 0; i < r->body_count; i++) {
    robot_body *root = &r->bodies[i];
    if (root->parent != ROBOT_WORLD || root->joints || root->free) continue;
    if (strcmp(root->name, "world") == 0 || r->def->fixed_base) continue;
    double mass = 0.0;
    for (size_t k = 0; k < r->body_count; k++) {
      size_t top = k;
      while (r->bodies[top].parent != ROBOT_WORLD && !r->bodies[top].joints && !r->bodies[top].free)
        top = (size_t)r->bodies[top].parent;
      if (top == i) mass += r->bodies[k].mass;
    }
    root->free = mass > 0.0;
    if (!root->free)
      robot_note(r, root->at, NULL, "link '%s' has no mass: it is fixed in the world", root->name);
  }
}

scree_status urdf_read(robot *r, const xml_element *root) {
  urdf u = {.r = r, .root = root};
  const char *name = xml_get(root, "name");
  r->name = name && *name ? name : "robot";
  r->self_collides = r->def->self_collide;
  scree_status status = refuse_macros(r, root);
  if (!status) status = collect_links(&u);
  for (const xml_element *e = xml_child(root, "joint"); e && !status; e = xml_next(e, "joint"))
    status = collect_joint(&u, e);
  if (!status) status = read_tree(&u);
  for (const xml_element *e = xml_child(root, "joint"); e && !status; e = xml_next(e, "joint"))
    status = read_mimic(&u, e);
  if (status) return status;
  for (const xml_element *e = xml_child(root, "gazebo"); e; e = xml_next(e, "gazebo"))
    audit_gazebo(r, e);
  audit(r, root, "link joint material gazebo", "name version");
  status = robot_weigh(r);
  if (!status) free_roots(&u);
  return status;
}

/* Geoms of MJCF with the meshes and height fields that they name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/import/mjcf.h"

/* An asset of a kind by its name; a mesh without name is called as its file. */
static const xml_element *find_asset(const mjcf *m, const char *kind, const char *name) {
  for (const xml_element *s = xml_child(m->root, "asset"); s; s = xml_next(s, "asset"))
    for (const xml_element *e = xml_child(s, kind); e; e = xml_next(e, kind)) {
      const char *own = xml_get(e, "name"), *file = xml_get(e, "file");
      if (own ? strcmp(own, name) == 0 : false) return e;
      if (own || !file) continue;
      const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
      const char *dot = strrchr(base, '.');
      const size_t n = dot ? (size_t)(dot - base) : strlen(base);
      if (strlen(name) == n && strncmp(base, name, n) == 0) return e;
    }
  return NULL;
}

static scree_status use_mesh(mjcf *m, const xml_element *at, const char *name, robot_geom *g) {
  robot *r = m->r;
  const xml_element *e = find_asset(m, "mesh", name);
  if (!e) return robot_fault(r, at, "mesh", "there is no mesh '%s' in <asset>", name);
  const int class = mjcf_find_class(m, e, "class", 0);
  double scale[3] = {1, 1, 1}, at_point[3] = {0, 0, 0}, turn[4] = {1, 0, 0, 0};
  scree_status status = mjcf_numbers(m, e, class, "mesh", "scale", 3, 3, scale, NULL);
  if (!status) status = robot_numbers(r, e, "refpos", 3, 3, at_point, NULL);
  if (!status) status = robot_numbers(r, e, "refquat", 4, 4, turn, NULL);
  if (status) return status;
  if (scale[0] * scale[1] * scale[2] == 0.0)
    return robot_fault(r, e, "scale", "scale: 0 leaves nothing");
  if (turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3] == 0.0)
    return robot_fault(r, e, "refquat", "refquat: it has no direction");
  g->shift = pose_inverse(
      (pose){v3_load(at_point), quat_normalize((quat){turn[0], turn[1], turn[2], turn[3]})});
  g->stretch = v3_load(scale);
  g->convex = r->def->meshes != SCREE_IMPORT_EXACT;
  const char *inertia = mjcf_text(m, e, class, "mesh", "inertia");
  g->weighs_as_hull = inertia && strcmp(inertia, "convex") == 0;
  g->counts = !inertia || strcmp(inertia, "legacy") == 0;
  if (g->weighed && inertia && strcmp(inertia, "shell") == 0)
    robot_lose(r, e, "inertia",
               "mesh '%s': mass and inertia of a shell: those of the solid are taken", name);
  const char *file = xml_get(e, "file");
  if (file) {
    g->kind = ROBOT_MESH;
    const char *slash = strrchr(file, '/');
    status = robot_use_mesh(r, e, "file", m->meshdir, m->strippath && slash ? slash + 1 : file, g);
    g->path_file = m->root->file; /* folders are seen from the model, not from what it includes */
    return status;
  }
  double *points;
  size_t count;
  status = robot_list(r, e, "vertex", &points, &count);
  if (status) return status;
  if (count < 12 || count % 3) {
    robot_lose(r, e, NULL, "mesh '%s': it has neither a file nor four vertices", name);
    g->solid = g->weighed = false;
    return SCREE_OK;
  }
  g->kind = ROBOT_HULL;
  double *own = scene_alloc(r->doc, count * sizeof *own); /* others may use the same vertices */
  if (!own) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++) own[i] = points[i] * scale[i % 3];
  g->points = own;
  g->point_count = count / 3;
  if (xml_get(e, "face"))
    robot_note(r, e, "face", "mesh '%s': the hull of its vertices is taken", name);
  return SCREE_OK;
}

static scree_status use_field(mjcf *m, const xml_element *at, const char *name, robot_geom *g) {
  robot *r = m->r;
  const xml_element *e = find_asset(m, "hfield", name);
  if (!e) return robot_fault(r, at, "hfield", "there is no hfield '%s' in <asset>", name);
  double size[4], *heights, rows = 0, columns = 0;
  size_t count, sizes = 0;
  scree_status status = robot_numbers(r, e, "size", 4, 4, size, &sizes);
  if (!status) status = robot_number(r, e, "nrow", &rows);
  if (!status) status = robot_number(r, e, "ncol", &columns);
  if (!status) status = robot_list(r, e, "elevation", &heights, &count);
  if (status) return status;
  g->kind = ROBOT_FIELD;
  g->weighed = false;
  if (xml_get(e, "file") || !count) {
    robot_lose(r, e, NULL, "hfield '%s': heights of a file are not read; the ground is left out",
               name);
    g->solid = false;
    return SCREE_OK;
  }
  if (rows < 2 || columns < 2 || rows > 1e4 || columns > 1e4 || rows * columns != (double)count ||
      !sizes || !(size[0] > 0.0 && size[1] > 0.0 && size[2] > 0.0 && size[3] > 0.0))
    return robot_fault(r, e, NULL,
                       "hfield '%s': nrow times ncol heights and a size of four "
                       "numbers above 0 are expected",
                       name);
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    low = fmin(low, heights[i]);
    high = fmax(high, heights[i]);
  }
  g->rows = (size_t)rows;
  g->columns = (size_t)columns;
  g->points = scene_alloc(r->doc, count * sizeof *g->points);
  if (!g->points) return SCREE_ERROR_MEMORY;
  for (size_t j = 0; j < g->rows; j++) /* the first row of the file is the farthest along y */
    for (size_t i = 0; i < g->columns; i++)
      g->points[(g->rows - 1 - j) * g->columns + i] =
          high > low ? size[2] * (heights[j * g->columns + i] - low) / (high - low) : 0.0;
  g->spacing[0] = 2.0 * size[0] / (columns - 1.0);
  g->spacing[1] = 2.0 * size[1] / (rows - 1.0);
  g->thickness = size[3];
  return SCREE_OK;
}

/* From two points: the axis of a capsule, cylinder, box or ellipsoid and its half length. */
static scree_status read_ends(mjcf *m, const xml_element *e, int class, robot_geom *g, double *half,
                              bool *given) {
  const xml_element *holder = mjcf_find(m, e, class, "geom", "fromto");
  *given = false;
  const bool takes = g->kind == ROBOT_CAPSULE || g->kind == ROBOT_CYLINDER ||
                     g->kind == ROBOT_BOX || g->kind == ROBOT_ELLIPSOID;
  if (!holder || !takes) return SCREE_OK;
  double x[6];
  const scree_status status = robot_numbers(m->r, holder, "fromto", 6, 6, x, NULL);
  if (status) return status;
  /* z points from the second to the first: boxes are turned about it accordingly. */
  const v3 a = v3_load(x), b = v3_load(x + 3), d = v3_sub(a, b);
  if (!(v3_norm(d) > 0.0))
    return robot_fault(m->r, holder, "fromto", "fromto: the two points are the same");
  *half = 0.5 * v3_norm(d);
  *given = true;
  g->place = (pose){v3_scale(0.5, v3_add(a, b)), robot_turn_z(d)};
  return SCREE_OK;
}

static scree_status read_size(mjcf *m, const xml_element *e, int class, robot_geom *g) {
  static const size_t wanted[] = {1, 3, 3, 2, 2};
  double half = 0.0;
  size_t count = 0;
  bool ends;
  scree_status status = read_ends(m, e, class, g, &half, &ends);
  if (!status) status = mjcf_numbers(m, e, class, "geom", "size", 0, 3, g->size, &count);
  if (status || g->kind > ROBOT_CYLINDER) return status;
  if (ends && count >= 1) {
    const bool round = g->kind == ROBOT_CAPSULE || g->kind == ROBOT_CYLINDER;
    if (!round) {
      g->size[1] = g->size[0]; /* whatever else is given */
      g->size[2] = half;
    } else {
      g->size[1] = half;
    }
    count = wanted[g->kind];
  }
  bool fine = count >= wanted[g->kind];
  for (size_t i = 0; i < wanted[g->kind] && fine; i++) fine = g->size[i] > 0.0;
  if (fine) return SCREE_OK;
  const xml_element *holder = mjcf_find(m, e, class, "geom", "size");
  return robot_fault(m->r, holder ? holder : e, holder ? "size" : NULL,
                     "geom: a size of %zu number%s above 0 is expected%s", wanted[g->kind],
                     wanted[g->kind] == 1 ? "" : "s",
                     g->kind == ROBOT_SPHERE ? "" : " (fewer with fromto)");
}

/* Sliding, spinning and rolling; what a material cannot have is reported, not bent in silence. */
static scree_status read_friction(mjcf *m, const xml_element *e, int class, double friction[3]) {
  enum { MOST = 100 };
  scree_status status = mjcf_numbers(m, e, class, "geom", "friction", 1, 3, friction, NULL);
  for (int i = 0; i < 3 && !status; i++) {
    if (friction[i] < 0.0)
      return robot_fault(m->r, mjcf_find(m, e, class, "geom", "friction"), "friction",
                         "friction: %g is below 0", friction[i]);
    if (friction[i] <= MOST) continue;
    robot_note(m->r, mjcf_find(m, e, class, "geom", "friction"), "friction",
               "friction: %g is taken as %d, the most that a material has", friction[i], (int)MOST);
    friction[i] = MOST;
  }
  return status;
}

static scree_status read_surface(mjcf *m, const xml_element *e, int class, robot_geom *g) {
  double friction[3] = {1.0, 0.005, 0.0001}, condim = 3.0, priority = 0.0;
  double as = 1.0, with = 1.0;
  scree_status status = read_friction(m, e, class, friction);
  if (!status) status = mjcf_number(m, e, class, "geom", "condim", &condim);
  if (!status) status = mjcf_number(m, e, class, "geom", "priority", &priority);
  if (!status) status = mjcf_number(m, e, class, "geom", "contype", &as);
  if (!status) status = mjcf_number(m, e, class, "geom", "conaffinity", &with);
  if (status) return status;
  if (condim != 1.0 && condim != 3.0 && condim != 4.0 && condim != 6.0)
    return robot_fault(m->r, mjcf_find(m, e, class, "geom", "condim"), "condim",
                       "condim: %g; allowed: 1, 3, 4, 6", condim);
  if (as < 0.0 || with < 0.0 || as > 2147483647.0 || with > 2147483647.0 || as != floor(as) ||
      with != floor(with))
    return robot_fault(m->r, e, NULL, "contype and conaffinity: bits from 0 to 2^31 - 1");
  g->meets_as = (uint32_t)as;
  g->meets = (uint32_t)with;
  if ((!g->meets_as && !g->meets) || m->no_contact) g->solid = false;
  if (!g->solid) return SCREE_OK;
  const robot_surface s = {.at = e,
                           .condim = (int)condim,
                           .priority = (int)fmax(-1e9, fmin(1e9, priority)),
                           .friction = friction[0],
                           .spinning = friction[1],
                           .rolling = friction[2]};
  return robot_find_surface(m->r, &s, &g->surface);
}

static scree_status read_weight(mjcf *m, const xml_element *e, int class, robot_geom *g) {
  double group = 0.0;
  scree_status status = mjcf_number(m, e, class, "geom", "density", &g->density);
  if (!status) status = mjcf_number(m, e, class, "geom", "mass", &g->mass);
  if (!status) status = mjcf_number(m, e, class, "geom", "group", &group);
  if (status) return status;
  if (g->density < 0.0 || (mjcf_find(m, e, class, "geom", "mass") && g->mass < 0.0))
    return robot_fault(m->r, e, NULL, "geom: mass and density are at least 0");
  if (group < m->groups[0] || group > m->groups[1]) g->weighed = false;
  const char *shell = mjcf_text(m, e, class, "geom", "shellinertia");
  if (shell && strcmp(shell, "true") == 0)
    robot_lose(m->r, e, "shellinertia", "inertia of a shell: that of the solid is taken");
  return SCREE_OK;
}

scree_status mjcf_read_geom(mjcf *m, const xml_element *e, int around, int body, pose frame,
                            const char *suffix) {
  static const char *const kinds[] = {"sphere", "ellipsoid", "box",  "capsule", "cylinder",
                                      "plane",  "hull",      "mesh", "hfield"};
  robot *r = m->r;
  const int class = mjcf_find_class(m, e, "class", around);
  if (r->doc->fault_count) return SCREE_ERROR_INPUT;
  const char *name = xml_get(e, "name"), *type = mjcf_text(m, e, class, "geom", "type");
  const char *mesh = mjcf_text(m, e, class, "geom", "mesh");
  size_t kind = 0;
  while (type && kind < 9 && (kind == 6 || strcmp(kinds[kind], type) != 0)) kind++;
  if (kind == 9 && strcmp(type, "sdf") != 0)
    return robot_fault(r, mjcf_find(m, e, class, "geom", "type"), "type",
                       "geom: there is no type '%s'", type);
  robot_geom *g = robot_add_geom(r, e, NULL, body);
  if (!g) return SCREE_ERROR_MEMORY;
  g->name = name && *name ? robot_text(r, "%s%s", name, suffix)
                          : robot_text(r, "%s.geom%zu", r->name, ++m->unnamed);
  if (!g->name) return SCREE_ERROR_MEMORY;
  g->kind = kind == 9 ? ROBOT_SPHERE : (robot_geom_kind)kind;
  scree_status status = read_surface(m, e, class, g);
  if (!status) status = read_weight(m, e, class, g);
  /* What neither touches nor weighs is for the eye: its mesh need not be there. */
  if (body == ROBOT_WORLD || r->bodies[body].has_mass || g->mass == 0.0) g->weighed = false;
  if (!status && !g->solid && !g->weighed) return SCREE_OK;
  if (!status && (kind == 9 || (mesh && g->kind < ROBOT_PLANE))) {
    robot_lose(r, e, NULL,
               kind == 9 ? "geom of type sdf: left out" : "geom fitted to a mesh: left out");
    g->solid = g->weighed = false;
    return SCREE_OK;
  }
  if (!status) status = mjcf_pose(m, e, class, "geom", &g->place);
  if (!status) status = read_size(m, e, class, g);
  const char *field = mjcf_text(m, e, class, "geom", "hfield");
  if (!status && g->kind == ROBOT_MESH)
    status = mesh ? use_mesh(m, e, mesh, g)
                  : robot_fault(r, e, NULL, "geom of type mesh: it needs the name of a mesh");
  if (!status && kind == 8)
    status = field ? use_field(m, e, field, g)
                   : robot_fault(r, e, NULL, "geom of type hfield: it needs the name of one");
  g->place = pose_mul(frame, g->place);
  return status;
}

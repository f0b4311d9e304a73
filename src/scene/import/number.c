/* Attributes of a robot's file as numbers, and the files that it names. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "scene/import/robot.h"

enum { NUMBER_LIMIT = 10000000 };

static const char *skip(const char *x) {
  while (isspace((unsigned char)*x) || *x == ',') x++;
  return x;
}

/* One number at x, or null when there is none that is finite. */
static const char *read_one(const char *x, double *out) {
  char *end;
  *out = number_read(x, &end);
  if (end == x || !isfinite(*out)) return NULL;
  if (*end && !isspace((unsigned char)*end) && *end != ',') return NULL;
  return end;
}

scree_status robot_numbers(robot *r, const xml_element *e, const char *attribute, size_t least,
                           size_t most, double *out, size_t *count) {
  const char *text = xml_get(e, attribute);
  if (!text) return SCREE_OK;
  size_t n = 0;
  for (const char *x = skip(text); *x; x = skip(x), n++) {
    double value;
    const char *after = read_one(x, &value);
    if (!after)
      return robot_fault(r, e, attribute, "%s: '%.40s' is no finite number", attribute, x);
    if (n == most)
      return robot_fault(r, e, attribute, "%s: more than %zu numbers", attribute, most);
    out[n] = value;
    x = after;
  }
  if (n < least)
    return robot_fault(r, e, attribute, "%s: %zu number%s; %zu are expected", attribute, n,
                       n == 1 ? "" : "s", least);
  if (count) *count = n;
  return SCREE_OK;
}

scree_status robot_number(robot *r, const xml_element *e, const char *attribute, double *out) {
  return robot_numbers(r, e, attribute, 1, 1, out, NULL);
}

scree_status robot_vector(robot *r, const xml_element *e, const char *attribute, v3 *out) {
  if (!xml_get(e, attribute)) return SCREE_OK;
  double x[3];
  const scree_status status = robot_numbers(r, e, attribute, 3, 3, x, NULL);
  if (!status) *out = v3_load(x);
  return status;
}

scree_status robot_list(robot *r, const xml_element *e, const char *attribute, double **out,
                        size_t *count) {
  const char *text = xml_get(e, attribute);
  size_t room = 0;
  *count = 0;
  *out = NULL;
  for (const char *x = text ? skip(text) : ""; *x; x = skip(x)) {
    while (*x && !isspace((unsigned char)*x) && *x != ',') x++;
    room++;
  }
  if (!room) return SCREE_OK;
  if (room > NUMBER_LIMIT)
    return robot_fault(r, e, attribute, "%s: more than %d numbers", attribute, NUMBER_LIMIT);
  *out = scene_alloc(r->doc, room * sizeof **out);
  if (!*out) return SCREE_ERROR_MEMORY;
  return robot_numbers(r, e, attribute, 0, room, *out, count);
}

/* ---- files ---------------------------------------------------------------------------------- */

static bool is_there(const robot *r, uint32_t from, const char *path) {
  char full[4096];
  const char *base = from < r->doc->file_count ? r->doc->files[from].path : "";
  const char *slash = strrchr(base, '/');
  const int n = path[0] == '/' || !slash
                    ? snprintf(full, sizeof full, "%s", path)
                    : snprintf(full, sizeof full, "%.*s%s", (int)(slash - base + 1), base, path);
  if (n < 0 || (size_t)n >= sizeof full) return false;
  for (size_t i = 0; i < r->doc->file_count; i++)
    if (strcmp(r->doc->files[i].path, full) == 0) return true;
  return !r->doc->sealed && access(full, R_OK) == 0;
}

static scree_status take(robot *r, const xml_element *e, const char *path, const char **out) {
  if (!is_there(r, e->file, path)) return SCREE_OK;
  *out = scene_copy_text(r->doc, path, strlen(path));
  return *out ? SCREE_OK : SCREE_ERROR_MEMORY;
}

scree_status robot_find_file(robot *r, const xml_element *e, const char *folder, const char *name,
                             const char **path) {
  static const char *const schemes[] = {"package://", "model://"};
  static const char *const up[] = {"", "../", "../../", "../../../", "../../../../"};
  char full[4096];
  *path = NULL;
  scree_status status = SCREE_OK;
  const char *inside = NULL; /* package/rest */
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    if (strncmp(name, schemes[i], strlen(schemes[i])) == 0) inside = name + strlen(schemes[i]);
  if (strncmp(name, "file://", 7) == 0) name += 7;
  if (!inside) {
    const bool joined = folder && *folder && name[0] != '/';
    const bool ended = joined && folder[strlen(folder) - 1] == '/';
    snprintf(full, sizeof full, "%s%s%s", joined ? folder : "", joined && !ended ? "/" : "", name);
    return take(r, e, full, path);
  }
  const char *rest = strchr(inside, '/');
  for (size_t i = 0; i < sizeof up / sizeof *up && !status && !*path; i++) {
    snprintf(full, sizeof full, "%s%s", up[i], inside);
    status = take(r, e, full, path);
    if (status || *path || !rest) continue;
    snprintf(full, sizeof full, "%s%s", up[i], rest + 1);
    status = take(r, e, full, path);
  }
  return status;
}

bool robot_text_number(const char *text, double *value) {
  const char *after = read_one(skip(text), value);
  return after && !*skip(after);
}

scree_status robot_use_mesh(robot *r, const xml_element *e, const char *attribute,
                            const char *folder, const char *name, robot_geom *g) {
  const char *dot = strrchr(name, '.');
  char end[8] = "";
  for (size_t i = 0; dot && i < sizeof end - 1 && dot[i]; i++)
    end[i] = (char)tolower((unsigned char)dot[i]), end[i + 1] = 0;
  bool known = strcmp(end, ".stl") == 0 || strcmp(end, ".obj") == 0 || strcmp(end, ".ply") == 0;
#ifdef SCREE_WITH_ASSIMP
  known = true;
#endif
  g->path_file = e->file;
  scree_status status = SCREE_OK;
  if (!known) {
    robot_lose(r, e, attribute, "mesh '%s': formats are STL, OBJ and PLY; the shape is left out",
               name);
  } else {
    status = robot_find_file(r, e, folder, name, &g->path);
    if (!status && !g->path)
      robot_lose(r, e, attribute, "mesh '%s' is not there; the shape is left out", name);
  }
  if (!g->path) g->solid = g->weighed = false;
  return status;
}

/* The shortest turn that takes z to a direction. */
quat robot_turn_z(v3 d) {
  const v3 n = v3_normalize(d);
  if (n.z < -1.0 + 1e-12) return (quat){0, 1, 0, 0};
  return quat_normalize((quat){1.0 + n.z, -n.y, n.x, 0.0});
}

/* Bodies from a table: a header line names the columns, lines that begin with # are remarks. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "scene/build/build.h"

enum { X, Y, Z, QW, QX, QY, QZ, VX, VY, VZ, WX, WY, WZ, RADIUS, MASS, ID, COLUMN_KINDS };
static const char *const column_names[] = {"x",  "y",  "z",  "qw", "qx", "qy",     "qz",   "vx",
                                           "vy", "vz", "wx", "wy", "wz", "radius", "mass", "id"};
enum { COLUMN_LIMIT = 32 };

typedef struct csv_reader {
  scree_scene *scene;
  const char *at, *end;
  scene_node place; /* for messages */
  int kinds[COLUMN_LIMIT];
  size_t columns;
  bool has[COLUMN_KINDS];
  scree_shape *shape; /* of the last radius */
  double radius;
} csv_reader;

/* Takes the next line that is not a remark into `line`; false: no more. */
static bool next_line(csv_reader *r, const char **line, size_t *length) {
  while (r->at < r->end) {
    const char *start = r->at, *stop = memchr(start, '\n', (size_t)(r->end - start));
    if (!stop) stop = r->end;
    r->at = stop < r->end ? stop + 1 : stop;
    r->place.line++;
    while (stop > start && isspace((unsigned char)stop[-1])) stop--;
    if (stop == start || *start == '#') continue;
    *line = start;
    *length = (size_t)(stop - start);
    return true;
  }
  return false;
}

static scree_status read_header(csv_reader *r) {
  const char *line;
  size_t length;
  scene_document *doc = &r->scene->doc;
  if (!next_line(r, &line, &length)) {
    r->place.line = r->place.column = 1;
    return scene_fault(doc, &r->place, "the table is empty; a header and rows are wanted");
  }
  for (size_t i = 0; i <= length;) {
    size_t stop = i;
    while (stop < length && line[stop] != ',') stop++;
    size_t first = i, last = stop;
    while (first < last && isspace((unsigned char)line[first])) first++;
    while (last > first && isspace((unsigned char)line[last - 1])) last--;
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)(last - first > 30 ? 30 : last - first), line + first);
    r->place.column = (uint32_t)first + 1;
    int kind = 0;
    while (kind < COLUMN_KINDS && strcmp(column_names[kind], word) != 0) kind++;
    char buffer[256];
    if (kind == COLUMN_KINDS)
      return scene_fault(doc, &r->place, "unknown column '%s'%s", word,
                         scene_suggest(word, column_names, COLUMN_KINDS, buffer, sizeof buffer));
    if (r->has[kind]) return scene_fault(doc, &r->place, "column '%s' is given twice", word);
    r->has[kind] = true;
    r->kinds[r->columns++] = kind;
    i = stop + 1;
  }
  for (int k = X; k <= Z; k++)
    if (!r->has[k]) return scene_fault(doc, &r->place, "column '%s' is missing", column_names[k]);
  return SCREE_OK;
}

static scree_status read_row(csv_reader *r, const char *line, size_t length, double *value) {
  const char *at = line, *end = line + length;
  scene_document *doc = &r->scene->doc;
  for (size_t i = 0; i < r->columns; i++) {
    r->place.column = (uint32_t)(at - line) + 1;
    char *after;
    double x = number_read(at, &after);
    if (after == at || after > end || !isfinite(x))
      return scene_fault(doc, &r->place, "column '%s': a finite number is wanted",
                         column_names[r->kinds[i]]);
    value[r->kinds[i]] = x;
    at = after;
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    bool last = i + 1 == r->columns;
    r->place.column = (uint32_t)(at - line) + 1;
    if (last ? at != end : at >= end || *at != ',')
      return scene_fault(doc, &r->place, "%zu columns are wanted, as in the header", r->columns);
    at++;
  }
  return SCREE_OK;
}

static scree_status row_shape(csv_reader *r, double radius) {
  if (r->shape && r->radius == radius) return SCREE_OK;
  scree_shape_destroy(r->shape);
  r->shape = NULL;
  r->radius = radius;
  if (!(radius > 0.0))
    return scene_fault(&r->scene->doc, &r->place, "column 'radius': %g is not over 0", radius);
  return scree_shape_create_sphere(r->scene->context, radius, &r->shape);
}

static scree_status add_row(csv_reader *r, scree_world *world, const scene_template *t,
                            scree_shape *given, const double *value) {
  scree_body_def def = t->def;
  for (int i = 0; i < 3; i++) {
    def.position[i] += value[X + i];
    if (r->has[VX + i]) def.velocity[i] = value[VX + i];
    if (r->has[WX + i]) def.angular[i] = value[WX + i];
  }
  if (r->has[QW])
    for (int i = 0; i < 4; i++) def.rotation[i] = value[QW + i];
  def.shape = given;
  if (r->has[RADIUS]) {
    scree_status status = row_shape(r, value[RADIUS]);
    if (status) return status;
    def.shape = r->shape;
  }
  if (r->has[MASS] && !scene_given(&t->keys.head, &scene_section_body, "density")) {
    if (!(value[MASS] > 0.0))
      return scene_fault(&r->scene->doc, &r->place, "column 'mass': %g is not over 0", value[MASS]);
    def.mass = value[MASS];
  }
  return scene_add_body(r->scene, world, &def, &r->place);
}

scree_status scene_build_csv(scree_scene *scene, scree_world *world, const scene_scope *scope,
                             scene_template *t) {
  scene_generator_keys k = {.number = -1};
  scree_status status = scene_read(&scene->doc, scope, t->keys.csv, &scene_section_csv, &k);
  if (status) return status;
  const scene_node *at = scene_place(&k.head, "file");
  uint32_t file;
  status = scene_open_file(&scene->doc, at, at->file, k.file, &file);
  if (status) return status;
  csv_reader r = {.scene = scene, .at = scene->doc.files[file].bytes, .place = {.file = file}};
  r.end = r.at + scene->doc.files[file].size;
  if (r.end - r.at >= 3 && memcmp(r.at, "\xef\xbb\xbf", 3) == 0) r.at += 3;
  status = read_header(&r);
  if (status) return status;
  if (r.has[RADIUS] == (t->keys.shape != NULL))
    return scene_fault(&scene->doc, at,
                       r.has[RADIUS] ? "csv: the table has radii, so a shape is not wanted"
                                     : "csv: the table has no radii, so a shape is wanted");
  scree_shape *given = NULL;
  bool owned = false;
  if (t->keys.shape) status = scene_template_shape(scene, scope, t, 1.0, &given, &owned);
  const char *line;
  size_t length;
  long n = 0;
  for (; !status && n != k.number && next_line(&r, &line, &length); n++) {
    double value[COLUMN_KINDS] = {0};
    status = read_row(&r, line, length, value);
    r.place.column = 1;
    if (!status) status = add_row(&r, world, t, given, value);
  }
  if (!status && n == 0 && k.number != 0) {
    r.place.column = 1;
    status = scene_fault(&scene->doc, &r.place, "the table has a header and no rows");
  }
  scree_shape_destroy(r.shape);
  if (owned) scree_shape_destroy(given);
  return status;
}

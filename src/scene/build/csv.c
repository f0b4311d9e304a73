/* Bodies from a table: a header line names the columns, lines that begin with # are remarks. What
 * `scree export --format csv` writes for bodies is one too: its first column is `frame`, units are
 * in brackets, some columns are texts and some are of no use here; one frame is taken, and of it
 * the dynamic bodies. */
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
/* The columns of exports: the same kinds, and some more. */
enum { FRAME = COLUMN_KINDS, DIAMETER, EXPORT_NUMBERS, KIND = EXPORT_NUMBERS, SHAPE, EXPORT_KINDS };
static const struct {
  const char *name;
  int kind;
} export_names[] = {{"frame", FRAME},
                    {"x", X},
                    {"y", Y},
                    {"z", Z},
                    {"Orientation_w", QW},
                    {"Orientation_x", QX},
                    {"Orientation_y", QY},
                    {"Orientation_z", QZ},
                    {"Velocity_x", VX},
                    {"Velocity_y", VY},
                    {"Velocity_z", VZ},
                    {"AngularVelocity_x", WX},
                    {"AngularVelocity_y", WY},
                    {"AngularVelocity_z", WZ},
                    {"Mass", MASS},
                    {"Diameter", DIAMETER},
                    {"Kind", KIND},
                    {"Shape", SHAPE}};
enum { COLUMN_LIMIT = 64, UNUSED = -1 };

typedef struct csv_reader {
  scree_scene *scene;
  const char *at, *end;
  scene_node place; /* for messages */
  int kinds[COLUMN_LIMIT];
  size_t columns;
  bool has[EXPORT_KINDS];
  bool exported;      /* it is an export */
  double frame;       /* the one that is read */
  scree_shape *shape; /* of the last radius */
  double radius;
} csv_reader;

/* A row: its numbers, and the texts of an export. */
typedef struct csv_row {
  double value[EXPORT_NUMBERS];
  bool dynamic, sphere;
  char shape[32];
} csv_row;

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

static int plain_kind(const char *word) {
  int kind = 0;
  while (kind < COLUMN_KINDS && strcmp(column_names[kind], word) != 0) kind++;
  return kind;
}

/* "Mass [kg]" by its name. */
static int export_kind(const char *word) {
  const size_t length = strcspn(word, " [");
  for (size_t i = 0; i < sizeof export_names / sizeof *export_names; i++)
    if (strlen(export_names[i].name) == length && strncmp(export_names[i].name, word, length) == 0)
      return export_names[i].kind;
  return UNUSED;
}

static scree_status read_header(csv_reader *r) {
  const char *line;
  size_t length;
  scene_document *doc = &r->scene->doc;
  if (!next_line(r, &line, &length)) {
    r->place.line = r->place.column = 1;
    return scene_fault(doc, &r->place, "the table is empty; a header and rows are expected");
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
    if (i == 0 && strcmp(word, "frame") == 0) r->exported = true;
    if (r->columns == COLUMN_LIMIT)
      return scene_fault(doc, &r->place, "more than %d columns", (int)COLUMN_LIMIT);
    int kind = r->exported ? export_kind(word) : plain_kind(word);
    if (kind == UNUSED) {
      r->kinds[r->columns++] = UNUSED;
      i = stop + 1;
      continue;
    }
    char buffer[256];
    if (kind == COLUMN_KINDS && !r->exported)
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

/* The text up to the next comma, quotes left out; where it ends. */
static const char *take_text(const char *at, const char *end, char *text, size_t size) {
  size_t used = 0;
  bool quoted = false;
  for (; at < end && (quoted || *at != ','); at++) {
    if (*at == '"')
      quoted = !quoted;
    else if (used + 1 < size)
      text[used++] = *at;
  }
  text[used] = '\0';
  return at;
}

static scree_status read_row(csv_reader *r, const char *line, size_t length, csv_row *row) {
  const char *at = line, *end = line + length;
  scene_document *doc = &r->scene->doc;
  *row = (csv_row){.dynamic = true, .sphere = true};
  for (size_t i = 0; i < r->columns; i++) {
    const int kind = r->kinds[i];
    r->place.column = (uint32_t)(at - line) + 1;
    if (kind == UNUSED || kind >= EXPORT_NUMBERS) {
      char text[32];
      at = take_text(at, end, text, sizeof text);
      if (kind == KIND) row->dynamic = strcmp(text, "dynamic") == 0;
      if (kind == SHAPE) {
        row->sphere = strcmp(text, "sphere") == 0;
        memcpy(row->shape, text, sizeof text);
      }
    } else {
      char *after;
      const double x = number_read(at, &after);
      const bool endless = r->exported && kind == DIAMETER; /* a floor has no size */
      if (after == at || after > end || (!isfinite(x) && !endless))
        return scene_fault(doc, &r->place, "column '%s': a finite number is expected",
                           kind < COLUMN_KINDS ? column_names[kind]
                           : kind == FRAME     ? "frame"
                                               : "Diameter");
      row->value[kind] = x;
      at = after;
    }
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    bool last = i + 1 == r->columns;
    r->place.column = (uint32_t)(at - line) + 1;
    if (last ? at != end : at >= end || *at != ',')
      return scene_fault(doc, &r->place, "%zu columns are expected, as in the header", r->columns);
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
                            scree_shape *given, const csv_row *row) {
  const double *value = row->value;
  scree_body_def def = t->def;
  for (int i = 0; i < 3; i++) {
    def.position[i] += value[X + i];
    if (r->has[VX + i]) def.velocity[i] = value[VX + i];
    if (r->has[WX + i]) def.angular[i] = value[WX + i];
  }
  if (r->has[QW])
    for (int i = 0; i < 4; i++) def.rotation[i] = value[QW + i];
  def.shape = given;
  if (r->exported && !given && !row->sphere)
    return scene_fault(
        &r->scene->doc, &r->place,
        "a %s: only spheres are made from an export by themselves; give a `shape` for "
        "its bodies, or take states by `from`",
        row->shape);
  if (r->has[RADIUS] || (r->exported && !given)) {
    scree_status status = row_shape(r, r->exported ? 0.5 * value[DIAMETER] : value[RADIUS]);
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

/* Frames stand one after the other: the last line is of the last one. */
static scree_status choose_frame(csv_reader *r, const scene_generator_keys *k) {
  r->frame = (double)k->frame;
  if (k->frame >= 0) return SCREE_OK;
  const char *stop = r->end;
  while (stop > r->at && isspace((unsigned char)stop[-1])) stop--;
  const char *start = stop;
  while (start > r->at && start[-1] != '\n') start--;
  char *after;
  r->frame = number_read(start, &after);
  return SCREE_OK;
}

scree_status scene_build_csv(scree_scene *scene, scree_world *world, const scene_scope *scope,
                             scene_template *t) {
  scene_generator_keys k = {.number = -1, .frame = -1};
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
  if (r.exported) status = choose_frame(&r, &k);
  if (!r.exported && k.frame >= 0)
    status = scene_fault(&scene->doc, scene_place(&k.head, "frame"),
                         "frame: the table is not one of `scree export`, it has no frames");
  if (status) return status;
  if (!r.exported && r.has[RADIUS] == (t->keys.shape != NULL))
    return scene_fault(&scene->doc, at,
                       r.has[RADIUS] ? "csv: the table has radii, so no shape may be given"
                                     : "csv: the table has no radii, so a shape is needed");
  scree_shape *given = NULL;
  bool owned = false;
  if (t->keys.shape) status = scene_template_shape(scene, scope, t, 1.0, &given, &owned);
  const char *line;
  size_t length;
  long n = 0;
  while (!status && n != k.number && next_line(&r, &line, &length)) {
    csv_row row;
    status = read_row(&r, line, length, &row);
    r.place.column = 1;
    if (status || (r.exported && (row.value[FRAME] != r.frame || !row.dynamic))) continue;
    status = add_row(&r, world, t, given, &row);
    n++;
  }
  if (!status && n == 0 && k.number != 0) {
    r.place.column = 1;
    status = r.exported ? scene_fault(&scene->doc, &r.place, "there is no dynamic body in frame %g",
                                      r.frame)
                        : scene_fault(&scene->doc, &r.place, "the table has a header and no rows");
  }
  scree_shape_destroy(r.shape);
  if (owned) scree_shape_destroy(given);
  return status;
}

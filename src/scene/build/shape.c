/* Shapes of a scene. Every length may be scaled, for bodies of many sizes. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "io/mesh/import.h"
#include "scene/build/build.h"

enum { SHAPE_DEPTH = 16 }; /* names and compounds, one level each */

typedef struct maker {
  scree_scene *scene;
  const scene_scope *scope;
  const scene_node *node; /* the keys of the kind */
  double scale;
} maker;

typedef scree_status make_function(const maker *m, const scene_shape_keys *k, scree_shape **shape);

static scree_status make_sphere(const maker *m, const scene_shape_keys *k, scree_shape **shape) {
  return scree_shape_create_sphere(m->scene->context, m->scale * k->radius, shape);
}

static void scaled(const maker *m, const double *in, double factor, double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = m->scale * factor * in[i];
}

static scree_status make_ellipsoid(const maker *m, const scene_shape_keys *k, scree_shape **shape) {
  double radii[3];
  scaled(m, k->vector, 1.0, radii);
  return scree_shape_create_ellipsoid(m->scene->context, radii, shape);
}

static scree_status make_box(const maker *m, const scene_shape_keys *k, scree_shape **shape) {
  double half[3];
  scaled(m, k->vector, 0.5, half);
  return scree_shape_create_box(m->scene->context, half, shape);
}

static scree_status make_capsule(const maker *m, const scene_shape_keys *k, scree_shape **shape) {
  return scree_shape_create_capsule(m->scene->context, m->scale * k->radius,
                                    0.5 * m->scale * k->half_length, shape);
}

static scree_status make_cylinder(const maker *m, const scene_shape_keys *k, scree_shape **shape) {
  return scree_shape_create_cylinder(m->scene->context, m->scale * k->radius,
                                     0.5 * m->scale * k->half_length, shape);
}

static scree_status make_cone(const maker *m, const scene_shape_keys *k, scree_shape **shape) {
  return scree_shape_create_cone(m->scene->context, m->scale * k->radius, m->scale * k->height,
                                 shape);
}

static scree_status make_half_space(const maker *m, const scene_shape_keys *k,
                                    scree_shape **shape) {
  (void)k;
  return scree_shape_create_half_space(m->scene->context, shape);
}

static unsigned open_ends(const scene_shape_keys *k) {
  static const unsigned ends[] = {SCREE_OPEN_NONE, SCREE_OPEN_BOTTOM, SCREE_OPEN_TOP,
                                  SCREE_OPEN_BOTTOM | SCREE_OPEN_TOP};
  return ends[k->open_ends];
}

static scree_status make_box_container(const maker *m, const scene_shape_keys *k,
                                       scree_shape **shape) {
  double half[3];
  scaled(m, k->vector, 0.5, half);
  return scree_shape_create_box_container(m->scene->context, half, open_ends(k), shape);
}

static scree_status make_cylinder_container(const maker *m, const scene_shape_keys *k,
                                            scree_shape **shape) {
  return scree_shape_create_cylinder_container(m->scene->context, m->scale * k->radius,
                                               0.5 * m->scale * k->half_length, open_ends(k),
                                               shape);
}

static scree_status make_cone_container(const maker *m, const scene_shape_keys *k,
                                        scree_shape **shape) {
  return scree_shape_create_cone_container(m->scene->context, m->scale * k->bottom_radius,
                                           m->scale * k->top_radius,
                                           0.5 * m->scale * k->half_length, open_ends(k), shape);
}

scree_status scene_read_rows(scree_scene *scene, const scene_scope *scope, const scene_node *node,
                             const char *what, const char *unit, int length, double **rows,
                             size_t *count) {
  if (node->kind != SCENE_LIST)
    return scene_fault(&scene->doc, node, "%s: a list is expected", what);
  *count = node->count;
  *rows = scene_alloc(&scene->doc, (node->count + 1) * (size_t)length * sizeof **rows);
  if (!*rows) return SCREE_ERROR_MEMORY;
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < node->count; i++) {
    double *row = *rows + i * (size_t)length;
    scree_status one =
        length == 1 ? scene_number(&scene->doc, scope, node->items[i], what, unit, row)
                    : scene_vector(&scene->doc, scope, node->items[i], what, unit, length, row);
    if (one) status = one;
  }
  return status;
}

static scree_status make_hull(const maker *m, const scene_shape_keys *k, scree_shape **shape) {
  double *points = NULL;
  size_t count = 0;
  scree_status status =
      scene_read_rows(m->scene, m->scope, k->points, "points", "m", 3, &points, &count);
  if (status) return status;
  for (size_t i = 0; i < 3 * count; i++) points[i] *= m->scale;
  return scree_shape_create_hull(m->scene->context, count, points, shape);
}

static scree_status make_mesh(const maker *m, const scene_shape_keys *k, scree_shape **shape) {
  scene_document *doc = &m->scene->doc;
  const scene_node *at = scene_place(&k->head, "file");
  uint32_t file;
  for (int i = 0; i < 3; i++)
    if (k->stretch[i] == 0.0)
      return scene_fault(doc, scene_place(&k->head, "stretch"), "stretch: 0 leaves nothing");
  /* A large mesh takes tenths of a second: signals are heard between them. */
  scree_status status = scene_look(m->scene);
  if (!status) status = scene_open_file(doc, at, at->file, k->file, &file);
  if (status) return status;
  mesh_import mesh;
  char why[256];
  status = mesh_import_load(m->scene->context, k->file, doc->files[file].bytes,
                            doc->files[file].size, !doc->sealed, &mesh, why, sizeof why);
  if (status == SCREE_ERROR_MEMORY) return status;
  if (status) return scene_fault(doc, at, "file: '%s' is no mesh: %s", k->file, why);
  for (size_t i = 0; i < 3 * mesh.vertex_count; i++)
    mesh.vertices[i] *= m->scale * k->scale * k->stretch[i % 3];
  status = k->convex
               ? scree_shape_create_hull(m->scene->context, mesh.vertex_count, mesh.vertices, shape)
               : scree_shape_create_mesh(m->scene->context, mesh.vertex_count, mesh.vertices,
                                         mesh.triangle_count, mesh.triangles, shape);
  mesh_import_clear(m->scene->context, &mesh);
  return status;
}

/* The numbers of a table, row by row; all rows have as many as the first. */
static scree_status read_table(const maker *m, const scene_shape_keys *k, double **heights,
                               size_t *nx, size_t *ny) {
  scene_document *doc = &m->scene->doc;
  const scene_node *at = scene_place(&k->head, "file");
  uint32_t file;
  scree_status status = scene_open_file(doc, at, at->file, k->file, &file);
  if (status) return status;
  const char *x = doc->files[file].bytes, *end = x + doc->files[file].size;
  *heights = scene_alloc(doc, (doc->files[file].size / 2 + 1) * sizeof **heights);
  if (!*heights) return SCREE_ERROR_MEMORY;
  scene_node place = {.file = file, .line = 1, .column = 1};
  size_t row = 0, total = 0;
  for (const char *line = x; x <= end;) {
    while (x < end && (*x == ' ' || *x == '\t' || *x == ',' || *x == '\r')) x++;
    place.column = (uint32_t)(x - line) + 1;
    if (x == end || *x == '\n') {
      if (row && *ny == 0) *nx = row;
      if (row && row != *nx)
        return scene_fault(doc, &place, "%zu heights in this row; %zu in the first", row, *nx);
      *ny += row != 0;
      row = 0;
      place.line++;
      line = ++x;
      continue;
    }
    char *after;
    (*heights)[total++] = m->scale * k->scale * number_read(x, &after);
    if (after == x || after > end)
      return scene_fault(doc, &place, "a height is expected: a number in m");
    x = after;
    row++;
  }
  return SCREE_OK;
}

static scree_status read_heights(const maker *m, const scene_shape_keys *k, double **heights,
                                 size_t *nx, size_t *ny) {
  scene_document *doc = &m->scene->doc;
  const scene_node *rows = k->heights;
  if (rows->kind != SCENE_LIST || !rows->count || rows->items[0]->kind != SCENE_LIST)
    return scene_fault(doc, rows, "heights: a list of rows is expected, as [[0, 1], [2, 3]]");
  *ny = rows->count;
  *nx = rows->items[0]->count;
  *heights = scene_alloc(doc, (*nx * *ny + 1) * sizeof **heights);
  if (!*heights) return SCREE_ERROR_MEMORY;
  for (size_t j = 0; j < *ny; j++) {
    double *row = NULL;
    size_t count = 0;
    const scree_status status =
        scene_read_rows(m->scene, m->scope, rows->items[j], "heights", "m", 1, &row, &count);
    if (status) return status;
    if (count != *nx)
      return scene_fault(doc, rows->items[j], "heights: %zu in this row; %zu in the first", count,
                         *nx);
    for (size_t i = 0; i < count; i++) (*heights)[j * *nx + i] = m->scale * row[i];
  }
  return SCREE_OK;
}

static scree_status make_height_field(const maker *m, const scene_shape_keys *k,
                                      scree_shape **shape) {
  double *heights = NULL;
  size_t nx = 0, ny = 0;
  if (!k->heights == !k->file)
    return scene_fault(&m->scene->doc, m->node,
                       "height_field: one of heights and file is expected");
  const scree_status status = (k->file ? read_table : read_heights)(m, k, &heights, &nx, &ny);
  if (status) return status;
  const double spacing[2] = {m->scale * k->spacing[0], m->scale * k->spacing[1]};
  return scree_shape_create_height_field(m->scene->context, nx, ny, heights, spacing,
                                         m->scale * k->thickness, shape);
}

static scree_status make_compound(const maker *m, const scene_shape_keys *k, scree_shape **shape) {
  size_t count = k->parts->count, made = 0;
  scree_shape_part *parts = memory_new(m->scene->context, count, sizeof *parts);
  if (!parts) return SCREE_ERROR_MEMORY;
  scree_status status = SCREE_OK;
  for (; made < count && !status; made++) {
    scene_shape_keys keys = {.scale = 1.0};
    status =
        scene_read(&m->scene->doc, m->scope, k->parts->items[made], &scene_section_part, &keys);
    if (status) break;
    scree_shape_part *p = &parts[made];
    p->rotation[0] = 1.0;
    scaled(m, keys.position, 1.0, p->position);
    if (keys.rotation)
      status = scene_rotation(&m->scene->doc, m->scope, keys.rotation, p->rotation, NULL);
    if (!status) status = scene_make_shape(m->scene, m->scope, keys.shape, m->scale, &p->shape);
    if (status) break;
  }
  if (!status) status = scree_shape_create_compound(m->scene->context, count, parts, shape);
  for (size_t i = 0; i < count; i++) scree_shape_destroy(parts[i].shape);
  memory_free(m->scene->context, parts);
  return status;
}

/* In the order of the keys of scene_section_shape. */
static const struct {
  const scene_section *section;
  make_function *make;
} makers[] = {
    {&scene_section_sphere, make_sphere},
    {&scene_section_ellipsoid, make_ellipsoid},
    {&scene_section_box, make_box},
    {&scene_section_capsule, make_capsule},
    {&scene_section_cylinder, make_cylinder},
    {&scene_section_cone, make_cone},
    {&scene_section_hull, make_hull},
    {&scene_section_half_space, make_half_space},
    {&scene_section_box_container, make_box_container},
    {&scene_section_cylinder_container, make_cylinder_container},
    {&scene_section_cone_container, make_cone_container},
    {&scene_section_mesh, make_mesh},
    {&scene_section_height_field, make_height_field},
    {&scene_section_compound, make_compound},
};

static bool has_shape(const scree_scene *scene, const char *name) {
  for (size_t i = 0; i < scene->shape_count; i++)
    if (strcmp(scene->shapes[i].name, name) == 0) return true;
  return false;
}

static scree_status make_named(scree_scene *scene, const scene_scope *scope, const scene_node *node,
                               double scale, scree_shape **shape) {
  const char *name;
  scree_status status = scene_text(&scene->doc, scope, node, "shape", &name);
  if (status) return status;
  const char *names[64];
  size_t count = 0;
  name = scene_meant_name(scene, name, has_shape);
  for (size_t i = 0; i < scene->shape_count; i++) {
    scene_named_shape *s = &scene->shapes[i];
    if (count < 64) names[count++] = s->name;
    if (strcmp(s->name, name) != 0) continue;
    const size_t part = scene->part;
    scene_enter(scene, s->node->part); /* its own parameters count */
    if (scale != 1.0)
      status = scene_make_shape(scene, &scene->scope, s->node, scale, shape);
    else if (!s->shape)
      status = scene_make_shape(scene, &scene->scope, s->node, 1.0, &s->shape);
    scene_enter(scene, part);
    if (scale != 1.0) return status;
    if (!status) *shape = scree_shape_retain(s->shape);
    return status;
  }
  char buffer[256];
  return scene_fault(&scene->doc, node, "there is no shape '%s' in `shapes`%s", name,
                     scene_suggest(name, names, count, buffer, sizeof buffer));
}

scree_status scene_make_shape(scree_scene *scene, const scene_scope *scope, const scene_node *node,
                              double scale, scree_shape **shape) {
  *shape = NULL;
  if (scene->shape_depth > SHAPE_DEPTH)
    return scene_fault(&scene->doc, node,
                       "shapes within shapes more than %d deep; does one contain itself?",
                       SHAPE_DEPTH);
  if (node->kind == SCENE_SCALAR) {
    scene->shape_depth++; /* a name may lead back to itself */
    const scree_status named = make_named(scene, scope, node, scale, shape);
    scene->shape_depth--;
    return named;
  }
  scene_shape_keys which = {0};
  scree_status status = scene_read(&scene->doc, scope, node, &scene_section_shape, &which);
  if (status) return status;
  size_t kind = 0;
  while (!(which.head.given >> kind & 1)) kind++;
  maker m = {scene, scope, which.shape, scale};
  scene_shape_keys keys = {.scale = 1.0, .stretch = {1.0, 1.0, 1.0}, .open_ends = 2};
  status = scene_read(&scene->doc, scope, which.shape, makers[kind].section, &keys);
  if (status) return status;
  size_t faults = scene->doc.fault_count;
  scene->shape_depth++;
  status = makers[kind].make(&m, &keys, shape);
  scene->shape_depth--;
  const bool of_scene = status != SCREE_ERROR_MEMORY && status != SCREE_ERROR_STOPPED;
  if (status && of_scene && scene->doc.fault_count == faults) {
    char why[CONTEXT_MESSAGE_SIZE];
    snprintf(why, sizeof why, "%s", scree_context_message(scene->context));
    return scene_fault(&scene->doc, node, "%s", why);
  }
  return status;
}

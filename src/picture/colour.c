/* Colours of bodies: categories from the palette, values from a map, with what a legend needs.
 * A field is one row of the table below. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "picture/picture.h"

typedef struct field {
  const char *name, *title, *unit;
  scree_map map;
  bool from_zero; /* the range begins at 0 */
  double (*value)(const scree_render_item *item, const picture_body *body); /* null: a category */
} field;

static double norm(const float *v) {
  return sqrt((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] +
              (double)v[2] * (double)v[2]);
}

static double speed(const scree_render_item *i, const picture_body *b) {
  (void)i;
  return norm(b->velocity);
}
static double spin(const scree_render_item *i, const picture_body *b) {
  (void)i;
  return norm(b->velocity + 3);
}
static double velocity_x(const scree_render_item *i, const picture_body *b) {
  (void)i;
  return (double)b->velocity[0];
}
static double velocity_y(const scree_render_item *i, const picture_body *b) {
  (void)i;
  return (double)b->velocity[1];
}
static double velocity_z(const scree_render_item *i, const picture_body *b) {
  (void)i;
  return (double)b->velocity[2];
}
static double force(const scree_render_item *i, const picture_body *b) {
  (void)i;
  return b->force;
}
static double contacts(const scree_render_item *i, const picture_body *b) {
  (void)i;
  return (double)b->contacts;
}
static double height(const scree_render_item *i, const picture_body *b) {
  (void)b;
  return i->position[2];
}
static double size(const scree_render_item *i, const picture_body *b) {
  (void)i;
  return b->diameter;
}
static double mass(const scree_render_item *i, const picture_body *b) {
  (void)i;
  return b->mass;
}
static double energy(const scree_render_item *i, const picture_body *b) {
  (void)i;
  const double v = norm(b->velocity);
  return 0.5 * b->mass * v * v;
}

enum { FIELD_AUTO, FIELD_MATERIAL, FIELD_KIND, FIELD_BODY, FIELD_PLAIN, FIELD_SCALAR };
static const field fields[] = {
    [FIELD_AUTO] = {"auto", "", "", SCREE_MAP_DEEP, false, NULL},
    [FIELD_MATERIAL] = {"material", "material", "", SCREE_MAP_DEEP, false, NULL},
    [FIELD_KIND] = {"kind", "kind", "", SCREE_MAP_DEEP, false, NULL},
    [FIELD_BODY] = {"body", "", "", SCREE_MAP_DEEP, false, NULL},
    [FIELD_PLAIN] = {"plain", "", "", SCREE_MAP_DEEP, false, NULL},
    {"speed", "speed", "m/s", SCREE_MAP_DEEP, true, speed},
    {"spin", "angular speed", "rad/s", SCREE_MAP_DEEP, true, spin},
    {"vx", "velocity x", "m/s", SCREE_MAP_BALANCE, false, velocity_x},
    {"vy", "velocity y", "m/s", SCREE_MAP_BALANCE, false, velocity_y},
    {"vz", "velocity z", "m/s", SCREE_MAP_BALANCE, false, velocity_z},
    {"force", "contact force", "N", SCREE_MAP_HEAT, true, force},
    {"contacts", "contacts", "", SCREE_MAP_DEEP, true, contacts},
    {"height", "height", "m", SCREE_MAP_DEEP, false, height},
    {"size", "diameter", "m", SCREE_MAP_DEEP, false, size},
    {"mass", "mass", "kg", SCREE_MAP_DEEP, false, mass},
    {"energy", "kinetic energy", "J", SCREE_MAP_DEEP, true, energy},
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields, FIELD_PROBE = FIELD_COUNT };

scree_status picture_choose_field(scree_picture *p) {
  const char *names[FIELD_COUNT];
  for (int i = 0; i < FIELD_COUNT; i++) {
    names[i] = fields[i].name;
    if (strcmp(p->colour, fields[i].name) != 0) continue;
    p->field = i;
    return SCREE_OK;
  }
  p->field = FIELD_PROBE;
  if (strchr(p->colour, '.')) return picture_read_probe(p, p->colour);
  const char *near = options_nearest(p->colour, names, FIELD_COUNT);
  return context_fail(p->context, SCREE_ERROR_ARGUMENT,
                      "colour '%s' is no field%s%s%s; fields are auto, material, kind, body, "
                      "plain, speed, spin, vx, vy, vz, force, contacts, height, size, mass, "
                      "energy, and PROBE.COLUMN",
                      p->colour, near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}

static bool is_moving(const picture_body *b) {
  return b->kind == SCREE_BODY_DYNAMIC;
}

/* ---- categories ----------------------------------------------------------------------------- */

static void name_group(picture_group *g) {
  const char *kind = scree_shape_kind_name(g->kind);
  if (!isfinite(g->diameter))
    snprintf(g->name, sizeof g->name, "%s", kind);
  else if (g->diameter >= 1.0)
    snprintf(g->name, sizeof g->name, "%s %.4g m", kind, g->diameter);
  else
    snprintf(g->name, sizeof g->name, "%s %.4g mm", kind, 1000.0 * g->diameter);
}

/* The group of equal kind and size (to three digits): its place, or group_count. */
static size_t find_group(const scree_picture *p, size_t item) {
  const scree_shape_kind kind = scree_shape_get_kind(p->items[item].shape);
  const double diameter = p->bodies[item].diameter;
  size_t i = 0;
  for (; i < p->group_count && i < PICTURE_NAMES; i++) {
    const picture_group *g = &p->groups[i];
    if (g->kind == kind && !(fabs(g->diameter - diameter) > 1e-3 * diameter)) return i;
  }
  return p->group_count;
}

void picture_add_groups(scree_picture *p) {
  for (size_t i = 0; i < p->item_count; i++) {
    if (!is_moving(&p->bodies[i])) continue;
    if (p->bodies[i].material < p->first_material) p->first_material = p->bodies[i].material;
    if (p->group_count > PICTURE_NAMES) continue;
    if (find_group(p, i) < p->group_count) continue;
    if (p->group_count < PICTURE_NAMES) {
      picture_group *g = &p->groups[p->group_count];
      g->kind = scree_shape_get_kind(p->items[i].shape);
      g->diameter = p->bodies[i].diameter;
      name_group(g);
    }
    p->group_count++;
  }
}

static size_t material_count(const scree_picture *p) {
  bool seen[256] = {false};
  size_t count = 0;
  for (size_t i = 0; i < p->item_count; i++) {
    const uint32_t m = p->bodies[i].material;
    if (!is_moving(&p->bodies[i]) || m >= 256 || seen[m]) continue;
    seen[m] = true;
    count++;
  }
  return count;
}

/* What `auto` stands for: whatever tells the moving bodies apart. */
static int resolve(const scree_picture *p) {
  if (p->field != FIELD_AUTO) return p->field;
  if (material_count(p) > 1) return FIELD_MATERIAL;
  return p->group_count > 1 && p->group_count <= PICTURE_NAMES ? FIELD_KIND : FIELD_PLAIN;
}

/* ---- ranges --------------------------------------------------------------------------------- */

static bool has_range(const scree_picture *p) {
  return p->field >= FIELD_SCALAR;
}

bool scree_picture_get_range(const scree_picture *p, double *least, double *most) {
  if (!p || !least || !most) return false;
  *least = p->least;
  *most = p->most;
  return has_range(p);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* Values of the moving bodies that are loaded widen the range, but for the outermost hundredth. */
void picture_add_range(scree_picture *p) {
  if (p->def.ranged || p->field < FIELD_SCALAR || p->field >= FIELD_COUNT) return;
  size_t n = 0;
  for (size_t i = 0; i < p->item_count; i++) {
    const double x = fields[p->field].value(&p->items[i], &p->bodies[i]);
    if (is_moving(&p->bodies[i]) && isfinite(x)) p->values[n++] = x;
  }
  if (n == 0) return;
  qsort(p->values, n, sizeof *p->values, compare);
  const double least = p->values[n / 100], most = p->values[n - 1 - n / 100];
  p->least = isnan(p->least) ? least : fmin(p->least, least);
  p->most = isnan(p->most) ? most : fmax(p->most, most);
}

void picture_end_range(scree_picture *p) {
  if (p->def.ranged) return;
  if (p->field == FIELD_PROBE)
    for (size_t i = 0; i < p->probe.count; i++) {
      const double x = p->probe.value[i];
      if (!isfinite(x)) continue;
      p->least = isnan(p->least) ? x : fmin(p->least, x);
      p->most = isnan(p->most) ? x : fmax(p->most, x);
    }
  if (isnan(p->least)) p->least = p->most = 0.0;
  const bool signed_map = p->field < FIELD_COUNT && fields[p->field].map == SCREE_MAP_BALANCE;
  if (signed_map) {
    p->most = fmax(fabs(p->least), fabs(p->most));
    p->least = -p->most;
  } else if (p->field < FIELD_COUNT && fields[p->field].from_zero) {
    p->least = 0.0;
  }
  if (!(p->most > p->least)) {
    const double room = fmax(1e-3, 0.5 * fabs(p->most));
    p->most += room;
    if (!(p->field < FIELD_COUNT && fields[p->field].from_zero)) p->least -= room;
  }
}

/* ---- paint ---------------------------------------------------------------------------------- */

static scree_map map_of(const scree_picture *p) {
  if (p->def.map >= 0) return (scree_map)p->def.map;
  if (p->field < FIELD_COUNT) return fields[p->field].map;
  return p->least < 0.0 && p->most > 0.0 && p->least == -p->most ? SCREE_MAP_BALANCE
                                                                 : SCREE_MAP_DEEP;
}

static float even(scree_body_id id) {
  uint32_t x = id.index * 0x9e3779b1u ^ id.generation * 0x85ebca77u;
  x ^= x >> 15;
  x *= 0x2c1b3c6du;
  x ^= x >> 13;
  return (float)(x >> 8) * 0x1p-24f;
}

/* Bodies of one colour are distinguished by a little light or shade. */
static scree_colour vary(scree_colour c, scree_body_id id) {
  const float s = 1.0f + 0.16f * (even(id) - 0.5f);
  return (scree_colour){fminf(1.0f, s * c.r), fminf(1.0f, s * c.g), fminf(1.0f, s * c.b)};
}

static scree_colour value_colour(const scree_picture *p, double x) {
  return scree_map_colour(map_of(p), (x - p->least) / (p->most - p->least));
}

/* A body that a probe watches, or all moving ones for a probe of the whole. */
static scree_colour probe_colour(const scree_picture *p, size_t i, scree_colour other) {
  const picture_probe *probe = &p->probe;
  const bool one = probe->def.kind == SCREE_PROBE_BODY || probe->def.kind == SCREE_PROBE_FORCE;
  const scree_body_id a = p->bodies[i].id, b = probe->def.body;
  const bool watched =
      one ? a.index == b.index && a.generation == b.generation : is_moving(&p->bodies[i]);
  return watched ? value_colour(p, picture_probe_at(probe, p->time)) : other;
}

void picture_paint(scree_picture *p) {
  static const scree_colour wall = {0.90f, 0.92f, 0.94f}, still = {0.62f, 0.65f, 0.69f};
  const scree_colour other = {0.80f, 0.80f, 0.80f};
  const int which = resolve(p);
  for (size_t i = 0; i < p->item_count; i++) {
    const picture_body *b = &p->bodies[i];
    scree_colour *c = &p->items[i].colour;
    if (!is_moving(b))
      *c = p->items[i].appearance == SCREE_APPEARANCE_SOLID &&
                   scree_shape_get_kind(p->items[i].shape) < SCREE_SHAPE_HALF_SPACE
               ? still
               : wall;
    if (which == FIELD_PROBE)
      *c = probe_colour(p, i, is_moving(b) ? other : *c);
    else if (!is_moving(b))
      continue;
    else if (which >= FIELD_SCALAR)
      *c = value_colour(p, fields[which].value(&p->items[i], b));
    else if (which == FIELD_MATERIAL)
      *c = vary(scree_palette(b->material - p->first_material), b->id);
    else if (which == FIELD_KIND)
      *c = vary(scree_palette(find_group(p, i)), b->id);
    else if (which == FIELD_BODY)
      *c = vary(scree_palette(b->id.index), b->id);
    else
      *c = vary(scree_palette(0), b->id);
  }
}

/* ---- legend --------------------------------------------------------------------------------- */

/* In the order of the scene's materials, those that moving bodies have. */
static void name_materials(scree_picture *p, scree_legend *legend) {
  for (uint32_t m = p->first_material; m < p->first_material + PICTURE_NAMES; m++) {
    bool used = false;
    for (size_t i = 0; i < p->item_count && !used; i++)
      used = is_moving(&p->bodies[i]) && p->bodies[i].material == m;
    if (!used) continue;
    p->legend_names[legend->count] =
        p->scene ? scree_scene_material_name(p->scene, (scree_material_id){m}) : "material";
    p->legend_colours[legend->count++] = scree_palette(m - p->first_material);
  }
}

bool scree_picture_get_legend(scree_picture *p, scree_legend *legend) {
  if (!p || !legend) return false;
  const int which = resolve(p);
  if (!p->def.legend) return false;
  *legend = (scree_legend){.title = "", .unit = "", .map = map_of(p)};
  legend->names = p->legend_names;
  legend->colours = p->legend_colours;
  legend->least = p->least;
  legend->most = p->most;
  if (p->def.chains && !has_range(p)) {
    *legend = (scree_legend){
        .title = "contact force", .unit = "N", .map = SCREE_MAP_HEAT, .most = p->force_reference};
    return p->force_reference > 0.0;
  }
  if (which == FIELD_PROBE) {
    legend->title = p->probe.title;
    legend->unit = p->probe.unit;
  } else {
    legend->title = fields[which].title;
    legend->unit = fields[which].unit;
  }
  if (which == FIELD_MATERIAL) name_materials(p, legend);
  if (which == FIELD_KIND) {
    legend->count = p->group_count < PICTURE_NAMES ? p->group_count : PICTURE_NAMES;
    for (size_t i = 0; i < legend->count; i++) {
      p->legend_names[i] = p->groups[i].name;
      p->legend_colours[i] = scree_palette(i);
    }
  }
  return which >= FIELD_SCALAR || legend->count > 0;
}

/* The fields of bodies and contacts; docs/exports.md describes them for users. */
#include <math.h>
#include <string.h>

#include "recording/export/export.h"

static const char *kind_text(const scree_scene *scene, uint32_t value) {
  static const char *const names[] = {"dynamic", "fixed", "prescribed"};
  (void)scene;
  return value < 3 ? names[value] : "";
}

static const char *shape_text(const scree_scene *scene, uint32_t value) {
  (void)scene;
  return scree_shape_kind_name((scree_shape_kind)value);
}

static const char *material_text(const scree_scene *scene, uint32_t value) {
  return scree_scene_material_name(scene, (scree_material_id){value});
}

enum {
  BODY_ID,
  BODY_GENERATION,
  BODY_KIND,
  BODY_MATERIAL,
  BODY_SHAPE,
  BODY_MASS,
  BODY_DIAMETER,
  BODY_SIZE,
  BODY_ORIENTATION,
  BODY_VELOCITY,
  BODY_ANGULAR,
  BODY_CONTACTS,
  BODY_FORCE,
  BODY_FORCE_SUM,
  BODY_FIELDS
};

static const export_field body_fields[BODY_FIELDS] = {
    [BODY_ID] = {"Body", "", FIELD_U32, 1, NULL, NULL, true},
    [BODY_GENERATION] = {"Generation", "", FIELD_U32, 1, NULL, NULL, true},
    [BODY_KIND] = {"Kind", "", FIELD_U32, 1, NULL, kind_text, true},
    [BODY_MATERIAL] = {"Material", "", FIELD_U32, 1, NULL, material_text, true},
    [BODY_SHAPE] = {"Shape", "", FIELD_U32, 1, NULL, shape_text, true},
    [BODY_MASS] = {"Mass", "kg", FIELD_F64, 1, NULL, NULL, true},
    [BODY_DIAMETER] = {"Diameter", "m", FIELD_F64, 1, NULL, NULL, true},
    [BODY_SIZE] = {"Size", "m", FIELD_F32, 3, NULL, NULL, true},
    [BODY_ORIENTATION] = {"Orientation", "", FIELD_F64, 4, NULL, NULL, false},
    [BODY_VELOCITY] = {"Velocity", "m/s", FIELD_F32, 3, NULL, NULL, false},
    [BODY_ANGULAR] = {"AngularVelocity", "rad/s", FIELD_F32, 3, NULL, NULL, false},
    [BODY_CONTACTS] = {"Contacts", "", FIELD_U32, 1, NULL, NULL, false},
    [BODY_FORCE] = {"ContactForce", "N", FIELD_F32, 3, NULL, NULL, false},
    [BODY_FORCE_SUM] = {"ContactForceSum", "N", FIELD_F32, 1, NULL, NULL, false},
};

enum {
  CONTACT_A,
  CONTACT_B,
  CONTACT_NORMAL,
  CONTACT_FORCE,
  CONTACT_NORMAL_FORCE,
  CONTACT_TANGENTIAL_FORCE,
  CONTACT_GAP,
  CONTACT_FIELDS
};

static const export_field contact_fields[CONTACT_FIELDS] = {
    [CONTACT_A] = {"BodyA", "", FIELD_U32, 1, NULL, NULL, false},
    [CONTACT_B] = {"BodyB", "", FIELD_U32, 1, NULL, NULL, false},
    [CONTACT_NORMAL] = {"Normal", "", FIELD_F32, 3, NULL, NULL, false},
    [CONTACT_FORCE] = {"Force", "N", FIELD_F32, 3, NULL, NULL, false},
    [CONTACT_NORMAL_FORCE] = {"NormalForce", "N", FIELD_F32, 1, NULL, NULL, false},
    [CONTACT_TANGENTIAL_FORCE] = {"TangentialForce", "N", FIELD_F32, 1, NULL, NULL, false},
    [CONTACT_GAP] = {"Gap", "m", FIELD_F32, 1, NULL, NULL, false},
};

void export_store_clear(export_store *store) {
  memory_free(store->context, store->row_of_place);
  memory_free(store->context, store->shape_ids);
  for (int i = 0; i < 2; i++) memory_free(store->context, store->block[i]);
}

/* Columns of `count` rows behind each other in a block; points first. */
static scree_status lay_out(export_store *store, int which, const export_field *fields,
                            int field_count, size_t count, export_table *table, void **column) {
  size_t bytes = 3 * sizeof(double) * count;
  size_t at[EXPORT_FIELDS];
  for (int i = 0; i < field_count; i++) {
    bytes = (bytes + 7) & ~(size_t)7;
    at[i] = bytes;
    bytes += (fields[i].type == FIELD_F64 ? 8 : 4) * (size_t)fields[i].components * count;
  }
  scree_status status = memory_grow(store->context, &store->block[which], bytes + 8, 1);
  if (status) return status;
  *table = (export_table){.count = count, .field_count = field_count};
  memset(store->block[which], 0, bytes);
  for (int i = 0; i < field_count; i++) {
    column[i] = store->block[which] + at[i];
    table->field[i] = fields[i];
    table->field[i].data = column[i];
  }
  table->points = (const double *)(const void *)store->block[which];
  return SCREE_OK;
}

static scree_status index_places(export_store *store, const scree_frame *f) {
  uint32_t most = 0;
  for (size_t i = 0; i < f->body_count; i++)
    if (f->ids[3 * i] > most) most = f->ids[3 * i];
  scree_status status = memory_grow(store->context, &store->row_of_place, (size_t)most + 1,
                                    sizeof *store->row_of_place);
  if (status) return status;
  memset(store->row_of_place, 0, memory_room(store->row_of_place) * sizeof *store->row_of_place);
  for (size_t i = 0; i < f->body_count; i++) store->row_of_place[f->ids[3 * i]] = (uint32_t)(i + 1);
  return SCREE_OK;
}

/* Extents along the shape's own axes; 0 where it has no end. */
static void shape_size(const scree_shape *shape, float size[3]) {
  const double origin[3] = {0.0, 0.0, 0.0}, rotation[4] = {1.0, 0.0, 0.0, 0.0};
  double lower[3], upper[3];
  scree_shape_get_bounds(shape, origin, rotation, lower, upper);
  for (int k = 0; k < 3; k++)
    size[k] = isfinite(upper[k] - lower[k]) ? (float)(upper[k] - lower[k]) : 0.0F;
}

static float length(const float *x) {
  return (float)sqrt((double)x[0] * x[0] + (double)x[1] * x[1] + (double)x[2] * x[2]);
}

/* The force is on b; a feels the opposite. */
static void sum_forces(const export_store *store, const scree_frame *f, void *const *column) {
  uint32_t *contacts = column[BODY_CONTACTS];
  float *force = column[BODY_FORCE], *sum = column[BODY_FORCE_SUM];
  for (size_t i = 0; i < f->contact_count; i++)
    for (int side = 0; side < 2; side++) {
      const uint32_t place = f->contact_bodies[2 * i + (size_t)side];
      const size_t row = place < memory_room(store->row_of_place) ? store->row_of_place[place] : 0;
      if (!row) continue;
      const float *value = &f->contacts[10 * i + 6];
      contacts[row - 1]++;
      sum[row - 1] += length(value);
      for (int k = 0; k < 3; k++) force[3 * (row - 1) + (size_t)k] += side ? value[k] : -value[k];
    }
}

scree_status export_bodies(export_store *store, const scree_frame *f, export_table *table) {
  void *column[BODY_FIELDS];
  scree_status status = lay_out(store, 0, body_fields, BODY_FIELDS, f->body_count, table, column);
  if (!status) status = index_places(store, f);
  if (status) return status;
  double *points = (double *)(void *)store->block[0];
  for (size_t i = 0; i < f->body_count; i++) {
    scree_recorded_body body;
    const scree_body_id id = {f->ids[3 * i], f->ids[3 * i + 1]};
    status = scree_recording_get_body(store->recording, id, &body);
    if (status) return status;
    const scree_shape *shape = scree_recording_shape(store->recording, body.shape);
    memcpy(points + 3 * i, f->poses + 7 * i, 3 * sizeof *points);
    memcpy((double *)column[BODY_ORIENTATION] + 4 * i, f->poses + 7 * i + 3, 4 * sizeof *points);
    memcpy((float *)column[BODY_VELOCITY] + 3 * i, f->velocities + 6 * i, 3 * sizeof(float));
    memcpy((float *)column[BODY_ANGULAR] + 3 * i, f->velocities + 6 * i + 3, 3 * sizeof(float));
    ((uint32_t *)column[BODY_ID])[i] = id.index;
    ((uint32_t *)column[BODY_GENERATION])[i] = id.generation;
    ((uint32_t *)column[BODY_KIND])[i] = (uint32_t)body.kind;
    ((uint32_t *)column[BODY_MATERIAL])[i] = body.material.index;
    ((uint32_t *)column[BODY_SHAPE])[i] =
        shape ? (uint32_t)scree_shape_get_kind(shape) : SCREE_SHAPE_KIND_COUNT;
    ((double *)column[BODY_MASS])[i] = body.mass;
    ((double *)column[BODY_DIAMETER])[i] = isfinite(body.diameter) ? body.diameter : 0.0;
    if (shape) shape_size(shape, (float *)column[BODY_SIZE] + 3 * i);
  }
  sum_forces(store, f, column);
  return SCREE_OK;
}

scree_status export_contacts(export_store *store, const scree_frame *f, export_table *table) {
  void *column[CONTACT_FIELDS];
  const scree_status status =
      lay_out(store, 1, contact_fields, CONTACT_FIELDS, f->contact_count, table, column);
  if (status) return status;
  double *points = (double *)(void *)store->block[1];
  table->single = true;
  for (size_t i = 0; i < f->contact_count; i++) {
    const float *value = &f->contacts[10 * i], *normal = value + 3, *force = value + 6;
    double along = 0.0, across = 0.0;
    for (int k = 0; k < 3; k++) {
      points[3 * i + (size_t)k] = value[k];
      along += (double)force[k] * normal[k];
    }
    for (int k = 0; k < 3; k++) across += pow(force[k] - along * normal[k], 2.0);
    ((uint32_t *)column[CONTACT_A])[i] = f->contact_bodies[2 * i];
    ((uint32_t *)column[CONTACT_B])[i] = f->contact_bodies[2 * i + 1];
    memcpy((float *)column[CONTACT_NORMAL] + 3 * i, normal, 3 * sizeof(float));
    memcpy((float *)column[CONTACT_FORCE] + 3 * i, force, 3 * sizeof(float));
    ((float *)column[CONTACT_NORMAL_FORCE])[i] = (float)along;
    ((float *)column[CONTACT_TANGENTIAL_FORCE])[i] = (float)sqrt(across);
    ((float *)column[CONTACT_GAP])[i] = value[9];
  }
  return SCREE_OK;
}

/* Reading /scree_ccp; its layout is described in problem/native_write.c. Lengths of datasets are
 * bounded by what the file stores, and all else must agree with them; the problem is then built
 * through the public calls, which check indices, sets and numbers again. */
#include "io/problem/store.h"

#ifdef SCREE_WITH_HDF5
#include <math.h>
#include <string.h>

#include "base/memory.h"

#define ROOT "/scree_ccp"

/* What all forms have. */
typedef struct common {
  size_t blocks, rows;
  scree_set *set; /* one per block */
  double *offset, *compliance;
  double reference_speed, least_speed;
} common;

static void common_clear(scree_context *context, common *c) {
  memory_free(context, c->set);
  memory_free(context, c->offset);
  memory_free(context, c->compliance);
}

typedef struct set_field {
  const char *path;
  size_t offset;
} set_field;

static const set_field SET_FIELD[] = {
    {ROOT "/sets/mu", offsetof(scree_set, mu)},
    {ROOT "/sets/mu2", offsetof(scree_set, mu2)},
    {ROOT "/sets/rolling", offsetof(scree_set, rolling)},
    {ROOT "/sets/spinning", offsetof(scree_set, spinning)},
    {ROOT "/sets/lo", offsetof(scree_set, lo)},
    {ROOT "/sets/hi", offsetof(scree_set, hi)},
    {ROOT "/sets/cohesion", offsetof(scree_set, cohesion)},
    {ROOT "/sets/cap", offsetof(scree_set, cap)},
};

/* Only where there is one; files of before it had a dilatancy psi, of Coulomb's cones alone. */
static scree_status read_flow(const hdf5_file *file, size_t count, scree_set *set) {
  enum { ROWS = SCREE_MAX_DIM - 1 };
  hdf5_object flow = HDF5_ABSENT, psi = HDF5_ABSENT;
  scree_status status = hdf5_look(file, ROOT "/sets/flow", &flow);
  if (!status) status = hdf5_look(file, ROOT "/sets/dilatancy", &psi);
  if (status || (flow == HDF5_ABSENT && psi == HDF5_ABSENT)) return status;
  if (count > SIZE_MAX / ROWS) return SCREE_ERROR_MEMORY;
  double *x = memory_new(file->context, count * ROWS, sizeof *x);
  if (!x) return SCREE_ERROR_MEMORY;
  if (flow != HDF5_ABSENT) {
    status = hdf5_read_reals(file, ROOT "/sets/flow", count * ROWS, x);
    for (size_t i = 0; !status && i < count; i++)
      memcpy(set[i].flow, x + i * ROWS, sizeof set[i].flow);
  } else {
    status = hdf5_read_reals(file, ROOT "/sets/dilatancy", count, x);
    for (size_t i = 0; !status && i < count; i++)
      for (int k = 0; x[i] != 0.0 && k + 1 < set[i].dim; k++) set[i].flow[k] = x[i] / set[i].mu;
  }
  memory_free(file->context, x);
  return status;
}

static scree_status read_set_fields(const hdf5_file *file, size_t count, scree_set *set) {
  scree_context *context = file->context;
  uint32_t *kind = NULL, *dim = NULL;
  scree_status status =
      hdf5_load_indices(file, ROOT "/sets/kind", count, count, SCREE_SET_USER - 1, &kind);
  if (!status)
    status = hdf5_load_indices(file, ROOT "/sets/dim", count, count, SCREE_MAX_DIM, &dim);
  for (size_t i = 0; !status && i < count; i++) {
    set[i].kind = (scree_set_kind)kind[i];
    set[i].dim = (int)dim[i];
  }
  memory_free(context, kind);
  memory_free(context, dim);
  double *x = status ? NULL : memory_new(context, count, sizeof *x);
  if (!status && !x) status = SCREE_ERROR_MEMORY;
  for (size_t f = 0; !status && f < sizeof SET_FIELD / sizeof *SET_FIELD; f++) {
    status = hdf5_read_extended(file, SET_FIELD[f].path, count, x);
    for (size_t i = 0; !status && i < count; i++)
      memcpy((char *)&set[i] + SET_FIELD[f].offset, &x[i], sizeof *x);
  }
  memory_free(context, x);
  return status ? status : read_flow(file, count, set);
}

static scree_status read_sets(const hdf5_file *file, common *c) {
  scree_context *context = file->context;
  size_t count = 0;
  uint32_t *index = NULL;
  scree_status status = hdf5_count(file, ROOT "/sets/kind", &count);
  if (!status) status = hdf5_count(file, ROOT "/set", &c->blocks);
  if (status) return status;
  scree_set *distinct = memory_new(context, count, sizeof *distinct);
  c->set = memory_new(context, c->blocks, sizeof *c->set);
  status = distinct && c->set ? read_set_fields(file, count, distinct) : SCREE_ERROR_MEMORY;
  for (size_t i = 0; !status && i < count; i++) {
    const char *fault = scree_set_fault(&distinct[i]);
    if (fault)
      status = hdf5_fail(file, ROOT "/sets", "set %zu (%s): %s", i,
                         scree_set_name(distinct[i].kind), fault);
  }
  if (!status)
    status = hdf5_load_indices(file, ROOT "/set", c->blocks, c->blocks, (int64_t)count - 1, &index);
  for (size_t i = 0; !status && i < c->blocks; i++) {
    c->set[i] = distinct[index[i]];
    c->rows += (size_t)c->set[i].dim;
  }
  memory_free(context, index);
  memory_free(context, distinct);
  return status;
}

static scree_status read_common(const hdf5_file *file, common *c) {
  hdf5_object object = HDF5_ABSENT;
  scree_status status = read_sets(file, c);
  if (!status) status = hdf5_read_reals(file, ROOT "/reference_speed", 1, &c->reference_speed);
  if (!status && c->reference_speed < 0.0)
    status = hdf5_fail(file, ROOT "/reference_speed", "is %g; it must not be negative",
                       c->reference_speed);
  if (!status) status = hdf5_look(file, ROOT "/least_speed", &object);
  if (!status && object != HDF5_ABSENT)
    status = hdf5_read_reals(file, ROOT "/least_speed", 1, &c->least_speed);
  if (!status && c->least_speed < 0.0)
    status = hdf5_fail(file, ROOT "/least_speed", "is %g; it must not be negative", c->least_speed);
  if (!status) status = hdf5_load_reals(file, ROOT "/offset", c->rows, c->rows, &c->offset);
  if (!status) status = hdf5_look(file, ROOT "/compliance", &object);
  if (!status && object != HDF5_ABSENT)
    status = hdf5_load_reals(file, ROOT "/compliance", c->rows, c->rows, &c->compliance);
  for (size_t i = 0; !status && c->compliance && i < c->rows; i++)
    if (c->compliance[i] < 0.0)
      status = hdf5_fail(file, ROOT "/compliance", "element %zu is %g; it must not be negative", i,
                         c->compliance[i]);
  return status;
}

/* ---- matrices ---------------------------------------------------------------------------------
 */

/* count + 1 starts: from 0, never down, the last is the number of entries. */
static scree_status load_starts(const hdf5_file *file, const char *path, size_t count,
                                size_t **out) {
  size_t stored = 0;
  *out = NULL;
  scree_status status = hdf5_count(file, path, &stored);
  if (status) return status;
  if (stored != count + 1)
    return hdf5_fail(file, path, "has %zu elements; %zu are expected", stored, count + 1);
  int64_t *wide = memory_new(file->context, stored, sizeof *wide);
  size_t *start = memory_new(file->context, stored, sizeof *start);
  status = wide && start ? hdf5_read_integers(file, path, stored, wide) : SCREE_ERROR_MEMORY;
  if (!status && wide[0] != 0)
    status = hdf5_fail(file, path, "begins with %lld; 0 is expected", (long long)wide[0]);
  for (size_t i = 0; !status && i < count; i++) {
    if (wide[i + 1] < wide[i])
      status = hdf5_fail(file, path, "element %zu is %lld after %lld; the starts must not descend",
                         i + 1, (long long)wide[i + 1], (long long)wide[i]);
    start[i + 1] = (size_t)wide[i + 1];
  }
  memory_free(file->context, wide);
  if (status)
    memory_free(file->context, start);
  else
    *out = start;
  return status;
}

static scree_status load_matrix(const hdf5_file *file, const char *name, size_t rows,
                                size_t columns, ccp_matrix *m) {
  char group[HDF5_PATH], path[HDF5_PATH];
  int64_t height = 0, width = 0;
  hdf5_join(group, ROOT, name);
  *m = (ccp_matrix){.rows = rows, .columns = columns};
  hdf5_join(path, group, "rows");
  scree_status status = hdf5_read_integer(file, path, 0, UINT32_MAX, &height);
  hdf5_join(path, group, "columns");
  if (!status) status = hdf5_read_integer(file, path, 0, UINT32_MAX, &width);
  if (!status && ((size_t)height != rows || (size_t)width != columns))
    status = hdf5_fail(file, group, "is %lld x %lld; %zu x %zu is expected from the vectors",
                       (long long)height, (long long)width, rows, columns);
  hdf5_join(path, group, "start");
  if (!status) status = load_starts(file, path, columns, &m->start);
  const size_t entries = status ? 0 : m->start[columns];
  hdf5_join(path, group, "index");
  if (!status)
    status = hdf5_load_indices(file, path, entries, entries, (int64_t)rows - 1, &m->index);
  hdf5_join(path, group, "value");
  if (!status) status = hdf5_load_reals(file, path, entries, entries, &m->value);
  if (status) matrix_clear(file->context, m);
  return status;
}

static scree_status read_local(const hdf5_file *file, const common *c, scree_ccp **problem) {
  ccp_matrix w;
  scree_status status = load_matrix(file, "W", c->rows, c->rows, &w);
  if (status) return status;
  const scree_csc csc = matrix_csc(&w);
  status = scree_ccp_create_local(file->context, c->blocks, c->set, &csc, c->offset, c->compliance,
                                  problem);
  matrix_clear(file->context, &w);
  return status ? problem_blame(file, ROOT, status) : SCREE_OK;
}

static scree_status read_global(const hdf5_file *file, const common *c, scree_ccp **problem) {
  scree_context *context = file->context;
  ccp_matrix m = {0}, h = {0};
  double *f = NULL;
  size_t n = 0;
  scree_status status = hdf5_count(file, ROOT "/f", &n);
  if (!status) status = hdf5_load_reals(file, ROOT "/f", n, n, &f);
  if (!status) status = load_matrix(file, "M", n, n, &m);
  if (!status) status = load_matrix(file, "H", n, c->rows, &h);
  if (!status) {
    const scree_csc csc_m = matrix_csc(&m), csc_h = matrix_csc(&h);
    status = scree_ccp_create_global(context, c->blocks, c->set, &csc_m, &csc_h, f, c->offset,
                                     c->compliance, problem);
    if (status) status = problem_blame(file, ROOT, status);
  }
  memory_free(context, f);
  matrix_clear(context, &m);
  matrix_clear(context, &h);
  return status;
}

/* ---- bodies -----------------------------------------------------------------------------------
 */

static scree_status read_bodies(const hdf5_file *file, scree_ccp *p) {
  scree_context *context = file->context;
  size_t n = 0;
  double *mass = NULL, *inertia = NULL, *v_free = NULL;
  scree_status status = hdf5_count(file, ROOT "/bodies/inverse_mass", &n);
  if (!status) status = hdf5_load_reals(file, ROOT "/bodies/inverse_mass", n, n, &mass);
  if (!status)
    status = hdf5_load_reals(file, ROOT "/bodies/inverse_inertia", 6 * n, 6 * n, &inertia);
  if (!status) status = hdf5_load_reals(file, ROOT "/bodies/v_free", 6 * n, 6 * n, &v_free);
  for (size_t i = 0; !status && i < n; i++) {
    scree_ccp_body_def def = {.inverse_mass = mass[i]};
    memcpy(def.inverse_inertia, inertia + 6 * i, sizeof def.inverse_inertia);
    memcpy(def.v_free, v_free + 6 * i, sizeof def.v_free);
    status = scree_ccp_add_body(p, &def, NULL);
    if (status) status = problem_blame(file, ROOT "/bodies", status);
  }
  memory_free(context, mass);
  memory_free(context, inertia);
  memory_free(context, v_free);
  return status;
}

typedef struct contact_data {
  uint32_t *body;
  double *normal, *tangent, *arm_a, *arm_b;
} contact_data;

/* Stored frames are unit already; adding normalises them again, which may move the last bit. */
static scree_status keep_frame(const hdf5_file *file, scree_ccp *p, size_t i,
                               const scree_ccp_contact_def *def) {
  ccp_contact *c = &p->bodies.contact[i];
  for (int k = 0; k < 3; k++)
    if (!(fabs(c->normal[k] - def->normal[k]) <= 1e-6 &&
          fabs(c->tangent[k] - def->tangent[k]) <= 1e-6))
      return hdf5_fail(file, ROOT "/contacts",
                       "contact %zu: normal and tangent must be unit vectors at right angles", i);
  memcpy(c->normal, def->normal, sizeof c->normal);
  memcpy(c->tangent, def->tangent, sizeof c->tangent);
  return SCREE_OK;
}

static scree_status add_contacts(const hdf5_file *file, const common *c, const contact_data *data,
                                 size_t count, scree_ccp *p) {
  scree_status status = SCREE_OK;
  for (size_t i = 0; !status && i < count; i++) {
    scree_ccp_contact_def def = scree_ccp_contact_def_default();
    def.body_a = data->body[2 * i];
    def.body_b = data->body[2 * i + 1];
    def.set = c->set[i];
    memcpy(def.normal, data->normal + 3 * i, sizeof def.normal);
    memcpy(def.tangent, data->tangent + 3 * i, sizeof def.tangent);
    memcpy(def.arm_a, data->arm_a + 3 * i, sizeof def.arm_a);
    memcpy(def.arm_b, data->arm_b + 3 * i, sizeof def.arm_b);
    const size_t row = p->row_count, dim = (size_t)def.set.dim;
    memcpy(def.offset, c->offset + row, dim * sizeof *def.offset);
    if (c->compliance) memcpy(def.compliance, c->compliance + row, dim * sizeof *def.compliance);
    status = scree_ccp_add_contact(p, &def);
    status = status ? problem_blame(file, ROOT "/contacts", status) : keep_frame(file, p, i, &def);
  }
  return status;
}

static scree_status read_contacts(const hdf5_file *file, const common *c, scree_ccp *p) {
  scree_context *context = file->context;
  contact_data data = {0};
  size_t ids = 0;
  scree_status status = hdf5_count(file, ROOT "/contacts/body", &ids);
  if (status) return status;
  const size_t n = ids / 2;
  if (ids % 2 || n > c->blocks)
    return hdf5_fail(file, ROOT "/contacts/body",
                     "has %zu elements for %zu blocks; two per contact", ids, c->blocks);
  status = hdf5_load_indices(file, ROOT "/contacts/body", ids, ids, UINT32_MAX, &data.body);
  if (!status) status = hdf5_load_reals(file, ROOT "/contacts/normal", 3 * n, 3 * n, &data.normal);
  if (!status)
    status = hdf5_load_reals(file, ROOT "/contacts/tangent", 3 * n, 3 * n, &data.tangent);
  if (!status) status = hdf5_load_reals(file, ROOT "/contacts/arm_a", 3 * n, 3 * n, &data.arm_a);
  if (!status) status = hdf5_load_reals(file, ROOT "/contacts/arm_b", 3 * n, 3 * n, &data.arm_b);
  if (!status) status = add_contacts(file, c, &data, n, p);
  memory_free(context, data.body);
  memory_free(context, data.normal);
  memory_free(context, data.tangent);
  memory_free(context, data.arm_a);
  memory_free(context, data.arm_b);
  return status;
}

static scree_status load_terms(const hdf5_file *file, size_t count, scree_ccp_term **out) {
  scree_context *context = file->context;
  uint32_t *body = NULL;
  double *coefficient = NULL;
  *out = NULL;
  scree_status status = hdf5_load_indices(file, ROOT "/rows/body", count, count, UINT32_MAX, &body);
  if (!status)
    status = hdf5_load_reals(file, ROOT "/rows/coefficient", 6 * count, 6 * count, &coefficient);
  scree_ccp_term *term = status ? NULL : memory_new(context, count, sizeof *term);
  if (!status && !term) status = SCREE_ERROR_MEMORY;
  for (size_t i = 0; !status && i < count; i++) {
    term[i].body = body[i];
    memcpy(term[i].coefficient, coefficient + 6 * i, sizeof term[i].coefficient);
  }
  memory_free(context, body);
  memory_free(context, coefficient);
  *out = term;
  return status;
}

static scree_status add_blocks(const hdf5_file *file, const common *c, const size_t *start,
                               const scree_ccp_term *term, scree_ccp *p) {
  const size_t first = p->row_count;
  scree_status status = SCREE_OK;
  for (size_t i = p->block_count; !status && i < c->blocks; i++) {
    scree_ccp_row_def rows[SCREE_MAX_DIM];
    for (size_t k = 0; k < (size_t)c->set[i].dim; k++) {
      const size_t row = p->row_count + k, line = row - first;
      rows[k] = (scree_ccp_row_def){.terms = term + start[line],
                                    .term_count = start[line + 1] - start[line],
                                    .offset = c->offset[row],
                                    .compliance = c->compliance ? c->compliance[row] : 0.0};
    }
    status = scree_ccp_add_block(p, &c->set[i], rows);
    if (status) status = problem_blame(file, ROOT "/rows", status);
  }
  return status;
}

static scree_status read_rows(const hdf5_file *file, const common *c, scree_ccp *p) {
  size_t *start = NULL;
  scree_ccp_term *term = NULL;
  const size_t lines = c->rows - p->row_count;
  size_t terms = 0;
  scree_status status = load_starts(file, ROOT "/rows/start", lines, &start);
  if (!status) status = hdf5_count(file, ROOT "/rows/body", &terms);
  if (!status && terms != start[lines])
    status = hdf5_fail(file, ROOT "/rows/body", "has %zu elements; %zu are expected", terms,
                       start[lines]);
  if (!status) status = load_terms(file, terms, &term);
  if (!status) status = add_blocks(file, c, start, term, p);
  memory_free(file->context, start);
  memory_free(file->context, term);
  return status;
}

static scree_status read_form_bodies(const hdf5_file *file, const common *c, scree_ccp **problem) {
  scree_ccp *p = NULL;
  scree_status status = scree_ccp_create_bodies(file->context, &p);
  if (!status) status = read_bodies(file, p);
  if (!status) status = read_contacts(file, c, p);
  if (!status) status = read_rows(file, c, p);
  if (status) {
    scree_ccp_destroy(p);
    return status;
  }
  *problem = p;
  return SCREE_OK;
}

scree_status native_read(const hdf5_file *file, scree_ccp **problem) {
  common c = {0};
  int64_t version = 0;
  char *form = NULL;
  scree_status status = hdf5_read_integer(file, ROOT "/version", 1, 1, &version);
  if (!status) status = hdf5_load_string(file, ROOT "/form", &form);
  if (!status) status = read_common(file, &c);
  if (!status && strcmp(form, "bodies") == 0)
    status = read_form_bodies(file, &c, problem);
  else if (!status && strcmp(form, "local") == 0)
    status = read_local(file, &c, problem);
  else if (!status && strcmp(form, "global") == 0)
    status = read_global(file, &c, problem);
  else if (!status)
    status =
        hdf5_fail(file, ROOT "/form", "is \"%.40s\"; bodies, local or global is allowed", form);
  if (!status) scree_ccp_set_reference_speed(*problem, c.reference_speed);
  if (!status) ccp_set_least_speed(*problem, c.least_speed);
  memory_free(file->context, form);
  common_clear(file->context, &c);
  return status;
}
#endif

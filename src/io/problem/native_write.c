/* Writing /scree_ccp: any problem of ours, bit for bit.
 *
 *   version (1)   form ("bodies", "local", "global")   reference_speed, m/s   least_speed, m/s:
 *   below it a speed is rounding; absent: not known
 *   sets/kind dim mu mu2 rolling spinning lo hi cohesion cap      distinct sets (and flow,
 *                                                                 5 each, where there is one); kind
 * as in scree_set_kind, dim 1 to 6 set (blocks)  index into sets       offset, compliance (rows;
 * compliance only where it is not 0) bodies   bodies/inverse_mass (n)  inverse_inertia (n x 6: xx
 * xy xz yy yz zz)  v_free (n x 6) contacts/body (k x 2, 4294967295: the world)  normal tangent
 * arm_a arm_b (k x 3) rows/start (generic rows + 1)  body (terms)  coefficient (terms x 6) local
 * W/rows columns start index value       compressed columns, rows ascend global   M, H as W;  f
 *   solution/v u g                                  written with a solution                     */
#include "io/problem/store.h"

#ifdef SCREE_WITH_HDF5
#include <string.h>

#include "base/memory.h"
#include "ccp/sets/set.h"

#define ROOT "/scree_ccp"

static const char *const FORM[] = {
    [SCREE_FORM_BODIES] = "bodies", [SCREE_FORM_LOCAL] = "local", [SCREE_FORM_GLOBAL] = "global"};

/* One field of an array of structures as a dataset: `columns` doubles at `offset` in each. */
static scree_status write_field(const hdf5_file *file, const char *path, size_t count,
                                const void *base, size_t stride, size_t offset, size_t columns) {
  double *x = memory_new(file->context, count * columns, sizeof *x);
  if (!x) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++)
    memcpy(x + i * columns, (const char *)base + i * stride + offset, columns * sizeof *x);
  const scree_status status = hdf5_write_reals(file, path, count, columns > 1 ? columns : 0, x);
  memory_free(file->context, x);
  return status;
}

#define WRITE_FIELD(file, path, array, count, field)                                               \
  write_field(file, path, count, array, sizeof *(array),                                           \
              (array) ? (size_t)((const char *)&(array)->field - (const char *)(array)) : 0,       \
              sizeof((array)->field) / sizeof(double))

/* Only where there is one. */
static scree_status write_flow(const hdf5_file *file, const scree_set *set, size_t n) {
  enum { ROWS = SCREE_MAX_DIM - 1 };
  bool any = false;
  for (size_t i = 0; i < n; i++) any = any || set_has_flow(&set[i]);
  if (!any) return SCREE_OK;
  double *x = memory_new(file->context, n * ROWS, sizeof *x);
  if (!x) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++) memcpy(x + i * ROWS, set[i].flow, sizeof set[i].flow);
  const scree_status s = hdf5_write_reals(file, ROOT "/sets/flow", n * ROWS, 0, x);
  memory_free(file->context, x);
  return s;
}

static scree_status write_sets(const hdf5_file *file, const scree_ccp *p) {
  const scree_set *set = p->set;
  const size_t n = p->set_count;
  for (size_t i = 0; i < n; i++)
    if (set_role_of(&set[i]) == SET_OPAQUE)
      return context_fail(
          file->context, SCREE_ERROR_UNSUPPORTED,
          "the problem has a set of the user's own (%s), whose functions no file can "
          "hold",
          set[i].user->name ? set[i].user->name : "without a name");
  uint32_t *number = memory_new(file->context, n, sizeof *number);
  if (!number) return SCREE_ERROR_MEMORY;
  scree_status s = hdf5_write_group(file, ROOT "/sets");
  for (size_t i = 0; i < n; i++) number[i] = (uint32_t)set[i].kind;
  if (!s) s = hdf5_write_uint32(file, ROOT "/sets/kind", n, 0, number);
  for (size_t i = 0; i < n; i++) number[i] = (uint32_t)set[i].dim;
  if (!s) s = hdf5_write_uint32(file, ROOT "/sets/dim", n, 0, number);
  memory_free(file->context, number);
  if (!s) s = WRITE_FIELD(file, ROOT "/sets/mu", set, n, mu);
  if (!s) s = WRITE_FIELD(file, ROOT "/sets/mu2", set, n, mu2);
  if (!s) s = WRITE_FIELD(file, ROOT "/sets/rolling", set, n, rolling);
  if (!s) s = WRITE_FIELD(file, ROOT "/sets/spinning", set, n, spinning);
  if (!s) s = WRITE_FIELD(file, ROOT "/sets/lo", set, n, lo);
  if (!s) s = WRITE_FIELD(file, ROOT "/sets/hi", set, n, hi);
  if (!s) s = WRITE_FIELD(file, ROOT "/sets/cohesion", set, n, cohesion);
  if (!s) s = WRITE_FIELD(file, ROOT "/sets/cap", set, n, cap);
  if (!s) s = write_flow(file, set, n);
  if (!s) s = hdf5_write_uint32(file, ROOT "/set", p->block_count, 0, p->set_index);
  return s;
}

static scree_status write_common(const hdf5_file *file, const scree_ccp *p) {
  const int32_t version = 1;
  scree_status s = hdf5_write_group(file, ROOT);
  if (!s) s = hdf5_write_int32(file, ROOT "/version", 1, &version);
  if (!s) s = hdf5_write_string(file, ROOT "/form", FORM[p->form]);
  if (!s) s = hdf5_write_reals(file, ROOT "/reference_speed", 1, 0, &p->reference_speed);
  if (!s && p->least_speed > 0.0)
    s = hdf5_write_reals(file, ROOT "/least_speed", 1, 0, &p->least_speed);
  if (!s) s = write_sets(file, p);
  if (!s) s = hdf5_write_reals(file, ROOT "/offset", p->row_count, 0, p->offset);
  bool compliant = false;
  for (size_t i = 0; p->compliance && i < p->row_count; i++)
    compliant = compliant || p->compliance[i] != 0.0;
  if (!s && compliant)
    s = hdf5_write_reals(file, ROOT "/compliance", p->row_count, 0, p->compliance);
  return s;
}

static scree_status write_contacts(const hdf5_file *file, const ccp_bodies *bodies) {
  const ccp_contact *c = bodies->contact;
  const size_t n = bodies->contact_count;
  uint32_t *body = memory_new(file->context, 2 * n, sizeof *body);
  if (!body) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++) {
    body[2 * i] = c[i].body_a;
    body[2 * i + 1] = c[i].body_b;
  }
  scree_status s = hdf5_write_group(file, ROOT "/contacts");
  if (!s) s = hdf5_write_uint32(file, ROOT "/contacts/body", n, 2, body);
  memory_free(file->context, body);
  if (!s) s = WRITE_FIELD(file, ROOT "/contacts/normal", c, n, normal);
  if (!s) s = WRITE_FIELD(file, ROOT "/contacts/tangent", c, n, tangent);
  if (!s) s = WRITE_FIELD(file, ROOT "/contacts/arm_a", c, n, arm_a);
  if (!s) s = WRITE_FIELD(file, ROOT "/contacts/arm_b", c, n, arm_b);
  return s;
}

static scree_status write_starts(const hdf5_file *file, const char *path, size_t count,
                                 const size_t *start) {
  uint64_t *wide = memory_new(file->context, count, sizeof *wide);
  if (!wide) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++) wide[i] = start[i];
  const scree_status status = hdf5_write_uint64(file, path, count, wide);
  memory_free(file->context, wide);
  return status;
}

static scree_status write_rows(const hdf5_file *file, const ccp_bodies *bodies) {
  const scree_ccp_term *term = bodies->term;
  const size_t n = bodies->term_count;
  const size_t none = 0;
  const size_t *start = bodies->generic_row_count ? bodies->term_start : &none;
  uint32_t *body = memory_new(file->context, n, sizeof *body);
  if (!body) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++) body[i] = term[i].body;
  scree_status s = hdf5_write_group(file, ROOT "/rows");
  if (!s) s = write_starts(file, ROOT "/rows/start", bodies->generic_row_count + 1, start);
  if (!s) s = hdf5_write_uint32(file, ROOT "/rows/body", n, 0, body);
  memory_free(file->context, body);
  if (!s) s = WRITE_FIELD(file, ROOT "/rows/coefficient", term, n, coefficient);
  return s;
}

static scree_status write_bodies(const hdf5_file *file, const ccp_bodies *bodies) {
  const scree_ccp_body_def *body = bodies->body;
  const size_t n = bodies->body_count;
  scree_status s = hdf5_write_group(file, ROOT "/bodies");
  if (!s) s = WRITE_FIELD(file, ROOT "/bodies/inverse_mass", body, n, inverse_mass);
  if (!s) s = WRITE_FIELD(file, ROOT "/bodies/inverse_inertia", body, n, inverse_inertia);
  if (!s) s = WRITE_FIELD(file, ROOT "/bodies/v_free", body, n, v_free);
  if (!s) s = write_contacts(file, bodies);
  return s ? s : write_rows(file, bodies);
}

static scree_status write_matrix(const hdf5_file *file, const char *name, const ccp_matrix *m) {
  char group[HDF5_PATH], path[HDF5_PATH];
  const uint64_t rows = m->rows, columns = m->columns;
  const size_t entries = matrix_entries(m);
  hdf5_join(group, ROOT, name);
  scree_status s = hdf5_write_group(file, group);
  hdf5_join(path, group, "rows");
  if (!s) s = hdf5_write_uint64(file, path, 1, &rows);
  hdf5_join(path, group, "columns");
  if (!s) s = hdf5_write_uint64(file, path, 1, &columns);
  hdf5_join(path, group, "start");
  if (!s) s = write_starts(file, path, m->columns + 1, m->start);
  hdf5_join(path, group, "index");
  if (!s) s = hdf5_write_uint32(file, path, entries, 0, m->index);
  hdf5_join(path, group, "value");
  return s ? s : hdf5_write_reals(file, path, entries, 0, m->value);
}

scree_status native_write(const hdf5_file *file, const scree_ccp *p) {
  scree_status s = write_common(file, p);
  if (s) return s;
  switch (p->form) {
  case SCREE_FORM_BODIES:
    return write_bodies(file, &p->bodies);
  case SCREE_FORM_LOCAL:
    return write_matrix(file, "W", &p->w);
  case SCREE_FORM_GLOBAL:
    break;
  }
  s = write_matrix(file, "M", &p->m);
  if (!s) s = write_matrix(file, "H", &p->h);
  if (!s) s = hdf5_write_reals(file, ROOT "/f", p->m.rows, 0, p->f);
  return s;
}
#endif

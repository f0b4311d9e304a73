/* Building problems: everything that comes in is checked here, so that operators and solvers can
 * rely on finite numbers, valid indices and well-formed sets. */
#include "ccp/problem.h"
#include "ccp/forms/block_rows.h"

#include <math.h>
#include <string.h>

#include "base/argument.h"
#include "base/definition.h"
#include "base/memory.h"
#include "math/vec3.h"

static bool all_finite(const double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

scree_ccp_contact_def scree_ccp_contact_def_default(void) {
  scree_ccp_contact_def def = {.cookie = DEFINITION_COOKIE,
                               .body_a = SCREE_CCP_WORLD,
                               .body_b = SCREE_CCP_WORLD,
                               .normal = {0.0, 0.0, 1.0}};
  def.set = scree_set_coulomb(3, 0.0);
  return def;
}

static scree_status create(scree_context *context, scree_form form, scree_ccp **problem) {
  *problem = NULL;
  scree_ccp *p = memory_new(context, 1, sizeof *p);
  if (!p) return SCREE_ERROR_MEMORY;
  p->context = context;
  p->form = form;
  if (memory_grow(context, &p->row_start, 1, sizeof *p->row_start) ||
      memory_grow(context, &p->bodies.term_start, 1, sizeof *p->bodies.term_start)) {
    scree_ccp_destroy(p);
    return SCREE_ERROR_MEMORY;
  }
  *problem = p;
  return SCREE_OK;
}

scree_status scree_ccp_create_bodies(scree_context *context, scree_ccp **problem) {
  ARGUMENT_CHECK(context, context && problem);
  return create(context, SCREE_FORM_BODIES, problem);
}

void scree_ccp_clear(scree_ccp *p) {
  if (!p) return;
  p->block_count = p->row_count = p->set_count = 0;
  p->asks_contradictions = false;
  p->bodies.body_count = p->bodies.contact_count = 0;
  p->bodies.term_count = p->bodies.generic_row_count = 0;
  if (p->compliance) memset(p->compliance, 0, memory_room(p->compliance) * sizeof *p->compliance);
}

static void free_matrix(scree_context *context, ccp_matrix *m) {
  memory_free(context, m->start);
  memory_free(context, m->index);
  memory_free(context, m->value);
}

void scree_ccp_destroy(scree_ccp *p) {
  if (!p) return;
  scree_context *context = p->context;
  memory_free(context, p->row_start);
  memory_free(context, p->set_index);
  memory_free(context, p->set);
  memory_free(context, p->offset);
  memory_free(context, p->compliance);
  memory_free(context, p->bodies.body);
  memory_free(context, p->bodies.contact);
  memory_free(context, p->bodies.term);
  memory_free(context, p->bodies.term_start);
  free_matrix(context, &p->w);
  block_rows_clear(context, &p->rows);
  free_matrix(context, &p->m);
  free_matrix(context, &p->h);
  memory_free(context, p->f);
  memory_free(context, p);
}

static bool same_set(const scree_set *a, const scree_set *b) {
  return a->kind == b->kind && a->dim == b->dim && a->mu == b->mu && a->mu2 == b->mu2 &&
         a->rolling == b->rolling && a->spinning == b->spinning && a->lo == b->lo &&
         a->hi == b->hi && a->cohesion == b->cohesion && a->cap == b->cap &&
         memcmp(a->flow, b->flow, sizeof a->flow) == 0 && a->user == b->user;
}

/* Sets repeat (one per material pair), so only distinct ones are stored. The last few are searched:
 * a file with as many sets as blocks must not cost quadratic time. */
static scree_status intern_set(scree_ccp *p, const scree_set *set, uint32_t *index) {
  enum { RECENT = 16 };
  const size_t stop = p->set_count > RECENT ? p->set_count - RECENT : 0;
  for (size_t i = p->set_count; i-- > stop;)
    if (same_set(&p->set[i], set)) {
      *index = (uint32_t)i;
      return SCREE_OK;
    }
  if (memory_grow(p->context, &p->set, p->set_count + 1, sizeof *set)) return SCREE_ERROR_MEMORY;
  p->set[p->set_count] = *set;
  *index = (uint32_t)p->set_count++;
  return SCREE_OK;
}

static scree_status check_compliance(scree_ccp *p, const double *compliance, size_t dim,
                                     bool *compliant) {
  *compliant = false;
  for (size_t k = 0; compliance && k < dim; k++) {
    if (!(compliance[k] >= 0.0) || isinf(compliance[k]))
      return context_fail(p->context, SCREE_ERROR_INPUT,
                          "block %zu: compliance %g of row %zu must be finite and not negative",
                          p->block_count, compliance[k], k);
    *compliant = *compliant || compliance[k] > 0.0;
  }
  return SCREE_OK;
}

/* Appends a block: its set, offsets and compliances (either may be null for zeros). */
static scree_status append_block(scree_ccp *p, const scree_set *set, const double *offset,
                                 const double *compliance) {
  scree_context *context = p->context;
  const char *fault = scree_set_fault(set);
  const size_t block = p->block_count;
  if (fault)
    return context_fail(context, SCREE_ERROR_INPUT, "block %zu: %s set: %s", block,
                        scree_set_name(set->kind), fault);
  const size_t dim = (size_t)set->dim, rows = p->row_count + dim;
  if (offset && !all_finite(offset, dim))
    return context_fail(context, SCREE_ERROR_INPUT, "block %zu: its offset is not finite", block);
  bool compliant;
  if (check_compliance(p, compliance, dim, &compliant)) return SCREE_ERROR_INPUT;
  if (rows > UINT32_MAX - 8)
    return context_fail(context, SCREE_ERROR_INPUT, "more than %u rows", UINT32_MAX - 8);
  uint32_t set_index = 0;
  if (intern_set(p, set, &set_index) ||
      memory_grow(context, &p->row_start, block + 2, sizeof(uint32_t)) ||
      memory_grow(context, &p->set_index, block + 1, sizeof(uint32_t)) ||
      memory_grow(context, &p->offset, rows, sizeof(double)))
    return SCREE_ERROR_MEMORY;
  if ((compliant || p->compliance) && memory_grow(context, &p->compliance, rows, sizeof(double)))
    return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < dim; k++) {
    p->offset[p->row_count + k] = offset ? offset[k] : 0.0;
    if (p->compliance) p->compliance[p->row_count + k] = compliance ? compliance[k] : 0.0;
  }
  p->set_index[block] = set_index;
  p->row_start[block] = (uint32_t)p->row_count;
  p->row_start[block + 1] = (uint32_t)rows;
  p->row_count = rows;
  p->block_count++;
  return SCREE_OK;
}

/* What is wrong with a body; null: nothing. */
static const char *body_fault(const scree_ccp_body_def *def) {
  if (!(def->inverse_mass >= 0.0) || isinf(def->inverse_mass) ||
      !all_finite(def->inverse_inertia, 6) || !all_finite(def->v_free, 6))
    return "mass, inertia and velocity must be finite, mass not negative";
  const double *s = def->inverse_inertia;
  const double det = s[0] * (s[3] * s[5] - s[4] * s[4]) - s[1] * (s[1] * s[5] - s[4] * s[2]) +
                     s[2] * (s[1] * s[4] - s[3] * s[2]);
  const double trace = s[0] + s[3] + s[5];
  if (s[0] < 0.0 || s[3] < 0.0 || s[5] < 0.0 ||
      s[0] * s[3] - s[1] * s[1] < -1e-12 * trace * trace || det < -1e-12 * trace * trace * trace)
    return "the inverse inertia is not positive semidefinite";
  return NULL;
}

scree_status ccp_extend_bodies(scree_ccp *p, size_t count) {
  ccp_bodies *b = &p->bodies;
  const size_t n = b->body_count + count;
  if (memory_grow(p->context, &b->body, n, sizeof *b->body)) return SCREE_ERROR_MEMORY;
  b->body_count = n;
  return SCREE_OK;
}

bool ccp_set_body(scree_ccp *p, size_t body, const scree_ccp_body_def *def) {
  p->bodies.body[body] = *def;
  return !body_fault(def);
}

scree_status ccp_refuse_body(scree_ccp *p, size_t body) {
  return context_fail(p->context, SCREE_ERROR_INPUT, "body %zu: %s", body,
                      body_fault(&p->bodies.body[body]));
}

scree_status scree_ccp_add_body(scree_ccp *p, const scree_ccp_body_def *def, uint32_t *index) {
  ARGUMENT_CHECK(p ? p->context : NULL, p && def);
  const size_t n = p->bodies.body_count;
  if (p->form != SCREE_FORM_BODIES)
    return context_fail(p->context, SCREE_ERROR_ARGUMENT, "only a problem of bodies takes bodies");
  const char *fault = body_fault(def);
  if (fault) return context_fail(p->context, SCREE_ERROR_INPUT, "body %zu: %s", n, fault);
  if (ccp_extend_bodies(p, 1)) return SCREE_ERROR_MEMORY;
  p->bodies.body[n] = *def;
  if (index) *index = (uint32_t)n;
  return SCREE_OK;
}

static scree_status check_body(scree_ccp *p, uint32_t body) {
  if (body == SCREE_CCP_WORLD || body < p->bodies.body_count) return SCREE_OK;
  return context_fail(p->context, SCREE_ERROR_INPUT, "block %zu: there is no body %u (%zu bodies)",
                      p->block_count, body, p->bodies.body_count);
}

scree_status scree_ccp_add_contact(scree_ccp *p, const scree_ccp_contact_def *def) {
  ARGUMENT_CHECK(p ? p->context : NULL, p && def);
  DEFINITION_CHECK(p->context, def, ccp_contact_def);
  ccp_bodies *bodies = &p->bodies;
  const size_t n = bodies->contact_count;
  if (p->form != SCREE_FORM_BODIES || n != p->block_count)
    return context_fail(p->context, SCREE_ERROR_ARGUMENT,
                        "contacts go into a problem of bodies, before its generic blocks");
  if (check_body(p, def->body_a) || check_body(p, def->body_b)) return SCREE_ERROR_INPUT;
  if (def->body_a == def->body_b)
    return context_fail(p->context, SCREE_ERROR_INPUT, "contact %zu: a body against itself", n);
  v3 normal = v3_load(def->normal), tangent = v3_load(def->tangent);
  if (!(fabs(v3_norm2(normal) - 1.0) < 1e-6))
    return context_fail(p->context, SCREE_ERROR_INPUT, "contact %zu: the normal has length %g", n,
                        v3_norm(normal));
  if (!all_finite(def->arm_a, 3) || !all_finite(def->arm_b, 3))
    return context_fail(p->context, SCREE_ERROR_INPUT, "contact %zu: a lever arm is not finite", n);
  normal = v3_normalize(normal);
  if (v3_norm2(tangent) == 0.0) tangent = v3_across(normal);
  tangent = v3_add_scaled(tangent, -v3_dot(tangent, normal), normal);
  if (!(v3_norm2(tangent) > 1e-6))
    return context_fail(p->context, SCREE_ERROR_INPUT,
                        "contact %zu: the tangent is not across the normal", n);
  tangent = v3_normalize(tangent);
  if (memory_grow(p->context, &bodies->contact, n + 1, sizeof *bodies->contact))
    return SCREE_ERROR_MEMORY;
  const scree_status status = append_block(p, &def->set, def->offset, def->compliance);
  if (status) return status;
  ccp_contact *c = &bodies->contact[n];
  c->body_a = def->body_a;
  c->body_b = def->body_b;
  v3_store(c->normal, normal);
  v3_store(c->tangent, tangent);
  memcpy(c->arm_a, def->arm_a, sizeof c->arm_a);
  memcpy(c->arm_b, def->arm_b, sizeof c->arm_b);
  bodies->contact_count++;
  return SCREE_OK;
}

scree_status ccp_reserve_contacts(scree_ccp *p, size_t more) {
  scree_context *context = p->context;
  ccp_bodies *b = &p->bodies;
  const size_t blocks = p->block_count + more, rows = p->row_count + more * SCREE_MAX_DIM;
  if (rows > UINT32_MAX - 8)
    return context_fail(context, SCREE_ERROR_INPUT, "more than %u rows", UINT32_MAX - 8);
  if (memory_grow(context, &b->contact, blocks, sizeof *b->contact) ||
      memory_grow(context, &p->row_start, blocks + 1, sizeof(uint32_t)) ||
      memory_grow(context, &p->set_index, blocks, sizeof(uint32_t)) ||
      memory_grow(context, &p->offset, rows, sizeof(double)))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

/* A sum is not finite when one of its terms is not. */
static bool looks_finite(const scree_ccp_contact_def *def) {
  double sum = 0.0;
  for (int k = 0; k < 3; k++) sum += def->arm_a[k] + def->arm_b[k] + def->normal[k];
  for (int k = 0; k < def->set.dim; k++) sum += def->offset[k] + def->compliance[k];
  return isfinite(sum);
}

static void write_contact(scree_ccp *p, size_t n, size_t row, const scree_ccp_contact_def *def,
                          uint32_t set) {
  const size_t dim = (size_t)def->set.dim;
  ccp_contact *c = &p->bodies.contact[n];
  c->body_a = def->body_a;
  c->body_b = def->body_b;
  memcpy(c->normal, def->normal, sizeof c->normal);
  memcpy(c->tangent, def->tangent, sizeof c->tangent);
  memcpy(c->arm_a, def->arm_a, sizeof c->arm_a);
  memcpy(c->arm_b, def->arm_b, sizeof c->arm_b);
  for (size_t k = 0; k < dim; k++) p->offset[row + k] = def->offset[k];
  p->set_index[n] = set;
  p->row_start[n + 1] = (uint32_t)(row + dim);
}

scree_status ccp_find_set(scree_ccp *p, const scree_set *set, uint32_t *index) {
  *index = (uint32_t)p->set_count - 1;
  if (p->set_count && same_set(&p->set[*index], set)) return SCREE_OK;
  const char *fault = scree_set_fault(set);
  if (fault)
    return context_fail(p->context, SCREE_ERROR_INPUT, "contact %zu: %s set: %s", p->block_count,
                        scree_set_name(set->kind), fault);
  return intern_set(p, set, index);
}

scree_status ccp_put_contact(scree_ccp *p, const scree_ccp_contact_def *def) {
  const size_t n = p->block_count, row = p->row_count, dim = (size_t)def->set.dim;
  bool compliant = p->compliance != NULL;
  for (size_t k = 0; k < dim; k++) compliant = compliant || def->compliance[k] != 0.0;
  uint32_t set;
  if (!looks_finite(def)) return scree_ccp_add_contact(p, def);
  const scree_status status = ccp_find_set(p, &def->set, &set);
  if (status) return status;
  if (compliant) {
    bool any;
    if (check_compliance(p, def->compliance, dim, &any)) return SCREE_ERROR_INPUT;
    if (memory_grow(p->context, &p->compliance, row + dim, sizeof(double)))
      return SCREE_ERROR_MEMORY;
    memcpy(p->compliance + row, def->compliance, dim * sizeof(double));
  }
  p->row_start[n] = (uint32_t)row;
  write_contact(p, n, row, def, set);
  p->row_count = row + dim;
  p->block_count++;
  p->bodies.contact_count++;
  return SCREE_OK;
}

void ccp_extend_contacts(scree_ccp *p, size_t count, size_t dim) {
  p->row_start[p->block_count] = (uint32_t)p->row_count;
  p->block_count += count;
  p->bodies.contact_count += count;
  p->row_count += count * dim;
}

bool ccp_set_contact(scree_ccp *p, size_t n, size_t row, const scree_ccp_contact_def *def,
                     uint32_t set) {
  write_contact(p, n, row, def, set);
  return looks_finite(def);
}

void ccp_drop_contacts(scree_ccp *p, size_t count) {
  p->block_count = p->bodies.contact_count = count;
  p->row_count = count ? p->row_start[count] : 0;
}

scree_status ccp_change_contact(scree_ccp *p, size_t k, const scree_set *set, double offset,
                                double compliance) {
  const size_t row = p->row_start[k];
  bool any;
  const char *fault = scree_set_fault(set);
  if (fault || set->dim != ccp_dim(p, k))
    return context_fail(p->context, SCREE_ERROR_INPUT, "contact %zu: %s set: %s", k,
                        scree_set_name(set->kind), fault ? fault : "another dimension");
  if (check_compliance(p, &compliance, 1, &any)) return SCREE_ERROR_INPUT;
  if (intern_set(p, set, &p->set_index[k]) ||
      ((any || p->compliance) &&
       memory_grow(p->context, &p->compliance, p->row_count, sizeof(double))))
    return SCREE_ERROR_MEMORY;
  p->offset[row] = offset;
  if (p->compliance) p->compliance[row] = compliance;
  return SCREE_OK;
}

scree_status scree_ccp_add_block(scree_ccp *p, const scree_set *set,
                                 const scree_ccp_row_def *rows) {
  ARGUMENT_CHECK(p ? p->context : NULL, p && set);
  ccp_bodies *bodies = &p->bodies;
  const char *fault = scree_set_fault(set);
  if (p->form != SCREE_FORM_BODIES)
    return context_fail(p->context, SCREE_ERROR_ARGUMENT, "only a problem of bodies takes rows");
  if (fault)
    return context_fail(p->context, SCREE_ERROR_INPUT, "block %zu: %s", p->block_count, fault);
  const size_t dim = (size_t)set->dim;
  double offset[SCREE_MAX_DIM], compliance[SCREE_MAX_DIM];
  size_t terms = bodies->term_count;
  for (size_t k = 0; k < dim; k++) {
    offset[k] = rows[k].offset;
    compliance[k] = rows[k].compliance;
    for (size_t t = 0; t < rows[k].term_count; t++) {
      if (check_body(p, rows[k].terms[t].body)) return SCREE_ERROR_INPUT;
      if (!all_finite(rows[k].terms[t].coefficient, 6))
        return context_fail(p->context, SCREE_ERROR_INPUT,
                            "block %zu: row %zu has a coefficient that is not finite",
                            p->block_count, k);
    }
    terms += rows[k].term_count;
  }
  if (memory_grow(p->context, &bodies->term, terms, sizeof *bodies->term) ||
      memory_grow(p->context, &bodies->term_start, bodies->generic_row_count + dim + 1,
                  sizeof *bodies->term_start))
    return SCREE_ERROR_MEMORY;
  const scree_status status = append_block(p, set, offset, compliance);
  if (status) return status;
  for (size_t k = 0; k < dim; k++) {
    bodies->term_start[bodies->generic_row_count++] = bodies->term_count;
    for (size_t t = 0; t < rows[k].term_count; t++)
      if (rows[k].terms[t].body != SCREE_CCP_WORLD)
        bodies->term[bodies->term_count++] = rows[k].terms[t];
  }
  bodies->term_start[bodies->generic_row_count] = bodies->term_count;
  return SCREE_OK;
}

static scree_status check_matrix(scree_context *context, const char *name, const scree_csc *from) {
  if (from->start[0] != 0)
    return context_fail(context, SCREE_ERROR_INPUT, "%s: the first column starts at %zu, not 0",
                        name, from->start[0]);
  for (size_t j = 0; j < from->columns; j++) {
    if (from->start[j + 1] < from->start[j])
      return context_fail(context, SCREE_ERROR_INPUT, "%s: the column starts descend at column %zu",
                          name, j);
    for (size_t k = from->start[j]; k < from->start[j + 1]; k++) {
      if (from->index[k] >= from->rows ||
          (k > from->start[j] && from->index[k] <= from->index[k - 1]))
        return context_fail(
            context, SCREE_ERROR_INPUT,
            "%s: column %zu: row index %u is out of range, repeated or not ascending", name, j,
            from->index[k]);
      if (!isfinite(from->value[k]))
        return context_fail(context, SCREE_ERROR_INPUT, "%s: entry (%u, %zu) is not finite", name,
                            from->index[k], j);
    }
  }
  return SCREE_OK;
}

static scree_status copy_matrix(scree_context *context, const char *name, const scree_csc *from,
                                ccp_matrix *to) {
  const scree_status status = check_matrix(context, name, from);
  if (status) return status;
  const size_t entries = from->start[from->columns];
  to->rows = from->rows;
  to->columns = from->columns;
  to->start = memory_new(context, from->columns + 1, sizeof *to->start);
  to->index = memory_new(context, entries, sizeof *to->index);
  to->value = memory_new(context, entries, sizeof *to->value);
  if (!to->start || !to->index || !to->value) return SCREE_ERROR_MEMORY;
  memcpy(to->start, from->start, (from->columns + 1) * sizeof *to->start);
  if (entries) memcpy(to->index, from->index, entries * sizeof *to->index);
  if (entries) memcpy(to->value, from->value, entries * sizeof *to->value);
  return SCREE_OK;
}

static scree_status append_blocks(scree_ccp *p, size_t block_count, const scree_set *sets,
                                  const double *offset, const double *compliance) {
  for (size_t i = 0; i < block_count; i++) {
    const size_t row = p->row_count;
    const scree_status status =
        append_block(p, &sets[i], offset + row, compliance ? compliance + row : NULL);
    if (status) return status;
  }
  return SCREE_OK;
}

static size_t count_rows(size_t block_count, const scree_set *sets) {
  size_t rows = 0;
  for (size_t i = 0; i < block_count; i++)
    rows += sets[i].dim > 0 && sets[i].dim <= SCREE_MAX_DIM ? (size_t)sets[i].dim : 0;
  return rows;
}

/* W = H'M^-1 H with masses over 0 has no negative diagonal but for rounding. */
static scree_status check_diagonal(scree_context *context, const ccp_matrix *w) {
  double most = 0.0;
  for (size_t j = 0; j < w->columns; j++)
    for (size_t k = w->start[j]; k < w->start[j + 1]; k++)
      if (w->index[k] == j) most = fmax(most, w->value[k]);
  for (size_t j = 0; j < w->columns; j++)
    for (size_t k = w->start[j]; k < w->start[j + 1]; k++)
      if (w->index[k] == j && w->value[k] < -1e-9 * most)
        return context_fail(context, SCREE_ERROR_INPUT,
                            "W is not positive semidefinite: the diagonal of row %zu is %g; every "
                            "mass must be over 0",
                            j, w->value[k]);
  return SCREE_OK;
}

scree_status scree_ccp_create_local(scree_context *context, size_t block_count,
                                    const scree_set *sets, const scree_csc *w, const double *q,
                                    const double *compliance, scree_ccp **problem) {
  ARGUMENT_CHECK(context, context && (sets || !block_count) && w && problem);
  const size_t rows = count_rows(block_count, sets);
  *problem = NULL;
  if (w->rows != rows || w->columns != rows)
    return context_fail(context, SCREE_ERROR_INPUT, "W is %zu x %zu, the sets have %zu rows",
                        w->rows, w->columns, rows);
  scree_ccp *p = NULL;
  scree_status status = create(context, SCREE_FORM_LOCAL, &p);
  if (!status) status = append_blocks(p, block_count, sets, q, compliance);
  if (!status) status = copy_matrix(context, "W", w, &p->w);
  if (!status) status = check_diagonal(context, &p->w);
  if (!status) status = block_rows_build(context, p, p->w.start, p->w.index, p->w.value, &p->rows);
  if (status) {
    scree_ccp_destroy(p);
    return status;
  }
  *problem = p;
  return SCREE_OK;
}

scree_status scree_ccp_create_global(scree_context *context, size_t block_count,
                                     const scree_set *sets, const scree_csc *m, const scree_csc *h,
                                     const double *f, const double *w, const double *compliance,
                                     scree_ccp **problem) {
  ARGUMENT_CHECK(context, context && (sets || !block_count) && m && h && problem);
  const size_t rows = count_rows(block_count, sets);
  *problem = NULL;
  if (m->rows != m->columns || h->rows != m->rows || h->columns != rows)
    return context_fail(context, SCREE_ERROR_INPUT,
                        "M is %zu x %zu, H is %zu x %zu, the sets have %zu rows", m->rows,
                        m->columns, h->rows, h->columns, rows);
  if (!all_finite(f, m->rows))
    return context_fail(context, SCREE_ERROR_INPUT, "f has an entry that is not finite");
  scree_ccp *p = NULL;
  scree_status status = create(context, SCREE_FORM_GLOBAL, &p);
  if (!status) status = append_blocks(p, block_count, sets, w, compliance);
  if (!status) status = copy_matrix(context, "M", m, &p->m);
  if (!status) status = copy_matrix(context, "H", h, &p->h);
  if (!status && !(p->f = memory_new(context, m->rows, sizeof *p->f))) status = SCREE_ERROR_MEMORY;
  if (status) {
    scree_ccp_destroy(p);
    return status;
  }
  memcpy(p->f, f, m->rows * sizeof *p->f);
  *problem = p;
  return SCREE_OK;
}

scree_form scree_ccp_form(const scree_ccp *p) {
  if (!p) return (scree_form){0};
  return p->form;
}

size_t scree_ccp_block_count(const scree_ccp *p) {
  if (!p) return 0;
  return p->block_count;
}

size_t scree_ccp_row_count(const scree_ccp *p) {
  if (!p) return 0;
  return p->row_count;
}

size_t scree_ccp_velocity_count(const scree_ccp *p) {
  if (!p) return 0;
  return p->form == SCREE_FORM_BODIES ? 6 * p->bodies.body_count : p->m.rows;
}

size_t scree_ccp_block_row(const scree_ccp *p, size_t block) {
  if (!p || block > scree_ccp_block_count(p)) return 0;
  return p->row_start[block];
}

scree_set scree_ccp_block_set(const scree_ccp *p, size_t block) {
  if (!p || block >= scree_ccp_block_count(p)) return (scree_set){0};
  return *ccp_set(p, block);
}

void ccp_set_least_speed(scree_ccp *p, double speed) {
  p->least_speed = speed > 0.0 && isfinite(speed) ? speed : 0.0;
}

void scree_ccp_set_reference_speed(scree_ccp *p, double speed) {
  if (!p) return;
  p->reference_speed = speed > 0.0 && isfinite(speed) ? speed : 0.0;
}

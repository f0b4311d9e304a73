/* See entries.h. The rows of contacts are made here a second time, on purpose: what checks a proof
 * must not share code with the operators that found it. */
#include "ccp/forms/entries.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/sets/rows.h"

static scree_status add(scree_context *context, ccp_entries *e, size_t row, size_t column,
                        double value) {
  if (value == 0.0) return SCREE_OK;
  if (memory_grow(context, &e->entry, e->count + 1, sizeof *e->entry)) return SCREE_ERROR_MEMORY;
  e->entry[e->count++] = (ccp_entry){row, column, value};
  return SCREE_OK;
}

static void cross(const double *a, const double *b, double *out) {
  for (int k = 0; k < 3; k++)
    out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static scree_status add_contact(scree_context *context, ccp_entries *e, const ccp_contact *c,
                                size_t row, int dim) {
  double frame[3][3];
  memcpy(frame[0], c->normal, sizeof frame[0]);
  memcpy(frame[1], c->tangent, sizeof frame[1]);
  cross(frame[0], frame[1], frame[2]);
  scree_status status = SCREE_OK;
  for (int side = 0; side < 2; side++) {
    const uint32_t body = side ? c->body_b : c->body_a;
    if (body == SCREE_CCP_WORLD) continue;
    const double sign = side ? 1.0 : -1.0;
    for (int k = 0; k < dim; k++) {
      const double *axis = frame[rows_axis(dim, k)];
      double turn[3];
      if (rows_is_moment(k))
        memcpy(turn, axis, sizeof turn);
      else
        cross(side ? c->arm_b : c->arm_a, axis, turn);
      for (size_t j = 0; j < 3 && !status; j++) {
        if (!rows_is_moment(k))
          status = add(context, e, row + (size_t)k, 6 * body + j, sign * axis[j]);
        if (!status) status = add(context, e, row + (size_t)k, 6 * body + 3 + j, sign * turn[j]);
      }
    }
  }
  return status;
}

static scree_status add_bodies(scree_context *context, const scree_ccp *p, ccp_entries *e) {
  const ccp_bodies *bodies = &p->bodies;
  static const int diagonal[] = {0, 3, 5};
  for (size_t b = 0; b < bodies->body_count; b++)
    for (size_t k = 0; k < 3; k++) {
      e->weight[6 * b + k] = sqrt(bodies->body[b].inverse_mass);
      e->weight[6 * b + 3 + k] = sqrt(fmax(0.0, bodies->body[b].inverse_inertia[diagonal[k]]));
    }
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < bodies->contact_count && !status; i++)
    status = add_contact(context, e, &bodies->contact[i], p->row_start[i], ccp_dim(p, i));
  const size_t first = p->row_start[bodies->contact_count];
  for (size_t r = 0; r < bodies->generic_row_count && !status; r++)
    for (size_t t = bodies->term_start[r]; t < bodies->term_start[r + 1]; t++)
      for (size_t k = 0; k < 6 && !status; k++)
        if (bodies->term[t].body != SCREE_CCP_WORLD)
          status = add(context, e, first + r, 6 * bodies->term[t].body + k,
                       bodies->term[t].coefficient[k]);
  return status;
}

static double diagonal_of(const ccp_matrix *m, size_t j) {
  for (size_t k = m->start[j]; k < m->start[j + 1]; k++)
    if (m->index[k] == j) return m->value[k];
  return 0.0;
}

/* H is stored by columns, one per row of the problem; W by columns as well. */
static scree_status add_matrix(scree_context *context, const scree_ccp *p, ccp_entries *e) {
  const bool local = p->form == SCREE_FORM_LOCAL;
  const ccp_matrix *m = local ? &p->w : &p->h;
  scree_status status = SCREE_OK;
  for (size_t j = 0; j < m->columns && !status; j++)
    for (size_t k = m->start[j]; k < m->start[j + 1] && !status; k++)
      status = local ? add(context, e, m->index[k], j, m->value[k])
                     : add(context, e, j, m->index[k], m->value[k]);
  double most = 0.0;
  for (size_t k = 0; k < e->columns; k++)
    most = fmax(most, fabs(diagonal_of(local ? &p->w : &p->m, k)));
  for (size_t k = 0; k < e->columns; k++) {
    const double d = fabs(diagonal_of(local ? &p->w : &p->m, k));
    e->weight[k] = 1.0 / sqrt(fmax(d, 1e-30 * most + 1e-300));
  }
  return status;
}

scree_status ccp_entries_read(scree_context *context, const scree_ccp *p, ccp_entries *e) {
  *e = (ccp_entries){.columns =
                         p->form == SCREE_FORM_LOCAL ? p->row_count : scree_ccp_velocity_count(p)};
  e->weight = memory_new(context, e->columns, sizeof *e->weight);
  if (!e->weight) return SCREE_ERROR_MEMORY;
  return p->form == SCREE_FORM_BODIES ? add_bodies(context, p, e) : add_matrix(context, p, e);
}

void ccp_entries_clear(scree_context *context, ccp_entries *e) {
  memory_free(context, e->entry);
  memory_free(context, e->weight);
}

double ccp_entries_given(const scree_ccp *p, const ccp_entries *e, size_t column) {
  if (p->form != SCREE_FORM_BODIES || e->weight[column] > 0.0) return 0.0;
  return p->bodies.body[column / 6].v_free[column % 6];
}

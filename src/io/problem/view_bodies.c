/* The bodies form as a global problem: M v = f + H g, u = H'v + w.
 *
 * A body's M^-1 is (1/m) I on its velocity and a 3 x 3 inverse inertia on its angular velocity.
 * Rows of zeros are motions that are given (fixed and prescribed bodies, locked axes): they leave
 * M, and what they add to u, D'v_free, goes into w. The rest must be invertible. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/bodies/operator.h"
#include "io/problem/view.h"

/* Which of the six motions of a body are free. */
static bool body_freedom(const scree_ccp_body_def *body, bool *is_free) {
  const double *s = body->inverse_inertia;
  const double matrix[3][3] = {{s[0], s[1], s[2]}, {s[1], s[3], s[4]}, {s[2], s[4], s[5]}};
  bool clean = true;
  for (int i = 0; i < 3; i++) {
    is_free[i] = body->inverse_mass > 0.0;
    is_free[3 + i] = matrix[i][i] > 0.0;
    for (int j = 0; j < 3; j++) clean = clean && (is_free[3 + i] || matrix[i][j] == 0.0);
  }
  return clean;
}

/* Gauss–Jordan on the free axes, in place of the inertia: false when it is singular. */
static bool invert_inertia(const scree_ccp_body_def *body, const bool *is_free, double out[3][3]) {
  const double *s = body->inverse_inertia;
  double a[3][6] = {
      {s[0], s[1], s[2], 1, 0, 0}, {s[1], s[3], s[4], 0, 1, 0}, {s[2], s[4], s[5], 0, 0, 1}};
  for (int k = 0; k < 3; k++) {
    if (!is_free[3 + k]) continue;
    const double pivot = a[k][k];
    if (!(pivot > 1e-12 * (s[0] + s[3] + s[5]))) return false;
    for (int j = 0; j < 6; j++) a[k][j] /= pivot;
    for (int i = 0; i < 3; i++) {
      const double factor = a[i][k];
      for (int j = 0; i != k && j < 6; j++) a[i][j] -= factor * a[k][j];
    }
  }
  bool finite = true;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out[i][j] = 0.5 * (a[i][3 + j] + a[j][3 + i]);
      finite = finite && isfinite(out[i][j]);
    }
  return finite;
}

scree_status view_bodies_freedom(scree_context *context, const scree_ccp *p, problem_view *view,
                                 bool *invertible) {
  const ccp_bodies *bodies = &p->bodies;
  view->velocity_count = 0;
  *invertible = true;
  view->velocity = memory_new(context, 6 * bodies->body_count, sizeof *view->velocity);
  if (!view->velocity) return SCREE_ERROR_MEMORY;
  for (size_t b = 0; b < bodies->body_count; b++) {
    bool is_free[6];
    double inertia[3][3];
    if (!body_freedom(&bodies->body[b], is_free) ||
        !invert_inertia(&bodies->body[b], is_free, inertia) ||
        (is_free[0] && isinf(1.0 / bodies->body[b].inverse_mass)))
      *invertible = false;
    for (size_t k = 0; k < 6; k++)
      if (is_free[k]) view->velocity[view->velocity_count++] = (uint32_t)(6 * b + k);
  }
  return SCREE_OK;
}

/* Adds coefficient times the motion `entry` of v to a row. */
typedef struct column_writer {
  triplets *h;
  const scree_ccp *problem;
  const uint32_t *position; /* of an entry of v in FCLIB's v; UINT32_MAX: dropped */
  double *w;
} column_writer;

static void add_entry(const column_writer *writer, size_t row, size_t entry, double coefficient) {
  if (coefficient == 0.0) return;
  if (writer->position[entry] == UINT32_MAX)
    writer->w[row] += coefficient * writer->problem->bodies.body[entry / 6].v_free[entry % 6];
  else
    triplets_push(writer->h, writer->position[entry], row, coefficient);
}

static void add_side(const column_writer *writer, size_t row, uint32_t body, double sign,
                     const double *arm, v3 direction, bool is_force) {
  if (body == SCREE_CCP_WORLD) return;
  double linear[3], angular[3];
  v3_store(linear, direction);
  v3_store(angular, is_force ? v3_cross(v3_load(arm), direction) : direction);
  for (size_t k = 0; k < 3; k++) {
    if (is_force) add_entry(writer, row, 6 * (size_t)body + k, sign * linear[k]);
    add_entry(writer, row, 6 * (size_t)body + 3 + k, sign * angular[k]);
  }
}

static void add_contacts(const column_writer *writer) {
  const scree_ccp *p = writer->problem;
  for (size_t i = 0; i < p->bodies.contact_count; i++) {
    const ccp_contact *c = &p->bodies.contact[i];
    const contact_rows rows = contact_rows_of(c, ccp_dim(p, i));
    for (int k = 0; k < rows.dim; k++) {
      const size_t row = p->row_start[i] + (size_t)k;
      add_side(writer, row, c->body_a, -1.0, c->arm_a, rows.direction[k], k < rows.forces);
      add_side(writer, row, c->body_b, 1.0, c->arm_b, rows.direction[k], k < rows.forces);
    }
  }
}

static void add_generic_rows(const column_writer *writer) {
  const scree_ccp *p = writer->problem;
  const ccp_bodies *bodies = &p->bodies;
  const size_t first = p->row_count - bodies->generic_row_count;
  for (size_t k = 0; k < bodies->generic_row_count; k++)
    for (size_t t = bodies->term_start[k]; t < bodies->term_start[k + 1]; t++)
      for (size_t e = 0; e < 6; e++)
        add_entry(writer, first + k, 6 * (size_t)bodies->term[t].body + e,
                  bodies->term[t].coefficient[e]);
}

static scree_status build_mass(scree_context *context, const scree_ccp *p, const problem_view *view,
                               const uint32_t *position, view_bodies *out) {
  triplets t = {.context = context};
  scree_status status = triplets_reserve(&t, 12 * p->bodies.body_count);
  for (size_t b = 0; !status && b < p->bodies.body_count; b++) {
    const scree_ccp_body_def *body = &p->bodies.body[b];
    bool is_free[6];
    double mass[6][6] = {{0}}, inertia[3][3];
    body_freedom(body, is_free);
    invert_inertia(body, is_free, inertia);
    for (int i = 0; i < 3; i++) {
      mass[i][i] = is_free[i] ? 1.0 / body->inverse_mass : 0.0;
      for (int j = 0; j < 3; j++)
        mass[3 + i][3 + j] = is_free[3 + i] && is_free[3 + j] ? inertia[i][j] : 0.0;
    }
    for (size_t i = 0; i < 6; i++)
      for (size_t j = 0; j < 6; j++) {
        if (mass[i][j] == 0.0) continue;
        triplets_push(&t, position[6 * b + i], position[6 * b + j], mass[i][j]);
        out->f[position[6 * b + i]] += mass[i][j] * body->v_free[j];
      }
  }
  if (!status) status = triplets_compress(&t, view->velocity_count, view->velocity_count, &out->m);
  triplets_clear(&t);
  return status;
}

static scree_status build_directions(scree_context *context, const scree_ccp *p,
                                     const problem_view *view, const uint32_t *position,
                                     view_bodies *out) {
  triplets t = {.context = context};
  const column_writer writer = {&t, p, position, out->w};
  scree_status status = triplets_reserve(&t, 12 * p->row_count + 6 * p->bodies.term_count);
  if (!status) {
    add_contacts(&writer);
    add_generic_rows(&writer);
    status = triplets_compress(&t, view->velocity_count, p->row_count, &out->h);
  }
  triplets_clear(&t);
  return status;
}

scree_status view_bodies_init(scree_context *context, const scree_ccp *p, const problem_view *view,
                              view_bodies *out) {
  const size_t entries = 6 * p->bodies.body_count;
  *out = (view_bodies){.f = memory_new(context, view->velocity_count, sizeof *out->f),
                       .w = memory_new(context, p->row_count, sizeof *out->w)};
  uint32_t *position = memory_new(context, entries, sizeof *position);
  scree_status status = out->f && out->w && position ? SCREE_OK : SCREE_ERROR_MEMORY;
  if (!status) {
    memset(position, 0xff, entries * sizeof *position);
    for (size_t k = 0; k < view->velocity_count; k++) position[view->velocity[k]] = (uint32_t)k;
    if (p->row_count) memcpy(out->w, p->offset, p->row_count * sizeof *out->w);
    status = build_mass(context, p, view, position, out);
  }
  if (!status) status = build_directions(context, p, view, position, out);
  memory_free(context, position);
  if (status) view_bodies_clear(context, out);
  return status;
}

void view_bodies_clear(scree_context *context, view_bodies *out) {
  matrix_clear(context, &out->m);
  matrix_clear(context, &out->h);
  memory_free(context, out->f);
  memory_free(context, out->w);
  *out = (view_bodies){0};
}

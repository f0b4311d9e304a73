/* See forms/matrices.h. */
#include "ccp/forms/matrices.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/search.h"
#include "ccp/bodies/operator.h"
#include "ccp/forms/local.h"

enum { BODY = 6, SQUARE = BODY * BODY };

/* ---- scaled Jacobian ------------------------------------------------------------------------ */

/* Lower G with G G' = A for a symmetric positive semidefinite A (xx xy xz yy yz zz); a direction
 * without inverse inertia gives a zero column. */
static void semidefinite_root(const double *a, double g[3][3]) {
  const double full[3][3] = {{a[0], a[1], a[2]}, {a[1], a[3], a[4]}, {a[2], a[4], a[5]}};
  const double tiny = 1e-14 * (a[0] + a[3] + a[5]);
  memset(g, 0, 9 * sizeof(double));
  for (int k = 0; k < 3; k++) {
    double d = full[k][k];
    for (int l = 0; l < k; l++) d -= g[k][l] * g[k][l];
    if (!(d > tiny)) continue;
    g[k][k] = sqrt(d);
    for (int i = k + 1; i < 3; i++) {
      double e = full[i][k];
      for (int l = 0; l < k; l++) e -= g[i][l] * g[k][l];
      g[i][k] = e / g[k][k];
    }
  }
}

/* row <- row G, for a row of 6 coefficients. */
static void scale_row(const scree_ccp_body_def *body, const double g[3][3], double *row) {
  const double root = sqrt(body->inverse_mass), a[3] = {row[3], row[4], row[5]};
  for (int k = 0; k < 3; k++) {
    row[k] *= root;
    row[3 + k] = a[0] * g[0][k] + a[1] * g[1][k] + a[2] * g[2][k];
  }
}

static void contact_row(const ccp_contact *c, const contact_rows *rows, int k, int side,
                        double *row) {
  const double sign = side ? 1.0 : -1.0;
  const v3 d = rows->direction[k], arm = v3_load(side ? c->arm_b : c->arm_a);
  const v3 turn = k < rows->forces ? v3_cross(arm, d) : d;
  const v3 push = k < rows->forces ? d : v3_make(0, 0, 0);
  row[0] += sign * push.x;
  row[1] += sign * push.y;
  row[2] += sign * push.z;
  row[3] += sign * turn.x;
  row[4] += sign * turn.y;
  row[5] += sign * turn.z;
}

static size_t first_generic_row(const ccp_operator *op, size_t block) {
  return op->row_start[block] - op->row_start[op->problem->bodies.contact_count];
}

/* Moving bodies of a block, each once, in order of first mention. `list` may be null: count. */
static size_t touched(const ccp_operator *op, size_t block, uint32_t *list) {
  const ccp_bodies *bodies = &op->problem->bodies;
  size_t n = 0;
  if (block < bodies->contact_count) {
    const uint32_t side[2] = {bodies->contact[block].body_a, bodies->contact[block].body_b};
    for (int s = 0; s < 2; s++)
      if (ccp_body_moves(bodies, side[s])) {
        if (list) list[n] = side[s];
        n++;
      }
    return n;
  }
  const size_t row = first_generic_row(op, block), dim = (size_t)ccp_dim(op->problem, block);
  const size_t begin = bodies->term_start[row], end = bodies->term_start[row + dim];
  for (size_t t = begin; t < end; t++) {
    const uint32_t body = bodies->term[t].body;
    size_t k = begin;
    while (k < t && bodies->term[k].body != body) k++;
    if (k < t || !ccp_body_moves(bodies, body)) continue;
    if (list) list[n] = body;
    n++;
  }
  return n;
}

static void fill_touch(const ccp_operator *op, size_t block, uint32_t body, double *value) {
  const ccp_bodies *bodies = &op->problem->bodies;
  const int dim = ccp_dim(op->problem, block);
  if (block < bodies->contact_count) {
    const ccp_contact *c = &bodies->contact[block];
    const contact_rows rows = contact_rows_of(c, dim);
    for (int k = 0; k < dim; k++)
      contact_row(c, &rows, k, c->body_b == body ? 1 : 0, value + BODY * k);
  } else {
    const size_t row = first_generic_row(op, block);
    for (size_t k = 0; k < (size_t)dim; k++)
      for (size_t t = bodies->term_start[row + k]; t < bodies->term_start[row + k + 1]; t++)
        for (size_t j = 0; bodies->term[t].body == body && j < BODY; j++)
          value[BODY * k + j] += bodies->term[t].coefficient[j];
  }
  double g[3][3];
  semidefinite_root(bodies->body[body].inverse_inertia, g);
  for (int k = 0; k < dim; k++) scale_row(&bodies->body[body], g, value + BODY * k);
}

scree_status formed_jacobian_build(const ccp_operator *op, formed_jacobian *b) {
  scree_context *context = op->context;
  const size_t n = op->block_count;
  memset(b, 0, sizeof *b);
  b->body_count = op->problem->bodies.body_count;
  b->block_count = n;
  b->start = memory_new(context, n + 1, sizeof *b->start);
  if (!b->start) return SCREE_ERROR_MEMORY;
  size_t values = 0;
  for (size_t i = 0; i < n; i++) {
    const size_t count = touched(op, i, NULL);
    b->start[i + 1] = b->start[i] + count;
    values += count * BODY * (size_t)ccp_dim(op->problem, i);
  }
  b->body = memory_new(context, b->start[n], sizeof *b->body);
  b->offset = memory_new(context, b->start[n], sizeof *b->offset);
  b->value = memory_new(context, values, sizeof *b->value);
  if (!b->body || !b->offset || !b->value) {
    formed_jacobian_clear(context, b);
    return SCREE_ERROR_MEMORY;
  }
  size_t at = 0;
  for (size_t i = 0; i < n; i++) {
    touched(op, i, b->body + b->start[i]);
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
      b->offset[k] = at;
      fill_touch(op, i, b->body[k], b->value + at);
      at += BODY * (size_t)ccp_dim(op->problem, i);
    }
  }
  return SCREE_OK;
}

void formed_jacobian_clear(scree_context *context, formed_jacobian *b) {
  memory_free(context, b->start);
  memory_free(context, b->body);
  memory_free(context, b->offset);
  memory_free(context, b->value);
  memset(b, 0, sizeof *b);
}

/* ---- patterns from shared resources --------------------------------------------------------- */

typedef struct pattern {
  size_t n;
  size_t *start;
  uint32_t *column;
} pattern;

/* Rows that share an item are coupled: items of row i in forth, rows of an item in back; every row
 * is coupled to itself. */
static scree_status couple(scree_context *context, size_t n, const size_t *forth_start,
                           const uint32_t *forth, const size_t *back_start, const uint32_t *back,
                           pattern *p) {
  *p = (pattern){.n = n, .start = memory_new(context, n + 1, sizeof(size_t))};
  uint32_t *mark = memory_new(context, n, sizeof *mark);
  scree_status status = p->start && mark ? SCREE_OK : SCREE_ERROR_MEMORY;
  for (size_t i = 0; !status && i < n; i++) {
    size_t most = 1, at = p->start[i];
    for (size_t k = forth_start[i]; k < forth_start[i + 1]; k++)
      most += back_start[forth[k] + 1] - back_start[forth[k]];
    if (memory_grow(context, &p->column, at + most, sizeof *p->column)) {
      status = SCREE_ERROR_MEMORY;
      break;
    }
    mark[i] = (uint32_t)i + 1;
    p->column[at++] = (uint32_t)i;
    for (size_t k = forth_start[i]; k < forth_start[i + 1]; k++)
      for (size_t l = back_start[forth[k]]; l < back_start[forth[k] + 1]; l++) {
        if (mark[back[l]] == i + 1) continue;
        mark[back[l]] = (uint32_t)i + 1;
        p->column[at++] = back[l];
      }
    sparse_sort_columns(p->column + p->start[i], at - p->start[i]);
    p->start[i + 1] = at;
    if (i % 64 == 63) status = context_go_on(context, "matrices");
  }
  memory_free(context, mark);
  if (status) {
    memory_free(context, p->start);
    memory_free(context, p->column);
  }
  return status;
}

static scree_status transpose(scree_context *context, const formed_jacobian *b, size_t **start,
                              uint32_t **block) {
  *start = memory_new(context, b->body_count + 2, sizeof **start);
  *block = memory_new(context, b->start[b->block_count], sizeof **block);
  if (!*start || !*block) return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < b->start[b->block_count]; k++) (*start)[b->body[k] + 2]++;
  for (size_t k = 2; k < b->body_count + 2; k++) (*start)[k] += (*start)[k - 1];
  for (size_t i = 0; i < b->block_count; i++)
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++)
      (*block)[(*start)[b->body[k] + 1]++] = (uint32_t)i;
  return SCREE_OK;
}

/* The place of a block (i, j) that is there. */
static size_t find(const size_t *start, const uint32_t *column, size_t i, uint32_t j) {
  return start[i] + search_u32(column + start[i], start[i + 1] - start[i], j);
}

/* ---- the Delassus matrix -------------------------------------------------------------------- */

void formed_matrix_clear(scree_context *context, formed_matrix *n) {
  memory_free(context, n->start);
  memory_free(context, n->offset);
  memory_free(context, n->column);
  memory_free(context, n->value);
  memset(n, 0, sizeof *n);
}

/* N_ij += B_i' B_j over one body. */
static void add_pair(const formed_jacobian *b, size_t k, size_t rows, size_t l, size_t columns,
                     double *block) {
  const double *x = b->value + b->offset[k], *y = b->value + b->offset[l];
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < columns; c++)
      for (size_t j = 0; j < BODY; j++) block[r * columns + c] += x[BODY * r + j] * y[BODY * c + j];
}

static scree_status fill_delassus(const ccp_operator *op, const formed_jacobian *b,
                                  formed_matrix *n) {
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < op->block_count && !status; i++) {
    const size_t rows = (size_t)ccp_dim(op->problem, i);
    for (size_t at = n->start[i]; at < n->start[i + 1]; at++) {
      const size_t j = n->column[at], columns = (size_t)ccp_dim(op->problem, j);
      for (size_t k = b->start[i]; k < b->start[i + 1]; k++)
        for (size_t l = b->start[j]; l < b->start[j + 1]; l++)
          if (b->body[k] == b->body[l]) add_pair(b, k, rows, l, columns, n->value + n->offset[at]);
      for (size_t r = 0; i == j && op->problem->compliance && r < rows; r++)
        n->value[n->offset[at] + r * columns + r] += op->problem->compliance[op->row_start[i] + r];
    }
    if (i % 64 == 63) status = context_go_on(op->context, "matrices");
  }
  return status;
}

static scree_status delassus_of_bodies(ccp_operator *op, formed_matrix *n) {
  scree_context *context = op->context;
  formed_jacobian b;
  size_t *back_start = NULL;
  uint32_t *back = NULL;
  pattern p = {0};
  scree_status status = formed_jacobian_build(op, &b);
  if (status) return status;
  status = transpose(context, &b, &back_start, &back);
  if (!status) status = couple(context, op->block_count, b.start, b.body, back_start, back, &p);
  if (!status) {
    n->start = p.start;
    n->column = p.column;
    const size_t blocks = n->start[op->block_count];
    n->offset = memory_new(context, blocks + 1, sizeof *n->offset);
    for (size_t i = 0; n->offset && i < op->block_count; i++)
      for (size_t k = n->start[i]; k < n->start[i + 1]; k++)
        n->offset[k + 1] = n->offset[k] + (size_t)ccp_dim(op->problem, i) *
                                              (size_t)ccp_dim(op->problem, n->column[k]);
    if (n->offset) n->value = memory_new(context, n->offset[blocks], sizeof *n->value);
    status = n->value ? fill_delassus(op, &b, n) : SCREE_ERROR_MEMORY;
  }
  memory_free(context, back_start);
  memory_free(context, back);
  formed_jacobian_clear(context, &b);
  if (status) formed_matrix_clear(context, n);
  return status;
}

scree_status form_delassus(ccp_operator *op, formed_matrix *n) {
  memset(n, 0, sizeof *n);
  if (op->problem->form == SCREE_FORM_BODIES) {
    const scree_status status = delassus_of_bodies(op, n);
    if (status) return status;
    n->blocks =
        (sparse_blocks){op->block_count, op->row_start, n->start, n->column, n->offset, n->value};
    return SCREE_OK;
  }
  const ccp_block_rows *impl = op_local_rows(op);
  n->blocks = (sparse_blocks){op->block_count, op->row_start, impl->start,
                              impl->column,    impl->offset,  impl->value};
  return SCREE_OK;
}

/* ---- I + B X B' ----------------------------------------------------------------------------- */

void formed_bodies_clear(scree_context *context, formed_bodies *s) {
  memory_free(context, s->start);
  memory_free(context, s->offset);
  memory_free(context, s->column);
  memory_free(context, s->row_start);
  memory_free(context, s->value);
  memory_free(context, s->place);
  memory_free(context, s->place_start);
  memset(s, 0, sizeof *s);
}

static scree_status lay_bodies(scree_context *context, const formed_jacobian *b, formed_bodies *s) {
  const size_t n = b->body_count, blocks = s->start[n];
  s->row_start = memory_new(context, n + 1, sizeof *s->row_start);
  s->offset = memory_new(context, blocks + 1, sizeof *s->offset);
  s->value = memory_new(context, blocks * SQUARE, sizeof *s->value);
  s->place_start = memory_new(context, b->block_count + 1, sizeof *s->place_start);
  if (!s->row_start || !s->offset || !s->value || !s->place_start) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i <= n; i++) s->row_start[i] = (uint32_t)(BODY * i);
  for (size_t k = 0; k <= blocks; k++) s->offset[k] = SQUARE * k;
  for (size_t i = 0; i < b->block_count; i++) {
    const size_t count = b->start[i + 1] - b->start[i];
    s->place_start[i + 1] = s->place_start[i] + count * count;
  }
  s->place = memory_new(context, s->place_start[b->block_count], sizeof *s->place);
  if (!s->place) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < b->block_count; i++) {
    size_t at = s->place_start[i];
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++)
      for (size_t l = b->start[i]; l < b->start[i + 1]; l++)
        s->place[at++] = SQUARE * find(s->start, s->column, b->body[k], b->body[l]);
  }
  s->blocks = (sparse_blocks){n, s->row_start, s->start, s->column, s->offset, s->value};
  return SCREE_OK;
}

scree_status formed_bodies_build(scree_context *context, const formed_jacobian *b,
                                 formed_bodies *s) {
  memset(s, 0, sizeof *s);
  size_t *back_start = NULL;
  uint32_t *back = NULL;
  pattern p = {0};
  scree_status status = transpose(context, b, &back_start, &back);
  if (!status) status = couple(context, b->body_count, back_start, back, b->start, b->body, &p);
  if (!status) {
    s->start = p.start;
    s->column = p.column;
    status = lay_bodies(context, b, s);
  }
  memory_free(context, back_start);
  memory_free(context, back);
  if (status) formed_bodies_clear(context, s);
  return status;
}

/* block (6 x 6) += B_k X B_l', X d x d by rows. */
static void add_square(const double *bk, const double *bl, size_t dim, const double *x,
                       double *block) {
  double xb[SCREE_MAX_DIM][BODY];
  for (size_t r = 0; r < dim; r++)
    for (size_t j = 0; j < BODY; j++) {
      double sum = 0.0;
      for (size_t c = 0; c < dim; c++) sum += x[r * dim + c] * bl[BODY * c + j];
      xb[r][j] = sum;
    }
  for (size_t r = 0; r < dim; r++)
    for (size_t i = 0; i < BODY; i++)
      for (size_t j = 0; j < BODY; j++) block[BODY * i + j] += bk[BODY * r + i] * xb[r][j];
}

void formed_bodies_fill(const formed_jacobian *b, const uint32_t *row_start, const double *x,
                        formed_bodies *s) {
  memset(s->value, 0, s->start[b->body_count] * SQUARE * sizeof *s->value);
  for (size_t i = 0; i < b->body_count; i++) {
    double *block = s->value + SQUARE * find(s->start, s->column, i, (uint32_t)i);
    for (size_t k = 0; k < BODY; k++) block[k * BODY + k] = 1.0;
  }
  for (size_t i = 0; i < b->block_count; i++) {
    const size_t dim = row_start[i + 1] - row_start[i];
    size_t at = s->place_start[i];
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++)
      for (size_t l = b->start[i]; l < b->start[i + 1]; l++)
        add_square(b->value + b->offset[k], b->value + b->offset[l], dim, x,
                   s->value + s->place[at++]);
    x += dim * dim;
  }
}

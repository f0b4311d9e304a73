/* Rigid bodies behind M v = f + H g, u = H'v + w.
 *
 * A packing of bodies may be written as a plain global problem: what makes it cheap is then hidden
 * in its numbers. M has 6 x 6 blocks (m I, inertia), and the rows of a contact, H' = D', are
 *
 *   side b   ( f_k,  arm_b x f_k),     side a   (-f_k, -(arm_a x f_k)),     f = (n, t1, n x t1)
 *   moments  (0, f_k)                           (0, -f_k)
 *
 * with the axes of ccp.h. The frame is read off, and the arm, as sum_k f_k x (arm x f_k) = 2 arm.
 * Every number is then made again from them and compared: what differs by more than rounding, in
 * any block, is not taken for bodies, and the problem is worked as before. Rows of joints follow
 * contacts as they are, as generic rows. */
#include "ccp/forms/recognise.h"
#include "base/definition.h"

#include <math.h>
#include <string.h>

#include "ccp/sets/set.h"
#include "math/vec3.h"

static const double rounding = 1e-13;

/* The columns of H of one block, by the bodies that they reach. */
typedef struct block_rows {
  uint32_t body[2];
  int bodies;
  double row[2][SCREE_MAX_DIM][6];
} block_rows;

/* M's entries of a body as a full block; false where some lie outside of it. */
static bool read_mass(const ccp_matrix *m, size_t body, double block[6][6]) {
  memset(block, 0, 36 * sizeof(double));
  for (size_t j = 0; j < 6; j++)
    for (size_t k = m->start[6 * body + j]; k < m->start[6 * body + j + 1]; k++) {
      if (m->value[k] == 0.0) continue;
      if (m->index[k] / 6 != body) return false;
      block[m->index[k] % 6][j] = m->value[k];
    }
  return true;
}

/* The inverse of a symmetric positive 3 x 3 matrix as xx xy xz yy yz zz. */
static bool invert(double a[3][3], double *s) {
  const double c0 = a[1][1] * a[2][2] - a[1][2] * a[1][2];
  const double c1 = a[0][2] * a[1][2] - a[0][1] * a[2][2];
  const double c2 = a[0][1] * a[1][2] - a[0][2] * a[1][1];
  const double size = a[0][0] + a[1][1] + a[2][2];
  const double det = a[0][0] * c0 + a[0][1] * c1 + a[0][2] * c2;
  if (!(a[0][0] > 0.0 && a[0][0] * a[1][1] - a[0][1] * a[0][1] > 0.0) ||
      !(det > 1e-10 * size * size * size))
    return false;
  if (a[0][1] == 0.0 && a[0][2] == 0.0 && a[1][2] == 0.0) {
    memset(s, 0, 6 * sizeof *s);
    s[0] = 1.0 / a[0][0];
    s[3] = 1.0 / a[1][1];
    s[5] = 1.0 / a[2][2];
    return true;
  }
  s[0] = c0 / det;
  s[1] = c1 / det;
  s[2] = c2 / det;
  s[3] = (a[0][0] * a[2][2] - a[0][2] * a[0][2]) / det;
  s[4] = (a[0][1] * a[0][2] - a[0][0] * a[1][2]) / det;
  s[5] = (a[0][0] * a[1][1] - a[0][1] * a[0][1]) / det;
  return true;
}

static bool read_body(const scree_ccp *p, size_t body, scree_ccp_body_def *def) {
  double block[6][6], inertia[3][3];
  if (!read_mass(&p->m, body, block)) return false;
  const double mass = block[0][0];
  if (!(mass > 0.0)) return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      if (fabs(block[i][j] - (i == j ? mass : 0.0)) > rounding * mass) return false;
      if (block[i][3 + j] != 0.0 || block[3 + i][j] != 0.0) return false;
      inertia[i][j] = 0.5 * (block[3 + i][3 + j] + block[3 + j][3 + i]);
      if (fabs(block[3 + i][3 + j] - inertia[i][j]) > rounding * fabs(inertia[i][j])) return false;
    }
  *def = (scree_ccp_body_def){.inverse_mass = 1.0 / mass};
  double *s = def->inverse_inertia;
  if (!invert(inertia, s)) return false;
  const double *f = p->f + 6 * body;
  for (int k = 0; k < 3; k++) def->v_free[k] = f[k] / mass;
  def->v_free[3] = s[0] * f[3] + s[1] * f[4] + s[2] * f[5];
  def->v_free[4] = s[1] * f[3] + s[3] * f[4] + s[4] * f[5];
  def->v_free[5] = s[2] * f[3] + s[4] * f[4] + s[5] * f[5];
  return true;
}

/* False where more than two bodies are reached. */
static bool read_rows(const scree_ccp *p, size_t block, block_rows *out) {
  const ccp_matrix *h = &p->h;
  memset(out, 0, sizeof *out);
  for (size_t r = p->row_start[block]; r < p->row_start[block + 1]; r++)
    for (size_t k = h->start[r]; k < h->start[r + 1]; k++) {
      if (h->value[k] == 0.0) continue;
      const uint32_t body = h->index[k] / 6;
      int side = 0;
      while (side < out->bodies && out->body[side] != body) side++;
      if (side == 2) return false;
      if (side == out->bodies) out->body[out->bodies++] = body;
      out->row[side][r - p->row_start[block]][h->index[k] % 6] = h->value[k];
    }
  return out->bodies > 0;
}

static bool is_near(v3 a, v3 b, double size) {
  return v3_norm(v3_sub(a, b)) <= rounding * size;
}

/* The arm of a side from its turning parts; `sign` 1: side b. `length`: of the body. */
static v3 read_arm(double row[][6], int forces, double sign, const v3 *frame, double length) {
  v3 sum = v3_make(0, 0, 0);
  for (int k = 0; k < forces; k++)
    sum = v3_add_scaled(sum, forces == 1 ? sign : 0.5 * sign,
                        v3_cross(frame[k], v3_load(row[k] + 3)));
  return v3_norm(sum) <= rounding * length ? v3_make(0, 0, 0) : sum;
}

/* Do frame and arm give the rows back? */
static bool gives_back(double row[][6], int dim, double sign, const v3 *frame, v3 arm,
                       double length) {
  const double size = length + v3_norm(arm);
  for (int k = 0; k < dim; k++) {
    const bool turns = rows_is_moment(k);
    const v3 axis = frame[rows_axis(dim, k)];
    const v3 push = turns ? v3_make(0, 0, 0) : v3_scale(sign, axis);
    const v3 turn = v3_scale(sign, turns ? axis : v3_cross(arm, axis));
    if (!is_near(v3_load(row[k]), push, 1.0) ||
        !is_near(v3_load(row[k] + 3), turn, turns ? 1.0 : size))
      return false;
  }
  return true;
}

/* The radius of gyration. */
static double length_of(const scree_ccp_body_def *body) {
  return sqrt(body->inverse_mass / body->inverse_inertia[0]);
}

static bool is_contact(const scree_set *set) {
  const set_role role = set_role_of(set);
  return role != SET_BILATERAL && role != SET_BOUNDED && set->dim != 2;
}

static bool read_contact(const scree_ccp *p, const scree_ccp *out, size_t block,
                         scree_ccp_contact_def *def) {
  block_rows rows;
  const scree_set *set = ccp_set(p, block);
  const int dim = set->dim, forces = dim < 3 ? dim : 3;
  if (!is_contact(set) || !read_rows(p, block, &rows)) return false;
  const int b = rows.bodies - 1;
  v3 frame[3];
  frame[0] = v3_load(rows.row[b][0]);
  if (fabs(v3_norm(frame[0]) - 1.0) > rounding) return false;
  frame[1] = forces == 1 ? v3_across(frame[0]) : v3_load(rows.row[b][1]);
  frame[2] = v3_cross(frame[0], frame[1]);
  if (fabs(v3_norm(frame[1]) - 1.0) > rounding || fabs(v3_dot(frame[0], frame[1])) > rounding)
    return false;
  *def = (scree_ccp_contact_def){
      .cookie = DEFINITION_COOKIE, .set = *set, .body_a = SCREE_CCP_WORLD, .body_b = rows.body[b]};
  v3_store(def->normal, frame[0]);
  v3_store(def->tangent, frame[1]);
  for (int side = 0; side < rows.bodies; side++) {
    const double sign = side == b ? 1.0 : -1.0;
    const double length = length_of(&out->bodies.body[rows.body[side]]);
    const v3 arm = read_arm(rows.row[side], forces, sign, frame, length);
    if (!gives_back(rows.row[side], dim, sign, frame, arm, length)) return false;
    v3_store(side == b ? def->arm_b : def->arm_a, arm);
    if (side != b) def->body_a = rows.body[side];
  }
  for (int k = 0; k < dim; k++) {
    def->offset[k] = p->offset[p->row_start[block] + (size_t)k];
    if (p->compliance) def->compliance[k] = p->compliance[p->row_start[block] + (size_t)k];
  }
  return true;
}

/* A block of a joint, as generic rows. */
static scree_status add_rows(const scree_ccp *p, size_t block, scree_ccp *out, bool *yes) {
  block_rows rows;
  scree_ccp_term term[SCREE_MAX_DIM][2];
  scree_ccp_row_def row[SCREE_MAX_DIM];
  const scree_set *set = ccp_set(p, block);
  *yes = !is_contact(set) && set->dim != 2 && read_rows(p, block, &rows);
  if (!*yes) return SCREE_OK;
  for (int k = 0; k < set->dim; k++) {
    const size_t at = p->row_start[block] + (size_t)k;
    for (int side = 0; side < rows.bodies; side++) {
      term[k][side].body = rows.body[side];
      memcpy(term[k][side].coefficient, rows.row[side][k], sizeof term[k][side].coefficient);
    }
    row[k] = (scree_ccp_row_def){.terms = term[k],
                                 .term_count = (size_t)rows.bodies,
                                 .offset = p->offset[at],
                                 .compliance = p->compliance ? p->compliance[at] : 0.0};
  }
  return scree_ccp_add_block(out, set, row);
}

scree_status ccp_recognise(const scree_ccp *p, scree_ccp *out, bool *yes) {
  *yes = false;
  scree_ccp_clear(out);
  if (p->m.rows == 0 || p->m.rows % 6 != 0 || p->block_count == 0) return SCREE_OK;
  scree_ccp_contact_def contact;
  scree_status status = ccp_reserve_contacts(out, p->block_count);
  for (size_t body = 0; body < p->m.rows / 6 && !status; body++) {
    scree_ccp_body_def def;
    if (!read_body(p, body, &def)) return SCREE_OK;
    status = scree_ccp_add_body(out, &def, NULL);
  }
  bool contacts = true;
  for (size_t i = 0; i < p->block_count && !status; i++) {
    contacts = contacts && read_contact(p, out, i, &contact);
    bool taken = contacts;
    status = contacts ? ccp_put_contact(out, &contact) : add_rows(p, i, out, &taken);
    if (!taken) return status;
  }
  if (status) return status;
  scree_ccp_set_reference_speed(out, p->reference_speed);
  ccp_set_least_speed(out, p->least_speed);
  *yes = true;
  return SCREE_OK;
}

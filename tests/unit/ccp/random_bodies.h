/* Random problems of bodies for the tests of the operator, and the same problem as dense matrices
 * built row by row from the definitions: an oracle that shares no code with the library. */
#ifndef SCREE_TESTS_RANDOM_BODIES_H
#define SCREE_TESTS_RANDOM_BODIES_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "scree/scree.h"

enum { RANDOM_BODIES_MAX_ROWS = 6 };

typedef struct random_def {
  size_t bodies, contacts, generic;
  bool spheres;    /* every contact is sphere-like: Coulomb 3-D or ray */
  bool rigid;      /* every contact is Coulomb 3-D, with arms and inertias of any kind */
  bool rolling;    /* spheres: most contacts have moments, some of them with coefficients 0 */
  bool equal;      /* spheres: most bodies and arms are the same, so that moments do not slip */
  bool compliance; /* and offsets across the normal */
  bool hub;        /* body 0 moves and takes part in every third contact */
  bool capped;     /* most normals have a bound, many of which are reached */
  uint64_t seed;
} random_def;

typedef struct dense_problem {
  size_t rows, columns;
  double *d;         /* rows x columns: D' */
  double *m_inverse; /* columns x columns */
  double *c, *b;     /* rows */
  double *v_free;    /* columns */
} dense_problem;

static inline double random_unit(uint64_t *state) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(*state >> 11) * 0x1p-53;
}

static inline double random_in(uint64_t *state, double lo, double hi) {
  return lo + (hi - lo) * random_unit(state);
}

static inline void random_cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void random_direction(uint64_t *state, double *n) {
  double length2;
  do {
    length2 = 0.0;
    for (int k = 0; k < 3; k++) {
      n[k] = random_in(state, -1.0, 1.0);
      length2 += n[k] * n[k];
    }
  } while (length2 > 1.0 || length2 < 0.01);
  for (int k = 0; k < 3; k++) n[k] /= sqrt(length2);
}

static inline scree_ccp_body_def random_body(uint64_t *state, const random_def *def, size_t i) {
  scree_ccp_body_def body = {.inverse_mass = 0.0};
  for (int k = 0; k < 6; k++) body.v_free[k] = random_in(state, -1.0, 1.0);
  if (i % 7 == 3) return body; /* prescribed */
  body.inverse_mass = random_in(state, 0.2, 3.0);
  const double s = def->equal && i % 5 ? 2.5 : random_in(state, 0.5, 8.0);
  double *inertia = body.inverse_inertia;
  inertia[0] = inertia[3] = inertia[5] = s;
  if (!def->spheres && i % 3 != 0) {
    /* s I + a a' with a random a: positive definite and full. */
    double a[3];
    for (int k = 0; k < 3; k++) a[k] = random_in(state, -2.0, 2.0);
    for (int k = 0, at = 0; k < 3; k++)
      for (int l = k; l < 3; l++, at++) inertia[at] += a[k] * a[l];
  }
  return body;
}

static inline scree_set random_set(uint64_t *state, const random_def *def) {
  const double mu = random_in(state, 0.0, 1.2);
  if (def->rolling) {
    const int kind = (int)(random_unit(state) * 8.0);
    const double rho = kind == 0 ? 0.0 : random_in(state, 0.0, 0.3);
    const double sigma = kind == 1 ? 0.0 : random_in(state, 0.0, 0.2);
    if (kind < 6) return scree_set_rolling(kind % 3 + 4, kind == 2 ? 0.0 : mu, rho, sigma);
  }
  if (def->rigid) return scree_set_coulomb(3, mu);
  const int choice = (int)(random_unit(state) * (def->spheres ? 4.0 : 9.0));
  switch (choice) {
  case 0:
    return scree_set_ray();
  case 1:
  case 2:
  case 3:
    return scree_set_coulomb(3, mu);
  case 4:
    return scree_set_coulomb(2, mu);
  case 5:
    return scree_set_elliptic(mu + 0.1, 0.5 * mu + 0.1);
  case 6:
    return scree_set_rolling(4, mu, 0.0, 0.05);
  case 7:
    return scree_set_rolling(5, mu, 0.1, 0.0);
  default:
    return scree_set_rolling(6, mu, 0.1, 0.05);
  }
}

static inline void dense_add_row(dense_problem *m, size_t row, uint32_t body, double sign,
                                 const double *linear, const double *angular) {
  if (body == SCREE_CCP_WORLD) return;
  for (size_t k = 0; k < 3; k++) {
    if (linear) m->d[row * m->columns + 6 * body + k] += sign * linear[k];
    m->d[row * m->columns + 6 * body + 3 + k] += sign * angular[k];
  }
}

static inline void dense_add_contact(dense_problem *m, size_t row, const scree_ccp_contact_def *c) {
  double n[3], t1[3], t2[3], along = 0.0, length2 = 0.0;
  memcpy(n, c->normal, sizeof n);
  for (int k = 0; k < 3; k++) along += c->tangent[k] * n[k];
  for (int k = 0; k < 3; k++) {
    t1[k] = c->tangent[k] - along * n[k];
    length2 += t1[k] * t1[k];
  }
  for (int k = 0; k < 3; k++) t1[k] /= sqrt(length2);
  random_cross(n, t1, t2);
  const double *rows4[] = {n, t1, t2, n}, *rows6[] = {n, t1, t2, t1, t2, n};
  for (int k = 0; k < c->set.dim; k++) {
    const double *direction = c->set.dim == 4 ? rows4[k] : rows6[k];
    double lever_a[3], lever_b[3];
    random_cross(c->arm_a, direction, lever_a);
    random_cross(c->arm_b, direction, lever_b);
    dense_add_row(m, row + (size_t)k, c->body_a, -1.0, k < 3 ? direction : NULL,
                  k < 3 ? lever_a : direction);
    dense_add_row(m, row + (size_t)k, c->body_b, 1.0, k < 3 ? direction : NULL,
                  k < 3 ? lever_b : direction);
  }
}

static inline scree_ccp_contact_def random_contact(uint64_t *state, const random_def *def,
                                                   size_t i) {
  scree_ccp_contact_def c = scree_ccp_contact_def_default();
  const uint32_t n = (uint32_t)def->bodies;
  c.body_a = (uint32_t)(random_unit(state) * n);
  c.body_b = (uint32_t)((c.body_a + 1 + (uint32_t)(random_unit(state) * (n - 1))) % n);
  if (def->hub && i % 3 == 0) {
    c.body_a = 0;
    c.body_b = 1 + (uint32_t)(random_unit(state) * (n - 1));
  }
  if (i % 5 == 2) c.body_a = SCREE_CCP_WORLD;
  if (i % 11 == 7) c.body_b = SCREE_CCP_WORLD;
  if (c.body_a == c.body_b) c.body_b = 1;
  random_direction(state, c.normal);
  random_direction(state, c.tangent);
  double across[3];
  random_cross(c.normal, c.tangent, across);
  memcpy(c.tangent, across, sizeof across);
  c.set = random_set(state, def);
  if (def->capped && i % 3 != 2) c.set.cap = i % 29 ? random_in(state, 0.005, 0.3) : 0.0;
  const double reach_a = def->equal ? 0.3 : random_in(state, 0.1, 0.6),
               reach_b = def->equal ? 0.3 : random_in(state, 0.1, 0.6);
  for (int k = 0; k < 3; k++) {
    c.arm_a[k] = def->spheres ? reach_a * c.normal[k] : random_in(state, -0.6, 0.6);
    c.arm_b[k] = def->spheres ? -reach_b * c.normal[k] : random_in(state, -0.6, 0.6);
  }
  c.offset[0] = random_in(state, -0.2, 0.2);
  if (def->compliance) {
    const int pushed = def->rolling && i % 3 && c.set.dim > 3 ? 3 : c.set.dim;
    for (int k = 1; k < pushed; k++) c.offset[k] = random_in(state, -0.2, 0.2);
    c.compliance[0] = random_in(state, 0.0, 0.3);
    c.compliance[1] = c.compliance[2] = i % 2 ? random_in(state, 0.0, 0.3) : 0.0;
  }
  return c;
}

/* A generic block of 1 to 3 free rows over three bodies. */
static inline scree_status random_generic(uint64_t *state, const random_def *def, scree_ccp *p,
                                          dense_problem *m, size_t row, int dim) {
  scree_ccp_term terms[3][4];
  scree_ccp_row_def rows[3];
  for (int k = 0; k < dim; k++) {
    for (int t = 0; t < 4; t++) {
      terms[k][t].body =
          t == 3 ? SCREE_CCP_WORLD : (uint32_t)(random_unit(state) * (double)def->bodies);
      for (int l = 0; l < 6; l++) terms[k][t].coefficient[l] = random_in(state, -1.0, 1.0);
      dense_add_row(m, row + (size_t)k, terms[k][t].body, 1.0, terms[k][t].coefficient,
                    terms[k][t].coefficient + 3);
    }
    rows[k] = (scree_ccp_row_def){.terms = terms[k],
                                  .term_count = 4,
                                  .offset = random_in(state, -0.2, 0.2),
                                  .compliance = def->compliance ? 0.1 : 0.0};
    m->b[row + (size_t)k] = rows[k].offset;
    m->c[row + (size_t)k] = rows[k].compliance;
  }
  const scree_set set = dim == 1 ? scree_set_interval(-0.5, 0.7) : scree_set_free(dim);
  return scree_ccp_add_block(p, &set, rows);
}

static inline void dense_free(dense_problem *m) {
  free(m->d);
  free(m->m_inverse);
  free(m->c);
  free(m->b);
  free(m->v_free);
}

static inline scree_status random_problem(scree_context *context, const random_def *def,
                                          scree_ccp **problem, dense_problem *m) {
  uint64_t state = def->seed;
  const size_t most = RANDOM_BODIES_MAX_ROWS * def->contacts + 3 * def->generic;
  const size_t n = 6 * def->bodies;
  *m = (dense_problem){.columns = n,
                       .d = calloc(most * n, sizeof(double)),
                       .m_inverse = calloc(n * n, sizeof(double)),
                       .c = calloc(most, sizeof(double)),
                       .b = calloc(most, sizeof(double)),
                       .v_free = calloc(n, sizeof(double))};
  scree_status status = scree_ccp_create_bodies(context, problem);
  for (size_t i = 0; !status && i < def->bodies; i++) {
    const scree_ccp_body_def body = random_body(&state, def, i);
    status = scree_ccp_add_body(*problem, &body, NULL);
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (size_t k = 0; k < 3; k++) {
      m->m_inverse[(6 * i + k) * n + 6 * i + k] = body.inverse_mass;
      for (size_t l = 0; l < 3; l++)
        m->m_inverse[(6 * i + 3 + k) * n + 6 * i + 3 + l] = body.inverse_inertia[at[k][l]];
    }
    memcpy(m->v_free + 6 * i, body.v_free, sizeof body.v_free);
  }
  for (size_t i = 0; !status && i < def->contacts; i++) {
    const scree_ccp_contact_def c = random_contact(&state, def, i);
    status = scree_ccp_add_contact(*problem, &c);
    dense_add_contact(m, m->rows, &c);
    for (int k = 0; k < c.set.dim; k++) {
      m->b[m->rows] = c.offset[k];
      m->c[m->rows++] = c.compliance[k];
    }
  }
  for (size_t i = 0; !status && i < def->generic; i++) {
    const int dim = 1 + (int)(i % 3);
    status = random_generic(&state, def, *problem, m, m->rows, dim);
    m->rows += (size_t)dim;
  }
  return status;
}

/* v = v_free + M^-1 D g, then u = D'v + b + C g; without_free leaves out v_free and b: N g. */
static inline void dense_velocity(const dense_problem *m, const double *g, bool without_free,
                                  double *v, double *u) {
  const size_t n = m->columns;
  double *p = calloc(n, sizeof *p);
  for (size_t i = 0; i < m->rows; i++)
    for (size_t k = 0; k < n; k++) p[k] += m->d[i * n + k] * g[i];
  for (size_t k = 0; k < n; k++) {
    v[k] = without_free ? 0.0 : m->v_free[k];
    for (size_t l = 0; l < n; l++) v[k] += m->m_inverse[k * n + l] * p[l];
  }
  for (size_t i = 0; i < m->rows; i++) {
    u[i] = m->c[i] * g[i] + (without_free ? 0.0 : m->b[i]);
    for (size_t k = 0; k < n; k++) u[i] += m->d[i * n + k] * v[k];
  }
  free(p);
}

#endif

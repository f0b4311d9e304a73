/* See naive.h. */
#include "bench/naive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ccp/problem.h"
#include "math/vec3.h"

typedef struct naive_body {
  double v[6], inverse_mass, inverse_inertia;
} naive_body;

typedef struct naive_contact {
  size_t a, b; /* the world is the last body */
  double jacobian_a[3][6], jacobian_b[3][6];
  double offset[3], gamma[3];
  double nn, tt, mu;
} naive_contact;

struct naive {
  naive_body *body;
  naive_contact *contact;
  size_t contacts;
};

static void fill_jacobian(const ccp_contact *c, naive_contact *to) {
  const v3 n = v3_load(c->normal), t1 = v3_load(c->tangent);
  const v3 direction[3] = {n, t1, v3_cross(n, t1)};
  for (int k = 0; k < 3; k++) {
    const v3 d = direction[k];
    v3_store(to->jacobian_a[k], v3_neg(d));
    v3_store(to->jacobian_a[k] + 3, v3_neg(v3_cross(v3_load(c->arm_a), d)));
    v3_store(to->jacobian_b[k], d);
    v3_store(to->jacobian_b[k] + 3, v3_cross(v3_load(c->arm_b), d));
  }
}

static double diagonal(const naive_body *body, const double *row) {
  double sum = 0.0;
  for (int k = 0; k < 3; k++)
    sum += body->inverse_mass * row[k] * row[k] + body->inverse_inertia * row[3 + k] * row[3 + k];
  return sum;
}

naive *naive_create(const scree_ccp *problem) {
  const ccp_bodies *bodies = &problem->bodies;
  naive *n = calloc(1, sizeof *n);
  if (!n) return NULL;
  n->contacts = bodies->contact_count;
  n->body = calloc(bodies->body_count + 1, sizeof *n->body);
  n->contact = calloc(n->contacts, sizeof *n->contact);
  if (!n->body || !n->contact) {
    naive_destroy(n);
    return NULL;
  }
  for (size_t k = 0; k < bodies->body_count; k++) {
    memcpy(n->body[k].v, bodies->body[k].v_free, sizeof n->body[k].v);
    n->body[k].inverse_mass = bodies->body[k].inverse_mass;
    n->body[k].inverse_inertia = bodies->body[k].inverse_inertia[0];
  }
  for (size_t i = 0; i < n->contacts; i++) {
    const ccp_contact *c = &bodies->contact[i];
    naive_contact *to = &n->contact[i];
    to->a = c->body_a == SCREE_CCP_WORLD ? bodies->body_count : c->body_a;
    to->b = c->body_b == SCREE_CCP_WORLD ? bodies->body_count : c->body_b;
    fill_jacobian(c, to);
    memcpy(to->offset, problem->offset + problem->row_start[i], sizeof to->offset);
    to->mu = ccp_set(problem, i)->mu;
    const naive_body *a = &n->body[to->a], *b = &n->body[to->b];
    to->nn = diagonal(a, to->jacobian_a[0]) + diagonal(b, to->jacobian_b[0]);
    to->tt = diagonal(a, to->jacobian_a[1]) + diagonal(b, to->jacobian_b[1]);
  }
  return n;
}

static void solve_contact(const naive_contact *c, const double *u, double *x) {
  const double p = c->gamma[0] - u[0] / c->nn;
  x[1] = c->gamma[1] - u[1] / c->tt;
  x[2] = c->gamma[2] - u[2] / c->tt;
  const double t = sqrt(x[1] * x[1] + x[2] * x[2]);
  x[0] = p;
  if (t > c->mu * p) x[0] = (c->nn * p + c->mu * c->tt * t) / (c->nn + c->mu * c->mu * c->tt);
  if (x[0] < 0.0) x[0] = 0.0;
  if (t > c->mu * x[0]) {
    x[1] *= c->mu * x[0] / t;
    x[2] *= c->mu * x[0] / t;
  }
}

void naive_sweep(naive *n) {
  for (size_t i = 0; i < n->contacts; i++) {
    naive_contact *c = &n->contact[i];
    naive_body *a = &n->body[c->a], *b = &n->body[c->b];
    double u[3], x[3];
    for (int k = 0; k < 3; k++) {
      u[k] = c->offset[k];
      for (int l = 0; l < 6; l++)
        u[k] += c->jacobian_a[k][l] * a->v[l] + c->jacobian_b[k][l] * b->v[l];
    }
    solve_contact(c, u, x);
    for (int k = 0; k < 3; k++) {
      const double change = x[k] - c->gamma[k];
      c->gamma[k] = x[k];
      for (int l = 0; l < 3; l++) {
        a->v[l] += a->inverse_mass * c->jacobian_a[k][l] * change;
        a->v[3 + l] += a->inverse_inertia * c->jacobian_a[k][3 + l] * change;
        b->v[l] += b->inverse_mass * c->jacobian_b[k][l] * change;
        b->v[3 + l] += b->inverse_inertia * c->jacobian_b[k][3 + l] * change;
      }
    }
  }
}

void naive_get(const naive *n, double *g) {
  for (size_t i = 0; i < n->contacts; i++) memcpy(g + 3 * i, n->contact[i].gamma, 3 * sizeof *g);
}

void naive_destroy(naive *n) {
  if (!n) return;
  free(n->body);
  free(n->contact);
  free(n);
}

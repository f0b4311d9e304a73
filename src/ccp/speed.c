/* Speeds that a problem is measured in.
 *
 * R is a speed over a reference speed, and a proof that there is no solution is an approach that
 * cannot be stopped. Both mean nothing where the speed is the rounding of the sum that it came
 * from: r = D'v_free + b of a mechanism that moves without gravity is 1e-15 of the velocities in
 * it. So the reference speed is never below a share of the largest terms of r: TERM_SHARE of them,
 * far above their rounding and far below what a run resolves. Where nothing moves the terms of b
 * are gone too, as positions were subtracted before it was made; who makes the problem says what is
 * left of them (least_speed). */
#include <math.h>

#include "ccp/problem.h"

static const double term_share = 1e-6;

static double norm3(const double *x) {
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static double contact_terms(const ccp_bodies *bodies, const ccp_contact *c) {
  double sum = 0.0;
  for (int side = 0; side < 2; side++) {
    const uint32_t body = side ? c->body_b : c->body_a;
    if (body == SCREE_CCP_WORLD) continue;
    const double *v = bodies->body[body].v_free;
    sum += norm3(v) + norm3(v + 3) * norm3(side ? c->arm_b : c->arm_a);
  }
  return sum;
}

/* The largest sum of |terms| of a row of D'v_free. Forms without bodies do not have the terms:
 * there the least speed is given with the problem. */
static double largest_terms(const ccp_bodies *bodies) {
  double most = 0.0;
  for (size_t i = 0; i < bodies->contact_count; i++)
    most = fmax(most, contact_terms(bodies, &bodies->contact[i]));
  for (size_t r = 0; r < bodies->generic_row_count; r++) {
    double sum = 0.0;
    for (size_t t = bodies->term_start[r]; t < bodies->term_start[r + 1]; t++) {
      const scree_ccp_term *term = &bodies->term[t];
      if (term->body == SCREE_CCP_WORLD) continue;
      for (int k = 0; k < 6; k++)
        sum += fabs(term->coefficient[k] * bodies->body[term->body].v_free[k]);
    }
    most = fmax(most, sum);
  }
  return most;
}

double ccp_least_speed(const scree_ccp *p) {
  const double given = fmax(p->reference_speed, p->least_speed);
  return p->form == SCREE_FORM_BODIES ? fmax(given, term_share * largest_terms(&p->bodies)) : given;
}

double ccp_least_of_terms(double terms) {
  return term_share * terms;
}

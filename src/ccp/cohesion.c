/* Cohesion taken out of a problem, and caps that are far.
 *
 * A set with cohesion is a dry one moved along the normal: Y = K - c e, with c the pull of each
 * block and e its normal. With g = k - c e
 *
 *   u = N g + r = N k + (r - N c e),      k in K,   -u in normal_cone(K, k) = normal_cone(Y, g)
 *
 * so k solves the dry problem with r - N c e in place of r, in either model: u, and with it the
 * shift of the exact law, is the same. For bodies no product is needed, as N = D'M^-1 D + C: the
 * impulses -c e act on v_free, and C c is taken off the offsets. Every method, and the lanes of the
 * kernels, then take cohesion at the price of a dry problem. A cap moves along.
 *
 * A cap that no impulse reaches does nothing: where g < cap the normal cones of K and of K below
 * the cap are the same. So caps that the impulses at the start do not come near to are left out;
 * when one is reached after all the problem is solved again with it (solver.c).
 *
 * What an iterate is judged by, g - P(g - eta û), is the same vector in both, so R is too once it
 * is measured in the same speed. E is a part of max(|r|, |g|, |u|), which are not the same: those
 * of the problem as it was given go with the dry one (ccp_taken), and residuals are made with them.
 * Proofs that there is no solution stay what they are: D d = 0 and r'd < 0 do not
 * see the difference. */
#include "ccp/cohesion.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/contact_frame.h"

static bool has_cohesion(const scree_ccp *p) {
  for (size_t s = 0; s < p->set_count; s++)
    if (p->set[s].cohesion > 0.0) return true;
  return false;
}

/* Parts of a cap: from the first on it is near, from the second on reached, as far as a solve to a
 * tolerance can tell. */
static const double near_part = 0.5, reached_part = 0.99;

/* Leaves out the caps that are far; s->set has those of the problem, which cohesion has moved. */
static void loosen(cohesion_shift *s, const scree_ccp *p, const double *g) {
  for (size_t k = 0; k < p->set_count; k++) s->peak[k] = 0.0;
  for (size_t i = 0; g && i < p->block_count; i++) {
    double *peak = &s->peak[ccp_set(p, i) - p->set];
    *peak = fmax(*peak, g[p->row_start[i]]);
  }
  for (size_t i = p->bodies.contact_count; i < p->block_count; i++)
    s->peak[ccp_set(p, i) - p->set] = INFINITY;
  for (size_t k = 0; k < p->set_count; k++)
    if (s->peak[k] < near_part * p->set[k].cap) s->set[k].cap = INFINITY;
}

static bool has_caps(const scree_ccp *p) {
  for (size_t k = 0; k < p->set_count; k++)
    if (p->set[k].cap < INFINITY) return true;
  return false;
}

bool cohesion_exceeds(const cohesion_shift *s, const scree_ccp *p, const double *g) {
  for (size_t i = 0; s->loose && i < p->bodies.contact_count; i++) {
    const scree_set *set = ccp_set(p, i);
    if (set->cap < INFINITY && s->set[set - p->set].cap == INFINITY &&
        !(g[p->row_start[i]] < reached_part * set->cap))
      return true;
  }
  return false;
}

/* Fewer contacts are not worth it: they are solved by methods without lanes, or at once. */
enum { FEW_CONTACTS = 32 };
/* Impulses of the size of c are rounded: the speeds that they make, 1e-16 of them by each of many
 * contacts, must be far below the tolerance, R in m/s or E in its own units (m/s and N s). */
static const double rounding = 1e-12;

static bool is_accurate(const scree_ccp *p, double speed, double error) {
  double most = 0.0, peak = 0.0;
  for (size_t i = 0; i < p->bodies.contact_count; i++) {
    const ccp_contact *c = &p->bodies.contact[i];
    const uint32_t body[2] = {c->body_a, c->body_b};
    double inverse = 0.0;
    for (int m = 0; m < 2; m++)
      if (body[m] != SCREE_CCP_WORLD) inverse += p->bodies.body[body[m]].inverse_mass;
    most = fmax(most, inverse * ccp_set(p, i)->cohesion);
    peak = fmax(peak, ccp_set(p, i)->cohesion);
  }
  return rounding * most <= speed && rounding * fmax(most, peak) <= error;
}

/* Only contacts may have cohesion: that of generic blocks, whose rows are of any kind, cannot be
 * taken out. */
static bool only_of_contacts(const scree_ccp *p) {
  for (size_t i = p->bodies.contact_count; i < p->block_count; i++)
    if (ccp_set(p, i)->cohesion != 0.0) return false;
  return true;
}

static void kick(scree_ccp_body_def *bodies, uint32_t body, const double *normal, const double *arm,
                 double impulse) {
  if (body == SCREE_CCP_WORLD) return;
  scree_ccp_body_def *b = &bodies[body];
  const v3 p = v3_scale(impulse, v3_load(normal));
  const v3 turn = sym3_mul_v3(b->inverse_inertia, v3_cross(v3_load(arm), p));
  v3_store(b->v_free, v3_add_scaled(v3_load(b->v_free), b->inverse_mass, p));
  v3_store(b->v_free + 3, v3_add(v3_load(b->v_free + 3), turn));
}

/* ---- the speed that R is measured in ----------------------------------------------------------
 */

static v3 twist_at(const scree_ccp *p, uint32_t body, const double *arm, v3 *angular) {
  *angular = v3_make(0, 0, 0);
  if (body == SCREE_CCP_WORLD) return *angular;
  const double *v = p->bodies.body[body].v_free;
  *angular = v3_load(v + 3);
  return v3_add(v3_load(v), v3_cross(*angular, v3_load(arm)));
}

/* r = D'v_free + b of a contact. */
static void contact_r(const scree_ccp *p, size_t i, double *r) {
  const ccp_contact *c = &p->bodies.contact[i];
  const int dim = ccp_dim(p, i);
  const double *b = p->offset + p->row_start[i];
  v3 wa, wb;
  const v3 va = twist_at(p, c->body_a, c->arm_a, &wa), vb = twist_at(p, c->body_b, c->arm_b, &wb);
  const contact_frame f = contact_frame_of(c);
  contact_frame_force_rows(&f, dim, v3_sub(vb, va), r);
  contact_frame_moment_rows(&f, dim, v3_sub(wb, wa), r);
  for (int k = 0; k < dim; k++) r[k] += b[k];
}

static double generic_r(const scree_ccp *p, size_t k, size_t row) {
  const ccp_bodies *bodies = &p->bodies;
  double r = p->offset[row];
  for (size_t t = bodies->term_start[k]; t < bodies->term_start[k + 1]; t++) {
    const scree_ccp_term *term = &bodies->term[t];
    if (term->body == SCREE_CCP_WORLD) continue;
    for (int m = 0; m < 6; m++) r += term->coefficient[m] * bodies->body[term->body].v_free[m];
  }
  return r;
}

/* Computes the reference speed as op_prepare does. */
static void measure(cohesion_shift *s, const scree_ccp *p) {
  if (p->taken) {
    s->taken = *p->taken;
    return;
  }
  double most = 0.0, square = 0.0, r[SCREE_MAX_DIM];
  for (size_t i = 0; i < p->bodies.contact_count; i++) {
    contact_r(p, i, r);
    for (int k = 0; k < ccp_dim(p, i); k++) {
      most = fmax(most, fabs(r[k]));
      square += r[k] * r[k];
    }
  }
  const size_t first = p->row_start[p->bodies.contact_count];
  for (size_t k = 0; k < p->bodies.generic_row_count; k++) {
    const double one = generic_r(p, k, first + k);
    most = fmax(most, fabs(one));
    square += one * one;
  }
  double *speed = &s->taken.reference;
  s->taken.r_norm = sqrt(square);
  *speed = p->reference_speed;
  if (*speed <= 0.0) *speed = fmax(most, ccp_least_speed(p));
  if (*speed < 1e-3 * most) *speed = 1e-3 * most;
  if (*speed < 1e-30) *speed = 1.0;
}

/* ---- in and out -------------------------------------------------------------------------------
 */

scree_status cohesion_take(cohesion_shift *s, scree_context *context, cohesion_goal goal,
                           cohesion_caps caps, const double *g, const scree_ccp **problem) {
  const scree_ccp *p = *problem;
  const bool loosens = caps == COHESION_NEAR_CAPS && has_caps(p);
  s->loose = false;
  s->used = p->form == SCREE_FORM_BODIES && !p->ranks && p->bodies.contact_count >= FEW_CONTACTS &&
            (has_cohesion(p) || loosens) && only_of_contacts(p);
  if (!s->used) return SCREE_OK;
  measure(s, p);
  s->used = is_accurate(p, goal.residual > 0.0 ? goal.residual * s->taken.reference : INFINITY,
                        goal.error > 0.0 ? goal.error * s->taken.r_norm : INFINITY);
  if (!s->used) return SCREE_OK;
  const size_t bodies = p->bodies.body_count;
  if (memory_grow(context, &s->set, p->set_count, sizeof *s->set) ||
      memory_grow(context, &s->peak, p->set_count, sizeof *s->peak) ||
      memory_grow(context, &s->offset, p->row_count, sizeof *s->offset) ||
      memory_grow(context, &s->pull, p->row_count, sizeof *s->pull) ||
      memory_grow(context, &s->total, p->taken ? p->row_count : 0, sizeof *s->total) ||
      memory_grow(context, &s->body, bodies, sizeof *s->body))
    return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < p->set_count; k++) {
    s->set[k] = p->set[k];
    s->set[k].cap += s->set[k].cohesion;
    s->set[k].cohesion = 0.0;
  }
  if (loosens) loosen(s, p, g);
  s->loose = loosens;
  memcpy(s->offset, p->offset, p->row_count * sizeof *s->offset);
  memset(s->pull, 0, p->row_count * sizeof *s->pull);
  if (bodies) memcpy(s->body, p->bodies.body, bodies * sizeof *s->body);
  for (size_t i = 0; i < p->bodies.contact_count; i++) {
    const double c = ccp_set(p, i)->cohesion;
    if (c == 0.0) continue;
    const ccp_contact *contact = &p->bodies.contact[i];
    const size_t row = p->row_start[i];
    s->pull[row] = c;
    if (p->compliance) s->offset[row] -= p->compliance[row] * c;
    kick(s->body, contact->body_a, contact->normal, contact->arm_a, c);
    kick(s->body, contact->body_b, contact->normal, contact->arm_b, -c);
  }
  s->given = p->set;
  s->dry = *p;
  s->dry.set = s->set;
  s->dry.offset = s->offset;
  s->dry.bodies.body = s->body;
  s->dry.reference_speed = s->taken.reference;
  /* Taken out twice: what was given at first is g - taken->pull - pull. */
  for (size_t row = 0; p->taken && row < p->row_count; row++)
    s->total[row] = s->pull[row] + p->taken->pull[row];
  s->taken.pull = p->taken ? s->total : s->pull;
  s->dry.taken = &s->taken;
  *problem = &s->dry;
  return SCREE_OK;
}

void cohesion_add(const cohesion_shift *s, double sign, double *g) {
  for (size_t i = 0; i < s->dry.bodies.contact_count; i++) {
    const size_t row = s->dry.row_start[i];
    const uint32_t set = (uint32_t)(ccp_set(&s->dry, i) - s->dry.set);
    const bool full = sign < 0.0 && g[row] >= s->set[set].cap;
    g[row] += sign * s->pull[row];
    if (full) g[row] = s->given[set].cap; /* exactly, as laws compare with it */
  }
}

void cohesion_clear(scree_context *context, cohesion_shift *s) {
  memory_free(context, s->set);
  memory_free(context, s->peak);
  memory_free(context, s->offset);
  memory_free(context, s->pull);
  memory_free(context, s->total);
  memory_free(context, s->body);
}

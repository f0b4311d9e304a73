/* Bonds: bodies that touch when both are new are glued. A bond resists pull, shear, bending and
 * twisting, in the frame (n, t1, t2) of its contact:
 *
 *   pull n >= -T,   |shear| <= S (1 + n/T),   |bending| <= B (1 + n/T),   |twist| <= W (1 + n/T)
 *
 * Pull and bending share one strength, as the stress on the edge of a beam's section does: -n/T +
 * |M|/B <= 1. It is the cone of rolling friction with its apex at n = -T, mu = S/T, rolling = B/T
 * and spinning = W/T. Inside it nothing moves: the displacements that the contact carries, along
 * n, t1, t2 and about t1, t2, n, are springs where the material has a compliance and are taken back
 * where it has none.
 *
 * A bond that yields breaks, one that is on a bound and gives way there: from then on the contact
 * is a dry one. On a bound alone it holds. Where a rigid pair has more points than it needs, their
 * forces are not unique, and a solver may load some of them to their bound and others not at all.
 * Strengths of a pair that touches at several points are shared by these; their arms then resist
 * bending too. */
#include "assemble/laws/law.h"

#include <math.h>

enum { STATE = LAW_OWN, REST, SHARE };
/* value[STATE] */
enum { UNDECIDED, BONDED, BROKEN };

/* Of a displacement of a rigid bond that is taken back in a step: see closed_part of law.c. */
static const double taken_back = 0.2;
/* How near to the bound a bond breaks: solvers end on it to rounding. */
static const double boundary = 1e-6;

static void decide(const law_input *in, law_state *state) {
  double *v = state->value;
  const bool glued = in->first && law_touches(in->gap, in->diameter) && law_pull(in) > 0.0;
  v[STATE] = glued ? BONDED : BROKEN;
  if (!glued) return;
  v[REST] = in->gap;
  v[SHARE] = in->sharing;
}

static scree_set set_of(const law_input *in, law_state *state) {
  const scree_material_def *m = in->material;
  double *v = state->value;
  if (v[STATE] == UNDECIDED) decide(in, state);
  if (v[STATE] == BROKEN) return law_dry_set(in, state);
  const double pull = m->cohesion, bending = m->bond_bending, twisting = m->bond_twisting;
  const double shear = m->bond_shear > 0.0 ? m->bond_shear : m->friction * pull;
  scree_set set;
  if (bending > 0.0 || twisting > 0.0)
    set = scree_set_rolling(bending <= 0.0    ? 4
                            : twisting <= 0.0 ? 5
                                              : 6,
                            shear / pull, bending / pull, twisting / pull);
  else
    set = shear > 0.0 ? scree_set_coulomb(3, shear / pull) : scree_set_ray();
  set.cohesion = pull / v[SHARE] * in->kick;
  return set;
}

static void dry_rows(const law_input *in, law_state *state, scree_ccp_contact_def *out) {
  (in->material->compliance > 0.0 ? &law_compliant : &law_rigid)->rows(in, state, out);
}

/* Offset b and compliance C of one row at the displacement y. */
typedef struct bond_row {
  double offset, compliance;
} bond_row;

static bond_row row_of(double compliance, double damping, double h, double kick, double y) {
  if (!(compliance > 0.0)) return (bond_row){taken_back * y / h, 0.0};
  return (bond_row){y / (h + damping), compliance / (kick * (h + damping))};
}

static void row(const law_input *in, double compliance, double y, int k,
                scree_ccp_contact_def *out) {
  const bond_row r = row_of(compliance, in->material->damping, in->h, in->kick, y);
  out->offset[k] = r.offset;
  out->compliance[k] = r.compliance;
}

static void rows(const law_input *in, law_state *state, scree_ccp_contact_def *out) {
  const scree_material_def *m = in->material;
  const double *v = state->value;
  const int dim = out->set.dim;
  if (v[STATE] == BROKEN) {
    dry_rows(in, state, out);
    return;
  }
  row(in, m->compliance, in->gap - v[REST], 0, out);
  for (int k = 0; k < 2 && dim >= 3; k++)
    row(in, m->compliance_tangent, state->slip[k], 1 + k, out);
  for (int k = 0; k < 2 && rows_roll(dim); k++) row(in, 0.0, state->turn[k], ROWS_ROLLING + k, out);
  if (rows_spin(dim)) row(in, 0.0, state->turn[2], rows_spinning(dim), out);
}

/* The nearest bound: 1 on it. */
static double used(const law_result *r) {
  const scree_set *s = r->set;
  const double n = r->g[0] + s->cohesion, least = boundary * s->cohesion;
  if (!(n > least)) return 1.0;
  double most = 0.0;
  const set_outline o = set_outline_of(s);
  for (int j = 0; j < o.disc_count; j++) {
    const set_disc *d = &o.disc[j];
    const double *g = r->g + d->first;
    most = fmax(most, (d->count == 2 ? hypot(g[0], g[1]) : fabs(g[0])) / d->size[0]);
  }
  return most / n;
}

/* Does it give way, faster than what counts as rest? u + C g + b of its rows is 0 inside its
 * bounds. Turns count by the arm that strength of bending, or twisting, over that of pull is, and
 * by no less than the smaller body's radius: bonds that are strong in pull alone would bend on. */
static bool gives_way(const law_result *r, const law_state *state) {
  const scree_material_def *m = r->material;
  const int dim = r->set->dim;
  double flow = 0.0;
  for (int k = 0; k < 3 && k < dim; k++) {
    const double y = k ? state->slip[k - 1] : r->gap - state->value[REST];
    const bond_row row =
        row_of(k ? m->compliance_tangent : m->compliance, m->damping, r->h, r->kick, y);
    flow = hypot(flow, r->velocity[k] + row.compliance * r->g[k] + row.offset);
  }
  for (int k = 0; k < 3; k++) {
    const bool resists = k < 2 ? rows_roll(dim) : rows_spin(dim);
    const double strength = k < 2 ? m->bond_bending : m->bond_twisting;
    const double arm = fmax(strength / m->cohesion, r->reach);
    if (resists) flow = hypot(flow, arm * (r->turning[k] + taken_back * state->turn[k] / r->h));
  }
  return flow > r->rest;
}

static void update(const law_result *r, law_state *state) {
  double *v = state->value;
  if (v[STATE] == BROKEN) {
    law_keep(r, state);
    return;
  }
  if (used(r) >= 1.0 - boundary && gives_way(r, state)) {
    *state = (law_state){.value = {[STATE] = BROKEN}};
    return;
  }
  for (int k = 0; k < 2; k++) state->slip[k] += r->h * r->velocity[1 + k];
  for (int k = 0; k < 3; k++) state->turn[k] += r->h * r->turning[k];
}

const law_class law_bond = {.name = "bond",
                            .set = set_of,
                            .rows = rows,
                            .update = update,
                            .remembers = true,
                            .stretches = true};

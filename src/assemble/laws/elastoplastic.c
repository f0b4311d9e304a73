/* Springs that yield, in tension by cohesion and in compression by crushing.
 *
 * The gap is an elastic part, which the force belongs to, and a plastic one y that stays:
 *
 *   force = (e + a de/dt) / c,   e = y - gap,    -pull <= force <= yield + hardening * crushed
 *
 *      force |    /------ yield            y grows while the pull is at its end (a neck is drawn
 *            |   /                         out), and falls while the contact is crushed.
 *   ---------+--/------ compression
 *      -pull |-/                           One law of associated plasticity, with the set as yield
 *                                          surface; the shear follows Coulomb's cone above -pull.
 *
 * A neck longer than the range of the cohesion tears. A new one is made when the surfaces touch
 * again; the dent of a crushed contact is kept while the two are near.
 *
 * Crushed from the rest y and the yield force Y by s, the force is Y + hardening s, and the gap
 * y - s - c force; so at a given gap it is
 *
 *   force = (Y + hardening (y - gap)) / (1 + c hardening)
 *
 * which, with the gap that is expected at the end of the step, is the cap of the step. After it
 * y = gap + e, which is the old y while nothing yields: the damper is beside the spring, and what
 * yields is behind both, so that e follows from the force, c force = e + a (e - e before) / h, and
 * not from the speed of the gap.
 *
 * `compliant-cohesive` is the same without yield in compression. */
#include "assemble/laws/law.h"

#include <math.h>

/* The law's own values. */
enum { REST = LAW_OWN, YIELD, DENT, NECK };

/* Surfaces nearer than this part of the diameter are joined by a spring. */
static const double touch_part = 1e-6;
static const double boundary = 1e-9;
/* What bears so nearly its cap yields: some solvers come to it from inside. Below it nothing is
 * crushed by that, as the spring's free end is found where it was. */
static const double yields = 1.0 - 1e-6;

static double neck_of(const law_input *in) {
  const double given = in->material->cohesion_range;
  return given > 0.0 ? given : law_touch_part * in->diameter;
}

/* Does the neck hold? Torn, it leaves the dent. */
static bool is_attached(const law_input *in, law_state *state) {
  double *v = state->value;
  if (v[REST] - v[DENT] > neck_of(in)) {
    v[REST] = v[DENT];
    v[LAW_ATTACHED] = 0.0;
  }
  if (in->gap - v[DENT] <= touch_part * in->diameter) v[LAW_ATTACHED] = 1.0;
  return v[LAW_ATTACHED] != 0.0;
}

static scree_set set_of(const law_input *in, law_state *state) {
  const scree_material_def *m = in->material;
  double *v = state->value;
  const double pull = law_pull(in);
  const bool attached = is_attached(in, state) && pull > 0.0;
  scree_set set = law_dry_set(in, state);
  if (attached) set.cohesion = pull * in->kick;
  v[NECK] = attached || in->gap <= v[REST];
  if (m->yield_force > 0.0) {
    if (v[YIELD] == 0.0) v[YIELD] = m->yield_force;
    const double end = in->gap + in->h * fmin(in->approach, 0.0), hard = m->hardening;
    const double a = v[NECK] != 0.0 ? m->damping : 0.0;
    const double soft = law_stretch(m->compliance, a, in->h, 0.0); /* of the step, m/N */
    const double still = law_stretch(0.0, a, in->h, v[REST] - in->gap);
    const double crushed = (v[YIELD] + hard * (v[REST] - end - still)) / (1.0 + soft * hard);
    set.cap = in->kick * fmax(v[YIELD], crushed);
  }
  return set;
}

static void rows(const law_input *in, law_state *state, scree_ccp_contact_def *out) {
  const double *v = state->value;
  law_spring(in, in->material->compliance, in->gap - v[REST], v[NECK] != 0.0, out);
  law_tangents(in, state, out);
}

static void update(const law_result *r, law_state *state) {
  const scree_material_def *m = r->material;
  double *v = state->value;
  law_keep(r, state);
  const double a = v[NECK] != 0.0 ? m->damping : 0.0;
  const double elastic = law_stretch(m->compliance * r->g[0] / r->kick, a, r->h, v[REST] - r->gap);
  const double rest = r->gap + r->h * r->velocity[0] + elastic;
  const double size = fmax(r->set->cohesion, boundary * fabs(r->g[0]));
  if (r->g[0] >= yields * r->set->cap) {
    v[YIELD] += m->hardening * fmax(v[REST] - rest, 0.0);
    v[REST] = v[DENT] = fmin(rest, v[REST]);
  } else if (r->set->cohesion > 0.0 && r->g[0] + r->set->cohesion <= boundary * size) {
    v[REST] = fmax(rest, v[REST]);
  }
}

const law_class law_compliant_cohesive = {.name = "compliant-cohesive",
                                          .set = set_of,
                                          .rows = rows,
                                          .update = update,
                                          .remembers = true,
                                          .stretches = true};
const law_class law_elastoplastic = {.name = "elastoplastic",
                                     .set = set_of,
                                     .rows = rows,
                                     .update = update,
                                     .remembers = true,
                                     .stretches = true};

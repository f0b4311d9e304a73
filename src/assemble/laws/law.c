/* What laws share. */
#include "assemble/laws/law.h"

#include <math.h>

/* Surfaces within this part of a diameter count as touching for cohesion, and close less of their
 * gap at rest (closed_part): the scheme leaves gaps of that order between bodies that rest on each
 * other. */
const double law_touch_part = 1e-3;

/* The least part of a gap that a contact of a sphere closes in a step. */
static const double round_part = 0.05;
/* The part that one closes that cohesion holds. */
static const double held_part = 0.02;
const double law_near_part = 2e-5;
/* A contact is at rest when it is slower than this part of the speed below which nothing bounces.
 */
static const double rest_speed = 0.01;
/* An impulse counts as on the boundary of its set when it is nearer than this part: solvers leave
 * errors of that size. */
static const double boundary = 1e-9;

static const law_class *const law_table[SCREE_LAW_COUNT] = {
#define LAW_ROW(symbol, kind) [kind] = &symbol,
    LAW_LIST(LAW_ROW)
#undef LAW_ROW
};

/* Static and kinetic friction without a speed of transition: which of them holds depends on whether
 * the contact stuck or slid before. */
static bool has_stick_state(const scree_material_def *m) {
  return m->friction_kinetic > 0.0 && m->friction_kinetic != m->friction &&
         !(m->stribeck_speed > 0.0);
}

static bool is_cohesive(const scree_material_def *m) {
  return m->cohesion > 0.0 || m->cohesion_energy > 0.0;
}

const law_class *law_for(const scree_material_def *m) {
  if (m->law != SCREE_LAW_USUAL) return law_table[m->law];
  if (!(m->compliance > 0.0)) return &law_rigid;
  return is_cohesive(m) ? &law_compliant_cohesive : &law_compliant;
}

bool law_keeps_points(const scree_material_def *m) {
  return law_for(m)->remembers || m->compliance_tangent > 0.0 || is_cohesive(m);
}

bool law_remembers(const scree_material_def *m) {
  return law_keeps_points(m) || has_stick_state(m);
}

bool law_varies(const scree_material_def *m) {
  return law_remembers(m) || law_for(m)->varies || m->friction_viscous > 0.0 ||
         (m->friction_kinetic > 0.0 && m->stribeck_speed > 0.0);
}

static double pull_of(const scree_material_def *m, double radius) {
  static const double pi = 3.14159265358979323846;
  return m->cohesion + (m->cohesion_energy > 0.0 ? 1.5 * pi * m->cohesion_energy * radius : 0.0);
}

double law_range(const scree_material_def *m, double radius, double most) {
  const law_class *law = law_for(m);
  if (law->reach) return law->reach(m);
  if (!is_cohesive(m)) return 0.0;
  const double stretch = law->stretches ? 2.0 * m->compliance * pull_of(m, radius) : 0.0;
  return m->cohesion_range + fmin(stretch, most);
}

bool law_pulls(const scree_material_def *m) {
  const law_class *law = law_for(m);
  return is_cohesive(m) || (law->reach && law->reach(m) > 0.0);
}

bool law_touches(double gap, double diameter) {
  return gap <= law_touch_part * diameter;
}

/* The coefficient of friction now: static or kinetic by what the contact did, Stribeck's by the
 * speed. */
static double friction_now(const law_input *in, const law_state *state) {
  const scree_material_def *m = in->material;
  double mu = m->friction;
  if (m->friction_kinetic > 0.0 && m->stribeck_speed > 0.0) {
    const double x = in->slide / m->stribeck_speed;
    mu = m->friction_kinetic + (m->friction - m->friction_kinetic) * exp(-x * x);
  } else if (has_stick_state(m)) {
    /* A contact that begins slides when it moves along faster than friction stops under gravity in
     * this step, mu g h: what lies on a support that begins to move has not slid yet. */
    const double was = state->value[LAW_FRICTION];
    const bool slides =
        was == LAW_NEW ? in->slide > 0.5 * mu * in->bounce_speed : was == LAW_SLIDES;
    if (slides) mu = m->friction_kinetic;
  }
  return mu + m->friction_viscous * in->slide;
}

/* The pull of a pair does not depend on by how many points its surfaces are represented. */
double law_pull(const law_input *in) {
  return pull_of(in->material, in->radius) / in->sharing;
}

/* Does cohesion hold now? From touch on, until the gap is beyond its range. Bodies that are new
 * begin held where they lie within a thousandth of a diameter. */
static bool cohesion_holds(const law_input *in, law_state *state) {
  const double given = in->material->cohesion_range, touch = law_touch_part * in->diameter;
  const double range = given > 0.0 ? given : touch;
  const double near = in->first ? fmin(touch, range) : law_near_part * in->diameter;
  double *attached = &state->value[LAW_ATTACHED];
  if (in->gap <= near) *attached = 1.0;
  if (in->gap > range) *attached = 0.0;
  return *attached != 0.0;
}

/* Dilatancy psi of the tangents, H = psi/mu; friction with two axes may flow off the normal of its
 * ellipse. The least lift is too small to be seen, and keeps the direction. */
static void set_flow(const scree_material_def *m, scree_set *set) {
  const double least = 1e-12, mu = set->mu;
  if (!set_has_friction(set) || !(mu > 0.0)) return;
  const double lift = fmin(m->dilatancy / mu, 1.0);
  const bool turned = !set_outline_of(set).disc[0].round && m->flow_across > 0.0;
  const double across = turned ? m->flow_across : 1.0;
  const double top = turned ? fmax(lift, least) : lift, i = 1.0 / fmax(across, 1.0);
  set->flow[0] = top * i;
  set->flow[1] = top * across * i;
}

scree_set law_dry_set(const law_input *in, const law_state *state) {
  const scree_material_def *m = in->material;
  const double mu = friction_now(in, state);
  scree_set set;
  if (m->rolling > 0.0 || m->spinning > 0.0)
    set = scree_set_rolling(m->rolling <= 0.0    ? 4
                            : m->spinning <= 0.0 ? 5
                                                 : 6,
                            mu, m->rolling, m->spinning);
  else if (m->friction_across > 0.0 && in->aligned)
    set = scree_set_elliptic(mu, mu * m->friction_across / m->friction);
  else if (m->friction > 0.0)
    set = scree_set_coulomb(3, mu);
  else
    set = scree_set_ray();
  set_flow(m, &set);
  return set;
}

scree_set law_set(const law_input *in, law_state *state) {
  scree_set set = law_dry_set(in, state);
  if (is_cohesive(in->material) && cohesion_holds(in, state))
    set.cohesion = law_pull(in) * in->kick;
  return set;
}

/* The part f of a gap, of either sign, that is closed in a step: `full`, but where nothing moves it
 * falls with the gap.
 *
 * A solve that starts from the impulses of the step before and stops at its tolerance takes away a
 * part a of an error only. In a mode with error x of position, v of velocity and g of impulse (in
 * units of velocity, y = x / h), a step is
 *   g' = (1 - a) g - a (v + f y),   v' = v + g',   y' = y + v'
 * with the roots of (z - 1 + a)(z - 1)^2 + a z (z - 1) + a f z^2; near z = 1 that is
 * s^3 + 2 a s^2 + a s + a f: stable when f < 2 a. So with any fixed f the modes that a tolerance
 * does not see grow, until they are large enough to cost iterations at every step: a pyramid of
 * boxes swings. With f in proportion to |x| small errors stay what they are, and a body pressed on
 * another comes as near as h touch_part diameter / t in the time t. Spheres keep a
 * least part: it is what beds were measured with, and theirs is left as it was.
 *
 * Impacts and sliding keep all of it: the lift of the relaxed model, mu |u_T| h / f, would grow. */
static double closed_part(const law_input *in, double full) {
  const double least = in->round ? round_part : 0.0;
  if (in->speed > rest_speed * in->bounce_speed || full < least) return full;
  /* Surfaces that cohesion holds keep their gap; only a small part of it is closed per step, so
   * that errors do not add up. */
  if (in->gap > 0.0 && is_cohesive(in->material) && !(in->material->cohesion_range > 0.0))
    return held_part;
  const double away = fmin(fabs(in->gap) / (law_touch_part * in->diameter), 1.0);
  return least + (full - least) * away;
}

/* Contacts with springs do not bounce by a coefficient: the spring gives the energy back. */
bool law_bounces(const scree_material_def *m) {
  return m->restitution > 0.0 && !(m->compliance > 0.0) && m->law != SCREE_LAW_POWER;
}

double law_threshold(const scree_material_def *m, double bounce_speed) {
  return m->restitution_threshold > 0.0 ? m->restitution_threshold : bounce_speed;
}

/* Newton's impact: u_n after = -e u_n before, for impacts above the threshold that happen within
 * the step. It takes the place of the gap term: the body turns round where it is, a gap g early, so
 * that its height must be taken into account, u'^2 = e^2 (u^2 + 2 c g) - 2 c g with the pull c; and
 * the velocity of a step is that of its middle, by when the pull has taken c h / 2 of it. Else a
 * bounce gives c h / u of the energy. */
static double newton_speed(const law_input *in) {
  const double e = (1.0 - in->newton_less) * in->material->restitution, u = in->approach,
               c = fmax(in->pull, 0.0);
  const double fall = 2.0 * c * fmax(in->gap, 0.0);
  const double square = e * e * (u * u + fall) - fall;
  return fmax(sqrt(fmax(square, 0.0)) - 0.5 * c * in->h, 0.0);
}

double law_rigid_offset(const law_input *in) {
  const scree_material_def *m = in->material;
  const double threshold = law_threshold(m, in->bounce_speed);
  if (in->newton && law_bounces(m) && in->approach < -threshold &&
      in->gap + in->h * in->approach <= 0.0)
    return -newton_speed(in);
  if (in->gap > 0.0) return closed_part(in, 1.0) * in->gap / in->h;
  return fmax(closed_part(in, in->stabilisation) * in->gap / in->h, -in->recovery_speed);
}

void law_spring(const law_input *in, double compliance, double y, bool damped,
                scree_ccp_contact_def *out) {
  const double span = in->h + (damped ? in->material->damping : 0.0);
  out->offset[0] = y / span;
  out->compliance[0] = compliance / (in->kick * span);
}

void law_tangents(const law_input *in, const law_state *state, scree_ccp_contact_def *out) {
  const scree_material_def *m = in->material;
  const double span = in->h + (in->gap > 0.0 ? 0.0 : m->damping);
  if (out->set.dim < 3 || m->compliance_tangent <= 0.0) return;
  for (int k = 0; k < 2; k++) {
    out->offset[1 + k] = state->slip[k] / span;
    out->compliance[1 + k] = m->compliance_tangent / (in->kick * span);
  }
}

void law_keep(const law_result *r, law_state *state) {
  const scree_material_def *m = r->material;
  const scree_set *set = r->set;
  const double n = r->g[0] + set->cohesion;
  const bool grips = n > 0.0 && set->dim >= 3;
  const double t1 = grips ? r->g[1] : 0.0, t2 = grips ? r->g[2] : 0.0;
  if (has_stick_state(m)) {
    /* A point on the boundary of its cone may still stick, as others of the body hold it: it
     * slides only if it also moves. */
    const set_outline o = set_outline_of(set);
    const double *mu = o.disc[0].size;
    const bool slides = grips && hypot(t1 / mu[0], t2 / mu[1]) >= (1.0 - boundary) * n &&
                        hypot(r->velocity[1], r->velocity[2]) > r->rest;
    state->value[LAW_FRICTION] = !grips ? LAW_NEW : slides ? LAW_SLIDES : LAW_STICKS;
  }
  if (!(m->compliance_tangent > 0.0)) return;
  /* s + h u_t while it sticks, and what the cone leaves of it when it slides. */
  const double a = r->gap > 0.0 ? 0.0 : m->damping;
  for (int k = 0; k < 2; k++)
    state->slip[k] =
        grips ? law_stretch(-m->compliance_tangent * r->g[1 + k] / r->kick, a, r->h, state->slip[k])
              : 0.0;
}

double law_stretch(double force, double damping, double h, double before) {
  return (force + damping / h * before) / (1.0 + damping / h);
}

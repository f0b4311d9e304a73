/* What laws share. */
#include "assemble/law.h"

#include <math.h>

/* Surfaces within this part of a diameter count as touching for cohesion, and close less of their
 * gap at rest (closed_part): the scheme leaves gaps of that order between bodies that rest on each
 * other. */
static const double touch_range = 1e-3;

/* The least part of a gap that a contact of a sphere closes in a step. */
static const double round_part = 0.05;
/* At rest: slower than this part of the speed below which nothing bounces. */
static const double rest_speed = 0.01;

const law_class *law_for(const scree_material_def *material) {
#define LAW_TRY(symbol)                                                                            \
  if (symbol.applies(material)) return &symbol;
  LAW_LIST(LAW_TRY)
#undef LAW_TRY
  return &law_rigid;
}

bool law_touches(double gap, double diameter) {
  return gap <= touch_range * diameter;
}

scree_set law_set(const law_input *in) {
  const scree_material_def *m = in->material;
  scree_set set;
  if (m->rolling > 0.0 || m->spinning > 0.0)
    set = scree_set_rolling(m->rolling <= 0.0    ? 4
                            : m->spinning <= 0.0 ? 5
                                                 : 6,
                            m->friction, m->rolling, m->spinning);
  else if (m->friction > 0.0)
    set = scree_set_coulomb(3, m->friction);
  else
    set = scree_set_ray();
  /* The pull of a pair does not depend on by how many points its surfaces are represented. */
  if (m->cohesion > 0.0 && law_touches(in->gap, in->diameter))
    set.cohesion = m->cohesion * in->kick / in->sharing;
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
 * another comes as near as h touch_range diameter / t in the time t. Spheres keep a
 * least part: it is what beds were measured with, and theirs is left as it was.
 *
 * Impacts and sliding keep all of it: the lift of the relaxed model, mu |u_T| h / f, would grow. */
static double closed_part(const law_input *in, double full) {
  const double least = in->round ? round_part : 0.0;
  if (in->speed > rest_speed * in->bounce_speed || full < least) return full;
  const double away = fmin(fabs(in->gap) / (touch_range * in->diameter), 1.0);
  return least + (full - least) * away;
}

bool law_bounces(const scree_material_def *m) {
  return m->restitution > 0.0 && !(m->compliance > 0.0);
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

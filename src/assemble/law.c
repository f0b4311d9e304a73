/* What laws share. */
#include "assemble/law.h"

#include <math.h>

/* Surfaces within this part of a diameter count as touching for cohesion: the scheme leaves gaps of
 * that order between bodies that rest on each other. */
static const double touch_range = 1e-3;

/* The part of a gap, of either sign, that a contact at rest closes in a step. A solve that stops at
 * its tolerance and starts from the impulses of the step before is an integral control, g' = -k (v
 * + f x / h), of a body's x'' = g: s^3 + k s + k f / h has roots with a positive real part whatever
 * k is, so an error too small for the tolerance grows, in stacks up to what the iterations can no
 * longer remove. Its rate falls with f. */
static const double rest_factor = 0.05;
/* At rest: slower than this part of the speed below which nothing bounces. */
static const double rest_speed = 0.01;

const law_class *law_for(const scree_material_def *material) {
#define LAW_TRY(symbol)                                                                            \
  if (symbol.applies(material)) return &symbol;
  LAW_LIST(LAW_TRY)
#undef LAW_TRY
  return &law_rigid;
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
  if (m->cohesion > 0.0 && in->gap <= touch_range * in->diameter)
    set.cohesion = m->cohesion * in->h;
  return set;
}

/* The part of the gap that is closed in a step: `full`, but less the nearer to touch where nothing
 * moves. Impacts and sliding keep all of it: the lift of the relaxed model, mu |u_T| h / f, would
 * grow. */
static double closed_part(const law_input *in, double full) {
  if (in->speed > rest_speed * in->bounce_speed || full < rest_factor) return full;
  const double away = fmin(fabs(in->gap) / (touch_range * in->diameter), 1.0);
  return rest_factor + (full - rest_factor) * away;
}

/* Newton's impact: u_n after = -e u_n before, for impacts above the threshold that happen within
 * the step. It takes the place of the gap term: the body turns round where it is. */
double law_rigid_offset(const law_input *in) {
  const scree_material_def *m = in->material;
  const double threshold =
      m->restitution_threshold > 0.0 ? m->restitution_threshold : in->bounce_speed;
  if (m->restitution > 0.0 && in->approach < -threshold && in->gap + in->h * in->approach <= 0.0)
    return m->restitution * in->approach;
  if (in->gap > 0.0) return closed_part(in, 1.0) * in->gap / in->h;
  return fmax(closed_part(in, in->stabilisation) * in->gap / in->h, -in->recovery_speed);
}

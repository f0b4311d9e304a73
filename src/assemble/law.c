/* What laws share. */
#include "assemble/law.h"

#include <math.h>

/* Surfaces within this part of a diameter count as touching for cohesion: the scheme leaves gaps of
 * that order between bodies that rest on each other. */
static const double touch_range = 1e-3;

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

/* Newton's impact: u_n after = -e u_n before, for impacts above the threshold that happen within
 * the step. It takes the place of the gap term: the body turns round where it is. */
double law_rigid_offset(const law_input *in) {
  const scree_material_def *m = in->material;
  const double threshold =
      m->restitution_threshold > 0.0 ? m->restitution_threshold : in->bounce_speed;
  if (m->restitution > 0.0 && in->approach < -threshold && in->gap + in->h * in->approach <= 0.0)
    return m->restitution * in->approach;
  if (in->gap > 0.0) return in->gap / in->h;
  return fmax(in->stabilisation * in->gap / in->h, -in->recovery_speed);
}

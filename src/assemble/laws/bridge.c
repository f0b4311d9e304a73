/* Rigid contact with a liquid bridge: it forms when two surfaces touch and pulls until it ruptures.
 *
 *   pull(s) = 2 pi R gamma cos(theta) / (1 + 1.05 S + 2.5 S^2),   S = s sqrt(R / V)     s: the gap,
 * 0 at touch rupture at s = (1 + theta/2) V^(1/3)
 *
 * (Willett et al. 2000, their closed form for small bridges; Lian et al. 1993), with the radius of
 * Derjaguin R = 2 r1 r2 / (r1 + r2): two equal balls have their own, a ball on a plane twice it. As
 * with cohesion, what presses the solids is n + pull: that is what friction is of. */
#include "assemble/laws/law.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static double reach(const scree_material_def *m) {
  return (1.0 + 0.5 * m->contact_angle) * cbrt(m->bridge_volume);
}

static double pull_at(const scree_material_def *m, double radius, double gap) {
  const double r = 2.0 * radius, s = fmax(gap, 0.0) * sqrt(r / m->bridge_volume);
  return 2.0 * pi * r * m->surface_tension * cos(m->contact_angle) / (1.0 + 1.05 * s + 2.5 * s * s);
}

static scree_set set(const law_input *in, law_state *state) {
  const scree_material_def *m = in->material;
  scree_set set = law_dry_set(in, state);
  double *attached = &state->value[LAW_ATTACHED];
  const double touch = law_touch_part * in->diameter;
  if (in->gap <= (in->first ? touch : law_near_part * in->diameter)) *attached = 1.0;
  if (in->gap > reach(m)) *attached = 0.0;
  if (*attached != 0.0) set.cohesion = pull_at(m, in->radius, in->gap) / in->sharing * in->kick;
  return set;
}

static void rows(const law_input *in, law_state *state, scree_ccp_contact_def *out) {
  out->offset[0] = law_rigid_offset(in);
  law_tangents(in, state, out);
}

const law_class law_bridge = {
    .name = "liquid-bridge", .set = set, .rows = rows, .reach = reach, .remembers = true};

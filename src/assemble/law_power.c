/* A spring that stiffens, with a pull: with the compression d = -gap,
 *
 *   force = k d^p - pull    while the surfaces touch (Hertz: p = 3/2; with the pull: Derjaguin,
 *   force >= -pull          Muller, Toporov), and while cohesion still holds them apart
 *
 * It is stepped implicitly with the tangent at the compression e that is expected at the end of the
 * step, k d^p = k e^p + K (d - e), K = p k e^(p-1), e^p k / K = e / p:
 *
 *   d - a rate = e (1 - 1/p) + (force + pull) / K
 *
 * a linear spring of compliance 1/K at the displacement gap + e (1 - 1/p), which is exact at rest.
 */
#include "assemble/law.h"

#include <math.h>

/* The tangent vanishes at touch: it is taken no nearer than this part of the diameter. */
static const double least_part = 1e-7;

static void rows(const law_input *in, law_state *state, scree_ccp_contact_def *out) {
  const scree_material_def *m = in->material;
  const double p = m->exponent > 0.0 ? m->exponent : 1.5;
  const double e = fmax(-(in->gap + in->h * in->approach), least_part * in->diameter);
  const double stiffness = p * m->stiffness * pow(e, p - 1.0);
  law_spring(in, 1.0 / stiffness, in->gap + e * (1.0 - 1.0 / p), in->gap <= 0.0, out);
  out->offset[0] += out->compliance[0] * out->set.cohesion;
  law_tangents(in, state, out);
}

const law_class law_power = {.name = "power", .rows = rows};

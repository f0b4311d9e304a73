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
 * a linear spring of compliance 1/K at the displacement gap + e (1 - 1/p). What is expected is what
 * two free bodies of inverse mass w do that are pressed together as in the step before, where the
 * spring gave the impulse q: from the compression without a spring, D = -gap - h (u_n - w q),
 *
 *   e + h t w k e^p = D      t: the time that impulses last
 *
 * so that e is just the compression of a contact at rest, and that at the end of an impact of two.
 */
#include "assemble/laws/law.h"

#include <math.h>

/* The tangent vanishes at touch: it is taken no nearer than this part of the diameter. */
static const double least_part = 1e-7;

/* The root of e + b e^p = d; the left side is convex: Newton falls to it from above. */
static double expected(double d, double b, double p) {
  enum { MOST_STEPS = 50 };
  double e = fmin(d, pow(d / b, 1.0 / p));
  for (int step = 0; step < MOST_STEPS; step++) {
    const double push = b * pow(e, p), next = e - (e + push - d) / (1.0 + p * push / e);
    if (!(next < e) || !(next > 0.0)) break;
    e = next;
  }
  return e;
}

static void rows(const law_input *in, law_state *state, scree_ccp_contact_def *out) {
  const scree_material_def *m = in->material;
  const double p = m->exponent > 0.0 ? m->exponent : 1.5;
  const double elastic = fmax(in->pushed + out->set.cohesion, 0.0);
  const double free = -in->gap - in->h * (in->approach - in->inverse_mass * elastic);
  double e = least_part * in->diameter;
  if (free > e) {
    const double b = in->h * in->kick * in->inverse_mass * m->stiffness;
    e = fmax(e, b > 0.0 ? expected(free, b, p) : free);
  }
  const double stiffness = p * m->stiffness * pow(e, p - 1.0);
  law_spring(in, 1.0 / stiffness, in->gap + e * (1.0 - 1.0 / p), in->gap <= 0.0, out);
  out->offset[0] += out->compliance[0] * out->set.cohesion;
  law_tangents(in, state, out);
}

const law_class law_power = {.name = "power", .rows = rows, .varies = true};

/* Coulomb's law read off impulses and velocities, block by block, without any of the library's
 * projections or residuals. */
#ifndef TESTS_SUPPORT_COULOMB_H
#define TESTS_SUPPORT_COULOMB_H

#include <math.h>
#include <stdlib.h>

#include "scree/scree.h"

static inline double coulomb_larger(double a, double b) {
  return b > a ? b : a;
}

/* The worst violation over all 3-D blocks, m/s: of u where the impulse is well inside its cone or
 * zero, of the direction of friction where it is on the boundary. Impulses are counted by `scale`,
 * N s per m/s. */
static inline double coulomb_violation(scree_context *context, const scree_ccp *problem,
                                       const double *g, double scale) {
  const size_t blocks = scree_ccp_block_count(problem);
  double *u = calloc(scree_ccp_row_count(problem) + 1, sizeof *u), worst = 0.0;
  if (!u || scree_ccp_velocities(context, problem, g, u, NULL)) worst = INFINITY;
  for (size_t i = 0; i < blocks && isfinite(worst); i++) {
    const double mu = scree_ccp_block_set(problem, i).mu;
    const double *x = g + 3 * i, *v = u + 3 * i;
    const double push = hypot(x[1], x[2]), slide = hypot(v[1], v[2]);
    worst = coulomb_larger(worst, -v[0]);                          /* no approach */
    worst = coulomb_larger(worst, -x[0] / scale);                  /* no pull */
    worst = coulomb_larger(worst, (push - mu * x[0]) / scale);     /* inside the cone */
    worst = coulomb_larger(worst, fmin(x[0] / scale, fabs(v[0]))); /* closed or no push */
    const double room = (mu * x[0] - push) / scale;
    worst = coulomb_larger(worst, fmin(room, slide)); /* sticks, or at the boundary */
    /* at the boundary friction opposes the sliding */
    const double along = (x[1] * v[1] + x[2] * v[2] + push * slide) / scale;
    if (slide > 0.0) worst = coulomb_larger(worst, fmin(along / slide, slide));
  }
  free(u);
  return worst;
}

#endif

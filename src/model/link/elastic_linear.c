/* Hooke's law in the stretch S of F = R S (corotational):
 *
 *   w = mu sum (s_i - 1)^2 + lambda/2 (sum (s_i - 1))^2 */
#include "model/link/elastic.h"

/* s_i + s_j of an element that is folded through itself, where the turn R jumps. */
static const double least_sum = 1e-3;

void elastic_linear(double mu, double lambda, const double s[3], elastic_state *out) {
  const double trace = s[0] + s[1] + s[2] - 3.0;
  out->energy = 0.5 * lambda * trace * trace;
  for (int i = 0; i < 3; i++) {
    const double e = s[i] - 1.0, sum = fmax(s[(i + 1) % 3] + s[(i + 2) % 3], least_sum);
    out->energy += mu * e * e;
    out->stress[i] = 2.0 * mu * e + lambda * trace;
    for (int j = 0; j < 3; j++) out->stiffness[i][j] = lambda + (i == j ? 2.0 * mu : 0.0);
    out->flip[i] = 2.0 * mu;
    /* w_j + w_k = 2 mu (s_j + s_k - 2) + 2 lambda trace */
    out->twist[i] = (2.0 * mu * (sum - 2.0) + 2.0 * lambda * trace) / sum;
  }
}

/* Compressible Neo-Hookean law, J = s1 s2 s3 = det F:
 *
 *   w = mu/2 (sum s_i^2 - 3) - mu l + lambda/2 l^2,      l = ln J
 *
 * which is Hooke's law for small strains. Below J = 0.1 the logarithm is continued by its series of
 * second order, l = ln J0 + x - x^2/2 with x = J/J0 - 1: value, slope and curvature fit, and it
 * falls on without bound through J = 0, so that an element that a step has inverted is pushed back.
 *
 *   J_i = dJ/ds_i: product of the two others,  J_ij: the third
 *   p = (lambda l - mu) l',    w_i = mu s_i + p J_i
 *   w_ij = mu [i = j] + (lambda l'^2 + (lambda l - mu) l'') J_i J_j + p J_ij [i != j]
 *   flip k: mu - p s_k,   twist k: mu + p s_k        (as J_i - J_j = -s_k (s_i - s_j)) */
#include "model/link/elastic.h"

static const double squeezed = 0.1; /* J0 */

void elastic_neo_hookean(double mu, double lambda, const double s[3], elastic_state *out) {
  const double j = s[0] * s[1] * s[2], x = j / squeezed - 1.0;
  const bool low = x < 0.0;
  const double l = low ? log(squeezed) + x - 0.5 * x * x : log(j);
  const double slope = low ? (1.0 - x) / squeezed : 1.0 / j;
  const double bend = low ? -1.0 / (squeezed * squeezed) : -1.0 / (j * j);
  const double p = (lambda * l - mu) * slope;
  const double q = lambda * slope * slope + (lambda * l - mu) * bend;
  double part[3];
  out->energy = -1.5 * mu - mu * l + 0.5 * lambda * l * l;
  for (int i = 0; i < 3; i++) {
    part[i] = s[(i + 1) % 3] * s[(i + 2) % 3];
    out->energy += 0.5 * mu * s[i] * s[i];
    out->stress[i] = mu * s[i] + p * part[i];
    out->flip[i] = mu - p * s[i];
    out->twist[i] = mu + p * s[i];
  }
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      out->stiffness[i][k] = q * part[i] * part[k] + (i == k ? mu : p * s[3 - i - k]);
}

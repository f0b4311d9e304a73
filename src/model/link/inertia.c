/* Inertia of links: the consistent mass matrix of an element, integrals of rho N_i N_j over its
 * bodies i and j, alike along x, y and z, and constant, as shape functions belong to the material.
 *
 * Bodies have masses of their own, and must have some. So the matrix is split: a body has
 * `share` times the diagonal, with share below the least eigenvalue of the matrix scaled to a
 * diagonal of 1, and the link has the rest, which is positive semidefinite:
 *
 *   m = matrix - share diag(matrix) = sum of c c'   (Cholesky)
 *
 * A row c is a mass of 1 kg that moves with the sum of c_i v_i: kinetic energy (c v)^2/2, and
 * gravity acts on it by g sum c_i. */
#include <string.h>

#include "base/argument.h"
#include "base/definition.h"
#include "model/link/link.h"

static scree_status find(const scree_world *w, const scree_link_def *d, const double (*at)[3],
                         uint32_t nodes, double *rest, double *masses) {
  const link_class *class = link_classes[d->kind];
  double matrix[LINK_BODIES * LINK_BODIES];
  const scree_status status = class->mass(w, d, at, matrix, masses);
  if (status || !(d->consistent || d->kind == SCREE_LINK_CABLE)) return status;
  for (uint32_t i = 0; i < nodes; i++) masses[i] = class->share * matrix[i * (nodes + 1)];
  for (uint32_t i = 0, n = 0; rest && i < nodes; i++)
    for (uint32_t j = 0; j <= i; j++)
      rest[n++] = matrix[i * nodes + j] - (i == j ? masses[i] : 0.0);
  return SCREE_OK;
}

scree_status scree_world_get_link_masses(const scree_world *w, const scree_link_def *d,
                                         const double *at, double *masses) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && d && at && masses);
  DEFINITION_CHECK(w->context, d, link_def);
  if ((int)d->kind < 0 || d->kind >= SCREE_LINK_KIND_COUNT || !link_classes[d->kind]->mass)
    return link_refuse(w, "only tetrahedra, cables and shells have a mass");
  if (!link_positive(d->density)) return link_refuse(w, "density must be above 0");
  if (d->body_count > LINK_BODIES) return link_refuse(w, "one to ten bodies are expected");
  double place[LINK_BODIES][3];
  memcpy(place, at, link_body_count(d) * sizeof *place);
  return find(w, d, (const double(*)[3])place, link_body_count(d), NULL, masses);
}

scree_status link_make_inertia(scree_world *w, const scree_link_def *d, world_link *l) {
  double at[LINK_BODIES][3], masses[LINK_BODIES], c[LINK_BODIES][LINK_BODIES];
  if (!(d->consistent || d->kind == SCREE_LINK_CABLE) || !link_classes[d->kind]->mass)
    return SCREE_OK;
  if (!link_positive(d->density)) return link_refuse(w, "density must be above 0");
  if (!link_not_negative(d->drag)) return link_refuse(w, "drag must be finite and not negative");
  link_places(w, l, at);
  const scree_status status = find(w, d, (const double(*)[3])at, l->body_count, l->inertia, masses);
  if (status) return status;
  l->heavy = 1;
  l->drag = d->drag;
  if (!link_inertia_rows(l, c))
    return link_refuse(w, "an element is so distorted that its mass matrix has no positive rest");
  return SCREE_OK;
}

uint32_t link_inertia_rows(const world_link *l, double c[LINK_BODIES][LINK_BODIES]) {
  double a[LINK_BODIES][LINK_BODIES], most = 0.0;
  const uint32_t n = l->body_count;
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) a[i][j] = link_inertia(l, i, j);
  for (uint32_t i = 0; i < n; i++) most = fmax(most, a[i][i]);
  for (uint32_t j = 0; j < n; j++) {
    if (a[j][j] < -1e-12 * most) return 0;
    if (!(a[j][j] > 1e-12 * most)) continue;
    const double root = sqrt(a[j][j]);
    memset(c[count], 0, sizeof c[count]);
    for (uint32_t i = j; i < n; i++) c[count][i] = a[i][j] / root;
    for (uint32_t i = j; i < n; i++)
      for (uint32_t k = j; k < n; k++) a[i][k] -= c[count][i] * c[count][k];
    count++;
  }
  return count;
}

void link_inertia_energy(const scree_world *w, double *kinetic, double *potential) {
  const v3 gravity = v3_load(w->def.gravity);
  for (size_t k = 0; k < w->link_limit; k++) {
    const world_link *l = &w->link[k];
    if (!l->alive || !l->heavy) continue;
    for (uint32_t a = 0; a < l->body_count; a++)
      for (uint32_t b = 0; b < l->body_count; b++) {
        const double m = link_inertia(l, a, b);
        *kinetic += 0.5 * m * v3_dot(world_linear(w, l->body[a]), world_linear(w, l->body[b]));
        *potential -= m * v3_dot(gravity, w->bodies.position[l->body[a]]);
      }
  }
}

/* Tetrahedra between the centres of mass of four bodies (linear) or ten (quadratic), total
 * Lagrangian: F = dx/dX at points of the element, and there a law of its principal stretches
 * (stretch.c, elastic.h). With Hooke's law in S - I, F = R S, that is corotational at every point.
 *
 *   3                 L_0 … L_3: barycentric coordinates, L_0 = 1 - L_1 - L_2 - L_3
 *   |\`               linear:     N_i = L_i;  F is constant: one point, the volume V
 *   7  9 8            quadratic:  N_i = L_i (2 L_i - 1) at corners, 4 L_i L_j on edges;
 *   |    \  `                     four points with L = (a, b, b, b), a = (5 + 3 sqrt 5)/20,
 *   0--4--1             `         b = (5 - sqrt 5)/20, a quarter of det dX/dL / 6 each. The rule is
 *    `6  5\ |                     exact for squares of strains in elements with straight edges, and
 *        ` 2                      4 times 6 strains are just the 30 - 6 ways to deform.
 *
 * b_n = dN_n/dX = (dX/dL)^-T dN_n/dL. Which way round the corners run does not matter, but
 * det dX/dL must be of one sign in all of a quadratic element: looked at in its nodes and points.
 *
 * Mass: of the linear one rho V (1 + [i = j])/20, or a quarter of rho V at each node. Of the
 * quadratic one the integral of rho N_i N_j by 64 points (Gauss in a cube that is collapsed to the
 * element; exact to degree 5 or more, so exact for straight edges); lumped: the diagonal, scaled to
 * the whole mass, 1/36 at a corner and 4/27 on an edge where edges are straight. */
#include <string.h>

#include "model/link/stretch.h"

enum { CORNERS = 4, NODES = 10, POINTS = 4, GAUSS = 4 };

static const int edge_of[NODES - CORNERS][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}};

/* Values of shape functions, and their derivatives over L_1, L_2, L_3. */
static void shapes(uint32_t nodes, const double x[3], double *n, double (*d)[3]) {
  const double l[CORNERS] = {1.0 - x[0] - x[1] - x[2], x[0], x[1], x[2]};
  double g[CORNERS][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < CORNERS; i++) {
    const bool linear = nodes == CORNERS;
    n[i] = linear ? l[i] : l[i] * (2.0 * l[i] - 1.0);
    for (int k = 0; k < 3; k++) d[i][k] = (linear ? 1.0 : 4.0 * l[i] - 1.0) * g[i][k];
  }
  for (uint32_t m = CORNERS; m < nodes; m++) {
    const int i = edge_of[m - CORNERS][0], j = edge_of[m - CORNERS][1];
    n[m] = 4.0 * l[i] * l[j];
    for (int k = 0; k < 3; k++) d[m][k] = 4.0 * (l[i] * g[j][k] + l[j] * g[i][k]);
  }
}

/* Derivatives over X in place of those over L; returns det dX/dL. */
static double over_places(uint32_t nodes, const double (*at)[3], double (*d)[3]) {
  v3 edge[3]; /* dX/dL_k */
  for (int k = 0; k < 3; k++) {
    double sum[3] = {0.0, 0.0, 0.0};
    for (uint32_t n = 0; n < nodes; n++)
      for (int i = 0; i < 3; i++) sum[i] += at[n][i] * d[n][k];
    edge[k] = v3_load(sum);
  }
  const double det = v3_dot(edge[0], v3_cross(edge[1], edge[2]));
  v3 back[3];
  for (int k = 0; k < 3; k++)
    back[k] = v3_scale(1.0 / det, v3_cross(edge[(k + 1) % 3], edge[(k + 2) % 3]));
  for (uint32_t n = 0; n < nodes; n++) {
    v3 g = v3_scale(d[n][0], back[0]);
    g = v3_add_scaled(v3_add_scaled(g, d[n][1], back[1]), d[n][2], back[2]);
    v3_store(d[n], g);
  }
  return det;
}

static void point_at(uint32_t nodes, uint32_t p, double x[3]) {
  const double a = 0.58541019662496845, b = 0.13819660112501052;
  for (uint32_t k = 0; k < 3; k++) x[k] = nodes == CORNERS ? 0.25 : p == k + 1 ? a : b;
}

/* Point p of the element with its nodes at `at`. */
static void put_point(const world_link *l, const pose *at, uint32_t p, double (*slope)[3],
                      stretch_point *out) {
  double x[3], n[NODES];
  *out = (stretch_point){.slope = slope, .nodes = l->body_count};
  point_at(l->body_count, p, x);
  shapes(l->body_count, x, n, slope);
  const double det = over_places(l->body_count, l->place, slope);
  out->volume = fabs(det) / (l->body_count == CORNERS ? 6.0 : 24.0);
  for (uint32_t k = 0; k < l->body_count; k++) {
    /* Relative to the first node: far from the origin rounding of places would look like strain. */
    const v3 d = v3_sub(at[k].position, at[0].position);
    for (int j = 0; j < 3; j++) {
      out->f[0][j] += d.x * slope[k][j];
      out->f[1][j] += d.y * slope[k][j];
      out->f[2][j] += d.z * slope[k][j];
    }
  }
}

static uint32_t points_of(const world_link *l) {
  return l->body_count == CORNERS ? 1 : POINTS;
}

static void measure(const world_link *l, const pose *at, link_rows *out) {
  double slope[NODES][3];
  stretch_point point;
  for (uint32_t p = 0; p < points_of(l); p++) {
    put_point(l, at, p, slope, &point);
    stretch_add(l, &point, out);
  }
}

static void describe(const world_link *l, const pose *at, scree_link_state *state) {
  double slope[NODES][3], volume = 0.0;
  stretch_point point;
  state->rows = 6;
  for (uint32_t p = 0; p < points_of(l); p++) {
    put_point(l, at, p, slope, &point);
    stretch_describe(l, &point, state->strain, state->stress);
    volume += point.volume;
  }
  for (int i = 0; i < 6; i++) {
    state->strain[i] /= volume;
    state->stress[i] /= volume;
  }
}

/* det dX/dL at all nodes and points has one sign, and is not small against the size. */
static bool is_sound(uint32_t nodes, const double (*at)[3], double *longest) {
  double least = INFINITY, most = -INFINITY;
  *longest = 0.0;
  for (uint32_t k = 1; k < CORNERS; k++)
    *longest = fmax(*longest, v3_norm(v3_sub(v3_load(at[k]), v3_load(at[0]))));
  for (uint32_t p = 0; p < (nodes == CORNERS ? 1 : NODES + POINTS); p++) {
    double x[3] = {0.0, 0.0, 0.0}, n[NODES], d[NODES][3];
    if (p >= NODES || nodes == CORNERS)
      point_at(nodes, nodes == CORNERS ? 0 : p - NODES, x);
    else if (p >= CORNERS)
      for (int m = 0; m < 2; m++) {
        const int i = edge_of[p - CORNERS][m];
        if (i > 0) x[i - 1] = 0.5;
      }
    else if (p > 0)
      x[p - 1] = 1.0;
    shapes(nodes, x, n, d);
    const double det = over_places(nodes, at, d);
    least = fmin(least, det);
    most = fmax(most, det);
  }
  const double small = 1e-9 * *longest * *longest * *longest;
  return least > small || most < -small;
}

static scree_status check_places(const scree_world *w, uint32_t nodes, const double (*at)[3],
                                 double *longest) {
  if (is_sound(nodes, at, longest)) return SCREE_OK;
  if (!is_sound(CORNERS, at, longest))
    return link_refuse(w, "the corners of a tetrahedron lie in a plane: it has no volume");
  return link_refuse(w, "a quadratic tetrahedron is folded: a node on an edge lies too far from "
                        "the middle, so that the element is inverted there");
}

static scree_status count_nodes(const scree_world *w, const scree_link_def *d, uint32_t *nodes) {
  *nodes = d->body_count == 0 ? CORNERS : (uint32_t)d->body_count;
  if (*nodes == CORNERS || *nodes == NODES) return SCREE_OK;
  return link_refuse(w, "a tetrahedron has four or ten bodies");
}

static scree_status make(scree_world *w, const scree_link_def *d, world_link *l) {
  uint32_t nodes;
  const scree_status status = count_nodes(w, d, &nodes);
  if (status) return status;
  for (uint32_t k = 0; k < l->body_count; k++)
    if (l->body[k] == WORLD_NO_BODY) return link_refuse(w, "a tetrahedron needs all its bodies");
  if (!link_positive(d->young) || !(d->poisson > -1.0 && d->poisson < 0.5) ||
      !link_not_negative(d->rayleigh))
    return link_refuse(w, "a tetrahedron needs young above 0, poisson between -1 and 0.5 and a "
                          "rayleigh that is not negative");
  if ((int)d->elastic < 0 || d->elastic >= SCREE_ELASTIC_COUNT)
    return link_refuse(w, "there is no such elastic law");
  if (d->elastic == SCREE_ELASTIC_NEO_HOOKEAN && d->poisson < 0.0)
    return link_refuse(w, "the Neo-Hookean law needs a poisson that is not negative");
  link_places(w, l, l->place);
  l->elastic = d->elastic;
  l->modulus[0] = d->young / (2.0 * (1.0 + d->poisson));
  l->modulus[1] = d->young * d->poisson / ((1.0 + d->poisson) * (1.0 - 2.0 * d->poisson));
  l->rayleigh = d->rayleigh;
  return check_places(w, l->body_count, l->place, &l->rest);
}

/* Integrals of N_i N_j. */
static void consistent(uint32_t nodes, const double (*at)[3], double *matrix) {
  static const double x[GAUSS] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813,
                                  0.93056815579702629};
  static const double weight[GAUSS] = {0.17392742256872693, 0.32607257743127307,
                                       0.32607257743127307, 0.17392742256872693};
  memset(matrix, 0, (size_t)nodes * nodes * sizeof *matrix);
  if (nodes == CORNERS) { /* V/20, twice that for i = j; the determinant is 6 V */
    static const double middle[3] = {0.25, 0.25, 0.25};
    double n[NODES], d[NODES][3];
    shapes(nodes, middle, n, d);
    const double part = fabs(over_places(nodes, at, d)) / 120.0;
    for (uint32_t i = 0; i < nodes * nodes; i++)
      matrix[i] = i % (nodes + 1) == 0 ? 2.0 * part : part;
    return;
  }
  for (int p = 0; p < GAUSS * GAUSS * GAUSS; p++) {
    const double a = x[p % GAUSS], b = x[p / GAUSS % GAUSS], c = x[p / GAUSS / GAUSS];
    const double l[3] = {a, b * (1.0 - a), c * (1.0 - a) * (1.0 - b)};
    double n[NODES], d[NODES][3];
    shapes(nodes, l, n, d);
    const double here = fabs(over_places(nodes, at, d)) * weight[p % GAUSS] *
                        weight[p / GAUSS % GAUSS] * weight[p / GAUSS / GAUSS] * (1.0 - a) *
                        (1.0 - a) * (1.0 - b);
    for (uint32_t i = 0; i < nodes; i++)
      for (uint32_t j = 0; j < nodes; j++) matrix[i * nodes + j] += here * n[i] * n[j];
  }
}

static scree_status mass(const scree_world *w, const scree_link_def *d, const double (*at)[3],
                         double *matrix, double *lumped) {
  uint32_t nodes;
  double longest, all = 0.0, diagonal = 0.0;
  scree_status status = count_nodes(w, d, &nodes);
  if (!status) status = check_places(w, nodes, at, &longest);
  if (status) return status;
  consistent(nodes, at, matrix);
  for (uint32_t i = 0; i < nodes * nodes; i++) {
    matrix[i] *= d->density;
    all += matrix[i];
    if (i % (nodes + 1) == 0) diagonal += matrix[i];
  }
  for (uint32_t i = 0; i < nodes; i++) lumped[i] = all * matrix[i * (nodes + 1)] / diagonal;
  return SCREE_OK;
}

const link_class link_tetrahedron = {.name = "tetrahedron",
                                     .rows = 12 * POINTS,
                                     .points = true,
                                     .apart = true,
                                     .make = make,
                                     .measure = measure,
                                     .describe = describe,
                                     .mass = mass,
                                     .share = 0.2};

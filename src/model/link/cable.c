/* A cable without torsion between two ends with slopes, by absolute nodal coordinates (ANCF,
 * gradient deficient): large displacements and turns, small strains.
 *
 * x in [0, L] along the cable at rest, which is straight. Each end has a place P and a slope
 * r' = dr/dx; both are places of bodies, the slope as a handle S = P + l r' (l: their distance as
 * the link is made), so that r is linear in places and the mass matrix is constant:
 *
 *   r(x) = H1 P_0 + H2 L r_0' + H3 P_1 + H4 L r_1'          cubic (Hermite)
 *   H1 = 1 - 3 y^2 + 2 y^3,  H2 = y - 2 y^2 + y^3,  H3 = 3 y^2 - 2 y^3,  H4 = y^3 - y^2,  y = x/L
 *
 * With a = r', b = r'' and A = a.a, B = b.b, C = a.b the energy of a unit of length is
 *
 *   w = EA/2 (|a| - 1)^2 + EI/2 |a x b|^2/A^2 = EA/2 (A - 2 sqrt A + 1) + EI/2 (B/A - C^2/A^2)
 *
 * |a x b|/A is the turn of the tangent along a unit of length at rest. Three Gauss points: just
 * enough for the three ways to stretch. w is a function f(A, B, C), so
 *
 *   w_a = 2 f_A a + f_C b,    w_b = 2 f_B b + f_C a
 *   w_aa = 2 f_A + 4 f_AA aa' + 2 f_AC (ab' + ba') + f_CC bb'
 *   w_ab = f_C + 4 f_AB ab' + 2 f_AC aa' + f_CC ba',     w_bb = 2 f_B + f_CC aa'
 *
 * over (a, L b), which has the rows of a point as its eigenvectors (link.h); those along tension
 * are what makes a taut cable a string.
 *
 * Damping must not see rigid turns. It acts on the rates of |a| and, where the cable is bent, of
 * the size of k = a x b/A, where it is straight of all of k: a turn about the tangent, which a
 * cable without torsion does not know, turns k and must cost nothing. */
#include <string.h>

#include "math/dense.h"
#include "model/link/stretch.h"

enum { POINTS = 3, NODES = 4, SIDE = 6 };
static const double gauss_place[POINTS] = {0.11270166537925831, 0.5, 0.88729833462074169};
static const double gauss_weight[POINTS] = {0.27777777777777779, 0.44444444444444442,
                                            0.27777777777777779};

/* Factors of the four bodies in r, r' and L r'' at y. */
static void shapes(double length, const double handle[2], double y, double n[3][NODES]) {
  const double h[3][4] = {
      {1.0 - y * y * (3.0 - 2.0 * y), y * (1.0 - y) * (1.0 - y), y * y * (3.0 - 2.0 * y),
       y * y * (y - 1.0)},
      {-6.0 * y * (1.0 - y), 1.0 - y * (4.0 - 3.0 * y), 6.0 * y * (1.0 - y), y * (3.0 * y - 2.0)},
      {12.0 * y - 6.0, 6.0 * y - 4.0, 6.0 - 12.0 * y, 6.0 * y - 2.0}};
  const double by = 1.0 / length;
  for (int d = 0; d < 3; d++)
    for (int end = 0; end < 2; end++) {
      const double unit = d == 0 ? 1.0 : by;
      const double slope = h[d][2 * end + 1] * length / handle[end];
      n[d][2 * end] = unit * (h[d][2 * end] - slope);
      n[d][2 * end + 1] = unit * slope;
    }
}

typedef struct bent {
  v3 a, b; /* r', r'' */
  double n[3][NODES];
  double energy, gradient[SIDE], second[SIDE * SIDE]; /* over (a, L b), of a unit of length */
} bent;

static void find_bent(const world_link *l, const pose *at, int point, bent *out) {
  shapes(l->rest, l->handle, gauss_place[point], out->n);
  out->a = out->b = v3_make(0, 0, 0);
  for (int k = 1; k < NODES; k++) {
    const v3 d = v3_sub(at[k].position, at[0].position);
    out->a = v3_add_scaled(out->a, out->n[1][k], d);
    out->b = v3_add_scaled(out->b, out->n[2][k] / l->rest, d);
  }
}

static void differentiate(const world_link *l, bent *p) {
  const double ea = l->modulus[0], ei = l->modulus[1], length = l->rest;
  double a[3], b[3];
  v3_store(a, p->a);
  v3_store(b, p->b);
  /* A slope that vanishes has no direction: it is taken as a short one. */
  const double aa = fmax(v3_norm2(p->a), 1e-12), bb = v3_norm2(p->b), c = v3_dot(p->a, p->b);
  const double size = sqrt(aa), i1 = 1.0 / aa, i2 = i1 * i1, i3 = i2 * i1, half = 0.5 * ei;
  const double fa = 0.5 * ea * (1.0 - 1.0 / size) + half * (2.0 * c * c * i3 - bb * i2);
  const double fb = half * i1, fc = -2.0 * half * c * i2;
  const double faa = 0.25 * ea * i1 / size + half * (2.0 * bb * i3 - 6.0 * c * c * i3 * i1);
  const double fab = -half * i2, fac = 4.0 * half * c * i3, fcc = -2.0 * half * i2;
  p->energy = 0.5 * ea * (size - 1.0) * (size - 1.0) + half * (bb * i1 - c * c * i2);
  for (int i = 0; i < 3; i++) {
    p->gradient[i] = 2.0 * fa * a[i] + fc * b[i];
    p->gradient[3 + i] = (2.0 * fb * b[i] + fc * a[i]) / length;
    for (int j = 0; j < 3; j++) {
      const double one = i == j;
      const double xx = 2.0 * fa * one + 4.0 * faa * a[i] * a[j] +
                        2.0 * fac * (a[i] * b[j] + b[i] * a[j]) + fcc * b[i] * b[j];
      const double xy =
          fc * one + 4.0 * fab * a[i] * b[j] + 2.0 * fac * a[i] * a[j] + fcc * b[i] * a[j];
      p->second[i * SIDE + j] = xx;
      p->second[i * SIDE + 3 + j] = p->second[(3 + j) * SIDE + i] = xy / length;
      p->second[(3 + i) * SIDE + 3 + j] = (2.0 * fb * one + fcc * a[i] * a[j]) / (length * length);
    }
  }
}

/* Row along x of (a, L b). */
static link_row *add_row(const bent *p, const double x[SIDE], link_rows *out) {
  link_row *row = &out->row[out->count++];
  memset(row, 0, sizeof *row);
  for (int k = 0; k < NODES; k++)
    for (int i = 0; i < 3; i++)
      row->gradient[6 * k + i] = p->n[1][k] * x[i] + p->n[2][k] * x[3 + i];
  return row;
}

static v3 bend_of(const bent *p) {
  return v3_scale(1.0 / fmax(v3_norm2(p->a), 1e-12), v3_cross(p->a, p->b));
}

static void add_dampers(const world_link *l, const bent *p, double weight, link_rows *out) {
  const double size = fmax(v3_norm(p->a), 1e-6);
  const v3 t = v3_scale(1.0 / size, p->a), k = bend_of(p);
  double x[SIDE] = {t.x, t.y, t.z, 0.0, 0.0, 0.0};
  add_row(p, x, out)->damping = weight * l->rayleigh * l->modulus[0];
  const bool straight = !(v3_norm(k) * l->rest > 1e-9);
  const v3 one = straight ? v3_across(t) : v3_normalize(k);
  for (int m = 0; m < (straight ? 2 : 1); m++) {
    /* n.dk = n.(da x b + a x db)/A - 2 n.k (a.da)/A = da.(b x n - 2 n.k a)/A + db.(n x a)/A */
    const v3 n = m ? v3_cross(t, one) : one;
    const double i1 = 1.0 / (size * size);
    const v3 da = v3_add_scaled(v3_cross(p->b, n), -2.0 * v3_dot(n, k), p->a);
    v3_store(x, v3_scale(i1, da));
    v3_store(x + 3, v3_scale(i1 / l->rest, v3_cross(n, p->a)));
    add_row(p, x, out)->damping = weight * l->rayleigh * l->modulus[1];
  }
}

static void measure(const world_link *l, const pose *at, link_rows *out) {
  for (int point = 0; point < POINTS; point++) {
    const double weight = gauss_weight[point] * l->rest;
    double axes[SIDE * SIDE];
    bent p;
    find_bent(l, at, point, &p);
    differentiate(l, &p);
    out->energy += weight * p.energy;
    dense_eigen(SIDE, p.second, 1e-34, axes);
    for (int m = 0; m < SIDE; m++) {
      double x[SIDE], stress = 0.0;
      for (int i = 0; i < SIDE; i++) {
        x[i] = axes[i * SIDE + m];
        stress += x[i] * p.gradient[i];
      }
      link_row *row = add_row(&p, x, out);
      row->stress = weight * stress;
      row->stiffness = weight * p.second[m * SIDE + m];
    }
    if (l->rayleigh > 0.0) add_dampers(l, &p, weight, out);
  }
}

static void describe(const world_link *l, const pose *at, scree_link_state *state) {
  state->rows = 1 + POINTS;
  for (int point = 0; point < POINTS; point++) {
    bent p;
    find_bent(l, at, point, &p);
    state->strain[0] += gauss_weight[point] * (v3_norm(p.a) - 1.0);
    state->strain[1 + point] = v3_norm(bend_of(&p));
    state->stress[1 + point] = l->modulus[1] * state->strain[1 + point];
  }
  state->stress[0] = l->modulus[0] * state->strain[0];
}

/* Checks that both handles lie ahead of their ends, on the line between the ends. */
static scree_status check_places(const scree_world *w, const double (*at)[3], double *length,
                                 double handle[2]) {
  const v3 d = v3_sub(v3_load(at[2]), v3_load(at[0]));
  *length = v3_norm(d);
  if (!link_positive(*length)) return link_refuse(w, "the two ends of a cable must lie apart");
  for (int end = 0; end < 2; end++) {
    const v3 s = v3_sub(v3_load(at[2 * end + 1]), v3_load(at[2 * end]));
    handle[end] = v3_dot(s, d) / *length;
    if (!(handle[end] > 1e-3 * *length) ||
        !(v3_norm(v3_cross(s, d)) <= 1e-6 * *length * handle[end]))
      return link_refuse(w, "handles of a cable must lie on the straight line from its first end "
                            "to its second, ahead of their ends");
  }
  return SCREE_OK;
}

static scree_status make(scree_world *w, const scree_link_def *d, world_link *l) {
  for (uint32_t k = 0; k < NODES; k++)
    if (l->body[k] == WORLD_NO_BODY) return link_refuse(w, "a cable needs four bodies");
  if (!link_positive(d->young) || !link_positive(d->area) || !link_positive(d->inertia_y) ||
      !link_positive(d->density) || !link_not_negative(d->rayleigh))
    return link_refuse(w, "a cable needs young, area, inertia_y and density above 0 and a rayleigh "
                          "that is not negative");
  double at[LINK_BODIES][3];
  link_places(w, l, at);
  l->modulus[0] = d->young * d->area;
  l->modulus[1] = d->young * d->inertia_y;
  l->rayleigh = d->rayleigh;
  return check_places(w, (const double(*)[3])at, &l->rest, l->handle);
}

/* Integrals of the shape functions by four Gauss points: exact to degree 7. */
static scree_status mass(const scree_world *w, const scree_link_def *d, const double (*at)[3],
                         double *matrix, double *lumped) {
  static const double x[2] = {0.43056815579702629, 0.16999052179242813};
  static const double weight[2] = {0.17392742256872693, 0.32607257743127307};
  double length, handle[2];
  const scree_status status = check_places(w, at, &length, handle);
  if (status) return status;
  memset(matrix, 0, NODES * NODES * sizeof *matrix);
  for (int p = 0; p < 4; p++) {
    double n[3][NODES];
    shapes(length, handle, 0.5 + (p % 2 ? x[p / 2] : -x[p / 2]), n);
    for (int i = 0; i < NODES; i++)
      for (int j = 0; j < NODES; j++)
        matrix[NODES * i + j] += weight[p / 2] * d->density * d->area * length * n[0][i] * n[0][j];
  }
  for (int i = 0; i < NODES; i++) lumped[i] = 0.0;
  return SCREE_OK;
}

const link_class link_cable = {.name = "cable",
                               .bodies = NODES,
                               .rows = 9 * POINTS,
                               .points = true,
                               .apart = true,
                               .make = make,
                               .measure = measure,
                               .describe = describe,
                               .mass = mass,
                               .share = 0.015};

/* Flat triangles of thin shells: membrane and plate (shell.h).
 *
 * Membrane: the optimal triangle with drilling turns (Felippa, "A study of optimal membrane
 * triangles with drilling freedoms", 2003). Its stiffness is a basic part, by the mean strain
 *
 *   e = L'd / V,        L of node i, with j and k after it, y_jk = y_j - y_k:
 *   t/2 [ y_jk  0     x_kj ]
 *       [ 0     x_kj  y_jk ]
 *       [ y_jk (y_ik - y_ji)/4   x_kj (x_ki - x_ij)/4   (x_ki y_ik - x_ij y_ji)/2 ]   alpha = 3/2
 *
 * which is all of it in a field of constant strain, and a higher part over the turns less the mean
 * turn of the triangle,
 *
 *   3/4 b0 K,   K = t A (Q4' E Q4 + Q5' E Q5 + Q6' E Q6),  b0 = (1 - 4 nu^2)/2,
 *
 * E the moduli along the three sides, Q4 = (Q1 + Q2)/2 …, Q1 2A/3 times the factors b below over
 * the squares of the sides. Below 0.01 b0 is 0.01.
 *
 * Plate: the discrete Kirchhoff triangle (Batoz, Bathe, Ho, 1980): normals turn by quadratic
 * functions and stay normal along the sides; with deflections 0 at the nodes, as the plane of the
 * element goes through them. Three points in the middles of the sides integrate it exactly. */
#include <math.h>
#include <string.h>

#include "model/link/shell.h"

bool shell_lay_out(const double (*at)[3], shell_triangle *out) {
  const v3 a = v3_sub(v3_load(at[1]), v3_load(at[0])), b = v3_sub(v3_load(at[2]), v3_load(at[0]));
  const double side = v3_norm(a), twice = v3_norm(v3_cross(a, b));
  if (!(twice > 1e-6 * fmax(v3_norm2(a), v3_norm2(b)))) return false;
  *out = (shell_triangle){
      .x = {0.0, side, v3_dot(a, b) / side}, .y = {0.0, 0.0, twice / side}, .area = 0.5 * twice};
  for (int i = 0; i < SHELL_NODES; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double *x = out->x, *y = out->y, by = 1.0 / twice;
    out->slope[i][0] = by * (y[j] - y[k]);
    out->slope[i][1] = by * (x[k] - x[j]);
    out->spin_strain[i][0] = 0.25 * by * (y[j] - y[k]) * (y[i] - y[k] - y[j] + y[i]);
    out->spin_strain[i][1] = 0.25 * by * (x[k] - x[j]) * (x[k] - x[i] - x[i] + x[j]);
    out->spin_strain[i][2] =
        0.5 * by * ((x[k] - x[i]) * (y[i] - y[k]) - (x[i] - x[j]) * (y[j] - y[i]));
  }
  return true;
}

/* Moduli of plane stress over xx, yy, 2xy. */
static void moduli(double young, double poisson, double d[3][3]) {
  const double e = young / (1.0 - poisson * poisson);
  memset(d, 0, 9 * sizeof d[0][0]);
  d[0][0] = d[1][1] = e;
  d[0][1] = d[1][0] = e * poisson;
  d[2][2] = 0.5 * young / (1.0 + poisson);
}

/* out += by a'd a, a of three rows. */
static void add_square(uint32_t n, const double *a, const double d[3][3], double by, double *out) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++)
      for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++)
          out[i * n + j] += by * a[p * (int)n + (int)i] * d[p][q] * a[q * (int)n + (int)j];
}

void shell_spin_stiffness(const shell_triangle *t, double young, double poisson, double thickness,
                          double k[SHELL_SPINS * SHELL_SPINS]) {
  static const double b[3][3][3] = {{{1, 2, 1}, {0, 1, -1}, {-1, -1, -2}},
                                    {{-2, -1, -1}, {1, 1, 2}, {-1, 0, 1}},
                                    {{1, -1, 0}, {-1, -2, -1}, {2, 1, 1}}};
  double d[3][3], along[9], natural[9] = {0.0}, square[3], q[3][9];
  moduli(young, poisson, d);
  /* Sides 01, 12, 20; strains of the plane by those along the sides, in columns. */
  for (int s = 0; s < 3; s++) {
    const int i = s, j = (s + 1) % 3, m = (s + 2) % 3;
    const double *x = t->x, *y = t->y;
    square[s] = (x[j] - x[i]) * (x[j] - x[i]) + (y[j] - y[i]) * (y[j] - y[i]);
    const double by = square[s] / (4.0 * t->area * t->area);
    const double xj = x[j] - x[m], yj = y[j] - y[m], xi = x[i] - x[m], yi = y[i] - y[m];
    along[s] = by * yj * yi;
    along[3 + s] = by * xj * xi;
    along[6 + s] = -by * (yj * xi + xj * yi);
  }
  add_square(3, along, d, 1.0, natural);
  for (int p = 0; p < 3; p++)
    for (int s = 0; s < 3; s++)
      for (int n = 0; n < 3; n++) q[p][3 * s + n] = 2.0 / 3.0 * t->area * b[p][s][n] / square[s];
  const double b0 = fmax(0.5 * (1.0 - 4.0 * poisson * poisson), 0.01);
  memset(k, 0, SHELL_SPINS * SHELL_SPINS * sizeof *k);
  for (int p = 0; p < 3; p++) {
    double mean[9];
    for (int i = 0; i < 9; i++) mean[i] = 0.5 * (q[p][i] + q[(p + 1) % 3][i]);
    add_square(3, mean, (const double(*)[3])natural, 0.75 * b0 * t->area * thickness, k);
  }
}

/* ---- the plate ------------------------------------------------------------------------------ */

typedef struct plate_side { /* a, d belong to deflections, which are 0 */
  double b, c, e;
} plate_side;

/* How the turns of the normal, along x and along y, depend on the nodes' turns, by shape functions
 * or their derivatives: corners 0, 1, 2, then the middles of 12, 20, 01. */
static void turns_of(const plate_side side[3], const double n[6], double along_x[SHELL_BENDS],
                     double along_y[SHELL_BENDS]) {
  for (int i = 0; i < SHELL_NODES; i++) {
    const int p = (i + 2) % 3,
              m = (i + 1) % 3; /* sides from it to the next, and to the one before */
    const double np = n[3 + p], nm = n[3 + m];
    along_x[2 * i] = side[p].b * np + side[m].b * nm;
    along_x[2 * i + 1] = n[i] - side[p].c * np - side[m].c * nm;
    along_y[2 * i] = -n[i] + side[p].e * np + side[m].e * nm;
    along_y[2 * i + 1] = -along_x[2 * i];
  }
}

static void curvatures(const shell_triangle *t, const plate_side side[3], double u, double v,
                       double out[3 * SHELL_BENDS]) {
  const double du[6] = {4 * u + 4 * v - 3, 4 * u - 1, 0, 4 * v, -4 * v, 4 - 8 * u - 4 * v};
  const double dv[6] = {4 * u + 4 * v - 3, 0, 4 * v - 1, 4 * u, 4 - 4 * u - 8 * v, -4 * u};
  double xu[SHELL_BENDS], xv[SHELL_BENDS], yu[SHELL_BENDS], yv[SHELL_BENDS];
  turns_of(side, du, xu, yu);
  turns_of(side, dv, xv, yv);
  for (int k = 0; k < SHELL_BENDS; k++) { /* u and v are the shape functions of nodes 1 and 2 */
    const double *p = t->slope[1], *q = t->slope[2];
    out[k] = p[0] * xu[k] + q[0] * xv[k];
    out[SHELL_BENDS + k] = p[1] * yu[k] + q[1] * yv[k];
    out[2 * SHELL_BENDS + k] = p[1] * xu[k] + q[1] * xv[k] + p[0] * yu[k] + q[0] * yv[k];
  }
}

void shell_bend_stiffness(const shell_triangle *t, double young, double poisson, double thickness,
                          double k[SHELL_BENDS * SHELL_BENDS]) {
  plate_side side[3]; /* 12, 20, 01 */
  double d[3][3], rows[3 * SHELL_BENDS];
  moduli(young, poisson, d);
  for (int s = 0; s < 3; s++) {
    const int i = (s + 1) % 3, j = (s + 2) % 3;
    const double x = t->x[i] - t->x[j], y = t->y[i] - t->y[j], by = 1.0 / (x * x + y * y);
    side[s] = (plate_side){.b = 0.75 * x * y * by,
                           .c = (0.25 * x * x - 0.5 * y * y) * by,
                           .e = (0.25 * y * y - 0.5 * x * x) * by};
  }
  const double weight = t->area / 3.0 * thickness * thickness * thickness / 12.0;
  memset(k, 0, SHELL_BENDS * SHELL_BENDS * sizeof *k);
  for (int s = 0; s < 3; s++) {
    curvatures(t, side, s == 1 ? 0.0 : 0.5, s == 0 ? 0.0 : 0.5, rows);
    add_square(SHELL_BENDS, rows, (const double(*)[3])d, weight, k);
  }
}

bool shell_factor(uint32_t n, const double *k, double *out) {
  double a[SHELL_BENDS][SHELL_BENDS], most = 0.0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) a[i][j] = k[i * n + j];
  for (uint32_t i = 0; i < n; i++) most = fmax(most, a[i][i]);
  for (uint32_t i = 0; i < n; i++) {
    if (!(a[i][i] > 1e-12 * most) || isinf(a[i][i])) return false;
    *out++ = a[i][i];
    for (uint32_t j = i + 1; j < n; j++) *out++ = a[i][j] / a[i][i];
    for (uint32_t p = i + 1; p < n; p++)
      for (uint32_t q = p; q < n; q++) a[p][q] -= a[i][p] * a[i][q] / a[i][i];
    for (uint32_t p = i + 1; p < n; p++)
      for (uint32_t q = i + 1; q < p; q++) a[p][q] = a[q][p];
  }
  return true;
}

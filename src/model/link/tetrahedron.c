/* A linear tetrahedron between the centres of mass of four bodies, corotational: F = R S, and the
 * strain is that of the stretch, S - I, in isotropic linear elasticity.
 *
 *   F = (x1 - x0, x2 - x0, x3 - x0) B,   B: inverse of the same at rest,   C = F'F = S^2
 *   e_k = b_k : (S - I),   b_0 = I/sqrt(3), b_1 … b_5: an orthonormal basis of shape changes
 *   energy = V/2 ((3 lambda + 2 mu) e_0^2 + 2 mu (e_1^2 + … + e_5^2)):  diagonal
 *
 * Gradient, the turn R included: with the eigenvalues s_i of S and its axes in V,
 *   e_k' = H_k : dC,  H_k = V [ (V' b_k V)_ij / (s_i + s_j) ] V',   dC = dF'F + F'dF
 *   so de_k/d(edges) = 2 F H_k B'. An inverted element (det F < 0) is not distinguished from its
 * mirror. */
#include "model/link/link.h"

/* Eigenvalues and axes (columns of v) of a symmetric matrix, by Jacobi's rotations. */
static void eigen(double a[3][3], double v[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) v[i][j] = i == j;
  for (int sweep = 0; sweep < 30; sweep++) {
    const double off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
    const double on = a[0][0] * a[0][0] + a[1][1] * a[1][1] + a[2][2] * a[2][2];
    if (off <= 1e-34 * on) return;
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (a[p][q] == 0.0) continue;
        const double x = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
        const double t = (x >= 0.0 ? 1.0 : -1.0) / (fabs(x) + sqrt(1.0 + x * x));
        const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
        for (int k = 0; k < 3; k++) {
          const double kp = a[k][p], kq = a[k][q];
          a[k][p] = c * kp - s * kq;
          a[k][q] = s * kp + c * kq;
        }
        for (int k = 0; k < 3; k++) {
          const double pk = a[p][k], qk = a[q][k];
          a[p][k] = c * pk - s * qk;
          a[q][k] = s * pk + c * qk;
        }
        for (int k = 0; k < 3; k++) {
          const double kp = v[k][p], kq = v[k][q];
          v[k][p] = c * kp - s * kq;
          v[k][q] = s * kp + c * kq;
        }
      }
  }
}

static void basis(int k, double b[3][3]) {
  const double r2 = 0.70710678118654752, r3 = 0.57735026918962576, r6 = 0.40824829046386302;
  for (int i = 0; i < 9; i++) b[i / 3][i % 3] = 0.0;
  if (k == 0) b[0][0] = b[1][1] = b[2][2] = r3;
  if (k == 1) b[0][0] = r2, b[1][1] = -r2;
  if (k == 2) b[0][0] = b[1][1] = r6, b[2][2] = -2.0 * r6;
  if (k >= 3) {
    const int i = k == 3 ? 1 : 0, j = k == 5 ? 1 : 2;
    b[i][j] = b[j][i] = r2;
  }
}

/* c = a b, and with `left` or `right` that one transposed. */
static void times(const double a[3][3], bool left, const double b[3][3], bool right,
                  double c[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0.0;
      for (int k = 0; k < 3; k++) sum += (left ? a[k][i] : a[i][k]) * (right ? b[j][k] : b[k][j]);
      c[i][j] = sum;
    }
}

static void measure(const world_link *l, const pose *at, link_strain *out) {
  double edge[3][3], inverse[3][3], f[3][3], c[3][3], v[3][3], s[3], w[3][3], x[3][3];
  for (int j = 0; j < 3; j++) {
    const v3 d = v3_sub(at[j + 1].position, at[0].position);
    edge[0][j] = d.x, edge[1][j] = d.y, edge[2][j] = d.z;
    for (int i = 0; i < 3; i++) inverse[i][j] = l->inverse[3 * i + j];
  }
  times(edge, false, inverse, false, f);
  times(f, true, f, false, c);
  eigen(c, v);
  for (int i = 0; i < 3; i++) s[i] = sqrt(fmax(c[i][i], 0.0));
  for (int k = 0; k < 6; k++) {
    double b[3][3], g[3][3];
    basis(k, b);
    times(v, true, b, false, w);
    times(w, false, v, false, x); /* V'bV */
    out->strain[k] = 0.0;
    for (int i = 0; i < 3; i++) out->strain[k] += x[i][i] * (s[i] - 1.0);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) x[i][j] *= 2.0 / fmax(s[i] + s[j], 1e-12);
    times(v, false, x, false, w);
    times(w, false, v, true, x); /* 2 H */
    times(f, false, x, false, w);
    times(w, false, inverse, true, g);
    double *row = out->gradient[k];
    for (int i = 0; i < LINK_DIM; i++) row[i] = 0.0;
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) {
        row[6 * (j + 1) + i] = g[i][j];
        row[i] -= g[i][j];
      }
  }
}

const link_class link_tetrahedron = {
    .name = "tetrahedron", .bodies = 4, .rows = 6, .points = true, .measure = measure};

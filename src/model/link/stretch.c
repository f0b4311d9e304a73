/* Rows of a point of a solid, of a law w(s) of its principal stretches (elastic.h).
 *
 * With F = U diag(s) V' and G = U'dF V the second derivative of w over F is block diagonal: 3 by 3
 * over the diagonal of G, and for each pair of axes one number for the flip and one for the twist.
 * These nine directions are the rows, each times the volume; the stress is that along the three
 * first, as dw = sum w_i G_ii. A row along Q (3 by 3, norm 1) is for node n: Q b_n, as
 * dF = sum dx_n b_n'.
 *
 * A rigid turn has G_ij = t_ij s_j with t skew, which flips and twists see where the part is
 * stretched; dampers must not. The rates of S that no turn has are G_ii and
 * sqrt 2 (s_i G_ij + s_j G_ji)/(s_i + s_j): rows with damping alone for the latter. Damping is
 * `rayleigh` times the stiffness: of the three first as it is now, of the others 2 mu. */
#include "model/link/stretch.h"

#include <string.h>

#include "math/dense.h"
#include "model/link/elastic.h"

#define ELASTIC_ENTRY(kind, symbol) [SCREE_ELASTIC_##kind] = symbol,
static elastic_law *const laws[SCREE_ELASTIC_COUNT] = {ELASTIC_LIST(ELASTIC_ENTRY)};
#undef ELASTIC_ENTRY

static v3 column(const double a[3][3], int j) {
  return v3_make(a[0][j], a[1][j], a[2][j]);
}

static void put_column(double a[3][3], int j, v3 x) {
  a[0][j] = x.x, a[1][j] = x.y, a[2][j] = x.z;
}

/* One turn of columns p and q of a (and v) after which those of a are at right angles. */
static bool turn_columns(double a[3][3], double v[3][3], int p, int q) {
  const v3 x = column(a, p), y = column(a, q);
  const double xy = v3_dot(x, y), xx = v3_norm2(x), yy = v3_norm2(y);
  if (!(fabs(xy) > 1e-16 * sqrt(xx * yy))) return false;
  const double z = 0.5 * (yy - xx) / xy;
  const double t = (z >= 0.0 ? 1.0 : -1.0) / (fabs(z) + sqrt(1.0 + z * z));
  const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
  for (int m = 0; m < 2; m++) {
    double(*of)[3] = m ? v : a;
    const v3 f = column(of, p), g = column(of, q);
    put_column(of, p, v3_add_scaled(v3_scale(c, f), -s, g));
    put_column(of, q, v3_add_scaled(v3_scale(s, f), c, g));
  }
  return true;
}

void stretch_decompose(const double f[3][3], double u[3][3], double s[3], double v[3][3]) {
  double a[3][3];
  memcpy(a, f, sizeof a);
  for (int i = 0; i < 9; i++) v[i / 3][i % 3] = i / 3 == i % 3;
  for (int sweep = 0; sweep < 30; sweep++) {
    bool turned = turn_columns(a, v, 0, 1);
    turned |= turn_columns(a, v, 0, 2);
    turned |= turn_columns(a, v, 1, 2);
    if (!turned) break;
  }
  int large = 0, small = 0;
  for (int i = 0; i < 3; i++) {
    s[i] = v3_norm(column(a, i));
    if (s[i] > s[large]) large = i;
    if (s[i] <= s[small]) small = i;
  }
  if (small == large) small = (large + 2) % 3;
  const int middle = 3 - large - small;
  const v3 first = s[large] > 0.0 ? v3_scale(1.0 / s[large], column(a, large)) : v3_make(1, 0, 0);
  v3 second = v3_across(first);
  if (s[middle] > 1e-14 * s[large]) {
    second = v3_add_scaled(column(a, middle), -v3_dot(column(a, middle), first), first);
    second = v3_scale(1.0 / v3_norm(second), second);
  }
  /* The third completes a turn, whatever the sign of its stretch. */
  const bool cyclic = (large + 1) % 3 == middle;
  const v3 third = cyclic ? v3_cross(first, second) : v3_cross(second, first);
  put_column(u, large, first);
  put_column(u, middle, second);
  put_column(u, small, third);
  s[small] = v3_dot(third, column(a, small));
}

/* Row along sum of c[m] u_i v_j', (i, j) = pair[m]. */
static void add_row(const stretch_point *p, const double u[3][3], const double v[3][3],
                    uint32_t count, const int (*pair)[2], const double *c, link_row *row) {
  memset(row->gradient, 0, 6 * p->nodes * sizeof *row->gradient);
  for (uint32_t n = 0; n < p->nodes; n++)
    for (uint32_t m = 0; m < count; m++) {
      const int j = pair[m][1], i = pair[m][0];
      const double *b = p->slope[n];
      const double along = c[m] * (v[0][j] * b[0] + v[1][j] * b[1] + v[2][j] * b[2]);
      for (int k = 0; k < 3; k++) row->gradient[6 * n + (uint32_t)k] += along * u[k][i];
    }
}

static link_row *next_row(link_rows *out, double stress, double stiffness, double damping) {
  link_row *row = &out->row[out->count++];
  row->stress = stress;
  row->stiffness = stiffness;
  row->damping = damping;
  return row;
}

/* Eigenvectors in columns, and eigenvalues, of a symmetric matrix. That of Hooke's law is alike in
 * all directions: there they are known. */
static void find_axes(const double a[3][3], double axes[9], double value[3]) {
  static const double known[9] = {
      0.57735026918962576,  0.70710678118654752, 0.40824829046386302, 0.57735026918962576,
      -0.70710678118654752, 0.40824829046386302, 0.57735026918962576, 0.0,
      -0.81649658092772603};
  if (a[0][1] == a[0][2] && a[0][1] == a[1][2] && a[0][0] == a[1][1] && a[0][0] == a[2][2]) {
    memcpy(axes, known, sizeof known);
    value[0] = a[0][0] + 2.0 * a[0][1];
    value[1] = value[2] = a[0][0] - a[0][1];
    return;
  }
  double b[9];
  memcpy(b, a, sizeof b);
  dense_eigen(3, b, 1e-34, axes);
  for (int m = 0; m < 3; m++) value[m] = b[4 * m];
}

void stretch_add(const world_link *l, const stretch_point *p, link_rows *out) {
  static const int diagonal[3][2] = {{0, 0}, {1, 1}, {2, 2}};
  const double root = 0.70710678118654752, w = p->volume, beta = l->rayleigh;
  double u[3][3], s[3], v[3][3], axes[9], value[3];
  elastic_state e;
  stretch_decompose(p->f, u, s, v);
  laws[l->elastic](l->modulus[0], l->modulus[1], s, &e);
  out->energy += w * e.energy;
  find_axes((const double(*)[3])e.stiffness, axes, value);
  for (int m = 0; m < 3; m++) {
    const double c[3] = {axes[m], axes[3 + m], axes[6 + m]};
    double stress = 0.0;
    for (int i = 0; i < 3; i++) stress += c[i] * e.stress[i];
    const double k = w * value[m];
    add_row(p, u, v, 3, diagonal, c, next_row(out, w * stress, k, beta * fmax(k, 0.0)));
  }
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const int pair[2][2] = {{i, j}, {j, i}};
    const double flip[2] = {root, root}, twist[2] = {root, -root};
    const double sum = fmax(s[i] + s[j], 1e-9), double_root = 2.0 * root;
    const double rate[2] = {double_root * s[i] / sum, double_root * s[j] / sum};
    add_row(p, u, v, 2, pair, flip, next_row(out, 0.0, w * e.flip[k], 0.0));
    add_row(p, u, v, 2, pair, twist, next_row(out, 0.0, w * e.twist[k], 0.0));
    if (beta > 0.0)
      add_row(p, u, v, 2, pair, rate, next_row(out, 0.0, 0.0, 2.0 * beta * w * l->modulus[0]));
  }
}

void stretch_describe(const world_link *l, const stretch_point *p, double strain[6],
                      double stress[6]) {
  static const int place[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {2, 0}, {0, 1}};
  double u[3][3], s[3], v[3][3];
  elastic_state e;
  stretch_decompose(p->f, u, s, v);
  laws[l->elastic](l->modulus[0], l->modulus[1], s, &e);
  const double j = fabs(s[0] * s[1] * s[2]);
  for (int m = 0; m < 6; m++)
    for (int i = 0; i < 3; i++) {
      const int a = place[m][0], b = place[m][1];
      strain[m] += p->volume * (s[i] - 1.0) * v[a][i] * v[b][i];
      /* Cauchy's: P F'/J = U diag(w_i s_i/J) U' */
      stress[m] += p->volume * e.stress[i] * s[i] / fmax(j, 1e-300) * u[a][i] * u[b][i];
    }
}

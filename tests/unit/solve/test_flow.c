/* Flows H of the exact model: laws between Coulomb's and the relaxed model (dilatancy: what slides
 * parts with psi |u_T|; psi = mu is the relaxed model, whose velocities the interior point method
 * tells) and directions of sliding off the normal. Small problems are compared with all of their
 * solutions, found by trying every way. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"

enum { SIDE = 4, BOXES = SIDE * SIDE, MOST_ROWS = 3 * 64 };
static const double mu = 0.5, pi = 3.14159265358979323846;

static const char *const names[] = {"gs",   "nsgs", "sor", "fpp", "extragradient",
                                    "prox", "admm", "auto"};
enum { NAMES = sizeof names / sizeof *names };

static double uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 33) / 2147483648.0 - 1.0;
}

static void add_contact(scree_ccp *p, uint32_t a, uint32_t b, int axis, double psi) {
  scree_ccp_contact_def d = scree_ccp_contact_def_default();
  d.body_a = a;
  d.body_b = b;
  d.set = scree_set_coulomb(3, mu);
  d.set.flow[0] = d.set.flow[1] = psi / mu;
  for (int k = 0; k < 3; k++) d.normal[k] = k == axis;
  d.arm_a[axis] = 0.5;
  d.arm_b[axis] = -0.5;
  d.arm_a[(axis + 1) % 3] = d.arm_b[(axis + 1) % 3] = 0.1; /* not along the normal */
  assert_int_equal(scree_ccp_add_contact(p, &d), SCREE_OK);
}

/* A wall of bodies on a floor, pushed about. */
static scree_ccp *make(scree_context *context, double psi) {
  scree_ccp *p;
  uint64_t seed = 5;
  assert_int_equal(scree_ccp_create_bodies(context, &p), SCREE_OK);
  for (int i = 0; i < BOXES; i++) {
    scree_ccp_body_def d = {.inverse_mass = 1.0, .v_free = {0.3, 0.1, -0.2}};
    d.inverse_inertia[0] = d.inverse_inertia[3] = d.inverse_inertia[5] = 6.0;
    for (int k = 0; k < 6; k++) d.v_free[k] += 0.2 * uniform(&seed);
    assert_int_equal(scree_ccp_add_body(p, &d, NULL), SCREE_OK);
  }
  for (uint32_t i = 0; i < BOXES; i++) {
    if (i < SIDE) add_contact(p, SCREE_CCP_WORLD, i, 2, psi);
    if (i % SIDE + 1 < SIDE) add_contact(p, i, i + 1, 0, psi);
    if (i + SIDE < BOXES) add_contact(p, i, i + SIDE, 2, psi);
  }
  return p;
}

static scree_solve_info solve(scree_context *context, const scree_ccp *p, const char *name,
                              scree_model model, double *g, double *u) {
  scree_solver *s;
  scree_solve_settings settings = scree_solve_settings_default();
  scree_solve_info info;
  settings.model = model;
  settings.tolerance_error = 1e-11;
  settings.iteration_limit = 200000;
  memset(g, 0, scree_ccp_row_count(p) * sizeof *g);
  const bool extra = !strcmp(name, "extragradient");
  assert_int_equal(scree_solver_create(context, extra ? "fpp" : name, &s), SCREE_OK);
  if (extra) assert_int_equal(scree_solver_set(s, "extragradient", "on"), SCREE_OK);
  if (scree_solver_solve(s, p, &settings, g, &info))
    fail_msg("%s: %s", name, scree_context_message(context));
  if (info.outcome != SCREE_OUTCOME_SOLVED)
    fail_msg("%s: %s, E %g after %ld", name, scree_outcome_text(info.outcome), info.residual.error,
             info.iterations);
  assert_int_equal(scree_ccp_velocities(context, p, g, u, NULL), SCREE_OK);
  scree_solver_destroy(s);
  return info;
}

/* ---- all solutions of small problems -------------------------------------------------------- */

/* Plane contacts have four ways each: open, stick, and slide to either side. Every combination is a
 * linear system; those whose solution has the right signs are all the solutions there are. */
enum { PLANE = 3, PLANE_ROWS = 2 * PLANE, PLANE_WAYS = 64 };

static bool gauss(int n, double m[][PLANE_ROWS + 1]) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k; i < n; i++)
      if (fabs(m[i][k]) > fabs(m[pivot][k])) pivot = i;
    if (fabs(m[pivot][k]) < 1e-13) return false;
    for (int j = 0; j <= n; j++) {
      const double swap = m[k][j];
      m[k][j] = m[pivot][j];
      m[pivot][j] = swap;
    }
    for (int i = 0; i < n; i++) {
      const double f = m[i][k] / m[k][k];
      for (int j = k; i != k && j <= n; j++) m[i][j] -= f * m[k][j];
    }
  }
  for (int k = 0; k < n; k++) m[k][n] /= m[k][k];
  return true;
}

/* g of one way; false where it is no solution. */
static bool one_way(int way, double psi, const double *n, const double *q, double *u) {
  double m[PLANE_ROWS][PLANE_ROWS + 1] = {{0.0}}, g[PLANE_ROWS];
  for (int c = 0; c < PLANE; c++) {
    const int mode = way >> (2 * c) & 3, a = 2 * c, b = a + 1;
    const double side = mode == 2 ? 1.0 : -1.0; /* of the sliding */
    for (int j = 0; j < PLANE_ROWS; j++) {
      if (mode == 1) m[b][j] = n[b * PLANE_ROWS + j];
      if (mode == 1) m[a][j] = n[a * PLANE_ROWS + j];
      if (mode >= 2) m[a][j] = n[a * PLANE_ROWS + j] - psi * side * n[b * PLANE_ROWS + j];
    }
    if (mode == 0) m[a][a] = m[b][b] = 1.0;
    if (mode == 1) m[a][PLANE_ROWS] = -q[a];
    if (mode == 1) m[b][PLANE_ROWS] = -q[b];
    if (mode >= 2) {
      m[a][PLANE_ROWS] = -q[a] + psi * side * q[b];
      m[b][b] = 1.0;
      m[b][a] = side * mu;
    }
  }
  if (!gauss(PLANE_ROWS, m)) return false;
  for (int i = 0; i < PLANE_ROWS; i++) g[i] = m[i][PLANE_ROWS];
  for (int i = 0; i < PLANE_ROWS; i++) {
    u[i] = q[i];
    for (int j = 0; j < PLANE_ROWS; j++) u[i] += n[i * PLANE_ROWS + j] * g[j];
  }
  for (int c = 0; c < PLANE; c++) {
    const int mode = way >> (2 * c) & 3, a = 2 * c, b = a + 1;
    if (mode == 0 && !(u[a] >= psi * fabs(u[b]))) return false;
    if (mode == 1 && !(fabs(g[b]) <= mu * g[a])) return false;
    if (mode >= 2 && !(g[a] >= 0.0 && (mode == 2 ? u[b] : -u[b]) >= 0.0)) return false;
  }
  return true;
}

/* One contact in space, all that it can do: on the edge g = n (1, a1 cos, a2 sin) = n (1, A e), and
 * it slides with y = A D u_T = -s e, u_n = lift s. For an angle the second gives n, and what y has
 * across e must vanish: looked for over all angles. */
typedef struct one {
  const double *n, *q;
  double a[2], d[2], lift;
} one;

static double across(const one *o, double angle, double *u, double *press, double *slip) {
  const double e[2] = {cos(angle), sin(angle)};
  const double k[2] = {o->a[0] * o->d[0], o->a[1] * o->d[1]};
  double x[3], up = o->q[0], slope;
  for (int i = 0; i < 3; i++)
    x[i] = o->n[3 * i] + o->n[3 * i + 1] * o->a[0] * e[0] + o->n[3 * i + 2] * o->a[1] * e[1];
  slope = x[0];
  for (int t = 0; t < 2; t++) {
    up += o->lift * e[t] * k[t] * o->q[1 + t];
    slope += o->lift * e[t] * k[t] * x[1 + t];
  }
  *press = -up / slope;
  for (int i = 0; i < 3; i++) u[i] = o->q[i] + x[i] * *press;
  *slip = -(e[0] * k[0] * u[1] + e[1] * k[1] * u[2]);
  return e[0] * k[1] * u[2] - e[1] * k[0] * u[1];
}

/* Returns the number of solutions. */
static int all_of_one(const scree_set *set, const double *n, const double *q, double u[][3]) {
  enum { ANGLES = 20000 };
  const double top = fmax(set->flow[0], set->flow[1]);
  const one o = {.n = n,
                 .q = q,
                 .a = {set->mu, set->kind == SCREE_SET_ELLIPTIC ? set->mu2 : set->mu},
                 .d = {set->flow[0] / top, set->flow[1] / top},
                 .lift = top};
  int count = 0;
  double m[PLANE_ROWS][PLANE_ROWS + 1] = {{0.0}}, press, slip, x[3];
  if (q[0] >= top * hypot(o.a[0] * o.d[0] * q[1], o.a[1] * o.d[1] * q[2]))
    memcpy(u[count++], q, 3 * sizeof *q);
  for (int i = 0; i < 3; i++) {
    memcpy(m[i], n + 3 * i, 3 * sizeof *n);
    m[i][3] = -q[i];
  }
  if (gauss(3, m) && hypot(m[1][3] / o.a[0], m[2][3] / o.a[1]) <= m[0][3])
    memset(u[count++], 0, sizeof *u);
  for (int k = 0; k < ANGLES; k++) {
    double lo = 2.0 * pi * k / ANGLES, hi = 2.0 * pi * (k + 1) / ANGLES;
    const double at_lo = across(&o, lo, x, &press, &slip);
    if (at_lo * across(&o, hi, x, &press, &slip) > 0.0) continue;
    for (int halving = 0; halving < 60; halving++) {
      const double at = 0.5 * (lo + hi);
      if (at_lo * across(&o, at, x, &press, &slip) > 0.0)
        lo = at;
      else
        hi = at;
    }
    if (press > 0.0 && slip >= 0.0 && press < 1e6 && count < 8) memcpy(u[count++], x, sizeof x);
  }
  return count;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void psi_of_mu_is_the_relaxed_model(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *dilating = make(context, mu), *plain = make(context, 0.0);
  const size_t rows = scree_ccp_row_count(plain);
  double g[MOST_ROWS], u[MOST_ROWS], wanted[MOST_ROWS];
  assert_true(rows <= MOST_ROWS);
  solve(context, plain, "ipm", SCREE_MODEL_RELAXED, g, wanted);
  for (size_t n = 0; n < NAMES; n++) {
    solve(context, dilating, names[n], SCREE_MODEL_COULOMB, g, u);
    for (size_t i = 0; i < rows; i++) assert_true(fabs(u[i] - wanted[i]) < 1e-8);
  }
  scree_ccp_destroy(dilating);
  scree_ccp_destroy(plain);
  scree_context_destroy(context);
}

static void what_slides_parts_with_psi(void **state) {
  (void)state;
  const double psi = 0.2;
  scree_context *context = scree_context_create(NULL);
  scree_ccp *p = make(context, psi);
  double g[MOST_ROWS], u[MOST_ROWS];
  for (size_t n = 0; n < NAMES; n++) {
    solve(context, p, names[n], SCREE_MODEL_COULOMB, g, u);
    int sliding = 0;
    for (size_t i = 0; i < scree_ccp_block_count(p); i++) {
      const double *gi = g + 3 * i, *ui = u + 3 * i;
      const double slip = hypot(ui[1], ui[2]), t = hypot(gi[1], gi[2]);
      assert_true(gi[0] >= 0.0 && t <= mu * gi[0] + 1e-9 && ui[0] >= psi * slip - 1e-8);
      if (gi[0] < 1e-6 || slip < 1e-6) continue;
      sliding++;
      assert_true(fabs(ui[0] - psi * slip) < 1e-7);
      assert_true(fabs(t - mu * gi[0]) < 1e-7 * gi[0] + 1e-9);
      /* Against the motion. */
      assert_true(gi[1] * ui[1] + gi[2] * ui[2] < -(1.0 - 1e-6) * t * slip);
    }
    assert_true(sliding >= 4);
  }
  scree_ccp_destroy(p);
  scree_context_destroy(context);
}

static void others_say_why_not(void **state) {
  (void)state;
  static const char *const others[] = {"ipm", "lemke", "apgd", "ags", "spg", "fixed-point", "sap"};
  scree_context *context = scree_context_create(NULL);
  scree_ccp *p = make(context, 0.2);
  scree_solve_settings settings = scree_solve_settings_default();
  double g[MOST_ROWS] = {0};
  for (size_t n = 0; n < sizeof others / sizeof *others; n++) {
    scree_solver *s;
    scree_solve_info info;
    assert_int_equal(scree_solver_create(context, others[n], &s), SCREE_OK);
    const scree_status status = scree_solver_solve(s, p, &settings, g, &info);
    if (status != SCREE_OK) {
      assert_int_equal(status, SCREE_ERROR_UNSUPPORTED);
      const char *text = scree_context_message(context);
      if (!strstr(text, "take auto, gs, nsgs, fpp, prox or admm") && strcmp(others[n], "sap"))
        fail_msg("%s: %s", others[n], text);
    } else {
      assert_int_equal(info.model, SCREE_MODEL_RELAXED); /* it has no exact model at all */
    }
    scree_solver_destroy(s);
  }
  scree_set bad = scree_set_coulomb(3, 0.3);
  bad.flow[0] = bad.flow[1] = 1.1;
  assert_non_null(scree_set_fault(&bad));
  bad.flow[0] = bad.flow[1] = -0.1;
  assert_non_null(scree_set_fault(&bad));
  bad.flow[0] = 0.5, bad.flow[1] = 0.0;
  assert_non_null(scree_set_fault(&bad));
  bad.flow[1] = NAN;
  assert_non_null(scree_set_fault(&bad));
  bad.flow[0] = bad.flow[1] = 0.0, bad.flow[3] = 0.1;
  assert_non_null(scree_set_fault(&bad));
  bad = scree_set_ray();
  bad.flow[0] = 0.1;
  assert_non_null(scree_set_fault(&bad));
  scree_ccp_destroy(p);
  scree_context_destroy(context);
}

/* A random symmetric matrix, positive definite. */
static void random_matrix(int rows, uint64_t *seed, double *n) {
  double l[MOST_ROWS];
  for (int i = 0; i < rows * rows; i++) l[i] = uniform(seed);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++) {
      n[i * rows + j] = i == j ? 0.3 : 0.0;
      for (int k = 0; k < rows; k++) n[i * rows + j] += l[i * rows + k] * l[j * rows + k];
    }
}

static scree_ccp *local_problem(scree_context *context, size_t blocks, const scree_set *set,
                                int rows, const double *n, const double *q) {
  size_t start[8];
  uint32_t index[64];
  scree_ccp *p;
  for (int j = 0; j <= rows; j++) start[j] = (size_t)(j * rows);
  for (int j = 0; j < rows * rows; j++) index[j] = (uint32_t)(j % rows);
  const scree_csc w = {(size_t)rows, (size_t)rows, start, index, n};
  assert_int_equal(scree_ccp_create_local(context, blocks, set, &w, q, NULL, &p), SCREE_OK);
  return p;
}

/* Only admm, where the direction of sliding is turned. */
static bool refuses(const scree_ccp *p, const char *name) {
  for (size_t i = 0; i < scree_solver_count(); i++) {
    const char *why = scree_solver_refusal(i, p, SCREE_MODEL_COULOMB);
    if (strcmp(scree_solver_name(i), name) || !why) continue;
    if (strcmp(name, "admm") || !strstr(why, "take auto, gs")) fail_msg("%s: %s", name, why);
    return true;
  }
  return false;
}

static double nearest(int rows, int count, const double *found, const double *u) {
  double least = INFINITY;
  for (int s = 0; s < count; s++) {
    double most = 0.0;
    for (int i = 0; i < rows; i++) most = fmax(most, fabs(found[s * rows + i] - u[i]));
    least = fmin(least, most);
  }
  return least;
}

static void plane_contacts_by_every_way(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  uint64_t seed = 11;
  int several = 0;
  for (int trial = 0; trial < 60; trial++) {
    const double psi = trial % 3 == 0 ? 0.1 : trial % 3 == 1 ? 0.3 : mu;
    scree_set set[PLANE];
    double n[PLANE_ROWS * PLANE_ROWS], q[PLANE_ROWS], found[PLANE_WAYS * PLANE_ROWS];
    int count = 0;
    random_matrix(PLANE_ROWS, &seed, n);
    for (int i = 0; i < PLANE_ROWS; i++) q[i] = uniform(&seed) - (i % 2 ? 0.0 : 0.5);
    for (int c = 0; c < PLANE; c++) {
      set[c] = scree_set_coulomb(2, mu);
      set[c].flow[0] = psi / mu;
    }
    for (int way = 0; way < PLANE_WAYS; way++)
      if (one_way(way, psi, n, q, found + count * PLANE_ROWS)) count++;
    assert_true(count > 0);
    several += count > 1;
    scree_ccp *p = local_problem(context, PLANE, set, PLANE_ROWS, n, q);
    for (size_t k = 0; k < NAMES; k++) {
      double g[PLANE_ROWS], u[PLANE_ROWS];
      solve(context, p, names[k], SCREE_MODEL_COULOMB, g, u);
      const double miss = nearest(PLANE_ROWS, count, found, u);
      if (!(miss < 1e-8)) fail_msg("trial %d, %s: %g from all %d", trial, names[k], miss, count);
    }
    scree_ccp_destroy(p);
  }
  assert_true(several < 60); /* mostly there is one */
  scree_context_destroy(context);
}

static void one_contact_over_all_angles(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  uint64_t seed = 3;
  int slides = 0;
  for (int trial = 0; trial < 60; trial++) {
    scree_set set = trial % 2 ? scree_set_elliptic(0.6, 0.2) : scree_set_coulomb(3, mu);
    double n[9], q[3], found[8][3];
    set.flow[0] = 0.1 + 0.9 * fabs(uniform(&seed));
    set.flow[1] = trial % 3 ? set.flow[0] * (0.3 + 0.7 * fabs(uniform(&seed))) : set.flow[0];
    random_matrix(3, &seed, n);
    for (int i = 0; i < 3; i++) q[i] = uniform(&seed) - (i ? 0.0 : 0.3);
    const int count = all_of_one(&set, n, q, found);
    assert_true(count > 0);
    scree_ccp *p = local_problem(context, 1, &set, 3, n, q);
    for (size_t k = 0; k < NAMES; k++) {
      double g[3], u[3];
      if (refuses(p, names[k])) continue;
      solve(context, p, names[k], SCREE_MODEL_COULOMB, g, u);
      const double miss = nearest(3, count, found[0], u);
      if (!(miss < 1e-8)) fail_msg("trial %d, %s: %g from all %d", trial, names[k], miss, count);
      slides += hypot(u[1], u[2]) > 1e-6 && g[0] > 1e-6;
    }
    scree_ccp_destroy(p);
  }
  assert_true(slides > 15 * NAMES);
  scree_context_destroy(context);
}

/* Rolling and spinning with a flow in each of their discs: each slides against its own D u, and the
 * contact parts with what all of them lift. */
static void discs_of_rolling_lift_together(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  uint64_t seed = 8;
  int slides = 0;
  for (int trial = 0; trial < 24; trial++) {
    scree_set set = scree_set_rolling(6, 0.5, 0.2, 0.1);
    const double k[5] = {0.5, 0.5, 0.2, 0.2, 0.1}, flow[5] = {0.5, 0.25, 0.8, 0.8, 0.3};
    double n[36], q[6];
    memcpy(set.flow, flow, sizeof flow);
    random_matrix(6, &seed, n);
    for (int i = 0; i < 6; i++) q[i] = (i ? 1.0 : 0.6) * uniform(&seed) - (i ? 0.0 : 0.6);
    scree_ccp *p = local_problem(context, 1, &set, 6, n, q);
    for (size_t s = 0; s < NAMES; s++) {
      double g[6], u[6], lift = 0.0;
      if (refuses(p, names[s])) continue;
      solve(context, p, names[s], SCREE_MODEL_COULOMB, g, u);
      for (int first = 1; first < 6; first += 2) {
        const bool two = first < 5;
        const double top = fmax(flow[first - 1], two ? flow[first] : 0.0);
        const double d[2] = {flow[first - 1] / top, two ? flow[first] / top : 0.0};
        const double w[2] = {d[0] * u[first], two ? d[1] * u[first + 1] : 0.0};
        const double t[2] = {g[first], two ? g[first + 1] : 0.0};
        const double slip = hypot(w[0], w[1]), most = k[first - 1] * g[0];
        lift += top * k[first - 1] * slip;
        assert_true(hypot(t[0], t[1]) <= most + 1e-9);
        if (g[0] < 1e-6 || slip < 1e-6) continue;
        slides++;
        assert_true(fabs(t[0] * w[0] + t[1] * w[1] + most * slip) < 1e-8);
      }
      assert_true(g[0] >= 0.0 && u[0] >= lift - 1e-8);
      if (g[0] > 1e-6) assert_true(fabs(u[0] - lift) < 1e-8);
    }
    scree_ccp_destroy(p);
  }
  assert_true(slides > 15 * NAMES);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(psi_of_mu_is_the_relaxed_model),
      cmocka_unit_test(what_slides_parts_with_psi),
      cmocka_unit_test(plane_contacts_by_every_way),
      cmocka_unit_test(one_contact_over_all_angles),
      cmocka_unit_test(discs_of_rolling_lift_together),
      cmocka_unit_test(others_say_why_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

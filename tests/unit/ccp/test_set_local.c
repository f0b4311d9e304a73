/* One block alone: residual of the natural map on random blocks in both models, agreement with
 * projected gradients, hand-made cases. */
#include "ccp/sets/local.h"
#include "test_set_common.h"
#include <string.h>

static const scree_model models[] = {SCREE_MODEL_RELAXED, SCREE_MODEL_COULOMB};

/* Q diag(1 … 10^-decades) Q' times a random scale, Q from random reflections. */
static void random_block(int d, double decades, double *n) {
  memset(n, 0, sizeof(double) * (size_t)(d * d));
  const double scale = pow(10.0, uniform(-2.0, 2.0));
  for (int i = 0; i < d; i++) {
    const double t = i == 0 ? 0.0 : i == 1 ? 1.0 : uniform(0.0, 1.0);
    n[i * d + i] = scale * pow(10.0, -decades * t);
  }
  for (int k = 0; k < d; k++) {
    double v[6], norm = 0.0;
    for (int i = 0; i < d; i++) {
      v[i] = uniform(-1.0, 1.0);
      norm += v[i] * v[i];
    }
    for (int side = 0; side < 2; side++)
      for (int j = 0; j < d; j++) {
        double dot = 0.0;
        for (int i = 0; i < d; i++) dot += v[i] * (side ? n[j * d + i] : n[i * d + j]);
        for (int i = 0; i < d; i++)
          *(side ? &n[j * d + i] : &n[i * d + j]) -= 2.0 * dot / norm * v[i];
      }
  }
  for (int i = 0; i < d; i++)
    for (int j = 0; j < i; j++) n[i * d + j] = n[j * d + i] = 0.5 * (n[i * d + j] + n[j * d + i]);
}

/* |g - P(g - eta û)|/eta relative to the terms of u, which are of order 1 at least in these tests.
 */
static double natural_residual(const scree_set *set, scree_model model, const double *n,
                               const double *q, const double *g) {
  const int d = set->dim;
  double u[6], x[6], trace = 0.0, size = 0.1, worst = 0.0;
  for (int i = 0; i < d; i++) {
    u[i] = q[i];
    trace += n[i * d + i];
    size = fmax(size, fabs(q[i]));
    for (int j = 0; j < d; j++) {
      u[i] += n[i * d + j] * g[j];
      size = fmax(size, fabs(n[i * d + j] * g[j]));
    }
  }
  const double eta = d / trace;
  if (model == SCREE_MODEL_COULOMB) u[0] += scree_set_shift(set, u);
  for (int i = 0; i < d; i++) {
    x[i] = g[i] - eta * u[i];
    size = fmax(size, fabs(g[i]) / eta);
  }
  scree_set_project(set, 1.0, x);
  for (int i = 0; i < d; i++) worst = fmax(worst, fabs(g[i] - x[i]));
  return worst / eta / size;
}

static double fair(void) {
  return pick(6) ? uniform(0.01, 1.5) : 0.0;
}

static scree_set fair_set(int form) {
  scree_set set = random_set(form, 0);
  if (set.kind == SCREE_SET_INTERVAL || set.kind == SCREE_SET_FREE) return set;
  set.mu = fair();
  if (set.kind == SCREE_SET_ELLIPTIC) set.mu2 = fair();
  if (set.kind == SCREE_SET_ROLLING) {
    set.rolling = fair();
    set.spinning = fair();
  }
  if (pick(3) == 0) set.cohesion = uniform(0.0, 2.0);
  if (pick(3) == 0) set.cap = uniform(-set.cohesion, 2.0);
  return set;
}

typedef struct tally {
  int blocks, refused;
  double worst;
} tally;

static tally run_form(int form, scree_model model, double decades, int rounds) {
  tally sum = {0};
  for (int round = 0; round < rounds; round++) {
    const scree_set set = fair_set(form);
    double n[36], q[6], g[6];
    random_block(set.dim, decades, n);
    for (int i = 0; i < set.dim; i++) {
      q[i] = pick(10) ? uniform(-3.0, 3.0) : 0.0;
      g[i] = pick(2) ? uniform(-1.0, 1.0) : 0.0;
    }
    if (pick(2)) scree_set_project(&set, 1.0, g);
    const bool solved = set_solve_block(&set, model, n, q, g);
    sum.blocks++;
    for (int i = 0; i < set.dim; i++) assert_true(isfinite(g[i]));
    assert_true(outside(&set, g) <= 1e-13 * (1.0 + size_of(&set, g)));
    if (!solved) {
      sum.refused++;
      continue;
    }
    sum.worst = fmax(sum.worst, natural_residual(&set, model, n, q, g));
  }
  return sum;
}

static void check_all(double decades, double tolerance, double rolling_tolerance,
                      double rolling_refused) {
  for (int form = 0; form < FORM_COUNT; form++)
    for (int m = 0; m < 2; m++) {
      const tally t = run_form(form, models[m], decades, 20000);
      assert_true(t.worst <= (form < 6 ? tolerance : rolling_tolerance));
      assert_true(t.refused <= (form < 6 ? 0.0 : rolling_refused) * t.blocks);
    }
}

static void test_well_conditioned(void **state) {
  (void)state;
  check_all(1.0, 1e-12, 1e-12, 0.0);
}

static void test_ill_conditioned(void **state) {
  (void)state;
  check_all(8.0, 1e-10, 1e-8, 0.005);
}

/* Ten thousand projected gradient steps on the relaxed problem know nothing of cases and roots. */
static void test_projected_gradient(void **state) {
  (void)state;
  for (int round = 0; round < 60 * FORM_COUNT; round++) {
    const scree_set set = fair_set(round % FORM_COUNT);
    const int d = set.dim;
    double n[36], q[6], g[6] = {0.0}, x[6] = {0.0}, trace = 0.0;
    random_block(d, 0.7, n);
    for (int i = 0; i < d; i++) {
      q[i] = uniform(-3.0, 3.0);
      trace += n[i * d + i];
    }
    for (int step = 0; step < 10000; step++) {
      double u[6];
      for (int i = 0; i < d; i++) {
        u[i] = q[i];
        for (int j = 0; j < d; j++) u[i] += n[i * d + j] * x[j];
      }
      for (int i = 0; i < d; i++) x[i] -= u[i] / trace;
      scree_set_project(&set, 1.0, x);
    }
    assert_true(set_solve_block(&set, SCREE_MODEL_RELAXED, n, q, g));
    assert_true(distance(&set, 1.0, g, x) <= 1e-11 * (size_of(&set, x) + 1.0));
  }
}

static void test_closed_forms(void **state) {
  (void)state;
  const double n[9] = {2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  const double q[3] = {-2.0, 3.0, -4.0};
  const scree_set set = scree_set_coulomb(3, 0.5);
  double g[3] = {0.0};
  /* Exact: u_n = 0, so n = 1 and the tangents oppose q_T. */
  assert_true(set_solve_block(&set, SCREE_MODEL_COULOMB, n, q, g));
  assert_true(fabs(g[0] - 1.0) < 1e-14 && fabs(g[1] + 0.3) < 1e-14 && fabs(g[2] - 0.4) < 1e-14);
  /* Relaxed: n = -D'q/D'ND with D = (1, 0.5 e): (2 + 2.5)/(2 + 0.25) = 2. */
  assert_true(set_solve_block(&set, SCREE_MODEL_RELAXED, n, q, g));
  assert_true(fabs(g[0] - 2.0) < 1e-14 && fabs(g[1] + 0.6) < 1e-14 && fabs(g[2] - 0.8) < 1e-14);
  /* A normal velocity of zero presses in the relaxed model only. */
  const double level[3] = {0.0, 3.0, -4.0};
  assert_true(set_solve_block(&set, SCREE_MODEL_RELAXED, n, level, g));
  assert_true(fabs(g[0] - 2.5 / 2.25) < 1e-14);
  assert_true(set_solve_block(&set, SCREE_MODEL_COULOMB, n, level, g));
  assert_true(g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0);
}

/* Rows that repeat each other: the velocity is met, the impulse is one of many. */
static void test_redundant(void **state) {
  (void)state;
  for (int round = 0; round < 5000; round++) {
    double v[3][2], n[9], q[3], g[3] = {0.0}, x[2] = {uniform(-1.0, 1.0), uniform(-1.0, 1.0)};
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 2; k++) v[i][k] = uniform(-1.0, 1.0);
    for (int i = 0; i < 3; i++) {
      q[i] = v[i][0] * x[0] + v[i][1] * x[1];
      for (int j = 0; j < 3; j++) n[3 * i + j] = v[i][0] * v[j][0] + v[i][1] * v[j][1];
    }
    const scree_set free = scree_set_free(3), cone = scree_set_coulomb(3, uniform(0.1, 1.0));
    assert_true(set_solve_block(&free, SCREE_MODEL_RELAXED, n, q, g));
    assert_true(natural_residual(&free, SCREE_MODEL_RELAXED, n, q, g) <= 1e-9);
    for (int m = 0; m < 2; m++) {
      g[0] = g[1] = g[2] = 0.0;
      if (set_solve_block(&cone, models[m], n, q, g))
        assert_true(natural_residual(&cone, models[m], n, q, g) <= 1e-9);
      else
        fail_msg("a redundant block was given up");
    }
  }
}

/* Repeated, the solve of a block that is not quite symmetric ends in a solution with that matrix.
 */
static void test_unsymmetric(void **state) {
  (void)state;
  for (int round = 0; round < 200 * FORM_COUNT; round++) {
    const scree_set set = fair_set(round % FORM_COUNT);
    const int d = set.dim;
    double n[36], q[6], g[6] = {0.0};
    random_block(d, 0.5, n);
    for (int i = 0; i < d; i++) {
      q[i] = uniform(-3.0, 3.0);
      for (int j = 0; j < i; j++) n[i * d + j] += uniform(-2e-3, 2e-3) * n[0];
    }
    for (int m = 0; m < 2; m++) {
      for (int sweep = 0; sweep < 12; sweep++)
        assert_true(set_solve_block(&set, models[m], n, q, g));
      assert_true(natural_residual(&set, models[m], n, q, g) <= 1e-11);
    }
  }
}

/* Numbers whose squares vanish, as bodies at rest leave them. */
static void test_vanishing(void **state) {
  (void)state;
  for (int round = 0; round < 2000 * FORM_COUNT; round++) {
    const scree_set set = fair_set(round % FORM_COUNT);
    const int slight = pick(3) ? 1 : set.dim;
    double n[36], q[6], g[6];
    random_block(set.dim, 1.0, n);
    for (int i = 0; i < set.dim; i++) {
      q[i] = uniform(-1.0, 1.0) * pow(10.0, i < slight ? uniform(-320.0, -120.0) : 0.0);
      g[i] = uniform(-1.0, 1.0) * pow(10.0, uniform(-320.0, -120.0));
    }
    scree_set_project(&set, 1.0, g);
    const scree_model model = models[pick(2)];
    set_solve_block(&set, model, n, q, g);
    for (int i = 0; i < set.dim; i++) assert_true(isfinite(g[i]));
    assert_true(natural_residual(&set, model, n, q, g) <= 1e-8);
  }
}

static void test_immovable(void **state) {
  (void)state;
  const double n[36] = {0.0};
  const double apart[6] = {1.0}, together[6] = {-1.0}, broken[6] = {NAN};
  for (int form = 1; form < FORM_COUNT; form++) {
    if (form == 2) continue;
    const scree_set set = random_set(form, 0);
    for (int m = 0; m < 2; m++) {
      double g[6] = {0.0};
      assert_true(set_solve_block(&set, models[m], n, apart, g));
      assert_true(g[0] == 0.0);
      assert_false(set_solve_block(&set, models[m], n, together, g));
      for (int i = 0; i < set.dim; i++) assert_true(isfinite(g[i]));
      assert_false(set_solve_block(&set, models[m], n, broken, g));
      assert_true(isnan(g[0]));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_well_conditioned),   cmocka_unit_test(test_ill_conditioned),
      cmocka_unit_test(test_projected_gradient), cmocka_unit_test(test_closed_forms),
      cmocka_unit_test(test_redundant),          cmocka_unit_test(test_unsymmetric),
      cmocka_unit_test(test_vanishing),          cmocka_unit_test(test_immovable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

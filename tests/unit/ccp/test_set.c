/* The sets: properties that together define a projection, on random sets and points. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "ccp/sets/coulomb.h"
#include "ccp/sets/set.h"
#include "test_set_common.h"

enum { ROUNDS = 40000, MEMBERS = 12 };

static double random_weight(void) {
  return pick(3) ? 1.0 : pow(10.0, uniform(-2.0, 4.0));
}

/* Largest entry of x in the metric: what rounding is measured by. */
static double metric_size(const scree_set *set, double weight, const double *x) {
  double size = size_of(set, x);
  for (int i = 0; i < set->dim; i++) size = fmax(size, sqrt(metric(set, i, weight)) * fabs(x[i]));
  return size;
}

static void test_projection_properties(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    const scree_set set = random_set(round % FORM_COUNT, pick(2));
    assert_null(scree_set_fault(&set));
    const double weight = random_weight();
    double x[6], y[6], px[6], py[6], ppx[6], z[6], dx[6], dz[6];
    for (int i = 0; i < set.dim; i++) {
      px[i] = x[i] = wild();
      py[i] = y[i] = pick(2) ? wild() : x[i] + 1e-3 * wild();
    }
    scree_set_project(&set, weight, px);
    scree_set_project(&set, weight, py);
    const double size = metric_size(&set, weight, x) + metric_size(&set, weight, y);
    /* With cohesion the normal itself is rounded by c eps, and the bounds by k times that. */
    const double coef = 1.0 + set.mu + set.mu2 + set.rolling + set.spinning;
    const double rounding = 4e-15 * (size + (set.cohesion > 0.0 ? coef * size_of(&set, px) : 0.0));
    assert_true(outside(&set, px) <= rounding);
    for (int i = 0; i < set.dim; i++) ppx[i] = px[i];
    scree_set_project(&set, weight, ppx);
    assert_true(distance(&set, weight, px, ppx) <= 4.0 * rounding * (1.0 + sqrt(weight)));
    assert_true(distance(&set, weight, px, py) <=
                distance(&set, weight, x, y) * (1.0 + 1e-12) + 1e-14 * size);
    for (int k = 0; k < MEMBERS; k++) {
      random_member(&set, pick(2) ? size : size_of(&set, px), z);
      for (int i = 0; i < set.dim; i++) {
        dx[i] = x[i] - px[i];
        dz[i] = z[i] - px[i];
      }
      const double scale = size * (size + metric_size(&set, weight, z));
      assert_true(inner(&set, weight, dx, dz) <= 1e-14 * scale);
    }
  }
}

/* Is x in the set, as its outline says? */
static bool outline_holds(const set_outline *o, double slack, const double *x) {
  bool in = x[0] >= o->lo - slack && x[0] <= o->hi + slack;
  for (int j = 0; j < o->disc_count; j++) {
    const set_disc *d = &o->disc[j];
    double sum = 0.0, least = INFINITY;
    for (int k = 0; k < d->count; k++) {
      if (d->size[k] > 0.0) {
        sum = hypot(sum, x[d->first + k] / d->size[k]);
        least = fmin(least, d->size[k]);
      } else
        in = in && fabs(x[d->first + k]) <= slack;
    }
    in = in && (isinf(least) || least * (sum - (x[0] - o->lo)) <= slack);
  }
  return in;
}

/* What a set says of itself is what it projects on, in its own units and in others. */
static void test_outlines(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    const scree_set set = random_set(round % FORM_COUNT, pick(2));
    const set_outline o = set_outline_of(&set);
    double x[6], p[6], z[6], root[6];
    int rows = o.role == SET_BILATERAL ? set.dim : 1;
    for (int k = 0; k < set.dim; k++) root[k] = pow(2.0, pick(5) - 2);
    for (int j = 0; j < o.disc_count; j++) {
      rows += o.disc[j].count;
      if (o.disc[j].round && o.disc[j].count == 2)
        root[o.disc[j].first + 1] = root[o.disc[j].first];
    }
    assert_int_equal(rows, set.dim);
    for (int k = 0; k < set.dim; k++) p[k] = x[k] = wild();
    const double coef = 1.0 + set.mu + set.mu2 + set.rolling + set.spinning;
    const double slack = 1e-13 * coef * (size_of(&set, x) + set.cohesion);
    assert_true(o.role == set_role_of(&set));
    if (outside(&set, x) == 0.0) assert_true(outline_holds(&o, slack, x));
    if (outline_holds(&o, 0.0, x)) assert_true(outside(&set, x) <= slack);
    scree_set_project(&set, 1.0, p);
    assert_true(outline_holds(&o, slack, p));
    const scree_set scaled = set_scaled(&set, root);
    for (int k = 0; k < set.dim; k++) z[k] = x[k] / root[k];
    scree_set_project(&scaled, 1.0, z);
    for (int k = 0; k < set.dim; k++) z[k] *= root[k];
    assert_true(outline_holds(&o, 64.0 * slack, z));
  }
}

/* x = P(x) - d, with d in the metric's dual cone, across P(x). */
static void test_moreau(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    const int forms[] = {0, 1, 3, 4, 5, 6, 7, 8};
    const scree_set set = random_set(forms[round % 8], 0);
    const double weight = random_weight();
    double x[6], px[6], d[6], u[6];
    for (int i = 0; i < set.dim; i++) px[i] = x[i] = wild();
    scree_set_project(&set, weight, px);
    for (int i = 0; i < set.dim; i++) {
      d[i] = px[i] - x[i];
      u[i] = metric(&set, i, weight) * d[i];
    }
    const double size = metric_size(&set, weight, x);
    assert_true(fabs(inner(&set, weight, px, d)) <= 1e-14 * size * size);
    /* The deficit is a sum of products with the coefficients: rounding grows with them. */
    const double k = 1.0 + set.mu + set.mu2 + (set.rolling + set.spinning) * (1.0 + sqrt(weight));
    assert_true(scree_set_dual_violation(&set, u) <= 2e-14 * k * k * size);
  }
}

/* Scaling by a power of two is exact, so it must commute with the projection almost to the bit. */
static void test_extreme_scales(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    const double scales[] = {0x1p-490, 0x1p-300, 0x1p300, 0x1p485};
    const double scale = scales[pick(4)];
    const scree_set set = random_set(round % FORM_COUNT, pick(2));
    scree_set scaled = set;
    scaled.lo *= scale;
    scaled.hi *= scale;
    scaled.cohesion *= scale;
    scaled.cap *= scale;
    double x[6], y[6];
    for (int i = 0; i < set.dim; i++) {
      x[i] = wild();
      y[i] = scale * x[i];
    }
    const double size = size_of(&set, x);
    const double shift = scree_set_shift(&set, x), far = scree_set_dual_violation(&set, x);
    assert_true(fabs(scree_set_shift(&scaled, y) / scale - shift) <= 1e-14 * shift);
    assert_true(fabs(scree_set_dual_violation(&scaled, y) / scale - far) <= 1e-14 * (shift + size));
    scree_set_project(&set, 1.0, x);
    scree_set_project(&scaled, 1.0, y);
    for (int i = 0; i < set.dim; i++) assert_true(fabs(y[i] / scale - x[i]) <= 4e-15 * size);
  }
}

/* One component far larger than the rest: nothing overflows, and the result stays inside. */
static void test_mixed_scales(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    const scree_set set = random_set(round % FORM_COUNT, 0);
    double x[6];
    for (int i = 0; i < set.dim; i++) x[i] = wild() * pow(10.0, uniform(-147.0, 146.0));
    const double size = size_of(&set, x);
    scree_set_project(&set, 1.0, x);
    for (int i = 0; i < set.dim; i++) assert_true(isfinite(x[i]));
    assert_true(outside(&set, x) <= 4e-15 * size);
  }
}

/* Distance to the nearest point by a search along the generators: another way to the same number.
 */
static double searched_distance(const scree_set *set, const double *x) {
  const double top = set->cap + set->cohesion, s0 = x[0] + set->cohesion;
  double lo = 0.0, hi = 6.283185307179586, best_angle = 0.0, best = INFINITY;
  for (int level = 0; level < 12; level++) {
    const int steps = level == 0 ? 20000 : 40;
    for (int k = 0; k <= steps; k++) {
      const double angle = lo + (hi - lo) * k / steps;
      const double a = set->mu * cos(angle), b = set->mu2 * sin(angle);
      double s = (s0 + a * x[1] + b * x[2]) / (1.0 + a * a + b * b);
      s = fmin(fmax(s, 0.0), top);
      const double d = hypot(s - s0, hypot(a * s - x[1], b * s - x[2]));
      if (d < best) {
        best = d;
        best_angle = angle;
      }
    }
    const double width = 2.0 * (hi - lo) / steps;
    lo = best_angle - width;
    hi = best_angle + width;
  }
  /* The generators make the boundary; inside, only the cap's face is nearer. */
  const double cap_s = fmin(s0, top);
  if (hypot(x[1] * set->mu2, x[2] * set->mu) <= set->mu * set->mu2 * cap_s)
    best = fmin(best, s0 - cap_s);
  return best;
}

static void test_brute_force(void **state) {
  (void)state;
  for (int round = 0; round < 300; round++) {
    scree_set set = scree_set_elliptic(uniform(0.1, 2.0), uniform(0.1, 2.0));
    if (round % 3 == 0) {
      set = scree_set_coulomb(3, uniform(0.1, 1.5));
      set.mu2 = set.mu;
    }
    if (pick(2)) set.cohesion = uniform(0.0, 2.0);
    if (pick(2)) set.cap = uniform(-set.cohesion, 2.0);
    double x[3], p[3];
    for (int i = 0; i < 3; i++) p[i] = x[i] = uniform(-3.0, 3.0);
    scree_set_project(&set, 1.0, p);
    const double nearest = searched_distance(&set, x);
    assert_true(fabs(distance(&set, 1.0, x, p) - nearest) <= 1e-9);
  }
}

/* Two tangents of very different friction: the optimality conditions, relative to each row. */
static void test_elliptic_ratio(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    const double mu = pow(10.0, uniform(-6.0, 1.0)), mu2 = mu * pow(10.0, uniform(-6.0, 6.0));
    const scree_set set = scree_set_elliptic(mu, mu2);
    double x[3], p[3];
    for (int i = 0; i < 3; i++) p[i] = x[i] = wild();
    scree_set_project(&set, 1.0, p);
    const double on = hypot(p[1] / mu, p[2] / mu2);
    assert_true(on <= p[0] * (1.0 + 4e-15));
    if (on < p[0] * (1.0 - 1e-14)) {
      for (int i = 0; i < 3; i++) assert_true(p[i] == x[i]);
    } else if (p[0] > 0.0 && on > 0.0) {
      /* x - p = -l (p0, -p1/mu^2, -p2/mu2^2), l >= 0 */
      const double l = (p[0] - x[0]) / p[0];
      assert_true(l >= -1e-15);
      const double e1 = x[1] - p[1] * (1.0 + l / (mu * mu));
      const double e2 = x[2] - p[2] * (1.0 + l / (mu2 * mu2));
      const double lost = 1e-14 * size_of(&set, x) / p[0];
      assert_true(fabs(e1) <= 1e-13 * fabs(x[1]) + lost * fabs(p[1]) / (mu * mu));
      assert_true(fabs(e2) <= 1e-13 * fabs(x[2]) + lost * fabs(p[2]) / (mu2 * mu2));
    }
  }
}

static void test_inline_coulomb(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    const scree_set set = scree_set_coulomb(3, coefficient());
    double x[3], y[3];
    for (int i = 0; i < 3; i++) y[i] = x[i] = wild();
    const double size = size_of(&set, x);
    scree_set_project(&set, 1.0, x);
    coulomb3_project(set.mu, y);
    for (int i = 0; i < 3; i++) assert_true(fabs(x[i] - y[i]) <= 1e-15 * size);
  }
  double apex[3] = {-1.0, 0.0, 0.0}, side[3] = {2.0, 3.0, -4.0}, still[3] = {0.0, 0.0, 0.0};
  coulomb3_project(0.0, apex);
  coulomb3_project(0.0, side);
  coulomb3_project(0.5, still);
  for (int i = 0; i < 3; i++) assert_true(apex[i] == 0.0 && still[i] == 0.0);
  assert_true(side[0] == 2.0 && side[1] == 0.0 && side[2] == 0.0);
}

static void test_nan_stays(void **state) {
  (void)state;
  for (int round = 0; round < 2000; round++) {
    const scree_set set = random_set(round % FORM_COUNT, pick(2));
    double x[6];
    for (int i = 0; i < set.dim; i++) x[i] = wild();
    x[pick(set.dim)] = NAN;
    double sum = 0.0;
    scree_set_project(&set, 1.0, x);
    for (int i = 0; i < set.dim; i++) sum += x[i];
    assert_true(isnan(sum));
  }
  for (int i = 0; i < 3; i++) {
    double x[3] = {-5.0, 0.0, 0.0};
    x[i] = NAN;
    coulomb3_project(0.0, x);
    assert_true(isnan(x[0]) && isnan(x[1]) && isnan(x[2]));
  }
}

static void test_closed_forms(void **state) {
  (void)state;
  scree_set set = scree_set_coulomb(3, 0.5);
  double x[6] = {0.0, 3.0, 4.0};
  scree_set_project(&set, 1.0, x);
  assert_true(fabs(x[0] - 2.0) < 1e-15 && fabs(x[1] - 0.6) < 1e-15 && fabs(x[2] - 0.8) < 1e-15);
  set.cohesion = 1.0;
  double apex[3] = {-5.0, 0.1, 0.0};
  scree_set_project(&set, 1.0, apex);
  assert_true(apex[0] == -1.0 && apex[1] == 0.0 && apex[2] == 0.0);
  set.cap = 1.0;
  double high[3] = {7.0, 0.0, 2.0};
  scree_set_project(&set, 1.0, high);
  assert_true(high[0] == 1.0 && high[1] == 0.0 && fabs(high[2] - 1.0) < 1e-15);
  const double u[6] = {1.0, 3.0, 4.0, 1.0, 0.0, -2.0};
  const scree_set rolling = scree_set_rolling(6, 0.5, 0.1, 0.01);
  assert_true(fabs(scree_set_shift(&rolling, u) - 2.62) < 1e-15);
  assert_true(fabs(scree_set_dual_violation(&rolling, u) - 1.62) < 1e-15);
  const scree_set elliptic = scree_set_elliptic(1.0, 0.5);
  assert_true(fabs(scree_set_shift(&elliptic, u) - sqrt(13.0)) < 1e-15);
  const scree_set motor = scree_set_interval(-1.0, 2.0), stop = scree_set_interval(0.0, INFINITY);
  const double minus = -3.0;
  assert_true(scree_set_dual_violation(&motor, &minus) == 0.0);
  assert_true(scree_set_dual_violation(&stop, &minus) == 3.0);
  assert_true(scree_set_dual_violation(&stop, u) == 0.0);
}

static void refused(scree_set set) {
  assert_non_null(scree_set_fault(&set));
}

static void test_faults(void **state) {
  (void)state;
  refused(scree_set_free(0));
  refused(scree_set_free(7));
  refused(scree_set_interval(1.0, 0.0));
  refused(scree_set_interval(NAN, 0.0));
  refused(scree_set_interval(INFINITY, INFINITY));
  refused(scree_set_coulomb(1, 0.5));
  refused(scree_set_coulomb(4, 0.5));
  refused(scree_set_coulomb(3, -0.5));
  refused(scree_set_coulomb(3, NAN));
  refused(scree_set_coulomb(3, INFINITY));
  refused(scree_set_elliptic(0.5, -1.0));
  refused(scree_set_rolling(3, 0.5, 0.1, 0.1));
  refused(scree_set_rolling(6, 0.5, -0.1, 0.1));
  refused(scree_set_rolling(6, 0.5, 0.1, NAN));
  scree_set set = scree_set_coulomb(3, 0.5);
  set.kind = SCREE_SET_KIND_COUNT;
  refused(set);
  set = scree_set_ray();
  set.cohesion = -1.0;
  refused(set);
  set.cohesion = 1.0;
  set.cap = -2.0;
  refused(set);
  set.cap = NAN;
  refused(set);
  set = scree_set_free(3);
  set.cap = 1.0;
  refused(set);
  assert_string_equal(scree_set_name(SCREE_SET_ROLLING), "rolling");
  assert_null(scree_set_name(SCREE_SET_KIND_COUNT));
}

/* Kernels of devices have a list of the kinds of their own, and pass sets on by kind. */
static void test_devices_have_all_sets(void **state) {
  (void)state;
  static char list[1 << 16];
  static const char *const files[] = {"prelude.cl", "dispatch.cl"};
  for (int f = 0; f < 2; f++) {
    char path[512];
    snprintf(path, sizeof path, "%s/src/ccp/device/%s", SCREE_SOURCE_DIR, files[f]);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    list[fread(list, 1, sizeof list - 1, file)] = '\0';
    fclose(file);
    /* The first list of each: the kinds, and the projections. */
    char *end = strchr(list, '}');
    assert_non_null(end);
    *end = '\0';
    const char *at = list;
    for (int k = 0; k < SCREE_SET_KIND_COUNT; k++) {
      /* What has no bounds needs no projection, what only a program knows has none there. */
      if (f == 1 && (k == SCREE_SET_FREE || k == SCREE_SET_USER)) continue;
      char word[64] = "SCREE_SET_";
      size_t length = strlen(word);
      for (const char *c = scree_set_name((scree_set_kind)k); *c; c++)
        word[length++] = (char)toupper((unsigned char)*c);
      word[length] = '\0';
      at = strstr(at, word);
      if (!at) fail_msg("%s is not in its place in src/ccp/device/%s", word, files[f]);
      at += length;
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_devices_have_all_sets),
      cmocka_unit_test(test_projection_properties),
      cmocka_unit_test(test_moreau),
      cmocka_unit_test(test_extreme_scales),
      cmocka_unit_test(test_mixed_scales),
      cmocka_unit_test(test_brute_force),
      cmocka_unit_test(test_elliptic_ratio),
      cmocka_unit_test(test_inline_coulomb),
      cmocka_unit_test(test_nan_stays),
      cmocka_unit_test(test_outlines),
      cmocka_unit_test(test_closed_forms),
      cmocka_unit_test(test_faults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

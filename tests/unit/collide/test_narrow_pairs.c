/* Every pair of convex solids, at random poses, apart and overlapping.
 *
 * Apart, a result proves itself: the plane across the normal parts the solids by the gap (a lower
 * bound from the support functions) and the two points are in the solids at that distance (an upper
 * bound). Overlapping, the gap is checked to be what its normal gives, and a slow search over all
 * normals must find none that parts the solids with less motion. */
#include "collide/narrow/narrow.h"
#include "tests/unit/shape/shape_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/one_context.h"

static double separation(const shape *a, pose pa, const shape *b, pose pb, v3 n) {
  const v3 xa = pose_apply(pa, shape_support(a, quat_rotate_inverse(pa.rotation, n))),
           xb = pose_apply(pb, shape_support(b, quat_rotate_inverse(pb.rotation, v3_neg(n))));
  return v3_dot(n, v3_sub(xb, xa));
}

/* Slow: many normals all over the sphere, then random steps that shrink, from the best few. */
static double search_separation(const shape *a, pose pa, const shape *b, pose pb, uint64_t *seed) {
  enum { DIRECTIONS = 1500, BEST = 4 };
  v3 top[BEST];
  double value[BEST];
  for (int k = 0; k < BEST; k++) value[k] = -INFINITY;
  for (int i = 0; i < DIRECTIONS; i++) {
    const double z = 1 - (2 * i + 1.0) / DIRECTIONS, r = sqrt(1 - z * z),
                 phi = 2.399963229728653 * i;
    v3 n = {r * cos(phi), r * sin(phi), z};
    double s = separation(a, pa, b, pb, n);
    for (int k = 0; k < BEST; k++)
      if (s > value[k]) {
        const double t = value[k];
        const v3 m = top[k];
        value[k] = s, top[k] = n;
        s = t, n = m;
      }
  }
  double best = -INFINITY;
  for (int k = 0; k < BEST; k++) {
    for (double step = 0.1; step > 1e-7; step *= 0.8)
      for (int i = 0; i < 8; i++) {
        const v3 n = v3_normalize(v3_add_scaled(top[k], step, random_unit(seed)));
        const double s = separation(a, pa, b, pb, n);
        if (s > value[k]) value[k] = s, top[k] = n;
      }
    best = fmax(best, value[k]);
  }
  return best;
}

static double outside(const shape *s, pose p, v3 x) {
  return narrow_near_point(s, pose_apply_inverse(p, x)).distance;
}

static contact_point deepest(const contact_point *c, int n) {
  int best = 0;
  for (int i = 1; i < n; i++)
    if (c[i].gap < c[best].gap) best = i;
  return c[best];
}

static void check_contacts(double size, double margin, const contact_point *c, int n) {
  for (int i = 0; i < n; i++) {
    assert_true(fabs(v3_norm(c[i].normal) - 1) < 1e-12);
    assert_true(c[i].gap <= margin && isfinite(c[i].gap));
    const v3 d = v3_sub(c[i].point_b, v3_add_scaled(c[i].point_a, c[i].gap, c[i].normal));
    assert_true(v3_norm(d) < 1e-12 * size);
    for (int k = 0; k < i; k++) assert_true(c[k].feature != c[i].feature);
  }
}

typedef struct tally {
  int apart, overlap, none;
  double worst_apart, worst_overlap, worst_flip;
} tally;

static void check_pair(const shape *a, pose pa, const shape *b, pose pb, uint64_t *seed, tally *t) {
  const double size = a->size + b->size, margin = 0.5 * size;
  contact_point c[CONTACT_POINT_MAX], f[CONTACT_POINT_MAX];
  const int n = narrow_collide(a, pa, b, pb, margin, c, CONTACT_POINT_MAX);
  const int m = narrow_collide(b, pb, a, pa, margin, f, CONTACT_POINT_MAX);
  if (n == 0) {
    t->none++;
    assert_true(search_separation(a, pa, b, pb, seed) > margin - 1e-6 * size);
    assert_int_equal(m, 0);
    return;
  }
  check_contacts(size, margin, c, n);
  const contact_point d = deepest(c, n), e = deepest(f, m);
  double error = fabs(separation(a, pa, b, pb, d.normal) - d.gap);
  if (d.gap > 0) {
    t->apart++;
    error = fmax(error, fmax(outside(a, pa, d.point_a), outside(b, pb, d.point_b)));
    t->worst_apart = fmax(t->worst_apart, error / size);
  } else {
    t->overlap++;
    error = fmax(error, search_separation(a, pa, b, pb, seed) - d.gap);
    t->worst_overlap = fmax(t->worst_overlap, error / size);
  }
  t->worst_flip = fmax(t->worst_flip, fabs(e.gap - d.gap) / size);
}

static void random_pairs_are_exact(void **state) {
  (void)state;
  /* SCREE_TRIALS asks for more. */
  const char *more = getenv("SCREE_TRIALS");
  const int trials = more ? atoi(more) : 120;
  uint64_t seed = 20;
  bool good = true;
  for (int i = 0; i <= SCREE_SHAPE_HULL; i++)
    for (int j = i; j <= SCREE_SHAPE_HULL; j++) {
      tally t = {0};
      for (int trial = 0; trial < trials; trial++) {
        shape *a = random_shape(context, &seed, (scree_shape_kind)i, 1.0),
              *b = random_shape(context, &seed, (scree_shape_kind)j, 1.0);
        const pose pa = random_pose(&seed, 0.8), pb = random_pose(&seed, 0.8);
        check_pair(a, pa, b, pb, &seed, &t);
        scree_shape_destroy(a);
        scree_shape_destroy(b);
      }
      const bool ok = t.worst_apart < 1e-9 && t.worst_overlap < 1e-9 && t.worst_flip < 1e-9;
      if (!ok)
        print_message("%s-%s: apart %d (%.1e) overlap %d (%.1e) none %d flipped %.1e\n",
                      scree_shape_kind_name((scree_shape_kind)i),
                      scree_shape_kind_name((scree_shape_kind)j), t.apart, t.worst_apart, t.overlap,
                      t.worst_overlap, t.none, t.worst_flip);
      good &= ok;
    }
  assert_true(good);
}

/* Moves b along a line until the solids just touch, then a little on or back: where simulations
 * live. */
static void touching_pairs_are_exact(void **state) {
  (void)state;
  const char *more = getenv("SCREE_TRIALS");
  const int trials = more ? atoi(more) : 50;
  uint64_t seed = 21;
  bool good = true;
  for (int i = 0; i <= SCREE_SHAPE_HULL; i++)
    for (int j = i; j <= SCREE_SHAPE_HULL; j++) {
      tally t = {0};
      for (int trial = 0; trial < trials; trial++) {
        shape *a = random_shape(context, &seed, (scree_shape_kind)i, 1.0),
              *b = random_shape(context, &seed, (scree_shape_kind)j, 1.0);
        const pose pa = random_pose(&seed, 1);
        pose pb = random_pose(&seed, 1);
        if (trial % 4 == 0) pb.rotation = pa.rotation;
        const v3 d = trial % 8 ? random_unit(&seed) : quat_rotate(pa.rotation, (v3){0, 0, 1});
        double lo = 0, hi = a->size + b->size;
        contact_point c[CONTACT_POINT_MAX];
        for (int k = 0; k < 50; k++) {
          const double middle = 0.5 * (lo + hi);
          pb.position = v3_add_scaled(pa.position, middle, d);
          if (narrow_collide(a, pa, b, pb, 0, c, CONTACT_POINT_MAX))
            lo = middle;
          else
            hi = middle;
        }
        const double off = pow(10, -random_real(&seed, 3, 13)) * (trial % 2 ? 1 : -1);
        pb.position = v3_add_scaled(pa.position, lo + off, d);
        check_pair(a, pa, b, pb, &seed, &t);
        scree_shape_destroy(a);
        scree_shape_destroy(b);
      }
      const bool ok = t.worst_apart < 1e-9 && t.worst_overlap < 1e-9 && t.worst_flip < 1e-9;
      if (!ok)
        print_message("%s-%s: apart %d (%.1e) overlap %d (%.1e) none %d flipped %.1e\n",
                      scree_shape_kind_name((scree_shape_kind)i),
                      scree_shape_kind_name((scree_shape_kind)j), t.apart, t.worst_apart, t.overlap,
                      t.worst_overlap, t.none, t.worst_flip);
      good &= ok;
    }
  assert_true(good);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_pairs_are_exact),
      cmocka_unit_test(touching_pairs_are_exact),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

/* Signed distances of all pairs of convex solids, each proven: near touch, apart, overlapping and
 * deep; thin and small solids; poses that are aligned, nearly so, or at random. Apart, the normal
 * gives a lower bound and the points an upper one. Overlapping, see narrow_reference.h. Then the
 * families that are known to be hard, see `family`.
 *
 * SCREE_TRIALS asks for more cases of each pair, SCREE_SEED for others, SCREE_VERBOSE=1 for counts,
 * SCREE_PAIR=i,j for one pair of kinds, SCREE_CASE=k for those from case k on, SCREE_FAMILY=f for
 * one family. */
#include "collide/narrow/narrow.h"
#include "tests/unit/collide/narrow_reference.h"
#include "tests/unit/shape/shape_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/one_context.h"

static const double HALF_TURN = 3.14159265358979323846;

static int below(uint64_t *seed, int n) {
  return (int)random_real(seed, 0, n);
}

/* A length of about `size`; thin ones down to 1:100. */
static double length(uint64_t *seed, double size, int style) {
  if (style == 2) return size * (below(seed, 2) ? 1 : 0.01);
  return size * (style == 0 ? random_real(seed, 0.3, 1) : pow(10, -random_real(seed, 0, 2)));
}

static shape *make(uint64_t *seed, scree_shape_kind kind, double size, int style) {
  const double l[3] = {length(seed, size, style), length(seed, size, style),
                       length(seed, size, style)};
  shape *s = NULL;
  double p[3 * 24];
  int n = 0;
  switch (kind) {
  case SCREE_SHAPE_SPHERE:
    scree_shape_create_sphere(context, l[0], &s);
    break;
  case SCREE_SHAPE_ELLIPSOID:
    scree_shape_create_ellipsoid(context, l, &s);
    break;
  case SCREE_SHAPE_BOX:
    scree_shape_create_box(context, l, &s);
    break;
  case SCREE_SHAPE_CAPSULE:
    scree_shape_create_capsule(context, l[0], l[1], &s);
    break;
  case SCREE_SHAPE_CYLINDER:
    scree_shape_create_cylinder(context, l[0], l[1], &s);
    break;
  case SCREE_SHAPE_CONE:
    scree_shape_create_cone(context, l[0], 2 * l[1], &s);
    break;
  default:
    switch (below(seed, 4)) {
    case 0: /* a stone */
      for (n = 0; n < 24; n++) {
        const v3 u = random_unit(seed);
        v3_store(p + 3 * n, (v3){l[0] * u.x, l[1] * u.y, l[2] * u.z});
      }
      break;
    case 1: /* a brick */
      for (n = 0; n < 8; n++)
        v3_store(p + 3 * n, (v3){n & 1 ? l[0] : -l[0], n & 2 ? l[1] : -l[1], n & 4 ? l[2] : -l[2]});
      break;
    case 2: /* a prism with seven sides */
      for (n = 0; n < 14; n++)
        v3_store(p + 3 * n, (v3){l[0] * cos(HALF_TURN / 7 * (n / 2) * 2),
                                 l[0] * sin(HALF_TURN / 7 * (n / 2) * 2), n & 1 ? l[1] : -l[1]});
      break;
    default: /* a tetrahedron, its origin outside as may be */
      for (n = 0; n < 4; n++) {
        const v3 u = random_unit(seed);
        v3_store(p + 3 * n, (v3){l[0] * u.x, l[1] * u.y, l[2] * (u.z + 1)});
      }
    }
    scree_shape_create_hull(context, (size_t)n, p, &s);
  }
  return s;
}

typedef struct trial {
  shape *a, *b;
  pose pa, pb;
  double size; /* of the smaller one, but no less than 1% of the other */
} trial;

static quat quarter_turns(uint64_t *seed) {
  quat q = quat_identity();
  for (int i = 0; i < 3; i++) {
    v3 axis = {0, 0, 0};
    (&axis.x)[i] = 0.5 * HALF_TURN * below(seed, 4);
    q = quat_mul(quat_exp(axis), q);
  }
  return q;
}

static void turn(uint64_t *seed, trial *t) {
  t->pa = random_pose(seed, 0);
  t->pb = random_pose(seed, 0);
  const int style = below(seed, 8);
  if (style == 1) t->pa.rotation = t->pb.rotation = quat_identity();
  if (style == 2) t->pb.rotation = t->pa.rotation;
  if (style == 3) t->pb.rotation = quat_mul(t->pa.rotation, quarter_turns(seed));
  if (style == 4) /* nearly aligned */
    t->pb.rotation =
        quat_mul(quat_mul(t->pa.rotation, quarter_turns(seed)),
                 quat_exp(v3_scale(pow(10, -random_real(seed, 1, 16)), random_unit(seed))));
  if (style == 5) /* edges on edges */
    t->pb.rotation = quat_mul(quat_mul(t->pa.rotation, quarter_turns(seed)),
                              quat_exp((v3){0.25 * HALF_TURN, 0, 0}));
}

/* Puts b at the place along d where it begins to touch a. */
static double touch_at(trial *t, v3 d) {
  contact_point c[CONTACT_POINT_MAX];
  double lo = 0, hi = t->a->size + t->b->size;
  for (int k = 0; k < 60; k++) {
    const double middle = 0.5 * (lo + hi);
    t->pb.position = v3_add_scaled(t->pa.position, middle, d);
    if (narrow_collide(t->a, t->pa, t->b, t->pb, 0, c, CONTACT_POINT_MAX))
      lo = middle;
    else
      hi = middle;
  }
  return lo;
}

static void place(uint64_t *seed, trial *t) {
  const double all = t->a->size + t->b->size;
  v3 d = random_unit(seed);
  if (below(seed, 3) == 0) { /* along an axis of a */
    d = (v3){0, 0, 0};
    (&d.x)[below(seed, 3)] = below(seed, 2) ? 1 : -1;
    d = quat_rotate(t->pa.rotation, d);
  }
  if (below(seed, 4) == 0) t->pa.position = v3_scale(100 * all, random_unit(seed));
  const double sign = below(seed, 2) ? 1 : -1;
  double way = 0;
  switch (below(seed, 8)) {
  case 0:
    way = random_real(seed, 0, 1) * all;
    break;
  case 1: /* one in the other, or concentric */
    way = below(seed, 3) ? random_real(seed, 0, 0.2) * all : 0;
    break;
  case 2: /* about a size apart or in */
    way = touch_at(t, d) + sign * random_real(seed, 0, 1) * t->size;
    break;
  default: /* near touch */
    way = touch_at(t, d) + sign * pow(10, -random_real(seed, 3, 14)) * t->size;
  }
  t->pb.position = v3_add_scaled(t->pa.position, way, d);
  if (below(seed, 3) == 0) { /* aside: faces overlap in part, edges cross off the middle */
    const v3 aside = quat_rotate(
        t->pa.rotation, (v3){random_real(seed, -0.3, 0.3), random_real(seed, -0.3, 0.3), 0});
    t->pb.position = v3_add_scaled(t->pb.position, t->size, aside);
  }
}

static trial draw(uint64_t *seed, int i, int j) {
  static const double scale[4] = {1, 1, 1e-4, 1e3};
  trial t;
  const double size = scale[below(seed, 4)];
  double ra = size, rb = size;
  const int ratio = below(seed, 6);
  if (ratio == 0) ra *= 0.01;
  if (ratio == 1) rb *= 0.01;
  const int style = below(seed, 2);
  t.a = make(seed, (scree_shape_kind)i, ra, style);
  t.b = make(seed, (scree_shape_kind)j, rb, style);
  if (i == j && below(seed, 8) == 0) {
    scree_shape_destroy(t.b);
    t.b = scree_shape_retain(t.a);
  }
  if (!t.a || !t.b) return t;
  t.size = fmax(fmin(t.a->size, t.b->size), 0.01 * fmax(t.a->size, t.b->size));
  turn(seed, &t);
  place(seed, &t);
  return t;
}

/* What is hard: axes that (nearly) coincide, with the solids deep in each other; edges and faces
 * along each other; centres (nearly) in one place; needles and plates of 1:100; very small and
 * very large solids; a touch to 1e-12. */
typedef enum family {
  ANY,
  COAXIAL,
  PARALLEL,
  CONCENTRIC,
  THIN,
  SCALED,
  TOUCHING,
  FAMILY_COUNT
} family;
static const char *const family_name[FAMILY_COUNT] = {"any",  "coaxial", "parallel", "concentric",
                                                      "thin", "scaled",  "touching"};

static double tiny(uint64_t *seed) {
  return below(seed, 4) ? pow(10, -random_real(seed, 1, 16)) : 0;
}

static quat nearly(uint64_t *seed, quat q) {
  return quat_mul(q, quat_exp(v3_scale(tiny(seed), random_unit(seed))));
}

static void place_hard(uint64_t *seed, trial *t, family f) {
  const double all = t->a->size + t->b->size;
  v3 way = random_unit(seed);
  t->pa = random_pose(seed, 0);
  t->pb = random_pose(seed, 0);
  if (f == COAXIAL) {
    if (below(seed, 2)) t->pa.rotation = quat_identity();
    t->pb.rotation = nearly(seed, t->pa.rotation);
    if (below(seed, 2))
      t->pb.rotation = quat_mul(
          t->pb.rotation, quat_exp((v3){HALF_TURN * below(seed, 2), 0, random_real(seed, 0, 6)}));
    way = v3_scale(all * random_real(seed, -1, 1), quat_rotate(t->pa.rotation, (v3){0, 0, 1}));
    way = v3_add_scaled(way, t->size * tiny(seed), random_unit(seed));
  } else if (f == PARALLEL) {
    v3 turn = {0, 0, 0};
    (&turn.x)[below(seed, 3)] = random_real(seed, 0, 6);
    t->pb.rotation =
        nearly(seed, quat_mul(quat_mul(t->pa.rotation, quarter_turns(seed)), quat_exp(turn)));
    way = v3_scale(touch_at(t, way) + (below(seed, 2) ? -1 : 1) * t->size * tiny(seed), way);
  } else if (f == CONCENTRIC) {
    if (below(seed, 2)) t->pb.rotation = nearly(seed, t->pa.rotation);
    way = v3_scale(t->size * tiny(seed), way);
  } else if (f == TOUCHING) {
    way = v3_scale(touch_at(t, way) + 1e-12 * t->size * random_real(seed, -1, 1), way);
  } else {
    turn(seed, t);
    place(seed, t);
    return;
  }
  t->pb.position = v3_add(t->pa.position, way);
}

static trial draw_hard(uint64_t *seed, int i, int j, family f) {
  if (f == ANY) return draw(seed, i, j);
  trial t;
  const double size = f == SCALED ? (below(seed, 2) ? 1e-4 : 1e4) : 1;
  const double ratio = f == THIN || below(seed, 3) ? 1 : pow(10, -random_real(seed, 0, 2));
  const int style = f == THIN ? 2 : below(seed, 3);
  t.a = make(seed, (scree_shape_kind)i, size, style);
  t.b = make(seed, (scree_shape_kind)j, size * ratio, style);
  if (!t.a || !t.b) return t;
  t.size = fmax(fmin(t.a->size, t.b->size), 0.01 * fmax(t.a->size, t.b->size));
  place_hard(seed, &t, f);
  return t;
}

typedef struct tally {
  long tried, apart, overlap, open, far, refuted, faults;
  double apart_error, overlap_error, flip_error, points_error;
} tally;

static void report(const trial *t, const char *what, double value) {
  if (!getenv("SCREE_VERBOSE")) return;
  print_message("  %s-%s: %s %.2e\n", scree_shape_kind_name(t->a->kind),
                scree_shape_kind_name(t->b->kind), what, value);
}

/* Gap, normal and points agree up to this: the normal parts the solids by the gap, and apart the
 * points are in the solids. */
static double doubt(const contact_point *c, const ref_solid *a, const ref_solid *b) {
  const double off = fabs((double)(ref_separation(a, b, c->normal) - c->gap));
  /* The world's coordinates themselves are rounded. */
  const double far = 1e-15 * v3_norm(rv_round(a->at));
  const double out = (double)(ref_outside(a, c->point_a) + ref_outside(b, c->point_b));
  return c->gap > 0 ? fmax(off, fmax(0, out - far)) : off;
}

/* The deepest contact; of those that are as deep as it the one that shows that best: the others
 * are there to hold a face. */
static contact_point deepest(const contact_point *c, int n, const ref_solid *a,
                             const ref_solid *b) {
  double least = INFINITY, best = INFINITY;
  int at = 0;
  for (int i = 0; i < n; i++) least = fmin(least, c[i].gap);
  for (int i = 0; i < n; i++)
    if (c[i].gap <= least + 1e-11 * (a->shape->size + b->shape->size)) {
      const double d = doubt(c + i, a, b);
      if (d < best) best = d, at = i;
    }
  return c[at];
}

static void fault(const trial *t, tally *y, const char *what, double value) {
  y->faults++;
  report(t, what, value);
}

static void check_points(const trial *t, const contact_point *c, int n, double margin, tally *y) {
  const double all = t->a->size + t->b->size + v3_norm(t->pa.position);
  for (int i = 0; i < n; i++) {
    const v3 off = v3_sub(c[i].point_b, v3_add_scaled(c[i].point_a, c[i].gap, c[i].normal));
    if (!(fabs(v3_norm(c[i].normal) - 1) < 1e-14)) fault(t, y, "normal not unit", c[i].normal.x);
    if (!(c[i].gap <= margin)) fault(t, y, "gap over the margin", c[i].gap);
    if (!(v3_norm(off) < 1e-14 * all)) fault(t, y, "points not apart by the gap", v3_norm(off));
    for (int k = 0; k < i; k++)
      if (c[k].feature == c[i].feature) fault(t, y, "feature named twice", i);
  }
}

static void check(const trial *t, tally *y) {
  const double all = t->a->size + t->b->size, margin = all;
  contact_point c[CONTACT_POINT_MAX], f[CONTACT_POINT_MAX];
  const ref_solid ra = ref_shape(t->a, t->pa), rb = ref_shape(t->b, t->pb);
  int n = narrow_collide(t->a, t->pa, t->b, t->pb, margin, c, CONTACT_POINT_MAX);
  const int m = narrow_collide(t->b, t->pb, t->a, t->pa, margin, f, CONTACT_POINT_MAX);
  v3 better = {0, 0, 0};
  real by = 0;
  y->tried++;
  if (n == 0 || m == 0) {
    y->far++;
    if (n != m || ref_prove(&ra, &rb, margin, -1e-9 * all, 100000, &better, &by) == REF_PROVEN)
      fault(t, y, "contact missed", n);
    return;
  }
  check_points(t, c, n, margin, y);
  check_points(t, f, m, margin, y);
  const contact_point d = deepest(c, n, &ra, &rb), e = deepest(f, m, &rb, &ra);
  const double flip = fabs(e.gap - d.gap) / t->size;
  y->flip_error = fmax(y->flip_error, flip);
  if (flip > 1e-9) report(t, "flipped differs by", flip);
  double error = doubt(&d, &ra, &rb) / t->size;
  if (d.gap > 0) {
    y->apart++;
    y->points_error = fmax(y->points_error, error);
    if (error > 1e-9) { /* points a little off; is the gap right? */
      const ref_verdict v = ref_prove(&ra, &rb, d.gap, 2e-10 * t->size, 100000, &better, &by);
      report(t, "apart, points off by", error);
      error = v == REF_PROVEN ? 2e-10 : fmax(error, (double)by / t->size);
      error = fmax(error, fabs((double)ref_separation(&ra, &rb, d.normal) - d.gap) / t->size);
    }
    y->apart_error = fmax(y->apart_error, error);
    if (error > 1e-9) report(t, "apart, off by", error);
  } else {
    y->overlap++;
    const ref_verdict v = ref_prove(&ra, &rb, d.gap, 2e-10 * t->size, 30000, &better, &by);
    y->open += v == REF_OPEN;
    y->refuted += v == REF_REFUTED && by > 1e-9 * t->size;
    error = fmax(error, v == REF_REFUTED ? (double)by / t->size : 0);
    y->overlap_error = fmax(y->overlap_error, error);
    if (error > 1e-9) report(t, "overlap, off by", error);
  }
  /* A margin that just reaches finds it as well. */
  const double tight = fmax(0, d.gap) + 1e-9 * t->size;
  n = narrow_collide(t->a, t->pa, t->b, t->pb, tight, c, CONTACT_POINT_MAX);
  if (n == 0)
    fault(t, y, "missed with a tight margin, gap", d.gap / t->size);
  else if (fabs(deepest(c, n, &ra, &rb).gap - d.gap) > 1e-9 * t->size)
    fault(t, y, "margin changes the gap by", (deepest(c, n, &ra, &rb).gap - d.gap) / t->size);
}

static void check_pair(int i, int j, family f, int first, int count, uint64_t start, tally *y) {
  for (int k = first; k < count; k++) {
    uint64_t seed =
        start * 1000003u + (uint64_t)k * 64 + (uint64_t)(8 * i + j) * 7919u + (uint64_t)f * 104729u;
    const trial t = draw_hard(&seed, i, j, f);
    const long bad = y->faults + y->refuted;
    const double before = fmax(y->apart_error, fmax(y->overlap_error, y->flip_error));
    if (t.a && t.b) check(&t, y);
    if (getenv("SCREE_VERBOSE") &&
        (y->faults + y->refuted > bad ||
         fmax(y->apart_error, fmax(y->overlap_error, y->flip_error)) > fmax(1e-9, before)))
      print_message("    %s case %d\n", family_name[f], k);
    scree_shape_destroy(t.a);
    scree_shape_destroy(t.b);
  }
}

static bool prove_family(family f, int some) {
  const char *trials = getenv("SCREE_TRIALS"), *start = getenv("SCREE_SEED"),
             *only = getenv("SCREE_PAIR"), *from = getenv("SCREE_CASE");
  const int count = trials ? atoi(trials) : some, first = from ? atoi(from) : 0;
  int oi = -1, oj = -1;
  if (only) sscanf(only, "%d,%d", &oi, &oj);
  bool good = true;
  for (int i = 0; i <= SCREE_SHAPE_HULL; i++)
    for (int j = i; j <= SCREE_SHAPE_HULL; j++) {
      if (only && (i != oi || j != oj)) continue;
      tally y = {0};
      check_pair(i, j, f, first, count, start ? strtoull(start, NULL, 10) : 1, &y);
      const bool ok = !y.faults && !y.refuted &&
                      fmax(y.apart_error, fmax(y.overlap_error, y.flip_error)) < 1e-9;
      if (!ok || getenv("SCREE_VERBOSE"))
        print_message(
            "%-10s %-9s %-9s tried %ld apart %ld (%.1e, points %.1e) overlap %ld (%.1e, %ld "
            "refuted, %ld open) far %ld flipped %.1e faults %ld\n",
            family_name[f], scree_shape_kind_name((scree_shape_kind)i),
            scree_shape_kind_name((scree_shape_kind)j), y.tried, y.apart, y.apart_error,
            y.points_error, y.overlap, y.overlap_error, y.refuted, y.open, y.far, y.flip_error,
            y.faults);
      good &= ok;
    }
  return good;
}

static bool is_asked_for(family f) {
  const char *only = getenv("SCREE_FAMILY");
  return !only || atoi(only) == (int)f;
}

static void gaps_are_proven(void **state) {
  (void)state;
  if (is_asked_for(ANY)) assert_true(prove_family(ANY, 60));
}

static void hard_gaps_are_proven(void **state) {
  (void)state;
  bool good = true;
  for (int f = ANY + 1; f < FAMILY_COUNT; f++)
    if (is_asked_for((family)f)) good &= prove_family((family)f, 4);
  assert_true(good);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaps_are_proven),
      cmocka_unit_test(hard_gaps_are_proven),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

/* Two ellipsoids. With A = R diag(radii^2) R' and B likewise in one frame, d from a's centre to
 * b's,
 *
 *     h_a(n) = sqrt(n'An),   point of a along n: An/h_a,   Hessian (A - An n'A/h_a^2)/h_a
 *     s(n)   = n.d - h_a(n) - h_b(n),     signed distance = max over unit n of s(n)
 *
 * and Newton's method on the sphere finds a place where x(n) = d - An/h_a - Bn/h_b, whose part
 * along n is s, lies along n:
 *
 *     (P H P + s P) step = x - s n,   n <- (n + step)/|n + step|,   P = 1 - n n',  H of both
 *
 * Such a place is the answer, and shown to be, in two cases:
 *   s > 0: the points lie in the solids and the plane across n is between them; there is one.
 *   -s <= rho, the sum of the least radii of curvature, min^2/max of each: a ball of radius rho
 * rolls inside of the sum of both solids (Blaschke); the one that touches the place has its nearest
 *   surface there and hides all others.
 * Everything else, deep overlaps or needles, is left to the way of all convex solids, which is some
 * ten times slower. s(n) above the margin at any n proves that nothing touches. */
#include "collide/narrow/convex.h"

typedef struct quadric {
  double q[6]; /* R diag(radii^2) R': xx xy xz yy yz zz */
} quadric;

enum { MOST_STEPS = 16 };
static const double longest = 0.5; /* rad, of a step */
static const double exact =
    1e-13; /* part of the sizes: error of the point with normal n that counts as none */
static const double settled = 1e-8; /* rad: the step after this one is below rounding */

static quadric quadric_of(const shape *s, quat rotation) {
  const m33 r = quat_to_m33(rotation);
  const v3 e = s->ellipsoid.radii;
  quadric a;
  m33_rotate_diagonal(&r, (v3){e.x * e.x, e.y * e.y, e.z * e.z}, a.q);
  return a;
}

/* The normal to begin with: that of the ellipsoid with A + B where the line of centres leaves it.
 */
static v3 start_of(const quadric *a, const quadric *b, v3 d) {
  double s[6];
  for (int k = 0; k < 6; k++) s[k] = a->q[k] + b->q[k];
  const double cofactor[6] = {s[3] * s[5] - s[4] * s[4], s[2] * s[4] - s[1] * s[5],
                              s[1] * s[4] - s[2] * s[3], s[0] * s[5] - s[2] * s[2],
                              s[1] * s[2] - s[0] * s[4], s[0] * s[3] - s[1] * s[1]};
  return sym3_mul_v3(cofactor, d);
}

/* A solid seen along n: its support, and the Hessian of that on the tangents t1, t2. */
typedef struct along {
  v3 point;
  double h, k11, k12, k22;
} along;

static along look_along(const quadric *q, v3 n, v3 t1, v3 t2) {
  const v3 m = sym3_mul_v3(q->q, n), m1 = sym3_mul_v3(q->q, t1), m2 = sym3_mul_v3(q->q, t2);
  const double h = sqrt(v3_dot(m, n)), p = v3_dot(m, t1) / h, r = v3_dot(m, t2) / h;
  return (along){.point = v3_scale(1 / h, m),
                 .h = h,
                 .k11 = (v3_dot(m1, t1) - p * p) / h,
                 .k12 = (v3_dot(m1, t2) - p * r) / h,
                 .k22 = (v3_dot(m2, t2) - r * r) / h};
}

static double least_curvature_radius(const shape *s) {
  const v3 e = s->ellipsoid.radii;
  const double low = fmin(e.x, fmin(e.y, e.z)), high = fmax(e.x, fmax(e.y, e.z));
  return low * low / high;
}

typedef enum verdict { UNKNOWN, FAR, FOUND } verdict;

/* Newton's method; where h bends the wrong way it is given up. `on_a` is relative to a's centre. */
static verdict meet(const shape *a, const quadric *qa, const shape *b, const quadric *qb, v3 d,
                    double margin, v3 *normal, double *gap, v3 *on_a) {
  const double size = a->size + b->size;
  v3 n = start_of(qa, qb, d);
  const double norm = v3_norm(n);
  if (!(norm > 0)) return UNKNOWN;
  n = v3_scale(1 / norm, n);
  double step = 1;
  for (int k = 0; k < MOST_STEPS; k++) {
    const v3 t1 = v3_across(n), t2 = v3_cross(n, t1);
    const along la = look_along(qa, n, t1, t2), lb = look_along(qb, n, t1, t2);
    const v3 x = v3_sub(d, v3_add(la.point, lb.point));
    const double s = v3_dot(n, d) - la.h - lb.h;
    if (s > margin) return FAR;
    const double r1 = v3_dot(x, t1), r2 = v3_dot(x, t2);
    if (step <= settled && r1 * r1 + r2 * r2 <= exact * exact * size * size) {
      if (s < 0 && -s > least_curvature_radius(a) + least_curvature_radius(b)) return UNKNOWN;
      *normal = n;
      *gap = s;
      *on_a = la.point;
      return FOUND;
    }
    const double k11 = la.k11 + lb.k11 + s, k12 = la.k12 + lb.k12, k22 = la.k22 + lb.k22 + s;
    const double det = k11 * k22 - k12 * k12;
    if (!(det > 0 && k11 > 0)) return UNKNOWN;
    double d1 = (k22 * r1 - k12 * r2) / det, d2 = (k11 * r2 - k12 * r1) / det;
    step = sqrt(d1 * d1 + d2 * d2);
    const double less = step > longest ? longest / step : 1;
    n = v3_normalize(v3_add_scaled(v3_add_scaled(n, less * d1, t1), less * d2, t2));
  }
  return UNKNOWN;
}

void narrow_ellipsoid_ellipsoid(const shape *a, const pose *pa, const shape *b, const pose *pb,
                                narrow_sink *sink) {
  const v3 d = v3_sub(pb->position, pa->position);
  const double reach = a->size + b->size + sink->margin;
  if (v3_norm2(d) > reach * reach) return;
  const quadric qa = quadric_of(a, pa->rotation), qb = quadric_of(b, pb->rotation);
  v3 n, on_a;
  double gap;
  const verdict v = meet(a, &qa, b, &qb, d, sink->margin, &n, &gap, &on_a);
  if (v == FOUND) narrow_add(sink, v3_add(on_a, pa->position), n, gap, 0);
  if (v == UNKNOWN) narrow_convex_convex(a, pa, b, pb, sink);
}

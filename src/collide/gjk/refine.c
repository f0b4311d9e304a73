/* Sharpens the normal. h(n) = h_a(n) + h_b(-n) = -s(n) is to be least over unit n. Where both
 * supports are vertices or smooth patches Newton's method on the sphere does it: with x = b - a the
 * difference of the support points and H the sum of the Hessians of h_a and h_b,
 *
 *     (P H P + s P) d = x - s n,   n <- (n + d)/|n + d|,   P = 1 - n n'
 *
 * Edges, flat faces, and the straight lines of cylinders and cones are kinks of h: the minimum
 * likes to sit on them. A kink is a circle n.d = c of normals (an edge along d: c = 0); on it
 * Newton has one dimension, at the crossing of two circles or at a face's normal none is left. All
 * candidates near the start are tried and the largest s wins, so a candidate can never do harm. */
#include "collide/gjk/gjk.h"

typedef struct kink {
  v3 d;
  double c;
} kink;

enum { KINKS = 12 };

typedef struct kinks {
  kink circle[KINKS];
  int count;
  v3 face; /* the nearest face normal, when `flat` */
  bool flat;
} kinks;

static void kink_add(kinks *k, v3 d, double c, v3 n, double tolerance) {
  if (k->count < KINKS && fabs(v3_dot(n, d) - c) <= tolerance) k->circle[k->count++] = (kink){d, c};
}

/* An edge or a face is near when all its corners are about as far along n as the farthest. */
static void kinks_polyhedron(const polyhedron *h, v3 n, double size, double tolerance, kinks *k) {
  double top = -INFINITY;
  for (uint32_t i = 0; i < h->vertex_count; i++) top = fmax(top, v3_dot(n, h->vertex[i]));
  const double low = top - tolerance * size;
  uint32_t high = 0;
  for (uint32_t i = 0; i < h->vertex_count; i++) high += v3_dot(n, h->vertex[i]) >= low;
  if (high < 2) return;
  for (uint32_t e = 0; e < h->edge_count; e++) {
    const v3 p = h->vertex[h->edge[2 * e]], q = h->vertex[h->edge[2 * e + 1]];
    if (v3_dot(n, p) >= low && v3_dot(n, q) >= low)
      kink_add(k, v3_normalize(v3_sub(q, p)), 0, n, INFINITY);
  }
  if (high < 3) return;
  double most = -2;
  for (uint32_t f = 0; f < h->face_count; f++) {
    const double cosine = v3_dot(n, h->face_normal[f]);
    if (cosine > most) most = cosine, k->face = h->face_normal[f];
  }
  k->flat = true;
}

static void kinks_points(const gjk_solid *s, v3 n, double tolerance, kinks *k) {
  for (uint32_t i = 0; i < s->point_count; i++)
    for (uint32_t j = i + 1; j < s->point_count; j++)
      kink_add(k, v3_normalize(v3_sub(s->point[j], s->point[i])), 0, n, tolerance);
  if (s->point_count == 3) {
    const v3 f =
        v3_normalize(v3_cross(v3_sub(s->point[1], s->point[0]), v3_sub(s->point[2], s->point[0])));
    k->face = v3_dot(f, n) > 0 ? f : v3_neg(f);
    k->flat = true;
  }
}

/* Kinks near n, a direction in the solid's own frame. */
static void kinks_local(const gjk_solid *s, v3 n, double tolerance, kinks *k) {
  static const v3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (!s->shape) {
    kinks_points(s, n, tolerance, k);
    return;
  }
  const v3 m = v3_abs(n);
  switch (s->shape->kind) {
  case SCREE_SHAPE_BOX:
    for (int i = 0; i < 3; i++) kink_add(k, axis[i], 0, n, tolerance);
    k->flat = true;
    k->face = m.x >= m.y && m.x >= m.z ? (v3){copysign(1, n.x), 0, 0}
              : m.y >= m.z             ? (v3){0, copysign(1, n.y), 0}
                                       : (v3){0, 0, copysign(1, n.z)};
    break;
  case SCREE_SHAPE_CAPSULE:
    kink_add(k, axis[2], 0, n, tolerance);
    break;
  case SCREE_SHAPE_CYLINDER:
    kink_add(k, axis[2], 0, n, tolerance);
    k->flat = true;
    k->face = (v3){0, 0, copysign(1, n.z)};
    break;
  case SCREE_SHAPE_CONE: {
    const double r = s->shape->cone.radius, height = s->shape->cone.top - s->shape->cone.bottom;
    kink_add(k, axis[2], r / sqrt(r * r + height * height), n, tolerance);
    k->flat = true;
    k->face = (v3){0, 0, -1};
    break;
  }
  case SCREE_SHAPE_HULL:
    kinks_polyhedron(&s->shape->hull, n, s->size, tolerance, k);
    break;
  default:
    break;
  }
}

/* In the common frame, for the solid that is touched along `n` (its outward direction). */
static kinks kinks_near(const gjk_solid *s, v3 n, double tolerance) {
  kinks k = {.count = 0};
  kinks_local(s, m33_tmul_v3(&s->r, n), tolerance, &k);
  for (int i = 0; i < k.count; i++) k.circle[i].d = m33_mul_v3(&s->r, k.circle[i].d);
  if (k.flat) k.face = m33_mul_v3(&s->r, k.face);
  return k;
}

/* u'Hv of the core's support function at its outward direction n. */
static double curvature(const gjk_solid *s, v3 n, v3 u, v3 v) {
  if (!s->smooth) return 0;
  n = m33_tmul_v3(&s->r, n);
  u = m33_tmul_v3(&s->r, u);
  v = m33_tmul_v3(&s->r, v);
  if (s->shape->kind == SCREE_SHAPE_ELLIPSOID) {
    const v3 e = s->shape->ellipsoid.radii, e2 = {e.x * e.x, e.y * e.y, e.z * e.z};
    const v3 m = {e2.x * n.x, e2.y * n.y, e2.z * n.z};
    const double h = sqrt(v3_dot(m, n));
    return (e2.x * u.x * v.x + e2.y * u.y * v.y + e2.z * u.z * v.z -
            v3_dot(m, u) * v3_dot(m, v) / (h * h)) /
           h;
  }
  const double across = sqrt(n.x * n.x + n.y * n.y);
  if (!(across > 0)) return 0;
  double radius = s->shape->cylinder.radius;
  if (s->shape->kind == SCREE_SHAPE_CONE) {
    radius = s->shape->cone.radius;
    if (n.z * s->shape->cone.top >= n.z * s->shape->cone.bottom + radius * across) return 0;
  }
  const double tu = (n.x * u.y - n.y * u.x) / across, tv = (n.x * v.y - n.y * v.x) / across;
  return radius / across * tu * tv;
}

typedef struct try_at {
  v3 n, x, a, b;
  double s;
} try_at;

static try_at refine_try(const gjk_solid *a, const gjk_solid *b, v3 n) {
  try_at t = {.n = n, .a = gjk_support(a, n), .b = gjk_support(b, v3_neg(n))};
  t.x = v3_sub(t.b, t.a);
  t.s = v3_dot(n, t.x);
  return t;
}

/* Of equals (to rounding) the later one stays: candidates come with less and less freedom, and what
 * a kink fixes is exact. */
static void refine_keep(try_at *best, try_at t, double rounding) {
  if (t.s > best->s - rounding) *best = t;
}

/* Where h bends the wrong way Newton's step would go downhill: with |K| in place of K it climbs. */
static void refine_climb(double k11, double k12, double k22, double r1, double r2, double *d1,
                         double *d2) {
  const double mean = 0.5 * (k11 + k22), half = 0.5 * (k11 - k22),
               root = sqrt(half * half + k12 * k12);
  const double big = mean >= 0 ? mean + root : mean - root;
  /* The eigenvector of `big`, from the larger column of K - small. */
  double c = mean >= 0 ? half + root : half - root, s = k12;
  if ((mean >= 0) == (half < 0)) c = k12, s = mean >= 0 ? root - half : -root - half;
  const double norm = sqrt(c * c + s * s);
  c = norm > 0 ? c / norm : 1;
  s = norm > 0 ? s / norm : 0;
  const double small = 2 * mean - big, tiny = 1e-300;
  const double p = (c * r1 + s * r2) / (fabs(big) + tiny),
               q = (c * r2 - s * r1) / (fabs(small) + tiny);
  const double most = fmax(fabs(p), fabs(q)), less = most > 1 ? 1 / most : 1;
  *d1 = less * (c * p - s * q);
  *d2 = less * (s * p + c * q);
}

/* A step this small is Newton's own: s is flat to rounding there and cannot tell better from worse,
 * while the points of touch still gain digits. */
static try_at refine_sphere(const gjk_solid *a, const gjk_solid *b, try_at t) {
  for (int iteration = 0; iteration < 30; iteration++) {
    const v3 n = t.n, r = v3_add_scaled(t.x, -t.s, n), t1 = v3_across(n), t2 = v3_cross(n, t1);
    const v3 m = v3_neg(n);
    const double k11 = curvature(a, n, t1, t1) + curvature(b, m, t1, t1) + t.s,
                 k12 = curvature(a, n, t1, t2) + curvature(b, m, t1, t2),
                 k22 = curvature(a, n, t2, t2) + curvature(b, m, t2, t2) + t.s;
    const double det = k11 * k22 - k12 * k12, r1 = v3_dot(r, t1), r2 = v3_dot(r, t2);
    double d1, d2;
    if (det > 0 && k11 > 0) {
      d1 = (k22 * r1 - k12 * r2) / det;
      d2 = (k11 * r2 - k12 * r1) / det;
    } else {
      refine_climb(k11, k12, k22, r1, r2, &d1, &d2);
    }
    const double step = sqrt(d1 * d1 + d2 * d2);
    if (step > 0.5) d1 *= 0.5 / step, d2 *= 0.5 / step;
    try_at next = t;
    for (int half = 0; half < 8; half++, d1 *= 0.5, d2 *= 0.5) {
      next = refine_try(a, b, v3_normalize(v3_add_scaled(v3_add_scaled(n, d1, t1), d2, t2)));
      if (next.s > t.s || step < 1e-5) break;
    }
    if (!(next.s > t.s) && !(step < 1e-5)) return t;
    t = next;
    if (step < 1e-10) return t;
  }
  return t;
}

static try_at refine_circle(const gjk_solid *a, const gjk_solid *b, kink k, v3 n) {
  v3 e = v3_add_scaled(n, -v3_dot(n, k.d), k.d);
  const double sigma = sqrt(fmax(0, 1 - k.c * k.c));
  if (!(v3_norm2(e) > 1e-12)) return refine_try(a, b, n);
  e = v3_normalize(e);
  try_at t = refine_try(a, b, v3_add_scaled(v3_scale(k.c, k.d), sigma, e));
  for (int iteration = 0; iteration < 30; iteration++) {
    const v3 tau = v3_cross(k.d, e), m = v3_neg(t.n);
    const double slope = sigma * v3_dot(tau, t.x);
    const double bend = sigma * sigma * (curvature(a, t.n, tau, tau) + curvature(b, m, tau, tau)) +
                        sigma * v3_dot(e, t.x);
    double angle = fmax(-0.5, fmin(0.5, slope / (fabs(bend) + 1e-300)));
    const double step = fabs(angle);
    try_at next = t;
    v3 turned = e;
    for (int half = 0; half < 8; half++, angle *= 0.5) {
      turned = v3_normalize(v3_add_scaled(e, angle, tau));
      next = refine_try(a, b, v3_add_scaled(v3_scale(k.c, k.d), sigma, turned));
      if (next.s > t.s || step < 1e-5) break;
    }
    if (!(next.s > t.s) && !(step < 1e-5)) return t;
    t = next;
    e = turned;
    if (step < 1e-10) return t;
  }
  return t;
}

static void refine_beside(const gjk_solid *a, const gjk_solid *b, kink k, try_at on,
                          double rounding, try_at *best) {
  for (int side = -1; side <= 1; side += 2) {
    const try_at t = refine_try(a, b, v3_normalize(v3_add_scaled(on.n, 1e-4 * side, k.d)));
    if (t.s > on.s + rounding) refine_keep(best, refine_sphere(a, b, t), rounding);
  }
}

/* The normal nearest to n on both circles: n = p d1 + q d2 ± r d1 x d2. */
static bool kinks_cross(kink k, kink l, v3 n, v3 *out) {
  const double cosine = v3_dot(k.d, l.d), det = 1 - cosine * cosine;
  if (!(det > 1e-14)) return false;
  const v3 across = v3_cross(k.d, l.d);
  const double p = (k.c - cosine * l.c) / det, q = (l.c - cosine * k.c) / det;
  const double rest = 1 - p * k.c - q * l.c;
  if (!(rest > 0)) return false;
  const double r = copysign(sqrt(rest / det), v3_dot(across, n));
  *out = v3_normalize(v3_add_scaled(v3_add_scaled(v3_scale(p, k.d), q, l.d), r, across));
  return true;
}

/* The direction of the edge or straight line that alone holds the normal: it runs across n, in the
 * plane of n and the circle's d. False where a face does. */
static bool held_by_line(const kinks *k, v3 n, v3 *along) {
  if (k->count != 1) return false;
  const v3 u = v3_add_scaled(k->circle[0].d, -v3_dot(n, k->circle[0].d), n);
  *along = v3_scale(1 / v3_norm(u), u);
  return true;
}

/* Both solids hold the normal: points a and b from before, which lie in the solids but not quite
 * across from each other, are moved to where lines cross, or onto the line, or along n. */
static void refine_points(const kinks *ka, const kinks *kb, const try_at *t, gjk_result *g) {
  const v3 n = t->n;
  v3 u = {0, 0, 0}, w = {0, 0, 0}, middle = v3_scale(0.5, v3_add(g->a, g->b));
  const bool line_a = held_by_line(ka, n, &u), line_b = held_by_line(kb, n, &w);
  if (line_a && line_b) {
    const v3 across = v3_cross(w, n);
    const double det = v3_dot(u, across);
    if (fabs(det) > 1e-6) middle = v3_add_scaled(t->a, v3_dot(t->x, across) / det, u);
  }
  if (line_a)
    middle = v3_add_scaled(t->a, v3_dot(u, v3_sub(middle, t->a)), u);
  else if (line_b)
    middle = v3_add_scaled(t->b, v3_dot(w, v3_sub(middle, t->b)), w);
  const double shift = v3_dot(n, v3_sub(v3_scale(0.5, v3_add(t->a, t->b)), middle));
  g->a = v3_add_scaled(middle, shift - 0.5 * t->s, n);
  g->b = v3_add_scaled(middle, shift + 0.5 * t->s, n);
}

/* A point or a smooth patch leaves the normal free, an edge or a face holds it. */
static void refine_answer(const gjk_solid *a, const gjk_solid *b, const try_at *best,
                          double tolerance, gjk_result *g) {
  const v3 n = best->n;
  const kinks ka = kinks_near(a, n, tolerance), kb = kinks_near(b, v3_neg(n), tolerance);
  const double flat = tolerance * tolerance;
  const bool held_a = ka.count > 0 || (ka.flat && v3_norm2(v3_sub(ka.face, n)) < flat),
             held_b = kb.count > 0 || (kb.flat && v3_norm2(v3_add(kb.face, n)) < flat);
  if (!held_a) {
    g->a = best->a;
    g->b = v3_add_scaled(best->a, best->s, n);
  } else if (!held_b) {
    g->b = best->b;
    g->a = v3_add_scaled(best->b, -best->s, n);
  } else {
    refine_points(&ka, &kb, best, g);
  }
}

/* Points of the answer, and whether they show that it is one; what almost holds the normal may hold
 * it or not. */
static bool refine_show(const gjk_solid *a, const gjk_solid *b, const try_at *best, gjk_result *g) {
  const v3 pa = g->a, pb = g->b;
  g->normal = best->n;
  g->gap = best->s;
  refine_answer(a, b, best, 1e-12, g);
  if (gjk_is_witnessed(a, b, g)) return true;
  g->a = pa;
  g->b = pb;
  refine_answer(a, b, best, 1e-7, g);
  if (gjk_is_witnessed(a, b, g)) return true;
  g->a = pa;
  g->b = v3_add_scaled(pa, best->s, best->n);
  return gjk_is_witnessed(a, b, g);
}

/* The same when it is plain. */
static bool refine_show_at_once(const gjk_solid *a, const gjk_solid *b, const try_at *best,
                                gjk_result *g) {
  gjk_result next = *g;
  next.normal = best->n;
  next.gap = best->s;
  refine_answer(a, b, best, 1e-12, &next);
  if (!gjk_is_plain(a, b, &next)) return false;
  *g = next;
  return true;
}

/* The rungs of a round, from the cheapest; each takes what is near n, where the round began, and
 * returns whether it found a better normal, or one as good with less freedom. */
typedef struct refining {
  const gjk_solid *a, *b;
  kinks ka, kb;
  v3 n;
  double rounding;
  bool round; /* curved or apart: there is something to climb between kinks */
} refining;

static bool refine_take(const refining *r, v3 n, try_at *best) {
  const try_at t = refine_try(r->a, r->b, n);
  if (!(t.s > best->s - r->rounding)) return false;
  *best = t;
  return true;
}

static bool refine_faces(const refining *r, try_at *best) {
  bool better = false;
  if (r->ka.flat && v3_dot(r->ka.face, r->n) > 0.9) better |= refine_take(r, r->ka.face, best);
  if (r->kb.flat && v3_dot(r->kb.face, r->n) < -0.9)
    better |= refine_take(r, v3_neg(r->kb.face), best);
  return better;
}

static kink refining_circle(const refining *r, int i) {
  if (i < r->ka.count) return r->ka.circle[i];
  /* b's circles are those of its outward direction, -n */
  const kink k = r->kb.circle[i - r->ka.count];
  return (kink){k.d, -k.c};
}

static bool refine_circles(const refining *r, try_at *best) {
  bool better = false;
  for (int i = 0; r->round && i < r->ka.count + r->kb.count; i++) {
    const try_at on = refine_circle(r->a, r->b, refining_circle(r, i), r->n);
    better |= on.s > best->s - r->rounding;
    refine_keep(best, on, r->rounding);
  }
  return better;
}

static bool refine_crossings(const refining *r, try_at *best) {
  bool better = false;
  for (int i = 0; i < r->ka.count; i++)
    for (int j = 0; j < r->kb.count; j++) {
      v3 m;
      if (kinks_cross(r->ka.circle[i], refining_circle(r, r->ka.count + j), r->n, &m) &&
          v3_dot(m, r->n) > 0.9)
        better |= refine_take(r, m, best);
    }
  return better;
}

/* The maximum may lie across a kink from where the search began: look to either side of it. */
static bool refine_besides(const refining *r, try_at *best) {
  const double before = best->s;
  for (int i = 0; r->round && i < r->ka.count + r->kb.count; i++) {
    const kink k = refining_circle(r, i);
    const try_at on = refine_circle(r->a, r->b, k, r->n);
    refine_beside(r->a, r->b, k, on, r->rounding, best);
  }
  return best->s > before;
}

/* Supports that lie across from each other along n are the points that show it, and so are points
 * that came with the normal. */
static bool is_across(v3 x, v3 n, double s, double size) {
  return v3_norm2(v3_add_scaled(x, -s, n)) <= 1e-26 * size * size;
}

static void refine_freely(const try_at *t, gjk_result *g) {
  g->normal = t->n;
  g->gap = t->s;
  g->a = t->a;
  g->b = v3_add_scaled(t->a, t->s, t->n);
  g->shown = true;
}

void gjk_refine(const gjk_solid *a, const gjk_solid *b, gjk_result *g) {
  static bool (*const rung[])(const refining *, try_at *) = {refine_faces, refine_crossings,
                                                             refine_circles, refine_besides};
  enum { ROUNDS = 4, RUNGS = sizeof rung / sizeof *rung };
  const double size = a->size + b->size;
  try_at best = refine_try(a, b, g->normal);
  g->shown = is_across(v3_sub(g->b, g->a), best.n, best.s, size);
  g->gap = best.s;
  refining r = {.a = a, .b = b, .rounding = 1e-15 * size};
  for (int round = 0; round < ROUNDS && !g->shown; round++) {
    const double before = best.s;
    r.round = a->smooth || b->smooth || best.s > 0;
    if (r.round) refine_keep(&best, refine_sphere(a, b, best), r.rounding);
    if (r.round && is_across(best.x, best.n, best.s, size)) {
      refine_freely(&best, g);
      return;
    }
    r.n = best.n;
    r.ka = kinks_near(a, r.n, 1e-2);
    r.kb = kinks_near(b, v3_neg(r.n), 1e-2);
    for (int k = 0; k < RUNGS && !g->shown; k++)
      if (rung[k](&r, &best)) g->shown = refine_show_at_once(a, b, &best, g);
    if (!g->shown) g->shown = refine_show(a, b, &best, g);
    if (!(best.s > before + r.rounding)) return;
  }
}

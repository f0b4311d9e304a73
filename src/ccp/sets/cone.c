/* One block on the standard cone. Beside the two easy cases (apex; u = 0 with g inside), g lies
 * on the boundary, g = n (1, e) with a unit vector e.
 *
 * Exact: u_n = 0 eliminates n = -(q_n + N_nt t)/N_nn; then (S + alpha I) t = -q' with the Schur
 * complement S and alpha = |u_T|/|t| >= 0. G(alpha) = n/|t| - 1 is negative at 0 (no stick) and
 * grows like alpha, because q_n < 0: a root exists. G is nearly linear: bracketed Newton.
 *
 * Relaxed: D = (1, e), n = -D'q / D'ND, and a Newton iteration on the angle of e for u'E = 0,
 * E = (0, e turned by 90°). It may end in a point that is no minimum over the cone (e'u > 0).
 *
 * Search: slow and certain, for where these fail or a cap interferes. At a given n the best t on
 * the disc |t| <= n is unique and continuous in n; u_n (exact) or u_n - |u_T| (relaxed, the
 * derivative of a convex function) starts negative, and is bisected for its zero. With a flow of
 * its own it is u_n - lift |D u_T|, and t solves (S + alpha D^-1) t = -p on the edge. It has a
 * zero: as n grows u tends to n N x, x = (1, t), |t| = 1, with alpha D^-1 t = -(N x)_T, so that
 * with D <= 1 (N x)_n - lift alpha >= (N x)_n - alpha t'D^-1 t = x'Nx >= 0. */
#include "ccp/sets/cone.h"
#include "ccp/sets/set.h"
#include <float.h>

enum { CONE_ROOT_STEPS = 60, CONE_ANGLE_STEPS = 14, CONE_BISECTIONS = 200 };

/* Keeps pivots of redundant rows positive, at the level of rounding. */
static const double cone_pivot = 4.0 * DBL_EPSILON;
static const double cone_accuracy = 1e-14;
/* What a search must reach to count as solved where rounding forbids cone_accuracy. */
static const double cone_acceptable = 1e-9;

/* fmax and fmin are calls where NaN must be obeyed; here it need not. */
static inline double larger(double a, double b) {
  return a > b ? a : b;
}
static inline double smaller(double a, double b) {
  return a < b ? a : b;
}

/* The problem in t alone, u_n = 0: (S + alpha I) t = -p. */
typedef struct slip {
  double s11, s12, s22, p1, p2;
  double i_nn, q_n, n1, n2;
} slip;

static slip slip_of(const set_cone *b) {
  const double i = 1.0 / b->nn;
  return (slip){.s11 = larger(b->t11 - b->n1 * b->n1 * i, 0.0) + cone_pivot * b->t11,
                .s12 = b->t12 - b->n1 * b->n2 * i,
                .s22 = larger(b->t22 - b->n2 * b->n2 * i, 0.0) + cone_pivot * b->t22,
                .p1 = b->q[1] - b->n1 * b->q[0] * i,
                .p2 = b->q[2] - b->n2 * b->q[0] * i,
                .i_nn = i,
                .q_n = b->q[0],
                .n1 = b->n1,
                .n2 = b->n2};
}

/* S + alpha I made ready for solves; the determinant is kept positive. */
typedef struct pivots {
  double a, i_a, s12, i_det;
} pivots;

static inline pivots slip_pivots2(const slip *s, double alpha1, double alpha2) {
  const double a = s->s11 + alpha1, ad = a * (s->s22 + alpha2);
  return (pivots){a, 1.0 / a, s->s12, 1.0 / larger(ad - s->s12 * s->s12, cone_pivot * ad)};
}

static inline pivots slip_pivots(const slip *s, double alpha) {
  return slip_pivots2(s, alpha, alpha);
}

/* By elimination and back substitution: stable, where the adjugate loses the condition number. */
static inline void slip_solve(pivots p, double r1, double r2, double *x) {
  x[1] = (p.a * r2 - p.s12 * r1) * p.i_det;
  x[0] = (r1 - p.s12 * x[1]) * p.i_a;
}

static inline double slip_normal(const slip *s, const double *t) {
  return -(s->q_n + s->n1 * t[0] + s->n2 * t[1]) * s->i_nn;
}

/* u = 0; returns whether g is in the cone. */
static bool stick(const slip *s, double *g) {
  slip_solve(slip_pivots(s, 0.0), -s->p1, -s->p2, g + 1);
  g[0] = slip_normal(s, g + 1);
  return g[0] >= 0.0 && g[1] * g[1] + g[2] * g[2] <= g[0] * g[0];
}

/* alpha that a previous g suggests, else that of an isotropic S. */
static double slip_guess(const slip *s, const double *g) {
  const double t2 = g[1] * g[1] + g[2] * g[2];
  if (t2 > 0.0) {
    const double u1 = s->s11 * g[1] + s->s12 * g[2] + s->p1;
    const double u2 = s->s12 * g[1] + s->s22 * g[2] + s->p2;
    const double along = -(u1 * g[1] + u2 * g[2]) / t2;
    if (along > 0.0 && along < INFINITY) return along;
  }
  const double p = sqrt(s->p1 * s->p1 + s->p2 * s->p2);
  return larger(p / (-s->q_n * s->i_nn) - 0.5 * (s->s11 + s->s22), 0.0);
}

/* The boundary point n (1, c, s) that is best along its ray, and the parts of u there. */
typedef struct ray_point {
  double n, pn, pp, i_dd, pq;
  double outward; /* e'u, relative to the terms of u; not positive at a minimum over the cone */
  double size;
} ray_point;

static inline ray_point ray_at(const set_cone *b, double c, double s) {
  ray_point r;
  r.pn = b->n1 * c + b->n2 * s;
  r.pp = b->t11 * c * c + 2.0 * b->t12 * c * s + b->t22 * s * s;
  r.pq = b->q[1] * c + b->q[2] * s;
  r.i_dd = 1.0 / (b->nn + 2.0 * r.pn + r.pp);
  r.n = -(b->q[0] + r.pq) * r.i_dd;
  r.size = r.n * (b->nn + b->t11 + b->t22) + fabs(b->q[0]) + fabs(b->q[1]) + fabs(b->q[2]);
  r.outward = r.n * (r.pn + r.pp) + r.pq;
  return r;
}

/* Newton on the angle from the direction (c, s); true: a minimum over the cone, stored in g. A step
 * below 1e-7 leaves an error of its square, so it is the last. `slack` is how much
 * outward velocity counts as rounding. */
static bool angle_search(const set_cone *b, double c, double s, double slack, double *g) {
  double best = INFINITY;
  for (int step = 0; step < CONE_ANGLE_STEPS; step++) {
    const ray_point r = ray_at(b, c, s);
    if (!(r.n > 0.0 && r.n < INFINITY)) return false;
    const double ee = b->t11 * s * s - 2.0 * b->t12 * c * s + b->t22 * c * c;
    const double ed = b->n2 * c - b->n1 * s + (b->t22 - b->t11) * c * s + b->t12 * (c * c - s * s);
    const double eq = b->q[2] * c - b->q[1] * s;
    const double along = r.n * ed + eq;
    const double slope = r.n * ee - (eq + 2.0 * r.n * ed) * r.i_dd * ed - r.outward;
    const double miss = fabs(along);
    if (miss < best * r.size && r.outward <= slack * r.size) {
      best = miss / r.size;
      g[0] = r.n;
      g[1] = r.n * c;
      g[2] = r.n * s;
    }
    const bool last = miss <= 1e-7 * slope;
    if (last && r.outward > slack * r.size) return false;
    double turn = slope > 0.0 ? -along / slope : along > 0.0 ? -0.5 : 0.5;
    turn = smaller(larger(turn, -1.0), 1.0);
    const double c_next = c - turn * s, s_next = s + turn * c;
    const double t2 = turn * turn;
    const double i = t2 < 1e-6 ? 1.0 - t2 * (0.5 - 0.375 * t2) : 1.0 / sqrt(1.0 + t2);
    c = c_next * i;
    s = s_next * i;
    if (last && best <= 1e-7) {
      const double n = r.n - turn * (eq + 2.0 * r.n * ed) * r.i_dd;
      g[0] = n;
      g[1] = n * c;
      g[2] = n * s;
      return true;
    }
  }
  return best <= cone_accuracy;
}

/* |t| - radius over alpha. With D = 1 Newton's steps come from the left and never go beyond the
 * root; with others they may, and are kept between what is known to be left and right of it. */
bool set_cone_disc(const set_cone *block, const set_cone_flow *flow, double radius, double *g) {
  const double i1 = 1.0 / flow->along[0], i2 = 1.0 / flow->along[1];
  const bool plain = i1 == i2;
  const slip s = {.s11 = block->t11 * (1.0 + cone_pivot),
                  .s12 = block->t12,
                  .s22 = block->t22 * (1.0 + cone_pivot),
                  .p1 = block->q[1] + block->n1 * radius,
                  .p2 = block->q[2] + block->n2 * radius};
  double alpha = 0.0, previous = INFINITY, t[2], dt[2], lo = 0.0, hi = INFINITY;
  g[0] = radius;
  g[1] = g[2] = 0.0;
  if (radius == 0.0) return true;
  for (int step = 0; step < CONE_ROOT_STEPS; step++) {
    const pivots p = slip_pivots2(&s, alpha * i1, alpha * i2);
    slip_solve(p, -s.p1, -s.p2, t);
    slip_solve(p, t[0] * i1, t[1] * i2, dt);
    const double t2 = t[0] * t[0] + t[1] * t[1], norm = sqrt(t2);
    const double scale = alpha > 0.0 || norm > radius ? radius / norm : 1.0;
    g[1] = t[0] * scale;
    g[2] = t[1] * scale;
    if (alpha == 0.0 && norm <= radius) return true;
    if (fabs(norm - radius) <= radius * cone_accuracy) return true;
    /* In exact arithmetic the norm falls at every step; when it does not, rounding rules. */
    if (plain && (norm <= radius || norm >= previous)) return true;
    previous = norm;
    double next = alpha + (norm / radius - 1.0) * t2 / (t[0] * dt[0] + t[1] * dt[1]);
    if (plain && !(next > alpha)) return true;
    if (!plain) {
      if (norm > radius)
        lo = alpha;
      else
        hi = alpha;
      if (!(next > lo && next < hi))
        next = hi < INFINITY ? 0.5 * (lo + hi) : 4.0 * lo + (s.s11 + s.s22);
      if (!(next > lo && next < hi)) return true;
    }
    alpha = next;
  }
  return fabs(previous - radius) <= radius * cone_acceptable;
}

/* What drives the normal at g, on the disc of radius g[0]: negative, it must grow. */
static double drive(const set_cone *b, const set_cone_flow *flow, const double *g) {
  const double u_n = b->nn * g[0] + b->n1 * g[1] + b->n2 * g[2] + b->q[0];
  const double w_1 = flow->along[0] * (b->n1 * g[0] + b->t11 * g[1] + b->t12 * g[2] + b->q[1]);
  const double w_2 = flow->along[1] * (b->n2 * g[0] + b->t12 * g[1] + b->t22 * g[2] + b->q[2]);
  const bool edge = g[1] * g[1] + g[2] * g[2] >= (1.0 - 1e-12) * g[0] * g[0];
  return flow->lift > 0.0 && edge ? u_n - flow->lift * sqrt(w_1 * w_1 + w_2 * w_2) : u_n;
}

bool set_cone_search(const set_cone *block, const set_cone_flow *flow, double top, double *g) {
  const double w_1 = flow->along[0] * block->q[1], w_2 = flow->along[1] * block->q[2];
  const double q_t = flow->lift > 0.0 ? flow->lift * sqrt(w_1 * w_1 + w_2 * w_2) : 0.0;
  double lo = 0.0, hi = smaller(top, (q_t - block->q[0]) / block->nn), n = hi;
  g[0] = g[1] = g[2] = 0.0;
  if (block->q[0] >= q_t) return true;
  bool bounded = false;
  for (int step = 0; step < CONE_BISECTIONS; step++) {
    if (!set_cone_disc(block, flow, n, g)) return false;
    if (drive(block, flow, g) < 0.0) {
      lo = n;
      if (lo >= top) return true;
      if (!bounded) hi = smaller(top, 2.0 * n);
    } else {
      hi = n;
      bounded = true;
    }
    n = bounded ? 0.5 * (lo + hi) : hi;
    if (bounded && (n <= lo || n >= hi)) return true;
  }
  return false;
}

bool set_cone_relaxed(const set_cone *block, double *g) {
  const double *q = block->q;
  const double q_t = sqrt(q[1] * q[1] + q[2] * q[2]);
  if (q[0] + SET_CONE_NOTHING >= q_t) {
    g[0] = g[1] = g[2] = 0.0;
    return true;
  }
  /* A block that slipped is likely to slip again; by convexity no other case need be looked at. */
  const double old = sqrt(g[1] * g[1] + g[2] * g[2]);
  const bool slipped = old > SET_CONE_NOTHING && old >= 0.999999 * g[0];
  if (slipped && angle_search(block, g[1] / old, g[2] / old, cone_accuracy, g)) return true;
  const slip s = slip_of(block);
  if (stick(&s, g)) return true;
  const double t = sqrt(g[1] * g[1] + g[2] * g[2]), free_t[2] = {g[1], g[2]};
  if (g[0] > 0.0 && angle_search(block, g[1] / t, g[2] / t, cone_accuracy, g)) return true;
  if (q_t > 0.0 && angle_search(block, -q[1] / q_t, -q[2] / q_t, cone_accuracy, g)) return true;
  if (t > 0.0 && angle_search(block, free_t[0] / t, free_t[1] / t, cone_accuracy, g)) return true;
  const set_cone_flow flow = SET_CONE_ASSOCIATED;
  if (!set_cone_search(block, &flow, INFINITY, g)) return false;
  const double edge = sqrt(g[1] * g[1] + g[2] * g[2]);
  double y[3];
  if (edge >= 0.999999 * g[0] && angle_search(block, g[1] / edge, g[2] / edge, cone_acceptable, y))
    for (int i = 0; i < 3; i++) g[i] = y[i];
  return true;
}

/* The last Newton step is linear in t, its error quadratic in a step below 1e-7; |t| = n then
 * by one step of an inverse square root that starts next to 1. */
static bool slip_finish(const slip *s, double t1, double t2, double *g) {
  const double t[2] = {t1, t2}, n = slip_normal(s, t);
  const double scale = 1.5 - 0.5 * (t1 * t1 + t2 * t2) / (n * n);
  g[0] = n;
  g[1] = t1 * scale;
  g[2] = t2 * scale;
  return true;
}

bool set_cone_exact(const set_cone *block, double *g) {
  if (block->q[0] + SET_CONE_NOTHING >= 0.0) {
    g[0] = g[1] = g[2] = 0.0;
    return true;
  }
  const slip s = slip_of(block);
  double lo = 0.0, hi = INFINITY, alpha = slip_guess(&s, g), miss = INFINITY;
  /* A block that slipped is likely to slip again: stick is looked at when alpha = 0 comes near. */
  bool slips = g[1] * g[1] + g[2] * g[2] >= 0.999999 * g[0] * g[0] && g[0] > 0.0 && alpha > 0.0;
  if (!slips && stick(&s, g)) return true;
  for (int step = 0; step < CONE_ROOT_STEPS; step++) {
    double t[2], dt[2];
    const pivots p = slip_pivots(&s, alpha);
    slip_solve(p, -s.p1, -s.p2, t);
    slip_solve(p, -t[0], -t[1], dt);
    const double n = slip_normal(&s, t), t2 = t[0] * t[0] + t[1] * t[1], i_t = 1.0 / sqrt(t2);
    const double value = n * i_t - 1.0;
    const double dn = -(s.n1 * dt[0] + s.n2 * dt[1]) * s.i_nn;
    const double slope = (dn - n * (t[0] * dt[0] + t[1] * dt[1]) * i_t * i_t) * i_t;
    miss = fabs(value);
    if (n > 0.0) {
      g[0] = n;
      g[1] = t[0] * n * i_t;
      g[2] = t[1] * n * i_t;
    }
    if (miss <= cone_accuracy) return true;
    if (value < 0.0)
      lo = alpha;
    else
      hi = alpha;
    double next = alpha - value / slope;
    if (slips && !(next > 0.0)) {
      if (stick(&s, g)) return true;
      slips = false;
    }
    if (!(next > lo && next < hi))
      next = hi < INFINITY ? 0.5 * (lo + hi) : 4.0 * lo + (s.s11 + s.s22);
    const double move = next - alpha;
    if (fabs(move) <= DBL_EPSILON * alpha) break;
    if (miss <= 1e-7 && move * move * (dt[0] * dt[0] + dt[1] * dt[1]) <= cone_accuracy * t2)
      return slip_finish(&s, t[0] + move * dt[0], t[1] + move * dt[1], g);
    alpha = next;
  }
  const set_cone_flow flow = SET_CONE_COULOMB;
  return miss <= cone_acceptable || stick(&s, g) || set_cone_search(block, &flow, INFINITY, g);
}

/* Beyond the cap the normal is held there: the relaxed energy is convex in the normal alone
 * (set.h). In the exact model the tangents may still lift the contact off it. */
bool set_cone_below(const set_cone *block, bool exact, double top, double *g) {
  const set_cone_flow flow = SET_CONE_COULOMB;
  bool solved = exact ? set_cone_exact(block, g) : set_cone_relaxed(block, g);
  if (!(g[0] > top)) return solved;
  solved = set_cone_disc(block, &flow, top, g);
  const double pull = block->nn * top + block->n1 * g[1] + block->n2 * g[2] + block->q[0];
  if (exact && pull > 0.0) solved = set_cone_search(block, &flow, top, g);
  return solved;
}

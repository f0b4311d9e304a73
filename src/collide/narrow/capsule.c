/* Two capsules: the nearest points of their axes, in closed form. With unit axes u, w, the middles
 * at 0 and d, and x = d + t w - s u between points of the axes,
 *
 *     x.u = 0 unless s is at an end,   x.w = 0 unless t is at an end.
 *
 * Axes that (nearly) meet leave no direction in x: where neither point is at an end it is that of
 * u x w, else x across the axis that goes on. */
#include "collide/narrow/convex.h"

static double clamp(double x, double most) {
  return fmax(-most, fmin(most, x));
}

/* Alternating from a good start; the second round takes away what rounding left when the axes are
 * nearly parallel. */
static v3 axes_nearest(v3 d, v3 u, v3 w, double la, double lb, double *s, double *t) {
  const double c = v3_dot(u, w);
  const v3 across = v3_cross(u, w);
  const double det = v3_norm2(across);
  v3 x = d;
  *s = *t = 0;
  for (int round = 0; round < 2; round++) {
    const double xu = v3_dot(x, u), xw = v3_dot(x, w);
    *s = clamp(*s + (det > 1e-24 ? (xu - c * xw) / det : 0), la);
    *t = clamp(v3_dot(w, v3_sub(v3_scale(*s, u), d)), lb);
    *s = clamp(v3_dot(u, v3_add_scaled(d, *t, w)), la);
    x = v3_sub(v3_add_scaled(d, *t, w), v3_scale(*s, u));
  }
  return x;
}

/* The product of nearly parallel axes is all rounding but for its direction across them. */
static v3 axes_across(v3 u, v3 w) {
  const v3 n = v3_cross(u, w);
  if (!(v3_norm2(n) > 1e-30)) return v3_across(u);
  return v3_normalize(v3_add_scaled(n, -v3_dot(n, u), u));
}

/* The normal. When the axes are nearly parallel, rounding decides whether a point is at the end of
 * its axis, so that the case is not known: all candidates are tried, and the one along which the
 * axes are farthest apart is taken. */
static v3 axes_normal(v3 x, v3 d, v3 u, v3 w, double la, double lb, double *gap) {
  const v3 across = axes_across(u, w), on_u = v3_add_scaled(x, -v3_dot(x, u), u),
           on_w = v3_add_scaled(x, -v3_dot(x, w), w),
           on_both = v3_add_scaled(on_u, -v3_dot(on_u, w), w);
  const v3 way[5] = {v3_dot(across, v3_norm2(x) > 0 ? x : d) < 0 ? v3_neg(across) : across, x, on_u,
                     on_w, on_both};
  v3 best = way[0];
  *gap = -INFINITY;
  for (int k = 0; k < 5; k++) {
    const double length = v3_norm(way[k]);
    if (!(length > 0)) continue;
    const v3 n = v3_scale(1 / length, way[k]);
    const double s = v3_dot(n, d) - la * fabs(v3_dot(n, u)) - lb * fabs(v3_dot(n, w));
    if (s > *gap) *gap = s, best = n;
  }
  return best;
}

void narrow_capsule_capsule(const shape *a, const pose *pa, const shape *b, const pose *pb,
                            narrow_sink *sink) {
  gjk_solid sa, sb;
  if (!narrow_place(a, pa, b, pb, sink->margin, &sa, &sb)) return;
  const v3 d = sb.at;
  const v3 u = {sa.r.m[0][2], sa.r.m[1][2], sa.r.m[2][2]},
           w = {sb.r.m[0][2], sb.r.m[1][2], sb.r.m[2][2]};
  const double la = a->capsule.half, lb = b->capsule.half;
  double s, t;
  const v3 x = axes_nearest(d, u, w, la, lb, &s, &t);
  if (v3_norm(x) > sink->margin + sa.round + sb.round) return;
  double gap;
  const v3 n = axes_normal(x, d, u, w, la, lb, &gap);
  narrow_convex_manifold(&sa, &sb, n, gap, v3_scale(s, u), pa->position, 0, sink);
}

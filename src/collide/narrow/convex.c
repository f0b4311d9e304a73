/* Any two convex solids: signed distance by GJK, penetration and refinement, then a manifold where
 * faces or edges lie along each other. The first contact is always the exact one. */
#include "collide/narrow/convex.h"
#include "collide/narrow/manifold.h"

int narrow_put_exact(contact_point *c, int count, contact_point exact, double tolerance,
                     double range) {
  int nearest = 0;
  bool beside = false;
  double best = INFINITY;
  for (int i = 0; i < count; i++) {
    const double d = v3_norm2(v3_sub(c[i].point_a, exact.point_a));
    if (d < best) best = d, nearest = i;
    const double turn = v3_norm(v3_sub(c[i].normal, exact.normal));
    if (fabs(c[i].gap - exact.gap) <= tolerance && turn < 1e-6 &&
        turn * fabs(exact.gap) <= tolerance) {
      const v3 across = v3_add_scaled(c[i].point_a, c[i].gap, c[i].normal);
      beside = v3_norm(v3_sub(c[i].point_b, across)) > 100 * tolerance;
      if (beside) continue;
      c[i].gap = exact.gap;
      c[i].normal = exact.normal;
      return count;
    }
  }
  if (count == 0) {
    c[0] = exact;
    return 1;
  }
  for (int i = 0; i < count; i++) c[i].gap = fmax(c[i].gap, exact.gap);
  if ((beside || best > range * range) && count < NARROW_CANDIDATES) {
    c[count] = c[0];
    c[0] = exact;
    return count + 1;
  }
  exact.feature = c[nearest].feature;
  c[nearest] = c[0];
  c[0] = exact;
  return count;
}

/* How far edges may turn from each other and from the plane across n to lie along each other. */
static const double edge_angle = 0.02;

/* Two edges that run along each other: the ends of what they share. */
static int convex_edge_pair(const manifold_edge *ea, const manifold_edge *eb, contact_point exact,
                            double ra, double rb, contact_point *c) {
  const v3 n = exact.normal, u = v3_sub(ea->q, ea->p), w = v3_sub(eb->q, eb->p);
  const double length = v3_norm(u);
  const v3 d = v3_scale(1 / length, u);
  if (v3_norm(v3_cross(d, w)) > edge_angle * v3_norm(w) || fabs(v3_dot(n, d)) > edge_angle)
    return 0;
  const double t0 = v3_dot(d, v3_sub(eb->p, ea->p)), t1 = v3_dot(d, v3_sub(eb->q, ea->p));
  const double lo = fmax(0, fmin(t0, t1)), hi = fmin(length, fmax(t0, t1));
  if (!(hi > lo)) return 0;
  for (int i = 0; i < 2; i++) {
    const double t = i ? hi : lo;
    const v3 pa = v3_add_scaled(ea->p, t, d), pb = v3_add_scaled(eb->p, (t - t0) / (t1 - t0), w);
    c[i].normal = n;
    c[i].gap = v3_dot(n, v3_sub(pb, pa)) - ra - rb;
    c[i].point_a = v3_add_scaled(pa, ra, n);
    c[i].point_b = v3_add_scaled(pb, -rb, n);
    c[i].feature = narrow_mix(ea->name, 0x100 * eb->name + (uint32_t)i);
  }
  return 2;
}

/* The two edges, of those that may touch along n, that are the nearest to parallel. */
static int convex_edges(const gjk_solid *a, const gjk_solid *b, contact_point exact,
                        contact_point *c) {
  manifold_edge ea[MANIFOLD_EDGES], eb[MANIFOLD_EDGES];
  const int na = manifold_edges_along(a, exact.normal, edge_angle, ea);
  if (!na) return 0;
  const int nb = manifold_edges_along(b, v3_neg(exact.normal), edge_angle, eb);
  int bi = 0, bj = 0;
  double least = INFINITY;
  for (int i = 0; i < na; i++)
    for (int j = 0; j < nb; j++) {
      const v3 u = v3_sub(ea[i].q, ea[i].p), w = v3_sub(eb[j].q, eb[j].p);
      const double sine2 = v3_norm2(v3_cross(u, w)) / (v3_norm2(u) * v3_norm2(w));
      if (sine2 < least) least = sine2, bi = i, bj = j;
    }
  return nb ? convex_edge_pair(ea + bi, eb + bj, exact, a->round, b->round, c) : 0;
}

int narrow_convex_candidates(const gjk_solid *a, const gjk_solid *b, contact_point exact,
                             double margin, contact_point *c, bool *round) {
  const v3 n = exact.normal;
  manifold_face fa, fb;
  manifold_face_along(a, n, &fa);
  manifold_face_along(b, v3_neg(n), &fb);
  *round = fa.round || fb.round;
  const double along_a = fa.count > 2 ? v3_dot(fa.normal, n) : -1,
               along_b = fb.count > 2 ? -v3_dot(fb.normal, n) : -1;
  const double flat = narrow_flat(margin, fmin(a->size, b->size), exact.gap);
  /* A floor of triangles has the normals of its triangles. */
  const bool base_a = b->shape ? along_a >= along_b : !(along_b > flat);
  if (base_a && along_a > flat && fb.count > 1)
    return manifold_clip(&fa, &fb, false, a->round, b->round, c);
  if (along_b > flat && fa.count > 1) return manifold_clip(&fb, &fa, true, a->round, b->round, c);
  return fa.count > 1 && fb.count > 1 ? convex_edges(a, b, exact, c) : 0;
}

void narrow_convex_manifold(const gjk_solid *a, const gjk_solid *b, v3 n, double gap, v3 on_a,
                            v3 origin, uint32_t feature, narrow_sink *sink) {
  contact_point c[NARROW_CANDIDATES];
  const contact_point exact = {.point_a = v3_add_scaled(on_a, a->round, n),
                               .normal = n,
                               .gap = gap - a->round - b->round,
                               .feature = 0};
  bool round;
  int count = narrow_convex_candidates(a, b, exact, sink->margin, c, &round);
  count = narrow_put_exact(c, count, exact, 1e-11 * (a->size + b->size),
                           narrow_range(sink->margin, fmin(a->size, b->size)));
  for (int i = 0; i < count; i++)
    c[i].feature = feature ? narrow_mix(feature, c[i].feature) : c[i].feature;
  manifold_deliver(c, count, round ? MANIFOLD_ROUND : 4, origin, sink);
}

void narrow_convex_solids(const gjk_solid *a, const gjk_solid *b, v3 origin, uint32_t feature,
                          narrow_sink *sink) {
  gjk_result g;
  if (!gjk_signed_distance(a, b, sink->margin + a->round + b->round, &g)) return;
  narrow_convex_manifold(a, b, g.normal, g.gap, g.a, origin, feature, sink);
}

void narrow_convex_convex(const shape *a, const pose *pa, const shape *b, const pose *pb,
                          narrow_sink *sink) {
  gjk_solid sa, sb;
  if (!narrow_place(a, pa, b, pb, sink->margin, &sa, &sb)) return;
  narrow_convex_solids(&sa, &sb, pa->position, 0, sink);
}

/* Box and box: the fifteen axes of the separating-axis test, in a's frame; the faces of the best
 * axis clipped against each other; GJK for the rest, which is corners and edges of boxes that are
 * apart.
 *
 * With overlap the axis of least overlap is the exact answer. Apart, the largest separation is
 * exact only when the feature lies over the face (or the edges cross within their lengths). */
#include "collide/narrow/convex.h"
#include "collide/narrow/manifold.h"

typedef struct box_axis {
  double s; /* separation */
  int i, j; /* face i of a (j = -1), face j of b (i = -1), edges i and j */
  double sign;
} box_axis;

typedef struct box_pair {
  double a[3], b[3]; /* half sizes */
  double r[3][3];    /* b's axes in a's frame, columns */
  double t[3];       /* b's centre in a's frame */
} box_pair;

/* The best face axis and the best edge axis; false as soon as one parts the boxes by the margin. */
static bool box_axes(const box_pair *p, double margin, box_axis *face, box_axis *edge) {
  double m[3][3];
  face->s = edge->s = -INFINITY;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) m[i][j] = fabs(p->r[i][j]);
    const double s =
        fabs(p->t[i]) - p->a[i] - (m[i][0] * p->b[0] + m[i][1] * p->b[1] + m[i][2] * p->b[2]);
    if (s > margin) return false;
    if (s > face->s) *face = (box_axis){s, i, -1, p->t[i] < 0 ? -1 : 1};
  }
  const double all = p->a[0] + p->a[1] + p->a[2] + p->b[0] + p->b[1] + p->b[2];
  const double tie = 1e-13 * all, noise = 1e-15 * all;
  for (int j = 0; j < 3; j++) {
    const double d = p->t[0] * p->r[0][j] + p->t[1] * p->r[1][j] + p->t[2] * p->r[2][j];
    const double s =
        fabs(d) - p->b[j] - (m[0][j] * p->a[0] + m[1][j] * p->a[1] + m[2][j] * p->a[2]);
    if (s > margin) return false;
    if (s > face->s + (face->j < 0 ? tie : 0)) *face = (box_axis){s, -1, j, d < 0 ? -1 : 1};
  }
  for (int i = 0; i < 3; i++) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; j++) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double n2 = p->r[i1][j] * p->r[i1][j] + p->r[i2][j] * p->r[i2][j];
      if (n2 < 1e-14) continue;
      const double d = p->t[i2] * p->r[i1][j] - p->t[i1] * p->r[i2][j];
      /* Nearly parallel edges make much of rounding, as raw is divided by their angle. */
      const double raw =
          fabs(d) - noise -
          (p->a[i1] * m[i2][j] + p->a[i2] * m[i1][j] + p->b[j1] * m[i][j2] + p->b[j2] * m[i][j1]);
      /* Cheap first: raw <= s sqrt(n2) cannot win. */
      if (raw <= 0 && raw * raw >= edge->s * edge->s * n2 && edge->s < 0 && edge->s > -INFINITY)
        continue;
      const double s = raw / sqrt(n2);
      if (s > margin) return false;
      if (s > edge->s) *edge = (box_axis){s, i, j, d < 0 ? -1 : 1};
    }
  }
  return true;
}

static v3 box_axis_normal(const box_pair *p, const m33 *ra, box_axis x) {
  double n[3] = {0, 0, 0};
  if (x.j < 0)
    n[x.i] = x.sign;
  else if (x.i < 0)
    for (int k = 0; k < 3; k++) n[k] = x.sign * p->r[k][x.j];
  else {
    const int i1 = (x.i + 1) % 3, i2 = (x.i + 2) % 3;
    const double length = sqrt(p->r[i1][x.j] * p->r[i1][x.j] + p->r[i2][x.j] * p->r[i2][x.j]);
    n[i1] = -x.sign * p->r[i2][x.j] / length;
    n[i2] = x.sign * p->r[i1][x.j] / length;
  }
  return m33_mul_v3(ra, v3_load(n));
}

/* Nearest points of the two edges that meet along n; false when one ends before. */
static bool box_edge_contact(const gjk_solid *a, const gjk_solid *b, box_axis x, v3 n, double *gap,
                             v3 *point) {
  const v3 u = {a->r.m[0][x.i], a->r.m[1][x.i], a->r.m[2][x.i]},
           w = {b->r.m[0][x.j], b->r.m[1][x.j], b->r.m[2][x.j]};
  const v3 pa = gjk_support(a, n), pb = gjk_support(b, v3_neg(n));
  /* Take the middle of each edge, so that both lengths count from there. */
  const v3 ha = a->shape->box.half, hb = b->shape->box.half;
  const double la = (&ha.x)[x.i], lb = (&hb.x)[x.j];
  const v3 ma = v3_add_scaled(pa, -v3_dot(u, v3_sub(pa, a->at)), u),
           mb = v3_add_scaled(pb, -v3_dot(w, v3_sub(pb, b->at)), w);
  const double c = v3_dot(u, w), det = 1 - c * c;
  const v3 d = v3_sub(mb, ma);
  const double du = v3_dot(d, u), dw = v3_dot(d, w);
  const double s = (du - c * dw) / det, t = (c * du - dw) / det;
  const double slack = 1e-9;
  *point = v3_add_scaled(ma, fmax(-la, fmin(la, s)), u);
  *gap = v3_dot(n, v3_sub(mb, ma));
  return fabs(s) <= la * (1 + slack) && fabs(t) <= lb * (1 + slack);
}

static int box_clip(const gjk_solid *a, const gjk_solid *b, box_axis x, v3 n, contact_point *c) {
  manifold_face fa, fb;
  manifold_face_along(a, n, &fa);
  manifold_face_along(b, v3_neg(n), &fb);
  return x.j < 0 ? manifold_clip(&fa, &fb, false, 0, 0, c) : manifold_clip(&fb, &fa, true, 0, 0, c);
}

void narrow_box_box(const shape *a, const pose *pa, const shape *b, const pose *pb,
                    narrow_sink *sink) {
  gjk_solid sa, sb;
  if (!narrow_place(a, pa, b, pb, sink->margin, &sa, &sb)) return;
  box_pair p;
  v3_store(p.a, a->box.half);
  v3_store(p.b, b->box.half);
  v3_store(p.t, m33_tmul_v3(&sa.r, sb.at));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      p.r[i][j] =
          sa.r.m[0][i] * sb.r.m[0][j] + sa.r.m[1][i] * sb.r.m[1][j] + sa.r.m[2][i] * sb.r.m[2][j];
  box_axis face = {.i = 0, .j = -1}, edge = {.i = 0, .j = 0};
  if (!box_axes(&p, sink->margin, &face, &edge)) return;
  const double tie = 1e-13 * (a->size + b->size);
  const v3 nf = box_axis_normal(&p, &sa.r, face);
  contact_point c[NARROW_CANDIDATES];
  int count = 0;
  if (edge.s > face.s + tie) {
    const v3 ne = box_axis_normal(&p, &sa.r, edge);
    contact_point exact = {.normal = ne, .feature = 0x10u + (uint32_t)(3 * edge.i + edge.j)};
    const bool within = box_edge_contact(&sa, &sb, edge, ne, &exact.gap, &exact.point_a);
    if (edge.s > 0 && !within) {
      narrow_convex_solids(&sa, &sb, pa->position, 0, sink);
      return;
    }
    /* Faces that nearly lie on each other keep their manifold about the edges' exact point. */
    const double size = fmin(a->size, b->size);
    if (v3_dot(ne, nf) > narrow_flat(sink->margin, size, edge.s))
      count = box_clip(&sa, &sb, face, nf, c);
    count = narrow_put_exact(c, count, exact, tie, narrow_range(sink->margin, size));
  } else {
    count = box_clip(&sa, &sb, face, nf, c);
    double deepest = INFINITY;
    for (int i = 0; i < count; i++) deepest = fmin(deepest, c[i].gap);
    if (face.s > 0 && deepest > face.s + tie) {
      narrow_convex_solids(&sa, &sb, pa->position, 0, sink);
      return;
    }
  }
  manifold_deliver(c, count, 4, pa->position, sink);
}

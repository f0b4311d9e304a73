/* A slow reference for signed distances that shares nothing with the narrow phase: its own support
 * functions in long double, and proofs instead of answers.
 *
 * The signed distance of convex a and b is max over unit n of s(n) = -h(n), where
 * h(n) = h_a(n) + h_b(-n). A claimed gap g with normal n is
 *   not too large   when s(n) >= g (one evaluation), and
 *   not too small   when no direction has h < -g - tolerance.
 * The second is proven by branch and bound on the sphere of directions. On a triangle of unit
 * directions n_1 n_2 n_3 every point x of a - b gives h(m) >= x.m, so that with some points x_j
 * and weights w >= 0 that sum to 1
 *     min h(m) >= min_i sum_j w_j x_j.n_i
 * whatever the weights; the best ones are the value of a game of 3 rows. Points are the supports
 * at the corners of the triangle and of its parents. Triangles that cannot beat the claim are
 * dropped, others halved, until none is left (proven), a direction beats it (refuted) or patience
 * ends (open: a continuum of equally good directions). */
#ifndef SCREE_TESTS_NARROW_REFERENCE_H
#define SCREE_TESTS_NARROW_REFERENCE_H

#include "shape/shape.h"

#include <stdlib.h>

typedef long double real;
typedef struct rv {
  real x, y, z;
} rv;

static inline rv rv_of(v3 a) {
  return (rv){a.x, a.y, a.z};
}
static inline v3 rv_round(rv a) {
  return (v3){(double)a.x, (double)a.y, (double)a.z};
}
static inline rv rv_add(rv a, real s, rv b) {
  return (rv){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline real rv_dot(rv a, rv b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline real rv_norm(rv a) {
  return sqrtl(rv_dot(a, a));
}
static inline rv rv_unit(rv a) {
  const real k = 1 / rv_norm(a);
  return (rv){k * a.x, k * a.y, k * a.z};
}

/* A convex shape, or a triangle, at a place. */
typedef struct ref_solid {
  const shape *shape; /* null: the triangle */
  rv corner[3];
  rv column[3]; /* of the rotation */
  rv at;
} ref_solid;

static inline ref_solid ref_shape(const shape *s, pose p) {
  const real w = p.rotation.w, x = p.rotation.x, y = p.rotation.y, z = p.rotation.z;
  const real k = 2 / (w * w + x * x + y * y + z * z);
  return (ref_solid){
      .shape = s,
      .at = rv_of(p.position),
      .column = {{1 - k * (y * y + z * z), k * (x * y + w * z), k * (x * z - w * y)},
                 {k * (x * y - w * z), 1 - k * (x * x + z * z), k * (y * z + w * x)},
                 {k * (x * z + w * y), k * (y * z - w * x), 1 - k * (x * x + y * y)}}};
}

static inline rv ref_to_world(const ref_solid *c, rv x) {
  return rv_add(rv_add(rv_add(c->at, x.x, c->column[0]), x.y, c->column[1]), x.z, c->column[2]);
}
static inline rv ref_turn_back(const ref_solid *c, rv d) {
  return (rv){rv_dot(c->column[0], d), rv_dot(c->column[1], d), rv_dot(c->column[2], d)};
}

static inline rv ref_support_local(const shape *s, rv d) {
  const real across = sqrtl(d.x * d.x + d.y * d.y), length = rv_norm(d);
  switch (s->kind) {
  case SCREE_SHAPE_SPHERE:
    return rv_add((rv){0, 0, 0}, s->sphere.radius / length, d);
  case SCREE_SHAPE_ELLIPSOID: {
    const real a = s->ellipsoid.radii.x, b = s->ellipsoid.radii.y, c = s->ellipsoid.radii.z;
    const real h = sqrtl(a * a * d.x * d.x + b * b * d.y * d.y + c * c * d.z * d.z);
    return (rv){a * a * d.x / h, b * b * d.y / h, c * c * d.z / h};
  }
  case SCREE_SHAPE_BOX:
    return (rv){copysignl(s->box.half.x, d.x), copysignl(s->box.half.y, d.y),
                copysignl(s->box.half.z, d.z)};
  case SCREE_SHAPE_CAPSULE:
    return rv_add((rv){0, 0, copysignl(s->capsule.half, d.z)}, s->capsule.radius / length, d);
  case SCREE_SHAPE_CYLINDER: {
    const real k = across > 0 ? s->cylinder.radius / across : 0;
    return (rv){k * d.x, k * d.y, copysignl(s->cylinder.half, d.z)};
  }
  case SCREE_SHAPE_CONE: {
    const real k = across > 0 ? s->cone.radius / across : 0;
    const rv rim = {k * d.x, k * d.y, s->cone.bottom}, tip = {0, 0, s->cone.top};
    return rv_dot(rim, d) > rv_dot(tip, d) ? rim : tip;
  }
  default: {
    rv best = rv_of(s->hull.vertex[0]);
    real most = rv_dot(best, d);
    for (uint32_t i = 1; i < s->hull.vertex_count; i++) {
      const rv x = rv_of(s->hull.vertex[i]);
      const real f = rv_dot(x, d);
      if (f > most) most = f, best = x;
    }
    return best;
  }
  }
}

static inline rv ref_support(const ref_solid *c, rv d) {
  if (c->shape) return ref_to_world(c, ref_support_local(c->shape, ref_turn_back(c, d)));
  const real p = rv_dot(c->corner[0], d), q = rv_dot(c->corner[1], d), r = rv_dot(c->corner[2], d);
  return p >= q && p >= r ? c->corner[0] : q >= r ? c->corner[1] : c->corner[2];
}

/* s(n), n of any length. */
static inline real ref_separation(const ref_solid *a, const ref_solid *b, v3 normal) {
  const rv n = rv_unit(rv_of(normal)), m = {-n.x, -n.y, -n.z};
  return rv_dot(n, rv_add(ref_support(b, m), -1, ref_support(a, n)));
}

/* A bound on how far x is from the solid: the distance to some point of it. */
static inline real ref_outside(const ref_solid *c, v3 point) {
  const rv x = ref_turn_back(c, rv_add(rv_of(point), -1, c->at));
  const shape *s = c->shape;
  const real r = sqrtl(x.x * x.x + x.y * x.y);
  switch (s->kind) {
  case SCREE_SHAPE_SPHERE:
    return fmaxl(0, rv_norm(x) - s->sphere.radius);
  case SCREE_SHAPE_ELLIPSOID: {
    const real a = x.x / s->ellipsoid.radii.x, b = x.y / s->ellipsoid.radii.y,
               e = x.z / s->ellipsoid.radii.z, k = sqrtl(a * a + b * b + e * e);
    return k > 1 ? rv_norm(x) * (1 - 1 / k) : 0;
  }
  case SCREE_SHAPE_BOX:
    return rv_norm((rv){fmaxl(0, fabsl(x.x) - s->box.half.x), fmaxl(0, fabsl(x.y) - s->box.half.y),
                        fmaxl(0, fabsl(x.z) - s->box.half.z)});
  case SCREE_SHAPE_CAPSULE:
    return fmaxl(0, hypotl(r, fmaxl(0, fabsl(x.z) - s->capsule.half)) - s->capsule.radius);
  case SCREE_SHAPE_CYLINDER:
    return hypotl(fmaxl(0, r - s->cylinder.radius), fmaxl(0, fabsl(x.z) - s->cylinder.half));
  case SCREE_SHAPE_CONE: {
    const real bottom = s->cone.bottom, top = s->cone.top, height = top - bottom;
    const real z = fmaxl(bottom, fminl(top, x.z)), at = s->cone.radius * (top - z) / height,
               over = fmaxl(0, r - at), slant = hypotl(s->cone.radius, height);
    /* Across the slant, unless that ends beyond the tip or the base. */
    const real step = over * height / slant, foot = z + step * s->cone.radius / slant;
    if (z == x.z && foot <= top) return step;
    return hypotl(over, x.z - z);
  }
  default: {
    real most = 0, inside = INFINITY;
    rv center = {0, 0, 0};
    for (uint32_t i = 0; i < s->hull.vertex_count; i++)
      center = rv_add(center, 1.0L / s->hull.vertex_count, rv_of(s->hull.vertex[i]));
    for (uint32_t f = 0; f < s->hull.face_count; f++) {
      const rv n = rv_of(s->hull.face_normal[f]);
      const real v = rv_dot(n, x) - s->hull.face_offset[f],
                 w = s->hull.face_offset[f] - rv_dot(n, center);
      if (v > 0) most = fmaxl(most, v / (v + w));
      inside = fminl(inside, w);
    }
    return most * rv_norm(rv_add(x, -1, center)); /* shrunk towards the centre until inside */
  }
  }
}

typedef enum ref_verdict { REF_PROVEN, REF_REFUTED, REF_OPEN } ref_verdict;

typedef struct ref_cell {
  rv n[3], x[4]; /* corners; supports there and at one more direction */
} ref_cell;

static inline real ref_game_row(const real a[3][4], int i, const real w[4]) {
  return a[i][0] * w[0] + a[i][1] * w[1] + a[i][2] * w[2] + a[i][3] * w[3];
}
static inline real ref_game_try(const real a[3][4], const real w[4]) {
  return fminl(ref_game_row(a, 0, w), fminl(ref_game_row(a, 1, w), ref_game_row(a, 2, w)));
}

/* A lower bound of the value of the game, mostly the value itself. */
static inline real ref_game(const real a[3][4]) {
  real best = -INFINITY;
  for (int j = 0; j < 4; j++) {
    real w[4] = {0, 0, 0, 0};
    w[j] = 1;
    best = fmaxl(best, ref_game_try(a, w));
    for (int k = j + 1; k < 4; k++)
      for (int i = 0; i < 3; i++) { /* two rows alike on two columns */
        const int l = (i + 1) % 3;
        const real p = a[i][j] - a[l][j], q = a[l][k] - a[i][k], sum = p + q;
        if (!(p * q > 0)) continue;
        real v[4] = {0, 0, 0, 0};
        v[j] = q / sum, v[k] = p / sum;
        best = fmaxl(best, ref_game_try(a, v));
      }
  }
  for (int skip = 0; skip < 4; skip++) { /* all rows alike on three columns */
    const int c[3] = {skip == 0, skip <= 1 ? 2 : 1, skip <= 2 ? 3 : 2};
    real p[3], q[3];
    for (int k = 0; k < 3; k++) {
      p[k] = a[0][c[k]] - a[1][c[k]];
      q[k] = a[0][c[k]] - a[2][c[k]];
    }
    const real u[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2],
                       p[0] * q[1] - p[1] * q[0]};
    const real sum = u[0] + u[1] + u[2];
    if (!(u[0] * sum >= 0 && u[1] * sum >= 0 && u[2] * sum >= 0 && fabsl(sum) > 0)) continue;
    real w[4] = {0, 0, 0, 0};
    for (int k = 0; k < 3; k++) w[c[k]] = u[k] / sum;
    best = fmaxl(best, ref_game_try(a, w));
  }
  return best;
}

static inline real ref_cell_bound(const ref_cell *c) {
  real a[3][4];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) a[i][j] = rv_dot(c->n[i], c->x[j]);
  const real value = ref_game(a);
  if (value >= 0) return value; /* |m| <= 1 on the triangle */
  real wide = 0;
  for (int i = 0; i < 3; i++) {
    const rv e = rv_add(c->n[i], -1, c->n[(i + 1) % 3]);
    wide = fmaxl(wide, rv_dot(e, e));
  }
  const real least = 1 - wide / 3; /* |m|^2 >= 1 - circumradius^2, that of the widest is e/sqrt 3 */
  return least > 0.25L ? value / sqrtl(least) : -INFINITY;
}

static inline rv ref_point(const ref_solid *a, const ref_solid *b, rv n) {
  const rv m = {-n.x, -n.y, -n.z};
  return rv_add(ref_support(a, n), -1, ref_support(b, m));
}

/* Whether no direction parts a and b by more than `gap` + tolerance. When refuted, `by` is how much
 * more the best direction found parts them than the claim said. */
static inline ref_verdict ref_prove(const ref_solid *a, const ref_solid *b, real gap,
                                    real tolerance, int patience, v3 *better, real *by) {
  enum { DEPTH = 4096 };
  static ref_cell stack[DEPTH];
  ref_verdict verdict = REF_PROVEN;
  int count = 0;
  real claim = -gap - tolerance;
  *by = 0;
  for (int k = 0; k < 8; k++) {
    ref_cell c = {.n = {{k & 1 ? 1 : -1, 0, 0}, {0, k & 2 ? 1 : -1, 0}, {0, 0, k & 4 ? 1 : -1}}};
    for (int i = 0; i < 3; i++) c.x[i] = ref_point(a, b, c.n[i]);
    c.x[3] = ref_point(a, b, rv_unit(rv_add(rv_add(c.n[0], 1, c.n[1]), 1, c.n[2])));
    stack[count++] = c;
  }
  while (count > 0) {
    const ref_cell c = stack[--count];
    if (ref_cell_bound(&c) >= claim) continue;
    if (patience-- <= 0 || count + 2 > DEPTH) return verdict == REF_REFUTED ? verdict : REF_OPEN;
    int longest = 0;
    real most = -1;
    for (int i = 0; i < 3; i++) {
      const rv e = rv_add(c.n[i], -1, c.n[(i + 1) % 3]);
      if (rv_dot(e, e) > most) most = rv_dot(e, e), longest = i;
    }
    const int i = longest, j = (i + 1) % 3;
    const rv n = rv_unit(rv_add(c.n[i], 1, c.n[j]));
    const rv x = ref_point(a, b, n);
    const real h = rv_dot(n, x);
    if (h < claim) {
      *better = rv_round(n);
      *by = -h - gap;
      claim = h - tolerance;
      verdict = REF_REFUTED;
    }
    ref_cell left = c, right = c;
    left.n[j] = n, left.x[j] = x, left.x[3] = c.x[j];
    right.n[i] = n, right.x[i] = x, right.x[3] = c.x[i];
    stack[count++] = left;
    stack[count++] = right;
  }
  return verdict;
}

#endif

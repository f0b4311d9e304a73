/* The sure way, for the few pairs where the quick one fails: flat things deep in each other, axes
 * that are almost parallel, normals near which many kinks meet.
 *
 * First the check. A normal n with separation s is right where points p of a and q of b exist with
 * q - p = s n: apart, that proves the distance; overlapping, that n is at least a local maximum.
 *
 * Then the search: branch and bound over all directions. On a triangle of unit directions n_i every
 * point x of a - b bounds h(m) >= x.m from below, and so does every mixture of such points:
 *
 *     least h(m) >= min over i of sum over j of w_j x_j.n_i,     w >= 0, sum of w = 1
 *
 * The best mixture of the supports found so far is the value of a game with 3 rows. Triangles that
 * cannot beat the best separation are dropped, others are halved; a bound's error falls with the
 * square of the triangle's width. */
#include "collide/gjk/gjk.h"
#include "collide/narrow/narrow.h"

/* By how much x is outside the core; 0 inside. */
static double search_outside(const gjk_solid *s, v3 point) {
  const v3 d = v3_sub(point, s->at), x = m33_tmul_v3(&s->r, d);
  if (!s->shape) {
    const v3 p = s->point[0], e = v3_sub(s->point[1], p), f = v3_sub(s->point[2], p);
    const v3 n = v3_normalize(v3_cross(e, f));
    double most = fabs(v3_dot(n, v3_sub(x, p)));
    for (int k = 0; k < 3; k++) {
      const v3 q = s->point[k], edge = v3_sub(s->point[(k + 1) % 3], q);
      most = fmax(most, -v3_dot(v3_cross(n, edge), v3_sub(x, q)) / v3_norm(edge));
    }
    return most;
  }
  const double r = sqrt(x.x * x.x + x.y * x.y);
  switch (s->shape->kind) {
  case SCREE_SHAPE_SPHERE:
    return v3_norm(x);
  case SCREE_SHAPE_CAPSULE:
    return fmax(r, fabs(x.z) - s->shape->capsule.half);
  case SCREE_SHAPE_BOX: {
    const v3 m = v3_sub(v3_abs(x), s->shape->box.half);
    return fmax(0, fmax(m.x, fmax(m.y, m.z)));
  }
  case SCREE_SHAPE_ELLIPSOID: {
    const v3 e = s->shape->ellipsoid.radii, u = {x.x / e.x, x.y / e.y, x.z / e.z};
    return fmax(0, 1 - 1 / v3_norm(u)) * v3_norm(x);
  }
  case SCREE_SHAPE_CYLINDER:
    return fmax(0, fmax(r - s->shape->cylinder.radius, fabs(x.z) - s->shape->cylinder.half));
  case SCREE_SHAPE_CONE: {
    const double radius = s->shape->cone.radius, low = s->shape->cone.bottom,
                 height = s->shape->cone.top - low;
    const double over = (r * height + (x.z - s->shape->cone.top) * radius) /
                        sqrt(radius * radius + height * height);
    return fmax(0, fmax(low - x.z, over));
  }
  default: {
    const polyhedron *h = &s->shape->hull;
    double most = 0;
    for (uint32_t f = 0; f < h->face_count; f++)
      most = fmax(most, v3_dot(h->face_normal[f], x) - h->face_offset[f]);
    return most;
  }
  }
}

static v3 search_nearest(const gjk_solid *s, v3 point) {
  const v3 x = m33_tmul_v3(&s->r, v3_sub(point, s->at));
  if (!s->shape) {
    const gjk_weights w = gjk_nearest_on_triangle(v3_sub(s->point[0], x), v3_sub(s->point[1], x),
                                                  v3_sub(s->point[2], x));
    return v3_add_scaled(v3_add_scaled(v3_scale(w.l[0], s->point[0]), w.l[1], s->point[1]), w.l[2],
                         s->point[2]);
  }
  if (s->shape->kind == SCREE_SHAPE_SPHERE) return s->at;
  v3 near = {0, 0, fmax(-s->shape->capsule.half, fmin(s->shape->capsule.half, x.z))};
  if (s->shape->kind != SCREE_SHAPE_CAPSULE) {
    const narrow_near n = narrow_near_point(s->shape, x);
    if (n.distance <= 0) return point;
    near = n.point;
  }
  return v3_add(s->at, m33_mul_v3(&s->r, near));
}

bool gjk_is_plain(const gjk_solid *a, const gjk_solid *b, const gjk_result *g) {
  const double enough = 1e-12 * (a->size + b->size);
  return search_outside(a, g->a) <= enough && search_outside(b, g->b) <= enough;
}

/* Where the points are a little off they are put back into the solids by turns, across from each
 * other: faces and lines that lie along each other have room for that. When that fails a is at
 * least in its core. */
bool gjk_is_witnessed(const gjk_solid *a, const gjk_solid *b, gjk_result *g) {
  enum { ROUNDS = 16 };
  const double enough = 1e-12 * (a->size + b->size);
  if (gjk_is_plain(a, b, g)) return true;
  const v3 step = v3_scale(g->gap, g->normal);
  v3 p = g->a;
  for (int round = 0; round < ROUNDS; round++) {
    p = search_nearest(a, p);
    const v3 across = v3_add(p, step), q = search_nearest(b, across);
    if (v3_norm2(v3_sub(q, across)) <= enough * enough) {
      g->a = p;
      g->b = q;
      return true;
    }
    p = v3_sub(q, step);
  }
  g->a = search_nearest(a, p);
  g->b = v3_add(g->a, step);
  return false;
}

typedef struct search_cell {
  v3 n[3], x[4]; /* corners; supports there, and one of the parent's */
} search_cell;

/* A mixture of columns is worth its least row. */
static double least_row(v3 m) {
  return fmin(m.x, fmin(m.y, m.z));
}

/* Whether a mixture of the columns is worth the claim: one of them, two that make two rows alike,
 * or three that make all rows alike. */
static bool game_is_worth(const v3 m[4], double claim) {
  for (int j = 0; j < 4; j++)
    if (least_row(m[j]) >= claim) return true;
  for (int j = 0; j < 4; j++)
    for (int k = j + 1; k < 4; k++) {
      const v3 p = m[j], q = m[k];
      const double u[3] = {p.x - p.y, p.y - p.z, p.z - p.x},
                   w[3] = {q.y - q.x, q.z - q.y, q.x - q.z};
      for (int i = 0; i < 3; i++) {
        if (!(u[i] * w[i] > 0)) continue;
        const double share = u[i] / (u[i] + w[i]);
        if (least_row(v3_add_scaled(p, share, v3_sub(q, p))) >= claim) return true;
      }
    }
  for (int skip = 0; skip < 4; skip++) {
    const v3 p = m[skip == 0 ? 1 : 0], q = m[skip <= 1 ? 2 : 1], r = m[skip <= 2 ? 3 : 2];
    const v3 u =
        v3_cross((v3){p.x - p.y, q.x - q.y, r.x - r.y}, (v3){p.x - p.z, q.x - q.z, r.x - r.z});
    const double sum = u.x + u.y + u.z;
    if (!(u.x * sum >= 0 && u.y * sum >= 0 && u.z * sum >= 0) || sum == 0) continue;
    const v3 mix = v3_add_scaled(v3_add_scaled(v3_scale(u.x / sum, p), u.y / sum, q), u.z / sum, r);
    if (least_row(mix) >= claim) return true;
  }
  return false;
}

/* Whether h(n) >= claim for all unit directions n of the triangle; its longest edge. */
static bool cell_holds(const search_cell *c, double claim, int *longest) {
  v3 m[4];
  double wide = 0;
  for (int i = 0; i < 3; i++) {
    const double e = v3_norm2(v3_sub(c->n[i], c->n[(i + 1) % 3]));
    if (e > wide) wide = e, *longest = i;
  }
  for (int j = 0; j < 4; j++)
    m[j] = (v3){v3_dot(c->n[0], c->x[j]), v3_dot(c->n[1], c->x[j]), v3_dot(c->n[2], c->x[j])};
  /* Points of the flat triangle are shorter than 1: |m|^2 >= 1 - wide/3. */
  if (claim < 0) claim *= sqrt(fmax(0, 1 - wide / 3));
  return game_is_worth(m, claim);
}

static v3 search_support(const gjk_solid *a, const gjk_solid *b, v3 n) {
  return v3_sub(gjk_support(a, n), gjk_support(b, v3_neg(n)));
}

/* Directions about as good as the best, apart from each other: nearly coaxial solids have a ring of
 * them, along which s hardly changes, too many to be distinguished by halving cells. */
enum { PEAKS = 48 };
typedef struct search_peaks {
  v3 n[PEAKS];
  double s[PEAKS];
  int count;
} search_peaks;

static void peak_add(search_peaks *p, v3 n, double s) {
  const double beside = 0.99;
  int at = p->count;
  for (int i = 0; i < p->count; i++)
    if (v3_dot(p->n[i], n) > beside) {
      if (p->s[i] >= s) return;
      at = i;
      break;
    }
  if (at == PEAKS) {
    at = 0;
    for (int i = 1; i < PEAKS; i++)
      if (p->s[i] < p->s[at]) at = i;
    if (p->s[at] >= s) return;
  }
  if (at == p->count) p->count++;
  p->n[at] = n;
  p->s[at] = s;
}

/* Climbs from each peak that is at least as good as `least`. */
static void search_climb(const gjk_solid *a, const gjk_solid *b, const search_peaks *p,
                         double least, gjk_result *g) {
  const double rounding = 1e-15 * (a->size + b->size);
  for (int i = 0; i < p->count; i++) {
    if (p->s[i] < least) continue;
    gjk_result next = *g;
    next.normal = p->n[i];
    next.gap = p->s[i];
    for (double before = -INFINITY; next.gap > before + rounding;) {
      before = next.gap;
      gjk_refine(a, b, &next);
    }
    if (next.gap > g->gap) *g = next;
  }
}

/* One pass: s is the best but for the tolerance when it returns true. */
static bool search_pass(const gjk_solid *a, const gjk_solid *b, double tolerance, gjk_result *g,
                        search_peaks *peaks) {
  enum { CELLS = 192, PATIENCE = 30000 };
  search_cell stack[CELLS];
  int count = 0;
  for (int k = 0; k < 8; k++) {
    search_cell *c = stack + count++;
    c->n[0] = (v3){k & 1 ? 1 : -1, 0, 0};
    c->n[1] = (v3){0, k & 2 ? 1 : -1, 0};
    c->n[2] = (v3){0, 0, k & 4 ? 1 : -1};
    for (int i = 0; i < 3; i++) c->x[i] = search_support(a, b, c->n[i]);
    c->x[3] = search_support(a, b, v3_add(c->n[0], v3_add(c->n[1], c->n[2])));
  }
  for (int turn = 0; turn < PATIENCE && count > 0; turn++) {
    const search_cell c = stack[--count];
    int i = 0;
    if (cell_holds(&c, -g->gap - tolerance, &i)) continue;
    if (count + 2 > CELLS) break;
    const int j = (i + 1) % 3;
    const v3 n = v3_normalize(v3_add(c.n[i], c.n[j])), x = search_support(a, b, n);
    const double s = -v3_dot(n, x);
    if (s > g->gap - tolerance) peak_add(peaks, n, s);
    if (s > g->gap) g->gap = s, g->normal = n;
    search_cell *left = stack + count++, *right = stack + count++;
    *left = c;
    left->n[j] = n;
    left->x[j] = x;
    left->x[3] = c.x[j];
    *right = c;
    right->n[i] = n;
    right->x[i] = x;
    right->x[3] = c.x[i];
  }
  return count == 0;
}

void gjk_search(const gjk_solid *a, const gjk_solid *b, gjk_result *g) {
  static const double tolerance[4] = {1e-2, 1e-5, 1e-8, 1e-12};
  const double size = a->size + b->size;
  for (int pass = 0; pass < 4; pass++) {
    gjk_result next = *g;
    search_peaks peaks = {.count = 0};
    const bool sure = search_pass(a, b, tolerance[pass] * size, &next, &peaks);
    search_climb(a, b, &peaks, next.gap - tolerance[pass] * size, g);
    g->sure = sure;
    if (!sure) return;
  }
}

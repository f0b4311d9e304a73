/* Overlapping cores: b - a holds the origin. A polytope inside it, begun from four of its corners,
 * is blown up at the face nearest to the origin until that face lies on the surface; the contact
 * normal is then minus the face's outward normal, and the depth its distance. */
#include "collide/gjk/gjk.h"

enum { EPA_CORNERS = 128, EPA_FACES = 2 * EPA_CORNERS };

typedef struct epa_face {
  uint8_t v[3];
  bool live;
  v3 n;
  double distance;
} epa_face;

typedef struct epa {
  gjk_corner corner[EPA_CORNERS];
  epa_face face[EPA_FACES];
  uint8_t edge[3 * EPA_FACES][2];
  int corners, faces, edges;
} epa;

static gjk_corner epa_support(const gjk_solid *a, const gjk_solid *b, v3 outward) {
  const v3 pb = gjk_support(b, outward), pa = gjk_support(a, v3_neg(outward));
  return (gjk_corner){v3_sub(pb, pa), pa, pb};
}

/* False for a face without area. */
static bool epa_add_face(epa *e, int i, int j, int k) {
  const v3 p = e->corner[i].w, pq = v3_sub(e->corner[j].w, p), pr = v3_sub(e->corner[k].w, p);
  const v3 n = v3_cross(pq, pr);
  const double area = v3_norm(n);
  if (e->faces == EPA_FACES || !(area > 1e-15 * sqrt(v3_norm2(pq) * v3_norm2(pr)))) return false;
  epa_face *f = e->face + e->faces++;
  f->v[0] = (uint8_t)i;
  f->v[1] = (uint8_t)j;
  f->v[2] = (uint8_t)k;
  f->live = true;
  f->n = v3_scale(1 / area, n);
  f->distance = v3_dot(f->n, p);
  return true;
}

/* Corners until they span a volume: the farthest ones across what is there already. */
static bool epa_begin(epa *e, const gjk_solid *a, const gjk_solid *b, const gjk_result *g) {
  static const v3 axis[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  const double size = a->size + b->size;
  e->corners = e->faces = 0;
  for (int k = 0; k < g->count; k++) {
    e->corner[e->corners++] = g->simplex[k];
    const gjk_corner *c = e->corner;
    const int n = e->corners;
    double span = 1;
    if (n == 2) span = v3_norm(v3_sub(c[1].w, c[0].w)) / size;
    if (n == 3)
      span = v3_norm(v3_cross(v3_sub(c[1].w, c[0].w), v3_sub(c[2].w, c[0].w))) / (size * size);
    if (n == 4)
      span = fabs(v3_dot(v3_cross(v3_sub(c[1].w, c[0].w), v3_sub(c[2].w, c[0].w)),
                         v3_sub(c[3].w, c[0].w))) /
             (size * size * size);
    if (!(span > 1e-9)) e->corners--;
  }
  while (e->corners < 4) {
    const gjk_corner *c = e->corner;
    gjk_corner best = c[0];
    double most = 0;
    for (int k = 0; k < 6; k++) {
      v3 d = axis[k];
      if (e->corners == 2) {
        const v3 u = v3_sub(c[1].w, c[0].w);
        d = v3_cross(u, axis[k]);
      }
      if (e->corners == 3) {
        d = v3_cross(v3_sub(c[1].w, c[0].w), v3_sub(c[2].w, c[0].w));
        if (k & 1) d = v3_neg(d);
      }
      if (!(v3_norm2(d) > 0)) continue;
      d = v3_normalize(d);
      const gjk_corner s = epa_support(a, b, d);
      const double f = e->corners ? v3_dot(d, v3_sub(s.w, c[0].w)) : 1;
      if (f > most) most = f, best = s;
    }
    if (!(most > 1e-12 * size)) return false;
    e->corner[e->corners++] = best;
  }
  const gjk_corner *c = e->corner;
  const bool out =
      v3_dot(v3_cross(v3_sub(c[1].w, c[0].w), v3_sub(c[2].w, c[0].w)), v3_sub(c[3].w, c[0].w)) < 0;
  return out ? epa_add_face(e, 0, 1, 2) && epa_add_face(e, 0, 3, 1) && epa_add_face(e, 0, 2, 3) &&
                   epa_add_face(e, 1, 3, 2)
             : epa_add_face(e, 0, 2, 1) && epa_add_face(e, 0, 1, 3) && epa_add_face(e, 0, 3, 2) &&
                   epa_add_face(e, 1, 2, 3);
}

/* Replaces the faces that see the new corner, or have it in their plane, by a fan from it; false
 * when rounding spoils that. */
static bool epa_expand(epa *e, gjk_corner c, double flat) {
  const int at = e->corners;
  e->corner[e->corners++] = c;
  e->edges = 0;
  for (int i = 0; i < e->faces; i++) {
    epa_face *f = e->face + i;
    if (!f->live || v3_dot(f->n, c.w) < f->distance - flat) continue;
    f->live = false;
    for (int k = 0; k < 3; k++) {
      const uint8_t p = f->v[k], q = f->v[(k + 1) % 3];
      int back = -1;
      for (int j = 0; j < e->edges && back < 0; j++)
        if (e->edge[j][0] == q && e->edge[j][1] == p) back = j;
      if (back >= 0) {
        e->edges--;
        e->edge[back][0] = e->edge[e->edges][0];
        e->edge[back][1] = e->edge[e->edges][1];
      } else {
        e->edge[e->edges][0] = p;
        e->edge[e->edges][1] = q;
        e->edges++;
      }
    }
  }
  int kept = 0;
  for (int i = 0; i < e->faces; i++)
    if (e->face[i].live) e->face[kept++] = e->face[i];
  e->faces = kept;
  for (int j = 0; j < e->edges; j++)
    if (!epa_add_face(e, e->edge[j][0], e->edge[j][1], at)) return false;
  return e->faces > 0;
}

static const epa_face *epa_nearest(const epa *e) {
  const epa_face *best = e->face;
  for (int i = 1; i < e->faces; i++)
    if (e->face[i].distance < best->distance) best = e->face + i;
  return best;
}

/* Weights of the origin's foot in the face carry over to the points of a and b. */
static void epa_answer(const epa *e, const epa_face *f, gjk_result *g) {
  const gjk_corner *p = e->corner + f->v[0], *q = e->corner + f->v[1], *r = e->corner + f->v[2];
  const v3 foot = v3_scale(f->distance, f->n);
  const v3 dp = v3_sub(p->w, foot), dq = v3_sub(q->w, foot), dr = v3_sub(r->w, foot);
  double u = fmax(0, v3_dot(f->n, v3_cross(dq, dr))), v = fmax(0, v3_dot(f->n, v3_cross(dr, dp))),
         w = fmax(0, v3_dot(f->n, v3_cross(dp, dq)));
  const double s = u + v + w;
  if (s > 0)
    u /= s, v /= s, w /= s;
  else
    u = 1, v = w = 0;
  g->a = v3_add_scaled(v3_add_scaled(v3_scale(u, p->a), v, q->a), w, r->a);
  g->b = v3_add_scaled(v3_add_scaled(v3_scale(u, p->b), v, q->b), w, r->b);
  g->normal = v3_neg(f->n);
  g->gap = -f->distance;
}

/* A closed surface around the origin: corners - edges + faces = 2. */
static bool epa_is_sound(const epa *e) {
  bool used[EPA_CORNERS] = {false};
  int corners = 0;
  for (int i = 0; i < e->faces; i++)
    for (int k = 0; k < 3; k++)
      if (!used[e->face[i].v[k]]) used[e->face[i].v[k]] = true, corners++;
  return 2 * corners == e->faces + 4;
}

/* Curved solids may have other directions that part them at nearly the same price: with a face that
 * is nearer than the depth found and looks elsewhere nothing is sure. */
static const epa_face *epa_doubtful(const epa *e, const gjk_result *g) {
  for (int i = 0; i < e->faces; i++)
    if (e->face[i].distance < -g->gap && v3_dot(e->face[i].n, g->normal) > -0.99)
      return e->face + i;
  return NULL;
}

/* Thin solids and those with many faces have normals beside each other that are about as good:
 * climbs from those about the answer's from which the way up leads elsewhere. */
static bool epa_improves(const epa *e, const gjk_solid *a, const gjk_solid *b, gjk_result *g) {
  const double size = a->size + b->size, close = 1 - 1e-6, same = 1 - 1e-11;
  for (int i = 0; i < e->faces; i++) {
    const epa_face *f = e->face + i;
    const double cosine = -v3_dot(f->n, g->normal);
    if (f->distance >= -g->gap || cosine > same) continue;
    const v3 w = epa_support(a, b, f->n).w, up = v3_add_scaled(w, -v3_dot(w, f->n), f->n),
             back = v3_add_scaled(g->normal, cosine, f->n);
    const double slope = sqrt(v3_norm2(up) * v3_norm2(back));
    if (v3_dot(up, back) > 0.3 * slope) continue;
    if (cosine > close && v3_dot(w, f->n) + g->gap > 0.05 * slope) continue;
    gjk_result next = *g;
    next.normal = v3_neg(f->n);
    gjk_refine(a, b, &next);
    if (!(next.gap > g->gap + 1e-13 * size)) continue;
    *g = next;
    return true;
  }
  return false;
}

/* The nearest face gives the normal to refine. */
static void epa_choose(const epa *e, const gjk_solid *a, const gjk_solid *b, bool done,
                       gjk_result *g) {
  epa_answer(e, epa_nearest(e), g);
  gjk_refine(a, b, g);
  g->sure = done && epa_is_sound(e);
  if (!(a->smooth || b->smooth)) return;
  while (epa_improves(e, a, b, g)) continue;
  g->sure &= !epa_doubtful(e, g);
}

/* Whether the refined answer is the best of all: blows the polytope up until no face is nearer than
 * it, but for those about its own normal, which are to be as far to 1e-5. */
static bool epa_confirms(epa *e, const gjk_solid *a, const gjk_solid *b, gjk_result *g, int most) {
  const double size = a->size + b->size, enough = 1e-5 * size;
  for (;;) {
    const double depth = -g->gap;
    const epa_face *f = epa_nearest(e);
    if (f->distance >= depth - enough) f = epa_doubtful(e, g);
    if (!f) {
      if (epa_improves(e, a, b, g)) continue;
      return g->shown && epa_is_sound(e);
    }
    const gjk_corner corner = epa_support(a, b, f->n);
    if (e->corners >= most || v3_dot(f->n, corner.w) < depth - 1e-12 * size ||
        !epa_expand(e, corner, 1e-13 * size))
      return false;
  }
}

/* A polytope begun about the answer needs few corners: faces through the corner that touches along
 * the normal are about as far as the depth already. */
bool gjk_confirm(const gjk_solid *a, const gjk_solid *b, gjk_result *g) {
  static const double c[3] = {1, -0.5, -0.5}, s[3] = {0, 0.86602540378443865, -0.86602540378443865};
  enum { FEW = 48 };
  epa e;
  gjk_result seed = {.count = 4};
  const v3 n = g->normal, u = v3_across(n), w = v3_cross(n, u);
  seed.simplex[0] = epa_support(a, b, v3_neg(n));
  for (int k = 0; k < 3; k++)
    seed.simplex[k + 1] =
        epa_support(a, b, v3_add_scaled(v3_add_scaled(v3_scale(0.3, n), c[k], u), s[k], w));
  return epa_begin(&e, a, b, &seed) && epa_confirms(&e, a, b, g, FEW);
}

/* b - a has no volume (points, segments, flat things in one plane): part along what is free. */
static void epa_flat(const epa *e, const gjk_solid *a, const gjk_solid *b, gjk_result *g) {
  g->normal = v3_sub(b->at, a->at);
  if (e->corners == 3)
    g->normal =
        v3_cross(v3_sub(e->corner[1].w, e->corner[0].w), v3_sub(e->corner[2].w, e->corner[0].w));
  if (e->corners == 2) g->normal = v3_across(v3_normalize(v3_sub(e->corner[1].w, e->corner[0].w)));
  g->normal = v3_norm2(g->normal) > 0 ? v3_normalize(g->normal) : (v3){0, 0, 1};
  const v3 x = epa_support(a, b, v3_neg(g->normal)).w;
  if (v3_dot(x, g->normal) < 0) g->normal = v3_neg(g->normal);
  g->gap = 0;
}

/* Expands until the nearest face is within `enough` of the surface. */
static bool epa_blow_up(epa *e, const gjk_solid *a, const gjk_solid *b, double enough) {
  while (e->corners < EPA_CORNERS) {
    const epa_face nearest = *epa_nearest(e);
    const gjk_corner c = epa_support(a, b, nearest.n);
    if (!(v3_dot(nearest.n, c.w) - nearest.distance > enough)) return true;
    if (!epa_expand(e, c, 1e-13 * (a->size + b->size))) return false;
  }
  return false;
}

void gjk_penetration(const gjk_solid *a, const gjk_solid *b, gjk_result *g) {
  epa e;
  const double size = a->size + b->size, enough = (a->smooth || b->smooth ? 1e-5 : 1e-13) * size;
  if (!epa_begin(&e, a, b, g)) {
    epa_flat(&e, a, b, g);
    gjk_refine(a, b, g);
    return;
  }
  if (a->smooth || b->smooth) {
    epa_choose(&e, a, b, epa_blow_up(&e, a, b, 1e-3 * size), g);
    if (g->shown && epa_confirms(&e, a, b, g, EPA_CORNERS)) {
      g->sure = true;
      return;
    }
  }
  epa_choose(&e, a, b, epa_blow_up(&e, a, b, enough), g);
}

/* Signed distance of two convex solids, in steps that share one formula. With a's and b's
 * support functions h_a, h_b the separation along a unit normal n (from a to b) is
 *
 *     s(n) = -h_a(n) - h_b(-n),      signed distance = max over n of s(n)
 *
 * gjk_distance finds n when the solids are apart, gjk_penetration when they overlap, and
 * gjk_refine sharpens n until s is right to rounding: an error in n counts only squared. Where
 * that cannot be shown to be the maximum gjk_search looks everywhere.
 *
 * Solids are cores with a roundness: a sphere is a point, a capsule a segment. The functions here
 * see cores; the radii are subtracted at the end. Coordinates are relative to a's origin, so that a
 * scene far from its origin loses no digits. */
#ifndef SCREE_COLLIDE_GJK_GJK_H
#define SCREE_COLLIDE_GJK_GJK_H

#include "shape/shape.h"

typedef struct gjk_solid {
  v3 (*support)(const struct gjk_solid *c, v3 direction); /* core's, own frame */
  const shape *shape;                                     /* null: the points below */
  const v3 *point;
  uint32_t point_count;
  m33 r;
  v3 at;
  double round; /* m */
  double size;  /* radius about `at` that holds the core */
  bool smooth;  /* has curved surface besides the roundness */
} gjk_solid;

gjk_solid gjk_solid_shape(const shape *s, v3 at, quat rotation);
/* One to a few points, for instance a triangle, given in the frame that the other solid uses. */
gjk_solid gjk_solid_points(const v3 *points, uint32_t count);

static inline v3 gjk_support(const gjk_solid *c, v3 direction) {
  return v3_add(c->at, m33_mul_v3(&c->r, c->support(c, m33_tmul_v3(&c->r, direction))));
}

/* A corner of b - a, and the points it is the difference of. */
typedef struct gjk_corner {
  v3 w, a, b;
} gjk_corner;

typedef struct gjk_result {
  gjk_corner simplex[4];
  int count;
  v3 normal;  /* unit, from a to b */
  v3 a, b;    /* points of the cores that are nearest, or deepest in each other */
  double gap; /* s(normal), cores */
  bool apart; /* false: the cores touch or overlap; call gjk_penetration */
  bool far;   /* proven farther apart than the limit; the gap is a lower bound */
  bool shown; /* the points lie in the cores, so the normal is at least a local maximum */
  bool sure;  /* no other normal far from this one can be better */
} gjk_result;

/* Weights of the point of a simplex nearest to the origin; unused corners get 0. */
typedef struct gjk_weights {
  double l[4];
  double d2;
} gjk_weights;
gjk_weights gjk_nearest_on_triangle(v3 p, v3 q, v3 r);

/* Stops early, with `apart` and `far`, once the cores are proven farther apart than `limit`. A
 * rough answer is a start for gjk_refine, which is to be checked. */
void gjk_distance(const gjk_solid *a, const gjk_solid *b, double limit, bool rough,
                  gjk_result *result);

/* Whether the points a and b are in their cores, or nearly so and could be put there: that shows
 * that the normal is right; `plain` without putting. */
bool gjk_is_plain(const gjk_solid *a, const gjk_solid *b, const gjk_result *result);
bool gjk_is_witnessed(const gjk_solid *a, const gjk_solid *b, gjk_result *result);

/* Sharpens the normal and moves the points to where it touches; sets `shown`. */
void gjk_refine(const gjk_solid *a, const gjk_solid *b, gjk_result *result);
/* Goes on from the simplex that gjk_distance left; its answer is refined. */
void gjk_penetration(const gjk_solid *a, const gjk_solid *b, gjk_result *result);

/* Whether no other normal far from the given one, which is refined and shown, parts the overlapping
 * cores by less. False where a few corners do not tell. */
bool gjk_confirm(const gjk_solid *a, const gjk_solid *b, gjk_result *result);

/* Looks for a better normal than the given one, refined already, among all directions: slow, and
 * right to 1e-12 of the sizes where it returns with `sure`. */
void gjk_search(const gjk_solid *a, const gjk_solid *b, gjk_result *result);

/* All of it; false when the cores are farther apart than `limit`. */
bool gjk_signed_distance(const gjk_solid *a, const gjk_solid *b, double limit, gjk_result *result);

#endif

/* Signed distance of two convex solids, in three steps that share one formula. With a's and b's
 * support functions h_a, h_b the separation along a unit normal n (from a to b) is
 *
 *     s(n) = -h_a(n) - h_b(-n),      signed distance = max over n of s(n)
 *
 * gjk_distance finds n when the solids are apart, gjk_penetration when they overlap, and
 * gjk_refine sharpens n until s is right to rounding: an error in n counts only squared.
 *
 * Solids are cores with a roundness: a sphere is a point, a capsule a segment. The functions here
 * see cores; the radii are subtracted at the end. Coordinates are relative to a's origin, so that a
 * scene far from its origin loses no digits. */
#ifndef SCREE_COLLIDE_GJK_H
#define SCREE_COLLIDE_GJK_H

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
} gjk_result;

/* Stops early, with `apart`, once the cores are proven farther apart than `limit`. */
void gjk_distance(const gjk_solid *a, const gjk_solid *b, double limit, gjk_result *result);

/* What holds the normal at the maximum: a point or smooth patch on a solid leaves it free, an edge
 * or a face does not. */
typedef struct gjk_hold {
  bool a, b; /* true: more than one point of that solid's surface is extreme along the normal */
} gjk_hold;
gjk_hold gjk_refine(const gjk_solid *a, const gjk_solid *b, gjk_result *result);
/* Goes on from the simplex that gjk_distance left; its answer is refined. */
gjk_hold gjk_penetration(const gjk_solid *a, const gjk_solid *b, gjk_result *result);

/* All of it; false when the cores are farther apart than `limit`. */
bool gjk_signed_distance(const gjk_solid *a, const gjk_solid *b, double limit, gjk_result *result,
                         gjk_hold *hold);

#endif

/* Meshes that touch: from a place where they are apart, in exact and in random directions, to where
 * their triangles begin to cross, and a little farther by d. Moving back by d parts them, so that
 * no overlap is told as much deeper, whatever the contacts are; and there is a contact. That
 * triangles cross is found here, triangle by triangle. Links of a chain are saddles that meet,
 * which have neither a vertex that is lowest nor edges that cross between their ends; corners that
 * meet edges exactly have no face that they lie over. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collide/contact_point.h"
#include "scree/scree.h"
#include "shape/shape.h"
#include "tests/support/sanitized.h"

enum { ROUND = 24, ACROSS = 10, MOST = ROUND * ACROSS, BEYOND = 6 };

static const double two_pi = 6.283185307179586, ring = 4.0, tube = 1.0;
static uint64_t seed = 11;

typedef struct solid {
  uint32_t vertices, triangles, triangle[2 * MOST][3];
  v3 vertex[MOST];
  scree_shape *shape;
} solid;

static double even(double least, double most) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return least + (most - least) * (double)(seed >> 11) * 0x1p-53;
}

static void finish(scree_context *context, solid *s) {
  double flat[3 * MOST];
  for (uint32_t i = 0; i < s->vertices; i++)
    flat[3 * i] = s->vertex[i].x, flat[3 * i + 1] = s->vertex[i].y,
             flat[3 * i + 2] = s->vertex[i].z;
  assert_int_equal(
      scree_shape_create_mesh(context, s->vertices, flat, s->triangles, s->triangle[0], &s->shape),
      0);
}

static void make_ring(scree_context *context, solid *s) {
  s->vertices = MOST, s->triangles = 2 * MOST;
  for (uint32_t i = 0; i < ROUND; i++)
    for (uint32_t k = 0; k < ACROSS; k++) {
      const double a = two_pi * i / ROUND, b = two_pi * k / ACROSS, r = ring + tube * cos(b);
      const uint32_t here = ACROSS * i, next = ACROSS * ((i + 1) % ROUND), up = (k + 1) % ACROSS;
      const uint32_t two[2][3] = {{here + k, next + k, next + up},
                                  {here + k, next + up, here + up}};
      s->vertex[here + k] = (v3){r * cos(a), r * sin(a), tube * sin(b)};
      memcpy(s->triangle[2 * (here + k)], two, sizeof two);
    }
  finish(context, s);
}

/* An L of 6 x 6 x 2, its bars 2 wide. */
static void make_l(scree_context *context, solid *s) {
  static const double corner[6][2] = {{0, 0}, {6, 0}, {6, 2}, {2, 2}, {2, 6}, {0, 6}};
  static const uint32_t cap[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
  s->vertices = 12, s->triangles = 20;
  for (uint32_t k = 0; k < 12; k++)
    s->vertex[k] = (v3){corner[k % 6][0] - 2, corner[k % 6][1] - 2, k < 6 ? -1 : 1};
  for (uint32_t k = 0; k < 4; k++)
    for (uint32_t m = 0; m < 3; m++)
      s->triangle[2 * k][m] = cap[k][2 - m], s->triangle[2 * k + 1][m] = cap[k][m] + 6;
  for (uint32_t k = 0; k < 6; k++) {
    const uint32_t a = k, b = (k + 1) % 6, two[2][3] = {{a, b, b + 6}, {a, b + 6, a + 6}};
    memcpy(s->triangle[8 + 2 * k], two, sizeof two);
  }
  finish(context, s);
}

/* Does the edge from a to b run through the triangle? */
static bool runs_through(v3 a, v3 b, const v3 p[3]) {
  const v3 n = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]));
  const double ha = v3_dot(n, v3_sub(a, p[0])), hb = v3_dot(n, v3_sub(b, p[0]));
  if (!(ha < 0 && hb > 0) && !(ha > 0 && hb < 0)) return false;
  const v3 x = v3_add_scaled(a, ha / (ha - hb), v3_sub(b, a));
  for (int i = 0; i < 3; i++)
    if (v3_dot(v3_cross(n, v3_sub(p[(i + 1) % 3], p[i])), v3_sub(x, p[i])) < 0) return false;
  return true;
}

/* Of a mesh, placed: its triangles, and a box about each. */
typedef struct placed {
  const solid *s;
  v3 at[MOST], lo[2 * MOST], hi[2 * MOST], low, high;
} placed;

static void place(const solid *s, pose p, placed *out) {
  out->s = s;
  out->low = (v3){INFINITY, INFINITY, INFINITY}, out->high = v3_neg(out->low);
  for (uint32_t i = 0; i < s->vertices; i++) out->at[i] = pose_apply(p, s->vertex[i]);
  for (uint32_t i = 0; i < s->triangles; i++) {
    const v3 a = out->at[s->triangle[i][0]], b = out->at[s->triangle[i][1]],
             c = out->at[s->triangle[i][2]];
    out->lo[i] = v3_min(a, v3_min(b, c)), out->hi[i] = v3_max(a, v3_max(b, c));
    out->low = v3_min(out->low, out->lo[i]), out->high = v3_max(out->high, out->hi[i]);
  }
}

static bool meet(v3 lo_a, v3 hi_a, v3 lo_b, v3 hi_b) {
  return lo_a.x <= hi_b.x && lo_b.x <= hi_a.x && lo_a.y <= hi_b.y && lo_b.y <= hi_a.y &&
         lo_a.z <= hi_b.z && lo_b.z <= hi_a.z;
}

static bool edges_run_through(const placed *f, uint32_t i, const placed *e, uint32_t k) {
  v3 p[3];
  for (int m = 0; m < 3; m++) p[m] = f->at[f->s->triangle[i][m]];
  for (int m = 0; m < 3; m++)
    if (runs_through(e->at[e->s->triangle[k][m]], e->at[e->s->triangle[k][(m + 1) % 3]], p))
      return true;
  return false;
}

static bool cross(const solid *sa, pose pa, const solid *sb, pose pb) {
  static placed a, b;
  place(sa, pa, &a);
  place(sb, pb, &b);
  for (uint32_t i = 0; i < sa->triangles; i++)
    if (meet(a.lo[i], a.hi[i], b.low, b.high))
      for (uint32_t k = 0; k < sb->triangles; k++)
        if (meet(a.lo[i], a.hi[i], b.lo[k], b.hi[k]) &&
            (edges_run_through(&a, i, &b, k) || edges_run_through(&b, k, &a, i)))
          return true;
  return false;
}

static pose moved(pose p, double way, v3 along) {
  p.position = v3_add_scaled(p.position, way, along);
  return p;
}

/* How far b goes from where it is apart until it crosses a; 0: it does not. */
static double way_to_touch(const solid *sa, pose a, const solid *sb, pose b, v3 along) {
  double apart = 0.0, touch = 0.25;
  if (cross(sa, a, sb, b)) return 0.0;
  while (!cross(sa, a, sb, moved(b, touch, along))) {
    apart = touch;
    if ((touch += 0.25) > 8.0) return 0.0;
  }
  for (int k = 0; k < 40; k++) {
    const double middle = 0.5 * (apart + touch);
    if (cross(sa, a, sb, moved(b, middle, along)))
      touch = middle;
    else
      apart = middle;
  }
  return apart;
}

/* How many were judged. */
static int judge(const solid *sa, pose a, const solid *sb, pose b, v3 along, const char *what,
                 int k) {
  static const double beyond[BEYOND] = {0.0, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2};
  const double way = way_to_touch(sa, a, sb, b, along);
  if (way == 0.0) return 0;
  for (int m = 0; m < BEYOND; m++) {
    contact_point c[CONTACT_POINT_MAX];
    const int n = narrow_collide(sa->shape, a, sb->shape, moved(b, way + beyond[m], along), 0.1, c,
                                 CONTACT_POINT_MAX);
    double least = INFINITY;
    for (int i = 0; i < n; i++) least = fmin(least, c[i].gap);
    if (least > 1e-6) fail_msg("%s %d: %g beyond touch, least gap %g", what, k, beyond[m], least);
    if (least < -2.0 * beyond[m] - 1e-5)
      fail_msg("%s %d: %g beyond touch, told as %g deep", what, k, beyond[m], -least);
  }
  return 1;
}

static quat turned(v3 axis, double angle) {
  const double s = sin(0.5 * angle);
  return (quat){cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
}

static v3 any_direction(void) {
  const double z = even(-1, 1), phi = even(0, two_pi), r = sqrt(1 - z * z);
  return (v3){r * cos(phi), r * sin(phi), z};
}

static const v3 ways[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
static const pose origin = {{0, 0, 0}, {1, 0, 0, 0}};

static void links_touch(void **state) {
  const solid *s = *state;
  const quat across = turned(ways[0], 0.25 * two_pi);
  const pose links[] = {{{ring, 0, 0}, across},
                        {{0, 0, 3.0}, origin.rotation},
                        {{-10.5, 0, 0}, origin.rotation},
                        {{-10.5, 0, 0}, across}};
  int judged = 0;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 6; k++)
      judged += judge(s, origin, s, links[i], ways[k], "exact", 6 * i + k);
  for (int k = 0; k < (SANITIZED ? 4 : 40); k++) {
    const double turn = (k % 2 ? 0.01 : 1.0) * even(0, 1);
    pose link = links[0];
    link.rotation = quat_mul(turned(any_direction(), turn), across);
    judged += judge(s, origin, s, link, k % 3 ? ways[k % 6] : any_direction(), "turned", k);
  }
  assert_true(judged > 10);
}

/* An L and a ring, or two of them, in places of a grid and at random. */
static void ls_touch(void **state) {
  const solid *both = *state;
  int judged = 0;
  for (int k = 0; k < (SANITIZED ? 40 : 1200); k++) {
    const solid *other = both + (k % 4 != 0);
    const bool exact = k % 3 == 0;
    pose p = {v3_scale(9.0, any_direction()), turned(any_direction(), even(0, two_pi))};
    if (exact) {
      const v3 at = p.position;
      p.position = (v3){round(at.x), round(at.y), round(at.z)};
      p.rotation = quat_mul(turned(ways[0], 0.125 * two_pi * (int)even(0, 8)),
                            turned(ways[2], 0.25 * two_pi * (int)even(0, 4)));
    }
    const v3 to = v3_scale(-1 / v3_norm(p.position), p.position);
    judged += judge(both + 1, origin, other, p, exact ? ways[k / 3 % 6] : to,
                    other == both ? "L on ring" : "L on L", k);
  }
  assert_true(judged > (SANITIZED ? 10 : 400));
}

/* The outer corner of an L in the inner corner of another, a little too deep in each of its walls
 * and tilted: what goes back by as much is out, so that nothing is deeper. */
static void corners_nest(void **state) {
  const solid *l = (const solid *)*state + 1;
  for (int k = 0; k < (SANITIZED ? 400 : 20000); k++) {
    const double in[2] = {pow(10.0, even(-9, -4)), pow(10.0, even(-9, -4))};
    const double tilt = k % 4 ? pow(10.0, even(-9, -5)) : 0.0;
    const pose a = {{even(-1, 1), even(-1, 1), even(-1, 1)}, turned(any_direction(), even(0, 6))};
    const v3 at = {2.0 - in[0], 2.0 - in[1], k % 3 ? even(-1.5, 1.5) : 0.0};
    const pose b = pose_mul(a, (pose){at, turned(any_direction(), tilt)});
    const double most = in[0] + in[1] + 20.0 * tilt + 1e-8;
    contact_point c[CONTACT_POINT_MAX];
    const int n =
        narrow_collide(l->shape, a, l->shape, b, k % 2 ? 0.01 : 0.5, c, CONTACT_POINT_MAX);
    double least = INFINITY;
    for (int i = 0; i < n; i++) least = fmin(least, c[i].gap);
    if (!(least < 0.0 || tilt > 0.0) || least < -most)
      fail_msg("corner %d: least gap %g, in by %g and %g, tilted by %g", k, least, in[0], in[1],
               tilt);
  }
}

static solid solids[2];
static scree_context *context;

static int begin(void **state) {
  const scree_context_def d = scree_context_def_default();
  context = scree_context_create(&d);
  make_ring(context, solids);
  make_l(context, solids + 1);
  *state = solids;
  return 0;
}

static int end(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) scree_shape_destroy(solids[k].shape);
  scree_context_destroy(context);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(links_touch), cmocka_unit_test(ls_touch),
                                     cmocka_unit_test(corners_nest)};
  return cmocka_run_group_tests(tests, begin, end);
}

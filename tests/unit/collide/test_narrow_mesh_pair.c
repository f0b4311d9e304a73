/* Two meshes: convex ones against the exact distance of their hulls, stacks at all offsets and
 * tilts, and shapes that are not convex. */
#include "collide/narrow/narrow.h"
#include "shape/mesh_near.h"
#include "tests/unit/shape/shape_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/one_context.h"

/* The faces of a hull as triangles. */
static shape *mesh_of(const shape *hull) {
  const polyhedron *h = &hull->hull;
  uint32_t t[3 * 256], n = 0;
  for (uint32_t f = 0; f < h->face_count; f++)
    for (uint32_t k = h->face_start[f] + 1; k + 1 < h->face_start[f + 1]; k++) {
      t[n++] = h->face_vertex[h->face_start[f]];
      t[n++] = h->face_vertex[k];
      t[n++] = h->face_vertex[k + 1];
    }
  shape *s;
  assert_int_equal(scree_shape_create_mesh(context, h->vertex_count, &h->vertex[0].x, n / 3, t, &s),
                   0);
  assert_true(s->mesh.closed);
  return s;
}

static shape *random_hull(uint64_t *seed, int points) {
  double p[3 * 16];
  for (int i = 0; i < 3 * points; i++) p[i] = random_real(seed, -1, 1);
  shape *s;
  assert_int_equal(scree_shape_create_hull(context, (size_t)points, p, &s), 0);
  return s;
}

static shape *cuboid(v3 half) {
  double p[24];
  for (int i = 0; i < 8; i++)
    v3_store(p + 3 * i,
             (v3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
  shape *hull;
  assert_int_equal(scree_shape_create_hull(context, 8, p, &hull), 0);
  shape *s = mesh_of(hull);
  scree_shape_destroy(hull);
  return s;
}

static double least_gap(const contact_point *c, int n) {
  double gap = INFINITY;
  for (int i = 0; i < n; i++) gap = fmin(gap, c[i].gap);
  return gap;
}

/* Apart the least gap is the distance, with points on both surfaces; overlapping by up to a tenth
 * of the size the deepest contact is within what the hulls say. */
static void convex_meshes_have_the_hulls_distance(void **state) {
  (void)state;
  uint64_t seed = 5;
  int apart = 0, over = 0;
  for (int trial = 0; trial < 4000; trial++) {
    shape *ha = random_hull(&seed, 4 + trial % 9), *hb = random_hull(&seed, 4 + trial % 7);
    shape *a = mesh_of(ha), *b = mesh_of(hb);
    const pose pa = random_pose(&seed, 1), pb = random_pose(&seed, 1);
    const double margin = 0.5;
    contact_point exact[32], c[32];
    const int n = narrow_collide(ha, pa, hb, pb, margin, exact, 32);
    const int m = narrow_collide(a, pa, b, pb, margin, c, 32);
    const double want = least_gap(exact, n), got = least_gap(c, m);
    if (n == 0) {
      assert_int_equal(m, 0);
    } else if (want > 0) {
      apart++;
      if (fabs(got - want) > 1e-9) fail_msg("trial %d: %g, not %g", trial, got, want);
    } else if (want > -0.1) {
      over++;
      if (m == 0) fail_msg("trial %d: no contact, depth %g", trial, want);
      if (got > 1e-12 || got < 3 * want - 1e-9) fail_msg("trial %d: %g, not %g", trial, got, want);
    }
    scree_shape_destroy(ha);
    scree_shape_destroy(hb);
    scree_shape_destroy(a);
    scree_shape_destroy(b);
  }
  assert_true(apart > 300 && over > 300);
}

/* A cube on a block, at offsets and turns from none to rounding to visible ones: all contacts point
 * up, and they hold the cube's centre. */
static void stacked_cubes_are_held(void **state) {
  (void)state;
  uint64_t seed = 3;
  const v3 half = {0.05, 0.05, 0.05}, wide = {2, 2, 0.1};
  shape *cube = cuboid(half), *block = cuboid(wide);
  const double tiny[8] = {0, 1e-16, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4};
  for (int trial = 0; trial < 4000; trial++) {
    const double e = tiny[trial % 8], tilt = tiny[trial / 8 % 8];
    const shape *below = trial % 3 ? cube : block;
    const double level = 0.05 + (trial % 3 ? 0.05 : 0.1);
    const v3 turn = {0.1 * random_real(&seed, -tilt, tilt), 0.1 * random_real(&seed, -tilt, tilt),
                     10 * random_real(&seed, -e, e)};
    const pose pa = {{random_real(&seed, -e, e), random_real(&seed, -e, e),
                      level + 0.01 * random_real(&seed, -tilt, tilt)},
                     quat_exp(turn)};
    contact_point c[32];
    const int n = narrow_collide(cube, pa, below, pose_identity(), 1e-3, c, 32);
    double lo[2] = {1, 1}, hi[2] = {-1, -1};
    if (n < 3) fail_msg("trial %d: %d contacts", trial, n);
    for (int i = 0; i < n; i++) {
      if (c[i].normal.z > -0.99) fail_msg("trial %d: sideways", trial);
      const double x[2] = {c[i].point_a.x, c[i].point_a.y};
      for (int k = 0; k < 2; k++) {
        lo[k] = fmin(lo[k], x[k]);
        hi[k] = fmax(hi[k], x[k]);
      }
      if (fabs(c[i].gap) > 0.1 * tilt + 1e-12) fail_msg("trial %d: gap %g", trial, c[i].gap);
    }
    for (int k = 0; k < 2; k++)
      if (lo[k] > -0.045 || hi[k] < 0.045) fail_msg("trial %d: held by a part", trial);
  }
  scree_shape_destroy(cube);
  scree_shape_destroy(block);
}

/* An L, 1 x 1 x 0.4 with arms 0.4 wide, as a mesh and as three boxes. */
static shape *ell_mesh(void) {
  static const double x[6] = {0, 1, 1, 0.4, 0.4, 0}, y[6] = {0, 0, 0.4, 0.4, 1, 1};
  double p[36];
  uint32_t t[60], n = 0;
  for (uint32_t i = 0; i < 12; i++) v3_store(p + 3 * i, (v3){x[i % 6], y[i % 6], i < 6 ? 0 : 0.4});
  for (uint32_t i = 0; i < 6; i++) {
    const uint32_t k = (i + 1) % 6, side[6] = {i, k, k + 6, i, k + 6, i + 6};
    for (int j = 0; j < 6; j++) t[n++] = side[j];
  }
  for (uint32_t i = 1; i < 5; i++) {
    const uint32_t ends[6] = {0, i + 1, i, 6, i + 6, i + 7};
    for (int j = 0; j < 6; j++) t[n++] = ends[j];
  }
  shape *s;
  assert_int_equal(scree_shape_create_mesh(context, 12, p, n / 3, t, &s), 0);
  assert_true(s->mesh.closed);
  return s;
}

static shape *ell_boxes(void) {
  const double half[3][3] = {{0.2, 0.2, 0.2}, {0.3, 0.2, 0.2}, {0.2, 0.3, 0.2}};
  scree_shape_part part[3] = {{.position = {0.2, 0.2, 0.2}, .rotation = {1}},
                              {.position = {0.7, 0.2, 0.2}, .rotation = {1}},
                              {.position = {0.2, 0.7, 0.2}, .rotation = {1}}};
  shape *s;
  for (int i = 0; i < 3; i++)
    assert_int_equal(scree_shape_create_box(context, half[i], &part[i].shape), 0);
  assert_int_equal(scree_shape_create_compound(context, 3, part, &s), 0);
  for (int i = 0; i < 3; i++) scree_shape_destroy(part[i].shape);
  return s;
}

/* Apart the least gap is the distance; what touches is never told to be deep. Overlapping by little
 * they are reported, and moving them apart as the contacts say, a few times, parts them. */
static void ells_have_the_boxes_distance(void **state) {
  (void)state;
  uint64_t seed = 11;
  shape *mesh = ell_mesh(), *boxes = ell_boxes();
  int apart = 0, over = 0;
  for (int trial = 0; trial < 12000; trial++) {
    const pose pb = random_pose(&seed, 0.5);
    pose pa = random_pose(&seed, 1);
    contact_point exact[32], c[32];
    const double margin = 0.2;
    const int n = narrow_collide(boxes, pa, boxes, pb, margin, exact, 32);
    const int m = narrow_collide(mesh, pa, mesh, pb, margin, c, 32);
    const double want = least_gap(exact, n), got = least_gap(c, m);
    if (n == 0) {
      assert_int_equal(m, 0);
    } else if (want > 0) {
      apart++;
      if (fabs(got - want) > 1e-9) fail_msg("trial %d: %g, not %g", trial, got, want);
    } else if (want > -0.05) {
      over++;
      if (m == 0 || got > 1e-12) fail_msg("trial %d: %d contacts, depth %g", trial, m, want);
      double left = got;
      for (int k = 0; k < 60 && left < -1e-6; k++) {
        int deepest = 0;
        const int now = narrow_collide(mesh, pa, mesh, pb, margin, c, 32);
        for (int i = 1; i < now; i++)
          if (c[i].gap < c[deepest].gap) deepest = i;
        left = now ? c[deepest].gap : INFINITY;
        if (left < -0.15) fail_msg("trial %d: %g, not %g", trial, left, want);
        if (left < 0) pa.position = v3_add_scaled(pa.position, left, c[deepest].normal);
      }
      if (left < -1e-3) fail_msg("trial %d: %g are left of %g", trial, left, want);
    }
  }
  assert_true(apart > 200 && over > 200);
  scree_shape_destroy(mesh);
  scree_shape_destroy(boxes);
}

/* A plate that is far wider than what lies on it, and thinner: seen from faces of the L, its middle
 * is anywhere. The gap is the height of the lowest corner, and no contact is deeper, but for what
 * the search for a depth leaves of the plate's size. */
static void a_wide_plate_is_a_floor(void **state) {
  (void)state;
  uint64_t seed = 5;
  const double half[3] = {3000, 3000, 0.1}, margin = 0.5;
  shape *mesh = ell_mesh(), *plate;
  assert_int_equal(scree_shape_create_box(context, half, &plate), 0);
  int over = 0;
  for (int trial = 0; trial < 4000; trial++) {
    pose p = random_pose(&seed, 1000);
    if (trial % 2) p.rotation = quat_exp(v3_scale(0.02, random_unit(&seed)));
    p.position.z = 0;
    double lowest = INFINITY;
    for (uint32_t i = 0; i < mesh->mesh.vertex_count; i++)
      lowest = fmin(lowest, pose_apply(p, mesh->mesh.vertex[i]).z);
    const double want = random_real(&seed, -0.02, 0.18);
    p.position.z = 0.1 + want - lowest;
    contact_point c[32];
    const int n = narrow_collide(plate, pose_identity(), mesh, p, margin, c, 32);
    const double got = least_gap(c, n);
    if (!(fabs(got - want) < (want > 0 ? 1e-6 : 1e-4)))
      fail_msg("trial %d: %g, not %g", trial, got, want);
    over += want < 0;
  }
  assert_true(over > 200);
  scree_shape_destroy(mesh);
  scree_shape_destroy(plate);
}

/* A closed outline (r, z), counterclockwise, turned about z. */
static shape *lathe(int n, const double (*rz)[2], bool axis) {
  enum { AROUND = 24 };
  double p[3 * AROUND * 8];
  uint32_t t[6 * AROUND * 8], count = 0;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < AROUND; i++) {
      const double phi = 6.283185307179586 * i / AROUND;
      v3_store(p + 3 * (AROUND * k + i), (v3){rz[k][0] * cos(phi), rz[k][0] * sin(phi), rz[k][1]});
    }
  for (int k = 0; k < (axis ? n - 1 : n); k++)
    for (int i = 0; i < AROUND; i++) {
      const uint32_t a = (uint32_t)(AROUND * k + i), b = (uint32_t)(AROUND * k + (i + 1) % AROUND),
                     c = (uint32_t)(AROUND * ((k + 1) % n)) + b % AROUND,
                     d = (uint32_t)(AROUND * ((k + 1) % n)) + a % AROUND;
      const uint32_t two[6] = {a, b, c, a, c, d};
      for (int j = 0; j < 6; j++) t[count++] = two[j];
    }
  shape *s;
  assert_int_equal(scree_shape_create_mesh(context, (size_t)(AROUND * n), p, count / 3, t, &s), 0);
  assert_true(s->mesh.closed);
  return s;
}

/* A nut about to land on the head of a bolt: very many contacts with the shaft are nearer, and
 * those with the head must not get lost among them. */
static void nut_sees_the_head_of_the_bolt(void **state) {
  (void)state;
  const double bolt[6][2] = {{0, -0.1},     {0.06, -0.1}, {0.06, -0.06},
                             {0.02, -0.06}, {0.02, 0.1},  {0, 0.1}},
               nut[4][2] = {{0.0215, -0.02}, {0.045, -0.02}, {0.045, 0.02}, {0.0215, 0.02}};
  shape *b = lathe(6, bolt, true), *a = lathe(4, nut, false);
  for (int i = 1; i < 40; i++) {
    const double gap = 0.0001 * i;
    const pose pa = {{0.0005, 0.0003, -0.04 + gap}, quat_exp((v3){0, 0, 0.1 * i})};
    contact_point c[32];
    const int n = narrow_collide(a, pa, b, pose_identity(), 0.0072, c, 32);
    v3 lo = {1, 1, 1}, hi = {-1, -1, -1};
    int down = 0;
    for (int k = 0; k < n; k++) {
      if (c[k].normal.z > -0.999) continue;
      assert_true(fabs(c[k].gap - gap) < 1e-12);
      down++;
      lo = v3_min(lo, c[k].point_a);
      hi = v3_max(hi, c[k].point_a);
    }
    assert_true(down >= 2 && fmax(hi.x - lo.x, hi.y - lo.y) > 0.04);
  }
  scree_shape_destroy(a);
  scree_shape_destroy(b);
}

/* Two triangles. */
static shape *sheet(double half) {
  const double p[12] = {-half, -half, 0, half, -half, 0, half, half, 0, -half, half, 0};
  const uint32_t t[6] = {0, 1, 2, 0, 2, 3};
  shape *s;
  assert_int_equal(scree_shape_create_mesh(context, 4, p, 2, t, &s), 0);
  assert_false(s->mesh.closed);
  return s;
}

/* A cube beyond a sheet does not overlap it, however far contacts are looked for; one that is
 * through it by a part is pushed back to the side of its middle by that part, from both sides. */
static void a_sheet_is_overlapped_where_it_is_crossed(void **state) {
  (void)state;
  shape *a = sheet(1.0), *b = cuboid((v3){0.05, 0.05, 0.05});
  const pose at = {{0, 0, 0}, {1, 0, 0, 0}};
  uint64_t seed = 3;
  for (int trial = 0; trial < 2000; trial++) {
    const double margin = trial % 4 == 0 ? 0.0 : random_real(&seed, 0.0, 0.5);
    pose pb = random_pose(&seed, 0.3);
    double low = INFINITY, high = -INFINITY;
    pb.position.z = random_real(&seed, -0.2, 0.2);
    for (uint32_t k = 0; k < b->mesh.vertex_count; k++) {
      const double z = pose_apply(pb, b->mesh.vertex[k]).z;
      low = fmin(low, z);
      high = fmax(high, z);
    }
    const double want = pb.position.z > 0.0 ? low : -high; /* of the side that its middle is on */
    contact_point c[CONTACT_POINT_MAX];
    const int n = narrow_collide(a, at, b, pb, margin, c, CONTACT_POINT_MAX);
    if (want > margin) {
      assert_int_equal(n, 0);
      continue;
    }
    if (fabs(pb.position.z) < 0.01) continue; /* halfway: either side may be taken */
    if (n == 0 || fabs(least_gap(c, n) - want) > 1e-9)
      fail_msg("trial %d: %d contacts, gap %g, not %g", trial, n, least_gap(c, n), want);
    for (int k = 0; k < n; k++) assert_true(c[k].normal.z * pb.position.z > 0.0);
  }
  scree_shape_destroy(a);
  scree_shape_destroy(b);
}

/* What overlaps is found whatever the margin: a corner deep in a block, while another corner just
 * touches it. */
static void depth_does_not_depend_on_the_margin(void **state) {
  (void)state;
  shape *a = cuboid((v3){1, 1, 1}), *b = cuboid((v3){0.1, 0.02, 0.02});
  const pose at = {{0, 0, 0}, {1, 0, 0, 0}};
  uint64_t seed = 9;
  int deep = 0;
  for (int trial = 0; trial < 3000; trial++) {
    pose pb = random_pose(&seed, 0.8);
    pb.position.z = random_real(&seed, 0.97, 1.1);
    contact_point c[CONTACT_POINT_MAX];
    const double none = least_gap(c, narrow_collide(a, at, b, pb, 0.0, c, CONTACT_POINT_MAX));
    const double wide = least_gap(c, narrow_collide(a, at, b, pb, 0.3, c, CONTACT_POINT_MAX));
    if (wide > -1e-6 || wide < -0.02) continue;
    deep++;
    if (none > 0.9 * wide || none < 1.1 * wide) fail_msg("trial %d: %g, %g", trial, none, wide);
  }
  assert_true(deep > 300);
  scree_shape_destroy(a);
  scree_shape_destroy(b);
}

/* An L of three cubes of 4 mm; the origin is where the two of them that are alone would meet. */
static shape *ell(void) {
  static const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  double v[36];
  uint32_t t[60], n = 0;
  for (int i = 0; i < 12; i++)
    v3_store(v + 3 * i, (v3){(outline[i % 6][0] - 0.8) * 0.004, (outline[i % 6][1] - 0.8) * 0.004,
                             i < 6 ? -0.002 : 0.002});
  for (uint32_t i = 0; i < 6; i++) {
    const uint32_t k = (i + 1) % 6, side[6] = {i, k, k + 6, i, k + 6, i + 6};
    for (int m = 0; m < 6; m++) t[n++] = side[m];
  }
  for (uint32_t i = 0; i < 4; i++) {
    const uint32_t fan[6] = {i + 2, i + 1, 0, 6, i + 7, i + 8};
    for (int m = 0; m < 6; m++) t[n++] = fan[m];
  }
  shape *s;
  assert_int_equal(scree_shape_create_mesh(context, 12, v, n / 3, t, &s), 0);
  assert_true(s->mesh.closed);
  return s;
}

/* Edges that cross at 0.5 degrees and overlap by 0.5 um: nothing that fits is as near, and what
 * parts them is 4 mm away, on the far side. */
static void a_crossing_of_a_hairs_breadth_is_no_deeper(void **state) {
  (void)state;
  shape *s = ell();
  const pose pa = {
      {0.019632588138456784, 0.013763109582075574, 0.012864771775981547},
      {0.87909414859736512, 0.025372978772980559, -0.4749915133424783, 0.030540990532098689}};
  const pose pb = {
      {0.025006923293995172, 0.013444688592912223, 0.011058041970894559},
      {-0.68167146873903886, 0.66512201836031082, -0.12602608789647354, -0.2775862650844329}};
  uint64_t seed = 4;
  for (int trial = 0; trial < 400; trial++) {
    static const double margin[4] = {0.0, 1e-5, 7e-4, 0.02};
    pose p = pb;
    contact_point c[CONTACT_POINT_MAX];
    if (trial >= 4) {
      const v3 off = {random_real(&seed, -2e-7, 2e-7), random_real(&seed, -2e-6, 2e-6),
                      random_real(&seed, -2e-7, 2e-7)};
      p.position = v3_add(p.position, off);
    }
    const int n = narrow_collide(s, pa, s, p, margin[trial % 4], c, CONTACT_POINT_MAX);
    const double gap = least_gap(c, n);
    if (gap < -5e-6) fail_msg("trial %d: %g m", trial, gap);
    if (trial < 4 && !(gap < -4e-7)) fail_msg("trial %d: %g m, not -0.49 um", trial, gap);
  }
  scree_shape_destroy(s);
}

/* A ball of triangles, poles and rings. */
static shape *ball_of_triangles(void) {
  enum { RINGS = 6, ROUND = 10, LAST = 1 + (RINGS - 1) * ROUND };
  double v[3 * (LAST + 1)];
  uint32_t t[6 * RINGS * ROUND], n = 0;
  v3_store(v, (v3){0, 0, 1});
  v3_store(v + 3 * LAST, (v3){0, 0, -1});
  for (int i = 1; i < RINGS; i++)
    for (int k = 0; k < ROUND; k++) {
      const double a = 3.141592653589793 * i / RINGS, b = 2 * 3.141592653589793 * k / ROUND;
      v3_store(v + 3 * (1 + (i - 1) * ROUND + k), (v3){sin(a) * cos(b), sin(a) * sin(b), cos(a)});
    }
  for (uint32_t k = 0; k < ROUND; k++) {
    const uint32_t next = (k + 1) % ROUND, low = LAST - ROUND;
    const uint32_t caps[6] = {0, 1 + k, 1 + next, LAST, low + next, low + k};
    for (int m = 0; m < 6; m++) t[n++] = caps[m];
    for (uint32_t i = 0; i + 2 < RINGS; i++) {
      const uint32_t a = 1 + i * ROUND + k, b = 1 + i * ROUND + next;
      const uint32_t side[6] = {a, a + ROUND, b + ROUND, a, b + ROUND, b};
      for (int m = 0; m < 6; m++) t[n++] = side[m];
    }
  }
  shape *s;
  assert_int_equal(scree_shape_create_mesh(context, LAST + 1, v, n / 3, t, &s), 0);
  assert_true(s->mesh.closed);
  return s;
}

/* With a margin beyond the size all features of two meshes are within it: far sides must not take
 * the place of those that touch. */
static void far_sides_are_no_contacts(void **state) {
  (void)state;
  shape *s = ball_of_triangles();
  uint64_t seed = 6;
  int over = 0;
  for (int trial = 0; trial < 300; trial++) {
    const pose pa = random_pose(&seed, 0.0);
    pose pb = random_pose(&seed, 0.0);
    contact_point c[CONTACT_POINT_MAX];
    pb.position = (v3){0, 0, random_real(&seed, 1.7, 2.05)};
    const double want = least_gap(c, narrow_collide(s, pa, s, pb, 0.1, c, CONTACT_POINT_MAX));
    if (want > -0.01 || want < -0.2) continue;
    over++;
    for (double margin = 0.5; margin < 40; margin *= 4) {
      const double gap = least_gap(c, narrow_collide(s, pa, s, pb, margin, c, CONTACT_POINT_MAX));
      if (gap < 1.2 * want || gap > 0.8 * want)
        fail_msg("trial %d, margin %g: %g, not %g", trial, margin, gap, want);
    }
  }
  assert_true(over > 100);
  scree_shape_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sheet_is_overlapped_where_it_is_crossed),
      cmocka_unit_test(depth_does_not_depend_on_the_margin),
      cmocka_unit_test(a_crossing_of_a_hairs_breadth_is_no_deeper),
      cmocka_unit_test(far_sides_are_no_contacts),
      cmocka_unit_test(convex_meshes_have_the_hulls_distance),
      cmocka_unit_test(ells_have_the_boxes_distance),
      cmocka_unit_test(stacked_cubes_are_held),
      cmocka_unit_test(a_wide_plate_is_a_floor),
      cmocka_unit_test(nut_sees_the_head_of_the_bolt),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

/* Bodies whose turns stand alone: what `direct` leaves out gives the solution of the whole matrix,
 * found here by dense elimination; Cholesky where there are no joints and the matrix is positive
 * definite, LU where it is not. And equilibria that plain Newton's method finds. */
#include <stdio.h>

#include "math/dense.h"
#include "step/smooth/system.h"
#include "tests/physics/physics.h"

static const scree_body_id ground = {0};

static scree_body_id node(lab *l, const double at[3], bool held) {
  scree_body_def d = scree_body_def_default();
  scree_body_id id;
  memcpy(d.position, at, sizeof d.position);
  d.kind = held ? SCREE_BODY_FIXED : SCREE_BODY_DYNAMIC;
  d.mass = 0.01;
  d.inertia[0] = 1e-6, d.inertia[3] = 2e-6, d.inertia[5] = 3e-6;
  d.angular[0] = 3.0, d.angular[1] = -2.0;
  ok(l, scree_world_add_body(l->world, &d, &id));
  return id;
}

static void tetrahedron(lab *l, const scree_body_id *four) {
  scree_link_def d = scree_link_def_default();
  d.kind = SCREE_LINK_TETRAHEDRON;
  d.young = 1e5, d.poisson = 0.3;
  memcpy(d.body, four, 4 * sizeof *four);
  ok(l, scree_world_add_link(l->world, &d, NULL));
}

/* A column of tetrahedra of side 0.1, its lowest layer held: the nodes of its top are first. */
static void column(lab *l, int layers, scree_body_id top[4]) {
  static const int cut[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
  scree_body_id cell[8];
  for (int k = 0; k <= layers; k++) {
    for (int n = 0; n < 4; n++) {
      cell[n] = cell[n + 4];
      cell[n + 4] = node(l, (double[]){0.1 * (n % 2), 0.1 * (n / 2), 0.1 * k}, k == 0);
    }
    for (int e = 0; k && e < 6; e++)
      tetrahedron(
          l, (scree_body_id[]){cell[cut[e][0]], cell[cut[e][1]], cell[cut[e][2]], cell[cut[e][3]]});
  }
  memcpy(top, cell + 4, 4 * sizeof *top);
}

/* Against dense elimination with row exchanges. */
static void check_solution(lab *l, const smooth_weights *weights, bool independent,
                           linear_sign sign, size_t points) {
  smooth_system s;
  linear_solver solver;
  bool again;
  double residual;
  system_init(&s, l->world);
  ok(l, system_begin(&s, &again));
  system_rows(&s);
  memset(s.a, 0, 6 * s.bodies * sizeof *s.a);
  memset(s.step, 0, 6 * s.bodies * sizeof *s.step);
  memset(s.lambda, 0, s.rows * sizeof *s.lambda);
  system_matrix(&s, weights);
  s.matrix.independent = independent;
  const size_t n = s.matrix.size;
  double *a = calloc(n * n, sizeof *a), *x = calloc(n, sizeof *x);
  int *pivot = calloc(n, sizeof *pivot);
  for (uint32_t i = 0; i < s.matrix.nodes; i++)
    for (size_t k = s.matrix.start[i]; k < s.matrix.start[i + 1]; k++) {
      const uint32_t j = s.matrix.neighbour[k];
      for (uint32_t e = 0; e < s.matrix.rows[i] * s.matrix.rows[j]; e++)
        a[s.matrix.first[i] + e / s.matrix.rows[j] +
          n * (s.matrix.first[j] + e % s.matrix.rows[j])] = s.matrix.value[s.matrix.offset[k] + e];
    }
  for (size_t i = 0; i < n; i++) s.x[i] = x[i] = sin(1.0 + (double)i);
  kkt_points found = {.count = 0};
  ok(l, kkt_points_find(l->context, &s.matrix, &found));
  assert_int_equal(found.count, points);
  assert_int_equal(found.left.size, n - 3 * points);
  kkt_points_clear(l->context, &found);
  ok(l, linear_create(l->context, 0, &solver));
  ok(l, solver.class->prepare(solver.self, &s.matrix));
  assert_int_equal(solver.class->sign(solver.self), sign);
  ok(l, solver.class->solve(solver.self, &s.matrix, s.x, &residual));
  assert_true(residual < 1e-12);
  assert_int_equal(dense_lu(n, a, n, 0.0, pivot), n);
  dense_lu_solve(n, a, n, pivot, 1, x, n);
  double most = 0.0;
  for (size_t i = 0; i < 6 * s.bodies; i++) most = fmax(most, fabs(x[i]));
  for (size_t i = 0; i < 6 * s.bodies; i++) assert_near(s.x[i], x[i], 1e-9 * most);
  free(a);
  free(x);
  free(pivot);
  linear_destroy(&solver);
  system_clear(&s);
}

static const smooth_weights step_of = {
    .mass = 1.0, .rate = 5e-4, .place = 2.5e-7, .geometric = true, .turns = true};

static void test_alone(void **state) {
  (void)state;
  lab l = lab_open(0.0, 0.0);
  scree_body_id top[4];
  column(&l, 3, top);
  check_solution(&l, &step_of, true, LINEAR_POSITIVE, 12);
  const smooth_weights against = {.mass = 1.0, .place = -1.0};
  check_solution(&l, &against, true, LINEAR_INDEFINITE, 12);
  lab_close(&l);
}

/* A bar on a hinge and by a ball joint at a node, and a free body beside it. */
static void test_mixed(void **state) {
  (void)state;
  lab l = lab_open(0.0, 0.0);
  scree_body_id top[4];
  column(&l, 2, top);
  scree_body_def d = scree_body_def_default();
  scree_shape *s;
  ok(&l, scree_shape_create_box(l.context, (double[]){0.2, 0.02, 0.03}, &s));
  memcpy(d.position, (double[]){-0.2, 0, 0.2}, sizeof d.position);
  d.collides_with = 0;
  const scree_body_id bar = lab_add(&l, d, s);
  node(&l, (double[]){1, 1, 1}, false);
  scree_joint_def j = scree_joint_def_default();
  j.kind = SCREE_JOINT_HINGE;
  j.body_a = ground, j.body_b = bar;
  memcpy(j.anchor, (double[]){-0.4, 0, 0.2}, sizeof j.anchor);
  ok(&l, scree_world_add_joint(l.world, &j, NULL));
  j.kind = SCREE_JOINT_POINT_ON_LINE;
  j.body_a = bar, j.body_b = top[0];
  memcpy(j.anchor, (double[]){0, 0, 0.2}, sizeof j.anchor);
  ok(&l, scree_world_add_joint(l.world, &j, NULL));
  check_solution(&l, &step_of, true, LINEAR_UNKNOWN, 9);
  check_solution(&l, &step_of, false, LINEAR_UNKNOWN, 9);
  lab_close(&l);
}

/* A column under its weight: few iterations. Beyond the load at which it buckles the straight
 * column is an equilibrium too, and not the one that is found. */
static void test_equilibrium(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    lab l = lab_open(0.0, 0.0);
    scree_body_id top[4];
    scree_equilibrium_info info;
    scree_body_state s;
    column(&l, 12, top);
    const double load[3] = {1e-4, 0, k ? -12.0 : -0.01}, none[3] = {0, 0, 0};
    for (int n = 0; n < 4; n++) ok(&l, scree_body_set_force(l.world, top[n], load, none));
    ok(&l, scree_world_find_equilibrium(l.world, NULL, &info));
    assert_true(info.converged);
    ok(&l, scree_body_get_state(l.world, top[0], &s));
    if (getenv("SHOW"))
      printf("%ld iterations, top at %g %g\n", info.iterations, s.position[0], s.position[2]);
    if (k)
      assert_true(fabs(s.position[0]) > 0.1);
    else
      assert_true(info.iterations <= 5 && fabs(s.position[0]) < 0.01);
    lab_close(&l);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_alone), cmocka_unit_test(test_mixed),
                                     cmocka_unit_test(test_equilibrium)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

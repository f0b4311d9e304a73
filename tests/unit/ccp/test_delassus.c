/* N and r as numbers, against products of the operator with unit impulses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scree/scree.h"
#include "tests/support/one_context.h"

enum { ROWS = 7 };

static scree_ccp *two_contacts_and_a_row(void) {
  scree_ccp *problem;
  uint32_t ball[2];
  assert_int_equal(scree_ccp_create_bodies(context, &problem), SCREE_OK);
  for (int i = 0; i < 2; i++) {
    const scree_ccp_body_def def = {.inverse_mass = 1.0 + i,
                                    .inverse_inertia = {5, 0.1, 0, 6, 0.2, 7},
                                    .v_free = {1, 2, -3, 0.1, 0.2, 0.3 * i}};
    assert_int_equal(scree_ccp_add_body(problem, &def, &ball[i]), SCREE_OK);
  }
  for (int i = 0; i < 2; i++) {
    scree_ccp_contact_def def = scree_ccp_contact_def_default();
    def.body_a = i ? ball[0] : SCREE_CCP_WORLD;
    def.body_b = ball[i];
    def.set = scree_set_coulomb(3, 0.5);
    def.normal[0] = 0.6;
    def.normal[2] = 0.8;
    def.arm_a[0] = 0.3;
    def.arm_b[1] = -0.2;
    def.offset[0] = 0.4;
    def.compliance[1] = 0.01;
    assert_int_equal(scree_ccp_add_contact(problem, &def), SCREE_OK);
  }
  const scree_ccp_term term = {ball[1], {1, 0, 0, 0, 2, 0}};
  const scree_ccp_row_def row = {&term, 1, 0.7, 0.02};
  const scree_set ray = scree_set_ray();
  assert_int_equal(scree_ccp_add_block(problem, &ray, &row), SCREE_OK);
  return problem;
}

static void test_delassus(void **state) {
  (void)state;
  scree_ccp *problem = two_contacts_and_a_row();
  assert_int_equal(scree_ccp_row_count(problem), ROWS);
  size_t start[ROWS + 1];
  uint32_t index[ROWS * ROWS];
  double value[ROWS * ROWS], r[ROWS], g[ROWS] = {0}, u[ROWS], zero[ROWS];
  assert_int_equal(scree_ccp_get_delassus(context, problem, 0, start, NULL, NULL, NULL), SCREE_OK);
  assert_true(start[ROWS] <= ROWS * ROWS);
  assert_int_equal(scree_ccp_get_delassus(context, problem, start[ROWS], start, index, value, r),
                   SCREE_OK);
  assert_int_equal(scree_ccp_velocities(context, problem, g, zero, NULL), SCREE_OK);
  for (int i = 0; i < ROWS; i++) assert_true(fabs(zero[i] - r[i]) < 1e-12);
  for (int c = 0; c < ROWS; c++) {
    double column[ROWS] = {0};
    for (size_t k = start[c]; k < start[c + 1]; k++) {
      assert_true(index[k] < ROWS && (k == start[c] || index[k] > index[k - 1]));
      column[index[k]] = value[k];
    }
    memset(g, 0, sizeof g);
    g[c] = 1.0;
    assert_int_equal(scree_ccp_velocities(context, problem, g, u, NULL), SCREE_OK);
    for (int i = 0; i < ROWS; i++) assert_true(fabs(u[i] - zero[i] - column[i]) < 1e-12);
  }
  scree_ccp_destroy(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_delassus)};
  return cmocka_run_group_tests(tests, setup, teardown);
}

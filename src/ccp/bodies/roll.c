/* A contact with rolling and spinning resistance that its lane did not end (kernels/kernel.h), by
 * sets/local_rolling.c: the block in the frame of the normal and some tangent. A moment across the
 * normal is m = n x z. */
#include "ccp/kernels/kernel.h"
#include "ccp/sets/local.h"
#include "math/vec3.h"

/* The tangents' components of a vector. */
static void across(const double *x, v3 t1, v3 t2, double *out) {
  out[0] = v3_dot(v3_load(x), t1);
  out[1] = v3_dot(v3_load(x), t2);
}

/* (normal, tangents, turned moment, spin) into the rows of a block. */
static void to_rows(const double *x, v3 t1, v3 t2, double *row) {
  double z[2];
  across(x + 4, t1, t2, z);
  row[0] = x[0];
  across(x + 1, t1, t2, row + 1);
  row[3] = -z[1];
  row[4] = z[0];
  row[5] = x[7];
}

static void from_rows(const double *row, v3 t1, v3 t2, double *x) {
  const v3 t = v3_add_scaled(v3_scale(row[1], t1), row[2], t2);
  const v3 z = v3_add_scaled(v3_scale(row[4], t1), -row[3], t2);
  const double all[8] = {row[0], t.x, t.y, t.z, z.x, z.y, z.z, row[5]};
  for (int k = 0; k < 8; k++) x[k] = all[k];
}

void bodies_roll_single(roll_single *one, bool relaxed) {
  const v3 n = v3_load(one->normal);
  const v3 axis = n.x * n.x < 0.5 ? v3_make(1.0, 0.0, 0.0) : v3_make(0.0, 1.0, 0.0);
  const v3 side = v3_cross(n, axis), t1 = v3_scale(1.0 / sqrt(v3_dot(side, side)), side);
  const v3 t2 = v3_cross(n, t1);
  scree_set set = scree_set_rolling(6, one->mu, one->rolling, one->spinning);
  double nii[6][6] = {{0.0}}, q[6], g[6];
  nii[0][0] = one->nn;
  nii[1][1] = nii[2][2] = one->tt;
  nii[3][3] = nii[4][4] = nii[5][5] = one->mm;
  nii[1][4] = nii[4][1] = one->c;
  nii[2][3] = nii[3][2] = -one->c;
  to_rows(one->q, t1, t2, q);
  to_rows(one->x, t1, t2, g);
  set_solve_block(&set, relaxed ? SCREE_MODEL_RELAXED : SCREE_MODEL_COULOMB, nii[0], q, g);
  from_rows(g, t1, t2, one->x);
}

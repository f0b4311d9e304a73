/* A straight beam between two frames, corotational: large displacements and turns, small strains.
 *
 *   d = x_b - x_a,  phi = log(R_a' R_b),  R_m = R_a exp(phi / 2)     the frame in the middle
 *   e   = R_m' d - (L, 0, 0)       stretch and sway in y and z, against the mean turn of the ends
 *   phi                            twist, and bend about y and z
 *
 * In these six strains the stiffness of the straight beam of Euler and Bernoulli, or of Timoshenko,
 * is diagonal, and exact for loads at its ends:
 *
 *   EA/L,  12 E Iz / (L^3 (1 + Fy)),  12 E Iy / (L^3 (1 + Fz)),  GJ/L,  E Iy/L,  E Iz/L
 *   Fy = 12 E Iz / (G As L^2): shear;  0 without it
 *
 * Gradient, with small turns t of the ends in the world frame and T of math/tangent.h:
 *   dphi = T^-1(phi) R_a' (t_b - t_a),      turn of the middle  t_m = t_a + A (t_b - t_a),
 *   A = R_a G R_a',  G = 1/2 T(phi/2) T^-1(phi),     de = R_m' (dd - t_m x d) */
#include "math/tangent.h"
#include "model/link/link.h"

static void measure(const world_link *l, const pose *at, link_strain *out) {
  const pose a = pose_mul(at[0], l->frame[0]), b = pose_mul(at[1], l->frame[1]);
  const v3 d = v3_sub(b.position, a.position);
  const v3 phi = world_rotation_vector(quat_mul(quat_conj(a.rotation), b.rotation));
  const m33 middle = quat_to_m33(quat_mul(a.rotation, quat_exp(v3_scale(0.5, phi))));
  const m33 ra = quat_to_m33(a.rotation);
  const m33 back = tangent_inverse(phi), half = tangent(v3_scale(0.5, phi));
  const m33 product = m33_mul(&half, &back);
  const v3 arm_a = v3_sub(a.position, at[0].position), arm_b = v3_sub(b.position, at[1].position);
  const v3 e = m33_tmul_v3(&middle, d);
  const double strain[6] = {e.x - l->rest, e.y, e.z, phi.x, phi.y, phi.z};
  for (int i = 0; i < 3; i++) {
    const v3 m = v3_make(middle.m[0][i], middle.m[1][i], middle.m[2][i]), c = v3_cross(m, d);
    /* A'c = R_a G' R_a' c */
    const v3 turn = v3_scale(0.5, m33_tmul_v3(&product, m33_tmul_v3(&ra, c)));
    const v3 share = m33_mul_v3(&ra, turn);
    double *g = out->gradient[i];
    v3_store(g, v3_neg(m));
    v3_store(g + 3, v3_sub(v3_sub(c, share), v3_cross(arm_a, m)));
    v3_store(g + 6, m);
    v3_store(g + 9, v3_add(share, v3_cross(arm_b, m)));
    const v3 w = m33_mul_v3(&ra, v3_make(back.m[i][0], back.m[i][1], back.m[i][2]));
    g = out->gradient[3 + i];
    for (int k = 0; k < 12; k++) g[k] = 0.0;
    v3_store(g + 3, v3_neg(w));
    v3_store(g + 9, w);
  }
  for (int i = 0; i < 6; i++) out->strain[i] = strain[i];
}

const link_class link_beam = {.name = "beam", .bodies = 2, .rows = 6, .measure = measure};

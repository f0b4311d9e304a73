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

static void measure(const world_link *l, const pose *at, link_rows *out) {
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
  out->count = 6;
  for (int i = 0; i < 6; i++) {
    out->strain[i] = strain[i];
    out->row[i].stress = l->stiffness[i] * strain[i];
    out->row[i].stiffness = l->stiffness[i];
    out->row[i].damping = l->damping[i];
    out->energy += 0.5 * l->stiffness[i] * strain[i] * strain[i];
  }
  for (int i = 0; i < 3; i++) {
    const v3 m = v3_make(middle.m[0][i], middle.m[1][i], middle.m[2][i]), c = v3_cross(m, d);
    /* A'c = R_a G' R_a' c */
    const v3 turn = v3_scale(0.5, m33_tmul_v3(&product, m33_tmul_v3(&ra, c)));
    const v3 share = m33_mul_v3(&ra, turn);
    double *g = out->row[i].gradient;
    v3_store(g, v3_neg(m));
    v3_store(g + 3, v3_sub(v3_sub(c, share), v3_cross(arm_a, m)));
    v3_store(g + 6, m);
    v3_store(g + 9, v3_add(share, v3_cross(arm_b, m)));
    const v3 w = m33_mul_v3(&ra, v3_make(back.m[i][0], back.m[i][1], back.m[i][2]));
    g = out->row[3 + i].gradient;
    for (int k = 0; k < 12; k++) g[k] = 0.0;
    v3_store(g + 3, v3_neg(w));
    v3_store(g + 9, w);
  }
}

/* Columns x, y, z, orthonormal and right-handed. */
static quat quat_of_axes(v3 x, v3 y, v3 z) {
  const m33 r = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
  return quat_of_m33(&r);
}

static scree_status make(scree_world *w, const scree_link_def *d, world_link *l) {
  const v3 a = v3_load(d->point[0]), b = v3_load(d->point[1]), up = v3_load(d->up);
  const double length = v3_norm(v3_sub(b, a));
  if (!link_positive(length)) return link_refuse(w, "the two ends of a beam must lie apart");
  if (!link_positive(d->young) || !link_positive(d->shear) || !link_positive(d->area) ||
      !link_positive(d->inertia_y) || !link_positive(d->inertia_z) || !link_positive(d->torsion))
    return link_refuse(w, "a beam needs young, shear, area, inertia_y, inertia_z and torsion "
                          "above 0");
  if (!link_not_negative(d->shear_area) || !link_not_negative(d->rayleigh))
    return link_refuse(w, "shear_area and rayleigh must be finite and not negative");
  const v3 x = v3_scale(1.0 / length, v3_sub(b, a));
  v3 z = v3_add_scaled(up, -v3_dot(up, x), x);
  if (v3_norm2(up) == 0.0)
    z = v3_across(x);
  else if (!(v3_norm2(z) > 1e-12 * v3_norm2(up)))
    return link_refuse(w, "`up` must not be along the beam");
  z = v3_normalize(z);
  const pose at[2] = {{a, quat_of_axes(x, v3_cross(z, x), z)},
                      {b, quat_of_axes(x, v3_cross(z, x), z)}};
  for (int k = 0; k < 2; k++) l->frame[k] = link_frame_in(w, l->body[k], at[k]);
  l->rest = length;
  const double ey = d->young * d->inertia_y, ez = d->young * d->inertia_z, l2 = length * length;
  const double soft = d->shear_area > 0.0 ? 12.0 / (d->shear * d->shear_area * l2) : 0.0;
  const double k[LINK_STIFF] = {d->young * d->area / length,
                                12.0 * ez / (l2 * length * (1.0 + ez * soft)),
                                12.0 * ey / (l2 * length * (1.0 + ey * soft)),
                                d->shear * d->torsion / length,
                                ey / length,
                                ez / length};
  for (int i = 0; i < LINK_STIFF; i++) {
    l->stiffness[i] = k[i];
    l->damping[i] = d->rayleigh * k[i];
  }
  return SCREE_OK;
}

const link_class link_beam = {
    .name = "beam", .bodies = 2, .rows = 6, .apart = true, .make = make, .measure = measure};

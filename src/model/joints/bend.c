/* How what held rows push with turns as their bodies move: k = -d(D lambda)/dq in closed form, for
 * kinds whose rows are those of joint_hold_point, followed by those of joint_hold_axis or
 * joint_hold_turn. With small displacements u and turns t of the bodies, x_a and x_b from their
 * centres to the point:
 *
 *   force    F = sum of lambda d, d fixed in a:          dF = t_a x F
 *            on b (F, x_b x F):                          dx_b = t_b x x_b
 *            on a -(F, x_a x F):                         dx_a = u_b + t_b x x_b - u_a
 *   torque   T on b, -T on a: dT by the product rule from its terms in joints.c */
#include <string.h>

#include "model/joints/joints.h"

typedef struct motion {
  v3 u[2], t[2];
} motion;

static v3 axis_change(const joint_view *v, const double *lambda, const motion *m) {
  const v3 x = joint_axis(v->frame[FRAME_A], 0), y = joint_axis(v->frame[FRAME_A], 1);
  const v3 z = joint_axis(v->frame[FRAME_B], 2);
  const v3 dx = v3_cross(m->t[SIDE_A], x), dy = v3_cross(m->t[SIDE_A], y);
  const v3 dz = v3_cross(m->t[SIDE_B], z);
  const v3 first = v3_add(v3_cross(dy, z), v3_cross(y, dz));
  const v3 second = v3_add(v3_cross(dz, x), v3_cross(z, dx));
  return v3_add(v3_scale(lambda[0], first), v3_scale(lambda[1], second));
}

/* q' = (0, w) q / 2, w the turn of b against a as seen from a. */
static v3 turn_change(const joint_view *v, const double *lambda, const motion *m) {
  const quat a = v->frame[FRAME_A].rotation,
             turn = quat_mul(quat_conj(a), v->frame[FRAME_B].rotation);
  const double sign = turn.w < 0.0 ? -1.0 : 1.0, w = sign * turn.w;
  const v3 x = v3_scale(sign, v3_make(turn.x, turn.y, turn.z)), l = v3_load(lambda);
  const v3 by = quat_rotate_inverse(a, v3_sub(m->t[SIDE_B], m->t[SIDE_A]));
  const double dw = -0.5 * v3_dot(by, x);
  const v3 dx = v3_scale(0.5, v3_add(v3_scale(w, by), v3_cross(by, x)));
  const v3 torque = quat_rotate(a, v3_add(v3_scale(w, l), v3_cross(x, l)));
  const v3 change = quat_rotate(a, v3_add(v3_scale(dw, l), v3_cross(dx, l)));
  return v3_add(v3_cross(m->t[SIDE_A], torque), change);
}

/* The change of the loads on a and b, 12 numbers. */
static void change(const joint_view *v, v3 force, const double *lambda, const motion *m,
                   double *out) {
  const joint_class *class = joint_class_of(v->data);
  const v3 point = v->frame[FRAME_B].position;
  const v3 xa = v3_sub(point, v->center[SIDE_A]), xb = v3_sub(point, v->center[SIDE_B]);
  const v3 df = v3_cross(m->t[SIDE_A], force), dxb = v3_cross(m->t[SIDE_B], xb);
  const v3 dxa = v3_add(v3_sub(m->u[SIDE_B], m->u[SIDE_A]), dxb);
  v3 turn = v3_make(0, 0, 0);
  if (class->bend == JOINT_BEND_AXIS) turn = axis_change(v, lambda + class->points, m);
  if (class->bend == JOINT_BEND_TURN) turn = turn_change(v, lambda + class->points, m);
  v3_store(out, v3_neg(df));
  v3_store(out + 3, v3_neg(v3_add(turn, v3_add(v3_cross(dxa, force), v3_cross(xa, df)))));
  v3_store(out + 6, df);
  v3_store(out + 9, v3_add(turn, v3_add(v3_cross(dxb, force), v3_cross(xb, df))));
}

bool joint_bends(const joint_view *v, const double *lambda, double k[12][12]) {
  const joint_class *class = joint_class_of(v->data);
  if (class->bend == JOINT_BEND_OTHER) return false;
  v3 force = v3_make(0, 0, 0);
  for (int p = 0; p < class->points; p++)
    force = v3_add_scaled(force, lambda[p], joint_axis(v->frame[FRAME_A], class->first_point + p));
  for (int column = 0; column < 12; column++) {
    const v3 unit = v3_make(column % 3 == 0, column % 3 == 1, column % 3 == 2);
    double out[12];
    motion m;
    memset(&m, 0, sizeof m);
    *(column % 6 < 3 ? &m.u[column / 6] : &m.t[column / 6]) = unit;
    change(v, force, lambda, &m, out);
    for (int i = 0; i < 12; i++) k[i][column] = -out[i];
  }
  return true;
}

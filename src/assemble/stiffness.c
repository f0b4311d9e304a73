/* Geometric stiffness of joints: what keeps light links under a heavy load from whirling.
 *
 * An impulse p that a joint gives a body at the arm r turns it by r x p. When the body turns by a
 * small angle the arm goes along, and the moment changes by -K angle, K = (r.p)(1 - n n') for a
 * pull along r = |r| n. A step that takes moments at its start is stable up to x = h K / I = 4,
 * a load some hundred times a link of 10 cm at 5 ms. So above x = 3 a part of K, all of it in the
 * end, is taken as at the end of the step:
 *
 *   (I + part h K) w+ = I w + moments,   part = 1 - 3/x    (stable for part > 1/2 - 2/x)
 *
 * No mode of bodies that are tied together has a larger x than the largest of theirs alone. p is
 * that of the step before, as in a warm start. Pushes (r.p < 0) tip a body over in truth too and
 * are left alone. The price: swings of what is stiff decay, at a rate (their frequency)^2 h / 2. */
#include <math.h>
#include <string.h>

#include "assemble/assembly.h"
#include "assemble/joints.h"

static const double stiff_from = 3.0; /* x */

static void add_pull(assembly *a, uint32_t body, v3 arm, v3 pull) {
  const double along = v3_dot(arm, pull), length2 = v3_norm2(arm);
  if (body == WORLD_NO_BODY || !world_is_dynamic(a->world, body)) return;
  if (!(along > 0.0) || !(length2 > 0.0)) return;
  double *k = a->stiffness[body];
  const double f = along / length2;
  k[0] += along - f * arm.x * arm.x;
  k[1] -= f * arm.x * arm.y;
  k[2] -= f * arm.x * arm.z;
  k[3] += along - f * arm.y * arm.y;
  k[4] -= f * arm.y * arm.z;
  k[5] += along - f * arm.z * arm.z;
}

scree_status assembly_find_stiffness(assembly *a, const assembly_params *params) {
  const scree_world *w = a->world;
  a->stiff = false;
  for (size_t j = 0; j < w->joint_limit && !a->stiff; j++)
    a->stiff = w->joint[j].alive && w->joint[j].step > 0.0;
  if (!a->stiff) return SCREE_OK;
  if (memory_grow(a->context, &a->stiffness, &a->stiffness_capacity, w->bodies.limit,
                  sizeof *a->stiffness))
    return SCREE_ERROR_MEMORY;
  memset(a->stiffness, 0, w->bodies.limit * sizeof *a->stiffness);
  for (size_t k = 0; k < w->joint_limit; k++) {
    const joint *j = &w->joint[k];
    if (!j->alive || !(j->step > 0.0)) continue;
    const joint_view view = joint_look(w, j);
    const v3 pull = v3_scale(params->h / j->step, j->impulse);
    add_pull(a, j->body_b, v3_sub(view.b.position, view.center_b), pull);
    add_pull(a, j->body_a, v3_sub(view.b.position, view.center_a), v3_scale(-1.0, pull));
  }
  return SCREE_OK;
}

/* The inverse of a symmetric matrix xx xy xz yy yz zz, which is positive definite. */
static void invert(const double *m, double *out) {
  const double c0 = m[3] * m[5] - m[4] * m[4], c1 = m[2] * m[4] - m[1] * m[5];
  const double c2 = m[1] * m[4] - m[2] * m[3];
  const double f = 1.0 / (m[0] * c0 + m[1] * c1 + m[2] * c2);
  out[0] = f * c0;
  out[1] = f * c1;
  out[2] = f * c2;
  out[3] = f * (m[0] * m[5] - m[2] * m[2]);
  out[4] = f * (m[1] * m[2] - m[0] * m[4]);
  out[5] = f * (m[0] * m[3] - m[1] * m[1]);
}

void assembly_stiffen(assembly *a, uint32_t body, double h, double *inverse_inertia) {
  if (!a->stiff) return;
  const double *k = a->stiffness[body];
  const double *i = inverse_inertia;
  /* Half the trace of K/I: K is the same in the two directions across the arm. */
  const double ratio =
      0.5 * h *
      (k[0] * i[0] + k[3] * i[3] + k[5] * i[5] + 2.0 * (k[1] * i[1] + k[2] * i[2] + k[4] * i[4]));
  if (!(ratio > stiff_from)) return;
  const double part = 1.0 - stiff_from / ratio;
  double sum[6];
  const m33 r = quat_to_m33(a->world->bodies.rotation[body]);
  m33_rotate_diagonal(&r, a->world->bodies.inertia[body], sum);
  const v3 momentum = sym3_mul_v3(sum, a->angular[body]);
  for (int e = 0; e < 6; e++) sum[e] += part * h * k[e];
  invert(sum, inverse_inertia);
  a->angular[body] = sym3_mul_v3(inverse_inertia, momentum);
}

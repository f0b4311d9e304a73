/* Forces f(q, v, t) at the world's state and their blocks K = -df/dq and R = -df/dv, for steppers
 * of smooth motion. dq is the displacement of a centre of mass and a small turn in the world frame.
 *
 *   gyroscopic   f = -w x L, L = I w.   A small turn t changes I by [t] I - I [t], so
 *                R = [w] I - [L],   K = [w] (I [w] - [L])                        [a] b = a x b
 * Motors of torque act along the row of their coordinate (holds.h). */
#include <string.h>

#include "math/tangent.h"
#include "model/holds.h"
#include "model/link/link.h"

static m33 cross_matrix(v3 a) {
  return (m33){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}

static m33 inertia_of(const scree_world *w, size_t i) {
  const m33 r = quat_to_m33(w->bodies.rotation[i]);
  double s[6];
  m33_rotate_diagonal(&r, w->bodies.inertia[i], s);
  return (m33){{{s[0], s[1], s[2]}, {s[1], s[3], s[4]}, {s[2], s[4], s[5]}}};
}

static bool pushed(const scree_world *w, uint32_t i) {
  return i != WORLD_NO_BODY && world_is_dynamic(w, i);
}

static void add_motors(const scree_world *w, double part, body_load *f) {
  for (size_t k = 0; k < w->joint_limit; k++) {
    const joint *j = &w->joint[k];
    double load[HOLD_DIM];
    if (!hold_pushes(j)) continue;
    hold_push(w, j, part, load, NULL);
    for (int s = 0; s < JOINT_SIDES; s++) {
      if (!pushed(w, j->body[s])) continue;
      body_load *sum = &f[j->body[s]];
      sum->force = v3_add(sum->force, v3_load(load + 6 * s));
      sum->torque = v3_add(sum->torque, v3_load(load + 6 * s + 3));
    }
  }
}

static void add_links(const scree_world *w, body_load *f) {
  for (size_t k = 0; k < w->link_limit; k++) {
    const world_link *l = &w->link[k];
    double load[LINK_DIM];
    if (!l->alive) continue;
    link_evaluate(w, l, load, NULL, NULL);
    for (uint32_t b = 0; b < l->body_count; b++) {
      if (!pushed(w, l->body[b])) continue;
      body_load *sum = &f[l->body[b]];
      sum->force = v3_add(sum->force, v3_load(load + 6 * b));
      sum->torque = v3_add(sum->torque, v3_load(load + 6 * b + 3));
    }
  }
}

static void add_link_weights(const scree_world *w, v3 gravity, body_load *f) {
  for (size_t k = 0; k < w->link_limit; k++) {
    const world_link *l = &w->link[k];
    for (uint32_t a = 0; l->alive && l->heavy && a < l->body_count; a++) {
      double mass = 0.0;
      for (uint32_t b = 0; b < l->body_count; b++) mass += link_inertia(l, a, b);
      body_load *sum = &f[l->body[a]];
      if (pushed(w, l->body[a])) sum->force = v3_add_scaled(sum->force, mass, gravity);
    }
  }
}

static double power_of(const scree_world *w, uint32_t i, v3 force, v3 torque) {
  return v3_dot(force, world_linear(w, i)) + v3_dot(torque, world_angular(w, i));
}

double world_link_gain(const scree_world *w) {
  double sum = 0.0;
  for (size_t k = 0; k < w->link_limit; k++) {
    const world_link *l = &w->link[k];
    double load[LINK_DIM];
    if (!l->alive || l->kind != SCREE_LINK_USER) continue;
    link_evaluate(w, l, load, NULL, NULL);
    for (uint32_t b = 0; b < l->body_count; b++)
      if (pushed(w, l->body[b]))
        sum += power_of(w, l->body[b], v3_load(load + 6 * b), v3_load(load + 6 * b + 3));
  }
  return sum;
}

double world_motor_power(const scree_world *w) {
  double sum = 0.0;
  for (size_t k = 0; k < w->joint_limit; k++) {
    const joint *j = &w->joint[k];
    double load[HOLD_DIM];
    if (!hold_pushes(j)) continue;
    hold_push(w, j, 1.0, load, NULL);
    for (int s = 0; s < JOINT_SIDES; s++)
      if (pushed(w, j->body[s]))
        sum += power_of(w, j->body[s], v3_load(load + 6 * s), v3_load(load + 6 * s + 3));
  }
  return sum;
}

void world_forces(const scree_world *w, double part, body_load *f) {
  const world_bodies *b = &w->bodies;
  const v3 gravity = v3_scale(part, v3_load(w->def.gravity));
  const bool pairwise = world_has_pairwise(w);
  if (pairwise) world_pairwise_begin(w); /* no memory: all pairs */
  memset(f, 0, b->limit * sizeof *f);
  for (size_t i = 0; i < b->limit; i++) {
    if (!b->alive[i] || !world_is_dynamic(w, i)) continue;
    f[i].force = v3_scale(b->mass[i], gravity);
    if (pairwise) f[i].force = v3_add(f[i].force, world_pairwise_force(w, i));
    const body_load *more[2] = {b->load ? &b->load[i] : NULL,
                                b->step_load ? &b->step_load[i] : NULL};
    for (int k = 0; k < 2; k++) {
      if (!more[k]) continue;
      f[i].force = v3_add_scaled(f[i].force, part, more[k]->force);
      f[i].torque = v3_add_scaled(f[i].torque, part, more[k]->torque);
    }
    const v3 spin = quat_rotate_inverse(b->rotation[i], b->angular[i]), in = b->inertia[i];
    const v3 local = v3_cross(v3_make(in.x * spin.x, in.y * spin.y, in.z * spin.z), spin);
    f[i].torque = v3_add(f[i].torque, quat_rotate(b->rotation[i], local));
  }
  add_motors(w, part, f);
  add_links(w, f);
  add_link_weights(w, gravity, f);
}

/* ---- blocks --------------------------------------------------------------------------------- */

static void put3(double *block, int row, int column, const m33 *a) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) block[6 * (row + i) + column + j] = a->m[i][j];
}

static void gyroscopic_block(const scree_world *w, size_t i, double *k, double *r) {
  const v3 spin = w->bodies.angular[i];
  const m33 inertia = inertia_of(w, i), turn = cross_matrix(spin);
  const m33 momentum = cross_matrix(m33_mul_v3(&inertia, spin));
  m33 it = m33_mul(&inertia, &turn), ti = m33_mul(&turn, &inertia);
  for (int a = 0; a < 9; a++) {
    it.m[a / 3][a % 3] -= momentum.m[a / 3][a % 3];
    ti.m[a / 3][a % 3] -= momentum.m[a / 3][a % 3];
  }
  const m33 stiff = m33_mul(&turn, &it);
  memset(k, 0, 36 * sizeof *k);
  memset(r, 0, 36 * sizeof *r);
  put3(k, 3, 3, &stiff);
  put3(r, 3, 3, &ti);
}

static void motor_blocks(const scree_world *w, const joint *j, world_visit_block *visit,
                         void *user) {
  static const double zero[36];
  double load[HOLD_DIM], k[HOLD_DIM * HOLD_DIM];
  hold_push(w, j, 1.0, load, k);
  for (int a = 0; a < JOINT_SIDES; a++)
    for (int b = 0; b < JOINT_SIDES; b++) {
      double kab[36];
      if (!pushed(w, j->body[a]) || !pushed(w, j->body[b])) continue;
      for (int i = 0; i < 36; i++) kab[i] = k[HOLD_DIM * (6 * a + i / 6) + 6 * b + i % 6];
      visit(user, j->body[a], j->body[b], kab, zero);
    }
}

static void link_blocks(const scree_world *w, const world_link *l, world_visit_block *visit,
                        void *user) {
  double load[LINK_DIM], k[LINK_DIM * LINK_DIM], r[LINK_DIM * LINK_DIM];
  const uint32_t n = 6 * l->body_count;
  const bool damped = link_is_damped(l);
  double kab[36], rab[36] = {0.0};
  link_evaluate(w, l, load, k, damped ? r : NULL);
  for (uint32_t a = 0; a < l->body_count; a++)
    for (uint32_t b = 0; b < l->body_count; b++) {
      if (!pushed(w, l->body[a]) || !pushed(w, l->body[b])) continue;
      for (uint32_t i = 0; i < 6; i++) {
        const size_t at = (size_t)(6 * a + i) * n + 6 * b;
        memcpy(kab + 6 * i, k + at, 6 * sizeof *k);
        if (damped) memcpy(rab + 6 * i, r + at, 6 * sizeof *r);
      }
      visit(user, l->body[a], l->body[b], kab, rab);
    }
}

void world_force_blocks(const scree_world *w, world_visit_block *visit, void *user) {
  const world_bodies *b = &w->bodies;
  for (size_t i = 0; i < b->limit; i++) {
    double k[36], r[36];
    if (!b->alive[i] || !world_is_dynamic(w, i) || v3_norm2(b->angular[i]) == 0.0) continue;
    gyroscopic_block(w, i, k, r);
    visit(user, (uint32_t)i, (uint32_t)i, k, r);
  }
  for (size_t k = 0; k < w->joint_limit; k++)
    if (hold_pushes(&w->joint[k])) motor_blocks(w, &w->joint[k], visit, user);
  for (size_t k = 0; k < w->link_limit; k++)
    if (w->link[k].alive) link_blocks(w, &w->link[k], visit, user);
}

void world_force_pairs(const scree_world *w, world_visit_pair *visit, void *user) {
  for (size_t k = 0; k < w->joint_limit; k++) {
    const joint *j = &w->joint[k];
    for (int a = 0; j->alive && a < JOINT_SIDES; a++)
      for (int b = 0; b < a; b++)
        if (pushed(w, j->body[a]) && pushed(w, j->body[b])) visit(user, j->body[a], j->body[b]);
  }
  for (size_t k = 0; k < w->link_limit; k++) {
    const world_link *l = &w->link[k];
    for (uint32_t a = 0; l->alive && a < l->body_count; a++)
      for (uint32_t b = 0; b < a; b++)
        if (pushed(w, l->body[a]) && pushed(w, l->body[b])) visit(user, l->body[a], l->body[b]);
  }
}

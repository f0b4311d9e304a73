/* One contact with rolling and spinning resistance a lane, of the form that bodies_kernel.h
 * describes: projections in a diagonal metric, and the exact solution of its block. The part of
 * bodies_kernel_body.h for both. This is a template: no include guard.
 *
 * In z = m x n, the moment across the normal turned by a quarter, the block is
 *
 *   u_n = nn n + q_n,  u_t = tt t + c z + q_t,  w_z = c t + mm z + q_z,  w_n = mm s + q_s
 *
 * on |t| <= mu n, |z| <= rho n, |s| <= sigma n. At a given n, and in all of the relaxed model, what
 * is left is a convex minimum, so that a disc may be left out as long as the solution without it
 * lies in it. Without the disc of t, or that of z, the other one is alone and the block is solved
 * in closed form: that covers all states in which one of both sticks. In the others t = mu n e, z =
 * rho n f with unit vectors
 *
 *   e = -v_e / |v_e|,  v_e = q_t + c rho n f,     f = -v_f / |v_f|,  v_f = q_z + c mu n e
 *
 * which Newton steps on both angles find, n being known from e and f. A lane that they do not end
 * is handed to set_local_rolling.c. Where c is next to nothing, as between equal spheres, the block
 * is a projection. */

enum { ROLL_STEPS = 8 };

typedef struct roll_set {
  vd mu, rho, sigma;
} roll_set;

/* An impulse: normal, tangents; moment across the normal, or turned as above; spinning moment. */
typedef struct roll_point {
  vd n;
  vd3 t, z;
  vd s;
} roll_point;

/* One group's part of the normal below: of norm a, held to k n. */
typedef struct roll_part {
  vd a, k, gain, load;
} roll_part;

INLINE roll_part roll_part_of(vd weight, vd k, vd a) {
  const vd gain = weight * k;
  return (roll_part){a, k, gain * a, gain * k};
}

/* The root of weight (n - p) = sum_j w_j k_j max(0, a_j - k_j n). The difference is concave and
 * piecewise linear: Newton steps from p never pass the root and pass a kink each. They are taken on
 * a fraction, which is divided once. */
INLINE vd roll_normal(vd weight, vd p, const roll_part *part, int count) {
  const vd zero = vd_set(0.0), base = weight * p;
  vd over = base, under = weight;
  for (int step = 0; step < count; step++) {
    vd top = base, bottom = weight;
    for (int j = 0; j < count; j++) {
      const vm held = vd_less(part[j].k * over, part[j].a * under);
      top = top + vd_select(held, part[j].gain, zero);
      bottom = bottom + vd_select(held, part[j].load, zero);
    }
    over = top;
    under = bottom;
  }
  return over / under;
}

/* A vector's length and the inverse of its square, which do not wait for each other. */
typedef struct roll_length {
  vd length, inverse;
} roll_length;

INLINE roll_length roll_length_of(vd3 a) {
  const vd square = vd3_dot(a, a);
  return (roll_length){vd_sqrt(square), vd_set(1.0) / square};
}

/* Onto the disc of a radius: the factor; 0/0 becomes 1 and a NaN passes by way of the vector. */
INLINE vd roll_factor(vd radius, roll_length l) {
  return vd_min(radius * (l.length * l.inverse), vd_set(1.0));
}

INLINE vd roll_spin(vd s, vd radius) {
  return vd_max(vd_set(0.0) - radius, vd_min(radius, s));
}

/* The nearest point of the set in the metric (weight_n, weight_t, weight_m); `joint` false: with
 * the normal first, as the exact model has it. */
INLINE roll_point roll_clamp(roll_set k, vd weight_n, vd weight_t, vd weight_m, bool joint,
                             roll_point x) {
  const roll_length t = roll_length_of(x.t), z = roll_length_of(x.z);
  if (joint) {
    const roll_part part[3] = {roll_part_of(weight_t, k.mu, t.length),
                               roll_part_of(weight_m, k.rho, z.length),
                               roll_part_of(weight_m, k.sigma, vd_abs(x.s))};
    x.n = roll_normal(weight_n, x.n, part, 3);
  }
  x.n = vd_max(vd_set(0.0), x.n);
  x.t = vd3_scale(roll_factor(k.mu * x.n, t), x.t);
  x.z = vd3_scale(roll_factor(k.rho * x.n, z), x.z);
  x.s = roll_spin(x.s, k.sigma * x.n);
  return x;
}

/* ---- the block ------------------------------------------------------------------------------- */

typedef struct roll_block {
  roll_set k;
  vd nn, tt, mm, c;
  vd inverse_nn, inverse_tt, inverse_mm;
  roll_point q;
} roll_block;

INLINE roll_point roll_select(vm m, roll_point a, roll_point b) {
  return (roll_point){vd_select(m, a.n, b.n), vd3_select(m, a.t, b.t), vd3_select(m, a.z, b.z),
                      vd_select(m, a.s, b.s)};
}

/* One disc left out: `held` is what remains in its disc of radius k n, with the other eliminated;
 * `free` follows from it. Returns where that is a solution. */
INLINE vm roll_half(const roll_block *b, bool relaxed, vd held_nn, vd inverse_held, vd held_k,
                    vd free_nn_inverse, vd free_k, vd3 q_held, vd3 q_free, vd *n, vd3 *held,
                    vd3 *free) {
  const vd zero = vd_set(0.0), ratio = b->c * free_nn_inverse;
  const vd3 x = vd3_scale(zero - inverse_held, vd3_sub_scaled(q_held, ratio, q_free));
  const roll_length l = roll_length_of(x);
  *n = zero - b->q.n * b->inverse_nn;
  if (relaxed) {
    const roll_part part[2] = {roll_part_of(held_nn, held_k, l.length),
                               roll_part_of(b->mm, b->k.sigma, vd_abs(b->q.s * b->inverse_mm))};
    *n = roll_normal(b->nn, *n, part, 2);
  }
  *held = vd3_scale(roll_factor(held_k * *n, l), x);
  *free = vd3_scale(zero - free_nn_inverse, vd3_add_scaled(q_free, b->c, *held));
  const vd radius = free_k * *n;
  return vm_and(vd_less(zero, *n), vd_most_equal(vd3_dot(*free, *free), radius * radius));
}

/* The plane across the normal. */
typedef struct vd2 {
  vd x, y;
} vd2;
INLINE vd vd2_dot(vd2 a, vd2 b) {
  return vd_fma(a.x, b.x, a.y * b.y);
}
/* a . (b turned by a quarter) */
INLINE vd vd2_across(vd2 a, vd2 b) {
  return vd_fnma(a.x, b.y, a.y * b.x);
}
/* a turned by an angle, twice the one whose tangent is h; inverse: 1 / (1 + h^2). */
INLINE vd2 vd2_turn(vd2 a, vd h, vd inverse) {
  const vd cos = vd_fnma(h, h, vd_set(1.0)) * inverse, sin = (h + h) * inverse;
  return (vd2){vd_fnma(sin, a.y, cos * a.x), vd_fma(sin, a.x, cos * a.y)};
}
INLINE vd vd_bound(vd a) {
  return vd_min(vd_max(a, vd_set(-1.0)), vd_set(1.0));
}

/* The normal at given directions, and the inverse of its slope. `along`, `cross`: their parts. */
INLINE vd roll_slip_normal(const roll_block *b, vd along, vd cross, vd *inverse_slope) {
  const vd zero = vd_set(0.0), mu = b->k.mu, rho = b->k.rho, sigma = b->k.sigma;
  const vd load = zero - (b->q.n + along);
  const vd gain = vd_fma(mu * mu, b->tt, vd_fma(rho * rho, b->mm, b->nn)) + cross;
  const vd spin = vd_fma(sigma, vd_abs(b->q.s), load);
  const vd spin_gain = vd_fma(sigma * sigma, b->mm, gain);
  const vm spins = vd_less(load * spin_gain, spin * gain);
  *inverse_slope = vd_set(1.0) / vd_select(spins, spin_gain, gain);
  return vd_select(spins, spin, load) * *inverse_slope;
}

/* Both discs hold, in the lanes of `open`; those that end are taken out of it. `from` has the
 * impulses to start at. */
INLINE roll_point roll_slip(const roll_block *b, bool relaxed, vd3 normal, roll_point from,
                            roll_point y, vm *open) {
  const vd zero = vd_set(0.0), one = vd_set(1.0), c = b->c, mu = b->k.mu, rho = b->k.rho;
  const vd3 start = vd3_add_scaled(b->q.t, c, from.z), other = vd3_add_scaled(b->q.z, c, from.t);
  const vd long_start = vd_sqrt(vd3_dot(start, start)), long_other = vd_sqrt(vd3_dot(other, other));
  const vd i_both = (zero - one) / (long_start * long_other);
  const vd3 f1 = vd3_scale(long_other * i_both, start);
  const vd3 f2 = vd3_cross(normal, f1);
  const vd2 qe = {vd3_dot(b->q.t, f1), vd3_dot(b->q.t, f2)};
  const vd2 qf = {vd3_dot(b->q.z, f1), vd3_dot(b->q.z, f2)};
  const vd size_e = vd_abs(qe.x) + vd_abs(qe.y), size_f = vd_abs(qf.x) + vd_abs(qf.y);
  const vd i_other = long_start * i_both, fixed = zero - b->q.n * b->inverse_nn;
  vd2 e = {one, zero}, f = {i_other * vd3_dot(other, f1), i_other * vd3_dot(other, f2)};
  for (int step = 0; step < ROLL_STEPS && vm_bits(*open); step++) {
    const vd cos = vd2_dot(e, f), sin = vd2_across(e, f); /* e . f', f' = f turned: sin */
    const vd c_mu = c * mu, c_rho = c * rho;
    vd i_slope = one, n = fixed;
    if (relaxed)
      n = roll_slip_normal(b, vd_fma(mu, vd2_dot(qe, e), rho * vd2_dot(qf, f)),
                           vd_set(2.0) * c_mu * rho * cos, &i_slope);
    /* e' . v_e and f' . v_f, which are to vanish; -e . v_e and -f . v_f, which are to be large. */
    const vd out_e = vd_fma(c_rho * n, zero - sin, vd2_across(qe, e));
    const vd out_f = vd_fma(c_mu * n, sin, vd2_across(qf, f));
    const vd long_e = zero - vd_fma(c_rho * n, cos, vd2_dot(qe, e));
    const vd long_f = zero - vd_fma(c_mu * n, cos, vd2_dot(qf, f));
    vd jee = long_e, jef = c_rho * n * cos, jfe = c_mu * n * cos, jff = long_f;
    vd n_e = zero, n_f = zero;
    if (relaxed) {
      /* How n follows the angles. */
      n_e = (zero - mu * vd_fnma(c_rho * n, sin, out_e)) * i_slope;
      n_f = (zero - rho * vd_fma(c_mu * n, sin, out_f)) * i_slope;
      jee = vd_fnma(c_rho * sin, n_e, jee);
      jef = vd_fnma(c_rho * sin, n_f, jef);
      jfe = vd_fma(c_mu * sin, n_e, jfe);
      jff = vd_fma(c_mu * sin, n_f, jff);
    }
    const vd inverse = one / vd_fnma(jef, jfe, jee * jff);
    const vd turn_e = vd_bound(vd_fnma(jff, out_e, jef * out_f) * inverse);
    const vd turn_f = vd_bound(vd_fnma(jee, out_f, jfe * out_e) * inverse);
    const vd he = vd_set(0.5) * turn_e, hf = vd_set(0.5) * turn_f;
    const vd round_e = vd_fma(he, he, one), round_f = vd_fma(hf, hf, one);
    const vd i_round = one / (round_e * round_f);
    e = vd2_turn(e, he, round_f * i_round);
    f = vd2_turn(f, hf, round_e * i_round);
    const vd near = vd_set(2e-6), room = vd_set(1.0 - 1e-12);
    const vm small =
        vm_and(vm_and(vd_most_equal(vd_abs(turn_e), near), vd_most_equal(vd_abs(turn_f), near)),
               vm_and(vd_most_equal(vd_abs(out_e), near * vd_fma(vd_abs(c_rho), n, size_e)),
                      vd_most_equal(vd_abs(out_f), near * vd_fma(vd_abs(c_mu), n, size_f))));
    const vm slips = vm_and(vd_most_equal(room * b->tt * mu * n, long_e),
                            vd_most_equal(room * b->mm * rho * n, long_f));
    const vm done = vm_and(vm_and(*open, vd_less(zero, n)), vm_and(small, slips));
    const vd end = vd_fma(turn_e, n_e, vd_fma(turn_f, n_f, n));
    const vd te = mu * end, zf = rho * end;
    const roll_point last = {end, vd3_add_scaled(vd3_scale(te * e.x, f1), te * e.y, f2),
                             vd3_add_scaled(vd3_scale(zf * f.x, f1), zf * f.y, f2), zero};
    y = roll_select(done, last, y);
    *open = vm_less(*open, done);
  }
  return y;
}

/* The lanes of `open`, one by one. */
static __attribute__((noinline)) void roll_alone(const roll_block *b, bool relaxed, unsigned open,
                                                 vd3 normal, roll_point old, roll_point *y) {
  enum { FIELDS = sizeof(roll_single) / sizeof(double), POINT = 8 };
  double field[FIELDS][LANES], out[POINT][LANES];
  const vd all[FIELDS] = {normal.x, normal.y, normal.z,   b->nn,   b->tt,    b->mm,    b->c,
                          b->k.mu,  b->k.rho, b->k.sigma, b->q.n,  b->q.t.x, b->q.t.y, b->q.t.z,
                          b->q.z.x, b->q.z.y, b->q.z.z,   b->q.s,  old.n,    old.t.x,  old.t.y,
                          old.t.z,  old.z.x,  old.z.y,    old.z.z, old.s};
  const vd end[POINT] = {y->n, y->t.x, y->t.y, y->t.z, y->z.x, y->z.y, y->z.z, y->s};
  for (int f = 0; f < FIELDS; f++) vd_store_any(field[f], all[f]);
  for (int f = 0; f < POINT; f++) vd_store_any(out[f], end[f]);
  for (size_t k = 0; k < LANES; k++) {
    if (!(open >> k & 1)) continue;
    roll_single one;
    for (int f = 0; f < FIELDS; f++) ((double *)&one)[f] = field[f][k];
    bodies_roll_single(&one, relaxed);
    for (int f = 0; f < POINT; f++) out[f][k] = one.x[f];
  }
  y->n = vd_load_any(out[0]);
  y->t = (vd3){vd_load_any(out[1]), vd_load_any(out[2]), vd_load_any(out[3])};
  y->z = (vd3){vd_load_any(out[4]), vd_load_any(out[5]), vd_load_any(out[6])};
  y->s = vd_load_any(out[7]);
}

/* The block with c; n is in the result, the spinning moment too. */
INLINE roll_point roll_coupled(const roll_block *b, bool relaxed, vd3 normal, roll_point old) {
  const vd zero = vd_set(0.0);
  const vd det = vd_fnma(b->c, b->c, b->tt * b->mm);
  const vd held_t = det * b->inverse_mm, held_z = det * b->inverse_tt, i_det = vd_set(1.0) / det;
  /* u_n beyond mu |u_t| + rho |w_z| + sigma |w_n| without impulses, without roots. */
  vm apex = vd_most_equal(zero, b->q.n);
  if (relaxed) {
    const vd left = vd_fnma(b->k.sigma, vd_abs(b->q.s), b->q.n);
    const vd slide2 = b->k.mu * b->k.mu * vd3_dot(b->q.t, b->q.t);
    const vd roll2 = b->k.rho * b->k.rho * vd3_dot(b->q.z, b->q.z);
    const vd over = vd_fma(left, left, zero - (slide2 + roll2));
    apex = vm_and(vd_most_equal(zero, left),
                  vm_and(vd_most_equal(zero, over),
                         vd_most_equal(vd_set(4.0) * slide2 * roll2, over * over)));
  }
  const vd3 none = {zero, zero, zero};
  roll_point y = {zero, none, none, zero}, half;
  vm open = vm_less(vd_most_equal(zero, zero), apex);
  half.s = zero;
  const vm sticks = roll_half(b, relaxed, held_z, b->tt * i_det, b->k.rho, b->inverse_tt, b->k.mu,
                              b->q.z, b->q.t, &half.n, &half.z, &half.t);
  const vm first = vm_and(open, sticks);
  y = roll_select(first, half, y);
  open = vm_less(open, first);
  if (vm_bits(open)) {
    const vm rolls = roll_half(b, relaxed, held_t, b->mm * i_det, b->k.mu, b->inverse_mm, b->k.rho,
                               b->q.t, b->q.z, &half.n, &half.t, &half.z);
    const vm second = vm_and(open, rolls);
    y = roll_select(second, half, y);
    open = vm_less(open, second);
  }
  if (vm_bits(open)) y = roll_slip(b, relaxed, normal, old, y, &open);
  y.s = roll_spin(zero - b->q.s * b->inverse_mm, b->k.sigma * y.n);
  if (vm_bits(open)) roll_alone(b, relaxed, vm_bits(open), normal, old, &y);
  return y;
}

/* From the old impulse and the velocity there (b->q has it) to the new impulse. */
INLINE roll_point roll_solve(roll_block *b, bool relaxed, vd3 normal, roll_point old) {
  const vd least = vd_set(1e-20) * b->tt * b->mm;
  const vm coupled = vd_less(least, b->c * b->c);
  const unsigned all = (1u << LANES) - 1, some = vm_bits(coupled);
  const roll_point u = b->q;
  roll_point alone = {u.n, u.t, u.z, u.s}, both = old;
  if (some != all) {
    const roll_point x = {
        vd_fnma(b->inverse_nn, u.n, old.n), vd3_sub_scaled(old.t, b->inverse_tt, u.t),
        vd3_sub_scaled(old.z, b->inverse_mm, u.z), vd_fnma(b->inverse_mm, u.s, old.s)};
    alone = roll_clamp(b->k, b->nn, b->tt, b->mm, relaxed, x);
  }
  if (!some) return alone;
  b->q.n = vd_fnma(b->nn, old.n, u.n);
  b->q.t = vd3_sub_scaled(vd3_sub_scaled(u.t, b->tt, old.t), b->c, old.z);
  b->q.z = vd3_sub_scaled(vd3_sub_scaled(u.z, b->mm, old.z), b->c, old.t);
  b->q.s = vd_fnma(b->mm, old.s, u.s);
  both = roll_coupled(b, relaxed, normal, old);
  return roll_select(coupled, both, alone);
}

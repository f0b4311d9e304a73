/* Sweeps over rigid contacts of any shape, eight lanes at a time: the part of bodies_kernel_body.h
 * for rigid_group. A block is solved exactly as set_cone.c does, in the coordinates of the standard
 * cone: apex and stick in closed form, slip by the same Newton iterations with every lane stopping
 * on its own, so that the width of vectors does not show. A lane that they do not end is handed to
 * set_cone.c. This is a template: no include guard. */

enum { SLIP_STEPS = 10 };

/* The block in lanes: N and q of the standard cone, and y. */
typedef struct cone_lanes {
  vd nn, n1, n2, t11, t12, t22;
  vd q0, q1, q2;
} cone_lanes;

INLINE vd3 vd3_select(vm m, vd3 a, vd3 b) {
  return (vd3){vd_select(m, a.x, b.x), vd_select(m, a.y, b.y), vd_select(m, a.z, b.z)};
}

/* u = 0. */
INLINE vd3 stick_lanes(const rigid_group *g, size_t k, const cone_lanes *c) {
  const vd i_nn = vd_load(g->inverse_nn + k), s12 = vd_load(g->s12 + k), zero = vd_set(0.0);
  const vd p1 = vd_fnma(c->n1 * c->q0, i_nn, c->q1), p2 = vd_fnma(c->n2 * c->q0, i_nn, c->q2);
  const vd t2 = vd_fnma(vd_load(g->s11 + k), p2, s12 * p1) * vd_load(g->inverse_det + k);
  const vd t1 = (zero - vd_fma(s12, t2, p1)) * vd_load(g->inverse_s11 + k);
  return (vd3){(zero - vd_fma(c->n2, t2, vd_fma(c->n1, t1, c->q0))) * i_nn, t1, t2};
}

/* Newton on the angle (see set_cone.c: angle_search) from the direction of t, for the lanes of
 * `open`; those that end are taken out of it. */
INLINE vd3 slide_relaxed(const cone_lanes *b, vd3 t, vd3 y, vm *open) {
  const vd zero = vd_set(0.0), one = vd_set(1.0), two = vd_set(2.0);
  const vd i = one / vd_sqrt(vd_fma(t.y, t.y, t.z * t.z));
  const vd trace = b->nn + b->t11 + b->t22;
  const vd load = vd_abs(b->q0) + vd_abs(b->q1) + vd_abs(b->q2);
  vd c = t.y * i, s = t.z * i;
  for (int step = 0; step < SLIP_STEPS && vm_bits(*open); step++) {
    const vd pn = vd_fma(b->n1, c, b->n2 * s);
    const vd pp = vd_fma(b->t11 * c, c, vd_fma(two * b->t12 * c, s, b->t22 * s * s));
    const vd pq = vd_fma(b->q1, c, b->q2 * s);
    const vd i_dd = one / vd_fma(two, pn, b->nn + pp);
    const vd n = (zero - (b->q0 + pq)) * i_dd;
    const vd size = vd_fma(n, trace, load), outward = vd_fma(n, pn + pp, pq);
    const vd ee = vd_fma(b->t11 * s, s, vd_fnma(two * b->t12 * c, s, b->t22 * c * c));
    const vd ed = vd_fma(b->n2, c, vd_fnma(b->n1, s, (b->t22 - b->t11) * c * s)) +
                  b->t12 * vd_fnma(s, s, c * c);
    const vd eq = vd_fnma(b->q1, s, b->q2 * c);
    const vd along = vd_fma(n, ed, eq);
    const vd pull = vd_fma(two * n, ed, eq) * i_dd;
    const vd slope = vd_fnma(pull, ed, vd_fma(n, ee, zero - outward));
    const vm falls = vd_less(zero, slope);
    const vd away = vd_select(vd_less(zero, along), vd_set(-0.5), vd_set(0.5));
    vd turn = vd_select(falls, (zero - along) / slope, away);
    turn = vd_min(vd_max(turn, vd_set(-1.0)), one);
    const vd c_next = vd_fnma(turn, s, c), s_next = vd_fma(turn, c, s);
    const vd norm = one / vd_sqrt(vd_fma(turn, turn, one));
    c = c_next * norm;
    s = s_next * norm;
    const vm last = vm_and(vd_most_equal(vd_abs(along), vd_set(1e-7) * slope),
                           vd_most_equal(outward, vd_set(1e-14) * size));
    const vm done = vm_and(vm_and(*open, last), vd_less(zero, n));
    const vd end = vd_fnma(turn, pull, n);
    y = vd3_select(done, (vd3){end, end * c, end * s}, y);
    *open = vm_less(*open, done);
  }
  return y;
}

/* Newton on alpha = |u_T| / |t| within its bracket (set_cone.c: set_cone_exact). */
INLINE vd3 slide_exact(const rigid_group *g, size_t k, const cone_lanes *b, vd3 y, vm *open) {
  const vd zero = vd_set(0.0), one = vd_set(1.0), pivot = vd_set(4.0 * DBL_EPSILON);
  const vd i_nn = vd_load(g->inverse_nn + k), s12 = vd_load(g->s12 + k);
  const vd s11 = vd_load(g->s11 + k), s22 = vd_load(g->s22 + k);
  const vd p1 = vd_fnma(b->n1 * b->q0, i_nn, b->q1), p2 = vd_fnma(b->n2 * b->q0, i_nn, b->q2);
  /* What the previous t suggests, else the alpha of an isotropic S. */
  const vd t2 = vd_fma(y.y, y.y, y.z * y.z);
  const vd u1 = vd_fma(s11, y.y, vd_fma(s12, y.z, p1)), u2 = vd_fma(s12, y.y, vd_fma(s22, y.z, p2));
  const vd along = (zero - vd_fma(u1, y.y, u2 * y.z)) / t2;
  const vd round = vd_max(
      vd_sqrt(vd_fma(p1, p1, p2 * p2)) / ((zero - b->q0) * i_nn) - vd_set(0.5) * (s11 + s22), zero);
  const vm fair = vm_and(vd_less(zero, along), vd_less(along, vd_set(DBL_MAX)));
  vd alpha = vd_select(fair, along, round), lo = zero, hi = vd_set(DBL_MAX);
  for (int step = 0; step < SLIP_STEPS && vm_bits(*open); step++) {
    const vd a = s11 + alpha, ad = a * (s22 + alpha), i_a = one / a;
    const vd i_det = one / vd_max(vd_fnma(s12, s12, ad), pivot * ad);
    const vd tz = vd_fnma(a, p2, s12 * p1) * i_det, ty = (zero - vd_fma(s12, tz, p1)) * i_a;
    const vd dz = vd_fnma(a, tz, s12 * ty) * i_det, dy = (zero - vd_fma(s12, dz, ty)) * i_a;
    const vd n = (zero - vd_fma(b->n2, tz, vd_fma(b->n1, ty, b->q0))) * i_nn;
    const vd tt = vd_fma(ty, ty, tz * tz), i_t = one / vd_sqrt(tt);
    const vd value = vd_fma(n, i_t, zero - one);
    const vd dn = (zero - vd_fma(b->n1, dy, b->n2 * dz)) * i_nn;
    const vd slope = vd_fnma(n * vd_fma(ty, dy, tz * dz), i_t * i_t, dn) * i_t;
    const vm below = vd_less(value, zero);
    lo = vd_select(below, alpha, lo);
    hi = vd_select(below, hi, alpha);
    const vd newton = alpha - value / slope;
    const vm inside = vm_and(vd_less(lo, newton), vd_less(newton, hi));
    const vm bounded = vd_less(hi, vd_set(DBL_MAX));
    const vd other =
        vd_select(bounded, vd_set(0.5) * (lo + hi), vd_fma(vd_set(4.0), lo, s11 + s22));
    /* At the root itself the step is rounding, and may leave the bracket. */
    const vm there = vd_most_equal(vd_abs(value), vd_set(1e-14));
    const vd next = vd_select(inside, newton, other);
    const vd move = vd_select(there, zero, next - alpha);
    const vd gain2 = move * move * vd_fma(dy, dy, dz * dz);
    const vm last = vm_or(there, vm_and(vm_and(inside, vd_most_equal(vd_abs(value), vd_set(1e-7))),
                                        vd_most_equal(gain2, vd_set(1e-14) * tt)));
    const vm done = vm_and(vm_and(*open, last), vd_less(zero, n));
    const vd ey = vd_fma(move, dy, ty), ez = vd_fma(move, dz, tz);
    const vd en = (zero - vd_fma(b->n2, ez, vd_fma(b->n1, ey, b->q0))) * i_nn;
    const vd scale = vd_fnma(vd_set(0.5) * vd_fma(ey, ey, ez * ez), one / (en * en), vd_set(1.5));
    y = vd3_select(done, (vd3){en, ey * scale, ez * scale}, y);
    *open = vm_less(*open, done);
    alpha = next;
  }
  return y;
}

/* The lanes of `open`, one by one. */
static __attribute__((noinline)) void solve_alone(const cone_lanes *b, bool relaxed, unsigned open,
                                                  vd3 old, vd3 *y) {
  double field[9][LANES], from[3][LANES], out[3][LANES];
  const vd all[9] = {b->nn, b->n1, b->n2, b->t11, b->t12, b->t22, b->q0, b->q1, b->q2};
  const vd start[3] = {old.x, old.y, old.z}, end[3] = {y->x, y->y, y->z};
  for (int f = 0; f < 9; f++) vd_store_any(field[f], all[f]);
  for (int f = 0; f < 3; f++) {
    vd_store_any(from[f], start[f]);
    vd_store_any(out[f], end[f]);
  }
  for (size_t k = 0; k < LANES; k++) {
    if (!(open >> k & 1)) continue;
    const set_cone one = {field[0][k],
                          field[1][k],
                          field[2][k],
                          field[3][k],
                          field[4][k],
                          field[5][k],
                          {field[6][k], field[7][k], field[8][k]}};
    double x[3] = {from[0][k], from[1][k], from[2][k]};
    if (!isfinite(one.q[0]) || !isfinite(one.q[1]) || !isfinite(one.q[2]))
      x[0] = x[1] = x[2] = NAN;
    else if (relaxed)
      set_cone_relaxed(&one, x);
    else
      set_cone_exact(&one, x);
    for (int f = 0; f < 3; f++) out[f][k] = x[f];
  }
  y->x = vd_load_any(out[0]);
  y->y = vd_load_any(out[1]);
  y->z = vd_load_any(out[2]);
}

/* From old impulses and u, both in the coordinates of the standard cone, to new impulses. */
INLINE vd3 solve_cone(const rigid_group *g, size_t k, bool relaxed, vd3 old, vd3 u) {
  const vd zero = vd_set(0.0);
  cone_lanes b = {.nn = vd_load(g->nn + k),
                  .n1 = vd_load(g->n1 + k),
                  .n2 = vd_load(g->n2 + k),
                  .t11 = vd_load(g->t11 + k),
                  .t12 = vd_load(g->t12 + k),
                  .t22 = vd_load(g->t22 + k)};
  b.q0 = u.x - vd_fma(b.n2, old.z, vd_fma(b.n1, old.y, b.nn * old.x));
  b.q1 = u.y - vd_fma(b.t12, old.z, vd_fma(b.t11, old.y, b.n1 * old.x));
  b.q2 = u.z - vd_fma(b.t22, old.z, vd_fma(b.t12, old.y, b.n2 * old.x));
  const vd qt2 = vd_fma(b.q1, b.q1, b.q2 * b.q2);
  const vm apex = vd_most_equal(relaxed ? vd_sqrt(qt2) : zero, b.q0 + vd_set(SET_CONE_NOTHING));
  const vd3 hold = stick_lanes(g, k, &b);
  const vd hold2 = vd_fma(hold.y, hold.y, hold.z * hold.z);
  const vm sticks = vm_and(vd_most_equal(zero, hold.x), vd_most_equal(hold2, hold.x * hold.x));
  const vd3 apex_point = {zero, zero, zero};
  vd3 y = vd3_select(apex, apex_point, hold);
  vm open = vm_less(vm_less(vd_most_equal(zero, zero), apex), sticks);
  if (!vm_bits(open)) return y;
  if (relaxed) {
    const vd old2 = vd_fma(old.y, old.y, old.z * old.z);
    const vm slipped =
        vm_and(vd_less(zero, old2), vd_most_equal(vd_set(0.999998) * old.x * old.x, old2));
    const vd3 back = {zero, zero - b.q1, zero - b.q2};
    const vd3 from = vd3_select(slipped, old, vd3_select(vd_less(zero, hold.x), hold, back));
    y = slide_relaxed(&b, from, y, &open);
  } else {
    y = slide_exact(g, k, &b, vd3_select(open, old, hold), &open) /* others keep y below */;
    y = vd3_select(apex, apex_point, vd3_select(sticks, hold, y));
  }
  if (vm_bits(open)) solve_alone(&b, relaxed, vm_bits(open), old, &y);
  return y;
}

INLINE vd3 turn_by(const double (*m)[PACK_LANES], size_t k, vd3 f) {
  return (vd3){
      vd_fma(vd_load(m[2] + k), f.z, vd_fma(vd_load(m[1] + k), f.y, vd_load(m[0] + k) * f.x)),
      vd_fma(vd_load(m[5] + k), f.z, vd_fma(vd_load(m[4] + k), f.y, vd_load(m[3] + k) * f.x)),
      vd_fma(vd_load(m[8] + k), f.z, vd_fma(vd_load(m[7] + k), f.y, vd_load(m[6] + k) * f.x))};
}

/* Velocity of a side's point. */
INLINE vd3 point_velocity(const vd *line, vd3 arm) {
  const vd3 w = {line[3], line[4], line[5]};
  return vd3_add((vd3){line[0], line[1], line[2]}, vd3_cross(w, arm));
}

/* What a group's contacts see: their frames and their velocities in them. */
typedef struct rigid_view {
  vd a[8], b[8];
  vd3 n, t1, t2, u;
} rigid_view;

INLINE rigid_view rigid_look(const rigid_group *g, size_t k, const lane_lines *at, vd3 x) {
  rigid_view v;
  lines_load(at->from_a + k, v.a);
  lines_load(at->from_b + k, v.b);
  v.n = vd3_load((const double(*)[PACK_LANES])g->normal, k);
  v.t1 = vd3_load((const double(*)[PACK_LANES])g->tangent, k);
  v.t2 = vd3_cross(v.n, v.t1);
  const vd3 arm_a = vd3_load((const double(*)[PACK_LANES])g->arm_a, k);
  const vd3 arm_b = vd3_load((const double(*)[PACK_LANES])g->arm_b, k);
  const vd3 rel = vd3_sub(point_velocity(v.b, arm_b), point_velocity(v.a, arm_a));
  const vd3 offset = vd3_load((const double(*)[PACK_LANES])g->offset, k);
  const vd3 soft = vd3_load((const double(*)[PACK_LANES])g->compliance, k);
  v.u = (vd3){vd_fma(soft.x, x.x, vd3_dot(v.n, rel) + offset.x),
              vd_fma(soft.y, x.y, vd3_dot(v.t1, rel) + offset.y),
              vd_fma(soft.z, x.z, vd3_dot(v.t2, rel) + offset.z)};
  return v;
}

/* The same with a shift that lags behind, see operator_glide.h. To solve the block once only, s
 * moves by what it is off at the solution for s itself: (own - s) nn / (nn + tt) near the block's
 * own, hence the factor. */
INLINE vd3 lagged_cone(const rigid_sweep *w, const rigid_group *g, size_t k, vd3 old, vd3 u,
                       double *shift) {
  const bool exact = w->follow >= 1.0;
  const vd s = vd_load(shift + k), one = vd_set(1.0);
  vd3 at = u;
  if (!exact) at.x = u.x + s;
  const vd3 y = solve_cone(g, k, !exact, old, at), d = vd3_sub(y, old);
  const vd t11 = vd_load(g->t11 + k), t12 = vd_load(g->t12 + k), t22 = vd_load(g->t22 + k);
  const vd u1 = vd_fma(t12, d.z, vd_fma(t11, d.y, vd_fma(vd_load(g->n1 + k), d.x, u.y)));
  const vd u2 = vd_fma(t12, d.y, vd_fma(t22, d.z, vd_fma(vd_load(g->n2 + k), d.x, u.z)));
  const vd more = vd_set(0.5) * (t11 + t22) * vd_load(g->inverse_nn + k);
  const vd part = vd_min(one, vd_set(w->follow) * (more + one));
  vd_store(shift + k, vd_fma(part, vd_sqrt(vd_fma(u1, u1, u2 * u2)) - s, s));
  return y;
}

INLINE vd rigid_lanes(const rigid_sweep *w, const rigid_group *g, size_t k, const lane_lines *at,
                      double (*x)[PACK_LANES], double *shift) {
  const vd3 old = vd3_load((const double(*)[PACK_LANES])x, k);
  rigid_view v = rigid_look(g, k, at, old);
  const vd mu = vd_load(g->mu + k), inverse_mu = vd_load(g->inverse_mu + k);
  const vd3 from = {old.x, old.y * inverse_mu, old.z * inverse_mu};
  const vd3 u = {v.u.x, mu * v.u.y, mu * v.u.z};
  const vd3 y =
      shift ? lagged_cone(w, g, k, from, u, shift) : solve_cone(g, k, w->relaxed, from, u);
  const vd3 next = {y.x, mu * y.y, mu * y.z}, change = vd3_sub(next, old);
  vd3_store(x, k, next);
  const vd3 force =
      vd3_add_scaled(vd3_add_scaled(vd3_scale(change.x, v.n), change.y, v.t1), change.z, v.t2);
  const vd one = vd_set(1.0), minus = vd_set(-1.0);
  add_push(v.a, minus * v.a[6], minus, force,
           turn_by((const double(*)[PACK_LANES])g->turn_a, k, force));
  lines_store(at->to_a + k, v.a);
  add_push(v.b, v.b[6], one, force, turn_by((const double(*)[PACK_LANES])g->turn_b, k, force));
  lines_store(at->to_b + k, v.b);
  const vd weight = vd_load(g->weight + k);
  return vd3_dot(change, change) * (weight * weight);
}

/* Impulses of a group from rows; zeros in lanes without a contact. */
INLINE void rigid_load(const rigid_group *g, const double *impulse, double (*x)[PACK_LANES]) {
  for (size_t k = 0; k < g->count; k++)
    for (size_t f = 0; f < 3; f++) x[f][k] = impulse[g->row[k] + f];
  for (size_t k = g->count; k < PACK_LANES; k++)
    for (size_t f = 0; f < 3; f++) x[f][k] = 0.0;
}

/* Shifts of a group from the first rows of its contacts, and back. */
INLINE void load_shifts(const uint32_t *row, uint32_t count, const double *from, double *shift) {
  for (size_t k = 0; k < PACK_LANES; k++) shift[k] = k < count ? from[row[k]] : 0.0;
}
INLINE void store_shifts(const uint32_t *row, uint32_t count, const double *shift, double *to) {
  for (size_t k = 0; k < count; k++) to[row[k]] = shift[k];
}

static double sweep_rigid(const rigid_sweep *w, size_t begin, size_t end) {
  _Alignas(64) body_line trash[PACK_LANES];
  _Alignas(64) double x[3][PACK_LANES], shift[PACK_LANES];
  lane_lines at;
  vd worst = vd_set(0.0);
  for (size_t j = 0; j < end - begin; j++) {
    const rigid_group *g = &w->group[w->backward ? end - 1 - j : begin + j];
    addresses(w->lines, g->a, at.from_a);
    addresses(w->lines, g->b, at.from_b);
    addresses_or(w->lines, g->a, trash, at.to_a);
    addresses_or(w->lines, g->b, trash, at.to_b);
    rigid_load(g, w->impulse, x);
    if (w->shift) load_shifts(g->row, g->count, w->shift, shift);
    for (size_t k = 0; k < PACK_LANES; k += LANES)
      worst = vd_max(rigid_lanes(w, g, k, &at, x, w->shift ? shift : NULL), worst);
    for (size_t k = 0; k < g->count; k++)
      for (size_t f = 0; f < 3; f++) w->impulse[g->row[k] + f] = x[f][k];
    if (w->shift) store_shifts(g->row, g->count, shift, w->shift);
  }
  return vd_most(worst);
}

static void judge_rigid(const rigid_judge *w, size_t begin, size_t end, sphere_judged *out) {
  _Alignas(64) double x[3][PACK_LANES];
  lane_lines at;
  judge_sums sums[PACK_LANES / LANES];
  for (size_t k = 0; k < PACK_LANES / LANES; k++) sums[k] = judge_zero();
  for (size_t i = begin; i < end; i++) {
    const rigid_group *g = &w->group[i];
    addresses(w->lines, g->a, at.from_a);
    addresses(w->lines, g->b, at.from_b);
    rigid_load(g, w->impulse, x);
    for (size_t k = 0; k < PACK_LANES; k += LANES) {
      const vd3 old = vd3_load((const double(*)[PACK_LANES])x, k);
      const rigid_view v = rigid_look(g, k, &at, old);
      const vd zero = vd_set(0.0);
      judge_add(&sums[k / LANES], vd_set(w->shifted), old.x, (vd3){zero, old.y, old.z}, v.u.x,
                (vd3){zero, v.u.y, v.u.z}, vd_load(g->mu + k), vd_load(g->weight + k), vd_set(1.0));
    }
  }
  for (size_t k = 0; k < PACK_LANES; k += LANES) judge_store(&sums[k / LANES], k, out);
}

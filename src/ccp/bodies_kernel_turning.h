/* Sweeps over contacts of any shape with rolling or spinning resistance, eight lanes at a time: the
 * part of bodies_kernel_body.h for turning_group. A block is solved as set_local_rolling.c does, by
 * Newton steps on the same map, every lane stopping on its own; a lane that they do not end is
 * handed to it. Rows: n t1 t2 mt1 mt2 mn, in units in which all groups obey |tau| <= n. This is a
 * template: no include guard. */

enum { TURNING_STEPS = 12, TURNING_ROWS = 6 };

/* N and q of a block, and its rows' groups: t, m, s. */
typedef struct turning_block {
  vd n[TURNING_ROWS][TURNING_ROWS], q[TURNING_ROWS];
  vd r_n, r[3];
  bool relaxed;
} turning_block;

/* Rows of the Newton system; the right-hand side is the last column. */
typedef struct turning_system {
  vd m[TURNING_ROWS][TURNING_ROWS + 1];
  vd v, worst;
} turning_system;

/* A group's rows, and in the relaxed model its part of row 0; two rows, or one. */
INLINE void turning_group_rows(const turning_block *b, int first, int count, vd r, const vd *y,
                               const vd *u, turning_system *s) {
  const vd zero = vd_set(0.0), one = vd_set(1.0);
  const int second = first + count - 1;
  const vd z1 = vd_fnma(r, u[first], y[first]);
  const vd z2 = count == 2 ? vd_fnma(r, u[second], y[second]) : zero;
  const vd norm = count == 2 ? vd_sqrt(vd_fma(z1, z1, z2 * z2)) : vd_abs(z1);
  const vm slips = vd_less(y[0], norm);
  const vd inverse = one / vd_select(slips, norm, one);
  const vd e1 = z1 * inverse, e2 = z2 * inverse, part = y[0] * inverse;
  vd w[TURNING_ROWS], swing = zero;
  for (int j = 0; j < TURNING_ROWS; j++) w[j] = zero;
  if (count == 2) {
    /* Across e: p = (-e2, e1). */
    for (int j = 0; j < TURNING_ROWS; j++)
      w[j] = r * vd_fnma(e1, b->n[second][j], e2 * b->n[first][j]);
    w[first] = w[first] - e2;
    w[second] = w[second] + e1;
    swing = vd_fnma(e2, u[first], e1 * u[second]) * inverse;
  }
  for (int j = 0; j < TURNING_ROWS; j++) {
    const vd own1 = j == first ? one : zero, own2 = j == second ? one : zero;
    const vd pull1 = j == 0 ? e1 : zero, pull2 = j == 0 ? e2 : zero;
    const vd slip1 = vd_fma(part * e2, w[j], own1 - pull1);
    s->m[first][j] = vd_select(slips, slip1, r * b->n[first][j]);
    if (count == 2) {
      const vd slip2 = vd_fnma(part * e1, w[j], own2 - pull2);
      s->m[second][j] = vd_select(slips, slip2, r * b->n[second][j]);
    }
    if (b->relaxed) {
      vd more = e1 * b->n[first][j];
      if (count == 2) more = vd_fma(e2, b->n[second][j], vd_fma(swing, w[j], more));
      s->m[0][j] = s->m[0][j] + vd_select(slips, more, zero);
    }
  }
  const vd rhs1 = vd_select(slips, vd_fma(y[0], e1, zero - y[first]), zero - r * u[first]);
  s->m[first][TURNING_ROWS] = rhs1;
  s->worst = vd_max(vd_abs(rhs1), s->worst);
  vd along = e1 * u[first];
  if (count == 2) {
    const vd rhs2 = vd_select(slips, vd_fma(y[0], e2, zero - y[second]), zero - r * u[second]);
    s->m[second][TURNING_ROWS] = rhs2;
    s->worst = vd_max(vd_abs(rhs2), s->worst);
    along = vd_fma(e2, u[second], along);
  }
  if (b->relaxed) s->v = s->v + vd_select(slips, along, zero);
}

/* The solution, into the right-hand side. Rows come scaled so that the diagonal serves. */
INLINE void turning_eliminate(vd (*m)[TURNING_ROWS + 1]) {
  const vd one = vd_set(1.0);
  vd inverse[TURNING_ROWS];
  for (int k = 0; k < TURNING_ROWS; k++) {
    inverse[k] = one / m[k][k];
    for (int i = k + 1; i < TURNING_ROWS; i++) {
      const vd f = m[i][k] * inverse[k];
      for (int j = k + 1; j <= TURNING_ROWS; j++) m[i][j] = vd_fnma(f, m[k][j], m[i][j]);
    }
  }
  for (int i = TURNING_ROWS - 1; i >= 0; i--) {
    for (int j = i + 1; j < TURNING_ROWS; j++)
      m[i][TURNING_ROWS] = vd_fnma(m[i][j], m[j][TURNING_ROWS], m[i][TURNING_ROWS]);
    m[i][TURNING_ROWS] = m[i][TURNING_ROWS] * inverse[i];
  }
}

/* Newton steps from y, in the lanes of `open`; those that end are taken out of it, `out` has them.
 */
INLINE void turning_newton(const turning_block *b, const vd *from, vd *out, vm *open) {
  const vd zero = vd_set(0.0), least = b->r_n * vd_abs(b->q[0]);
  vd y[TURNING_ROWS];
  for (int i = 0; i < TURNING_ROWS; i++) y[i] = from[i];
  y[0] = vd_select(vd_less(zero, y[0]), y[0], least);
  for (int step = 0; step < TURNING_STEPS && vm_bits(*open); step++) {
    vd u[TURNING_ROWS], size = least;
    turning_system s;
    for (int i = 0; i < TURNING_ROWS; i++) {
      u[i] = b->q[i];
      for (int j = 0; j < TURNING_ROWS; j++) u[i] = vd_fma(b->n[i][j], y[j], u[i]);
      s.m[0][i] = b->n[0][i];
      size = vd_max(vd_abs(y[i]), size);
    }
    s.v = u[0];
    s.worst = zero;
    turning_group_rows(b, 1, 2, b->r[0], y, u, &s);
    turning_group_rows(b, 3, 2, b->r[1], y, u, &s);
    turning_group_rows(b, 5, 1, b->r[2], y, u, &s);
    const vd wish = vd_fnma(b->r_n, s.v, y[0]);
    s.worst = vd_max(vd_abs(vd_max(zero, wish) - y[0]), s.worst);
    const vm done = vm_and(*open, vd_most_equal(s.worst, vd_set(1e-13) * size));
    for (int i = 0; i < TURNING_ROWS; i++) out[i] = vd_select(done, y[i], out[i]);
    *open = vm_less(*open, done);
    if (!vm_bits(*open)) return;
    for (int j = 0; j < TURNING_ROWS; j++) s.m[0][j] = s.m[0][j] * b->r_n;
    s.m[0][TURNING_ROWS] = zero - b->r_n * s.v;
    turning_eliminate(s.m);
    for (int i = 0; i < TURNING_ROWS; i++) y[i] = y[i] + s.m[i][TURNING_ROWS];
    y[0] = vd_select(vd_less(zero, y[0]), y[0], least);
  }
}

/* Rounding may have left the discs. */
INLINE void turning_clamp(vd *y) {
  const vd one = vd_set(1.0), t2 = vd_fma(y[1], y[1], y[2] * y[2]),
           z2 = vd_fma(y[3], y[3], y[4] * y[4]);
  const vd t = vd_min(y[0] / vd_sqrt(t2), one), z = vd_min(y[0] / vd_sqrt(z2), one);
  y[1] = t * y[1];
  y[2] = t * y[2];
  y[3] = z * y[3];
  y[4] = z * y[4];
  y[5] = roll_spin(y[5], y[0]);
}

/* The lanes of `open`, one by one. */
static __attribute__((noinline)) void turning_alone(const turning_block *b, const vd *scale,
                                                    unsigned open, const vd *old, vd *y) {
  double n[TURNING_ROWS][TURNING_ROWS][LANES], q[TURNING_ROWS][LANES], x[TURNING_ROWS][LANES],
      from[TURNING_ROWS][LANES], on[TURNING_ROWS][LANES];
  for (int i = 0; i < TURNING_ROWS; i++) {
    for (int j = 0; j < TURNING_ROWS; j++) vd_store_any(n[i][j], b->n[i][j]);
    vd_store_any(q[i], b->q[i]);
    vd_store_any(x[i], y[i]);
    vd_store_any(from[i], old[i]);
    vd_store_any(on[i], scale[i]);
  }
  for (size_t k = 0; k < LANES; k++) {
    if (!(open >> k & 1)) continue;
    double nii[TURNING_ROWS * TURNING_ROWS], load[TURNING_ROWS], g[TURNING_ROWS];
    for (int i = 0; i < TURNING_ROWS; i++) {
      for (int j = 0; j < TURNING_ROWS; j++) nii[i * TURNING_ROWS + j] = n[i][j][k];
      load[i] = q[i][k];
      g[i] = from[i][k];
    }
    const scree_set set =
        scree_set_rolling(TURNING_ROWS, on[1][k] > 0.0, on[3][k] > 0.0, on[5][k] > 0.0);
    set_solve_block(&set, b->relaxed ? SCREE_MODEL_RELAXED : SCREE_MODEL_COULOMB, nii, load, g);
    for (int i = 0; i < TURNING_ROWS; i++) x[i][k] = g[i];
  }
  for (int i = 0; i < TURNING_ROWS; i++) y[i] = vd_load_any(x[i]);
}

/* From old impulses and velocities, both scaled, to new impulses. */
INLINE void turning_solve(const turning_group *g, size_t k, bool relaxed, const vd *scale,
                          const vd *old, const vd *u, vd *y) {
  const vd zero = vd_set(0.0);
  turning_block b = {.r_n = vd_load(g->r[0] + k), .relaxed = relaxed};
  for (int i = 0; i < 3; i++) b.r[i] = vd_load(g->r[i + 1] + k);
  for (int i = 0, at = 0; i < TURNING_ROWS; i++)
    for (int j = i; j < TURNING_ROWS; j++, at++) b.n[i][j] = b.n[j][i] = vd_load(g->n[at] + k);
  for (int i = 0; i < TURNING_ROWS; i++) {
    b.q[i] = u[i];
    for (int j = 0; j < TURNING_ROWS; j++) b.q[i] = vd_fnma(b.n[i][j], old[j], b.q[i]);
  }
  vd need = zero;
  if (relaxed)
    need = vd_sqrt(vd_fma(b.q[1], b.q[1], b.q[2] * b.q[2])) +
           vd_sqrt(vd_fma(b.q[3], b.q[3], b.q[4] * b.q[4])) + vd_abs(b.q[5]);
  vm open = vm_less(vd_most_equal(zero, zero), vd_most_equal(need, b.q[0]));
  for (int i = 0; i < TURNING_ROWS; i++) y[i] = zero;
  if (!vm_bits(open)) return;
  turning_newton(&b, old, y, &open);
  turning_clamp(y);
  if (vm_bits(open)) turning_alone(&b, scale, vm_bits(open), old, y);
}

/* The same with a shift that lags behind: see lagged_cone. */
INLINE void turning_lagged(const rigid_sweep *w, const turning_group *g, size_t k, const vd *scale,
                           const vd *old, const vd *u, double *shift, vd *y) {
  const bool exact = w->follow >= 1.0;
  const vd s = vd_load(shift + k), one = vd_set(1.0), zero = vd_set(0.0);
  vd at[TURNING_ROWS], more = zero;
  for (int i = 0; i < TURNING_ROWS; i++) at[i] = u[i];
  if (!exact) at[0] = u[0] + s;
  turning_solve(g, k, !exact, scale, old, at, y);
  for (int i = 0; i < TURNING_ROWS; i++) at[i] = u[i];
  for (int i = 0, f = 0; i < TURNING_ROWS; i++)
    for (int j = i; j < TURNING_ROWS; j++, f++) {
      const vd n = vd_load(g->n[f] + k);
      at[i] = vd_fma(n, y[j] - old[j], at[i]);
      if (j != i) at[j] = vd_fma(n, y[i] - old[i], at[j]);
      if (j == i && i > 0)
        more = more + vd_select(vd_less(zero, scale[i]), vd_set(i < 5 ? 0.5 : 1.0) * n, zero);
    }
  const vd here = vd_sqrt(vd_fma(at[1], at[1], at[2] * at[2])) +
                  vd_sqrt(vd_fma(at[3], at[3], at[4] * at[4])) + vd_abs(at[5]);
  const vd part = vd_min(one, vd_set(w->follow) * vd_fma(more, vd_load(g->r[0] + k), one));
  vd_store(shift + k, vd_fma(part, here - s, s));
}

INLINE vd3 turning_spin(const double (*inertia)[PACK_LANES], size_t k, vd3 m) {
  const vd xx = vd_load(inertia[0] + k), xy = vd_load(inertia[1] + k), xz = vd_load(inertia[2] + k),
           yy = vd_load(inertia[3] + k), yz = vd_load(inertia[4] + k), zz = vd_load(inertia[5] + k);
  return (vd3){vd_fma(xz, m.z, vd_fma(xy, m.y, xx * m.x)),
               vd_fma(yz, m.z, vd_fma(yy, m.y, xy * m.x)),
               vd_fma(zz, m.z, vd_fma(yz, m.y, xz * m.x))};
}

INLINE vd turning_lanes(const rigid_sweep *w, const turning_group *g, size_t k,
                        const lane_lines *at, double (*x)[PACK_LANES], double *shift) {
  vd a[8], b[8], old[TURNING_ROWS], u[TURNING_ROWS], y[TURNING_ROWS], scale[TURNING_ROWS];
  lines_load(at->from_a + k, a);
  lines_load(at->from_b + k, b);
  const vd3 n = vd3_load((const double(*)[PACK_LANES])g->normal, k);
  const vd3 t1 = vd3_load((const double(*)[PACK_LANES])g->tangent, k), t2 = vd3_cross(n, t1);
  const vd3 arm_a = vd3_load((const double(*)[PACK_LANES])g->arm_a, k);
  const vd3 arm_b = vd3_load((const double(*)[PACK_LANES])g->arm_b, k);
  const vd3 linear = vd3_sub(point_velocity(b, arm_b), point_velocity(a, arm_a));
  const vd3 angular = vd3_sub(line_angular(b), line_angular(a));
  const vd velocity[TURNING_ROWS] = {vd3_dot(n, linear),   vd3_dot(t1, linear),
                                     vd3_dot(t2, linear),  vd3_dot(t1, angular),
                                     vd3_dot(t2, angular), vd3_dot(n, angular)};
  for (int i = 0; i < TURNING_ROWS; i++) {
    const vd force = vd_load(x[i] + k);
    scale[i] = i == 0 ? vd_set(1.0) : vd_load(g->scale[(i - 1) / 2] + k);
    const vd inverse = i == 0 ? vd_set(1.0) : vd_load(g->inverse_scale[(i - 1) / 2] + k);
    u[i] = velocity[i] + vd_load(g->offset[i] + k);
    u[i] = scale[i] * vd_fma(vd_load(g->compliance[i] + k), force, u[i]);
    old[i] = inverse * force;
  }
  if (shift)
    turning_lagged(w, g, k, scale, old, u, shift, y);
  else
    turning_solve(g, k, w->relaxed, scale, old, u, y);
  vd change[TURNING_ROWS];
  for (int i = 0; i < TURNING_ROWS; i++) {
    const vd next = scale[i] * y[i];
    change[i] = next - vd_load(x[i] + k);
    vd_store(x[i] + k, next);
  }
  const vd3 force =
      vd3_add_scaled(vd3_add_scaled(vd3_scale(change[0], n), change[1], t1), change[2], t2);
  const vd3 moment =
      vd3_add_scaled(vd3_add_scaled(vd3_scale(change[5], n), change[3], t1), change[4], t2);
  const vd one = vd_set(1.0), minus = vd_set(-1.0);
  add_push(a, minus * a[6], minus, force,
           turning_spin((const double(*)[PACK_LANES])g->inertia_a, k,
                        vd3_add(vd3_cross(arm_a, force), moment)));
  lines_store(at->to_a + k, a);
  add_push(b, b[6], one, force,
           turning_spin((const double(*)[PACK_LANES])g->inertia_b, k,
                        vd3_add(vd3_cross(arm_b, force), moment)));
  lines_store(at->to_b + k, b);
  const vd weight = vd_load(g->weight + k);
  return vd3_dot(force, force) * (weight * weight);
}

static double sweep_turning(const rigid_sweep *w, size_t begin, size_t end) {
  _Alignas(64) body_line trash[PACK_LANES];
  _Alignas(64) double x[TURNING_ROWS][PACK_LANES], shift[PACK_LANES];
  lane_lines at;
  vd worst = vd_set(0.0);
  for (size_t j = 0; j < end - begin; j++) {
    const turning_group *g = &w->turning[w->backward ? end - 1 - j : begin + j];
    addresses(w->lines, g->a, at.from_a);
    addresses(w->lines, g->b, at.from_b);
    addresses_or(w->lines, g->a, trash, at.to_a);
    addresses_or(w->lines, g->b, trash, at.to_b);
    memset(x, 0, sizeof x);
    for (size_t k = 0; k < g->count; k++)
      for (size_t f = 0; f < g->dim[k]; f++)
        x[f == 3 && g->dim[k] == 4 ? 5 : f][k] = w->impulse[g->row[k] + f];
    if (w->shift) load_shifts(g->row, g->count, w->shift, shift);
    for (size_t k = 0; k < PACK_LANES; k += LANES)
      worst = vd_max(turning_lanes(w, g, k, &at, x, w->shift ? shift : NULL), worst);
    if (w->shift) store_shifts(g->row, g->count, shift, w->shift);
    for (size_t k = 0; k < g->count; k++)
      for (size_t f = 0; f < g->dim[k]; f++)
        w->impulse[g->row[k] + f] = x[f == 3 && g->dim[k] == 4 ? 5 : f][k];
  }
  return vd_most(worst);
}

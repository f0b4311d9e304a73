/* Kernels over packed contacts with rolling and spinning resistance: the same as those of
 * bodies_kernel_body.h and bodies_kernel_product.h, with a moment beside the force. This is a
 * template: no include guard. */

/* Where a body turns: fields of a line. */
INLINE vd3 line_angular(const vd *line) {
  return (vd3){line[3], line[4], line[5]};
}

/* What a group's contacts see: velocity at the contact and angular velocity, of b against a. */
typedef struct roll_view {
  vd a[8], b[8];
  vd3 n, u, w;
  vd reach_a, reach_b;
} roll_view;

INLINE roll_view roll_look(const sphere_group *g, size_t k, const lane_lines *at) {
  roll_view v;
  lines_load(at->from_a + k, v.a);
  lines_load(at->from_b + k, v.b);
  v.n = vd3_load((const double(*)[PACK_LANES])g->normal, k);
  v.reach_a = vd_load(g->reach_a + k);
  v.reach_b = vd_load(g->reach_b + k);
  v.u = relative_velocity(v.a, v.b, v.reach_a, v.reach_b, v.n);
  v.w = vd3_sub(line_angular(v.b), line_angular(v.a));
  return v;
}

/* Force and moment of a contact, or its velocities. */
typedef struct roll_pair {
  vd3 force, moment;
} roll_pair;

INLINE roll_pair roll_load(const double *lanes, size_t i, size_t k) {
  const double(*x)[PACK_LANES] = (const double(*)[PACK_LANES])(lanes + i * ROLL_IMPULSES);
  return (roll_pair){vd3_load(x, k), vd3_load(x + 3, k)};
}
INLINE void roll_store(double *lanes, size_t i, size_t k, roll_pair x) {
  double(*to)[PACK_LANES] = (double(*)[PACK_LANES])(lanes + i * ROLL_IMPULSES);
  vd3_store(to, k, x.force);
  vd3_store(to + 3, k, x.moment);
}
INLINE roll_pair roll_sub(roll_pair a, roll_pair b) {
  return (roll_pair){vd3_sub(a.force, b.force), vd3_sub(a.moment, b.moment)};
}
INLINE roll_pair roll_add_scaled(roll_pair a, vd s, roll_pair b) {
  return (roll_pair){vd3_add_scaled(a.force, s, b.force), vd3_add_scaled(a.moment, s, b.moment)};
}

/* Along and across the normal; the moment as it is. */
INLINE roll_point roll_split(roll_pair x, vd3 n) {
  roll_point p;
  p.n = vd3_dot(x.force, n);
  p.t = vd3_sub_scaled(x.force, p.n, n);
  p.s = vd3_dot(x.moment, n);
  p.z = vd3_sub_scaled(x.moment, p.s, n);
  return p;
}
INLINE roll_pair roll_join(roll_point p, vd3 n) {
  return (roll_pair){vd3_add_scaled(p.t, p.n, n), vd3_add_scaled(p.z, p.s, n)};
}
/* The same with the moment across the normal turned by a quarter: z = m x n, m = n x z. */
INLINE roll_point roll_split_turned(roll_pair x, vd3 n) {
  const vd along = vd3_dot(x.force, n);
  return (roll_point){along, vd3_sub_scaled(x.force, along, n), vd3_cross(x.moment, n),
                      vd3_dot(x.moment, n)};
}
INLINE roll_pair roll_join_turned(roll_point p, vd3 n) {
  return (roll_pair){vd3_add_scaled(p.t, p.n, n), vd3_add_scaled(vd3_cross(n, p.z), p.s, n)};
}

INLINE roll_set roll_set_of(const sphere_roll *r, size_t k, vd mu) {
  return (roll_set){mu, vd_load(r->rolling + k), vd_load(r->spinning + k)};
}

/* ---- the sweep ------------------------------------------------------------------------------- */

/* The step of one block that is not solved, or beyond it: see op_sweep_block. */
INLINE roll_pair roll_blend(const sphere_sweep *w, roll_set set, vd3 n, roll_pair old,
                            roll_pair next) {
  const vd one = vd_set(1.0), lambda = vd_set(w->lambda);
  if (!w->isotropic && w->omega != 1.0) {
    next = roll_add_scaled(old, vd_set(w->omega), roll_sub(next, old));
    next = roll_join(roll_clamp(set, one, one, one, true, roll_split(next, n)), n);
  }
  return (roll_pair){
      vd3_add_scaled(vd3_scale(lambda, next.force), vd_set(1.0 - w->lambda), old.force),
      vd3_add_scaled(vd3_scale(lambda, next.moment), vd_set(1.0 - w->lambda), old.moment)};
}

INLINE roll_point roll_project(const sphere_sweep *w, roll_set set, vd weight, vd mm,
                               roll_point old, roll_point u) {
  const vd eta = vd_set(w->omega) / weight, eta_m = vd_set(w->omega) / mm;
  const vd shift = vd_fma(set.mu, vd_sqrt(vd3_dot(u.t, u.t)),
                          vd_fma(set.rho, vd_sqrt(vd3_dot(u.z, u.z)), set.sigma * vd_abs(u.s)));
  const roll_point x = {vd_fnma(eta, vd_fma(vd_set(1.0 - w->relaxed), shift, u.n), old.n),
                        vd3_sub_scaled(old.t, eta, u.t), vd3_sub_scaled(old.z, eta_m, u.z),
                        vd_fnma(eta_m, u.s, old.s)};
  return roll_clamp(set, weight, weight, mm, true, x);
}

/* The same with a shift that lags behind, see operator_glide.h. To solve the block once only, s
 * moves by what it is off at the solution x for s itself: (own - s) nn / (nn + mu^2 tt + …) near
 * the block's own, hence the factor. */
INLINE roll_point roll_lagged(const sphere_sweep *w, size_t i, size_t k, roll_block *b, vd3 normal,
                              roll_point old) {
  double *const at = w->shift + i * PACK_LANES + k;
  const roll_point u = b->q;
  const bool exact = w->follow >= 1.0;
  const vd s = vd_load(at), one = vd_set(1.0);
  if (!exact) b->q.n = u.n + s;
  const roll_point x = roll_solve(b, !exact, normal, old);
  const vd3 dt = vd3_sub(x.t, old.t), dz = vd3_sub(x.z, old.z);
  const vd3 slip = vd3_add_scaled(vd3_add_scaled(u.t, b->tt, dt), b->c, dz);
  const vd3 turn = vd3_add_scaled(vd3_add_scaled(u.z, b->mm, dz), b->c, dt);
  const vd spin = vd_fma(b->mm, x.s - old.s, u.s), mu = b->k.mu, rho = b->k.rho, sigma = b->k.sigma;
  const vd here = vd_fma(mu, vd_sqrt(vd3_dot(slip, slip)),
                         vd_fma(rho, vd_sqrt(vd3_dot(turn, turn)), sigma * vd_abs(spin)));
  const vd more = vd_fma(mu * mu, b->tt, vd_fma(rho, rho, sigma * sigma) * b->mm);
  const vd part = vd_min(one, vd_set(w->follow) * vd_fma(more, b->inverse_nn, one));
  vd_store(at, vd_fma(part, here - s, s));
  return x;
}

INLINE vd roll_sweep_lanes(const sphere_sweep *w, size_t i, size_t k, const lane_lines *at,
                           bool exact, glide_lanes *sums) {
  const sphere_group *g = &w->group[i];
  const sphere_roll *r = &w->roll[i];
  roll_view v = roll_look(g, k, at);
  const roll_pair current = roll_load(w->impulse, i, k);
  roll_pair from = current;
  if (sums)
    from = roll_add_scaled(current, vd_set(w->momentum),
                           roll_sub(current, roll_load(w->before, i, k)));
  const roll_point old = roll_split_turned(from, v.n);
  const vd turn_a = v.reach_a * v.a[7], turn_b = v.reach_b * v.b[7];
  /* Lanes without a contact have nothing to divide by. */
  const vd mass = vd_max(v.a[6] + v.b[6], vd_set(DBL_MIN)), mm = v.a[7] + v.b[7];
  roll_block block = {.k = roll_set_of(r, k, vd_load(w->mu + i * w->mu_stride + k)),
                      .nn = mass,
                      .tt = vd_fma(turn_a, v.reach_a, vd_fma(turn_b, v.reach_b, mass)),
                      .mm = mm,
                      .c = turn_a + turn_b,
                      .inverse_nn = vd_load(g->inverse_nn + k),
                      .inverse_tt = vd_load(g->inverse_tt + k),
                      .inverse_mm = vd_load(r->inverse_mm + k),
                      .q = roll_split_turned((roll_pair){v.u, v.w}, v.n)};
  block.q.n = block.q.n + vd_load(g->offset + k);
  if (w->extra) {
    const sphere_extra *e = &w->extra[i];
    const vd cn = vd_load(e->compliance_n + k), ct = vd_load(e->compliance_t + k);
    block.nn = block.nn + cn;
    block.tt = block.tt + ct;
    block.q.n = vd_fma(cn, old.n, block.q.n);
    block.q.t = vd3_add(block.q.t, vd3_load((const double(*)[PACK_LANES])e->offset, k));
    block.q.t = vd3_add_scaled(block.q.t, ct, old.t);
  }
  const vd weight = vd_fma(vd_set(2.0), block.tt, block.nn) * vd_set(1.0 / 3.0);
  const roll_set set = block.k;
  roll_point x;
  if (exact && w->shift)
    x = roll_lagged(w, i, k, &block, v.n, old);
  else if (exact || !w->isotropic)
    x = roll_solve(&block, w->relaxed != 0.0, v.n, old);
  else
    x = roll_project(w, set, weight, mm, old, block.q);
  roll_pair next = roll_join_turned(x, v.n);
  if (!exact) next = roll_blend(w, set, v.n, from, next);
  roll_store(sums ? w->before : w->impulse, i, k, next);
  const roll_pair change = roll_sub(next, from);
  const vd3 lever = vd3_cross(v.n, change.force);
  const vd zero = vd_set(0.0);
  add_push(v.a, zero - v.a[6], zero - v.a[7], change.force,
           vd3_add_scaled(change.moment, v.reach_a, lever));
  lines_store(at->to_a + k, v.a);
  add_push(v.b, v.b[6], v.b[7], change.force, vd3_add_scaled(change.moment, v.reach_b, lever));
  lines_store(at->to_b + k, v.b);
  const vd moved = vd3_dot(change.force, change.force) * weight;
  if (sums) {
    const roll_pair gone = roll_sub(next, current);
    sums->uphill = vd_fnma(weight, vd3_dot(change.force, gone.force), sums->uphill);
    sums->uphill = vd_fnma(mm, vd3_dot(change.moment, gone.moment), sums->uphill);
    sums->distance2 = sums->distance2 + vd_fma(mm, vd3_dot(change.moment, change.moment), moved);
  }
  return moved * weight;
}

INLINE double roll_sweep_groups(const sphere_sweep *w, size_t begin, size_t end, bool exact) {
  _Alignas(64) body_line trash[PACK_LANES];
  lane_lines ring[RING];
  vd worst = vd_set(0.0);
  const size_t count = end - begin;
  for (size_t j = 0; j < count + AHEAD; j++) {
    if (j < count) {
      const sphere_group *g = &w->group[w->backward ? end - 1 - j : begin + j];
      ask_for_groups(g, w->backward, w->reach);
      find_lines(g, w->lines, w->lines, trash, w->reach, &ring[j % RING]);
    }
    if (j < AHEAD) continue;
    const size_t i = w->backward ? end - 1 - (j - AHEAD) : begin + (j - AHEAD);
    for (size_t k = 0; k < PACK_LANES; k += LANES)
      worst = vd_max(roll_sweep_lanes(w, i, k, &ring[(j - AHEAD) % RING], exact, NULL), worst);
  }
  return vd_most(worst);
}

static double roll_sweep(const sphere_sweep *w, size_t begin, size_t end) {
  return w->isotropic || w->omega != 1.0 || w->lambda != 1.0
             ? roll_sweep_groups(w, begin, end, false)
             : roll_sweep_groups(w, begin, end, true);
}

static double roll_sweep_momentum(const sphere_sweep *w, const uint32_t *start, size_t begin,
                                  size_t end, sphere_glide *sums) {
  enum { PARTS = PACK_LANES / LANES };
  _Alignas(64) body_line trash[PACK_LANES];
  lane_lines ring[RING];
  vd worst = vd_set(0.0);
  const glide_lanes none = {vd_set(0.0), vd_set(0.0)};
  glide_lanes sum[PARTS];
  const size_t first = start[begin], last = start[end];
  size_t unit = begin;
  for (size_t k = 0; k < PARTS; k++) sum[k] = none;
  for (size_t j = first; j < last + AHEAD; j++) {
    if (j < last) {
      ask_for_groups(&w->group[j], false, w->reach);
      find_lines(&w->group[j], w->lines, w->lines, trash, w->reach, &ring[j % RING]);
    }
    if (j < first + AHEAD) continue;
    const size_t i = j - AHEAD;
    for (size_t k = 0; k < PARTS; k++)
      worst = vd_max(roll_sweep_lanes(w, i, k * LANES, &ring[i % RING], true, &sum[k]), worst);
    if (i + 1 < start[unit + 1]) continue;
    for (size_t k = 0; k < PARTS; k++) {
      vd_store_any(sums[unit].uphill + k * LANES, sum[k].uphill);
      vd_store_any(sums[unit].distance2 + k * LANES, sum[k].distance2);
      sum[k] = none;
    }
    unit++;
  }
  return vd_most(worst);
}

/* ---- the gradient step ----------------------------------------------------------------------- */

/* Momentum to both sides. */
INLINE void roll_push_lanes(const lane_lines *at, size_t k, const sphere_group *g, vd3 n,
                            roll_pair x) {
  const vd one = vd_set(1.0), minus = vd_set(-1.0);
  const vd3 lever = vd3_cross(n, x.force);
  vd a[8], b[8];
  lines_load(at->to_a + k, a);
  lines_load(at->to_b + k, b);
  add_push(a, minus, minus, x.force, vd3_add_scaled(x.moment, vd_load(g->reach_a + k), lever));
  lines_store(at->to_a + k, a);
  add_push(b, one, one, x.force, vd3_add_scaled(x.moment, vd_load(g->reach_b + k), lever));
  lines_store(at->to_b + k, b);
}

INLINE void roll_step_lanes(const sphere_step *w, size_t i, size_t k, const lane_lines *at,
                            step_sums *sums) {
  const sphere_group *g = &w->group[i];
  const sphere_roll *r = &w->roll[i];
  const roll_view v = roll_look(g, k, at);
  const roll_pair current = roll_load(w->current, i, k);
  const roll_pair y =
      roll_add_scaled(current, vd_set(w->beta), roll_sub(current, roll_load(w->previous, i, k)));
  const vd one = vd_set(1.0), i_nn = vd_load(g->inverse_nn + k), i_tt = vd_load(g->inverse_tt + k),
           i_mm = vd_load(r->inverse_mm + k), length = vd_set(w->step);
  const vd nn = one / i_nn, mm = one / i_mm;
  const vd tt = vd_fnma(vd_set(0.5), nn, vd_set(1.5) * vd_load(w->scale[i].weight + k));
  roll_pair u = {v.u, v.w};
  u.force = vd3_add_scaled(u.force, vd_load(g->offset + k), v.n);
  if (w->extra) {
    const sphere_extra *e = &w->extra[i];
    const vd cn = vd_load(e->compliance_n + k), ct = vd_load(e->compliance_t + k);
    u.force = vd3_add(u.force, vd3_load((const double(*)[PACK_LANES])e->offset, k));
    u.force = vd3_add_scaled(u.force, (cn - ct) * vd3_dot(y.force, v.n), v.n);
    u.force = vd3_add_scaled(u.force, ct, y.force);
  }
  const roll_point at_y = roll_split(y, v.n), slope = roll_split(u, v.n);
  const roll_point x = {
      vd_fnma(length * i_nn, slope.n, at_y.n), vd3_sub_scaled(at_y.t, length * i_tt, slope.t),
      vd3_sub_scaled(at_y.z, length * i_mm, slope.z), vd_fnma(length * i_mm, slope.s, at_y.s)};
  const roll_set set = roll_set_of(r, k, vd_load(w->scale[i].mu + k));
  const roll_pair next = roll_join(roll_clamp(set, nn, tt, mm, true, x), v.n);
  roll_store(w->next, i, k, next);
  roll_push_lanes(at, k, g, v.n, next);
  const roll_pair d = roll_sub(next, y), gone = roll_sub(next, current);
  const vd more = nn - tt, dd = vd3_dot(d.force, d.force), d_n = vd3_dot(d.force, v.n);
  sums->distance2 =
      sums->distance2 + vd_fma(mm, vd3_dot(d.moment, d.moment), vd_fma(more * d_n, d_n, tt * dd));
  sums->uphill = sums->uphill - vd_fma(mm, vd3_dot(d.moment, gone.moment),
                                       vd_fma(more * d_n, vd3_dot(gone.force, v.n),
                                              tt * vd3_dot(d.force, gone.force)));
  sums->value = sums->value + (vd3_dot(next.force, u.force) + vd3_dot(next.moment, u.moment));
  if (w->extra) {
    const vd cn = vd_load(w->extra[i].compliance_n + k), ct = vd_load(w->extra[i].compliance_t + k);
    const vd3 half = vd3_sub(vd3_scale(vd_set(0.5), next.force), y.force);
    sums->value = sums->value + (ct * vd3_dot(next.force, half) +
                                 (cn - ct) * (vd3_dot(next.force, v.n) * vd3_dot(half, v.n)));
    sums->compliant = sums->compliant + (ct * dd + (cn - ct) * (d_n * d_n));
  }
}

static void roll_step(const sphere_step *w, size_t begin, size_t end, sphere_sums *out) {
  enum { PARTS = PACK_LANES / LANES };
  _Alignas(64) body_line trash[PACK_LANES] = {{.inverse_mass = 0.0}};
  lane_lines ring[RING];
  step_sums sums[PARTS];
  const vd zero = vd_set(0.0);
  for (size_t k = 0; k < PARTS; k++) sums[k] = (step_sums){zero, zero, zero, zero};
  for (size_t j = begin; j < end + AHEAD; j++) {
    if (j < end) {
      ask_for_groups(&w->group[j], false, w->reach);
      find_lines(&w->group[j], w->lines, w->push, trash, w->reach, &ring[j % RING]);
    }
    if (j < begin + AHEAD) continue;
    for (size_t k = 0; k < PARTS; k++)
      roll_step_lanes(w, j - AHEAD, k * LANES, &ring[(j - AHEAD) % RING], &sums[k]);
  }
  for (size_t k = 0; k < PARTS; k++) {
    vd_store_any(out->distance2 + k * LANES, sums[k].distance2);
    vd_store_any(out->uphill + k * LANES, sums[k].uphill);
    vd_store_any(out->value + k * LANES, sums[k].value);
    vd_store_any(out->compliant + k * LANES, sums[k].compliant);
  }
}

/* ---- D and its transpose --------------------------------------------------------------------- */

static void roll_push(const sphere_product *w, size_t begin, size_t end) {
  _Alignas(64) body_line trash[PACK_LANES] = {{.inverse_mass = 0.0}};
  lane_lines ring[RING];
  for (size_t j = begin; j < end + AHEAD; j++) {
    if (j < end) {
      ask_for_groups(&w->group[j], false, w->reach);
      find_lines(&w->group[j], w->lines, w->lines, trash, w->reach, &ring[j % RING]);
    }
    if (j < begin + AHEAD) continue;
    const size_t i = j - AHEAD;
    for (size_t k = 0; k < PACK_LANES; k += LANES)
      roll_push_lanes(&ring[i % RING], k, &w->group[i],
                      vd3_load((const double(*)[PACK_LANES])w->group[i].normal, k),
                      roll_load(w->lanes, i - w->first, k));
  }
}

static void roll_read(const sphere_product *w, size_t begin, size_t end) {
  _Alignas(64) body_line trash[PACK_LANES];
  lane_lines ring[RING];
  for (size_t j = begin; j < end + AHEAD; j++) {
    if (j < end) {
      ask_for_groups(&w->group[j], false, w->reach);
      find_lines(&w->group[j], w->lines, w->lines, trash, w->reach, &ring[j % RING]);
    }
    if (j < begin + AHEAD) continue;
    const size_t i = j - AHEAD;
    for (size_t k = 0; k < PACK_LANES; k += LANES) {
      const roll_view v = roll_look(&w->group[i], k, &ring[i % RING]);
      vd3 u = v.u;
      if (w->extra) {
        const vd3 x = roll_load(w->lanes, i - w->first, k).force;
        const vd cn = vd_load(w->extra[i].compliance_n + k),
                 ct = vd_load(w->extra[i].compliance_t + k);
        u = vd3_add_scaled(vd3_add_scaled(u, ct, x), (cn - ct) * vd3_dot(x, v.n), v.n);
      }
      roll_store(w->out, i - w->first, k, (roll_pair){u, v.w});
    }
  }
}

/* ---- residuals ------------------------------------------------------------------------------- */

/* |g - P(g - e û)|^2 of forces and of moments. */
INLINE void roll_natural(roll_set set, vd eta, vd eta_m, vd weight, vd mm, roll_point g,
                         roll_point u, vd *force2, vd *moment2) {
  const roll_point x = {vd_fnma(eta, u.n, g.n), vd3_sub_scaled(g.t, eta, u.t),
                        vd3_sub_scaled(g.z, eta_m, u.z), vd_fnma(eta_m, u.s, g.s)};
  const roll_point p = roll_clamp(set, weight, weight, mm, true, x);
  const vd dn = g.n - p.n, ds = g.s - p.s;
  const vd3 dt = vd3_sub(g.t, p.t), dz = vd3_sub(g.z, p.z);
  *force2 = vd_fma(dn, dn, vd3_dot(dt, dt));
  *moment2 = vd_fma(ds, ds, vd3_dot(dz, dz));
}

INLINE void roll_judge_lanes(const sphere_judge *w, size_t i, size_t k, const lane_lines *at,
                             judge_sums *s) {
  const sphere_group *g = &w->group[i];
  const sphere_roll *r = &w->roll[i];
  const vd one = vd_set(1.0), weight = vd_load(w->scale[i].weight + k);
  const roll_view v = roll_look(g, k, at);
  const roll_point x = roll_split(roll_load(w->lanes, i - w->first, k), v.n);
  const roll_set set = roll_set_of(r, k, vd_load(w->scale[i].mu + k));
  const vd i_mm = vd_load(r->inverse_mm + k), mm = one / i_mm;
  roll_point u = roll_split((roll_pair){v.u, v.w}, v.n);
  u.n = u.n + vd_load(g->offset + k);
  if (w->extra) {
    const sphere_extra *e = &w->extra[i];
    u.n = vd_fma(vd_load(e->compliance_n + k), x.n, u.n);
    u.t = vd3_add(u.t, vd3_load((const double(*)[PACK_LANES])e->offset, k));
    u.t = vd3_add_scaled(u.t, vd_load(e->compliance_t + k), x.t);
  }
  const vd slip2 = vd3_dot(u.t, u.t), roll2 = vd3_dot(u.z, u.z), gt2 = vd3_dot(x.t, x.t);
  const vd shift =
      vd_fma(set.mu, vd_sqrt(slip2), vd_fma(set.rho, vd_sqrt(roll2), set.sigma * vd_abs(u.s)));
  roll_point shifted = u;
  shifted.n = vd_fma(vd_set(w->shifted), shift, u.n);
  vd force2, moment2;
  roll_natural(set, one, one, one, one, x, shifted, &force2, &moment2);
  s->natural2 = s->natural2 + (force2 + moment2);
  roll_natural(set, one / weight, i_mm, weight, mm, x, shifted, &force2, &moment2);
  const vd least = vd_set(0.25 * DBL_EPSILON * DBL_EPSILON) * vd_max(x.n * x.n, gt2);
  const vd map2 = vd_fma(moment2 * mm, weight, force2 * (weight * weight));
  const vd scaled2 = vd_max(least * (weight * weight), map2);
  s->scaled2 = s->scaled2 + scaled2;
  s->worst2 = vd_max(scaled2, s->worst2);
  s->impulse2 = s->impulse2 + (vd_fma(x.n, x.n, gt2) + vd_fma(x.s, x.s, vd3_dot(x.z, x.z)));
  s->velocity2 =
      s->velocity2 + (vd_fma(u.n, u.n, slip2) +
                      vd_fma(vd_load(r->rolls + k), roll2, vd_load(r->spins + k) * (u.s * u.s)));
  s->product =
      s->product + (vd_fma(x.n, u.n, vd3_dot(x.t, u.t)) + vd_fma(x.s, u.s, vd3_dot(x.z, u.z)));
  s->penetration = vd_max(vd_set(0.0) - u.n, s->penetration);
  s->gap = vd_max(vd_if_positive(x.n, shift), s->gap);
}

static void roll_judge(const sphere_judge *w, size_t begin, size_t end, sphere_judged *out) {
  _Alignas(64) body_line trash[PACK_LANES];
  lane_lines ring[RING];
  judge_sums sums[PACK_LANES / LANES];
  for (size_t k = 0; k < PACK_LANES / LANES; k++) sums[k] = judge_zero();
  for (size_t j = begin; j < end + AHEAD; j++) {
    if (j < end) {
      ask_for_groups(&w->group[j], false, w->reach);
      find_lines(&w->group[j], w->lines, w->lines, trash, w->reach, &ring[j % RING]);
    }
    if (j < begin + AHEAD) continue;
    for (size_t k = 0; k < PACK_LANES; k += LANES)
      roll_judge_lanes(w, j - AHEAD, k, &ring[(j - AHEAD) % RING], &sums[k / LANES]);
  }
  for (size_t k = 0; k < PACK_LANES; k += LANES) judge_store(&sums[k / LANES], k, out);
}

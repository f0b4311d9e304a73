/* Products with D and D', and the residuals, over lanes: the part of bodies_kernel_body.h that is
 * no step of a solver. This is a template: no include guard. */

INLINE const double (*lanes_of(const double *lanes, size_t i))[PACK_LANES] {
  return (const double(*)[PACK_LANES])(lanes + i * PACK_IMPULSES);
}

/* ---- D and its transpose --------------------------------------------------------------------- */

static void push_lines(const sphere_product *w, size_t begin, size_t end) {
  _Alignas(64) body_line trash[PACK_LANES] = {{.inverse_mass = 0.0}};
  lane_lines ring[RING];
  const vd zero = vd_set(0.0);
  for (size_t j = begin; j < end + AHEAD; j++) {
    if (j < end) {
      ask_for_groups(&w->group[j], false, w->reach);
      find_lines(&w->group[j], w->lines, w->lines, trash, w->reach, &ring[j % RING]);
    }
    if (j < begin + AHEAD) continue;
    const size_t i = j - AHEAD;
    const sphere_group *g = &w->group[i];
    const lane_lines *at = &ring[i % RING];
    for (size_t k = 0; k < PACK_LANES; k += LANES) {
      const vd3 n = vd3_load((const double(*)[PACK_LANES])g->normal, k);
      const vd3 x = vd3_load(lanes_of(w->lanes, i - w->first), k);
      const vd3 moment = vd3_cross(n, x);
      const vd line[8] = {x.x, x.y, x.z, moment.x, moment.y, moment.z, zero, zero};
      lines_push(at->to_a + k, at->to_b + k, g->reach_a + k, g->reach_b + k, line);
    }
  }
}

static void read_lines(const sphere_product *w, size_t begin, size_t end) {
  _Alignas(64) body_line trash[PACK_LANES];
  lane_lines ring[RING];
  for (size_t j = begin; j < end + AHEAD; j++) {
    if (j < end) {
      ask_for_groups(&w->group[j], false, w->reach);
      find_lines(&w->group[j], w->lines, w->lines, trash, w->reach, &ring[j % RING]);
    }
    if (j < begin + AHEAD) continue;
    const size_t i = j - AHEAD;
    const sphere_group *g = &w->group[i];
    const lane_lines *at = &ring[i % RING];
    for (size_t k = 0; k < PACK_LANES; k += LANES) {
      vd a[8], b[8];
      lines_load(at->from_a + k, a);
      lines_load(at->from_b + k, b);
      const vd3 n = vd3_load((const double(*)[PACK_LANES])g->normal, k);
      vd3 u = relative_velocity(a, b, vd_load(g->reach_a + k), vd_load(g->reach_b + k), n);
      if (w->extra) {
        const vd3 x = vd3_load(lanes_of(w->lanes, i - w->first), k);
        const vd cn = vd_load(w->extra[i].compliance_n + k),
                 ct = vd_load(w->extra[i].compliance_t + k);
        u = vd3_add_scaled(vd3_add_scaled(u, ct, x), (cn - ct) * vd3_dot(x, n), n);
      }
      vd3_store((double(*)[PACK_LANES])(w->out + (i - w->first) * PACK_IMPULSES), k, u);
    }
  }
}

/* ---- residuals ------------------------------------------------------------------------------- */

typedef struct judge_sums {
  vd natural2, scaled2, worst2, impulse2, velocity2, product, penetration, gap;
} judge_sums;

/* |g - P(g - eta û)|^2, normal and tangents apart. */
INLINE vd natural_map(vd eta, vd gn, vd3 gt, vd un, vd3 ut, vd mu, vd beta) {
  const vd3 t = vd3_sub_scaled(gt, eta, ut);
  const vd square = vd3_dot(t, t);
  vd scale;
  const vd normal =
      cone_normal(vd_fnma(eta, un, gn), vd_sqrt(square), vd_set(1.0) / square, mu, beta, &scale);
  const vd dn = gn - normal;
  const vd3 dt = vd3_sub_scaled(gt, scale, t);
  return vd_fma(dn, dn, vd3_dot(dt, dt));
}

/* One contact a lane: impulse and velocity, normal and tangents apart; rough = 0 leaves the slip of
 * a ray out of |u|^2. */
INLINE void judge_add(judge_sums *s, vd shift_on, vd gn, vd3 gt, vd un, vd3 ut, vd mu, vd weight,
                      vd rough) {
  const vd one = vd_set(1.0);
  const vd slip2 = vd3_dot(ut, ut), gt2 = vd3_dot(gt, gt);
  const vd shift = mu * vd_sqrt(slip2), shifted = vd_fma(shift_on, shift, un);
  const vd beta = mu / vd_fma(mu, mu, one);
  s->natural2 = s->natural2 + natural_map(one, gn, gt, shifted, ut, mu, beta);
  const vd map2 = natural_map(one / weight, gn, gt, shifted, ut, mu, beta);
  /* No smaller than what the impulse can be told from, see residual.c. */
  const vd least = vd_set(0.25 * DBL_EPSILON * DBL_EPSILON) * vd_max(gn * gn, gt2);
  const vd scaled2 = vd_max(least, map2) * (weight * weight);
  s->scaled2 = s->scaled2 + scaled2;
  s->worst2 = vd_max(scaled2, s->worst2);
  s->impulse2 = s->impulse2 + vd_fma(gn, gn, gt2);
  s->velocity2 = s->velocity2 + vd_fma(un, un, rough * slip2);
  s->product = s->product + vd_fma(gn, un, vd3_dot(gt, ut));
  s->penetration = vd_max(vd_set(0.0) - un, s->penetration);
  s->gap = vd_max(vd_if_positive(gn, shift), s->gap);
}

INLINE void judge_store(const judge_sums *s, size_t k, sphere_judged *out) {
  vd_store_any(out->natural2 + k, s->natural2);
  vd_store_any(out->scaled2 + k, s->scaled2);
  vd_store_any(out->worst2 + k, s->worst2);
  vd_store_any(out->impulse2 + k, s->impulse2);
  vd_store_any(out->velocity2 + k, s->velocity2);
  vd_store_any(out->product + k, s->product);
  vd_store_any(out->penetration + k, s->penetration);
  vd_store_any(out->gap + k, s->gap);
}

INLINE judge_sums judge_zero(void) {
  const vd zero = vd_set(0.0);
  return (judge_sums){zero, zero, zero, zero, zero, zero, zero, zero};
}

INLINE void judge_lanes(const sphere_judge *w, size_t i, size_t k, const lane_lines *at, bool extra,
                        judge_sums *s) {
  const sphere_group *g = &w->group[i];
  vd a[8], b[8];
  lines_load(at->from_a + k, a);
  lines_load(at->from_b + k, b);
  const vd3 n = vd3_load((const double(*)[PACK_LANES])g->normal, k);
  const vd3 x = vd3_load(lanes_of(w->lanes, i - w->first), k);
  const vd mu = vd_load(w->scale[i].mu + k), weight = vd_load(w->scale[i].weight + k);
  const vd3 u = relative_velocity(a, b, vd_load(g->reach_a + k), vd_load(g->reach_b + k), n);
  const vd gn = vd3_dot(x, n), geometric = vd3_dot(u, n);
  const vd3 gt = vd3_sub_scaled(x, gn, n);
  vd un = geometric + vd_load(g->offset + k);
  vd3 ut = vd3_sub_scaled(u, geometric, n);
  if (extra) {
    const sphere_extra *e = &w->extra[i];
    un = vd_fma(vd_load(e->compliance_n + k), gn, un);
    ut = vd3_add(ut, vd3_load((const double(*)[PACK_LANES])e->offset, k));
    ut = vd3_add_scaled(ut, vd_load(e->compliance_t + k), gt);
  }
  const vd rough = w->rough ? vd_load(w->rough[i] + k) : vd_set(1.0);
  judge_add(s, vd_set(w->shifted), gn, gt, un, ut, mu, weight, rough);
}

INLINE void judge_groups(const sphere_judge *w, size_t begin, size_t end, bool extra,
                         sphere_judged *out) {
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
      judge_lanes(w, j - AHEAD, k, &ring[(j - AHEAD) % RING], extra, &sums[k / LANES]);
  }
  for (size_t k = 0; k < PACK_LANES; k += LANES) judge_store(&sums[k / LANES], k, out);
}

static void judge(const sphere_judge *w, size_t begin, size_t end, sphere_judged *sums) {
  if (w->extra)
    judge_groups(w, begin, end, true, sums);
  else
    judge_groups(w, begin, end, false, sums);
}

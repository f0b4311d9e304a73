/* The kernels of bodies_kernel.h, written once over a vector of LANES doubles. A file that includes
 * this has defined LANES, vd and the vd_… and lines_… operations for its instruction set, and
 * KERNEL_TABLE, the name of its table. This is a template: no include guard. */

#define INLINE static inline __attribute__((always_inline))

typedef struct vd3 {
  vd x, y, z;
} vd3;

INLINE vd3 vd3_load(const double (*p)[PACK_LANES], size_t k) {
  return (vd3){vd_load(p[0] + k), vd_load(p[1] + k), vd_load(p[2] + k)};
}
INLINE void vd3_store(double (*p)[PACK_LANES], size_t k, vd3 a) {
  vd_store(p[0] + k, a.x);
  vd_store(p[1] + k, a.y);
  vd_store(p[2] + k, a.z);
}
INLINE vd3 vd3_add(vd3 a, vd3 b) {
  return (vd3){a.x + b.x, a.y + b.y, a.z + b.z};
}
INLINE vd3 vd3_sub(vd3 a, vd3 b) {
  return (vd3){a.x - b.x, a.y - b.y, a.z - b.z};
}
INLINE vd3 vd3_scale(vd s, vd3 a) {
  return (vd3){s * a.x, s * a.y, s * a.z};
}
/* a + s b, a - s b */
INLINE vd3 vd3_add_scaled(vd3 a, vd s, vd3 b) {
  return (vd3){vd_fma(s, b.x, a.x), vd_fma(s, b.y, a.y), vd_fma(s, b.z, a.z)};
}
INLINE vd3 vd3_sub_scaled(vd3 a, vd s, vd3 b) {
  return (vd3){vd_fnma(s, b.x, a.x), vd_fnma(s, b.y, a.y), vd_fnma(s, b.z, a.z)};
}
INLINE vd vd3_dot(vd3 a, vd3 b) {
  return vd_fma(a.z, b.z, vd_fma(a.y, b.y, a.x * b.x));
}
INLINE vd3 vd3_cross(vd3 a, vd3 b) {
  return (vd3){vd_fnma(a.z, b.y, a.y * b.z), vd_fnma(a.x, b.z, a.z * b.x),
               vd_fnma(a.y, b.x, a.x * b.y)};
}

/* Where the lines of a group are read and where they are written. */
typedef struct lane_lines {
  _Alignas(64) uintptr_t from_a[PACK_LANES], from_b[PACK_LANES], to_a[PACK_LANES], to_b[PACK_LANES];
} lane_lines;

/* Groups ahead whose body lines are asked for, and groups ahead that are asked for themselves. */
enum { AHEAD = 5, RING = 8, GROUPS_AHEAD = 10 };

INLINE void ask_for_groups(const sphere_group *g, bool backward, pack_reach reach) {
  if (reach == PACK_NEAR) return;
  const char *at = (const char *)(backward ? g - GROUPS_AHEAD : g + GROUPS_AHEAD);
  for (size_t k = 0; k < sizeof *g; k += 64) __builtin_prefetch(at + k, 0);
}

INLINE void find_lines(const sphere_group *g, const body_line *from, const body_line *to,
                       const body_line *trash, pack_reach reach, lane_lines *at) {
  addresses(from, g->a, at->from_a);
  addresses(from, g->b, at->from_b);
  addresses_or(to, g->a, trash, at->to_a);
  addresses_or(to, g->b, trash, at->to_b);
  if (reach != PACK_AHEAD) return;
  for (size_t k = 0; k < PACK_LANES; k++) {
    __builtin_prefetch((const void *)at->from_a[k], 1);
    __builtin_prefetch((const void *)at->from_b[k], 1);
  }
  if (from == to) return;
  for (size_t k = 0; k < PACK_LANES; k++) {
    __builtin_prefetch((const void *)at->to_a[k], 1);
    __builtin_prefetch((const void *)at->to_b[k], 1);
  }
}

/* Velocity of b against a at the contact point: arms are along the normal. */
INLINE vd3 relative_velocity(const vd *a, const vd *b, vd reach_a, vd reach_b, vd3 n) {
  const vd3 spin = {vd_fnma(reach_a, a[3], reach_b * b[3]), vd_fnma(reach_a, a[4], reach_b * b[4]),
                    vd_fnma(reach_a, a[5], reach_b * b[5])};
  const vd3 u = {vd_fma(spin.y, n.z, b[0] - a[0]), vd_fma(spin.z, n.x, b[1] - a[1]),
                 vd_fma(spin.x, n.y, b[2] - a[2])};
  return (vd3){vd_fnma(spin.z, n.y, u.x), vd_fnma(spin.x, n.z, u.y), vd_fnma(spin.y, n.x, u.z)};
}

/* The cone's formula of bodies_kernel.h, from p, t and 1/t^2 to n' and the factor on T. 1/t is made
 * of t = sqrt(t^2) and 1/t^2, which do not wait for each other. The order of the arguments of max
 * and min lets a NaN through and turns 0/0 into 1. */
INLINE vd cone_normal(vd p, vd length, vd inverse, vd mu, vd beta, vd *scale) {
  const vd zero = vd_set(0.0), one = vd_set(1.0);
  const vd normal = vd_max(zero, vd_fma(beta, vd_max(zero, vd_fnma(mu, p, length)), p));
  *scale = vd_min((mu * normal) * (length * inverse), one);
  return normal;
}

INLINE vd3 clamp_to_cone(vd p, vd3 t, vd mu, vd beta, vd3 n) {
  const vd square = vd3_dot(t, t);
  vd scale;
  const vd normal = cone_normal(p, vd_sqrt(square), vd_set(1.0) / square, mu, beta, &scale);
  return vd3_add_scaled(vd3_scale(normal, n), scale, t);
}

INLINE vd3 project_on_cone(vd3 x, vd mu, vd3 n) {
  const vd p = vd3_dot(x, n);
  const vd beta = mu / vd_fma(mu, mu, vd_set(1.0));
  return clamp_to_cone(p, vd3_sub_scaled(x, p, n), mu, beta, n);
}

/* The increments of twist (or momentum) that an impulse gives a side; s = -1 for a. */
INLINE void add_push(vd *line, vd mass, vd turn, vd3 force, vd3 moment) {
  line[0] = vd_fma(mass, force.x, line[0]);
  line[1] = vd_fma(mass, force.y, line[1]);
  line[2] = vd_fma(mass, force.z, line[2]);
  line[3] = vd_fma(turn, moment.x, line[3]);
  line[4] = vd_fma(turn, moment.y, line[4]);
  line[5] = vd_fma(turn, moment.z, line[5]);
}

/* ---- the sweep ------------------------------------------------------------------------------- */

typedef struct glide_lanes {
  vd uphill, distance2;
} glide_lanes;

/* The block with a shift that lags behind, see operator_glide.h. The exact law has the normal
 * max(0, p) and |u_T| = N_tt (t - mu n'), where that is positive. */
INLINE vd3 lagged_block(const sphere_sweep *w, size_t i, size_t k, vd p, vd inverse_nn,
                        vd inverse_tt, vd3 t, vd mu, vd beta, vd3 n) {
  double *const at = w->shift + i * PACK_LANES + k;
  const vd zero = vd_set(0.0), old = vd_load(at);
  const vd square = vd3_dot(t, t), length = vd_sqrt(square), inverse = vd_set(1.0) / square;
  const vd slip = vd_max(zero, vd_fnma(mu, vd_max(zero, p), length));
  const vd s = vd_fma(vd_set(w->follow), (mu / inverse_tt) * slip - old, old);
  vd scale;
  vd_store(at, s);
  const vd normal = cone_normal(vd_fnma(inverse_nn, s, p), length, inverse, mu, beta, &scale);
  return vd3_add_scaled(vd3_scale(normal, n), scale, t);
}

/* sums: null without momentum. Where all contacts are of one set, with friction and without
 * compliance, the weight (N_nn + 2 N_tt) / 3 is made of what is at hand. */
INLINE vd sweep_lanes(const sphere_sweep *w, size_t i, size_t k, const lane_lines *at, bool extra,
                      bool isotropic, bool blended, bool lagged, glide_lanes *sums) {
  const sphere_group *g = &w->group[i];
  double(*impulse)[PACK_LANES] = (double(*)[PACK_LANES])(w->impulse + i * PACK_IMPULSES);
  vd a[8], b[8];
  lines_load(at->from_a + k, a);
  lines_load(at->from_b + k, b);
  const vd3 n = vd3_load((const double(*)[PACK_LANES])g->normal, k);
  const vd reach_a = vd_load(g->reach_a + k), reach_b = vd_load(g->reach_b + k);
  const vd3 current = vd3_load((const double(*)[PACK_LANES])impulse, k);
  vd3 old = current;
  if (sums) {
    impulse = (double(*)[PACK_LANES])(w->before + i * PACK_IMPULSES);
    const vd3 gone = vd3_sub(current, vd3_load((const double(*)[PACK_LANES])impulse, k));
    old = vd3_add_scaled(current, vd_set(w->momentum), gone);
  }
  const vd mu = vd_load(w->mu + i * w->mu_stride + k);
  vd3 u = relative_velocity(a, b, reach_a, reach_b, n);
  const vd gn = vd3_dot(old, n), geometric = vd3_dot(u, n);
  vd un = geometric + vd_load(g->offset + k);
  const vd turn_a = reach_a * a[7], turn_b = reach_b * b[7];
  vd weight = vd_fma(vd_set(2.0 / 3.0), vd_fma(turn_a, reach_a, turn_b * reach_b), a[6] + b[6]);
  if (extra || w->mu_stride) weight = vd_load(w->scale[i].weight + k);
  if (extra) {
    const sphere_extra *e = &w->extra[i];
    const vd ct = vd_load(e->compliance_t + k);
    un = vd_fma(vd_load(e->compliance_n + k), gn, un);
    u = vd3_add(u, vd3_load((const double(*)[PACK_LANES])e->offset, k));
    u = vd3_add_scaled(u, ct, vd3_sub_scaled(old, gn, n));
  }
  vd3 next;
  if (isotropic) {
    const vd eta = vd_set(w->omega) / vd_load(w->scale[i].weight + k);
    const vd3 ut = vd3_sub_scaled(u, geometric, n);
    const vd shift = vd_set(1.0 - w->relaxed) * (mu * vd_sqrt(vd3_dot(ut, ut)));
    const vd3 gt = vd3_sub_scaled(old, gn, n);
    const vd beta = mu / vd_fma(mu, mu, vd_set(1.0));
    next = clamp_to_cone(vd_fnma(eta, un + shift, gn), vd3_sub_scaled(gt, eta, ut), mu, beta, n);
  } else {
    const vd itt = vd_load(g->inverse_tt + k);
    const vd3 x = vd3_sub_scaled(old, itt, u);
    const vd3 t = vd3_sub_scaled(x, vd_fnma(itt, geometric, gn), n);
    const vd inn = vd_load(g->inverse_nn + k), p = vd_fnma(inn, un, gn);
    const vd beta = vd_set(lagged ? 1.0 : w->relaxed) * vd_load(g->beta + k);
    next = lagged ? lagged_block(w, i, k, p, inn, itt, t, mu, beta, n)
                  : clamp_to_cone(p, t, mu, beta, n);
    if (blended)
      next = project_on_cone(vd3_add_scaled(old, vd_set(w->omega), vd3_sub(next, old)), mu, n);
  }
  if (blended)
    next = vd3_add_scaled(vd3_scale(vd_set(w->lambda), next), vd_set(1.0 - w->lambda), old);
  vd3_store(impulse, k, next);
  const vd3 change = vd3_sub(next, old), moment = vd3_cross(n, change);
  const vd zero = vd_set(0.0);
  add_push(a, zero - a[6], zero - turn_a, change, moment);
  lines_store(at->to_a + k, a);
  add_push(b, b[6], turn_b, change, moment);
  lines_store(at->to_b + k, b);
  const vd moved = vd3_dot(change, change) * weight;
  if (sums) {
    sums->uphill = vd_fnma(weight, vd3_dot(change, vd3_sub(next, current)), sums->uphill);
    sums->distance2 = sums->distance2 + moved;
  }
  return moved * weight;
}

INLINE double sweep_groups(const sphere_sweep *w, size_t begin, size_t end, bool extra,
                           bool isotropic, bool blended) {
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
      worst = vd_max(
          sweep_lanes(w, i, k, &ring[(j - AHEAD) % RING], extra, isotropic, blended, false, NULL),
          worst);
  }
  return vd_most(worst);
}

static double sweep(const sphere_sweep *w, size_t begin, size_t end) {
  const bool blended = w->omega != 1.0 || w->lambda != 1.0;
  if (w->isotropic)
    return w->extra ? sweep_groups(w, begin, end, true, true, true)
                    : sweep_groups(w, begin, end, false, true, true);
  if (blended)
    return w->extra ? sweep_groups(w, begin, end, true, false, true)
                    : sweep_groups(w, begin, end, false, false, true);
  return w->extra ? sweep_groups(w, begin, end, true, false, false)
                  : sweep_groups(w, begin, end, false, false, false);
}

/* Units are met in order, so that their sums are apart whatever run of them a thread has. */
INLINE double sweep_units(const sphere_sweep *w, const uint32_t *start, size_t begin, size_t end,
                          bool extra, bool lagged, sphere_glide *sums) {
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
      worst = vd_max(
          sweep_lanes(w, i, k * LANES, &ring[i % RING], extra, false, false, lagged, &sum[k]),
          worst);
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

static double sweep_momentum(const sphere_sweep *w, const uint32_t *start, size_t begin, size_t end,
                             sphere_glide *sums) {
  if (w->shift)
    return w->extra ? sweep_units(w, start, begin, end, true, true, sums)
                    : sweep_units(w, start, begin, end, false, true, sums);
  return w->extra ? sweep_units(w, start, begin, end, true, false, sums)
                  : sweep_units(w, start, begin, end, false, false, sums);
}

/* ---- the gradient step ----------------------------------------------------------------------- */

typedef struct step_sums {
  vd distance2, uphill, value, compliant;
} step_sums;

/* A step up to the square root. The chain of one group is longer than what a core looks ahead, so
 * the first half of a group is issued before the second half of the one before it. */
typedef struct step_half {
  vd3 y, u, t;
  vd p, length, inverse;
} step_half;

INLINE step_half step_begin(const sphere_step *w, size_t i, size_t k, const lane_lines *at,
                            bool extra) {
  const sphere_group *g = &w->group[i];
  const size_t lane = i * PACK_IMPULSES;
  step_half h;
  vd a[8], b[8];
  lines_load(at->from_a + k, a);
  lines_load(at->from_b + k, b);
  const vd3 n = vd3_load((const double(*)[PACK_LANES])g->normal, k);
  const vd3 current = vd3_load((const double(*)[PACK_LANES])(w->current + lane), k);
  const vd3 previous = vd3_load((const double(*)[PACK_LANES])(w->previous + lane), k);
  h.y = vd3_add_scaled(current, vd_set(w->beta), vd3_sub(current, previous));
  h.u = relative_velocity(a, b, vd_load(g->reach_a + k), vd_load(g->reach_b + k), n);
  vd un = vd_load(g->offset + k);
  if (extra) {
    const sphere_extra *e = &w->extra[i];
    const vd cn = vd_load(e->compliance_n + k), ct = vd_load(e->compliance_t + k);
    un = vd_fma(cn - ct, vd3_dot(h.y, n), un);
    h.u = vd3_add(h.u, vd3_load((const double(*)[PACK_LANES])e->offset, k));
    h.u = vd3_add_scaled(h.u, ct, h.y);
  }
  h.u = vd3_add_scaled(h.u, un, n);
  const vd step_n = vd_set(w->step) * vd_load(g->inverse_nn + k);
  const vd step_t = vd_set(w->step) * vd_load(g->inverse_tt + k);
  const vd3 x = vd3_sub_scaled(h.y, step_t, h.u);
  h.p = vd_fnma(step_n, vd3_dot(h.u, n), vd3_dot(h.y, n));
  h.t = vd3_sub_scaled(x, vd3_dot(x, n), n);
  const vd square = vd3_dot(h.t, h.t);
  h.length = vd_sqrt(square);
  h.inverse = vd_set(1.0) / square;
  return h;
}

INLINE void step_end(const sphere_step *w, size_t i, size_t k, const lane_lines *at, bool extra,
                     const step_half *h, step_sums *sums) {
  const sphere_group *g = &w->group[i];
  const size_t lane = i * PACK_IMPULSES;
  const vd3 n = vd3_load((const double(*)[PACK_LANES])g->normal, k);
  const vd3 current = vd3_load((const double(*)[PACK_LANES])(w->current + lane), k);
  vd scale;
  const vd normal = cone_normal(h->p, h->length, h->inverse, vd_load(w->scale[i].mu + k),
                                vd_load(g->beta + k), &scale);
  const vd3 next = vd3_add_scaled(vd3_scale(normal, n), scale, h->t);
  vd3_store((double(*)[PACK_LANES])(w->next + lane), k, next);
  const vd zero = vd_set(0.0);
  const vd3 moment = vd3_cross(n, next);
  const vd push[8] = {next.x, next.y, next.z, moment.x, moment.y, moment.z, zero, zero};
  lines_push(at->to_a + k, at->to_b + k, g->reach_a + k, g->reach_b + k, push);
  /* N_tt from the weight (N_nn + 2 N_tt) / 3; across the normal d'd is |d|^2 - d_n^2. */
  const vd nn = vd_set(1.0) / vd_load(g->inverse_nn + k);
  const vd tt = vd_fnma(vd_set(0.5), nn, vd_set(1.5) * vd_load(w->scale[i].weight + k)),
           more = nn - tt;
  const vd3 d = vd3_sub(next, h->y), gone = vd3_sub(next, current);
  const vd dd = vd3_dot(d, d), d_n = vd3_dot(d, n);
  sums->distance2 = sums->distance2 + vd_fma(more * d_n, d_n, tt * dd);
  sums->uphill = sums->uphill - vd_fma(more * d_n, vd3_dot(gone, n), tt * vd3_dot(d, gone));
  sums->value = sums->value + vd3_dot(next, h->u);
  if (extra) {
    const vd cn = vd_load(w->extra[i].compliance_n + k), ct = vd_load(w->extra[i].compliance_t + k);
    const vd3 half = vd3_sub(vd3_scale(vd_set(0.5), next), h->y);
    sums->value = sums->value +
                  (ct * vd3_dot(next, half) + (cn - ct) * (vd3_dot(next, n) * vd3_dot(half, n)));
    sums->compliant = sums->compliant + (ct * dd + (cn - ct) * (d_n * d_n));
  }
}

INLINE void step_groups(const sphere_step *w, size_t begin, size_t end, bool extra,
                        sphere_sums *out) {
  enum { PARTS = PACK_LANES / LANES };
  _Alignas(64) body_line trash[PACK_LANES] = {{.inverse_mass = 0.0}};
  lane_lines ring[RING];
  step_sums sums[PARTS];
  step_half half[PARTS] = {0};
  for (size_t k = 0; k < PARTS; k++)
    sums[k] = (step_sums){vd_set(0.0), vd_set(0.0), vd_set(0.0), vd_set(0.0)};
  for (size_t j = begin; j < end + AHEAD + 1; j++) {
    if (j < end) {
      ask_for_groups(&w->group[j], false, w->reach);
      find_lines(&w->group[j], w->lines, w->push, trash, w->reach, &ring[j % RING]);
    }
    if (j < begin + AHEAD) continue;
    const size_t i = j - AHEAD;
    for (size_t k = 0; k < PARTS; k++) {
      const step_half before = half[k];
      if (i < end) half[k] = step_begin(w, i, k * LANES, &ring[i % RING], extra);
      if (i > begin) step_end(w, i - 1, k * LANES, &ring[(i - 1) % RING], extra, &before, &sums[k]);
    }
  }
  for (size_t k = 0; k < PARTS; k++) {
    vd_store_any(out->distance2 + k * LANES, sums[k].distance2);
    vd_store_any(out->uphill + k * LANES, sums[k].uphill);
    vd_store_any(out->value + k * LANES, sums[k].value);
    vd_store_any(out->compliant + k * LANES, sums[k].compliant);
  }
}

static void step(const sphere_step *w, size_t begin, size_t end, sphere_sums *sums) {
  if (w->extra)
    step_groups(w, begin, end, true, sums);
  else
    step_groups(w, begin, end, false, sums);
}

/* ---- bodies of a gradient step --------------------------------------------------------------- */

static void start_bodies(const body_step *w, size_t begin, size_t end) {
  const vd beta = vd_set(w->beta), zero = vd_set(0.0);
  for (size_t at = 8 * begin; w->twist && at < 8 * end; at += LANES) {
    const vd current = vd_load((const double *)w->current + at);
    const vd previous = vd_load((const double *)w->previous + at);
    vd_store((double *)w->twist + at, vd_fma(beta, current - previous, current));
  }
  for (size_t at = 8 * begin; at < 8 * end; at += LANES) vd_store((double *)w->next + at, zero);
}

static void judge_bodies(const body_step *w, size_t begin, size_t end, body_sums *out) {
  for (size_t k = 0; k < 8; k += LANES) {
    vd curvature = vd_set(0.0), objective = vd_set(0.0);
    for (size_t i = begin; i < end; i++) {
      const double *y_line = (const double *)(w->at_y + i), *base = (const double *)(w->base + i);
      double *next = (double *)(w->next + i) + k;
      const vd momentum = vd_load(next), y = vd_load(y_line + k), free = vd_load(base + k);
      const vd gain = line_spread(base, k) * momentum, twist = free + gain;
      const vd gone = twist - y, from = y - free;
      if (LANES > 1 || k < 6) {
        curvature = vd_fma(line_spread(y_line, k) * vd_twist(gone, k), gone, curvature);
        objective = vd_fma(momentum, vd_fnma(vd_set(0.5), gain, from), objective);
      }
      vd_store(next, vd_line(twist, y, k));
    }
    vd_store_any(out->curvature + k, curvature);
    vd_store_any(out->objective + k, vd_set(0.0) - objective);
  }
}

#include "ccp/bodies_kernel_product.h"
#include "ccp/bodies_kernel_rigid.h"
#include "ccp/bodies_kernel_roll_solve.h"
#include "ccp/bodies_kernel_rolling.h"
#include "ccp/bodies_kernel_setup.h"
#include "ccp/bodies_kernel_turning.h"

const body_kernels KERNEL_TABLE = {.name = KERNEL_NAME,
                                   .plain = {.sweep = sweep,
                                             .sweep_momentum = sweep_momentum,
                                             .step = step,
                                             .push = push_lines,
                                             .read = read_lines,
                                             .judge = judge},
                                   .rolling = {.sweep = roll_sweep,
                                               .sweep_momentum = roll_sweep_momentum,
                                               .step = roll_step,
                                               .push = roll_push,
                                               .read = roll_read,
                                               .judge = roll_judge},
                                   .sweep_rigid = sweep_rigid,
                                   .sweep_turning = sweep_turning,
                                   .judge_rigid = judge_rigid,
                                   .start_bodies = start_bodies,
                                   .judge_bodies = judge_bodies,
                                   .look = look,
                                   .fill = fill,
                                   .load = load_impulses,
                                   .store = store_impulses};

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
INLINE vd vd3_dot(vd3 a, vd3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
INLINE vd3 vd3_cross(vd3 a, vd3 b) {
  return (vd3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Velocity of b against a at the contact point: arms are along the normal. */
INLINE vd3 relative_velocity(const vd *a, const vd *b, vd reach_a, vd reach_b, vd3 n) {
  const vd3 spin = {reach_b * b[3] - reach_a * a[3], reach_b * b[4] - reach_a * a[4],
                    reach_b * b[5] - reach_a * a[5]};
  const vd3 linear = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return vd3_add(linear, vd3_cross(spin, n));
}

/* The cone's formula of bodies_kernel.h, from p and T (across n) to the impulse. The order of the
 * arguments of max and min lets a NaN through and turns 0/0 into 1. */
INLINE vd3 clamp_to_cone(vd p, vd3 t, vd mu, vd beta, vd3 n) {
  const vd zero = vd_set(0.0);
  const vd length = vd_sqrt(vd3_dot(t, t));
  const vd normal = vd_max(zero, p + beta * vd_max(zero, length - mu * p));
  const vd scale = vd_min(mu * normal / length, vd_set(1.0));
  return vd3_add(vd3_scale(normal, n), vd3_scale(scale, t));
}

INLINE vd3 project_on_cone(vd3 x, vd mu, vd3 n) {
  const vd p = vd3_dot(x, n);
  const vd beta = mu / (vd_set(1.0) + mu * mu);
  return clamp_to_cone(p, vd3_sub(x, vd3_scale(p, n)), mu, beta, n);
}

/* ---- the sweep ------------------------------------------------------------------------------- */

INLINE vd sweep_lanes(const sphere_sweep *w, size_t i, size_t k, bool extra, bool isotropic,
                      bool blended, body_line *trash) {
  sphere_group *g = &w->group[i];
  vd a[8], b[8];
  lines_load(w->lines, g->a + k, a);
  lines_load(w->lines, g->b + k, b);
  const vd3 n = vd3_load((const double(*)[PACK_LANES])g->normal, k);
  const vd reach_a = vd_load(g->reach_a + k), reach_b = vd_load(g->reach_b + k);
  const vd3 old = vd3_load((const double(*)[PACK_LANES])g->impulse, k);
  const vd mu = vd_load(g->mu + k);
  vd3 u = relative_velocity(a, b, reach_a, reach_b, n);
  const vd gn = vd3_dot(old, n), geometric = vd3_dot(u, n);
  vd un = geometric + vd_load(g->offset + k);
  if (extra) {
    const sphere_extra *e = &w->extra[i];
    const vd ct = vd_load(e->compliance_t + k);
    un = un + vd_load(e->compliance_n + k) * gn;
    u = vd3_add(u, vd3_load((const double(*)[PACK_LANES])e->offset, k));
    u = vd3_add(u, vd3_scale(ct, vd3_sub(old, vd3_scale(gn, n))));
  }
  vd3 next;
  if (isotropic) {
    const vd eta = vd_set(w->omega) / vd_load(g->weight + k);
    const vd3 ut = vd3_sub(u, vd3_scale(geometric, n));
    const vd shift = vd_set(1.0 - w->relaxed) * (mu * vd_sqrt(vd3_dot(ut, ut)));
    const vd3 gt = vd3_sub(old, vd3_scale(gn, n));
    const vd beta = mu / (vd_set(1.0) + mu * mu);
    next = clamp_to_cone(gn - eta * (un + shift), vd3_sub(gt, vd3_scale(eta, ut)), mu, beta, n);
  } else {
    const vd itt = vd_load(g->inverse_tt + k);
    const vd3 x = vd3_sub(old, vd3_scale(itt, u));
    const vd3 t = vd3_sub(x, vd3_scale(gn - itt * geometric, n));
    const vd beta = vd_set(w->relaxed) * vd_load(g->beta + k);
    next = clamp_to_cone(gn - vd_load(g->inverse_nn + k) * un, t, mu, beta, n);
    if (blended)
      next = project_on_cone(vd3_add(old, vd3_scale(vd_set(w->omega), vd3_sub(next, old))), mu, n);
  }
  if (blended)
    next = vd3_add(vd3_scale(vd_set(w->lambda), next), vd3_scale(vd_set(1.0 - w->lambda), old));
  vd3_store(g->impulse, k, next);
  const vd3 change = vd3_sub(next, old), moment = vd3_cross(n, change);
  const vd wa = reach_a * a[7], wb = reach_b * b[7];
  a[0] = a[0] - a[6] * change.x;
  a[1] = a[1] - a[6] * change.y;
  a[2] = a[2] - a[6] * change.z;
  a[3] = a[3] - wa * moment.x;
  a[4] = a[4] - wa * moment.y;
  a[5] = a[5] - wa * moment.z;
  lines_store(w->lines, trash, g->a + k, a);
  b[0] = b[0] + b[6] * change.x;
  b[1] = b[1] + b[6] * change.y;
  b[2] = b[2] + b[6] * change.z;
  b[3] = b[3] + wb * moment.x;
  b[4] = b[4] + wb * moment.y;
  b[5] = b[5] + wb * moment.z;
  lines_store(w->lines, trash, g->b + k, b);
  const vd weight = vd_load(g->weight + k);
  return vd3_dot(change, change) * (weight * weight);
}

INLINE void prefetch_lines(const body_line *lines, const sphere_group *g) {
  for (size_t k = 0; k < PACK_LANES; k++) {
    __builtin_prefetch(&lines[g->a[k] & ~PACK_FIXED], 1);
    __builtin_prefetch(&lines[g->b[k] & ~PACK_FIXED], 1);
  }
}

/* Groups ahead whose body lines are asked for. */
enum { AHEAD = 3 };

INLINE double sweep_groups(const sphere_sweep *w, size_t begin, size_t end, bool extra,
                           bool isotropic, bool blended) {
  body_line trash;
  vd worst = vd_set(0.0);
  for (size_t j = begin; j < end; j++) {
    const size_t i = w->backward ? end - 1 - (j - begin) : j;
    const size_t ahead = w->backward ? i - AHEAD : i + AHEAD; /* wraps below 0: beyond the count */
    if (ahead < w->group_count) prefetch_lines(w->lines, &w->group[ahead]);
    for (size_t k = 0; k < PACK_LANES; k += LANES)
      worst = vd_max(sweep_lanes(w, i, k, extra, isotropic, blended, &trash), worst);
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

/* ---- the gradient step ----------------------------------------------------------------------- */

typedef struct step_sums {
  vd size, slope, compliant;
} step_sums;

INLINE void step_lanes(const sphere_step *w, size_t i, size_t k, bool extra, body_line *trash,
                       step_sums *sums) {
  const sphere_group *g = &w->group[i];
  const size_t at = i * 3 * PACK_LANES;
  vd a[8], b[8];
  lines_load(w->lines, g->a + k, a);
  lines_load(w->lines, g->b + k, b);
  const vd3 n = vd3_load((const double(*)[PACK_LANES])g->normal, k);
  const vd reach_a = vd_load(g->reach_a + k), reach_b = vd_load(g->reach_b + k);
  const vd3 current = vd3_load((const double(*)[PACK_LANES])(w->current + at), k);
  const vd3 previous = vd3_load((const double(*)[PACK_LANES])(w->previous + at), k);
  const vd3 y = vd3_add(current, vd3_scale(vd_set(w->beta), vd3_sub(current, previous)));
  vd3 u = relative_velocity(a, b, reach_a, reach_b, n);
  vd un = vd_load(g->offset + k);
  vd cn = un, ct = un;
  if (extra) {
    const sphere_extra *e = &w->extra[i];
    const vd yn = vd3_dot(y, n);
    cn = vd_load(e->compliance_n + k);
    ct = vd_load(e->compliance_t + k);
    un = un + (cn - ct) * yn;
    u = vd3_add(vd3_add(u, vd3_load((const double(*)[PACK_LANES])e->offset, k)), vd3_scale(ct, y));
  }
  u = vd3_add(u, vd3_scale(un, n));
  const vd mu = vd_load(g->mu + k), weight = vd_load(g->weight + k);
  const vd3 next = project_on_cone(vd3_sub(y, vd3_scale(vd_set(w->step) / weight, u)), mu, n);
  vd3_store((double(*)[PACK_LANES])(w->next + at), k, next);
  const vd3 d = vd3_sub(next, y);
  const vd dd = vd3_dot(d, d);
  sums->size = sums->size + dd * weight;
  sums->slope = sums->slope + vd3_dot(u, vd3_sub(next, current));
  if (extra) {
    const vd dn = vd3_dot(d, n);
    sums->compliant = sums->compliant + (ct * dd + (cn - ct) * (dn * dn));
  }
  const vd3 moment = vd3_cross(n, next);
  const vd zero = vd_set(0.0);
  const vd to_a[8] = {zero - next.x,
                      zero - next.y,
                      zero - next.z,
                      zero - reach_a * moment.x,
                      zero - reach_a * moment.y,
                      zero - reach_a * moment.z,
                      zero,
                      zero};
  lines_add(w->push, trash, g->a + k, to_a);
  const vd to_b[8] = {
      next.x, next.y, next.z, reach_b * moment.x, reach_b * moment.y, reach_b * moment.z,
      zero,   zero};
  lines_add(w->push, trash, g->b + k, to_b);
}

INLINE void step_groups(const sphere_step *w, size_t begin, size_t end, bool extra,
                        sphere_sums *out) {
  body_line trash = {.inverse_mass = 0.0};
  step_sums sums[PACK_LANES / LANES];
  for (size_t k = 0; k < PACK_LANES / LANES; k++)
    sums[k] = (step_sums){vd_set(0.0), vd_set(0.0), vd_set(0.0)};
  for (size_t i = begin; i < end; i++) {
    if (i + AHEAD < w->group_count) {
      prefetch_lines(w->lines, &w->group[i + AHEAD]);
      prefetch_lines(w->push, &w->group[i + AHEAD]);
    }
    for (size_t k = 0; k < PACK_LANES; k += LANES)
      step_lanes(w, i, k, extra, &trash, &sums[k / LANES]);
  }
  /* Lane by lane in order, whatever the width of a vector. */
  *out = (sphere_sums){0.0, 0.0, 0.0};
  for (size_t k = 0; k < PACK_LANES / LANES; k++) {
    double size[LANES], slope[LANES], compliant[LANES];
    vd_store_any(size, sums[k].size);
    vd_store_any(slope, sums[k].slope);
    vd_store_any(compliant, sums[k].compliant);
    for (size_t l = 0; l < LANES; l++) {
      out->size += size[l];
      out->slope += slope[l];
      out->compliant += compliant[l];
    }
  }
}

static void step(const sphere_step *w, size_t begin, size_t end, sphere_sums *sums) {
  if (w->extra)
    step_groups(w, begin, end, true, sums);
  else
    step_groups(w, begin, end, false, sums);
}

const body_kernels KERNEL_TABLE = {.name = KERNEL_NAME, .sweep = sweep, .step = step};

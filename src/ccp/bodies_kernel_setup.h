/* What a solve pays once, over contacts of three rows each: the first look at them, filling groups,
 * and impulses between rows and lanes. A contact is read as two runs of eight doubles, transposed
 * as body lines are. No fused multiply-adds: the bits are those of the loops over single contacts
 * in bodies_look.c and bodies_pack.c, which do what is not of this form. This is a template: no
 * include guard. */

_Static_assert(sizeof(ccp_contact) == 13 * sizeof(double), "a contact is 13 doubles");

/* normal, tangent, arm_a[0 … 1]; tangent[1 … 2], arm_a, arm_b */
enum { CONTACT_FRONT = 1, CONTACT_BACK = 5 };

INLINE vd plain_dot(vd3 a, vd3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
INLINE vd3 plain_cross(vd3 a, vd3 b) {
  return (vd3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
INLINE vd3 plain_add_scaled(vd3 a, vd s, vd3 b) {
  return (vd3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

INLINE void load_contacts(const uintptr_t *at, size_t from, vd *out) {
  uintptr_t place[PACK_LANES];
  for (size_t k = 0; k < LANES; k++) place[k] = at[k] + from * sizeof(double);
  lines_load(place, out);
}

/* Three rows of each of LANES contacts, at such rows. */
INLINE vd3 load_rows(const double *x, const uint32_t *row) {
  _Alignas(64) double part[3][LANES];
  for (size_t k = 0; k < LANES; k++)
    for (size_t f = 0; f < 3; f++) part[f][k] = x[row[k] + f];
  return (vd3){vd_load(part[0]), vd_load(part[1]), vd_load(part[2])};
}
INLINE void store_rows(double *x, const uint32_t *row, vd3 a) {
  _Alignas(64) double part[3][LANES];
  vd_store(part[0], a.x);
  vd_store(part[1], a.y);
  vd_store(part[2], a.z);
  for (size_t k = 0; k < LANES; k++)
    for (size_t f = 0; f < 3; f++) x[row[k] + f] = part[f][k];
}

/* See is_along of bodies_look.c. */
INLINE vm lies_along(vd3 arm, vd3 n) {
  const vd3 across = plain_add_scaled(arm, vd_set(0.0) - plain_dot(arm, n), n);
  return vd_most_equal(plain_dot(across, across), vd_set(1e-22) * plain_dot(arm, arm));
}

static void look(const contact_look *w, size_t i, contact_seen *seen) {
  lane_lines at;
  uintptr_t contact[PACK_LANES];
  uint32_t row[PACK_LANES];
  *seen = (contact_seen){.open = 0};
  addresses(w->lines, w->a, at.from_a);
  addresses(w->lines, w->b, at.from_b);
  for (size_t k = 0; k < PACK_LANES; k++) {
    contact[k] = (uintptr_t)&w->contact[i + k];
    row[k] = w->row + 3 * (uint32_t)k;
  }
  for (size_t k = 0; k < PACK_LANES; k += LANES) {
    vd a[8], b[8], front[8], back[8];
    lines_load(at.from_a + k, a);
    lines_load(at.from_b + k, b);
    load_contacts(contact + k, CONTACT_FRONT, front);
    load_contacts(contact + k, CONTACT_BACK, back);
    const vd3 n = {front[0], front[1], front[2]}, t1 = {front[3], front[4], front[5]};
    const vd3 arm_a = {back[2], back[3], back[4]}, arm_b = {back[5], back[6], back[7]};
    const vd3 la = vd3_add((vd3){a[0], a[1], a[2]}, plain_cross((vd3){a[3], a[4], a[5]}, arm_a));
    const vd3 lb = vd3_add((vd3){b[0], b[1], b[2]}, plain_cross((vd3){b[3], b[4], b[5]}, arm_b));
    const vd3 u = vd3_sub(lb, la), offset = load_rows(w->offset, row + k);
    const vd3 r =
        vd3_add((vd3){plain_dot(n, u), plain_dot(t1, u), plain_dot(plain_cross(n, t1), u)}, offset);
    store_rows(w->r, row + k, r);
    const vd zero = vd_set(0.0);
    const vd slip = vd_load(w->mu + k) * vd_sqrt(r.y * r.y + r.z * r.z);
    const vm across = vm_or(vd_less(zero, vd_abs(offset.y)), vd_less(zero, vd_abs(offset.z)));
    seen->along_a |= vm_bits(lies_along(arm_a, n)) << k;
    seen->along_b |= vm_bits(lies_along(arm_b, n)) << k;
    seen->massive |= vm_bits(vm_or(vd_less(zero, a[6]), vd_less(zero, b[6]))) << k;
    seen->open |= vm_bits(vd_less(vd_set(w->open), r.x - slip)) << k;
    seen->across |= vm_bits(across) << k;
  }
}

/* An arm of the world does not count; its inertia is zero. */
static void fill(const contact_fill *w, const uint32_t *block, sphere_group *g,
                 sphere_scale *scale) {
  uintptr_t contact[PACK_LANES], line_a[PACK_LANES], line_b[PACK_LANES];
  _Alignas(64) double eta[PACK_LANES], friction[PACK_LANES];
  /* What is written to the group is not read back from it: it may be far away. */
  for (size_t k = 0; k < PACK_LANES; k++) {
    const size_t i = block[k];
    const contact_pair pair = w->pair[i];
    contact[k] = (uintptr_t)&w->contact[i];
    line_a[k] = (uintptr_t)&w->lines[pair.a & ~PACK_FIXED];
    line_b[k] = (uintptr_t)&w->lines[pair.b & ~PACK_FIXED];
    friction[k] = w->set[w->set_index[i]].mu;
    g->a[k] = pair.a;
    g->b[k] = pair.b;
    g->offset[k] = w->offset[w->row_start[i]];
  }
  for (size_t k = 0; k < PACK_LANES; k += LANES) {
    vd a[8], b[8], front[8], back[8];
    lines_load(line_a + k, a);
    lines_load(line_b + k, b);
    load_contacts(contact + k, CONTACT_FRONT, front);
    load_contacts(contact + k, CONTACT_BACK, back);
    const vd3 n = {front[0], front[1], front[2]};
    const vd3 arm_a = {back[2], back[3], back[4]}, arm_b = {back[5], back[6], back[7]};
    const vd ra = plain_dot(arm_a, n), rb = plain_dot(arm_b, n);
    const vd nn = a[6] + b[6], tt = nn + (a[7] * (ra * ra) + b[7] * (rb * rb));
    const vd mu = vd_load(friction + k), one = vd_set(1.0);
    const vd weight = (nn + vd_set(2.0) * tt) / vd_set(3.0);
    vd3_store(g->normal, k, n);
    vd_store(g->reach_a + k, ra);
    vd_store(g->reach_b + k, rb);
    vd_store(scale->mu + k, mu);
    vd_store(scale->weight + k, weight);
    vd_store(eta + k, one / weight);
    vd_store(g->beta + k, mu * tt / (nn + mu * mu * tt));
    vd_store(g->inverse_nn + k, one / nn);
    vd_store(g->inverse_tt + k, one / tt);
  }
  for (size_t k = 0; k < PACK_LANES; k++) w->eta[block[k]] = eta[k];
  const uintptr_t world = (uintptr_t)w->world;
  for (size_t k = 0; k < PACK_LANES; k++) {
    if (line_a[k] == world) g->reach_a[k] = 0.0;
    if (line_b[k] == world) g->reach_b[k] = 0.0;
  }
}

/* Frames of the contacts of lanes, and the rows of these. */
INLINE void find_frames(const contact_rows_at *w, const uint32_t *block, uintptr_t *contact,
                        uint32_t *row) {
  for (size_t k = 0; k < PACK_LANES; k++) {
    contact[k] = (uintptr_t)&w->contact[block[k]];
    row[k] = w->row_start[block[k]];
  }
}

static void load_impulses(const contact_rows_at *w, const uint32_t *block, const double *g,
                          double (*lanes)[PACK_LANES]) {
  uintptr_t contact[PACK_LANES];
  uint32_t row[PACK_LANES];
  find_frames(w, block, contact, row);
  for (size_t k = 0; k < PACK_LANES; k += LANES) {
    vd front[8];
    load_contacts(contact + k, CONTACT_FRONT, front);
    const vd3 n = {front[0], front[1], front[2]}, t1 = {front[3], front[4], front[5]};
    const vd3 x = load_rows(g, row + k);
    vd3_store(
        lanes, k,
        plain_add_scaled(plain_add_scaled(vd3_scale(x.x, n), x.y, t1), x.z, plain_cross(n, t1)));
  }
}

static void store_impulses(const contact_rows_at *w, const uint32_t *block,
                           const double (*lanes)[PACK_LANES], double *g) {
  uintptr_t contact[PACK_LANES];
  uint32_t row[PACK_LANES];
  find_frames(w, block, contact, row);
  for (size_t k = 0; k < PACK_LANES; k += LANES) {
    vd front[8];
    load_contacts(contact + k, CONTACT_FRONT, front);
    const vd3 n = {front[0], front[1], front[2]}, t1 = {front[3], front[4], front[5]};
    const vd3 x = vd3_load(lanes, k);
    store_rows(g, row + k,
               (vd3){plain_dot(x, n), plain_dot(x, t1), plain_dot(x, plain_cross(n, t1))});
  }
}

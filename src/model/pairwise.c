/* Forces between all pairs of bodies, gravity and Coulomb's: F = strength / distance^2 towards the
 * other, strength = G m m - k q q. From some hundred bodies on by a tree code (math/tree_code.h),
 * whose opening angle is the world's; 0: always by the sum over all pairs. */
#include "math/tree_code.h"
#include "model/world.h"

enum { TREE_BODIES = 256, BLOCKS = 1024 };
enum { MASS, CHARGE };

bool world_has_pairwise(const scree_world *w) {
  return w->def.gravitational_constant != 0.0 ||
         (w->def.coulomb_constant != 0.0 && w->bodies.charge);
}

static double charge_of(const scree_world *w, size_t i) {
  return w->bodies.charge ? w->bodies.charge[i] : 0.0;
}

static double pair_strength(const scree_world *w, size_t i, size_t k) {
  const world_bodies *b = &w->bodies;
  double s = w->def.gravitational_constant * b->mass[i] * b->mass[k];
  if (b->charge) s -= w->def.coulomb_constant * b->charge[i] * b->charge[k];
  return s;
}

static bool uses_tree(const scree_world *w) {
  return w->def.pairwise_theta > 0.0 && w->bodies.count >= TREE_BODIES && w->tree->point_count;
}

scree_status world_pairwise_begin(const scree_world *w) {
  const world_bodies *b = &w->bodies;
  tree_code *t = w->tree;
  size_t n = 0;
  t->point_count = 0;
  if (!world_has_pairwise(w) || !(w->def.pairwise_theta > 0.0) || b->count < TREE_BODIES)
    return SCREE_OK;
  if (tree_code_reserve(t, b->count)) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < b->limit; i++) {
    if (!b->alive[i] || (b->mass[i] == 0.0 && charge_of(w, i) == 0.0)) continue;
    t->point[n++] = (tree_point){
        .at = b->position[i], .strength = {b->mass[i], charge_of(w, i)}, .index = (uint32_t)i};
  }
  return tree_code_build(t, n);
}

static v3 direct_force(const scree_world *w, size_t i) {
  const world_bodies *b = &w->bodies;
  v3 sum = {0, 0, 0};
  for (size_t k = 0; k < b->limit; k++) {
    if (k == i || !b->alive[k]) continue;
    const v3 d = v3_sub(b->position[k], b->position[i]);
    const double r2 = v3_norm2(d);
    if (r2 > 0.0) sum = v3_add_scaled(sum, pair_strength(w, i, k) / (r2 * sqrt(r2)), d);
  }
  return sum;
}

v3 world_pairwise_force(const scree_world *w, size_t i) {
  if (!uses_tree(w)) return direct_force(w, i);
  const tree_field f =
      tree_code_at(w->tree, w->bodies.position[i], i, w->def.pairwise_theta, false);
  return v3_add(v3_scale(-w->def.gravitational_constant * w->bodies.mass[i], f.field[MASS]),
                v3_scale(w->def.coulomb_constant * charge_of(w, i), f.field[CHARGE]));
}

static double direct_energy(const scree_world *w) {
  const world_bodies *b = &w->bodies;
  double sum = 0.0;
  for (size_t i = 0; i < b->limit; i++)
    for (size_t k = i + 1; b->alive[i] && k < b->limit; k++) {
      const double r = v3_norm(v3_sub(b->position[k], b->position[i]));
      if (b->alive[k] && r > 0.0) sum -= pair_strength(w, i, k) / r;
    }
  return sum;
}

/* The energy of bodies begin … end - 1 with all others; each pair is met twice. */
static double energy_of(const scree_world *w, size_t begin, size_t end) {
  double sum = 0.0;
  for (size_t i = begin; i < end; i++) {
    if (!w->bodies.alive[i]) continue;
    const tree_field f =
        tree_code_at(w->tree, w->bodies.position[i], i, w->def.pairwise_theta, false);
    sum += 0.5 * (w->def.coulomb_constant * charge_of(w, i) * f.potential[CHARGE] -
                  w->def.gravitational_constant * w->bodies.mass[i] * f.potential[MASS]);
  }
  return sum;
}

double world_pairwise_energy(const scree_world *w) {
  const size_t n = w->bodies.limit;
  if (!world_has_pairwise(w)) return 0.0;
  if (world_pairwise_begin(w) || !uses_tree(w)) return direct_energy(w);
  double part[BLOCKS], sum = 0.0;
  const size_t each = (n + BLOCKS - 1) / BLOCKS;
#pragma omp parallel for schedule(dynamic) num_threads(context_team(w->context, true))
  for (size_t k = 0; k < BLOCKS; k++) {
    const size_t begin = k * each < n ? k * each : n;
    part[k] = energy_of(w, begin, begin + each < n ? begin + each : n);
  }
  for (size_t k = 0; k < BLOCKS; k++) sum += part[k];
  return sum;
}

/* What a material has on its surface, given in the body's frame: a velocity, as of a belt that runs
 * over a fixed body, and the direction of friction with two axes. */
#include "assemble/assembler.h"

static bool is_given(const double *v) {
  return v[0] != 0.0 || v[1] != 0.0 || v[2] != 0.0;
}

bool assembler_has_surfaces(const scree_world *w) {
  for (size_t k = 0; k < w->material_count; k++)
    if (is_given(w->material[k].surface_velocity) || is_given(w->material[k].direction))
      return true;
  return false;
}

static v3 turned(const assembler *a, uint32_t body, const double *v) {
  return quat_rotate(world_shape_pose(a->world, body).rotation, v3_load(v));
}

/* The velocity of b's surface against a's beyond that of the bodies. */
static v3 surface_velocity(const assembler *a, uint32_t i, uint32_t k) {
  const scree_world *w = a->world;
  const double *of_a = w->material[w->bodies.material[i]].surface_velocity;
  const double *of_b = w->material[w->bodies.material[k]].surface_velocity;
  v3 u = {0, 0, 0};
  if (is_given(of_b)) u = turned(a, k, of_b);
  if (is_given(of_a)) u = v3_sub(u, turned(a, i, of_a));
  return u;
}

periodic_image assembler_image(const assembler *a, size_t k) {
  const cache_key *key = &collide_cache(a->collide)->now.key[k];
  return world_image(a->world, key->a, key->b);
}

v3 assembler_belt(const assembler *a, size_t k, v3 n) {
  const cache_key *key = &collide_cache(a->collide)->now.key[k];
  const v3 belt = surface_velocity(a, key->a, key->b);
  return v3_sub(belt, v3_scale(v3_dot(n, belt), n));
}

bool assembler_direction(const assembler *a, uint32_t i, uint32_t k, v3 n, v3 *tangent) {
  const scree_world *w = a->world;
  const uint32_t body[2] = {i, k};
  for (int m = 0; m < 2; m++) {
    const double *given = w->material[w->bodies.material[body[m]]].direction;
    if (!is_given(given)) continue;
    const v3 d = turned(a, body[m], given), across = v3_sub(d, v3_scale(v3_dot(n, d), n));
    if (!(v3_norm(across) > 1e-6 * v3_norm(d))) continue;
    *tangent = v3_normalize(across);
    return true;
  }
  return false;
}

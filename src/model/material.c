/* Materials and the table of laws between them: one entry a pair, filled by the mixing rule of
 * scree/model.h when a material comes or changes, and kept as set where a law was set. */
#include "model/world.h"

#include <string.h>

scree_material_def scree_material_def_default(void) {
  return (scree_material_def){.friction = 0.5};
}

static scree_status check(scree_context *context, const scree_material_def *m) {
  const struct {
    const char *name;
    double value;
  } fields[] = {
      {"friction", m->friction},
      {"rolling", m->rolling},
      {"spinning", m->spinning},
      {"restitution", m->restitution},
      {"restitution_threshold", m->restitution_threshold},
      {"cohesion", m->cohesion},
      {"compliance", m->compliance},
      {"compliance_tangent", m->compliance_tangent},
      {"damping", m->damping},
  };
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
    if (!(fields[i].value >= 0.0) || isinf(fields[i].value))
      return context_fail(context, SCREE_ERROR_INPUT,
                          "material: %s is %g; it must be finite and not negative", fields[i].name,
                          fields[i].value);
  if (m->restitution > 1.0)
    return context_fail(context, SCREE_ERROR_INPUT,
                        "material: restitution is %g; it must lie between 0 and 1", m->restitution);
  return SCREE_OK;
}

static scree_material_def mix(const scree_material_def *a, const scree_material_def *b) {
  return (scree_material_def){
      .friction = sqrt(a->friction * b->friction),
      .rolling = sqrt(a->rolling * b->rolling),
      .spinning = sqrt(a->spinning * b->spinning),
      .restitution = sqrt(a->restitution * b->restitution),
      .restitution_threshold = fmax(a->restitution_threshold, b->restitution_threshold),
      .cohesion = fmin(a->cohesion, b->cohesion),
      .compliance = a->compliance + b->compliance,
      .compliance_tangent = a->compliance_tangent + b->compliance_tangent,
      .damping = fmax(a->damping, b->damping),
  };
}

static void mix_all(scree_world *w) {
  const size_t n = w->material_count;
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++)
      if (!w->pair_set[a * n + b]) w->pair[a * n + b] = mix(&w->material[a], &w->material[b]);
}

static scree_status grow_pairs(scree_world *w, size_t n) {
  const size_t old = w->material_count;
  scree_material_def *pair = memory_new(w->context, n * n, sizeof *pair);
  uint8_t *set = memory_new(w->context, n * n, sizeof *set);
  if (!pair || !set) {
    memory_free(w->context, pair);
    memory_free(w->context, set);
    return SCREE_ERROR_MEMORY;
  }
  for (size_t a = 0; a < old; a++) {
    memcpy(pair + a * n, w->pair + a * old, old * sizeof *pair);
    memcpy(set + a * n, w->pair_set + a * old, old * sizeof *set);
  }
  memory_free(w->context, w->pair);
  memory_free(w->context, w->pair_set);
  w->pair = pair;
  w->pair_set = set;
  return SCREE_OK;
}

scree_status scree_world_add_material(scree_world *w, const scree_material_def *def,
                                      scree_material_id *id) {
  const size_t n = w->material_count;
  scree_status status = check(w->context, def);
  if (status) return status;
  if (n >= 4096)
    return context_fail(w->context, SCREE_ERROR_INPUT, "world: more than 4096 materials");
  if (memory_grow(w->context, &w->material, &w->material_capacity, n + 1, sizeof *w->material))
    return SCREE_ERROR_MEMORY;
  status = grow_pairs(w, n + 1);
  if (status) return status;
  w->material[n] = *def;
  w->material_count = n + 1;
  mix_all(w);
  if (id) id->index = (uint32_t)n;
  return SCREE_OK;
}

static scree_status check_id(const scree_world *w, scree_material_id id) {
  if (id.index < w->material_count) return SCREE_OK;
  return context_fail(w->context, SCREE_ERROR_ARGUMENT,
                      "world: there is no material %u (%zu materials)", id.index,
                      w->material_count);
}

scree_status scree_world_set_material(scree_world *w, scree_material_id id,
                                      const scree_material_def *def) {
  if (check_id(w, id)) return SCREE_ERROR_ARGUMENT;
  const scree_status status = check(w->context, def);
  if (status) return status;
  w->material[id.index] = *def;
  mix_all(w);
  return SCREE_OK;
}

size_t scree_world_material_count(const scree_world *w) {
  return w->material_count;
}

scree_status scree_world_set_pair(scree_world *w, scree_material_id a, scree_material_id b,
                                  const scree_material_def *law) {
  if (check_id(w, a) || check_id(w, b)) return SCREE_ERROR_ARGUMENT;
  const scree_status status = check(w->context, law);
  if (status) return status;
  const size_t n = w->material_count, ab = a.index * n + b.index, ba = b.index * n + a.index;
  w->pair[ab] = w->pair[ba] = *law;
  w->pair_set[ab] = w->pair_set[ba] = 1;
  return SCREE_OK;
}

scree_status scree_world_get_pair(const scree_world *w, scree_material_id a, scree_material_id b,
                                  scree_material_def *law) {
  if (check_id(w, a) || check_id(w, b)) return SCREE_ERROR_ARGUMENT;
  *law = *world_pair(w, a.index, b.index);
  return SCREE_OK;
}

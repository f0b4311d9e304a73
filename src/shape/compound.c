/* Compound: other shapes at fixed places in one frame. Mass is the sum of the parts' masses with
 * the parallel-axis rule; what lies in two parts counts twice. */
#include "base/argument.h"
#include "shape/shape.h"

static void compound_clear(shape *s) {
  for (uint32_t i = 0; i < s->compound.count; i++) scree_shape_destroy(s->compound.part[i].shape);
  memory_free(s->context, s->compound.part);
  memory_free(s->context, s->compound.bounds);
}

static scree_status compound_check(scree_context *context, size_t i, const scree_shape_part *part) {
  if (!part->shape || part->shape->kind == SCREE_SHAPE_COMPOUND)
    return context_fail(context, SCREE_ERROR_ARGUMENT,
                        "part %zu of a compound is %s; give its parts one by one", i,
                        part->shape ? "a compound itself" : "null");
  double sum = 0, norm2 = 0;
  for (int k = 0; k < 3; k++) sum += part->position[k];
  for (int k = 0; k < 4; k++) norm2 += part->rotation[k] * part->rotation[k];
  if (!isfinite(sum) || !isfinite(norm2) || norm2 < 1e-100)
    return context_fail(context, SCREE_ERROR_ARGUMENT,
                        "part %zu of a compound has a position or rotation that is not finite, or "
                        "a quaternion of length 0",
                        i);
  return SCREE_OK;
}

scree_status scree_shape_create_compound(scree_context *context, size_t part_count,
                                         const scree_shape_part *parts, scree_shape **out) {
  ARGUMENT_CHECK(context, (parts || !part_count) && out);
  *out = NULL;
  if (part_count == 0 || part_count > UINT32_MAX)
    return context_fail(context, SCREE_ERROR_ARGUMENT, "a compound of %zu parts; it needs one",
                        part_count);
  for (size_t i = 0; i < part_count; i++)
    if (compound_check(context, i, parts + i)) return SCREE_ERROR_ARGUMENT;
  shape *s = shape_new(context, SCREE_SHAPE_COMPOUND);
  if (!s) return SCREE_ERROR_MEMORY;
  s->compound.part = memory_new(context, part_count, sizeof *s->compound.part);
  s->compound.bounds = memory_new(context, part_count, sizeof *s->compound.bounds);
  if (!s->compound.part || !s->compound.bounds) {
    scree_shape_destroy(s);
    return SCREE_ERROR_MEMORY;
  }
  s->compound.count = (uint32_t)part_count;
  for (size_t i = 0; i < part_count; i++) {
    const double *q = parts[i].rotation;
    const pose place = {v3_load(parts[i].position), quat_normalize((quat){q[0], q[1], q[2], q[3]})};
    s->compound.part[i] = (shape_part){scree_shape_retain(parts[i].shape), place};
    s->compound.bounds[i] = shape_bounds(parts[i].shape, place);
    s->size = fmax(s->size, v3_norm(place.position) + parts[i].shape->size);
  }
  *out = s;
  return SCREE_OK;
}

static aabb compound_bounds(const shape *s, pose p) {
  aabb b = aabb_empty();
  for (uint32_t i = 0; i < s->compound.count; i++)
    b = aabb_union(b,
                   shape_bounds(s->compound.part[i].shape, pose_mul(p, s->compound.part[i].place)));
  return b;
}

/* m2 about the compound's origin: R C R' + c m1' + m1 c' + m0 c c', with c the part's place. */
static bool compound_moments(const shape *s, double *volume, v3 *first, double second[6]) {
  for (uint32_t k = 0; k < s->compound.count; k++) {
    const shape *part = s->compound.part[k].shape;
    const shape_ops *ops = shape_ops_table[part->kind];
    double v = 0, m2[6] = {0};
    v3 m1 = {0, 0, 0};
    if (!ops->moments || !ops->moments(part, &v, &m1, m2)) return false;
    const m33 r = quat_to_m33(s->compound.part[k].place.rotation);
    const v3 c = s->compound.part[k].place.position, t = m33_mul_v3(&r, m1);
    const m33 a = {{{m2[0], m2[1], m2[2]}, {m2[1], m2[3], m2[4]}, {m2[2], m2[4], m2[5]}}};
    const m33 ra = m33_mul(&r, &a);
    const double pc[3] = {c.x, c.y, c.z}, pt[3] = {t.x, t.y, t.z};
    int n = 0;
    for (int i = 0; i < 3; i++)
      for (int j = i; j < 3; j++) {
        double turned = 0;
        for (int l = 0; l < 3; l++) turned += ra.m[i][l] * r.m[j][l];
        second[n++] += turned + pc[i] * pt[j] + pt[i] * pc[j] + v * pc[i] * pc[j];
      }
    *volume += v;
    *first = v3_add(*first, v3_add_scaled(t, v, c));
  }
  return true;
}

const shape_ops shape_compound_ops = {.name = "compound",
                                      .bounds = compound_bounds,
                                      .moments = compound_moments,
                                      .clear = compound_clear};

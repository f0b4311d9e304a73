/* Rays and shapes of any kind. See ray.h. */
#include "shape/ray.h"

#include <math.h>

#include "shape/mesh_tree.h"

static bool solid_ray(const shape *s, v3 o, v3 d, double reach, span_surface *hit) {
  shape_span span;
  if (!shape_find_span(s, o, d, &span) || !(span.in.t >= 0.0 && span.in.t < reach)) return false;
  *hit = span.in;
  return true;
}

static bool half_space_ray(v3 o, v3 d, double reach, span_surface *hit) {
  if (!(o.z >= 0.0 && d.z < 0.0)) return false;
  const double t = -o.z / d.z;
  if (!(t < reach)) return false;
  *hit = (span_surface){t, {0, 0, 1}, 0};
  return true;
}

static bool container_ray(const shape *s, v3 o, v3 d, double reach, span_surface *hit) {
  const unsigned open =
      s->kind == SCREE_SHAPE_BOX_CONTAINER ? s->box_container.open : s->round_container.open;
  shape_span span;
  if (!shape_find_span(s, o, d, &span)) return false;
  for (int i = 0; i < 2; i++) {
    const span_surface *wall = i ? &span.out : &span.in;
    if (wall->end < 0 && (open & SCREE_OPEN_BOTTOM)) continue;
    if (wall->end > 0 && (open & SCREE_OPEN_TOP)) continue;
    if (!(wall->t >= 0.0 && wall->t < reach)) continue;
    *hit = *wall;
    if (i) hit->normal = v3_neg(hit->normal);
    return true;
  }
  return false;
}

/* t of the plane of a triangle, where the ray goes through it; below 0: it does not. The signs of
 * the three volumes about the ray are the same for two triangles that share an edge, so that no ray
 * slips through between them (Woop, Benthin and Wald's test without its shear). */
static double triangle_ray(const shape_mesh *m, uint32_t t, v3 o, v3 d) {
  const v3 a = v3_sub(m->vertex[m->triangle[t][0]], o), b = v3_sub(m->vertex[m->triangle[t][1]], o),
           c = v3_sub(m->vertex[m->triangle[t][2]], o);
  const double u = v3_dot(d, v3_cross(c, b)), v = v3_dot(d, v3_cross(a, c)),
               w = v3_dot(d, v3_cross(b, a));
  if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return -1.0;
  const double speed = v3_dot(m->normal[t], d);
  return speed != 0.0 ? v3_dot(m->normal[t], a) / speed : -1.0;
}

static bool mesh_ray(const shape_mesh *m, v3 o, v3 d, double reach, span_surface *hit) {
  uint32_t stack[MESH_TREE_DEPTH];
  int depth = 0;
  bool found = false;
  stack[depth++] = 0;
  while (depth) {
    const uint32_t i = stack[--depth];
    const shape_mesh_node *node = m->node + i;
    const v3 half = v3_scale(0.5, v3_sub(node->box.hi, node->box.lo)),
             centre = v3_scale(0.5, v3_add(node->box.hi, node->box.lo));
    /* The box is widened a little: a ray would miss a box without thickness. */
    const double room = 1e-9 * (v3_norm(half) + v3_norm(v3_sub(o, centre)));
    shape_span span;
    if (!shape_box_span(v3_add(half, v3_make(room, room, room)), v3_sub(o, centre), d, &span) ||
        span.out.t < 0.0 || span.in.t > reach)
      continue;
    if (!node->count) {
      stack[depth++] = node->first;
      stack[depth++] = i + 1;
      continue;
    }
    for (uint32_t k = 0; k < node->count; k++) {
      const uint32_t triangle = m->order[node->first + k];
      const double t = triangle_ray(m, triangle, o, d);
      if (!(t >= 0.0 && t < reach)) continue;
      const v3 n = m->normal[triangle];
      *hit = (span_surface){t, v3_dot(n, d) > 0.0 ? v3_neg(n) : n, 0};
      reach = t;
      found = true;
    }
  }
  return found;
}

static bool compound_ray(const shape *s, v3 o, v3 d, double reach, span_surface *hit) {
  bool found = false;
  for (uint32_t i = 0; i < s->compound.count; i++) {
    const pose place = s->compound.part[i].place;
    const quat back = quat_conj(place.rotation);
    if (!shape_cast_ray(s->compound.part[i].shape, quat_rotate(back, v3_sub(o, place.position)),
                        quat_rotate(back, d), reach, hit))
      continue;
    hit->normal = quat_rotate(place.rotation, hit->normal);
    reach = hit->t;
    found = true;
  }
  return found;
}

bool shape_cast_ray(const shape *s, v3 o, v3 d, double reach, span_surface *hit) {
  switch (s->kind) {
  case SCREE_SHAPE_HALF_SPACE:
    return half_space_ray(o, d, reach, hit);
  case SCREE_SHAPE_BOX_CONTAINER:
  case SCREE_SHAPE_ROUND_CONTAINER:
    return container_ray(s, o, d, reach, hit);
  case SCREE_SHAPE_MESH:
    return mesh_ray(&s->mesh, o, d, reach, hit);
  case SCREE_SHAPE_COMPOUND:
    return compound_ray(s, o, d, reach, hit);
  default:
    return solid_ray(s, o, d, reach, hit);
  }
}

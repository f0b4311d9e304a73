/* Questions about bodies as they lie (scree/query.h): rays, nearest points, contacts, regions. */
#include "scree/query.h"

#include <math.h>

#include "assemble/assembler.h"
#include "base/argument.h"
#include "base/definition.h"
#include "collide/gjk/gjk.h"
#include "shape/mesh_near.h"
#include "shape/ray.h"

static pose shape_pose(const world_bodies *b, size_t i) {
  const pose p = {b->position[i], b->rotation[i]};
  return b->place ? pose_mul(p, b->place[i]) : p;
}

static scree_body_id id_of(const scree_world *w, size_t i) {
  return (scree_body_id){(uint32_t)i, w->bodies.generation[i]};
}

static scree_status refuse_periodic(const scree_world *w, const char *what) {
  if (!world_is_periodic(w)) return SCREE_OK;
  return context_fail(w->context, SCREE_ERROR_UNSUPPORTED,
                      "%s: not in a periodic box, where bodies have images", what);
}

/* ---- rays ------------------------------------------------------------------------------------ */

scree_ray_def scree_ray_def_default(void) {
  return (scree_ray_def){.cookie = DEFINITION_COOKIE,
                         .direction = {0.0, 0.0, -1.0},
                         .reach = INFINITY,
                         .categories = UINT32_MAX};
}

/* Does the ray pass the ball about a body? */
static bool passes(const world_bodies *b, size_t i, v3 o, v3 d, double reach) {
  if (!isfinite(b->radius[i])) return true;
  const v3 x = v3_sub(b->position[i], o);
  const double along = v3_dot(x, d), r = b->radius[i] * (1.0 + 1e-9);
  if (along < -r || along > reach + r) return false;
  return v3_norm2(v3_add_scaled(x, -along, d)) <= r * r;
}

scree_status scree_world_cast_ray(const scree_world *w, const scree_ray_def *def,
                                  scree_ray_hit *out) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && def && out);
  DEFINITION_CHECK(w->context, def, ray_def);
  *out = (scree_ray_hit){.found = false};
  const v3 o = v3_load(def->origin), way = v3_load(def->direction);
  const double length = v3_norm(way);
  if (!world_finite(o) || !isfinite(length) || !(length > 0.0) || !(def->reach > 0.0))
    return context_fail(w->context, SCREE_ERROR_ARGUMENT,
                        "ray: its origin must be finite, its direction of some length, its reach "
                        "above 0");
  const scree_status status = refuse_periodic(w, "ray");
  if (status) return status;
  const v3 d = v3_scale(1.0 / length, way);
  const world_bodies *b = &w->bodies;
  double reach = def->reach;
  for (size_t i = 0; i < b->limit; i++) {
    if (!b->alive[i] || !b->shape[i] || !(b->category[i] & def->categories)) continue;
    if (def->left_out.generation && def->left_out.index == i &&
        def->left_out.generation == b->generation[i])
      continue;
    if (!passes(b, i, o, d, reach)) continue;
    const pose p = shape_pose(b, i);
    const quat back = quat_conj(p.rotation);
    span_surface hit;
    if (!shape_cast_ray(b->shape[i], quat_rotate(back, v3_sub(o, p.position)), quat_rotate(back, d),
                        reach, &hit))
      continue;
    reach = hit.t;
    out->found = true;
    out->body = id_of(w, i);
    out->distance = hit.t;
    v3_store(out->position, v3_add_scaled(o, hit.t, d));
    v3_store(out->normal, quat_rotate(p.rotation, hit.normal));
  }
  return SCREE_OK;
}

/* ---- nearest points -------------------------------------------------------------------------- */

typedef struct nearest {
  bool found;
  contact_point point;
  double within;
} nearest;

static void take_nearest(nearest *best, const contact_point *point) {
  if (best->found ? point->gap >= best->point.gap : point->gap > best->within) return;
  best->found = true;
  best->point = *point;
  best->within = point->gap;
}

static void convex_nearest(const shape *a, pose pa, const shape *b, pose pb, nearest *best) {
  const gjk_solid ca = gjk_solid_shape(a, v3_make(0, 0, 0), pa.rotation),
                  cb = gjk_solid_shape(b, v3_sub(pb.position, pa.position), pb.rotation);
  gjk_result r;
  if (!gjk_signed_distance(&ca, &cb, best->within + ca.round + cb.round, &r)) return;
  const double gap = r.gap - ca.round - cb.round;
  const v3 on_a = v3_add_scaled(v3_add(pa.position, r.a), ca.round, r.normal);
  take_nearest(best, &(contact_point){.point_a = on_a,
                                      .point_b = v3_add_scaled(on_a, gap, r.normal),
                                      .normal = r.normal,
                                      .gap = gap});
}

/* The nearest of parts; convex ones by their distance, as manifolds of faces hold more than that.
 */
static void find_nearest(const shape *a, pose pa, const shape *b, pose pb, nearest *best) {
  if (a->kind == SCREE_SHAPE_COMPOUND) {
    for (uint32_t i = 0; i < a->compound.count; i++)
      find_nearest(a->compound.part[i].shape, pose_mul(pa, a->compound.part[i].place), b, pb, best);
  } else if (b->kind == SCREE_SHAPE_COMPOUND) {
    for (uint32_t i = 0; i < b->compound.count; i++)
      find_nearest(a, pa, b->compound.part[i].shape, pose_mul(pb, b->compound.part[i].place), best);
  } else if (shape_is_convex(a) && shape_is_convex(b)) {
    convex_nearest(a, pa, b, pb, best);
  } else {
    contact_point point[CONTACT_POINT_MAX];
    const int count =
        narrow_collide(a, pa, b, pb, fmax(best->within, 0.0), point, CONTACT_POINT_MAX);
    for (int k = 0; k < count; k++) take_nearest(best, &point[k]);
  }
}

static bool can_touch(const shape *a, const shape *b) {
  const uint32_t kinds = narrow_kinds(a), other = narrow_kinds(b);
  for (uint32_t k = 0; k < SCREE_SHAPE_KIND_COUNT; k++)
    if ((kinds >> k & 1) && (narrow_untouchable(k) & other)) return false;
  return true;
}

scree_status scree_world_find_closest(const scree_world *w, scree_body_id a, scree_body_id b,
                                      double within, scree_closest *out) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && out);
  *out = (scree_closest){.found = false};
  const uint32_t i = world_find_body(w, a), k = i == WORLD_NO_BODY ? i : world_find_body(w, b);
  if (k == WORLD_NO_BODY) return SCREE_ERROR_ARGUMENT;
  const world_bodies *bodies = &w->bodies;
  const shape *sa = bodies->shape[i], *sb = bodies->shape[k];
  if (i == k || !sa || !sb || !(within >= 0.0))
    return context_fail(w->context, SCREE_ERROR_ARGUMENT,
                        "closest points: two bodies with shapes and within >= 0 are expected");
  if (!can_touch(sa, sb))
    return context_fail(w->context, SCREE_ERROR_UNSUPPORTED,
                        "closest points: these shapes cannot touch each other");
  const pose pa = shape_pose(bodies, i);
  pose pb = shape_pose(bodies, k);
  pb.position = v3_add(pb.position, world_image(w, i, k).shift);
  const double far = v3_norm(v3_sub(pa.position, pb.position)) + sa->size + sb->size;
  nearest best = {.within = fmin(within, far)};
  find_nearest(sa, pa, sb, pb, &best);
  if (!best.found) return SCREE_OK;
  out->found = true;
  out->distance = best.point.gap;
  v3_store(out->point_a, best.point.point_a);
  v3_store(out->point_b, best.point.point_b);
  v3_store(out->normal, best.point.normal);
  return SCREE_OK;
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* Pairs of the broad phase and a batch of contacts at a time: no list of all is held. */
scree_status assembler_visit_contacts(const scree_world *w, double margin,
                                      assembler_contact_visitor *visit, void *user) {
  const world_bodies *b = &w->bodies;
  collide *c = NULL;
  context_begin(w->context);
  v3 *still = memory_new(w->context, b->limit + 1, sizeof *still);
  scree_status status = still ? collide_create(w->context, &c) : SCREE_ERROR_MEMORY;
  const collide_view view = {.count = b->limit,
                             .shape = b->shape,
                             .position = b->position,
                             .rotation = b->rotation,
                             .place = b->place,
                             .linear = still,
                             .angular = still,
                             .radius = b->radius,
                             .diameter = b->diameter,
                             .category = b->category,
                             .collides_with = b->collides_with,
                             .kind = b->kind,
                             .box = world_is_periodic(w) ? &w->box : NULL,
                             .excluded = w->excluded,
                             .excluded_count = w->excluded_count,
                             .held = margin};
  if (!status) status = collide_begin(c, &view, b->generation, NULL, 0);
  bool more = true;
  while (!status && more) {
    const collide_contact *batch;
    size_t count;
    status = collide_next(c, &batch, &count);
    if (status || !count) break;
    for (size_t i = 0; i < count && more; i++)
      if (batch[i].point.gap <= margin) more = visit(user, &batch[i]);
  }
  collide_destroy(c);
  memory_free(w->context, still);
  return status;
}

typedef struct contact_list {
  scree_contact *contact;
  size_t capacity, count;
} contact_list;

static bool list_contact(void *user, const collide_contact *c) {
  contact_list *list = user;
  if (list->count < list->capacity) {
    scree_contact *to = &list->contact[list->count];
    *to = (scree_contact){
        .body_a = c->a, .body_b = c->b, .feature = c->point.feature, .gap = c->point.gap};
    v3_store(to->position, v3_scale(0.5, v3_add(c->point.point_a, c->point.point_b)));
    v3_store(to->normal, c->point.normal);
  }
  list->count++;
  return true;
}

scree_status scree_world_find_contacts(const scree_world *w, double margin, size_t capacity,
                                       scree_contact *contacts, size_t *count) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && count && (contacts || !capacity));
  *count = 0;
  if (!(margin >= 0.0) || !isfinite(margin))
    return context_fail(w->context, SCREE_ERROR_ARGUMENT,
                        "contacts: the margin must be 0 or above, and finite");
  contact_list list = {contacts, capacity, 0};
  const scree_status status = assembler_visit_contacts(w, margin, list_contact, &list);
  if (!status) *count = list.count;
  return status;
}

/* ---- regions --------------------------------------------------------------------------------- */

static bool is_within(aabb a, aabb region) {
  return a.lo.x >= region.lo.x && a.lo.y >= region.lo.y && a.lo.z >= region.lo.z &&
         a.hi.x <= region.hi.x && a.hi.y <= region.hi.y && a.hi.z <= region.hi.z;
}

/* `box` is the region as a shape, at the pose `at`. */
static bool reaches_into(const shape *s, pose p, aabb region, const shape *box, pose at) {
  const aabb bounds = shape_bounds(s, p);
  if (!aabb_overlap(bounds, region)) return false;
  if (is_within(bounds, region)) return true;
  if (s->kind == SCREE_SHAPE_COMPOUND) {
    for (uint32_t i = 0; i < s->compound.count; i++)
      if (reaches_into(s->compound.part[i].shape, pose_mul(p, s->compound.part[i].place), region,
                       box, at))
        return true;
    return false;
  }
  if (s->kind == SCREE_SHAPE_MESH && s->mesh.closed &&
      mesh_holds(&s->mesh, pose_apply_inverse(p, at.position), s->size + v3_norm(box->box.half), 0))
    return true;
  nearest best = {.within = 0.0};
  find_nearest(box, at, s, p, &best);
  return best.found;
}

scree_status scree_world_find_bodies(const scree_world *w, const double low[3],
                                     const double high[3], size_t capacity, scree_body_id *bodies,
                                     size_t *count) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && low && high && count && (bodies || !capacity));
  *count = 0;
  const aabb region = {v3_load(low), v3_load(high)};
  const v3 half = v3_scale(0.5, v3_sub(region.hi, region.lo));
  if (!world_finite(region.lo) || !world_finite(region.hi) ||
      !(half.x > 0.0 && half.y > 0.0 && half.z > 0.0))
    return context_fail(w->context, SCREE_ERROR_ARGUMENT,
                        "region: low and high must be finite, and low below high");
  const scree_status status = refuse_periodic(w, "region");
  if (status) return status;
  const shape box = {.kind = SCREE_SHAPE_BOX, .size = v3_norm(half), .box.half = half};
  const pose at = {v3_add(region.lo, half), {1, 0, 0, 0}};
  for (size_t i = 0; i < w->bodies.limit; i++) {
    const shape *s = w->bodies.shape[i];
    if (!w->bodies.alive[i] || !s || !reaches_into(s, shape_pose(&w->bodies, i), region, &box, at))
      continue;
    if (*count < capacity) bodies[*count] = id_of(w, i);
    ++*count;
  }
  return SCREE_OK;
}

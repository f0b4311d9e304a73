/* Late contacts: what the linear contacts of a step do not see.
 *
 * A contact requires gap + h u_n >= 0, with the normal, the arms and the points of the start of the
 * step. For two convex solids that do not turn this is safe: their distance is a convex function of
 * where they are, and lies above its tangent. What turns breaks it in two ways.
 *
 *   a turn by h w about x moves a point p by h w x (p - x) and by -h^2 w^2 / 2 (p - x), which no
 *   contact sees: a grain carried by the wall of a drum leaves along the tangent, into the wall,
 *   and a blade of radius 0.5 m that turns by 0.2 rad per step runs 10 mm too far;
 *   a turn of the two against each other brings features to touch that were none of the contacts:
 *   the ends of two rods that had crossed, another part of a rim.
 *
 *              |  o                 | o          o: a contact at the start, x: of the end
 *            -------      ->      x---\--
 *
 * So after a solve the pairs that turn far enough are looked at where they would be at the end. One
 * that overlaps there, deeper than its contacts say, is given contacts of that place: their points
 * are carried back to the start with their bodies, and with the normal n and the gap g_e of the end
 *
 *     gap = g_e - g_s - h n.u(v),   so that   gap + h n.u(v') = g_e - g_s + h n.(u(v') - u(v)) >= 0
 *
 * requires of the next velocities v' what is missing: Newton's method for no overlap at the end but
 * what the contacts of the start allow, g_s <= 0, while an old overlap is removed. Both bodies are
 * pushed at one point, so that momentum and its moment are kept. The two points that touch at the
 * end are not one at the start; of a ball it is the own one, as else a push along the normal would
 * spin it. */
#include "assemble/assembler.h"

#include <stdlib.h>

#include "base/asking.h"
#include "ccp/problem.h"

/* Overlap that is put up with, as a fraction of the smaller diameter. */
static const double tolerance = 0.005;
/* Ways of more than this part of the smaller diameter along a mesh or a round wall are
 * looked at even where nothing slides. */
static const double far_way = 0.25;
/* Marks the features of contacts found at the end of the step, so that they differ from those of
 * its start. */
static const uint32_t late_mark = 0x9e3779b9u;
enum { FEW_SUSPECTS = 1024 }; /* threads do not pay */

typedef struct late_suspect {
  uint32_t a, b;
  uint32_t first, count; /* contacts */
  double said;           /* the least gap at the end that these allow, m */
  bool deep;             /* it overlaps */
  double depth;          /* by more than its contacts say, m */
} late_suspect;

/* About its centre of motion. */
static bool is_ball(const world_bodies *b, size_t i) {
  return b->shape[i]->kind == SCREE_SHAPE_SPHERE &&
         (!b->place || v3_norm2(b->place[i].position) == 0.0);
}

static bool is_mesh(const world_bodies *b, size_t i) {
  return b->shape[i]->kind == SCREE_SHAPE_MESH;
}

static v3 velocity_at(const assembler *a, size_t i, v3 arm) {
  return v3_add(a->linear[i], v3_cross(a->angular[i], arm));
}

/* Of b, as the image that a meets, against a where their arms end. */
static v3 velocity_between(const assembler *a, size_t i, v3 arm_i, size_t k, v3 arm_k) {
  return v3_add(v3_sub(velocity_at(a, k, arm_k), velocity_at(a, i, arm_i)),
                world_image(a->world, i, k).velocity);
}

/* How far the end may be from what the contacts say, m: by features that turn into touch, and by
 * the curvature of a turn and of a round wall. */
static double unsaid(const assembler *a, const ccp_contact *c, size_t i, size_t k, double h) {
  const world_bodies *b = &a->world->bodies;
  const v3 arm[2] = {v3_load(c->arm_a), v3_load(c->arm_b)};
  const v3 none = {0, 0, 0};
  const double slip = v3_norm(velocity_between(a, i, arm[0], k, arm[1]));
  const double speed = v3_norm(velocity_between(a, i, none, k, none)); /* of what rolls as well */
  const bool far = h * speed > far_way * view_less(b->diameter[i], b->diameter[k]);
  const double way = h * (far ? fmax(slip, speed) : slip);
  const size_t body[2] = {i, k};
  double sum = 0.0;
  for (int m = 0; m < 2; m++) {
    const size_t j = body[m];
    if (is_ball(b, j)) continue;
    const double w = v3_norm(a->angular[j]);
    sum += h * h * w * (0.5 * w * v3_norm(arm[m]) + slip);
    if (b->shape[j]->kind == SCREE_SHAPE_ROUND_CONTAINER)
      sum += way * way / (b->shape[j]->round_container.bottom + b->shape[j]->round_container.top);
  }
  /* A surface that is not convex: another part of it comes near without a turn too. */
  if (far && (is_mesh(b, i) || is_mesh(b, k))) sum += h * speed;
  if (!is_ball(b, i) && !is_ball(b, k))
    sum +=
        h * v3_norm(v3_sub(a->angular[k], a->angular[i])) * view_less(b->radius[i], b->radius[k]);
  return sum;
}

static double end_gap(const assembler *a, const ccp_contact *c, size_t contact, size_t i, size_t k,
                      double h) {
  const v3 u = velocity_between(a, i, v3_load(c->arm_a), k, v3_load(c->arm_b));
  return (double)a->memory.gap[contact] + h * v3_dot(v3_load(c->normal), u);
}

/* What a contact allows at the end: an overlap that was there and is not removed at once, and no
 * more, though curvature that was expected (contacts/curvature.c) or the shift of a bounce
 * (impacts/impact.c) lead deeper. */
static double allowed_gap(const assembler *a, size_t contact, double end) {
  const double old = a->impacts.given[contact] ? 0.0 : fmin((double)a->memory.gap[contact], 0.0);
  return fmax(end, old);
}

/* Finds pairs that may overlap at the end of the step although their contacts do not say so. */
static scree_status find_suspects(assembler *a, double h, size_t *count) {
  const cache_list *now = &collide_cache(a->collide)->now;
  const world_bodies *b = &a->world->bodies;
  const ccp_contact *contact = a->problem->bodies.contact;
  *count = 0;
  for (size_t k = 0, next; k < a->memory.contact_count; k = next) {
    const cache_key key = now->key[k];
    next = k + 1;
    while (next < a->memory.contact_count && now->key[next].a == key.a && now->key[next].b == key.b)
      next++;
    const bool balls = is_ball(b, key.a) && is_ball(b, key.b);
    const double allowed = tolerance * view_less(b->diameter[key.a], b->diameter[key.b]);
    double said = INFINITY, least = INFINITY, error = 0.0, beyond = 0.0;
    for (size_t m = k; m < next; m++) {
      const double end = end_gap(a, &contact[m], m, key.a, key.b, h);
      if (!balls) error = fmax(error, unsaid(a, &contact[m], key.a, key.b, h));
      least = fmin(least, end);
      said = fmin(said, allowed_gap(a, m, end));
      beyond = fmax(beyond, allowed_gap(a, m, end) - end);
    }
    if (beyond <= allowed && (error <= allowed || least > error - allowed)) continue;
    if (memory_grow(a->context, &a->late.suspect, *count + 1, sizeof *a->late.suspect))
      return SCREE_ERROR_MEMORY;
    a->late.suspect[(*count)++] = (late_suspect){
        .a = key.a, .b = key.b, .first = (uint32_t)k, .count = (uint32_t)(next - k), .said = said};
  }
  return SCREE_OK;
}

typedef struct late_end {
  pose body, shape;
} late_end;

static late_end end_of(const assembler *a, size_t i, double h) {
  const world_bodies *b = &a->world->bodies;
  v3 angular = a->angular[i];
  late_end end;
  end.body = end.shape = world_pose_after(a->world, i, h, a->linear[i], &angular);
  if (b->place) end.shape = pose_mul(end.body, b->place[i]);
  return end;
}

static int touch_at_end(const assembler *a, const late_suspect *s, double h, late_end *end,
                        contact_point *found) {
  const world_bodies *b = &a->world->bodies;
  const periodic_image image = world_image(a->world, s->a, s->b);
  const v3 shift = v3_add_scaled(image.shift, h, image.velocity);
  end[0] = end_of(a, s->a, h);
  end[1] = end_of(a, s->b, h);
  end[1].body.position = v3_add(end[1].body.position, shift);
  end[1].shape.position = v3_add(end[1].shape.position, shift);
  return narrow_collide(b->shape[s->a], end[0].shape, b->shape[s->b], end[1].shape, 0.0, found,
                        CONTACT_POINT_MAX);
}

static double allowed_depth(const assembler *a, const late_suspect *s) {
  const world_bodies *b = &a->world->bodies;
  return tolerance * view_less(b->diameter[s->a], b->diameter[s->b]);
}

static void judge(const assembler *a, double h, late_suspect *s) {
  late_end end[2];
  contact_point found[CONTACT_POINT_MAX];
  const int n = touch_at_end(a, s, h, end, found);
  const double allowed = allowed_depth(a, s);
  const double deep = fmin(-allowed, s->said - 0.5 * allowed);
  for (int m = 0; m < n; m++) {
    s->deep = s->deep || found[m].gap < deep;
    s->depth = fmax(s->depth, fmin(s->said, 0.0) - found[m].gap);
  }
}

static bool is_container(const world_bodies *b, size_t i) {
  const scree_shape_kind kind = b->shape[i]->kind;
  return kind == SCREE_SHAPE_BOX_CONTAINER || kind == SCREE_SHAPE_ROUND_CONTAINER;
}

/* A body that has come through another's middle would be pushed out on the far side; but there is
 * no far side of a container's wall, which may be met anywhere. */
static bool same_side(const assembler *a, const late_suspect *s, v3 normal) {
  if (is_container(&a->world->bodies, s->a) || is_container(&a->world->bodies, s->b)) return true;
  for (uint32_t m = s->first; m < s->first + s->count; m++)
    if (v3_dot(v3_load(a->problem->bodies.contact[m].normal), normal) > 0.0) return true;
  return false;
}

static int compare(const void *x, const void *y) {
  const collide_given *p = x, *q = y;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  if (p->b != q->b) return p->b < q->b ? -1 : 1;
  return p->point.feature < q->point.feature ? -1 : p->point.feature > q->point.feature;
}

static scree_status put(assembler *a, const collide_given *given) {
  if (memory_grow(a->context, &a->late.contact, a->late.count + 1, sizeof *a->late.contact))
    return SCREE_ERROR_MEMORY;
  a->late.contact[a->late.count++] = *given;
  return SCREE_OK;
}

static v3 carried_back(const assembler *a, size_t i, pose end, v3 point) {
  return pose_apply(world_pose(a->world, i), pose_apply_inverse(end, point));
}

/* The point at which both bodies are pushed. */
static v3 common_point(const assembler *a, const late_suspect *s, v3 on_a, v3 on_b) {
  const world_bodies *b = &a->world->bodies;
  if (!world_is_dynamic(a->world, s->a) || is_ball(b, s->b)) return on_b;
  if (!world_is_dynamic(a->world, s->b) || is_ball(b, s->a)) return on_a;
  return v3_scale(0.5, v3_add(on_a, on_b));
}

static scree_status add_late(assembler *a, double h, const late_suspect *s, uint32_t mark,
                             bool *added) {
  const size_t before = a->late.count;
  const world_bodies *b = &a->world->bodies;
  late_end end[2];
  contact_point found[CONTACT_POINT_MAX];
  const int n = touch_at_end(a, s, h, end, found);
  for (int m = 0; m < n; m++) {
    collide_given g = {.a = s->a, .b = s->b, .point = found[m]};
    if (!same_side(a, s, g.point.normal)) continue;
    const v3 shift = world_image(a->world, s->a, s->b).shift;
    const v3 at = common_point(a, s, carried_back(a, s->a, end[0].body, found[m].point_a),
                               v3_add(carried_back(a, s->b, end[1].body, found[m].point_b), shift));
    const v3 u = velocity_between(a, s->a, v3_sub(at, b->position[s->a]), s->b,
                                  v3_sub(at, v3_add(b->position[s->b], shift)));
    g.point.point_a = g.point.point_b = at;
    g.point.feature ^= mark;
    g.point.gap = found[m].gap - fmin(s->said, 0.0) - h * v3_dot(g.point.normal, u);
    if (put(a, &g)) return SCREE_ERROR_MEMORY;
    *added = true;
  }
  a->late.through = a->late.through || a->late.count == before;
  return SCREE_OK;
}

/* Contacts between balls and walls at rest always see the overlap, so such scenes need no late
 * look. */
static bool anything_turns(const assembler *a) {
  const world_bodies *b = &a->world->bodies;
  for (size_t i = 0; i < b->limit; i++)
    if (b->alive[i] && b->shape[i] && !is_ball(b, i) &&
        (b->shape[i]->kind == SCREE_SHAPE_ROUND_CONTAINER || is_mesh(b, i) ||
         v3_norm2(a->angular[i]) > 0.0))
      return true;
  return false;
}

scree_status assembler_look_late(assembler *a, const assembler_params *params, bool *again) {
  const double *diameter = a->world->bodies.diameter;
  size_t count = 0;
  bool added = false;
  a->late.depth = 0.0;
  a->late.through = false;
  if (!params->again) a->late.count = 0;
  /* Contacts of earlier looks are kept, as dropping and finding them in turns might never end. */
  const uint32_t mark = late_mark * (uint32_t)(a->late.count + 1);
  if (!a->impacts.count && !anything_turns(a)) return SCREE_OK;
  scree_status status = find_suspects(a, params->h, &count);
  if (status || !count) return status;
  asking ask;
  asking_begin(&ask, a->context);
#pragma omp parallel for schedule(dynamic)                                                         \
    num_threads(context_team(a->context, count > FEW_SUSPECTS))
  for (size_t k = 0; k < count; k++)
    if (!asking_ended(&ask, asking_is_mine())) judge(a, params->h, &a->late.suspect[k]);
  status = asking_status(&ask, "late look");
  for (size_t k = 0; k < count && !status; k++) {
    const late_suspect *s = &a->late.suspect[k];
    if (!s->deep) continue;
    a->late.depth = fmax(a->late.depth, s->depth / view_less(diameter[s->a], diameter[s->b]));
    status = add_late(a, params->h, s, mark, &added);
  }
  if (status || !added) return status;
  qsort(a->late.contact, a->late.count, sizeof *a->late.contact, compare);
  if (!params->again && !*again) status = assembler_see_no_farther(a);
  *again = true;
  return status;
}

/* A belt: shoes around wheels, each joined to the next by a hinge.
 *
 * It lies in the plane of x and z of its frame, the axes of its wheels along y. Its pins lie on the
 * edge of the convex hull of circles about the wheels, all a chord p from the next one, p being
 * what closes the belt with the last shoe. A shoe is the chord between two pins; that its middle
 * lies `height` above wheels of radius r where it rests on them, the circle of their pins has
 *
 *     R = sqrt((r + height)^2 + p^2/4)
 *
 * In the order of the angle f of its normal n = (cos f, sin f) the hull is on circle i until it
 * goes over to j by their common tangent, where c_i n + R_i = c_j n + R_j, that is with d = c_j -
 * c_i at
 *
 *     f = angle of d - acos((R_i - R_j) / |d|) */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/build/build.h"
#include "shape/shape.h"

enum { BELT_WHEELS = 64, HALVINGS = 200 };
static const double two_pi = 6.283185307179586, no_turn = 1e-12;

/* Of the edge: a turn about a circle from normal `from` on by `turn`, then straight to the next. */
typedef struct belt_piece {
  double x, z, radius, from, turn, straight;
  double begin; /* the length before it */
} belt_piece;

typedef struct belt {
  size_t wheels, pieces;
  const double *wheel; /* x, z, radius of each */
  double height;
  belt_piece piece[2 * BELT_WHEELS + 1];
  double length;
} belt;

static double pin_radius(const belt *b, size_t i, double pitch) {
  return hypot(b->wheel[3 * i + 2] + b->height, 0.5 * pitch);
}

/* By how much the normal turns on, from `f`, until the hull goes over from i to j; infinite: never.
 */
static double turn_until(const belt *b, size_t i, size_t j, double pitch, double f) {
  const double *p = b->wheel + 3 * i, *q = b->wheel + 3 * j;
  const double d = hypot(q[0] - p[0], q[1] - p[1]);
  const double more = pin_radius(b, i, pitch) - pin_radius(b, j, pitch);
  if (!(d > fabs(more))) return INFINITY;
  double turn = fmod(atan2(q[1] - p[1], q[0] - p[0]) - acos(more / d) - f, two_pi);
  if (turn < -no_turn) turn += two_pi;
  return turn > 0.0 ? turn : 0.0;
}

/* The circle farthest down, the first of those that reach as far, and there the rightmost. */
static size_t lowest(const belt *b, double pitch) {
  size_t best = 0;
  for (size_t i = 1; i < b->wheels; i++) {
    const double less = (b->wheel[3 * best + 1] - pin_radius(b, best, pitch)) -
                        (b->wheel[3 * i + 1] - pin_radius(b, i, pitch));
    const bool right = b->wheel[3 * i] > b->wheel[3 * best];
    if (less > no_turn || (less > -no_turn && right)) best = i;
  }
  return best;
}

/* The edge of the hull, from its lowest point once round. */
static void find_edge(belt *b, double pitch) {
  size_t i = lowest(b, pitch);
  double f = -0.25 * two_pi, left = two_pi;
  b->pieces = 0;
  b->length = 0.0;
  while (b->pieces < 2 * BELT_WHEELS + 1) {
    size_t next = i;
    double turn = left, far = 0.0;
    for (size_t j = 0; j < b->wheels; j++) {
      const double one = j == i ? INFINITY : turn_until(b, i, j, pitch, f);
      const double d =
          hypot(b->wheel[3 * j] - b->wheel[3 * i], b->wheel[3 * j + 1] - b->wheel[3 * i + 1]);
      if (!(one < turn - no_turn || (one < turn + no_turn && (next == i || d > far)))) continue;
      turn = one;
      next = j;
      far = d;
    }
    belt_piece *p = &b->piece[b->pieces++];
    *p = (belt_piece){.x = b->wheel[3 * i],
                      .z = b->wheel[3 * i + 1],
                      .radius = pin_radius(b, i, pitch),
                      .from = f,
                      .turn = turn,
                      .begin = b->length};
    if (next != i)
      p->straight = sqrt(fmax(far * far - pow(p->radius - pin_radius(b, next, pitch), 2), 0.0));
    b->length += p->radius * turn + p->straight;
    f += turn;
    left -= turn;
    if (next == i) return;
    i = next;
  }
}

/* The place at a length along the edge, which goes on round and round. */
static void place_at(const belt *b, double s, double at[2]) {
  s = fmod(s, b->length);
  const belt_piece *p = &b->piece[0];
  for (size_t k = 1; k < b->pieces && b->piece[k].begin <= s; k++) p = &b->piece[k];
  const double along = s - p->begin, arc = p->radius * p->turn;
  const double f = p->from + (along < arc ? along / p->radius : p->turn);
  const double more = along < arc ? 0.0 : along - arc;
  at[0] = p->x + p->radius * cos(f) - more * sin(f);
  at[1] = p->z + p->radius * sin(f) + more * cos(f);
}

/* The length of the edge to the first place beyond s that is a chord away: by halving, as the
 * distance grows for half of the way round. */
static double chord_end(const belt *b, double s, double chord) {
  double from[2], to[2], low = s, high = s + 0.5 * b->length;
  place_at(b, s, from);
  for (int k = 0; k < HALVINGS; k++) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    place_at(b, middle, to);
    *(hypot(to[0] - from[0], to[1] - from[1]) < chord ? &low : &high) = middle;
  }
  return 0.5 * (low + high);
}

/* Where the pin after the last shoe comes to, beyond a whole turn of the belt. */
static double overshoot(belt *b, long shoes, double pitch) {
  double s = 0.0;
  find_edge(b, pitch);
  for (long k = 0; k < shoes; k++) s = chord_end(b, s, pitch);
  return s - b->length;
}

/* The pitch that closes the belt: the longer it is the farther the last pin comes. */
static double find_pitch(belt *b, long shoes) {
  find_edge(b, 0.0);
  double low = 0.0, high = b->length / 2.0;
  for (int k = 0; k < HALVINGS; k++) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    *(overshoot(b, shoes, middle) < 0.0 ? &low : &high) = middle;
  }
  overshoot(b, shoes, 0.5 * (low + high));
  return 0.5 * (low + high);
}

static scree_status read_belt(scree_scene *scene, const scene_scope *scope, const scene_template *t,
                              scene_belt_keys *k, belt *b) {
  scene_document *doc = &scene->doc;
  double *wheel;
  scree_status status = scene_read(doc, scope, t->keys.belt, &scene_section_belt, k);
  if (!status)
    status = scene_read_rows(scene, scope, k->wheels, "wheels", "m", 3, &wheel, &b->wheels);
  if (status) return status;
  if (t->keys.kind != SCREE_BODY_DYNAMIC || !t->keys.shape)
    return scene_fault(doc, t->keys.belt, "belt: a dynamic body with a shape is expected");
  if (!b->wheels || b->wheels > BELT_WHEELS)
    return scene_fault(doc, k->wheels, "wheels: from 1 to %d of them are expected", BELT_WHEELS);
  for (size_t i = 0; i < b->wheels; i++)
    if (!(wheel[3 * i + 2] >= 0.0))
      return scene_fault(doc, k->wheels->items[i], "wheels: the radius %g is below 0",
                         wheel[3 * i + 2]);
  b->wheel = wheel;
  b->height = k->height;
  find_edge(b, 0.0);
  if (!(b->length > 0.0))
    return scene_fault(doc, k->wheels, "wheels: a belt around them has no length");
  return SCREE_OK;
}

/* The hinge between two shoes, at `place` in the world. */
static scree_status add_pin(scree_scene *scene, scree_world *world, const scene_belt_keys *k,
                            scree_body_id a, scree_body_id b, v3 place, v3 axis) {
  scree_joint_def def = scree_joint_def_default();
  scree_joint_id id;
  def.kind = SCREE_JOINT_HINGE;
  def.body_a = a;
  def.body_b = b;
  v3_store(def.anchor, place);
  v3_store(def.axis, axis);
  def.coordinate[0].friction = k->friction;
  def.coordinate[0].damping = k->damping;
  if (memory_grow(scene->context, &scene->joints, scene->joint_count + 1, sizeof *scene->joints))
    return SCREE_ERROR_MEMORY;
  const scree_status status = scree_world_add_joint(world, &def, &id);
  if (status == SCREE_ERROR_MEMORY) return status;
  if (status) {
    char why[512];
    snprintf(why, sizeof why, "%s", scree_context_message(scene->context));
    return scene_fault(&scene->doc, k->head.node, "%s", why);
  }
  scene->joints[scene->joint_count++] =
      (scene_joint){scene_own_name(scene, k->pin), k->head.node, def.kind, id};
  return SCREE_OK;
}

static quat quat_of(const double q[4]) {
  return (quat){q[0], q[1], q[2], q[3]};
}

/* A place of the belt's frame in the world. */
static v3 in_world(const scree_scene *scene, const scene_template *t, const double at[2]) {
  const pose p = {v3_load(t->def.position), quat_of(t->def.rotation)};
  double x[3];
  v3_store(x, pose_apply(p, v3_make(at[0], 0.0, at[1])));
  scene_move_point(scene, x);
  return v3_load(x);
}

static scree_status add_shoes(scree_scene *scene, scree_world *world, const scene_scope *scope,
                              scene_template *t, const scene_belt_keys *k, const belt *b,
                              double pitch) {
  const quat turn = quat_of(t->def.rotation);
  const size_t first = scene->body_count;
  double s = 0.0, from[2], to[2], y[3];
  place_at(b, 0.0, from);
  scree_status status = SCREE_OK;
  for (long i = 0; i < k->number && !status; i++, from[0] = to[0], from[1] = to[1]) {
    scree_body_def def = t->def;
    bool owned;
    s = i + 1 < k->number ? chord_end(b, s, pitch) : 0.0;
    place_at(b, s, to);
    const double middle[2] = {0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])};
    const pose p = {v3_load(t->def.position), turn};
    v3_store(def.position, pose_apply(p, v3_make(middle[0], 0.0, middle[1])));
    /* z of a shoe points outwards, and so x back along the belt */
    const double angle = atan2(from[1] - to[1], to[0] - from[0]) + 0.5 * two_pi;
    const quat q = quat_mul(turn, quat_exp(v3_make(0.0, angle, 0.0)));
    memcpy(def.rotation, (double[4]){q.w, q.x, q.y, q.z}, sizeof def.rotation);
    status = scene_template_shape(scene, scope, t, 1.0, &def.shape, &owned);
    if (status) break;
    status = scene_add_body(scene, world, &def, t->keys.head.node);
    if (owned) scree_shape_destroy(def.shape);
  }
  v3_store(y, quat_rotate(turn, v3_make(0, 1, 0)));
  scene_turn_vector(scene, y);
  s = 0.0;
  for (long i = 0; i < k->number && !status; i++) {
    place_at(b, s, from);
    const size_t before = first + (size_t)((i + k->number - 1) % k->number);
    status = add_pin(scene, world, k, scene->bodies[before], scene->bodies[first + (size_t)i],
                     in_world(scene, t, from), v3_load(y));
    s = chord_end(b, s, pitch);
  }
  return status;
}

scree_status scene_build_belt(scree_scene *scene, scree_world *world, const scene_scope *scope,
                              scene_template *t) {
  scene_belt_keys k = {.pin = ""};
  belt b;
  scree_status status = read_belt(scene, scope, t, &k, &b);
  if (status) return status;
  const double pitch = find_pitch(&b, k.number);
  bool owned;
  scree_shape *shoe;
  status = scene_template_shape(scene, scope, t, 1.0, &shoe, &owned);
  if (status) return status;
  const aabb box = shape_bounds(shoe, (pose){v3_make(0, 0, 0), quat_identity()});
  if (owned) scree_shape_destroy(shoe);
  /* Neighbours do not touch each other; the next ones but one must not do so. */
  if (!(box.hi.x - box.lo.x < 2.0 * pitch))
    return scene_fault(&scene->doc, t->keys.belt,
                       "belt: %ld shoes have a pitch of %.6g m, and they are %.6g m long (along "
                       "x): take fewer, or shorter ones",
                       k.number, pitch, box.hi.x - box.lo.x);
  return add_shoes(scene, world, scope, t, &k, &b, pitch);
}

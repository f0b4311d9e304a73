/* The sweep: is a pair through each other at any time of the step?
 *
 * Contacts are linear in the velocities and the late look (late.c) sees the end of the step alone.
 * A grain of rice that is hit off its centre turns by radians in a step; between the start and the
 * end anything may have passed. So before a step is accepted, each pair that turns far against its
 * width is followed along the step's own motion by conservative advancement: at the time t it has
 * contacts with normals n and gaps g, and no point of one comes nearer to the other than
 *
 *     s <= max(0, -n.(v_b - v_a)) + |w_a| r_a + |w_b| r_b
 *
 * as long as n stays, which may be any direction that keeps two convex things apart. So until
 * t + (g + e) / s no overlap is deeper than e. What is a quarter of the width of the thinner one is
 * still on its own side; half of that is a hit, and what lies between is the way that is made in
 * one turn of the loop. Two that overlap by all of that width when the step begins have no sides
 * left to keep, and are not followed. Where a wall turns that has no end, or is far larger than
 * what meets it, its motion is taken at the smaller body, in the wall's frame, without a direction.
 *
 * What does not turn needs none of this: the distance of two convex solids lies above its tangent.
 * Balls do not turn. A bed at rest costs a pass over its bodies. */
#include "assemble/assembler.h"

#include "base/asking.h"
#include "shape/width.h"

/* rad in a step: a pair that turns farther is not followed, it counts as hit. */
static const double most_turn = 1e4;
enum { MOST_ADVANCES = 512, FEW_ADVANCES = 32, FEW_PAIRS = 64 };
static const double deep_part = 0.25; /* of the width: e */
static const double much_larger = 4.0;

typedef struct sweep_pair {
  uint32_t a, b;
  int advances; /* distances that were computed */
  double hit;   /* s; above h: none */
} sweep_pair;

static bool is_ball(const world_bodies *b, size_t i) {
  return b->shape[i]->kind == SCREE_SHAPE_SPHERE &&
         (!b->place || v3_norm2(b->place[i].position) == 0.0);
}

/* The most that a body turns with, rad/s: a free one keeps its angular momentum. */
static double turn_speed(const assembler *a, size_t i) {
  const world_bodies *b = &a->world->bodies;
  if (is_ball(b, i)) return 0.0;
  const double w = v3_norm(a->angular[i]);
  if (!world_is_dynamic(a->world, i) || w == 0.0) return w;
  const v3 j = b->inertia[i], l = quat_rotate_inverse(b->rotation[i], a->angular[i]);
  const double least = fmin(j.x, fmin(j.y, j.z));
  const double energy = j.x * l.x * l.x + j.y * l.y * l.y + j.z * l.z * l.z;
  const v3 momentum = {j.x * l.x, j.y * l.y, j.z * l.z};
  return fmax(w, fmin(sqrt(energy / least), v3_norm(momentum) / least));
}

/* ---- which pairs ---------------------------------------------------------------------------- */

static scree_status find_widths(assembler *a) {
  const world_bodies *b = &a->world->bodies;
  const size_t n = b->limit;
  if (memory_grow(a->context, &a->sweep.width, n, sizeof *a->sweep.width) ||
      memory_grow(a->context, &a->sweep.generation, n, sizeof *a->sweep.generation) ||
      memory_grow(a->context, &a->sweep.turn, n, sizeof *a->sweep.turn))
    return SCREE_ERROR_MEMORY;
  if (a->sweep.count == n && a->sweep.revision == a->world->revision) return SCREE_OK;
  const shape *last = NULL;
  double width = INFINITY;
  a->sweep.least_width = INFINITY;
  a->sweep.most_radius = 0.0;
  for (size_t i = 0; i < n; i++) {
    if (!b->alive[i] || !b->shape[i]) continue;
    if (i >= a->sweep.count || a->sweep.generation[i] != b->generation[i]) {
      if (b->shape[i] != last) width = shape_width(b->shape[i]);
      last = b->shape[i];
      a->sweep.width[i] = width;
      a->sweep.generation[i] = b->generation[i];
    }
    a->sweep.least_width = fmin(a->sweep.least_width, a->sweep.width[i]);
    if (b->mass[i] > 0.0) a->sweep.most_radius = fmax(a->sweep.most_radius, b->radius[i]);
  }
  a->sweep.count = n;
  a->sweep.revision = a->world->revision;
  return SCREE_OK;
}

static double hold(const assembler *a, const sweep_pair *p) {
  return deep_part * view_less(a->sweep.width[p->a], a->sweep.width[p->b]);
}

/* How far turning leads the pair from what contacts say, m: the smaller one's features that come to
 * touch, and the curvature of the way of what turns about a centre. */
static double led_by_turn(const assembler *a, size_t i, size_t k, double h) {
  const world_bodies *b = &a->world->bodies;
  const double wi = a->sweep.turn[i], wk = a->sweep.turn[k];
  const v3 image = world_image(a->world, i, k).shift;
  const double apart = v3_norm(v3_sub(v3_add(b->position[k], image), b->position[i]));
  return h * (wi + wk) * view_less(b->radius[i], b->radius[k]) +
         0.5 * h * h * (wi * wi + wk * wk) * apart;
}

/* The farthest that a body that can be pushed is from a wall's centre, m. */
static double farthest_from(const assembler *a, size_t wall) {
  const world_bodies *b = &a->world->bodies;
  double most = 0.0;
  for (size_t i = 0; i < b->limit; i++)
    if (b->alive[i] && world_is_dynamic(a->world, i))
      most =
          fmax(most, v3_norm2(v3_sub(v3_add(b->position[i], world_image(a->world, wall, i).shift),
                                     b->position[wall])));
  return sqrt(most);
}

/* Fills the speeds of those that turn so far that some pair of theirs may have to be followed, with
 * 0 for the others; false: there are none. Half of what is allowed, as a pair has two. */
static bool anything_turns(assembler *a, double h) {
  const world_bodies *b = &a->world->bodies;
  const double allowed = 0.5 * deep_part * a->sweep.least_width;
  bool any = false;
  for (size_t i = 0; i < b->limit; i++) {
    a->sweep.turn[i] = 0.0;
    if (!b->alive[i] || !b->shape[i]) continue;
    const double w = turn_speed(a, i), r = view_less(b->radius[i], a->sweep.most_radius);
    if (w == 0.0) continue;
    double way = h * w * r;
    if (way <= allowed) {
      const double apart = world_is_dynamic(a->world, i)
                               ? b->radius[i] + a->sweep.most_radius + h * v3_norm(a->linear[i])
                               : farthest_from(a, i);
      way += 0.5 * h * h * w * w * apart;
    }
    if (way <= allowed) continue;
    a->sweep.turn[i] = w;
    any = true;
  }
  return any;
}

/* Balls about both never meet while they move. */
static bool far_apart(const assembler *a, size_t i, size_t k, double h) {
  const world_bodies *b = &a->world->bodies;
  const double radii = b->radius[i] + b->radius[k];
  if (!isfinite(radii)) return false;
  const periodic_image image = world_image(a->world, i, k);
  const v3 x = v3_add(v3_sub(b->position[k], b->position[i]), image.shift);
  const v3 v = v3_add(v3_sub(a->linear[k], a->linear[i]), image.velocity);
  const double closing = -v3_dot(x, v), speed2 = v3_norm2(v);
  const double t = closing > 0.0 ? view_less(closing / speed2, h) : 0.0;
  return v3_norm2(v3_add_scaled(x, t, v)) > radii * radii;
}

static scree_status find_pairs(assembler *a, double h, size_t *count) {
  const world_bodies *b = &a->world->bodies;
  const broad *pairs = collide_broad(a->collide);
  *count = 0;
  for (size_t i = 0; i < b->limit; i++) {
    size_t partners;
    const uint32_t *partner = broad_partners(pairs, i, &partners);
    for (size_t m = 0; m < partners; m++) {
      const sweep_pair p = {.a = (uint32_t)i, .b = partner[m], .hit = INFINITY};
      if (!(a->sweep.turn[i] + a->sweep.turn[p.b] > 0.0)) continue;
      if (!(led_by_turn(a, i, p.b, h) > hold(a, &p)) || far_apart(a, i, p.b, h)) continue;
      if (memory_grow(a->context, &a->sweep.pair, *count + 1, sizeof *a->sweep.pair))
        return SCREE_ERROR_MEMORY;
      a->sweep.pair[(*count)++] = p;
    }
  }
  return SCREE_OK;
}

/* ---- one pair ------------------------------------------------------------------------------- */

static pose shape_at(const assembler *a, world_way *way, double t) {
  const world_bodies *b = &a->world->bodies;
  const pose p = world_way_at(a->world, way, t);
  return b->place ? pose_mul(p, b->place[way->body]) : p;
}

typedef struct sweep_speed {
  v3 linear;          /* of b against a */
  double turn;        /* of surfaces by turning, m/s */
  double any;         /* all of it in any direction */
  bool has_direction; /* the normal part of `linear` is enough */
} sweep_speed;

static sweep_speed speed_of(const assembler *a, const sweep_pair *p, double h) {
  const world_bodies *b = &a->world->bodies;
  const double ra = b->radius[p->a], rb = b->radius[p->b], wa = a->sweep.turn[p->a],
               wb = a->sweep.turn[p->b];
  const periodic_image image = world_image(a->world, p->a, p->b);
  sweep_speed s = {.linear = v3_add(v3_sub(a->linear[p->b], a->linear[p->a]), image.velocity),
                   .has_direction = true};
  const bool swap = rb < ra;
  const size_t small = swap ? p->b : p->a, large = swap ? p->a : p->b;
  const double wl = swap ? wa : wb, ws = swap ? wb : wa;
  if (wl > 0.0 && !(b->radius[large] < much_larger * b->radius[small])) {
    const periodic_image seen = world_image(a->world, large, small);
    const v3 arm = v3_add(v3_sub(b->position[small], b->position[large]), seen.shift);
    const v3 wall =
        v3_sub(v3_add(a->linear[large], v3_cross(a->angular[large], arm)), seen.velocity);
    const double speed = v3_norm(v3_sub(a->linear[small], wall));
    s.has_direction = false;
    s.turn = (ws + wl) * b->radius[small];
    s.any = speed + h * wl * v3_norm(s.linear) + s.turn;
    return s;
  }
  s.turn = (wa > 0.0 ? wa * ra : 0.0) + (wb > 0.0 ? wb * rb : 0.0);
  s.any = v3_norm(s.linear) + s.turn;
  return s;
}

/* Follows a pair for no more than `most` advances; p->hit is the time of an overlap too deep. */
static void follow(const assembler *a, double h, int most, sweep_pair *p) {
  const world_bodies *b = &a->world->bodies;
  const double deep = hold(a, p);
  const sweep_speed speed = speed_of(a, p, h);
  const double sight = 2.0 * view_less(b->radius[p->a], b->radius[p->b]);
  const periodic_image image = world_image(a->world, p->a, p->b);
  world_way way_a = world_way_begin(a->world, p->a, h, a->linear[p->a], a->angular[p->a]);
  world_way way_b = world_way_begin(a->world, p->b, h, a->linear[p->b], a->angular[p->b]);
  double least = 0.0; /* the gap at the start, where it is an overlap */
  double t = 0.0;
  for (int round = 0; t < h; round++) {
    contact_point found[CONTACT_POINT_MAX];
    p->advances = round;
    /* Too many rounds, as the pair stays very near or moves very fast: it counts as hit. */
    if (round > most) {
      p->hit = t;
      return;
    }
    const double margin = view_less(sight, speed.any * (h - t));
    pose other = shape_at(a, &way_b, t);
    other.position = v3_add(other.position, v3_add_scaled(image.shift, t, image.velocity));
    const int n = narrow_collide(b->shape[p->a], shape_at(a, &way_a, t), b->shape[p->b], other,
                                 margin, found, CONTACT_POINT_MAX);
    double dt = (margin + deep) / speed.any;
    for (int m = 0; m < n; m++) {
      if (round == 0) least = fmin(least, found[m].gap);
      if (least <= -deep / deep_part) return;
      double s = speed.any;
      if (speed.has_direction) s = fmax(0.0, -v3_dot(found[m].normal, speed.linear)) + speed.turn;
      if (found[m].gap < least - 0.5 * deep) {
        p->hit = t;
        return;
      }
      dt = view_less(dt, (found[m].gap - least + deep) / s);
    }
    t += dt;
  }
}

scree_status assembler_sweep(assembler *a, const assembler_params *params, assembler_hit *hit) {
  const world_bodies *b = &a->world->bodies;
  const double h = params->h;
  size_t count = 0;
  *hit = (assembler_hit){.time = INFINITY};
  if (find_widths(a)) return SCREE_ERROR_MEMORY;
  if (!anything_turns(a, h)) return SCREE_OK;
  for (size_t i = 0; i < b->limit; i++)
    if (b->alive[i] && b->shape[i]) a->sweep.turn[i] = turn_speed(a, i);
  const collide_view view = assembler_view(a, params);
  broad *pairs = collide_broad(a->collide);
  if (!broad_covers(pairs, &view, a->linear, a->angular)) {
    collide_view wide = view;
    wide.linear = a->linear;
    wide.angular = a->angular;
    const scree_status wider = broad_update(pairs, &wide);
    if (wider) return wider;
  }
  const scree_status status = find_pairs(a, h, &count);
  if (status || !count) return status;
  asking ask;
  asking_begin(&ask, a->context);
#pragma omp parallel for schedule(dynamic) num_threads(a->context->threads) if (count > FEW_PAIRS)
  for (size_t k = 0; k < count; k++) {
    sweep_pair *p = &a->sweep.pair[k];
    if (asking_ended(&ask, asking_is_mine())) continue;
    if (h * fmax(a->sweep.turn[p->a], a->sweep.turn[p->b]) <= most_turn)
      follow(a, h, params->brief ? FEW_ADVANCES : MOST_ADVANCES, p);
    else
      p->hit = 0.0;
  }
  for (size_t k = 0; k < count; k++) {
    const sweep_pair *p = &a->sweep.pair[k];
    if (p->advances > FEW_ADVANCES) hit->advances += (size_t)(p->advances - FEW_ADVANCES);
    if (!(p->hit < h)) continue;
    hit->time = fmin(hit->time, p->hit);
    hit->turn = fmax(hit->turn, h * fmax(a->sweep.turn[p->a], a->sweep.turn[p->b]));
    hit->pairs++;
  }
  return asking_status(&ask, "sweep");
}

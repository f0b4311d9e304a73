/* The broad phase: which bodies may touch. Bodies are sorted by size into grids, each with cells as
 * wide as its largest member, so that partners of like size lie in neighbouring cells and a small
 * body looks up the few cells of a coarser grid that its box meets. Time is O(n) for any ratio of
 * sizes. What has no end, and coarse grids with hardly a member, go to a list that is tested
 * directly: a floor or a drum costs one test per body.
 *
 * Boxes are found with some slack, and reach ahead along the motion of some steps, so that grains
 * that fall or flow stay in theirs for a while; the list of pairs holds as long as no body has left
 * its box, so that a bed at rest pays for it once; a few that leave theirs, or are new, get new
 * ones, and the pairs that go with them are added (stray.h). It is always a superset, and
 * what comes out of the narrow phase does not depend on when it was made. */
#ifndef SCREE_COLLIDE_BROAD_BROAD_H
#define SCREE_COLLIDE_BROAD_BROAD_H

#include "collide/contact_point.h"
#include "math/aabb.h"
#include "math/periodic.h"
#include "shape/shape.h"

/* A contact that the caller knows of and that the narrow phase does not see at the start of the
 * step. */
typedef struct collide_given {
  uint32_t a, b; /* a < b */
  contact_point point;
} collide_given;

/* On several ranks: decides which pairs belong to this rank. */
typedef struct collide_part {
  int me;
  const uint16_t *owner; /* the rank of each body that can be pushed */
  const uint8_t *large;  /* 1: far larger than most; the other one of the pair decides */
} collide_part;

/* Bodies as collision sees them; arrays of `count`, lent by the caller. */
typedef struct collide_view {
  size_t count;
  const shape *const *shape; /* null: touches nothing */
  const v3 *position;        /* centre of motion */
  const quat *rotation;
  const pose *place;          /* the shape's frame seen from the body; null: the same for all */
  const v3 *linear, *angular; /* expected velocity during the step */
  const double *radius;       /* that holds the shape, about the centre of motion */
  const double *diameter;     /* scale of the margin; infinite where there is none */
  const uint32_t *category, *collides_with;
  const uint8_t *kind;     /* 0: can be pushed; two others never form a pair */
  const uint32_t *asleep;  /* not 0: stands, without a velocity, and two that stand form no pair;
                              null: nobody sleeps */
  uint64_t sleep_revision; /* another one each time that somebody fell asleep or woke */
  const uint32_t
      *generation;     /* of the body at a place; null: the same as long as there are as many */
  const periodic *box; /* null: none; else pairs meet by their nearest images */
  const uint64_t *excluded; /* low index << 32 | high index, ascending */
  size_t excluded_count;
  double h;                   /* s */
  double margin;              /* fraction of the smaller diameter */
  double most;                /* m, the margin's part by diameter is never more */
  double held, held_part;     /* m, and of the smaller diameter: it is never less than their sum */
  bool whole;                 /* manifolds are not thinned, see contact_point.h */
  const double *extra;        /* m, by body, on top of the margin; null: none */
  const collide_given *given; /* on top of what is found; ascending by a, then b */
  size_t given_count;
  const collide_part *part; /* null: all pairs are mine */
} collide_view;

typedef struct broad broad;

scree_status broad_create(scree_context *context, broad **out);
void broad_destroy(broad *b);
/* Brings the pairs up to date. */
scree_status broad_update(broad *b, const collide_view *view);
/* Partners of body i, all > i, ascending. */
const uint32_t *broad_partners(const broad *b, size_t i, size_t *count);
/* Brings into cache where these are. */
void broad_ask_for_row(const broad *b, size_t i);
/* Would every body that moves with these velocities for the step of `view` stay in the box that the
 * pairs were found with? Then pairs that are not in the list do not meet. */
bool broad_covers(const broad *b, const collide_view *view, const v3 *linear, const v3 *angular);
/* The list must be made anew at the next update. */
void broad_invalidate(broad *b);
/* Bodies came or went, and nothing else has changed: the next update looks which, by the view's
 * generations; pairs of those that went go, and those that came are strays. */
void broad_note_change(broad *b);
size_t broad_rebuild_count(const broad *b);

static inline pose view_shape_pose(const collide_view *view, size_t i) {
  const pose p = {view->position[i], view->rotation[i]};
  return view->place ? pose_mul(p, view->place[i]) : p;
}

/* The same answer on all ranks: a pair belongs to one of them. */
static inline bool view_is_mine(const collide_view *view, size_t i, size_t k) {
  const collide_part *p = view->part;
  if (!p) return true;
  if (view->kind[i]) return p->owner[k] == p->me;
  if (view->kind[k]) return p->owner[i] == p->me;
  if (p->large[i] != p->large[k]) return p->owner[p->large[i] ? k : i] == p->me;
  return p->owner[(i ^ k) & 1 ? i : k] == p->me;
}

/* fmin is a call; no operand here is NaN. */
static inline double view_less(double a, double b) {
  return a < b ? a : b;
}

/* The margin's part by diameter. */
static inline double view_margin(const collide_view *view, double scale) {
  const double margin = view_less(view->margin * scale, view->most);
  const double held = view->held + view->held_part * scale;
  return margin < held ? held : margin;
}

/* How far ahead of touch a pair's contacts are made, m. */
static inline double view_pair_margin(const collide_view *view, size_t i, size_t k) {
  const double scale = view_less(view->diameter[i], view->diameter[k]);
  double speed = v3_norm(v3_sub(view->linear[i], view->linear[k]));
  if (view->shape[i]->kind != SCREE_SHAPE_SPHERE && isfinite(view->radius[i]))
    speed += view->radius[i] * v3_norm(view->angular[i]);
  if (view->shape[k]->kind != SCREE_SHAPE_SPHERE && isfinite(view->radius[k]))
    speed += view->radius[k] * v3_norm(view->angular[k]);
  const double margin = view_margin(view, scale) + view->h * speed;
  return view->extra ? margin + view->extra[i] + view->extra[k] : margin;
}

/* Two bodies as a view of their own, the second one as its image that the first one meets: index 0
 * and 1. */
typedef struct view_pair {
  collide_view view;
  const shape *shape[2];
  v3 position[2], linear[2], angular[2];
  quat rotation[2];
  pose place[2];
  double radius[2], diameter[2], extra[2];
} view_pair;

static inline void view_take_pair(const collide_view *view, size_t i, size_t k, view_pair *out) {
  const periodic_image image = periodic_nearest(view->box, view->position[i], view->position[k]);
  const size_t body[2] = {i, k};
  for (int m = 0; m < 2; m++) {
    const size_t j = body[m];
    out->shape[m] = view->shape[j];
    out->position[m] = view->position[j];
    out->rotation[m] = view->rotation[j];
    out->linear[m] = view->linear[j];
    out->angular[m] = view->angular[j];
    out->radius[m] = view->radius[j];
    out->diameter[m] = view->diameter[j];
    if (view->place) out->place[m] = view->place[j];
    if (view->extra) out->extra[m] = view->extra[j];
  }
  out->position[1] = v3_add(out->position[1], image.shift);
  out->linear[1] = v3_add(out->linear[1], image.velocity);
  out->view = (collide_view){.count = 2,
                             .shape = out->shape,
                             .position = out->position,
                             .rotation = out->rotation,
                             .place = view->place ? out->place : NULL,
                             .linear = out->linear,
                             .angular = out->angular,
                             .radius = out->radius,
                             .diameter = out->diameter,
                             .h = view->h,
                             .margin = view->margin,
                             .most = view->most,
                             .held = view->held,
                             .held_part = view->held_part,
                             .whole = view->whole,
                             .extra = view->extra ? out->extra : NULL};
}

/* Do the balls about two bodies fly past each other, farther than their part of the diameter, in
 * the expected motion? A contact allows no approach along the normal of the start of the step, as
 * if bodies were as wide as the plane between them: it would stop two fast ones that never meet. */
static inline bool view_leads_past(const collide_view *view, v3 x, v3 v, double scale, double radii,
                                   double extra) {
  const double held = view->held + view->held_part * scale, margin = view->margin * scale;
  double clear = radii + (margin < held ? held : margin);
  if (view->extra) clear += extra;
  if (!(v3_norm2(x) > clear * clear)) return false;
  const double closing = -v3_dot(x, v);
  const double t = closing > 0.0 ? view_less(closing / v3_norm2(v), view->h) : 0.0;
  return v3_norm2(v3_add_scaled(x, t, v)) > clear * clear;
}

/* The same of two bodies. */
static inline bool view_passes(const collide_view *view, size_t i, size_t k) {
  return view_leads_past(
      view, v3_sub(view->position[k], view->position[i]), v3_sub(view->linear[k], view->linear[i]),
      view_less(view->diameter[i], view->diameter[k]), view->radius[i] + view->radius[k],
      view->extra ? view->extra[i] + view->extra[k] : 0.0);
}

#endif

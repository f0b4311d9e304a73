/* Joints at the end of the step.
 *
 * Held rows are linear in the velocities, D'v + psi/h = 0, and what the bodies' turns bend the way
 * leaves an error of second order, h^2 w^2 r / 2, that the next step takes back. Where a machine
 * has nothing else to solve for, psi(q + h v) = 0 itself is solved, by Newton steps with the
 * matrix at hand:
 *
 *   b <- b + psi(q + h v) / h        then the same problem once more, from the impulses found
 *
 * Forces stay along the rows of the step's start, so that N is the same and symmetric: that is the
 * rule of Verlet with constraints, which keeps the energy. */
#include <math.h>
#include <string.h>

#include "assemble/joints/joints.h"
#include "ccp/problem.h"

/* Smaller errors are ignored: as a part of the joint's size, and in rad. */
static const double small = 1e-8;

/* The twists that v_free and the impulses of joints give; contacts are left out. */
static scree_status find_ends(assembler *a, double h) {
  const scree_world *w = a->world;
  const ccp_bodies *bodies = &a->problem->bodies;
  if (memory_grow(a->context, &a->joints.end, w->bodies.limit, sizeof *a->joints.end) ||
      memory_grow(a->context, &a->joints.end_twist, w->bodies.limit, sizeof *a->joints.end_twist))
    return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < w->bodies.limit; i++)
    a->joints.end_twist[i] = (mean_twist){a->linear[i], a->angular[i]};
  const size_t first = a->problem->row_start[bodies->contact_count];
  for (size_t k = 0; k < bodies->generic_row_count; k++)
    for (size_t t = bodies->term_start[k]; t < bodies->term_start[k + 1]; t++) {
      const scree_ccp_term *term = &bodies->term[t];
      const scree_ccp_body_def *def = &bodies->body[term->body];
      mean_twist *v = &a->joints.end_twist[a->order.body[term->body]];
      const double g = a->g[first + k];
      if (def->inverse_mass == 0.0) continue;
      const v3 turn = sym3_mul_v3(def->inverse_inertia, v3_load(term->coefficient + 3));
      v->linear = v3_add_scaled(v->linear, g * def->inverse_mass, v3_load(term->coefficient));
      v->angular = v3_add_scaled(v->angular, g, turn);
    }
  for (size_t i = 0; i < w->bodies.limit; i++) {
    if (!w->bodies.alive[i]) continue;
    v3 angular = a->joints.end_twist[i].angular;
    a->joints.end[i] = world_pose_after(w, i, h, a->joints.end_twist[i].linear, &angular);
  }
  return SCREE_OK;
}

/* The joint with its angles where this step leads them, so that turns are counted right. */
static joint estimated(const assembler *a, const joint *j, double h) {
  joint next = *j;
  const joint_class *class = joint_class_of(j);
  const joint_view view = joint_view_of(a->world, j);
  for (int k = 0; k < class->angles; k++) {
    const joint_row row = joint_angle_row(&view, k);
    double speed = 0.0;
    for (int s = 0; s < JOINT_SIDES; s++)
      if (j->body[s] != WORLD_NO_BODY)
        speed += v3_dot(row.linear[s], a->joints.end_twist[j->body[s]].linear) +
                 v3_dot(row.angular[s], a->joints.end_twist[j->body[s]].angular);
    next.angle[k] = row.value + h * speed;
  }
  return next;
}

/* The joint at the end of the step; `next` is room for it. Of points and axes alone no angle is
 * counted. */
static joint_view look_at_end(const assembler *a, const joint *j, double h, joint *next) {
  const bool counts = joint_class_of(j)->bend == JOINT_BEND_OTHER;
  if (counts) *next = estimated(a, j, h);
  return joint_look_at(counts ? next : j, a->world, a->joints.end);
}

/* A length to compare errors with, m: of a wheel that hangs at its centre it is not 0, or rounding
 * would count as an error. */
static double size_of(const assembler *a, const joint_view *view) {
  double size = 0.0;
  for (int s = 0; s < 2; s++)
    if (view->data->body[s] != WORLD_NO_BODY)
      size = fmax(size, v3_norm(v3_sub(view->frame[s].position, view->center[s])));
  return joint_size(a, view->data, size);
}

/* Newton steps with the matrix of the start arrive where bodies turn little in a step; from 0.2 rad
 * on they are trusted less, from 0.5 on not at all. */
static const double fade_from = 0.2, fade_to = 0.5;

static double trust(const assembler *a, const joint *j, double h) {
  double most = 0.0;
  for (int s = 0; s < JOINT_SIDES; s++)
    if (j->body[s] != WORLD_NO_BODY)
      most = fmax(most, h * v3_norm(a->joints.end_twist[j->body[s]].angular));
  return fmin(fmax((fade_to - most) / (fade_to - fade_from), 0.0), 1.0);
}

static bool bend(assembler *a, const assembler_params *params, const joint_part *part) {
  const joint *j = &a->world->joint[part->joint];
  if (part->role != JOINT_PART_HELD || j->kind == SCREE_JOINT_BUSHING || j->compliance > 0.0)
    return false;
  const double part_taken = trust(a, j, params->h);
  if (part_taken == 0.0) return false;
  joint next;
  const joint_view end = look_at_end(a, j, params->h, &next);
  const joint_recovery most = part->recovery;
  joint_row rows[JOINT_ROWS];
  const int count = joint_held_rows(&end, rows);
  double slide = 0.0, turn = 0.0;
  for (int k = 0; k < count; k++) *(rows[k].turn ? &turn : &slide) += rows[k].value * rows[k].value;
  /* A joint that has come apart is brought together over several steps. */
  if (joint_recovered_part(slide, most.slide, most.chord_slide, params) < 1.0 ||
      joint_recovered_part(turn, most.turn, most.chord_turn, params) < 1.0 ||
      params->stabilisation < 1.0)
    return false;
  double *offset = a->problem->offset + a->problem->row_start[part->block];
  for (int k = 0; k < count; k++) offset[k] += part_taken * rows[k].value / params->h;
  return part_taken * sqrt(slide) > small * size_of(a, &end) || part_taken * sqrt(turn) > small;
}

scree_status assembler_bend_joints(assembler *a, const assembler_params *params, bool *again) {
  *again = false;
  if (a->joints.workless) return SCREE_OK; /* what it bends is for the next step */
  if (a->joints.count == 0 || find_ends(a, params->h))
    return a->joints.count ? SCREE_ERROR_MEMORY : SCREE_OK;
  for (size_t k = 0; k < a->joints.count; k++) *again |= bend(a, params, &a->joints.part[k]);
  return SCREE_OK;
}

/* ---- strain ---------------------------------------------------------------------------------- */

/* A jolt may leave bodies that turn so far in the step that their joints come apart: more than this
 * part of their size, and twice as much as they are. Steps like that are better made in parts.
 * Joints whose bodies turn less need no look. */
static const double fast = 0.1 /* rad */, strained = 0.02;

static bool is_strained(const assembler *a, const assembler_params *params, const joint *j) {
  joint next;
  const joint_view now = joint_view_of(a->world, j), end = look_at_end(a, j, params->h, &next);
  joint_row rows[JOINT_ROWS];
  double error[2] = {0.0, 0.0};
  for (int when = 0; when < 2; when++) {
    const int count = joint_held_rows(when ? &end : &now, rows);
    for (int k = 0; k < count; k++)
      if (!rows[k].turn) error[when] += rows[k].value * rows[k].value;
    error[when] = sqrt(error[when]);
  }
  return error[1] > strained * size_of(a, &end) && error[1] > 2.0 * error[0];
}

scree_status assembler_find_strain(assembler *a, const assembler_params *params,
                                   assembler_hit *hit) {
  const scree_world *w = a->world;
  if (!a->joints.count) return SCREE_OK;
  if (memory_grow(a->context, &a->joints.end, w->bodies.limit, sizeof *a->joints.end) ||
      memory_grow(a->context, &a->joints.end_twist, w->bodies.limit, sizeof *a->joints.end_twist))
    return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < a->joints.count; k++) {
    const joint *j = &w->joint[a->joints.part[k].joint];
    double turn = 0.0;
    if (a->joints.part[k].role != JOINT_PART_HELD || j->compliance > 0.0 ||
        j->kind == SCREE_JOINT_BUSHING)
      continue;
    for (int s = 0; s < JOINT_SIDES; s++)
      if (j->body[s] != WORLD_NO_BODY)
        turn = fmax(turn, params->h * v3_norm(a->angular[j->body[s]]));
    if (!(turn > fast)) continue;
    for (int s = 0; s < JOINT_SIDES; s++) {
      const uint32_t i = j->body[s];
      if (i == WORLD_NO_BODY) continue;
      a->joints.end_twist[i] = (mean_twist){a->linear[i], a->angular[i]};
      v3 angular = a->angular[i];
      a->joints.end[i] = world_pose_after(w, i, params->h, a->linear[i], &angular);
    }
    if (!is_strained(a, params, j)) continue;
    hit->pairs++;
    hit->turn = fmax(hit->turn, turn);
  }
  return SCREE_OK;
}

/* Bodies that have bounced within a step are moved apart where they would overlap at its end.
 *
 * A body that turned round on its way ends at x + s + h v, with the shift s of its impacts, of
 * which the cone problem of the step knew nothing: in a crowd the shift of one leads into others.
 * To push them out by velocities would be energy from nowhere, so places alone are moved: by the
 * shortest way to where no contact is deeper than it was, in the metric of the masses,
 *
 *   min 1/2 sum m |x|^2   with   gap_k + n_k.(x_b - x_a) >= least_k
 *   least = 0, or an overlap of the start, which goes by the stabilisation of the step,
 *
 * a contact problem without friction. Its multipliers y >= 0 (x = M^-1 D y) are kept and may fall
 * again: the shortest way is one for the whole crowd, and pushes that can only grow, row by row,
 * send a bed of ten layers up and into its own upper half. Sweeps over the contacts with the
 * directions of the nonlinear conjugate gradients (Silcowitz, Niebe and Erleben 2010): plain ones
 * carry a push by one layer each. Bodies that are pushed push others: the list grows from what was
 * hit. */
#include <string.h>

#include "assemble/assembler.h"
#include "ccp/problem.h"

/* A contact: its push (kg m), that of before the sweep, and the direction of both. */
typedef struct apart_row {
  double push, before, way;
} apart_row;

enum { MOST_SWEEPS = 500 };
static const double enough = 1e-6; /* of the diameter of the smallest body: nothing moves farther */

scree_status assembler_reserve_apart(assembler *a) {
  return memory_grow(a->context, &a->impacts.apart, a->memory.contact_count,
                     sizeof *a->impacts.apart);
}

static bool is_hit(const assembler *a, uint32_t rank) {
  return rank != SCREE_CCP_WORLD && a->impacts.body[rank].hit;
}

static double inverse_mass(const assembler *a, uint32_t rank) {
  return rank == SCREE_CCP_WORLD ? 0.0 : a->problem->bodies.body[rank].inverse_mass;
}

/* How far a point of a body moves in the step, m. */
static v3 way_of(const assembler *a, uint32_t rank, const double *arm) {
  if (rank == SCREE_CCP_WORLD) return v3_make(0, 0, 0);
  const impact_body *b = &a->impacts.body[rank];
  const uint32_t i = a->order.body[rank];
  return v3_add(v3_add_scaled(b->shift_linear, a->h, a->linear[i]),
                v3_cross(v3_add_scaled(b->shift_angular, a->h, a->angular[i]), v3_load(arm)));
}

static double end_gap(const assembler *a, size_t k) {
  const ccp_contact *c = &a->problem->bodies.contact[k];
  v3 way = v3_sub(way_of(a, c->body_b, c->arm_b), way_of(a, c->body_a, c->arm_a));
  if (periodic_moves(&a->world->box))
    way = v3_add_scaled(way, a->h, assembler_image(a, k).velocity);
  return (double)a->memory.gap[k] + v3_dot(v3_load(c->normal), way);
}

static void move(assembler *a, uint32_t rank, double way, const double *normal) {
  if (inverse_mass(a, rank) == 0.0) return;
  impact_body *b = &a->impacts.body[rank];
  b->shift_linear = v3_add_scaled(b->shift_linear, way, v3_load(normal));
  a->impacts.spread = a->impacts.spread || !b->hit;
  b->hit = true;
}

static void push(assembler *a, size_t k, double change) {
  const ccp_contact *c = &a->problem->bodies.contact[k];
  move(a, c->body_a, -change * inverse_mass(a, c->body_a), c->normal);
  move(a, c->body_b, change * inverse_mass(a, c->body_b), c->normal);
  a->impacts.apart[k].push += change;
}

static double weight_of(const assembler *a, size_t k) {
  const ccp_contact *c = &a->problem->bodies.contact[k];
  return inverse_mass(a, c->body_a) + inverse_mass(a, c->body_b);
}

/* Lists the contacts of bodies that were hit or moved, in the array of pairs that hit. */
static size_t list_contacts(assembler *a) {
  size_t count = 0;
  for (size_t k = 0; k < a->memory.contact_count; k++) {
    const ccp_contact *c = &a->problem->bodies.contact[k];
    if ((is_hit(a, c->body_a) || is_hit(a, c->body_b)) && weight_of(a, k) > 0.0)
      a->impacts.live[count++] = (uint32_t)k;
  }
  return count;
}

/* Each contact in its turn. Returns the sum of squares of the changes, kg m^2; *most: the largest
 * of them, m. */
static double sweep(assembler *a, size_t count, double *most) {
  double sum = 0.0;
  *most = 0.0;
  for (size_t m = 0; m < count; m++) {
    const size_t k = a->impacts.live[m];
    apart_row *r = &a->impacts.apart[k];
    const double weight = weight_of(a, k);
    const double least = a->impacts.given[k] ? 0.0 : fmin((double)a->memory.gap[k], 0.0);
    const double change = fmax(-r->push, (least - end_gap(a, k)) / weight);
    const double whole = r->push + change - r->before;
    if (change != 0.0) push(a, k, change);
    *most = fmax(*most, weight * fabs(change));
    sum += weight * whole * whole;
  }
  return sum;
}

void assembler_move_apart(assembler *a) {
  const double tolerance = enough * a->look.least_diameter;
  double last = 0.0, most;
  memset(a->impacts.apart, 0, a->memory.contact_count * sizeof *a->impacts.apart);
  size_t count = list_contacts(a);
  for (int k = 0; k < MOST_SWEEPS; k++) {
    a->impacts.spread = false;
    for (size_t m = 0; m < count; m++) {
      apart_row *r = &a->impacts.apart[a->impacts.live[m]];
      r->before = r->push;
    }
    const double sum = sweep(a, count, &most);
    if (a->impacts.spread)
      count = list_contacts(a);
    else if (most <= tolerance)
      break;
    if (k == MOST_SWEEPS - 1) break;
    const double part = last > 0.0 && sum <= last ? sum / last : 0.0;
    last = sum;
    for (size_t m = 0; m < count; m++) {
      const size_t c = a->impacts.live[m];
      apart_row *r = &a->impacts.apart[c];
      const double along = part * r->way, step = r->push - r->before;
      if (along != 0.0) push(a, c, along);
      r->way = along + step;
    }
  }
}

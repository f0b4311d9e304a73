/* See classify.h. */
#include "solve/auto/classify.h"

#include "ccp/sets/set.h"
#include "solve/auto/costs.h"

enum { few_moments = 200 }; /* blocks with moments: above, relaxed, ipm needs a third of the time */
static const double stack_price = 0.1; /* of Newton steps' cost, where sweeps are left */

bool auto_is_loose(const solve_run *run) {
  const scree_solve_settings *s = run->settings;
  return (s->tolerance_error <= 0.0 || s->tolerance_error > 1e-5) &&
         (s->tolerance_residual <= 0.0 || s->tolerance_residual > 1e-5);
}

/* A loose tolerance on a large problem. How many Newton steps a packing takes cannot be foreseen
 * (the active set may churn), so there they must wait. */
bool auto_is_coarse(const solve_run *run) {
  return run->op->block_count > AUTO_COARSE && auto_is_loose(run);
}

/* Many contacts of bodies with exact friction. */
bool auto_is_hard(const solve_run *run) {
  return run->model == SCREE_MODEL_COULOMB && run->op->form == SCREE_FORM_BODIES &&
         run->op->block_count > AUTO_SMALL;
}

/* Some bodies on top of each other, as planks of a tower: sweeps stop gaining where Newton steps
 * arrive in a dozen, at any tolerance. */
bool auto_is_small_stack(const solve_run *run) {
  return run->model == SCREE_MODEL_COULOMB && run->op->form == SCREE_FORM_BODIES &&
         run->op->block_count <= AUTO_SMALL && auto_is_stacked(run->op->problem);
}

/* Problems of bodies: gradient steps cost little more than sweeps, and easy packings need few of
 * them; exact ones of grains are swept with momentum. */
bool auto_is_gentle(const solve_run *run) {
  const scree_ccp *p = run->op->problem;
  if (run->op->form != SCREE_FORM_BODIES || p->bodies.contact_count == 0) return false;
  return run->model == SCREE_MODEL_RELAXED || auto_has_grains_alone(p);
}

bool auto_is_swept(const solve_run *run) {
  return run->op->form == SCREE_FORM_BODIES && !auto_is_stacked(run->op->problem);
}

/* Relaxed, with many moments: the active set of Newton steps churns there. */
bool auto_wants_interior(const solve_run *run) {
  return run->model == SCREE_MODEL_RELAXED && run->op->block_count > few_moments &&
         auto_moment_part(run->op, 0) > 0.5;
}

/* Sets with dilatancy, and a user's own, are swept: the other methods have no such law. */
bool auto_dilates(const solve_run *run) {
  const scree_ccp *p = run->op->problem;
  for (size_t s = 0; s < p->set_count; s++)
    if ((run->model == SCREE_MODEL_COULOMB && p->set[s].dilatancy > 0.0) ||
        p->set[s].kind == SCREE_SET_USER)
      return true;
  return false;
}

/* Sweeps that cost as much as the gradient steps that stand for one Newton step; with momentum
 * there is nothing to lose. */
static double gradient_sweeps(const solve_run *run) {
  return auto_is_swept(run) ? 1.0 : 8.0;
}

bool auto_should_leave(const solve_run *run, auto_ways way, double done, double left) {
  const auto_costs cost = auto_foresee(run->op);
  const double steps = 15.0 + 2.0 * auto_log10(run->merit);
  const bool newton = way.newton, gradient = way.gradient;
  if (gradient && left > gradient_sweeps(run) * steps) return true;
  if (!newton) return false;
  /* A loose tolerance waits until the sweeps have cost what a few tries of Newton steps would, and
   * so do large exact problems, whose steps fail where sweeps have not been. */
  const bool stack = auto_is_small_stack(run);
  if ((auto_is_coarse(run) && !stack) || auto_is_hard(run))
    return done * cost.sweep > 3.0 * steps * cost.newton && left > 0.1 * done;
  /* Rates slow down: what is foreseen is the least it can be. So sweeps that have cost twice what
   * the steps are foreseen to are left as well, unless they are about to end. Near the solution,
   * as warm starts are, steps are few. */
  const double near = set_smaller(15.0, 2.0 + 4.0 * auto_log10(run->merit)) - 15.0;
  const double price = (stack ? stack_price : 0.4) * (steps + near) * cost.newton;
  return left * cost.sweep >= price || (done * cost.sweep >= 2.0 * price && left > 0.1 * done);
}

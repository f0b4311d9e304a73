/* See classify.h. */
#include "solve/auto/classify.h"

#include "ccp/coupling.h"
#include "ccp/sets/set.h"
#include "solve/auto/constants.h"
#include "solve/auto/costs.h"
#include "solve/direct/direct.h"
#include "solve/elastic/condense.h"

const char *auto_class_text(auto_class class) {
#define AUTO_CLASS_TEXT(name, text) text,
  static const char *const texts[] = {AUTO_CLASS_LIST(AUTO_CLASS_TEXT)};
#undef AUTO_CLASS_TEXT
  return texts[class];
}

static bool is_loose(const scree_solve_settings *s) {
  return (s->tolerance_error <= 0.0 || s->tolerance_error > auto_loose_tolerance) &&
         (s->tolerance_residual <= 0.0 || s->tolerance_residual > auto_loose_tolerance);
}

static void note_sets(const scree_ccp *p, auto_facts *f) {
  for (size_t s = 0; s < p->set_count; s++) {
    f->opaque = f->opaque || set_role_of(&p->set[s]) == SET_OPAQUE;
    f->dilates = f->dilates || (!f->relaxed && set_has_flow(&p->set[s]));
  }
}

auto_facts auto_look(const solve_run *run) {
  const ccp_operator *op = run->op;
  const ccp_coupling coupling = ccp_couple(op->problem);
  auto_facts f = {.blocks = op->block_count,
                  .contacts = coupling.contacts,
                  .joined = coupling.contacts < op->block_count,
                  .relaxed = run->model == SCREE_MODEL_RELAXED,
                  .warm = run->settings->warm_start,
                  .loose = is_loose(run->settings),
                  .bodies = op->form == SCREE_FORM_BODIES,
                  .stacked = coupling.stacked,
                  .grains = coupling.contacts_alone && !coupling.stacked,
                  .elastic = condense_suits(op->problem),
                  .machine = direct_suits(op->problem),
                  .newton = (double)op->block_count <= run_option(run, "newton_blocks")};
  note_sets(op->problem, &f);
  f.little = f.blocks <= AUTO_COARSE || (!f.relaxed && f.blocks <= AUTO_SMALL && f.stacked);
  return f;
}

/* Many contacts of bodies with exact friction. */
static bool is_hard(const auto_facts *f) {
  return !f->relaxed && f->bodies && f->blocks > AUTO_SMALL;
}

auto_class auto_classify(const auto_facts *f) {
  if (f->opaque) return AUTO_OPAQUE;
  if (f->dilates) return AUTO_DILATANT;
  if (f->elastic) return AUTO_ELASTIC;
  if (f->machine) return AUTO_MACHINE;
  if (f->bodies && f->warm && (f->little || f->loose)) {
    if (f->little && f->blocks > AUTO_LEAST_GRAINS && f->loose && f->grains)
      return AUTO_STEP_FEW_GRAINS;
    if (f->little)
      return f->joined && f->blocks > AUTO_FEW_JOINED ? AUTO_STEP_JOINED : AUTO_STEP_SMALL;
    return f->stacked ? AUTO_STEP_STACK : AUTO_STEP_GRAINS;
  }
  if (f->relaxed && !f->newton) return AUTO_HUGE_RELAXED;
  if (!auto_is_gentle(f)) return AUTO_PLAIN;
  return is_hard(f) ? AUTO_HARD : AUTO_GENTLE;
}

auto_class auto_classify_stack(const auto_facts *f, double residual, bool fresh, bool rests) {
  if (residual > auto_impact) return AUTO_STEP_TUMBLING;
  if (f->relaxed) return rests ? AUTO_STEP_RESTING : AUTO_STEP_SWAYING;
  return fresh || residual < auto_stick ? AUTO_STEP_STICKING : AUTO_STEP_SLIDING;
}

bool auto_is_coarse(const auto_facts *f) {
  return f->blocks > AUTO_COARSE && f->loose;
}

/* Some bodies on top of each other, as planks of a tower: sweeps stop gaining where Newton steps
 * arrive in a dozen, at any tolerance. */
static bool is_small_stack(const auto_facts *f) {
  return !f->relaxed && f->bodies && f->blocks <= AUTO_SMALL && f->stacked;
}

bool auto_is_gentle(const auto_facts *f) {
  return f->bodies && f->contacts > 0 && (f->relaxed || f->grains);
}

bool auto_is_swept(const auto_facts *f) {
  return f->bodies && !f->stacked;
}

bool auto_wants_interior(const auto_facts *f, const ccp_operator *op) {
  return f->relaxed && f->blocks > AUTO_FEW_MOMENTS && auto_moment_part(op, 0) > auto_most_moments;
}

static double steps_of(double merit) {
  return auto_steps + auto_steps_decade * auto_log10(merit);
}

bool auto_should_leave(const solve_run *run, const auto_facts *f, auto_ways way, double done,
                       double left) {
  const auto_costs cost = auto_estimate(run->op);
  const double steps = steps_of(run->merit);
  const double gradient_sweeps = auto_is_swept(f) ? auto_glide_sweeps : auto_gradient_sweeps;
  if (way.gradient && left > gradient_sweeps * steps) return true;
  if (!way.newton) return false;
  const bool stack = is_small_stack(f);
  if ((auto_is_coarse(f) && !stack) || is_hard(f))
    return done * cost.sweep > auto_leave_hard * steps * cost.newton &&
           left > auto_leave_rest * done;
  const double near =
      set_smaller(auto_steps, auto_steps_near + auto_steps_near_decade * auto_log10(run->merit)) -
      auto_steps;
  const double price = (stack ? auto_leave_stack : auto_leave) * (steps + near) * cost.newton;
  return left * cost.sweep >= price ||
         (done * cost.sweep >= auto_leave_done * price && left > auto_leave_rest * done);
}

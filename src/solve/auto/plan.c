/* See plan.h. The measurements behind each row are in docs/measurements/0.2.md, the numbers in
 * constants.h.
 *
 * What begins without a warm start, or has a small tolerance, is swept first: nothing is cheaper,
 * and the rate of convergence says what the rest would cost. The steps of a simulation are another
 * matter: sweeps leave an error of long wavelength, small in any one contact, that a stack adds up
 * from step to step until it rocks; on a pyramid of 210 boxes a few sweeps first cost twenty times
 * the iterations in the end. */
#include "solve/auto/plan.h"

#define METHOD(m, b, ...)                                                                          \
  { .kind = AUTO_METHOD_RUN, .method = AUTO_##m, .budget = (b), __VA_ARGS__ }
#define ISLANDS(m, ...)                                                                            \
  { .kind = AUTO_ISLANDS, .method = AUTO_##m, __VA_ARGS__ }
#define STAGE(k)                                                                                   \
  { .kind = AUTO_##k }

static const auto_stage plans[AUTO_CLASS_COUNT][AUTO_STAGES] = {
    /* The other methods have no such sets. */
    [AUTO_OPAQUE] = {STAGE(SWEEP_ALL)},
    /* Nor these, but Newton steps have. */
    [AUTO_DILATANT] = {STAGE(SWEEP), STAGE(TURNS)},
    /* Elastic rows go into the mass, by one factorisation per step. */
    [AUTO_ELASTIC] = {METHOD(CONDENSE, AUTO_TO_THE_END, .reason = NULL)},
    /* One factorisation. Where rows contradict each other, the class without it goes on. */
    [AUTO_MACHINE] = {METHOD(DIRECT, AUTO_TO_THE_END, .reason = NULL)},

    /* A tenth of the time that Newton steps take. */
    [AUTO_STEP_FEW_GRAINS] = {METHOD(AGS, AUTO_AS_NEWTON,
                                     .reason = "ags: some grains, warm, at a loose tolerance"),
                              STAGE(TURNS)},
    /* Near the solution Newton steps are few, and go on to a thousandth of a loose tolerance. */
    [AUTO_STEP_SMALL] = {{.kind = AUTO_TURNS, .reason = "prox: a small problem of bodies, warm"}},
    /* Each machine is an island of its own, with a small factorisation. */
    [AUTO_STEP_JOINED] = {ISLANDS(PROX, .reason = "prox: a small problem of joined bodies, warm"),
                          STAGE(TURNS)},
    [AUTO_STEP_GRAINS] = {ISLANDS(AGS, .reason = "ags: a large problem of grains, warm, at a loose "
                                                 "tolerance"),
                          METHOD(AGS, AUTO_AS_NEWTON, .reason = NULL), STAGE(TURNS)},
    /* Never run: its start makes it one of the next five. */
    [AUTO_STEP_STACK] = {STAGE(END)},
    /* Bodies that tumble leave no small errors that a stack would add up. */
    [AUTO_STEP_TUMBLING] = {ISLANDS(AGS, .reason = "ags: a large problem of bodies that tumble, "
                                                   "warm, at a loose tolerance"),
                            METHOD(AGS, AUTO_AS_NEWTON, .reason = NULL), STAGE(TURNS)},
    [AUTO_STEP_RESTING] = {METHOD(APGD, AUTO_FOR_REST,
                                  .reason = "apgd: a large relaxed problem of stacked bodies, "
                                            "warm, at a loose tolerance"),
                           ISLANDS(AGS, .as_asked = true,
                                   .reason = "ags: a large problem of stacked bodies that slide, "
                                             "warm, at a loose tolerance"),
                           METHOD(AGS, AUTO_AS_NEWTON, .reason = NULL), STAGE(TURNS)},
    [AUTO_STEP_SWAYING] = {ISLANDS(APGD, .reason = "apgd: a large relaxed problem of stacked "
                                                   "bodies, warm, at a loose tolerance"),
                           METHOD(APGD, AUTO_AS_NEWTON, .reason = NULL), STAGE(TURNS)},
    /* Where nothing slides the two models have the same solutions: steps of the relaxed one, judged
     * by the exact law, end there. */
    [AUTO_STEP_STICKING] = {METHOD(APGD, AUTO_FOR_STICK,
                                   .reason = "apgd: a large stacked problem in which hardly "
                                             "anything slides, warm"),
                            ISLANDS(AGS, .as_asked = true,
                                    .reason = "ags: a large problem of stacked bodies that slide, "
                                              "warm, at a loose tolerance"),
                            METHOD(AGS, AUTO_AS_NEWTON, .reason = NULL), STAGE(TURNS)},
    [AUTO_STEP_SLIDING] = {ISLANDS(AGS, .as_asked = true,
                                   .reason = "ags: a large problem of stacked bodies that slide, "
                                             "warm, at a loose tolerance"),
                           METHOD(AGS, AUTO_AS_NEWTON, .reason = NULL), STAGE(TURNS)},

    [AUTO_HUGE_RELAXED] = {STAGE(SWEEP), METHOD(GLIDE, AUTO_TO_THE_END, .reason = NULL)},
    /* Newton steps fail where sweeps have not been. */
    [AUTO_HARD] = {STAGE(SWEEP), METHOD(GLIDE, AUTO_AS_REST, .reason = NULL), STAGE(SWEEP_AGAIN),
                   STAGE(TURNS)},
    /* Easy packings are ended by extrapolation, for what Newton steps would cost. */
    [AUTO_GENTLE] = {STAGE(SWEEP), METHOD(GLIDE, AUTO_AS_REST, .reason = NULL), STAGE(TURNS)},
    [AUTO_PLAIN] = {STAGE(SWEEP), STAGE(TURNS)},
};

const auto_stage *auto_plan(auto_class class) {
  return plans[class];
}

const char *auto_stage_text(const auto_stage *s) {
  static const char *const methods[] = {
      [AUTO_PROX] = "prox",   [AUTO_APGD] = "apgd",          [AUTO_AGS] = "ags",
      [AUTO_IPM] = "ipm",     [AUTO_DIRECT] = "direct",      [AUTO_CONDENSE] = "condense",
      [AUTO_LEMKE] = "lemke", [AUTO_GLIDE] = "extrapolation"};
  static const char *const kinds[] = {
      [AUTO_END] = "end",         [AUTO_SWEEP_ALL] = "sweeps to the end",
      [AUTO_SWEEP] = "sweeps",    [AUTO_SWEEP_AGAIN] = "sweeps again",
      [AUTO_ISLANDS] = "islands", [AUTO_TURNS] = "turns"};
  return s->kind == AUTO_METHOD_RUN ? methods[s->method] : kinds[s->kind];
}

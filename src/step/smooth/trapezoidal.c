/* The stepper `trapezoidal`: v+ = v + h/2 (a + a+), q+ = q exp(h/2 (v + v+)), on index 3. Order 2
 * and no damping at all: what the step cannot follow rings on, in multipliers above all. */
#include "step/smooth/linear_list.h"
#include "step/smooth/smooth.h"

static const scree_option_def options[] = {SMOOTH_OPTIONS_NEWTON};

static smooth_method method(const scree_stepper *st, double h) {
  (void)st;
  return (smooth_method){.order = 2,
                         .project = true,
                         .place0 = 0.25 * h * h,
                         .place1 = 0.25 * h * h,
                         .rate0 = 0.5 * h,
                         .rate1 = 0.5 * h,
                         .error = 0.25 - 1.0 / 6.0};
}

static scree_status step(scree_stepper *st, double h, scree_step_info *info) {
  return smooth_implicit(st, h, method, info);
}

const stepper_class stepper_trapezoidal = SMOOTH_CLASS(
    "trapezoidal", "smooth motion, implicit, order 2, no numerical damping", options, step);

/* The stepper `euler-implicit`: v+ = v + h a+, q+ = q exp(h v+), on index 3. Order 1, damps the
 * most. */
#include "step/smooth/linear_list.h"
#include "step/smooth/smooth.h"

static const scree_option_def options[] = {SMOOTH_OPTIONS_NEWTON};

static smooth_method method(const scree_stepper *st, double h) {
  (void)st;
  return (smooth_method){.order = 1, .place1 = h * h, .rate1 = h, .error = 0.5, .slip = 1.0};
}

static scree_status step(scree_stepper *st, double h, scree_step_info *info) {
  return smooth_implicit(st, h, method, info);
}

const stepper_class stepper_euler_implicit = SMOOTH_CLASS(
    "euler-implicit", "smooth motion, implicit, order 1, damps the most", options, step);

/* The stepper `newmark`: Newmark's family on index 3.
 *
 *   M a+ = (f + D lambda)+,  q+ = q exp(h v + h^2 ((1/2 - beta) a + beta a+)),
 *   v+ = v + h ((1 - gamma) a + gamma a+)
 *
 * Order 1 with damping for gamma > 1/2, order 2 without for gamma = 1/2; stable without bound on
 * the step for 2 beta >= gamma >= 1/2. */
#include "step/smooth/linear_list.h"
#include "step/smooth/smooth.h"

static const scree_option_def options[] = {
    {.key = "gamma",
     .type = SCREE_OPTION_REAL,
     .fallback = 0.6,
     .minimum = 0.5,
     .maximum = 1.0,
     .unit = "",
     .help = "1/2: no numerical damping and order 2"},
    {.key = "beta",
     .type = SCREE_OPTION_REAL,
     .fallback = 0.3025,
     .minimum = 0.25,
     .maximum = 1.0,
     .unit = "",
     .help = "(gamma + 1/2)^2 / 4 damps the most of what is fast"},
    SMOOTH_OPTIONS_NEWTON,
};

static smooth_method method(const scree_stepper *st, double h) {
  const double gamma = smooth_option(st, "gamma"), beta = smooth_option(st, "beta");
  return (smooth_method){.order = gamma == 0.5 ? 2 : 1,
                         .project = gamma == 0.5,
                         .place0 = h * h * (0.5 - beta),
                         .place1 = h * h * beta,
                         .rate0 = h * (1.0 - gamma),
                         .rate1 = h * gamma,
                         .error = beta - 1.0 / 6.0};
}

static scree_status step(scree_stepper *st, double h, scree_step_info *info) {
  return smooth_implicit(st, h, method, info);
}

const stepper_class stepper_newmark =
    SMOOTH_CLASS("newmark", "smooth motion, implicit, order 1 with damping (gamma > 1/2), else 2",
                 options, step);

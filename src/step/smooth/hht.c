/* The stepper `hht`: the method of Hilber, Hughes and Taylor on index 3, order 2, with damping of
 * what the step cannot follow.
 *
 *   M a+ = (f + D lambda)+,   b+ = (1 + alpha) a+ - alpha a         alpha in [-1/3, 0]
 *   q+ = q exp(h v + h^2 ((1/2 - beta) b + beta b+)),   v+ = v + h ((1 - gamma) b + gamma b+)
 *   gamma = 1/2 - alpha,  beta = (1 - alpha)^2 / 4
 *
 * Where M is constant this is the usual form, M b+ = (1 + alpha)(f + D lambda)+ - alpha (f + D
 * lambda). Of bodies that turn M changes, and the usual form has order 1 only: accelerations are
 * blended, not forces, so that the motion is in balance at the end of each step. Local error of the
 * places: (beta - 1/(6 (1 + alpha))) h^2 (a+ - a) (Negrut and others, 2007). */
#include "step/smooth/linear_list.h"
#include "step/smooth/smooth.h"

static const scree_option_def options[] = {
    {.key = "alpha",
     .type = SCREE_OPTION_REAL,
     .fallback = -0.2,
     .minimum = -1.0 / 3.0,
     .maximum = 0.0,
     .unit = "",
     .help = "0: no numerical damping (trapezoidal rule); -1/3: the most"},
    {.key = "form",
     .type = SCREE_OPTION_CHOICE,
     .choices = "acceleration|position",
     .unit = "",
     .help = "what Newton's method keeps and corrects: accelerations, or places; the same but for "
             "rounding, which the second divides by h^2"},
    SMOOTH_OPTIONS_NEWTON,
};

/* Less damping than this does not keep velocities across joints from ringing. */
static const double rings = -0.01;

static smooth_method method(const scree_stepper *st, double h) {
  const double alpha = smooth_option(st, "alpha"), gamma = 0.5 - alpha;
  const double beta = 0.25 * (1.0 - alpha) * (1.0 - alpha);
  return (smooth_method){.order = 2,
                         .blend = alpha,
                         .project = alpha > rings,
                         .places = smooth_option(st, "form") == 1.0,
                         .place0 = h * h * (0.5 - beta),
                         .place1 = h * h * beta,
                         .rate0 = h * (1.0 - gamma),
                         .rate1 = h * gamma,
                         .error = beta - 1.0 / (6.0 * (1.0 + alpha))};
}

static scree_status step(scree_stepper *st, double h, scree_step_info *info) {
  return smooth_implicit(st, h, method, info);
}

const stepper_class stepper_hht = SMOOTH_CLASS(
    "hht", "smooth motion, implicit, order 2, damps what is too fast; joints at places", options,
    step);

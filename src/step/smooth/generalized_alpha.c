/* The stepper `generalized-alpha`: the method of Chung and Hulbert on index 3, as Arnold and Brüls
 * (2007) state it, with accelerations a in balance and a blend b of their own,
 *
 *   M a+ = (f + D lambda)+,   (1 - am) b+ + am b = (1 - af) a+ + af a
 *   q+ = q exp(h v + h^2 ((1/2 - beta) b + beta b+)),   v+ = v + h ((1 - gamma) b + gamma b+)
 *   am = (2 rho - 1)/(rho + 1),  af = rho/(rho + 1),  gamma = 1/2 + af - am,
 *   beta = (gamma + 1/2)^2 / 4
 *
 * rho in [0, 1] is what is left of the fastest swings after a step; for one rho it damps the slow
 * ones less than `hht` does. b stands for the acceleration at t + (am - af) h, so that the local
 * error of the places is (beta - 1/6 + (am - af)/2) h^2 (b+ - b). */
#include "step/smooth/linear_list.h"
#include "step/smooth/smooth.h"

static const scree_option_def options[] = {
    {.key = "rho",
     .type = SCREE_OPTION_REAL,
     .fallback = 0.6,
     .minimum = 0.0,
     .maximum = 1.0,
     .unit = "",
     .help = "what is left of the fastest swings after a step; 1: no numerical damping"},
    SMOOTH_OPTIONS_NEWTON,
};

/* More than this left does not keep velocities across joints from ringing. */
static const double rings = 0.98;

static smooth_method method(const scree_stepper *st, double h) {
  const double rho = smooth_option(st, "rho");
  const double am = (2.0 * rho - 1.0) / (rho + 1.0), af = rho / (rho + 1.0);
  const double gamma = 0.5 + af - am, beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
  /* b+ = (1 + w) a+ - w a + s (a - b) */
  return (smooth_method){.order = 2,
                         .blend = (am - af) / (1.0 - am),
                         .spread = am / (1.0 - am),
                         .project = rho > rings,
                         .place0 = h * h * (0.5 - beta),
                         .place1 = h * h * beta,
                         .rate0 = h * (1.0 - gamma),
                         .rate1 = h * gamma,
                         .error = beta - 1.0 / 6.0 + 0.5 * (am - af)};
}

static scree_status step(scree_stepper *st, double h, scree_step_info *info) {
  return smooth_implicit(st, h, method, info);
}

const stepper_class stepper_generalized_alpha = SMOOTH_CLASS(
    "generalized-alpha",
    "smooth motion, implicit, order 2, damps what is too fast and little else; joints at places",
    options, step);

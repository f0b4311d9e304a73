/* Gradient projection and MINRES on the face (GPCG of Moré and Toraldo with MINRES), for
 * bounds, in the scaled variables of bounds.c: f = 1/2 z'Az + q'z, A = S N S, gradient a.
 *
 *   gradient phase: z = clamp(z - alpha a), alpha = |pg|^2/(pg'A pg) halved until
 *     f falls by 1e-4 of a'(change); ends when the active set stays or f falls by less than a
 *     quarter of the phase's best
 *   face phase: A_FF w = -a_F on the free rows F by MINRES, ended when f falls by less than a tenth
 *     of the phase's best; then z = clamp(z + alpha w), alpha = 1, 1/2, … by the same test
 *   binding set (active rows whose gradient points outward) = active set: stay on the face
 *
 * MINRES is run as conjugate residuals, whose iterates are the same while A_FF is positive
 * semidefinite; on a singular face it stops where A r = 0, at the least residual. */
#include <math.h>

#include "solve/existence/bounds.h"

static const scree_option_def gpminres_options[] = {
    {"gradient_steps", SCREE_OPTION_INT, 10, 1, 1000, NULL, "", "most steps of a gradient phase"},
    {"face_steps", SCREE_OPTION_INT, 200, 1, 100000, NULL, "", "most MINRES steps on a face"},
};

typedef struct gpminres {
  bounds b;
  double *z, *a, *w, *res, *p, *ar, *ap, *trial;
  long iteration, face_steps, gradient_steps;
  bool ended;
} gpminres;

static bool face_is_binding(const gpminres *s) {
  for (size_t i = 0; i < s->b.n; i++)
    if (!bounds_is_free(&s->b, i, s->z[i]) && bounds_projected(&s->b, i, s->z[i], s->a[i]) != 0.0)
      return false;
  return true;
}

/* z = clamp(z + alpha d), alpha halved until f falls enough; returns the fall of f, 0 when there is
 * none. *changed: the active set is another. */
static double projected_search(gpminres *s, double alpha, double sign, const double *d,
                               bool *changed) {
  ccp_operator *op = s->b.run->op;
  *changed = false;
  for (int trial = 0; trial < 40; trial++, alpha *= 0.5) {
    for (size_t i = 0; i < s->b.n; i++)
      s->trial[i] = bounds_clamp(&s->b, i, s->z[i] + sign * alpha * d[i]) - s->z[i];
    const double slope = op_dot(op, s->a, s->trial);
    if (!(slope < 0.0)) return 0.0;
    bounds_apply(&s->b, s->trial, s->ap);
    const double change = slope + 0.5 * op_dot(op, s->trial, s->ap);
    if (!(change <= 1e-4 * slope)) continue;
    for (size_t i = 0; i < s->b.n; i++) {
      const double next = bounds_clamp(&s->b, i, s->z[i] + sign * alpha * d[i]);
      *changed = *changed || bounds_is_free(&s->b, i, next) != bounds_is_free(&s->b, i, s->z[i]);
      s->z[i] = next;
    }
    op_combine(op, 1.0, s->a, 1.0, s->ap, s->a);
    return -change;
  }
  return 0.0;
}

static bool checked(gpminres *s) {
  s->iteration++;
  if (solve_due(s->b.run, s->iteration) && bounds_check(&s->b, s->iteration, s->z)) s->ended = true;
  return s->ended;
}

/* Returns the fall of f over the phase. */
static double gradient_phase(gpminres *s) {
  ccp_operator *op = s->b.run->op;
  double best = 0.0, total = 0.0;
  for (long k = 0; k < s->gradient_steps; k++) {
    for (size_t i = 0; i < s->b.n; i++) s->p[i] = bounds_projected(&s->b, i, s->z[i], s->a[i]);
    bounds_apply(&s->b, s->p, s->ap);
    const double size = op_dot(op, s->p, s->p), curvature = op_dot(op, s->p, s->ap);
    if (!(size > 0.0)) return total;
    bool changed;
    const double fall = projected_search(s, curvature > 1e-15 * size ? size / curvature : 1e3, -1.0,
                                         s->a, &changed);
    total += fall;
    if (checked(s) || !changed || fall <= 0.25 * best) return total;
    best = fmax(best, fall);
  }
  return total;
}

/* w: the MINRES approximation on the present face. */
static void face_solve(gpminres *s) {
  ccp_operator *op = s->b.run->op;
  const size_t n = s->b.n;
  const long limit = s->b.run->settings->iteration_limit;
  for (size_t i = 0; i < n; i++) {
    s->w[i] = 0.0;
    s->res[i] = bounds_is_free(&s->b, i, s->z[i]) ? -s->a[i] : 0.0;
    s->p[i] = s->res[i];
  }
  bounds_apply(&s->b, s->res, s->ar);
  for (size_t i = 0; i < n; i++) {
    if (!bounds_is_free(&s->b, i, s->z[i])) s->ar[i] = 0.0;
    s->ap[i] = s->ar[i];
  }
  const double start = op_norm(op, s->res);
  double energy = op_dot(op, s->res, s->ar), value = 0.0, best = 0.0;
  for (long k = 0; k < s->face_steps; k++) {
    const double length = op_dot(op, s->ap, s->ap);
    if (!(energy > 0.0) || !(length > 1e-30 * start * start)) return;
    const double alpha = energy / length;
    op_combine(op, 1.0, s->w, alpha, s->p, s->w);
    op_combine(op, 1.0, s->res, -alpha, s->ap, s->res);
    s->iteration++;
    if (limit > 0 && s->iteration >= limit) return;
    /* f(z + w) - f(z) = 1/2 w'Aw + a'w with A w = -a - res on the face. */
    const double now = 0.5 * (op_dot(op, s->w, s->a) - op_dot(op, s->w, s->res));
    const double fall = value - now;
    value = now;
    if (k > 2 && fall <= 0.1 * best) return;
    best = fmax(best, fall);
    if (op_norm(op, s->res) <= 1e-12 * start) return;
    bounds_apply(&s->b, s->res, s->ar);
    for (size_t i = 0; i < n; i++)
      if (!bounds_is_free(&s->b, i, s->z[i])) s->ar[i] = 0.0;
    const double next = op_dot(op, s->res, s->ar), beta = next / energy;
    energy = next;
    op_combine(op, 1.0, s->res, beta, s->p, s->p);
    op_combine(op, 1.0, s->ar, beta, s->ap, s->ap);
  }
}

static scree_status run_gpminres(solve_run *run) {
  double **v = run->vector + BOUNDS_VECTORS;
  gpminres s = {
      .z = v[0],
      .a = v[1],
      .w = v[2],
      .res = v[3],
      .p = v[4],
      .ar = v[5],
      .ap = v[6],
      .trial = v[7],
      .face_steps = (long)run_option(run, "face_steps"),
      .gradient_steps = (long)run_option(run, "gradient_steps"),
  };
  bounds_begin(run, &s.b, s.z);
  bounds_gradient(&s.b, s.z, s.a);
  int idle = 0;
  while (!s.ended) {
    double fall = gradient_phase(&s);
    for (bool stay = true; stay && !s.ended;) {
      face_solve(&s);
      bool changed;
      const double gain = projected_search(&s, 1.0, 1.0, s.w, &changed);
      fall += gain;
      bounds_gradient(&s.b, s.z, s.a);
      if (checked(&s)) break;
      stay = gain > 0.0 && face_is_binding(&s);
    }
    idle = fall > 0.0 ? 0 : idle + 1;
    if (s.ended || idle < 3) continue;
    if (!bounds_check(&s.b, s.iteration, s.z))
      solve_finish(run, SCREE_OUTCOME_STALLED, "steps are lost in rounding at iteration %ld",
                   s.iteration);
    break;
  }
  return SCREE_OK;
}

const solver_class solver_gpminres = {
    .name = "gpminres",
    .summary = "gradient projection with MINRES on the face, for problems without friction",
    .options = gpminres_options,
    .option_count = sizeof gpminres_options / sizeof gpminres_options[0],
    .coulomb = true,
    .vector_count = BOUNDS_VECTORS + 8,
    .refuse = bounds_refuse,
    .run = run_gpminres,
};

/* A set of admissible impulses of one's own: a magnet holds a ball with up to 3 N, in whatever
 * direction it is pulled. The set is {|g| <= 3 N h}, given by its projection; the solver does the
 * rest. Pulled with 2 N the ball stays; with 5 N it leaves with what is left, 2 N / 1 kg.
 *
 *   cc user_set.c $(pkg-config --cflags --libs scree) -lm && ./a.out */
#include <math.h>
#include <stdio.h>

#include <scree/scree.h>

static const double h = 0.01; /* s */

static void project(const scree_user_set *set, int dim, double *x) {
  const double most = *(const double *)set->data;
  double size = 0.0;
  for (int k = 0; k < dim; k++) size += x[k] * x[k];
  size = sqrt(size);
  for (int k = 0; size > most && k < dim; k++) x[k] *= most / size;
}

/* It is bounded: where it is not enough, it just slips. */
static double dual_violation(const scree_user_set *set, int dim, const double *u) {
  (void)set, (void)dim, (void)u;
  return 0.0;
}

/* The speed of a ball of 1 kg after a step in which it is pulled with this force. */
static int pull(scree_context *context, double force, double *speed) {
  double most = 3.0 * h, g[3] = {0}, u[3];
  const scree_user_set magnet = {
      .name = "magnet", .data = &most, .project = project, .dual_violation = dual_violation};
  const double direction[3] = {0.6, 0.0, 0.8};
  scree_ccp *problem;
  scree_solver *solver;
  scree_solve_info info;
  if (scree_ccp_create_bodies(context, &problem)) return 1;
  scree_ccp_body_def body = {.inverse_mass = 1.0};
  for (int k = 0; k < 3; k++) body.v_free[k] = h * force * direction[k];
  uint32_t ball;
  scree_ccp_add_body(problem, &body, &ball);
  scree_ccp_term term[3] = {{.body = ball, .coefficient = {1, 0, 0}},
                            {.body = ball, .coefficient = {0, 1, 0}},
                            {.body = ball, .coefficient = {0, 0, 1}}};
  scree_ccp_row_def row[3] = {{.term_count = 1, .terms = &term[0]},
                              {.term_count = 1, .terms = &term[1]},
                              {.term_count = 1, .terms = &term[2]}};
  const scree_set set = scree_set_user(3, &magnet);
  if (scree_ccp_add_block(problem, &set, row)) return 1;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.tolerance_error = 1e-12;
  if (scree_solver_create(context, "auto", &solver) ||
      scree_solver_solve(solver, problem, &settings, g, &info) ||
      scree_ccp_velocities(context, problem, g, u, NULL))
    return 1;
  *speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  printf("%g N: %s, held with %.3f N, leaves with %.4f m/s\n", force,
         scree_outcome_text(info.outcome), sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / h,
         *speed);
  scree_solver_destroy(solver);
  scree_ccp_destroy(problem);
  return 0;
}

int main(void) {
  scree_context *context = scree_context_create(NULL);
  double held = 1.0, torn = 0.0;
  if (!context || pull(context, 2.0, &held) || pull(context, 5.0, &torn)) return 1;
  scree_context_destroy(context);
  return held < 1e-9 && fabs(torn - 0.02) < 1e-9 ? 0 : 1;
}

/* What a user writes first; it knows nothing but the installed headers.
 *
 * A ball of 1 kg and radius 0.1 m comes to a floor, moving at (0.02, 0, -0.0981) m/s: one contact
 * with friction 0.5. It sticks, so that the contact point rests: the floor gives 0.0981 N s upwards
 * and, with the inertia 2/5 m r^2, the ball keeps 5/7 of its sliding speed and rolls. */
#include <math.h>
#include <scree/scree.h>
#include <stdio.h>

static int fail(const scree_context *context, const char *what) {
  fprintf(stderr, "%s: %s\n", what, scree_context_message(context));
  return 1;
}

static scree_status describe(scree_ccp *problem) {
  const double radius = 0.1, mass = 1.0, inverse_inertia = 1.0 / (0.4 * mass * radius * radius);
  const scree_ccp_body_def ball = {
      .inverse_mass = 1.0 / mass,
      .inverse_inertia = {inverse_inertia, 0, 0, inverse_inertia, 0, inverse_inertia},
      .v_free = {0.02, 0, -0.0981, 0, 0, 0},
  };
  uint32_t index;
  const scree_status status = scree_ccp_add_body(problem, &ball, &index);
  if (status) return status;
  scree_ccp_contact_def contact = scree_ccp_contact_def_default();
  contact.body_a = SCREE_CCP_WORLD;
  contact.body_b = index;
  contact.set = scree_set_coulomb(3, 0.5);
  contact.normal[2] = 1.0;
  contact.tangent[0] = 1.0;
  contact.arm_b[2] = -radius;
  return scree_ccp_add_contact(problem, &contact);
}

int main(void) {
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = NULL;
  scree_solver *solver = NULL;
  if (!context || scree_ccp_create_bodies(context, &problem) || describe(problem) ||
      scree_solver_create(context, "apgd", &solver))
    return fail(context, "setting up");

  scree_solve_settings settings = scree_solve_settings_default();
  settings.tolerance_error = 1e-10;
  settings.iteration_limit = 1000;
  double g[3] = {0}, v[6] = {0};
  scree_solve_info info;
  if (scree_solver_solve(solver, problem, &settings, g, &info) ||
      scree_ccp_velocities(context, problem, g, NULL, v))
    return fail(context, "solving");
  printf("scree %s: %s after %ld iterations, E = %.1e; impulse (%g, %g, %g) N s, speed %g m/s\n",
         scree_version(), scree_outcome_text(info.outcome), info.iterations, info.residual.error,
         g[0], g[1], g[2], v[0]);

  const int right = info.outcome == SCREE_OUTCOME_SOLVED && fabs(g[0] - 0.0981) < 1e-8 &&
                    fabs(v[0] - 0.02 * 5.0 / 7.0) < 1e-8 && fabs(v[2]) < 1e-8 &&
                    fabs(v[4] - v[0] / 0.1) < 1e-7;
  if (!right) fprintf(stderr, "that is not the closed form\n");
  scree_solver_destroy(solver);
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
  return right ? 0 : 1;
}

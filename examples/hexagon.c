/* A plate on six feet, at rest: two solutions of the friction problem whose average is none.
 *
 * Friction with polyhedral cones is a linear complementarity problem (Stewart and Trinkle, Anitescu
 * and Potra). Each foot has a normal impulse n, friction beta_1 … beta_8 along the corners t_k of
 * an octagon, and a multiplier lambda, the speed of sliding:
 *
 *   u_n              >= 0  complementary to n
 *   t_k'u + lambda   >= 0  complementary to beta_k
 *   mu n - sum beta  >= 0  complementary to lambda
 *
 * Feet 0, 2, 4 carry the plate, or feet 1, 3, 5. A foot that carries nothing may have lambda = 1,
 * as its cone is empty. Both solve the problem. Halfway between them every foot carries and every
 * lambda is 1/2: no solution, so the solutions are no convex set. In the convex relaxation,
 * u_n - mu lambda >= 0 takes the first line's place; there lambda = 0 everywhere, and the average
 * of solutions is a solution.
 *
 *   cc hexagon.c $(pkg-config --cflags --libs scree) -lm && ./a.out */
#include <math.h>
#include <stdio.h>

#include <scree/scree.h>

enum { FEET = 6, CORNERS = 8, ROWS = 3 * FEET };
static const double pi = 3.14159265358979324, mu = 0.4,
                    weight = 0.0981; /* N s in a step of 10 ms */

typedef struct foot {
  double normal, friction[CORNERS], lambda;
} foot;

static scree_status make_plate(scree_context *context, scree_ccp **problem) {
  const scree_ccp_body_def plate = {.inverse_mass = 1.0,
                                    .inverse_inertia = {4.0, 0.0, 0.0, 4.0, 0.0, 2.0},
                                    .v_free = {0.0, 0.0, -weight}};
  uint32_t body = 0;
  scree_status status = scree_ccp_create_bodies(context, problem);
  if (!status) status = scree_ccp_add_body(*problem, &plate, &body);
  for (int k = 0; k < FEET && !status; k++) {
    scree_ccp_contact_def c = scree_ccp_contact_def_default();
    c.body_b = body;
    c.set = scree_set_coulomb(3, mu);
    c.normal[2] = 1.0;
    c.arm_b[0] = cos(pi / 3.0 * k);
    c.arm_b[1] = sin(pi / 3.0 * k);
    status = scree_ccp_add_contact(*problem, &c);
  }
  return status;
}

static void impulses_of(const foot *feet, double *g) {
  for (int k = 0; k < FEET; k++) {
    g[3 * k] = feet[k].normal;
    g[3 * k + 1] = g[3 * k + 2] = 0.0;
    for (int c = 0; c < CORNERS; c++) {
      g[3 * k + 1] += feet[k].friction[c] * cos(2.0 * pi / CORNERS * c);
      g[3 * k + 2] += feet[k].friction[c] * sin(2.0 * pi / CORNERS * c);
    }
  }
}

/* The largest violation of the complementarity problem: |min(left, right)| over its lines. */
static double violation(scree_context *context, const scree_ccp *problem, bool relaxed,
                        const foot *feet) {
  double g[ROWS], u[ROWS], worst = 0.0;
  impulses_of(feet, g);
  if (scree_ccp_velocities(context, problem, g, u, NULL)) return INFINITY;
  for (int k = 0; k < FEET; k++) {
    const foot *f = &feet[k];
    double cone = mu * f->normal;
    const double normal = u[3 * k] - (relaxed ? mu * f->lambda : 0.0);
    worst = fmax(worst, fabs(fmin(normal, f->normal)));
    for (int c = 0; c < CORNERS; c++) {
      const double along =
          cos(2.0 * pi / CORNERS * c) * u[3 * k + 1] + sin(2.0 * pi / CORNERS * c) * u[3 * k + 2];
      worst = fmax(worst, fabs(fmin(along + f->lambda, f->friction[c])));
      cone -= f->friction[c];
    }
    worst = fmax(worst, fabs(fmin(cone, f->lambda)));
  }
  return worst;
}

/* The three feet that carry begin with `first`; the others have the multiplier lambda. */
static void stand_on_three(int first, double lambda, foot *feet) {
  for (int k = 0; k < FEET; k++) {
    const bool carries = k % 2 == first;
    feet[k] = (foot){.normal = carries ? weight / 3.0 : 0.0, .lambda = carries ? 0.0 : lambda};
  }
}

static void average(const foot *a, const foot *b, foot *out) {
  for (int k = 0; k < FEET; k++)
    out[k] = (foot){.normal = 0.5 * (a[k].normal + b[k].normal),
                    .lambda = 0.5 * (a[k].lambda + b[k].lambda)};
}

static bool compare(scree_context *context, const scree_ccp *problem, bool relaxed) {
  foot odd[FEET], even[FEET], half[FEET];
  stand_on_three(0, relaxed ? 0.0 : 1.0, even);
  stand_on_three(1, relaxed ? 0.0 : 1.0, odd);
  average(even, odd, half);
  const double a = violation(context, problem, relaxed, even);
  const double b = violation(context, problem, relaxed, odd);
  const double c = violation(context, problem, relaxed, half);
  printf("%-8s  feet 0 2 4: %.1e   feet 1 3 5: %.1e   average: %.1e\n",
         relaxed ? "relaxed" : "exact", a, b, c);
  const bool solves = c < 1e-12;
  return a < 1e-12 && b < 1e-12 && solves == relaxed;
}

/* What Lemke's method, and the solver that is the default, find. */
static bool solve(scree_context *context, const scree_ccp *problem, const char *name) {
  scree_solver *solver = NULL;
  scree_solve_info info = {0};
  scree_solve_settings settings = scree_solve_settings_default();
  double g[ROWS] = {0.0};
  scree_status status = scree_solver_create(context, name, &solver);
  if (!status) status = scree_solver_solve(solver, problem, &settings, g, &info);
  scree_solver_destroy(solver);
  printf("%-8s  %s, normals", name, scree_outcome_text(info.outcome));
  for (int k = 0; k < FEET; k++) printf(" %.4f", g[3 * k]);
  printf(" N s\n");
  return !status && info.outcome == SCREE_OUTCOME_SOLVED;
}

int main(void) {
  scree_context *context = scree_context_create(NULL);
  scree_ccp *problem = NULL;
  if (!context || make_plate(context, &problem)) {
    fprintf(stderr, "%s\n", context ? scree_context_message(context) : "out of memory");
    return 1;
  }
  printf("violation of the complementarity problem:\n");
  bool good = compare(context, problem, false);
  good = compare(context, problem, true) && good;
  good = solve(context, problem, "lemke") && good;
  good = solve(context, problem, "auto") && good;
  scree_ccp_destroy(problem);
  scree_context_destroy(context);
  return good ? 0 : 1;
}

/* Lemke's method on the problem with polygons for friction discs (polyhedral.h): the original LCP
 * of Stewart and Trinkle, Anitescu and Potra for exact Coulomb friction, and the relaxed one.
 *
 * Planar and frictionless problems are solved exactly. Discs are not polygons: the answer to the
 * LCP is exact, yet for the round cones it has an error of the polygons' size, and E and R say so:
 * the outcome is `stalled`, its detail says that the LCP itself was solved. `judge` polyhedral
 * calls that solved; E and R stay those of the round cones. With `turns` the corners are crowded
 * around the direction of the friction just found, closer with each turn; that takes R down to some
 * 1e-4 or 1e-5, until the corners are too close for the pivots.
 *
 * Iterations are pivots. Dense: memory n^2 and time about n^3, n = ten for a contact of 8 facets.
 * A ray of the relaxed problem is tried as a proof that there is no solution; of the exact one it
 * proves nothing, and other paths are tried. */
#include <math.h>

#include "base/memory.h"
#include "base/timer.h"
#include "ccp/forms/matrices.h"
#include "ccp/sets/set.h"
#include "math/lemke.h"
#include "solve/lcp/polyhedral.h"
#include "solve/solver.h"

static const scree_option_def lemke_options[] = {
    {"facets", SCREE_OPTION_INT, 8, 4, 64, NULL, "", "corners of the polygon of a friction disc"},
    {"turns", SCREE_OPTION_INT, 0, 0, 100, NULL, "",
     "further solves, with corners crowded around the friction found"},
    {"judge", SCREE_OPTION_CHOICE, 0, 0, 1, "round|polyhedral", "",
     "what solved means: the round cones' tolerance, or the exact solution of the LCP"},
};

enum { DEFAULT_FACETS = 8, LARGEST = 2000, LARGEST_ASKED = 8000, PATHS = 4 };
static const double exact = 1e-9; /* residual of an LCP that counts as solved */
static const double contradiction = 1e-6;

typedef struct lemke_state {
  polyhedral lcp;
  lemke_work work;
  double *z, *cover;
} lemke_state;

typedef struct watch {
  const solve_run *run;
  long before; /* pivots of earlier turns */
} watch;

static bool within_limits(void *user, long pivots) {
  const watch *w = user;
  const scree_solve_settings *s = w->run->settings;
  if (s->iteration_limit > 0 && w->before + pivots >= s->iteration_limit) return false;
  return !(s->time_limit > 0.0) || timer_now() - w->run->start_time < s->time_limit;
}

/* Covering vectors of other paths: fixed numbers from 0.5 to 1.5. */
static void fill_cover(double *cover, size_t n, int path) {
  uint32_t x = 2654435761u * (uint32_t)path;
  for (size_t k = 0; k < n; k++) {
    x = x * 1664525u + 1013904223u;
    cover[k] = path == 0 ? 1.0 : 0.5 + (double)(x >> 8) / 16777216.0;
  }
}

static scree_status solve_lcp(solve_run *run, lemke_state *s, long *pivots, lemke_result *result) {
  const size_t n = s->lcp.n;
  if (memory_grow(run->context, &s->z, n, sizeof *s->z) ||
      memory_grow(run->context, &s->cover, n, sizeof *s->cover))
    return SCREE_ERROR_MEMORY;
  const int paths = run->model == SCREE_MODEL_COULOMB ? PATHS : 1;
  for (int path = 0; path < paths; path++) {
    watch w = {run, *pivots};
    const lemke_problem problem = {.n = n,
                                   .m = s->lcp.m,
                                   .q = s->lcp.q,
                                   .cover = s->cover,
                                   .go_on = within_limits,
                                   .user = &w};
    fill_cover(s->cover, n, path);
    const scree_status status = lemke_solve(run->context, &s->work, &problem, s->z, result);
    if (status) return status;
    *pivots += result->pivots;
    if (result->end == LEMKE_SOLVED || result->end == LEMKE_STOPPED) return SCREE_OK;
  }
  return SCREE_OK;
}

/* What is said when there is no solution to show. */
static void finish_without(solve_run *run, lemke_state *s, const lemke_result *result,
                           long pivots) {
  if (solve_check(run, pivots, run->g, NULL)) return;
  if (result->end == LEMKE_RAY) {
    polyhedral_impulses(&s->lcp, run->op, s->z, true, run->vector[1]);
    if (solve_prove_infeasible(run, run->vector[1])) return;
    if (run->model == SCREE_MODEL_COULOMB)
      solve_finish(run, SCREE_OUTCOME_STALLED,
                   "Lemke's method ended on a ray on %d paths: no solution found; one may exist",
                   PATHS);
    else
      solve_finish(run, SCREE_OUTCOME_STALLED,
                   "Lemke's method ended on a ray: probably no solution");
  } else {
    solve_finish(run, SCREE_OUTCOME_STALLED, "Lemke's method lost its way to rounding");
  }
}

/* The largest |u| left on bilateral rows, over the reference speed: rows that depend on others are
 * not in the LCP and may contradict them. */
static double joint_error(solve_run *run) {
  const ccp_operator *op = run->op;
  double *u = run->vector[1], worst = 0.0;
  op_local_velocity(run->op, run->g, u);
  for (size_t i = 0; i < op->block_count; i++)
    for (size_t k = op->row_start[i]; k < op->row_start[i + 1]; k++)
      if (set_role_of(ccp_set(op->problem, i)) == SET_BILATERAL) worst = fmax(worst, fabs(u[k]));
  return worst / fmax(op->reference_speed, 1e-300);
}

static scree_status solve_turning(solve_run *run, lemke_state *s, int facets) {
  const long turns = (long)run_option(run, "turns");
  const bool polyhedral_counts = run_option(run, "judge") > 0.5;
  lemke_result result;
  long pivots = 0;
  for (long turn = 0;; turn++) {
    scree_status status = polyhedral_build(&s->lcp, run->op, run->model, facets);
    if (!status) status = solve_lcp(run, s, &pivots, &result);
    if (status) return status;
    if (result.end == LEMKE_STOPPED || (result.end != LEMKE_SOLVED && turn == 0)) {
      finish_without(run, s, &result, pivots);
      return SCREE_OK;
    }
    if (result.end != LEMKE_SOLVED) break;
    polyhedral_impulses(&s->lcp, run->op, s->z, false, run->g);
    op_project(run->op, run->g);
    if (solve_check(run, pivots > 0 ? pivots : 1, run->g, NULL)) return SCREE_OK;
    if (turn == turns || (polyhedral_counts && result.residual <= exact)) break;
    polyhedral_turn(&s->lcp, run->op, run->g);
    if (facets < 8) facets = 8; /* enough to crowd on one side and still surround the disc */
  }
  const double joints = joint_error(run);
  if (joints > contradiction) {
    solve_finish(run, SCREE_OUTCOME_STALLED,
                 "bilateral rows contradict each other: %.1e of the reference speed is left",
                 joints);
    return SCREE_OK;
  }
  const bool counts = polyhedral_counts && result.end == LEMKE_SOLVED && result.residual <= exact;
  solve_finish(run, counts ? SCREE_OUTCOME_SOLVED : SCREE_OUTCOME_STALLED,
               "polyhedral cones of %d facets: LCP solved to %.0e; E and R are those of the round "
               "cones",
               facets, result.residual);
  return SCREE_OK;
}

static scree_status run_lemke(solve_run *run) {
  const int facets = (int)run_option(run, "facets");
  const size_t n = polyhedral_size(run->op->problem, facets);
  if (n > LARGEST_ASKED)
    return context_fail(run->context, SCREE_ERROR_UNSUPPORTED,
                        "solver lemke: %zu complementarity rows with %d facets; at most %d", n,
                        facets, LARGEST_ASKED);
  if (!*run->state) *run->state = memory_new(run->context, 1, sizeof(lemke_state));
  lemke_state *s = *run->state;
  if (!s) return SCREE_ERROR_MEMORY;
  formed_matrix delassus = {.start = NULL};
  scree_status status = form_delassus(run->op, &delassus);
  if (!status) status = polyhedral_prepare(&s->lcp, run->op, &delassus.blocks);
  formed_matrix_clear(run->context, &delassus);
  return status ? status : solve_turning(run, s, facets);
}

static const char *refuse(const scree_ccp *problem, scree_model model) {
  (void)model;
  if (polyhedral_size(problem, DEFAULT_FACETS) > LARGEST || problem->row_count > LARGEST)
    return "it is dense: at most 2000 complementarity rows (200 contacts in space) and 2000 rows; "
           "take auto, ipm or prox";
  return NULL;
}

static void release(scree_context *context, void *state) {
  lemke_state *s = state;
  polyhedral_clear(context, &s->lcp);
  lemke_clear(context, &s->work);
  memory_free(context, s->z);
  memory_free(context, s->cover);
  memory_free(context, s);
}

const solver_class solver_lemke = {
    .name = "lemke",
    .summary = "Lemke's method on polyhedral friction cones; exact in the plane; small problems",
    .options = lemke_options,
    .option_count = sizeof lemke_options / sizeof lemke_options[0],
    .coulomb = true,
    .patient = true,
    .vector_count = 2,
    .refuse = refuse,
    .run = run_lemke,
    .release = release,
};

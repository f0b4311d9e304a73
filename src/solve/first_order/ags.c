/* Accelerated Gauss–Seidel: sweeps with exact blocks, and extrapolation between them.
 *
 *   next = sweep(y),   y = next + beta (next - g),   g = next
 *   beta as Nesterov's (apgd.c), or `greedy` 1
 *   restart (beta = 0) when (y - next)'(next - g)/eta > 0: the extrapolation runs against the sweep
 *
 * A sweep smooths short waves as no gradient step does, and leaves the long ones, which
 * extrapolation takes: half of apgd's iterations on packings and beds, and a tenth to a quarter of
 * the sweeps without extrapolation. y may leave the sets; each block of the next sweep is solved
 * within them. No rate is proved for sweeps in a fixed order, hence the guard: when the merit has
 * risen to ten times the best (a hundred with exact friction, where it goes up and down), back to
 * the best iterate, and beta is capped at 0.9, then at 0.5, then at 0: plain sweeps, which
 * converge. In the relaxed model of sets with caps the same when twice as many sweeps, and 500 at
 * least, have not made the best iterate better: there extrapolation may go round for ever. Without
 * caps long plateaus end by themselves.
 *
 * Exact Coulomb is no minimisation: with s = mu |u_T| exact in every block the sweep is a map that
 * is not symmetric, and full extrapolation turns against itself. Near the solution an error that a
 * sweep shrinks by 1 - a, turning it by b, dies out under extrapolation beta = 1 - d only if b < d
 * sqrt(a). The turning comes from s; where s follows its block's own by a part f of the way in a
 * sweep (operator_glide.h), all the b of waves with a > f^2 are at most of the size of f sqrt(a).
 * So f and d go together:
 *
 *   f = min(1, 2 (1 - beta)),   beta <= 0.9; 0.95 for spheres with a tight tolerance
 *
 * a restart sweeps with the exact law in each block, and s follows the slower the more
 * extrapolation there is. Where a long run of sweeps has not brought the distance |next - y| down,
 * the bound on beta changes to the next lower one, from 0.8 to 0.95. */
#include <math.h>

#include "ccp/operator_glide.h"
#include "solve/solver.h"

static const scree_option_def ags_options[] = {
    {"extrapolation", SCREE_OPTION_CHOICE, 0, 0, 1, "nesterov|greedy", "", "how beta is chosen"},
    {"beta_most", SCREE_OPTION_REAL, 1.0, 0.0, 1.0, NULL, "",
     "largest beta; with exact friction at most 0.95"},
    {"patience", SCREE_OPTION_INT, 0, 0, 1e9, NULL, "",
     "iterations after which it hands back to the solver that called it; 0: never"},
};

static const double follow_rate = 2.0;
enum { BOUNDS = 3 };
/* Most extrapolation; the next after one has stalled. */
static const double coulomb_beta[BOUNDS] = {0.95, 0.9, 0.8};
/* The first serves where the tolerance on R is below this (a gate pulled from below grains with mu
 * 0.3, R = 1e-3: 11 of 300 steps missed instead of 52), not beyond (`column-collapse`, R = 0.1: 80
 * iterations per step instead of 60). */
static const double coulomb_tight = 1e-2;
/* distance2 must fall to this part in coulomb_wait sweeps, else it stalls. */
static const double coulomb_gain = 0.5;
enum { coulomb_wait = 200 };
/* The best merit is better when it is below this part of the one before. */
static const double round_gain = 0.9;

typedef struct ags {
  solve_run *run;
  double theta, beta, beta_most;
  /* For exact friction: the index of the bound on beta; the iteration by which distance2 must have
   * fallen; its value before. */
  int bound;
  long sweeps, mark;
  double mark2, least2;
  /* For the guard: the merit that was last made better, and when. */
  double guarded;
  long guarded_at;
  bool capped; /* some set has a cap */
  bool greedy;
} ags;

/* The largest beta; for the exact model see the top of this file. */
static double most_beta(ags *s, double distance2) {
  if (s->run->model != SCREE_MODEL_COULOMB) return s->beta_most;
  s->least2 = fmin(s->least2, distance2);
  if (++s->sweeps >= s->mark) {
    if (s->least2 > coulomb_gain * s->mark2) s->bound = (s->bound + 1) % BOUNDS;
    s->mark = s->sweeps + coulomb_wait;
    s->mark2 = s->least2;
    s->least2 = INFINITY;
  }
  return fmin(s->beta_most, coulomb_beta[s->bound]);
}

static double iterate(ags *s) {
  const bool exact = s->run->model == SCREE_MODEL_COULOMB;
  const op_glide_params params = {.model = s->run->model,
                                  .beta = s->beta,
                                  .follow = exact ? fmin(1.0, follow_rate * (1.0 - s->beta)) : 0.0};
  const op_glide_sums sums = op_glide_sweep(s->run->op, &params, s->run->g);
  s->run->products++;
  const double theta2 = s->theta * s->theta;
  const double theta_next = 0.5 * (-theta2 + s->theta * sqrt(theta2 + 4.0));
  double beta = s->greedy ? 1.0 : s->theta * (1.0 - s->theta) / (theta2 + theta_next);
  s->theta = theta_next;
  if (sums.uphill > 0.0) {
    beta = 0.0;
    s->theta = 1.0;
  }
  s->beta = fmin(beta, most_beta(s, sums.distance2));
  return sums.change;
}

/* Sweeps have begun at run->g. */
static scree_status begin(ags *s) {
  s->theta = 1.0;
  s->beta = 0.0;
  return op_glide_begin(s->run->op, s->run->g);
}

/* Puts the best iterate in run->g and leaves it in rows of its own. */
static void go_back(solve_run *run) {
  solve_end_sweeps(run);
  if (run->best_place == BEST_IN_ROWS)
    op_copy(run->op, run->best, run->g);
  else
    op_copy(run->op, run->g, run->best);
  run->best_place = BEST_IN_ROWS;
}

static bool has_caps(const scree_ccp *p) {
  for (size_t k = 0; k < p->set_count; k++)
    if (p->set[k].cap < INFINITY) return true;
  return false;
}

/* Relaxed, with caps: does the best iterate stay the best for too long? */
static bool goes_round(ags *s, long iteration) {
  if (!s->capped || s->run->model == SCREE_MODEL_COULOMB) return false;
  const bool better = s->run->best_merit < round_gain * s->guarded;
  const bool late = iteration - s->guarded_at >= (s->guarded_at > 500 ? s->guarded_at : 500);
  if (!better && !late) return false;
  s->guarded = s->run->best_merit;
  s->guarded_at = iteration;
  return !better;
}

/* See the comment at the head of this file. */
static scree_status guard(ags *s, long iteration) {
  solve_run *run = s->run;
  const double far = run->model == SCREE_MODEL_COULOMB ? 100.0 : 10.0;
  const bool round = goes_round(s, iteration);
  if ((!round && !(run->merit > far * run->best_merit)) || s->beta_most == 0.0) return SCREE_OK;
  s->beta_most = s->beta_most > 0.9 ? 0.9 : s->beta_most > 0.5 ? 0.5 : 0.0;
  go_back(run);
  op_sweep_begin(run->op, run->g);
  return begin(s);
}

static int first_bound(const solve_run *run) {
  const bool spheres = 2 * run->op->head_count > run->op->block_count;
  return spheres && scree_solve_asked_residual(run->settings) < coulomb_tight ? 0 : 1;
}

static scree_status run_ags(solve_run *run) {
  ags s = {.run = run,
           .bound = first_bound(run),
           .beta_most = run_option(run, "beta_most"),
           .mark = coulomb_wait,
           .mark2 = INFINITY,
           .least2 = INFINITY,
           .guarded = INFINITY,
           .capped = has_caps(run->op->problem),
           .greedy = run_option(run, "extrapolation") > 0.5};
  const long patience = (long)run_option(run, "patience");
  bool ended = solve_begin_sweeps(run);
  scree_status status = ended ? SCREE_OK : begin(&s);
  for (long iteration = 1; !status && !ended; iteration++) {
    if (patience > 0 && iteration > patience) {
      go_back(run);
      break;
    }
    const double change = iterate(&s);
    if (!solve_due_hint(run, iteration, change)) continue;
    ended = solve_check_inside(run, iteration);
    if (!ended) status = guard(&s, iteration);
  }
  solve_end_sweeps(run);
  return status;
}

const solver_class solver_ags = {
    .name = "ags",
    .summary = "accelerated Gauss-Seidel: sweeps with extrapolation",
    .options = ags_options,
    .option_count = sizeof ags_options / sizeof ags_options[0],
    .coulomb = true,
    .spreads = true,
    .judges_start = true,
    .vector_count = 1,
    .run = run_ags,
};

/* Accelerated Gauss–Seidel: sweeps with exact blocks, and momentum between them.
 *
 *   next = sweep(y),   y = next + beta (next - g),   g = next
 *   beta as Nesterov's (apgd.c), or `greedy` 1
 *   restart (beta = 0) when (y - next)'(next - g)/eta > 0: the momentum runs against the sweep
 *
 * A sweep smooths short waves as no gradient step does, and leaves the long ones, which momentum
 * takes: half of apgd's iterations on packings and beds, and a tenth to a quarter of the sweeps
 * without momentum. y may leave the sets; each block of the next sweep is solved within them. No
 * rate is proved for sweeps in a fixed order, hence the guard: when the merit has risen to ten
 * times the best, back to the best iterate, and beta is capped at 0.9, then at 0.5, then at 0:
 * plain sweeps, which converge.
 *
 * Exact Coulomb is no minimisation, and high friction turns momentum against itself. There
 * |next - y| tells: beta is 0.8 at most; a sweep that goes a fifth further (in its square) than the
 * one before restarts; twice as far as the shortest halves the cap, which grows back by 2% with
 * each new shortest. */
#include <math.h>

#include "ccp/operator_glide.h"
#include "solve/solver.h"

static const scree_option_def ags_options[] = {
    {"momentum", SCREE_OPTION_CHOICE, 0, 0, 1, "nesterov|greedy", "", "how beta is chosen"},
    {"beta_most", SCREE_OPTION_REAL, 1.0, 0.0, 1.0, NULL, "",
     "largest beta; with exact friction at most 0.8"},
    {"patience", SCREE_OPTION_INT, 0, 0, 1e9, NULL, "",
     "iterations after which it hands back to the solver that called it; 0: never"},
};

static const double coulomb_beta = 0.8, coulomb_growth = 1.2, coulomb_far = 2.0;
static const double coulomb_cut = 0.5, coulomb_regain = 1.02;

typedef struct ags {
  solve_run *run;
  double theta, beta, beta_most, beta_limit;
  double last2, least2; /* distance2 of the sweep before, and the shortest */
  bool greedy;
} ags;

/* Exact friction: does the distance ask for a restart? */
static bool runs_away(ags *s, double distance2) {
  const bool grown = distance2 > coulomb_growth * s->last2;
  s->last2 = distance2;
  if (distance2 < s->least2) {
    s->least2 = distance2;
    s->beta_most = fmin(s->beta_limit, coulomb_regain * s->beta_most);
  } else if (distance2 > coulomb_far * s->least2) {
    s->least2 = distance2;
    s->beta_most *= coulomb_cut;
  }
  return grown;
}

static double iterate(ags *s) {
  const op_glide_sums sums = op_glide_sweep(s->run->op, s->run->model, s->beta, s->run->g);
  s->run->products++;
  const double theta2 = s->theta * s->theta;
  const double theta_next = 0.5 * (-theta2 + s->theta * sqrt(theta2 + 4.0));
  double beta = s->greedy ? 1.0 : s->theta * (1.0 - s->theta) / (theta2 + theta_next);
  s->theta = theta_next;
  const bool away = s->run->model == SCREE_MODEL_COULOMB && runs_away(s, sums.distance2);
  if (away || sums.uphill > 0.0) {
    beta = 0.0;
    s->theta = 1.0;
  }
  s->beta = fmin(beta, s->beta_most);
  return sums.change;
}

/* Sweeps have begun at run->g. */
static scree_status begin(ags *s) {
  s->theta = 1.0;
  s->beta = 0.0;
  s->last2 = s->least2 = INFINITY;
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

/* See the head. */
static scree_status guard(ags *s) {
  solve_run *run = s->run;
  if (!(run->merit > 10.0 * run->best_merit)) return SCREE_OK;
  s->beta_most = s->beta_most > 0.9 ? 0.9 : s->beta_most > 0.5 ? 0.5 : 0.0;
  s->beta_limit = s->beta_most;
  go_back(run);
  op_sweep_begin(run->op, run->g);
  return begin(s);
}

static scree_status run_ags(solve_run *run) {
  ags s = {.run = run,
           .beta_most = run_option(run, "beta_most"),
           .greedy = run_option(run, "momentum") > 0.5};
  if (run->model == SCREE_MODEL_COULOMB) s.beta_most = fmin(s.beta_most, coulomb_beta);
  s.beta_limit = s.beta_most;
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
    if (!ended) status = guard(&s);
  }
  solve_end_sweeps(run);
  return status;
}

const solver_class solver_ags = {
    .name = "ags",
    .summary = "accelerated Gauss-Seidel: sweeps with momentum",
    .options = ags_options,
    .option_count = sizeof ags_options / sizeof ags_options[0],
    .coulomb = true,
    .judges_start = true,
    .vector_count = 1,
    .run = run_ags,
};

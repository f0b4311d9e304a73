/* Proximal point loop around an active-set Newton method, after a short warm-up by
 * Gauss–Seidel sweeps with exact block solves.
 *
 *   outer: find g of  N g + r + a D (g - g_k)  with the sets, roughly; g_{k+1} = g; a decreases
 *   inner: full Newton steps on the active set (active_set.h), no line search
 *
 * Exact Coulomb problems have no potential: steps are judged by the residual of the proximal
 * problem against the true one. A failed inner loop keeps its best iterate, or the centre, and
 * raises a; the weight that failed is remembered, so that a settles just above it instead of
 * bouncing off it.
 *
 * When the active set churns (chains with soft modes, at high friction), the loop starts again from
 * elsewhere: from ADMM iterates, then from the solution of the relaxed problem, in turn. */
#include <math.h>

#include "base/memory.h"
#include "ccp/forms/matrices.h"
#include "solve/first_order/admm.h"
#include "solve/newton/active_set.h"
#include "solve/newton/prox_dilate.h"
#include "solve/newton/prox_local.h"
#include "solve/newton/prox_path.h"
#include "solve/solver.h"

static const scree_option_def prox_options[] = {
    {"warmup", SCREE_OPTION_INT, 20, 0, 1e6, NULL, "", "sweeps before the first Newton step"},
    {"prox", SCREE_OPTION_REAL, 1e-3, 1e-12, 1e3, NULL, "", "first proximal weight a"},
    {"decrease", SCREE_OPTION_REAL, 0.1, 1e-3, 0.9, NULL, "", "factor on a after a success"},
    {"floor", SCREE_OPTION_REAL, 1e-8, 0.0, 1.0, NULL, "", "smallest a"},
    {"inner", SCREE_OPTION_INT, 10, 1, 1000, NULL, "", "Newton steps for one a"},
    {"failures", SCREE_OPTION_INT, 4, 0, 1e6, NULL, "",
     "failures of the inner loop before it starts from elsewhere"},
    {"starts", SCREE_OPTION_INT, 6, 0, 100, NULL, "", "starts from elsewhere"},
    {"local", SCREE_OPTION_INT, 3000, 0, 1e9, NULL, "",
     "Newton steps with weights of each block's own, when the failures are spent"},
    {"local_prox", SCREE_OPTION_REAL, 1e-3, 1e-6, 0.1, NULL, "", "first of those weights"},
    {"local_sweeps", SCREE_OPTION_REAL, 0, 0, 1e6, NULL, "",
     "sweeps that cost as much as a Newton step; 0: as is usual for the form of the problem"},
    {"path", SCREE_OPTION_INT, 250, 0, 1e9, NULL, "",
     "steps on the path of falling weights without halving the best residual"},
    {"path_from", SCREE_OPTION_REAL, 60.0, 0, 1e9, NULL, "",
     "R from which that is tried, times the number of blocks; at most 0.05"},
    {"dilate", SCREE_OPTION_INT, 0, 0, 1e9, NULL, "",
     "most steps from the relaxed solution along falling dilatancy, before all others"},
    {"dilate_prox", SCREE_OPTION_REAL, 1e-2, 1e-8, 1.0, NULL, "", "proximal weight of these"},
    {"patience", SCREE_OPTION_INT, 0, 0, 1e9, NULL, "",
     "Newton steps without halving the best residual before it hands back; 0: no limit"},
};

static const double largest_weight = 1e6;
/* Problems of up to so many blocks try other starts before each block gets a weight of its own. */
enum { small = 600 };

/* Kept from one solve to the next. */
typedef struct prox_state {
  active_set *set;
  admm_work *admm;
  prox_local *local;
  prox_path *path;
  double *weight; /* of each block: the proximal weight a */
} prox_state;

/* How one stage of the loop is driven. */
typedef struct stage {
  scree_model model;
  double decrease;    /* factor of the weight a after a success */
  long most_steps;    /* most Newton steps with one weight a */
  long most_without;  /* most of these without a new best iterate */
  long failure_limit; /* failures after which the stage is given up */
  double target;      /* R at which a preparing stage is done; 0: the run's own tolerances */
  long step_limit;    /* Newton steps in a preparing stage */
} stage;

typedef struct prox {
  solve_run *run;
  ccp_operator *op;
  prox_state *state;
  formed_matrix formed;
  const sparse_blocks *n; /* null: not formed, as the active set does without */
  stage stage;
  double *u, *next, *centre, *prox_u, *scratch, *kept;
  double centre_residual, kept_residual;
  double a, next_decrease, failed_a;
  long iteration, stage_end;
  double mark_merit; /* patience: the best merit at an earlier iteration */
  long mark_iteration;
  bool gave_up;
  double path_residual; /* the best R when the path was last tried */
} prox;

/* Sweeps while they pay: go on only while E falls by more than 6.7 in ten sweeps. True: ended. */
static bool warm_up(prox *p) {
  const long most = (long)run_option(p->run, "warmup");
  if (most == 0) return false;
  const op_sweep_params params = {
      .metric = OP_METRIC_EXACT, .model = p->run->model, .omega = 1.0, .lambda = 1.0};
  double reference = INFINITY;
  op_sweep_begin(p->op, p->run->g);
  for (long sweep = 1;; sweep++) {
    op_sweep(p->op, &params, p->run->g);
    p->run->products++;
    p->iteration++;
    const bool early = sweep <= 10 && sweep % 2 == 0;
    if (!early && sweep % 10 != 0) continue;
    if (solve_check(p->run, p->iteration, p->run->g, NULL)) return true;
    if (sweep % 10 != 0) continue;
    const double error = p->run->best_residual.error;
    if (sweep >= most && !(error < reference / 6.7)) return false;
    reference = error;
  }
}

/* u_prox = u + a D (g - centre) */
static void prox_velocity(const prox *p, const double *g, const double *u, double *out) {
  const ccp_operator *op = p->op;
  for (size_t i = 0; i < op->block_count; i++) {
    const int forces = op_force_rows(op, i);
    const size_t row = op->row_start[i];
    for (int k = 0; k < ccp_dim(op->problem, i); k++) {
      const double eta = k < forces ? op->eta_force[i] : op->eta_moment[i];
      const size_t at = row + (size_t)k;
      out[at] = u[at] + (eta > 0.0 ? p->state->weight[i] / eta * (g[at] - p->centre[at]) : 0.0);
    }
  }
}

typedef enum inner_result { INNER_SUCCESS, INNER_FAILURE, INNER_ENDED } inner_result;

static bool out_of_patience(prox *p) {
  const long patience = (long)run_option(p->run, "patience");
  if (p->run->best_merit < 0.5 * p->mark_merit) {
    p->mark_merit = p->run->best_merit;
    p->mark_iteration = p->iteration;
  }
  p->gave_up = patience > 0 && p->iteration - p->mark_iteration >= patience;
  return p->gave_up;
}

/* Judges the iterate at hand; true when the stage or the run is over. */
static bool judge(prox *p, scree_residual *truth) {
  solve_run *run = p->run;
  run->products++;
  p->iteration++;
  op_residual_contacts(p->op, p->stage.model, run->g, p->u, p->scratch, truth);
  if (!isfinite(truth->scaled)) return false; /* a wild step is the inner loop's to undo */
  if (p->stage.target <= 0.0)
    return solve_check_judged(run, p->iteration, run->g, truth) || out_of_patience(p);
  return truth->scaled <= p->stage.target || p->iteration >= p->stage_end || solve_is_over(run);
}

/* Newton steps at the present a, from the centre in run->g. */
static scree_status inner(prox *p, inner_result *result, long *steps) {
  ccp_operator *op = p->op;
  double *g = p->run->g, best = INFINITY;
  scree_residual truth, proximal;
  long without = 0;
  op_local_velocity(op, g, p->u);
  op_copy(op, p->u, p->prox_u);
  op_residual_contacts(op, p->stage.model, g, p->u, p->scratch, &truth);
  p->centre_residual = p->kept_residual = truth.scaled;
  *result = INNER_FAILURE;
  for (size_t i = 0; i < op->block_count; i++)
    p->state->weight[i] = active_set_drops(p->state->set, i) ? 0.0 : p->a;
  for (*steps = 1; *steps <= p->stage.most_steps; ++*steps) {
    const scree_status status = active_set_step(p->state->set, op, p->n, p->stage.model,
                                                p->state->weight, p->centre, g, p->prox_u, p->next);
    if (status) return status;
    if (!isfinite(op_max_abs(op, p->next))) return SCREE_OK; /* a singular step is a failed one */
    op_copy(op, p->next, g);
    op_local_velocity(op, g, p->u);
    if (judge(p, &truth)) {
      *result = INNER_ENDED;
      return SCREE_OK;
    }
    prox_velocity(p, g, p->u, p->prox_u);
    op_residual_contacts(op, p->stage.model, g, p->prox_u, p->scratch, &proximal);
    if (!isfinite(truth.scaled) || !isfinite(proximal.scaled)) return SCREE_OK;
    if (truth.scaled < p->kept_residual) {
      p->kept_residual = truth.scaled;
      op_copy(op, g, p->kept);
    }
    if (proximal.scaled <= 0.5 * truth.scaled || proximal.error <= 0.1 * truth.error) {
      *result = INNER_SUCCESS;
      return SCREE_OK;
    }
    if (proximal.scaled < best) {
      best = proximal.scaled;
      without = 0;
    } else if (++without >= p->stage.most_without) {
      return SCREE_OK;
    }
  }
  return SCREE_OK;
}

static void after_success(prox *p, long steps) {
  if (steps > 5) return;
  const double above_failed = sqrt(p->a * p->failed_a);
  double a = p->a * p->next_decrease;
  if (above_failed < p->a) a = fmax(a, above_failed);
  p->a = fmax(a, run_option(p->run, "floor"));
  p->failed_a *= 0.7;
  p->next_decrease = p->stage.decrease;
}

static void after_failure(prox *p) {
  const bool gained = p->kept_residual < 0.9 * p->centre_residual;
  op_copy(p->op, gained ? p->kept : p->centre, p->run->g);
  p->failed_a = p->a;
  p->a *= 3.0;
  p->next_decrease = sqrt(p->stage.decrease);
}

/* One stage, from run->g. Returns with run->ended, or at its target, or given up. */
static scree_status run_stage(prox *p, const stage *s) {
  p->stage = *s;
  p->a = run_option(p->run, "prox");
  p->next_decrease = s->decrease;
  p->failed_a = 0.0;
  p->stage_end = p->iteration + s->step_limit;
  for (long failures = 0; failures <= s->failure_limit && p->a < largest_weight;) {
    inner_result result;
    long steps = 0;
    op_copy(p->op, p->run->g, p->centre);
    const scree_status status = inner(p, &result, &steps);
    if (status || result == INNER_ENDED) return status;
    if (result == INNER_SUCCESS) {
      after_success(p, steps);
    } else {
      after_failure(p);
      failures++;
    }
  }
  return SCREE_OK;
}

/* Forms N, for steps without eliminated joints. */
static scree_status form(prox *p) {
  if (p->n) return SCREE_OK;
  const scree_status status = form_delassus(p->op, &p->formed);
  if (!status) p->n = &p->formed.blocks;
  return status;
}

/* No block is dropped from now on. */
static scree_status take_joints_back(prox *p) {
  const bool joins = !p->n;
  scree_status status = form(p);
  if (!status && joins) status = active_set_prepare(p->state->set, p->op, p->n);
  return status ? status : active_set_condense(p->state->set, p->op, NULL);
}

static scree_status start_from_admm(prox *p) {
  solve_run *run = p->run;
  const admm_params params = {.rho = 0.1, .relax = 1.6, .balance = true, .limit = 100};
  double *const vectors[3] = {p->u, p->next, p->centre};
  scree_status status = form(p);
  if (!status && !p->state->admm) status = admm_work_create(run->context, &p->state->admm);
  if (status) return status;
  for (size_t k = 0; k < p->op->row_count; k++) run->g[k] = 0.0;
  op_project(p->op, run->g);
  return admm_iterate(p->state->admm, run, p->n, &params, vectors, &p->iteration);
}

/* Newton steps on the relaxed problem, from run->g to R = target. */
static scree_status relax(prox *p, double target) {
  const stage relaxed = {.model = SCREE_MODEL_RELAXED,
                         .decrease = 0.1,
                         .most_steps = 10,
                         .most_without = 3,
                         .failure_limit = 1000,
                         .target = target,
                         .step_limit = 400};
  return run_stage(p, &relaxed);
}

static scree_status start_from_relaxed(prox *p) {
  op_copy(p->op, p->run->best, p->run->g);
  return relax(p, 1e-3);
}

/* R below which the path is tried: the number of regions in which it turns grows with the size of
 * the problem and with R. */
static double path_from(const prox *p) {
  return fmin(5e-2, run_option(p->run, "path_from") / (double)p->op->block_count);
}

static bool has_path(const prox *p) {
  return run_option(p->run, "path") > 0.0 && prox_path_takes(p->op, p->run->model);
}

static scree_status begin_path(prox *p) {
  if (!p->state->path) {
    const scree_status status = prox_path_create(p->run->context, &p->state->path);
    if (status) return status;
  }
  return take_joints_back(p);
}

/* Along the path of falling dilatancy, from the relaxed solution, if that is found. */
static scree_status start_dilated(prox *p, long most) {
  static const double target = 1e-6;
  solve_run *run = p->run;
  scree_residual start;
  if (most == 0 || !prox_path_takes(p->op, run->model)) return SCREE_OK;
  scree_status status = begin_path(p);
  if (!status) status = relax(p, target);
  if (status) return status;
  op_residual_contacts(p->op, SCREE_MODEL_RELAXED, run->g, NULL, p->scratch, &start);
  if (start.scaled <= target)
    return prox_dilate_iterate(p->state->path, run, p->state->set, p->n,
                               run_option(run, "dilate_prox"), most, &p->iteration);
  op_copy(p->op, run->best, run->g);
  return SCREE_OK;
}

/* Along the path of falling weights, from run->g or the best iterate; run->g is as before. */
static scree_status try_path(prox *p, bool from_best) {
  solve_run *run = p->run;
  const long patience = (long)run_option(run, "path");
  scree_residual start = run->best_residual;
  if (!has_path(p)) return SCREE_OK;
  if (!from_best) op_residual_contacts(p->op, run->model, run->g, NULL, p->scratch, &start);
  if (!(start.scaled <= path_from(p))) return SCREE_OK;
  scree_status status = begin_path(p);
  if (status) return status;
  op_copy(p->op, run->g, p->kept);
  if (from_best) op_copy(p->op, run->best, run->g);
  status = prox_path_iterate(p->state->path, run, p->state->set, p->n, patience, &p->iteration);
  if (!run->ended) op_copy(p->op, p->kept, run->g);
  p->path_residual = run->best_residual.scaled;
  return status;
}

/* Goes on from the end of the first stage, with weights of each block's own. */
static scree_status run_local(prox *p, long limit) {
  solve_run *run = p->run;
  double *const vectors[4] = {p->u, p->next, p->centre, p->prox_u};
  const double sweeps = run_option(run, "local_sweeps");
  const double usual = run->op->problem->form == SCREE_FORM_BODIES ? 100.0 : 10.0;
  prox_local_params params = {.weight = run_option(run, "local_prox"),
                              .sweeps = sweeps > 0.0 ? sweeps : usual};
  if (!p->state->local) {
    const scree_status status = prox_local_create(run->context, &p->state->local);
    if (status) return status;
  }
  /* The walk pauses where following the path may pay, and goes on if that fails. */
  scree_status status = take_joints_back(p);
  const long end = p->iteration + limit;
  const bool path = has_path(p);
  while (!status && !run->ended && p->iteration < end) {
    params.pause = path ? fmin(path_from(p), 0.3 * p->path_residual) : 0.0;
    params.limit = end - p->iteration;
    status = prox_local_iterate(p->state->local, run, p->state->set, p->n, &params, vectors,
                                &p->iteration);
    params.resumes = true;
    if (!status && !run->ended && run->best_residual.scaled < params.pause)
      status = try_path(p, true);
  }
  return status;
}

/* The first stage from the warm-up, then from other starts with ever more patience. */
static scree_status run_stages(prox *p) {
  solve_run *run = p->run;
  stage s = {.model = run->model,
             .decrease = run_option(run, "decrease"),
             .most_steps = (long)run_option(run, "inner"),
             .most_without = 3,
             .failure_limit = (long)run_option(run, "failures")};
  const long starts = (long)run_option(run, "starts"), local = (long)run_option(run, "local");
  const int local_at = p->op->block_count > small ? 0 : 2;
  scree_status status = start_dilated(p, (long)run_option(run, "dilate"));
  p->mark_iteration = p->iteration;
  if (!status && !run->ended) status = run_stage(p, &s);
  if (!status && !run->ended && p->op->block_count > small) status = try_path(p, false);
  s.decrease = 0.3;
  s.most_steps = 8;
  s.most_without = 2;
  s.failure_limit = 60;
  for (int start = 0; start <= starts && !status && !run->ended && !p->gave_up; start++) {
    if (start == local_at && local > 0) status = run_local(p, local);
    if (status || run->ended || start == starts) break;
    const bool relaxed = start % 2 == 1 && run->model == SCREE_MODEL_COULOMB;
    status = relaxed ? start_from_relaxed(p) : start_from_admm(p);
    if (!status && !run->ended) status = run_stage(p, &s);
    s.failure_limit *= 3;
  }
  if (!status && !run->ended && run_option(run, "patience") == 0.0)
    solve_finish(run, SCREE_OUTCOME_STALLED, "the active set keeps changing from every start");
  return status;
}

/* Sweeps that see through the joints cost little beside a Newton step, and keep all joints: what a
 * run with little time falls back on. True: they have ended the run. */
enum { JOINED_SWEEPS = 8 };
static const double joined_enough = 0.1; /* of what R allows */

/* Contacts that press on what joints hold have hardly anything in S, and sweeps may run wild. */
static bool is_finite(const prox *p) {
  for (size_t k = 0; k < p->op->row_count; k++)
    if (!isfinite(p->run->g[k])) return false;
  return true;
}

static bool sweep_joined(prox *p) {
  solve_run *run = p->run;
  op_copy(p->op, run->g, p->kept);
  const double enough = joined_enough * run->settings->tolerance_residual * p->op->reference_speed;
  if (!active_set_sweep(p->state->set, p->op, run->model, JOINED_SWEEPS, enough, run->g)) {
    const bool over = solve_is_new(run) && solve_secure(run);
    p->iteration = run->iterations - run->iteration_base;
    return over;
  }
  run->products++;
  if (!is_finite(p)) {
    op_copy(p->op, p->kept, run->g);
    return false;
  }
  p->iteration++;
  const double before = run->best_merit;
  if (solve_has_little_time(run)) return solve_adopt(run, p->iteration, run->g);
  if (solve_check(run, p->iteration, run->g, NULL)) return true;
  if (!(run->merit < before)) op_copy(p->op, p->kept, run->g);
  return false;
}

static scree_status run_prox(solve_run *run) {
  prox p = {.run = run,
            .op = run->op,
            .u = run->vector[1],
            .next = run->vector[2],
            .centre = run->vector[3],
            .prox_u = run->vector[4],
            .scratch = run->vector[5],
            .kept = run->vector[6],
            .mark_merit = INFINITY,
            .path_residual = INFINITY};
  if (warm_up(&p)) return SCREE_OK;
  if (!*run->state) *run->state = memory_new(run->context, 1, sizeof(prox_state));
  p.state = *run->state;
  if (!p.state) return SCREE_ERROR_MEMORY;
  bool joins = false;
  scree_status status = SCREE_OK;
  if (!p.state->set) status = active_set_create(run->context, &p.state->set);
  if (!status) status = active_set_join(p.state->set, run->op, &joins);
  if (!status && !joins) status = form(&p);
  if (!status && !joins) status = active_set_prepare(p.state->set, run->op, p.n);
  if (!status)
    status =
        memory_grow(run->context, &p.state->weight, run->op->block_count, sizeof *p.state->weight);
  if (!status && !sweep_joined(&p)) status = run_stages(&p);
  formed_matrix_clear(run->context, &p.formed);
  return status;
}

static void release(scree_context *context, void *state) {
  prox_state *s = state;
  active_set_destroy(s->set);
  admm_work_destroy(s->admm);
  prox_local_destroy(s->local);
  prox_path_destroy(s->path);
  memory_free(context, s->weight);
  memory_free(context, s);
}

const solver_class solver_prox = {
    .name = "prox",
    .summary = "active-set Newton inside a proximal point loop; exact Coulomb, tight tolerances",
    .options = prox_options,
    .option_count = sizeof prox_options / sizeof prox_options[0],
    .coulomb = true,
    .flows = true,
    .patient = true,
    .vector_count = 7,
    .run = run_prox,
    .release = release,
};

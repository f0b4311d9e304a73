/* Exact Coulomb friction by s = F(s) over a relaxed solver (docs/exact-friction.md).
 *
 *   s_i      a guess of the shift of block i: mu |u_T|, plus rolling and spinning, m/s
 *   u(s)     velocities of the relaxed problem with r_n + s_i in place of r_n: a convex program
 *   F_i(s)   the shift of u_i(s); s = F(s) is Coulomb's law
 *
 * method fixed: s <- F(s). method newton: with P' the derivative of the projection of the natural
 * map and a the gradient of the shift,
 *
 *   (I - P' + P' eta (I + e_n a') N) dg = -P' eta e_n (F(s) - s)       ds = F(s) - s + a'N dg
 *
 * is dg(s)/ds by the implicit function theorem and the Newton step of F(s) - s in one block-sparse
 * system; P' and a by central differences, block by block. Steps are halved while |F(s) - s| does
 * not fall, and given up for s <- F(s). The shift goes into the offsets of a copy of the problem,
 * as every solver reads them. An iteration is one evaluation of F. What |F(s) - s| was at each is
 * logged (level debug); the last stands in the detail. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/timer.h"
#include "ccp/forms/matrices.h"
#include "ccp/sets/set.h"
#include "math/block_lu.h"
#include "solve/solver.h"

static const scree_option_def fixed_point_options[] = {
    {"method", SCREE_OPTION_CHOICE, 1, 0, 1, "fixed|newton", "",
     "s <- F(s), or Newton on F(s) - s"},
    {"inner", SCREE_OPTION_CHOICE, 0, 0, 4, "prox|ipm|apgd|admm|nsgs", "",
     "the solver of the relaxed problems"},
    {"evaluations", SCREE_OPTION_INT, 300, 1, 1e6, NULL, "", "most evaluations of F"},
    {"patience", SCREE_OPTION_INT, 0, 0, 1e9, NULL, "",
     "iterations of the inner solver in all before it hands back; 0: no limit"},
};
static const char *const inner_names[] = {"prox", "ipm", "apgd", "admm", "nsgs"};

/* INNER_FACTOR: iterations of the inner solver in all, in units of the limit on those of one solve.
 */
enum { HALVINGS = 4, INNER_FACTOR = 5 };
static const double regular =
    1e-9; /* added to the system's diagonal: hyperstatic sets of contacts */
static const double usable = 1e-3; /* R of an inner solve, relative to the outer's, to go on */

typedef struct fixed_state {
  scree_solver *inner;
  int inner_kind;
  scree_ccp shifted; /* the problem with offsets of its own */
  double *offset;
  double *s, *f, *ds, *trial, *trial_f; /* blocks */
  double *slope;                        /* rows: a */
  double *value;                        /* of the Newton system, laid out as N's */
  uint32_t *size;
  block_lu *lu;
} fixed_state;

typedef struct fixed {
  solve_run *run;
  ccp_operator *op;
  fixed_state *state;
  const sparse_blocks *n;
  double *g, *u, *trial_g, *trial_u, *dg;
  double distance; /* |F(s) - s| */
  long evaluations, inner_iterations;
  bool newton;
  double first_distance;
  char fault[100]; /* what stops the inner solver; "": nothing */
} fixed;

static double distance_of(const fixed *p, const double *s, const double *f) {
  double sum = 0.0;
  for (size_t i = 0; i < p->op->block_count; i++) sum += (f[i] - s[i]) * (f[i] - s[i]);
  return sqrt(sum);
}

static scree_solve_settings inner_settings(const fixed *p) {
  const solve_run *run = p->run;
  const scree_solve_settings *s = run->settings;
  scree_solve_settings inner = scree_solve_settings_default();
  /* Newton differentiates F and needs it well; s <- F(s) gains a digit at most. */
  const double gain = p->newton ? 1e-3 : 0.1, part = p->newton ? 0.1 : 0.3;
  const double least = s->tolerance_residual > 0.0 ? part * s->tolerance_residual : 1e-12;
  inner.model = SCREE_MODEL_RELAXED;
  inner.tolerance_error = 0.1 * s->tolerance_error;
  inner.tolerance_residual =
      fmax(least, fmin(p->newton ? 1e-3 : 1.0, gain * run->best_residual.scaled));
  inner.iteration_limit = s->iteration_limit;
  inner.warm_start = strcmp(inner_names[p->state->inner_kind], "ipm") != 0; /* it starts inside */
  inner.time_limit =
      s->time_limit > 0.0 ? fmax(s->time_limit - (timer_now() - run->start_time), 1e-3) : 0.0;
  return inner;
}

/* g, u, F at s; g holds a start. False: the monitor or a fault ended the run. */
static scree_status evaluate(fixed *p, const double *s, double *g, double *u, double *f,
                             bool *ended) {
  solve_run *run = p->run;
  const ccp_operator *op = p->op;
  memcpy(p->state->offset, op->problem->offset, op->row_count * sizeof(double));
  for (size_t i = 0; i < op->block_count; i++) p->state->offset[op->row_start[i]] += s[i];
  const scree_solve_settings settings = inner_settings(p);
  scree_solve_info info;
  const scree_status status =
      solver_solve(p->state->inner, &p->state->shifted, &settings, g, &info);
  if (status) return status;
  run->products += info.products;
  p->evaluations++;
  p->inner_iterations += info.iterations;
  p->fault[0] = 0;
  const double needed = fmax(usable * run->best_residual.scaled, 1e-9);
  if (info.outcome == SCREE_OUTCOME_INFEASIBLE ||
      (info.outcome != SCREE_OUTCOME_SOLVED && !(info.residual.scaled <= needed)))
    number_format(p->fault, sizeof p->fault, "%s on the relaxed problem: %s, R %.1e",
                  inner_names[p->state->inner_kind], scree_outcome_text(info.outcome),
                  info.residual.scaled);
  op_local_velocity(p->op, g, u);
  for (size_t i = 0; i < op->block_count; i++)
    f[i] = scree_set_shift(ccp_set(op->problem, i), u + op->row_start[i]);
  *ended = solve_check(run, p->evaluations, g, u);
  context_log(run->context, SCREE_LOG_DEBUG,
              "fixed-point: evaluation %ld, |F(s) - s| %.3e m/s, R %.3e, %ld iterations of %s",
              p->evaluations, distance_of(p, s, f), run->best_residual.scaled, info.iterations,
              inner_names[p->state->inner_kind]);
  return SCREE_OK;
}

/* ---- Newton --------------------------------------------------------------------------------- */

/* a: the gradient of the shift of block i at u, by central differences; 0 where nothing slides. */
static void shift_slope(const scree_set *set, const double *u, double *a) {
  double x[SCREE_MAX_DIM], largest = 0.0;
  for (int k = 1; k < set->dim; k++) largest = fmax(largest, fabs(u[k]));
  const double h = 1e-5 * largest;
  memset(a, 0, (size_t)set->dim * sizeof *a);
  if (!(h > 0.0) || !(scree_set_shift(set, u) > 0.0)) return;
  memcpy(x, u, (size_t)set->dim * sizeof *x);
  for (int k = 1; k < set->dim; k++) {
    x[k] = u[k] + h;
    a[k] = scree_set_shift(set, x);
    x[k] = u[k] - h;
    a[k] = (a[k] - scree_set_shift(set, x)) / (2.0 * h);
    x[k] = u[k];
  }
}

/* P' of block i at g - eta (u + s e_n), d x d by rows. */
static void projection_slope(const ccp_operator *op, size_t i, double s, const double *g,
                             const double *u, double *slope) {
  const scree_set *set = ccp_set(op->problem, i);
  const int dim = set->dim, forces = op_force_rows(op, i);
  const double eta = op->eta_force[i], eta_m = op->eta_moment ? op->eta_moment[i] : 0.0;
  const double weight = dim > forces && eta_m > 0.0 ? eta / eta_m : 1.0;
  double z[SCREE_MAX_DIM], x[SCREE_MAX_DIM], y[SCREE_MAX_DIM];
  double size[2] = {0.0, 0.0};
  for (int k = 0; k < dim; k++) {
    z[k] = g[k] - (k < forces ? eta : eta_m) * (u[k] + (k == 0 ? s : 0.0));
    size[k >= forces] = fmax(size[k >= forces], fabs(z[k]));
  }
  for (int c = 0; c < dim; c++) {
    const double h = 1e-6 * size[c >= forces] + 1e-100;
    memcpy(x, z, sizeof x);
    memcpy(y, z, sizeof y);
    x[c] += h;
    y[c] -= h;
    const double run = x[c] - y[c];
    scree_set_project(set, weight, x);
    scree_set_project(set, weight, y);
    for (int k = 0; k < dim; k++)
      slope[k * dim + c] = run > 0.0 ? (x[k] - y[k]) / run : (k == c ? 1.0 : 0.0);
  }
}

/* Block row i of the system and its right side. */
static void fill_row(const fixed *p, size_t i, double *rhs) {
  const ccp_operator *op = p->op;
  const sparse_blocks *n = p->n;
  fixed_state *state = p->state;
  const int dim = ccp_dim(op->problem, i), forces = op_force_rows(op, i);
  const size_t row = op->row_start[i];
  const double eta_m = op->eta_moment ? op->eta_moment[i] : 0.0;
  double slope[SCREE_MAX_DIM * SCREE_MAX_DIM], push[SCREE_MAX_DIM * SCREE_MAX_DIM];
  const double *a = state->slope + row;
  projection_slope(op, i, state->s[i], p->g + row, p->u + row, slope);
  for (int r = 0; r < dim; r++) {
    for (int c = 0; c < dim; c++)
      push[r * dim + c] = slope[r * dim + c] * (c < forces ? op->eta_force[i] : eta_m);
    rhs[row + (size_t)r] = -push[r * dim] * (state->f[i] - state->s[i]);
    for (int c = 1; c < dim; c++) push[r * dim + c] += push[r * dim] * a[c];
  }
  for (size_t k = n->start[i]; k < n->start[i + 1]; k++) {
    const int width = ccp_dim(op->problem, n->column[k]);
    const double *from = n->value + n->offset[k];
    double *to = state->value + n->offset[k];
    for (int r = 0; r < dim; r++)
      for (int c = 0; c < width; c++) {
        double sum = 0.0;
        for (int m = 0; m < dim; m++) sum += push[r * dim + m] * from[m * width + c];
        if (n->column[k] == i) sum += (r == c ? 1.0 + regular : 0.0) - slope[r * dim + c];
        to[r * width + c] = sum;
      }
  }
}

/* ds at s, from g, u, F there. */
static scree_status newton_step(fixed *p) {
  const ccp_operator *op = p->op;
  fixed_state *state = p->state;
  size_t replaced;
  for (size_t i = 0; i < op->block_count; i++)
    shift_slope(ccp_set(op->problem, i), p->u + op->row_start[i], state->slope + op->row_start[i]);
  for (size_t i = 0; i < op->block_count; i++) fill_row(p, i, p->dg);
  const scree_status status = block_lu_factor(state->lu, p->n->offset, state->value, &replaced);
  if (status) return status;
  block_lu_solve(state->lu, p->dg);
  op_apply(p->op, p->dg, p->trial_u);
  for (size_t i = 0; i < op->block_count; i++) {
    state->ds[i] = state->f[i] - state->s[i];
    for (size_t k = op->row_start[i]; k < op->row_start[i + 1]; k++)
      state->ds[i] += state->slope[k] * p->trial_u[k];
    if (!isfinite(state->ds[i])) state->ds[i] = state->f[i] - state->s[i];
  }
  return SCREE_OK;
}

static scree_status prepare_newton(fixed *p) {
  const ccp_operator *op = p->op;
  fixed_state *state = p->state;
  scree_context *c = p->run->context;
  const size_t blocks = op->block_count;
  if (memory_grow(c, &state->value, p->n->offset[p->n->start[blocks]], sizeof(double)) ||
      memory_grow(c, &state->size, blocks, sizeof(uint32_t)))
    return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < blocks; i++) state->size[i] = (uint32_t)ccp_dim(op->problem, i);
  scree_status status = state->lu ? SCREE_OK : block_lu_create(c, &state->lu);
  if (!status) status = block_lu_analyse(state->lu, blocks, state->size, p->n->start, p->n->column);
  return status;
}

/* ---- the outer loop ------------------------------------------------------------------------- */

static void accept(fixed *p, double distance) {
  const size_t bytes = p->op->block_count * sizeof(double);
  memcpy(p->state->s, p->state->trial, bytes);
  memcpy(p->state->f, p->state->trial_f, bytes);
  op_copy(p->op, p->trial_g, p->g);
  op_copy(p->op, p->trial_u, p->u);
  p->distance = distance;
}

/* Tries s + t ds; kept if it is nearer to a fixed point, or in any case. */
static scree_status advance(fixed *p, double t, bool in_any_case, bool *kept, bool *ended) {
  fixed_state *state = p->state;
  for (size_t i = 0; i < p->op->block_count; i++)
    state->trial[i] = fmax(0.0, state->s[i] + t * state->ds[i]);
  op_copy(p->op, p->g, p->trial_g);
  const scree_status status =
      evaluate(p, state->trial, p->trial_g, p->trial_u, state->trial_f, ended);
  if (status) return status;
  const double distance = distance_of(p, state->trial, state->trial_f);
  *kept = in_any_case || *ended || (!p->fault[0] && distance < (1.0 - 0.1 * t) * p->distance);
  if (*kept) accept(p, distance);
  return SCREE_OK;
}

static scree_status newton_round(fixed *p, bool *ended) {
  scree_status status = newton_step(p);
  bool kept = false;
  double t = 1.0;
  for (int k = 0; !status && !kept && k < HALVINGS; k++, t *= 0.5)
    status = advance(p, t, false, &kept, ended);
  if (status || kept) return status;
  for (size_t i = 0; i < p->op->block_count; i++) p->state->ds[i] = p->state->f[i] - p->state->s[i];
  return advance(p, 1.0, true, &kept, ended);
}

static scree_status fixed_round(fixed *p, bool *ended) {
  bool kept;
  for (size_t i = 0; i < p->op->block_count; i++) p->state->ds[i] = p->state->f[i] - p->state->s[i];
  return advance(p, 1.0, true, &kept, ended);
}

/* The first s is 0: the relaxed problem. Where that has no solution, a shift that v_free meets. */
static scree_status begin(fixed *p, bool *ended) {
  fixed_state *state = p->state;
  const ccp_operator *op = p->op;
  memset(state->s, 0, op->block_count * sizeof *state->s);
  scree_status status = evaluate(p, state->s, p->g, p->u, state->f, ended);
  if (status || *ended || !p->fault[0]) return status;
  for (size_t i = 0; i < op->block_count; i++) {
    const scree_set *set = ccp_set(op->problem, i);
    const double *r = op->r + op->row_start[i];
    if (set_ops_of(set->kind)->shift) state->s[i] = scree_set_shift(set, r) + fmax(0.0, -r[0]);
  }
  return evaluate(p, state->s, p->g, p->u, state->f, ended);
}

static scree_status iterate(fixed *p) {
  const bool newton = p->newton;
  const long limit = p->run->settings->iteration_limit;
  const long patience = (long)run_option(p->run, "patience");
  const long most_inner = patience > 0 ? patience : limit > 0 ? INNER_FACTOR * limit : LONG_MAX;
  const long most = (long)run_option(p->run, "evaluations");
  bool ended = false;
  scree_status status = begin(p, &ended);
  p->distance = p->first_distance = distance_of(p, p->state->s, p->state->f);
  while (!status && !ended && !p->fault[0] && p->evaluations < most &&
         p->inner_iterations < most_inner)
    status = newton ? newton_round(p, &ended) : fixed_round(p, &ended);
  if (status) return status;
  const char *name = newton ? "Newton" : "fixed point";
  if (p->run->outcome == SCREE_OUTCOME_INFEASIBLE) return SCREE_OK;
  if (patience > 0 && !p->run->ended) return SCREE_OK;
  const scree_outcome outcome = p->run->ended ? p->run->outcome : SCREE_OUTCOME_STALLED;
  p->run->creeps = !p->run->ended;
  solve_finish(p->run, outcome, "%s: |F(s) - s| from %.1e to %.1e m/s in %ld evaluations%s%s", name,
               p->first_distance, p->distance, p->evaluations, p->fault[0] ? "; " : "", p->fault);
  return SCREE_OK;
}

static scree_status prepare(fixed *p) {
  solve_run *run = p->run;
  scree_context *c = run->context;
  fixed_state *s = p->state;
  const size_t blocks = p->op->block_count, rows = p->op->row_count;
  const int kind = (int)run_option(run, "inner");
  if (s->inner && s->inner_kind != kind) {
    scree_solver_destroy(s->inner);
    s->inner = NULL;
  }
  s->inner_kind = kind;
  const scree_status status =
      s->inner ? SCREE_OK : scree_solver_create(c, inner_names[kind], &s->inner);
  if (status) return status;
  if (memory_grow(c, &s->offset, rows, sizeof(double)) ||
      memory_grow(c, &s->slope, rows, sizeof(double)) ||
      memory_grow(c, &s->s, blocks, sizeof(double)) ||
      memory_grow(c, &s->f, blocks, sizeof(double)) ||
      memory_grow(c, &s->ds, blocks, sizeof(double)) ||
      memory_grow(c, &s->trial, blocks, sizeof(double)) ||
      memory_grow(c, &s->trial_f, blocks, sizeof(double)))
    return SCREE_ERROR_MEMORY;
  s->shifted = *p->op->problem;
  s->shifted.offset = s->offset;
  s->shifted.reference_speed = p->op->reference_speed;
  return SCREE_OK;
}

/* The relaxed model has no shift: one solve by the inner solver. */
static scree_status run_relaxed(fixed *p) {
  scree_solve_settings settings = *p->run->settings;
  scree_solve_info info;
  settings.model = SCREE_MODEL_RELAXED;
  settings.warm_start = true;
  memcpy(p->state->offset, p->op->problem->offset, p->op->row_count * sizeof(double));
  const scree_status status =
      solver_solve(p->state->inner, &p->state->shifted, &settings, p->g, &info);
  if (status) return status;
  p->run->products += info.products;
  if (!solve_check(p->run, info.iterations, p->g, NULL) || info.outcome != SCREE_OUTCOME_SOLVED)
    solve_finish(p->run, info.outcome, "%s: %.140s", inner_names[p->state->inner_kind],
                 info.detail);
  return SCREE_OK;
}

static scree_status run_fixed_point(solve_run *run) {
  if (!*run->state) *run->state = memory_new(run->context, 1, sizeof(fixed_state));
  fixed p = {.run = run,
             .op = run->op,
             .state = *run->state,
             .g = run->g,
             .u = run->vector[1],
             .trial_g = run->vector[2],
             .trial_u = run->vector[3],
             .dg = run->vector[4],
             .newton = run_option(run, "method") > 0.5};
  if (!p.state) return SCREE_ERROR_MEMORY;
  scree_status status = prepare(&p);
  if (status) return status;
  if (run->model == SCREE_MODEL_RELAXED) return run_relaxed(&p);
  formed_matrix n = {.start = NULL};
  if (p.newton) status = form_delassus(run->op, &n);
  p.n = &n.blocks;
  if (p.newton && !status) status = prepare_newton(&p);
  if (!status) status = iterate(&p);
  formed_matrix_clear(run->context, &n);
  return status;
}

static void release(scree_context *context, void *state) {
  fixed_state *s = state;
  scree_solver_destroy(s->inner);
  block_lu_destroy(s->lu);
  void *all[] = {s->offset, s->s, s->f, s->ds, s->trial, s->trial_f, s->slope, s->value, s->size};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) memory_free(context, all[k]);
  memory_free(context, s);
}

const solver_class solver_fixed_point = {
    .name = "fixed-point",
    .summary = "exact Coulomb by s = F(s) over a relaxed solver, fixed point or Newton on s",
    .options = fixed_point_options,
    .option_count = sizeof fixed_point_options / sizeof fixed_point_options[0],
    .coulomb = true,
    .patient = true,
    .vector_count = 5,
    .run = run_fixed_point,
    .release = release,
};

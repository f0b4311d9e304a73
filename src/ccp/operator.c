/* Creating operators, and the verbs that are the same for all forms: the generic sweep, vector
 * kernels and reductions. A reduction sums fixed chunks, each in order, then the chunks in order.
 */
#include "ccp/operator.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/device/operator.h"
#include "ccp/forms/recognise.h"
#include "ccp/operator_glide.h"
#include "ccp/operator_gradient.h"
#include "ccp/sets/local.h"
#include "ccp/sets/set.h"
#include "ccp/sweep_block.h"

/* A team of one pays for its start, its barriers and its locks all the same (a microsecond, a tenth
 * of a small solve): what is small runs outside any parallel region. */
enum { CHUNK = 2048, PARALLEL_ROWS = 16384, PARALLEL_BLOCKS = 1024 };

int op_force_rows(const ccp_operator *op, size_t block) {
  return set_force_rows(ccp_set(op->problem, block));
}

/* A block without any inertia (both sides fixed, or an empty row) has trace 0: eta 0 leaves its
 * impulse alone instead of dividing by zero, and the residual counts it as it is. */
static double eta_of(double trace, int rows) {
  return trace > 0.0 ? (double)rows / trace : 0.0;
}

static bool has_moments(const scree_ccp *problem) {
  for (size_t s = 0; s < problem->set_count; s++)
    if (set_has_moments(&problem->set[s])) return true;
  return false;
}

/* N_ii as the form keeps it, or made in `room`. */
static const double *diagonal_of(const ccp_operator *op, size_t i, double *room) {
  const double *kept = op->class->block_diagonal ? op->class->block_diagonal(op, i) : NULL;
  if (kept) return kept;
  op_diagonal_block(op, i, room);
  return room;
}

static void fill_eta_of(ccp_operator *op, size_t i) {
  if (op->eta_force[i] > 0.0) return;
  double room[SCREE_MAX_DIM * SCREE_MAX_DIM];
  const double *nii = diagonal_of(op, i, room);
  const int dim = ccp_dim(op->problem, i), forces = op_force_rows(op, i);
  double force = 0.0, moment = 0.0;
  for (int k = 0; k < dim; k++) *(k < forces ? &force : &moment) += nii[k * dim + k];
  op->eta_force[i] = eta_of(force, forces);
  if (op->eta_moment) op->eta_moment[i] = eta_of(moment, dim - forces);
}

/* What the form has not filled: it knows the blocks at the head of its order. */
static void fill_eta(ccp_operator *op) {
  const size_t head = op->head_count;
  if (op->block_count - head <= PARALLEL_BLOCKS) {
    for (size_t j = head; j < op->block_count; j++) fill_eta_of(op, op->order[j]);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(context_team(op->context, true))
  for (size_t j = head; j < op->block_count; j++) fill_eta_of(op, op->order[j]);
}

static void drop_form(ccp_operator *op) {
  if (op->class && op->class->destroy) op->class->destroy(op);
  op->class = NULL;
  op->impl = NULL;
}

static scree_status reserve(ccp_operator *op) {
  scree_context *context = op->context;
  const size_t rows = op->row_count, blocks = op->block_count;
  if (memory_grow(context, &op->r, rows, sizeof *op->r) ||
      memory_grow(context, &op->eta_force, blocks, sizeof *op->eta_force) ||
      memory_grow(context, &op->order, blocks, sizeof *op->order) ||
      memory_grow(context, &op->partial, rows / CHUNK + 2, sizeof *op->partial))
    return SCREE_ERROR_MEMORY;
  if (!has_moments(op->problem)) {
    memory_free(context, op->eta_moment);
    op->eta_moment = NULL;
    return SCREE_OK;
  }
  return memory_grow(context, &op->eta_moment, blocks, sizeof *op->eta_moment);
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static double dot_chunk(const double *x, const double *y, size_t n) {
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (size_t k = 0; k < 4; k++) sum[k] += x[i + k] * y[i + k];
  for (; i < n; i++) sum[0] += x[i] * y[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* A NaN passes where it is the last of its lane: callers look at the norm for it. */
static double max_abs_chunk(const double *x, size_t n) {
  double most[4] = {0.0, 0.0, 0.0, 0.0};
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (size_t k = 0; k < 4; k++) {
      const double a = fabs(x[i + k]);
      most[k] = most[k] > a ? most[k] : a;
    }
  for (; i < n; i++) most[0] = most[0] > fabs(x[i]) ? most[0] : fabs(x[i]);
  for (size_t k = 1; k < 4; k++) most[0] = most[0] > most[k] ? most[0] : most[k];
  return most[0];
}

static double measure_chunk(const ccp_operator *op, size_t c, double *square) {
  const size_t begin = c * CHUNK, rest = op->row_count - begin, n = rest < CHUNK ? rest : CHUNK;
  *square = dot_chunk(op->r + begin, op->r + begin, n);
  return max_abs_chunk(op->r + begin, n);
}

/* |r|, summed as op_dot does, and the largest |r_k| in one pass. */
static double measure_r(ccp_operator *op) {
  const size_t chunks = (op->row_count + CHUNK - 1) / CHUNK;
  double most = 0.0, total = 0.0, *partial = op->partial;
  if (op->row_count <= PARALLEL_ROWS) {
    for (size_t c = 0; c < chunks; c++) most = fmax(most, measure_chunk(op, c, &partial[c]));
  } else {
#pragma omp parallel for schedule(static) num_threads(context_team(op->context, true))             \
    reduction(max                                                                                  \
              : most)
    for (size_t c = 0; c < chunks; c++) most = fmax(most, measure_chunk(op, c, &partial[c]));
  }
  for (size_t c = 0; c < chunks; c++) total += partial[c];
  op_reduce(op, &total, 1, &most, 1);
  op->r_norm = sqrt(total);
  return most;
}

static bool has_caps(const scree_ccp *p) {
  for (size_t s = 0; s < p->set_count; s++)
    if (p->set[s].cap < INFINITY) return true;
  return false;
}

/* The same problem in the form that is worked: bodies where a global one is made of them. */
static scree_status find_form(ccp_operator *op, const scree_ccp **problem) {
  bool yes = false;
  scree_status status = SCREE_OK;
  op->error_is_global = (*problem)->form == SCREE_FORM_GLOBAL;
  if (!op->error_is_global) return SCREE_OK;
  if (!op->recognised) status = scree_ccp_create_bodies(op->context, &op->recognised);
  if (!status) status = ccp_recognise(*problem, op->recognised, &yes);
  if (yes) *problem = op->recognised;
  return status;
}

/* |r|, and the speed that R is measured in. */
static void fill_reference(ccp_operator *op) {
  const scree_ccp *problem = op->problem;
  op->reference_speed = problem->reference_speed;
  const double r_max = measure_r(op);
  if (op->reference_speed <= 0.0)
    op->reference_speed =
        fmax(r_max, fmax(ccp_least_speed(problem), ccp_least_of_terms(op->term_speed)));
  if (op->ranks) {
    double most[2] = {op->reference_speed, op->capped ? 1.0 : 0.0};
    op_reduce(op, NULL, 0, most, 2);
    op->reference_speed = most[0];
    op->capped = most[1] > 0.0;
  }
  if (op->reference_speed < 1e-3 * r_max) op->reference_speed = 1e-3 * r_max;
  if (op->reference_speed < 1e-30) op->reference_speed = 1.0;
  if (problem->taken) {
    op->reference_speed = problem->taken->reference;
    op->r_norm = problem->taken->r_norm;
  }
}

scree_status op_prepare(ccp_operator *op, const scree_ccp *problem) {
  static scree_status (*const init[])(ccp_operator *) = {
      [SCREE_FORM_BODIES] = op_bodies_init,
      [SCREE_FORM_LOCAL] = op_local_init,
      [SCREE_FORM_GLOBAL] = op_global_init,
  };
  scree_status status = find_form(op, &problem);
  if (status) return status;
  const bool on_device = op_device_takes(op->context, problem);
  if (op->form != problem->form || problem->form != SCREE_FORM_BODIES ||
      !op_device_fits(op, on_device))
    drop_form(op);
  op->matrix = 0;
  op->problem = problem;
  op->form = problem->form;
  op->block_count = problem->block_count;
  op->row_count = problem->row_count;
  op->row_start = problem->row_start;
  op->head_count = op->colour_count = 0;
  op->asymmetry = op->term_speed = 0.0;
  op->ranks = problem->ranks;
  op->capped = has_caps(problem);
  op->pull = problem->taken ? problem->taken->pull : NULL;
  status = reserve(op);
  if (status) return status;
  if (problem->form != SCREE_FORM_BODIES && op->block_count)
    memset(op->eta_force, 0, op->block_count * sizeof *op->eta_force);
  status = on_device ? op_device_init(op) : init[problem->form](op);
  if (status) return status;
  fill_eta(op);
  op->matrix = ++op->context->matrices;
  fill_reference(op);
  return SCREE_OK;
}

scree_status op_renew(ccp_operator *op, const scree_ccp *problem) {
  if (!op->matrix || op->problem != problem || problem->taken || !op->class->renew ||
      !op->class->renew(op))
    return op_prepare(op, problem);
  fill_reference(op);
  return SCREE_OK;
}

scree_status op_create(scree_context *context, const scree_ccp *problem, ccp_operator **out) {
  *out = NULL;
  ccp_operator *op = memory_new(context, 1, sizeof *op);
  if (!op) return SCREE_ERROR_MEMORY;
  op->context = context;
  const scree_status status = op_prepare(op, problem);
  if (status)
    op_destroy(op);
  else
    *out = op;
  return status;
}

void op_destroy(ccp_operator *op) {
  if (!op) return;
  drop_form(op);
  memory_free(op->context, op->r);
  memory_free(op->context, op->eta_force);
  memory_free(op->context, op->eta_moment);
  memory_free(op->context, op->order);
  memory_free(op->context, op->colour_start);
  memory_free(op->context, op->partial);
  memory_free(op->context, op->root);
  op_gradient_free(op);
  op_glide_free(op);
  scree_ccp_destroy(op->recognised);
  memory_free(op->context, op);
}

void op_fill_caps(const ccp_operator *op, double *g) {
  const double near = 1.0 - 16.0 * DBL_EPSILON;
  for (size_t i = 0; op->capped && i < op->block_count; i++) {
    double *n = g + op->row_start[i];
    const double cap = ccp_set(op->problem, i)->cap;
    if (cap < INFINITY && *n >= near * cap) *n = cap;
  }
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

double op_sweep_block(ccp_operator *op, const op_sweep_params *params, double *g, size_t i) {
  const scree_set *set = ccp_set(op->problem, i);
  const int dim = ccp_dim(op->problem, i);
  const double eta = op->eta_force[i], eta_m = op->eta_moment ? op->eta_moment[i] : 0.0;
  double *gi = g + op->row_start[i];
  double u[SCREE_MAX_DIM], x[SCREE_MAX_DIM], change[SCREE_MAX_DIM];
  if (params->metric == OP_METRIC_ISOTROPIC) {
    op->class->block_velocity(op, g, i, u);
    project_block(set, params->model, params->omega, eta, eta_m, u, gi, x);
  } else {
    double room[SCREE_MAX_DIM * SCREE_MAX_DIM], q[SCREE_MAX_DIM];
    const double *nii = room;
    if (op->class->block_alone) {
      nii = op->class->block_alone(op, g, i, q);
    } else {
      op->class->block_velocity(op, g, i, q);
      if (!params->shift && set_stays_open(set, params->model, q, gi)) return 0.0;
      nii = diagonal_of(op, i, room);
      for (int k = 0; k < dim; k++)
        for (int l = 0; l < dim; l++) q[k] -= nii[k * dim + l] * gi[l];
    }
    for (int k = 0; k < dim; k++) x[k] = gi[k];
    if (params->shift && set_ops_of(set->kind)->shift && !set_has_flow(set))
      solve_lagged(set, params->follow, nii, q, params->shift + op->row_start[i], x);
    else
      set_solve_block(set, params->model, nii, q, x);
    relax_block(set, params->omega, gi, x);
  }
  const double size = move_block(set, params->lambda, eta, x, gi, change);
  op->class->block_push(op, i, change);
  return size;
}

/* One thread's part of a sweep over the colours; all threads of a team must call it. */
static double sweep_share(ccp_operator *op, const op_sweep_params *params, double *g) {
  double worst = 0.0;
  for (size_t k = 0; k < op->colour_count; k++) {
    const size_t c = params->backward ? op->colour_count - 1 - k : k;
    const size_t begin = op->colour_start[c], end = op->colour_start[c + 1];
#pragma omp for schedule(static)
    for (size_t j = begin; j < end; j++) {
      const double change = op_sweep_block(op, params, g, op->order[j]);
      if (change > worst) worst = change;
    }
  }
  return worst;
}

/* Blocks order[begin] … to the last, one after the other. */
static double sweep_alone(ccp_operator *op, const op_sweep_params *params, double *g,
                          size_t begin) {
  double worst = 0.0;
  for (size_t j = begin; j < op->block_count; j++) {
    const size_t at = params->backward ? op->block_count - 1 - (j - begin) : j;
    const double change = op_sweep_block(op, params, g, op->order[at]);
    if (change > worst) worst = change;
  }
  return worst;
}

double op_sweep_colours(ccp_operator *op, const op_sweep_params *params, double *g) {
  if (op->block_count - op->head_count <= PARALLEL_BLOCKS)
    return sweep_alone(op, params, g, op->head_count);
  const size_t rest = op->colour_count ? op->colour_start[op->colour_count] : op->head_count;
  double worst = params->backward ? sweep_alone(op, params, g, rest) : 0.0;
  if (op->colour_count) {
#pragma omp parallel num_threads(context_team(op->context, true))
    {
      const double mine = sweep_share(op, params, g);
#pragma omp critical
      if (mine > worst) worst = mine;
    }
  }
  const double tail = params->backward ? 0.0 : sweep_alone(op, params, g, rest);
  return tail > worst ? tail : worst;
}

double op_sweep_reference(ccp_operator *op, const op_sweep_params *params, double *g) {
  double worst = 0.0;
  for (size_t j = 0; j < op->block_count; j++) {
    const size_t at = params->backward ? op->block_count - 1 - j : j;
    const double change = op_sweep_block(op, params, g, op->order[at]);
    if (change > worst) worst = change;
  }
  return worst;
}

double op_sweep_inside(ccp_operator *op, const op_sweep_params *params, double *g) {
  double worst =
      op->class->sweep ? op->class->sweep(op, params, g) : op_sweep_colours(op, params, g);
  op_reduce(op, NULL, 0, &worst, 1);
  return worst;
}

void op_sweep_store(const ccp_operator *op, double *g) {
  if (op->class->sweep_store) op->class->sweep_store(op, g);
}

double op_sweep(ccp_operator *op, const op_sweep_params *params, double *g) {
  const double worst = op_sweep_inside(op, params, g);
  op_sweep_store(op, g);
  return worst;
}

/* ---- vectors --------------------------------------------------------------------------------- */

void op_local_velocity(ccp_operator *op, const double *g, double *u) {
  op_apply(op, g, u);
  op_combine(op, 1.0, u, 1.0, op->r, u);
}

static double dot_here(ccp_operator *op, const double *x, const double *y) {
  const size_t n = op->row_count, chunks = (n + CHUNK - 1) / CHUNK;
  double total = 0.0;
  if (n <= PARALLEL_ROWS) {
    for (size_t c = 0; c < chunks; c++)
      total += dot_chunk(x + c * CHUNK, y + c * CHUNK, c + 1 < chunks ? CHUNK : n - c * CHUNK);
    return total;
  }
  double *partial = op->partial;
#pragma omp parallel for schedule(static) num_threads(context_team(op->context, true))
  for (size_t c = 0; c < chunks; c++)
    partial[c] = dot_chunk(x + c * CHUNK, y + c * CHUNK, c + 1 < chunks ? CHUNK : n - c * CHUNK);
  for (size_t c = 0; c < chunks; c++) total += partial[c];
  return total;
}

double op_dot(ccp_operator *op, const double *x, const double *y) {
  double sum = dot_here(op, x, y);
  op_reduce(op, &sum, 1, NULL, 0);
  return sum;
}

double op_norm(ccp_operator *op, const double *x) {
  return sqrt(op_dot(op, x, x));
}

static double max_abs_here(ccp_operator *op, const double *x) {
  const size_t n = op->row_count, chunks = (n + CHUNK - 1) / CHUNK;
  if (n <= PARALLEL_ROWS) return max_abs_chunk(x, n);
  double *partial = op->partial;
#pragma omp parallel for schedule(static) num_threads(context_team(op->context, true))
  for (size_t c = 0; c < chunks; c++)
    partial[c] = max_abs_chunk(x + c * CHUNK, c + 1 < chunks ? CHUNK : n - c * CHUNK);
  return max_abs_chunk(partial, chunks);
}

double op_max_abs(ccp_operator *op, const double *x) {
  double most = max_abs_here(op, x);
  op_reduce(op, NULL, 0, &most, 1);
  return most;
}

void op_copy(ccp_operator *op, const double *x, double *y) {
  if (op->row_count) memcpy(y, x, op->row_count * sizeof *y);
}

void op_combine(ccp_operator *op, double a, const double *x, double b, const double *y, double *z) {
  const size_t n = op->row_count;
  if (n <= PARALLEL_ROWS) {
    for (size_t i = 0; i < n; i++) z[i] = a * x[i] + b * y[i];
    return;
  }
#pragma omp parallel for schedule(static) num_threads(context_team(op->context, true))
  for (size_t i = 0; i < n; i++) z[i] = a * x[i] + b * y[i];
}

void op_project_step(ccp_operator *op, const double *y, double step, const double *u, double *z) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(context_team(op->context, op->row_count > PARALLEL_ROWS))
  for (size_t i = 0; i < op->block_count; i++) {
    const size_t row = op->row_start[i];
    const int dim = ccp_dim(op->problem, i), forces = op_force_rows(op, i);
    const double eta = op->eta_force[i], eta_m = op->eta_moment ? op->eta_moment[i] : 0.0;
    double x[SCREE_MAX_DIM];
    for (int k = 0; k < dim; k++)
      x[k] = y[row + (size_t)k] - step * (k < forces ? eta : eta_m) * u[row + (size_t)k];
    scree_set_project(ccp_set(op->problem, i), dim > forces && eta_m > 0.0 ? eta / eta_m : 1.0, x);
    memcpy(z + row, x, (size_t)dim * sizeof *x);
  }
}

/* Most of a warm start lies in its cones or at an apex. Tells that of a plain cone as
 * sets/coulomb.c does, and leaves what it would: -0 at the apex. */
enum { PROJECT_BLOCKS = 4096 };
static inline bool is_feasible(double mu, double *x) {
  const double n = x[0], square = x[1] * x[1] + x[2] * x[2];
  const bool zero = x[1] == 0.0 && x[2] == 0.0, usual = square > 1e-280 && square < 1e280;
  const bool inside =
      (n > 0.0 && n < INFINITY && (zero || usual) && sqrt(square) <= mu * n) || (n == 0.0 && zero);
  if (inside) x[0] = n > 0.0 ? n : -0.0;
  return inside;
}

/* What a set is, is asked once for the blocks in a row that have it. */
static void project_some(const ccp_operator *op, size_t begin, size_t end, double *x) {
  const scree_set *set = NULL;
  bool plain = false;
  for (size_t i = begin; i < end; i++) {
    const scree_set *const mine = ccp_set(op->problem, i);
    double *const rows = x + op->row_start[i];
    if (mine != set) plain = set_is_plain_cone(mine);
    set = mine;
    if (!plain || !is_feasible(set->mu, rows)) scree_set_project(set, 1.0, rows);
  }
}

void op_project(ccp_operator *op, double *x) {
  const size_t n = op->block_count, parts = n < PROJECT_BLOCKS ? 1 : n / (PROJECT_BLOCKS / 4);
  if (parts == 1) {
    project_some(op, 0, n, x);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(context_team(op->context, true))
  for (size_t k = 0; k < parts; k++) project_some(op, k * n / parts, (k + 1) * n / parts, x);
}

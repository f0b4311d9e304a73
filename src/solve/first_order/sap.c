/* Primal Newton for compliant contacts (the semi-analytic primal method of Castro and others).
 * Compliance makes impulses a function of the velocity; with the scaled velocity
 * y = G^-1 (v - v_free), M^-1 = G G', N = B'B + C, the relaxed problem is the smooth convex
 *
 *   min_y  1/2 |y|^2 + sum_i phi_i(B_i'y + r_i)      phi(u) = max over g in Y of  -g'u - 1/2 g'C g
 *   gradient  y - B g(y),     g(y) = the point of Y nearest to -C^-1 u in the metric of C
 *   Hessian   I + B X B',     X = -dg/du, symmetric and positive semidefinite, known in closed form
 *
 * Newton steps with a Cholesky factorisation over bodies, each with an exact line search along it:
 * convergence from anywhere, and the factorisation does not grow with the number of contacts.
 *
 * Rows without compliance beside compliant normals (tangents, joints) get a proximal one,
 * a = sigma/eta: g is the point nearest to -(C + a)^-1 (u - a c), and the centre c moves to g once
 * the gradient is small against that move. What is solved at last is the problem as given. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/forms/matrices.h"
#include "ccp/sets/set.h"
#include "solve/solver.h"

static const scree_option_def sap_options[] = {
    {"sigma", SCREE_OPTION_REAL, 1e-3, 1e-8, 1.0, NULL, "",
     "proximal compliance of rows that have none, over that of the block"},
    {"iterations", SCREE_OPTION_INT, 1000, 1, 1e6, NULL, "", "most Newton steps"},
};

enum { LINE_SEARCH = 40 };
static const double longest = 1.5, line_tolerance = 0.01;

typedef struct sap {
  solve_run *run;
  ccp_operator *op;
  formed_jacobian b;
  formed_bodies s;
  sparse_factor *factor;
  size_t bodies;          /* 6 entries each */
  double *y, *dy, *slope; /* slope: of the cost, y - B g */
  double *x;              /* X of all blocks, dense */
  double *c;              /* C, with the proximal part, by row */
  double *prox;           /* a by row; 0: none */
  double *u, *du, *centre;
} sap;

/* ---- what it takes -------------------------------------------------------------------------- */

static const char *refuse(const scree_ccp *p, scree_model model) {
  (void)model;
  if (p->form != SCREE_FORM_BODIES)
    return "it works on the velocities of bodies; this problem has none (local and global forms); "
           "take auto, ipm or prox";
  for (size_t i = 0; i < p->block_count; i++) {
    const scree_set *set = ccp_set(p, i);
    const set_outline o = set_outline_of(set);
    if (o.disc_count > 1 || (o.disc_count == 1 && !o.disc[0].round))
      return "it has no elliptic friction and no rolling or spinning friction; take auto, "
             "ipm or prox";
    if (o.role == SET_CONE && o.hi < INFINITY)
      return "it has no caps of normal impulses; take auto, ipm or prox";
    if (o.role != SET_CONE) continue;
    const double *c = p->compliance ? p->compliance + p->row_start[i] : NULL;
    if (!c || !(c[0] > 0.0))
      return "it is for compliant contacts; a contact has no compliance in its normal (rigid: ipm, "
             "prox)";
    if (set->dim == 3 && c[1] != c[2])
      return "the two tangents of a contact must be equally compliant; take auto, ipm or prox";
  }
  return NULL;
}

/* ---- impulses of a velocity ----------------------------------------------------------------- */

/* g of a block's u, and X = -dg/du by rows when it is not null. */
static void respond(const sap *p, size_t i, const double *u, double *g, double *x) {
  const scree_set *set = ccp_set(p->op->problem, i);
  const size_t row = p->op->row_start[i], dim = p->op->row_start[i + 1] - row;
  const double *c = p->c + row, *a = p->prox + row, *centre = p->centre + row;
  double free[SCREE_MAX_DIM] = {0.0};
  for (size_t k = 0; k < dim; k++) free[k] = (a[k] * centre[k] - u[k]) / c[k];
  if (x) memset(x, 0, dim * dim * sizeof *x);
  const set_outline o = set_outline_of(set);
  if (o.role != SET_CONE) {
    for (size_t k = 0; k < dim; k++) {
      g[k] = fmin(fmax(free[k], o.lo), o.hi);
      if (x && g[k] == free[k]) x[k * dim + k] = 1.0 / c[k];
    }
    return;
  }
  const double mu = dim > 1 ? set->mu : 0.0, n = free[0] + set->cohesion;
  double t = 0.0;
  for (size_t k = 1; k < dim; k++) t += free[k] * free[k];
  t = sqrt(t);
  memset(g, 0, dim * sizeof *g);
  g[0] = -set->cohesion;
  if (dim > 1 && t <= mu * n) {
    for (size_t k = 0; k < dim; k++) {
      g[k] = free[k];
      if (x) x[k * dim + k] = 1.0 / c[k];
    }
    return;
  }
  /* Sliding, in the metric of C; without friction, the normal alone. */
  const double share = dim > 1 ? mu * c[1] / c[0] : 0.0, whole = 1.0 + mu * share;
  const double normal = (n + share * t) / whole;
  if (!(normal > 0.0)) return;
  g[0] += normal;
  double way[2] = {0.0, 0.0};
  for (size_t k = 1; k < dim && t > 0.0; k++) {
    way[k - 1] = free[k] / t;
    g[k] = mu * normal * way[k - 1];
  }
  if (!x) return;
  const double top = 1.0 / (c[0] * whole);
  x[0] = top;
  for (size_t k = 1; k < dim; k++) {
    x[k] = x[k * dim] = mu * top * way[k - 1];
    for (size_t l = 1; l < dim && t > 0.0; l++) {
      const double across = (k == l ? 1.0 : 0.0) - way[k - 1] * way[l - 1];
      x[k * dim + l] = mu * mu * top * way[k - 1] * way[l - 1] + mu * normal / (t * c[k]) * across;
    }
  }
}

/* y' <- B'y by rows. */
static void to_rows(const sap *p, const double *y, double *rows) {
  for (size_t i = 0; i < p->op->block_count; i++) {
    const size_t first = p->op->row_start[i], dim = p->op->row_start[i + 1] - first;
    for (size_t r = 0; r < dim; r++) {
      double sum = 0.0;
      for (size_t k = p->b.start[i]; k < p->b.start[i + 1]; k++) {
        const double *v = p->b.value + p->b.offset[k] + 6 * r, *yb = y + 6 * p->b.body[k];
        for (size_t j = 0; j < 6; j++) sum += v[j] * yb[j];
      }
      rows[first + r] = sum;
    }
  }
}

/* g, X and the slope of the cost at y. Returns its norm. */
static double evaluate(sap *p, double *g) {
  double *x = p->x;
  to_rows(p, p->y, p->u);
  op_combine(p->op, 1.0, p->u, 1.0, p->op->r, p->u);
  memcpy(p->slope, p->y, 6 * p->bodies * sizeof *p->slope);
  for (size_t i = 0; i < p->op->block_count; i++) {
    const size_t row = p->op->row_start[i], dim = p->op->row_start[i + 1] - row;
    respond(p, i, p->u + row, g + row, x);
    x += dim * dim;
    for (size_t k = p->b.start[i]; k < p->b.start[i + 1]; k++)
      for (size_t r = 0; r < dim; r++)
        for (size_t j = 0; j < 6; j++)
          p->slope[6 * p->b.body[k] + j] -= p->b.value[p->b.offset[k] + 6 * r + j] * g[row + r];
  }
  double norm = 0.0;
  for (size_t k = 0; k < 6 * p->bodies; k++) norm += p->slope[k] * p->slope[k];
  return sqrt(norm);
}

/* ---- a step --------------------------------------------------------------------------------- */

/* The slope of the cost along dy at y + step dy, and its curvature. */
static double along(const sap *p, double step, double *curvature) {
  double slope = 0.0, bend = 0.0;
  for (size_t k = 0; k < 6 * p->bodies; k++) {
    slope += (p->y[k] + step * p->dy[k]) * p->dy[k];
    bend += p->dy[k] * p->dy[k];
  }
  for (size_t i = 0; i < p->op->block_count; i++) {
    const size_t row = p->op->row_start[i], dim = p->op->row_start[i + 1] - row;
    double u[SCREE_MAX_DIM], g[SCREE_MAX_DIM], x[SCREE_MAX_DIM * SCREE_MAX_DIM];
    for (size_t k = 0; k < dim; k++) u[k] = p->u[row + k] + step * p->du[row + k];
    respond(p, i, u, g, x);
    for (size_t k = 0; k < dim; k++) {
      slope -= g[k] * p->du[row + k];
      for (size_t l = 0; l < dim; l++) bend += p->du[row + k] * x[k * dim + l] * p->du[row + l];
    }
  }
  *curvature = bend;
  return slope;
}

/* The minimum along dy, by Newton's method kept in a bracket. */
static double search(const sap *p) {
  double bend, low = 0.0, high = longest, step = 1.0;
  const double first = along(p, 0.0, &bend);
  if (!(first < 0.0)) return 1.0; /* rounding is all that is left */
  if (along(p, high, &bend) <= 0.0) return high;
  for (int k = 0; k < LINE_SEARCH; k++) {
    const double slope = along(p, step, &bend);
    if (fabs(slope) <= line_tolerance * -first) break;
    if (slope < 0.0)
      low = step;
    else
      high = step;
    const double next = step - slope / bend;
    step = next > low && next < high ? next : 0.5 * (low + high);
  }
  return step;
}

static bool take_step(sap *p) {
  formed_bodies_fill(&p->b, p->op->row_start, p->x, &p->s);
  if (!sparse_factorise(p->factor, &p->s.blocks, SPARSE_CHOLESKY)) return false;
  for (size_t k = 0; k < 6 * p->bodies; k++) p->dy[k] = -p->slope[k];
  sparse_solve(p->factor, p->dy);
  to_rows(p, p->dy, p->du);
  const double step = search(p);
  for (size_t k = 0; k < 6 * p->bodies; k++) p->y[k] += step * p->dy[k];
  return true;
}

/* ---- the run -------------------------------------------------------------------------------- */

/* How far the centre would move, in the norm of the slope. */
static double centre_move(const sap *p, const double *g) {
  double sum = 0.0;
  for (size_t i = 0; i < p->op->row_count; i++) {
    const double d = g[i] - p->centre[i];
    sum += p->prox[i] * d * d;
  }
  return sqrt(sum);
}

static void iterate(sap *p) {
  solve_run *run = p->run;
  const long most = (long)run_option(run, "iterations");
  for (long k = 1; k <= most; k++) {
    const double slope = evaluate(p, run->g), move = centre_move(p, run->g);
    if (solve_check(run, k, run->g, NULL)) return;
    if (move > 0.0 && slope <= 0.1 * move) {
      memcpy(p->centre, run->g, p->op->row_count * sizeof *p->centre);
      continue;
    }
    if (!take_step(p)) {
      solve_finish(run, SCREE_OUTCOME_STALLED, "the Hessian has no factorisation at step %ld", k);
      return;
    }
  }
  solve_finish(run, SCREE_OUTCOME_ITERATION_LIMIT, "%ld Newton steps", most);
}

static void begin(sap *p) {
  ccp_operator *op = p->op;
  const double *c = op->problem->compliance, sigma = run_option(p->run, "sigma");
  for (size_t i = 0; i < op->block_count; i++)
    for (size_t r = op->row_start[i]; r < op->row_start[i + 1]; r++) {
      const double own = c ? c[r] : 0.0;
      p->prox[r] = own > 0.0 ? 0.0 : sigma / (op->eta_force[i] > 0.0 ? op->eta_force[i] : 1.0);
      p->c[r] = own + p->prox[r];
    }
  memcpy(p->centre, p->run->g, op->row_count * sizeof *p->centre);
  /* y = B g: the velocity of the start. */
  for (size_t i = 0; i < op->block_count; i++)
    for (size_t k = p->b.start[i]; k < p->b.start[i + 1]; k++)
      for (size_t r = op->row_start[i]; r < op->row_start[i + 1]; r++)
        for (size_t j = 0; j < 6; j++)
          p->y[6 * p->b.body[k] + j] +=
              p->b.value[p->b.offset[k] + 6 * (r - op->row_start[i]) + j] * p->run->g[r];
}

static scree_status run_sap(solve_run *run) {
  ccp_operator *op = run->op;
  scree_context *context = run->context;
  sap p = {.run = run,
           .op = op,
           .u = run->vector[1],
           .du = run->vector[2],
           .centre = run->vector[3],
           .c = run->vector[4],
           .prox = run->vector[5],
           .factor = *run->state};
  scree_status status = formed_jacobian_build(op, &p.b);
  if (!status) status = formed_bodies_build(context, &p.b, &p.s);
  if (!status && !p.factor) status = sparse_create(context, &p.factor);
  if (!status) status = sparse_analyse(p.factor, &p.s.blocks);
  size_t squares = 0;
  for (size_t i = 0; i < op->block_count; i++)
    squares += (size_t)(ccp_dim(op->problem, i) * ccp_dim(op->problem, i));
  p.bodies = p.b.body_count;
  p.y = memory_new(context, 6 * p.bodies, sizeof *p.y);
  p.dy = memory_new(context, 6 * p.bodies, sizeof *p.dy);
  p.slope = memory_new(context, 6 * p.bodies, sizeof *p.slope);
  p.x = memory_new(context, squares, sizeof *p.x);
  if (!p.y || !p.dy || !p.slope || !p.x) status = SCREE_ERROR_MEMORY;
  if (!status) {
    begin(&p);
    iterate(&p);
  }
  memory_free(context, p.y);
  memory_free(context, p.dy);
  memory_free(context, p.slope);
  memory_free(context, p.x);
  *run->state = p.factor;
  formed_bodies_clear(context, &p.s);
  formed_jacobian_clear(context, &p.b);
  return status;
}

static void release(scree_context *context, void *state) {
  (void)context;
  sparse_destroy(state);
}

const solver_class solver_sap = {
    .name = "sap",
    .summary = "primal Newton over bodies for compliant contacts, with an exact line search",
    .options = sap_options,
    .option_count = sizeof sap_options / sizeof sap_options[0],
    .vector_count = 6,
    .refuse = refuse,
    .run = run_sap,
    .release = release,
};

/* An infeasible problem makes impulses grow along a direction d that pushes nothing.
 *
 * Certificate: d in the recession cone of Y, N'd = 0, r'd < 0. Were g0 a point with u0 = N g0 + r
 * in the dual of that cone, then 0 <= d'u0 = (N'd)'g0 + r'd < 0: a contradiction. That holds for an
 * unsymmetric N as it is given; so it is N'd that is looked at. In floating point it is only small.
 * With |x|^2 = sum |x_i|^2/eta_i for impulses and |u|*^2 = sum eta_i |u_i|^2 for velocities the
 * same line says
 *
 *   |g0| >= -r'd / |N'd|*        for every solution g0,
 *
 * and |r|* is the size of the impulses that r requires block by block. So the proof that is checked
 * is: every solution is at least `bound` = -r'd / (|N'd|* |r|*) times as large as those, with
 * bound >= 1e10 (a tower of a hundred bodies, top heavy by 1e4, has about 1e6). No unit and no mass
 * enters. -r'd must itself be clear of the rounding of its terms: -r'd / sum |d_k| is the speed at
 * which bodies are pushed into each other, and counts from LEAST of the reference speed on.
 *
 * Exact Coulomb: u_n + mu |u_T| is in the dual for every u_n >= 0, so only normals count: d_T = 0.
 *
 * The direction is the change of g over a doubling of iterations (transients cancel), projected on
 * the recession cone and polished by projected gradient steps on d'Nd, which leave r'd < 0 alone
 * unless it was not a direction of descent after all. With an unsymmetric N the steps use N'd,
 * which is that gradient but for the unsymmetric part. Steps are 1/l long; l begins low, as the
 * largest eigenvalue is not known, and is doubled whenever |N'd|* grows. What gains too slowly to
 * reach the bound in the steps left is given up: a bed at rest must not pay for a proof. */
#include "solve/existence/infeasible.h"

#include <math.h>

#include "base/memory.h"
#include "ccp/operator_fused.h"
#include "ccp/sets/set.h"

static const double bound_asked = 1e10, least = 1e-6;
/* Changes above this part of the largest change of a block count as large. */
static const double largest_part = 0.3;
/* |N'd|* of a normalised d, about 1 where d is chance; above this it is one. */
static const double gate = 0.02;
/* GLANCE: steps between two looks at the gain. */
enum { POLISH = 300, GLANCE = 10 };
/* The gain may become so many times the one that is seen. */
static const double hope = 4.0;

static void project_recession(const scree_set *set, scree_model model, double weight, double *d) {
  const set_outline o = set_outline_of(set);
  const bool cone = o.role == SET_CONE;
  /* A user's set, of which this is not known, or one that is bounded in every direction. */
  if (o.role == SET_OPAQUE || (cone && o.hi < INFINITY)) {
    for (int k = 0; k < set->dim; k++) d[k] = 0.0;
  } else if (o.role == SET_BOUNDED) {
    if (o.lo > -INFINITY && d[0] < 0.0) d[0] = 0.0;
    if (o.hi < INFINITY && d[0] > 0.0) d[0] = 0.0;
  } else if (cone && model == SCREE_MODEL_COULOMB) {
    d[0] = d[0] > 0.0 ? d[0] : 0.0;
    for (int k = 1; k < set->dim; k++) d[k] = 0.0;
  } else {
    scree_set plain = *set;
    plain.cohesion = 0.0;
    scree_set_project(&plain, weight, d);
  }
}

/* d <- P(d - step eta nd), then normalised; false when nothing is left of it. */
static bool polish(ccp_operator *op, scree_model model, double step, const double *nd, double *d) {
  for (size_t i = 0; i < op->block_count; i++) {
    const size_t row = op->row_start[i];
    const int dim = ccp_dim(op->problem, i), forces = op_force_rows(op, i);
    const double eta = op->eta_force[i], eta_m = op->eta_moment ? op->eta_moment[i] : 0.0;
    for (int k = 0; nd && k < dim; k++)
      d[row + (size_t)k] -= step * (k < forces ? eta : eta_m) * nd[row + (size_t)k];
    const bool moments = dim > forces && eta_m > 0.0;
    project_recession(ccp_set(op->problem, i), model, moments ? eta / eta_m : 1.0, d + row);
    /* A block without inertia has no place in the norms: leave it out of the proof. */
    if (!(eta > 0.0))
      for (int k = 0; k < dim; k++) d[row + (size_t)k] = 0.0;
  }
  const double size = sqrt(op_dot_over_eta(op, d, d));
  if (!(size > 0.0) || !isfinite(size)) return false;
  op_combine(op, 1.0 / size, d, 0.0, d, d);
  return true;
}

static bool prepare(ccp_operator *op, infeasible_work *work) {
  if (work->rows >= op->row_count && work->mark) return true;
  infeasible_clear(op->context, work);
  work->mark = memory_new(op->context, op->row_count, sizeof *work->mark);
  work->d = memory_new(op->context, op->row_count, sizeof *work->d);
  work->nd = memory_new(op->context, op->row_count, sizeof *work->nd);
  work->rows = op->row_count;
  if (work->mark && work->d && work->nd) return true;
  infeasible_clear(op->context, work);
  return false;
}

/* Will a bound that grew from `before` to `now` in the last GLANCE steps get there? */
static bool is_on_its_way(int step, double before, double now) {
  const double left = (double)(POLISH - step) / GLANCE;
  return hope * left * log(now / before) > log(bound_asked / now);
}

static double sum_abs(size_t n, const double *x) {
  double sum = 0.0;
  for (size_t k = 0; k < n; k++) sum += fabs(x[k]);
  return sum;
}

/* Polishes work->d until it proves, or does not. */
static bool certify(ccp_operator *op, scree_model model, infeasible_work *work,
                    infeasible_certificate *certificate) {
  if (!polish(op, model, 0.0, NULL, work->d)) return false;
  const double r_size = sqrt(op_dot_by_eta(op, op->r, op->r));
  double l = 2.0, last_push = INFINITY, last_bound = 0.0;
  for (int k = 0; k <= POLISH; k++) {
    op_apply_transposed(op, work->d, work->nd);
    const double drop = -op_dot(op, op->r, work->d);
    const double push = sqrt(op_dot_by_eta(op, work->nd, work->nd));
    if (!(drop > 1e-9 * r_size) || !isfinite(push)) return false;
    if (k == 0 && push > gate) return false;
    /* Beyond 1e15 the rounding of N'd is all that is left. */
    const double bound = fmin(1e15, drop / (fmax(push, 1e-300) * r_size));
    if (bound >= bound_asked) {
      if (!(drop > least * ccp_least_speed(op->problem) * sum_abs(op->row_count, work->d)))
        return false;
      *certificate = (infeasible_certificate){drop, push, bound};
      return true;
    }
    if (k % GLANCE == 0) {
      if (k > 0 && !is_on_its_way(k, last_bound, bound)) return false;
      last_bound = bound;
    }
    /* |N'd|* <= lambda_max for a normalised d: a lower bound of L. */
    l = fmax(push > 1.001 * last_push ? 2.0 * l : l, 2.0 * push);
    last_push = push;
    if (!polish(op, model, 1.0 / l, work->nd, work->d)) return false;
  }
  return false;
}

static double block_size(const ccp_operator *op, size_t i, const double *d) {
  const double eta = op->eta_force[i];
  double sum = 0.0;
  for (size_t k = op->row_start[i]; k < op->row_start[i + 1]; k++) sum += d[k] * d[k];
  return eta > 0.0 ? sqrt(sum / eta) : 0.0;
}

/* Leaves the blocks alone that change most: a squeezed body in a bed is all there is to see, and
 * the rest of the bed, which has not arrived either, hides it. */
static void keep_largest(const ccp_operator *op, double *d) {
  double most = 0.0;
  for (size_t i = 0; i < op->block_count; i++) most = fmax(most, block_size(op, i, d));
  for (size_t i = 0; i < op->block_count; i++)
    if (block_size(op, i, d) < largest_part * most)
      for (size_t k = op->row_start[i]; k < op->row_start[i + 1]; k++) d[k] = 0.0;
}

bool infeasible_prove(ccp_operator *op, scree_model model, infeasible_work *work, long iteration,
                      const double *g, infeasible_certificate *certificate) {
  if (!prepare(op, work)) return false;
  bool proved = false;
  for (int part = 0; part < 2 && work->marked_at > 0 && !proved; part++) {
    op_combine(op, 1.0, g, -1.0, work->mark, work->d);
    if (part) keep_largest(op, work->d);
    proved = certify(op, model, work, certificate);
  }
  op_copy(op, g, work->mark);
  work->marked_at = iteration;
  return proved;
}

bool infeasible_prove_direction(ccp_operator *op, scree_model model, infeasible_work *work,
                                const double *d, infeasible_certificate *certificate) {
  if (!prepare(op, work)) return false;
  op_copy(op, d, work->d);
  return certify(op, model, work, certificate);
}

void infeasible_clear(scree_context *context, infeasible_work *work) {
  memory_free(context, work->mark);
  memory_free(context, work->d);
  memory_free(context, work->nd);
  *work = (infeasible_work){0};
}

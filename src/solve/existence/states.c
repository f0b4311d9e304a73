/* Existence under exact Coulomb friction, settled by trying every state of the contacts.
 *
 * In a given state the law is a polyhedron in the impulses. With u = N g + r, planar contacts:
 *   open   g = 0, u_n >= 0                       sticking  u = 0, |g_t| <= mu g_n
 *   slides u_n = 0, g_t = -mu g_n, u_t >= 0      and the same the other way
 * intervals and rays are at an end or between, joints have one state. In space the directions of
 * sliding are a continuum: not done.
 *
 * {z: G z >= h} (g = z in natural units, equations are two rows) is looked at by the least distance
 * problem, min |E x - f|, x >= 0, E = [G'; h'], f = (0, …, 0, 1). Its residual (p, q) gives a point
 * z = p/q of the polyhedron; a vanishing residual is Farkas' proof that there is none: G'x = 0,
 * h'x > 0. Both are checked: the point by the common residual, the proof by |z| >= h'x / |G'x| for
 * every point z, required to be 1e9 times the natural impulses. What passes neither is undecided.
 */
#include "solve/existence/existence.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/sets/set.h"
#include "math/nnls.h"

enum { MOST_ROWS = 24, MOST_STATES = 4096, MOST_CONDITIONS = 4 * MOST_ROWS };
static const double proof_asked = 1e9, residual_asked = 1e-8;

typedef struct states {
  ccp_operator *op;
  size_t n;
  double matrix[MOST_ROWS][MOST_ROWS];      /* of u in z, over the reference speed */
  double offset[MOST_ROWS];                 /* r over the reference speed */
  double unit[MOST_ROWS];                   /* g = unit z */
  double g[MOST_CONDITIONS][MOST_ROWS + 1]; /* conditions: G row, h */
  size_t conditions;
} states;

static bool is_normal_only(const set_outline *o) {
  double most = 0.0;
  for (int j = 0; j < o->disc_count; j++)
    most = fmax(most, fmax(o->disc[j].size[0], o->disc[j].size[1]));
  return (o->role == SET_CONE || o->role == SET_BOUNDED) && most == 0.0;
}

/* How many states a block has; 0: not a block for this. */
static int states_of(const scree_set *set) {
  const set_outline o = set_outline_of(set);
  if (o.role == SET_BILATERAL) return 1;
  if (is_normal_only(&o)) return 3;
  return o.disc_count == 1 && o.disc[0].count == 1 && o.lo == 0.0 && isinf(o.hi) ? 4 : 0;
}

/* Conditions are scaled to rows of length 1. */
static void at_least(states *s, const double *row, double value) {
  double norm = 0.0;
  for (size_t k = 0; k < s->n; k++) norm += row[k] * row[k];
  const double scale = norm > 0.0 ? 1.0 / sqrt(norm) : 1.0;
  double *c = s->g[s->conditions++];
  for (size_t k = 0; k < s->n; k++) c[k] = scale * row[k];
  c[s->n] = scale * value;
}

static void equal(states *s, const double *row, double value) {
  double minus[MOST_ROWS];
  for (size_t k = 0; k < s->n; k++) minus[k] = -row[k];
  at_least(s, row, value);
  at_least(s, minus, -value);
}

/* sign u_row >= 0, or = 0 with a sign of 0. */
static void velocity(states *s, size_t row, double sign) {
  double a[MOST_ROWS];
  for (size_t k = 0; k < s->n; k++) a[k] = (sign != 0.0 ? sign : 1.0) * s->matrix[row][k];
  if (sign != 0.0)
    at_least(s, a, -sign * s->offset[row]);
  else
    equal(s, a, -s->offset[row]);
}

/* factor_a g_a + factor_b g_b >= value, or = value. */
static void impulse(states *s, bool exact, size_t row_a, double factor_a, size_t row_b,
                    double factor_b, double value) {
  double a[MOST_ROWS] = {0.0};
  a[row_a] += factor_a * s->unit[row_a];
  a[row_b] += factor_b * s->unit[row_b];
  if (exact)
    equal(s, a, value);
  else
    at_least(s, a, value);
}

/* lo <= g <= hi: between, at the lower end, at the upper end. False: there is no such end. */
static bool add_interval(states *s, size_t row, double lo, double hi, int state) {
  if (state == 0) {
    velocity(s, row, 0.0);
    if (lo > -INFINITY) impulse(s, false, row, 1.0, row, 0.0, lo);
    if (hi < INFINITY) impulse(s, false, row, -1.0, row, 0.0, -hi);
    return true;
  }
  const double end = state == 1 ? lo : hi;
  if (isinf(end)) return false;
  impulse(s, true, row, 1.0, row, 0.0, end);
  velocity(s, row, state == 1 ? 1.0 : -1.0);
  return true;
}

static bool add_state(states *s, size_t block, int state) {
  const scree_set *set = ccp_set(s->op->problem, block);
  const size_t row = s->op->row_start[block], end = s->op->row_start[block + 1];
  const set_outline o = set_outline_of(set);
  if (o.role == SET_BILATERAL) {
    for (size_t r = row; r < end; r++) velocity(s, r, 0.0);
    return true;
  }
  if (is_normal_only(&o)) {
    for (size_t r = row + 1; r < end; r++) impulse(s, true, r, 1.0, r, 0.0, 0.0);
    return add_interval(s, row, o.lo, o.hi, state);
  }
  if (state == 0) {
    impulse(s, true, row, 1.0, row, 0.0, 0.0);
    impulse(s, true, row + 1, 1.0, row + 1, 0.0, 0.0);
    velocity(s, row, 1.0);
    return true;
  }
  velocity(s, row, 0.0);
  if (state == 1) {
    velocity(s, row + 1, 0.0);
    impulse(s, false, row, set->mu, row + 1, 1.0, 0.0);
    impulse(s, false, row, set->mu, row + 1, -1.0, 0.0);
    return true;
  }
  const double way = state == 2 ? 1.0 : -1.0;
  impulse(s, true, row, way * set->mu, row + 1, 1.0, 0.0);
  impulse(s, false, row, 1.0, row, 0.0, 0.0);
  velocity(s, row + 1, way);
  return true;
}

/* 1: a solution, -1: none, 0: undecided. */
static int decide(states *s, double *work) {
  const size_t n = s->n, m = n + 1, count = s->conditions;
  double *a = work, *b = a + m * count, *x = b + m, *rest = x + count, *g = rest + m;
  for (size_t j = 0; j < count; j++) memcpy(a + j * m, s->g[j], m * sizeof *a);
  memset(b, 0, m * sizeof *b);
  b[n] = 1.0;
  nnls_solve(s->op->context, m, count, a, b, x, rest);
  double push = 0.0, gain = 0.0;
  for (size_t k = 0; k < m; k++) {
    long double sum = 0.0L;
    for (size_t j = 0; j < count; j++) sum += (long double)s->g[j][k] * x[j];
    if (k == n)
      gain = (double)sum;
    else
      push += (double)(sum * sum);
  }
  if (gain > 0.0 && gain >= proof_asked * sqrt(push)) return -1;
  if (!(rest[n] > 0.0)) return 0;
  for (size_t k = 0; k < n; k++) g[k] = -s->unit[k] * rest[k] / rest[n];
  op_project(s->op, g);
  scree_residual residual;
  op_residual(s->op, SCREE_MODEL_COULOMB, g, NULL, g + n, &residual);
  return residual.scaled <= residual_asked ? 1 : 0;
}

static void read_matrix(states *s, double *work) {
  ccp_operator *op = s->op;
  const double speed = op->reference_speed;
  double *x = work, *y = work + s->n;
  for (size_t i = 0; i < op->block_count; i++)
    for (size_t k = op->row_start[i]; k < op->row_start[i + 1]; k++)
      s->unit[k] = speed * (op->eta_force[i] > 0.0 ? op->eta_force[i] : 1.0);
  for (size_t k = 0; k < s->n; k++) {
    memset(x, 0, s->n * sizeof *x);
    x[k] = s->unit[k];
    op_apply(op, x, y);
    for (size_t i = 0; i < s->n; i++) s->matrix[i][k] = y[i] / speed;
    s->offset[k] = op->r[k] / speed;
  }
}

static void try_all(states *s, double *work, long total, existence_states *answer) {
  for (long code = 0; code < total && !answer->found; code++) {
    bool exists = true;
    long rest = code;
    s->conditions = 0;
    for (size_t i = 0; i < s->op->block_count && exists; i++) {
      const int count = states_of(ccp_set(s->op->problem, i));
      exists = add_state(s, i, (int)(rest % count));
      rest /= count;
    }
    answer->tried++;
    if (!exists) continue;
    const int found = decide(s, work);
    answer->found = found > 0;
    answer->undecided += found == 0;
  }
}

scree_status existence_enumerate(scree_context *context, const scree_ccp *problem,
                                 existence_states *answer) {
  *answer = (existence_states){0};
  long total = 1;
  for (size_t i = 0; i < problem->block_count; i++) {
    total *= states_of(ccp_set(problem, i));
    if (total == 0 || total > MOST_STATES) return SCREE_OK;
  }
  if (problem->row_count > MOST_ROWS || problem->row_count == 0) return SCREE_OK;
  states *s = memory_new(context, 1, sizeof *s);
  double *work = memory_new(context, (MOST_ROWS + 2) * (MOST_CONDITIONS + 6), sizeof *work);
  scree_status status = s && work ? op_create(context, problem, &s->op) : SCREE_ERROR_MEMORY;
  if (!status) {
    s->n = problem->row_count;
    read_matrix(s, work);
    try_all(s, work, total, answer);
    op_destroy(s->op);
  }
  memory_free(context, s);
  memory_free(context, work);
  return status;
}

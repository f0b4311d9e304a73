/* Direct: free blocks and scalar ones (rays, intervals) by factorisations, as machines have them:
 * joints, motors, brakes and stops without friction of contacts.
 *
 *   N_FF g_F = -(r_F + N_FB g_B)     F: free blocks, and scalars strictly inside their sets
 *                                    B: scalars at an end of theirs
 *
 * and the primal-dual active set: a scalar of F that left its set goes to that end, one at an end
 * whose u would pull it inside goes to F, until nothing changes. A chain or tree of bodies without
 * loops costs O(n): the fronts of the elimination are as small as joints are.
 *
 * The blocks of B stay in the pattern as unit rows, so that one analysis serves all steps of a run.
 * Loops with more rows than needed make N singular: e D is added for the factorisation alone, D its
 * diagonal, and conjugate gradients with it as preconditioner take that back;
 * they end in a few steps, as the directions that were spoilt are those along which nothing moves.
 * Where rows contradict each other they do not: what is left has a part c that no impulse changes,
 *
 *   c = (I - N (N + e D)^-1) r:   D n (n'D n)^-1 n'r for N n = 0, all but 0 where N is not
 *
 * taken twice. The rest is solved for: that is the least of c in the metric of D. Who made the
 * problem may ask for c; else the run is left to others. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/forms/matrices.h"
#include "ccp/sets/set.h"
#include "solve/direct/direct.h"

enum { ROUNDS = 60, REFINEMENTS = 30 };
static const double regular = 1e-8; /* of the diagonal */
static const double done = 1e-14;   /* energy of what is left, relative */
/* What the next step would leave, where it gains what this one gained, is not looked at if it is
 * below this part of that. */
static const double sure = 1e-4;
/* Steps are of length 1 but along directions that the regularisation spoilt, eigenvalues below
 * regular / longest: there rows say the same twice, and what is left is what they contradict each
 * other by. Going on would only blow up impulses that move nothing. */
static const double longest = 100.0;

static const scree_option_def direct_options[] = {
    {"rounds", SCREE_OPTION_INT, ROUNDS, 1, 1e6, NULL, "", "most changes of the active set"},
};

enum { RESIDUAL = 1, CORRECTION, DIRECTION, IMAGE, VELOCITY, VECTORS };

typedef struct direct_state {
  formed_matrix n;
  uint64_t matrix; /* of which operator's N it is made; 0: there is none */
  sparse_factor *factor;
  uint8_t *factored; /* B of the factorisation */
  bool is_factored;
  double *value;       /* of the matrix with B taken out */
  double *diagonal;    /* of N: D */
  uint8_t *held;       /* of each block: in B */
  bool contradicts;    /* the last refinement has found c; what is left of u is -c */
  bool through_bodies; /* products go through the bodies: see multiply */
} direct_state;

static const char *refuse(const scree_ccp *problem, scree_model model) {
  (void)model;
  if (problem->form == SCREE_FORM_LOCAL && problem->rows.asymmetry > 1e-12)
    return "its matrix is not symmetric; take auto or gs";
  for (size_t k = 0; k < problem->set_count; k++) {
    const scree_set *s = &problem->set[k];
    if (set_outline_of(s).disc_count > 0 || set_role_of(s) == SET_OPAQUE)
      return "it has contacts with friction; direct takes free rows, rays and intervals; "
             "take auto, ipm or prox";
    if (set_is_modified(s)) return "it has cohesion or a cap; take auto, ipm or prox";
  }
  return NULL;
}

/* Where most blocks are free, changes of the active set are few. */
bool direct_suits(const scree_ccp *problem) {
  size_t held = 0;
  if (refuse(problem, SCREE_MODEL_COULOMB)) return false;
  for (size_t i = 0; i < problem->block_count; i++)
    held += set_role_of(ccp_set(problem, i)) == SET_BILATERAL;
  return held > 0 && 2 * held >= problem->block_count;
}

/* ---- the linear system ---------------------------------------------------------------------- */

/* sum += block x; most blocks are 3 x 3. */
static void add_product(const double *block, size_t rows, size_t columns, const double *x,
                        double *sum) {
  if (rows == 3 && columns == 3) {
    for (size_t r = 0; r < 3; r++)
      sum[r] += block[3 * r] * x[0] + block[3 * r + 1] * x[1] + block[3 * r + 2] * x[2];
    return;
  }
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < columns; c++) sum[r] += block[r * columns + c] * x[c];
}

/* y = N x by blocks: a fraction of what a pass over the bodies costs. */
static void multiply_blocks(const direct_state *d, const double *x, double *y) {
  const sparse_blocks *a = &d->n.blocks;
  for (size_t i = 0; i < a->count; i++) {
    const size_t rows = a->row_start[i + 1] - a->row_start[i];
    double sum[SCREE_MAX_DIM] = {0.0};
    for (size_t l = a->start[i]; l < a->start[i + 1]; l++) {
      const size_t j = a->column[l], columns = a->row_start[j + 1] - a->row_start[j];
      add_product(a->value + a->offset[l], rows, columns, x + a->row_start[j], sum);
    }
    for (size_t r = 0; r < rows; r++) y[a->row_start[i] + r] = sum[r];
  }
}

/* y = N x. Where rows say the same twice, impulses along which nothing moves grow by 1 / regular,
 * and with them the rounding of N's entries. Through the bodies such impulses cancel before they
 * are multiplied. */
static void multiply(const solve_run *run, const direct_state *d, const double *x, double *y) {
  if (d->through_bodies)
    op_apply(run->op, x, y);
  else
    multiply_blocks(d, x, y);
}

/* The one of the solve before is good where N and B are the same. */
static bool factorise(solve_run *run, direct_state *d) {
  const ccp_operator *op = run->op;
  const sparse_blocks *a = &d->n.blocks;
  if (d->is_factored && memcmp(d->factored, d->held, a->count) == 0) return true;
  memcpy(d->factored, d->held, a->count);
  for (size_t i = 0; i < a->count; i++) {
    const size_t rows = op->row_start[i + 1] - op->row_start[i];
    for (size_t l = a->start[i]; l < a->start[i + 1]; l++) {
      const size_t j = a->column[l], columns = op->row_start[j + 1] - op->row_start[j];
      double *to = d->value + a->offset[l];
      if (d->held[i] || d->held[j])
        memset(to, 0, rows * columns * sizeof *to);
      else
        memcpy(to, a->value + a->offset[l], rows * columns * sizeof *to);
      if (i != j) continue;
      for (size_t r = 0; r < rows; r++) {
        const double own = to[r * rows + r];
        d->diagonal[op->row_start[i] + r] = own;
        to[r * rows + r] += d->held[i] || !(own > 0.0) ? 1.0 : regular * own;
      }
    }
  }
  sparse_blocks masked = *a;
  masked.value = d->value;
  d->is_factored = sparse_factorise(d->factor, &masked, SPARSE_CHOLESKY);
  return d->is_factored;
}

static void mask(const ccp_operator *op, const direct_state *d, double *x) {
  for (size_t i = 0; i < op->block_count; i++)
    if (d->held[i]) x[op->row_start[i]] = 0.0;
}

/* Takes c out of r, what is left. */
static void take_contradiction(solve_run *run, direct_state *d, double *r) {
  ccp_operator *op = run->op;
  double *z = run->vector[CORRECTION], *c = run->vector[DIRECTION], *image = run->vector[IMAGE];
  op_copy(op, r, c);
  for (int pass = 0; pass < 2; pass++) {
    op_copy(op, c, z);
    sparse_solve(d->factor, z);
    mask(op, d, z);
    multiply(run, d, z, image);
    run->products++;
    op_combine(op, 1.0, c, -1.0, image, c);
    mask(op, d, c);
  }
  op_combine(op, 1.0, r, -1.0, c, r);
  d->contradicts = true;
}

static void find_velocity(solve_run *run, const direct_state *d) {
  double *u = run->vector[VELOCITY];
  if (op_max_abs(run->op, run->g) == 0.0) { /* as where all blocks are free */
    op_copy(run->op, run->op->r, u);
    return;
  }
  multiply(run, d, run->g, u);
  op_combine(run->op, 1.0, u, 1.0, run->op->r, u);
}

/* What is left at the start: -u in F. */
static void begin_refining(solve_run *run, direct_state *d) {
  double *r = run->vector[RESIDUAL];
  for (size_t i = 0; i < run->op->row_count; i++) r[i] = -run->vector[VELOCITY][i];
  mask(run->op, d, r);
  d->contradicts = false;
}

/* g += what makes u vanish in F, but for what rows contradict each other by; u = N g + r at the
 * start and at the end. */
static bool refine(solve_run *run, direct_state *d) {
  ccp_operator *op = run->op;
  const size_t n = op->row_count;
  double *r = run->vector[RESIDUAL], *z = run->vector[CORRECTION], *p = run->vector[DIRECTION];
  double *image = run->vector[IMAGE], *u = run->vector[VELOCITY];
  double rz = 0.0, first = 0.0;
  begin_refining(run, d);
  for (int step = 0; step < REFINEMENTS; step++) {
    memcpy(z, r, n * sizeof *z);
    sparse_solve(d->factor, z);
    mask(op, d, z);
    const double next = op_dot(op, r, z), before = rz, beta = rz > 0.0 ? next / rz : 0.0;
    if (!(next >= 0.0) || !isfinite(next)) return step > 0;
    if (rz == 0.0) first = next;
    if (next == 0.0 || next <= done * done * first) return true;
    for (size_t i = 0; i < n; i++) p[i] = z[i] + beta * p[i];
    multiply(run, d, p, image);
    run->products++;
    const double length = next / op_dot(op, p, image);
    if (!(length > 0.0 && length < longest)) {
      if (!d->through_bodies) {
        d->through_bodies = true;
        find_velocity(run, d);
        begin_refining(run, d);
        rz = 0.0;
        continue;
      }
      if (d->contradicts || !isfinite(length)) return step > 0;
      take_contradiction(run, d, r);
      rz = 0.0;
      continue;
    }
    rz = next;
    for (size_t i = 0; i < n; i++) {
      run->g[i] += length * p[i];
      u[i] += length * image[i];
      r[i] -= length * image[i];
    }
    mask(op, d, r);
    if (before > 0.0 && next * (next / before) <= sure * done * done * first) return true;
  }
  return true;
}

/* ---- the active set ------------------------------------------------------------------------- */

/* The first active set, from the last impulses: a row is at a bound when its projected step stays
 * there. */
static void begin_set(solve_run *run, direct_state *d) {
  const ccp_operator *op = run->op;
  const double *u = run->vector[VELOCITY];
  for (size_t i = 0; i < op->block_count; i++) {
    const set_outline e = set_outline_of(ccp_set(op->problem, i));
    const size_t row = op->row_start[i];
    const double z = run->g[row] - op->eta_force[i] * u[row];
    d->held[i] = z <= e.lo || z >= e.hi;
    if (d->held[i]) run->g[row] = z <= e.lo ? e.lo : e.hi;
    for (size_t r = row; !d->held[i] && r < op->row_start[i + 1]; r++) run->g[r] = 0.0;
  }
}

/* Returns how many blocks changed. With `one` only the worst of them does: slower, but it does not
 * go round in circles of several. */
static size_t change_set(solve_run *run, direct_state *d, bool one) {
  const ccp_operator *op = run->op;
  const double *u = run->vector[VELOCITY];
  const double slack = 1e-12 * op->reference_speed;
  size_t changed = 0, worst_block = 0;
  double worst = 0.0;
  for (size_t i = 0; i < op->block_count; i++) {
    const set_outline e = set_outline_of(ccp_set(op->problem, i));
    if (e.role == SET_BILATERAL) continue;
    const size_t row = op->row_start[i];
    const double g = run->g[row], eta = op->eta_force[i];
    double by = 0.0; /* how wrong it is, m/s */
    if (d->held[i]) {
      if (e.lo < e.hi) by = g == e.lo ? -u[row] : u[row];
    } else if (g < e.lo)
      by = eta > 0.0 ? (e.lo - g) / eta : 1.0;
    else if (g > e.hi)
      by = eta > 0.0 ? (g - e.hi) / eta : 1.0;
    if (!(by > slack)) continue;
    changed++;
    if (by > worst) worst = by, worst_block = i;
    if (!one) d->held[i] = !d->held[i];
  }
  if (one && changed) d->held[worst_block] = !d->held[worst_block];
  for (size_t i = 0; i < op->block_count; i++) {
    const set_outline e = set_outline_of(ccp_set(op->problem, i));
    const size_t row = op->row_start[i];
    if (d->held[i]) run->g[row] = run->g[row] - e.lo <= e.hi - run->g[row] ? e.lo : e.hi;
  }
  return changed;
}

/* Judges the impulses after projecting those outside of their sets. */
static bool judge(solve_run *run, long round) {
  ccp_operator *op = run->op;
  double *inside = run->vector[DIRECTION];
  op_copy(op, run->g, inside);
  op_project(op, inside);
  return solve_check(run, round, inside, NULL);
}

/* What is left of u in F after a refinement. */
static scree_status tell_contradiction(solve_run *run, const direct_state *d) {
  ccp_operator *op = run->op;
  solve_contradiction *c = run->contradiction;
  if (memory_grow(run->context, &c->u, op->row_count, sizeof *c->u) ||
      memory_grow(run->context, &c->d, op->row_count, sizeof *c->d))
    return SCREE_ERROR_MEMORY;
  op_copy(op, run->vector[VELOCITY], c->u);
  mask(op, d, c->u);
  for (size_t r = 0; r < op->row_count; r++)
    c->d[r] = d->diagonal[r] > 0.0 ? c->u[r] / d->diagonal[r] : 0.0;
  c->found = true;
  return SCREE_OK;
}

static scree_status iterate(solve_run *run, direct_state *d) {
  ccp_operator *op = run->op;
  const long rounds = (long)run_option(run, "rounds");
  find_velocity(run, d);
  begin_set(run, d);
  for (long round = 1; round <= rounds; round++) {
    find_velocity(run, d);
    run->products++;
    if (!factorise(run, d) || !refine(run, d)) break;
    const size_t changed = change_set(run, d, round > rounds / 2);
    if (changed == 0 || round == rounds) {
      if (judge(run, round)) return SCREE_OK;
      if (changed == 0 && d->contradicts && op->problem->asks_contradictions)
        return tell_contradiction(run, d);
      if (changed == 0 && d->through_bodies) break;
      d->through_bodies = true;
    }
  }
  if (!run->ended) judge(run, rounds);
  if (!run->ended) op_copy(op, run->best, run->g);
  return SCREE_OK;
}

/* N, its pattern analysed, and room. */
static scree_status form(solve_run *run, direct_state *d) {
  scree_context *context = run->context;
  ccp_operator *op = run->op;
  d->matrix = 0;
  d->is_factored = d->through_bodies = false;
  formed_matrix_clear(context, &d->n);
  scree_status status = d->factor ? SCREE_OK : sparse_create(context, &d->factor);
  if (!status) status = form_delassus(op, &d->n);
  if (status) return status;
  const size_t entries = d->n.blocks.offset[d->n.blocks.start[op->block_count]];
  if (memory_grow(context, &d->value, entries, sizeof *d->value) ||
      memory_grow(context, &d->diagonal, op->row_count, sizeof *d->diagonal) ||
      memory_grow(context, &d->held, op->block_count, sizeof *d->held) ||
      memory_grow(context, &d->factored, op->block_count, sizeof *d->factored))
    return SCREE_ERROR_MEMORY;
  status = sparse_analyse(d->factor, &d->n.blocks);
  if (!status) d->matrix = op->matrix;
  return status;
}

static scree_status solve(solve_run *run) {
  if (!*run->state) *run->state = memory_new(run->context, 1, sizeof(direct_state));
  direct_state *d = *run->state;
  if (!d) return SCREE_ERROR_MEMORY;
  const scree_status status = d->matrix == run->op->matrix ? SCREE_OK : form(run, d);
  return status ? status : iterate(run, d);
}

/* Where N is at hand from the solve before it serves to judge the start too. */
static bool check_start(solve_run *run) {
  const direct_state *d = *run->state;
  if (!d || d->matrix != run->op->matrix) return solve_check_start(run);
  find_velocity(run, d);
  return solve_check(run, 0, run->g, run->vector[VELOCITY]);
}

static scree_status run_direct(solve_run *run) {
  if (solve_is_new(run) && !solve_has_little_time(run) && check_start(run)) return SCREE_OK;
  const scree_status status = solve(run);
  if (!status && !run->ended)
    solve_finish(run, SCREE_OUTCOME_STALLED,
                 "the active set goes round, or rows contradict each other");
  return status;
}

static void release(scree_context *context, void *state) {
  direct_state *d = state;
  formed_matrix_clear(context, &d->n);
  if (d->factor) sparse_destroy(d->factor);
  memory_free(context, d->factored);
  memory_free(context, d->value);
  memory_free(context, d->diagonal);
  memory_free(context, d->held);
  memory_free(context, d);
}

const solver_class solver_direct = {
    .name = "direct",
    .summary = "joints, motors and stops by factorisations and an active set; no friction",
    .options = direct_options,
    .option_count = sizeof direct_options / sizeof direct_options[0],
    .coulomb = true,
    .patient = true,
    .judges_start = true,
    .vector_count = VECTORS,
    .refuse = refuse,
    .run = run_direct,
    .release = release,
};

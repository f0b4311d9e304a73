/* Small swings about the world's state: K x = w^2 M x with D'x = 0, K with the stiffness that loads
 * and multipliers give. The lowest by inverse iteration of a subspace, with a shift s > 0 so that
 * free bodies do no harm:
 *
 *   [ K + s M  D ] [ Y ]   [ M X ]
 *   [ D'      -C ] [ . ] = [  0  ],     then Ritz: (Y'M X) z = (w^2 + s) (Y'M Y) z,   X = Y z
 *
 * Dampers and gyroscopic terms are left out. */
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"
#include "step/smooth/smooth.h"

enum { MOST_ROUNDS = 300, MORE = 8 };
static const double enough = 1e-12;
/* After all rounds: what does not fall below this, of the largest value and of the shift, is
 * rounding, as in free bodies and where joints leave little. */
static const double rounding = 1e-7, rounding_of_shift = 1e-2;

typedef struct subspace {
  smooth_system *system;
  linear_solver *linear;
  size_t n, p;
  double *x, *y, *mx, *my; /* p vectors of n each */
  double *a, *b, *z, *value;
} subspace;

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* B = L L' in place (lower); false: not positive. p x p by rows. */
static bool cholesky(double *b, size_t p) {
  for (size_t j = 0; j < p; j++)
    for (size_t i = j; i < p; i++) {
      double sum = b[i * p + j];
      for (size_t k = 0; k < j; k++) sum -= b[i * p + k] * b[j * p + k];
      if (i == j && !(sum > 0.0)) return false;
      b[i * p + j] = i == j ? sqrt(sum) : sum / b[j * p + j];
    }
  return true;
}

/* A z = value B z for the small matrices: L^-1 A L^-T, then back. */
static bool small_problem(subspace *q) {
  const size_t p = q->p;
  double *a = q->a, *l = q->b;
  if (!cholesky(l, p)) return false;
  for (size_t c = 0; c < p; c++) /* rows, then columns */
    for (size_t i = 0; i < p; i++) {
      for (size_t k = 0; k < i; k++) a[i * p + c] -= l[i * p + k] * a[k * p + c];
      a[i * p + c] /= l[i * p + i];
    }
  for (size_t r = 0; r < p; r++)
    for (size_t i = 0; i < p; i++) {
      for (size_t k = 0; k < i; k++) a[r * p + i] -= l[i * p + k] * a[r * p + k];
      a[r * p + i] /= l[i * p + i];
    }
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j < i; j++)
      a[i * p + j] = a[j * p + i] = 0.5 * (a[i * p + j] + a[j * p + i]);
  dense_eigen(p, a, 1e-32, q->z);
  for (size_t i = 0; i < p; i++) q->value[i] = a[i * p + i];
  for (size_t c = 0; c < p; c++)
    for (size_t i = p; i-- > 0;) {
      for (size_t k = i + 1; k < p; k++) q->z[i * p + c] -= l[k * p + i] * q->z[k * p + c];
      q->z[i * p + c] /= l[i * p + i];
    }
  return true;
}

static void sort(subspace *q) {
  const size_t p = q->p;
  for (size_t i = 0; i < p; i++) {
    size_t least = i;
    for (size_t j = i + 1; j < p; j++)
      if (q->value[j] < q->value[least]) least = j;
    const double value = q->value[i];
    q->value[i] = q->value[least];
    q->value[least] = value;
    for (size_t k = 0; k < p; k++) {
      const double z = q->z[k * p + i];
      q->z[k * p + i] = q->z[k * p + least];
      q->z[k * p + least] = z;
    }
  }
}

/* Takes the vectors before out of Y_c, in M, and the same out of M X_c. The first round needs it:
 * of a free part all vectors are nearly rigid motions, as these have the shift alone against them.
 */
static void part(subspace *q, size_t c) {
  const size_t n = q->n;
  double *y = q->y + c * n, *mx = q->mx + c * n, *my = q->my + c * n;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t k = 0; k < c; k++) {
      const double d = dot(q->my + k * n, y, n);
      for (size_t i = 0; i < n; i++) {
        y[i] -= d * q->y[k * n + i];
        mx[i] -= d * q->mx[k * n + i];
      }
    }
    system_mass(q->system, y, my);
    const double size = sqrt(fmax(dot(y, my, n), 0.0));
    for (size_t i = 0; i < n && size > 0.0; i++) {
      y[i] /= size;
      mx[i] /= size;
      my[i] /= size;
    }
  }
}

/* One round; false: the vectors have become dependent. */
static scree_status turn(subspace *q, bool *good) {
  smooth_system *s = q->system;
  const size_t n = q->n, p = q->p;
  double unused;
  for (size_t c = 0; c < p; c++) {
    system_mass(s, q->x + c * n, q->mx + c * n);
    memcpy(s->x, q->mx + c * n, n * sizeof *s->x);
    memset(s->x + n, 0, s->rows * sizeof *s->x);
    const scree_status status = q->linear->class->solve(q->linear->self, &s->matrix, s->x, &unused);
    if (status) return status;
    memcpy(q->y + c * n, s->x, n * sizeof *s->x);
    part(q, c);
  }
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j < p; j++) {
      q->a[i * p + j] = dot(q->y + i * n, q->mx + j * n, n);
      q->b[i * p + j] = dot(q->y + i * n, q->my + j * n, n);
    }
  *good = small_problem(q);
  if (!*good) return SCREE_OK;
  sort(q);
  memset(q->x, 0, n * p * sizeof *q->x);
  for (size_t c = 0; c < p; c++)
    for (size_t k = 0; k < p; k++)
      for (size_t i = 0; i < n; i++) q->x[c * n + i] += q->z[k * p + c] * q->y[k * n + i];
  return SCREE_OK;
}

static bool same_values(const subspace *q, size_t count, double shift, bool last,
                        const double *before) {
  double most = 0.0;
  for (size_t k = 0; k < count; k++) most = fmax(most, fabs(q->value[k]));
  for (size_t k = 0; k < count; k++) {
    const double allowed =
        last ? rounding * most + rounding_of_shift * shift : enough * fabs(q->value[k]);
    if (!(fabs(q->value[k] - before[k]) <= allowed)) return false;
  }
  return true;
}

static scree_status iterate(subspace *q, size_t count, double shift, double *frequencies,
                            bool *converged) {
  double before[64] = {0.0};
  uint64_t seed = 1;
  for (size_t i = 0; i < q->n * q->p; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    q->x[i] = (double)(seed >> 11) / 9007199254740992.0 - 0.5;
  }
  *converged = false;
  for (int round = 0; round < MOST_ROUNDS && !*converged; round++) {
    bool good;
    if (context_stopped(q->system->context))
      return context_fail(q->system->context, SCREE_ERROR_STOPPED, "modes: stopped by the caller");
    const scree_status status = turn(q, &good);
    if (status) return status;
    if (!good)
      return context_fail(q->system->context, SCREE_ERROR_NUMERIC,
                          "modes: there are fewer than %zu that joints leave", count);
    *converged = same_values(q, count, shift, round + 1 == MOST_ROUNDS, before);
    memcpy(before, q->value, count * sizeof *before);
  }
  for (size_t k = 0; k < count; k++) {
    const double square = q->value[k] - shift;
    frequencies[k] = (square < 0.0 ? -1.0 : 1.0) * sqrt(fabs(square)) / 6.283185307179586;
  }
  return SCREE_OK;
}

/* Far below all that counts, and far above rounding: 1e-9 of what single bodies would have at most,
 * by K and by springs that are rows, along places and in turns. */
static double choose_shift(const smooth_system *s) {
  double most = 0.0;
  const kkt_matrix *m = &s->matrix;
  for (uint32_t r = 0; r < s->bodies; r++) {
    const double *block = kkt_block(m, r, r);
    const double mass = s->world->bodies.mass[s->body[r]];
    const v3 in = s->world->bodies.inertia[s->body[r]];
    const double turn = fmax(fabs(block[21]), fmax(fabs(block[28]), fabs(block[35])));
    for (int i = 0; i < 3; i++) most = fmax(most, fabs(block[7 * i]) / mass);
    most = fmax(most, turn / fmax(in.x, fmax(in.y, in.z)));
  }
  for (size_t k = 0; k < s->rows; k++) {
    const smooth_row *row = &s->row[k];
    for (int side = 0; row->kind == HOLD_SOFT && side < JOINT_SIDES; side++) {
      const uint32_t r = row->body[side];
      if (r == SMOOTH_NONE) continue;
      const v3 in = s->world->bodies.inertia[s->body[r]];
      const double places = v3_norm2(v3_load(row->c[side])) / s->world->bodies.mass[s->body[r]];
      const double turns = v3_norm2(v3_load(row->c[side] + 3)) / fmax(in.x, fmax(in.y, in.z));
      most = fmax(most, row->stiffness * (places + turns));
    }
  }
  return most > 0.0 ? 1e-9 * most : 1.0;
}

/* Turns of bodies that are held at their centre alone, as nodes of tetrahedra are, mean nothing:
 * they are made stiff beyond all that counts. f: how stiff, per body; 0: not. From the matrix of K.
 */
static void find_points(smooth_system *s) {
  const kkt_matrix *m = &s->matrix;
  double most = 0.0;
  for (uint32_t r = 0; r < s->bodies; r++)
    for (int i = 0; i < 3; i++) most = fmax(most, fabs(kkt_block(m, r, r)[7 * i]));
  for (uint32_t r = 0; r < s->bodies; r++) {
    double turn = 0.0;
    const double *own = kkt_block(m, r, r);
    bool held = false;
    for (int i = 0; i < 3; i++) held |= own[7 * i] != 0.0;
    for (size_t k = m->start[r]; k < m->start[r + 1]; k++) {
      const uint32_t columns = m->rows[m->neighbour[k]];
      for (uint32_t i = 3 * columns; i < 6 * columns; i++)
        turn = fmax(turn, fabs(m->value[m->offset[k] + i]));
    }
    s->f[r] = held && turn == 0.0 ? 1e3 * most / s->world->bodies.mass[s->body[r]] : 0.0;
  }
}

static void pin_points(smooth_system *s) {
  for (uint32_t r = 0; r < s->bodies; r++) {
    const v3 in = s->world->bodies.inertia[s->body[r]];
    double *own = kkt_block(&s->matrix, r, r);
    own[21] += s->f[r] * in.x;
    own[28] += s->f[r] * in.y;
    own[35] += s->f[r] * in.z;
  }
}

static scree_status prepare(smooth_system *s, linear_solver *linear, double *shift) {
  double loss;
  smooth_weights weights = {.place = 1.0, .geometric = true};
  /* Multipliers of the state, for the stiffness that they give. */
  scree_status status = system_start(s, linear, &loss);
  if (status) return status;
  memset(s->a, 0, 6 * s->bodies * sizeof *s->a);
  memcpy(s->lambda, s->lambda0, s->rows * sizeof *s->lambda);
  system_matrix(s, &weights);
  *shift = choose_shift(s);
  find_points(s);
  weights.mass = *shift;
  system_matrix(s, &weights);
  pin_points(s);
  return linear->class->prepare(linear->self, &s->matrix);
}

/* How many swings joints and pinned turns leave: vectors beyond these would be rounding alone. */
static scree_status count_free(const smooth_system *s, size_t *left) {
  scree_freedom freedom;
  const scree_status status = scree_world_count_freedom(s->world, NULL, NULL, &freedom);
  size_t pinned = 0;
  for (uint32_t r = 0; r < s->bodies; r++) pinned += s->f[r] > 0.0 ? 3 : 0;
  /* A motor that keeps its speed holds its coordinate. */
  for (size_t k = 0; k < s->rows; k++) pinned += s->row[k].kind == HOLD_SPEED ? 1 : 0;
  *left = status || freedom.freedom <= pinned ? 0 : freedom.freedom - pinned;
  return status;
}

static scree_status run(smooth_system *s, linear_solver *linear, size_t count, double *frequencies,
                        double *shapes, bool *converged) {
  subspace q = {.system = s, .linear = linear, .n = 6 * s->bodies};
  const size_t wanted = count;
  size_t left = 0;
  double shift;
  scree_status status = prepare(s, linear, &shift);
  if (!status) status = count_free(s, &left);
  if (status) return status;
  if (count > left) count = left;
  for (size_t k = count; k < wanted; k++) frequencies[k] = NAN;
  if (shapes) memset(shapes + count * q.n, 0, (wanted - count) * q.n * sizeof *shapes);
  *converged = true;
  if (!count) return SCREE_OK;
  const size_t least = count + MORE, twice = 2 * count;
  q.p = least > twice ? least : twice;
  if (q.p > left) q.p = left;
  const size_t large = q.n * q.p, small = q.p * q.p;
  double *room = memory_new(s->context, 4 * large + 3 * small + q.p, sizeof *room);
  if (!room) return SCREE_ERROR_MEMORY;
  q.x = room, q.y = q.x + large, q.mx = q.y + large, q.my = q.mx + large;
  q.a = q.my + large, q.b = q.a + small, q.z = q.b + small, q.value = q.z + small;
  status = iterate(&q, count, shift, frequencies, converged);
  if (!status && shapes) memcpy(shapes, q.x, count * q.n * sizeof *shapes);
  memory_free(s->context, room);
  return status;
}

scree_status scree_world_find_modes(scree_world *w, size_t count, double *frequencies,
                                    double *shapes, bool *converged) {
  smooth_system s;
  linear_solver linear = {0};
  bool again, done = false;
  if (!w || !count || count > 64 || !frequencies)
    return context_fail(w ? w->context : NULL, SCREE_ERROR_ARGUMENT,
                        "modes: 1 to 64 of them are found at a time");
  context_begin(w->context);
  system_init(&s, w);
  scree_status status = linear_create(w->context, 0, &linear);
  if (!status) status = system_begin(&s, &again);
  if (!status && count > 6 * s.bodies)
    status = context_fail(w->context, SCREE_ERROR_ARGUMENT,
                          "modes: %zu were requested of %zu bodies, which have %zu at most", count,
                          s.bodies, 6 * s.bodies);
  if (!status) {
    /* Velocities are set to 0, so that spin does not change the modes. */
    memset(s.v0, 0, 6 * s.bodies * sizeof *s.v0);
    status = run(&s, &linear, count, frequencies, shapes, &done);
    system_back(&s);
  }
  if (converged) *converged = done;
  linear_destroy(&linear);
  system_clear(&s);
  return status;
}

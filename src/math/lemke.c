/* See lemke.h. Names: w_i is i, z_i is n + i, z0 is 2 n. The last column of the dictionary is the
 * constant.
 *
 * The lexicographic rule perturbs q_j by e^(j+1): the row of a basic variable then carries, behind
 * its value, the entries -T(row, w_j) for w_j among the columns and 1 for its own w_j. */
#include "math/lemke.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/dense.h"

static const double least_pivot = 1e-9; /* of the column's largest entry */
static const double tie = 1e-11;        /* of ratios, relative to 1 + ratio */
static const double weak = 1e-7;        /* pivots that lose against the largest of a tie */
enum { MOST_PIVOTS = 50 };              /* times n + 10 */
enum { SPANS = 64, SPAN_GAP = 8 };

/* row += factor * pivot_row over the columns that are not zero there, in runs: problems of contacts
 * are sparse, and their dictionaries stay so for a long time. */
typedef struct span {
  size_t begin, end;
} span;

static size_t spans_of(const double *row, size_t columns, span *spans) {
  size_t count = 0;
  for (size_t j = 0; j < columns;) {
    while (j < columns && row[j] == 0.0) j++;
    if (j == columns) break;
    const size_t begin = j;
    size_t zeros = 0;
    while (j < columns && zeros < SPAN_GAP) zeros = row[j++] == 0.0 ? zeros + 1 : 0;
    if (count == SPANS) {
      spans[count - 1].end = columns;
      return count;
    }
    spans[count++] = (span){begin, j - zeros};
  }
  return count;
}

void lemke_exchange(size_t rows, size_t columns, double *table, size_t r, size_t c) {
  double *pivot_row = table + r * columns;
  const double inverse = 1.0 / pivot_row[c];
  for (size_t j = 0; j < columns; j++) pivot_row[j] *= -inverse;
  pivot_row[c] = inverse;
  span spans[SPANS];
  const size_t count = spans_of(pivot_row, columns, spans);
  for (size_t i = 0; i < rows; i++) {
    double *row = table + i * columns;
    const double factor = row[c];
    if (i == r || factor == 0.0) continue;
    row[c] = 0.0;
    for (size_t k = 0; k < count; k++)
      for (size_t j = spans[k].begin; j < spans[k].end; j++) row[j] += factor * pivot_row[j];
  }
}

typedef struct run {
  size_t n, columns;
  double *table;
  uint32_t *row_name, *column_name, *candidate;
  uint32_t *place; /* of a name among the columns; UINT32_MAX: it is a row */
} run;

static double at(const run *l, size_t i, size_t j) {
  return l->table[i * l->columns + j];
}

static double value_of(const run *l, size_t i) {
  return at(l, i, l->n + 1);
}

/* The column of a variable, or more than n when it is a row. */
static size_t column_of(const run *l, uint32_t name) {
  return l->place[name];
}

/* Keeps of the candidates those whose level, divided by their size, is least. */
static size_t keep_least(const run *l, size_t count, size_t entering, double sign, uint32_t name,
                         double constant) {
  const size_t column = constant > 0.0 ? l->n + 1 : column_of(l, name);
  double least = INFINITY;
  size_t kept = 0;
  for (int pass = 0; pass < 2; pass++)
    for (size_t k = 0; k < count; k++) {
      const uint32_t i = l->candidate[k];
      double level;
      if (constant > 0.0)
        level = value_of(l, i);
      else if (column <= l->n)
        level = -at(l, i, column);
      else
        level = l->row_name[i] == name ? 1.0 : 0.0;
      const double ratio = level / (sign * at(l, i, entering));
      if (pass == 0)
        least = fmin(least, ratio);
      else if (ratio <= least + tie * (1.0 + fabs(least)))
        l->candidate[kept++] = i;
    }
  return kept;
}

static size_t drop_weak(const run *l, size_t count, size_t entering) {
  double most = 0.0;
  for (size_t k = 0; k < count; k++) most = fmax(most, fabs(at(l, l->candidate[k], entering)));
  size_t kept = 0;
  for (size_t k = 0; k < count; k++)
    if (fabs(at(l, l->candidate[k], entering)) >= weak * most)
      l->candidate[kept++] = l->candidate[k];
  return kept;
}

/* The row that leaves when a column enters: rows with sign * entry > 0; n: none. */
static size_t leaving(const run *l, size_t entering, double sign) {
  double most = 0.0;
  size_t count = 0;
  for (size_t i = 0; i < l->n; i++) most = fmax(most, fabs(at(l, i, entering)));
  for (size_t i = 0; i < l->n; i++)
    if (sign * at(l, i, entering) > least_pivot * fmax(most, 1e-3))
      l->candidate[count++] = (uint32_t)i;
  if (count == 0) return l->n;
  count = keep_least(l, count, entering, sign, 0, 1.0);
  for (size_t k = 0; k < count; k++)
    if (l->row_name[l->candidate[k]] == 2 * l->n) return l->candidate[k];
  count = drop_weak(l, count, entering);
  for (size_t j = 0; j < l->n && count > 1; j++)
    count = keep_least(l, count, entering, sign, (uint32_t)j, 0.0);
  return l->candidate[0];
}

static void exchange(const run *l, size_t r, size_t c) {
  lemke_exchange(l->n, l->columns, l->table, r, c);
  const uint32_t name = l->row_name[r];
  l->row_name[r] = l->column_name[c];
  l->column_name[c] = name;
  l->place[name] = (uint32_t)c;
  l->place[l->row_name[r]] = UINT32_MAX;
  for (size_t i = 0; i < l->n; i++) { /* feasible but for rounding */
    double *value = &l->table[i * l->columns + l->n + 1];
    if (*value < 0.0 && *value > -1e-9) *value = 0.0;
  }
}

static void fill(run *l, const lemke_problem *p) {
  const size_t n = l->n;
  for (size_t i = 0; i < n; i++) {
    double *row = l->table + i * l->columns;
    memcpy(row, p->m + i * n, n * sizeof *row);
    row[n] = p->cover ? p->cover[i] : 1.0;
    row[n + 1] = p->q[i];
    l->row_name[i] = (uint32_t)i;
    l->column_name[i] = (uint32_t)(n + i);
    l->place[i] = UINT32_MAX;
    l->place[n + i] = (uint32_t)i;
  }
  l->column_name[n] = (uint32_t)(2 * n);
  l->place[2 * n] = (uint32_t)n;
}

static lemke_end pivot_on(run *l, const lemke_problem *p, long *pivots, size_t *ray) {
  const size_t n = l->n;
  size_t entering = n, row = leaving(l, entering, 1.0); /* the lowest level of q over d */
  for (*pivots = 0; *pivots < MOST_PIVOTS * ((long)n + 10);) {
    if (p->go_on && !p->go_on(p->user, *pivots)) return LEMKE_STOPPED;
    const uint32_t name = l->row_name[row];
    exchange(l, row, entering);
    ++*pivots;
    if (name == 2 * n) return LEMKE_SOLVED;
    entering = column_of(l, name < n ? name + (uint32_t)n : name - (uint32_t)n);
    row = leaving(l, entering, -1.0);
    if (row == n) {
      *ray = entering;
      return LEMKE_RAY;
    }
  }
  return LEMKE_LOST;
}

static double complementarity(const lemke_problem *p, const double *z) {
  double worst = 0.0;
  for (size_t i = 0; i < p->n; i++) {
    double w = p->q[i];
    for (size_t j = 0; j < p->n; j++) w += p->m[i * p->n + j] * z[j];
    worst = fmax(worst, fabs(fmin(z[i], w)));
    if (isnan(w)) return INFINITY;
  }
  return worst;
}

/* The z of the basis from M_AA z_A = -q_A; kept when it is the better one. */
static scree_status refine(scree_context *context, lemke_work *work, const run *l,
                           const lemke_problem *p, double *z, double *residual) {
  const size_t n = l->n;
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    if (l->row_name[i] >= n && l->row_name[i] < 2 * n)
      l->candidate[count++] = l->row_name[i] - (uint32_t)n;
  }
  if (count == 0) return SCREE_OK;
  if (memory_grow(context, &work->system, count * (count + 1) + n, sizeof(double)) ||
      memory_grow(context, &work->pivot, count, sizeof(int)))
    return SCREE_ERROR_MEMORY;
  double *a = work->system, *x = a + count * count, *other = x + count;
  for (size_t j = 0; j < count; j++)
    for (size_t i = 0; i < count; i++)
      a[i + j * count] = p->m[l->candidate[i] * n + l->candidate[j]];
  for (size_t i = 0; i < count; i++) x[i] = -p->q[l->candidate[i]];
  if (dense_lu(count, a, count, 1e-15, work->pivot) < count) return SCREE_OK;
  dense_lu_solve(count, a, count, work->pivot, 1, x, count);
  memset(other, 0, n * sizeof *other);
  for (size_t i = 0; i < count; i++) other[l->candidate[i]] = fmax(x[i], 0.0);
  const double again = complementarity(p, other);
  if (again < *residual) {
    *residual = again;
    memcpy(z, other, n * sizeof *z);
  }
  return SCREE_OK;
}

static scree_status prepare(scree_context *context, lemke_work *work, size_t n) {
  if (memory_grow(context, &work->table, n * (n + 2), sizeof(double)) ||
      memory_grow(context, &work->row_name, n, sizeof(uint32_t)) ||
      memory_grow(context, &work->column_name, n + 1, sizeof(uint32_t)) ||
      memory_grow(context, &work->candidate, n, sizeof(uint32_t)) ||
      memory_grow(context, &work->place, 2 * n + 1, sizeof(uint32_t)))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

scree_status lemke_solve(scree_context *context, lemke_work *work, const lemke_problem *p,
                         double *z, lemke_result *result) {
  const size_t n = p->n;
  *result = (lemke_result){.end = LEMKE_SOLVED};
  if (n == 0) return SCREE_OK;
  memset(z, 0, n * sizeof *z);
  double lowest = 0.0;
  for (size_t i = 0; i < n; i++) lowest = fmin(lowest, p->q[i]);
  if (lowest >= 0.0) return SCREE_OK;
  const scree_status status = prepare(context, work, n);
  if (status) return status;
  run l = {n, n + 2, work->table, work->row_name, work->column_name, work->candidate, work->place};
  size_t ray = 0;
  fill(&l, p);
  result->end = pivot_on(&l, p, &result->pivots, &ray);
  if (result->end != LEMKE_SOLVED && result->end != LEMKE_RAY) return SCREE_OK;
  const bool solved = result->end == LEMKE_SOLVED;
  if (!solved && l.column_name[ray] >= n && l.column_name[ray] < 2 * n)
    z[l.column_name[ray] - n] = 1.0;
  for (size_t i = 0; i < n; i++)
    if (l.row_name[i] >= n && l.row_name[i] < 2 * n)
      z[l.row_name[i] - n] = fmax(solved ? value_of(&l, i) : at(&l, i, ray), 0.0);
  if (!solved) return SCREE_OK;
  result->residual = complementarity(p, z);
  return refine(context, work, &l, p, z, &result->residual);
}

void lemke_clear(scree_context *context, lemke_work *work) {
  void *all[] = {work->table, work->row_name, work->column_name, work->candidate,
                 work->place, work->system,   work->pivot};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) memory_free(context, all[k]);
  memset(work, 0, sizeof *work);
}

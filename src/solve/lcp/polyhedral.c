/* See polyhedral.h. */
#include "solve/lcp/polyhedral.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ccp/sets/set.h"
#include "math/lemke.h"

static const double full_turn = 6.283185307179586;
static const double dependent = 1e-10; /* pivots of joints below that part of their diagonal */
static const double first_width = 0.2, narrowing = 0.3; /* rad; of widths, with each turn */

/* The outline without discs of radius 0. */
static set_outline outline_of(const scree_set *set) {
  set_outline o = set_outline_of(set);
  int kept = 0;
  for (int j = 0; j < o.disc_count; j++)
    if (o.disc[j].size[0] > 0.0 || o.disc[j].size[1] > 0.0) o.disc[kept++] = o.disc[j];
  o.disc_count = kept;
  return o;
}

static bool is_free(const set_outline *o) {
  return isinf(o->lo) && isinf(o->hi);
}

static bool is_free_block(const scree_ccp *problem, size_t block) {
  const set_outline o = set_outline_of(ccp_set(problem, block));
  return is_free(&o);
}

size_t polyhedral_size(const scree_ccp *problem, int corners) {
  size_t n = 0;
  for (size_t i = 0; i < problem->block_count; i++) {
    const set_outline o = outline_of(ccp_set(problem, i));
    if (is_free(&o)) continue;
    n++;
    for (int j = 0; j < o.disc_count; j++) n += 1 + (size_t)(o.disc[j].count == 2 ? corners : 2);
    n += isfinite(o.lo) && isfinite(o.hi);
  }
  return n;
}

/* ---- joints --------------------------------------------------------------------------------- */

/* Exchanges u_b (= 0) with g_b for the bilateral rows, largest pivots first; rows that depend on
 * others keep g_b = 0. */
static void eliminate(polyhedral *p, const ccp_operator *op) {
  const size_t rows = op->row_count, columns = rows + 1;
  for (size_t i = 0; i < op->block_count; i++)
    for (size_t k = op->row_start[i]; k < op->row_start[i + 1]; k++) {
      p->diagonal[k] = is_free_block(op->problem, i) ? p->table[k * columns + k] : 0.0;
      p->eliminated[k] = 0;
    }
  for (;;) {
    size_t best = rows;
    double most = dependent;
    for (size_t k = 0; k < rows; k++) {
      if (p->eliminated[k] || !(p->diagonal[k] > 0.0)) continue;
      const double part = p->table[k * columns + k] / p->diagonal[k];
      if (part <= most) continue;
      most = part;
      best = k;
    }
    if (best == rows) return;
    lemke_exchange(rows, columns, p->table, best, best);
    p->eliminated[best] = 1;
  }
}

scree_status polyhedral_prepare(polyhedral *p, ccp_operator *op, const sparse_blocks *n) {
  scree_context *c = op->context;
  const size_t rows = op->row_count, columns = rows + 1, blocks = op->block_count;
  if (memory_grow(c, &p->table, rows * columns, sizeof(double)) ||
      memory_grow(c, &p->eliminated, rows, sizeof *p->eliminated) ||
      memory_grow(c, &p->base, rows, sizeof(double)) ||
      memory_grow(c, &p->diagonal, rows, sizeof(double)) ||
      memory_grow(c, &p->aim, 2 * blocks, sizeof *p->aim))
    return SCREE_ERROR_MEMORY;
  memset(p->aim, 0, 2 * blocks * sizeof *p->aim);
  memset(p->table, 0, rows * columns * sizeof *p->table);
  for (size_t i = 0; i < blocks; i++)
    for (size_t k = n->start[i]; k < n->start[i + 1]; k++) {
      const size_t row = op->row_start[i], column = op->row_start[n->column[k]];
      const size_t di = op->row_start[i + 1] - row;
      const size_t dj = op->row_start[n->column[k] + 1] - column;
      for (size_t a = 0; a < di; a++)
        for (size_t b = 0; b < dj; b++)
          p->table[(row + a) * columns + column + b] = n->value[n->offset[k] + a * dj + b];
    }
  for (size_t k = 0; k < rows; k++) p->table[k * columns + rows] = op->r[k];
  eliminate(p, op);
  return SCREE_OK;
}

/* ---- variables ------------------------------------------------------------------------------ */

static polyhedral_variable *add_variable(polyhedral *p, uint32_t row, int dim) {
  polyhedral_variable *v = &p->variable[p->n++];
  *v = (polyhedral_variable){.row = row, .dim = dim};
  return v;
}

/* Constraint `c` >= 0 has the coefficient a on variable k, whose own row gets -a times the
 * multiplier unless `one_way`. */
static void couple(polyhedral *p, size_t size, size_t c, size_t k, double a, bool one_way) {
  p->m[c * size + k] = a;
  if (!one_way) p->m[k * size + c] = -a;
}

/* The angle of corner c: evenly; or three on the far side, the others `width` apart around the aim.
 */
static double corner_angle(const polyhedral_aim *aim, int c, int corners) {
  if (!(aim->width > 0.0)) return full_turn * c / corners;
  if (c < 3) return aim->centre + full_turn * (0.5 + 0.17 * (c - 1));
  return aim->centre + aim->width * (c - 3 - 0.5 * (corners - 4));
}

static void add_disc(polyhedral *p, size_t size, const ccp_operator *op, size_t block,
                     const set_disc *d, size_t normal, double scale, bool coulomb, int corners) {
  const uint32_t row = op->row_start[block];
  const int dim = ccp_dim(op->problem, block), count = d->count == 2 ? corners : 2;
  const polyhedral_aim *aim = &p->aim[2 * block + rows_is_moment(d->first)];
  const size_t first = p->n;
  for (int c = 0; c < count; c++) {
    polyhedral_variable *v = add_variable(p, row, dim);
    const double angle = d->count == 2 ? corner_angle(aim, c, corners) : 0.5 * full_turn * c;
    v->direction[d->first] = scale * d->size[0] * cos(angle);
    if (d->count == 2) v->direction[d->first + 1] = scale * d->size[1] * sin(angle);
  }
  const size_t multiplier = p->n;
  add_variable(p, row, 0);
  couple(p, size, multiplier, normal, 1.0, coulomb);
  for (size_t k = first; k < multiplier; k++) couple(p, size, multiplier, k, -1.0, false);
}

static void add_upper(polyhedral *p, size_t size, uint32_t row, size_t variable, double bound) {
  const size_t multiplier = p->n;
  add_variable(p, row, 0);
  couple(p, size, multiplier, variable, -1.0, false);
  p->q[multiplier] = bound;
}

static void add_block(polyhedral *p, size_t size, const ccp_operator *op, size_t i, bool coulomb,
                      int corners) {
  const set_outline o = outline_of(ccp_set(op->problem, i));
  const uint32_t row = op->row_start[i];
  const int dim = ccp_dim(op->problem, i);
  memset(p->base + row, 0, (size_t)dim * sizeof *p->base);
  if (is_free(&o)) return;
  const double scale = op->eta_force[i] > 0.0 ? sqrt(op->eta_force[i]) : 1.0;
  const size_t normal = p->n;
  polyhedral_variable *v = add_variable(p, row, dim);
  const bool from_below = isfinite(o.lo);
  v->direction[0] = from_below ? scale : -scale;
  p->base[row] = from_below ? o.lo : o.hi;
  for (int j = 0; j < o.disc_count; j++)
    add_disc(p, size, op, i, &o.disc[j], normal, scale, coulomb, corners);
  if (from_below && isfinite(o.hi)) add_upper(p, size, row, normal, (o.hi - o.lo) / scale);
}

/* M_kl = dir_k' N dir_l, q_k = dir_k' (N g0 + r), over the rows that are left. */
static void fill_velocities(polyhedral *p, const ccp_operator *op) {
  const size_t rows = op->row_count, columns = rows + 1, n = p->n;
  double largest = 0.0;
  for (size_t k = 0; k < n; k++) {
    const polyhedral_variable *v = &p->variable[k];
    if (v->dim == 0) continue;
    double sum = 0.0;
    for (int a = 0; a < v->dim; a++) {
      if (v->direction[a] == 0.0) continue;
      const double *line = p->table + (v->row + (size_t)a) * columns;
      double u = line[rows];
      for (size_t j = 0; j < rows; j++)
        if (p->base[j] != 0.0) u += line[j] * p->base[j];
      sum += v->direction[a] * u;
      for (size_t l = 0; l < n; l++) {
        const polyhedral_variable *o = &p->variable[l];
        for (int b = 0; b < o->dim; b++)
          p->m[k * n + l] += v->direction[a] * line[o->row + (size_t)b] * o->direction[b];
      }
    }
    p->q[k] = sum;
    largest = fmax(largest, fabs(sum));
  }
  p->unit = largest > 0.0 ? largest : 1.0;
  for (size_t k = 0; k < n; k++) p->q[k] /= p->unit;
}

scree_status polyhedral_build(polyhedral *p, const ccp_operator *op, scree_model model,
                              int corners) {
  scree_context *c = op->context;
  const size_t n = polyhedral_size(op->problem, corners);
  if (memory_grow(c, &p->m, n * n, sizeof(double)) || memory_grow(c, &p->q, n, sizeof(double)) ||
      memory_grow(c, &p->variable, n, sizeof *p->variable))
    return SCREE_ERROR_MEMORY;
  if (n > 0) {
    memset(p->m, 0, n * n * sizeof *p->m);
    memset(p->q, 0, n * sizeof *p->q);
  }
  p->n = 0;
  for (size_t i = 0; i < op->block_count; i++)
    add_block(p, n, op, i, model == SCREE_MODEL_COULOMB, corners);
  fill_velocities(p, op);
  return SCREE_OK;
}

void polyhedral_impulses(const polyhedral *p, const ccp_operator *op, const double *z,
                         bool direction, double *g) {
  const size_t rows = op->row_count, columns = rows + 1;
  for (size_t k = 0; k < rows; k++) g[k] = direction || p->eliminated[k] ? 0.0 : p->base[k];
  for (size_t k = 0; k < p->n; k++)
    for (int a = 0; a < p->variable[k].dim; a++)
      g[p->variable[k].row + (size_t)a] += p->unit * z[k] * p->variable[k].direction[a];
  for (size_t k = 0; k < rows; k++) {
    if (!p->eliminated[k]) continue;
    const double *line = p->table + k * columns;
    double sum = direction ? 0.0 : line[rows];
    for (size_t j = 0; j < rows; j++)
      if (!p->eliminated[j]) sum += line[j] * g[j];
    g[k] = sum;
  }
}

void polyhedral_turn(polyhedral *p, const ccp_operator *op, const double *g) {
  for (size_t i = 0; i < op->block_count; i++) {
    const set_outline o = outline_of(ccp_set(op->problem, i));
    for (int j = 0; j < o.disc_count; j++) {
      const set_disc *d = &o.disc[j];
      if (d->count != 2) continue;
      polyhedral_aim *aim = &p->aim[2 * i + rows_is_moment(d->first)];
      const double *t = g + op->row_start[i] + d->first;
      const double x = d->size[0] > 0.0 ? t[0] / d->size[0] : 0.0;
      const double y = d->size[1] > 0.0 ? t[1] / d->size[1] : 0.0;
      if (x == 0.0 && y == 0.0) continue;
      const double angle = atan2(y, x), off = remainder(angle - aim->centre, full_turn);
      if (!(aim->width > 0.0))
        aim->width = first_width;
      else if (fabs(off) <= 2.01 * aim->width)
        aim->width *= narrowing;
      else
        aim->width = fmin(aim->width / narrowing, first_width);
      aim->centre = angle;
    }
  }
}

void polyhedral_clear(scree_context *context, polyhedral *p) {
  void *all[] = {p->m, p->q, p->variable, p->aim, p->table, p->eliminated, p->base, p->diagonal};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) memory_free(context, all[k]);
  memset(p, 0, sizeof *p);
}

/* Bodies whose turns stand alone in the matrix, as those of nodes of tetrahedra and cables and of
 * bodies without joints do: their turns are solved here, body by body, and what is left to a linear
 * solver has half of their rows, a fourth of the entries and an eighth of the work. */
#include <math.h>
#include <string.h>

#include "step/smooth/linear.h"

enum { WHOLE = 6, HALF = 3 };

void kkt_points_clear(scree_context *context, kkt_points *p) {
  void *const blocks[] = {p->point, p->before, p->turn, p->rows, p->first, p->offset, p->value};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_free(context, blocks[i]);
}

/* Gauss and Jordan with row exchanges; false: it is singular. */
static bool invert(const double *block, double *out) {
  double a[HALF][WHOLE] = {{0.0}}, most = 0.0;
  for (int r = 0; r < HALF; r++) {
    a[r][HALF + r] = 1.0;
    for (int c = 0; c < HALF; c++) {
      a[r][c] = block[WHOLE * (HALF + r) + HALF + c];
      most = fmax(most, fabs(a[r][c]));
    }
  }
  for (int p = 0; p < HALF; p++) {
    int best = p;
    for (int r = p + 1; r < HALF; r++)
      if (fabs(a[r][p]) > fabs(a[best][p])) best = r;
    if (!(fabs(a[best][p]) > 1e-14 * most)) return false;
    for (int c = 0; c < WHOLE; c++) {
      const double t = a[p][c];
      a[p][c] = a[best][c];
      a[best][c] = t;
    }
    const double inverse = 1.0 / a[p][p];
    for (int c = 0; c < WHOLE; c++) a[p][c] *= inverse;
    for (int r = 0; r < HALF; r++) {
      const double factor = a[r][p];
      for (int c = 0; r != p && c < WHOLE; c++) a[r][c] -= factor * a[p][c];
    }
  }
  for (int i = 0; i < HALF * HALF; i++) out[i] = a[i / HALF][HALF + i % HALF];
  return true;
}

/* Of a block of the rows of `row` and the columns of `column`: does it couple the turns of one with
 * anything but themselves? */
static bool turns_couple(const double *block, uint32_t rows, uint32_t columns, bool of_rows,
                         bool own) {
  for (uint32_t r = of_rows ? HALF : 0; r < rows; r++)
    for (uint32_t c = of_rows ? 0 : HALF; c < columns; c++)
      if (!(own && r >= HALF && c >= HALF) && block[r * columns + c] != 0.0) return true;
  return false;
}

static void find(const kkt_matrix *m, kkt_points *p) {
  for (uint32_t i = 0; i < m->bodies; i++)
    p->point[i] = invert(kkt_block(m, i, i), p->turn + HALF * HALF * i);
  for (uint32_t i = 0; i < m->nodes; i++)
    for (size_t k = m->start[i]; k < m->start[i + 1]; k++) {
      const uint32_t j = m->neighbour[k], rows = m->rows[i], columns = m->rows[j];
      const double *block = m->value + m->offset[k];
      if (i < m->bodies && p->point[i] && turns_couple(block, rows, columns, true, i == j))
        p->point[i] = false;
      if (j < m->bodies && p->point[j] && turns_couple(block, rows, columns, false, i == j))
        p->point[j] = false;
    }
  p->count = 0;
  for (uint32_t i = 0; i < m->bodies; i++) p->count += p->point[i];
}

static scree_status make_pattern(scree_context *context, const kkt_matrix *m, kkt_points *p) {
  const size_t blocks = m->start[m->nodes];
  if (memory_grow(context, &p->rows, m->nodes + 1, sizeof *p->rows) ||
      memory_grow(context, &p->first, m->nodes + 1, sizeof *p->first) ||
      memory_grow(context, &p->offset, blocks + 1, sizeof *p->offset))
    return SCREE_ERROR_MEMORY;
  p->first[0] = 0;
  for (uint32_t i = 0; i < m->nodes; i++) {
    p->rows[i] = i < m->bodies && p->point[i] ? HALF : m->rows[i];
    p->first[i + 1] = p->first[i] + p->rows[i];
  }
  size_t at = 0;
  for (uint32_t i = 0; i < m->nodes; i++)
    for (size_t k = m->start[i]; k < m->start[i + 1]; k++) {
      p->offset[k] = at;
      at += (size_t)p->rows[i] * p->rows[m->neighbour[k]];
    }
  p->entries = at;
  return memory_grow(context, &p->value, at + 1, sizeof *p->value);
}

scree_status kkt_points_find(scree_context *context, const kkt_matrix *m, kkt_points *p) {
  if (memory_grow(context, &p->point, m->bodies + 1, sizeof *p->point) ||
      memory_grow(context, &p->before, m->bodies + 1, sizeof *p->before) ||
      memory_grow(context, &p->turn, HALF * HALF * m->bodies + 1, sizeof *p->turn))
    return SCREE_ERROR_MEMORY;
  find(m, p);
  const bool same =
      p->whole == m->pattern && memcmp(p->point, p->before, m->bodies * sizeof *p->point) == 0;
  if (!same) {
    p->whole = m->pattern;
    p->pattern++;
    memcpy(p->before, p->point, m->bodies * sizeof *p->point);
    const scree_status status = p->count ? make_pattern(context, m, p) : SCREE_OK;
    if (status) {
      p->whole = 0;
      return status;
    }
  }
  p->left = *m;
  p->left.pattern = p->pattern;
  if (!p->count) return SCREE_OK;
  p->left.rows = p->rows, p->left.first = p->first, p->left.offset = p->offset;
  p->left.value = p->value, p->left.value_count = p->entries, p->left.size = p->first[m->nodes];
  for (uint32_t i = 0; i < m->nodes; i++)
    for (size_t k = m->start[i]; k < m->start[i + 1]; k++) {
      const uint32_t j = m->neighbour[k], columns = m->rows[j];
      const double *from = m->value + m->offset[k];
      double *to = p->value + p->offset[k];
      for (uint32_t r = 0; r < p->rows[i]; r++)
        for (uint32_t c = 0; c < p->rows[j]; c++) to[r * p->rows[j] + c] = from[r * columns + c];
    }
  return SCREE_OK;
}

void kkt_points_take(const kkt_points *p, const kkt_matrix *m, const double *x, double *left) {
  if (!p->count) {
    memcpy(left, x, m->size * sizeof *left);
    return;
  }
  for (uint32_t i = 0; i < m->nodes; i++)
    memcpy(left + p->first[i], x + m->first[i], p->rows[i] * sizeof *left);
}

void kkt_points_give(const kkt_points *p, const kkt_matrix *m, const double *left, double *x) {
  if (!p->count) {
    memcpy(x, left, m->size * sizeof *left);
    return;
  }
  for (uint32_t i = 0; i < m->nodes; i++) {
    memcpy(x + m->first[i], left + p->first[i], p->rows[i] * sizeof *left);
    if (i >= m->bodies || !p->point[i]) continue;
    const double *t = p->turn + HALF * HALF * i;
    double *turn = x + m->first[i] + HALF, b[HALF];
    memcpy(b, turn, sizeof b);
    for (int r = 0; r < HALF; r++)
      turn[r] = t[HALF * r] * b[0] + t[HALF * r + 1] * b[1] + t[HALF * r + 2] * b[2];
  }
}

bool kkt_symmetric(const kkt_matrix *m, double tolerance) {
  for (uint32_t i = 0; i < m->nodes; i++) {
    const double *own = kkt_block(m, i, i);
    double size = 0.0;
    for (uint32_t r = 0; r < m->rows[i]; r++) size = fmax(size, fabs(own[r * m->rows[i] + r]));
    for (size_t k = m->start[i]; k < m->start[i + 1]; k++) {
      const uint32_t j = m->neighbour[k], rows = m->rows[i], columns = m->rows[j];
      if (j < i) continue;
      const double *block = m->value + m->offset[k], *mirror = kkt_block(m, j, i);
      for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < columns; c++)
          if (!(fabs(block[r * columns + c] - mirror[c * rows + r]) <= tolerance * size))
            return false;
    }
  }
  return true;
}

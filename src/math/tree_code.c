/* See tree_code.h. */
#include "math/tree_code.h"

#include <stdlib.h>

enum { BITS = 20, LEAF_POINTS = 8, STACK = 8 * (BITS + 1) };

void tree_code_clear(tree_code *t) {
  memory_free(t->context, t->node);
  memory_free(t->context, t->point);
  t->node = NULL;
  t->point = NULL;
  t->node_count = t->point_count = 0;
}

scree_status tree_code_reserve(tree_code *t, size_t count) {
  if (memory_grow(t->context, &t->point, count, sizeof *t->point)) return SCREE_ERROR_MEMORY;
  /* Leaves may hold one point each; each split node has two children at least, or is on a way down
   * to them, which is shortened. */
  return memory_grow(t->context, &t->node, 2 * count + 1, sizeof *t->node);
}

/* ---- making it ------------------------------------------------------------------------------ */

static uint64_t spread(uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffffu;
  x = (x | x << 16) & 0x1f0000ff0000ffu;
  x = (x | x << 8) & 0x100f00f00f00f00fu;
  x = (x | x << 4) & 0x10c30c30c30c30c3u;
  return (x | x << 2) & 0x1249249249249249u;
}

static uint64_t cell(double x, double low, double scale) {
  const double c = (x - low) * scale, most = (double)((1u << BITS) - 1u);
  return (uint64_t)(c > 0.0 ? (c < most ? c : most) : 0.0);
}

static void find_keys(tree_code *t) {
  v3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t k = 0; k < t->point_count; k++) {
    const v3 x = t->point[k].at;
    low = v3_make(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
    high = v3_make(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
  }
  const double side = fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
  const double scale = side > 0.0 ? (double)(1u << BITS) / side : 0.0;
  for (size_t k = 0; k < t->point_count; k++) {
    tree_point *p = &t->point[k];
    p->key = spread(cell(p->at.x, low.x, scale)) | spread(cell(p->at.y, low.y, scale)) << 1 |
             spread(cell(p->at.z, low.z, scale)) << 2;
  }
}

static int ascending(const void *a, const void *b) {
  const tree_point *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* Weights that make both kinds count: |q| over the sum of all |q| of its kind. */
static v3 center_of(const tree_code *t, size_t first, size_t last, const double *all) {
  v3 sum = {0, 0, 0}, plain = {0, 0, 0};
  double weight = 0.0;
  for (size_t k = first; k < last; k++) {
    const tree_point *p = &t->point[k];
    double w = 0.0;
    for (int m = 0; m < TREE_CODE_KINDS; m++)
      if (all[m] > 0.0) w += fabs(p->strength[m]) / all[m];
    sum = v3_add_scaled(sum, w, p->at);
    plain = v3_add(plain, p->at);
    weight += w;
  }
  return weight > 0.0 ? v3_scale(1.0 / weight, sum) : v3_scale(1.0 / (double)(last - first), plain);
}

static void find_moments(const tree_code *t, tree_node *n, const double *all) {
  n->center = center_of(t, n->first, n->last, all);
  for (size_t k = n->first; k < n->last; k++) {
    const tree_point *p = &t->point[k];
    const v3 x = v3_sub(p->at, n->center);
    const double r2 = v3_norm2(x);
    n->reach = fmax(n->reach, r2);
    for (int m = 0; m < TREE_CODE_KINDS; m++) {
      const double q = p->strength[m];
      double *s = n->kind[m].quadrupole;
      n->kind[m].sum += q;
      n->kind[m].size += fabs(q);
      n->kind[m].dipole = v3_add_scaled(n->kind[m].dipole, q, x);
      s[0] += q * (3.0 * x.x * x.x - r2);
      s[1] += q * 3.0 * x.x * x.y;
      s[2] += q * 3.0 * x.x * x.z;
      s[3] += q * (3.0 * x.y * x.y - r2);
      s[4] += q * 3.0 * x.y * x.z;
      s[5] += q * (3.0 * x.z * x.z - r2);
    }
  }
  n->reach = sqrt(n->reach);
}

/* Where the points of [first, last) whose keys share the bits above `shift` with that of the first
 * one end. */
static size_t end_of_cell(const tree_code *t, size_t first, size_t last, int shift) {
  const uint64_t key = t->point[first].key >> shift;
  size_t lo = first + 1, hi = last;
  while (lo < hi) {
    const size_t mid = (lo + hi) / 2;
    if (t->point[mid].key >> shift == key)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* Cells with one child only are passed over, so that there are fewer nodes than twice the points.
 */
static void split(tree_code *t, size_t node) {
  const size_t first = t->node[node].first, last = t->node[node].last;
  if (last - first <= LEAF_POINTS) return;
  int shift = 3 * (BITS - 1);
  while (shift >= 0 && end_of_cell(t, first, last, shift) == last) shift -= 3;
  if (shift < 0) return; /* all in one place */
  t->node[node].child = (uint32_t)t->node_count;
  for (size_t at = first; at < last;) {
    const size_t end = end_of_cell(t, at, last, shift);
    t->node[t->node_count++] = (tree_node){.first = (uint32_t)at, .last = (uint32_t)end};
    at = end;
  }
  t->node[node].children = (uint32_t)(t->node_count - t->node[node].child);
}

scree_status tree_code_build(tree_code *t, size_t count) {
  if (count >= UINT32_MAX / 2)
    return context_fail(t->context, SCREE_ERROR_INPUT, "more than %u points", UINT32_MAX / 2);
  t->point_count = count;
  t->node_count = 0;
  if (!count) return SCREE_OK;
  find_keys(t);
  qsort(t->point, count, sizeof *t->point, ascending);
  double all[TREE_CODE_KINDS] = {0};
  for (size_t k = 0; k < count; k++)
    for (int m = 0; m < TREE_CODE_KINDS; m++) all[m] += fabs(t->point[k].strength[m]);
  t->node[t->node_count++] = (tree_node){.first = 0, .last = (uint32_t)count};
  for (size_t k = 0; k < t->node_count; k++) split(t, k);
#pragma omp parallel for schedule(dynamic, 64) num_threads(context_team(t->context, count > 1024))
  for (size_t k = 0; k < t->node_count; k++) find_moments(t, &t->node[k], all);
  return SCREE_OK;
}

/* ---- asking it ------------------------------------------------------------------------------ */

static void add_points(const tree_code *t, const tree_node *n, v3 place, size_t without,
                       tree_field *out) {
  for (size_t k = n->first; k < n->last; k++) {
    const tree_point *p = &t->point[k];
    const v3 r = v3_sub(place, p->at);
    const double d2 = v3_norm2(r);
    if (p->index == without || !(d2 > 0.0)) continue;
    const double d = sqrt(d2);
    for (int m = 0; m < TREE_CODE_KINDS; m++) {
      out->potential[m] += p->strength[m] / d;
      out->field[m] = v3_add_scaled(out->field[m], p->strength[m] / (d2 * d), r);
    }
  }
}

static void add_node(const tree_node *n, v3 r, double d, bool bound, tree_field *out) {
  const double i1 = 1.0 / d, i2 = i1 * i1, i3 = i1 * i2, i5 = i3 * i2, i7 = i5 * i2;
  for (int m = 0; m < TREE_CODE_KINDS; m++) {
    const double *s = n->kind[m].quadrupole;
    const v3 qr = {s[0] * r.x + s[1] * r.y + s[2] * r.z, s[1] * r.x + s[3] * r.y + s[4] * r.z,
                   s[2] * r.x + s[4] * r.y + s[5] * r.z};
    const double dr = v3_dot(n->kind[m].dipole, r), rqr = v3_dot(r, qr);
    out->potential[m] += n->kind[m].sum * i1 + dr * i3 + 0.5 * rqr * i5;
    v3 e = v3_scale(n->kind[m].sum * i3 + 3.0 * dr * i5 + 2.5 * rqr * i7, r);
    e = v3_add_scaled(e, -i3, n->kind[m].dipole);
    e = v3_add_scaled(e, -i5, qr);
    out->field[m] = v3_add(out->field[m], e);
    if (!bound) continue;
    const double t = n->reach / d, t3 = t * t * t;
    out->error[m] += n->kind[m].size * i2 * t3 * (4.0 - 3.0 * t) / ((1.0 - t) * (1.0 - t));
  }
}

tree_field tree_code_at(const tree_code *t, v3 place, size_t without, double theta, bool bound) {
  tree_field out = {.potential = {0}};
  uint32_t stack[STACK];
  size_t depth = 0;
  if (!t->node_count) return out;
  stack[depth++] = 0;
  while (depth) {
    const tree_node *n = &t->node[stack[--depth]];
    const v3 r = v3_sub(place, n->center);
    const double d = v3_norm(r);
    if (n->reach < theta * d && n->last - n->first > 1) {
      add_node(n, r, d, bound, &out);
      out.terms++;
    } else if (!n->child) {
      add_points(t, n, place, without, &out);
      out.terms += n->last - n->first;
    } else {
      for (uint32_t k = n->children; k-- > 0;) stack[depth++] = n->child + k;
    }
  }
  return out;
}

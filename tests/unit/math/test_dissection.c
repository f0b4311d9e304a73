/* Separators separate, are light and leave balanced parts; nested dissection is a permutation; the
 * tree of fronts is one, with boundaries in ancestors, and costs a cube less than a band. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/dissection.h"
#include "math/front_tree.h"
#include "math/ordering.h"
#include "math/separator.h"

typedef struct graph {
  size_t n;
  uint32_t *size, *neighbour;
  size_t *start;
} graph;

/* A box of points, each linked with its neighbours along the axes and, if asked, the diagonals. */
static graph box(int nx, int ny, int nz, bool diagonals, uint32_t rows) {
  graph g = {.n = (size_t)(nx * ny * nz)};
  g.size = calloc(g.n + 1, sizeof *g.size);
  g.neighbour = calloc(27 * g.n + 1, sizeof *g.neighbour);
  g.start = calloc(g.n + 1, sizeof *g.start);
  size_t count = 0;
  for (int i = 0; i < nx * ny * nz; i++) {
    const int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
    g.size[i] = rows;
    for (int c = -1; c <= 1; c++)
      for (int b = -1; b <= 1; b++)
        for (int a = -1; a <= 1; a++) {
          if (!diagonals && abs(a) + abs(b) + abs(c) > 1) continue;
          if (x + a < 0 || y + b < 0 || z + c < 0 || x + a >= nx || y + b >= ny || z + c >= nz)
            continue;
          g.neighbour[count++] = (uint32_t)(i + a + nx * (b + ny * c));
        }
    g.start[i + 1] = count;
  }
  return g;
}

static void release(graph *g) {
  free(g->size);
  free(g->neighbour);
  free(g->start);
}

static void cut(const graph *g, size_t weight[3]) {
  scree_context *context = scree_context_create(NULL);
  arena scratch;
  arena_init(&scratch, context);
  separator_graph s = {.n = (uint32_t)g->n, .weight = g->size};
  s.start = calloc(g->n + 1, sizeof *s.start);
  s.neighbour = calloc(g->start[g->n] + 1, sizeof *s.neighbour);
  s.link = calloc(g->start[g->n] + 1, sizeof *s.link);
  for (size_t i = 0; i < g->n; i++) {
    s.start[i + 1] = s.start[i];
    for (size_t k = g->start[i]; k < g->start[i + 1]; k++) {
      if (g->neighbour[k] == i) continue;
      s.link[s.start[i + 1]] = 1;
      s.neighbour[s.start[i + 1]++] = g->neighbour[k];
    }
  }
  uint8_t *side = calloc(g->n + 1, 1), *again = calloc(g->n + 1, 1);
  assert_int_equal(separator_find(&scratch, &s, side), SCREE_OK);
  assert_int_equal(separator_find(&scratch, &s, again), SCREE_OK);
  assert_memory_equal(side, again, g->n + 1);
  memset(weight, 0, 3 * sizeof *weight);
  for (size_t i = 0; i < g->n; i++) {
    assert_in_range(side[i], 0, 2);
    weight[side[i]] += g->size[i];
    for (uint32_t k = s.start[i]; k < s.start[i + 1]; k++)
      assert_true(side[i] == SEPARATOR_MIDDLE || side[s.neighbour[k]] == SEPARATOR_MIDDLE ||
                  side[i] == side[s.neighbour[k]]);
  }
  free(side);
  free(again);
  free(s.start);
  free(s.neighbour);
  free(s.link);
  arena_clear(&scratch);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

static void test_separator(void **state) {
  (void)state;
  /* Edges of the box, with or without diagonals; the best separator. */
  static const struct {
    int x, y, z, diagonals;
    size_t best;
  } boxes[] = {{200, 1, 1, 0, 1}, {30, 30, 1, 0, 30}, {40, 6, 6, 1, 36}, {14, 14, 14, 1, 196}};
  for (size_t b = 0; b < sizeof boxes / sizeof boxes[0]; b++) {
    graph g = box(boxes[b].x, boxes[b].y, boxes[b].z, boxes[b].diagonals, 2);
    size_t weight[3];
    cut(&g, weight);
    assert_true(10 * weight[SEPARATOR_MIDDLE] <= 13 * 2 * boxes[b].best);
    assert_true(10 * weight[0] <= 6 * 2 * g.n && 10 * weight[1] <= 6 * 2 * g.n);
    release(&g);
  }
  /* Two parts that are not linked need no separator. */
  graph g = box(2, 100, 1, false, 1);
  size_t count = 0;
  for (size_t i = 0; i < g.n; i++) {
    const size_t begin = g.start[i];
    g.start[i] = count;
    for (size_t k = begin; k < g.start[i + 1]; k++)
      if (g.neighbour[k] % 2 == i % 2) g.neighbour[count++] = g.neighbour[k];
  }
  g.start[g.n] = count;
  size_t weight[3];
  cut(&g, weight);
  assert_in_range(weight[SEPARATOR_MIDDLE], 0, 2);
  release(&g);
}

static void expect_permutation(const graph *g) {
  scree_context *context = scree_context_create(NULL);
  arena scratch;
  arena_init(&scratch, context);
  uint32_t *order = calloc(g->n + 1, sizeof *order), *group = calloc(g->n + 2, sizeof *group);
  uint8_t *seen = calloc(g->n + 1, 1);
  size_t groups = 0;
  assert_int_equal(
      ordering_dissection(&scratch, g->n, g->size, g->start, g->neighbour, order, group, &groups),
      SCREE_OK);
  for (size_t p = 0; p < g->n; p++) {
    assert_true(order[p] < g->n && !seen[order[p]]);
    seen[order[p]] = 1;
  }
  assert_int_equal(group[0], 0);
  assert_int_equal(group[groups], g->n);
  for (size_t s = 0; s < groups; s++) assert_true(group[s] < group[s + 1]);
  free(order);
  free(group);
  free(seen);
  arena_clear(&scratch);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

static void test_permutation(void **state) {
  (void)state;
  static const int edges[][3] = {{1, 1, 1}, {3, 1, 1}, {101, 1, 1}, {9, 9, 9}, {50, 20, 1}};
  for (size_t e = 0; e < sizeof edges / sizeof edges[0]; e++) {
    graph g = box(edges[e][0], edges[e][1], edges[e][2], e % 2 == 0, 3);
    expect_permutation(&g);
    release(&g);
  }
  /* All linked with all: no parts to be found. */
  graph g = {.n = 150};
  g.size = calloc(g.n, sizeof *g.size);
  g.start = calloc(g.n + 1, sizeof *g.start);
  g.neighbour = calloc(g.n * g.n, sizeof *g.neighbour);
  for (size_t i = 0; i < g.n; i++) {
    g.size[i] = 1;
    g.start[i + 1] = g.start[i] + g.n;
    for (size_t j = 0; j < g.n; j++) g.neighbour[i * g.n + j] = (uint32_t)j;
  }
  expect_permutation(&g);
  release(&g);
}

/* Every later neighbour of a pivot is in its front, every boundary node in an ancestor, and what a
 * child passes on is found in its parent. */
static void expect_tree(const front_tree *t) {
  uint32_t *front_of = calloc(t->n + 1, sizeof *front_of);
  uint8_t *inside = calloc(t->n + 1, 1);
  size_t rows = 0;
  for (uint32_t s = 0; s < t->front_count; s++)
    for (uint32_t p = t->front[s].first; p < t->front[s].last; p++) front_of[t->order[p]] = s;
  for (uint32_t s = 0; s < t->front_count; s++) {
    const tree_front *f = &t->front[s];
    memset(inside, 0, t->n);
    assert_int_equal(f->row, rows);
    rows += f->pivots;
    for (uint32_t p = f->first; p < f->last; p++) inside[t->order[p]] = 1;
    for (uint32_t k = 0; k < f->boundary_count; k++) {
      const uint32_t node = t->boundary[f->boundary + k];
      inside[node] = 1;
      assert_true(t->position[node] >= f->last);
      if (k) assert_true(t->position[node] > t->position[t->boundary[f->boundary + k - 1]]);
      uint32_t up = f->parent;
      while (up != front_of[node]) {
        assert_true(up != UINT32_MAX && up > s);
        up = t->front[up].parent;
      }
    }
    for (uint32_t p = f->first; p < f->last; p++)
      for (size_t k = t->start[t->order[p]]; k < t->start[t->order[p] + 1]; k++)
        assert_true(t->position[t->neighbour[k]] < f->first || inside[t->neighbour[k]]);
    for (uint32_t c = 0; c < s; c++)
      for (uint32_t k = 0; t->front[c].parent == s && k < t->front[c].boundary_count; k++)
        assert_true(inside[t->boundary[t->front[c].boundary + k]]);
  }
  assert_int_equal(rows, t->rows);
  free(front_of);
  free(inside);
}

static void test_tree(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  front_tree t;
  front_tree_init(&t, context);
  static const int edges[][3] = {{1, 1, 1}, {60, 1, 1}, {7, 7, 7}, {25, 25, 1}, {11, 11, 11}};
  for (size_t e = 0; e < sizeof edges / sizeof edges[0]; e++) {
    graph g = box(edges[e][0], edges[e][1], edges[e][2], e % 2 == 0, 6);
    assert_false(front_tree_matches(&t, g.n, g.size, g.start, g.neighbour, NULL));
    assert_int_equal(front_tree_analyse(&t, g.n, g.size, g.start, g.neighbour, NULL, 24.0),
                     SCREE_OK);
    assert_true(front_tree_matches(&t, g.n, g.size, g.start, g.neighbour, NULL));
    expect_tree(&t);
    release(&g);
  }
  /* 11^3 points of six rows: a band of 11^2 + 11 + 1 points would cost n w^2 / 2. */
  const double n = 6.0 * 1331.0, w = 6.0 * 133.0;
  assert_true(t.work < 0.6 * n * w * w / 2.0);
  front_tree_clear(&t);
  assert_int_equal(scree_context_bytes(context), 0);
  scree_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_separator),
                                     cmocka_unit_test(test_permutation),
                                     cmocka_unit_test(test_tree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

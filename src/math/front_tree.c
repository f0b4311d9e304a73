/* See front_tree.h.
 *
 * An ordering gives groups of nodes that are eliminated together. Small groups are merged with
 * their parent where that adds few zeros (dense kernels like larger fronts). Children are visited
 * in the order that keeps the stack low: those first that need much and leave little (Liu). */
#include "math/front_tree.h"

#include <stdlib.h>
#include <string.h>

#include "math/dissection.h"
#include "math/ordering.h"

static const uint32_t none = UINT32_MAX;

/* Minimum degree is quick; nested dissection, which saves a third or more of the work, is tried
 * where the factorisations cost more than it: multiplications for each node and link. */
static const double dissection_pays = 2e5;

void front_tree_init(front_tree *t, scree_context *context) {
  memset(t, 0, sizeof *t);
  t->context = context;
  arena_init(&t->scratch, context);
}

void front_tree_clear(front_tree *t) {
  void *const all[] = {t->size,  t->start,    t->neighbour, t->glue,  t->mirror,
                       t->order, t->position, t->first_row, t->front, t->boundary};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) memory_free(t->context, all[k]);
  arena_clear(&t->scratch);
  front_tree_init(t, t->context);
}

static bool same_glue(const front_tree *t, const uint32_t *glue) {
  for (uint32_t i = 0; i < t->n; i++)
    if (t->glue[i] != (glue ? glue[i] : i)) return false;
  return true;
}

bool front_tree_matches(const front_tree *t, size_t n, const uint32_t *size, const size_t *start,
                        const uint32_t *neighbour, const uint32_t *glue) {
  return t->n == n && same_glue(t, glue) &&
         (n == 0 || (t->front_count && memcmp(t->size, size, n * sizeof *size) == 0 &&
                     memcmp(t->start, start, (n + 1) * sizeof *start) == 0 &&
                     memcmp(t->neighbour, neighbour, start[n] * sizeof *neighbour) == 0));
}

static scree_status copy_pattern(front_tree *t, size_t n, const uint32_t *size, const size_t *start,
                                 const uint32_t *neighbour, const uint32_t *glue) {
  scree_context *c = t->context;
  const size_t links = start[n];
  if (memory_grow(c, &t->size, n, sizeof *t->size) ||
      memory_grow(c, &t->start, n + 1, sizeof *t->start) ||
      memory_grow(c, &t->neighbour, links, sizeof *t->neighbour) ||
      memory_grow(c, &t->glue, n, sizeof *t->glue) ||
      memory_grow(c, &t->mirror, links, sizeof *t->mirror) ||
      memory_grow(c, &t->order, n, sizeof *t->order) ||
      memory_grow(c, &t->position, n, sizeof *t->position) ||
      memory_grow(c, &t->first_row, n, sizeof *t->first_row) ||
      memory_grow(c, &t->front, n, sizeof *t->front))
    return SCREE_ERROR_MEMORY;
  size_t *cursor = arena_take(&t->scratch, n, sizeof *cursor);
  if (!cursor) return SCREE_ERROR_MEMORY;
  for (uint32_t i = 0; i < n; i++) t->glue[i] = glue ? glue[i] : i;
  memcpy(t->size, size, n * sizeof *size);
  memcpy(t->start, start, (n + 1) * sizeof *start);
  memcpy(t->neighbour, neighbour, links * sizeof *neighbour);
  t->n = n;
  t->rows = 0;
  bool symmetric = true;
  for (size_t i = 0; i < n; i++) {
    t->first_row[i] = (uint32_t)t->rows;
    t->rows += size[i];
    for (size_t k = start[i]; k < start[i + 1]; k++) {
      const size_t j = neighbour[k], at = start[j] + cursor[j]++;
      t->mirror[k] = at;
      symmetric = symmetric && at < start[j + 1] && neighbour[at] == i;
    }
  }
  if (symmetric) return SCREE_OK;
  return context_fail(t->context, SCREE_ERROR_INTERNAL,
                      "a sparse matrix of %zu block rows has no symmetric pattern", n);
}

/* ---- fronts --------------------------------------------------------------------------------- */

/* Scratch of one build; the groups' tree. */
typedef struct build {
  tree_front *group; /* before they are merged */
  size_t groups;
  const uint32_t *order;
  uint32_t *group_of; /* node -> group */
  uint32_t *mark;     /* last group that saw a node */
  uint32_t *child, *sibling;
  uint32_t *into; /* the group it was merged into, or none */
  double *zeros;
  double *peak; /* of a subtree: most entries on the stack */
  uint32_t *sorted, *place, *stack;
} build;

static int compare_numbers(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static scree_status add_boundary(front_tree *t, build *b, uint32_t s, uint32_t node) {
  if (b->mark[node] == s || t->position[node] < b->group[s].last) return SCREE_OK;
  b->mark[node] = s;
  if (memory_grow(t->context, &t->boundary, t->boundary_count + 1, sizeof *t->boundary))
    return SCREE_ERROR_MEMORY;
  t->boundary[t->boundary_count++] = t->position[node];
  return SCREE_OK;
}

/* Few: by insertion, as most boundaries are a handful. */
static void sort_numbers(uint32_t *x, size_t count) {
  if (count > 48) {
    qsort(x, count, sizeof *x, compare_numbers);
    return;
  }
  for (size_t k = 1; k < count; k++) {
    const uint32_t value = x[k];
    size_t at = k;
    for (; at > 0 && x[at - 1] > value; at--) x[at] = x[at - 1];
    x[at] = value;
  }
}

/* Boundary of a group: neighbours of its pivots and boundaries of its children, later in the
 * order. */
static scree_status find_boundary(front_tree *t, build *b, uint32_t s) {
  tree_front *f = &b->group[s];
  scree_status status = SCREE_OK;
  f->boundary = t->boundary_count;
  for (uint32_t p = f->first; p < f->last; p++) {
    const uint32_t i = b->order[p];
    f->pivots += t->size[i];
    for (size_t k = t->start[i]; k < t->start[i + 1] && !status; k++)
      status = add_boundary(t, b, s, t->neighbour[k]);
  }
  for (uint32_t c = b->child[s]; c != none; c = b->sibling[c])
    for (uint32_t k = 0; k < b->group[c].boundary_count && !status; k++)
      status = add_boundary(t, b, s, t->boundary[b->group[c].boundary + k]);
  if (status) return status;
  f->boundary_count = (uint32_t)(t->boundary_count - f->boundary);
  f->rows = f->pivots;
  f->parent = none;
  if (!f->boundary_count) return SCREE_OK;
  uint32_t *nodes = t->boundary + f->boundary;
  sort_numbers(nodes, f->boundary_count);
  for (uint32_t k = 0; k < f->boundary_count; k++) {
    nodes[k] = b->order[nodes[k]];
    f->rows += t->size[nodes[k]];
  }
  f->parent = b->group_of[nodes[0]];
  return SCREE_OK;
}

static scree_status find_groups(front_tree *t, build *b, const uint32_t *group) {
  for (size_t s = 0; s < b->groups; s++) {
    b->child[s] = b->sibling[s] = b->into[s] = none;
    b->group[s] = (tree_front){.first = group[s], .last = group[s + 1]};
    for (uint32_t p = group[s]; p < group[s + 1]; p++) {
      t->position[b->order[p]] = p;
      b->group_of[b->order[p]] = (uint32_t)s;
    }
  }
  for (size_t i = 0; i < t->n; i++) b->mark[i] = none;
  t->boundary_count = 0;
  for (uint32_t s = 0; s < b->groups; s++) {
    const scree_status status = find_boundary(t, b, s);
    if (status) return status;
    const uint32_t parent = b->group[s].parent;
    if (parent == none) continue;
    b->sibling[s] = b->child[parent];
    b->child[parent] = s;
  }
  return SCREE_OK;
}

static bool worth_merging(double pivots, double share) {
  return share <= 0.05 || (pivots <= 48.0 && share <= 0.15) || (pivots <= 18.0 && share <= 0.5);
}

/* Children come before parents, so a group has taken its own children before it is looked at. */
static void merge_groups(build *b) {
  for (uint32_t s = 0; s < b->groups; s++) {
    const tree_front *f = &b->group[s];
    if (f->parent == none) continue;
    tree_front *parent = &b->group[f->parent];
    const double pc = f->pivots, pp = parent->pivots, n = parent->rows;
    const double zeros =
        b->zeros[s] + b->zeros[f->parent] + pc * (n - (double)(f->rows - f->pivots));
    const double panel = (pc + pp) * (0.5 * (pc + pp) + (n - pp));
    if (!worth_merging(pc + pp, zeros / panel)) continue;
    b->into[s] = f->parent;
    b->zeros[f->parent] = zeros;
    parent->pivots += f->pivots;
    parent->rows += f->pivots;
  }
  for (size_t s = b->groups; s-- > 0;)
    if (b->into[s] != none && b->into[b->into[s]] != none) b->into[s] = b->into[b->into[s]];
}

static uint32_t final_group(const build *b, uint32_t s) {
  return b->into[s] != none ? b->into[s] : s;
}

/* ---- postorder ------------------------------------------------------------------------------ */

static double waiting(const tree_front *f) {
  const double b = f->rows - f->pivots;
  return b * b;
}

/* Groups whose peak exceeds what they leave behind by most go first; ties by number. */
static bool goes_before(const build *b, uint32_t x, uint32_t y) {
  const double dx = b->peak[x] - waiting(&b->group[x]), dy = b->peak[y] - waiting(&b->group[y]);
  return dx > dy || (dx == dy && x < y);
}

static void sift_down(const build *b, uint32_t *heap, size_t count, size_t at) {
  for (;;) {
    size_t last = at;
    for (size_t c = 2 * at + 1; c <= 2 * at + 2 && c < count; c++)
      if (goes_before(b, heap[last], heap[c])) last = c;
    if (last == at) return;
    const uint32_t swap = heap[at];
    heap[at] = heap[last];
    heap[last] = swap;
    at = last;
  }
}

static void sort_children(const build *b, uint32_t *list, size_t count) {
  for (size_t k = count / 2; k-- > 0;) sift_down(b, list, count, k);
  for (size_t end = count; end-- > 1;) {
    const uint32_t swap = list[0];
    list[0] = list[end];
    list[end] = swap;
    sift_down(b, list, end, 0);
  }
}

/* Links the groups that remain with their children in the order of their visit; returns the first
 * root. `stack` serves as list. */
static uint32_t link_children(build *b) {
  for (uint32_t s = 0; s < b->groups; s++) b->child[s] = b->sibling[s] = none;
  uint32_t roots = none;
  for (uint32_t s = 0; s < b->groups; s++) {
    if (b->into[s] != none) continue;
    /* All children of s have a lower number and are linked to it already. */
    size_t count = 0;
    for (uint32_t c = b->child[s]; c != none; c = b->sibling[c]) b->stack[count++] = c;
    sort_children(b, b->stack, count);
    double held = 0.0, peak = 0.0;
    b->child[s] = none;
    for (size_t k = 0; k < count; k++) {
      if (held + b->peak[b->stack[k]] > peak) peak = held + b->peak[b->stack[k]];
      held += waiting(&b->group[b->stack[k]]);
    }
    for (size_t k = count; k-- > 0;) {
      b->sibling[b->stack[k]] = b->child[s];
      b->child[s] = b->stack[k];
    }
    held += waiting(&b->group[s]);
    b->peak[s] = held > peak ? held : peak;
    uint32_t *list = &roots;
    if (b->group[s].parent != none) list = &b->child[final_group(b, b->group[s].parent)];
    b->sibling[s] = *list;
    *list = s;
  }
  return roots;
}

/* sorted: the groups that remain, children first, each subtree together. */
static size_t postorder(build *b) {
  size_t count = 0, depth = 0;
  for (uint32_t root = link_children(b); root != none; root = b->sibling[root]) {
    b->stack[depth++] = root;
    while (depth > 0) {
      const uint32_t s = b->stack[depth - 1], child = b->child[s];
      if (child != none) {
        b->child[s] = b->sibling[child];
        b->stack[depth++] = child;
        continue;
      }
      b->place[s] = (uint32_t)count;
      b->sorted[count++] = s;
      depth--;
    }
  }
  return count;
}

/* Fronts in postorder; within one the pivots of its groups as they were ordered. */
static void place_fronts(front_tree *t, build *b) {
  uint32_t *slot = b->mark;
  memset(slot, 0, b->groups * sizeof *slot);
  for (uint32_t s = 0; s < b->groups; s++)
    slot[b->place[final_group(b, s)]] += b->group[s].last - b->group[s].first;
  uint32_t at = 0;
  for (size_t k = 0; k < t->front_count; k++) {
    tree_front *f = &t->front[k];
    *f = b->group[b->sorted[k]];
    if (f->parent != none) f->parent = b->place[final_group(b, f->parent)];
    f->first = at;
    f->last = at += slot[k];
    slot[k] = f->first;
  }
  for (uint32_t s = 0; s < b->groups; s++)
    for (uint32_t p = b->group[s].first; p < b->group[s].last; p++)
      t->order[slot[b->place[final_group(b, s)]]++] = b->order[p];
  for (uint32_t p = 0; p < t->n; p++) t->position[t->order[p]] = p;
}

static void measure(front_tree *t) {
  size_t row = 0;
  double top = 0.0, peak = 0.0;
  t->upper_entries = t->lower_entries = t->largest = 0;
  t->work = 0.0;
  for (size_t s = 0; s < t->front_count; s++)
    if (t->front[s].parent != none) t->front[t->front[s].parent].children++;
  for (size_t s = 0; s < t->front_count; s++) {
    tree_front *f = &t->front[s];
    const size_t k = f->pivots, n = f->rows;
    const double p = (double)k, r = (double)(n - k);
    f->row = row;
    f->upper = t->upper_entries;
    f->lower = t->lower_entries;
    row += k;
    t->upper_entries += k * n;
    t->lower_entries += k * (n - k);
    if (n > t->largest) t->largest = n;
    t->work += p * p * p / 6.0 + p * p * r / 2.0 + p * r * r / 2.0;
    if (top + r * r > peak) peak = top + r * r;
    size_t c = s;
    for (uint32_t done = 0; done < f->children;) {
      if (t->front[--c].parent != s) continue;
      top -= waiting(&t->front[c]);
      done++;
    }
    top += r * r;
  }
  t->stack_entries = (size_t)peak;
}

static scree_status build_fronts(front_tree *t, const uint32_t *order, const uint32_t *group,
                                 size_t groups) {
  arena *a = &t->scratch;
  build b = {.group = arena_take(a, groups, sizeof *b.group),
             .groups = groups,
             .order = order,
             .group_of = arena_take(a, t->n, sizeof(uint32_t)),
             .mark = arena_take(a, t->n, sizeof(uint32_t)),
             .child = arena_take(a, groups, sizeof(uint32_t)),
             .sibling = arena_take(a, groups, sizeof(uint32_t)),
             .into = arena_take(a, groups, sizeof(uint32_t)),
             .zeros = arena_take(a, groups, sizeof(double)),
             .peak = arena_take(a, groups, sizeof(double)),
             .sorted = arena_take(a, groups, sizeof(uint32_t)),
             .place = arena_take(a, groups, sizeof(uint32_t)),
             .stack = arena_take(a, groups, sizeof(uint32_t))};
  if (!b.group || !b.group_of || !b.mark || !b.child || !b.sibling || !b.into || !b.zeros ||
      !b.peak || !b.sorted || !b.place || !b.stack)
    return SCREE_ERROR_MEMORY;
  const scree_status status = find_groups(t, &b, group);
  if (status) return status;
  merge_groups(&b);
  t->front_count = postorder(&b);
  place_fronts(t, &b);
  measure(t);
  return SCREE_OK;
}

/* ---- orderings ------------------------------------------------------------------------------ */

/* The graph that is ordered: glued nodes are one. */
typedef struct graph {
  size_t n;
  uint32_t *size;
  size_t *start;
  uint32_t *neighbour;
  uint32_t *first, *next; /* members of a node of it, as a list */
} graph;

typedef struct ordering {
  uint32_t *order, *group;
  size_t groups;
} ordering;

static bool ordering_init(arena *a, size_t n, ordering *o) {
  o->order = arena_take(a, n, sizeof *o->order);
  o->group = arena_take(a, n + 1, sizeof *o->group);
  return o->order && o->group;
}

static bool glues(const front_tree *t) {
  for (uint32_t i = 0; i < t->n; i++)
    if (t->glue[i] != i) return true;
  return false;
}

/* Neighbours of node k by the names of their groups, sorted, each once; returns how many. */
static size_t joined_neighbours(const front_tree *t, const graph *g, const uint32_t *name,
                                uint32_t *mark, uint32_t k, uint32_t *to) {
  size_t count = 0;
  for (uint32_t i = g->first[k]; i != none; i = g->next[i])
    for (size_t e = t->start[i]; e < t->start[i + 1]; e++) {
      const uint32_t other = name[t->glue[t->neighbour[e]]];
      if (mark[other] == k) continue;
      mark[other] = k;
      to[count++] = other;
    }
  sort_numbers(to, count);
  return count;
}

static scree_status join_glued(front_tree *t, graph *g) {
  arena *a = &t->scratch;
  const size_t n = t->n;
  uint32_t *name = arena_take(a, n, sizeof *name), *mark = arena_take(a, n, sizeof *mark);
  *g = (graph){.size = arena_take(a, n, sizeof *g->size),
               .start = arena_take(a, n + 1, sizeof *g->start),
               .neighbour = arena_take(a, t->start[n] + 1, sizeof *g->neighbour),
               .first = arena_take(a, n, sizeof *g->first),
               .next = arena_take(a, n, sizeof *g->next)};
  if (!name || !mark || !g->size || !g->start || !g->neighbour || !g->first || !g->next)
    return SCREE_ERROR_MEMORY;
  for (uint32_t i = 0; i < n; i++) {
    g->next[i] = mark[i] = none;
    if (t->glue[i] != i) continue;
    name[i] = (uint32_t)g->n;
    g->first[g->n] = i;
    g->size[g->n++] = t->size[i];
  }
  for (size_t i = n; i-- > 0;) {
    const uint32_t head = t->glue[i];
    if (head == i) continue;
    g->next[i] = g->next[head];
    g->next[head] = (uint32_t)i;
    g->size[name[head]] += t->size[i];
  }
  for (uint32_t k = 0; k < g->n; k++)
    g->start[k + 1] =
        g->start[k] + joined_neighbours(t, g, name, mark, k, g->neighbour + g->start[k]);
  return SCREE_OK;
}

/* An ordering of the joined graph as one of the nodes, in place; `room` has one entry per node. */
static void expand_glued(const graph *g, ordering *o, uint32_t *room) {
  size_t at = 0;
  for (size_t s = 0; s < o->groups; s++) {
    const uint32_t from = o->group[s], to = o->group[s + 1];
    o->group[s] = (uint32_t)at;
    for (uint32_t p = from; p < to; p++)
      for (uint32_t i = g->first[o->order[p]]; i != none; i = g->next[i]) room[at++] = i;
  }
  o->group[o->groups] = (uint32_t)at;
  memcpy(o->order, room, at * sizeof *room);
}

static scree_status order_fronts(front_tree *t, double uses) {
  arena *a = &t->scratch;
  ordering quick, good;
  graph g = {.n = t->n, .size = t->size, .start = t->start, .neighbour = t->neighbour};
  const bool glued = glues(t);
  uint32_t *room = glued ? arena_take(a, t->n, sizeof *room) : NULL;
  if (!ordering_init(a, t->n, &quick) || (glued && !room)) return SCREE_ERROR_MEMORY;
  scree_status status = glued ? join_glued(t, &g) : SCREE_OK;
  if (!status)
    status = ordering_minimum_degree(a, g.n, g.size, g.start, g.neighbour, quick.order, quick.group,
                                     &quick.groups);
  if (!status && glued) expand_glued(&g, &quick, room);
  if (!status) status = build_fronts(t, quick.order, quick.group, quick.groups);
  const double work = t->work;
  if (status || uses * work < dissection_pays * (double)(t->n + t->start[t->n])) return status;
  if (!ordering_init(a, t->n, &good)) return SCREE_ERROR_MEMORY;
  status = ordering_dissection(a, g.n, g.size, g.start, g.neighbour, good.order, good.group,
                               &good.groups);
  if (!status && glued) expand_glued(&g, &good, room);
  if (!status) status = build_fronts(t, good.order, good.group, good.groups);
  if (!status && t->work > work) status = build_fronts(t, quick.order, quick.group, quick.groups);
  return status;
}

scree_status front_tree_analyse(front_tree *t, size_t n, const uint32_t *size, const size_t *start,
                                const uint32_t *neighbour, const uint32_t *glue, double uses) {
  if (front_tree_matches(t, n, size, start, neighbour, glue)) return SCREE_OK;
  t->front_count = t->boundary_count = t->n = t->rows = 0;
  t->upper_entries = t->lower_entries = t->stack_entries = t->largest = 0;
  t->work = 0.0;
  if (n == 0) return SCREE_OK;
  arena_reset(&t->scratch);
  scree_status status = copy_pattern(t, n, size, start, neighbour, glue);
  if (!status) status = order_fronts(t, uses);
  if (status) t->front_count = 0;
  return status;
}

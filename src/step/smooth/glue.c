/* Which body each joint is eliminated with, so that its rows need no shift: a body and rows of
 * joints on it that do not depend on each other,
 *
 *   [ A_b  D_b ]      are eliminated together without a zero pivot, and what they leave to others
 *   [ D_b'  0  ]      is again of the kind [ A > 0 … ]: the articulated inertia of Featherstone.
 *
 * From the ground, or from any body of a part that floats, a joint goes with the body that it is
 * the first to reach: in a tree each has one of its own. A joint that closes a loop goes with a
 * body that has room left in its rows, or alone. */
#include <string.h>

#include "step/smooth/linear.h"

enum { BODY_ROWS = 6 };

typedef struct search {
  const kkt_matrix *m;
  uint32_t *glue, *used, *queue; /* used: rows of joints on a body */
  bool *seen;                    /* of a body */
  size_t count;
} search;

static void reach(search *s, uint32_t body) {
  if (s->seen[body]) return;
  s->seen[body] = true;
  s->queue[s->count++] = body;
}

static bool fits(const search *s, uint32_t joint, uint32_t body) {
  return s->used[body] + s->m->rows[joint] <= s->m->rows[body];
}

static void put(search *s, uint32_t joint, uint32_t body) {
  s->glue[joint] = body;
  s->used[body] += s->m->rows[joint];
}

/* Its bodies are some of its neighbours; with `open` only one that was not seen yet. */
static void place_joint(search *s, uint32_t joint, bool open) {
  const kkt_matrix *m = s->m;
  uint32_t best = joint;
  for (size_t k = m->start[joint]; k < m->start[joint + 1]; k++) {
    const uint32_t body = m->neighbour[k];
    if (body >= m->bodies) continue;
    if (fits(s, joint, body) && !(open && s->seen[body]) &&
        (best == joint || s->used[body] < s->used[best]))
      best = body;
  }
  if (best != joint) put(s, joint, best);
}

static void spread(search *s, uint32_t body) {
  const kkt_matrix *m = s->m;
  for (size_t k = m->start[body]; k < m->start[body + 1]; k++) {
    const uint32_t joint = m->neighbour[k];
    if (joint < m->bodies || s->glue[joint] != joint) continue;
    place_joint(s, joint, true);
    for (size_t e = m->start[joint]; e < m->start[joint + 1]; e++)
      if (m->neighbour[e] < m->bodies) reach(s, m->neighbour[e]);
  }
}

static size_t bodies_of(const kkt_matrix *m, uint32_t joint, uint32_t *one) {
  size_t count = 0;
  for (size_t k = m->start[joint]; k < m->start[joint + 1]; k++)
    if (m->neighbour[k] < m->bodies) *one = m->neighbour[k], count++;
  return count;
}

scree_status kkt_glue(scree_context *context, const kkt_matrix *m, uint32_t *glue) {
  search s = {.m = m, .glue = glue};
  s.used = memory_new(context, m->bodies + 1, sizeof *s.used);
  s.queue = memory_new(context, m->bodies + 1, sizeof *s.queue);
  s.seen = memory_new(context, m->bodies + 1, sizeof *s.seen);
  const bool room = s.used && s.queue && s.seen;
  for (uint32_t i = 0; i < m->nodes; i++) glue[i] = i;
  for (uint32_t j = (uint32_t)m->bodies; room && j < m->nodes; j++) {
    uint32_t body;
    if (bodies_of(m, j, &body) != 1) continue;
    if (fits(&s, j, body)) put(&s, j, body);
    reach(&s, body);
  }
  size_t done = 0;
  for (uint32_t root = 0; room && root < m->bodies; root++) {
    while (done < s.count) spread(&s, s.queue[done++]);
    reach(&s, root);
  }
  while (room && done < s.count) spread(&s, s.queue[done++]);
  for (uint32_t j = (uint32_t)m->bodies; room && j < m->nodes; j++)
    if (glue[j] == j) place_joint(&s, j, false);
  memory_free(context, s.used);
  memory_free(context, s.queue);
  memory_free(context, s.seen);
  return room ? SCREE_OK : SCREE_ERROR_MEMORY;
}

/* D'A^-1 D of a body's glued rows, eliminated with the pivots watched. */
bool kkt_glue_holds(const kkt_matrix *m, const uint32_t *glue, uint32_t body) {
  double l[36], d[BODY_ROWS][6], solved[BODY_ROWS][6], gram[BODY_ROWS][BODY_ROWS];
  size_t count = 0;
  for (size_t k = m->start[body]; k < m->start[body + 1]; k++) {
    const uint32_t joint = m->neighbour[k], rows = m->rows[joint];
    if (joint < m->bodies || glue[joint] != body) continue;
    const double *block = m->value + m->offset[k]; /* D, 6 by rows */
    for (uint32_t r = 0; r < rows; r++, count++)
      for (uint32_t i = 0; i < 6; i++) d[count][i] = block[i * rows + r];
  }
  kkt_body_factor(m, body, 6, l);
  memcpy(solved, d, sizeof solved);
  for (size_t r = 0; r < count; r++) kkt_solve_block(6, 6, l, solved[r]);
  for (size_t r = 0; r < count; r++)
    for (size_t q = 0; q < count; q++) {
      gram[r][q] = 0.0;
      for (size_t i = 0; i < 6; i++) gram[r][q] += d[r][i] * solved[q][i];
    }
  for (size_t p = 0; p < count; p++) {
    double whole = 0.0; /* the row's own, before others were taken out */
    for (size_t i = 0; i < 6; i++) whole += d[p][i] * solved[p][i];
    if (!(gram[p][p] > 1e-6 * whole)) return false;
    for (size_t r = p + 1; r < count; r++) {
      const double f = gram[r][p] / gram[p][p];
      for (size_t q = p; q < count; q++) gram[r][q] -= f * gram[p][q];
    }
  }
  return true;
}

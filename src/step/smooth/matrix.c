/* The matrix of the system: its pattern, made when bodies, joints or links come or go, and its
 * values. */
#include <stdlib.h>
#include <string.h>

#include "math/tangent.h"
#include "model/link/link.h"
#include "step/smooth/system.h"

/* ---- pattern -------------------------------------------------------------------------------- */

typedef struct pair_list {
  scree_context *context;
  const smooth_system *system;
  uint64_t *pair; /* i << 32 | j */
  size_t count;
  scree_status status;
} pair_list;

static void add_pair(pair_list *list, uint64_t i, uint64_t j) {
  if (!list->status)
    list->status = memory_grow(list->context, &list->pair, list->count + 2, sizeof *list->pair);
  if (list->status) return;
  list->pair[list->count++] = i << 32 | j;
  if (i != j) list->pair[list->count++] = j << 32 | i;
}

static void add_world_pair(void *user, uint32_t i, uint32_t j) {
  pair_list *list = user;
  const uint32_t *rank = list->system->rank;
  if (rank[i] != SMOOTH_NONE && rank[j] != SMOOTH_NONE) add_pair(list, rank[i], rank[j]);
}

static int compare_pairs(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void list_pairs(smooth_system *s, pair_list *list) {
  for (size_t i = 0; i < s->bodies + s->joints; i++) add_pair(list, i, i);
  world_force_pairs(s->world, add_world_pair, list);
  if (s->more_pairs) s->more_pairs(s->more_of, add_world_pair, list);
  for (size_t k = 0; k < s->joints; k++) {
    const joint *j = &s->world->joint[s->joint[k]];
    for (int m = 0; m < JOINT_SIDES; m++)
      if (j->body[m] != WORLD_NO_BODY && s->rank[j->body[m]] != SMOOTH_NONE)
        add_pair(list, s->bodies + k, s->rank[j->body[m]]);
  }
  if (list->count) qsort(list->pair, list->count, sizeof *list->pair, compare_pairs);
}

static scree_status fill_pattern(smooth_system *s, const pair_list *list) {
  kkt_matrix *m = &s->matrix;
  m->bodies = s->bodies;
  m->nodes = s->bodies + s->joints;
  if (memory_grow(s->context, &m->rows, m->nodes, sizeof *m->rows) ||
      memory_grow(s->context, &m->start, m->nodes + 1, sizeof *m->start) ||
      memory_grow(s->context, &m->first, m->nodes + 1, sizeof *m->first) ||
      memory_grow(s->context, &m->neighbour, list->count, sizeof *m->neighbour) ||
      memory_grow(s->context, &m->offset, list->count, sizeof *m->offset))
    return SCREE_ERROR_MEMORY;
  m->first[0] = 0;
  for (size_t i = 0; i < m->nodes; i++) {
    const size_t k = i < s->bodies ? 0 : i - s->bodies;
    m->rows[i] = i < s->bodies ? 6 : (uint32_t)(s->joint_row[k + 1] - s->joint_row[k]);
    m->first[i + 1] = m->first[i] + m->rows[i];
  }
  m->size = m->first[m->nodes];
  size_t count = 0, at = 0, node = 0;
  m->start[0] = 0;
  for (size_t p = 0; p < list->count; p++) {
    if (p && list->pair[p] == list->pair[p - 1]) continue;
    const uint32_t i = (uint32_t)(list->pair[p] >> 32), j = (uint32_t)list->pair[p];
    while (node < i) m->start[++node] = count;
    m->neighbour[count] = j;
    m->offset[count++] = at;
    at += (size_t)m->rows[i] * m->rows[j];
  }
  while (node < m->nodes) m->start[++node] = count;
  m->value_count = at;
  m->pattern++;
  if (memory_grow(s->context, &s->stiff, at + 1, sizeof *s->stiff)) return SCREE_ERROR_MEMORY;
  return memory_grow(s->context, &m->value, at + 1, sizeof *m->value);
}

scree_status kkt_make_pattern(smooth_system *s) {
  pair_list list = {.context = s->context, .system = s};
  list_pairs(s, &list);
  const scree_status status = list.status ? list.status : fill_pattern(s, &list);
  memory_free(s->context, list.pair);
  return status;
}

/* ---- values --------------------------------------------------------------------------------- */

typedef struct filling {
  smooth_system *system;
  double rate, place;
} filling;

static void add_block(void *user, uint32_t i, uint32_t j, const double *k, const double *r) {
  const filling *f = user;
  const smooth_system *s = f->system;
  double *block = kkt_block(&s->matrix, s->rank[i], s->rank[j]);
  double *stiff = s->stiff + (block - s->matrix.value);
  for (int n = 0; n < 36; n++) {
    block[n] += f->rate * r[n];
    stiff[n] += f->place * k[n];
  }
}

static m33 world_inertia(const smooth_system *s, size_t r) {
  const world_bodies *b = &s->world->bodies;
  const m33 q = quat_to_m33(b->rotation[s->body[r]]);
  double in[6];
  m33_rotate_diagonal(&q, b->inertia[s->body[r]], in);
  return (m33){{{in[0], in[1], in[2]}, {in[1], in[3], in[4]}, {in[2], in[4], in[5]}}};
}

static void add_mass(smooth_system *s, double weight) {
  for (uint32_t r = 0; r < s->bodies; r++) {
    double *block = kkt_block(&s->matrix, r, r);
    const m33 in = world_inertia(s, r);
    for (int i = 0; i < 3; i++) block[7 * i] += weight * s->world->bodies.mass[s->body[r]];
    for (int i = 0; i < 9; i++) block[6 * (3 + i / 3) + 3 + i % 3] += weight * in.m[i / 3][i % 3];
  }
}

static void add_link_inertia(smooth_system *s, double weight) {
  for (smooth_mass at = {0}; system_next_mass(s, &at);) {
    double *block = kkt_block(&s->matrix, at.row, at.column);
    for (int n = 0; n < 3; n++) block[7 * n] += weight * at.m;
  }
}

/* Columns of turns times T^-1 of each body's turn in the step. */
static void turn_columns(smooth_system *s) {
  const kkt_matrix *m = &s->matrix;
  for (uint32_t i = 0; i < s->bodies; i++)
    for (size_t k = m->start[i]; k < m->start[i + 1]; k++) {
      const uint32_t j = m->neighbour[k];
      if (j >= s->bodies) continue;
      const m33 back = tangent_inverse(v3_load(s->step + 6 * j + 3));
      double *block = m->value + m->offset[k];
      for (int r = 0; r < 6; r++) {
        const v3 old = v3_load(block + 6 * r + 3);
        v3_store(block + 6 * r + 3, m33_tmul_v3(&back, old));
      }
    }
}

/* d(I a)/dq = I [a] - [I a] for a turn, as the body's inertia turns with it. */
static void add_turning_mass(smooth_system *s, double weight) {
  for (uint32_t r = 0; r < s->bodies; r++) {
    double *block = kkt_block(&s->matrix, r, r);
    const v3 a = v3_load(s->a + 6 * r + 3);
    const m33 in = world_inertia(s, r);
    const v3 l = m33_mul_v3(&in, a);
    const m33 turn = {{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
    const m33 moment = {{{0, -l.z, l.y}, {l.z, 0, -l.x}, {-l.y, l.x, 0}}};
    const m33 first = m33_mul(&in, &turn);
    for (int i = 0; i < 9; i++)
      block[6 * (3 + i / 3) + 3 + i % 3] +=
          weight * (first.m[i / 3][i % 3] - moment.m[i / 3][i % 3]);
  }
}

static void add_joint_stiffness(smooth_system *s, double weight) {
  for (size_t n = 0; n < s->joints; n++) {
    const joint *j = &s->world->joint[s->joint[n]];
    double k[HOLD_DIM * HOLD_DIM];
    hold_stiffness(s->world, j, s->lambda + s->joint_row[n], k);
    for (int a = 0; a < JOINT_SIDES; a++)
      for (int b = 0; b < JOINT_SIDES; b++) {
        if (j->body[a] == WORLD_NO_BODY || j->body[b] == WORLD_NO_BODY) continue;
        const uint32_t ra = s->rank[j->body[a]], rb = s->rank[j->body[b]];
        if (ra == SMOOTH_NONE || rb == SMOOTH_NONE) continue;
        double *block = kkt_block(&s->matrix, ra, rb);
        for (int i = 0; i < 36; i++)
          block[i] += weight * k[HOLD_DIM * (6 * a + i / 6) + 6 * b + i % 6];
      }
  }
}

static void put_rows(smooth_system *s, const smooth_weights *weights) {
  const kkt_matrix *m = &s->matrix;
  for (uint32_t n = 0; n < s->joints; n++) {
    const uint32_t node = (uint32_t)s->bodies + n, count = m->rows[node];
    double *own = kkt_block(m, node, node);
    for (uint32_t r = 0; r < count; r++) {
      const smooth_row *row = &s->row[s->joint_row[n] + r];
      const double hard = row->stiffness * weights->place + row->damping * weights->rate;
      const bool soft = row->kind == HOLD_SOFT;
      own[r * count + r] = soft ? hard > 0.0 ? -1.0 / hard : -1.0 : 0.0;
      if (soft && !(hard > 0.0)) continue;
      for (int side = 0; side < JOINT_SIDES; side++) {
        if (row->body[side] == SMOOTH_NONE) continue;
        double *lower = kkt_block(m, node, row->body[side]);
        double *upper = kkt_block(m, row->body[side], node);
        for (uint32_t i = 0; i < 6; i++) {
          lower[6 * r + i] = row->c[side][i];
          upper[count * i + r] = row->c[side][i];
        }
      }
    }
  }
}

void system_matrix(smooth_system *s, const smooth_weights *weights) {
  filling f = {.system = s, .rate = weights->rate, .place = weights->place};
  const size_t count = s->matrix.value_count;
  const bool forces = weights->rate != 0.0 || weights->place != 0.0;
  memset(s->matrix.value, 0, count * sizeof *s->matrix.value);
  if (forces) memset(s->stiff, 0, count * sizeof *s->stiff);
  add_mass(s, weights->mass);
  if (weights->mass != 0.0) add_link_inertia(s, weights->mass);
  if (forces) world_force_blocks(s->world, add_block, &f);
  if (forces && s->more_blocks) s->more_blocks(s->more_of, add_block, &f);
  if (weights->turns) turn_columns(s);
  for (size_t i = 0; forces && i < count; i++) s->matrix.value[i] += s->stiff[i];
  if (weights->geometric) {
    add_turning_mass(s, weights->mass * weights->place);
    add_joint_stiffness(s, weights->place);
  }
  put_rows(s, weights);
}

/* Degrees of freedom and redundant rows, in the poses at hand.
 *
 * Rows of the held directions, scaled by the square root of the bodies' inertia so that metres and
 * radians compare, are made orthogonal one after the other (Gram and Schmidt, twice); a row of
 * which those before it leave less than a millionth is redundant. Machines that no joint
 * connects are counted apart. A body with one joint alone, whose rows differ on that body by
 * themselves, is taken off first with its joint, as nothing else can imply them; then the next one
 * that has one joint left: of trees nothing remains, of others their loops. One with more rows than
 * FEW_ROWS is counted by elimination instead: each row is freed of the pivot columns of those
 * before it, in their order, and its largest entry is its pivot; rows stay sparse, as a joint
 * reaches few bodies. One whose rows fill more than MOST_ENTRIES is not counted, which is reported.
 */
#include <string.h>

#include "base/argument.h"
#include "model/joints/joints.h"

enum { FEW_ROWS = 900, MOST_ENTRIES = 50000000 };
static const double nothing = 1e-6;

typedef struct part {
  const scree_world *world;
  uint32_t *root;  /* of each body: union by least index */
  uint32_t *place; /* of each body in its part, 6 columns each */
  uint32_t *list;  /* joints of the part */
  uint8_t *done;   /* of each body that is a root: its part was counted */
  uint8_t *off;    /* of each joint: taken off with a body of its own */
  size_t joints, rows, bodies;
} part;

static uint32_t find(uint32_t *root, uint32_t i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

static bool moves(const scree_world *w, uint32_t i) {
  return i != WORLD_NO_BODY && world_is_dynamic(w, i);
}

static bool counts(const joint *j) {
  return j->alive && !j->broken && joint_class_of(j)->held && j->kind != SCREE_JOINT_BUSHING &&
         !(j->compliance > 0.0);
}

static bool takes_part(const part *p, size_t k) {
  return counts(&p->world->joint[k]) && !p->off[k];
}

static void connect(part *p) {
  const scree_world *w = p->world;
  for (size_t i = 0; i < w->bodies.limit; i++) p->root[i] = (uint32_t)i;
  for (size_t k = 0; k < w->joint_limit; k++) {
    const joint *j = &w->joint[k];
    uint32_t first = WORLD_NO_BODY;
    for (int s = 0; s < JOINT_SIDES && takes_part(p, k); s++) {
      if (!moves(w, j->body[s])) continue;
      const uint32_t r = find(p->root, j->body[s]);
      if (first == WORLD_NO_BODY) first = r;
      const uint32_t low = r < first ? r : first;
      p->root[r] = p->root[first] = low;
      first = low;
    }
  }
}

static void scale_side(const scree_world *w, uint32_t i, v3 linear, v3 angular, double *to) {
  const world_bodies *b = &w->bodies;
  const v3 l = quat_rotate_inverse(b->rotation[i], angular), m = b->inertia[i];
  v3_store(to, v3_scale(1.0 / sqrt(b->mass[i]), linear));
  v3_store(to + 3, v3_make(l.x / sqrt(m.x), l.y / sqrt(m.y), l.z / sqrt(m.z)));
}

static double dot(size_t n, const double *x, const double *y) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* True: it is new, and of length 1 now. */
static bool orthogonalise(size_t n, const double *basis, size_t count, double *row) {
  const double whole = sqrt(dot(n, row, row));
  for (int pass = 0; pass < 2; pass++)
    for (size_t k = 0; k < count; k++) {
      const double f = dot(n, row, basis + k * n);
      for (size_t i = 0; i < n; i++) row[i] -= f * basis[k * n + i];
    }
  const double left = sqrt(dot(n, row, row));
  if (!(left > nothing * whole)) return false;
  for (size_t i = 0; i < n; i++) row[i] /= left;
  return true;
}

/* ---- bodies with one joint ------------------------------------------------------------------- */

/* Of each body: how many joints are left on it, and the exclusive or of their places, which is the
 * last one's when one is left. */
typedef struct crown {
  uint32_t *degree, *joints, *queue;
  size_t count;
} crown;

static void note_joint(const scree_world *w, crown *c, uint32_t k, uint32_t more) {
  const joint *j = &w->joint[k];
  for (int s = 0; s < JOINT_SIDES; s++) {
    const uint32_t i = j->body[s];
    if (!moves(w, i)) continue;
    c->degree[i] += more;
    c->joints[i] ^= k;
  }
}

/* How many rows a joint holds, if they differ on this body by themselves; else 0. */
static int held_alone(const scree_world *w, const joint *j, uint32_t body) {
  const joint_view view = joint_view_of(w, j);
  joint_row rows[JOINT_ROWS];
  double basis[JOINT_ROWS][6];
  const int held = joint_held_rows(&view, rows);
  for (int r = 0; r < held; r++) {
    for (int k = 0; k < JOINT_SIDES; k++)
      if (j->body[k] == body) scale_side(w, body, rows[r].linear[k], rows[r].angular[k], basis[r]);
    if (!orthogonalise(6, basis[0], (size_t)r, basis[r])) return 0;
  }
  return held;
}

static scree_status take_off(part *p, scree_freedom *out) {
  const scree_world *w = p->world;
  crown c = {.degree = memory_new(w->context, w->bodies.limit + 1, sizeof *c.degree)};
  c.joints = memory_new(w->context, w->bodies.limit + 1, sizeof *c.joints);
  c.queue = memory_new(w->context, w->bodies.limit + w->joint_limit + 1, sizeof *c.queue);
  const bool room = c.degree && c.joints && c.queue;
  for (uint32_t k = 0; room && k < w->joint_limit; k++)
    if (counts(&w->joint[k])) note_joint(w, &c, k, 1);
  for (uint32_t i = 0; room && i < w->bodies.limit; i++)
    if (c.degree[i] == 1) c.queue[c.count++] = i;
  for (size_t at = 0; room && at < c.count; at++) {
    const uint32_t i = c.queue[at], k = c.joints[i];
    const int held = c.degree[i] == 1 ? held_alone(w, &w->joint[k], i) : 0;
    if (!held) continue;
    p->off[k] = 1;
    out->rows += (size_t)held;
    out->freedom -= (size_t)held;
    note_joint(w, &c, k, UINT32_MAX);
    for (int s = 0; s < JOINT_SIDES; s++) {
      const uint32_t other = w->joint[k].body[s];
      if (moves(w, other) && c.degree[other] == 1) c.queue[c.count++] = other;
    }
  }
  memory_free(w->context, c.degree);
  memory_free(w->context, c.joints);
  memory_free(w->context, c.queue);
  return room ? SCREE_OK : SCREE_ERROR_MEMORY;
}

/* ---- what is left ---------------------------------------------------------------------------- */

/* The rows that count, one after the other: an orthogonal basis, or rows of an elimination. */
typedef struct span {
  size_t n, rank;
  bool sparse, full; /* full: more than MOST_ENTRIES */
  double *basis;     /* rank x n; sparse: the entries of the rows */
  double *row;       /* n: the one at hand */
  uint32_t *column;  /* sparse: of each entry */
  size_t *start;     /* sparse: of each row, its pivot first */
} span;

static scree_status begin_span(const scree_world *w, span *s, size_t rows, size_t n) {
  *s = (span){.n = n, .sparse = rows > FEW_ROWS};
  s->row = memory_new(w->context, n, sizeof *s->row);
  if (s->sparse)
    s->start = memory_new(w->context, rows + 1, sizeof *s->start);
  else
    s->basis = memory_new(w->context, (rows + 1) * n, sizeof *s->basis);
  return s->row && (s->start || s->basis) ? SCREE_OK : SCREE_ERROR_MEMORY;
}

static void end_span(const scree_world *w, span *s) {
  memory_free(w->context, s->basis);
  memory_free(w->context, s->row);
  memory_free(w->context, s->column);
  memory_free(w->context, s->start);
}

/* Frees the row at hand of the pivots; what is left becomes a row of its own, if it is new. */
static scree_status eliminate(const scree_world *w, span *s, bool *fresh) {
  double *row = s->row, whole = 0.0, left = 0.0;
  size_t pivot = 0, count = 0, at = s->start[s->rank];
  for (size_t i = 0; i < s->n; i++) whole = fmax(whole, fabs(row[i]));
  for (size_t k = 0; k < s->rank; k++) {
    const size_t first = s->start[k];
    const double f = row[s->column[first]] / s->basis[first];
    if (f == 0.0) continue;
    for (size_t e = first; e < s->start[k + 1]; e++) row[s->column[e]] -= f * s->basis[e];
    row[s->column[first]] = 0.0;
  }
  for (size_t i = 0; i < s->n; i++) {
    if (fabs(row[i]) <= 1e-14 * whole) continue;
    count++;
    if (fabs(row[i]) > left) left = fabs(row[pivot = i]);
  }
  *fresh = left > nothing * whole;
  if (!*fresh) return SCREE_OK;
  s->full = at + count > MOST_ENTRIES;
  if (s->full) return SCREE_OK;
  if (memory_grow(w->context, &s->basis, at + count, sizeof *s->basis) ||
      memory_grow(w->context, &s->column, at + count, sizeof *s->column))
    return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k <= s->n; k++) {
    const size_t i = k == 0 ? pivot : k - 1;
    if ((k > 0 && i == pivot) || fabs(row[i]) <= 1e-14 * whole) continue;
    s->basis[at] = row[i];
    s->column[at++] = (uint32_t)i;
  }
  s->start[++s->rank] = at;
  return SCREE_OK;
}

/* The row at hand. */
static scree_status add_row(const scree_world *w, span *s, bool *fresh) {
  if (s->sparse) return eliminate(w, s, fresh);
  double *to = s->basis + s->rank * s->n;
  memcpy(to, s->row, s->n * sizeof *to);
  *fresh = orthogonalise(s->n, s->basis, s->rank, to);
  s->rank += *fresh;
  return SCREE_OK;
}

static scree_status count_joint(part *p, uint32_t at, span *s, int *held, int *idle) {
  const scree_world *w = p->world;
  const joint *j = &w->joint[at];
  const joint_view view = joint_view_of(w, j);
  joint_row rows[JOINT_ROWS];
  *held = joint_held_rows(&view, rows);
  *idle = 0;
  for (int r = 0; r < *held && !s->full; r++) {
    bool fresh = false;
    memset(s->row, 0, s->n * sizeof *s->row);
    for (int k = 0; k < JOINT_SIDES; k++)
      if (moves(w, j->body[k]))
        scale_side(w, j->body[k], rows[r].linear[k], rows[r].angular[k],
                   s->row + 6 * p->place[j->body[k]]);
    const scree_status status = add_row(w, s, &fresh);
    if (status) return status;
    *idle += !fresh;
  }
  return SCREE_OK;
}

static scree_status count_part(part *p, scree_freedom *out, scree_redundant_function visit,
                               void *user) {
  const scree_world *w = p->world;
  span s;
  size_t rows = 0, redundant = 0;
  scree_status status = begin_span(w, &s, p->rows, 6 * p->bodies);
  for (size_t k = 0; k < p->joints && !status && !s.full; k++) {
    int held, idle;
    status = count_joint(p, p->list[k], &s, &held, &idle);
    rows += (size_t)held;
    redundant += (size_t)idle;
    if (status || s.full || !idle || !visit) continue;
    visit(user, (scree_joint_id){p->list[k], w->joint[p->list[k]].generation}, idle, held);
  }
  if (s.full) {
    out->uncounted_joints += p->joints;
  } else if (!status) {
    out->rows += rows;
    out->redundant += redundant;
    out->freedom -= s.rank;
  }
  end_span(w, &s);
  return status;
}

/* Gathers the part of a root. */
static void gather(part *p, uint32_t root) {
  const scree_world *w = p->world;
  p->joints = p->rows = p->bodies = 0;
  for (size_t i = 0; i < w->bodies.limit; i++)
    if (w->bodies.alive[i] && moves(w, (uint32_t)i) && find(p->root, (uint32_t)i) == root)
      p->place[i] = (uint32_t)p->bodies++;
  for (size_t k = 0; k < w->joint_limit; k++) {
    const joint *j = &w->joint[k];
    bool mine = false;
    for (int s = 0; s < JOINT_SIDES && takes_part(p, k); s++)
      mine = mine || (moves(w, j->body[s]) && find(p->root, j->body[s]) == root);
    if (!mine) continue;
    p->list[p->joints++] = (uint32_t)k;
    p->rows += (size_t)joint_class_of(j)->held;
  }
}

scree_status scree_world_count_freedom(const scree_world *w, scree_redundant_function visit,
                                       void *user, scree_freedom *out) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && out);
  *out = (scree_freedom){.joints = w->joint_count, .freedom = 6 * w->bodies.dynamic_count};
  if (!w->joint_count) return SCREE_OK;
  part p = {.world = w};
  p.root = memory_new(w->context, w->bodies.limit + 1, sizeof *p.root);
  p.place = memory_new(w->context, w->bodies.limit + 1, sizeof *p.place);
  p.list = memory_new(w->context, w->joint_limit + 1, sizeof *p.list);
  p.done = memory_new(w->context, w->bodies.limit + 1, sizeof *p.done);
  p.off = memory_new(w->context, w->joint_limit + 1, sizeof *p.off);
  scree_status status =
      p.root && p.place && p.list && p.done && p.off ? SCREE_OK : SCREE_ERROR_MEMORY;
  if (!status) status = take_off(&p, out);
  if (!status) connect(&p);
  for (size_t k = 0; k < w->joint_limit && !status; k++) {
    const joint *j = &w->joint[k];
    uint32_t root = WORLD_NO_BODY;
    for (int s = 0; s < JOINT_SIDES && takes_part(&p, k) && root == WORLD_NO_BODY; s++)
      if (moves(w, j->body[s])) root = find(p.root, j->body[s]);
    if (root == WORLD_NO_BODY || p.done[root]) continue;
    p.done[root] = 1;
    gather(&p, root);
    status = count_part(&p, out, visit, user);
  }
  memory_free(w->context, p.root);
  memory_free(w->context, p.place);
  memory_free(w->context, p.list);
  memory_free(w->context, p.done);
  memory_free(w->context, p.off);
  return status;
}

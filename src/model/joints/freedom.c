/* Degrees of freedom and redundant rows, in the poses at hand.
 *
 * Rows of the held directions, scaled by the square root of the bodies' inertia so that metres and
 * radians compare, are made orthogonal one after the other (Gram and Schmidt, twice); a row of
 * which those before it leave less than a millionth says nothing new. Machines that no joint
 * connects are counted apart; one with more rows than MOST_ROWS is not counted, which is told. */
#include <string.h>

#include "base/argument.h"
#include "model/joints/joints.h"

enum { MOST_ROWS = 900 };
static const double nothing = 1e-6;

typedef struct part {
  const scree_world *world;
  uint32_t *root;  /* of each body: union by least index */
  uint32_t *place; /* of each body in its part, 6 columns each */
  uint32_t *list;  /* joints of the part */
  uint8_t *done;   /* of each body that is a root: its part was counted */
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

static void connect(part *p) {
  const scree_world *w = p->world;
  for (size_t i = 0; i < w->bodies.limit; i++) p->root[i] = (uint32_t)i;
  for (size_t k = 0; k < w->joint_limit; k++) {
    const joint *j = &w->joint[k];
    uint32_t first = WORLD_NO_BODY;
    for (int s = 0; s < JOINT_SIDES && counts(j); s++) {
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

static scree_status count_part(part *p, scree_freedom *out, scree_redundant_function visit,
                               void *user) {
  const scree_world *w = p->world;
  const size_t n = 6 * p->bodies;
  if (p->rows > MOST_ROWS) {
    out->uncounted_joints += p->joints;
    return SCREE_OK;
  }
  double *basis = memory_new(w->context, (p->rows + 1) * n, sizeof *basis);
  size_t rank = 0;
  if (!basis) return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < p->joints; k++) {
    const joint *j = &w->joint[p->list[k]];
    const joint_view view = joint_look(w, j);
    joint_row rows[JOINT_ROWS];
    const int held = joint_held_rows(&view, rows);
    int idle = 0;
    for (int r = 0; r < held; r++) {
      double *row = basis + rank * n;
      memset(row, 0, n * sizeof *row);
      for (int s = 0; s < JOINT_SIDES; s++)
        if (moves(w, j->body[s]))
          scale_side(w, j->body[s], rows[r].linear[s], rows[r].angular[s],
                     row + 6 * p->place[j->body[s]]);
      if (orthogonalise(n, basis, rank, row))
        rank++;
      else
        idle++;
    }
    out->rows += (size_t)held;
    out->redundant += (size_t)idle;
    if (idle && visit) visit(user, (scree_joint_id){p->list[k], j->generation}, idle, held);
  }
  out->freedom -= rank;
  memory_free(w->context, basis);
  return SCREE_OK;
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
    for (int s = 0; s < JOINT_SIDES && counts(j); s++)
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
  scree_status status = p.root && p.place && p.list && p.done ? SCREE_OK : SCREE_ERROR_MEMORY;
  if (!status) connect(&p);
  for (size_t k = 0; k < w->joint_limit && !status; k++) {
    const joint *j = &w->joint[k];
    uint32_t root = WORLD_NO_BODY;
    for (int s = 0; s < JOINT_SIDES && counts(j) && root == WORLD_NO_BODY; s++)
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
  return status;
}

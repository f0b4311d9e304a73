/* Geometric stiffness of joints: what keeps light links under a heavy load from whirling.
 *
 * A force F that a joint gives a body at the arm r turns it by r x F. When the body turns by a
 * small angle the arm goes along, and the moment changes by -K angle, K = (r.F)(1 - n n') for a
 * pull along r = |r| n. A link swings about its neighbours with omega^2 = K / J, J the inertia that
 * its joints leave it, and a step that takes moments at its start is stable up to
 * x = h^2 omega^2 = 4 only: a load some hundred times a link of 10 cm at 5 ms. Modes beyond that
 * cannot be resolved by the step, but they must not grow. So a body with x > limit is damped:
 *
 *   I (w+ - w) = moments - part h^2 K (w+ - w_s),   part = 1 - limit / x
 *
 * with w_s the slow part of its angular velocity, w_s+ = w_s + 0.6 (w+ - w_s). For stiff modes that
 * is the moment as at the end of the step: they die by a factor 0.8 per step, and K may be wrong by
 * a factor of 2. Slow motion is w_s but for a lag of tau = h / 0.6; it loses (omega tau)^2 of what
 * the same damping of w itself would take: at a rate of omega^4 tau^2 h / 2, 1e-5 per second for a
 * pendulum of 1 m at 5 ms. It is reported.
 *
 * J is the Schur complement of the body in its joints, J^-1 = W - W G' (G W G' + G_o W_o G_o')^-1 G
 * W, with the other body of each joint taken as free: less inertia than it has in truth. A ball on
 * a long arm that hangs on the world has J = I + m r^2, and nothing is added. Bodies that are tied
 * together count one another's mass twice or three times in that, hence limit = 1, not 4. F is that
 * of the step before. Pushes (r.F < 0) tip a body over in truth too and are left alone.
 *
 * Points at the ends of bars and ropes swing across these with omega^2 = 2 F / (length m) and more,
 * and are damped likewise, with the mass for J and F / length of all of them for K: beads of 1 g
 * that are 2 cm apart above a load of 10 kg, at 1 ms. */
#include <math.h>
#include <string.h>

#include "assemble/joints/joints.h"

static const double limit = 1.0; /* of x, see above */
enum { MOST_JOINTS = 4, MOST_ROWS = MOST_JOINTS * SCREE_MAX_DIM };

static void add_pull(assembler *a, uint32_t body, v3 arm, v3 pull) {
  const double along = v3_dot(arm, pull), length2 = v3_norm2(arm);
  if (body == WORLD_NO_BODY || !world_is_dynamic(a->world, body)) return;
  if (!(along > 0.0) || !(length2 > 0.0)) return;
  double *k = a->joints.stiffness[body];
  const double f = along / length2;
  k[0] += along - f * arm.x * arm.x;
  k[1] -= f * arm.x * arm.y;
  k[2] -= f * arm.x * arm.z;
  k[3] += along - f * arm.y * arm.y;
  k[4] -= f * arm.y * arm.z;
  k[5] += along - f * arm.z * arm.z;
}

/* A bar or rope under the tension F pulls an end that was moved across it by s back with s F /
 * length. */
static void add_tension(assembler *a, uint32_t body, double by) {
  if (body != WORLD_NO_BODY && world_is_dynamic(a->world, body)) a->joints.drag[body] += by;
}

static void add_tensions(assembler *a, const joint *j, const joint_view *view, v3 pull) {
  const v3 way = v3_sub(view->frame[FRAME_A].position, view->frame[FRAME_B].position);
  const double along = v3_dot(way, pull), length2 = v3_norm2(way);
  if (!(along > 0.0) || !(length2 > 0.0)) return;
  add_tension(a, j->body[SIDE_A], along / length2);
  add_tension(a, j->body[SIDE_B], along / length2);
}

static bool joins_anchors(const joint *j) {
  return j->kind != SCREE_JOINT_DISTANCE && j->kind != SCREE_JOINT_ROPE;
}

/* Lists of the joints of each body, in the order of the joints. */
static scree_status list_joints(assembler *a) {
  const scree_world *w = a->world;
  if (memory_grow(a->context, &a->joints.first, w->bodies.limit, sizeof *a->joints.first) ||
      memory_grow(a->context, &a->joints.next, JOINT_SIDES * w->joint_limit,
                  sizeof *a->joints.next))
    return SCREE_ERROR_MEMORY;
  memset(a->joints.first, 0, w->bodies.limit * sizeof *a->joints.first);
  for (size_t k = w->joint_limit; k-- > 0;) {
    const joint *j = &w->joint[k];
    for (size_t s = 0; s < JOINT_SIDES && j->alive && !j->broken; s++) {
      if (j->body[s] == WORLD_NO_BODY) continue;
      a->joints.next[JOINT_SIDES * k + s] = a->joints.first[j->body[s]];
      a->joints.first[j->body[s]] = (uint32_t)(1 + JOINT_SIDES * k + s);
    }
  }
  return SCREE_OK;
}

/* Room, and velocities that are slow for want of others. */
static scree_status reserve(assembler *a) {
  world_bodies *b = &a->world->bodies;
  const bool first = !b->slow_turn || !b->slow_way;
  if (memory_grow(a->context, &a->joints.stiffness, b->limit, sizeof *a->joints.stiffness) ||
      memory_grow(a->context, &a->joints.drag, b->limit, sizeof *a->joints.drag) ||
      world_need(a->world, &b->slow_turn, sizeof(v3), NULL) ||
      world_need(a->world, &b->slow_way, sizeof(v3), NULL))
    return SCREE_ERROR_MEMORY;
  if (!first) return SCREE_OK;
  memcpy(b->slow_turn, b->angular, b->limit * sizeof(v3));
  memcpy(b->slow_way, b->linear, b->limit * sizeof(v3));
  return SCREE_OK;
}

/* The tension over the length, as it makes the lighter end swing, against the limit. */
static bool is_stiff_line(const assembler *a, const joint *j, const joint_view *view, v3 pull) {
  const scree_world *w = a->world;
  const v3 way = v3_sub(view->frame[FRAME_A].position, view->frame[FRAME_B].position);
  const double along = v3_dot(way, pull), length2 = v3_norm2(way);
  double light = 0.0;
  for (int s = 0; s < 2; s++)
    if (j->body[s] != WORLD_NO_BODY && world_is_dynamic(w, j->body[s]))
      light = fmax(light, 1.0 / w->bodies.mass[j->body[s]]);
  return a->h * along * light > limit * length2;
}

/* A bar or rope in its first step. */
static bool is_new_line(const joint *j, const joint_part *part) {
  return !joins_anchors(j) && !(j->step > 0.0) &&
         (part->role == JOINT_PART_HELD || part->role == JOINT_PART_HIGH);
}

/* On several ranks: what lines of others pull, and whether they found any. */
typedef struct line_pull {
  v3 pull;
  uint64_t joint;
} line_pull;

static scree_status tell_pulls(assembler *a, bool *found) {
  const scree_world *w = a->world;
  const joint_rows *j = &a->joints;
  line_pull *mine = memory_new(a->context, j->count + 1, sizeof *mine), one;
  const void *all;
  size_t n = 0, size;
  if (!mine) return SCREE_ERROR_MEMORY;
  for (size_t p = 0; p < j->count; p++)
    if (is_new_line(&w->joint[j->part[p].joint], &j->part[p]))
      mine[n++] = (line_pull){j->first_pull[j->part[p].joint], j->part[p].joint};
  const scree_status status = a->ranks->tell(a->ranks, mine, n * sizeof *mine, &all, &size);
  memory_free(a->context, mine);
  for (size_t k = 0; !status && k < size / sizeof one; k++) {
    memcpy(&one, (const char *)all + k * sizeof one, sizeof one);
    j->first_pull[one.joint] = one.pull;
  }
  *found = ranks_any(a->context->ranks, *found);
  return status;
}

/* Some line is in its first step, be it of whatever rank. */
static bool has_new_lines(const scree_world *w) {
  for (size_t k = 0; k < w->joint_limit; k++) {
    const joint *j = &w->joint[k];
    if (j->alive && !j->broken && !joins_anchors(j) && !(j->step > 0.0)) return true;
  }
  return false;
}

scree_status assembler_try_lines(assembler *a, const assembler_params *params, bool *found) {
  const scree_world *w = a->world;
  *found = false;
  if (a->joints.tried || !has_new_lines(w)) return SCREE_OK;
  if (memory_grow(a->context, &a->joints.first_pull, w->joint_limit, sizeof *a->joints.first_pull))
    return SCREE_ERROR_MEMORY;
  memset(a->joints.first_pull, 0, w->joint_limit * sizeof *a->joints.first_pull);
  for (size_t p = 0; p < a->joints.count; p++) {
    const joint_part *part = &a->joints.part[p];
    const joint *j = &w->joint[part->joint];
    const bool bar = part->role == JOINT_PART_HELD;
    if (!is_new_line(j, part)) continue;
    const joint_view view = joint_view_of(w, j);
    const joint_row row = joint_length_row(&view, FRAME_A, FRAME_B);
    const double g = a->g[a->problem->row_start[part->block]];
    const v3 pull = v3_scale((bar ? g : -g) * params->h / a->kick, row.linear[SIDE_B]);
    a->joints.first_pull[part->joint] = pull;
    *found = *found || is_stiff_line(a, j, &view, pull);
  }
  const scree_status status = a->ranks ? tell_pulls(a, found) : SCREE_OK;
  a->joints.tried = *found;
  return status;
}

/* Of the step before, or of the first one as it was solved before. */
static bool pull_of(const assembler *a, size_t k, double h, v3 *pull) {
  const joint *j = &a->world->joint[k];
  const bool first = a->joints.tried && !(j->step > 0.0) && !joins_anchors(j);
  if (!j->alive || j->broken || !(j->step > 0.0 || first)) return false;
  *pull = first ? a->joints.first_pull[k] : v3_scale(h / j->step, j->impulse);
  return true;
}

scree_status assembler_find_stiffness(assembler *a, const assembler_params *params) {
  const scree_world *w = a->world;
  a->joints.tried = a->joints.tried && params->again;
  a->joints.stiff = a->joints.tried;
  for (size_t j = 0; j < w->joint_limit && !a->joints.stiff; j++)
    a->joints.stiff = w->joint[j].alive && w->joint[j].step > 0.0;
  if (!a->joints.stiff) return SCREE_OK;
  if (list_joints(a)) return SCREE_ERROR_MEMORY;
  if (reserve(a)) return SCREE_ERROR_MEMORY;
  memset(a->joints.stiffness, 0, w->bodies.limit * sizeof *a->joints.stiffness);
  memset(a->joints.drag, 0, w->bodies.limit * sizeof *a->joints.drag);
  for (size_t k = 0; k < w->joint_limit; k++) {
    const joint *j = &w->joint[k];
    v3 pull;
    if (!pull_of(a, k, params->h, &pull)) continue;
    const joint_view view = joint_view_of(w, j);
    /* A bar or rope pulls a at a's own anchor. */
    const int at = joins_anchors(j) ? FRAME_B : FRAME_A;
    add_pull(a, j->body[SIDE_B], v3_sub(view.frame[FRAME_B].position, view.center[SIDE_B]), pull);
    if (!joins_anchors(j)) add_tensions(a, j, &view, pull);
    if (j->body[SIDE_C] != WORLD_NO_BODY) continue;
    add_pull(a, j->body[SIDE_A], v3_sub(view.frame[at].position, view.center[SIDE_A]),
             v3_scale(-1.0, pull));
  }
  return SCREE_OK;
}

/* The inverse of a symmetric matrix xx xy xz yy yz zz, which is positive definite. */
static void invert(const double *m, double *out) {
  const double c0 = m[3] * m[5] - m[4] * m[4], c1 = m[2] * m[4] - m[1] * m[5];
  const double c2 = m[1] * m[4] - m[2] * m[3];
  const double f = 1.0 / (m[0] * c0 + m[1] * c1 + m[2] * c2);
  out[0] = f * c0;
  out[1] = f * c1;
  out[2] = f * c2;
  out[3] = f * (m[0] * m[5] - m[2] * m[2]);
  out[4] = f * (m[1] * m[2] - m[0] * m[4]);
  out[5] = f * (m[0] * m[3] - m[1] * m[1]);
}

/* ---- the inertia that joints leave ---------------------------------------------------------- */

typedef struct twist {
  v3 linear, angular;
} twist;

static double twist_dot(twist a, twist b) {
  return v3_dot(a.linear, b.linear) + v3_dot(a.angular, b.angular);
}

/* W of a body. */
typedef struct mobility {
  double linear, angular[6];
} mobility;

static mobility mobility_of(const scree_world *w, uint32_t body) {
  const world_bodies *b = &w->bodies;
  const v3 i = b->inertia[body];
  const m33 r = quat_to_m33(b->rotation[body]);
  mobility m = {.linear = 1.0 / b->mass[body]};
  m33_rotate_diagonal(&r, v3_make(1.0 / i.x, 1.0 / i.y, 1.0 / i.z), m.angular);
  return m;
}

static twist move(const mobility *m, twist row) {
  return (twist){v3_scale(m->linear, row.linear), sym3_mul_v3(m->angular, row.angular)};
}

typedef struct schur {
  int count;
  twist moved[MOST_ROWS]; /* W G' */
  double s[MOST_ROWS][MOST_ROWS];
} schur;

/* S += G_o W_o G_o' of another side of the joint, lower half. */
static void add_far(const scree_world *w, const joint_row *rows, int count, int side, uint32_t body,
                    schur *m) {
  const mobility far = mobility_of(w, body);
  for (int r = 0; r < count; r++) {
    const twist moved = move(&far, (twist){rows[r].linear[side], rows[r].angular[side]});
    for (int c = 0; c <= r; c++)
      m->s[m->count + r][m->count + c] +=
          twist_dot((twist){rows[c].linear[side], rows[c].angular[side]}, moved);
  }
}

/* Rows of one joint, as far as there is room. */
static void add_joint(const scree_world *w, const joint *j, int side, const mobility *own,
                      schur *m) {
  joint_row rows[JOINT_ROWS];
  const joint_view view = joint_view_of(w, j);
  const int n = joint_held_rows(&view, rows), first = m->count;
  if (first + n > MOST_ROWS) return;
  for (int r = 0; r < n; r++) {
    const twist row = {rows[r].linear[side], rows[r].angular[side]};
    m->moved[first + r] = move(own, row);
    for (int c = 0; c <= first + r; c++) m->s[first + r][c] = twist_dot(row, m->moved[c]);
  }
  for (int s = 0; s < JOINT_SIDES; s++)
    if (s != side && j->body[s] != WORLD_NO_BODY && world_is_dynamic(w, j->body[s]))
      add_far(w, rows, n, s, j->body[s], m);
  m->count += n;
}

/* Takes W G' S^-1 G W off: by S = L L', columns of W G' L^-T. A row that others imply is passed
 * over. */
static void constrain(schur *m, double *inverse) {
  for (int r = 0; r < m->count; r++) {
    const double whole = m->s[r][r];
    for (int c = 0; c < r; c++) {
      double sum = m->s[r][c];
      for (int e = 0; e < c; e++) sum -= m->s[r][e] * m->s[c][e];
      m->s[r][c] = m->s[c][c] > 0.0 ? sum / m->s[c][c] : 0.0;
      m->s[r][r] -= m->s[r][c] * m->s[r][c];
      m->moved[r].angular = v3_add_scaled(m->moved[r].angular, -m->s[r][c], m->moved[c].angular);
    }
    m->s[r][r] = m->s[r][r] > 1e-9 * whole ? sqrt(m->s[r][r]) : 0.0;
    const double f = m->s[r][r] > 0.0 ? 1.0 / m->s[r][r] : 0.0;
    const v3 x = m->moved[r].angular = v3_scale(f, m->moved[r].angular);
    inverse[0] -= x.x * x.x;
    inverse[1] -= x.x * x.y;
    inverse[2] -= x.x * x.z;
    inverse[3] -= x.y * x.y;
    inverse[4] -= x.y * x.z;
    inverse[5] -= x.z * x.z;
  }
}

/* The trace of K W, which no eigenvalue exceeds. */
static double trace(const double *k, const double *i) {
  return k[0] * i[0] + k[3] * i[3] + k[5] * i[5] + 2.0 * (k[1] * i[1] + k[2] * i[2] + k[4] * i[4]);
}

static double constrained_ratio(const assembler *a, uint32_t body, double h,
                                const double *inverse_inertia) {
  const scree_world *w = a->world;
  mobility own = {.linear = 1.0 / w->bodies.mass[body]};
  double inverse[6];
  schur m;
  m.count = 0;
  memcpy(own.angular, inverse_inertia, sizeof inverse);
  memcpy(inverse, inverse_inertia, sizeof inverse);
  for (uint32_t at = a->joints.first[body], found = 0; at && found < MOST_JOINTS;
       at = a->joints.next[at - 1]) {
    const joint *j = &w->joint[(at - 1) / JOINT_SIDES];
    if (j->compliance > 0.0 || j->kind == SCREE_JOINT_BUSHING) continue;
    add_joint(w, j, (int)((at - 1) % JOINT_SIDES), &own, &m);
    found++;
  }
  constrain(&m, inverse);
  return h * trace(a->joints.stiffness[body], inverse);
}

/* Of places: the same, with the mass for J, as a point has no less. */
static bool stiffen_way(assembler *a, uint32_t body, double h, scree_ccp_body_def *def) {
  const world_bodies *b = &a->world->bodies;
  double *drag = &a->joints.drag[body];
  const double ratio = h * *drag * def->inverse_mass;
  if (!(ratio > limit)) {
    *drag = 0.0;
    return false;
  }
  *drag *= (1.0 - limit / ratio) * h;
  const double mass = b->mass[body] + *drag;
  a->linear[body] = v3_scale(1.0 / mass, v3_add_scaled(v3_scale(b->mass[body], a->linear[body]),
                                                       *drag, b->slow_way[body]));
  def->inverse_mass = 1.0 / mass;
  return true;
}

static bool stiffen_turn(assembler *a, uint32_t body, double h, double *inverse_inertia) {
  double *k = a->joints.stiffness[body];
  double ratio = h * trace(k, inverse_inertia);
  if (ratio > limit) ratio = constrained_ratio(a, body, h, inverse_inertia);
  if (!(ratio > limit)) {
    memset(k, 0, sizeof a->joints.stiffness[body]);
    return false;
  }
  const double part = 1.0 - limit / ratio;
  const world_bodies *b = &a->world->bodies;
  double sum[6];
  const m33 r = quat_to_m33(b->rotation[body]);
  m33_rotate_diagonal(&r, b->inertia[body], sum);
  v3 momentum = sym3_mul_v3(sum, a->angular[body]);
  for (int e = 0; e < 6; e++) sum[e] += k[e] *= part * h;
  momentum = v3_add(momentum, sym3_mul_v3(k, b->slow_turn[body]));
  invert(sum, inverse_inertia);
  a->angular[body] = sym3_mul_v3(inverse_inertia, momentum);
  return true;
}

/* After assembler_stiffen of all bodies. */
void assembler_keep_stiff(const assembler *a, uint32_t body, scree_ccp_body_def *def) {
  const world_bodies *b = &a->world->bodies;
  double sum[6];
  bool turns = false;
  if (!a->joints.stiff) return;
  const double *k = a->joints.stiffness[body];
  const m33 r = quat_to_m33(b->rotation[body]);
  m33_rotate_diagonal(&r, b->inertia[body], sum);
  for (int e = 0; e < 6; e++) {
    turns = turns || k[e] != 0.0;
    sum[e] += k[e];
  }
  if (turns) invert(sum, def->inverse_inertia);
  if (a->joints.drag[body] > 0.0) def->inverse_mass = 1.0 / (b->mass[body] + a->joints.drag[body]);
}

bool assembler_stiffen(assembler *a, uint32_t body, double h, scree_ccp_body_def *def) {
  if (!a->joints.stiff) return false;
  const bool turns = stiffen_turn(a, body, h, def->inverse_inertia);
  return stiffen_way(a, body, h, def) || turns;
}

/* The system of a world: its unknowns, its rows, and the state that is tried. See system.h. */
#include "step/smooth/system.h"

#include <string.h>

#include "math/tangent.h"
#include "model/link/link.h"

void system_init(smooth_system *s, scree_world *world) {
  memset(s, 0, sizeof *s);
  s->context = world->context;
  s->world = world;
  s->part = 1.0;
}

void system_clear(smooth_system *s) {
  void *blocks[] = {s->stiff,
                    s->body,
                    s->rank,
                    s->joint,
                    s->joint_row,
                    s->row,
                    s->pose0,
                    s->given0,
                    s->v0,
                    s->a0,
                    s->a,
                    s->b0,
                    s->f,
                    s->step,
                    s->lambda0,
                    s->lambda,
                    s->x,
                    s->load,
                    s->rates,
                    s->seen,
                    s->matrix.rows,
                    s->matrix.start,
                    s->matrix.neighbour,
                    s->matrix.first,
                    s->matrix.offset,
                    s->matrix.value};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_free(s->context, blocks[i]);
}

/* ---- unknowns ------------------------------------------------------------------------------- */

static scree_status refuse(const smooth_system *s, size_t k, const char *why) {
  return context_fail(s->context, SCREE_ERROR_UNSUPPORTED,
                      "joint %zu: %s; steppers of smooth motion cannot have it, 'nonsmooth' can", k,
                      why);
}

static scree_status number_bodies(smooth_system *s) {
  const world_bodies *b = &s->world->bodies;
  scree_context *c = s->context;
  if (memory_grow(c, &s->body, b->limit, sizeof *s->body) ||
      memory_grow(c, &s->rank, b->limit, sizeof *s->rank) ||
      memory_grow(c, &s->pose0, b->limit + 1, sizeof *s->pose0) ||
      memory_grow(c, &s->given0, 2 * b->limit + 1, sizeof *s->given0) ||
      memory_grow(c, &s->load, 6 * b->limit + 1, sizeof *s->load))
    return SCREE_ERROR_MEMORY;
  s->bodies = 0;
  s->heavy = false;
  for (size_t k = 0; k < s->world->link_limit; k++)
    s->heavy |= s->world->link[k].alive && s->world->link[k].heavy;
  for (uint32_t i = 0; i < b->limit; i++) {
    s->rank[i] = SMOOTH_NONE;
    if (!b->alive[i] || !world_is_dynamic(s->world, i)) continue;
    s->rank[i] = (uint32_t)s->bodies;
    s->body[s->bodies++] = i;
  }
  return SCREE_OK;
}

static scree_status number_rows(smooth_system *s) {
  const scree_world *w = s->world;
  if (memory_grow(s->context, &s->joint, w->joint_limit, sizeof *s->joint) ||
      memory_grow(s->context, &s->joint_row, w->joint_limit + 1, sizeof *s->joint_row))
    return SCREE_ERROR_MEMORY;
  s->joints = s->rows = 0;
  for (uint32_t k = 0; k < w->joint_limit; k++) {
    if (!hold_takes_part(w, &w->joint[k])) continue;
    const char *why = hold_refusal(&w->joint[k]);
    if (why) return refuse(s, k, why);
    s->joint[s->joints] = k;
    s->joint_row[s->joints++] = s->rows;
    s->rows += (size_t)hold_row_count(&w->joint[k]);
  }
  s->joint_row[s->joints] = s->rows;
  return SCREE_OK;
}

static scree_status reserve_vectors(smooth_system *s) {
  /* One more than needed: there may be no rows, and no null pointers then. */
  const size_t n = 6 * s->bodies + 1, rows = s->rows + 1;
  double **vectors[6] = {&s->v0, &s->a0, &s->a, &s->b0, &s->f, &s->step};
  for (int i = 0; i < 6; i++)
    if (memory_grow(s->context, vectors[i], n, sizeof(double))) return SCREE_ERROR_MEMORY;
  if (memory_grow(s->context, &s->lambda0, rows, sizeof(double)) ||
      memory_grow(s->context, &s->lambda, rows, sizeof(double)) ||
      memory_grow(s->context, &s->rates, rows, sizeof(double)) ||
      memory_grow(s->context, &s->row, rows, sizeof *s->row) ||
      memory_grow(s->context, &s->x, n + rows, sizeof *s->x) ||
      memory_grow(s->context, &s->seen, 13 * s->bodies + 1, sizeof *s->seen))
    return SCREE_ERROR_MEMORY;
  return SCREE_OK;
}

/* ---- the state ------------------------------------------------------------------------------ */

static void read_state(const smooth_system *s, size_t r, double *out) {
  const world_bodies *b = &s->world->bodies;
  const uint32_t i = s->body[r];
  const quat q = b->rotation[i];
  const double rotation[4] = {q.w, q.x, q.y, q.z};
  v3_store(out, b->position[i]);
  memcpy(out + 3, rotation, sizeof rotation);
  v3_store(out + 7, b->linear[i]);
  v3_store(out + 10, b->angular[i]);
}

/* A motor may have been switched to another kind, which changes its rows. */
static bool rows_fit(const smooth_system *s) {
  for (size_t k = 0; k < s->joints; k++) {
    const joint *j = &s->world->joint[s->joint[k]];
    if (hold_refusal(j)) return false;
    if ((size_t)hold_row_count(j) != s->joint_row[k + 1] - s->joint_row[k]) return false;
  }
  return true;
}

scree_status system_begin(smooth_system *s, bool *again) {
  scree_world *w = s->world;
  world_bodies *b = &w->bodies;
  *again = !s->started;
  if (!s->known || s->revision != w->revision || !rows_fit(s)) {
    scree_status status = number_bodies(s);
    if (!status) status = number_rows(s);
    if (!status) status = reserve_vectors(s);
    if (!status) status = kkt_make_pattern(s);
    if (status) return status;
    s->known = true;
    s->made++;
    s->revision = w->revision;
    *again = true;
  }
  /* Velocities become those of the whole step, and stay so. */
  for (size_t r = 0; r < s->bodies; r++) {
    const uint32_t i = s->body[r];
    double state[13];
    b->linear[i] = world_linear(w, i);
    b->angular[i] = world_angular(w, i);
    b->fresh[i] = 1;
    b->pulse[i] = PULSE_CALM;
    read_state(s, r, state);
    if (!*again && memcmp(state, s->seen + 13 * r, sizeof state) != 0) *again = true;
    v3_store(s->v0 + 6 * r, b->linear[i]);
    v3_store(s->v0 + 6 * r + 3, b->angular[i]);
  }
  s->time0 = w->time;
  for (size_t i = 0; i < b->limit; i++) {
    s->pose0[i] = world_pose(w, i);
    s->given0[2 * i] = b->linear[i];
    s->given0[2 * i + 1] = b->angular[i];
  }
  return SCREE_OK;
}

/* Where a body with a given motion is at a time, and its velocity there by differences. */
static void put_given(smooth_system *s, uint32_t i, double time) {
  scree_world *w = s->world;
  world_bodies *b = &w->bodies;
  const double by = 1e-5;
  if (!b->drive || !b->drive[i].motion) {
    const double dt = time - s->time0;
    b->position[i] = v3_add_scaled(s->pose0[i].position, dt, b->linear[i]);
    b->rotation[i] =
        quat_normalize(quat_mul(quat_exp(v3_scale(dt, b->angular[i])), s->pose0[i].rotation));
    return;
  }
  const pose at = world_driven_pose(w, i, time), more = world_driven_pose(w, i, time + by),
             less = world_driven_pose(w, i, time - by);
  b->position[i] = at.position;
  b->rotation[i] = at.rotation;
  b->linear[i] = v3_scale(0.5 / by, v3_sub(more.position, less.position));
  b->angular[i] =
      v3_scale(0.5 / by, world_rotation_vector(quat_mul(more.rotation, quat_conj(less.rotation))));
}

static void put_all_given(smooth_system *s, double time) {
  const world_bodies *b = &s->world->bodies;
  s->world->time = time;
  for (uint32_t i = 0; i < b->limit; i++)
    if (b->alive[i] && b->kind[i] == SCREE_BODY_PRESCRIBED) put_given(s, i, time);
}

void system_put(smooth_system *s, double dt, const double *step, const double *v) {
  world_bodies *b = &s->world->bodies;
  put_all_given(s, s->time0 + dt);
  for (size_t r = 0; r < s->bodies; r++) {
    const uint32_t i = s->body[r];
    b->position[i] = v3_add(s->pose0[i].position, v3_load(step + 6 * r));
    b->rotation[i] =
        quat_normalize(quat_mul(quat_exp(v3_load(step + 6 * r + 3)), s->pose0[i].rotation));
    b->linear[i] = v3_load(v + 6 * r);
    b->angular[i] = v3_load(v + 6 * r + 3);
  }
}

void system_back(smooth_system *s) {
  world_bodies *b = &s->world->bodies;
  s->world->time = s->time0;
  for (size_t i = 0; i < b->limit; i++) {
    b->position[i] = s->pose0[i].position;
    b->rotation[i] = s->pose0[i].rotation;
    b->linear[i] = s->given0[2 * i];
    b->angular[i] = s->given0[2 * i + 1];
  }
  for (size_t r = 0; r < s->bodies; r++) {
    b->linear[s->body[r]] = v3_load(s->v0 + 6 * r);
    b->angular[s->body[r]] = v3_load(s->v0 + 6 * r + 3);
  }
}

/* Writes a0 and lambda0 down in the world, and what the next step will look for. */
static void write_down(smooth_system *s, double h) {
  scree_world *w = s->world;
  world_bodies *b = &w->bodies;
  for (size_t r = 0; r < s->bodies; r++) {
    const uint32_t i = s->body[r];
    b->linear_rate[i] = v3_load(s->a0 + 6 * r);
    b->angular_rate[i] = v3_load(s->a0 + 6 * r + 3);
    if (b->slow_turn) b->slow_turn[i] = b->angular[i];
    if (b->slow_way) b->slow_way[i] = b->linear[i];
    read_state(s, r, s->seen + 13 * r);
  }
  for (size_t k = 0; k < s->joints; k++)
    hold_keep(w, &w->joint[s->joint[k]], s->lambda0 + s->joint_row[k], h);
}

void system_accept(smooth_system *s, double h) {
  memcpy(s->a0, s->a, 6 * s->bodies * sizeof *s->a);
  memcpy(s->lambda0, s->lambda, s->rows * sizeof *s->lambda);
  write_down(s, h);
  s->world->step = h;
  s->started = true;
}

scree_status system_renew(smooth_system *s, linear_solver *linear, double h) {
  double loss;
  const scree_status status = system_start(s, linear, &loss);
  if (!status) write_down(s, h);
  return status;
}

/* ---- forces and rows ------------------------------------------------------------------------ */

void system_forces(smooth_system *s, double *f) {
  body_load *load = (body_load *)s->load;
  world_forces(s->world, s->part, load);
  for (size_t r = 0; r < s->bodies; r++) {
    v3_store(f + 6 * r, load[s->body[r]].force);
    v3_store(f + 6 * r + 3, load[s->body[r]].torque);
  }
}

static double rate_of_side(const scree_world *w, uint32_t body, const double *c) {
  if (body == WORLD_NO_BODY) return 0.0;
  return v3_dot(v3_load(c), w->bodies.linear[body]) +
         v3_dot(v3_load(c + 3), w->bodies.angular[body]);
}

void system_rows(smooth_system *s) {
  const scree_world *w = s->world;
  for (size_t k = 0; k < s->joints; k++) {
    const joint *j = &w->joint[s->joint[k]];
    hold_row rows[HOLD_ROWS];
    const int count = hold_rows(w, j, rows);
    for (int n = 0; n < count; n++) {
      smooth_row *row = &s->row[s->joint_row[k] + (size_t)n];
      memcpy(row->c, rows[n].c, sizeof row->c);
      row->error = rows[n].error;
      row->stiffness = rows[n].stiffness;
      row->damping = rows[n].damping;
      row->kind = rows[n].kind;
      row->motor = rows[n].motor;
      row->angular = rows[n].angular;
      row->rate = rows[n].rate;
      row->given = -row->rate;
      for (int m = 0; m < JOINT_SIDES; m++) {
        row->body[m] = j->body[m] == WORLD_NO_BODY ? SMOOTH_NONE : s->rank[j->body[m]];
        if (row->body[m] == SMOOTH_NONE) row->given += rate_of_side(w, j->body[m], row->c[m]);
      }
    }
  }
}

void system_add_loads(const smooth_system *s, const double *lambda, double *y) {
  for (size_t k = 0; k < s->rows; k++)
    for (int m = 0; m < JOINT_SIDES; m++) {
      const smooth_row *row = &s->row[k];
      if (row->body[m] == SMOOTH_NONE) continue;
      for (size_t i = 0; i < 6; i++) y[6 * row->body[m] + i] += row->c[m][i] * lambda[k];
    }
}

bool system_next_mass(const smooth_system *s, smooth_mass *at) {
  for (; at->link < s->world->link_limit; at->link++, at->pair = 0) {
    const world_link *l = &s->world->link[at->link];
    const uint32_t n = l->alive && l->heavy ? l->body_count : 0;
    while (at->pair < n * n) {
      const uint32_t i = at->pair / n, j = at->pair % n;
      at->pair++;
      at->row = s->rank[l->body[i]];
      at->column = s->rank[l->body[j]];
      if (at->row == SMOOTH_NONE || at->column == SMOOTH_NONE) continue;
      at->m = link_inertia(l, i, j);
      return true;
    }
  }
  return false;
}

/* y += m a of links with inertia of their own; bodies that are no unknowns are at rest, or moved
 * evenly. */
static void add_link_inertia(const smooth_system *s, const double *a, double *y) {
  for (smooth_mass at = {0}; system_next_mass(s, &at);)
    for (uint32_t n = 0; n < 3; n++) y[6 * at.row + n] += at.m * a[6 * at.column + n];
}

void system_mass(const smooth_system *s, const double *a, double *y) {
  const world_bodies *b = &s->world->bodies;
  for (size_t r = 0; r < s->bodies; r++) {
    const uint32_t i = s->body[r];
    const v3 in = b->inertia[i], turn = quat_rotate_inverse(b->rotation[i], v3_load(a + 6 * r + 3));
    v3_store(y + 6 * r, v3_scale(b->mass[i], v3_load(a + 6 * r)));
    v3_store(y + 6 * r + 3,
             quat_rotate(b->rotation[i], v3_make(in.x * turn.x, in.y * turn.y, in.z * turn.z)));
  }
  add_link_inertia(s, a, y);
}

double system_rate(const smooth_system *s, size_t k, const double *v) {
  const smooth_row *row = &s->row[k];
  double rate = row->given;
  for (int m = 0; m < JOINT_SIDES; m++)
    for (size_t i = 0; row->body[m] != SMOOTH_NONE && i < 6; i++)
      rate += row->c[m][i] * v[6 * row->body[m] + i];
  return rate;
}

double system_joint_error(const smooth_system *s) {
  double worst = 0.0;
  for (size_t k = 0; k < s->joints; k++) {
    double sum = 0.0;
    for (size_t r = s->joint_row[k]; r < s->joint_row[k + 1]; r++) {
      const smooth_row *row = &s->row[r];
      if (row->kind == HOLD_HARD && !row->angular) sum += row->error * row->error;
    }
    worst = fmax(worst, sqrt(sum));
  }
  return worst;
}

smooth_power system_power(smooth_system *s, const double *v, const double *lambda) {
  const scree_world *w = s->world;
  const world_bodies *b = &w->bodies;
  smooth_power p = {0};
  for (size_t r = 0; r < s->bodies; r++) {
    const uint32_t i = s->body[r];
    const v3 linear = v3_load(v + 6 * r), angular = v3_load(v + 6 * r + 3);
    if (b->load) p.forces += v3_dot(b->load[i].force, linear) + v3_dot(b->load[i].torque, angular);
    if (b->step_load)
      p.forces += v3_dot(b->step_load[i].force, linear) + v3_dot(b->step_load[i].torque, angular);
  }
  p.dampers = world_link_loss(w);
  p.forces += world_link_gain(w);
  p.motors = world_motor_power(w);
  for (size_t k = 0; k < s->rows; k++) {
    const smooth_row *row = &s->row[k];
    const double rate = system_rate(s, k, v);
    if (row->motor)
      p.motors += lambda[k] * (rate + row->rate);
    else if (row->kind == HOLD_SOFT) {
      p.springs += 0.5 * row->stiffness * row->error * row->error;
      p.dampers += row->damping * rate * rate;
    }
    p.motions -= lambda[k] * (row->given + row->rate);
  }
  return p;
}

/* ---- checkpoint ----------------------------------------------------------------------------- */

enum { PARTS = 4 };

/* started, bodies, rows; then a0, b0, lambda0 and seen. */
size_t system_save(const smooth_system *s, void *bytes) {
  const uint64_t head[3] = {s->started, s->started ? s->bodies : 0, s->started ? s->rows : 0};
  const size_t n[PARTS] = {6 * head[1], 6 * head[1], head[2], 13 * head[1]};
  const double *part[PARTS] = {s->a0, s->b0, s->lambda0, s->seen};
  char *at = bytes;
  if (at) memcpy(at, head, sizeof head);
  size_t size = sizeof head;
  for (int k = 0; k < PARTS; k++) {
    if (at && n[k]) memcpy(at + size, part[k], n[k] * sizeof(double));
    size += n[k] * sizeof(double);
  }
  return size;
}

/* To be called after the world has been restored. */
scree_status system_restore(smooth_system *s, const void *bytes, size_t size) {
  uint64_t head[3];
  const char *at = bytes;
  bool again;
  if (size < sizeof head)
    return context_fail(s->context, SCREE_ERROR_INPUT, "checkpoint: cut short");
  memcpy(head, at, sizeof head);
  s->started = false;
  s->known = false;
  if (!head[0]) return SCREE_OK;
  const scree_status status = system_begin(s, &again);
  if (status) return status;
  const size_t n[PARTS] = {6 * s->bodies, 6 * s->bodies, s->rows, 13 * s->bodies};
  if (head[1] != s->bodies || head[2] != s->rows ||
      size != sizeof head + (n[0] + n[1] + n[2] + n[3]) * sizeof(double))
    return context_fail(s->context, SCREE_ERROR_INPUT,
                        "checkpoint: its bodies and joints are not those of this world");
  double *part[PARTS] = {s->a0, s->b0, s->lambda0, s->seen};
  at += sizeof head;
  for (int k = 0; k < PARTS; k++) {
    if (n[k]) memcpy(part[k], at, n[k] * sizeof(double));
    at += n[k] * sizeof(double);
  }
  s->started = true;
  return SCREE_OK;
}

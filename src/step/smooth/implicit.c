/* Newton's method of a step, and steps in parts. See smooth.h.
 *
 * The unknown of a body's turn is that of its end, dt: a changes by T^-1 dt / p, p = (1 + w) p1
 * (math/tangent.h), so that rows of joints are D' and the matrix is [A D; D' -C/p] with
 * A = (M + r R) T^-1 + p (K + …), r = (1 + w) r1: symmetric but for gyroscopic terms and T.
 * Equations of rows are divided by p (about beta h^2), which keeps all parts of the matrix of one
 * size as h falls. */
#include <string.h>

#include "math/tangent.h"
#include "step/smooth/smooth.h"

static const double smallest_part = 1.0 / 1024.0; /* of a step */
/* Adaptive: a matrix is made anew after a first correction above `large` (of a body's radius of
 * gyration, rad), and where one is more than `slow` times that before. */
static const double large = 0.05, slow = 0.03;
static const double old = 0.01; /* of the tolerance, for what an old matrix leaves */

typedef struct newton_report {
  bool converged, finite;
  long iterations;
  double correction; /* the last one */
  double absolute;   /* the same in m and rad */
} newton_report;

static double reach_of(const smooth_system *s, size_t r) {
  const world_bodies *b = &s->world->bodies;
  const v3 in = b->inertia[s->body[r]];
  return sqrt((in.x + in.y + in.z) / (2.0 * b->mass[s->body[r]]));
}

static double blended(const smooth_system *s, const smooth_method *c, size_t i) {
  return s->a[i] + c->blend * (s->a[i] - s->a0[i]) + c->spread * (s->a0[i] - s->b0[i]);
}
/* p and r of the head. */
static double place_of(const smooth_method *c) {
  return (1.0 + c->blend) * c->place1;
}
static double rate_of(const smooth_method *c) {
  return (1.0 + c->blend) * c->rate1;
}

/* The step that a leads to, and with `places` the a that leads to the step. */
static void follow(smooth *m, double h, const smooth_method *c, bool places) {
  smooth_system *s = &m->system;
  for (size_t i = 0; i < 6 * s->bodies; i++) {
    const double free = h * s->v0[i] + c->place0 * s->b0[i];
    if (places) {
      const double b = (s->step[i] - free) / c->place1;
      s->a[i] = (b + c->blend * s->a0[i] - c->spread * (s->a0[i] - s->b0[i])) / (1.0 + c->blend);
    } else {
      s->step[i] = free + c->place1 * blended(s, c, i);
    }
    m->v[i] = s->v0[i] + c->rate0 * s->b0[i] + c->rate1 * blended(s, c, i);
  }
}

/* Puts the world where a leads, and the negative residual into x. */
static scree_status residual(scree_stepper *st, double h, const smooth_method *c, bool places) {
  smooth *m = st->data;
  smooth_system *s = &m->system;
  const size_t n = 6 * s->bodies;
  follow(m, h, c, places);
  system_put(s, h, s->step, m->v);
  system_forces(s, s->f);
  const scree_status status = smooth_push(st, h, s->f);
  if (status) return status;
  system_rows(s);
  system_add_loads(s, s->lambda, s->f);
  system_mass(s, s->a, s->x);
  for (size_t i = 0; i < n; i++) s->x[i] = s->f[i] - s->x[i];
  for (size_t k = 0; k < s->rows; k++) {
    const smooth_row *row = &s->row[k];
    const double rate = system_rate(s, k, m->v);
    if (row->kind == HOLD_SOFT)
      s->x[n + k] = -(row_stress(row, rate) + s->lambda[k]) /
                    (row->stiffness * place_of(c) + row->damping * rate_of(c));
    else
      s->x[n + k] = row->kind == HOLD_SPEED ? -rate / rate_of(c) : -row->error / place_of(c);
  }
  return SCREE_OK;
}

/* Takes the solution over, with the size of the correction. */
static void correct(smooth_system *s, const smooth_method *c, newton_report *out) {
  const size_t n = 6 * s->bodies;
  const double p = place_of(c);
  out->correction = out->absolute = 0.0;
  for (size_t r = 0; r < s->bodies; r++) {
    double *x = s->x + 6 * r, *a = s->a + 6 * r, *step = s->step + 6 * r;
    const m33 back = tangent_inverse(v3_load(s->step + 6 * r + 3));
    const v3 linear = v3_load(x), turn = v3_load(x + 3);
    const v3 vector = m33_mul_v3(&back, turn);
    v3_store(a, v3_add(v3_load(a), linear));
    v3_store(a + 3, v3_add(v3_load(a + 3), vector));
    v3_store(step, v3_add_scaled(v3_load(step), p, linear));
    v3_store(step + 3, v3_add_scaled(v3_load(step + 3), p, vector));
    const double moved = v3_norm(linear) * p, turned = v3_norm(turn) * p;
    const double size = fmax(moved / reach_of(s, r), turned);
    out->correction = size > out->correction || !isfinite(size) ? size : out->correction;
    out->absolute = fmax(out->absolute, fmax(moved, turned));
    if (!isfinite(out->correction)) return;
  }
  for (size_t k = 0; k < s->rows; k++) s->lambda[k] -= s->x[n + k];
}

static scree_status make_matrix(smooth *m, const smooth_method *c) {
  smooth_system *s = &m->system;
  const smooth_weights weights = {
      .mass = 1.0, .rate = rate_of(c), .place = place_of(c), .geometric = true, .turns = true};
  system_matrix(s, &weights);
  m->prepared = s->matrix.pattern;
  m->touching = m->contacts.touch_count;
  return m->linear.class->prepare(m->linear.self, &s->matrix);
}

/* Contacts came or went since the matrix was made. */
static bool outdated(const smooth *m) {
  return m->prepared != m->system.matrix.pattern || m->touching != m->contacts.touch_count;
}

/* Iteration k, after corrections of these sizes. */
static bool wants_matrix(const smooth *m, newton_matrix kind, long k, double size, double before) {
  if (k == 0 || outdated(m) || kind == NEWTON_FULL) return true;
  if (kind == NEWTON_MODIFIED) return false;
  return k == 1 ? size > large : size > slow * before;
}

static scree_status newton(scree_stepper *st, double h, const smooth_method *c,
                           const smooth_newton *p, newton_report *out) {
  smooth *m = st->data;
  smooth_system *s = &m->system;
  memcpy(s->a, s->a0, 6 * s->bodies * sizeof *s->a);
  memcpy(s->lambda, s->lambda0, s->rows * sizeof *s->lambda);
  *out = (newton_report){.finite = true};
  double before = INFINITY, size = INFINITY;
  for (long k = 0; k < p->iterations; k++) {
    double unused;
    if (context_stopped(s->context))
      return context_fail(s->context, SCREE_ERROR_STOPPED, "step: stopped by the caller");
    scree_status status = residual(st, h, c, k && c->places);
    const bool renew = !status && wants_matrix(m, p->matrix, k, size, before);
    if (renew) status = make_matrix(m, c);
    if (!status) status = m->linear.class->solve(m->linear.self, &s->matrix, s->x, &unused);
    if (status) return status;
    correct(s, c, out);
    before = size;
    size = out->correction;
    out->iterations++;
    out->finite = isfinite(size);
    if (!out->finite) return SCREE_OK;
    /* What is left after a correction, by the rate at which they fall: with the matrix of an
     * iteration before it is that, with one of its own far less. */
    const double fall = k ? size / before : 1.0, left = fall < 0.9 ? fall / (1.0 - fall) : 1.0;
    const double ask = renew || p->matrix == NEWTON_MODIFIED ? p->tolerance : old * p->tolerance;
    if (size * fmin(left, 1.0) <= ask || size == 0.0 || out->absolute < p->absolute) {
      out->converged = true;
      break;
    }
    if (k > 3 && size > 2.0 * before) break;
  }
  /* The world and f at what was found. */
  const scree_status status = residual(st, h, c, c->places);
  if (status) return status;
  for (size_t i = 0; i < 6 * s->bodies; i++)
    if (!isfinite(s->f[i])) out->finite = false;
  return SCREE_OK;
}

/* The local error of the step over the allowed one, root mean square. */
static double error_of(const smooth_system *s, double h, const smooth_method *c, double allowed) {
  double sum = 0.0;
  for (size_t r = 0; r < s->bodies; r++) {
    const double reach = reach_of(s, r);
    for (size_t i = 0; i < 6; i++) {
      const double e = c->error * h * h * (blended(s, c, 6 * r + i) - s->b0[6 * r + i]);
      sum += i < 3 ? e * e / (reach * reach) : e * e;
    }
  }
  return s->bodies ? sqrt(sum / (6.0 * (double)s->bodies)) / allowed : 0.0;
}

/* ---- back to the start of the whole step ----------------------------------------------------- */

static scree_status keep_start(smooth *m) {
  smooth_system *s = &m->system;
  const world_bodies *b = &s->world->bodies;
  const size_t n = 6 * s->bodies;
  if (memory_grow(s->context, &m->pose, b->limit + 1, sizeof *m->pose) ||
      memory_grow(s->context, &m->twist, 2 * b->limit + 1, sizeof *m->twist) ||
      memory_grow(s->context, &m->keep, 2 * n + s->rows + 1, sizeof *m->keep))
    return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < b->limit; i++) {
    m->pose[i] = world_pose(s->world, i);
    m->twist[2 * i] = b->linear[i];
    m->twist[2 * i + 1] = b->angular[i];
  }
  memcpy(m->keep, s->a0, n * sizeof *m->keep);
  memcpy(m->keep + n, s->b0, n * sizeof *m->keep);
  memcpy(m->keep + 2 * n, s->lambda0, s->rows * sizeof *m->keep);
  if (m->penalty.young == 0.0) return SCREE_OK;
  smooth_contacts_drop(&m->contacts);
  m->contact_size = smooth_contacts_save(&m->contacts, NULL);
  if (memory_grow(s->context, &m->contact_bytes, m->contact_size, 1)) return SCREE_ERROR_MEMORY;
  smooth_contacts_save(&m->contacts, m->contact_bytes);
  return SCREE_OK;
}

static void back_to_start(scree_stepper *st, double time) {
  smooth *m = st->data;
  smooth_system *s = &m->system;
  world_bodies *b = &s->world->bodies;
  const size_t n = 6 * s->bodies;
  for (size_t i = 0; i < b->limit; i++) {
    s->pose0[i] = m->pose[i];
    b->position[i] = m->pose[i].position;
    b->rotation[i] = m->pose[i].rotation;
    b->linear[i] = m->twist[2 * i];
    b->angular[i] = m->twist[2 * i + 1];
  }
  for (size_t r = 0; r < s->bodies; r++) {
    v3_store(s->v0 + 6 * r, b->linear[s->body[r]]);
    v3_store(s->v0 + 6 * r + 3, b->angular[s->body[r]]);
  }
  memcpy(s->a0, m->keep, n * sizeof *m->keep);
  memcpy(s->b0, m->keep + n, n * sizeof *m->keep);
  memcpy(s->lambda0, m->keep + 2 * n, s->rows * sizeof *m->keep);
  s->world->time = s->time0 = time;
  if (m->penalty.young == 0.0) return;
  smooth_contacts_drop(&m->contacts);
  m->work = (penalty_work){0};
  /* If this fails for lack of memory contacts forget their slips. */
  if (smooth_contacts_restore(st, &m->contacts, m->contact_bytes, m->contact_size))
    m->contacts.count = m->contacts.before = 0;
}

/* ---- the step ------------------------------------------------------------------------------- */

static scree_status try_part(scree_stepper *st, double h, const smooth_method *c,
                             const smooth_newton *p, scree_step_info *info, newton_report *report) {
  smooth *m = st->data;
  m->penalty.end = c->slip > 0.0 ? c->slip : 0.5;
  scree_status status = newton(st, h, c, p, report);
  info->iterations += report->iterations;
  /* Where a mechanism passes a position in which its rows lose rank, an old matrix leads astray. */
  if (!status && p->matrix == NEWTON_ADAPTIVE && !(report->converged && report->finite)) {
    smooth_newton full = *p;
    full.matrix = NEWTON_FULL;
    status = newton(st, h, c, &full, report);
    info->iterations += report->iterations;
  }
  info->solves++;
  info->residual = fmax(info->residual, report->correction);
  return status;
}

/* Newton's corrections are of least norm, their sum is not, as the directions in which rows depend
 * on each other turn with the mechanism. What bodies feel, D l, determines the l of least norm:
 *
 *   [ A  D ] [ x ]   [  D lambda ]
 *   [ D' -C] [ l ] = [ -C lambda ]     x = 0
 *
 * Nothing that moves depends on it but where Newton's method begins the next step. */
static scree_status least_multipliers(smooth *m, const smooth_method *c, const smooth_newton *p) {
  smooth_system *s = &m->system;
  const size_t n = 6 * s->bodies;
  double residual;
  if (p->matrix != NEWTON_FULL || outdated(m)) {
    const scree_status status = make_matrix(m, c);
    if (status) return status;
  }
  memset(s->x, 0, n * sizeof *s->x);
  system_add_loads(s, s->lambda, s->x);
  for (uint32_t k = 0; k < s->joints; k++) {
    const uint32_t node = (uint32_t)s->bodies + k, rows = s->matrix.rows[node];
    const double *own = kkt_block(&s->matrix, node, node);
    for (uint32_t r = 0; r < rows; r++)
      s->x[n + s->joint_row[k] + r] = own[r * rows + r] * s->lambda[s->joint_row[k] + r];
  }
  const scree_status status = m->linear.class->solve(m->linear.self, &s->matrix, s->x, &residual);
  for (size_t k = 0; k < s->rows && !status; k++) s->lambda[k] = s->x[n + k];
  return status;
}

static scree_status accept_part(smooth *m, double h, const smooth_method *c, const smooth_newton *p,
                                scree_step_info *info) {
  smooth_system *s = &m->system;
  bool again;
  if (m->redundant && !c->project) {
    const scree_status status = least_multipliers(m, c, p);
    if (status) return status;
  }
  for (size_t i = 0; i < 6 * s->bodies; i++) {
    s->b0[i] = blended(s, c, i);
    m->more[i] = s->b0[i] - s->a[i];
  }
  smooth_note_turning(s, h, c->order, info);
  smooth_keep_contacts(m, h);
  smooth_contacts_report(&m->contacts, info);
  m->penalty_step = 0.0;
  system_accept(s, h);
  scree_status status = system_begin(s, &again);
  if (status || !c->project || !s->rows) return status;
  status = system_renew(s, &m->linear, h);
  /* The difference of the blend from a is kept. */
  for (size_t i = 0; i < 6 * s->bodies && !status; i++) s->b0[i] += m->more[i];
  return status;
}

/* s: in which no body moves by more than a quarter of its diameter, so that springs meet what it is
 * thrown at. */
static double safe_part(const smooth *m) {
  const smooth_system *s = &m->system;
  const world_bodies *b = &s->world->bodies;
  double part = INFINITY;
  if (m->penalty.young == 0.0 || !m->contacts.any) return part;
  for (size_t r = 0; r < s->bodies; r++) {
    const double speed = v3_norm(v3_load(s->v0 + 6 * r)), size = b->diameter[s->body[r]];
    if (b->shape[s->body[r]] && speed * part > 0.25 * size) part = 0.25 * size / speed;
  }
  return part;
}

static scree_status step_parts(scree_stepper *st, double h, smooth_method_of *method,
                               const smooth_newton *p, scree_step_info *info) {
  smooth *m = st->data;
  const double allowed = smooth_option(st, "error");
  double done = 0.0, part = allowed > 0.0 && m->part > 0.0 ? m->part : h;
  info->converged = true;
  while (done < h) {
    part = fmin(part, fmax(safe_part(m), smallest_part * h));
    const bool last = part >= (h - done) * (1.0 - 1e-12);
    const double dt = last ? h - done : part;
    const smooth_method c = method(st, dt);
    newton_report report;
    const scree_status status = try_part(st, dt, &c, p, info, &report);
    if (status) return status;
    const bool good = report.converged && report.finite;
    const double error = good && allowed > 0.0 ? error_of(&m->system, dt, &c, allowed) : 0.0;
    if (!good || error > 1.0) {
      system_back(&m->system);
      part = dt * (good ? fmax(0.9 * pow(error, -1.0 / 3.0), 0.2) : 0.5);
      info->retries++;
      if (part >= smallest_part * h) continue;
      info->converged = false;
      return SCREE_OK;
    }
    const scree_status accepted = accept_part(m, dt, &c, p, info);
    if (accepted) return accepted;
    info->parts++;
    done = last ? h : done + dt;
    const double grow = error > 1e-3 ? fmin(0.9 * pow(error, -1.0 / 3.0), 2.0) : 2.0;
    if (allowed > 0.0 && !last)
      part = dt * grow;
    else if (allowed > 0.0)
      part = fmax(part, dt * grow);
    else
      part = fmin(2.0 * part, h);
  }
  m->part = part;
  return SCREE_OK;
}

scree_status smooth_implicit(scree_stepper *st, double h, smooth_method_of *method,
                             scree_step_info *info) {
  smooth *m = st->data;
  const smooth_newton p = {.matrix = (newton_matrix)smooth_option(st, "newton"),
                           .iterations = (long)smooth_option(st, "iterations"),
                           .tolerance = smooth_option(st, "tolerance"),
                           .absolute = smooth_option(st, "absolute")};
  smooth_power power;
  scree_status status = smooth_begin(st, h, info, &power);
  if (!status) status = keep_start(m);
  if (status) return status;
  const scree_energy before = scree_world_get_energy(st->world);
  const double time = m->system.time0;
  status = step_parts(st, h, method, &p, info);
  if (!status && !info->converged) {
    /* No part converges: the best that Newton's method finds for the whole, or no step. */
    back_to_start(st, time);
    m->part = 0.0;
    info->outcome = SCREE_OUTCOME_ITERATION_LIMIT;
    if (st->def.on_nonconverged == SCREE_ON_NONCONVERGED_STOP) return SCREE_OK;
    const smooth_method c = method(st, h);
    newton_report report;
    status = try_part(st, h, &c, &p, info, &report);
    if (!status && !report.finite)
      status = context_fail(st->context, SCREE_ERROR_NUMERIC,
                            "stepper %s: Newton's method does not converge at t = %g s, in parts "
                            "of %g s neither; look for joints that contradict each other, or take "
                            "a shorter step",
                            st->class->name, time, smallest_part * h);
    if (!status) status = accept_part(m, h, &c, &p, info);
    info->parts = 1;
  }
  if (status) {
    back_to_start(st, time);
    return status;
  }
  smooth_end(st, h, &before, &power, info);
  return SCREE_OK;
}

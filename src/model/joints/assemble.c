/* Assembly analysis: bodies are moved to where their joints hold.
 *
 * Joints may be made `apart`: their frames on the two bodies do not stand together in the poses at
 * hand. With psi the held rows of all joints, J their derivative and W the inverse of the bodies'
 * mass matrix, the steps of Gauss and Newton
 *
 *     dx = -W J' (J W J' + m D)^-1 psi          D: the diagonal of J W J'
 *
 * are the least motion, weighed by mass, that the linearised joints require; m is 0 unless such a
 * step does not bring the joints nearer (Levenberg, Marquardt). The system is solved by conjugate
 * gradients, which take redundant rows as they are as long as they agree. Where |psi| has a minimum
 * that is not 0 the loops cannot close from there: the poses are put back, and the joint that
 * misses most is reported. */
#include <string.h>

#include "base/argument.h"
#include "model/joints/joints.h"

enum { MOST_STEPS = 200, MOST_TRIES = 12 };
static const double closed_to = 1e-11;    /* of the machine's size; rad */
static const double most_turn = 0.3;      /* rad, of a step */
static const double least_gain = 1e-6;    /* of psi^2 in a step, below which nothing more comes */
static const double first_damping = 1e-4; /* m */
static const double close_enough = 1e-9;  /* when nothing more comes */

typedef struct held_row {
  joint_row row;
  const joint *joint;
  double scale; /* of a turn: the machine's size, so that all rows are lengths */
} held_row;

typedef struct fitting {
  scree_world *world;
  held_row *row;
  size_t rows;
  double *psi, *x, *r, *p, *q, *diagonal; /* rows each */
  v3 *linear, *angular;                   /* of the bodies */
  pose *kept;
  double size;
} fitting;

static bool moves(const scree_world *w, uint32_t i) {
  return i != WORLD_NO_BODY && world_is_dynamic(w, i);
}

static bool counts(const joint *j) {
  return j->alive && !j->broken && joint_class_of(j)->held && j->kind != SCREE_JOINT_BUSHING;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static double size_of(const scree_world *w) {
  double size = 0.0;
  for (size_t k = 0; k < w->joint_limit; k++)
    for (int s = 0; s < 2 && counts(&w->joint[k]); s++)
      if (moves(w, w->joint[k].body[s])) size = fmax(size, v3_norm(w->joint[k].frame[s].position));
  return size > 0.0 ? size : 1.0;
}

/* psi^2 in square metres. */
static double measure_error(fitting *f) {
  const scree_world *w = f->world;
  size_t n = 0;
  double sum = 0.0;
  for (size_t k = 0; k < w->joint_limit; k++) {
    const joint *j = &w->joint[k];
    if (!counts(j)) continue;
    const joint_view view = joint_view_of(w, j);
    joint_row rows[JOINT_ROWS];
    const int held = joint_held_rows(&view, rows);
    for (int r = 0; r < held; r++, n++) {
      const double scale = rows[r].turn ? f->size : 1.0;
      f->row[n] = (held_row){.row = rows[r], .joint = j, .scale = scale};
      f->psi[n] = scale * rows[r].value;
      sum += f->psi[n] * f->psi[n];
    }
  }
  f->rows = n;
  return sum;
}

/* ---- products -------------------------------------------------------------------------------- */

/* W J' x, per body. */
static void spread(fitting *f, const double *x) {
  const scree_world *w = f->world;
  const world_bodies *b = &w->bodies;
  memset(f->linear, 0, b->limit * sizeof *f->linear);
  memset(f->angular, 0, b->limit * sizeof *f->angular);
  for (size_t n = 0; n < f->rows; n++) {
    const held_row *h = &f->row[n];
    for (int s = 0; s < JOINT_SIDES; s++) {
      const uint32_t i = h->joint->body[s];
      if (!moves(w, i)) continue;
      f->linear[i] = v3_add_scaled(f->linear[i], h->scale * x[n], h->row.linear[s]);
      f->angular[i] = v3_add_scaled(f->angular[i], h->scale * x[n], h->row.angular[s]);
    }
  }
  for (size_t i = 0; i < b->limit; i++) {
    if (!b->alive[i] || !moves(w, (uint32_t)i)) continue;
    const v3 l = quat_rotate_inverse(b->rotation[i], f->angular[i]), m = b->inertia[i];
    f->linear[i] = v3_scale(1.0 / b->mass[i], f->linear[i]);
    f->angular[i] = quat_rotate(b->rotation[i], v3_make(l.x / m.x, l.y / m.y, l.z / m.z));
  }
}

/* out = (J W J' + m D) x */
static void apply(fitting *f, double damping, const double *x, double *out) {
  spread(f, x);
  for (size_t n = 0; n < f->rows; n++) {
    const held_row *h = &f->row[n];
    double sum = 0.0;
    for (int s = 0; s < JOINT_SIDES; s++) {
      const uint32_t i = h->joint->body[s];
      if (moves(f->world, i))
        sum += v3_dot(h->row.linear[s], f->linear[i]) + v3_dot(h->row.angular[s], f->angular[i]);
    }
    out[n] = h->scale * sum + damping * f->diagonal[n] * x[n];
  }
}

static void find_diagonal(fitting *f) {
  const world_bodies *b = &f->world->bodies;
  for (size_t n = 0; n < f->rows; n++) {
    const held_row *h = &f->row[n];
    double sum = 0.0;
    for (int s = 0; s < JOINT_SIDES; s++) {
      const uint32_t i = h->joint->body[s];
      if (!moves(f->world, i)) continue;
      const v3 l = quat_rotate_inverse(b->rotation[i], h->row.angular[s]), m = b->inertia[i];
      sum += v3_norm2(h->row.linear[s]) / b->mass[i] + l.x * l.x / m.x + l.y * l.y / m.y +
             l.z * l.z / m.z;
    }
    f->diagonal[n] = sum > 0.0 ? h->scale * h->scale * sum : 1.0;
  }
}

static double dot(const fitting *f, const double *a, const double *b) {
  double sum = 0.0;
  for (size_t n = 0; n < f->rows; n++) sum += a[n] * b[n];
  return sum;
}

/* x of (J W J' + m D) x = psi by conjugate gradients, preconditioned by the diagonal. */
static void solve(fitting *f, double damping) {
  const size_t rows = f->rows;
  memset(f->x, 0, rows * sizeof *f->x);
  memcpy(f->r, f->psi, rows * sizeof *f->r);
  for (size_t n = 0; n < rows; n++) f->p[n] = f->r[n] / f->diagonal[n];
  double before = dot(f, f->r, f->p);
  const double enough = 1e-26 * before;
  for (size_t k = 0; k < 4 * rows + 20 && before > enough; k++) {
    apply(f, damping, f->p, f->q);
    const double curvature = dot(f, f->p, f->q);
    if (!(curvature > 0.0)) break;
    const double step = before / curvature;
    for (size_t n = 0; n < rows; n++) {
      f->x[n] += step * f->p[n];
      f->r[n] -= step * f->q[n];
    }
    double after = 0.0;
    for (size_t n = 0; n < rows; n++) after += f->r[n] * f->r[n] / f->diagonal[n];
    for (size_t n = 0; n < rows; n++) f->p[n] = f->r[n] / f->diagonal[n] + after / before * f->p[n];
    before = after;
  }
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void keep(fitting *f, bool back) {
  world_bodies *b = &f->world->bodies;
  for (size_t i = 0; i < b->limit; i++) {
    if (!b->alive[i] || !moves(f->world, (uint32_t)i)) continue;
    if (back) {
      b->position[i] = f->kept[i].position;
      b->rotation[i] = f->kept[i].rotation;
    } else {
      f->kept[i] = (pose){b->position[i], b->rotation[i]};
    }
  }
}

/* Moves all bodies by -W J' x, no farther than turns may be. */
static void move(fitting *f) {
  world_bodies *b = &f->world->bodies;
  double turn = 0.0;
  spread(f, f->x);
  for (size_t i = 0; i < b->limit; i++)
    if (b->alive[i] && moves(f->world, (uint32_t)i)) turn = fmax(turn, v3_norm(f->angular[i]));
  const double part = turn > most_turn ? most_turn / turn : 1.0;
  for (size_t i = 0; i < b->limit; i++) {
    if (!b->alive[i] || !moves(f->world, (uint32_t)i)) continue;
    b->position[i] = v3_add_scaled(b->position[i], -part, f->linear[i]);
    b->rotation[i] =
        quat_normalize(quat_mul(quat_exp(v3_scale(-part, f->angular[i])), b->rotation[i]));
  }
}

/* One step that brings the joints nearer; returns psi^2 after it, or the one before: there is none.
 */
static double improve(fitting *f, double before) {
  double damping = 0.0;
  find_diagonal(f);
  for (int k = 0; k < MOST_TRIES; k++) {
    keep(f, false);
    solve(f, damping);
    move(f);
    const double after = measure_error(f);
    if (after < before) return after;
    keep(f, true);
    measure_error(f);
    damping = damping > 0.0 ? 10.0 * damping : first_damping;
  }
  return before;
}

static scree_status reserve(scree_world *w, fitting *f) {
  size_t rows = 0;
  for (size_t k = 0; k < w->joint_limit; k++)
    if (counts(&w->joint[k])) rows += (size_t)joint_class_of(&w->joint[k])->held;
  double **const vector[] = {&f->psi, &f->x, &f->r, &f->p, &f->q, &f->diagonal};
  bool short_of = false;
  for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) {
    *vector[k] = memory_new(w->context, rows + 1, sizeof(double));
    short_of = short_of || !*vector[k];
  }
  f->row = memory_new(w->context, rows + 1, sizeof *f->row);
  f->linear = memory_new(w->context, w->bodies.limit + 1, sizeof *f->linear);
  f->angular = memory_new(w->context, w->bodies.limit + 1, sizeof *f->angular);
  f->kept = memory_new(w->context, w->bodies.limit + 1, sizeof *f->kept);
  return short_of || !f->row || !f->linear || !f->angular || !f->kept ? SCREE_ERROR_MEMORY
                                                                      : SCREE_OK;
}

static void release(fitting *f) {
  void *all[] = {f->psi, f->x,        f->r,      f->p,       f->q,
                 f->row, f->diagonal, f->linear, f->angular, f->kept};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) memory_free(f->world->context, all[k]);
}

/* The largest of psi, m, and whose it is. */
static double worst_of(const fitting *f, const joint **whose) {
  double worst = 0.0;
  for (size_t n = 0; n < f->rows; n++) {
    const double here = fabs(f->psi[n]);
    if (here <= worst) continue;
    worst = here;
    if (whose) *whose = f->row[n].joint;
  }
  return worst;
}

static scree_joint_id id_of(const scree_world *w, const joint *j) {
  return j ? (scree_joint_id){(uint32_t)(j - w->joint), j->generation} : (scree_joint_id){0, 0};
}

static void note_moves(const fitting *f, const pose *before, scree_fit *fit) {
  const world_bodies *b = &f->world->bodies;
  for (size_t i = 0; i < b->limit; i++) {
    if (!b->alive[i] || !moves(f->world, (uint32_t)i)) continue;
    const quat q = quat_mul(b->rotation[i], quat_conj(before[i].rotation));
    fit->moved = fmax(fit->moved, v3_norm(v3_sub(b->position[i], before[i].position)));
    fit->turned = fmax(fit->turned, v3_norm(world_rotation_vector(q)));
  }
}

static void close_joints(fitting *f, scree_fit *fit) {
  double now = measure_error(f);
  const joint *whose = NULL;
  fit->misfit_before = worst_of(f, NULL);
  for (int step = 0; step < MOST_STEPS && worst_of(f, NULL) > closed_to * f->size; step++) {
    const double next = improve(f, now);
    const bool stuck = !(next < (1.0 - least_gain) * now);
    now = next;
    if (stuck) break;
  }
  fit->misfit = worst_of(f, &whose);
  fit->closed = fit->misfit <= close_enough * f->size;
  fit->worst = id_of(f->world, whose);
}

scree_status scree_world_assemble(scree_world *w, scree_fit *fit) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && fit);
  fitting f = {.world = w, .size = size_of(w)};
  *fit = (scree_fit){.closed = true};
  scree_status status = reserve(w, &f);
  pose *before = memory_new(w->context, w->bodies.limit + 1, sizeof *before);
  if (!before) status = SCREE_ERROR_MEMORY;
  if (!status) {
    for (size_t i = 0; i < w->bodies.limit; i++)
      before[i] = (pose){w->bodies.position[i], w->bodies.rotation[i]};
    close_joints(&f, fit);
    if (fit->closed) {
      note_moves(&f, before, fit);
      w->revision += fit->moved + fit->turned > 0.0;
      status = world_begin_joints(w, &fit->worst);
    } else {
      for (size_t i = 0; i < w->bodies.limit; i++)
        if (w->bodies.alive[i] && moves(w, (uint32_t)i)) {
          w->bodies.position[i] = before[i].position;
          w->bodies.rotation[i] = before[i].rotation;
        }
    }
  }
  memory_free(w->context, before);
  release(&f);
  return status;
}

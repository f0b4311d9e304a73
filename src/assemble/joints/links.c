/* Links into the problem: each row of an elastic link (model/link/link.h) is a free row, implicit
 * in the step.
 *
 *   force  f = -(s + h k u) - c u,  u = g'v at the end of the step;  impulse = kick f
 *   so     u + s/(k h + c) + impulse/(kick (k h + c)) = 0:
 *          b = s/(k h + c),   C = 1/(kick (k h + c))
 *
 * Any stiffness is stable; what swings faster than the step is damped. k must be above 0 here.
 * Where stresses make it less, a row without stress is left out (the stress then acts as it is at
 * the start of the step), and one with stress is taken with |k|.
 *
 * An element that turns has u = g'v of its own: nodes go along chords, so that it seems to shrink
 * by half the square of the angle, and the stresses of tetrahedra and cables, which are in k too,
 * turn with it. Taken for a strain the first stretches a part that spins, and the second brakes it
 * by a torque of order h. So what the rows say of the turn that an element has at the start of the
 * step is taken out of u:
 *
 *   f = -(s + h k (u - g't)) - c u        t = (exp(h w) - 1) x / h: w by least squares
 *
 * A change of the turn stays implicit, and any stiffness stable. Beyond `largest_turn` t is w x x.
 *
 * Inertia of a link, sum of c c' (model/link/inertia.c), is rows too: a mass of 1 kg that moves
 * with u = sum of c_i v_i, by impulse = -(u - u' - kick c g), u' before the step and c g what
 * gravity gives it: b = -(u' + kick c g), C = 1.
 *
 * The user's own forces are part of the free velocities. */
#include <math.h>
#include <string.h>

#include "assemble/assembler.h"
#include "ccp/problem.h"
#include "model/link/link.h"

static const double softest = 1e-12; /* of the stiffest row of a link */
static const double yields = 1e-9;   /* the same, of links whose stresses are in their stiffness */
static const double largest_turn = 0.5; /* rad, sine */

/* Rows gathered to blocks. */
typedef struct row_block {
  assembler *a;
  const world_link *link;
  scree_ccp_term terms[SCREE_MAX_DIM][LINK_BODIES];
  scree_ccp_row_def def[SCREE_MAX_DIM];
  double g[SCREE_MAX_DIM]; /* start of the iteration */
  double damping[SCREE_MAX_DIM];
  size_t before; /* rows of the problem that are not of links */
  uint32_t rows;
} row_block;

static bool takes_part(const scree_world *w, const world_link *l) {
  bool any = false;
  for (uint32_t k = 0; l->alive && l->rows && k < l->body_count; k++)
    any |= l->body[k] != WORLD_NO_BODY && world_is_dynamic(w, l->body[k]);
  return any;
}

static scree_status flush(row_block *b) {
  assembler *a = b->a;
  const size_t first = a->problem->row_count;
  if (!b->rows) return SCREE_OK;
  if (assembler_reserve_g(a, first + b->rows)) return SCREE_ERROR_MEMORY;
  const size_t place = first - b->before;
  if (memory_grow(a->context, &a->joints.link_damping, place + b->rows, sizeof(double)))
    return SCREE_ERROR_MEMORY;
  for (uint32_t r = 0; r < b->rows; r++) {
    a->g[first + r] = b->g[r];
    a->joints.link_damping[place + r] = b->damping[r];
  }
  const scree_set set = scree_set_free((int)b->rows);
  b->rows = 0;
  return scree_ccp_add_block(a->problem, &set, b->def);
}

/* A row with its terms, 6 numbers per body; *rate: its u' before the step. */
static void begin_row(row_block *b, const double *gradient, double *rate) {
  const scree_world *w = b->a->world;
  *rate = 0.0;
  for (uint32_t k = 0; k < b->link->body_count; k++) {
    const uint32_t i = b->link->body[k];
    const double *g = gradient + 6 * k;
    b->terms[b->rows][k] =
        (scree_ccp_term){.body = i == WORLD_NO_BODY ? SCREE_CCP_WORLD : b->a->order.rank[i]};
    memcpy(b->terms[b->rows][k].coefficient, g, 6 * sizeof *g);
    if (i != WORLD_NO_BODY)
      *rate +=
          v3_dot(v3_load(g), w->bodies.linear[i]) + v3_dot(v3_load(g + 3), w->bodies.angular[i]);
  }
}

static scree_status end_row(row_block *b, double offset, double compliance, double damping,
                            double start) {
  b->def[b->rows] = (scree_ccp_row_def){.terms = b->terms[b->rows],
                                        .term_count = b->link->body_count,
                                        .offset = offset,
                                        .compliance = compliance};
  b->damping[b->rows] = damping;
  b->g[b->rows++] = start;
  return b->rows == SCREE_MAX_DIM ? flush(b) : SCREE_OK;
}

/* Of the world, which an end of a beam may be fixed to, the place of that end. */
static v3 place_of(const scree_world *w, const world_link *l, uint32_t k) {
  return l->body[k] == WORLD_NO_BODY ? l->frame[k & 1].position : w->bodies.position[l->body[k]];
}

static v3 velocity_of(const scree_world *w, const world_link *l, uint32_t k) {
  return l->body[k] == WORLD_NO_BODY ? v3_make(0, 0, 0) : w->bodies.linear[l->body[k]];
}

/* Square of the length of a link. */
static double length2_of(const scree_world *w, const world_link *l) {
  double most = 0.0;
  for (uint32_t k = 1; k < l->body_count; k++)
    most = fmax(most, v3_norm2(v3_sub(place_of(w, l, k), place_of(w, l, 0))));
  return most;
}

/* What brings a row to a speed: half the sum of squares becomes about 1. */
static double scale_of(const world_link *l, const double *gradient, double length2) {
  double sum = 0.0;
  int exponent;
  for (uint32_t k = 0; k < l->body_count; k++) {
    sum += v3_norm2(v3_load(gradient + 6 * (size_t)k));
    if (!link_classes[l->kind]->points && length2 > 0.0)
      sum += v3_norm2(v3_load(gradient + 6 * (size_t)k + 3)) / length2;
  }
  const double square = 2.0 / sum;
  if (!(square > 0.0) || !isfinite(square)) return 1.0;
  frexp(square, &exponent);
  return ldexp(1.0, exponent / 2);
}

static void scale_row(link_row *row, double by, uint32_t bodies) {
  for (uint32_t i = 0; i < 6 * bodies; i++) row->gradient[i] *= by;
  row->stress /= by;
  row->stiffness /= by * by;
  row->damping /= by * by;
}

/* What the turn of a link's bodies about their middle is, by their velocities at the start of the
 * step, 6 numbers per body: velocities are those of the chords that lead through the step. About a
 * line on which all lie it does not turn. */
static void rigid_turn(const scree_world *w, const world_link *l, double h, double *twist) {
  const double part = 1.0 / l->body_count;
  v3 middle = {0, 0, 0}, mean = {0, 0, 0}, spin = {0, 0, 0};
  double j[3][3] = {{0.0}};
  double size = 0.0;
  for (uint32_t k = 0; k < l->body_count; k++) {
    middle = v3_add_scaled(middle, part, place_of(w, l, k));
    mean = v3_add_scaled(mean, part, velocity_of(w, l, k));
  }
  for (uint32_t k = 0; k < l->body_count; k++) {
    const v3 r = v3_sub(place_of(w, l, k), middle);
    const double x[3] = {r.x, r.y, r.z}, square = v3_norm2(r);
    spin = v3_add(spin, v3_cross(r, v3_sub(velocity_of(w, l, k), mean)));
    for (int i = 0; i < 9; i++) j[i / 3][i % 3] += (i % 4 ? 0.0 : square) - x[i / 3] * x[i % 3];
    size += square;
  }
  for (int i = 0; i < 3; i++) j[i][i] += 1e-9 * size;
  memset(twist, 0, 6 * l->body_count * sizeof *twist);
  const v3 x = v3_load(j[0]), y = v3_load(j[1]), z = v3_load(j[2]), yz = v3_cross(y, z);
  const double determinant = v3_dot(x, yz);
  if (!(determinant > 0.0)) return;
  const v3 turn =
      v3_scale(1.0 / determinant, v3_make(v3_dot(spin, yz), v3_dot(spin, v3_cross(z, x)),
                                          v3_dot(spin, v3_cross(x, y)))); /* j is symmetric */
  const double sine = h * v3_norm(turn);
  const bool chords = sine > 0.0 && sine < largest_turn;
  const v3 rate = chords ? v3_scale(asin(sine) / sine, turn) : turn;
  const quat q = quat_exp(v3_scale(h, rate));
  for (uint32_t k = 0; k < l->body_count; k++) {
    const v3 r = v3_sub(place_of(w, l, k), middle);
    v3_store(twist + 6 * k,
             chords ? v3_scale(1.0 / h, v3_sub(quat_rotate(q, r), r)) : v3_cross(rate, r));
    v3_store(twist + 6 * k + 3, rate);
  }
}

static double along(const double *gradient, const double *twist, uint32_t bodies) {
  double sum = 0.0;
  for (uint32_t i = 0; i < 6 * bodies; i++) sum += gradient[i] * twist[i];
  return sum;
}

static scree_status add_rows(row_block *b, double h) {
  assembler *a = b->a;
  link_rows seen;
  double twist[LINK_DIM];
  const bool turns = link_classes[b->link->kind]->points || b->link->kind == SCREE_LINK_BEAM ||
                     b->link->kind == SCREE_LINK_SHELL;
  double stiffest = 0.0;
  scree_status status = SCREE_OK;
  const double length2 = length2_of(a->world, b->link);
  link_measure(a->world, b->link, &seen);
  for (uint32_t r = 0; r < seen.count; r++) {
    link_row *row = &seen.row[r];
    scale_row(row, scale_of(b->link, row->gradient, length2), b->link->body_count);
    stiffest = fmax(stiffest, fabs(row->stiffness));
  }
  const double least = (link_classes[b->link->kind]->points ? yields : softest) * stiffest;
  if (turns) rigid_turn(a->world, b->link, h, twist);
  for (uint32_t r = 0; r < seen.count && !status; r++) {
    const link_row *row = &seen.row[r];
    double k = row->stiffness, rate;
    if (!(k > least)) {
      /* A damper, a spring of no stiffness, or a direction that gives way. */
      const bool stressed = row->stress != 0.0 && stiffest > 0.0;
      if (!stressed && !(row->damping > 0.0)) continue;
      k = stressed ? fmax(fabs(k), least) : 0.0;
    }
    const double hard = k * h + row->damping;
    const double turn = turns ? along(row->gradient, twist, b->link->body_count) : 0.0;
    begin_row(b, row->gradient, &rate);
    /* It starts with the impulse for stress and rate as they are now. */
    status = end_row(b, (row->stress - h * k * turn) / hard, 1.0 / (a->kick * hard), row->damping,
                     -a->kick * (row->stress + row->damping * rate));
  }
  return status ? status : flush(b);
}

static scree_status add_inertia(row_block *b) {
  const assembler *a = b->a;
  double c[LINK_BODIES][LINK_BODIES];
  const uint32_t count = link_inertia_rows(b->link, c);
  scree_status status = SCREE_OK;
  for (uint32_t k = 0; k < 3 * count && !status; k++) {
    double gradient[LINK_DIM] = {0.0}, whole = 0.0, rate;
    const uint32_t axis = k % 3;
    for (uint32_t i = 0; i < b->link->body_count; i++) gradient[6 * i + axis] = c[k / 3][i];
    const double by = scale_of(b->link, gradient, 0.0);
    for (uint32_t i = 0; i < b->link->body_count; i++) {
      gradient[6 * i + axis] *= by;
      whole += gradient[6 * i + axis];
    }
    begin_row(b, gradient, &rate);
    status = end_row(b, -(rate + a->kick * whole * a->world->def.gravity[axis]), by * by, 0.0, 0.0);
  }
  return status ? status : flush(b);
}

scree_status assembler_add_links(assembler *a, const assembler_params *params) {
  const scree_world *w = a->world;
  joint_rows *j = &a->joints;
  if (memory_grow(a->context, &j->link_block, w->link_limit + 1, sizeof *j->link_block) ||
      memory_grow(a->context, &j->link_inertia, w->link_limit + 1, sizeof *j->link_inertia))
    return SCREE_ERROR_MEMORY;
  const size_t before = a->problem->row_count;
  for (size_t k = 0; k < w->link_limit; k++) {
    const world_link *l = &w->link[k];
    row_block block = {.a = a, .link = l, .before = before};
    const bool any =
        takes_part(w, l) && (!a->ranks || a->ranks->has(a->ranks, a, l->body, l->body_count));
    j->link_block[k] = (uint32_t)a->problem->block_count;
    scree_status status = any ? add_rows(&block, params->h) : SCREE_OK;
    j->link_inertia[k] = (uint32_t)a->problem->block_count;
    if (!status && any && l->heavy) status = add_inertia(&block);
    if (status) return status;
  }
  j->link_block[w->link_limit] = (uint32_t)a->problem->block_count;
  return SCREE_OK;
}

void assembler_push_links(assembler *a) {
  const joint_rows *j = &a->joints;
  if (!a->world->link_limit) return;
  for (uint32_t b = j->link_block[0]; b < j->link_block[a->world->link_limit]; b++)
    assembler_push_block(a, b);
}

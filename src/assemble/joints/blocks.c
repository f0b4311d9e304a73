/* Joints into the problem (joints.h), and their impulses out of it. */
#include "assemble/joints/joints.h"

#include <math.h>

#include "ccp/problem.h"

static uint32_t rank_of(const assembler *a, uint32_t body) {
  return body == WORLD_NO_BODY ? SCREE_CCP_WORLD : a->order.rank[body];
}

double joint_warmth(const assembler *a, const assembler_params *params, const joint *j) {
  return params->warm_start && j->step > 0.0 ? params->warm_start_scale * a->kick / j->step : 0.0;
}

/* Coefficients of a row on the twists of the bodies that are in the problem; returns how many. */
static size_t terms_of(const assembler *a, const joint *j, const joint_row *row,
                       scree_ccp_term *terms) {
  size_t count = 0;
  for (int s = 0; s < JOINT_SIDES; s++) {
    const uint32_t rank = rank_of(a, j->body[s]);
    if (rank == SCREE_CCP_WORLD) continue;
    if (v3_norm2(row->linear[s]) == 0.0 && v3_norm2(row->angular[s]) == 0.0) continue;
    terms[count].body = rank;
    v3_store(terms[count].coefficient, row->linear[s]);
    v3_store(terms[count++].coefficient + 3, row->angular[s]);
  }
  return count;
}

scree_status joint_add_part(assembler *a, size_t index, joint_role role, int coordinate,
                            const joint_row *rows, int count, const double *offset,
                            const double *compliance, const scree_set *set, const double *g) {
  scree_ccp_term terms[SCREE_MAX_DIM][JOINT_SIDES];
  scree_ccp_row_def def[SCREE_MAX_DIM];
  const size_t at = a->problem->row_count;
  if (memory_grow(a->context, &a->joints.part, a->joints.count + 1, sizeof *a->joints.part) ||
      assembler_reserve_g(a, at + SCREE_MAX_DIM))
    return SCREE_ERROR_MEMORY;
  for (int k = 0; k < count; k++) {
    def[k] =
        (scree_ccp_row_def){.terms = terms[k],
                            .term_count = terms_of(a, &a->world->joint[index], &rows[k], terms[k]),
                            .offset = offset[k],
                            .compliance = compliance[k]};
    a->g[at + (size_t)k] = g[k];
  }
  a->joints.part[a->joints.count++] = (joint_part){.joint = (uint32_t)index,
                                                   .block = (uint32_t)a->problem->block_count,
                                                   .role = (uint8_t)role,
                                                   .coordinate = (uint8_t)coordinate};
  return scree_ccp_add_block(a->problem, set, def);
}

/* ---- held rows ------------------------------------------------------------------------------ */

/* How far the motion of a step bends: at most h (w^2 r + 2 w v) and h w^2, m/s and rad/s. *size: of
 * the joint, m. */
typedef struct bending {
  double slide, turn; /* at most */
  double chord;       /* of the anchors: h |w x (w x r)| / 2 of both bodies */
} bending;

static bending find_bending(const assembler *a, double h, const joint *j, const joint_view *view,
                            double *size) {
  const world_bodies *b = &a->world->bodies;
  double turn = 0.0, arc = 0.0, bow = 0.0;
  v3 speed[2] = {{0, 0, 0}, {0, 0, 0}};
  *size = 0.0;
  for (int s = 0; s < 2; s++) {
    const uint32_t i = j->body[s];
    if (i == WORLD_NO_BODY) continue;
    const v3 arm = v3_sub(view->frame[FRAME_B].position, view->center[s]), w = b->angular[i];
    if (world_is_dynamic(a->world, i)) *size = fmax(*size, v3_norm(arm));
    if (isfinite(b->radius[i])) *size = fmax(*size, b->radius[i]);
    speed[s] = v3_add(b->linear[i], v3_cross(w, arm));
    turn += v3_norm(w);
    arc += v3_norm(w) * v3_norm(arm);
    bow += v3_norm(v3_cross(w, v3_cross(w, arm)));
  }
  const double apart = v3_norm(v3_sub(speed[1], speed[0]));
  return (bending){h * turn * (arc + 2.0 * apart), h * turn * turn, h * (0.5 * bow + turn * apart)};
}

/* The error of a step is of second order in its motion: twice that must be taken back whatever the
 * bound, which is for joints that came apart. */
joint_recovery joint_find_recovery(const assembler *a, const assembler_params *params,
                                   const joint *j, const joint_view *view) {
  double size, slide = params->recovery_speed;
  const bending bent = find_bending(a, params->h, j, view, &size);
  if (!(slide > 0.0)) slide = fmax(sqrt(a->gravity * size), 2.0 * size);
  if (!(size > 0.0)) return (joint_recovery){0.0, INFINITY, INFINITY, INFINITY, INFINITY};
  return (joint_recovery){size, slide + 2.0 * bent.slide, slide / size + 2.0 * bent.turn,
                          bent.chord, 0.5 * bent.turn};
}

double joint_recovered_part(double sum2, double most, double chord,
                            const assembler_params *params) {
  const double way = params->stabilisation * sqrt(sum2), speed = way / params->h;
  const double allowed = fmin(most, chord + way / assembler_whole(params));
  return speed > allowed ? allowed / speed : 1.0;
}

/* A jolt, as a bounce of one of the bodies, makes impulses in the joints far above those of the
 * motion, and whatever speed along the rows they meet gives or takes energy: their work is g times
 * the mean of it before and after. Before, bodies part along the rows by half of what the motion
 * bends, D'v = h k / 2. So D'v+ = -D'v-, for which there is none. What it leaves, of second order,
 * is for the next step. The same where the step that was solved would give (checks/gain.c). Joints
 * that are apart, were just brought together or turn far in the step have other speeds: they are
 * held as ever. False: this is one of these. */
static const double far_turn = 0.5; /* rad in a step */

static bool hold_without_work(const assembler *a, const assembler_params *params, const joint *j,
                              const joint_view *view, const joint_row *rows, int count,
                              double *offset) {
  const world_bodies *b = &a->world->bodies;
  double size, apart[2] = {0.0, 0.0}, speed[2] = {0.0, 0.0};
  if (!(a->impacts.jolted || a->joints.workless) || j->compliance > 0.0) return false;
  const bending bent = find_bending(a, params->h, j, view, &size);
  if (params->h * bent.turn > far_turn * far_turn) return false;
  for (int k = 0; k < count; k++) {
    offset[k] = joint_row_speed(j, &rows[k], b->linear, b->angular);
    apart[rows[k].turn] += rows[k].value * rows[k].value;
    speed[rows[k].turn] += offset[k] * offset[k];
  }
  return sqrt(apart[0]) <= params->h * bent.slide && sqrt(speed[0]) <= bent.slide &&
         sqrt(apart[1]) <= params->h * bent.turn && sqrt(speed[1]) <= bent.turn;
}

double joint_size(const assembler *a, const joint *j, double size) {
  const world_bodies *b = &a->world->bodies;
  if (j->kind == SCREE_JOINT_DISTANCE) size = fmax(size, j->length);
  for (int s = 0; s < 2; s++) {
    const uint32_t i = j->body[s];
    if (i == WORLD_NO_BODY || !world_is_dynamic(a->world, i)) continue;
    const v3 inertia = b->inertia[i];
    size = fmax(size, sqrt(fmax(inertia.x, fmax(inertia.y, inertia.z)) / b->mass[i]));
  }
  return size;
}

static void note_error(const assembler *a, const joint *j, double error, double size,
                       assembler_report *report) {
  report->joint_error = fmax(report->joint_error, error);
  size = joint_size(a, j, size);
  if (size > 0.0)
    report->joint_error_percent = fmax(report->joint_error_percent, 100.0 * error / size);
}

/* Errors below this part of what a step corrects at most count as small. */
static const double little = 0.2;

static scree_status add_held(assembler *a, const assembler_params *params, size_t index,
                             const joint_view *view, assembler_report *report) {
  const joint *j = view->data;
  joint_row rows[JOINT_ROWS];
  double offset[JOINT_ROWS], compliance[JOINT_ROWS] = {0.0}, g[JOINT_ROWS];
  double slide = 0.0, turn = 0.0;
  const int count = joint_held_rows(view, rows);
  const joint_recovery most = joint_find_recovery(a, params, j, view);
  const double warmth = joint_warmth(a, params, j);
  for (int k = 0; k < count; k++) {
    if (rows[k].turn)
      turn += rows[k].value * rows[k].value;
    else if (!(j->compliance > 0.0))
      slide += rows[k].value * rows[k].value;
  }
  note_error(a, j, sqrt(slide), most.size, report);
  const double slides = joint_recovered_part(slide, most.slide, most.chord_slide, params),
               turns = joint_recovered_part(turn, most.turn, most.chord_turn, params);
  /* In a part of a step small gaps of a joint are left alone while a jolt acts: the force that
   * closes them grows as the part gets shorter, so cutting the step further would not help. */
  const double whole = assembler_whole(params);
  const bool still =
      a->joints.workless && params->h < whole && sqrt(slide) < little * whole * most.slide;
  const bool workless = hold_without_work(a, params, j, view, rows, count, offset);
  for (int k = 0; k < count; k++) {
    const bool soft = j->compliance > 0.0 && !rows[k].turn;
    const double part = soft ? 1.0 : params->stabilisation * (rows[k].turn ? turns : slides);
    if (!workless) offset[k] = still && !soft ? 0.0 : part * rows[k].value / params->h;
    if (soft) compliance[k] = j->compliance / (params->h * a->kick);
    g[k] = warmth * j->held[k];
  }
  const scree_set set = scree_set_free(count);
  const scree_status status =
      joint_add_part(a, index, JOINT_PART_HELD, 0, rows, count, offset, compliance, &set, g);
  if (!status) a->joints.part[a->joints.count - 1].recovery = most;
  return status;
}

/* Six springs; those without stiffness and damping are no rows. */
static scree_status add_bushing(assembler *a, const assembler_params *params, size_t index,
                                const joint_view *view) {
  const joint *j = view->data;
  const world_bodies *b = &a->world->bodies;
  joint_row all[JOINT_ROWS], rows[JOINT_ROWS];
  double offset[JOINT_ROWS], compliance[JOINT_ROWS], g[JOINT_ROWS];
  int count = 0;
  joint_held_rows(view, all);
  for (int k = 0; k < JOINT_ROWS; k++) {
    const joint_spring s = {.stiffness = j->stiffness[k],
                            .damping = j->damping[k],
                            .error = all[k].value,
                            .before = joint_row_speed(j, &all[k], b->linear, b->angular),
                            .mobility = joint_mobility(a->world, j, &all[k])};
    if (!joint_solve_spring(&s, params->h, a->kick, &offset[count], &compliance[count])) continue;
    g[count] = joint_warmth(a, params, j) * j->held[k];
    rows[count++] = all[k];
  }
  if (count == 0) return SCREE_OK;
  const scree_set set = scree_set_free(count);
  return joint_add_part(a, index, JOINT_PART_HELD, 0, rows, count, offset, compliance, &set, g);
}

/* ---- all ------------------------------------------------------------------------------------ */

/* Does the joint have rows? Not between bodies that cannot be pushed. */
static bool takes_part(const scree_world *w, const joint *j) {
  if (!j->alive || j->broken) return false;
  for (int s = 0; s < JOINT_SIDES; s++)
    if (j->body[s] != WORLD_NO_BODY && world_is_dynamic(w, j->body[s])) return true;
  return false;
}

static scree_status add_joint(assembler *a, const assembler_params *params, size_t index,
                              assembler_report *report) {
  const joint *j = &a->world->joint[index];
  const joint_class *class = joint_class_of(j);
  const joint_view view = joint_view_of(a->world, j);
  scree_status status = SCREE_OK;
  if (j->kind == SCREE_JOINT_BUSHING)
    status = add_bushing(a, params, index, &view);
  else if (class->held)
    status = add_held(a, params, index, &view, report);
  for (int k = 0; k < class->coordinates && !status; k++)
    status = joint_add_coordinate(a, params, index, &view, k);
  return status;
}

/* On several ranks: is it mine? */
static bool is_here(const assembler *a, const joint *j) {
  return !a->ranks || a->ranks->has(a->ranks, a, j->body, JOINT_SIDES);
}

scree_status assembler_add_joints(assembler *a, const assembler_params *params,
                                  assembler_report *report) {
  const scree_world *w = a->world;
  scree_status status = SCREE_OK;
  a->joints.count = 0;
  a->joints.contradiction = 0.0;
  a->problem->asks_contradictions = w->joint_count > 0;
  a->joints.workless = a->joints.workless && params->again;
  for (size_t k = 0; k < w->joint_limit && !status; k++)
    if (takes_part(w, &w->joint[k]) && is_here(a, &w->joint[k]))
      status = add_joint(a, params, k, report);
  a->joints.all = a->joints.count;
  return status;
}

void assembler_push_block(assembler *a, size_t block) {
  const ccp_bodies *bodies = &a->problem->bodies;
  const size_t first = a->problem->row_start[block] - a->problem->row_start[bodies->contact_count];
  const size_t dim = (size_t)ccp_dim(a->problem, block);
  for (size_t k = 0; k < dim; k++) {
    const double g = a->g[a->problem->row_start[block] + k];
    for (size_t t = bodies->term_start[first + k]; t < bodies->term_start[first + k + 1]; t++) {
      const scree_ccp_term *term = &bodies->term[t];
      const scree_ccp_body_def *def = &bodies->body[term->body];
      const uint32_t i = a->order.body[term->body];
      if (def->inverse_mass == 0.0) continue;
      const v3 turn = sym3_mul_v3(def->inverse_inertia, v3_load(term->coefficient + 3));
      a->linear[i] = v3_add_scaled(a->linear[i], g * def->inverse_mass, v3_load(term->coefficient));
      a->angular[i] = v3_add_scaled(a->angular[i], g, turn);
    }
  }
}

void assembler_push_joints(assembler *a) {
  for (size_t k = 0; k < a->joints.count; k++) assembler_push_block(a, a->joints.part[k].block);
}

/* ---- what the step found -------------------------------------------------------------------- */

/* Adds an impulse of a row to the reaction of the joint on body b at its anchor. */
static void add_reaction(joint *j, const joint_view *view, const joint_row *row, double g) {
  const v3 arm = v3_sub(view->frame[FRAME_B].position, view->center[SIDE_B]);
  const v3 push = row->linear[SIDE_B];
  j->impulse = v3_add_scaled(j->impulse, g, push);
  j->moment = v3_add_scaled(j->moment, g, v3_sub(row->angular[SIDE_B], v3_cross(arm, push)));
}

static void keep_held(const assembler *a, joint *j, const joint_view *view, const double *g) {
  joint_row rows[JOINT_ROWS];
  const int count = joint_held_rows(view, rows);
  const bool bushing = j->kind == SCREE_JOINT_BUSHING;
  int at = 0;
  (void)a;
  for (int r = 0; r < count; r++) {
    const bool none = bushing && j->stiffness[r] == 0.0 && j->damping[r] == 0.0;
    j->held[r] = none ? 0.0 : g[at++];
    add_reaction(j, view, &rows[r], j->held[r]);
  }
}

static void keep_part(assembler *a, const joint_part *part) {
  joint *j = &a->world->joint[part->joint];
  const joint_view view = joint_view_of(a->world, j);
  const double *g = a->g + a->problem->row_start[part->block];
  joint_coordinate *c = &j->coordinate[part->coordinate];
  switch ((joint_role)part->role) {
  case JOINT_PART_HELD:
    keep_held(a, j, &view, g);
    break;
  case JOINT_PART_SPRING:
    c->spring_impulse = g[0];
    break;
  case JOINT_PART_MOTOR:
    c->motor_impulse = g[0];
    break;
  case JOINT_PART_FRICTION:
    c->friction_impulse = g[0];
    break;
  case JOINT_PART_LOW:
  case JOINT_PART_HIGH: {
    const double along = part->role == JOINT_PART_LOW ? g[0] : -g[0];
    const joint_row row = joint_coordinate_row(&view, part->coordinate);
    c->limit_impulse += along;
    add_reaction(j, &view, &row, along);
  }
  }
}

/* Where angles and curves will be at the end of the step, so that turns are counted. */
static void estimate(assembler *a, joint *j) {
  const joint_class *class = joint_class_of(j);
  if (!class->angles && !j->curve) return;
  const joint_view view = joint_view_of(a->world, j);
  double angle[JOINT_ANGLES];
  for (int k = 0; k < class->angles; k++) {
    const joint_row row = joint_angle_row(&view, k);
    angle[k] = row.value + a->h * joint_row_speed(j, &row, a->linear, a->angular);
  }
  for (int k = 0; k < class->angles; k++) j->angle[k] = angle[k];
  if (class->uses & JOINT_USES_PATH)
    j->along = world_curve_nearest(
        view.curve, pose_apply_inverse(view.frame[FRAME_A], view.frame[FRAME_B].position),
        j->along);
}

static bool breaks(const joint *j) {
  return v3_norm(j->impulse) > j->break_force * j->step ||
         v3_norm(j->moment) > j->break_torque * j->step;
}

scree_status assembler_keep_joints(assembler *a) {
  scree_world *w = a->world;
  bool broke = false;
  for (size_t k = 0; k < w->joint_limit; k++) {
    joint *j = &w->joint[k];
    if (!takes_part(w, j)) continue;
    estimate(a, j);
    j->impulse = j->moment = v3_make(0, 0, 0);
    j->step = a->kick;
    for (int c = 0; c < SCREE_JOINT_COORDINATES; c++) {
      joint_coordinate *q = &j->coordinate[c];
      q->motor_impulse = q->friction_impulse = q->spring_impulse = q->limit_impulse = 0.0;
    }
  }
  for (size_t k = 0; k < a->joints.count; k++) keep_part(a, &a->joints.part[k]);
  const scree_status status = a->ranks && a->joints.all ? joint_tell_found(a) : SCREE_OK;
  if (status) return status;
  for (size_t k = 0; k < w->joint_limit; k++) {
    joint *j = &w->joint[k];
    if (!takes_part(w, j) || !breaks(j)) continue;
    j->broken = 1;
    broke = true;
  }
  if (!broke) return SCREE_OK;
  w->revision++;
  world_list_excluded(w); /* it grows shorter: there is room */
  return SCREE_OK;
}

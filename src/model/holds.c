/* See holds.h. */
#include "model/holds.h"

#include <string.h>

static const double difference = 1e-7; /* rad, and of a length of the joint; to one side */

const char *hold_refusal(const joint *j) {
  const joint_class *class = joint_class_of(j);
  if (class->pulls) return "it pulls alone, which is a law with a corner";
  if (isfinite(j->break_force) || isfinite(j->break_torque)) return "it may break";
  for (int k = 0; k < class->coordinates; k++) {
    const joint_coordinate *c = &j->coordinate[k];
    if (isfinite(c->limits[0]) || isfinite(c->limits[1])) return "it has limits";
    if (c->friction > 0.0 || c->friction_coefficient > 0.0) return "it has dry friction";
    if (c->motor != SCREE_MOTOR_NONE && c->motor != SCREE_MOTOR_TORQUE && isfinite(c->motor_limit))
      return "its motor has a limit, which is a law with a corner";
  }
  return NULL;
}

bool hold_takes_part(const scree_world *w, const joint *j) {
  if (!j->alive || j->broken) return false;
  for (int s = 0; s < JOINT_SIDES; s++)
    if (j->body[s] != WORLD_NO_BODY && world_is_dynamic(w, j->body[s])) return true;
  return false;
}

static hold_row write_row(const joint_row *row) {
  hold_row out;
  memset(&out, 0, sizeof out);
  out.error = row->value;
  out.angular = row->turn;
  for (int s = 0; s < JOINT_SIDES; s++) {
    v3_store(out.c[s], row->linear[s]);
    v3_store(out.c[s] + 3, row->angular[s]);
  }
  return out;
}

static void soften(hold_row *row, double stiffness, double damping) {
  row->kind = HOLD_SOFT;
  row->stiffness = stiffness;
  row->damping = damping;
}

static int held_rows(const joint_view *view, hold_row *out) {
  const joint *j = view->data;
  joint_row rows[JOINT_ROWS];
  const int all =
      joint_class_of(j)->held || j->kind == SCREE_JOINT_BUSHING ? joint_held_rows(view, rows) : 0;
  int count = 0;
  for (int k = 0; k < all; k++) {
    const bool bushing = j->kind == SCREE_JOINT_BUSHING;
    if (bushing && j->stiffness[k] == 0.0 && j->damping[k] == 0.0) continue;
    out[count] = write_row(&rows[k]);
    if (bushing)
      soften(&out[count], j->stiffness[k], j->damping[k]);
    else if (j->compliance > 0.0 && !rows[k].turn)
      soften(&out[count], 1.0 / j->compliance, 0.0);
    count++;
  }
  return count;
}

static int coordinate_rows(const joint_view *view, int k, double time, hold_row *out) {
  const joint_coordinate *c = &view->data->coordinate[k];
  const bool spring = c->stiffness > 0.0 || c->damping > 0.0;
  const bool motor = c->motor == SCREE_MOTOR_SPEED || c->motor == SCREE_MOTOR_POSITION;
  int count = 0;
  if (!spring && !motor) return 0;
  const joint_row row = joint_coordinate_row(view, k);
  if (spring) {
    out[count] = write_row(&row);
    out[count].error -= c->rest;
    soften(&out[count++], c->stiffness, c->damping);
  }
  if (!motor) return count;
  out[count] = write_row(&row);
  out[count].motor = true;
  const double value = joint_motor_value(c, time);
  if (c->motor == SCREE_MOTOR_POSITION) {
    out[count].error -= value;
    out[count].rate = c->motor_rate;
    if (c->motor_stiffness > 0.0 || c->motor_damping > 0.0)
      soften(&out[count], c->motor_stiffness, c->motor_damping);
  } else {
    out[count].rate = value;
    out[count].kind = HOLD_SPEED;
    if (c->motor_damping > 0.0) soften(&out[count], 0.0, c->motor_damping);
  }
  return count + 1;
}

static int rows_of(const joint_view *view, double time, hold_row *out) {
  int count = held_rows(view, out);
  for (int k = 0; k < joint_class_of(view->data)->coordinates; k++)
    count += coordinate_rows(view, k, time, out + count);
  return count;
}

int hold_row_count(const joint *j) {
  const joint_class *class = joint_class_of(j);
  int count = class->held;
  for (int k = 0; j->kind == SCREE_JOINT_BUSHING && k < class->held; k++)
    count -= j->stiffness[k] == 0.0 && j->damping[k] == 0.0;
  for (int k = 0; k < class->coordinates; k++) {
    const joint_coordinate *c = &j->coordinate[k];
    count += c->stiffness > 0.0 || c->damping > 0.0;
    count += c->motor == SCREE_MOTOR_SPEED || c->motor == SCREE_MOTOR_POSITION;
  }
  return count;
}

int hold_rows(const scree_world *w, const joint *j, hold_row *out) {
  const joint_view view = joint_view_of(w, j);
  return rows_of(&view, w->time, out);
}

/* ---- derivatives ---------------------------------------------------------------------------- */

/* The side that a frame is fixed in. */
static int side_of(int frame) {
  return frame == FRAME_A ? SIDE_A : frame == FRAME_B ? SIDE_B : SIDE_C;
}

static joint_view moved(const joint_view *here, int side, int axis, double by) {
  joint_view v = *here;
  const v3 step = v3_scale(by, v3_make(axis % 3 == 0, axis % 3 == 1, axis % 3 == 2));
  const quat q = quat_exp(step);
  for (int f = 0; f < JOINT_FRAMES; f++) {
    if (side_of(f) != side) continue;
    pose *p = &v.frame[f];
    if (axis < 3) {
      p->position = v3_add(p->position, step);
    } else {
      p->position = v3_add(v.center[side], quat_rotate(q, v3_sub(p->position, v.center[side])));
      p->rotation = quat_mul(q, p->rotation);
    }
  }
  if (axis < 3) v.center[side] = v3_add(v.center[side], step);
  return v;
}

typedef void load_function(const joint_view *view, double time, const double *lambda, double *load);

static void held_load(const joint_view *view, double time, const double *lambda, double *load) {
  hold_row rows[HOLD_ROWS];
  const int count = rows_of(view, time, rows);
  const int sides = view->data->body[SIDE_C] == WORLD_NO_BODY ? 2 : JOINT_SIDES;
  memset(load, 0, HOLD_DIM * sizeof *load);
  for (int r = 0; r < count; r++) {
    if (lambda[r] == 0.0) continue;
    for (int s = 0; s < sides; s++)
      for (int i = 0; i < 6; i++) load[6 * s + i] += rows[r].c[s][i] * lambda[r];
  }
}

/* The same of rows of coordinates alone; lambda of all. */
static void coordinate_load(const joint_view *view, double time, const double *lambda,
                            double *load) {
  memset(load, 0, HOLD_DIM * sizeof *load);
  lambda += joint_class_of(view->data)->held;
  for (int k = 0; k < joint_class_of(view->data)->coordinates; k++) {
    hold_row rows[2];
    const int count = coordinate_rows(view, k, time, rows);
    for (int r = 0; r < count; r++, lambda++)
      for (int i = 0; i < HOLD_DIM; i++) load[i] += rows[r].c[i / 6][i % 6] * *lambda;
  }
}

static void push_load(const joint_view *view, double time, const double *part, double *load) {
  const joint *j = view->data;
  memset(load, 0, HOLD_DIM * sizeof *load);
  for (int k = 0; k < joint_class_of(j)->coordinates; k++) {
    if (j->coordinate[k].motor != SCREE_MOTOR_TORQUE) continue;
    const joint_row row = joint_coordinate_row(view, k);
    const double value = *part * joint_motor_value(&j->coordinate[k], time);
    for (int s = 0; s < JOINT_SIDES; s++) {
      v3_store(load + 6 * s, v3_add_scaled(v3_load(load + 6 * s), value, row.linear[s]));
      v3_store(load + 6 * s + 3, v3_add_scaled(v3_load(load + 6 * s + 3), value, row.angular[s]));
    }
  }
}

/* A joint sees its bodies from each other: where all of them move alike nothing changes, so that
 * columns of displacements sum up to zero over the sides. True: that gives those of side b. */
static bool follows(const scree_world *w, const joint *j) {
  return j->body[SIDE_C] == WORLD_NO_BODY && j->body[SIDE_A] != WORLD_NO_BODY &&
         j->body[SIDE_B] != WORLD_NO_BODY && world_is_dynamic(w, j->body[SIDE_A]);
}

static void differentiate(const scree_world *w, const joint *j, load_function *load,
                          const double *lambda, double *k) {
  const bool copy = follows(w, j);
  double base[HOLD_DIM];
  const joint_view here = joint_view_of(w, j);
  double size = 0.0;
  for (int s = 0; s < JOINT_SIDES; s++)
    if (j->body[s] != WORLD_NO_BODY)
      size = fmax(size, v3_norm(v3_sub(here.frame[FRAME_B].position, here.center[s])));
  load(&here, w->time, lambda, base);
  memset(k, 0, (size_t)(HOLD_DIM * HOLD_DIM) * sizeof *k);
  for (int column = 0; column < HOLD_DIM; column++) {
    const uint32_t body = j->body[column / 6];
    if (body == WORLD_NO_BODY || !world_is_dynamic(w, body)) continue;
    if (copy && column / 6 == SIDE_B && column % 6 < 3) {
      for (int i = 0; i < HOLD_DIM; i++) k[HOLD_DIM * i + column] = -k[HOLD_DIM * i + column - 6];
      continue;
    }
    const double by = column % 6 < 3 ? difference * (size > 0.0 ? size : 1.0) : difference;
    double more[HOLD_DIM];
    const joint_view view = moved(&here, column / 6, column % 6, by);
    load(&view, w->time, lambda, more);
    for (int i = 0; i < HOLD_DIM; i++) k[HOLD_DIM * i + column] = (base[i] - more[i]) / by;
  }
}

void hold_stiffness(const scree_world *w, const joint *j, const double *lambda, double *k) {
  const joint_view view = joint_view_of(w, j);
  double own[12][12];
  if (!joint_bends(&view, lambda, own)) {
    differentiate(w, j, held_load, lambda, k);
    return;
  }
  if (hold_row_count(j) > joint_class_of(j)->held)
    differentiate(w, j, coordinate_load, lambda, k);
  else
    memset(k, 0, (size_t)(HOLD_DIM * HOLD_DIM) * sizeof *k);
  for (int s = 0; s < 2; s++) {
    if (j->body[s] == WORLD_NO_BODY || !world_is_dynamic(w, j->body[s])) continue;
    for (int i = 0; i < 12; i++)
      for (int c = 6 * s; c < 6 * s + 6; c++) k[HOLD_DIM * i + c] += own[i][c];
  }
}

bool hold_pushes(const joint *j) {
  for (int k = 0; j->alive && !j->broken && k < joint_class_of(j)->coordinates; k++)
    if (j->coordinate[k].motor == SCREE_MOTOR_TORQUE) return true;
  return false;
}

void hold_push(const scree_world *w, const joint *j, double part, double *load, double *k) {
  const joint_view view = joint_view_of(w, j);
  push_load(&view, w->time, &part, load);
  if (k) differentiate(w, j, push_load, &part, k);
}

/* ---- after a step --------------------------------------------------------------------------- */

static void keep_coordinate(joint *j, const joint_view *view, int k, const double *lambda,
                            double h) {
  hold_row rows[2];
  joint_coordinate *c = &j->coordinate[k];
  c->motor_impulse = c->friction_impulse = c->spring_impulse = c->limit_impulse = 0.0;
  const int count = coordinate_rows(view, k, 0.0, rows);
  for (int r = 0; r < count; r++)
    *(rows[r].motor ? &c->motor_impulse : &c->spring_impulse) = h * lambda[r];
}

void hold_keep(const scree_world *w, joint *j, const double *lambda, double h) {
  const joint_class *class = joint_class_of(j);
  const joint_view view = joint_view_of(w, j);
  const v3 arm = v3_sub(view.frame[FRAME_B].position, view.center[SIDE_B]);
  hold_row rows[HOLD_ROWS];
  int count = held_rows(&view, rows);
  j->impulse = j->moment = v3_make(0, 0, 0);
  for (int r = 0; r < count; r++) {
    const v3 push = v3_load(rows[r].c[SIDE_B]), turn = v3_load(rows[r].c[SIDE_B] + 3);
    j->impulse = v3_add_scaled(j->impulse, h * lambda[r], push);
    j->moment = v3_add_scaled(j->moment, h * lambda[r], v3_sub(turn, v3_cross(arm, push)));
  }
  for (int k = 0; k < class->coordinates; k++) {
    hold_row own[2];
    keep_coordinate(j, &view, k, lambda + count, h);
    count += coordinate_rows(&view, k, 0.0, own);
  }
  j->step = h;
  for (int k = 0; k < class->angles; k++) j->angle[k] = joint_angle_row(&view, k).value;
  if (class->uses & JOINT_USES_PATH)
    j->along = world_curve_nearest(
        view.curve, pose_apply_inverse(view.frame[FRAME_A], view.frame[FRAME_B].position),
        j->along);
}

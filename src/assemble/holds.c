/* See holds.h. */
#include "assemble/holds.h"

#include <string.h>

const char *hold_refusal(const joint *j) {
  if (j->motor == SCREE_MOTOR_SPEED && !isinf(j->motor_limit))
    return "its motor of speed has a limit, which is a law with a corner";
  return NULL;
}

bool hold_takes_part(const scree_world *w, const joint *j) {
  return j->alive && ((j->body_a != WORLD_NO_BODY && world_is_dynamic(w, j->body_a)) ||
                      (j->body_b != WORLD_NO_BODY && world_is_dynamic(w, j->body_b)));
}

static void write_row(const joint_row *row, hold_row *out) {
  memset(out, 0, sizeof *out);
  out->error = row->error;
  out->angular = row->angular;
  for (int s = 0; s < 2; s++) {
    const double sign = s ? 1.0 : -1.0;
    if (row->angular) {
      v3_store(out->c[s] + 3, v3_scale(sign, row->direction));
    } else {
      v3_store(out->c[s], v3_scale(sign, row->direction));
      v3_store(out->c[s] + 3,
               v3_scale(sign, v3_cross(s ? row->arm_b : row->arm_a, row->direction)));
    }
  }
}

static int rows_of(const joint_view *view, hold_row *out) {
  const joint *j = view->data;
  joint_row rows[SCREE_MAX_DIM];
  int count = joint_classes[j->kind]->rows(view, rows);
  for (int k = 0; k < count; k++) {
    write_row(&rows[k], &out[k]);
    out[k].compliance = rows[k].angular ? 0.0 : j->compliance;
  }
  if (j->motor == SCREE_MOTOR_SPEED) {
    const joint_row motor = joint_classes[j->kind]->motor(view);
    write_row(&motor, &out[count]);
    out[count].motor = true;
    out[count].speed = j->motor_value;
    count++;
  }
  return count;
}

int hold_rows(const scree_world *w, const joint *j, hold_row *out) {
  const joint_view view = joint_look(w, j);
  return rows_of(&view, out);
}

static void move_side(pose *frame, v3 *center, int axis, double by) {
  const v3 step = v3_scale(by, v3_make(axis % 3 == 0, axis % 3 == 1, axis % 3 == 2));
  if (axis < 3) {
    *center = v3_add(*center, step);
    frame->position = v3_add(frame->position, step);
  } else {
    const quat q = quat_exp(step);
    frame->position = v3_add(*center, quat_rotate(q, v3_sub(frame->position, *center)));
    frame->rotation = quat_mul(q, frame->rotation);
  }
}

static void load_of(const joint_view *view, const double *lambda, double *load) {
  hold_row rows[HOLD_ROWS];
  const int count = rows_of(view, rows);
  memset(load, 0, 12 * sizeof *load);
  for (int r = 0; r < count; r++)
    for (int i = 0; i < 12; i++) load[i] += rows[r].c[i / 6][i % 6] * lambda[r];
}

void hold_stiffness(const scree_world *w, const joint *j, const double *lambda, double *k) {
  const joint_view here = joint_look(w, j);
  const double size = v3_norm(v3_sub(here.b.position, here.center_a)) +
                      v3_norm(v3_sub(here.b.position, here.center_b));
  for (int column = 0; column < 12; column++) {
    const double by = column % 6 < 3 ? 1e-5 * (size > 0.0 ? size : 1.0) : 1e-5;
    double more[12], less[12];
    for (int sign = 0; sign < 2; sign++) {
      joint_view view = here;
      if (column < 6)
        move_side(&view.a, &view.center_a, column, sign ? -by : by);
      else
        move_side(&view.b, &view.center_b, column - 6, sign ? -by : by);
      load_of(&view, lambda, sign ? less : more);
    }
    for (int i = 0; i < 12; i++) k[12 * i + column] = (less[i] - more[i]) / (2.0 * by);
  }
}

void hold_keep(const scree_world *w, joint *j, const double *lambda, double h) {
  joint_row rows[SCREE_MAX_DIM];
  const joint_view view = joint_look(w, j);
  const int count = joint_classes[j->kind]->rows(&view, rows);
  j->impulse = j->moment = v3_make(0, 0, 0);
  for (int r = 0; r < count; r++) {
    v3 *sum = rows[r].angular ? &j->moment : &j->impulse;
    *sum = v3_add_scaled(*sum, h * lambda[r], rows[r].direction);
  }
  j->motor_impulse = j->motor == SCREE_MOTOR_SPEED ? h * lambda[count] : 0.0;
  j->step = h;
}

/* Rows of joints that contradict each other.
 *
 * A loop with more rows than it needs, as one of Bennett's or a four-bar of hinges, has impulses d
 * along its rows that move nothing, D d = 0. Then d'r = d'D'v_free + d'b = d'b whatever the bodies
 * do: a velocity that all rows allow exists if d'b = 0 alone. In the poses of a machine that is
 * true, as its loop closes there; but offsets of second order in the motion, as those of the end
 * of the step (ends.c), are along the rows of the end, and these turn by h w. What is left is of
 * third order, h^2 w^3 r: a hundred millionth of a metre, for which there would be no solution.
 *
 * The solver says what it is, u with d_k = u_k / n_k (solve/direct/direct.c), the least of it. Held
 * rows have offsets that correct, and nobody asked for: where d'b is theirs, and small, b -= u, and
 * the rows agree. Else motors, driven bodies or joints that were torn apart contradict each other,
 * and there is no solution. */
#include "assemble/joints/joints.h"
#include "ccp/problem.h"

/* Of d'b, that may come from what is asked for: rounding. Of a joint's size, that may be left. */
static const double much_asked = 0.01, much_left = 1e-3;

static bool corrects(const assembler *a, const joint_part *part) {
  const joint *j = &a->world->joint[part->joint];
  return part->role == JOINT_PART_HELD && j->kind != SCREE_JOINT_BUSHING && !(j->compliance > 0.0);
}

/* How far the joint is left apart by it, m; turns at its size. */
static double misses(const assembler *a, const assembler_params *params, const joint_part *part,
                     const double *u, double *size) {
  const joint *j = &a->world->joint[part->joint];
  const joint_view view = joint_view_of(a->world, j);
  joint_row rows[JOINT_ROWS];
  const int count = joint_held_rows(&view, rows);
  double sum = 0.0;
  *size = joint_size(a, j, joint_find_recovery(a, params, j, &view).size);
  for (int k = 0; k < count; k++) {
    const double one = rows[k].turn ? *size * u[k] : u[k];
    sum += one * one;
  }
  return params->h * sqrt(sum);
}

/* Is it small, and of offsets that correct? */
static bool may_be_left(assembler *a, const assembler_params *params, const double *u,
                        const double *d) {
  const scree_ccp *p = a->problem;
  double sum[2] = {0.0, 0.0}, broken = 0.0; /* all of d'u; d'b of the offsets that correct */
  for (size_t r = 0; r < p->row_count; r++) sum[0] += d[r] * u[r];
  for (size_t k = 0; k < a->joints.count; k++) {
    const size_t block = a->joints.part[k].block, first = p->row_start[block];
    double size;
    if (!corrects(a, &a->joints.part[k])) continue;
    if (misses(a, params, &a->joints.part[k], u + first, &size) > much_left * size) broken = 1.0;
    for (size_t r = first; r < p->row_start[block + 1]; r++) sum[1] += d[r] * p->offset[r];
  }
  ranks_reduce(a->context->ranks, sum, 2, &broken, 1);
  return broken == 0.0 && fabs(sum[0] - sum[1]) <= much_asked * sum[0];
}

/* On several ranks: of all of them. */
static void note_worst(assembler *a) {
  joint_rows *j = &a->joints;
  double most = j->contradiction, which;
  ranks_reduce(a->context->ranks, NULL, 0, &most, 1);
  which = j->contradiction == most && most > 0.0 ? (double)j->contradicted : 0.0;
  ranks_reduce(a->context->ranks, NULL, 0, &which, 1);
  j->contradiction = most;
  j->contradicted = (uint32_t)which;
}

bool assembler_leave_contradiction(assembler *a, const assembler_params *params, const double *u,
                                   const double *d) {
  scree_ccp *p = a->problem;
  p->asks_contradictions = may_be_left(a, params, u, d);
  for (size_t k = 0; p->asks_contradictions && k < a->joints.count; k++) {
    const joint_part *part = &a->joints.part[k];
    double size, missed;
    if (!corrects(a, part)) continue;
    missed = misses(a, params, part, u + p->row_start[part->block], &size);
    if (!(missed > a->joints.contradiction)) continue;
    a->joints.contradiction = missed;
    a->joints.contradicted = part->joint;
  }
  note_worst(a);
  for (size_t r = 0; p->asks_contradictions && r < p->row_count; r++) p->offset[r] -= u[r];
  return p->asks_contradictions;
}

/* Where the bodies of a robot are at the start, and which are one body.
 *
 * A body's frame is that of its parent times its place in it, then moved by its joints in their
 * order: with the frame (p, R) so far, anchor a and axis u given in the body, a hinge at q turns it
 * about the point p + R a and the axis R u by q - zero; a slide moves it along R u. So a joint's
 * axis in the world is the one before its own motion and after those before it. */
#include <math.h>

#include "scene/import/robot.h"

static void check_start(robot *r, robot_joint *j) {
  if (!j->limited || (j->kind != ROBOT_HINGE && j->kind != ROBOT_SLIDE)) return;
  const double from = j->start;
  j->start = fmin(fmax(j->start, j->lower), j->upper);
  if (j->start != from)
    robot_note(r, j->at, NULL,
               "joint '%s' begins at %g, outside of its limits %g … %g: it is set to %g", j->name,
               from, j->lower, j->upper, j->start);
}

static void move(robot_joint *j, pose *p) {
  const v3 anchor = pose_apply(*p, j->anchor);
  j->world_anchor = anchor;
  j->world_axis = quat_rotate(p->rotation, j->axis);
  j->world_axis_b = quat_rotate(p->rotation, j->axis_b);
  if (j->kind == ROBOT_SLIDE) {
    p->position = v3_add_scaled(p->position, j->start - j->zero, j->world_axis);
    j->world_anchor = pose_apply(*p, j->anchor);
    return;
  }
  quat turn = quat_identity();
  if (j->kind == ROBOT_HINGE) turn = quat_exp(v3_scale(j->start - j->zero, j->world_axis));
  if (j->kind == ROBOT_BALL) /* in the frame of the body */
    turn = quat_mul(quat_mul(p->rotation, j->turn), quat_conj(p->rotation));
  p->rotation = quat_normalize(quat_mul(turn, p->rotation));
  p->position = v3_sub(anchor, quat_rotate(p->rotation, j->anchor));
}

scree_status robot_place(robot *r) {
  enum { CHAIN = 4 }; /* one may follow another that follows a third */
  for (size_t i = 0; i < CHAIN * r->link_count; i++) {
    const robot_link *l = &r->links[i % r->link_count];
    r->joints[l->joint].start = l->offset + l->ratio * r->joints[l->other].start;
  }
  for (size_t i = 0; i < r->body_count; i++) {
    robot_body *b = &r->bodies[i];
    const robot_body *parent = b->parent == ROBOT_WORLD ? NULL : &r->bodies[b->parent];
    b->world = parent ? pose_mul(parent->world, b->local) : b->local;
    for (size_t k = 0; k < b->joints; k++) {
      robot_joint *j = &r->joints[b->joint + k];
      check_start(r, j);
      move(j, &b->world);
    }
    const bool alone = b->free || b->held || b->joints;
    b->root = alone ? (int)i : parent ? parent->root : ROBOT_WORLD;
    b->in_root = alone                    ? pose_identity()
                 : b->root == ROBOT_WORLD ? b->world
                                          : pose_mul(parent->in_root, b->local);
  }
  return SCREE_OK;
}

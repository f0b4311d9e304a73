/* How far ahead of touch contacts are made: from the speeds and sizes of all bodies. */
#include "assemble/assembler.h"
#include "base/pieces.h"

/* How far two bodies may come nearer in a step beyond their own relative motion: a motion handed on
 * to both. That is the fastest one at most, doubled as a light body hit by a heavy one leaves; but
 * one fast grain must not fill the problem of a whole bed with idle contacts, so it is no more than
 * what is usual: one and a half of the rms speed, or the fastest wall. What is faster and is handed
 * on all the same is found by the second look. */
typedef struct extremes {
  double most, wall, square, moving, least;
} extremes;

static extremes extremes_of(const assembler *a, size_t begin, size_t end) {
  const world_bodies *b = &a->world->bodies;
  const bool flows = periodic_moves(&a->world->box);
  extremes e = {.least = INFINITY};
  for (size_t i = begin; i < end; i++) {
    if (!b->alive[i] || !b->shape[i] || world_sleeps(a->world, i)) continue;
    v3 v = a->linear[i];
    if (flows && world_is_dynamic(a->world, i))
      v = v3_sub(v, periodic_flow_at(&a->world->box, b->position[i]));
    double speed = v3_norm(v);
    if (isfinite(b->radius[i])) speed += b->radius[i] * v3_norm(a->angular[i]);
    if (speed > e.most) e.most = speed;
    if (world_is_dynamic(a->world, (uint32_t)i)) {
      e.least = view_less(e.least, b->diameter[i]);
      e.square += speed * speed;
      e.moving += 1.0;
    } else if (speed > e.wall) {
      e.wall = speed;
    }
  }
  return e;
}

void assembler_note_extremes(assembler *a, double h) {
  const size_t n = a->world->bodies.limit, pieces = pieces_of(n);
  extremes piece[PIECES_MOST], e = {.least = INFINITY};
  if (pieces == 1) {
    piece[0] = extremes_of(a, 0, n);
  } else {
#pragma omp parallel for schedule(static) num_threads(context_team(a->context, true))
    for (size_t k = 0; k < pieces; k++)
      piece[k] = extremes_of(a, pieces_begin(n, k), pieces_begin(n, k + 1));
  }
  for (size_t k = 0; k < pieces; k++) {
    e.most = fmax(e.most, piece[k].most);
    e.wall = fmax(e.wall, piece[k].wall);
    e.least = view_less(e.least, piece[k].least);
    e.square += piece[k].square;
    e.moving += piece[k].moving;
  }
  const double usual = e.moving > 0.0 ? 1.5 * sqrt(e.square / e.moving) : 0.0;
  a->look.farthest = 4.0 * h * view_less(e.most, usual > e.wall ? usual : e.wall);
  a->look.least_diameter = e.least;
}

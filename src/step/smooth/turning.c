/* How far motion bends in a step (scree_step_info.turning), against what the order of a stepper
 * follows. A body that turns steadily about one axis is carried on exactly; what is not is how its
 * velocity of turning changes, h^2 |alpha|, which is the square of the angle per step where a body
 * tumbles. Bodies that elements tie together go on circles about each other: there it is the angle
 * that a chord turns by.
 *
 * Of a circle by steps of t rad a method of order 1 misses some t/2, one of order 2 some t^2/12,
 * and one of order 4 some t^4/120: 1 %, 0.1 % and 0.05 % at the angles below. */
#include "model/link/link.h"
#include "step/smooth/smooth.h"

static double allowed(int order) {
  return order < 2 ? 0.02 : order < 4 ? 0.1 : 0.5;
}

static double chord_turn(const scree_world *w, const world_link *l) {
  const world_bodies *b = &w->bodies;
  double most = 0.0;
  if (!l->alive || !link_classes[l->kind]->apart || l->body[0] == WORLD_NO_BODY) return 0.0;
  for (uint32_t k = 1; k < l->body_count; k++) {
    if (l->body[k] == WORLD_NO_BODY) continue;
    const uint32_t i = l->body[0], j = l->body[k];
    const v3 d = v3_sub(b->position[j], b->position[i]);
    const v3 u = v3_sub(world_linear(w, j), world_linear(w, i));
    const double size = v3_norm2(d);
    if (size > 0.0) most = fmax(most, v3_norm(v3_cross(d, u)) / size);
  }
  return most;
}

void smooth_note_turning(const smooth_system *s, double h, int order, scree_step_info *info) {
  double bend = 0.0, chord = 0.0;
  for (size_t r = 0; r < s->bodies; r++) {
    if (s->world->bodies.point && s->world->bodies.point[s->body[r]]) continue;
    bend = fmax(bend, v3_norm(v3_load(s->a + 6 * r + 3)));
  }
  for (size_t k = 0; k < s->world->link_limit; k++)
    chord = fmax(chord, chord_turn(s->world, &s->world->link[k]));
  info->turning = fmax(info->turning, fmax(h * sqrt(bend), h * chord));
  info->turning_allowed = allowed(order);
}

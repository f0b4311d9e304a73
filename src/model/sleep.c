/* Bodies asleep: islands at rest that the step leaves alone (assemble/sleep.c puts them there). A
 * body that sleeps has no velocity, is not dynamic, and pushes nobody; its island wakes as a whole.
 * What the user changes wakes whom it may concern, here. */
#include <string.h>

#include "model/world.h"

size_t scree_world_asleep_count(const scree_world *w) {
  return w ? w->asleep_count : 0;
}

bool scree_body_is_asleep(const scree_world *w, scree_body_id id) {
  return scree_body_is_valid(w, id) && world_sleeps(w, id.index);
}

static void wake_one(scree_world *w, size_t i) {
  w->bodies.asleep[i] = 0;
  w->bodies.still[i] = 0.0f;
  w->asleep_count--;
}

void world_wake(scree_world *w, size_t body) {
  if (!world_sleeps(w, body)) return;
  const uint32_t island = w->bodies.asleep[body];
  for (size_t i = 0; i < w->bodies.limit; i++)
    if (w->bodies.asleep[i] == island) wake_one(w, i);
  w->sleep_revision++;
}

void world_wake_alone(scree_world *w, size_t body) {
  if (!world_sleeps(w, body)) return;
  wake_one(w, body);
  w->sleep_revision++;
}

void world_wake_all(scree_world *w) {
  if (!w->asleep_count) return;
  for (size_t i = 0; i < w->bodies.limit; i++)
    if (w->bodies.asleep[i]) wake_one(w, i);
  w->sleep_revision++;
}

void world_restore_sleep(scree_world *w, const uint32_t *asleep, size_t count) {
  if (!count) return;
  memcpy(w->bodies.asleep, asleep, count * sizeof *asleep);
  w->asleep_count = 0;
  for (size_t i = 0; i < w->bodies.limit; i++) w->asleep_count += w->bodies.asleep[i] != 0;
  w->sleep_revision++;
}

void scree_world_wake(scree_world *w) {
  if (w) world_wake_all(w);
}

void world_put_to_sleep(scree_world *w, size_t i, uint32_t island) {
  world_bodies *b = &w->bodies;
  b->linear[i] = b->angular[i] = b->linear_rate[i] = b->angular_rate[i] = v3_make(0, 0, 0);
  b->pulse[i] = PULSE_CALM;
  b->asleep[i] = island;
  w->asleep_count++;
  w->sleep_revision++;
}

/* Fluid and solids coupled: boxes float in a tank of water. The fluid, a column of one level, is
 * this program; the boxes are a scene, which is stepped through scree/coupling.h. Within each macro
 * step both are repeated from a saved state until the level and the boxes agree (strong coupling):
 *
 *   level * area = water + sum of what the boxes displace
 *   force on a box = density g (its volume below the level) - drag * velocity
 *
 * At the end each box floats with its draught mass / (density side^2), and the level has risen by
 * sum of masses / (density area). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <scree/scree.h>

enum { BOXES = 3 };
static const double side = 0.2, area = 0.5, depth = 0.5, density = 1000.0, gravity = 9.81;
static const double drag = 60.0; /* N s/m */
static const double mass[BOXES] = {2.0, 4.0, 6.0};

static const char scene_text[] =
    "step: 2 ms\n"
    "duration: 10 s\n"
    "bodies:\n"
    "  - {name: tank, kind: fixed, shape: {half_space: {}}}\n"
    "  - {name: a, shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 2, position: [-0.25, 0, 0.7]}\n"
    "  - {name: b, shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 4, position: [0, 0, 0.7]}\n"
    "  - {name: c, shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 6, position: [0.25, 0, 0.7]}\n";

typedef struct tank {
  scree_coupling *coupling;
  size_t force[BOXES], height[BOXES], speed[BOXES];
  double level;
  void *blob;
  size_t blob_size;
  long repeats;
} tank;

static int check(scree_context *context, scree_status status) {
  if (!status) return 0;
  fprintf(stderr, "floating: %s\n", scree_context_message(context));
  exit(1);
}

static double below(double level, double height) {
  return side * side * fmin(fmax(level - (height - 0.5 * side), 0.0), side);
}

/* One macro step, repeated until the level changes no more. */
static void step(scree_context *context, tank *t, double h) {
  double force[BOXES], height[BOXES], speed[BOXES], z[BOXES], v[BOXES];
  check(context, scree_coupling_get(t->coupling, BOXES, t->height, height));
  check(context, scree_coupling_get(t->coupling, BOXES, t->speed, speed));
  check(context, scree_coupling_save(t->coupling, t->blob, t->blob_size));
  for (int k = 0; k < BOXES; k++) z[k] = height[k], v[k] = speed[k];
  for (int round = 0; round < 50; round++) {
    double displaced = 0.0;
    for (int k = 0; k < BOXES; k++) displaced += below(t->level, z[k]);
    const double level = depth + displaced / area, change = fabs(level - t->level);
    t->level = level;
    if (round && change < 1e-9) return;
    for (int k = 0; k < BOXES; k++)
      force[k] = density * gravity * below(level, 0.5 * (height[k] + z[k])) -
                 (z[k] - 0.5 * side < level ? drag * 0.5 * (speed[k] + v[k]) : 0.0);
    if (round) check(context, scree_coupling_restore(t->coupling, t->blob, t->blob_size));
    check(context, scree_coupling_set(t->coupling, BOXES, t->force, force));
    check(context, scree_coupling_advance(t->coupling, h));
    check(context, scree_coupling_get(t->coupling, BOXES, t->height, z));
    check(context, scree_coupling_get(t->coupling, BOXES, t->speed, v));
    t->repeats++;
  }
}

int main(void) {
  static const char *const names[BOXES] = {"a", "b", "c"};
  scree_context *context = scree_context_create(NULL);
  scree_scene_def scene_def = scree_scene_def_default();
  scree_sim_def sim_def = scree_sim_def_default();
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  tank t = {.level = depth};
  check(context, scree_scene_load_text(context, "floating", scene_text, sizeof scene_text - 1,
                                       &scene_def, &scene));
  check(context, scree_sim_create(scene, &sim_def, &sim));
  check(context, scree_coupling_create(sim, &t.coupling));
  for (int k = 0; k < BOXES; k++) {
    char name[64];
    snprintf(name, sizeof name, "%s.force.z", names[k]);
    check(context, scree_coupling_find(t.coupling, name, &t.force[k]));
    snprintf(name, sizeof name, "%s.position.z", names[k]);
    check(context, scree_coupling_find(t.coupling, name, &t.height[k]));
    snprintf(name, sizeof name, "%s.velocity.z", names[k]);
    check(context, scree_coupling_find(t.coupling, name, &t.speed[k]));
  }
  t.blob_size = scree_coupling_save_size(t.coupling) + 65536; /* contacts come and go */
  t.blob = malloc(t.blob_size);
  const int steps = 1000;
  for (int k = 0; k < steps; k++) step(context, &t, 0.01);

  double height[BOXES], worst = 0.0, all = 0.0;
  check(context, scree_coupling_get(t.coupling, BOXES, t.height, height));
  for (int k = 0; k < BOXES; k++) {
    const double draught = t.level - (height[k] - 0.5 * side),
                 ideal = mass[k] / (density * side * side);
    printf("box %s floats with a draught of %.5f m (%.5f)\n", names[k], draught, ideal);
    worst = fmax(worst, fabs(draught - ideal));
    all += mass[k];
  }
  const double ideal = depth + all / (density * area);
  printf("level %.6f m (%.6f), %.1f repeats a step\n", t.level, ideal, (double)t.repeats / steps);
  worst = fmax(worst, fabs(t.level - ideal));
  free(t.blob);
  scree_coupling_destroy(t.coupling);
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  scree_context_destroy(context);
  return worst < 1e-4 ? 0 : 1;
}

/* Scenes of the gallery, cut short, beside what they were when someone last looked: the same bits
 * for any number of threads and after a restart in the middle; and sums over all bodies (energies,
 * mean height, contacts that bear) within bands that rounding and another choice of kernels do not
 * leave, but a change of the physics, of the solver's accuracy or of the search for contacts does.
 *
 * A row that fails after a change that is meant: run with GOLDEN_PRINT=1, judge, and take the new
 * values over. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scree/scree.h"
#include "tests/support/sanitized.h"

typedef struct band {
  double value, tolerance;
} band;

typedef struct golden {
  const char *scene;
  const char *sets[4];
  int steps;
  band height;        /* mean of the dynamic bodies, m */
  band kinetic;       /* J */
  band touching;      /* contacts with an impulse, mean of the last 20 steps */
  double penetration; /* %, at most */
} golden;

static const golden table[] = {
    /* scene, sets, steps, mean height, kinetic energy, bearing contacts, worst penetration. The
     * bands are about five times what another tolerance of the solver changes. */
    {"settle",
     {"n=200", "solver.tolerance_residual=0.01", "solver.tolerance_moving=0.01"},
     500,
     {0.3403, 0.003},
     {0.0022, 1e-3}, /* a ball that spins on the floor */
     {488, 20},
     0.1},
    {"shaker", {"n=100"}, 300, {0.086, 0.006}, {2.4, 0.3}, {188, 20}, 0.05},
    {"stack", {NULL}, 100, {0.5, 1e-4}, {0, 1e-5}, {40, 0.5}, 0.01},
    {"pyramid", {NULL}, 20, {1.36667, 1e-4}, {0, 1e-4}, {1600, 40}, 0.01},
    {"incline", {NULL}, 100, {0.05, 1e-6}, {0.1739, 0.002}, {4, 0.1}, 0.001},
    {"clumps", {NULL}, 300, {0.4455, 0.01}, {380, 40}, {193, 20}, 1},
    {"pebble-bed", {"n=150"}, 300, {0.086, 0.006}, {4.9, 1}, {98, 15}, 0.3},
};
enum { SCENES = sizeof table / sizeof table[0] };

typedef struct outcome {
  uint64_t hash;
  double height, kinetic, touching, penetration;
} outcome;

typedef struct play {
  scree_context *context;
  scree_scene *scene;
  scree_sim *sim;
} play;

static void ok(const play *p, scree_status status) {
  if (status) fail_msg("%s", scree_context_message(p->context));
}

static play begin(const golden *g, int threads) {
  play p = {0};
  char path[600];
  scree_context_def def = scree_context_def_default();
  def.threads = threads;
  p.context = scree_context_create(&def);
  scree_scene_def scene_def = scree_scene_def_default();
  scene_def.sets = g->sets;
  while (scene_def.set_count < 4 && g->sets[scene_def.set_count]) scene_def.set_count++;
  snprintf(path, sizeof path, "%s/scenes/%s.yaml", SCREE_SOURCE_DIR, g->scene);
  ok(&p, scree_scene_load(p.context, path, &scene_def, &p.scene));
  scree_sim_def sim_def = scree_sim_def_default();
  ok(&p, scree_sim_create(p.scene, &sim_def, &p.sim));
  return p;
}

static void end(play *p) {
  scree_sim_destroy(p->sim);
  scree_scene_destroy(p->scene);
  scree_context_destroy(p->context);
}

static double mean_height(const scree_world *world) {
  double sum = 0.0;
  size_t n = 0;
  for (size_t i = 0; i < scree_world_body_limit(world); i++) {
    const scree_body_id id = scree_world_body_at(world, i);
    scree_body_info info;
    scree_body_state state;
    if (!id.generation || scree_body_get_info(world, id, &info)) continue;
    if (info.kind != SCREE_BODY_DYNAMIC || scree_body_get_state(world, id, &state)) continue;
    sum += state.position[2];
    n++;
  }
  return n ? sum / (double)n : 0.0;
}

/* Steps, with the stepper saved and restored after `restart` of them (0: never). */
static outcome run(const golden *g, int threads, int restart) {
  play p = begin(g, threads);
  outcome out = {0};
  for (int k = 1; k <= g->steps; k++) {
    scree_step_info info;
    ok(&p, scree_sim_step(p.sim, &info));
    out.penetration = fmax(out.penetration, info.penetration_percent);
    if (k > g->steps - 20) out.touching += (double)info.touching / 20.0;
    out.kinetic = info.energy.linear + info.energy.angular;
    if (k != restart) continue;
    scree_stepper *stepper = scree_sim_stepper(p.sim);
    const size_t size = scree_stepper_save_size(stepper);
    char *blob = malloc(size);
    ok(&p, scree_stepper_save(stepper, blob, size));
    ok(&p, scree_stepper_restore(stepper, blob, size));
    free(blob);
  }
  out.height = mean_height(scree_sim_world(p.sim));
  out.hash = scree_world_hash(scree_sim_world(p.sim));
  end(&p);
  return out;
}

static void near(const golden *g, const char *what, double x, band b) {
  if (!(fabs(x - b.value) <= b.tolerance))
    fail_msg("%s: %s is %.6g; it was %.6g within %.2g", g->scene, what, x, b.value, b.tolerance);
}

static void scenes_are_what_they_were(void **state) {
  (void)state;
  for (size_t k = 0; k < SCENES; k++) {
    golden cut = table[k];
    if (SANITIZED && cut.steps > 60) cut.steps = 60;
    const golden *g = &cut;
    const outcome out = run(g, 1, 0);
    if (getenv("GOLDEN_PRINT"))
      printf("%s: height %.6g kinetic %.6g touching %.6g penetration %.4g %%\n", g->scene,
             out.height, out.kinetic, out.touching, out.penetration);
    if (g->steps == table[k].steps) {
      near(g, "the mean height", out.height, g->height);
      near(g, "the kinetic energy", out.kinetic, g->kinetic);
      near(g, "the number of bearing contacts", out.touching, g->touching);
    }
    if (!(out.penetration <= g->penetration))
      fail_msg("%s: overlaps by %.3g %%; %.3g %% is allowed", g->scene, out.penetration,
               g->penetration);
    const outcome again = run(g, 2, g->steps / 2), more = run(g, 4, 0);
    assert_int_equal(out.hash, again.hash);
    assert_int_equal(out.hash, more.hash);
  }
}

/* Large enough for every parallel loop. */
static void a_large_bed_has_the_same_bits(void **state) {
  (void)state;
  const golden bed = {
      .scene = "settle", .sets = {"n=3000", "solver.iteration_limit=20"}, .steps = 12};
  const uint64_t hash = run(&bed, 1, 0).hash;
  assert_int_equal(run(&bed, 2, 0).hash, hash);
  assert_int_equal(run(&bed, 4, 6).hash, hash);
}

int main(void) {
#ifndef SCREE_WITH_YAML
  printf("left out: this build reads no scenes\n");
  return 0;
#endif
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scenes_are_what_they_were),
      cmocka_unit_test(a_large_bed_has_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

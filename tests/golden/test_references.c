/* Scenes without chaos beside trajectories that are stored: the states of all moving bodies at a
 * dozen moments, in reference/SCENE.csv. Closed forms (tests/physics) check a few numbers of these
 * runs, a reference all of them: a change of the scheme, of a law, of contacts or of the scene is
 * seen here even where no formula looks.
 *
 * After a change that is meant: run with GOLDEN_WRITE=1, judge the difference of the files, and
 * commit them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scree/scree.h"

typedef struct reference {
  const char *scene;
  int steps, every;
  double place; /* m, and the same for the four numbers of the rotation */
  double speed; /* m/s and rad/s */
} reference;

/* Tolerances are some times what the solver's tolerance leaves open, so that another choice of
 * kernels or another way to the same solution passes. */
static const reference table[] = {
    {"bouncing-ball", 5000, 250, 1e-9, 1e-8}, {"incline", 400, 40, 1e-7, 1e-6},
    {"rolling", 1000, 50, 1e-7, 1e-6},        {"launched-cube", 750, 50, 1e-7, 1e-6},
    {"stack", 400, 80, 2e-5, 5e-4},           {"mass-ratio", 200, 40, 1e-6, 1e-5},
};
enum { SCENES = sizeof table / sizeof table[0], COLUMNS = 13 };

static scree_context *context;

static void ok(scree_status status) {
  if (status) fail_msg("%s", scree_context_message(context));
}

static void path_of(const reference *r, char *path, size_t size) {
  snprintf(path, size, "%s/tests/golden/reference/%s.csv", SCREE_SOURCE_DIR, r->scene);
}

static void read_state(const scree_world *world, size_t i, double row[COLUMNS]) {
  scree_body_state s;
  ok(scree_body_get_state(world, scree_world_body_at(world, i), &s));
  for (int k = 0; k < 3; k++) {
    row[k] = s.position[k];
    row[7 + k] = s.velocity[k];
    row[10 + k] = s.angular[k];
  }
  /* A rotation and its negative are the same. */
  const double sign = s.rotation[0] < 0.0 ? -1.0 : 1.0;
  for (int k = 0; k < 4; k++) row[3 + k] = sign * s.rotation[k];
}

static bool moves(const scree_world *world, size_t i) {
  const scree_body_id id = scree_world_body_at(world, i);
  scree_body_info info;
  return id.generation && !scree_body_get_info(world, id, &info) && info.kind == SCREE_BODY_DYNAMIC;
}

static void write_rows(FILE *file, const scree_world *world, int step) {
  for (size_t i = 0; i < scree_world_body_limit(world); i++) {
    double row[COLUMNS];
    if (!moves(world, i)) continue;
    read_state(world, i, row);
    fprintf(file, "%d,%zu", step, i);
    for (int k = 0; k < COLUMNS; k++) fprintf(file, ",%.12g", row[k]);
    fprintf(file, "\n");
  }
}

static void compare_rows(const reference *r, FILE *file, const scree_world *world, int step) {
  for (size_t i = 0; i < scree_world_body_limit(world); i++) {
    double row[COLUMNS], was;
    int at;
    size_t body;
    if (!moves(world, i)) continue;
    read_state(world, i, row);
    if (fscanf(file, "%d,%zu", &at, &body) != 2 || at != step || body != i)
      fail_msg("%s: the reference has no body %zu at step %d", r->scene, i, step);
    for (int k = 0; k < COLUMNS; k++) {
      if (fscanf(file, ",%lf", &was) != 1) fail_msg("%s: a row is cut off", r->scene);
      if (!(fabs(row[k] - was) <= (k < 7 ? r->place : r->speed)))
        fail_msg("%s: step %d, body %zu, number %d: %.12g; it was %.12g", r->scene, step, i, k,
                 row[k], was);
    }
  }
}

static void play(const reference *r, bool write) {
  char path[600];
  scree_scene *scene;
  scree_sim *sim;
  snprintf(path, sizeof path, "%s/scenes/%s.yaml", SCREE_SOURCE_DIR, r->scene);
  ok(scree_scene_load(context, path, NULL, &scene));
  ok(scree_sim_create(scene, NULL, &sim));
  path_of(r, path, sizeof path);
  FILE *file = fopen(path, write ? "w" : "r");
  if (!file) fail_msg("%s: cannot be opened", path);
  if (write)
    fprintf(file, "step,body,x [m],y [m],z [m],qw,qx,qy,qz,vx [m/s],vy [m/s],vz [m/s],"
                  "wx [rad/s],wy [rad/s],wz [rad/s]\n");
  else
    assert_int_equal(fscanf(file, "%*[^\n]"), 0);
  for (int step = 1; step <= r->steps; step++) {
    ok(scree_sim_step(sim, NULL));
    if (step % r->every) continue;
    if (write)
      write_rows(file, scree_sim_world(sim), step);
    else
      compare_rows(r, file, scree_sim_world(sim), step);
  }
  fclose(file);
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
}

static void runs_follow_their_references(void **state) {
  (void)state;
  const bool write = getenv("GOLDEN_WRITE") != NULL;
  for (size_t k = 0; k < SCENES; k++) play(&table[k], write);
}

int main(void) {
#ifndef SCREE_WITH_YAML
  printf("left out: this build reads no scenes\n");
  return 0;
#endif
  const struct CMUnitTest tests[] = {cmocka_unit_test(runs_follow_their_references)};
  context = scree_context_create(NULL);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  scree_context_destroy(context);
  return failed;
}

/* Whole runs on ranks that are threads of this process: no MPI, so that sanitizers see all of it.
 * The transport is a board on which each rank puts what it has to say, between barriers. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/ranks.h"
#include "scree/scree.h"

enum { MOST = 4, VALUES = 16, BODIES = 64, JOINTS = 8 };

typedef struct board {
  pthread_barrier_t barrier;
  int count;
  double value[MOST][VALUES];
  const void *pointer[MOST];
  const int *peer[MOST];
  int peers[MOST];
  const double *const *out[MOST];
} board;

static void wait_for_all(rank_team *r) {
  board *b = r->user;
  pthread_barrier_wait(&b->barrier);
}

static void reduce(rank_team *r, double *sums, int sum_count, double *most, int most_count) {
  board *b = r->user;
  for (int k = 0; k < sum_count; k++) b->value[r->me][k] = sums[k];
  for (int k = 0; k < most_count; k++) b->value[r->me][sum_count + k] = most[k];
  wait_for_all(r);
  for (int k = 0; k < sum_count; k++) {
    sums[k] = 0.0;
    for (int i = 0; i < r->count; i++) sums[k] += b->value[i][k];
  }
  for (int k = 0; k < most_count; k++)
    for (int i = 0; i < r->count; i++) most[k] = fmax(most[k], b->value[i][sum_count + k]);
  wait_for_all(r);
}

static void gather(rank_team *r, const void *mine, void *all, const size_t *offset,
                   const size_t *size) {
  board *b = r->user;
  b->pointer[r->me] = mine;
  wait_for_all(r);
  for (int i = 0; i < r->count; i++)
    if (size[i]) memcpy((char *)all + offset[i], b->pointer[i], size[i]);
  wait_for_all(r);
}

static void broadcast(rank_team *r, int from, void *data, size_t size) {
  board *b = r->user;
  b->pointer[r->me] = data;
  wait_for_all(r);
  if (r->me != from) memcpy(data, b->pointer[from], size);
  wait_for_all(r);
}

static void exchange(rank_team *r, int peers, const int *peer, const double *const *out,
                     double *const *in, const size_t *doubles) {
  board *b = r->user;
  b->peers[r->me] = peers;
  b->peer[r->me] = peer;
  b->out[r->me] = out;
  wait_for_all(r);
  for (int k = 0; k < peers; k++) {
    int back = 0;
    while (b->peer[peer[k]][back] != r->me) back++;
    memcpy(in[k], b->out[peer[k]][back], doubles[k] * sizeof(double));
  }
  wait_for_all(r);
}

typedef struct worker {
  board *board;
  int rank;
  const char *scene;
  int steps;
  scree_status status;
  char message[256];
  uint64_t hash;
  size_t bodies;
  double position[BODIES][3];
  double force[JOINTS]; /* of joints, summed over the axes; NaN: broken */
} worker;

static void work(worker *w, scree_context *context) {
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  w->status = scree_scene_load_text(context, "test", w->scene, strlen(w->scene), NULL, &scene);
  if (!w->status) w->status = scree_sim_create(scene, NULL, &sim);
  for (int k = 0; k < w->steps && !w->status; k++) w->status = scree_sim_step(sim, NULL);
  if (!w->status) {
    scree_sim_summary summary;
    scree_sim_get_summary(sim, &summary);
    w->hash = summary.state_hash;
    w->bodies = summary.bodies;
    const scree_world *world = scree_sim_world(sim);
    for (size_t i = 0; i < w->bodies && i < BODIES; i++) {
      scree_body_state state;
      if (!scree_body_get_state(world, scree_world_body_at(world, i), &state))
        memcpy(w->position[i], state.position, sizeof w->position[i]);
    }
  }
  for (size_t i = 0; !w->status && i < scree_world_joint_limit(scree_sim_world(sim)); i++) {
    const scree_world *world = scree_sim_world(sim);
    scree_joint_state joint;
    if (i < JOINTS && !scree_joint_get_state(world, scree_world_joint_at(world, i), &joint))
      w->force[i] = joint.broken ? NAN : joint.force[0] + joint.force[1] + joint.force[2];
  }
  snprintf(w->message, sizeof w->message, "%s", scree_context_message(context));
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
}

static void *run(void *user) {
  worker *w = user;
  scree_context_def def = scree_context_def_default();
  def.threads = 1;
  scree_context *context = scree_context_create(&def);
  rank_team team = {.me = w->rank,
                    .count = w->board->count,
                    .user = w->board,
                    .reduce = reduce,
                    .gather = gather,
                    .broadcast = broadcast,
                    .exchange = exchange};
  context->ranks = &team;
  work(w, context);
  context->ranks = NULL;
  scree_context_destroy(context);
  return NULL;
}

static worker worker_of[MOST];

static void run_on(int ranks, const char *scene, int steps) {
  static board b;
  pthread_t thread[MOST];
  memset(&b, 0, sizeof b);
  b.count = ranks;
  pthread_barrier_init(&b.barrier, NULL, (unsigned)ranks);
  for (int r = 0; r < ranks; r++) {
    worker_of[r] = (worker){.board = &b, .rank = r, .scene = scene, .steps = steps};
    assert_int_equal(pthread_create(&thread[r], NULL, run, &worker_of[r]), 0);
  }
  for (int r = 0; r < ranks; r++) pthread_join(thread[r], NULL);
  pthread_barrier_destroy(&b.barrier);
}

#define SOLVER "solver: {name: ags, tolerance: 1e-9, iterations: 50000}\n"
#define FLOOR  "  - {name: floor, kind: fixed, shape: {half_space: {}}}\n"

static const char heap[] =
    "title: balls and boxes fall on a heap\nstep: 5 ms\nduration: 1\n" SOLVER
    "materials: {default: {friction: 0.4}}\nbodies:\n" FLOOR
    "  - {name: balls, shape: {sphere: {radius: 0.05}}, density: 1000,\n"
    "     lattice: {count: [3, 3, 3], pitch: [0.108, 0.108, 0.108], origin: [0, 0, 0.06],\n"
    "     jitter: [0.003, 0.003, 0.001], seed: 3}}\n"
    "  - {name: boxes, shape: {box: {size: [0.1, 0.08, 0.06]}}, density: 1500,\n"
    "     lattice: {count: [2, 2, 2], pitch: [0.15, 0.15, 0.12], origin: [0.02, 0.03, 0.4]}}\n";

/* Machines among grains: chains with a motor, dry friction and limits, a joint that breaks, a rope.
 */
#define MACHINES                                                                                   \
  "step: 5 ms\nduration: 1\nmaterials: {default: {friction: 0.4}}\nbodies:\n" FLOOR                \
  "  - {name: balls, shape: {sphere: {radius: 0.05}}, density: 1000,\n"                            \
  "     lattice: {count: [5, 4, 1], pitch: [0.12, 0.12, 0.1], origin: [0, 0, 0.05],\n"             \
  "     jitter: [0.004, 0.004, 0], seed: 5}}\n"                                                    \
  "  - {name: x, shape: {box: {size: [0.1, 0.06, 0.04]}}, density: 1500,\n"                        \
  "     lattice: {count: [4, 1, 1], pitch: [0.12, 0.1, 0.1], origin: [0.03, 0.05, 0.14]}}\n"       \
  "  - {name: y, shape: {box: {size: [0.1, 0.06, 0.04]}}, density: 1500,\n"                        \
  "     lattice: {count: [4, 1, 1], pitch: [0.12, 0.1, 0.1], origin: [0.03, 0.25, 0.16]}}\n"       \
  "  - {name: load, shape: {sphere: {radius: 0.06}}, density: 8000, position: [0.2, 0.15, 0.5]}\n" \
  "joints:\n"                                                                                      \
  "  - {name: a, kind: hinge, bodies: ['x[0]', 'x[1]'], anchor: [0.09, 0.05, 0.14],\n"             \
  "     axis: [0, 1, 0], motor: {kind: speed, value: 3, limit: 0.5}}\n"                            \
  "  - {name: b, kind: hinge, bodies: ['x[1]', 'x[2]'], anchor: [0.21, 0.05, 0.14],\n"             \
  "     axis: [0, 1, 0], limits: [-0.02, 0.02]}\n"                                                 \
  "  - {name: c, kind: ball, bodies: ['x[2]', 'x[3]'], anchor: [0.33, 0.05, 0.14], break_force: "  \
  "0.1}\n"                                                                                         \
  "  - {name: d, kind: ball, bodies: ['y[0]', 'y[1]'], anchor: [0.09, 0.25, 0.16]}\n"              \
  "  - {name: e, kind: hinge, bodies: ['y[1]', 'y[2]'], anchor: [0.21, 0.25, 0.16],\n"             \
  "     axis: [0, 1, 0], friction: 0.02}\n"                                                        \
  "  - {name: f, kind: ball, bodies: ['y[2]', 'y[3]'], anchor: [0.33, 0.25, 0.16], break_force: "  \
  "2}\n"                                                                                           \
  "  - {name: g, kind: rope, bodies: [world, load], anchor: [0.2, 0.15, 1],\n"                     \
  "     anchor_b: [0.2, 0.15, 0.5], length: 0.5}\n"

static const char machines[] = "title: machines among balls, by sweeps\n" SOLVER MACHINES;
static const char whole_machines[] =
    "title: the same, solved whole\nsolver: {tolerance: 1e-9, iterations: 50000}\n" MACHINES;

/* All ranks end alike, and where one rank does. */
static void agree(const char *scene, int steps, size_t bodies, double most) {
  static double one[BODIES][3];
  run_on(1, scene, steps);
  assert_string_equal(worker_of[0].message, "");
  assert_int_equal(worker_of[0].bodies, bodies);
  memcpy(one, worker_of[0].position, sizeof one);
  for (int ranks = 2; ranks <= MOST; ranks += 2) {
    run_on(ranks, scene, steps);
    for (int r = 0; r < ranks; r++) {
      assert_string_equal(worker_of[r].message, "");
      assert_int_equal(worker_of[r].status, SCREE_OK);
      assert_true(worker_of[r].hash == worker_of[0].hash);
    }
    for (int r = 1; r < ranks; r++)
      assert_memory_equal(worker_of[r].force, worker_of[0].force, sizeof worker_of[0].force);
    for (size_t i = 0; i < worker_of[0].bodies; i++)
      for (int k = 0; k < 3; k++) {
        const double apart = fabs(worker_of[0].position[i][k] - one[i][k]);
        if (apart > most) print_error("%d ranks, body %zu: %g m apart\n", ranks, i, apart);
        assert_true(apart <= most);
      }
  }
}

static void states_are_those_of_one(void **state) {
  (void)state;
  agree(heap, 40, 36, 1e-7);
}

static void machines_are_those_of_one(void **state) {
  (void)state;
  agree(machines, 24, 30, 1e-7);
  assert_true(fabs(worker_of[0].force[0]) > 0.01);
  assert_true(isnan(worker_of[0].force[2]));
}

static void machines_solved_whole_are_those_of_one(void **state) {
  (void)state;
  agree(whole_machines, 24, 30, 1e-7);
}

static void refuses_by_name(void **state) {
  (void)state;
  static const char bouncing[] =
      "title: t\nstep: 5 ms\nduration: 1\nmaterials: {default: {friction: 0.4, restitution: 0.5}}\n"
      "bodies:\n" FLOOR
      "  - {name: ball, shape: {sphere: {radius: 0.05}}, density: 1000, position: [0, 0, 1]}\n";
  run_on(2, bouncing, 1);
  for (int r = 0; r < 2; r++) {
    assert_int_equal(worker_of[r].status, SCREE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(worker_of[r].message, "restitution is not divided yet"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_are_those_of_one),
      cmocka_unit_test(machines_are_those_of_one),
      cmocka_unit_test(machines_solved_whole_are_those_of_one),
      cmocka_unit_test(refuses_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

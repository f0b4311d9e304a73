/* Every public function with each of its pointers null in turn, with ids of bodies, joints and
 * links that are gone or never were, and with all that it wants. None crashes or hangs; those that
 * return a status tell a null handle and a stale id. The calls are written from the headers by
 * write_calls.py, so a new function is in it by itself. Each function is called in a process of its
 * own. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "scree/scree.h"

static struct {
  scree_context *context;
  scree_world *world;
  scree_scene *scene;
  scree_sim *sim;
  scree_coupling *coupling;
  scree_stepper *stepper;
  scree_solver *solver;
  scree_ccp *ccp;
  scree_shape *shape;
  scree_recording *recording;
  scree_picture *picture;
  scree_render *render;
  scree_server *server; /* none: it is null anyway */
  scree_body_id gone_body, wild_body;
  scree_joint_id gone_joint, wild_joint;
  scree_link_id gone_link, wild_link;
} given;

static _Alignas(64) char room[1 << 16];
static void *slot[64];

/* What the child does now, for the parent to tell; and from which call on. */
static struct note {
  char what[64];
  int at, start;
  bool silent; /* a fault that was not reported */
} * note;

static bool begin(const char *what) {
  if (note->at++ < note->start) return false;
  memset(room, 0, sizeof room);
  memset(slot, 0, sizeof slot);
  snprintf(note->what, sizeof note->what, "%s", what);
  return true;
}

static void must_tell(scree_status status) {
  if (status != SCREE_OK) return;
  note->silent = true;
  _exit(1);
}

static void report(void *user, const char *text) {
  (void)user, (void)text;
}

static scree_status put(void *user, const void *bytes, size_t size) {
  (void)user, (void)bytes, (void)size;
  return SCREE_OK;
}

#include NULL_CALLS /* the file that write_calls.py wrote */

static const char scene_text[] =
    "step: 5 ms\nduration: 0.1 s\nrecording: {every: 10 ms, checkpoint: 1000 s}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {half_space: {}}}\n"
    "  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}\n"
    "  - {name: box, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [1, 0, 0.1]}\n"
    "joints: [{kind: ball, bodies: [world, box], anchor: [1, 0, 0.1]}]\n"
    "probes: [{name: p, kind: body, body: ball}]\n";

static void ok(scree_status status) {
  if (status) fail_msg("%s", scree_context_message(given.context));
}

/* A body, a joint and a link that come and go. */
static void make_stale(void) {
  scree_body_def body = scree_body_def_default();
  body.shape = given.shape;
  body.position[2] = 5.0;
  ok(scree_world_add_shape(given.world, given.shape));
  ok(scree_world_add_body(given.world, &body, &given.gone_body));
  scree_joint_def joint = scree_joint_def_default();
  joint.body_a = given.gone_body;
  joint.body_b = scree_world_body_at(given.world, 1);
  ok(scree_world_add_joint(given.world, &joint, &given.gone_joint));
  scree_link_def link = scree_link_def_default();
  link.body[0] = given.gone_body;
  link.body[1] = scree_world_body_at(given.world, 1);
  if (scree_world_add_link(given.world, &link, &given.gone_link) == SCREE_OK)
    ok(scree_world_remove_link(given.world, given.gone_link));
  else
    memset(&given.gone_link, 0x7F, sizeof given.gone_link);
  ok(scree_world_remove_joint(given.world, given.gone_joint));
  ok(scree_world_remove_body(given.world, given.gone_body));
  memset(&given.wild_body, 0xFF, sizeof given.wild_body);
  memset(&given.wild_joint, 0xFF, sizeof given.wild_joint);
  memset(&given.wild_link, 0xFF, sizeof given.wild_link);
}

static char path[64];

static void make_recording(scree_scene *scene) {
  scree_sim *sim = NULL;
  scree_sim_def def = scree_sim_def_default();
  def.out = path;
  def.replace = true;
  ok(scree_sim_create(scene, &def, &sim));
  for (int i = 0; i < 4; i++) ok(scree_sim_step(sim, NULL));
  ok(scree_sim_finish(sim));
  scree_sim_destroy(sim);
  ok(scree_recording_open(given.context, path, &given.recording));
  const scree_picture_def picture = scree_picture_def_default();
  (void)scree_picture_create(given.recording, path, &picture, &given.picture);
}

static void make_all(void) {
  scree_context_def d = scree_context_def_default();
  d.threads = 1; /* a child has no others */
  given.context = scree_context_create(&d);
  ok(scree_scene_load_text(given.context, "s", scene_text, strlen(scene_text), NULL, &given.scene));
  make_recording(given.scene);
  scree_scene_destroy(given.scene);
  given.scene = NULL;
  ok(scree_scene_load_text(given.context, "s", scene_text, strlen(scene_text), NULL, &given.scene));
  ok(scree_sim_create(given.scene, NULL, &given.sim));
  ok(scree_sim_step(given.sim, NULL));
  ok(scree_coupling_create(given.sim, &given.coupling));
  given.world = scree_sim_world(given.sim);
  given.stepper = scree_sim_stepper(given.sim);
  ok(scree_solver_create(given.context, "gs", &given.solver));
  ok(scree_ccp_create_bodies(given.context, &given.ccp));
  ok(scree_ccp_add_body(given.ccp, &(scree_ccp_body_def){.inverse_mass = 1.0}, NULL));
  ok(scree_shape_create_sphere(given.context, 0.1, &given.shape));
  ok(scree_render_create(given.context, &given.render));
  make_stale();
  ok(scree_sim_step(given.sim, NULL));
}

/* From a call of function k on, in a child; false: one of them was bad, the one at note->at - 1. */
static bool call_from(size_t k, int start) {
  *note = (struct note){.start = start};
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
    setrlimit(RLIMIT_CPU, &(struct rlimit){20, 20}); /* s; ctest ends what only waits */
    calls[k].call();
    _exit(0);
  }
  int end = 0;
  waitpid(child, &end, 0);
  if (WIFEXITED(end) && WEXITSTATUS(end) == 0) return true;
  print_error("%s, %s: %s\n", calls[k].name, note->what,
              note->silent       ? "is not reported"
              : WIFSIGNALED(end) ? strsignal(WTERMSIG(end))
                                 : "ends the process");
  return false;
}

static void null_and_stale(void **state) {
  (void)state;
  int bad = 0;
  make_all();
  for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
    for (int start = 0; !call_from(k, start); start = note->at) bad++;
  scree_picture_destroy(given.picture);
  scree_render_destroy(given.render);
  scree_recording_close(given.recording);
  scree_coupling_destroy(given.coupling);
  scree_sim_destroy(given.sim);
  scree_scene_destroy(given.scene);
  scree_solver_destroy(given.solver);
  scree_ccp_destroy(given.ccp);
  scree_shape_destroy(given.shape);
  scree_context_destroy(given.context);
  print_message("%zu functions\n", sizeof calls / sizeof *calls);
  assert_int_equal(bad, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(null_and_stale)};
  char directory[] = "/tmp/scree_null_XXXXXX";
  if (!mkdtemp(directory) || chdir(directory)) return 1;
  snprintf(path, sizeof path, "r.h5");
  note = mmap(NULL, sizeof *note, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (note == MAP_FAILED) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", directory);
  if (chdir("/") || system(command)) return 1;
  return failed;
}

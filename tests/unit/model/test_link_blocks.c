/* Blocks that a user's function gives of its link are compared with differences of its load: what
 * is right is silent, what is wrong is told, by link and entry. */
#include <stdio.h>

#include "model/link/link.h"
#include "tests/physics/physics.h"

typedef struct spring {
  double stiffness, damping, told; /* told: what it says of its stiffness */
} spring;

/* Between two bodies, along x. */
static bool pull(void *user, double time, const scree_link_body *b, double *load, double *k,
                 double *r) {
  const spring *s = user;
  (void)time;
  load[0] = s->stiffness * (b[1].center[0] - b[0].center[0] - 1.0) +
            s->damping * (b[1].velocity[0] - b[0].velocity[0]);
  load[6] = -load[0];
  if (!k) return true;
  k[0] = k[6 * 12 + 6] = s->told;
  k[6] = k[6 * 12] = -s->told;
  r[0] = r[6 * 12 + 6] = s->damping;
  r[6] = r[6 * 12] = -s->damping;
  return true;
}

typedef struct heard {
  int count;
  char last[256];
} heard;

static void listen(void *user, scree_log_level level, const char *message) {
  heard *h = user;
  if (level < SCREE_LOG_WARNING) return;
  h->count++;
  snprintf(h->last, sizeof h->last, "%s", message);
}

static void run(double told, heard *h) {
  spring s = {40.0, 0.5, told};
  scree_context_def c = scree_context_def_default();
  scree_stepper_def d = scree_stepper_def_default();
  c.log = listen;
  c.log_user = h;
  lab l = {.context = scree_context_create(&c)};
  ok(&l, scree_world_create(l.context, NULL, &l.world));
  scree_link_def link = scree_link_def_default();
  link.kind = SCREE_LINK_USER;
  link.body_count = 2;
  link.function = pull;
  link.user = &s;
  for (int k = 0; k < 2; k++) {
    scree_body_def b = scree_body_def_default();
    b.position[0] = 1.2 * k;
    b.mass = 1.0;
    b.inertia[0] = b.inertia[3] = b.inertia[5] = 0.1;
    ok(&l, scree_world_add_body(l.world, &b, &link.body[k]));
  }
  ok(&l, scree_world_add_link(l.world, &link, NULL));
  d.stepper = "hht";
  ok(&l, scree_stepper_create(l.world, &d, &l.stepper));
  for (int k = 0; k < 40; k++) ok(&l, scree_stepper_step(l.stepper, 1e-3, NULL));
  scree_stepper_destroy(l.stepper);
  scree_world_destroy(l.world);
  scree_context_destroy(l.context);
}

static void test_told(void **state) {
  (void)state;
  heard right = {0}, wrong = {0};
  run(40.0, &right);
  assert_int_equal(right.count, 0);
  run(20.0, &wrong);
  assert_true(wrong.count > 1 && wrong.count < 10); /* again, but not at each evaluation */
  assert_non_null(strstr(wrong.last, "link 0: its function gives k["));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Contact laws that a function of the user's decides on, against the library's own and closed
 * forms. */
#include "physics.h"

typedef struct spring_law {
  double stiffness;
  size_t calls, contacts;
} spring_law;

static scree_status push_back(void *user, const scree_world *world, double h, size_t count,
                              scree_law_contact *c) {
  (void)world;
  (void)h;
  spring_law *law = user;
  law->calls++;
  law->contacts += count;
  for (size_t i = 0; i < count; i++) {
    c[i].push = -law->stiffness * c[i].gap;
    c[i].stiffness = law->stiffness;
  }
  return SCREE_OK;
}

/* The law `compliant` and the same one as a function: the same drop, sliding and rolling of a ball,
 * to rounding. */
static void a_spring_is_the_library_s_own(void **state) {
  (void)state;
  scree_body_state end[2];
  spring_law law = {.stiffness = 2e4};
  for (int k = 0; k < 2; k++) {
    lab l = lab_open(0.2, 0.0);
    l.law.law = k ? SCREE_LAW_USER : SCREE_LAW_COMPLIANT;
    if (!k) l.law.compliance = 0.5 / law.stiffness; /* two surfaces in series */
    lab_add_floor(&l);
    const scree_body_id ball = lab_add_ball(&l, 0.1, 0.2, 0.5);
    if (k) scree_world_set_law_function(l.world, push_back, NULL, &law);
    lab_run(&l, 1e-3, 0.6);
    end[k] = lab_state(&l, ball);
    lab_close(&l);
  }
  assert_true(law.calls > 100 && law.contacts >= law.calls);
  for (int i = 0; i < 3; i++) {
    assert_near(end[1].position[i], end[0].position[i], 1e-9);
    assert_near(end[1].velocity[i], end[0].velocity[i], 1e-7);
    assert_near(end[1].angular[i], end[0].angular[i], 1e-6);
  }
}

/* ---- a law with a memory -------------------------------------------------------------------- */

/* Rate and state friction with ageing: mu = m0 + a ln(v/v0) + b ln(v0 s/d), ds/dt = 1 - s v/d. At a
 * steady speed s = d/v, mu = m0 + (a - b) ln(v/v0). */
static const double m0 = 0.6, rate_a = 0.01, rate_b = 0.02, v0 = 1e-3, way = 2e-3;

static double slide_of(const scree_law_contact *c) {
  return sqrt(c->slide[0] * c->slide[0] + c->slide[1] * c->slide[1] + c->slide[2] * c->slide[2]);
}

static scree_status rate_state(void *user, const scree_world *world, double h, size_t count,
                               scree_law_contact *c) {
  (void)user;
  (void)world;
  (void)h;
  for (size_t i = 0; i < count; i++) {
    if (c[i].state[0] == 0.0) c[i].state[0] = way / v0;
    const double v = fmax(slide_of(&c[i]), 1e-6);
    c[i].friction = m0 + rate_a * log(v / v0) + rate_b * log(v0 * c[i].state[0] / way);
  }
  return SCREE_OK;
}

/* Exact over a step of constant speed. */
static scree_status age(void *user, const scree_world *world, double h, size_t count,
                        scree_law_contact *c) {
  (void)world;
  for (size_t i = 0; i < count; i++) {
    const double v = fmax(slide_of(&c[i]), 1e-6);
    c[i].state[0] = way / v + (c[i].state[0] - way / v) * exp(-v * h / way);
  }
  *(double *)user = c[0].state[0];
  return SCREE_OK;
}

static scree_body_id add_dragged_box(lab *l, double speed) {
  const scree_body_id box = lab_add_box(l, 0.2, 0.2, 0.1, 0.05);
  scree_joint_def j = scree_joint_def_default();
  scree_joint_id id;
  j.kind = SCREE_JOINT_SLIDER;
  j.body_b = box;
  j.axis[0] = 1.0;
  j.axis[2] = 0.0;
  j.anchor[2] = 0.05;
  j.coordinate[0].motor = SCREE_MOTOR_SPEED;
  j.coordinate[0].motor_value = speed;
  j.compliance = 1.0; /* the floor bears the weight */
  ok(l, scree_world_add_joint(l->world, &j, &id));
  return box;
}

static void friction_remembers(void **state) {
  (void)state;
  const double speed = 0.02;
  double kept = 0.0, first = 0.0, force[3], torque[3];
  lab l = lab_open(0.0, 0.0);
  l.law.law = SCREE_LAW_USER;
  l.law.friction = 0.0;
  const scree_body_id floor = lab_add_floor(&l);
  add_dragged_box(&l, speed);
  scree_world_set_law_function(l.world, rate_state, age, &kept);
  l.def.solver = "auto";
  l.def.tolerance_residual = 1e-7;
  lab_run(&l, 1e-3, 0.02);
  first = kept;
  const size_t size = scree_stepper_save_size(l.stepper);
  void *blob = malloc(size);
  ok(&l, scree_stepper_save(l.stepper, blob, size));
  lab_run(&l, 1e-3, 1.0);
  ok(&l, scree_stepper_get_contact_force(l.stepper, floor, force, torque));
  assert_near(first, way / speed + (way / v0 - way / speed) * exp(-speed * 0.02 / way),
              0.05 * first);
  assert_near(kept, way / speed, 1e-3 * way / speed);
  assert_near(force[0] / -force[2], m0 + (rate_a - rate_b) * log(speed / v0), 2e-3);
  /* The memory is in the checkpoint: from there on the same bits. */
  const uint64_t hash = scree_world_hash(l.world);
  ok(&l, scree_stepper_restore(l.stepper, blob, size));
  lab_run(&l, 1e-3, 1.0);
  assert_true(scree_world_hash(l.world) == hash);
  free(blob);
  lab_close(&l);
}

/* A block of 64 balls: the same bits for any number of threads. */
static void threads_do_not_matter(void **state) {
  (void)state;
  uint64_t hash[3];
  for (int k = 0; k < 3; k++) {
    spring_law law = {.stiffness = 1e6};
    lab l = lab_open(0.1, 0.5);
    scree_context_set_threads(l.context, 1 << k);
    l.law.law = SCREE_LAW_USER;
    lab_add_floor(&l);
    for (int i = 0; i < 64; i++) {
      const scree_body_id ball = lab_add_ball(&l, 0.05, 0.05 + 0.1 * (i / 16), -0.01 * (i % 4));
      scree_body_state b = lab_state(&l, ball);
      b.position[0] = 0.1 * (i % 4);
      b.position[1] = 0.1 * (i / 4 % 4);
      ok(&l, scree_body_set_state(l.world, ball, &b));
    }
    scree_world_set_law_function(l.world, push_back, NULL, &law);
    l.def.solver = "auto";
    l.def.tolerance_residual = 1e-6;
    const scree_step_info info = lab_run(&l, 2e-3, 0.06);
    assert_true(info.contacts >= 60 && law.contacts >= 60 * law.calls);
    hash[k] = scree_world_hash(l.world);
    lab_close(&l);
  }
  assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

/* ---- a pull --------------------------------------------------------------------------------- */

static scree_status hold(void *user, const scree_world *world, double h, size_t count,
                         scree_law_contact *c) {
  (void)world;
  (void)h;
  for (size_t i = 0; i < count; i++) c[i].pull = *(double *)user;
  return SCREE_OK;
}

/* A ball of weight W under a ceiling: held by a pull above W, and falls with the rest below it. */
static void a_pull_bears_a_weight(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    lab l = lab_open(pi, 0.0);
    l.law.law = SCREE_LAW_USER;
    l.law.cohesion_range = 0.5;
    lab_add_floor(&l);
    const scree_body_id ball = lab_add_ball(&l, 0.1, 0.1, 0.0);
    scree_body_info info;
    ok(&l, scree_body_get_info(l.world, ball, &info));
    double pull = (k ? 0.75 : 1.25) * info.mass * earth;
    scree_world_set_law_function(l.world, hold, NULL, &pull);
    lab_run(&l, 1e-3, 0.2);
    /* Upwards is down here. */
    const double fallen = lab_state(&l, ball).position[2] - 0.1;
    assert_near(fallen, k ? 0.5 * 0.25 * earth * 0.04 : 0.0, k ? 2e-3 : 1e-6);
    lab_close(&l);
  }
}

/* ---- what is wrong -------------------------------------------------------------------------- */

static scree_status wrong(void *user, const scree_world *world, double h, size_t count,
                          scree_law_contact *c) {
  (void)world;
  (void)h;
  (void)count;
  switch (*(int *)user) {
  case 0:
    c[0].friction = -1.0;
    return SCREE_OK;
  case 1:
    c[0].push = 1.0;
    return SCREE_OK;
  case 2:
    c[0].state[3] = NAN;
    return SCREE_OK;
  case 3:
    c[0].stiffness = INFINITY;
    return SCREE_OK;
  default:
    return SCREE_ERROR_UNSUPPORTED;
  }
}

static scree_status refuse(void *user, const scree_world *world, double h, size_t count,
                           scree_law_contact *c) {
  (void)user;
  (void)world;
  (void)h;
  (void)count;
  (void)c;
  return SCREE_ERROR_NUMERIC;
}

static void what_is_wrong_is_told(void **state) {
  (void)state;
  static const char *const words[] = {"friction is -1", "push is 1", "state is", "stiffness is inf",
                                      "the law function failed"};
  lab l = lab_open(0.0, 0.0);
  l.law.law = SCREE_LAW_USER;
  lab_add_floor(&l);
  lab_add_ball(&l, 0.1, 0.1, 0.3);
  int which = 0;
  scree_step_info info;
  double pull = 0.0;
  scree_world_set_law_function(l.world, hold, NULL, &pull);
  lab_run(&l, 1e-3, 0.01);
  const uint64_t hash = scree_world_hash(l.world);
  for (which = 0; which < 5; which++) {
    scree_world_set_law_function(l.world, wrong, NULL, &which);
    assert_int_equal(scree_stepper_step(l.stepper, 1e-3, &info),
                     which < 4 ? SCREE_ERROR_INPUT : SCREE_ERROR_UNSUPPORTED);
    if (!strstr(scree_context_message(l.context), words[which]))
      fail_msg("%d: %s", which, scree_context_message(l.context));
    assert_true(scree_world_hash(l.world) == hash);
  }
  /* At the end of the step, which then has not been. */
  scree_world_set_law_function(l.world, hold, refuse, &pull);
  assert_int_equal(scree_stepper_step(l.stepper, 1e-3, &info), SCREE_ERROR_NUMERIC);
  assert_true(scree_world_hash(l.world) == hash);
  scree_world_set_law_function(l.world, NULL, wrong, NULL);
  assert_int_equal(scree_stepper_step(l.stepper, 1e-3, &info), SCREE_ERROR_INPUT);
  assert_non_null(strstr(scree_context_message(l.context), "scree_world_set_law_function"));
  assert_true(scree_world_hash(l.world) == hash);
  scree_world_set_law_function(l.world, hold, NULL, &pull);
  ok(&l, scree_stepper_step(l.stepper, 1e-3, &info));
  lab_close(&l);
}

/* A law with keys of others is refused. */
static void keys_of_other_laws_are_refused(void **state) {
  (void)state;
  lab l = lab_open(0.0, 0.0);
  l.law.law = SCREE_LAW_USER;
  l.law.compliance = 1e-4;
  assert_int_equal(scree_world_set_material(l.world, (scree_material_id){0}, &l.law),
                   SCREE_ERROR_INPUT);
  lab_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spring_is_the_library_s_own),
      cmocka_unit_test(friction_remembers),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(a_pull_bears_a_weight),
      cmocka_unit_test(what_is_wrong_is_told),
      cmocka_unit_test(keys_of_other_laws_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

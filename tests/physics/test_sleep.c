/* Sleep: what rests stays where it is and costs nothing, its forces are still there, and it wakes
 * with all that would have moved it. */
#include "tests/physics/physics.h"

static const double side = 0.2, h = 0.005;
enum { BOXES = 4 };

typedef struct pile {
  lab l;
  scree_body_id floor, box[BOXES];
} pile;

static scree_body_id add_box(lab *l, scree_body_kind kind, double x, double z) {
  const double half[3] = {0.5 * side, 0.5 * side, 0.5 * side};
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  d.kind = kind;
  d.position[0] = x;
  d.position[2] = z;
  ok(l, scree_shape_create_box(l->context, half, &s));
  return lab_add(l, d, s);
}

/* A tower of boxes on a plane that has slept for a second; `box`: length of a periodic box, or 0.
 */
static pile make_pile(double after, double box) {
  pile p = {.l = lab_open(0.0, 0.0)};
  scree_world_def w = scree_world_def_default();
  w.gravity[2] = -earth;
  w.periodic.size[0] = box;
  scree_world_destroy(p.l.world);
  ok(&p.l, scree_world_create(p.l.context, &w, &p.l.world));
  p.l.law.friction = 0.5;
  p.l.def.solver = NULL;
  p.l.def.tolerance_residual = 1e-8;
  p.l.def.sleep_after = after;
  p.floor = lab_add_floor(&p.l);
  for (int k = 0; k < BOXES; k++)
    p.box[k] = add_box(&p.l, SCREE_BODY_DYNAMIC, 0.0, side * ((double)k + 0.5));
  return p;
}

static pile make_sleeping_pile(void) {
  pile p = make_pile(0.2, 0.0);
  lab_run(&p.l, h, 1.2);
  assert_int_equal(scree_world_asleep_count(p.l.world), BOXES);
  return p;
}

static void asleep_nothing_moves_and_forces_stay(void **state) {
  (void)state;
  pile p = make_sleeping_pile();
  const scree_body_state before = lab_state(&p.l, p.box[BOXES - 1]);
  scree_body_info info;
  double force[3], torque[3];
  lab_run(&p.l, h, 100.0);
  const scree_body_state after = lab_state(&p.l, p.box[BOXES - 1]);
  assert_memory_equal(&before, &after, sizeof before);
  ok(&p.l, scree_body_get_info(p.l.world, p.box[0], &info));
  ok(&p.l, scree_stepper_get_contact_force(p.l.stepper, p.floor, force, torque));
  assert_near(force[2], -BOXES * info.mass * earth, 1e-4 * info.mass * earth);
  assert_true(scree_stepper_get_contacts(p.l.stepper, 0, NULL) == 4 * BOXES);
  lab_close(&p.l);
}

/* A ball hits the topmost box: it moves as a tower that never slept. */
static void a_hit_wakes_at_once(void **state) {
  (void)state;
  scree_body_state end[2][BOXES + 1];
  for (int sleeps = 0; sleeps < 2; sleeps++) {
    pile p = make_pile(sleeps ? 0.2 : 0.0, 0.0);
    scree_shape *s;
    scree_body_def d = scree_body_def_default();
    d.position[0] = -10.0 * 1.25 - 0.16;
    d.position[2] = (BOXES - 0.5) * side + 0.5 * earth * 1.25 * 1.25;
    d.velocity[0] = 10.0;
    ok(&p.l, scree_shape_create_sphere(p.l.context, 0.06, &s));
    const scree_body_id ball = lab_add(&p.l, d, s);
    lab_run(&p.l, h, 1.2);
    assert_int_equal(scree_world_asleep_count(p.l.world), sleeps ? BOXES : 0);
    lab_run(&p.l, h, 0.15);
    assert_int_equal(scree_world_asleep_count(p.l.world), 0);
    lab_run(&p.l, h, 0.35);
    for (int k = 0; k < BOXES; k++) end[sleeps][k] = lab_state(&p.l, p.box[k]);
    end[sleeps][BOXES] = lab_state(&p.l, ball);
    lab_close(&p.l);
  }
  /* The hit moves the tower, and much more than the two runs differ. */
  assert_true(fabs(end[0][BOXES - 1].position[0]) > 1e-3);
  for (int k = 0; k <= BOXES; k++)
    for (int x = 0; x < 3; x++) assert_near(end[1][k].position[x], end[0][k].position[x], 1e-5);
}

static void who_is_changed_wakes(void **state) {
  (void)state;
  const double push[3] = {400.0, 0, 0}, none[3] = {0, 0, 0}, tilted[3] = {6.0, 0, -earth};
  for (int what = 0; what < 5; what++) {
    pile p = make_sleeping_pile();
    const double at = lab_state(&p.l, p.box[1]).position[0];
    scree_body_state moved = lab_state(&p.l, p.box[0]);
    if (what == 0) ok(&p.l, scree_body_set_force(p.l.world, p.box[2], none, none));
    if (what == 0) assert_int_equal(scree_world_asleep_count(p.l.world), BOXES);
    if (what == 0) ok(&p.l, scree_body_set_force(p.l.world, p.box[1], push, none));
    if (what == 1) ok(&p.l, scree_world_set_gravity(p.l.world, tilted));
    if (what == 2) ok(&p.l, scree_world_remove_body(p.l.world, p.box[0]));
    if (what == 3) ok(&p.l, scree_world_remove_body(p.l.world, p.floor));
    moved.velocity[0] = 3.0;
    if (what == 4) ok(&p.l, scree_body_set_state(p.l.world, p.box[0], &moved));
    assert_int_equal(scree_world_asleep_count(p.l.world), 0);
    assert_false(scree_body_is_asleep(p.l.world, p.box[1]));
    lab_run(&p.l, h, 0.4);
    const scree_body_state s = lab_state(&p.l, p.box[1]);
    assert_true(fabs(s.position[0] - at) > 1e-3 || s.position[2] < 1.4 * side);
    lab_close(&p.l);
  }
}

/* A driven box comes along and pushes the tower's foot; before, it only moves far away. In a
 * periodic box it comes from the other end. */
static void a_driven_body_wakes_what_it_reaches(void **state) {
  (void)state;
  for (double box = 0.0; box < 3.0; box += 2.4) {
    pile p = make_pile(0.2, box);
    const scree_body_id pusher = add_box(&p.l, SCREE_BODY_PRESCRIBED, box - 1.0, 0.5 * side);
    scree_motion_def def = scree_motion_def_default();
    const double times[3] = {0.0, 1.0, 3.0}, way[9] = {0, 0, 0, 0, 0, 0, 1.0, 0, 0};
    scree_motion_id motion;
    def.kind = SCREE_MOTION_TABLE;
    def.count = 3;
    def.times = times;
    def.displacements = way;
    ok(&p.l, scree_world_add_motion(p.l.world, &def, &motion));
    ok(&p.l, scree_body_set_motion(p.l.world, pusher, motion));
    lab_run(&p.l, h, 1.5);
    assert_int_equal(scree_world_asleep_count(p.l.world), BOXES);
    lab_run(&p.l, h, 1.5);
    assert_near(lab_state(&p.l, p.box[0]).position[0] + box,
                lab_state(&p.l, pusher).position[0] + side, 1e-3);
    lab_close(&p.l);
  }
}

/* Two boxes on a third one, all across the end of a periodic box: what they feel asleep is what
 * they felt awake, with the moment that the loads of the upper two make on it. */
static void forces_stay_across_a_periodic_box(void **state) {
  (void)state;
  double force[2][2][3], torque[2][2][3];
  for (int sleeps = 0; sleeps < 2; sleeps++) {
    pile p = make_pile(sleeps ? 0.2 : 0.0, 2.0);
    const scree_body_id low = add_box(&p.l, SCREE_BODY_DYNAMIC, 0.98, 0.5 * side);
    const scree_body_id high = add_box(&p.l, SCREE_BODY_DYNAMIC, -0.97, 1.5 * side);
    lab_run(&p.l, h, 1.0);
    assert_int_equal(scree_world_asleep_count(p.l.world), sleeps ? BOXES + 2 : 0);
    ok(&p.l,
       scree_stepper_get_contact_force(p.l.stepper, low, force[sleeps][0], torque[sleeps][0]));
    ok(&p.l,
       scree_stepper_get_contact_force(p.l.stepper, high, force[sleeps][1], torque[sleeps][1]));
    lab_close(&p.l);
  }
  for (int k = 0; k < 2; k++)
    for (int x = 0; x < 3; x++) {
      assert_near(force[1][k][x], force[0][k][x], 1e-2);
      assert_near(torque[1][k][x], torque[0][k][x], 1e-2);
    }
}

/* Who slides does not sleep, though slowly; one island may sleep beside another. */
static void islands_sleep_apart(void **state) {
  (void)state;
  pile p = make_pile(0.2, 0.0);
  const scree_body_id alone = add_box(&p.l, SCREE_BODY_DYNAMIC, 1.0, 0.5 * side);
  scree_body_info info;
  lab_run(&p.l, h, 0.05);
  ok(&p.l, scree_body_get_info(p.l.world, alone, &info));
  const double push[3] = {0.6 * info.mass * earth, 0, 0}, none[3] = {0, 0, 0};
  ok(&p.l, scree_body_set_force(p.l.world, alone, push, none));
  lab_run(&p.l, h, 1.0);
  assert_int_equal(scree_world_asleep_count(p.l.world), BOXES);
  assert_true(lab_state(&p.l, alone).position[0] > 1.3);
  scree_world_wake(p.l.world);
  assert_int_equal(scree_world_asleep_count(p.l.world), 0);
  lab_close(&p.l);
}

/* The body that was added first comes to rest last: all of them sleep then. */
static void islands_wait_for_the_last(void **state) {
  (void)state;
  pile p = make_pile(0.2, 0.0);
  const scree_body_id far = add_box(&p.l, SCREE_BODY_DYNAMIC, 1.0, 0.5 * side);
  scree_body_state s = lab_state(&p.l, p.box[0]);
  s.position[2] = 6.0 * side;
  ok(&p.l, scree_body_set_state(p.l.world, p.box[0], &s));
  for (int k = 1; k < BOXES; k++) {
    s = lab_state(&p.l, p.box[k]);
    s.position[2] -= side;
    ok(&p.l, scree_body_set_state(p.l.world, p.box[k], &s));
  }
  lab_run(&p.l, h, 0.3);
  assert_int_equal(scree_world_asleep_count(p.l.world), BOXES);
  assert_true(scree_body_is_asleep(p.l.world, far));
  lab_run(&p.l, h, 2.0);
  assert_int_equal(scree_world_asleep_count(p.l.world), BOXES + 1);
  lab_close(&p.l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(asleep_nothing_moves_and_forces_stay),
      cmocka_unit_test(a_hit_wakes_at_once),
      cmocka_unit_test(who_is_changed_wakes),
      cmocka_unit_test(a_driven_body_wakes_what_it_reaches),
      cmocka_unit_test(forces_stay_across_a_periodic_box),
      cmocka_unit_test(islands_sleep_apart),
      cmocka_unit_test(islands_wait_for_the_last),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Sleep one by one (sleep_load): what moves on a pile leaves those asleep that it changes nothing
 * for, and wakes the others as if none had ever slept. */
#include "tests/physics/physics.h"

static const double side = 0.2, h = 0.005, part = 0.1;
enum { BOXES = 4 };

typedef struct pile {
  lab l;
  scree_body_id floor, box[BOXES], ball;
} pile;

static scree_body_id add_box(lab *l, double x, double z) {
  const double half[3] = {0.5 * side, 0.5 * side, 0.5 * side};
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  d.position[0] = x;
  d.position[2] = z;
  ok(l, scree_shape_create_box(l->context, half, &s));
  return lab_add(l, d, s);
}

/* A tower of boxes on a plane. */
static pile make_pile(bool sleeps, double restitution) {
  pile p = {.l = lab_open(0.0, 0.0)};
  p.l.law.friction = 0.5;
  p.l.law.restitution = restitution;
  p.l.def.solver = NULL;
  p.l.def.tolerance_residual = 1e-8;
  p.l.def.sleep_after = sleeps ? 0.2 : 0.0;
  p.l.def.sleep_load = part;
  p.floor = lab_add_floor(&p.l);
  for (int k = 0; k < BOXES; k++) p.box[k] = add_box(&p.l, 0.0, side * ((double)k + 0.5));
  return p;
}

static void add_ball(pile *p, const double place[3], const double velocity[3], double spin) {
  scree_shape *s;
  scree_body_def d = scree_body_def_default();
  for (int x = 0; x < 3; x++) d.position[x] = place[x];
  for (int x = 0; x < 3; x++) d.velocity[x] = velocity[x];
  d.angular[2] = spin;
  ok(&p->l, scree_shape_create_sphere(p->l.context, 0.06, &s));
  p->ball = lab_add(&p->l, d, s);
}

/* A ball spins on top for ever: as a whole the tower would never sleep. */
static void others_may_move(void **state) {
  (void)state;
  const double top[3] = {0, 0, BOXES * side + 0.06}, none[3] = {0, 0, 0};
  for (int singly = SANITIZED; singly < 2; singly++) {
    pile p = make_pile(true, 0.0);
    if (!singly) p.l.def.sleep_load = 0.0;
    add_ball(&p, top, none, 5.0);
    lab_run(&p.l, h, 1.0);
    assert_int_equal(scree_world_asleep_count(p.l.world), singly ? BOXES : 0);
    const scree_body_state before = lab_state(&p.l, p.box[0]);
    scree_body_info box, ball;
    double force[3], torque[3];
    lab_run(&p.l, h, 5.0);
    const scree_body_state after = lab_state(&p.l, p.box[0]);
    if (singly) assert_memory_equal(&before, &after, sizeof before);
    assert_near(lab_state(&p.l, p.ball).angular[2], 5.0, 1e-6);
    ok(&p.l, scree_body_get_info(p.l.world, p.box[0], &box));
    ok(&p.l, scree_body_get_info(p.l.world, p.ball, &ball));
    ok(&p.l, scree_stepper_get_contact_force(p.l.stepper, p.floor, force, torque));
    assert_near(force[2], -(BOXES * box.mass + ball.mass) * earth, 1e-3 * box.mass * earth);
    lab_close(&p.l);
  }
}

/* A ball hits the topmost box, with and without a bounce, of islands and of single bodies: all move
 * as if none had slept. */
static void a_hit_wakes_at_once(void **state) {
  (void)state;
  for (int k = SANITIZED ? 3 : 0; k < 4; k++) {
    const bool bounces = k & 1, singly = k & 2;
    scree_body_state end[2][BOXES + 1];
    for (int sleeps = 0; sleeps < 2; sleeps++) {
      pile p = make_pile(sleeps, bounces ? 0.8 : 0.0);
      p.l.def.sleep_load = singly ? 0.01 : 0.0;
      const double place[3] = {-10.0 * 1.25 - 0.16, 0,
                               (BOXES - 0.5) * side + 0.5 * earth * 1.25 * 1.25},
                   velocity[3] = {10.0, 0, 0};
      add_ball(&p, place, velocity, 0.0);
      lab_run(&p.l, h, 1.2);
      assert_int_equal(scree_world_asleep_count(p.l.world), sleeps ? BOXES : 0);
      lab_run(&p.l, h, 0.15);
      assert_false(scree_body_is_asleep(p.l.world, p.box[BOXES - 1]));
      lab_run(&p.l, h, 0.35);
      for (int m = 0; m < BOXES; m++) end[sleeps][m] = lab_state(&p.l, p.box[m]);
      end[sleeps][BOXES] = lab_state(&p.l, p.ball);
      lab_close(&p.l);
    }
    assert_true(fabs(end[0][BOXES - 1].position[0]) > 1e-3);
    /* The topmost box tumbles down after a bounce, and small differences with it. */
    for (int m = 0; m <= BOXES; m++)
      for (int x = 0; x < 3; x++)
        assert_near(end[1][m].position[x], end[0][m].position[x],
                    m == BOXES ? 1e-7
                    : bounces  ? 8e-3
                               : 2e-5);
  }
}

/* What stood on a body that is taken away falls, though that one slept and nobody is awake. */
static void who_loses_its_support_wakes(void **state) {
  (void)state;
  pile p = make_pile(true, 0.0);
  lab_run(&p.l, h, 1.0);
  assert_int_equal(scree_world_asleep_count(p.l.world), BOXES);
  ok(&p.l, scree_world_remove_body(p.l.world, p.box[1]));
  lab_run(&p.l, h, 1.0);
  assert_near(lab_state(&p.l, p.box[0]).position[2], 0.5 * side, 1e-4);
  assert_near(lab_state(&p.l, p.box[2]).position[2], 1.5 * side, 1e-3);
  assert_near(lab_state(&p.l, p.box[3]).position[2], 2.5 * side, 2e-3);
  lab_close(&p.l);
}

/* A push on one: below its part of the weight the others need not know, above they do. */
static void loads_go_on_through_a_pile(void **state) {
  (void)state;
  for (int much = 0; much < 2; much++) {
    pile p = make_pile(true, 0.0);
    scree_body_info info;
    lab_run(&p.l, h, 1.0);
    ok(&p.l, scree_body_get_info(p.l.world, p.box[3], &info));
    const double weight = info.mass * earth, none[3] = {0, 0, 0};
    const double push[3] = {0, 0, -(much ? 3.0 : 0.03) * weight};
    ok(&p.l, scree_body_set_force(p.l.world, p.box[3], push, none));
    lab_run(&p.l, h, 0.05);
    for (int k = 0; k < BOXES; k++)
      assert_int_equal(scree_body_is_asleep(p.l.world, p.box[k]), k < 3 && !much);
    double force[3], torque[3];
    ok(&p.l, scree_stepper_get_contact_force(p.l.stepper, p.floor, force, torque));
    assert_near(force[2], -BOXES * weight - (much ? 3.0 * weight : 0.0), 2e-3 * weight);
    lab_close(&p.l);
  }
}

/* A wall that sleeps is hit: of a few contacts become hundreds, as all of it wakes in one step.
 * That is no swarm of contacts that mean nothing, and its layers are not looks that are used up. */
static void a_wall_wakes_in_one_step(void **state) {
  (void)state;
  enum { WIDE = 6, HIGH = 8 };
  for (int singly = SANITIZED; singly < 2; singly++) {
    lab l = lab_open(0.0, 0.0);
    scree_step_info info;
    l.law.friction = 0.5;
    l.def.solver = NULL;
    l.def.tolerance_residual = 1e-3;
    l.def.sleep_after = 0.1;
    l.def.sleep_load = singly ? 0.1 : 0.0;
    lab_add_floor(&l);
    for (int k = 0; k < WIDE * HIGH; k++) add_box(&l, side * (k % WIDE), side * (k / WIDE + 0.5));
    const double top = side * HIGH + 0.06;
    lab_add_ball(&l, 0.06, top + 0.5 * earth * 0.5 * 0.5, 0.0);
    lab_run(&l, h, 0.4);
    assert_int_equal(scree_world_asleep_count(l.world), WIDE * HIGH);
    size_t least = WIDE * HIGH;
    for (int k = 0; k < 40; k++) {
      ok(&l, scree_stepper_step(l.stepper, h, &info));
      assert_int_equal(info.unresolved, 0);
      if (info.asleep < least) least = info.asleep;
    }
    assert_true(least < WIDE * HIGH / 2);
    lab_close(&l);
  }
}

/* Another stepper does not know what holds those who sleep: they wake. Else nobody would fall whose
 * support is gone, and who slept in another way would never wake. */
static void another_stepper_wakes_all(void **state) {
  (void)state;
  for (int singly = 0; singly < 2; singly++) {
    pile p = make_pile(true, 0.0);
    p.l.def.sleep_load = singly ? part : 0.0;
    lab_run(&p.l, h, 1.0);
    assert_int_equal(scree_world_asleep_count(p.l.world), BOXES);
    scree_stepper_destroy(p.l.stepper);
    p.l.stepper = NULL;
    p.l.def.sleep_load = part;
    ok(&p.l, scree_stepper_create(p.l.world, &p.l.def, &p.l.stepper));
    ok(&p.l, scree_world_remove_body(p.l.world, p.box[1]));
    lab_run(&p.l, h, 1.0);
    assert_near(lab_state(&p.l, p.box[3]).position[2], 2.5 * side, 2e-3);
    lab_close(&p.l);
  }
}

static scree_body_id move(pile *p, scree_body_id id, double x, double y) {
  scree_body_state s = lab_state(&p->l, id);
  s.position[0] = x;
  s.position[1] = y;
  ok(&p->l, scree_body_set_state(p->l.world, id, &s));
  return id;
}

/* A plate on three boxes, of which one is taken away. */
static void drop_plate(double load) {
  pile p = make_pile(true, 0.0);
  move(&p, add_box(&p.l, 2.0, 0.5 * side), 2.0, -0.3);
  move(&p, add_box(&p.l, 2.0, 0.5 * side), 2.0, 0.3);
  const scree_body_id leg = add_box(&p.l, 2.6, 0.5 * side);
  const scree_body_id plate = lab_add_box(&p.l, 0.8, 0.8, 0.1, side + 0.05);
  move(&p, plate, 2.2, 0.0);
  p.l.def.sleep_load = load;
  lab_run(&p.l, h, 1.0);
  assert_int_equal(scree_world_asleep_count(p.l.world), BOXES + 4);
  ok(&p.l, scree_world_remove_body(p.l.world, leg));
  lab_run(&p.l, h, 0.5);
  assert_true(lab_state(&p.l, plate).position[2] < side + 0.04);
  lab_close(&p.l);
}

/* However much load is put up with: what rests on a body that is taken away falls. */
static void nobody_stays_without_supports(void **state) {
  (void)state;
  for (double load = 1.0; load < (SANITIZED ? 2.0 : 20.0); load *= 3.0) {
    pile p = make_pile(true, 0.0);
    p.l.def.sleep_load = load;
    lab_run(&p.l, h, 1.0);
    assert_int_equal(scree_world_asleep_count(p.l.world), BOXES);
    ok(&p.l, scree_world_remove_body(p.l.world, p.box[1]));
    lab_run(&p.l, h, 1.0);
    for (int k = 2; k < BOXES; k++)
      assert_near(lab_state(&p.l, p.box[k]).position[2], (k - 0.5) * side, 2e-3);
    lab_close(&p.l);
    drop_plate(load);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(others_may_move),
      cmocka_unit_test(a_hit_wakes_at_once),
      cmocka_unit_test(who_loses_its_support_wakes),
      cmocka_unit_test(loads_go_on_through_a_pile),
      cmocka_unit_test(a_wall_wakes_in_one_step),
      cmocka_unit_test(another_stepper_wakes_all),
      cmocka_unit_test(nobody_stays_without_supports),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

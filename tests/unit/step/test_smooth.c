/* Forces with their blocks K and R against differences; linear solvers; checkpoints; what smooth
 * steppers refuse. */
#include <stdio.h>

#include "math/tangent.h"
#include "model/link/link.h"
#include "step/smooth/system.h"
#include "tests/physics/physics.h"

static double noise(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static scree_body_id free_box(lab *l, unsigned *seed, double x) {
  scree_body_def d = scree_body_def_default();
  scree_shape *s;
  const double half[3] = {0.1, 0.15, 0.07};
  ok(l, scree_shape_create_box(l->context, half, &s));
  for (int i = 0; i < 3; i++) {
    d.position[i] = 0.3 * noise(seed);
    d.velocity[i] = noise(seed);
    d.angular[i] = 3.0 * noise(seed);
  }
  for (int i = 0; i < 4; i++) d.rotation[i] = noise(seed);
  d.position[0] += x;
  d.collides_with = 0;
  return lab_add(l, d, s);
}

/* ---- K and R against differences of f -------------------------------------------------------- */

enum { BODIES = 5, N = 6 * BODIES };

typedef struct blocks {
  double k[N][N], r[N][N];
} blocks;

static void collect(void *user, uint32_t i, uint32_t j, const double *k, const double *r) {
  blocks *b = user;
  for (int n = 0; n < 36; n++) {
    b->k[6 * i + (uint32_t)n / 6][6 * j + (uint32_t)n % 6] += k[n];
    b->r[6 * i + (uint32_t)n / 6][6 * j + (uint32_t)n % 6] += r[n];
  }
}

static void forces(const scree_world *w, double *f) {
  body_load load[BODIES];
  world_forces(w, 1.0, load);
  for (int i = 0; i < BODIES; i++) {
    v3_store(f + 6 * i, load[i].force);
    v3_store(f + 6 * i + 3, load[i].torque);
  }
}

static bool pull(void *user, double time, const scree_link_body *b, double *load, double *k,
                 double *r) {
  (void)user, (void)time, (void)k, (void)r;
  for (int i = 0; i < 3; i++) {
    load[i] = -3.0 * b[0].center[i] * b[0].center[i] - 0.5 * b[1].velocity[i];
    load[9 + i] = 2.0 * b[0].angular[i] * b[1].center[0];
  }
  return false;
}

static void add_links(lab *l, const scree_body_id *id) {
  scree_link_def d = scree_link_def_default();
  d.body[0] = id[0], d.body[1] = id[1];
  d.point[0][1] = 0.3, d.point[1][0] = 1.1;
  d.damping = 7.0;
  d.rest = 0.8;
  ok(l, scree_world_add_link(l->world, &d, NULL));
  d.body[0] = (scree_body_id){0};
  ok(l, scree_world_add_link(l->world, &d, NULL));
  d = scree_link_def_default();
  d.kind = SCREE_LINK_BEAM;
  d.body[0] = id[1], d.body[1] = id[2];
  d.point[0][0] = 1.0, d.point[1][0] = 1.6, d.point[1][2] = 0.2;
  d.young = 1e5, d.shear = 4e4, d.area = 0.01, d.inertia_y = 2e-5, d.inertia_z = 3e-5;
  d.torsion = 4e-5, d.shear_area = 0.008, d.rayleigh = 0.01;
  ok(l, scree_world_add_link(l->world, &d, NULL));
  d = scree_link_def_default();
  d.kind = SCREE_LINK_TETRAHEDRON;
  for (int i = 0; i < 4; i++) d.body[i] = id[i + 1];
  d.young = 1e4, d.poisson = 0.3, d.rayleigh = 0.02;
  ok(l, scree_world_add_link(l->world, &d, NULL));
  d = scree_link_def_default();
  d.kind = SCREE_LINK_USER;
  d.body[0] = id[0], d.body[1] = id[3];
  d.body_count = 2;
  d.function = pull;
  ok(l, scree_world_add_link(l->world, &d, NULL));
  d = scree_link_def_default();
  d.kind = SCREE_LINK_DRAG;
  d.body[0] = id[2];
  d.damping = 4.0;
  ok(l, scree_world_add_link(l->world, &d, NULL));
  scree_joint_def j = scree_joint_def_default();
  j.kind = SCREE_JOINT_SLIDER;
  j.body_a = id[3], j.body_b = id[4];
  j.coordinate[0].motor = SCREE_MOTOR_TORQUE;
  j.coordinate[0].motor_value = 11.0;
  ok(l, scree_world_add_joint(l->world, &j, NULL));
}

static void move(scree_world *w, int column, double by) {
  const v3 step = v3_scale(by, v3_make(column % 3 == 0, column % 3 == 1, column % 3 == 2));
  world_bodies *b = &w->bodies;
  const int i = column / 6;
  if (column % 6 < 3)
    b->position[i] = v3_add(b->position[i], step);
  else
    b->rotation[i] = quat_mul(quat_exp(step), b->rotation[i]);
}

static void test_blocks(void **state) {
  (void)state;
  unsigned seed = 5;
  lab l = lab_open(0.0, 0.0);
  scree_body_id id[BODIES];
  for (int i = 0; i < BODIES; i++) id[i] = free_box(&l, &seed, 0.5 * i);
  add_links(&l, id);
  /* Away from where links are at rest. */
  scree_world *w = l.world;
  for (int c = 0; c < N; c++) move(w, c, 0.1 * noise(&seed));
  blocks *b = calloc(1, sizeof *b);
  world_force_blocks(w, collect, b);
  double worst = 0.0, largest = 0.0;
  for (int c = 0; c < N; c++) {
    double more[N], less[N];
    const double by = 1e-5;
    move(w, c, by);
    forces(w, more);
    move(w, c, -2.0 * by);
    forces(w, less);
    move(w, c, by);
    for (int i = 0; i < N; i++) {
      largest = fmax(largest, fabs(b->k[i][c]));
      worst = fmax(worst, fabs(b->k[i][c] + (more[i] - less[i]) / (2.0 * by)));
    }
  }
  assert_true(worst < 1e-6 * largest);
  worst = largest = 0.0;
  for (int c = 0; c < N; c++) {
    double more[N], less[N],
        *v = c % 6 < 3 ? &w->bodies.linear[c / 6].x : &w->bodies.angular[c / 6].x;
    const double by = 1e-4, old = v[c % 3];
    v[c % 3] = old + by;
    forces(w, more);
    v[c % 3] = old - by;
    forces(w, less);
    v[c % 3] = old;
    for (int i = 0; i < N; i++) {
      largest = fmax(largest, fabs(b->r[i][c]));
      worst = fmax(worst, fabs(b->r[i][c] + (more[i] - less[i]) / (2.0 * by)));
    }
  }
  assert_true(worst < 1e-7 * largest);
  free(b);
  lab_close(&l);
}

/* Internal loads: no net force, no net moment; and load = -d(energy)/dq. */
static void test_links_balance(void **state) {
  (void)state;
  unsigned seed = 9;
  lab l = lab_open(0.0, 0.0);
  scree_body_id id[BODIES];
  for (int i = 0; i < BODIES; i++) id[i] = free_box(&l, &seed, 0.5 * i);
  add_links(&l, id);
  scree_world *w = l.world;
  for (int c = 0; c < N; c++) move(w, c, 0.15 * noise(&seed));
  for (int i = 0; i < BODIES; i++) w->bodies.linear[i] = w->bodies.angular[i] = v3_make(0, 0, 0);
  for (size_t k = 2; k < 4; k++) {
    const world_link *link = &w->link[k];
    double load[LINK_DIM];
    link_evaluate(w, link, load, NULL, NULL);
    v3 force = {0, 0, 0}, moment = {0, 0, 0};
    double size = 0.0;
    for (uint32_t b = 0; b < link->body_count; b++) {
      const v3 f = v3_load(load + 6 * b);
      force = v3_add(force, f);
      moment = v3_add(moment, v3_add(v3_load(load + 6 * b + 3),
                                     v3_cross(w->bodies.position[link->body[b]], f)));
      size = fmax(size, v3_norm(f));
    }
    assert_true(v3_norm(force) < 1e-12 * size && v3_norm(moment) < 1e-12 * size);
  }
  /* The user's own has no energy. */
  double f[N], gravity = 0.0;
  scree_link_id user = scree_world_link_at(w, 4);
  ok(&l, scree_world_remove_link(w, user));
  w->joint[0].coordinate[0].motor = SCREE_MOTOR_NONE;
  const double none[3] = {0.0, 0.0, 0.0};
  memcpy(w->def.gravity, none, sizeof none);
  forces(w, f);
  double worst = 0.0, largest = 0.0;
  for (int c = 0; c < N; c++) {
    const double by = 1e-5;
    move(w, c, by);
    const double more = link_energy(w);
    move(w, c, -2.0 * by);
    const double less = link_energy(w);
    move(w, c, by);
    largest = fmax(largest, fabs(f[c]));
    worst = fmax(worst, fabs(f[c] + (more - less) / (2.0 * by)));
  }
  (void)gravity;
  assert_true(worst < 1e-7 * largest);
  lab_close(&l);
}

/* ---- linear solvers -------------------------------------------------------------------------- */

static scree_body_id chain(lab *l, int links) {
  scree_body_id before = {0}, id = {0};
  for (int k = 0; k < links; k++) {
    scree_body_def d = scree_body_def_default();
    scree_shape *s;
    const double half[3] = {0.1, 0.02, 0.03};
    ok(l, scree_shape_create_box(l->context, half, &s));
    d.position[0] = 0.1 + 0.2 * k;
    d.collides_with = 0;
    id = lab_add(l, d, s);
    scree_joint_def j = scree_joint_def_default();
    j.kind = k % 2 ? SCREE_JOINT_HINGE : SCREE_JOINT_BALL;
    j.body_a = before, j.body_b = id;
    j.anchor[0] = 0.2 * k;
    j.axis[1] = 1.0, j.axis[2] = 0.0;
    ok(l, scree_world_add_joint(l->world, &j, NULL));
    before = id;
  }
  return id;
}

/* The matrix of a step of a chain: every solver leaves nothing over, and all agree. With `twice`
 * each joint is there two times: half of the rows depend on the others. */
static void check_solvers(bool twice) {
  lab l = lab_open(0.0, 0.0);
  chain(&l, 12);
  const size_t joints = scree_world_joint_count(l.world);
  for (size_t k = 0; twice && k < joints; k++) {
    const joint *j = &l.world->joint[k];
    scree_joint_def d = scree_joint_def_default();
    d.kind = j->kind;
    d.body_a =
        j->body[0] == WORLD_NO_BODY ? (scree_body_id){0} : scree_world_body_at(l.world, j->body[0]);
    d.body_b = scree_world_body_at(l.world, j->body[1]);
    d.anchor[0] = 0.2 * (double)k;
    d.axis[1] = 1.0, d.axis[2] = 0.0;
    ok(&l, scree_world_add_joint(l.world, &d, NULL));
  }
  double *first = NULL;
  for (size_t k = 0; k < linear_count(); k++) {
    smooth_system s;
    linear_solver solver;
    bool again;
    double residual;
    system_init(&s, l.world);
    ok(&l, system_begin(&s, &again));
    system_rows(&s);
    const smooth_weights weights = {.mass = 1.0};
    system_matrix(&s, &weights);
    if (linear_create(l.context, k, &solver) == SCREE_ERROR_UNSUPPORTED) {
      system_clear(&s); /* a part that this build is without */
      continue;
    }
    ok(&l, solver.class->prepare(solver.self, &s.matrix));
    system_forces(&s, s.x);
    memset(s.x + 6 * s.bodies, 0, s.rows * sizeof *s.x);
    ok(&l, solver.class->solve(solver.self, &s.matrix, s.x, &residual));
    assert_true(residual < 1e-9);
    if (!first) {
      first = malloc(s.matrix.size * sizeof *first);
      memcpy(first, s.x, s.matrix.size * sizeof *first);
      /* Of two equal joints each carries half. */
      for (size_t r = 0; twice && r < s.rows / 2; r++)
        assert_near(first[6 * s.bodies + r], first[6 * s.bodies + r + s.rows / 2], 1e-6);
    }
    for (size_t i = 0; i < s.matrix.size; i++) assert_near(s.x[i], first[i], 1e-7);
    linear_destroy(&solver);
    system_clear(&s);
  }
  free(first);
  lab_close(&l);
}

/* A chain of n hinges bends as a cantilever, with directions that give way by n^-4 of what a joint
 * does alone: `direct` goes to rounding nevertheless, and where `mumps` is. With `closed` its end
 * is held as well: a joint that finds no body with room to be eliminated with. */
static void check_long_chain(int links, bool closed) {
  lab l = lab_open(0.0, 0.0);
  smooth_system s;
  bool again;
  double *first = NULL, residual;
  const scree_body_id last = chain(&l, links);
  if (closed) {
    scree_joint_def j = scree_joint_def_default();
    j.kind = SCREE_JOINT_POINT_ON_LINE; /* across it only: along it rows would be one too many */
    j.body_b = last;
    j.anchor[0] = 0.2 * links;
    j.axis[0] = 1.0, j.axis[2] = 0.0;
    ok(&l, scree_world_add_joint(l.world, &j, NULL));
  }
  system_init(&s, l.world);
  ok(&l, system_begin(&s, &again));
  system_rows(&s);
  const smooth_weights weights = {.mass = 1.0};
  system_matrix(&s, &weights);
  s.matrix.independent = true;
  const size_t n = 6 * s.bodies;
  for (size_t k = 0; k < linear_count(); k++) {
    linear_solver solver;
    if (strcmp(linear_at(k)->name, "minres") == 0) continue; /* it would take minutes */
    if (linear_create(l.context, k, &solver)) continue;
    ok(&l, solver.class->prepare(solver.self, &s.matrix));
    memset(s.x, 0, n * sizeof *s.x);
    for (size_t r = 0; r < s.rows; r++) s.x[n + r] = sin((double)r);
    ok(&l, solver.class->solve(solver.self, &s.matrix, s.x, &residual));
    if (getenv("SHOW")) printf("%d %d %s: %g\n", links, closed, solver.class->name, residual);
    assert_true(residual < 1e-12);
    if (!first) {
      first = malloc(n * sizeof *first);
      memcpy(first, s.x, n * sizeof *first);
    }
    for (size_t i = 0; i < n; i++) assert_near(s.x[i], first[i], 1e-8 * fmax(1.0, fabs(first[i])));
    linear_destroy(&solver);
  }
  free(first);
  system_clear(&s);
  lab_close(&l);
}

static void test_long_chain(void **state) {
  (void)state;
  check_long_chain(400, false);
  check_long_chain(20000, false);
  check_long_chain(401, true);
}

static scree_body_id rod(lab *l, double x, double z) {
  scree_body_def d = scree_body_def_default();
  scree_shape *shape;
  ok(l, scree_shape_create_box(l->context, (double[]){0.1, 0.02, 0.03}, &shape));
  d.position[0] = x, d.position[2] = z;
  d.collides_with = 0;
  return lab_add(l, d, shape);
}

static void hinge(lab *l, scree_body_id a, scree_body_id b, double x, double z) {
  scree_joint_def j = scree_joint_def_default();
  j.kind = SCREE_JOINT_HINGE;
  j.body_a = a, j.body_b = b;
  j.anchor[0] = x, j.anchor[2] = z;
  j.axis[1] = 1.0, j.axis[2] = 0.0;
  ok(l, scree_world_add_joint(l->world, &j, NULL));
}

/* Linkages in a row that move as one: each holds three rows too many, and along the row they give
 * way by some n^-2 of what a joint does alone, below the first shift of `direct`. */
static void test_many_loops(void **state) {
  (void)state;
  const int bars = 3000;
  lab l = lab_open(0.0, 0.0);
  scree_body_id before = {0};
  for (int k = 0; k < bars; k++) {
    const double x = 0.4 * k;
    const scree_body_id bar = rod(&l, x, 0.2);
    hinge(&l, (scree_body_id){0}, bar, x, 0.0);
    if (k) {
      const scree_body_id top = rod(&l, x - 0.2, 0.4);
      hinge(&l, before, top, x - 0.4, 0.4);
      hinge(&l, top, bar, x, 0.4);
    }
    before = bar;
  }
  smooth_system s;
  linear_solver solver;
  bool again;
  double residual;
  system_init(&s, l.world);
  ok(&l, system_begin(&s, &again));
  system_rows(&s);
  const smooth_weights weights = {.mass = 1.0};
  system_matrix(&s, &weights);
  ok(&l, linear_create(l.context, 0, &solver));
  ok(&l, solver.class->prepare(solver.self, &s.matrix));
  system_forces(&s, s.x);
  /* Rates of some motion, which the rows do not contradict. */
  for (size_t i = 0; i < 6 * s.bodies; i++) s.v0[i] = sin((double)i);
  for (size_t r = 0; r < s.rows; r++) s.x[6 * s.bodies + r] = system_rate(&s, r, s.v0);
  ok(&l, solver.class->solve(solver.self, &s.matrix, s.x, &residual));
  if (getenv("SHOW")) printf("%d linkages: %g\n", bars - 1, residual);
  assert_true(residual < 1e-11);
  linear_destroy(&solver);
  system_clear(&s);
  lab_close(&l);
}

/* Three bodies in a line, tied by two distances along it: each joint goes with a body of its own,
 * and both with the middle one would not do, as their rows on it are the same. */
static void test_glue(void **state) {
  (void)state;
  lab l = lab_open(0.0, 0.0);
  scree_body_id id[3];
  for (int k = 0; k < 3; k++) {
    scree_body_def d = scree_body_def_default();
    scree_shape *shape;
    ok(&l, scree_shape_create_sphere(l.context, 0.1, &shape));
    d.position[0] = k;
    id[k] = lab_add(&l, d, shape);
  }
  for (int k = 0; k < 2; k++) {
    scree_joint_def j = scree_joint_def_default();
    j.kind = SCREE_JOINT_DISTANCE;
    j.body_a = id[k], j.body_b = id[k + 1];
    j.anchor[0] = k, j.anchor_b[0] = k + 1;
    j.anchor_b[1] = j.anchor_b[2] = 0.0;
    ok(&l, scree_world_add_joint(l.world, &j, NULL));
  }
  smooth_system s;
  bool again;
  uint32_t glue[5];
  const smooth_weights weights = {.mass = 1.0};
  system_init(&s, l.world);
  ok(&l, system_begin(&s, &again));
  system_rows(&s);
  system_matrix(&s, &weights);
  ok(&l, kkt_glue(l.context, &s.matrix, glue));
  assert_true(glue[3] < 3 && glue[4] < 3 && glue[3] != glue[4]);
  for (uint32_t k = 0; k < 3; k++) assert_true(glue[k] == k && kkt_glue_holds(&s.matrix, glue, k));
  glue[3] = glue[4] = 1;
  assert_false(kkt_glue_holds(&s.matrix, glue, 1));
  system_clear(&s);
  lab_close(&l);
}

static void test_linear_solvers(void **state) {
  (void)state;
  check_solvers(false);
  check_solvers(true);
}

/* ---- every stepper with every linear solver ---------------------------------------------------
 */

static void test_pairs(void **state) {
  (void)state;
  size_t pairs = 0;
  for (size_t i = 0; i < scree_stepper_count(); i++) {
    double end[8][3];
    assert_true(scree_linear_solver_count() <= 8);
    for (size_t k = 0; k < scree_linear_solver_count(); k++) {
      lab l = lab_open(0.0, 0.0);
      const scree_body_id id = chain(&l, 3);
      l.def.stepper = scree_stepper_name(i);
      ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
      const scree_status status =
          scree_stepper_set(l.stepper, "linear_solver", scree_linear_solver_name(k));
      assert_int_equal(status == SCREE_OK, scree_stepper_is_smooth(i));
      if (!status) pairs++;
      scree_status made = SCREE_OK;
      for (int n = 0; n < 20 && !made; n++) {
        scree_step_info info;
        made = scree_stepper_step(l.stepper, 0.005, &info);
        assert_true(made || info.converged);
      }
      if (made == SCREE_ERROR_UNSUPPORTED) { /* a part that this build is without */
        assert_non_null(strstr(scree_context_message(l.context), "take 'direct'"));
        lab_close(&l);
        continue;
      }
      ok(&l, made);
      scree_body_state s;
      ok(&l, scree_body_get_state(l.world, id, &s));
      memcpy(end[k], s.position, sizeof s.position);
      for (int n = 0; n < 3; n++) assert_near(end[0][n], end[k][n], 1e-8);
      lab_close(&l);
    }
  }
  assert_int_equal(pairs, (scree_stepper_count() - 1) * scree_linear_solver_count());
}

/* ---- state ----------------------------------------------------------------------------------- */

static void test_checkpoint(void **state) {
  (void)state;
  for (size_t i = 0; i < scree_stepper_count(); i++) {
    uint64_t hash[2];
    for (int cut = 0; cut < 2; cut++) {
      lab l = lab_open(0.0, 0.0);
      chain(&l, 3);
      l.def.stepper = scree_stepper_name(i);
      ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
      for (int n = 0; n < 10; n++) {
        if (n == 5 && cut) {
          const size_t size = scree_stepper_save_size(l.stepper);
          void *bytes = malloc(size);
          ok(&l, scree_stepper_save(l.stepper, bytes, size));
          lab_close(&l);
          l = lab_open(0.0, 0.0);
          chain(&l, 3);
          l.def.stepper = scree_stepper_name(i);
          ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
          ok(&l, scree_stepper_restore(l.stepper, bytes, size));
          free(bytes);
        }
        ok(&l, scree_stepper_step(l.stepper, 0.005, NULL));
      }
      hash[cut] = scree_world_hash(l.world);
      lab_close(&l);
    }
    assert_true(hash[0] == hash[1]);
  }
}

static void test_refusals(void **state) {
  (void)state;
  lab l = lab_open(0.0, 0.0);
  const scree_body_id id = chain(&l, 2);
  (void)id;
  ok(&l,
     scree_joint_set_motor(l.world, scree_world_joint_at(l.world, 1), SCREE_MOTOR_SPEED, 1.0, 5.0));
  l.def.stepper = "hht";
  ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
  assert_int_equal(scree_stepper_step(l.stepper, 0.005, NULL), SCREE_ERROR_UNSUPPORTED);
  assert_non_null(strstr(scree_context_message(l.context), "nonsmooth"));
  ok(&l, scree_joint_set_motor(l.world, scree_world_joint_at(l.world, 1), SCREE_MOTOR_SPEED, 1.0,
                               INFINITY));
  ok(&l, scree_stepper_step(l.stepper, 0.005, NULL));
  scree_joint_state held;
  ok(&l, scree_joint_get_state(l.world, scree_world_joint_at(l.world, 1), &held));
  assert_near(held.speed, 1.0, 1e-9);
  lab_close(&l);
  /* Bodies that touch. */
  l = lab_open(0.0, 0.0);
  lab_add_floor(&l);
  lab_add_ball(&l, 0.1, 0.15, 0.0);
  l.def.stepper = "hht";
  ok(&l, scree_stepper_create(l.world, &l.def, &l.stepper));
  scree_status status = SCREE_OK;
  for (int k = 0; k < 30 && !status; k++) status = scree_stepper_step(l.stepper, 0.01, NULL);
  assert_int_equal(status, SCREE_ERROR_UNSUPPORTED);
  assert_non_null(strstr(scree_context_message(l.context), "touch"));
  lab_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks),         cmocka_unit_test(test_links_balance),
      cmocka_unit_test(test_linear_solvers), cmocka_unit_test(test_long_chain),
      cmocka_unit_test(test_glue),           cmocka_unit_test(test_many_loops),
      cmocka_unit_test(test_pairs),          cmocka_unit_test(test_checkpoint),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

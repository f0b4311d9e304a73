/* Every solver over every law: the problem of a step of a small heap with each law is solved by all
 * solvers, in both models. Those that take it find the velocities of the interior point
 * method to 1e-8 (where that one refuses, of non-smooth Gauss-Seidel), the others refuse with a
 * sentence that says what to take. The rows of the table in docs/laws.md are compared. */
#include <stdio.h>

#include "physics.h"

enum { BALLS = 9, MOST_SOLVERS = 40, MOST_ROWS = 400 };

static scree_status spring(void *user, const scree_world *world, double h, size_t count,
                           scree_law_contact *contacts) {
  (void)user;
  (void)world;
  (void)h;
  for (size_t i = 0; i < count; i++) {
    scree_law_contact *c = &contacts[i];
    c->stiffness = 1e5;
    c->push = c->gap < 0.0 ? -1e5 * c->gap : 0.0;
    c->friction = 0.4;
    c->pull = 2.0;
    if (c->gap > 0.0) c->stiffness = c->pull = c->push = 0.0;
  }
  return SCREE_OK;
}

/* Rigid bonds in closed loops that only just do not hold: the heap creeps at 1e-6 m/s while its
 * impulses have far to go, where first-order methods stall (solve/hand_over.c). */
static const char *const at_limit = "rigid bond at its limit";

/* Far stronger than anything that it bears, where the middle of all solutions is not to be had. */
static const char *const without_end = "rigid bond without end";

/* What changes numbers alone, and laws together. */
static void change_more(const char *name, scree_material_def *m) {
  if (!strcmp(name, "Stribeck and viscous")) {
    m->friction_kinetic = 0.3;
    m->stribeck_speed = 0.2;
    m->friction_viscous = 0.1;
  } else if (!strcmp(name, "surface velocity")) {
    m->surface_velocity[0] = 0.3;
    m->surface_velocity[1] = 0.1;
  } else if (!strcmp(name, "Poisson") || !strcmp(name, "Newton")) {
    m->restitution = 0.5;
    if (!strcmp(name, "Newton")) m->restitution_law = SCREE_RESTITUTION_NEWTON;
  } else if (!strcmp(name, "rigid bond") || !strcmp(name, at_limit) || !strcmp(name, without_end)) {
    const double strength = !strcmp(name, at_limit) ? 1.0 : !strcmp(name, without_end) ? 1e8 : 10.0;
    m->law = SCREE_LAW_BOND;
    m->cohesion = strength * 300.0;
    m->bond_shear = strength * 200.0;
    m->bond_bending = strength * 5.0;
  } else if (!strcmp(name, "cohesion, rolling")) {
    m->law = SCREE_LAW_RIGID_COHESIVE;
    m->cohesion_energy = 30.0;
    m->rolling = 2e-3;
    m->spinning = 1e-3;
    m->surface_velocity[1] = 0.2;
  } else if (!strcmp(name, "elastoplastic, two axes")) {
    m->law = SCREE_LAW_ELASTOPLASTIC;
    m->compliance = 1e-5;
    m->yield_force = 5.0;
    m->cohesion = 1.0;
    m->friction_across = 0.2;
    m->direction[0] = 1.0;
  } else if (!strcmp(name, "bridge, dilatancy")) {
    m->law = SCREE_LAW_BRIDGE;
    m->bridge_volume = 1e-8;
    m->surface_tension = 3.0;
    m->dilatancy = 0.2;
    m->rolling = 1e-3;
  }
}

static void change(const char *name, scree_material_def *m) {
  m->friction = 0.5;
  if (!strcmp(name, "compliant")) {
    m->law = SCREE_LAW_COMPLIANT;
    m->compliance = 1e-5;
    m->compliance_tangent = 2e-5;
  } else if (!strcmp(name, "power")) {
    m->law = SCREE_LAW_POWER;
    m->stiffness = 1e7;
    m->cohesion = 1.0;
  } else if (!strcmp(name, "rigid-cohesive")) {
    m->law = SCREE_LAW_RIGID_COHESIVE;
    m->cohesion = 2.0;
    m->cohesion_range = 2e-3;
  } else if (!strcmp(name, "compliant-cohesive")) {
    m->law = SCREE_LAW_COMPLIANT_COHESIVE;
    m->compliance = 1e-5;
    m->cohesion = 2.0;
  } else if (!strcmp(name, "elastoplastic")) {
    m->law = SCREE_LAW_ELASTOPLASTIC;
    m->compliance = 1e-5;
    m->yield_force = 5.0;
    m->hardening = 1e3;
  } else if (!strcmp(name, "bond")) {
    m->law = SCREE_LAW_BOND;
    m->cohesion = 60.0;
    m->bond_shear = 60.0;
    m->bond_bending = 1.0;
    m->bond_twisting = 1.0;
    m->compliance = 1e-5;
    m->compliance_tangent = 1e-5;
  } else if (!strcmp(name, "liquid-bridge")) {
    m->law = SCREE_LAW_BRIDGE;
    m->bridge_volume = 1e-8;
    m->surface_tension = 3.0;
  } else if (!strcmp(name, "user")) {
    m->law = SCREE_LAW_USER;
  } else if (!strcmp(name, "rolling")) {
    m->rolling = 2e-3;
    m->spinning = 1e-3;
  } else if (!strcmp(name, "two axes") || !strcmp(name, "turned flow")) {
    m->friction_across = 0.2;
    m->direction[0] = 1.0;
    if (!strcmp(name, "turned flow")) m->flow_across = 6.25; /* against the force */
  } else if (!strcmp(name, "dilatancy")) {
    m->dilatancy = 0.2;
  } else if (!strcmp(name, "no friction")) {
    m->friction = 0.0;
  } else if (!strcmp(name, "static and kinetic")) {
    m->friction_kinetic = 0.3;
  } else {
    change_more(name, m);
  }
}

static const char *const laws[] = {
    "rigid",         "compliant", "power",         "rigid-cohesive", "compliant-cohesive",
    "elastoplastic", "bond",      "liquid-bridge", "user",           "static and kinetic",
    "rolling",       "two axes",  "turned flow",   "dilatancy",      "brake",
    "no friction"};
enum { LAWS = sizeof laws / sizeof *laws };

/* Not in the table: what changes numbers alone, and laws together. */
static const char *const more[] = {"Stribeck and viscous",
                                   "surface velocity",
                                   "Poisson",
                                   "Newton",
                                   "rigid bond",
                                   "rigid bond at its limit",
                                   "rigid bond without end",
                                   "cohesion, rolling",
                                   "elastoplastic, two axes",
                                   "bridge, dilatancy"};

/* Nine balls, thrown together on the floor, some steps later. */
static lab heap_of(const char *name) {
  lab l = lab_open(0.2, 0.3);
  l.def.solver = "auto";
  l.def.iteration_limit = 20000;
  l.def.tolerance_residual = 1e-6;
  change(name, &l.law);
  scree_world_set_law_function(l.world, spring, NULL, NULL);
  const scree_body_id floor = lab_add_floor(&l);
  scree_body_id ball[BALLS];
  for (int i = 0; i < BALLS; i++) {
    ball[i] = lab_add_ball(&l, 0.05, 0.05 + 0.0999 * (i / 4), 0.4 - 0.1 * i);
    scree_body_state s = lab_state(&l, ball[i]);
    s.position[0] = 0.0999 * (i % 2) + 0.003 * (i / 4);
    s.position[1] = 0.0999 * (i / 2 % 2) + 0.005 * (i / 4);
    s.velocity[1] = 0.1 * (i % 3);
    ok(&l, scree_body_set_state(l.world, ball[i], &s));
  }
  if (!strcmp(name, "brake")) { /* a hinge with dry friction between two bodies: an interval */
    scree_joint_def j = scree_joint_def_default();
    scree_joint_id id;
    j.kind = SCREE_JOINT_HINGE;
    j.body_a = floor;
    j.body_b = ball[8];
    const scree_body_state s = lab_state(&l, ball[8]);
    memcpy(j.anchor, s.position, sizeof j.anchor);
    j.axis[0] = 1.0;
    j.axis[2] = 0.0;
    j.coordinate[0].motor = SCREE_MOTOR_SPEED;
    j.coordinate[0].motor_limit = 0.01;
    ok(&l, scree_world_add_joint(l.world, &j, &id));
  }
  return l;
}

enum { ENTRIES = 6 * (BALLS + 2) };

static scree_solve_info solve(lab *l, const char *name, scree_model model, const scree_ccp *p,
                              double *v) {
  static double g[MOST_ROWS];
  scree_solver *s;
  scree_solve_settings settings = scree_solve_settings_default();
  scree_solve_info info;
  settings.model = model;
  settings.tolerance_error = 1e-11;
  settings.tolerance_residual = 0.0;
  settings.iteration_limit = SANITIZED ? 100 : 40000;
  settings.time_limit = 0.0; /* none: the outcome must not depend on the clock */
  memset(g, 0, sizeof g);
  memset(v, 0, ENTRIES * sizeof *v);
  assert_true(scree_ccp_row_count(p) <= MOST_ROWS);
  ok(l, scree_solver_create(l->context, name, &s));
  if (scree_solver_solve(s, p, &settings, g, &info))
    fail_msg("%s: %s", name, scree_context_message(l->context));
  ok(l, scree_ccp_velocities(l->context, p, g, NULL, v));
  scree_solver_destroy(s);
  return info;
}

static const char *refusal(const char *name, const scree_ccp *p, scree_model model) {
  for (size_t i = 0; i < scree_solver_count(); i++)
    if (!strcmp(scree_solver_name(i), name)) return scree_solver_refusal(i, p, model);
  return "there is no such solver";
}

static int wrong;

/* A mark for a solver: x: takes the law, r: in the relaxed model alone, p: with facets in place of
 * the cone,
 * -: refuses it. */
static char mark_of(lab *l, size_t i, const scree_ccp *p, const char *law,
                    double oracle[2][ENTRIES], const char *const by[2]) {
  const char *name = scree_solver_name(i);
  char mark = '-';
  for (int m = SCREE_MODEL_RELAXED; m <= SCREE_MODEL_COULOMB; m++) {
    const scree_model model = (scree_model)m;
    double v[ENTRIES], miss = 0.0;
    if (model == SCREE_MODEL_COULOMB && !scree_solver_has_coulomb(i)) continue;
    const char *why = scree_solver_refusal(i, p, model);
    if (why) {
      /* It names a solver to take instead. */
      bool names = false;
      for (size_t k = 0; k < scree_solver_count(); k++)
        names = names || (k != i && strstr(why, scree_solver_name(k)));
      if (!names) fail_msg("%s, %s: does not say what to take: %s", law, name, why);
      continue;
    }
    const scree_solve_info info = solve(l, name, model, p, v);
    if (SANITIZED) continue;
    for (size_t k = 0; k < ENTRIES; k++) miss = fmax(miss, fabs(v[k] - oracle[m][k]));
    if (!strcmp(name, "lemke") && info.outcome != SCREE_OUTCOME_SOLVED) {
      mark = 'p'; /* its cone has facets, and it says that it did not arrive */
      continue;
    }
    if (!(miss < 1e-8)) wrong++;
    if (!(miss < 1e-8))
      print_message("%s, %s, model %d: %g from %s (%s, E %g, %ld iterations)\n", law, name, m, miss,
                    by[m], scree_outcome_text(info.outcome), info.residual.error, info.iterations);
    mark = model == SCREE_MODEL_COULOMB ? 'x' : 'r';
  }
  return mark;
}

static char table[MOST_SOLVERS][LAWS];

static void look_at(const char *law, char marks[MOST_SOLVERS]) {
  lab l = heap_of(law);
  double oracle[2][ENTRIES];
  const char *by[2];
  lab_run(&l, 2e-3, 0.02);
  const scree_ccp *p = scree_stepper_problem(l.stepper);
  assert_true(scree_ccp_block_count(p) >= BALLS);
  for (int m = 0; m < 2; m++) {
    by[m] = refusal("ipm", p, (scree_model)m) ? "nsgs" : "ipm";
    const scree_solve_info info = solve(&l, by[m], (scree_model)m, p, oracle[m]);
    if (!SANITIZED && !(info.residual.error < 1e-10))
      fail_msg("%s: %s has E %g", law, by[m], info.residual.error);
  }
  for (size_t i = 0; i < scree_solver_count(); i++) marks[i] = mark_of(&l, i, p, law, oracle, by);
  lab_close(&l);
}

/* The rows of the table as they are in docs/laws.md. */
static void write_row(size_t i, char *text, size_t size) {
  int at = snprintf(text, size, "| `%s` |", scree_solver_name(i));
  for (size_t k = 0; k < LAWS; k++)
    at += snprintf(text + at, size - (size_t)at, " %s |",
                   table[i][k] == 'x'   ? "✓"
                   : table[i][k] == 'r' ? "r"
                   : table[i][k] == 'p' ? "p"
                                        : "–");
}

static void every_solver_over_every_law(void **state) {
  (void)state;
  assert_true(scree_solver_count() <= MOST_SOLVERS);
  for (int k = SCREE_LAW_RIGID; k < SCREE_LAW_COUNT; k++) { /* none is left out */
    bool found = false;
    for (size_t i = 0; i < LAWS; i++)
      found = found || !strcmp(laws[i], scree_law_name((scree_law)k));
    if (!found) fail_msg("the law %s is not tried", scree_law_name((scree_law)k));
  }
  char marks[MOST_SOLVERS];
  for (size_t k = 0; k < LAWS; k++) {
    look_at(laws[k], marks);
    for (size_t i = 0; i < scree_solver_count(); i++) table[i][k] = marks[i];
  }
  for (size_t k = 0; k < sizeof more / sizeof *more; k++) look_at(more[k], marks);
  assert_int_equal(wrong, 0);
  if (SANITIZED) return;
  FILE *file = fopen(SCREE_SOURCE_DIR "/docs/laws.md", "r");
  assert_non_null(file);
  static char page[1 << 17];
  page[fread(page, 1, sizeof page - 1, file)] = '\0';
  fclose(file);
  bool same = true;
  for (size_t i = 0; i < scree_solver_count(); i++) {
    char row[400];
    write_row(i, row, sizeof row);
    if (strstr(page, row)) continue;
    same = false;
    print_message("%s\n", row);
  }
  if (!same) fail_msg("docs/laws.md does not have these rows of the table of solvers over laws");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_solver_over_every_law)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

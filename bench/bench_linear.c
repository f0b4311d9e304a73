/* The linear solvers of smooth steppers beside each other, on the matrix of a step of hht: chains
 * of hinges (a tree), and nets of bodies tied to their neighbours by distances (a grid, with fill).
 *   bench_linear [most unknowns, 1e5]
 * CPU seconds of the first factorisation (analysis, ordering), of the next, and of a solve; what is
 * left over, and how far the places' part is from that of `direct`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scree/scree.h"
#include "step/smooth/system.h"

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(scree_context *context, scree_status status) {
  if (!status) return;
  fprintf(stderr, "bench_linear: %s\n", scree_context_message(context));
  exit(1);
}

static scree_body_id add_box(scree_context *c, scree_world *w, double x, double y) {
  scree_body_def d = scree_body_def_default();
  scree_body_id id;
  scree_shape *s;
  const double half[3] = {0.1, 0.02, 0.03};
  need(c, scree_shape_create_box(c, half, &s));
  d.shape = s;
  d.position[0] = x, d.position[1] = y;
  d.velocity[2] = 0.3 * sin(x) * cos(y);
  d.collides_with = 0;
  need(c, scree_world_add_body(w, &d, &id));
  scree_shape_destroy(s);
  return id;
}

static void join(scree_context *c, scree_world *w, scree_joint_kind kind, scree_body_id a,
                 scree_body_id b, const double *at, const double *other) {
  scree_joint_def j = scree_joint_def_default();
  j.kind = kind;
  j.body_a = a, j.body_b = b;
  memcpy(j.anchor, at, sizeof j.anchor);
  if (other) memcpy(j.anchor_b, other, sizeof j.anchor_b);
  j.axis[1] = 1.0, j.axis[2] = 0.0;
  need(c, scree_world_add_joint(w, &j, NULL));
}

static void build_chain(scree_context *c, scree_world *w, size_t unknowns) {
  scree_body_id before = {0};
  for (size_t k = 0; k < unknowns / 11; k++) {
    const scree_body_id id = add_box(c, w, 0.1 + 0.2 * (double)k, 0.0);
    const double at[3] = {0.2 * (double)k, 0, 0};
    join(c, w, SCREE_JOINT_HINGE, before, id, at, NULL);
    before = id;
  }
}

static void build_net(scree_context *c, scree_world *w, size_t unknowns) {
  const size_t side = (size_t)sqrt((double)unknowns / 8.0);
  scree_body_id *row = calloc(side, sizeof *row);
  for (size_t i = 0; row && i < side; i++)
    for (size_t k = 0; k < side; k++) {
      const double at[3] = {0.3 * (double)k, 0.3 * (double)i, 0}, left[3] = {at[0] - 0.3, at[1], 0},
                   below[3] = {at[0], at[1] - 0.3, 0};
      const scree_body_id id = add_box(c, w, at[0], at[1]);
      if (k) join(c, w, SCREE_JOINT_DISTANCE, row[k - 1], id, left, at);
      if (i) join(c, w, SCREE_JOINT_DISTANCE, row[k], id, below, at);
      row[k] = id;
    }
  free(row);
}

static void measure(scree_context *c, scree_world *w, const char *name) {
  smooth_system s;
  bool again;
  double *first = NULL;
  system_init(&s, w);
  need(c, system_begin(&s, &again));
  memset(s.step, 0, 6 * s.bodies * sizeof *s.step);
  memset(s.a, 0, 6 * s.bodies * sizeof *s.a);
  memset(s.lambda, 0, s.rows * sizeof *s.lambda);
  system_rows(&s);
  const smooth_weights weights = {
      .mass = 1.0, .rate = 5e-4, .place = 2.5e-7, .geometric = true, .turns = true};
  system_matrix(&s, &weights);
  s.matrix.independent = true; /* as both were built */
  for (size_t k = 0; k < linear_count(); k++) {
    linear_solver solver;
    double residual, apart = 0.0, most = 0.0, t[4];
    /* Its iterations grow with the square of a chain's length. */
    if (strcmp(linear_at(k)->name, "minres") == 0 && *name == 'c' && s.matrix.size > 2000) continue;
    if (linear_create(c, k, &solver)) continue;
    t[0] = cpu();
    need(c, solver.class->prepare(solver.self, &s.matrix));
    t[1] = cpu();
    need(c, solver.class->prepare(solver.self, &s.matrix));
    t[2] = cpu();
    system_forces(&s, s.x);
    for (size_t r = 0; r < s.rows; r++) s.x[6 * s.bodies + r] = sin((double)r);
    need(c, solver.class->solve(solver.self, &s.matrix, s.x, &residual));
    t[3] = cpu();
    if (!first) {
      first = malloc(s.matrix.size * sizeof *first);
      if (first) memcpy(first, s.x, s.matrix.size * sizeof *first);
    }
    for (size_t i = 0; first && i < 6 * s.bodies; i++) {
      apart = fmax(apart, fabs(s.x[i] - first[i]));
      most = fmax(most, fabs(first[i]));
    }
    printf("%-6s %8zu %-7s %9.4f %9.4f %9.4f   %8.1e %8.1e\n", name, s.matrix.size,
           solver.class->name, t[1] - t[0], t[2] - t[1], t[3] - t[2], residual, apart / most);
    fflush(stdout);
    linear_destroy(&solver);
  }
  free(first);
  system_clear(&s);
}

int main(int count, char **arguments) {
  const double most = count > 1 ? atof(arguments[1]) : 1e5;
  printf("system unknowns solver      first      next     solve   residual    apart\n");
  for (int kind = 0; kind < 2; kind++)
    for (double n = 1e3; n <= 1.001 * most; n *= 10.0) {
      scree_context_def d = scree_context_def_default();
      scree_world_def wd = scree_world_def_default();
      d.threads = 1;
      scree_context *context = scree_context_create(&d);
      scree_world *world;
      if (!context) return 1;
      need(context, scree_world_create(context, &wd, &world));
      (kind ? build_net : build_chain)(context, world, (size_t)n);
      measure(context, world, kind ? "net" : "chain");
      scree_world_destroy(world);
      scree_context_destroy(context);
    }
  return 0;
}

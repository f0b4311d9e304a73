/* The linear solvers of smooth steppers beside each other, on the matrix of a step of hht: chains
 * of hinges (a tree), nets of bodies tied to their neighbours by distances (a grid, with fill),
 * rows of four-bar linkages (loops, three rows of each depend on others) and blocks of tetrahedra
 * that are held at one face (a grid in space). bench_linear [most unknowns, 1e5]
 * [chain|net|loops|block] CPU seconds of the first factorisation (analysis, ordering), of the next,
 * and of a solve; what is left over, and how far the places' part is from that of `direct`. */
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

/* Bars stand on the ground and are joined at their tops: one degree of freedom. */
static void build_loops(scree_context *c, scree_world *w, size_t unknowns) {
  const scree_body_id ground = {0};
  scree_body_id before = {0};
  for (size_t k = 0; k < unknowns / 27; k++) {
    const double x = 0.4 * (double)k, foot[3] = {x, 0, 0}, top[3] = {x, 0, 0.4},
                 last[3] = {x - 0.4, 0, 0.4};
    const scree_body_id bar = add_box(c, w, x, 0.0);
    join(c, w, SCREE_JOINT_HINGE, ground, bar, foot, NULL);
    if (k) {
      const scree_body_id rod = add_box(c, w, x - 0.2, 0.0);
      join(c, w, SCREE_JOINT_HINGE, before, rod, last, NULL);
      join(c, w, SCREE_JOINT_HINGE, rod, bar, top, NULL);
    }
    before = bar;
  }
}

static void add_tetrahedron(scree_context *c, scree_world *w, const scree_body_id *node) {
  scree_link_def d = scree_link_def_default();
  d.kind = SCREE_LINK_TETRAHEDRON;
  d.young = 1e7;
  d.poisson = 0.3;
  memcpy(d.body, node, 4 * sizeof *node);
  need(c, scree_world_add_link(w, &d, NULL));
}

static scree_body_id add_node(scree_context *c, scree_world *w, const double *at, bool held) {
  scree_body_def d = scree_body_def_default();
  scree_body_id id;
  memcpy(d.position, at, sizeof d.position);
  d.kind = held ? SCREE_BODY_FIXED : SCREE_BODY_DYNAMIC;
  d.mass = 1e-3;
  d.inertia[0] = d.inertia[3] = d.inertia[5] = 1e-8;
  need(c, scree_world_add_body(w, &d, &id));
  return id;
}

/* Six tetrahedra a cell, about its diagonal. */
static void build_block(scree_context *c, scree_world *w, size_t unknowns) {
  static const size_t corner[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
  const size_t side = (size_t)cbrt((double)unknowns / 6.0) + 1;
  scree_body_id *node = calloc(side * side * side, sizeof *node);
  for (size_t i = 0; node && i < side * side * side; i++) {
    const double at[3] = {0.01 * (double)(i % side), 0.01 * (double)(i / side % side),
                          0.01 * (double)(i / (side * side))};
    node[i] = add_node(c, w, at, i < side * side);
  }
  for (size_t i = 0; node && i < side * side * side; i++) {
    const size_t x = i % side, y = i / side % side, z = i / (side * side);
    scree_body_id cell[8];
    if (x + 1 == side || y + 1 == side || z + 1 == side) continue;
    for (size_t k = 0; k < 8; k++)
      cell[k] = node[i + k % 2 + side * (k / 2 % 2) + side * side * (k / 4)];
    for (size_t k = 0; k < 6; k++)
      add_tetrahedron(c, w,
                      (scree_body_id[4]){cell[0], cell[corner[k][0]], cell[corner[k][1]], cell[7]});
  }
  free(node);
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
  s.matrix.independent = *name != 'l'; /* as they were built */
  for (size_t k = 0; k < linear_count(); k++) {
    linear_solver solver;
    double residual, apart = 0.0, most = 0.0, t[4];
    /* Its iterations grow with the square of a chain's length. */
    if (strcmp(linear_at(k)->name, "minres") == 0 && strchr("cl", *name) && s.matrix.size > 2000)
      continue;
    /* Its null vectors fill a dense matrix. */
    if (strcmp(linear_at(k)->name, "mumps") == 0 && *name == 'l' && s.matrix.size > 2000) continue;
    if (linear_create(c, k, &solver)) continue;
    t[0] = cpu();
    need(c, solver.class->prepare(solver.self, &s.matrix));
    t[1] = cpu();
    need(c, solver.class->prepare(solver.self, &s.matrix));
    t[2] = cpu();
    system_forces(&s, s.x);
    /* Rows that depend on each other have a solution with what they give for some motion. */
    for (size_t i = 0; i < 6 * s.bodies; i++) s.step[i] = 1e-3 * sin((double)i);
    for (size_t r = 0; r < s.rows; r++)
      s.x[6 * s.bodies + r] = system_rate(&s, r, s.step) - s.row[r].given;
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

typedef struct system_kind {
  const char *name;
  void (*build)(scree_context *, scree_world *, size_t);
} system_kind;

int main(int count, char **arguments) {
  static const system_kind kinds[] = {
      {"chain", build_chain}, {"net", build_net}, {"loops", build_loops}, {"block", build_block}};
  const double most = count > 1 ? atof(arguments[1]) : 1e5;
  printf("system unknowns solver      first      next     solve   residual    apart\n");
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
    for (double n = 1e3; n <= 1.001 * most; n *= 10.0) {
      if (count > 2 && strcmp(arguments[2], kinds[kind].name) != 0) continue;
      scree_context_def d = scree_context_def_default();
      scree_world_def wd = scree_world_def_default();
      d.threads = 1;
      scree_context *context = scree_context_create(&d);
      scree_world *world;
      if (!context) return 1;
      need(context, scree_world_create(context, &wd, &world));
      kinds[kind].build(context, world, (size_t)n);
      measure(context, world, kinds[kind].name);
      scree_world_destroy(world);
      scree_context_destroy(context);
    }
  return 0;
}

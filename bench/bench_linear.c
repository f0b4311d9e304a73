/* The linear solvers of smooth steppers beside each other, on the matrix of a step of hht: chains
 * of hinges (a tree), nets of bodies tied to their neighbours by distances (a grid, with fill),
 * rows of four-bar linkages (loops, three rows of each depend on others) and blocks of tetrahedra
 * that are held at one face (a grid in space), and the same with ball joints to a body on a hinge
 * at that face (grip).
 *
 *   bench_linear [--most 1e5] [--least 1e3] [--turns 3] [--seconds 600] [--memory GiB] [--once]
 *                [--solver NAME]… [--kernels] [chain|net|loops|block|grip]…
 *
 * CPU seconds of the first factorisation (analysis, ordering), of the next, and of a solve; what is
 * left over; how far the bodies' part is from that of `direct`; and what the solver adds to the
 * peak of memory. Every measurement is a process of its own, and the solvers take turns: what is
 * printed are medians, and on one more line their ratio to MUMPS. A process ends at the limits of
 * CPU time and memory, and prints what it has come to. --once: no second factorisation.
 *
 * Turns of point masses stand alone in the matrix: a block of n unknowns counts six for each node,
 * as a step has them, and half of them (`left`) are what there is to solve. `direct` takes these
 * out by itself; MUMPS gets the matrix without them. OpenBLAS 0.3.21, which MUMPS calls, takes
 * kernels of 2004 for processors that it does not know; so the program names the best that it has
 * (OPENBLAS_CORETYPE) and starts itself again;
 * --kernels: those of the environment. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bench/apart.h"
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
static void build_nodes(scree_context *c, scree_world *w, size_t unknowns, bool grip) {
  static const size_t corner[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
  const size_t side = (size_t)cbrt((double)unknowns / 6.0) + 1;
  scree_body_id *node = calloc(side * side * side, sizeof *node), hand = {0};
  if (grip) {
    const double root[3] = {-0.1, 0, 0};
    hand = add_box(c, w, 0.0, 0.0);
    join(c, w, SCREE_JOINT_HINGE, (scree_body_id){0}, hand, root, NULL);
  }
  for (size_t i = 0; node && i < side * side * side; i++) {
    const double at[3] = {0.01 * (double)(i % side), 0.01 * (double)(i / side % side),
                          0.01 * (double)(i / (side * side))};
    node[i] = add_node(c, w, at, i < side * side && !grip);
    if (i < side * side && grip) join(c, w, SCREE_JOINT_BALL, hand, node[i], at, NULL);
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

static void build_block(scree_context *c, scree_world *w, size_t unknowns) {
  build_nodes(c, w, unknowns, false);
}

static void build_grip(scree_context *c, scree_world *w, size_t unknowns) {
  build_nodes(c, w, unknowns, true);
}

/* ---- a measurement --------------------------------------------------------------------------- */

enum { FIRST, NEXT, SOLVE, TIMES, MOST_TURNS = 16, MOST_SOLVERS = 8 };

typedef struct system_kind {
  const char *name;
  void (*build)(scree_context *, scree_world *, size_t);
} system_kind;

static const system_kind kinds[] = {{"chain", build_chain},
                                    {"net", build_net},
                                    {"loops", build_loops},
                                    {"block", build_block},
                                    {"grip", build_grip}};

/* In memory that both processes see; `places` goes on behind it. */
typedef struct outcome {
  size_t size, left, bodies; /* unknowns: of the step, of the solver; rows of bodies */
  int done;                  /* times that are measured */
  double time[TIMES], residual, memory;
  double place[];
} outcome;

typedef struct task {
  const system_kind *kind;
  size_t unknowns, solver, room;
  bool once;
  outcome *out;
} task;

static double resident(void) {
  unsigned long all = 0, pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%lu %lu", &all, &pages) != 2) pages = 0;
  if (file) fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* The matrix of a step, and a right side in s->x that it has a solution for. */
static void make_system(scree_context *c, scree_world *w, const char *name, smooth_system *s) {
  const smooth_weights weights = {
      .mass = 1.0, .rate = 5e-4, .place = 2.5e-7, .geometric = true, .turns = true};
  bool again;
  system_init(s, w);
  need(c, system_begin(s, &again));
  memset(s->step, 0, 6 * s->bodies * sizeof *s->step);
  memset(s->a, 0, 6 * s->bodies * sizeof *s->a);
  memset(s->lambda, 0, s->rows * sizeof *s->lambda);
  system_rows(s);
  system_matrix(s, &weights);
  s->matrix.independent = *name != 'l'; /* as they were built */
  system_forces(s, s->x);
  /* Rows that depend on each other have a solution with what they give for some motion. */
  for (size_t i = 0; i < 6 * s->bodies; i++) s->step[i] = 1e-3 * sin((double)i);
  for (size_t r = 0; r < s->rows; r++)
    s->x[6 * s->bodies + r] = system_rate(s, r, s->step) - s->row[r].given;
}

static void measure(void *user) {
  const task *t = user;
  outcome *out = t->out;
  scree_context_def d = scree_context_def_default();
  scree_world_def wd = scree_world_def_default();
  smooth_system s;
  kkt_points points = {.count = 0};
  linear_solver solver;
  d.threads = 1;
  scree_context *c = scree_context_create(&d);
  scree_world *w;
  if (!c) exit(1);
  need(c, scree_world_create(c, &wd, &w));
  t->kind->build(c, w, t->unknowns);
  make_system(c, w, t->kind->name, &s);
  need(c, kkt_points_find(c, &s.matrix, &points));
  const bool reduced = strcmp(linear_at(t->solver)->name, "mumps") == 0;
  const kkt_matrix *m = reduced ? &points.left : &s.matrix;
  double *x = calloc(m->size, sizeof *x);
  if (!x) exit(1);
  if (reduced)
    kkt_points_take(&points, &s.matrix, s.x, x);
  else
    memcpy(x, s.x, m->size * sizeof *x);
  out->size = s.matrix.size;
  out->left = points.left.size;
  out->bodies = s.matrix.first[s.matrix.bodies];
  const double before = resident();
  need(c, linear_create(c, t->solver, &solver));
  for (int k = FIRST; k < TIMES; k++) {
    const double start = cpu();
    if (k == NEXT && t->once) {
      out->time[k] = NAN;
    } else {
      if (k == SOLVE)
        need(c, solver.class->solve(solver.self, m, x, &out->residual));
      else
        need(c, solver.class->prepare(solver.self, m));
      out->time[k] = cpu() - start;
    }
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    out->memory = 1024.0 * (double)use.ru_maxrss - before;
    out->done = k + 1;
  }
  if (reduced) kkt_points_give(&points, &s.matrix, x, s.x);
  if (t->room >= out->bodies) memcpy(out->place, reduced ? s.x : x, out->bodies * sizeof *x);
}

/* ---- the table ------------------------------------------------------------------------------- */

typedef struct plan {
  double least, most, seconds, gigabytes;
  int turns;
  bool once, kind[sizeof kinds / sizeof *kinds], any_kind, solver[MOST_SOLVERS], any_solver;
} plan;

static double median(double *x, int n) {
  for (int i = 1; i < n; i++)
    for (int k = i; k > 0 && x[k - 1] > x[k]; k--) {
      const double t = x[k];
      x[k] = x[k - 1];
      x[k - 1] = t;
    }
  return n ? x[n / 2] : NAN;
}

/* Iterations grow with the square of a chain's length; null vectors of loops are dense. */
static bool is_out_of_reach(const char *solver, const char *kind, double n) {
  return (strcmp(solver, "minres") == 0 && (n > 2e5 || (n > 2e3 && strchr("cl", *kind)))) ||
         (strcmp(solver, "mumps") == 0 && *kind == 'l' && n > 2e3);
}

static double apart(const outcome *a, const outcome *b) {
  double most = 0.0, sum = 0.0;
  for (size_t i = 0; i < a->bodies; i++) {
    most = fmax(most, fabs(a->place[i]));
    sum = fmax(sum, fabs(a->place[i] - b->place[i]));
  }
  return sum / most;
}

static void print_row(const outcome *o, const char *kind, const char *solver, const double *t,
                      const outcome *first, apart_end end) {
  printf("%-6s %8zu %8zu %-7s", kind, o->size, o->left, solver);
  for (int k = 0; k < TIMES; k++)
    if (k < o->done && !isnan(t[k]))
      printf(" %9.4f", t[k]);
    else
      printf(" %9s", "-");
  printf(" %9.4g", 1e-6 * o->memory);
  if (o->done == TIMES)
    printf(" %9.1e %8.1e\n", o->residual, first ? apart(first, o) : 0.0);
  else
    printf("  %s\n", end == APART_LATE ? "out of CPU time" : "ended: no memory, or refused");
  fflush(stdout);
}

static void compare(const plan *p, const system_kind *kind, double n) {
  const size_t room = (size_t)(1.2 * n) + 256, bytes = sizeof(outcome) + room * sizeof(double);
  outcome *out[MOST_SOLVERS] = {NULL};
  double time[MOST_SOLVERS][TIMES][MOST_TURNS], middle[MOST_SOLVERS][TIMES];
  apart_end end[MOST_SOLVERS] = {APART_DONE};
  int direct = -1, mumps = -1, got[MOST_SOLVERS] = {0};
  for (int turn = 0; turn < p->turns; turn++)
    for (size_t k = 0; k < linear_count() && k < MOST_SOLVERS; k++) {
      const char *name = linear_at(k)->name;
      if ((p->any_solver && !p->solver[k]) || is_out_of_reach(name, kind->name, n)) continue;
      if (end[k] != APART_DONE || (turn && strcmp(name, "minres") == 0)) continue;
      if (!out[k] && !(out[k] = apart_memory(bytes))) continue;
      if (strcmp(name, "direct") == 0) direct = (int)k;
      if (strcmp(name, "mumps") == 0) mumps = (int)k;
      task t = {.kind = kind,
                .unknowns = (size_t)n,
                .solver = k,
                .room = room,
                .once = p->once,
                .out = out[k]};
      out[k]->done = 0;
      end[k] = apart_run(p->seconds, (size_t)(1e9 * p->gigabytes), measure, &t);
      for (int i = 0; i < TIMES; i++) time[k][i][got[k]] = i < out[k]->done ? out[k]->time[i] : NAN;
      got[k]++;
    }
  for (size_t k = 0; k < MOST_SOLVERS; k++) {
    if (!out[k]) continue;
    for (int i = 0; i < TIMES; i++) middle[k][i] = median(time[k][i], got[k]);
    print_row(out[k], kind->name, linear_at(k)->name, middle[k],
              direct >= 0 && out[direct]->done == TIMES ? out[direct] : NULL, end[k]);
  }
  if (direct >= 0 && mumps >= 0) {
    printf("%-6s %8s %8s %-7s", "", "", "", "ratio");
    for (int i = 0; i < TIMES; i++) printf(" %9.2f", middle[direct][i] / middle[mumps][i]);
    printf(" %9.2f\n", out[direct]->memory / out[mumps]->memory);
    fflush(stdout);
  }
  for (size_t k = 0; k < MOST_SOLVERS; k++)
    if (out[k]) apart_memory_free(out[k], bytes);
}

static bool read_word(plan *p, const char *word) {
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strcmp(word, kinds[k].name) == 0) return p->any_kind = p->kind[k] = true;
  return false;
}

static bool read_solver(plan *p, const char *word) {
  for (size_t k = 0; word && k < linear_count() && k < MOST_SOLVERS; k++)
    if (strcmp(word, linear_at(k)->name) == 0) return p->any_solver = p->solver[k] = true;
  return false;
}

static bool read_plan(plan *p, char **word) {
  for (; *word; word++) {
    const double value = word[1] ? atof(word[1]) : 0.0;
    if (strcmp(*word, "--once") == 0)
      p->once = true;
    else if (strcmp(*word, "--kernels") == 0)
      continue;
    else if (read_word(p, *word))
      continue;
    else if (strcmp(*word, "--solver") == 0 && read_solver(p, word[1]))
      word++;
    else if (!(value > 0.0))
      return false;
    else if (strcmp(*word, "--most") == 0)
      p->most = atof(*++word);
    else if (strcmp(*word, "--least") == 0)
      p->least = atof(*++word);
    else if (strcmp(*word, "--turns") == 0)
      p->turns = (int)fmin(atof(*++word), MOST_TURNS);
    else if (strcmp(*word, "--seconds") == 0)
      p->seconds = atof(*++word);
    else if (strcmp(*word, "--memory") == 0)
      p->gigabytes = atof(*++word);
    else
      return false;
  }
  return p->turns >= 1;
}

/* A virtual machine gets its memory from the host at the first touch, which takes 2 s a gigabyte:
 * whoever comes first to a page would pay for it. So pages are touched before. */
static void touch(const plan *p) {
  const double free = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  const size_t bytes = (size_t)fmin(2e9 + 6e8 * pow(p->most / 1e5, 4.0 / 3.0), 0.6 * free);
  char *raw = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return;
  madvise(raw, bytes, MADV_HUGEPAGE);
  memset(raw, 1, bytes);
  munmap(raw, bytes);
}

/* OpenBLAS reads the variable before main. One that the caller has set counts with --kernels. */
static void choose_kernels(char **arguments) {
#if defined(__x86_64__) && defined(__GNUC__)
  for (char **word = arguments; *word; word++)
    if (strcmp(*word, "--kernels") == 0) return;
  static char mark[] = "--kernels";
  char *with[64] = {NULL};
  size_t words = 0;
  for (; arguments[words] && words < 60; words++) with[words] = arguments[words];
  with[words] = mark;
  __builtin_cpu_init();
  const char *type = __builtin_cpu_supports("avx512f") ? "SkylakeX"
                     : __builtin_cpu_supports("avx2")  ? "Haswell"
                                                       : NULL;
  if (type && setenv("OPENBLAS_CORETYPE", type, 1) == 0) execv("/proc/self/exe", with);
#else
  (void)arguments;
#endif
}

int main(int count, char **arguments) {
  plan p = {.least = 1e3, .most = 1e5, .seconds = 600.0, .gigabytes = 20.0, .turns = 3};
  (void)count;
  choose_kernels(arguments);
  if (!read_plan(&p, arguments + 1)) {
    fprintf(stderr,
            "usage: bench_linear [--most N] [--least N] [--turns N] [--seconds S] "
            "[--memory GiB] [--once] [--solver NAME] [--kernels] [chain|net|loops|block|grip]\n");
    return 2;
  }
  touch(&p);
  const char *type = getenv("OPENBLAS_CORETYPE");
  printf("CPU seconds, medians of %d; kernels of OpenBLAS: %s\n", p.turns, type ? type : "its own");
  printf("system unknowns     left solver      first      next     solve        MB  residual    "
         "apart\n");
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
    for (double n = p.least; n <= 1.001 * p.most && (!p.any_kind || p.kind[kind]); n *= 10.0)
      compare(&p, &kinds[kind], n);
  return 0;
}

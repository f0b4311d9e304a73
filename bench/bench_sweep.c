/* bench_sweep [--json]: what a Gauss-Seidel sweep costs, against a plain one, against an iteration
 * of apgd, on two threads, and against the bandwidth of memory. Packing of 4,096 spheres (about
 * 22,000 contacts, in cache) and of 185,193 (about a million, beyond it; numbered along a
 * space-filling curve, as simulations number theirs), bodies form. Also what
 * the residuals cost, a sweep over boxes (a stack: contacts of any shape) in lanes and one by one,
 * and what sweeps and iterations of apgd cost with rolling and spinning friction, against those
 * without: between equal spheres, and where masses differ.
 *
 * Every figure is a median over rounds; what is compared is measured in turns within a round, so
 * that a busy machine slows both. A sweep is timed alone and the fastest of a round counts: on a
 * busy machine the others were interrupted. What takes longer than a slice of the scheduler, on one
 * thread, is timed by CPU time; solvers as the difference of a long run and a short one, so that
 * setup and checks drop out. docs/performance.md says what bounds the figures. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/timer.h"
#include "bench/naive.h"
#include "ccp/bodies/operator.h"
#include "tests/support/packing.h"
#include "tests/support/scenes.h"

enum { ROUNDS = 21, SWEEPS = 25, LARGE_ROUNDS = 7, LARGE_SWEEPS = 4, EDGE = 16, LARGE_EDGE = 57 };

typedef struct figures {
  size_t contacts, large_contacts;
  double gs_contacts_per_s, naive_contacts_per_s, gs_over_naive;
  double apgd_iteration_over_gs_sweep, speedup_2_threads, bytes_per_contact;
  double copy_bandwidth, large_bandwidth, copy_bandwidth_fraction, large_ns_per_contact;
  double setup_in_sweeps, residual_in_sweeps, gs_residual, naive_residual;
  double rigid_ns_per_contact, rigid_singly_ns_per_contact;
  double rolling_over_plain, rolling_unequal_over_plain, rolling_apgd_over_plain;
  double rolling_unequal_apgd_over_plain, rolling_ns_per_contact, rolling_singly_ns_per_contact;
  const char *kernel;
} figures;

static const op_sweep_params params = {
    .metric = OP_METRIC_EXACT, .model = SCREE_MODEL_RELAXED, .omega = 1.0, .lambda = 1.0};

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *x, size_t n) {
  qsort(x, n, sizeof *x, compare);
  return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

static scree_context *context_with(int threads) {
  scree_context_def def = scree_context_def_default();
  def.threads = threads;
  return scree_context_create(&def);
}

static void check(scree_context *context, scree_status status) {
  if (!status) return;
  fprintf(stderr, "bench_sweep: %s\n", scree_context_message(context));
  exit(1);
}

static scree_ccp *pack(scree_context *context, int edge) {
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = edge;
  def.curve = edge == LARGE_EDGE;
  scree_ccp *problem = NULL;
  check(context, packing_create(context, &def, &problem));
  /* Without a reference speed no contact is taken for open and left out (ccp/bodies/pack.h): every
   * sweep is over all of them. R is then relative to the largest |r|. */
  scree_ccp_set_reference_speed(problem, 0.0);
  return problem;
}

static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double sweep_seconds(ccp_operator *op, double *g, int sweeps) {
  double best = INFINITY;
  for (int k = 0; k < sweeps; k++) {
    const double start = timer_now();
    op_sweep_inside(op, &params, g);
    best = fmin(best, timer_now() - start);
  }
  return best;
}

static double sweep_cpu_seconds(ccp_operator *op, double *g, int sweeps) {
  const double start = cpu_now();
  for (int k = 0; k < sweeps; k++) op_sweep_inside(op, &params, g);
  return (cpu_now() - start) / sweeps;
}

static double naive_seconds(naive *n, int sweeps) {
  double best = INFINITY;
  for (int k = 0; k < sweeps; k++) {
    const double start = timer_now();
    naive_sweep(n);
    best = fmin(best, timer_now() - start);
  }
  return best;
}

static double run_seconds(scree_context *context, const scree_ccp *problem, scree_solver *solver,
                          long iterations, double *g) {
  scree_solve_info info;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_RELAXED;
  settings.tolerance_error = 1e-15;
  settings.iteration_limit = settings.check_interval = iterations;
  const double start = cpu_now();
  check(context, scree_solver_solve(solver, problem, &settings, g, &info));
  return cpu_now() - start;
}

/* CPU seconds per iteration of a solver, and the bytes it holds. */
static double iteration_seconds(scree_context *context, const scree_ccp *problem, const char *name,
                                double *g, size_t *bytes) {
  enum { SHORT = 40, LONG = 140 };
  scree_solver *solver = NULL;
  const size_t before = scree_context_bytes(context);
  check(context, scree_solver_create(context, name, &solver));
  const double few = run_seconds(context, problem, solver, SHORT, g);
  const double again = run_seconds(context, problem, solver, SHORT, g);
  const double many = run_seconds(context, problem, solver, LONG, g);
  *bytes = scree_context_bytes(context) - before;
  scree_solver_destroy(solver);
  return (many - fmin(few, again)) / (LONG - SHORT);
}

static double setup_seconds(ccp_operator *op, const scree_ccp *problem) {
  const double start = cpu_now();
  check(op->context, op_prepare(op, problem));
  return cpu_now() - start;
}

static double residual_seconds(ccp_operator *op, const double *g, double *scratch, int count) {
  double best = INFINITY;
  for (int k = 0; k < count; k++) {
    scree_residual residual;
    const double start = timer_now();
    op_sweep_residual(op, SCREE_MODEL_RELAXED, g, scratch, &residual);
    best = fmin(best, timer_now() - start);
  }
  return best;
}

/* R after 200 sweeps from zero: both do the same work. */
static double residual_after(const scree_ccp *problem, ccp_operator *op, naive *plain, double *g) {
  scree_residual residual;
  memset(g, 0, op->row_count * sizeof *g);
  naive *fresh = plain ? naive_create(problem) : NULL;
  if (!plain) op_sweep_begin(op, g);
  for (int k = 0; k < 200; k++) {
    if (fresh)
      naive_sweep(fresh);
    else
      op_sweep_inside(op, &params, g);
  }
  if (fresh)
    naive_get(fresh, g);
  else
    op_sweep_store(op, g);
  naive_destroy(fresh);
  check(op->context, scree_ccp_residual(op->context, problem, SCREE_MODEL_RELAXED, g, &residual));
  return residual.scaled;
}

static void measure_small(figures *f) {
  scree_context *one = context_with(1), *two = context_with(2);
  scree_ccp *problem = pack(one, EDGE);
  const size_t rows = scree_ccp_row_count(problem);
  double *g = calloc(rows, sizeof *g), *g2 = calloc(rows, sizeof *g2);
  ccp_operator *op = NULL, *op2 = NULL;
  check(one, op_create(one, problem, &op));
  check(two, op_create(two, problem, &op2));
  naive *plain = naive_create(problem);
  op_sweep_begin(op, g);
  op_sweep_begin(op2, g2);
  double gs[ROUNDS], slow[ROUNDS], ratio[ROUNDS], speedup[ROUNDS], apgd[ROUNDS], setup[ROUNDS],
      judge[ROUNDS];
  for (size_t k = 0; k < ROUNDS; k++) {
    gs[k] = sweep_seconds(op, g, SWEEPS);
    slow[k] = naive_seconds(plain, SWEEPS);
    gs[k] = fmin(gs[k], sweep_seconds(op, g, SWEEPS));
    ratio[k] = slow[k] / gs[k];
    judge[k] = residual_seconds(op, g, g2, SWEEPS) / gs[k];
    const double half = sweep_seconds(op2, g2, SWEEPS);
    speedup[k] = sweep_seconds(op, g, SWEEPS) / fmin(half, sweep_seconds(op2, g2, SWEEPS));
  }
  op_sweep_store(op, g);
  f->gs_residual = residual_after(problem, op, NULL, g);
  f->naive_residual = residual_after(problem, op, plain, g);
  size_t bytes = 0, ignored;
  for (size_t k = 0; k < ROUNDS; k++) {
    const double a = iteration_seconds(one, problem, "apgd", g, &ignored);
    const double s = iteration_seconds(one, problem, "gs", g, &bytes);
    apgd[k] = a / s;
    setup[k] = setup_seconds(op, problem) / s;
  }
  f->contacts = scree_ccp_block_count(problem);
  f->kernel = ((op_bodies *)op->impl)->kernels->name;
  f->gs_over_naive = median(ratio, ROUNDS);
  f->gs_contacts_per_s = (double)f->contacts / median(gs, ROUNDS);
  f->naive_contacts_per_s = (double)f->contacts / median(slow, ROUNDS);
  f->speedup_2_threads = median(speedup, ROUNDS);
  f->apgd_iteration_over_gs_sweep = median(apgd, ROUNDS);
  f->setup_in_sweeps = median(setup, ROUNDS);
  f->residual_in_sweeps = median(judge, ROUNDS);
  f->bytes_per_contact = (double)bytes / (double)f->contacts;
  free(g);
  free(g2);
  naive_destroy(plain);
  op_destroy(op);
  op_destroy(op2);
  scree_ccp_destroy(problem);
  scree_context_destroy(one);
  scree_context_destroy(two);
}

static void measure_boxes(figures *f) {
  enum { BOXES = 1500 };
  scree_context *one = context_with(1);
  scree_ccp *problem = NULL;
  check(one, scene_box_stack(one, BOXES, &problem));
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
  ccp_operator *op = NULL;
  check(one, op_create(one, problem, &op));
  if (!g) exit(1);
  op_sweep_begin(op, g);
  double lanes[ROUNDS], singly[ROUNDS];
  for (size_t k = 0; k < ROUNDS; k++) {
    lanes[k] = sweep_seconds(op, g, SWEEPS);
    const double start = timer_now();
    op_sweep_reference(op, &params, g);
    singly[k] = timer_now() - start;
  }
  const double each = 1e9 / (double)scree_ccp_block_count(problem);
  f->rigid_ns_per_contact = each * median(lanes, ROUNDS);
  f->rigid_singly_ns_per_contact = each * median(singly, ROUNDS);
  free(g);
  op_destroy(op);
  scree_ccp_destroy(problem);
  scree_context_destroy(one);
}

/* The packing of measure_small, with or without rolling and spinning friction. The sweeps are timed
 * where they are needed, from rest on. */
typedef struct rolling_run {
  scree_context *context;
  scree_ccp *problem;
  ccp_operator *op;
  double *g;
} rolling_run;

static rolling_run rolling_open(double friction, packing_masses masses) {
  enum { WARM = 20 };
  rolling_run run = {.context = context_with(1)};
  packing_def def = packing_def_default();
  def.nx = def.ny = def.nz = EDGE;
  def.rolling = def.spinning = friction;
  def.masses = masses;
  if (masses == PACKING_RANDOM) def.mass_ratio = 4.0;
  check(run.context, packing_create(run.context, &def, &run.problem));
  scree_ccp_set_reference_speed(run.problem, 0.0);
  run.g = calloc(scree_ccp_row_count(run.problem), sizeof *run.g);
  if (!run.g) exit(1);
  check(run.context, op_create(run.context, run.problem, &run.op));
  op_sweep_begin(run.op, run.g);
  for (int k = 0; k < WARM; k++) op_sweep_inside(run.op, &params, run.g);
  return run;
}

static void rolling_close(rolling_run *run) {
  free(run->g);
  op_destroy(run->op);
  scree_ccp_destroy(run->problem);
  scree_context_destroy(run->context);
}

/* Ratios to the packing without, of a sweep and of an iteration of apgd. */
static double rolling_ratios(packing_masses masses, double *apgd_ratio, double *singly) {
  enum { FEW = 7 };
  rolling_run plain = rolling_open(0.0, masses), roll = rolling_open(0.005, masses);
  const double each = 1e9 / (double)scree_ccp_block_count(plain.problem);
  double ratio[ROUNDS], apgd[FEW], single = INFINITY;
  size_t ignored;
  for (size_t k = 0; k < ROUNDS; k++)
    ratio[k] = sweep_seconds(roll.op, roll.g, SWEEPS) / sweep_seconds(plain.op, plain.g, SWEEPS);
  op_sweep_store(roll.op, roll.g);
  for (size_t k = 0; k < FEW; k++) {
    op_sweep_begin(roll.op, roll.g);
    const double start = timer_now();
    op_sweep_reference(roll.op, &params, roll.g);
    single = fmin(single, timer_now() - start);
    apgd[k] = iteration_seconds(roll.context, roll.problem, "apgd", roll.g, &ignored) /
              iteration_seconds(plain.context, plain.problem, "apgd", plain.g, &ignored);
  }
  rolling_close(&plain);
  rolling_close(&roll);
  *apgd_ratio = median(apgd, FEW);
  *singly = each * single;
  return median(ratio, ROUNDS);
}

static void measure_rolling(figures *f) {
  double ignored;
  f->rolling_over_plain =
      rolling_ratios(PACKING_EQUAL, &f->rolling_apgd_over_plain, &f->rolling_singly_ns_per_contact);
  f->rolling_ns_per_contact = f->rolling_over_plain * 1e9 / f->gs_contacts_per_s;
  f->rolling_unequal_over_plain =
      rolling_ratios(PACKING_RANDOM, &f->rolling_unequal_apgd_over_plain, &ignored);
}

/* Bytes that a sweep cannot avoid: every contact is read and its impulse written, every moving
 * body's line read and written once. */
static double compulsory_bytes(const ccp_operator *op) {
  const op_bodies *impl = op->impl;
  const double group = sizeof(sphere_group) + 2.0 * PACK_IMPULSES * sizeof(double);
  return (double)impl->pack.lanes.count * group +
         (double)op->problem->bodies.body_count * 2.0 * sizeof(body_line);
}

/* Called through a pointer that the compiler must read, so that no copy can be left out. */
static void *(*volatile copy_memory)(void *, const void *, size_t) = memcpy;

static double copy_seconds(double *to, const double *from, size_t bytes) {
  enum { COPIES = 3 };
  const double start = cpu_now();
  for (int k = 0; k < COPIES; k++) copy_memory(to, from, bytes);
  return (cpu_now() - start) / COPIES;
}

static void measure_large(figures *f) {
  enum { COPY_BYTES = 128 << 20 };
  scree_context *one = context_with(1);
  scree_ccp *problem = pack(one, LARGE_EDGE);
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
  double *from = memory_new(one, COPY_BYTES, 1), *to = memory_new(one, COPY_BYTES, 1);
  if (!g || !from || !to) exit(1);
  memset(from, 1, COPY_BYTES);
  memset(to, 2, COPY_BYTES);
  ccp_operator *op = NULL;
  check(one, op_create(one, problem, &op));
  op_sweep_begin(op, g);
  const double bytes = compulsory_bytes(op);
  double sweep[LARGE_ROUNDS], copy[LARGE_ROUNDS], fraction[LARGE_ROUNDS];
  for (size_t k = 0; k < LARGE_ROUNDS; k++) {
    sweep[k] = sweep_cpu_seconds(op, g, LARGE_SWEEPS);
    copy[k] = copy_seconds(to, from, COPY_BYTES) / (2.0 * COPY_BYTES);
    fraction[k] = bytes / sweep[k] * copy[k];
  }
  f->large_contacts = scree_ccp_block_count(problem);
  f->copy_bandwidth_fraction = median(fraction, LARGE_ROUNDS);
  f->copy_bandwidth = 1.0 / median(copy, LARGE_ROUNDS);
  const double seconds = median(sweep, LARGE_ROUNDS);
  f->large_bandwidth = bytes / seconds;
  f->large_ns_per_contact = 1e9 * seconds / (double)f->large_contacts;
  free(g);
  memory_free(one, from);
  memory_free(one, to);
  op_destroy(op);
  scree_ccp_destroy(problem);
  scree_context_destroy(one);
}

static void print_json(const figures *f) {
  printf("{\"contacts\": %zu, \"kernel\": \"%s\", \"gs_contacts_per_s\": %.4g, "
         "\"naive_contacts_per_s\": %.4g, \"gs_over_naive\": %.3f, "
         "\"apgd_iteration_over_gs_sweep\": %.3f, \"speedup_2_threads\": %.3f, "
         "\"bytes_per_contact\": %.1f, \"setup_in_sweeps\": %.1f, \"residual_in_sweeps\": %.2f, "
         "\"rigid_ns_per_contact\": %.1f, \"rigid_singly_ns_per_contact\": %.1f, "
         "\"rolling_ns_per_contact\": %.1f, \"rolling_singly_ns_per_contact\": %.1f, "
         "\"rolling_over_plain\": %.2f, \"rolling_unequal_over_plain\": %.2f, "
         "\"rolling_apgd_over_plain\": %.2f, \"rolling_unequal_apgd_over_plain\": %.2f, "
         "\"large_contacts\": %zu, "
         "\"large_ns_per_contact\": %.2f, \"copy_bandwidth_gb_per_s\": %.2f, "
         "\"large_bandwidth_gb_per_s\": %.2f, \"copy_bandwidth_fraction\": %.3f, "
         "\"gs_residual\": %.3g, \"naive_residual\": %.3g}\n",
         f->contacts, f->kernel, f->gs_contacts_per_s, f->naive_contacts_per_s, f->gs_over_naive,
         f->apgd_iteration_over_gs_sweep, f->speedup_2_threads, f->bytes_per_contact,
         f->setup_in_sweeps, f->residual_in_sweeps, f->rigid_ns_per_contact,
         f->rigid_singly_ns_per_contact, f->rolling_ns_per_contact,
         f->rolling_singly_ns_per_contact, f->rolling_over_plain, f->rolling_unequal_over_plain,
         f->rolling_apgd_over_plain, f->rolling_unequal_apgd_over_plain, f->large_contacts,
         f->large_ns_per_contact, 1e-9 * f->copy_bandwidth, 1e-9 * f->large_bandwidth,
         f->copy_bandwidth_fraction, f->gs_residual, f->naive_residual);
}

static void print_table(const figures *f) {
  printf("packing of %zu contacts, kernel %s\n", f->contacts, f->kernel);
  printf("  Gauss-Seidel         %8.2f M contacts/s  (%.1f ns a contact)\n",
         1e-6 * f->gs_contacts_per_s, 1e9 / f->gs_contacts_per_s);
  printf("  naive Gauss-Seidel   %8.2f M contacts/s  (%.1f ns): %.2f times slower\n",
         1e-6 * f->naive_contacts_per_s, 1e9 / f->naive_contacts_per_s, f->gs_over_naive);
  printf("  apgd iteration       %8.2f sweeps\n", f->apgd_iteration_over_gs_sweep);
  printf("  two threads          %8.2f times one\n", f->speedup_2_threads);
  printf("  memory of the solver %8.1f bytes a contact\n", f->bytes_per_contact);
  printf("  setup                %8.1f sweeps\n", f->setup_in_sweeps);
  printf("  residuals            %8.2f sweeps\n", f->residual_in_sweeps);
  printf("  R afterwards         %8.1e (naive %.1e)\n", f->gs_residual, f->naive_residual);
  printf("stack of boxes\n");
  printf("  Gauss-Seidel         %8.1f ns a contact, one by one %.1f\n", f->rigid_ns_per_contact,
         f->rigid_singly_ns_per_contact);
  printf("rolling and spinning friction\n");
  printf("  Gauss-Seidel         %8.2f times without (%.1f ns a contact), masses unequal %.2f\n",
         f->rolling_over_plain, f->rolling_ns_per_contact, f->rolling_unequal_over_plain);
  printf("  one by one           %8.1f ns a contact\n", f->rolling_singly_ns_per_contact);
  printf("  apgd iteration       %8.2f times without, masses unequal %.2f\n",
         f->rolling_apgd_over_plain, f->rolling_unequal_apgd_over_plain);
  printf("packing of %zu contacts\n", f->large_contacts);
  printf("  Gauss-Seidel         %8.1f ns a contact, %.1f GB/s of compulsory traffic\n",
         f->large_ns_per_contact, 1e-9 * f->large_bandwidth);
  printf("  copying memory       %8.1f GB/s read and written: a fraction of %.2f\n",
         1e-9 * f->copy_bandwidth, f->copy_bandwidth_fraction);
}

int main(int argc, char **argv) {
  const bool json = argc == 2 && strcmp(argv[1], "--json") == 0;
  if (argc > 1 && !json) {
    fputs("usage: bench_sweep [--json]\n", stderr);
    return 2;
  }
  figures f = {0};
  measure_small(&f);
  measure_boxes(&f);
  measure_rolling(&f);
  measure_large(&f);
  if (json)
    print_json(&f);
  else
    print_table(&f);
  return 0;
}

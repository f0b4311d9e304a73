/* Settled beds of spheres of growing size: what a step costs and where, per body; what a warm start
 * saves; what the recording adds; and how memory grows.
 *
 *   bench_beds [--json] [n …]              default 1000 4000 16000 64000; about four minutes
 *   bench_beds --settled [DIRECTORY]       the beds settled_N.csv that a peer made and was timed on
 *   bench_beds --large N [STEPS]           a packed lattice of N spheres, ten layers that touch, 50
 *                                          sweeps a step: us of CPU time a body and step, ns a
 *                                          contact, bytes a body; one thread, STEPS (default 20)
 *   bench_beds --pebble N                  projects how long the scene pebble-bed takes to fill
 *
 * A bed is made by letting a loose lattice of n spheres (radius 0.05 m, density 2000, mu 0.3, pitch
 * 0.104 m, ten layers) fall into a box, 1 s at 5 ms, gradient steps to R = 0.1 or 100 of them.
 * All beds are ten layers deep, so that from size to size only the size changes; `rest` tells how
 * still a bed is: its kinetic energy a body over m g d. Then, one thread, h = 5 ms:
 *
 * - split: a run of 100 to 400 steps with 50 sweeps each, recorded 60 times a simulated second with
 *   contact forces, as `scree run` does: milliseconds of CPU time a step of each phase
 * - ns/body: of all phases but the recording; asked: from the smallest bed to the largest it grows
 *   by at most 1.5
 * - record: its part of the run; asked: below 5%
 * - warm, cold: gradient steps to R = 0.05 from the impulses of the step before, and from none
 * - B/body: memory that a bed needs more than the one before it, a body: of the library's own count
 *   (peak), and of the resident set (peak); asked: 2000. Each bed has a process of its own. */
#define _DEFAULT_SOURCE /* wait4 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scree/scree.h"

static const double radius = 0.05, h = 0.005;

typedef struct row {
  size_t n, contacts;
  double collide, assemble, solve, integrate, record; /* ms a step */
  double ns_per_body, record_part, warm, cold, rest;
  size_t counted, resident; /* bytes, peak */
} row;

static void check(scree_context *context, scree_status status) {
  if (!status) return;
  fprintf(stderr, "bench_beds: %s: %s\n", scree_status_text(status),
          scree_context_message(context));
  exit(1);
}

static double jitter(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return 0.0015 * (2.0 * (double)(*seed >> 11) / 9007199254740992.0 - 1.0);
}

static const double pitch = 0.104;
enum { LAYERS = 10 };

static size_t across(size_t n) {
  return (size_t)ceil(sqrt((double)n / LAYERS));
}

static double side_of(size_t n) {
  return pitch * (double)across(n);
}

static double height_of(void) {
  return 1.2 * pitch * LAYERS;
}

static void fill(scree_context *context, scree_world *world, size_t n) {
  scree_shape *ball, *box;
  scree_material_def material = scree_material_def_default();
  const size_t m = across(n);
  const double side = side_of(n), half[3] = {0.5 * side, 0.5 * side, 0.5 * height_of()};
  material.friction = 0.3;
  check(context, scree_world_set_material(world, (scree_material_id){0}, &material));
  check(context, scree_shape_create_sphere(context, radius, &ball));
  check(context, scree_shape_create_box_container(context, half, SCREE_OPEN_TOP, &box));
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_FIXED;
  d.shape = box;
  d.position[0] = d.position[1] = 0.5 * side;
  d.position[2] = half[2];
  check(context, scree_world_add_body(world, &d, NULL));
  uint64_t seed = 1;
  for (size_t i = 0; i < n; i++) {
    d = scree_body_def_default();
    d.shape = ball;
    d.density = 2000.0;
    d.position[0] = pitch * ((double)(i % m) + 0.5) + jitter(&seed);
    d.position[1] = pitch * ((double)(i / m % m) + 0.5) + jitter(&seed);
    d.position[2] = pitch * ((double)(i / (m * m)) + 0.5) + jitter(&seed);
    check(context, scree_world_add_body(world, &d, NULL));
  }
  scree_shape_destroy(ball);
  scree_shape_destroy(box);
}

/* A step that misses its tolerance is not solved again: what one solve costs is measured. */
static scree_stepper_def bench_stepper(void) {
  scree_stepper_def def = scree_stepper_def_default();
  def.on_nonconverged = SCREE_ON_NONCONVERGED_CONTINUE;
  return def;
}

/* Mean iterations of `steps` steps after `before` others. */
static double iterations(scree_context *context, scree_world *world, bool warm, int before,
                         int steps) {
  scree_stepper_def def = bench_stepper();
  scree_stepper *stepper;
  scree_step_info info;
  double sum = 0.0;
  def.solver = "apgd";
  def.tolerance_residual = 0.05;
  def.iteration_limit = 5000;
  def.warm_start = warm;
  check(context, scree_stepper_create(world, &def, &stepper));
  for (int k = 0; k < before + steps; k++) {
    check(context, scree_stepper_step(stepper, h, &info));
    if (k >= before) sum += (double)info.iterations;
  }
  scree_stepper_destroy(stepper);
  return sum / steps;
}

/* Returns the kinetic energy a body over m g d. */
static double settle(scree_context *context, scree_world *world, size_t n) {
  scree_stepper_def def = bench_stepper();
  scree_stepper *stepper;
  scree_step_info info;
  def.solver = "apgd";
  def.tolerance_residual = 0.1;
  def.iteration_limit = 100;
  check(context, scree_stepper_create(world, &def, &stepper));
  for (int k = 0; k < 200; k++) check(context, scree_stepper_step(stepper, h, &info));
  scree_stepper_destroy(stepper);
  const double mass = 2000.0 * 4.0 / 3.0 * 3.141592653589793 * radius * radius * radius;
  return (info.energy.linear + info.energy.angular) / ((double)n * mass * 9.81 * 2.0 * radius);
}

static void write_bed(scree_context *context, const scree_world *world, size_t n,
                      const char *path) {
  FILE *file = fopen(path, "w");
  if (!file) {
    perror(path);
    exit(1);
  }
  fprintf(file, "x,y,z,radius\n");
  for (size_t i = 1; i <= n; i++) {
    scree_body_state state;
    check(context, scree_body_get_state(world, scree_world_body_at(world, i), &state));
    fprintf(file, "%.7f,%.7f,%.7f,%g\n", state.position[0], state.position[1], state.position[2],
            radius);
  }
  fclose(file);
}

static const char *const scene_text =
    "title: a settled bed\n"
    "solver: {name: gs, tolerance_residual: 1e-14, iteration_limit: 50, check_interval: 50, "
    "on_nonconverged: "
    "continue}\n"
    "step: 5 ms\nduration: %g s\noverlap: 0.05\n"
    "materials: {default: {friction: 0.3}}\n"
    "bodies:\n"
    "  - {name: box, kind: fixed, position: [%.17g, %.17g, %.17g],\n"
    "     shape: {box_container: {size: [%.17g, %.17g, %.17g], open: top}}}\n"
    "  - {name: grains, density: 2000, csv: {file: bench_bed.csv}}\n";

/* The run whose phases are measured, in a context of its own. */
static void measure(row *r) {
  scree_context_def def = scree_context_def_default();
  def.threads = 1;
  scree_context *context = scree_context_create(&def);
  const double side = side_of(r->n), half = 0.5 * side, height = height_of();
  const double duration = r->n < 2000 ? 2.0 : r->n < 8000 ? 1.0 : 0.5;
  char text[1000];
  scree_scene *scene;
  scree_sim *sim;
  scree_sim_summary s;
  snprintf(text, sizeof text, scene_text, duration, half, half, 0.5 * height, side, side, height);
  check(context,
        scree_scene_load_text(context, "bench_bed.yaml", text, strlen(text), NULL, &scene));
  scree_sim_def sim_def = scree_sim_def_default();
  sim_def.out = "bench_bed.h5";
  remove(sim_def.out);
  check(context, scree_sim_create(scene, &sim_def, &sim));
  const clock_t start = clock();
  while (!scree_sim_done(sim)) check(context, scree_sim_step(sim, NULL));
  check(context, scree_sim_finish(sim));
  const double cpu = (double)(clock() - start) / CLOCKS_PER_SEC;
  scree_sim_get_summary(sim, &s);
  /* Where others use the machine, too, wall time is not the program's own. */
  const double own = cpu < s.seconds ? cpu / s.seconds : 1.0;
  const double ms = 1e3 * own / (double)s.steps;
  const double work =
      s.seconds_collide + s.seconds_assemble + s.seconds_solve + s.seconds_integrate;
  r->contacts = s.contacts;
  r->collide = ms * s.seconds_collide;
  r->assemble = ms * s.seconds_assemble;
  r->solve = ms * s.seconds_solve;
  r->integrate = ms * s.seconds_integrate;
  r->record = ms * s.seconds_record;
  r->ns_per_body = 1e6 * ms * work / (double)r->n;
  r->record_part = s.seconds_record / (work + s.seconds_record);
  r->counted = scree_context_peak_bytes(context);
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  scree_context_destroy(context);
  remove("bench_bed.h5");
  remove("bench_bed.h5.checkpoint");
  remove("bench_bed.h5.checkpoint.old");
  remove("bench_bed.csv");
}

static void make(row *r) {
  scree_context_def def = scree_context_def_default();
  def.threads = 1;
  scree_context *context = scree_context_create(&def);
  scree_world *world;
  check(context, scree_world_create(context, NULL, &world));
  fill(context, world, r->n);
  r->rest = settle(context, world, r->n);
  r->warm = iterations(context, world, true, 5, 5);
  r->cold = iterations(context, world, false, 0, 2);
  write_bed(context, world, r->n, "bench_bed.csv");
  scree_world_destroy(world);
  scree_context_destroy(context);
}

/* Calls `work` in a process of its own, so that its peak of memory is its own. */
static void apart(void (*work)(row *), row *r) {
  int ends[2];
  fflush(stdout);
  if (pipe(ends)) exit(1);
  const pid_t child = fork();
  if (child < 0) exit(1);
  if (child == 0) {
    work(r);
    _exit(write(ends[1], r, sizeof *r) == (ssize_t)sizeof *r ? 0 : 1);
  }
  close(ends[1]);
  row back;
  const bool whole = read(ends[0], &back, sizeof back) == (ssize_t)sizeof back;
  close(ends[0]);
  struct rusage usage;
  int status;
  if (wait4(child, &status, 0, &usage) != child || status || !whole) exit(1);
  *r = back;
  r->resident = (size_t)usage.ru_maxrss * 1024;
}

static row bench(size_t n) {
  row r = {.n = n};
  apart(make, &r);
  apart(measure, &r);
  return r;
}

static void print_row(const row *r, const row *before, bool json) {
  const double more = before ? (double)(r->n - before->n) : (double)r->n;
  const double counted = (double)(r->counted - (before ? before->counted : 0)) / more;
  const double resident = (double)(r->resident - (before ? before->resident : 0)) / more;
  if (json) {
    printf(
        "%s{\"bodies\":%zu,\"contacts\":%zu,\"collide_ms\":%.3f,\"assemble_ms\":%.3f,"
        "\"solve_ms\":%.3f,\"integrate_ms\":%.3f,\"record_ms\":%.3f,\"ns_per_body_step\":%.0f,"
        "\"record_fraction\":%.4f,\"iterations_warm\":%.1f,\"iterations_cold\":%.1f,\"rest\":%.2g,"
        "\"counted_bytes_per_added_body\":%.0f,\"resident_bytes_per_added_body\":%.0f}",
        before ? "," : "", r->n, r->contacts, r->collide, r->assemble, r->solve, r->integrate,
        r->record, r->ns_per_body, r->record_part, r->warm, r->cold, r->rest, counted, resident);
    return;
  }
  printf("%7zu %9zu %8.2f %8.2f %8.2f %9.2f %7.2f %8.0f %6.1f%% %6.1f %6.1f %8.1e %8.0f %8.0f\n",
         r->n, r->contacts, r->collide, r->assemble, r->solve, r->integrate, r->record,
         r->ns_per_body, 100.0 * r->record_part, r->warm, r->cold, r->rest, counted, resident);
}

/* ---- beds of a peer ------------------------------------------------------------------------- */

static double meta_value(const char *path, const char *key) {
  char line[512];
  double value = 0.0;
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == '=')
      value = strtod(line + strlen(key) + 1, NULL);
  if (file) fclose(file);
  return value;
}

static const char *const settled_text =
    "title: a settled bed of another engine\n"
    "solver: {name: ags, tolerance_residual: 0.1, iteration_limit: 200, on_nonconverged: "
    "continue}\n"
    "step: 5 ms\nduration: 0.5 s\noverlap: 0.05\n"
    "materials: {default: {friction: %g}}\n"
    "bodies:\n"
    "  - {name: box, kind: fixed, position: [0, 0, %.17g],\n"
    "     shape: {box_container: {size: [%.17g, %.17g, %.17g], open: top}}}\n"
    "  - {name: grains, csv: {file: '%s'}}\n";

/* Steps from the settled state on, as the peer was timed: milliseconds of CPU time a step, worst
 * penetration over all steps, the first one included, and at the end. */
static bool run_settled(const char *directory, int n, double peer, double peer_percent) {
  char csv[600], meta[600], text[2000];
  snprintf(csv, sizeof csv, "%s/settled_%d.csv", directory, n);
  snprintf(meta, sizeof meta, "%s/settled_%d.meta", directory, n);
  const double x = meta_value(meta, "box_inner_width_x"), y = meta_value(meta, "box_inner_width_y");
  const double floor_z = meta_value(meta, "floor_z"), height = 4.0 * fmax(x, y);
  if (!(x > 0.0 && y > 0.0)) return false;
  scree_context_def def = scree_context_def_default();
  def.threads = 1;
  scree_context *context = scree_context_create(&def);
  scree_scene *scene;
  scree_sim *sim;
  scree_sim_summary s;
  scree_step_info info = {0};
  snprintf(text, sizeof text, settled_text, meta_value(meta, "mu"), floor_z + 0.5 * height, x, y,
           height, csv);
  check(context, scree_scene_load_text(context, "settled.yaml", text, strlen(text), NULL, &scene));
  scree_sim_def sim_def = scree_sim_def_default();
  check(context, scree_sim_create(scene, &sim_def, &sim));
  const clock_t start = clock();
  while (!scree_sim_done(sim)) check(context, scree_sim_step(sim, &info));
  const double cpu = 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC;
  scree_sim_get_summary(sim, &s);
  const double steps = (double)s.steps, ms = cpu / steps, split = ms / s.seconds;
  printf("%7d %9zu %8.2f %8.2f %8.2f %8.2f %10.1f %9.4f%% %9.4f%% %9zu", n, s.contacts, ms,
         split * s.seconds_collide, split * s.seconds_assemble, split * s.seconds_solve,
         (double)s.iterations / steps, s.worst_penetration_percent, info.penetration_percent,
         (size_t)s.nonconverged_steps);
  if (peer > 0.0)
    printf(" %8.0f %6.2f%% %6.1f\n", peer, peer_percent, peer / ms);
  else
    printf("        -       -      -\n");
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  scree_context_destroy(context);
  return true;
}

/* The peer's figures, of its fastest solver there: ms a step, penetration at the end. */
static int settled(const char *directory) {
  printf("  spheres contacts  ms/step  collide assemble    solve iterations     worst    at end"
         "    missed    peer  worst  times\n");
  const bool any = run_settled(directory, 1000, 61.0, 0.17) | run_settled(directory, 2000, 0, 0) |
                   run_settled(directory, 4000, 362.0, 0.34);
  if (!any) printf("there are no settled_N.csv and .meta in %s\n", directory);
  return any ? 0 : 3;
}

/* ---- a pebble bed --------------------------------------------------------------------------- */

/* The scene pebble-bed takes 1,200 steps, of 122 sweeps with extrapolation in the mean when n =
 * 30,000 and at most 600; pebbles come in during the first 800 of them, so that there are 800 n of
 * bodies times steps. Costs are measured at full size: a lattice of n spheres in free fall, whose
 * neighbours are near enough to be contacts, three a body.
 */
static int pebble(size_t n) {
  enum { SWEEPS = 300, STEPS = 3 };
  scree_context_def def = scree_context_def_default();
  def.threads = 1;
  scree_context *context = scree_context_create(&def);
  scree_world *world;
  scree_stepper *stepper;
  scree_stepper_def d = bench_stepper();
  scree_step_info info = {0};
  d.solver = "ags";
  d.tolerance_residual = 1e-14;
  d.iteration_limit = d.check_interval = 2;
  check(context, scree_world_create(context, NULL, &world));
  fill(context, world, n);
  check(context, scree_stepper_create(world, &d, &stepper));
  for (int k = 0; k < 10; k++) check(context, scree_stepper_step(stepper, h, &info));
  scree_stepper_destroy(stepper);
  d.iteration_limit = d.check_interval = SWEEPS;
  check(context, scree_stepper_create(world, &d, &stepper));
  double other = 0.0, solve = 0.0, contacts = 0.0, all = 0.0;
  const clock_t start = clock();
  for (int k = 0; k < STEPS; k++) {
    check(context, scree_stepper_step(stepper, h, &info));
    other += info.seconds_collide + info.seconds_assemble + info.seconds_integrate;
    solve += info.seconds_solve;
    contacts += (double)info.contacts;
    all += info.seconds;
  }
  const double own = (double)(clock() - start) / CLOCKS_PER_SEC / all; /* CPU time over wall time */
  const double body = own * other / STEPS / (double)n, sweep = own * solve / contacts / SWEEPS;
  printf("%zu spheres, one thread, CPU time: %.2f us a body and step beside the solver, %.1f ns a "
         "contact and "
         "sweep (setup included), %.0f MB\n",
         n, 1e6 * body, 1e9 * sweep, 1e-6 * (double)scree_context_peak_bytes(context));
  for (int sweeps = 100; sweeps <= SWEEPS; sweeps += 100) {
    const double seconds = 800.0 * (double)n * (body + 3.3 * sweep * sweeps);
    printf("  %d sweeps a step: pebble-bed with n = %zu fills in %.0f s (%.2f h)\n", sweeps, n,
           seconds, seconds / 3600.0);
  }
  scree_stepper_destroy(stepper);
  scree_world_destroy(world);
  scree_context_destroy(context);
  return 0;
}

static const char *shared_beds(void) {
  static char path[600];
  const char *shared = getenv("SCREE_SHARED");
  snprintf(path, sizeof path, "%s/beds", shared ? shared : SCREE_SOURCE_DIR "/../shared");
  return path;
}

/* ---- sizes that take too long to settle ----------------------------------------------------- */

static int large(size_t n, int steps) {
  scree_context_def context_def = scree_context_def_default();
  context_def.threads = 1;
  scree_context *context = scree_context_create(&context_def);
  scree_world *world;
  scree_stepper *stepper;
  scree_step_info info = {0};
  check(context, scree_world_create(context, NULL, &world));
  fill(context, world, n);
  /* Together: each touches those beside and below it. */
  for (size_t i = 0; i < n; i++) {
    const size_t m = across(n);
    scree_body_state s;
    const scree_body_id id = scree_world_body_at(world, i + 1);
    check(context, scree_body_get_state(world, id, &s));
    s.position[0] = 2.0 * radius * ((double)(i % m) + 0.5);
    s.position[1] = 2.0 * radius * ((double)(i / m % m) + 0.5);
    s.position[2] = 2.0 * radius * ((double)(i / (m * m)) + 0.5);
    check(context, scree_body_set_state(world, id, &s));
  }
  scree_stepper_def def = bench_stepper();
  def.solver = "gs";
  def.tolerance_residual = 1e-12;
  def.iteration_limit = 50;
  check(context, scree_stepper_create(world, &def, &stepper));
  check(context, scree_stepper_step(stepper, h, &info)); /* all is allocated */
  const clock_t start = clock();
  for (int k = 0; k < steps; k++) check(context, scree_stepper_step(stepper, h, &info));
  const double cpu = (double)(clock() - start) / CLOCKS_PER_SEC / steps;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("%zu bodies, %zu contacts, %d steps of %ld sweeps: %.3f us a body and step, %.2f ns a "
         "contact and sweep in all, %.0f bytes a body counted, %.0f resident\n",
         n, info.contacts, steps, info.iterations, 1e6 * cpu / (double)n,
         1e9 * cpu / (double)info.contacts / 50.0,
         (double)scree_context_peak_bytes(context) / (double)n,
         1024.0 * (double)usage.ru_maxrss / (double)n);
  scree_stepper_destroy(stepper);
  scree_world_destroy(world);
  scree_context_destroy(context);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 2 && !strcmp(argv[1], "--large"))
    return large(strtoul(argv[2], NULL, 10), argc > 3 ? atoi(argv[3]) : 20);
  if (argc > 1 && !strcmp(argv[1], "--settled")) return settled(argc > 2 ? argv[2] : shared_beds());
  if (argc > 2 && !strcmp(argv[1], "--pebble")) return pebble(strtoul(argv[2], NULL, 10));
  size_t sizes[16] = {1000, 4000, 16000, 64000}, count = 4, given = 0;
  bool json = false;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--json"))
      json = true;
    else if (given < 16)
      sizes[given++] = strtoul(argv[i], NULL, 10);
  }
  if (given) count = given;
  row last = {.n = 0};
  double first = 0.0;
  if (json)
    printf("{\"beds\":[");
  else
    printf(" bodies  contacts  collide assemble 50 sweeps integrate record  ns/body record   warm"
           "   cold     rest counted/body resident\n");
  for (size_t k = 0; k < count; k++) {
    if (sizes[k] < 1) continue;
    const row r = bench(sizes[k]);
    print_row(&r, last.n ? &last : NULL, json);
    fflush(stdout);
    if (first == 0.0) first = r.ns_per_body;
    last = r;
  }
  if (json)
    printf("],\"growth\":%.3f}\n", last.ns_per_body / first);
  else
    printf("time a body and step grows by %.2f from the first to the last\n",
           last.ns_per_body / first);
  return 0;
}

/* Settled beds of spheres of growing size: what a step costs and where, per body; what a warm start
 * saves; what the recording adds; and how memory grows.
 *
 *   bench_beds [--json] [n …]                      default 1000 4000 16000 64000
 *
 * A bed is made by letting a loose lattice of n spheres (radius 0.05 m, density 2000, mu 0.3) fall
 * into a box as wide as the settled bed is high, with a coarse tolerance, for 0.7 s. Then, one
 * thread, h = 5 ms:
 *
 *   split       a run of 40 steps with 50 sweeps each, recorded 60 times a simulated second with
 *               contact forces, as `scree run` does: milliseconds a step of each phase
 *   ns/body     of all phases but the recording; asked: from the smallest bed to the largest it
 *               grows by at most 1.5
 *   record      its part of the run; asked: below 5%
 *   warm, cold  sweeps to R = 0.05 from the impulses of the step before, and from none
 *   B/body      memory that the largest bed needs more than the one before it, a body: of the
 *               library's own count (peak), and of the resident set (peak); asked: 2000
 *
 * What bounds it: 16,000 spheres have 58,000 contacts of 230 bytes, 13 MB: past the caches a sweep
 * is bound by memory, so ns/body grows once, between beds that fit and beds that do not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "scree/scree.h"

static const double radius = 0.05, h = 0.005;

typedef struct row {
  size_t n, contacts;
  double collide, assemble, solve, integrate, record; /* ms a step */
  double ns_per_body, record_part, warm, cold;
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

static double side_of(size_t n) {
  return 0.104 * ceil(cbrt((double)n));
}

static void fill(scree_context *context, scree_world *world, size_t n) {
  scree_shape *ball, *box;
  scree_material_def material = scree_material_def_default();
  const size_t m = (size_t)ceil(cbrt((double)n));
  const double side = side_of(n), half[3] = {0.5 * side, 0.5 * side, side};
  material.friction = 0.3;
  check(context, scree_world_set_material(world, (scree_material_id){0}, &material));
  check(context, scree_shape_create_sphere(context, radius, &ball));
  check(context, scree_shape_create_box_container(context, half, SCREE_OPEN_TOP, &box));
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_FIXED;
  d.shape = box;
  d.position[0] = d.position[1] = 0.5 * side;
  d.position[2] = side;
  check(context, scree_world_add_body(world, &d, NULL));
  uint64_t seed = 1;
  for (size_t i = 0; i < n; i++) {
    d = scree_body_def_default();
    d.shape = ball;
    d.density = 2000.0;
    d.position[0] = 0.104 * ((double)(i % m) + 0.5) + jitter(&seed);
    d.position[1] = 0.104 * ((double)(i / m % m) + 0.5) + jitter(&seed);
    d.position[2] = 0.104 * ((double)(i / (m * m)) + 0.5) + jitter(&seed);
    check(context, scree_world_add_body(world, &d, NULL));
  }
  scree_shape_destroy(ball);
  scree_shape_destroy(box);
}

/* Mean iterations of `steps` steps after `before` others. */
static double sweeps(scree_context *context, scree_world *world, bool warm, int before, int steps) {
  scree_stepper_def def = scree_stepper_def_default();
  scree_stepper *stepper;
  scree_step_info info;
  double sum = 0.0;
  def.solver = "gs";
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

static void settle(scree_context *context, scree_world *world) {
  scree_stepper_def def = scree_stepper_def_default();
  scree_stepper *stepper;
  def.solver = "gs";
  def.tolerance_residual = 0.3;
  def.iteration_limit = 60;
  check(context, scree_stepper_create(world, &def, &stepper));
  for (int k = 0; k < 140; k++) check(context, scree_stepper_step(stepper, h, NULL));
  scree_stepper_destroy(stepper);
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
    fprintf(file, "%.17g,%.17g,%.17g,%g\n", state.position[0], state.position[1], state.position[2],
            radius);
  }
  fclose(file);
}

static const char *const scene_text =
    "title: a settled bed\n"
    "solver: {name: gs, tolerance: 1e-14, iterations: 50, check_interval: 50}\n"
    "step: 5 ms\nduration: 0.2 s\noverlap: 0.05\n"
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
  const double side = side_of(r->n), half = 0.5 * side;
  char text[1000];
  scree_scene *scene;
  scree_sim *sim;
  scree_sim_summary s;
  snprintf(text, sizeof text, scene_text, half, half, side, side, side, 2.0 * side);
  check(context,
        scree_scene_load_text(context, "bench_bed.yaml", text, strlen(text), NULL, &scene));
  scree_sim_def sim_def = scree_sim_def_default();
  sim_def.out = "bench_bed.h5";
  remove(sim_def.out);
  check(context, scree_sim_create(scene, &sim_def, &sim));
  while (!scree_sim_done(sim)) check(context, scree_sim_step(sim, NULL));
  check(context, scree_sim_finish(sim));
  scree_sim_get_summary(sim, &s);
  const double ms = 1e3 / (double)s.steps;
  const double work =
      s.seconds_collide + s.seconds_assemble + s.seconds_solve + s.seconds_integrate;
  r->contacts = s.contacts;
  r->collide = ms * s.seconds_collide;
  r->assemble = ms * s.seconds_assemble;
  r->solve = ms * s.seconds_solve;
  r->integrate = ms * s.seconds_integrate;
  r->record = ms * s.seconds_record;
  r->ns_per_body = 1e9 * work / (double)s.steps / (double)r->n;
  r->record_part = s.seconds_record / (work + s.seconds_record);
  r->counted = scree_context_peak_bytes(context);
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  scree_context_destroy(context);
  remove("bench_bed.h5");
  remove("bench_bed.h5.checkpoint");
  remove("bench_bed.csv");
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  r->resident = (size_t)usage.ru_maxrss * 1024;
}

static row bench(size_t n) {
  row r = {.n = n};
  scree_context_def def = scree_context_def_default();
  def.threads = 1;
  scree_context *context = scree_context_create(&def);
  scree_world *world;
  check(context, scree_world_create(context, NULL, &world));
  fill(context, world, n);
  settle(context, world);
  r.warm = sweeps(context, world, true, 5, 10);
  r.cold = sweeps(context, world, false, 0, 3);
  write_bed(context, world, n, "bench_bed.csv");
  scree_world_destroy(world);
  scree_context_destroy(context);
  measure(&r);
  return r;
}

static void print_row(const row *r, const row *before, bool json) {
  const double more = before ? (double)(r->n - before->n) : (double)r->n;
  const double counted = (double)(r->counted - (before ? before->counted : 0)) / more;
  const double resident = (double)(r->resident - (before ? before->resident : 0)) / more;
  if (json) {
    printf("%s{\"bodies\":%zu,\"contacts\":%zu,\"collide_ms\":%.3f,\"assemble_ms\":%.3f,"
           "\"solve_ms\":%.3f,\"integrate_ms\":%.3f,\"record_ms\":%.3f,\"ns_per_body_step\":%.0f,"
           "\"record_fraction\":%.4f,\"sweeps_warm\":%.1f,\"sweeps_cold\":%.1f,"
           "\"counted_bytes_per_added_body\":%.0f,\"resident_bytes_per_added_body\":%.0f}",
           before ? "," : "", r->n, r->contacts, r->collide, r->assemble, r->solve, r->integrate,
           r->record, r->ns_per_body, r->record_part, r->warm, r->cold, counted, resident);
    return;
  }
  printf("%7zu %9zu %8.2f %8.2f %8.2f %9.2f %7.2f %8.0f %6.1f%% %6.1f %6.1f %8.0f %8.0f\n", r->n,
         r->contacts, r->collide, r->assemble, r->solve, r->integrate, r->record, r->ns_per_body,
         100.0 * r->record_part, r->warm, r->cold, counted, resident);
}

int main(int argc, char **argv) {
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
           "   cold counted/body resident\n");
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

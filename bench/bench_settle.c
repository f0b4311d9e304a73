/* The settling drop: spheres of radius 0.05 m, density 2000, mu 0.3, in an open box with a square
 * floor, at rest at t = 0.
 *
 *   bench_settle [n=1000] [h=0.005] [seconds=2] [solver=gs] [tol=1e-3] [limit=100] [threads=1]
 *                [key=value of the solver …]
 *
 * prints one line every tenth of a second of simulated time, and a summary. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <math.h>

#include "scree/scree.h"

static const double radius = 0.05;

static double jitter(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return 0.004 * (2.0 * (double)(*seed >> 11) / 9007199254740992.0 - 1.0);
}

static void check(scree_context *context, scree_status status) {
  if (!status) return;
  fprintf(stderr, "%s: %s\n", scree_status_text(status), scree_context_message(context));
  exit(1);
}

static double fill(scree_context *context, scree_world *world, size_t count) {
  scree_shape *ball, *box;
  scree_material_def material = scree_material_def_default();
  scree_material_id zero = {0};
  material.friction = 0.3;
  check(context, scree_world_set_material(world, zero, &material));
  check(context, scree_shape_create_sphere(context, radius, &ball));
  const double volume = 4.0 / 3.0 * 3.141592653589793 * radius * radius * radius;
  const double side = cbrt((double)count * volume / 0.6);
  const size_t n = (size_t)floor((side - 0.008) / 0.11);
  const double height = 0.11 * ((double)(count / (n * n)) + 3.0), pitch = side / (double)n;
  const double half[3] = {0.5 * side, 0.5 * side, 0.5 * height};
  check(context, scree_shape_create_box_container(context, half, SCREE_OPEN_TOP, &box));
  scree_body_def d = scree_body_def_default();
  d.kind = SCREE_BODY_FIXED;
  d.shape = box;
  d.position[0] = d.position[1] = 0.5 * side;
  d.position[2] = 0.5 * height;
  check(context, scree_world_add_body(world, &d, NULL));
  uint64_t seed = 1;
  for (size_t i = 0; i < count; i++) {
    d = scree_body_def_default();
    d.shape = ball;
    d.density = 2000.0;
    d.position[0] = pitch * ((double)(i % n) + 0.5) + jitter(&seed);
    d.position[1] = pitch * ((double)(i / n % n) + 0.5) + jitter(&seed);
    d.position[2] = 0.06 + 0.11 * (double)(i / (n * n)) + jitter(&seed);
    check(context, scree_world_add_body(world, &d, NULL));
  }
  scree_shape_destroy(ball);
  scree_shape_destroy(box);
  return side;
}

typedef struct totals {
  double collide, assemble, solve, integrate, residual, percent;
  long iterations;
  size_t nonconverged, steps;
} totals;

static void add(totals *t, const scree_step_info *info) {
  t->collide += info->seconds_collide;
  t->assemble += info->seconds_assemble;
  t->solve += info->seconds_solve;
  t->integrate += info->seconds_integrate;
  t->residual = fmax(t->residual, info->residual);
  t->percent = fmax(t->percent, info->penetration_percent);
  t->iterations += info->iterations;
  t->nonconverged += !info->converged;
  t->steps++;
}

int main(int argc, char **argv) {
  double h = 0.005, seconds = 2.0;
  size_t count = 1000;
  scree_context_def context_def = scree_context_def_default();
  scree_stepper_def def = scree_stepper_def_default();
  context_def.threads = 1;
  for (int i = 1; i < argc; i++) {
    const char *value = strchr(argv[i], '=');
    if (!value) continue;
    value++;
    if (!strncmp(argv[i], "n=", 2)) count = strtoul(value, NULL, 10);
    if (!strncmp(argv[i], "h=", 2)) h = strtod(value, NULL);
    if (!strncmp(argv[i], "seconds=", 8)) seconds = strtod(value, NULL);
    if (!strncmp(argv[i], "solver=", 7)) def.solver = value;
    if (!strncmp(argv[i], "tol=", 4)) def.tolerance_residual = strtod(value, NULL);
    if (!strncmp(argv[i], "limit=", 6)) def.iteration_limit = strtol(value, NULL, 10);
    if (!strncmp(argv[i], "check=", 6)) def.check_interval = strtol(value, NULL, 10);
    if (!strncmp(argv[i], "margin=", 7)) def.margin = strtod(value, NULL);
    if (!strncmp(argv[i], "model=", 6))
      def.model = value[0] == 'c' ? SCREE_MODEL_COULOMB : SCREE_MODEL_RELAXED;
    if (!strncmp(argv[i], "threads=", 8)) context_def.threads = (int)strtol(value, NULL, 10);
  }
  scree_context *context = scree_context_create(&context_def);
  scree_world *world;
  scree_stepper *stepper;
  check(context, scree_world_create(context, NULL, &world));
  fill(context, world, count);
  check(context, scree_stepper_create(world, &def, &stepper));
  const char *ours = "n= h= seconds= solver= tol= limit= check= margin= model= threads=";
  for (int i = 1; i < argc; i++) {
    char key[64];
    const char *value = strchr(argv[i], '=');
    if (!value) continue;
    snprintf(key, sizeof key, "%.*s", (int)(value - argv[i]) + 1, argv[i]);
    if (strstr(ours, key)) continue;
    key[value - argv[i]] = 0;
    check(context, scree_stepper_set_solver(stepper, key, value + 1));
  }
  const size_t steps = (size_t)(seconds / h + 0.5), every = (size_t)(0.1 / h + 0.5);
  const clock_t start = clock();
  totals all = {0}, some = {0};
  scree_step_info info = {0};
  for (size_t i = 1; i <= steps; i++) {
    check(context, scree_stepper_step(stepper, h, &info));
    add(&all, &info);
    add(&some, &info);
    if (i % every) continue;
    printf("t %.2f contacts %zu touching %zu iterations/step %.1f R %.2e percent %.4f kinetic %.4g "
           "nonconverged %zu/%zu\n",
           scree_world_time(world), info.contacts, info.touching,
           (double)some.iterations / (double)some.steps, some.residual, some.percent,
           info.energy.linear + info.energy.angular, some.nonconverged, some.steps);
    some = (totals){0};
  }
  const double cpu = (double)(clock() - start) / CLOCKS_PER_SEC;
  printf("n %zu h %g: %.3f CPU s per simulated s; collide %.3f assemble %.3f solve %.3f integrate "
         "%.3f\n",
         count, h, cpu / seconds, all.collide / seconds, all.assemble / seconds,
         all.solve / seconds, all.integrate / seconds);
  printf("worst penetration %.4f%%, worst R %.3g, nonconverged %zu of %zu, iterations/step %.1f, "
         "kinetic %.4g J, bytes/body %.0f, hash %016llx\n",
         all.percent, all.residual, all.nonconverged, all.steps,
         (double)all.iterations / (double)all.steps, info.energy.linear + info.energy.angular,
         (double)scree_context_peak_bytes(context) / (double)count,
         (unsigned long long)scree_world_hash(world));
  scree_stepper_destroy(stepper);
  scree_world_destroy(world);
  scree_context_destroy(context);
  return 0;
}

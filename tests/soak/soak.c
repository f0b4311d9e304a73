/* Soak: many steps, hours of a drum, many contexts at once, many recordings opened. Memory and CPU
 * time per step must stay flat. Not a test of `make test`: `make soak`, with SOAK_SCALE (default 1)
 * to shorten it.
 *
 *   soak SCALE DRUM.yaml [PARTS]    prints a table; exit code 1 when something grows
 *
 * PARTS: b three balls, 1e7 steps; c 1,000 contexts; r 10,000 recordings; m eight boxes, 1e6 steps;
 * d 24 hours of a drum. All by default. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "scree/scree.h"

static const double growth_allowed =
    1.3; /* CPU time per step, last tenth over the fifth: by then all has settled */
static int failures;

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of the process, in pages of 4 KiB as bytes; 0: not known. */
static size_t resident(void) {
  FILE *f = fopen("/proc/self/statm", "r");
  unsigned long all = 0, pages = 0;
  if (!f) return 0;
  if (fscanf(f, "%lu %lu", &all, &pages) != 2) pages = 0;
  fclose(f);
  return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void need(scree_context *context, scree_status status) {
  if (!status) return;
  fprintf(stderr, "soak: %s\n", scree_context_message(context));
  exit(2);
}

static void judge(const char *what, bool good) {
  printf("  %-52s %s\n", what, good ? "flat" : "GROWS");
  failures += !good;
}

#define SHAKEN_ROOM                                                                                \
  "step: 5 ms\nduration: 1.0e9\nbodies:\n"                                                         \
  "  - {name: room, shape: {box_container: {size: [1, 1, 1], open: none}},\n"                      \
  "     motion: {sine: {amplitude: [0.02, 0, 0.02], frequency: 3}}}\n"
static const char three_balls[] = SHAKEN_ROOM
    "  - {shape: {sphere: {radius: 0.1}}, lattice: {count: [3, 1, 1], pitch: [0.3, 0.3, "
    "0.3], origin: [-0.3, 0, -0.2]}}\n";
static const char eight_boxes[] =
    SHAKEN_ROOM "  - {shape: {box: {size: [0.2, 0.15, 0.1]}}, lattice: {count: [2, 2, 2], pitch: "
                "[0.3, 0.3, 0.3], origin: [-0.2, -0.2, -0.2]}}\n";

/* Steps of one run; the run has no end of its own. */
static void run_steps(const char *name, scree_scene *scene, scree_context *context, long steps) {
  scree_sim *sim;
  need(context, scree_sim_create(scene, NULL, &sim));
  double tenth[10] = {0};
  size_t bytes[10] = {0}, pages[10] = {0};
  for (int part = 0; part < 10; part++) {
    const double start = cpu_seconds();
    for (long k = 0; k < steps / 10 && !scree_sim_done(sim); k++)
      need(context, scree_sim_step(sim, NULL));
    tenth[part] = cpu_seconds() - start;
    bytes[part] = scree_context_bytes(context);
    pages[part] = resident();
    /* Hours may pass before the end: what was seen so far is told. */
    fprintf(stderr, "%s: %d tenths, %.3g us of CPU time per step, %zu bytes held\n", name, part + 1,
            1e6 * tenth[part] / ((double)steps / 10.0), bytes[part]);
  }
  scree_sim_summary s;
  scree_sim_get_summary(sim, &s);
  printf("%s: %llu steps, %.6g s simulated; %.3g us of CPU time per step in the fifth tenth, %.3g "
         "in the last; %zu bytes held, then %zu; %zu KiB resident, then %zu\n",
         name, (unsigned long long)s.steps, s.simulated_seconds,
         1e6 * tenth[4] / ((double)steps / 10.0), 1e6 * tenth[9] / ((double)steps / 10.0), bytes[4],
         bytes[9], pages[4] / 1024, pages[9] / 1024);
  judge("time per step", tenth[9] <= growth_allowed * tenth[4]);
  judge("memory of the context", bytes[9] <= bytes[4] + bytes[4] / 4);
  judge("memory of the process", pages[9] <= pages[4] + pages[4] / 10 + ((size_t)1 << 20));
  scree_sim_destroy(sim);
}

static scree_context *one_thread(void) {
  scree_context_def d = scree_context_def_default();
  d.threads = 1;
  scree_context *context = scree_context_create(&d);
  if (!context) exit(2);
  return context;
}

static void many_steps(const char *name, const char *text, long steps) {
  scree_context *context = one_thread();
  scree_scene *scene;
  need(context, scree_scene_load_text(context, name, text, strlen(text), NULL, &scene));
  run_steps(name, scene, context, steps);
  scree_scene_destroy(scene);
  scree_context_destroy(context);
}

static void drum_for_hours(const char *path, double hours) {
  const char *const sets[] = {"duration=1.0e9", "n=60", "d=3 cm", "step=10 ms"};
  scree_context *context = one_thread();
  scree_scene_def def = scree_scene_def_default();
  scree_scene *scene;
  def.sets = sets;
  def.set_count = sizeof sets / sizeof *sets;
  need(context, scree_scene_load(context, path, &def, &scene));
  const double h = scree_scene_get_settings(scene)->step;
  run_steps("drum", scene, context, (long)(3600.0 * hours / h));
  scree_scene_destroy(scene);
  scree_context_destroy(context);
}

/* ---- contexts at once ------------------------------------------------------------------------ */

enum { THREADS = 8 };
static long contexts_each;
static uint64_t first_hash[THREADS];
static int odd[THREADS];

static void *use_contexts(void *which) {
  const int me = (int)(size_t)which;
  scree_context **all = calloc((size_t)contexts_each, sizeof *all);
  scree_scene **scene = calloc((size_t)contexts_each, sizeof *scene);
  scree_sim **sim = calloc((size_t)contexts_each, sizeof *sim);
  if (!all || !scene || !sim) exit(2);
  for (long k = 0; k < contexts_each; k++) {
    all[k] = one_thread();
    need(all[k],
         scree_scene_load_text(all[k], "small", eight_boxes, strlen(eight_boxes), NULL, &scene[k]));
    need(all[k], scree_sim_create(scene[k], NULL, &sim[k]));
  }
  for (int step = 0; step < 20; step++) /* in turns, so that all live at once */
    for (long k = 0; k < contexts_each; k++) need(all[k], scree_sim_step(sim[k], NULL));
  for (long k = 0; k < contexts_each; k++) {
    const uint64_t hash = scree_world_hash(scree_sim_world(sim[k]));
    if (k == 0) first_hash[me] = hash;
    odd[me] += hash != first_hash[me];
    scree_sim_destroy(sim[k]);
    scree_scene_destroy(scene[k]);
    odd[me] += scree_context_bytes(all[k]) != 0;
    scree_context_destroy(all[k]);
  }
  free(sim);
  free(scene);
  free(all);
  return NULL;
}

static void many_contexts(long count) {
  pthread_t thread[THREADS];
  contexts_each = (count + THREADS - 1) / THREADS;
  for (size_t k = 0; k < THREADS; k++)
    if (pthread_create(&thread[k], NULL, use_contexts, (void *)k)) exit(2);
  bool good = true;
  for (int k = 0; k < THREADS; k++) {
    pthread_join(thread[k], NULL);
    good = good && odd[k] == 0 && first_hash[k] == first_hash[0];
  }
  printf("%ld contexts at once in %d threads, 20 steps each: %s\n", contexts_each * THREADS,
         THREADS, good ? "equal bits, nothing left behind" : "DIFFERENT BITS OR MEMORY LEFT");
  failures += !good;
}

/* ---- recordings ------------------------------------------------------------------------------ */

static void many_recordings(long count) {
  char path[128];
  snprintf(path, sizeof path, "soak-%ld.h5", (long)getpid());
  scree_context *context = one_thread();
  scree_scene *scene;
  scree_sim *sim;
  scree_sim_def def = scree_sim_def_default();
  def.out = path;
  need(context,
       scree_scene_load_text(context, "small", eight_boxes, strlen(eight_boxes), NULL, &scene));
  need(context, scree_sim_create(scene, &def, &sim));
  for (int k = 0; k < 50; k++) need(context, scree_sim_step(sim, NULL));
  need(context, scree_sim_finish(sim));
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  size_t bytes[10], pages[10];
  double tenth[10];
  for (int part = 0; part < 10; part++) {
    const double start = cpu_seconds();
    for (long k = 0; k < count / 10; k++) {
      scree_recording *r;
      need(context, scree_recording_open(context, path, &r));
      scree_recording_close(r);
    }
    tenth[part] = cpu_seconds() - start;
    bytes[part] = scree_context_bytes(context);
    pages[part] = resident();
  }
  printf("%ld recordings opened and closed; %.3g us each in the fifth tenth, %.3g in the last\n",
         count / 10 * 10, 1e7 * tenth[4] / (double)count, 1e7 * tenth[9] / (double)count);
  judge("time per recording", tenth[9] <= growth_allowed * tenth[4]);
  judge("memory of the context", bytes[9] == bytes[4]);
  judge("memory of the process", pages[9] <= pages[4] + ((size_t)1 << 20));
  scree_context_destroy(context);
  static const char *const ends[] = {"", ".checkpoint", ".checkpoint.old"};
  for (int k = 0; k < 3; k++) {
    char name[160];
    snprintf(name, sizeof name, "%s%s", path, ends[k]);
    remove(name);
  }
}

int main(int argc, char **argv) {
  const double scale = argc > 1 ? atof(argv[1]) : 1.0;
  if (argc < 3 || !(scale > 0.0)) {
    fprintf(stderr, "usage: soak SCALE DRUM.yaml [PARTS]\n");
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  const char *const parts = argc > 3 ? argv[3] : "bcrmd";
  for (const char *part = parts; *part; part++) switch (*part) {
    case 'b':
      many_steps("three balls", three_balls, (long)(1e7 * scale));
      break;
    case 'c':
      many_contexts((long)(1000.0 * (scale < 1.0 ? (scale < 0.1 ? 0.1 : scale) : 1.0)));
      break;
    case 'r':
      many_recordings((long)(10000.0 * (scale < 0.01 ? 0.01 : scale)));
      break;
    case 'm':
      /* They come to their steady motion within 1,000 steps, which are not to be half of all. */
      many_steps("eight boxes", eight_boxes, (long)(1e6 * (scale < 0.01 ? 0.01 : scale)));
      break;
    case 'd':
      drum_for_hours(argv[2], 24.0 * scale);
      break;
    }
  return failures ? 1 : 0;
}

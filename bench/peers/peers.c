/* Peers in one run: every solver of the peer library and Scree's automatic choice on the same
 * files, one thread, from zero, exact Coulomb friction, to the same E, which is recomputed for
 * both by the same code (problem.c).
 *
 * Each run is a process of its own, forked before anything of the solver was called, with a limit
 * on its CPU time; the solver alone is timed (stopwatch in entrants.h). Peers and Scree take
 * turns on a file; each is repeated, and the least time counts. A peer is stopped at --factor times
 * the fastest peer so far (and 0.05 s at least): it is not the best, and counts as not there. A
 * peer that stops by its own measure above the tolerance is asked again for a tenth and a hundredth
 * of it. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "entrants.h"
#include "report.h"

typedef struct settings {
  double limit, factor;
  int repeats;
  const char *directory;
} settings;

typedef struct shared {
  double seconds;
  char note[160];
  double data[]; /* r, then v */
} shared;

typedef struct bench {
  settings set;
  shared *shared;
  size_t shared_size;
  FILE *log;
} bench;

static void child(bench *b, const char *path, const problem *p, const entrant *e, double tolerance,
                  double limit) {
  const struct timeval end = {(time_t)limit, (suseconds_t)(1e6 * (limit - floor(limit)))};
  setitimer(ITIMER_PROF, &(struct itimerval){.it_value = end}, NULL);
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, 1);
  dup2(null, 2);
  double *r = calloc((size_t)p->rows + 1, sizeof *r);
  double *v = calloc((size_t)p->freedoms + 1, sizeof *v);
  char note[160] = "";
  const double seconds = e ? peer_run(p, e, tolerance, r, v)
                           : scree_run(path, p, tolerance, r, v, note, (int)sizeof note);
  memcpy(b->shared->data, r, (size_t)p->rows * sizeof *r);
  memcpy(b->shared->data + p->rows, v, (size_t)p->freedoms * sizeof *v);
  memcpy(b->shared->note, note, sizeof note);
  b->shared->seconds = seconds;
  _exit(0);
}

/* Time and E of one run in a process of its own; both INFINITY when it did not return. */
static double run_once(bench *b, const char *path, const problem *p, const entrant *e,
                       double tolerance, double limit, double *error) {
  b->shared->seconds = -1.0;
  b->shared->note[0] = '\0';
  *error = INFINITY;
  fflush(NULL);
  const pid_t id = fork();
  if (id == 0) child(b, path, p, e, tolerance, limit);
  int status = 0;
  while (id > 0 && waitpid(id, &status, 0) < 0 && errno == EINTR) continue;
  if (id <= 0 || b->shared->seconds < 0.0) return INFINITY;
  *error = problem_error(p, b->shared->data, b->shared->data + p->rows);
  return b->shared->seconds;
}

static double run_repeated(bench *b, const char *path, const problem *p, const entrant *e,
                           double tolerance, double limit, double *error, char *note, size_t room) {
  double asked = tolerance, best = INFINITY, total = 0.0;
  *error = INFINITY;
  for (int attempt = 0; attempt < (e ? 3 : 1); attempt++, asked *= 0.1) {
    const double seconds = run_once(b, path, p, e, asked, limit, error);
    if (note) snprintf(note, room, "%s", b->shared->note);
    if (!isfinite(seconds)) return INFINITY;
    if (*error > tolerance) continue;
    best = seconds;
    for (int k = 1; k < b->set.repeats && total < 0.5; k++) {
      double again;
      const double next = run_once(b, path, p, e, asked, limit, &again);
      total += next;
      if (again <= tolerance) best = fmin(best, next);
    }
    break;
  }
  return best;
}

static void compare(bench *b, const char *path, const problem *p, double tolerance, outcome *o) {
  entrant list[REPORT_MAX_ENTRANTS];
  memset(o, 0, sizeof *o);
  o->names = o->peers = peer_list(p, list, REPORT_MAX_ENTRANTS);
  o->contacts = p->contacts;
  o->tolerance = tolerance;
  o->peer = o->ours = INFINITY;
  snprintf(o->problem, sizeof o->problem, "%s", p->name);
  snprintf(o->kind, sizeof o->kind, "%s%s", p->global ? "global" : "local",
           p->rolling ? "-rolling" : "");
  snprintf(o->best, sizeof o->best, "-");
  for (int k = 0; k < o->names; k++) {
    double error;
    if (k % 8 == 0)
      o->ours = fmin(o->ours, run_repeated(b, path, p, NULL, tolerance, 60.0, &o->our_error,
                                           o->note, sizeof o->note));
    const double limit = fmin(b->set.limit, fmax(0.05, b->set.factor * o->peer));
    o->seconds[k] = run_repeated(b, path, p, &list[k], tolerance, limit, &error, NULL, 0);
    snprintf(o->name[k], sizeof o->name[k], "%s", list[k].name);
    fprintf(b->log, "%s,%s,%d,%.0e,%s,%.4g,%.4g\n", o->kind, o->problem, o->contacts, tolerance,
            list[k].name, isfinite(o->seconds[k]) ? o->seconds[k] : -1.0, error);
    o->peers_there += isfinite(o->seconds[k]);
    if (!(o->seconds[k] < o->peer)) continue;
    o->peer = o->seconds[k];
    snprintf(o->best, sizeof o->best, "%s", list[k].name);
  }
  fprintf(b->log, "%s,%s,%d,%.0e,scree auto,%.4g,%.4g\n", o->kind, o->problem, o->contacts,
          tolerance, isfinite(o->ours) ? o->ours : -1.0, o->our_error);
  fflush(b->log);
}

static int usage(void) {
  fprintf(stderr, "usage: bench-peers [--limit CPU_SECONDS] [--factor X] [--repeats N] [--out "
                  "DIRECTORY] FILE...\n");
  return 2;
}

/* Threads of the linear algebra are fixed when it is loaded: start again with one. */
static void one_thread(char **arguments) {
  const char *now = getenv("OPENBLAS_NUM_THREADS");
  if (now && strcmp(now, "1") == 0) return;
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  execv("/proc/self/exe", arguments);
}

static int run_all(bench *b, char **files, int count) {
  static const double tolerances[] = {1e-4, 1e-8};
  outcome *all = calloc((size_t)count * 2, sizeof *all);
  int done = 0;
  if (!all) return 1;
  printf("%7s %-14s %-38s %5s %10s %9s %10s %-13s %5s %8s  %s\n", "E", "kind", "problem", "cont.",
         "scree ms", "E scree", "peers ms", "by", "there", "ratio", "choice of auto");
  for (int i = 0; i < count; i++) {
    problem p;
    if (!problem_read(files[i], &p)) continue;
    for (int t = 0; t < 2; t++) {
      compare(b, files[i], &p, tolerances[t], &all[done]);
      report_line(&all[done++]);
    }
    problem_clear(&p);
  }
  for (int t = 0; done && t < 2; t++) {
    report_means(all, done, tolerances[t]);
    report_profile(all, done, tolerances[t], b->set.directory);
  }
  int unsolved = 0;
  for (int i = 0; i < done; i++) unsolved += !isfinite(all[i].ours);
  free(all);
  return unsolved > 0;
}

int main(int count, char **arguments) {
  one_thread(arguments);
  bench b = {.set = {.limit = 10.0, .factor = 20.0, .repeats = 5, .directory = "."}};
  int k = 1;
  for (; k < count && strncmp(arguments[k], "--", 2) == 0; k += 2) {
    if (k + 1 == count) return usage();
    const char *value = arguments[k + 1];
    if (strcmp(arguments[k], "--limit") == 0)
      b.set.limit = fmax(0.1, atof(value));
    else if (strcmp(arguments[k], "--factor") == 0)
      b.set.factor = fmax(1.0, atof(value));
    else if (strcmp(arguments[k], "--repeats") == 0)
      b.set.repeats = atoi(value);
    else if (strcmp(arguments[k], "--out") == 0)
      b.set.directory = value;
    else
      return usage();
  }
  if (k >= count) return usage();
  char log[512];
  snprintf(log, sizeof log, "%s/peers.csv", b.set.directory);
  b.log = fopen(log, "w");
  b.shared_size = (size_t)64 << 20;
  b.shared = mmap(NULL, b.shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!b.log || b.shared == MAP_FAILED) {
    fprintf(stderr, "cannot write %s\n", log);
    return 1;
  }
  fprintf(b.log, "kind,problem,contacts,tolerance,solver,seconds,error\n");
  const int code = run_all(&b, arguments + k, count - k);
  fclose(b.log);
  return code;
}

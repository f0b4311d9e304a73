/* See team.h. */
#include "base/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#ifdef __linux__
#include <unistd.h>
#endif

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/context.h"
#include "base/timer.h"

static const double window = 2e-3; /* s: some regions, shorter than a turn of the scheduler */
static const double quiet = 5e-3;  /* s between regions after which threads may sleep */
static const double rest = 30.0;   /* windows with fewer threads after one that did not fit */
static const double longest = 1.0, shortest = 0.02; /* s: bounds of that time */
static const double crowd = 5e-3; /* s until the system is asked again, which takes 20 us */

static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* True if the environment says that waiting threads do not spin for long. */
static bool waits_asleep(void) {
  const char *policy = getenv("OMP_WAIT_POLICY");
  return (policy && strcasecmp(policy, "passive") == 0) || getenv("GOMP_SPINCOUNT") != NULL;
}

void team_reset(team_state *team, int threads, bool given) {
  memset(team, 0, sizeof *team);
  team->fixed = given || threads == 1 || waits_asleep();
  team->now = team->fixed ? threads : 1; /* until the first region, which looks at the system */
}

int team_fitting(int n, double wall, double cpu) {
  const int fit = (int)(cpu / wall + 0.25); /* a quarter of a core: what interrupts may take */
  return fit < 1 ? 1 : fit > n ? n : fit;
}

/* True if more threads want to run than the machine has cores, this one counted. Systems that do
 * not say so are taken as idle: the windows find out. */
static bool crowded(int more) {
#ifdef __linux__
  FILE *file = fopen("/proc/loadavg", "re");
  if (!file) return false;
  int running = 0;
  if (fscanf(file, "%*f %*f %*f %d/", &running) != 1) running = 0;
  fclose(file);
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores > 0 && running + more > cores;
#else
  (void)more;
  return false;
#endif
}

static void open_window(team_state *team, double now) {
  team->begin = now;
  team->cpu = cpu_now();
  team->gap = false;
}

/* Fewer threads than all, for some time. */
static void yield(team_state *team, int threads, double until) {
  team->now = threads;
  team->until = until;
}

/* How long to wait before a trial of this length is repeated, so that trials stay rare. */
static double rest_after(double took) {
  const double time = rest * took;
  return time > longest ? longest : time < shortest ? shortest : time;
}

/* All threads, or one where the system says that they would have no cores. */
static void try_all(team_state *team, int threads, double now) {
  team->now = threads;
  if (crowded(threads - 1)) yield(team, 1, now + crowd);
  open_window(team, now);
}

/* The end of a window. One with a gap between regions does not count alone: it may have been the
 * caller's work, while the team slept. */
static void judge(team_state *team, double now) {
  const double wall = now - team->begin;
  const int fit = team_fitting(team->now, wall, cpu_now() - team->cpu);
  const bool doubt = fit < team->now && team->gap && team->doubt == 0.0;
  if (fit < team->now && !doubt) yield(team, fit, now + rest_after(wall + team->doubt));
  team->doubt = doubt ? wall : 0.0;
  open_window(team, now);
}

int context_team(scree_context *context, bool worth) {
  team_state *team = &context->team;
  if (!worth) return 1;
  if (team->fixed) return context->threads;
  const double now = timer_now();
  if (now - team->last > quiet) team->gap = true;
  team->last = now;
  if (team->now < context->threads && now >= team->until) {
    try_all(team, context->threads, now);
  } else if (team->now > 1 && now - team->begin > window) {
    judge(team, now);
  }
  return team->now;
}

bool team_is_alone(int team) {
#ifdef _OPENMP
  return team == 1 && !omp_in_parallel();
#else
  return team == 1;
#endif
}

/* Cases in processes of their own, and the table of their results. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include "base/claim.h"
#include "base/timer.h"
#include "cli/study/study.h"

/* ---- one case, in the child ----------------------------------------------------------------- */

typedef struct gauge {
  size_t count;
  double sum, squares, least, most, first, last, first_time, last_time;
} gauge;

static void take(gauge *g, double time, double x) {
  if (!isfinite(x)) return;
  if (!g->count) {
    g->first = g->least = g->most = x;
    g->first_time = time;
  }
  g->count++;
  g->sum += x;
  g->squares += x * x;
  g->least = fmin(g->least, x);
  g->most = fmax(g->most, x);
  g->last = x;
  g->last_time = time;
}

static double reduce(const gauge *g, study_reduction how) {
  const double n = (double)g->count;
  if (!g->count) return NAN;
  switch (how) {
  case STUDY_MEAN:
    return g->sum / n;
  case STUDY_RMS:
    return sqrt(g->squares / n);
  case STUDY_MIN:
    return g->least;
  case STUDY_MAX:
    return g->most;
  case STUDY_LAST:
    return g->last;
  default:
    return g->last_time > g->first_time ? (g->last - g->first) / (g->last_time - g->first_time)
                                        : NAN;
  }
}

/* In the order of the names in options.c. */
static double of_summary(const scree_sim_summary *s, size_t k) {
  const double values[] = {(double)s->steps,
                           s->seconds,
                           (double)s->contacts,
                           (double)s->nonconverged_steps,
                           (double)s->bodies,
                           s->worst_penetration_percent,
                           s->worst_residual,
                           s->energy_error,
                           (double)s->flow.emitted,
                           (double)s->flow.drained,
                           s->energy.linear + s->energy.angular};
  return values[k];
}

static bool is_due(double every, double step, uint64_t n) {
  if (every <= 0.0) return true;
  const double ratio = step / every;
  return floor((double)n * ratio + 1e-9) > floor((double)(n - 1) * ratio + 1e-9);
}

static scree_status measure_step(const study *s, scree_sim *sim, uint64_t n, double step,
                                 gauge *gauges) {
  const double time = scree_world_time(scree_sim_world(sim));
  const double slack = 1e-6 * step;
  if (time < s->window[0] - slack || time > s->window[1] + slack) return SCREE_OK;
  for (size_t i = 0; i < s->measure_count; i++) {
    const study_measure *m = &s->measures[i];
    double row[64];
    size_t count;
    if (m->probe == SIZE_MAX || !is_due(m->every, step, n)) continue;
    const scree_status status = scree_sim_get_probe(sim, m->probe, 64, row, &count);
    if (status) return status;
    if (m->column < count) take(&gauges[i], time, row[m->column]);
  }
  return SCREE_OK;
}

static scree_status run_sim(const study *s, scree_sim *sim, study_result *r) {
  gauge gauges[STUDY_MEASURES] = {0};
  const double step = scree_scene_get_settings(scree_sim_scene(sim))->step;
  scree_status status = SCREE_OK;
  uint64_t n = 0;
  while (!status && !scree_sim_done(sim) && !cli_interrupted()) {
    status = scree_sim_step(sim, NULL);
    if (status == SCREE_ERROR_STOPPED) {
      status = SCREE_OK;
      break;
    }
    if (!status) status = measure_step(s, sim, ++n, step, gauges);
  }
  if (!status) status = scree_sim_finish(sim);
  if (status) return status;
  scree_sim_summary summary;
  scree_sim_get_summary(sim, &summary);
  r->code = scree_sim_done(sim) ? CLI_OK : CLI_INTERRUPTED;
  r->steps = (long long)summary.steps;
  r->nonconverged = (long long)summary.nonconverged_steps;
  r->seconds = summary.seconds;
  snprintf(r->hash, sizeof r->hash, "%016llx", (unsigned long long)summary.state_hash);
  for (size_t i = 0; i < s->measure_count; i++)
    r->values[i] = s->measures[i].probe == SIZE_MAX ? of_summary(&summary, s->measures[i].column)
                                                    : reduce(&gauges[i], s->measures[i].reduction);
  return SCREE_OK;
}

static void run_case(const study *s, const study_case *c, study_result *r) {
  const char *sets[STUDY_FIXED + STUDY_KEYS];
  size_t count = 0;
  char out[4400];
  for (size_t i = 0; i < s->fixed_count; i++) sets[count++] = s->fixed[i];
  for (size_t i = 0; i < c->set_count; i++) sets[count++] = c->sets[i];
  snprintf(out, sizeof out, "%s/case-%04zu.h5", s->out, c->number);
  scree_context_def context_def = scree_context_def_default();
  context_def.threads = (int)s->threads;
  context_def.stop = cli_stop;
  scree_context *context = scree_context_create(&context_def);
  scree_scene_def scene_def = scree_scene_def_default();
  scene_def.set_count = count;
  scene_def.sets = sets;
  scree_scene *scene = NULL;
  scree_sim *sim = NULL;
  scree_status status =
      context ? scree_scene_load(context, s->path, &scene_def, &scene) : SCREE_ERROR_MEMORY;
  scree_sim_def def = scree_sim_def_default();
  if (s->record) def.out = out;
  def.replace = true;
  if (!status) status = scree_sim_create(scene, &def, &sim);
  if (!status) status = run_sim(s, sim, r);
  if (status) {
    r->code = cli_code(status);
    snprintf(r->message, sizeof r->message, "%s", context ? scree_context_message(context) : "");
  }
  scree_sim_destroy(sim);
  scree_scene_destroy(scene);
  scree_context_destroy(context);
}

/* ---- many, from the parent ------------------------------------------------------------------ */

typedef struct worker {
  pid_t child;
  int pipe;
  study_case *at;
  size_t got;
} worker;

static int begin(const study *s, study_case *c, worker *w) {
  int ends[2];
  if (pipe(ends) != 0) return cli_fail(CLI_INTERNAL, "no pipe: %s", strerror(errno));
  fflush(NULL);
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return cli_fail(CLI_INTERNAL, "no process: %s", strerror(errno));
  }
  if (child == 0) {
    close(ends[0]);
    if (s->table_file > 0) close(s->table_file); /* the lock is the parent's and ends with it */
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* nobody would read the result */
#endif
    study_result r = {.done = true};
    run_case(s, c, &r);
    const char *at = (const char *)&r;
    for (size_t left = sizeof r; left;) {
      const ssize_t n = write(ends[1], at, left);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) _exit(1);
      at += n;
      left -= (size_t)n;
    }
    _exit(0);
  }
  close(ends[1]);
  *w = (worker){.child = child, .pipe = ends[0], .at = c};
  return CLI_OK;
}

/* Reads the output that is there; true: the case has ended. */
static bool take_result(worker *w) {
  char *to = (char *)&w->at->result;
  const ssize_t n = read(w->pipe, to + w->got, sizeof w->at->result - w->got);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (n > 0) {
    w->got += (size_t)n;
    return false;
  }
  int status = 0;
  close(w->pipe);
  while (waitpid(w->child, &status, 0) < 0 && errno == EINTR) continue;
  if (w->got != sizeof w->at->result) {
    w->at->result = (study_result){.done = true, .code = CLI_INTERNAL};
    snprintf(w->at->result.message, sizeof w->at->result.message,
             WIFSIGNALED(status) ? "its process was killed by signal %d"
                                 : "its process ended early (%d)",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  }
  w->child = 0;
  return true;
}

/* A signal may have been sent to the parent alone. */
static void tell_all(const worker *workers, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (workers[i].child) kill(workers[i].child, SIGTERM);
}

static void stop_all(worker *workers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!workers[i].child) continue;
    kill(workers[i].child, SIGTERM);
    close(workers[i].pipe);
    while (waitpid(workers[i].child, NULL, 0) < 0 && errno == EINTR) continue;
  }
}

int study_run(const study *s, size_t count, study_case *cases, study_finished finished,
              void *user) {
  const size_t jobs = (size_t)s->jobs;
  worker *workers = calloc(jobs, sizeof *workers);
  struct pollfd *polls = calloc(jobs, sizeof *polls);
  int code = workers && polls ? CLI_OK : cli_fail(CLI_INTERNAL, "out of memory");
  size_t next = 0, running = 0;
  bool told = false;
  while (!code && (running || next < count)) {
    for (size_t i = 0; i < jobs && !code; i++) {
      while (next < count && cases[next].result.done) next++;
      if (workers[i].child || next >= count || cli_interrupted()) continue;
      code = begin(s, &cases[next++], &workers[i]);
      running += !code;
    }
    if (cli_interrupted() && !running) code = CLI_INTERRUPTED;
    if (cli_interrupted() && !told) tell_all(workers, jobs);
    told = cli_interrupted();
    for (size_t i = 0; i < jobs; i++)
      polls[i] = (struct pollfd){.fd = workers[i].child ? workers[i].pipe : -1, .events = POLLIN};
    if (code || !running) continue;
    if (poll(polls, jobs, 200) <= 0) continue;
    for (size_t i = 0; i < jobs && !code; i++) {
      if (!workers[i].child || !polls[i].revents || !take_result(&workers[i])) continue;
      running--;
      study_case *c = workers[i].at;
      if (c->result.code == CLI_INTERRUPTED || (cli_interrupted() && c->result.code)) {
        c->result.done = false;
        code = CLI_INTERRUPTED;
      } else {
        code = finished(user, c);
      }
    }
  }
  if (workers) stop_all(workers, jobs);
  free(workers);
  free(polls);
  return code;
}

/* ---- the table ------------------------------------------------------------------------------ */

enum { FIELDS = 64 };

static size_t split(char *line, char **fields) {
  size_t count = 0;
  for (char *at = line; at && count < FIELDS;) {
    char *comma = NULL;
    if (*at == '"') { /* values with commas of their own */
      char *close_quote = strchr(at + 1, '"');
      if (!close_quote) break;
      fields[count++] = at + 1;
      *close_quote = '\0';
      comma = close_quote[1] == ',' ? close_quote + 1 : NULL;
    } else {
      fields[count++] = at;
      comma = strchr(at, ',');
    }
    if (comma) *comma = '\0';
    at = comma ? comma + 1 : NULL;
  }
  return count;
}

/* Keeps whole rows: a line that was cut off is removed. */
static int read_rows(study_table *t, FILE *file, long *whole,
                     void (*row)(void *user, size_t count, char *const *fields), void *user) {
  char line[8192], *fields[FIELDS];
  *whole = 0;
  for (size_t number = 0; fgets(line, sizeof line, file); number++) {
    const size_t length = strlen(line);
    if (!length || line[length - 1] != '\n') break;
    line[length - 1] = '\0';
    if (number == 0 && strcmp(line, t->header) != 0)
      return cli_fail(CLI_IO,
                      "%s: it belongs to another study (scene, keys, measures or window); give "
                      "another --out, or "
                      "--force to begin anew",
                      t->path);
    if (number > 0) {
      const size_t count = split(line, fields);
      row(user, count, fields);
    }
    *whole = ftell(file);
  }
  return CLI_OK;
}

/* The table is there, a plain file, and locked until the study has ended: two studies in one folder
 * would mix their rows. Of two that begin together one makes the file and either may lock it. */
static int lock_table(study_table *t) {
  claim lock;
  const int made = open(t->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (made < 0 && errno != EEXIST)
    return cli_fail(CLI_IO, "%s: cannot be made: %s", t->path, strerror(errno));
  if (made >= 0) close(made);
  if (claim_existing(&lock, t->path) != CLAIM_TAKEN) {
    char text[CLAIM_PATH + 128];
    claim_explain(&lock, text, sizeof text);
    return cli_fail(CLI_IO, "%s", text);
  }
  t->file = fdopen(lock.file, "r+");
  if (t->file) return CLI_OK;
  claim_drop(&lock);
  return cli_fail(CLI_INTERNAL, "out of memory");
}

int study_table_open(study_table *t, study *s, const char *name, const char *header, bool force,
                     void (*row)(void *user, size_t count, char *const *fields), void *user) {
  int code = study_make_folder(s->out);
  if (code) return code;
  snprintf(t->path, sizeof t->path, "%s/%s", s->out, name);
  snprintf(t->header, sizeof t->header, "%s", header);
  code = lock_table(t);
  if (code) return code;
  s->table_file = fileno(t->file);
  long whole = 0;
  if (!force) code = read_rows(t, t->file, &whole, row, user);
  if (!code && (fseek(t->file, whole, SEEK_SET) != 0 || ftruncate(fileno(t->file), whole) != 0))
    code = cli_fail(CLI_IO, "%s: cannot be written: %s", t->path, strerror(errno));
  return code || whole ? code : study_table_add(t, header);
}

int study_table_add(study_table *t, const char *row) {
  if (fprintf(t->file, "%s\n", row) < 0 || fflush(t->file) != 0 || fsync(fileno(t->file)) != 0)
    return cli_fail(CLI_IO, "%s: cannot be written: %s", t->path, strerror(errno));
  return CLI_OK;
}

void study_table_close(study_table *t) {
  if (t->file) fclose(t->file);
  t->file = NULL;
}

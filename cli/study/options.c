/* Options of studies: values with units, keys with several values, measures by probe and column. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/crc.h"
#include "base/number.h"
#include "cli/run/simulate.h"
#include "cli/study/study.h"

/* ---- numbers -------------------------------------------------------------------------------- */

enum { UNIT_BASES = 5 };

/* Powers of the base units in "kg m s^-2", times `power`. Angles have none. */
static void add_powers(const char *si, long power, long powers[UNIT_BASES]) {
  static const char *const base[UNIT_BASES] = {"m", "kg", "s", "A", "rad"};
  while (*si) {
    size_t length = 0;
    while (isalpha((unsigned char)si[length])) length++;
    const char *name = si;
    long own = 1;
    si += length;
    if (*si == '^') {
      char *end;
      own = strtol(si + 1, &end, 10);
      si = end;
    }
    for (int k = 0; k < UNIT_BASES - 1; k++)
      if (strlen(base[k]) == length && strncmp(base[k], name, length) == 0)
        powers[k] += own * power;
    while (*si && !isalpha((unsigned char)*si)) si++;
  }
}

/* "kg/s", "m^2": factors of the units' table, and powers of the base units; false: not a unit. */
static bool read_unit(const char *text, double *factor, long powers[UNIT_BASES]) {
  bool divide = false;
  *factor = 1.0;
  for (int k = 0; k < UNIT_BASES; k++) powers[k] = 0;
  while (*text) {
    if (isspace((unsigned char)*text) || *text == '*') {
      text++;
      continue;
    }
    if (*text == '/') {
      if (divide) return false;
      divide = true;
      text++;
      continue;
    }
    size_t length = 0;
    while (isalpha((unsigned char)text[length]) || text[length] == '%') length++;
    double one = 0.0;
    char si[SCREE_UNIT_TEXT];
    bool known = false;
    for (size_t i = 0; !known; i++) {
      const char *name = scree_scene_unit(i, &one, si);
      if (!name) break;
      known = strlen(name) == length && strncmp(name, text, length) == 0;
    }
    if (!length || !known) return false;
    text += length;
    long power = 1;
    if (*text == '^') {
      char *end;
      power = strtol(text + 1, &end, 10);
      if (end == text + 1) return false;
      text = end;
    }
    *factor *= pow(one, (double)(divide ? -power : power));
    add_powers(si, divide ? -power : power, powers);
  }
  return true;
}

static bool unit_factor(const char *text, double *factor) {
  long powers[UNIT_BASES];
  return read_unit(text, factor, powers);
}

bool study_fits_unit(const char *text, const char *unit) {
  char *end;
  double factor;
  long a[UNIT_BASES], b[UNIT_BASES];
  number_read(text, &end);
  while (isspace((unsigned char)*end)) end++;
  if (!*end || !read_unit(end, &factor, a) || !read_unit(unit, &factor, b)) return true;
  return memcmp(a, b, sizeof a) == 0;
}

bool study_number(const char *text, double *value) {
  char *end;
  double factor;
  *value = number_read(text, &end);
  if (end == text || !isfinite(*value) || !unit_factor(end, &factor)) return false;
  *value *= factor;
  return true;
}

/* ---- keys ----------------------------------------------------------------------------------- */

static bool add_value(study_key *key, const char *text, size_t length) {
  if (length >= STUDY_TEXT) return false;
  char(*values)[STUDY_TEXT] = realloc(key->values, (key->count + 1) * sizeof *values);
  if (values) key->values = values;
  double *numbers = realloc(key->numbers, (key->count + 1) * sizeof *numbers);
  if (numbers) key->numbers = numbers;
  if (!values || !numbers) return false;
  snprintf(values[key->count], STUDY_TEXT, "%.*s", (int)length, text);
  if (!study_number(values[key->count], &numbers[key->count])) numbers[key->count] = NAN;
  key->count++;
  return true;
}

/* A:B:N; B may have a unit, which is then that of all. False: it is none. */
static bool read_range(study_key *key, const char *text) {
  char *end;
  const double a = number_read(text, &end);
  if (end == text) return false;
  const char *own = end, *colon = strchr(end, ':');
  if (!colon) return false;
  const double b = number_read(colon + 1, &end);
  if (end == colon + 1) return false;
  const char *unit = end, *last = strchr(end, ':');
  if (!last) return false;
  const long n = strtol(last + 1, &end, 10);
  if (end == last + 1 || *end || n < 2 || n > 10000) return false;
  if (colon > own && strncmp(own, unit, (size_t)(colon - own)) != 0) return false;
  for (long i = 0; i < n; i++) {
    char value[STUDY_TEXT];
    const double x = a + (b - a) * (double)i / (double)(n - 1);
    number_format(value, sizeof value, "%.12g", x);
    snprintf(value + strlen(value), sizeof value - strlen(value), "%s%.*s", last > unit ? " " : "",
             (int)(last - unit), unit);
    if (!add_value(key, value, strlen(value))) return false;
  }
  return true;
}

int study_read_key(const char *text, study_key *key) {
  *key = (study_key){.count = 0};
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || equals - text >= STUDY_TEXT || !equals[1])
    return cli_fail(CLI_USAGE, "'%s': KEY=VALUE, KEY=A,B,… or KEY=A:B:N is expected", text);
  snprintf(key->name, sizeof key->name, "%.*s", (int)(equals - text), text);
  const char *at = equals + 1;
  bool good = true;
  if (*at == '[' || *at == '{') /* one value that has commas itself */
    good = add_value(key, at, strlen(at));
  else if (!strchr(at, ':') || !read_range(key, at)) {
    if (key->count)
      return cli_fail(CLI_USAGE, "'%s': a range is A:B:N, of N values from A to B", text);
    if (strchr(at, ':'))
      return cli_fail(CLI_USAGE, "'%s': a range is A:B:N, as 0.1:0.9:5 or 0:2 mm:3", text);
    while (good) {
      const size_t length = strcspn(at, ",");
      good = length > 0 && add_value(key, at, length);
      if (!at[length]) break;
      at += length + 1;
    }
  }
  return good ? CLI_OK : cli_fail(CLI_USAGE, "'%s': an empty or too long value", text);
}

void study_clear_key(study_key *key) {
  free(key->values);
  free(key->numbers);
  *key = (study_key){.count = 0};
}

/* ---- measures ------------------------------------------------------------------------------- */

static const char *const summary_names[] = {"steps",          "seconds",
                                            "contacts",       "nonconverged_steps",
                                            "bodies",         "worst_penetration_percent",
                                            "worst_residual", "energy_error",
                                            "emitted",        "drained",
                                            "kinetic"};
enum { SUMMARY_NAMES = sizeof summary_names / sizeof *summary_names };

/* bodies_forward matches "bodies forward" too. */
static bool same_word(const char *column, size_t length, const char *word) {
  if (strlen(word) != length) return false;
  for (size_t i = 0; i < length; i++)
    if (column[i] != word[i] && !(column[i] == ' ' && word[i] == '_')) return false;
  return true;
}

static int find_column(study_measure *m, scree_probe_kind kind, const char *word) {
  char all[512] = "";
  /* What flows through a plane, kg/s. */
  const bool rate = kind == SCREE_PROBE_PLANE && strcmp(word, "rate") == 0;
  if (rate) {
    word = "mass";
    m->reduction = STUDY_RATE;
  }
  for (size_t k = 1; scree_probe_column_name(kind, k); k++) {
    const char *name = scree_probe_column_name(kind, k), *bracket = strchr(name, '[');
    size_t length = bracket ? (size_t)(bracket - name) : strlen(name);
    while (length && name[length - 1] == ' ') length--;
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%.*s", *all ? ", " : "", (int)length,
             name);
    if (!same_word(name, length, word)) continue;
    m->column = k;
    snprintf(m->unit, sizeof m->unit, "%.*s%s", bracket ? (int)strcspn(bracket + 1, "]") : 0,
             bracket ? bracket + 1 : "", m->reduction == STUDY_RATE ? "/s" : "");
    return CLI_OK;
  }
  return cli_fail(CLI_USAGE, "measure %s: the probe has no column '%s'; it has: %s%s", m->text,
                  word, all, kind == SCREE_PROBE_PLANE ? ", rate" : "");
}

static int find_probe(study_measure *m, const scree_scene *scene, const char *name,
                      const char *column) {
  char all[512] = "";
  for (size_t i = 0; i < scree_scene_probe_count(scene); i++) {
    scree_probe_def def;
    if (scree_scene_get_probe(scene, i, &def)) continue;
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", *all ? ", " : "", def.name);
    if (strcmp(def.name, name) != 0) continue;
    m->probe = i;
    m->every = def.every;
    return find_column(m, def.kind, column);
  }
  return cli_fail(CLI_USAGE, "measure %s: the scene has no probe '%s'; it has: %s", m->text, name,
                  *all ? all : "none");
}

static int read_measure(study_measure *m, const scree_scene *scene, const char *text) {
  static const char *const words[] = {"mean", "rms", "min", "max", "last", "rate"};
  char probe[STUDY_TEXT], *column, *reduction;
  if (strlen(text) >= sizeof m->text) return cli_fail(CLI_USAGE, "measure %s: too long", text);
  *m = (study_measure){.probe = SIZE_MAX};
  snprintf(m->text, sizeof m->text, "%s", text);
  snprintf(probe, sizeof probe, "%s", text);
  reduction = strchr(probe, ':');
  if (reduction) {
    *reduction++ = '\0';
    size_t k = 0;
    while (k < sizeof words / sizeof *words && strcmp(words[k], reduction) != 0) k++;
    if (k == sizeof words / sizeof *words)
      return cli_fail(CLI_USAGE, "measure %s: '%s' is not one of mean, rms, min, max, last, rate",
                      text, reduction);
    m->reduction = (study_reduction)k;
  }
  column = strchr(probe, '.');
  if (!column || column == probe || !column[1])
    return cli_fail(CLI_USAGE, "measure %s: PROBE.COLUMN or summary.NAME is expected", text);
  *column++ = '\0';
  if (strcmp(probe, "summary") != 0) return find_probe(m, scene, probe, column);
  for (size_t k = 0; k < SUMMARY_NAMES; k++) {
    if (strcmp(summary_names[k], column) != 0) continue;
    m->column = k;
    return CLI_OK;
  }
  return cli_fail(CLI_USAGE, "measure %s: the summary has no '%s'%s", text, column,
                  cli_suggest(column, summary_names, SUMMARY_NAMES));
}

/* ---- opening -------------------------------------------------------------------------------- */

static void report(void *user, const char *message) {
  ++*(int *)user;
  cli_fail(CLI_INPUT, "%s", message);
}

/* Of the files of both verbs none may be one that the scene is read from. */
static int spare_inputs(const study *s, const scree_scene *scene) {
  static const char *const names[] = {"results.csv", "results.png", "runs.csv", "runs.png",
                                      "report.md"};
  char path[4300];
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    snprintf(path, sizeof path, "%s/%s", s->out, names[k]);
    if (scree_scene_reads(scene, path))
      return cli_fail(CLI_USAGE,
                      "%s: the scene is read from it, so it is not written; give "
                      "another --out",
                      path);
  }
  return CLI_OK;
}

static int examine_scene(study *s, size_t measure_count, const char *const *measures,
                         size_t set_count, const char *const *sets) {
  const char *all[STUDY_FIXED + STUDY_KEYS];
  size_t count = 0;
  int code = CLI_OK, reported = 0;
  for (size_t i = 0; i < s->fixed_count; i++) all[count++] = s->fixed[i];
  for (size_t i = 0; i < set_count; i++) all[count++] = sets[i];
  scree_context_def def = scree_context_def_default();
  def.threads = 1;
  scree_context *context = scree_context_create(&def);
  if (!context) return cli_fail(CLI_INTERNAL, "out of memory");
  scree_scene *scene = NULL;
  scree_world *world = NULL;
  code = simulate_find(context, s->scene, s->path, sizeof s->path);
  if (!code) {
    scree_scene_def scene_def = scree_scene_def_default();
    scene_def.set_count = count;
    scene_def.sets = all;
    scene_def.report = report;
    scene_def.report_user = &reported;
    scree_status status = scree_scene_load(context, s->path, &scene_def, &scene);
    if (!status) status = scree_scene_build(scene, &world);
    if (status)
      code = reported ? cli_code(status)
                      : cli_fail(cli_code(status), "%s", scree_context_message(context));
  }
  for (size_t i = 0; i < measure_count && !code; i++)
    code = read_measure(&s->measures[s->measure_count++], scene, measures[i]);
  if (!code && isnan(s->window[0])) {
    const double duration = scree_scene_get_settings(scene)->duration;
    s->window[0] = 0.75 * duration;
    s->window[1] = INFINITY;
  }
  if (!code) code = spare_inputs(s, scene);
  for (size_t i = 0; !code && i < scree_scene_file_count(scene); i++) {
    size_t size;
    const char *bytes = scree_scene_file_bytes(scene, i, &size);
    s->tag = crc32c(s->tag, bytes, size);
  }
  s->tag = crc32c(s->tag, s->window, sizeof s->window);
  for (size_t i = 0; i < s->fixed_count; i++)
    s->tag = crc32c(s->tag, s->fixed[i], strlen(s->fixed[i]));
  scree_world_destroy(world);
  scree_scene_destroy(scene);
  scree_context_destroy(context);
  return code;
}

int study_make_folder(const char *path) {
  if (mkdir(path, 0777) == 0 || errno == EEXIST) return CLI_OK;
  return cli_fail(CLI_IO, "%s: cannot be made: %s", path, strerror(errno));
}

int study_open(study *s, const cli_args *args, const char *verb, size_t measure_count,
               const char *const *measures, size_t set_count, const char *const *sets) {
  static char folder[4096];
  s->scene = args->operand[0];
  s->record = cli_has(args, "record");
  s->json = cli_has(args, "json");
  s->jobs = s->threads = 1;
  s->window[0] = s->window[1] = NAN;
  if (!cli_whole(args, "jobs", 1, 1024, &s->jobs) ||
      !cli_whole(args, "threads", 1, 1024, &s->threads))
    return CLI_USAGE;
  const char *window = cli_text(args, "window", NULL);
  if (window) {
    char *end;
    s->window[0] = number_read(window, &end);
    if (end != window && *end == ':') s->window[1] = number_read(end + 1, &end);
    if (*end || !(s->window[1] > s->window[0]))
      return cli_fail(CLI_USAGE, "--window needs A:B with A below B, in seconds, not '%s'", window);
  }
  if (measure_count > STUDY_MEASURES)
    return cli_fail(CLI_USAGE, "more than %d measures", (int)STUDY_MEASURES);
  const char *base = strrchr(s->scene, '/');
  base = base ? base + 1 : s->scene;
  snprintf(folder, sizeof folder, "%.*s-%s", (int)strcspn(base, "."), base, verb);
  s->out = cli_text(args, "out", folder);
  return examine_scene(s, measure_count, measures, set_count, sets);
}

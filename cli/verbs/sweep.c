/* `scree sweep`: a scene with every combination of some values; a table of what was measured, and a
 * plot. A study that was killed goes on where it was. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/plot/panel.h"
#include "cli/plot/plot.h"
#include "cli/study/study.h"

static const cli_flag flags[] = {
    {"set", "KEY=VALUES",
     "values of a key or parameter: A:B:N (N of them from A to B), A,B,… or one; may be repeated"},
    {"measure", "LIST",
     "PROBE.COLUMN[:mean|rms|min|max|last|rate] or summary.NAME, with commas between; a plane has "
     "rate (kg/s)"},
    STUDY_FLAGS,
    {0},
};

enum { CASES_MOST = 100000 };

typedef struct sweep {
  study study;
  study_key keys[STUDY_KEYS];
  size_t key_count;
  study_case *cases;
  char (*texts)[STUDY_KEYS][2 * STUDY_TEXT]; /* KEY=VALUE of each case */
  size_t count, before, failed, ended;
  study_table table;
} sweep;

/* ---- cases ---------------------------------------------------------------------------------- */

static int read_keys(sweep *w, const cli_args *args) {
  for (size_t i = 0; i < args->given_count; i++) {
    if (strcmp(args->given[i].flag->name, "set") != 0) continue;
    if (w->key_count == STUDY_KEYS) return cli_fail(CLI_USAGE, "more than %d --set", STUDY_KEYS);
    const int code = study_read_key(args->given[i].value, &w->keys[w->key_count++]);
    if (code) return code;
  }
  if (!w->key_count) return cli_fail(CLI_USAGE, "nothing to vary: --set KEY=A:B:N is expected");
  return CLI_OK;
}

/* The last key runs first. */
static int make_cases(sweep *w) {
  w->count = 1;
  for (size_t k = 0; k < w->key_count; k++) {
    w->count *= w->keys[k].count;
    if (w->count > CASES_MOST) return cli_fail(CLI_USAGE, "more than %d cases", (int)CASES_MOST);
  }
  w->cases = calloc(w->count, sizeof *w->cases);
  w->texts = calloc(w->count, sizeof *w->texts);
  if (!w->cases || !w->texts) return cli_fail(CLI_INTERNAL, "out of memory");
  for (size_t i = 0; i < w->count; i++) {
    size_t rest = i;
    w->cases[i].number = i + 1;
    w->cases[i].set_count = w->key_count;
    for (size_t k = w->key_count; k-- > 0;) {
      const study_key *key = &w->keys[k];
      snprintf(w->texts[i][k], sizeof w->texts[i][k], "%s=%s", key->name,
               key->values[rest % key->count]);
      rest /= key->count;
      w->cases[i].sets[k] = w->texts[i][k];
    }
  }
  return CLI_OK;
}

static const char *value_of(const sweep *w, size_t i, size_t k) {
  return w->texts[i][k] + strlen(w->keys[k].name) + 1;
}

/* ---- table ---------------------------------------------------------------------------------- */

static void put_field(char *row, size_t size, const char *text) {
  const bool quote = strpbrk(text, ",\"") != NULL;
  snprintf(row + strlen(row), size - strlen(row), "%s%s%s%s", *row ? "," : "", quote ? "\"" : "",
           text, quote ? "\"" : "");
}

static void put_number(char *row, size_t size, double x) {
  char text[40] = "";
  if (isfinite(x)) number_format(text, sizeof text, "%.12g", x);
  snprintf(row + strlen(row), size - strlen(row), ",%s", text);
}

static void make_header(const sweep *w, char *row, size_t size) {
  *row = '\0';
  put_field(row, size, "case");
  for (size_t k = 0; k < w->key_count; k++) put_field(row, size, w->keys[k].name);
  for (size_t i = 0; i < w->study.measure_count; i++) {
    char text[2 * STUDY_TEXT];
    const study_measure *m = &w->study.measures[i];
    snprintf(text, sizeof text, "%s%s%s%s", m->text, *m->unit ? " [" : "", m->unit,
             *m->unit ? "]" : "");
    put_field(row, size, text);
  }
  put_field(row, size, "steps");
  put_field(row, size, "nonconverged");
  put_field(row, size, "seconds [s]");
  char state[32];
  snprintf(state, sizeof state, "state of %08x", w->study.tag);
  put_field(row, size, state);
}

static bool has_values(const sweep *w, size_t at, char *const *values) {
  for (size_t k = 0; k < w->key_count; k++)
    if (strcmp(values[k], value_of(w, at, k)) != 0) return false;
  return true;
}

/* The case with these values: of its number, or of another where the ranges have changed since; the
 * count: none. */
static size_t find_case(const sweep *w, unsigned long number, char *const *values) {
  if (number >= 1 && number <= w->count && has_values(w, number - 1, values)) return number - 1;
  if (w->study.record) return w->count; /* they are named by their numbers */
  size_t at = 0;
  while (at < w->count && !has_values(w, at, values)) at++;
  return at;
}

/* A row of an earlier part of the study: that case is done. */
static void take_row(void *user, size_t count, char *const *fields) {
  sweep *w = user;
  const size_t measures = w->study.measure_count;
  if (count != 1 + w->key_count + measures + 4) return;
  const size_t at = find_case(w, strtoul(fields[0], NULL, 10), fields + 1);
  if (at == w->count || w->cases[at].result.done) return;
  study_case *c = &w->cases[at];
  c->result.done = true;
  for (size_t i = 0; i < measures; i++) {
    const char *text = fields[1 + w->key_count + i];
    c->result.values[i] = *text ? number_read(text, NULL) : NAN;
  }
  char *const *rest = fields + 1 + w->key_count + measures;
  c->result.steps = strtoll(rest[0], NULL, 10);
  c->result.nonconverged = strtoll(rest[1], NULL, 10);
  c->result.seconds = number_read(rest[2], NULL);
  w->before++;
}

static int finished(void *user, study_case *c) {
  sweep *w = user;
  const size_t i = c->number - 1;
  char row[8192] = "", said[2048] = "";
  w->ended++;
  for (size_t k = 0; k < w->key_count; k++)
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s%s", k ? " " : "", w->texts[i][k]);
  if (c->result.code) {
    w->failed++;
    cli_fail(c->result.code, "case %zu (%s): %s", c->number, said, c->result.message);
    return CLI_OK;
  }
  snprintf(row, sizeof row, "%zu", c->number);
  for (size_t k = 0; k < w->key_count; k++) put_field(row, sizeof row, value_of(w, i, k));
  for (size_t m = 0; m < w->study.measure_count; m++) {
    put_number(row, sizeof row, c->result.values[m]);
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s %s = %.4g %s", m ? "," : ":",
             w->study.measures[m].text, c->result.values[m], w->study.measures[m].unit);
  }
  snprintf(row + strlen(row), sizeof row - strlen(row), ",%lld,%lld,%.3g,%s", c->result.steps,
           c->result.nonconverged, c->result.seconds, c->result.hash);
  cli_note("case %zu of %zu: %s%s", c->number, w->count, said,
           c->result.nonconverged ? "; steps did not converge" : "");
  return study_table_add(&w->table, row);
}

/* ---- plot ----------------------------------------------------------------------------------- */

/* The key with the most values that are numbers; a curve for each combination of the others. */
static size_t plot_key(const sweep *w) {
  size_t best = STUDY_KEYS;
  for (size_t k = 0; k < w->key_count; k++) {
    bool numbers = w->keys[k].count > 1;
    for (size_t i = 0; i < w->keys[k].count; i++) numbers &= isfinite(w->keys[k].numbers[i]);
    if (numbers && (best == STUDY_KEYS || w->keys[k].count > w->keys[best].count)) best = k;
  }
  return best;
}

static size_t index_of(const sweep *w, size_t i, size_t k) {
  for (size_t n = w->key_count; n-- > k + 1;) i /= w->keys[n].count;
  return i % w->keys[k].count;
}

static bool fill_panel(const sweep *w, size_t x, size_t measure, panel *p) {
  const study_measure *m = &w->study.measures[measure];
  snprintf(p->label, sizeof p->label, "%s%s%s%s", m->text, *m->unit ? " (" : "", m->unit,
           *m->unit ? ")" : "");
  p->x_label = w->keys[x].name;
  for (size_t first = 0; first < w->count; first++) {
    if (index_of(w, first, x) != 0) continue;
    panel_curve *c = panel_add_curve(p);
    if (!c) return false;
    c->colour = (int)(p->count - 1) % 8;
    c->dash = (int)(p->count - 1) / 8;
    for (size_t k = 0; k < w->key_count; k++)
      if (k != x && w->keys[k].count > 1)
        snprintf(c->title + strlen(c->title), sizeof c->title - strlen(c->title), "%s%s",
                 *c->title ? " " : "", w->texts[first][k]);
    size_t stride = 1;
    for (size_t n = x + 1; n < w->key_count; n++) stride *= w->keys[n].count;
    for (size_t i = 0; i < w->keys[x].count; i++) {
      const study_case *one = &w->cases[first + i * stride];
      if (one->result.done && !one->result.code &&
          !panel_add_point(c, w->keys[x].numbers[i], one->result.values[measure]))
        return false;
    }
  }
  return true;
}

static int draw(const sweep *w, const char *path) {
  const size_t x = plot_key(w), count = w->study.measure_count;
  if (x == STUDY_KEYS) return CLI_OK;
  panel *panels = calloc(count, sizeof *panels);
  bool good = panels != NULL;
  for (size_t m = 0; m < count && good; m++) good = fill_panel(w, x, m, &panels[m]);
  const int code = good ? panel_draw(path, w->study.scene, panels, count) : CLI_INTERNAL;
  for (size_t m = 0; m < count && panels; m++) panel_clear(&panels[m]);
  free(panels);
  return code;
}

/* ---- the verb ------------------------------------------------------------------------------- */

static void tell(const sweep *w, const char *plot) {
  if (!w->study.json) {
    printf("%s: %zu of %zu cases", w->table.path, w->before + w->ended - w->failed, w->count);
    if (w->before) printf(", %zu of them from before", w->before);
    if (w->failed) printf(", %zu failed", w->failed);
    printf(*plot ? "; %s\n" : "\n", plot);
    return;
  }
  bool first = true;
  printf("{");
  json_text_member(stdout, &first, "scene", w->study.scene);
  json_text_member(stdout, &first, "table", w->table.path);
  if (*plot) json_text_member(stdout, &first, "plot", plot);
  json_whole_member(stdout, &first, "cases", (long long)w->count);
  json_whole_member(stdout, &first, "done", (long long)(w->before + w->ended - w->failed));
  json_whole_member(stdout, &first, "from_before", (long long)w->before);
  json_whole_member(stdout, &first, "failed", (long long)w->failed);
  printf("}\n");
}

static int measure_list(const cli_args *args, char *room, size_t size, const char **list,
                        size_t *count) {
  *count = 0;
  snprintf(room, size, "%s", cli_text(args, "measure", ""));
  for (char *at = strtok(room, ","); at; at = strtok(NULL, ",")) {
    if (*count == STUDY_MEASURES)
      return cli_fail(CLI_USAGE, "more than %d measures", (int)STUDY_MEASURES);
    list[(*count)++] = at;
  }
  if (!*count) return cli_fail(CLI_USAGE, "nothing to measure: --measure PROBE.COLUMN is expected");
  return CLI_OK;
}

static int study_all(sweep *w, const cli_args *args) {
  char header[4096], plot[4400];
  snprintf(plot, sizeof plot, "%s/results.png", w->study.out);
  make_header(w, header, sizeof header);
  int code = study_table_open(&w->table, &w->study, "results.csv", header, cli_has(args, "force"),
                              take_row, w);
  if (code) return code;
  if (w->before) cli_note("%zu of %zu cases are done from before", w->before, w->count);
  cli_catch_interrupts();
  code = study_run(&w->study, w->count, w->cases, finished, w);
  if (code == CLI_INTERRUPTED) cli_note("interrupted; the same command goes on with it");
  if (code) return code;
  if (w->failed == w->count) return cli_fail(CLI_INPUT, "all cases failed");
  if (plot_key(w) == STUDY_KEYS) plot[0] = '\0';
  code = draw(w, plot);
  tell(w, plot);
  return code ? code : w->failed ? CLI_INPUT : CLI_OK;
}

static int run(cli_args *args) {
  sweep w = {.count = 0};
  char room[4096];
  const char *measures[STUDY_MEASURES];
  size_t measure_count = 0;
  int code = read_keys(&w, args);
  if (!code) code = make_cases(&w);
  if (!code) code = measure_list(args, room, sizeof room, measures, &measure_count);
  if (!code)
    code = study_open(&w.study, args, "sweep", measure_count, measures, w.cases[0].set_count,
                      w.cases[0].sets);
  if (!code) code = study_all(&w, args);
  study_table_close(&w.table);
  for (size_t k = 0; k < w.key_count; k++) study_clear_key(&w.keys[k]);
  free(w.cases);
  free(w.texts);
  return code;
}

const cli_verb cli_verb_sweep = {
    .name = "sweep",
    .operands = "SCENE|NAME",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "run a scene with many values and measure: a table and a plot",
    .details =
        "Every combination of the values is a case. FOLDER/results.csv gets a row as soon as a\n"
        "case has ended; a sweep that was stopped or killed goes on by the same command.",
    .flags = flags,
    .run = run,
};

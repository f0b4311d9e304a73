/* `scree plot`: what happened in runs, against simulated time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/plot/panel.h"
#include "cli/plot/plot.h"
#include "cli/plot/probe_table.h"

static const cli_flag flags[] = {
    {"what", "LIST",
     "energy, contacts, residual, penetration, iterations, bodies, seconds, any column of the log "
     "of steps, a probe or PROBE.COLUMN, by commas; default energy,contacts,residual,penetration"},
    {"out", "FILE", "picture: .png, .svg or .pdf; default: the first run's name with .png"},
    {"force", NULL, "replace a file of that name; else it is kept and nothing is written"},
    {"from", "S", "from this simulated time on"},
    {"to", "S", "up to this simulated time"},
    {0},
};

enum { RUN_LIMIT = 24, PANEL_LIMIT = 16, PATH_SIZE = 4096, BATCH = 1024, SUM = 5, CURVES = 9 };

/* A curve is a sum of columns of the log. */
typedef struct curve_spec {
  const char *title;
  int count, column[SUM];
} curve_spec;

typedef struct quantity {
  const char *name, *label;
  bool log, from_zero;
  curve_spec curve[CURVES];
} quantity;

static const quantity quantities[] = {
    {"energy",
     "energy (J)",
     false,
     false,
     {{"kinetic", 2, {SCREE_STEP_kinetic_linear, SCREE_STEP_kinetic_angular}},
      {"potential", 2, {SCREE_STEP_potential, SCREE_STEP_pairwise}},
      {"total",
       4,
       {SCREE_STEP_kinetic_linear, SCREE_STEP_kinetic_angular, SCREE_STEP_potential,
        SCREE_STEP_pairwise}},
      {"work", 3, {SCREE_STEP_motors, SCREE_STEP_motions, SCREE_STEP_forces}},
      {"friction", 1, {SCREE_STEP_friction}},
      {"impacts", 1, {SCREE_STEP_impacts}},
      {"joints", 1, {SCREE_STEP_joints}},
      {"numerical damping", 1, {SCREE_STEP_numerical}},
      {"error", 1, {SCREE_STEP_energy_error}}}},
    {"contacts",
     "contacts",
     false,
     true,
     {{"found", 1, {SCREE_STEP_contacts}}, {"touching", 1, {SCREE_STEP_touching}}}},
    {"residual", "residual R of each step", true, false, {{"R", 1, {SCREE_STEP_residual}}}},
    {"penetration",
     "penetration (% of Ø)",
     false,
     true,
     {{"deepest", 1, {SCREE_STEP_penetration_percent}}}},
    {"iterations",
     "iterations of each step",
     false,
     true,
     {{"iterations", 1, {SCREE_STEP_iterations}}}},
    {"bodies", "bodies", false, true, {{"bodies", 1, {SCREE_STEP_bodies}}}},
    {"seconds",
     "wall time of each step (s)",
     true,
     false,
     {{"collide", 1, {SCREE_STEP_seconds_collide}},
      {"assemble", 1, {SCREE_STEP_seconds_assemble}},
      {"solve", 1, {SCREE_STEP_seconds_solve}},
      {"integrate", 1, {SCREE_STEP_seconds_integrate}}}},
};
enum { QUANTITIES = sizeof quantities / sizeof quantities[0] };

/* What a word of --what means: a quantity, else columns of a probe. */
typedef struct item {
  char word[128];
  quantity own; /* a column of the log by itself */
  char label[128];
  const quantity *quantity; /* null: a probe */
  size_t name_length;       /* of the probe */
  const char *column;       /* of it; null: its main ones */
} item;

typedef struct run_data {
  const char *path;
  char name[128];
  scree_recording *recording;
  const scree_scene_settings *settings;
} run_data;

typedef struct work {
  scree_context *context;
  run_data runs[RUN_LIMIT];
  size_t run_count;
  item items[PANEL_LIMIT];
  panel panels[PANEL_LIMIT];
  size_t item_count;
  double from, to;
} work;

/* ---- what to draw --------------------------------------------------------------------------- */

static int unknown_item(const work *w, const char *word) {
  const char *names[QUANTITIES + SCREE_STEP_COLUMNS];
  size_t count = 0;
  for (size_t i = 0; i < QUANTITIES; i++) names[count++] = quantities[i].name;
  for (size_t i = 1; i < SCREE_STEP_COLUMNS; i++) names[count++] = scree_step_column_name(i);
  char path[PATH_SIZE];
  const bool told = probe_path(w->runs[0].path, word, strcspn(word, "."), path, sizeof path);
  const char *near = cli_suggest(word, names, count);
  return cli_fail(CLI_USAGE,
                  "--what: there is no quantity and no probe '%s'%s the quantities are energy, "
                  "contacts, residual, penetration, iterations, bodies, seconds; %s is not there",
                  word, *near ? near : ";", told ? path : "the probe's file");
}

static bool is_log_column(item *it) {
  for (size_t i = 1; i < SCREE_STEP_COLUMNS; i++) {
    if (strcmp(it->word, scree_step_column_name(i)) != 0) continue;
    const char *unit = scree_step_column_unit(i);
    for (size_t k = 0; k < sizeof it->word && it->word[k]; k++)
      it->label[k] = it->word[k] == '_' ? ' ' : it->word[k];
    if (*unit)
      snprintf(it->label + strlen(it->word), sizeof it->label - strlen(it->word), " (%s)", unit);
    it->own = (quantity){
        it->word, it->label, strcmp(it->word, "error") == 0, true, {{it->word, 1, {(int)i}}}};
    it->quantity = &it->own;
    return true;
  }
  return false;
}

static int read_item(work *w, item *it) {
  for (size_t i = 0; i < QUANTITIES && !it->quantity; i++)
    if (strcmp(it->word, quantities[i].name) == 0) it->quantity = &quantities[i];
  if (it->quantity || is_log_column(it)) return CLI_OK;
  char path[PATH_SIZE];
  it->name_length = strcspn(it->word, ".");
  if (it->word[it->name_length]) it->column = it->word + it->name_length + 1;
  for (size_t i = 0; i < w->run_count; i++)
    if (!strchr(it->word, '/') &&
        probe_path(w->runs[i].path, it->word, it->name_length, path, sizeof path) &&
        access(path, F_OK) == 0)
      return CLI_OK;
  return unknown_item(w, it->word);
}

static int read_items(work *w, const char *list) {
  for (const char *at = list; at;) {
    const size_t n = strcspn(at, ",");
    if (w->item_count == PANEL_LIMIT)
      return cli_fail(CLI_USAGE, "--what: at most %d of them fit in a plot", PANEL_LIMIT);
    item *it = &w->items[w->item_count++];
    if (!n || n >= sizeof it->word)
      return cli_fail(CLI_USAGE, "--what needs names separated by commas, not '%s'", list);
    memcpy(it->word, at, n);
    const int code = read_item(w, it);
    if (code) return code;
    at = at[n] ? at + n + 1 : NULL;
  }
  return CLI_OK;
}

/* ---- data ----------------------------------------------------------------------------------- */

/* With one run colours tell curves apart; with several they tell runs, and dashes the curves. */
static panel_curve *new_curve(const work *w, panel *p, size_t run, int which, bool alone,
                              const char *title) {
  panel_curve *c = panel_add_curve(p);
  if (!c) return NULL;
  const bool many = w->run_count > 1;
  c->colour = many ? (int)run : which;
  c->dash = many ? which : 0;
  if (many && alone)
    snprintf(c->title, sizeof c->title, "%s", w->runs[run].name);
  else if (many)
    snprintf(c->title, sizeof c->title, "%s, %s", w->runs[run].name, title);
  else
    snprintf(c->title, sizeof c->title, "%s", title);
  return c;
}

static bool is_within(const work *w, double time) {
  return time >= w->from && time <= w->to;
}

static bool add_step(const work *w, panel *p, size_t first, const quantity *q, const double *row) {
  const double time = row[SCREE_STEP_time];
  if (!is_within(w, time)) return true;
  for (size_t k = 0; k < CURVES && q->curve[k].count; k++) {
    double sum = 0.0;
    for (int i = 0; i < q->curve[k].count; i++) sum += row[q->curve[k].column[i]];
    if (!panel_add_point(&p->curves[first + k], time, sum)) return false;
  }
  return true;
}

static int add_quantity(const work *w, panel *p, size_t run, const quantity *q) {
  const run_data *r = &w->runs[run];
  const size_t first = p->count, steps = scree_recording_step_count(r->recording);
  const bool residual = strcmp(q->name, "residual") == 0;
  snprintf(p->label, sizeof p->label, "%s", q->label);
  p->log = q->log;
  p->from_zero = q->from_zero;
  if (residual) p->tolerance = fmax(p->tolerance, r->settings->solver.tolerance_residual);
  for (int k = 0; k < CURVES && q->curve[k].count; k++)
    if (!new_curve(w, p, run, k, !q->curve[1].count, q->curve[k].title)) return CLI_INTERNAL;
  double *rows = malloc(BATCH * SCREE_STEP_COLUMNS * sizeof *rows);
  if (!rows) return cli_fail(CLI_INTERNAL, "out of memory");
  panel_curve missed = {.marks = true};
  int code = CLI_OK;
  for (size_t at = 0; at < steps && !code; at += BATCH) {
    const size_t n = steps - at < BATCH ? steps - at : BATCH;
    const scree_status status = scree_recording_get_steps(r->recording, at, n, rows);
    if (status) code = cli_fail(cli_code(status), "%s", scree_context_message(w->context));
    for (size_t i = 0; i < n && !code; i++) {
      const double *row = &rows[i * SCREE_STEP_COLUMNS];
      const bool miss =
          residual && row[SCREE_STEP_converged] == 0.0 && is_within(w, row[SCREE_STEP_time]);
      if (!add_step(w, p, first, q, row) ||
          (miss && !panel_add_point(&missed, row[SCREE_STEP_time], row[SCREE_STEP_residual])))
        code = CLI_INTERNAL;
    }
  }
  free(rows);
  panel_curve *c = missed.count && !code ? panel_add_curve(p) : NULL;
  if (!c) {
    free(missed.x);
    free(missed.y);
    return code;
  }
  *c = missed;
  snprintf(c->title, sizeof c->title, "%s%s%zu not converged", w->run_count > 1 ? r->name : "",
           w->run_count > 1 ? ", " : "", c->count);
  return code;
}

/* The columns of a probe that are drawn when none is named: up to three of the first one's unit. */
static bool is_main_column(const probe_table *t, size_t column) {
  return column > 0 && column < 6 && strcmp(t->unit[column], t->unit[1]) == 0;
}

static int no_column(const probe_table *t, const item *it, const char *path) {
  char list[512] = "";
  for (size_t i = 1; i < t->columns; i++)
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 1 ? ", " : "",
             t->name[i]);
  return cli_fail(CLI_USAGE, "--what: %s has no column '%s'; it has %s", path, it->column, list);
}

static int add_probe(const work *w, panel *p, size_t run, const item *it) {
  char path[PATH_SIZE];
  probe_table t;
  probe_path(w->runs[run].path, it->word, it->name_length, path, sizeof path);
  int which = 0;
  char probe[256];
  snprintf(probe, sizeof probe, "%.*s", (int)it->name_length, it->word);
  const scree_status status = scree_recording_verify_probe(w->runs[run].recording, probe, path);
  if (status) return cli_fail(cli_code(status), "%s", scree_context_message(w->context));
  int code = probe_read(path, &t);
  if (code) return code;
  size_t chosen = 0, last = 0;
  for (size_t k = 1; k < t.columns; k++)
    if (it->column ? strcmp(it->column, t.name[k]) == 0 : is_main_column(&t, k)) chosen++, last = k;
  if (!chosen) code = no_column(&t, it, path);
  for (size_t k = 1; k < t.columns && !code; k++) {
    if (it->column ? strcmp(it->column, t.name[k]) != 0 : !is_main_column(&t, k)) continue;
    panel_curve *c = new_curve(w, p, run, which++, chosen == 1, t.name[k]);
    if (!c) code = CLI_INTERNAL;
    for (size_t i = 0; i < t.rows && !code; i++) {
      const double *row = &t.values[i * t.columns];
      if (is_within(w, row[0]) && !panel_add_point(c, row[0], row[k])) code = CLI_INTERNAL;
    }
  }
  if (!code) {
    const int length = (int)it->name_length;
    if (it->column)
      snprintf(p->label, sizeof p->label, "%.*s: %s%s%s%s", length, it->word, t.name[last],
               *t.unit[last] ? " (" : "", t.unit[last], *t.unit[last] ? ")" : "");
    else
      snprintf(p->label, sizeof p->label, "%.*s%s%s%s", length, it->word, *t.unit[last] ? " (" : "",
               t.unit[last], *t.unit[last] ? ")" : "");
  }
  probe_clear(&t);
  return code;
}

/* ---- the verb ------------------------------------------------------------------------------- */

static int open_run(work *w, run_data *r) {
  scree_scene *scene = NULL;
  const char *slash = strrchr(r->path, '/');
  snprintf(r->name, sizeof r->name, "%s", slash ? slash + 1 : r->path);
  const size_t n = strlen(r->name);
  if (n > 3 && strcmp(r->name + n - 3, ".h5") == 0) r->name[n - 3] = '\0';
  scree_status status = scree_recording_open(w->context, r->path, &r->recording);
  if (!status) cli_remark(r->recording, r->path);
  if (!status) status = scree_recording_get_scene(r->recording, &scene, NULL);
  if (status) return cli_fail(cli_code(status), "%s", scree_context_message(w->context));
  r->settings = scree_scene_get_settings(scene);
  return CLI_OK;
}

static int open_runs(work *w, const cli_args *args) {
  for (size_t i = 0; i < args->operand_count; i++) {
    w->runs[i].path = args->operand[i];
    w->run_count = i + 1;
    const int code = open_run(w, &w->runs[i]);
    if (code) return code;
    /* Two runs of one name in different directories are recognised by their paths. */
    for (size_t k = 0; k < i; k++)
      if (strcmp(w->runs[k].name, w->runs[i].name) == 0) {
        snprintf(w->runs[k].name, sizeof w->runs[k].name, "%s", w->runs[k].path);
        snprintf(w->runs[i].name, sizeof w->runs[i].name, "%s", w->runs[i].path);
      }
  }
  return CLI_OK;
}

static int draw(work *w, const char *out) {
  int code = CLI_OK;
  size_t points = 0;
  for (size_t k = 0; k < w->item_count; k++)
    for (size_t i = 0; i < w->run_count && !code; i++)
      code = w->items[k].quantity ? add_quantity(w, &w->panels[k], i, w->items[k].quantity)
                                  : add_probe(w, &w->panels[k], i, &w->items[k]);
  if (code) return code;
  for (size_t k = 0; k < w->item_count; k++)
    for (size_t n = 0; n < w->panels[k].count; n++) points += w->panels[k].curves[n].count;
  if (!points)
    return cli_fail(CLI_INPUT, "%s: it has no values to draw within these times", w->runs[0].path);
  char title[400];
  const char *text = w->runs[0].settings->title;
  if (w->run_count == 1)
    snprintf(title, sizeof title, "%.120s%s%.200s", w->runs[0].name, *text ? ": " : "", text);
  else
    snprintf(title, sizeof title, "%zu runs", w->run_count);
  return panel_draw(out, title, w->panels, w->item_count);
}

static int run(cli_args *args) {
  char fallback[PATH_SIZE];
  double from = -INFINITY, to = INFINITY;
  if (!cli_real(args, "from", -INFINITY, INFINITY, &from) ||
      !cli_real(args, "to", -INFINITY, INFINITY, &to))
    return CLI_USAGE;
  if (args->operand_count > RUN_LIMIT)
    return cli_fail(CLI_USAGE, "at most %d runs fit in a plot", RUN_LIMIT);
  size_t stem = strlen(args->operand[0]);
  if (stem > 3 && strcmp(args->operand[0] + stem - 3, ".h5") == 0) stem -= 3;
  snprintf(fallback, sizeof fallback, "%.*s.png", (int)stem, args->operand[0]);
  const char *out = cli_text(args, "out", fallback);
  int code = plot_check(args, out);
  if (code) return code;
  work *w = calloc(1, sizeof *w);
  if (!w) return cli_fail(CLI_INTERNAL, "out of memory");
  w->from = from;
  w->to = to;
  w->context = cli_context(args, &code);
  if (w->context) {
    code = open_runs(w, args);
    if (!code) code = read_items(w, cli_text(args, "what", "energy,contacts,residual,penetration"));
    if (!code) code = draw(w, out);
  }
  for (size_t i = 0; i < w->item_count; i++) panel_clear(&w->panels[i]);
  for (size_t i = 0; i < w->run_count; i++) scree_recording_close(w->runs[i].recording);
  scree_context_destroy(w->context);
  free(w);
  if (!code) printf("%s\n", out);
  return code;
}

const cli_verb cli_verb_plot = {
    .name = "plot",
    .operands = "RUN...",
    .operand_min = 1,
    .operand_max = (size_t)-1,
    .summary = "draw energy, contacts, residual, penetration or probes of runs against time",
    .details =
        "Several runs are drawn in one plot, distinguished by colour. Probes are the CSV files\n"
        "beside a recording; PROBE.COLUMN draws one of its columns, as ball.vz.",
    .flags = flags,
    .run = run,
};

/* `scree calibrate`: values of some keys for which a scene measures what it should.
 *
 * Minimised is the sum of squares of (measured - target) / scale over the targets, scale = |target|
 * (1 where that is 0). First the whole range is looked over at points that fill it evenly, side by
 * side: where nothing slides, say, a measure is the same over half of it, and no method finds its
 * way from there. From the best of them a method without derivatives goes on within the bounds:
 * measured numbers of grains are a little rough. Every run is a row of FOLDER/runs.csv; a
 * calibration that was killed reads them again and goes on, as the method asks for the same points.
 * At the end two more runs per key, a twentieth of its range to both sides, tell how much each
 * measure depends on it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/file.h"
#include "cli/plot/panel.h"
#include "cli/plot/plot.h"
#include "cli/study/study.h"

static const cli_flag flags[] = {
    {"fit", "KEY=A:B",
     "a key or parameter of the scene and its bounds, as mu=0:1; may be repeated"},
    {"target", "MEASURE=VALUE",
     "a measure and its target, as heap.slope=28deg or outlet.rate=1.2kg/s; may be repeated"},
    {"set", "KEY=VALUE", "change a value in all runs; may be repeated"},
    {"runs", "N", "most runs, without those for the sensitivity; default 40"},
    {"tol", "T",
     "stop where all values change by less than this part of their range; default 1e-3"},
    {"scan", "N", "runs over the whole range before the search; default 3 and 4 more per key"},
    STUDY_FLAGS,
    {0},
};

#ifdef SCREE_WITH_NLOPT
#include <nlopt.h>

enum { RUNS_MOST = 10000, SCAN_MOST = 64 };

typedef struct fit {
  char name[STUDY_TEXT], unit[32];
  double low, high; /* in the unit */
} fit;

typedef struct one_run {
  double x[STUDY_KEYS];
  double values[STUDY_MEASURES];
  double cost;
  bool sensitivity;
} one_run;

typedef struct calibration {
  study study;
  fit fits[STUDY_KEYS];
  size_t fit_count;
  double targets[STUDY_MEASURES];
  const char *target_texts[STUDY_MEASURES];
  one_run *runs;
  size_t run_count, known; /* known: from before */
  long most, scan;
  double tolerance;
  study_table table;
  int code; /* why it stopped; 0: not */
  char texts[SCAN_MOST][STUDY_KEYS][2 * STUDY_TEXT];
} calibration;

/* ---- options -------------------------------------------------------------------------------- */

static int read_fit(const char *text, fit *f) {
  const char *equals = strchr(text, '=');
  char *end;
  if (!equals || equals == text || equals - text >= STUDY_TEXT)
    return cli_fail(CLI_USAGE, "--fit %s: KEY=A:B is expected", text);
  snprintf(f->name, sizeof f->name, "%.*s", (int)(equals - text), text);
  f->low = number_read(equals + 1, &end);
  const char *colon = strchr(end, ':');
  if (end == equals + 1 || !colon)
    return cli_fail(CLI_USAGE, "--fit %s: bounds as 0:1 or 0:2mm are expected", text);
  const char *own = end;
  f->high = number_read(colon + 1, &end);
  double unused;
  const bool mixed = colon > own && (strlen(end) != (size_t)(colon - own) ||
                                     strncmp(own, end, (size_t)(colon - own)) != 0);
  if (end == colon + 1 || mixed || strlen(end) >= sizeof f->unit ||
      !study_number(colon + 1, &unused))
    return cli_fail(CLI_USAGE, "--fit %s: bounds as 0:1 or 0:2mm are expected", text);
  snprintf(f->unit, sizeof f->unit, "%s", end);
  if (!(f->high > f->low)) return cli_fail(CLI_USAGE, "--fit %s: A must be below B", text);
  return CLI_OK;
}

static int read_options(calibration *c, const cli_args *args, char (*room)[STUDY_TEXT],
                        const char **measures, size_t *count) {
  *count = 0;
  for (size_t i = 0; i < args->given_count; i++) {
    const char *name = args->given[i].flag->name, *value = args->given[i].value;
    int code = CLI_OK;
    if (strcmp(name, "set") == 0) {
      if (c->study.fixed_count == STUDY_FIXED)
        return cli_fail(CLI_USAGE, "more than %d --set", (int)STUDY_FIXED);
      c->study.fixed[c->study.fixed_count++] = value;
    } else if (strcmp(name, "fit") == 0) {
      if (c->fit_count == STUDY_KEYS) return cli_fail(CLI_USAGE, "more than %d --fit", STUDY_KEYS);
      code = read_fit(value, &c->fits[c->fit_count++]);
    } else if (strcmp(name, "target") == 0) {
      const char *equals = strchr(value, '=');
      if (*count == STUDY_MEASURES)
        return cli_fail(CLI_USAGE, "more than %d targets", (int)STUDY_MEASURES);
      if (!equals || equals - value >= STUDY_TEXT || !study_number(equals + 1, &c->targets[*count]))
        return cli_fail(CLI_USAGE,
                        "--target %s: PROBE.COLUMN=VALUE is expected, as heap.slope=28deg", value);
      c->target_texts[*count] = equals + 1;
      snprintf(room[*count], STUDY_TEXT, "%.*s", (int)(equals - value), value);
      measures[*count] = room[*count];
      ++*count;
    }
    if (code) return code;
  }
  if (!c->fit_count) return cli_fail(CLI_USAGE, "nothing to find: --fit KEY=A:B is expected");
  if (!*count) return cli_fail(CLI_USAGE, "nothing to meet: --target MEASURE=VALUE is expected");
  c->most = 40;
  c->scan = 3 + 4 * (long)c->fit_count;
  c->tolerance = 1e-3;
  if (!cli_whole(args, "runs", 3, RUNS_MOST, &c->most) ||
      !cli_whole(args, "scan", 1, SCAN_MOST, &c->scan) ||
      !cli_real(args, "tol", 1e-9, 0.5, &c->tolerance))
    return CLI_USAGE;
  if (c->scan >= c->most)
    return cli_fail(CLI_USAGE, "--runs %ld leaves none for the search after the %ld of --scan",
                    c->most, c->scan);
  return CLI_OK;
}

/* ---- runs ----------------------------------------------------------------------------------- */

static double value_of(const fit *f, double x) {
  return f->low + x * (f->high - f->low);
}

/* The texts that the scene gets; the row has the same digits, so that a run is known again. */
static void case_of(calibration *c, size_t slot, const double *x, size_t number, study_case *out) {
  *out = (study_case){.number = number, .set_count = c->fit_count};
  for (size_t k = 0; k < c->fit_count; k++) {
    char text[40];
    number_format(text, sizeof text, "%.12g", value_of(&c->fits[k], x[k]));
    snprintf(c->texts[slot][k], sizeof c->texts[slot][k], "%s=%s%s%s", c->fits[k].name, text,
             *c->fits[k].unit ? " " : "", c->fits[k].unit);
    out->sets[k] = c->texts[slot][k];
  }
}

static double cost_of(const calibration *c, const double *values) {
  double sum = 0.0;
  for (size_t i = 0; i < c->study.measure_count; i++) {
    const double scale = c->targets[i] != 0.0 ? fabs(c->targets[i]) : 1.0;
    sum += pow((values[i] - c->targets[i]) / scale, 2);
  }
  return isfinite(sum) ? sum : INFINITY;
}

static bool same_point(const calibration *c, const double *a, const double *b) {
  for (size_t k = 0; k < c->fit_count; k++)
    if (fabs(a[k] - b[k]) > 1e-10) return false;
  return true;
}

static const one_run *find_run(const calibration *c, const double *x) {
  for (size_t i = 0; i < c->run_count; i++)
    if (same_point(c, c->runs[i].x, x)) return &c->runs[i];
  return NULL;
}

static bool add_run(calibration *c, const one_run *r) {
  one_run *grown = realloc(c->runs, (c->run_count + 1) * sizeof *grown);
  if (!grown) return false;
  c->runs = grown;
  c->runs[c->run_count++] = *r;
  return true;
}

static void put_number(char *row, size_t size, double x) {
  char text[40] = "";
  if (isfinite(x)) number_format(text, sizeof text, "%.12g", x);
  snprintf(row + strlen(row), size - strlen(row), "%s%s", *row ? "," : "", text);
}

static int keep_run(calibration *c, const study_case *ended, const double *x, bool sensitivity) {
  one_run r = {.sensitivity = sensitivity};
  char row[4096] = "", said[2048] = "";
  memcpy(r.x, x, sizeof r.x);
  for (size_t i = 0; i < STUDY_MEASURES; i++)
    r.values[i] = ended->result.code ? NAN : ended->result.values[i];
  r.cost = cost_of(c, r.values);
  for (size_t k = 0; k < c->fit_count; k++)
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s%s", k ? " " : "", ended->sets[k]);
  if (ended->result.code)
    cli_fail(ended->result.code, "run %zu (%s): %s", ended->number, said, ended->result.message);
  for (size_t i = 0; i < c->study.measure_count && !ended->result.code; i++)
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s %s = %.4g %s", i ? "," : ":",
             c->study.measures[i].text, r.values[i], c->study.measures[i].unit);
  if (!ended->result.code)
    cli_note("run %zu%s: %s; off by %.3g", ended->number, sensitivity ? " (sensitivity)" : "", said,
             sqrt(r.cost));
  for (size_t k = 0; k < c->fit_count; k++)
    put_number(row, sizeof row, value_of(&c->fits[k], x[k]));
  for (size_t i = 0; i < c->study.measure_count; i++) put_number(row, sizeof row, r.values[i]);
  snprintf(row + strlen(row), sizeof row - strlen(row), ",%lld,%lld,%.3g,%s", ended->result.steps,
           ended->result.nonconverged, ended->result.seconds, ended->result.hash);
  if (!add_run(c, &r)) return cli_fail(CLI_INTERNAL, "out of memory");
  return study_table_add(&c->table, row);
}

typedef struct batch {
  calibration *c;
  const double (*x)[STUDY_KEYS];
  study_case *cases;
  bool sensitivity;
} batch;

static int batch_finished(void *user, study_case *ended) {
  const batch *b = user;
  return keep_run(b->c, ended, b->x[ended - b->cases], b->sensitivity);
}

/* Points that are not known yet, side by side as far as --jobs allows. */
static int run_points(calibration *c, size_t count, const double (*x)[STUDY_KEYS],
                      bool sensitivity) {
  study_case cases[SCAN_MOST];
  double wanted[SCAN_MOST][STUDY_KEYS];
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    if (find_run(c, x[i])) continue;
    memcpy(wanted[n], x[i], sizeof wanted[n]);
    case_of(c, n, x[i], c->run_count + n + 1, &cases[n]);
    n++;
  }
  batch b = {c, (const double(*)[STUDY_KEYS])wanted, cases, sensitivity};
  return n ? study_run(&c->study, n, cases, batch_finished, &b) : CLI_OK;
}

static void take_row(void *user, size_t count, char *const *fields) {
  calibration *c = user;
  one_run r = {.cost = 0.0};
  if (count != c->fit_count + c->study.measure_count + 4) return;
  for (size_t k = 0; k < c->fit_count; k++)
    r.x[k] = (number_read(fields[k], NULL) - c->fits[k].low) / (c->fits[k].high - c->fits[k].low);
  for (size_t i = 0; i < c->study.measure_count; i++) {
    const char *text = fields[c->fit_count + i];
    r.values[i] = *text ? number_read(text, NULL) : NAN;
  }
  r.cost = cost_of(c, r.values);
  if (add_run(c, &r)) c->known++;
}

static int open_table(calibration *c, bool force) {
  char header[4096] = "";
  size_t used = 0;
  for (size_t k = 0; k < c->fit_count; k++)
    used += (size_t)snprintf(header + used, sizeof header - used, "%s%s%s%s%s", k ? "," : "",
                             c->fits[k].name, *c->fits[k].unit ? " [" : "", c->fits[k].unit,
                             *c->fits[k].unit ? "]" : "");
  for (size_t i = 0; i < c->study.measure_count && used < sizeof header; i++)
    used += (size_t)snprintf(header + used, sizeof header - used, ",%s%s%s%s",
                             c->study.measures[i].text, *c->study.measures[i].unit ? " [" : "",
                             c->study.measures[i].unit, *c->study.measures[i].unit ? "]" : "");
  if (used < sizeof header)
    snprintf(header + used, sizeof header - used, ",steps,nonconverged,seconds [s],state of %08x",
             c->study.tag);
  return study_table_open(&c->table, &c->study, "runs.csv", header, force, take_row, c);
}

/* ---- the search ----------------------------------------------------------------------------- */

typedef struct search {
  calibration *c;
  nlopt_opt opt;
  long asked;
} search;

static double objective(unsigned n, const double *x, double *gradient, void *user) {
  search *s = user;
  double point[1][STUDY_KEYS] = {{0}};
  (void)gradient;
  for (unsigned k = 0; k < n; k++) point[0][k] = x[k];
  s->asked++;
  if (!s->c->code) s->c->code = run_points(s->c, 1, (const double(*)[STUDY_KEYS])point, false);
  const one_run *r = s->c->code ? NULL : find_run(s->c, point[0]);
  if (!r) nlopt_force_stop(s->opt);
  return r && isfinite(r->cost) ? r->cost : 1e30;
}

static const char *why_ended(nlopt_result result) {
  switch (result) {
  case NLOPT_MAXEVAL_REACHED:
    return "all runs were made (--runs)";
  case NLOPT_STOPVAL_REACHED:
    return "all targets are met";
  case NLOPT_ROUNDOFF_LIMITED:
    return "the measures are too rough to go on";
  default:
    return "values no longer change (--tol)";
  }
}

/* Points that fill the range evenly: Halton's, and evenly spaced ones for a single key; *best is
 * the best of them. */
static int scan(calibration *c, double best[STUDY_KEYS]) {
  static const int bases[STUDY_KEYS] = {2, 3, 5, 7, 11, 13, 17, 19};
  double x[SCAN_MOST][STUDY_KEYS] = {{0}}, least = INFINITY;
  for (long i = 0; i < c->scan; i++)
    for (size_t k = 0; k < c->fit_count; k++) {
      double part = 1.0;
      for (long rest = i + 1; rest; rest /= bases[k]) {
        part /= bases[k];
        x[i][k] += part * (double)(rest % bases[k]);
      }
      if (c->fit_count == 1) x[i][k] = ((double)i + 0.5) / (double)c->scan;
    }
  const int code = run_points(c, (size_t)c->scan, (const double(*)[STUDY_KEYS])x, false);
  for (long i = 0; i < c->scan && !code; i++) {
    const one_run *r = find_run(c, x[i]);
    if (!r || !(r->cost < least)) continue;
    least = r->cost;
    memcpy(best, x[i], sizeof x[i]);
  }
  if (!code && !isfinite(least)) return cli_fail(CLI_INPUT, "no run could be measured");
  return code;
}

/* One key: COBYLA, as BOBYQA needs two. Both are Powell's methods by linear and quadratic models.
 */
static int find_best(calibration *c, const char **ended) {
  const unsigned n = (unsigned)c->fit_count;
  search s = {.c = c, .opt = nlopt_create(n > 1 ? NLOPT_LN_BOBYQA : NLOPT_LN_COBYLA, n)};
  if (!s.opt) return cli_fail(CLI_INTERNAL, "out of memory");
  double x[STUDY_KEYS], least = INFINITY;
  c->code = scan(c, x);
  if (c->code) {
    nlopt_destroy(s.opt);
    return c->code;
  }
  nlopt_set_lower_bounds1(s.opt, 0.0);
  nlopt_set_upper_bounds1(s.opt, 1.0);
  nlopt_set_min_objective(s.opt, objective, &s);
  nlopt_set_initial_step1(s.opt, n > 1 ? 0.15 : 0.5 / (double)c->scan);
  nlopt_set_xtol_abs1(s.opt, c->tolerance);
  nlopt_set_stopval(s.opt, 1e-8);
  nlopt_set_maxeval(s.opt, (int)(c->most - c->scan));
  const nlopt_result result = nlopt_optimize(s.opt, x, &least);
  nlopt_destroy(s.opt);
  *ended = why_ended(result);
  if (c->code) return c->code;
  if (result < 0 && result != NLOPT_ROUNDOFF_LIMITED)
    return cli_fail(CLI_INTERNAL, "the optimiser failed (%d)", (int)result);
  return CLI_OK;
}

static const one_run *best_run(const calibration *c) {
  const one_run *best = NULL;
  for (size_t i = 0; i < c->run_count; i++)
    if (isfinite(c->runs[i].cost) && (!best || c->runs[i].cost < best->cost)) best = &c->runs[i];
  return best;
}

/* A twentieth of the range to both sides, within the bounds. */
static int find_sensitivity(calibration *c, const one_run *best, double (*slope)[STUDY_MEASURES]) {
  double x[2 * STUDY_KEYS][STUDY_KEYS], middle[STUDY_KEYS];
  memcpy(middle, best->x, sizeof middle);
  for (size_t k = 0; k < c->fit_count; k++)
    for (int side = 0; side < 2; side++) {
      memcpy(x[2 * k + (size_t)side], middle, sizeof middle);
      x[2 * k + (size_t)side][k] = fmin(1.0, fmax(0.0, middle[k] + (side ? 0.05 : -0.05)));
    }
  const int code = run_points(c, 2 * c->fit_count, (const double(*)[STUDY_KEYS])x, true);
  if (code) return code;
  for (size_t k = 0; k < c->fit_count; k++) {
    const one_run *a = find_run(c, x[2 * k]), *b = find_run(c, x[2 * k + 1]);
    for (size_t i = 0; i < c->study.measure_count; i++)
      slope[k][i] = (b->values[i] - a->values[i]) /
                    (value_of(&c->fits[k], b->x[k]) - value_of(&c->fits[k], a->x[k]));
  }
  return CLI_OK;
}

/* ---- report --------------------------------------------------------------------------------- */

static void write_report(const calibration *c, FILE *out, const one_run *best, const char *ended,
                         double (*slope)[STUDY_MEASURES]) {
  fprintf(out, "# %s, calibrated\n%zu runs; %s.\n\n| key | best | range |\n|---|---|---|\n",
          c->study.scene, c->run_count, ended);
  for (size_t k = 0; k < c->fit_count; k++) {
    const fit *f = &c->fits[k];
    fprintf(out, "| %s | %.6g %s%s | %.6g to %.6g |\n", f->name, value_of(f, best->x[k]), f->unit,
            best->x[k] < 1e-6 || best->x[k] > 1.0 - 1e-6 ? " (at the end of its range)" : "",
            f->low, f->high);
  }
  fputs("\n| measure | target | measured | off by | unit |\n|---|---|---|---|---|\n", out);
  for (size_t i = 0; i < c->study.measure_count; i++)
    fprintf(out, "| %s | %.6g | %.6g | %.2g %% | %s |\n", c->study.measures[i].text, c->targets[i],
            best->values[i],
            100.0 * fabs(best->values[i] - c->targets[i]) /
                (c->targets[i] != 0.0 ? fabs(c->targets[i]) : 1.0),
            c->study.measures[i].unit);
  fputs("\nSensitivity at the best values: change of a measure with a key, in their units.\n\n|",
        out);
  for (size_t k = 0; k < c->fit_count; k++) fprintf(out, " | per %s", c->fits[k].name);
  fputs(" |\n|---", out);
  for (size_t k = 0; k < c->fit_count; k++) fputs("|---", out);
  fputs("|\n", out);
  for (size_t i = 0; i < c->study.measure_count; i++) {
    fprintf(out, "| %s", c->study.measures[i].text);
    for (size_t k = 0; k < c->fit_count; k++) fprintf(out, " | %.4g", slope[k][i]);
    fputs(" |\n", out);
  }
}

static int save_report(const calibration *c, const one_run *best, const char *ended,
                       double (*slope)[STUDY_MEASURES], const char *path) {
  fresh place;
  FILE *out = file_begin(&place, path);
  if (!out) return CLI_IO;
  write_report(c, out, best, ended, slope);
  return file_end(&place, out, true);
}

/* How far off each run was, in the order of the runs; and the values tried. */
static int draw(const calibration *c, const char *path) {
  enum { PANELS = 1 + STUDY_KEYS };
  panel panels[PANELS] = {{.count = 0}};
  const size_t count = 1 + c->fit_count;
  bool good = true;
  for (size_t p = 0; p < count && good; p++) {
    panel_curve *curve = panel_add_curve(&panels[p]);
    good = curve != NULL;
    panels[p].x_label = "run";
    panels[p].log = p == 0;
    if (p == 0)
      snprintf(panels[p].label, sizeof panels[p].label, "off by (relative, rms sum)");
    else
      snprintf(panels[p].label, sizeof panels[p].label, "%s%s%s%s", c->fits[p - 1].name,
               *c->fits[p - 1].unit ? " (" : "", c->fits[p - 1].unit,
               *c->fits[p - 1].unit ? ")" : "");
    for (size_t i = 0; i < c->run_count && good; i++)
      good = panel_add_point(curve, (double)(i + 1),
                             p == 0 ? sqrt(c->runs[i].cost)
                                    : value_of(&c->fits[p - 1], c->runs[i].x[p - 1]));
  }
  const int code = good ? panel_draw(path, c->study.scene, panels, count) : CLI_INTERNAL;
  for (size_t p = 0; p < PANELS; p++) panel_clear(&panels[p]);
  return code;
}

static void tell(const calibration *c, const one_run *best, const char *ended, const char *report,
                 double (*slope)[STUDY_MEASURES]) {
  if (!c->study.json) {
    write_report(c, stdout, best, ended, slope);
    printf("\n%s has this, %s all runs\n", report, c->table.path);
    return;
  }
  bool first = true, inner = true;
  printf("{");
  json_text_member(stdout, &first, "scene", c->study.scene);
  json_whole_member(stdout, &first, "runs", (long long)c->run_count);
  json_whole_member(stdout, &first, "from_before", (long long)c->known);
  json_text_member(stdout, &first, "ended", ended);
  json_real_member(stdout, &first, "off_by", sqrt(best->cost));
  json_key(stdout, &first, "best");
  printf("{");
  for (size_t k = 0; k < c->fit_count; k++)
    json_real_member(stdout, &inner, c->fits[k].name, value_of(&c->fits[k], best->x[k]));
  printf("}");
  json_key(stdout, &first, "measured");
  printf("{");
  inner = true;
  for (size_t i = 0; i < c->study.measure_count; i++)
    json_real_member(stdout, &inner, c->study.measures[i].text, best->values[i]);
  printf("}");
  json_text_member(stdout, &first, "report", report);
  printf("}\n");
}

/* ---- the verb ------------------------------------------------------------------------------- */

static int calibrate(calibration *c, const cli_args *args) {
  double slope[STUDY_KEYS][STUDY_MEASURES];
  char report[4400], plot[4400];
  const char *ended = "";
  snprintf(report, sizeof report, "%s/report.md", c->study.out);
  snprintf(plot, sizeof plot, "%s/runs.png", c->study.out);
  int code = open_table(c, cli_has(args, "force"));
  if (!code && c->known) cli_note("%zu runs are done from before", c->known);
  cli_catch_interrupts();
  if (!code) code = find_best(c, &ended);
  if (code == CLI_INTERRUPTED) cli_note("interrupted; the same command goes on with it");
  if (code) return code;
  const one_run *found = best_run(c);
  if (!found) return cli_fail(CLI_INPUT, "no run could be measured");
  const one_run best = *found; /* the list may move */
  code = find_sensitivity(c, &best, slope);
  if (!code) code = save_report(c, &best, ended, slope, report);
  if (!code) code = draw(c, plot);
  if (!code) tell(c, &best, ended, report, slope);
  if (!code && sqrt(best.cost) > 0.05)
    cli_note("warning: the targets are missed by %.2g %%: no values within the bounds may meet "
             "them, or more runs are needed (--scan, --runs)",
             100.0 * sqrt(best.cost));
  return code;
}

static int run(cli_args *args) {
  calibration *c = calloc(1, sizeof *c);
  char room[STUDY_MEASURES][STUDY_TEXT];
  const char *measures[STUDY_MEASURES];
  size_t count = 0;
  if (!c) return cli_fail(CLI_INTERNAL, "out of memory");
  int code = read_options(c, args, room, measures, &count);
  study_case middle;
  const double half[STUDY_KEYS] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
  case_of(c, 0, half, 1, &middle);
  if (!code)
    code = study_open(&c->study, args, "calibrate", count, measures, middle.set_count, middle.sets);
  for (size_t i = 0; i < count && !code; i++)
    if (!study_fits_unit(c->target_texts[i], c->study.measures[i].unit))
      code = cli_fail(CLI_USAGE, "--target %s=%s: it is measured in %s", measures[i],
                      c->target_texts[i],
                      *c->study.measures[i].unit ? c->study.measures[i].unit : "plain numbers");
  if (!code) code = calibrate(c, args);
  study_table_close(&c->table);
  free(c->runs);
  free(c);
  return code;
}

#else

static int run(cli_args *args) {
  (void)args;
  return cli_fail(CLI_INPUT, "this build has no calibration; configure with SCREE_WITH_NLOPT=ON");
}

#endif

const cli_verb cli_verb_calibrate = {
    .name = "calibrate",
    .operands = "SCENE|NAME",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "find values for which a scene measures what it should",
    .details =
        "FOLDER gets runs.csv (every run), report.md (best values, sensitivity) and runs.png.\n"
        "A calibration that was stopped or killed goes on by the same command.",
    .flags = flags,
    .run = run,
};

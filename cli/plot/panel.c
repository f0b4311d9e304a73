/* See panel.h. Long curves are thinned so that no spike is lost: of each small span of time the
 * first, lowest, highest and last value are drawn. */
#include "cli/plot/panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plot/plot.h"

enum { BUCKETS = 900, HEIGHT = 230, WIDTH = 960, EDGE = 60, TITLE = 40, LEGEND = 250 };

static bool grow(void *array, size_t *room, size_t need, size_t size) {
  if (need <= *room) return true;
  const size_t more = need + need / 2 + 4;
  void *old;
  memcpy(&old, array, sizeof old);
  void *grown = realloc(old, more * size);
  if (!grown) {
    cli_fail(CLI_INTERNAL, "out of memory");
    return false;
  }
  memcpy(array, &grown, sizeof grown);
  *room = more;
  return true;
}

panel_curve *panel_add_curve(panel *p) {
  if (!grow(&p->curves, &p->room, p->count + 1, sizeof *p->curves)) return NULL;
  p->curves[p->count] = (panel_curve){0};
  return &p->curves[p->count++];
}

bool panel_add_point(panel_curve *c, double x, double y) {
  size_t room = c->room;
  if (!grow(&c->x, &room, c->count + 1, sizeof *c->x) ||
      !grow(&c->y, &c->room, c->count + 1, sizeof *c->y))
    return false;
  c->x[c->count] = x;
  c->y[c->count++] = y;
  return true;
}

void panel_clear(panel *p) {
  for (size_t i = 0; i < p->count; i++) {
    free(p->curves[i].x);
    free(p->curves[i].y);
  }
  free(p->curves);
  *p = (panel){0};
}

static bool is_drawn(const panel *p, double x, double y) {
  return isfinite(x) && isfinite(y) && (!p->log || y > 0.0);
}

static void put(FILE *out, const panel_curve *c, size_t i) {
  fprintf(out, "%.9g %.9g\n", c->x[i], c->y[i]);
}

/* One bucket: up to four of its points, in the order of time. */
static void put_bucket(FILE *out, const panel_curve *c, const size_t at[4]) {
  size_t order[4];
  memcpy(order, at, sizeof order);
  for (int i = 1; i < 4; i++)
    for (int k = i; k > 0 && order[k - 1] > order[k]; k--) {
      const size_t t = order[k];
      order[k] = order[k - 1];
      order[k - 1] = t;
    }
  for (int i = 0; i < 4; i++)
    if (i == 0 || order[i] != order[i - 1]) put(out, c, order[i]);
}

static void write_data(FILE *out, const panel *p, const panel_curve *c, const char *name) {
  fprintf(out, "$%s << EOD\n", name);
  const bool thin = c->count > 4 * BUCKETS;
  const double first = c->count ? c->x[0] : 0.0, last = c->count ? c->x[c->count - 1] : 0.0;
  const double width = (last - first) / BUCKETS;
  size_t at[4] = {0}, drawn = 0;
  double bucket = -1.0;
  bool open = false;
  for (size_t i = 0; i < c->count; i++) {
    if (!is_drawn(p, c->x[i], c->y[i])) continue;
    drawn++;
    if (!thin || !(width > 0.0)) {
      put(out, c, i);
      continue;
    }
    const double here = floor((c->x[i] - first) / width);
    if (open && here != bucket) put_bucket(out, c, at);
    if (!open || here != bucket) at[0] = at[1] = at[2] = i;
    bucket = here;
    open = true;
    at[3] = i;
    if (c->y[i] < c->y[at[1]]) at[1] = i;
    if (c->y[i] > c->y[at[2]]) at[2] = i;
  }
  if (open) put_bucket(out, c, at);
  /* A curve without points keeps its place in the legend. */
  if (!drawn) fputs("NaN NaN\n", out);
  fputs("EOD\n", out);
}

typedef struct range {
  double x0, x1, y0, y1;
} range;

static range find_range(const panel *panels, size_t count, const panel *own) {
  range r = {INFINITY, -INFINITY, INFINITY, -INFINITY};
  for (size_t k = 0; k < count; k++)
    for (size_t n = 0; n < panels[k].count; n++) {
      const panel_curve *c = &panels[k].curves[n];
      for (size_t i = 0; i < c->count; i++) {
        if (isfinite(c->x[i])) r.x0 = fmin(r.x0, c->x[i]), r.x1 = fmax(r.x1, c->x[i]);
        if (&panels[k] != own || !is_drawn(own, c->x[i], c->y[i])) continue;
        r.y0 = fmin(r.y0, c->y[i]), r.y1 = fmax(r.y1, c->y[i]);
      }
    }
  return r;
}

static void write_axes(FILE *out, const panel *p, range r) {
  /* The first step ends a little after 0. */
  if (r.x0 > 0.0 && r.x0 < 0.05 * r.x1) r.x0 = 0.0;
  if (isfinite(r.x0) && r.x1 > r.x0) fprintf(out, "set xrange [%.9g:%.9g]\n", r.x0, r.x1);
  const bool known = r.y1 >= r.y0;
  if (p->log) {
    /* Far below the tolerance nothing is of interest. */
    const double low =
        p->tolerance > 0.0 ? fmin(fmax(r.y0, 1e-4 * p->tolerance), p->tolerance) : r.y0;
    const double high = p->tolerance > 0.0 ? fmax(r.y1, p->tolerance) : r.y1;
    fputs("set logscale y\nset format y '10^{%L}'\n", out);
    if (known)
      fprintf(out, "set yrange [%.9g:%.9g]\n", pow(10.0, floor(log10(low * 0.9))),
              pow(10.0, ceil(log10(high * 1.1))));
    else
      fputs("set yrange [1e-6:1]\n", out);
    return;
  }
  fputs("unset logscale y\nset format y '%g'\n", out);
  const double low = p->from_zero ? fmin(r.y0, 0.0) : r.y0, high = r.y1;
  const double span = high > low ? high - low : fmax(fabs(high), 1.0);
  if (known)
    fprintf(out, "set yrange [%.9g:%.9g]\n", low == 0.0 ? 0.0 : low - 0.05 * span,
            high + 0.05 * span);
  else
    fputs("set yrange [0:1]\n", out);
}

static void write_panel(FILE *out, const panel *panels, size_t count, size_t k, double height) {
  const panel *p = &panels[k];
  const double unit = HEIGHT / height, top = 1.0 - (TITLE + (double)k * HEIGHT) / height;
  fprintf(out,
          "set tmargin at screen %.6f\nset bmargin at screen %.6f\nset lmargin at screen %.6f\nset "
          "rmargin at screen %.6f\n",
          top, top - unit + 28.0 / height, 90.0 / (WIDTH + LEGEND), 1.0 * WIDTH / (WIDTH + LEGEND));
  fputs("set ylabel noenhanced ", out);
  plot_quote(out, p->label);
  if (k + 1 < count) {
    fputs("\nunset xlabel\nset format x ''\n", out);
  } else if (!p->x_label) {
    fputs("\nset xlabel 'simulated time (s)'\nset format x '%g'\n", out);
  } else {
    fputs("\nset format x '%g'\nset xlabel noenhanced ", out);
    plot_quote(out, p->x_label);
    fputs("\n", out);
  }
  fprintf(out,
          "set key at screen %.6f,%.6f left top vertical Left reverse noenhanced samplen 2 "
          "spacing 1.15 font ',10'\n",
          (WIDTH + 14.0) / (WIDTH + LEGEND), top);
  write_axes(out, p, find_range(panels, count, p));
  for (size_t i = 0; i < p->count; i++) {
    char name[64];
    snprintf(name, sizeof name, "p%zuc%zu", k, i);
    write_data(out, p, &p->curves[i], name);
  }
  fputs("plot ", out);
  for (size_t i = 0; i < p->count; i++) {
    const panel_curve *c = &p->curves[i];
    fprintf(out, "%s$p%zuc%zu using 1:2 with ", i ? ", " : "", k, i);
    if (c->marks)
      fprintf(out, "points pt 2 ps 0.8 lw 1.4 lc rgb '#c00000' title ");
    else
      fprintf(out, "lines lw 1.6 dt %d lc rgb '#%s' title ", c->dash + 1, plot_colour(c->colour));
    plot_quote(out, c->title);
  }
  if (p->tolerance > 0.0)
    fprintf(out, "%s%.9g with lines dt 2 lw 1.2 lc rgb '#808080' title 'tolerance'",
            p->count ? ", " : "", p->tolerance);
  else if (!p->count)
    fputs("NaN notitle", out);
  fputs("\n", out);
}

int panel_draw(const char *path, const char *title, const panel *panels, size_t count) {
  const double height = TITLE + (double)count * HEIGHT + EDGE - 28.0;
  FILE *script = plot_begin(path, WIDTH + LEGEND, height);
  if (!script) return CLI_IO;
  fputs("set multiplot\nset xtics out\nset ytics out\nset label 1 noenhanced ", script);
  plot_quote(script, title);
  fprintf(script, " at screen %.6f,%.6f font ',13'\n", 90.0 / (WIDTH + LEGEND),
          1.0 - 0.5 * TITLE / height);
  for (size_t k = 0; k < count; k++) {
    if (k) fputs("unset label 1\n", script);
    write_panel(script, panels, count, k, height);
  }
  fputs("unset multiplot\n", script);
  const int code = plot_end(path, script);
  return code;
}

/* See report.h. */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE_FROM = 20, CURVES = 9, POINTS = 61 };

void report_line(const outcome *o) {
  char ratio[16] = "-", peer[16] = "-";
  if (isfinite(o->peer)) snprintf(peer, sizeof peer, "%.3g", o->peer * 1e3);
  if (isfinite(o->peer) && isfinite(o->ours))
    snprintf(ratio, sizeof ratio, "%.3f", o->ours / o->peer);
  printf("%7.0e %-14s %-38.38s %5d %10.4g %9.1e %10s %-13s %2d/%-2d %8s  %s\n", o->tolerance,
         o->kind, o->problem, o->contacts, o->ours * 1e3, o->our_error, peer, o->best,
         o->peers_there, o->peers, ratio, o->note);
  fflush(stdout);
}

void report_means(const outcome *list, int count, double tolerance) {
  for (int large = 1; large >= 0; large--) {
    double sum = 0.0;
    int n = 0, solved = 0, below = 0, all = 0;
    for (int i = 0; i < count; i++) {
      const outcome *o = &list[i];
      if (o->tolerance != tolerance || (o->contacts >= LARGE_FROM) != large) continue;
      all++;
      solved += isfinite(o->ours);
      below += isfinite(o->ours) && o->ours <= o->peer;
      if (!isfinite(o->ours) || !isfinite(o->peer)) continue;
      sum += log(o->ours / o->peer);
      n++;
    }
    if (all == 0) continue;
    printf("E = %.0e, %s: scree solved %d of %d; at or below the peers' best on %d; geometric mean "
           "of the ratio %.3f over %d\n",
           tolerance, large ? "20 contacts or more" : "fewer than 20", solved, all, below,
           n ? exp(sum / n) : NAN, n);
  }
}

typedef struct curve {
  char name[40];
  int solved, tried;
  double area, y[POINTS];
} curve;

static double factor_at(int point) {
  return pow(10.0, 2.0 * point / (POINTS - 1));
}

static int by_area(const void *a, const void *b) {
  const double x = ((const curve *)a)->area, y = ((const curve *)b)->area;
  return x < y ? 1 : x > y ? -1 : 0;
}

static curve *find(curve *all, int *count, const char *name) {
  for (int k = 0; k < *count; k++)
    if (strcmp(all[k].name, name) == 0) return &all[k];
  curve *c = &all[(*count)++];
  memset(c, 0, sizeof *c);
  snprintf(c->name, sizeof c->name, "%s", name);
  return c;
}

static int collect(const outcome *list, int count, double tolerance, curve *all) {
  int curves = 0, problems = 0;
  find(all, &curves, "scree auto");
  for (int i = 0; i < count; i++) {
    const outcome *o = &list[i];
    if (o->tolerance != tolerance) continue;
    const double best = fmin(o->ours, o->peer);
    problems++;
    for (int k = -1; k < o->names; k++) {
      curve *c = find(all, &curves, k < 0 ? "scree auto" : o->name[k]);
      const double seconds = k < 0 ? o->ours : o->seconds[k];
      c->tried++;
      c->solved += isfinite(seconds);
      for (int j = 0; j < POINTS; j++) c->y[j] += seconds <= best * factor_at(j);
    }
  }
  for (int k = 0; k < curves; k++)
    for (int j = 0; j < POINTS; j++) {
      all[k].y[j] /= problems;
      all[k].area += all[k].y[j];
    }
  qsort(all + 1, (size_t)curves - 1, sizeof *all, by_area);
  return curves;
}

void report_profile(const outcome *list, int count, double tolerance, const char *directory) {
  curve *all = calloc(4 * REPORT_MAX_ENTRANTS, sizeof *all);
  char data[512], script[512], command[640];
  if (!all) return;
  int curves = collect(list, count, tolerance, all);
  snprintf(data, sizeof data, "%s/profile-%.0e.dat", directory, tolerance);
  snprintf(script, sizeof script, "%s/profile-%.0e.gp", directory, tolerance);
  FILE *d = fopen(data, "w"), *s = fopen(script, "w");
  if (!d || !s) {
    fprintf(stderr, "cannot write %s\n", d ? script : data);
    exit(1);
  }
  fprintf(d, "factor");
  for (int k = 0; k < curves; k++) fprintf(d, "\t\"%s\"", all[k].name);
  for (int j = 0; j < POINTS; j++) {
    fprintf(d, "\n%.6g", factor_at(j));
    for (int k = 0; k < curves; k++) fprintf(d, "\t%.6g", all[k].y[j]);
  }
  fprintf(d, "\n");
  fclose(d);
  if (curves > CURVES) curves = CURVES;
  fprintf(
      s,
      "set terminal pngcairo size 1100,700 font 'sans,12'\nset output '%s/profile-%.0e.png'\n"
      "set title 'Problems solved to E = %.0e within a factor of the best time'\n"
      "set logscale x\nset xrange [1:100]\nset yrange [0:1.02]\nset key right bottom\nset grid\n"
      "set xlabel 'factor of the best of all'\nset ylabel 'fraction of problems'\n"
      "set datafile separator '\\t'\nplot ",
      directory, tolerance, tolerance);
  for (int k = 0; k < curves; k++)
    fprintf(s, "%s'%s' using 1:%d skip 1 with steps lw %d title '%s'", k ? ", " : "", data, k + 2,
            k ? 2 : 4, all[k].name);
  fprintf(s, "\n");
  fclose(s);
  snprintf(command, sizeof command, "gnuplot '%s'", script);
  if (system(command) != 0) fprintf(stderr, "gnuplot failed on %s\n", script);
  free(all);
}

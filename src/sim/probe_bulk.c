/* Probes of many bodies: a group as a whole, and the surface of a bed.
 *
 * The surface is the highest point of the bodies (half the diameter over the centre of mass) in
 * each cell of a square grid seen from above. Least squares fit to these, about the point p,
 *
 *   plane   z = c + a (x - p_x) + b (y - p_y)     slope atan |(a, b)|, azimuth of the way up
 *   cone    z = c - s |(x, y) - p|                slope atan s
 *
 * A cone is fitted to its flank alone: tips are blunt, and at the toe single bodies lie about. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

typedef struct walk {
  const scree_world *world;
  const scree_probe_def *def;
  size_t at;
} walk;

/* The next body that the probe looks at. */
static bool walk_next(walk *w, scree_body_id *id, scree_body_info *info) {
  const scree_probe_def *d = w->def;
  size_t end = d->bodies ? d->body_count : scree_world_body_limit(w->world);
  while (w->at < end) {
    *id = d->bodies ? d->bodies[w->at] : scree_world_body_at(w->world, w->at);
    w->at++;
    if (!id->generation || !scree_body_is_valid(w->world, *id)) continue;
    if (scree_body_get_info(w->world, *id, info)) continue;
    bool in = d->bodies || info->kind == SCREE_BODY_DYNAMIC;
    for (int k = 0; k < 3; k++)
      in = in && info->center[k] >= d->lower[k] && info->center[k] <= d->upper[k];
    if (in) return true;
  }
  return false;
}

static int ascending(const void *a, const void *b) {
  double x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

/* The horizontal distance from the probe's point that 99 of 100 bodies keep. */
static scree_status reach(const scree_world *world, const scree_probe_def *def, size_t count,
                          double *out) {
  scree_context *context = scree_world_context(world);
  double *r = memory_new(context, count, sizeof *r);
  if (!r) return SCREE_ERROR_MEMORY;
  walk w = {.world = world, .def = def};
  scree_body_id id;
  scree_body_info info;
  for (size_t n = 0; n < count && walk_next(&w, &id, &info); n++)
    r[n] = hypot(info.center[0] - def->point[0], info.center[1] - def->point[1]);
  qsort(r, count, sizeof *r, ascending);
  *out = r[(size_t)(0.99 * (double)(count - 1) + 0.5)];
  memory_free(context, r);
  return SCREE_OK;
}

scree_status probe_group(const scree_world *world, const scree_probe_def *def,
                         double row[PROBE_GROUP_COLUMNS]) {
  walk w = {.world = world, .def = def};
  scree_body_id id;
  scree_body_info info;
  double count = 0.0, mass = 0.0, sum[6] = {0};
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  while (walk_next(&w, &id, &info)) {
    scree_body_state s;
    if (scree_body_get_shown_state(world, id, &s)) continue;
    count += 1.0;
    mass += info.mass;
    for (int k = 0; k < 3; k++) {
      sum[k] += info.mass * info.center[k];
      sum[k + 3] += info.mass * s.velocity[k];
      low[k] = fmin(low[k], info.center[k]);
      high[k] = fmax(high[k], info.center[k]);
    }
  }
  row[0] = count;
  row[1] = mass;
  for (int k = 0; k < 6; k++) row[2 + k] = mass > 0.0 ? sum[k] / mass : NAN;
  for (int k = 0; k < 3; k++) {
    row[8 + k] = count > 0.0 ? low[k] : NAN;
    row[11 + k] = count > 0.0 ? high[k] : NAN;
  }
  row[14] = NAN;
  return count > 0.0 ? reach(world, def, (size_t)count, &row[14]) : SCREE_OK;
}

/* ---- surface -------------------------------------------------------------------------------- */

enum { CELLS_PER_SIDE = 2048 };

typedef struct grid {
  double low[2], cell;
  size_t nx, ny;
  struct {
    double x, y, z; /* z = -inf: an empty cell */
  } * top;
} grid;

static scree_status grid_fill(const scree_world *world, const scree_probe_def *def, grid *g) {
  walk w = {.world = world, .def = def};
  scree_body_id id;
  scree_body_info info;
  double high[2] = {-INFINITY, -INFINITY}, diameters = 0.0, count = 0.0;
  g->low[0] = g->low[1] = INFINITY;
  while (walk_next(&w, &id, &info)) {
    for (int k = 0; k < 2; k++) {
      g->low[k] = fmin(g->low[k], info.center[k]);
      high[k] = fmax(high[k], info.center[k]);
    }
    if (isfinite(info.diameter)) diameters += info.diameter;
    count += 1.0;
  }
  if (count == 0.0) return SCREE_OK;
  double extent = fmax(high[0] - g->low[0], high[1] - g->low[1]);
  g->cell = def->cell > 0.0 ? def->cell : 2.0 * diameters / count;
  g->cell = fmax(g->cell, extent / (CELLS_PER_SIDE - 1));
  if (!(g->cell > 0.0) || !isfinite(extent)) return SCREE_OK;
  g->nx = (size_t)((high[0] - g->low[0]) / g->cell) + 1;
  g->ny = (size_t)((high[1] - g->low[1]) / g->cell) + 1;
  g->top = memory_new(scree_world_context(world), g->nx * g->ny, sizeof *g->top);
  if (!g->top) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < g->nx * g->ny; i++) g->top[i].z = -INFINITY;
  w.at = 0;
  while (walk_next(&w, &id, &info)) {
    size_t x = (size_t)((info.center[0] - g->low[0]) / g->cell);
    size_t y = (size_t)((info.center[1] - g->low[1]) / g->cell);
    double radius = isfinite(info.diameter) ? 0.5 * info.diameter : 0.0;
    size_t i = y * g->nx + x;
    if (info.center[2] + radius <= g->top[i].z) continue;
    g->top[i].x = info.center[0];
    g->top[i].y = info.center[1];
    g->top[i].z = info.center[2] + radius;
  }
  return SCREE_OK;
}

/* Solves the symmetric n x n system m x = r by elimination with pivots; false: it is singular. */
static bool solve(int n, double m[3][3], double r[3], double x[3]) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(m[i][k]) > fabs(m[best][k])) best = i;
    if (!(fabs(m[best][k]) > 1e-12 * (fabs(m[0][0]) + 1e-300))) return false;
    for (int j = 0; j < n; j++) {
      double t = m[k][j];
      m[k][j] = m[best][j];
      m[best][j] = t;
    }
    double t = r[k];
    r[k] = r[best];
    r[best] = t;
    for (int i = k + 1; i < n; i++) {
      double f = m[i][k] / m[k][k];
      for (int j = k; j < n; j++) m[i][j] -= f * m[k][j];
      r[i] -= f * r[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    x[k] = r[k];
    for (int j = k + 1; j < n; j++) x[k] -= m[k][j] * x[j];
    x[k] /= m[k][k];
  }
  return true;
}

/* The fit's functions at the highest body of cell i, lengths in cells so that the system is well
 * scaled; false: the fit leaves this cell out. */
static bool sample(const grid *g, const scree_probe_def *def, size_t i, double peak, double f[3]) {
  double z = g->top[i].z - def->point[2], height = peak - def->point[2];
  if (!isfinite(z)) return false;
  double x = (g->top[i].x - def->point[0]) / g->cell;
  double y = (g->top[i].y - def->point[1]) / g->cell;
  bool cone = def->form == SCREE_PROBE_FORM_CONE;
  f[0] = 1.0;
  f[1] = cone ? -hypot(x, y) : x;
  f[2] = y;
  return !cone || (z > 0.2 * height && z < 0.8 * height);
}

static void fit(const grid *g, const scree_probe_def *def, double row[PROBE_SURFACE_COLUMNS]) {
  bool cone = def->form == SCREE_PROBE_FORM_CONE;
  int n = cone ? 2 : 3;
  double m[3][3] = {{0}}, r[3] = {0}, c[3] = {0}, f[3], peak = -INFINITY, count = 0.0, error = 0.0;
  for (size_t i = 0; i < g->nx * g->ny; i++) peak = fmax(peak, g->top[i].z);
  for (size_t i = 0; i < g->nx * g->ny; i++) {
    if (!sample(g, def, i, peak, f)) continue;
    count += 1.0;
    for (int a = 0; a < n; a++) {
      for (int b = 0; b < n; b++) m[a][b] += f[a] * f[b];
      r[a] += f[a] * (g->top[i].z - def->point[2]);
    }
  }
  row[0] = count;
  if (count < n || !solve(n, m, r, c)) return;
  for (size_t i = 0; i < g->nx * g->ny; i++) {
    if (!sample(g, def, i, peak, f)) continue;
    double e = g->top[i].z - def->point[2];
    for (int a = 0; a < n; a++) e -= c[a] * f[a];
    error += e * e;
  }
  row[1] = def->point[2] + c[0];
  row[2] = cone ? atan(c[1] / g->cell) : atan(hypot(c[1], c[2]) / g->cell);
  row[3] = cone ? 0.0 : atan2(c[2], c[1]);
  row[4] = sqrt(error / count);
}

scree_status probe_surface(const scree_world *world, const scree_probe_def *def,
                           double row[PROBE_SURFACE_COLUMNS]) {
  grid g = {.cell = 0.0};
  row[0] = 0.0;
  for (int k = 1; k < PROBE_SURFACE_COLUMNS; k++) row[k] = NAN;
  scree_status status = grid_fill(world, def, &g);
  if (!status && g.top) fit(&g, def, row);
  memory_free(scree_world_context(world), g.top);
  return status;
}

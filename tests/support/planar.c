/* See planar.h. */
#include "tests/support/planar.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { OPEN, STICK, FORWARD, BACKWARD, STATES };

void planar_velocity(const planar *p, const double *g, double *u) {
  const size_t rows = 2 * p->contacts;
  for (size_t i = 0; i < rows; i++) {
    u[i] = p->q[i];
    for (size_t j = 0; j < rows; j++) u[i] += p->w[i * rows + j] * g[j];
  }
}

double planar_violation(const planar *p, const double *g) {
  double u[PLANAR_ROWS], worst = 0.0;
  planar_velocity(p, g, u);
  for (size_t i = 0; i < p->contacts; i++) {
    const double n = g[2 * i], t = g[2 * i + 1], un = u[2 * i], ut = u[2 * i + 1];
    const double reach = p->mu[i] * n;
    worst = fmax(worst, fabs(fmin(n, un)));
    worst = fmax(worst, fabs(t) - reach);
    worst = fmax(worst, fmin(fabs(ut), fabs(t + copysign(reach, ut))));
  }
  return worst;
}

static bool eliminate(size_t n, double a[PLANAR_ROWS][PLANAR_ROWS + 1]) {
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
    if (fabs(a[best][k]) < 1e-12) return false;
    for (size_t j = 0; j <= n; j++) {
      const double t = a[k][j];
      a[k][j] = a[best][j];
      a[best][j] = t;
    }
    for (size_t i = 0; i < n; i++) {
      if (i == k) continue;
      const double factor = a[i][k] / a[k][k];
      for (size_t j = k; j <= n; j++) a[i][j] -= factor * a[k][j];
    }
  }
  return true;
}

/* The state's linear equations; false: singular. */
static bool solve_state(const planar *p, const int *state, double *g) {
  const size_t rows = 2 * p->contacts;
  double a[PLANAR_ROWS][PLANAR_ROWS + 1] = {{0}};
  for (size_t i = 0; i < p->contacts; i++)
    for (size_t k = 0; k < 2; k++) {
      const size_t row = 2 * i + k;
      if (state[i] == OPEN) {
        a[row][row] = 1.0;
      } else if (k == 0 || state[i] == STICK) {
        for (size_t j = 0; j < rows; j++) a[row][j] = p->w[row * rows + j];
        a[row][rows] = -p->q[row];
      } else {
        a[row][row] = 1.0;
        a[row][row - 1] = state[i] == FORWARD ? p->mu[i] : -p->mu[i];
      }
    }
  if (!eliminate(rows, a)) return false;
  for (size_t i = 0; i < rows; i++) g[i] = a[i][rows] / a[i][i];
  return true;
}

static bool lawful(const planar *p, const int *state, const double *g) {
  double u[PLANAR_ROWS];
  const double slack = 1e-11;
  planar_velocity(p, g, u);
  for (size_t i = 0; i < p->contacts; i++) {
    const double n = g[2 * i], t = g[2 * i + 1], un = u[2 * i], ut = u[2 * i + 1];
    if (n < -slack || un < -slack || fabs(t) > p->mu[i] * n + slack) return false;
    if ((state[i] == FORWARD && ut < -slack) || (state[i] == BACKWARD && ut > slack)) return false;
  }
  return true;
}

size_t planar_enumerate(const planar *p, double *solutions, size_t room, size_t *singular) {
  const size_t rows = 2 * p->contacts;
  size_t count = 0, total = 1;
  *singular = 0;
  for (size_t i = 0; i < p->contacts; i++) total *= STATES;
  for (size_t s = 0; s < total; s++) {
    int state[PLANAR_MOST];
    double g[PLANAR_ROWS];
    for (size_t i = 0, rest = s; i < p->contacts; i++, rest /= STATES)
      state[i] = (int)(rest % STATES);
    if (!solve_state(p, state, g)) {
      ++*singular;
      continue;
    }
    if (!lawful(p, state, g)) continue;
    bool known = false;
    for (size_t k = 0; k < count && !known; k++) {
      double off = 0.0;
      for (size_t j = 0; j < rows; j++)
        off = fmax(off, fabs(g[j] - solutions[k * PLANAR_ROWS + j]));
      known = off < 1e-9;
    }
    if (!known && count < room) memcpy(&solutions[count++ * PLANAR_ROWS], g, rows * sizeof *g);
  }
  return count;
}

scree_status planar_create(scree_context *context, const planar *p, scree_ccp **problem) {
  const size_t rows = 2 * p->contacts;
  scree_set sets[PLANAR_MOST];
  size_t start[PLANAR_ROWS + 1];
  uint32_t index[PLANAR_ROWS * PLANAR_ROWS];
  double value[PLANAR_ROWS * PLANAR_ROWS];
  for (size_t i = 0; i < p->contacts; i++) sets[i] = scree_set_coulomb(2, p->mu[i]);
  for (size_t j = 0; j <= rows; j++) start[j] = j * rows;
  for (size_t j = 0; j < rows; j++)
    for (size_t i = 0; i < rows; i++) {
      index[j * rows + i] = (uint32_t)i;
      value[j * rows + i] = p->w[i * rows + j];
    }
  const scree_csc w = {rows, rows, start, index, value};
  return scree_ccp_create_local(context, p->contacts, sets, &w, p->q, NULL, problem);
}

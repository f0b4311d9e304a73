/* What could be wrong with a run: what its log of steps and its settings tell against it. */
#include <math.h>

#include "cli/info/info.h"

/* An overlap (as a part of a diameter) and an error of energy (of the energy exchanged) are
 * mentioned from these on. */
static const double much_overlap = 1.0, much_energy = 0.01; /* %, - */

static double size_at(const double *row, int column) {
  return isfinite(row[column]) ? fabs(row[column]) : 0.0;
}

void info_doubts_add(info_doubts *d, const double *row) {
  const double time = row[SCREE_STEP_time];
  if (row[SCREE_STEP_converged] == 0.0 && d->missed++ == 0) d->missed_time = time;
  if (row[SCREE_STEP_outcome] == (double)SCREE_OUTCOME_INFEASIBLE && d->infeasible++ == 0)
    d->infeasible_time = time;
  if (row[SCREE_STEP_penetration_percent] > d->percent) {
    d->percent = row[SCREE_STEP_penetration_percent];
    d->percent_time = time;
  }
  d->residual = fmax(d->residual, row[SCREE_STEP_residual]);
  d->gap = fmax(d->gap, row[SCREE_STEP_relaxation_gap]);
  d->damped += row[SCREE_STEP_damped] > 0.0;
  /* The ledger is summed from the start of the run. */
  double turned = row[SCREE_STEP_kinetic_linear] + row[SCREE_STEP_kinetic_angular];
  for (int k = SCREE_STEP_motors; k < SCREE_STEP_energy_error; k++) turned += size_at(row, k);
  d->numerical = size_at(row, SCREE_STEP_numerical);
  d->turned = fmax(d->turned, turned + d->numerical);
  d->error = size_at(row, SCREE_STEP_energy_error);
}

static void say(int *count, const char *text) {
  printf("%-13s %s\n", (*count)++ ? "" : "doubts", text);
}

void info_doubts_print(const info_doubts *d, const scree_scene_settings *s) {
  char text[256];
  int count = 0;
  if (d->infeasible) {
    snprintf(text, sizeof text, "%zu steps have no solution, the first at %.6g s: squeezed bodies",
             d->infeasible, d->infeasible_time);
    say(&count, text);
  }
  if (d->missed) {
    snprintf(text, sizeof text, "%zu steps missed their tolerance, the first at %.6g s (R %.3g)",
             d->missed, d->missed_time, d->residual);
    say(&count, text);
  }
  if (s->solver.model == SCREE_MODEL_RELAXED && d->gap > 0.0) {
    snprintf(text, sizeof text, "friction was relaxed: sliding contacts part at up to %.3g m/s",
             d->gap);
    say(&count, text);
  }
  if (d->percent > much_overlap) {
    snprintf(text, sizeof text, "bodies overlapped by up to %.3g %% of a diameter, at %.6g s",
             d->percent, d->percent_time);
    say(&count, text);
  }
  if (d->error > much_energy * d->turned) {
    snprintf(text, sizeof text, "the energy is off by %.3g J, %.2g %% of the energy exchanged",
             d->error, 100.0 * d->error / d->turned);
    say(&count, text);
  }
  if (d->damped) {
    snprintf(text, sizeof text, "joints were damped numerically in %zu steps", d->damped);
    say(&count, text);
  }
  if (d->numerical > much_energy * d->turned) {
    snprintf(text, sizeof text, "steps took %.3g J from swings of flexible parts, %.2g %% of all",
             d->numerical, 100.0 * d->numerical / d->turned);
    say(&count, text);
  }
  if (s->solver.time_budget > 0.0) say(&count, "solver.time_budget: results depend on the machine");
  if (!count) say(&count, "none: no step missed, nothing overlapped by 1 %, the energy adds up");
}

/* Scree's automatic choice, by its public interface. */
#include <stdio.h>

#include "entrants.h"
#include "scree/scree.h"

double scree_run(const char *path, const problem *p, double tolerance, double *r, double *v,
                 char *note, int room) {
  scree_context *context = NULL;
  scree_ccp *ccp = NULL;
  scree_solver *solver = NULL;
  scree_problem_info info;
  scree_context_def def = scree_context_def_default();
  def.threads = 1;
  context = scree_context_create(&def);
  if (!context || scree_problem_load(context, path, &ccp, &info) ||
      scree_solver_create(context, "auto", &solver))
    return -1.0;
  if (scree_ccp_row_count(ccp) != (size_t)p->rows) return -1.0;
  scree_solve_settings settings = scree_solve_settings_default();
  settings.model = SCREE_MODEL_COULOMB;
  settings.tolerance_error = tolerance;
  scree_solve_info result;
  const stopwatch start = stopwatch_start();
  const scree_status status = scree_solver_solve(solver, ccp, &settings, r, &result);
  const double seconds = stopwatch_read(&start);
  if (status || (p->global && scree_ccp_velocities(context, ccp, r, NULL, v))) return -1.0;
  snprintf(note, (size_t)room, "%s", result.detail);
  return seconds;
}

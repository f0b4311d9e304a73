/* Islands solved apart against together: packings of different sizes, frictions and mass ratios
 * side by side in one problem, for ipm and auto, both models.
 *
 * bench_islands [--json]: seconds are the least of two solves, one thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/joined.h"
#include "tests/support/packing.h"

/* `count` packings of 8 to 125 balls; one in four is top heavy, frictions differ. */
static scree_ccp *archipelago(scree_context *context, size_t count) {
  scree_ccp **part = calloc(count, sizeof(scree_ccp *)), *joined = NULL;
  for (size_t k = 0; k < count; k++) {
    packing_def def = packing_def_default();
    def.nx = def.ny = def.nz = 2 + (int)(k % 4);
    def.mu = 0.2 + 0.1 * (double)(k % 5);
    def.seed = k + 1;
    if (k % 4 == 3) {
      def.masses = PACKING_TOP_HEAVY;
      def.mass_ratio = 100.0;
    }
    if (packing_create(context, &def, &part[k])) exit(1);
  }
  if (joined_create(context, part, count, &joined)) exit(1);
  for (size_t k = 0; k < count; k++) scree_ccp_destroy(part[k]);
  free(part);
  return joined;
}

static double seconds_of(scree_context *context, const scree_ccp *problem, const char *name,
                         const char *how, scree_model model, scree_solve_info *info) {
  double least = 1e300;
  double *g = calloc(scree_ccp_row_count(problem), sizeof *g);
  for (int repeat = 0; repeat < 2; repeat++) {
    scree_solver *solver = NULL;
    scree_solve_settings settings = scree_solve_settings_default();
    settings.model = model;
    settings.tolerance_error = 0.0;
    settings.tolerance_residual = 1e-6;
    settings.time_limit = 5.0;
    if (scree_solver_create(context, name, &solver) || scree_solver_set(solver, "islands", how) ||
        scree_solver_solve(solver, problem, &settings, g, info))
      exit(1);
    scree_solver_destroy(solver);
    if (info->seconds < least) least = info->seconds;
  }
  free(g);
  return least;
}

int main(int argc, char **argv) {
  const bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
  static const char *const names[] = {"ipm", "auto"}, *const models[] = {"relaxed", "coulomb"};
  scree_context *context = scree_context_create(NULL);
  scree_context_set_threads(context, 1);
  if (!json)
    printf("islands contacts solver model     together s (iterations)    apart s (iterations) "
           "ratio\n");
  else
    printf("{\"bench\":\"islands\",\"results\":[");
  for (size_t count = 4, first = 1; count <= 16; count *= 4) {
    scree_ccp *problem = archipelago(context, count);
    for (int s = 0; s < 2; s++)
      for (int model = 0; model < 2; model++, first = 0) {
        scree_solve_info t, a;
        const double together =
            seconds_of(context, problem, names[s], "together", (scree_model)model, &t);
        const double apart =
            seconds_of(context, problem, names[s], "apart", (scree_model)model, &a);
        fflush(stdout);
        if (json)
          printf("%s{\"islands\":%zu,\"contacts\":%zu,\"solver\":\"%s\",\"model\":\"%s\","
                 "\"together_seconds\":%.6g,\"together\":\"%s\",\"apart_seconds\":%.6g,\"apart\":"
                 "\"%s\"}",
                 first ? "" : ",", count, scree_ccp_block_count(problem), names[s], models[model],
                 together, scree_outcome_text(t.outcome), apart, scree_outcome_text(a.outcome));
        else
          printf("%7zu %8zu %-6s %-8s %9.4f %s (%ld) %12.4f %s (%ld) %9.2f\n", count,
                 scree_ccp_block_count(problem), names[s], models[model], together,
                 scree_outcome_text(t.outcome), t.iterations, apart, scree_outcome_text(a.outcome),
                 a.iterations, apart / together);
      }
    fflush(stdout);
    scree_ccp_destroy(problem);
  }
  if (json) printf("]}\n");
  scree_context_destroy(context);
  return 0;
}

/* On several ranks: steps whose problem is solved whole on each of them (assemble/ranks.h). */
#include "solve/solver.h"
#include "step/stepper.h"

/* The whole problem is solved on each rank where it is small, where it is one of
 * machines more than of contacts, which sweeps solve slowly and are not divided among ranks anyway
 * (blocks of joints and links, of which no less than one to MACHINE_PART contacts), and when sweeps
 * have failed. */
enum { WHOLE_BLOCKS = 500, WHOLE_MOST = 100000, MACHINE_PART = 4 };

bool step_is_whole(const scree_stepper *s, bool retry) {
  const assembler_ranks *r = s->assembler->ranks;
  if (!r || !s->whole_solver || r->solve.blocks > WHOLE_MOST) return false;
  const size_t machines = r->solve.blocks - r->solve.contacts;
  return retry || r->solve.blocks <= WHOLE_BLOCKS || MACHINE_PART * machines >= r->solve.contacts;
}

/* A signal must not end it on one rank alone. */
static scree_status solve_whole(scree_stepper *s, const scree_solve_settings *settings,
                                scree_solve_info *out) {
  assembler *a = s->assembler;
  const scree_ccp *problem;
  double *g;
  bool (*const stop)(void *) = s->context->stop;
  scree_status status = a->ranks->whole(a->ranks, a, &problem, &g);
  if (status) return status;
  s->context->stop = NULL;
  status = solver_solve(s->whole_solver, problem, settings, g, out);
  s->context->stop = stop;
  if (!status) a->ranks->take(a->ranks, a);
  return status;
}

/* Rows of joints contradict each other: the same problem without that, from the impulses found. */
static scree_status leave_whole(scree_stepper *s, const assembler_params *params,
                                const solve_contradiction *found) {
  assembler *a = s->assembler;
  const size_t rows = a->problem->row_count;
  double *mine = memory_new(s->context, 2 * rows + 1, sizeof *mine);
  if (!mine) return SCREE_ERROR_MEMORY;
  a->ranks->pick(a->ranks, a, found->u, mine);
  a->ranks->pick(a->ranks, a, found->d, mine + rows);
  assembler_leave_contradiction(a, params, mine, mine + rows);
  memory_free(s->context, mine);
  return SCREE_OK;
}

scree_status step_solve_whole(scree_stepper *s, const assembler_params *params,
                              const scree_solve_settings *settings, scree_solve_info *out) {
  scree_status status = solve_whole(s, settings, out);
  const solve_contradiction *found = solver_contradiction(s->whole_solver);
  if (status || !found) return status;
  const scree_solve_info before = *out;
  status = leave_whole(s, params, found);
  if (!status) status = solve_whole(s, settings, out);
  out->iterations += before.iterations;
  out->work += before.work;
  return status;
}

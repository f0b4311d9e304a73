/* The peer library's solvers (libsiconos-numerics 4.4) with the settings that its authors compare.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <siconos/numerics/CSparseMatrix_internal.h>
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/GlobalFrictionContactProblem.h>
#include <siconos/numerics/GlobalRollingFrictionContactProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsSparseMatrix.h>
#include <siconos/numerics/NumericsVerbose.h>
#include <siconos/numerics/RollingFrictionContactProblem.h>
#include <siconos/numerics/SiconosNumerics.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>

#include "entrants.h"

enum {
  NONE = -1,
  EVALUATION = SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION,
  SEARCH = SICONOS_FRICTION_3D_NSN_LINESEARCH,
  HYBRID = SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY,
  STRATEGY = SICONOS_FRICTION_3D_PROXIMAL_IPARAM_STRATEGY,
  PENALTY = SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY,
  SPEED = SICONOS_FRICTION_3D_ADMM_IPARAM_ACCELERATION,
  FULL = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL,
  FINAL = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT_WITH_FULL_FINAL,
  GP = SICONOS_FRICTION_3D_ONECONTACT_NSN_GP,
  GPH = SICONOS_FRICTION_3D_ONECONTACT_NSN_GP_HYBRID,
  AC = SICONOS_FRICTION_3D_ONECONTACT_NSN,
  QUARTIC = SICONOS_FRICTION_3D_ONECONTACT_QUARTIC,
  CONE = SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnCone,
  CONE_LOOP = SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration,
};
#define PLAIN             {NONE, NONE, NONE}, {0, 0, 0}, NONE, 0
#define WITH(i, v)        {i, NONE, NONE}, {v, 0, 0}, NONE, 0
#define WITH2(i, v, j, w) {i, j, NONE}, {v, w, 0}, NONE, 0
#define INNER(i, v)       {NONE, NONE, NONE}, {0, 0, 0}, i, v

/* The fastest at tight tolerances first: the rest is then stopped early. */
static const entrant local_entrants[] = {
    {"PROX", SICONOS_FRICTION_3D_PROX, 0, true, PLAIN},
    {"PROX-NLS", SICONOS_FRICTION_3D_PROX, 0, true, INNER(SEARCH, -1)},
    {"PROX-REG", SICONOS_FRICTION_3D_PROX, 0, true, WITH(STRATEGY, 1)},
    {"PROX-REG-NLS",
     SICONOS_FRICTION_3D_PROX,
     0,
     true,
     {STRATEGY, NONE, NONE},
     {1, 0, 0},
     SEARCH,
     -1},
    {"PROX-NSGS", SICONOS_FRICTION_3D_PROX, SICONOS_FRICTION_3D_NSGS, false, PLAIN},
    {"ADMM", SICONOS_FRICTION_3D_ADMM, 0, true, PLAIN},
    {"ADMM-BAL", SICONOS_FRICTION_3D_ADMM, 0, true, WITH(PENALTY, 2)},
    {"ADMM-SBAL", SICONOS_FRICTION_3D_ADMM, 0, true, WITH(PENALTY, 3)},
    {"ADMM-PLAIN", SICONOS_FRICTION_3D_ADMM, 0, true, WITH(SPEED, 0)},
    {"NSGS", SICONOS_FRICTION_3D_NSGS, 0, false, PLAIN},
    {"NSGS-FULL", SICONOS_FRICTION_3D_NSGS, 0, false, WITH(EVALUATION, FULL)},
    {"NSGS-FINAL", SICONOS_FRICTION_3D_NSGS, 0, false, WITH(EVALUATION, FINAL)},
    {"NSGS-AC", SICONOS_FRICTION_3D_NSGS, AC, false, WITH(EVALUATION, FULL)},
    {"NSGS-AC-GP", SICONOS_FRICTION_3D_NSGS, GP, false, WITH(EVALUATION, FULL)},
    {"NSGS-AC-GPH", SICONOS_FRICTION_3D_NSGS, GPH, false, WITH(EVALUATION, FULL)},
    {"NSGS-QUARTIC", SICONOS_FRICTION_3D_NSGS, QUARTIC, false, WITH(EVALUATION, FULL)},
    {"NSGS-P", SICONOS_FRICTION_3D_NSGS, CONE, false, WITH(EVALUATION, FULL)},
    {"NSGS-PLI", SICONOS_FRICTION_3D_NSGS, CONE_LOOP, false, WITH(EVALUATION, FULL)},
    {"NSGSV", SICONOS_FRICTION_3D_NSGSV, 0, false, PLAIN},
    {"TFP", SICONOS_FRICTION_3D_TFP, 0, false, PLAIN},
    {"PFP", SICONOS_FRICTION_3D_PFP, 0, false, PLAIN},
    {"ACLMFP", SICONOS_FRICTION_3D_ACLMFP, 0, false, PLAIN},
    {"SOCLCP", SICONOS_FRICTION_3D_SOCLCP, 0, false, PLAIN},
    {"DSFP", SICONOS_FRICTION_3D_DSFP, 0, false, PLAIN},
    {"FPP", SICONOS_FRICTION_3D_FPP, 0, false, PLAIN},
    {"EG", SICONOS_FRICTION_3D_EG, 0, false, PLAIN},
    {"HP", SICONOS_FRICTION_3D_HP, 0, false, PLAIN},
    {"VI-FPP", SICONOS_FRICTION_3D_VI_FPP, 0, false, PLAIN},
    {"VI-EG", SICONOS_FRICTION_3D_VI_EG, 0, false, PLAIN},
    {"NSN-AC", SICONOS_FRICTION_3D_NSN_AC, 0, true, PLAIN},
    {"NSN-AC-NLS", SICONOS_FRICTION_3D_NSN_AC, 0, true, WITH(SEARCH, -1)},
    {"NSN-AC-HYB", SICONOS_FRICTION_3D_NSN_AC, 0, true, WITH(HYBRID, 2)},
    {"NSN-AC-PLI", SICONOS_FRICTION_3D_NSN_AC, 0, true, WITH(HYBRID, 1)},
    {"NSN-AC-VI", SICONOS_FRICTION_3D_NSN_AC, 0, true, WITH(HYBRID, 3)},
    {"NSN-AC-TEST", SICONOS_FRICTION_3D_NSN_AC_TEST, 0, true, PLAIN},
    {"NSN-FB", SICONOS_FRICTION_3D_NSN_FB, 0, true, PLAIN},
    {"NSN-NM", SICONOS_FRICTION_3D_NSN_NM, 0, true, PLAIN},
};

static const entrant global_entrants[] = {
    {"GNSN-AC", SICONOS_GLOBAL_FRICTION_3D_NSN_AC, 0, true, PLAIN},
    {"GADMM", SICONOS_GLOBAL_FRICTION_3D_ADMM, 0, true, PLAIN},
    {"GNSGS", SICONOS_GLOBAL_FRICTION_3D_NSGS, 0, true, PLAIN},
    {"GNSGS-WR", SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, 0, true, PLAIN},
    {"GNSGSV-WR", SICONOS_GLOBAL_FRICTION_3D_NSGSV_WR, 0, true, PLAIN},
    {"GPROX-WR", SICONOS_GLOBAL_FRICTION_3D_PROX_WR, 0, true, PLAIN},
    {"GDSFP-WR", SICONOS_GLOBAL_FRICTION_3D_DSFP_WR, 0, true, PLAIN},
    {"GTFP-WR", SICONOS_GLOBAL_FRICTION_3D_TFP_WR, 0, true, PLAIN},
    {"GNSN-AC-WR", SICONOS_GLOBAL_FRICTION_3D_NSN_AC_WR, 0, true, PLAIN},
    {"GVI-FPP", SICONOS_GLOBAL_FRICTION_3D_VI_FPP, 0, true, PLAIN},
    {"GVI-EG", SICONOS_GLOBAL_FRICTION_3D_VI_EG, 0, true, PLAIN},
    {"GACLMFP", SICONOS_GLOBAL_FRICTION_3D_ACLMFP, 0, true, PLAIN},
    {"GADMM-BAL", SICONOS_GLOBAL_FRICTION_3D_ADMM, 0, true, WITH(PENALTY, 2)},
    {"GADMM-WR", SICONOS_GLOBAL_FRICTION_3D_ADMM_WR, 0, true, PLAIN},
    {"GIPM", SICONOS_GLOBAL_FRICTION_3D_IPM, 0, true, PLAIN},
};

static const entrant rolling_entrants[] = {
    {"RNSGS", SICONOS_ROLLING_FRICTION_3D_NSGS, 0, false, PLAIN},
    {"RNSGS-FULL", SICONOS_ROLLING_FRICTION_3D_NSGS, 0, false, WITH(EVALUATION, FULL)},
    {"RNSGS-P", SICONOS_ROLLING_FRICTION_3D_NSGS,
     SICONOS_ROLLING_FRICTION_3D_ONECONTACT_ProjectionOnCone, false, PLAIN},
    {"RADMM", SICONOS_ROLLING_FRICTION_3D_ADMM, 0, true, PLAIN},
    {"RADMM-BAL", SICONOS_ROLLING_FRICTION_3D_ADMM, 0, true, WITH(PENALTY, 2)},
};

static const entrant global_rolling_entrants[] = {
    {"GRNSGS-WR", SICONOS_GLOBAL_ROLLING_FRICTION_3D_NSGS_WR, 0, true, PLAIN},
};

#define LIST(array)                                                                                \
  {                                                                                                \
    from = array;                                                                                  \
    count = (int)(sizeof array / sizeof array[0]);                                                 \
  }

int peer_list(const problem *p, entrant *list, int room) {
  const entrant *from;
  int count;
  if (p->global && p->rolling)
    LIST(global_rolling_entrants)
  else if (p->global)
    LIST(global_entrants)
  else if (p->rolling)
    LIST(rolling_entrants)
  else
    LIST(local_entrants)
  if (count > room) count = room;
  memcpy(list, from, (size_t)count * sizeof *list);
  return count;
}

static NumericsMatrix *columns_of(const matrix *a) {
  NumericsMatrix *m = NM_create(NM_SPARSE, a->rows, a->columns);
  const int entries = a->start[a->columns];
  NM_csc_alloc(m, entries);
  CSparseMatrix *c = m->matrix2->csc;
  m->matrix2->origin = NSM_CSC;
  for (int j = 0; j <= a->columns; j++) c->p[j] = a->start[j];
  for (int k = 0; k < entries; k++) {
    c->i[k] = a->row[k];
    c->x[k] = a->value[k];
  }
  return m;
}

static NumericsMatrix *delassus(const problem *p, bool sparse) {
  NumericsMatrix *columns = columns_of(&p->w_or_m);
  if (sparse) return columns;
  if (p->rolling) { /* its sweeps over rolling contacts take dense matrices only */
    NumericsMatrix *dense = NM_create(NM_DENSE, p->rows, p->rows);
    const matrix *w = &p->w_or_m;
    for (int j = 0; j < w->columns; j++)
      for (int k = w->start[j]; k < w->start[j + 1]; k++)
        dense->matrix0[w->row[k] + j * p->rows] = w->value[k];
    return dense;
  }
  SparseBlockStructuredMatrix *blocks = SBM_new();
  if (SBM_from_csparse(p->dim, columns->matrix2->csc, blocks)) return columns;
  return NM_new_SBM(p->rows, p->rows, blocks);
}

static SolverOptions *options_of(const entrant *e, double tolerance) {
  SolverOptions *o = solver_options_create(e->id);
  o->dparam[SICONOS_DPARAM_TOL] = tolerance;
  o->iparam[SICONOS_IPARAM_MAX_ITER] = 10000000;
  if (e->local && o->numberOfInternalSolvers > 0) solver_options_update_internal(o, 0, e->local);
  for (int k = 0; k < 3; k++)
    if (e->index[k] >= 0) o->iparam[e->index[k]] = e->value[k];
  if (e->inner_index >= 0 && o->numberOfInternalSolvers > 0)
    o->internalSolvers[0]->iparam[e->inner_index] = e->inner_value;
  return o;
}

static double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

stopwatch stopwatch_start(void) {
  return (stopwatch){seconds_of(CLOCK_MONOTONIC), seconds_of(CLOCK_PROCESS_CPUTIME_ID)};
}

double stopwatch_read(const stopwatch *start) {
  const double wall = seconds_of(CLOCK_MONOTONIC) - start->wall;
  const double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start->cpu;
  return wall < 0.1 ? wall : cpu;
}

double peer_run(const problem *p, const entrant *e, double tolerance, double *r, double *v) {
  SolverOptions *o = options_of(e, tolerance);
  double *u = calloc((size_t)p->rows, sizeof *u);
  stopwatch start;
  NumericsMatrix *a = p->global ? columns_of(&p->w_or_m) : delassus(p, e->sparse);
  NumericsMatrix *h = p->global ? columns_of(&p->h) : NULL;
  numerics_set_verbose(0);
  if (p->global && p->rolling) {
    GlobalRollingFrictionContactProblem g = {.dimension = 5,
                                             .numberOfContacts = p->contacts,
                                             .M = a,
                                             .H = h,
                                             .q = p->q_or_f,
                                             .b = p->w,
                                             .mu = p->mu,
                                             .mu_r = p->mu_rolling};
    start = stopwatch_start();
    g_rolling_fc3d_driver(&g, r, u, v, o);
  } else if (p->global) {
    GlobalFrictionContactProblem *g = globalFrictionContactProblem_new();
    g->dimension = 3;
    g->numberOfContacts = p->contacts;
    g->M = a;
    g->H = h;
    g->q = p->q_or_f;
    g->b = p->w;
    g->mu = p->mu;
    start = stopwatch_start();
    gfc3d_driver(g, r, u, v, o);
  } else if (p->rolling) {
    RollingFrictionContactProblem f = {.dimension = 5,
                                       .numberOfContacts = p->contacts,
                                       .M = a,
                                       .q = p->q_or_f,
                                       .mu = p->mu,
                                       .mu_r = p->mu_rolling};
    start = stopwatch_start();
    rolling_fc3d_driver(&f, r, u, o);
  } else {
    FrictionContactProblem f = {
        .dimension = 3, .numberOfContacts = p->contacts, .M = a, .q = p->q_or_f, .mu = p->mu};
    start = stopwatch_start();
    fc3d_driver(&f, r, u, o);
  }
  return stopwatch_read(&start);
}

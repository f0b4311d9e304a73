/* The problems of `scree generate`, tests and benchmarks: jittered sphere packings on a floor
 * between walls, with a random active contact set. Deterministic for a seed. */
#ifndef SCREE_CLI_PROBLEM_PACKING_H
#define SCREE_CLI_PROBLEM_PACKING_H

#include "scree/scree.h"

typedef enum packing_masses {
  PACKING_EQUAL,
  PACKING_TOP_HEAVY, /* the top layer is mass_ratio times as dense */
  PACKING_RANDOM,    /* log-uniform over mass_ratio */
} packing_masses;

typedef struct packing_def {
  int nx, ny, nz;
  double mu;
  packing_masses masses;
  double mass_ratio;
  double rolling, spinning; /* m; contacts are 4-D, 5-D or 6-D by which are there, else 3-D */
  bool frictionless;        /* rays, whatever mu is */
  double compliance;        /* m/N s, normal rows */
  uint64_t seed;
  bool curve; /* bodies numbered along a space-filling curve, as simulations do, else row by row */
} packing_def;

packing_def packing_def_default(void);
/* A problem of bodies with step 0.01 s and gravity 9.81; destroy it with scree_ccp_destroy. */
scree_status packing_create(scree_context *context, const packing_def *def, scree_ccp **problem);

#endif

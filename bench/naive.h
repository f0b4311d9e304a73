/* The reference of bench_sweep: Gauss-Seidel as one writes it first. Contacts are an array of
 * structs in the order given, with explicit Jacobians; each is solved exactly in the metric
 * diag(N_nn, N_tt, N_tt), as the library does, so that both do the same work. Spheres only. */
#ifndef SCREE_BENCH_NAIVE_H
#define SCREE_BENCH_NAIVE_H

#include "scree/scree.h"

typedef struct naive naive;

/* Null when there is no memory. The problem holds 3-D Coulomb contacts of spheres. */
naive *naive_create(const scree_ccp *problem);
void naive_sweep(naive *n);
void naive_get(const naive *n, double *g);
void naive_destroy(naive *n);

#endif

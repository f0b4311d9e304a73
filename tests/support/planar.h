/* Every solution of a small planar friction problem, by trying all states of its contacts: open,
 * sticking, sliding forwards, sliding backwards. The oracle for existence and uniqueness. */
#ifndef SCREE_TESTS_PLANAR_H
#define SCREE_TESTS_PLANAR_H

#include "scree/scree.h"

enum { PLANAR_MOST = 4, PLANAR_ROWS = 2 * PLANAR_MOST };

/* u = W g + q, rows n t of each contact; W is dense, by rows. */
typedef struct planar {
  size_t contacts;
  double w[PLANAR_ROWS * PLANAR_ROWS], q[PLANAR_ROWS], mu[PLANAR_MOST];
} planar;

/* u of g. */
void planar_velocity(const planar *p, const double *g, double *u);
/* max over contacts of how far Coulomb's law is violated. */
double planar_violation(const planar *p, const double *g);
/* Distinct isolated solutions, at most `room` stored, PLANAR_ROWS apart; states with a singular
 * system are left out and counted in *singular. */
size_t planar_enumerate(const planar *p, double *solutions, size_t room, size_t *singular);
/* The problem in the local form. */
scree_status planar_create(scree_context *context, const planar *p, scree_ccp **problem);

#endif

/* Problems of bodies whose masses are changed, for solvers that go from equal masses to those
 * given.
 */
#ifndef SCREE_CCP_MASSES_H
#define SCREE_CCP_MASSES_H

#include "ccp/problem.h"

/* Zeros to begin with; kept between problems. */
typedef struct ccp_masses {
  double least, most; /* kg, of bodies that have a mass */
  scree_ccp problem;  /* with the masses of the moment; all else is that of the one given */
  scree_ccp_body_def *body;
} ccp_masses;

/* The least and the largest mass; false: it is no problem of bodies, or none has a mass. */
bool ccp_mass_range(const scree_ccp *problem, double *least, double *most);
/* masses->problem becomes a copy of a problem that has a mass range. */
scree_status ccp_masses_begin(ccp_masses *masses, scree_context *context, const scree_ccp *problem);
/* Sets m_i(t) = m (m_i / m)^t, m the least mass, and inertias with them: each body keeps its size.
 * t = 1: as given. Returns the sum of the masses. */
double ccp_masses_set(ccp_masses *masses, const scree_ccp *problem, double t);
void ccp_masses_clear(scree_context *context, ccp_masses *masses);

#endif

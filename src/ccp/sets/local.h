/* One block alone: g in Y with -(N g + q [+ shift e_n]) in the normal cone of Y at g, the step of
 * Gauss–Seidel methods. N is d x d, row-major, positive semi-definite; q holds everything that the
 * other blocks do to this one. Of an N that is not quite symmetric, the skew part acts on the given
 * g: sweeps then end in a solution of the matrix as it is. */
#ifndef SCREE_CCP_SETS_LOCAL_H
#define SCREE_CCP_SETS_LOCAL_H

#include "scree/ccp.h"
#include <stdbool.h>

/* g in: warm start. Returns false when the accuracy was not reached, or when there is no solution
 * (N of immovable bodies that approach each other); g is then finite, in Y, and the best known. A q
 * that is not finite gives NaN. */
bool set_solve_block(const scree_set *set, scree_model model, const double *nii, const double *q,
                     double *g);

/* What the sets' files use: bilateral rows; lo <= g <= hi; cones with frictions a1, a2 (2-D: a2 =
 * 0); rolling cones. */
bool set_local_free(const scree_set *set, scree_model model, const double *nii, const double *q,
                    double *g);
bool set_local_clamp(double lo, double hi, double n, double q, double *g);
bool set_local_cone(const scree_set *set, double a1, double a2, scree_model model,
                    const double *nii, const double *q, double *g);
bool set_local_rolling(const scree_set *set, scree_model model, const double *nii, const double *q,
                       double *g);

#endif

/* A global problem that is one of rigid bodies; see recognise.c. */
#ifndef SCREE_CCP_FORMS_RECOGNISE_H
#define SCREE_CCP_FORMS_RECOGNISE_H

#include "ccp/problem.h"

/* True: `bodies`, a problem of that form, is made to be the same problem, row by row; its v is that
 * of the global one. False: it is not one of rigid bodies, and `bodies` is of no use. */
scree_status ccp_recognise(const scree_ccp *global, scree_ccp *bodies, bool *yes);

#endif

/* Facts about a problem that its operator knows and that no accessor returns. */
#include <math.h>

#include "base/argument.h"
#include "ccp/operator.h"

scree_status scree_ccp_get_facts(scree_context *context, const scree_ccp *problem,
                                 scree_ccp_facts *facts) {
  ARGUMENT_CHECK(context, context && problem && facts);
  *facts = (scree_ccp_facts){.bodies = problem->bodies.body_count};
  if (problem->form == SCREE_FORM_LOCAL) facts->entries = problem->w.start[problem->w.columns];
  if (problem->form == SCREE_FORM_GLOBAL)
    facts->entries = problem->m.start[problem->m.columns] + problem->h.start[problem->h.columns];
  ccp_operator *op = NULL;
  const scree_status status = op_create(context, problem, &op);
  if (status) return status;
  facts->asymmetry = op->asymmetry;
  for (size_t i = 0; i < op->row_count; i++)
    facts->largest_offset = fmax(facts->largest_offset, fabs(op->r[i]));
  op_destroy(op);
  return SCREE_OK;
}

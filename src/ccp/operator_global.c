/* The global form: M v = f + H g, u = H'v + w, condensed to N = H'M^-1 H, r = H'M^-1 f + w. */
#include "ccp/operator.h"

scree_status op_global_init(ccp_operator *op) {
  return context_fail(op->context, SCREE_ERROR_UNSUPPORTED, "the global form cannot be solved yet");
}

/* Rigid contact: no give, overlap removed by the stabilisation. `rigid-cohesive` is the same with a
 * pull that surfaces bear while they are held: plastic, it acts again when they touch again. */
#include "assemble/laws/law.h"

static void rows(const law_input *in, law_state *state, scree_ccp_contact_def *out) {
  out->offset[0] = law_rigid_offset(in);
  law_tangents(in, state, out);
}

const law_class law_rigid = {.name = "rigid", .rows = rows};
const law_class law_rigid_cohesive = {.name = "rigid-cohesive", .rows = rows};

/* Rigid contact: no give, Newton's restitution, overlap removed by the stabilisation. */
#include "assemble/law.h"

static bool applies(const scree_material_def *material) {
  (void)material;
  return true;
}

static void fill(const law_input *in, scree_ccp_contact_def *out) {
  out->offset[0] = law_rigid_offset(in);
}

const law_class law_rigid = {.name = "rigid", .applies = applies, .fill = fill};

/* A law that the user's function decides on: what is here is what a contact begins with, a rigid
 * one with the friction of its material. When all contacts are in the problem the function is
 * called for all of them at once, and the rows become what it returns (user_function.c).
 *
 * There are always rows along the surface, as the function may give friction where the material has
 * none. */
#include "assemble/laws/law.h"

static scree_set set(const law_input *in, law_state *state) {
  const scree_set dry = law_dry_set(in, state);
  return set_is_ray(&dry) ? scree_set_coulomb(3, 0.0) : dry;
}

static void rows(const law_input *in, law_state *state, scree_ccp_contact_def *out) {
  out->offset[0] = law_rigid_offset(in);
  law_tangents(in, state, out);
}

/* The user's function is called for gaps up to cohesion_range. */
static double reach(const scree_material_def *m) {
  return m->cohesion_range;
}

const law_class law_user = {
    .name = "user", .set = set, .rows = rows, .reach = reach, .remembers = true};

/* See coupling.h. */
#include "ccp/coupling.h"

ccp_coupling ccp_couple(const scree_ccp *p) {
  const ccp_contact *c = p->bodies.contact;
  const size_t contacts = p->bodies.contact_count;
  size_t shared = 0;
  for (size_t k = 1; k < contacts; k++)
    shared += c[k].body_a == c[k - 1].body_a && c[k].body_b == c[k - 1].body_b;
  return (ccp_coupling){.contacts = contacts,
                        .contacts_alone = contacts == p->block_count,
                        .stacked = 4 * shared > contacts};
}

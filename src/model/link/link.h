/* Links: forces between bodies with their derivatives (scree/model.h). A kind of link is one file
 * that says its strains and their gradient, and one row in the list.
 *
 *   strains e(q), stresses s_k = k_k e_k + c_k de_k/dt,   load = -G's,   G = de/dq
 *   K = -df/dq = G'kG + (dG/dq)'s + G'c d(G v)/dq,        R = -df/dv = G'cG
 *
 * dq of a body: displacement of its centre of mass and small turn, world frame. dG/dq is found by
 * central differences of the exact G. */
#ifndef SCREE_MODEL_LINK_LINK_H
#define SCREE_MODEL_LINK_LINK_H

#include "model/world.h"

typedef struct link_strain {
  double strain[LINK_ROWS];
  double gradient[LINK_ROWS][LINK_DIM]; /* 6 a body */
} link_strain;

typedef struct link_class {
  const char *name;
  uint32_t bodies, rows; /* rows 0: the user's own */
  bool points;           /* turns of its bodies do not matter */
  void (*measure)(const world_link *l, const pose *at, link_strain *out);
} link_class;

#define LINK_LIST(X)                                                                               \
  X(SPRING, link_spring)                                                                           \
  X(BEAM, link_beam)                                                                               \
  X(TETRAHEDRON, link_tetrahedron)                                                                 \
  X(USER, link_user)

#define LINK_DECLARE(kind, symbol) extern const link_class symbol;
LINK_LIST(LINK_DECLARE)
#undef LINK_DECLARE
extern const link_class *const link_classes[SCREE_LINK_KIND_COUNT];

/* Poses of the bodies, as the world has them; the world's own: at its origin. */
void link_poses(const scree_world *world, const world_link *l, pose *at);
/* load (6 n), k and r (6 n by 6 n, by rows; both null: only the load), n bodies. */
void link_evaluate(const scree_world *world, const world_link *l, double *load, double *k,
                   double *r);
double link_energy(const scree_world *world);
void world_remove_link_at(scree_world *world, size_t index);
/* Removes those of a body. */
void world_remove_links_of(scree_world *world, uint32_t body);

#endif

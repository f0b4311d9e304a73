/* Links: forces between bodies with their derivatives (scree/model.h). A kind of link is one file
 * with a link_class, and one row in the list.
 *
 * A link is a sum of rows. A row is a direction g in the space of its bodies' displacements and
 * turns, along which it has a stress s, a stiffness k = ds/d(g q) and a damping c:
 *
 *   load = -sum g (s + c g'v),        R = -df/dv = sum c g g'
 *   K = -df/dq = sum k g g' + (dg/dq)'(s + c g'v) + g c (dg/dq v)'
 *
 * In two ways:
 *   strains   s = k e(q), g = de/dq, k constant and above 0 (springs, beams). dg/dq is found by
 *             central differences of the exact g.
 *   points    energy sum w(z), z = B q linear in places: g are the eigenvectors of B'w''B with
 * their eigenvalues k, so that the first sum is all of K but for what damping adds, the part of the
 * stresses too. k may be below 0, where stresses make a part give way.
 *
 * The nonsmooth stepper takes each row as a compliant one (assemble/joints/links.c). A link may
 * have inertia of its own besides that of its bodies (inertia.c).
 *
 * dq of a body: displacement of its centre of mass and small turn, world frame. */
#ifndef SCREE_MODEL_LINK_LINK_H
#define SCREE_MODEL_LINK_LINK_H

#include "model/world.h"

typedef struct link_row {
  double stress, stiffness, damping;
  double gradient[LINK_DIM]; /* 6 per body */
} link_row;

typedef struct link_rows {
  uint32_t count;
  double energy; /* J, elastic */
  double strain[LINK_STIFF];
  link_row row[LINK_ROWS];
} link_rows;

typedef struct link_class {
  const char *name;
  uint32_t bodies; /* 0: as many as the definition says */
  uint32_t rows;   /* at most; 0: the user's own */
  bool points;     /* the second of the two ways; turns of its bodies do not matter */
  bool apart;      /* its bodies never touch each other */
  /* The link of a definition, with its bodies as they are. */
  scree_status (*make)(scree_world *w, const scree_link_def *d, world_link *l);
  void (*measure)(const world_link *l, const pose *at, link_rows *out);
  /* Strains and stresses to be shown; null: those of the rows. */
  void (*describe)(const world_link *l, const pose *at, scree_link_state *state);
  /* Consistent mass matrix over its bodies at rest (by rows) and lumped masses, kg; and the part of
   * its diagonal that bodies bear where the link has the rest. Null: it has no inertia. */
  scree_status (*mass)(const scree_world *w, const scree_link_def *d, const double (*at)[3],
                       double *matrix, double *lumped);
  double share;
} link_class;

#define LINK_LIST(X)                                                                               \
  X(SPRING, link_spring)                                                                           \
  X(BEAM, link_beam)                                                                               \
  X(TETRAHEDRON, link_tetrahedron)                                                                 \
  X(DRAG, link_drag)                                                                               \
  X(CABLE, link_cable)                                                                             \
  X(SHELL, link_shell)                                                                             \
  X(USER, link_user)

#define LINK_DECLARE(kind, symbol) extern const link_class symbol;
LINK_LIST(LINK_DECLARE)
#undef LINK_DECLARE
extern const link_class *const link_classes[SCREE_LINK_KIND_COUNT];

/* link.c: what the makers share. */
scree_status link_refuse(const scree_world *world, const char *what);
static inline bool link_positive(double x) {
  return x > 0.0 && isfinite(x);
}
static inline bool link_not_negative(double x) {
  return x >= 0.0 && isfinite(x);
}
/* Bodies that the link of a definition has. */
uint32_t link_body_count(const scree_link_def *d);
/* A frame of the world as seen from a body. */
pose link_frame_in(const scree_world *world, uint32_t body, pose frame);
/* Places of the bodies of a link now. */
void link_places(const scree_world *world, const world_link *l, double (*at)[3]);

/* Has it dampers, or may a user's own have some? */
bool link_is_damped(const world_link *l);
/* load (6 n), k and r (6 n by 6 n, by rows; both null: only the load; r null too where nothing is
 * damped), n bodies. */
void link_evaluate(const scree_world *world, const world_link *l, double *load, double *k,
                   double *r);
/* Its rows as the world is; not of a user's own. */
void link_measure(const scree_world *world, const world_link *l, link_rows *out);
double link_energy(const scree_world *world);
/* Removes all links of a body. */
void world_remove_links_of(scree_world *world, uint32_t body);

/* inertia.c: a link's own mass matrix m (n by n over its bodies) acts alike along x, y and z. */
scree_status link_make_inertia(scree_world *world, const scree_link_def *d, world_link *l);
static inline double link_inertia(const world_link *l, uint32_t a, uint32_t b) {
  return a >= b ? l->inertia[a * (a + 1) / 2 + b] : l->inertia[b * (b + 1) / 2 + a];
}
/* m = sum c c': `c` of each (LINK_BODIES numbers); returns how many. */
uint32_t link_inertia_rows(const world_link *l, double c[LINK_BODIES][LINK_BODIES]);
/* Kinetic and gravitational energy of all, J. */
void link_inertia_energy(const scree_world *world, double *kinetic, double *potential);

#endif

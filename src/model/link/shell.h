/* The stiffness of a flat triangle against in-plane turns of its nodes and against bending. See
 * shell.c and shell_plate.c. */
#ifndef SCREE_MODEL_LINK_SHELL_H
#define SCREE_MODEL_LINK_SHELL_H

#include "model/link/link.h"

enum {
  SHELL_NODES = 3,
  SHELL_BENDS = 2 * SHELL_NODES, /* turns about x and y at each node */
  SHELL_SPINS = SHELL_NODES,     /* turns about z */
  SHELL_SPIN_FACTOR = SHELL_SPINS * (SHELL_SPINS + 1) / 2,
  SHELL_BEND_FACTOR = SHELL_BENDS * (SHELL_BENDS + 1) / 2
};

typedef struct shell_triangle { /* at rest, in its own plane: node 0 at the origin, 1 on x */
  double x[SHELL_NODES], y[SHELL_NODES], area;
  double slope[SHELL_NODES][2];       /* gradients of the linear shape functions, 1/m */
  double spin_strain[SHELL_NODES][3]; /* strain xx, yy, 2xy by a node's turn about z */
} shell_triangle;

/* False: it has no area. */
bool shell_lay_out(const double (*at)[3], shell_triangle *out);
/* Of the higher part of the membrane, over turns about z. */
void shell_spin_stiffness(const shell_triangle *t, double young, double poisson, double thickness,
                          double k[SHELL_SPINS * SHELL_SPINS]);
/* Of bending, over turns about x and y of node 0, 1, 2. */
void shell_bend_stiffness(const shell_triangle *t, double young, double poisson, double thickness,
                          double k[SHELL_BENDS * SHELL_BENDS]);
/* k = sum d (x_i + sum_{j > i} u_ij x_j)^2: rows of u above the diagonal with d on it, one after
 * the other; false: k is not positive. */
bool shell_factor(uint32_t n, const double *k, double *out);

#endif

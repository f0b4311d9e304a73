/* A point of a solid element: its rows from the deformation gradient there. See stretch.c. */
#ifndef SCREE_MODEL_LINK_STRETCH_H
#define SCREE_MODEL_LINK_STRETCH_H

#include "model/link/link.h"

typedef struct stretch_point {
  double f[3][3];     /* F = sum of x_n b_n' over nodes */
  double (*slope)[3]; /* b_n: gradient of the shape function of node n, 1/m */
  uint32_t nodes;
  double volume; /* m^3, of the element at rest, that the point stands for */
} stretch_point;

/* F = U diag(s) V' with U and V turns. */
void stretch_decompose(const double f[3][3], double u[3][3], double s[3], double v[3][3]);
/* Adds the rows of a point and its energy. */
void stretch_add(const world_link *l, const stretch_point *point, link_rows *out);
/* Adds `volume` times strain and stress as they are shown. */
void stretch_describe(const world_link *l, const stretch_point *point, double strain[6],
                      double stress[6]);

#endif

/* Thin shells of flat triangles: a rectangle, or a mesh of a file (flexible_msh.c). Nodes turn, and
 * bear the mass of a third of each triangle about them. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "scene/build/flexible.h"

typedef struct plate {
  int axis[2]; /* along its sides */
  size_t cells[2];
} plate;

static scree_status fault(const flexible *f, const char *key, const char *what) {
  return scene_fault(&f->scene->doc, key ? scene_place(&f->k.head, key) : f->node, "%s", what);
}

static scree_status read_plate(flexible *f, plate *p) {
  int thin = -1, count = 0;
  if (!flexible_given(f, "lower") || !flexible_given(f, "upper") || !flexible_given(f, "cells"))
    return fault(f, NULL, "shell: either file, or lower, upper and cells are expected");
  for (int i = 0; i < 3; i++) {
    const double size = f->k.upper[i] - f->k.lower[i], n = f->k.cells[i];
    if (n != floor(n) || n > 1e4) return fault(f, "cells", "cells: whole numbers are expected");
    if (size == 0.0) {
      if (n != 1.0) return fault(f, "cells", "cells: 1 across the plane of a shell");
      thin = i;
      continue;
    }
    if (!(size > 0.0)) return fault(f, NULL, "shell: upper must lie above lower");
    if (count < 2) {
      p->axis[count] = i;
      p->cells[count] = (size_t)n;
    }
    count++;
  }
  if (thin < 0 || count != 2)
    return fault(f, NULL,
                 "shell: lower and upper must be alike along one axis, which is across it");
  if ((double)(p->cells[0] + 1) * (double)(p->cells[1] + 1) > 1e6)
    return fault(f, NULL, "shell: more than a million nodes");
  return SCREE_OK;
}

/* Two triangles per cell, by diagonals that change from cell to cell. */
static void lay_plate(const flexible *f, const plate *p, solid *s) {
  const size_t nx = p->cells[0] + 1;
  for (size_t k = 0; k < s->node_count; k++) {
    const size_t at[2] = {k % nx, k / nx};
    memcpy(s->at[k], f->k.lower, sizeof s->at[k]);
    for (int i = 0; i < 2; i++) {
      const int axis = p->axis[i];
      s->at[k][axis] +=
          (double)at[i] * ((f->k.upper[axis] - f->k.lower[axis]) / (double)p->cells[i]);
    }
  }
  for (size_t c = 0; c < p->cells[0] * p->cells[1]; c++) {
    const size_t x = c % p->cells[0], y = c / p->cells[0];
    const uint32_t a = (uint32_t)(x + nx * y), b = a + 1, d = a + (uint32_t)nx, e = d + 1;
    const uint32_t even[2][3] = {{a, b, e}, {a, e, d}}, odd[2][3] = {{a, b, d}, {b, e, d}};
    for (int t = 0; t < 2; t++)
      memcpy(s->element[2 * c + (size_t)t].node, (x + y) % 2 ? odd[t] : even[t], sizeof even[t]);
  }
}

/* What would make no shell of it: a thickness beyond its sides, and edges across it, which are all
 * of its nodes. */
static scree_status check_plate(flexible *f, const plate *p) {
  bool held[6] = {false};
  const int *axis = p->axis, across = 3 - axis[0] - axis[1];
  const double size =
      fmax(f->k.upper[axis[0]] - f->k.lower[axis[0]], f->k.upper[axis[1]] - f->k.lower[axis[1]]);
  if (f->k.thickness > size)
    return fault(f, "thickness", "thickness: more than the sides of the shell; take a block");
  const scree_status status = flexible_read_held(f, held);
  if (!status && (held[2 * across] || held[2 * across + 1]))
    return fault(f, "held",
                 "held: this is the direction across the shell, which has no edges there");
  return status;
}

scree_status flexible_build_shell(flexible *f) {
  plate p;
  if (!flexible_given(f, "thickness")) return fault(f, NULL, "shell: key 'thickness' is missing");
  if (f->k.file[0]) return flexible_build_mesh(f);
  scree_status status = read_plate(f, &p);
  if (!status) status = check_plate(f, &p);
  if (status) return status;
  scree_context *context = f->scene->context;
  solid s = {.node_count = (p.cells[0] + 1) * (p.cells[1] + 1),
             .element_count = 2 * p.cells[0] * p.cells[1],
             .corners = 3};
  s.at = memory_new(context, s.node_count, sizeof *s.at);
  s.element = memory_new(context, s.element_count, sizeof *s.element);
  if (s.at && s.element) {
    lay_plate(f, &p, &s);
    status = flexible_build_solid(f, &s);
  } else
    status = SCREE_ERROR_MEMORY;
  memory_free(context, s.at);
  memory_free(context, s.element);
  return status;
}

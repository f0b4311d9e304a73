/* A height field: a closed mesh whose top goes through a grid of heights, with upright sides down
 * to a flat bottom, so that it has an inside and a mass.
 *
 *      z   ___/\__        top: two triangles per cell
 *         |       |
 *         |_______|       bottom, `thickness` below the least height: a fan about its middle  */
#include "base/argument.h"
#include "shape/shape.h"

typedef struct field {
  size_t nx, ny;
  double *p;
  uint32_t *t;
  size_t count; /* indices */
} field;

static void add(field *f, size_t a, size_t b, size_t c) {
  f->t[f->count++] = (uint32_t)a;
  f->t[f->count++] = (uint32_t)b;
  f->t[f->count++] = (uint32_t)c;
}

/* The k-th vertex of the rim, counterclockwise from above, as a place in the grid. */
static size_t rim(const field *f, size_t k) {
  const size_t across = f->nx - 1, along = f->ny - 1;
  k %= 2 * (across + along);
  if (k < across) return k;
  k -= across;
  if (k < along) return across + k * f->nx;
  k -= along;
  if (k < across) return along * f->nx + across - k;
  return (along - (k - across)) * f->nx;
}

static void fill(field *f, const double *heights, const double spacing[2], double bottom) {
  const size_t n = f->nx * f->ny, around = 2 * (f->nx + f->ny - 2);
  for (size_t i = 0; i < n; i++) {
    const size_t row = i / f->nx;
    f->p[3 * i] = ((double)(i % f->nx) - 0.5 * (double)(f->nx - 1)) * spacing[0];
    f->p[3 * i + 1] = ((double)row - 0.5 * (double)(f->ny - 1)) * spacing[1];
    f->p[3 * i + 2] = heights[i];
  }
  for (size_t k = 0; k <= around; k++) { /* the rim's foot, and the middle of the bottom */
    double *x = f->p + 3 * (n + k);
    const double *top = f->p + 3 * rim(f, k);
    x[0] = k < around ? top[0] : 0;
    x[1] = k < around ? top[1] : 0;
    x[2] = bottom;
  }
  for (size_t j = 0; j + 1 < f->ny; j++)
    for (size_t i = 0; i + 1 < f->nx; i++) {
      const size_t a = j * f->nx + i, b = a + 1, c = b + f->nx, d = a + f->nx;
      const bool other = (i + j) % 2; /* diagonals take turns, so that no direction is preferred */
      add(f, a, b, other ? d : c);
      add(f, other ? b : a, c, d);
    }
  for (size_t k = 0; k < around; k++) {
    const size_t a = rim(f, k), b = rim(f, k + 1), c = n + k, d = n + (k + 1) % around;
    add(f, c, d, b);
    add(f, c, b, a);
    add(f, n + around, d, c);
  }
}

scree_status scree_shape_create_height_field(scree_context *context, size_t nx, size_t ny,
                                             const double *heights, const double spacing[2],
                                             double thickness, scree_shape **out) {
  ARGUMENT_CHECK(context, out);
  *out = NULL;
  if (nx < 2 || ny < 2 || nx > 30000 || ny > 30000 || nx * ny > 50000000)
    return context_fail(context, SCREE_ERROR_ARGUMENT,
                        "a height field of %zu x %zu heights; at least 2 x 2 are expected, at most "
                        "50,000,000",
                        nx, ny);
  for (int k = 0; k < 2; k++)
    if (shape_check_size(context, "height field", "spacing", spacing[k]))
      return SCREE_ERROR_ARGUMENT;
  double least = INFINITY;
  for (size_t i = 0; i < nx * ny; i++) {
    if (!isfinite(heights[i]))
      return context_fail(context, SCREE_ERROR_INPUT,
                          "height %zu in row %zu of a height field is not finite", i % nx, i / nx);
    least = fmin(least, heights[i]);
  }
  if (thickness == 0)
    thickness = 0.1 * fmax((double)(nx - 1) * spacing[0], (double)(ny - 1) * spacing[1]);
  if (shape_check_size(context, "height field", "thickness", thickness))
    return SCREE_ERROR_ARGUMENT;
  const size_t around = 2 * (nx + ny - 2), vertices = nx * ny + around + 1,
               triangles = 2 * (nx - 1) * (ny - 1) + 3 * around;
  field f = {.nx = nx, .ny = ny};
  f.p = memory_new(context, 3 * vertices, sizeof *f.p);
  f.t = memory_new(context, 3 * triangles, sizeof *f.t);
  scree_status status = SCREE_ERROR_MEMORY;
  if (f.p && f.t) {
    fill(&f, heights, spacing, least - thickness);
    status = scree_shape_create_mesh(context, vertices, f.p, triangles, f.t, out);
  }
  memory_free(context, f.p);
  memory_free(context, f.t);
  return status;
}

/* What all shapes share: the table, references, bounds and mass.
 *
 * Mass comes from moments of unit density about the origin, m0 = ∫1, m1 = ∫x, m2 = ∫x x':
 *   c = m1/m0,   C = m2 - m0 c c',   inertia about c = density (tr(C) 1 - C). */
#include "shape/shape.h"
#include "base/argument.h"

#define SHAPE_OPS_ROW(kind, name) [SCREE_SHAPE_##kind] = &shape_##name##_ops,
const shape_ops *const shape_ops_table[SCREE_SHAPE_KIND_COUNT] = {SHAPE_LIST(SHAPE_OPS_ROW)};
#undef SHAPE_OPS_ROW

shape *shape_new(scree_context *context, scree_shape_kind kind) {
  shape *s = memory_new(context, 1, sizeof *s);
  if (!s) return NULL;
  s->kind = kind;
  s->references = 1;
  s->context = context;
  return s;
}

scree_status shape_check_size(scree_context *context, const char *owner, const char *what,
                              double value) {
  if (value > 0 && isfinite(value)) return SCREE_OK;
  return context_fail(context, SCREE_ERROR_ARGUMENT,
                      "%s of a %s is %g; it must be a positive, finite length in metres", what,
                      owner, value);
}

scree_shape *scree_shape_retain(scree_shape *s) {
  if (s) s->references++;
  return s;
}

void scree_shape_destroy(scree_shape *s) {
  if (!s || --s->references > 0) return;
  if (shape_ops_table[s->kind]->clear) shape_ops_table[s->kind]->clear(s);
  memory_free(s->context, s);
}

scree_shape_kind scree_shape_get_kind(const scree_shape *s) {
  if (!s) return (scree_shape_kind){0};
  return s->kind;
}

const char *scree_shape_kind_name(scree_shape_kind kind) {
  return (unsigned)kind < SCREE_SHAPE_KIND_COUNT ? shape_ops_table[kind]->name : "";
}

void scree_shape_get_bounds(const scree_shape *s, const double position[3],
                            const double rotation[4], double lower[3], double upper[3]) {
  if (!s || !position || !rotation || !lower || !upper) return;
  const quat q = {rotation[0], rotation[1], rotation[2], rotation[3]};
  const aabb b = shape_bounds(s, (pose){v3_load(position), quat_normalize(q)});
  v3_store(lower, b.lo);
  v3_store(upper, b.hi);
}

aabb shape_bounds_from_support(const shape *s, pose p) {
  const m33 r = quat_to_m33(p.rotation);
  double lo[3], hi[3];
  for (int i = 0; i < 3; i++) {
    const v3 d = {r.m[i][0], r.m[i][1], r.m[i][2]};
    hi[i] = v3_dot(d, shape_support(s, d));
    lo[i] = v3_dot(d, shape_support(s, v3_neg(d)));
  }
  return (aabb){v3_add(p.position, v3_load(lo)), v3_add(p.position, v3_load(hi))};
}

void shape_add_triangle_moments(v3 a, v3 b, v3 c, double *volume, v3 *first, double second[6]) {
  const double v = v3_dot(a, v3_cross(b, c)) / 6.0;
  const v3 s = v3_add(a, v3_add(b, c));
  const double pa[3] = {a.x, a.y, a.z}, pb[3] = {b.x, b.y, b.z}, pc[3] = {c.x, c.y, c.z},
               ps[3] = {s.x, s.y, s.z};
  *volume += v;
  *first = v3_add_scaled(*first, 0.25 * v, s);
  int k = 0;
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++)
      second[k++] += v / 20.0 * (pa[i] * pa[j] + pb[i] * pb[j] + pc[i] * pc[j] + ps[i] * ps[j]);
}

/* Jacobi rotations: exact enough for any symmetric 3x3 and keeps an already diagonal one as it is,
 * so that axes of simple shapes stay where they are. On return a is diagonal, q holds the axes. */
static void shape_diagonalize(m33 *a, m33 *q) {
  *q = (m33){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const double scale = fabs(a->m[0][0]) + fabs(a->m[1][1]) + fabs(a->m[2][2]);
  for (int sweep = 0; sweep < 30; sweep++) {
    const double off = fabs(a->m[0][1]) + fabs(a->m[0][2]) + fabs(a->m[1][2]);
    if (off <= 1e-17 * scale) break;
    for (int i = 0; i < 2; i++)
      for (int j = i + 1; j < 3; j++) {
        if (a->m[i][j] == 0) continue;
        const double theta = 0.5 * (a->m[j][j] - a->m[i][i]) / a->m[i][j];
        const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
        const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
        for (int k = 0; k < 3; k++) {
          const double x = a->m[k][i], y = a->m[k][j];
          a->m[k][i] = c * x - s * y;
          a->m[k][j] = s * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
          const double x = a->m[i][k], y = a->m[j][k];
          a->m[i][k] = c * x - s * y;
          a->m[j][k] = s * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
          const double x = q->m[k][i], y = q->m[k][j];
          q->m[k][i] = c * x - s * y;
          q->m[k][j] = s * x + c * y;
        }
      }
  }
}

static quat shape_quat_from_axes(const m33 *r) {
  const double t = r->m[0][0] + r->m[1][1] + r->m[2][2];
  const double w2 = 1 + t, x2 = 1 + 2 * r->m[0][0] - t, y2 = 1 + 2 * r->m[1][1] - t,
               z2 = 1 + 2 * r->m[2][2] - t;
  const double zy = r->m[2][1] - r->m[1][2], xz = r->m[0][2] - r->m[2][0],
               yx = r->m[1][0] - r->m[0][1], xy = r->m[0][1] + r->m[1][0],
               zx = r->m[0][2] + r->m[2][0], yz = r->m[1][2] + r->m[2][1];
  if (w2 >= x2 && w2 >= y2 && w2 >= z2) return quat_normalize((quat){w2, zy, xz, yx});
  if (x2 >= y2 && x2 >= z2) return quat_normalize((quat){zy, x2, xy, zx});
  if (y2 >= z2) return quat_normalize((quat){xz, xy, y2, yz});
  return quat_normalize((quat){yx, zx, yz, z2});
}

scree_status scree_shape_get_mass(const scree_shape *s, double density, scree_mass *mass) {
  ARGUMENT_CHECK(s ? s->context : NULL, s && mass);
  const shape_ops *ops = shape_ops_table[s->kind];
  *mass = (scree_mass){.rotation = {1, 0, 0, 0}};
  if (!(density > 0) || !isfinite(density))
    return context_fail(s->context, SCREE_ERROR_ARGUMENT,
                        "density of a %s is %g; it must be positive and finite, in kg/m^3",
                        ops->name, density);
  double volume = 0, m2[6] = {0};
  v3 m1 = {0, 0, 0};
  if (s->kind == SCREE_SHAPE_MESH && !s->mesh.closed)
    return context_fail(
        s->context, SCREE_ERROR_UNSUPPORTED,
        "a mesh that is not closed (%zu open edges, %zu holes) has no mass; close it, "
        "give the body a mass and an inertia, or make it fixed or prescribed",
        s->mesh.report.open_edges, s->mesh.report.holes);
  if (!ops->moments || !ops->moments(s, &volume, &m1, m2))
    return context_fail(s->context, SCREE_ERROR_UNSUPPORTED,
                        "a %s has no mass (no end, or not a closed surface); give the body a mass, "
                        "or make it fixed or prescribed",
                        ops->name);
  if (!(volume > 0) || !isfinite(volume))
    return context_fail(
        s->context, SCREE_ERROR_INPUT,
        "the volume of a %s comes out as %g m^3; are its triangles counterclockwise "
        "from outside?",
        ops->name, volume);
  const v3 c = v3_scale(1.0 / volume, m1);
  const double pc[3] = {c.x, c.y, c.z};
  double cov[6];
  int k = 0;
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++, k++) cov[k] = density * (m2[k] - volume * pc[i] * pc[j]);
  const double trace = cov[0] + cov[3] + cov[5];
  const double inertia[6] = {trace - cov[0], -cov[1], -cov[2],
                             trace - cov[3], -cov[4], trace - cov[5]};
  for (int i = 0; i < 6; i++) mass->inertia[i] = inertia[i];
  m33 a = {{{inertia[0], inertia[1], inertia[2]},
            {inertia[1], inertia[3], inertia[4]},
            {inertia[2], inertia[4], inertia[5]}}};
  m33 axes;
  shape_diagonalize(&a, &axes);
  const quat q = shape_quat_from_axes(&axes);
  mass->mass = density * volume;
  mass->volume = volume;
  v3_store(mass->center, c);
  for (int i = 0; i < 3; i++) mass->principal[i] = a.m[i][i];
  mass->rotation[0] = q.w;
  mass->rotation[1] = q.x;
  mass->rotation[2] = q.y;
  mass->rotation[3] = q.z;
  return SCREE_OK;
}

/* Flexible parts of beam elements that are no straight line:
 *
 *   ring    a closed polygon of n elements, free of stress as it is built. A node is the rigid
 * piece of beam about a corner, along the tangent; the height of its section lies along the radius.
 *   net     cables along x and y at one height, tied where they cross. A node is a cross: halves of
 *           the four cables that meet there, with their mass and inertia; elements run from cross
 * to cross. */
#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "scene/build/flexible.h"

static const double pi = 3.141592653589793;

static scree_status fault(const flexible *f, const char *what) {
  return scene_fault(&f->scene->doc, f->node, "%s", what);
}

/* ---- rings ---------------------------------------------------------------------------------- */

typedef struct ring {
  v3 center, axis, first, second; /* a right-handed frame */
  double radius;
  long count;
} ring;

static v3 outward(const ring *r, double turn) {
  const double angle = 2.0 * pi * turn / (double)r->count;
  return v3_add_scaled(v3_scale(cos(angle), r->first), sin(angle), r->second);
}

static v3 corner(const ring *r, long k) {
  return v3_add_scaled(r->center, r->radius, outward(r, (double)k));
}

static scree_status read_ring(flexible *f, ring *r) {
  if (flexible_given(f, "radius") == flexible_given(f, "section"))
    return fault(f, "ring: either radius or section is expected");
  if (!flexible_given(f, "ring_radius")) return fault(f, "ring: key 'ring_radius' is missing");
  if (f->k.elements < 6) return fault(f, "ring: at least 6 elements are expected");
  const v3 axis = v3_load(f->k.axis);
  if (!(v3_norm(axis) > 0.0)) return fault(f, "ring: its axis must not be zero");
  r->center = v3_load(f->k.center);
  r->axis = v3_normalize(axis);
  const v3 to = fabs(r->axis.x) < 0.9 ? v3_make(1, 0, 0) : v3_make(0, 1, 0);
  r->first = v3_normalize(v3_add_scaled(to, -v3_dot(to, r->axis), r->axis));
  r->second = v3_cross(r->axis, r->first);
  r->radius = f->k.ring_radius;
  r->count = f->k.elements;
  const double thick = flexible_given(f, "radius") ? 2.0 * f->k.radius : f->k.section[1];
  if (!(thick < r->radius)) return fault(f, "ring: it must be thinner than its radius");
  if (f->k.collide && flexible_given(f, "radius") &&
      2.0 * r->radius * sin(pi / (double)r->count) < 2.2 * f->k.radius)
    return fault(f, "ring: elements are shorter than 2.2 radii, so that nodes would touch the next "
                    "but one; take fewer, or collide: false");
  return SCREE_OK;
}

scree_status flexible_build_ring(flexible *f) {
  ring r;
  scree_status status = read_ring(f, &r);
  if (!status) status = flexible_begin(f);
  if (status) return status;
  const size_t first = f->scene->body_count;
  const beam_section section = flexible_section(f);
  const double chord = 2.0 * r.radius * sin(pi / (double)r.count);
  for (long k = 0; k < r.count && !status; k++) {
    const v3 up = outward(&r, (double)k), along = v3_cross(r.axis, up);
    const v3 axes[3] = {along, v3_cross(up, along), up};
    status = flexible_add_segment(f, axes, &section, corner(&r, k), chord);
  }
  scree_link_def d = flexible_beam_link(f, &section);
  for (long k = 0; k < r.count && !status; k++) {
    const long next = (k + 1) % r.count;
    d.body[0] = f->scene->bodies[first + (size_t)k];
    d.body[1] = f->scene->bodies[first + (size_t)next];
    v3_store(d.point[0], corner(&r, k));
    v3_store(d.point[1], corner(&r, next));
    v3_store(d.up, outward(&r, (double)k + 0.5));
    status = flexible_told(f, scree_world_add_link(f->world, &d, NULL));
  }
  return status;
}

/* ---- nets ----------------------------------------------------------------------------------- */

typedef struct net {
  long cells[2];
  double size[2]; /* of a cell */
  bool held[6];
} net;

static scree_status read_net(flexible *f, net *n) {
  memset(n, 0, sizeof *n);
  if (!flexible_given(f, "radius") || flexible_given(f, "section"))
    return fault(f, "net: its cables have a radius, and no section");
  if (!flexible_given(f, "lower") || !flexible_given(f, "upper") || !flexible_given(f, "cells"))
    return fault(f, "net: keys lower, upper and cells are expected");
  if (f->k.lower[2] != f->k.upper[2]) return fault(f, "net: lower and upper must be of one height");
  double all = 1.0;
  for (int i = 0; i < 2; i++) {
    if (f->k.cells[i] != floor(f->k.cells[i]) || f->k.cells[i] > 1e4)
      return scene_fault(&f->scene->doc, scene_place(&f->k.head, "cells"),
                         "cells: whole numbers are expected");
    n->cells[i] = (long)f->k.cells[i];
    n->size[i] = (f->k.upper[i] - f->k.lower[i]) / f->k.cells[i];
    all *= f->k.cells[i] + 1.0;
    if (!(n->size[i] > 2.2 * f->k.radius))
      return fault(f, "net: cells must be wider than 2.2 radii, and upper above lower");
  }
  if (f->k.cells[2] != 1.0)
    return scene_fault(&f->scene->doc, scene_place(&f->k.head, "cells"),
                       "cells: the third number of a net is 1");
  if (all > 1e6) return fault(f, "net: more than a million nodes");
  const scree_status status = flexible_read_held(f, n->held);
  if (!status && (n->held[4] || n->held[5])) return fault(f, "net: edges are x-, x+, y- and y+");
  return status;
}

/* How far the cables along an axis reach to both sides of a node, m. */
static void reach(const net *n, int axis, const long at[2], double out[2]) {
  out[0] = at[axis] > 0 ? 0.5 * n->size[axis] : 0.0;
  out[1] = at[axis] < n->cells[axis] ? 0.5 * n->size[axis] : 0.0;
}

static scree_status cross_shape(flexible *f, const net *n, const long at[2], const double *center,
                                scree_shape **shape) {
  scree_shape_part part[2];
  scree_status status = SCREE_OK;
  size_t count = 0;
  *shape = NULL;
  if (!f->k.collide) return SCREE_OK;
  memset(part, 0, sizeof part);
  for (int i = 0; i < 2 && !status; i++) {
    double r[2];
    reach(n, i, at, r);
    status = scree_shape_create_capsule(f->scene->context, f->k.radius, 0.5 * (r[0] + r[1]),
                                        &part[count].shape);
    if (status) break;
    part[count].position[i] = 0.5 * (r[1] - r[0]) - center[i];
    part[count].position[1 - i] = -center[1 - i];
    part[count].rotation[0] = sqrt(0.5); /* z to x: about y; z to y: about -x */
    part[count].rotation[i == 0 ? 2 : 1] = i == 0 ? sqrt(0.5) : -sqrt(0.5);
    count++;
  }
  if (!status) status = scree_shape_create_compound(f->scene->context, count, part, shape);
  for (size_t k = 0; k < count; k++) scree_shape_destroy(part[k].shape);
  return flexible_told(f, status);
}

/* The halves of cables about node `at`: rods along x and y. */
static scree_status add_cross(flexible *f, const net *n, const beam_section *s, const long at[2]) {
  scree_body_def d = scree_body_def_default();
  double center[2] = {0.0, 0.0}, r[2][2], rod[2], mass = 0.0;
  const bool held = (n->held[0] && at[0] == 0) || (n->held[1] && at[0] == n->cells[0]) ||
                    (n->held[2] && at[1] == 0) || (n->held[3] && at[1] == n->cells[1]);
  for (int i = 0; i < 2; i++) {
    reach(n, i, at, r[i]);
    rod[i] = f->k.density * s->area * (r[i][0] + r[i][1]);
    mass += rod[i];
    center[i] += rod[i] * 0.5 * (r[i][1] - r[i][0]);
  }
  for (int i = 0; i < 2; i++) center[i] /= mass;
  double inertia[3] = {0.0, 0.0, 0.0}, across = 0.0;
  for (int i = 0; i < 2; i++) {
    const double length = r[i][0] + r[i][1], off = 0.5 * (r[i][1] - r[i][0]) - center[i];
    const double side = center[1 - i]; /* across the rod, which passes through 0 */
    const double own = f->k.density * s->inertia_y * length;
    const double far = rod[i] * (length * length / 12.0 + off * off);
    inertia[i] += 2.0 * own + rod[i] * side * side;
    inertia[1 - i] += own + far;
    inertia[2] += own + far + rod[i] * side * side;
    across -= rod[i] * off * -side;
  }
  for (int i = 0; i < 2; i++)
    d.position[i] = f->k.lower[i] + (double)at[i] * n->size[i] + center[i];
  d.position[2] = f->k.lower[2];
  d.kind = held ? SCREE_BODY_FIXED : SCREE_BODY_DYNAMIC;
  d.mass = mass;
  d.inertia[0] = inertia[0], d.inertia[1] = across;
  d.inertia[3] = inertia[1], d.inertia[5] = inertia[2];
  d.material = f->material;
  flexible_set_motion(f, &d);
  scree_status status = cross_shape(f, n, at, center, &d.shape);
  if (!status) status = scene_add_body(f->scene, f->world, &d, f->node);
  scree_shape_destroy(d.shape);
  return status;
}

scree_status flexible_build_net(flexible *f) {
  net n;
  scree_status status = read_net(f, &n);
  if (!status) status = flexible_begin(f);
  if (status) return status;
  const beam_section section = flexible_section(f);
  const size_t first = f->scene->body_count, width = (size_t)n.cells[0] + 1;
  for (long y = 0; y <= n.cells[1] && !status; y++)
    for (long x = 0; x <= n.cells[0] && !status; x++)
      status = add_cross(f, &n, &section, (const long[2]){x, y});
  scree_link_def d = flexible_beam_link(f, &section);
  d.up[2] = 1.0;
  for (long y = 0; y <= n.cells[1] && !status; y++)
    for (long x = 0; x <= n.cells[0] && !status; x++)
      for (int i = 0; i < 2 && !status; i++) {
        const long next[2] = {x + (i == 0), y + (i == 1)};
        if (next[i] > n.cells[i]) continue;
        d.body[0] = f->scene->bodies[first + (size_t)x + width * (size_t)y];
        d.body[1] = f->scene->bodies[first + (size_t)next[0] + width * (size_t)next[1]];
        const double from[3] = {f->k.lower[0] + (double)x * n.size[0],
                                f->k.lower[1] + (double)y * n.size[1], f->k.lower[2]};
        memcpy(d.point[0], from, sizeof from);
        memcpy(d.point[1], from, sizeof from);
        d.point[1][i] += n.size[i];
        status = flexible_told(f, scree_world_add_link(f->world, &d, NULL));
      }
  return status;
}

/* Cables: n elements between n + 1 nodes, each node a place and the handle of its slope
 * (model/link/cable.c), both point masses; names count the places first, then the handles. A node
 * is a ball that touches others, a handle touches nothing.
 *
 * A clamped end: its place is held and its handle may slide along the cable alone, so that
 * direction is held and stretch is not. */
#include <math.h>

#include "scene/build/flexible.h"

typedef struct cable {
  v3 along;
  double length, piece, handle;
  beam_end ends[2];
  scree_link_def link;
  size_t first; /* of its bodies */
} cable;

static scree_status read_cable(flexible *f, cable *c) {
  scree_status status = flexible_read_line(f, &c->along, &c->length);
  if (!status && !flexible_given(f, "radius"))
    status = scene_fault(&f->scene->doc, f->node, "cable: key 'radius' is missing");
  if (!status) status = flexible_read_ends(f, c->ends);
  if (status) return status;
  c->piece = c->length / (double)f->k.elements;
  c->handle = c->piece / 3.0;
  if (f->k.collide && c->piece < 1.1 * f->k.radius)
    return scene_fault(&f->scene->doc, f->node,
                       "cable: elements are shorter than 1.1 radii, so that nodes would touch the "
                       "next but one; take at most %.0f, or collide: false",
                       fmax(floor(c->length / (1.1 * f->k.radius)), 1.0));
  const beam_section section = flexible_section(f);
  c->link = scree_link_def_default();
  c->link.kind = SCREE_LINK_CABLE;
  c->link.young = f->k.young;
  c->link.density = f->k.density;
  c->link.rayleigh = f->k.rayleigh;
  c->link.drag = f->k.rayleigh_mass;
  c->link.area = section.area;
  c->link.inertia_y = section.inertia_y;
  return SCREE_OK;
}

static v3 place_of(const flexible *f, const cable *c, long node, bool handle) {
  return v3_add_scaled(v3_load(f->k.start), c->piece * (double)node + (handle ? c->handle : 0.0),
                       c->along);
}

static scree_status add_nodes(flexible *f, const cable *c) {
  const long n = f->k.elements;
  double at[4][3], mass[4];
  scree_shape *ball = NULL;
  for (int k = 0; k < 4; k++) v3_store(at[k], place_of(f, c, k / 2, k % 2));
  scree_status status =
      flexible_told(f, scree_world_get_link_masses(f->world, &c->link, at[0], mass));
  if (!status && f->k.collide)
    status = flexible_told(f, scree_shape_create_sphere(f->scene->context, f->k.radius, &ball));
  for (int handle = 0; handle < 2; handle++)
    for (long k = 0; k <= n && !status; k++) {
      const beam_end *end = k == 0 ? &c->ends[0] : k == n ? &c->ends[1] : NULL;
      const bool fixed = end && end->clamped && end->body.generation == 0;
      scree_body_def d = scree_body_def_default();
      v3_store(d.position, place_of(f, c, k, handle));
      d.kind = fixed && !handle ? SCREE_BODY_FIXED : SCREE_BODY_DYNAMIC;
      d.mass = (k < n ? mass[handle] : 0.0) + (k > 0 ? mass[2 + handle] : 0.0);
      d.point = true;
      d.inertia[0] = d.inertia[3] = d.inertia[5] = 0.4 * d.mass * f->k.radius * f->k.radius;
      d.shape = handle ? NULL : ball;
      d.material = f->material;
      flexible_set_motion(f, &d);
      status = scene_add_body(f->scene, f->world, &d, f->node);
    }
  scree_shape_destroy(ball);
  return status;
}

static scree_status hold_end(flexible *f, const cable *c, int end) {
  const long n = f->k.elements, node = end ? n : 0;
  scree_status status = SCREE_OK;
  if (!c->ends[end].clamped) return status;
  for (int handle = c->ends[end].body.generation ? 0 : 1; handle < 2 && !status; handle++) {
    scree_joint_def d = scree_joint_def_default();
    d.kind = handle ? SCREE_JOINT_POINT_ON_LINE : SCREE_JOINT_BALL;
    d.body_a = c->ends[end].body;
    d.body_b = f->scene->bodies[c->first + (size_t)(handle * (n + 1) + node)];
    v3_store(d.anchor, place_of(f, c, node, handle));
    v3_store(d.axis, c->along);
    status = flexible_told(f, scree_world_add_joint(f->world, &d, NULL));
  }
  return status;
}

scree_status flexible_build_cable(flexible *f) {
  cable c = {.first = f->scene->body_count};
  scree_status status = read_cable(f, &c);
  if (!status) status = flexible_begin(f);
  if (!status) status = add_nodes(f, &c);
  for (long e = 0; e < f->k.elements && !status; e++) {
    for (int k = 0; k < 4; k++)
      c.link.body[k] =
          f->scene->bodies[c.first + (size_t)((k % 2) * (f->k.elements + 1) + e + k / 2)];
    status = flexible_told(f, scree_world_add_link(f->world, &c.link, NULL));
  }
  for (int end = 0; end < 2 && !status; end++) status = hold_end(f, &c, end);
  return status;
}

/* Masses of geoms and of the bodies that they make.
 *
 * A moment of inertia about a point at d from the centre of mass is I + m (|d|^2 1 - d d'); turned
 * by R it is R I R'. Solids: ball 2/5 m r^2; ellipsoid m (b^2 + c^2)/5; box with half edges a:
 * m (b^2 + c^2)/3; cylinder of half length l: m r^2/2 along, m (r^2/4 + l^2/3) across; a capsule is
 * a cylinder and two half balls, whose centres lie 3/8 r outside its ends:
 * I_across(half ball about the end of the cylinder's axis) = 2/5 m r^2, about the middle
 * 2/5 m r^2 + m (l^2 + 3/4 l r). */
#include <math.h>

#include "io/mesh/import.h"
#include "scene/import/robot.h"
#include "scree/shape.h"

static const double pi = 3.14159265358979324;

/* I += m (|d|^2 1 - d d') */
static void shift_inertia(double inertia[6], double mass, v3 d) {
  const double n = v3_norm2(d);
  inertia[0] += mass * (n - d.x * d.x);
  inertia[1] -= mass * d.x * d.y;
  inertia[2] -= mass * d.x * d.z;
  inertia[3] += mass * (n - d.y * d.y);
  inertia[4] -= mass * d.y * d.z;
  inertia[5] += mass * (n - d.z * d.z);
}

void robot_turn_inertia(const double in[6], quat turn, double out[6]) {
  const m33 a = quat_to_m33(turn);
  const m33 s = {{{in[0], in[1], in[2]}, {in[1], in[3], in[4]}, {in[2], in[4], in[5]}}};
  const m33 b = m33_mul(&a, &s);
  int k = 0;
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++)
      out[k++] = b.m[i][0] * a.m[j][0] + b.m[i][1] * a.m[j][1] + b.m[i][2] * a.m[j][2];
}

void robot_add_mass(robot_mass *sum, const robot_mass *part, pose place) {
  if (part->mass == 0.0) return;
  const v3 c = pose_apply(place, part->center);
  double inertia[6];
  robot_turn_inertia(part->inertia, place.rotation, inertia);
  const double total = sum->mass + part->mass;
  const v3 center =
      v3_scale(1.0 / total, v3_add_scaled(v3_scale(sum->mass, sum->center), part->mass, c));
  shift_inertia(sum->inertia, sum->mass, v3_sub(sum->center, center));
  shift_inertia(inertia, part->mass, v3_sub(c, center));
  for (int k = 0; k < 6; k++) sum->inertia[k] += inertia[k];
  sum->mass = total;
  sum->center = center;
}

/* Eigenvalues of a symmetric matrix xx xy xz yy yz zz, ascending, by the angle of its invariants;
 * good to about 1e-8 of the largest, which is enough to judge. */
void robot_principal_inertia(const double s[6], double out[3]) {
  const double mean = (s[0] + s[3] + s[5]) / 3.0;
  const double a = s[0] - mean, b = s[3] - mean, c = s[5] - mean;
  const double p2 = a * a + b * b + c * c + 2.0 * (s[1] * s[1] + s[2] * s[2] + s[4] * s[4]);
  const double p = sqrt(p2 / 6.0);
  if (!(p > 0.0)) {
    out[0] = out[1] = out[2] = mean;
    return;
  }
  const double det =
      a * (b * c - s[4] * s[4]) - s[1] * (s[1] * c - s[4] * s[2]) + s[2] * (s[1] * s[4] - b * s[2]);
  const double angle = acos(fmax(-1.0, fmin(1.0, det / (2.0 * p * p * p)))) / 3.0;
  out[2] = mean + 2.0 * p * cos(angle);
  out[0] = mean + 2.0 * p * cos(angle + 2.0943951023931955);
  out[1] = 3.0 * mean - out[0] - out[2];
}

void robot_balance_inertia(double inertia[6]) {
  double p[3];
  robot_principal_inertia(inertia, p);
  if (p[0] > 0.0 && p[0] + p[1] >= p[2]) return;
  const double mean = (inertia[0] + inertia[3] + inertia[5]) / 3.0;
  for (int k = 0; k < 6; k++) inertia[k] = k == 0 || k == 3 || k == 5 ? mean : 0.0;
}

/* Of density 1, about the geom's origin, which is its centre; mass 0: not a simple solid. */
static void weigh_simple(const robot_geom *g, robot_mass *m) {
  const double *s = g->size, r = s[0], l = s[1];
  *m = (robot_mass){0};
  double ix = 0.0, iy = 0.0, iz = 0.0;
  if (g->kind == ROBOT_SPHERE) {
    m->mass = 4.0 / 3.0 * pi * r * r * r;
    ix = iy = iz = 0.4 * m->mass * r * r;
  } else if (g->kind == ROBOT_ELLIPSOID) {
    m->mass = 4.0 / 3.0 * pi * s[0] * s[1] * s[2];
    ix = 0.2 * m->mass * (s[1] * s[1] + s[2] * s[2]);
    iy = 0.2 * m->mass * (s[0] * s[0] + s[2] * s[2]);
    iz = 0.2 * m->mass * (s[0] * s[0] + s[1] * s[1]);
  } else if (g->kind == ROBOT_BOX) {
    m->mass = 8.0 * s[0] * s[1] * s[2];
    ix = m->mass * (s[1] * s[1] + s[2] * s[2]) / 3.0;
    iy = m->mass * (s[0] * s[0] + s[2] * s[2]) / 3.0;
    iz = m->mass * (s[0] * s[0] + s[1] * s[1]) / 3.0;
  } else if (g->kind == ROBOT_CYLINDER || g->kind == ROBOT_CAPSULE) {
    const double tube = 2.0 * pi * r * r * l;
    m->mass = tube;
    iz = 0.5 * tube * r * r;
    ix = tube * (0.25 * r * r + l * l / 3.0);
    if (g->kind == ROBOT_CAPSULE) {
      const double ball = 4.0 / 3.0 * pi * r * r * r;
      m->mass += ball;
      iz += 0.4 * ball * r * r;
      ix += ball * (0.4 * r * r + l * l + 0.75 * l * r);
    }
    iy = ix;
  }
  m->inertia[0] = ix;
  m->inertia[3] = iy;
  m->inertia[5] = iz;
}

/* All pyramids over the faces from the mean point of the surface, those that lie outside as well:
 * more than the volume where the mesh is not convex. */
static double counted_volume(const mesh_import *mesh) {
  v3 mean = {0, 0, 0};
  double area = 0.0, volume = 0.0;
  for (int pass = 0; pass < 2; pass++)
    for (size_t t = 0; t < mesh->triangle_count; t++) {
      v3 p[3];
      for (int k = 0; k < 3; k++)
        p[k] = v3_load(mesh->vertices + 3 * (size_t)mesh->triangles[3 * t + (size_t)k]);
      const v3 twice = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]));
      const v3 center = v3_scale(1.0 / 3.0, v3_add(p[0], v3_add(p[1], p[2])));
      if (pass) {
        volume += fabs(v3_dot(v3_sub(center, mean), twice)) / 6.0;
      } else {
        mean = v3_add_scaled(mean, v3_norm(twice), center);
        area += v3_norm(twice);
      }
      if (!pass && t + 1 == mesh->triangle_count && area > 0.0) mean = v3_scale(1.0 / area, mean);
    }
  return volume;
}

static scree_status mesh_shape(robot *r, robot_geom *g, bool convex, scree_shape **shape) {
  scene_document *doc = r->doc;
  const scene_node at = xml_place(g->at, NULL);
  uint32_t file;
  scree_status status = scene_open_file(doc, &at, g->path_file, g->path, &file);
  if (status) return status;
  mesh_import mesh;
  char why[256];
  status = mesh_import_load(doc->context, g->path, doc->files[file].bytes, doc->files[file].size,
                            !doc->sealed, &mesh, why, sizeof why);
  if (status == SCREE_ERROR_MEMORY) return status;
  if (status) return robot_fault(r, g->at, NULL, "'%s' is no mesh: %s", g->path, why);
  for (size_t i = 0; i < mesh.vertex_count; i++) {
    mesh.vertices[3 * i] *= g->stretch.x;
    mesh.vertices[3 * i + 1] *= g->stretch.y;
    mesh.vertices[3 * i + 2] *= g->stretch.z;
  }
  g->counted = counted_volume(&mesh);
  status = convex ? scree_shape_create_hull(doc->context, mesh.vertex_count, mesh.vertices, shape)
                  : scree_shape_create_mesh(doc->context, mesh.vertex_count, mesh.vertices,
                                            mesh.triangle_count, mesh.triangles, shape);
  mesh_import_clear(doc->context, &mesh);
  return status;
}

/* Hulls and meshes are weighed by the shapes that they become. */
static scree_status weigh_shape(robot *r, robot_geom *g, robot_mass *m) {
  scree_shape *shape = NULL;
  scree_mass s;
  scree_status status;
  if (g->kind == ROBOT_HULL) {
    status = scree_shape_create_hull(r->doc->context, g->point_count, g->points, &shape);
  } else { /* contacts are those of the hull; mass is that of the mesh itself, if it is closed */
    status = mesh_shape(r, g, g->weighs_as_hull, &shape);
    if (!status && scree_shape_get_mass(shape, 1.0, &s)) {
      scree_shape_destroy(shape);
      shape = NULL;
      status = mesh_shape(r, g, true, &shape);
      robot_note(r, g->at, NULL, "mesh '%s' is not closed: it weighs as its hull", g->path);
    }
  }
  if (!status) status = scree_shape_get_mass(shape, 1.0, &s);
  scree_shape_destroy(shape);
  if (status == SCREE_ERROR_MEMORY || (status && r->doc->fault_count)) return status;
  if (status)
    return robot_fault(r, g->at, NULL, "its mass cannot be found: %s",
                       scree_context_message(r->doc->context));
  if (g->kind == ROBOT_MESH && g->counts && !g->weighs_as_hull &&
      fabs(g->counted - s.mass) > 1e-3 * s.mass)
    robot_note(r, g->at, NULL,
               "mesh '%s' is not convex: it weighs as its own volume; MuJoCo counts more, unless "
               "the mesh has inertia=\"exact\"",
               g->path);
  m->mass = s.mass;
  m->center = v3_load(s.center);
  for (int k = 0; k < 6; k++) m->inertia[k] = s.inertia[k];
  return SCREE_OK;
}

scree_status robot_weigh_geom(robot *r, robot_geom *g, robot_mass *mass) {
  robot_mass unit;
  weigh_simple(g, &unit);
  *mass = (robot_mass){0};
  if (g->mass == 0.0 || g->kind == ROBOT_PLANE || g->kind == ROBOT_FIELD) return SCREE_OK;
  if ((g->kind == ROBOT_MESH && !g->path) || (g->kind == ROBOT_HULL && !g->points))
    return SCREE_OK; /* it was left out */
  if (g->kind == ROBOT_HULL || g->kind == ROBOT_MESH) {
    const scree_status status = weigh_shape(r, g, &unit);
    if (status) return status;
  }
  const double scale = g->mass > 0.0 ? g->mass / unit.mass : g->density;
  if (!(unit.mass > 0.0) || !isfinite(scale)) return SCREE_OK;
  unit.mass *= scale;
  for (int k = 0; k < 6; k++) unit.inertia[k] *= scale;
  robot_add_mass(mass, &unit, pose_mul(g->place, g->shift));
  return SCREE_OK;
}

scree_status robot_weigh(robot *r) {
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < r->geom_count && !status; i++) {
    robot_body *b = r->geom_body[i] == SIZE_MAX ? NULL : &r->bodies[r->geom_body[i]];
    if (!b || b->has_mass || !r->geoms[i].weighed) continue;
    robot_mass part, sum = {b->mass, b->center, {0}};
    status = robot_weigh_geom(r, &r->geoms[i], &part);
    if (status) break;
    for (int k = 0; k < 6; k++) sum.inertia[k] = b->inertia[k];
    robot_add_mass(&sum, &part, pose_identity());
    b->mass = sum.mass;
    b->center = sum.center;
    for (int k = 0; k < 6; k++) b->inertia[k] = sum.inertia[k];
  }
  return status;
}

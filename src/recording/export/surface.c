/* Surfaces of bodies as triangles, for programs that cannot draw the shapes themselves. Round
 * shapes are turned profiles: a list of (radius, z) from the lower end of the axis to the upper,
 * with radius 0 where the axis is met. Shapes without end are cut: a half-space to a square below
 * the bodies of the first frame, containers to their cavities, seen from inside. */
#include <math.h>
#include <string.h>

#include "recording/export/export.h"
#include "shape/shape.h"

#define PI 3.14159265358979323846

enum { PROFILE = 40 };

typedef struct drawing {
  export_surface *s;
  pose place;
  uint32_t row;
  int around;  /* segments of a circle */
  bool inside; /* turn the triangles over */
  v3 center;   /* of what half-spaces are cut around */
  double reach;
  scree_status status;
} drawing;

void export_surface_clear(export_surface *s) {
  memory_free(s->context, s->point);
  memory_free(s->context, s->triangle);
  memory_free(s->context, s->row);
}

static uint32_t add_point(drawing *d, v3 x) {
  export_surface *s = d->s;
  if (!d->status && s->point_count >= UINT32_MAX - 1)
    d->status = context_fail(s->context, SCREE_ERROR_UNSUPPORTED,
                             "the surfaces have more points than 32 bits count; export bodies");
  if (!d->status)
    d->status = memory_grow(s->context, &s->point, s->point_count + 1, 3 * sizeof *s->point);
  if (d->status) return 0;
  const v3 y = pose_apply(d->place, x);
  float *p = &s->point[3 * s->point_count];
  p[0] = (float)y.x, p[1] = (float)y.y, p[2] = (float)y.z;
  return (uint32_t)s->point_count++;
}

static void add_triangle(drawing *d, uint32_t a, uint32_t b, uint32_t c) {
  export_surface *s = d->s;
  if (!d->status)
    d->status =
        memory_grow(s->context, &s->triangle, s->triangle_count + 1, 3 * sizeof *s->triangle);
  if (!d->status)
    d->status = memory_grow(s->context, &s->row, s->triangle_count + 1, sizeof *s->row);
  if (d->status) return;
  uint32_t *t = &s->triangle[3 * s->triangle_count];
  t[0] = a, t[1] = d->inside ? c : b, t[2] = d->inside ? b : c;
  s->row[s->triangle_count++] = d->row;
}

/* Corners counterclockwise from outside. */
static void add_quad(drawing *d, v3 a, v3 b, v3 c, v3 e) {
  const uint32_t first = add_point(d, a);
  add_point(d, b);
  add_point(d, c);
  add_point(d, e);
  add_triangle(d, first, first + 1, first + 2);
  add_triangle(d, first, first + 2, first + 3);
}

/* A profile turned about z, with the cross-section stretched by (sx, sy). */
static void turn(drawing *d, const double (*profile)[2], int count, double sx, double sy) {
  uint32_t before = 0;
  for (int i = 0; i < count; i++) {
    const bool tip = profile[i][0] <= 0.0, old_tip = i > 0 && profile[i - 1][0] <= 0.0;
    uint32_t here = (uint32_t)d->s->point_count;
    for (int k = 0; k < (tip ? 1 : d->around); k++) {
      const double angle = 2.0 * PI * k / d->around;
      add_point(
          d, (v3){sx * profile[i][0] * cos(angle), sy * profile[i][0] * sin(angle), profile[i][1]});
    }
    for (int k = 0; i > 0 && k < d->around; k++) {
      const uint32_t n = (uint32_t)k, m = (uint32_t)((k + 1) % d->around);
      if (!old_tip) add_triangle(d, before + n, before + m, tip ? here : here + m);
      if (!tip) add_triangle(d, old_tip ? before : before + n, here + m, here + n);
    }
    before = here;
  }
}

static void draw_ball(drawing *d, v3 radii) {
  double profile[PROFILE][2];
  const int rings = d->around / 2;
  for (int i = 0; i <= rings; i++) {
    const double angle = PI * i / rings;
    profile[i][0] = i == 0 || i == rings ? 0.0 : sin(angle);
    profile[i][1] = -radii.z * cos(angle);
  }
  turn(d, (const double(*)[2])profile, rings + 1, radii.x, radii.y);
}

static void draw_capsule(drawing *d, double radius, double half) {
  double profile[PROFILE][2];
  const int rings = d->around / 4;
  for (int i = 0; i <= rings; i++) {
    const double angle = 0.5 * PI * i / rings;
    const double r = i == 0 ? 0.0 : radius * sin(angle), z = half + radius * cos(angle);
    profile[i][0] = profile[2 * rings + 1 - i][0] = r;
    profile[i][1] = -z;
    profile[2 * rings + 1 - i][1] = z;
  }
  turn(d, (const double(*)[2])profile, 2 * rings + 2, 1.0, 1.0);
}

/* A frustum; `open` leaves out ends. Ends have points of their own, so that edges stay sharp. */
static void draw_frustum(drawing *d, double bottom, double top, double low, double high,
                         unsigned open) {
  const double side[2][2] = {{bottom, low}, {top, high}};
  const double lower[2][2] = {{0.0, low}, {bottom, low}}, upper[2][2] = {{top, high}, {0.0, high}};
  turn(d, side, 2, 1.0, 1.0);
  if (bottom > 0.0 && !(open & SCREE_OPEN_BOTTOM)) turn(d, lower, 2, 1.0, 1.0);
  if (top > 0.0 && !(open & SCREE_OPEN_TOP)) turn(d, upper, 2, 1.0, 1.0);
}

static void draw_box(drawing *d, v3 h, unsigned open) {
  const double x = h.x, y = h.y, z = h.z;
  if (!(open & SCREE_OPEN_BOTTOM))
    add_quad(d, (v3){-x, -y, -z}, (v3){-x, y, -z}, (v3){x, y, -z}, (v3){x, -y, -z});
  if (!(open & SCREE_OPEN_TOP))
    add_quad(d, (v3){-x, -y, z}, (v3){x, -y, z}, (v3){x, y, z}, (v3){-x, y, z});
  add_quad(d, (v3){-x, -y, -z}, (v3){x, -y, -z}, (v3){x, -y, z}, (v3){-x, -y, z});
  add_quad(d, (v3){x, y, -z}, (v3){-x, y, -z}, (v3){-x, y, z}, (v3){x, y, z});
  add_quad(d, (v3){x, -y, -z}, (v3){x, y, -z}, (v3){x, y, z}, (v3){x, -y, z});
  add_quad(d, (v3){-x, y, -z}, (v3){-x, -y, -z}, (v3){-x, -y, z}, (v3){-x, y, z});
}

static void draw_hull(drawing *d, const polyhedron *h) {
  for (uint32_t f = 0; f < h->face_count; f++) {
    const uint32_t begin = h->face_start[f], count = h->face_start[f + 1] - begin;
    const uint32_t first = (uint32_t)d->s->point_count;
    for (uint32_t k = 0; k < count; k++) add_point(d, h->vertex[h->face_vertex[begin + k]]);
    for (uint32_t k = 2; k < count; k++) add_triangle(d, first, first + k - 1, first + k);
  }
}

static void draw_mesh(drawing *d, const shape_mesh *m) {
  const uint32_t first = (uint32_t)d->s->point_count;
  for (uint32_t i = 0; i < m->vertex_count; i++) add_point(d, m->vertex[i]);
  for (uint32_t i = 0; i < m->triangle_count; i++)
    add_triangle(d, first + m->triangle[i][0], first + m->triangle[i][1],
                 first + m->triangle[i][2]);
}

static void draw_half_space(drawing *d) {
  const v3 c = pose_apply_inverse(d->place, d->center);
  const double r = d->reach;
  add_quad(d, (v3){c.x - r, c.y - r, 0.0}, (v3){c.x + r, c.y - r, 0.0}, (v3){c.x + r, c.y + r, 0.0},
           (v3){c.x - r, c.y + r, 0.0});
}

static void draw(drawing *d, const shape *s) {
  d->inside = s->kind == SCREE_SHAPE_BOX_CONTAINER || s->kind == SCREE_SHAPE_ROUND_CONTAINER;
  switch (s->kind) {
  case SCREE_SHAPE_SPHERE:
    draw_ball(d, (v3){s->sphere.radius, s->sphere.radius, s->sphere.radius});
    break;
  case SCREE_SHAPE_ELLIPSOID:
    draw_ball(d, s->ellipsoid.radii);
    break;
  case SCREE_SHAPE_BOX:
    draw_box(d, s->box.half, 0);
    break;
  case SCREE_SHAPE_CAPSULE:
    draw_capsule(d, s->capsule.radius, s->capsule.half);
    break;
  case SCREE_SHAPE_CYLINDER:
    draw_frustum(d, s->cylinder.radius, s->cylinder.radius, -s->cylinder.half, s->cylinder.half, 0);
    break;
  case SCREE_SHAPE_CONE:
    draw_frustum(d, s->cone.radius, 0.0, s->cone.bottom, s->cone.top, 0);
    break;
  case SCREE_SHAPE_HULL:
    draw_hull(d, &s->hull);
    break;
  case SCREE_SHAPE_HALF_SPACE:
    draw_half_space(d);
    break;
  case SCREE_SHAPE_BOX_CONTAINER:
    draw_box(d, s->box_container.half, s->box_container.open);
    break;
  case SCREE_SHAPE_ROUND_CONTAINER:
    draw_frustum(d, s->round_container.bottom, s->round_container.top, -s->round_container.half,
                 s->round_container.half, s->round_container.open);
    break;
  case SCREE_SHAPE_MESH:
    draw_mesh(d, &s->mesh);
    break;
  case SCREE_SHAPE_COMPOUND: {
    const pose place = d->place;
    for (uint32_t i = 0; i < s->compound.count && !d->status; i++) {
      d->place = pose_mul(place, s->compound.part[i].place);
      draw(d, s->compound.part[i].shape);
    }
    break;
  }
  default:
    break;
  }
}

static pose frame_pose(const scree_frame *f, size_t i) {
  const double *x = &f->poses[7 * i];
  return (pose){{x[0], x[1], x[2]}, quat_normalize((quat){x[3], x[4], x[5], x[6]})};
}

/* Fixed by the first frame, so that floors keep still. */
static void find_bounds(export_store *store, const scree_frame *f) {
  aabb all = aabb_empty();
  for (size_t i = 0; i < f->body_count; i++) {
    const shape *s = scree_recording_shape(store->recording, f->ids[3 * i + 2]);
    const pose p = frame_pose(f, i);
    aabb b = s ? shape_bounds(s, p) : (aabb){p.position, p.position};
    if (!isfinite(v3_norm(v3_sub(b.hi, b.lo)))) b = (aabb){p.position, p.position};
    all = aabb_union(all, b);
  }
  if (!f->body_count) all = (aabb){{0, 0, 0}, {0, 0, 0}};
  v3_store(store->lower, all.lo);
  v3_store(store->upper, all.hi);
  store->has_bounds = true;
}

/* Segments of a circle: many bodies are seen from afar, and every file holds all their points. */
static int segments(size_t bodies) {
  return bodies > 20000 ? 8 : bodies > 2000 ? 12 : bodies > 200 ? 16 : 24;
}

scree_status export_surfaces(export_store *store, const scree_frame *f, export_surface *surface) {
  surface->point_count = surface->triangle_count = 0;
  if (!store->has_bounds) find_bounds(store, f);
  const v3 lower = v3_load(store->lower), upper = v3_load(store->upper);
  drawing d = {.s = surface,
               .around = segments(f->body_count),
               .center = v3_scale(0.5, v3_add(lower, upper)),
               .reach = fmax(v3_norm(v3_sub(upper, lower)), 1e-3)};
  for (size_t i = 0; i < f->body_count && !d.status; i++) {
    const shape *s = scree_recording_shape(store->recording, f->ids[3 * i + 2]);
    d.place = frame_pose(f, i);
    d.row = (uint32_t)i;
    if (s) draw(&d, s);
  }
  return d.status;
}

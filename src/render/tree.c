/* Embree's side of the renderer: trees over balls, prims and meshes, and the two questions that are
 * asked of them. Embree builds its trees with threads of its own, as many as the context has; rays
 * are traced on the threads of the caller. No floating-point mode is changed. */
#include "render/render.h"

#ifdef SCREE_WITH_RENDER
#include <embree3/rtcore.h>
#include <stdio.h>

enum { GEOMETRY_BALLS, GEOMETRY_PRIMS };

/* The thread sanitizer does not see how TBB, which is not built with it, hands work to its threads,
 * and would call every callback from them a race. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BUILD_ALONE 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define BUILD_ALONE 1
#endif
#ifndef BUILD_ALONE
#define BUILD_ALONE 0
#endif

typedef struct render_tree {
  RTCDevice device;
  RTCScene scene;
  RTCScene *meshes;
} render_tree;

static scree_status tree_fault(scree_render *r, const char *what) {
  const enum RTCError error = rtcGetDeviceError(r->tree->device);
  return context_fail(r->context,
                      error == RTC_ERROR_OUT_OF_MEMORY ? SCREE_ERROR_MEMORY : SCREE_ERROR_INTERNAL,
                      "render: Embree could not %s (error %d)", what, (int)error);
}

scree_status render_tree_create(scree_render *r) {
  render_tree *tree = r->tree = memory_new(r->context, 1, sizeof *tree);
  if (!tree) return SCREE_ERROR_MEMORY;
  char config[64];
  snprintf(config, sizeof config, "threads=%d,set_affinity=0",
           BUILD_ALONE ? 1 : r->context->threads);
  tree->device = rtcNewDevice(config);
  return tree->device ? SCREE_OK : tree_fault(r, "start");
}

void render_tree_clear(scree_render *r) {
  render_tree *tree = r->tree;
  if (tree->scene) rtcReleaseScene(tree->scene);
  tree->scene = NULL;
  for (size_t i = 0; tree->meshes && i < r->mesh_count; i++)
    if (tree->meshes[i]) rtcReleaseScene(tree->meshes[i]);
  memory_free(r->context, tree->meshes);
  tree->meshes = NULL;
  r->mesh_count = 0;
}

void render_tree_destroy(scree_render *r) {
  if (!r->tree) return;
  render_tree_clear(r);
  if (r->tree->device) rtcReleaseDevice(r->tree->device);
  memory_free(r->context, r->tree);
  r->tree = NULL;
}

/* ---- one prim ------------------------------------------------------------------------------- */

/* A point of a prim that a ray meets. Flags travel through Embree in the hit's v. */
enum { HIT_SECTION = 1, HIT_INSIDE = 2 };
typedef struct prim_hit {
  double t;
  v3 normal; /* outward, prim's frame */
  double edge;
  int flags;
} prim_hit;

typedef struct prim_ray {
  v3 o, d;   /* prim's frame */
  f3 wo, wd; /* world */
  double t_min, t_max;
} prim_ray;

static v3 to_prim(const render_prim *p, v3 x) {
  const float *a = p->axes;
  return (v3){(double)a[0] * x.x + (double)a[1] * x.y + (double)a[2] * x.z,
              (double)a[3] * x.x + (double)a[4] * x.y + (double)a[5] * x.z,
              (double)a[6] * x.x + (double)a[7] * x.y + (double)a[8] * x.z};
}

static f3 to_world(const render_prim *p, v3 x) {
  const float *a = p->axes;
  return f3_make((double)a[0] * x.x + (double)a[3] * x.y + (double)a[6] * x.z,
                 (double)a[1] * x.x + (double)a[4] * x.y + (double)a[7] * x.z,
                 (double)a[2] * x.x + (double)a[5] * x.y + (double)a[8] * x.z);
}

/* Where the ray is in what a cut takes away, and the plane by which it leaves. */
static bool cut_span(const render_cut *cut, f3 o, f3 d, double *in, double *out, f3 *normal) {
  *in = -INFINITY;
  *out = INFINITY;
  for (int i = 0; i < cut->count; i++) {
    const double speed = (double)f3_dot(cut->normal[i], d);
    const double rest = (double)cut->offset[i] - (double)f3_dot(cut->normal[i], o);
    if (speed == 0.0) {
      if (rest >= 0.0) return false;
      continue;
    }
    const double t = rest / speed;
    if (speed > 0.0 && t > *in) *in = t;
    if (speed < 0.0 && t < *out) *out = t, *normal = cut->normal[i];
  }
  return *in < *out;
}

static bool is_cut(const scree_render *r, const prim_ray *ray, double t) {
  for (size_t i = 0; i < r->cut_count; i++) {
    double in, out;
    f3 normal = {0, 0, 0};
    if (cut_span(&r->cuts[i], ray->wo, ray->wd, &in, &out, &normal) && t > in && t < out)
      return true;
  }
  return false;
}

/* The first point of a solid beyond t_min, where cuts open it up. */
static bool solid_hit(const scree_render *r, const render_prim *p, const prim_ray *ray,
                      const shape_span *span, prim_hit *hit) {
  *hit = (prim_hit){span->in.t, span->in.normal, 0.0, 0};
  for (size_t turn = 0; turn <= 2 * r->cut_count; turn++) {
    /* Leave the cut that holds this point; else it is on the surface. */
    bool inside = false;
    double next_in = INFINITY, next_out = INFINITY;
    f3 next_normal = {0, 0, 0};
    for (size_t i = 0; i < r->cut_count; i++) {
      double in, out;
      f3 normal = {0, 0, 0};
      if (!cut_span(&r->cuts[i], ray->wo, ray->wd, &in, &out, &normal)) continue;
      if (hit->t >= in && hit->t < out) {
        *hit = (prim_hit){out, to_prim(p, f3_wide(normal)), 0.0, HIT_SECTION};
        inside = true;
      } else if (in > hit->t && in < next_in) {
        next_in = in, next_out = out, next_normal = normal;
      }
    }
    if (hit->t >= span->out.t) return false;
    if (inside) continue;
    if (hit->t > ray->t_min) return hit->t < ray->t_max;
    if (!(next_in < span->out.t)) return false;
    *hit = (prim_hit){next_out, to_prim(p, f3_wide(next_normal)), 0.0, HIT_SECTION};
  }
  return false;
}

static bool in_range(const scree_render *r, const prim_ray *ray, double t) {
  return t > ray->t_min && t < ray->t_max && !(r->cut_count && is_cut(r, ray, t));
}

/* Distance from the nearest edge of a box's face. */
static double box_edge(v3 half, v3 normal, v3 x) {
  const double dx = half.x - fabs(x.x), dy = half.y - fabs(x.y), dz = half.z - fabs(x.z);
  if (fabs(normal.x) > 0.5) return fmin(dy, dz);
  return fabs(normal.y) > 0.5 ? fmin(dx, dz) : fmin(dx, dy);
}

/* A thin shell: either side of the body may be met. */
static bool shell_hit(const scree_render *r, const render_prim *p, const prim_ray *ray,
                      const shape_span *span, prim_hit *hit) {
  const span_surface *s = in_range(r, ray, span->in.t)    ? &span->in
                          : in_range(r, ray, span->out.t) ? &span->out
                                                          : NULL;
  if (!s) return false;
  *hit = (prim_hit){s->t, s->normal, 0.0, 0};
  if (p->shape->kind == SCREE_SHAPE_BOX)
    hit->edge = box_edge(p->shape->box.half, s->normal, v3_add_scaled(ray->o, s->t, ray->d));
  return true;
}

/* Distance from the nearest edge of the face or rim of the mantle, for lines along edges. */
static double container_edge(const render_prim *p, const span_surface *s, v3 x) {
  const double low = (double)p->a, high = (double)p->b;
  if (p->shape->kind == SCREE_SHAPE_BOX_CONTAINER) {
    const v3 half = {p->shape->box_container.half.x, p->shape->box_container.half.y,
                     0.5 * (high - low)};
    return box_edge(half, s->normal, (v3){x.x, x.y, x.z - 0.5 * (low + high)});
  }
  if (s->end == 0) return fmin(x.z - low, high - x.z);
  const double half = p->shape->round_container.half, bottom = p->shape->round_container.bottom;
  const double slope = (p->shape->round_container.top - bottom) / (2.0 * half);
  return bottom + slope * (x.z + half) - sqrt(x.x * x.x + x.y * x.y);
}

static bool container_hit(const scree_render *r, const render_prim *p, const prim_ray *ray,
                          prim_hit *hit) {
  const double low = (double)p->a, high = (double)p->b, middle = 0.5 * (low + high);
  shape_span span;
  if (p->shape->kind == SCREE_SHAPE_BOX_CONTAINER) {
    v3 half = p->shape->box_container.half, o = ray->o;
    half.z = 0.5 * (high - low);
    o.z -= middle;
    if (!shape_box_span(half, o, ray->d, &span)) return false;
  } else {
    const double h = p->shape->round_container.half, bottom = p->shape->round_container.bottom;
    const double slope = (p->shape->round_container.top - bottom) / (2.0 * h);
    if (!shape_frustum_span(bottom + slope * (low + h), bottom + slope * (high + h), low, high,
                            ray->o, ray->d, &span))
      return false;
  }
  for (int i = 0; i < 2; i++) {
    const span_surface *s = i ? &span.out : &span.in;
    if (s->end < 0 && (p->open & SCREE_OPEN_BOTTOM)) continue;
    if (s->end > 0 && (p->open & SCREE_OPEN_TOP)) continue;
    if (!in_range(r, ray, s->t)) continue;
    const v3 x = v3_add_scaled(ray->o, s->t, ray->d);
    *hit = (prim_hit){s->t, s->normal, container_edge(p, s, x), i ? HIT_INSIDE : 0};
    return true;
  }
  return false;
}

static bool mesh_hit(const scree_render *r, const render_prim *p, const prim_ray *ray,
                     prim_hit *hit) {
  double t_min = ray->t_min;
  for (int turn = 0; turn < 64; turn++) {
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    const f3 o = f3_from(ray->o), d = f3_from(ray->d);
    struct RTCRayHit q = {.ray = {.org_x = o.x,
                                  .org_y = o.y,
                                  .org_z = o.z,
                                  .dir_x = d.x,
                                  .dir_y = d.y,
                                  .dir_z = d.z,
                                  .tnear = (float)t_min,
                                  .tfar = (float)ray->t_max,
                                  .mask = UINT32_MAX},
                          .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
    rtcIntersect1(r->tree->meshes[p->mesh], &context, &q);
    if (q.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    *hit = (prim_hit){
        (double)q.ray.tfar, {(double)q.hit.Ng_x, (double)q.hit.Ng_y, (double)q.hit.Ng_z}, 0.0, 0};
    if (!(r->cut_count && is_cut(r, ray, hit->t))) return true;
    t_min = hit->t + 1e-6 * (double)r->size;
  }
  return false;
}

static bool prim_meets(const scree_render *r, const render_prim *p, prim_ray *ray, prim_hit *hit) {
  ray->o = to_prim(p, v3_sub(f3_wide(ray->wo), f3_wide(p->position)));
  ray->d = to_prim(p, f3_wide(ray->wd));
  if (p->appearance == RENDER_APPEARANCE_CONTAINER) return container_hit(r, p, ray, hit);
  if (p->shape && p->shape->kind == SCREE_SHAPE_MESH) return mesh_hit(r, p, ray, hit);
  shape_span span;
  const bool met = p->shape ? shape_find_span(p->shape, ray->o, ray->d, &span)
                            : shape_capsule_span((double)p->a, (double)p->b, ray->o, ray->d, &span);
  if (!met) return false;
  if (p->shape && p->appearance == SCREE_APPEARANCE_WALL) return shell_hit(r, p, ray, &span, hit);
  return solid_hit(r, p, ray, &span, hit);
}

/* ---- callbacks ------------------------------------------------------------------------------ */

/* Embree hands over n rays as columns of n numbers each, in the order of struct RTCRay and RTCHit.
 */
enum { RAY_ORIGIN = 0, RAY_NEAR = 3, RAY_DIRECTION = 4, RAY_FAR = 8, RAY_COLUMNS = 12 };
enum { HIT_NORMAL = 0, HIT_U = 3, HIT_V = 4, HIT_PRIM = 5, HIT_GEOMETRY = 6, HIT_INSTANCE = 7 };

static prim_ray load_ray(const float *rays, unsigned n, unsigned i) {
  const float *o = rays + RAY_ORIGIN * n + i, *d = rays + RAY_DIRECTION * n + i;
  return (prim_ray){.wo = {o[0], o[n], o[2 * n]},
                    .wd = {d[0], d[n], d[2 * n]},
                    .t_min = (double)rays[RAY_NEAR * n + i],
                    .t_max = (double)rays[RAY_FAR * n + i]};
}

static void on_intersect(const struct RTCIntersectFunctionNArguments *args) {
  const scree_render *r = args->geometryUserPtr;
  const render_prim *p = &r->prims[args->primID];
  const unsigned n = args->N;
  float *rays = (float *)args->rayhit, *hits = rays + RAY_COLUMNS * n;
  unsigned *numbers = (unsigned *)(void *)hits;
  for (unsigned i = 0; i < n; i++) {
    if (args->valid[i] != -1) continue;
    prim_ray ray = load_ray(rays, n, i);
    prim_hit hit;
    if (!prim_meets(r, p, &ray, &hit)) continue;
    const f3 normal = to_world(p, hit.normal);
    rays[RAY_FAR * n + i] = (float)hit.t;
    hits[(HIT_NORMAL + 0) * n + i] = normal.x;
    hits[(HIT_NORMAL + 1) * n + i] = normal.y;
    hits[(HIT_NORMAL + 2) * n + i] = normal.z;
    hits[HIT_U * n + i] = (float)hit.edge;
    hits[HIT_V * n + i] = (float)hit.flags;
    numbers[HIT_PRIM * n + i] = args->primID;
    numbers[HIT_GEOMETRY * n + i] = args->geomID;
    numbers[HIT_INSTANCE * n + i] = args->context->instID[0];
  }
}

/* Walls and ghosts cast no shadow: the light reaches what is behind them. */
static void on_occluded(const struct RTCOccludedFunctionNArguments *args) {
  const scree_render *r = args->geometryUserPtr;
  const render_prim *p = &r->prims[args->primID];
  if (p->appearance != SCREE_APPEARANCE_SOLID) return;
  for (unsigned i = 0; i < args->N; i++) {
    if (args->valid[i] != -1) continue;
    float *rays = (float *)args->ray;
    prim_ray ray = load_ray(rays, args->N, i);
    prim_hit hit;
    if (prim_meets(r, p, &ray, &hit)) rays[RAY_FAR * args->N + i] = -INFINITY;
  }
}

static void on_bounds(const struct RTCBoundsFunctionArguments *args) {
  const scree_render *r = args->geometryUserPtr;
  const render_prim *p = &r->prims[args->primID];
  v3 lower, upper;
  if (p->appearance == RENDER_APPEARANCE_CONTAINER) {
    const shape *s = p->shape;
    v3 half = s->box_container.half;
    if (s->kind == SCREE_SHAPE_ROUND_CONTAINER)
      half.x = half.y = fmax(s->round_container.bottom, s->round_container.top);
    lower = (v3){-half.x, -half.y, (double)p->a};
    upper = (v3){half.x, half.y, (double)p->b};
  } else if (!p->shape) {
    const double a = (double)p->a, b = a + (double)p->b;
    lower = (v3){-a, -a, -b};
    upper = (v3){a, a, b};
  } else {
    const aabb box = shape_bounds(p->shape, pose_identity());
    lower = box.lo, upper = box.hi;
  }
  const v3 middle = v3_scale(0.5, v3_add(lower, upper)), half = v3_sub(upper, middle);
  const f3 c = f3_add(p->position, to_world(p, middle));
  const float *a = p->axes;
  float reach[3];
  for (int k = 0; k < 3; k++)
    reach[k] = 1.0001f * (float)(fabs((double)a[k]) * half.x + fabs((double)a[3 + k]) * half.y +
                                 fabs((double)a[6 + k]) * half.z) +
               1e-6f * r->size;
  *args->bounds_o = (struct RTCBounds){.lower_x = c.x - reach[0],
                                       .lower_y = c.y - reach[1],
                                       .lower_z = c.z - reach[2],
                                       .upper_x = c.x + reach[0],
                                       .upper_y = c.y + reach[1],
                                       .upper_z = c.z + reach[2]};
}

/* ---- building ------------------------------------------------------------------------------- */

static RTCScene build_mesh(RTCDevice device, const shape_mesh *m) {
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  float *vertex = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                          3 * sizeof(float), m->vertex_count);
  uint32_t *index = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                            3 * sizeof(uint32_t), m->triangle_count);
  RTCScene scene = NULL;
  if (vertex && index) {
    for (size_t i = 0; i < m->vertex_count; i++) {
      const f3 p = f3_from(m->vertex[i]);
      vertex[3 * i] = p.x, vertex[3 * i + 1] = p.y, vertex[3 * i + 2] = p.z;
    }
    for (size_t i = 0; i < m->triangle_count; i++)
      for (size_t k = 0; k < 3; k++) index[3 * i + k] = m->triangle[i][k];
    rtcCommitGeometry(geometry);
    scene = rtcNewScene(device);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    rtcAttachGeometry(scene, geometry);
    rtcCommitScene(scene);
  }
  rtcReleaseGeometry(geometry);
  return scene;
}

static void attach_balls(scree_render *r) {
  RTCGeometry geometry = rtcNewGeometry(r->tree->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, r->balls, 0,
                             4 * sizeof(float), r->ball_count);
  rtcCommitGeometry(geometry);
  rtcAttachGeometryByID(r->tree->scene, geometry, GEOMETRY_BALLS);
  rtcReleaseGeometry(geometry);
}

static void attach_prims(scree_render *r) {
  RTCGeometry geometry = rtcNewGeometry(r->tree->device, RTC_GEOMETRY_TYPE_USER);
  rtcSetGeometryUserPrimitiveCount(geometry, (unsigned)r->prim_count);
  rtcSetGeometryUserData(geometry, r);
  rtcSetGeometryBoundsFunction(geometry, on_bounds, NULL);
  rtcSetGeometryIntersectFunction(geometry, on_intersect);
  rtcSetGeometryOccludedFunction(geometry, on_occluded);
  rtcCommitGeometry(geometry);
  rtcAttachGeometryByID(r->tree->scene, geometry, GEOMETRY_PRIMS);
  rtcReleaseGeometry(geometry);
}

scree_status render_tree_build(scree_render *r) {
  render_tree *tree = r->tree;
  tree->meshes = memory_new(r->context, r->mesh_count, sizeof(RTCScene));
  if (!tree->meshes) return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < r->mesh_count; i++)
    if (!(tree->meshes[i] = build_mesh(tree->device, &r->mesh_shapes[i]->mesh)))
      return tree_fault(r, "take a mesh");
  tree->scene = rtcNewScene(tree->device);
  if (!tree->scene) return tree_fault(r, "make a scene");
  if (r->ball_count) attach_balls(r);
  if (r->prim_count) attach_prims(r);
  rtcCommitScene(tree->scene);
  const enum RTCError error = rtcGetDeviceError(tree->device);
  if (error == RTC_ERROR_NONE) return SCREE_OK;
  return context_fail(r->context,
                      error == RTC_ERROR_OUT_OF_MEMORY ? SCREE_ERROR_MEMORY : SCREE_ERROR_INTERNAL,
                      "render: Embree could not build its trees (error %d)", (int)error);
}

bool render_tree_ready(const scree_render *r) {
  return r->tree && r->tree->scene;
}

/* ---- rays ----------------------------------------------------------------------------------- */

static struct RTCRay make_ray(f3 o, f3 d, float t_min, float t_max) {
  return (struct RTCRay){.org_x = o.x,
                         .org_y = o.y,
                         .org_z = o.z,
                         .dir_x = d.x,
                         .dir_y = d.y,
                         .dir_z = d.z,
                         .tnear = t_min,
                         .tfar = t_max,
                         .mask = UINT32_MAX};
}

/* Glass where the wall stands between the eye and the focus: with the normal turned towards the
 * middle of the focus, the ray goes along it. */
static bool wall_is_glass(const render_hit *hit, f3 o, f3 d) {
  const f3 at = f3_add_scaled(o, hit->t, d);
  return f3_dot(hit->normal, at) * f3_dot(hit->normal, d) < 0.0f;
}

static void fill_prim_hit(const scree_render *r, uint32_t prim, float u, float v, f3 o, f3 d,
                          render_hit *hit) {
  const render_prim *p = &r->prims[prim];
  const int flags = (int)v;
  hit->item = p->item;
  hit->edge = u;
  hit->section = (flags & HIT_SECTION) != 0;
  if (p->appearance == RENDER_APPEARANCE_CONTAINER)
    hit->what = (flags & HIT_INSIDE) ? RENDER_INSIDE : RENDER_GLASS;
  else if (p->appearance == SCREE_APPEARANCE_GHOST)
    hit->what = RENDER_GLASS, hit->ghost = true;
  else if (p->appearance == SCREE_APPEARANCE_WALL)
    hit->what = wall_is_glass(hit, o, d) ? RENDER_GLASS : RENDER_INSIDE;
  else
    hit->what = RENDER_BODY;
}

static void fill_ball_hit(const scree_render *r, uint32_t ball, render_hit *hit) {
  hit->what = RENDER_BODY;
  hit->item = r->ball_items[ball];
}

static void trace_planes(const scree_render *r, f3 o, f3 d, float t_min, render_hit *hit) {
  for (size_t i = 0; i < r->plane_count; i++) {
    const render_plane *p = &r->planes[i];
    const float speed = f3_dot(p->normal, d);
    if (speed >= 0.0f) continue;
    const float t = (p->offset - f3_dot(p->normal, o)) / speed;
    if (t > t_min && t < hit->t)
      *hit = (render_hit){
          .what = RENDER_PLANE, .t = t, .normal = p->normal, .item = p->item, .ground = p->ground};
  }
}

render_hit render_trace(const scree_render *r, f3 o, f3 d, float t_min, float t_max) {
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  struct RTCRayHit q = {.ray = make_ray(o, d, t_min, t_max),
                        .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
  rtcIntersect1(r->tree->scene, &context, &q);
  render_hit hit = {.what = RENDER_NOTHING, .t = t_max, .item = UINT32_MAX};
  if (q.hit.geomID != RTC_INVALID_GEOMETRY_ID) {
    hit.t = q.ray.tfar;
    hit.normal = f3_normalize((f3){q.hit.Ng_x, q.hit.Ng_y, q.hit.Ng_z});
    if (q.hit.geomID == GEOMETRY_BALLS)
      fill_ball_hit(r, q.hit.primID, &hit);
    else
      fill_prim_hit(r, q.hit.primID, q.hit.u, q.hit.v, o, d, &hit);
    if (f3_dot(hit.normal, d) > 0.0f) hit.normal = f3_scale(-1.0f, hit.normal);
  }
  trace_planes(r, o, d, t_min, &hit);
  return hit;
}

/* Lanes that are not asked for keep valid = 0; Embree leaves them alone. */
static void set_lane(struct RTCRay8 *ray, int *valid, unsigned lane, f3 o, f3 d, float t_min,
                     float t_max) {
  valid[lane] = -1;
  ray->org_x[lane] = o.x, ray->org_y[lane] = o.y, ray->org_z[lane] = o.z;
  ray->dir_x[lane] = d.x, ray->dir_y[lane] = d.y, ray->dir_z[lane] = d.z;
  ray->tnear[lane] = t_min, ray->tfar[lane] = t_max, ray->time[lane] = 0.0f;
  ray->mask[lane] = UINT32_MAX, ray->id[lane] = lane, ray->flags[lane] = 0;
}

void render_trace_lanes(const scree_render *r, f3 o, const f3 *d, const float *t_min, float t_max,
                        unsigned lanes, render_hit *hits) {
  _Alignas(32) int valid[RENDER_LANES] = {0};
  struct RTCRayHit8 q = {0};
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  for (unsigned i = 0; i < RENDER_LANES; i++) {
    q.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
    if (lanes >> i & 1u) set_lane(&q.ray, valid, i, o, d[i], t_min[i], t_max);
  }
  rtcIntersect8(valid, r->tree->scene, &context, &q);
  for (unsigned i = 0; i < RENDER_LANES; i++) {
    if (!(lanes >> i & 1u)) continue;
    render_hit *hit = &hits[i];
    *hit = (render_hit){.what = RENDER_NOTHING, .t = t_max, .item = UINT32_MAX};
    if (q.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID) {
      hit->t = q.ray.tfar[i];
      hit->normal = f3_normalize((f3){q.hit.Ng_x[i], q.hit.Ng_y[i], q.hit.Ng_z[i]});
      if (q.hit.geomID[i] == GEOMETRY_BALLS)
        fill_ball_hit(r, q.hit.primID[i], hit);
      else
        fill_prim_hit(r, q.hit.primID[i], q.hit.u[i], q.hit.v[i], o, d[i], hit);
      if (f3_dot(hit->normal, d[i]) > 0.0f) hit->normal = f3_scale(-1.0f, hit->normal);
    }
    trace_planes(r, o, d[i], t_min[i], hit);
  }
}

unsigned render_occluded_lanes(const scree_render *r, const f3 *o, const f3 *d, float t_max,
                               unsigned lanes) {
  _Alignas(32) int valid[RENDER_LANES] = {0};
  struct RTCRay8 ray = {0};
  struct RTCIntersectContext context;
  unsigned met = 0;
  rtcInitIntersectContext(&context);
  for (unsigned i = 0; i < RENDER_LANES; i++)
    if (lanes >> i & 1u) set_lane(&ray, valid, i, o[i], d[i], 0.0f, t_max);
  rtcOccluded8(valid, r->tree->scene, &context, &ray);
  for (unsigned i = 0; i < RENDER_LANES; i++)
    if ((lanes >> i & 1u) && ray.tfar[i] < 0.0f) met |= 1u << i;
  return met;
}

#endif

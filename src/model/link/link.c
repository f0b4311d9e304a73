/* Links' data: made, checked, removed. What they do is in evaluate.c and in the file of each kind.
 */
#include "model/link/link.h"

#include <string.h>

#include "base/argument.h"
#include "base/definition.h"

scree_link_def scree_link_def_default(void) {
  return (scree_link_def){
      .cookie = DEFINITION_COOKIE, .kind = SCREE_LINK_SPRING, .stiffness = 1000.0, .rest = -1.0};
}

static scree_status refuse(scree_context *context, const char *what) {
  return context_fail(context, SCREE_ERROR_INPUT, "link: %s", what);
}

static bool positive(double x) {
  return x > 0.0 && isfinite(x);
}
static bool not_negative(double x) {
  return x >= 0.0 && isfinite(x);
}

static pose frame_in(const scree_world *w, uint32_t body, pose frame) {
  return body == WORLD_NO_BODY ? frame : pose_mul(pose_inverse(world_pose(w, body)), frame);
}

static scree_status make_spring(const scree_world *w, const scree_link_def *d, world_link *l) {
  const v3 a = v3_load(d->point[0]), b = v3_load(d->point[1]);
  if (!not_negative(d->stiffness) || !not_negative(d->damping) || !isfinite(d->rest))
    return refuse(w->context, "stiffness and damping must be finite and not negative");
  if (d->stiffness == 0.0 && d->damping == 0.0)
    return refuse(w->context, "a spring needs stiffness or damping above 0");
  l->rest = d->rest < 0.0 ? v3_norm(v3_sub(b, a)) : d->rest;
  l->stiffness[0] = d->stiffness;
  l->damping[0] = d->damping;
  l->frame[0] = frame_in(w, l->body[0], (pose){a, quat_identity()});
  l->frame[1] = frame_in(w, l->body[1], (pose){b, quat_identity()});
  return SCREE_OK;
}

/* Columns x, y, z, orthonormal and right-handed. */
static quat quat_of_axes(v3 x, v3 y, v3 z) {
  const m33 r = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
  return quat_of_m33(&r);
}

static scree_status make_beam(const scree_world *w, const scree_link_def *d, world_link *l) {
  const v3 a = v3_load(d->point[0]), b = v3_load(d->point[1]), up = v3_load(d->up);
  const double length = v3_norm(v3_sub(b, a));
  if (!positive(length)) return refuse(w->context, "the two ends of a beam must lie apart");
  if (!positive(d->young) || !positive(d->shear) || !positive(d->area) || !positive(d->inertia_y) ||
      !positive(d->inertia_z) || !positive(d->torsion))
    return refuse(w->context, "a beam needs young, shear, area, inertia_y, inertia_z and torsion "
                              "above 0");
  if (!not_negative(d->shear_area) || !not_negative(d->rayleigh))
    return refuse(w->context, "shear_area and rayleigh must be finite and not negative");
  const v3 x = v3_scale(1.0 / length, v3_sub(b, a));
  v3 z = v3_add_scaled(up, -v3_dot(up, x), x);
  if (v3_norm2(up) == 0.0)
    z = v3_across(x);
  else if (!(v3_norm2(z) > 1e-12 * v3_norm2(up)))
    return refuse(w->context, "`up` must not be along the beam");
  z = v3_normalize(z);
  const pose at[2] = {{a, quat_of_axes(x, v3_cross(z, x), z)},
                      {b, quat_of_axes(x, v3_cross(z, x), z)}};
  for (int k = 0; k < 2; k++) l->frame[k] = frame_in(w, l->body[k], at[k]);
  l->rest = length;
  const double ey = d->young * d->inertia_y, ez = d->young * d->inertia_z, l2 = length * length;
  const double soft = d->shear_area > 0.0 ? 12.0 / (d->shear * d->shear_area * l2) : 0.0;
  const double k[LINK_ROWS] = {d->young * d->area / length,
                               12.0 * ez / (l2 * length * (1.0 + ez * soft)),
                               12.0 * ey / (l2 * length * (1.0 + ey * soft)),
                               d->shear * d->torsion / length,
                               ey / length,
                               ez / length};
  for (int i = 0; i < LINK_ROWS; i++) {
    l->stiffness[i] = k[i];
    l->damping[i] = d->rayleigh * k[i];
  }
  return SCREE_OK;
}

static scree_status make_tetrahedron(const scree_world *w, const scree_link_def *d, world_link *l) {
  v3 edge[3];
  for (int k = 0; k < 4; k++)
    if (l->body[k] == WORLD_NO_BODY) return refuse(w->context, "a tetrahedron needs four bodies");
  for (int k = 0; k < 3; k++)
    edge[k] = v3_sub(w->bodies.position[l->body[k + 1]], w->bodies.position[l->body[0]]);
  if (!positive(d->young) || !(d->poisson > -1.0 && d->poisson < 0.5) || !not_negative(d->rayleigh))
    return refuse(w->context, "a tetrahedron needs young above 0, poisson between -1 and 0.5 and a "
                              "rayleigh that is not negative");
  const double volume6 = v3_dot(edge[0], v3_cross(edge[1], edge[2]));
  const double longest = fmax(v3_norm2(edge[0]), fmax(v3_norm2(edge[1]), v3_norm2(edge[2])));
  if (!(fabs(volume6) > 1e-9 * longest * sqrt(longest)))
    return refuse(w->context, "the four bodies of a tetrahedron lie in a plane");
  for (int k = 0; k < 3; k++)
    v3_store(l->inverse + 3 * k,
             v3_scale(1.0 / volume6, v3_cross(edge[(k + 1) % 3], edge[(k + 2) % 3])));
  const double volume = fabs(volume6) / 6.0, mu = d->young / (2.0 * (1.0 + d->poisson));
  for (int i = 0; i < LINK_ROWS; i++) {
    l->stiffness[i] = i ? 2.0 * mu * volume : d->young / (1.0 - 2.0 * d->poisson) * volume;
    l->damping[i] = d->rayleigh * l->stiffness[i];
  }
  l->rest = sqrt(longest);
  return SCREE_OK;
}

static scree_status make_user(scree_world *w, const scree_link_def *d, world_link *l) {
  if (!d->function) return refuse(w->context, "a user's link needs a function");
  if (memory_grow(w->context, &w->link_function, w->link_function_count + 1,
                  sizeof *w->link_function))
    return SCREE_ERROR_MEMORY;
  w->link_function[w->link_function_count++] = (link_function){d->function, d->user};
  l->function = (uint32_t)w->link_function_count;
  return SCREE_OK;
}

static scree_status find_bodies(const scree_world *w, const scree_link_def *d, world_link *l) {
  bool any = false;
  for (uint32_t k = 0; k < l->body_count; k++) {
    l->body[k] = WORLD_NO_BODY;
    if (d->body[k].index == 0 && d->body[k].generation == 0) continue;
    l->body[k] = world_find_body(w, d->body[k]);
    if (l->body[k] == WORLD_NO_BODY) return SCREE_ERROR_ARGUMENT;
    any = true;
    for (uint32_t m = 0; m < k; m++)
      if (l->body[m] == l->body[k]) return refuse(w->context, "its bodies must differ");
  }
  return any ? SCREE_OK : refuse(w->context, "it needs a body");
}

scree_status scree_world_add_link(scree_world *w, const scree_link_def *d, scree_link_id *id) {
  ARGUMENT_CHECK(w ? w->context : NULL, w && d);
  DEFINITION_CHECK(w->context, d, link_def);
  if ((int)d->kind < 0 || d->kind >= SCREE_LINK_KIND_COUNT)
    return context_fail(w->context, SCREE_ERROR_INPUT, "link: there is no kind %d", (int)d->kind);
  const bool user = d->kind == SCREE_LINK_USER;
  if (user && (d->body_count < 1 || d->body_count > LINK_BODIES))
    return refuse(w->context, "one to four bodies are wanted");
  for (int k = 0; k < 2; k++)
    if (!world_finite(v3_load(d->point[k])) || !world_finite(v3_load(d->up)))
      return refuse(w->context, "its points must be finite");
  world_link l;
  memset(&l, 0, sizeof l);
  l.kind = d->kind;
  l.body_count = user ? (uint32_t)d->body_count : link_classes[d->kind]->bodies;
  l.rows = link_classes[d->kind]->rows;
  l.alive = 1;
  l.frame[0] = l.frame[1] = pose_identity();
  scree_status status = find_bodies(w, d, &l);
  if (status) return status;
  if (d->kind == SCREE_LINK_SPRING)
    status = make_spring(w, d, &l);
  else if (d->kind == SCREE_LINK_BEAM)
    status = make_beam(w, d, &l);
  else if (d->kind == SCREE_LINK_TETRAHEDRON)
    status = make_tetrahedron(w, d, &l);
  else
    status = make_user(w, d, &l);
  if (status) return status;
  size_t i = w->link_limit;
  if (w->link_count < w->link_limit)
    for (i = 0; w->link[i].alive; i++) continue;
  if (memory_grow(w->context, &w->link, i + 1, sizeof *w->link)) return SCREE_ERROR_MEMORY;
  l.generation = w->link[i].generation + 1;
  w->link[i] = l;
  if (i == w->link_limit) w->link_limit++;
  w->link_count++;
  w->revision++;
  world_wake_all(w);
  if (id) *id = (scree_link_id){(uint32_t)i, l.generation};
  const bool apart = l.kind == SCREE_LINK_BEAM || l.kind == SCREE_LINK_TETRAHEDRON;
  for (uint32_t k = 0; apart && k < l.body_count; k++)
    for (uint32_t m = 0; m < k && !status; m++)
      status = world_exclude_also(w, l.body[k], l.body[m]);
  return status;
}

bool scree_link_is_valid(const scree_world *w, scree_link_id id) {
  if (!w) return false;
  return id.index < w->link_limit && w->link[id.index].alive &&
         w->link[id.index].generation == id.generation;
}

void world_remove_link_at(scree_world *w, size_t i) {
  w->link[i].alive = 0;
  w->link_count--;
  w->revision++;
  world_wake_all(w);
}

scree_status scree_world_remove_link(scree_world *w, scree_link_id id) {
  ARGUMENT_CHECK(w ? w->context : NULL, w);
  if (!scree_link_is_valid(w, id))
    return context_fail(w->context, SCREE_ERROR_ARGUMENT,
                        "world: there is no link %u (generation %u)", id.index, id.generation);
  world_remove_link_at(w, id.index);
  return world_list_excluded(w);
}

void world_remove_links_of(scree_world *w, uint32_t body) {
  for (size_t i = 0; i < w->link_limit; i++) {
    const world_link *l = &w->link[i];
    bool touches = false;
    for (uint32_t k = 0; l->alive && k < l->body_count; k++) touches |= l->body[k] == body;
    if (touches) world_remove_link_at(w, i);
  }
}

size_t scree_world_link_count(const scree_world *w) {
  if (!w) return 0;
  return w->link_count;
}

size_t scree_world_link_limit(const scree_world *w) {
  if (!w) return 0;
  return w->link_limit;
}

scree_link_id scree_world_link_at(const scree_world *w, size_t i) {
  if (!w) return (scree_link_id){0};
  if (i >= w->link_limit || !w->link[i].alive) return (scree_link_id){0, 0};
  return (scree_link_id){(uint32_t)i, w->link[i].generation};
}

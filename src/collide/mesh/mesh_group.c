/* See mesh_group.h. */
#include "collide/mesh/mesh_group.h"

#include "collide/narrow/manifold.h"

/* Where the margin is more than a part of the size, what is nearer than another part touches. */
static const double long_part = 0.1, touch_part = 0.01;

void mesh_groups_begin(mesh_groups *all, double alike, double size, double margin) {
  all->count = 0;
  all->alike = alike;
  all->size = size;
  all->touch = margin > long_part * size ? touch_part * size : INFINITY;
}

static void group_begin(mesh_group *g, const contact_point *c, bool touches) {
  const v3 u = v3_across(c->normal), w = v3_cross(c->normal, u);
  g->normal = c->normal;
  g->touches = touches;
  for (int k = 0; k < MESH_WAYS; k++) {
    const double phi = 0.1931 + 0.78539816339744831 * k;
    g->way[k] = v3_add_scaled(v3_scale(cos(phi), u), sin(phi), w);
    g->kept[k] = *c;
  }
  g->kept[MESH_WAYS] = *c;
}

/* Whether c goes in the place of `kept`: it is farther out, or as far and nearer, as the top of a
 * slab is before its bottom. */
static bool takes_place(const contact_point *c, const contact_point *kept, v3 way, double size) {
  const double out = v3_dot(way, v3_sub(c->point_a, kept->point_a)), hair = 1e-9 * size;
  return c->gap < kept->gap ? out > -hair : out > hair;
}

void mesh_group_add(mesh_groups *all, const contact_point *c) {
  mesh_group *g = NULL;
  const bool touches = c->gap < all->touch;
  for (int i = 0; i < all->count && !g; i++)
    if (all->group[i].touches == touches && v3_dot(all->group[i].normal, c->normal) > all->alike)
      g = all->group + i;
  if (!g && all->count < MESH_GROUPS) {
    group_begin(all->group + all->count++, c, touches);
    return;
  }
  if (!g) { /* no room: the shallowest one goes */
    g = all->group;
    for (int i = 1; i < MESH_GROUPS; i++)
      if (all->group[i].kept[MESH_WAYS].gap > g->kept[MESH_WAYS].gap) g = all->group + i;
    if (c->gap < g->kept[MESH_WAYS].gap) group_begin(g, c, touches);
    return;
  }
  for (int k = 0; k < MESH_WAYS; k++)
    if (takes_place(c, &g->kept[k], g->way[k], all->size)) g->kept[k] = *c;
  if (c->gap < g->kept[MESH_WAYS].gap) g->kept[MESH_WAYS] = *c;
}

bool mesh_groups_touch(const mesh_groups *all) {
  for (int i = 0; i < all->count; i++)
    if (all->group[i].kept[MESH_WAYS].gap < 0.0) return true;
  return false;
}

/* Keeps the four that span the widest, of points in order round about; of equals, to more than
 * rounding, always the same. */
static int group_thin(const mesh_group *g, contact_point *c, int n) {
  double x[MESH_WAYS], y[MESH_WAYS], most = -1;
  int best[4] = {0, 1, 2, 3};
  for (int i = 0; i < n; i++) {
    const v3 d = v3_sub(c[i].point_a, c[0].point_a);
    x[i] = v3_dot(d, g->way[0]);
    y[i] = v3_dot(d, g->way[2]);
  }
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      for (int k = j + 1; k < n; k++)
        for (int l = k + 1; l < n; l++) {
          const double area = fabs((x[k] - x[i]) * (y[l] - y[j]) - (x[l] - x[j]) * (y[k] - y[i]));
          if (!(area > most * (1 + 1e-6))) continue;
          most = area;
          best[0] = i, best[1] = j, best[2] = k, best[3] = l;
        }
  for (int i = 0; i < 4; i++) c[i] = c[best[i]];
  return 4;
}

/* One contact for each place, four of them where that is enough; the deepest only where it is
 * deeper than what is there, by more than rounding. */
static void group_deliver(const mesh_group *g, quat rotation, v3 origin, double size,
                          narrow_sink *sink) {
  contact_point c[MESH_WAYS + 1];
  int n = 0;
  double least = INFINITY;
  for (int k = 0; k < MESH_WAYS; k++) {
    bool known = false;
    for (int i = 0; i < n && !known; i++)
      known = v3_norm2(v3_sub(c[i].point_a, g->kept[k].point_a)) < 1e-16 * size * size;
    if (!known) c[n++] = g->kept[k];
  }
  if (n > 4 && !sink->whole && manifold_is_slow(c, n, sink->margin)) n = group_thin(g, c, n);
  for (int i = 0; i < n; i++) least = fmin(least, c[i].gap);
  if (g->kept[MESH_WAYS].gap < least - (sink->whole ? 1e-6 : 1e-12) * size)
    c[n++] = g->kept[MESH_WAYS];
  for (int i = 0; i < n; i++)
    narrow_add(sink, v3_add(origin, quat_rotate(rotation, c[i].point_a)),
               quat_rotate(rotation, c[i].normal), c[i].gap, c[i].feature);
}

void mesh_groups_deliver(const mesh_groups *all, quat rotation, v3 origin, double size,
                         narrow_sink *sink) {
  for (int i = 0; i < all->count; i++) group_deliver(all->group + i, rotation, origin, size, sink);
}

void mesh_groups_share(const mesh_groups *all, quat rotation, v3 origin, double size,
                       narrow_sink *sink) {
  static const int order[MESH_WAYS + 1] = {MESH_WAYS, 0, 4, 2, 6, 1, 5, 3, 7};
  if (all->count == 0) return;
  const int room = (sink->capacity - sink->count) / all->count, share = room > 1 ? room : 1;
  for (int i = 0; i < all->count; i++) {
    contact_point c[MESH_WAYS + 1];
    int n = 0;
    for (int k = 0; k <= MESH_WAYS && n < share; k++) {
      const contact_point *x = &all->group[i].kept[order[k]];
      bool known = false;
      for (int j = 0; j < n && !known; j++)
        known = v3_norm2(v3_sub(c[j].point_a, x->point_a)) < 1e-16 * size * size;
      if (!known) c[n++] = *x;
    }
    for (int k = 0; k < n; k++)
      narrow_add(sink, v3_add(origin, quat_rotate(rotation, c[k].point_a)),
                 quat_rotate(rotation, c[k].normal), c[k].gap, c[k].feature);
  }
}

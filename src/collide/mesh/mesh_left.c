/* Two triangle meshes: which of the contacts that fit are left, and which way parts them where they
 * run through each other without any; see mesh_pair.c. */
#include "collide/mesh/mesh_pair.h"

/* What a way so much shorter undoes was never so deep, wherever the shorter one was found. */
static const double tiny_part = 0.05;

/* Part of the smaller mesh's size: where contacts push that way already, an overlap that is deeper
 * than theirs by less counts as one of them. */
static const double thin = 1e-5;

/* Is contact i gone when a is moved by `shift`? */
static bool is_freed(const pair *p, const contact_point *c, v3 shift) {
  const double reach = fmax(-c->gap, 0) + v3_norm(shift);
  const v3 on_a = v3_add(c->point_a, shift), on_b = v3_sub(c->point_b, shift);
  return !side_holds(&p->b, on_a, reach, -1e-9 * p->size) &&
         !side_holds(&p->a, on_b, reach, -1e-9 * p->size);
}

/* How to move a so that a contact is undone. */
static v3 way_out(const pair *p, const contact_point *c) {
  return v3_scale(fmin(c->gap, 0) * (1 + 1e-6) - 2e-9 * p->size, c->normal);
}

void mesh_pair_drop_needless(pair *p) {
  if (!p->a.m->closed || !p->b.m->closed) return;
  for (int i = 0; i < p->count; i++) {
    const contact_point *c = &p->found[i].c;
    if (p->found[i].dropped || c->gap > -1e-6 * p->size) continue;
    int best = -1;
    for (int k = 0; k < p->count; k++) {
      const contact_point *o = &p->found[k].c;
      if (o->gap > 1e-8 * p->size || o->gap < 0.9 * c->gap || v3_dot(o->normal, c->normal) > 0.99)
        continue;
      if (best >= 0 && o->gap <= p->found[best].c.gap) continue;
      if (o->gap < tiny_part * c->gap && v3_norm(v3_sub(o->point_a, c->point_a)) > 4 * -c->gap)
        continue;
      if (is_freed(p, c, way_out(p, o))) best = k;
    }
    if (best < 0) continue;
    p->found[i].dropped = true;
    p->found[best].dropped = false;
  }
}

void mesh_pair_find_swallowed(pair *p) {
  for (int of_a = 0; of_a < 2; of_a++) {
    const side *in = of_a ? &p->a : &p->b, *out = of_a ? &p->b : &p->a;
    const v3 x = side_point(in, in->m->triangle[0][0]);
    const v3 local = m33_tmul_v3(&out->r, v3_sub(x, out->at));
    mesh_near near;
    if (!out->m->closed || !aabb_overlap(out->m->node[0].box, (aabb){local, local})) continue;
    if (!mesh_find_near(out->m, local, 2 * extent(out->m->node[0].box), &near)) continue;
    if (!(mesh_signed_distance(out->m, local, &near) < 0) || !(near.distance > 0)) continue;
    const v3 up = v3_scale(1 / near.distance, side_turn(out, v3_sub(near.point, local)));
    mesh_pair_add_vertex(p, of_a, x, up, -near.distance, in->m->triangle[0][0], UINT32_MAX, false);
    return;
  }
}

void mesh_pair_drop_beyond(pair *p) {
  int kept = 0;
  if (p->crossings) return;
  for (int i = 0; i < p->count; i++)
    if (!p->found[i].open) p->found[kept++] = p->found[i];
  p->count = kept;
}

double mesh_pair_deepest(const pair *p) {
  double gap = 0;
  for (int i = 0; i < p->count; i++)
    if (!p->found[i].dropped) gap = fmin(gap, p->found[i].c.gap);
  return -gap;
}

/* Does a contact part the meshes where they cross? A little farther in, as the crossing itself, on
 * both surfaces, is parted by any. Nothing is inside a mesh that is not closed: there the point
 * must be on its side of the contact's plane. */
static bool parts(const pair *p, const contact_point *c, int k) {
  const v3 x = p->inside[k];
  if (!p->a.m->closed || !p->b.m->closed) {
    const double depth =
        v3_dot(c->normal, p->of_a[k] ? v3_sub(x, c->point_b) : v3_sub(c->point_a, x));
    return depth + c->gap <= crossed * p->size;
  }
  const contact_point here = {
      .point_a = x, .point_b = x, .gap = -v3_norm(v3_sub(x, p->crossing[k]))};
  return is_freed(p, &here, way_out(p, c));
}

/* Do all contacts that are left part the meshes where they cross, and a hair farther? In a corner
 * of two walls no single one does. The least way that undoes them all, by going back to the plane
 * of each in turn; between two that face each other there is none. */
static bool all_part(const pair *p, int k) {
  if (!p->a.m->closed || !p->b.m->closed) return false;
  const v3 x = p->inside[k];
  const contact_point here = {
      .point_a = x, .point_b = x, .gap = -v3_norm(v3_sub(x, p->crossing[k]))};
  v3 shift = {0, 0, 0};
  if (mesh_pair_deepest(p) <= 0 || is_freed(p, &here, shift)) return false;
  for (int round = 0; round < 12; round++)
    for (int i = 0; i < p->count; i++) {
      const contact_point *c = &p->found[i].c;
      if (p->found[i].dropped || c->gap > 1e-6 * p->size) continue;
      const double left = v3_dot(shift, c->normal) - fmin(c->gap, 0) + thin * p->size;
      if (left > 0) shift = v3_add_scaled(shift, -left, c->normal);
    }
  return is_freed(p, &here, shift);
}

/* Edges that are nearly parallel are not tried, as rounding decides their normal. Their overlap is
 * larger than that of their ends and faces by at most that angle times their length. So a contact
 * that is there counts for crossing k when going that much farther along its normal parts the
 * meshes, and the shallowest way does. Without this a very small crossing would be reported by
 * whatever else parts it, as by the far side of the mesh. False: there is no such way shorter than
 * `most`. */
static bool take_bent(pair *p, int k, double most) {
  const v3 x = p->inside[k];
  const contact_point here = {
      .point_a = x, .point_b = x, .gap = -v3_norm(v3_sub(x, p->crossing[k]))};
  double least = most;
  int best = -1;
  for (int i = 0; i < p->count; i++) {
    const contact_point *c = &p->found[i].c;
    if (p->found[i].dropped || fabs(c->gap) >= least) continue;
    double above = fmax(-c->gap, 0.0), way = least;
    if (!is_freed(p, &here, v3_scale(-way, c->normal))) continue;
    for (int round = 0; round < 12; round++) {
      const double middle = 0.5 * (above + way);
      if (is_freed(p, &here, v3_scale(-middle, c->normal)))
        way = middle;
      else
        above = middle;
    }
    least = way;
    best = i;
  }
  if (best < 0) return false;
  const contact_point c = p->found[best].c;
  const v3 on_a = p->of_a[k] ? x : v3_add_scaled(x, least, c.normal);
  mesh_pair_add(p, on_a, c.normal, -least, narrow_mix(c.feature, 1), false);
  return true;
}

bool mesh_pair_take_weak(pair *p) {
  const bool solid = p->a.m->closed && p->b.m->closed;
  bool all = true;
  for (int k = 0; k < p->crossings; k++) {
    int best = -1;
    bool known = false;
    for (int i = 0; i < p->count && !known; i++) {
      const candidate *f = p->found + i;
      if (f->c.gap > 1e-6 * p->size) continue;
      if (f->dropped && best >= 0 && f->c.gap <= p->found[best].c.gap) continue;
      if (!parts(p, &f->c, k)) continue;
      known = !f->dropped;
      best = i;
    }
    if (known || all_part(p, k)) continue;
    const bool deep = best < 0 || p->found[best].c.gap < -parallel * p->size;
    if (deep && solid && take_bent(p, k, fmin(parallel * p->size, 0.5 * p->depth))) continue;
    if (best >= 0)
      p->found[best].dropped = false;
    else
      all = false;
  }
  return all;
}

/* Openings of flexible parts. The surface of a shell or of a block is the balls at its nodes: what
 * is smaller than the openings between them goes through. In a triangle with sides a, b, c, area A
 * and balls of radius r a ball of radius
 *
 *   abc/(4 A) - r,   or half of the longest side less r where no angle is below 90 degrees there
 *
 * just passes. Faces of quadratic tetrahedra have nodes in the middles of their edges: half of it.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "model/link/link.h"
#include "scene/build/build.h"
#include "sim/sim.h"

static double circle_about(v3 x, v3 y, v3 z) {
  double a = v3_norm(v3_sub(y, x)), b = v3_norm(v3_sub(z, y)), c = v3_norm(v3_sub(x, z)), swap;
  const double twice = v3_norm(v3_cross(v3_sub(y, x), v3_sub(z, x)));
  if (b > a) swap = a, a = b, b = swap;
  if (c > a) swap = a, a = c, c = swap;
  return a * a < b * b + c * c ? a * b * c / (2.0 * twice) : 0.5 * a;
}

typedef struct face {
  uint32_t node[3]; /* in order */
  uint32_t link;
} face;

static int by_nodes(const void *a, const void *b) {
  const face *x = a, *y = b;
  for (int k = 0; k < 3; k++)
    if (x->node[k] != y->node[k]) return x->node[k] < y->node[k] ? -1 : 1;
  return x->link < y->link ? -1 : x->link > y->link;
}

static bool is_same(const face *a, const face *b) {
  return a->node[0] == b->node[0] && a->node[1] == b->node[1] && a->node[2] == b->node[2];
}

/* Those with balls at all nodes. */
static size_t collect(const scree_world *w, face *out) {
  static const int corner[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
  size_t count = 0;
  for (size_t k = 0; k < w->link_limit; k++) {
    const world_link *l = &w->link[k];
    const bool solid = l->kind == SCREE_LINK_TETRAHEDRON;
    if (!l->alive || (!solid && l->kind != SCREE_LINK_SHELL)) continue;
    for (int f = 0; f < (solid ? 4 : 1); f++) {
      uint32_t n[3], swap;
      for (int i = 0; i < 3; i++) n[i] = l->body[corner[f][i]];
      if (n[1] < n[0]) swap = n[0], n[0] = n[1], n[1] = swap;
      if (n[2] < n[1]) swap = n[1], n[1] = n[2], n[2] = swap;
      if (n[1] < n[0]) swap = n[0], n[0] = n[1], n[1] = swap;
      bool balls = n[2] != WORLD_NO_BODY;
      for (int i = 0; i < 3 && balls; i++) balls = w->bodies.shape[n[i]] != NULL;
      if (balls) out[count++] = (face){{n[0], n[1], n[2]}, (uint32_t)k};
    }
  }
  qsort(out, count, sizeof *out, by_nodes);
  return count;
}

/* The largest ball that passes a face. */
static double opening_of(const scree_world *w, const face *f) {
  const world_bodies *b = &w->bodies;
  const uint32_t *n = f->node;
  const double part = w->link[f->link].body_count > 4 ? 0.5 : 1.0;
  return part * circle_about(b->position[n[0]], b->position[n[1]], b->position[n[2]]) -
         0.5 * fmin(b->diameter[n[0]], fmin(b->diameter[n[1]], b->diameter[n[2]]));
}

/* That of the surface: of faces that belong to one element. Its first node; none: there is none. */
static uint32_t largest(const scree_world *w, const face *f, size_t count, double *most) {
  uint32_t node = WORLD_NO_BODY;
  for (size_t k = 0; k < count; k++) {
    if ((k && is_same(&f[k], &f[k - 1])) || (k + 1 < count && is_same(&f[k], &f[k + 1]))) continue;
    const double opening = opening_of(w, &f[k]);
    if (!(opening > *most)) continue;
    *most = opening;
    node = f[k].node[0];
  }
  return node;
}

/* The smallest body, none of a flexible part, that may meet node `node` and is below `opening`. */
static uint32_t smallest(const scree_world *w, const bool *tied, uint32_t node, double opening) {
  const world_bodies *b = &w->bodies;
  uint32_t found = WORLD_NO_BODY;
  for (uint32_t i = 0; i < b->limit; i++) {
    if (!b->alive[i] || !b->shape[i] || tied[i]) continue;
    if (!world_is_dynamic(w, i) && !world_is_dynamic(w, node)) continue;
    if (!(b->category[i] & b->collides_with[node]) || !(b->category[node] & b->collides_with[i]))
      continue;
    if (!(0.5 * b->diameter[i] < opening)) continue;
    if (found == WORLD_NO_BODY || b->diameter[i] < b->diameter[found]) found = i;
  }
  return found;
}

scree_status sim_look_for_openings(scree_scene *scene, const scree_world *w) {
  scree_context *context = scree_scene_context(scene);
  double most = 0.0;
  if (!scene->doc.note || !w->link_limit) return SCREE_OK;
  face *f = memory_new(context, 4 * w->link_limit, sizeof *f);
  bool *tied = memory_new(context, w->bodies.limit + 1, sizeof *tied);
  uint32_t node = WORLD_NO_BODY, body = WORLD_NO_BODY;
  const bool lacks = !f || !tied;
  if (!lacks) node = largest(w, f, collect(w, f), &most);
  for (size_t k = 0; k < w->link_limit && node != WORLD_NO_BODY; k++)
    for (uint32_t n = 0; w->link[k].alive && n < w->link[k].body_count; n++)
      if (w->link[k].body[n] != WORLD_NO_BODY) tied[w->link[k].body[n]] = true;
  if (node != WORLD_NO_BODY) body = smallest(w, tied, node, most);
  memory_free(context, f);
  memory_free(context, tied);
  if (lacks) return SCREE_ERROR_MEMORY;
  if (body == WORLD_NO_BODY) return SCREE_OK;
  char name[2][512], text[CONTEXT_MESSAGE_SIZE + 256];
  scree_scene_describe_body(scene, scree_world_body_at(w, body), name[0], sizeof name[0]);
  scree_scene_describe_body(scene, scree_world_body_at(w, node), name[1], sizeof name[1]);
  number_format(
      text, sizeof text,
      "warning: %s fits through the openings between the nodes about %s, which are balls: "
      "what is smaller than %.3g m across passes where nothing else stops it; take a "
      "larger `node_radius` or more `cells`",
      name[0], name[1], 2.0 * most);
  scene->doc.note(scene->doc.note_user, text);
  return SCREE_OK;
}

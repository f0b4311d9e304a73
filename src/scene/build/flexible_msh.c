/* Flexible parts of a mesh of linear tetrahedra, from a file of gmsh: format 2 and 4.1, text.
 *
 *   $MeshFormat   version, 0 (text), 8
 *   $Nodes        2: count, then "tag x y z";
 *                 4.1: blocks, count, least and largest tag; each block: dimension, entity,
 *                 parametric, count, then its tags, then its places
 *   $Elements     2: count, then "tag type n tags… nodes…" on a line each;
 *                 4.1: blocks, count, tags; each block: dimension, entity, type, count, then lines
 *
 * Of the elements type 4, tetrahedra of four nodes, are taken; points, lines and faces are passed
 * over, other solids refused. Other sections are passed over. Nodes of no tetrahedron are left out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "scene/build/flexible.h"

enum { MOST = 1000000 }; /* nodes, and tetrahedra */

typedef struct msh_node {
  uint64_t tag;
  double at[3];
  double mass;
  uint32_t body; /* 1 + its number among those that are used; 0: not used */
} msh_node;

typedef struct msh {
  flexible *f;
  const char *at;
  scene_node place; /* for messages */
  msh_node *node;
  uint32_t (*tetrahedron)[4];
  size_t node_count, count;
  bool old; /* format 2 */
} msh;

static scree_status bad(msh *m, const char *what) {
  m->place.column = 1;
  return scene_fault(&m->f->scene->doc, &m->place, "msh: %s", what);
}

/* The next word, within the line or beyond it; "" at the end. */
static size_t word(msh *m, const char **text) {
  while (*m->at == ' ' || *m->at == '\t' || *m->at == '\r' || *m->at == '\n')
    if (*m->at++ == '\n') m->place.line++;
  *text = m->at;
  while (*m->at && !strchr(" \t\r\n", *m->at)) m->at++;
  return (size_t)(m->at - *text);
}

static void skip_line(msh *m) {
  while (*m->at && *m->at != '\n') m->at++;
}

static bool is(const char *text, size_t size, const char *name) {
  return size == strlen(name) && memcmp(text, name, size) == 0;
}

static scree_status real(msh *m, double *value) {
  const char *text;
  char *end;
  const size_t size = word(m, &text);
  *value = size && size < 64 ? number_read(text, &end) : NAN;
  return isfinite(*value) && end == text + size ? SCREE_OK : bad(m, "a finite number is wanted");
}

static scree_status whole(msh *m, double most, uint64_t *value) {
  double x;
  const scree_status status = real(m, &x);
  if (status) return status;
  if (!(x >= 0.0 && x <= most && x == floor(x)))
    return bad(m, most == MOST ? "a whole number up to 1000000 is wanted"
                               : "a whole number is wanted");
  *value = (uint64_t)x;
  return SCREE_OK;
}

static const double any = 9e15;

static scree_status add_node(msh *m, uint64_t tag) {
  if (m->node_count >= MOST) return bad(m, "more than 1000000 nodes");
  if (memory_grow(m->f->scene->context, &m->node, m->node_count + 1, sizeof *m->node))
    return SCREE_ERROR_MEMORY;
  m->node[m->node_count] = (msh_node){.tag = tag};
  m->node_count++;
  return SCREE_OK;
}

static scree_status read_place(msh *m, size_t node) {
  scree_status status = SCREE_OK;
  for (int i = 0; i < 3 && !status; i++) {
    status = real(m, &m->node[node].at[i]);
    m->node[node].at[i] = m->f->k.start[i] + m->f->k.scale * m->node[node].at[i];
  }
  return status;
}

static scree_status read_nodes(msh *m) {
  uint64_t blocks = 1, count = 0, skip, tag = 0;
  scree_status status = m->old ? SCREE_OK : whole(m, MOST, &blocks);
  if (!status) status = whole(m, MOST, &count);
  for (int k = 0; k < 2 && !m->old && !status; k++) status = whole(m, any, &skip);
  for (uint64_t b = 0; b < blocks && !status; b++) {
    uint64_t parametric = 0;
    const size_t first = m->node_count;
    for (int k = 0; k < 2 && !m->old && !status; k++) status = whole(m, any, &skip);
    if (!m->old && !status) status = whole(m, 1, &parametric);
    if (!status && parametric) return bad(m, "nodes with parameters are not taken");
    if (!m->old && !status) status = whole(m, MOST, &count);
    for (uint64_t k = 0; k < count && !status; k++) {
      status = whole(m, any, &tag);
      if (!status) status = add_node(m, tag);
      if (!status && m->old) status = read_place(m, first + k);
    }
    for (uint64_t k = 0; k < count && !m->old && !status; k++) status = read_place(m, first + k);
  }
  return status;
}

static int by_tag(const void *a, const void *b) {
  const uint64_t x = ((const msh_node *)a)->tag, y = ((const msh_node *)b)->tag;
  return x < y ? -1 : x > y;
}

static scree_status read_tetrahedron(msh *m) {
  if (m->count >= MOST) return bad(m, "more than 1000000 tetrahedra");
  if (memory_grow(m->f->scene->context, &m->tetrahedron, m->count + 1, sizeof *m->tetrahedron))
    return SCREE_ERROR_MEMORY;
  for (int i = 0; i < 4; i++) {
    msh_node wanted = {.tag = 0};
    const scree_status status = whole(m, any, &wanted.tag);
    if (status) return status;
    const msh_node *found =
        m->node_count ? bsearch(&wanted, m->node, m->node_count, sizeof wanted, by_tag) : NULL;
    if (!found) return bad(m, "an element names a node that is not there");
    m->tetrahedron[m->count][i] = (uint32_t)(found - m->node);
  }
  m->count++;
  return SCREE_OK;
}

/* Points, lines, triangles and quadrangles, of any order that gmsh writes. */
static bool is_flat(uint64_t type) {
  static const uint8_t flat[] = {1, 2, 3, 8, 9, 10, 15, 16, 20, 21, 22, 23, 24, 25, 26, 27, 28};
  for (size_t k = 0; k < sizeof flat; k++)
    if (flat[k] == type) return true;
  return false;
}

static scree_status read_element(msh *m, uint64_t type) {
  if (type == 4) return read_tetrahedron(m);
  if (type == 11) return bad(m, "tetrahedra of ten nodes are not taken; mesh with order 1");
  if (!is_flat(type)) return bad(m, "solids that are no tetrahedra are not taken");
  skip_line(m);
  return SCREE_OK;
}

static scree_status read_elements(msh *m) {
  uint64_t blocks = 1, count = 0, skip, type = 0;
  if (!m->node_count) return bad(m, "elements before nodes");
  qsort(m->node, m->node_count, sizeof *m->node, by_tag);
  scree_status status = m->old ? SCREE_OK : whole(m, MOST, &blocks);
  if (!status) status = whole(m, any, &count);
  for (int k = 0; k < 2 && !m->old && !status; k++) status = whole(m, any, &skip);
  for (uint64_t b = 0; b < blocks && !status; b++) {
    for (int k = 0; k < 2 && !m->old && !status; k++) status = whole(m, any, &skip);
    if (!m->old && !status) status = whole(m, 1000, &type);
    if (!m->old && !status) status = whole(m, any, &count);
    for (uint64_t k = 0; k < count && !status; k++) {
      uint64_t tags = 0;
      status = whole(m, any, &skip);
      if (!status && m->old) status = whole(m, 1000, &type);
      if (!status && m->old) status = whole(m, 100, &tags);
      for (uint64_t t = 0; t < tags && !status; t++) status = whole(m, any, &skip);
      if (!status) status = read_element(m, type);
    }
  }
  return status;
}

static scree_status read_format(msh *m) {
  double version, binary;
  scree_status status = real(m, &version);
  if (!status) status = real(m, &binary);
  if (status) return status;
  if (binary != 0.0) return bad(m, "the file is binary; save it as text");
  if (!((version >= 2.0 && version < 3.0) || version == 4.1))
    return bad(m, "formats 2 and 4.1 are taken");
  m->old = version < 3.0;
  return SCREE_OK;
}

static scree_status read_file(msh *m) {
  const char *text;
  scree_status status = SCREE_OK;
  size_t size = word(m, &text);
  if (!is(text, size, "$MeshFormat")) return bad(m, "$MeshFormat is wanted at the start");
  status = read_format(m);
  while (!status && (size = word(m, &text)) > 0) {
    if (is(text, size, "$Nodes"))
      status = read_nodes(m);
    else if (is(text, size, "$Elements"))
      status = read_elements(m);
    else
      skip_line(m);
  }
  if (!status && !m->count) return bad(m, "there are no tetrahedra in it");
  return status;
}

/* ---- the part ------------------------------------------------------------------------------- */

static double volume_of(const msh *m, const uint32_t *t) {
  v3 edge[3];
  for (int i = 0; i < 3; i++)
    edge[i] = v3_sub(v3_load(m->node[t[i + 1]].at), v3_load(m->node[t[0]].at));
  return fabs(v3_dot(edge[0], v3_cross(edge[1], edge[2]))) / 6.0;
}

static bool is_held(const msh *m, const bool held[6], const double lower[3], const double upper[3],
                    const double *at) {
  bool any_face = false;
  (void)m;
  for (int i = 0; i < 3; i++) {
    const double near = 1e-6 * (upper[i] - lower[i]);
    any_face |=
        (held[2 * i] && at[i] <= lower[i] + near) || (held[2 * i + 1] && at[i] >= upper[i] - near);
  }
  return any_face;
}

static scree_status add_nodes(msh *m) {
  flexible *f = m->f;
  bool held[6] = {false};
  double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
  scree_shape *ball = NULL;
  for (size_t t = 0; t < m->count; t++)
    for (int i = 0; i < 4; i++)
      m->node[m->tetrahedron[t][i]].mass += 0.25 * f->k.density * volume_of(m, m->tetrahedron[t]);
  for (size_t k = 0; k < m->node_count; k++)
    for (int i = 0; i < 3 && m->node[k].mass > 0.0; i++) {
      lower[i] = fmin(lower[i], m->node[k].at[i]);
      upper[i] = fmax(upper[i], m->node[k].at[i]);
    }
  scree_status status = flexible_read_held(f, held);
  if (!status && f->k.node_radius > 0.0)
    status =
        flexible_told(f, scree_shape_create_sphere(f->scene->context, f->k.node_radius, &ball));
  uint32_t used = 0;
  for (size_t k = 0; k < m->node_count && !status; k++) {
    msh_node *n = &m->node[k];
    if (!(n->mass > 0.0)) continue;
    scree_body_def d = scree_body_def_default();
    memcpy(d.position, n->at, sizeof n->at);
    d.kind = is_held(m, held, lower, upper, n->at) ? SCREE_BODY_FIXED : SCREE_BODY_DYNAMIC;
    d.mass = n->mass;
    d.point = true;
    d.inertia[0] = d.inertia[3] = d.inertia[5] = d.mass * pow(d.mass / f->k.density, 2.0 / 3.0);
    d.shape = ball;
    d.material = f->material;
    flexible_set_motion(f, &d);
    n->body = ++used;
    status = scene_add_body(f->scene, f->world, &d, f->node);
  }
  scree_shape_destroy(ball);
  return status;
}

static scree_status build(msh *m) {
  flexible *f = m->f;
  scree_status status = read_file(m);
  if (!status) status = flexible_begin(f);
  const size_t first = f->scene->body_count;
  if (!status) status = add_nodes(m);
  scree_link_def d = scree_link_def_default();
  d.kind = SCREE_LINK_TETRAHEDRON;
  d.young = f->k.young;
  d.poisson = f->k.poisson;
  d.rayleigh = f->k.rayleigh;
  for (size_t t = 0; t < m->count && !status; t++) {
    for (int i = 0; i < 4; i++) {
      const uint32_t body = m->node[m->tetrahedron[t][i]].body;
      if (!body) return scene_fault(&f->scene->doc, f->node, "msh: a tetrahedron has no volume");
      d.body[i] = f->scene->bodies[first + body - 1];
    }
    status = flexible_told(f, scree_world_add_link(f->world, &d, NULL));
  }
  return status;
}

scree_status flexible_build_mesh(flexible *f) {
  scene_document *doc = &f->scene->doc;
  uint32_t file;
  if (!f->k.file[0]) return scene_fault(doc, f->node, "mesh: key 'file' is missing");
  if (f->k.held_by) return scene_fault(doc, f->k.held_by, "held_by: a mesh is held by the world");
  const scene_node *at = scene_place(&f->k.head, "file");
  scree_status status = scene_open_file(doc, at, at->file, f->k.file, &file);
  if (status) return status;
  msh m = {.f = f, .at = doc->files[file].bytes, .place = {.file = file, .line = 1, .column = 1}};
  status = build(&m);
  memory_free(f->scene->context, m.node);
  memory_free(f->scene->context, m.tetrahedron);
  return status;
}

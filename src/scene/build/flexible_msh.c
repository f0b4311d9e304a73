/* Flexible parts of a mesh of tetrahedra, from a file of gmsh: format 2 and 4.1, text.
 *
 *   $MeshFormat   version, 0 (text), 8
 *   $Nodes        2: count, then "tag x y z";
 *                 4.1: blocks, count, least and largest tag; each block: dimension, entity,
 *                 parametric, count, then its tags, then its places
 *   $Elements     2: count, then "tag type n tags… nodes…" on a line each;
 *                 4.1: blocks, count, tags; each block: dimension, entity, type, count, then lines
 *
 * Of the elements type 4 and 11, tetrahedra of four or of ten nodes, are taken, all of one file
 * alike; gmsh's order of ten nodes is that of links. Points, lines and faces are passed over, other
 * solids refused. A shell takes type 2, triangles; points, lines and solids are passed over, other
 * faces refused. Other sections are passed over. Nodes of no element are left out.
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
} msh_node;

typedef struct msh {
  flexible *f;
  const char *at;
  scene_node place; /* for messages */
  msh_node *node;
  solid_element *element;
  size_t node_count, count;
  uint32_t corners; /* nodes of a tetrahedron; 0: none was seen yet */
  bool old;         /* format 2 */
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
  return isfinite(*value) && end == text + size ? SCREE_OK : bad(m, "a finite number is expected");
}

static scree_status whole(msh *m, double most, uint64_t *value) {
  double x;
  const scree_status status = real(m, &x);
  if (status) return status;
  if (!(x >= 0.0 && x <= most && x == floor(x)))
    return bad(m, most == MOST ? "a whole number up to 1000000 is expected"
                               : "a whole number is expected");
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

static scree_status read_corners(msh *m, uint32_t corners) {
  if (m->count >= MOST) return bad(m, "more than 1000000 elements");
  if (m->corners && m->corners != corners)
    return bad(m, "tetrahedra of four and of ten nodes in one file");
  m->corners = corners;
  if (memory_grow(m->f->scene->context, &m->element, m->count + 1, sizeof *m->element))
    return SCREE_ERROR_MEMORY;
  solid_element *element = &m->element[m->count];
  memset(element, 0, sizeof *element);
  element->line = m->place.line;
  for (uint32_t i = 0; i < corners; i++) {
    msh_node wanted = {.tag = 0};
    const scree_status status = whole(m, any, &wanted.tag);
    if (status) return status;
    if (m->place.line != element->line) {
      m->place.line = element->line;
      return bad(m, corners == 3   ? "a triangle has three nodes on its line"
                    : corners == 4 ? "a tetrahedron has four nodes on its line"
                                   : "a quadratic tetrahedron has ten nodes on its line");
    }
    const msh_node *found =
        m->node_count ? bsearch(&wanted, m->node, m->node_count, sizeof wanted, by_tag) : NULL;
    if (!found) return bad(m, "an element names a node that is not there");
    element->node[i] = (uint32_t)(found - m->node);
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
  const bool edge = type == 1 || type == 8 || type == 15 || (type >= 26 && type <= 28);
  if (m->f->k.thickness > 0.0) {
    if (type == 2) return read_corners(m, 3);
    if (is_flat(type) && !edge)
      return bad(m, "faces that are no triangles of three nodes are not taken");
    skip_line(m);
    return SCREE_OK;
  }
  if (type == 4 || type == 11) return read_corners(m, type == 4 ? 4 : 10);
  if (!is_flat(type)) {
    char what[80];
    snprintf(what, sizeof what, "solids that are no tetrahedra (type %u) are not taken",
             (unsigned)type);
    return bad(m, what);
  }
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
  if (!is(text, size, "$MeshFormat")) return bad(m, "$MeshFormat is expected at the start");
  status = read_format(m);
  while (!status && (size = word(m, &text)) > 0) {
    if (is(text, size, "$Nodes"))
      status = read_nodes(m);
    else if (is(text, size, "$Elements"))
      status = read_elements(m);
    else
      skip_line(m);
  }
  if (!status && !m->count)
    return bad(m, m->f->k.thickness > 0.0 ? "there are no triangles in it"
                                          : "there are no tetrahedra in it");
  return status;
}

/* ---- the part ------------------------------------------------------------------------------- */

static scree_status build(msh *m) {
  flexible *f = m->f;
  scree_status status = read_file(m);
  if (status) return status;
  double(*at)[3] = memory_new(f->scene->context, m->node_count, sizeof *at);
  if (!at) return SCREE_ERROR_MEMORY;
  for (size_t k = 0; k < m->node_count; k++) memcpy(at[k], m->node[k].at, sizeof at[k]);
  const solid s = {.at = at,
                   .element = m->element,
                   .node_count = m->node_count,
                   .element_count = m->count,
                   .corners = m->corners,
                   .file = m->place.file};
  status = flexible_build_solid(f, &s);
  memory_free(f->scene->context, at);
  return status;
}

scree_status flexible_build_mesh(flexible *f) {
  scene_document *doc = &f->scene->doc;
  uint32_t file;
  if (!f->k.file[0]) return scene_fault(doc, f->node, "mesh: key 'file' is missing");
  const scene_node *at = scene_place(&f->k.head, "file");
  scree_status status = scene_open_file(doc, at, at->file, f->k.file, &file);
  if (status) return status;
  msh m = {.f = f, .at = doc->files[file].bytes, .place = {.file = file, .line = 1, .column = 1}};
  status = build(&m);
  memory_free(f->scene->context, m.node);
  memory_free(f->scene->context, m.element);
  return status;
}

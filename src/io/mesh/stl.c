/* STL: triangles alone, each with its own three vertices.
 *
 * Binary: 80 bytes of any text, the count as 4 bytes, then 50 bytes per triangle (normal, three
 * vertices as little-endian float32, 2 bytes of anything). The file is binary when its length is
 * what the count says, whatever it begins with: some binary files begin with "solid" too.
 * ASCII: solid NAME, facets, endsolid NAME; several of them may follow each other. Normals are not
 * used: the order of the vertices says which side is outside. */
#include <math.h>
#include <string.h>

#include "io/mesh/read.h"

enum { HEADER = 84, FACET = 50 };

static uint32_t little(const unsigned char *b) {
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static scree_status read_binary(mesh_reader *r, size_t count) {
  if (count > UINT32_MAX / 3) return mesh_fault_byte(r, 80, "%zu triangles are too many", count);
  for (size_t t = 0; t < count; t++) {
    const size_t at = HEADER + FACET * t;
    for (size_t v = 0; v < 3; v++) {
      double x[3];
      for (size_t k = 0; k < 3; k++) {
        const size_t place = at + 12 + 12 * v + 4 * k;
        const uint32_t bits = little(r->bytes + place);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
          return mesh_fault_byte(r, place, "a coordinate of triangle %zu is not finite", t);
        x[k] = (double)value;
      }
      const scree_status status = mesh_add_vertex(r, x);
      if (status) return status;
    }
    const uint32_t base = (uint32_t)(3 * t);
    const scree_status status = mesh_add_triangle(r, base, base + 1, base + 2);
    if (status) return status;
  }
  return SCREE_OK;
}

/* The next word of the file that begins a line, past empty lines. */
static bool next_start(mesh_reader *r, mesh_word *word) {
  while (!mesh_next_word(r, false, word))
    if (!mesh_next_line(r)) return false;
  return true;
}

static scree_status expect(mesh_reader *r, const char *first, const char *second) {
  mesh_word word;
  if (!next_start(r, &word))
    return mesh_fault(r, r->at, "the file ends where '%s' is expected", first);
  if (!mesh_is_word(&word, first, true))
    return mesh_fault(r, word.at, "'%s' is expected, not '%.*s'", first,
                      (int)(word.length < 40 ? word.length : 40), word.text);
  if (second && (!mesh_next_word(r, false, &word) || !mesh_is_word(&word, second, true)))
    return mesh_fault(r, word.at, "'%s %s' is expected", first, second);
  return SCREE_OK;
}

static scree_status read_facet(mesh_reader *r) {
  scree_status status = expect(r, "outer", "loop");
  const size_t base = r->mesh->vertex_count;
  if (!status && base > UINT32_MAX - 3) status = mesh_fault(r, r->at, "too many triangles");
  for (int v = 0; v < 3 && !status; v++) {
    double x[3];
    status = expect(r, "vertex", NULL);
    if (!status) status = mesh_place(r, false, x);
    if (!status) status = mesh_add_vertex(r, x);
  }
  if (!status) status = expect(r, "endloop", NULL);
  if (!status) status = expect(r, "endfacet", NULL);
  const uint32_t first = (uint32_t)base;
  return status ? status : mesh_add_triangle(r, first, first + 1, first + 2);
}

static scree_status read_text(mesh_reader *r) {
  mesh_word word;
  bool inside = false;
  while (next_start(r, &word)) {
    scree_status status = SCREE_OK;
    if (!inside && mesh_is_word(&word, "solid", true)) {
      inside = true;
      mesh_next_line(r); /* the rest is a name */
    } else if (inside && mesh_is_word(&word, "facet", true)) {
      mesh_next_line(r); /* the normal */
      status = read_facet(r);
    } else if (inside && mesh_is_word(&word, "endsolid", true)) {
      inside = false;
      mesh_next_line(r);
    } else {
      status = mesh_fault(r, word.at, "'%s' is expected, not '%.*s'",
                          inside ? "facet' or 'endsolid" : "solid",
                          (int)(word.length < 40 ? word.length : 40), word.text);
    }
    if (status) return status;
  }
  return inside ? mesh_fault(r, r->at, "the file ends where 'endsolid' is expected") : SCREE_OK;
}

scree_status mesh_read_stl(mesh_reader *r) {
  const size_t count = r->size >= HEADER ? little(r->bytes + 80) : 0;
  if (r->size >= HEADER && r->size - HEADER == FACET * count) return read_binary(r, count);
  mesh_word word;
  const bool text = !memchr(r->bytes, 0, r->size < HEADER ? r->size : HEADER);
  if (text && next_start(r, &word) && mesh_is_word(&word, "solid", true)) {
    r->at = word.at;
    return read_text(r);
  }
  if (r->size < HEADER)
    return mesh_fault_byte(r, r->size, "it ends within its header of %d bytes", HEADER);
  return mesh_fault_byte(r, 80, "%zu triangles need a file of %zu bytes; it has %zu", count,
                         HEADER + FACET * count, r->size);
}

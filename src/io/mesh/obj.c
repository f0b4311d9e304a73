/* OBJ: vertices, and faces that name them from 1, or from the end by negative numbers. Texture
 * coordinates, normals, groups and materials are passed over; the library of materials is not
 * opened, nor any other file. */
#include <stdio.h>

#include "io/mesh/read.h"

enum { CORNER_LIMIT = 1000 };

static const char *const passed[] = {"vt",       "vn",       "vp",         "o",        "g",
                                     "s",        "l",        "p",          "mg",       "usemtl",
                                     "mtllib",   "usemap",   "maplib",     "bevel",    "lod",
                                     "c_interp", "d_interp", "shadow_obj", "trace_obj"};

/* "12", "12/3", "12//4", "12/3/4": the first number counts. */
static scree_status read_corner(mesh_reader *r, const mesh_word *word, uint32_t *corner) {
  mesh_word first = *word;
  first.length = 0;
  while (first.length < word->length && word->text[first.length] != '/') first.length++;
  for (size_t i = first.length; i < word->length; i++) {
    const char c = word->text[i];
    if (c != '/' && c != '-' && (c < '0' || c > '9'))
      return mesh_fault(r, word->at + i, "numbers with '/' between them are expected");
  }
  const long long known = (long long)r->mesh->vertex_count;
  long long n;
  const scree_status status = mesh_whole(r, &first, -known, known, &n);
  if (status) return status;
  if (n == 0) return mesh_fault(r, word->at, "vertices are counted from 1, not from 0");
  *corner = (uint32_t)(n > 0 ? n - 1 : known + n);
  return SCREE_OK;
}

static scree_status read_face(mesh_reader *r) {
  uint32_t corners[CORNER_LIMIT];
  size_t count = 0;
  mesh_word word;
  while (mesh_next_word(r, true, &word) && word.text[0] != '#') {
    if (count == CORNER_LIMIT)
      return mesh_fault(r, word.at, "a face of more than %d corners", CORNER_LIMIT);
    const scree_status status = read_corner(r, &word, &corners[count++]);
    if (status) return status;
  }
  if (count < 3) return mesh_fault(r, r->at, "a face of %zu corners; it needs three", count);
  return mesh_add_polygon(r, count, corners);
}

static scree_status read_vertex(mesh_reader *r) {
  double x[3];
  if (r->mesh->vertex_count == UINT32_MAX - 1) return mesh_fault(r, r->at, "too many vertices");
  scree_status status = mesh_place(r, true, x);
  return status ? status : mesh_add_vertex(r, x); /* a weight or a colour may follow */
}

/* The rest of a line that is passed over may go on in the next ones. */
static void pass_line(mesh_reader *r) {
  mesh_word word;
  while (mesh_next_word(r, true, &word)) {
  }
}

scree_status mesh_read_obj(mesh_reader *r) {
  do {
    mesh_word word;
    if (!mesh_next_word(r, true, &word) || word.text[0] == '#') continue;
    scree_status status = SCREE_OK;
    if (mesh_is_word(&word, "v", false)) {
      status = read_vertex(r);
      if (!status) pass_line(r);
    } else if (mesh_is_word(&word, "f", false) || mesh_is_word(&word, "fo", false)) {
      status = read_face(r);
    } else {
      bool known = false;
      for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        known |= mesh_is_word(&word, passed[i], false);
      if (!known)
        return mesh_fault(r, word.at, "'%.*s' is not known; v and f are read",
                          (int)(word.length < 40 ? word.length : 40), word.text);
      pass_line(r);
    }
    if (status) return status;
  } while (mesh_next_line(r));
  return SCREE_OK;
}

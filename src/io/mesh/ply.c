/* PLY: a header that names elements with their properties, then the elements, as text or as bytes
 * of either order. Of them x, y, z of `vertex` and the list vertex_indices (or vertex_index) of
 * `face` are used, and all others passed over.
 *
 * Before an element is read, its count times the least that one of them takes is compared with what
 * is left of the file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/mesh/read.h"

enum { ELEMENT_LIMIT = 32, PROPERTY_LIMIT = 64, CORNER_LIMIT = 1000 };

typedef enum ply_type {
  INT8,
  UINT8,
  INT16,
  UINT16,
  INT32,
  UINT32,
  FLOAT32,
  FLOAT64,
  TYPES
} ply_type;
static const size_t type_size[TYPES] = {1, 1, 2, 2, 4, 4, 4, 8};
static const char *const type_names[2][TYPES] = {
    {"char", "uchar", "short", "ushort", "int", "uint", "float", "double"},
    {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"}};

/* What a property is for. */
typedef enum ply_use { USE_NONE, USE_X, USE_Y, USE_Z, USE_CORNERS } ply_use;

typedef struct ply_property {
  ply_type type, count_type;
  bool list;
  ply_use use;
} ply_property;

typedef struct ply_element {
  enum { ELEMENT_OTHER, ELEMENT_VERTEX, ELEMENT_FACE } kind;
  size_t count, property_count;
  ply_property properties[PROPERTY_LIMIT];
} ply_element;

typedef struct ply_reader {
  mesh_reader *r;
  enum { FORMAT_NONE, FORMAT_TEXT, FORMAT_LITTLE, FORMAT_BIG } format;
  size_t element_count;
  ply_element elements[ELEMENT_LIMIT];
  size_t corner_count;
  uint32_t corners[CORNER_LIMIT];
} ply_reader;

/* ---- header --------------------------------------------------------------------------------- */

static scree_status want_word(mesh_reader *r, const char *what, mesh_word *word) {
  if (mesh_next_word(r, false, word)) return SCREE_OK;
  return mesh_fault(r, r->at, "%s is expected", what);
}

static scree_status read_type(mesh_reader *r, ply_type *type) {
  mesh_word word;
  const scree_status status = want_word(r, "a type", &word);
  if (status) return status;
  for (int i = 0; i < 2 * TYPES; i++) {
    if (!mesh_is_word(&word, type_names[i / TYPES][i % TYPES], false)) continue;
    *type = (ply_type)(i % TYPES);
    return SCREE_OK;
  }
  return mesh_fault(r, word.at, "'%.*s' is no type of numbers",
                    (int)(word.length < 40 ? word.length : 40), word.text);
}

static scree_status read_format(ply_reader *p) {
  mesh_word word;
  const scree_status status = want_word(p->r, "a format", &word);
  if (status) return status;
  static const char *const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  for (int i = 0; i < 3; i++)
    if (mesh_is_word(&word, formats[i], false)) p->format = FORMAT_TEXT + i;
  if (p->format) return SCREE_OK;
  return mesh_fault(p->r, word.at, "ascii, binary_little_endian or binary_big_endian is expected");
}

static scree_status read_element(ply_reader *p) {
  mesh_word name, count;
  long long n = 0;
  scree_status status = want_word(p->r, "the name of an element", &name);
  if (!status) status = want_word(p->r, "a count", &count);
  if (!status) status = mesh_whole(p->r, &count, 0, UINT32_MAX - 1, &n);
  if (status) return status;
  if (p->element_count == ELEMENT_LIMIT)
    return mesh_fault(p->r, name.at, "more than %d elements", ELEMENT_LIMIT);
  ply_element *e = &p->elements[p->element_count++];
  e->count = (size_t)n;
  e->kind = mesh_is_word(&name, "vertex", false) ? ELEMENT_VERTEX
            : mesh_is_word(&name, "face", false) ? ELEMENT_FACE
                                                 : ELEMENT_OTHER;
  for (size_t i = 0; i + 1 < p->element_count && e->kind; i++)
    if (p->elements[i].kind == e->kind)
      return mesh_fault(p->r, name.at, "the element is given twice");
  return SCREE_OK;
}

static scree_status read_property(ply_reader *p) {
  mesh_reader *r = p->r;
  ply_property x = {.type = INT8};
  const size_t before = r->at;
  mesh_word word;
  scree_status status = want_word(r, "a type", &word);
  if (status) return status;
  x.list = mesh_is_word(&word, "list", false);
  if (x.list)
    status = read_type(r, &x.count_type);
  else
    r->at = before;
  if (!status) status = read_type(r, &x.type);
  if (!status) status = want_word(r, "the name of a property", &word);
  if (status) return status;
  if (!p->element_count) return mesh_fault(r, word.at, "a property before any element");
  ply_element *e = &p->elements[p->element_count - 1];
  if (e->property_count == PROPERTY_LIMIT)
    return mesh_fault(r, word.at, "more than %d properties", PROPERTY_LIMIT);
  if (x.list && x.count_type > UINT32)
    return mesh_fault(r, word.at, "the length of a list is a whole number");
  static const char *const places[] = {"x", "y", "z"};
  for (int k = 0; k < 3 && e->kind == ELEMENT_VERTEX && !x.list; k++)
    if (mesh_is_word(&word, places[k], false)) x.use = USE_X + k;
  if (e->kind == ELEMENT_FACE && x.list &&
      (mesh_is_word(&word, "vertex_indices", false) || mesh_is_word(&word, "vertex_index", false)))
    x.use = USE_CORNERS;
  for (size_t i = 0; i < e->property_count && x.use; i++)
    if (e->properties[i].use == x.use) return mesh_fault(r, word.at, "the property is given twice");
  e->properties[e->property_count++] = x;
  return SCREE_OK;
}

static bool has_use(const ply_element *e, ply_use use) {
  for (size_t i = 0; i < e->property_count; i++)
    if (e->properties[i].use == use) return true;
  return false;
}

static scree_status check_header(ply_reader *p) {
  const ply_element *vertex = NULL, *face = NULL;
  for (size_t i = 0; i < p->element_count; i++) {
    const ply_element *e = &p->elements[i];
    if (e->kind == ELEMENT_VERTEX) vertex = e;
    if (e->kind == ELEMENT_FACE) face = e;
    if (face && !vertex) return mesh_fault(p->r, p->r->at, "faces before the vertices");
  }
  if (!p->format) return mesh_fault(p->r, p->r->at, "the header has no format");
  if (!vertex || !has_use(vertex, USE_X) || !has_use(vertex, USE_Y) || !has_use(vertex, USE_Z))
    return mesh_fault(p->r, p->r->at, "the header has no element vertex with x, y and z");
  if (!face || !has_use(face, USE_CORNERS))
    return mesh_fault(p->r, p->r->at, "the header has no element face with a list vertex_indices");
  return SCREE_OK;
}

static scree_status read_header(ply_reader *p) {
  mesh_reader *r = p->r;
  mesh_word word;
  if (!mesh_next_word(r, false, &word) || !mesh_is_word(&word, "ply", false))
    return mesh_fault(r, 0, "a PLY file begins with the word ply");
  while (mesh_next_line(r)) {
    scree_status status = SCREE_OK;
    if (!mesh_next_word(r, false, &word) || mesh_is_word(&word, "comment", false) ||
        mesh_is_word(&word, "obj_info", false))
      continue;
    if (mesh_is_word(&word, "end_header", false)) {
      status = check_header(p);
      mesh_next_line(r);
      return status;
    }
    if (mesh_is_word(&word, "format", false))
      status = read_format(p);
    else if (mesh_is_word(&word, "element", false))
      status = read_element(p);
    else if (mesh_is_word(&word, "property", false))
      status = read_property(p);
    else
      status = mesh_fault(r, word.at, "'%.*s' is not a word of the header",
                          (int)(word.length < 40 ? word.length : 40), word.text);
    if (status) return status;
  }
  return mesh_fault(r, r->at, "the file ends within its header");
}

/* ---- elements ------------------------------------------------------------------------------- */

static double value_of(ply_type type, const unsigned char b[8]) {
  uint64_t bits = 0;
  for (size_t i = 0; i < type_size[type]; i++) bits |= (uint64_t)b[i] << 8 * i;
  float single;
  double full;
  const uint32_t low = (uint32_t)bits;
  switch (type) {
  case INT8:
    return (int8_t)bits;
  case INT16:
    return (int16_t)bits;
  case INT32:
    return (int32_t)bits;
  case FLOAT32:
    memcpy(&single, &low, sizeof single);
    return (double)single;
  case FLOAT64:
    memcpy(&full, &bits, sizeof full);
    return full;
  default:
    return (double)bits;
  }
}

static scree_status read_value(ply_reader *p, ply_type type, double *value) {
  mesh_reader *r = p->r;
  if (p->format == FORMAT_TEXT) {
    mesh_word word;
    const scree_status status = want_word(r, "another number", &word);
    return status ? status : mesh_number(r, &word, value);
  }
  const size_t n = type_size[type];
  if (r->size - r->at < n) return mesh_fault_byte(r, r->size, "the file ends too early");
  unsigned char b[8] = {0};
  for (size_t i = 0; i < n; i++) b[i] = r->bytes[r->at + (p->format == FORMAT_BIG ? n - 1 - i : i)];
  *value = value_of(type, b);
  r->at += n;
  return SCREE_OK;
}

static scree_status fault_here(ply_reader *p, size_t at, const char *what) {
  return p->format == FORMAT_TEXT ? mesh_fault(p->r, at, "%s", what)
                                  : mesh_fault_byte(p->r, at, "%s", what);
}

static scree_status read_list(ply_reader *p, const ply_property *x) {
  const size_t start = p->r->at;
  double length, value = 0.0;
  scree_status status = read_value(p, x->count_type, &length);
  if (status) return status;
  if (!(length >= 0.0) || length != floor(length) || length > (double)(p->r->size - p->r->at))
    return fault_here(p, start, "a list is longer than the file");
  if (x->use == USE_CORNERS && length > CORNER_LIMIT)
    return fault_here(p, start, "a face of more than 1000 corners");
  for (size_t i = 0; i < (size_t)length && !status; i++) {
    const size_t at = p->r->at;
    status = read_value(p, x->type, &value);
    if (status || x->use != USE_CORNERS) continue;
    if (!(value >= 0.0) || value != floor(value) || value >= (double)p->r->mesh->vertex_count)
      return fault_here(p, at, "a corner is none of the vertices");
    p->corners[i] = (uint32_t)value;
  }
  if (x->use == USE_CORNERS) p->corner_count = (size_t)length;
  return status;
}

static scree_status read_one(ply_reader *p, const ply_element *e) {
  double place[3] = {0};
  const size_t start = p->r->at;
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < e->property_count && !status; i++) {
    const ply_property *x = &e->properties[i];
    double value = 0.0;
    status = x->list ? read_list(p, x) : read_value(p, x->type, &value);
    if (x->use >= USE_X && x->use <= USE_Z) place[x->use - USE_X] = value;
  }
  if (status) return status;
  if (e->kind == ELEMENT_VERTEX) {
    if (!isfinite(place[0] + place[1] + place[2]))
      return fault_here(p, start, "a vertex is not finite");
    return mesh_add_vertex(p->r, place);
  }
  if (e->kind != ELEMENT_FACE) return SCREE_OK;
  if (p->corner_count < 3) return fault_here(p, start, "a face of less than three corners");
  return mesh_add_polygon(p->r, p->corner_count, p->corners);
}

static scree_status read_elements(ply_reader *p, const ply_element *e) {
  mesh_reader *r = p->r;
  size_t least = p->format == FORMAT_TEXT ? 1 : 0; /* at least the end of a line */
  for (size_t i = 0; i < e->property_count; i++)
    least += p->format == FORMAT_TEXT ? 1
             : e->properties[i].list  ? type_size[e->properties[i].count_type]
                                      : type_size[e->properties[i].type];
  if (!least) return SCREE_OK; /* nothing to read, however many */
  if (e->count && (e->count - 1) > (r->size - r->at) / least) {
    char what[96];
    snprintf(what, sizeof what, "%zu elements are more than the rest of the file holds", e->count);
    return fault_here(p, r->at, what);
  }
  for (size_t i = 0; i < e->count; i++) {
    if (p->format == FORMAT_TEXT) { /* empty lines and the rest of the last one are passed over */
      mesh_word word;
      size_t at = r->at;
      while (!mesh_next_word(r, false, &word) && mesh_next_line(r)) at = r->at;
      if (!word.length && e->property_count)
        return mesh_fault(r, r->at, "the file ends after %zu of %zu elements", i, e->count);
      r->at = at;
    }
    const scree_status status = read_one(p, e);
    if (status) return status;
    mesh_word word;
    if (p->format == FORMAT_TEXT && mesh_next_word(r, false, &word))
      return mesh_fault(r, word.at, "more numbers than the header says");
  }
  return SCREE_OK;
}

scree_status mesh_read_ply(mesh_reader *r) {
  ply_reader *p = memory_new(r->context, 1, sizeof *p);
  if (!p) return SCREE_ERROR_MEMORY;
  p->r = r;
  scree_status status = read_header(p);
  for (size_t i = 0; i < p->element_count && !status; i++)
    status = read_elements(p, &p->elements[i]);
  memory_free(r->context, p);
  return status;
}

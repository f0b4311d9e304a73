/* See mesh/read.h. */
#include "io/mesh/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

static scree_status describe(mesh_reader *r, int place, const char *format, va_list list) {
  if (place > 0 && (size_t)place < r->why_size)
    number_format_list(r->why + place, r->why_size - (size_t)place, format, list);
  return SCREE_ERROR_INPUT;
}

scree_status mesh_fault(mesh_reader *r, size_t at, const char *format, ...) {
  const int place = snprintf(r->why, r->why_size, "line %zu, column %zu: ", r->line,
                             at >= r->line_start ? at - r->line_start + 1 : 1);
  va_list list;
  va_start(list, format);
  const scree_status status = describe(r, place, format, list);
  va_end(list);
  return status;
}

scree_status mesh_fault_byte(mesh_reader *r, size_t at, const char *format, ...) {
  const int place = snprintf(r->why, r->why_size, "byte %zu: ", at);
  va_list list;
  va_start(list, format);
  const scree_status status = describe(r, place, format, list);
  va_end(list);
  return status;
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool is_space(unsigned char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_end(unsigned char c) {
  return c == '\n' || c == '\r';
}

/* After the end of a line: "\n", "\r\n", or "\r" alone. */
static void pass_end(mesh_reader *r) {
  if (r->bytes[r->at] == '\r' && r->at + 1 < r->size && r->bytes[r->at + 1] == '\n') r->at++;
  r->at++;
  r->line++;
  r->line_start = r->at;
}

bool mesh_next_word(mesh_reader *r, bool joined, mesh_word *word) {
  for (;;) {
    while (r->at < r->size && is_space(r->bytes[r->at])) r->at++;
    if (!joined || r->at + 1 >= r->size || r->bytes[r->at] != '\\' || !is_end(r->bytes[r->at + 1]))
      break;
    r->at++;
    pass_end(r);
  }
  *word = (mesh_word){(const char *)r->bytes + r->at, 0, r->at};
  while (r->at < r->size && !is_space(r->bytes[r->at]) && !is_end(r->bytes[r->at])) {
    const bool end =
        joined && r->bytes[r->at] == '\\' && r->at + 1 < r->size && is_end(r->bytes[r->at + 1]);
    if (end) break;
    r->at++;
    word->length++;
  }
  return word->length > 0;
}

bool mesh_next_line(mesh_reader *r) {
  while (r->at < r->size && !is_end(r->bytes[r->at])) r->at++;
  if (r->at >= r->size) return false;
  pass_end(r);
  return r->at < r->size;
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool mesh_is_word(const mesh_word *word, const char *text, bool any_case) {
  if (strlen(text) != word->length) return false;
  for (size_t i = 0; i < word->length; i++) {
    const char c = any_case ? lower(word->text[i]) : word->text[i];
    if (c != text[i]) return false;
  }
  return true;
}

scree_status mesh_number(mesh_reader *r, const mesh_word *word, double *value) {
  char text[128];
  char *end = text;
  if (word->length < sizeof text) {
    memcpy(text, word->text, word->length);
    text[word->length] = 0;
    *value = number_read(text, &end);
  }
  if (end == text || *end)
    return mesh_fault(r, word->at, "a number is expected, not '%.*s'",
                      (int)(word->length < 40 ? word->length : 40), word->text);
  if (!isfinite(*value)) return mesh_fault(r, word->at, "the number is not finite");
  return SCREE_OK;
}

scree_status mesh_whole(mesh_reader *r, const mesh_word *word, long long low, long long high,
                        long long *value) {
  const bool minus = word->length && word->text[0] == '-';
  size_t i = minus || (word->length && word->text[0] == '+');
  long long n = 0;
  bool good = i < word->length;
  for (; i < word->length && good; i++) {
    const char c = word->text[i];
    good = c >= '0' && c <= '9' && n < 100000000000000000;
    if (good) n = 10 * n + (c - '0');
  }
  *value = minus ? -n : n;
  if (good && *value >= low && *value <= high) return SCREE_OK;
  return mesh_fault(r, word->at, "a whole number from %lld to %lld is expected, not '%.*s'", low,
                    high, (int)(word->length < 40 ? word->length : 40), word->text);
}

scree_status mesh_place(mesh_reader *r, bool joined, double x[3]) {
  for (int k = 0; k < 3; k++) {
    mesh_word word;
    if (!mesh_next_word(r, joined, &word))
      return mesh_fault(r, r->at, "three coordinates are expected, not %d", k);
    const scree_status status = mesh_number(r, &word, &x[k]);
    if (status) return status;
  }
  return SCREE_OK;
}

/* ---- the mesh ------------------------------------------------------------------------------- */

scree_status mesh_add_vertex(mesh_reader *r, const double x[3]) {
  mesh_import *m = r->mesh;
  const scree_status status =
      memory_grow(r->context, &m->vertices, 3 * m->vertex_count + 3, sizeof *m->vertices);
  if (status) return status;
  memcpy(m->vertices + 3 * m->vertex_count++, x, 3 * sizeof *x);
  return SCREE_OK;
}

scree_status mesh_add_triangle(mesh_reader *r, uint32_t a, uint32_t b, uint32_t c) {
  mesh_import *m = r->mesh;
  const scree_status status =
      memory_grow(r->context, &m->triangles, 3 * m->triangle_count + 3, sizeof *m->triangles);
  if (status) return status;
  uint32_t *t = m->triangles + 3 * m->triangle_count++;
  t[0] = a, t[1] = b, t[2] = c;
  return SCREE_OK;
}

/* Twice the area of the triangle (a, b, c), seen along the axis `axis` of the polygon's normal. */
static double turn(const double *v, uint32_t a, uint32_t b, uint32_t c, const int axes[2]) {
  const double *p = v + 3 * (size_t)a, *q = v + 3 * (size_t)b, *s = v + 3 * (size_t)c;
  const double ux = q[axes[0]] - p[axes[0]], uy = q[axes[1]] - p[axes[1]];
  const double wx = s[axes[0]] - p[axes[0]], wy = s[axes[1]] - p[axes[1]];
  return ux * wy - uy * wx;
}

/* The two axes that the polygon is looked at in: across the largest part of its normal (Newell),
 * in the order that makes it run counterclockwise. */
static void polygon_axes(const double *v, size_t count, const uint32_t *corners, int axes[2]) {
  double normal[3] = {0};
  for (size_t i = 0; i < count; i++) {
    const double *p = v + 3 * (size_t)corners[i], *q = v + 3 * (size_t)corners[(i + 1) % count];
    for (int k = 0; k < 3; k++) {
      const int a = (k + 1) % 3, b = (k + 2) % 3;
      normal[k] += (p[a] - q[a]) * (p[b] + q[b]);
    }
  }
  int k = 0;
  for (int n = 1; n < 3; n++)
    if (fabs(normal[n]) > fabs(normal[k])) k = n;
  axes[0] = (k + 1) % 3;
  axes[1] = (k + 2) % 3;
  if (normal[k] < 0.0) {
    axes[0] = (k + 2) % 3;
    axes[1] = (k + 1) % 3;
  }
}

static bool is_ear(const double *v, size_t count, const uint32_t *c, size_t i, const int axes[2]) {
  const uint32_t a = c[(i + count - 1) % count], b = c[i], d = c[(i + 1) % count];
  if (!(turn(v, a, b, d, axes) > 0.0)) return false;
  for (size_t k = 0; k < count; k++) {
    const uint32_t p = c[k];
    if (p == a || p == b || p == d) continue;
    if (turn(v, a, b, p, axes) >= 0.0 && turn(v, b, d, p, axes) >= 0.0 &&
        turn(v, d, a, p, axes) >= 0.0)
      return false;
  }
  return true;
}

/* Where no corner is an ear the polygon crosses itself or has no area: then any corner goes. */
scree_status mesh_add_polygon(mesh_reader *r, size_t count, uint32_t *c) {
  int axes[2] = {0, 1};
  if (count > 3) polygon_axes(r->mesh->vertices, count, c, axes);
  scree_status status = SCREE_OK;
  size_t from = 0;
  for (; count > 3 && !status; count--) {
    size_t ear = SIZE_MAX;
    for (size_t n = 0; n < count && ear == SIZE_MAX; n++)
      if (is_ear(r->mesh->vertices, count, c, (from + n) % count, axes)) ear = (from + n) % count;
    if (ear == SIZE_MAX) ear = from % count;
    status = mesh_add_triangle(r, c[(ear + count - 1) % count], c[ear], c[(ear + 1) % count]);
    memmove(c + ear, c + ear + 1, (count - 1 - ear) * sizeof *c);
    from = ear;
  }
  return status ? status : mesh_add_triangle(r, c[0], c[1], c[2]);
}
